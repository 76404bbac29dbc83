#pragma once

#include <functional>
#include <string>
#include <vector>

#include "programs/variant.hpp"

namespace merklize::runtime {

/// Fills the open fields of a policy, like tune() of mkz_backend for one device.
using Tune = std::function<void(mkz_kernel kernel, std::uint32_t hash, std::uint64_t n, mkz_policy& policy)>;

/// The programs that a tuning table asks for, over all hashes, jobs and sizes. These are worth compiling ahead of time.
std::vector<Variant> tuned_variants(const Tune& tune);

/// Body, hash and policy as a text for people.
std::string describe(const Variant& variant);

}  // namespace merklize::runtime

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "command/hash/job.hpp"

namespace merklize::command {

/// `merklize hash --check`: reads lists of digests, hashes the files again, compares and reports on every line.
/// lists    names of files, or "-"
/// returns  how many lines and lists failed
std::uint64_t check_lists(Call& call, const std::vector<std::string>& lists, HashJob& job, bool quiet, bool as_json);

}  // namespace merklize::command

// The list of hashes, out of hashes.def.
#include <string>

#include "merklize/error.hpp"
#include "merklize/hash.hpp"

namespace merklize {
namespace {

constexpr HashTraits all_traits[] = {
#define MKZ_HASH(id, name, prefix, lane, kind) {Hash::name, #name, std::string_view(#kind) == "field"},
#include <merklize/hashes.def>
};

}  // namespace

std::span<const HashTraits> hashes() noexcept { return all_traits; }

const HashTraits& traits(Hash hash) {
    for (const HashTraits& t : all_traits) {
        if (t.hash == hash) return t;
    }
    throw Error(ErrorCode::invalid_argument, "unknown hash id " + std::to_string(static_cast<unsigned>(hash)));
}

Hash hash_from_name(std::string_view name) {
    std::string known = "rp64_256";
    if (name == known) return Hash::rp64_256;
    for (const HashTraits& t : all_traits) {
        if (t.name == name) return t.hash;
        known += ", " + std::string(t.name);
    }
    throw Error(ErrorCode::invalid_argument, "unknown hash '" + std::string(name) + "'; known: " + known);
}

}  // namespace merklize

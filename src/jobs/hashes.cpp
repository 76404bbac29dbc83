// The list of hashes, as C++ and the runtime see it.
#include <array>
#include <string>

#include "jobs/hash_info.hpp"
#include "merklize/core/rescue_prime_constants.h"
#include "merklize/error.hpp"
#include "merklize/hash.hpp"

namespace merklize {
namespace {

constexpr Hash known[] = {
#define MKZ_HASH(id, name, prefix, lane, kind) Hash::name,
#include <merklize/hashes.def>
};

}  // namespace

std::span<const HashTraits> hashes() noexcept {
    static const auto all = [] {
        std::array<HashTraits, std::size(known)> made{};
        for (std::size_t i = 0; i < made.size(); i++) {
            const mkz_hash_info& facts = *runtime::find_info(known[i]);
            made[i] = {known[i], facts.name, runtime::is_field(facts)};
        }
        return made;
    }();
    return all;
}

const HashTraits& traits(Hash hash) {
    for (const HashTraits& t : hashes()) {
        if (t.hash == hash) return t;
    }
    throw Error(ErrorCode::invalid_argument, "unknown hash id " + std::to_string(static_cast<unsigned>(hash)));
}

Hash hash_from_name(std::string_view name) {
    std::string text = "rp64_256";
    if (name == text) return Hash::rp64_256;
    for (const HashTraits& t : hashes()) {
        if (t.name == name) return t.hash;
        text += ", " + std::string(t.name);
    }
    throw Error(ErrorCode::invalid_argument, "unknown hash '" + std::string(name) + "'; known: " + text);
}

namespace runtime {

const mkz_hash_info& info(Hash hash) {
    if (const mkz_hash_info* found = find_info(hash)) return *found;
    throw Error(ErrorCode::invalid_argument, "unknown hash id " + std::to_string(static_cast<unsigned>(hash)));
}

std::span<const std::uint64_t> constants_of(Hash hash) {
    static const auto table = [] {
        std::array<std::uint64_t, std::size(MKZ_RP_ARK) + std::size(MKZ_RP_MDS_DENSE) / 2> words{};
        std::size_t n = 0;
        for (const std::uint64_t word : MKZ_RP_ARK) words[n++] = word;
        for (std::size_t i = 0; i < std::size(MKZ_RP_MDS_DENSE); i += 2)
            words[n++] = MKZ_RP_MDS_DENSE[i] | std::uint64_t{MKZ_RP_MDS_DENSE[i + 1]} << 32;
        return words;
    }();
    return std::span(table).first(info(hash).table_words);
}

}  // namespace runtime
}  // namespace merklize

// The list of hashes, as C++ and the runtime see it.
#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hashes/hash_info.hpp"
#include "hashes/message.hpp"
#include "host/invalid.hpp"
#include "host/names.hpp"
#include "merklize/core/hashes.h"
#include "merklize/core/names.h"
#include "merklize/hash.hpp"

namespace merklize::inline v0 {
namespace {

constexpr Hash known[] = {
#define MKZ_HASH(id, name) Hash::name,
#include <merklize/core/hashes.h>
};
static_assert(std::ranges::adjacent_find(known, std::greater_equal<>{}) == std::end(known),
              "ids of core/hashes.h ascend, and no two hashes have one");

// Hashes, then parts.
constexpr std::uint32_t units[] = {
#define MKZ_WITH_PARTS
#define MKZ_HASH(id, name) id,
#include <merklize/core/hashes.h>
};
constexpr bool are_different(std::span<const std::uint32_t> ids) {
    for (std::size_t i = 0; i < ids.size(); i++) {
        if (std::ranges::count(ids, ids[i]) != 1) return false;
    }
    return true;
}
static_assert(are_different(units), "no part of core/parts.h has the id of another unit");

#define MKZ_WITH_PARTS
#define MKZ_HASH(id, name)                                                                                     \
    static_assert((id) >= 0 && (id) < runtime::first_given, #name ": ids from 128 on are made at run time");   \
    static_assert(MKZ_UNIT_WORD_BITS == 32 || MKZ_UNIT_WORD_BITS == 64, #name ": words are of 32 or 64 bits"); \
    static_assert(MKZ_UNIT_ELEMENT_WORDS == 1 || (MKZ_UNIT_ELEMENT_WORDS == 2 && MKZ_UNIT_WORD_BITS == 32),    \
                  #name ": an element is one word, or two of 32 bits");                                        \
    static_assert(MKZ_UNIT_WORD_BITS * MKZ_UNIT_ELEMENT_WORDS == 64 || MKZ_UNIT_MODULUS + 0ull <= 0xffffffffu, \
                  #name ": a modulus wider than its word");                                                    \
    static_assert(MKZ_UNIT_RATE > 0 && (MKZ_UNIT_MODULUS || MKZ_UNIT_RATE % 8 == 0), #name ": the rate");      \
    static_assert(!MKZ_UNIT_CHUNK_BYTES || MKZ_UNIT_WORD_BITS == 32, #name ": chunk trees are of 32-bit words");
#include <merklize/core/hashes.h>

}  // namespace

namespace {

using All = std::array<HashTraits, std::size(units)>;

const All& all() noexcept {
    static const All made = [] {
        All list;
        for (std::size_t i = 0; i < list.size(); i++) {
            const mkz_hash_info& facts = *mkz_find_hash(units[i]);
            const bool is_field = runtime::is_field(facts);
            list[i] = {static_cast<Hash>(facts.id), facts.name, is_field, is_field ? facts.word_bits : 0,
                       facts.modulus};
        }
        return list;
    }();
    return made;
}

}  // namespace

std::span<const HashTraits> hashes() noexcept { return std::span(all()).first(std::size(known)); }

const HashTraits& traits(Hash hash) {
    if (const runtime::GivenHash* given = runtime::find_given(hash)) return given->traits;
    for (const HashTraits& t : all()) {
        if (t.hash == hash) return t;
    }
    invalid("unknown hash id " + std::to_string(static_cast<unsigned>(hash)));
}

}  // namespace merklize::inline v0

namespace merklize::runtime {
namespace {

// Second names of hashes, which lists do not repeat.
constexpr std::pair<std::string_view, Hash> aliases[] = {{"rp64_256", Hash::rp64_256},
                                                         {"rpo256_r3", Hash::rpo256},
                                                         {"rpo256_r4", Hash::rpo256},
                                                         {"rpx256_r3", Hash::rpx256},
                                                         {"rpx256_r4", Hash::rpx256}};

}  // namespace

std::optional<Hash> find_hash(std::string_view name) {
    for (const auto& [alias, hash] : aliases)
        if (name == alias) return hash;
    if (const GivenHash* given = given_by_name(name)) return given->traits.hash;
    for (const std::string_view family : {"poseidon2", "poseidon"}) {
        if (name.starts_with(family) && name.substr(family.size()).starts_with(':')) {
            invalid("hash '" + std::string(name) + "': no constants with this digest were given to " +
                    std::string(family) + "() before");
        }
    }
    for (const HashTraits& t : hashes())
        if (t.name == name) return t.hash;
    return std::nullopt;
}

}  // namespace merklize::runtime

namespace merklize::inline v0 {

Hash hash_from_name(std::string_view name) {
    if (const std::optional<Hash> found = runtime::find_hash(name)) return *found;
    std::vector<std::string_view> names;
    for (const HashTraits& t : hashes()) names.push_back(t.name);
    invalid(runtime::unknown_name("hash", name, names));
}

}  // namespace merklize::inline v0

namespace merklize::runtime {

const mkz_hash_info& info(Hash hash) {
    if (const mkz_hash_info* found = find_info(hash)) return *found;
    invalid("unknown hash id " + std::to_string(static_cast<unsigned>(hash)));
}

std::span<const std::uint64_t> constants_of(Hash hash) {
    if (const GivenHash* given = find_given(hash)) return given->table;
    switch (hash) {
#define MKZ_EACH_HASH "hashes/constants_unit.inc"
#include <merklize/core/hashes.h>
    }
    return {};
}

}  // namespace merklize::runtime

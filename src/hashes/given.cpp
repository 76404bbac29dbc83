#include "hashes/given.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <span>

#include "host/forks.hpp"
#include "host/invalid.hpp"
#include "host/little_endian.hpp"

namespace merklize::runtime {
namespace {

// Readers take no lock, because an entry is complete before the count includes it.
struct Registry {
    std::array<const GivenHash*, most_given> entries{};
    std::atomic<std::size_t> count{0};
    ProcessMutex mutex{};  // serializes writers

    std::span<const GivenHash* const> all() const noexcept {
        return std::span(entries).first(count.load(std::memory_order_acquire));
    }
};

Registry& registry() {
    static Registry& registry = *new Registry;  // never destroyed: hashes may be used while the process ends
    return registry;
}

template <class Fits>
const GivenHash* first_that(Fits fits) noexcept {
    const auto all = registry().all();
    const auto found = std::ranges::find_if(all, [&](const GivenHash* hash) { return fits(*hash); });
    return found == all.end() ? nullptr : *found;
}

}  // namespace

std::string unknown_constants(std::string_view digest) {
    return "constants with the digest " + std::string(digest) +
           ", and no constants with this digest were given to poseidon2() or poseidon() before";
}

std::uint64_t start_of(const Digest& digest) noexcept { return get_number(digest.bytes, 0); }

const GivenHash& add_given(std::uint32_t unit, std::string_view family, const Digest& digest,
                           std::vector<std::uint64_t> table, const GivenHash* quad) {
    Registry& all = registry();
    const std::lock_guard lock(all.mutex);
    if (const GivenHash* same = given_by_digest(digest)) return *same;
    const std::string name = std::string(family) + ":" + digest.hex();
    if (given_by_start(start_of(digest)) != nullptr) invalid(name + ": its first 8 bytes are those of other constants");
    const std::size_t count = all.count.load();
    if (count == most_given) {
        invalid_call("a process takes at most " + std::to_string(most_given) + " sets of constants");
    }
    auto* entry = new GivenHash;  // kept for ever
    entry->name = name;
    entry->digest = digest;
    entry->table = std::move(table);
    const mkz_hash_info& facts = *mkz_find_hash(unit);
    entry->info = facts;
    entry->info.id = static_cast<std::uint32_t>(first_given + count);
    entry->info.name = entry->name.c_str();
    entry->info.rate = static_cast<std::uint32_t>(entry->table[0]);
    entry->info.table_words = static_cast<std::uint32_t>(entry->table.size());
    entry->info.quad_hash = quad != nullptr ? static_cast<std::int32_t>(quad->info.id) : -1;
    entry->info.is_part = entry->info.rate == facts.rate ? 1 : 0;
    entry->traits = {static_cast<Hash>(entry->info.id), entry->name, true, entry->info.word_bits, entry->info.modulus};
    all.entries[count] = entry;
    all.count.store(count + 1, std::memory_order_release);
    return *entry;
}

const GivenHash* find_given(Hash hash) noexcept {
    const auto id = static_cast<std::uint8_t>(hash);
    if (id < first_given) return nullptr;
    const auto all = registry().all();
    const std::size_t i = id - first_given;
    return i < all.size() ? all[i] : nullptr;
}

const GivenHash* given_by_name(std::string_view name) noexcept {
    return first_that([&](const GivenHash& hash) { return hash.info.is_part == 0 && hash.name == name; });
}
const GivenHash* given_by_digest(const Digest& digest) noexcept {
    return first_that([&](const GivenHash& hash) { return hash.digest == digest; });
}
const GivenHash* given_by_start(std::uint64_t start) noexcept {
    return first_that([&](const GivenHash& hash) { return start_of(hash.digest) == start; });
}

}  // namespace merklize::runtime

#include "tree_files/header.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>

#include "hashes/field.hpp"
#include "hashes/merge_one.hpp"
#include "host/little_endian.hpp"
#include "jobs/cpu_device.hpp"
#include "levels/merges.hpp"
#include "merklize/core/hashes/blake3.h"
#include "merklize/error.hpp"

namespace merklize::runtime {
namespace {

constexpr std::string_view magic("MKLTREE\0", 8), unfinished_magic("MKLPART\0", 8), first_magic("MKZTREE1", 8);
constexpr std::uint32_t version = 1;

// Offsets of the fields.
enum : std::size_t {
    at_version = 8,
    at_hash = 12,
    at_rule = 16,
    at_merges = 17,
    at_zeros = 18,
    at_leaves = 24,
    at_leaf_bytes = 32,
    at_total_bytes = 40,
    at_key_check = 48,
    at_padding = 56,
    at_root = 88,
    at_checksum = 120,
};
constexpr std::uint64_t most_leaves = std::uint64_t{1} << 56;  // so a file has fewer than 2^63 bytes

// The checksum of these bytes and a number.
std::uint64_t checksum_with(std::span<const std::byte> bytes, std::uint64_t number) {
    std::array<std::byte, TreeHeader::size + 8> data;
    std::ranges::copy(bytes, data.begin());
    put_number(data, bytes.size(), number);
    return checksum(std::span(data).first(bytes.size() + 8));
}

// Whether a source makes n leaves. With total_bytes 0 their number is unknown, or they are one empty piece or no rows.
bool makes(const LeafSource& source, std::uint64_t n) {
    const auto [leaf_bytes, total_bytes] = source;
    return total_bytes == 0 || (leaf_bytes != 0 && total_bytes / leaf_bytes + (total_bytes % leaf_bytes != 0) == n);
}

}  // namespace

std::uint64_t checksum(std::span<const std::byte> bytes) {
    return get_number<std::uint64_t>(hash(bytes, {}, on_this_thread()).bytes, 0);
}

std::uint64_t key_check(Hash hash, const Mode& mode) noexcept {
    return mode.flags() == 0 ? 0 : get_number<std::uint64_t>(merge_one(hash, {}, {}, mode).bytes, 0);
}

TreeHeader::TreeHeader(const TreeForm& form, std::uint64_t leaves, const LeafSource& from)
    : hash(form.hash),
      rule(form.rule),
      merges(form.mode.flags() == 0                                                 ? Merges::plain
             : form.mode.flags() == MKZ_BLAKE3_KEYED_HASH || form.mode.is_blake2s() ? Merges::keyed
                                                                                    : Merges::derived),
      key_check(runtime::key_check(form.hash, form.mode)),
      n_leaves(leaves),
      source(from),
      padding(form.rule == TreeRule::pad ? form.padding : Digest{}) {
    if (n_leaves > most_leaves) invalid("tree file: too many leaves: " + std::to_string(n_leaves));
    if (source.leaf_bytes == 0 && source.total_bytes != 0)
        invalid_call("leaf_bytes",
                     "must be at least 1 for a source of " + std::to_string(source.total_bytes) + " bytes, got 0");
    if (n_leaves != 0 && !makes(source, n_leaves)) {
        invalid_call("total_bytes", "must make " + std::to_string(n_leaves) + " leaves of " +
                                        std::to_string(source.leaf_bytes) + " bytes, got " +
                                        std::to_string(source.total_bytes));
    }
}

TreeHeader::Bytes TreeHeader::encode() const {
    Bytes bytes{};
    std::memcpy(bytes.data(), magic.data(), magic.size());
    put_number(bytes, at_version, version);
    const GivenHash* given = find_given(hash);
    put_number(bytes, at_hash, given != nullptr ? named_by_digest : static_cast<std::uint32_t>(hash));
    put_number(bytes, at_rule, static_cast<std::uint8_t>(rule));
    put_number(bytes, at_merges, static_cast<std::uint8_t>(merges));
    put_number(bytes, at_leaves, n_leaves);
    put_number(bytes, at_leaf_bytes, source.leaf_bytes);
    put_number(bytes, at_total_bytes, source.total_bytes);
    put_number(bytes, at_key_check, given != nullptr ? start_of(given->digest) : key_check);
    std::ranges::copy(padding.bytes, bytes.begin() + at_padding);
    std::ranges::copy(root.bytes, bytes.begin() + at_root);
    put_number(bytes, at_checksum, checksum(std::span(bytes).first<at_checksum>()));
    return bytes;
}

TreeHeader TreeHeader::decode(std::span<const std::byte> bytes, std::uint64_t file_bytes, const std::string& name) {
    const auto fail = [&](const std::string& text) { throw Error(ErrorCode::io, name + ": " + text); };
    const auto begins_with = [&](std::string_view text) {
        return bytes.size() >= text.size() && std::memcmp(bytes.data(), text.data(), text.size()) == 0;
    };
    if (begins_with(unfinished_magic)) fail("an unfinished tree file: build it to its end");
    if (begins_with(first_magic)) fail("a tree file of an earlier format, without rules: build it again");
    if (!begins_with(magic)) fail("not a tree file: it does not begin with MKLTREE");
    if (bytes.size() < size) {
        fail("a truncated tree file: its header has 128 bytes, the file " + std::to_string(file_bytes));
    }
    const auto found = get_number<std::uint32_t>(bytes, at_version);
    if (found != version) {
        fail("a tree file of version " + std::to_string(found) + "; this library knows version " +
             std::to_string(version));
    }
    if (get_number<std::uint64_t>(bytes, at_checksum) != checksum(bytes.first<at_checksum>())) {
        fail("a damaged tree file: the checksum of its header does not fit");
    }

    TreeHeader header;
    const auto hash_id = get_number<std::uint32_t>(bytes, at_hash);
    const auto rule_id = get_number<std::uint8_t>(bytes, at_rule);
    const auto merges_id = get_number<std::uint8_t>(bytes, at_merges);
    const auto check = get_number<std::uint64_t>(bytes, at_key_check);
    const mkz_hash_info* facts = mkz_find_hash(hash_id);
    if (hash_id == named_by_digest) {
        const GivenHash* given = given_by_start(check);
        if (given == nullptr) {
            Digest start{};
            std::ranges::copy(bytes.subspan<at_key_check, 8>(), start.bytes.begin());
            fail("its hash is made of " + unknown_constants(start.hex().substr(0, 16) + "..."));
        }
        facts = &given->info;
    }
    if (facts == nullptr || facts->is_part != 0) fail("unknown hash " + std::to_string(hash_id));
    if (rule_id > static_cast<std::uint8_t>(TreeRule::duplicate_last)) fail("unknown rule " + std::to_string(rule_id));
    if (merges_id > static_cast<std::uint8_t>(Merges::derived)) fail("unknown mode " + std::to_string(merges_id));
    header.hash = static_cast<Hash>(facts->id);
    header.rule = static_cast<TreeRule>(rule_id);
    header.merges = static_cast<Merges>(merges_id);
    header.n_leaves = get_number<std::uint64_t>(bytes, at_leaves);
    header.source = {get_number<std::uint64_t>(bytes, at_leaf_bytes), get_number<std::uint64_t>(bytes, at_total_bytes)};
    header.key_check = hash_id == named_by_digest ? 0 : check;
    std::ranges::copy(bytes.subspan<at_padding, Digest::size>(), header.padding.bytes.begin());
    std::ranges::copy(bytes.subspan<at_root, Digest::size>(), header.root.bytes.begin());

    const auto nonzero = [](std::byte byte) { return byte != std::byte{0}; };
    if (std::ranges::any_of(bytes.subspan<at_zeros, at_leaves - at_zeros>(), nonzero)) {
        fail("bytes 18 to 23 are not zeros; written by a newer version?");
    }
    if (header.merges != Merges::plain && !facts->is_keyed) {
        fail("its merges are keyed, but the hash " + std::string(facts->name) + " has no keyed merges");
    }
    if (header.merges == Merges::derived && !facts->has_chunk_tree) {
        fail("its merges are of a context, but the hash " + std::string(facts->name) + " has no key derivation");
    }
    if (header.merges == Merges::plain && header.key_check != 0)
        fail("it has a check of a key, but its merges are not keyed");
    if (header.rule != TreeRule::pad && header.padding != Digest{}) fail("it has a padding, but its rule is not pad");
    if (!are_canonical(*facts, {&header.padding, 1})) {
        fail("the padding is no digest of the hash " + std::string(facts->name));
    }
    const std::uint64_t n = header.n_leaves;
    if ((n == 0 && !has_empty_tree({header.hash, header.rule})) || n > most_leaves)
        fail("the header says " + std::to_string(n) + " leaves");
    if (header.rule == TreeRule::perfect && !std::has_single_bit(n)) {
        fail("the header says " + std::to_string(n) + " leaves, which the rule perfect does not take");
    }
    if (!makes(header.source, n)) {
        fail("the header says " + std::to_string(n) + " leaves of " + std::to_string(header.source.leaf_bytes) +
             " bytes for a file of " + std::to_string(header.source.total_bytes));
    }
    if (header.file_bytes() != file_bytes) {
        fail(std::string(file_bytes < header.file_bytes() ? "a truncated" : "too long a") + " tree file: a tree of " +
             std::to_string(n) + " leaves takes " + std::to_string(header.file_bytes()) + " bytes, the file has " +
             std::to_string(file_bytes));
    }
    return header;
}

bool TreeHeader::may_begin(std::span<const std::byte> bytes) noexcept {
    for (std::size_t i = 0; i < bytes.size(); i++) {
        const char found = static_cast<char>(bytes[i]);
        if (found != 0 && found != magic[i] && found != unfinished_magic[i] && found != first_magic[i]) return false;
    }
    return true;
}

TreeHeader::Bytes TreeHeader::encode_unfinished(std::uint64_t stamp) const {
    TreeHeader without_root = *this;
    without_root.root = {};
    Bytes bytes = without_root.encode();
    std::memcpy(bytes.data(), unfinished_magic.data(), unfinished_magic.size());
    put_number(bytes, at_checksum, checksum_with(std::span(bytes).first<at_root>(), stamp));
    return bytes;
}

TreeHeader::Note TreeHeader::note(const Bytes& unfinished, std::uint64_t turn, std::uint64_t leaves) {
    Note note;
    put_number(note.bytes, 0, leaves);
    // Includes the header's own checksum, so that a note is valid for this file only.
    put_number(note.bytes, 8, checksum_with(std::span(unfinished).last<8>(), leaves));
    note.offset = at_root + note.bytes.size() * (turn % 2);
    return note;
}

std::optional<TreeHeader::Progress> TreeHeader::find_notes(std::span<const std::byte> bytes,
                                                           std::uint64_t stamp) const {
    const Bytes expected = encode_unfinished(stamp);
    if (bytes.size() != size || !std::ranges::equal(bytes.first<at_root>(), std::span(expected).first<at_root>()) ||
        !std::ranges::equal(bytes.last<8>(), std::span(expected).last<8>())) {
        return std::nullopt;
    }
    std::optional<Progress> found;
    for (std::uint64_t turn = 0; turn < 2; turn++) {
        const std::size_t at = at_root + 16 * turn;
        const auto count = get_number<std::uint64_t>(bytes, at);
        const Note as_written = note(expected, turn, count);
        if (!std::ranges::equal(bytes.subspan(at, 16), as_written.bytes)) continue;
        if (n_leaves != 0 && count > n_leaves) continue;
        if (!found || count > found->leaves) found = {count, turn + 1};
    }
    return found;
}

}  // namespace merklize::runtime

#include <algorithm>
#include <bit>
#include <numeric>
#include <string>

#include "hashes/merge_one.hpp"
#include "merklize/error.hpp"
#include "merklize/proof.hpp"
#include "proofs/bytes.hpp"
#include "proofs/shape.hpp"

// Winterfell's form has the siblings in lists. The sibling of a leaf is in the list of their parent, numbered among the
// known parents. A sibling on a higher level is in the list of its own sibling, numbered among the known nodes of the
// level. docs/layouts.md describes the bytes.

namespace merklize::inline v0 {
namespace {

using runtime::ProofReader;
using runtime::ProofWriter;
using runtime::Sibling;

/// Calls visit(list) for each sibling in the order of a MultiProof. Returns the number of lists.
template <class Visit>
std::size_t walk_lists(std::uint64_t n_leaves, std::span<const std::uint64_t> indices, Visit visit) {
    const runtime::TreeLayout layout{n_leaves};
    std::vector<std::uint64_t> positions(indices.begin(), indices.end());
    std::size_t lists = 0;
    runtime::climb(positions, layout, 0, TreeRule::perfect, [&](Sibling sibling, std::size_t) {
        if (runtime::in_proof(sibling)) visit(lists);
        lists++;
    });
    for (unsigned level = 1; level < layout.height(); level++) {
        runtime::climb(positions, layout, level, TreeRule::perfect, [&](Sibling sibling, std::size_t i) {
            if (runtime::in_proof(sibling)) visit(i);
        });
    }
    return lists;
}

/// winter-crypto's Blake3_256, Rp64_256 and RpJive64_256.
bool has_hash(Hash hash) noexcept {
    return hash == Hash::blake3 || hash == Hash::rp64_256_v3 || hash == Hash::rpjive64_256;
}

/// A count in winter-utils' form: the number of zero bits below the lowest 1 bit is the number of bytes after the
/// first. The bits above the lowest 1 bit are the value.
void write_count(ProofWriter& out, std::uint64_t value) {
    const int length = std::max(1, (static_cast<int>(std::bit_width(value)) + 6) / 7);
    if (length > 8) {
        out.u8(0);
        return out.u64(value);
    }
    const std::uint64_t coded = (value << 1 | 1) << (length - 1);
    out.append(&coded, static_cast<std::size_t>(length));
}

std::uint64_t read_count(ProofReader& in) noexcept {
    const std::uint8_t first = in.u8();
    if (first == 0) in.refuse();  // the count would be 2^56 or more
    if (!in.ok()) return 0;
    const int more = std::countr_zero(first);
    const std::uint64_t rest = runtime::from_little_endian(in.take(static_cast<std::uint64_t>(more)));
    const std::uint64_t value = (rest << 8 | first) >> (more + 1);
    if (more != 0 && value >> (7 * more) == 0) in.refuse();  // a shorter form would do
    return value;
}

}  // namespace

std::vector<std::byte> to_winterfell(const MultiProof& proof) {
    const PublicCall entry("to_winterfell");
    if (!has_hash(proof.hash)) {
        invalid_call("the hash must be 'blake3', 'rp64_256_v3' or 'rpjive64_256', not '" +
                     std::string(traits(proof.hash).name) + "'");
    }
    if (proof.n_leaves < 2 || !std::has_single_bit(proof.n_leaves))
        invalid_call("the tree must have 2, 4, 8, ... leaves, not " + std::to_string(proof.n_leaves));
    const auto needed = runtime::siblings_of(proof.n_leaves, TreeRule::perfect, proof.indices);
    if (!needed || *needed != proof.siblings.size() || proof.leaves.size() != proof.indices.size()) {
        invalid_call("there is no such proof: " + std::to_string(proof.n_leaves) + " leaves, " +
                     std::to_string(proof.indices.size()) + " indices, " + std::to_string(proof.leaves.size()) +
                     " of their leaves, " + std::to_string(proof.siblings.size()) + " siblings");
    }
    std::vector<std::vector<Digest>> lists(proof.indices.size());
    const Digest* next = proof.siblings.data();
    lists.resize(walk_lists(proof.n_leaves, proof.indices, [&](std::size_t list) { lists[list].push_back(*next++); }));
    ProofWriter out(16 + lists.size() + Digest::size * proof.siblings.size());
    out.u8(static_cast<std::uint8_t>(std::countr_zero(proof.n_leaves)));
    write_count(out, lists.size());
    for (const std::vector<Digest>& list : lists) {
        write_count(out, list.size());
        out.digests(list);
    }
    return out.take();
}

std::optional<MultiProof> from_winterfell(ByteView bytes, Hash hash, std::span<const std::uint64_t> indices,
                                          std::span<const Digest> leaves) noexcept try {
    ProofReader in(bytes);
    const std::uint8_t depth = in.u8();
    if (!has_hash(hash) || leaves.size() != indices.size() || depth == 0 || depth > 58) return std::nullopt;
    MultiProof proof{hash, TreeRule::perfect, std::uint64_t{1} << depth};

    std::vector<std::size_t> order(indices.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return indices[i]; });
    for (const std::size_t i : order) {
        proof.indices.push_back(indices[i]);
        proof.leaves.push_back(leaves[i]);
    }
    if (!runtime::are_indices(proof.indices, proof.n_leaves)) return std::nullopt;

    const std::uint64_t count = read_count(in);
    if (!in.ok() || count > indices.size()) return std::nullopt;
    std::vector<std::vector<Digest>> lists(count);
    for (std::vector<Digest>& list : lists) list = in.digests(read_count(in));
    if (!in.ok() || in.left() != 0) return std::nullopt;

    // Every node of every list must be a sibling.
    std::vector<std::size_t> used(lists.size());
    bool fits = true;
    const std::size_t needed = walk_lists(proof.n_leaves, proof.indices, [&](std::size_t list) {
        fits = fits && list < lists.size() && used[list] < lists[list].size();
        if (fits) proof.siblings.push_back(lists[list][used[list]++]);
    });
    if (!fits || needed != lists.size()) return std::nullopt;
    for (std::size_t i = 0; i < lists.size(); i++) {
        if (used[i] != lists[i].size()) return std::nullopt;
    }
    return proof;
} catch (...) {  // no memory
    return std::nullopt;
}

}  // namespace merklize::inline v0

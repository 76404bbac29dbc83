#include "proofs/bytes.hpp"

#include <algorithm>
#include <string>

#include "hashes/hash_info.hpp"
#include "host/invalid.hpp"
#include "merklize/proof.hpp"
#include "proofs/shape.hpp"

// docs/layouts.md describes these bytes one by one. A reader accepts only what a writer makes: a count that follows
// from the others is not written, and every number has one canonical form.

namespace merklize::inline v0 {
namespace {

using runtime::ProofReader;
using runtime::ProofWriter;

constexpr char magic[4] = {'M', 'K', 'Z', 'P'};
constexpr std::uint8_t format_version = 2;
constexpr std::size_t header_bytes = 16;
constexpr std::size_t at_rule = 6;
enum class Kind : std::uint8_t { single = 0, several = 1, consistency = 2 };

void write_header(ProofWriter& out, Hash hash, TreeRule rule, Kind kind, std::uint64_t n_leaves) {
    const runtime::GivenHash* given = runtime::find_given(hash);
    out.append(magic, sizeof magic);
    out.u8(format_version);
    out.u8(given != nullptr ? runtime::named_by_digest : static_cast<std::uint8_t>(hash));
    out.u8(static_cast<std::uint8_t>(rule));
    out.u8(static_cast<std::uint8_t>(kind));
    out.u64(n_leaves);
    if (given != nullptr) out.digests({&given->digest, 1});
}

struct Header {
    Hash hash;
    TreeRule rule;
    std::uint64_t n_leaves;
};

Header read_header(ProofReader& in, Kind kind) {
    const auto start = in.take(sizeof magic);
    if (start.empty() || std::memcmp(start.data(), magic, sizeof magic) != 0) in.refuse();
    if (in.u8() != format_version) in.refuse();
    Header header{};
    const std::uint8_t id = in.u8();
    header.hash = static_cast<Hash>(id);
    header.rule = static_cast<TreeRule>(in.u8());
    if (in.u8() != static_cast<std::uint8_t>(kind)) in.refuse();
    header.n_leaves = in.u64();
    if (id >= runtime::first_given) {  // a hash of a caller's constants, which the next bytes name
        const auto digest = in.digests(1);
        const runtime::GivenHash* given = digest.empty() ? nullptr : runtime::given_by_digest(digest[0]);
        if (id != runtime::named_by_digest || given == nullptr)
            in.refuse();
        else
            header.hash = given->traits.hash;
    }
    if (!runtime::is_listed(header.hash) || !runtime::is_tree(header.n_leaves, header.rule)) in.refuse();
    return header;
}

/// Whether these bytes begin like a proof. If so, `id` gets the number of the hash.
bool begins_as_proof(std::span<const std::byte> bytes, std::uint8_t& id) noexcept {
    ProofReader in(bytes.first(std::min(bytes.size(), header_bytes)));
    const auto start = in.take(sizeof magic);
    const std::uint8_t version = in.u8();
    id = in.u8();
    in.take(header_bytes - at_rule);
    return in.ok() && std::memcmp(start.data(), magic, sizeof magic) == 0 && version == format_version;
}

/// Whether all bytes were read, without a fault.
bool done(const ProofReader& in) noexcept { return in.ok() && in.left() == 0; }

/// Throws for a proof that from_bytes() would refuse.
void require(bool fits, const std::string& what, Hash hash, TreeRule rule, std::uint64_t n_leaves,
             std::uint64_t siblings) {
    if (fits && runtime::is_listed(hash)) return;
    invalid_call("there is no such proof: hash " + std::to_string(static_cast<unsigned>(hash)) + ", rule " +
                 std::to_string(static_cast<unsigned>(rule)) + ", " + std::to_string(n_leaves) + " leaves, " + what +
                 ", " + std::to_string(siblings) + " other nodes");
}

struct Run {
    std::uint64_t gap, length;
};

/// Cuts indices into runs of neighbours: the number of indices that are left out before each run, and its length.
std::vector<Run> runs_of(std::span<const std::uint64_t> indices) {
    std::vector<Run> runs;
    std::uint64_t end = 0;
    for (const std::uint64_t index : indices) {
        if (runs.empty() || index != end) runs.push_back({index - end, 0});
        runs.back().length++;
        end = index + 1;
    }
    return runs;
}

/// Refuses more indices than the remaining bytes can hold leaves, so that a short input never takes much memory.
std::vector<std::uint64_t> read_indices(ProofReader& in, std::uint64_t n_leaves) {
    std::vector<std::uint64_t> indices;
    const std::uint64_t runs = in.leb128();
    std::uint64_t end = 0;
    for (std::uint64_t run = 0; run < runs && in.ok(); run++) {
        const std::uint64_t gap = in.leb128(), length = in.leb128();
        if ((run != 0 && gap == 0) || length == 0 || gap > n_leaves - end || length > n_leaves - end - gap ||
            length > in.left() / Digest::size || indices.size() > in.left() / Digest::size - length) {
            in.refuse();
            break;
        }
        end += gap;
        for (std::uint64_t i = 0; i < length; i++) indices.push_back(end++);
    }
    return indices;
}

}  // namespace

std::string unknown_hash_of_proof(ByteView bytes) {
    std::uint8_t id = 0;
    if (!begins_as_proof(bytes, id)) return {};
    if (id != runtime::named_by_digest)
        return runtime::is_listed(static_cast<Hash>(id)) && id < runtime::first_given
                   ? std::string()
                   : "its hash has the number " + std::to_string(id) + ", which no hash here has";
    ProofReader in(bytes.subspan(header_bytes));
    const std::vector<Digest> digest = in.digests(1);
    if (digest.empty() || runtime::given_by_digest(digest[0]) != nullptr) return {};
    return "its hash is made of " + runtime::unknown_constants(digest[0].hex());
}

std::vector<std::byte> MerkleProof::to_bytes() const {
    const PublicCall entry("to_bytes");
    require(runtime::siblings_of(n_leaves, rule, index) == siblings.size(), "index " + std::to_string(index), hash,
            rule, n_leaves, siblings.size());
    ProofWriter out(header_bytes + 8 + Digest::size * (1 + siblings.size()));
    write_header(out, hash, rule, Kind::single, n_leaves);
    out.u64(index);
    out.digests({&leaf, 1});
    out.digests(siblings);
    return out.take();
}

std::optional<MerkleProof> MerkleProof::from_bytes(ByteView bytes) noexcept try {
    ProofReader in(bytes);
    const Header header = read_header(in, Kind::single);
    const std::uint64_t index = in.u64();
    const auto siblings = runtime::siblings_of(header.n_leaves, header.rule, index);
    if (!in.ok() || !siblings) return std::nullopt;
    MerkleProof proof{header.hash, header.rule, header.n_leaves, index};
    const auto leaf = in.digests(1);
    proof.siblings = in.digests(*siblings);
    if (!done(in)) return std::nullopt;
    proof.leaf = leaf[0];
    return proof;
} catch (...) {  // no memory
    return std::nullopt;
}

std::vector<std::byte> MultiProof::to_bytes() const {
    const PublicCall entry("to_bytes");
    require(leaves.size() == indices.size() && runtime::siblings_of(n_leaves, rule, indices) == siblings.size(),
            std::to_string(indices.size()) + " indices, " + std::to_string(leaves.size()) + " of their leaves", hash,
            rule, n_leaves, siblings.size());
    const std::vector<Run> runs = runs_of(indices);
    ProofWriter out(header_bytes + 8 * (1 + runs.size()) + Digest::size * (leaves.size() + siblings.size()));
    write_header(out, hash, rule, Kind::several, n_leaves);
    out.leb128(runs.size());
    for (const Run& run : runs) {
        out.leb128(run.gap);
        out.leb128(run.length);
    }
    out.digests(leaves);
    out.digests(siblings);
    return out.take();
}

std::optional<MultiProof> MultiProof::from_bytes(ByteView bytes) noexcept try {
    ProofReader in(bytes);
    const Header header = read_header(in, Kind::several);
    if (!in.ok()) return std::nullopt;
    MultiProof proof{header.hash, header.rule, header.n_leaves, read_indices(in, header.n_leaves)};
    proof.leaves = in.digests(proof.indices.size());
    if (!in.ok()) return std::nullopt;
    const auto siblings = runtime::siblings_of(proof.n_leaves, proof.rule, proof.indices);
    if (!siblings) return std::nullopt;
    proof.siblings = in.digests(*siblings);
    if (!done(in)) return std::nullopt;
    return proof;
} catch (...) {  // no memory
    return std::nullopt;
}

std::vector<std::byte> ConsistencyProof::to_bytes() const {
    const PublicCall entry("to_bytes");
    require(runtime::consistency_nodes(old_leaves, new_leaves) == nodes.size(),
            std::to_string(old_leaves) + " of them old", hash, TreeRule::left_full, new_leaves, nodes.size());
    ProofWriter out(header_bytes + 8 + Digest::size * nodes.size());
    write_header(out, hash, TreeRule::left_full, Kind::consistency, new_leaves);
    out.u64(old_leaves);
    out.digests(nodes);
    return out.take();
}

std::optional<ConsistencyProof> ConsistencyProof::from_bytes(ByteView bytes) noexcept try {
    ProofReader in(bytes);
    const Header header = read_header(in, Kind::consistency);
    const std::uint64_t old_leaves = in.u64();
    const auto nodes = runtime::consistency_nodes(old_leaves, header.n_leaves);
    if (!in.ok() || !nodes || header.rule != TreeRule::left_full) return std::nullopt;
    ConsistencyProof proof{header.hash, old_leaves, header.n_leaves};
    proof.nodes = in.digests(*nodes);
    if (!done(in)) return std::nullopt;
    return proof;
} catch (...) {  // no memory
    return std::nullopt;
}

}  // namespace merklize::inline v0

// Proofs: their contents, their bytes, and verification.
#include <algorithm>
#include <optional>

#include "c_api/calls.hpp"
#include "c_api/new_proof.hpp"

using namespace merklize::c_api;
using merklize::ConsistencyProof;
using merklize::Digest;
using merklize::Expect;
using merklize::Hash;
using merklize::MerkleProof;
using merklize::Mode;
using merklize::MultiProof;
using merklize::Roots;

namespace {

using AnyProof = decltype(merklize_proof::value);

struct Contents {
    merklize_proof_info info;
    std::span<const std::uint64_t> indices;
    std::span<const Digest> leaves, siblings;
};

Contents contents_of(const MerkleProof& proof) {
    return {{.kind = MERKLIZE_PROOF_SINGLE,
             .hash = to_c(proof.hash),
             .rule = to_c(proof.rule),
             .n_leaves = proof.n_leaves,
             .old_leaves = 0,
             .leaves = 1,
             .siblings = proof.siblings.size()},
            {&proof.index, 1},
            {&proof.leaf, 1},
            proof.siblings};
}

Contents contents_of(const MultiProof& proof) {
    return {{.kind = MERKLIZE_PROOF_MULTI,
             .hash = to_c(proof.hash),
             .rule = to_c(proof.rule),
             .n_leaves = proof.n_leaves,
             .old_leaves = 0,
             .leaves = proof.leaves.size(),
             .siblings = proof.siblings.size()},
            proof.indices,
            proof.leaves,
            proof.siblings};
}

Contents contents_of(const ConsistencyProof& proof) {
    return {{.kind = MERKLIZE_PROOF_CONSISTENCY,
             .hash = to_c(proof.hash),
             .rule = MERKLIZE_RULE_LEFT_FULL,
             .n_leaves = proof.new_leaves,
             .old_leaves = proof.old_leaves,
             .leaves = 0,
             .siblings = proof.nodes.size()},
            {},
            {},
            proof.nodes};
}

Contents contents_of(const AnyProof& proof) {
    return std::visit([](const auto& any) { return contents_of(any); }, proof);
}

merklize::Hash hash_of(const AnyProof& proof) {
    return std::visit([](const auto& any) { return any.hash; }, proof);
}

// The mode is checked whatever the proof is.
Mode mode_of(const Call& call, const merklize_mode* mode, const std::optional<AnyProof>& proof) {
    return call.mode(mode, proof ? hash_of(*proof) : Hash::blake2s, merklize::runtime::claimed_mode);
}

// Whether a proof of leaves is valid; false for any other proof.
bool shows_leaves(const AnyProof& proof, const Digest& root, const Expect& expect, const Mode& mode) {
    if (const auto* single = std::get_if<MerkleProof>(&proof)) return merklize::verify(*single, root, expect, mode);
    const auto* several = std::get_if<MultiProof>(&proof);
    return several != nullptr && merklize::verify(*several, root, expect, mode);
}

// Whether a proof of consistency is valid; false for any other proof.
bool shows_consistency(const AnyProof& proof, const Roots& roots, const Mode& mode) {
    const auto* consistency = std::get_if<ConsistencyProof>(&proof);
    return consistency != nullptr && merklize::verify(*consistency, roots, mode);
}

Roots roots_of(const Call& call, const merklize_digest* old_root, const merklize_digest* new_root) {
    return {.old_root = from_c(call.need(old_root, "old_root")), .new_root = from_c(call.need(new_root, "new_root"))};
}

std::optional<AnyProof> proof_from(std::span<const std::byte> bytes) {
    if (auto proof = MerkleProof::from_bytes(bytes)) return *std::move(proof);
    if (auto proof = MultiProof::from_bytes(bytes)) return *std::move(proof);
    if (auto proof = ConsistencyProof::from_bytes(bytes)) return *std::move(proof);
    return std::nullopt;
}

}  // namespace

merklize_status merklize_proof_get_info(const merklize_proof* proof, merklize_proof_info* info) {
    return run("merklize_proof_get_info",
               [&](const Call& call) { call.need(info, "info") = contents_of(call.need(proof, "proof").value).info; });
}

merklize_status merklize_proof_read(const merklize_proof* proof, uint64_t* indices, merklize_digest* leaves,
                                    merklize_digest* siblings) {
    return run("merklize_proof_read", [&](const Call& call) {
        const Contents contents = contents_of(call.need(proof, "proof").value);
        if (indices != nullptr) std::ranges::copy(contents.indices, indices);
        if (leaves != nullptr) std::ranges::transform(contents.leaves, leaves, [](const Digest& d) { return to_c(d); });
        if (siblings != nullptr)
            std::ranges::transform(contents.siblings, siblings, [](const Digest& d) { return to_c(d); });
    });
}

merklize_status merklize_proof_to_bytes(const merklize_proof* proof, uint8_t* bytes, size_t capacity, size_t* length) {
    return run("merklize_proof_to_bytes", [&](const Call& call) {
        const AnyProof& value = call.need(proof, "proof").value;
        call.put_bytes(std::visit([](const auto& any) { return any.to_bytes(); }, value), bytes, capacity, length);
    });
}

merklize_status merklize_proof_from_bytes(const uint8_t* bytes, size_t length, merklize_proof** proof) {
    return run("merklize_proof_from_bytes", [&](const Call& call) {
        merklize_proof*& out = call.result(proof, "proof");
        std::optional<AnyProof> made = proof_from(call.bytes(static_cast<const void*>(bytes), length, "bytes"));
        if (!made) {
            const std::string hash = merklize::unknown_hash_of_proof(call.bytes(bytes, length, "bytes"));
            call.invalid("the " + std::to_string(length) + " bytes are not a proof of docs/layouts.md" +
                         (hash.empty() ? hash : ": " + hash));
        }
        out = new merklize_proof{*std::move(made)};
    });
}

merklize_status merklize_proof_to_winterfell(const merklize_proof* proof, uint8_t* bytes, size_t capacity,
                                             size_t* length) {
    return run("merklize_proof_to_winterfell", [&](const Call& call) {
        const auto* several = std::get_if<MultiProof>(&call.need(proof, "proof").value);
        if (several == nullptr) call.invalid("the proof must be one of several leaves (MERKLIZE_PROOF_MULTI)");
        call.put_bytes(merklize::to_winterfell(*several), bytes, capacity, length);
    });
}

merklize_status merklize_proof_from_winterfell(const uint8_t* bytes, size_t length, merklize_hash_id hash,
                                               const uint64_t* indices, const merklize_digest* leaves, size_t count,
                                               merklize_proof** proof) {
    return run("merklize_proof_from_winterfell", [&](const Call& call) {
        merklize_proof*& out = call.result(proof, "proof");
        std::optional<MultiProof> made =
            merklize::from_winterfell(call.bytes(static_cast<const void*>(bytes), length, "bytes"), call.hash(hash),
                                      call.items(indices, count, "indices"), call.digests(leaves, count, "leaves"));
        if (!made) {
            call.invalid("the " + std::to_string(length) + " bytes are not Winterfell's proof of these " +
                         std::to_string(count) + " leaves");
        }
        out = new_proof(*std::move(made));
    });
}

void merklize_proof_free(merklize_proof* proof) { delete proof; }

merklize_status merklize_proof_verify(const merklize_proof* proof, const merklize_digest* root,
                                      const merklize_expect* expect, const merklize_mode* mode, int* valid) {
    return run("merklize_proof_verify", [&](const Call& call) {
        int& out = call.result(valid, "valid");
        const AnyProof& value = call.need(proof, "proof").value;
        if (std::holds_alternative<ConsistencyProof>(value)) {
            call.invalid(
                "the proof is of consistency and has two roots; call "
                "merklize_proof_verify_consistency(proof, old_root, new_root, ...)");
        }
        const Digest known = from_c(call.need(root, "root"));
        out = shows_leaves(value, known, call.expect(expect), mode_of(call, mode, value)) ? 1 : 0;
    });
}

merklize_status merklize_verify(const uint8_t* bytes, size_t length, const merklize_digest* root,
                                const merklize_expect* expect, const merklize_mode* mode, int* valid) {
    return run("merklize_verify", [&](const Call& call) {
        int& out = call.result(valid, "valid");
        const Digest known = from_c(call.need(root, "root"));
        const Expect expected = call.expect(expect);
        const std::optional<AnyProof> proof = proof_from(call.bytes(static_cast<const void*>(bytes), length, "bytes"));
        const Mode by = mode_of(call, mode, proof);
        out = proof && shows_leaves(*proof, known, expected, by) ? 1 : 0;
    });
}

merklize_status merklize_proof_verify_consistency(const merklize_proof* proof, const merklize_digest* old_root,
                                                  const merklize_digest* new_root, const merklize_mode* mode,
                                                  int* valid) {
    return run("merklize_proof_verify_consistency", [&](const Call& call) {
        int& out = call.result(valid, "valid");
        const AnyProof& value = call.need(proof, "proof").value;
        if (!std::holds_alternative<ConsistencyProof>(value))
            call.invalid("the proof is of leaves and has one root; call merklize_proof_verify(proof, root, ...)");
        out = shows_consistency(value, roots_of(call, old_root, new_root), mode_of(call, mode, value)) ? 1 : 0;
    });
}

merklize_status merklize_verify_consistency(const uint8_t* bytes, size_t length, const merklize_digest* old_root,
                                            const merklize_digest* new_root, const merklize_mode* mode, int* valid) {
    return run("merklize_verify_consistency", [&](const Call& call) {
        int& out = call.result(valid, "valid");
        const Roots roots = roots_of(call, old_root, new_root);
        const std::optional<AnyProof> proof = proof_from(call.bytes(static_cast<const void*>(bytes), length, "bytes"));
        const Mode by = mode_of(call, mode, proof);
        out = proof && shows_consistency(*proof, roots, by) ? 1 : 0;
    });
}

merklize_status merklize_verify_each(const merklize_proof* const* proofs, size_t count, const merklize_digest* root,
                                     const merklize_mode* mode, uint8_t* valid, const merklize_run_options* options) {
    return run("merklize_verify_each", [&](const Call& call) {
        const Options run(call, options);
        const auto out = call.items(valid, count, "valid");
        std::vector<MerkleProof> given;
        given.reserve(count);
        for (const merklize_proof* proof : call.items(proofs, count, "proofs")) {
            const auto* single = std::get_if<MerkleProof>(&call.need(proof, "a proof").value);
            if (single == nullptr) {
                call.invalid("each proof must be one of one leaf (MERKLIZE_PROOF_SINGLE), but proof " +
                             std::to_string(given.size()) + " is not");
            }
            given.push_back(*single);
        }
        const Mode by = call.mode(mode, given.empty() ? Hash::blake2s : given[0].hash, merklize::runtime::claimed_mode);
        std::ranges::copy(merklize::verify_each(given, from_c(call.need(root, "root")), by, run.get()), out.begin());
        run.finish();
    });
}

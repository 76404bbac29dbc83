#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include <nanobind/nanobind.h>
#include <merklize/merklize.hpp>

#include "run.hpp"

namespace merklize::binding {

/// A list with one proof for each index. make(indices) gives the proofs of up to `piece` of them; Ctrl-C is handled
/// between the pieces.
template <class Make>
nb::list prove_in_pieces(std::span<const std::uint64_t> indices, std::size_t piece, Make&& make) {
    nb::list result;
    do {
        const auto some = indices.first(std::min(piece, indices.size()));
        std::vector<MerkleProof> proofs;
        Run::without_gil([&] { proofs = make(some); });
        for (MerkleProof& proof : proofs) result.append(nb::cast(std::move(proof)));
        check_signals();
        indices = indices.subspan(some.size());
    } while (!indices.empty());
    return result;
}

}  // namespace merklize::binding

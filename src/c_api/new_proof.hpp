#pragma once

#include <utility>

#include "c_api/handles.hpp"

namespace merklize::c_api {

/// A handle of any kind of proof.
template <class Proof>
merklize_proof* new_proof(Proof proof) {
    return new merklize_proof{std::move(proof)};
}

}  // namespace merklize::c_api

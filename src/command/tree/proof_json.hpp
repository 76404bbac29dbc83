#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "merklize/proof.hpp"

namespace merklize::command {

/// A proof of any kind.
using AnyProof = std::variant<MerkleProof, MultiProof, ConsistencyProof>;

/// The JSON of a proof: its fields in this order, digests as hexadecimal text, behind a "format" that names kind and version.
std::string proof_json(const AnyProof& proof);
std::vector<std::byte> proof_bytes(const AnyProof& proof);

/// Reads what proof_json() or proof_bytes() gives, and nothing else.
/// errors  Failure (it is no proof, and why); Error (counts that do not fit)
AnyProof proof_from_json(std::string_view text);
AnyProof proof_from_bytes(std::span<const std::byte> bytes);

}  // namespace merklize::command

#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "merklize/proof.hpp"

namespace merklize::command {

/// A proof of any kind.
using AnyProof = std::variant<MerkleProof, MultiProof, ConsistencyProof>;

/// The JSON of a proof: a "format" that names kind and version, then the fields in the order of the struct, with
/// hexadecimal digests.
std::string proof_json(const AnyProof& proof);
std::vector<std::byte> proof_bytes(const AnyProof& proof);

/// Parses the output of proof_json() or proof_bytes(), and nothing else. Whether counts fit is not checked.
/// kind    the format that the text must have; empty: that of any proof
/// errors  invalid_argument (the text says why it is not a proof)
AnyProof proof_from_json(std::string_view text, std::string_view kind = {});
AnyProof proof_from_bytes(std::span<const std::byte> bytes);

}  // namespace merklize::command

#pragma once

#include "merklize/tree_file.hpp"

namespace merklize::runtime {

/// Refuses a proof that was made from a tree file and does not lead to its root, because the file is damaged. A keyed
/// tree is checked only with its key.
/// errors  io
void require_fit(const TreeFile& tree, const MerkleProof& proof);
void require_fit(const TreeFile& tree, const MultiProof& proof);
void require_fit(const TreeFile& tree, const ConsistencyProof& proof);

}  // namespace merklize::runtime

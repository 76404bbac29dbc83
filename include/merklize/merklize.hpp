#pragma once

/// The whole host API. Begin with hash(), hash_file() and Hasher (hash.hpp), MerkleTree (tree.hpp), TreeFile and
/// build_tree_file() (tree_file.hpp), verify() (proof.hpp), devices() (device.hpp). The portable core for device code
/// is in merklize/core/ and is included separately, as is sycl.hpp.

// digests
#include <merklize/digest.hpp>
#include <merklize/hash.hpp>
#include <merklize/hash_each.hpp>
#include <merklize/pieces.hpp>

// trees, files of trees, proofs
#include <merklize/proof.hpp>
#include <merklize/tree.hpp>
#include <merklize/tree_builder.hpp>
#include <merklize/tree_file.hpp>
#include <merklize/tree_form.hpp>

// where and how calls run
#include <merklize/async.hpp>
#include <merklize/buffer.hpp>
#include <merklize/device.hpp>
#include <merklize/error.hpp>
#include <merklize/policy.hpp>
#include <merklize/version.hpp>

// provers
#include <merklize/constraints.hpp>
#include <merklize/extend.hpp>
#include <merklize/matrix.hpp>
#include <merklize/matrix_commitment.hpp>
#include <merklize/poseidon.hpp>

// formats of others, streaming, weights
#include <merklize/bao.hpp>
#include <merklize/dm_verity.hpp>
#include <merklize/file_formats.hpp>
#include <merklize/formats.hpp>
#include <merklize/manifest.hpp>
#include <merklize/openzeppelin.hpp>
#include <merklize/piece_cid.hpp>
#include <merklize/tiles.hpp>
#include <merklize/xet.hpp>
#include <merklize/xmss.hpp>

#pragma once

/// The whole host API. The portable core for device code is in merklize/core/ and is included separately.

#include <merklize/async.hpp>
#include <merklize/bao.hpp>
#include <merklize/buffer.hpp>
#include <merklize/device.hpp>
#include <merklize/digest.hpp>
#include <merklize/error.hpp>
#include <merklize/file_formats.hpp>
#include <merklize/formats.hpp>
#include <merklize/hash.hpp>
#include <merklize/hash_each.hpp>
#include <merklize/manifest.hpp>
#include <merklize/matrix.hpp>
#include <merklize/matrix_commitment.hpp>
#include <merklize/openzeppelin.hpp>
#include <merklize/pieces.hpp>
#include <merklize/policy.hpp>
#include <merklize/poseidon2.hpp>
#include <merklize/proof.hpp>
#include <merklize/tree.hpp>
#include <merklize/tree_builder.hpp>
#include <merklize/tree_file.hpp>
#include <merklize/tree_form.hpp>
#include <merklize/version.hpp>
#include <merklize/xet.hpp>

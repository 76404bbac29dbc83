"""BLAKE3 digests and whole binary Merkle trees, fast on every core and on GPUs.

>>> import merklize
>>> merklize.hash(b"abc").hex()[:16]
'6437b3ac38465133'

`hash`, `hash_file`, `hash_files`, `Hasher`      BLAKE3, SHA-256 ... of bytes, arrays and files
`blake3`                                         a drop-in for the package blake3
`hash_each`                                      many messages of any lengths, a state dict
`hash_rows`                                      rows of bytes or field elements: arrays, matrices side by side
`merge`                                          2-to-1
`poseidon2`                                      a hash of a prover's own constants
`hash_leaves`                                    messages to leaves of a tree
`MatrixCommitment`                               trees over matrices, as provers commit to them
`verify_matrix_opening`                          whether rows are in such a commitment
`MerkleTree`, `MerkleForest`                     a tree of any count of leaves; many small ones at once
`merkle_root`, `build_tree`, `TreeBuilder`       the root alone; a tree in memory of yours; leaves in pieces
`TreeFile`, `TreeWriter`, `build_tree_file`      trees in files
`merkle_root_file`, `TreeFacts`                  the root of a file's tree; what was built
`MerkleProof`, `MultiProof`, `ConsistencyProof`  of one leaf, of several, of an older tree
`verify`, `verify_each`                          whether a proof holds
`hash_parts`, `merkle_root_parts`                of data that lies on several devices
`manifest`, `Manifest`, `check_model`            weights, tensor by tensor, under one root; loaded models against it
`signing`                                        hashers for OpenSSF's model-signing: merklize[signing]
`bao`                                            parts of a file, verified as they come: bao's and bao-tree's bytes
`stores`                                         how URLs are read: merklize[s3], [gcs], [http]
`ray`                                            the same work on a cluster: merklize[ray]
`formats`                                        trees that other systems verify: Bitcoin, Ethereum, fs-verity ...
`devices`, `why_unavailable`                     what can run here
`DeviceArray`                                    what stays on a device
`tuning`                                         for experts: policies, times, what device="auto" goes by
"""

from typing import TYPE_CHECKING, Any

from . import _native, tuning
from ._native import DeviceArray, TreeFacts
from ._poseidon2 import poseidon2
from .device import DeviceInfo, devices, why_unavailable
from .each import hash_each
from .errors import Cancelled, Error, FileError, InternalError, InvalidArgument, Mismatch, OutOfMemory, Unavailable
from .forest import MerkleForest
from .hashing import HASHES, Hasher, hash, hash_file, hash_files, hash_leaves, merge
from .matrices import MatrixCommitment, MatrixMultiOpening, MatrixOpening, hash_rows, verify_matrix_opening
from .parts import hash_parts, merkle_root_parts
from .proof import ConsistencyProof, MerkleProof, MultiProof, verify, verify_each
from .tree import MerkleTree, build_tree, heap_slots, merkle_root
from .tree_file import TreeBuilder, TreeFile, TreeWriter, build_tree_file, merkle_root_file

if TYPE_CHECKING:
    from . import bao, formats
    from .manifests import Manifest, check_model, manifest

__version__: str = _native.version()

__all__ = [
    "HASHES",
    "Cancelled",
    "ConsistencyProof",
    "DeviceArray",
    "DeviceInfo",
    "Error",
    "FileError",
    "Hasher",
    "InternalError",
    "InvalidArgument",
    "Manifest",
    "MatrixCommitment",
    "MatrixMultiOpening",
    "MatrixOpening",
    "MerkleForest",
    "MerkleProof",
    "MerkleTree",
    "Mismatch",
    "MultiProof",
    "OutOfMemory",
    "TreeBuilder",
    "TreeFacts",
    "TreeFile",
    "TreeWriter",
    "Unavailable",
    "__version__",
    "bao",
    "build_tree",
    "build_tree_file",
    "check_model",
    "devices",
    "formats",
    "hash",
    "hash_each",
    "hash_file",
    "hash_files",
    "hash_leaves",
    "hash_parts",
    "hash_rows",
    "heap_slots",
    "manifest",
    "merge",
    "merkle_root",
    "merkle_root_file",
    "merkle_root_parts",
    "poseidon2",
    "tuning",
    "verify",
    "verify_each",
    "verify_matrix_opening",
    "why_unavailable",
]


def __getattr__(name: str) -> Any:
    """Import what few programs need when it is first used: `formats` needs NumPy, which is slow to import."""
    import importlib

    if name in ("bao", "blake3", "formats", "manifests", "ray", "signing", "stores"):
        return importlib.import_module(f".{name}", __name__)
    if name in ("Manifest", "check_model", "manifest"):
        return getattr(importlib.import_module(".manifests", __name__), name)
    if name in ("hash_many", "hash_elements"):
        hint = "hash_rows() hashes rows of one length, hash_each() messages of any lengths"
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}: {hint}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

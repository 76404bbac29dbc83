"""BLAKE3 digests and whole binary Merkle trees, fast on every core and on GPUs.

>>> import merklize
>>> merklize.hash(b"abc").hex()[:16]
'6437b3ac38465133'

To begin with:
`hash`, `hash_file`, `Hasher`                    BLAKE3, SHA-256 ... of bytes, arrays, tensors and files
`MerkleTree`                                     a tree of any number of leaves, and its proofs
`TreeFile`, `build_tree_file`                    a tree in a file, larger than memory
`verify`                                         whether a proof holds
`devices`                                        what can run here

More:
`hash_each`, `hash_files`                        many messages, many files, a state dict
`hash_rows`, `hash_leaves`                       rows of bytes or field elements; messages as leaves of a tree
`merge`                                          the 2-to-1 hash
`merkle_root`, `merkle_root_file`, `TreeFacts`   the root alone
`TreeBuilder`, `TreeWriter`, `build_tree`        leaves that come one after another; a tree in memory of yours
`MerkleForest`                                   many small trees at once
`MerkleProof`, `MultiProof`, `ConsistencyProof`  of one leaf, of several, of an older tree
`verify_each`                                    many proofs at once
`manifest`, `Manifest`, `check_model`            weights, tensor by tensor, under one root; loaded models against it
`DeviceArray`, `DeviceInfo`, `why_unavailable`   what stays on a device; what a device is, or why it is not there

Modules:
`prover`     commitments to matrices, and hashes of a prover's own constants
`formats`    trees that other systems verify: Bitcoin, Ethereum, fs-verity ...
`bao`        parts of a file, verified as they come: bao's and bao-tree's bytes
`manifests`  what a manifest of weights is made of
`sharded`    one root for a model, however it is sharded
`parts`      data that lies on several devices
`xmss`       keys of Ethereum's XMSS: trees that sign
`blake3`     a drop-in for the package blake3
`signing`    hashers for OpenSSF's model-signing: merklize[signing]
`stores`     how URLs are read: merklize[s3], [gcs], [http]
`ray`        the same work on a cluster: merklize[ray]
`tuning`     for experts: policies, times, what device="auto" goes by
`extensions` for packages that stand on this one
"""

from typing import TYPE_CHECKING, Any

from . import _native, tuning
from ._native import DeviceArray, TreeFacts
from .device import DeviceInfo, devices, why_unavailable
from .each import hash_each
from .errors import Cancelled, Error, FileError, InternalError, InvalidArgument, Mismatch, OutOfMemory, Unavailable
from .forest import MerkleForest
from .hashing import HASHES, Hasher, hash, hash_file, hash_files, hash_leaves, merge
from .proof import ConsistencyProof, MerkleProof, MultiProof, verify, verify_each
from .rows import hash_rows
from .tree import MerkleTree, build_tree, merkle_root
from .tree_file import TreeBuilder, TreeFile, TreeWriter, build_tree_file, merkle_root_file

if TYPE_CHECKING:
    from . import bao, formats, parts, prover
    from . import blake3 as blake3
    from . import extensions as extensions
    from . import manifests as manifests
    from . import sharded as sharded
    from . import signing as signing
    from . import stores as stores
    from . import xmss as xmss
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
    "hash_rows",
    "manifest",
    "merge",
    "merkle_root",
    "merkle_root_file",
    "parts",
    "prover",
    "tuning",
    "verify",
    "verify_each",
    "why_unavailable",
]

# Imported at their first use: NumPy, which `formats` needs, and the extras are slow to import.
_MODULES = (
    "bao",
    "blake3",
    "extensions",
    "formats",
    "manifests",
    "parts",
    "prover",
    "ray",
    "sharded",
    "signing",
    "stores",
    "xmss",
)
_OF_MANIFESTS = ("Manifest", "check_model", "manifest")
# Modules whose names a user may expect at the top. They need no extra, and are imported for an error's text.
_SEARCHED = ("bao", "extensions", "formats", "manifests", "parts", "prover", "sharded", "tuning", "xmss")


def __getattr__(name: str) -> Any:
    import importlib

    if name in _MODULES:
        try:
            return importlib.import_module(f".{name}", __name__)
        except ImportError as error:  # of an extra that is not installed: help() and inspect pass over such a name
            raise AttributeError(str(error)) from error
    if name in _OF_MANIFESTS:
        return getattr(importlib.import_module(".manifests", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}{_hint(name)}")


def _hint(name: str) -> str:
    """Return where a name is that the top does not have, or which one was perhaps meant."""
    import difflib
    import importlib

    if name.startswith("_"):  # others look for such names: inspect, doctest, pickle
        return ""
    for module in _SEARCHED:
        if name in importlib.import_module(f".{module}", __name__).__all__:
            return f": it is {__name__}.{module}.{name}"
    close = difflib.get_close_matches(name, __dir__(), 3)
    return f"; did you mean {' or '.join(map(repr, close))}?" if close else ""


def __dir__() -> list[str]:
    return sorted({*__all__, *_MODULES})

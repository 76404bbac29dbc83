"""BLAKE3 digests and whole binary Merkle trees, fast on every core and on GPUs.

>>> import merklize
>>> merklize.hash(b"abc").hex()[:16]
'6437b3ac38465133'

`hash`, `hash_file`, `hash_files`, `Hasher`      BLAKE3 of bytes, arrays and files
`hash_many`, `hash_elements`, `merge`            many at once; Rescue Prime; 2-to-1
`MerkleTree`, `TreeFile`                         trees in memory and in files
`hash_parts`, `merkle_root_parts`                of data that lies on several devices
`merkle_root`, `build_tree`                      the root alone; a tree in memory of yours
`MerkleProof`, `verify`                          proofs of single leaves
`devices`, `why_unavailable`                     what can run here
`calibrate`, `calibration`                       measures it, so that device="auto" chooses well
`DeviceArray`, `Timings`                         what stays on a device; how long it took there
"""

from . import _native
from ._native import DeviceArray, Hasher, Timings
from .device import Cost, DeviceInfo, calibrate, calibration, devices, why_unavailable
from .errors import Cancelled, Error, FileError, InternalError, InvalidArgument, OutOfMemory, Unavailable
from .hashing import HASHES, hash, hash_elements, hash_file, hash_files, hash_many, merge
from .parts import hash_parts, merkle_root_parts
from .proof import MerkleProof, verify
from .tree import MerkleTree, build_tree, merkle_root
from .tree_file import TreeFile

__version__: str = _native.version()

__all__ = [
    "HASHES",
    "Cancelled",
    "Cost",
    "DeviceArray",
    "DeviceInfo",
    "Error",
    "FileError",
    "Hasher",
    "InternalError",
    "InvalidArgument",
    "MerkleProof",
    "MerkleTree",
    "OutOfMemory",
    "Timings",
    "TreeFile",
    "Unavailable",
    "__version__",
    "build_tree",
    "calibrate",
    "calibration",
    "devices",
    "hash",
    "hash_elements",
    "hash_file",
    "hash_files",
    "hash_many",
    "hash_parts",
    "merge",
    "merkle_root",
    "merkle_root_parts",
    "verify",
    "why_unavailable",
]

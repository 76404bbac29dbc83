"""Manifests of weights: the digests of tensors and files under one root. docs/manifest-format.md has the format.

`merklize.manifest()` makes them, `merklize.check_model()` and `Manifest.check()` check. `find_weights()` finds the
files of a folder, and `manifest_of_store()` makes the manifest of files that other code reads and hashes.
"""

from ..errors import Mismatch
from ._entries import LEAF_CONTEXT, Difference, File, Report, Seen, Shard, Tensor, TileDifference
from ._manifest import (
    PIECE_SIZE,
    Manifest,
    Refreshed,
    Weights,
    check_model,
    find_weights,
    manifest,
    manifest_of_store,
    require_piece_size,
)
from ._verity import VerityImage

__all__ = [
    "LEAF_CONTEXT",
    "PIECE_SIZE",
    "Difference",
    "File",
    "Manifest",
    "Mismatch",
    "Refreshed",
    "Report",
    "Seen",
    "Shard",
    "Tensor",
    "TileDifference",
    "VerityImage",
    "Weights",
    "check_model",
    "find_weights",
    "manifest",
    "manifest_of_store",
    "require_piece_size",
]

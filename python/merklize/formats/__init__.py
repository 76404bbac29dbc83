"""Merkle trees that other systems verify: `format=` names the system. docs/formats.md has the rules.

Functions of a whole file, array or bytes are fs_verity(), glacier(), bittorrent_v2(), ssz(), xet() and piece_cid(). For
disks there are dm_verity(), dm_verity_format(), which writes the tree, and dm_verity_verify(), which checks it.
"""

from .._formats import FORMATS, Format, format_by_name
from ._dm_verity import (
    DmVerity,
    DmVerityReport,
    dm_verity,
    dm_verity_dump,
    dm_verity_format,
    dm_verity_verify,
    dm_verity_verify_digests,
)
from ._files import BitTorrentFile, bittorrent_v2, fs_verity, glacier
from ._openzeppelin import (
    OpenZeppelinMultiProof,
    OpenZeppelinTree,
    openzeppelin,
    openzeppelin_simple,
    verify_openzeppelin,
)
from ._piece_cid import PieceCid, piece_cid, piece_leaves
from ._ssz import ssz, zero_hash
from ._xet import XetChunk, xet, xet_chunks, xet_files

__all__ = [
    "FORMATS",
    "BitTorrentFile",
    "DmVerity",
    "DmVerityReport",
    "Format",
    "OpenZeppelinMultiProof",
    "OpenZeppelinTree",
    "PieceCid",
    "XetChunk",
    "bittorrent_v2",
    "dm_verity",
    "dm_verity_dump",
    "dm_verity_format",
    "dm_verity_verify",
    "dm_verity_verify_digests",
    "format_by_name",
    "fs_verity",
    "glacier",
    "openzeppelin",
    "openzeppelin_simple",
    "piece_cid",
    "piece_leaves",
    "ssz",
    "verify_openzeppelin",
    "xet",
    "xet_chunks",
    "xet_files",
    "zero_hash",
]

"""Merkle trees that other systems verify: `format=` names the system. docs/formats.md has the rules.

Here are also functions of a whole file, array or bytes: fs_verity(), glacier(), bittorrent_v2(), ssz(), xet().
"""

from .._formats import FORMATS, Format, format_by_name
from ._files import BitTorrentFile, bittorrent_v2, fs_verity, glacier
from ._openzeppelin import OpenZeppelinMultiProof, OpenZeppelinTree, openzeppelin, openzeppelin_simple
from ._ssz import ssz, zero_hash
from ._xet import XetChunk, xet, xet_chunks, xet_files

__all__ = [
    "FORMATS",
    "BitTorrentFile",
    "Format",
    "OpenZeppelinMultiProof",
    "OpenZeppelinTree",
    "XetChunk",
    "bittorrent_v2",
    "format_by_name",
    "fs_verity",
    "glacier",
    "openzeppelin",
    "openzeppelin_simple",
    "ssz",
    "xet",
    "xet_chunks",
    "xet_files",
    "zero_hash",
]

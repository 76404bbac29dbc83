"""Merkle trees that other systems verify: one word, `format=`, says which. docs/formats.md has the rules.

Here are also the functions that take a whole file, array or bytes: fs_verity(), glacier(), bittorrent_v2(), ssz().
"""

from .._formats import FORMATS, Format, format_by_name
from ._files import BitTorrentFile, bittorrent_v2, fs_verity, glacier
from ._openzeppelin import OpenZeppelinMultiProof, OpenZeppelinTree, openzeppelin, openzeppelin_simple
from ._ssz import ssz, zero_hash

__all__ = [
    "FORMATS",
    "BitTorrentFile",
    "Format",
    "OpenZeppelinMultiProof",
    "OpenZeppelinTree",
    "bittorrent_v2",
    "format_by_name",
    "fs_verity",
    "glacier",
    "openzeppelin",
    "openzeppelin_simple",
    "ssz",
    "zero_hash",
]

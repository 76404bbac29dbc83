"""Verified streaming: parts of a file, verified against its BLAKE3 digest, in the bytes of the crates bao and bao-tree.

>>> from merklize import bao
>>> made = bao.encode(b"hello")
>>> bao.decode(made.encoding, made.root)
b'hello'

An *outboard* has the nodes of BLAKE3's own tree, an *encoding* nodes and message, a *slice* the parts of an
encoding that a range needs. docs/bao.md has the formats. Every call takes

format      "bao": bao 0.13, the message's size in front, groups of 1 KiB. "bao_tree": bao-tree's outboards in
            pre-order, groups of 16 KiB, no size. "bao_tree_post": the same in post-order, which only outboards have
group_size  bytes of a group, if not the format's: a power of two, 1024 to 2^30
size        of the message, if the format has none: the verifier must know it, but need not trust it
"""

from ._fetch import Fetched, fetch, stated_size
from ._stream import Decoder, Reader, decode_stream
from .calls import (
    FORMATS,
    Encoding,
    Fault,
    Outboard,
    Report,
    decode,
    decode_slice,
    encode,
    encode_file,
    encoding_size,
    outboard,
    outboard_file,
    outboard_size,
    slice,
    slice_ranges,
    verify,
)

__all__ = [
    "FORMATS",
    "Decoder",
    "Encoding",
    "Fault",
    "Fetched",
    "Outboard",
    "Reader",
    "Report",
    "decode",
    "decode_slice",
    "decode_stream",
    "encode",
    "encode_file",
    "encoding_size",
    "fetch",
    "outboard",
    "outboard_file",
    "outboard_size",
    "slice",
    "slice_ranges",
    "stated_size",
    "verify",
]

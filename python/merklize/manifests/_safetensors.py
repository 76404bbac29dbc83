"""The header of a safetensors file, read and checked.

8 bytes, little endian: the header's length n. Then n bytes of JSON, {name: {dtype, shape, data_offsets}} and perhaps
__metadata__, and all the rest is the tensors' bytes, without holes (github.com/huggingface/safetensors).
"""

from __future__ import annotations

import json
import math
import os
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import FileError, InvalidArgument
from ..hashing import hash as digest_of

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_HEADER_BYTES = 100_000_000

DTYPE_BITS = {
    "BOOL": 8, "U8": 8, "I8": 8, "I16": 16, "U16": 16, "I32": 32, "U32": 32, "I64": 64, "U64": 64,
    "F4": 4, "F6_E2M3": 6, "F6_E3M2": 6, "F8_E4M3": 8, "F8_E5M2": 8, "F8_E8M0": 8, "F8_E4M3FNUZ": 8, "F8_E5M2FNUZ": 8,
    "F16": 16, "BF16": 16, "F32": 32, "F64": 64, "C64": 64,
}  # fmt: skip
"""Bits of an element, of all dtypes of safetensors 0.8."""


class Stored(NamedTuple):
    """A tensor as the header has it."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    offset: int
    """Its first byte in the file."""
    size: int


class Header(NamedTuple):
    """What comes before the tensors."""

    tensors: list[Stored]
    """In the order of their bytes."""
    digest: bytes


def read_header(read: Callable[[int, int], bytes], path: str, file_size: int) -> Header:
    """Read the header of a file.

    read       gives bytes from an offset on, as many as are asked for
    path       for error texts
    file_size  as the system states it

    Raises InvalidArgument, with the rule that the header breaks: lengths, JSON, dtypes, offsets.
    """

    def refuse(why: str) -> InvalidArgument:
        return InvalidArgument(f"{path}: not a valid safetensors file: {why}")

    if file_size < 8:
        raise refuse(f"it must begin with 8 bytes of length, got {file_size} bytes")
    length = int.from_bytes(read(0, 8), "little")
    if length > MOST_HEADER_BYTES:
        raise refuse(f"the header must have at most {MOST_HEADER_BYTES} bytes, got {length}")
    if 8 + length > file_size:
        raise refuse(f"the header of {length} bytes passes the end of the file of {file_size}")
    content = read(8, length)
    if not content.startswith(b"{"):
        raise refuse("the header must begin with '{'")
    fields = _parse(content, refuse)
    metadata = fields.pop("__metadata__", {})
    if not isinstance(metadata, dict) or not all(isinstance(value, str) for value in metadata.values()):
        raise refuse("__metadata__ must map strings to strings")
    tensors = [_stored(name, value, 8 + length, refuse) for name, value in fields.items()]
    tensors.sort(key=lambda tensor: (tensor.offset, tensor.size))
    _require_no_holes(tensors, 8 + length, file_size, refuse)
    return Header(tensors, digest_of(length.to_bytes(8, "little") + content))


def read_at(descriptor: int, path: str, offset: int, count: int) -> bytes:
    """Read bytes of an open file. Raises FileError, also if it ends before."""
    parts = []
    try:
        while count > 0 and (part := os.pread(descriptor, count, offset)):
            parts.append(part)
            offset += len(part)
            count -= len(part)
    except OSError as error:
        raise FileError._refused("read", path, error) from None
    if count > 0:
        raise FileError(f"{path}: changed while being read")
    return b"".join(parts)


def _parse(content: bytes, refuse: Callable[[str], InvalidArgument]) -> dict[str, Any]:
    try:
        found = parse_json(content)
    except ValueError as error:
        raise refuse(f"the header: {error}") from None
    if not isinstance(found, dict):
        raise refuse("the header must be a JSON object")
    return found


def parse_json(content: bytes) -> Any:
    """Return what JSON text says. Raises ValueError: not UTF-8, not JSON, a key twice in an object, lone surrogates."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) != len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            raise ValueError(f"the key {twice!r} is there twice")
        return made

    def constant(name: str) -> Any:
        raise ValueError(f"{name} is not JSON")

    try:
        text = content.decode("utf-8")
        found = json.loads(text, object_pairs_hook=unique, parse_constant=constant)
        if "\\u" in text:  # an escape may have made what is no text
            json.dumps(found, ensure_ascii=False).encode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"must be UTF-8, byte {error.start} is not") from None
    except UnicodeEncodeError:
        raise ValueError("a string has half of a surrogate pair") from None
    except RecursionError:
        raise ValueError("nested too deep") from None
    return found


def _count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63


def _stored(name: str, value: Any, begin: int, refuse: Callable[[str], InvalidArgument]) -> Stored:
    what = f"tensor {name!r}"
    if not isinstance(value, dict) or value.keys() != {"dtype", "shape", "data_offsets"}:
        raise refuse(f"{what} must have dtype, shape and data_offsets, and nothing else")
    dtype, shape, offsets = value["dtype"], value["shape"], value["data_offsets"]
    if not isinstance(dtype, str) or dtype not in DTYPE_BITS:
        raise refuse(f"{what} has the unknown dtype {dtype!r}")
    if not isinstance(shape, list) or not all(map(_count, shape)):
        raise refuse(f"{what}: shape must be a list of integers >= 0, got {str(shape)[:80]}")
    if not isinstance(offsets, list) or len(offsets) != 2 or not all(map(_count, offsets)) or offsets[0] > offsets[1]:
        raise refuse(f"{what}: data_offsets must be two integers [begin, end], begin <= end, got {str(offsets)[:80]}")
    bits = math.prod(shape) * DTYPE_BITS[dtype]
    size = offsets[1] - offsets[0]
    if bits != 8 * size:
        raise refuse(f"{what}: {dtype}{shape} has {bits} bits, but data_offsets {offsets} are {size} bytes")
    return Stored(name, dtype, tuple(shape), begin + offsets[0], size)


def _require_no_holes(
    tensors: list[Stored], begin: int, file_size: int, refuse: Callable[[str], InvalidArgument]
) -> None:
    at, before = begin, "the header"
    for tensor in tensors:
        here = f"tensor {tensor.name!r}"
        if tensor.offset < at:
            raise refuse(f"{here} overlaps {before}: it begins at byte {tensor.offset}, {before} ends at {at}")
        if tensor.offset > at:
            raise refuse(f"{tensor.offset - at} bytes between {before} and {here} belong to no tensor")
        at, before = tensor.offset + tensor.size, here
        if at > file_size:
            raise refuse(f"{here} ends at byte {at}, beyond the end of the file of {file_size} bytes")
    if at != file_size:
        raise refuse(f"{file_size - at} bytes after {before} belong to no tensor")

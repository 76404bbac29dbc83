"""The header of a safetensors file, read and checked.

8 bytes, little endian: the header's length n. Then n bytes of JSON, {name: {dtype, shape, data_offsets}} and perhaps
__metadata__, and all the rest is the tensors' bytes, without holes (github.com/huggingface/safetensors).
"""

from __future__ import annotations

import json
import os
import re
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import FileError, InvalidArgument
from ..hashing import hash as digest_of
from ._entries import bytes_of, cut, shown

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_HEADER_BYTES = 100_000_000
MOST_SEPARATORS = 1 << 22
"""Commas and opening brackets of a header or an index: what parsing it takes grows with them."""
MOST_DEPTH = 100

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
        found = parse_json(content, MOST_SEPARATORS)
    except ValueError as error:
        raise refuse(f"the header: {error}") from None
    if not isinstance(found, dict):
        raise refuse("the header must be a JSON object")
    return found


def parse_json(content: bytes, most_separators: int | None = None) -> Any:
    """Return what JSON text says. A number that is no integer of 64 bits is a float.

    Raises ValueError: not UTF-8, not JSON, a key twice in an object, lone surrogates, nested more than 100 deep, more
    commas and opening brackets than `most_separators`.
    """

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for name, value in pairs:
            if name in made:
                raise ValueError(f"the key {shown(name)} is there twice")
            made[name] = value
        return made

    def constant(name: str) -> Any:
        raise ValueError(f"{name} is not JSON")

    try:
        text = content.decode("utf-8")
        _require_small(content, most_separators)
        found = json.loads(text, object_pairs_hook=unique, parse_int=_number, parse_constant=constant)
        if re.search(r"\\u[dD][89a-fA-F]", text):  # which may be half of a pair
            _require_characters(found)
    except UnicodeDecodeError as error:
        raise ValueError(f"must be UTF-8, byte {error.start} is not") from None
    except UnicodeEncodeError:
        raise ValueError("a string has half of a surrogate pair") from None
    return found


def _require_small(content: bytes, most_separators: int | None) -> None:
    """Refuse what would take much memory or stack to parse. Takes the memory of the text."""
    plain = content.replace(b"\\\\", b"").replace(b'\\"', b"")  # now each quote begins or ends a string
    block, in_string, count, depth = 1 << 20, 0, 0, 0
    for at in range(0, len(plain), block):
        pieces = plain[at : at + block].split(b'"')
        outside = b"".join(pieces[in_string::2])
        in_string ^= ~len(pieces) & 1
        count += sum(map(outside.count, (b",", b"[", b"{")))
        if most_separators is not None and count > most_separators:
            raise ValueError(f"it must have at most {most_separators} commas and opening brackets")
        levels = list(accumulate(map(_STEPS.__getitem__, outside.translate(None, _NO_BRACKETS)), initial=depth))
        depth = levels[-1]
        if max(levels) > MOST_DEPTH:
            raise ValueError(f"nested more than {MOST_DEPTH} deep")


_STEPS = dict(zip(b"[{]}", (1, 1, -1, -1)))
_NO_BRACKETS = bytes(set(range(256)) - _STEPS.keys())


def _number(digits: str) -> int | float:
    """Return an integer of 64 bits, or else a float, as other readers of JSON have it; -0 is a float."""
    number = int(digits) if len(digits) <= 20 else 2**64
    return number if -(2**63) <= number < 2**64 and digits != "-0" else float(digits)


def _require_characters(value: Any) -> None:
    """Raise UnicodeEncodeError if a string of a parsed value has half of a surrogate pair."""
    if isinstance(value, str):
        value.encode()
    elif isinstance(value, (list, dict)):
        for item in value:
            _require_characters(item)
            if isinstance(value, dict):
                _require_characters(value[item])


def _count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63


def _stored(name: str, value: Any, begin: int, refuse: Callable[[str], InvalidArgument]) -> Stored:
    what = f"tensor {shown(name)}"
    if not isinstance(value, dict) or value.keys() != {"dtype", "shape", "data_offsets"}:
        raise refuse(f"{what} must have dtype, shape and data_offsets, and nothing else")
    dtype, shape, offsets = value["dtype"], value["shape"], value["data_offsets"]
    if not isinstance(dtype, str) or dtype not in DTYPE_BITS:
        raise refuse(f"{what} has the unknown dtype {shown(dtype)}")
    if not isinstance(shape, list) or not all(map(_count, shape)):
        raise refuse(f"{what}: shape must be a list of integers >= 0, got {shown(shape)}")
    if not isinstance(offsets, list) or len(offsets) != 2 or not all(map(_count, offsets)) or offsets[0] > offsets[1]:
        raise refuse(f"{what}: data_offsets must be two integers [begin, end], begin <= end, got {shown(offsets)}")
    size = offsets[1] - offsets[0]
    if bytes_of(shape, DTYPE_BITS[dtype]) != size:
        what += f": {cut(f'{dtype}{shape}')}"
        raise refuse(f"{what} does not have the bytes of data_offsets {offsets}, {size}")
    return Stored(name, dtype, tuple(shape), begin + offsets[0], size)


def _require_no_holes(
    tensors: list[Stored], begin: int, file_size: int, refuse: Callable[[str], InvalidArgument]
) -> None:
    at, before = begin, "the header"
    for tensor in tensors:
        here = f"tensor {shown(tensor.name)}"
        if tensor.offset < at:
            raise refuse(f"{here} overlaps {before}: it begins at byte {tensor.offset}, {before} ends at {at}")
        if tensor.offset > at:
            raise refuse(f"{tensor.offset - at} bytes between {before} and {here} belong to no tensor")
        at, before = tensor.offset + tensor.size, here
        if at > file_size:
            raise refuse(f"{here} ends at byte {at}, beyond the end of the file of {file_size} bytes")
    if at != file_size:
        raise refuse(f"{file_size - at} bytes after {before} belong to no tensor")

"""Solidity's ABI encoding of values, `abi.encode(...)`, from which the leaves of StandardMerkleTree are made.

Types: address, bool, uint8 to uint256, int8 to int256, bytes1 to bytes32, bytes, string, function, arrays of these, T[]
and T[n], and tuples, (T, U). A value may be spelt in every way that @metamask/abi-utils takes, because roots of
@openzeppelin/merkle-tree were made of it: "007" for 7, an address or bytes32 with fewer bytes, an odd digit, "false".
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import cache
from typing import Any, NamedTuple

from .. import _native
from .._inputs import each_of
from ..errors import InvalidArgument, in_call, shown

_ARRAY = re.compile(r"(.+)\[([0-9]*)\]")
_WORD = re.compile(r"(uint|int|bytes)([0-9]*)")
_HEX = re.compile(r"0[xX][0-9a-fA-F]*")
# JavaScript's BigInt(text): a sign is for decimal digits alone, and no text is 0.
_SPACES = "\t\n\v\f\r \xa0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(map(chr, range(0x2000, 0x200B)))
_INTEGER = re.compile(r"(?P<decimal>[+-]?[0-9]+)|0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+|")
MOST_TYPE = 256
"""The most characters of a type."""


class _Encoder(NamedTuple):
    """The encoding of a type."""

    is_dynamic: bool
    """Whether a head has its offset in place of it."""
    encode: Callable[[Any], bytes]


def encode(types: Sequence[str], values: Sequence[Sequence[Any]]) -> list[bytes]:
    """Return abi.encode of each value, one field a type.

    Raises InvalidArgument: unknown types, values that do not fit.
    """
    return _tuples([_encoder(type) for type in types], list(checked(types, values)))


def checked(types: Sequence[str], values: Iterable[Sequence[Any]]) -> Iterator[Sequence[Any]]:
    """Yield the values, each with one field a type. Raises InvalidArgument."""
    for value in each_of(values):
        if _count(value) != len(types):
            got = f"{len(value)} fields" if isinstance(value, (list, tuple)) else shown(value)
            raise InvalidArgument(f"a value must have {len(types)} fields, one a type, got {got}")
        yield value


def _tuples(fields: list[_Encoder], values: Iterable[Sequence[Any]]) -> list[bytes]:
    if any(field.is_dynamic for field in fields):
        return [_tuple(fields, value) for value in values]
    encoders = [field.encode for field in fields]
    return [b"".join([encode(field) for encode, field in zip(encoders, value)]) for value in values]


def _tuple(fields: list[_Encoder], value: Sequence[Any]) -> bytes:
    encoded = [(field.is_dynamic, field.encode(item)) for field, item in zip(fields, value)]
    at = sum(32 if is_dynamic else len(data) for is_dynamic, data in encoded)
    head, tail = [], []
    for is_dynamic, data in encoded:
        head.append(at.to_bytes(32, "big") if is_dynamic else data)
        if is_dynamic:
            tail.append(data)
            at += len(data)
    return b"".join(head + tail)


def bytes_of(value: Any, what: str, most: int | None = None) -> bytes:
    """Return the bytes of a value: bytes, or 0x and digits; before an odd one is a 0. Raises InvalidArgument."""
    if isinstance(value, str) and _HEX.fullmatch(value):
        digits = value[2:]
        data = bytes.fromhex("0" * (len(digits) % 2) + digits)
    elif isinstance(value, (bytes, bytearray, memoryview)):
        data = bytes(_native.host_bytes(value, what))
    else:
        raise InvalidArgument(f"{what}: must be bytes or 0x and hexadecimal digits, got {shown(value)}")
    if most is not None and len(data) > most:
        raise InvalidArgument(f"{what}: must have at most {most} bytes, got {len(data)}")
    return data


def _number(value: Any) -> int | None:
    if isinstance(value, str):
        found = _INTEGER.fullmatch(value.strip(_SPACES))
        if found is None:
            return None
        text = found[0]
        if found["decimal"]:  # Python neither reads leading zeros with a base nor many digits
            sign = "-" if text[0] == "-" else ""
            text = sign + (text.lstrip("+-").lstrip("0") or "0")
            return int(text[:100])  # beyond every type
        return int(text or "0", 0)
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    try:
        return None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        return None


def _integer(type: str, least: int, most: int) -> _Encoder:
    def encode(value: Any) -> bytes:
        number = _number(value)
        if number is None:
            raise InvalidArgument(f"{type}: must be an integer, got {shown(value)}")
        if not least <= number <= most:
            raise InvalidArgument(f"{type}: must be {least} to {most}, got {shown(value)}")
        return number.to_bytes(32, "big", signed=number < 0)

    return _Encoder(False, encode)


def _address(value: Any) -> bytes:
    return bytes_of(value, "address", 20).rjust(32, b"\0")


def _bool(value: Any) -> bytes:
    if value is True or (isinstance(value, str) and value == "true"):
        return bytes(31) + b"\1"
    if value is False or (isinstance(value, str) and value == "false"):
        return bytes(32)
    raise InvalidArgument(f"bool: must be True, False, 'true' or 'false', got {shown(value)}")


def _function(value: Any) -> bytes:
    if isinstance(value, Mapping):
        if set(value) != {"address", "selector"}:
            raise InvalidArgument("function: must have address and selector, and nothing else")
        parts = [bytes_of(value[name], f"function: {name}") for name in ("address", "selector")]
        if b"" in parts:
            raise InvalidArgument("function: address and selector must have at least one digit")
        return bytes_of(b"".join(parts), "function", 24).ljust(32, b"\0")
    data = bytes_of(value, "function")
    if len(data) != 24:
        raise InvalidArgument(f"function: must have 24 bytes, got {len(data)}")
    return data.ljust(32, b"\0")


def _sized(data: bytes) -> bytes:
    return len(data).to_bytes(32, "big") + data + bytes(-len(data) % 32)


def _string(value: Any) -> bytes:
    if not isinstance(value, str):
        raise InvalidArgument(f"string: must be text, got {shown(value)}")
    try:
        return _sized(value.encode())
    except UnicodeEncodeError:
        raise InvalidArgument("string: must be text that UTF-8 can hold, got lone surrogates") from None


_SIMPLE = {
    "address": _Encoder(False, _address),
    "bool": _Encoder(False, _bool),
    "function": _Encoder(False, _function),
    "string": _Encoder(True, _string),
    "bytes": _Encoder(True, lambda value: _sized(bytes_of(value, "bytes"))),
}


@cache
def _encoder(type: str) -> _Encoder:
    if not isinstance(type, str) or len(type) > MOST_TYPE:
        raise InvalidArgument(f"an ABI type must be text of at most {MOST_TYPE} characters, got {shown(type)}")
    if found := _ARRAY.fullmatch(type):
        return _array(type, _encoder(found[1]), int(found[2]) if found[2] else None)
    if type in _SIMPLE:
        return _SIMPLE[type]
    if type[:1] == "(" and type[-1:] == ")" and len(type) > 2:
        return _fields(type, [_encoder(field) for field in _split(type[1:-1])])
    if found := _WORD.fullmatch(type):
        kind, digits = found.groups()
        bits = int(digits or 256)
        if kind == "bytes" and 1 <= bits <= 32 and len(digits) <= 2:
            return _Encoder(False, lambda value: bytes_of(value, type, bits).ljust(32, b"\0"))
        if kind != "bytes" and bits % 8 == 0 and 8 <= bits <= 256:
            return _integer(type, *((0, 2**bits - 1) if kind == "uint" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)))
    raise InvalidArgument(f"unknown ABI type {shown(type)}")


def _split(fields: str) -> list[str]:
    """Return the types between the commas that are in no parentheses."""
    found, depth = [""], 0
    for c in fields:
        depth += (c == "(") - (c == ")")
        if c == "," and depth == 0:
            found.append("")
        else:
            found[-1] += c
    return [field.strip(_SPACES) for field in (found if found[-1].strip(_SPACES) else found[:-1])]


def _items(type: str, value: Any) -> int:
    if (count := _count(value)) is None:
        raise InvalidArgument(f"{type}: must be a list, got {shown(value)}")
    return count


def _count(value: Any) -> int | None:
    """Return the count of items of a list; None: it is none. Raises TypeError for a set."""
    if isinstance(value, Set):
        raise TypeError(in_call(f"a {type(value).__name__} has no order; give a list"))
    if isinstance(value, (str, bytes, bytearray, memoryview, Mapping)) or not hasattr(value, "__len__"):
        return None
    return len(value)


def _fields(type: str, fields: list[_Encoder]) -> _Encoder:
    def encode(value: Any) -> bytes:
        if _items(type, value) != len(fields):
            raise InvalidArgument(f"{type}: must have {len(fields)} fields, got {len(value)}")
        return _tuple(fields, value)

    return _Encoder(any(field.is_dynamic for field in fields), encode)


def _array(type: str, item: _Encoder, count: int | None) -> _Encoder:
    def encode(value: Any) -> bytes:
        n = _items(type, value)
        if count and n != count:
            raise InvalidArgument(f"{type}: must have {count} items, got {n}")
        items = _tuple([item] * n, value)
        return items if count else n.to_bytes(32, "big") + items  # T[0], too, which Solidity has not

    return _Encoder(count is None or item.is_dynamic, encode)

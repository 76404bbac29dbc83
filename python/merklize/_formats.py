"""The formats of trees that MerkleTree builds."""

from __future__ import annotations

from typing import NamedTuple, cast

from . import _native
from ._native import flag
from ._types import HashName
from .errors import InvalidArgument, in_call, shown


class Format(NamedTuple):
    """The facts that `format=` fixes."""

    name: str
    hash: HashName
    """The hash of nodes."""
    rule: str
    """What becomes of the last node of a level with an odd count."""
    leaf_hash: HashName | None
    """The hash of a message that becomes a leaf; None: the caller gives leaves of 32 bytes."""
    piece: int | None
    """Bytes of a file that are one leaf; None: the caller gives the number."""
    is_ambiguous: bool
    """Whether two lists of leaves have the same root if a level ends with two equal nodes."""
    needs: str | None
    """The function that builds this format instead of MerkleTree; None: MerkleTree does."""


# Formats of whole files, or trees of another shape. merklize.formats has functions for them.
_OTHERS = (
    Format("fs_verity", "sha256", "pad", "sha256", 4096, False, "merklize.formats.fs_verity()"),
    Format("openzeppelin", "keccak256_sorted", "pad", None, None, False, "merklize.formats.openzeppelin()"),
    Format(
        "openzeppelin_simple", "keccak256_sorted", "pad", None, None, False, "merklize.formats.openzeppelin_simple()"
    ),
)


def _of(info: _native.FormatInfo) -> Format:
    hash = cast("HashName", info.hash)
    leaf_hash = hash if info.hashes_messages else None
    return Format(info.name, hash, info.rule, leaf_hash, info.piece_size or None, info.is_ambiguous, None)


FORMATS: dict[str, Format] = {made.name: made for made in (*map(_of, _native.formats()), *_OTHERS)}
"""All formats by name."""


def format_by_name(name: str) -> Format:
    """Return the format of that name. Raises InvalidArgument, with the known names."""
    if not isinstance(name, str):
        raise TypeError(in_call(f"format must be a string, got {type(name).__name__}"))
    if name not in FORMATS:
        raise InvalidArgument(_native.unknown_name("format", name, list(FORMATS)))
    return FORMATS[name]


def with_format(
    format: str | None, hash: HashName | None, rule: str | None, **refused: object
) -> tuple[Format | None, HashName, str | None]:
    """Return the format, and the hash and the rule that it fixes, or the given ones.

    hash     None: the format's, else "blake3"
    refused  other options of a tree
    With a format those must be None; "merklize" takes key and context, which are BLAKE3's.
    """
    if hash is not None and not isinstance(hash, str):
        raise TypeError(in_call(f"hash must be a string, got {type(hash).__name__}"))
    if format is None:
        return None, "blake3" if hash is None else hash, rule
    found = format_by_name(format)
    if found.needs:
        raise InvalidArgument(f"format {shown(format)} is no tree of whole levels: use {found.needs}")
    given = {"hash": hash, "rule": rule, **refused}
    for option, value in given.items():
        if found.name == "merklize" and option in ("key", "context", "drop_levels"):
            continue
        if value is not None and not (isinstance(value, str) and value == getattr(found, option, None)):
            raise InvalidArgument(f"format {shown(format)} fixes {option}: leave it out, got {shown(value)}")
    return found, found.hash, found.rule


def leaf_size_of(form: Format | None, leaf_size: int | None, row_size: int | None, leaves: bool) -> int | None:
    """Return the bytes of a file that are one leaf: the given number, else that of the format.

    leaves  whether the file has the leaves themselves
    Raises InvalidArgument unless exactly one of the three says what a leaf is, or the format does; with a size that is
    not the format's.
    """
    if form is not None and form.piece is not None:
        for option, size in {"leaf_size": leaf_size, "row_size": row_size}.items():
            if size is not None and (option, size) != ("leaf_size", form.piece):
                raise InvalidArgument(
                    f"format {shown(form.name)} fixes leaf_size: leave {option} out, got {shown(size)}"
                )
    sizes = {"leaf_size": leaf_size is not None, "row_size": row_size is not None, "leaves": flag(leaves, "leaves")}
    given = [name for name, is_given in sizes.items() if is_given]
    if not given and form is not None and form.piece is not None:
        return form.piece
    if len(given) != 1:
        raise InvalidArgument(
            f"give one of leaf_size, row_size and leaves=True (the input has the leaves themselves, 32 bytes "
            f"each), got {' and '.join(given) or 'none'}"
        )
    return leaf_size

"""The formats of trees that MerkleTree builds."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .errors import InvalidArgument

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ._types import Digests


class Format(NamedTuple):
    """What `format=` fixes."""

    name: str
    hash: str
    """The hash of nodes."""
    rule: str
    """What becomes of a level's last node without a sibling."""
    leaf_hash: str | None
    """The hash of a record that becomes a leaf; None: leaves are given, 32 bytes each."""
    piece: int | None
    """Bytes of a file that are one leaf; None: the caller says."""
    is_ambiguous: bool
    """Whether two lists of leaves have one root if a level ends with two equal nodes."""
    needs: str | None
    """What builds this format instead of MerkleTree; None: MerkleTree does."""


def _format(
    name: str,
    hash: str,
    rule: str,
    leaf_hash: str | None,
    piece: int | None = None,
    is_ambiguous: bool = False,
    needs: str | None = None,
) -> Format:
    return Format(name, hash, rule, leaf_hash, piece, is_ambiguous, needs)


FORMATS: dict[str, Format] = {
    made.name: made
    for made in (
        _format("merklize", "blake3", "left_full", "blake3"),
        _format("rfc6962", "sha256", "left_full", "sha256"),
        _format("bitcoin", "sha256d", "duplicate_last", "sha256d", is_ambiguous=True),
        _format("ssz", "sha256_plain", "pad", None),
        _format("bittorrent_v2", "sha256_plain", "pad", "sha256_plain", 1 << 14),
        _format("glacier", "sha256_plain", "left_full", "sha256_plain", 1 << 20),
        _format("winterfell", "rp64_256_v3", "perfect", "rp64_256_v3"),
        _format("miden", "eidos", "perfect", "eidos"),
        _format("fs_verity", "sha256_plain", "pad", "sha256_plain", 4096, needs="merklize.formats.fs_verity()"),
        _format("openzeppelin", "keccak256_sorted", "pad", None, needs="merklize.formats.openzeppelin()"),
        _format("openzeppelin_simple", "keccak256_sorted", "pad", None, needs="merklize.formats.openzeppelin_simple()"),
    )
}
"""All formats by name."""


def format_by_name(name: str) -> Format:
    """Return the format of that name. Raises InvalidArgument, with the known names."""
    if not isinstance(name, str):
        raise TypeError(f"format must be a string, got {type(name).__name__}")
    if name not in FORMATS:
        raise InvalidArgument(f"unknown format {name!r}; known: {', '.join(FORMATS)}")
    return FORMATS[name]


def with_format(
    format: str | None, hash: str, rule: str | None, **refused: object
) -> tuple[Format | None, str, str | None]:
    """Return the format, and the hash and the rule that it fixes, or those that are given.

    refused  other options of a tree: with a format they must be None, but for "merklize", which takes all
    """
    if format is None:
        return None, hash, rule
    found = format_by_name(format)
    if found.needs:
        raise InvalidArgument(f"format {format!r} is no tree of whole levels: use {found.needs}")
    if found.name == "merklize":
        return found, hash, rule
    given = {"hash": None if hash == "blake3" else hash, "rule": rule, **refused}
    for option, value in given.items():
        if value is not None and value != getattr(found, option, None):
            raise InvalidArgument(f"format {format!r} fixes {option}: leave it out, got {value!r}")
    return found, found.hash, found.rule


def refuse_ambiguous(found: Format, levels: Iterable[Digests]) -> None:
    """Raise InvalidArgument if a level ends with a pair of equal nodes: a shorter list of leaves has the same root."""
    for number, level in enumerate(levels):
        if len(level) % 2 == 0 and bytes(level[-1]) == bytes(level[-2]):
            raise InvalidArgument(
                f"format {found.name!r}: the last two of the {len(level)} nodes of level {number} are equal, so a list"
                " without those below the last has the same root (CVE-2012-2459)"
            )

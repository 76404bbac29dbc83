"""The order of pairs, `pairs=`: another way to name a hash of trees."""

from __future__ import annotations

from .errors import InvalidArgument, shown

SORTED = {"keccak256": "keccak256_sorted"}


def with_pairs(hash: str, pairs: str | None) -> str:
    """Return the name of the hash whose merges take pairs in that order.

    pairs  None: as the hash says; "ordered": left then right; "sorted": the smaller digest first
    """
    for name, value in (("hash", hash), ("pairs", pairs)):
        if not isinstance(value, str) and (value is not None or name == "hash"):
            raise TypeError(f"{name} must be a string, got {type(value).__name__}")
    if pairs is None or (pairs == "sorted" and hash in SORTED.values()):
        return hash
    if pairs not in ("ordered", "sorted"):
        raise InvalidArgument(f'pairs: must be "ordered" or "sorted", got {shown(pairs)}')
    if pairs == "sorted":
        if hash not in SORTED:
            names = ", ".join(f'"{name}"' for name in SORTED)
            raise InvalidArgument(f'pairs: "sorted" is for the hash {names}, not for {shown(hash)}')
        return SORTED[hash]
    if hash in SORTED.values():
        raise InvalidArgument(f'pairs: {shown(hash)} sorts its pairs; they cannot be "ordered"')
    return hash

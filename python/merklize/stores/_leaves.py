"""Leaves of a tree over an object: pieces of it, hashed as they come."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from .. import _native
from ..errors import InvalidArgument
from ..hashing import Hasher, hash_leaves
from ._failures import file_error
from ._limits import limits

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .._types import Device
    from ._objects import Stored

MOST_LEAF_BYTES = 64 << 20
"""Of hashes that take a leaf as a whole."""


class LeafRule(NamedTuple):
    """How the bytes of an input become leaves: the arguments of build_tree_file()."""

    hash: str
    leaf_size: int | None
    row_size: int | None
    key: Any = None
    context: str | None = None
    device: Device = "auto"
    threads: int | None = None

    @property
    def size(self) -> int:
        """Bytes of the input that become a leaf."""
        return self.leaf_size or self.row_size or 32

    def require_valid(self) -> None:
        """Refuse sizes that no tree has."""
        if self.leaf_size is not None and self.row_size is not None:
            raise InvalidArgument("give leaf_size or row_size, not both")
        for name, value in (("leaf_size", self.leaf_size), ("row_size", self.row_size)):
            if value is not None and value < 1:
                raise InvalidArgument(f"{name} must be at least 1, got {value}")
        width = (_native.hash_by_name(self.hash).element_bits or 8) // 8
        if self.size % width:
            raise InvalidArgument(f"leaves of {self.size} bytes: not a whole count of field elements of {width} bytes")
        if self.size > MOST_LEAF_BYTES and self.hash != "blake3":
            raise InvalidArgument(
                f"leaves of a URL by {self.hash!r} must have at most {MOST_LEAF_BYTES} bytes, got {self.size}"
            )

    def n_leaves(self, size: int, name: str) -> int:
        """Return how many leaves an input of `size` bytes has. Raises InvalidArgument: no whole count of them."""
        is_field = _native.hash_by_name(self.hash).is_field
        if size % self.size and (self.leaf_size is None or is_field):
            what = "leaves" if self.row_size is None else "rows"
            why = ", which a hash of field elements needs" if self.leaf_size is not None else ""
            raise InvalidArgument(f"{name}: {size} bytes are not a whole count of {what} of {self.size} bytes{why}")
        if size == 0 and (self.leaf_size is None or is_field):
            return 0  # RFC 6962's empty tree, or no tree at all: the builder knows
        return max(1, -(-size // self.size))

    @property
    def unit(self) -> int:
        """Bytes that are read at once: whole leaves, or a part of a large one."""
        if self.size > MOST_LEAF_BYTES:
            return limits.range_size
        return max(1, limits.range_size // self.size) * self.size

    def leaves(self, pieces: Iterable[bytes]) -> Iterator[Any]:
        """Hash pieces of `unit` bytes, in order: arrays of leaves."""
        if self.size > MOST_LEAF_BYTES:
            yield from self._large(pieces)
            return
        is_empty = True
        for piece in pieces:
            if piece:
                is_empty = False
                yield from self.of_piece(piece)
        if is_empty and self.leaf_size is not None and not _native.hash_by_name(self.hash).is_field:
            yield self._hashed([b""])

    def of_piece(self, piece: bytes) -> Iterator[Any]:
        """Give the leaves of one piece: those of whole leaves, then that of the rest."""
        import numpy as np

        info = _native.hash_by_name(self.hash)
        word = f"<u{info.element_bits // 8}" if info.is_field else "u1"
        if self.leaf_size is None and self.row_size is None:
            yield np.frombuffer(piece, word).reshape(len(piece) // 32, -1)
            return
        whole = len(piece) - len(piece) % self.size
        if whole:
            rows = np.frombuffer(memoryview(piece)[:whole], word).reshape(whole // self.size, -1)
            yield self._hashed(rows)
        if whole < len(piece):
            yield self._hashed([piece[whole:]])

    def _hashed(self, records: Any) -> Any:
        options: Any = {"key": self.key, "context": self.context} if self.hash == "blake3" else {}
        return hash_leaves(records, self.hash, device=self.device, threads=self.threads, **options)

    def _large(self, pieces: Iterable[bytes]) -> Iterator[Any]:
        import numpy as np

        hasher = Hasher(key=self.key, context=self.context, device=self.device, threads=self.threads)
        count = 0
        for piece in pieces:
            data = memoryview(piece)
            while data:
                part = data[: self.size - count]
                hasher.update(part)
                count += len(part)
                data = data[len(part) :]
                if count == self.size:
                    yield np.frombuffer(hasher.digest(), np.uint8).reshape(1, 32)
                    hasher.reset()
                    count = 0
        if count:
            yield np.frombuffer(hasher.digest(), np.uint8).reshape(1, 32)


def require_size(stored: Stored) -> int:
    """Return the size of an object. Raises FileError: the server does not say it."""
    if stored.size is None:
        raise file_error(stored.name, "the server does not say the size of the object, which a tree needs before")
    return stored.size

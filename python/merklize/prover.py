"""For provers: extensions, commitments to matrices of different heights, openings, hashes of a prover's own constants.

>>> import merklize, numpy as np
>>> trace = np.arange(64 * 6, dtype=np.uint64).reshape(64, 6)
>>> commitment = merklize.prover.MatrixCommitment(trace, "poseidon2_goldilocks_8")
>>> opening = commitment.open(37)
>>> merklize.prover.verify_opening(opening, commitment.cap, [(64, 6)], "poseidon2_goldilocks_8")
True

docs/provers.md has the rule. `merklize.hash_rows()` hashes rows alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, SupportsIndex, cast

from . import _arrays, _native
from ._inputs import each_of
from ._options import RunOptions, run_of, takes
from ._poseidon2 import poseidon, poseidon2
from ._settings import hash_info, settings
from ._types import Array, Digests, HashName, Tensor, Words
from .errors import InvalidArgument, in_call, shown
from .rows import FIELDS, digest_shape, modulus_of, read_matrices

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = [
    "FIELDS",
    "MatrixCommitment",
    "MatrixMultiOpening",
    "MatrixOpening",
    "extend",
    "heap_slots",
    "poseidon",
    "poseidon2",
    "verify_opening",
]


# Each field of extend(): its number, a hash that takes the same words, and the largest k of its roots of order 2^k.
_EXTENDED = {
    "goldilocks": (0, "poseidon2_goldilocks_8", 32),
    "babybear": (1, "poseidon2_babybear_16", 27),
    "koalabear": (2, "poseidon2_koalabear_16", 24),
}
_ORDERS = ("natural", "bit_reversed")


@takes(RunOptions)
def extend(
    matrix: Words | Array | Tensor,
    added_bits: int,
    *,
    shift: int | None = None,
    order: str = "natural",
    field: str = "goldilocks",
    **options: Unpack[RunOptions],
) -> Any:
    """Return the low-degree extension of each column of a matrix: the values of its polynomial on a coset.

    matrix      words uint64[n, k] of goldilocks, uint32[n, k] of the others, or signed ones by their bits, of any
                strides; n a power of two, row i having the values at g^i, where g has order n
    added_bits  the result has n 2^added_bits rows
    shift       of the coset, 1 to p - 1; None: the field's generator
    order       "natural": row i has the values at shift g^i, where g has order n 2^added_bits; "bit_reversed": row i
                has those of the row whose number is i with its bits in reverse
    field       "goldilocks", "babybear" or "koalabear"

    The roots of unity are Plonky3's. The result has the words' dtype, in C order; that of a matrix on a device is a
    DeviceArray there. Raises InvalidArgument (shapes, dtypes, a word that is not below p, with its row and column),
    MemoryError, Cancelled.

    >>> trace = np.arange(8, dtype=np.uint64).reshape(4, 2)
    >>> merklize.prover.extend(trace, 1).shape
    (8, 2)
    """
    run = run_of("extend", options)
    for name, value, allowed in (("order", order, _ORDERS), ("field", field, tuple(_EXTENDED))):
        if not isinstance(value, str):
            raise TypeError(in_call(f"{name} must be a string, got {type(value).__name__}"))
        if value not in allowed:
            raise InvalidArgument(f"{name} must be one of {', '.join(allowed)}, got {shown(value)}")
    number, hash, log_order = _EXTENDED[field]
    bits = _arrays.unsigned(added_bits, "added_bits")
    by = 0 if shift is None else _arrays.unsigned(shift, "shift")
    if shift is not None and by == 0:
        raise InvalidArgument("shift must be 1 to p - 1, or None for the field's generator, got 0")
    if not _arrays.is_array(matrix):
        raise TypeError(in_call(f"matrix must be a NumPy array or a tensor, got {type(matrix).__name__}"))
    read = read_matrices(matrix, run, hash)
    n, columns = read.shapes[0]
    if n == 0 or n & (n - 1):
        raise InvalidArgument(f"the number of rows must be a power of two, got {n}")
    if n.bit_length() - 1 + bits > log_order:
        raise InvalidArgument(
            f"{field} has roots of unity of order 2^{log_order} at most, got {n} rows and {bits} added bits"
        )
    out: Any = _arrays.empty(read.first, (n << bits, columns), read.first.dtype)
    _native.extend(read, out, number, bits, by, order == "bit_reversed", run)
    return out


class MatrixOpening(NamedTuple):
    """One row of each matrix, with the siblings that prove the rows to be in a commitment."""

    index: int  # type: ignore[assignment]  # replaces tuple.index()
    """The index of the leaf: a row of the tallest matrix."""
    rows: list[Array]
    """One row of each matrix, in their order; of a matrix that is 2^k times lower, row `index >> k`."""
    siblings: Digests
    """For each layer below the cap, from the leaves on, the other children of the group: uint64[m, 4] and so on."""


class MatrixMultiOpening(NamedTuple):
    """Rows of several indices; each digest that a verifier cannot compute is there once."""

    indices: list[int]
    """The indices, ascending."""
    rows: list[list[Array]]
    """For each index, one row of each matrix."""
    siblings: Digests
    """Layer by layer from the leaves on, left to right."""


class MatrixCommitment:
    """A Merkle tree over the rows of matrices of different heights: Plonky3's MerkleTreeMmcs.

    The rows of the tallest matrices, side by side, are hashed to the leaves; rows of a lower matrix are hashed into the
    layer with as many nodes (docs/provers.md). The nodes are in the memory of the device that made them, or on the host
    if that is the CPU or they do not fit. A single matrix of 2^k rows has the root of MerkleTree.from_rows().
    Safe to use from several threads.

    matrices    one matrix or a list, as hash_rows() takes them, but of different heights: if the tallest has h rows,
                each must have ceil(h / 2^k) rows for some k
    hash        one of HASHES
    arity       children of a node: 2, or 4 for the Plonky3 hashes, some hashes of bytes, and poseidon2() of constants
                with a `quad`
    cap_height  layers between the cap and the root; 0: the cap is the root
    words, field  as in hash_rows()
    keep        True: copies of the matrices stay on the device for openings. False: the arrays that were given are kept
                instead, and must not change
    drop_levels  the nodes of so many lowest layers are not kept: with arity 2 the others take 2^-drop_levels of the
                memory. Openings make theirs again, each from the 2^drop_levels rows around its own; rows that have
                changed since are refused
    device      "auto", or an id of devices(); matrices on a device are hashed there

    The other options are as in MerkleTree. Raises InvalidArgument (shapes, dtypes, heights that the rule does not take,
    a word that is not below p), OutOfMemory, Cancelled.

    >>> rows = np.arange(32, dtype=np.uint32).reshape(8, 4)
    >>> commitment = merklize.prover.MatrixCommitment([rows], hash="poseidon2_babybear_16")
    >>> opening = commitment.open(3)
    >>> merklize.prover.verify_opening(opening, commitment.cap, [(8, 4)], hash="poseidon2_babybear_16")
    True
    """

    __slots__ = ("__weakref__", "_commitment", "_dtype", "_matrices", "_modulus", "_shapes")

    @takes(RunOptions)
    def __init__(
        self,
        matrices: Words | Array | Tensor | Sequence[Words | Array | Tensor],
        hash: HashName = "blake3",
        *,
        arity: int = 2,
        cap_height: int = 0,
        words: str = "canonical",
        field: str | None = None,
        keep: bool = False,
        drop_levels: int = 0,
        **options: Unpack[RunOptions],
    ) -> None:
        """Commit to the matrices."""
        run = run_of("MatrixCommitment", options)
        read = read_matrices(matrices, run, hash)
        self._modulus = modulus_of(words, field)
        self._commitment = _native.make_commitment(read, hash, arity, cap_height, self._modulus, keep, drop_levels, run)
        self._dtype = read.first.dtype
        self._shapes = read.shapes
        self._matrices = None if keep else read

    @property
    def hash(self) -> HashName:
        """Name of the hash."""
        return cast("HashName", self._commitment.hash)

    @property
    def arity(self) -> int:
        """Children of a node."""
        return self._commitment.arity

    @property
    def cap_height(self) -> int:
        """Layers between the cap and the root."""
        return self._commitment.cap_height

    @property
    def dims(self) -> list[tuple[int, int]]:
        """Rows and columns of each matrix: what a verifier must know."""
        return list(self._shapes)

    @property
    def n_leaves(self) -> int:
        """Rows of the tallest matrix."""
        return self._commitment.n_leaves

    @property
    def height(self) -> int:
        """Layers above the leaves."""
        return self._commitment.height

    @property
    def drop_levels(self) -> int:
        """Lowest layers whose nodes are not kept."""
        return self._commitment.drop_levels

    @property
    def device(self) -> str:
        """Id of the device that made it."""
        return self._commitment.device

    @property
    def on_device(self) -> bool:
        """Whether the nodes are in the memory of `device`, not on the host."""
        return self._commitment.on_device

    @property
    def cap(self) -> Digests:
        """The commitment: digests uint64[c, 4], uint32[c, 8] or uint8[c, 32]; with cap_height 0 the root alone."""
        return self._digests(self._commitment.cap)

    @property
    def root(self) -> bytes:
        """The root, 32 bytes. Raises InvalidArgument if the cap is not the root."""
        if self.cap_height != 0:
            raise InvalidArgument(f"the commitment is a cap of {len(self.cap)} digests, not the root")
        return self._commitment.cap

    def open(self, index: SupportsIndex) -> MatrixOpening:
        """Return the rows of leaf `index` and its path. Raises InvalidArgument: index >= n_leaves or negative."""
        return self.open_many([index])[0]

    def open_many(self, indices: Iterable[SupportsIndex]) -> list[MatrixOpening]:
        """Return one opening for each index, in order. A device makes all of them at once."""
        which = _arrays.indices(indices, "index", self.n_leaves)
        rows, siblings = self._commitment.open_each(which, self._matrices)
        return [
            MatrixOpening(int(index), self._split(row), self._digests(path))
            for index, row, path in zip(which, rows, siblings)
        ]

    def open_together(self, indices: Iterable[SupportsIndex]) -> MatrixMultiOpening:
        """Return one opening of several indices: at least one, in any order, none twice."""
        which = _arrays.indices(indices, "indices", self.n_leaves)
        ascending, rows, siblings = self._commitment.open_together(which, self._matrices)
        size = len(rows) // len(ascending)
        each = [self._split(rows[i * size : (i + 1) * size]) for i in range(len(ascending))]
        return MatrixMultiOpening(ascending, each, self._digests(siblings))

    def _digests(self, data: bytes) -> Digests:
        import numpy as np

        shape, dtype = digest_shape(self.hash, len(data) // 32, self._dtype)
        digests: Digests = np.frombuffer(data, dtype).reshape(shape)
        return digests

    def _split(self, data: bytes) -> list[Array]:
        import numpy as np

        row, rows = np.frombuffer(data, self._dtype), []
        for _, columns in self._shapes:
            rows.append(row[:columns])
            row = row[columns:]
        return rows

    def __repr__(self) -> str:
        """Show the shapes, the hash and the device."""
        return f"<MatrixCommitment of {self._shapes} by {self.hash!r} on {self.device}>"


def verify_opening(
    opening: MatrixOpening | MatrixMultiOpening,
    cap: Digests,
    dims: Iterable[tuple[int, int]],
    hash: HashName = "blake3",
    *,
    arity: int = 2,
    cap_height: int = 0,
    words: str = "canonical",
    field: str | None = None,
) -> bool:
    """Tell whether the rows of an opening are in a commitment. Needs no device.

    opening  of one index or of several, or a tuple of the same fields, from anywhere: malformed fields are False
    cap      the commitment, as MatrixCommitment.cap
    dims     rows and columns of each matrix, as the verifier knows them

    The other arguments are the verifier's own, as those of MatrixCommitment; of hashes of bytes the words' size is that
    of the opening's rows. Raises InvalidArgument: a cap that is no array of digests; dims or options that no commitment
    has; a matrix that is hashed into a layer above the cap, where no opening proves it. TypeError: no opening.
    """
    import numpy as np

    shapes = [_dims(shape) for shape in each_of(dims)]
    modulus = modulus_of(words, field)
    info = hash_info(hash)
    none_holds = _none_holds(shapes, hash, arity, cap_height, modulus)
    top = _arrays.digests(cap, "cap", settings("auto", None), "c")
    if isinstance(top, _native.DeviceArray):
        raise InvalidArgument(f"cap is in the memory of {top.device}: call .numpy() to copy it")
    if not isinstance(opening, (tuple, list)):
        raise TypeError(in_call(f"opening must be a MatrixOpening, got {type(opening).__name__}"))
    try:
        indices: Any
        rows: Any
        indices, rows, siblings = opening
        if isinstance(opening, MatrixOpening) or np.ndim(_arrays.from_lists(indices, "indices")) == 0:
            indices, rows = [indices], [rows]
        which = _arrays.indices(indices, "index", max(n_rows for n_rows, _ in shapes))
        parts = [_arrays.from_lists(part, "rows") for row in rows for part in row]
        nodes = np.ascontiguousarray(_arrays.from_lists(siblings, "siblings"))
    except Exception:
        return none_holds
    widths = [columns for _, columns in shapes] * len(which)
    size = parts[0].dtype.itemsize if parts else 1
    size = (info.element_bits // 8) if info.is_field else 4 if modulus else size
    good = (
        len(parts) == len(widths)
        and all(part.dtype.kind in ("V" if size == 16 else "iu") and part.dtype.itemsize == size for part in parts)
        and all(part.shape == (width,) for part, width in zip(parts, widths))
        and nodes.dtype.kind in "iu"
        and all(part.dtype.isnative for part in (nodes, *parts))
        and size in (1, 4, 8, 16)
    )
    if not good:
        return none_holds
    data = b"".join(part.tobytes() for part in parts)
    return _native.verify_opening(
        which, data, nodes.tobytes(), top.tobytes(), shapes, hash, arity, cap_height, modulus, size
    )


def _dims(shape: Any) -> tuple[int, int]:
    if not isinstance(shape, (tuple, list)) or len(shape) != 2:
        raise TypeError(in_call(f"dims must be (rows, columns) of each matrix, got {type(shape).__name__}"))
    return _arrays.unsigned(shape[0], "dims: rows"), _arrays.unsigned(shape[1], "dims: columns")


def _none_holds(shapes: list[tuple[int, int]], hash: str, arity: int, cap_height: int, modulus: int) -> bool:
    """Return False, after a check of the verifier's own arguments."""
    import numpy as np

    return _native.verify_opening(np.empty(0, np.uint64), b"", b"", b"", shapes, hash, arity, cap_height, modulus, 0)


def heap_slots(n_leaves: int) -> int:
    """Return the number of nodes in the array for merklize.build_tree(): 2^height + n, so 2n for a power of two."""
    return _native.heap_slots(n_leaves)

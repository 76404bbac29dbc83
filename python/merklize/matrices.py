"""Rows of matrices, and commitments to matrices of different heights, as provers make them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, SupportsIndex

from . import _arrays, _native
from ._options import HashOptions, RunOptions, mode_of, run_of, takes
from ._settings import is_blake3, require_plain, settings
from .each import rows_output
from .errors import InvalidArgument, shown
from .hashing import digests_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._native import DeviceArray
    from ._types import Array, Digests, Tensor, Words


FIELDS = {"babybear": 0x78000001, "koalabear": 0x7F000001}
"""The 31-bit fields whose words a hash of bytes can take in Montgomery form, and their moduli."""


def _modulus(words: str, field: str | None) -> int:
    """Return the modulus for words="montgomery", or 0."""
    for name, value in (("words", words), ("field", field)):
        if not isinstance(value, str) and (value is not None or name == "words"):
            raise TypeError(f"{name} must be a string, got {type(value).__name__}")
    if words not in ("canonical", "montgomery"):
        raise InvalidArgument(f"words: must be 'canonical' or 'montgomery', got {shown(words)}")
    if words == "canonical":
        if field is not None:
            raise InvalidArgument(f"field: is for words='montgomery', got {shown(field)} with words='canonical'")
        return 0
    if field not in FIELDS:
        raise InvalidArgument(f"field: words='montgomery' needs one of {', '.join(FIELDS)}, got {shown(field)}")
    return FIELDS[field]


class _Read(NamedTuple):
    """Matrices of a call."""

    native: _native.Matrices
    dtype: Any
    shapes: list[tuple[int, int]]
    beside: Any


def _read(matrices: object, what: str, run: _native.Settings, hash: str) -> _Read:
    if _arrays.is_array(matrices):
        matrices = [matrices]
    if not isinstance(matrices, Iterable):
        raise TypeError(f"{what}: must be given an array or a list of arrays, got {type(matrices).__name__}")
    info = _native.hash_by_name(hash)
    found = [_arrays.matrix(one, f"{what}: matrix {k}", run, info) for k, one in enumerate(matrices)]
    if not found:
        raise InvalidArgument(f"{what}: there must be at least 1 matrix, got 0")
    arrays = [array for array, _ in found]
    places = {_arrays.place(array) for array in arrays}
    if len(places) > 1:
        raise InvalidArgument(f"{what}: matrices must be all on the host or all on one device, got {sorted(places)}")
    types = {str(array.dtype).removeprefix("u") for array in arrays}
    if len(types) > 1:
        raise InvalidArgument(f"{what}: matrices must have words of one size, got {sorted(types)}")
    shapes = [
        (array.shape[1], array.shape[0]) if is_transposed else (array.shape[0], array.shape[1])
        for array, is_transposed in found
    ]
    return _Read(_native.Matrices(found), arrays[0].dtype, shapes, arrays[0])


def _digest_shape(hash: str, n: int, dtype: Any) -> tuple[tuple[int, int], Any]:
    bits = _native.hash_by_name(hash).element_bits
    return ((n, 256 // bits), dtype) if bits else ((n, 32), "uint8")


@takes(HashOptions)
def hash_rows(
    rows: Words | Array | Tensor | Sequence[Words | Array | Tensor],
    hash: str = "blake3",
    *,
    words: str = "canonical",
    field: str | None = None,
    length: int = 32,
    seek: int = 0,
    wait: bool = True,
    out: Tensor | None = None,
    **options: Unpack[HashOptions],
) -> Digests | DeviceArray:
    """Return the digests of rows of equal length: of an array, of a matrix, or of several matrices side by side.

    rows    of a hash of bytes: an array [n, ...] of any dtype, a row being the bytes of one item in C order. Of a field
            hash: words uint64[n, k] or uint32[n, k], or signed ones by their bits, each below the modulus; or of one
            row, [k], whose digest then is uint64[4] or uint32[8].
            Or a list of matrices with equal n: row i of the first, of the second and so on are hashed as one row; of
            hashes of bytes their words are uint8, uint32 or uint64, little endian. Matrices may have any strides
            (row-major, column-major, sliced), and no copy is made of a whole one. All on the host, or all on one device
    hash    one of HASHES; a row is hashed as a leaf, as hash_leaves() does it
    words   "montgomery": a hash of bytes takes uint32 words x of `field` as 2^32 x mod p, as Plonky3's byte hashes over
            31-bit fields do
    field   of words="montgomery": "babybear" or "koalabear"
    length, seek  of "blake3": output bytes, and the first of them, as in hash()
    out     of one array of contiguous rows: where the digests go, uint8[n, 32] or words; with wait=False on a stream

    The digests are uint64[n, 4] or uint32[n, 8] of field hashes, else uint8[n, 32]; those of tensors on a device stay
    there, as a DeviceArray. The options are as in hash(); key and context are of "blake3". With wait=False, a word that
    is not below p is reported by DeviceArray.wait(), without its place. Messages of different lengths: hash_each().
    Raises InvalidArgument: shapes, dtypes, a word that is not below p (with its place).
    """
    key, context = mode_of(options)
    run = run_of("hash_rows", options, wait=wait)
    which = _native.hash_by_name(hash)
    # What nearly every call has is asked first: small arrays take a few microseconds.
    is_whole = type(length) is type(seek) is int and (length, seek) == (32, 0)
    if not is_whole:
        length, seek = _arrays.unsigned(length, "hash_rows: length"), _arrays.unsigned(seek, "hash_rows: seek")
        is_whole = (length, seek) == (32, 0)
        if not is_blake3(hash):
            require_plain("hash_rows", hash, None, None, length, seek)
    modulus = 0 if field is None and type(words) is str and words == "canonical" else _modulus(words, field)
    if isinstance(rows, (bytes, bytearray, memoryview, str)):
        kind = type(rows).__name__
        raise TypeError(f"hash_rows: rows must be an array or a list of matrices, got {kind}; hash() takes one message")
    if modulus == 0 and _arrays.is_array(rows) and (_lies_in_rows(rows) or out is not None or not (wait and is_whole)):
        if not is_whole:
            if not wait or out is not None:
                asked = f"length {shown(length)} from {shown(seek)}"
                raise InvalidArgument(f"hash_rows with wait=False or out gives the first 32 bytes, got {asked}")
            return rows_output(_arrays.byte_rows(rows, "hash_rows: rows", run), key, context, length, seek, run)
        found: Any
        if which.is_field:
            found = _arrays.word_rows(rows, "hash_rows: rows", run, which)
        else:
            found = _arrays.byte_rows(rows, "hash_rows: rows", run)
        return digests_of("hash_rows", found, which, hash, key, context, run, out)
    if out is not None or not wait or not is_whole:
        raise InvalidArgument("hash_rows: out, wait=False, length and seek are for one array, not for several matrices")
    read = _read(rows, "hash_rows", run, hash)
    shape, dtype = _digest_shape(hash, read.shapes[0][0], read.dtype)
    digests: Digests | DeviceArray = _arrays.empty(read.beside, shape, dtype)
    _native.hash_matrix_rows(read.native, digests, hash, key, context, modulus, run)
    return digests


def _lies_in_rows(array: Any) -> bool:
    """Tell whether an array is not a matrix of words, or one whose rows lie one behind the other."""
    flags = getattr(array, "flags", None)
    if getattr(flags, "c_contiguous", False) or isinstance(array, _native.DeviceArray):
        return True
    if hasattr(array, "is_contiguous") and array.is_contiguous():
        return True
    shape, kind = getattr(array, "shape", ()), str(getattr(array, "dtype", "")).rpartition(".")[2]
    return len(shape) != 2 or kind.removeprefix("u") not in ("int8", "int32", "int64")


class MatrixOpening(NamedTuple):
    """One row of each matrix, with what shows that they are in a commitment."""

    index: int  # type: ignore[assignment]  # tuple.index() is not there any more
    """Of the leaf: a row of the tallest matrix."""
    rows: list[Array]
    """A row of each matrix, in their order; of a lower one row `index >> k`, where 2^k is how much lower it is."""
    siblings: Digests
    """For each layer below the cap, from the leaves on, the other children of the group: uint64[m, 4] and so on."""


class MatrixMultiOpening(NamedTuple):
    """Rows of several indices; each digest that a verifier cannot compute is there once."""

    indices: list[int]
    """Ascending."""
    rows: list[list[Array]]
    """Of each index, a row of each matrix."""
    siblings: Digests
    """Layer by layer from the leaves on, left to right."""


class MatrixCommitment:
    """A Merkle tree over the rows of matrices of different heights: Plonky3's MerkleTreeMmcs.

    The rows of the tallest matrices, side by side, are hashed to the leaves; rows of a lower matrix are hashed into the
    layer with as many nodes (docs/provers.md). The nodes are in the memory of the device that made them, or on the host
    if that is the CPU or they do not fit. A single matrix of 2^k rows has the root of MerkleTree.from_rows().
    Safe to use from several threads.

    matrices    one matrix or a list, as hash_rows() takes them, but of different heights: beside one of h rows, those
                of ceil(h / 2^k) rows for any k
    hash        one of HASHES
    arity       children of a node: 2, or 4 for the Plonky3 hashes, some hashes of bytes, and poseidon2() of constants
                with a `quad`
    cap_height  layers between the cap and the root; 0: the cap is the root
    words, field  as in hash_rows()
    keep        True: copies of the matrices stay on the device for openings. False: the arrays that were given are kept
                instead, and must not change
    device      "auto", or an id of devices(); matrices on a device are hashed there

    The other options are as in MerkleTree. Raises InvalidArgument (shapes, dtypes, heights that the rule does not take,
    a word that is not below p), OutOfMemory, Cancelled.
    """

    __slots__ = ("__weakref__", "_commitment", "_dtype", "_matrices", "_modulus", "_shapes")

    @takes(RunOptions)
    def __init__(
        self,
        matrices: Words | Array | Tensor | Sequence[Words | Array | Tensor],
        hash: str = "blake3",
        *,
        arity: int = 2,
        cap_height: int = 0,
        words: str = "canonical",
        field: str | None = None,
        keep: bool = False,
        **options: Unpack[RunOptions],
    ) -> None:
        """Commit to the matrices."""
        run = run_of("MatrixCommitment", options)
        read = _read(matrices, "MatrixCommitment", run, hash)
        self._modulus = _modulus(words, field)
        self._commitment = _native.make_commitment(read.native, hash, arity, cap_height, self._modulus, keep, run)
        self._dtype = read.dtype
        self._shapes = read.shapes
        self._matrices = None if keep else read.native

    @property
    def hash(self) -> str:
        """Name of the hash."""
        return self._commitment.hash

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
            raise InvalidArgument(f"root: the commitment is a cap of {len(self.cap)} digests, not the root")
        return self._commitment.cap

    def open(self, index: SupportsIndex) -> MatrixOpening:
        """Return the rows of leaf `index` and its path. Raises InvalidArgument: index >= n_leaves or negative."""
        return self.open_many([index])[0]

    def open_many(self, indices: Iterable[SupportsIndex]) -> list[MatrixOpening]:
        """Return an opening of each index, in order. All of them come from a device at once."""
        which = _arrays.indices(indices, "open: index", self.n_leaves)
        rows, siblings = self._commitment.open_each(which, self._matrices)
        return [
            MatrixOpening(int(index), self._split(row), self._digests(path))
            for index, row, path in zip(which, rows, siblings)
        ]

    def open_together(self, indices: Iterable[SupportsIndex]) -> MatrixMultiOpening:
        """Return one opening of several indices, in any order, no one twice, at least one."""
        which = _arrays.indices(indices, "open_together: indices", self.n_leaves)
        ascending, rows, siblings = self._commitment.open_together(which, self._matrices)
        size = len(rows) // len(ascending)
        each = [self._split(rows[i * size : (i + 1) * size]) for i in range(len(ascending))]
        return MatrixMultiOpening(ascending, each, self._digests(siblings))

    def _digests(self, data: bytes) -> Digests:
        import numpy as np

        shape, dtype = _digest_shape(self.hash, len(data) // 32, self._dtype)
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
        """Show what it is of."""
        return f"<MatrixCommitment of {self._shapes} by {self.hash!r} on {self.device}>"


def verify_matrix_opening(
    opening: MatrixOpening | MatrixMultiOpening,
    cap: Digests,
    dims: Iterable[tuple[int, int]],
    hash: str = "blake3",
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
    has; a matrix that is hashed into a layer above the cap, where nothing shows its rows. TypeError: no opening.
    """
    import numpy as np

    shapes = [_dims(one) for one in dims]
    modulus = _modulus(words, field)
    info = _native.hash_by_name(hash)
    none_holds = _none_holds(shapes, hash, arity, cap_height, modulus)
    top = _arrays.digests(cap, "verify_matrix_opening: cap", settings("auto", None), "c")
    if isinstance(top, _native.DeviceArray):
        raise InvalidArgument(f"verify_matrix_opening: cap is in the memory of {top.device}: call .numpy() to copy it")
    if not isinstance(opening, (tuple, list)):
        raise TypeError(f"verify_matrix_opening: opening must be a MatrixOpening, got {type(opening).__name__}")
    try:
        indices: Any
        rows: Any
        indices, rows, siblings = opening
        if isinstance(opening, MatrixOpening) or np.ndim(indices) == 0:
            indices, rows = [indices], [rows]
        which = _arrays.indices(indices, "index", max(n_rows for n_rows, _ in shapes))
        parts = [np.asarray(part) for row in rows for part in row]
        nodes = np.ascontiguousarray(siblings)
    except Exception:
        return none_holds
    widths = [columns for _, columns in shapes] * len(which)
    size = parts[0].dtype.itemsize if parts else 1
    size = (info.element_bits // 8) if info.is_field else 4 if modulus else size
    good = (
        len(parts) == len(widths)
        and all(part.dtype.kind in "iu" and part.dtype.itemsize == size for part in parts)
        and all(part.shape == (width,) for part, width in zip(parts, widths))
        and all(part.dtype.kind in "iu" and part.dtype.isnative for part in (nodes, *parts))
        and size in (1, 4, 8)
    )
    if not good:
        return none_holds
    data = b"".join(part.tobytes() for part in parts)
    return _native.verify_opening(
        which, data, nodes.tobytes(), top.tobytes(), shapes, hash, arity, cap_height, modulus, size
    )


def _dims(one: Any) -> tuple[int, int]:
    if not isinstance(one, (tuple, list)) or len(one) != 2:
        raise TypeError(f"dims must be (rows, columns) of each matrix, got {type(one).__name__}")
    return _arrays.unsigned(one[0], "dims: rows"), _arrays.unsigned(one[1], "dims: columns")


def _none_holds(shapes: list[tuple[int, int]], hash: str, arity: int, cap_height: int, modulus: int) -> bool:
    """Return False, after the verifier's own arguments were checked."""
    import numpy as np

    return _native.verify_opening(np.empty(0, np.uint64), b"", b"", b"", shapes, hash, arity, cap_height, modulus, 0)

"""Rows of equal length: of an array, of a matrix, or of several matrices side by side."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from . import _arrays, _native
from ._inputs import each_of
from ._native import DeviceArray
from ._options import HashOptions, mode_of, run_of, signature_of, takes
from ._settings import hash_info, is_blake3, require_plain
from ._types import Array, Digests, HashName, Tensor, Words
from .each import rows_output
from .errors import InvalidArgument, in_call, shown
from .hashing import digests_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

FIELDS = {"babybear": 0x78000001, "koalabear": 0x7F000001}
"""The 31-bit fields whose words a hash of bytes can take in Montgomery form, and their moduli."""


def modulus_of(words: str, field: str | None) -> int:
    """Return the modulus for words="montgomery", else 0."""
    for name, value in (("words", words), ("field", field)):
        if not isinstance(value, str) and (value is not None or name == "words"):
            raise TypeError(in_call(f"{name} must be a string, got {type(value).__name__}"))
    if words not in ("canonical", "montgomery"):
        raise InvalidArgument(f"words must be 'canonical' or 'montgomery', got {shown(words)}")
    if words == "canonical":
        if field is not None:
            raise InvalidArgument(f"field is for words='montgomery', got {shown(field)} with words='canonical'")
        return 0
    if field not in FIELDS:
        raise InvalidArgument(f"words='montgomery' needs field, one of {', '.join(FIELDS)}, got {shown(field)}")
    return FIELDS[field]


def read_matrices(matrices: object, run: _native.Settings, hash: str) -> _native.Matrices:
    if _arrays.is_array(matrices):
        matrices = [matrices]
    if not isinstance(matrices, Iterable):
        raise TypeError(in_call(f"must be given an array or a list of arrays, got {type(matrices).__name__}"))
    return _native.Matrices(each_of(matrices), hash_info(hash), run)


def digest_shape(hash: str, n: int, dtype: Any) -> tuple[tuple[int, int], Any]:
    bits = _native.hash_by_name(hash).element_bits
    return ((n, 256 // bits), dtype) if bits else ((n, 32), "uint8")


@takes(HashOptions)
def hash_rows(
    rows: Words | Array | Tensor | Sequence[Words | Array | Tensor],
    hash: HashName = "blake3",
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
            hashes of bytes their words are uint8, uint32, uint64 or, on the host, V16 (16 bytes, such as elements of
            GF(2^128)), little endian. Matrices may have any strides (row-major, column-major, sliced), and no copy is
            made of a whole one. All on the host, or all on one device
    hash    one of HASHES; a row is hashed as a leaf, as hash_leaves() does it
    words   "montgomery": a hash of bytes takes uint32 words x of `field` as 2^32 x mod p, as Plonky3's byte hashes over
            31-bit fields do
    field   of words="montgomery": "babybear" or "koalabear"
    length, seek  of "blake3": output bytes, and the first of them, as in hash()
    out     of one array of contiguous rows: where the digests go, uint8[n, 32] or words; with wait=False on a stream

    The digests are uint64[n, 4] or uint32[n, 8] of field hashes, int64 or int32 if the words are; else uint8[n, 32].
    Those of tensors on a device stay there, as a DeviceArray. The options are as in hash(); key is of "blake3" and
    "blake2s", context of "blake3". With wait=False, a word that is not below p is reported by DeviceArray.wait(),
    without its place. Messages of different lengths: hash_each().
    Raises InvalidArgument: shapes, dtypes, a word that is not below p (with its place).

    >>> merklize.hash_rows(np.zeros((3, 100), np.uint8)).shape
    (3, 32)
    """
    key, context = mode_of(options)
    run = run_of("hash_rows", options, wait=wait)
    which = hash_info(hash)
    # The usual case first, because a call with a small array takes only a few microseconds.
    is_whole = type(length) is type(seek) is int and (length, seek) == (32, 0)
    if not is_whole:
        length, seek = _arrays.unsigned(length, "length"), _arrays.unsigned(seek, "seek")
        is_whole = (length, seek) == (32, 0)
        if not is_blake3(hash):
            require_plain(hash, None, None, length, seek, of_rows=True)
    is_canonical = field is None and type(words) is str and words == "canonical"
    modulus = 0 if is_canonical else modulus_of(words, field)
    if isinstance(rows, (bytes, bytearray, memoryview, str)):
        kind = type(rows).__name__
        raise TypeError(in_call(f"rows must be an array or a list of matrices, got {kind}; hash() takes one message"))
    if modulus == 0 and _arrays.is_array(rows) and (_lies_in_rows(rows) or out is not None or not (wait and is_whole)):
        if not is_whole:
            if not wait or out is not None:
                asked = f"length {shown(length)} from {shown(seek)}"
                raise InvalidArgument(f"with wait=False or out the first 32 bytes are given, got {asked}")
            return rows_output(_native.byte_rows(rows, "rows", run), key, context, length, seek, run)
        found = _native.word_rows(rows, "rows", which, run) if which.is_field else _native.byte_rows(rows, "rows", run)
        return digests_of(found, which, hash, key, context, run, out)
    if out is not None or not wait or not is_whole:
        raise InvalidArgument("out, wait=False, length and seek are for one array, not for several matrices")
    matrices = read_matrices(rows, run, hash)
    shape, dtype = digest_shape(hash, matrices.shapes[0][0], matrices.first.dtype)
    digests: Digests | DeviceArray = _arrays.empty(matrices.first, shape, dtype)
    _native.hash_matrix_rows(matrices, digests, hash, key, context, modulus, run)
    return digests


if not TYPE_CHECKING:  # as hash() in hashing.py
    hash_rows = _native.quick_hash_rows(hash_rows, signature_of(hash_rows))


def _lies_in_rows(array: Any) -> bool:
    """Tell whether an array is no matrix of words, or a matrix with contiguous rows."""
    flags = getattr(array, "flags", None)
    if getattr(flags, "c_contiguous", False) or isinstance(array, _native.DeviceArray):
        return True
    if hasattr(array, "is_contiguous") and array.is_contiguous():
        return True
    shape, kind = getattr(array, "shape", ()), str(getattr(array, "dtype", "")).rpartition(".")[2]
    return len(shape) != 2 or kind.removeprefix("u") not in ("int8", "int32", "int64")

"""Poseidon2 and Poseidon with the constants of a caller."""

from __future__ import annotations

import array
from collections.abc import Sequence
from typing import Any, cast

from . import _native
from ._types import GivenHash
from .errors import InvalidArgument, in_call, shown

MOST_DEPTH = 4
"""How deep lists of constants may be nested."""


def poseidon2(
    field: str,
    width: int,
    rate: int,
    rounds: tuple[int, int],
    constants: Sequence[Any],
    diagonal: Sequence[int],
    *,
    quad: tuple[tuple[int, int], Sequence[Any], Sequence[int]] | None = None,
) -> GivenHash:
    """Make a hash of a prover's own constants, and return its name, which works wherever the name of a hash does.

    field      "goldilocks" (x^7), "babybear" (x^7) or "koalabear" (x^3)
    width      cells: 8, 12 or 16 over Goldilocks, 16, 24 or 32 over the others
    rate       words of a row that one permutation takes, 1 to width - 1
    rounds     (external, internal); half of the external ones are before the internal ones, half after
    constants  in the order of use: (initial[external / 2, width], internal[internal], terminal[external / 2, width]),
               or all of them in one list; lists or arrays of words below p
    diagonal   [width] words d: an internal round makes cell i = sum of all cells + d[i] * cell i
    quad       (rounds, constants, diagonal) of another permutation over the field, of 16 cells over Goldilocks and 32
               over the others, for MatrixCommitment(arity=4): the merge of four is TruncatedPermutation<4, digest,
               16 or 32>. Without it the hash has no merge of four

    Rows go through Plonky3's PaddingFreeSponge<width, rate, digest>, pairs through TruncatedPermutation<2, digest,
    width>.

    The name is "poseidon2:" and a digest of the constants (docs/hashes.md), those of `quad` too. It stands for the hash
    in files and proofs. A process that opens them must have called this before with the same constants; else they are
    refused by that name.

    The constants stay in memory until the process ends, because a name of them may be in use anywhere; a process has
    room for 127 sets, of poseidon2() and poseidon() together. The same constants again are the same set.

    Raises InvalidArgument for a shape that does not fit, for a word that is not below p, with its index, and for more
    than 127 sets of constants in one process.
    """
    four = None
    if quad is not None:
        if not isinstance(quad, (tuple, list)) or len(quad) != 3:
            raise InvalidArgument(f"quad must be (rounds, constants, diagonal), got {type(quad).__name__}")
        four = _permutation(*quad, "quad: ")
    return cast(
        "GivenHash",
        _native.poseidon2(field, width, rate, _permutation(rounds, constants, diagonal, ""), four),
    )


def poseidon(
    field: str,
    width: int,
    rate: int,
    rounds: tuple[int, int],
    constants: Sequence[Any],
    matrix: Sequence[Any],
) -> GivenHash:
    """Make a hash of a prover's own constants of Poseidon, version 1, as poseidon2() does of Poseidon2's.

    field      "goldilocks" (x^7), "babybear" (x^7) or "koalabear" (x^3)
    width      cells: 8 or 12 over Goldilocks, 16 or 24 over the others
    rate       words of a row that one permutation takes, 1 to width - 1
    rounds     (full, partial); half of the full ones are before the partial ones, half after
    constants  [full + partial, width] words below p, in the order of use; lists or arrays, in one or more parts
    matrix     the MDS matrix: [width, width] words; or [width] words, the first row of a circulant one, each of whose
               rows is the one above it moved right by a cell

    The name is "poseidon:" and a digest of the constants. The hash has no merge of four. The constants stay until the
    process ends: see poseidon2().

    Raises InvalidArgument as poseidon2() does, and for a matrix that has no inverse, or has none without its first row
    and column, which no MDS matrix is.
    """
    full, partial = _rounds(rounds, "(full, partial)", "")
    given = full, partial, _words(constants, "constants"), _words(matrix, "matrix")
    return cast("GivenHash", _native.poseidon(field, width, rate, given))


def _permutation(rounds: object, constants: object, diagonal: object, of: str) -> tuple[Any, Any, bytes, bytes]:
    external, internal = _rounds(rounds, "(external, internal)", of)
    return external, internal, _constants(constants, internal, of), _words(diagonal, f"{of}diagonal")


def _rounds(rounds: object, wanted: str, of: str) -> tuple[Any, Any]:
    if not isinstance(rounds, (tuple, list)) or len(rounds) != 2:
        raise InvalidArgument(f"{of}rounds must be {wanted}, got {shown(rounds)}")
    return rounds[0], rounds[1]


def _constants(constants: object, internal: object, of: str) -> bytes:
    parts = _listed(constants, f"{of}constants")
    if len(parts) != 3 or isinstance(parts[1], int):
        return _words(parts, f"{of}constants")
    middle = _words(parts[1], f"{of}constants[1]")
    if len(middle) != 8 * (internal if isinstance(internal, int) else -1):
        raise InvalidArgument(
            f"{of}constants must be (initial, internal, terminal): the second part must have one word for "
            f"each of {shown(internal)} internal rounds, got {len(middle) // 8} words"
        )
    return _words(parts[0], f"{of}constants[0]") + middle + _words(parts[2], f"{of}constants[2]")


def _listed(values: object, what: str) -> list[Any]:
    made = values.tolist() if hasattr(values, "tolist") else values
    if not isinstance(made, (list, tuple)):
        raise TypeError(in_call(f"{what} must be a list or an array of integers, got {type(values).__name__}"))
    return list(made)


def _words(values: object, what: str, depth: int = 0) -> bytes:
    """Return the words of nested lists, one after another."""
    if depth == MOST_DEPTH:  # a list may hold itself
        raise InvalidArgument(f"{what} must be lists that are nested at most {MOST_DEPTH} deep")
    words = array.array("Q")
    for i, value in enumerate(_listed(values, what)):
        if isinstance(value, (list, tuple)) or hasattr(value, "tolist"):
            word = value.tolist() if hasattr(value, "tolist") else value
            if isinstance(word, (list, tuple)):
                words.frombytes(_words(word, f"{what}[{i}]", depth + 1))
                continue
            value = word
        if not isinstance(value, int) or isinstance(value, bool):
            raise TypeError(in_call(f"{what}[{i}] must be an integer, got {type(value).__name__}"))
        if not 0 <= value < 2**64:
            raise InvalidArgument(
                f"{what}[{i}] is {shown(value)}, not a field element: it must be 0 or more and below p"
            )
        words.append(value)
    return words.tobytes()

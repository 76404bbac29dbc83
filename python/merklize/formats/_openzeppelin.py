"""Trees of OpenZeppelin's @openzeppelin/merkle-tree, which Solidity's MerkleProof verifies."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import _arrays, _json, _native
from .._inputs import each_of, numbered
from .._options import RunOptions, run_of, takes
from .._settings import Steps, settings
from .._types import Bytes, Digest
from ..errors import InvalidArgument, in_call, shown
from . import _abi

if TYPE_CHECKING:
    from typing_extensions import Unpack

STANDARD, SIMPLE = "standard-v1", "simple-v1"


class OpenZeppelinMultiProof(NamedTuple):
    """A proof of several leaves, for Solidity's `MerkleProof.multiProofVerify`."""

    leaves: list[bytes]
    """In the order that the verifier needs."""
    proof: list[bytes]
    proof_flags: list[bool]


class OpenZeppelinTree:
    """A tree of @openzeppelin/merkle-tree: standard (values by ABI types) or simple (leaves of 32 bytes).

    Made by openzeppelin(), openzeppelin_simple() or load(). Pairs are sorted, so proofs carry no directions. The index
    of a value is its position in the given order.
    """

    __slots__ = ("__weakref__", "_tree", "leaf_encoding", "values")

    values: list[Any]
    """A copy of the values, in the given order; for a simple tree, leaves of 32 bytes."""
    leaf_encoding: list[str] | None
    """The ABI types of a value; None: a simple tree."""

    def __init__(self, values: list[Any], leaf_encoding: list[str] | None, tree: _native.OpenZeppelinTree) -> None:
        """Wrap a finished tree. Use openzeppelin(), openzeppelin_simple() or load() instead."""
        self.values, self.leaf_encoding, self._tree = [_own(value) for value in each_of(values)], leaf_encoding, tree

    @property
    def root(self) -> bytes:
        """The root, 32 bytes."""
        return bytes(self.nodes[0])

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return self._tree.n_leaves

    @property
    def nodes(self) -> Bytes:
        """All 2n - 1 nodes in the package's order, uint8[2n - 1, 32]: the root first. A read-only view."""
        return _digests(self._tree)

    def leaf(self, index: int) -> bytes:
        """Return the leaf of value `index`."""
        return bytes(self.nodes[self._tree.tree_index(index)])

    def _tree_indices(self) -> list[int]:
        return [self._tree.tree_index(index) for index in range(self.n_leaves)]

    def prove(self, index: int) -> list[bytes]:
        """Return the proof of value `index`: siblings, from the leaf up, as `getProof` gives it."""
        return _split(self._tree.prove(index))

    def verify(self, index: int, proof: Iterable[bytes]) -> bool:
        """Tell whether the proof leads from value `index` to this root."""
        return verify_openzeppelin(proof, self.root, self.leaf(index))

    def prove_together(self, indices: Sequence[int]) -> OpenZeppelinMultiProof:
        """Return the proof of several values, as `getMultiProof` gives it.

        Raises InvalidArgument: an index that is none, or twice.
        """
        which = _arrays.indices(indices, "indices", self.n_leaves)
        leaves, proof, flags = self._tree.prove_together(which)
        return OpenZeppelinMultiProof(_split(leaves), _split(proof), flags)

    def dump(self) -> dict[str, Any]:
        """Return the dump that `StandardMerkleTree.load` or `SimpleMerkleTree.load` reads, ready for JSON."""
        tree = ["0x" + node.tobytes().hex() for node in self.nodes]
        values = [{"value": _plain(value), "treeIndex": at} for value, at in zip(self.values, self._tree_indices())]
        if self.leaf_encoding is None:
            return {"format": SIMPLE, "tree": tree, "values": values}
        return {"format": STANDARD, "leafEncoding": self.leaf_encoding, "tree": tree, "values": values}

    @classmethod
    def load(cls, dump: dict[str, Any] | str | bytes) -> OpenZeppelinTree:
        """Return the tree of a dump, an object or its JSON text. All its nodes are computed again and compared.

        Raises InvalidArgument: another format, or nodes that do not fit the values.
        """
        try:
            found: dict[str, Any] = _json.read(dump) if isinstance(dump, (str, bytes)) else dump
            kind = found["format"]
            if kind not in (STANDARD, SIMPLE):
                raise InvalidArgument(f"format must be {STANDARD!r} or {SIMPLE!r}, got {shown(kind)}")
            if found.get("hash") is not None:
                raise InvalidArgument("the tree has a node hash of its own")
            types = list(found["leafEncoding"]) if kind == STANDARD else None
            values = [_number_of_dump(entry["value"]) for entry in found["values"]]
            places = [operator.index(entry["treeIndex"]) for entry in found["values"]]
            given = np.array([list(_node(node)) for node in found["tree"]], np.uint8).reshape(-1, 32)
        except InvalidArgument:
            raise
        except (LookupError, TypeError, AttributeError, ValueError, OverflowError, RecursionError) as error:
            raise InvalidArgument(f"not a dump of a tree: {shown(str(error))}") from None
        n = len(values)
        if len(given) != 2 * n - 1 or sorted(places) != list(range(n - 1, 2 * n - 1)):
            raise InvalidArgument(f"{n} values need {2 * n - 1} nodes and a slot each, got {len(given)} nodes")
        values = [_simple_leaf(value, "value") for value in values] if types is None else values
        tree = cls._placed(values, types, places)
        if not np.array_equal(tree.nodes, given):
            first = int(np.nonzero((tree.nodes != given).any(axis=1))[0][0])
            raise InvalidArgument(f"node {first} of the dump is not the hash of what is below it")
        return tree

    @classmethod
    def _placed(cls, values: list[Any], types: list[str] | None, places: list[int]) -> OpenZeppelinTree:
        run = settings("auto", None, timed=False)
        return cls(values, types, _tree(values, types, False, np.array(places, np.uint64), run))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the values and their places."""
        return type(self)._placed, (self.values, self.leaf_encoding, self._tree_indices())


@takes(RunOptions)
def openzeppelin(
    values: Sequence[Sequence[Any]],
    types: Sequence[str],
    *,
    sort_leaves: bool = True,
    **options: Unpack[RunOptions],
) -> OpenZeppelinTree:
    """Return the StandardMerkleTree of values, each a list of one field a type.

    types        Solidity's: address, uint256, bytes32, string, uint8[] and so on
    sort_leaves  the package's default

    A leaf is Keccak-256 of Keccak-256 of abi.encode(value), so no inner node can pose as a leaf.
    Raises InvalidArgument: no values, values that do not fit their types.

    >>> tree = merklize.formats.openzeppelin([["0x" + "11" * 20, 5], ["0x" + "22" * 20, 7]], ["address", "uint256"])
    >>> merklize.formats.verify_openzeppelin(tree.prove(1), tree.root, tree.leaf(1))
    True
    """
    if not isinstance(types, (list, tuple)):
        raise TypeError(in_call(f"types must be a list of ABI types, got {type(types).__name__}"))
    run = run_of("openzeppelin", options, timed=False)
    return _make(list(_abi.checked(types, values)), list(types), sort_leaves, run)


@takes(RunOptions)
def openzeppelin_simple(leaves: Any, *, sort_leaves: bool = True, **options: Unpack[RunOptions]) -> OpenZeppelinTree:
    """Return the SimpleMerkleTree of leaves: uint8[n, 32], or a list of 32 bytes each (also as "0x..." text).

    A shorter leaf is filled up with zeros at its end, as by the package. Leaves must be hashes: a leaf that is 64 bytes
    before hashing could pose as an inner node.
    """
    given = [
        _simple_leaf(leaf.tobytes() if isinstance(leaf, np.ndarray) else leaf, f"leaf {i}")
        for i, leaf in numbered(leaves)
    ]
    run = run_of("openzeppelin_simple", options, timed=False)
    return _make(given, None, sort_leaves, run)


def verify_openzeppelin(proof: Iterable[Digest], root: Digest, leaf: Digest) -> bool:
    """Tell whether the proof leads from the leaf to the root, as Solidity's `MerkleProof.verify(proof, root, leaf)`.

    Each digest is 32 bytes, or 64 hexadecimal digits with or without 0x. A malformed digest in the proof is False.
    Raises InvalidArgument: the root or the leaf is no digest.
    """
    expected, first = _node(root, "root"), _node(leaf, "leaf")
    try:
        siblings = b"".join(map(_node, each_of(proof)))
    except InvalidArgument:
        return False
    return _native.verify_openzeppelin(siblings, expected, first)


def _make(values: list[Any], types: list[str] | None, sort_leaves: bool, run: _native.Settings) -> OpenZeppelinTree:
    if not values:
        raise InvalidArgument("a tree needs at least one value, got 0")
    return OpenZeppelinTree(values, types, _tree(values, types, sort_leaves, None, run))


def _own(value: Any) -> Any:
    """Return a value that was encoded as the tree keeps it: a copy, of types that pickle and JSON know."""
    if isinstance(value, (str, bytes, bool, float)):
        return value
    if isinstance(value, (bytearray, memoryview)):
        return bytes(value)
    if isinstance(value, Mapping):
        return {name: _own(one) for name, one in value.items()}
    if hasattr(value, "__len__"):
        return (tuple if isinstance(value, tuple) else list)(map(_own, value))
    return operator.index(value)


def _tree(
    values: list[Any], types: list[str] | None, sort_leaves: bool, places: Any, run: _native.Settings
) -> _native.OpenZeppelinTree:
    n = len(values)
    steps = Steps(run.progress, n if types is None else 3 * n)  # encoding, leaves, inner nodes
    run = steps.over(run, timed=False)
    if types is None:
        leaves = b"".join(values)
    else:
        encoded: list[bytes] = []
        for at in range(0, n, 1024):
            some = values[at : at + 1024]
            steps.step(len(some))
            encoded += _abi.encode(types, some)
        steps.step(n)
        leaves = _native.openzeppelin_leaves(encoded, run)
    steps.step(n)
    return _native.make_openzeppelin_tree(leaves, sort_leaves, places, run)


def _digests(data: Any) -> Bytes:
    return np.frombuffer(data, np.uint8).reshape(-1, 32)


def _split(digests: bytes) -> list[bytes]:
    return [digests[at : at + 32] for at in range(0, len(digests), 32)]


def _simple_leaf(value: Any, what: str) -> bytes:
    return _abi.bytes_of(value, what, 32).ljust(32, b"\0")


def _node(value: Any, what: str = "node") -> bytes:
    try:
        return _native.digest(value, what)
    except TypeError:
        kind = type(value).__name__
        raise InvalidArgument(f"{what} must be bytes-like, an array or 64 hexadecimal digits, got {kind}") from None


def _number_of_dump(value: Any) -> Any:
    """Return a value of a dump, with integers beyond 2^53 as JavaScript reads them, whose leaves the package makes."""
    if isinstance(value, (list, tuple)):
        return [_number_of_dump(one) for one in value]
    return int(float(value)) if type(value) is int and abs(value) > 2**53 else value


def _plain(value: Any) -> Any:
    """Return a value for JSON: bytes as 0x and digits, large integers as decimal text."""
    if isinstance(value, (bytes, bytearray)):
        return "0x" + bytes(value).hex()
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value

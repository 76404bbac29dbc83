"""Trees of OpenZeppelin's @openzeppelin/merkle-tree, which Solidity's MerkleProof verifies."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import InvalidArgument
from ..hashing import hash_leaves, merge
from . import _abi

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from .._types import Device

NODE = "keccak256_sorted"
STANDARD, SIMPLE = "standard-v1", "simple-v1"


class OpenZeppelinMultiProof(NamedTuple):
    """A proof of several leaves, for Solidity's `MerkleProof.multiProofVerify`."""

    leaves: list[bytes]
    """In the order that the verifier needs."""
    proof: list[bytes]
    proof_flags: list[bool]


class OpenZeppelinTree:
    """A tree of @openzeppelin/merkle-tree: standard (values by ABI types) or simple (leaves of 32 bytes).

    Made by openzeppelin(), openzeppelin_simple() or load(). Pairs are sorted, so proofs carry no directions. Values are
    named by their index in the order in which they were given.
    """

    __slots__ = ("_by_leaf", "_nodes", "_slots", "leaf_encoding", "values")

    values: list[Any]
    """The values, in the order in which they were given; of a simple tree leaves of 32 bytes."""
    leaf_encoding: list[str] | None
    """The ABI types of a value; None: a simple tree."""
    _nodes: NDArray[np.uint8]
    _slots: list[int]

    def __init__(
        self, values: list[Any], leaf_encoding: list[str] | None, nodes: NDArray[np.uint8], slots: list[int]
    ) -> None:
        """Take what is made already: use openzeppelin(), openzeppelin_simple() or load()."""
        self.values, self.leaf_encoding, self._nodes, self._slots = values, leaf_encoding, nodes, slots

    @property
    def root(self) -> bytes:
        """The root, 32 bytes."""
        return bytes(self._nodes[1])

    @property
    def n_leaves(self) -> int:
        """Count of leaves."""
        return len(self.values)

    @property
    def nodes(self) -> NDArray[np.uint8]:
        """All 2n - 1 nodes in the package's order, uint8[2n - 1, 32]: the root first. A view."""
        return self._nodes[1:]

    def leaf(self, index: int) -> bytes:
        """Return the leaf of value `index`."""
        return bytes(self._nodes[self._slot(index)])

    def _slot(self, index: int) -> int:
        if not 0 <= index < len(self.values):
            raise InvalidArgument(f"index must be 0 to {len(self.values) - 1}, got {index}")
        return self._slots[index]

    def prove(self, index: int) -> list[bytes]:
        """Return the proof of value `index`: siblings, from the leaf up, as `getProof` gives it."""
        slot, proof = self._slot(index), []
        while slot > 1:
            proof.append(self._nodes[slot ^ 1].tobytes())
            slot //= 2
        return proof

    def verify(self, index: int, proof: Iterable[bytes]) -> bool:
        """Tell whether the proof leads from value `index` to this root."""
        return verify(self.root, self.leaf(index), proof)

    def prove_many(self, indices: Sequence[int]) -> OpenZeppelinMultiProof:
        """Return the proof of several values, as `getMultiProof` gives it.

        Raises InvalidArgument: an index that is none, or twice.
        """
        slots = sorted((self._slot(index) for index in indices), reverse=True)
        for one, other in zip(slots, slots[1:]):
            if one == other:
                raise InvalidArgument("a proof of several values takes each index once")
        queue, proof, flags = list(slots), [], []
        at = 0
        while at < len(queue) and queue[at] > 1:
            slot = queue[at]
            at += 1
            if at < len(queue) and queue[at] == slot ^ 1:
                flags.append(True)
                at += 1
            else:
                flags.append(False)
                proof.append(self._nodes[slot ^ 1].tobytes())
            queue.append(slot // 2)
        if not indices:
            proof.append(self.root)
        return OpenZeppelinMultiProof([self._nodes[slot].tobytes() for slot in slots], proof, flags)

    def dump(self) -> dict[str, Any]:
        """Return what `StandardMerkleTree.load` or `SimpleMerkleTree.load` reads, ready for JSON."""
        tree = ["0x" + node.tobytes().hex() for node in self.nodes]
        values = [{"value": _plain(value), "treeIndex": slot - 1} for value, slot in zip(self.values, self._slots)]
        if self.leaf_encoding is None:
            return {"format": SIMPLE, "tree": tree, "values": values}
        return {"format": STANDARD, "leafEncoding": self.leaf_encoding, "tree": tree, "values": values}

    @classmethod
    def load(cls, dump: dict[str, Any] | str | bytes) -> OpenZeppelinTree:
        """Return the tree of a dump, an object or its JSON text. All its nodes are computed again and compared.

        Raises InvalidArgument: another format, or nodes that do not fit the values.
        """
        found: dict[str, Any] = json.loads(dump) if isinstance(dump, (str, bytes)) else dump
        try:
            kind = found["format"]
            if kind not in (STANDARD, SIMPLE):
                raise InvalidArgument(f"load: format must be {STANDARD!r} or {SIMPLE!r}, got {kind!r}")
            if found.get("hash") is not None:
                raise InvalidArgument("load: the tree has a node hash of its own")
            types = list(found["leafEncoding"]) if kind == STANDARD else None
            values = [entry["value"] for entry in found["values"]]
            slots = [entry["treeIndex"] + 1 for entry in found["values"]]
            given = np.array([list(_node(node)) for node in found["tree"]], np.uint8).reshape(-1, 32)
        except (KeyError, TypeError, ValueError) as error:
            raise InvalidArgument(f"load: not a dump of a tree: {error!r}") from None
        n = len(values)
        if len(given) != 2 * n - 1 or sorted(slots) != list(range(n, 2 * n)):
            raise InvalidArgument(f"load: {n} values need {2 * n - 1} nodes and a slot each, got {len(given)} nodes")
        values = [_node(value) for value in values] if types is None else values
        leaves = _leaves(values, types)
        nodes = np.zeros((2 * n, 32), np.uint8)
        nodes[slots] = leaves
        _fill(nodes, "auto", None)
        if not np.array_equal(nodes[1:], given):
            first = int(np.nonzero((nodes[1:] != given).any(axis=1))[0][0])
            raise InvalidArgument(f"load: node {first} of the dump is not the hash of what is below it")
        return cls(values, types, nodes, slots)


def openzeppelin(
    values: Sequence[Sequence[Any]],
    types: Sequence[str],
    *,
    sort_leaves: bool = True,
    device: Device = "auto",
    threads: int | None = None,
) -> OpenZeppelinTree:
    """Return the StandardMerkleTree of values, each a list of one field a type.

    types        Solidity's: address, uint256, bytes32, string, uint8[] and so on
    sort_leaves  the package's default

    A leaf is Keccak-256 of Keccak-256 of abi.encode(value), so no inner node can pose as a leaf.
    Raises InvalidArgument: no values, values that do not fit their types.
    """
    return _make(list(values), list(types), sort_leaves, device, threads)


def openzeppelin_simple(
    leaves: Any, *, sort_leaves: bool = True, device: Device = "auto", threads: int | None = None
) -> OpenZeppelinTree:
    """Return the SimpleMerkleTree of leaves: uint8[n, 32], or a list of 32 bytes each (also as "0x..." text).

    Leaves must be hashes: a leaf that is 64 bytes before hashing could pose as an inner node.
    """
    given = [row.tobytes() for row in leaves] if isinstance(leaves, np.ndarray) else [_node(leaf) for leaf in leaves]
    return _make(given, None, sort_leaves, device, threads)


def verify(root: bytes, leaf: bytes, proof: Iterable[bytes]) -> bool:
    """Tell whether the proof leads from the leaf to the root, as Solidity's `MerkleProof.verify`."""
    node = _node(leaf)
    for sibling in proof:
        node = merge(node, _node(sibling), NODE)
    return node == _node(root)


def _make(
    values: list[Any], types: list[str] | None, sort_leaves: bool, device: Device, threads: int | None
) -> OpenZeppelinTree:
    n = len(values)
    if n == 0:
        raise InvalidArgument("openzeppelin: a tree needs at least one value, got 0")
    leaves = _leaves(values, types, device, threads)
    order = np.arange(n)
    if sort_leaves:
        keys = leaves.view(">u8").reshape(n, 4)
        order = np.lexsort((keys[:, 3], keys[:, 2], keys[:, 1], keys[:, 0]))
    nodes = np.zeros((2 * n, 32), np.uint8)
    nodes[n:] = leaves[order[::-1]]
    _fill(nodes, device, threads)
    slots = np.empty(n, np.int64)
    slots[order] = 2 * n - 1 - np.arange(n)
    return OpenZeppelinTree(values, types, nodes, slots.tolist())


def _leaves(
    values: list[Any], types: list[str] | None, device: Device = "auto", threads: int | None = None
) -> NDArray[np.uint8]:
    if types is None:
        return np.frombuffer(b"".join(values), np.uint8).reshape(-1, 32)
    encoded = [_abi.encode(types, value) for value in values]
    digests = np.empty((len(values), 32), np.uint8)
    by_length: dict[int, list[int]] = {}
    for i, one in enumerate(encoded):
        by_length.setdefault(len(one), []).append(i)
    for length, which in by_length.items():
        rows = np.frombuffer(b"".join([encoded[i] for i in which]), np.uint8).reshape(len(which), length)
        digests[which] = hash_leaves(rows, "keccak256", device=device, threads=threads)
    return np.asarray(hash_leaves(digests, "keccak256", device=device, threads=threads))


def _fill(nodes: NDArray[np.uint8], device: Device, threads: int | None) -> None:
    """Make the inner nodes of a heap whose leaves, the upper half, are there: node k of 2k and 2k + 1."""
    end = len(nodes) // 2  # one after the last inner node
    while end > 1:
        first = 1 << ((end - 1).bit_length() - 1)
        below = nodes[2 * first : 2 * end]
        nodes[first:end] = merge(below[::2], below[1::2], NODE, device=device, threads=threads)
        end = first


def _node(value: Any) -> bytes:
    node = _abi._bytes(value, "node")
    if len(node) != 32:
        raise InvalidArgument(f"a node must have 32 bytes, got {len(node)}")
    return node


def _plain(value: Any) -> Any:
    """As JSON has it: bytes as 0x and digits, large integers as decimal text."""
    if isinstance(value, (bytes, bytearray)):
        return "0x" + bytes(value).hex()
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value

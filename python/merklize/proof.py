"""Proofs about Merkle trees. Verifying needs no device and no tree."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar, cast

from . import _arrays, _json, _native
from ._inputs import numbered
from ._options import HashOptions, mode_of, run_of, takes
from ._types import Buffer, Bytes, Digest, HashName, HostData, Indices, Self
from .errors import InvalidArgument, in_call, shown

if TYPE_CHECKING:
    from typing_extensions import Unpack


class _Proof:
    """What all proofs share: an immutable proof of the extension, with its bytes and JSON."""

    __slots__ = ("__weakref__", "_proof")

    _fields_: ClassVar[tuple[str, ...]]
    _format: ClassVar[str]
    _kind: ClassVar[Any]
    _proof: Any

    @classmethod
    def _of(cls, proof: object) -> Self:
        self = cls.__new__(cls)
        self._take(proof)
        return self

    def _take(self, proof: object) -> None:
        object.__setattr__(self, "_proof", proof)

    @property
    def hash(self) -> HashName:
        """Name of the tree's hash."""
        return cast("HashName", self._proof.hash)

    def to_bytes(self) -> bytes:
        """Return the compact form."""
        data: bytes = self._proof.to_bytes()
        return data

    def to_json(self, indent: int | None = None) -> str:
        """Return a JSON object with the fields, digests as hexadecimal text."""
        text: str = self._proof.to_json()
        if indent is None:
            return text
        import json

        if _arrays.unsigned(indent, "indent") > 80:
            raise InvalidArgument(f"indent must be at most 80, got {shown(indent)}")
        return json.dumps(json.loads(text), indent=indent)

    @classmethod
    def from_bytes(cls, data: HostData) -> Self:
        """Read exactly what to_bytes() writes; anything else raises InvalidArgument."""
        proof = cls._kind.from_bytes(data)
        if proof is None:
            raise InvalidArgument(f"{cls.__name__}.from_bytes: these bytes are not a proof of this kind")
        return cls._of(proof)

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Read what to_json() writes; anything malformed raises InvalidArgument."""
        return cls._of(_native.proof_from_json(_json.encoded(text), cls._format))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is immutable: cannot set {name}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} is immutable: cannot delete {name}")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(getattr(self, name) for name in self._fields_)

    def __eq__(self, other: object) -> bool:
        return bool(self._proof == other._proof) if isinstance(other, type(self)) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.to_json())


class _ProofOfLeaves(_Proof):
    """A proof that leaves are in a tree."""

    __slots__ = ()

    @property
    def n_leaves(self) -> int:
        """Count of leaves of the tree."""
        count: int = self._proof.n_leaves
        return count

    @property
    def rule(self) -> str:
        """Name of the tree's rule."""
        name: str = self._proof.rule
        return name


class MerkleProof(_ProofOfLeaves):
    """A leaf is in a tree: the leaf, its index and its siblings, leaf level first; immutable.

    hash      name of the tree's hash
    index     of the leaf, 0 to n_leaves - 1
    n_leaves  of the tree
    leaf      32 bytes
    siblings  32 bytes for each level where the leaf's path has a sibling
    rule      of the tree, which says where it has none

    Only the form is checked here (InvalidArgument); whether the proof holds is what verify() tells.

    >>> proof = merklize.MerkleTree.from_messages([b"a", b"b"]).prove(1)
    >>> merklize.MerkleProof.from_json(proof.to_json()) == proof
    True
    """

    __slots__ = ()
    _fields_ = ("hash", "index", "n_leaves", "leaf", "siblings", "rule")
    _format = "merklize-proof-3"

    _kind = _native.MerkleProof
    _proof: _native.MerkleProof

    def __init__(
        self,
        hash: HashName,
        index: int,
        n_leaves: int,
        leaf: Digest,
        siblings: Iterable[Digest],
        rule: str | None = None,
    ) -> None:
        """Take the fields by their names; the default rule is that of the hash."""
        rule = _native.default_rule(hash) if rule is None else rule
        count, at = _arrays.unsigned(n_leaves, "n_leaves"), _arrays.unsigned(index, "index")
        self._take(_native.MerkleProof(hash, rule, count, at, leaf, siblings))

    @property
    def index(self) -> int:
        """Index of the leaf."""
        return self._proof.index

    @property
    def leaf(self) -> bytes:
        """The leaf, 32 bytes."""
        return self._proof.leaf

    @property
    def siblings(self) -> tuple[bytes, ...]:
        """The siblings on the leaf's path, leaf level first, 32 bytes each."""
        return self._proof.siblings

    def verify(
        self,
        root: Digest,
        *,
        n_leaves: int | None = None,
        leaf: Digest | None = None,
        hash: HashName | None = None,
        index: int | None = None,
        rule: str | None = None,
        key: Buffer | None = None,
        context: str | None = None,
    ) -> bool:
        """Tell whether this proves that `leaf` is leaf `index` of the tree with this root.

        root                                32 bytes, or an array of them
        n_leaves, leaf, hash, index, rule   what the caller knows of the tree: the proof only claims these
        key, context                        of a tree of keyed or derive-key merges

        A proof that does not hold is False, whatever is wrong with it: also if the hash that it claims does not take
        the key or the context. Arguments of wrong types, lengths and names are errors: TypeError, InvalidArgument.
        Costs log2(n_leaves) merges.
        """
        expected = _Expected(n_leaves, hash, rule, leaf, index)
        return self._proof.verify(root, key, context) and expected.fits(self)

    def __repr__(self) -> str:
        return f"<MerkleProof: leaf {self.index} of {self.n_leaves}, {self.hash}, {self.leaf.hex()}>"


class MultiProof(_ProofOfLeaves):
    """Several leaves are in a tree: each digest that the verifier cannot compute is there once.

    hash, rule, n_leaves  of the tree
    indices   uint64[k], ascending, no one twice; neighbours without a gap make it a range proof
    leaves    uint8[k, 32], one an index
    siblings  uint8[m, 32], level after level from the leaves, left to right

    >>> merklize.MerkleTree.from_messages([b"a", b"b", b"c"]).prove_together([2, 0]).indices.tolist()
    [0, 2]
    """

    __slots__ = ()
    _fields_ = ("hash", "rule", "n_leaves", "indices", "leaves", "siblings")
    _format = "merklize-multi-proof-3"

    _kind = _native.MultiProof
    _proof: _native.MultiProof

    def __init__(self, hash: HashName, rule: str, n_leaves: int, indices: Any, leaves: Any, siblings: Any) -> None:
        """Take the fields by their names, as arrays or as their bytes."""
        numbers = _items(indices, "indices", "uint64")
        digests = _items(leaves, "leaves", "uint8")
        others = _items(siblings, "siblings", "uint8")
        if len(numbers) != len(digests):
            raise InvalidArgument(
                f"there must be one leaf an index, got {len(numbers)} indices and {len(digests)} leaves"
            )
        count = _arrays.unsigned(n_leaves, "n_leaves")
        self._take(_native.MultiProof(hash, rule, count, numbers, digests, others))

    @property
    def indices(self) -> Indices:
        """The indices, uint64[k], ascending; a read-only view."""
        return self._proof.indices

    @property
    def leaves(self) -> Bytes:
        """The leaves, uint8[k, 32], one for each index; a read-only view."""
        return self._proof.leaves

    @property
    def siblings(self) -> Bytes:
        """The siblings, uint8[m, 32]; a read-only view."""
        return self._proof.siblings

    def verify(
        self,
        root: Digest,
        *,
        n_leaves: int | None = None,
        hash: HashName | None = None,
        rule: str | None = None,
        key: Buffer | None = None,
        context: str | None = None,
    ) -> bool:
        """Tell whether this proves that its leaves are at its indices in the tree with this root.

        Compare `indices` and `leaves` with what you expect: the proof only claims them. The rest is as in
        MerkleProof.verify().
        """
        expected = _Expected(n_leaves, hash, rule)
        return self._proof.verify(root, key, context) and expected.fits(self)

    def to_winterfell(self) -> bytes:
        """Return the bytes of Winterfell's BatchMerkleProof (winter-crypto 0.13) of a perfect tree.

        They hold neither leaves nor indices. Raises InvalidArgument for what that format cannot hold.
        """
        return self._proof.to_winterfell()

    @classmethod
    def from_winterfell(cls, data: HostData, hash: HashName, indices: Any, leaves: Any) -> MultiProof:
        """Read such bytes, given the leaves uint8[k, 32], or as words, and their indices.

        Raises InvalidArgument for bytes that are no such proof of these.
        """
        numbers = _items(indices, "indices", "uint64")
        digests = _items(leaves, "leaves", "uint8")
        proof = _native.MultiProof.from_winterfell(data, hash, numbers, digests)
        if proof is None:
            raise InvalidArgument(
                f"these bytes are not a proof of these {len(numbers)} indices and {len(digests)} leaves"
            )
        return cls._of(proof)

    def __repr__(self) -> str:
        return (
            f"<MultiProof: {len(self.indices)} leaves of {self.n_leaves}, {self.hash}, {len(self.siblings)} siblings>"
        )


class ConsistencyProof(_Proof):
    """The first old_leaves leaves of a tree of new_leaves leaves are those of an older tree (RFC 6962); rule left_full.

    hash                    name of the trees' hash
    old_leaves, new_leaves  counts, old_leaves <= new_leaves
    nodes                   32 bytes each, in RFC 6962's order

    >>> old, new = (merklize.MerkleTree.from_messages([b"a", b"b", b"c"][:n]) for n in (2, 3))
    >>> new.prove_consistency(2).verify(old.root, new.root)
    True
    """

    __slots__ = ()
    _fields_ = ("hash", "old_leaves", "new_leaves", "nodes")
    _format = "merklize-consistency-proof-3"

    _kind = _native.ConsistencyProof
    _proof: _native.ConsistencyProof

    def __init__(self, hash: HashName, old_leaves: int, new_leaves: int, nodes: Iterable[Digest]) -> None:
        """Take the fields by their names."""
        old = _arrays.unsigned(old_leaves, "old_leaves")
        new = _arrays.unsigned(new_leaves, "new_leaves")
        self._take(_native.ConsistencyProof(hash, old, new, nodes))

    @property
    def old_leaves(self) -> int:
        """Count of leaves of the smaller tree."""
        return self._proof.old_leaves

    @property
    def new_leaves(self) -> int:
        """Count of leaves of the larger tree."""
        return self._proof.new_leaves

    @property
    def nodes(self) -> tuple[bytes, ...]:
        """The nodes, 32 bytes each, in RFC 6962's order."""
        return self._proof.nodes

    def verify(
        self, old_root: Digest, new_root: Digest, *, key: Buffer | None = None, context: str | None = None
    ) -> bool:
        """Tell whether the tree with `new_root` only adds leaves to the one with `old_root`.

        Arguments of wrong types and lengths are errors, as in MerkleProof.verify().
        """
        return self._proof.verify(old_root, new_root, key, context)

    def __repr__(self) -> str:
        return f"<ConsistencyProof: {self.old_leaves} to {self.new_leaves} leaves, {self.hash}>"


def verify(
    proof: MerkleProof | MultiProof | HostData | str,
    root: Digest,
    *,
    n_leaves: int | None = None,
    leaf: Digest | None = None,
    hash: HashName | None = None,
    index: int | None = None,
    rule: str | None = None,
    key: Buffer | None = None,
    context: str | None = None,
) -> bool:
    """Tell whether `proof` holds for `root`: a proof of one leaf or of several, its bytes or its JSON.

    Bytes and text that are no such proof are False. The expectations are as in MerkleProof.verify(); `leaf` and `index`
    are for a proof of one leaf alone, and False for another. Wrong arguments are errors: TypeError, also for a
    ConsistencyProof, which has two roots, InvalidArgument.

    >>> tree = merklize.MerkleTree.from_messages([b"a", b"b", b"c"])
    >>> merklize.verify(tree.prove(1), tree.root, leaf=merklize.hash(b"b"), n_leaves=3)
    True
    """
    expected = _Expected(n_leaves, hash, rule, leaf, index)
    wanted = _native.digest(root, "root")
    if isinstance(proof, ConsistencyProof):
        raise TypeError(in_call("a ConsistencyProof has two roots: call its verify(old_root, new_root)"))
    given: object = proof if isinstance(proof, (_Proof, str)) else _native.host_bytes(proof, "proof")
    claim = given
    try:
        if isinstance(given, str):
            claim = from_json(given)
        elif isinstance(given, memoryview):
            data = bytes(given)
            claim = from_json(data) if data.lstrip().startswith(b"{") else from_bytes(data)
    except InvalidArgument:
        claim = None
    _native.require_mode_of_proof(key, context)  # it is checked, whatever the proof is
    if not isinstance(claim, (MerkleProof, MultiProof)):
        return False
    return claim._proof.verify(wanted, key, context) and expected.fits(claim)


@takes(HashOptions)
def verify_each(
    proofs: Iterable[MerkleProof],
    root: Digest,
    **options: Unpack[HashOptions],
) -> list[bool]:
    """Verify many proofs of one tree, side by side on `device`: one result for each proof, in order.

    Raises InvalidArgument for proofs of different hashes, and as MerkleTree for the device.

    >>> tree = merklize.MerkleTree.from_messages([b"a", b"b", b"c"])
    >>> merklize.verify_each(tree.prove([0, 2]), tree.root)
    [True, True]
    """
    if not isinstance(proofs, Iterable):
        raise TypeError(in_call(f"proofs must be an iterable of MerkleProof, got {type(proofs).__name__}"))
    given = []
    for i, proof in numbered(proofs):
        if not isinstance(proof, MerkleProof):
            raise TypeError(in_call(f"proofs[{i}] must be a MerkleProof, got {type(proof).__name__}"))
        given.append(proof._proof)
    key, context = mode_of(options)
    return _native.verify_each(given, root, key, context, run_of("verify_each", options))


def from_bytes(data: HostData) -> MerkleProof | MultiProof | ConsistencyProof:
    """Read the compact form of any proof. Raises InvalidArgument."""
    return _wrapped(_native.proof_from_bytes(data))


def from_json(text: str | bytes) -> MerkleProof | MultiProof | ConsistencyProof:
    """Read the JSON of any proof. Raises InvalidArgument."""
    return _wrapped(_native.proof_from_json(_json.encoded(text), ""))


def _wrapped(proof: object) -> MerkleProof | MultiProof | ConsistencyProof:
    if isinstance(proof, _native.MerkleProof):
        return MerkleProof._of(proof)
    return MultiProof._of(proof) if isinstance(proof, _native.MultiProof) else ConsistencyProof._of(proof)


class _Expected:
    """What a caller knows of a tree, with checked types; None: not known."""

    def __init__(
        self,
        n_leaves: int | None,
        hash: HashName | None,
        rule: str | None,
        leaf: Digest | None = None,
        index: int | None = None,
    ) -> None:
        self.n_leaves = None if n_leaves is None else _arrays.unsigned(n_leaves, "n_leaves")
        self.index = None if index is None else _arrays.unsigned(index, "index")
        self.leaf = None if leaf is None else _native.digest(leaf, "leaf")
        self.hash = None if hash is None else _native.hash_by_name(hash).name
        self.rule = None if rule is None else _native.rule_by_name(rule)

    def fits(self, proof: MerkleProof | MultiProof) -> bool:
        of_one = self.leaf is None and self.index is None
        if isinstance(proof, MerkleProof):
            of_one = self.leaf in (None, proof.leaf) and self.index in (None, proof.index)
        same = self.n_leaves in (None, proof.n_leaves) and self.hash in (None, proof.hash)
        return of_one and same and self.rule in (None, proof.rule)


def _items(value: Any, what: str, dtype: str) -> Any:
    """Return an array in C order: uint64[k], or for uint8 digests [k, 32]."""
    import numpy as np

    is_list = isinstance(value, (list, tuple)) and len(value) > 0
    if dtype == "uint8" and is_list and isinstance(value[0], (bytes, bytearray, memoryview, str)):
        value = _arrays.joined(value, what)
    try:
        array = np.frombuffer(value, dtype) if isinstance(value, bytes) else _arrays.from_lists(value, what)
    except ValueError as error:  # rows of different lengths, or bytes that are not whole items
        raise InvalidArgument(
            f"{what} must be {'uint8[k, 32]' if dtype == 'uint8' else 'uint64[k]'}: {error}"
        ) from error
    if dtype == "uint8":
        if array.dtype.isnative and array.shape[-1:] == (_arrays.DIGEST_ITEMS.get(array.dtype.name),):
            array = np.ascontiguousarray(array).view(np.uint8)
        if array.dtype != np.uint8 or array.size % 32 or (array.ndim == 2 and array.shape[1] != 32):
            raise InvalidArgument(f"{what} must be uint8[k, 32], got {_arrays.describe(array)}")
        array = array.reshape(-1, 32)
    elif array.size == 0:
        array = np.empty(0, np.uint64)
    elif array.ndim != 1 or array.dtype.kind not in "iu" or (array < 0).any():
        raise InvalidArgument(f"{what} must be uint64[k], got {_arrays.describe(array)}")
    return np.ascontiguousarray(array, dtype)

"""Proofs about Merkle trees. Verifying needs no device and no tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from . import _native
from ._settings import settings
from .errors import InvalidArgument

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import NDArray
    from typing_extensions import Buffer

    from ._types import Device, HostData

    Self = TypeVar("Self", bound="_Proof")


class _Proof:
    """Fields that never change, bytes and JSON: what all proofs have."""

    __slots__ = ()

    _fields_: ClassVar[tuple[str, ...]]
    _format: ClassVar[str]

    def _take(self, **fields: Any) -> None:
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def _fields(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self._fields_)

    def to_json(self, indent: int | None = None) -> str:
        """Return a JSON object with the fields, digests as hexadecimal text."""
        import json

        fields = {"format": self._format}
        return json.dumps(fields | {name: _to_json(getattr(self, name)) for name in self._fields_}, indent=indent)

    @classmethod
    def _read_json(cls, text: str | bytes) -> dict[str, Any]:
        import json

        what = f"{cls.__name__}.from_json"
        try:
            fields = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise InvalidArgument(f"{what}: not JSON: {error}") from error
        if not isinstance(fields, dict):
            raise InvalidArgument(f"{what}: expected a JSON object, got {_shown(fields)}")
        missing = [name for name in ("format", *cls._fields_) if name not in fields]
        unknown = [name for name in fields if name not in ("format", *cls._fields_)]
        if missing or unknown:
            wrong = [f"{name!r} is missing" for name in missing] + [f"{name!r} is unknown" for name in unknown]
            raise InvalidArgument(f"{what}: {', '.join(wrong)}")
        if (found := fields.pop("format")) != cls._format:
            raise InvalidArgument(f"{what}: the format is {_shown(found)}, not {cls._format!r}")
        for name in ("hash", "rule"):
            if name in fields and not isinstance(fields[name], str):
                raise InvalidArgument(f"{what}: {name} must be text, got {_shown(fields[name])}")
        return fields

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is immutable: cannot set {name}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} is immutable: cannot delete {name}")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._fields()

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, type(self)) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[Any, ...]:
        return self._fields()


class MerkleProof(_Proof):
    """A leaf is in a tree: the leaf, its index and its siblings, leaf level first; immutable.

    hash      name of the tree's hash
    index     of the leaf, 0 to n_leaves - 1
    n_leaves  of the tree
    leaf      32 bytes
    siblings  32 bytes for each level where the leaf's path has a sibling
    rule      of the tree, which says where it has none

    Only the form is checked here (InvalidArgument); whether the proof holds is what verify() tells.
    """

    __slots__ = _fields_ = ("hash", "index", "n_leaves", "leaf", "siblings", "rule")
    _format = "merklize-proof-2"

    hash: str
    index: int
    n_leaves: int
    leaf: bytes
    siblings: tuple[bytes, ...]
    rule: str

    def __init__(
        self,
        hash: str,
        index: int,
        n_leaves: int,
        leaf: bytes,
        siblings: tuple[bytes, ...],
        rule: str | None = None,
    ) -> None:
        """Take the fields as they are named; without a rule, that which is usual for the hash."""
        digests = (("leaf", leaf), *((f"siblings[{i}]", sibling) for i, sibling in enumerate(siblings)))
        self._take(
            hash=_native.hash_by_name(hash)[1],
            index=_count(index, "MerkleProof: index"),
            n_leaves=_count(n_leaves, "MerkleProof: n_leaves"),
            rule=_native.default_rule(hash) if rule is None else _native.rule_by_name(rule),
        )
        for field, digest in digests:
            _require_digest(digest, f"MerkleProof: {field}")
        self._take(leaf=leaf, siblings=tuple(siblings))

    def verify(
        self,
        root: HostData,
        *,
        n_leaves: int | None = None,
        leaf: HostData | None = None,
        hash: str | None = None,
        index: int | None = None,
        rule: str | None = None,
        key: Buffer | None = None,
        context: str | None = None,
    ) -> bool:
        """Tell whether this proves that `leaf` is leaf `index` of the tree with this root. Never raises.

        root                                32 bytes, or an array of them
        n_leaves, leaf, hash, index, rule   what the caller knows of the tree: the proof only claims these
        key, context                        of a tree of keyed or derive-key merges

        Costs log2(n_leaves) merges.
        """
        try:
            expected = (
                (n_leaves is None or n_leaves == self.n_leaves)
                and (index is None or index == self.index)
                and (leaf is None or _bytes(leaf) == self.leaf)
                and _is_of(self, hash, rule)
            )
            return bool(expected) and _native.verify(self._fields(), _bytes(root), key, context)
        except Exception:  # a root or an expectation that is no such thing
            return False

    def to_bytes(self) -> bytes:
        """Return the compact form."""
        return _native.proof_to_bytes(self._fields())

    @classmethod
    def from_bytes(cls, data: HostData) -> MerkleProof:
        """Read exactly what to_bytes() writes; anything else raises InvalidArgument."""
        return cls(*_found(_native.proof_from_bytes(data), "MerkleProof"))

    @classmethod
    def from_json(cls, text: str | bytes) -> MerkleProof:
        """Read what to_json() writes; anything malformed raises InvalidArgument."""
        fields = cls._read_json(text)
        fields["siblings"] = tuple(_digests_from_json(fields["siblings"], "MerkleProof.from_json: siblings"))
        fields["leaf"] = _from_hex(fields["leaf"], "MerkleProof.from_json: leaf")
        return cls(**fields)

    def __repr__(self) -> str:
        return f"<MerkleProof: leaf {self.index} of {self.n_leaves}, {self.hash}, {self.leaf.hex()}>"


class MultiProof(_Proof):
    """Several leaves are in a tree: siblings that follow from others are left out, each other one is there once.

    hash, rule, n_leaves  of the tree
    indices   uint64[k], ascending, no one twice; neighbours without a gap make it a range proof
    leaves    uint8[k, 32], one an index
    siblings  uint8[m, 32], level after level from the leaves, left to right
    """

    __slots__ = _fields_ = ("hash", "rule", "n_leaves", "indices", "leaves", "siblings")
    _format = "merklize-multi-proof-2"

    hash: str
    rule: str
    n_leaves: int
    indices: NDArray[np.uint64]
    leaves: NDArray[np.uint8]
    siblings: NDArray[np.uint8]

    def __init__(self, hash: str, rule: str, n_leaves: int, indices: Any, leaves: Any, siblings: Any) -> None:
        """Take the fields as they are named; arrays, or their bytes."""
        self._take(
            hash=_native.hash_by_name(hash)[1],
            rule=_native.rule_by_name(rule),
            n_leaves=_count(n_leaves, "MultiProof: n_leaves"),
            indices=_frozen(indices, "MultiProof: indices", "uint64"),
            leaves=_frozen(leaves, "MultiProof: leaves", "uint8"),
            siblings=_frozen(siblings, "MultiProof: siblings", "uint8"),
        )
        if len(self.indices) != len(self.leaves):
            raise InvalidArgument(
                f"MultiProof: {len(self.indices)} indices but {len(self.leaves)} leaves; there must be one an index"
            )

    def verify(
        self,
        root: HostData,
        *,
        n_leaves: int | None = None,
        hash: str | None = None,
        rule: str | None = None,
        key: Buffer | None = None,
        context: str | None = None,
    ) -> bool:
        """Tell whether this proves that its leaves are at its indices in the tree with this root. Never raises.

        Compare `indices` and `leaves` with what you expect: the proof only claims them. The rest is as in
        MerkleProof.verify().
        """
        try:
            expected = (n_leaves is None or n_leaves == self.n_leaves) and _is_of(self, hash, rule)
            return bool(expected) and _native.verify_multi(self._fields(), _bytes(root), key, context)
        except Exception:
            return False

    def to_bytes(self) -> bytes:
        """Return the compact form."""
        return _native.multi_to_bytes(self._fields())

    @classmethod
    def from_bytes(cls, data: HostData) -> MultiProof:
        """Read exactly what to_bytes() writes; anything else raises InvalidArgument."""
        return cls(*_found(_native.multi_from_bytes(data), "MultiProof"))

    @classmethod
    def from_json(cls, text: str | bytes) -> MultiProof:
        """Read what to_json() writes; anything malformed raises InvalidArgument."""
        fields = cls._read_json(text)
        indices = fields["indices"]
        if not isinstance(indices, list):
            raise InvalidArgument(f"MultiProof.from_json: indices must be a list, got {_shown(indices)}")
        import numpy as np

        fields["indices"] = np.array([_count(index, "MultiProof.from_json: index") for index in indices], np.uint64)
        for name in ("leaves", "siblings"):
            fields[name] = b"".join(_digests_from_json(fields[name], f"MultiProof.from_json: {name}"))
        return cls(**fields)

    def to_winterfell(self) -> bytes:
        """Return the bytes of Winterfell's BatchMerkleProof (winter-crypto 0.13) of a perfect tree.

        They hold neither leaves nor indices. Raises InvalidArgument for what that format cannot hold.
        """
        return _native.multi_to_winterfell(self._fields())

    @classmethod
    def from_winterfell(cls, data: HostData, hash: str, indices: Any, leaves: Any) -> MultiProof:
        """Read such bytes, given the leaves uint8[k, 32] or uint64[k, 4] and their indices.

        Raises InvalidArgument for bytes that are no such proof of these.
        """
        numbers = _frozen(indices, "MultiProof.from_winterfell: indices", "uint64")
        digests = _frozen(leaves, "MultiProof.from_winterfell: leaves", "uint8")
        return cls(*_found(_native.multi_from_winterfell(data, hash, numbers, digests), "MultiProof"))

    def _key(self) -> tuple[Any, ...]:
        return (self.to_bytes(),)

    def _fields(self) -> tuple[Any, ...]:
        return self.hash, self.rule, self.n_leaves, self.indices, self.leaves, self.siblings

    def __reduce__(self) -> tuple[Any, ...]:
        return MultiProof.from_bytes, (self.to_bytes(),)

    def __repr__(self) -> str:
        return (
            f"<MultiProof: {len(self.indices)} leaves of {self.n_leaves}, {self.hash}, {len(self.siblings)} siblings>"
        )


class ConsistencyProof(_Proof):
    """The tree of the first old_leaves leaves is the beginning of that of new_leaves (RFC 6962); rule left_full.

    hash                    name of the trees' hash
    old_leaves, new_leaves  counts, old_leaves <= new_leaves
    nodes                   32 bytes each, in RFC 6962's order
    """

    __slots__ = _fields_ = ("hash", "old_leaves", "new_leaves", "nodes")
    _format = "merklize-consistency-proof-2"

    hash: str
    old_leaves: int
    new_leaves: int
    nodes: tuple[bytes, ...]

    def __init__(self, hash: str, old_leaves: int, new_leaves: int, nodes: tuple[bytes, ...]) -> None:
        """Take the fields as they are named."""
        for i, node in enumerate(nodes):
            _require_digest(node, f"ConsistencyProof: nodes[{i}]")
        self._take(
            hash=_native.hash_by_name(hash)[1],
            old_leaves=_count(old_leaves, "ConsistencyProof: old_leaves"),
            new_leaves=_count(new_leaves, "ConsistencyProof: new_leaves"),
            nodes=tuple(nodes),
        )

    def verify(
        self, old_root: HostData, new_root: HostData, *, key: Buffer | None = None, context: str | None = None
    ) -> bool:
        """Tell whether the tree with `new_root` only adds leaves to the one with `old_root`. Never raises."""
        try:
            return _native.verify_consistency(self._fields(), _bytes(old_root), _bytes(new_root), key, context)
        except Exception:
            return False

    def to_bytes(self) -> bytes:
        """Return the compact form."""
        return _native.consistency_to_bytes(self._fields())

    @classmethod
    def from_bytes(cls, data: HostData) -> ConsistencyProof:
        """Read exactly what to_bytes() writes; anything else raises InvalidArgument."""
        return cls(*_found(_native.consistency_from_bytes(data), "ConsistencyProof"))

    @classmethod
    def from_json(cls, text: str | bytes) -> ConsistencyProof:
        """Read what to_json() writes; anything malformed raises InvalidArgument."""
        fields = cls._read_json(text)
        fields["nodes"] = tuple(_digests_from_json(fields["nodes"], "ConsistencyProof.from_json: nodes"))
        return cls(**fields)

    def __repr__(self) -> str:
        return f"<ConsistencyProof: {self.old_leaves} to {self.new_leaves} leaves, {self.hash}>"


def verify(
    proof: MerkleProof | MultiProof | HostData | str,
    root: HostData,
    *,
    n_leaves: int | None = None,
    leaf: HostData | None = None,
    hash: str | None = None,
    index: int | None = None,
    rule: str | None = None,
    key: Buffer | None = None,
    context: str | None = None,
) -> bool:
    """Tell whether `proof` holds for `root`: a proof of one leaf or of several, its bytes or its JSON text.

    Anything malformed is False. The expectations are as in MerkleProof.verify(); `leaf` and `index` are for a proof of
    one leaf alone, and False for another.
    """
    try:
        claim: object = proof
        if isinstance(proof, str):
            claim = from_json(proof)
        elif not isinstance(proof, _Proof):
            claim = from_bytes(proof)
        if isinstance(claim, MultiProof):
            if leaf is not None or index is not None:
                return False
            return claim.verify(root, n_leaves=n_leaves, hash=hash, rule=rule, key=key, context=context)
        if isinstance(claim, MerkleProof):
            return claim.verify(
                root, n_leaves=n_leaves, leaf=leaf, hash=hash, index=index, rule=rule, key=key, context=context
            )
    except Exception:  # total: whatever these bytes do, they are no proof
        pass
    return False


def verify_each(
    proofs: Iterable[MerkleProof],
    root: HostData,
    *,
    key: Buffer | None = None,
    context: str | None = None,
    device: Device = "auto",
    threads: int | None = None,
) -> list[bool]:
    """Verify many proofs of one tree, side by side on `device`: one result a proof, in order.

    Raises InvalidArgument for proofs of different hashes, and as MerkleTree for the device.
    """
    run = settings(device, threads)
    return _native.verify_each([proof._fields() for proof in proofs], _bytes(root), key, context, run)


def from_bytes(data: HostData) -> MerkleProof | MultiProof | ConsistencyProof:
    """Read the compact form of any proof. Raises InvalidArgument."""
    for kind in (MerkleProof, MultiProof, ConsistencyProof):
        try:
            return kind.from_bytes(data)
        except InvalidArgument:
            pass
    raise InvalidArgument("these bytes are not a proof")


def from_json(text: str | bytes) -> MerkleProof | MultiProof | ConsistencyProof:
    """Read the JSON of any proof. Raises InvalidArgument."""
    import json

    try:
        fields = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidArgument(f"from_json: not JSON: {error}") from error
    name = fields.get("format") if isinstance(fields, dict) else None
    for kind in (MerkleProof, MultiProof, ConsistencyProof):
        if name == kind._format:
            return kind.from_json(text)
    raise InvalidArgument(f"from_json: the format is {_shown(name)}, which is no proof's")


def _is_of(proof: MerkleProof | MultiProof, hash: str | None, rule: str | None) -> bool:
    return (hash is None or _native.hash_by_name(hash)[1] == proof.hash) and (
        rule is None or _native.rule_by_name(rule) == proof.rule
    )


def _found(fields: tuple[Any, ...] | None, kind: str) -> tuple[Any, ...]:
    if fields is None:
        raise InvalidArgument(f"{kind}.from_bytes: these bytes are not a proof of this kind")
    return fields


def _count(number: object, what: str) -> int:
    if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < 2**64:
        raise InvalidArgument(f"{what} must be an integer of 0 to 2^64 - 1, got {number!r}")
    return number


def _require_digest(digest: object, what: str) -> None:
    if not isinstance(digest, bytes) or len(digest) != 32:
        raise InvalidArgument(f"{what} must be 32 bytes, got {_shown(digest)}")


def _frozen(value: Any, what: str, dtype: str) -> Any:
    """Return a read-only array of its own: uint64[k], or for uint8 digests [k, 32]."""
    import numpy as np

    array = np.frombuffer(value, dtype) if isinstance(value, bytes) else np.array(value)
    if dtype == "uint8":
        if array.dtype in (np.uint64, np.int64) and array.shape[-1:] == (4,):
            array = array.view(np.uint8)
        if array.dtype != np.uint8 or array.size % 32 or (array.ndim == 2 and array.shape[1] != 32):
            raise InvalidArgument(f"{what} must be uint8[k, 32], got {array.dtype}{list(array.shape)}")
        array = array.reshape(-1, 32)
    elif array.size == 0:
        array = np.empty(0, np.uint64)
    elif array.ndim != 1 or array.dtype.kind not in "iu" or (array < 0).any():
        raise InvalidArgument(f"{what} must be uint64[k], got {array.dtype}{list(array.shape)}")
    array = np.ascontiguousarray(array, dtype)
    array.flags.writeable = False
    return array


def _bytes(value: HostData) -> bytes:
    # Arrays are rows of a tree's nodes; asarray-like conversions of anything else would take too much for a digest.
    return value.tobytes() if hasattr(value, "tobytes") else bytes(memoryview(value))


def _to_json(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, tuple):
        return [_to_json(item) for item in value]
    if hasattr(value, "dtype"):
        return [row.tobytes().hex() for row in value] if value.ndim == 2 else value.tolist()
    return value


def _digests_from_json(values: object, what: str) -> list[bytes]:
    if not isinstance(values, list):
        raise InvalidArgument(f"{what} must be a list, got {_shown(values)}")
    return [_from_hex(value, f"{what}[{i}]") for i, value in enumerate(values)]


def _from_hex(value: object, what: str) -> bytes:
    # bytes.fromhex() would skip spaces.
    if isinstance(value, str) and len(value) == 64:
        try:
            digest = bytes.fromhex(value)
        except ValueError:
            digest = b""
        if len(digest) == 32:
            return digest
    raise InvalidArgument(f"{what} must be 64 hexadecimal digits, got {_shown(value)}")


def _shown(value: object) -> str:
    if isinstance(value, (bytes, bytearray)):
        return f"{len(value)} bytes"
    text = repr(value) if isinstance(value, (str, int, float, bool, type(None))) else type(value).__name__
    return text if len(text) <= 80 else text[:77] + "..."

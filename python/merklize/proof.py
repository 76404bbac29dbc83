"""Proofs that one leaf is in a Merkle tree. Verifying needs no device and no tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _native
from .errors import InvalidArgument

if TYPE_CHECKING:
    from ._types import HostData

_FORMAT = "merklize-proof-1"
_FIELDS = ("hash", "index", "n_leaves", "leaf", "siblings")


class MerkleProof:
    """A leaf, its index and the sibling on every level, leaf level first; immutable.

    hash      name of the tree's hash
    index     of the leaf, 0 to n_leaves - 1
    n_leaves  of the tree
    leaf      32 bytes
    siblings  log2(n_leaves) times 32 bytes

    Only the form is checked here (InvalidArgument); whether the proof holds is what verify() tells.
    """

    __slots__ = _FIELDS

    hash: str
    index: int
    n_leaves: int
    leaf: bytes
    siblings: tuple[bytes, ...]

    def __init__(self, hash: str, index: int, n_leaves: int, leaf: bytes, siblings: tuple[bytes, ...]) -> None:
        """Take the fields as they are named."""
        name = _native.hash_by_name(hash)[1]
        for field, number in (("index", index), ("n_leaves", n_leaves)):
            if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < 2**64:
                raise InvalidArgument(f"MerkleProof: {field} must be an integer of 0 to 2^64 - 1, got {number!r}")
        for field, digest in (("leaf", leaf), *((f"siblings[{i}]", sibling) for i, sibling in enumerate(siblings))):
            if not isinstance(digest, bytes) or len(digest) != 32:
                raise InvalidArgument(f"MerkleProof: {field} must be 32 bytes, got {_shown(digest)}")
        for field, value in zip(_FIELDS, (name, index, n_leaves, leaf, tuple(siblings))):
            object.__setattr__(self, field, value)

    def verify(
        self,
        root: HostData,
        *,
        n_leaves: int | None = None,
        leaf: HostData | None = None,
        hash: str | None = None,
        index: int | None = None,
    ) -> bool:
        """Tell whether this proves that `leaf` is leaf `index` of the tree with this root. Never raises.

        root                          32 bytes, or an array of them
        n_leaves, leaf, hash, index   what the caller knows of the tree: the proof only claims these, and must match

        Costs log2(n_leaves) merges.
        """
        try:
            expected = (
                (n_leaves is None or n_leaves == self.n_leaves)
                and (index is None or index == self.index)
                and (leaf is None or _bytes(leaf) == self.leaf)
                and (hash is None or _native.hash_by_name(hash)[1] == self.hash)
            )
            return bool(expected) and _native.verify(*self._fields(), _bytes(root))
        except Exception:  # a root or an expectation that is no such thing
            return False

    def to_bytes(self) -> bytes:
        """Return the compact form, 24 + 32 (1 + log2 n) bytes."""
        return _native.proof_to_bytes(*self._fields())

    @classmethod
    def from_bytes(cls, data: HostData) -> MerkleProof:
        """Read exactly what to_bytes() writes; anything else raises InvalidArgument."""
        fields = _native.proof_from_bytes(data)
        if fields is None:
            raise InvalidArgument("MerkleProof.from_bytes: these bytes are not a proof")
        return cls(*fields)

    def to_json(self, indent: int | None = None) -> str:
        """Return a JSON object with the fields, digests as hexadecimal text."""
        import json

        fields: dict[str, Any] = {"format": _FORMAT, **dict(zip(_FIELDS, self._fields()))}
        fields["leaf"] = self.leaf.hex()
        fields["siblings"] = [sibling.hex() for sibling in self.siblings]
        return json.dumps(fields, indent=indent)

    @classmethod
    def from_json(cls, text: str | bytes) -> MerkleProof:
        """Read what to_json() writes; anything malformed raises InvalidArgument."""
        import json

        try:
            fields = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise InvalidArgument(f"MerkleProof.from_json: not JSON: {error}") from error
        if not isinstance(fields, dict):
            raise InvalidArgument(f"MerkleProof.from_json: expected a JSON object, got {_shown(fields)}")
        missing = [name for name in ("format", *_FIELDS) if name not in fields]
        unknown = [name for name in fields if name not in ("format", *_FIELDS)]
        if missing or unknown:
            wrong = [f"{name!r} is missing" for name in missing] + [f"{name!r} is unknown" for name in unknown]
            raise InvalidArgument(f"MerkleProof.from_json: {', '.join(wrong)}")
        if fields["format"] != _FORMAT:
            raise InvalidArgument(f"MerkleProof.from_json: the format is {fields['format']!r}, not {_FORMAT!r}")
        if not isinstance(fields["hash"], str):
            raise InvalidArgument(f"MerkleProof.from_json: hash must be text, got {_shown(fields['hash'])}")
        if not isinstance(fields["siblings"], list):
            raise InvalidArgument(f"MerkleProof.from_json: siblings must be a list, got {_shown(fields['siblings'])}")
        siblings = tuple(_from_hex(sibling, f"siblings[{i}]") for i, sibling in enumerate(fields["siblings"]))
        return cls(fields["hash"], fields["index"], fields["n_leaves"], _from_hex(fields["leaf"], "leaf"), siblings)

    def _fields(self) -> tuple[str, int, int, bytes, tuple[bytes, ...]]:
        return self.hash, self.index, self.n_leaves, self.leaf, self.siblings

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"MerkleProof is immutable: cannot set {name}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"MerkleProof is immutable: cannot delete {name}")

    def __reduce__(self) -> tuple[Any, ...]:
        return MerkleProof, self._fields()

    def __eq__(self, other: object) -> bool:
        return self._fields() == other._fields() if isinstance(other, MerkleProof) else NotImplemented

    def __hash__(self) -> int:
        return self._fields().__hash__()

    def __repr__(self) -> str:
        return f"<MerkleProof: leaf {self.index} of {self.n_leaves}, {self.hash}, {self.leaf.hex()}>"


def verify(
    proof: MerkleProof | HostData | str,
    root: HostData,
    *,
    n_leaves: int | None = None,
    leaf: HostData | None = None,
    hash: str | None = None,
    index: int | None = None,
) -> bool:
    """Tell whether `proof` holds for `root`: a MerkleProof, its bytes or its JSON text. Anything malformed is False.

    The expectations are as in MerkleProof.verify().
    """
    try:
        if isinstance(proof, str):
            proof = MerkleProof.from_json(proof)
        elif not isinstance(proof, MerkleProof):
            proof = MerkleProof.from_bytes(proof)
    except Exception:  # total: whatever these bytes do, they are no proof
        return False
    return proof.verify(root, n_leaves=n_leaves, leaf=leaf, hash=hash, index=index)


def _bytes(value: HostData) -> bytes:
    # Arrays are rows of a tree's nodes; asarray-like conversions of anything else would take too much for a digest.
    return value.tobytes() if hasattr(value, "tobytes") else bytes(memoryview(value))


def _from_hex(value: object, field: str) -> bytes:
    # bytes.fromhex() would skip spaces.
    if isinstance(value, str) and len(value) == 64:
        try:
            digest = bytes.fromhex(value)
        except ValueError:
            digest = b""
        if len(digest) == 32:
            return digest
    raise InvalidArgument(f"MerkleProof.from_json: {field} must be 64 hexadecimal digits, got {_shown(value)}")


def _shown(value: object) -> str:
    if isinstance(value, (bytes, bytearray)):
        return f"{len(value)} bytes"
    text = repr(value) if isinstance(value, (str, int, float, bool, type(None))) else type(value).__name__
    return text if len(text) <= 80 else text[:77] + "..."

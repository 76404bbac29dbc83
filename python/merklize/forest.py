"""Many small Merkle trees at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from . import _arrays, _native
from ._native import DeviceArray
from ._options import HashOptions, mode_of, run_of, takes
from ._types import Digest, Digests, HashName, Leaves
from .errors import InvalidArgument
from .proof import MerkleProof

if TYPE_CHECKING:
    from typing_extensions import Unpack


class MerkleForest:
    """m trees of n leaves each, built by the same launches as one large tree.

    leaves  uint8[m, n, 32], or the same bytes as words, uint64[m, n, 4] or int64[m, n, 4]; n a power of two; copied. On
            a device they stay there. Or m lists of n digests

    The options are those of MerkleTree.

    >>> merklize.MerkleForest(np.zeros((5, 4, 32), np.uint8)).roots.shape
    (5, 32)
    """

    __slots__ = ("__weakref__", "_forest")

    _forest: _native.Forest

    @takes(HashOptions)
    def __init__(
        self,
        leaves: Leaves | Sequence[Sequence[Digest]],
        hash: HashName = "blake3",
        **options: Unpack[HashOptions],
    ) -> None:
        """Build the trees."""
        key, context = mode_of(options)
        run = run_of("MerkleForest", options)
        which = _native.TreeForm(hash, None, key, context)
        self._forest = _native.make_forest(leaves, which, run)

    @property
    def n_trees(self) -> int:
        """Count of trees."""
        return self._forest.n_trees

    @property
    def n_leaves(self) -> int:
        """Leaves of each tree."""
        return self._forest.n_leaves

    @property
    def height(self) -> int:
        """Levels above the leaves."""
        return self._forest.height

    @property
    def hash(self) -> HashName:
        """Name of the hash."""
        return cast("HashName", self._forest.hash)

    @property
    def device(self) -> str:
        """Id of the device that built the trees."""
        return self._forest.device

    @property
    def on_device(self) -> bool:
        """Whether the nodes are in the memory of `device`, not on the host."""
        return self._forest.on_device

    @property
    def policy(self) -> dict[str, int | str]:
        """The tuning values that were used, as MerkleTree.policy."""
        return self._forest.policy

    @property
    def roots(self) -> Digests | DeviceArray:
        """The roots: uint8[m, 32], for field hashes uint64[m, 4]. On the device if the nodes are."""
        return self.level(self.height)

    def level(self, level: int) -> Digests | DeviceArray:
        """Return a level of all trees, tree after tree: [m (n >> level), 32] or [..., 4]. 0 is the leaves."""
        level = _arrays.unsigned(level, "level")
        if level > self.height:
            raise InvalidArgument(f"level must be 0 to {self.height} in trees of {self.n_leaves} leaves, got {level}")
        if self.on_device:
            return self._forest.device_level(level)
        return _arrays.nodes(self._forest.level(level), self.hash)

    def prove(self, tree: int, index: int) -> MerkleProof:
        """Return the proof that leaf `index` is in tree `tree`. Raises InvalidArgument."""
        return MerkleProof._of(self._forest.prove(tree, index))

    def __repr__(self) -> str:
        return f"<MerkleForest: {self.n_trees} trees of {self.n_leaves} leaves, {self.hash}>"

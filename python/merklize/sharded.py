"""One root for a model, however it is sharded: docs/tiles-format.md has the format, docs/how-to/sharded.md shows it.

`nodes` and `combine`  what a rank tells of its boxes, as bytes; the manifest that all of them make
`model_manifest`, `model_root`  the same of a model whose ranks exchange by torch.distributed, or by a function
`check`  a sharded model against a manifest: tensor, rows, columns, ranks of what differs
`Box`, `boxes`, `flat`  which parts of which tensors a rank holds

>>> from merklize import sharded
>>> weight = np.arange(64 * 96, dtype=np.float32).reshape(64, 96)
>>> by_rows = [sharded.nodes([sharded.Box("w", (64, 96), (32 * rank, 0), weight[32 * rank :][:32])]) for rank in (0, 1)]
>>> by_columns = [sharded.nodes([sharded.Box("w", (64, 96), (0, k), weight[:, k : k + 48])]) for k in (0, 48)]
>>> sharded.combine(by_rows).root == sharded.combine(by_columns).root == sharded.model_root({"w": weight})
True
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, cast

from . import _native
from ._inputs import each_of
from ._settings import settings
from ._types import Device, Path
from .errors import InvalidArgument, in_call
from .manifests import Manifest, Report
from .manifests._manifest import patterns_of
from .manifests._tile_boxes import Asked, Exchange, Gather, Maps, boxes_of, flat_boxes, told
from .manifests._tile_check import Against, Check, check_tiles, entries_of
from .manifests._tile_nodes import Box, nodes_of

__all__ = ["Box", "boxes", "check", "combine", "flat", "model_manifest", "model_root", "nodes"]


def boxes(model: Any, *, maps: Maps | None = None) -> list[Box]:
    """Return the boxes of a model that this process holds.

    model  a mapping of names to tensors, or an object with state_dict(). Of a DTensor (FSDP2, tensor parallel) its
           placements say which box it is, of a ShardedTensor its metadata; any other tensor is whole
    maps   for tensors that are no box of one tensor: by the name here a function that takes the local tensor and
           returns its boxes. Of a fused tensor: a box for each of its parts. Of a transposed copy: Box(..., tensor.T)

    Raises InvalidArgument: placements that are no shards (Partial), tensors without data, quantized tensors.
    """
    return boxes_of(model, maps)


def flat(name: str, shape: Sequence[int], begin: int, data: Any) -> list[Box]:
    """Return the boxes of elements that follow each other in C order, as FSDP1 cuts: up to three of a matrix.

    shape  of the whole tensor
    begin  the number of the first element
    data   the elements, in one dimension
    """
    return flat_boxes(name, shape, begin, data)


def nodes(shards: Iterable[Box], *, tiles: bool = False, device: Device = "auto", threads: int | None = None) -> bytes:
    """Hash boxes where they lie, and return what combine() needs of them: nodes, and elements of tiles that are shared.

    tiles  the digests of all tiles instead of nodes, for check(against=...): 32 bytes for each tile of 32 x 32 elements

    Boxes that are cut at multiples of 32 (of a tensor of one dimension: 1024) share no tile.
    Raises InvalidArgument: a box that does not lie in its tensor, or whose data is no dense tensor with data.
    """
    if isinstance(shards, Box) or not isinstance(shards, Iterable):
        raise TypeError(in_call(f"shards must be boxes, got {type(shards).__name__}"))
    return nodes_of(each_of(shards, any_order=True), tiles, settings(device, threads))


def combine(parts: Sequence[bytes]) -> Manifest:
    """Return the manifest of the model whose ranks gave these bytes, in any order. Errors name ranks by their places.

    Raises InvalidArgument: bytes that nodes() did not write, dtypes and shapes that differ, boxes that overlap, boxes
    that are missing, no tensor at all. Mismatch: two ranks hold the same box with other bytes.
    """
    return Manifest._of(_native.manifest_of_tensors(entries_of(parts), 0, [], True))


def model_manifest(
    model: Any,
    group: Any = None,
    *,
    maps: Maps | None = None,
    gather: Gather | None = None,
    device: Device = "auto",
    threads: int | None = None,
) -> Manifest:
    """Return the manifest of a model that all ranks of a group hold together. All of them must call it.

    model   what boxes() takes
    group   a process group of torch.distributed; None: the default one, or if there is none this process alone
    maps    as in boxes()
    gather  instead of a group: a function that gives this rank's bytes to all and returns those of all ranks

    Raises what boxes() and combine() raise, at every rank.
    """
    how = Exchange(device, threads, group, gather)
    return combine(told(lambda: Asked(boxes_of(model, maps)), False, how))


def model_root(
    model: Any,
    group: Any = None,
    *,
    maps: Maps | None = None,
    gather: Gather | None = None,
    device: Device = "auto",
    threads: int | None = None,
) -> bytes:
    """Return the root of model_manifest(), 32 bytes: the same for every sharding, and for the file on disk."""
    return model_manifest(model, group, maps=maps, gather=gather, device=device, threads=threads).root


def check(
    model: Any,
    manifest: Manifest | Path | Sequence[bytes],
    group: Any = None,
    *,
    against: Against | None = None,
    only: Iterable[str] = (),
    maps: Maps | None = None,
    gather: Gather | None = None,
    device: Device = "auto",
    threads: int | None = None,
) -> Report:
    """Tell whether a model that ranks hold together is what a manifest by tiles says. All ranks must call it.

    manifest  a Manifest or the path of one; or what nodes() gave at all ranks of the other model
    against   what the tiles of wrong tensors are compared with: the path of the file, index or folder that the manifest
              was made of, or what nodes(tiles=True) gave at all ranks of a right model. It need not be trusted: what it
              has must have the manifest's digests
    only      patterns of tensors' names, as in Manifest.check()
    group, maps, gather  as in model_manifest()

    All ranks must give the same manifest and `only`, and all `against` or none: other questions are an error at all
    ranks of a group (with `gather` they are not known). Ranks have the numbers that they have in the group.

    A manifest has a digest for each tensor, so it names tensors and the ranks that hold them; with `against`, each
    difference has the rows, columns and ranks of its tiles (TileDifference.box, TileDifference.ranks).
    Raises InvalidArgument: a manifest that is not by tiles, nothing to compare, and what combine() raises.
    """

    def prepare() -> Check:
        known, right = manifest, against
        if isinstance(known, (list, tuple)):
            parts = cast("Sequence[bytes]", known)
            known = combine(parts)
            if right is None and all(part[16:20] == b"\1\0\0\0" for part in parts):
                right = parts
        elif not isinstance(known, Manifest):
            known = Manifest.load(cast("Path", known))
        if known.digest != "tiles-v1":
            raise InvalidArgument("the manifest must be by tiles (tiles=True), got one by bytes")
        return Check(known._whole, model, patterns_of(only, "only"), right)

    return check_tiles(prepare, Exchange(device, threads, group, gather), maps)

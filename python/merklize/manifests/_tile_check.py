"""Models against manifests by tiles."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from itertools import product
from math import prod
from typing import Any, NamedTuple, Union

from .. import _native
from .._inputs import SeekableFile, path_text
from ..errors import InvalidArgument
from ._entries import Difference, Report, Tensor, TileDifference
from ._memory import aliases, held, tensors_of
from ._tile_boxes import Asked, Exchange, Maps, boxes_of, is_in_parts, told
from ._tile_nodes import CHUNK, Box, Form, Range, form_of, storage_of
from ._tile_trees import Whole, Wholes, grid_of, named, rectangles_of, single, tensor_entries, tensor_of, wholes_of

Against = Union[Sequence[bytes], str, os.PathLike[str]]


def entries_of(parts: Sequence[bytes]) -> list[Tensor]:
    """Return the entries of all tensors."""
    wholes, has_tiles = wholes_of(parts)
    return tensor_entries(single(wholes), has_tiles)


class Check(NamedTuple):
    """What a model is compared with."""

    known: _native.Manifest
    model: Any
    only: list[str]
    """Patterns."""
    against: Against | None = None


def check_tiles(prepare: Callable[[], Check], how: Exchange, maps: Maps | None = None) -> Report:
    """Do the work of merklize.sharded.check().

    prepare  looks at the arguments. What it raises is told to the other ranks
    """
    made_here: list[tuple[Check, list[Box], tuple[tuple[str, ...], ...]]] = []

    def wanted() -> Asked:
        check = prepare()
        known, model, only, against = check
        names = known.names_of(only)
        if not names:
            raise InvalidArgument("there is nothing to compare: no tensor of the manifest is wanted")
        state = tensors_of(model)
        boxes = _to_compare(boxes_of(state, maps), set(names), bool(only))
        plain = {name: tensor for name, tensor in state.items() if name not in (maps or {}) and not is_in_parts(tensor)}
        made_here.append((check, boxes, aliases({name: held(name, tensor) for name, tensor in plain.items()})))
        return Asked(boxes, (known.root, repr(sorted(only)).encode(), repr(against is None).encode()))

    wholes, has_tiles = wholes_of(told(wanted, False, how), takes_none=True)
    (((known, _, only, against), boxes, shared),) = made_here
    digests = {fields[0]: fields[3] for fields in known.tensors()}
    found: list[Tensor] = []
    holders: dict[str, set[int]] = {}
    for name, copies in wholes.items():
        tensors = [tensor_of(whole, has_tiles) for whole in copies]
        is_wrong = [tensor.digest != digests.get(name) for tensor in tensors]
        found.append(tensors[is_wrong.index(True) if any(is_wrong) else 0])
        holders[name] = _holders(copies, is_wrong)
    compared, checked, size, _ = known.check_tensors(only, found)
    differences = [Difference(*one) for one in compared]
    names_of_wrong = {one.name for one in differences if one.kind == "bytes"}
    places: dict[str, list[TileDifference]] = {}
    if against is not None and names_of_wrong:
        wrong = [Tensor(*fields) for fields in known.tensors() if fields[0] in names_of_wrong]
        parts = told(lambda: Asked([box for box in boxes if box.name in names_of_wrong]), True, how)
        places = _places(wholes_of(parts)[0], _right(against, wrong, how.run()))
    made: list[Difference] = []
    for one in differences:
        detail = "differs" if one.kind == "bytes" else one.detail
        made += places.get(one.name) or [_located(one.kind, one.name, detail, None, holders.get(one.name, set()))]
    return Report(made, checked, size, shared)


def _holders(copies: list[Whole], is_wrong: list[bool]) -> set[int]:
    """Return the ranks that hold a tensor; if a copy of it is right, those alone that hold what differs from it."""
    ranks = {rank for whole in copies for some in whole.ranks for rank in some}
    if all(is_wrong) or not any(is_wrong):
        return ranks
    right = copies[is_wrong.index(False)]
    return {
        rank for whole in copies for some, others in zip(whole.ranks, right.ranks) for rank in some if some != others
    }


def _to_compare(boxes: list[Box], names: set[str], is_part: bool) -> list[Box]:
    """Return the boxes of a check, without second names of memory that the manifest has a name for."""
    if is_part:
        return [box for box in boxes if box.name in names]
    if all(box.name in names for box in boxes):
        return boxes
    places = {(box.offset, place) for box in boxes if box.name in names and (place := held(box.name, box.data).place)}
    return [box for box in boxes if box.name in names or (box.offset, held(box.name, box.data).place) not in places]


def _right(against: Against, wrong: list[Tensor], run: _native.Settings) -> dict[str, Any]:
    """Return the digests of the tiles of right tensors. They have been compared with the manifest."""
    if isinstance(against, (str, os.PathLike)):
        path = path_text(against, "against")
        return {one.name: _of_file(path, one, run) for one in wrong}
    wholes, has_tiles = wholes_of(against)
    if not has_tiles:
        raise InvalidArgument("against must have digests of tiles: nodes(shards, tiles=True)")
    given = {whole.part.name: whole for whole in single(wholes)}
    for one in wrong:
        if one.name in given and tensor_of(given[one.name], True).digest != one.digest:
            raise InvalidArgument(f"against: its tensor {one.name!r} is not the manifest's")
    return {one.name: grid_of(given[one.name]) for one in wrong if one.name in given}


def _of_file(path: str, tensor: Tensor, run: _native.Settings) -> Any:
    """Return the digests of the tiles of a tensor in a file, which is read by rows of tiles."""
    import numpy as np

    if tensor.shard is None or tensor.offset is None:
        raise InvalidArgument("against is a path, but the manifest is of tensors in memory, which lie in no file")
    file = os.path.join(path if os.path.isdir(path) else os.path.dirname(path), tensor.shard)
    form = form_of(tensor.dtype, tensor.shape)
    if form.is_empty():  # its digest follows from dtype and shape
        raise InvalidArgument(f"against: tensor {tensor.name!r} of {file} is not the manifest's")
    # Some rows of tiles at once, or of a long row some tiles.
    wide = min(form.columns, CHUNK // (form.element * form.tile_rows))
    step = max(1, CHUNK // (wide * form.element * form.tile_rows)) * form.tile_rows
    made = []
    with SeekableFile(file, "against") as source:
        for matrix in range(prod(form.lead)):
            for top, left in product(range(0, form.rows, step), range(0, form.columns, wide)):
                rows, columns = min(step, form.rows - top), min(wide, form.columns - left)
                lines, pitch = (1, rows * columns) if columns == form.columns else (rows, columns)
                data = bytearray()
                for line in range(lines):
                    first = (matrix * form.rows + top + line) * form.columns + left
                    begin = tensor.offset + first * form.element
                    data += source.read(begin, begin + pitch * form.element)
                sizes = rows, columns, form.element, form.tile_rows, form.tile_columns
                elements = np.frombuffer(data, np.uint8).reshape(rows, -1)
                made.append(_native.tile_digests(elements, *sizes, run).reshape(-1, 32))
    grid = np.concatenate(made).reshape(*form.counts, 32)
    roots = grid
    for count in form.counts[::-1]:
        roots = _native.merge_ranges(roots.reshape(-1, count, 32), 0, count, run)
    if _native.tiles_digest(tensor.dtype, tensor.shape, roots.tobytes()) != tensor.digest:
        raise InvalidArgument(f"against: tensor {tensor.name!r} of {file} is not the manifest's")
    return grid


def _places(found: Wholes, right: dict[str, Any]) -> dict[str, list[TileDifference]]:
    """Return where tensors differ: rectangles of tiles."""
    import numpy as np

    made: dict[str, list[TileDifference]] = {}
    for name, expected in right.items():
        distinct: dict[str, TileDifference] = {}
        for here in found[name]:
            tiles = np.argwhere((grid_of(here) != expected).any(axis=-1))
            for ranges in rectangles_of([tuple(map(int, tile)) for tile in tiles]):
                one = _difference(here, ranges)
                distinct.setdefault(str(one), one)
        made[name] = list(distinct.values())
    return made


def _difference(whole: Whole, tiles: tuple[Range, ...]) -> TileDifference:
    form, part = whole.form, whole.part
    *lead, down, across = tiles
    stored = (*lead, *form.elements(down, across))
    ranks: set[int] = set()
    for box, holders in zip(whole.boxes, whole.ranks):
        here = (*box.place.lead, box.place.rows, box.place.columns)
        if all(a < d and c < b for (a, b), (c, d) in zip(here, stored)):
            ranks.update(holders)
    box_of = _in_shape(stored, form, part.shape)
    words = [f"{what} {begin} to {end}" for what, (begin, end) in zip(_words(len(box_of)), box_of)]
    detail = f"{', '.join(words)} differ" if words else "differs"
    return _located("bytes", part.name, detail, box_of, ranks)


def _located(kind: str, name: str, detail: str, box: tuple[Range, ...] | None, ranks: set[int]) -> TileDifference:
    made = TileDifference(kind, "tensor", name, detail=f"{detail}, at {named(ranks)}" if ranks else detail)
    made.box, made.ranks = box, tuple(sorted(ranks))
    return made


def _words(dimensions: int) -> list[str]:
    if dimensions == 1:
        return ["elements"]
    return [f"dimension {k}:" for k in range(dimensions - 2)] + ["rows", "columns"]


def _in_shape(ranges: Sequence[Range], form: Form, shape: Sequence[int]) -> tuple[Range, ...]:
    """Return ranges of the storage as ranges of the tensor's dimensions."""
    stored, bits = storage_of(shape, form)
    if len(stored) != len(shape):
        return tuple((0, count) for count in shape)
    kept = [k for k, count in enumerate(stored) if count != 1]
    places = dict(zip(kept[::-1], ranges[::-1]))
    found = [places.get(k, (0, 1)) for k in range(len(shape))]
    if bits < 8:
        begin, end = found[-1]
        found[-1] = begin * 8 // bits, min(-(-end * 8 // bits), shape[-1])
    return tuple(found)

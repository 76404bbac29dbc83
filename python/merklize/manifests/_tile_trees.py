"""The digests of tensors of which every rank gives nodes of its boxes: docs/tiles-format.md."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Sequence
from math import prod
from typing import Any, NamedTuple

from .. import _native
from .._inputs import numbered
from ..each import hash_each
from ..errors import InvalidArgument, Mismatch, in_call
from ._entries import Tensor
from ._tile_nodes import Form, Given, Part, Range, quoted, read_nodes

MOST_BOXES = 1 << 14
"""The most different boxes of a tensor."""
TOGETHER = 256
"""The most tensors whose trees grow together."""


def named(ranks: Iterable[int]) -> str:
    """Return "rank 3", or "ranks 0, 1 and 5"."""
    all_ranks = sorted(set(ranks))
    if len(all_ranks) == 1:
        return f"rank {all_ranks[0]}"
    shown = all_ranks if len(all_ranks) <= 16 else all_ranks[:16]
    more = f" and {len(all_ranks) - 16} more" if len(all_ranks) > 16 else f" and {shown.pop()}"
    return f"ranks {', '.join(map(str, shown))}{more}"


class Whole(NamedTuple):
    """A tensor of which all boxes are there."""

    part: Part
    """Of all of it."""
    form: Form
    boxes: list[Given]
    """One for each box."""
    ranks: list[list[int]]
    """Who holds each."""


Wholes = dict[str, list[Whole]]
"""Tensors by name. Where copies differ there are several: each copy is in one of them."""


def wholes_of(parts: Sequence[bytes], *, takes_none: bool = False) -> tuple[Wholes, bool]:
    """Read what all ranks give, and return the tensors, sorted, and whether they have all digests of tiles.

    takes_none  no tensor at all is no error

    Raises InvalidArgument: a part that nodes() did not write, boxes that do not make tensors.
    """
    if isinstance(parts, (bytes, bytearray, memoryview, str)) or not isinstance(parts, Iterable):
        raise TypeError(in_call(f"parts must be a list of what nodes() returned, got {type(parts).__name__}"))
    found: dict[str, list[Given]] = defaultdict(list)
    kinds: dict[bool, list[int]] = defaultdict(list)
    for rank, data in numbered(parts, any_order=True):
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise TypeError(in_call(f"rank {rank}: what nodes() returned is bytes, got {type(data).__name__}"))
        boxes, has_tiles = read_nodes(bytes(data), rank)
        kinds[has_tiles].append(rank)
        for box in boxes:
            found[box.part.name].append(box)
    if not found and not takes_none:
        n = sum(map(len, kinds.values()))
        who = "1 rank" if n == 1 else f"{n} ranks"
        raise InvalidArgument(f"{who} gave no tensor, so there is nothing to digest")
    if len(kinds) > 1:
        raise InvalidArgument(
            f"{named(kinds[True])} gave digests of tiles (nodes(tiles=True)), {named(kinds[False])} nodes"
        )
    names = sorted(found, key=str.encode)
    return {name: _wholes(found[name]) for name in names}, True in kinds


def single(wholes: Wholes) -> list[Whole]:
    """Return the tensors if all copies are equal. Raises Mismatch."""
    for copies in wholes.values():
        for one, other in zip(copies[:1] * len(copies), copies[1:]):
            for k, box in enumerate(one.boxes):
                if one.ranks[k] != other.ranks[k]:
                    groups = " and ".join(named(ranks) for ranks in _groups(copies, k))
                    raise Mismatch(in_call(f"{box.part}: the copies of {groups} differ"))
    return [copies[0] for copies in wholes.values()]


def _groups(copies: list[Whole], k: int) -> list[list[int]]:
    return [list(ranks) for ranks in dict.fromkeys(tuple(one.ranks[k]) for one in copies)]


def _wholes(given: list[Given]) -> list[Whole]:
    first = given[0]
    for other in given[1:]:
        for what in ("dtype", "shape"):
            one, two = getattr(first.part, what), getattr(other.part, what)
            if one != two:
                hint = "; a transposed copy needs a map" if what == "shape" and sorted(one) == sorted(two) else ""
                one, two = (list(v) if what == "shape" else v for v in (one, two))
                raise InvalidArgument(
                    f"tensor {quoted(first.part.name)}: {what} is {one} at rank {first.rank}, "
                    f"{two} at rank {other.rank}{hint}"
                )
    whole = first.part._replace(offset=(0,) * len(first.part.shape), extent=first.part.shape)
    copies: dict[Any, list[Given]] = defaultdict(list)
    for box in given:
        if box.cut is not None:  # one without elements may be there twice: uneven cuts make such
            copies[box.part.key()].append(box)
    if len(copies) > MOST_BOXES:
        raise InvalidArgument(f"{whole}: at most {MOST_BOXES} different boxes, got {len(copies)}")
    groups = [_equal(same) for same in copies.values()]
    boxes = [group[0][0] for group in groups]
    _require_cover(whole, boxes, {box.rank for box in given})
    made = []
    for k in range(max([1, *map(len, groups)])):
        chosen = [group[k if k < len(group) else 0] for group in groups]
        ranks = [sorted(box.rank for box in same) for same in chosen]
        made.append(Whole(whole, first.form, [same[0] for same in chosen], ranks))
    return made


def _equal(same: list[Given]) -> list[list[Given]]:
    """Return the copies of a box in groups that are equal."""
    ranks = [box.rank for box in same]
    if len(set(ranks)) < len(ranks):
        double = next(rank for rank in ranks if ranks.count(rank) > 1)
        raise InvalidArgument(f"{same[0].part} is there twice at rank {double}")
    groups: dict[Any, list[Given]] = defaultdict(list)
    for box in same:
        groups[bytes(box.nodes), tuple(map(bytes, box.rectangles))].append(box)
    return list(groups.values())


def _require_cover(whole: Part, boxes: list[Given], known: set[int]) -> None:
    import numpy as np

    begins = np.array([box.part.offset for box in boxes], np.int64).reshape(len(boxes), len(whole.shape))
    ends = begins + np.array([box.part.extent for box in boxes], np.int64).reshape(begins.shape)
    if len(boxes) > 1:  # where all are alike, none is apart from another
        varies = (begins != begins[0]).any(axis=0) | (ends != ends[0]).any(axis=0)
        begins, ends = begins[:, varies], ends[:, varies]
    for k in range(1, len(boxes)):
        shared = ((begins[:k] < ends[k]) & (begins[k] < ends[:k])).all(axis=1)
        if shared.any():
            one, two = boxes[int(shared.argmax())], boxes[k]
            raise InvalidArgument(
                f"{one.part} of rank {one.rank} and {two.part} of rank {two.rank} overlap, and are not the same box"
            )
    missing = prod(whole.shape) - sum(prod(box.part.extent) for box in boxes)
    if missing:
        hole = _hole([box.part for box in boxes], whole.shape) if len(boxes) <= 256 else None
        where = ""
        if hole:
            extent = tuple(end - begin for begin, end in hole)
            where = f" such as {whole._replace(offset=tuple(begin for begin, _ in hole), extent=extent)};"
        raise InvalidArgument(
            f"tensor {quoted(whole.name)}: no rank gave {missing} of its {prod(whole.shape)} elements,{where} "
            f"{named(known)} gave the others"
        )


def _hole(parts: Sequence[Part], shape: Sequence[int], axis: int = 0) -> list[Range] | None:
    """Return a box that none of the parts covers."""
    if axis == len(shape):
        return None if parts else []
    marks = {0, shape[axis]}
    for part in parts:
        marks |= {part.offset[axis], part.offset[axis] + part.extent[axis]}
    cuts = sorted(marks)
    for begin, end in zip(cuts, cuts[1:]):
        inside = [p for p in parts if p.offset[axis] <= begin < p.offset[axis] + p.extent[axis]]
        below = _hole(inside, shape, axis + 1) if inside else [(0, count) for count in shape[axis + 1 :]]
        if below is not None:
            return [(begin, end), *below]
    return None


# ---- Trees ----


class _Nodes(NamedTuple):
    """Nodes along an axis, for each index before it in a range."""

    tiles: tuple[Range, ...]
    axis: int
    places: list[Range]
    values: Any
    """uint8 [indices before the axis ..., places, 32]."""


def tensor_of(whole: Whole, has_tiles: bool) -> Tensor:
    """Return the manifest's entry of a tensor."""
    return tensor_entries([whole], has_tiles)[0]


def tensor_entries(wholes: Sequence[Whole], has_tiles: bool) -> list[Tensor]:
    """Return the entries of tensors. Trees of those that are cut alike, as layers and experts are, grow together."""
    alike: dict[Any, list[int]] = defaultdict(list)
    for k, whole in enumerate(wholes):
        if not whole.form.is_empty():
            cuts = tuple(box.cut for box in whole.boxes)
            shares_tiles = any(cut is not None and cut.rectangles for cut in cuts)
            alike[k if shares_tiles else (whole.form, cuts)].append(k)
    trees: dict[int, bytes] = {}
    for group in alike.values():
        for first in range(0, len(group), TOGETHER):
            some = group[first : first + TOGETHER]
            trees.update(zip(some, roots_of([wholes[k] for k in some], has_tiles)))
    return [_entry(whole, trees.get(k)) for k, whole in enumerate(wholes)]


def _entry(whole: Whole, tree: bytes | None) -> Tensor:
    part, form = whole.part, whole.form
    size = prod((*form.lead, form.rows, form.columns)) * form.element
    return Tensor(part.name, part.dtype, part.shape, _native.tiles_digest(part.dtype, part.shape, tree), size)


def nodes_of(whole: Whole, has_tiles: bool) -> list[_Nodes]:
    """Return the nodes that the boxes gave, and those of the tiles that boxes share."""
    import numpy as np

    made = []
    counts = whole.form.counts
    for box in whole.boxes:
        if box.cut is None or not box.cut.tiles:
            continue
        tiles = box.cut.tiles
        extent = [end - begin for begin, end in tiles]
        values = np.frombuffer(box.nodes, np.uint8)
        if has_tiles:
            made.append(_leaves(tiles, counts, values.reshape(*extent, 32)))
        elif box.top is not None:
            axis = box.top.axis
            made.append(_Nodes(tiles, axis, box.top.places, values.reshape(*extent[:axis], -1, 32)))
    return made + _shared(whole)


def _leaves(tiles: Sequence[Range], counts: Sequence[int], values: Any) -> _Nodes:
    axis = len(counts) - 1
    return _Nodes(tuple(tiles), axis, [(0, place) for place in range(*tiles[axis])], values)


def _shared(whole: Whole) -> list[_Nodes]:
    """Return the digests of the tiles that boxes share, whose elements they gave."""
    import numpy as np

    form = whole.form
    tiles: dict[tuple[int, ...], Any] = {}
    for box in whole.boxes:
        if box.cut is None:
            continue
        for ((top, bottom), (left, right)), data in zip(box.cut.rectangles, box.rectangles):
            lead = [end - begin for begin, end in box.place.lead]
            elements = np.frombuffer(data, np.uint8).reshape(*lead, bottom - top, right - left, form.element)
            down = range(top // form.tile_rows, -(-bottom // form.tile_rows))
            across = range(left // form.tile_columns, -(-right // form.tile_columns))
            for index in itertools.product(*(range(count) for count in lead)):
                first = tuple(begin + k for (begin, _), k in zip(box.place.lead, index))
                for i, j in itertools.product(down, across):
                    above, near = i * form.tile_rows, j * form.tile_columns
                    height, width = min(form.tile_rows, form.rows - above), min(form.tile_columns, form.columns - near)
                    tile = tiles.get((*first, i, j))
                    if tile is None:
                        tile = tiles[(*first, i, j)] = np.zeros((height, width, form.element), np.uint8)
                    a, b = max(top, above), min(bottom, above + height)
                    c, d = max(left, near), min(right, near + width)
                    tile[a - above : b - above, c - near : d - near] = elements[index][
                        a - top : b - top, c - left : d - left
                    ]
    if not tiles:
        return []
    digests = hash_each({where: tile.reshape(-1) for where, tile in tiles.items()}, device="cpu")
    made = []
    for ranges in rectangles_of(sorted(tiles)):
        extent = [end - begin for begin, end in ranges]
        values = b"".join(digests[where] for where in itertools.product(*(range(*one) for one in ranges)))
        made.append(_leaves(ranges, form.counts, np.frombuffer(values, np.uint8).reshape(*extent, 32)))
    return made


def rectangles_of(tiles: list[tuple[int, ...]]) -> list[tuple[Range, ...]]:
    """Return rectangles of a matrix each that hold these tiles, sorted, and no others."""
    runs: list[list[int]] = []
    before: Any = None
    for tile in tiles:
        if before is not None and tile[:-1] == before[:-1] and tile[-1] == before[-1] + 1:
            runs[-1][-1] += 1
        else:
            runs.append([*tile, tile[-1] + 1])
        before = tile
    made: list[list[Range]] = []
    last: dict[tuple[int, ...], int] = {}  # the lowest rectangle of a matrix with these columns
    for *lead, i, j, j_end in runs:
        above = last.get((*lead, j, j_end))
        if above is not None and made[above][-2][1] == i:
            made[above][-2] = (made[above][-2][0], i + 1)
        else:
            last[(*lead, j, j_end)] = len(made)
            made.append([*((index, index + 1) for index in lead), (i, i + 1), (j, j_end)])
    return [tuple(one) for one in made]


def roots_of(wholes: Sequence[Whole], has_tiles: bool) -> list[bytes]:
    """Return the roots of the trees of tensors whose boxes gave nodes at the same places."""
    import numpy as np

    every = (0, len(wholes))  # as indices of one more dimension
    stacks = zip(*(nodes_of(whole, has_tiles) for whole in wholes))
    nodes = [
        _Nodes((every, *one[0].tiles), one[0].axis + 1, one[0].places, np.stack([each.values for each in one]))
        for one in stacks
    ]
    return [bytes(root) for root in _roots(nodes, (len(wholes), *wholes[0].form.counts), (every,))]


def _roots(nodes: list[_Nodes], counts: tuple[int, ...], ranges: tuple[Range, ...]) -> Any:
    """Return roots [indices in ranges ..., 32]. Each of the nodes is there for all of these indices, or for none."""
    import numpy as np

    axis = len(ranges)
    extent = [end - begin for begin, end in ranges]
    levels: dict[int, list[tuple[Any, Any]]] = defaultdict(list)

    def put(places: Sequence[Range], values: Any) -> None:
        flat = values.reshape(-1, len(places), 32)
        for level, group in itertools.groupby(enumerate(places), key=lambda one: one[1][0]):
            columns = list(group)
            first = columns[0][0]
            levels[level].append((np.array([one[1][1] for one in columns]), flat[:, first : first + len(columns)]))

    deeper = []
    for one in nodes:
        if one.axis == axis:
            window = tuple(slice(a - begin, b - begin) for (a, b), (begin, _) in zip(ranges, one.tiles))
            put(one.places, one.values[window])
        else:
            deeper.append(one)
    cuts = sorted({edge for one in deeper for edge in one.tiles[axis]})
    beginning: dict[int, list[_Nodes]] = defaultdict(list)
    for one in deeper:
        beginning[one.tiles[axis][0]].append(one)
    inside: list[_Nodes] = []
    for begin, end in zip(cuts, cuts[1:]):
        inside = [one for one in inside if begin < one.tiles[axis][1]] + beginning[begin]
        if inside:
            below = _roots(inside, counts, (*ranges, (begin, end)))
            put([(0, place) for place in range(begin, end)], below)
    return _merged(levels, counts[axis], prod(extent)).reshape(*extent, 32)


def _merged(levels: dict[int, list[tuple[Any, Any]]], total: int, trees: int) -> Any:
    """Return the roots of `trees` trees of `total` leaves."""
    import numpy as np

    from ..hashing import merge

    level = 0
    carried: list[tuple[Any, Any]] = []
    while True:
        groups = levels.pop(level, []) + carried
        places = np.concatenate([one[0] for one in groups]) if groups else np.zeros(0, np.int64)
        if total == 1:
            if len(places) != 1 or levels:
                raise InvalidArgument("the nodes do not make a tree")
            return np.concatenate([one[1] for one in groups], axis=1)
        carried = []
        if groups:
            values = np.concatenate([one[1] for one in groups], axis=1)
            order = np.argsort(places, kind="stable")
            places, values = places[order], values[:, order]
            rises = bool(places[-1] == total - 1 and total % 2)
            pairs = len(places) - rises
            even, odd = places[0:pairs:2], places[1:pairs:2]
            if len(even) != len(odd) or (even % 2).any() or (odd != even + 1).any():
                raise InvalidArgument("the nodes do not make a tree")
            if len(even):
                left = np.ascontiguousarray(values[:, 0:pairs:2]).reshape(-1, 32)
                right = np.ascontiguousarray(values[:, 1:pairs:2]).reshape(-1, 32)
                made = np.asarray(merge(left, right, device="cpu")).reshape(trees, -1, 32)
                carried.append((even // 2, made))
            if rises:
                carried.append((np.array([total // 2]), values[:, -1:]))
        total, level = -(-total // 2), level + 1


def grid_of(whole: Whole) -> Any:
    """Return the digests of all tiles, uint8 [*counts, 32], of a tensor whose boxes give them."""
    import numpy as np

    grid = np.zeros((*whole.form.counts, 32), np.uint8)
    for one in nodes_of(whole, True):
        grid[tuple(slice(*edge) for edge in one.tiles)] = one.values
    return grid

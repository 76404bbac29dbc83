"""Boxes of tensors, their tiles and the nodes over them, as bytes for others: docs/tiles-format.md."""

from __future__ import annotations

import operator
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import lru_cache
from math import prod
from typing import Any, NamedTuple

from .. import _native
from .._native import flag
from .._settings import Steps
from ..errors import InvalidArgument, in_call, shown
from ._memory import held, is_torch, require_name

MAGIC = b"merklize nodes 1"
MOST_DIMENSIONS = 64
CHUNK = 32 << 20
"""Bytes of a tensor that are copied at once where its elements do not lie one after another."""

Range = tuple[int, int]


def quoted(name: str) -> str:
    """Return a name as errors have it: whole, unless it is longer than names of tensors are."""
    text = repr(name)
    return text if len(text) <= 512 else f"{text[:509]}..."


class Box(NamedTuple):
    """A part of a tensor that this process holds."""

    name: str
    shape: tuple[int, ...]
    """The shape of the whole tensor."""
    offset: tuple[int, ...]
    """The index of the part's first element."""
    data: Any
    """The part: an array of NumPy or CuPy or a tensor of PyTorch, with any strides, wherever it lies."""


class Form(NamedTuple):
    """How a tensor lies in tiles."""

    lead: tuple[int, ...]
    """Dimensions before the matrices."""
    rows: int
    columns: int
    element: int
    """Bytes of an element."""
    tile_rows: int
    tile_columns: int

    @property
    def counts(self) -> tuple[int, ...]:
        """Indices before the matrices, rows of tiles, tiles of a row."""
        return (*self.lead, -(-self.rows // self.tile_rows), -(-self.columns // self.tile_columns))

    def is_empty(self) -> bool:
        """Tell whether there are no elements."""
        return not all((*self.lead, self.rows, self.columns))

    def elements(self, down: Range, across: Range) -> tuple[Range, Range]:
        """Return the rows and the columns of elements that ranges of tiles have."""
        rows = down[0] * self.tile_rows, min(down[1] * self.tile_rows, self.rows)
        return rows, (across[0] * self.tile_columns, min(across[1] * self.tile_columns, self.columns))


def form_of(dtype: str, shape: Sequence[int]) -> Form:
    """Return the form. Raises InvalidArgument: no dtype or size of a manifest."""
    stored, element = _native.tile_form(dtype, tuple(shape))
    if len(stored) < 2:
        return Form((), 1, stored[0] if stored else 1, element, 1, 1024)
    return Form(stored[:-2], stored[-2], stored[-1], element, 32, 32)


class Part(NamedTuple):
    """What is known of a box without its elements."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    offset: tuple[int, ...]
    extent: tuple[int, ...]

    def __str__(self) -> str:
        spans = ", ".join(f"{at}:{at + count}" for at, count in zip(self.offset, self.extent))
        return f"tensor {quoted(self.name)} [{spans}]"

    def key(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return what tells boxes of a tensor apart."""
        return self.offset, self.extent


class Place(NamedTuple):
    """Where a box lies in its tensor's storage, in elements of the storage."""

    lead: tuple[Range, ...]
    rows: Range
    columns: Range

    def is_empty(self) -> bool:
        """Tell whether the box has no elements."""
        return any(begin == end for begin, end in (*self.lead, self.rows, self.columns))


def storage_of(shape: Sequence[int], form: Form) -> tuple[list[int], int]:
    """Return the storage's shape, with dimensions of 1, and the bits of an element of the shape if that is part of one.

    Else 8: an element is one of the storage.
    """
    whole, stored = prod(shape), prod((*form.lead, form.rows, form.columns))
    bits = 8 * stored // whole if whole else 8
    if shape and shape[-1] * bits % 8 == 0:
        return [*shape[:-1], shape[-1] * bits // 8], bits
    return ([], 8) if bits == 8 else ([stored], bits)


def place_of(part: Part, form: Form) -> Place:
    """Return the place of a box. Raises InvalidArgument: parts of bytes; a box that is not in its tensor."""
    if not len(part.shape) == len(part.offset) == len(part.extent):
        raise InvalidArgument(f"{part}: shape {list(part.shape)}, offset and data must have as many dimensions")
    if any(at + count > whole for at, count, whole in zip(part.offset, part.extent, part.shape)):
        raise InvalidArgument(f"{part} does not lie in its shape {list(part.shape)}")
    ranges = [(at, at + count) for at, count in zip(part.offset, part.extent)]
    stored, bits = storage_of(part.shape, form)
    if bits < 8 and len(stored) == len(ranges):
        begin, end = ranges[-1]
        if begin * bits % 8 or end * bits % 8:
            raise InvalidArgument(f"{part}: its ends lie within bytes, got elements of {bits} bits")
        ranges[-1] = begin * bits // 8, end * bits // 8
    elif bits < 8 and part.extent != part.shape:
        raise InvalidArgument(f"{part}: rows of {part.dtype} are not whole bytes, so the box must be the tensor")
    elif bits < 8:
        ranges = [(0, stored[0])]
    if any(begin == end for (begin, end), count in zip(ranges, stored) if count == 1):
        return Place((), (0, 0), (0, 0))
    kept = [one for one, count in zip(ranges, stored) if count != 1]
    if len(kept) < 2:
        return Place((), (0, 1), kept[0] if kept else (0, 1))
    return Place(tuple(kept[:-2]), kept[-2], kept[-1])


class Cut(NamedTuple):
    """A box by tiles: those that are whole in it, and rectangles of elements, whose tiles are shared with others."""

    tiles: tuple[Range, ...]
    """For each of Form.counts the range of whole tiles; () if none is."""
    rectangles: tuple[tuple[Range, Range], ...]
    """Rows and columns, for each index before."""


def cut_of(place: Place, form: Form) -> Cut:
    """Cut a box that is not empty."""
    (top, bottom), (left, right) = place.rows, place.columns

    def inside(begin: int, end: int, step: int, whole: int) -> Range:
        return -(-begin // step), -(-end // step) if end == whole else end // step

    i, i_end = inside(top, bottom, form.tile_rows, form.rows)
    j, j_end = inside(left, right, form.tile_columns, form.columns)
    if i >= i_end or j >= j_end:
        return Cut((), ((place.rows, place.columns),))
    (upper, lower), (near, far) = form.elements((i, i_end), (j, j_end))
    all_sides = (
        ((top, upper), (left, right)),
        ((upper, lower), (left, near)),
        ((upper, lower), (far, right)),
        ((lower, bottom), (left, right)),
    )
    sides = tuple(one for one in all_sides if one[0][0] < one[0][1] and one[1][0] < one[1][1])
    return Cut((*place.lead, (i, i_end), (j, j_end)), sides)


class Top(NamedTuple):
    """Which nodes stand for the whole tiles of a box."""

    axis: int
    """The axis of Form.counts along which they lie. All axes behind it are whole."""
    trees: int
    """How many indices of the axes before it the box has."""
    places: list[Range]
    """Level and index of the nodes of each of these."""


def top_of(tiles: Sequence[Range], counts: Sequence[int]) -> Top:
    """Return the nodes of whole tiles."""
    axis = len(counts) - 1
    while axis > 0 and tiles[axis] == (0, counts[axis]):
        axis -= 1
    begin, end = tiles[axis]
    trees = prod(b - a for a, b in tiles[:axis])
    return Top(axis, trees, _native.range_nodes(begin, end - begin, counts[axis]))


# ---- Nodes of boxes in memory ----


def integers(name: str, what: str, values: Any) -> tuple[int, ...]:
    """Return integers of any type as those of Python. Raises TypeError, InvalidArgument."""
    try:
        if isinstance(values, (bytes, bytearray, Set, Mapping)):  # no numbers, or in no order
            raise TypeError
        given = tuple(values)
        if bool in map(type, given):
            raise TypeError
        found = tuple(map(operator.index, given))
    except TypeError:
        raise TypeError(in_call(f"tensor {name!r}: {what} must be integers, got {shown(values)}")) from None
    for one in found:
        if not 0 <= one < 1 << 63:
            raise InvalidArgument(f"tensor {name!r}: {what} must be 0 to 2^63 - 1, got {shown(one)}")
    return found


def part_of(box: Box) -> tuple[Part, Form, Place, Any]:
    """Describe a box, with a view of its elements that has the dimensions of its place."""
    require_name(box.name)
    found = held(box.name, box.data)
    shape, offset = integers(box.name, "shape", box.shape), integers(box.name, "offset", box.offset)
    part = Part(box.name, found.dtype, shape, offset, tuple(found.shape))
    form = form_of(part.dtype, part.shape)
    place = place_of(part, form)
    return part, form, place, None if place.is_empty() else _elements(box.name, box.data, place)


def _elements(name: str, data: Any, place: Place) -> Any:
    """Return a view of [..., rows, columns]."""
    extent = [end - begin for begin, end in (*place.lead, place.rows, place.columns)]
    if is_torch(data):
        plain = data.detach().resolve_conj().resolve_neg()
    elif hasattr(data, "__array_struct__"):
        import numpy as np

        plain = np.asarray(data)
        if not plain.dtype.isnative:
            plain = plain.astype(plain.dtype.newbyteorder("<"))
    elif hasattr(data, "__cuda_array_interface__") and hasattr(data, "strides"):
        plain = data
    else:
        kind = type(data).__name__
        raise InvalidArgument(f"tensor {name!r}: must be an array of NumPy or CuPy or a tensor of PyTorch, got {kind}")
    return plain.reshape(extent)  # a view: it drops or adds dimensions of 1 alone


def _bytes_of(view: Any) -> Any:
    """Return elements as uint8, without a copy if those of a row lie one after another."""
    if is_torch(view):
        import torch

        plain = view if _is_packed(view) else view.clone(memory_format=torch.contiguous_format)
        return plain.view(torch.uint8)
    return (view if _is_packed(view) else view.copy()).view("uint8")


def _on_host(array: Any) -> Any:
    if is_torch(array):
        return array.cpu().numpy()
    if hasattr(array, "get") and hasattr(array, "__cuda_array_interface__"):
        return array.get()
    import numpy as np

    return np.asarray(array)


def _is_packed(view: Any) -> bool:
    if is_torch(view):
        return bool(view.stride(-1) == 1)
    return bool(view.strides[-1] == view.itemsize)


def _tile_digests(view: Any, form: Form, run: _native.Settings) -> Any:
    """Return the digests of the tiles of [..., rows, columns], where they lie: uint8 [matrices, down, across, 32]."""
    rows, columns = view.shape[-2:]
    sizes = columns, form.element, form.tile_rows, form.tile_columns
    if _is_packed(view):
        return _native.tile_digests(_bytes_of(view), rows, *sizes, run)
    # Elements of a row that do not lie side by side are copied, some matrices, some rows of tiles or some tiles of a
    # row at a time.
    height = form.element * min(rows, form.tile_rows)
    if columns * height > CHUNK and columns > form.tile_columns:
        wide = max(1, CHUNK // (height * form.tile_columns)) * form.tile_columns
        strips = [view[..., at : at + wide] for at in range(0, columns, wide)]
        return _joined([_tile_digests(strip, form, run) for strip in strips], 2)
    at_once = columns * height
    for axis, count in enumerate(view.shape[:-2]):
        each = max(1, CHUNK // (at_once * prod(view.shape[axis + 1 : -2])))
        if each < count:
            ahead = (slice(None),) * axis  # of dimensions of 1 alone
            cut = [view[(*ahead, slice(at, at + each))] for at in range(0, count, each)]
            return _joined([_tile_digests(part, form, run) for part in cut], 0)
        if count > 1:
            break
    step = max(1, CHUNK // (at_once * prod(view.shape[:-2]))) * form.tile_rows
    parts = [view[..., at : at + step, :] for at in range(0, rows, step)]
    return _joined([_native.tile_digests(_bytes_of(part), part.shape[-2], *sizes, run) for part in parts], 1)


def _joined(arrays: list[Any], axis: int) -> Any:
    """Return digests of tiles behind each other: of matrices (axis 0), rows of tiles (1) or parts of these (2)."""
    if len(arrays) == 1:
        return arrays[0]
    if is_torch(arrays[0]):
        import torch

        return torch.cat(arrays, dim=axis)
    import numpy as np

    return np.concatenate([_on_host(one) for one in arrays], axis=axis)


def _payload(form: Form, place: Place, elements: Any, keeps_tiles: bool, run: _native.Settings) -> Iterator[bytes]:
    """Yield the nodes of whole tiles (or their digests), then the elements of shared tiles."""
    cut = cut_of(place, form)
    counts = form.counts
    (top, _), (left, _) = place.rows, place.columns

    def view(rows: Range, columns: Range) -> Any:
        return elements[..., rows[0] - top : rows[1] - top, columns[0] - left : columns[1] - left]

    if cut.tiles:
        inner = view(*form.elements(*cut.tiles[-2:]))
        goal = top_of(cut.tiles, counts)
        found = _tile_digests(inner, form, run)
        for axis in range(len(counts) - 1, goal.axis - 1, -1) if not keeps_tiles else ():
            begin, end = cut.tiles[axis]
            found = _native.merge_ranges(found.reshape(-1, end - begin, 32), begin, counts[axis], run)
        yield _on_host(found).tobytes()
    for rows, columns in cut.rectangles:
        yield _on_host(_bytes_of(view(rows, columns))).tobytes()


def _text(text: str) -> bytes:
    data = text.encode()
    return struct.pack("<I", len(data)) + data


def nodes_of(boxes: Iterable[Box], keeps_tiles: bool, run: _native.Settings) -> bytes:
    """Return the bytes of the boxes' nodes. docs/tiles-format.md has their form."""
    records = []
    is_tiles = flag(keeps_tiles, "tiles")
    if run.progress is not None:
        boxes = list(boxes)
        sizes = [getattr(getattr(box, "data", None), "nbytes", 0) for box in boxes]
        steps = Steps(run.progress, sum(sizes))
        run = steps.over(run)
    for k, box in enumerate(boxes):
        if not isinstance(box, Box):
            raise TypeError(in_call(f"shards must be Box, got {type(box).__name__}"))
        if run.progress is not None:
            steps.step(sizes[k])
        part, form, place, elements = part_of(box)
        head = _text(part.name) + _text(part.dtype) + struct.pack("<I", len(part.shape))
        head += b"".join(struct.pack(f"<{len(one)}Q", *one) for one in (part.shape, part.offset, part.extent))
        payload = [] if place.is_empty() else _payload(form, place, elements, is_tiles, run)
        records.append(b"".join([head, *payload]))
    return b"".join([MAGIC, struct.pack("<II", is_tiles, len(records)), *records])


# ---- Nodes of others ----


class Given(NamedTuple):
    """A box as its rank tells of it."""

    rank: int
    part: Part
    form: Form
    place: Place
    cut: Cut | None
    """None: the box is empty."""
    top: Top | None
    """None: no tile is whole, or all digests of tiles are given."""
    nodes: memoryview
    """Nodes, or digests of tiles."""
    rectangles: tuple[memoryview, ...]


class _Reader:
    def __init__(self, data: bytes, rank: int) -> None:
        self.left, self.rank = memoryview(data), rank
        self.name: str | None = None
        """Of the tensor that is read."""

    def wrong(self, why: str) -> InvalidArgument:
        tensor = "" if self.name is None or why.startswith("tensor ") else f"tensor {quoted(self.name)}: "
        return InvalidArgument(f"what rank {self.rank} gives is not what nodes() writes: {tensor}{why}")

    def take(self, count: int) -> memoryview:
        if count > len(self.left):
            raise self.wrong(f"it ends {count - len(self.left)} bytes early")
        found, self.left = self.left[:count], self.left[count:]
        return found

    def number(self) -> int:
        return int.from_bytes(self.take(4), "little")

    def text(self) -> str:
        try:
            return bytes(self.take(self.number())).decode()
        except UnicodeDecodeError:
            raise self.wrong("a text is not UTF-8") from None

    def numbers(self, count: int) -> tuple[int, ...]:
        return struct.unpack(f"<{count}Q", self.take(8 * count))


class _Layout(NamedTuple):
    """Where a box lies in its tensor, and the bytes that nodes() writes of it: nodes, then elements of shared tiles."""

    form: Form
    place: Place
    cut: Cut | None
    top: Top | None
    nodes: int
    sides: tuple[int, ...]


@lru_cache(1 << 12)  # layers of a model and its experts have the same boxes
def _layout(
    dtype: str, shape: tuple[int, ...], offset: tuple[int, ...], extent: tuple[int, ...], has_tiles: bool
) -> _Layout:
    form = form_of(dtype, shape)
    place = place_of(Part("", dtype, shape, offset, extent), form)
    if place.is_empty():
        return _Layout(form, place, None, None, 0, ())
    cut, top, size = cut_of(place, form), None, 0
    if cut.tiles and has_tiles:
        size = prod(end - begin for begin, end in cut.tiles)
    elif cut.tiles:
        top = top_of(cut.tiles, form.counts)
        size = top.trees * len(top.places)
    matrices = prod(end - begin for begin, end in place.lead) * form.element
    sides = (matrices * (bottom - begin) * (right - left) for (begin, bottom), (left, right) in cut.rectangles)
    return _Layout(form, place, cut, top, 32 * size, tuple(sides))


def _layout_of(part: Part, has_tiles: bool) -> _Layout:
    try:
        return _layout(*part[1:], has_tiles)
    except InvalidArgument:
        place_of(part, form_of(part.dtype, part.shape))  # fails in the same way, and names the tensor
        raise


def read_nodes(data: bytes, rank: int) -> tuple[list[Given], bool]:
    """Read what nodes() wrote, and tell whether it has digests of tiles. Raises InvalidArgument for anything else."""
    reader = _Reader(data, rank)
    if bytes(reader.take(min(len(data), len(MAGIC)))) != MAGIC:
        raise reader.wrong("it does not begin as that does")
    flags, count = reader.number(), reader.number()
    if flags > 1:
        raise reader.wrong(f"unknown flags {flags}")
    found = []
    for _ in range(count):
        reader.name = None
        reader.name = name = reader.text()
        dtype, dimensions = reader.text(), reader.number()
        if dimensions > MOST_DIMENSIONS:
            raise reader.wrong(f"{dimensions} dimensions, at most {MOST_DIMENSIONS} are possible")
        numbers = reader.numbers(3 * dimensions)
        part = Part(name, dtype, numbers[:dimensions], numbers[dimensions : 2 * dimensions], numbers[2 * dimensions :])
        if len(dtype) > 16 or not dtype.isprintable():  # errors quote it
            raise reader.wrong(f"unknown dtype {shown(dtype)}")
        if max(part.shape, default=0) >> 63:  # also of a tensor without elements
            raise reader.wrong(f"sizes must be below 2^63, got {list(part.shape)}")
        try:
            form, place, cut, top, size, sides = _layout_of(part, flags == 1)
        except InvalidArgument as error:
            raise reader.wrong(error.rule) from None
        nodes, rectangles = reader.take(size), tuple(map(reader.take, sides))
        found.append(Given(rank, part, form, place, cut, top, nodes, rectangles))
    reader.name = None
    if len(reader.left):
        raise reader.wrong(f"{len(reader.left)} bytes too many")
    return found, bool(flags)

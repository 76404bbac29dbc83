"""Random models, random shardings of them, the reference of docs/tiles-format.md, and boxes of single tensors."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import numpy as np

from merklize import sharded
from weights import kind

PAGE = Path(__file__).resolve().parents[2] / "docs/tiles-format.md"


def reference():
    """The functions of the program on the page."""
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.S)
    names = {}
    exec(code, names)
    return names


def plain(state):
    """What the reference takes."""
    return {name: (kind(array), array.shape, array.tobytes()) for name, array in state.items()}


DTYPES = ("u1", "i1", "f2", "i2", "f4", "i4", "f8", "i8")


def random_tensor(rng):
    dimensions = int(rng.choice([0, 1, 2, 2, 2, 3, 3, 4], p=[0.03, 0.12, 0.2, 0.2, 0.15, 0.1, 0.1, 0.1]))
    most = {0: 1, 1: 5000, 2: 300, 3: 90, 4: 45}[dimensions]
    shape = [int(rng.integers(1, most)) for _ in range(dimensions)]
    if dimensions > 2:
        shape[: dimensions - 2] = [int(rng.integers(1, 6)) for _ in range(dimensions - 2)]
    if dimensions and rng.random() < 0.3:
        shape[-1] = 32 * int(rng.integers(1, 9))
    if dimensions > 1 and rng.random() < 0.3:
        shape[-2] = 32 * int(rng.integers(1, 9))
    if dimensions and rng.random() < 0.1:
        shape[int(rng.integers(dimensions))] = int(rng.integers(0, 2))
    dtype = np.dtype(str(rng.choice(DTYPES)))
    array = np.frombuffer(rng.bytes(int(np.prod(shape, dtype=np.int64)) * dtype.itemsize), dtype)
    return array.reshape(shape)


def random_model(rng):
    return {f"{'layers.' if k % 2 else ''}{k}.wé": random_tensor(rng) for k in range(int(rng.integers(1, 4)))}


def cuts(rng, size, parts):
    """Where a dimension is cut: as torch.chunk, or anywhere, or at multiples of 32."""
    how = rng.integers(3)
    if how == 0:
        step = -(-size // parts) if size else 0
        edges = [min(size, k * step) for k in range(parts)]
    else:
        edges = sorted(int(one) for one in rng.integers(0, size + 1, parts - 1))
        edges = [0, *(one // 32 * 32 if how == 1 else one for one in edges)]
    return list(zip(edges, [*edges[1:], size]))


def random_boxes(rng, name, array, ranks):
    """The boxes of each rank: cut along one or two dimensions, flat, or whole copies."""
    found = [[] for _ in range(ranks)]
    shape = array.shape
    how = rng.integers(5) if shape else 4
    if how == 0:
        flat = array.reshape(-1)
        for rank, (begin, end) in enumerate(cuts(rng, flat.size, ranks)):
            found[rank] += sharded.flat(name, shape, begin, flat[begin:end])
        return found
    if how == 4:
        for rank in range(ranks):
            if rank == 0 or rng.random() < 0.5:
                found[rank].append(sharded.Box(name, shape, (0,) * len(shape), array))
        return found
    axes = list(rng.permutation(len(shape))[: 1 if how < 3 else 2])
    spans = [[(0, count)] for count in shape]
    for axis in axes:
        spans[axis] = cuts(rng, shape[axis], ranks if len(axes) == 1 else max(1, ranks // 2))
    replicas = int(rng.integers(1, 3))
    for k, box in enumerate(itertools.product(*spans)):
        part = array[tuple(slice(*span) for span in box)]
        if rng.random() < 0.2:
            part = np.asfortranarray(part)
        for copy in range(min(replicas, ranks)):
            if part.size or copy == 0:
                found[(k + copy) % ranks].append(sharded.Box(name, shape, tuple(span[0] for span in box), part))
    return found


def random_shards(rng, state, ranks):
    """The boxes of each rank."""
    shards = [[] for _ in range(ranks)]
    for name, array in state.items():
        for mine, more in zip(shards, random_boxes(rng, name, array, ranks)):
            mine += more
    for mine in shards:
        rng.shuffle(mine)
    return shards


def parts_of(shards, **options):
    return [sharded.nodes(mine, **options) for mine in shards]


def whole(name, array):
    return sharded.Box(name, array.shape, (0,) * array.ndim, array)


def rows(name, array, count):
    """A box of some rows for each rank."""
    step = -(-array.shape[0] // count)
    zeros = (0,) * (array.ndim - 1)
    return [[sharded.Box(name, array.shape, (k * step, *zeros), array[k * step :][:step])] for k in range(count)]


def columns(name, array, count):
    step = -(-array.shape[-1] // count)
    zeros = (0,) * (array.ndim - 1)
    return [[sharded.Box(name, array.shape, (*zeros, k * step), array[..., k * step :][..., :step])]
            for k in range(count)]  # fmt: skip


def an_array(shape=(96, 160), dtype="f2", seed=1):
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    return np.frombuffer(np.random.default_rng(seed).bytes(size), dtype).reshape(shape)

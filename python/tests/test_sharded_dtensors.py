"""Which boxes DTensors are, by their placements alone: PyTorch is not imported."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import merklize
from merklize import sharded
from sharded_models import an_array, parts_of


class Mesh:
    def __init__(self, sizes, here):
        self.sizes, self.here = sizes, here

    def size(self, k):
        return self.sizes[k]

    def get_coordinate(self):
        return self.here


class Shard:
    def __init__(self, dim):
        self.dim = dim

    def is_shard(self):
        return True

    def is_replicate(self):
        return False


class _StridedShard(Shard):
    def __init__(self, dim, split_factor):
        super().__init__(dim)
        self.split_factor = split_factor


class Replicate:
    def is_shard(self):
        return False

    def is_replicate(self):
        return True


class Partial(Replicate):
    def is_replicate(self):
        return False


class Parted:
    def __init__(self, mesh, placements, shape, local):
        self.device_mesh, self.placements, self.shape, self.local = mesh, placements, shape, local

    def to_local(self):
        return self.local


def chunk(array, axis, count, k):
    step = -(-array.shape[axis] // count)
    window = [slice(None)] * array.ndim
    window[axis] = slice(k * step, (k + 1) * step)
    return array[tuple(window)]


@pytest.mark.parametrize(
    ("sizes", "placements", "order"),
    [
        ((4,), [Shard(0)], [0]),
        ((4,), [Shard(1)], [0]),
        ((4,), [Shard(-1)], [0]),
        ((3,), [Replicate()], []),
        ((2, 3), [Shard(0), Shard(0)], [0, 1]),
        ((2, 3), [Shard(1), Shard(0)], [0, 1]),
        ((2, 3), [Replicate(), Shard(0)], [1]),
        ((2, 3), [_StridedShard(0, 3), Shard(0)], [1, 0]),
    ],
)
def test_placements_say_which_box_a_dtensor_is(sizes, placements, order):
    array = an_array((70, 45), "f4")
    parts = []
    for here in np.ndindex(*sizes):
        local = array
        for k in order:
            local = chunk(local, placements[k].dim, sizes[k], here[k])
        parts.append(sharded.nodes(sharded.boxes({"w": Parted(Mesh(sizes, here), placements, array.shape, local)})))
    assert sharded.combine(parts).root == sharded.model_root({"w": array})


def test_placements_that_are_no_shards_are_refused():
    array = an_array()
    for mesh, placements, text in [
        (Mesh((2,), (0,)), [Partial()], "Partial.*redistribute it first"),
        (Mesh((2,), (0,)), [Shard(0)], "its local part is"),
        (Mesh((2, 2), (0, 0)), [_StridedShard(0, 3), Shard(0)], "unknown placement"),
    ]:
        with pytest.raises(merklize.InvalidArgument, match=f"tensor 'w'.*{text}"):
            sharded.boxes({"w": Parted(mesh, placements, array.shape, array)})
    assert sharded.boxes({"w": Parted(Mesh((2,), None), [Shard(0)], array.shape, array)}) == []


def test_fused_and_transposed_tensors_by_maps():
    q, k, up = an_array((64, 96)), an_array((32, 96), seed=2), an_array((96, 128), seed=3)
    expected = sharded.model_root({"q": q, "k": k, "up": up})
    parts = []
    for rank in range(2):
        fused = np.concatenate([chunk(q, 0, 2, rank), chunk(k, 0, 2, rank)])
        state = {"qk": fused, "up_t": np.ascontiguousarray(chunk(up, 1, 2, rank).T)}
        maps = {
            "qk": lambda t, rank=rank: [
                sharded.Box("q", q.shape, (32 * rank, 0), t[:32]), sharded.Box("k", k.shape, (16 * rank, 0), t[32:])
            ],
            "up_t": lambda t, rank=rank: [sharded.Box("up", up.shape, (0, 64 * rank), t.T)],
        }  # fmt: skip
        parts.append(sharded.nodes(sharded.boxes(state, maps=maps)))
    assert sharded.combine(parts).root == expected


@pytest.mark.parametrize("shape", [(7,), (40, 50), (3, 40, 5), (2, 3, 4, 5)])
def test_flat_ranges_are_few_boxes(shape):
    array = an_array(shape, "f4")
    flat = array.reshape(-1)
    for begin, end in [(0, flat.size), (3, flat.size - 2), (0, 1), (flat.size // 3, flat.size // 3), (4, 6)]:
        found = sharded.flat("w", shape, begin, flat[begin:end])
        assert len(found) <= max(1, 2 * len(shape) - 1)
        again = np.zeros(shape, "f4")
        for box in found:
            again[tuple(slice(a, a + n) for a, n in zip(box.offset, box.data.shape))] = box.data
        assert (again.reshape(-1)[begin:end].view("u4") == flat[begin:end].view("u4")).all()
    with pytest.raises(merklize.InvalidArgument, match="are not in"):
        sharded.flat("w", shape, 1, flat)


def test_flat_ranges_of_a_single_element():
    one = np.float32(3).reshape(1)
    parts = parts_of([sharded.flat("s", (), 0, one), sharded.flat("s", (), 1, one[:0])])
    assert sharded.combine(parts) == sharded.model_manifest({"s": one.reshape(())})


def test_torch_is_not_imported():

    code = "import sys, numpy as np; from merklize import sharded; sharded.model_root({'w': np.ones((3, 5))});"
    subprocess.run([sys.executable, "-c", code + "assert 'torch' not in sys.modules"], check=True)


@pytest.mark.parametrize("maps", [[], memoryview(bytes(4)).cast("B", (2, 2)), "w", 5])
def test_maps_that_are_no_mapping(maps):
    with pytest.raises(TypeError, match="maps must be a mapping of names to functions, got"):
        sharded.boxes({"w": np.zeros(3)}, maps=maps)

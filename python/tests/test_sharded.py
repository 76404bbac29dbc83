"""One root for a model, however it is sharded: against the reference of the page, and what liars and mistakes get."""

from __future__ import annotations

import contextlib
import json
import os
import struct
import subprocess
import sys
import time
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

import merklize
from merklize import sharded
from merklize.manifests import Manifest
from sharded_models import plain, random_model, random_shards, reference
from weights import write, write_sharded

VECTORS = Path(__file__).resolve().parents[2] / "tests/vectors/tiles.json"


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


# ---- One root ----


def try_shardings(count, seed):
    rng = np.random.default_rng(seed)
    root = reference()["model_root"]
    for trial in range(count):
        state = random_model(rng)
        expected = root(plain(state))
        for _ in range(2):
            ranks = int(rng.integers(1, 9))
            shards = random_shards(rng, state, ranks)
            has_tiles = bool(rng.random() < 0.2)
            made = sharded.combine(parts_of(shards, tiles=has_tiles))
            assert made.root == expected, (seed, trial)
        assert sharded.model_root(state) == expected


@pytest.mark.parametrize("seed", range(4))
def test_random_shardings_of_random_models_have_the_root_of_the_reference(seed):
    try_shardings(15, seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 110))
def test_ten_thousand_random_shardings_have_the_root_of_the_reference(seed):
    try_shardings(500, seed)


def test_the_known_answers():
    vectors = json.loads(VECTORS.read_text())
    names = reference()
    for one in vectors["tensors"]:
        # Element bytes by a counter: byte k is k * 131 + k // 256, modulo 256.
        k = np.arange(one["size"], dtype=np.uint64)
        data = ((k * 131 + k // 256) % 256).astype(np.uint8).tobytes()
        digest = names["tensor_digest"](one["dtype"], one["shape"], data)
        assert digest.hex() == one["digest"], one
        types = {"F16": "f2", "F32": "f4", "F64": "f8", "U8": "u1", "C128": "c16", "BOOL": "?"}
        if one["dtype"] in types:
            array = np.frombuffer(data, types[one["dtype"]]).reshape(one["shape"])
            assert sharded.model_manifest({"t": array}).tensors["t"].digest == digest
    model = vectors["model"]
    tensors = {t["name"]: (t["dtype"], t["shape"], bytes.fromhex(t["data"])) for t in model["tensors"]}
    assert names["model_root"](tensors).hex() == model["root"]


@pytest.mark.parametrize("make", [write, write_sharded])
def test_the_file_has_the_root_of_the_model(tmp_path, make):
    rng = np.random.default_rng(5)
    state = {f"t{k}": array for k in range(5) for array in random_model(rng).values()}
    state |= {"wide": an_array((70, 9000)), "long": an_array((600_001,), "u1"), "deep": an_array((3, 2, 40, 33), "f4")}
    state |= {"one": np.float32(3).reshape(()), "empty": np.zeros((0, 5), "f4"), "row": an_array((1, 3000))}
    path = make(tmp_path / "m.safetensors" if make is write else tmp_path, state)
    made = merklize.manifest(path, tiles=True)
    assert made.root == reference()["model_root"](plain(state)) == sharded.model_root(state)
    assert merklize.manifest(state, tiles=True).root == made.root
    assert made.digest == "tiles-v1"
    assert (
        made.tensors["wide"].digest
        == sharded.combine(parts_of(columns("wide", state["wide"], 3))).tensors["wide"].digest
    )
    for threads in (1, 3):
        assert merklize.manifest(path, tiles=True, threads=threads) == made
    assert made.check(path)
    assert merklize.check_model(state, made)
    assert sharded.check(state, made)


def test_sub_byte_storage_and_dimensions_of_one():
    digest = reference()["tensor_digest"]
    for shape in [(1, 3000), (3000, 1), (40, 1, 50), (1, 1), (1,), (), (2, 0), (0,)]:
        array = an_array(shape) if 0 not in shape else np.zeros(shape, "f2")
        found = sharded.model_manifest({"t": array}).tensors["t"]
        assert found.digest == digest("F16", shape, array.tobytes())
        for cut in (rows, columns) if shape and 0 not in shape else ():
            assert sharded.combine(parts_of(cut("t", array, 2))).tensors["t"].digest == found.digest


def test_tensors_are_not_copied():
    array = np.arange(4096 * 4096, dtype="f4").reshape(4096, 4096)
    parts_of(rows("w", array[:64, :64], 2))
    for cut in (rows("w", array, 2), columns("w", array, 2), [[whole("w", array)]]):
        tracemalloc.start()
        parts_of(cut)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 0.02 * array.nbytes  # digests of tiles: 32 bytes for 4096
    # What does not lie in rows is copied in parts.
    tracemalloc.start()
    parts_of([[whole("w", array.T)]])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.6 * array.nbytes


@pytest.mark.parametrize("shape", [(4096, 32, 32), (1, 64, 64, 32, 32), (2, 2048, 32, 32), (3, 1, 1500, 900)])
def test_matrices_that_do_not_lie_in_rows_are_copied_in_parts(shape, monkeypatch):
    array = an_array(shape, "f4")
    expected = sharded.model_root({"w": array})
    stored = np.ascontiguousarray(array.swapaxes(-1, -2)).swapaxes(-1, -2)
    monkeypatch.setattr("merklize.manifests._tile_nodes.CHUNK", 1 << 20)
    tracemalloc.start()
    assert sharded.model_root({"w": stored}) == expected
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.2 * array.nbytes


@pytest.mark.parametrize(
    ("width", "hidden", "keys", "most"),
    [
        (4096, 11008, 4096, 0.00053),  # 7B: 11008 / 8 columns are 43 tiles, whose largest nodes are four to seven
        (4096, 14336, 1024, 0.00032),  # 8B
        (8192, 28672, 1024, 0.00016),  # 70B
    ],
)
def test_little_is_sent(width, hidden, keys, most):
    """The bytes that eight ranks send of a layer, cut as tensor parallel cuts it, as share of the layer's."""

    def sent(cut, *shape):
        return sum(map(len, parts_of(cut("model.layers.10.mlp.down_proj.weight", an_array(shape), 8))))

    def by_columns(rows, count):  # as much for each row of tiles
        one, two = sent(columns, 32, count), sent(columns, 64, count)
        return one + (two - one) * (rows // 32 - 1)

    by_rows = sent(rows, 2048, width)  # however many rows of tiles there are, if they are a power of two for each rank
    layer = 2 * width * (3 * hidden + 2 * width + 2 * keys)
    found = by_columns(width, hidden) + by_columns(width, width) + 5 * by_rows
    assert 0.95 * most < found / layer < most


# ---- What differs is named ----


def test_a_flipped_bit_is_named_by_rows_columns_and_ranks():
    array = an_array((96, 160))
    known = sharded.combine(parts_of(rows("w", array, 3)))
    against = parts_of(rows("w", array, 3), tiles=True)
    wrong = array.copy()
    wrong.view("u2")[70, 130] ^= 4
    parts = parts_of(columns("w", wrong, 2))
    boxes = columns("w", wrong, 2)

    def check(**options):
        rank = [0]

        def gather(data):
            made = parts_of(boxes, tiles=data[16] == 1)
            assert data in made
            return made

        maps = {"w": lambda tensor: boxes[rank[0]]}
        return sharded.check({"w": boxes[0][0].data}, known, maps=maps, gather=gather, **options)

    assert parts
    (found,) = check().differences
    assert (found.kind, found.name, found.ranks, found.box) == ("bytes", "w", (0, 1), None)
    (found,) = check(against=against).differences
    assert (found.name, found.box, found.ranks) == ("w", ((64, 96), (128, 160)), (1,))
    assert str(found) == "tensor 'w': rows 64 to 96, columns 128 to 160 differ, at rank 1"
    with pytest.raises(merklize.InvalidArgument, match="is not the manifest's"):
        check(against=parts_of(rows("w", wrong, 3), tiles=True))
    with pytest.raises(merklize.InvalidArgument, match="must have digests of tiles"):
        check(against=parts_of(rows("w", array, 3)))


def test_a_model_against_what_other_ranks_gave():
    array = an_array((3, 40, 70), "f4")
    wrong = array.copy()
    wrong.view("u4")[1, 39, 3] ^= 1 << 31
    report = sharded.check({"e": wrong}, parts_of(rows("e", array, 3), tiles=True))
    (found,) = report.differences
    assert found.box == ((1, 2), (32, 40), (0, 32))
    assert not report
    assert sharded.check({"e": array}, parts_of(columns("e", array, 2)))


def test_copies_that_differ_are_named():
    array = an_array()
    wrong = array.copy()
    wrong.view("u2")[0, 0] ^= 1
    shards = [[whole("w", array)], [whole("w", wrong)], [whole("w", array)]]
    with pytest.raises(merklize.Mismatch, match=r"'w' \[0:96, 0:160\]: the copies of ranks 0 and 2 and rank 1 differ"):
        sharded.combine(parts_of(shards))


def test_a_wrong_copy_is_told_from_the_right_ones():
    array = an_array()
    wrong = array.copy()
    wrong.view("u2")[10, 100] ^= 1
    known = sharded.combine(parts_of(rows("w", array, 2)))
    shards = rows("w", array, 2) + rows("w", wrong, 2)

    def check(**options):
        def gather(data):
            return parts_of(shards, tiles=data[16] == 1)

        maps = {"w": lambda tensor: shards[0]}
        return sharded.check({"w": array}, known, maps=maps, gather=gather, **options).differences

    (found,) = check()
    assert (found.kind, found.ranks) == ("bytes", (2,))
    (found,) = check(against=parts_of(columns("w", array, 1), tiles=True))
    assert (found.box, found.ranks) == (((0, 32), (96, 128)), (2,))
    shards = rows("w", wrong, 2) * 2
    (found,) = check()
    assert found.ranks == (0, 1, 2, 3)


MISTAKES = {
    "a missing box": (
        lambda a: rows("w", a, 3)[:2],
        "no rank gave 5120 of its 15360 elements.*64:96, 0:160.*ranks 0 and 1 gave the others",
    ),
    "a doubled box": (lambda a: [rows("w", a, 3)[0] * 2, *rows("w", a, 3)[1:]], "there twice at rank 0"),
    "boxes that overlap": (
        lambda a: [*rows("w", a, 3), columns("w", a, 2)[0]],
        "of rank 0 and .*of rank 3 overlap, and are not the same box",
    ),
    "another dtype": (lambda a: [[whole("w", a)], [whole("w", a.view("i2"))]], "dtype is F16 at rank 0, I16 at rank 1"),
    "another shape": (
        lambda a: [[whole("w", a)], [whole("w", a[:32])]],
        r"shape is \[96, 160\] at rank 0, \[32, 160\]",
    ),
    "a transposed copy": (lambda a: [[whole("w", a)], [whole("w", a.T)]], "at rank 1; a transposed copy needs a map"),
    "another shape without elements": (
        lambda a: [[whole("w", a[:0])], [whole("w", a[:, :0])]],
        r"'w': shape is \[0, 160\] at rank 0, \[96, 0\] at rank 1",
    ),
    "boxes without elements alone": (
        lambda a: [[sharded.Box("w", (96, 160), (96, 0), a[:0])], []],
        "'w': no rank gave 15360 of its 15360 elements",
    ),
    "no ranks": (lambda a: [], "0 ranks gave no tensor"),
    "no boxes": (lambda a: [[], []], "2 ranks gave no tensor"),
    "a box outside": (lambda a: [[sharded.Box("w", (96, 160), (32, 0), a)]], "does not lie in its shape"),
    "other dimensions": (lambda a: [[sharded.Box("w", (96, 160), (0,), a)]], "as many dimensions"),
    "no tensor": (lambda a: [[sharded.Box("w", (96, 160), (0, 0), [1])]], "must be a tensor or an array"),
    "a negative offset": (
        lambda a: [[sharded.Box("w", (96, 160), (-1, 0), a)]],
        "offset must be 0 to .*, got -1",
    ),
}


@pytest.mark.parametrize("what", MISTAKES)
def test_a_mistake_is_an_error_that_names_tensor_and_ranks(what):
    make, text = MISTAKES[what]
    with pytest.raises(merklize.InvalidArgument, match=text):
        sharded.combine(parts_of(make(an_array())))


def test_a_model_that_is_another_one_is_no_valid_one():
    array = an_array()
    known = sharded.combine(parts_of(rows("w", array, 2)))
    kinds = lambda state: [(d.kind, d.name) for d in sharded.check(state, known).differences]  # noqa: E731
    assert kinds({"w": array}) == []
    assert kinds({"w": array.T}) == [("shape", "w")]
    assert kinds({"w": array.view("i2")}) == [("dtype", "w")]
    assert kinds({"v": array}) == [("unexpected", "v"), ("missing", "w")]
    assert kinds({"w": array, "tied": array}) == []
    for report in (sharded.check, merklize.check_model, lambda state, known: known.check(state)):
        assert report({"w": array, "tied": array}, known).aliases == (("tied", "w"),)
    assert kinds({"w": array, "more": array.copy()}) == [("unexpected", "more")]
    assert kinds({}) == [("missing", "w")]
    with pytest.raises(merklize.InvalidArgument, match="nothing in the manifest is named 'x'"):
        sharded.check({"w": array}, known, only=["x"])
    with pytest.raises(merklize.InvalidArgument, match="must be by tiles"):
        sharded.check({"w": array}, merklize.manifest({"w": array}))
    with pytest.raises(merklize.InvalidArgument, match="group: the manifest must be by tiles"):
        merklize.check_model({"w": array}, merklize.manifest({"w": array}), group=object())
    with pytest.raises(merklize.InvalidArgument, match="one manifest has digests of tiles"):
        known.diff(merklize.manifest({"w": array}))
    with pytest.raises(merklize.InvalidArgument, match="not among the 1 parts"):
        sharded.model_root({"w": array}, gather=lambda data: [b""])
    with pytest.raises(merklize.InvalidArgument, match="the model has no tensor 'x'"):
        sharded.model_root({"w": array}, maps={"x": lambda t: []})


@pytest.mark.parametrize("error", [merklize.OutOfMemory, merklize.Unavailable, ValueError, KeyError, TypeError])
def test_whatever_fails_at_one_rank_is_told_to_the_others(error):
    array = an_array()

    def fail(local):
        raise error("no room")

    told = []
    with pytest.raises(error, match="no room"):
        sharded.model_root({"w": array}, maps={"w": fail}, gather=lambda data: [told.append(data), data][1:])
    assert len(told) == 1
    with pytest.raises(merklize.InvalidArgument, match="rank 0: .*no room"):
        sharded.model_root({"w": array}, gather=lambda data: [*told, data])
    hostile = told[0] + b"\0\x1b[31m\xff"
    with pytest.raises(merklize.InvalidArgument, match="rank 0: ") as caught:
        sharded.model_root({"w": array}, gather=lambda data: [hostile, data])
    assert str(caught.value).isprintable()


def test_a_manifest_that_one_rank_cannot_read_is_told_to_the_others(tmp_path):
    state = {"w": an_array()}
    known = merklize.manifest(state, tiles=True)
    bytes_of = merklize.manifest(state)
    for wrong, only, kind, text in [
        (tmp_path / "none.json", [], merklize.FileError, "none.json"),
        (bytes_of, [], merklize.InvalidArgument, "must be by tiles"),
        (known, ["x"], merklize.InvalidArgument, "nothing in the manifest is named 'x'"),
    ]:
        told = []
        with pytest.raises(kind, match=text):
            sharded.check(state, wrong, only=only, gather=lambda data, to=told: [to.append(data), data][1:])
        with pytest.raises(merklize.InvalidArgument, match=f"rank 0: .*{text}"):
            sharded.check(state, known, gather=lambda data, to=told: [*to, data])


def test_arguments_that_are_wrong_at_one_rank_are_told_to_the_others():
    array = an_array()
    state, known = {"w": array}, merklize.manifest({"w": array}, tiles=True)
    for call, options, kind in [
        (sharded.model_manifest, {"device": 2.5}, TypeError),
        (sharded.model_root, {"threads": "two"}, TypeError),
        (sharded.model_root, {"maps": 5}, TypeError),
        (sharded.check, {"manifest": [b"no nodes"]}, merklize.InvalidArgument),
        (sharded.check, {"manifest": [5]}, TypeError),
        (sharded.check, {"manifest": 5}, TypeError),
        (sharded.check, {"manifest": known, "only": "w"}, TypeError),
        (sharded.check, {"manifest": known, "only": 5}, TypeError),
        (sharded.check, {"manifest": known, "device": 2.5}, TypeError),
    ]:
        told = []
        with pytest.raises(kind):
            call(state, gather=lambda data, to=told: [to.append(data), data][1:], **options)
        assert [part.startswith(b"merklize failed") for part in told] == [True], (call, options)


@pytest.mark.parametrize(
    ("backend", "place"),
    [("gloo", "cpu"), ("nccl", "cuda"), ("cuda:nccl", "cuda"), ("cpu:gloo,cuda:nccl", "cpu"), ("xccl", "xpu"),
     ("mpi", "cpu"), ("undefined", "cpu")],
)  # fmt: skip
def test_backends_of_a_group_exchange_tensors_where_they_take_them(backend, place):
    from merklize.manifests._tile_boxes import exchanged_on

    assert exchanged_on(backend) == place


def test_a_check_of_one_process_asks_no_others(monkeypatch):
    array = an_array()
    known = merklize.manifest({"w": array}, tiles=True)

    class Torch:
        class distributed:
            is_available = is_initialized = staticmethod(lambda: True)
            get_rank = get_world_size = get_backend = staticmethod(lambda group: pytest.fail("asked others"))

    monkeypatch.setitem(sys.modules, "torch", Torch)
    assert known.check({"w": array})
    assert known.check_tensor("w", array) is None
    assert merklize.manifest({"w": array}, tiles=True) == known
    with pytest.raises(pytest.fail.Exception, match="asked others"):
        sharded.check({"w": array}, known)


# ---- What others give ----


def test_every_change_of_what_a_rank_gives_is_an_error_or_another_root():
    array = an_array((40, 70))
    parts = parts_of(rows("w", array, 2))
    root = sharded.combine(parts).root
    for at in range(len(parts[1])):
        changed = bytearray(parts[1])
        changed[at] ^= 1 << (at % 8)
        with contextlib.suppress(merklize.InvalidArgument, merklize.Mismatch):
            assert sharded.combine([parts[0], bytes(changed)]).root != root
    for end in range(len(parts[1])):
        with pytest.raises(merklize.InvalidArgument, match="rank 1"):
            sharded.combine([parts[0], parts[1][:end]])
    with pytest.raises(merklize.InvalidArgument, match="1 bytes too many"):
        sharded.combine([parts[0], parts[1] + b"\0"])
    name = "of_a_layer." * 30
    with pytest.raises(merklize.InvalidArgument, match=f"tensor '{name}' .0:20, 0:70. is there twice"):
        sharded.combine([sharded.nodes(2 * rows(name, array, 2)[0])])


def record(name, dtype, shape, offset, extent, payload=b""):
    text = lambda t: struct.pack("<I", len(t)) + t  # noqa: E731
    numbers = b"".join(struct.pack("<Q", n) for n in (*shape, *offset, *extent))
    return text(name) + text(dtype) + struct.pack("<I", len(shape)) + numbers + payload


LIES = {
    "another magic": (b"merklize nodes 2" + bytes(8), "does not begin"),
    "nothing": (b"", "does not begin"),
    "flags": (b"merklize nodes 1" + struct.pack("<II", 2, 0), "unknown flags 2"),
    "a count without boxes": (b"merklize nodes 1" + struct.pack("<II", 0, 2**32 - 1), "bytes early"),
    "a long name": (b"merklize nodes 1" + struct.pack("<III", 0, 1, 2**32 - 1), "bytes early"),
    "no UTF-8": (record(b"\xff", b"F16", (1,), (0,), (1,)), "not UTF-8"),
    "a dtype": (record(b"w", b"F15", (1,), (0,), (1,)), "unknown dtype"),
    "dimensions": (record(b"w", b"F16", (1,) * 65, (0,) * 65, (1,) * 65), "65 dimensions"),
    "a huge shape": (record(b"w", b"F16", (2**63, 4), (0, 0), (1, 4)), "below 2"),
    "a huge box": (record(b"w", b"F16", (2**40, 64), (1, 0), (2**39, 64)), "bytes early"),
    "an end beyond": (record(b"w", b"F16", (64, 64), (2**64 - 1, 0), (1, 64)), "does not lie"),
    "an extent beyond": (record(b"w", b"F16", (64, 64), (0, 0), (65, 64)), "does not lie"),
    "an end within a byte": (record(b"w", b"F4", (64, 64), (0, 1), (64, 1)), "within bytes"),
    "a zero byte in a dtype": (record(b"w", b"F16\0", (1,), (0,), (1,)), r"unknown dtype 'F16\\x00'"),
    "a long dtype": (record(b"w", b"F" * 100_000, (1,), (0,), (1,)), "unknown dtype 'FFF"),
    "a name to shorten": (record(b"w" * 100_000, b"F16", (64, 64), (0, 0), (65, 64)), "tensor 'www.*does not lie"),
    "a huge shape of no elements": (record(b"w", b"F16", (2**63, 0), (0, 0), (1, 0)), "must be below 2"),
    "too few bytes": (record(b"w", b"F16", (64, 64), (0, 0), (64, 64), bytes(31)), "ends 1 bytes early"),
    "no byte": (record(b"w", b"F16", (1,), (0,), (1,)), "bytes early"),
    "dimensions that do not end": (record(b"w", b"F16", (1,) * 64, (0,) * 64, (1,) * 64)[:-1], "bytes early"),
}


@pytest.mark.parametrize("what", LIES)
def test_a_lie_is_an_error_that_names_the_rank(what):
    data, text = LIES[what]
    if len(data) > 24 and not data.startswith(b"merklize"):
        data = b"merklize nodes 1" + struct.pack("<II", 0, 1) + data
    with pytest.raises(merklize.InvalidArgument, match=f"rank 1.*{text}") as caught:
        sharded.combine([sharded.nodes([whole("w", an_array())]), data])
    assert len(str(caught.value)) < 1000
    if data[24:28] == struct.pack("<I", 1) and data[28:29] == b"w":  # its name could be read
        assert "tensor 'w'" in str(caught.value)


def test_many_boxes_take_no_long_time():
    head = b"merklize nodes 1" + struct.pack("<II", 0, 1 << 14)
    boxes = [record(b"w", b"U8", (1 << 18, 64), (32 * (k // 2), 32 * (k % 2)), (32, 32), bytes(32))
             for k in range(1 << 14)]  # fmt: skip
    by_halves = [record(b"w", b"U8", (1 << 18, 64), (0, 32 * k), (1 << 18, 32), bytes(32 << 13)) for k in (0, 1)]
    begin = time.process_time()
    made = sharded.combine([head + b"".join(boxes)])
    assert time.process_time() - begin < 6
    assert made == sharded.combine([head[:20] + struct.pack("<I", 2) + b"".join(by_halves)])


@pytest.mark.parametrize("has_tiles", [False, True])
def test_tensors_that_are_cut_alike(has_tiles):
    """Their trees grow together, 256 at a time; others are among them."""
    state = {f"experts.{k}": (an_array((96, 64)).view("u2") + np.uint16(k)).view("f2") for k in range(300)}
    state |= {f"other.{k}": an_array((65 + k, 64)) for k in range(4)} | {"none": np.zeros((0, 3), "f2")}
    shards = [[], []]
    for name, array in state.items():
        for mine, box in zip(shards, (rows if name != "experts.7" else columns)(name, array, 2)):
            mine += box
    assert sharded.combine(parts_of(shards, tiles=has_tiles)) == merklize.manifest(state, tiles=True)


def test_boxes_without_elements_may_be_there_twice():
    array = an_array()
    empty = sharded.Box("w", array.shape, (0, 0), array[:0])
    assert sharded.combine(parts_of([[whole("w", array), empty, empty], [empty]])).root == sharded.model_root(
        {"w": array}
    )


def test_a_huge_tensor_that_nobody_has_takes_no_memory():
    head = b"merklize nodes 1" + struct.pack("<II", 0, 1)
    made = sharded.combine([head + record(b"w", b"F16", (2**30, 2**20), (0, 0), (2**30, 2**20), bytes(32))])
    assert made.tensors["w"].shape == (2**30, 2**20)
    with pytest.raises(merklize.InvalidArgument, match="no rank gave"):
        sharded.combine([head + record(b"w", b"F16", (2**30, 2**20), (0, 0), (0, 2**20))])


@pytest.mark.parametrize("parts", [b"bytes", [1], ["text"], None, 5])
def test_what_is_no_list_of_bytes_is_refused(parts):
    with pytest.raises(TypeError, match="combine"):
        sharded.combine(parts)


def test_what_is_no_box_is_refused():
    array = an_array()
    for make, text in [
        (lambda: sharded.nodes([array]), "shards must be Box, got ndarray"),
        (lambda: sharded.nodes(None), "shards must be boxes, got NoneType"),
        (lambda: sharded.nodes(whole("w", array)), "shards must be boxes, got Box"),
        (lambda: sharded.nodes([sharded.Box("w", "ab", (0, 0), array)]), "'w': shape must be integers, got 'ab'"),
        (lambda: sharded.nodes([sharded.Box("w", array.shape, (0.5, 0), array)]), "offset must be integers"),
        (lambda: sharded.nodes([sharded.Box("w", (True, 160), (0, 0), array[:1])]), "shape must be integers"),
        (lambda: sharded.flat("w", (4,), True, array.reshape(-1)[:2]), "begin must be integers"),
        (lambda: sharded.nodes([sharded.Box("w", {96, 160}, (0, 0), array)]), "shape must be integers, got set"),
        (lambda: sharded.nodes([sharded.Box("w", b"`\xa0", (0, 0), array)]), "shape must be integers, got 2 bytes"),
        (lambda: sharded.nodes([sharded.Box("w", array.shape, {0: 1, 1: 0}, array)]), "must be integers, got dict"),
        (lambda: sharded.flat("w", (4,), 0, [1]), "data must be an array or a tensor, got list"),
        (lambda: sharded.flat("w", (4,), "0", array), "begin must be integers"),
        (lambda: sharded.model_root(5), "a mapping of names to tensors.*got int"),
        (lambda: sharded.model_root({"w": array}, gather=lambda data: None), "gather must return the parts"),
    ]:
        with pytest.raises(TypeError, match=text):
            make()
    for name in (1, "\ud800"):
        with pytest.raises(merklize.InvalidArgument, match="name"):
            sharded.nodes([sharded.Box(name, array.shape, (0, 0), array)])


# ---- Manifests ----


def test_the_text_has_the_kind_and_old_texts_have_none(tmp_path):
    state = {"w": an_array(), "b": an_array((5,))}
    made = merklize.manifest(write(tmp_path / "m.safetensors", state), tiles=True)
    fields = json.loads(made.to_json())
    assert list(fields)[:4] == ["format", "hash", "digest", "root"]
    assert Manifest.from_json(made.to_json()) == made
    assert Manifest.from_json(made.to_json()).digest == "tiles-v1"
    old = merklize.manifest(state)
    assert "digest" not in json.loads(old.to_json())
    assert (old.digest, old.root == made.root) == ("bytes", False)
    for digest in ("tiles-v2", "bytes", None, 1):
        with pytest.raises(merklize.InvalidArgument, match="digest must be 'tiles-v1' or not there"):
            Manifest.from_json(json.dumps({**fields, "digest": digest}))
    fields["tensors"][0]["pieces"] = "00" * 64
    with pytest.raises(merklize.InvalidArgument, match="a tensor by tiles has no pieces"):
        Manifest.from_json(json.dumps(fields))
    assert made.prove("w").verify(made.root, leaf=made.tensors["w"].leaf())


def test_a_file_that_changed(tmp_path):
    state = {"w": an_array((300, 200)), "b": an_array((5,))}
    path = write(tmp_path / "m.safetensors", state)
    (tmp_path / "config.json").write_text("{}")
    made = merklize.manifest(tmp_path, tiles=True)
    with open(path, "r+b") as file:
        file.seek(made.tensors["w"].offset + 1000)
        byte = file.read(1)
        file.seek(made.tensors["w"].offset + 1000)
        file.write(bytes([byte[0] ^ 1]))
    (found,) = made.check(tmp_path).differences
    assert (found.kind, found.name) == ("bytes", "w")
    refreshed = made.refresh(tmp_path).manifest
    assert refreshed.digest == "tiles-v1"
    assert [d.name for d in made.diff(refreshed)] == ["w"]
    assert refreshed.check(tmp_path)


@pytest.mark.parametrize("make", [write, write_sharded])
def test_a_model_against_the_checkpoint_names_tiles(tmp_path, make):
    state = {
        "w": an_array((5, 70, 90)),
        "b": an_array((3000,), "u1"),
        "s": np.full((), 3, "f4"),
        "wide": an_array(),
    }
    path = make(tmp_path / "m.safetensors" if make is write else tmp_path, state)
    known = merklize.manifest(path, tiles=True)
    wrong = {name: array.copy() for name, array in state.items()}
    wrong["w"].view("u2")[3, 69, 64] ^= 1
    wrong["b"][2048] ^= 1
    wrong["s"].view("u4")[...] ^= 1
    expected = [("b", ((2048, 3000),)), ("s", ()), ("w", ((3, 4), (64, 70), (64, 90)))]
    for where in (path, tmp_path):
        assert [(d.name, d.box) for d in sharded.check(wrong, known, against=where).differences] == expected
    assert sharded.check(state, known, against=path)
    data = bytearray(Path(path).read_bytes()) if make is write else b""
    if data:
        data[known.tensors["b"].offset] ^= 1
        (tmp_path / "m.safetensors").write_bytes(data)
        with pytest.raises(merklize.InvalidArgument, match="tensor 'b' of .* is not the manifest's"):
            sharded.check(wrong, known, against=path)
        (tmp_path / "m.safetensors").write_bytes(data[: known.tensors["b"].offset + 5])
        with pytest.raises(merklize.InvalidArgument, match=r"against: .*m\.safetensors ends before byte"):
            sharded.check(wrong, known, against=path)
    with pytest.raises(merklize.FileError, match="cannot open"):
        sharded.check(wrong, known, against=tmp_path / "none" / "m.safetensors")
    with pytest.raises(merklize.InvalidArgument, match="the manifest is of tensors in memory"):
        sharded.check(wrong, merklize.manifest(state, tiles=True), against=path)
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "other").mkdir()
    for name in known.shards:
        (tmp_path / "other" / name).symlink_to(tmp_path / "fifo")
    with pytest.raises(merklize.FileError, match=r"safetensors: not a regular file or a block device"):
        sharded.check(wrong, known, against=tmp_path / "other")
    with pytest.raises(merklize.InvalidArgument, match="against: a path cannot hold a zero byte"):
        sharded.check(wrong, known, against=f"{path}\0")


def test_a_manifest_that_lies_of_a_tensor_without_elements(tmp_path):
    state = {"e": np.zeros((0, 3), "f4")}
    path = write(tmp_path / "m.safetensors", state)
    right = merklize.manifest(path, tiles=True)
    one = right.tensors["e"]._replace(digest=bytes(32))
    fields = json.loads(right.to_json())
    fields["tensors"][0]["digest"] = one.digest.hex()
    known = Manifest.from_json(json.dumps({**fields, "root": one.leaf().hex()}))
    assert [d.kind for d in sharded.check(state, known).differences] == ["bytes"]
    with pytest.raises(merklize.InvalidArgument, match="tensor 'e' of .* is not the manifest's"):
        sharded.check(state, known, against=path)


def test_a_file_is_read_in_parts(tmp_path, monkeypatch):
    state = {"row": an_array((2_000_001,)), "w": an_array((1500, 1000))}
    path = write(tmp_path / "m.safetensors", state)
    known = merklize.manifest(path, tiles=True)
    wrong = {name: array.copy() for name, array in state.items()}
    wrong["row"].view("u2")[2_000_000] ^= 1
    wrong["w"].view("u2")[1499, 999] ^= 1
    monkeypatch.setattr("merklize.manifests._tile_check.CHUNK", 1 << 18)
    tracemalloc.start()
    found = sharded.check(wrong, known, against=path).differences
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [d.box for d in found] == [((1_999_872, 2_000_001),), ((1472, 1500), (992, 1000))]
    assert peak < 1_500_000


@pytest.mark.parametrize("shape", [(3, 900_001), (33, 90_001), (2, 33, 70_000), (600_001,)])
def test_wide_tensors_are_read_in_parts_of_rows(shape, tmp_path, monkeypatch):
    """A row of tiles may be longer than what is read at once: the nodes are the same, also in memory and in a file."""
    array = an_array(shape, "f4")
    expected = reference()["tensor_digest"]("F32", shape, array.tobytes())
    assert merklize.manifest({"w": array}, tiles=True).tensors["w"].digest == expected
    path = write(tmp_path / "m.safetensors", {"w": array})
    known = merklize.manifest(path, tiles=True)
    assert known.tensors["w"].digest == expected
    monkeypatch.setattr("merklize.manifests._tile_nodes.CHUNK", 1 << 18)
    monkeypatch.setattr("merklize.manifests._tile_check.CHUNK", 1 << 18)
    stored = np.asfortranarray(array)
    assert sharded.model_root({"w": stored}) == known.root
    wrong = array.copy()
    wrong.view("u4").reshape(-1)[-1] ^= 1
    (found,) = sharded.check({"w": wrong}, known, against=path).differences
    assert all(end == count for (_, end), count in zip(found.box, shape))


def test_the_memory_for_a_wide_tensor_is_bounded(tmp_path):
    """Three rows of 2^26 bytes are one row of tiles."""
    shape, header = (3, 1 << 26), tmp_path / "w.safetensors"
    text = json.dumps({"w": {"dtype": "U8", "shape": shape, "data_offsets": [0, 3 << 26]}}).encode()
    header.write_bytes(struct.pack("<Q", len(text)) + text)
    os.truncate(header, 8 + len(text) + (3 << 26))
    code = """if True:
        import resource, sys, merklize
        merklize.hash(bytes(1 << 20))
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        made = merklize.manifest(sys.argv[1], tiles=True, threads=2)
        print(made.tensors["w"].digest.hex(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
    """
    digest, kibibytes = subprocess.run(
        [sys.executable, "-c", code, str(header)], stdout=subprocess.PIPE, check=True, text=True
    ).stdout.split()
    assert int(kibibytes) < 48 << 10
    known = merklize.manifest({"w": np.zeros(shape, "u1")}, tiles=True)
    assert known.tensors["w"].digest.hex() == digest


def test_a_device_for_files_is_refused(opencl, tmp_path):
    path = write(tmp_path / "m.safetensors", {"w": an_array()})
    with pytest.raises(merklize.InvalidArgument, match="which reads the tiles of files"):
        merklize.manifest(path, tiles=True, device=opencl)


def test_objects_of_stores(store, tmp_path):
    state = {"w": an_array((900, 600)), "b": an_array((5,)), "e": np.zeros((0, 3), "f4")}
    path = write(tmp_path / "m.safetensors", state)
    url = store("m.safetensors", path.read_bytes())
    made = merklize.manifest(url, tiles=True)
    assert made.root == merklize.manifest(path, tiles=True).root == sharded.model_root(state)
    assert made.check(url)
    assert made.check(path)


# ---- DTensors, by their placements alone ----


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
    import subprocess

    code = "import sys, numpy as np; from merklize import sharded; sharded.model_root({'w': np.ones((3, 5))});"
    subprocess.run([sys.executable, "-c", code + "assert 'torch' not in sys.modules"], check=True)


@pytest.mark.parametrize("maps", [[], memoryview(bytes(4)).cast("B", (2, 2)), "w", 5])
def test_maps_that_are_no_mapping(maps):
    with pytest.raises(TypeError, match="maps must be a mapping of names to functions, got"):
        sharded.boxes({"w": np.zeros(3)}, maps=maps)

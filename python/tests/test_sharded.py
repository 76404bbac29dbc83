"""One root for a model, however it is sharded: against the reference of the page, and what mistakes get."""

from __future__ import annotations

import json
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

import merklize
from merklize import sharded
from sharded_models import an_array, columns, parts_of, plain, random_model, random_shards, reference, rows, whole
from weights import write, write_sharded

VECTORS = Path(__file__).resolve().parents[2] / "tests/vectors/tiles.json"


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

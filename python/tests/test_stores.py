"""URLs: the digests, trees, proofs and manifests of local files, in bounded memory."""

from __future__ import annotations

import os
import re
import threading
import time

import numpy as np
import pytest

import merklize
from cli_helpers import merklize as command
from merklize import _native
from merklize.stores import opened
from store_fixtures import DATA, MIB
from waiting import eventually

pytestmark = [pytest.mark.xdist_group("stores"), pytest.mark.usefixtures("small_ranges")]


@pytest.mark.parametrize("size", [0, 1, 1024, MIB - 1, MIB, MIB + 1, len(DATA)])
def test_digests(store, size):
    url = store("x", DATA[:size])
    assert merklize.hash_file(url) == merklize.hash(DATA[:size])
    assert merklize.hash_file(url, key=b"k" * 32, length=70, seek=3) == merklize.hash(
        DATA[:size], key=b"k" * 32, length=70, seek=3
    )
    assert merklize.hash_file(url, hash="sha256") == merklize.hash(DATA[:size], hash="sha256")


@pytest.mark.parametrize("where", ["memory", "file"])
@pytest.mark.parametrize("piece", [MIB >> 2, MIB, 128 * MIB])
def test_values_of_parts(memory, tmp_path, device, where, piece):
    """A message may begin anywhere in an object, and its pieces give its digest. A wrong piece size is refused."""
    data = DATA * (28 if piece > MIB else 1)  # more than one batch of a device
    base, size, key = 77, len(data) - 99, b"k" * 32
    (tmp_path / "x").write_bytes(data)
    memory.pipe_file("/x", data)
    url = "memory://x" if where == "memory" else (tmp_path / "x").as_uri()
    settings = _native.Settings(device, None)
    with opened(url) as source:
        part = max(piece, 2 * MIB)
        values = [
            _native.piece_values(source, (base + at, min(part, size - at)), at, piece, key, None, settings)
            for at in range(0, size, part)
        ]
        found = _native.digest_of_pieces(b"".join(values), key, None, 32, 0)
        assert found == merklize.hash(data[base : base + size], key=key)
        for wrong in ((base, 0), 0, piece), ((base, 5), piece // 2, piece), ((base, 5), 0, 3):
            with pytest.raises(merklize.InvalidArgument, match="piece_values: "):
                _native.piece_values(source, *wrong, key, None, settings)


def test_many(store, tmp_path):
    urls = [store(f"f{k}", DATA[: k * 1000]) for k in range(40)]
    there = tmp_path / "f"
    there.write_bytes(DATA)
    missing = urls[0].replace("f0", "none")
    results = merklize.hash_files([*urls, there, missing, there.as_uri()])
    assert results[:40] == [merklize.hash(DATA[: k * 1000]) for k in range(40)]
    assert results[40] == results[42] == merklize.hash(DATA)
    assert isinstance(results[41], FileNotFoundError)


@pytest.mark.parametrize(
    "how",
    [
        {"leaf_size": 4096},
        {"leaf_size": 1000},
        {"leaf_size": 2 * MIB + 1},
        {"leaf_size": 8 * MIB},
        {"leaf_size": 4096, "hash": "sha256_rfc6962"},
        {"leaf_size": 4096, "key": b"k" * 32},
        {"leaf_size": 4096, "rule": "pad", "padding": b"p" * 32},
        {"format": "glacier"},
        {"format": "bittorrent_v2"},
    ],
    ids=str,
)
def test_trees(store, tmp_path, how):
    url = store("x", DATA)
    plain = tmp_path / "x"
    plain.write_bytes(DATA)
    expected = merklize.build_tree_file(plain, tmp_path / "a.mkl", **how)
    made = merklize.build_tree_file(url, tmp_path / "b.mkl", **how)
    assert repr(made) == repr(expected) == repr(merklize.merkle_root_file(url, **how))
    assert (made.height, made.file_size) == (expected.height, expected.file_size)
    assert (tmp_path / "a.mkl").read_bytes() == (tmp_path / "b.mkl").read_bytes()
    assert sorted(os.listdir(tmp_path)) == ["a.mkl", "b.mkl", "x"]


def test_trees_in_memory_and_growth(store, tmp_path):
    url, plain = store("x", DATA), tmp_path / "x"
    plain.write_bytes(DATA)
    tree = merklize.MerkleTree.from_file(plain, 1000)
    assert merklize.MerkleTree.from_file(url, 1000) == tree
    assert merklize.MerkleTree.from_file(plain.as_uri(), 1000) == tree
    for name in ("a.mkl", "b.mkl"):
        tree.save(tmp_path / name)
    with merklize.TreeFile(tmp_path / "a.mkl") as here, merklize.TreeFile(tmp_path / "b.mkl") as there:
        assert here.append_file(plain, 4096) == there.append_file(url, 4096)
        assert here.root == there.root != tree.root


@pytest.mark.parametrize(
    "how", [{"leaves": True}, {"row_size": 64}, {"row_size": 80, "hash": "rp64_256", "rule": "pad"}], ids=str
)
def test_trees_of_leaves_and_rows(store, tmp_path, how):
    words = np.random.default_rng(3).integers(0, 1 << 31, (5 * MIB // 8), np.uint64).tobytes()
    url, plain = store("x", words), tmp_path / "x"
    plain.write_bytes(words)
    assert merklize.merkle_root_file(url, **how).root == merklize.merkle_root_file(plain, **how).root
    bad, wrong = store("y", words[:-1]), tmp_path / "y"
    wrong.write_bytes(words[:-1])
    for input in (bad, wrong):
        with pytest.raises(merklize.InvalidArgument, match="are not a whole count of (leaves|rows) of"):
            merklize.merkle_root_file(input, **how)


@pytest.mark.parametrize("size", [0, 1, 4096, 4097])
def test_small_trees(store, tmp_path, size):
    plain = tmp_path / "x"
    plain.write_bytes(DATA[:size])
    expected = merklize.merkle_root_file(plain, leaf_size=4096)
    assert repr(merklize.merkle_root_file(store("x", DATA[:size]), leaf_size=4096)) == repr(expected)


@pytest.mark.parametrize("how", [{}, {"rule": "pad"}, {"hash": "sha256_rfc6962"}, {"key": b"k" * 32}], ids=str)
def test_tree_files_in_stores(store, tmp_path, how):
    plain = tmp_path / "x.mkl"
    (tmp_path / "x").write_bytes(DATA)
    merklize.build_tree_file(tmp_path / "x", plain, leaf_size=1000, **how)
    with merklize.TreeFile(store("x.mkl", plain.read_bytes())) as there, merklize.TreeFile(plain) as here:
        n = here.n_leaves
        for name in ("root", "n_leaves", "height", "hash", "rule", "padding", "is_keyed", "leaf_size", "file_size"):
            assert getattr(there, name) == getattr(here, name)
        some = [0, 1, 7, n // 2, n - 2, n - 1]
        assert there.prove(some) == here.prove(some)
        assert there.prove(n - 1) == here.prove(n - 1)
        assert there.prove_together(some) == here.prove_together(some)
        assert there.prove_range(n // 3, n // 2) == here.prove_range(n // 3, n // 2)
        assert there.prove_range(0, n) == here.prove_range(0, n)
        if here.rule == "left_full":
            for old in (1, 2, n // 2, n - 1, n):
                assert there.prove_consistency(old) == here.prove_consistency(old)
        assert there.read(1, 5, 100) == here.read(1, 5, 100)
        for call in (lambda f: f.prove(n), lambda f: f.read(0, 0, n + 1), lambda f: f.prove_range(3, 3)):
            with pytest.raises(merklize.InvalidArgument) as local:
                call(here)
            with pytest.raises(merklize.InvalidArgument) as remote:
                call(there)
            assert str(local.value) == str(remote.value)
        if not here.is_keyed:
            assert there.check() == []
        with pytest.raises(merklize.InvalidArgument, match="cannot be changed"):
            there.update({0: b"x" * 32})
        with pytest.raises(merklize.InvalidArgument, match=r"has no level\(\) to map"):
            there.level(0)


@pytest.mark.parametrize("old", [1, 2, 3, 4, 7, 8, 9, 12, 13])
def test_growth_of_small_trees(memory, tmp_path, old):
    (tmp_path / "x").write_bytes(DATA[: 13 * 100])
    merklize.build_tree_file(tmp_path / "x", tmp_path / "x.mkl", leaf_size=100)
    memory.pipe_file("/x.mkl", (tmp_path / "x.mkl").read_bytes())
    with merklize.TreeFile("memory://x.mkl") as there, merklize.TreeFile(tmp_path / "x.mkl") as here:
        assert there.prove_consistency(old) == here.prove_consistency(old)
        assert there.prove(old - 1) == here.prove(old - 1)


def test_proofs_read_little(http, tmp_path):
    (tmp_path / "x").write_bytes(DATA)
    merklize.build_tree_file(tmp_path / "x", tmp_path / "x.mkl", leaf_size=32)
    http.objects["x.mkl"] = (tmp_path / "x.mkl").read_bytes()
    with merklize.TreeFile(http.url("x.mkl")) as tree:
        assert tree.prove(12345).verify(tree.root)
    spans = [re.fullmatch(r"bytes=(\d+)-(\d+)", headers["Range"]) for _, headers in http.seen]
    assert sum(int(span[2]) - int(span[1]) + 1 for span in spans) < 512 * 1024 < len(http.objects["x.mkl"]) // 10


def test_damaged_trees_are_found(memory, tmp_path):
    (tmp_path / "x").write_bytes(DATA)
    merklize.build_tree_file(tmp_path / "x", tmp_path / "x.mkl", leaf_size=1000)
    content = bytearray((tmp_path / "x.mkl").read_bytes())
    content[128 + 32 * 7] ^= 1
    memory.pipe_file("/x.mkl", bytes(content))
    with merklize.TreeFile("memory://x.mkl") as tree:
        assert tree.prove(8).verify(tree.root)
        for index in (6, 7):
            with pytest.raises(merklize.FileError, match="do not fit the root: the tree file is damaged"):
                tree.prove(index)
        tree.prove_consistency(8)
        with pytest.raises(merklize.FileError, match="do not fit the root: the tree file is damaged"):
            tree.prove_consistency(7)  # has leaf 7
    for cut in (0, 100, 159, len(content) - 1):
        memory.pipe_file("/x.mkl", bytes(content[:cut]))
        with pytest.raises(merklize.FileError, match="memory://x.mkl"):
            merklize.TreeFile("memory://x.mkl")


@pytest.mark.parametrize("where", ["memory", "s3", "gs"])
def test_writing_trees(request, where, tmp_path):
    store = request.getfixturevalue(where)
    url, read = {
        "memory": ("memory://b/out.mkl", lambda: store.cat_file("/b/out.mkl")),
        "s3": ("s3://bucket/out.mkl", lambda: store.get_object(Bucket="bucket", Key="out.mkl")["Body"].read()),
        "gs": ("gs://bucket/out.mkl", lambda: store.objects["out.mkl"][0]),
    }[where]
    (tmp_path / "x").write_bytes(DATA)
    facts = merklize.build_tree_file(tmp_path / "x", url, leaf_size=4096)
    merklize.build_tree_file(tmp_path / "x", tmp_path / "out.mkl", leaf_size=4096)
    assert read() == (tmp_path / "out.mkl").read_bytes()
    with merklize.TreeFile(url) as tree:
        assert tree.root == facts.root
    before = read()
    (tmp_path / "x").write_bytes(DATA + b"x")
    with pytest.raises(merklize.Cancelled):
        merklize.build_tree_file(url, url, leaf_size=16, progress=lambda share: False)
    assert read() == before
    merklize.build_tree_file(tmp_path / "x", url, leaf_size=4096)
    assert read() != before


def test_http_is_not_written(http, tmp_path):
    with pytest.raises(merklize.FileError, match="cannot write: objects are written to s3"):
        merklize.build_tree_file(http.url("x"), http.url("y"), leaf_size=4096)
    assert http.seen == []


def test_manifests(store, tmp_path):
    from safetensors.numpy import save_file

    folder = tmp_path / "m"
    (folder / "sub").mkdir(parents=True)
    rng = np.random.default_rng(5)
    tensors = {"a": rng.random((1000, 300)), "b": rng.random(3), "c": rng.random((701, 501)), "z": np.zeros((0, 4))}
    save_file(tensors, folder / "one.safetensors")
    save_file({"d": rng.random(100)}, folder / "sub" / "two.safetensors")
    (folder / "big.bin").write_bytes(DATA)
    (folder / "empty").touch()
    urls = {
        path: store(str(path.relative_to(tmp_path)), path.read_bytes()) for path in folder.rglob("*") if path.is_file()
    }
    one = folder / "one.safetensors"
    for size in (0, 1 << 18, 1 << 20, 1 << 24):
        here, there = merklize.manifest(one, piece_size=size), merklize.manifest(urls[one], piece_size=size)
        assert here == there
        assert here.check(urls[one])
        assert there.check(one)
    if not store.lists:
        with pytest.raises(merklize.FileError, match="HTTP has no lists of files"):
            merklize.manifest(urls[one].rpartition("/")[0] + "/")
        return
    url = urls[one].rpartition("/")[0]
    for size in (0, 1 << 18, 1 << 24):
        here, there = merklize.manifest(folder, piece_size=size), merklize.manifest(url, piece_size=size)
        assert here == there
        assert here.check(url)
    there.save(url + ".json")
    assert merklize.Manifest.load(url + ".json") == there
    store("m/big.bin", DATA[:-1] + b"?")
    changed = [difference.name for difference in here.check(url).differences]
    assert changed == ["big.bin"]
    assert merklize.manifest(url, ignore=["sub", "*.bin"]).files.keys() == {"empty"}


@pytest.mark.parametrize("mark", ["?", ";", "#", "&", "%3F", "%253B"])
def test_a_name_never_has_what_may_be_a_secret(mark, memory, http, tmp_path):
    """What follows these in a URL is not shown, so it is not written into a manifest as a name either."""
    pytest.importorskip("safetensors")
    memory.pipe_file(f"/b/o{mark}s3cr3t", b"data")
    for url in (f"memory://b/o{mark}s3cr3t", http.url(f"o{mark}s3cr3t")):
        for call in (merklize.manifest, lambda one: merklize.manifest({"a": np.zeros(4)}).check(one)):
            with pytest.raises(merklize.InvalidArgument, match="a manifest needs the name of an object") as error:
                call(url)
            assert "s3cr3t" not in str(error.value)
        done = command("manifest", "create", url, "-o", tmp_path / "out.json")
        assert (done.returncode, b"s3cr3t" in done.stdout + done.stderr, os.listdir(tmp_path)) == (1, False, [])
    if mark != "#":  # fsspec cuts names there
        assert [*merklize.manifest("memory://b").files] == [f"o{mark}s3cr3t"]  # of a folder's list they are names


def test_memory_is_bounded(http, monkeypatch):
    """Even if the first range is slow, no more than the stated number of bytes is requested."""
    held, most, done, lock = 0, 0, 0, threading.Lock()
    from merklize.stores import _objects, _ranges

    limits = merklize.stores.limits
    http.objects["large"] = bytes(64 * MIB)
    read, places = _objects.Stored.read, _ranges.Readers.places

    def counted(self, start, end):
        nonlocal held, most
        if start == 0:
            eventually(lambda: held >= (limits.parallel + limits.waiting - 1) * MIB)
            time.sleep(0.3)  # time for more reads, which would be wrong
        data = read(self, start, end)
        with lock:
            held += len(data)
            most = max(most, held)
        return data

    def used(self, stored, wanted):
        nonlocal held, done
        for piece in places(self, stored, wanted):
            yield piece
            with lock:  # the caller has hashed this piece when it asks for the next one
                held -= len(piece)
                done += len(piece)

    monkeypatch.setattr(_objects.Stored, "read", counted)
    monkeypatch.setattr(_ranges.Readers, "places", used)
    assert merklize.hash_file(http.url("large")) == merklize.hash(bytes(64 * MIB))
    assert most <= (limits.parallel + limits.waiting + 1) * MIB <= limits.memory
    assert done == 64 * MIB


def test_progress_and_cancelling(http):
    shares = []
    merklize.hash_file(http.url("x"), progress=shares.append)
    assert shares
    assert all(0 <= share <= 1 for share in shares)
    for call in (merklize.hash_file, lambda url, **how: merklize.hash_files([url] * 9, **how)):
        with pytest.raises(merklize.Cancelled):
            call(http.url("x"), progress=lambda share: False)

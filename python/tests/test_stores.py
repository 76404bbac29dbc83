"""URLs: the digests, trees, proofs and manifests of local files, and what happens when a store fails."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import threading
import types
from pathlib import Path

import numpy as np
import pytest

import merklize
from cli_helpers import merklize as command
from gcs_server import gcs_server
from merklize._urls import is_url, shown
from store_servers import Server, http_server, needs, s3_server

pytestmark = [pytest.mark.xdist_group("stores"), pytest.mark.usefixtures("small_ranges")]
MIB = 1 << 20
SECRET = "s3cr3t-signature"
DATA = np.random.default_rng(21).integers(0, 256, 5 * MIB + 12345, np.uint8).tobytes()


@pytest.fixture
def memory():
    needs("fsspec")
    import fsspec

    system = fsspec.filesystem("memory")
    system.store.clear()
    yield system
    system.store.clear()


@pytest.fixture
def http():
    needs("fsspec", "aiohttp")
    with http_server() as server:
        server.objects["x"] = DATA
        yield server


@pytest.fixture(scope="module")
def s3_client():
    needs("s3fs", "moto", "boto3", "flask")
    with pytest.MonkeyPatch.context() as monkeypatch, s3_server(monkeypatch) as client:
        yield client


@pytest.fixture
def s3(s3_client):
    s3_client.put_object(Bucket="bucket", Key="x", Body=DATA)
    return s3_client


@pytest.fixture(scope="module")
def gs_bucket():
    with pytest.MonkeyPatch.context() as monkeypatch, gcs_server(monkeypatch) as bucket:
        yield bucket


@pytest.fixture
def gs(gs_bucket):
    gs_bucket.put("x", DATA)
    return gs_bucket


@pytest.fixture(params=["memory", "http", "s3", "gs"])
def store(request):
    """A function that keeps an object and gives its URL, and a fresh URL to write to or None."""
    where = request.getfixturevalue(request.param)

    def put(name: str, data: bytes) -> str:
        if request.param == "memory":
            where.pipe_file(f"/b/{name}", data)
            return f"memory://b/{name}"
        if request.param == "http":
            where.objects[name] = data
            return where.url(name)
        if request.param == "gs":
            where.put(name, data)
            return f"gs://bucket/{name}"
        where.put_object(Bucket="bucket", Key=name, Body=data)
        return f"s3://bucket/{name}"

    put.writes = request.param != "http"
    put.lists = request.param != "http"
    return put


# ---- The same bytes as of a file ----


@pytest.mark.parametrize("size", [0, 1, 1024, MIB - 1, MIB, MIB + 1, len(DATA)])
def test_digests(store, size):
    url = store("x", DATA[:size])
    assert merklize.hash_file(url) == merklize.hash(DATA[:size])
    assert merklize.hash_file(url, key=b"k" * 32, length=70, seek=3) == merklize.hash(
        DATA[:size], key=b"k" * 32, length=70, seek=3
    )
    assert merklize.hash_file(url, hash="sha256_plain") == merklize.hash(DATA[:size], hash="sha256_plain")


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
        {"leaf_size": 4096, "hash": "sha256"},
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


@pytest.mark.parametrize("how", [{}, {"row_size": 64}, {"row_size": 80, "hash": "rp64_256", "rule": "pad"}], ids=str)
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


@pytest.mark.parametrize("how", [{}, {"rule": "pad"}, {"hash": "sha256"}, {"key": b"k" * 32}], ids=str)
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
    pytest.importorskip("safetensors")
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


# ---- When stores fail ----


def once(fault: str, at: int = MIB):
    """A fault of the first answer to a range that begins there."""
    left = [1]

    def find(server: Server, path: str, start: int, end: int) -> str | None:
        with server.lock:
            if start == at and left[0]:
                left[0] -= 1
                return fault
        return None

    return find


@pytest.mark.parametrize("fault", ["dropped", "slow", "500", "503", "lying", "other range", "no range"])
@pytest.mark.parametrize("at", [0, MIB])
def test_what_passes_is_tried_again(http, fault, at):
    if fault in ("other range", "no range", "lying") and at == 0:
        pytest.skip("the first answer says what the object is")
    http.fault = once(fault, at)
    assert merklize.hash_file(http.url("x")) == merklize.hash(DATA)
    assert len(http.seen) == -(-len(DATA) // MIB) + 1


@pytest.mark.parametrize(
    ("fault", "text"),
    [
        ("dropped", r"cannot read bytes 1048576 to 2097151: the connection failed \(\w+\); gave up after 5 attempts"),
        ("slow", "no answer within 1 s; gave up after 5 attempts"),
        ("503", "the server answered with status 503; gave up after 5 attempts"),
        ("lying", "asked for 1048576 bytes, got 1048575; gave up"),
        ("other range", "asked for bytes 1048576 to 2097151, got bytes 1048576 to 2097150; gave up"),
        ("no range", r"does not say which range it is \(Content-Range\); gave up"),
        ("other size", "changed while being read: it has 5255226 bytes now, and had 5255225"),
        ("ignored", "the server ignores ranges: it sent the whole object for bytes 1048576 to 2097151"),
        ("encoded", "the server sends it encoded"),
        ("403", r"access denied \(status 403\): merklize\[http\] takes credentials from"),
        ("404", "changed while being read"),
    ],
)
def test_what_does_not_pass_is_an_error(http, fault, text, monkeypatch):
    if fault == "slow":
        monkeypatch.setattr(merklize.stores.limits, "attempts", 1)
        text = "no answer within 1 s; gave up after one attempt"
    http.fault = lambda server, path, start, end: fault if start == MIB else None
    with pytest.raises(merklize.FileError, match=text) as caught:
        merklize.hash_file(http.url("x") + "?X-Amz-Signature=" + SECRET)
    assert SECRET not in str(caught.value) + repr(caught.value) + repr(caught.value.filename)
    assert caught.value.__cause__ is None


def test_random_faults(http):
    """Every fourth answer fails in some way that passes; the digest is right, or there is an error."""
    rng, kinds = np.random.default_rng(1), ["dropped", "500", "lying", "no range"]
    http.fault = lambda server, path, start, end: kinds[rng.integers(4)] if start and rng.random() < 0.25 else None
    results = merklize.hash_files([http.url("x")] * 20)
    assert all(found == merklize.hash(DATA) for found in results if isinstance(found, bytes))
    assert sum(isinstance(found, bytes) for found in results) >= 15


@pytest.mark.parametrize("what", ["etag", "size", "gone"])
def test_changes_over_http(http, what):
    def change(server: Server, path: str, start: int, end: int) -> None:
        if start == 2 * MIB:
            if what == "gone":
                server.objects.pop("x", None)
            else:
                server.objects["x"] = DATA + b"x" if what == "size" else DATA[::-1]

    http.fault = change
    with pytest.raises(merklize.FileError, match="changed while being read"):
        merklize.hash_file(http.url("x"))


def test_changes_in_s3(s3, tmp_path, monkeypatch):
    from merklize.stores import _objects

    read = _objects.S3Object.fetch

    def fetch(self, start, end):
        if start >= 2 * MIB:
            s3.put_object(Bucket="bucket", Key="x", Body=DATA[::-1])
        return read(self, start, end)

    monkeypatch.setattr(_objects.S3Object, "fetch", fetch)
    for work in (
        lambda: merklize.hash_file("s3://bucket/x"),
        lambda: merklize.build_tree_file("s3://bucket/x", tmp_path / "x.mkl", leaf_size=4096),
    ):
        s3.put_object(Bucket="bucket", Key="x", Body=DATA)
        with pytest.raises(merklize.FileError, match="changed while being read"):
            work()
    assert not (tmp_path / "x.mkl").exists()


def test_changes_in_gs(gs, tmp_path, monkeypatch):
    from merklize.stores import _objects

    read = _objects.OtherObject.fetch

    def fetch(self, start, end):
        if start >= 2 * MIB:
            gs.put("x", DATA[::-1])
        return read(self, start, end)

    monkeypatch.setattr(_objects.OtherObject, "fetch", fetch)
    for work in (
        lambda: merklize.hash_file("gs://bucket/x"),
        lambda: merklize.build_tree_file("gs://bucket/x", tmp_path / "x.mkl", leaf_size=4096),
    ):
        gs.put("x", DATA)
        with pytest.raises(merklize.FileError, match="changed while being read"):
            work()
    assert not (tmp_path / "x.mkl").exists()


def test_changes_elsewhere(memory, monkeypatch):
    memory.pipe_file("/x", DATA)
    read = type(memory).cat_file

    def cat_file(self, path, start=None, end=None, **more):
        found = read(self, path, start=start, end=end, **more)
        if start == 2 * MIB:
            memory.pipe_file("/x", DATA[::-1])
        return found

    monkeypatch.setattr(type(memory), "cat_file", cat_file)
    with pytest.raises(merklize.FileError, match="memory://x: changed while being read"):
        merklize.hash_file("memory://x")


def test_servers_without_ranges(http, tmp_path):
    http.has_ranges = False
    (tmp_path / "x").write_bytes(DATA)
    assert merklize.hash_file(http.url("x")) == merklize.hash(DATA)
    expected = merklize.merkle_root_file(tmp_path / "x", leaf_size=5000)
    assert repr(merklize.merkle_root_file(http.url("x"), leaf_size=5000)) == repr(expected)
    with pytest.raises(merklize.FileError, match="the server ignores ranges, and only parts"):
        merklize.TreeFile(http.url("x"))
    http.fault = lambda *_: "dropped"
    with pytest.raises(merklize.FileError, match="the server ignores ranges, so it cannot go on"):
        merklize.hash_file(http.url("x"))


def test_missing_and_forbidden(store, http):
    with pytest.raises(FileNotFoundError, match="there is no such object"):
        merklize.hash_file(store("x", b"1").replace("x", "none"))
    http.fault = lambda *_: "403"
    with pytest.raises(PermissionError, match=r"merklize\[http\] takes credentials from the URL itself"):
        merklize.hash_file(http.url("x"))


def test_unreachable_servers(http, monkeypatch):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://user:{SECRET}@127.0.0.1:{taken.getsockname()[1]}/x?sig={SECRET}"
        with pytest.raises(merklize.FileError, match="gave up after 5 attempts") as caught:
            merklize.hash_file(url)
    assert SECRET not in str(caught.value)


def test_no_credentials(s3, monkeypatch):
    s3fs = pytest.importorskip("s3fs")

    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/none")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/none")
    s3fs.S3FileSystem.clear_instance_cache()
    with pytest.raises(PermissionError, match=r"merklize\[s3\] takes credentials from AWS_ACCESS_KEY_ID"):
        merklize.hash_file("s3://bucket/x")
    s3fs.S3FileSystem.clear_instance_cache()


@pytest.mark.parametrize(("package", "url", "extra"), [
    ("s3fs", "s3://b/x", "s3"), ("gcsfs", "gs://b/x", "gcs"), ("aiohttp", "http://127.0.0.1:9/x", "http"),
    ("fsspec", "s3://b/x", "s3"), ("fsspec", "memory://x", "http"),
])  # fmt: skip
def test_extras_that_are_not_installed(package, url, extra):
    needs(*({"fsspec"} - {package}))
    code = f"import sys; sys.modules[{package!r}] = None; import merklize; merklize.hash_file({url!r})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert re.search(rf"merklize.errors.Unavailable: .*pip install 'merklize\[{extra}\]'\n$", done.stderr), done.stderr


def test_unknown_protocols(memory):
    with pytest.raises(merklize.FileError, match=r"unknown protocol 'nope'.*A file of this name is \./x"):
        merklize.hash_file("nope://b/x")


@pytest.mark.parametrize(
    ("url", "text"),
    [
        ("s3://bucket/key", "s3://bucket/key"),
        ("https://user:pass@host:1/a?sig=1#f", "https://host:1/a?..."),
        ("https://user:pa/ss@host/a", "https://host/a"),
        ("https://host/@scope/a", "https://host/@scope/a"),
        ("zip://a::https://u:p@host/b?s=1", "zip://a::https://host/b?..."),
        ("s3://bucket/key?versionId=1", "s3://bucket/key?..."),
    ],
)
def test_what_texts_show_of_urls(url, text):
    assert is_url(url)
    assert shown(url) == text


@pytest.mark.parametrize("path", ["x", "/a/b", "./a://b", b"s3://bucket/x", Path("a"), "a b://c", "://x", "C:/x", 3])
def test_what_is_no_url(path):
    assert not is_url(path)


# ---- Memory, threads, progress ----


def test_memory_is_bounded(http, monkeypatch):
    """However slow the first range is, no more than the stated bytes are asked for."""
    held, most, gate = 0, 0, threading.Event()
    from merklize.stores import _objects

    http.objects["large"] = bytes(64 * MIB)
    read = _objects.Stored.read

    def counted(self, start, end):
        nonlocal held, most
        if start == 0:
            gate.wait(1)
        data = read(self, start, end)
        held += len(data)
        most = max(most, held)
        return data

    done = 0

    def hashed(share):
        nonlocal held, done
        held -= int(share * 64 * MIB) - done
        done = int(share * 64 * MIB)

    monkeypatch.setattr(_objects.Stored, "read", counted)
    clock = types.SimpleNamespace(monotonic=iter(range(10**9)).__next__)
    monkeypatch.setattr("merklize.stores._progress.time", clock)
    assert merklize.hash_file(http.url("large"), progress=hashed) == merklize.hash(bytes(64 * MIB))
    limits = merklize.stores.limits
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


# ---- The command ----


def test_command(http, tmp_path):
    (tmp_path / "x").write_bytes(DATA)
    url, digest = http.url("x"), merklize.hash(DATA).hex()

    def out(*words, code=0):
        done = command(*words, cwd=tmp_path)
        assert done.returncode == code, done.stderr
        return done.stdout.decode()

    assert out("hash", url, "x") == f"{digest}  {url}\n{digest}  x\n"
    assert out("hash", "--no-names", "--hash", "sha256_plain", url) == out(
        "hash", "--no-names", "--hash", "sha256_plain", "x"
    )
    out("tree", "build", "--leaf-size", "4K", "-o", "a.mkl", url)
    out("tree", "build", "--leaf-size", "4K", "-o", "b.mkl", "x")
    assert (tmp_path / "a.mkl").read_bytes() == (tmp_path / "b.mkl").read_bytes()
    http.objects["t.mkl"] = (tmp_path / "a.mkl").read_bytes()
    tree = http.url("t.mkl")
    for words in (["info"],):
        assert out("tree", *words, tree) == out("tree", *words, "a.mkl")
    for words in (["7"], ["7-20", "3"]):
        assert out("tree", "prove", tree, *words) == out("tree", "prove", "a.mkl", *words)
    out("tree", "prove", "-o", "p", "--binary", tree, "7")
    http.objects["p"] = (tmp_path / "p").read_bytes()
    root = out("tree", "root", "a.mkl").strip()
    assert out("tree", "verify", http.url("p"), "--root", root).startswith("valid: leaf 7")


def test_command_errors(http, tmp_path):
    done = command("hash", http.url("none?sig=" + SECRET), http.url("x"))
    assert done.returncode == 1
    assert done.stdout.decode().endswith(http.url("x") + "\n")
    assert "there is no such object" in done.stderr.decode()
    assert SECRET not in (done.stdout + done.stderr).decode()
    for words, text in {
        ("hash", "--check", http.url("x")): "--check is for files, not for URLs",
        ("tree", "update", http.url("x"), "1"): "takes files, not URLs",
    }.items():
        done = command(*words)
        assert (done.returncode, text in done.stderr.decode()) == (2, True)

"""Stores that fail, objects that change, and objects that may not be read."""

from __future__ import annotations

import contextlib
import socket

import numpy as np
import pytest

import local_server
import merklize
from store_fixtures import DATA, MIB, SECRET
from store_servers import Server

pytestmark = [pytest.mark.xdist_group("stores"), pytest.mark.usefixtures("small_ranges")]


@pytest.fixture
def too_late(http, monkeypatch):
    """A function that turns a fault into a timeout of the answer. Ranges are read one at a time."""
    from fsspec.asyn import get_loop

    loop, passed = get_loop(), 0.0
    now = loop.time
    monkeypatch.setattr(loop, "time", lambda: now() + passed)
    monkeypatch.setattr(merklize.stores.limits, "parallel", 1)

    def make(fault):
        def find(*request):
            nonlocal passed
            found = fault(*request)
            if found:
                passed += merklize.stores.limits.timeout
                loop.call_soon_threadsafe(lambda: None)
            return found

        return find

    return make


def once(fault: str, at: int = MIB):
    """A fault of the first answer to a range that begins at `at`."""
    left = [1]

    def find(server: Server, path: str, start: int, end: int) -> str | None:
        with server.lock:
            if start == at and left[0]:
                left[0] -= 1
                return fault
        return None

    return find


@pytest.mark.parametrize("fault", ["dropped", "500", "503", "lying", "other range", "no range"])
@pytest.mark.parametrize("at", [0, MIB])
def test_what_passes_is_tried_again(http, fault, at):
    if fault in ("other range", "no range", "lying") and at == 0:
        pytest.skip("the first answer says what the object is")
    http.fault = once(fault, at)
    assert merklize.hash_file(http.url("x")) == merklize.hash(DATA)
    assert len(http.seen) == -(-len(DATA) // MIB) + 1


@pytest.mark.parametrize("at", [0, MIB])
def test_an_answer_that_is_late_is_asked_for_again(http, too_late, at):
    http.fault = too_late(once("silent", at))
    assert merklize.hash_file(http.url("x")) == merklize.hash(DATA)
    assert len(http.seen) == -(-len(DATA) // MIB) + 1


@pytest.mark.parametrize(("attempts", "times"), [(5, "5 attempts"), (1, "one attempt")])
def test_answers_that_are_always_late_are_an_error(http, too_late, attempts, times, monkeypatch):
    monkeypatch.setattr(merklize.stores.limits, "attempts", attempts)
    http.fault = too_late(lambda server, path, start, end: "silent" if start == MIB else None)
    check_error(http, f"no answer within 60 s; gave up after {times}")


@pytest.mark.parametrize(
    ("fault", "text"),
    [
        ("dropped", r"cannot read bytes 1048576 to 2097151: the connection failed \(\w+\); gave up after 5 attempts"),
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
def test_what_does_not_pass_is_an_error(http, fault, text):
    http.fault = lambda server, path, start, end: fault if start == MIB else None
    check_error(http, text)


def check_error(http, text):
    with pytest.raises(merklize.FileError, match=text) as caught:
        merklize.hash_file(http.url("x") + "?X-Amz-Signature=" + SECRET)
    assert SECRET not in str(caught.value) + repr(caught.value) + repr(caught.value.filename)
    assert caught.value.__cause__ is None


def test_random_faults(http):
    """Every fourth answer has a temporary fault. The digest is right, or there is an error."""
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


EPOCH = "Thu, 01 Jan 1970 00:00:00 GMT"


def test_a_weak_etag_is_no_version_but_another_one_is_a_change(http, monkeypatch):
    from merklize.stores._objects import open_object

    tags = ["1"]
    monkeypatch.setattr(http, "etag", lambda data: f'W/"{tags[-1]}"')
    assert open_object(http.url("x")).version == EPOCH
    assert merklize.hash_file(http.url("x")) == merklize.hash(DATA)
    http.fault = lambda server, path, start, end: tags.append("2") if start == 2 * MIB else None
    with pytest.raises(merklize.FileError, match="changed while being read"):
        merklize.hash_file(http.url("x"))


@pytest.mark.parametrize("digits", ["9" * 20, "9" * 6000], ids=len)
def test_sizes_of_many_digits(http, monkeypatch, digits):
    from merklize.stores import _objects

    monkeypatch.setattr(merklize.stores.limits, "attempts", 1)
    seen = _objects.HttpObject._get

    async def get(self, start, end, is_first):
        status, headers, data = await seen(self, start, end, is_first)
        changed = headers.copy()
        changed["Content-Range"] = f"bytes {start}-{end - 1}/{digits}"
        return status, changed, data

    monkeypatch.setattr(_objects.HttpObject, "_get", get)
    with pytest.raises(merklize.FileError, match=r"does not say .*\(Content-Range\)"):
        merklize.hash_file(http.url("x"))
    with pytest.raises(merklize.FileError, match=r"does not say .*\(Content-Range\)"):
        _objects.pinned_object(http.url("x"), len(DATA), f"{http.etag(DATA)}|{EPOCH}").read(0, 5)


@pytest.mark.parametrize(("store", "reader"), [("s3", "S3Object"), ("gs", "OtherObject")])
def test_changes_in_a_bucket(request, tmp_path, monkeypatch, store, reader):
    from merklize.stores import _objects

    server, of_store = request.getfixturevalue(store), getattr(_objects, reader)
    read = of_store.fetch

    def put(data):
        server.put_object(Bucket="bucket", Key="x", Body=data) if store == "s3" else server.put("x", data)

    def fetch(self, start, end):
        if start >= 2 * MIB:
            put(DATA[::-1])
        return read(self, start, end)

    monkeypatch.setattr(of_store, "fetch", fetch)
    for work in (
        lambda: merklize.hash_file(f"{store}://bucket/x"),
        lambda: merklize.build_tree_file(f"{store}://bucket/x", tmp_path / "x.mkl", leaf_size=4096),
    ):
        put(DATA)
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


@pytest.mark.parametrize(
    ("begin", "more", "text", "most"),
    [
        (b'{"format": "', b"a", "must have at most 33554432 bytes, got more", 48 * MIB),
        (b"", b"\0", "not JSON", 16 * MIB),
        (b'{"format" ', b"x", "not JSON", 16 * MIB),
    ],
)
@pytest.mark.parametrize("name", ["m.json", "m.safetensors.index.json"])
def test_an_answer_without_an_end_is_refused(name, begin, more, text, most):
    """Of a server that states no size, documents have 32 MiB at most, and only while they may be such documents."""
    sent = 0

    class Endless(local_server.Handler):
        protocol_version = "HTTP/1.0"  # which ends an answer by the end of the connection

        def do_GET(self):
            nonlocal sent
            self.send_response(200)
            self.end_headers()
            self.wfile.write(begin)
            with contextlib.suppress(OSError):
                while True:
                    sent += self.wfile.write(more * MIB)

    with local_server.serving(Endless) as server:
        read = merklize.Manifest.load if name == "m.json" else merklize.manifest
        with pytest.raises((merklize.FileError, merklize.InvalidArgument), match=text):
            read(f"{server.address}/{name}")
    assert sent < most

"""Downloads that are verified as they arrive, from a server on this machine that has the faults of servers."""

import base64
import contextlib
import fcntl
import http.client
import json
import os
import random
import re
import stat
import threading

import pytest

import local_server
import merklize
from cli_helpers import merklize as command
from merklize import bao

DATA = random.Random(11).randbytes(9_000_001)
NODES, ROOT = bao.outboard(DATA, group_size=16384)


class Handler(local_server.Handler):
    """Answers with server.data, by server.fault(number of the request, first byte, answer) -> what is sent."""

    def do_GET(self):
        server = self.server
        server.credentials.append(self.headers.get("Authorization"))
        if self.path in server.redirects:
            self.send_response(302)
            self.send_header("Location", server.redirects[self.path])
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        number = len(server.asked)
        wanted = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", "bytes=0-"))
        first, last = (int(wanted[1]), int(wanted[2])) if wanted and server.ranges else (0, len(server.data) - 1)
        server.asked.append((first, last))
        if number < len(server.statuses):
            self.send_response(server.statuses[number], server.reason)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        body = server.data[first : last + 1]
        self.send_response(206 if server.ranges else 200)
        if server.ranges:
            self.send_header("Content-Range", server.content_range or f"bytes {first}-{last}/{len(server.data)}")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        sent = server.fault(number, first, body)
        with contextlib.suppress(OSError):
            self.wfile.write(sent)
            if len(sent) < len(body):
                self.close_connection = True
                self.connection.close()


@contextlib.contextmanager
def serving():
    with local_server.serving(Handler) as made:
        made.data, made.asked, made.ranges, made.statuses, made.content_range = DATA, [], True, [], None
        made.credentials, made.redirects, made.reason = [], {}, None
        made.fault = lambda number, first, body: body
        made.url = f"{made.address}/folder/file.bin"
        yield made


@pytest.fixture
def server():
    with serving() as made:
        yield made


@pytest.fixture
def other_server():
    with serving() as made:
        yield made


def fetch(server, path, **options):
    return bao.fetch(server.url, ROOT, NODES, path / "out", **{"group_size": 16384, **options})


def test_all_of_it(server, tmp_path):
    made = fetch(server, tmp_path)
    assert made == (str(tmp_path / "out"), len(DATA), 0, len(DATA), 0)
    assert (tmp_path / "out").read_bytes() == DATA
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert server.asked == [(0, len(DATA) - 1)]


@pytest.mark.parametrize("ranges", [True, False])
def test_a_connection_that_ends_early_goes_on_where_it_was(server, tmp_path, ranges):
    server.ranges = ranges
    server.fault = lambda number, first, body: body[:5_000_000] if number == 0 else body
    made = fetch(server, tmp_path)
    assert (tmp_path / "out").read_bytes() == DATA
    # A group that was cut off cannot be verified.
    whole = 5_000_000 // 16384 * 16384
    assert server.asked[1:] == [(whole if ranges else 0, len(DATA) - 1)]
    assert made.kept == made.repeated == 0


def test_what_is_wrong_is_asked_for_again_and_nothing_else(server, tmp_path):
    def fault(number, first, body):
        if number > 0:
            return body
        wrong = bytearray(body)
        wrong[3_000_000] ^= 1
        wrong[8_999_999] ^= 1
        return bytes(wrong)

    server.fault = fault
    made = fetch(server, tmp_path)
    assert (tmp_path / "out").read_bytes() == DATA
    last = len(DATA) // 16384 * 16384
    assert server.asked[1:] == [(2998272, 3014655), (last, len(DATA) - 1)]
    assert made.repeated == 16384 + len(DATA) - last


def test_it_goes_on_in_another_process(server, tmp_path):
    server.fault = lambda number, first, body: body[: max(0, 6_000_000 - first)]
    with pytest.raises(merklize.FileError, match="ended early; 3.* of 9000001 bytes are missing"):
        fetch(server, tmp_path, retries=1)
    assert [path.name for path in tmp_path.iterdir()] == ["out.partial"]
    # The partial file is damaged.
    with open(tmp_path / "out.partial", "r+b") as file:
        file.seek(1_000_000)
        file.write(b"damaged")
    server.fault = lambda number, first, body: body
    server.asked.clear()
    made = fetch(server, tmp_path)
    assert (tmp_path / "out").read_bytes() == DATA
    kept = 6_000_000 // 16384 * 16384
    assert server.asked == [(999424, 1015807), (kept, len(DATA) - 1)]
    assert made.kept == kept - 16384
    assert made.received == len(DATA) - made.kept


def test_a_server_that_never_has_the_right_bytes(server, tmp_path):
    server.data = DATA[:100_000] + bytes(len(DATA) - 100_000)
    with pytest.raises(merklize.Mismatch, match=r"/folder/file.bin: bytes .* are not what the root says; .* missing"):
        fetch(server, tmp_path, retries=1)
    assert not (tmp_path / "out").exists()


def test_files_of_another_length(server, tmp_path):
    for data in (DATA[:-1], DATA + b"x"):
        server.data = data
        with pytest.raises(merklize.Mismatch, match="the server's file has 900000[02] bytes, the outboard's 9000001"):
            fetch(server, tmp_path)
    # Without ranges the size is known only at the end, so bytes beyond the expected size are not read.
    server.ranges, server.data = False, DATA + b"x"
    fetch(server, tmp_path)
    assert (tmp_path / "out").read_bytes() == DATA


def test_answers_that_pass_and_answers_that_do_not(server, tmp_path):
    server.statuses = [503, 500]
    fetch(server, tmp_path)
    assert len(server.asked) == 3
    (tmp_path / "out").unlink()
    for status, expected in ((404, merklize.FileError), (403, merklize.FileError), (416, merklize.Mismatch)):
        server.asked.clear()
        server.statuses = [status]
        with pytest.raises(expected):
            fetch(server, tmp_path)
        assert len(server.asked) == 1
    server.statuses, server.content_range = [], "bytes 5-10/9000001"
    with pytest.raises(merklize.FileError, match="asked for bytes from 0 on"):
        fetch(server, tmp_path, retries=1)


def test_no_server_and_no_secrets(tmp_path):
    url = "http://user:secret@127.0.0.1:9/file?signature=secret"
    with pytest.raises(merklize.FileError, match="cannot connect") as raised:
        bao.fetch(url, ROOT, NODES, tmp_path / "out", group_size=16384, retries=0)
    assert "secret" not in str(raised.value)
    assert "http://127.0.0.1:9/file" in str(raised.value)
    with pytest.raises(merklize.InvalidArgument, match="http or https"):
        bao.fetch("file:///etc/passwd", ROOT, NODES, tmp_path / "out", group_size=16384)


def test_outboards_that_are_wrong(server, tmp_path):
    other = bao.outboard(DATA[::-1], group_size=16384).outboard
    for nodes in (other, NODES[:-1], NODES + b"x", b"", bytes([NODES[0] ^ 1]) + NODES[1:]):
        with pytest.raises(merklize.Mismatch):
            bao.fetch(server.url, ROOT, nodes, tmp_path / "out", group_size=16384)
        assert not (tmp_path / "out").exists()
    nodes = bao.outboard(DATA, format="bao_tree").outboard
    with pytest.raises(merklize.InvalidArgument, match="size must be given"):
        bao.fetch(server.url, ROOT, nodes, tmp_path / "out", format="bao_tree")
    bao.fetch(server.url, ROOT, nodes, tmp_path / "out", format="bao_tree", size=len(DATA))
    assert (tmp_path / "out").read_bytes() == DATA


def test_empty_files(server, tmp_path):
    nodes, root = bao.outboard(b"")
    assert bao.fetch(server.url, root, nodes, tmp_path / "out").received == 0
    assert (tmp_path / "out").read_bytes() == b""
    with pytest.raises(merklize.Mismatch):
        bao.fetch(server.url, ROOT, nodes, tmp_path / "other")


def test_progress_and_cancelling(server, tmp_path):
    seen = []
    fetch(server, tmp_path, progress=seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == 1
    with pytest.raises(merklize.Cancelled):
        bao.fetch(server.url, ROOT, NODES, tmp_path / "two", group_size=16384, progress=lambda done: done < 0.5)
    assert (tmp_path / "two.partial").exists()


def test_command(server, tmp_path):
    (tmp_path / "o").write_bytes(NODES)
    arguments = ["fetch", server.url, "--root", ROOT.hex(), "--outboard", "o", "--group-size", "16K"]
    done = command(*arguments, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == b"file.bin: verified, 8.583 MiB (8.583 MiB received)\n"
    assert (tmp_path / "file.bin").read_bytes() == DATA
    answer = json.loads(command(*arguments, "--json", "-o", "again", cwd=tmp_path).stdout)
    expected = {"path": "again", "size": len(DATA), "kept": 0, "received": len(DATA), "repeated": 0, "root": ROOT.hex()}
    assert answer == expected
    server.statuses = [404]
    server.asked.clear()
    done = command(*arguments, "-o", "none", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.endswith(b"/folder/file.bin: the server answered 404 Not Found\n")
    assert command("fetch", server.url, "--root", "12", "--outboard", "o", cwd=tmp_path).returncode == 2
    assert command("fetch", server.url, "--root", ROOT.hex(), "--outboard", "missing", cwd=tmp_path).returncode == 1


@pytest.mark.parametrize(
    "kind", ["a device", "a pipe", pytest.param("a URL", marks=pytest.mark.packages("fsspec", "aiohttp"))]
)
@pytest.mark.parametrize("known", [True, False])
def test_an_outboard_is_read_as_far_as_it_can_reach(server, other_server, tmp_path, kind, known):
    """The size of the file, which its server, --size or the outboard states, says how long the outboard may be."""
    other_server.data = NODES + bytes(1 << 20)
    name = {"a device": "/dev/zero", "a pipe": "-", "a URL": other_server.url}[kind]
    words = ["fetch", server.url, "--root", ROOT.hex(), "--outboard", name, "--group-size", "16K"]
    done = command(*words, *["--size", str(len(DATA))][: 2 * known], cwd=tmp_path, stdin=other_server.data)
    assert (done.returncode, done.stdout) == (1, b"")
    most = 8 if kind == "a device" else len(NODES)  # zeros state a size of 0
    assert f"must have at most {most} bytes, got more".encode() in done.stderr
    assert server.asked == [(0, 0)][known:]
    assert list(tmp_path.iterdir()) == []
    if kind == "a device":
        return
    other_server.data = NODES
    done = command(*words, cwd=tmp_path, stdin=NODES)
    assert (done.returncode, done.stderr) == (0, b"")
    assert (tmp_path / "file.bin").read_bytes() == DATA


# ---- Few requests ----


def mark_of(root, size):
    """What stands behind the data in a partial file."""
    return b"MKLFETCH" + root + size.to_bytes(8, "little")


def damaged(path, groups):
    """Leave a partial file in which these groups are wrong."""
    content = bytearray(DATA)
    for group in groups:
        content[16384 * group] ^= 1
    (path / "out.partial").write_bytes(content + mark_of(ROOT, len(DATA)))


@pytest.mark.parametrize("ranges", [True, False])
def test_groups_near_each_other_are_one_request(server, tmp_path, ranges):
    damaged(tmp_path, range(3, 180, 2))
    server.ranges = ranges
    made = fetch(server, tmp_path)
    assert (tmp_path / "out").read_bytes() == DATA
    assert server.asked == [(3 * 16384, 180 * 16384 - 1) if ranges else (0, len(DATA) - 1)]
    assert made.kept == len(DATA) - 89 * 16384
    assert made.received <= 180 * 16384


def test_groups_far_from_each_other_are_requests_of_their_own(server, tmp_path):
    damaged(tmp_path, [3, 4, 300, 364, 430])
    fetch(server, tmp_path)
    assert (tmp_path / "out").read_bytes() == DATA
    assert server.asked == [(a * 16384, b * 16384 - 1) for a, b in ((3, 5), (300, 365), (430, 431))]


def test_an_answer_without_ranges_is_used_for_all_that_is_missing(server, tmp_path):
    damaged(tmp_path, [3, 300, 500])
    server.ranges = False
    fetch(server, tmp_path)
    assert (tmp_path / "out").read_bytes() == DATA
    assert len(server.asked) == 1
    # The same if parts of the answers are wrong.
    server.fault = lambda number, first, body: body if number > 2 else b"x" + body[1:4000000] + b"x" + body[4000001:]
    server.asked.clear()
    fetch(server, tmp_path, retries=4)
    assert len(server.asked) == 4


# ---- A lowest rate ----


def test_a_server_that_is_too_slow(server, tmp_path, monkeypatch):
    module = __import__("merklize.bao._fetch", fromlist=["_"])
    now = iter(range(0, 10**9, 20))  # each read of the clock is 20 seconds later
    monkeypatch.setattr(module, "_clock", lambda: next(now))
    pauses = []
    monkeypatch.setattr(module.time, "sleep", pauses.append)
    with pytest.raises(merklize.FileError, match="the server sends fewer than 1000000000 bytes a second; .* missing"):
        fetch(server, tmp_path, retries=3, speed_limit=10**9)
    assert len(server.asked) == 4  # tries count, even if each may have brought some groups
    assert len(pauses) == 3
    fetch(server, tmp_path, speed_limit=0)
    assert (tmp_path / "out").read_bytes() == DATA


# ---- What servers and URLs may say ----


@pytest.mark.parametrize("digits", ["9" * 20, "9" * 6000, "\u0663"], ids=len)
def test_ranges_of_many_digits(server, tmp_path, digits):
    server.content_range = f"bytes 0-{len(DATA) - 1}/{digits}" if digits.isascii() else "bytes \xb2-1/2"
    with pytest.raises(merklize.FileError, match="asked for bytes from 0 on") as raised:
        fetch(server, tmp_path, retries=0)
    assert len(str(raised.value)) < 400


def test_no_words_of_the_server_are_in_errors(server, tmp_path):
    server.reason = "\x1b[31mred"
    for status, text in ((404, "answered 404 Not Found$"), (500, "answered 500 Internal"), (599, "answered 599$")):
        server.statuses = [status]
        server.asked.clear()
        with pytest.raises(merklize.FileError, match=text) as raised:
            fetch(server, tmp_path, retries=0)
        assert str(raised.value).isprintable()


SECRET = "s3cr3t"
BAD_URLS = [
    "http://[::1/", "http://", "http:///x", "http://host:port/x", "http://a..b/x", f"http://{'a' * 70}/x",
    f"http://host/a b?signature={SECRET}", f"http://ho st/x?signature={SECRET}", f"http://host/\x1b[31m?sig={SECRET}",
    f"http://host/\n?sig={SECRET}", f"http://user:{SECRET} x@host/x", f"http://user:p/{SECRET}@[::1/x",
    f"htps://host/x?signature={SECRET}", f"ftp://user:{SECRET}@host/x", f"github://user:{SECRET}@host/x", "x",
    f"http:/user:{SECRET}@host/x?{SECRET}", f"//host/x?{SECRET}", f"http://user:a?{SECRET}@host/x", "",
]  # fmt: skip


@pytest.mark.parametrize("url", BAD_URLS)
def test_urls_that_are_none(tmp_path, url):
    with pytest.raises(
        merklize.InvalidArgument, match="fetch: the URL must (be of http|name a host|have no)"
    ) as raised:
        bao.fetch(url, ROOT, NODES, tmp_path / "out", group_size=16384)
    assert SECRET not in str(raised.value)
    assert str(raised.value).isprintable()
    (tmp_path / "o").write_bytes(NODES)
    words = ["--root", ROOT.hex(), "--outboard", "o", "--group-size", "16K", "-o", "out", "--json"]
    done = command("fetch", url, *words, cwd=tmp_path)
    assert done.returncode == (1 if url else 2)
    assert SECRET.encode() not in done.stdout + done.stderr
    assert b"Traceback" not in done.stderr
    assert b"\x1b" not in done.stderr


def test_urls_of_other_alphabets(server, tmp_path):
    address = server.url.rpartition("/folder")[0]
    server.redirects["/%C3%BC?%E5%90%8D"] = "/ende"
    bao.fetch(f"{address}/ü?名", ROOT, NODES, tmp_path / "out", group_size=16384)
    assert (tmp_path / "out").read_bytes() == DATA


@pytest.mark.parametrize("end", ["", "/", "..", ".", "%2e%2e", "a%00b", "a/%2e."])
def test_urls_that_end_in_no_name(tmp_path, end):
    (tmp_path / "o").write_bytes(NODES)
    words = ["--root", ROOT.hex(), "--outboard", "o", "--group-size", "16K"]
    done = command("fetch", f"http://127.0.0.1:9/{end}", *words, cwd=tmp_path)
    assert done.returncode == 2
    assert b"does not end in a name for the file: give -o FILE" in done.stderr


def test_credentials_are_for_their_server_alone(server, other_server, tmp_path):
    host = f"127.0.0.1:{server.server_port}"
    url = f"http://us%40er:{SECRET}%3A@{host}/"
    basic = "Basic " + base64.b64encode(f"us@er:{SECRET}:".encode()).decode()
    server.redirects = {"/here": "/there", "/away": other_server.url, "/back": f"http://{host}/there"}
    server.redirects |= {"/ftp": f"ftp://{host}/x", "/round": "/round", "/bad": "http://[", "/odd": "http://h/\x1b"}
    server.redirects["/named"] = f"http://other:{SECRET}@{host}/there"
    for path, seen in (("x", [basic]), ("here", [basic] * 2), ("back", [basic] * 2), ("away", [basic])):
        server.credentials.clear()
        bao.fetch(url + path, ROOT, NODES, tmp_path / "out", group_size=16384)
        assert server.credentials == seen
        assert (tmp_path / "out").read_bytes() == DATA
    assert other_server.credentials == [None]
    server.credentials.clear()
    bao.fetch(url + "named", ROOT, NODES, tmp_path / "out", group_size=16384)
    assert base64.b64decode(server.credentials[1].split()[1]) == f"other:{SECRET}".encode()
    for path, text in (
        ("ftp", "must be of http"),
        ("round", "more than 10 times"),
        ("bad", "a host"),
        ("odd", "no blanks"),
    ):
        with pytest.raises(merklize.FileError, match=f"sends elsewhere.*{text}") as raised:
            bao.fetch(url + path, ROOT, NODES, tmp_path / "out", group_size=16384)
        assert SECRET not in str(raised.value)
        assert str(raised.value).isprintable()


# ---- Where it is written ----


def test_a_link_is_followed(server, tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "real").write_bytes(b"old")
    (tmp_path / "folder" / "real").chmod(0o640)
    (tmp_path / "out").symlink_to("folder/real")
    fetch(server, tmp_path)
    assert (tmp_path / "out").is_symlink()
    assert (tmp_path / "folder" / "real").read_bytes() == DATA
    assert (tmp_path / "folder" / "real").stat().st_mode & 0o777 == 0o640
    assert os.listdir(tmp_path / "folder") == ["real"]


@pytest.mark.parametrize("kind", ["link", "hard link", "pipe", "folder"])
def test_a_partial_file_that_somebody_planted(server, tmp_path, kind):
    victim, partial = tmp_path / "victim", tmp_path / "out.partial"
    victim.write_bytes(b"precious")
    {
        "link": lambda: partial.symlink_to("victim"),
        "hard link": lambda: os.link(victim, partial),
        "pipe": lambda: os.mkfifo(partial),
        "folder": partial.mkdir,
    }[kind]()
    with pytest.raises(merklize.FileError, match=r"out\.partial: "):
        fetch(server, tmp_path)
    assert victim.read_bytes() == b"precious"
    assert not (tmp_path / "out").exists()


def test_two_downloads_of_one_file(server, tmp_path):
    """The second one says why in Python and in the command, not what the system says of the lock."""
    (tmp_path / "n").write_bytes(NODES)
    with open(tmp_path / "out.partial", "wb") as busy:
        fcntl.flock(busy, fcntl.LOCK_EX)
        with pytest.raises(merklize.FileError, match=r"out\.partial: another process is downloading it$"):
            fetch(server, tmp_path)
        options = ["--root", ROOT.hex(), "--outboard", tmp_path / "n", "--group-size", "16K", "-o", tmp_path / "out"]
        done = command("fetch", server.url, *options)
    assert done.returncode == 1
    assert done.stderr.decode() == f"merklize: {tmp_path}/out.partial: another process is downloading it\n"


NOTES = b"notes of mine"
STRANGE = {
    "a short file": NOTES,
    "a long one": NOTES * 10**6,
    "a file of this size": DATA[:-1] + b"x",
    "holes of this size": bytes(len(DATA)),
    "the beginning": DATA[: len(DATA) // 2],
    "another root": DATA + mark_of(bytes(32), len(DATA)),
    "another size": DATA + b"x" + mark_of(ROOT, len(DATA) + 1),
    "another size's mark": DATA + mark_of(ROOT, len(DATA) + 1),
    "half a mark": DATA + mark_of(ROOT, len(DATA))[:20],
    "a mark alone": mark_of(ROOT, len(DATA)),
    "a mark and more": DATA + mark_of(ROOT, len(DATA)) + b"x",
}


@pytest.mark.parametrize("content", STRANGE)
def test_a_partial_file_of_something_else_stays_as_it_is(server, tmp_path, content):
    partial = tmp_path / "out.partial"
    partial.write_bytes(STRANGE[content])
    with pytest.raises(merklize.FileError, match=r"out\.partial: is not what a download of this .* left: remove it"):
        fetch(server, tmp_path)
    assert partial.read_bytes() == STRANGE[content]
    assert not (tmp_path / "out").exists()
    assert server.asked == []
    partial.unlink()
    fetch(server, tmp_path)
    assert (tmp_path / "out").read_bytes() == DATA


@pytest.mark.parametrize("content", [b"", DATA, DATA + mark_of(ROOT, len(DATA))], ids=["nothing", "all", "all, marked"])
def test_a_process_killed_at_the_first_or_the_last_step_goes_on(server, tmp_path, content):
    (tmp_path / "out.partial").write_bytes(content)
    made = fetch(server, tmp_path)
    assert (tmp_path / "out").read_bytes() == DATA
    assert made.kept == (len(DATA) if content else 0)


def test_what_came_before_ctrl_c_is_kept(server, tmp_path, monkeypatch):
    read, got = http.client.HTTPResponse.read, 0

    def read_until_ctrl_c(response, count):
        nonlocal got
        if got > 1_000_000:
            raise KeyboardInterrupt
        data = read(response, count)
        got += len(data)
        return data

    with monkeypatch.context() as patch:
        patch.setattr(http.client.HTTPResponse, "read", read_until_ctrl_c)
        with pytest.raises(KeyboardInterrupt):
            fetch(server, tmp_path)
    assert fetch(server, tmp_path).kept == got // 16384 * 16384
    assert (tmp_path / "out").read_bytes() == DATA


def test_an_interrupted_download_is_not_taken_for_another(server, tmp_path):
    server.fault = lambda number, first, body: body[: max(0, 6_000_000 - first)]
    with pytest.raises(merklize.FileError, match="ended early"):
        fetch(server, tmp_path, retries=0)
    left = (tmp_path / "out.partial").read_bytes()
    assert left[len(DATA) :] == mark_of(ROOT, len(DATA))
    server.data, server.fault = DATA[::-1], lambda number, first, body: body
    nodes, root = bao.outboard(server.data, group_size=16384)
    with pytest.raises(merklize.FileError, match="is not what a download of this root and size left"):
        bao.fetch(server.url, root, nodes, tmp_path / "out", group_size=16384)
    assert (tmp_path / "out.partial").read_bytes() == left


def test_a_partial_file_of_another_user(server, tmp_path):
    (tmp_path / "out.partial").write_bytes(DATA)
    try:
        os.chown(tmp_path / "out.partial", 12345, -1)
    except PermissionError:
        pytest.skip("only root may give a file away")
    with pytest.raises(merklize.FileError, match=r"out\.partial: must be a regular file of this user"):
        fetch(server, tmp_path)


def read_all(path, into):
    with open(path, "rb") as file:
        into.append(file.read())


def test_a_pipe_gets_what_is_verified_in_order(server, tmp_path):
    def fault(number, first, body):
        wrong = bytearray(body)
        if number < 3:
            wrong[1_000_000] ^= 1
            wrong[2_500_000] ^= 1
        return bytes(wrong[: 3_000_000 if number == 1 else None])

    os.mkfifo(tmp_path / "out")
    for ranges in (True, False):
        server.ranges, server.fault = ranges, fault if ranges else lambda number, first, body: body[: number * 4000000]
        server.asked.clear()
        got = []
        reader = threading.Thread(target=read_all, args=(tmp_path / "out", got))
        reader.start()
        made = fetch(server, tmp_path)
        reader.join()
        assert got == [DATA]
        assert made.kept == 0
        assert os.listdir(tmp_path) == ["out"]
        assert stat.S_ISFIFO((tmp_path / "out").stat().st_mode)


def test_a_device_stays_one(server, tmp_path):
    try:
        os.mknod(tmp_path / "out", stat.S_IFCHR | 0o666, os.makedev(1, 3))
        with open(tmp_path / "out", "wb") as file:
            file.write(b"x")
    except OSError:
        pytest.skip("devices cannot be made here")
    fetch(server, tmp_path)
    assert stat.S_ISCHR((tmp_path / "out").stat().st_mode)
    assert os.listdir(tmp_path) == ["out"]


def test_command_to_standard_output(server, tmp_path):
    (tmp_path / "o").write_bytes(NODES)
    words = ["fetch", server.url, "--root", ROOT.hex(), "--outboard", "o", "--group-size", "16K"]
    server.fault = lambda number, first, body: body[:3_000_000] if number == 0 else body
    for name in ("-", "/dev/stdout"):
        server.asked.clear()
        done = command(*words, "-o", name, cwd=tmp_path)
        assert (done.returncode, done.stderr) == (0, b"")
        assert done.stdout == DATA
    assert os.listdir(tmp_path) == ["o"]
    assert b"--json needs -o FILE" in command(*words, "-o", "-", "--json", cwd=tmp_path).stderr
    assert b"the name of the file is empty" in command(*words, "-o", "", cwd=tmp_path).stderr


@pytest.mark.parametrize(
    "url", [None, 7, b"http://host/x", ["http://host/x"], object()], ids=lambda url: type(url).__name__
)
def test_urls_that_are_no_text(tmp_path, url):
    with pytest.raises(TypeError, match=f"url must be a string, got {type(url).__name__}"):
        bao.fetch(url, bytes(32), b"", tmp_path / "out", size=1)
    with pytest.raises(TypeError, match=f"url must be a string, got {type(url).__name__}"):
        bao.stated_size(url, 1, 1)

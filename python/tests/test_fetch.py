"""Downloads that are verified as they come, from a server on this machine that does what servers do wrong."""

import contextlib
import http.server
import json
import random
import re
import threading

import pytest

import merklize
from cli_helpers import merklize as command
from merklize import bao

DATA = random.Random(11).randbytes(9_000_001)
NODES, ROOT = bao.outboard(DATA, group_size=16384)


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers with server.data, by server.fault(number of the request, first byte, answer) -> what is sent."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        server = self.server
        number = len(server.asked)
        wanted = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", "bytes=0-"))
        first, last = (int(wanted[1]), int(wanted[2])) if wanted and server.ranges else (0, len(server.data) - 1)
        server.asked.append((first, last))
        if number < len(server.statuses):
            self.send_response(server.statuses[number])
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

    def log_message(self, *arguments):
        pass


@pytest.fixture
def server():
    made = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made.data, made.asked, made.ranges, made.statuses, made.content_range = DATA, [], True, [], None
    made.fault = lambda number, first, body: body
    made.url = f"http://127.0.0.1:{made.server_port}/folder/file.bin"
    thread = threading.Thread(target=made.serve_forever, args=(0.01,))
    thread.start()
    yield made
    made.shutdown()
    thread.join()
    made.server_close()


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
    # Of a group that was cut off nothing is known.
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
    # Somebody damages what is there.
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
    # Without ranges only what comes tells: more than there should be is not read.
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

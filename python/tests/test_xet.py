"""xet hashes, compared with the hub's own library, its recorded answers, and a plain implementation of the rule."""

from __future__ import annotations

import ast
import hashlib
import json
import os
import re
import threading
from pathlib import Path

import numpy as np
import pytest
from blake3 import blake3

import merklize
from cli_helpers import merklize as command
from cli_helpers import output
from merklize.formats import xet, xet_chunks, xet_files

RECORDED = json.loads((Path(__file__).parent / "xet.json").read_text())
SOURCE = Path(__file__).resolve().parents[2] / "src" / "formats" / "xet_constants.inc"
LEAST, MOST, SKIP, WINDOW = 8192, 131072, 8127, 16 << 20


def recorded_data(row):
    if row["data"] == "counter":
        return (np.arange(row["n"]) % 251).astype("u1").tobytes()
    label = ast.literal_eval(re.fullmatch(r"shake256\((.*)\)", row["data"])[1])
    return hashlib.shake_256(label).digest(row["n"])


def turned(digest):
    return b"".join(digest[k : k + 8][::-1] for k in range(0, 32, 8)).hex()


@pytest.fixture(scope="module")
def gear():
    if not SOURCE.exists():
        pytest.skip("the sources are not here")
    return [int(word, 16) for word in re.findall(r"0x([0-9a-f]{16})", SOURCE.read_text())]


def plain_ends(data, gear):
    """The rule's definition: each chunk has its own h, which begins with 0."""
    ends, start = [], 0
    while start < len(data):
        h, end = 0, min(start + MOST, len(data))
        for i in range(start + SKIP, end):
            h = (2 * h + gear[data[i]]) % 2**64
            if h >> 48 == 0 and i + 1 - start >= LEAST:
                end = i + 1
                break
        ends.append(end)
        start = end
    return ends


@pytest.mark.parametrize("row", RECORDED["files"], ids=lambda row: f"{row['data'][:7]}-{row['n']}")
def test_recorded_answers(row, tmp_path):
    data = recorded_data(row)
    assert xet(data) == row["hash"]
    assert [chunk.size for chunk in xet_chunks(data)] == row["chunks"]
    (tmp_path / "file").write_bytes(data)
    for threads in (1, 3):
        assert xet(data, threads=threads) == xet(tmp_path / "file", threads=threads) == row["hash"]


@pytest.mark.parametrize("row", RECORDED["chunks"], ids=lambda row: str(len(row["input"])))
def test_recorded_answers_of_chunks(row):
    data = bytes.fromhex(row["input"])
    if data:
        assert [tuple(chunk) for chunk in xet_chunks(data)] == [(row["hash"], len(data))]


def test_no_bytes_and_one_chunk():
    assert xet(b"") == "0" * 64
    assert xet_chunks(b"") == []
    (chunk,) = xet_chunks(b"abc")
    digest = b"".join(bytes.fromhex(chunk.hash)[k : k + 8][::-1] for k in range(0, 32, 8))
    assert xet(b"abc") == turned(blake3(digest, key=bytes(32)).digest())


# Candidates at and around the edges of the range of a thread.
@pytest.mark.parametrize("kind", ["random", "zeros", "text", "many ends"])
def test_ends_are_those_of_one_thread_that_goes_from_chunk_to_chunk(kind, gear):
    random = np.random.default_rng(5)
    size = 1_300_000
    if kind == "random":
        data = random.integers(0, 256, size, dtype="u1").tobytes()
    elif kind == "zeros":
        data = bytes(size)
    elif kind == "text":
        data = b"".join(b"line %d of a text\n" % k for k in range(70_000))[:size]
    else:  # bytes that end in a candidate, at many places, with zeros in between
        sample = random.integers(0, 256, 1 << 20, dtype="u1").tobytes()
        end = plain_ends(sample, gear)[1]
        mark = sample[end - 64 : end]
        made = bytearray(size)
        for at in [*range(100, size - 64, 8000), 262144 - 64, 262144 - 63, 262144 - 1, 262144, 524288 - 30]:
            made[at : at + 64] = mark
        data = bytes(made)
    expected = plain_ends(data, gear)
    for threads in (1, 4):
        assert np.cumsum([chunk.size for chunk in xet_chunks(data, threads=threads)]).tolist() == expected


def test_a_file_longer_than_what_is_read_at_once(tmp_path):
    hf_xet = pytest.importorskip("hf_xet")
    data = np.random.default_rng(9).bytes(2 * WINDOW + 12345)
    path = tmp_path / "file"
    for size in (WINDOW - 1, WINDOW, WINDOW + 1, WINDOW + MOST - 1, WINDOW + MOST, WINDOW + MOST + 1, len(data)):
        path.write_bytes(data[:size])
        expected = hf_xet.hash_files([str(path)])[0].hash
        assert xet(path) == expected
        assert xet(data[:size]) == expected


def test_the_hubs_library(tmp_path):
    hf_xet = pytest.importorskip("hf_xet")
    random = np.random.default_rng(3)
    paths = []
    for k, size in enumerate([0, 1, 5000, 8191, 8192, 8193, 70_000, 131_072, 400_000, 3_000_000, 20_000_000]):
        path = tmp_path / f"{k}"
        path.write_bytes(random.integers(0, 256 if k % 2 else 3, size, dtype="u1").tobytes())
        paths.append(path)
    expected = [info.hash for info in hf_xet.hash_files([str(path) for path in paths])]
    assert xet_files(paths) == expected
    assert xet_files(paths, threads=1) == expected
    assert [xet(path) for path in paths] == expected


def test_pipes_and_descriptors(tmp_path):
    data = np.random.default_rng(4).bytes(WINDOW + 300_000)
    reader, writer = os.pipe()

    def write():
        with os.fdopen(writer, "wb") as file:
            file.write(data)

    thread = threading.Thread(target=write)
    thread.start()
    assert xet(reader) == xet(data)
    thread.join()
    os.close(reader)
    (tmp_path / "file").write_bytes(data)
    with open(tmp_path / "file", "rb") as file:
        file.seek(100)
        assert xet(file.fileno()) == xet(data[100:])


def test_what_cannot_be_hashed(tmp_path):
    with pytest.raises(merklize.FileError):
        xet(tmp_path / "none")
    with pytest.raises(merklize.FileError):
        xet(tmp_path)
    found = xet_files([tmp_path / "none", os.devnull])
    assert isinstance(found[0], FileNotFoundError)
    assert found[1] == "0" * 64
    with pytest.raises(TypeError, match="got one path"):
        xet_files("one")
    with pytest.raises(TypeError):
        xet(3.5)
    reader, writer = os.pipe()  # an empty pipe, so that the call waits on any machine
    with pytest.raises(merklize.Cancelled):
        xet(reader, progress=lambda _: False)
    os.close(reader)
    os.close(writer)


def test_the_command(tmp_path):
    for k, size in enumerate((0, 100, 300_000)):
        (tmp_path / f"{k}").write_bytes(np.random.default_rng(k).bytes(size))
    expected = [xet((tmp_path / f"{k}").read_bytes()) for k in range(3)]
    lines = output("hash", "--xet", "0", "1", "-", "2", stdin=b"abc", cwd=tmp_path).splitlines()
    assert lines == [f"{expected[0]}  0", f"{expected[1]}  1", f"{xet(b'abc')}  -", f"{expected[2]}  2"]
    assert output("hash", "--xet", "-r", ".", "--no-names", cwd=tmp_path).splitlines() == expected
    done = command("hash", "--xet", "none", "1", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (1, b"merklize: none: No such file or directory\n")
    assert done.stdout.decode() == f"{expected[1]}  1\n"
    assert command("hash", "--xet", "--raw", "1", cwd=tmp_path).returncode == 2

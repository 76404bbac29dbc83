"""The place of answers: all commands treat the name of an output in the same way."""

from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path

import pytest

import merklize as library
from cli_helpers import COMMAND, merklize, output

DATA = bytes(range(256)) * 100
OUTPUTS = {
    "prove": ["tree", "prove", "t", "3", "-o"],
    "export": ["tree", "export", "t", "-o"],
    "show": ["tree", "show", "t", "--page", "page", "--html"],
    "outboard": ["bao", "outboard", "data", "-o"],
    "encode": ["bao", "encode", "data", "-o"],
    "slice": ["bao", "slice", "encoding", "--range", "5,7", "-o"],
    "decode": ["bao", "decode", "encoding", "--root", library.hash(DATA).hex(), "-o"],
}
every_output = pytest.mark.parametrize("words", OUTPUTS.values(), ids=OUTPUTS)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "data").write_bytes(DATA)
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "file").write_bytes(DATA)
    (tmp_path / "page").write_text('<script id="data" type="application/json">null</script>')
    output("tree", "build", "data", "--leaf-size", "1000", "-o", "t", cwd=tmp_path)
    output("bao", "encode", "data", "-o", "encoding", cwd=tmp_path)
    return tmp_path


def written(folder: Path, words: list[str]) -> bytes:
    output(*words, "out", cwd=folder)
    return (folder / "out").read_bytes()


@every_output
def test_a_link_is_followed(folder: Path, words: list[str]) -> None:
    expected = written(folder, words)
    (folder / "real").write_bytes(b"older and longer" * 100_000)
    (folder / "real").chmod(0o600)
    (folder / "link").symlink_to("real")
    output(*words, "link", cwd=folder)
    assert (folder / "link").readlink() == Path("real")
    assert (folder / "real").read_bytes() == expected
    assert stat.S_IMODE((folder / "real").stat().st_mode) == 0o600


MADE = {
    **OUTPUTS,
    "build": ["tree", "build", "data", "--leaf-size", "1000", "-o"],
    "manifest": ["manifest", "create", "model", "-o"],
    "verity": ["verity", "format", "data", "--salt", "-", "--uuid", f"{0:032x}", "--data-blocks", "1"],
}


@pytest.mark.parametrize("words", MADE.values(), ids=MADE)
def test_a_link_to_what_is_not_there_yet_is_followed(folder: Path, words: list[str]) -> None:
    expected = written(folder, words)
    (folder / "below").mkdir()
    (folder / "link").symlink_to("below/other")
    (folder / "below" / "other").symlink_to("../real")
    output(*words, "link", cwd=folder)
    assert (folder / "link").readlink() == Path("below/other")
    assert (folder / "below" / "other").readlink() == Path("../real")
    assert (folder / "real").read_bytes() == expected
    (folder / "round").symlink_to("round")
    done = merklize(*words, "round", cwd=folder)
    assert done.returncode == 1
    assert b"round: " in done.stderr
    assert b"Too many levels of symbolic links" in done.stderr
    assert (folder / "round").readlink() == Path("round")


def test_python_follows_links_to_what_is_not_there_yet(folder: Path) -> None:
    leaves = library.hash_leaves([b"a", b"b"])

    def write(path: Path) -> None:
        with library.TreeWriter(path, 2) as writer:
            writer.append(leaves)
            writer.finish()

    made = library.manifest(folder / "model")
    for name, save in {"save": library.MerkleTree(leaves).save, "TreeWriter": write, "manifest": made.save}.items():
        (folder / f"{name} link").symlink_to(f"{name} real")
        save(folder / f"{name} link")
        assert (folder / f"{name} link").is_symlink()
        assert (folder / f"{name} real").is_file()
        (folder / f"{name} round").symlink_to(f"{name} round")
        with pytest.raises(library.FileError, match="Too many levels of symbolic links"):
            save(folder / f"{name} round")
        assert (folder / f"{name} round").is_symlink()


@every_output
def test_a_hyphen_is_standard_output(folder: Path, words: list[str]) -> None:
    expected = written(folder, words)
    assert merklize(*words, "-", cwd=folder).stdout == expected
    assert not (folder / "-").exists()


@every_output
def test_a_pipe_is_written_to(folder: Path, words: list[str]) -> None:
    expected = written(folder, words)
    os.mkfifo(folder / "pipe")
    with subprocess.Popen([COMMAND, *words, "pipe"], cwd=folder, stdout=subprocess.DEVNULL) as process:
        found = (folder / "pipe").read_bytes()
    assert (process.returncode, found) == (0, expected)
    assert (folder / "pipe").is_fifo()


@every_output
def test_a_device_stays_one(folder: Path, words: list[str]) -> None:
    output(*words, "/dev/null", cwd=folder)
    assert Path("/dev/null").is_char_device()
    done = merklize(*words, "/dev/full", cwd=folder)
    assert done.returncode == 1
    assert done.stderr == b"merklize: /dev/full: cannot write: No space left on device\n"


def test_a_tree_file_is_no_stream(folder: Path) -> None:
    """Its parts are written in no fixed order, so the output must be a regular file."""
    words = ["tree", "build", "data", "--leaf-size", "1000", "-o"]
    done = merklize(*words, "-", cwd=folder)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"-o: a tree file cannot be written to standard output" in done.stderr
    os.mkfifo(folder / "pipe")
    for name in ("pipe", "/dev/null"):
        done = merklize(*words, name, cwd=folder)
        assert (done.returncode, done.stdout) == (1, b"")
        assert done.stderr == f"merklize: {name}: cannot write: not a regular file\n".encode()
    (folder / "u.partial").symlink_to("elsewhere")
    done = merklize(*words, "u", cwd=folder)
    assert (done.returncode, done.stderr) == (
        1,
        b"merklize: u.partial: cannot open: a link, which is not followed; remove it first\n",
    )
    assert not (folder / "elsewhere").exists()

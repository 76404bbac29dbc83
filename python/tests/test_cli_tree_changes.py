"""`merklize tree` where files are damaged or were replaced, and where what was made cannot be told."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import merklize as library
from cli_helpers import COMMAND, merklize, output
from waiting import HANG, eventually

LEAF = "1" * 64


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """The tree `t` over 21 blocks of 64 bytes, `data`, beside a folder `m` with a file."""
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "a").write_bytes(b"a")
    (tmp_path / "data").write_bytes(os.urandom(21 * 64))
    output("tree", "build", "data", "--leaf-size", "64", "-o", "t", cwd=tmp_path)
    return tmp_path / "t"


def damage(tree: Path, leaf: int) -> bytes:
    content = bytearray(tree.read_bytes())
    content[128 + 32 * leaf] ^= 1
    tree.write_bytes(content)
    return bytes(content)


@pytest.mark.parametrize(
    ("leaf", "words", "where"),
    [
        (0, ["update", "t", f"1={LEAF}"], "level 1, node 0"),
        (0, ["update", "t", "0", "--from", "data"], "level 1, node 0"),
        (20, ["append", "t", "data"], "level 1, node 10"),
    ],
)
def test_a_damaged_tree_is_not_changed(tree: Path, leaf: int, words: list[str], where: str) -> None:
    before = damage(tree, leaf)
    done = merklize("tree", *words, cwd=tree.parent)
    said = f"merklize: t: a damaged tree file: {where} is not the hash of its children; nothing has changed"
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.decode().startswith(said)
    assert tree.read_bytes() == before


@pytest.mark.parametrize("words", [["update", "t", "3", "--from", "pipe"], ["append", "t", "pipe"]])
def test_a_tree_built_again_meanwhile_is_not_changed(tree: Path, words: list[str]) -> None:
    folder = tree.parent
    os.mkfifo(folder / "pipe")
    with subprocess.Popen(
        [COMMAND, "tree", *words], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as late:
        with (folder / "pipe").open("wb") as pipe:  # waits until the command, which has opened the tree, opens it
            output("tree", "build", "data", "--leaf-size", "128", "-o", "t", cwd=folder)
            before = tree.read_bytes()
            pipe.write((folder / "data").read_bytes())
        out, said = late.communicate(timeout=HANG)
    assert (late.returncode, out) == (1, b"")
    assert b"leaf size, or over other data, has replaced it since it was opened: open it again\n" in said
    assert tree.read_bytes() == before


@pytest.mark.parametrize("words", [["3"], ["2-5", "9"], ["--since", "3"], ["--since", "2"], ["--since", "20"]])
def test_proofs_that_are_written_verify(tree: Path, words: list[str]) -> None:
    folder = tree.parent
    root = output("tree", "root", "t", cwd=folder).strip()
    old = [] if words[0] != "--since" else ["--old-root", library.merkle_root(leaves_of(tree)[: int(words[1])]).hex()]
    output("tree", "prove", "t", *words, "-o", "proof", cwd=folder)
    output("tree", "verify", "proof", "--root", root, *old, cwd=folder)
    damage(tree, 2)
    damage(tree, 20)
    content = bytearray(tree.read_bytes())
    content[128 + 32 * 21] ^= 1  # the parent of leaves 0 and 1
    tree.write_bytes(content)
    done = merklize("tree", "prove", "t", *words, "-o", "other", cwd=folder)
    said = b"merklize: t: the nodes do not fit the root: the tree file is damaged\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, b"", said)
    assert not (folder / "other").exists()


def leaves_of(tree: Path) -> list[bytes]:
    with library.TreeFile(tree) as file:
        return [bytes(file.read(0, k, 1)) for k in range(len(file))]


@pytest.mark.parametrize("through", ["file", "standard input", "Python"])
def test_nothing_is_appended_of_an_empty_input(tree: Path, through: str) -> None:
    before, empty = tree.read_bytes(), tree.parent / "empty"
    empty.touch()
    if through == "Python":
        with library.TreeFile(tree) as file:
            assert file.append_file(empty, 64) == 0
    else:
        word = "empty" if through == "file" else "-"
        found = json.loads(output("tree", "append", "t", word, "--json", cwd=tree.parent))
        assert (found["appended"], found["n_leaves"]) == (0, 21)
    assert tree.read_bytes() == before


MADE = (
    ("tree update t 0={leaf}", "t has been changed"),
    ("tree append t data", "t has been changed"),
    ("tree build data --leaf-size 64 -o new", "new has been written"),
    ("manifest create m -o new", "new has been written"),
    ("bao outboard data -o new", "new has been written"),
)


@pytest.mark.parametrize(("line", "made"), MADE)
def test_an_answer_that_cannot_be_written_says_what_was_made(tree: Path, line: str, made: str) -> None:
    before = tree.read_bytes()
    with open("/dev/full", "wb") as full:
        words = line.format(leaf=LEAF).split()
        done = subprocess.run([COMMAND, *words], cwd=tree.parent, stdout=full, stderr=subprocess.PIPE, check=False)
    said = f"merklize: cannot write the output: No space left on device; {made}\n"
    assert (done.returncode, done.stderr.decode()) == (1, said)
    assert tree.read_bytes() != before or (tree.parent / "new").exists()


@pytest.mark.parametrize(("line", "made"), MADE[:-1])
def test_ctrl_c_after_the_change_does_not_say_that_none_was_made(tree: Path, line: str, made: str) -> None:
    before, new = tree.read_bytes(), tree.parent / "new"
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    with open(reader, "rb") as answer:
        with open(writer, "wb", buffering=0) as pipe:
            while pipe.write(bytes(4096)) is not None:  # a full pipe: the command waits with its answer
                pass
            os.set_blocking(writer, True)
            words = line.format(leaf=LEAF).split()
            late = subprocess.Popen([COMMAND, *words], cwd=tree.parent, stdout=pipe, stderr=subprocess.PIPE)
        with late:
            eventually(new.exists if made.startswith("new") else lambda: tree.read_bytes() != before)
            late.send_signal(signal.SIGINT)
            assert answer.read().strip(b"\0")
            assert late.communicate(timeout=HANG)[1] == b""
    assert late.returncode == 0


@pytest.mark.parametrize("command", ["tree build data --leaf-size 64", "bao outboard data", "tree prove t 0"])
def test_a_name_that_is_too_long_is_refused_before_the_work(tree: Path, command: str) -> None:
    there = sorted(os.listdir(tree.parent))
    done = merklize(*command.split(), "-o", "n" * 300, cwd=tree.parent)
    assert done.returncode == 1
    assert done.stderr.decode().rstrip().endswith("File name too long")
    assert sorted(os.listdir(tree.parent)) == there


def test_an_error_promises_only_what_a_second_build_can_do(tree: Path) -> None:
    folder = tree.parent
    (folder / "data").write_bytes(b"\xff" * 64 * 32)
    field = ["tree", "build", "data", "--leaves", "--hash", "rp64_256_v3", "-o", "new"]
    (folder / "-").write_bytes(b"a file of this name is not standard input")
    perfect = ["tree", "build", "-", "--leaf-size", "64", "--rule", "perfect", "-o", "new"]
    for words in (field, perfect):
        done = merklize(*words, cwd=folder, stdin=bytes(3 * 64))
        assert done.returncode == 1
        assert b"is kept" not in done.stderr


def test_trees_of_two_keys_are_not_compared(tree: Path) -> None:
    for name, context in (("one", "a"), ("two", "b"), ("three", "a")):
        output("tree", "build", "data", "--leaf-size", "64", "--derive-key", context, "-o", name, cwd=tree.parent)
    output("tree", "diff", "one", "three", cwd=tree.parent)
    done = merklize("tree", "diff", "one", "two", cwd=tree.parent)
    said = "merklize: one and two cannot be compared: the first is of one key or context, the second of another\n"
    assert (done.returncode, done.stdout, done.stderr.decode()) == (1, b"", said)


@pytest.mark.parametrize("make", [os.symlink, os.link])
def test_an_error_names_the_partial_file(tree: Path, make: Callable[[Path, Path], None]) -> None:
    (tree.parent / "own").write_bytes(b"")
    make(tree.parent / "own", tree.parent / "new.partial")
    done = merklize("tree", "build", "data", "--leaf-size", "64", "-o", "new", cwd=tree.parent)
    assert done.returncode == 1
    assert done.stderr.startswith(b"merklize: new.partial: cannot ")
    assert done.stderr.endswith(b"remove it first\n")

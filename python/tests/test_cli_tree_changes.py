"""`merklize tree update` and `append`, and proofs: of damaged trees, of trees that were built again meanwhile."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

import merklize as library
from cli_helpers import COMMAND, merklize, output
from waiting import HANG

LEAF = "1" * 64


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """The tree `t` over 21 blocks of 64 bytes, `data`."""
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

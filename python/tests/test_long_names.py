"""Every name that a file system takes is a name for an output: what is written beside a file has a shorter one."""

from __future__ import annotations

import os
import shutil
from functools import partial
from http.server import SimpleHTTPRequestHandler
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import local_server
import merklize as library
from cli_helpers import merklize, output
from merklize import bao
from merklize._new_file import beside, write_whole
from merklize.manifests import manifest

LENGTHS = [1, *range(178, 196), *range(230, 256)]
# A command line that writes NAME, twice: a new file, and in place of an old one.
LINES = (
    "tree build f --leaf-size 64 -o",
    "tree build f --leaf-size 64 --no-resume -o",
    "bao outboard f -o",
    "bao encode f -o",
    "bao slice f.bao --range 0,5 -o",
    "bao decode f.bao --root {root} -o",
    "manifest create m -o",
    "verity format f",
    "tree prove t 0 -o",
    "tree show t --html",
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "f").write_bytes(bytes(range(256)) * 32)
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "a").write_bytes(b"a")
    output("tree", "build", "f", "--leaf-size", "64", "-o", "t", cwd=tmp_path)
    output("bao", "encode", "f", "-o", "f.bao", cwd=tmp_path)
    return tmp_path


@pytest.mark.parametrize("line", LINES)
def test_outputs_of_commands(folder: Path, line: str) -> None:
    root = output("hash", "--no-names", "f", cwd=folder).strip()
    words = line.format(root=root).split()
    before = {path.name for path in folder.iterdir()}
    made = set()
    for length in LENGTHS:
        name = "n" * length
        for _ in range(2):
            done = merklize(*words, name, cwd=folder)
            if b"no page" in done.stderr:
                pytest.skip("built without the page")
            assert done.returncode == 0, (length, done.stderr)
        made.add((folder / name).read_bytes() if "manifest" not in line else b"")
        (folder / name).unlink()
        assert {path.name for path in folder.iterdir()} == before
    assert len(made) == 1 or line.startswith("verity")  # its superblock has a random salt


def test_changes_of_trees(folder: Path) -> None:
    leaf = "11" * 32
    for length in LENGTHS:
        name = "n" * length
        shutil.copy(folder / "t", folder / name)
        output("tree", "update", name, f"3={leaf}", cwd=folder)
        output("tree", "append", name, "f", cwd=folder)
        assert library.TreeFile(folder / name).n_leaves == 256
        (folder / name).unlink()


def test_a_killed_build_of_a_long_name_goes_on(tmp_path: Path) -> None:
    """What is left has one name for one output, and different outputs have different ones."""
    leaves = np.arange(64 * 32, dtype=np.uint8).reshape(64, 32)
    expected = library.MerkleTree(leaves).root
    names = ["n" * 255, "n" * 254 + "m", "\u00fc" * 127]
    for name in names:
        writer = library.TreeWriter(tmp_path / name, 64)
        writer.append(leaves[:32])
        writer.close()
    left = sorted(path.name for path in tmp_path.iterdir())
    assert len(left) == 3
    assert all(name.endswith(".partial") and len(os.fsencode(name)) <= 255 for name in left)
    for name in names:
        with library.TreeWriter(tmp_path / name, 64, resume=True) as writer:
            writer.append(leaves[writer.written :])
            assert writer.finish() == expected
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names)


def test_names_beside(tmp_path: Path) -> None:
    for length in LENGTHS:
        for end in (".partial", ".journal", ".ray-partial"):
            path = beside(str(tmp_path / ("n" * length)), end)
            assert os.path.dirname(path) == str(tmp_path)
            assert os.path.basename(path).startswith("n" * min(length, 200))
            if length + len(end) <= 255:
                assert path == str(tmp_path / ("n" * length)) + end
            else:
                assert len(os.path.basename(path)) == 255
    assert beside("x", ".partial") == "x.partial"


def test_outputs_of_python(folder: Path) -> None:
    made: Any = manifest(folder / "m")
    for length in LENGTHS:
        name = folder / ("n" * length)
        for _ in range(2):
            made.save(name)
            write_whole(str(name), b"x")
            bao.outboard_file(folder / "f", name)
            library.build_tree_file(folder / "f", name, leaf_size=64)
        name.unlink()


def test_fetch(folder: Path) -> None:
    class Files(local_server.Handler, SimpleHTTPRequestHandler):
        pass

    output("bao", "outboard", "f", "-o", "f.obao", cwd=folder)
    root = output("hash", "--no-names", "f", cwd=folder).strip()
    with local_server.serving(partial(Files, directory=str(folder))) as server:
        url = f"{server.address}/f"
        for length in (1, 246, 247, 248, 255):
            name = "n" * length
            done = merklize("fetch", url, "--root", root, "--outboard", "f.obao", "-o", name, cwd=folder)
            assert done.returncode == 0, done.stderr
            assert (folder / name).read_bytes() == (folder / "f").read_bytes()


def test_a_journal_of_a_long_name_is_found(folder: Path) -> None:
    name = "n" * 255
    output("tree", "build", "f", "--leaf-size", "1", "-o", name, cwd=folder)
    journal = Path(beside(str(folder / name), ".journal"))
    journal.write_bytes(b"MKLJRNL\0damaged")
    output("tree", "check", name, cwd=folder)
    assert not journal.exists()  # it was found, and is none

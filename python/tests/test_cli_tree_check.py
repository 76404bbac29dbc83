"""`merklize tree check` and `diff`: a tree beside its root, its data and another tree."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import merklize as library
from cli_helpers import COMMAND, merklize, output
from waiting import HANG


def test_check(folder: Path, root: str) -> None:
    assert root
    assert output("tree", "check", "tree", cwd=folder) == "every parent is the hash of its children\n"
    assert json.loads(output("tree", "check", "tree", "--json", cwd=folder)) == {
        "file": "tree",
        "ok": True,
        "wrong": [],
    }


def test_check_finds_a_changed_node(folder: Path, root: str) -> None:
    content = bytearray((folder / "tree").read_bytes())
    content[128 + 32 * 64] ^= 1  # the first parent
    (folder / "tree").write_bytes(content)
    assert merklize("tree", "info", "tree", cwd=folder).returncode == 0
    done = merklize("tree", "check", "tree", cwd=folder)
    assert done.returncode == 1
    assert done.stdout.decode().splitlines() == [
        "level 1, node 0: not the hash of its children",
        "level 2, node 0: not the hash of its children",
    ]
    found = json.loads(merklize("tree", "check", "tree", "--json", cwd=folder).stdout)
    assert found["wrong"] == [{"level": 1, "index": 0}, {"level": 2, "index": 0}]


def as_input(folder: Path, data: bytes, how: str) -> tuple[str, dict[str, object]]:
    """INPUT of a command line and the streams of the call, by one way to hand over data."""
    (folder / "given").write_bytes(data)
    if how == "file":
        return "given", {}
    if how == "url":
        return (folder / "given").as_uri(), {}
    if how == "redirected":
        return "-", {"stdin": (folder / "given").open("rb")}
    if how == "pipe":
        return "-", {"input": data}
    os.mkfifo(folder / "fifo")
    writer = subprocess.Popen(["dd", "if=given", "of=fifo", "bs=64k"], cwd=folder, stderr=subprocess.DEVNULL)
    return "fifo", {"writer": writer}


def checked(folder: Path, data: bytes, how: str, *words: str, tree: str = "tree") -> tuple[int, str]:
    name, streams = as_input(folder, data, how)
    writer = streams.pop("writer", None)
    done = subprocess.run(
        [COMMAND, "tree", "check", tree, name, *words], cwd=folder, stdout=subprocess.PIPE, timeout=HANG, **streams
    )
    if writer is not None:
        writer.wait()
        (folder / "fifo").unlink()
    return done.returncode, done.stdout.decode()


ALL = "every parent is the hash of its children\n"
READERS = ["file", "url", "redirected", "pipe", "fifo"]


@pytest.mark.parametrize("how", READERS)
@pytest.mark.parametrize("change", ["none", "one", "ends", "short", "cut", "long", "longer", "empty"])
def test_check_compares_the_data(folder: Path, root: str, how: str, change: str) -> None:
    data = bytearray((folder / "data").read_bytes())
    lines, count = [], "NOT the same: {} of 64 blocks differ{}"
    name = {"file": "given", "url": str(folder / "given"), "fifo": "fifo"}.get(how, "standard input")
    if change == "one":
        data[3999] ^= 1
        lines = ["block 3 of 64 (bytes 3000 to 4000) differs", count.format(1, "s")]
    elif change == "ends":
        data[0] ^= 1
        data[-1] ^= 128
        lines = ["block 0 of 64 (bytes 0 to 1000) differs", "block 63 of 64 (bytes 63000 to 64000) differs"]
        lines += [count.format(2, "")]
    elif change == "short":
        del data[62000:]
        lines = ["blocks 62 to 63 of 64 (bytes 62000 to 64000) are missing", count.format(2, "")]
    elif change == "cut":
        del data[-1:]
        lines = ["block 63 of 64 (bytes 63000 to 64000) differs", count.format(1, "s")]
    elif change in ("long", "longer"):
        data += bytes(1 if change == "long" else 300_000)
        lines = [f"{name} goes on behind the tree's 64 blocks", f"NOT the same: {name} is longer"]
    elif change == "empty":
        data.clear()
        lines = ["block 0 of 64 (bytes 0 to 1000) differs", "blocks 1 to 63 of 64 (bytes 1000 to 64000) are missing"]
        lines += [count.format(64, "")]
    else:
        lines = [f"all 64 blocks of {name} are as the tree says"]
    code, text = checked(folder, bytes(data), how)
    assert text.splitlines() == [ALL.strip(), *lines]
    assert code == (0 if change == "none" else 1)


@pytest.mark.parametrize("change", ["none", "one", "ends", "short", "cut", "long", "longer", "empty"])
@pytest.mark.usefixtures("root")
def test_python_compares_the_same_data(folder: Path, change: str) -> None:
    data = (folder / "data").read_bytes()
    other = {
        "none": data,
        "one": data[:3500] + b"x" + data[3501:],
        "ends": b"x" + data[1:-1] + b"x",
        "short": data[:-1],
        "cut": data[:-1000],
        "long": data + b"x",
        "longer": data + bytes(3000),
        "empty": b"",
    }[change]
    (folder / "other").write_bytes(other)
    done = merklize("tree", "check", "tree", "other", "--json", cwd=folder)
    told = json.loads(done.stdout)
    with library.TreeFile(folder / "tree") as tree:
        found = tree.compare(folder / "other")
        with open(folder / "other", "rb") as file:
            assert tree.compare(file.fileno()) == found
        if change in ("none", "one"):
            assert tree.compare(folder / "other", most=0).differing == []
    assert bool(found) == told["same"] == (done.returncode == 0)
    assert found.differing == [block["index"] for block in told["differing"]]
    assert (found.n_differing, found.n_leaves, found.input_leaves) == (
        told["n_differing"],
        told["n_leaves"],
        told["input_leaves"],
    )
    assert (found.file_size, found.input_size) == (len(data), len(other))


def test_python_compares_leaves_and_rows(folder: Path) -> None:
    data = (folder / "data").read_bytes()
    (folder / "digests").write_bytes(data)
    with pytest.raises(library.InvalidArgument, match="give one of leaf_size"):
        library.build_tree_file(folder / "data", folder / "t")
    library.build_tree_file(folder / "data", folder / "t", leaves=True)
    with library.TreeFile(folder / "t") as tree:
        assert tree.compare(folder / "digests", leaves=True)
        with pytest.raises(library.InvalidArgument, match="compare: the tree does not say what its leaves stand for"):
            tree.compare(folder / "digests")
        (folder / "digests").write_bytes(b"x" * 32 + data[32:])
        assert tree.compare(folder / "digests", leaves=True).differing == [0]
    library.build_tree_file(folder / "data", folder / "r", row_size=32, hash="rpo256", rule="left_full")
    with library.TreeFile(folder / "r") as tree:
        assert tree.compare(folder / "data", row_size=32)
        with pytest.raises(library.InvalidArgument, match="give one of leaf_size, row_size and leaves"):
            tree.compare(folder / "data", 32, row_size=32)


def test_python_compares_the_stated_size(folder: Path, root: str) -> None:
    """Blocks that are equal do not show that the size is right: the root does not bind it."""
    head = bytearray((folder / "tree").read_bytes())
    head[40:48] = (63_999).to_bytes(8, "little")
    head[120:128] = library.hash(head[:120])[:8]
    (folder / "tree").write_bytes(head)
    with library.TreeFile(folder / "tree") as tree:
        found = tree.compare(folder / "data")
        assert (tree.root.hex(), found.n_differing, found.file_size, found.input_size) == (root, 0, 63_999, 64_000)
        assert not found


def test_check_lists_a_bounded_number_of_blocks(folder: Path) -> None:
    (folder / "many").write_bytes(bytes(5000))
    output("tree", "build", "many", "--leaf-size", "1", "-o", "tree", cwd=folder)
    code, text = checked(folder, bytes([1]) * 5000, "file")
    lines = text.splitlines()
    assert code == 1
    assert len(lines) == 1003
    assert lines[1000:] == [
        "block 999 of 5000 (bytes 999 to 1000) differs",
        "4,000 more blocks differ",
        "NOT the same: 5,000 of 5,000 blocks differ",
    ]
    found = json.loads(checked(folder, bytes([1]) * 5000, "pipe", "--json")[1])
    assert (found["ok"], found["n_differing"], len(found["differing"])) == (False, 5000, 1000)
    assert found["differing"][7] == {"index": 7, "begin": 7, "end": 8}


def test_check_of_a_trusted_root(folder: Path, root: str) -> None:
    for given in (root, f"0x{root}", root.upper()):
        assert output("tree", "check", "tree", "--root", given, cwd=folder) == "the root is the given one\n" + ALL
    other = merklize("tree", "check", "tree", "data", "--root", "00" * 32, cwd=folder)
    assert other.returncode == 1
    assert other.stdout.decode().startswith(f"NOT the given root: the tree's is {root}\n")
    found = json.loads(merklize("tree", "check", "tree", "data", "--root", "00" * 32, "--json", cwd=folder).stdout)
    assert (found["ok"], found["root_ok"], found["same"], found["root"]) == (False, False, True, root)
    assert merklize("tree", "check", "tree", "--root", "12", cwd=folder).returncode == 2
    # Who changes the data can write a tree over it, too. Only the root tells.
    (folder / "data").write_bytes(bytes(64000))
    output("tree", "build", "data", "--leaf-size", "1000", "-o", "tree", cwd=folder)
    assert merklize("tree", "check", "tree", "data", cwd=folder).returncode == 0
    assert merklize("tree", "check", "tree", "data", "--root", root, cwd=folder).returncode == 1


@pytest.mark.parametrize("words", [["--leaf-size", "1024"], ["--leaves"], ["--row-size", "32", "--hash", "rpo256"]])
def test_check_compares_leaves_of_every_kind(folder: Path, words: list[str]) -> None:
    data = bytes(range(64)) * 64  # of field elements below every prime
    data = bytes(8 * 512) if "rpo256" in words else data
    (folder / "data").write_bytes(data)
    output("tree", "build", "data", *words, "-o", "tree", cwd=folder)
    given = ["--leaves"] if words == ["--leaves"] else []
    assert checked(folder, data, "file", *given)[0] == 0
    changed = bytearray(data)
    changed[33] ^= 1
    code, text = checked(folder, bytes(changed), "pipe", *given)
    assert code == 1
    assert ("leaf 1 of 128 differs" if given else "block ") in text


def test_check_of_a_keyed_tree_compares_the_data(folder: Path) -> None:
    output("tree", "build", "data", "--leaf-size", "1000", "--derive-key", "c", "-o", "tree", cwd=folder)
    data = bytearray((folder / "data").read_bytes())
    assert checked(folder, bytes(data), "file", "--derive-key", "c")[0] == 0
    data[1] ^= 1
    assert "block 0 of 64" in checked(folder, bytes(data), "file", "--derive-key", "c")[1]
    refused = merklize("tree", "check", "tree", "-", "--keyed", cwd=folder, stdin=bytes(32))
    assert refused.returncode == 2


def test_check_of_large_data_in_little_memory(folder: Path) -> None:
    with open(folder / "large", "wb") as file:
        file.truncate(1 << 30)
    output("tree", "build", "large", "--leaf-size", "64K", "-o", "tree", cwd=folder)
    with open(folder / "large", "r+b") as file:
        file.seek(700 << 20)
        file.write(b"x")
    words = [COMMAND, "tree", "check", "tree", "large", "--threads", "2"]
    limit = "import os, resource; resource.setrlimit(resource.RLIMIT_AS, (3 << 28, 3 << 28)); "
    done = subprocess.run(
        [sys.executable, "-c", f"{limit}os.execv({COMMAND!r}, {words!r})"],
        cwd=folder,
        stdout=subprocess.PIPE,
        timeout=HANG,
    )
    assert done.returncode == 1
    assert "block 11200 of 16384 (bytes 734003200 to 734068736) differs" in done.stdout.decode()


def two_trees(folder: Path, old: bytes, new: bytes, *words: str) -> None:
    for name, data in (("old", old), ("new", new)):
        (folder / name).write_bytes(data)
        output("tree", "build", name, *words, "-o", f"{name}.mkl", cwd=folder)


@pytest.mark.parametrize("rule", ["left_full", "pad", "duplicate_last"])
@pytest.mark.parametrize(("n_old", "n_new"), [(1, 1), (6, 6), (6, 7), (7, 6), (1, 40), (40, 1), (37, 37), (33, 64)])
def test_diff_agrees_with_python(folder: Path, rule: str, n_old: int, n_new: int) -> None:
    random = np.random.default_rng(100 * n_old + n_new)
    old = random.integers(256, size=(max(n_old, n_new), 16), dtype=np.uint8)
    new = old.copy()
    new[random.integers(len(new), size=3), 0] ^= 1
    two_trees(folder, old[:n_old].tobytes(), new[:n_new].tobytes(), "--leaf-size", "16", "--rule", rule)
    done = merklize("tree", "diff", "old.mkl", "new.mkl", "--json", cwd=folder)
    found = json.loads(done.stdout)
    with library.TreeFile(folder / "old.mkl") as one, library.TreeFile(folder / "new.mkl") as two:
        expected = one.diff(two).tolist()
    common = min(n_old, n_new)
    assert [leaf["index"] for leaf in found["differing"]] == [leaf for leaf in expected if leaf < common]
    assert (found["old_leaves"], found["new_leaves"]) == (n_old, n_new)
    assert done.returncode == (1 if expected else 0)


def test_diff_names_blocks(folder: Path) -> None:
    two_trees(folder, bytes(393000), bytes(200000) + b"x" + bytes(192999), "--leaf-size", "64K")
    done = merklize("tree", "diff", "old.mkl", "new.mkl", cwd=folder)
    assert done.returncode == 1
    assert done.stdout.decode().splitlines() == [
        "block 3 of 6 (bytes 196608 to 262144) differs",
        "NOT the same: 1 of 6 blocks differs",
    ]
    assert output("tree", "diff", "old.mkl", "old.mkl", cwd=folder) == "no block differs\n"
    two_trees(folder, bytes(131072), bytes(393000), "--leaf-size", "64K")
    assert merklize("tree", "diff", "old.mkl", "new.mkl", cwd=folder).stdout.decode() == (
        "blocks 2 to 5 of 6 (bytes 131072 to 393000) are in NEW alone\n"
    )


def test_diff_refuses_trees_of_other_forms(folder: Path, root: str) -> None:
    for words in (
        ["--leaf-size", "500"],
        ["--leaf-size", "1000", "--hash", "sha256"],
        ["--leaf-size", "1000", "--rule", "pad"],
    ):
        output("tree", "build", "data", *words, "-o", "other", cwd=folder)
        done = merklize("tree", "diff", "tree", "other", cwd=folder)
        assert done.returncode == 1
        assert b"cannot be compared: the first is of" in done.stderr
        assert not done.stdout


def test_diff_of_a_damaged_tree(folder: Path, root: str) -> None:
    content = bytearray((folder / "tree").read_bytes())
    content[-1] ^= 1  # the root, which the header repeats
    (folder / "bad").write_bytes(content)
    done = merklize("tree", "diff", "tree", "bad", cwd=folder)
    assert done.returncode == 1


@pytest.mark.parametrize("leaf_bytes", [1 << 62, 1 << 63, (1 << 64) - 1])
def test_blocks_that_would_end_beyond_2_to_the_64(tmp_path: Path, leaf_bytes: int) -> None:
    library.MerkleTree([bytes(32)] * 7).save(tmp_path / "t")
    file = bytearray((tmp_path / "t").read_bytes())
    file[32:40] = leaf_bytes.to_bytes(8, "little")
    file[120:128] = library.hash(bytes(file[:120]))[:8]
    (tmp_path / "t").write_bytes(file)
    (tmp_path / "f").write_bytes(b"abc")
    done = merklize("tree", "check", "t", "f", cwd=tmp_path)
    assert done.returncode == 1
    assert f"blocks 1 to 6 of 7 (bytes {leaf_bytes} to {2**64 - 1}) are missing" in done.stdout.decode()

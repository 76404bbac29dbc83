"""Tree files: what is written is read; a malformed file is an error; a failed write leaves nothing."""

import os
import struct
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import merklize
import oracle

HASHES = merklize.HASHES


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "tree"
    tree = merklize.MerkleTree(oracle.byte_leaves(64))
    tree.save(path)
    return tree, path


@pytest.mark.parametrize("hash", HASHES)
@pytest.mark.parametrize("n", [2, 4, 1024])
def test_round_trip(tmp_path, hash, n):
    tree = merklize.MerkleTree(oracle.leaves(n, hash), hash)
    tree.save(tmp_path / "tree")
    assert (tmp_path / "tree").stat().st_size == 64 + 64 * n
    with merklize.TreeFile(tmp_path / "tree") as file:
        assert (file.root, file.n_leaves, file.hash) == (tree.root, n, hash)
        assert (file.leaf_size, file.file_size) == (0, 0)
        assert (file.nodes.dtype, file.nodes.shape) == (tree.nodes.dtype, tree.nodes.shape)
        assert np.array_equal(file.nodes, tree.nodes)
        for i in {0, 1, n // 3, n - 1}:
            assert file.prove(i) == tree.prove(i)
        file.check()
        assert repr(file).endswith(f"{n} leaves, {hash}, root {tree.root.hex()}>")


def test_header(tmp_path):
    (tmp_path / "data").write_bytes(oracle.pattern(1000))
    tree = merklize.MerkleTree.from_file(tmp_path / "data", leaf_size=63)
    tree.save(str(tmp_path / "tree"))
    content = (tmp_path / "tree").read_bytes()
    assert content[:64] == struct.pack("<8sIIQQQ24x", b"MKZTREE1", 0, 0, 16, 63, 1000)
    assert content[64:] == tree.nodes.tobytes()
    with merklize.TreeFile(os.fsencode(tmp_path / "tree")) as file:
        assert (file.leaf_size, file.file_size) == (63, 1000)


def test_saving_replaces(saved, tmp_path):
    _, path = saved
    other = merklize.MerkleTree(oracle.byte_leaves(4))
    with merklize.TreeFile(path) as old:
        other.save(path)
        old.check()  # who had it open keeps the old one
    with merklize.TreeFile(path) as file:
        assert file.root == other.root
    assert os.listdir(tmp_path) == ["tree"]


def test_mode_follows_the_umask(tmp_path):
    previous = os.umask(0o027)
    try:
        merklize.MerkleTree(oracle.byte_leaves(4)).save(tmp_path / "tree")
    finally:
        os.umask(previous)
    assert (tmp_path / "tree").stat().st_mode & 0o777 == 0o640


def test_relative_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    merklize.MerkleTree(oracle.byte_leaves(4)).save("tree")
    merklize.TreeFile("tree").close()


def test_nodes_are_read_only_and_outlive_the_file(saved):
    tree, path = saved
    with merklize.TreeFile(path) as file:
        nodes = file.nodes
    assert not nodes.flags.writeable
    assert np.array_equal(nodes, tree.nodes)


@pytest.mark.parametrize("hash", HASHES)
@pytest.mark.parametrize("node", [0, 1, 2, 3, 31, 32, 33, 63, 64, 100, 127])
def test_check_finds_any_wrong_node(tmp_path, hash, node):
    path = tmp_path / "tree"
    merklize.MerkleTree(oracle.leaves(64, hash), hash).save(path)
    with open(path, "r+b") as file:
        file.seek(64 + 32 * node)
        byte = file.read(1)[0]
        file.seek(64 + 32 * node)
        file.write(bytes([byte ^ 4]))
    with merklize.TreeFile(path) as file:
        # A wrong node differs from its children, or its parent from it; the last one of them is named.
        expected = "slot 0" if node == 0 else f"node {node if 1 < node < 64 else max(1, node // 2)} is not the merge"
        with pytest.raises(merklize.FileError, match=expected):
            file.check()


def test_check_finds_words_that_are_no_field_elements(tmp_path):
    path = tmp_path / "tree"
    merklize.MerkleTree(oracle.word_leaves(8), "rp64_256_v3").save(path)
    with open(path, "r+b") as file:
        file.seek(64 + 32 * 9)
        file.write(b"\xff" * 8)
    with merklize.TreeFile(path) as file, pytest.raises(merklize.FileError, match="not a field element"):
        file.check()


def test_check_reports_progress_and_can_be_cancelled(saved):
    calls = []
    with merklize.TreeFile(saved[1]) as file:
        file.check(progress=calls.append, threads=1, device="cpu")
        assert calls == sorted(calls)
        assert calls[-1] == 1
        with pytest.raises(merklize.Cancelled):
            file.check(progress=lambda done: False)


def test_check_of_a_tree_larger_than_its_steps(tmp_path, monkeypatch):
    monkeypatch.setattr("merklize.tree_file._PIECE", 64 * 100)
    path = tmp_path / "tree"
    merklize.MerkleTree(oracle.byte_leaves(2048)).save(path)
    with merklize.TreeFile(path) as file:
        file.check()
        for node in (2, 77, 1023, 1024, 2047):
            content = bytearray(path.read_bytes())
            content[64 + 32 * node] ^= 1
            path.write_bytes(content)
            with pytest.raises(merklize.FileError, match=f"node {node} is not"):
                file.check()
            content[64 + 32 * node] ^= 1
            path.write_bytes(content)


def _header(magic=b"MKZTREE1", hash=0, flags=0, n=64, leaf=0, size=0, rest=bytes(24)):
    return struct.pack("<8sIIQQQ24s", magic, hash, flags, n, leaf, size, rest)


@pytest.mark.parametrize(
    ("header", "message"),
    [
        (b"", "too short for a tree file"),
        (b"MKZTREE1", "too short for a tree file"),
        (_header(magic=b"MKZTREE2"), "does not start with MKZTREE1"),
        (_header(hash=77), "unknown hash id 77"),
        (_header(flags=1), "unknown flags"),
        (_header(rest=bytes(23) + b"x"), "unknown flags"),
        (_header(n=0), "0 leaves, which is not a power of two"),
        (_header(n=1), "1 leaves, which is not a power of two"),
        (_header(n=63), "63 leaves, which is not a power of two"),
        (_header(n=32), "32 leaves takes 2112 bytes, but the file has 4160"),
        (_header(n=128), "128 leaves takes 8256 bytes, but the file has 4160"),
        (_header(n=2**63), f"{2**63} leaves takes"),
        (_header(size=5), "64 leaves of 0 bytes for a file of 5 bytes"),
        (_header(leaf=10, size=630), "64 leaves of 10 bytes for a file of 630 bytes"),
        (_header(leaf=10, size=641), "64 leaves of 10 bytes for a file of 641 bytes"),
    ],
)
def test_malformed_header(saved, header, message):
    path = saved[1]
    content = path.read_bytes()
    path.write_bytes(header + content[64:] if len(header) == 64 else header)
    with pytest.raises(merklize.FileError, match=message) as caught:
        merklize.TreeFile(path)
    assert str(path) in str(caught.value)


def test_cut_short(saved):
    path = saved[1]
    for size in (4159, 4000, 64, 63):
        os.truncate(path, size)
        with pytest.raises(merklize.FileError, match="but the file has|too short"):
            merklize.TreeFile(path)


def test_cut_short_while_open(saved):
    with merklize.TreeFile(saved[1]) as file:
        os.truncate(saved[1], 2000)
        for act in (lambda: file.prove(0), file.check):
            with pytest.raises(merklize.FileError, match="cut short while being read"):
                act()


def test_unreadable(tmp_path):
    with pytest.raises(merklize.FileError, match="cannot open the tree file .*missing: No such file"):
        merklize.TreeFile(tmp_path / "missing")
    with pytest.raises(merklize.FileError, match="Is a directory"):
        merklize.TreeFile(tmp_path)


@pytest.mark.parametrize("index", [64, -1, 2**70])
def test_no_such_leaf(saved, index):
    with merklize.TreeFile(saved[1]) as file:
        with pytest.raises(merklize.InvalidArgument, match=f"index must be .*64.* got {index}"):
            file.prove(index)
        assert file.prove(np.uint8(3)) == saved[0].prove(3)


def test_unwritable(tmp_path):
    tree = merklize.MerkleTree(oracle.byte_leaves(4))
    with pytest.raises(merklize.FileError, match=r"cannot write the tree to .*missing/tree: No such file"):
        tree.save(tmp_path / "missing" / "tree")
    with pytest.raises(merklize.FileError, match="not a regular file"):
        tree.save(tmp_path)
    with pytest.raises(merklize.FileError, match="not a regular file"):
        tree.save("/dev/null")
    assert os.listdir(tmp_path) == []


def test_full_disk(tmp_path):
    """The limit on a file's size stands in for a full disk: writing fails in the middle."""
    path = tmp_path / "tree"
    script = f"""
        import resource
        import numpy as np, merklize
        small = merklize.MerkleTree(np.zeros((2, 32), np.uint8))
        small.save({str(path)!r})
        large = merklize.MerkleTree(np.zeros((1 << 16, 32), np.uint8))
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
        for target in ({str(path)!r}, {str(path) + "2"!r}):
            try:
                large.save(target)
            except merklize.FileError as error:
                print(error)
        print(merklize.TreeFile({str(path)!r}).n_leaves)
    """
    output = subprocess.check_output([sys.executable, "-c", textwrap.dedent(script)], text=True).splitlines()
    assert output == [
        f"cannot write the tree to {path}: File too large",
        f"cannot write the tree to {path}2: File too large",
        "2",
    ]
    assert os.listdir(tmp_path) == ["tree"]


def test_interrupted_write_leaves_nothing(tmp_path, monkeypatch):
    def interrupt(descriptor):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        merklize.MerkleTree(oracle.byte_leaves(4)).save(tmp_path / "tree")
    assert os.listdir(tmp_path) == []

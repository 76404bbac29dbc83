"""Trees as Python objects: loading, comparing, pickling, and the differences of two trees."""

import copy
import os
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import merklize
from oracle import pattern

FORMS = [
    {"hash": "blake3"},
    {"hash": "sha256_rfc6962", "rule": "pad", "padding": bytes(range(32))},
    {"hash": "blake3", "rule": "duplicate_last"},
    {"hash": "rp64_256", "rule": "left_full"},
]


def leaves_of(n, seed=1):
    words = np.random.default_rng(seed).integers(0, 2**63, (n, 4), dtype=np.uint64)
    return words.view(np.uint8).reshape(n, 32).copy()


def tree_of(leaves, **form):
    return merklize.MerkleTree(leaves, **form)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("n", [1, 5, 1000])
def test_load_and_pickle(tmp_path, form, n):
    tree = tree_of(leaves_of(n), **form)
    tree.save(tmp_path / "t.mkl")
    for other in (
        merklize.MerkleTree.load(tmp_path / "t.mkl"),
        pickle.loads(pickle.dumps(tree)),
        copy.deepcopy(tree),
    ):
        assert other == tree
        assert (other.root, other.hash, other.rule) == (tree.root, tree.hash, tree.rule)
        assert np.array_equal(other.nodes, tree.nodes)
        assert other.prove(n - 1) == tree.prove(n - 1)


def test_load_a_keyed_tree(tmp_path):
    key, path = bytes(range(32)), tmp_path / "t.mkl"
    tree = tree_of(leaves_of(9), key=key)
    tree.save(path)
    assert merklize.MerkleTree.load(path, key=key) == tree
    with pytest.raises(merklize.InvalidArgument, match="its key or context must be given"):
        merklize.MerkleTree.load(path)
    with pytest.raises(merklize.InvalidArgument, match="keyed with another key"):
        merklize.MerkleTree.load(path, key=bytes(32))
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(tree)


def test_what_cannot_be_pickled_says_so_and_names_no_file_of_ours():
    for make in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError) as caught:
            make(merklize.MerkleTree(leaves_of(9), drop_levels=2))
        assert str(caught.value) == (
            "a tree with drop_levels=2 cannot be pickled: its leaves are not kept; pickle them, or make the tree "
            "without drop_levels"
        )
    damaged = pickle.dumps(merklize.MerkleTree(leaves_of(9))).replace(b"MKLTREE", b"MKLTREF")
    with pytest.raises(merklize.InvalidArgument, match="^a pickled MerkleTree: not a tree file"):
        pickle.loads(damaged)


def test_append_takes_what_the_class_takes():
    leaves = leaves_of(9)
    digests = [leaf.tobytes() for leaf in leaves]
    tree = merklize.MerkleTree(digests[:4])
    tree.append(digests[4:6])
    tree.append(tuple(digests[6:]))
    assert tree == merklize.MerkleTree(leaves)
    for wrong in ([b"short"], ["text"], [5], b"x" * 32):
        with pytest.raises((TypeError, merklize.InvalidArgument), match="^append: "):
            tree.append(wrong)


def test_load_finds_damage(tmp_path):
    path = tmp_path / "t.mkl"
    tree_of(leaves_of(100)).save(path)
    data = bytearray(path.read_bytes())
    data[200] ^= 1  # a byte of leaf 2, so header and root still fit
    path.write_bytes(data)
    with pytest.raises(merklize.FileError, match="its leaves do not give the root"):
        merklize.MerkleTree.load(path)
    with pytest.raises(merklize.FileError, match="No such file"):
        merklize.MerkleTree.load(tmp_path / "none")


def test_equality_and_length():
    tree = tree_of(leaves_of(100))
    assert len(tree) == 100
    assert tree
    assert tree == tree_of(leaves_of(100))
    assert tree != tree_of(leaves_of(101))
    assert tree != tree_of(leaves_of(100, seed=2))
    assert tree_of(leaves_of(4)) != tree_of(leaves_of(4), rule="pad")
    assert tree != "tree"
    with pytest.raises(TypeError, match="unhashable"):
        hash(tree)
    tree.update({3: bytes(32)})
    assert tree != tree_of(leaves_of(100))


@settings(max_examples=150)
@given(
    form=st.sampled_from(FORMS),
    one=st.integers(1, 300),
    more=st.integers(0, 40),
    changed=st.sets(st.integers(0, 299), max_size=6),
    swap=st.booleans(),
)
def test_diff(tmp_path_factory, form, one, more, changed, swap):
    folder = tmp_path_factory.getbasetemp()
    leaves = leaves_of(one + more)
    other = leaves[:one].copy()
    indices = sorted(index for index in changed if index < one)
    other[indices, 5] ^= 1
    expected = [*indices, *range(one, one + more)]
    trees = [tree_of(leaves, **form), tree_of(other, **form)]
    files = []
    for number, tree in enumerate(trees):
        tree.save(folder / f"{number}.mkl")
        files.append(merklize.TreeFile(folder / f"{number}.mkl"))
    for first in (trees[0], files[0]):
        for second in (trees[1], files[1]):
            found = second.diff(first) if swap else first.diff(second)
            assert found.dtype == np.uint64
            assert found.tolist() == expected
    assert len(files[0]) == one + more


def test_diff_of_few_leaves_reads_little(tmp_path, monkeypatch):
    leaves = leaves_of(1 << 16)
    tree = tree_of(leaves)
    tree.save(tmp_path / "t.mkl")
    tree.update({7: bytes(32), 65_000: bytes(32)})
    read = []
    file = merklize.TreeFile(tmp_path / "t.mkl")
    before = merklize.TreeFile.read
    monkeypatch.setattr(merklize.TreeFile, "read", lambda *args: read.append(args[-1]) or before(*args))
    assert tree.diff(file).tolist() == [7, 65_000]
    assert sum(read) < 100


def test_diff_refuses():
    tree = tree_of(leaves_of(8))
    with pytest.raises(merklize.InvalidArgument, match="hash and rule must be the same, got blake3, left_full and"):
        tree.diff(tree_of(leaves_of(8), hash="sha256_rfc6962"))
    with pytest.raises(merklize.InvalidArgument, match="lowest 1 levels were dropped"):
        tree.diff(tree_of(leaves_of(8)[::-1], drop_levels=1))


def refused(error, call):
    try:
        call()
    except error:
        return
    raise AssertionError("not refused")


@pytest.mark.parametrize(
    "call",
    [
        lambda folder: merklize.hash(pattern(3000)),
        lambda folder: merklize.Hasher(b"x").update(b"y").copy().digest(),
        lambda folder: merklize.hash_file(folder / "data"),
        lambda folder: merklize.merkle_root(LEAVES),
        lambda folder: merklize.MerkleTree(LEAVES).prove(3).verify(ROOT),
        lambda folder: merklize.TreeFile(folder / "t.mkl").prove(3),
        lambda folder: refused(merklize.FileError, lambda: merklize.hash_file(folder / "none")),
        lambda folder: refused(merklize.InvalidArgument, lambda: merklize.hash(b"", key=b"")),
    ],
)
def test_no_leak(tmp_path, call, request):
    """10^4 calls, or 10^5 with --run-slow. Memory may grow by the allocator's reserve, but not with each call."""
    (tmp_path / "data").write_bytes(pattern(5000))
    merklize.MerkleTree(LEAVES).save(tmp_path / "t.mkl")
    count = 100_000 if request.config.getoption("--run-slow") else 10_000

    def resident():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    for _ in range(count // 10):
        call(tmp_path)
    before = resident()
    for _ in range(count):
        call(tmp_path)
    assert resident() - before < 4 << 20


LEAVES = leaves_of(64)
ROOT = merklize.merkle_root(LEAVES)

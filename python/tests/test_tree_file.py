"""Tree files: a written tree can be read; a malformed file is an error; a failed or killed write loses nothing."""

import os
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

import merklize
import oracle
from oracle import RULES

HASHES = oracle.HASHES
HEADER = 128


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "tree.mkl"
    tree = merklize.MerkleTree(oracle.byte_leaves(50))
    tree.save(path)
    return tree, path


@pytest.mark.parametrize("hash", HASHES)
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("n", [1, 2, 3, 5, 8, 1000])
def test_round_trip(tmp_path, hash, rule, n):
    tree = merklize.MerkleTree(oracle.leaves(n, hash), hash, rule=rule)
    tree.save(tmp_path / "tree")
    assert (tmp_path / "tree").stat().st_size == HEADER + 32 * sum(len(level) for level in tree.levels())
    with merklize.TreeFile(tmp_path / "tree") as file:
        assert (file.root, file.n_leaves, file.hash, file.rule, file.height) == (tree.root, n, hash, rule, tree.height)
        assert (file.leaf_size, file.file_size, file.is_keyed) == (0, 0, False)
        for level in range(tree.height + 1):
            assert file.level(level).dtype == tree.level(level).dtype
            assert np.array_equal(file.level(level), tree.level(level))
        for i in {0, 1 % n, n // 3, n - 1}:
            assert file.prove(i) == tree.prove(i)
        some = sorted({0, n // 2, n - 1})
        assert file.prove_together(some) == tree.prove_together(some)
        assert file.prove_range(0, n) == tree.prove_range(0, n)
        if rule == "left_full":
            assert file.prove_consistency(max(1, n // 2)) == tree.prove_consistency(max(1, n // 2))
        assert file.check() == []
        assert repr(file).endswith(f"{n} leaves, {hash}, root {tree.root.hex()}>")


def test_keyed(tmp_path):
    key = bytes(range(32))
    tree = merklize.MerkleTree(oracle.byte_leaves(9), key=key)
    tree.save(tmp_path / "tree")
    assert key not in (tmp_path / "tree").read_bytes()
    with merklize.TreeFile(tmp_path / "tree", key=key) as file:
        assert file.is_keyed
        assert file.check() == []
        assert file.prove(3).verify(tree.root, key=key)
    with pytest.raises(merklize.InvalidArgument, match="another key"):
        merklize.TreeFile(tmp_path / "tree", key=bytes(32))
    with merklize.TreeFile(tmp_path / "tree") as file, pytest.raises(merklize.InvalidArgument, match="key"):
        file.check()


def test_source(tmp_path):
    (tmp_path / "data").write_bytes(oracle.pattern(1000))
    tree = merklize.MerkleTree.from_file(tmp_path / "data", leaf_size=64)
    tree.save(str(tmp_path / "tree"))
    merklize.build_tree_file(tmp_path / "data", tmp_path / "again", leaf_size=64)
    for name in ("tree", "again"):
        with merklize.TreeFile(os.fsencode(tmp_path / name)) as file:
            assert (file.leaf_size, file.file_size, file.root) == (64, 1000, tree.root)
    assert (tmp_path / "tree").read_bytes() == (tmp_path / "again").read_bytes()


@pytest.mark.parametrize("hash", HASHES)
@pytest.mark.parametrize("kind", ["pieces", "rows", "leaves"])
def test_one_way_from_an_input_to_a_tree(tmp_path, hash, kind):
    """A tree in memory, a tree in a file, and the root; from a path, a descriptor not at its beginning, and a pipe."""
    leaves = oracle.leaves(40, hash)
    data = leaves.tobytes()
    path, out = tmp_path / "data", tmp_path / "tree"
    path.write_bytes(data)
    sizes = {"pieces": {"leaf_size": 64}, "rows": {"row_size": 160}, "leaves": {"leaves": True}}[kind]
    if kind != "leaves":
        size = next(iter(sizes.values()))
        rows = leaves.reshape(len(data) // size, -1)
        leaves = merklize.hash_leaves(rows, hash)
    root = merklize.merkle_root(leaves, hash, rule="left_full")

    def check(facts):
        assert (facts.root, facts.n_leaves, facts.file_size) == (root, len(leaves), len(data))
        assert (facts.hash, facts.rule, facts.height) == (hash, "left_full", (len(leaves) - 1).bit_length())
        assert root.hex() in repr(facts)

    tree = merklize.MerkleTree.from_file(path, hash=hash, rule="left_full", **sizes)
    source = (0, 0) if kind == "leaves" else (size, len(data))
    assert (tree.root, tree.leaf_size, tree.file_size) == (root, *source)
    check(merklize.build_tree_file(path, out, hash, rule="left_full", **sizes))
    check(merklize.merkle_root_file(path, hash, rule="left_full", **sizes))
    tree.save(tmp_path / "saved")
    assert out.read_bytes() == (tmp_path / "saved").read_bytes()
    path.write_bytes(b"x" * 9 + data)
    with open(path, "rb") as file:
        file.seek(9)
        descriptor = os.dup(file.fileno())
    try:
        assert merklize.MerkleTree.from_file(descriptor, hash=hash, rule="left_full", **sizes).root == root
        check(merklize.build_tree_file(descriptor, out, hash, rule="left_full", **sizes))
    finally:
        os.close(descriptor)
    read, write = os.pipe()
    os.write(write, data)
    os.close(write)
    try:
        check(merklize.build_tree_file(read, out, hash, rule="left_full", **sizes))
    finally:
        os.close(read)


def test_what_a_leaf_is_must_be_said(saved, tmp_path):
    """Text whose length is a multiple of 32 bytes would be taken as leaves."""
    path, tree = tmp_path / "data", tmp_path / "made.mkl"
    path.write_bytes(b"thirty-two bytes of plain text!\n" * 4)
    calls = {
        "MerkleTree.from_file": lambda **how: merklize.MerkleTree.from_file(path, **how),
        "build_tree_file": lambda **how: merklize.build_tree_file(path, tree, **how),
        "merkle_root_file": lambda **how: merklize.merkle_root_file(path, **how),
        "append_file": lambda **how: merklize.TreeFile(saved[1]).append_file(path, **how),
    }
    for name, call in calls.items():
        for how, got in (
            ({}, "none"),
            ({"leaf_size": 4, "leaves": True}, "leaf_size and leaves"),
            ({"row_size": 4, "leaves": True}, "row_size and leaves"),
            ({"leaf_size": 1, "row_size": 1}, "leaf_size and row_size"),
        ):
            with pytest.raises(merklize.InvalidArgument, match=f"^{name}: give one of .*, got {got}$"):
                call(**how)
        with pytest.raises(TypeError, match="leaves must be True or False, got ndarray"):
            call(leaves=np.zeros((4, 32), np.uint8))
    leaves = np.frombuffer(path.read_bytes(), np.uint8).reshape(-1, 32)
    assert merklize.merkle_root_file(path, leaves=True).root == merklize.merkle_root(leaves)
    with pytest.raises(merklize.InvalidArgument, match="got none"):
        merklize.merkle_root_file(path, format="rfc6962")


def test_inputs_that_are_none(tmp_path):
    (tmp_path / "data").write_bytes(bytes(100))
    with pytest.raises(TypeError, match="bool"):
        merklize.merkle_root_file(True, leaves=True)
    with pytest.raises(merklize.InvalidArgument, match="100 bytes are not a whole count of leaves of 32 bytes"):
        merklize.MerkleTree.from_file(tmp_path / "data", leaves=True)
    with pytest.raises(merklize.InvalidArgument, match="got -1"):
        merklize.merkle_root_file(-1, leaves=True)
    with pytest.raises(merklize.FileError, match="descriptor 987"):
        merklize.merkle_root_file(987, leaves=True)
    os.truncate(tmp_path / "data", 1 << 42)
    with pytest.raises(merklize.OutOfMemory, match="a tree of 4398046511104 leaves takes 281474976710656 bytes"):
        merklize.MerkleTree.from_file(tmp_path / "data", 1)


def test_a_tree_that_grew_is_of_no_file(tmp_path):
    (tmp_path / "data").write_bytes(bytes(100))
    tree = merklize.MerkleTree.from_file(tmp_path / "data", 30)
    tree.update({0: bytes(32)})
    assert (tree.leaf_size, tree.file_size) == (30, 100)
    tree.append(oracle.byte_leaves(3))
    assert (tree.leaf_size, tree.file_size) == (0, 0)
    tree.save(tmp_path / "tree")
    with merklize.TreeFile(tmp_path / "tree") as file:
        assert (file.n_leaves, file.leaf_size) == (7, 0)


def test_saving_replaces(saved, tmp_path):
    _, path = saved
    other = merklize.MerkleTree(oracle.byte_leaves(4))
    with merklize.TreeFile(path) as old:
        other.save(path)
        assert old.check() == []  # a reader that has the old file open keeps it
    with merklize.TreeFile(path) as file:
        assert file.root == other.root
    assert os.listdir(tmp_path) == ["tree.mkl"]


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


def test_levels_are_read_only_and_outlive_the_file(saved):
    _, path = saved
    with merklize.TreeFile(path) as file:
        leaves = file.level(0)
    assert not leaves.flags.writeable
    assert np.array_equal(leaves, oracle.byte_leaves(50))
    with pytest.raises(merklize.FileError, match="closed"):
        file.prove(0)


@pytest.mark.parametrize("hash", HASHES)
def test_check_finds_every_wrong_node(tmp_path, hash):
    path = tmp_path / "tree"
    tree = merklize.MerkleTree(oracle.leaves(21, hash), hash, rule="left_full")
    tree.save(path)
    good = path.read_bytes()
    place = HEADER
    for level in range(tree.height + 1):
        count = len(tree.level(level))
        for index in range(count):
            content = bytearray(good)
            content[place + 32 * index] ^= 4
            path.write_bytes(content)
            if level == tree.height:
                with pytest.raises(merklize.FileError, match="root"):
                    merklize.TreeFile(path)
                continue
            with merklize.TreeFile(path) as file:
                # A wrong node differs from the merge of its children, and its parent differs from its merge.
                expected = {(level, index)} if level else set()
                expected.add((level + 1, index // 2))
                assert set(file.check()) == expected
        place += 32 * count


def test_check_can_be_cancelled_and_limited(saved):
    path = saved[1]
    content = bytearray(path.read_bytes())
    content[HEADER : HEADER + 1600] = bytes(1600)
    path.write_bytes(content)
    with merklize.TreeFile(path) as file:
        assert len(file.check()) == 25
        assert file.check(most=3) == [(1, 0), (1, 1), (1, 2)]


def test_update(saved):
    _, path = saved
    leaves = oracle.byte_leaves(50).copy()
    leaves[[0, 7, 49]] = oracle.byte_leaves(60)[[50, 51, 52]]
    with merklize.TreeFile(path) as file:
        file.update({i: leaves[i] for i in (49, 0, 7)})
        assert file.root == merklize.merkle_root(leaves)
        assert file.check() == []
        with pytest.raises(merklize.InvalidArgument, match="50"):
            file.update({50: bytes(32)})
    with merklize.TreeFile(path) as file:
        assert np.array_equal(file.level(0), leaves)


def test_append(saved):
    _, path = saved
    leaves = oracle.byte_leaves(200)
    with merklize.TreeFile(path) as file:
        file.append(leaves[50:])
        assert (file.root, file.n_leaves) == (merklize.merkle_root(leaves), 200)
        assert file.check() == []
    padded = merklize.MerkleTree(leaves, rule="pad")
    padded.save(path)
    with merklize.TreeFile(path) as file, pytest.raises(merklize.InvalidArgument, match="left_full"):
        file.append(leaves)


def test_changes_by_many_processes_are_all_kept(saved):
    _, path = saved
    script = textwrap.dedent(
        """
        import sys, merklize
        with merklize.TreeFile(sys.argv[1]) as file:
            print("open", flush=True)
            sys.stdin.readline()
            for i in range(int(sys.argv[2]), 50, 5):
                file.update({i: bytes([i]) * 32}, threads=1)
            file.append(__import__("numpy").full((1, 32), int(sys.argv[2]), "u1"), threads=1)
        """
    )
    children = [
        subprocess.Popen(
            [sys.executable, "-c", script, str(path), str(i)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for i in range(5)
    ]
    for child in children:
        assert child.stdout.readline() == "open\n"
    for child in children:
        child.stdin.write("go\n")
        child.stdin.flush()
    for child in children:
        child.communicate()
        assert child.returncode == 0
    with merklize.TreeFile(path) as file:
        assert file.check() == []
        assert file.read(0, 0, 50) == b"".join(bytes([i]) * 32 for i in range(50))
        assert sorted(file.read(0, 50, 5)[::32]) == [0, 1, 2, 3, 4]


def test_append_file(saved, tmp_path):
    _, path = saved
    (tmp_path / "more").write_bytes(bytes(95))
    with merklize.TreeFile(path) as file:
        assert file.append_file(tmp_path / "more", 30) == 4
        assert file.n_leaves == 54
        assert file.check() == []
        assert file.read(0, 53, 1) == merklize.hash(bytes(5))


def test_append_keeps_the_leaf_size(tmp_path):
    data = bytes(range(256)) * 10
    (tmp_path / "data").write_bytes(data)
    merklize.build_tree_file(tmp_path / "data", tmp_path / "t", leaf_size=512)
    with merklize.TreeFile(tmp_path / "t") as file:
        for n_leaves, size in [(10, 5120), (15, 7680)]:
            file.append_file(tmp_path / "data", 512)
            assert (file.n_leaves, file.leaf_size, file.file_size) == (n_leaves, 512, size)
        (tmp_path / "more").write_bytes(bytes(700))
        # After a shorter piece, the leaves are not the pieces of one file.
        for n_leaves, size in [(17, 8380), (19, 0), (21, 0)]:
            file.append_file(tmp_path / "more", 512)
            assert (file.n_leaves, file.leaf_size, file.file_size) == (n_leaves, 512, size)
        file.append(oracle.byte_leaves(2))
        assert (file.n_leaves, file.leaf_size, file.file_size) == (23, 0, 0)
        assert file.check() == []


def test_views_are_of_the_file_that_is_open(saved):
    _, path = saved
    with merklize.TreeFile(path) as old:
        with merklize.TreeFile(path) as file:
            file.append(oracle.byte_leaves(3))
        assert np.array_equal(old.level(0), oracle.byte_leaves(50))
        assert np.array_equal(old.level(6)[0], np.frombuffer(old.root, np.uint8))


@pytest.mark.parametrize("count", [9, 2**27, 2**63, 2**64 - 1])
def test_nodes_that_are_not_there_are_refused_at_once(tmp_path, count):
    merklize.MerkleTree(oracle.byte_leaves(8)).save(tmp_path / "tree")
    start = time.process_time()
    with merklize.TreeFile(tmp_path / "tree") as file:
        with pytest.raises(merklize.InvalidArgument, match="within the 8 nodes of level 0"):
            file.read(0, 0, count)
        with pytest.raises(merklize.InvalidArgument, match="within 8 leaves"):
            file.prove_range(0, count)
    assert time.process_time() - start < 10  # a call with these arguments would take hours, or all memory


@pytest.mark.parametrize("known", [True, False])
def test_writer(tmp_path, known):
    leaves = oracle.byte_leaves(3000)
    with merklize.TreeWriter(tmp_path / "tree", 3000 if known else None) as writer:
        for first in range(0, 3000, 700):
            assert writer.written == first or not known
            writer.append(leaves[first : first + 700])
        assert not (tmp_path / "tree").exists()
        assert writer.finish() == merklize.merkle_root(leaves)
    assert os.listdir(tmp_path) == ["tree"]
    merklize.MerkleTree(leaves).save(tmp_path / "whole")
    assert (tmp_path / "tree").read_bytes() == (tmp_path / "whole").read_bytes()


def test_writer_with_too_few_or_too_many(tmp_path):
    leaves = oracle.byte_leaves(10)
    with merklize.TreeWriter(tmp_path / "tree", 9) as writer:
        with pytest.raises(merklize.InvalidArgument, match=r"9|10"):
            writer.append(leaves)
        writer.append(leaves[:8])
        with pytest.raises(merklize.InvalidArgument, match=r"8.*9|9.*8"):
            writer.finish()
        writer.append(leaves[8:9])
        assert writer.finish() == merklize.merkle_root(leaves[:9])


def test_what_raises_leaves_the_file_as_it_is(tmp_path):
    """A cancelled change, and one in which a signal comes: it is not made, so that it can be tried again."""
    path, leaves = tmp_path / "tree", oracle.byte_leaves(100)
    merklize.MerkleTree(leaves).save(path)
    before = path.read_bytes()
    (tmp_path / "data").write_bytes(before)

    def interrupt(done):
        signal.raise_signal(signal.SIGINT)

    def fail(done):
        raise ZeroDivisionError

    changes = {
        "append": lambda file, how: file.append(leaves, progress=how),
        "append_file": lambda file, how: file.append_file(tmp_path / "data", 30, progress=how),
        "update": lambda file, how: file.update({3: leaves[4]}, progress=how),
    }
    for change in changes.values():
        for how, raised in (
            (lambda done: False, merklize.Cancelled),
            (interrupt, KeyboardInterrupt),
            (fail, ZeroDivisionError),
        ):
            with merklize.TreeFile(path) as file:
                with pytest.raises(raised):
                    change(file, how)
                assert (file.n_leaves, path.read_bytes()) == (100, before)
        seen = []
        with merklize.TreeFile(path) as file:
            change(file, seen.append)
        assert seen
        assert path.read_bytes() != before
        path.write_bytes(before)
    with merklize.TreeWriter(tmp_path / "new", 100, progress=lambda done: False) as writer:
        writer.append(leaves)
        with pytest.raises(merklize.Cancelled):
            writer.finish()
    assert not (tmp_path / "new").exists()


def test_a_writer_resumes_only_if_asked(tmp_path):
    leaves = oracle.byte_leaves(9)
    for resume, left in ((False, 0), (True, 4)):
        with merklize.TreeWriter(tmp_path / "tree", 9) as writer:
            writer.append(leaves[:4])
        with merklize.TreeWriter(tmp_path / "tree", 9, resume=resume) as writer:
            assert writer.written == left
            writer.append(leaves[left:])
            assert writer.finish() == merklize.merkle_root(leaves)


def test_a_build_begins_anew_if_its_input_was_written_to(tmp_path):
    """The same if the time of the last change was set back."""
    data, target = tmp_path / "data", tmp_path / "tree"
    data.write_bytes(bytes(1 << 27))
    before = data.stat()
    with pytest.raises(merklize.Cancelled):
        merklize.build_tree_file(data, target, leaf_size=16, threads=1, progress=lambda done: False)
    assert (tmp_path / "tree.partial").exists()
    with open(data, "r+b") as file:
        file.write(b"changed")
    os.utime(data, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert data.stat().st_mtime_ns == before.st_mtime_ns
    merklize.build_tree_file(data, target, leaf_size=16)
    merklize.build_tree_file(data, tmp_path / "anew", leaf_size=16, resume=False)
    assert target.read_bytes() == (tmp_path / "anew").read_bytes()


def test_a_killed_build_goes_on(tmp_path):
    """A build in another process is killed repeatedly. The final file is that of an uninterrupted build."""
    data, target = tmp_path / "data", tmp_path / "tree"
    rng = np.random.default_rng(8)
    data.write_bytes(rng.integers(0, 256, 1 << 26, np.uint8).tobytes())
    whole = merklize.build_tree_file(data, tmp_path / "whole", leaf_size=64).root
    target.write_bytes(b"the old one")
    # The system kills it after some processor time, so other work does not matter. The whole build takes about 100 ms.
    script = textwrap.dedent(
        f"""
        import merklize, signal, sys
        signal.setitimer(signal.ITIMER_PROF, float(sys.argv[1]))
        print(merklize.build_tree_file({str(data)!r}, {str(target)!r}, leaf_size=64, threads=1).root.hex())
        """
    )
    for milliseconds in (1, 5, 5, 9, 9):
        child = subprocess.run([sys.executable, "-c", script, str(milliseconds / 1000)], stdout=subprocess.PIPE)
        assert (child.returncode, child.stdout) == (-signal.SIGPROF, b"")
        assert target.read_bytes() == b"the old one"
    assert (tmp_path / "tree.partial").exists()
    assert subprocess.check_output([sys.executable, "-c", script, "0"], text=True).strip() == whole.hex()
    assert target.read_bytes() == (tmp_path / "whole").read_bytes()
    assert sorted(os.listdir(tmp_path)) == ["data", "tree", "whole"]


@pytest.mark.parametrize("size", [0, 1, 8, HEADER - 1, HEADER, HEADER + 31, HEADER + 32])
def test_cut_short(saved, size):
    path = saved[1]
    os.truncate(path, size)
    with pytest.raises(merklize.FileError) as caught:
        merklize.TreeFile(path)
    assert str(path) in str(caught.value)


def test_any_flipped_bit_of_the_header_is_noticed(saved):
    path = saved[1]
    good = path.read_bytes()
    for bit in range(8 * HEADER):
        content = bytearray(good)
        content[bit // 8] ^= 1 << (bit % 8)
        path.write_bytes(content)
        with pytest.raises(merklize.FileError):
            merklize.TreeFile(path)


def test_too_long(saved):
    path = saved[1]
    with open(path, "ab") as file:
        file.write(b"x")
    with pytest.raises(merklize.FileError, match="bytes"):
        merklize.TreeFile(path)


def test_cut_short_while_open(saved):
    with merklize.TreeFile(saved[1]) as file:
        os.truncate(saved[1], 200)
        for act in (lambda: file.prove(40), file.check, lambda: file.read(0, 40, 3)):
            with pytest.raises(merklize.FileError):
                act()


def test_unreadable(tmp_path):
    with pytest.raises(merklize.FileError, match="missing.*No such file"):
        merklize.TreeFile(tmp_path / "missing")
    with pytest.raises(merklize.FileError, match="not a regular file|Is a directory"):
        merklize.TreeFile(tmp_path)


@pytest.mark.parametrize("index", [50, -1, 2**64])
def test_no_such_leaf(saved, index):
    with merklize.TreeFile(saved[1]) as file:
        with pytest.raises(merklize.InvalidArgument, match=rf"index .*, got {index}$"):
            file.prove(index)
        assert file.prove(np.uint8(3)) == saved[0].prove(3)


def test_unwritable(tmp_path):
    tree = merklize.MerkleTree(oracle.byte_leaves(4))
    with pytest.raises(merklize.FileError, match=r"missing/tree.*No such file"):
        tree.save(tmp_path / "missing" / "tree")
    with pytest.raises(merklize.FileError, match="not a regular file"):
        tree.save(tmp_path)
    with pytest.raises(merklize.FileError, match="not a regular file"):
        tree.save("/dev/null")
    with pytest.raises(merklize.InvalidArgument, match="dropped"):
        merklize.MerkleTree(oracle.byte_leaves(4), drop_levels=1).save(tmp_path / "tree")
    assert os.listdir(tmp_path) == []


def test_full_disk(tmp_path):
    """A limit on the size of files stands for a full disk: a write fails in the middle."""
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
    assert len(output) == 3
    assert all("File too large" in line and str(path) in line for line in output[:2])
    assert output[2] == "2"
    assert os.listdir(tmp_path) == ["tree"]


def test_wrong_arguments_are_named(tmp_path):
    path = tmp_path / "tree.mkl"
    merklize.MerkleTree(oracle.byte_leaves(8)).save(path)
    file = merklize.TreeFile(path)
    for call, error, message in (
        (lambda: file.update([1]), TypeError, r"changes must be a mapping \{index: leaf\}, got list"),
        (lambda: file.update({1: "leaf"}), TypeError, "update: leaf 1 must be bytes-like, .* got str"),
        (
            lambda: file.update({1: bytes(31)}),
            merklize.InvalidArgument,
            "update: leaf 1 must be 32 bytes, got 31 bytes",
        ),
        (lambda: file.level(-1), merklize.InvalidArgument, "level must be 0 to .*, got -1"),
        (lambda: file.level("1"), TypeError, "level must be an integer, got str"),
        (lambda: file.prove_together(5), TypeError, "indices must be integers, got int"),
        (lambda: file.read("0", 0, 1), TypeError, "read: level must be an integer, got str"),
    ):
        with pytest.raises(error, match=message):
            call()


@pytest.mark.parametrize(
    "call",
    [
        lambda _: merklize.hash_file(""),
        lambda _: merklize.hash_file("", hash="sha256"),
        lambda some: merklize.hash_files([some, ""]),
        lambda _: merklize.TreeFile(""),
        lambda _: merklize.TreeWriter("", 4),
        lambda _: merklize.MerkleTree.from_file("", 32),
        lambda some: merklize.MerkleTree.from_file(some, 32).save(""),
        lambda _: merklize.merkle_root_file("", leaf_size=32),
        lambda some: merklize.build_tree_file(some, "", leaf_size=32),
        lambda some: merklize.bao.outboard_file(some, ""),
        lambda some: merklize.bao.outboard_file("", some),
        lambda some: merklize.bao.encode_file(some, ""),
        lambda _: merklize.manifest(""),
        lambda _: merklize.formats.fs_verity(""),
        lambda _: merklize.formats.piece_cid(""),
        lambda _: merklize.formats.dm_verity(""),
        lambda some: merklize.formats.dm_verity_format(some, ""),
        lambda _: merklize.formats.dm_verity_dump(""),
    ],
)
def test_an_empty_path_is_refused_at_once(call, tmp_path, monkeypatch):
    (tmp_path / "some").write_bytes(bytes(4096))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(merklize.InvalidArgument, match="must not be empty: it names no file"):
        call("some")
    assert [path.name for path in tmp_path.iterdir()] == ["some"]

"""Trees: known roots, every node, the influence of every leaf, the forms of leaves and nodes, files, wrong input."""

import collections
import gc
import os
import sys

import blake3
import numpy as np
import pytest

import merklize
import oracle
from oracle import KNOWN_ROOTS, P
from waiting import HANG

HASHES = oracle.HASHES


def on_host(nodes):
    return nodes.numpy() if isinstance(nodes, merklize.DeviceArray) else nodes


@pytest.mark.parametrize("n", KNOWN_ROOTS)
@pytest.mark.parametrize("threads", [1, 2, None])
def test_known_roots(n, threads, device):
    leaves = oracle.byte_leaves(n)
    assert merklize.MerkleTree(leaves, threads=threads, device=device).root.hex() == KNOWN_ROOTS[n]
    assert merklize.merkle_root(leaves, threads=threads, device=device).hex() == KNOWN_ROOTS[n]


@pytest.mark.parametrize("hash", HASHES)
@pytest.mark.parametrize("n", [2, 4, 8, 16, 32, 64, 128])
def test_every_node_against_the_witness(hash, n, device):
    leaves = oracle.leaves(n, hash)
    tree = merklize.MerkleTree(leaves, hash, device=device)
    nodes = on_host(tree.nodes)
    assert [node.tobytes() for node in nodes] == oracle.nodes(leaves, hash)
    assert tree.root == nodes[1].tobytes() == merklize.merkle_root(leaves, hash, device=device)


@pytest.mark.parametrize("hash", HASHES)
@pytest.mark.parametrize("levels", range(8, 15))
def test_every_node_against_single_merges(hash, levels, device):
    """Larger trees, whose levels take more than one launch, or several threads."""
    n = 1 << (levels if hash == "blake3" else min(levels, 12))
    leaves = oracle.leaves(n, hash)
    tree = merklize.MerkleTree(leaves, hash, device=device)
    merge = (lambda a, b, hash: blake3.blake3(a + b).digest()) if hash == "blake3" else merklize.merge
    assert [node.tobytes() for node in on_host(tree.nodes)] == oracle.nodes(leaves, hash, merge)


@pytest.mark.parametrize("hash", HASHES)
@pytest.mark.parametrize("levels_per_launch", [1, 2, 3, 5, 8, 12, 16])
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_policies_change_no_byte(hash, levels_per_launch, threads):
    leaves = oracle.leaves(1 << 10, hash)
    with merklize.tuning.options(policy={"levels_per_launch": levels_per_launch}):
        tree = merklize.MerkleTree(leaves, hash, threads=threads)
    assert tree.policy == {"levels_per_launch": levels_per_launch}
    assert np.array_equal(tree.nodes, merklize.MerkleTree(leaves, hash).nodes)


DEVICE_POLICIES = [
    {"group_size": 32},
    {"group_size": 128, "levels_per_launch": 1},
    {"levels_per_launch": 1, "lanes": 4},
    {"levels_per_launch": 3, "constants": "literal"},
    {"levels_per_launch": 5, "constants": "constant", "group_size": 16},
    {"constants": "global"},
    {"constants": "local", "levels_per_launch": 2},
    {"constants": "tuned"},
]


@pytest.mark.parametrize("hash", HASHES)
@pytest.mark.parametrize("policy", DEVICE_POLICIES, ids=str)
def test_policies_of_devices_change_no_byte(hash, policy, device):
    leaves = oracle.leaves(1 << 9, hash)
    with merklize.tuning.options(policy=policy):
        tree = merklize.MerkleTree(leaves, hash, device=device)
    assert tree.root == merklize.MerkleTree(leaves, hash).root
    if device == "cpu":
        assert set(tree.policy) == {"levels_per_launch"}
        return
    assert set(tree.policy) == {"levels_per_launch", "group_size", "lanes", "constants"}
    for name, value in policy.items():
        assert tree.policy[name] == value or value == "tuned"
    with merklize.tuning.options(policy=tree.policy):
        again = merklize.MerkleTree(leaves, hash, device=device)
    assert (again.root, again.policy) == (tree.root, tree.policy)


@pytest.mark.parametrize("hash", HASHES)
@pytest.mark.parametrize("n", [2, 16, 64])
def test_every_leaf_changes_the_root(hash, n):
    leaves = oracle.leaves(n, hash).copy()
    roots = {merklize.MerkleTree(leaves, hash).root}
    for k in range(n):
        leaves[k, k % leaves.shape[1]] ^= 1
        roots.add(merklize.MerkleTree(leaves, hash).root)
        leaves[k, k % leaves.shape[1]] ^= 1
    assert len(roots) == n + 1


@pytest.mark.parametrize("hash", HASHES)
def test_forms_of_leaves(hash):
    words = oracle.leaves(64, hash)
    nodes = merklize.MerkleTree(words, hash).nodes
    for form in (words.view(np.uint8), np.asfortranarray(words), np.repeat(words, 2, 0)[::2], words[::-1][::-1]):
        assert np.array_equal(merklize.MerkleTree(form, hash).nodes, nodes)
    shifted = np.zeros(64 * 32 + 1, np.uint8)[1:].reshape(64, 32)
    shifted[:] = words.view(np.uint8)
    assert np.array_equal(merklize.MerkleTree(shifted, hash).nodes, nodes)


def test_leaves_are_copied():
    leaves = oracle.byte_leaves(4).copy()
    tree = merklize.MerkleTree(leaves)
    leaves[:] = 0
    assert np.array_equal(tree.nodes[4:], oracle.byte_leaves(4))


@pytest.mark.parametrize("hash", HASHES)
def test_nodes(hash):
    tree = merklize.MerkleTree(oracle.leaves(16, hash), hash)
    nodes = tree.nodes
    dtype, words, _ = oracle.WORDS.get(hash, (np.uint8, 32, 0))
    assert (nodes.shape, nodes.dtype) == ((32, words), dtype)
    assert not nodes[0].any()
    assert np.shares_memory(nodes, tree.nodes)
    assert not nodes.flags.writeable
    with pytest.raises(ValueError, match="read-only|WRITEABLE"):
        nodes[1] = 0
    with pytest.raises(ValueError, match="WRITEABLE"):
        nodes.flags.writeable = True
    # The view keeps the tree alive.
    row, expected = nodes[3], nodes[3].copy()
    del tree, nodes
    gc.collect()
    other = [merklize.MerkleTree(oracle.leaves(16, hash), hash) for _ in range(20)]
    assert np.array_equal(row, expected)
    assert len(other) == 20


@pytest.mark.parametrize("hash", HASHES)
def test_cap(hash):
    tree = merklize.MerkleTree(oracle.leaves(16, hash), hash)
    for height in range(5):
        assert np.array_equal(tree.cap(height), tree.nodes[1 << height : 2 << height])
    assert tree.cap(0).tobytes() == tree.root
    assert np.array_equal(tree.cap(np.int64(4)), tree.nodes[16:])
    for height in (-1, 5, 64):
        with pytest.raises(
            merklize.InvalidArgument, match=f"height must be 0 to 4 in a tree of 16 leaves, got {height}"
        ):
            tree.cap(height)


@pytest.mark.parametrize("hash", HASHES)
def test_many_proofs_at_once(hash, device):
    tree = merklize.MerkleTree(oracle.leaves(64, hash), hash, device=device)
    singles = [tree.prove(index) for index in range(64)]
    assert all(proof.verify(tree.root) for proof in singles)
    for indices in (range(64), list(range(64)), np.arange(64), np.arange(64, dtype=np.uint8), iter(range(64))):
        assert tree.prove(indices) == singles
    assert tree.prove([63, 0, 63]) == [singles[63], singles[0], singles[63]]
    assert tree.prove([]) == []
    assert tree.prove(np.int64(5)) == tree.prove(np.array(5)) == singles[5]
    for wrong in ([0, 64], np.array([3, 64])):
        with pytest.raises(merklize.InvalidArgument, match="leaf index must be below 64, got 64"):
            tree.prove(wrong)
    for wrong, name in (
        (1.5, "float"),
        ("a", "str"),
        (None, "NoneType"),
        ([1, None], "NoneType"),
        (np.ones(2), "float"),
    ):
        with pytest.raises(TypeError, match=f"prove: index must be an integer, got {name}"):
            tree.prove(wrong)
    with pytest.raises(merklize.InvalidArgument, match="got -1"):
        tree.prove([0, -1])


def test_what_a_tree_says_of_itself():
    tree = merklize.MerkleTree(oracle.word_leaves(8), "rp64_256", device="cpu")
    assert (tree.hash, tree.n_leaves, tree.device) == ("rp64_256_v3", 8, "cpu")
    assert (tree.leaf_size, tree.file_size) == (0, 0)
    assert isinstance(tree.root, bytes)
    assert len(tree.root) == 32
    assert repr(tree) == f"<MerkleTree: 8 leaves, rp64_256_v3, root {tree.root.hex()}>"
    assert merklize.MerkleTree(oracle.byte_leaves(8)).device in [device.id for device in merklize.devices()]


@pytest.mark.parametrize(
    "leaves",
    [
        np.zeros((8, 31), np.uint8),
        np.zeros((8, 4), np.uint8),
        np.zeros((8, 32), np.int8),
        np.zeros((8, 4), np.int32),
        np.zeros((8, 4), ">u8"),
        np.zeros((8, 4)),
        np.zeros((2, 4, 32), np.uint8),
        np.zeros(32, np.uint8),
        np.zeros((), np.uint8),
        np.zeros((8, 32), object),
    ],
    ids=lambda leaves: f"{leaves.dtype}{leaves.shape}",
)
def test_wrong_leaves(leaves):
    with pytest.raises(
        merklize.InvalidArgument, match=r"leaves must be uint8\[n, 32\], uint64\[n, 4\] or uint32\[n, 8\], got \W?\w+\["
    ):
        merklize.MerkleTree(leaves)


@pytest.mark.parametrize("place", [0, 5, 4 * 8191 + 3])
def test_words_that_are_no_field_elements(place, device):
    leaves = np.zeros((8192, 4), np.uint64)
    leaves.flat[place] = P
    for build in (merklize.MerkleTree, merklize.merkle_root):
        with pytest.raises(merklize.InvalidArgument, match=f"leaves: word {place} is {P}"):
            build(leaves, "rp64_256_v1", device=device)
    merklize.MerkleTree(leaves)  # BLAKE3 takes any bytes


def test_a_list_of_views_counts_bytes():
    """Views whose items are wider than a byte are counted in bytes, too."""
    digests = [bytes([k]) * 32 for k in range(4)]
    views = [memoryview(digest).cast("Q") for digest in digests]
    assert merklize.MerkleTree(views).root == merklize.MerkleTree(digests).root
    with pytest.raises(merklize.InvalidArgument, match="leaf 0 must be a digest of 32 bytes, got 256 bytes"):
        merklize.MerkleTree([memoryview(bytes(256)).cast("Q")])


def test_wrong_arguments():
    leaves = oracle.byte_leaves(4)
    with pytest.raises(TypeError, match="positional arguments"):
        merklize.MerkleTree(leaves, "blake3", "cpu")
    with pytest.raises(merklize.InvalidArgument, match="unknown field 'width'; known: levels_per_launch, group_size,"):
        merklize.tuning.options(policy={"width": 4})
    with pytest.raises(
        merklize.InvalidArgument, match="constants must be tuned, literal, constant, global or local, got rom"
    ):
        merklize.tuning.options(policy={"constants": "rom"})
    with pytest.raises(TypeError, match="policy must be a mapping or None, got int"):
        merklize.tuning.options(policy=5)
    with pytest.raises(TypeError, match="timings must be a Timings object or None, got dict"):
        merklize.tuning.options(timings={})
    with pytest.raises(merklize.InvalidArgument, match="stream: cpu has no queues"):
        merklize.MerkleTree(leaves, stream=1, device="cpu")
    with pytest.raises(merklize.InvalidArgument, match="levels_per_launch must be 1 to 32, got -1"):
        merklize.tuning.options(policy={"levels_per_launch": -1})
    with pytest.raises(TypeError, match="levels_per_launch must be an integer, got str"):
        merklize.tuning.options(policy={"levels_per_launch": "all"})


@pytest.mark.parametrize("hash", HASHES)
def test_build_tree_in_place(hash, device):
    leaves = oracle.leaves(256, hash)
    expected = on_host(merklize.MerkleTree(leaves, hash).nodes)
    for dtype in (np.uint8, np.uint64, np.int64):
        nodes = np.ones((512, leaves.nbytes // 256 // np.dtype(dtype).itemsize), dtype)
        nodes[256:] = leaves.view(dtype)
        policy = merklize.build_tree(nodes, hash, device=device)
        assert nodes.tobytes() == expected.tobytes()
        assert policy["levels_per_launch"] >= 1


def test_build_tree_wrong_nodes():
    nodes = np.zeros((16, 32), np.uint8)
    for wrong in (nodes[::2], np.asfortranarray(nodes), np.broadcast_to(nodes[:1], (16, 32))):
        with pytest.raises(merklize.InvalidArgument, match="nodes must be writable and in C order"):
            merklize.build_tree(wrong)
    with pytest.raises(
        merklize.InvalidArgument,
        match=r"nodes must be uint8\[2n, 32\], uint64\[2n, 4\] or uint32\[2n, 8\], got float64",
    ):
        merklize.build_tree(np.zeros((16, 4)))
    with pytest.raises(merklize.InvalidArgument, match=r"uint8\[2n, 32\]"):
        merklize.build_tree(np.zeros((2, 8, 32), np.uint8))
    with pytest.raises(merklize.InvalidArgument, match="no tree has 6 slots"):
        merklize.build_tree(nodes[:6])
    with pytest.raises(merklize.InvalidArgument, match="power of two .*, got 3"):
        merklize.build_tree(nodes[:7], rule="perfect")


def test_root_of_one_leaf():
    leaf = oracle.byte_leaves(1)
    assert merklize.merkle_root(leaf) == leaf.tobytes()


def test_timings(device):
    timings = merklize.tuning.Timings()
    assert (timings.kernel, timings.to_device, timings.to_host) == (None, None, None)
    with merklize.tuning.options(timings=timings):
        merklize.MerkleTree(oracle.byte_leaves(1 << 12), device=device)
    times = (timings.kernel, timings.to_device, timings.to_host)
    if device == "cpu":
        assert times == (None, None, None)
    else:
        assert 0 < timings.kernel < HANG
        assert min(times) >= 0
        assert f"kernel {timings.kernel!r}" in repr(timings)
    with merklize.tuning.options(timings=timings):
        merklize.hash(b"short", device="cpu")
    assert timings.kernel is None  # the policy of the call before does not count


def test_progress_and_cancelling():
    calls, leaves = [], oracle.word_leaves(1 << 17)
    merklize.MerkleTree(leaves, "rp64_256_v1", threads=1, progress=calls.append)
    assert calls
    assert calls == sorted(calls)
    assert 0 <= calls[0] <= calls[-1] <= 1
    with pytest.raises(merklize.Cancelled):
        merklize.MerkleTree(leaves, "rp64_256_v1", threads=1, progress=lambda done: False)
    with pytest.raises(ZeroDivisionError):
        merklize.MerkleTree(leaves, "rp64_256_v1", threads=1, progress=lambda done: 1 / 0)


PIECES = [
    *(
        (2, 1),
        (4096, 1),
        (3 * 4095 + 1, 3),
        (1 << 20, 1024),
        ((1 << 20) - 1000, 1024),
        (100_000, 50_000),
        (100_001, 50_001),
    ),
    *(
        (100_001, 50_001),
        (8 << 20, 1 << 20),
        ((8 << 20) - 7, 1 << 20),
        (1 << 21, 1 << 18),
        ((1 << 18) + 5, (1 << 17) + 3),
    ),
]


@pytest.mark.parametrize(("size", "leaf_size"), PIECES)
@pytest.mark.parametrize("threads", [1, None])
def test_from_file(tmp_path, size, leaf_size, threads, device):
    data, path = oracle.pattern(size), tmp_path / "data"
    path.write_bytes(data)
    tree = merklize.MerkleTree.from_file(path, leaf_size=leaf_size, threads=threads, device=device)
    digests = [blake3.blake3(data[start : start + leaf_size]).digest() for start in range(0, size, leaf_size)]
    leaves = np.frombuffer(b"".join(digests), np.uint8).reshape(-1, 32)
    assert np.array_equal(on_host(tree.nodes), merklize.MerkleTree(leaves).nodes)
    assert (tree.hash, tree.n_leaves, tree.leaf_size, tree.file_size) == ("blake3", len(leaves), leaf_size, size)


def test_from_file_wrong(tmp_path):
    path = tmp_path / "data"
    path.write_bytes(bytes(3000))
    assert merklize.MerkleTree.from_file(path, 3000).root == merklize.hash(bytes(3000))
    with pytest.raises(merklize.InvalidArgument, match="leaf_size must be 0 to .* got -5"):
        merklize.MerkleTree.from_file(path, -5)
    with pytest.raises(TypeError, match="leaf_size must be an integer, got str"):
        merklize.MerkleTree.from_file(path, "1k")
    with pytest.raises(merklize.FileError, match="directory|regular file"):
        merklize.MerkleTree.from_file(tmp_path, 1000)
    path.write_bytes(b"")
    assert merklize.MerkleTree.from_file(path, 1000).root == merklize.hash(b"")


@pytest.mark.parametrize("change", [-1, 1, -(1 << 29)])
def test_from_file_that_changes_its_size(tmp_path, change):
    path, size = tmp_path / "sparse", 1 << 30
    with open(path, "wb") as file:
        file.truncate(size)
    with pytest.raises(merklize.FileError, match=f"sparse: {'grew' if change > 0 else 'shrank'} while being read"):
        merklize.MerkleTree.from_file(path, 1 << 16, progress=lambda done: os.truncate(path, size + change))


def test_a_tree_of_an_array_takes_few_steps_in_python():
    """The array goes to the extension as it is, which looks at it once."""
    leaves = np.zeros((8, 32), np.uint8)
    merklize.MerkleTree(leaves)
    package, steps = os.path.dirname(merklize.__file__), []

    def note(frame, event, _):
        if event == "call" and frame.f_code.co_filename.startswith(package):
            steps.append(frame.f_code.co_name)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        merklize.MerkleTree(leaves)
    finally:
        sys.setprofile(before)
    assert len(steps) <= 6, steps
    assert not {"digests", "unsigned", "joined"} & {*steps}


def of_builder(leaves, _):
    builder = merklize.TreeBuilder()
    builder.append(leaves)
    return builder.root()


def of_writer(leaves, folder):
    with merklize.TreeWriter(folder / "written", 4) as writer:
        writer.append(leaves)
        return writer.finish()


def of_file(leaves, folder):
    merklize.MerkleTree(np.zeros((4, 32), np.uint8)).save(folder / "file")
    with merklize.TreeFile(folder / "file") as file:
        file.append(leaves)
    with merklize.TreeFile(folder / "file") as file:
        return file.root


def of_appended(leaves, _):
    tree = merklize.MerkleTree(np.zeros((4, 32), np.uint8))
    tree.append(leaves)
    return tree.root


def of_updated(leaves, _):
    tree = merklize.MerkleTree(np.zeros((4, 32), np.uint8))
    tree.update(range(4), leaves)
    return tree.root


TAKERS = {
    "MerkleTree": lambda leaves, _: merklize.MerkleTree(leaves).root,
    "merkle_root": lambda leaves, _: merklize.merkle_root(leaves),
    "TreeBuilder.append": of_builder,
    "TreeWriter.append": of_writer,
    "TreeFile.append": of_file,
    "MerkleTree.append": of_appended,
    "MerkleTree.update": of_updated,
}
FOUR = np.random.default_rng(4).integers(0, 256, (4, 32), np.uint8)
FORMS = {
    "words": FOUR.view(np.uint64),
    "signed words": FOUR.view(np.int64),
    "short words": FOUR.view(np.uint32),
    "columns first": np.asfortranarray(FOUR),
    "every second": np.repeat(FOUR, 2, axis=0)[::2],
    "backwards twice": FOUR[::-1].copy()[::-1],
    "not aligned": np.frombuffer(b"x" + FOUR.tobytes(), np.uint8)[1:].view(np.uint64).reshape(4, 4),
    "read only": np.frombuffer(FOUR.tobytes(), np.uint8).reshape(4, 32),
    "a subclass": FOUR.view(np.matrix),
    "a list": [row.tobytes() for row in FOUR],
    "a tuple": tuple(bytearray(row.tobytes()) for row in FOUR),
    "another sequence": collections.UserList(row.tobytes() for row in FOUR),
    "views": [memoryview(row.tobytes()) for row in FOUR],
    "a list of arrays": list(FOUR),
    "a list of words": list(FOUR.view(np.uint64)),
    "digits": [row.tobytes().hex() for row in FOUR],
    "capitals": [row.tobytes().hex().upper() for row in FOUR],
    "0x": ["0x" + row.tobytes().hex() for row in FOUR],
    "0X": ["0X" + row.tobytes().hex().upper() for row in FOUR],
    "bytes and digits": [FOUR[0].tobytes().hex(), *(row.tobytes() for row in FOUR[1:])],
}
WRONG = {
    "other words": (FOUR.view(">u8"), "must be uint8[N, 32], uint64[N, 4] or uint32[N, 8], got >u8[4, 4]"),
    "halves": (FOUR.view(np.uint16), "got uint16[4, 16]"),
    "floats": (np.zeros((4, 4)), "got float64[4, 4]"),
    "times": (np.zeros((4, 4), "M8[s]"), "got datetime64[s][4, 4]"),
    "objects": (np.full((4, 4), None), "got object[4, 4]"),
    "three dimensions": (FOUR.reshape(2, 2, 32), "got uint8[2, 2, 32]"),
    "one digest": (FOUR[0], "got uint8[32]"),
    "a number": (np.array(3, np.uint8), "got uint8[]"),
    "31 bytes": (FOUR[:, :31], "got uint8[4, 31]"),
    "a mask": (np.ma.masked_array(FOUR, FOUR > 3), "a masked array"),
    "bytes": (FOUR.tobytes(), "must be an array or a list of digests, got bytes"),
    "text": (FOUR[0].tobytes().hex(), "must be an array or a list of digests, got str"),
    "no digits": (["z" * 64], "leaf 0 must be a digest of 32 bytes, got str"),
    "lists of lists": ([[FOUR[0].tobytes()]], "leaf 0 must be a digest of 32 bytes, got list"),
    "a short digest": ([b"x" * 31], "leaf 0 must be a digest of 32 bytes, got 31 bytes"),
    "no digest": ([b"x" * 32, 7], "leaf 1 must be a digest of 32 bytes, got int"),
    "a mapping": ({}, "must be a NumPy array or a tensor, got dict"),
    "nothing": (None, "must be a NumPy array or a tensor, got NoneType"),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("call", TAKERS)
def test_every_call_takes_every_form_of_digests(call, form, tmp_path):
    folders = [tmp_path / "a", tmp_path / "b"]
    for folder in folders:
        folder.mkdir()
    assert TAKERS[call](FORMS[form], folders[0]) == TAKERS[call](FOUR, folders[1])


@pytest.mark.parametrize("form", WRONG)
@pytest.mark.parametrize("call", TAKERS)
def test_every_call_refuses_what_is_no_digests(call, form, tmp_path):
    value, text = WRONG[form]
    if (call, form) == ("MerkleTree.update", "nothing"):
        text = "leaves are missing"
    with pytest.raises((merklize.InvalidArgument, TypeError)) as caught:
        TAKERS[call](value, tmp_path)
    name = "n" if call in ("MerkleTree", "merkle_root") else "k"
    assert text.replace("[N,", f"[{name},") in str(caught.value)

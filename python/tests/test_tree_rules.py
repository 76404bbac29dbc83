"""Trees of any count of leaves: every rule against its definition, at every node; forms; changes; many at once."""

import hashlib
import json
import pickle

import numpy as np
import pymerkle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import merklize
import oracle
from oracle import RULES

HASHES = oracle.HASHES
KEY = bytes(range(32))


def on_host(nodes):
    return nodes.numpy() if isinstance(nodes, merklize.DeviceArray) else nodes


def levels_of(tree):
    return [[node.tobytes() for node in on_host(level)] for level in tree.levels()]


@pytest.mark.parametrize("hash", HASHES)
@pytest.mark.parametrize("rule", RULES)
def test_every_node_of_small_trees(hash, rule, device):
    most = 34 if hash not in oracle.FIELD_HASHES else 18
    leaves = oracle.leaves(most, hash)
    for n in range(1, most):
        tree = merklize.MerkleTree(leaves[:n], hash, rule=rule, device=device)
        expected = oracle.levels(leaves[:n], hash, rule)
        assert levels_of(tree) == expected, n
        assert (tree.rule, tree.n_leaves, tree.height) == (rule, n, len(expected) - 1)
        assert tree.root == expected[-1][0] == merklize.merkle_root(leaves[:n], hash, rule=rule, device=device)


def test_the_empty_tree_of_rfc_6962(device, tmp_path):
    nothing = hashlib.sha256().digest()
    assert pymerkle.InmemoryTree(algorithm="sha256").get_state() == nothing
    none = np.empty((0, 32), np.uint8)
    options = {"format": "rfc6962", "device": device}
    trees = [
        merklize.MerkleTree([], **options),
        merklize.MerkleTree(none, **options),
        merklize.MerkleTree.from_messages([], **options),
        merklize.MerkleTree.from_rows(np.empty((0, 5), np.uint8), **options),
    ]
    (tmp_path / "none").touch()
    trees.append(merklize.MerkleTree.from_file(tmp_path / "none", leaves=True, **options))
    for tree in trees:
        assert (tree.root, tree.n_leaves, tree.height, tree.hash) == (nothing, 0, 0, "sha256_rfc6962")
        assert len(on_host(tree.level(0))) == 0
        assert on_host(tree.nodes).shape == (1, 32)
        assert tree == pickle.loads(pickle.dumps(tree))
        with pytest.raises(merklize.InvalidArgument, match="the tree has no leaves, got leaf index 0"):
            tree.prove(0)
    assert merklize.merkle_root([], "sha256_rfc6962", device=device) == nothing
    assert merklize.TreeBuilder("sha256_rfc6962").root() == nothing
    with merklize.TreeWriter(tmp_path / "written.mkl", None, "sha256_rfc6962") as writer:
        assert writer.finish() == nothing
    with merklize.TreeFile(tmp_path / "written.mkl") as file:
        assert (file.root, file.n_leaves, file.check()) == (nothing, 0, [])
        assert len(file.level(0)) == 0
        leaves = oracle.byte_leaves(3)
        file.append(leaves)
        grown = trees[0]
        grown.append(leaves)
        assert file.root == grown.root == merklize.merkle_root(leaves, "sha256_rfc6962")
        assert list(trees[1].diff(grown)) == [0, 1, 2]
    others = [{"hash": "blake3"}, {"hash": "sha256_rfc6962", "rule": "pad"}, {"hash": "sha256"}, {"format": "glacier"}]
    for wrong in others:
        with pytest.raises(merklize.InvalidArgument, match="at least 1, got 0"):
            merklize.MerkleTree([], **wrong, device=device)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("n", [127, 129, 1000, 1023, 1025, 4097, 5000])
def test_every_node_of_larger_trees(rule, n, device):
    leaves = oracle.byte_leaves(n)
    tree = merklize.MerkleTree(leaves, rule=rule, device=device)
    assert levels_of(tree) == oracle.levels(leaves, "blake3", rule)


@pytest.mark.parametrize("rule", RULES)
def test_slots_of_no_node_are_zeros(rule, device):
    nodes = on_host(merklize.MerkleTree(oracle.byte_leaves(5), rule=rule, device=device).nodes)
    assert len(nodes) == merklize.prover.heap_slots(5) == 13
    assert {i for i, node in enumerate(nodes) if not node.any()} == {0, 7}


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("n", [1, 5, 8, 700])
def test_build_in_place(rule, n, device):
    leaves = oracle.byte_leaves(n)
    nodes = np.full((merklize.prover.heap_slots(n), 32), 7, np.uint8)
    nodes[len(nodes) - n :] = leaves
    merklize.build_tree(nodes, rule=rule, device=device)
    assert np.array_equal(nodes, on_host(merklize.MerkleTree(leaves, rule=rule).nodes))


def test_default_rules():
    assert merklize.MerkleTree(oracle.byte_leaves(3)).rule == "left_full"
    assert merklize.MerkleTree(oracle.byte_leaves(3), "sha256_rfc6962").rule == "left_full"
    assert merklize.MerkleTree(oracle.word_leaves(4), "rp64_256").rule == "perfect"
    promoted = merklize.MerkleTree(oracle.byte_leaves(3), rule="promote")
    assert promoted.rule == "left_full"


@pytest.mark.parametrize("rule", ["perfect", *RULES])
def test_rules_agree_where_nothing_is_odd(rule):
    leaves = oracle.byte_leaves(64)
    assert np.array_equal(merklize.MerkleTree(leaves, rule=rule).nodes, merklize.MerkleTree(leaves).nodes)


def test_padding():
    leaves, padding = oracle.byte_leaves(11), bytes(range(100, 132))
    tree = merklize.MerkleTree(leaves, rule="pad", padding=padding)
    assert levels_of(tree) == oracle.levels(leaves, "blake3", "pad", padding)
    assert tree.root != merklize.MerkleTree(leaves, rule="pad").root
    for form in (padding, padding.hex(), "0x" + padding.hex(), np.frombuffer(padding, np.uint64)):
        assert merklize.parts.plan_tree("x", 352, leaves=True, rule="pad", padding=form).padding == padding
    with pytest.raises(merklize.InvalidArgument, match="32 bytes, got 3"):
        merklize.MerkleTree(leaves, rule="pad", padding=b"abc")


@pytest.mark.parametrize("mode", [{"key": KEY}, {"context": "merklize tests 2026 nodes"}], ids=str)
@pytest.mark.parametrize("rule", RULES)
def test_keyed_trees(mode, rule, device):
    for n in (1, 2, 7, 64, 300):
        leaves = oracle.byte_leaves(n)
        tree = merklize.MerkleTree(leaves, rule=rule, device=device, **mode)
        assert levels_of(tree) == oracle.levels(leaves, "blake3", rule, merge=oracle.keyed_merge(**mode))
        proof = tree.prove(n // 2)
        assert proof.verify(tree.root, **mode)
        assert n == 1 or not proof.verify(tree.root)
        together = tree.prove_together({0, n - 1})
        assert together.verify(tree.root, **mode)
        assert n == 1 or not merklize.verify(together.to_bytes(), tree.root, key=bytes(32))
    with pytest.raises(merklize.InvalidArgument, match="blake3"):
        merklize.MerkleTree(oracle.byte_leaves(4), "sha256_rfc6962", **mode)


def test_rfc_6962_by_pymerkle():
    entries = [b"entry %d" % i for i in range(70)]
    theirs = pymerkle.InmemoryTree(algorithm="sha256")
    for entry in entries:
        theirs.append_entry(entry)
    rows = [np.frombuffer(entry, np.uint8)[None] for entry in entries]
    leaves = np.concatenate([merklize.hash_leaves(row, "sha256_rfc6962") for row in rows])
    for n in range(1, 71):
        tree = merklize.MerkleTree(leaves[:n], "sha256_rfc6962")
        assert tree.root == theirs.get_root(n)
        for old in range(1, n + 1):
            ours = tree.prove_consistency(old)
            assert ours.verify(theirs.get_root(old), tree.root)
    tree = merklize.MerkleTree(leaves, "sha256_rfc6962")
    for i in range(70):
        their_path = theirs.prove_inclusion(i + 1).serialize()["path"]
        ours = tree.prove(i)
        assert [ours.leaf.hex(), *(sibling.hex() for sibling in ours.siblings)] == their_path


@pytest.mark.parametrize("hash", HASHES)
def test_rows(hash, device):
    rng = np.random.default_rng(3)
    is_field = hash in oracle.FIELD_HASHES
    matrix = oracle.elements(rng, (64, 13), hash) if is_field else rng.integers(0, 256, (64, 77), np.uint8)
    leaves = merklize.hash_leaves(matrix, hash)
    if hash == "blake3":
        assert leaves[5].tobytes() == merklize.hash(matrix[5])
    if is_field:
        assert leaves[5].tolist() == oracle.hash_elements(matrix[5].tolist(), hash)
    root = merklize.MerkleTree(leaves, hash).root
    columns = np.asfortranarray(matrix)
    padded = np.zeros((64, 200), matrix.dtype)
    padded[:, 3 : 3 + 2 * matrix.shape[1] : 2] = matrix
    for form in (matrix, columns, padded[:, 3 : 3 + 2 * matrix.shape[1] : 2]):
        assert merklize.MerkleTree.from_rows(form, hash, device=device).root == root
    with pytest.raises(merklize.InvalidArgument, match="rows must be"):
        merklize.MerkleTree.from_rows(matrix.astype(np.float32), hash)


def test_rows_with_a_key():
    matrix = np.frombuffer(oracle.pattern(700), np.uint8).reshape(7, 100)
    leaves = np.stack([np.frombuffer(merklize.hash(row, key=KEY), np.uint8) for row in matrix])
    assert merklize.MerkleTree.from_rows(matrix, key=KEY).root == merklize.MerkleTree(leaves, key=KEY).root


@pytest.mark.parametrize("hash", ["blake3", "rp64_256_v3"])
@pytest.mark.parametrize("drop", [1, 3, 5])
def test_dropped_levels(hash, drop, device):
    for n in (32, 27):
        rule = "left_full"
        leaves = oracle.leaves(n, hash)
        whole = merklize.MerkleTree(leaves, hash, rule=rule)
        tree = merklize.MerkleTree(leaves, hash, rule=rule, drop_levels=drop, device=device)
        assert (tree.root, tree.drop_levels) == (whole.root, drop)
        assert levels_of(tree) == levels_of(whole)[drop:]
        for i in range(n):
            assert tree.prove(i, leaves) == whole.prove(i)
        assert tree.prove_together([0, 5, n - 1], leaves) == whole.prove_together([0, 5, n - 1])
        with pytest.raises(merklize.InvalidArgument, match="leaves"):
            tree.prove(3)
        wrong = leaves.copy()
        wrong[3, 0] ^= 1
        with pytest.raises(merklize.InvalidArgument):
            tree.prove(3, wrong)
        with pytest.raises(merklize.InvalidArgument):
            tree.level(drop - 1)


@given(st.data())
@settings(max_examples=60)
def test_update_and_append_equal_a_rebuild(data):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    hash = data.draw(st.sampled_from(("blake3", "sha256_rfc6962", "rp64_256_v3")))
    n = data.draw(st.integers(1, 300))
    rule = data.draw(st.sampled_from(RULES))
    leaves = new_leaves(rng, n, hash)
    tree = merklize.MerkleTree(leaves, hash, rule=rule)
    for _ in range(data.draw(st.integers(1, 4))):
        if rule == "left_full" and data.draw(st.booleans()):
            more = new_leaves(rng, data.draw(st.integers(0, 200)), hash)
            tree.append(more)
            leaves = np.concatenate([leaves, more])
        else:
            indices = rng.choice(len(leaves), data.draw(st.integers(0, len(leaves))), replace=False)
            changed = new_leaves(rng, len(indices), hash)
            leaves = leaves.copy()
            leaves[indices] = changed
            tree.update(indices, changed)
        rebuilt = merklize.MerkleTree(leaves, hash, rule=rule)
        assert tree.root == rebuilt.root
        assert levels_of(tree) == levels_of(rebuilt)
        assert tree.prove(len(leaves) - 1).verify(tree.root)


def new_leaves(rng, n, hash):
    if hash in oracle.FIELD_HASHES:
        return oracle.elements(rng, (n, oracle.WORDS[hash][1]), hash)
    return rng.integers(0, 256, (n, 32), np.uint8)


@pytest.mark.parametrize("hash", ["blake3", "rp64_256_v1"])
def test_changes_on_a_device(hash, device):
    rng = np.random.default_rng(5)
    leaves = new_leaves(rng, 700, hash)
    tree = merklize.MerkleTree(leaves, hash, rule="left_full", device=device)
    changed = new_leaves(rng, 2, hash)
    tree.update({3: changed[0], 699: changed[1].tobytes()})
    leaves[[3, 699]] = changed
    assert levels_of(tree) == levels_of(merklize.MerkleTree(leaves, hash, rule="left_full"))
    more = new_leaves(rng, 900, hash)
    tree.append(more)
    leaves = np.concatenate([leaves, more])
    assert levels_of(tree) == levels_of(merklize.MerkleTree(leaves, hash, rule="left_full"))


def test_changes_take_leaves_from_views_of_the_tree(device):
    leaves = oracle.byte_leaves(11)
    tree = merklize.MerkleTree(leaves, device=device)
    tree.update(range(10, -1, -1), tree.level(0))
    assert levels_of(tree) == levels_of(merklize.MerkleTree(leaves[::-1]))


def test_wrong_changes():
    leaves = oracle.byte_leaves(8)
    tree = merklize.MerkleTree(leaves)
    root = tree.root
    for indices, new, message in (
        ([8], leaves[:1], "below 8, got 8|8"),
        ([1, 1], leaves[:2], "twice"),
        ([1, 2], leaves[:1], "2.*1|1.*2"),
        ([-1], leaves[:1], "-1"),
    ):
        with pytest.raises(merklize.InvalidArgument, match=message):
            tree.update(indices, new)
        assert tree.root == root
    with pytest.raises(merklize.InvalidArgument, match="32 bytes, got 5"):
        tree.update({1: b"short"})
    with pytest.raises(TypeError):
        tree.update([1])
    field = merklize.MerkleTree(oracle.word_leaves(4), "rp64_256")
    bad = oracle.word_leaves(1)
    bad[0, 2] = oracle.P
    with pytest.raises(merklize.InvalidArgument, match=str(oracle.P)):
        field.update([0], bad)
    nodes = tree.nodes
    with pytest.raises(BufferError):
        tree.append(leaves)
    assert tree.root == root
    del nodes
    tree.append(leaves)
    assert tree.n_leaves == 16


@pytest.mark.parametrize("hash", HASHES)
@pytest.mark.parametrize(("m", "n"), [(1, 1), (1, 8), (5, 1), (7, 2), (3, 16), (100, 4)])
def test_forest(hash, m, n, device):
    leaves = oracle.leaves(m * n, hash).reshape(m, n, -1)
    forest = merklize.MerkleForest(leaves, hash, device=device)
    assert (forest.n_trees, forest.n_leaves, forest.hash) == (m, n, hash)
    trees = [merklize.MerkleTree(one, hash) for one in leaves]
    assert [root.tobytes() for root in on_host(forest.roots)] == [tree.root for tree in trees]
    for level in range(forest.height + 1):
        expected = np.concatenate([tree.level(level) for tree in trees])
        assert np.array_equal(on_host(forest.level(level)), expected)
    assert forest.prove(m - 1, n - 1) == trees[-1].prove(n - 1)
    with pytest.raises(merklize.InvalidArgument):
        forest.prove(m, 0)


def test_wrong_forests():
    with pytest.raises(merklize.InvalidArgument, match=r"\[m, n, 32\]"):
        merklize.MerkleForest(oracle.byte_leaves(8))
    with pytest.raises(merklize.InvalidArgument, match="power of two"):
        merklize.MerkleForest(oracle.byte_leaves(9).reshape(3, 3, 32))


@given(st.data())
@settings(max_examples=60)
def test_builder_with_random_cuts(data):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    hash = data.draw(st.sampled_from(HASHES))
    rule = data.draw(st.sampled_from(RULES))
    leaves = new_leaves(rng, data.draw(st.integers(1, 2000 if hash == "blake3" else 200)), hash)
    builder = merklize.TreeBuilder(hash, rule=rule)
    done = 0
    while done < len(leaves):
        count = data.draw(st.integers(0, len(leaves) - done))
        builder.append(leaves[done : done + count])
        done += count
        assert builder.n_leaves == done
        if done:
            assert builder.root() == merklize.merkle_root(leaves[:done], hash, rule=rule)
        if count == 0:
            builder.append(leaves[done:])
            done = len(leaves)
    assert builder.root() == merklize.merkle_root(leaves, hash, rule=rule)


def test_builder_without_leaves_and_with_wrong_ones():
    builder = merklize.TreeBuilder("rp64_256")
    with pytest.raises(merklize.InvalidArgument):
        builder.root()
    builder.append(oracle.word_leaves(3))
    with pytest.raises(merklize.InvalidArgument, match="power of two"):
        builder.root()
    bad = oracle.word_leaves(5)
    bad[4, 1] = oracle.P
    with pytest.raises(merklize.InvalidArgument, match=str(oracle.P)):
        builder.append(bad)
    assert builder.n_leaves == 3
    builder.append(oracle.word_leaves(4)[3:])
    assert builder.root() == merklize.MerkleTree(oracle.word_leaves(4), "rp64_256").root


def test_trees_of_blake3_parent_are_those_inside_digests():
    """Leaves by the crate blake3 are chaining values; the digest has the flag of the root, which no node has."""
    for case in json.loads((oracle.VECTORS / "blake3_parent.json").read_text())["roots"]:
        values = np.array([list(bytes.fromhex(leaf)) for leaf in case["leaves"]], np.uint8)
        tree = merklize.MerkleTree(values, "blake3_parent")
        assert tree.root.hex() == case["root"]
        assert merklize.parts.digest_of_pieces(values).hex() == case["digest"]
        assert merklize.parts.digest_of_pieces(tree.level(tree.height - 1)).hex() == case["digest"]
    with pytest.raises(merklize.InvalidArgument):
        merklize.parts.digest_of_pieces(values[:1])

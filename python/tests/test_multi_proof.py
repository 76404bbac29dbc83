"""Proofs of several leaves and of growth: they are valid, changed ones are not, and they are as small as possible."""

import json
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import merklize
import oracle
from oracle import RULES

HASHES = oracle.HASHES


def needed(n, rule, indices):
    """The nodes (level, index) that a verifier cannot compute, in their order in a proof."""
    result, known = [], sorted(indices)
    for level in range((n - 1).bit_length()):
        count = ((n - 1) >> level) + 1
        for i in known:
            lone = i ^ 1 >= count
            if i ^ 1 not in known and (not lone or rule == "pad"):
                result.append((level, i ^ 1))
        known = sorted({i >> 1 for i in known})
    return result


@given(st.data())
@settings(max_examples=150)
def test_any_set_of_leaves(data):
    hash = data.draw(st.sampled_from(HASHES))
    rule = data.draw(st.sampled_from(RULES))
    n = data.draw(st.integers(1, 200 if hash not in oracle.FIELD_HASHES else 40))
    leaves = oracle.leaves(n, hash)
    tree = merklize.MerkleTree(leaves, hash, rule=rule)
    indices = data.draw(st.sets(st.integers(0, n - 1), min_size=1))
    proof = tree.prove_together(data.draw(st.permutations(sorted(indices))))
    assert proof.indices.tolist() == sorted(indices)
    assert proof.leaves.tobytes() == leaves[sorted(indices)].tobytes()
    assert (proof.hash, proof.rule, proof.n_leaves) == (hash, rule, n)
    wanted = needed(n, rule, indices)
    assert len(proof.siblings) == len(wanted)
    for (level, index), sibling in zip(wanted, proof.siblings):
        if index <= (n - 1) >> level:
            assert sibling.tobytes() == tree.level(level)[index].tobytes()
    assert proof.verify(tree.root)
    assert proof.verify(tree.root, n_leaves=n, hash=hash, rule=rule)
    assert not proof.verify(tree.root, n_leaves=n + 1)
    for form in (proof.to_bytes(), proof.to_json()):
        assert merklize.verify(form, tree.root)
    assert merklize.MultiProof.from_bytes(proof.to_bytes()) == proof
    assert merklize.MultiProof.from_json(proof.to_json()) == pickle.loads(pickle.dumps(proof)) == proof


@pytest.mark.parametrize("hash", ["blake3", "rp64_256_v3"])
@pytest.mark.parametrize("rule", RULES)
def test_any_flipped_bit_fails(hash, rule):
    tree = merklize.MerkleTree(oracle.leaves(13, hash), hash, rule=rule)
    good = tree.prove_together([2, 3, 7, 12])
    assert merklize.verify(good.to_bytes(), tree.root)
    data = good.to_bytes()
    # Under the rule pad, trees of 13 to 16 leaves can have one root: the caller has to know the tree's shape.
    known = {"rule": rule, "n_leaves": 13}
    for bit in range(8 * len(data)):
        forged = bytearray(data)
        forged[bit // 8] ^= 1 << (bit % 8)
        assert not merklize.verify(bytes(forged), tree.root, **known), bit
    for bit in range(256):
        root = bytearray(tree.root)
        root[bit // 8] ^= 1 << (bit % 8)
        assert not good.verify(bytes(root))


def test_ranges():
    tree = merklize.MerkleTree(oracle.byte_leaves(100))
    for first, last in ((0, 1), (0, 100), (17, 63), (99, 100)):
        proof = tree.prove_range(first, last)
        assert proof.indices.tolist() == list(range(first, last))
        assert proof.verify(tree.root)
        assert len(proof.siblings) <= 2 * tree.height
        assert len(proof.to_bytes()) < 64 + 32 * (last - first + len(proof.siblings))


def test_wrong_sets():
    tree = merklize.MerkleTree(oracle.byte_leaves(10))
    with pytest.raises(merklize.InvalidArgument, match="-1"):
        tree.prove_together([-1])
    with pytest.raises(TypeError):
        tree.prove_together([1.5])


def test_many_leaves_on_a_device(device):
    leaves = oracle.byte_leaves(1 << 14)
    tree = merklize.MerkleTree(leaves, device=device)
    indices = np.random.default_rng(1).choice(1 << 14, 3000, replace=False)
    proof = tree.prove_together(indices)
    assert proof == merklize.MerkleTree(leaves).prove_together(indices)
    assert proof.verify(tree.root)


@pytest.mark.parametrize("n", [1, 2, 3, 7, 8, 33])
def test_growth(n):
    leaves = oracle.byte_leaves(n)
    tree = merklize.MerkleTree(leaves)
    for old in range(1, n + 1):
        proof = tree.prove_consistency(old)
        before = merklize.MerkleTree(leaves[:old]).root
        assert proof.verify(before, tree.root)
        assert proof == merklize.ConsistencyProof.from_bytes(proof.to_bytes())
        assert proof == merklize.ConsistencyProof.from_json(proof.to_json())
        assert not proof.verify(before, bytes(32))
        assert old == n or not proof.verify(bytes(32), tree.root)
        for i in range(len(proof.nodes)):
            nodes = list(proof.nodes)
            nodes[i] = bytes(32)
            forged = merklize.ConsistencyProof(proof.hash, old, n, tuple(nodes))
            assert not forged.verify(before, tree.root)


@pytest.mark.parametrize("hash", HASHES)
@pytest.mark.parametrize("rule", RULES)
def test_verify_each(hash, rule, device):
    trees = {n: merklize.MerkleTree(oracle.leaves(n, hash), hash, rule=rule) for n in (21, 64)}
    good = [trees[21].prove(i) for i in range(21)]
    assert merklize.verify_each(good, trees[21].root, device=device) == [True] * 21
    other = trees[64].prove(3)
    mixed = [good[0], other, good[20], merklize.MerkleProof(hash, 5, 21, good[5].leaf, good[4].siblings, rule)]
    assert merklize.verify_each(mixed, trees[21].root, device=device) == [True, False, True, False]
    assert merklize.verify_each([], trees[21].root) == []


def test_json_form():
    tree = merklize.MerkleTree(oracle.byte_leaves(5))
    found = json.loads(tree.prove_together([1, 4]).to_json())
    assert (found["format"], found["hash"], found["rule"]) == ("merklize-multi-proof-3", "blake3", "left_full")
    assert (found["n_leaves"], found["indices"]) == (5, [1, 4])
    assert found["leaves"] == [oracle.byte_leaves(5)[i].tobytes().hex() for i in (1, 4)]
    for field in ("indices", "leaves", "siblings"):
        for wrong in (None, 5, [None], ["ab"], {}):
            with pytest.raises(merklize.InvalidArgument):
                merklize.MultiProof.from_json(json.dumps({**found, field: wrong}))


def test_winterfell_needs_what_it_cannot_hold():
    tree = merklize.MerkleTree(oracle.word_leaves(16), "rp64_256")
    proof = tree.prove_together([3, 9])
    data = proof.to_winterfell()
    assert merklize.MultiProof.from_winterfell(data, "rp64_256", [3, 9], proof.leaves) == proof
    with pytest.raises(merklize.InvalidArgument):
        merklize.MultiProof.from_winterfell(data[:-1], "rp64_256", [3, 9], proof.leaves)
    odd = merklize.MerkleTree(oracle.byte_leaves(5)).prove_together([1])
    with pytest.raises(merklize.InvalidArgument):
        odd.to_winterfell()


def test_wrong_arguments_are_named():
    tree = merklize.MerkleTree(oracle.byte_leaves(16), rule="perfect")
    proof = tree.prove_together([3, 9])
    good = {"data": proof.to_winterfell(), "hash": "blake3", "indices": [3, 9], "leaves": proof.leaves}
    assert merklize.MultiProof.from_winterfell(**good).verify(tree.root)
    for wrong, error, message in (
        ({"data": "text"}, TypeError, "data must be bytes-like, .* got str"),
        ({"data": b""}, merklize.InvalidArgument, "not a proof of these 2 indices and 2 leaves"),
        ({"hash": None}, TypeError, "hash must be a string, got NoneType"),
        ({"hash": "md5"}, merklize.InvalidArgument, "unknown hash 'md5'"),
        ({"indices": None}, merklize.InvalidArgument, "indices must be uint64"),
        ({"indices": "39"}, merklize.InvalidArgument, "indices must be uint64"),
        ({"leaves": None}, merklize.InvalidArgument, "leaves must be uint8"),
        ({"leaves": [[1], [2, 3]]}, merklize.InvalidArgument, "leaves must be uint8"),
        ({"leaves": bytes(33)}, merklize.InvalidArgument, "leaves must be uint8"),
    ):
        with pytest.raises(error, match=message):
            merklize.MultiProof.from_winterfell(**{**good, **wrong})


def test_arrays_of_proofs_are_views_that_outlive_them():
    tree = merklize.MerkleTree(oracle.byte_leaves(16))
    leaves, siblings = (lambda proof: (proof.leaves, proof.siblings))(tree.prove_together([3, 9]))
    assert leaves.tobytes() == oracle.byte_leaves(16)[[3, 9]].tobytes()
    assert siblings.shape[1] == 32
    assert not leaves.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        leaves[0] = 0
    empty = merklize.MerkleTree(oracle.byte_leaves(1)).prove_together([0])
    assert empty.siblings.shape == (0, 32)

"""Proofs: they are valid for their tree alone, and verify() never raises on data."""

import copy
import json
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import merklize
import oracle
from oracle import P

HASHES = oracle.HASHES
TREES = {hash: merklize.MerkleTree(oracle.leaves(16, hash), hash) for hash in HASHES}


@pytest.mark.parametrize("hash", HASHES)
@pytest.mark.parametrize("n", [2, 4, 64, 1024])
def test_every_leaf_is_proved(hash, n):
    leaves = oracle.leaves(n, hash)
    tree = merklize.MerkleTree(leaves, hash)
    for i in range(n):
        proof = tree.prove(i)
        assert (proof.hash, proof.index, proof.n_leaves, proof.leaf) == (hash, i, n, leaves[i].tobytes())
        assert len(proof.siblings) == n.bit_length() - 1
        assert proof.verify(tree.root)
        text = proof.to_json()
        for form in (proof, proof.to_bytes(), text, proof.to_json(indent=2), text.encode(), f"\n {text}".encode()):
            assert merklize.verify(form, tree.root)


@pytest.mark.parametrize("hash", HASHES)
def test_the_path_by_the_witness(hash):
    tree = TREES[hash]
    proof = tree.prove(11)
    node, position = proof.leaf, 16 + 11
    for sibling in proof.siblings:
        assert sibling == tree.nodes[position ^ 1].tobytes()
        node = oracle.merge(sibling, node, hash) if position & 1 else oracle.merge(node, sibling, hash)
        position >>= 1
    assert node == tree.root


@pytest.mark.parametrize("hash", HASHES)
def test_any_flipped_bit_of_the_bytes_fails(hash):
    tree = TREES[hash]
    good = tree.prove(5).to_bytes()
    assert merklize.verify(good, tree.root, rule=tree.rule)
    for bit in range(8 * len(good)):
        if hash == "keccak256_sorted" and 16 <= bit // 8 < 24:
            continue  # the index: sorted pairs have no left and right
        if hash == "poseidon2_goldilocks_12" and bit == 8 * 5:
            continue  # the hash's id becomes that of poseidon2_goldilocks_8, which has the same merges
        forged = bytearray(good)
        forged[bit // 8] ^= 1 << (bit % 8)
        # A perfect tree is the same under every rule, so the caller must say which rule it has.
        assert not merklize.verify(forged, tree.root, rule=tree.rule), bit


@pytest.mark.parametrize("hash", HASHES)
def test_any_flipped_bit_of_the_root_fails(hash):
    tree = TREES[hash]
    proof = tree.prove(3)
    for bit in range(256):
        root = bytearray(tree.root)
        root[bit // 8] ^= 1 << (bit % 8)
        assert not proof.verify(root), bit


@pytest.mark.parametrize("hash", HASHES)
def test_other_lengths_fail(hash):
    tree = TREES[hash]
    good = tree.prove(5).to_bytes()
    for length in range(len(good)):
        assert not merklize.verify(good[:length], tree.root)
    for more in (b"\0", bytes(32), tree.root):
        assert not merklize.verify(good + more, tree.root)


def test_a_node_is_no_leaf():
    """A shorter path, from an inner node, fails if the caller knows the number of leaves."""
    tree = TREES["blake3"]
    proof = tree.prove(6)
    parent = tree.nodes[(16 + 6) >> 1].tobytes()
    shorter = merklize.MerkleProof("blake3", 3, 8, parent, proof.siblings[1:])
    assert shorter.verify(tree.root)  # its claim is true for a tree of 8 leaves
    assert not shorter.verify(tree.root, n_leaves=16)
    assert not merklize.MerkleProof("blake3", 3, 16, parent, proof.siblings[1:]).verify(tree.root)


def test_expectations():
    tree = TREES["rp64_256_v3"]
    proof = tree.prove(9)
    right = {"n_leaves": 16, "index": 9, "leaf": proof.leaf, "hash": "rp64_256"}
    assert proof.verify(tree.root, **right)
    assert merklize.verify(proof.to_json(), tree.root, **right)
    assert proof.verify(tree.nodes[1], leaf=tree.nodes[16 + 9], hash="rp64_256_v3")
    assert proof.verify(bytearray(tree.root), leaf=memoryview(proof.leaf))
    wrong = {"n_leaves": 32, "index": 8, "leaf": bytes(32), "hash": "rp64_256_v2"}
    for name, value in wrong.items():
        assert not proof.verify(tree.root, **{name: value})
        assert not merklize.verify(proof.to_bytes(), tree.root, **{**right, name: value})


@given(data=st.one_of(st.binary(max_size=400), st.text(max_size=100)))
def test_verify_is_total(data):
    """verify() returns False for random data, and raises nothing."""
    assert merklize.verify(data, TREES["blake3"].root) is False


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"root": bytes(31)}, merklize.InvalidArgument, "root must be 32 bytes, got 31 bytes"),
        ({"root": "root"}, TypeError, "root must be bytes-like, .* got str"),
        ({"root": None}, TypeError, "root must be bytes-like, .* got NoneType"),
        ({"root": [0] * 32}, TypeError, "root must be bytes-like, .* got list"),
        ({"key": b""}, merklize.InvalidArgument, "key must be 1 to 32 bytes, got 0"),
        ({"key": bytes(33)}, merklize.InvalidArgument, "key must be 1 to 32 bytes, got 33"),
        ({"key": "k" * 32}, TypeError, "key must be bytes-like, .* got str"),
        ({"context": b"purpose"}, TypeError, "context must be a string, got bytes"),
        ({"key": bytes(32), "context": "x"}, merklize.InvalidArgument, "exclude each other"),
        ({"n_leaves": "16"}, TypeError, "n_leaves must be an integer, got str"),
        ({"n_leaves": -1}, merklize.InvalidArgument, "n_leaves must be 0 to .*, got -1"),
        ({"hash": "blake2"}, merklize.InvalidArgument, "unknown hash 'blake2'; did you mean 'blake3'. known: .*blake3"),
        ({"hash": 3}, TypeError, "hash must be a string, got int"),
        ({"rule": "bitcoin"}, merklize.InvalidArgument, "unknown tree rule 'bitcoin'; known"),
    ],
)
def test_wrong_arguments_of_verify_are_errors(arguments, error, message):
    tree = TREES["blake3"]
    arguments = {"root": tree.root, **arguments}
    single, several = tree.prove(3), tree.prove_together([1, 5])
    for proof in (single, several):
        for call in (proof.verify, lambda **a: merklize.verify(proof.to_bytes(), **a)):  # noqa: B023
            with pytest.raises(error, match=message):
                call(**arguments)
    # The caller's mistakes are errors even if the proof is malformed.
    for malformed in (b"", "{}"):
        with pytest.raises(error, match=message):
            merklize.verify(malformed, **arguments)


@pytest.mark.parametrize("claimed", ["blake3", "blake2s", "sha256"])
@pytest.mark.parametrize("mode", [{"key": bytes(16)}, {"key": bytes(32)}, {"context": "purpose"}])
def test_a_claimed_hash_that_has_not_the_mode_is_no_error(claimed, mode):
    """The hash is what the prover says, so it must not make an error of the verifier's own key."""
    tree = merklize.MerkleTree(oracle.byte_leaves(11), claimed, rule="left_full")
    for proof in (tree.prove(3), tree.prove_together([1, 5])):
        assert proof.verify(tree.root, **mode) is False
        assert merklize.verify(proof.to_bytes(), tree.root, **mode) is False
    assert tree.prove_consistency(4).verify(bytes(32), tree.root, **mode) is False
    assert merklize.verify_each(tree.prove([1, 2]), tree.root, **mode) == [False, False]


def test_wrong_arguments_about_a_leaf_are_errors():
    tree = TREES["blake3"]
    for proof in (tree.prove(3), tree.prove(3).to_json()):
        verify = proof.verify if hasattr(proof, "verify") else lambda *a, **b: merklize.verify(proof, *a, **b)  # noqa: B023
        for arguments, error, message in (
            ({"index": 1.5}, TypeError, "index must be an integer, got float"),
            ({"index": 2**64}, merklize.InvalidArgument, "index must be 0 to"),
            ({"leaf": bytes(33)}, merklize.InvalidArgument, "leaf must be 32 bytes, got 33 bytes"),
            ({"leaf": "leaf"}, TypeError, "leaf must be bytes-like"),
        ):
            with pytest.raises(error, match=message):
                verify(tree.root, **arguments)
    for proof in (None, 5, [1, 2]):
        with pytest.raises(TypeError, match="must be bytes-like"):
            merklize.verify(proof, tree.root)
    assert not merklize.verify(tree.prove_together([3]), tree.root, index=3)
    growth = tree.prove_consistency(4)
    with pytest.raises(TypeError, match="has two roots"):
        merklize.verify(growth, tree.root)
    for roots in ((bytes(31), tree.root), (tree.root, "00" * 31)):
        with pytest.raises((TypeError, merklize.InvalidArgument), match="root must be"):
            growth.verify(*roots)


def test_verify_each_takes_proofs():
    tree = TREES["blake3"]
    assert merklize.verify_each([], tree.root) == []
    for proofs, message in (
        ([b""], r"proofs\[0\] must be a MerkleProof, got bytes"),
        ([tree.prove(0), tree.prove_together([1])], r"proofs\[1\] must be a MerkleProof, got MultiProof"),
        (5, "must be an iterable of MerkleProof, got int"),
    ):
        with pytest.raises(TypeError, match=message):
            merklize.verify_each(proofs, tree.root)
    with pytest.raises(merklize.InvalidArgument, match="root must be 32 bytes, got 5 bytes"):
        merklize.verify_each([tree.prove(0)], bytes(5))


def test_json_with_lone_surrogates():
    text = TREES["blake3"].prove(5).to_json().replace("blake3", "\\ud800")
    assert not merklize.verify(text, TREES["blake3"].root)
    with pytest.raises(merklize.InvalidArgument, match="half of a surrogate pair"):
        merklize.MerkleProof.from_json(text)


_json = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=70)
    | st.just("00" * 32)
    | st.just("blake3"),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=8,
)


@settings(max_examples=300)
@given(field=st.sampled_from(["format", "hash", "index", "n_leaves", "leaf", "siblings", "other"]), value=_json)
def test_json_with_any_field_replaced(field, value):
    good = json.loads(TREES["blake3"].prove(5).to_json())
    forged = {**good, field: value}
    same = forged == good and type(forged[field]) is type(good.get(field))
    assert merklize.verify(json.dumps(forged), TREES["blake3"].root) == same


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not JSON"),
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        (b"\xff", "not JSON"),
        ("[1, 2]", "expected a JSON object, got a list"),
        ("null", "expected a JSON object, got null"),
        ('{"format": "merklize-proof-3"}', "'hash' is missing, 'index' is missing"),
    ],
)
def test_json_that_is_no_proof(text, message):
    with pytest.raises(merklize.InvalidArgument, match=message):
        merklize.MerkleProof.from_json(text)
    assert not merklize.verify(text, bytes(32))


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("format", "merklize-proof-1", "the format is 'merklize-proof-1'"),
        ("format", "merklize-proof-2", "the format is 'merklize-proof-2'"),  # there "sha256" was RFC 6962's hash
        ("hash", "md5", "unknown hash 'md5'"),
        ("hash", 3, "hash must be text, got 3"),
        ("index", -1, "index must be an integer of 0 to .* got -1"),
        ("index", 2**64, "index must be an integer"),
        ("index", True, "index must be an integer .* got true"),
        ("n_leaves", 16.0, "n_leaves must be an integer .* got 16.0"),
        ("leaf", "00", "leaf must be 64 hexadecimal digits, got '00'"),
        ("leaf", "0g" * 32, "leaf must be 64 hexadecimal digits"),
        ("leaf", " " * 32 + "0" * 32, "leaf must be 64 hexadecimal digits"),
        ("leaf", None, "leaf must be 64 hexadecimal digits, got null"),
        ("siblings", "00" * 32, "siblings must be a list"),
        ("siblings", ["00" * 32, 5], r"siblings\[1\] must be 64 hexadecimal digits, got 5"),
        ("colour", "blue", "'colour' is unknown"),
        ("c" * 1000, "blue", "'ccc.*ccc"),
        ("hash", "h" * 1000, "unknown hash 'hhh.*hhh"),
        ("rule", "r" * 1000, "unknown tree rule 'rrr.*rrr"),
        ("leaf", "l" * 1000, "leaf must be 64 hexadecimal digits, got 'lll.*lll"),
    ],
)
def test_json_with_a_wrong_field(field, value, message):
    fields = {**json.loads(TREES["blake3"].prove(5).to_json()), field: value}
    with pytest.raises(merklize.InvalidArgument, match=message) as caught:
        merklize.MerkleProof.from_json(json.dumps(fields))
    assert isinstance(caught.value, ValueError)
    assert len(str(caught.value)) < 1500  # a long name is cut


@pytest.mark.parametrize("hash", HASHES)
def test_round_trips(hash):
    proof = TREES[hash].prove(15)
    for other in (
        merklize.MerkleProof.from_bytes(proof.to_bytes()),
        merklize.MerkleProof.from_json(proof.to_json()),
        merklize.MerkleProof.from_json(proof.to_json().encode()),
        pickle.loads(pickle.dumps(proof)),
        copy.deepcopy(proof),
    ):
        assert other == proof
        assert {other, proof} == {proof}
        assert isinstance(other.siblings, tuple)
    assert proof != TREES[hash].prove(14)
    assert proof != "proof"
    with pytest.raises(merklize.InvalidArgument, match="these bytes are not a proof"):
        merklize.MerkleProof.from_bytes(proof.to_bytes()[1:])


def test_json_form():
    proof = TREES["blake3"].prove(2)
    assert json.loads(proof.to_json()) == {
        "format": "merklize-proof-3",
        "hash": "blake3",
        "rule": "left_full",
        "index": 2,
        "n_leaves": 16,
        "leaf": proof.leaf.hex(),
        "siblings": [sibling.hex() for sibling in proof.siblings],
    }


def test_immutable():
    proof = TREES["blake3"].prove(2)
    with pytest.raises(AttributeError, match="immutable: cannot set index"):
        proof.index = 3
    with pytest.raises(AttributeError, match="immutable: cannot delete leaf"):
        del proof.leaf
    assert repr(proof) == f"<MerkleProof: leaf 2 of 16, blake3, {proof.leaf.hex()}>"


def test_wrong_fields():
    good = {"hash": "blake3", "index": 0, "n_leaves": 2, "leaf": bytes(32), "siblings": (bytes(32),)}
    merklize.MerkleProof(**good)
    for name, value, message in (
        ("hash", "md5", "unknown hash 'md5'"),
        ("index", -1, "index must be 0 to 2.64 - 1, got -1"),
        ("n_leaves", 2**64, "n_leaves must be 0 to 2.64 - 1"),
        ("leaf", bytes(31), "leaf must be 32 bytes, got 31 bytes"),
        ("siblings", (bytes(32), bytes(5)), r"siblings\[1\] must be 32 bytes, got 5 bytes"),
    ):
        with pytest.raises(merklize.InvalidArgument, match=message):
            merklize.MerkleProof(**{**good, name: value})
    with pytest.raises(TypeError, match="MerkleProof: index must be an integer, got float"):
        merklize.MerkleProof(**{**good, "index": 0.0})


@pytest.mark.parametrize("kind", [np.int64, np.uint8])
def test_numbers_of_numpy(kind):
    tree = TREES["blake3"]
    one, several, added = tree.prove(5), tree.prove_together([1, 5]), tree.prove_consistency(7)
    for proof in one, several, added:
        fields = {name: getattr(proof, name) for name in proof._fields_}
        numbers = {name: kind(value) for name, value in fields.items() if isinstance(value, int)}
        assert numbers
        assert type(proof)(**{**fields, **numbers}) == proof


def test_field_words_must_be_canonical():
    """p + x is x modulo p. If both were valid, one leaf would have two proofs."""
    leaves = oracle.word_leaves(2).copy()
    leaves[1] = 5
    tree = merklize.MerkleTree(leaves, "rp64_256_v3")
    good = tree.prove(1)
    leaf = np.array([5 + P, 5, 5, 5], np.uint64).tobytes()
    assert good.verify(tree.root)
    assert not merklize.MerkleProof(good.hash, 1, 2, leaf, good.siblings).verify(tree.root)


@pytest.mark.parametrize("index", [2**63, 2**64 - 1, -1, 2**64])
def test_no_such_leaf(index):
    with pytest.raises(merklize.InvalidArgument, match=f"index must be .* got {index}"):
        TREES["blake3"].prove(index)
    assert TREES["blake3"].prove(np.int64(3)) == TREES["blake3"].prove(3)
    with pytest.raises(TypeError, match="index must be an integer, got float"):
        TREES["blake3"].prove(1.0)

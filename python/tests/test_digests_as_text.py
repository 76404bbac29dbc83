"""Roots and leaves in every form that they have: bytes, arrays, and 64 hexadecimal digits with or without 0x."""

import copy
import pathlib
import pickle
import re
import subprocess
import sys
import typing

import numpy as np
import pytest

import merklize

ROOT = pathlib.Path(__file__).resolve().parents[2]
RECORDS = [b"a", b"b", b"c", b"d"]
LEAVES = [merklize.hash(record) for record in RECORDS]
TREE = merklize.MerkleTree.from_messages(RECORDS)

FORMS = {
    "bytes": bytes,
    "bytearray": bytearray,
    "memoryview": memoryview,
    "array": lambda digest: np.frombuffer(digest, np.uint8),
    "words": lambda digest: np.frombuffer(digest, np.uint64),
    "digits": lambda digest: digest.hex(),
    "capitals": lambda digest: digest.hex().upper(),
    "0x": lambda digest: "0x" + digest.hex(),
    "0X": lambda digest: "0X" + digest.hex().upper(),
}


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    folder = tmp_path_factory.mktemp("digests")
    (folder / "data").write_bytes(bytes(range(256)) * 64)
    return folder


def changed(form):
    tree = merklize.MerkleTree([*LEAVES[:1], bytes(32), *LEAVES[2:]])
    tree.update({1: form(LEAVES[1])})
    return tree.root


def changed_file(folder, form):
    merklize.MerkleTree([bytes(32), *LEAVES[1:]]).save(folder / "changed.mkl")
    with merklize.TreeFile(folder / "changed.mkl") as tree:
        tree.update({0: form(LEAVES[0])})
        return tree.root


def again(form):
    tree = merklize.MerkleTree(LEAVES, drop_levels=1)
    leaves = [form(leaf) for leaf in LEAVES]
    proofs = tree.prove(1, leaves), *tree.prove([1], leaves), tree.prove_together([1], leaves)
    assert all(proof.verify(TREE.root) for proof in (*proofs, tree.prove_range(1, 2, leaves)))
    return tree.root


# Every call that takes leaves and every form of a list: test_tree.py.
TREES = {
    "MerkleForest": lambda form, _: merklize.MerkleForest([[form(leaf) for leaf in LEAVES]] * 3).roots[2].tobytes(),
    "MerkleTree.update": lambda form, _: changed(form),
    "TreeFile.update": lambda form, folder: changed_file(folder, form),
    "leaves again": lambda form, _: again(form),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("make", TREES)
def test_leaves_of_every_form(make, form, places):
    assert TREES[make](FORMS[form], places) == TREE.root


def verified_file(folder, form):
    made = merklize.build_tree_file(folder / "data", folder / "data.mkl", leaf_size=1024)
    with merklize.TreeFile(folder / "data.mkl") as tree:
        return tree.prove(2).verify(form(made.root))


def bao(form):
    data = bytes(5000)
    made, encoding = merklize.bao.outboard(data), merklize.bao.encode(data)
    assert merklize.bao.decode(encoding.encoding, form(made.root)) == data
    return bool(merklize.bao.verify(data, form(made.root), made.outboard))


def of_parts(form):
    one, several = TREE.prove(1), TREE.prove_together([0, 1])
    siblings = [form(sibling) for sibling in one.siblings]
    made = merklize.MerkleProof("blake3", 1, 4, form(LEAVES[1]), siblings)
    others = [form(sibling.tobytes()) for sibling in several.siblings]
    together = merklize.MultiProof("blake3", "left_full", 4, [0, 1], [form(leaf) for leaf in LEAVES[:2]], others)
    return made == one and together == several


def verity(folder, form):
    data, hashes = str(folder / "data"), str(folder / "hashes")
    root, _ = merklize.formats.dm_verity_format(data, hashes)
    return bool(merklize.formats.dm_verity_verify(data, hashes, form(root)))


VERIFIED = {
    "verify": lambda form, _: merklize.verify(TREE.prove(1), form(TREE.root), leaf=form(LEAVES[1]), index=1),
    "verify bytes": lambda form, _: merklize.verify(TREE.prove(1).to_bytes(), form(TREE.root)),
    "MerkleProof": lambda form, _: TREE.prove(1).verify(form(TREE.root), leaf=form(LEAVES[1])),
    "MultiProof": lambda form, _: TREE.prove_together([0, 2]).verify(form(TREE.root)),
    "ConsistencyProof": lambda form, _: TREE.prove_consistency(2).verify(
        form(merklize.MerkleTree(LEAVES[:2]).root), form(TREE.root)
    ),
    "verify_each": lambda form, _: merklize.verify_each([TREE.prove(3)], form(TREE.root)) == [True],
    "proofs of parts": lambda form, _: of_parts(form),
    "tree file": lambda form, folder: verified_file(folder, form),
    "bao": lambda form, _: bao(form),
    "dm-verity": lambda form, folder: verity(folder, form),
    "OpenZeppelin": lambda form, _: merklize.formats.verify_openzeppelin([], form(LEAVES[0]), form(LEAVES[0])),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("verify", VERIFIED)
def test_roots_of_every_form(verify, form, places):
    assert VERIFIED[verify](FORMS[form], places)


@pytest.mark.parametrize(
    "text", ["", "0x", "ab", "0" * 63, "0" * 65, "0x" + "0" * 63, "g" * 64, " " + "0" * 63, "é" * 64]
)
def test_text_that_is_no_digest(text):
    digits = text.removeprefix("0x")
    is_hex = all(digit in "0123456789abcdef" for digit in digits)
    error, got = (TypeError, "bytes-like, .* or 64 hexadecimal digits, got str")
    if is_hex:
        error, got = merklize.InvalidArgument, f"32 bytes or 64 hexadecimal digits, got {len(digits)} digits"
    for verify in (
        lambda: merklize.verify(TREE.prove(1), text),
        lambda: TREE.prove(1).verify(TREE.root, leaf=text),
        lambda: merklize.verify_each([TREE.prove(1)], text),
    ):
        with pytest.raises(error, match=f"must be {got}"):
            verify()
    with pytest.raises(error, match="MerkleTree: leaf 1 must be a digest of 32 bytes, got "):
        merklize.MerkleTree([bytes(32), text])


def test_a_record_in_the_place_of_its_digest():
    with pytest.raises(
        merklize.InvalidArgument, match=re.escape("the leaf is the digest of a record: merklize.hash(record)")
    ):
        merklize.verify(TREE.prove(1), TREE.root, leaf=RECORDS[1])


@pytest.mark.parametrize(
    ("leaves", "error", "said"),
    [
        ([5], TypeError, "MerkleTree: leaf 0 must be a digest of 32 bytes, got int"),
        ([[LEAVES[0]]], TypeError, "leaf 0 must be a digest of 32 bytes, got list"),
        ("ab" * 32, TypeError, "leaves must be an array or a list of digests, got str"),
        (
            [LEAVES[0], b"c"],
            merklize.InvalidArgument,
            "leaf 1 must be a digest of 32 bytes, got 1 bytes; MerkleTree.from_messages",
        ),
    ],
)
def test_lists_of_no_digests(leaves, error, said):
    with pytest.raises(error, match=said):
        merklize.MerkleTree(leaves)


@pytest.mark.parametrize(
    ("leaves", "error", "said"),
    [
        (LEAVES, TypeError, r"MerkleForest: leaves\[0\] must be an array or a list of digests, got bytes"),
        ([LEAVES, LEAVES[:2]], merklize.InvalidArgument, "leaves must be lists of equally many digests, got 2 and 4"),
        ([[b"a"]], merklize.InvalidArgument, r"leaves\[0\]: leaf 0 must be a digest of 32 bytes"),
        ([], merklize.InvalidArgument, "MerkleForest"),
    ],
)
def test_forests_of_no_digests(leaves, error, said):
    with pytest.raises(error, match=said):
        merklize.MerkleForest(leaves)


def test_manifests_are_pickled(tmp_path):
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "config.json").write_text("{}")
    on_disk = merklize.manifest(tmp_path / "model")
    on_disk.save(tmp_path / "model" / "manifest.json")
    for made in (merklize.manifest({"a": np.arange(9), "b": np.zeros((2, 3))}), on_disk):
        for other in (pickle.loads(pickle.dumps(made)), copy.copy(made), copy.deepcopy(made)):
            assert other == made
            assert (other.root, other.to_json(), repr(other)) == (made.root, made.to_json(), repr(made))
    # It is as usable as before: it knows its folder and its own file, which is no part of the folder.
    assert pickle.loads(pickle.dumps(on_disk)).refresh(tmp_path / "model").manifest == on_disk
    run = "import pickle, sys; print(pickle.load(sys.stdin.buffer).root.hex())"
    done = subprocess.run([sys.executable, "-c", run], input=pickle.dumps(on_disk), capture_output=True, check=True)
    assert done.stdout.decode().strip() == on_disk.root.hex()


def test_types_name_every_hash():
    """The Literal and the union are written by scripts/hash_names.py, from the list of hashes."""
    from merklize import _type_definitions

    assert subprocess.run([sys.executable, ROOT / "scripts/hash_names.py", "--check"]).returncode == 0
    names = typing.get_args(_type_definitions.NamedHash)
    assert names[: len(merklize.HASHES)] == merklize.HASHES
    for name in names:
        assert len(merklize.merge(bytes(32), bytes(32), name)) == 32
    page = (ROOT / "web/index.d.ts").read_text()
    union = re.search(r"export type HashName =\n(.*?);\n", page, re.DOTALL)
    assert re.findall(r"'(\w+)'", union[1]) == list(names)

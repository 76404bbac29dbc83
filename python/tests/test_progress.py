"""Every public call that takes `progress`: what is no function is refused, and long calls call it and can be ended."""

import numpy as np
import pytest

import merklize
from merklize import bao, formats, parts, prover
from merklize.errors import Cancelled
from test_options import functions

LEAVES = np.zeros((4, 32), np.uint8)
LONG = bytes(64 << 20)
STATE = {"a": np.ones(3, np.float32)}
MANY = {str(k): np.frombuffer(LONG, np.float32)[k:] for k in range(40)}
RECORDS = np.zeros((4, 16), np.uint8)


def shapes(name, given):
    """Arguments of the calls. `given` is a folder with a file "data" and a tree "tree.mkl"."""
    file, tree = given / "data", given / "tree.mkl"
    return {
        "Manifest.check": lambda **how: merklize.manifest(STATE).check(STATE, **how),
        "Manifest.refresh": lambda **how: merklize.manifest(file.parent).refresh(given, **how),
        "MerkleForest": lambda **how: merklize.MerkleForest(LEAVES[None], **how),
        "MerkleTree": lambda **how: merklize.MerkleTree(LEAVES, **how),
        "MerkleTree.append": lambda **how: merklize.MerkleTree(LEAVES, rule="left_full").append(LEAVES, **how),
        "MerkleTree.from_file": lambda **how: merklize.MerkleTree.from_file(file, 32, **how),
        "MerkleTree.from_messages": lambda **how: merklize.MerkleTree.from_messages([b"a"], **how),
        "MerkleTree.from_rows": lambda **how: merklize.MerkleTree.from_rows(LEAVES, **how),
        "MerkleTree.load": lambda **how: merklize.MerkleTree.load(tree, **how),
        "MerkleTree.update": lambda **how: merklize.MerkleTree(LEAVES).update({0: bytes(32)}, **how),
        "TreeBuilder": lambda **how: merklize.TreeBuilder(**how),
        "TreeFile.append": lambda **how: merklize.TreeFile(tree).append(LEAVES, **how),
        "TreeFile.append_file": lambda **how: merklize.TreeFile(tree).append_file(file, leaf_size=32, **how),
        "TreeFile.check": lambda **how: merklize.TreeFile(tree).check(**how),
        "TreeFile.compare": lambda **how: merklize.TreeFile(tree).compare(file, leaf_size=32, **how),
        "TreeFile.update": lambda **how: merklize.TreeFile(tree).update({0: bytes(32)}, **how),
        "TreeWriter": lambda **how: merklize.TreeWriter(given / "new.mkl", 4, **how),
        "build_tree": lambda **how: merklize.build_tree(np.zeros((8, 32), np.uint8), **how),
        "build_tree_file": lambda **how: merklize.build_tree_file(file, given / "new.mkl", leaf_size=32, **how),
        "hash": lambda **how: merklize.hash(b"", **how),
        "hash_each": lambda **how: merklize.hash_each([b""], **how),
        "hash_file": lambda **how: merklize.hash_file(file, **how),
        "hash_files": lambda **how: merklize.hash_files([file], **how),
        "hash_leaves": lambda **how: merklize.hash_leaves(RECORDS, **how),
        "hash_rows": lambda **how: merklize.hash_rows(RECORDS, **how),
        "manifest": lambda **how: merklize.manifest(STATE, **how),
        "merge": lambda **how: merklize.merge(LEAVES, LEAVES, **how),
        "merkle_root": lambda **how: merklize.merkle_root(LEAVES, **how),
        "merkle_root_file": lambda **how: merklize.merkle_root_file(file, leaf_size=32, **how),
        "verify_each": lambda **how: merklize.verify_each([], bytes(32), **how),
        "prover.MatrixCommitment": lambda **how: prover.MatrixCommitment([RECORDS], **how),
        "prover.extend": lambda **how: prover.extend(np.zeros((4, 2), np.uint32), 1, field="babybear", **how),
        "parts.TreePlan.leaves": lambda **how: parts.plan_tree("x", 4096, 32).leaves(file, 0, 1, **how),
        "parts.hash_file_ranges": lambda **how: parts.hash_file_ranges(file, [(0, 1)], **how),
        "parts.piece_values": lambda **how: parts.piece_values(file, (0, 1 << 18), 0, 1 << 18, **how),
        "formats.bittorrent_v2": lambda **how: formats.bittorrent_v2(b"", **how),
        "formats.dm_verity": lambda **how: formats.dm_verity(bytes(4096), **how),
        "formats.dm_verity_format": lambda **how: formats.dm_verity_format(file, given / "hashes", **how),
        "formats.dm_verity_verify": lambda **how: formats.dm_verity_verify(file, file, bytes(32), **how),
        "formats.dm_verity_verify_digests": lambda **how: formats.dm_verity_verify_digests(
            file, bytes(32), 0, LEAVES, **how
        ),
        "formats.fs_verity": lambda **how: formats.fs_verity(b"", **how),
        "formats.glacier": lambda **how: formats.glacier(b"", **how),
        "formats.openzeppelin": lambda **how: formats.openzeppelin([[1]], ["uint8"], **how),
        "formats.openzeppelin_simple": lambda **how: formats.openzeppelin_simple(LEAVES, **how),
        "formats.piece_cid": lambda **how: formats.piece_cid(bytes(128), **how),
        "formats.ssz": lambda **how: formats.ssz(LEAVES, **how),
        "formats.xet": lambda **how: formats.xet(b"", **how),
        "formats.xet_files": lambda **how: formats.xet_files([file], **how),
        "bao.encode": lambda **how: bao.encode(b"", **how),
        "bao.encode_file": lambda **how: bao.encode_file(file, given / "new.bao", **how),
        "bao.fetch": lambda **how: bao.fetch("http://127.0.0.1:9/x", bytes(32), bytes(8), given / "new", **how),
        "bao.outboard": lambda **how: bao.outboard(b"", **how),
        "bao.outboard_file": lambda **how: bao.outboard_file(file, **how),
        "bao.verify": lambda **how: bao.verify(b"", merklize.hash(b""), bytes(8), **how),
    }[name]


LONG_CALLS = {
    "manifest": lambda **how: merklize.manifest(MANY, **how),
    "manifest without pieces": lambda **how: merklize.manifest(MANY, piece_size=0, **how),
    "manifest by tiles": lambda **how: merklize.manifest(MANY, tiles=True, **how),
    "Manifest.check": lambda **how: merklize.manifest(STATE).check(MANY, **how),
    "Manifest.check by tiles": lambda **how: merklize.manifest(MANY, tiles=True).check(MANY, **how),
    "fs_verity of SHA-512": lambda **how: formats.fs_verity(LONG, algorithm="sha512", **how),
    "openzeppelin_simple": lambda **how: formats.openzeppelin_simple(np.zeros((1 << 20, 32), np.uint8), **how),
    "hash_leaves, of many lengths": lambda **how: merklize.hash_leaves(
        [LONG[:size] for size in range(5000, 8000)] * 10, "sha3_256", **how
    ),
    "openzeppelin": lambda **how: formats.openzeppelin([[k] for k in range(1 << 16)], ["uint32"], **how),
}


@pytest.mark.parametrize("name", [name for name, parameters in functions() if "progress" in parameters])
def test_what_is_no_function(name, tmp_path):
    (tmp_path / "data").write_bytes(bytes(4096))
    merklize.MerkleTree(LEAVES, rule="left_full").save(tmp_path / "tree.mkl")
    with pytest.raises(TypeError, match=r"progress must be callable, got int$"):
        shapes(name, tmp_path)(progress=5)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["data", "tree.mkl"]


@pytest.mark.parametrize("call", LONG_CALLS)
def test_long_calls(call):
    told = []
    LONG_CALLS[call](progress=told.append, threads=1)
    assert told == sorted(told)
    assert told
    assert 0 <= told[0] <= told[-1] <= 1
    with pytest.raises(Cancelled):
        LONG_CALLS[call](progress=lambda share: False, threads=1)

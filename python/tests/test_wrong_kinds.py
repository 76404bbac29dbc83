"""Arguments of the wrong kind are errors: the process does not crash, memory does not grow, and nothing is valid."""

import array
import contextlib
import io
import itertools
import json
import pathlib
import pickle
import re
import subprocess
import sys
import weakref

import numpy as np
import pytest

import merklize
import oracle
from merklize import bao, formats, manifests, parts, prover, sharded, xmss
from wrong_kinds import (
    ALLOWED,
    DLPack,
    calls_with,
    closed_map,
    consume,
    holding_itself,
    made_objects,
    methods,
    public,
    released,
)

PROGRAM = pathlib.Path(__file__).with_name("wrong_kinds.py")


@pytest.mark.parametrize(
    ("calls", "seed"), [(10_000, 1), *(pytest.param(100_000, seed, marks=pytest.mark.slow) for seed in range(1, 4))]
)
def test_calls_of_the_wrong_kind(calls, seed):
    done = subprocess.run(
        [sys.executable, PROGRAM, f"--calls={calls}", f"--seed={seed}"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-5000:]


CLOSED = {
    "mmap": closed_map,
    "memoryview": lambda: released(memoryview),
    "PickleBuffer": lambda: released(pickle.PickleBuffer),
}
ROOT = bytes(32)
TAKE_BYTES = {
    "hash": merklize.hash,
    "hash of SHA-256": lambda data: merklize.hash(data, hash="sha256"),
    "key": lambda data: merklize.hash(b"", key=data),
    "Hasher": merklize.Hasher,
    "update": lambda data: merklize.Hasher().update(data),
    "hash_each": lambda data: merklize.hash_each([b"", data]),
    "hash_each of names": lambda data: merklize.hash_each({"a": data}),
    "hash_leaves": lambda data: merklize.hash_leaves([data]),
    "hash_leaves of SHA-256": lambda data: merklize.hash_leaves([data], "sha256_rfc6962"),
    "merge": lambda data: merklize.merge(data, ROOT),
    "padding": lambda data: merklize.MerkleTree(oracle.byte_leaves(3), rule="pad", padding=data),
    "verify: proof": lambda data: merklize.verify(data, ROOT),
    "verify: root": lambda data: oracle_tree().prove(0).verify(data),
    "verify: leaf": lambda data: oracle_tree().prove(0).verify(ROOT, leaf=data),
    "verify_each": lambda data: merklize.verify_each([], data),
    "update of a tree": lambda data: oracle_tree().update({0: data}),
    "MerkleProof": lambda data: merklize.MerkleProof("blake3", 0, 2, ROOT, [data]),
    "MerkleProof.from_bytes": merklize.MerkleProof.from_bytes,
    "ConsistencyProof.from_bytes": merklize.ConsistencyProof.from_bytes,
    "glacier": formats.glacier,
    "bittorrent_v2": formats.bittorrent_v2,
    "fs_verity": formats.fs_verity,
    "fs_verity: SHA-512": lambda data: formats.fs_verity(data, algorithm="sha512"),
    "fs_verity: salt": lambda data: formats.fs_verity(b"", salt=data),
    "ssz": formats.ssz,
    "xmss.keys": lambda data: xmss.keys([data], 0, 1),
    "sign": lambda data: xmss.keys([ROOT], 0, 1)[0].sign(0, data),
    "xmss.verify": lambda data: xmss.verify(ROOT, 0, ROOT, data),
    "xmss.verify_each": lambda data: xmss.verify_each([ROOT], [0], [ROOT], [data]),
    "xet": formats.xet,
    "xet_chunks": formats.xet_chunks,
    "outboard": bao.outboard,
    "encode": bao.encode,
    "decode": lambda data: bao.decode(data, ROOT),
    "decode with an outboard": lambda data: bao.decode(data, ROOT, outboard=b""),
    "slice": lambda data: bao.slice(data, 0, 1),
    "decode_slice": lambda data: bao.decode_slice(data, ROOT, 0, 1),
    "bao.verify": lambda data: bao.verify(data, ROOT, b""),
    "bao.verify: outboard": lambda data: bao.verify(b"", ROOT, data),
    "Decoder": bao.Decoder,
    "Reader": lambda data: bao.Reader(io.BytesIO(), data, b"", size=0),
}


def oracle_tree():
    return merklize.MerkleTree(oracle.byte_leaves(8))


@pytest.mark.parametrize("call", TAKE_BYTES)
@pytest.mark.parametrize("kind", CLOSED)
def test_closed_buffers(kind, call):
    with pytest.raises(merklize.InvalidArgument, match=r"closed|released"):
        TAKE_BYTES[call](CLOSED[kind]())


@pytest.mark.parametrize("attribute", ["__array_struct__", "__array_interface__", "__buffer__", "__dlpack__"])
@pytest.mark.parametrize("call", TAKE_BYTES)
def test_what_only_claims_to_be_an_array(call, attribute):
    class Claim:
        pass

    setattr(Claim, attribute, 5)
    with pytest.raises(TypeError):
        TAKE_BYTES[call](Claim())


@pytest.mark.parametrize("fields", [
    {"ndim": -1}, {"ndim": -(2**31)}, {"ndim": 65}, {"shape": None}, {"data": None}, {"device_type": 2},
    {"device_type": 13}, {"device_type": 9}, {"extents": (-1, 32)}, {"extents": (2**62, 2**62)}, {"bits": 7},
    {"lanes": 0},
], ids=str)  # fmt: skip
def test_tensors_that_lie(fields):
    assert merklize.hash(DLPack()) == merklize.hash(bytes(32))
    for call in (merklize.hash, lambda data: merklize.hash_each([data]), lambda data: merklize.Hasher().update(data)):
        with pytest.raises(merklize.InvalidArgument):
            call(DLPack(**fields))


def test_interfaces_that_lie():
    good = {"shape": (1,), "typestr": "|u1", "data": (4096, False), "version": 3}

    class Claim:
        def __init__(self, interface):
            self.__cuda_array_interface__ = interface

    wrong = [5, None, [], {}, {**good, "shape": 5}, {**good, "shape": (2**70,)}, {**good, "shape": (None,)}]
    wrong += [{**good, "data": 5}, {**good, "data": (2**70, False)}, {**good, "data": ("x", False)}]
    wrong += [{**good, "typestr": 5}, {**good, "typestr": "|u"}, {**good, "strides": 5}, {**good, "strides": (2**70,)}]
    for interface in wrong:
        with pytest.raises((TypeError, merklize.InvalidArgument)):
            merklize.hash(Claim(interface))


def test_objects_that_nothing_made():
    class Own(merklize.Hasher):
        def __init__(self):
            pass

    def timed(timings):
        with merklize.tuning.options(timings=timings):
            merklize.hash(b"")

    array = merklize.DeviceArray.__new__(merklize.DeviceArray)
    for call in (
        lambda: Own().update(b""),
        lambda: Own().copy(),
        lambda: merklize.hash(array),
        lambda: merklize.hash_each([array]),
        lambda: merklize.MerkleTree(array),
        lambda: array.numpy(),
        lambda: timed(merklize.tuning.Timings.__new__(merklize.tuning.Timings)),
        lambda: memoryview(merklize._native.Tree.__new__(merklize._native.Tree)),
    ):
        with pytest.raises((TypeError, BufferError)):
            call()


TAKE_INTEGERS = {
    "length": lambda value: merklize.hash(b"", length=value),
    "seek": lambda value: merklize.hash(b"", seek=value),
    "threads": lambda value: merklize.hash(b"", threads=value),
    "length of a hasher": lambda value: merklize.Hasher().digest(length=value),
    "hash_each: length": lambda value: merklize.hash_each([b""], length=value),
    "prove": lambda value: oracle_tree().prove(value),
    "prove several": lambda value: oracle_tree().prove([value]),
    "prove together": lambda value: oracle_tree().prove_together([value]),
    "prove growth": lambda value: oracle_tree().prove_consistency(value),
    "update": lambda value: oracle_tree().update({value: ROOT}),
    "open": lambda value: prover.MatrixCommitment(oracle.byte_leaves(8)).open(value),
    "zero_hash": formats.zero_hash,
    "glacier": lambda value: formats.glacier(b"", threads=value),
    "first_epoch": lambda value: xmss.keys([ROOT], value, 4),
    "epoch": lambda value: xmss.keys([ROOT], 0, 4)[0].path(value),
    "xmss.verify": lambda value: xmss.verify(ROOT, value, ROOT, bytes(1208)),
    "slice": lambda value: bao.slice(bao.encode(b"text")[1], value, 1),
    "manifest": lambda value: merklize.manifest({"w": np.zeros(3)}, piece_size=value),
    "shape of a box": lambda value: sharded.nodes([sharded.Box("w", (value, 3), (0, 0), np.zeros((1, 3)))]),
    "offset of a box": lambda value: sharded.nodes([sharded.Box("w", (2, 3), (value, 0), np.zeros((1, 3)))]),
    "flat": lambda value: sharded.flat("w", (5,), value, np.zeros(3)),
}


@pytest.mark.parametrize("value", [1.0, "1", b"1", None, np.bool_(True), np.float64(1)], ids=repr)
@pytest.mark.parametrize("call", TAKE_INTEGERS)
def test_what_is_no_integer(call, value):
    if (call, value) in (("threads", None), ("glacier", None), ("prove", b"1")):
        return  # the default; bytes are several integers
    with pytest.raises(TypeError, match=r"must be (an integer|integers)"):
        TAKE_INTEGERS[call](value)


TAKE_FLAGS = {
    "tiles": lambda value: merklize.manifest({"w": np.zeros(3)}, tiles=value),
    "tiles of a file": lambda value: merklize.manifest("none", tiles=value),
    "nodes": lambda value: sharded.nodes([], tiles=value),
    "follow_links": lambda value: merklize.manifest("none", follow_links=value),
    "everything": lambda value: merklize.manifest({"w": np.zeros(3)}).refresh("none", everything=value),
    "salt_after": lambda value: formats.dm_verity("none", salt=b"", salt_after=value),
    "sort_leaves": lambda value: formats.openzeppelin([[1]], ["uint8"], sort_leaves=value),
    "sort_leaves of digests": lambda value: formats.openzeppelin_simple([ROOT], sort_leaves=value),
    "keep": lambda value: prover.MatrixCommitment(oracle.byte_leaves(8), keep=value),
    "resume": lambda value: merklize.build_tree_file("none", "none.mkl", leaf_size=64, resume=value),
    "leaves": lambda value: merklize.merkle_root_file("none", leaves=value),
    "mmap": lambda value: merklize.hash_file("none", mmap=value),
    "wait": lambda value: merklize.hash(b"", wait=value),
}


@pytest.mark.parametrize("value", ["no", "", b"no", bytearray(b"x"), 1, [False], np.ones(2), None], ids=repr)
@pytest.mark.parametrize("call", TAKE_FLAGS)
def test_what_is_neither_true_nor_false(call, value):
    """As Python has it "no" and [False] are true, and so is a salt in the place of salt_after."""
    with pytest.raises(TypeError, match=r"^[\w.]+: \w+ must be .*True"):
        TAKE_FLAGS[call](value)


def test_truth_of_numpy():
    leaves = oracle.byte_leaves(8)
    tree = prover.MatrixCommitment(leaves, keep=np.bool_(False))
    assert tree.cap.tobytes() == prover.MatrixCommitment(leaves, keep=False).cap.tobytes()
    assert merklize.manifest({"w": np.zeros(3)}, tiles=np.bool_(True)).digest == "tiles-v1"


ENDLESS = {
    "integers": itertools.count,
    "a range": lambda: range(2**40),
    "the same": lambda: itertools.repeat(0),
    "nothing": lambda: itertools.repeat(None),
}


def calls_of_iterables(tmp_path):
    tree = oracle_tree()
    tree.save(tmp_path / "tree.mkl")
    file = merklize.TreeFile(tmp_path / "tree.mkl")
    commitment = merklize.prover.MatrixCommitment(oracle.byte_leaves(8))
    standard = formats.openzeppelin([[1], [2]], ["uint8"])
    return [
        tree.prove,
        tree.prove_together,
        lambda items: tree.update(items, oracle.byte_leaves(8)),
        file.prove,
        file.prove_together,
        commitment.open_many,
        commitment.open_together,
        standard.prove_together,
        lambda items: formats.openzeppelin(items, ["uint8"]),
        formats.openzeppelin_simple,
        merklize.hash_each,
        merklize.hash_leaves,
        merklize.MerkleTree.from_messages,
        merklize.hash_files,
        formats.xet_files,
        merklize.parts.hash_parts,
        merklize.parts.merkle_root_parts,
        lambda items: merklize.verify_each(items, ROOT),
        lambda items: merklize.MerkleProof("blake3", 0, 8, ROOT, items),
        lambda items: merklize.ConsistencyProof("blake3", 1, 8, items),
        lambda items: merklize.prover.verify_opening((0, [], []), commitment.cap, items),
        lambda items: bao.slice_ranges(b"", items),
        lambda items: bao.Decoder(ROOT, ranges=items),
        merklize.prover.MatrixCommitment,
        lambda items: xmss.keys(items, 0, 1),
        lambda items: xmss.verify_each(items, [0], [ROOT], [ROOT]),
        lambda items: xmss.verify_each([ROOT], items, [ROOT], [ROOT]),
        lambda items: parts.hash_file_ranges(tmp_path / "tree.mkl", items),
        sharded.combine,
        *calls_of_patterns(tmp_path),
    ]


def calls_of_patterns(tmp_path):
    model = {"a.b": np.zeros(3, np.float32)}
    manifest = merklize.manifest(model)
    return [
        lambda only: manifest.check(model, only=only),
        lambda only: merklize.check_model(model, manifest, only=only),
        lambda only: merklize.check_model({"b": model["a.b"]}, manifest, only=only, prefix="a."),
        lambda ignore: merklize.manifest(tmp_path, ignore=ignore),
        lambda ignore: manifests.find_weights(tmp_path, ignore=ignore),
    ]


@pytest.mark.parametrize(("wrong", "text"), [
    ("b", "must be a list of patterns, got a string"), (b"b", "a pattern must be a string, got int"),
    ([b"b"], "a pattern must be a string, got bytes"), ([None], "a pattern must be a string, got NoneType"),
    (5, "must be a list of patterns, got int"), (None, "must be a list of patterns, got NoneType"),
], ids=repr)  # fmt: skip
def test_patterns_of_the_wrong_kind(wrong, text, tmp_path):
    """A string would be the patterns of its letters, by which other tensors are checked, or none."""
    for call in calls_of_patterns(tmp_path):
        with pytest.raises(TypeError, match=rf"^\w+: (only|ignore):? {text}$"):
            call(wrong)


@pytest.mark.parametrize(("wrong", "text"), [
    ([5], "a range must be .*, got int"), ([None], "a range must be .*, got NoneType"),
    ([b"ab"], "a range must be .*, got bytes"), (["ab"], "a range must be .*, got str"),
    ([{0: 1, 1: 2}], "a range must be .*, got dict"), ([{0, 3}], "a range must be .*, got set"),
    ([()], "a range must be .*, got 0 items"), ([(1,)], "a range must be .*, got 1 items"),
    ([(0, 2, 3)], "a range must be .*, got 3 items"), ([(0, 1.5)], "must be an integer, got float"),
    ([(-1, 3)], "must be 0 to 2\\^64 - 1, got -1"), (5, "ranges must be an iterable, got int"),
    (None, "ranges must be an iterable, got NoneType"),
], ids=repr)  # fmt: skip
def test_ranges_of_the_wrong_kind(wrong, text, tmp_path):
    (tmp_path / "file").write_bytes(b"abcdefgh")
    calls = {
        "hash_file_ranges": lambda ranges: parts.hash_file_ranges(tmp_path / "file", ranges),
        "slice_ranges": lambda ranges: bao.slice_ranges(bao.encode(b"abcdefgh").encoding, ranges),
        "Decoder": lambda ranges: bao.Decoder(ROOT, ranges=ranges),
    }
    if wrong is None:  # of an encoding
        del calls["Decoder"]
    for name, call in calls.items():
        with pytest.raises((TypeError, merklize.InvalidArgument), match=f"^{name}: .*{text}$"):
            call(wrong)


@pytest.mark.parametrize("kind", [set, frozenset])
def test_sets_where_the_order_counts(kind, tmp_path):
    """The order of a set changes from run to run, and with it the root, or which leaf belongs to which index."""
    tree = oracle_tree()
    digests, texts = kind([ROOT, bytes([1] * 32)]), kind([b"a", b"b"])
    (tmp_path / "file").write_bytes(b"abc")
    for call in (
        lambda: merklize.hash_each(texts),
        lambda: merklize.hash_leaves(texts),
        lambda: merklize.MerkleTree.from_messages(texts),
        lambda: merklize.MerkleTree(digests),
        lambda: merklize.merkle_root(digests),
        lambda: merklize.hash_files(texts),
        lambda: merklize.verify_each(kind([tree.prove(0)]), tree.root),
        lambda: merklize.MerkleProof("blake3", 0, 4, ROOT, digests),
        lambda: merklize.ConsistencyProof("blake3", 1, 8, digests),
        lambda: tree.update(kind([0, 1]), [ROOT, ROOT]),
        lambda: formats.xet_files(texts),
        lambda: formats.openzeppelin(kind([(1,), (2,)]), ["uint8"]),
        lambda: formats.openzeppelin_simple(digests),
        lambda: formats.verify_openzeppelin(digests, ROOT, ROOT),
        lambda: parts.hash_parts(texts),
        lambda: parts.hash_file_ranges(tmp_path / "file", kind([(0, 1), (2, 3)])),
    ):
        with pytest.raises(TypeError, match=r"has no order; give a list|must be in an order, got|leaves must be"):
            call()
    assert {proof.index for proof in tree.prove(kind([1, 2]))} == {1, 2}
    assert tree.prove_together(kind([1, 2])).indices.tolist() == [1, 2]
    for call in calls_of_patterns(tmp_path)[-2:]:
        call(kind(["*.lock", ".git"]))


def test_ranges_may_be_rows(tmp_path):
    (tmp_path / "file").write_bytes(b"abcdefgh")
    for ranges in ([(2, 3)], [[2, 3]], np.array([[2, 3]]), iter([(2, 3)])):
        assert parts.hash_file_ranges(tmp_path / "file", ranges) == [(merklize.hash(b"cde"), b"")]


@pytest.mark.parametrize("view", [
    lambda: memoryview(np.zeros((4, 32), np.uint8)), lambda: memoryview(bytearray(64)).cast("B", (2, 32)),
    lambda: memoryview(np.zeros((2, 4), np.uint64)), lambda: memoryview(np.zeros((2, 2, 32), np.uint8)),
    lambda: memoryview(np.array(5)),
], ids=["rows", "cast", "words", "three dimensions", "none"])  # fmt: skip
def test_views_of_several_dimensions_as_iterables(view, tmp_path):
    """CPython does not iterate over them: NotImplementedError."""
    for call in calls_of_iterables(tmp_path):
        with contextlib.suppress(TypeError, merklize.InvalidArgument):
            call(view())


def test_lists_that_hold_themselves(tmp_path):
    for kind in (list, dict):
        own = holding_itself(kind)
        for device in (own, [own], ["cpu", own], (own,), [["cpu"]]):
            for call in (
                lambda device=device: merklize.hash(b"", device=device),
                lambda device=device: merklize.MerkleTree(oracle.byte_leaves(2), device=device),
                lambda device=device: merklize.Hasher(device=device),
                lambda device=device: merklize.manifest({}, device=device),
            ):
                with pytest.raises((TypeError, merklize.InvalidArgument)):
                    call()
        for call in (
            lambda own=own: merklize.prover.poseidon2("goldilocks", 8, 4, (8, 22), own, [1]),
            lambda own=own: merklize.prover.poseidon2("goldilocks", 8, 4, (8, 22), [own] * 3, [1]),
            lambda own=own: merklize.prover.poseidon2("goldilocks", 8, 4, (8, 22), [1], own),
            lambda own=own: merklize.prover.poseidon("goldilocks", 8, 4, (8, 22), own, own),
            lambda own=own: merklize.MultiProof("blake3", "left_full", 8, own, [], []),
            lambda own=own: merklize.MultiProof("blake3", "left_full", 8, [1], own, own),
            lambda own=own: formats.openzeppelin([[own]], ["uint8[][]"]),
        ):
            with pytest.raises((TypeError, merklize.InvalidArgument)):
                call()
    commitment = merklize.prover.MatrixCommitment(oracle.byte_leaves(8))
    own = holding_itself(list)
    for opening in ((own, [own], own), (0, [own], own), (0, own, own)):
        assert not merklize.prover.verify_opening(opening, commitment.cap, commitment.dims)
    for call in calls_of_iterables(tmp_path):
        with contextlib.suppress(TypeError, merklize.InvalidArgument):
            call(own)


@pytest.mark.parametrize("kind", ENDLESS)
def test_iterables_without_end(kind, tmp_path):
    """Endless inputs are refused at the first impossible item, or when there are more items than possible."""
    made = ENDLESS[kind]
    tree, calls = oracle_tree(), calls_of_iterables(tmp_path)
    commitment = merklize.prover.MatrixCommitment(oracle.byte_leaves(8))
    for call in calls:
        with pytest.raises((TypeError, merklize.InvalidArgument)):
            call(made())
    for call in (lambda items: merklize.MerkleProof("blake3", 0, 8, ROOT, items),
                 lambda items: merklize.ConsistencyProof("blake3", 1, 8, items)):  # fmt: skip
        with pytest.raises(merklize.InvalidArgument, match="must be at most 6[45], got more"):
            call(itertools.repeat(ROOT))
    opening = commitment.open(0)
    assert not merklize.prover.verify_opening((made(), [opening.rows], []), commitment.cap, commitment.dims)
    with pytest.raises(merklize.InvalidArgument, match="zero_hash: depth must be at most 64"):
        formats.zero_hash(2**40)
    # Queries may repeat indices, so their number is not limited.
    assert len(tree.prove([0] * 20)) == len(commitment.open_many(np.zeros(20, np.uint64))) == 20
    assert len(tree.prove(iter([7, 0, 0]))) == 3


def test_weak_references(tmp_path):
    leaves = oracle.byte_leaves(8)
    tree = merklize.MerkleTree(leaves)
    tree.save(tmp_path / "tree.mkl")
    for thing in (
        tree,
        merklize.TreeFile(tmp_path / "tree.mkl"),
        merklize.TreeBuilder(),
        merklize.TreeWriter(tmp_path / "written.mkl", 8),
        merklize.MerkleForest(leaves.reshape(2, 4, 32)),
        merklize.prover.MatrixCommitment(leaves),
        merklize.Hasher(),
        merklize.tuning.Timings(),
        merklize.DeviceArray.__new__(merklize.DeviceArray),
        merklize.merkle_root_file(tmp_path / "tree.mkl", leaf_size=100),
        tree.prove(1),
        tree.prove_together([1]),
        tree.prove_consistency(5),
        formats.openzeppelin_simple(leaves),
        bao.Decoder(ROOT),
        *xmss.keys([ROOT], 0, 1),
    ):
        assert weakref.ref(thing)() is thing
    reference = weakref.ref(tree)
    del tree, thing
    assert reference() is None


def test_kinds_of_proofs():
    tree = oracle_tree()
    growth = tree.prove_consistency(5)
    with pytest.raises(TypeError, match=r"verify: a ConsistencyProof has two roots: call its verify\(old_root, new"):
        merklize.verify(growth, tree.root)
    assert not merklize.verify(growth.to_bytes(), tree.root)  # bytes that are no proof of a leaf are just not valid
    assert not merklize.verify(growth.to_json(), tree.root)
    for proof in (None, 5, [tree.prove(0)], object()):
        with pytest.raises(TypeError, match="verify: proof must be bytes-like"):
            merklize.verify(proof, tree.root)
    for proofs in ([growth], [tree.prove_together([1])], [b""]):
        with pytest.raises(TypeError, match=r"proofs\[0\] must be a MerkleProof"):
            merklize.verify_each(proofs, tree.root)


@pytest.mark.parametrize("digits", [100, 4300, 4301, 100_000])
def test_integers_of_many_digits(digits):
    """Python neither prints nor reads integers of more than 4,300 digits."""
    number = 10 ** (digits - 1)
    text = "1" + "0" * (digits - 1)
    tree = oracle_tree()
    commitment = merklize.prover.MatrixCommitment(oracle.byte_leaves(8))
    standard = formats.openzeppelin([[1], [2]], ["uint8"])
    single, several, growth = tree.prove(1), tree.prove_together([1]), tree.prove_consistency(5)
    dump = standard.dump()
    with_text = [
        lambda: merklize.MerkleProof.from_json(single.to_json().replace('"index": 1', f'"index": {text}')),
        lambda: merklize.MultiProof.from_json(several.to_json().replace("[1]", f"[{text}]")),
        lambda: merklize.ConsistencyProof.from_json(growth.to_json().replace(": 5", f": {text}")),
        lambda: formats.OpenZeppelinTree.load(json.dumps(dump).replace('"treeIndex": 1', f'"treeIndex": {text}')),
        lambda: formats.OpenZeppelinTree.load(text),
        lambda: formats.openzeppelin([[text]], ["uint256"]),
    ]
    calls = [
        *with_text,
        lambda: merklize.hash(b"", length=number),
        lambda: merklize.hash(b"", seek=-number),
        lambda: merklize.hash(b"", threads=number),
        lambda: merklize.hash(b"", stream=number),
        lambda: merklize.tuning.options(policy={"lanes": number}),
        lambda: merklize.hash_rows(oracle.byte_leaves(2), length=number),
        lambda: merklize.Hasher().digest(number),
        lambda: tree.prove(number),
        lambda: tree.prove([-number]),
        lambda: tree.level(number),
        lambda: tree.cap(number),
        lambda: tree.prove_range(0, number),
        lambda: tree.update({number: ROOT}),
        lambda: merklize.prover.heap_slots(number),
        lambda: merklize.MerkleProof("blake3", number, 8, ROOT, []),
        lambda: single.verify(ROOT, index=number),
        lambda: merklize.MerkleForest(oracle.byte_leaves(8).reshape(2, 4, 32)).level(number),
        lambda: commitment.open(number),
        lambda: merklize.prover.poseidon2("goldilocks", 8, 4, (8, 22), [number], [1]),
        lambda: merklize.prover.poseidon2("goldilocks", 8, 4, (8, number), ([], [], []), [1]),
        lambda: formats.openzeppelin([[number]], ["uint256"]),
        lambda: formats.openzeppelin([[-number]], ["int8"]),
        lambda: formats.openzeppelin([[number]], ["bytes32"]),
        lambda: formats.openzeppelin([[1]], [f"uint{text}"]),
        lambda: standard.prove(number),
        lambda: formats.bittorrent_v2(b"", number),
        lambda: formats.ssz(b"", number),
        lambda: formats.zero_hash(number),
        lambda: bao.outboard(b"", group_size=number),
        lambda: bao.slice(b"", number, 1),
    ]
    for call in calls:
        with pytest.raises(merklize.InvalidArgument) as caught:
            call()
        assert len(str(caught.value)) < 400
    assert not merklize.verify(single.to_json().replace('"index": 1', f'"index": {text}'), tree.root)


def test_errors_of_numpy_and_cpython_do_not_come_through():
    data = oracle.byte_leaves(8).tobytes()
    made = bao.outboard(data)
    reader = bao.Reader(io.BytesIO(data), made.root, made.outboard)
    with pytest.raises(merklize.InvalidArgument, match="readinto: buffer must be writable bytes, got ndarray"):
        reader.readinto(np.zeros(3, "M8[s]"))
    several = np.array([0, 256])
    with pytest.raises(TypeError, match="verify: length must be an integer, got ndarray"):
        bao.verify(data, made.root, made.outboard, length=several)
    with pytest.raises(TypeError, match="verify: size must be an integer, got ndarray"):
        bao.verify(data, made.root, made.outboard, size=several)
    with pytest.raises(TypeError, match="Reader: size must be an integer, got ndarray"):
        bao.Reader(io.BytesIO(data), made.root, made.outboard, size=several)
    # CPython's iter() of a released memoryview is a SystemError.
    for call in (
        merklize.parts.merkle_root_parts,
        lambda views: merklize.verify_each(views, ROOT),
        merklize.prover.MatrixCommitment,
    ):
        with pytest.raises((ValueError, TypeError)):
            call(released(memoryview))


def test_matrices_of_references():
    """A pair of references has as many bytes as a word of 16."""
    pairs = np.zeros((4, 4), [("a", "O"), ("b", "O")])
    for call in (merklize.prover.MatrixCommitment, merklize.hash_rows):
        with pytest.raises(merklize.InvalidArgument, match=r"matrix 0 must be uint8, .*, got .*'O'"):
            call([pairs])


HUGE = 10**5000
WITHOUT_TRUTH_OR_DIGITS = {
    "array": np.arange(3),
    "integer": HUGE,
    "pairs": [(0, HUGE)],
    "name": {HUGE: ROOT},
    "lone surrogate": "\ud800",
    "file of a lone surrogate": "file:///\ud800",
    "zero byte": "a\0b",
}


@pytest.mark.parametrize("kind", WITHOUT_TRUTH_OR_DIGITS)
def test_values_without_truth_or_digits(kind, tmp_path, monkeypatch):
    """An array is neither true nor false; Python prints no integer of 5,000 digits; no path has a lone surrogate."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").write_bytes(b"data of a file")
    value = WITHOUT_TRUTH_OR_DIGITS[kind]
    modules = merklize, prover, sharded, parts, formats, bao, xmss, merklize.manifests
    calls = [pair for module in modules for pair in public(module)]
    calls += [("manifest", merklize.manifest), ("check_model", merklize.check_model), ("load", merklize.Manifest.load)]
    for thing in (*made_objects(0), merklize.manifest({"w": oracle.byte_leaves(1)})):
        if not isinstance(thing, merklize.DeviceArray):  # one that nothing made
            calls += [(name, getattr(thing, attribute)) for name, _, attribute in methods(thing)]
    for name, function in calls:
        for positional, named in calls_with(function, lambda _: [value]) if callable(function) else ():
            try:
                consume(function(*positional, **named))
            except ALLOWED:
                pass
            except Exception as error:
                pytest.fail(f"{name}: {type(error).__name__}: {error!s:.100}")


@pytest.mark.parametrize("path", ["\ud800", pathlib.Path("\ud800"), "a\0b", b"a\0b"], ids=ascii)
def test_paths_that_no_system_holds(path):
    made, leaves = bao.outboard(b"data"), merklize.manifest({"w": oracle.byte_leaves(1)})
    image = merklize.manifests.VerityImage(ROOT, path, "data")
    calls = {
        "load": lambda: merklize.Manifest.load(path),
        "save": lambda: leaves.save(path),
        "check": lambda: leaves.check(path),
        "refresh": lambda: leaves.refresh(path),
        "manifest": lambda: merklize.manifest(path),
        "manifest: exclude": lambda: merklize.manifest(".", exclude=path),
        "find_weights": lambda: merklize.manifests.find_weights(path),
        "check_model": lambda: merklize.check_model({"w": oracle.byte_leaves(1)}, path),
        "check_model: verity": lambda: merklize.check_model({"w": oracle.byte_leaves(1)}, verity=image),
        "sharded.check": lambda: sharded.check({"w": oracle.byte_leaves(1)}, path),
        "fetch": lambda: bao.fetch("http://127.0.0.1:1/x", made.root, made.outboard, path, retries=0),
        "TreeFile": lambda: merklize.TreeFile(path),
        "hash_file": lambda: merklize.hash_file(path),
    }
    for name, call in calls.items():
        try:
            call()
        except merklize.InvalidArgument as error:
            assert re.search("lone surrogates|zero byte", str(error)), name  # noqa: PT017
        else:
            pytest.fail(name)


@pytest.mark.parametrize("weights", [(), ("a",), ("folder", None), ["folder", None, None, None, ""], None])
def test_weights_that_are_none(weights):
    with pytest.raises(TypeError, match="weights must be what find_weights"):
        merklize.manifests.manifest_of_store(weights, object())


@pytest.mark.parametrize("policy", [(), ("digest",), ("digest", "blake3", 4, {}, 0.1)])
def test_tuned_policies_of_too_few_fields(policy):
    with pytest.raises(merklize.InvalidArgument, match=r"policy must be a tuple of 6, got \d"):
        merklize.tuning.store_tuned_policies("cpu", [policy])


def test_shown():
    shown = merklize.errors.shown
    assert shown(-5) == "-5"
    assert shown(None) == "None"
    assert shown("x" * 1000) == "'" + "x" * 76 + "..."
    assert shown(b"12345") == "5 bytes"
    assert shown(array.array("B", [1])) == "array"
    assert shown(10**5000) == f"an integer of {(10**5000).bit_length()} bits"

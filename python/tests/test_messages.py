"""Digests of single messages by hashes other than BLAKE3, compared with hashlib and with Keccak's definition."""

import gzip
import hashlib
import io
import json
import os
import subprocess
import sys

import numpy as np
import pymerkle
import pytest

import merklize
import oracle
from cli_helpers import merklize as run
from cli_helpers import output

LENGTHS = [0, 1, 3, 31, 32, 55, 56, 63, 64, 65, 119, 120, 127, 128, 135, 136, 137, 200, 271, 272, 273, 1000, 5000]


def expected(hash, data):
    if hash == "sha256d":
        return hashlib.sha256(hashlib.sha256(data).digest()).digest()
    return oracle.keccak256(data) if hash.startswith("keccak256") else getattr(hashlib, hash)(data).digest()


HASHES = ["sha256", "sha256d", "keccak256", "sha3_256", "blake2s"]


@pytest.mark.parametrize("hash", HASHES)
def test_messages(hash, tmp_path):
    paths = []
    for length in LENGTHS:
        data = oracle.pattern(length)
        digest = expected(hash, data)
        assert merklize.hash(data, hash=hash) == digest
        hasher = merklize.Hasher(hash=hash)
        for at in range(0, length, 37):
            hasher.update(data[at : at + 37])
        copy = hasher.copy()
        assert hasher.digest() == digest
        assert copy.hexdigest() == digest.hex()
        copy.update(b"more")
        assert copy.digest() == expected(hash, data + b"more")
        assert hasher.digest() == digest
        hasher.reset()
        assert hasher.digest() == expected(hash, b"")
        paths.append(tmp_path / str(length))
        paths[-1].write_bytes(data)
        assert merklize.hash_file(paths[-1], hash=hash) == digest
        assert merklize.hash_file(io.BytesIO(data), hash=hash) == digest
        with open(paths[-1], "rb") as file:
            assert merklize.hash_file(file, hash=hash) == digest
    found = merklize.hash_files([*paths, tmp_path / "missing"], hash=hash)
    assert found[:-1] == [expected(hash, path.read_bytes()) for path in paths]
    assert isinstance(found[-1], FileNotFoundError)
    for n, length in [(1, 100), (2, 64), (15, 200), (16, 55), (17, 136), (35, 0), (33, 1000)]:
        rows = np.random.default_rng(n).integers(0, 256, (n, length), np.uint8)
        digests = merklize.hash_rows(rows, hash=hash)
        assert [row.tobytes() for row in digests] == [expected(hash, row.tobytes()) for row in rows]


def test_vectors_of_rfc_6962():
    """They are hashlib's, and the roots pymerkle's: the suites in C++ stand on them."""

    def sha256(*parts):
        return hashlib.sha256(b"".join(parts)).hexdigest()

    vectors = json.loads((oracle.VECTORS / "sha256_rfc6962.json").read_text())
    for case in vectors["messages"]:
        data = oracle.pattern(case["input_len"])
        assert (case["sha256"], case["leaf"]) == (sha256(data), sha256(b"\0", data))
    for case in vectors["merges"]:
        assert case["digest"] == sha256(b"\1", bytes.fromhex(case["left"]), bytes.fromhex(case["right"]))
    theirs = pymerkle.InmemoryTree(algorithm="sha256")
    for n, (leaf, root) in enumerate(zip(vectors["rfc6962_leaves"], vectors["rfc6962_roots"]), 1):
        theirs.append_entry(bytes.fromhex(leaf))
        assert theirs.get_root(n).hex() == root


def test_a_long_message_and_a_pipe(tmp_path):
    data = np.random.default_rng(1).bytes(9_000_001)
    assert merklize.hash(data, hash="sha256") == hashlib.sha256(data).digest()
    path = tmp_path / "data"
    path.write_bytes(data)
    assert merklize.hash_file(path, hash="sha256") == hashlib.sha256(data).digest()
    seen = []
    assert merklize.hash_file(path, hash="sha256", progress=seen.append) == hashlib.sha256(data).digest()
    os.truncate(path, 1 << 28)  # a sparse file, long enough for the progress function to be called
    with pytest.raises(merklize.Cancelled):
        merklize.hash_file(path, hash="sha256", progress=lambda done: False)
    with gzip.open(tmp_path / "z", "wb") as file:
        file.write(data[:100_000])
    with gzip.open(tmp_path / "z") as file:
        assert merklize.hash_file(file, hash="sha256") == hashlib.sha256(data[:100_000]).digest()
    reading, writing = os.pipe()
    with subprocess.Popen([sys.executable, "-c", "print('x' * 500000, end='')"], stdout=writing):
        os.close(writing)
        assert merklize.hash_file(reading, hash="sha256") == hashlib.sha256(b"x" * 500000).digest()
    os.close(reading)


def test_field_hashes_of_bytes(tmp_path):
    """Vectors made by miden-crypto and winter-crypto."""
    for name in ("eidos", "eidos_v0", "rpjive64_256"):
        cases = json.loads((oracle.VECTORS / f"{name}.json").read_text())["messages"]
        assert len(cases) >= 30
        for case in cases:
            message = bytes.fromhex(case["message"])
            assert merklize.hash(message, hash=name).hex() == case["digest"]
        (tmp_path / "data").write_bytes(message)
        assert merklize.hash_file(tmp_path / "data", hash=name).hex() == case["digest"]
        with pytest.raises(merklize.InvalidArgument, match="begins with the length"):
            merklize.Hasher(hash=name)


def test_blake2s_beside_hashlib():
    """100,000 messages, of every length of digest and key."""
    rng = np.random.default_rng(7)
    data = rng.bytes(1 << 16)
    for k in range(200):
        length, key = 1 + k % 32, data[k : k + (k * 7 + k // 32) % 33]
        sizes = rng.integers(0, 64 if k % 3 else 300, 500)
        sizes[:6] = (0, 1, 63, 64, 65, 128)
        messages = [data[at : at + size] for at, size in zip(rng.integers(0, 1 << 15, 500), sizes)]
        wanted = [hashlib.blake2s(message, digest_size=length, key=key).digest() for message in messages]
        options = {"hash": "blake2s", "length": length, "key": key or None}
        assert [digest.tobytes() for digest in merklize.hash_each(messages, **options)] == wanted
        assert merklize.hash(messages[-1], **options) == wanted[-1]


def test_blake2s_of_files_rows_and_trees(tmp_path):
    data, key = oracle.pattern(5000), b"a key"
    path = tmp_path / "data"
    path.write_bytes(data)
    options = {"hash": "blake2s", "length": 20, "key": key}
    wanted = hashlib.blake2s(data, digest_size=20, key=key).digest()
    assert merklize.hash_file(path, **options) == wanted
    assert merklize.hash_file(path, mmap=True, **options) == wanted
    assert merklize.hash_file(io.BytesIO(data), **options) == wanted
    assert merklize.hash_files([path, path], **options) == [wanted, wanted]
    with open(path, "rb") as file:
        assert merklize.hash_file(file, **options) == wanted
    hasher = merklize.Hasher(data, hash="blake2s", key=key)
    assert hasher.digest() == hashlib.blake2s(data, key=key).digest()

    def leaf(message):
        return hashlib.blake2s(message, key=key).digest()

    for length in (0, 1, 32, 63, 64, 65, 200):
        rows = np.random.default_rng(length).integers(0, 256, (19, length), np.uint8)
        digests = merklize.hash_rows(rows, hash="blake2s", key=key)
        assert [row.tobytes() for row in digests] == [leaf(row.tobytes()) for row in rows]
    leaves = [leaf(b"%d" % i) for i in range(8)]
    level = leaves
    while len(level) > 1:
        level = [leaf(level[i] + level[i + 1]) for i in range(0, len(level), 2)]
    messages = [b"%d" % i for i in range(8)]
    tree = merklize.MerkleTree.from_messages(messages, "blake2s", key=key)
    assert tree.root == level[0]
    assert merklize.merge(leaves[0], leaves[1], "blake2s", key=key) == leaf(leaves[0] + leaves[1])
    proof = tree.prove(5)
    assert proof.verify(tree.root, key=key)
    assert not proof.verify(tree.root, key=b"another key")
    assert not proof.verify(tree.root)
    assert merklize.verify(proof.to_bytes(), tree.root, key=key)
    tree.save(tmp_path / "tree.mkl")
    with merklize.TreeFile(tmp_path / "tree.mkl", key=key) as file:
        assert file.is_keyed
        assert file.root == tree.root
        file.update({1: leaf(b"one")})
        assert file.root != tree.root
        assert not file.check()
    with pytest.raises(merklize.InvalidArgument, match="keyed with another key"):
        merklize.TreeFile(tmp_path / "tree.mkl", key=b"another key")


def test_what_blake2s_lacks():
    with pytest.raises(merklize.InvalidArgument, match="hash: seek is of the hash 'blake3', not of 'blake2s'"):
        merklize.hash(b"", hash="blake2s", seek=1)
    with pytest.raises(merklize.InvalidArgument, match="hash_rows: length is of the hash 'blake3', not of 'blake2s'"):
        merklize.hash_rows(np.zeros((2, 8), np.uint8), hash="blake2s", length=16)
    with pytest.raises(merklize.InvalidArgument, match="contexts are of the hash 'blake3', not of 'blake2s'"):
        merklize.MerkleTree([bytes(32)] * 2, "blake2s", context="c")
    with pytest.raises(merklize.InvalidArgument, match="key must be 32 bytes, got 5"):
        merklize.MerkleTree([bytes(32)] * 2, "blake3", key=b"short")


def test_what_only_blake3_has():
    for options in ({"key": bytes(32)}, {"context": "c"}, {"length": 16}, {"seek": 1}):
        name = next(iter(options))
        owners = "the hashes 'blake3' and 'blake2s'" if name in ("key", "length") else "the hash 'blake3'"
        with pytest.raises(merklize.InvalidArgument, match=f"hash: {name} is of {owners}, not of 'sha256d'"):
            merklize.hash(b"", hash="sha256d", **options)
    with pytest.raises(merklize.InvalidArgument, match="Hasher: key and context must be left out: keys are of"):
        merklize.Hasher(hash="sha256d", key=bytes(32))
    with pytest.raises(merklize.InvalidArgument, match="32 bytes from 0 on, got length 31"):
        merklize.Hasher(hash="sha256").digest(31)
    with pytest.raises(merklize.InvalidArgument, match="hash_rows: rows must be uint64"):
        merklize.hash_rows(np.zeros((2, 8), np.uint8), hash="eidos")


def test_with_and_without_the_processors_instructions():
    script = """
        import hashlib, merklize, numpy as np
        rows = np.random.default_rng(5).integers(0, 256, (37, 150), np.uint8)
        for n in (0, 55, 64, 150):
            for count in (1, 2, 16, 37):
                found = merklize.hash_rows(rows[:count, :n], hash="sha256")
                assert [f.tobytes() for f in found] == [hashlib.sha256(r[:n].tobytes()).digest() for r in rows[:count]]
        leaves = rows[:, :32].copy()
        for name in ("sha256_rfc6962", "sha256", "sha256d", "sha256_compress"):
            print(merklize.merkle_root(leaves, name).hex())
            print(merklize.hash_leaves(rows[:, :100], name)[36].tobytes().hex())
    """
    shown = {
        subprocess.run(
            [sys.executable, "-c", "\n".join(line[8:] for line in script.splitlines())],
            env={**os.environ, "MERKLIZE_CPU_SHA": sha, "MERKLIZE_CPU_ISA": isa},
            capture_output=True, text=True, check=True,
        ).stdout
        for sha in ("0", "1")
        for isa in ("", "scalar")
    }  # fmt: skip
    assert len(shown) == 1


def test_command_line(tmp_path):
    data = oracle.pattern(1000)
    (tmp_path / "a").write_bytes(data)
    assert output("hash", "--hash", "sha256", tmp_path / "a").split()[0] == hashlib.sha256(data).hexdigest()
    assert run("hash", "--hash", "sha256", "--length", "16", tmp_path / "a").returncode == 2

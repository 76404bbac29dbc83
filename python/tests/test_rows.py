"""hash_rows and merge: batches, compared with an independent oracle of single rows and merges."""

import json
import re

import blake3
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as st_np

import merklize
import oracle
from oracle import FIELD_HASHES, RESCUE_HASHES, VECTORS, P

CASES = json.loads((VECTORS / "rescue_prime.json").read_text())
COUNTS = [1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 100, 257]


@pytest.mark.parametrize("n", COUNTS)
@pytest.mark.parametrize("length", [0, 1, 31, 32, 63, 64, 65, 127, 128, 1023, 1024, 1025, 2048, 2049, 5000])
def test_rows_of_bytes(n, length, device):
    messages = np.random.default_rng(length).integers(0, 256, (n, length), np.uint8)
    digests = merklize.hash_rows(messages, device=device)
    assert digests.shape == (n, 32)
    assert digests.dtype == np.uint8
    assert [row.tobytes() for row in digests] == [blake3.blake3(row.tobytes()).digest() for row in messages]


def test_rows_of_bytes_modes_layouts_and_none():
    messages = np.random.default_rng(0).integers(0, 256, (20, 100), np.uint8)
    key, context = bytes(range(32)), "context"
    assert merklize.hash_rows(messages, key=key)[3].tobytes() == blake3.blake3(messages[3].tobytes(), key=key).digest()
    derived = blake3.blake3(messages[3].tobytes(), derive_key_context=context).digest()
    assert merklize.hash_rows(messages, context=context, threads=2)[3].tobytes() == derived
    for layout in (messages.T, messages[::3, ::-2], np.asfortranarray(messages)):
        assert np.array_equal(merklize.hash_rows(layout), merklize.hash_rows(layout.copy()))
    assert merklize.hash_rows(messages[:0]).shape == (0, 32)


# The same items in arrays of other forms, some of which have no form in the buffer protocol.
FORMS = {
    "as they are": lambda rows: rows,
    "columns": np.asfortranarray,
    "backwards": lambda rows: rows[::-1, ::-1].copy()[::-1, ::-1],
    "every other": lambda rows: np.repeat(rows, 2, axis=1)[:, ::2],
    "not aligned": lambda rows: (
        np.frombuffer(b"\0" + rows.tobytes(), np.uint8)[1:].view(rows.dtype).reshape(rows.shape)
    ),
    "of a record": lambda rows: np.rec.fromarrays([rows, np.ones(rows.shape, np.uint8)], names="a,b")["a"],
    "a subclass": lambda rows: rows.view(np.matrix),
    "read-only": lambda rows: np.frombuffer(rows.tobytes(), rows.dtype).reshape(rows.shape),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "dtype", ["uint8", "int8", "bool", "<f2", ">f4", "c16", "M8[s]", "V5", "S3", "uint64", "int32"]
)
def test_rows_in_any_form(form, dtype):
    rows = np.random.default_rng(9).integers(0, 2, (6, 5 * np.dtype(dtype).itemsize), np.uint8).view(dtype)
    given = FORMS[form](rows)
    assert np.array_equal(merklize.hash_rows(given), merklize.hash_rows(rows.copy().view(np.uint8).reshape(6, -1)))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("hash", "dtype"), [("rp64_256", "uint64"), ("poseidon2_babybear_16", "int32")])
def test_words_in_any_form(form, hash, dtype):
    words = np.arange(32, dtype=dtype).reshape(8, 4)
    given, expected = FORMS[form](words), merklize.hash_rows(words, hash)
    assert np.array_equal(merklize.hash_rows(given, hash), expected)
    assert np.array_equal(merklize.hash_rows([given, given[:, :0]], hash), expected)
    assert np.array_equal(merklize.hash_leaves(given, hash), expected)
    root = merklize.MerkleTree(expected, hash).root
    assert merklize.MerkleTree.from_rows(given, hash).root == root
    assert merklize.prover.MatrixCommitment(given, hash).root == root


@pytest.mark.parametrize("messages", [np.zeros(5, np.uint8), np.array(1.5), np.zeros(5, "M8[s]")])
def test_rows_of_bytes_wrong_arrays(messages):
    text = f"hash_rows: rows must be uint8[n, m], or [n, ...] of any dtype, got {messages.dtype}"
    with pytest.raises(merklize.InvalidArgument, match=re.escape(text)):
        merklize.hash_rows(messages)


@pytest.mark.parametrize(("value", "kind"), [(b"bytes", "bytes"), ([[1, 2]], "list"), (None, "NoneType")])
def test_no_array(value, kind):
    for hash in ("blake3", "rp64_256"):
        with pytest.raises(TypeError, match="hash_rows: .*must be .*array.*, got " + kind):
            merklize.hash_rows(value, hash)


@pytest.mark.parametrize("hash", sorted(set(FIELD_HASHES) - {*RESCUE_HASHES, "eidos"}))
def test_vectors(hash):
    """Vectors made by Plonky3 and miden-crypto."""
    case = json.loads((VECTORS / f"{hash}.json").read_text())
    dtype = oracle.WORDS[hash][0]
    words = [np.frombuffer(bytes.fromhex(leaf["record"]), dtype) for leaf in case["leaves"]]
    for row, leaf in zip(words, case["leaves"]):
        assert merklize.hash_rows(row, hash).tobytes().hex() == leaf["digest"]
        assert np.array(oracle.hash_elements(row.tolist(), hash), dtype).tobytes().hex() == leaf["digest"]
    for merge in case["merges"]:
        pair = bytes.fromhex(merge["left"]), bytes.fromhex(merge["right"])
        assert merklize.merge(*pair, hash).hex() == oracle.merge(*pair, hash).hex() == merge["digest"]


@pytest.mark.parametrize("hash", RESCUE_HASHES)
def test_rescue_vectors(hash, device):
    """Vectors made by winter-crypto: rows of every length, each alone and among others."""
    used = 0
    for case in CASES:
        if case["variant"] != hash or case["op"] not in ("merge", "hash_elements"):
            continue
        used += 1
        elements, digest = np.array(case["input"], np.uint64), np.array(case["digest"], np.uint64)
        assert np.array_equal(merklize.hash_rows(elements, hash, device=device), digest)
        rows = np.tile(elements, (9, 1))
        assert np.array_equal(merklize.hash_rows(rows, hash, device=device), np.tile(digest, (9, 1)))
        if case["op"] == "merge":
            left, right = elements[:4], elements[4:]
            assert np.array_equal(merklize.merge(left, right, hash, device=device), digest)
            assert merklize.merge(left.tobytes(), right.tobytes(), hash) == digest.tobytes()
            assert oracle.merge(left.tobytes(), right.tobytes(), hash) == digest.tobytes()
    assert used >= 10


@pytest.mark.parametrize("hash", FIELD_HASHES)
@pytest.mark.parametrize("k", [0, 1, 3, 4, 7, 8, 9, 16, 17])
def test_rows_of_words(hash, k, device):
    rows = oracle.elements(np.random.default_rng(k), (19, k), hash)
    digests = merklize.hash_rows(rows, hash, device=device)
    assert digests.shape == (19, oracle.WORDS[hash][1])
    assert digests.dtype == rows.dtype
    assert digests.tolist() == [oracle.hash_elements(row.tolist(), hash) for row in rows]
    assert merklize.hash_rows(rows[5], hash).tolist() == digests[5].tolist()


@settings(max_examples=60)
@given(
    hash=st.sampled_from([name for name in FIELD_HASHES if oracle.WORDS[name][2] == P]),
    rows=st_np.arrays(
        np.uint64,
        st.tuples(st.integers(0, 20), st.integers(1, 10)),
        elements=st.one_of(st.sampled_from([0, 1, 2, P - 1, P - 2, 2**32, 2**32 - 1, 2**63]), st.integers(0, P - 1)),
    ),
)
def test_elements_near_the_edges_of_the_field(hash, rows):
    digests = merklize.hash_rows(rows, hash)
    assert digests.tolist() == [oracle.hash_elements(row.tolist(), hash) for row in rows]


def test_elements_of_31_bits():
    p = 0x78000001
    rows = np.array([[0, 1, p - 1, p - 2, 7]], np.uint32)
    digests = merklize.hash_rows(rows.view(np.int32), "poseidon2_babybear_16")
    assert digests.dtype == np.int32
    expected = merklize.hash_rows(rows, "poseidon2_babybear_16")
    assert np.array_equal(digests.view(np.uint32), expected)
    assert np.array_equal(merklize.hash_leaves(rows, "poseidon2_babybear_16"), expected)
    with pytest.raises(merklize.InvalidArgument, match=f"word 3 is {p}, .* below p = {p}"):
        merklize.hash_rows(np.array([0, 5, 6, p], np.uint32), "poseidon2_babybear_16")
    with pytest.raises(merklize.InvalidArgument, match=r"must be uint32\[n, k\] or uint32\[k\], got uint64\[1, 5\]"):
        merklize.hash_rows(rows.astype(np.uint64), "poseidon2_babybear_16")
    with pytest.raises(merklize.InvalidArgument, match=r"must be uint64\[n, k\] or uint64\[k\], got uint32\[1, 5\]"):
        merklize.hash_rows(rows, "rpo256")
    with pytest.raises(merklize.InvalidArgument, match=r"rows must be uint32\[n, k\], got uint8\[4, 8\]"):
        merklize.MerkleTree.from_rows(np.zeros((4, 8), np.uint8), "poseidon2_koalabear_24")


@pytest.mark.parametrize("hash", RESCUE_HASHES)
def test_signed_words_are_taken_by_their_bits(hash):
    rows = np.array([[0, 1, P - 1, P - 2, 2**63, 7]], np.uint64)
    digests = merklize.hash_rows(rows.view(np.int64), hash)
    assert digests.dtype == np.int64
    assert np.array_equal(digests.view(np.uint64), merklize.hash_rows(rows, hash))
    with pytest.raises(merklize.InvalidArgument, match=f"word 1 is {2**64 - 1}"):
        merklize.hash_rows(np.array([0, -1]), hash)
    signed = np.arange(-20, 20, dtype=np.int8).reshape(4, 10)
    assert np.array_equal(merklize.hash_rows(signed), merklize.hash_rows(signed.view(np.uint8)))


def test_alias_and_default_of_rows():
    rows = oracle.word_leaves(10)
    assert np.array_equal(merklize.hash_rows(rows, "rp64_256"), merklize.hash_rows(rows, "rp64_256_v3"))
    assert np.array_equal(merklize.hash_rows(rows, "rp64_256"), merklize.hash_rows(rows, "rp64_256_v3"))


@pytest.mark.parametrize("wrong", [P, P + 1, 2**64 - 1])
@pytest.mark.parametrize("place", [0, 17, 79])
def test_words_that_are_no_field_elements(wrong, place, device):
    rows = np.zeros((10, 8), np.uint64)
    rows.flat[place] = wrong
    with pytest.raises(merklize.InvalidArgument, match=f"word {place} is {wrong}"):
        merklize.hash_rows(rows, "rp64_256", device=device)
    with pytest.raises(merklize.InvalidArgument, match=f"left.* is {wrong}"):
        merklize.merge(rows.reshape(-1, 4), np.zeros((20, 4), np.uint64), "rp64_256")
    # BLAKE3 takes any words.
    merklize.merge(rows.reshape(-1, 4), np.zeros((20, 4), np.uint64))


def test_rows_of_words_wrong_arguments():
    for wrong in (
        np.zeros((2, 4), np.int32),
        np.zeros((2, 4), ">u8"),
        np.zeros((2, 3, 4), np.uint64),
        np.uint64(3)[...],
    ):
        with pytest.raises(merklize.InvalidArgument, match=r"rows must be uint64\[n, k\] or uint64\[k\], got "):
            merklize.hash_rows(wrong, "rp64_256")


@pytest.mark.parametrize("hash", oracle.HASHES)
@pytest.mark.parametrize("n", COUNTS)
def test_merge_of_arrays(hash, n, device):
    left, right = oracle.leaves(n, hash), oracle.leaves(2 * n, hash)[n:]
    expected = [oracle.merge(a.tobytes(), b.tobytes(), hash) for a, b in zip(left, right)]
    for width, dtype in ((32, np.uint8), (4, np.uint64), (4, np.int64), (8, np.uint32), (8, np.int32)):
        merged = merklize.merge(left.view(dtype), right.view(dtype), hash, device=device)
        assert (merged.shape, merged.dtype) == ((n, width), dtype)
        assert [row.tobytes() for row in merged] == expected


@pytest.mark.parametrize("hash", oracle.HASHES)
def test_merge_of_one_pair_in_every_form(hash):
    left, right = oracle.leaves(2, hash)
    expected = oracle.merge(left.tobytes(), right.tobytes(), hash)
    assert merklize.merge(left.tobytes(), right.tobytes(), hash) == expected
    assert merklize.merge(bytearray(left.tobytes()), memoryview(right.tobytes()), hash) == expected
    assert merklize.merge(left, right, hash).tobytes() == expected
    assert (
        merklize.merge(left.view(np.uint64), right.view(np.uint64), hash).tolist()
        == np.frombuffer(expected, "u8").tolist()
    )


def test_merge_of_more_dimensions_and_layouts():
    nodes = oracle.byte_leaves(48).reshape(2, 3, 8, 32)
    merged = merklize.merge(nodes[:, :, ::2], nodes[:, :, 1::2])
    assert merged.shape == (2, 3, 4, 32)
    assert merged[1, 2, 3].tobytes() == oracle.merge(nodes[1, 2, 6].tobytes(), nodes[1, 2, 7].tobytes(), "blake3")
    assert merklize.merge(nodes[:0], nodes[:0]).shape == (0, 3, 8, 32)


def test_merge_of_arrays_at_odd_addresses():
    """Digests may have any address, even if it is not aligned for 64-bit words."""
    memory = np.zeros(1024 + 1, np.uint8)
    shifted = memory[1:].reshape(32, 32)
    for hash in merklize.HASHES:
        words = oracle.leaves(32, hash)
        shifted[:] = words.view(np.uint8)
        aligned = merklize.merge(words[::2], words[1::2], hash)
        assert merklize.merge(shifted[:16].copy(), shifted[16:].copy(), hash).shape == (16, 32)
        assert np.array_equal(merklize.merge(shifted[::2], shifted[1::2], hash), aligned.view(np.uint8))
        assert np.array_equal(
            merklize.merge(shifted[:16], shifted[16:], hash),
            merklize.merge(words[:16], words[16:], hash).view(np.uint8),
        )


def test_merge_wrong_arguments():
    digests = oracle.byte_leaves(4)
    with pytest.raises(merklize.InvalidArgument, match=r"alike, got uint8\[4, 32\] and uint8\[3, 32\]"):
        merklize.merge(digests, digests[:3])
    with pytest.raises(merklize.InvalidArgument, match=r"alike, got uint8\[4, 32\] and uint64\[4, 4\]"):
        merklize.merge(digests, digests.view(np.uint64))
    with pytest.raises(
        merklize.InvalidArgument,
        match=r"left must be uint8\[..., 32\], uint64\[..., 4\] or uint32\[..., 8\], got uint8\[4, 31\]",
    ):
        merklize.merge(digests[:, 1:], digests)
    with pytest.raises(merklize.InvalidArgument, match=r"right must be .* got float64\[4, 4\]"):
        merklize.merge(digests, np.zeros((4, 4)))
    with pytest.raises(TypeError, match="merge: right must be a NumPy array or a tensor, got bytes"):
        merklize.merge(digests[0], bytes(32))
    with pytest.raises(merklize.InvalidArgument, match="left must be 32 bytes, got 31"):
        merklize.merge(bytes(31), bytes(32))
    with pytest.raises(TypeError, match="right must be bytes-like"):
        merklize.merge(bytes(32), "x" * 32)
    with pytest.raises(TypeError, match="hash must be a string"):
        merklize.merge(digests, digests, hash=3)


def test_constants_in_local_memory_by_lanes(opencl):
    rows = np.random.default_rng(1).integers(0, 2**62, (1 << 10, 8), np.uint64)
    policy = {"lanes": 16, "constants": "local"}
    with merklize.tuning.options(policy=policy):
        found = merklize.hash_rows(rows, "rp64_256_v3", device=opencl)
    assert (found == merklize.hash_rows(rows, "rp64_256_v3", device="cpu")).all()

"""merklize.hash, compared with the official BLAKE3: lengths, modes, extendable output, and kinds of data."""

import array
import ctypes
import io
import json
import mmap
import pickle
import subprocess
import sys

import blake3
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import merklize
from oracle import VECTORS, pattern
from waiting import HANG

KEY = bytes(range(100, 132))
CONTEXT = "merklize tests 2026-11-20 one context"
MODES = {
    "plain": ({}, {}),
    "keyed": ({"key": KEY}, {"key": KEY}),
    "derive_key": ({"context": CONTEXT}, {"derive_key_context": CONTEXT}),
}


@pytest.fixture(params=MODES)
def mode(request):
    """The same mode for merklize and for the official package."""
    return MODES[request.param]


def test_every_length_up_to_three_chunks(mode, device):
    ours, theirs = mode
    data = pattern(3072)
    for length in range(3073) if device == "cpu" else (*range(0, 3073, 57), *range(1020, 1030), *range(2044, 2054)):
        assert merklize.hash(data[:length], device=device, **ours) == blake3.blake3(data[:length], **theirs).digest(), (
            length
        )


@pytest.mark.parametrize("threads", [1, 2, 7, None])
def test_edges_up_to_64_mib(threads, device):
    data = pattern((64 << 20) + 1)
    for level in range(17):
        for change in (-1, 0, 1):
            part = memoryview(data)[: (1024 << level) + change]
            assert merklize.hash(part, threads=threads, device=device) == blake3.blake3(part).digest(), len(part)


@pytest.mark.parametrize(
    "chunks", [3, 5, 7, 9, 12, 15, 17, 31, 33, 63, 65, 100, 127, 129, 255, 257, 511, 513, 1000, 4097]
)
def test_chunk_counts_between_the_powers_of_two(mode, chunks, device):
    ours, theirs = mode
    data = pattern(1024 * chunks + 1)
    for change in (-1, 0, 1):
        part = data[: 1024 * chunks + change]
        assert merklize.hash(part, device=device, **ours) == blake3.blake3(part, **theirs).digest()


def test_official_vectors(device):
    vectors = json.loads((VECTORS / "blake3.json").read_text())
    key, context = vectors["key"].encode(), vectors["context_string"]
    for case in vectors["cases"]:
        data = pattern(case["input_len"])
        theirs = blake3.blake3(data), blake3.blake3(data, key=key), blake3.blake3(data, derive_key_context=context)
        ours = ("hash", {}), ("keyed_hash", {"key": key}), ("derive_key", {"context": context})
        for (name, options), official in zip(ours, theirs):
            expected = bytes.fromhex(case[name])
            assert official.digest(len(expected)) == expected
            assert merklize.hash(data, length=len(expected), device=device, **options) == expected
            assert merklize.hash(data, device=device, **options) == expected[:32]


@given(
    data=st.binary(max_size=5000), mode=st.sampled_from(sorted(MODES)), length=st.integers(0, 400), seek=st.integers(0)
)
def test_extendable_output(data, mode, length, seek):
    ours, theirs = MODES[mode]
    seek %= 2**64 - length + 1
    seek = min(seek, 2**64 - 1)
    output = merklize.hash(data, length=length, seek=seek, **ours)
    assert output == blake3.blake3(data, **theirs).digest(length=length, seek=seek)


@pytest.mark.parametrize("seek", [0, 1, 63, 64, 65, 1000, 2**38 - 5, 2**63 - 7, 2**64 - 3_000_001, 2**64 - 3_000_000])
def test_long_output(seek):
    assert merklize.hash(b"x", length=3_000_000, seek=seek) == blake3.blake3(b"x").digest(length=3_000_000, seek=seek)


@settings(max_examples=50)
@given(length=st.integers(0, 1 << 20), start=st.integers(0, 70), threads=st.integers(1, 9))
def test_any_length_alignment_and_thread_count(length, start, threads):
    data = memoryview(pattern(length + 70))[start : start + length]
    assert merklize.hash(data, threads=threads) == blake3.blake3(data).digest()


BYTES_LIKE = {
    "bytes": lambda data: data,
    "bytearray": bytearray,
    "memoryview": memoryview,
    "memoryview of every second byte": lambda data: memoryview(bytes(b for x in data for b in (x, 0)))[::2],
    "memoryview backwards": lambda data: memoryview(data[::-1])[::-1],
    "memoryview of words": lambda data: memoryview(data).cast("Q"),
    "array.array": lambda data: array.array("I", data),
    "ctypes": lambda data: (ctypes.c_ubyte * len(data)).from_buffer_copy(data),
    "BytesIO.getbuffer": lambda data: io.BytesIO(data).getbuffer(),
    "PickleBuffer": pickle.PickleBuffer,
    "numpy scalar": lambda data: np.frombuffer(data, f"V{len(data)}")[0],
}


@pytest.mark.parametrize("form", BYTES_LIKE)
def test_bytes_likes(form):
    data = pattern(8 * 700)
    assert merklize.hash(BYTES_LIKE[form](data)) == blake3.blake3(data).digest()


def test_mapped_file(tmp_path):
    path = tmp_path / "data"
    path.write_bytes(pattern(100_000))
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        assert merklize.hash(mapped) == blake3.blake3(pattern(100_000)).digest()


DTYPES = ["?", "i1", "u2", "<i4", ">i4", ">u8", "f2", "f4", ">f8", "c16", "S5", "U3", "V7", "M8[s]", "m8[ns]", "O-name"]


def _array(dtype):
    if dtype == "O-name":  # the letter O in a name is no object
        return np.zeros(60, [("O", "i4"), ("x", "f8", (2,))])
    return np.frombuffer(pattern(60 * np.dtype(dtype).itemsize), np.uint8).view(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_arrays_of_any_dtype_and_layout(dtype):
    flat = _array(dtype)
    cube = flat.reshape(3, 4, 5)
    contiguous = [flat, cube, flat[:0], flat[3], cube[1, 2, 3, ...]]
    apart = [
        cube.T,
        np.asfortranarray(cube),
        cube[:, ::2, 1:],
        flat[::-1],
        flat[::7],
        np.moveaxis(cube, 0, 1)[..., ::-1],
    ]
    for form in (*contiguous, *apart, np.broadcast_to(cube[:1], (2, 4, 5))):
        expected = np.ascontiguousarray(form).tobytes()
        assert merklize.hash(form) == blake3.blake3(expected).digest()


def test_read_only_and_subclasses_of_arrays():
    data = np.arange(5000, dtype=np.uint32)
    expected = blake3.blake3(data.tobytes()).digest()
    data.flags.writeable = False
    assert merklize.hash(data) == expected
    assert merklize.hash(data.view(np.recarray)) == expected


def test_large_array_that_lies_apart():
    square = np.arange(1 << 20, dtype=np.uint32).reshape(1024, 1024)
    assert merklize.hash(square.T) == blake3.blake3(square.T.tobytes()).digest()


@pytest.mark.parametrize("value", ["text", None, 5, [1, 2], object()])
def test_no_bytes(value):
    with pytest.raises(
        TypeError, match=f"hash: data must be bytes-like, a NumPy array or a tensor, got {type(value).__name__}"
    ):
        merklize.hash(value)


@pytest.mark.parametrize("dtype", [object, [("a", "i4"), ("b", object)]])
def test_arrays_of_objects(dtype):
    for array_ in (np.zeros(3, dtype), np.zeros((4, 4), dtype)[::2, ::2]):
        with pytest.raises(merklize.InvalidArgument, match=r"hash: data.*holds references, not bytes"):
            merklize.hash(array_)


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"key": "k" * 32}, TypeError, "key must be bytes-like, a NumPy array or a tensor, got str"),
        ({"context": b"bytes"}, TypeError, "context must be a string, got bytes"),
        ({"length": -1}, merklize.InvalidArgument, r"hash: length must be 0 to 2\^64 - 1, got -1"),
        ({"length": 1.5}, TypeError, "hash: length must be an integer, got float"),
        ({"length": 2**62}, merklize.OutOfMemory, f"no memory for {2**62} bytes"),
        ({"length": 2**64 - 1}, merklize.OutOfMemory, "no memory for"),
        ({"seek": 2**64}, merklize.InvalidArgument, f"seek must be 0 to .* got {2**64}"),
        ({"seek": 2**64 - 31}, merklize.InvalidArgument, r"seek \+ length must be at most 2\^64, got .* \+ 32"),
        ({"threads": 0}, merklize.InvalidArgument, "threads must be at least 1, or None for all, got 0"),
        ({"threads": -2}, merklize.InvalidArgument, "threads must be 0 to"),
        ({"threads": "two"}, TypeError, "threads must be an integer, got str"),
        ({"device": None}, TypeError, "hash: device must be an id of devices.., N for 'cuda:N', .* got NoneType"),
    ],
)
def test_wrong_options(options, error, text):
    with pytest.raises(error, match=text):
        merklize.hash(b"data", **options)


def test_key_of_any_bytes_like():
    for key in (bytearray(KEY), memoryview(KEY), np.frombuffer(KEY, np.uint8)):
        assert merklize.hash(b"data", key=key) == blake3.blake3(b"data", key=KEY).digest()


def test_empty_output():
    assert merklize.hash(b"data", length=0) == b""


def test_context_of_any_text():
    for context in ("", "a", "x" * 5000, "Zweck 目的 🎯"):
        assert merklize.hash(b"data", context=context) == blake3.blake3(b"data", derive_key_context=context).digest()


def test_masked_arrays_are_errors():
    """Their bytes have the masked values, too."""
    masked = np.ma.masked_array(np.arange(64, dtype=np.uint8).reshape(2, 32), mask=np.eye(2, 32, dtype=bool))
    tree, one = merklize.MerkleTree(masked.data), masked.data[:1]
    for call in (
        lambda: merklize.hash(masked),
        lambda: merklize.Hasher(masked),
        lambda: merklize.hash_rows(masked),
        lambda: merklize.hash_leaves(masked),
        lambda: merklize.merge(masked, masked),
        lambda: merklize.MerkleTree(masked),
        lambda: merklize.merkle_root(masked),
        lambda: merklize.hash(b"", key=masked[0]),
        lambda: tree.update({0: masked[0]}),
        lambda: tree.prove(0).verify(masked[0]),
        lambda: tree.prove(np.ma.masked_array([0], [True])),
        lambda: merklize.MultiProof("blake3", "perfect", 2, np.ma.masked_array([0], [True]), one, one),
        lambda: merklize.MultiProof("blake3", "perfect", 2, [0], masked[:1], one),
        lambda: merklize.manifest({"a": masked}),
        lambda: merklize.manifest({"a": masked}, tiles=True),
        lambda: merklize.check_model({"a": masked}, merklize.manifest({"a": masked.data})),
        lambda: merklize.sharded.model_root({"a": masked}),
        lambda: merklize.sharded.nodes([merklize.sharded.Box("a", masked.shape, (0, 0), masked)]),
    ):
        with pytest.raises(
            merklize.InvalidArgument, match=r"a masked array; give its \.data, or what \.filled\(\) makes"
        ):
            call()
    assert merklize.hash(masked.data) == merklize.hash(masked.data.tobytes())


def transposed(dtype):
    """24 MiB, no 16 MiB of which are contiguous."""
    count = (24 << 20) // np.dtype(dtype).itemsize // 1024
    return np.arange(1024 * count, dtype=np.uint64).astype(dtype).reshape(1024, count).T


@pytest.mark.parametrize(
    "make",
    [
        lambda: transposed(np.uint8),
        lambda: transposed(np.float64),
        lambda: transposed("datetime64[s]"),
        lambda: transposed(np.int32).reshape(2, 3, -1, 1024)[:, ::-1],
        lambda: np.frombuffer(pattern(50 << 20), np.uint8)[::2],
        lambda: np.broadcast_to(np.uint8(7), (1, 1, 20 << 20)),
        lambda: np.broadcast_to(np.arange(5, dtype=np.uint16), (9 << 20, 5)).T,
    ],
)
def test_large_arrays_whose_bytes_lie_apart(make):
    array = make()
    expected = blake3.blake3(array.tobytes()).digest()
    assert merklize.hash(array) == merklize.hash(array, threads=1) == expected
    with merklize.tuning.options(timings=merklize.tuning.Timings()):  # by the way of all arguments
        assert merklize.hash(array) == expected
    hasher = merklize.Hasher(b"before")
    hasher.update(array)
    assert hasher.digest() == blake3.blake3(b"before" + array.tobytes()).digest()


def test_a_large_transposed_array_is_not_copied_whole():
    program = """
import resource, numpy as np, merklize
array = np.zeros((1 << 14, 1 << 14), np.uint8)
array[:] = 1
merklize.hash(array[:4096].T)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
digest = merklize.hash(array.T)
assert digest == merklize.hash(array)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    grown = int(subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, timeout=HANG).stdout)
    assert grown < 100 << 10, f"{grown} KiB more for an array of 262144 KiB"

"""Little data on the host takes the extension's fast path, with the same answers and errors as the usual path."""

import hashlib
import inspect
import os
import pickle
import subprocess
import sys

import blake3
import numpy as np
import pytest

import merklize

SIZES = [0, 1, 3, 63, 64, 65, 1023, 1024, 1025, 2048, 4096, 16384, 16385, 32767, 32768, 32769, 65536]
SIZES += [(1 << 20) - 1, 1 << 20, (1 << 20) + 1]  # one thread
TYPES = ["u1", "i1", "<u2", ">u2", "<i4", "<u8", "<f4", "<f8", "?", "<c8", "<f2", "M8[s]", "S4", "<U2"]


@pytest.mark.parametrize("size", SIZES)
def test_hash_of_bytes_and_arrays(size):
    data = (bytes(range(251)) * (size // 251 + 1))[:size]
    wanted = blake3.blake3(data).digest()
    array = np.frombuffer(data, np.uint8)
    for value in (data, array, bytearray(data), memoryview(data), array.copy(), np.array(array, ndmin=3)):
        assert merklize.hash(value) == wanted
        assert merklize.hash(value, threads=1) == wanted
        assert merklize.hash(value, device="cpu") == wanted
        assert merklize.hash(value, device="cpu", threads=1) == merklize.hash(value, threads=1, device="cpu") == wanted


@pytest.mark.parametrize("kind", TYPES)
def test_hash_of_any_dtype(kind):
    array = np.arange(48).astype(np.uint8).tobytes()
    array = np.frombuffer(array * 4, kind).reshape(2, -1)
    values = [array, array.T, array[:, ::2], array[:1, :1], array[:0], array[0, 0].reshape(())]
    for value in values:
        assert merklize.hash(value) == blake3.blake3(value.tobytes()).digest()
    each = merklize.hash_each(values)
    assert [digest.tobytes() for digest in each] == [blake3.blake3(value.tobytes()).digest() for value in values]


def test_what_the_short_way_leaves_to_the_long_one():
    class Own(np.ndarray):
        pass

    data = np.arange(64, dtype=np.uint8)
    assert merklize.hash(data.view(Own)) == merklize.hash(data)
    with pytest.raises(merklize.InvalidArgument, match="masked"):
        merklize.hash(np.ma.masked_array(data, data > 3))
    with pytest.raises(merklize.InvalidArgument, match="references"):
        merklize.hash(np.array([b"a", None], dtype=object))
    with pytest.raises(TypeError, match="bytes-like"):
        merklize.hash(1)
    for wrong in (lambda: merklize.hash(), lambda: merklize.hash(b"", b""), lambda: merklize.hash(b"", no=1)):
        with pytest.raises(TypeError):
            wrong()


WRONG = {
    "threads": [0, -1, 1.5, "1", 2**70, [1]],
    "device": ["nowhere:7", "CPU", b"cpu", None, 1.5],
    "hash": ["no_such", "", "rp64_256", "keccakf64", "sha256_rfc6962", b"sha256", None, 1],
}


@pytest.mark.parametrize(("option", "value"), [(option, value) for option in WRONG for value in WRONG[option]])
def test_options_are_refused_as_by_the_long_way(option, value):
    def refusal(**more):
        with pytest.raises((TypeError, merklize.Error)) as caught:
            merklize.hash(b"abc", **{option: value}, **more)
        return type(caught.value), str(caught.value)

    assert refusal() == refusal(length=32)


@pytest.mark.parametrize("threads", [None, True, 2, np.int64(1)])
def test_other_counts_of_threads_go_the_long_way(threads):
    assert merklize.hash(b"abc", threads=threads) == blake3.blake3(b"abc").digest()


@pytest.mark.parametrize("size", [0, 1, 55, 56, 63, 64, 65, 127, 128, 136, 137, 1023, 1024, 1025, 32768, 32769])
@pytest.mark.parametrize("hash", ["blake3", "sha256", "sha256d", "sha3_256", "keccak256", "blake2s", "eidos"])
def test_a_named_hash(hash, size):
    data = (bytes(range(251)) * (size // 251 + 1))[:size]
    wanted = merklize.hash(data, hash=hash, length=32)
    for value in (data, bytearray(data), memoryview(data), np.frombuffer(data, np.uint8)):
        assert merklize.hash(value, hash=hash) == merklize.hash(value, threads=1, hash=hash, device="cpu") == wanted
    if hash in ("sha256", "sha3_256", "blake2s"):
        assert wanted == hashlib.new(hash, data).digest()


@pytest.mark.parametrize("hash", ["blake3", "sha256"])
@pytest.mark.parametrize("size", [0, 1, 64, 500, 1024, 1025, 2048, 2049, 5000])
def test_a_hasher_fed_little(hash, size):
    data, short, long = bytes(i % 251 for i in range(size)), merklize.Hasher(hash=hash), merklize.Hasher(hash=hash)
    for k in range(1, 8):
        assert short.update(data) is short
        assert long.update(memoryview(data)) is long
        assert short.digest() == long.digest(32) == long.digest(length=32) == merklize.hash(data * k, hash=hash)
    assert short.copy().update(b"x").digest() == merklize.hash(data * 7 + b"x", hash=hash)


def test_a_hasher_refuses_as_by_the_long_way():
    hasher, empty = merklize.Hasher(), merklize.Hasher.__new__(merklize.Hasher)
    for call in (lambda: empty.update(b""), lambda: empty.digest(), lambda: empty.digest(32)):
        with pytest.raises(TypeError, match="__init__ was not called|incompatible function arguments"):
            call()
    for wrong in ((), (b"", b"")):
        with pytest.raises(TypeError):
            hasher.update(*wrong)
    for wrong in (lambda: hasher.update("text"), lambda: hasher.digest(b=1), lambda: hasher.digest("1")):
        with pytest.raises(TypeError):
            wrong()
    with pytest.raises(TypeError):
        merklize.Hasher.update(1, b"")
    with pytest.raises(merklize.InvalidArgument, match="seek"):
        hasher.digest(1, -1)


@pytest.mark.parametrize("call", ["hash(b'abc')", "merge(numpy.zeros(32, 'u1'), numpy.zeros(32, 'u1'))"])
def test_a_device_that_is_named_is_used(call):
    """It must not fall back to the CPU."""
    program = f"import numpy, merklize; merklize.{call}"
    environment = os.environ | {"MERKLIZE_DEVICE": "nowhere:7"}
    ended = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert ended.returncode == 1
    assert "nowhere" in ended.stderr.splitlines()[-1]


def test_the_cpu_that_is_named_is_used():
    """A named device counts, not MERKLIZE_DEVICE."""
    program = "import merklize; print(merklize.hash(b'abc', device='cpu').hex())"
    environment = os.environ | {"MERKLIZE_DEVICE": "nowhere:7"}
    ended = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert ended.stdout.strip() == blake3.blake3(b"abc").hexdigest(), ended.stderr


@pytest.mark.parametrize("hash", merklize.HASHES)
@pytest.mark.parametrize("shape", [(), (1,), (7,), (2, 3), (0,)])
def test_merge_of_arrays(hash, shape):
    random = np.random.default_rng(5)
    left, right = (random.integers(0, 120, (*shape, 32), dtype=np.uint8) for _ in range(2))
    merged = merklize.merge(left, right, hash)
    assert merged.shape == left.shape
    assert merged.dtype == left.dtype
    assert np.array_equal(merged, merklize.merge(left, right, hash, threads=1))
    assert np.array_equal(merged, merklize.merge(left, right, hash=hash))
    for items in ("u8", "i8", "u4", "i4"):
        words = merklize.merge(left.view(items), right.view(items), hash)
        assert words.dtype == items
        assert np.array_equal(words.view(np.uint8), merged)
    for k in np.ndindex(shape):
        assert merged[k].tobytes() == merklize.merge(left[k].tobytes(), right[k].tobytes(), hash)


@pytest.mark.parametrize("hash", merklize.HASHES)
@pytest.mark.parametrize("n", [0, 1, 2, 3, 16, 33, 1024, 1025])
def test_rows_and_roots_of_little(hash, n):
    leaves = np.random.default_rng(6).integers(0, 120, (n, 32), dtype=np.uint8)

    def found(call, *args, **options):
        try:
            result = call(*args, **options)
        except merklize.InvalidArgument as error:
            return str(error)
        return result if isinstance(result, bytes) else (result.dtype, result.shape, result.tobytes())

    rows = [leaves.view(kind) for kind in ("u1", "u4", "u8", "i8", ">u2")]
    for array in [*rows, leaves[::2], leaves.reshape(n, 4, 8), leaves[:, :0], leaves.T]:
        for call in (merklize.hash_rows, merklize.merkle_root):
            wanted = found(call, array, hash, threads=1)
            assert found(call, array, hash) == found(call, array, hash=hash) == wanted
            if hash == "blake3":
                assert found(call, array) == wanted


def test_merge_errors_are_those_of_the_long_way():
    zeros, many = np.zeros(32, np.uint8), np.zeros((2, 32), np.uint8)
    largest = np.full(4, 2**64 - 1, np.uint64)
    with pytest.raises(merklize.InvalidArgument, match="alike"):
        merklize.merge(zeros, many)
    with pytest.raises(merklize.InvalidArgument, match="alike"):
        merklize.merge(zeros, zeros.view(np.uint64))
    with pytest.raises(merklize.InvalidArgument, match=r"uint8\[\.\.\., 32\]"):
        merklize.merge(zeros[:31], zeros[:31])
    with pytest.raises(merklize.InvalidArgument, match="below|less|modulus|>="):
        merklize.merge(largest, largest, "rp64_256_v3")
    with pytest.raises(merklize.InvalidArgument, match="no_such"):
        merklize.merge(zeros, zeros, "no_such")


@pytest.mark.parametrize("function", [merklize.hash, merklize.merge])
def test_it_is_a_function_like_others(function):
    assert pickle.loads(pickle.dumps(function)) is function
    assert "device" in inspect.signature(function).parameters
    assert inspect.signature(function).parameters["wait"].default is True
    assert inspect.getdoc(function).startswith("Return the")

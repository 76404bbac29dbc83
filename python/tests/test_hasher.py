"""Hasher: pieces of any size give the digest of the whole, and the interface is hashlib's."""

import threading

import blake3
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import merklize
from oracle import pattern
from test_hash import MODES


@settings(max_examples=100)
@given(
    mode=st.sampled_from(sorted(MODES)),
    sizes=st.lists(
        st.one_of(st.integers(0, 3000), st.sampled_from([1023, 1024, 1025, 2048, 65536, 300_000])), max_size=12
    ),
    length=st.integers(0, 100),
    seek=st.integers(0, 2**63),
)
def test_pieces(mode, sizes, length, seek):
    ours, theirs = MODES[mode]
    data = memoryview(pattern(sum(sizes)))
    hasher, start = merklize.Hasher(**ours), 0
    for size in sizes:
        hasher.update(data[start : start + size])
        start += size
        assert hasher.digest() == blake3.blake3(data[:start], **theirs).digest()
    assert hasher.digest(length, seek) == blake3.blake3(data, **theirs).digest(length=length, seek=seek)
    assert hasher.digest(length=length, seek=seek).hex() == hasher.hexdigest(length=length, seek=seek)


@pytest.mark.parametrize("piece", [1, 63, 64, 65, 1000, 1024, 1025, 4096, 100_003, 1 << 20])
def test_equal_pieces(piece):
    data = memoryview(pattern(min(1000 * piece, 20 << 20)))
    hasher = merklize.Hasher()
    for start in range(0, len(data), piece):
        hasher.update(data[start : start + piece])
    assert hasher.digest() == blake3.blake3(data).digest()


def test_shape_of_hashlib():
    hasher = merklize.Hasher(b"initial")
    assert (hasher.name, hasher.digest_size, hasher.block_size) == ("blake3", 32, 64)
    assert hasher.update(b" data") is hasher
    assert hasher.hexdigest() == blake3.blake3(b"initial data").hexdigest()
    assert merklize.Hasher(data=b"x").digest() == merklize.hash(b"x")


def test_copy_and_reset():
    hasher = merklize.Hasher(pattern(5000), key=bytes(32))
    other = hasher.copy()
    other.update(b"more")
    assert hasher.digest() == merklize.hash(pattern(5000), key=bytes(32))
    assert other.digest() == merklize.hash(pattern(5000) + b"more", key=bytes(32))
    other.reset()
    assert other.digest() == merklize.hash(b"", key=bytes(32))
    assert type(other) is merklize.Hasher


def test_arrays():
    array = np.arange(10_000, dtype=np.uint16).reshape(100, 100).T
    hasher = merklize.Hasher()
    hasher.update(array)
    assert hasher.digest() == merklize.hash(array)


def test_errors():
    with pytest.raises(TypeError, match="Hasher: data must be bytes-like, a NumPy array or a tensor, got str"):
        merklize.Hasher("text")
    hasher = merklize.Hasher()
    with pytest.raises(TypeError, match="got NoneType"):
        hasher.update(None)
    with pytest.raises(merklize.InvalidArgument, match="digest: length must be 0 to"):
        hasher.digest(-1)
    with pytest.raises(merklize.OutOfMemory):
        hasher.digest(2**62)
    assert hasher.digest() == merklize.hash(b"")


def test_threads_may_share_one():
    """Whole updates in any order. The pieces are equal, so the order does not matter."""
    piece, times = pattern(251 * 4096), 16
    hasher = merklize.Hasher()
    threads = [threading.Thread(target=lambda: [hasher.update(piece) for _ in range(times)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert hasher.digest() == blake3.blake3(piece * (4 * times)).digest()

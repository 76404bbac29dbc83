"""hash_each(): many messages in one call, beside the official BLAKE3 and hash() of each."""

import hashlib

import blake3
import numpy as np
import pytest

import merklize
import oracle

LENGTHS = [0, 1, 2, 63, 64, 65, 127, 1023, 1024, 1025, 2047, 2048, 2049, 3073]
LENGTHS += [1024 * chunks + more for chunks in (4, 7, 15, 16, 17, 31, 64) for more in (-1, 0, 1)] + [200_001]


def bytes_of(lengths, seed=1):
    random = np.random.default_rng(seed)
    return [random.bytes(length) for length in lengths]


def rows(digests):
    return [bytes(digest) for digest in digests]


def test_a_list_gives_rows(device):
    messages = bytes_of(LENGTHS)
    key = bytes(range(32))
    digests = merklize.hash_each(messages, device=device)
    assert digests.dtype == np.uint8
    assert digests.shape == (len(messages), 32)
    assert rows(digests) == [blake3.blake3(message).digest() for message in messages]
    keyed = merklize.hash_each(iter(messages), key=key, device=device)
    assert rows(keyed) == [blake3.blake3(message, key=key).digest() for message in messages]
    derived = merklize.hash_each(tuple(messages), context="a test", device=device)
    assert rows(derived) == [blake3.blake3(message, derive_key_context="a test").digest() for message in messages]
    for length, seek in [(0, 0), (1, 0), (64, 0), (32, 5), (200, 1000)]:
        longer = merklize.hash_each(messages, length=length, seek=seek, device=device)
        assert longer.shape == (len(messages), length)
        assert rows(longer) == [blake3.blake3(message).digest(length, seek=seek) for message in messages]


def test_a_mapping_gives_a_dict_in_the_same_order():
    messages = {("b", 1): b"one", "a": bytearray(b"two"), 3: memoryview(b"three")}
    digests = merklize.hash_each(messages)
    assert list(digests) == list(messages)
    assert digests == {name: blake3.blake3(message).digest() for name, message in messages.items()}
    assert merklize.hash_each({}) == {}
    assert merklize.hash_each([]).shape == (0, 32)
    assert merklize.hash_each({"x": b"abc"}, length=3) == {"x": blake3.blake3(b"abc").digest(3)}


def test_arrays_of_any_dtype_and_strides():
    random = np.random.default_rng(2)
    array = random.integers(0, 1 << 62, (40, 30), np.int64)
    messages = {
        "contiguous": array,
        "columns": array[:, ::3],
        "backwards": array[::-1],
        "transposed": array.T,
        "bool": array % 2 == 0,
        "half": (array % 1000).astype(np.float16),
        "complex": array.astype(np.complex128)[1:, 1:],
        "scalar": np.float32(7).reshape(()),
        "empty": array[:0],
        "dates": array.astype("datetime64[s]"),
        "records": np.zeros(5, [("a", "<u2"), ("b", ">f8")]),
    }
    digests = merklize.hash_each(messages)
    for name, message in messages.items():
        assert digests[name] == blake3.blake3(message.tobytes()).digest(), name


def test_random_lengths_are_hash_of_each():
    random = np.random.default_rng(3)
    for n in [1, 2, 15, 16, 17, 100, 3000]:
        messages = bytes_of((4000 * random.random(n) ** 3).astype(int), n)
        for threads in (1, None):
            digests = merklize.hash_each(messages, threads=threads)
            assert rows(digests) == [blake3.blake3(message).digest() for message in messages]


@pytest.mark.parametrize("hash", ["sha256_plain", "sha256d", "keccak256"])
def test_other_hashes(hash):
    messages = bytes_of([0, 1, 55, 64, 136, 1000, 70_000])
    digests = merklize.hash_each(messages, hash=hash)
    assert rows(digests) == [merklize.hash(message, hash=hash) for message in messages]
    if hash == "sha256_plain":
        assert rows(digests) == [hashlib.sha256(message).digest() for message in messages]
    if hash == "keccak256":
        assert rows(digests) == [oracle.keccak256(message) for message in messages]
    with pytest.raises(merklize.InvalidArgument, match="hash_each: key is of the hash 'blake3'"):
        merklize.hash_each(messages, hash=hash, key=bytes(32))


def test_refusals():
    for one in (b"bytes", "text", np.zeros(3, np.uint8), memoryview(b"view")):
        with pytest.raises(TypeError, match="messages must be a list or a mapping of messages, got one"):
            merklize.hash_each(one)
    with pytest.raises(TypeError, match="hash_each: message 1 must be bytes-like, a NumPy array or a tensor, got str"):
        merklize.hash_each([b"", "text"])
    with pytest.raises(TypeError, match="hash_each: message 'w' must be bytes-like"):
        merklize.hash_each({"v": b"", "w": None})
    with pytest.raises(merklize.InvalidArgument, match="message 0: an array of Python objects"):
        merklize.hash_each([np.array([None])])
    with pytest.raises(merklize.InvalidArgument, match="message 0: a masked array"):
        merklize.hash_each([np.ma.masked_array([1], [True])])
    with pytest.raises(merklize.InvalidArgument, match="key must be 32 bytes, got 3"):
        merklize.hash_each([b""], key=b"abc")
    with pytest.raises(merklize.InvalidArgument, match="length"):
        merklize.hash_each([b""], length=-1)
    with pytest.raises(merklize.InvalidArgument, match="passes byte 2\\^64 - 1"):
        merklize.hash_each([b""], seek=2**64 - 1)
    with pytest.raises(merklize.Unavailable):
        merklize.hash_each([b""], device="cuda:99")


def test_progress_ends_it():
    with pytest.raises(merklize.Cancelled):
        merklize.hash_each([bytes(1 << 20)] * 300, progress=lambda done: False)

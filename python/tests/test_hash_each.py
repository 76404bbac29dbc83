"""hash_each(): many messages in one call, compared with the official BLAKE3 and with hash() of each."""

import ctypes
import hashlib

import blake3
import numpy as np
import pytest

import merklize
import oracle
from merklize import formats

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


@pytest.mark.parametrize("hash", ["sha256", "sha256d", "keccak256"])
def test_other_hashes(hash):
    messages = bytes_of([0, 1, 55, 64, 136, 1000, 70_000])
    digests = merklize.hash_each(messages, hash=hash)
    assert rows(digests) == [merklize.hash(message, hash=hash) for message in messages]
    if hash == "sha256":
        assert rows(digests) == [hashlib.sha256(message).digest() for message in messages]
    if hash == "keccak256":
        assert rows(digests) == [oracle.keccak256(message) for message in messages]
    with pytest.raises(merklize.InvalidArgument, match="hash_each: key is of the hashes 'blake3' and 'blake2s'"):
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
    keys = {bytes(32): 1, bytes([1] * 32): 2}
    for of_keys in (
        merklize.hash_leaves,
        merklize.MerkleTree.from_messages,
        merklize.hash_files,
        formats.xet_files,
        formats.openzeppelin_simple,
        lambda one: formats.verify_openzeppelin(one, bytes(32), bytes(32)),
    ):
        with pytest.raises(TypeError, match=r"^[\w.]+: a dict has keys and values; give a list$"):
            of_keys(keys)
    big = np.zeros(4, ">u8")
    for words in (big, memoryview(big)):
        with pytest.raises(merklize.InvalidArgument, match=r"^hash_leaves: message 1 must have words in little endian"):
            merklize.hash_leaves([b"", words], "rpo256")
    with pytest.raises(merklize.InvalidArgument, match="key must be 32 bytes, got 3"):
        merklize.hash_each([b""], key=b"abc")
    for call in (lambda size: merklize.hash_each([b""], length=size), lambda size: merklize.hash(b"", length=size),
                 lambda size: merklize.hash_rows(np.zeros((1, 4), np.uint8), length=size)):  # fmt: skip
        with pytest.raises(merklize.OutOfMemory, match=r"^hash\w*: no memory for 4611686018427387904 bytes"):
            call(2**62)
    with pytest.raises(merklize.InvalidArgument, match="length"):
        merklize.hash_each([b""], length=-1)
    with pytest.raises(merklize.InvalidArgument, match="seek must be at most 18446744073709551584 for 32 bytes"):
        merklize.hash_each([b""], seek=2**64 - 1)
    with pytest.raises(merklize.Unavailable):
        merklize.hash_each([b""], device="cuda:99")


def test_many_messages_on_a_device(opencl):
    """The device hashes the first ones while the host looks for the others, which may lie elsewhere, or be none."""
    random = np.random.default_rng(5)
    made = [random.integers(0, 256, size, np.uint8) for size in random.integers(17_000, 25_000, 1100)]
    there = [merklize.DeviceArray.from_numpy(array, opencl) for array in made]
    expected = rows(merklize.hash_each(made))
    assert rows(merklize.hash_each(there)) == expected
    for first in (0, 511, 512, 700, 1024, 1098, 1099):  # of those on the host
        assert rows(merklize.hash_each(there[:first] + made[first:])) == expected
        mixed = there[:first] + made[first : first + 1] + there[first + 1 :]
        assert rows(merklize.hash_each(mixed)) == expected
    named = {str(k): array for k, array in enumerate(there[:512])}
    assert list(merklize.hash_each(named).values()) == expected[:512]
    key = bytes(32)
    assert rows(merklize.hash_each(there, key=key)) == rows(merklize.hash_each(made, key=key))
    with pytest.raises(TypeError, match="hash_each: message 1099 must be bytes-like"):
        merklize.hash_each([*there[:1099], "text"])
    assert rows(merklize.hash_each(there)) == expected


def test_progress_ends_it():
    with pytest.raises(merklize.Cancelled):
        merklize.hash_each([bytes(1 << 20)] * 2000, threads=1, progress=lambda done: False)


class _Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device", ctypes.c_int32 * 2),
        ("ndim", ctypes.c_int32),
        ("dtype", ctypes.c_uint8 * 4),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


class _ExchangeApi(ctypes.Structure):
    """DLPack 1.3's table of functions of a type. It has only the function that describes a tensor."""

    _fields_ = (
        ("version", ctypes.c_uint32 * 2),
        ("functions", ctypes.c_void_p * 4),
        ("borrow_from_object", ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(_Tensor))),
        ("current_stream", ctypes.c_void_p),
    )


def _borrow(tensor, out):
    if tensor.refuses:
        return -1
    given = _Tensor.from_buffer_copy(tensor.described)
    ctypes.memmove(out, ctypes.byref(given), ctypes.sizeof(given))
    return 0


_api = _ExchangeApi((ctypes.c_uint32 * 2)(1, 3), borrow_from_object=_ExchangeApi._fields_[2][1](_borrow))
_NAME = b"dlpack_exchange_api"  # a capsule keeps none of its own
_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype, _new_capsule.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)


class Lent:
    """A tensor on the host whose type has DLPack's functions, of a NumPy array."""

    __dlpack_c_exchange_api__ = _new_capsule(ctypes.addressof(_api), _NAME, None)

    def __init__(self, array, refuses=False):
        self.array, self.refuses, self.exported = array, refuses, False
        self.shape = (ctypes.c_int64 * array.ndim)(*array.shape)
        self.strides = (ctypes.c_int64 * array.ndim)(*(step // array.itemsize for step in array.strides))
        dtype = (ctypes.c_uint8 * 4)(0, 8 * array.itemsize, 1, 0)
        pointer = ctypes.POINTER(ctypes.c_int64)
        self.described = _Tensor(array.ctypes.data - 4, (ctypes.c_int32 * 2)(1, 0), array.ndim, dtype,
                                 ctypes.cast(self.shape, pointer), ctypes.cast(self.strides, pointer), 4)  # fmt: skip

    def __dlpack__(self, **_):
        self.exported = True
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_tensors_that_can_be_looked_at_are_not_exported():
    array = np.arange(6000, dtype=np.int64).reshape(20, 300)
    looked_at = [Lent(array), Lent(array[3:7]), Lent(array[:, :1][:1]), Lent(np.array(7))]
    exported = [Lent(array.T), Lent(array[:, ::2]), Lent(array[:0]), Lent(array[::-1]), Lent(array, refuses=True)]
    messages = [*looked_at, b"bytes", *exported, array]
    digests = merklize.hash_each(messages)
    expected = [message if isinstance(message, bytes) else np.asarray(getattr(message, "array", message)).tobytes()
                for message in messages]  # fmt: skip
    assert rows(digests) == [blake3.blake3(message).digest() for message in expected]
    assert not any(tensor.exported for tensor in looked_at)
    assert all(tensor.exported for tensor in exported)


def test_rows_of_bytes_gives_any_part_of_the_output(device):
    for length in (10, 1024, 1025, 5000):
        messages = np.frombuffer(b"".join(bytes_of([length] * 5)), np.uint8).reshape(5, length)
        for size, seek in [(0, 0), (1, 0), (64, 0), (32, 7)]:
            digests = merklize.hash_rows(messages, length=size, seek=seek, key=bytes(32), device=device)
            assert digests.shape == (5, size)
            assert rows(digests) == [
                blake3.blake3(m.tobytes(), key=bytes(32)).digest(size, seek=seek) for m in messages
            ]
            if device != "cpu":
                there = merklize.DeviceArray.from_numpy(messages, device)
                found = merklize.hash_rows(there, length=size, seek=seek, key=bytes(32))
                assert isinstance(found, merklize.DeviceArray)
                assert (found.numpy() == digests).all()
    with pytest.raises(merklize.InvalidArgument, match="length is of the hash 'blake3'"):
        merklize.hash_rows(messages, hash="keccak256", length=64)


def test_rows_of_bytes_takes_rows_of_any_dtype():
    items = np.arange(5 * 12, dtype=np.float32).reshape(5, 3, 4)
    for array in (
        items,
        items[:, ::2],
        items[:, :, 1:3],
        items.astype(">u2"),
        items[:, 0] > 7,
        items[:, :0],
        items[:0],
    ):
        digests = merklize.hash_rows(array)
        assert rows(digests) == [blake3.blake3(row.tobytes()).digest() for row in array]
    there = merklize.hash_rows(items.view(np.int32))
    assert (there == merklize.hash_rows(items)).all()
    for array in (items[0, 0], np.array(1), np.array([[None]])):
        with pytest.raises(merklize.InvalidArgument, match="hash_rows: rows"):
            merklize.hash_rows(array)


@pytest.mark.parametrize("hash", ["blake3", "sha256_rfc6962", "rp64_256_v3", "poseidon2_koalabear_16"])
def test_leaves_of_lists(hash):
    width = {"rp64_256_v3": 8, "poseidon2_koalabear_16": 4}.get(hash, 1)
    records = [bytes(width * n) for n in (0, 1, 5, 300, 1, 0, 700, 2)]
    leaves = merklize.hash_leaves(records, hash)
    assert [leaf.tobytes() for leaf in leaves] == [
        merklize.hash_leaves(
            np.frombuffer(record, f"u{width}").reshape(1, -1), hash
        )[0].tobytes()
        for record in records
    ]  # fmt: skip
    assert merklize.MerkleTree.from_messages(records, hash).root == merklize.merkle_root(leaves, hash)
    if hash == "blake3":
        keyed = merklize.hash_leaves(iter(records), key=bytes(32))
        assert rows(keyed) == [blake3.blake3(record, key=bytes(32)).digest() for record in records]
        assert merklize.hash_leaves([]).shape == (0, 32)
    if width > 1:
        with pytest.raises(
            merklize.InvalidArgument, match=f"message 1 has 5 bytes; '{hash}' takes words of {width} bytes"
        ):
            merklize.hash_leaves([b"", b"12345"], hash)


def test_many_small_files(tmp_path, device):
    lengths = [0, 1, 64, 1024, 1025, 65_536, 65_537, 300_000, 262_144] + [k * 37 % 3000 for k in range(300)]
    paths = [tmp_path / str(k) for k in range(len(lengths))]
    for path, data in zip(paths, bytes_of(lengths)):
        path.write_bytes(data)
    missing = tmp_path / "missing"
    for options in ({}, {"threads": 1}, {"length": 70, "seek": 3, "key": bytes(32)}):
        found = merklize.hash_files([*paths[:5], missing, *paths[5:]], device=device, **options)
        assert isinstance(found.pop(5), FileNotFoundError)
        for path, digest in zip(paths, found):
            hasher = blake3.blake3(path.read_bytes(), **({"key": options["key"]} if "key" in options else {}))
            assert digest == hasher.digest(options.get("length", 32), seek=options.get("seek", 0)), path

"""Tensors of PyTorch and CuPy on CUDA devices, and trees that stay there.

Skipped without a device, or without the package that a test is about; failing instead with MERKLIZE_REQUIRE_CUDA=1.
"""

import gc
import os
from concurrent.futures import ThreadPoolExecutor

import blake3
import numpy as np
import pytest

import merklize
import oracle
import weights
from oracle import P

REQUIRED = os.environ.get("MERKLIZE_REQUIRE_CUDA") == "1"
WHY_NOT = merklize.why_unavailable("cuda")

if WHY_NOT and not REQUIRED:
    pytest.skip(WHY_NOT, allow_module_level=True)


def _package(name):
    try:
        return __import__(name)
    except ImportError as error:
        if REQUIRED:
            pytest.fail(str(error))
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def torch():
    package = _package("torch")
    assert package.cuda.is_available()
    return package


@pytest.fixture(scope="module")
def cupy():
    return _package("cupy")


def digest(data):
    return blake3.blake3(data).digest()


def bytes_of(tensor):
    """A PyTorch tensor's bytes in C order, by PyTorch alone."""
    import torch

    whole = tensor.detach().contiguous().cpu()
    return whole.reshape(-1).view(torch.uint8).numpy().tobytes() if whole.numel() else b""


def on_device(torch, array):
    """uint64 goes through int64: PyTorch copies only that everywhere."""
    if array.dtype == np.uint64:
        return torch.from_numpy(array.view(np.int64).copy()).cuda()
    return torch.from_numpy(array.copy()).cuda()


def test_device():
    assert WHY_NOT == ""
    found = next(device for device in merklize.devices() if device.id == "cuda:0")
    assert found.backend == "cuda"
    assert found.isa.startswith("sm_")
    assert found.vendor
    assert found.driver
    assert found.units > 0
    assert found.memory_bytes > 1 << 28


# ---- hash -----------------------------------------------------------------------------------------------------------

LENGTHS = [0, 1, 31, 64, 1023, 1024, 1025, 2048, 2049, 4097, 65536, 100_001, 1 << 20, (1 << 20) + 1, (8 << 20) - 3]


@pytest.mark.parametrize("length", LENGTHS)
def test_hash_of_bytes_on_the_device(torch, length):
    data = oracle.pattern(length)
    tensor = on_device(torch, np.frombuffer(data, np.uint8))
    assert merklize.hash(tensor) == digest(data)
    assert merklize.hash(tensor, device="cuda:0") == merklize.hash(tensor, device="cuda") == digest(data)
    key, context = bytes(range(32)), "merklize tests of CUDA"
    assert merklize.hash(tensor, key=key, length=100, seek=9) == blake3.blake3(data, key=key).digest(100, seek=9)
    assert merklize.hash(tensor, context=context) == blake3.blake3(data, derive_key_context=context).digest()
    assert merklize.hash(data, device="cuda:0") == digest(data)  # host data, staged


@pytest.mark.parametrize("start", [1, 2, 3, 7, 8, 15, 16, 33])
def test_views_at_any_address(torch, start):
    data = oracle.pattern(300_000)
    tensor = on_device(torch, np.frombuffer(data, np.uint8))
    for end in (start, start + 1, start + 1024, start + 5000, len(data) - start):
        assert merklize.hash(tensor[start:end]) == digest(data[start:end])


def _dtypes(torch):
    names = ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64")
    return [getattr(torch, name) for name in (*names, "complex64", "complex128")]


def test_every_dtype_and_layout(torch):
    raw = torch.from_numpy(np.frombuffer(oracle.pattern(16 * 6 * 10 * 14), np.uint8).copy()).cuda()
    for dtype in _dtypes(torch):
        size = torch.empty(0, dtype=dtype).element_size()
        if dtype == torch.bool:
            cube = (raw[: 6 * 10 * 14] % 2).bool().view(6, 10, 14)
        else:
            cube = raw[: size * 6 * 10 * 14].view(dtype).view(6, 10, 14)
        forms = [
            cube,
            cube.permute(2, 1, 0),
            cube.transpose(0, 1),
            cube[1:, ::3, 2:],
            cube[:, :, 5],
            cube[::2, 3],
            cube[2, 3, 4],  # no dimensions
            cube[:0],
            cube[:, :0],
            cube[:1].expand(4, 10, 14),
            cube.reshape(-1)[3:],
            cube.reshape(-1)[1::7],
        ]
        for form in forms:
            assert merklize.hash(form) == digest(bytes_of(form)), (dtype, form.shape, form.stride())


def test_many_dimensions(torch):
    tensor = torch.arange(3**8, dtype=torch.int16, device="cuda").view([3] * 8)
    for form in (tensor.permute(7, 6, 5, 4, 3, 2, 1, 0), tensor.permute(1, 0, 3, 2, 5, 4, 7, 6)[:, 1:]):
        assert merklize.hash(form) == digest(bytes_of(form))


def test_a_state_dict_in_one_call(torch):
    data = oracle.pattern(5 << 20)
    whole = on_device(torch, np.frombuffer(data, np.uint8))
    cube = whole[: 24_000 * 4].view(torch.float32).view(20, 30, 40)
    tensors = {f"at {start}": whole[start : start + length] for start, length in enumerate(LENGTHS)}
    tensors |= {
        "layer": torch.nn.Linear(64, 33).cuda().weight,
        "transposed": cube.permute(2, 0, 1),
        "every other": cube[:, ::2],
        "scalar": cube[1, 2, 3],
        "none": cube[:0],
        "half": cube.to(torch.bfloat16),
        "on the host": cube.cpu(),
        "turned around on the host": cube.cpu().T,
        "bytes": b"bytes",
    }
    expected = {name: digest(t if isinstance(t, bytes) else bytes_of(t)) for name, t in tensors.items()}
    assert merklize.hash_each(tensors) == expected
    assert merklize.hash_each(tensors, device="cuda:0") == expected
    key = bytes(range(32))
    keyed = merklize.hash_each(list(tensors.values()), key=key, length=50, seek=3)
    for tensor, output in zip(tensors.values(), keyed):
        content = tensor if isinstance(tensor, bytes) else bytes_of(tensor)
        assert output.tobytes() == blake3.blake3(content, key=key).digest(50, seek=3)
    many = [whole[start : start + 60_000 + 8 * start] for start in range(1000)]  # hashed while others are looked at
    for given in (many, [*many[:999], b"bytes"], [b"bytes", *many], [*many[:500], many[500].cpu(), *many[501:]]):
        expected = [digest(item if isinstance(item, bytes) else bytes_of(item)) for item in given]
        assert [found.tobytes() for found in merklize.hash_each(given)] == expected
    with pytest.raises(TypeError, match="message 1000 must be bytes-like"):
        merklize.hash_each([*many, "text"])
    # Work on PyTorch's current stream comes first, and so does work on a named stream.
    for stream in (None, torch.cuda.Stream()):
        with torch.cuda.stream(stream):
            made = [torch.full((1 << 20,), value, dtype=torch.int32, device="cuda") for value in range(50)]
            for _ in range(20):
                for tensor in made:
                    tensor += 1
            found = merklize.hash_each(made, stream=stream)
        assert found[7].tobytes() == digest(np.full(1 << 20, 27, np.int32).tobytes())
        assert found.tobytes() == merklize.hash_each([bytes_of(tensor) for tensor in made]).tobytes()


def test_parameters_that_want_gradients(torch):
    layer = torch.nn.Linear(64, 33).cuda()
    assert merklize.hash(layer.weight) == digest(bytes_of(layer.weight))
    assert merklize.hash(layer.weight.cpu()) == digest(bytes_of(layer.weight))


def test_host_tensors(torch):
    for dtype in _dtypes(torch):
        cube = torch.arange(4 * 5 * 6).view(4, 5, 6).to(dtype)
        for form in (cube, cube.permute(2, 0, 1), cube[:, ::2], cube[1, 2, 3], cube[:0]):
            assert merklize.hash(form) == digest(bytes_of(form)), dtype
            assert merklize.hash(form, device="cuda:0") == digest(bytes_of(form)), dtype
    pinned = torch.arange(100_000, dtype=torch.int32).pin_memory()
    assert merklize.hash(pinned, device="cuda:0") == digest(bytes_of(pinned))


def test_reversed_and_strided_arrays_of_cupy(cupy):
    cube = cupy.asarray(np.frombuffer(oracle.pattern(8 * 5 * 6 * 7), "<u8").reshape(5, 6, 7))
    for form in (cube, cube[::-1], cube[:, ::-2, ::-1], cube.T, cupy.asfortranarray(cube), cube[2, 3, 4], cube[:0]):
        assert merklize.hash(form) == digest(np.ascontiguousarray(form.get()).tobytes())
    assert merklize.hash(cube.astype(cupy.complex128)) == digest(cube.astype(cupy.complex128).get().tobytes())


class Interface:
    """An array that has the CUDA array interface alone, as Numba's."""

    def __init__(self, array, **changes):
        self._array = array
        self.__cuda_array_interface__ = {**array.__cuda_array_interface__, **changes}


def test_cuda_array_interface(cupy):
    data = oracle.pattern(24 * 50)
    array = cupy.asarray(np.frombuffer(data, np.uint8).reshape(24, 50))
    assert merklize.hash(Interface(array)) == digest(data)
    assert merklize.hash(Interface(array), device="cuda:0") == digest(data)
    assert merklize.hash(Interface(array.T)) == digest(array.T.get().tobytes())
    assert merklize.hash(Interface(array[::-1, ::2])) == digest(array[::-1, ::2].get().tobytes())
    assert merklize.hash(Interface(array[:0])) == digest(b"")
    assert merklize.hash(Interface(array, typestr="<V2", shape=(24, 25))) == digest(data)
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        slow = cupy.arange(1 << 24, dtype=cupy.int64)
        for _ in range(20):
            slow = slow * 3 + 1
        made = Interface(slow, stream=stream.ptr, version=3)
    found = merklize.hash(made)
    stream.synchronize()
    assert found == digest(slow.get().tobytes())


def test_over_4_gib(torch):
    size = (4 << 30) + 12_345
    if torch.cuda.mem_get_info()[0] < 2 * size:
        pytest.skip("the device has too little memory free")
    tensor = torch.zeros(size, dtype=torch.uint8, device="cuda")
    official, last = blake3.blake3(max_threads=blake3.blake3.AUTO), 0
    zeros = bytes(64 << 20)
    for place in (0, 1 << 30, (4 << 30) - 5, (4 << 30) + 7, size - 1):
        tensor[place] = 77
        while last < place:
            official.update(zeros[: min(len(zeros), place - last)])
            last += min(len(zeros), place - last)
        official.update(b"M")
        last += 1
    assert merklize.hash(tensor) == official.digest()
    # Packed on the device: every second byte of it, which is an offset over 2^32 in the source.
    half = tensor[1::2]
    assert merklize.hash(half) == merklize.hash(half.contiguous())
    del tensor, half
    torch.cuda.empty_cache()


# ---- order ----------------------------------------------------------------------------------------------------------


def _slowly_filled(torch, value, n=1 << 24):
    """Enqueue slow work on the current stream. Return its tensor, and the digest that the tensor will have."""
    tensor = torch.zeros(n, dtype=torch.int32, device="cuda")
    torch.cuda._sleep(50_000_000)
    tensor += value
    return tensor, digest(np.full(n, value, np.int32).tobytes())


def test_what_the_current_stream_has_queued_is_done_before(torch):
    tensor, expected = _slowly_filled(torch, 5)
    assert merklize.hash(tensor) == expected
    for value in range(3):
        side = torch.cuda.Stream()
        with torch.cuda.stream(side):
            tensor, expected = _slowly_filled(torch, 10 + value)
            assert merklize.hash(tensor) == expected
            tensor, expected = _slowly_filled(torch, 20 + value)
            assert merklize.hash(tensor, stream=side) == expected
            tensor, expected = _slowly_filled(torch, 30 + value)
            assert merklize.hash(tensor.view(2, -1).T, stream=side.cuda_stream) == digest(
                np.full(tensor.numel(), 30 + value, np.int32).tobytes()
            )
        # The stream is named while it is not the current one. Work that was enqueued there before comes first.
        with torch.cuda.stream(side):
            tensor, expected = _slowly_filled(torch, 40 + value)
        assert merklize.hash(tensor, stream=side) == expected
        side.synchronize()


def test_streams_of_cupy(cupy):
    for stream in (cupy.cuda.Stream(non_blocking=True), cupy.cuda.Stream.null, cupy.cuda.Stream.ptds):
        with stream:
            array = cupy.arange(1 << 22, dtype=cupy.int32)
            for _ in range(10):
                array = array + 1
            expected = digest(np.arange(10, (1 << 22) + 10, dtype=np.int32).tobytes())
            assert merklize.hash(array, stream=stream) == expected
            assert merklize.hash(array) == expected


def test_host_data_on_a_stream(torch):
    side = torch.cuda.Stream()
    data = oracle.pattern(3_000_000)
    assert merklize.hash(data, device="cuda:0", stream=side) == digest(data)


def test_eight_threads_at_once(torch):
    def work(seed):
        side = torch.cuda.Stream() if seed % 2 else None
        data = oracle.pattern(200_000 + 7 * seed)
        leaves = oracle.byte_leaves(256)[np.random.default_rng(seed).permutation(256)]
        expected = (digest(data), merklize.MerkleTree(leaves).root, digest(np.ascontiguousarray(leaves.T).tobytes()))
        with torch.cuda.stream(side):
            tensor, there = on_device(torch, np.frombuffer(data, np.uint8)), on_device(torch, leaves)
            tree = merklize.MerkleTree(there, stream=side)
            assert tree.prove([5, 200])[1].verify(tree.root)
            return expected == (merklize.hash(tensor, stream=side), tree.root, merklize.hash(there.T))

    with ThreadPoolExecutor(8) as pool:
        for _ in range(4):
            assert all(pool.map(work, range(16)))


# ---- batches --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [0, 1, 3, 100, 1025])
@pytest.mark.parametrize("length", [0, 1, 32, 64, 65, 1024, 1025, 5000])
def test_rows_of_bytes(torch, n, length):
    messages = np.random.default_rng(length).integers(0, 256, (n, length), np.uint8)
    digests = merklize.hash_rows(on_device(torch, messages))
    assert (digests.shape, digests.dtype, digests.device) == ((n, 32), "uint8", "cuda:0")
    assert np.array_equal(digests.numpy(), merklize.hash_rows(messages, device="cpu"))
    assert np.array_equal(merklize.hash_rows(messages, device="cuda:0"), digests.numpy())
    signed = on_device(torch, messages).view(torch.int8)
    assert np.array_equal(merklize.hash_rows(signed[:, ::2]).numpy(), merklize.hash_rows(messages[:, ::2]))


@pytest.mark.parametrize("hash", [name for name, words in oracle.WORDS.items() if words[2] == P])
@pytest.mark.parametrize("k", [0, 1, 4, 8, 9, 17])
def test_rows_of_words(torch, hash, k):
    rows = np.random.default_rng(k).integers(0, P, (100, k), np.uint64)
    expected = merklize.hash_rows(rows, hash)
    there = merklize.hash_rows(on_device(torch, rows), hash)
    assert (there.shape, there.dtype) == ((100, 4), "int64")
    assert np.array_equal(there.numpy().view(np.uint64), expected)
    one = merklize.hash_rows(on_device(torch, rows)[7], hash)
    assert one.shape == (4,)
    assert np.array_equal(one.numpy().view(np.uint64), expected[7])
    if k > 1:
        apart = on_device(torch, np.asfortranarray(rows)).T.contiguous().T
        assert np.array_equal(merklize.hash_rows(apart, hash).numpy().view(np.uint64), expected)


def test_unsigned_words(torch, cupy):
    rows = np.random.default_rng(0).integers(0, P, (10, 8), np.uint64)
    expected = merklize.hash_rows(rows, "rp64_256")
    there = merklize.hash_rows(cupy.asarray(rows), "rp64_256")
    assert there.dtype == "uint64"
    assert np.array_equal(there.numpy(), expected)
    if hasattr(torch, "uint64"):
        tensor = on_device(torch, rows).view(torch.uint64)
        assert np.array_equal(merklize.hash_rows(tensor, "rp64_256").numpy(), expected)


@pytest.mark.parametrize("place", [0, 5, 999_999])
@pytest.mark.parametrize("word", [P, 2**64 - 1])
def test_a_word_that_is_no_field_element_is_found_there(torch, place, word):
    rows = np.zeros((125_000, 8), np.uint64)
    rows.flat[place] = word
    there = on_device(torch, rows)
    with pytest.raises(merklize.InvalidArgument, match=f"word {place} is {word}"):
        merklize.hash_rows(there, "rp64_256")
    digests = np.zeros((1 << 18, 4), np.uint64)
    digests.flat[place] = word
    for call in (merklize.MerkleTree, merklize.merkle_root):
        with pytest.raises(merklize.InvalidArgument, match=f"leaves: word {place} is {word}"):
            call(on_device(torch, digests), "rp64_256")
    with pytest.raises(merklize.InvalidArgument, match=f"right.*word {place} is {word}"):
        merklize.merge(on_device(torch, np.zeros_like(digests)), on_device(torch, digests), "rp64_256")


@pytest.mark.parametrize("hash", oracle.HASHES)
def test_merge(torch, hash):
    left, right = oracle.leaves(100, hash), oracle.leaves(200, hash)[100:]
    expected = merklize.merge(left, right, hash)
    for one, other in (
        (left, right),
        (left.view(np.uint8), right.view(np.uint8)),
        (np.repeat(left, 2, 0), np.repeat(right, 2, 0)),
    ):
        a, b = on_device(torch, one), on_device(torch, other)
        if len(one) == 200:
            a, b = a[::2], b[::2]
        merged = merklize.merge(a, b, hash)
        assert (merged.shape, merged.device) == (tuple(a.shape), "cuda:0")
        assert merged.numpy().tobytes() == expected.tobytes()
    nodes = on_device(torch, oracle.byte_leaves(48)).view(2, 3, 8, 32)
    merged = merklize.merge(nodes[:, :, ::2], nodes[:, :, 1::2])
    assert merged.shape == (2, 3, 4, 32)
    assert np.array_equal(merged.numpy(), merklize.merge(nodes[:, :, ::2].cpu(), nodes[:, :, 1::2].cpu()))


# ---- trees ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("hash", oracle.HASHES)
@pytest.mark.parametrize("n", [2, 4, 64, 1 << 10, 1 << 15])
def test_trees(torch, cupy, hash, n, tmp_path):
    leaves = oracle.leaves(n, hash)
    expected = merklize.MerkleTree(leaves, hash)
    timings = merklize.tuning.Timings()
    for given in (leaves, on_device(torch, leaves), cupy.asarray(leaves), on_device(torch, leaves.view(np.uint8))):
        with merklize.tuning.options(timings=timings):
            tree = merklize.MerkleTree(given, hash, device="cuda:0")
        assert (tree.root, tree.device, tree.on_device) == (expected.root, "cuda:0", True)
        assert timings.kernel > 0
        assert isinstance(tree.nodes, merklize.DeviceArray)
        assert np.array_equal(tree.nodes.numpy(), expected.nodes)
        assert set(tree.policy) == {"levels_per_launch", "group_size", "lanes", "constants"}
        assert merklize.merkle_root(given, hash, device="cuda:0") == expected.root
        if given is not leaves:
            assert merklize.merkle_root(given, hash) == merklize.merkle_root(given, hash=hash) == expected.root
    for height in range(n.bit_length()):
        assert np.array_equal(tree.cap(height).numpy(), expected.cap(height))
    indices = [0, n - 1, n // 2, 0]
    assert tree.prove(indices) == [expected.prove(index) for index in indices]
    assert all(proof.verify(tree.root) for proof in tree.prove(np.arange(min(n, 500))))
    assert tree.prove([]) == []
    tree.save(tmp_path / "tree")
    with merklize.TreeFile(tmp_path / "tree") as file:
        assert file.root == expected.root
        assert np.array_equal(file.level(0), expected.level(0))
        assert file.check(device="cuda:0") == []


def test_nodes_go_to_others_without_a_copy(torch, cupy):
    leaves = oracle.word_leaves(256)
    for hash in ("blake3", "rp64_256"):
        tree = merklize.MerkleTree(on_device(torch, leaves), hash)
        nodes = tree.nodes
        expected = nodes.numpy()
        assert len(nodes) == 512
        assert nodes.__dlpack_device__() == (2, 0)
        address = nodes.__cuda_array_interface__["data"][0]
        theirs = torch.from_dlpack(nodes)
        assert theirs.data_ptr() == address
        assert theirs.device == torch.device("cuda:0")
        assert theirs.cpu().numpy().tobytes() == expected.tobytes()
        for array in (cupy.asarray(nodes), cupy.from_dlpack(nodes)):
            assert array.data.ptr == address
            assert np.array_equal(array.get(), expected)
        cap = torch.from_dlpack(tree.cap(3))
        assert cap.data_ptr() == address + 32 * 8
        assert merklize.hash(nodes) == digest(expected.tobytes())
        # The arrays keep the memory alive, without the tree.
        del tree, nodes, array
        gc.collect()
        _ = [merklize.MerkleTree(on_device(torch, leaves), hash) for _ in range(10)]
        assert theirs.cpu().numpy().tobytes() == expected.tobytes()
        assert cap.cpu().numpy().tobytes() == expected[8:16].tobytes()


def test_export_of_device_arrays(torch):
    digests = merklize.hash_rows(on_device(torch, oracle.byte_leaves(10)))
    expected = digests.numpy()
    for options in (
        {},
        {"stream": 1},
        {"stream": -1},
        {"max_version": (1, 0)},
        {"max_version": (1, 1), "dl_device": (2, 0)},
        {"copy": False},
        {"copy": True, "max_version": (1, 0)},
        {"max_version": (0, 8)},
    ):
        capsule = digests.__dlpack__(**options)
        assert ("versioned" in repr(capsule)) == (options.get("max_version", (0, 0))[0] >= 1)
        if "versioned" not in repr(capsule):
            assert np.array_equal(torch.utils.dlpack.from_dlpack(capsule).cpu().numpy(), expected)
        del capsule  # one that nobody takes
    with pytest.raises(BufferError, match=r"call \.numpy\(\) to copy it to the host"):
        digests.__dlpack__(dl_device=(1, 0))
    with pytest.raises(TypeError, match=r"call \.numpy\(\) to copy it there"):
        np.asarray(digests)
    empty = merklize.hash_rows(on_device(torch, np.zeros((0, 7), np.uint8)))
    assert torch.from_dlpack(empty).shape == (0, 32)
    assert empty.__cuda_array_interface__["data"][0] == 0
    back = merklize.DeviceArray.from_numpy(expected, "cuda:0")
    assert torch.equal(torch.from_dlpack(back), torch.from_dlpack(digests))


@pytest.mark.parametrize("is_pending", [False, True])
@pytest.mark.parametrize("stream", [None, 0, 1, 2, -1, "side"])
def test_export_to_streams(torch, stream, is_pending):
    data = torch.arange(1 << 24, dtype=torch.uint8, device="cuda").view(-1, 64)
    expected = b"".join(blake3.blake3(row.tobytes()).digest() for row in data[:10].cpu().numpy())
    digests = merklize.hash_rows(data, wait=not is_pending)
    side = torch.cuda.Stream()
    capsule = digests.__dlpack__(stream=side.cuda_stream if stream == "side" else stream)
    if stream == -1:  # the consumer makes its own order
        torch.cuda.synchronize()
    with torch.cuda.stream(side if stream == "side" else torch.cuda.default_stream()):
        found = torch.utils.dlpack.from_dlpack(capsule)[:10].clone()
    torch.cuda.synchronize()
    assert found.cpu().numpy().tobytes() == expected


@pytest.mark.parametrize("is_pending", [False, True])
def test_export_to_what_is_no_stream(torch, is_pending):
    digests = merklize.hash_rows(on_device(torch, oracle.byte_leaves(10)), wait=not is_pending)
    for wrong in (-2, 1 << 64, -(1 << 63)):
        with pytest.raises(merklize.InvalidArgument, match="__dlpack__: stream must be 0 to 2"):
            digests.__dlpack__(stream=wrong)
    for wrong in ("1", 1.0, object()):
        with pytest.raises(TypeError, match="__dlpack__: stream must be an integer"):
            digests.__dlpack__(stream=wrong)
    with torch.cuda.stream(torch.cuda.Stream()):  # a handle of a stream is an address
        assert torch.from_dlpack(digests).shape == (10, 32)


@pytest.mark.parametrize("hash", oracle.HASHES)
def test_build_tree_in_place(torch, cupy, hash):
    leaves = oracle.leaves(1 << 11, hash)
    expected = merklize.MerkleTree(leaves, hash).nodes
    whole = np.concatenate([np.ones_like(leaves), leaves])
    side = torch.cuda.Stream()
    for nodes, options in (
        (on_device(torch, whole), {}),
        (on_device(torch, whole.view(np.uint8)), {}),
        (cupy.asarray(whole), {"device": "cuda:0"}),
        (on_device(torch, whole), {"stream": side}),
    ):
        with merklize.tuning.options(policy={"levels_per_launch": 3}):
            assert merklize.build_tree(nodes, hash, **options)["levels_per_launch"] == 3
        found = nodes.get() if hasattr(nodes, "get") else nodes.cpu().numpy()
        assert found.tobytes() == expected.tobytes()
    inner = torch.zeros(64 + whole.nbytes, dtype=torch.uint8, device="cuda")
    view = inner[32 : 32 + whole.nbytes].view(-1, 32)
    view[len(leaves) :] = on_device(torch, leaves.view(np.uint8).reshape(-1, 32))
    merklize.build_tree(view, hash)
    assert bytes_of(view) == expected.tobytes()
    assert not inner[:32].any()
    assert not inner[-32:].any()
    with pytest.raises(merklize.InvalidArgument, match="writable and in C order"):
        merklize.build_tree(on_device(torch, whole).T.contiguous().T, hash)


POLICIES = [
    {"group_size": 32},
    {"levels_per_launch": 1, "group_size": 128},
    {"levels_per_launch": 1, "lanes": 2},
    {"levels_per_launch": 4, "constants": "literal"},
    {"constants": "constant"},
    {"constants": "global", "group_size": 64},
    {"constants": "local"},
]


@pytest.mark.parametrize("policy", POLICIES, ids=str)
@pytest.mark.parametrize("hash", oracle.HASHES)
def test_policies_change_no_byte(torch, hash, policy):
    leaves = oracle.leaves(1 << 12, hash)
    with merklize.tuning.options(policy=policy):
        tree = merklize.MerkleTree(on_device(torch, leaves), hash)
    assert tree.root == merklize.MerkleTree(leaves, hash).root
    assert {name: tree.policy[name] for name in policy} == policy


def test_policies_of_digests(torch):
    data = oracle.pattern(1_000_001)
    tensor = on_device(torch, np.frombuffer(data, np.uint8))
    for policy in ({"group_size": 64}, {"lanes": 2}, {"constants": "local", "group_size": 32}):
        timings = merklize.tuning.Timings()
        with merklize.tuning.options(policy=policy, timings=timings):
            assert merklize.hash(tensor) == digest(data)
        assert timings.kernel > 0
    words = oracle.word_leaves(1000)
    for constants in ("literal", "constant", "global", "local"):
        with merklize.tuning.options(policy={"constants": constants}):
            there = merklize.hash_rows(on_device(torch, words), "rp64_256")
        assert np.array_equal(there.numpy().view(np.uint64), merklize.hash_rows(words, "rp64_256"))


# ---- what is refused ------------------------------------------------------------------------------------------------


def test_wrong_devices(torch):
    there = on_device(torch, oracle.byte_leaves(4))
    with pytest.raises(merklize.InvalidArgument, match="the tensor is on cuda:0, device= says cpu"):
        merklize.hash(there, device="cpu")
    with pytest.raises(merklize.InvalidArgument, match="the tensor is on cuda:0, device= says cuda:1"):
        merklize.MerkleTree(there, device="cuda:1")
    with pytest.raises(merklize.InvalidArgument, match="left is on cuda:0, right on the host"):
        merklize.merge(there, there.cpu())
    with pytest.raises(merklize.InvalidArgument, match="the tensor is on cuda:0, this takes memory of the host"):
        merklize.Hasher(there)
    if torch.cuda.device_count() > 1:
        other = there.to("cuda:1")
        assert merklize.hash(other) == merklize.hash(there)
        assert merklize.MerkleTree(other).device == "cuda:1"
        with pytest.raises(merklize.InvalidArgument, match="left is on cuda:0, right on cuda:1"):
            merklize.merge(there, other)


def test_wrong_shapes_and_dtypes(torch):
    with pytest.raises(merklize.InvalidArgument, match=r"rows must be uint8.* got float32\[3\]"):
        merklize.hash_rows(torch.zeros(3, device="cuda"))
    with pytest.raises(merklize.InvalidArgument, match=r"rows must be .*, got int32\[2, 4\]"):
        merklize.hash_rows(torch.zeros(2, 4, dtype=torch.int32, device="cuda"), "rp64_256")
    with pytest.raises(merklize.InvalidArgument, match=r"leaves must be .*got bfloat16\[8, 32\]"):
        merklize.MerkleTree(torch.zeros(8, 32, dtype=torch.bfloat16, device="cuda"))
    with pytest.raises(merklize.InvalidArgument, match="power of two .*, got 3"):
        merklize.MerkleTree(on_device(torch, oracle.byte_leaves(3)), rule="perfect")
    with pytest.raises(merklize.InvalidArgument, match="prove: leaf index must be below 4, got 4"):
        merklize.MerkleTree(on_device(torch, oracle.byte_leaves(4))).prove([1, 4])


@pytest.mark.parametrize(
    "how", [{}, {"salt": bytes(range(32))}, {"salt": b"ab", "salt_after": True}, {"algorithm": "sha512"}]
)
def test_weights_against_the_root_of_a_disk(torch, cupy, tmp_path, how):
    random = np.random.default_rng(5)
    host = {f"t{n}": random.integers(0, 256, n, dtype="u1") for n in (1, 4095, 4097, 100_003, (5 << 20) + 1)}
    data = weights.write(tmp_path / "m", host).read_bytes()
    (tmp_path / "m").write_bytes(data + bytes(-len(data) % 4096))
    root, _ = merklize.formats.dm_verity_format(tmp_path / "m", tmp_path / "h", **how)
    disk = merklize.manifests.VerityImage(root, tmp_path / "m", tmp_path / "h")
    for state in ({n: on_device(torch, a) for n, a in host.items()}, {n: cupy.asarray(a) for n, a in host.items()}):
        report = merklize.check_model(state, verity=disk)
        assert report.differences == []
        assert report.checked == len(host)
        for name, tensor in state.items():
            tensor[-1] ^= 1
            assert [one.name for one in merklize.check_model(state, verity=disk).differences] == [name]
            tensor[-1] ^= 1

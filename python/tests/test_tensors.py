"""Other libraries' arrays: DLPack on the host, refused tensors on devices, streams; and DeviceArrays on OpenCL."""

import ctypes
import sys
import types

import blake3
import numpy as np
import pytest

import merklize
import oracle
from merklize._settings import stream_handle


class Exporter:
    """A NumPy array that can be reached by DLPack alone."""

    def __init__(self, array, device=(1, 0)):
        self._array = array
        self._device = device

    def __dlpack_device__(self):
        return self._device

    def __dlpack__(self, **options):
        return self._array.__dlpack__(**options)


class OldExporter(Exporter):
    """A tensor with the interface before DLPack 1.0."""

    def __dlpack__(self, *, stream=None):
        return self._array.__dlpack__(stream=stream)


class GradExporter(Exporter):
    """A tensor that must be detached, like PyTorch's parameters."""

    requires_grad = True

    def detach(self):
        return Exporter(self._array)

    def __dlpack__(self, **options):
        raise BufferError("requires grad")


class CudaInterface:
    """An array with the CUDA array interface, like Numba's."""

    def __init__(self, **changes):
        self.__cuda_array_interface__ = {
            "shape": (2, 32),
            "typestr": "|u1",
            "data": (4096, False),
            "version": 3,
            **changes,
        }


class OnDevice:
    """A tensor on a device. It must not be exported if the device is the wrong one."""

    def __init__(self, kind, number):
        self._place = (kind, number)

    def __dlpack_device__(self):
        return self._place

    def __dlpack__(self, **options):
        raise AssertionError("exported")


HOST_DTYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16"]


@pytest.mark.parametrize("exporter", [Exporter, OldExporter, GradExporter])
@pytest.mark.parametrize("dtype", HOST_DTYPES)
def test_host_tensors_of_any_layout(exporter, dtype):
    flat = np.frombuffer(oracle.pattern(120 * np.dtype(dtype).itemsize), np.uint8).copy().view(dtype)
    cube = flat.reshape(4, 5, 6)
    for form in (
        flat,
        cube,
        cube.T,
        cube[:, ::2, 1:],
        flat[::-3],
        cube[1, 2, 3, ...],
        flat[:0],
        np.broadcast_to(cube[:1], (3, 5, 6)) if exporter is Exporter else cube,
    ):
        expected = blake3.blake3(np.ascontiguousarray(form).tobytes()).digest()
        assert merklize.hash(exporter(form)) == expected
        assert merklize.hash(exporter(form), threads=1, device="cpu") == expected


def test_read_only_host_tensor():
    data = np.arange(3000, dtype=np.uint16)
    data.flags.writeable = False
    assert merklize.hash(Exporter(data)) == blake3.blake3(data.tobytes()).digest()


class TensorOfAnotherGpu(Exporter):
    """A tensor that can be exported only while its GPU is the current one, like PyTorch's. Its memory is the host's."""

    is_cuda = True
    device = "cuda:1"

    def __dlpack__(self, **arguments):
        if Gpus.current != self.device:
            raise BufferError(f"current device: {Gpus.current}")
        return super().__dlpack__(**arguments)


class Gpus:
    """Stands for torch.cuda."""

    current = "cuda:0"

    class device:
        def __init__(self, device):
            self.wanted = device

        def __enter__(self):
            self.before, Gpus.current = Gpus.current, self.wanted

        def __exit__(self, *_):
            Gpus.current = self.before


def test_a_tensor_of_a_gpu_that_is_not_the_current_one(monkeypatch):
    tensor = TensorOfAnotherGpu(np.arange(99))
    with pytest.raises(BufferError, match="current device: cuda:0"):
        merklize.hash(tensor)
    monkeypatch.setitem(sys.modules, "torch", types.SimpleNamespace(Tensor=TensorOfAnotherGpu, cuda=Gpus))
    assert merklize.hash(tensor) == merklize.hash(np.arange(99))
    assert Gpus.current == "cuda:0"


def test_pinned_memory_is_the_hosts():
    data = np.arange(3000, dtype=np.uint16)
    assert merklize.hash(Exporter(data, (3, 0))) == blake3.blake3(data.tobytes()).digest()


class DLTensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device", ctypes.c_int32 * 2),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Managed(ctypes.Structure):
    _fields_ = (("tensor", DLTensor), ("context", ctypes.c_void_p), ("deleter", DELETER))


class Handmade:
    """A capsule with given fields: types that NumPy lacks, null strides, offsets. Counts the calls of its deleter."""

    def __init__(self, data, dtype, shape, strides=None, byte_offset=0):
        self.deleted = 0
        self._data = ctypes.create_string_buffer(data, len(data) or 1)
        self._shape = (ctypes.c_int64 * len(shape))(*shape)
        self._strides = (ctypes.c_int64 * len(shape))(*strides) if strides else None
        self._managed = Managed()
        tensor = self._managed.tensor
        tensor.data = ctypes.addressof(self._data)
        tensor.device[:] = (1, 0)
        tensor.ndim = len(shape)
        tensor.code, tensor.bits, tensor.lanes = dtype
        tensor.shape = self._shape
        if strides:
            tensor.strides = self._strides
        tensor.byte_offset = byte_offset
        self._managed.deleter = DELETER(self._delete)

    def _delete(self, _):
        self.deleted += 1

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self):
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
        return new(ctypes.addressof(self._managed), b"dltensor", None)


BFLOAT16, FLOAT8, PAIR = (4, 16, 1), (10, 8, 1), (2, 32, 3)


@pytest.mark.parametrize(("dtype", "size"), [(BFLOAT16, 2), (FLOAT8, 1), (PAIR, 12), ((5, 128, 1), 16), ((1, 8, 5), 5)])
def test_host_tensors_of_types_that_numpy_lacks(dtype, size):
    data = oracle.pattern(24 * size)
    items = np.frombuffer(data, f"V{size}").reshape(4, 6)
    for shape, strides, offset, expected in (
        ((4, 6), None, 0, items),
        ((4, 6), (6, 1), 0, items),
        ((6, 4), (1, 6), 0, items.T),
        ((2, 3), (12, 2), size, items[::2, 1::2]),
        ((), None, 5 * size, items[0, 5]),
        ((0, 6), (6, 1), 0, items[:0]),
    ):
        tensor = Handmade(data, dtype, shape, strides, offset)
        assert merklize.hash(tensor) == blake3.blake3(expected.tobytes()).digest()
        assert tensor.deleted == 1


def test_host_tensors_that_make_no_sense():
    for dtype, shape, text in (
        ((2, 4, 1), (2,), "items of 4 bits"),
        ((1, 8, 0), (2,), "items of 0 bits"),
        ((1, 8, 1), (-1,), "negative extent"),
        ((1, 8, 1), (2**32, 2**32), r"more than 2\^63 bytes"),
    ):
        tensor = Handmade(b"x", dtype, shape)
        with pytest.raises(merklize.InvalidArgument, match=text):
            merklize.hash(tensor)
        assert tensor.deleted == 1
    broken = types.SimpleNamespace(__dlpack_device__=lambda: (1, 0), __dlpack__=lambda **_: "capsule")
    with pytest.raises(merklize.InvalidArgument, match="no DLPack capsule"):
        merklize.hash(broken)


def test_host_tensors_everywhere():
    leaves, words = oracle.byte_leaves(16), oracle.word_leaves(16)
    tree = merklize.MerkleTree(leaves)
    assert merklize.MerkleTree(Exporter(leaves)).root == tree.root
    assert merklize.merkle_root(Exporter(leaves)) == tree.root
    assert np.array_equal(merklize.hash_rows(Exporter(leaves)), merklize.hash_rows(leaves))
    assert np.array_equal(merklize.merge(Exporter(leaves), leaves), merklize.merge(leaves, leaves))
    signed = Exporter(words.view(np.int64))
    digests = merklize.hash_rows(signed, "rp64_256")
    assert digests.dtype == np.int64
    assert np.array_equal(digests.view(np.uint64), merklize.hash_rows(words, "rp64_256"))
    assert merklize.MerkleTree(signed, "rp64_256").root == merklize.MerkleTree(words, "rp64_256").root
    nodes = np.concatenate([np.ones_like(leaves), leaves])
    merklize.build_tree(Exporter(nodes))
    assert np.array_equal(nodes, tree.nodes)
    hasher = merklize.Hasher(Exporter(leaves))
    assert hasher.digest() == merklize.hash(leaves)
    assert merklize.hash(b"x", key=Exporter(leaves[0])) == merklize.hash(b"x", key=leaves[0].tobytes())
    rows = np.arange(6, dtype=np.float32).reshape(2, 3)
    assert np.array_equal(merklize.hash_rows(Exporter(rows)), merklize.hash_rows(rows.view(np.uint8)))
    with pytest.raises(merklize.InvalidArgument, match=r"rows must be uint8.* got float32\[3\]"):
        merklize.hash_rows(Exporter(rows[0]))


@pytest.mark.parametrize("kind", [2, 13])
@pytest.mark.parametrize("named", ["cpu", "opencl:0", "cuda:0", "opencl"])
def test_a_tensor_stays_on_its_device(kind, named):
    tensor = OnDevice(kind, 3)
    text = f"the tensor is on cuda:3, device= says {named}$"
    for call in (
        merklize.hash,
        merklize.hash_rows,
        merklize.MerkleTree,
        merklize.merkle_root,
        merklize.build_tree,
        lambda one, **options: merklize.merge(one, one, **options),
    ):
        with pytest.raises(merklize.InvalidArgument, match=text):
            call(tensor, device=named)
    with pytest.raises(merklize.InvalidArgument, match="is on cuda:3, this takes memory of the host"):
        merklize.Hasher().update(tensor)


def test_tensors_on_devices_that_nobody_knows():
    for kind in (4, 8, 10):
        with pytest.raises(merklize.InvalidArgument, match=f"device of DLPack's type {kind}; only CUDA"):
            merklize.hash(OnDevice(kind, 0))


def test_without_cuda_its_tensors_are_an_error():
    if not merklize.why_unavailable("cuda"):
        pytest.skip("there is one")
    cpu = np.zeros((2, 32), np.uint8)

    class Misplaced(Exporter):
        def __dlpack__(self, *, stream, max_version=None):
            assert stream == 1
            return cpu.__dlpack__()

    with pytest.raises(merklize.Unavailable, match="cuda"):
        merklize.hash(Misplaced(cpu, (2, 0)))
    with pytest.raises(merklize.Unavailable, match="cuda"):
        merklize.hash_rows(CudaInterface())
    with pytest.raises(merklize.InvalidArgument, match="the tensor is on cuda, device= says cpu"):
        merklize.hash(CudaInterface(), device="cpu")


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"mask": object()}, "masked array"),
        ({"typestr": "|O"}, r"items of type '\|O'"),
        ({"typestr": "<f4x"}, "items of type"),
        ({"shape": (-2,)}, "negative extent"),
        ({"strides": (1,)}, "strides of another rank"),
        ({"data": (0, False)}, "no memory"),
    ],
)
def test_cuda_array_interfaces_that_make_no_sense(changes, text):
    with pytest.raises(merklize.InvalidArgument, match=text):
        merklize.hash(CudaInterface(**changes))


def test_streams():
    def protocol():
        return (0, 77)

    for stream, handle in (
        (5, 5),
        (types.SimpleNamespace(cuda_stream=0), 0),
        (types.SimpleNamespace(ptr=140), 140),
        (types.SimpleNamespace(handle=ctypes.c_void_p(9)), 9),
        (types.SimpleNamespace(handle=ctypes.c_void_p(None)), 0),
        (types.SimpleNamespace(__cuda_stream__=protocol, ptr=1), 77),
        (types.SimpleNamespace(__cuda_stream__=(0, 78)), 78),
    ):
        assert stream_handle(stream) == handle
    with pytest.raises(TypeError, match="stream must be an integer, None or an object with .*, got str"):
        merklize.hash(b"x", stream="fast")
    with pytest.raises(merklize.InvalidArgument, match="stream: cpu has no queues"):
        merklize.hash(b"x", stream=1, device="cpu")


class TestDeviceArrays:
    """DeviceArrays on an OpenCL device, where only the library can make them."""

    def test_round_trip(self, opencl):
        for array in (
            np.arange(64, dtype=np.uint8).reshape(2, 32),
            np.arange(12, dtype=np.uint64).reshape(3, 4)[::-1, ::2],
            np.arange(5)[:0],
            np.array(7),
        ):
            there = merklize.DeviceArray.from_numpy(array, opencl)
            assert (there.shape, there.dtype, there.device) == (array.shape, array.dtype.name, opencl)
            back = there.numpy()
            assert back.dtype == array.dtype
            assert np.array_equal(back, array)
        assert repr(merklize.DeviceArray.from_numpy(np.zeros((2, 32), np.uint8), opencl)) == (
            f"<DeviceArray uint8[2, 32] on {opencl}>"
        )

    def test_never_on_the_host_silently(self, opencl):
        there = merklize.DeviceArray.from_numpy(np.zeros((3, 32), np.uint8), opencl)
        assert len(there) == 3
        with pytest.raises(TypeError, match=r"not in memory of the host: call \.numpy\(\) to copy it"):
            np.asarray(there)
        for act in (there.__dlpack__, there.__dlpack_device__, lambda: np.from_dlpack(there)):
            with pytest.raises(
                BufferError, match=rf"memory of {opencl} has no DLPack form: call \.numpy\(\) to copy it"
            ):
                act()
        assert not hasattr(there, "__cuda_array_interface__")
        with pytest.raises(TypeError, match="no length"):
            len(merklize.DeviceArray.from_numpy(np.array(7), opencl))
        with pytest.raises(TypeError, match="array must be a NumPy array, got bytes"):
            merklize.DeviceArray.from_numpy(b"x", opencl)
        with pytest.raises(
            merklize.InvalidArgument, match="dtype must be uint8, uint32, int32, uint64 or int64, got float64"
        ):
            merklize.DeviceArray.from_numpy(np.zeros(3), opencl)
        with pytest.raises(
            merklize.Unavailable, match="cpu has no memory or queues of its own: its data is host memory"
        ):
            merklize.DeviceArray.from_numpy(np.zeros(3, np.uint8), "cpu")

    @pytest.mark.parametrize("length", [0, 1, 1024, 1025, 100_000, 3 << 20])
    def test_hash(self, opencl, length):
        data = np.frombuffer(oracle.pattern(length), np.uint8)
        there = merklize.DeviceArray.from_numpy(data, opencl)
        expected = blake3.blake3(data.tobytes(), key=bytes(32)).digest(length=100, seek=7)
        assert merklize.hash(there, key=bytes(32), length=100, seek=7) == expected

    def test_batches_stay_there(self, opencl):
        rows = np.random.default_rng(1).integers(0, 256, (33, 200), np.uint8)
        digests = merklize.hash_rows(merklize.DeviceArray.from_numpy(rows, opencl))
        assert (digests.shape, digests.dtype, digests.device) == ((33, 32), "uint8", opencl)
        assert np.array_equal(digests.numpy(), merklize.hash_rows(rows))
        assert np.array_equal(
            merklize.merge(digests, digests).numpy(), merklize.merge(digests.numpy(), digests.numpy())
        )
        for dtype in (np.uint64, np.int64):
            words = oracle.word_leaves(50).reshape(10, 20).view(dtype)
            there = merklize.hash_rows(merklize.DeviceArray.from_numpy(words, opencl), "rp64_256")
            assert there.dtype == np.dtype(dtype).name
            assert np.array_equal(there.numpy(), merklize.hash_rows(words, "rp64_256"))

    @pytest.mark.parametrize("hash", oracle.HASHES)
    def test_trees(self, opencl, hash):
        leaves = oracle.leaves(64, hash)
        there = merklize.DeviceArray.from_numpy(leaves, opencl)
        expected = merklize.MerkleTree(leaves, hash)
        tree = merklize.MerkleTree(there, hash)
        assert (tree.root, tree.device) == (expected.root, opencl)
        assert merklize.merkle_root(there, hash) == expected.root
        nodes = merklize.DeviceArray.from_numpy(np.concatenate([np.ones_like(leaves), leaves]), opencl)
        with merklize.tuning.options(policy={"levels_per_launch": 2}):
            policy = merklize.build_tree(nodes, hash)
        assert policy["levels_per_launch"] == 2
        assert np.array_equal(nodes.numpy(), expected.nodes)

    def test_a_word_that_is_no_field_element(self, opencl):
        words = np.zeros((9, 8), np.uint64)
        words.flat[70] = oracle.P + 3
        there = merklize.DeviceArray.from_numpy(words, opencl)
        with pytest.raises(merklize.InvalidArgument, match=f"word 70 is {oracle.P + 3}"):
            merklize.hash_rows(there, "rp64_256")

    def test_wrong_places(self, opencl):
        here = oracle.byte_leaves(4)
        there = merklize.DeviceArray.from_numpy(here, opencl)
        with pytest.raises(merklize.InvalidArgument, match=f"left is on {opencl}, right on the host"):
            merklize.merge(there, here)
        for call in (merklize.hash, merklize.hash_rows, merklize.MerkleTree, merklize.merkle_root):
            with pytest.raises(merklize.InvalidArgument, match=f"the tensor is on {opencl}, device= says cpu"):
                call(there, device="cpu")
            call(there, device=opencl)
            call(there, device="opencl")
        with pytest.raises(merklize.InvalidArgument, match=r"leaves must be uint8\[n, 32\].*got uint8\[128\]"):
            merklize.MerkleTree(merklize.DeviceArray.from_numpy(here.reshape(-1), opencl))

"""Kernels without a hash, and the examples of the core's README."""

import ctypes
import struct

import numpy as np
import pytest

import oracle
import source_text
from cases import random_words
from conftest import open_or_skip
from launches import CANARY, CL_OPTIONS, blank, u32, u64, untouched
from runtimes import HostCpp


def test_words_that_are_no_elements_are_found(runner):
    edges = np.array([0, 1, 2**32, oracle.P - 1, oracle.P, oracle.P + 1, 2**64 - 1], u64)
    for count in (0, 1, 9, 100):
        words = random_words("rp64_256_v3", 103, seed=count)
        for place in (0, 2, 3, 3 + count // 2, 3 + count - 1, 3 + count):
            for edge in edges:
                given, flag = words.copy(), np.array([7, 7], u32)
                given[min(place, 102)] = edge
                args = (given, u64(3), u64(count), u64(oracle.P), flag)
                runner.launch("check_words64", None, runner.groups(count, {}) + 1, *args)
                bad = bool((given[3 : 3 + count] >= oracle.P).any())
                assert flag.tolist() == [1 if bad else 7, 7]


def test_words_of_32_bits_that_are_no_elements_are_found(runner):
    modulus = 2**31 - 2**27 + 1
    for edge in (0, modulus - 1, modulus, 2**32 - 1):
        given, flag = np.full(9, 5, u32), np.array([7, 7], u32)
        given[6] = edge
        args = (given, u64(1), u64(6), u64(modulus), flag)
        runner.launch("check_words32", None, runner.groups(6, {}) + 1, *args)
        assert flag.tolist() == [1 if edge >= modulus else 7, 7]


MODULUS = 2**31 - 2**24 + 1


@pytest.mark.parametrize("align", [16, 4, 1])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint32, np.uint64])
def test_matrices(runner, dtype, align):
    word = np.dtype(dtype).itemsize
    base = np.random.default_rng(4).integers(0, 200, 400).astype(dtype)
    whole = base[8:].reshape(14, 28)
    views = [whole, whole.T, whole[3:10:2, ::-3], whole[2:3], whole[:, 5:6], np.broadcast_to(whole[1], (4, 28))]
    for view in views:
        (rows, columns), places = view.shape, runner.groups(view.size, {}) + 1
        offset = view.__array_interface__["data"][0] - base.__array_interface__["data"][0]
        for down in (0, 1):
            out = np.full(word * (view.size + 4), CANARY, np.uint8)
            to = (word, word * rows) if down else (word * columns, word)
            modulus = MODULUS if word == 4 else 0
            shape = struct.pack("<2Q4q4I", rows, columns, *view.strides, *to, word, down, modulus, 0)
            args = (base.view(np.uint8), u64(offset), out, u64(2 * word), shape)
            runner.launch("pack_matrix", None, places, *args, align=align)
            expected = np.ascontiguousarray(view.T if down else view)
            if modulus:
                expected = (expected.astype(u64) * u64(2**32) % u64(modulus)).astype(dtype)
            assert out[2 * word : -2 * word].tobytes() == expected.tobytes()
            assert untouched(out[: 2 * word])
            assert untouched(out[-2 * word :])
        for below in (int(view.max()), int(view.max()) + 1):
            flag = np.array([7, 7], u32)
            shape = struct.pack("<2Q4q4I", rows, columns, *view.strides, 0, 0, word, 0, 0, 0)
            args = (base.view(np.uint8), u64(offset), shape, u64(below), flag)
            runner.launch("check_matrix", None, places, *args, align=align)
            assert flag.tolist() == [1 if below == view.max() else 7, 7]


@pytest.mark.parametrize("align", [16, 4, 1])
@pytest.mark.parametrize("item_bytes", [1, 2, 4, 8, 16])
def test_strided_arrays(runner, item_bytes, align):
    dtype = np.dtype((np.void, item_bytes))
    base = np.frombuffer(bytearray(np.random.default_rng(5).bytes(item_bytes * 6 * 5 * 4 * 3 + 32)), np.uint8)
    whole = base[16 : 16 + item_bytes * 360].view(dtype).reshape(6, 5, 4, 3)
    views = [whole, whole[::2, :, ::-1], whole.transpose(3, 1, 0, 2)[1:, ::-2], whole[2, 3], whole[5, 4, 3, 2:],
             np.broadcast_to(whole[1:2, :, :1], (4, 5, 2, 3)), whole.reshape(6, 5, 2, 2, 1, 3, 1, 1)]  # fmt: skip
    for view in views:
        expected = np.ascontiguousarray(view).reshape(-1)
        for first, count in ((0, len(expected)), (len(expected) // 3, len(expected) // 2)):
            extents, strides = list(view.shape), list(view.strides)
            pad = [0] * (8 - view.ndim)
            shape = struct.pack("<8Q8q2I", *extents, *pad, *strides, *pad, view.ndim, item_bytes)
            offset = view.__array_interface__["data"][0] - base.__array_interface__["data"][0]
            out = np.full(16 + item_bytes * count + 16, CANARY, np.uint8)
            args = (base, u64(offset), out, u64(16), shape, u64(first), u64(count))
            runner.launch("gather_strided", None, runner.groups(count, {}) + 1, *args, align=align)
            assert out[16:-16].tobytes() == expected[first : first + count].tobytes()
            assert untouched(out[:16])
            assert untouched(out[-16:])


def test_example_of_the_readme(runner):
    if runner.device.is_cpp:
        runner.device.compile(source_text.example(source_text.CORE / "README.md", "cpp"))  # a static_assert
        return
    options = f"{CL_OPTIONS} -I {source_text.INCLUDE}"
    program = runner.device.build(source_text.example(source_text.CORE / "README.md", "opencl"), options)
    nodes = np.array([[1, 2, 3, 4], [5, 6, 7, 8]], u64)
    expected = nodes.tolist()
    for _ in range(3):
        expected = [oracle.hash_elements(node + node, "rp64_256_v3") for node in expected]
    runner.device.launch(program, "chain", 2, 1, nodes, u32(3))
    assert nodes.tolist() == expected


# The names of CUDA that the page's kernel needs, so that the host can run it.
CUDA_ON_THE_HOST = """
#define __global__
static struct { unsigned x; } threadIdx;
static const struct { unsigned x; } blockIdx = {1}, blockDim = {4};
extern "C" void set_thread(unsigned x) { threadIdx.x = x; }
"""


def test_example_of_the_page():
    """The kernel of docs/how-to/kernel.md on the host gives the digest on the page, which is the command's."""
    host = open_or_skip(HostCpp)
    program = ctypes.CDLL(host.compile(CUDA_ON_THE_HOST + source_text.example(source_text.PAGE, "cuda")))
    ids, digests = np.array([0, 0, 0, 0, 9, 3, 5], u32), np.zeros((8, 8), u32)
    for thread in range(4):  # items 4 to 7, the last of which is behind the end
        program.set_thread(thread)
        program.label(ids.ctypes.data_as(ctypes.c_void_p), 7, digests.ctypes.data_as(ctypes.c_void_p), 7)
    assert digests[5].tobytes().hex() == source_text.example(source_text.PAGE, "console").splitlines()[-1]
    assert len(np.unique(digests[4:7], axis=0)) == 3
    assert not digests[:4].any()
    assert not digests[7].any()


@pytest.mark.parametrize("slot_type", [u32, u64])
def test_nodes_of_a_list(runner, slot_type):
    nodes = random_words("blake3", 8 * 500, seed=4).reshape(-1, 8)
    for count in (1, 7, 64, 333):
        slots = np.random.default_rng(count).integers(0, 497, count).astype(slot_type)
        out = blank(count + 2, u32)
        words = slot_type().itemsize // 4
        args = (nodes, u64(3), slots.view(u32), u32(words), u64(count), out)
        runner.launch("gather_nodes", None, runner.groups(count, {}) + 1, *args)
        assert (out[:count] == nodes[3:][slots]).all()
        assert untouched(out[count:])


def ordered(levels, first, count, post):
    """The nodes above `count` values from `first` on, by the definition."""
    if count == 1:
        return []
    left = 1 << ((count - 1).bit_length() - 1)
    level = left.bit_length() - 1
    node = [levels[level][first >> level], levels[level][(first >> level) + 1]]
    halves = ordered(levels, first, left, post) + ordered(levels, first + left, count - left, post)
    return halves + node if post else node + halves


def test_nodes_in_the_order_of_an_outboard(runner):
    for count in (2, 3, 4, 5, 7, 8, 9, 31, 32, 33, 100, 257):
        values, levels = random_words("blake3", 8 * 3 * count, seed=count).reshape(-1, 8), []
        at, width = 3, count
        while width > 1:
            levels.append(values[at : at + width])
            at, width = at + width, (width + 1) // 2
        for post in (0, 1):
            out = blank(2 * count + 4, u32)
            args = (values, u64(3), u64(count), u32(post), out, u64(5))
            runner.launch("order_parents", None, runner.groups(count - 1, {}) + 1, *args)
            assert (out[5 : 5 + 2 * (count - 1)] == np.array(ordered(levels, 0, count, post))).all()
            assert untouched(out[:5])
            assert untouched(out[5 + 2 * (count - 1) :])

"""Calls with wait=False: DeviceArrays that are complete once the work on their stream is."""

import gc

import numpy as np
import pytest

import merklize
import oracle
from merklize import _native

DeviceArray = _native.DeviceArray
CPU = {"device": "cpu"}


@pytest.fixture
def queues(device):
    """A device with queues."""
    if device == "cpu":
        pytest.skip("the CPU has no queues")
    return device


def there(array, device):
    return DeviceArray.from_numpy(np.ascontiguousarray(array), device)


def test_every_call(queues):
    data = np.frombuffer(oracle.pattern(100_000), np.uint8)
    rows = data[:99_000].reshape(11, 9000)
    leaves = oracle.byte_leaves(64)
    words = oracle.word_leaves(48)
    digest = merklize.hash(there(data, queues), wait=False)
    assert isinstance(digest, DeviceArray)
    assert (digest.shape, digest.dtype, digest.device) == ((32,), "uint8", queues)
    many = merklize.hash_rows(there(rows, queues), wait=False)
    elements = merklize.hash_rows(there(words, queues), "rp64_256", wait=False)
    records = merklize.hash_leaves(there(rows, queues), "sha256_rfc6962", wait=False)
    merged = merklize.merge(there(leaves[:32], queues), there(leaves[32:], queues), wait=False)
    root = merklize.merkle_root(there(leaves[:37], queues), rule="pad", wait=False)
    field_root = merklize.merkle_root(there(words, queues), "rp64_256", rule="left_full", wait=False)
    nodes = np.zeros((128, 32), np.uint8)
    nodes[64:] = leaves
    built = merklize.build_tree(there(nodes, queues), wait=False)
    gc.collect()  # the inputs are deleted
    assert digest.numpy().tobytes() == merklize.hash(data)
    assert (many.numpy() == merklize.hash_rows(rows, **CPU)).all()
    assert (elements.numpy() == merklize.hash_rows(words, "rp64_256", **CPU)).all()
    assert (records.numpy() == merklize.hash_leaves(rows, "sha256_rfc6962", **CPU)).all()
    assert (merged.numpy() == merklize.merge(leaves[:32], leaves[32:], **CPU)).all()
    assert root.numpy().tobytes() == merklize.merkle_root(leaves[:37], rule="pad", **CPU)
    assert field_root.numpy().tobytes() == merklize.merkle_root(words, "rp64_256", rule="left_full", **CPU)
    merklize.build_tree(nodes, **CPU)
    assert (built.numpy() == nodes).all()
    for array in (digest, many, elements, records, merged, root, field_root, built):
        assert array.ready
        array.wait()


def test_results_feed_other_calls(queues):
    rows = np.frombuffer(oracle.pattern(64 * 500), np.uint8).reshape(64, 500)
    leaves = merklize.hash_rows(there(rows, queues), wait=False)
    root = merklize.merkle_root(leaves, wait=False)
    again = merklize.hash(root, wait=False)
    expected = merklize.merkle_root(merklize.hash_rows(rows, **CPU), **CPU)
    assert merklize.hash(again) == merklize.hash(merklize.hash(expected))  # waits, and is in order
    assert merklize.MerkleTree(leaves).root == expected
    assert root.numpy().tobytes() == expected


def test_out(queues):
    data = np.frombuffer(oracle.pattern(5000), np.uint8)
    leaves = oracle.byte_leaves(8)
    out = there(np.zeros(32, np.uint8), queues)
    assert merklize.hash(there(data, queues), wait=False, out=out).numpy().tobytes() == merklize.hash(data)
    assert out.numpy().tobytes() == merklize.hash(data)
    left = there(leaves, queues)
    merklize.merge(left, there(leaves, queues), wait=False, out=left)
    assert (left.numpy() == merklize.merge(leaves, leaves, **CPU)).all()


def test_many_in_flight(queues):
    leaves = oracle.byte_leaves(16)
    state, other = there(leaves, queues), there(leaves, queues)
    expected = leaves
    roots = []
    for _ in range(200):
        state = merklize.merge(state, other, wait=False)
        roots.append(merklize.merkle_root(state, wait=False))
    for root in roots:
        expected = merklize.merge(expected, leaves, **CPU)
        assert root.numpy().tobytes() == merklize.merkle_root(expected, **CPU)


def test_words_that_are_no_elements(queues):
    words = oracle.word_leaves(8)
    words[3, 1] = 2**64 - 1
    root = merklize.merkle_root(there(words, queues), "rp64_256", wait=False)
    with pytest.raises(merklize.InvalidArgument, match="merkle_root: leaves: a word is not below the modulus"):
        root.wait()
    with pytest.raises(merklize.InvalidArgument, match="a word is not below the modulus"):
        root.numpy()


@pytest.mark.parametrize("wait", [False, np.False_])
def test_no_progress_without_a_wait(wait):
    with pytest.raises(merklize.InvalidArgument, match="progress must not be given with wait=False"):
        merklize.hash(b"x", wait=wait, progress=print)


def test_what_is_refused(queues):
    data = there(np.zeros(100, np.uint8), queues)
    nodes = np.zeros((8, 32), np.uint8)
    out = there(np.zeros(32, np.uint8), queues)
    for call, text in [
        (lambda: merklize.hash(b"x", wait=False), "hash: the data must be on a device with wait=False"),
        (
            lambda: merklize.hash_rows(nodes, wait=False),
            "hash_rows: the data must be on a device with wait=False, got memory of the host",
        ),
        (lambda: merklize.build_tree(nodes, wait=False), "nodes must be on a device with wait=False"),
        (lambda: merklize.hash(data, out=out), "out is for calls with wait=False"),
        (lambda: merklize.merkle_root(there(nodes, queues), out=out), "out is for calls with wait=False"),
        (lambda: merklize.hash(data, wait=False, length=64), "the first 32 bytes are given, got length 64 from 0"),
        (lambda: merklize.hash(data, wait=False, out=nodes), "out must be writable, in C order and on a device"),
        (lambda: merklize.hash(data, wait=False, out=data), r"out must be uint8\[32\], got uint8\[100\]"),
        (lambda: merklize.hash(out, wait=False, out=out), "hash: out must not overlap data"),
        (
            lambda: merklize.build_tree(there(nodes, queues), wait=False, progress=print),
            "progress must not be given with wait=False",
        ),
    ]:
        with pytest.raises(merklize.InvalidArgument, match=text):
            call()
    with (
        merklize.tuning.options(timings=merklize.tuning.Timings()),
        pytest.raises(merklize.InvalidArgument, match="timings must not be given with wait=False"),
    ):
        merklize.hash(data, wait=False)
    tree = merklize.MerkleTree(there(nodes, queues))
    if tree.on_device:
        with pytest.raises(merklize.InvalidArgument, match="must be writable"):
            merklize.build_tree(tree.nodes, wait=False)

"""Digests that come as bytes: whole ones alone, which nobody rounds down, and none beyond the end."""

import numpy as np
import pytest

import merklize
from merklize import parts

PAIR = merklize.hash_each([b"a", b"b"])
TREE = merklize.MerkleTree(PAIR, drop_levels=1)
TENSOR = merklize.manifests.Tensor("a", "U8", (1 << 20,), bytes(32), 1 << 20)
PIECES = {"digest_of_pieces": parts.digest_of_pieces, "value_of_pieces": parts.value_of_pieces}
CALLS = PIECES | {
    "prove": lambda data: TREE.prove(0, data),
    "leaf": lambda data: TENSOR._replace(pieces=data).leaf(),
}


@pytest.mark.parametrize("data", [PAIR.tobytes() + b"x", PAIR.tobytes()[:-1], b"x"], ids=len)
@pytest.mark.parametrize("call", CALLS)
def test_parts_of_digests(call, data):
    with pytest.raises(merklize.InvalidArgument, match=rf"must be 32 bytes each, got {len(data)} bytes$"):
        CALLS[call](data)


@pytest.mark.parametrize("shape", [(4, 31), (32, 31), (2, 64), (1, 2, 32)])
@pytest.mark.parametrize("call", PIECES)
def test_rows_of_another_length(call, shape):
    with pytest.raises(merklize.InvalidArgument, match=rf"^{call}: pieces must be uint8\[k, 32\].* got uint8\["):
        PIECES[call](np.zeros(shape, np.uint8))


@pytest.mark.parametrize("root", [b"", b"a", bytes(31), bytes(33), bytes(64)], ids=len)
def test_a_root_of_another_length(root):
    with pytest.raises(merklize.InvalidArgument, match=rf"^facts: root must be 32 bytes, got {len(root)} bytes$"):
        parts.plan_tree("x", 4096, 1024).facts(root)


def test_whole_digests():
    expected = parts.digest_of_pieces(PAIR.tobytes())
    for data in (PAIR, PAIR.view(np.uint64), PAIR.reshape(-1), memoryview(PAIR), np.repeat(PAIR, 2, 0)[::2]):
        assert parts.digest_of_pieces(data) == expected
    assert parts.plan_tree("x", 4096, 1024).facts(bytes(32)).root == bytes(32)

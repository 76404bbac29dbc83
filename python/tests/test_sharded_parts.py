"""combine() trusts nothing that ranks give it: a lie is an error that names the rank."""

from __future__ import annotations

import contextlib
import struct
import time

import numpy as np
import pytest

import merklize
from merklize import sharded
from sharded_models import an_array, columns, parts_of, rows, whole


def test_every_change_of_what_a_rank_gives_is_an_error_or_another_root():
    array = an_array((40, 70))
    parts = parts_of(rows("w", array, 2))
    root = sharded.combine(parts).root
    for at in range(len(parts[1])):
        changed = bytearray(parts[1])
        changed[at] ^= 1 << (at % 8)
        with contextlib.suppress(merklize.InvalidArgument, merklize.Mismatch):
            assert sharded.combine([parts[0], bytes(changed)]).root != root
    for end in range(len(parts[1])):
        with pytest.raises(merklize.InvalidArgument, match="rank 1"):
            sharded.combine([parts[0], parts[1][:end]])
    with pytest.raises(merklize.InvalidArgument, match="1 bytes too many"):
        sharded.combine([parts[0], parts[1] + b"\0"])
    name = "of_a_layer." * 30
    with pytest.raises(merklize.InvalidArgument, match=f"tensor '{name}' .0:20, 0:70. is there twice"):
        sharded.combine([sharded.nodes(2 * rows(name, array, 2)[0])])


def record(name, dtype, shape, offset, extent, payload=b""):
    text = lambda t: struct.pack("<I", len(t)) + t  # noqa: E731
    numbers = b"".join(struct.pack("<Q", n) for n in (*shape, *offset, *extent))
    return text(name) + text(dtype) + struct.pack("<I", len(shape)) + numbers + payload


LIES = {
    "another magic": (b"merklize nodes 2" + bytes(8), "does not begin"),
    "nothing": (b"", "does not begin"),
    "flags": (b"merklize nodes 1" + struct.pack("<II", 2, 0), "unknown flags 2"),
    "a count without boxes": (b"merklize nodes 1" + struct.pack("<II", 0, 2**32 - 1), "bytes early"),
    "a long name": (b"merklize nodes 1" + struct.pack("<III", 0, 1, 2**32 - 1), "bytes early"),
    "no UTF-8": (record(b"\xff", b"F16", (1,), (0,), (1,)), "not UTF-8"),
    "a dtype": (record(b"w", b"F15", (1,), (0,), (1,)), "unknown dtype"),
    "dimensions": (record(b"w", b"F16", (1,) * 65, (0,) * 65, (1,) * 65), "65 dimensions"),
    "a huge shape": (record(b"w", b"F16", (2**63, 4), (0, 0), (1, 4)), "below 2"),
    "a huge box": (record(b"w", b"F16", (2**40, 64), (1, 0), (2**39, 64)), "bytes early"),
    "an end beyond": (record(b"w", b"F16", (64, 64), (2**64 - 1, 0), (1, 64)), "does not lie"),
    "an extent beyond": (record(b"w", b"F16", (64, 64), (0, 0), (65, 64)), "does not lie"),
    "an end within a byte": (record(b"w", b"F4", (64, 64), (0, 1), (64, 1)), "within bytes"),
    "a zero byte in a dtype": (record(b"w", b"F16\0", (1,), (0,), (1,)), r"unknown dtype 'F16\\x00'"),
    "a long dtype": (record(b"w", b"F" * 100_000, (1,), (0,), (1,)), "unknown dtype 'FFF"),
    "a name to shorten": (record(b"w" * 100_000, b"F16", (64, 64), (0, 0), (65, 64)), "tensor 'www.*does not lie"),
    "a huge shape of no elements": (record(b"w", b"F16", (2**63, 0), (0, 0), (1, 0)), "must be below 2"),
    "too few bytes": (record(b"w", b"F16", (64, 64), (0, 0), (64, 64), bytes(31)), "ends 1 bytes early"),
    "no byte": (record(b"w", b"F16", (1,), (0,), (1,)), "bytes early"),
    "dimensions that do not end": (record(b"w", b"F16", (1,) * 64, (0,) * 64, (1,) * 64)[:-1], "bytes early"),
}


@pytest.mark.parametrize("what", LIES)
def test_a_lie_is_an_error_that_names_the_rank(what):
    data, text = LIES[what]
    if len(data) > 24 and not data.startswith(b"merklize"):
        data = b"merklize nodes 1" + struct.pack("<II", 0, 1) + data
    with pytest.raises(merklize.InvalidArgument, match=f"rank 1.*{text}") as caught:
        sharded.combine([sharded.nodes([whole("w", an_array())]), data])
    assert len(str(caught.value)) < 1000
    if data[24:28] == struct.pack("<I", 1) and data[28:29] == b"w":  # its name could be read
        assert "tensor 'w'" in str(caught.value)


def test_many_boxes_take_no_long_time():
    head = b"merklize nodes 1" + struct.pack("<II", 0, 1 << 14)
    boxes = [record(b"w", b"U8", (1 << 18, 64), (32 * (k // 2), 32 * (k % 2)), (32, 32), bytes(32))
             for k in range(1 << 14)]  # fmt: skip
    by_halves = [record(b"w", b"U8", (1 << 18, 64), (0, 32 * k), (1 << 18, 32), bytes(32 << 13)) for k in (0, 1)]
    begin = time.process_time()
    made = sharded.combine([head + b"".join(boxes)])
    assert time.process_time() - begin < 6
    assert made == sharded.combine([head[:20] + struct.pack("<I", 2) + b"".join(by_halves)])


@pytest.mark.parametrize("has_tiles", [False, True])
def test_tensors_that_are_cut_alike(has_tiles):
    """Their trees grow together, 256 at a time; others are among them."""
    state = {f"experts.{k}": (an_array((96, 64)).view("u2") + np.uint16(k)).view("f2") for k in range(300)}
    state |= {f"other.{k}": an_array((65 + k, 64)) for k in range(4)} | {"none": np.zeros((0, 3), "f2")}
    shards = [[], []]
    for name, array in state.items():
        for mine, box in zip(shards, (rows if name != "experts.7" else columns)(name, array, 2)):
            mine += box
    assert sharded.combine(parts_of(shards, tiles=has_tiles)) == merklize.manifest(state, tiles=True)


def test_boxes_without_elements_may_be_there_twice():
    array = an_array()
    empty = sharded.Box("w", array.shape, (0, 0), array[:0])
    assert sharded.combine(parts_of([[whole("w", array), empty, empty], [empty]])).root == sharded.model_root(
        {"w": array}
    )


def test_a_huge_tensor_that_nobody_has_takes_no_memory():
    head = b"merklize nodes 1" + struct.pack("<II", 0, 1)
    made = sharded.combine([head + record(b"w", b"F16", (2**30, 2**20), (0, 0), (2**30, 2**20), bytes(32))])
    assert made.tensors["w"].shape == (2**30, 2**20)
    with pytest.raises(merklize.InvalidArgument, match="no rank gave"):
        sharded.combine([head + record(b"w", b"F16", (2**30, 2**20), (0, 0), (0, 2**20))])


@pytest.mark.parametrize("parts", [b"bytes", [1], ["text"], None, 5])
def test_what_is_no_list_of_bytes_is_refused(parts):
    with pytest.raises(TypeError, match="combine"):
        sharded.combine(parts)


def test_what_is_no_box_is_refused():
    array = an_array()
    for make, text in [
        (lambda: sharded.nodes([array]), "shards must be Box, got ndarray"),
        (lambda: sharded.nodes(None), "shards must be boxes, got NoneType"),
        (lambda: sharded.nodes(whole("w", array)), "shards must be boxes, got Box"),
        (lambda: sharded.nodes([sharded.Box("w", "ab", (0, 0), array)]), "'w': shape must be integers, got 'ab'"),
        (lambda: sharded.nodes([sharded.Box("w", array.shape, (0.5, 0), array)]), "offset must be integers"),
        (lambda: sharded.nodes([sharded.Box("w", (True, 160), (0, 0), array[:1])]), "shape must be integers"),
        (lambda: sharded.flat("w", (4,), True, array.reshape(-1)[:2]), "begin must be integers"),
        (lambda: sharded.nodes([sharded.Box("w", {96, 160}, (0, 0), array)]), "shape must be integers, got set"),
        (lambda: sharded.nodes([sharded.Box("w", b"`\xa0", (0, 0), array)]), "shape must be integers, got 2 bytes"),
        (lambda: sharded.nodes([sharded.Box("w", array.shape, {0: 1, 1: 0}, array)]), "must be integers, got dict"),
        (lambda: sharded.flat("w", (4,), 0, [1]), "data must be an array or a tensor, got list"),
        (lambda: sharded.flat("w", (4,), "0", array), "begin must be integers"),
        (lambda: sharded.model_root(5), "a mapping of names to tensors.*got int"),
        (lambda: sharded.model_root({"w": array}, gather=lambda data: None), "gather must return the parts"),
    ]:
        with pytest.raises(TypeError, match=text):
            make()
    for name in (1, "\ud800"):
        with pytest.raises(merklize.InvalidArgument, match="name"):
            sharded.nodes([sharded.Box(name, array.shape, (0, 0), array)])

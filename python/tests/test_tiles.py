"""Digests of tiles and nodes of ranges, as the extension gives them, against PyPI blake3."""

import ctypes
import random

import blake3
import numpy as np
import pytest

from merklize import _native
from merklize.errors import InvalidArgument


def tiles(matrices, element, tile_rows, tile_columns):
    """The digests of the tiles of uint8[m, rows, bytes of a row]."""
    across = tile_columns * element
    found = [
        [
            [
                np.frombuffer(blake3.blake3(one[y : y + tile_rows, x : x + across].tobytes()).digest(), np.uint8)
                for x in range(0, one.shape[1], across)
            ]
            for y in range(0, one.shape[0], tile_rows)
        ]
        for one in matrices
    ]
    return np.array(found, np.uint8)


def random_bytes(*shape):
    return np.random.default_rng(sum(shape)).integers(0, 256, shape, np.uint8)


@pytest.mark.parametrize("element", [1, 2, 4, 8, 16])
@pytest.mark.parametrize("rows", [1, 31, 32, 33, 65])
def test_views(element, rows):
    for columns in (1, 31, 32, 33, 63, 64, 65, 300):
        whole = random_bytes(3, rows + 3, (columns + 5) * element)
        view = whole[:, 1 : rows + 1, element : (columns + 1) * element]
        for each in (view, view[::2], view[:, ::-1], view[::-1, ::-1]):
            found = _native.tile_digests(each, rows, columns, element, 32, 32)
            assert found.dtype == np.uint8
            assert np.array_equal(found, tiles(each, element, 32, 32))


def test_lines():
    for element in (1, 2, 16):
        for columns in (1, 1023, 1024, 1025, 5000):
            flat = random_bytes(columns * element)
            found = _native.tile_digests(flat, 1, columns, element, 1, 1024)
            assert np.array_equal(found, tiles(flat.reshape(1, 1, -1), element, 1, 1024))


def test_leading_dimensions_and_dtypes():
    many = random_bytes(4, 5, 6, 40, 70)
    for view in (many, many[::2], many[::2, :, 1::2], many[:, 3:4], many.transpose(2, 0, 1, 3, 4)):
        expected = tiles(view.reshape(-1, 40, 70), 1, 32, 32)
        assert np.array_equal(_native.tile_digests(view, 40, 70, 1, 32, 32), expected)
    numbers = random_bytes(40, 280).view(np.float32)
    assert np.array_equal(
        _native.tile_digests(numbers, 40, 70, 4, 32, 32), tiles(numbers.view(np.uint8)[None], 4, 32, 32)
    )
    one = np.array(7.5)
    assert _native.tile_digests(one, 1, 1, 8, 32, 32).tobytes() == blake3.blake3(one.tobytes()).digest()
    assert _native.tile_digests(np.zeros((3, 0, 5), np.uint8), 0, 5, 1, 32, 32).shape == (3, 0, 1, 32)
    assert _native.tile_digests(np.zeros((0, 4, 5), np.uint8), 4, 5, 1, 32, 32).shape == (0, 1, 1, 32)
    assert _native.tile_digests(b"abcd", 1, 2, 2, 32, 32).tobytes() == blake3.blake3(b"abcd").digest()
    assert _native.tile_digests((ctypes.c_uint8 * 4)(1, 2, 3, 4), 1, 4, 1, 1, 1024).shape == (1, 1, 1, 32)


def subtree(leaves):
    if len(leaves) == 1:
        return leaves[0]
    half = 1
    while 2 * half < len(leaves):
        half *= 2
    return blake3.blake3(subtree(leaves[:half]) + subtree(leaves[half:])).digest()


def test_ranges():
    chance = random.Random(5)
    for _ in range(60):
        total, trees = chance.randrange(1, 200), chance.randrange(1, 5)
        first = chance.randrange(total)
        n = chance.randrange(1, total - first + 1)
        leaves = random_bytes(trees, total, 32)
        found = _native.merge_ranges(leaves[:, first : first + n], first, total)
        nodes = _native.range_nodes(first, n, total)
        assert found.shape == (trees, len(nodes), 32)
        for k, (level, index) in enumerate(nodes):
            for tree in range(trees):
                below = [leaf.tobytes() for leaf in leaves[tree, index << level : (index + 1) << level]]
                assert found[tree, k].tobytes() == subtree(below)


SOUND = np.zeros((40, 280), np.uint8)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((SOUND, 40, 71, 4, 32, 32), "data must end in 40 rows of 71 elements of 4 bytes, got items of 1 bytes"),
        ((SOUND, 39, 70, 4, 32, 32), "data must end in 39 rows"),
        ((SOUND, 40, 70, 3, 32, 32), "elements must have 1, 2, 4, 8 or 16 bytes, got 3"),
        ((SOUND, 40, 70, 4, 31, 32), "tiles must be 32 x 32 or 1 x 1024 elements, got 31 x 32"),
        ((SOUND, -1, 70, 4, 32, 32), "rows must be 0 to"),
        ((SOUND, 40, 2**64, 4, 32, 32), "columns must be 0 to"),
        ((SOUND, 40, 70, 2**40, 32, 32), "element_bytes must be below 2\\^32, got 1099511627776"),
        ((SOUND[:, ::2], 40, 140, 1, 32, 32), "the elements of a row must lie side by side"),
        ((SOUND.reshape(-1), 40, 280, 1, 32, 32), "data must end in 40 rows of 280 elements"),
    ],
)
def test_tiles_that_are_refused(arguments, text):
    with pytest.raises(InvalidArgument, match=text):
        _native.tile_digests(*arguments)


def test_ranges_that_are_refused():
    leaves = random_bytes(2, 4, 32)
    with pytest.raises(InvalidArgument, match="there are 9 leaves, got a range of 4 from leaf 6 on"):
        _native.merge_ranges(leaves, 6, 9)
    with pytest.raises(InvalidArgument, match=r"digests must be uint8\[trees, n, 32\]"):
        _native.merge_ranges(leaves[0], 0, 4)
    with pytest.raises(TypeError, match="data must be an array or a tensor, got str"):
        _native.tile_digests("text", 1, 1, 1, 32, 32)


def test_more_matrices_than_memory_has_digests_for():
    """Leading dimensions without a common pitch are not listed before there is room for the result."""
    many = np.broadcast_to(np.zeros((3, 32, 32), np.uint8), (1 << 50, 3, 32, 32))
    with pytest.raises(MemoryError):
        _native.tile_digests(many, 32, 32, 1, 32, 32)

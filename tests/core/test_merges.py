"""Merges, trees and rows by every hash."""

import blake3
import numpy as np
import pytest

import cases
import oracle
from cases import random_words, words_of
from launches import (
    FIELD_HASHES,
    HASHES,
    MERGES,
    TREE_LEAVES,
    blank,
    check_merges,
    check_tree_by_subtrees,
    rows_by,
    u32,
    u64,
    untouched,
)


@pytest.mark.parametrize("name", MERGES)
def test_merges_of_vectors(runner, name):
    dtype, words = words_of(name)
    if name not in FIELD_HASHES:
        pairs = random_words(name, 2 * words * 50, seed=3)
        nodes = [node.tobytes() for node in pairs.reshape(-1, words)]
        expected = [np.frombuffer(cases.merge(name, *pair), dtype) for pair in zip(nodes[::2], nodes[1::2])]
    else:
        vectors = cases.rescue_vectors(name, "merge")
        pairs = np.array([elements for elements, _ in vectors], dtype).ravel()
        expected = [np.array(digest, dtype) for _, digest in vectors]
    check_merges(runner, name, sorted({1, 7, 8, min(9, len(expected)), len(expected)}), pairs, expected)


@pytest.mark.parametrize("name", MERGES)
def test_tree_level_by_level(runner, name):
    expected = cases.tree(name, TREE_LEAVES)
    nodes = np.array(expected)
    nodes[:TREE_LEAVES] = 0
    width = TREE_LEAVES // 2
    while width:
        args = (nodes, u64(2 * width), nodes, u64(width), u64(width))
        runner.launch("merge_level", name, runner.groups(width, {}), *args)
        width //= 2
    assert (nodes == expected).all()


# Groups smaller than, as large as and larger than the first level: a group makes none, some or all of the levels above.
@pytest.mark.parametrize("levels", [[4, 1, 5], [10], [3, 7]], ids=str)
@pytest.mark.parametrize("name", MERGES)
def test_tree_by_subtrees(runner, name, levels):
    check_tree_by_subtrees(runner, name, TREE_LEAVES, levels, slot_0=3 if levels == [10] else 0)


@pytest.mark.parametrize("name", HASHES)
def test_part_of_a_level_by_subtrees_from_a_separate_buffer(runner, name):
    dtype, _ = words_of(name)
    expected = cases.tree(name, TREE_LEAVES)
    first, count, levels = 192, 64, 4
    leaves = np.array(expected[TREE_LEAVES + first - 5 : TREE_LEAVES + first + count])
    nodes = blank(2 * TREE_LEAVES, dtype)
    out = (TREE_LEAVES + first) // 2
    # Two groups too many, which must do nothing.
    args = (leaves, u64(5), nodes, u64(0), u64(out), u64(count), u32(levels))
    runner.launch("merge_subtree", name, (count >> levels) + 2, *args)
    written = np.zeros(2 * TREE_LEAVES, bool)
    for level in range(1, levels + 1):
        start = (TREE_LEAVES + first) >> level
        written[start : start + (count >> level)] = True
    assert written.sum() == 32 + 16 + 8 + 4
    assert (nodes[written] == expected[written]).all()
    assert untouched(nodes[~written])


@pytest.mark.parametrize("name", HASHES)
def test_every_leaf_changes_the_root(runner, name):
    dtype, words = words_of(name)
    leaves = 32
    nodes = np.array(cases.tree(name, leaves))
    roots = set()
    for changed in range(-1, leaves):
        changed_nodes = nodes.copy()
        if changed >= 0:
            changed_nodes[leaves + changed, changed % words] ^= dtype(1)
        args = (changed_nodes, u64(leaves), changed_nodes, u64(0), u64(leaves // 2), u64(leaves), u32(5))
        runner.launch("merge_subtree", name, 1, *args)
        roots.add(changed_nodes[1].tobytes())
    assert len(roots) == leaves + 1


@pytest.mark.parametrize("layout", ["row-major", "column-major"])
def test_rows_of_bytes(runner, layout):
    for words in (0, 1, 2, 15, 16, 17, 31, 32, 33, 255, 256):
        rows = random_words("blake3", 11 * words, seed=words).reshape(11, words)
        digests = rows_by(runner, "blake3", rows, layout)
        assert [digest.tobytes() for digest in digests] == [blake3.blake3(row.tobytes()).digest() for row in rows]


@pytest.mark.parametrize("layout", ["row-major", "column-major"])
@pytest.mark.parametrize("name", FIELD_HASHES)
def test_rows_of_elements(runner, name, layout):
    for elements, digest in cases.rescue_vectors(name, "hash_elements"):
        row = np.array([elements], u64)
        assert rows_by(runner, name, row, layout).tolist() == [digest]
    for words in (1, 7, 8, 9, 15, 16, 17):
        rows = random_words(name, 5 * words, seed=words).reshape(5, words)
        expected = [oracle.hash_elements(row.tolist(), name) for row in rows]
        assert rows_by(runner, name, rows, layout).tolist() == expected


@pytest.mark.parametrize("name", FIELD_HASHES)
def test_rows_take_words_mod_p(runner, name):
    big = [oracle.P, oracle.P + 1, 2**64 - 1, 2**64 - 2, oracle.P - 1, 2**64 - 2**31, 0, 2**63]
    rows = np.array([big, [x % oracle.P for x in big]], u64)
    first, second = rows_by(runner, name, rows, "row-major").tolist()
    assert first == second == oracle.hash_elements([x % oracle.P for x in big], name)


@pytest.mark.parametrize("name", MERGES)
def test_first_levels_keep_the_leaves(runner, name):
    dtype, words = words_of(name)

    def above(nodes):
        pairs = zip(nodes[::2], nodes[1::2], strict=True)
        return [np.frombuffer(cases.merge(name, left.tobytes(), right.tobytes()), dtype) for left, right in pairs]

    for count, levels in ((1, 1), (5, 1), (33, 1), (2, 2), (6, 2), (34, 2), (200, 2)):
        leaves = random_words(name, (2 * count + 3) * words, count).reshape(-1, words)
        kept, out = blank(2 * count + 7, dtype), blank(2 * count + 6, dtype)
        args = (leaves, u64(3), kept, u64(4), out, u64(2), u64(count + 3), u64(count), u32(levels))
        runner.launch("merge_keep", name, runner.groups(-(-count // 2), {}) + 1, *args)
        parents = above(leaves[3:])
        assert (kept[4 : 4 + 2 * count] == leaves[3:]).all()
        assert (out[2 : 2 + count] == parents).all()
        end = count + 3
        if levels == 2:
            assert (out[end : end + count // 2] == above(parents)).all()
            end += count // 2
        assert untouched(kept[:4])
        assert untouched(kept[4 + 2 * count :])
        assert untouched(out[:2])
        assert untouched(out[2 + count : count + 3])
        assert untouched(out[end:])


@pytest.mark.parametrize("odd_node", [0, 1, 2])
@pytest.mark.parametrize("name", MERGES)
def test_edges(runner, name, odd_node):
    """The right edge: the nodes above the last leaf. All other nodes are there before, and all other slots stay."""
    dtype, words = words_of(name)
    for count in (1, 2, 3, 5, 6, 7, 8, 9, 12, 33, 63):
        height = (count - 1).bit_length()
        first, slot_0, leaf_0 = 1 << height, 2, 1
        leaves = random_words(name, count * words, count).reshape(count, words)
        padding = random_words(name, words, 99)
        pads = [padding.tobytes()]
        for _ in range(height):
            pads.append(cases.merge(name, pads[-1], pads[-1]))
        tree = cases.parents(name, [leaf.tobytes() for leaf in leaves], odd_node, pads)
        expected = blank(slot_0 + first, dtype)
        for level, row in enumerate(tree[1:], 1):
            expected[slot_0 + (first >> level) :][: len(row)] = np.frombuffer(b"".join(row), dtype).reshape(-1, words)
        nodes = expected.copy()
        for level in range(1, height + 1):
            if count >> level != len(tree[level]):
                nodes[slot_0 + (first >> level) + len(tree[level]) - 1] = 3
        below = np.concatenate([blank(leaf_0, dtype), leaves])
        args = (below, u64(leaf_0), nodes, u64(slot_0), u64(count), u32(height), u32(odd_node), padding.tobytes())
        runner.launch("merge_edge", name, 1, *args)
        assert (nodes == expected).all()


def check_ways_up(runner, name, leaves, changed, stages, odd_node, **policy):
    """Changed leaves in a tree of any count: the paths up, in stages of `stages` levels."""
    dtype, words = words_of(name)
    first = 1 << (leaves - 1).bit_length()
    old, new, pads = (random_words(name, count * words, seed).reshape(count, words)
                         for count, seed in ((leaves, 1), (leaves, 2), (12, 3)))  # fmt: skip
    slot_0 = 3
    nodes = blank(slot_0 + first + leaves, dtype)
    current = old.copy()
    current[changed] = new[changed]
    pad_bytes = [pad.tobytes() for pad in pads]
    before, after = (cases.parents(name, [leaf.tobytes() for leaf in level], odd_node, pad_bytes)
                     for level in (old, current))  # fmt: skip
    for level, row in enumerate(before):
        nodes[slot_0 + (first >> level) :][: len(row)] = np.frombuffer(b"".join(row), dtype).reshape(-1, words)
    nodes[slot_0 + first :][:leaves] = current
    expected = nodes.copy()
    for level, row in enumerate(after):
        expected[slot_0 + (first >> level) :][: len(row)] = np.frombuffer(b"".join(row), dtype).reshape(-1, words)
    below, level = list(changed), 0
    for levels in stages:
        tops = sorted({node >> levels for node in below})
        starts = [sum(node >> levels < top for node in below) for top in tops] + [len(below)]
        lists = np.array([7, *below, *starts], u32)
        width = -(-leaves >> level) if level == 0 else -(-leaves // 2**level)
        args = (nodes, u64(slot_0), u64(first >> level), u64(width), lists, u64(1), u64(1 + len(below)), u32(levels),
                u32(odd_node), np.array(pads), u64(level))  # fmt: skip
        runner.launch("merge_at", name, len(tops), *args, **policy)
        below, level = tops, level + levels
    assert below == [0]
    assert (nodes == expected).all()


@pytest.mark.parametrize("odd_node", [0, 1, 2])
@pytest.mark.parametrize("name", MERGES)
def test_ways_up(runner, name, odd_node):
    for leaves, changed, stages in [
        (64, [0], [6]),
        (64, [0, 1, 2, 3, 17, 62, 63], [1, 5]),
        (37, [36], [6]),
        (37, [0, 5, 6, 7, 8, 30, 35, 36], [2, 3, 1]),
        (33, list(range(33)), [3, 3]),
        (5, [1, 4], [1, 1, 1]),
        (2, [1], [1]),
    ]:
        check_ways_up(runner, name, leaves, changed, stages, odd_node)


@pytest.mark.parametrize("lanes", [2, 8])
def test_ways_up_by_lanes(runner, lanes):
    # Wide lanes of field hashes take minutes to compile.
    for name in ("blake3", "sha256_rfc6962", *(["rp64_256_v3"] if lanes == 2 else [])):
        for odd_node in (0, 2):
            check_ways_up(runner, name, 37, [0, 5, 6, 7, 8, 30, 35, 36], [2, 3, 1], odd_node, lanes=lanes)

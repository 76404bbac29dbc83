"""Policies change no byte: neither lanes nor the place of constants, alignment or arithmetic."""

import blake3
import numpy as np
import pytest

import cases
import oracle
from cases import BYTE_HASHES, WITH_TABLES, random_words
from launches import (
    HASHES,
    LENGTHS,
    TREE_LEAVES,
    check_each,
    check_merges,
    check_rows_of_messages,
    check_tree_by_subtrees,
    digest_by,
    rows_by,
)


@pytest.mark.parametrize("name", HASHES)
@pytest.mark.parametrize(
    "policy",
    [{"lanes": 2, "constants": 1}, {"lanes": 4, "constants": 3}, {"lanes": 8, "constants": 4}, {"lanes": 16},
     {"constants": 1}, {"constants": 3}, {"constants": 4}],
    ids=str,
)  # fmt: skip
def test_policies_of_lanes_and_constants(runner, name, policy):
    if name not in WITH_TABLES and "lanes" not in policy:
        return
    if name == "rp64_256_v2" and policy.get("lanes") != 4:
        return  # it has the matrix of v1 and the state of v3, which are tested
    if name == "rp64_256_v1" and policy.get("lanes") == 16:
        return  # it takes long to compile, and 8 lanes test the same text
    nodes = runner.group_nodes(policy)
    leaves = 128
    expected = cases.tree(name, leaves)
    pairs, parents = expected[leaves:].ravel(), expected[leaves // 2 : leaves]
    counts = sorted({n for n in (1, 2, 3, nodes - 1, nodes, nodes + 1, 64) if 1 <= n <= 64})
    check_merges(runner, name, counts, pairs, parents, **policy)
    for levels in ([7], [2, 5], [3, 1, 3]):
        check_tree_by_subtrees(runner, name, leaves, levels, **policy)
    if name in BYTE_HASHES and name != "blake3":
        return  # their rows: test_leaves_of_bytes
    for words in (1, 9) if name != "blake3" else (0, 1, 17, 256):
        for count in (1, 5, nodes + 1):
            rows = random_words(name, count * words, seed=words).reshape(count, words)
            for layout in ("row-major", "column-major"):
                digests = [row.tobytes() for row in rows_by(runner, name, rows, layout, **policy)]
                assert digests == [oracle.row_digest(row.tobytes(), name) for row in rows]


@pytest.mark.parametrize("lanes", [2, 4, 8, 16])
def test_digests_by_lanes(runner, lanes):
    check_rows_of_messages(runner, lanes=lanes)
    if lanes in (4, 16):
        check_each(runner, lanes=lanes)
    nodes = runner.group_nodes({"lanes": lanes})
    levels = nodes.bit_length() - 1
    for chunks in sorted({1, 2, lanes - 1, lanes, lanes + 1, nodes - 1, nodes, nodes + 1, 2 * nodes + lanes + 1}):
        for cut in (0, 1, 1000) if chunks <= lanes + 1 else (1000,):
            data = np.random.default_rng(chunks).bytes(1024 * chunks - cut)
            steps = ((0, 1), (1, 1), (levels, runner.device.group_size.bit_length()))
            for step, above in steps:
                found = digest_by(runner, data, levels=step, levels_above=above, lanes=lanes)
                assert found == blake3.blake3(data).digest(), (chunks, cut, step)


@pytest.mark.parametrize(
    ("policy", "offset"), [({"align": 4}, 20), ({"align": 1}, 3), ({"align": 1, "lanes": 4}, 5)], ids=str
)
def test_alignments(runner, policy, offset):
    for length in (5, 1024, 5000):
        data = np.random.default_rng(length).bytes(length)
        assert digest_by(runner, data, offset=offset, **policy) == blake3.blake3(data).digest()
    check_rows_of_messages(runner, **policy)
    check_each(runner, gap=offset, **policy)
    check_tree_by_subtrees(runner, "blake3", TREE_LEAVES, [10], **policy)


# A GPU's policy without assembly: teams for narrow levels, S-boxes that rotate the state, an MDS by products.
GPU = {"teams": 1, "rp_turn": 1, "rp_cells": 3, "rp_circulant_products": 1, "group_size": 32}


@pytest.mark.parametrize("constants", [2, 4])
@pytest.mark.parametrize("name", ["rp64_256_v1", "rp64_256_v3", "rpjive64_256"])
def test_merges_by_teams(runner, name, constants):
    if runner.device.is_cpp or runner.device.name.startswith("Portable"):
        return  # a group of one item has no teams; PoCL 3.1 leaves the loops of inlined functions as they are
    for levels in ([6], [2, 1, 3], [1] * 6, [5, 1]):
        check_tree_by_subtrees(runner, name, 64, levels, **GPU, constants=constants)


@pytest.mark.parametrize("name", ["blake3", "rp64_256_v1", "rp64_256_v3", "rpjive64_256"])
def test_choices_of_arithmetic(runner, name):
    if name == "blake3":
        for length in LENGTHS:
            data = np.random.default_rng(length).bytes(length)
            assert digest_by(runner, data, read_ahead=1, blake3_together=1) == blake3.blake3(data).digest(), length
        check_rows_of_messages(runner, read_ahead=1, blake3_together=1)
    else:
        for policy in ({"mul_by_halves": 1, "rp_cells": 4}, {"rp_turn": 1, "rp_cells": 6, "rp_circulant_products": 1}):
            check_tree_by_subtrees(runner, name, 64, [6], **policy)


def test_a_program_of_some_kernels(runner):
    for kernels, levels in ((1 + 4, [3, 3]), (4, [6])):
        check_tree_by_subtrees(runner, "blake3", 64, levels, only=kernels)

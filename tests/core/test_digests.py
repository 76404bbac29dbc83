"""The digest of a long input: chunks, then parents."""

import struct

import blake3
import numpy as np
import pytest

import oracle
from cases import random_words
from launches import LENGTHS, blank, check_each, check_rows_of_messages, digest_by, padded, rows_by, u32, u64, untouched
from oracle import KEYED_HASH


@pytest.mark.parametrize("mode", ["plain", "keyed", "derive_key"])
def test_digests(runner, mode):
    text = "a context for tests"
    for length in LENGTHS:
        data = np.random.default_rng(length).bytes(length)
        if mode == "plain":
            found, expected = digest_by(runner, data), blake3.blake3(data)
        elif mode == "keyed":
            key = bytes(range(100, 132))
            found = digest_by(runner, data, struct.unpack("<8I", key), KEYED_HASH)
            expected = blake3.blake3(data, key=key)
        else:
            key = digest_by(runner, text.encode(), flags=oracle.DERIVE_KEY_CONTEXT)
            found = digest_by(runner, data, struct.unpack("<8I", key), oracle.DERIVE_KEY_MATERIAL)
            expected = blake3.blake3(data, derive_key_context=text)
        assert found == expected.digest(), length


def test_digests_by_towers(runner):
    """Several levels a launch, for every number of chunks around the sizes of groups and subtrees."""
    group = runner.device.group_size
    lengths = [1024 * chunks - cut for chunks in (*range(1, 2 * group + 3), 4 * group - 1, 40) for cut in (0, 1023)]
    for levels in range(group.bit_length()):
        for levels_above in range(1, group.bit_length() + 1):
            if levels > 1 and levels_above not in (1, group.bit_length()):
                continue
            for length in lengths:
                data = np.random.default_rng(length).bytes(length)
                found = digest_by(runner, data, levels=levels, levels_above=levels_above)
                assert found == blake3.blake3(data).digest(), (levels, levels_above, length)


def test_values_of_subtrees_far_into_an_input(runner):
    """A part of a keyed input, without the root: the values of whole and of incomplete subtrees."""
    key, counter, levels = tuple(range(8)), 2**32 - 16, 2 if runner.device.group_size >= 4 else 0
    for chunks, cut in ((16, 0), (19, 5), (21, 1000)):
        data = np.random.default_rng(chunks).bytes(1024 * chunks - cut)
        width = -(-chunks >> levels) if levels == 0 else -(-chunks // 2**levels)
        out = blank(width + 3, u32)
        args = (padded(data, 0), u64(0), u64(len(data)), u64(1), out, u64(2), struct.pack("<8I", *key),
                u32(KEYED_HASH), u64(counter), u32(levels))  # fmt: skip
        runner.launch("hash_chunks", "blake3", runner.groups(chunks, {}), *args)
        values = [oracle.blake3_chunk(data[1024 * k :][:1024], counter + k, key, KEYED_HASH) for k in range(chunks)]
        for _ in range(levels):
            values = oracle.blake3_parents(values, key, KEYED_HASH)
        assert untouched(out[:2])
        assert out[2 : 2 + width].tolist() == values
        assert untouched(out[2 + width :])


def test_rows_of_messages(runner):
    check_rows_of_messages(runner)


def test_messages_of_any_lengths(runner):
    check_each(runner)


def test_digests_of_input_inside_a_buffer(runner):
    for length in (5, 1024, 5000):
        data = np.random.default_rng(length).bytes(length)
        assert digest_by(runner, data, offset=48) == blake3.blake3(data).digest()


@pytest.mark.parametrize("counter", [0, 5, 2**32 - 1, 2**32 + 5, 2**53 + 2**32 - 1])
def test_chunks_far_into_an_input(runner, counter):
    data, key = np.random.default_rng(9).bytes(2 * 1024 + 100), tuple(range(8))
    out = blank(4, u32)
    args = (padded(data, 0), u64(0), u64(len(data)), u64(1), out, u64(1), struct.pack("<8I", *key), u32(KEYED_HASH),
            u64(counter), u32(0))  # fmt: skip
    runner.launch("hash_chunks", "blake3", runner.groups(3, {}), *args)
    expected = [oracle.blake3_chunk(data[1024 * k :][:1024], counter + k, key, KEYED_HASH) for k in range(3)]
    assert out[1:].tolist() == expected


LEAF_LENGTHS = [*range(12), *range(50, 76), *range(114, 132), 191, 192, 200, 1000]


@pytest.mark.parametrize("lanes", [1, 4])
@pytest.mark.parametrize("layout", ["row-major", "column-major"])
@pytest.mark.parametrize("name", ["sha256_rfc6962", "sha256d", "keccak256_sorted", "keccakf64", "blake2s"])
def test_leaves_of_bytes(runner, name, layout, lanes):
    if name == "sha256d" and (layout != "row-major" or lanes != 1):
        return  # sha256_rfc6962 has shown its kernel
    for length in [*LEAF_LENGTHS[:: 1 if name == "sha256_rfc6962" else 5], 135, 136, 137]:
        rows = np.random.default_rng(length).integers(0, 256, (11, length), np.uint8)
        expected = [oracle.row_digest(row.tobytes(), name) for row in rows]
        aligns = [1, 16] if length % 16 == 0 or layout == "column-major" else [1]
        for align in aligns:
            found = rows_by(runner, name, rows, layout, align=align, lanes=lanes)
            assert [digest.tobytes() for digest in found] == expected, length


def test_all_levels_of_parents_in_one_launch(runner):
    key, most = struct.pack("<8I", *oracle.IV), (2 * runner.device.group_size).bit_length() - 1
    for count in (2, 3, 5, 8, 33, 64, 100, 257, 1000):
        values, expected = random_words("blake3", 8 * count, seed=count).reshape(-1, 8), []
        level, levels = values.tolist(), min(most, (count - 1).bit_length())
        for _ in range(levels):
            level = oracle.blake3_parents(level)
            expected += map(list, level)
        out = blank(len(expected) + 4, u32)
        args = (values, u64(0), out, u64(3), u64(count), u64(1), key, u32(0), u32(levels), u32(1))
        groups = -(-((count + 1) // 2) // runner.device.group_size)
        runner.launch("hash_parents", "blake3", groups, *args)
        assert out[3:-1].tolist() == expected
        assert untouched(out[:3])
        assert untouched(out[-1:])

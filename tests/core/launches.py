"""Launches kernels as a library does, on a device of runtimes.py, and compares each result with one of cases.py."""

import struct

import blake3
import numpy as np

import cases
import oracle
import source_text
from cases import BYTE_HASHES, KEYED, KNOWN, WITH_TABLES, words_of
from oracle import KEYED_HASH, ROOT_FLAG

# A hash that cases.py does not know is only compiled (test_nvrtc.py). The conformance suites run it.
HASHES = [name for name in source_text.hashes() if name in KNOWN]
FIELD_HASHES = [name for name in HASHES if name not in BYTE_HASHES]
MERGES = [*HASHES, KEYED]
CL_OPTIONS = "-cl-std=CL1.2 -Werror"
TREE_LEAVES = 2**10
CANARY = 0xA5

# The kernels' bits of MKZ_ONLY (kernels.h).
BODIES = (
    "merge_level",
    "merge_pairs",
    "merge_subtree",
    "hash_rows",
    "hash_chunks",
    "hash_parents",
    "merge_at",
    "merge_edge",
    "hash_each",
    "merge_keep",
)
ONLY = {body: 1 << bit for bit, body in enumerate(BODIES)}
ONLY["hash_each_parents"] = ONLY["hash_each_tower"] = ONLY["hash_each"]

u32, u64 = np.uint32, np.uint64


def entry_text(name, *lines):
    """A program of one hash, or of none, as one text."""
    return "".join(lines) + source_text.flatten(source_text.CORE / "entry.h", name)


def defines(**values):
    return "".join(f"#define MKZ_{name.upper()} {value}\n" for name, value in values.items())


class Runner:
    """A device with the programs built on it: one for each hash (None: of no hash) and policy.

    policy  MKZ_ values beside the group size, such as {"lanes": 4}
    """

    def __init__(self, device):
        self.device, self.programs = device, {}
        self.table = np.concatenate([cases.rescue_table(), np.zeros(1, np.uint64)])

    def group_nodes(self, policy):
        return self.device.group_size * policy.get("lanes", 1)

    def groups(self, count, policy):
        """Number of groups for `count` results, one a lane."""
        return -(-count // self.group_nodes(policy))

    def launch(self, kernel, name, groups, *args, **policy):
        if name == KEYED:
            name, policy = "blake3", {**policy, "keyed": 1}
        # Intel's compiler takes minutes for some kernels in wide lanes, so it gets only those that are launched. PoCL
        # 3.1 compiles some kernels in a whole program, and crashes on them alone.
        alone = name and policy and self.device.name.startswith("Intel")
        values = {"group_size": self.device.group_size, **({"only": ONLY[kernel]} if alone else {}), **policy}
        key = name, tuple(sorted(values.items()))
        if key not in self.programs:
            # Host C++ takes the headers, and MKZ_HASH_LIST; in the text of the others it would name a file.
            lines = defines(**values) + (source_text.select(name) if self.device.is_cpp else "")
            self.programs[key] = self.device.build(entry_text(name, lines), CL_OPTIONS)
        if name in WITH_TABLES:
            args = (*args, self.table if policy.get("constants", 2) >= 3 else None)
        elif name and not kernel.startswith(("hash_chunks", "hash_parents", "hash_each")):
            args = (*args, None)
        if policy.get("keyed") and kernel.startswith("merge"):
            args = (*args, cases.KEY, u32(KEYED_HASH))
        entry = f"mkz_{kernel}_{name}" if name else f"mkz_{kernel}"
        group = policy.get("group_size", self.device.group_size)
        self.device.launch(self.programs[key], entry, groups * group, group, *args)


def blank(count, dtype):
    """Nodes that no kernel has written."""
    return np.frombuffer(bytearray([CANARY]) * (32 * count), dtype).reshape(count, -1)


def untouched(nodes):
    return (nodes.view(np.uint8) == CANARY).all()


def check_merges(runner, name, counts, pairs, expected, **policy):
    """Levels and pairs of `counts` merges, some nodes after the start of their buffers; launches are rounded up."""
    dtype, words = words_of(name)
    given = np.concatenate([blank(3, dtype).ravel(), pairs]).reshape(-1, words)
    left, right = np.ascontiguousarray(given[1::2]), np.ascontiguousarray(given[2::2])
    for n in counts:
        for extra in (0, 1):
            out = blank(len(expected) + 16, dtype)
            groups = runner.groups(n, policy) + extra
            runner.launch("merge_level", name, groups, given, u64(3), out, u64(2), u64(n), **policy)
            assert (out[2 : 2 + n] == expected[:n]).all()
            assert untouched(out[:2])
            assert untouched(out[2 + n :])
        out = blank(len(expected) + 16, dtype)
        runner.launch("merge_pairs", name, groups, left, u64(1), right, u64(1), out, u64(5), u64(n), **policy)
        assert (out[5 : 5 + n] == expected[:n]).all()
        assert untouched(out[:5])
        assert untouched(out[5 + n :])


def check_tree_by_subtrees(runner, name, leaves, levels, slot_0=0, **policy):
    """A whole tree in place, `levels` levels a launch, some nodes after the start of a buffer."""
    expected = cases.tree(name, leaves)
    buffer = np.concatenate([blank(slot_0, expected.dtype), expected]) if slot_0 else np.array(expected)
    nodes = buffer[slot_0:]
    nodes[:leaves] = 0
    width = leaves
    for step in levels:
        args = (buffer, u64(slot_0 + width), buffer, u64(slot_0), u64(width // 2), u64(width), u32(step))
        # One group too many, which must do nothing.
        runner.launch("merge_subtree", name, (width >> step) + 1, *args, **policy)
        width >>= step
    assert width == 1
    assert (nodes == expected).all()
    assert untouched(buffer[:slot_0])


def rows_by(runner, name, rows, layout, **policy):
    """Digests of rows [count, words], stored by rows or by columns, some words after the start of a buffer."""
    dtype, _ = words_of(name)
    count, words = rows.shape
    matrix = rows if layout == "row-major" else rows.T
    before = 16 if rows.dtype == np.uint8 and policy.get("align") != 1 else 3
    data = np.concatenate([np.full(before, 7, rows.dtype), matrix.ravel(), np.full(1, 7, rows.dtype)])
    strides = (words, 1) if layout == "row-major" else (1, count)
    out = blank(count + 9, dtype)
    args = (data, u64(before), u64(strides[0]), u64(strides[1]), u32(words), out, u64(1), u64(count))
    runner.launch("hash_rows", name, runner.groups(count, policy), *args, **policy)
    assert untouched(out[:1])
    assert untouched(out[count + 1 :])
    return out[1 : count + 1]


def padded(data, offset):
    """A buffer with the bytes at `offset`."""
    return np.frombuffer(bytearray(b"?" * offset) + data + b"?" * 16, np.uint8)


def digest_by(runner, data, key=oracle.IV, flags=0, *, offset=0, levels=0, levels_above=1, **policy):
    """BLAKE3 of data by a library's launches: first subtrees of 2^levels chunks, then levels_above levels a launch."""
    key = struct.pack("<8I", *key)
    width = max(1, -(-len(data) // 1024))
    groups = runner.groups(width, policy)
    out_width = -(-width // 2**levels)
    out = blank(out_width + 9, u32)
    root = ROOT_FLAG if out_width == 1 else 0
    args = (padded(data, offset), u64(offset), u64(len(data)), u64(1), out, u64(0), key, u32(flags | root), u64(0))
    runner.launch("hash_chunks", "blake3", groups, *args, u32(levels), **policy)
    assert untouched(out[out_width:])
    width = out_width
    while width > 1:
        out_width = -(-width // 2**levels_above)
        parents = blank(out_width + 9, u32)
        flags_here = u32(flags | (ROOT_FLAG if out_width == 1 else 0))
        args = (out, u64(0), parents, u64(1), u64(width), u64(1), key, flags_here, u32(levels_above), u32(0))
        pairs = (width + 1) // 2
        groups = -(-pairs // runner.device.group_size)
        runner.launch("hash_parents", "blake3", groups, *args, **policy)
        width = out_width
        assert untouched(parents[:1])
        assert untouched(parents[width + 1 :])
        out = parents[1:].copy()
    return out[0].tobytes()


LENGTHS = [0, 1, 3, 4, 63, 64, 65, 127, 128, 129, 1023, 1024, 1025, 2047, 2048, 2049, 3 * 1024, 4 * 1024 + 1, 5 * 1024,
           7 * 1024 - 1, 8 * 1024, 31 * 1024 + 77, 32 * 1024, 33 * 1024, 100_000, 2**17]  # fmt: skip


def check_rows_of_messages(runner, **policy):
    """Messages of one length: digests if they are single chunks, else the values of chunks, and the parents of each."""
    align = policy.get("align", 16)
    key = struct.pack("<8I", *oracle.IV)
    for row_bytes, rows in ((64, 21), (1024, 9), (1024 + 16, 5), (3 * 1024, 7), (0, 3), (33, 6), (2047, 5)):
        if row_bytes % align != 0:
            continue
        chunks = max(1, -(-row_bytes // 1024))
        messages = [np.random.default_rng(row).bytes(row_bytes) for row in range(rows)]
        out = blank(rows * chunks + 2, u32)
        flags = u32(ROOT_FLAG if chunks == 1 else 0)
        args = (padded(b"".join(messages), 16), u64(16), u64(row_bytes), u64(rows), out, u64(1), key, flags, u64(0))
        runner.launch("hash_chunks", "blake3", runner.groups(rows * chunks, policy), *args, u32(0), **policy)
        assert untouched(out[:1])
        assert untouched(out[rows * chunks + 1 :])
        values = out[1:-1].copy()
        while chunks > 1:
            parents = -(-chunks // 2)
            above = blank(rows * parents + 2, u32)
            flags = u32(ROOT_FLAG if chunks == 2 else 0)
            groups = -(-rows * parents // runner.device.group_size)
            args = (values, u64(0), above, u64(1), u64(chunks), u64(rows), key, flags, u32(1), u32(0))
            runner.launch("hash_parents", "blake3", groups, *args, **policy)
            assert untouched(above[:1])
            assert untouched(above[-1:])
            values, chunks = above[1:-1].copy(), parents
        assert [value.tobytes() for value in values] == [blake3.blake3(message).digest() for message in messages]


def each_by(runner, messages, key=oracle.IV, flags=0, *, gap=0, below_root=0, tower=False, **policy):
    """BLAKE3 of each message in one launch of chunks and one a level; or the two values below the root, 64 bytes.

    tower  one launch for all levels instead
    """
    n, data, table = len(messages), b"?" * 16, []
    chunks = [max(1, -(-len(message) // 1024)) for message in messages]
    first = np.cumsum([0, *chunks])
    for message in messages:
        table.append(len(data) + gap)
        data += b"?" * gap + message
        data += b"?" * (-len(data) % 16)
    words = np.array([7, *first, *table, *map(len, messages)], np.uint64)
    key, nodes = struct.pack("<8I", *key), 2 if below_root else 1
    values, others, out = blank(first[-1] + n, u32), blank(first[-1] + n, u32), blank(n * nodes + 3, u32)
    args = (padded(data, 0), words, u64(1), u32(n), values, out, u64(1), key, u32(flags), u32(below_root))
    runner.launch("hash_each", "blake3", runner.groups(first[-1], policy) + 1, *args, **policy)
    assert untouched(values[first[-1] :])
    if tower:
        args = (words, u64(1), u32(0), values, out, u64(1), key, u32(flags))
        runner.launch("hash_each_tower", "blake3", n, *args, **policy)
    for level in () if tower else range(1, int(max(chunks) - 1).bit_length() + 1):
        slots = (int(first[-1]) >> level) + n
        args = (words, u64(1), u32(n), u32(level), values, others, out, u64(1), key, u32(flags), u32(below_root))
        runner.launch("hash_each_parents", "blake3", runner.groups(slots, policy) + 1, *args, **policy)
        values, others = others, values
    assert untouched(out[:1])
    assert untouched(out[n * nodes + 1 :])
    return [row.tobytes() for row in out[1:-2].reshape(n, -1)]


def check_each(runner, **policy):
    """Messages of any lengths, compared with the official BLAKE3. In a keyed mode, the values below the roots."""
    around = [1024 * chunks + more for chunks in (1, 2, 3, 4, 5, 8, 16) for more in (-1, 0, 1)]
    for lengths in ([0], [5000], [0, 1, 63, 64, 65], [100] * 40, [1024] * 40, around, [0, 70_000, 3, 2048, 0, 1025]):
        messages = [np.random.default_rng(k).bytes(length) for k, length in enumerate(lengths)]
        expected = [blake3.blake3(message).digest() for message in messages]
        assert each_by(runner, messages, **policy) == expected
        if max(lengths) <= 2048 * policy.get("group_size", runner.device.group_size):
            assert each_by(runner, messages, tower=True, **policy) == expected
    found = each_by(runner, messages, tuple(range(8)), KEYED_HASH, below_root=1, **policy)
    for message, values in zip(messages, found):
        if len(message) <= 1024:
            assert untouched(np.frombuffer(values, np.uint8))
            continue
        level = [
            oracle.blake3_chunk(message[at : at + 1024], at // 1024, tuple(range(8)), KEYED_HASH)
            for at in range(0, len(message), 1024)
        ]
        while len(level) > 2:
            level = oracle.blake3_parents(level, tuple(range(8)), KEYED_HASH)
        assert values == struct.pack("<16I", *level[0], *level[1])

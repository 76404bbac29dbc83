"""The core under device compilers: compiled for NVIDIA GPUs, and compiled and run through OpenCL C 1.2 and as host C++.

Every result is compared with another implementation (witness.py). A runtime that is not on the machine skips its tests,
or fails them where MERKLIZE_REQUIRE_RUNTIMES=1.
"""

import os
import struct
from concurrent.futures import ThreadPoolExecutor

import blake3
import numpy as np
import pytest

import source_text
import witness
from conftest import open_or_skip
from runtimes import HostCpp, Nvrtc, OpenCL, kernel_facts
from witness import BYTE_HASHES, KEYED, KEYED_HASH, ROOT_FLAG, random_words, words_of

HASHES = list(source_text.hashes())
FIELD_HASHES = [name for name in HASHES if name not in BYTE_HASHES]
MERGES = [*HASHES, KEYED]
ARCHITECTURES = ["sm_75", "sm_80", "sm_90", "sm_100"]
CL_OPTIONS = "-cl-std=CL1.2 -Werror"
TREE_LEAVES = 2**10
CANARY = 0xA5

u32, u64 = np.uint32, np.uint64


def entry_text(*lines):
    return "".join(lines) + source_text.flatten(source_text.CORE / "entry.h")


def defines(**values):
    return "".join(f"#define MKZ_{name.upper()} {value}\n" for name, value in values.items())


DATA_KERNELS = {"mkz_gather_paths", "mkz_gather_nodes", "mkz_gather_strided", "mkz_check_words"}


def kernels_of(name):
    """Names of the entry points in a program of one hash."""
    bodies = ["merge_level", "merge_pairs", "merge_subtree", "merge_at", "hash_rows"]
    if name == "blake3":
        bodies += ["hash_chunks", "hash_parents"]
    return {f"mkz_{body}_{name}" for body in bodies} | DATA_KERNELS


# ---- The witness itself ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FIELD_HASHES)
def test_witness_of_rescue_prime_gives_the_published_vectors(name):
    for op in ("merge", "hash_elements"):
        vectors = witness.rescue_vectors(name, op)
        assert len(vectors) >= 8
        for elements, digest in vectors:
            assert witness.rescue_hash_elements(name, elements) == digest


@pytest.mark.parametrize("length", [0, 1, 63, 64, 65, 512, 1023, 1024])
def test_witness_of_blake3_gives_the_published_digests(length):
    data, key = bytes(k % 251 for k in range(length)), bytes(range(32))
    plain = witness.blake3_chunk(data, 0, flags=ROOT_FLAG)
    keyed = witness.blake3_chunk(data, 0, struct.unpack("<8I", key), KEYED_HASH | ROOT_FLAG)
    assert struct.pack("<8I", *plain) == blake3.blake3(data).digest()
    assert struct.pack("<8I", *keyed) == blake3.blake3(data, key=key).digest()


# ---- NVRTC: machine code for every architecture ---------------------------------------------------------------------


@pytest.fixture(scope="session")
def nvrtc(request):
    compiler = open_or_skip(Nvrtc)
    request.config.devices_used.append(f"{compiler.version}, {', '.join(ARCHITECTURES)}, compiled only")
    return compiler


# Policies beside the default: lines of a program. Wide lanes of field hashes do not fit in registers: not for GPUs.
POLICIES = {
    "blake3": [
        {"group_size": 64},
        {"group_size": 1024},
        {"lanes": 2, "group_size": 256},
        {"align": 4, "group_size": 256},
        {"align": 1},
        {"read_ahead": 1, "group_size": 256},
        {"nvidia_ptx": 0},
        {"keyed": 1, "group_size": 256},
    ],
    "sha256": [{"group_size": 256}, {"lanes": 2}, {"align": 1}, {"nvidia_ptx": 0}],
    "rp64_256_v3": [
        {"rp_cells": 6, "min_groups": 4},
        {"constants": 1},
        {"constants": 3},
        {"constants": 4, "group_size": 64},
        {"group_size": 512},
        {"nvidia_ptx": 0, "rp_cells": 12},
    ],
    "rp64_256_v1": [{"rp_cells": 3, "min_groups": 6}, {"constants": 1}, {"constants": 3}, {"constants": 4}],
}
POLICY_ARCHITECTURE = "sm_90"


@pytest.fixture(scope="session")
def machine_code(nvrtc):
    """(architecture, hash, lines) -> future of (cubin, log, seconds); all processors compile."""
    include = '#include "merklize/core/entry.h"\n'
    options = [f"--include-path={source_text.INCLUDE}"]
    wanted = [(arch, name, "") for name in HASHES for arch in ARCHITECTURES]
    wanted += [(POLICY_ARCHITECTURE, name, defines(**policy)) for name in POLICIES for policy in POLICIES[name]]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        yield {
            (arch, name, lines): pool.submit(nvrtc.compile, lines + source_text.select(name) + include, arch, options)
            for arch, name, lines in wanted
        }


def check_machine_code(compiler, arch, name, lines, compiled):
    cubin, log, seconds = compiled
    facts = kernel_facts(log)
    print(f"\n{compiler.version}, {arch}, {name} {lines.split()}: {len(cubin)} bytes in {seconds:.1f} s")
    for kernel, fact in sorted(facts.items()):
        print(f"  {kernel}: {fact['registers']} registers, {fact['stack']} bytes of stack, {fact['spills']} of spills")
    assert cubin[:4] == b"\x7fELF"
    assert set(facts) == kernels_of(name)
    # A stack would mean that an array is indexed at run time.
    assert {kernel for kernel, fact in facts.items() if fact["spills"] or fact["stack"]} == set()


@pytest.mark.parametrize("name", HASHES)
@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_nvrtc_makes_machine_code(machine_code, nvrtc, arch, name):
    check_machine_code(nvrtc, arch, name, "", machine_code[arch, name, ""].result())


@pytest.mark.parametrize(("name", "policy"), [(n, p) for n in POLICIES for p in POLICIES[n]], ids=str)
def test_nvrtc_makes_machine_code_of_policies(machine_code, nvrtc, name, policy):
    lines = defines(**policy)
    compiled = machine_code[POLICY_ARCHITECTURE, name, lines].result()
    check_machine_code(nvrtc, POLICY_ARCHITECTURE, name, lines, compiled)


def test_nvrtc_takes_the_core_as_one_text(nvrtc):
    _, log, _ = nvrtc.compile(entry_text(source_text.select("blake3")), "sm_90")
    assert set(kernel_facts(log)) == kernels_of("blake3")


def test_nvrtc_takes_a_program_of_no_hash(nvrtc):
    _, log, _ = nvrtc.compile(entry_text("#define MKZ_HASHES\n"), "sm_90")
    assert set(kernel_facts(log)) == DATA_KERNELS


def test_nvrtc_compiles_the_example_of_the_readme(nvrtc):
    options = [f"--include-path={source_text.INCLUDE}"]
    _, log, _ = nvrtc.compile(source_text.readme_example("cuda"), "sm_90", options)
    assert set(kernel_facts(log)) == {"label"}


# ---- OpenCL C 1.2 and host C++: every kernel runs -------------------------------------------------------------------


class Runner:
    """A device with the programs built on it: one for each hash (None: of no hash) and policy.

    policy  MKZ_ values beside the group size, such as {"lanes": 4}
    """

    def __init__(self, device):
        self.device, self.programs = device, {}
        self.table = np.concatenate([witness.rescue_table(), np.zeros(1, np.uint64)])

    def group_nodes(self, policy):
        return self.device.group_size * policy.get("lanes", 1)

    def groups(self, count, policy):
        """Groups whose items handle `count` things, one a lane."""
        return -(-count // self.group_nodes(policy))

    def launch(self, kernel, name, groups, *args, **policy):
        if name == KEYED:
            name, policy = "blake3", {**policy, "keyed": 1}
        key = name, tuple(sorted(policy.items()))
        if key not in self.programs:
            lines = defines(**{"group_size": self.device.group_size, **policy})
            chosen = source_text.select(name) if name else "#define MKZ_HASHES\n"
            self.programs[key] = self.device.build(entry_text(lines, chosen), CL_OPTIONS)
        if name in FIELD_HASHES:
            args = (*args, self.table if policy.get("constants", 2) >= 3 else None)
        elif name and not kernel.startswith(("hash_chunks", "hash_parents")):
            args = (*args, None)
        if policy.get("keyed") and kernel.startswith("merge"):
            args = (*args, witness.KEY, u32(KEYED_HASH))
        entry = f"mkz_{kernel}_{name}" if name else f"mkz_{kernel}"
        group = policy.get("group_size", self.device.group_size)
        self.device.launch(self.programs[key], entry, groups * group, group, *args)


@pytest.fixture(scope="module", params=["pocl", "intel", "host"])
def runner(request):
    device = open_or_skip(HostCpp) if request.param == "host" else open_or_skip(OpenCL, request.param)
    request.config.devices_used.append(device.name)
    return Runner(device)


def blank(count, dtype):
    """Nodes that no kernel has written."""
    return np.frombuffer(bytearray([CANARY]) * (32 * count), dtype).reshape(count, -1)


def untouched(nodes):
    return (nodes.view(np.uint8) == CANARY).all()


def check_merges(runner, name, counts, pairs, expected, **policy):
    """Levels and pairs of `counts` merges each. They begin some nodes into their buffers; launches are rounded up."""
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


@pytest.mark.parametrize("name", MERGES)
def test_merges_of_vectors(runner, name):
    dtype, _ = words_of(name)
    if name not in FIELD_HASHES:
        pairs = random_words(name, 16 * 50, seed=3)
        nodes = [node.tobytes() for node in pairs.reshape(-1, 8)]
        expected = [np.frombuffer(witness.merge(name, *pair), dtype) for pair in zip(nodes[::2], nodes[1::2])]
    else:
        vectors = witness.rescue_vectors(name, "merge")
        pairs = np.array([elements for elements, _ in vectors], dtype).ravel()
        expected = [np.array(digest, dtype) for _, digest in vectors]
    check_merges(runner, name, sorted({1, 7, 8, min(9, len(expected)), len(expected)}), pairs, expected)


def check_tree_by_subtrees(runner, name, leaves, levels, slot_0=0, **policy):
    """A whole tree, so many levels a launch, in place, some nodes into a buffer."""
    expected = witness.tree(name, leaves)
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


@pytest.mark.parametrize("name", MERGES)
def test_tree_level_by_level(runner, name):
    expected = witness.tree(name, TREE_LEAVES)
    nodes = np.array(expected)
    nodes[:TREE_LEAVES] = 0
    width = TREE_LEAVES // 2
    while width:
        args = (nodes, u64(2 * width), nodes, u64(width), u64(width))
        runner.launch("merge_level", name, runner.groups(width, {}), *args)
        width //= 2
    assert (nodes == expected).all()


# Groups smaller than, as large as and larger than the first level's work: their tower holds none, some or all levels.
@pytest.mark.parametrize("levels", [[5, 5], [4, 1, 5], [10], [3, 7], [6, 4], [1] * 10], ids=str)
@pytest.mark.parametrize("name", MERGES)
def test_tree_by_subtrees(runner, name, levels):
    check_tree_by_subtrees(runner, name, TREE_LEAVES, levels, slot_0=3 if levels == [10] else 0)


@pytest.mark.parametrize("name", HASHES)
def test_part_of_a_level_by_subtrees_from_a_separate_buffer(runner, name):
    dtype, _ = words_of(name)
    expected = witness.tree(name, TREE_LEAVES)
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
    nodes = np.array(witness.tree(name, leaves))
    roots = set()
    for changed in range(-1, leaves):
        changed_nodes = nodes.copy()
        if changed >= 0:
            changed_nodes[leaves + changed, changed % words] ^= dtype(1)
        args = (changed_nodes, u64(leaves), changed_nodes, u64(0), u64(leaves // 2), u64(leaves), u32(5))
        runner.launch("merge_subtree", name, 1, *args)
        roots.add(changed_nodes[1].tobytes())
    assert len(roots) == leaves + 1


def check_ways_up(runner, name, leaves, changed, stages, lone, **policy):
    """Leaves that change in a tree of any count: the ways up by stages of so many levels."""
    dtype, words = words_of(name)
    first = 1 << (leaves - 1).bit_length()
    old, new, fillers = (random_words(name, count * words, seed).reshape(count, words)
                         for count, seed in ((leaves, 1), (leaves, 2), (12, 3)))  # fmt: skip
    slot_0 = 3
    nodes = blank(slot_0 + first + leaves, dtype)
    current = old.copy()
    current[changed] = new[changed]
    filler_bytes = [filler.tobytes() for filler in fillers]
    before, after = (witness.parents(name, [leaf.tobytes() for leaf in level], lone, filler_bytes)
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
                u32(lone), np.array(fillers), u64(level))  # fmt: skip
        runner.launch("merge_at", name, len(tops), *args, **policy)
        below, level = tops, level + levels
    assert below == [0]
    assert (nodes == expected).all()


@pytest.mark.parametrize("lone", [0, 1, 2])
@pytest.mark.parametrize("name", MERGES)
def test_ways_up(runner, name, lone):
    for leaves, changed, stages in [
        (64, [0], [6]),
        (64, [0, 1, 2, 3, 17, 62, 63], [1, 5]),
        (37, [36], [6]),
        (37, [0, 5, 6, 7, 8, 30, 35, 36], [2, 3, 1]),
        (33, list(range(33)), [3, 3]),
        (5, [1, 4], [1, 1, 1]),
        (2, [1], [1]),
    ]:
        check_ways_up(runner, name, leaves, changed, stages, lone)


@pytest.mark.parametrize("lanes", [2, 8])
def test_ways_up_by_lanes(runner, lanes):
    for name in ("blake3", "sha256", "rp64_256_v3")[
        : 3 if lanes == 2 else 2
    ]:  # wide lanes of field hashes: minutes to compile
        for lone in (0, 2):
            check_ways_up(runner, name, 37, [0, 5, 6, 7, 8, 30, 35, 36], [2, 3, 1], lone, lanes=lanes)


def rows_by(runner, name, rows, layout, **policy):
    """Digests of rows [count, words], given row by row or column by column, some words into the buffer."""
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


@pytest.mark.parametrize("layout", ["row-major", "column-major"])
def test_rows_of_bytes(runner, layout):
    for words in (0, 1, 2, 15, 16, 17, 31, 32, 33, 255, 256):
        rows = random_words("blake3", 11 * words, seed=words).reshape(11, words)
        digests = rows_by(runner, "blake3", rows, layout)
        assert [digest.tobytes() for digest in digests] == [blake3.blake3(row.tobytes()).digest() for row in rows]


LEAF_LENGTHS = [*range(12), *range(50, 76), *range(114, 132), 191, 192, 200, 1000]


@pytest.mark.parametrize("lanes", [1, 4])
@pytest.mark.parametrize("layout", ["row-major", "column-major"])
def test_leaves_of_sha256(runner, layout, lanes):
    for length in LEAF_LENGTHS:
        rows = np.random.default_rng(length).integers(0, 256, (11, length), np.uint8)
        expected = [witness.row_digest("sha256", row.tobytes()) for row in rows]
        aligns = [1, 16] if length % 16 == 0 or layout == "column-major" else [1]
        for align in aligns:
            found = rows_by(runner, "sha256", rows, layout, align=align, lanes=lanes)
            assert [digest.tobytes() for digest in found] == expected, length


@pytest.mark.parametrize("layout", ["row-major", "column-major"])
@pytest.mark.parametrize("name", FIELD_HASHES)
def test_rows_of_elements(runner, name, layout):
    for elements, digest in witness.rescue_vectors(name, "hash_elements"):
        row = np.array([elements], u64)
        assert rows_by(runner, name, row, layout).tolist() == [digest]
    for words in (1, 7, 8, 9, 15, 16, 17):
        rows = random_words(name, 5 * words, seed=words).reshape(5, words)
        expected = [witness.rescue_hash_elements(name, row.tolist()) for row in rows]
        assert rows_by(runner, name, rows, layout).tolist() == expected


@pytest.mark.parametrize("name", FIELD_HASHES)
def test_rows_take_words_mod_p(runner, name):
    big = [witness.P, witness.P + 1, 2**64 - 1, 2**64 - 2, witness.P - 1, 2**64 - 2**31, 0, 2**63]
    rows = np.array([big, [x % witness.P for x in big]], u64)
    first, second = rows_by(runner, name, rows, "row-major").tolist()
    assert first == second == witness.rescue_hash_elements(name, [x % witness.P for x in big])


# ---- The digest of a long input: chunks, then parents ---------------------------------------------------------------


def padded(data, offset):
    """The bytes in a buffer of their own, `offset` bytes into it."""
    return np.frombuffer(bytearray(b"?" * offset) + data + b"?" * 16, np.uint8)


def digest_by(runner, data, key=witness.IV, flags=0, *, offset=0, levels=0, levels_above=1, **policy):
    """BLAKE3 of data as a library would launch it: subtrees of 2^levels chunks first, then levels_above a launch."""
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
        args = (out, u64(0), parents, u64(1), u64(width), u64(1), key, flags_here, u32(levels_above))
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
            key = digest_by(runner, text.encode(), flags=witness.DERIVE_KEY_CONTEXT)
            found = digest_by(runner, data, struct.unpack("<8I", key), witness.DERIVE_KEY_MATERIAL)
            expected = blake3.blake3(data, derive_key_context=text)
        assert found == expected.digest(), length


def test_digests_by_towers(runner):
    """Several levels a launch: every count of chunks around the sizes of groups and subtrees."""
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
    """A keyed part of an input without its root: the values of whole and of cut subtrees."""
    key, counter, levels = tuple(range(8)), 2**32 - 16, 2 if runner.device.group_size >= 4 else 0
    for chunks, cut in ((16, 0), (19, 5), (21, 1000)):
        data = np.random.default_rng(chunks).bytes(1024 * chunks - cut)
        width = -(-chunks >> levels) if levels == 0 else -(-chunks // 2**levels)
        out = blank(width + 3, u32)
        args = (padded(data, 0), u64(0), u64(len(data)), u64(1), out, u64(2), struct.pack("<8I", *key),
                u32(KEYED_HASH), u64(counter), u32(levels))  # fmt: skip
        runner.launch("hash_chunks", "blake3", runner.groups(chunks, {}), *args)
        values = [witness.blake3_chunk(data[1024 * k :][:1024], counter + k, key, KEYED_HASH) for k in range(chunks)]
        for _ in range(levels):
            values = witness.blake3_parents(values, key, KEYED_HASH)
        assert untouched(out[:2])
        assert out[2 : 2 + width].tolist() == values
        assert untouched(out[2 + width :])


def check_rows_of_messages(runner, **policy):
    """Many messages of one length, whole digests of one chunk and values of more, and the parents of each."""
    align = policy.get("align", 16)
    key = struct.pack("<8I", *witness.IV)
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
            args = (values, u64(0), above, u64(1), u64(chunks), u64(rows), key, flags, u32(1))
            runner.launch("hash_parents", "blake3", groups, *args, **policy)
            assert untouched(above[:1])
            assert untouched(above[-1:])
            values, chunks = above[1:-1].copy(), parents
        assert [value.tobytes() for value in values] == [blake3.blake3(message).digest() for message in messages]


def test_rows_of_messages(runner):
    check_rows_of_messages(runner)


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
    expected = [witness.blake3_chunk(data[1024 * k :][:1024], counter + k, key, KEYED_HASH) for k in range(3)]
    assert out[1:].tolist() == expected


# ---- Policies: the same bytes whatever the lanes, the constants and the alignment ------------------------------------


@pytest.mark.parametrize("name", HASHES)
@pytest.mark.parametrize(
    "policy",
    [{"lanes": 2, "constants": 1}, {"lanes": 4, "constants": 3}, {"lanes": 8, "constants": 4}, {"lanes": 16},
     {"constants": 1}, {"constants": 3}, {"constants": 4}],
    ids=str,
)  # fmt: skip
def test_policies_of_lanes_and_constants(runner, name, policy):
    if name in BYTE_HASHES and "lanes" not in policy:
        return
    if name == "rp64_256_v2" and policy.get("lanes") != 4:
        return  # its matrix is v1's, its state v3's
    if name == "rp64_256_v1" and policy.get("lanes") == 16:
        return  # long to compile, and lanes of 8 have shown it
    nodes = runner.group_nodes(policy)
    leaves = 128
    expected = witness.tree(name, leaves)
    pairs, parents = expected[leaves:].ravel(), expected[leaves // 2 : leaves]
    counts = sorted({n for n in (1, 2, 3, nodes - 1, nodes, nodes + 1, 64) if 1 <= n <= 64})
    check_merges(runner, name, counts, pairs, parents, **policy)
    for levels in ([7], [2, 5], [3, 1, 3]):
        check_tree_by_subtrees(runner, name, leaves, levels, **policy)
    if name == "sha256":
        return  # its rows: test_leaves_of_sha256
    for words in (1, 9) if name != "blake3" else (0, 1, 17, 256):
        for count in (1, 5, nodes + 1):
            rows = random_words(name, count * words, seed=words).reshape(count, words)
            for layout in ("row-major", "column-major"):
                digests = [row.tobytes() for row in rows_by(runner, name, rows, layout, **policy)]
                assert digests == [witness.row_digest(name, row.tobytes()) for row in rows]


@pytest.mark.parametrize("lanes", [2, 4, 8, 16])
def test_digests_by_lanes(runner, lanes):
    check_rows_of_messages(runner, lanes=lanes)
    nodes = runner.group_nodes({"lanes": lanes})
    levels = nodes.bit_length() - 1
    # PoCL 3.1 is now and then wrong where groups on two threads share local memory in 16 lanes (docs/performance.md).
    pocl_16 = lanes == 16 and runner.device.name.startswith("Portable")
    for chunks in sorted({1, 2, lanes - 1, lanes, lanes + 1, nodes - 1, nodes, nodes + 1, 2 * nodes + lanes + 1}):
        for cut in (0, 1, 1000) if chunks <= lanes + 1 else (1000,):
            data = np.random.default_rng(chunks).bytes(1024 * chunks - cut)
            steps = ((0, 1), (1, 1), (levels, runner.device.group_size.bit_length()))
            for step, above in steps[:1] if pocl_16 else steps:
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
    check_tree_by_subtrees(runner, "blake3", TREE_LEAVES, [10], **policy)


# What a GPU gets, in portable words: teams of items for narrow levels, S-boxes that turn the state, an MDS by products.
GPU = {"rp_teams": 1, "rp_turn": 1, "rp_cells": 3, "rp_circulant_products": 1, "group_size": 32}


@pytest.mark.parametrize("constants", [2, 4])
@pytest.mark.parametrize("name", ["rp64_256_v1", "rp64_256_v3"])
def test_merges_by_teams(runner, name, constants):
    if runner.device.is_cpp or runner.device.name.startswith("Portable"):
        return  # a group of one item has no teams; PoCL 3.1 leaves the loops of inlined functions as they are
    for levels in ([6], [2, 1, 3], [1] * 6, [5, 1]):
        check_tree_by_subtrees(runner, name, 64, levels, **GPU, constants=constants)


@pytest.mark.parametrize("name", ["blake3", "rp64_256_v1", "rp64_256_v3"])
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


# ---- Kernels without a hash, examples -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", HASHES)
@pytest.mark.parametrize("levels", [10, 4, 1])
def test_paths(runner, name, levels):
    nodes = np.array(witness.tree(name, TREE_LEAVES))
    indices = np.array([0, 1, 2, 511, 512, 777, TREE_LEAVES - 1, 777, TREE_LEAVES, 2**64 - 1], u64)
    out = blank(len(indices) * levels + 3, nodes.dtype)
    args = (nodes, u64(0), u64(TREE_LEAVES), u64(TREE_LEAVES), u32(levels), indices, u64(len(indices)), out)
    runner.launch("gather_paths", None, runner.groups(len(indices) * levels, {}), *args)
    assert untouched(out[len(indices) * levels :])
    paths = out[: len(indices) * levels].reshape(len(indices), levels, -1)
    assert not paths[-2:].any()
    for index, path in zip(map(int, indices[:-2]), paths):
        node = nodes[TREE_LEAVES + index].tobytes()
        for level, sibling in enumerate(path):
            pair = (sibling.tobytes(), node) if index >> level & 1 else (node, sibling.tobytes())
            node = witness.merge(name, *pair)
        assert node == nodes[(TREE_LEAVES + index) >> levels].tobytes()


def test_paths_in_trees_of_any_count(runner):
    """Siblings that are not there are zeros, and nothing behind the last leaf is read."""
    for leaves in (1, 2, 3, 5, 6, 37, 64):
        levels = (leaves - 1).bit_length()
        first = 1 << levels
        nodes = random_words("blake3", 8 * (3 + first + leaves), seed=leaves).reshape(-1, 8)
        indices = np.array([*range(leaves), leaves], u64)
        out = blank(len(indices) * levels + 1, u32)
        args = (nodes, u64(3), u64(first), u64(leaves), u32(levels), indices, u64(len(indices)), out)
        if levels:
            runner.launch("gather_paths", None, runner.groups(len(indices) * levels, {}), *args)
        expected = np.zeros((len(indices) * levels, 8), u32)
        for index in range(leaves):
            for level in range(levels):
                sibling = index >> level ^ 1
                if sibling < -(-leaves // 2**level):
                    expected[index * levels + level] = nodes[3 + (first >> level) + sibling]
        assert (out[:-1] == expected).all()
        assert untouched(out[-1:])


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


def test_words_that_are_no_elements_are_found(runner):
    edges = np.array([0, 1, 2**32, witness.P - 1, witness.P, witness.P + 1, 2**64 - 1], u64)
    for count in (0, 1, 9, 100):
        words = random_words("rp64_256_v3", 103, seed=count)
        for place in (0, 2, 3, 3 + count // 2, 3 + count - 1, 3 + count):
            for edge in edges:
                given, flag = words.copy(), np.array([7, 7], u32)
                given[min(place, 102)] = edge
                runner.launch("check_words", None, runner.groups(count, {}) + 1, given, u64(3), u64(count), flag)
                bad = bool((given[3 : 3 + count] >= witness.P).any())
                assert flag.tolist() == [1 if bad else 7, 7]


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
        runner.device.compile(source_text.readme_example("cpp"))  # a static_assert
        return
    options = f"{CL_OPTIONS} -I {source_text.INCLUDE}"
    program = runner.device.build(source_text.readme_example("opencl"), options)
    nodes = np.array([[1, 2, 3, 4], [5, 6, 7, 8]], u64)
    expected = nodes.tolist()
    for _ in range(3):
        expected = [witness.rescue_hash_elements("rp64_256_v3", node + node) for node in expected]
    runner.device.launch(program, "chain", 2, 1, nodes, u32(3))
    assert nodes.tolist() == expected

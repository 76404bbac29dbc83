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
from witness import KEYED_HASH, ROOT_FLAG, random_words, words_of

HASHES = list(source_text.hashes())
FIELD_HASHES = [name for name in HASHES if name != "blake3"]
ARCHITECTURES = ["sm_75", "sm_80", "sm_90", "sm_100"]
CL_OPTIONS = "-cl-std=CL1.2 -Werror"
TREE_LEAVES = 2**10
CANARY = 0xA5

u32, u64 = np.uint32, np.uint64


def entry_text(*lines):
    return "".join(lines) + source_text.flatten(source_text.CORE / "entry.h")


def kernels_of(name):
    """Names of the entry points in a program of one hash."""
    bodies = ["merge_level", "merge_subtree", "hash_rows"]
    if name == "blake3":
        bodies += ["hash_chunks", "hash_parents"]
    return {f"mkz_{body}_{name}" for body in bodies} | {"mkz_gather_paths"}


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


@pytest.fixture(scope="session")
def machine_code(nvrtc):
    """(architecture, hash) -> future of (cubin, log, seconds); all processors compile."""
    include = '#include "merklize/core/entry.h"\n'
    options = [f"--include-path={source_text.INCLUDE}"]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        yield {
            (arch, name): pool.submit(nvrtc.compile, source_text.select(name) + include, arch, options)
            for arch in ARCHITECTURES
            for name in HASHES
        }


@pytest.mark.parametrize("name", HASHES)
@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_nvrtc_makes_machine_code(machine_code, nvrtc, arch, name):
    cubin, log, seconds = machine_code[arch, name].result()
    facts = kernel_facts(log)
    print(f"\n{nvrtc.version}, {arch}, {name}: {len(cubin)} bytes in {seconds:.1f} s")
    for kernel, fact in sorted(facts.items()):
        print(f"  {kernel}: {fact['registers']} registers, {fact['stack']} bytes of stack, {fact['spills']} of spills")
    assert cubin[:4] == b"\x7fELF"
    assert set(facts) == kernels_of(name)
    assert all(fact["spills"] == 0 for fact in facts.values())
    if name == "blake3":
        # A stack would mean that a message word is picked at run time.
        assert all(fact["stack"] == 0 for fact in facts.values())


@pytest.mark.parametrize("align", [4, 1])
def test_nvrtc_takes_the_variants_of_a_program(nvrtc, align):
    text = entry_text(source_text.select("blake3"))
    _, log, _ = nvrtc.compile(text, "sm_90", [f"-DMKZ_ALIGN={align}", "-DMKZ_GROUP_SIZE=256"])
    facts = kernel_facts(log)
    assert set(facts) == kernels_of("blake3")
    assert all(fact["spills"] == fact["stack"] == 0 for fact in facts.values())


def test_nvrtc_compiles_the_example_of_the_readme(nvrtc):
    options = [f"--include-path={source_text.INCLUDE}"]
    _, log, _ = nvrtc.compile(source_text.readme_example("cuda"), "sm_90", options)
    assert set(kernel_facts(log)) == {"label"}


# ---- OpenCL C 1.2 and host C++: every kernel runs -------------------------------------------------------------------


class Runner:
    """A device with the programs built on it: one of all hashes, and one for each variant."""

    def __init__(self, device):
        self.device, self.programs = device, {}

    def launch(self, kernel, name, items, group, *args, lines=""):
        """lines  the #define lines of a variant"""
        if lines not in self.programs:
            self.programs[lines] = self.device.build(entry_text(lines), CL_OPTIONS)
        entry = f"mkz_{kernel}_{name}" if name else f"mkz_{kernel}"
        self.device.launch(self.programs[lines], entry, items, group, *args)


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


@pytest.mark.parametrize("name", HASHES)
def test_merges_of_vectors(runner, name):
    dtype, words = words_of(name)
    if name == "blake3":
        pairs = random_words(name, 16 * 50, seed=3)
        expected = [np.frombuffer(blake3.blake3(pair.tobytes()).digest(), dtype) for pair in pairs.reshape(-1, 16)]
    else:
        vectors = witness.rescue_vectors(name, "merge")
        pairs = np.array([elements for elements, _ in vectors], dtype).ravel()
        expected = [np.array(digest, dtype) for _, digest in vectors]
    count = len(expected)
    # The pairs begin three nodes into their buffer, the results two nodes into theirs; one launch is rounded up.
    given = np.concatenate([blank(3, dtype).ravel(), pairs]).reshape(-1, words)
    for n in (1, count - 1, count):
        out = blank(count + 16, dtype)
        runner.launch("merge_level", name, n, 8, given, u64(3), out, u64(2), u64(n))
        assert (out[2 : 2 + n] == expected[:n]).all()
        assert untouched(out[:2])
        assert untouched(out[2 + n :])


@pytest.mark.parametrize("name", HASHES)
def test_tree_level_by_level(runner, name):
    expected = witness.tree(name, TREE_LEAVES)
    nodes = np.array(expected)
    nodes[:TREE_LEAVES] = 0
    width = TREE_LEAVES // 2
    while width:
        runner.launch("merge_level", name, width, 8, nodes, u64(2 * width), nodes, u64(width), u64(width))
        width //= 2
    assert (nodes == expected).all()


# Groups smaller than, as large as and larger than the first level's work, and one whose size is no power of two.
@pytest.mark.parametrize(("levels", "group"), [([5, 5], 16), ([4, 1, 5], 16), ([10], 7), ([3, 7], 16)], ids=str)
@pytest.mark.parametrize("name", HASHES)
def test_tree_by_subtrees(runner, name, levels, group):
    expected = witness.tree(name, TREE_LEAVES)
    nodes = np.array(expected)
    nodes[:TREE_LEAVES] = 0
    width = TREE_LEAVES
    for step in levels:
        items = (width >> step) * group
        args = (nodes, u64(width), nodes, u64(width // 2), u64(width), u32(step))
        runner.launch("merge_subtree", name, items, group, *args)
        width >>= step
    assert width == 1
    assert (nodes == expected).all()


@pytest.mark.parametrize("name", HASHES)
def test_part_of_a_level_by_subtrees_from_a_separate_buffer(runner, name):
    dtype, _ = words_of(name)
    expected = witness.tree(name, TREE_LEAVES)
    first, count, levels = 192, 64, 4
    leaves = np.array(expected[TREE_LEAVES + first - 5 : TREE_LEAVES + first + count])
    nodes = blank(2 * TREE_LEAVES, dtype)
    out = (TREE_LEAVES + first) // 2
    # Two groups too many, which must do nothing.
    items = ((count >> levels) + 2) * 16
    runner.launch("merge_subtree", name, items, 16, leaves, u64(5), nodes, u64(out), u64(count), u32(levels))
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
        args = (changed_nodes, u64(leaves), changed_nodes, u64(leaves // 2), u64(leaves), u32(5))
        runner.launch("merge_subtree", name, 16, 16, *args)
        roots.add(changed_nodes[1].tobytes())
    assert len(roots) == leaves + 1


def rows_by(runner, name, rows, layout):
    """Digests of rows [count, words], given row by row or column by column, some words into the buffer."""
    dtype, _ = words_of(name)
    count, words = rows.shape
    matrix = rows if layout == "row-major" else rows.T
    data = np.concatenate([np.full(3, 7, dtype), matrix.ravel(), np.full(1, 7, dtype)])
    strides = (words, 1) if layout == "row-major" else (1, count)
    out = blank(count + 9, dtype)
    args = (data, u64(3), u64(strides[0]), u64(strides[1]), u32(words), out, u64(1), u64(count))
    runner.launch("hash_rows", name, count, 8, *args)
    assert untouched(out[:1])
    assert untouched(out[count + 1 :])
    return out[1 : count + 1]


@pytest.mark.parametrize("layout", ["row-major", "column-major"])
def test_rows_of_bytes(runner, layout):
    for words in (0, 1, 2, 15, 16, 17, 31, 32, 33, 255, 256):
        rows = random_words("blake3", 11 * words, seed=words).reshape(11, words)
        digests = rows_by(runner, "blake3", rows, layout)
        assert [digest.tobytes() for digest in digests] == [blake3.blake3(row.tobytes()).digest() for row in rows]


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


def digest_by(runner, data, key=witness.IV, flags=0, *, offset=0, lines=""):
    """BLAKE3 of data as a library would launch it, one kernel a level."""
    key = struct.pack("<8I", *key)
    chunks = max(1, -(-len(data) // 1024))
    given = np.frombuffer(bytearray(b"?" * offset) + data + b"?", np.uint8)
    out = blank(chunks + 9, u32)
    root = ROOT_FLAG if chunks == 1 else 0
    args = (given, u64(offset), u64(len(data)), out, u64(0), key, u32(flags | root), u64(0))
    runner.launch("hash_chunks", "blake3", chunks, 8, *args, lines=lines)
    assert untouched(out[chunks:])
    while chunks > 1:
        parents = blank(chunks // 2 + 9, u32)
        flags_here = u32(flags | (ROOT_FLAG if chunks == 2 else 0))
        args = (out, u64(0), parents, u64(1), u64(chunks), key, flags_here)
        runner.launch("hash_parents", "blake3", -(-chunks // 2), 8, *args, lines=lines)
        chunks = -(-chunks // 2)
        assert untouched(parents[:1])
        assert untouched(parents[chunks + 1 :])
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


def test_digests_of_input_inside_a_buffer(runner):
    for length in (5, 1024, 5000):
        data = np.random.default_rng(length).bytes(length)
        assert digest_by(runner, data, offset=48) == blake3.blake3(data).digest()


@pytest.mark.parametrize("counter", [0, 5, 2**32 - 1, 2**32 + 5, 2**53 + 2**32 - 1])
def test_chunks_far_into_an_input(runner, counter):
    data, key = np.random.default_rng(9).bytes(2 * 1024 + 100), tuple(range(8))
    given, out = np.frombuffer(bytearray(data), np.uint8), blank(4, u32)
    args = (given, u64(0), u64(len(data)), out, u64(1), struct.pack("<8I", *key), u32(KEYED_HASH), u64(counter))
    runner.launch("hash_chunks", "blake3", 3, 8, *args)
    expected = [witness.blake3_chunk(data[1024 * k :][:1024], counter + k, key, KEYED_HASH) for k in range(3)]
    assert out[1:].tolist() == expected


# ---- Paths, variants of programs, examples --------------------------------------------------------------------------


@pytest.mark.parametrize("name", HASHES)
@pytest.mark.parametrize("levels", [10, 4, 1])
def test_paths(runner, name, levels):
    nodes = np.array(witness.tree(name, TREE_LEAVES))
    indices = np.array([0, 1, 2, 511, 512, 777, TREE_LEAVES - 1, 777, TREE_LEAVES, 2**64 - 1], u64)
    out = blank(len(indices) * levels + 3, nodes.dtype)
    args = (nodes, u64(TREE_LEAVES), u32(levels), indices, u64(len(indices)), out)
    runner.launch("gather_paths", None, len(indices) * levels, 8, *args)
    assert untouched(out[len(indices) * levels :])
    paths = out[: len(indices) * levels].reshape(len(indices), levels, -1)
    assert not paths[-2:].any()
    for index, path in zip(map(int, indices[:-2]), paths):
        node = nodes[TREE_LEAVES + index].tobytes()
        for level, sibling in enumerate(path):
            pair = (sibling.tobytes(), node) if index >> level & 1 else (node, sibling.tobytes())
            node = witness.merge(name, *pair)
        assert node == nodes[(TREE_LEAVES + index) >> levels].tobytes()


@pytest.mark.parametrize(
    ("align", "offset", "more"), [(4, 20, "#define MKZ_GROUP_SIZE 8\n"), (1, 3, "")], ids=["align-4-group-8", "align-1"]
)
def test_variants_of_a_program_of_one_hash(runner, align, offset, more):
    lines = f"#define MKZ_ALIGN {align}\n{more}{source_text.select('blake3')}"
    for length in (5, 1024, 5000):
        data = np.random.default_rng(length).bytes(length)
        assert digest_by(runner, data, offset=offset, lines=lines) == blake3.blake3(data).digest()
    expected = witness.tree("blake3", TREE_LEAVES)
    nodes = np.array(expected)
    nodes[:TREE_LEAVES] = 0
    args = (nodes, u64(TREE_LEAVES), nodes, u64(TREE_LEAVES // 2), u64(TREE_LEAVES), u32(10))
    runner.launch("merge_subtree", "blake3", 8, 8, *args, lines=lines)
    assert (nodes == expected).all()


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

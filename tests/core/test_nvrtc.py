"""The core compiled for NVIDIA GPUs: machine code for every architecture, without spills."""

import os
from concurrent.futures import ThreadPoolExecutor

import pytest

import source_text
from conftest import open_or_skip
from launches import defines, entry_text
from runtimes import Nvrtc, kernel_facts

HASHES, PARTS = source_text.hashes(), source_text.parts()
ARCHITECTURES = ["sm_75", "sm_80", "sm_90", "sm_100"]
# Their kernels differ from another hash's by a few instructions, so one architecture is enough.
RELATIVES = {"sha256", "sha256_compress", "keccak256", "keccakf64", "sha3_256", "eidos", "eidos_v0", "rpo256", "rpx256"}
RELATIVES |= {"rpo256_r1", "rpo256_r2", "rpx256_r2", "rpjive64_256", "blake3_parent", "sha256_trunc254"}
RELATIVES |= {name for name in HASHES if name.startswith(("poseidon2_", "poseidon_"))}
# One hash of each kind of arithmetic is compiled for all architectures, the others for the oldest and for today's.
ON_ALL = ("blake3", "rp64_256_v3")
PROGRAMS = [
    (arch, name)
    for name in HASHES
    for arch in ARCHITECTURES
    if arch == "sm_90" or name in ON_ALL or (name not in RELATIVES and arch == "sm_75")
]

DATA_KERNELS = {
    "mkz_gather_nodes",
    "mkz_scatter_nodes",
    "mkz_order_parents",
    "mkz_gather_strided",
    "mkz_pack_matrix",
    "mkz_check_matrix",
    "mkz_check_words32",
    "mkz_check_words64",
}


def kernels_of(name):
    """Names of the entry points in a program of one hash."""
    bodies = ["merge_level", "merge_pairs", "merge_subtree", "merge_at", "merge_edge", "merge_keep", "hash_rows"]
    if name.startswith("blake3"):
        bodies += ["hash_chunks", "hash_parents", "hash_each", "hash_each_parents", "hash_each_tower"]
    return {f"mkz_{body}_{name}" for body in bodies} | DATA_KERNELS


# All of these tests share machine_code, so one worker of pytest-xdist runs them.
pytestmark = pytest.mark.xdist_group("nvrtc")


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
    "blake2s": [{"keyed": 1}, {"keyed": 1, "align": 1}],
    "sha256_rfc6962": [{"group_size": 256}, {"lanes": 2}, {"align": 1}, {"nvidia_ptx": 0}],
    "sha256d": [{"group_size": 256}],
    "keccak256_sorted": [{"group_size": 256}, {"align": 1}, {"nvidia_ptx": 0}],
    "rp64_256_v3": [
        {"rp_cells": 6, "min_groups": 4},
        {"constants": 1},
        {"constants": 3},
        {"constants": 4, "group_size": 64},
        {"group_size": 512},
        {"nvidia_ptx": 0, "rp_cells": 12},
    ],
    "rpo256": [{"rp_cells": 6, "min_groups": 4}],
    "rpjive64_256": [{"rp_cells": 6, "min_groups": 4}],
    "poseidon2_goldilocks_12": [{"min_groups": 4}],
    "poseidon2_babybear_24": [{"min_groups": 4}],
    "rp64_256_v1": [{"rp_cells": 6, "min_groups": 4}, {"constants": 1}, {"constants": 3}, {"constants": 4}],
}
POLICY_ARCHITECTURE = "sm_90"


@pytest.fixture(scope="session")
def machine_code(nvrtc):
    """(architecture, hash, lines) -> future of (cubin, log, seconds); all processors compile."""
    include = '#include "merklize/core/entry.h"\n'
    options = [f"--include-path={source_text.INCLUDE}"]
    wanted = [(arch, name, "") for arch, name in PROGRAMS]
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
    # With a stack, an array would be indexed at run time.
    assert {kernel for kernel, fact in facts.items() if fact["spills"] or fact["stack"]} == set()


@pytest.mark.parametrize(("arch", "name"), PROGRAMS)
def test_nvrtc_makes_machine_code(machine_code, nvrtc, arch, name):
    check_machine_code(nvrtc, arch, name, "", machine_code[arch, name, ""].result())


@pytest.mark.parametrize(("name", "policy"), [(n, p) for n in POLICIES for p in POLICIES[n]], ids=str)
def test_nvrtc_makes_machine_code_of_policies(machine_code, nvrtc, name, policy):
    lines = defines(**policy)
    compiled = machine_code[POLICY_ARCHITECTURE, name, lines].result()
    check_machine_code(nvrtc, POLICY_ARCHITECTURE, name, lines, compiled)


@pytest.mark.parametrize("name", PARTS)
def test_nvrtc_makes_rows_of_parts(nvrtc, name):
    """Nothing launches merges of a unit that is only a part of hashes."""
    _, log, _ = nvrtc.compile("#define MKZ_ONLY 8\n" + entry_text(name), "sm_90")
    assert f"mkz_hash_rows_{name}" in kernel_facts(log)


def test_nvrtc_takes_the_core_as_one_text(nvrtc):
    _, log, _ = nvrtc.compile(entry_text("blake3"), "sm_90")
    assert set(kernel_facts(log)) == kernels_of("blake3")


def test_nvrtc_takes_a_program_of_no_hash(nvrtc):
    _, log, _ = nvrtc.compile(entry_text(None), "sm_90")
    assert set(kernel_facts(log)) == DATA_KERNELS


# Of extensions, five of the library's groups fit on a multiprocessor of sm_90.
@pytest.mark.parametrize("arch", ARCHITECTURES)
@pytest.mark.parametrize(
    ("only", "policy", "kernels", "registers"),
    [
        (2048, {"group_size": 128}, ["extend"], 96),
        (4096, {"group_size": 128}, ["weighted_sums"], 128),
        # Programs of 16, 32 and 64 slots.
        *((32768, {"group_size": n, "lanes": 2}, ["constraint_cells", "constraints"], 128) for n in (128, 64, 32)),
    ],
    ids=str,
)
def test_nvrtc_makes_kernels_of_fields(nvrtc, only, policy, kernels, registers, arch):
    _, log, _ = nvrtc.compile(defines(only=only, **policy) + entry_text(None), arch)
    facts = kernel_facts(log)
    print(facts)
    assert set(facts) == {f"mkz_{kernel}{bits}" for kernel in kernels for bits in (32, 64)}
    assert all(fact["stack"] == fact["spills"] == 0 and fact["registers"] <= registers for fact in facts.values())


@pytest.mark.parametrize("arch", ARCHITECTURES)
@pytest.mark.parametrize("policy", [{}, {"align": 1}, {"lanes": 2}, {"group_size": 1024}], ids=str)
def test_nvrtc_makes_kernels_of_tiles(nvrtc, policy, arch):
    _, log, _ = nvrtc.compile(defines(only=8192, **{"group_size": 256, **policy}) + entry_text("blake3"), arch)
    facts = kernel_facts(log)
    print(facts)
    assert set(facts) == {"mkz_hash_tiles_blake3", "mkz_merge_rows_blake3"}
    assert all(fact["stack"] == fact["spills"] == 0 for fact in facts.values())


# Of leaves, 28 of the library's groups of 32 fit on a multiprocessor of sm_90.
@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_nvrtc_makes_kernels_of_xmss(nvrtc, arch):
    _, log, _ = nvrtc.compile(defines(only=16384, group_size=32) + entry_text("blake2s"), arch)
    facts = kernel_facts(log)
    print(facts)
    most = 96 if arch == "sm_100" else 72
    assert set(facts) == {"mkz_xmss_leaves_blake2s", "mkz_xmss_level_blake2s"}
    assert all(fact["stack"] == fact["spills"] == 0 and fact["registers"] <= most for fact in facts.values())


def test_nvrtc_compiles_the_example_of_the_page(nvrtc):
    options = [f"--include-path={source_text.INCLUDE}"]
    _, log, _ = nvrtc.compile(source_text.example(source_text.PAGE, "cuda"), "sm_90", options)
    assert set(kernel_facts(log)) == {"label"}

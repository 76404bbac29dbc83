#!/usr/bin/env python3
"""Hashes and formats that other systems verify, on one core, in turns with the packages that those systems use.

    python bench/formats.py --peers PEERS [--node-modules FOLDER] [--devices opencl:0,sycl:0] [--rounds 5]
                            [--only TEXT] [--quick]

--peers         the program of bench/peers, built for this machine with the features formats and miden
--node-modules  a folder with the npm packages @openzeppelin/merkle-tree and @filoz/synapse-core
--devices       devices that are the CPU by OpenCL or SYCL: compared with the CPU backend, both on all cores

Times are those of the processors, which hold on a machine that others use, too. Those of programs and of merklize are
medians of five calls after one that is not counted. Roots and digests of both sides must be equal.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import time

import numpy as np
from run import in_turns, program, write

import merklize
from merklize import formats

PLONKY3 = (
    "poseidon2_goldilocks_8",
    "poseidon2_goldilocks_12",
    "poseidon2_babybear_16",
    "poseidon2_babybear_24",
    "poseidon2_koalabear_16",
    "poseidon2_koalabear_24",
)
MODULUS = {"goldilocks": 2**64 - 2**32 + 1, "babybear": 0x78000001, "koalabear": 0x7F000001}
ISA = next(device.isa for device in merklize.devices() if device.backend == "cpu")


def words(text, count, hash):
    """Input of both sides: BLAKE3's output for a text; for field hashes its words, reduced."""
    field = next((name for name in MODULUS if name in hash), "goldilocks" if hash in ("rpo256", "rpx256") else None)
    data = np.frombuffer(merklize.hash(text.encode(), length=count), np.uint8)
    if field is None:
        return data
    data = data.view(np.uint64 if field == "goldilocks" else np.uint32)
    return data % data.dtype.type(MODULUS[field])


def call(function, peer="merklize", repeats=5):
    """Median seconds of the processors in one call of a function, which returns a digest."""

    def run():
        used = []
        for _ in range(repeats + 1):
            start = time.process_time()
            result = function()
            used.append(time.process_time() - start)
        return statistics.median(used[1:]), {"peer": peer, "isa": ISA, "result": bytes(result).hex()}

    return run


def tree(hash, log2_leaves):
    leaves = words("leaves", 32 << log2_leaves, hash).view(np.uint8).reshape(-1, 32)
    nodes = np.concatenate([leaves, leaves])

    def build():
        merklize.build_tree(nodes, hash, device="cpu", threads=1)
        return nodes[1]

    return call(build)


def rows(hash, log2_rows):
    size = 4 if "bear" in hash else 8
    given = words("rows", 256 * size << log2_rows, hash).reshape(-1, 256)

    def run():
        return np.ascontiguousarray(merklize.hash_leaves(given, hash, device="cpu", threads=1)[-1]).view(np.uint8)

    return call(run)


# Programs for Node: each defines make(), which returns the root of the bytes `given`; TIMED runs one.
OPENZEPPELIN = """
const { SimpleMerkleTree, StandardMerkleTree } = require("@openzeppelin/merkle-tree");
const { values, types } = JSON.parse(given);
const make = () => (types ? StandardMerkleTree.of(values, types) : SimpleMerkleTree.of(values)).root.slice(2);
"""
SYNAPSE = """
const { calculate } = await import(require.resolve("@filoz/synapse-core/piece"));
const make = () => Buffer.from(calculate(new Uint8Array(given)).toString()).toString("hex");
"""
TIMED = """
(async () => {
    const given = require("fs").readFileSync(0);
    %s
    const before = process.cpuUsage();
    const root = make();
    const { user, system } = process.cpuUsage(before);
    console.log(JSON.stringify({ seconds: (user + system) / 1e6, root }));
})();
"""


def node(folder, package, program, given):
    """A run of a program for Node on these bytes."""
    version = json.loads((folder / package / "package.json").read_text())["version"]
    words = ["node", "-e", TIMED % program]

    def run():
        environment = {**os.environ, "NODE_PATH": str(folder)}
        done = subprocess.run(words, input=given, env=environment, capture_output=True, check=True)
        found = json.loads(done.stdout)
        return found["seconds"], {"peer": package, "version": version, "root": found["root"]}

    return run


def openzeppelin(folder, values, types=None):
    given = json.dumps({"values": values, "types": types}).encode()
    return node(folder, "@openzeppelin/merkle-tree", OPENZEPPELIN, given)


def pairs(args):
    less = 4 if args.quick else 0

    def peer(job, log2, *flags):
        return program(args.peers, job, "--log2-leaves", log2, *flags, "--repeats", 5, clock="cpu_seconds")

    for hash in PLONKY3:
        named = ("--hash", hash)
        if not hash.endswith(("_12", "_24")):  # whose nodes are those of the narrower one
            log2 = 14 - less
            ours = tree(hash, log2)
            yield f"{hash}, tree of 2^{log2} leaves", 1 << log2, "leaves", 1, ours, peer("plonky3-tree", log2, *named)
            bare = peer("plonky3-permutations", log2, *named)
            yield f"{hash}, the tree beside bare packed permutations", 1 << log2, "leaves", 1, ours, bare
        log2 = 9 - less
        theirs = peer("plonky3-rows", log2, *named)
        yield f"{hash}, digests of 2^{log2} rows of 256 words", 1 << log2, "rows", 1, rows(hash, log2), theirs
    log2 = 16 - less
    job = "keccakf64, the tree beside bare packed permutations"
    yield job, 1 << log2, "leaves", 1, tree("keccakf64", log2), peer("plonky3-keccak", log2)
    for hash, job, log2, flags in (
        ("rpo256", "rescue-tree", 13, ("--hash", "rpo256")),
        ("rpx256", "rescue-tree", 13, ("--hash", "rpx256")),
        ("sha256", "openssl-tree", 16, ()),
        ("keccak256", "keccak-tree", 16, ()),
    ):
        log2 -= less
        ours, theirs = tree(hash, log2), peer(job, log2, *flags)
        yield f"{hash}, tree of 2^{log2} leaves", 1 << log2, "leaves", 1, ours, theirs
    if args.node_modules:
        n = args.values >> 2 * less
        types = ["address", "uint256"]
        values = [[f"0x{0x1111 * (k + 1):040x}", str(10**9 * k)] for k in range(n)]
        ours = call(lambda: formats.openzeppelin(values, types, device="cpu", threads=1).root)
        theirs = openzeppelin(args.node_modules, values, types)
        yield f"OpenZeppelin standard tree of {n} values", n, "values", 1, ours, theirs
        leaves = words("leaves", 32 * n, "keccak256").reshape(-1, 32)
        shown = ["0x" + leaf.tobytes().hex() for leaf in leaves]
        ours = call(lambda: formats.openzeppelin_simple(leaves, device="cpu", threads=1).root)
        yield f"OpenZeppelin simple tree of {n} leaves", n, "leaves", 1, ours, openzeppelin(args.node_modules, shown)
        data = words("piece", 1 << 26 - less, "blake3").tobytes()
        ours = call(lambda: formats.piece_cid(data, threads=1).v2.encode())
        theirs = node(args.node_modules, "@filoz/synapse-core", SYNAPSE, data)
        yield "PieceCID", len(data), "bytes", 1, ours, theirs
    for device in filter(None, args.devices.split(",")):
        threads, api = os.cpu_count(), {"opencl": "OpenCL", "sycl": "SYCL"}[device.partition(":")[0]]
        for hash, log2 in (
            ("poseidon2_goldilocks_8", 16),
            ("poseidon2_koalabear_16", 17),
            ("rpo256", 14),
            ("sha256", 18),
            ("keccak256", 18),
            ("eidos", 18),
            ("blake3", 18),
        ):
            log2 -= less
            leaves = words("leaves", 32 << log2, "goldilocks" if hash == "eidos" else hash).view(np.uint8)
            if hash == "eidos":
                leaves = (leaves.view(np.uint64) >> 1).view(np.uint8)
            leaves = leaves.reshape(-1, 32)

            def root_on(device, leaves=leaves, hash=hash):
                return lambda: merklize.merkle_root(leaves, hash, device=device)

            ours, theirs = call(root_on(device)), call(root_on("cpu"), "the CPU backend")
            yield f"{api}: {hash}, root of 2^{log2} leaves", 1 << log2, "leaves", threads, ours, theirs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", type=pathlib.Path, required=True)
    parser.add_argument("--node-modules", type=pathlib.Path)
    parser.add_argument("--values", type=int, default=100_000, help="of OpenZeppelin's trees")
    parser.add_argument("--devices", default="")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", help="only jobs with this text in their name")
    parser.add_argument("--quick", action="store_true", help="small sizes, to check that everything runs")
    parser.add_argument("--out", type=pathlib.Path)
    args = parser.parse_args()
    rows = in_turns(pairs(args), args.rounds, args.only)
    load = " ".join(f"{value:.1f}" for value in os.getloadavg())
    write(rows, "formats-cpu", args.out, note=f"times of the processors; load of the machine at the end: {load}")


if __name__ == "__main__":
    main()

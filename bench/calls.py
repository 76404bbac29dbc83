#!/usr/bin/env python3
"""Measures calls from Python on the CPU, each in turns with what it is compared with, in one process.

    python bench/calls.py [--threads 1,2] [--rounds 15] [--only SUBSTRING] [--folder FOLDER] [--note TEXT] [--out FILE]

Rows, with the ratio of the peer's time to ours, turn by turn (above 1: we are faster):

- MerkleTree() of 2^20 digests against build_tree() in place, the bound, since it makes the same nodes: in nodes that
  are on 64 bytes, and in nodes that are on 16, as those of NumPy are;
- build_tree() in place against PyPI blake3 of as many bytes as its merges read;
- a Hasher fed 1 MiB at a time (by several threads also 64 and 256 KiB and 4 MiB), and hash_file() of 1 GiB in the page
  cache, against PyPI blake3;
- hash() of 64 bytes to 1 MiB by one thread, of 64 bytes of each type of buffer, and of 64 KiB to 64 MiB by all, against
  PyPI blake3;
- merge() of a pair of arrays against hash() of its 64 bytes, which computes as much;
- 1,000 proofs by MerkleTree.prove() against NumPy's copy of their nodes.

PyPI blake3 has two ways: one thread, or all (AUTO). With N threads it gets AUTO, and the process N processors. Its pool
keeps the count that it first had, so a run takes one count above 1.
"""

import argparse
import array
import contextlib
import functools
import mmap
import os
import pathlib
import tempfile
import time

import blake3
import numpy as np
from run import in_turns, write

import merklize

MIB = 1 << 20
ISA = merklize.devices()[0].isa


def call(function, calls, peer="merklize"):
    """Seconds of one call, from so many calls."""

    def run():
        begin = time.perf_counter()
        for _ in range(calls):
            function()
        version = blake3.__version__ if peer.startswith("PyPI") else ""
        return (time.perf_counter() - begin) / calls, {"peer": peer, "version": version, "isa": ISA}

    return run


def official(threads):
    return functools.partial(blake3.blake3, max_threads=1 if threads == 1 else blake3.blake3.AUTO)


def tree_jobs(threads):
    n = 1 << 20
    leaves = np.random.default_rng(1).integers(0, 256, (n, 32), dtype=np.uint8)

    def kept():
        return merklize.MerkleTree(leaves, threads=threads)

    memory = np.zeros(64 * n + 128, dtype=np.uint8)
    for places in (64, 16):
        begin = (-memory.ctypes.data) % 64 + places % 64
        nodes = memory[begin : begin + 64 * n].reshape(2 * n, 32)
        nodes[n:] = leaves
        in_place = functools.partial(merklize.build_tree, nodes, threads=threads)
        in_place()
        assert kept().root == nodes[1].tobytes()
        yield "MerkleTree() of 2^20 leaves", f"build_tree() in place, on {places} bytes", 32 * n, kept, in_place, 1
        job = f"build_tree() of 2^20 leaves in place, on {places} bytes"
        yield job, "PyPI blake3, 64 MiB", 64 * n, in_place, official_of(nodes.tobytes(), threads), 1


def official_of(data, threads):
    make = official(threads)
    return lambda: make(data).digest()


def hasher_jobs(threads):
    data = np.random.default_rng(2).bytes(256 * MIB)
    for size in (MIB,) if threads == 1 else (64 << 10, 256 << 10, MIB, 4 * MIB):
        pieces = [memoryview(data)[at : at + size] for at in range(0, len(data), size)]

        def fed(make, pieces=pieces):
            hasher = make()
            for piece in pieces:
                hasher.update(piece)
            return hasher.digest()

        ours = functools.partial(fed, functools.partial(merklize.Hasher, threads=threads))
        theirs = functools.partial(fed, official(threads))
        assert ours() == theirs()
        yield f"Hasher fed {shown(size)} at a time", "PyPI blake3", len(data), ours, theirs, 1


def file_jobs(threads, path):
    make = official(threads)

    def mapped():
        return make().update_mmap(path).digest()

    def read():
        """What a caller pays who may not map the file, since a file that gets shorter then ends the process: a copy."""
        hasher, piece = make(), memoryview(bytearray(MIB))
        with path.open("rb", buffering=0) as file:
            while count := file.readinto(piece):
                hasher.update(piece[:count])
        return hasher.digest()

    size = path.stat().st_size
    for name, options in (("hash_file()", {}), ("hash_file(mmap=True)", {"mmap": True})):
        ours = functools.partial(merklize.hash_file, path, threads=threads, **options)
        with contextlib.suppress(TypeError):
            assert ours() == mapped()
            yield f"{name} of {size / MIB:.0f} MiB", "PyPI blake3, update_mmap()", size, ours, mapped, 1
    whole = functools.partial(merklize.hash_file, path, threads=threads)
    yield f"hash_file() of {size / MIB:.0f} MiB", "PyPI blake3, fed 1 MiB at a time as read", size, whole, read, 1


def shown(size):
    return f"{size} bytes" if size < 1024 else f"{size >> 10} KiB" if size <= MIB // 2 else f"{size // MIB} MiB"


def digest_jobs(threads):
    middle = [kib << 10 for kib in (64, 128, 256, 512, 1024)]
    sizes = [64, 1024, 2048, 4096, 8192, *middle] if threads == 1 else [*middle, 2 * MIB, 4 * MIB, 16 * MIB, 64 * MIB]
    for size in sizes:
        data = np.random.default_rng(3).bytes(size)
        # Without options, as users call it: one thread hashes little data faster than an option is read. For several
        # threads the process has so many processors.
        options = {"threads": 1} if threads == 1 and size > 32 << 10 else {}
        ours = functools.partial(merklize.hash, data, **options)
        theirs = official_of(data, threads)
        assert ours() == theirs()
        yield f"hash() of {shown(size)}", "PyPI blake3", size, ours, theirs, max(1, min(10000, (16 << 20) // size))


def type_jobs():
    data = np.random.default_rng(7).bytes(64)
    mapped = mmap.mmap(-1, 64)
    mapped.write(data)
    slices = {
        "a memoryview's slice": memoryview(data * 2)[64:],
        "a bytearray": bytearray(data),
        "an mmap": mapped,
        "an array.array": array.array("B", data),
        "a NumPy array": np.frombuffer(data, np.uint8),
    }
    for kind, given in slices.items():
        ours, theirs = functools.partial(merklize.hash, given), official_of(given, 1)
        assert ours() == theirs()
        yield f"hash() of 64 bytes of {kind}", "PyPI blake3", 64, ours, theirs, 10000


def proof_jobs():
    left, right = np.random.default_rng(4).integers(0, 256, (2, 32), dtype=np.uint8)
    merged, pair = functools.partial(merklize.merge, left, right), left.tobytes() + right.tobytes()
    assert np.asarray(merged()).tobytes() == merklize.merge(left.tobytes(), right.tobytes())
    yield "merge() of a pair of arrays", "hash() of 64 bytes", 64, merged, functools.partial(merklize.hash, pair), 10000
    n, k = 1 << 20, 1000
    tree = merklize.MerkleTree(np.random.default_rng(5).integers(0, 256, (n, 32), dtype=np.uint8))
    indices = np.sort(np.random.default_rng(6).choice(n, k, replace=False)).tolist()
    siblings = np.array([[((n + i) >> level) ^ 1 for level in range(20)] for i in indices])
    nodes = np.asarray(tree.nodes)
    assert [proof.siblings[0] for proof in tree.prove(indices)[:9]] == [nodes[j[0]].tobytes() for j in siblings[:9]]
    proved, copied = functools.partial(tree.prove, indices), functools.partial(nodes.__getitem__, siblings)
    yield "1,000 proofs of 2^20 leaves", "NumPy's copy of their nodes", k * 20 * 32, proved, copied, 10


def jobs(threads, path):
    yield from tree_jobs(threads)
    yield from hasher_jobs(threads)
    yield from file_jobs(threads, path)
    yield from digest_jobs(threads)
    if threads == 1:
        yield from type_jobs()
        yield from proof_jobs()


def pairs(args, path):
    everywhere = sorted(os.sched_getaffinity(0))
    for threads in map(int, args.threads.split(",")):
        os.sched_setaffinity(0, everywhere if threads == 1 else everywhere[:threads])
        for job, peer, size, ours, theirs, calls in jobs(threads, path):
            yield job, size, "bytes", threads, call(ours, calls), call(theirs, calls, peer)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", default=f"1,{os.cpu_count()}")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", default="")
    parser.add_argument("--gib", type=float, default=1)
    parser.add_argument("--folder")
    parser.add_argument("--note", default="", help="of the build and of the machine")
    parser.add_argument("--out", type=pathlib.Path)
    args = parser.parse_args()
    if sum(count != "1" for count in args.threads.split(",")) > 1:
        parser.error("--threads: one count above 1 a run, because PyPI blake3 keeps the threads that it first made")
    with tempfile.TemporaryDirectory(dir=args.folder) as folder:
        path = pathlib.Path(folder) / "data"
        with open(path, "wb") as file:
            for k in range(int(args.gib * 16)):
                file.write(np.random.default_rng(k).bytes(64 * MIB))
        rows = in_turns(pairs(args, path), args.rounds, args.only)
    write(rows, "calls-cpu", args.out, note=args.note)


if __name__ == "__main__":
    main()

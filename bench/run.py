#!/usr/bin/env python3
"""Runs the benchmarks against the peers and writes one dated JSON file to bench/results.

Each row pairs a job of this library with the same job of a peer on the same data. The two alternate, round by round,
so that a machine whose speed drifts slows both. The ratio is the median over the rounds of peer time / our time (above
1: we are faster).

    python bench/run.py --bench BUILD/bench/merklize-bench --peers PEERS [--peers-other PEERS2] [--b3sum B3SUM]
                        [--threads 1,2] [--rounds 5] [--quick] [--only SUBSTRING]

--peers       the program of bench/peers, built for this machine
--peers-other a second build of it (for instance without target-cpu); each pair takes the faster of the two

The rows that feed a hasher from Python need the installed merklize package and PyPI blake3.
"""

import argparse
import datetime
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile
import time

import result_files
from result_files import RESULTS, ROOT


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()


def commit():
    """COMMIT names it where the sources are measured without their history (bench/headline.sh)."""
    if named := os.environ.get("COMMIT"):
        return named
    try:
        return subprocess.run(
            ["git", "-C", ROOT, "describe", "--always", "--dirty"], capture_output=True, text=True, check=True
        ).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def conditions():
    """The facts in a file of results: the day, the machine and the sources."""
    return {
        "date": datetime.date.today().isoformat(),
        "machine": processor(),
        "cpus": os.cpu_count(),
        "system": platform.platform(),
        "commit": commit(),
    }


def program(*command, clock="seconds"):
    """Median seconds of one call of a benchmark program, and its JSON row.

    clock  "seconds", or "cpu_seconds": of the process on processors
    """

    def run():
        out = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=True).stdout
        row = json.loads(out.strip().splitlines()[-1])
        return statistics.median(row[clock]), row

    return run


def fastest(runs):
    """The fastest of several builds of a peer."""

    def run():
        return min((r() for r in runs), key=lambda result: result[0])

    return run


def command(*words):
    """Wall time of a whole process."""

    def run():
        start = time.perf_counter()
        subprocess.run([str(w) for w in words], stdout=subprocess.DEVNULL, check=True)
        return time.perf_counter() - start, {"peer": pathlib.Path(words[0]).name, "job": "whole process"}

    return run


def in_python(peer, function):
    """Seconds of one call in this process; the function returns a digest to compare."""

    def run():
        start = time.perf_counter()
        result = function()
        return time.perf_counter() - start, {"peer": peer, "result": result}

    return run


def read_loop(make, path, piece):
    def run():
        hasher = make()
        buffer = bytearray(piece)
        view = memoryview(buffer)
        with open(path, "rb", buffering=0) as file:
            while count := file.readinto(buffer):
                hasher.update(view[:count])
        return hasher.hexdigest()

    return run


def through_pipe(path, consume):
    """Feeds a file through a pipe from another process, as in `cat FILE | program`."""

    def run():
        with subprocess.Popen(["cat", path], stdout=subprocess.PIPE) as source:
            return consume(source.stdout)

    return run


def pairs(args, folder):
    bench, quick = args.bench, args.quick
    peers = [p for p in (args.peers, args.peers_other) if p]
    repeats = "2" if quick else "5"

    def ours(job, *flags):
        return program(bench, job, "--repeats", repeats, *flags)

    def peer(*words):
        return fastest([program(p, *words, "--repeats", repeats) for p in peers])

    size = 1 << 26 if quick else 1 << 30
    for threads in args.threads:
        t = ("--threads", threads)
        yield (
            "digest of memory",
            size,
            "bytes",
            threads,
            ours("digest", "--bytes", size, *t),
            peer("digest", "--bytes", size, *t),
        )
        for k in (16,) if quick else (20, 22):
            leaves = ("--log2-leaves", k)
            job = f"blake3 tree of 2^{k} leaves"
            yield job, 1 << k, "leaves", threads, ours("tree", *leaves, *t), peer("hash-many-tree", *leaves, *t)
            winterfell = peer("winterfell-tree", "--hash", "blake3", *leaves, *t)
            yield job, 1 << k, "leaves", threads, ours("merkle-tree", *leaves, *t), winterfell
        leaves = ("--log2-leaves", 10 if quick else 16)
        n = 1 << leaves[1]
        winterfell = peer("winterfell-tree", "--hash", "rp64_256", *leaves, *t)
        yield (
            f"rp64_256_v3 tree of 2^{leaves[1]} leaves",
            n,
            "leaves",
            threads,
            ours("tree", "--hash", "rp64_256_v3", *leaves, *t),
            winterfell,
        )
    merges = 1 << 13
    for variant in ("v1", "v3"):
        mine = ours("tree", "--hash", f"rp64_256_{variant}", "--log2-leaves", 13)
        theirs = peer("rp64-merge", "--variant", variant, "--merges", merges)
        yield f"rp64_256_{variant} merges", merges, "merges", 1, mine, theirs

    big = folder / "big"
    with open(big, "wb") as file:
        for _ in range(max(1, size >> 26)):
            file.write(os.urandom(1 << 26))
    many = folder / "many"
    many.mkdir()
    n_files = 256 if quick else 4096
    for i in range(n_files):
        (many / f"{i:04d}").write_bytes(os.urandom(16384))
    if args.b3sum:
        for threads in args.threads:
            b3sum = command(args.b3sum, "--num-threads", threads, big)
            yield (
                "file in the page cache (peer: whole process)",
                size,
                "bytes",
                threads,
                ours("file", "--path", big, "--threads", threads),
                b3sum,
            )
            b3sum = command(args.b3sum, "--num-threads", threads, *sorted(many.iterdir()))
            yield (
                f"{n_files} files of 16 KiB (peer: whole process)",
                n_files,
                "files",
                threads,
                ours("files", "--path", many, "--threads", threads),
                b3sum,
            )
    try:
        import blake3

        import merklize
    except ImportError as error:
        print(f"skipped the rows that run in Python: {error}", file=sys.stderr)
        return
    threads = max(args.threads)
    imports = [command(sys.executable, "-c", f"import {name}") for name in ("merklize", "blake3")]
    yield "start-up: import of the package (both whole processes)", 1, "runs", 1, *imports

    def official():
        return blake3.blake3(max_threads=threads)

    def own():
        return merklize.Hasher(threads=threads)

    def official_pipe(stream):
        hasher = official()
        while piece := stream.read(1 << 16):
            hasher.update(piece)
        return hasher.hexdigest()

    for kib in (64, 1024):
        job = f"read loop of {kib} KiB pieces against hash_file of a descriptor"
        peer_run = in_python("PyPI blake3", read_loop(official, big, kib << 10))
        yield job, size, "bytes", threads, in_python("merklize", lambda: _hash_file(merklize, big, threads)), peer_run
        job = f"read loop of {kib} KiB pieces, both hashers fed the same way"
        yield job, size, "bytes", threads, in_python("merklize", read_loop(own, big, kib << 10)), peer_run
    mine = in_python("merklize", through_pipe(big, lambda s: merklize.hash_file(s, threads=threads).hex()))
    yield "pipe", size, "bytes", threads, mine, in_python("PyPI blake3", through_pipe(big, official_pipe))


def _hash_file(merklize, path, threads):
    with open(path, "rb", buffering=0) as file:
        return merklize.hash_file(file, threads=threads).hex()


def require_same_result(job, ours, theirs):
    if "merges" in job or "digest of memory" in job:  # each program makes its own data
        return
    for key in ("result", "root"):
        if ours.get("result") and theirs.get(key) and ours["result"] != theirs[key]:
            sys.exit(f"{job}: results differ: {ours['result']} and {theirs[key]}")


def in_turns(pairs, rounds, only=""):
    """Rows of pairs of runs that alternate. Only jobs with the text `only` in their name."""
    rows = []
    for job, n, unit, threads, ours, theirs in pairs:
        if only not in job:
            continue
        samples = [(ours(), theirs()) for _ in range(rounds)]
        our_row, peer_row = samples[0][0][1], samples[0][1][1]
        require_same_result(job, our_row, peer_row)
        our_s = statistics.median(s[0][0] for s in samples)
        peer_s = statistics.median(s[1][0] for s in samples)
        ratios = sorted(s[1][0] / s[0][0] for s in samples)
        row = {
            "job": job,
            "n": n,
            "unit": unit,
            "threads": threads,
            "isa": our_row.get("isa"),
            "peer": peer_row.get("peer"),
            "peer_version": peer_row.get("version"),
            "peer_build": peer_row.get("target_cpu"),
            "our_seconds": our_s,
            "peer_seconds": peer_s,
            "our_rate": n / our_s,
            "peer_rate": n / peer_s,
            "ratio": statistics.median(ratios),
            "ratio_min": ratios[0],
            "ratio_max": ratios[-1],
            "rounds": rounds,
        }
        rows.append(row)
        rates = f"{row['our_rate']:.3g} {unit}/s (peer {row['peer']}: {row['peer_rate']:.3g}"
        spread = f"{ratios[0]:.2f} to {ratios[-1]:.2f}"
        print(f"{row['ratio']:6.2f}x  {job}, {threads} threads: {rates}; ratios {spread})", flush=True)
    return rows


def write(rows, kind, out=None, **more):
    """Writes a file of results."""
    if out is None:
        name = "".join(c if c.isalnum() else "-" for c in processor().lower()).strip("-")
        out = RESULTS / f"{datetime.date.today()}-{kind}-{name}.json"
    result_files.write(out, {**conditions(), **more, "rows": rows})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", type=pathlib.Path, required=True)
    parser.add_argument("--peers", type=pathlib.Path, required=True)
    parser.add_argument("--peers-other", type=pathlib.Path)
    parser.add_argument("--b3sum", type=pathlib.Path)
    parser.add_argument("--threads", default=f"1,{os.cpu_count()}")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="small sizes, to check that everything runs")
    parser.add_argument("--only", default="", help="only jobs with this text in their name")
    parser.add_argument("--out", type=pathlib.Path)
    args = parser.parse_args()
    args.threads = sorted({int(t) for t in args.threads.split(",")})

    with tempfile.TemporaryDirectory() as folder:
        rows = in_turns(pairs(args, pathlib.Path(folder)), args.rounds, args.only)
    write(rows, "cpu", args.out, quick=args.quick)


if __name__ == "__main__":
    main()

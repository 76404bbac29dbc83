#!/usr/bin/env python3
"""The command `merklize` beside b3sum, as whole processes on the same files, taking turns: medians of several rounds.

    python bench/command.py --b3sum B3SUM [--command MERKLIZE] [--veritysetup PROGRAM] [--rounds N] [--quick]
                            [--only TEXT] [--memory] [--out FILE]

With --veritysetup, `merklize verity format` beside it.

What is measured is all that a user waits for, from the start of the process to its end, with the files in the page
cache. A row has the median of the ratios of neighbouring runs, so that a machine that changes its speed does not favour
one side; and the most memory that either side held, pages of mapped files included, and at least the 15 MiB of the
Python that started it. Answers are compared. The files take 1.3 GB of the folder for temporary files.

With --memory the most memory of each side without pages of mapped files, looked at every millisecond.
"""

import argparse
import contextlib
import datetime
import hashlib
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile
import time

from result_files import write

SMALL, FILE = 1000, 16384
BEGINNINGS = 1, 16, 128  # MiB
SHORT = 0.02  # seconds of a process that is run five times as often


def timed(words, stdin=None, shell=False):
    """Runs a program. Returns seconds, CPU seconds, most MiB and the digest of its output."""
    with tempfile.TemporaryFile() as out, open(stdin or os.devnull, "rb") as source:
        begin = time.perf_counter()
        process = subprocess.Popen(words, stdin=source, stdout=out, shell=shell)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            sys.exit(f"{words}: exit code {process.returncode}")
        out.seek(0)
        answer = hashlib.sha256()
        while piece := out.read(1 << 20):
            answer.update(piece)
        return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, answer.digest()


def descendants(pid):
    """The ids of a process and of those that it started."""
    found = [pid]
    with contextlib.suppress(OSError):
        children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        found += [one for child in children for one in descendants(int(child))]
    return found


def own_mib(pid, name):
    """Memory of a process without pages of files, if it runs the program of that name."""
    with contextlib.suppress(OSError, ValueError):
        facts = dict(line.split(":", 1) for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines())
        if facts["Name"].strip() == name[:15] and "RssAnon" in facts:
            return sum(int(facts[field].split()[0]) for field in ("RssAnon", "RssShmem")) / 1024
    return 0.0


def most_memory(name, words, stdin=None, shell=False):
    """Runs a program. Returns the most MiB that all processes of that name held at once, without pages of files."""
    most = 0.0
    with open(stdin or os.devnull, "rb") as source:
        process = subprocess.Popen(words, stdin=source, stdout=subprocess.DEVNULL, shell=shell)
        while process.poll() is None:
            most = max(most, sum(own_mib(pid, name) for pid in descendants(process.pid)))
            time.sleep(0.001)
    if process.returncode != 0:
        sys.exit(f"{words}: exit code {process.returncode}")
    return most


def make_files(folder, quick):
    """The small file, the large one and its beginnings, many, and many in many folders."""
    size, many, folders = (1 << 26, 256, 20) if quick else (1 << 30, 4096, 1000)
    (folder / "small").write_bytes(os.urandom(SMALL))
    with open(folder / "large", "wb") as file:
        for _ in range(max(1, size >> 26)):
            file.write(os.urandom(1 << 26))
    for mib in BEGINNINGS:
        with open(folder / "large", "rb") as file:
            (folder / f"{mib} MiB").write_bytes(file.read(mib << 20))
    (folder / "many").mkdir()
    for i in range(many):
        (folder / "many" / f"{i:04d}").write_bytes(os.urandom(FILE))
    for d in range(folders):
        (folder / "tree" / f"{d:03d}").mkdir(parents=True)
        for i in range(100):
            (folder / "tree" / f"{d:03d}" / f"{i:02d}").write_bytes(os.urandom(1024))
    return size, many, 100 * folders


def jobs(folder, command, b3sum, quick, veritysetup=None):
    """Job, n, unit, threads, ours, theirs, and the peer if it is not b3sum; a side is an argument of timed()."""
    # Another process makes the data, so that this one stays small: a program's memory counts from its parent's on.
    code = "import pathlib, sys, command; print(*command.make_files(pathlib.Path(sys.argv[1]), sys.argv[2] == 'True'))"
    made = [sys.executable, "-c", code, str(folder), str(quick)]
    here = pathlib.Path(__file__).parent
    done = subprocess.run(made, cwd=here, capture_output=True, text=True, check=True)
    size, n_many, n_tree = map(int, done.stdout.split())
    small, large, tree = folder / "small", folder / "large", folder / "tree"
    many = [str(path) for path in sorted((folder / "many").iterdir())]
    cpus = len(os.sched_getaffinity(0))
    hash_words = [command, "hash"]
    yield "one small file", 1, "runs", cpus, ([*hash_words, small],), ([b3sum, small],)
    for mib in BEGINNINGS:
        path = folder / f"{mib} MiB"
        job = f"one file of {mib} MiB in the page cache"
        yield job, path.stat().st_size, "bytes", cpus, ([*hash_words, path],), ([b3sum, path],)
    for threads in sorted({1, 2, 4, 8, cpus} & set(range(1, cpus + 1))):
        flag = ["--num-threads", str(threads)]
        mine, theirs = [*hash_words, *flag, large], [b3sum, *flag, large]
        yield "one file in the page cache", size, "bytes", threads, (mine,), (theirs,)
    yield f"{n_many} files of 16 KiB", n_many, "files", cpus, ([*hash_words, *many],), ([b3sum, *many],)
    find = f"find {tree} -type f -print0 | sort -z | xargs -0 {b3sum}"
    job = f"{n_tree} files of 1 KiB in folders (-r; b3sum by find, sort and xargs)"
    yield job, n_tree, "files", cpus, ([*hash_words, "-r", tree],), (find, None, True)
    pipe = f"cat {large} | "
    yield "a pipe from cat", size, "bytes", cpus, (f"{pipe}{command} hash", None, True), (pipe + str(b3sum), None, True)
    yield "standard input from a file", size, "bytes", cpus, (hash_words, large), ([b3sum], large)
    listed = folder / "list"
    with open(listed, "wb") as out:
        subprocess.run([*hash_words, *many], stdout=out, check=True)
    mine, theirs = [*hash_words, "--check", listed], [b3sum, "--check", listed]
    yield f"--check of {n_many} files of 16 KiB", n_many, "files", cpus, (mine,), (theirs,)
    build = [command, "tree", "build", large, "--leaf-size", "64K", "-o", folder / "large.mkl"]
    job = "tree build -o, leaves of 64 KiB (beside `merklize hash`)"
    yield job, size, "bytes", cpus, (build,), ([*hash_words, large],), command
    if veritysetup:
        salt, last = "0123456789abcdef" * 4, "awk 'END { print $NF }'"  # the root hash
        mine = f"{command} verity format {large} {folder}/ours.hashes --salt {salt} | {last}"
        theirs = f"{veritysetup} format {large} {folder}/their.hashes --salt={salt} | grep 'Root hash' | {last}"
        yield "verity format", size, "bytes", cpus, (mine, None, True), (theirs, None, True), veritysetup


def version_of(program):
    """The last word of `program --version`, or the one before its flags."""
    return (
        subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
        .stdout.split(" flags")[0]
        .split()[-1]
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--b3sum", type=pathlib.Path, required=True)
    parser.add_argument("--command", type=pathlib.Path, default=pathlib.Path(sys.executable).with_name("merklize"))
    parser.add_argument("--veritysetup", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--quick", action="store_true", help="small sizes, to check that everything runs")
    parser.add_argument("--memory", action="store_true", help="the most memory of each job, not its time")
    parser.add_argument("--only", default="", help="only jobs with this text in their name")
    parser.add_argument("--note", help="about the machine, for the file")
    parser.add_argument("--out", type=pathlib.Path)
    args = parser.parse_args()
    command, b3sum = args.command.resolve(), args.b3sum.resolve()
    devices = json.loads(subprocess.run([command, "devices", "--json"], capture_output=True, check=True).stdout)
    cpu = next(device for device in devices["devices"] if device["id"] == "cpu")

    rows = []
    with tempfile.TemporaryDirectory() as name:
        all_jobs = jobs(pathlib.Path(name), command, b3sum, args.quick, args.veritysetup)
        for job, n, unit, threads, ours, theirs, *other in all_jobs:
            if args.only not in job:
                continue
            peer = other[0] if other else b3sum
            if args.memory:
                mine = max(most_memory(command.name, *ours) for _ in range(args.rounds))
                peers = max(most_memory(peer.name, *theirs) for _ in range(args.rounds))
                rows.append({"job": job, "threads": threads, "our_mib": mine, "peer_mib": peers})
                print(f"{job}, {threads} threads: {mine:.1f} and {peers:.1f} MiB", flush=True)
                continue
            first = timed(*ours), timed(*theirs)
            rounds = 5 * args.rounds if first[0][0] < SHORT else args.rounds
            samples = [first] + [(timed(*ours), timed(*theirs)) for _ in range(rounds - 1)]
            if peer != command and samples[0][0][3] != samples[0][1][3]:
                sys.exit(f"{job}: the answers differ")
            ratios = sorted(theirs[0] / ours[0] for ours, theirs in samples)
            our_seconds, peer_seconds = (statistics.median(s[side][0] for s in samples) for side in (0, 1))
            row = {
                "job": job,
                "n": n,
                "unit": unit,
                "threads": threads,
                "isa": cpu["isa"],
                "peer": "merklize hash" if peer == command else peer.name,
                "peer_version": version_of(peer),
                "our_seconds": our_seconds,
                "peer_seconds": peer_seconds,
                "our_cpu_seconds": statistics.median(s[0][1] for s in samples),
                "peer_cpu_seconds": statistics.median(s[1][1] for s in samples),
                "our_peak_mib": max(s[0][2] for s in samples),
                "peer_peak_mib": max(s[1][2] for s in samples),
                "our_rate": n / our_seconds,
                "peer_rate": n / peer_seconds,
                "ratio": statistics.median(ratios),
                "ratio_min": ratios[0],
                "ratio_max": ratios[-1],
                "rounds": rounds,
            }
            rows.append(row)
            print(
                f"{job}, {threads} threads: {our_seconds * 1e3:.2f} ms against {peer_seconds * 1e3:.2f}, "
                f"{row['ratio']:.2f}x ({ratios[0]:.2f} to {ratios[-1]:.2f}); "
                f"CPU {row['our_cpu_seconds'] * 1e3:.1f} and {row['peer_cpu_seconds'] * 1e3:.1f} ms; "
                f"{row['our_peak_mib']:.0f} and {row['peer_peak_mib']:.0f} MiB",
                flush=True,
            )
    if args.out:
        commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
        data = {
            "date": datetime.date.today().isoformat(),
            "machine": cpu["name"],
            "cpus": cpu["units"],
            "system": platform.platform(),
            "commit": commit.stdout.strip(),
            "note": args.note,
            "rows": rows,
        }
        write(args.out, data)


if __name__ == "__main__":
    main()

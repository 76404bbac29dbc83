#!/usr/bin/env python3
"""Measures data in stores and work on clusters: docs/scale.md has the figures.

    python bench/scale.py [--gib 1] [--rounds 5] [--nodes 1,2] [--jobs stores,cluster,driver] [--gpus 0]
        [--folder FOLDER] [--json FILE]

Rows, each with what it is compared with, in turns (ratio: the peer's time by ours; above 1 we are faster):

- hash_file() of an object over HTTP on this machine, against the file in the page cache and against fsspec's own
  download of the object; memory of the process beside it;
- the command on a small URL, against a small file: what the hand-over to Python costs;
- a cluster of Ray of N node processes of this machine, each with a part of its cores: hash_file() and build_tree() of a
  file against one process with all cores; and the time of a task that does nothing, at the rate of one driver;
- what a driver does for a part: its line of state, and its share of the last merge.

--gpus N  on a machine with N GPUs: hash_file() of the file by Ray with them, against device="cuda:all".
"""

import contextlib
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
from result_files import write
from run import conditions

import merklize
import merklize.__main__
from weights import in_turns, parser_of

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "python" / "tests"))

SERVER = """
import http.server, os, re, sys
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    def log_message(self, *_): pass
    def do_GET(self):
        with open(sys.argv[1] + self.path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            wanted = re.fullmatch(r"bytes=(\\d+)-(\\d+)", self.headers.get("Range", ""))
            start, end = (int(wanted[1]), min(int(wanted[2]) + 1, size)) if wanted else (0, size)
            self.send_response(206 if wanted else 200)
            self.send_header("ETag", '"1"')
            self.send_header("Content-Range", f"bytes {start}-{end - 1}/{size}")
            self.send_header("Content-Length", str(end - start))
            self.end_headers()
            self.wfile.flush()
            while start < end:
                start += os.sendfile(self.connection.fileno(), file.fileno(), start, end - start)
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
"""

MEMORY = """
import re, sys, merklize
merklize.hash_file(sys.argv[1])
print(re.search(r"VmHWM:\\s*(\\d+)", open("/proc/self/status").read())[1])
"""


def seconds_in_turns(rounds, ours, theirs):
    """Seconds of each turn of both, after one turn that does not count."""
    return [[seconds for seconds, _ in side] for side in in_turns(rounds, ours, theirs)]


def row(job, peer, size, ours, theirs, **more):
    ratios = [their / our for our, their in zip(ours, theirs)]
    made = {"job": job, "peer": peer, "bytes": size, "ours": ours, "theirs": theirs}
    made |= {"ratio": statistics.median(ratios), "ratio_min": min(ratios), "ratio_max": max(ratios)}
    made |= {"seconds": statistics.median(ours), "peer_seconds": statistics.median(theirs), **more}
    rate = f"{size / made['seconds'] / 1e9:.2f} GB/s, " if size else ""
    print(f"{job}: {made['seconds']:.4g} s, {rate}{made['ratio']:.2f}x {peer} {more or ''}", flush=True)
    return made


def figure(job, value, unit, **more):
    print(f"{job}: {value:.4g} {unit} {more or ''}", flush=True)
    return {"job": job, "value": value, "unit": unit, **more}


@contextlib.contextmanager
def http(folder):
    server = subprocess.Popen([sys.executable, "-c", SERVER, str(folder)], stdout=subprocess.PIPE, text=True)
    try:
        yield f"http://127.0.0.1:{server.stdout.readline().strip()}"
    finally:
        server.kill()
        server.wait()


def store_rows(path, args):
    import fsspec

    size = path.stat().st_size
    with http(path.parent) as address:
        url = f"{address}/{path.name}"
        assert merklize.hash_file(url) == merklize.hash_file(path)
        ours, theirs = seconds_in_turns(args.rounds, lambda: merklize.hash_file(url), lambda: merklize.hash_file(path))
        yield row("hash_file of an object over HTTP", "the file in the page cache", size, ours, theirs)
        copy = path.parent / "copy"
        system = fsspec.filesystem("http")
        ours, theirs = seconds_in_turns(
            args.rounds, lambda: merklize.hash_file(url), lambda: system.get_file(url, str(copy))
        )
        copy.unlink()
        yield row("hash_file of an object over HTTP", "fsspec's download of it, not hashed", size, ours, theirs)
        small = path.parent / "small"
        small.write_bytes(b"x" * 1000)
        base = int(
            subprocess.run([sys.executable, "-c", MEMORY, f"{address}/small"], capture_output=True, check=True).stdout
        )
        most = int(subprocess.run([sys.executable, "-c", MEMORY, url], capture_output=True, check=True).stdout)
        more = {"bound": merklize.stores.limits.memory / 2**20}
        yield figure(
            f"memory of hash_file of {size >> 20} MiB over HTTP, beside one of 1 KB",
            (most - base) / 1024,
            "MiB",
            **more,
        )
        command = [merklize.__main__.find_command(), "hash"]

        def run(name):
            subprocess.run([*command, name], check=True, capture_output=True)

        ours, theirs = seconds_in_turns(args.rounds, lambda: run(f"{address}/small"), lambda: run(str(small)))
        yield row("merklize hash of 1 KB over HTTP", "of a file of 1 KB", 0, ours, theirs)
        ours, theirs = seconds_in_turns(args.rounds, lambda: merklize.hash_file(f"{address}/small"), lambda: None)
        yield figure("hash_file of 1 KB over HTTP", 1e3 * statistics.median(ours), "ms")


def cluster_rows(path, args):
    import ray
    from ray.cluster_utils import Cluster

    import merklize.ray
    from merklize.ray._cluster import Cluster as Joined
    from merklize.ray._cluster import Task
    from merklize.stores import Report

    size, cores = path.stat().st_size, os.cpu_count()
    for count in [int(text) for text in args.nodes.split(",")]:
        cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
        for _ in range(count):
            cluster.add_node(num_cpus=max(1, cores // count), num_gpus=0)
        ray.init(address=cluster.address, log_to_driver=False, configure_logging=False)
        name = f"{count} node{'s' * (count > 1)}"
        threads = max(1, cores // count) * count
        assert merklize.ray.hash_file(path) == merklize.hash_file(path)
        joined = Joined(merklize.ray.Options())
        parts = -(-size // joined.part_size(size))

        def local(**how):
            return merklize.hash_file(path, threads=threads, **how)  # noqa: B023

        ours, theirs = seconds_in_turns(args.rounds, lambda: merklize.ray.hash_file(path), local)
        yield row(f"hash_file by Ray, {name}", "one process", size, ours, theirs, nodes=count, parts=parts)
        ours, theirs = seconds_in_turns(
            args.rounds,
            lambda: merklize.ray.build_tree(path, 4096),
            lambda: merklize.merkle_root_file(path, leaf_size=4096, threads=threads),  # noqa: B023
        )
        yield row(
            f"build_tree by Ray, leaves of 4 KiB, {name}", "one process", size, ours, theirs, nodes=count, parts=parts
        )
        ours, theirs = [], []
        for _ in range(args.rounds):
            tasks = [
                Task(str(k), "facts", ([], 0, merklize.ray._files.mode_of(None, None, 32, 0, "cpu")), 0)
                for k in range(2000)
            ]
            begin = time.perf_counter()
            for _ in joined.run(tasks, Report(None, None)):
                pass
            ours.append((time.perf_counter() - begin) / len(tasks))
            tasks = tasks[:100]
            begin = time.perf_counter()
            for task in tasks:
                list(joined.run([task], Report(None, None)))
            theirs.append((time.perf_counter() - begin) / len(tasks))
        yield figure(
            f"a task that does nothing, 2,000 together, {name}", 1e3 * statistics.median(ours), "ms", nodes=count
        )
        yield figure(
            f"a task that does nothing, one after another, {name}", 1e3 * statistics.median(theirs), "ms", nodes=count
        )
        ray.shutdown()
        cluster.shutdown()


def driver_rows(folder, args):
    from merklize.parts import digest_of_pieces
    from merklize.ray._state import State

    count = 1 << 18
    begin = time.perf_counter()
    state = State(folder / "state", {"kind": "bench"})
    for k in range(count):
        state.add(str(k), bytes(32))
    written = time.perf_counter() - begin
    yield figure("a line of state", 1e6 * written / count, "us", bytes=(folder / "state").stat().st_size / count)
    values = np.random.default_rng(1).bytes(32 * count)
    begin = time.perf_counter()
    digest_of_pieces(values)
    yield figure(f"the last merge, of {count} parts", 1e3 * (time.perf_counter() - begin), "ms")


def gpu_rows(path, args):
    if not args.gpus:
        return
    import ray

    import merklize.ray

    size = path.stat().st_size
    ray.init(address="local", include_dashboard=False, num_gpus=args.gpus, log_to_driver=False, configure_logging=False)
    options = merklize.ray.Options(part_size=1 << 28, workers=2 * args.gpus, num_gpus=0.5, num_cpus=2)
    assert merklize.ray.hash_file(path, options=options) == merklize.hash_file(path)
    ours, theirs = seconds_in_turns(
        args.rounds,
        lambda: merklize.ray.hash_file(path, options=options),
        lambda: merklize.hash_file(path, device="cuda:all"),
    )
    yield row(f"hash_file by Ray, {args.gpus} GPUs of one host", "cuda:all", size, ours, theirs)
    ray.shutdown()


def main():
    parser = parser_of(__doc__, rounds=5)
    parser.add_argument("--gib", type=float, default=1)
    parser.add_argument("--nodes", default="1,2")
    parser.add_argument("--jobs", default="stores,cluster,driver")
    parser.add_argument("--gpus", type=int, default=0)
    args = parser.parse_args()
    rows = []
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(dir=args.folder)))
        path = folder / "data"
        block = np.random.default_rng(1).bytes(1 << 26)
        with open(path, "wb") as file:
            for _ in range(int(args.gib * 16)):
                file.write(block)
        known = {"stores": store_rows, "cluster": cluster_rows, "gpus": gpu_rows}
        for name in ["gpus"] if args.gpus else args.jobs.split(","):
            rows += driver_rows(folder, args) if name == "driver" else known[name](path, args)
    facts = {
        **conditions(),
        "isa": merklize.devices()[0].isa,
        "load": os.getloadavg(),
        "most_memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
        "rows": rows,
    }
    if args.json:
        write(pathlib.Path(args.json), facts)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Measures verified streaming, each job in turns with what it is compared with.

    python bench/bao.py [--mib 1024] [--rounds 7] [--crates PROGRAM] [--device cuda:0 [--only-device]] [--folder FOLDER]
                        [--json FILE]

Rows, with the ratio of the peer's time to ours, turn by turn (above 1: we are faster):

- outboards in groups of 16 KiB, of memory and of a file in the page cache, against the plain digest: the bound, since
  it reads the same bytes and computes the same nodes. With --device: of host memory, of memory there, and of memory
  there where the outboard stays there, too;
- outboard and encoding of bao's own format, against bao's encoder (with --crates: the program of tests/bao_crates);
- verification: of a file by its outboard, and of slices of 1 MiB, against the plain digest of as many bytes.
"""

import contextlib
import json
import pathlib
import subprocess
import tempfile

import numpy as np

import merklize
from merklize import bao
from weights import in_turns, parser_of, row, save

GROUPS = {"group_size": 16384}


def memory_rows(data, path, args):
    size = len(data)
    ours, theirs = in_turns(args.rounds, lambda: bao.outboard(data, **GROUPS), lambda: merklize.hash(data))
    yield row("outboard of memory, groups of 16 KiB", "hash()", size, ours, theirs)
    ours, theirs = in_turns(args.rounds, lambda: bao.outboard_file(path, **GROUPS), lambda: merklize.hash_file(path))
    yield row("outboard of a file, groups of 16 KiB", "hash_file()", size, ours, theirs)
    ours, theirs = in_turns(args.rounds, lambda: bao.outboard(data), lambda: merklize.hash(data))
    yield row("outboard of memory, groups of 1 KiB", "hash()", size, ours, theirs)
    nodes, root = bao.outboard(data, **GROUPS)
    ours, theirs = in_turns(
        args.rounds, lambda: bao.verify(path, root, nodes, **GROUPS).require(), lambda: merklize.hash_file(path)
    )
    yield row("verification of a file by its outboard", "hash_file()", size, ours, theirs)


def slice_rows(data, args):
    start, length = len(data) // 3 + 100, 1 << 20
    piece = data[start : start + length]
    for name, options in (("groups of 1 KiB", {}), ("groups of 16 KiB", GROUPS)):
        nodes, root = bao.outboard(data, **options)
        part = bao.slice(data, start, length, outboard=nodes, **options)
        assert bao.decode_slice(part, root, start, length, **options) == piece

        def ours():
            bao.decode_slice(part, root, start, length, **options)  # noqa: B023

        found = in_turns(21 * args.rounds, ours, lambda: merklize.hash(piece))
        yield row(f"verification of a slice of 1 MiB, {name}", "hash() of 1 MiB", length, *found)


def crate_rows(data, path, folder, args):
    if not args.crates:
        return
    for job, key, call in (
        ("outboard of memory, as bao makes it", "outboard", lambda: bao.outboard(data)),
        ("encoding of memory, as bao makes it", "encode", lambda: bao.encode(data)),
    ):
        ours, theirs = [], []
        for _ in range(args.rounds):
            ours += in_turns(1, call, lambda: None)[0]
            done = subprocess.run([args.crates, "times", path, "1"], capture_output=True, text=True, check=True)
            seconds = json.loads(done.stdout)[key]
            theirs.append((seconds, seconds))
        yield row(job, "bao 0.13, one thread", len(data), ours, theirs)


def device_rows(data, args):
    if not args.device:
        return
    on = {"device": args.device}
    ours, theirs = in_turns(args.rounds, lambda: bao.outboard(data, **GROUPS, **on), lambda: merklize.hash(data, **on))
    yield row(f"outboard of host memory on {args.device}, groups of 16 KiB", "hash() there", len(data), ours, theirs)
    there = merklize.DeviceArray.from_numpy(np.frombuffer(data, np.uint8), args.device)
    assert bao.outboard(there, **GROUPS) == bao.outboard(data, **GROUPS)
    ours, theirs = in_turns(args.rounds, lambda: bao.outboard(there, **GROUPS), lambda: merklize.hash(there))
    yield row(f"outboard of memory of {args.device}, groups of 16 KiB", "hash() there", len(data), ours, theirs)
    nodes = np.zeros(bao.outboard_size(len(data), **GROUPS), np.uint8)
    out = merklize.DeviceArray.from_numpy(nodes, args.device)
    bao.outboard(there, out=out, **GROUPS)
    assert out.numpy().tobytes() == bao.outboard(data, **GROUPS).outboard
    found = in_turns(args.rounds, lambda: bao.outboard(there, out=out, **GROUPS), lambda: merklize.hash(there))
    yield row(f"the same, and the outboard stays on {args.device}", "hash() there", len(data), *found)


def main():
    parser = parser_of(__doc__, rounds=7)
    parser.add_argument("--mib", type=int, default=1024)
    parser.add_argument("--crates")
    parser.add_argument("--device")
    parser.add_argument("--only-device", action="store_true", help="no rows of the CPU")
    args = parser.parse_args()
    data = np.random.default_rng(1).bytes(args.mib << 20)
    rows = []
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(dir=args.folder)))
        path = folder / "message"
        path.write_bytes(data)
        on_cpu = (memory_rows(data, path, args), slice_rows(data, args), crate_rows(data, path, folder, args))
        for made in (*(() if args.only_device else on_cpu), device_rows(data, args)):
            rows += made
    save(args.json, rows)


if __name__ == "__main__":
    main()

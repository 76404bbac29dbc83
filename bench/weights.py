#!/usr/bin/env python3
"""Measures weights: manifests, checks and xet hashes, each in turns with what it is compared with.

    python bench/weights.py [--gib 2] [--rounds 7] [--b3sum B3SUM] [--device cuda:0] [--folder FOLDER] [--json FILE]

Rows, with the ratio of the peer's time to ours, turn by turn (above 1: we are faster):

- manifest of a safetensors file in the page cache, also by tiles, and its check, against hash_file() of it: the bound,
  since it reads as many bytes;
- check of a folder of 1,000 files as a process, against `b3sum --check` of the same files (with --b3sum);
- xet() of a file, and of 16 files, against hf_xet.hash_files() (where hf-xet is installed);
- with --device: check_model() of PyTorch tensors of the sizes of an 8B model there, against hash() of one tensor of as
  many bytes. These take --device-gib (16) of its memory twice.
"""

import argparse
import contextlib
import json
import os
import pathlib
import statistics
import struct
import subprocess
import tempfile
import time

import numpy as np
from result_files import write
from run import conditions

import merklize
from merklize import formats
from merklize.__main__ import find_command
from merklize.manifests import Manifest

# A block of Llama 3 8B, which has 32.
BLOCK = {"q": (4096, 4096), "k": (1024, 4096), "v": (1024, 4096), "o": (4096, 4096), "gate": (14336, 4096)}
BLOCK |= {"up": (14336, 4096), "down": (4096, 14336), "norm1": (4096,), "norm2": (4096,)}


def shapes(wanted):
    """Names and shapes of bf16 tensors of about `wanted` bytes: as many blocks as fit, and some of the embeddings."""
    block = sum(2 * int(np.prod(shape)) for shape in BLOCK.values())
    count = max(1, min(32, int(wanted / block * 0.87)))
    found = {f"layers.{k}.{name}": shape for k in range(count) for name, shape in BLOCK.items()}
    rest = max(0, wanted - count * block) // (2 * 4096 * 2)
    return found | {"embed": (rest, 4096), "head": (rest, 4096), "norm": (4096,)}


def parser_of(doc, rounds):
    """The flags of a benchmark that writes to a folder and its rows to a file."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=rounds)
    parser.add_argument("--folder")
    parser.add_argument("--json")
    return parser


def save(path, rows):
    """Writes a file of results, if its name was given."""
    note = "load of the machine at the end: " + " ".join(f"{load:.1f}" for load in os.getloadavg())
    if path:
        write(pathlib.Path(path), {**conditions(), "isa": merklize.devices()[0].isa, "note": note, "rows": rows})


def write_safetensors(path, wanted):
    random = np.random.default_rng(1).integers(0, 256, 1 << 24, dtype=np.uint8)
    header, at = {}, 0
    for name, shape in shapes(wanted).items():
        size = 2 * int(np.prod(shape))
        header[name] = {"dtype": "BF16", "shape": list(shape), "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for k in range(0, at, len(random)):
            random[:8] = np.frombuffer(struct.pack("<Q", k), np.uint8)
            file.write(random[: at - k].tobytes())


def in_turns(rounds, ours, theirs):
    """(seconds, seconds of processors) of each turn of both, after one turn that does not count."""
    times = [[], []]
    for _ in range(rounds + 1):
        for k, work in enumerate((ours, theirs)):
            begin, used = time.perf_counter(), sum(os.times()[:4])
            work()
            times[k].append((time.perf_counter() - begin, sum(os.times()[:4]) - used))
    return times[0][1:], times[1][1:]


def row(job, peer, size, ours, theirs):
    ratios = [their[0] / our[0] for our, their in zip(ours, theirs)]
    made = {
        "job": job,
        "peer": peer,
        "bytes": size,
        "ours": [seconds for seconds, _ in ours],
        "theirs": [seconds for seconds, _ in theirs],
        # Processor seconds, because they are steadier while other work runs on the machine.
        "ours_processors": statistics.median(used for _, used in ours),
        "theirs_processors": statistics.median(used for _, used in theirs),
        "ratio": statistics.median(ratios),
        "ratio_min": min(ratios),
        "ratio_max": max(ratios),
        "rate": size / statistics.median(seconds for seconds, _ in ours),
    }
    print(f"{job}: {made['rate'] / 1e9:.2f} GB/s, {made['ratio']:.2f}x {peer}", end="", flush=True)
    print(f" ({made['ours_processors']:.2f} s of processors, {made['theirs_processors']:.2f})", flush=True)
    return made


def manifest_rows(folder, args):
    path = folder / "model.safetensors"
    write_safetensors(path, int(args.gib * 2**30))
    size = path.stat().st_size
    ours, theirs = in_turns(args.rounds, lambda: merklize.manifest(path), lambda: merklize.hash_file(path))
    yield row("manifest of a file", "hash_file", size, ours, theirs)
    made = merklize.manifest(path)
    ours, theirs = in_turns(args.rounds, lambda: made.check(path), lambda: merklize.hash_file(path))
    yield row("check of a file", "hash_file", size, ours, theirs)
    made = merklize.manifest(path, tiles=True)
    ours, theirs = in_turns(args.rounds, lambda: merklize.manifest(path, tiles=True), lambda: merklize.hash_file(path))
    yield row("manifest of a file by tiles", "hash_file", size, ours, theirs)
    ours, theirs = in_turns(args.rounds, lambda: made.check(path), lambda: merklize.hash_file(path))
    yield row("check of a file by tiles", "hash_file", size, ours, theirs)
    yield from xet_rows(path, size, folder, args)
    path.unlink()


def xet_rows(path, size, folder, args):
    try:
        import hf_xet
    except ImportError:
        return
    assert formats.xet(path) == hf_xet.hash_files([str(path)])[0].hash
    ours, theirs = in_turns(args.rounds, lambda: formats.xet(path), lambda: hf_xet.hash_files([str(path)]))
    yield row("xet of a file", "hf_xet", size, ours, theirs)
    names = [str(folder / f"{k}.bin") for k in range(16)]
    for k, name in enumerate(names):
        pathlib.Path(name).write_bytes(np.random.default_rng(k).bytes(64 << 20))
    ours, theirs = in_turns(args.rounds, lambda: formats.xet_files(names), lambda: hf_xet.hash_files(names))
    yield row("xet of 16 files of 64 MiB", "hf_xet", 16 << 26, ours, theirs)
    for name in names:
        os.unlink(name)


def check_rows(folder, args):
    """Check of 1,000 files by whole processes: both read the list, hash and compare."""
    if not args.b3sum:
        return
    for size in (16 << 10, 1 << 20):
        files = folder / f"files-{size}"
        files.mkdir()
        for k in range(1000):
            (files / f"{k:04}.bin").write_bytes(np.random.default_rng(k).bytes(size))
        made = merklize.manifest(files)
        made.save(folder / "manifest.json")
        lines = [f"{one.digest.hex()}  {files / path}\n" for path, one in made.files.items()]
        (folder / "list").write_text("".join(lines))
        command = [find_command(), "manifest", "check", str(folder / "manifest.json"), str(files)]
        b3sum = [args.b3sum, "--quiet", "--check", str(folder / "list")]

        def run(command):
            subprocess.run(command, check=True, capture_output=True)

        ours, theirs = in_turns(args.rounds, lambda: run(command), lambda: run(b3sum))  # noqa: B023
        yield row(f"check of 1,000 files of {size >> 10} KiB, as a process", "b3sum --check", 1000 * size, ours, theirs)
        known = Manifest.load(folder / "manifest.json")
        ours, theirs = in_turns(args.rounds, lambda: known.check(files), lambda: run(b3sum))  # noqa: B023
        yield row(f"check of 1,000 files of {size >> 10} KiB, a call", "b3sum --check", 1000 * size, ours, theirs)


def device_rows(args):
    if not args.device:
        return
    import torch

    where = torch.device(args.device)
    state = {
        name: torch.randint(-(2**15), 2**15, shape, dtype=torch.int16, device=where).view(torch.bfloat16)
        for name, shape in shapes(int(args.device_gib * 2**30)).items()
    }
    size = sum(tensor.numel() * 2 for tensor in state.values())
    whole = torch.zeros(size, dtype=torch.uint8, device=where)
    begin = time.perf_counter()
    made = merklize.manifest(state)
    print(f"manifest of {len(state)} tensors there: {time.perf_counter() - begin:.3f} s, the first call")
    assert merklize.check_model(state, made)
    ours, theirs = in_turns(args.rounds, lambda: merklize.check_model(state, made), lambda: merklize.hash(whole))
    yield row(f"check_model of {len(state)} tensors on {args.device}", "hash() of one tensor", size, ours, theirs)
    ours, theirs = in_turns(args.rounds, lambda: merklize.manifest(state), lambda: merklize.hash(whole))
    yield row(f"manifest of {len(state)} tensors on {args.device}", "hash() of one tensor", size, ours, theirs)
    some = next(name for name in state if name.endswith("gate"))
    state[some].view(torch.uint8)[0, 5] ^= 1
    (difference,) = merklize.check_model(state, made).differences
    assert (difference.name, difference.begin) == (some, 0)


def main():
    parser = parser_of(__doc__, rounds=7)
    parser.add_argument("--gib", type=float, default=2)
    parser.add_argument("--b3sum")
    parser.add_argument("--device")
    parser.add_argument("--device-gib", type=float, default=16)
    args = parser.parse_args()
    rows = []
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(dir=args.folder)))
        for made in (manifest_rows(folder, args), check_rows(folder, args), device_rows(args)):
            rows += made
    save(args.json, rows)


if __name__ == "__main__":
    main()

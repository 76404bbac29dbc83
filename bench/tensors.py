#!/usr/bin/env python3
"""Measures calls on tensors in a device's memory, each in turns with what it is compared with, in one process.

    python bench/tensors.py [--device cuda:0] [--rounds 21] [--only SUBSTRING] [--note TEXT] [--out FILE]

Needs PyTorch with this device. Rows, with the ratio of the peer's time to ours, turn by turn:

- MerkleTree() of 2^20 to 2^25 digests, which owns a copy of them, against build_tree() in place, its bound;
- hash_each() of 1,000 tensors of 60 to 68 KiB, and of 60,000 of 256 bytes, without names and with them, against hash()
  of as many bytes, its bound;
- hash() of 1 GiB against PyTorch's copy of it;
- hash() of 64 bytes to 128 KiB, build_tree() and merkle_root() of 2^10 leaves against a kernel of PyTorch with 32
  bytes back.

A time is that of the whole call and of the wait for the device; of small calls that of one of a hundred.
"""

import argparse
import pathlib
import time

import numpy as np
import torch
from run import in_turns, write

import merklize


def call(function, peer, calls=1):
    """Seconds of one call, of so many, until the device has done it."""

    def run():
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for _ in range(calls):
            kept = function()
        torch.cuda.synchronize()
        seconds = (time.perf_counter() - begin) / calls
        del kept  # not a part of the call
        return seconds, {"peer": peer}

    run()  # compiles kernels, and makes the memory that later calls use again
    return run


def random_bytes(*shape, device):
    return torch.randint(0, 256, shape, dtype=torch.uint8, device=device)


def tree_jobs(device):
    for k in (20, 24, 25):
        leaves = random_bytes(1 << k, 32, device=device)
        assert merklize.MerkleTree(leaves).root == merklize.MerkleTree(leaves.cpu().numpy(), device="cpu").root
        nodes = torch.empty(2 << k, 32, dtype=torch.uint8, device=device)
        nodes[1 << k :] = leaves
        yield (
            f"MerkleTree() of 2^{k} leaves",
            "build_tree() in place",
            32 << k,
            lambda leaves=leaves: merklize.MerkleTree(leaves),
            lambda nodes=nodes: merklize.build_tree(nodes),
            1,
        )


def digest_jobs(device):
    sizes = np.random.default_rng(1).integers(60 << 10, 68 << 10, 1000)
    tensors = [random_bytes(int(size), device=device) for size in sizes]
    whole = random_bytes(int(sizes.sum()), device=device)
    found = merklize.hash_each({"last": tensors[-1]})
    assert found["last"] == merklize.hash(tensors[-1].cpu().numpy(), device="cpu")
    yield (
        "hash_each() of 1,000 tensors of 60 to 68 KiB",
        "hash() of as many bytes",
        int(sizes.sum()),
        lambda: merklize.hash_each(tensors),
        lambda: merklize.hash(whole),
        1,
    )
    together = random_bytes(60_000, 256, device=device)
    small = [row.clone() for row in together]
    named = {f"layers.{i}.weight": tensor for i, tensor in enumerate(small)}
    assert merklize.hash_each(named)["layers.59999.weight"] == merklize.hash(small[-1].cpu().numpy(), device="cpu")
    for kind, given in (("tensors", small), ("named tensors", named)):
        yield (
            f"hash_each() of 60,000 {kind} of 256 bytes",
            "hash() of as many bytes",
            together.numel(),
            lambda given=given: merklize.hash_each(given),
            lambda: merklize.hash(together),
            1,
        )
    data = random_bytes(1 << 30, device=device)
    assert merklize.hash(data) == merklize.hash(data.cpu().numpy(), device="cpu")
    copy = torch.empty_like(data)
    yield "hash() of 1 GiB", "PyTorch's copy", 1 << 30, lambda: merklize.hash(data), lambda: copy.copy_(data), 1


def small_jobs(device):
    words = torch.zeros(8, dtype=torch.int32, device=device)

    def bound():
        return (words + 1).cpu()

    for size, name in (
        (64, "64 bytes"),
        (1 << 12, "4 KiB"),
        (1 << 14, "16 KiB"),
        (1 << 16, "64 KiB"),
        (1 << 17, "128 KiB"),
    ):
        data = random_bytes(size, device=device)
        assert merklize.hash(data) == merklize.hash(data.cpu().numpy(), device="cpu")
        yield f"hash() of {name}", "PyTorch's kernel", size, lambda data=data: merklize.hash(data), bound, 100
    nodes = random_bytes(2 << 10, 32, device=device)
    yield "build_tree() of 2^10 leaves", "PyTorch's kernel", 32 << 10, lambda: merklize.build_tree(nodes), bound, 100
    leaves = nodes[1 << 10 :]
    yield "merkle_root() of 2^10 leaves", "PyTorch's kernel", 32 << 10, lambda: merklize.merkle_root(leaves), bound, 100


def measure(suite, about, pairs_of, rounds):
    """Measure a suite of a device in turns, as the program's arguments say. pairs_of  makes its rows for a device"""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--rounds", type=int, default=rounds)
    parser.add_argument("--only", default="")
    parser.add_argument("--note", default="", help="of the build and of the machine")
    parser.add_argument("--out", type=pathlib.Path)
    args = parser.parse_args()
    rows = in_turns(pairs_of(args.device), args.rounds, args.only)
    write(rows, suite, args.out, device=torch.cuda.get_device_name(args.device), note=args.note)


def all_jobs(device):
    for jobs in (tree_jobs, digest_jobs, small_jobs):
        for job, peer, size, ours, theirs, calls in jobs(device):
            yield job, size, "bytes", 1, call(ours, "merklize", calls), call(theirs, peer, calls)


if __name__ == "__main__":
    measure("tensors", __doc__, all_jobs, 21)

#!/usr/bin/env python3
"""Runs random jobs on a device and compares the results with those of the CPU.

    differential.py DEVICE SECONDS [SEED] [--job NAME]

DEVICE is a name as `merklize devices` prints it, or several devices ("cuda:all"). The CPU's digests are checked against
the official BLAKE3 where that is installed. Sizes are drawn near the edges where kernels and launches change: powers of
two and chunk lengths, give or take one. The last line says how many jobs of each kind ran. A difference ends the
program with exit code 1 and prints the seed that draws this very job again:

    differential.py DEVICE 1 SEED --job NAME
"""

import argparse
import random
import sys
import time
from collections import Counter

import numpy as np

import merklize
from merklize import _native

try:
    import blake3
except ImportError:
    blake3 = None

FIELDS = {info.name: info for info in _native.hashes() if info.is_field}
LARGEST = 1 << 22  # bytes of the input of one job


def near_power(rng, least, most):
    """A count near a power of two, from least to most: log-uniform."""
    power = 1 << rng.randint(0, most.bit_length())
    return min(max(power + rng.randint(-2, 2), least), most)


def random_bytes(rng, count):
    return np.random.default_rng(rng.getrandbits(64)).integers(0, 256, count, np.uint8)


def random_words(rng, hash, *shape):
    """Field elements; a few are the extreme ones."""
    field = FIELDS[hash]
    dtype = np.uint64 if field.element_bits == 64 else np.uint32
    words = np.random.default_rng(rng.getrandbits(64)).integers(0, field.modulus, shape, dtype)
    flat = words.reshape(-1)
    for _ in range(min(4, flat.size)):
        flat[rng.randrange(flat.size)] = rng.choice((0, 1, (2**32 - 1) % field.modulus, field.modulus - 1))
    return words


def is_field(hash):
    return hash in FIELDS


def random_leaves(rng, n, hash):
    if is_field(hash):
        return random_words(rng, hash, n, 256 // FIELDS[hash].element_bits)
    return random_bytes(rng, 32 * n).reshape(n, 32)


def random_hash(rng):
    return rng.choice(merklize.HASHES)


def random_mode(rng, hash="blake3"):
    """Keyword arguments: plain, keyed or derive-key."""
    if hash != "blake3":
        return {}
    return rng.choice(({}, {"key": rng.randbytes(32)}, {"context": f"merklize differential {rng.randrange(9)}"}))


def random_form(rng, n, hash):
    """Keyword arguments: a rule that takes n leaves, its padding, and a mode."""
    rules = ["left_full", "pad", "duplicate_last"] + ["perfect"] * (n & (n - 1) == 0)
    form = {"rule": rng.choice(rules), **random_mode(rng, hash)}
    if form["rule"] == "pad" and rng.random() < 0.5:
        form["padding"] = random_leaves(rng, 1, hash).tobytes()
    return form


# A job draws its input and returns a function that takes a device and returns the answer as bytes.


def job_hash(rng):
    data = random_bytes(
        rng, rng.choice((near_power(rng, 0, LARGEST), 1024 * rng.randint(0, 64) + rng.randint(-1, 1) + 1))
    )
    mode, length, seek = random_mode(rng), rng.choice((32, 1, 131)), rng.choice((0, 0, 63, 2**40))

    def run(device):
        digest = merklize.hash(data, **mode, length=length, seek=seek, device=device)
        if device == "cpu" and blake3 is not None:
            official = blake3.blake3(data.tobytes(), key=mode.get("key"), derive_key_context=mode.get("context"))
            assert official.digest(length=length, seek=seek) == digest, "the CPU and the official BLAKE3 differ"
        return digest

    return run


def job_rows_of_bytes(rng):
    length = near_power(rng, 1, 1 << 14)
    n = near_power(rng, 1, max(1, LARGEST // length))
    messages, mode = random_bytes(rng, n * length).reshape(n, length), random_mode(rng)
    return lambda device: np.asarray(merklize.hash_rows(messages, **mode, device=device)).tobytes()


def job_rows_of_words(rng):
    hash = rng.choice([name for name in merklize.HASHES if is_field(name)])
    rows = random_words(rng, hash, near_power(rng, 1, 1 << 10), rng.randint(1, 40))
    return lambda device: np.asarray(merklize.hash_rows(rows, hash, device=device)).tobytes()


def job_hash_leaves(rng):
    hash = random_hash(rng)
    if is_field(hash):
        records = random_words(rng, hash, near_power(rng, 1, 1 << 10), rng.randint(1, 20))
    else:
        length = near_power(rng, 1, 1 << 12)
        records = random_bytes(rng, near_power(rng, 1, (1 << 20) // length) * length).reshape(-1, length)
    mode = random_mode(rng, hash)
    return lambda device: np.asarray(merklize.hash_leaves(records, hash, **mode, device=device)).tobytes()


def job_merge(rng):
    hash = random_hash(rng)
    n = near_power(rng, 1, 1 << 14)
    left, right, mode = random_leaves(rng, n, hash), random_leaves(rng, n, hash), random_mode(rng, hash)
    return lambda device: np.asarray(merklize.merge(left, right, hash, **mode, device=device)).tobytes()


def random_tree(rng):
    hash = random_hash(rng)
    n = near_power(rng, 1, 1 << (12 if is_field(hash) else 16))
    return random_leaves(rng, n, hash), hash, random_form(rng, n, hash)


def job_root(rng):
    leaves, hash, form = random_tree(rng)
    return lambda device: merklize.merkle_root(leaves, hash, **form, device=device)


def nodes_of(tree):
    """Every node of a tree, on the host or on a device, level after level."""

    def on_host(level):
        return (level.numpy() if isinstance(level, merklize.DeviceArray) else level).tobytes()

    return b"".join(on_host(tree.level(level)) for level in range(tree.drop_levels, tree.height + 1))


def job_tree(rng):
    leaves, hash, form = random_tree(rng)
    drop = rng.choice((0, 0, 1, 2)) if len(leaves) >= 4 else 0
    return lambda device: nodes_of(merklize.MerkleTree(leaves, hash, **form, drop_levels=drop, device=device))


def job_rows(rng):
    hash = random_hash(rng)
    n = near_power(rng, 1, 1 << 11)
    rows = random_words(rng, hash, n, rng.randint(1, 9)) if is_field(hash) else random_bytes(rng, n * 96).reshape(n, 96)
    form = random_form(rng, n, hash)
    return lambda device: nodes_of(merklize.MerkleTree.from_rows(rows, hash, **form, device=device))


def job_change(rng):
    """Updates, and appends if the rule has them; then proofs of the changed tree."""
    leaves, hash, form = random_tree(rng)
    n = len(leaves)
    indices = sorted(rng.sample(range(n), min(n, near_power(rng, 1, 300))))
    fresh, more = random_leaves(rng, len(indices), hash), random_leaves(rng, near_power(rng, 1, 600), hash)
    append_first, asked = rng.random() < 0.5, sorted(rng.sample(range(n), min(n, rng.randint(1, 40))))

    def run(device):
        tree = merklize.MerkleTree(leaves, hash, **form, device=device)
        appends = form["rule"] == "left_full"
        if appends and append_first:
            tree.append(more)
        tree.update(indices, fresh)
        if appends and not append_first:
            tree.append(more)
        together = tree.prove_together(asked)
        keys = {name: form[name] for name in ("key", "context") if name in form}
        assert together.verify(tree.root, **keys), "a proof of several leaves does not verify"
        return nodes_of(tree) + together.to_bytes() + b"".join(proof.to_bytes() for proof in tree.prove(asked))

    return run


def job_forest(rng):
    hash = random_hash(rng)
    shape = (near_power(rng, 1, 64), 1 << rng.randint(0, 6))
    leaves = random_leaves(rng, shape[0] * shape[1], hash).reshape(*shape, -1)
    mode = random_mode(rng, hash)

    def run(device):
        forest = merklize.MerkleForest(leaves, hash, **mode, device=device)
        roots = forest.roots
        return (roots.numpy() if isinstance(roots, merklize.DeviceArray) else roots).tobytes()

    return run


JOBS = {name.removeprefix("job_"): function for name, function in list(globals().items()) if name.startswith("job_")}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("device")
    parser.add_argument("seconds", type=float)
    parser.add_argument("seed", type=int, nargs="?", default=time.time_ns() % 2**31)
    parser.add_argument("--job", choices=JOBS)
    args = parser.parse_args()
    counts = Counter()
    end = time.monotonic() + args.seconds
    for seed in range(args.seed, args.seed + 10**9):
        rng = random.Random(seed)
        name = rng.choice(list(JOBS))
        if args.job:
            name = args.job
        run = JOBS[name](rng)
        try:
            same = run("cpu") == run(args.device)
        except Exception:
            print(f"failed: {name}; again: differential.py {args.device} 1 {seed} --job {name}", file=sys.stderr)
            raise
        if not same:
            print(
                f"{args.device} and the CPU differ: {name}; again: differential.py {args.device} 1 {seed} --job {name}"
            )
            return 1
        counts[name] += 1
        if time.monotonic() >= end:
            break
    kinds = ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))
    print(f"{args.device}: {counts.total()} jobs are the same as on the CPU, from seed {args.seed}: {kinds}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

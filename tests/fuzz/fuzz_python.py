#!/usr/bin/env python3
"""Feeds mutated input to the parsers of the Python package: proofs, tree files, weights, nodes of ranks.

    fuzz_python.py [--seconds N] [--seed S] [--only proof|tree|weights|ranks] [--keep FOLDER]

The rules: no exception except merklize.Error; no changed input passes for the original; an input that a parser accepts
is the output of its writer. Inputs of tests/fuzz/corpus/python-* come first, and are mutated like valid ones. The input
that fails is written to FOLDER in the form that fuzz.hpp describes.
"""

import argparse
import contextlib
import functools
import hashlib
import json
import os
import pathlib
import random
import struct
import sys
import tempfile
import time

import merklize

CORPUS = pathlib.Path(__file__).parent / "corpus"
# fmt: off
WORDS = [
    b"", b"\0", b"\n", b"\r\n", b"\\", b"\\n", b"  ", b" *", b"BLAKE3 (", b") = ", b"\xff", b"\xef\xbf\xbd", b'"', b"{",
    b"]", b"-1", b"1e999", b"NaN", b"null", b"true", b"18446744073709551616", b"9" * 5000, b"[" * 5000,
    "\u0663\ud7ff".encode(),
]
# fmt: on
EDGES = [0, 1, 2, 3, 0x7F, 0x80, 0xFF]


def mutate(data, rng, kinds=7):
    """One to four changes: bits, edge bytes, cut and repeated parts, and words that parsers trip over.

    kinds  2: only changes that keep the length
    """
    data = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        at, end = sorted(rng.randint(0, len(data)) for _ in range(2))
        kind = rng.randrange(kinds)
        if kind == 0 and data:
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        elif kind == 1 and data:
            data[rng.randrange(min(len(data), 64))] = rng.choice(EDGES)
        elif kind == 2:
            del data[at:end]
        elif kind == 3:
            data[at:at] = data[at : min(end, at + 256)]
        elif kind == 4:
            data[at:at] = rng.choice(WORDS)
        elif kind == 5:
            data[at : at + rng.randint(0, 8)] = rng.choice(WORDS)
        else:
            data[at:at] = rng.randbytes(rng.randint(0, 40))
    return bytes(data)


# Hashes with the same merges of nodes, which hash rows differently. A proof of one is a proof of the other.
SAME_MERGES = {
    "poseidon2_goldilocks_12": "poseidon2_goldilocks_8",
    "poseidon_goldilocks_12": "poseidon_goldilocks_8",
    "poseidon_babybear_24": "poseidon_babybear_16",
    "poseidon_koalabear_24": "poseidon_koalabear_16",
    "poseidon2_babybear_24": "poseidon2_babybear_16",
    "poseidon2_koalabear_24": "poseidon2_koalabear_16",
    "rpo256_r2": "rpo256_r1",
}


def say_the_same(one, other):
    """Whether two proofs have the same claims. Sorted pairs have no left and right, so they do not show an index."""
    hashes = {SAME_MERGES.get(proof.hash, proof.hash) for proof in (one, other)}
    if "keccak256_sorted" in hashes:  # pairs that happen to be in order have the same merge by keccak256
        return hashes <= {"keccak256", "keccak256_sorted"} and facts(one)[1:] == facts(other)[1:]
    return len(hashes) == 1 and facts(one) == facts(other)


def facts(proof):
    """The claims of a proof, without its hash."""
    return proof.index, proof.leaf, tuple(proof.siblings)


@functools.cache
def corpus(name):
    """The inputs of a folder of the corpus."""

    def input_of(path):
        words = " ".join(line.split("#")[0] for line in path.read_text().splitlines()).split()
        return b"".join(
            bytes.fromhex(byte) * int(count or 1) for byte, _, count in (word.partition("*") for word in words)
        )

    return [input_of(path) for path in sorted((CORPUS / name).glob("*.hex"))]


class Target:
    """A parser under test. `folder` is the corpus folder of `input`, which is being tried."""

    folder, input = "", b""

    def inputs(self, rng):
        """Try each input of the corpus as it is. Return how many were accepted."""
        return sum(self.feed(folder, data, rng) for folder in self.folders for data in corpus(folder))

    def feed(self, folder, data, rng):
        self.folder, self.input = folder, data
        return self.judge(folder, data, rng)

    def kept(self, folder, rng):
        """Sometimes an input of the corpus, else None."""
        return rng.choice([*corpus(folder), *[None] * 20]) if rng.random() < 0.1 else None


class Proofs(Target):
    folders = ("python-proof",)

    def __init__(self):
        self.samples = []
        for name in merklize.HASHES:
            for n in (2, 32):
                leaves = [bytes(24) + k.to_bytes(8, "little") for k in range(n)]
                tree = merklize.MerkleTree(bytes_array(leaves), hash=name)
                self.samples += [(tree.prove(k), tree.root) for k in (0, n - 1)]

    def run(self, rng):
        proof, root = rng.choice(self.samples)
        as_json = rng.random() < 0.5
        good = self.kept(self.folders[0], rng) or (proof.to_json().encode() if as_json else proof.to_bytes())
        return self.feed(self.folders[0], mutate(good, rng), rng, proof, root, as_json)

    def feed(self, folder, data, rng, proof=None, root=None, as_json=None):
        if proof is None:
            return sum(self.feed(folder, data, rng, *self.samples[0], as_json) for as_json in (False, True))
        self.folder, self.input = folder, data
        parse = merklize.MerkleProof.from_json if as_json else merklize.MerkleProof.from_bytes
        parsed = None
        with contextlib.suppress(merklize.Error):
            parsed = parse(data)
        verified = merklize.verify(data.decode("latin-1") if as_json else data, root)
        if parsed is None:
            return False
        assert verified == parsed.verify(root), "verify() and the parser differ"
        # The verifier must know rule and number of leaves, because other trees have the same path (docs/layouts.md).
        known = {"n_leaves": proof.n_leaves, "rule": proof.rule}
        assert not parsed.verify(root, **known) or say_the_same(parsed, proof), "a changed proof verifies"
        assert parse(parsed.to_json() if as_json else parsed.to_bytes()) == parsed, "a proof changes when written again"
        assert as_json or parsed.to_bytes() == data, "from_bytes() takes what to_bytes() does not write"
        return True


class TreeFiles(Target):
    folders = ("python-tree",)

    def __init__(self):
        self.place = tempfile.TemporaryDirectory(prefix="merklize-fuzz-")
        self.path = os.path.join(self.place.name, "tree")
        self.samples = []
        for name in ("blake3", "rp64_256"):
            merklize.MerkleTree(bytes_array([bytes([k] * 7 + [0]) * 4 for k in range(8)]), hash=name).save(self.path)
            with open(self.path, "rb") as file:
                self.samples.append(file.read())

    def run(self, rng):
        good = self.kept(self.folders[0], rng) or rng.choice(self.samples)
        return self.feed(self.folders[0], mutate(good, rng, rng.choice((2, 7))), rng)

    def judge(self, folder, data, rng):
        with open(self.path, "wb") as file:
            file.write(data)
        try:
            with merklize.TreeFile(self.path) as tree:
                nodes = b"".join(tree.level(level).tobytes() for level in range(tree.height + 1))
                if tree.n_leaves == 0:
                    assert (data[128:], tree.root) == (b"", hashlib.sha256().digest()), "not the empty tree"
                    return True
                proof = tree.prove(rng.randrange(tree.n_leaves))
                assert nodes == data[128:], "nodes that are not the file's"
                if tree.check():
                    return False
                assert any(nodes == sample[128:] for sample in self.samples), "changed nodes pass the check"
                assert proof.verify(tree.root, n_leaves=tree.n_leaves), "a proof out of a checked tree does not verify"
        except merklize.Error:
            return False
        return True


class Weights(Target):
    """Headers of safetensors files, and manifests."""

    folders = ("python-weights-header", "python-weights-text")

    def __init__(self):
        self.place = tempfile.TemporaryDirectory(prefix="merklize-fuzz-")
        self.path = os.path.join(self.place.name, "m.safetensors")
        fields = {"__metadata__": {"a": "b"}}
        fields["one"] = {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}
        fields["none"] = {"dtype": "BF16", "shape": [0], "data_offsets": [24, 24]}
        fields["two"] = {"dtype": "U8", "shape": [5], "data_offsets": [24, 29]}
        self.header, self.data = json.dumps(fields).encode(), bytes(range(29))
        self.write(self.header)
        self.manifest = merklize.manifest(self.place.name)
        self.text = self.manifest.to_json().encode()

    def write(self, header, length=None):
        with open(self.path, "wb") as file:
            file.write(struct.pack("<Q", len(header) if length is None else length) + header + self.data)

    def run(self, rng):
        folder, good = rng.choice(list(zip(self.folders, (self.header, self.text), strict=True)))
        return self.feed(folder, mutate(self.kept(folder, rng) or good, rng), rng)

    def judge(self, folder, data, rng):
        return self.judge_header(data, rng) if folder == self.folders[0] else self.judge_text(data)

    def judge_header(self, header, rng):
        self.write(header, rng.choice(EDGES) if rng.random() < 0.05 else None)
        try:
            made = merklize.manifest(self.path)
        except merklize.Error:
            assert not self.manifest.check(self.place.name), "a file that is refused passes a check"
            return False
        assert sum(tensor.size for tensor in made.tensors.values()) == len(self.data), "bytes that belong to no tensor"
        assert merklize.Manifest.from_json(made.to_json()) == made, "a manifest changes when read back"
        assert header == self.header or not self.manifest.check(self.place.name), "a changed header passes a check"
        return True

    def judge_text(self, text):
        try:
            found = merklize.Manifest.from_json(text)
        except merklize.Error:
            return False
        assert (found.root == self.manifest.root) == (not self.manifest.diff(found)), "one root for other tensors"
        assert merklize.Manifest.from_json(found.to_json()) == found, "a manifest changes when written again"
        return True


class Ranks(Target):
    """What a rank tells of its part of a sharded model."""

    folders = ("python-ranks",)

    def __init__(self):
        import numpy as np

        from merklize import sharded

        self.combine = sharded.combine
        tensor = np.arange(3 * 70 * 50, dtype=np.uint16).reshape(3, 70, 50)
        flat = tensor.reshape(-1)
        by_rows = [[sharded.Box("t", tensor.shape, (0, k, 0), tensor[:, k : k + 35])] for k in (0, 35)]
        ranges = [sharded.flat("t", tensor.shape, k, flat[k : k + 5250]) for k in (0, 5250)]
        norm = sharded.Box("norm", (3,), (0,), np.ones(3, np.float32))
        self.samples = [
            [sharded.nodes([*mine, norm], tiles=tiles) for mine in cut] for cut in (by_rows, ranges) for tiles in (0, 1)
        ]
        self.known = self.combine(self.samples[0])

    def run(self, rng):
        self.others = rng.choice(self.samples)
        return self.feed(self.folders[0], mutate(self.kept(self.folders[0], rng) or self.others[1], rng), rng)

    def judge(self, folder, data, rng):
        try:
            found = self.combine([self.others[0], data])
        except merklize.Error:
            return False
        assert (found.root == self.known.root) == (found == self.known), "one root for other tensors"
        return True


def bytes_array(leaves):
    import numpy as np

    return np.frombuffer(b"".join(leaves), np.uint8).reshape(-1, 32)


def keep(target, why, folder):
    """Write the input that is being tried to the corpus."""
    path = pathlib.Path(folder, target.folder, hashlib.sha256(target.input).hexdigest()[:12] + ".hex")
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [target.input[at : at + 32].hex(" ") for at in range(0, len(target.input), 32)]
    path.write_text("\n".join([f"# {why}", *lines, ""]))
    print(f"kept as {path}", flush=True)


def fuzz(name, target, seconds, seed, folder):
    rng = random.Random(f"{name} {seed}")
    end = time.monotonic() + seconds
    n = taken = 0
    try:
        target.inputs(rng)
        while time.monotonic() < end:
            taken += target.run(rng)
            n += 1
    except Exception as error:
        why = f"input {n} of seed {seed}: {type(error).__name__}: {error}"
        print(f"{name}: FAILED at {why}", flush=True)
        if folder:
            keep(target, why.splitlines()[0], folder)
        raise
    print(f"{name}: {n} inputs, {taken} of them taken, no fault (seed {seed}, {seconds:g} s)", flush=True)


def main():
    targets = {"proof": Proofs, "tree": TreeFiles, "weights": Weights, "ranks": Ranks}
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=10, help="for each parser")
    parser.add_argument("--seed", type=int, default=20261120)
    parser.add_argument("--only", choices=targets)
    parser.add_argument("--keep", metavar="FOLDER", help="where an input that fails is written")
    options = parser.parse_args()
    for name, make in targets.items():
        if options.only in (None, name):
            fuzz(name, make(), options.seconds, options.seed, options.keep)


if __name__ == "__main__":
    sys.exit(main())

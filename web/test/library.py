"""Proofs and tree files as the library makes them, for the tests in Node: JSON to the file that is named."""

from __future__ import annotations

import json
import random
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import merklize

SIZES = [1, 2, 3, 5, 8, 13]


def leaves_of(n: int) -> Any:
    """Digests of every hash: words below each modulus."""
    generator = np.random.default_rng(n)
    return generator.integers(0, 0x78000001, size=(n, 8), dtype=np.uint32).view(np.uint8).reshape(n, 32)


def holds(check: Any, data: bytes) -> bool:
    try:
        return bool(check(merklize.proof.from_bytes(data)))
    except merklize.InvalidArgument:
        return False


def entry(proof: Any, check: Any, **facts: Any) -> dict[str, Any]:
    """The library's verdicts on the proof with one bit flipped, for each bit that the test flips."""
    data = proof.to_bytes()
    flipped = {}
    for at in range(0, len(data), 1 + len(data) // 24):
        wrong = bytearray(data)
        wrong[at] ^= 1 << at % 8
        flipped[str(at)] = holds(check, bytes(wrong))
    return {"proof": data.hex(), "json": proof.to_json(), "flipped": flipped, **facts}


def main() -> None:
    random.seed(1)
    proofs, trees = [], []
    key = bytes(range(32))
    for name in merklize.HASHES:
        for rule in ("perfect", "left_full", "pad", "duplicate_last"):
            for n in SIZES:
                if rule == "perfect" and n & (n - 1):
                    continue
                for keyed in (False, True) if name == "blake3" else (False,):
                    add(proofs, trees, name, rule, n, key if keyed else None)
    Path(sys.argv[1]).write_text(
        json.dumps({"proofs": proofs, "trees": trees, "formats": list(formats()), "pieces": list(pieces())})
    )


def formats() -> Iterator[dict[str, Any]]:
    """The values that each format fixes, and roots by it."""
    leaves = leaves_of(4)
    records = [leaf.tobytes() * 2 for leaf in leaves]
    for name, found in merklize.formats.FORMATS.items():
        if found.needs:
            continue
        tree = merklize.MerkleTree(leaves, format=name, device="cpu")
        facts = {"name": name, "hash": tree.hash, "rule": tree.rule, "root": tree.root.hex()}
        facts["leaves"] = [leaf.tobytes().hex() for leaf in leaves]
        facts["records"] = [record.hex() for record in records]
        if found.leaf_hash is not None:
            hashed = merklize.MerkleTree.from_messages(records, format=name, device="cpu")
            facts["root_of_records"] = hashed.root.hex()
        yield facts


def pieces() -> Iterator[dict[str, Any]]:
    """PieceCIDs at the edges of the 260096 bytes that web/js/piece.js hashes at once; the bytes count from 0 to 250."""
    for size in (0, 127, 9000, *(260096 * units + off for units in (1, 2, 3, 4, 5, 7, 8) for off in (-1, 0, 1))):
        found = merklize.formats.piece_cid(bytes(i % 251 for i in range(size)))
        yield {"size": size, "v1": found.v1, "v2": found.v2, "root": found.root.hex(), "height": found.height}


def add(proofs: list[Any], trees: list[Any], name: str, rule: str, n: int, key: bytes | None) -> None:
    leaves = leaves_of(n)
    tree = merklize.MerkleTree(leaves, hash=name, rule=rule, key=key, device="cpu")
    root = tree.root
    facts = {"hash": name, "root": root.hex(), "key": None if key is None else key.hex()}

    def check(proof: Any) -> bool:
        return isinstance(proof, (merklize.MerkleProof, merklize.MultiProof)) and proof.verify(root, key=key)

    proofs.append(entry(tree.prove(n - 1), check, **facts))
    some = sorted(random.sample(range(n), random.randint(1, n)))
    proofs.append(entry(tree.prove_together(some), check, **facts))
    first = random.randrange(n)
    proofs.append(entry(tree.prove_range(first, random.randint(first + 1, n)), check, **facts))
    if rule == "left_full":
        for old in {1, n // 2 + 1, n}:
            old_root = merklize.MerkleTree(leaves[:old], hash=name, rule=rule, key=key, device="cpu").root

            def grown(proof: Any, older: bytes = old_root) -> bool:
                return isinstance(proof, merklize.ConsistencyProof) and proof.verify(older, root, key=key)

            proofs.append(entry(tree.prove_consistency(old), grown, old_root=old_root.hex(), **facts))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "tree.mkl")
        tree.save(path)
        trees.append({"file": path.read_bytes().hex(), "rule": rule, "n_leaves": n, **facts})


if __name__ == "__main__":
    main()

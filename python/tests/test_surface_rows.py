"""The rows of tests/vectors/surface.json: calls with their results and errors, the same in all languages."""

from __future__ import annotations

import inspect
import json
from pathlib import Path

import numpy as np
import pytest

import merklize
from merklize import bao, formats, parts

FILE = json.loads((Path(__file__).parents[2] / "tests/vectors/surface.json").read_text())
ROWS = [row for row in FILE["rows"] if FILE["calls"][row["call"]]["python"] and "python" not in row.get("without", {})]


def counted(n):
    return None if n is None else bytes(i % 251 for i in range(n))


def digest(i):
    return np.full((1, 32), 255, np.uint8) if i == 255 else np.array([[i, *[0] * 31]], np.uint8)


def some(n):
    return np.concatenate([digest(i) for i in range(n)]) if n else np.empty((0, 32), np.uint8)


def text_of(nodes):
    return np.ascontiguousarray(nodes).tobytes().hex()


def blake3(data):
    return merklize.hash(data).hex()


def tree_of(leaves, hash, key=None, **options):
    return merklize.MerkleTree(some(leaves), hash, key=counted(key), **options)


def hash_(data, hash, key=None, **options):
    return merklize.hash(counted(data), hash=hash, key=counted(key), **options).hex()


def merkle_root(leaves, hash, key=None, **options):
    return merklize.merkle_root(some(leaves), hash, key=counted(key), **options).hex()


def ssz(leaves, **options):
    return formats.ssz(some(leaves).tobytes(), **options).hex()


CALLS = {
    "hash": hash_,
    "hash_named": lambda name: merklize.hash(b"", hash=name),
    "hash_each": lambda messages, hash: b"".join(merklize.hash_each(map(counted, messages), hash=hash)).hex(),
    "merge": lambda left, right, hash: text_of(merklize.merge(digest(left), digest(right), hash=hash)),
    "merkle_root": merkle_root,
    "tree": tree_of,
    "level": lambda leaves, hash, level: text_of(tree_of(leaves, hash).level(level)),
    "cap": lambda leaves, hash, height: text_of(tree_of(leaves, hash).cap(height)),
    "prove": lambda leaves, hash, index: blake3(tree_of(leaves, hash).prove(index).to_bytes()),
    "prove_together": lambda leaves, hash, indices: blake3(tree_of(leaves, hash).prove_together(indices).to_bytes()),
    "prove_range": lambda leaves, hash, first, last: blake3(tree_of(leaves, hash).prove_range(first, last).to_bytes()),
    "prove_consistency": lambda leaves, hash, old_leaves: blake3(
        tree_of(leaves, hash).prove_consistency(old_leaves).to_bytes()
    ),
    "forest": lambda leaves, n_leaves: text_of(merklize.MerkleForest(some(leaves).reshape(-1, n_leaves, 32)).roots),
    "format": lambda name: merklize.MerkleTree(some(1), format=name),
    "device": lambda name: merklize.hash(b"", device=name),
    "ssz": ssz,
    "fs_verity": lambda data, **options: formats.fs_verity(counted(data), **options).hex(),
    "glacier": lambda data: formats.glacier(counted(data)).hex(),
    "bittorrent_v2": lambda data, piece_length: formats.bittorrent_v2(counted(data), piece_length).root.hex(),
    "piece_cid": lambda data: str(formats.piece_cid(counted(data)).v2),
    "bao_outboard": lambda data, group_log: blake3(bao.outboard(counted(data), group_size=1024 << group_log).outboard),
    "openzeppelin": lambda leaves: formats.openzeppelin_simple([bytes(leaf) for leaf in some(leaves)]).root.hex(),
    "value_of_pieces": lambda leaves: parts.value_of_pieces(some(leaves)).hex(),
    "digest_of_pieces": lambda leaves: parts.digest_of_pieces(some(leaves)).hex(),
}


def test_calls_are_known():
    assert set(CALLS) == {name for name, call in FILE["calls"].items() if call["python"]}
    assert len(ROWS) > 190


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['call']} {row['with']}")
def test_row(row):
    call, given = CALLS[row["call"]], row["with"]
    inspect.signature(call).bind(**given)  # a row with an argument that the runner does not know
    if "gives" in row:
        assert call(**given) == row["gives"]
        return
    rule = row.get("but", {}).get("python", row["refuses"])
    text = rule[1:] if rule.startswith("!") else f"{FILE['calls'][row['call']]['python']}: {rule}"
    with pytest.raises(
        merklize.Unavailable if row.get("kind") == "unavailable" else merklize.InvalidArgument
    ) as caught:
        call(**given)
    got = str(caught.value)
    assert got.startswith(text[:-3]) if text.endswith("...") else got == text

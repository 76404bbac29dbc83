"""The rows of tests/vectors/surface.json: calls with their results and errors, the same in all languages."""

from __future__ import annotations

import inspect
import json
from pathlib import Path

import numpy as np
import pytest

import merklize
from merklize import bao, formats, parts, xmss

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


def changed(tree, method, *arguments):
    getattr(tree, method)(*arguments)
    return tree.root.hex()


def words_of(items, at=None):
    """Items as they are listed, or 1, 2, ... for a number of them; `at` has a place, and the item there."""
    words = items if isinstance(items, list) else list(range(1, items + 1))
    return [*words[: at[0]], at[1], *words[at[0] + 1 :]] if at else words


def extend(words, rows, words_at=None, **options):
    matrix = np.array(words_of(words, words_at), np.uint64).reshape(rows, -1)
    return blake3(merklize.prover.extend(matrix, **options))


def poseidon2(constants, diagonal, constants_at=None, diagonal_at=None, **options):
    constants, diagonal = words_of(constants, constants_at), words_of(diagonal, diagonal_at)
    return merklize.prover.poseidon2(constants=constants, diagonal=diagonal, **options)


def poseidon(constants, matrix, constants_at=None, matrix_at=None, **options):
    constants, matrix = words_of(constants, constants_at), words_of(matrix, matrix_at)
    return merklize.prover.poseidon(constants=constants, matrix=matrix, **options)


def of_file(call, path, **options):
    """`call` with an input: blocks, rows, or the leaves themselves."""
    return call(path, leaves=not {"leaf_size", "row_size"} & options.keys(), **options).root.hex()


def hash_(data, hash, key=None, **options):
    return merklize.hash(counted(data), hash=hash, key=counted(key), **options).hex()


def merkle_root(leaves, hash, key=None, **options):
    return merklize.merkle_root(some(leaves), hash, key=counted(key), **options).hex()


def ssz(leaves, **options):
    return formats.ssz(some(leaves).tobytes(), **options).hex()


def openzeppelin(leaves):
    return formats.openzeppelin_simple([bytes(leaf) for leaf in some(leaves)])


def xmss_sign(epoch, message):
    (key,) = xmss.keys(counted(32), 1000, 1003)
    return key.sign(epoch, counted(message))


def xmss_verify(epoch, at):
    (key,) = xmss.keys(counted(32), 1000, 1003)
    is_valid = xmss.verify(key.public_key, at, counted(32), key.sign(epoch, counted(32)))
    return "valid" if is_valid else "not valid"


CALLS = {
    "hash": hash_,
    "hash_named": lambda name: merklize.hash(b"", hash=name),
    "hash_each": lambda messages, hash: b"".join(merklize.hash_each(map(counted, messages), hash=hash)).hex(),
    "hash_file": lambda path, hash: merklize.hash_file(path, hash=hash).hex(),
    "hasher": lambda data, hash, key=None, **options: (
        merklize.Hasher(counted(data), hash=hash, key=counted(key), **options).digest().hex()
    ),
    "poseidon2": poseidon2,
    "poseidon": poseidon,
    "extend": extend,
    "merge": lambda left, right, hash, key=None, **options: text_of(
        merklize.merge(digest(left), digest(right), hash=hash, key=counted(key), **options)
    ),
    "merkle_root": merkle_root,
    "tree": lambda **tree: tree_of(**tree).root.hex(),
    "from_messages": lambda messages, hash: merklize.MerkleTree.from_messages(map(counted, messages), hash).root.hex(),
    "update": lambda indices, values, **tree: changed(tree_of(**tree), "update", indices, some(values)),
    "append": lambda values, **tree: changed(tree_of(**tree), "append", some(values)),
    "from_file": lambda path, **options: of_file(merklize.MerkleTree.from_file, path, **options),
    "merkle_root_file": lambda path, **options: of_file(merklize.merkle_root_file, path, **options),
    "tree_file": lambda path: merklize.TreeFile(path),
    "level": lambda leaves, hash, level: text_of(tree_of(leaves, hash).level(level)),
    "cap": lambda leaves, hash, height: text_of(tree_of(leaves, hash).cap(height)),
    "prove": lambda index, **tree: blake3(tree_of(**tree).prove(index).to_bytes()),
    "prove_together": lambda leaves, hash, indices: blake3(tree_of(leaves, hash).prove_together(indices).to_bytes()),
    "prove_range": lambda leaves, hash, first, last: blake3(tree_of(leaves, hash).prove_range(first, last).to_bytes()),
    "prove_consistency": lambda old_leaves, **tree: blake3(tree_of(**tree).prove_consistency(old_leaves).to_bytes()),
    "forest": lambda leaves, n_leaves: text_of(merklize.MerkleForest(some(leaves).reshape(-1, n_leaves, 32)).roots),
    "format": lambda name: merklize.MerkleTree(some(1), format=name),
    "device": lambda name: merklize.hash(b"", device=name),
    "ssz": ssz,
    "fs_verity": lambda data, salt=0, **options: formats.fs_verity(counted(data), salt=bytes(salt), **options).hex(),
    "glacier": lambda data: formats.glacier(counted(data)).hex(),
    "bittorrent_v2": lambda data, piece_length: formats.bittorrent_v2(counted(data), piece_length).root.hex(),
    "dm_verity": lambda data, salt=0, **options: formats.dm_verity(counted(data), salt=bytes(salt), **options).hex(),
    "piece_cid": lambda data: str(formats.piece_cid(counted(data)).v2),
    "bao_outboard": lambda data, group_log: blake3(bao.outboard(counted(data), group_size=1024 << group_log).outboard),
    "openzeppelin": lambda leaves: openzeppelin(leaves).root.hex(),
    "openzeppelin_prove": lambda leaves, index: b"".join(openzeppelin(leaves).prove(index)).hex(),
    "xmss_keys": lambda seeds, first_epoch, last_epoch: "".join(
        key.public_key.hex() for key in xmss.keys(counted(seeds), first_epoch, last_epoch)
    ),
    "xmss_sign": lambda epoch, message: blake3(xmss_sign(epoch, message)),
    "xmss_verify": xmss_verify,
    "value_of_pieces": lambda leaves: parts.value_of_pieces(some(leaves)).hex(),
    "digest_of_pieces": lambda leaves: parts.digest_of_pieces(some(leaves)).hex(),
}


def test_calls_are_known():
    assert set(CALLS) == {name for name, call in FILE["calls"].items() if call["python"]}
    assert len(ROWS) > 290


KINDS = {"unavailable": merklize.Unavailable, "io": merklize.FileError}
OF_FILES = {"hash_file", "from_file", "merkle_root_file", "tree_file"}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['call']} {row['with']}")
def test_row(row, tmp_path):
    call, arguments = CALLS[row["call"]], dict(row["with"])
    if row["call"] in OF_FILES:
        arguments["path"] = tmp_path / "input" if "file" in arguments else "/nowhere/file"
        if "file" in arguments:
            arguments["path"].write_bytes(counted(arguments.pop("file")))
    inspect.signature(call).bind(**arguments)  # a row with an argument that the runner does not know
    if "gives" in row:
        assert call(**arguments) == row["gives"]
        return
    rule = row.get("but", {}).get("python", row["refuses"]).replace("{file}", str(arguments.get("path")))
    text = rule[1:] if rule.startswith("!") else f"{FILE['calls'][row['call']]['python']}: {rule}"
    with pytest.raises(KINDS.get(row.get("kind"), merklize.InvalidArgument)) as caught:
        call(**arguments)
    got = str(caught.value)
    assert got.startswith(text[:-3]) if text.endswith("...") else got == text

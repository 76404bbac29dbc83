"""Filecoin's PieceCID, compared with the output of @web3-storage/data-segment 5.3.0 and the rule in plain Python."""

import base64
import hashlib
import json
import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import merklize
from cli_helpers import merklize as command
from merklize import FileError
from merklize.formats import piece_cid, piece_leaves
from oracle import VECTORS
from store_fixtures import DATA, MIB, SECRET

# PieceCIDs of n bytes that count from 0 to 250.
KNOWN = {int(size): v2 for size, v2 in json.loads((VECTORS / "piece_cid.json").read_text())["v2"].items()}
RANDOM = random.Random(20261125)
MASK = (1 << 254) - 1


def data_of(size):
    return bytes(i % 251 for i in range(251)) * (size // 251) + bytes(range(size % 251))


def tree_of(data):
    """Root, height and padding by the rule: leaves and nodes have 254 bits, and zeros follow the data."""
    height = 2
    while 127 << height - 2 < len(data):
        height += 1
    bits = int.from_bytes(data, "little")
    nodes = [(bits >> 254 * leaf & MASK).to_bytes(32, "little") for leaf in range(1 << height)]
    while len(nodes) > 1:
        pairs = (hashlib.sha256(nodes[i] + nodes[i + 1]).digest() for i in range(0, len(nodes), 2))
        nodes = [node[:31] + bytes([node[31] & 0x3F]) for node in pairs]
    return nodes[0], height, (127 << height - 2) - len(data)


def varint(number):
    return bytes([number]) if number < 128 else bytes([number & 127 | 128]) + varint(number >> 7)


def text_of(cid):
    return "b" + base64.b32encode(cid).decode().rstrip("=").lower()


@pytest.mark.parametrize("size", KNOWN)
def test_known_answers(size, tmp_path):
    piece = piece_cid(data_of(size))
    assert piece.v2 == KNOWN[size]
    (tmp_path / "data").write_bytes(data_of(size))
    assert piece_cid(tmp_path / "data") == piece_cid(data_of(size), threads=1) == piece


EDGES = [127 * 2**k + d for k in range(9) for d in (-1, 0, 1)]


@pytest.mark.parametrize("size", [0, 1, 31, 32, 33, *EDGES, *(RANDOM.randrange(60_000) for _ in range(20))])
def test_against_the_rule(size):
    data = RANDOM.randbytes(size)
    root, height, padding = tree_of(data)
    piece = piece_cid(data)
    assert (piece.root, piece.height, piece.size, piece.padded_size) == (root, height, size, 32 << height)
    assert piece.v1 == text_of(b"\x01" + varint(0xF101) + varint(0x1012) + varint(32) + root)
    value = varint(padding) + bytes([height]) + root
    assert piece.v2 == text_of(b"\x01" + varint(0x55) + varint(0x1011) + varint(len(value)) + value)


@pytest.mark.parametrize("units", [2, 3, 5, 9])
def test_the_top_of_several_units(units):
    """A unit of 1040384 bytes is a subtree of height 15. The top of the tree is computed from the units' roots."""
    data = RANDOM.randbytes(1040384 * (units - 1) + RANDOM.randrange(1, 1040384))

    def merge(left, right):
        node = hashlib.sha256(left + right).digest()
        return node[:31] + bytes([node[31] & 0x3F])

    zeros = bytes(32)
    for _ in range(15):
        zeros = merge(zeros, zeros)
    parts = [data[at : at + 1040384].ljust(1040384, b"\0") for at in range(0, len(data), 1040384)]
    nodes = [piece_cid(part).root for part in parts]
    while len(nodes) > 1:
        nodes += [zeros] * (len(nodes) % 2)
        nodes = [merge(nodes[i], nodes[i + 1]) for i in range(0, len(nodes), 2)]
        zeros = merge(zeros, zeros)
    assert piece_cid(data).root == nodes[0]


@pytest.mark.parametrize("size", [1, 127, 128, 5000, 100_000])
def test_proofs_of_ranges(size):
    """Leaves are 254 bits each, as one integer says them; a range proof holds for its own bytes alone."""
    data = data_of(size)
    leaves = piece_leaves(data)
    bits = int.from_bytes(data, "little")
    assert leaves.tobytes() == b"".join(
        (bits >> 254 * i & 2**254 - 1).to_bytes(32, "little") for i in range(len(leaves))
    )
    tree = merklize.MerkleTree(leaves, "sha256_trunc254", rule="pad")
    assert tree.root == piece_cid(data).root
    first, last = 127 * (size // 500), min(size, 127 * (size // 500 + 2))
    proof = tree.prove_range(first // 127 * 4, -(-last // 127) * 4)
    assert np.array_equal(proof.leaves, piece_leaves(data[first:last]))
    assert merklize.verify(proof, tree.root, n_leaves=len(leaves))
    changed = bytearray(data[first:last])
    changed[0] ^= 1
    assert not np.array_equal(proof.leaves, piece_leaves(changed))
    assert not merklize.verify(proof, piece_cid(bytes(changed)).root)


def test_command(tmp_path):
    program = os.environ.get("MERKLIZE_COMMAND") or Path(sys.executable).with_name("merklize")
    file, data = tmp_path / "data", data_of(100_000)
    file.write_bytes(data)
    piece = piece_cid(data)

    def told(*words):
        return subprocess.run([program, "piece", file, *words], capture_output=True, text=True, check=True).stdout

    assert told() == f"{piece.v2}\n"
    assert told("--v1") == f"{piece.v1}\n"
    fields = {"v2": piece.v2, "v1": piece.v1, "root": piece.root.hex(), "bytes": 100_000, "padded_bytes": 1 << 17}
    assert json.loads(told("--json")) == {"name": str(file), **fields}


def test_mistakes(tmp_path):
    with pytest.raises(FileError, match="nothing"):
        piece_cid(tmp_path / "nothing")
    large = tmp_path / "large"
    large.touch()
    os.truncate(large, (1 << 36) // 128 * 127 + 1)
    with pytest.raises(ValueError, match=r"at most 68182605824 bytes, those of a piece of 64 GiB, got 68182605825"):
        piece_cid(large)


@pytest.mark.xdist_group("stores")
@pytest.mark.usefixtures("small_ranges")
def test_an_object(http, tmp_path):
    (tmp_path / "x").write_bytes(DATA)
    expected, url = piece_cid(DATA), http.url("x?sig=" + SECRET)
    assert piece_cid(url) == piece_cid(tmp_path / "x") == piece_cid(f"file://{tmp_path}/x") == expected
    http.objects["empty"] = b""
    assert piece_cid(http.url("empty")) == piece_cid(b"")
    assert piece_cid(http.url("x"), threads=1) == expected
    with pytest.raises(FileNotFoundError, match="there is no such object") as caught:
        piece_cid(http.url("none?sig=" + SECRET))
    assert SECRET not in str(caught.value)
    told = command("piece", url, "--json")
    assert (told.returncode, SECRET in (told.stdout + told.stderr).decode()) == (0, False)
    assert json.loads(told.stdout)["v2"] == expected.v2

    def change(server, path, start, end):
        if start >= 3 * MIB:
            server.objects["x"] = DATA[::-1]

    http.fault = change
    with pytest.raises(FileError, match="changed while being read"):
        piece_cid(http.url("x"))

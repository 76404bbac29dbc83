#!/usr/bin/env python3
"""Writes tests/vectors/sha256_rfc6962.json with Python's hashlib (OpenSSL).

Byte i of an input is i mod 251. `leaf` and the merges have RFC 6962's prefixes. The roots are those of the eight leaves
of Certificate Transparency's own tests, computed here by RFC 6962, section 2.1, and compared with the published ones.
"""

import hashlib
import json
import pathlib
import sys

TARGET = pathlib.Path(__file__).resolve().parent.parent / "tests" / "vectors" / "sha256_rfc6962.json"
LENGTHS = [*range(201), 247, 248, 255, 256, 257, 1023, 1024, 1025, 4096, 10000]
CT_LEAVES = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"]
CT_ROOTS = {
    1: "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    2: "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    3: "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    4: "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    5: "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    6: "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    7: "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    8: "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
}


def sha256(data):
    return hashlib.sha256(data).digest()


def pattern(length, first=0):
    return bytes((first + i) % 251 for i in range(length))


def tree_hash(leaves):
    """RFC 6962's Merkle tree hash of at least one leaf."""
    if len(leaves) == 1:
        return sha256(b"\0" + leaves[0])
    split = 1 << (len(leaves) - 1).bit_length() - 1
    return sha256(b"\1" + tree_hash(leaves[:split]) + tree_hash(leaves[split:]))


def generate():
    messages = [
        {"input_len": n, "sha256": sha256(pattern(n)).hex(), "leaf": sha256(b"\0" + pattern(n)).hex()} for n in LENGTHS
    ]
    pairs = [(bytes(32), bytes(32)), (b"\xff" * 32, b"\xff" * 32)]
    pairs += [(pattern(32, 7 * k), pattern(32, 7 * k + 100)) for k in range(20)]
    merges = [{"left": a.hex(), "right": b.hex(), "digest": sha256(b"\1" + a + b).hex()} for a, b in pairs]
    leaves = [bytes.fromhex(leaf) for leaf in CT_LEAVES]
    roots = [tree_hash(leaves[:n]).hex() for n in range(1, len(leaves) + 1)]
    assert roots == list(CT_ROOTS.values())
    vectors = {
        "source": "scripts/generate_sha256_vectors.py with Python's hashlib; byte i of an input is i mod 251",
        "messages": messages,
        "merges": merges,
        "rfc6962_leaves": CT_LEAVES,
        "rfc6962_roots": roots,
    }
    return json.dumps(vectors, indent=1) + "\n"


if __name__ == "__main__":
    text = generate()
    if sys.argv[1:] == ["--check"]:
        sys.exit(0 if TARGET.read_text() == text else f"{TARGET.name} is not what its generator writes")
    TARGET.write_text(text)

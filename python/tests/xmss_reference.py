"""Ethereum's XMSS keys (ethereum/cryptography-specs, the instance of 1208-byte signatures) by hashlib alone.

Run as a program, it writes tests/vectors/xmss.json.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import NamedTuple

TARGET = Path(__file__).resolve().parents[2] / "tests" / "vectors" / "xmss.json"
N, CHAINS, CHAIN_LENGTH, HEIGHT, SUM = 16, 42, 8, 32, 195
SIGNATURE_SIZE = CHAINS * N + 24 + HEIGHT * N


def tweak_hash(kind: int, sub: int, index: int, payload: bytes, parameter: bytes) -> bytes:
    address = b"".join(word.to_bytes(4, "little") for word in (kind << 8, sub, 0, index))
    return hashlib.blake2s(address + parameter + payload).digest()


def along_a_chain(chain: int, epoch: int, value: bytes, first: int, last: int, parameter: bytes) -> bytes:
    for step in range(first, last):
        value = tweak_hash(1, CHAIN_LENGTH * chain + step, epoch, value, parameter)[:N]
    return value


def leaf_of(epoch: int, ends: list[bytes], parameter: bytes) -> bytes:
    return tweak_hash(2, 0, epoch, b"".join(ends), parameter)[:N]


def parent(level: int, index: int, left: bytes, right: bytes, parameter: bytes) -> bytes:
    return tweak_hash(3, level, index, left + right, parameter)[:N]


def digits_of(message: bytes, randomizer: bytes, epoch: int, parameter: bytes) -> list[int] | None:
    """The 42 digits that are signed, or None: this randomizer is none of the message."""
    digest = tweak_hash(4, 0, epoch, message + randomizer + bytes(8), parameter)
    digits = []
    for half in (digest[:8], digest[8:16]):
        number = int.from_bytes(half, "little")
        if number >= 1 << 63:
            return None
        digits += [number >> 3 * i & 7 for i in range(21)]
    return digits if sum(digits) == SUM else None


class Key(NamedTuple):
    """The key of the epochs first to last, both in it."""

    seed: bytes
    first: int
    last: int

    @property
    def parameter(self) -> bytes:
        return tweak_hash(5, 0, 0, self.seed, bytes(N))[:N]

    @property
    def public_key(self) -> bytes:
        return node(self, HEIGHT, 0) + self.parameter

    def secret(self, chain: int, epoch: int) -> bytes:
        return tweak_hash(0, chain, epoch, self.seed, self.parameter)[:N]

    def path(self, epoch: int) -> list[bytes]:
        return [node(self, level, epoch >> level ^ 1) for level in range(HEIGHT)]

    def sign(self, epoch: int, message: bytes) -> bytes:
        attempt, digits, parameter = 0, None, self.parameter
        while digits is None:
            randomizer = tweak_hash(7, attempt, epoch, self.seed + message, parameter)[:24]
            digits = digits_of(message, randomizer, epoch, parameter)
            attempt += 1
        values = (along_a_chain(i, epoch, self.secret(i, epoch), 0, d, parameter) for i, d in enumerate(digits))
        return b"".join((*values, randomizer, *self.path(epoch)))


@cache
def node(key: Key, level: int, index: int) -> bytes:
    parameter = key.parameter
    if index < key.first >> level or index > key.last >> level:
        return tweak_hash(6, level, index, key.seed, parameter)[:N]
    if level > 0:
        left, right = (node(key, level - 1, child) for child in (2 * index, 2 * index + 1))
        return parent(level, index, left, right, parameter)
    secrets = (key.secret(chain, index) for chain in range(CHAINS))
    ends = [along_a_chain(i, index, secret, 0, CHAIN_LENGTH - 1, parameter) for i, secret in enumerate(secrets)]
    return leaf_of(index, ends, parameter)


def verify(public_key: bytes, epoch: int, message: bytes, signature: bytes) -> bool:
    if len(public_key) != 2 * N or len(message) != 32 or len(signature) != SIGNATURE_SIZE or not 0 <= epoch < 2**32:
        return False
    parameter = public_key[N:]
    values, randomizer, siblings = signature[: CHAINS * N], signature[CHAINS * N :][:24], signature[-HEIGHT * N :]
    digits = digits_of(message, randomizer, epoch, parameter)
    if digits is None:
        return False
    ends = [
        along_a_chain(i, epoch, values[N * i :][:N], digit, CHAIN_LENGTH - 1, parameter)
        for i, digit in enumerate(digits)
    ]
    found = leaf_of(epoch, ends, parameter)
    for level in range(HEIGHT):
        sibling = siblings[N * level :][:N]
        pair = (sibling, found) if epoch >> level & 1 else (found, sibling)
        found = parent(level + 1, epoch >> level + 1, *pair, parameter)
    return found == public_key[:N]


COUNTING = bytes(range(32))
# The names of vectors in tests/xmss of ethereum/cryptography-specs, and the public keys published there.
PUBLISHED = {
    "key_gen_epoch_zero": (0, 3, "febc365e0b1f38bd16acba8d13d2915fc487ed3aef7201c095bf4c74aad6b6e3"),
    "key_gen_extended_range": (0, 4, "ed0d3c8e7cf085e06979d7b4754d7638c487ed3aef7201c095bf4c74aad6b6e3"),
    "key_gen_single_epoch": (7, 7, "f492c3ac44d272c0f0a7991cadf19d34c487ed3aef7201c095bf4c74aad6b6e3"),
    "key_gen_middle_epochs": (2**31 - 2, 2**31 + 2, "07026c81c8fa121eddb228724a98f424c487ed3aef7201c095bf4c74aad6b6e3"),
    "key_gen_max_epoch": (2**32 - 4, 2**32 - 1, "894a97973e6be26540ec69b83f72ebb3c487ed3aef7201c095bf4c74aad6b6e3"),
}
# First and last epoch of more keys: one epoch, odd ends, ends at and beside powers of two, some hundred epochs.
RANGES = [
    *((0, 0), (1, 1), (2**32 - 1, 2**32 - 1), (5, 10), (1, 2), (255, 256), (256, 511), (1023, 1025), (2047, 2049)),
    *((65530, 65540), (2**20 - 1, 2**20), (2**31 - 1, 2**31), (2**32 - 300, 2**32 - 1), (0, 600), (777, 1300)),
]


def vectors() -> dict[str, object]:
    keys = []
    for name, (first, last, public_key) in PUBLISHED.items():
        key = Key(COUNTING, first, last)
        if key.public_key.hex() != public_key:
            raise AssertionError(name)
        keys.append({"published": name, **row(key, b"\x11" * 32)})
    for i, (first, last) in enumerate(RANGES):
        label = f"merklize xmss {i}".encode()
        keys.append(row(Key(hashlib.sha256(label).digest(), first, last), hashlib.sha256(label[::-1]).digest()))
    signed = Key(COUNTING, 0, 3).sign(2, b"\x11" * 32)
    return {
        "source": "python/tests/xmss_reference.py with hashlib. Parameters, and the public keys of the rows with the "
        "name of a published vector: ethereum/cryptography-specs, tests/xmss. Signatures are by their SHA-256; "
        "`signature` is one in full, of the first key, epoch 2",
        "keys": keys,
        "signature": signed.hex(),
    }


def row(key: Key, message: bytes) -> dict[str, object]:
    epochs = sorted({key.first, (key.first + key.last) // 2, key.last})
    return {
        "seed": key.seed.hex(),
        "first": key.first,
        "last": key.last,
        "public_key": key.public_key.hex(),
        "message": message.hex(),
        "signatures": {str(epoch): hashlib.sha256(key.sign(epoch, message)).hexdigest() for epoch in epochs},
    }


def text() -> str:
    return json.dumps(vectors(), indent=1) + "\n"


if __name__ == "__main__":
    TARGET.write_text(text())

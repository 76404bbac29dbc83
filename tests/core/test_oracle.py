"""The references of the other tests against published values."""

import struct

import blake3
import numpy as np
import pytest

import cases
import oracle
from launches import FIELD_HASHES
from oracle import KEYED_HASH, ROOT_FLAG


@pytest.mark.parametrize("name", FIELD_HASHES)
def test_rescue_prime_gives_the_published_vectors(name):
    for op in ("merge", "hash_elements"):
        vectors = cases.rescue_vectors(name, op)
        assert len(vectors) >= 8
        for elements, digest in vectors:
            if op == "merge":
                left, right = (np.array(half, np.uint64).tobytes() for half in (elements[:4], elements[4:]))
                assert oracle.merge(left, right, name) == np.array(digest, np.uint64).tobytes()
            else:
                assert oracle.hash_elements(elements, name) == digest


@pytest.mark.parametrize("length", [0, 1, 63, 64, 65, 512, 1023, 1024])
def test_blake3_gives_the_published_digests(length):
    data, key = bytes(k % 251 for k in range(length)), bytes(range(32))
    plain = oracle.blake3_chunk(data, 0, flags=ROOT_FLAG)
    keyed = oracle.blake3_chunk(data, 0, struct.unpack("<8I", key), KEYED_HASH | ROOT_FLAG)
    assert struct.pack("<8I", *plain) == blake3.blake3(data).digest()
    assert struct.pack("<8I", *keyed) == blake3.blake3(data, key=key).digest()

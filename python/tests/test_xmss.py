"""Keys of Ethereum's XMSS, beside a reference by hashlib (xmss_reference.py) and published vectors."""

from __future__ import annotations

import copy
import hashlib
import json
import os
import pickle
import random
import subprocess
import sys
from array import array as bytes_array
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import merklize
import xmss_reference as reference
from merklize import xmss
from waiting import HANG

VECTORS = json.loads(reference.TARGET.read_text())


class TestReference:
    """What the witness itself is known by."""

    @pytest.mark.parametrize("name", reference.PUBLISHED)
    def test_published_keys(self, name):
        first, last, public_key = reference.PUBLISHED[name]
        assert reference.Key(reference.COUNTING, first, last).public_key.hex() == public_key

    def test_published_signature(self):
        """The vector verify_valid of ethereum/cryptography-specs: its first chain value and its last sibling."""
        signature = VECTORS["signature"]
        assert len(signature) == 2 * reference.SIGNATURE_SIZE
        assert signature.startswith("96a558ca6a9a790b9daafd52abb7607a")
        assert signature.endswith("f8010800925b6ef9e7a9171eebcd08d9")

    @pytest.mark.slow
    def test_vectors_are_what_it_writes(self):
        assert reference.TARGET.read_text() == reference.text()


SEEDS = [bytes([i]) * 32 for i in range(1, 4)]
MESSAGE = bytes(range(100, 132))


def made(seed=SEEDS[0], first=1000, last=1015, **options):
    (key,) = xmss.keys([seed], first, last, **options)
    return key


class TestVectors:
    @pytest.mark.parametrize("row", VECTORS["keys"], ids=lambda row: f"{row['first']}-{row['last']}")
    def test_keys_and_signatures(self, row):
        key = made(bytes.fromhex(row["seed"]), row["first"], row["last"])
        assert key.public_key.hex() == row["public_key"]
        message = bytes.fromhex(row["message"])
        for epoch, digest in row["signatures"].items():
            signature = key.sign(int(epoch), message)
            assert hashlib.sha256(signature).hexdigest() == digest
            assert xmss.verify(key.public_key, int(epoch), message, signature)

    def test_a_whole_signature(self):
        row = VECTORS["keys"][0]
        key = made(bytes.fromhex(row["seed"]), row["first"], row["last"])
        assert key.sign(2, bytes.fromhex(row["message"])).hex() == VECTORS["signature"]


def random_cases(count):
    """Ranges of each length up to 40 that begin anywhere, also at the ends of 2^32 and beside powers of two."""
    rng = random.Random("merklize xmss")
    for i in range(count):
        length = rng.choice((1, 2, 3, rng.randint(4, 40)))
        near = (0, 2**32 - length, 1 << rng.randrange(33), rng.randrange(2**32))[i % 4]
        first = min(max(near - rng.randint(0, length) if i % 4 == 2 else near, 0), 2**32 - length)
        yield rng.randbytes(32), first, first + length - 1, rng.randrange(first, first + length), rng.randbytes(32)


@pytest.mark.parametrize("count", [60, pytest.param(1000, marks=pytest.mark.slow)])
def test_random_keys_beside_the_reference(count):
    for seed, first, last, epoch, message in random_cases(count):
        key, known = made(seed, first, last), reference.Key(seed, first, last)
        assert (key.public_key, key.first_epoch, key.last_epoch) == (known.public_key, first, last)
        assert key.path(epoch).tobytes() == b"".join(known.path(epoch))
        signature = key.sign(epoch, message)
        assert signature == known.sign(epoch, message)
        assert xmss.verify(key.public_key, epoch, message, signature)
        assert reference.verify(key.public_key, epoch, message, signature)
        reference.node.cache_clear()


@pytest.mark.parametrize(("first", "last"), [(1000, 1063), (2**32 - 33, 2**32 - 1), (7, 7)])
def test_many_keys_in_one_call(first, last, device):
    seeds = [hashlib.sha256(bytes([i])).digest() for i in range(9)]
    together = xmss.keys(seeds, first, last, device=device)
    assert [key.public_key for key in together] == [made(seed, first, last).public_key for seed in seeds]
    assert [key.public_key for key in together] == [reference.Key(seed, first, last).public_key for seed in seeds]
    for key, seed in zip(together, seeds):
        assert key.sign(last, MESSAGE, device=device) == made(seed, first, last).sign(last, MESSAGE)
        assert (key.path(first, device=device) == made(seed, first, last).path(first)).all()
    assert xmss.keys([], first, last, device=device) == []


def test_forms_of_arguments():
    """A list, an array, a view of an array and bytes have the same seeds."""
    expected = [made(seed).public_key for seed in SEEDS]
    array = np.frombuffer(b"".join(SEEDS), np.uint8).reshape(3, 32)
    wide = np.zeros((3, 64), np.uint8)
    wide[:, ::2] = array
    for seeds in (
        SEEDS,
        tuple(SEEDS),
        [bytearray(s) for s in SEEDS],
        list(array),
        array,
        wide[:, ::2],
        b"".join(SEEDS),
        bytearray(b"".join(SEEDS)),
        memoryview(b"".join(SEEDS)),
        memoryview(array),
        bytes_array("B", b"".join(SEEDS)),
        memoryview(b"".join(SEEDS)).cast("I"),
    ):
        assert [key.public_key for key in xmss.keys(seeds, 1000, 1015)] == expected
    key = made()
    signature = key.sign(np.uint32(1003), np.frombuffer(MESSAGE, np.uint8))
    assert signature == key.sign(1003, MESSAGE) == key.sign(epoch=1003, message=memoryview(MESSAGE))
    assert xmss.verify(np.frombuffer(key.public_key, np.uint8), np.uint64(1003), bytearray(MESSAGE), signature)
    path = key.path(1003)
    assert (path.shape, path.dtype) == ((32, 16), np.uint8)
    rows = [np.frombuffer(one, np.uint8)[None] for one in (key.public_key, MESSAGE, signature)]
    assert xmss.verify_each(rows[0], np.array([1003]), rows[1], rows[2]) == [True]


class TestVerify:
    def test_every_changed_byte(self):
        key = made()
        signature = key.sign(1003, MESSAGE)
        changed = [signature[:i] + bytes([signature[i] ^ 1 << i % 8]) + signature[i + 1 :] for i in range(1208)]
        assert not any(xmss.verify(key.public_key, 1003, MESSAGE, one) for one in changed)
        count = len(changed)
        found = xmss.verify_each([key.public_key] * count, [1003] * count, [MESSAGE] * count, changed)
        assert found == [False] * count

    def test_what_else_is_none(self):
        key, other = xmss.keys(SEEDS[:2], 1000, 1015)
        signature = key.sign(1003, MESSAGE)
        assert xmss.verify(key.public_key, 1003, MESSAGE, signature)
        epochs = [0, 1002, 1004, 1003 + 2**31, 2**32 - 1, 2**32, 1003 + 2**32, 2**64 - 1, 2**64, 1003 + 2**64, -1]
        for epoch in epochs:
            assert not xmss.verify(key.public_key, epoch, MESSAGE, signature)
        count = len(epochs)
        found = xmss.verify_each([key.public_key] * count, epochs, [MESSAGE] * count, [signature] * count)
        assert found == [False] * count
        assert not xmss.verify(other.public_key, 1003, MESSAGE, signature)
        assert not xmss.verify(other.public_key[:16] + key.public_key[16:], 1003, MESSAGE, signature)
        for lengths in ((31, 32, 1208), (33, 32, 1208), (32, 0, 1208), (32, 33, 1208), (32, 32, 0), (32, 32, 1207),
                        (32, 32, 1209), (0, 0, 0)):  # fmt: skip
            given = (key.public_key * 2, MESSAGE * 2, signature * 2)
            public_key, message, claim = (bytes(one[:length]) for one, length in zip(given, lengths))
            assert not xmss.verify(public_key, 1003, message, claim)
            assert xmss.verify_each(
                [public_key, key.public_key], [1003] * 2, [message, MESSAGE], [claim, signature]
            ) == [False, True]

    @pytest.mark.parametrize("count", [0, 1, 63, 64, 65, 200])
    def test_many(self, count, device):
        keys = xmss.keys(SEEDS, 1000, 1015)
        claims = [(keys[i % 3], 1000 + i % 16, bytes([i % 7]) * 32) for i in range(min(count, 48))]
        signed = [(key.public_key, epoch, message, key.sign(epoch, message)) for key, epoch, message in claims]
        rows = [signed[i % len(signed)] for i in range(count)]
        wrong = {i for i in range(count) if i % 5 == 3}
        rows = [(*row[:2], bytes(32) if i in wrong else row[2], row[3]) for i, row in enumerate(rows)]
        columns = list(zip(*rows)) if rows else [(), (), (), ()]
        expected = [i not in wrong or row[2] == signed[i % len(signed)][2] for i, row in enumerate(rows)]
        assert xmss.verify_each(*columns, device=device) == expected


class Tensor:
    """What has DLPack alone."""

    def __init__(self, array):
        self.__dlpack__, self.__dlpack_device__ = array.__dlpack__, array.__dlpack_device__


# The call and the whole text.
MISTAKES = {
    "a short seed": (lambda: xmss.keys([bytes(32), bytes(31)], 0, 1), "keys: seeds[1] must be 32 bytes, got 31 bytes"),
    "a seed of text": (
        lambda: xmss.keys(["00" * 32], 0, 1),
        "keys: seeds[0] must be bytes-like, a NumPy array or a tensor, got str; encode() makes bytes of text, "
        "bytes.fromhex() of hexadecimal digits",
    ),
    "no seeds": (
        lambda: xmss.keys(5, 0, 1),
        "keys: seeds must be a list of bytes, or an array uint8[n, 32], got int",
    ),
    "an iterator of seeds": (
        lambda: xmss.keys(iter(SEEDS), 0, 1),
        "keys: seeds must be a list of bytes, or an array uint8[n, 32], got list_iterator",
    ),
    "seeds of another shape": (
        lambda: xmss.keys(np.zeros((32, 2), np.uint8), 0, 1),
        "keys: seeds must be uint8[n, 32], got uint8[32, 2]",
    ),
    "one row of seeds": (
        lambda: xmss.keys(np.zeros(32, np.uint8), 0, 1),
        "keys: seeds must be uint8[n, 32], got uint8[32]",
    ),
    "a tensor of seeds of another shape": (
        lambda: xmss.keys(Tensor(np.zeros((32, 2), np.uint8)), 0, 1),
        "keys: seeds must be uint8[n, 32], got uint8[32, 2]",
    ),
    "seeds of words": (
        lambda: xmss.keys(np.zeros((2, 32), np.uint32), 0, 1),
        "keys: seeds must be uint8[n, 32], got uint32[2, 32]",
    ),
    "an epoch that is none": (
        lambda: xmss.keys(SEEDS, 0.5, 1),
        "keys: first_epoch must be an integer, got float",
    ),
    "an epoch below 0": (lambda: xmss.keys(SEEDS, -1, 1), "keys: first_epoch must be 0 to 2^64 - 1, got -1"),
    "a misspelt option": (
        lambda: xmss.keys(SEEDS, 0, 1, devise="cpu"),
        "keys() takes no argument 'devise'; did you mean 'device'?",
    ),
    "a key without seeds": (lambda: xmss.Key(), "Key: xmss.keys() makes keys of seeds"),
    "a message of text": (
        lambda: made().sign(1003, "m" * 32),
        "sign: message must be bytes-like, a NumPy array or a tensor, got str; encode() makes bytes of text, "
        "bytes.fromhex() of hexadecimal digits",
    ),
    "an epoch of text": (lambda: made().path("1003"), "path: epoch must be an integer, got str"),
    "a signature of text": (
        lambda: xmss.verify(bytes(32), 0, bytes(32), "00"),
        "verify: signature must be bytes-like, a NumPy array or a tensor, got str; encode() makes bytes of text, "
        "bytes.fromhex() of hexadecimal digits",
    ),
    "one epoch for many": (
        lambda: xmss.verify_each([bytes(32)], 7, [bytes(32)], [bytes(1208)]),
        "verify_each: epochs must be a list or an array of integers, got int",
    ),
    "an epoch of many that is none": (
        lambda: xmss.verify_each([bytes(32)], [None], [bytes(32)], [bytes(1208)]),
        "verify_each: epochs[0] must be an integer, got NoneType",
    ),
    "signatures of another shape": (
        lambda: xmss.verify_each([bytes(32)], [7], [bytes(32)], np.zeros((1, 1207), np.uint8)),
        "verify_each: signatures must be uint8[n, 1208], got uint8[1, 1207]",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name):
    call, text = MISTAKES[name]
    with pytest.raises((merklize.InvalidArgument, TypeError)) as caught:
        call()
    assert str(caught.value) == text


# What is done with `seed`, which the caller zeroes itself.
USES = {
    "a key": "(key,) = xmss.keys([seed], 0, 40); key.sign(1, bytes(32)); key.path(9); del key",
    "many keys": "keys = xmss.keys([seed] * 70, 0, 3, threads=2); keys[5].sign(1, bytes(32)); del keys",
    "a long range": "keys = xmss.keys([seed], 0, 5000, threads=2); keys[0].path(700); del keys",
    "an array": "keys = xmss.keys(np.frombuffer(seed, np.uint8)[None], 0, 3); del keys",
    "a cancelled call": "refused(lambda: xmss.keys([seed], 0, 2**32 - 1, threads=2, progress=lambda done: False))",
    "a mistake in the list": "refused(lambda: xmss.keys([bytes(32), seed, bytes(32), bytes(31)], 0, 3))",
    "a mistake in the range": "refused(lambda: xmss.keys([seed], 4, 3))",
    "a mistake of a message": "refused(lambda: xmss.keys([seed], 0, 3)[0].sign(1, bytes(31)))",
}
USER = """
import os
import numpy as np
import merklize
from merklize import xmss

def refused(call):
    try:
        call()
    except merklize.Error:
        return
    raise AssertionError

def show():
    os.write(1, b".")
    os.read(0, 1)

seed = bytearray(32)
os.readv(0, [seed])
show()
USE
seed[:] = bytes(32)
show()
"""


def memory_of(process):
    """Yield the writable memory of another process, part by part."""
    with Path(f"/proc/{process}/maps").open() as maps, Path(f"/proc/{process}/mem").open("rb", 0) as memory:
        for line in maps:
            place, rights, *_ = line.split()
            begin, end = (int(one, 16) for one in place.split("-"))
            if rights.startswith("rw") and "[v" not in line:
                memory.seek(begin)
                yield memory.read(end - begin)


class TestSecrets:
    def test_no_text_has_the_seed(self):
        seed = bytes(range(100, 132))
        key = made(seed)
        texts = [repr(key), str(key), f"{key}", repr([key]), str(dir(key))]
        for call in (lambda: xmss.keys([seed + b"x"], 0, 1), lambda: xmss.keys([seed], 2, 1),
                     lambda: xmss.keys([list(seed)], 0, 1), lambda: xmss.keys(seed[1:], 0, 1),
                     lambda: key.sign(5, bytes(32)), lambda: pickle.dumps(key)):  # fmt: skip
            with pytest.raises((merklize.InvalidArgument, TypeError)) as caught:
                call()
            texts += [str(caught.value), repr(caught.value)]
        for text in texts:
            assert not any(word in text for word in (seed.hex(), str(seed), "100, 101", "defg"))

    @pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
    @pytest.mark.parametrize("use", USES)
    def test_no_copy_stays_in_memory(self, use):
        """Neither the seed, nor a word of it in each lane, nor values of chains that no signature gives."""
        seed = os.urandom(32)
        key = reference.Key(seed, 0, 3)
        signature = key.sign(1, bytes(32))
        starts = [key.secret(chain, 1) for chain in range(42)]
        secrets = [
            seed,
            *(seed[i : i + 4] * 4 for i in range(0, 32, 4)),
            *(one for one in starts if one not in signature),
        ]
        code = USER.replace("USE", USES[use])
        with subprocess.Popen(
            [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        ) as user:
            user.stdin.write(seed)
            found = []
            for _ in ("before", "after"):
                assert user.stdout.read(1) == b"."
                found.append(any(secret in part for part in memory_of(user.pid) for secret in secrets))
                user.stdin.write(b".")
            assert (user.wait(HANG), found) == (0, [True, False])

    @pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickle.dumps, lambda key: key.__reduce__()])
    def test_no_copies(self, copied):
        for key in (made(), made()._key):
            with pytest.raises(TypeError):
                copied(key)


@pytest.mark.parametrize("last", [2**26, 2**32 - 1])
def test_a_long_range_is_cancelled(last, device):
    shares = []

    def stop(done):
        shares.append(done)
        return len(shares) < 3

    with pytest.raises(merklize.Cancelled):
        xmss.keys([SEEDS[0]], 0, last, device=device, progress=stop)
    assert shares == sorted(shares)
    assert 0 <= shares[0] < shares[-1] < 1


def test_threads_share_a_key():
    key, count = made(SEEDS[0], 0, 300), 16
    expected = [made(SEEDS[0], 0, 300).sign(20 * i, MESSAGE) for i in range(count)]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda i: key.sign(20 * i, MESSAGE), range(count))) == expected
        assert all(pool.map(lambda i: xmss.verify(key.public_key, 20 * i, MESSAGE, expected[i]), range(count)))

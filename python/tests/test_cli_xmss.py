"""`merklize xmss`: public keys of seeds on standard input, and signatures verified."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

import xmss_reference as reference
from cli_helpers import merklize, output

FIRST, LAST, EPOCH = 1000, 1009, 1003
SEEDS = [hashlib.sha256(bytes([i])).digest() for i in range(3)]
KEYS = [reference.Key(seed, FIRST, LAST) for seed in SEEDS]
MESSAGE = hashlib.sha256(b"block").digest()
SIGNATURE = KEYS[0].sign(EPOCH, MESSAGE)
DIGITS = "hexadecimal digits: `xxd -r -p` makes bytes of them"
EPOCHS = ("--first-epoch", str(FIRST), "--last-epoch", str(LAST))
OF = {"--public-key": KEYS[0].public_key.hex(), "--epoch": str(EPOCH), "--message": MESSAGE.hex()}


def verify(file: str | Path, stdin: bytes = b"", **changed: str):
    options = {**OF, **{f"--{name.replace('_', '-')}": value for name, value in changed.items()}}
    return merklize("xmss", "verify", file, *(word for pair in options.items() for word in pair), stdin=stdin)


class TestKey:
    @pytest.mark.parametrize("count", [1, 2, 3])
    def test_public_keys(self, count):
        printed = output("xmss", "key", *EPOCHS, stdin=b"".join(SEEDS[:count]))
        assert printed.splitlines() == [key.public_key.hex() for key in KEYS[:count]]

    def test_json(self):
        lines = output("xmss", "key", *EPOCHS, "--json", stdin=SEEDS[0]).splitlines()
        expected = {"public_key": KEYS[0].public_key.hex(), "first_epoch": FIRST, "last_epoch": LAST}
        assert [json.loads(line) for line in lines] == [expected]

    @pytest.mark.parametrize("vector", reference.PUBLISHED)
    def test_published_keys(self, vector):
        first, last, public_key = reference.PUBLISHED[vector]
        epochs = ("--first-epoch", str(first), "--last-epoch", str(last))
        assert output("xmss", "key", *epochs, stdin=reference.COUNTING) == public_key + "\n"

    @pytest.mark.parametrize(("data", "found"), [
        (b"", "0 bytes"), (SEEDS[0][1:], "31 bytes"), (SEEDS[0] + b"\n", "33 bytes"),
        (SEEDS[0].hex().encode(), DIGITS), (b"0x" + SEEDS[0].hex().upper().encode() + b"\r\n", DIGITS),
        (b"".join(seed.hex().encode() + b"\n" for seed in SEEDS) * 32, DIGITS),
        (bytes((32 << 20) + 1), "more than 1,048,576 seeds"),
    ], ids=["none", "short", "a line", "digits", "a line of digits", "lines of digits", "too many"])  # fmt: skip
    def test_what_is_no_seeds(self, data, found):
        done = merklize("xmss", "key", *EPOCHS, stdin=data)
        text = f"merklize: the seeds on standard input must be 32 bytes each, one or more; there are {found}\n"
        assert (done.returncode, done.stdout, done.stderr.decode()) == (1, b"", text)

    @pytest.mark.parametrize(("words", "text"), [
        (("--first-epoch", "0"), "Missing option '--last-epoch'."),
        (("--last-epoch", "0"), "Missing option '--first-epoch'."),
        (("--first-epoch", "5", "--last-epoch", "4"), "the epochs must be in order and below 2^32, got 5 to 4"),
        (("--first-epoch", "0", "--last-epoch", "4294967296"),
         "the epochs must be in order and below 2^32, got 0 to 4294967296"),
    ], ids=lambda value: None)  # fmt: skip
    def test_wrong_epochs(self, words, text):
        done = merklize("xmss", "key", *words, stdin=SEEDS[0])
        assert (done.returncode, done.stdout) == (2, b"")
        assert done.stderr.decode().splitlines()[-1] == f"Error: {text}"

    def test_a_seed_is_no_argument(self):
        done = merklize("xmss", "key", *EPOCHS, "seed", stdin=SEEDS[0])
        assert done.returncode == 2


class TestVerify:
    @pytest.mark.parametrize("written", [
        SIGNATURE, SIGNATURE.hex().encode(), f"0x{SIGNATURE.hex()}\n".encode(),
        SIGNATURE.hex().upper().encode() + b"\r\n",
    ], ids=["bytes", "digits", "a line", "capitals"])  # fmt: skip
    def test_a_signature(self, written, tmp_path):
        (tmp_path / "signature").write_bytes(written)
        for done in (verify(tmp_path / "signature"), verify("-", stdin=written)):
            assert (done.returncode, done.stdout, done.stderr) == (0, b"valid: epoch 1003\n", b"")

    @pytest.mark.parametrize("changed", [
        {"epoch": "1004"}, {"epoch": "4294968299"}, {"epoch": "18446744073709551615"}, {"message": "00" * 32},
        {"public_key": KEYS[1].public_key.hex()},
    ], ids=str)  # fmt: skip
    def test_of_another(self, changed):
        done = verify("-", SIGNATURE, **changed)
        assert (done.returncode, done.stdout) == (1, b"NOT valid: none of this key, epoch and message\n")

    @pytest.mark.parametrize("written", [
        b"", SIGNATURE[1:], SIGNATURE + b"\n", SIGNATURE.hex().encode()[1:], b"x" * 2416, SIGNATURE * 100,
    ], ids=["empty", "short", "long", "odd digits", "no digits", "many"])  # fmt: skip
    def test_what_is_no_signature(self, written):
        done = verify("-", written)
        assert (done.returncode, done.stderr) == (1, b"")
        assert done.stdout == b"NOT valid: a signature has 1208 bytes, or 2416 hexadecimal digits\n"

    def test_json(self):
        options = [word for pair in OF.items() for word in pair]
        assert json.loads(output("xmss", "verify", "-", *options, "--json", stdin=SIGNATURE)) == {"valid": True}
        done = merklize("xmss", "verify", "-", *options, "--json", stdin=SIGNATURE[::-1])
        assert (done.returncode, json.loads(done.stdout)) == (1, {"valid": False})

    @pytest.mark.parametrize("option", OF)
    def test_missing_options(self, option):
        words = [word for pair in OF.items() if pair[0] != option for word in pair]
        done = merklize("xmss", "verify", "-", *words, stdin=SIGNATURE)
        assert done.returncode == 2
        assert done.stderr.decode().splitlines()[-1] == f"Error: Missing option '{option}'."

    @pytest.mark.parametrize("name", ["public_key", "message"])
    @pytest.mark.parametrize("value", ["", "00", "0" * 63, "g" * 64])
    def test_wrong_digits(self, name, value):
        done = verify("-", SIGNATURE, **{name: value})
        assert done.returncode == 2
        option = f"--{name.replace('_', '-')}"
        text = f"Error: Invalid value for '{option}': '{value}' is not 64 hexadecimal digits"
        assert done.stderr.decode().splitlines()[-1] == text

    def test_a_missing_file(self, tmp_path):
        done = verify(tmp_path / "missing")
        assert (done.returncode, done.stdout) == (1, b"")
        assert done.stderr.decode() == f"merklize: {tmp_path}/missing: No such file or directory\n"

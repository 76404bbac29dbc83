#!/usr/bin/env python3
"""Writes tests/vectors/blake3.json with the official implementation (package blake3).

Inputs, key, context and lengths are those of BLAKE3's published test vectors, so the two files can be compared: byte i
of an input is i mod 251, and each output has 131 bytes.
"""

import json
import pathlib
import sys

from blake3 import __version__, blake3

TARGET = pathlib.Path(__file__).resolve().parent.parent / "tests" / "vectors" / "blake3.json"
KEY = "whats the Elvish word for friend"
CONTEXT = "BLAKE3 2019-12-27 16:29:52 test vectors context"
# fmt: off
LENGTHS = [
    0, 1, 2, 3, 4, 5, 6, 7, 8, 63, 64, 65, 127, 128, 129, 1023, 1024, 1025, 2048, 2049, 3072, 3073, 4096, 4097, 5120,
    5121, 6144, 6145, 7168, 7169, 8192, 8193, 16384, 31744, 102400,
]
# fmt: on
OUTPUT_BYTES = 131


def generate():
    cases = []
    for length in LENGTHS:
        data = bytes(i % 251 for i in range(length))
        cases.append(
            {
                "input_len": length,
                "hash": blake3(data).hexdigest(length=OUTPUT_BYTES),
                "keyed_hash": blake3(data, key=KEY.encode()).hexdigest(length=OUTPUT_BYTES),
                "derive_key": blake3(data, derive_key_context=CONTEXT).hexdigest(length=OUTPUT_BYTES),
            }
        )
    source = f"scripts/generate_blake3_vectors.py with package blake3 {__version__}; byte i of an input is i mod 251"
    return json.dumps({"source": source, "key": KEY, "context_string": CONTEXT, "cases": cases}, indent=1) + "\n"


if __name__ == "__main__":
    text = generate()
    if sys.argv[1:] == ["--check"]:
        sys.exit(0 if TARGET.read_text() == text else f"{TARGET.name} is not what its generator writes")
    TARGET.write_text(text)

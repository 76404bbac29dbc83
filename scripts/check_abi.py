#!/usr/bin/env python3
"""Compares the declarations of the C headers and of the backends' seam with those of their ABI numbers.

scripts/check_abi.py          fails if declarations changed and tests/c_api/abi.txt did not
scripts/check_abi.py --write  writes it: the numbers, and digests of their declarations

A program and a library of different numbers refuse each other, so a number means one set of structs and functions.
"""

from __future__ import annotations

import hashlib
import re
import sys

import public_names

KEPT = public_names.ROOT / "tests/c_api/abi.txt"
# Number -> the header that defines it, and the files with its declarations.
POLICY = "include/merklize/policy.def"
NUMBERS = {
    "MERKLIZE_ABI_VERSION": ("include/merklize/version.h", ("include/merklize/c/*.h", POLICY)),
    "MKZ_BACKEND_ABI": ("src/seams/backend.h", ("src/seams/*.h", "src/hashes/hash_info.h", POLICY)),
}
WHAT_TO_DO = """{number}: declarations changed, and the number is {value} as before.
Once a version with this number is released: if a struct, a function or a value changed or went, raise {number} in
{header}; a function that was added needs no new number. Then, and always before the first release:
scripts/check_abi.py --write"""


def declarations(patterns: tuple[str, ...]) -> str:
    """The files without comments. Names of arguments, spaces and the order of declarations count."""
    texts = []
    for pattern in patterns:
        for path in sorted(public_names.ROOT.glob(pattern)):
            text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", path.read_text(), flags=re.DOTALL)
            texts.append(" ".join(text.split()))
    return "\n".join(texts)


def current() -> dict[str, tuple[str, str]]:
    """Number -> its value and the digest of its declarations."""
    found = {}
    for number, (header, patterns) in NUMBERS.items():
        match = re.search(rf"#define {number} (\d+)", (public_names.ROOT / header).read_text())
        if match is None:
            sys.exit(f"{header}: there is no {number}")
        found[number] = (match[1], hashlib.sha256(declarations(patterns).encode()).hexdigest())
    return found


def main() -> None:
    found = current()
    if sys.argv[1:] == ["--write"]:
        KEPT.write_text("".join(f"{number} {value} {digest}\n" for number, (value, digest) in found.items()))
        return
    kept = {line.split()[0]: tuple(line.split()[1:]) for line in KEPT.read_text().splitlines()}
    faults = []
    for number, (value, digest) in found.items():
        if kept.get(number) == (value, digest):
            continue
        if kept.get(number, ("",))[0] == value:
            faults.append(WHAT_TO_DO.format(number=number, value=value, header=NUMBERS[number][0]))
        else:
            faults.append(f"{number} is {value} now: run scripts/check_abi.py --write")
    if faults:
        sys.exit("\n".join(faults))


if __name__ == "__main__":
    main()

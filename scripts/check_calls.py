#!/usr/bin/env python3
"""Checks that an error can name the public function that was called: each function of C++ notes its name, each of C.

In C++ a function says `const PublicCall entry("name");`, calls another overload of its own, cannot fail (noexcept), or
is below with a reason. In C it hands its name to run(), or to what calls run().
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import public_names

# Rooms of src/ that have no public functions of C++, or call them.
APART = ("backends", "c_api", "command")
NAMES = "its text begins with the thing that is unknown or wrong, whoever asked for it"
NOTHING = "no argument can be wrong: what fails is a device, a file or memory"
WHY = {
    **dict.fromkeys(
        (
            "Device",
            "Mode.derive_key",
            "Mode.keyed",
            "default_rule",
            "devices",
            "dm_verity_algorithm_from_name",
            "field_text",
            "form_of",
            "format_from_name",
            "hash_from_name",
            "policy_from_text",
            "require_valid",
            "rule_from_name",
            "rule_name",
            "set_field",
            "to_text",
            "traits",
            "unknown_hash_of_proof",
            "why_unavailable",
        ),
        NAMES,
    ),
    **dict.fromkeys(
        (
            "Buffer.copy_of",
            "ConstBuffer.native",
            "Device.memory_limit",
            "Digest.hex",
            "Event.check",
            "Event.native",
            "Event.query",
            "Event.wait",
            "Hasher.reset",
            "Hasher.update",
            "Mode",
            "MerkleTree.nodes",
            "PieceCid.v1",
            "PieceCid.v2",
            "Stream.record",
            "Stream.synchronize",
            "TreeWriter.checkpoint",
            "calibrate",
            "calibration",
            "openzeppelin_leaf",
            "xet_hex",
        ),
        NOTHING,
    ),
    "OpenZeppelinTree.build": "private, for the constructors",
}


def definitions(path: Path) -> Iterator[tuple[str, str, str]]:
    """Name, head and body of each function of the library's namespace that a source defines."""
    text = re.sub(r"^\s*#[^\n]*(?:\\\n[^\n]*)*", "", path.read_text(), flags=re.MULTILINE)
    # Without brackets in literals and comments, and of the same length, so that places are those of the text.
    literal = r"//[^\n]*|/\*.*?\*/|'(?:\\.|[^'\\\n])'|\"(?:\\.|[^\"\\\n])*\""
    plain = re.sub(literal, lambda found: " " * len(found[0]), text, flags=re.DOTALL)
    scopes: list[str] = []
    start = at = 0
    while at < len(plain):
        if plain[at] == "{":
            head = plain[start:at]
            opened = "unnamed" if re.search(r"\bnamespace\s*$", head) else public_names.scope(head)
            if opened is None:
                end = public_names.matching(plain, at)
                found = re.search(r"((?:\w+::)*\w+)\s*\(", head)
                if found and not any(scopes):
                    yield found[1], head, text[at : end + 1]
                at = end
            else:
                scopes.append(opened)
            start = at + 1
        elif plain[at] in ";}":
            if plain[at] == "}" and scopes:
                scopes.pop()
            start = at + 1
        at += 1


def faults_of_cpp() -> Iterator[str]:
    public = public_names.signatures("C++")
    unused, count = set(WHY), 0
    for path in sorted(public_names.ROOT.glob("src/**/*.cpp")):
        if path.relative_to(public_names.ROOT / "src").parts[0] in APART:
            continue
        for name, head, body in definitions(path):
            *outer, own = name.split("::")
            full = own if outer in ([], [own]) else ".".join([*outer, own])
            if full not in public:
                continue
            count += 1
            noted = re.search(r"\bPublicCall \w+\((?:\"([^\"]*)\"|\w+)\)", body)
            names = (None, own, name, *outer, *(one.removeprefix("Const") for one in outer))
            if noted and noted[1] not in names:
                yield f"{path.relative_to(public_names.ROOT)}: {name}() notes the name {noted[1]!r}"
            if (
                noted
                or re.search(r"\bnoexcept\b", head)
                or re.search(rf"(?:this->|(?<![.>\w])){own}\(", body)
                or not body.strip("{} \n")
            ):
                continue
            if full not in WHY:
                yield f'{path.relative_to(public_names.ROOT)}: {name}() says no PublicCall entry("{own}")'
            unused.discard(full)
    yield from (f"scripts/check_calls.py: {name} needs no reason" for name in sorted(unused))
    if count < 250:
        yield f"only {count} functions of C++ are found"


def faults_of_c() -> Iterator[str]:
    count = 0
    for path in sorted(public_names.ROOT.glob("src/c_api/*.cpp")):
        for found in re.finditer(
            r"^merklize_status (merklize_\w+)\(.*?\n}", path.read_text(), re.MULTILINE | re.DOTALL
        ):
            count += 1
            if set(re.findall(r'\w+\(\s*"(merklize_\w+)"', found[0])) != {found[1]}:
                yield f'{path.relative_to(public_names.ROOT)}: {found[1]}() is not run("{found[1]}", ...)'
    if count < 150:
        yield f"only {count} functions of C are found"


def main() -> int:
    faults = [*faults_of_cpp(), *faults_of_c()]
    print(*faults, sep="\n", end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

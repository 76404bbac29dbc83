#!/usr/bin/env python3
"""Values in the spellings that people write, and what @openzeppelin/merkle-tree makes of them.

MERKLIZE_NODE_MODULES=FOLDER openzeppelin_values.py > tests/vectors/openzeppelin_values.json
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from typing import Any

import judges
from waiting import HANG

NODE_MODULES = os.environ.get("MERKLIZE_NODE_MODULES") if judges.find("node")[0] else None

# Of each value: the root and the dump's text, or null where the package refuses it. types null: a simple tree.
SCRIPT = """
    const { StandardMerkleTree, SimpleMerkleTree } = require("@openzeppelin/merkle-tree");
    const cases = JSON.parse(require("fs").readFileSync(0));
    const made = cases.map(({ types, values }) => {
        let tree;
        try {
            tree = types === null ? SimpleMerkleTree.of(values) : StandardMerkleTree.of(values, types);
        } catch {
            return { root: null, dump: null };
        }
        let dump = null;
        try {
            const text = JSON.stringify(tree.dump());
            const { format } = JSON.parse(text);
            (format === "simple-v1" ? SimpleMerkleTree : StandardMerkleTree).load(JSON.parse(text));
            dump = text;
        } catch {
            // what the package can make and not write down
        }
        return { root: tree.root, dump };
    });
    console.log(JSON.stringify(made));
"""

SIMPLE_TYPES = ["address", "bool", "bytes", "string", "function", "bytes1", "bytes4", "bytes31", "bytes32", "bytes05"]
SIMPLE_TYPES += ["uint256", "uint", "int", "uint8", "int8", "uint128", "int256", "uint08", "int16"]
WRONG_TYPES = [
    "uint7",
    "uint264",
    "bytes33",
    "bytes0",
    "bytes001",
    "float",
    "",
    "uint8 ",
    "uint\u0668",
    "(",
    "()",
    "number",
]
NUMBERS: list[Any] = [
    "007", "-7", "+7", "-007", " 7 ", "\ufeff7\n", "7\x85", "\x1c7", "", " ", "0x7", "0X1f", "0x", "-0x1", "0b101",
    "0o17", "0O17", "0B1", "1_000", "1e3", "1.0", "٣", "0x1_0", "7n", "255", "256", "127", "128", "-128", "-129",
    str(2**256 - 1), str(2**256), str(-(2**255)), str(-(2**255) - 1), str(2**255 - 1), "0" * 400 + "7", "9" * 400, 0,
    7, 255, 256, -1, -128, 2**53, 2**63, 2**100, 1.5, 1e21, -0.0, True, False, None, [], [7], {}, "abc", "--1", "+-1",
    "+", "-", "0007", "00", "-0", "0xg",
]  # fmt: skip
DIGITS: list[Any] = [
    "0x", "0X", "", "0x1", "0x11", "0x011", "0xabc", "0XABC", "0xAbCd", "11", "0xg1", "0x 1", " 0x11", "0x11 ",
    "0x11\n", None, 5, True, [], [17], {"0": 17}, "0x0x11", "x", "0x" + "11" * 3, "0x" + "5b" * 19, "0x" + "5b" * 20,
    "0x" + "5B" * 21, "0x" + "ab" * 24, "0x" + "ab" * 25, "0x" + "1" * 39, "0x" + "1" * 63, "0x" + "cd" * 32,
    "0x" + "cd" * 33, "0x" + "0" * 66, "0x" + "ef" * 100,
]  # fmt: skip
TEXTS: list[Any] = ["", "a", "é名\U0001f600", "0x11", "\0", "x" * 100, "true", 5, None, True, ["a"]]
BOOLS: list[Any] = [True, False, "true", "false", "True", "FALSE", " true", "", "0", "1", 0, 1, None, [], "yes"]
FUNCTIONS: list[Any] = [
    {"address": "0x" + "11" * 20, "selector": "0x" + "22" * 4}, {"address": "0x1", "selector": "0x2"},
    {"address": "0x11"}, {"address": "0x" + "11" * 20, "selector": "0x" + "22" * 5},
    {"address": "0x11", "selector": "0x22", "more": 1}, {"address": "0x", "selector": "0x22"},
    {"address": "11", "selector": "0x22"},
]  # fmt: skip


def a_type(rng: random.Random, depth: int = 0) -> str:
    kind = rng.random()
    if kind < 0.04 and depth == 0:  # the package does not look at the type of no items
        return rng.choice(WRONG_TYPES)
    if kind < 0.2 and depth < 3:
        return a_type(rng, depth + 1) + rng.choice(["[]", "[1]", "[2]", "[0]", "[02]", "[3]"])
    if kind < 0.3 and depth < 3:
        fields = [a_type(rng, depth + 1) for _ in range(rng.randrange(1, 4))]
        return "(" + rng.choice([",", ", "]).join(fields) + ")"
    return rng.choice(SIMPLE_TYPES)


def a_value(rng: random.Random, type: str) -> Any:
    if rng.random() < 0.02 and not type.endswith((")", "]")):  # the package takes a text for a list of its letters
        return rng.choice([*NUMBERS, *DIGITS, *TEXTS])
    if type.endswith("]"):
        inner, _, count = type[:-1].rpartition("[")
        n = int(count) if count and rng.random() < 0.95 else rng.randrange(4)
        return [a_value(rng, inner) for _ in range(n)]
    if type.startswith("(") and type.endswith(")"):
        fields, depth, found = type[1:-1], 0, [""]
        for c in fields:
            depth += (c == "(") - (c == ")")
            found = [*found, ""] if c == "," and depth == 0 else [*found[:-1], found[-1] + c]
        return [a_value(rng, field.strip()) for field in found][: None if rng.random() < 0.95 else 1]
    if rng.random() < 0.5:  # mostly good, so that the others are seen
        good = {"address": "0x" + "5b" * 20, "bool": False, "string": "a", "function": "0x" + "ab" * 24}
        return good.get(type, "0x11" if type.startswith("bytes") else rng.choice(["7", 7, "007", "0x7"]))
    if "int" in type:
        return rng.choice(NUMBERS)
    named = {"string": TEXTS, "bool": BOOLS, "function": [*FUNCTIONS, *DIGITS]}
    return rng.choice(named.get(type, DIGITS))


def cases_of(rng: random.Random, count: int) -> list[dict[str, Any]]:
    """Each spelling alone, then `count` random values of one or several types."""
    alone = [("uint256", NUMBERS), ("int8", NUMBERS), ("uint8", NUMBERS), ("address", DIGITS), ("bytes32", DIGITS)]
    alone += [
        ("bytes3", DIGITS),
        ("bytes", DIGITS),
        ("bool", BOOLS),
        ("string", TEXTS),
        ("function", [*DIGITS, *FUNCTIONS]),
    ]
    made = [{"types": [type], "values": [[value]]} for type, values in alone for value in values]
    made += [{"types": None, "values": [value, "0x22"]} for value in DIGITS]
    for _ in range(count):
        types = [a_type(rng) for _ in range(rng.choice([0, 1, 1, 2, 3]))]
        values = [[a_value(rng, type) for type in types] for _ in range(rng.choice([1, 1, 2, 5]))]
        made.append({"types": types, "values": values})
    return made


def by_the_package(cases: list[dict[str, Any]]) -> list[dict[str, Any]]:
    done = subprocess.run(
        [judges.find("node")[0], "-e", SCRIPT],
        input=json.dumps(cases).encode(), capture_output=True, check=True, timeout=HANG,
        env={**os.environ, "NODE_PATH": NODE_MODULES or ""},
    )  # fmt: skip
    return json.loads(done.stdout)


if __name__ == "__main__":
    cases = cases_of(random.Random(1), 250)
    rows = [json.dumps({**case, **made}) for case, made in zip(cases, by_the_package(cases))]
    sys.stdout.write(
        '{"source": "@openzeppelin/merkle-tree 1.0.8 by python/tests/openzeppelin_values.py: its answers to values in '
        'many spellings; root null: it refuses them",\n "cases": [\n' + ",\n".join(rows) + "\n]}\n"
    )

#!/usr/bin/env python3
"""Checks that all that the Rust crates bring into a program may be used under a licence of a list.

scripts/check_licences.py

Follows dependencies and build-dependencies of the published crates, with all features, for every platform; those of
tests stay out. Needs cargo, which fetches manifests that it has not yet.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import Any

import identity

# They permit a program of any licence, if their notices go with it.
ACCEPTED = {
    *("0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC0-1.0", "ISC", "MIT", "MIT-0"),
    *("Unicode-3.0", "Unlicense", "Zlib"),
}
PARTS = re.compile(r"\s*(\(|\)|/|[A-Za-z0-9.+-]+)")


def is_accepted(expression: str) -> bool:
    """Whether an SPDX expression can be met by accepted licences alone. An exception after WITH only adds permissions;
    "/" is cargo's old OR."""
    parts = PARTS.findall(expression)
    place = 0

    def taken(*words: str) -> bool:
        nonlocal place
        found = place < len(parts) and parts[place] in words
        place += found
        return found

    def one() -> bool:
        nonlocal place
        if taken("("):
            inner = any_of()
            return taken(")") and inner
        good = place < len(parts) and parts[place] in ACCEPTED
        place += 1
        if taken("WITH"):
            place += 1
        return good

    def all_of() -> bool:
        good = one()
        while taken("AND"):
            good &= one()
        return good

    def any_of() -> bool:
        good = all_of()
        while taken("OR", "/"):
            good |= all_of()
        return good

    return any_of() and place == len(parts)


def metadata() -> dict[str, Any]:
    command = ["cargo", "metadata", "--format-version", "1", "--all-features", "--quiet"]
    done = subprocess.run(command, cwd=identity.ROOT / "rust", stdout=subprocess.PIPE, check=True)
    known: dict[str, Any] = json.loads(done.stdout)
    return known


def main() -> None:
    known = metadata()
    packages = {package["id"]: package for package in known["packages"]}
    nodes = {node["id"]: node for node in known["resolve"]["nodes"]}
    waiting = list(known["workspace_default_members"])
    reached = set(waiting)
    while waiting:
        for dependency in nodes[waiting.pop()]["deps"]:
            kinds = {kind["kind"] for kind in dependency["dep_kinds"]}
            if kinds & {None, "build"} and dependency["pkg"] not in reached:
                reached.add(dependency["pkg"])
                waiting.append(dependency["pkg"])
    failures = []
    for package in sorted((packages[identifier] for identifier in reached), key=lambda package: str(package["name"])):
        if not is_accepted(package["license"] or ""):
            failures.append(f"{package['name']} {package['version']}: {package['license'] or 'no licence'}")
    if failures:
        listed = "\n  ".join(failures)
        sys.exit(
            f"scripts/check_licences.py: these crates have licences that are not in its list:\n  {listed}\n"
            "Read the licence; add it to ACCEPTED if programs of any licence may use it, else use another crate."
        )
    print(f"{len(reached)} crates, all under accepted licences")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Writes the names of all hashes into the types of Python and JavaScript, from the list of hashes and second names.

scripts/hash_names.py            writes them
scripts/hash_names.py --check    fails if a file differs
"""

from __future__ import annotations

import re
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def names() -> list[str]:
    """The hashes in the order of their list, then second names."""
    listed = (ROOT / "include/merklize/core/hashes.h").read_text().partition("MKZ_WITH_PARTS\n")[0]
    units = re.findall(r'^#include "hashes/(\w+)\.h"$', listed, flags=re.MULTILINE)
    return units + re.findall(r'\{"(\w+)", Hash::\w+\}', (ROOT / "src/hashes/hashes.cpp").read_text())


def places() -> dict[str, tuple[str, str]]:
    """file: (pattern with three groups, the text that the second one must be)"""
    lines = textwrap.fill(" | ".join(f"'{name}'" for name in names()), 116).splitlines()
    typed = "\n".join(f"    {line}" if line.startswith("|") else f"    | {line}" for line in lines)
    return {
        "python/merklize/_type_definitions.py": (
            r"(^NamedHash = Literal\[\n)(.*?)(^\]$)",
            "".join(f'    "{name}",\n' for name in names()),
        ),
        "web/index.d.ts": (r"(^export type HashName =\n)(.*?)(;$)", typed.replace(" |\n", "\n")),
    }


def main() -> int:
    wrong = []
    for name, (pattern, wanted) in places().items():
        path = ROOT / name
        text = path.read_text()
        found = re.search(pattern, text, flags=re.MULTILINE | re.DOTALL)
        if found is None:
            sys.exit(f"{name}: the place of the names is not found")
        if found[2] == wanted:
            continue
        wrong.append(name)
        if "--check" not in sys.argv:
            path.write_text(text[: found.start(2)] + wanted + text[found.end(2) :])
    if "--check" in sys.argv and wrong:
        sys.exit(f"not as scripts/hash_names.py writes them: {', '.join(wrong)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

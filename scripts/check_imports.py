#!/usr/bin/env python3
"""Checks that no modules of the Python package import each other in a circle while they are imported.

scripts/check_imports.py
"""

from __future__ import annotations

import ast
import graphlib
import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "python/merklize"


def modules() -> dict[str, Path]:
    found = {}
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imported(module: str, path: Path, known: dict[str, Path]) -> set[str]:
    """Modules of the package that this one imports at once: not in functions, not for type checkers alone."""
    package = module.split(".") if path.name == "__init__.py" else module.split(".")[:-1]
    found = set()
    waiting = list(ast.parse(path.read_text()).body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            of = ".".join([*base, node.module] if node.module else base)
            names = {f"{of}.{alias.name}" for alias in node.names}
            # Modules that are not written in Python (the extension) import only their package, which is loaded by then.
            found |= {name if name in known else of for name in names if node.module or name in known}
        elif isinstance(node, (ast.If, ast.Try, ast.With, ast.ClassDef)):
            if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
                waiting += node.orelse
            else:
                waiting += [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt)]
    return {name for name in found if name in known and name != module}


def main() -> None:
    known = modules()
    graph = {module: imported(module, path, known) for module, path in known.items()}
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        sys.exit("modules import each other in a circle: " + " <- ".join(error.args[1]))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Checks what the modules of the Python package import.

scripts/check_imports.py

Reported are

- modules that import each other in a circle, also in functions and for type checkers alone;
- private names that a package of BESIDE takes from other modules: a module or an attribute that begins with an
  underscore, a name that an `__all__` does not have, and of a core module without one a name that is not at the top;
- modules of the core that import a package of BESIDE. The core finds them by their names (`_urls.stores()`).
"""

from __future__ import annotations

import ast
import graphlib
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "python/merklize"
# Packages that stand on the public API, as if others had written them. Each may import those behind it.
BESIDE = {
    "merklize.stores": (),
    "merklize.ray": ("merklize.stores",),
    "merklize.bench": (),
    "merklize.cli": ("merklize.bench", "merklize.stores"),
    "merklize.bao._fetch": (),
}
TOP = "merklize"
NATIVE = "merklize._native"  # a module, although not of Python


def modules(package: Path = PACKAGE) -> dict[str, Path]:
    found = {}
    for path in package.rglob("*.py"):
        parts = path.relative_to(package.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(module: str, path: Path, known: dict[str, Path]) -> list[tuple[int, str, str]]:
    """The line, module and name ("": the module itself) of each import of this package, wherever it stands."""
    package = module.split(".") if path.name == "__init__.py" else module.split(".")[:-1]
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name, "") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            of = ".".join([*base, node.module] if node.module else base)
            for alias in node.names:
                name = f"{of}.{alias.name}"
                is_module = name in known or name == NATIVE
                found.append((node.lineno, name, "") if is_module else (node.lineno, of, alias.name))
    return [one for one in found if one[1].partition(".")[0] == TOP]


def circle(graph: dict[str, set[str]]) -> str:
    """A circle, or ""."""
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        return " <- ".join(error.args[1])
    return ""


def listed(path: Path) -> list[str] | None:
    """The `__all__` of a module; None: it has none."""
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            return list(ast.literal_eval(node.value))
    return None


def is_private(name: str) -> bool:
    return any(part.startswith("_") and not part.endswith("__") for part in name.split("."))


def owner_of(module: str) -> str:
    """The package of BESIDE that a module belongs to, or ""."""
    return next((package for package in BESIDE if f"{module}.".startswith(f"{package}.")), "")


def private_attributes(path: Path) -> list[tuple[int, str]]:
    """Private attributes that a module reads of what it imports from this package."""
    text = ast.parse(path.read_text())
    ours = set()
    for node in ast.walk(text):
        if isinstance(node, ast.Import):
            names = [alias for alias in node.names if alias.name.partition(".")[0] == TOP]
            ours |= {alias.asname or TOP for alias in names}
        elif isinstance(node, ast.ImportFrom) and (node.level or (node.module or "").partition(".")[0] == TOP):
            ours |= {alias.asname or alias.name for alias in node.names}
    found = []
    for node in ast.walk(text):
        if isinstance(node, ast.Attribute) and is_private(node.attr):
            root = node.value
            while isinstance(root, (ast.Attribute, ast.Call)):
                root = root.value if isinstance(root, ast.Attribute) else root.func
            # NamedTuple's methods are public by its documentation.
            if getattr(root, "id", "") in ours and node.attr not in ("_replace", "_asdict", "_fields"):
                found.append((node.lineno, ast.unparse(node)))
    return found


def check_beside(known: dict[str, Path]) -> list[str]:
    """What packages of BESIDE take that is not public, and what the core takes of them."""
    faults = []
    top = listed(known[TOP]) or []
    for module, path in sorted(known.items()):
        owner = owner_of(module)
        for line, target, name in imports(module, path, known):
            place = f"{module.replace('.', '/')}:{line}"
            other = owner_of(target)
            if not owner:
                if other and module not in (TOP, other.rpartition(".")[0]):
                    faults.append(f"{place}: the core imports {target}")
                continue
            if other == owner:
                continue
            what = f"{target}.{name}" if name else target
            if other and other not in BESIDE[owner]:
                faults.append(f"{place}: {owner} does not stand on {other}")
            elif is_private(what):
                faults.append(f"{place}: {what} is private")
            elif name and target in known and name not in ("__version__", "annotations"):
                public = listed(known[target])
                if public is None and not other:
                    public = top
                if public is not None and name not in public:
                    faults.append(f"{place}: {what} is not listed as public")
        if owner:
            found = private_attributes(path)
            faults += [f"{module.replace('.', '/')}:{line}: {text} is private" for line, text in found]
    return faults


def main() -> int:
    known = modules()
    graph = {module: {one for _, one, _ in imports(module, path, known)} - {module} for module, path in known.items()}
    found = circle({module: names & set(known) for module, names in graph.items()})
    faults = [f"modules import each other in a circle: {found}"] if found else []
    faults += check_beside(known)
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Checks the recipes for conda by rattler-build (Python package py-rattler-build), without network.

scripts/check_conda.py            reads them and compares names and version
scripts/check_conda.py --build    also builds the library's package and looks for its files (minutes)

The build has a channel of empty packages with the names of the tools that the recipe asks for, and the system's
compiler, CMake and Ninja do the work.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import identity
import rattler_build

PLATFORM = "linux-64"
PACKAGES = ["libmerklize", "merklize"]
TOOLS = ("gxx_linux-64", "sysroot_linux-64", "cmake", "ninja")
# What conda-forge says to its recipes.
VARIANTS = {"c_stdlib": ["sysroot"], "target_platform": [PLATFORM]}


def channel(folder: Path) -> str:
    """A channel of empty packages, which stand for the system's tools."""
    packages = {}
    for name in TOOLS:
        made = rattler_build.assemble_package(name, "99.0", PLATFORM, "0", folder / PLATFORM, files=[])
        entry: dict[str, Any] = {"name": name, "version": "99.0", "build": "0", "build_number": 0, "depends": []}
        packages[Path(made.path).name] = {**entry, "subdir": PLATFORM}
    for subdir, known in ((PLATFORM, packages), ("noarch", {})):
        (folder / subdir).mkdir(exist_ok=True)
        index = {"info": {"subdir": subdir}, "packages": {}, "packages.conda": known}
        (folder / subdir / "repodata.json").write_text(json.dumps(index))
    return folder.as_uri()


def main() -> None:
    if sys.argv[1:] not in ([], ["--build"]):
        sys.exit(__doc__)
    recipe = rattler_build.Stage0Recipe.from_file(identity.ROOT / "packaging/conda/recipe.yaml")
    variants = recipe.render(rattler_build.VariantConfig(VARIANTS))
    version = identity.facts()["version"]
    found = [(variant.recipe.package.name, str(variant.recipe.package.version)) for variant in variants]
    if found != [(name, version) for name in PACKAGES]:
        sys.exit(f"packaging/conda/recipe.yaml must have {' and '.join(PACKAGES)} of version {version}, got {found}")
    if sys.argv[1:]:
        with tempfile.TemporaryDirectory() as work:
            built = variants[0].run_build(
                tool_config=rattler_build.ToolConfiguration(test_strategy="native"),
                output_dir=Path(work) / "out",
                channels=[channel(Path(work) / "channel")],
                env_isolation=rattler_build.EnvironmentIsolation.NONE,
            )
            print(f"built {Path(built.packages[0]).name}, {Path(built.packages[0]).stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()

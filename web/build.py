#!/usr/bin/env python3
"""Builds the npm package into build/web/merklize: the core as WebAssembly, in one JavaScript file with the rest. Then
the page build/web/verify.html with that file inside.

Needs clang++ (14 or later) and wasm-ld of LLVM; without them the pip package ziglang, which has both.
"""

from __future__ import annotations

import argparse
import base64
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import zlib
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
VERSIONS = ["", *(f"-{version}" for version in range(30, 13, -1))]

# The order in which the modules are joined into one file. A module comes after those that it imports.
MODULES = ["machine", "ready", "common", "hash", "files", "formats", "trees", "shape", "proof", "json", "parse"]
MODULES += ["proofs", "proving", "tree", "tree_file", "matrices", "piece", "abi", "openzeppelin"]

COMPILE = ["-std=c++20", "-ffreestanding", "-nostdlib", "-fno-exceptions", "-fno-rtti", "-fvisibility=hidden"]
COMPILE += ["-Wall", "-Wextra", "-Werror", "-Wno-pass-failed"]
LINK = ["--no-entry", "--strip-all", "--gc-sections", "--stack-first", "--export=__heap_base"]
# Both use one memory: the stack of hashes, its tables, the stack of lanes, its constants, the heap. The linker lays out
# one module at a time, so the size of the stack of lanes counts all that is below it. hashes.test.mjs checks them.
# There is no library with products of 128 bits: MKZ_MUL_BY_HALVES.
# -Os instead of -O2 would be 6 kB less, and SHA-256 1.12 of the time. The limit of inlining is 225 by default; 80 makes
# the module smaller and no hash slower. MKZ_SMALL saves 20 kB, and Poseidon over the 31-bit fields takes longer.
PARTS = {
    "hashes": (
        ["-O2", "-mllvm", "-inline-threshold=80", "-DMKZ_MUL_BY_HALVES=1", "-DMKZ_SMALL=1"],
        ["-z", "stack-size=65536", "--initial-memory=196608"],
    ),
    "lanes": (["-O3", "-msimd128", "-mbulk-memory"], ["--import-memory", "-z", "stack-size=131072"]),
}


PLACE = "/* merklize.js */"  # in docs/verify.html


def toolchain() -> tuple[list[str], list[str]] | None:
    """The compiler and the linker as commands, from one version of LLVM, else zig's. None if neither is found."""
    given = [os.environ.get("WASM_CXX"), os.environ.get("WASM_LD")]
    for version in VERSIONS:
        compiler = given[0] or shutil.which(f"clang++{version}")
        linker = given[1] or shutil.which(f"wasm-ld{version}")
        if compiler and linker:
            return [compiler, "--target=wasm32"], [linker]
    if importlib.util.find_spec("ziglang"):
        zig = [sys.executable, "-m", "ziglang"]
        return [*zig, "c++", "-target", "wasm32-freestanding", "-mcpu=mvp"], [*zig, "wasm-ld"]
    return None


def compile_modules(out: Path) -> dict[str, bytes]:
    tools = toolchain()
    if tools is None:
        sys.exit("web/build.py: neither clang++ with wasm-ld nor the pip package ziglang is found")
    compiler, linker = tools
    out.mkdir(parents=True, exist_ok=True)
    modules = {}
    for name, (compile_options, link_options) in PARTS.items():
        objects = []
        for source in [name] if name == "lanes" else ["hashes", "lanes"]:
            obj = out / f"{name}-{source}.o"
            include = [
                f"-I{folder}"
                for folder in (HERE / "wasm", ROOT / "include/merklize/core", ROOT / "include", ROOT / "src")
            ]
            where = ["-c", str(HERE / f"wasm/{source}.cpp"), "-o", str(obj)]
            subprocess.run([*compiler, *COMPILE, *compile_options, *include, *where], check=True)
            objects.append(str(obj))
        target = out / f"{name}.wasm"
        subprocess.run([*linker, *LINK, *link_options, *objects, "-o", str(target)], check=True)
        modules[name] = target.read_bytes()
    return modules


def packed_best(data: bytes) -> bytes:
    """The shortest gzip of several: less memory makes shorter blocks, which fit the code of modules better."""
    packers = [zlib.compressobj(9, zlib.DEFLATED, 31, memory) for memory in range(5, 10)]
    return min((packer.compress(data) + packer.flush() for packer in packers), key=len)


def joined(modules: dict[str, bytes]) -> str:
    """All modules in one, without comments and indentation; their only text of several lines is code.

    Names at the top of the modules are distinct, so joining them is enough.
    """
    parts = []
    for name, data in modules.items():
        packed = base64.b64encode(packed_best(data)).decode()
        parts.append(f"const {name}Wasm = '{packed}';\n")
    for name in MODULES:
        text = (HERE / f"js/{name}.js").read_text()
        if re.search(r"^import [^;]* as ", text, flags=re.MULTILINE):
            sys.exit(f"web/js/{name}.js: an import with another name is lost when modules are joined")
        text = re.sub(r"^import [^;]*;\n", "", text, flags=re.MULTILINE)
        text = re.sub(r"^export \{[^}]*\};\n", "", text, flags=re.MULTILINE)
        text = re.sub(r"^ *(?://[^\n]*|/\*.*?\*/)\n", "", text, flags=re.MULTILINE | re.DOTALL)
        # At the end of a line, too, where no quote follows, so that it is no part of a string.
        text = re.sub(r"(?<=[;,{}()\]]) +// [^\n'\"`]*$", "", text, flags=re.MULTILINE)
        text = re.sub(r"^ +", "", text, flags=re.MULTILINE)
        parts.append(re.sub(r"^export (?=async |function|const|class)", "", text, flags=re.MULTILINE))
    return "\n".join(parts)


def exports() -> list[str]:
    found = re.findall(r"^export \{([^}]*)\}", (HERE / "js/index.js").read_text(), flags=re.MULTILINE)
    return [name.strip() for names in found for name in names.split(",") if name.strip()]


def version() -> str:
    text = (ROOT / "include/merklize/version.h").read_text()
    numbers = [re.search(rf"MERKLIZE_VERSION_{part} (\d+)", text) for part in ("MAJOR", "MINOR", "PATCH")]
    return ".".join(number[1] for number in numbers if number)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    out = "folder for the package (default: build/web)"
    parser.add_argument("--out", type=Path, default=ROOT / "build/web", help=out)
    parser.add_argument("--has-tools", action="store_true", help="tell by the exit status whether a compiler is found")
    parser.add_argument("--optional", action="store_true", help="what cannot be built is said, and no failure")
    arguments = parser.parse_args()
    if arguments.has_tools:
        sys.exit(toolchain() is None)
    try:
        build(arguments.out)
    except (OSError, subprocess.CalledProcessError, SystemExit) as error:
        if not arguments.optional:
            raise
        print(f"without the page of `merklize tree show --html`: {error}")


def build(out: Path) -> None:
    text = joined(compile_modules(out / "objects"))
    package = out / "merklize"
    package.mkdir(parents=True, exist_ok=True)
    (package / "merklize.js").write_text(f"{text}\nexport {{ {', '.join(exports())} }};\n")
    for name in ("README.md", "index.d.ts"):
        shutil.copy(HERE / name, package / name)
    manifest = (HERE / "package.json").read_text().replace('"0.0.0"', f'"{version()}"')
    (package / "package.json").write_text(manifest)
    # "</" would end the script.
    page = (ROOT / "docs/verify.html").read_text()
    if page.count(PLACE) != 1 or "</script" in text:
        sys.exit(f"web/build.py: docs/verify.html must have {PLACE} once, and the modules no </script")
    page = page.replace("merklize 0.0.0", f"merklize {version()}")
    (out / "verify.html").write_text(page.replace(PLACE, text))
    shutil.copy(ROOT / "LICENSE", package)
    shutil.copytree(ROOT / "LICENSES", package / "LICENSES", dirs_exist_ok=True)


if __name__ == "__main__":
    main()

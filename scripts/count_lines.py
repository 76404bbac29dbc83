#!/usr/bin/env python3
"""Counts the lines of the product that people write, by what they are for.

    scripts/count_lines.py

Two numbers each: all lines, and those that are neither blank nor comment (nor docstring). Counted are tracked sources
in C++, Python, Rust and JavaScript. Not counted are pages, CMake files, data, tests, benchmarks of crates, and what a
script writes: a text from the words "Written by scripts/..." to the line "clang-format on", or to its file's end.
"""

from __future__ import annotations

import ast
import io
import pathlib
import re
import subprocess
import sys
import tokenize

ROOT = pathlib.Path(__file__).resolve().parent.parent
ENDINGS = ("h", "hpp", "def", "cpp", "inc", "py", "rs", "js", "mjs", "ts")
PRODUCT = (
    "include/**",
    "src/**",
    "!src/cmake/**",  # programs of the build
    "python/merklize/**",
    "python/bindings/**",
    "rust/*/src/**",
    "!rust/bench/**",
    "web/**",
    "!web/test/**",
)
# Purpose -> part -> its files, as git's globs: "*" stops at a slash, and after "!" are files of other parts.
PURPOSES = {
    "engine": {
        "core: hashes, kernels, words": ("include/merklize/core/**",),
        "CPU lanes and executor": ("src/backends/cpu/**",),
        "CUDA, OpenCL, SYCL and what they share": (
            "src/backends/*",
            "src/backends/cuda/**",
            "src/backends/opencl/**",
            "src/backends/sycl/**",
            "src/cmake/**",
        ),
        "queue, programs, tuning, seams": ("src/queue/**", "src/programs/**", "src/tuning/**", "src/seams/**"),
    },
    "subjects": {
        "digests, levels, trees, proofs, matrices, lde, tiles, xmss": (
            "src/digests/**",
            "src/levels/**",
            "src/trees/**",
            "src/proofs/**",
            "src/matrices/**",
            "src/lde/**",
            "src/tiles/**",
            "src/xmss/**",
        ),
        "manifests, tree_files, bao, formats, verity": (
            "src/manifests/**",
            "src/tree_files/**",
            "src/bao/**",
            "src/formats/**",
            "src/verity/**",
        ),
    },
    "below": {
        "host, jobs, hashes, files, calls, texts": (
            "src/host/**",
            "src/jobs/**",
            "src/hashes/**",
            "src/files/**",
            "src/calls/**",
            "src/texts/**",
        ),
    },
    "command": {"the command line": ("src/command/**",)},
    "faces": {
        "C++ headers": ("include/merklize/*", "!include/merklize/merklize.h", "!include/merklize/sycl.hpp"),
        "C: headers and functions": ("include/merklize/merklize.h", "include/merklize/c/**", "src/c_api/**"),
        "SYCL headers": ("include/merklize/sycl.hpp", "include/merklize/sycl/**"),
        "Python: bindings": ("python/bindings/**",),
        "Python: package": (
            "python/merklize/*",
            "!python/merklize/_urls.py",
            "python/merklize/bao/**",
            "python/merklize/formats/**",
            "python/merklize/manifests/**",
        ),
        "Rust": ("rust/merklize/src/**", "rust/merklize-sys/src/**"),
        "JavaScript and WebAssembly": ("web/*", "web/js/**", "web/wasm/**"),
    },
    "beside": {
        "stores and URLs": ("python/merklize/stores/**", "python/merklize/_urls.py"),
        "Ray": ("python/merklize/ray/**",),
        "benchmarks and commands in Python": ("python/merklize/bench/**", "python/merklize/cli/**"),
        "adapters of provers": ("rust/merklize-plonky3/src/**", "rust/merklize-winterfell/src/**"),
    },
}
RAW = r'R"(?P<end>[^(\n]*)\((?:.|\n)*?\)(?P=end)"'
STRING = RAW + r"""|"(?:\\.|[^"\\\n])*"|'(?:\\.[^']*|[^'\\\n])'|`(?:\\.|[^`\\])*`"""
COMMENT = r"//[^\n]*|/\*(?:.|\n)*?\*/"
MADE = re.compile(r"^[^\n]*\bWritten by scripts/(?:.|\n)*?(?:clang-format on[^\n]*\n|\Z)", re.MULTILINE)


def without_comments(text: str) -> str:
    """Of C++, Rust or JavaScript."""
    return re.sub(f"{STRING}|(?P<comment>{COMMENT})", lambda found: "" if found["comment"] else found[0], text)


def without_python_comments(text: str) -> str:
    lines = text.split("\n")
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            lines[token.start[0] - 1] = lines[token.start[0] - 1][: token.start[1]]
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            for line in range(node.lineno - 1, node.end_lineno):
                lines[line] = ""
    return "\n".join(lines)


def count(name: str) -> tuple[int, int, int]:
    """Of a file: lines that people write, those of code among them, and lines that a script writes."""
    text = (ROOT / name).read_text()
    ours = text if name.endswith(".py") else MADE.sub("", text)
    code = without_python_comments(ours) if name.endswith(".py") else without_comments(ours)
    lines = ours.count("\n")
    return lines, sum(bool(line.strip()) for line in code.split("\n")), text.count("\n") - lines


def files(globs: tuple[str, ...]) -> list[str]:
    patterns = [f":(exclude,glob){glob[1:]}" if glob.startswith("!") else f":(glob){glob}" for glob in globs]
    names = subprocess.check_output(["git", "ls-files", "-z", "--", *patterns], cwd=ROOT, text=True).split("\0")
    return [name for name in names if name.rpartition(".")[2] in ENDINGS and (ROOT / name).exists()]


def placed() -> tuple[dict[str, dict[str, list[str]]], list[str]]:
    """The files of each part, and what is wrong: product files of no part or of several, parts of no file."""
    found = {purpose: {part: files(globs) for part, globs in parts.items()} for purpose, parts in PURPOSES.items()}
    times = dict.fromkeys(files(PRODUCT), 0)
    faults = []
    for purpose, parts in found.items():
        for part, names in parts.items():
            faults += [] if names else [f"{purpose}, {part}: no file"]
            for name in names:
                times[name] = times.get(name, 0) + 1
    faults += [f"{name}: belongs to {n} parts of scripts/count_lines.py" for name, n in times.items() if n != 1]
    return found, faults


def main() -> None:
    found, faults = placed()
    print("| part | files | lines | without blanks and comments |\n|---|---|---|---|")
    total, made = [0, 0, 0], 0
    for purpose, parts in found.items():
        rows = []
        for part, names in parts.items():
            counts = [count(name) for name in names]
            lines, code, by_scripts = (sum(column) for column in zip(*counts)) if counts else (0, 0, 0)
            rows.append((part, len(names), lines, code))
            made += by_scripts
        sums = [sum(row[k] for row in rows) for k in (1, 2, 3)]
        total = [sum(pair) for pair in zip(total, sums)]
        print(f"| **{purpose}** | {sums[0]:,} | **{sums[1]:,}** | **{sums[2]:,}** |")
        for part, *numbers in rows:
            print("| " + " | ".join([part, *(f"{number:,}" for number in numbers)]) + " |")
    print(f"| **all** | {total[0]:,} | **{total[1]:,}** | **{total[2]:,}** |")
    print(f"\nNot counted: {made:,} lines in these files that scripts write.")
    if faults:
        sys.exit("\n".join(faults))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Counts the lines of the product by folder: all, and those that are neither blank nor comment (nor docstring).

    scripts/count_lines.py

It counts tracked sources in C++, Python, Rust and JavaScript; pages, CMake files and data are not counted.
"""

import ast
import io
import pathlib
import re
import subprocess
import tokenize

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("include", "src", "python/merklize", "python/bindings", "rust/*/src", "web")
ENDINGS = ("h", "hpp", "cpp", "inc", "py", "rs", "js", "mjs", "ts")
RAW = r'R"(?P<end>[^(\n]*)\((?:.|\n)*?\)(?P=end)"'
STRING = RAW + r"""|"(?:\\.|[^"\\\n])*"|'(?:\\.[^']*|[^'\\\n])'|`(?:\\.|[^`\\])*`"""
COMMENT = r"//[^\n]*|/\*(?:.|\n)*?\*/"


def without_comments(text):
    """Of C++, Rust or JavaScript."""
    return re.sub(f"{STRING}|(?P<comment>{COMMENT})", lambda found: "" if found["comment"] else found[0], text)


def without_python_comments(text):
    lines = text.split("\n")
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            lines[token.start[0] - 1] = lines[token.start[0] - 1][: token.start[1]]
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            for line in range(node.lineno - 1, node.end_lineno):
                lines[line] = ""
    return "\n".join(lines)


def count(path):
    text = path.read_text()
    code = without_python_comments(text) if path.suffix == ".py" else without_comments(text)
    return text.count("\n"), sum(bool(line.strip()) for line in code.split("\n"))


def files(folder):
    names = subprocess.check_output(["git", "ls-files", f":(glob){folder}/**"], cwd=ROOT, text=True).split("\n")
    return [ROOT / name for name in names if name.rpartition(".")[2] in ENDINGS]


def main():
    print("| folder | lines | without blanks and comments |\n|---|---|---|")
    total = [0, 0]
    for folder in FOLDERS:
        counts = [sum(one) for one in zip(*map(count, files(folder)))]
        total = [sum(one) for one in zip(total, counts)]
        print(f"| `{folder}` | {counts[0]:,} | {counts[1]:,} |")
    print(f"| all | {total[0]:,} | {total[1]:,} |")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Finds the shapes of sentences that readers must read twice, in pages, comments and help, and lines that are too wide.

    python scripts/check_english.py [FILE ...]

Without files it looks at all of the repository. A rule is here once no file breaks it, so the list may grow.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LEFT_OUT = ("CHANGELOG.md", "scripts/check_english.py", "python/tests/test_check_english.py")
RULES = {  # shape: what to write
    r"\bWho (?!is\b.*\?)(?:has|is|can|may|wants|waits|reads|signs|knows|replaces|makes|takes)\b": "name the subject",
    r"\b(?:for|to|of|by|than|from) who\b": "name the person or the program",
    r"\bthat there (?:is|are) not\b": '"unknown", or "that does not exist"',
    r"\banew\b": '"again"',
    r"\b(?:utilize|leverage|seamless(?:ly)?|cutting-edge|blazingly|simply|basically)\b": "leave it out",
    r"\bthen the \w+ it is\b": "subject, verb, object",
    r"\b[Ww]hoever\b": "name the person or the program",
    r"\bgo(?:es)? up as it is\b": '"moves up unchanged"',
    r"\btaken up again\b": '"resumed"',
    r"\b[Aa]nother one\b": "name it: another file, another call",
}
WIDTH = 120  # of a page's and a comment's lines, and of JavaScript; formatters cut lines of other code
WRITTEN = re.compile(r"<!-- \S+ begins -->.*?<!-- \S+ ends -->", re.DOTALL)  # the part of a page that a program writes
NO_PROSE = re.compile(r"^```.*?^```$|^[|#].*?$", re.MULTILINE | re.DOTALL)  # code, rows of tables, headings
MARKS = re.compile(r"\s*(?://|\*|#|/\*)")
HEADING = re.compile(r"\s*//[/!] # (?:Errors|Panics|Safety|Examples) \S")  # rustdoc would make one heading of all
SEMICOLONS = 3  # in one sentence of a page: a list is easier to read


def prose(path, text):
    """Pairs of line number and text: the sentences of a page, or comments of a source, and texts of the command."""
    if path.suffix == ".md":
        text = re.sub(r"^```.*?^```$", lambda code: "\n" * code[0].count("\n"), text, flags=re.MULTILINE | re.DOTALL)
        text = re.sub(r"^\|.*$", "", text, flags=re.MULTILINE)  # tables have cells, not sentences
        pieces = re.finditer(r"\S.*?(?=(?<=[.!?:])\s+(?=[A-Z`*\[])|\n\s*\n|\n\s*[-*] |\n#|\Z)", text, re.DOTALL)
    elif path.suffix == ".py":
        pieces = re.finditer(r'"""[^"]*"""|# .*', text)
    else:
        shapes = r"(?:^\s*//.*\n?)+|//.*|/\*(?:[^*]|\*(?!/))*\*/"
        if "command" in path.parts:
            shapes += r'|(?:"(?:[^"\\\n]|\\.)*"\s*)+'
        pieces = re.finditer(shapes, text, re.MULTILINE)
    for piece in pieces:
        words = re.sub(r"\n\s*(?:///?<?|\*|#)(?=\s)", " ", piece[0])  # a comment's marks
        words = re.sub(r'"\s*"', "", words)  # a literal that goes on
        yield text.count("\n", 0, piece.start()) + 1, re.sub(r"`[^`]*`", "``", " ".join(words.split()))


def faults(path, text):
    """One line for each fault: the place, the words and the better words."""
    is_page = path.suffix == ".md"
    wrapped = text
    for rest in (WRITTEN, NO_PROSE) if is_page else ():
        wrapped = rest.sub(lambda found: "\n" * found[0].count("\n"), wrapped)
    for number, line in enumerate(wrapped.splitlines(), 1):
        if len(line) > WIDTH and (is_page or path.suffix == ".js" or MARKS.match(line)):
            yield f"{path}:{number}: {len(line)} columns: wrap it at {WIDTH}"
        if not is_page and HEADING.match(line):
            yield f"{path}:{number}: text behind a heading: begin a line with it"
    for line, words in prose(path, text):
        for rule, instead in RULES.items():
            found = re.search(rule, words)
            if found:
                yield f"{path}:{line}: '{found[0]}': {instead}"
        if is_page and words.count(";") > SEMICOLONS:
            yield f"{path}:{line}: a sentence with {words.count(';')} semicolons: make it a list, or sentences"


def main(named):
    if not named:
        kinds = (
            "*.md",
            "*.h",
            "*.hpp",
            "*.c",
            "*.cpp",
            "*.inc",
            "*.py",
            "*.rs",
            "*.js",
            "*.mjs",
            "*.ts",
            "*.def",
            "*.map",
            "*.cmake",
            "*.mk",
            "*.sh",
            "*.toml",
            ".ci/*",
        )
        named = subprocess.check_output(["git", "ls-files", *kinds], cwd=ROOT, text=True).splitlines()
    found = [
        fault
        for name in named
        if name not in LEFT_OUT
        for fault in faults(pathlib.Path(name), (ROOT / name).read_text())
    ]
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""The core as one text, as a library that carries its kernels inside itself hands it to a device compiler."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INCLUDE = ROOT / "include"
CORE = INCLUDE / "merklize" / "core"

INCLUDE_LINE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"[ \t]*$', re.MULTILINE)
HASH_LINE = re.compile(r"^MKZ_HASH\((\d+), (\w+), (\w+), (32|64), (\w+)\)$", re.MULTILINE)


GUARD = re.compile(r"^#ifndef MKZ_\w+_H$", re.MULTILINE)


def flatten(path, seen=None):
    """The text of `path` with every #include "..." replaced by the file's text; guarded files come once."""
    path, seen = path.resolve(), set() if seen is None else seen
    text = path.read_text()
    if path in seen and GUARD.search(text):
        return ""
    seen.add(path)
    return INCLUDE_LINE.sub(lambda match: flatten(path.parent / match[1], seen), text)


def hashes():
    """name -> its line of hashes.def."""
    return {match[2]: match[0] for match in HASH_LINE.finditer((INCLUDE / "merklize" / "hashes.def").read_text())}


def select(name):
    """The line that makes a program of one hash only (kernels.h)."""
    return f"#define MKZ_HASHES {hashes()[name]}\n"


def readme_example(language):
    """The example of core/README.md in a block of that language."""
    return re.search(rf"^```{language}\n(.*?)^```$", (CORE / "README.md").read_text(), re.MULTILINE | re.DOTALL)[1]

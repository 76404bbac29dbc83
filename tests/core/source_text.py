"""The core as one text, in the form in which a library with built-in kernels gives it to a device compiler."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INCLUDE = ROOT / "include"
CORE = INCLUDE / "merklize" / "core"

INCLUDE_LINE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"[ \t]*$', re.MULTILINE)
GUARD = re.compile(r"^#ifndef MKZ_\w+_H$", re.MULTILINE)


UNIT_LINE = re.compile(r'^#include "hashes/(\w+)\.h"$', re.MULTILINE)
PART_ROW = re.compile(r'^#define MKZ_UNIT_NAME (\w+)$.*?^#include "unit\.h"$', re.MULTILINE | re.DOTALL)


def hashes():
    """The names in the list of hashes, in order."""
    return UNIT_LINE.findall((CORE / "hashes.h").read_text())


def parts():
    """The names of the units that are no hashes, in order."""
    return PART_ROW.findall((CORE / "parts.h").read_text())


def flatten(path, name, seen=None):
    """The text of `path` with every #include "..." replaced by the file's text; guarded files come once.

    name  the only unit of the lists that the text keeps; None: no unit
    """
    path, seen = path.resolve(), set() if seen is None else seen
    text = path.read_text()
    if path in seen and GUARD.search(text):
        return ""
    seen.add(path)
    if path == CORE / "hashes.h":
        text = UNIT_LINE.sub(lambda match: match[0] if match[1] == name else "", text)
    if path == CORE / "parts.h":
        text = PART_ROW.sub(lambda match: match[0] if match[1] == name else "", text)
    return INCLUDE_LINE.sub(lambda match: flatten(path.parent / match[1], name, seen), text)


def select(name):
    """The line that makes a program of one hash only, or of none (kernels.h), for a compiler that has the headers."""
    return f"#define MKZ_HASH_LIST <merklize/core/{f'hashes/{name}' if name else 'port'}.h>\n"


PAGE = ROOT / "docs" / "how-to" / "kernel.md"


def example(page, language):
    """The example of a page in a block of that language."""
    return re.search(rf"^```{language}\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)[1]

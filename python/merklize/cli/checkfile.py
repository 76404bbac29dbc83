"""The lines that `merklize hash` and b3sum write, and reading them back. Pure functions: no files, no output.

    <hex>  <name>                     plain
    BLAKE3 (<name>) = <hex>           --tag

A name with a backslash, newline or carriage return is written with these escaped, and a backslash starts the line.
"""

from __future__ import annotations

from typing import NamedTuple

TAG = "BLAKE3 ("
TAG_END = ") = "
_ESCAPES = str.maketrans({"\\": r"\\", "\n": r"\n", "\r": r"\r"})
_UNESCAPES = {"\\": "\\", "n": "\n", "r": "\r"}
_HEX = frozenset("0123456789abcdef")


class CheckLine(NamedTuple):
    """What one line promises."""

    name: str  # of the file
    shown: str  # the name as the line has it: always one line of text
    digest: bytes


class BadLine(NamedTuple):
    """A line that promises nothing. It counts as a failure."""

    reason: str


def escape(name: str) -> tuple[str, str]:
    """Returns the mark for the start of the line (a backslash, or nothing) and the name as the line has it."""
    escaped = name.translate(_ESCAPES)
    return ("\\" if escaped != name else ""), escaped


def frame(name: str, tag: bool = False) -> tuple[str, str]:
    """What stands before and after the digest in the line for `name`."""
    mark, name = escape(name)
    return (f"{mark}{TAG}{name}{TAG_END}", "\n") if tag else (mark, f"  {name}\n")


def parse_check_line(line: bytes, length: int = 32) -> CheckLine | BadLine:
    """Reads one line, with or without its line end, for digests of `length` bytes. Any bytes give one or the other.

    It is strict on purpose. A check that fails too often is a nuisance, one that passes wrongly is a hole: so a name
    that could stand for several files (U+FFFD, which replaces what was not UTF-8) or be cut short (a zero byte) is
    refused.
    """
    try:
        text = line.decode("utf-8").rstrip("\r\n")
    except UnicodeDecodeError:
        return BadLine("not UTF-8")
    if not text:
        return BadLine("empty line")
    mark = "\\" if text[0] == "\\" else ""
    text = text[len(mark) :]

    # No digest starts with "BLAKE3 (", so the two forms cannot be confused. A name may hold either separator: the
    # digest is what lies before the first "  " or after the last ") = ".
    if text.startswith(TAG):
        name, found, digest = text[len(TAG) :].rpartition(TAG_END)
    else:
        digest, found, name = text.partition("  ")
    if not found:
        return BadLine("not a check line")
    if not _HEX.issuperset(digest):
        return BadLine("the digest is not lower-case hexadecimal")
    if len(digest) != 2 * length:
        return BadLine(f"the digest has {len(digest)} hexadecimal digits, not {2 * length}")
    if not name:
        return BadLine("no file name")
    if "\0" in name:
        return BadLine("zero byte in the file name")
    if "\ufffd" in name:
        return BadLine("replacement character (U+FFFD) in the file name: the real name is not known")

    plain = _unescape(name) if mark else name
    if plain is None:
        return BadLine("unknown backslash escape in the file name")
    return CheckLine(plain, mark + name, bytes.fromhex(digest))


def _unescape(name: str) -> str | None:
    plain = ""
    characters = iter(name)
    for c in characters:
        if c == "\\":
            c = _UNESCAPES.get(next(characters, ""), "")  # a backslash at the very end has nothing after it
            if not c:
                return None
        plain += c
    return plain

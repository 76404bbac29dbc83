"""Extension of griffe: aligned lists of docstrings become lists of Markdown, and their examples blocks of code."""

from __future__ import annotations

import re
from typing import Any

import griffe

ITEM = re.compile(r"^([A-Za-z_*][\w*, .()\[\]-]*?)\s{2,}(\S.*)$")
EXAMPLE = re.compile(r"^>>> (?:.+\n?)+", re.MULTILINE)


def listed(text: str) -> str:
    """`name  what it is`, with lines that go on below, as an item of a list."""
    lines: list[str] = []
    inside = False
    for line in text.split("\n"):
        item = ITEM.match(line)
        if item:
            if not inside and lines and lines[-1]:
                lines.append("")
            lines.append(f"- **{item[1]}**: {item[2]}")
            inside = True
        elif inside and line.startswith("  "):
            lines.append("  " + line.strip())
        else:
            if inside and line:
                lines.append("")
            inside = False
            lines.append(line)
    return "\n".join(lines)


def fenced(text: str) -> str:
    """Each example, from `>>>` to the next empty line, as a block of code."""
    return EXAMPLE.sub(lambda found: f"```pycon\n{found[0].rstrip()}\n```\n", text)


class Docstrings(griffe.Extension):
    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring:
            obj.docstring.value = fenced(listed(obj.docstring.value))

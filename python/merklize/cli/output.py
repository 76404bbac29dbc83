"""Standard output as bytes, complaints on standard error, and tables.

Names of files are bytes of any kind, so everything is written as UTF-8 whatever the locale says.
"""

from __future__ import annotations

import errno
import json
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from itertools import zip_longest
from typing import Any

import click

from merklize._urls import printable


class Failure(click.ClickException):
    """Ends the command with one line and exit code 1."""

    def show(self, file: Any = None) -> None:
        answer_error(self.message)
        complain(self.message)


class StdoutClosed(Exception):
    """Whoever read our output has gone (`merklize hash ... | head`): nothing more to do, and nothing to say."""


class State:
    """What an error must know of the command: whether answers are JSON, and whether there was one already."""

    wants_json = False
    has_written = False

    @classmethod
    def reset(cls) -> None:
        """Begin again: a process may run several commands."""
        cls.wants_json = cls.has_written = False


def answer_error(text: str) -> None:
    """With --json, the error that comes instead of an answer."""
    if State.wants_json and not State.has_written:
        with suppress(Failure, StdoutClosed):
            line(json.dumps({"error": text}))


def write(data: bytes) -> None:
    if sys.stdout is None:
        raise Failure("standard output is closed")
    State.has_written = True
    _guarded(lambda: sys.stdout.buffer.write(data))


def descriptor() -> int:
    """Standard output itself, behind what was written to it."""
    if sys.stdout is None:
        raise Failure("standard output is closed")
    flush()
    return sys.stdout.fileno()


def line(text: str) -> None:
    write(text.encode("utf-8", "replace") + b"\n")


def flush() -> None:
    if sys.stdout is not None:
        _guarded(sys.stdout.flush)


def _guarded(action: Callable[[], object]) -> None:
    try:
        action()
    except OSError as error:
        _discard_stdout()
        if error.errno == errno.EPIPE:
            raise StdoutClosed from None
        raise Failure(f"cannot write the output: {error.strerror}") from None


def _discard_stdout() -> None:
    """What is left in the buffer would otherwise be tried once more, with a complaint, when the interpreter ends."""
    try:
        sink = os.open(os.devnull, os.O_WRONLY)
        os.dup2(sink, sys.stdout.fileno())
        os.close(sink)
    except (OSError, ValueError):
        pass


def complain(text: str) -> None:
    """One line on standard error, in order with what went to standard output before."""
    flush()
    if sys.stderr is not None:
        try:
            sys.stderr.buffer.write(f"merklize: {text}\n".encode("utf-8", "replace"))
            sys.stderr.flush()
        except OSError:
            pass  # nobody is left to tell


def reason(error: BaseException) -> str:
    """What went wrong, for people: without Python's "[Errno 2]" and quotes."""
    if isinstance(error, OSError) and error.strerror:
        place = f"{sentence(error.filename)}: " if isinstance(error.filename, (str, bytes)) else ""
        return place + error.strerror
    return str(error) or type(error).__name__


def display(path: str | bytes) -> str:
    """A path as text: what is not UTF-8 becomes U+FFFD, as b3sum does it."""
    return os.fsencode(path).decode("utf-8", "replace")


def sentence(path: str | bytes) -> str:
    """A path for use in a sentence: a line end in it must not pass for one of ours."""
    return printable(display(path))


def table(rows: Iterable[Sequence[str]], right: str = "", width: int = 80) -> str:
    """Aligned columns, the first row being the head. `right` has an "r" in the place of each column to align right.

    What does not fit into `width` goes on in the next line: the widest columns are made narrower.
    """
    head, *body = rows
    widths = [max(map(len, column)) for column in zip(head, *body)]
    while sum(widths) + 2 * (len(widths) - 1) > width and max(widths) > LEAST_COLUMN:
        widths[widths.index(max(widths))] -= 1
    return "\n".join(
        [table_row(head, widths, right), "  ".join("-" * width for width in widths)]
        + [table_row(row, widths, right) for row in body]
    )


LEAST_COLUMN = 10


def table_row(cells: Sequence[str], widths: Sequence[int], right: str) -> str:
    """One row of a table, in as many lines as its longest cell needs."""
    sides = right.ljust(len(widths))
    lines = zip_longest(*(parts(cell, width) for cell, width in zip(cells, widths)), fillvalue="")
    return "\n".join(
        "  ".join(c.rjust(w) if side == "r" else c.ljust(w) for c, w, side in zip(line, widths, sides)).rstrip()
        for line in lines
    )


def parts(cell: str, width: int) -> list[str]:
    """Lines of a cell: cut at a space or behind a mark if there is one in the second half of a line, else anywhere."""
    lines = []
    while len(cell) > width:
        end = max(cell.rfind(mark, width // 2, width) for mark in " ,./_-") + 1
        if cell[width] == " " or not end:
            end = width
        lines.append(cell[:end].rstrip())
        cell = cell[end:].lstrip()
    return [*lines, cell]


def human_time(seconds: float) -> str:
    """0.0015 -> "1.5 ms"."""
    for unit, factor in (("s", 1), ("ms", 1e3)):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e6:.3g} us"

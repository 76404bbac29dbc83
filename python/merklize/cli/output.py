"""Standard output as bytes, complaints on standard error, and tables.

Names of files are bytes of any kind, so everything is written as UTF-8 whatever the locale says.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import click

from merklize._urls import printable


class Failure(click.ClickException):
    """Ends the command with one line and exit code 1."""

    def show(self, file: Any = None) -> None:
        complain(self.message)


class StdoutClosed(Exception):
    """Whoever read our output has gone (`merklize hash ... | head`): nothing more to do, and nothing to say."""


def write(data: bytes) -> None:
    if sys.stdout is None:
        raise Failure("standard output is closed")
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


def table(rows: Iterable[Sequence[str]], right: str = "") -> str:
    """Aligned columns, the first row being the head. `right` has an "r" in the place of each column to align right."""
    head, *body = rows
    widths = [max(map(len, column)) for column in zip(head, *body)]
    sides = right.ljust(len(widths))

    def text(row: Sequence[str]) -> str:
        cells = (c.rjust(w) if side == "r" else c.ljust(w) for c, w, side in zip(row, widths, sides))
        return "  ".join(cells).rstrip()

    return "\n".join([text(head), "  ".join("-" * width for width in widths), *map(text, body)])


def human_time(seconds: float) -> str:
    """0.0015 -> "1.5 ms"."""
    for unit, factor in (("s", 1), ("ms", 1e3)):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e6:.3g} us"

"""`merklize hash --check`: reads lists of digests, hashes the files again and compares."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial
from itertools import islice
from typing import NamedTuple

from . import output
from .checkfile import BadLine, CheckLine, parse_check_line
from .hashing import BATCH_FILES, STDIN, Job, digests, stdin_descriptor
from .progress import Bar
from .writers import json_list, json_name

# A name has at most 4096 bytes, twice that when escaped. A longer line is read in pieces, and the first of them always
# fails, so nothing can hide behind it.
MAX_LINE = 1 << 20


class Verdict(NamedTuple):
    """On one line of a list."""

    source: str  # the list
    number: int  # of the line, from 1
    line: CheckLine | BadLine
    ok: bool
    error: str = ""  # why the line or its file cannot be read; a digest that differs is no error


def check_files(sources: Sequence[str], job: Job, quiet: bool, as_json: bool) -> int:
    """Checks the lists one after another and reports on every line; returns how many lines and lists failed."""
    failed = unread = 0
    with json_report(job) if as_json else nullcontext(partial(report_line, quiet=quiet)) as report:
        for source in sources:
            try:
                for verdict in verdicts(source, job):
                    failed += not verdict.ok
                    report(verdict)
            except OSError as error:
                unread += 1
                output.complain(f"{output.sentence(source)}: {error.strerror or error}")
    if failed:
        output.complain(f"WARNING: {failed} computed checksum{'s' if failed > 1 else ''} did NOT match")
    return failed + unread


def verdicts(source: str, job: Job) -> Iterator[Verdict]:
    if source == STDIN and job.settings["key"] is not None:
        raise OSError(0, "standard input holds the key, not a list")
    with open(stdin_descriptor() if source == STDIN else source, "rb", closefd=source != STDIN) as file:
        before = 0
        bar = Bar("checking", 0)
        lines = iter(partial(file.readline, MAX_LINE), b"")
        while batch := [parse_check_line(line, job.length) for line in islice(lines, BATCH_FILES)]:
            names = [os.fsdecode(line.name.encode()) for line in batch if isinstance(line, CheckLine)]
            results = digests(names, job, bar)
            for number, line in enumerate(batch, before + 1):
                if isinstance(line, BadLine):
                    yield Verdict(source, number, line, False, line.reason)
                    continue
                result = next(results)
                ok = not result.error and b"".join(result.digest) == line.digest
                yield Verdict(source, number, line, ok, result.error)
            before += len(batch)


def report_line(verdict: Verdict, quiet: bool) -> None:
    """As b3sum does, but says where a line is that cannot be read."""
    if isinstance(verdict.line, BadLine):
        output.complain(f"{output.sentence(verdict.source)}:{verdict.number}: {verdict.error}")
    elif not verdict.ok:
        output.line(f"{verdict.line.shown}: FAILED" + (f" ({verdict.error})" if verdict.error else ""))
    elif not quiet:
        output.line(f"{verdict.line.shown}: OK")


@contextmanager
def json_report(job: Job) -> Iterator[Callable[[Verdict], None]]:
    with json_list(job) as put:

        def report(verdict: Verdict) -> None:
            place = {"list": output.display(verdict.source), "line": verdict.number}
            name = json_name(verdict.line.name) if isinstance(verdict.line, CheckLine) else {}
            put(name | place | {"ok": verdict.ok} | ({"error": verdict.error} if verdict.error else {}))

        yield report

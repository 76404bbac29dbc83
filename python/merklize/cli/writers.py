"""The forms in which `merklize hash` writes results. A writer is a function of one result, called in order."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from . import output
from .checkfile import frame
from .hashing import Job, Result

Writer = Callable[[Result], None]


def write_line(result: Result, names: bool = True, tag: bool = False) -> None:
    """b3sum's line. Failures have no line; they are reported on standard error."""
    if not result.error:
        before, after = frame(result.name, tag) if names else ("", "\n")
        output.write(before.encode())
        for piece in result.digest:
            output.write(piece.hex().encode())
        output.write(after.encode())


def write_raw(result: Result) -> None:
    """The bytes of the digest and nothing else."""
    for piece in result.digest:
        output.write(piece)


@contextmanager
def json_list(job: Job) -> Iterator[Callable[[dict[str, Any]], None]]:
    """Writes {"files": [...]} entry by entry: a list of millions of files is never held. The times come at the end."""
    import json  # here, as most runs do without

    before = '{"files": ['

    def put(entry: dict[str, Any]) -> None:
        nonlocal before
        output.write(f"{before}\n  {json.dumps(entry)}".encode())
        before = ","

    yield put
    end = "\n]" if before == "," else f"{before}]"
    if job.times is not None:
        from .timings import seconds

        end += f', "timings": {json.dumps(seconds(job.times))}'
    output.write(f"{end}}}\n".encode())


@contextmanager
def json_writer(job: Job) -> Iterator[Writer]:
    with json_list(job) as put:

        def write(result: Result) -> None:
            if result.error:
                found: dict[str, Any] = {"error": result.error}
            else:
                found = {"hash": b"".join(result.digest).hex(), "length": job.length, "seek": job.seek}
            put(json_name(result.path) | found)

        yield write


def json_name(path: str) -> dict[str, Any]:
    """The name as text, and its bytes too where the text is not the whole truth."""
    name, exact = output.display(path), os.fsencode(path)
    return {"name": name} if name.encode() == exact else {"name": name, "name_hex": exact.hex()}

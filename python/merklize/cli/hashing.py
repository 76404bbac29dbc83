"""Hashing a list of inputs through the library, in order, several at once. Used by `merklize hash` and its --check."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import merklize

from . import output
from .progress import Bar

STDIN = "-"
# Small files are handed to the library in batches, so that results flow and memory stays bounded; a larger one takes
# all threads by itself.
BATCH_FILES = 1024
SMALL_FILE = 4 << 20
# Longer digests are made and written in pieces of this size.
PIECE = 1 << 20


class Job(NamedTuple):
    """How to hash: the same for all inputs of one run."""

    settings: dict[str, Any]  # hash, key, context, device, threads: as every function of the library takes them
    length: int
    seek: int
    tuning: dict[str, Any]  # policy: what hash_file and hash_files take besides
    times: list[merklize.Timings] | None  # one for each call, if somebody wants to know

    def timed(self) -> dict[str, Any]:
        """Arguments of the next call: its tuning, and where its times go."""
        if self.times is None:
            return self.tuning
        self.times.append(merklize.Timings())
        return {**self.tuning, "timings": self.times[-1]}


class Result(NamedTuple):
    """What became of one input."""

    path: str
    digest: Iterable[bytes] = ()  # in pieces, to be taken before the next result
    error: str = ""

    @property
    def name(self) -> str:
        return output.display(self.path)


def digests(inputs: Iterable[str | OSError], job: Job, bar: Bar) -> Iterator[Result]:
    """One result an input, in order. "-" is standard input; an OSError is passed on as the failure that it is."""
    batch: list[str] = []
    batch_files = max(1, min(BATCH_FILES, 16 * PIECE // (job.length + 1)))
    for item in inputs:
        if isinstance(item, str) and item != STDIN and job.length <= PIECE and _is_small(item):
            batch.append(item)
            if len(batch) == batch_files:
                yield from _many(batch, job, bar)
                batch = []
        else:
            yield from _many(batch, job, bar)
            batch = []
            yield _one(item, job, bar)
    yield from _many(batch, job, bar)


def _is_small(path: str) -> bool:
    try:
        return os.stat(path).st_size < SMALL_FILE
    except OSError:
        return True  # opening it will tell


def _many(paths: list[str], job: Job, bar: Bar) -> Iterator[Result]:
    if len(paths) == 1:
        yield _one(paths[0], job, bar)
    elif paths:
        output.flush()  # what is known so far should be seen while this takes its time
        with bar.part(len(paths)) as report:
            found = merklize.hash_files(
                paths, length=job.length, seek=job.seek, progress=report, **job.settings, **job.timed()
            )
        for path, digest in zip(paths, found):
            if isinstance(digest, Exception):
                yield Result(path, error=_reason(path, digest))
            else:
                yield Result(path, (digest,))


def _one(item: str | OSError, job: Job, bar: Bar) -> Result:
    if isinstance(item, OSError):
        return Result(item.filename, error=item.strerror or str(item))
    try:
        source: str | int = item
        if item == STDIN:
            if job.settings["key"] is not None:
                return Result(item, error="standard input holds the key, not data")
            source = stdin_descriptor()
        output.flush()
        with bar.part() as report:
            if job.length > PIECE:
                return Result(item, _long_digest(source, job))
            digest = merklize.hash_file(
                source, length=job.length, seek=job.seek, progress=report, **job.settings, **job.timed()
            )
            return Result(item, (digest,))
    except (merklize.FileError, OSError) as error:
        return Result(item, error=_reason(item, error))


def _long_digest(source: str | int, job: Job) -> Iterator[bytes]:
    """Reads the input now, and makes the digest piece by piece as it is taken."""
    hasher = merklize.Hasher(**job.settings)
    with open(source, "rb", buffering=0, closefd=not isinstance(source, int)) as file:
        while data := file.read(16 << 20):
            hasher.update(data)
    ends = range(job.seek, job.seek + job.length, PIECE)
    return (hasher.digest(min(PIECE, job.seek + job.length - at), seek=at) for at in ends)


def _reason(path: str, error: Exception) -> str:
    """Why it failed, without the name at the start of the library's text: the caller's line has that already."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    text = str(error)
    return text[len(path) + 2 :] if text.startswith(f"{path}: ") else text


def stdin_descriptor() -> int:
    if sys.stdin is None:  # closed by whoever started us: the number 0 may stand for any other file by now
        raise OSError(errno.EBADF, "standard input is closed")
    return sys.stdin.fileno()

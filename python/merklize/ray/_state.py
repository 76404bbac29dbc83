"""The state file of a job, with the results so far, so that the job can resume after its driver was killed.

A line of JSON says which job it is; each further line has the key of a task, its result in hexadecimal, and a check. A
torn last line, and anything after it, counts as not written.
"""

from __future__ import annotations

import json
import os
from types import TracebackType
from typing import Any

from ..errors import InvalidArgument
from ..extensions import path_text, refused
from ..hashing import hash as digest_of

FORMAT = "merklize-ray-state-1"


def _line(key: str, result: bytes) -> bytes:
    text = f"{key} {result.hex()}"
    return f"{text} {digest_of(text.encode()).hex()[:8]}\n".encode()


class State:
    """Results of tasks by their keys, in memory and in a file; without a path, in memory alone."""

    def __init__(self, path: Any, job: dict[str, Any]) -> None:
        """Read the file, or begin one. Raises InvalidArgument if it belongs to another job."""
        self.done: dict[str, bytes] = {}
        self.job = job
        self._file: Any = None
        if path is None:
            return
        name = path_text(path, "state")
        try:
            self._file = open(name, "a+b")  # noqa: SIM115  # open until the job is done
            self._file.seek(0)
            lines = self._file.read().split(b"\n")
        except OSError as error:
            raise refused("open", name, error) from None
        end = self._read(lines, name)
        self._file.truncate(end)
        self._file.seek(0, os.SEEK_END)
        if end == 0:
            self._write(json.dumps({"format": FORMAT, "job": job}).encode() + b"\n")

    def _read(self, lines: list[bytes], name: str) -> int:
        """Take the complete lines; return their bytes."""
        if len(lines) < 2:
            return 0
        try:
            head = json.loads(lines[0])
            found = head["job"] if head["format"] == FORMAT else None
        except (ValueError, KeyError, TypeError):
            found = None
        if not isinstance(found, dict):
            raise InvalidArgument(f"{name}: not a state file of merklize.ray")
        for field in {**found, **self.job}:
            # The job takes its own choices from the file.
            if found.get(field) != self.job.get(field) and field not in ("part", "token"):
                raise InvalidArgument(
                    f"{name}: the state is of another job: {field} is {found.get(field)!r}, "
                    f"now {self.job.get(field)!r}; remove it to begin anew"
                )
        self.job = found
        end = len(lines[0]) + 1
        for line in lines[1:-1]:
            key, _, rest = line.partition(b" ")
            try:
                result = bytes.fromhex(rest.partition(b" ")[0].decode())
                if _line(key.decode(), result) != line + b"\n":
                    break
            except ValueError:
                break
            self.done[key.decode()] = result
            end += len(line) + 1
        return end

    def add(self, key: str, result: bytes) -> None:
        """Note a result."""
        self.done[key] = result
        if self._file is not None:
            self._write(_line(key, result))

    def _write(self, line: bytes) -> None:
        self._file.write(line)
        self._file.flush()

    def __enter__(self) -> State:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Close the file, and remove it if all is done."""
        if self._file is not None:
            if kind is None:
                os.unlink(self._file.name)
            self._file.close()

"""`python -m merklize` is the command `merklize`: the same command line, and the commands that only Python has."""

from __future__ import annotations

import os
import signal
import sys
import sysconfig
from contextlib import closing
from functools import cached_property
from importlib import import_module, metadata
from typing import Any, NoReturn

from . import _native
from ._urls import stores


def find_command() -> str:
    """Return the path of the program: MERKLIZE_COMMAND, or the place where pip put it."""
    if named := os.environ.get("MERKLIZE_COMMAND"):
        return named
    try:
        files = metadata.files("merklize") or []
    except metadata.PackageNotFoundError:
        files = []
    found = [str(file.locate()) for file in files if file.name == "merklize" and file.parent.name == "bin"]
    found.append(os.path.join(sysconfig.get_path("scripts"), "merklize"))
    for path in found:
        if os.access(path, os.X_OK):
            return os.path.realpath(path)
    raise FileNotFoundError(f"the program `merklize` is not at {found[0]}; MERKLIZE_COMMAND can say where it is")


class Caller:
    """The functions that the command line calls in Python."""

    @cached_property
    def opener(self) -> Any:
        """The object that opens URLs."""
        return stores().Opener()

    def close(self) -> None:
        """End the opener's threads."""
        if "opener" in vars(self):
            self.opener.close()

    def run(self, command: _native.Command) -> int:
        """Run a command that is written in Python. Returns its exit code."""
        code: int = import_module("merklize.cli").run(command)  # which stands on the public names, as the stores do
        return code

    def installed(self) -> bytes:
        """Return the folder whose share/merklize has the files that are installed with the command."""
        return os.fsencode(sysconfig.get_path("data"))


def run(words: list[str]) -> int:
    """Run a command line on the process's own streams. Returns its exit code; Ctrl-C raises KeyboardInterrupt."""
    streams = [-1 if stream is None else fd for fd, stream in enumerate((sys.stdin, sys.stdout, sys.stderr))]
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    with closing(Caller()) as caller:
        return _native.run_command([os.fsencode(word) for word in words], (streams[0], streams[1], streams[2]), caller)


def main() -> NoReturn:
    """Run the program in a process of its own."""

    def end(number: int, _: Any) -> NoReturn:
        raise SystemExit(128 + number)

    if signal.getsignal(signal.SIGTERM) == signal.SIG_DFL:
        signal.signal(signal.SIGTERM, end)
    try:
        sys.exit(run(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()

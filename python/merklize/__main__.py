"""`python -m merklize` is the command `merklize`: the program that the package brings along."""

from __future__ import annotations

import os
import sys
import sysconfig
from importlib import metadata


def find_command() -> str:
    """Return the path of the program: MERKLIZE_COMMAND, or where pip put it."""
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


def main() -> None:
    """Become the program."""
    try:
        command = find_command()
        os.environ.setdefault("MERKLIZE_PYTHON", sys.executable)
        os.execv(command, ["merklize", *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"merklize: {error}")


if __name__ == "__main__":
    main()

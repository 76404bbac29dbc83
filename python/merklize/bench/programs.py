"""Programs of others, by name."""

from __future__ import annotations

import os
import shutil


def find_program(name: str) -> str | None:
    """Return the path of a program: a path as it is, a name as the PATH has it.

    Folders of the PATH that depend on the working directory, such as empty ones, do not count.
    """
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return shutil.which(name, path=os.pathsep.join(filter(os.path.isabs, folders)))

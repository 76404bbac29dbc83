"""Folders to lists of files."""

from __future__ import annotations

import os
from collections.abc import Iterator


def files_below(folder: str) -> Iterator[str | OSError]:
    """All files below `folder`, each folder sorted by the bytes of its names; what cannot be read comes as OSError.

    Symbolic links to files count as files, and so do broken ones: opening them tells. Links to folders are not
    followed, so there are no cycles. Pipes, sockets and devices are left out: reading them might never end.
    """
    # A stack of half-read folders, not recursion: folders may be nested deeper than Python's calls.
    try:
        stack = [_entries(folder)]
    except OSError as error:
        yield error
        return
    while stack:
        entry = next(stack[-1], None)
        if entry is None:
            stack.pop()
            continue
        try:
            if entry.is_dir(follow_symlinks=False):
                stack.append(_entries(entry.path))
            elif entry.is_file() or (entry.is_symlink() and not os.path.exists(entry.path)):
                yield entry.path
        except OSError as error:
            yield error


def _entries(folder: str) -> Iterator[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        return iter(sorted(entries, key=lambda entry: os.fsencode(entry.name)))

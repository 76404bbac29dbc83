"""`merklize hash --xet`."""

from __future__ import annotations

from collections.abc import Sequence

from merklize.errors import FileError
from merklize.formats import xet, xet_files

from . import output
from .checkfile import frame
from .hashing import BATCH_FILES, STDIN, stdin_descriptor
from .progress import Bar


def write_hashes(inputs: Sequence[str | OSError], threads: int, names: bool) -> int:
    """Writes a line an input as `merklize hash` does, and returns how many failed."""
    failed = 0
    bar = Bar("hashing", len(inputs))
    for first in range(0, len(inputs), BATCH_FILES):
        batch = inputs[first : first + BATCH_FILES]
        files = [item for item in batch if isinstance(item, str) and item != STDIN]
        output.flush()
        with bar.part(len(batch)) as report:
            found = dict(zip(files, xet_files(files, threads=threads or None, progress=report)))
        for item in batch:
            name = item if isinstance(item, str) else str(item.filename)
            result: str | OSError = found.get(name, "") if isinstance(item, str) else item
            if item == STDIN:
                result = xet(stdin_descriptor(), threads=threads or None)
            if isinstance(result, str):
                before, after = frame(output.display(name)) if names else ("", "\n")
                output.write(f"{before}{result}{after}".encode())
            else:
                failed += 1
                reason = result.strerror or str(result)
                if isinstance(result, FileError) and str(result).startswith(f"{name}: "):
                    reason = result.strerror or str(result)[len(name) + 2 :]
                output.complain(f"{output.sentence(name)}: {reason}")
    return failed

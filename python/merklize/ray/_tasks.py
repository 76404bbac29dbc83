"""The tasks of workers. Every function gives the same bytes wherever and however often it runs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import merklize

from ..errors import FileError, Mismatch
from ..parts import hash_file_ranges, piece_values, value_of_pieces
from ..stores import ObjectSource as Opened
from ..stores import Readers, limits, open_object, opened, pinned_object
from ._tree_parts import TreePart, build_part

MIB = 1 << 20


class Source(NamedTuple):
    """An object in the version that the driver found."""

    url: str
    size: int
    version: str


class Mode(NamedTuple):
    """The mode of BLAKE3, and where it runs."""

    key: bytes | None
    context: str | None
    length: int
    seek: int
    threads: int
    device: str

    def here(self) -> Mode:
        """Return the same mode with the device of this task: the GPU that Ray gave it, or the CPU."""
        import ray

        gpus = self.device == "auto" and ray.get_gpu_ids()
        device = ("cuda:0" if gpus else "cpu") if self.device == "auto" else self.device
        return self._replace(device=device)

    def options(self) -> dict[str, Any]:
        """Return where and how to run."""
        return {"device": self.device, "threads": self.threads}

    def source(self, source: Opened) -> bytes:
        """Hash an object."""
        mode: Any = {"key": self.key, "context": self.context, "length": self.length, "seek": self.seek}
        return merklize.hash_file(source, **mode, **self.options())


def run(version: str, function: str, arguments: tuple[Any, ...], gives_errors: bool) -> Any:
    """Do one task. Raises Mismatch if the driver has another version of this package, whose tasks may differ."""
    if version != merklize.__version__:
        node = os.uname().nodename
        raise Mismatch(f"merklize.ray: the driver has merklize {version}, a worker on {node} {merklize.__version__}")
    try:
        return FUNCTIONS[function](*arguments)
    except FileError as error:
        if gives_errors:
            return error
        raise


def facts(urls: list[str], small: int, mode: Mode) -> list[bytes | tuple[int, str] | FileError]:
    """Return for each object its digest if it is small, else size and version; or why it cannot be read."""
    mode = mode.here()
    found: list[bytes | tuple[int, str] | FileError] = []
    for url in urls:
        try:
            stored = open_object(url, min(small, limits.range_size))
            is_large = stored.size is not None and stored.size > small and stored.ranges
            if is_large:
                found.append((stored.size or 0, stored.version))
                continue
            with Readers() as readers:
                found.append(mode.source(Opened(stored, readers)))
        except FileError as error:
            found.append(error)
    return found


def whole(source: Source, mode: Mode) -> bytes:
    """Hash one object."""
    with opened(source.url) as found:
        return mode.here().source(found)


def subtree(source: Source, start: int, end: int, mode: Mode) -> bytes:
    """Return the chaining value of bytes start to end - 1 of a longer object: a subtree of its digest."""
    return value_of_pieces(values(source, 0, start, end, MIB >> 2, mode), key=mode.key, context=mode.context)


def values(source: Source, base: int, start: int, end: int, piece: int, mode: Mode) -> bytes:
    """Return the values of pieces of bytes start to end - 1 of a message that begins at byte `base` of the object."""
    mode = mode.here()
    with pinned_source(source) as pinned:
        part, run = (base + start, end - start), mode.options()
        return piece_values(pinned, part, start, piece, key=mode.key, context=mode.context, **run)


def ranges(source: Source, wanted: list[tuple[int, int]], mode: Mode) -> list[bytes]:
    """Return the digests of ranges (offset, bytes), each a message of its own. The ranges are small and adjacent."""
    with pinned_source(source) as pinned:
        return [digest for digest, _ in hash_file_ranges(pinned, wanted, 0, **mode.here().options())]


@contextmanager
def pinned_source(source: Source) -> Iterator[Opened]:
    """Open the version that the driver found. Raises FileError, also at the end if it changed."""
    stored = pinned_object(*source)
    with Readers() as readers:
        yield Opened(stored, readers)
    stored.require_same()


def tree_part(source: Source, part: TreePart) -> bytes:
    """Build a subtree of a tree: see _tree_parts."""
    return build_part(pinned_object(*source), part)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "facts": facts,
    "ranges": ranges,
    "subtree": subtree,
    "tree_part": tree_part,
    "values": values,
    "whole": whole,
}

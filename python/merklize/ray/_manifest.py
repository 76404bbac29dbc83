"""Manifests on a cluster."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from .. import _native
from ..hashing import hash as digest_of
from ..manifests._files import find
from ..manifests._manifest import PIECE_SIZE, Manifest, of_files, require_piece_size
from ..stores._manifests import StoreReader
from ..stores._progress import Report
from ._cluster import Cluster, Options, Progress, Task, joined
from ._files import mode_of, url_of
from ._tasks import MIB, Source

if TYPE_CHECKING:
    from .._types import Path

TOGETHER = 64 * MIB
"""Bytes of small tensors that one task hashes."""


def manifest(
    url: Path,
    *,
    piece_size: int = PIECE_SIZE,
    ignore: Iterable[str] = (),
    exclude: str | None = None,
    address: str | None = None,
    options: Options | None = None,
    progress: Progress = None,
) -> Manifest:
    """Hash weights in a store by a cluster, and return what merklize.manifest() returns.

    url  of a safetensors file, an index of shards or a folder; or such a path that all nodes see

    It has no times of files: refresh() hashes all. The rest is as in merklize.manifest(), the errors as in hash_file().
    """
    require_piece_size(piece_size)
    if isinstance(ignore, str):
        raise TypeError("ignore must be a list of patterns, got a string")
    patterns = tuple(ignore)
    source = find_on_nodes(url_of(url), patterns, None if exclude is None else url_of(exclude))
    with joined(address, options) as cluster:
        reader = _Reader(source, piece_size, False, "cpu", None, progress)
        reader.cluster = cluster
        return of_files(source, reader.read(), piece_size, patterns)


def find_on_nodes(url: str, patterns: tuple[str, ...], exclude: str | None) -> Any:
    """Find files: of a path by the system, so that links and odd files are refused as ever."""
    from .._urls import plain

    path = plain(url)
    found = find(path, patterns, False, None if exclude is None else plain(exclude))
    return found if path == url else found._replace(folder=url_of(found.folder))


class _Reader(StoreReader):
    """Gives ranges to workers."""

    cluster: Cluster

    def _path(self, name: str) -> str:
        is_local = self._source.folder.startswith("file://")
        return f"{self._source.folder}/{quote(name) if is_local else name}"

    def _hash(self, name: str, ranges: list[tuple[int, int]], readers: Any) -> Iterator[tuple[bytes, bytes]]:
        stored = self._stored(name)
        source = Source(self._path(name), stored.size or 0, stored.version)
        mode = mode_of(None, None, 32, 0, "auto")._replace(threads=self.cluster.threads)
        found: dict[int, tuple[bytes, bytes]] = {}
        parts: dict[int, dict[int, bytes]] = {}
        tasks = []
        small: list[int] = []

        def close() -> None:
            if small:
                tasks.append(Task(f"r {small[0]}", "ranges", (source, [ranges[k] for k in small], mode), 0))
                groups[small[0]] = list(small)
                small.clear()

        groups: dict[int, list[int]] = {}
        piece = self._piece_size or MIB
        part = max(self.cluster.part_size(stored.size or 1), piece)
        for k, (offset, size) in enumerate(ranges):
            if size == 0:
                found[k] = (digest_of(b""), b"")
            elif size <= min(TOGETHER, self._piece_size or TOGETHER):
                first = ranges[small[0]][0] if small else offset
                if small and (offset + size - first > TOGETHER or offset != sum(ranges[small[-1]])):
                    close()
                small.append(k)
            else:
                unit = piece if size > piece else MIB
                for start in range(0, size, part):
                    arguments = (source, offset, start, min(start + part, size), unit, mode)
                    tasks.append(Task(f"v {k} {start}", "values", arguments, 0))
        close()
        for task, result in self.cluster.run(tasks, Report(None, None)):
            kind, number, *start_text = task.key.split()
            if kind == "r":
                found |= {k: (digest, b"") for k, digest in zip(groups[int(number)], result)}
            else:
                parts.setdefault(int(number), {})[int(start_text[0])] = result
        for k, values in parts.items():
            pieces = b"".join(values[start] for start in sorted(values))
            digest = _native.digest_of_pieces(pieces, None, None, 32, 0)
            found[k] = (digest, pieces if self._piece_size and ranges[k][1] > self._piece_size else b"")
        for k in range(len(ranges)):
            yield found[k]

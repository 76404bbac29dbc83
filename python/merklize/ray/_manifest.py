"""Manifests on a cluster."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

from ..extensions import Path
from ..hashing import hash as digest_of
from ..manifests import PIECE_SIZE, Manifest, find_weights, manifest_of_store, require_piece_size
from ..parts import digest_of_pieces
from ..stores import Report, Store
from ._cluster import Cluster, Options, Progress, Task, joined
from ._files import mode_of, url_of
from ._tasks import MIB, Source

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
    """Hash weights in a store by a cluster, and return their manifest, as merklize.manifest() does.

    url  of a safetensors file, an index of shards or a folder; or such a path that all nodes see

    It has no times of files: refresh() hashes all. A cluster makes no digests by tiles. The rest is as in
    merklize.manifest(), the errors as in hash_file().
    """
    require_piece_size(piece_size)
    where, own = url_of(url), None if exclude is None else url_of(exclude)
    given = ignore if isinstance(ignore, str) else list(ignore)
    weights = find_weights(where, ignore=given, exclude=own)
    weights = weights._replace(folder=url_of(weights.folder))  # as workers open it
    with joined(address, options) as cluster:
        store = _Store(weights.folder, "cpu", None)
        store.cluster = cluster
        return manifest_of_store(weights, store, piece_size=piece_size, ignore=given, progress=progress)


class _Store(Store):
    """Gives ranges to workers."""

    cluster: Cluster

    def _url(self, name: str) -> str:
        is_local = self._folder.startswith("file://")
        return f"{self._folder}/{quote(name) if is_local else name}"

    def _hash(
        self, name: str, ranges: list[tuple[int, int]], piece_size: int, readers: Any, progress: Progress
    ) -> list[tuple[bytes, bytes]]:
        stored = self._opened[name]
        source = Source(self._url(name), stored.size or 0, stored.version)
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
        piece = piece_size or MIB
        part = max(self.cluster.part_size(stored.size or 1), piece)
        for k, (offset, size) in enumerate(ranges):
            if size == 0:
                found[k] = (digest_of(b""), b"")
            elif size <= min(TOGETHER, piece_size or TOGETHER):
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
            digest = digest_of_pieces(pieces)
            found[k] = (digest, pieces if piece_size and ranges[k][1] > piece_size else b"")
        stored.require_same()
        return [found[k] for k in range(len(ranges))]

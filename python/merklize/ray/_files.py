"""Digests on a cluster."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any

from ..errors import FileError, InvalidArgument
from ..extensions import Buffer, HashName, Path, file_error, is_url, path_text, plain, shown
from ..hashing import hash as digest_of
from ..parts import digest_of_pieces
from ..stores import Report, open_object
from ..tree_file import TreeBuilder
from ._cluster import Cluster, Options, Progress, Task, joined
from ._state import State
from ._tasks import MIB, Mode, Source

SMALL = 64 * MIB
"""In hash_files(), an object of at most so many bytes is one task, or a part of one."""


def url_of(path: Any) -> str:
    """Return the URL that workers open: a given URL, or that of a given path."""
    path = plain(path)
    if is_url(path):
        return str(path)
    if not isinstance(path, (str, bytes, os.PathLike)):
        raise TypeError(f"merklize.ray takes URLs and paths that all nodes see, got {type(path).__name__}")
    from urllib.parse import quote

    return "file://" + quote(os.path.abspath(path_text(path, "path")))


def source_of(url: str) -> Source:
    """Return an object with its version. Raises FileError, also if the server has no ranges."""
    stored = open_object(url, 1)
    if stored.size is None or not stored.ranges:
        raise file_error(stored.name, "the server ignores ranges, which work on several machines needs")
    return Source(url, stored.size, stored.version)


def mode_of(key: Any, context: str | None, length: int, seek: int, device: str, hash: HashName = "blake3") -> Mode:
    """Return the checked mode. Tasks know the number of their threads."""
    TreeBuilder(hash, key=key, context=context, device="cpu")  # refuses what no hash has
    if length < 0 or seek < 0 or length + seek > 1 << 64:
        raise InvalidArgument(f"length and seek must be within 2^64 bytes, got {length} and {seek}")
    return Mode(None if key is None else bytes(key), context, length, seek, 1, device)


def key_check(mode: Mode, hash: HashName = "blake3") -> str:
    """Return a text that differs between two keys, for state files."""
    keyed: HashName = "blake2s" if hash == "blake2s" else "blake3"
    return digest_of(b"", hash=keyed, key=mode.key, context=mode.context).hex()[:16]


def hash_file(
    url: Path,
    *,
    key: Buffer | None = None,
    context: str | None = None,
    length: int = 32,
    seek: int = 0,
    device: str = "auto",
    address: str | None = None,
    state: Path | None = None,
    options: Options | None = None,
    progress: Progress = None,
) -> bytes:
    """Return the BLAKE3 digest of an object, computed by a cluster: that of merklize.hash_file().

    url       a URL, or a path that names the same file on every node
    device    "auto": the GPU that Ray gives to a task, else its CPUs
    address   of a cluster of Ray; None: the one of RAY_ADDRESS, of this process, or a new one of this machine
    state     a file for the results so far, a line of about 90 bytes a part, from which a killed driver resumes. It is
              removed at the end
    options   how the work is cut, and the resources of a task

    The rest is as in merklize.hash_file(). Raises FileError (unreadable, or it changed meanwhile), Unavailable (a
    cluster that has less than is asked for), Mismatch (workers with another version of this package), InvalidArgument
    (the state is of another job), Cancelled.
    """
    source = source_of(url_of(url))
    mode = mode_of(key, context, length, seek, device)
    with joined(address, options) as cluster:
        mode = mode._replace(threads=cluster.threads)
        job = {"kind": "hash_file", "url": shown(source.url), "size": source.size, "version": source.version}
        job |= {"part": cluster.part_size(source.size), "key": key_check(mode)}
        with State(state, job) as known:
            return _digest(source, mode, cluster, known, Report(progress, source.size))


def _digest(source: Source, mode: Mode, cluster: Cluster, known: State, report: Report) -> bytes:
    part = known.job["part"]
    if source.size <= part:
        for _, result in cluster.run([Task("whole", "whole", (source, mode), source.size)], report):
            whole: bytes = result
        return whole
    for task, value in cluster.run(_parts(source, part, mode, known, "", report), report):
        known.add(task.key, value)
    return _merged(source, part, mode, known, "")


def _parts(source: Source, part: int, mode: Mode, known: State, prefix: str, report: Report) -> Iterator[Task]:
    for k, start in enumerate(range(0, source.size, part)):
        end, key = min(start + part, source.size), f"{prefix}{k}"
        if key in known.done:
            report.add(end - start)
        else:
            yield Task(key, "subtree", (source, start, end, mode), end - start)


def _merged(source: Source, part: int, mode: Mode, known: State, prefix: str) -> bytes:
    count = -(-source.size // part)
    values = b"".join(known.done[f"{prefix}{k}"] for k in range(count))
    return digest_of_pieces(values, key=mode.key, context=mode.context, length=mode.length, seek=mode.seek)


def hash_files(
    urls: Iterable[Path],
    *,
    key: Buffer | None = None,
    context: str | None = None,
    length: int = 32,
    seek: int = 0,
    device: str = "auto",
    address: str | None = None,
    state: Path | None = None,
    options: Options | None = None,
    progress: Progress = None,
) -> list[bytes | FileError]:
    """Return the BLAKE3 digests of many objects: one result for each URL, in order; the FileError of one that fails.

    Objects of at most 64 MiB are hashed several in a task, larger ones in parts. The rest is as in hash_file();
    progress counts objects and parts.
    """
    if isinstance(urls, (str, bytes, os.PathLike)):
        raise TypeError(f"hash_files: urls must be an iterable of URLs, got one ({type(urls).__name__})")
    all_urls = [url_of(url) for url in urls]
    mode = mode_of(key, context, length, seek, device)
    with joined(address, options) as cluster:
        mode = mode._replace(threads=cluster.threads)
        names = digest_of("\0".join(map(shown, all_urls)).encode()).hex()
        job = {"kind": "hash_files", "urls": len(all_urls), "names": names, "key": key_check(mode)}
        with State(state, job | {"output": f"{length} {seek}"}) as known:
            return _digests(all_urls, mode, cluster, known, Report(progress, None))


def _digests(urls: list[str], mode: Mode, cluster: Cluster, known: State, report: Report) -> list[bytes | FileError]:
    results: dict[int, bytes | FileError] = {}
    left = [k for k in range(len(urls)) if f"{k}." not in known.done]
    results |= {k: known.done[f"{k}."] for k in range(len(urls)) if f"{k}." in known.done}
    group = max(1, min(64, len(left) // (4 * cluster.slots)))
    groups = [left[at : at + group] for at in range(0, len(left), group)]
    looks = [Task(str(k), "facts", ([urls[i] for i in group], SMALL, mode), 0) for k, group in enumerate(groups)]
    report.add_total(len(left) * MIB)  # until its size is known, each object counts as so much
    large: dict[int, Source] = {}
    for task, found in cluster.run(looks, report):
        for k, result in zip(groups[int(task.key)], found):
            report.add(MIB)
            if isinstance(result, tuple):
                large[k] = Source(urls[k], *result)
                report.add_total(large[k].size)
            else:
                results[k] = result
                if isinstance(result, bytes):
                    known.add(f"{k}.", result)

    parts = {k: cluster.part_size(source.size) for k, source in large.items()}

    def prefix(k: int) -> str:
        source = large[k]  # results of another version, or of other parts, are not reused
        return digest_of(f"{source.size} {source.version} {parts[k]} {k}".encode()).hex()[:16] + "."

    owners: dict[str, int] = {}

    def tasks() -> Iterator[Task]:
        for k, source in sorted(large.items()):
            whole = [Task(f"{k}.", "whole", (source, mode), source.size)]
            for task in whole if source.size <= parts[k] else _parts(source, parts[k], mode, known, prefix(k), report):
                if k not in results:  # it failed already
                    owners[task.key] = k
                    yield task._replace(gives_errors=True)

    for task, value in cluster.run(tasks(), report):
        if isinstance(value, FileError):
            results[owners[task.key]] = value
        else:
            known.add(task.key, value)
    for k, source in large.items():
        if k not in results:
            if source.size > parts[k]:
                known.add(f"{k}.", _merged(source, parts[k], mode, known, prefix(k)))
            results[k] = known.done[f"{k}."]
    return [results[k] for k in range(len(urls))]

"""Trees on a cluster."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from typing import Any

from .. import TreeFacts
from ..errors import FileError, InvalidArgument
from ..extensions import (
    Buffer,
    HashName,
    Path,
    beside,
    file_error,
    hash_info,
    is_url,
    overwrites,
    path_text,
    plain,
    shown,
)
from ..parts import plan_tree
from ..stores import (
    Passing,
    Readers,
    Report,
    extra_of,
    failure_of,
    file_system,
    open_object,
    require_writable,
    upload,
)
from ..tree_file import TreeFile
from ._cluster import Cluster, Options, Progress, Task, joined
from ._files import key_check, mode_of, source_of, url_of
from ._state import State
from ._tasks import Source
from ._tree_parts import NODE, Shape, TreePart

MOST_LEVELS = 20
"""The most leaves of a part, because a worker holds its levels, 64 bytes a leaf."""


def build_tree(
    url: Path,
    leaf_size: int | None = None,
    format: str | None = None,
    out: Path | None = None,
    *,
    hash: HashName | None = None,
    row_size: int | None = None,
    leaves: bool = False,
    rule: str | None = None,
    key: Buffer | None = None,
    context: str | None = None,
    padding: Buffer | None = None,
    address: str | None = None,
    state: Path | None = None,
    options: Options | None = None,
    progress: Progress = None,
) -> TreeFacts:
    """Build the tree over an object by a cluster, with the result of merklize.build_tree_file().

    out       a path on storage that all nodes share, where workers write their parts of the levels; or a URL, to which
              the driver brings them from OUT.parts. The same bytes as merklize.build_tree_file() writes; there when it
              is whole. None: the root alone
    state     as in hash_file(); with `out`, what workers wrote stays beside it until the job is done

    The rest is as in merklize.build_tree_file(), the errors as in hash_file().
    """
    source = source_of(url_of(url))
    given: dict[str, Any] = {"rule": rule, "key": key, "context": context, "padding": padding}
    sizes: dict[str, Any] = {"row_size": row_size, "leaves": leaves}
    plan = plan_tree(shown(source.url), source.size, leaf_size, format=format, hash=hash, **sizes, **given)
    n = plan.n_leaves
    if n == 0:
        raise file_error(shown(source.url), "has no leaf: merklize.build_tree_file() knows what that is")
    mode, shape = mode_of(plan.key, plan.context, 32, 0, "auto", plan.hash), Shape(plan)
    target = None if out is None else _Target(plain(out), shape)
    if target is not None:
        target.require_apart(plain(url))
    with joined(address, options) as cluster:
        leaf_bytes = plan.leaf_size or plan.row_size or NODE
        levels = max(0, min(MOST_LEVELS, (cluster.part_size(source.size) // leaf_bytes).bit_length() - 1))
        job = {"kind": "build_tree", "url": shown(source.url), "size": source.size, "version": source.version}
        job |= {"n_leaves": n, "leaf": [plan.leaf_size, plan.row_size], "hash": plan.hash, "rule": plan.rule}
        job |= {"key": key_check(mode, plan.hash), "padding": shape.padding.hex()}
        job |= {"out": None if target is None else target.name}
        with State(state, {**job, "part": levels, "token": os.urandom(16).hex()}) as known:
            levels = known.job["part"]
            if target is not None:
                target.begin(known)
            try:
                report = Report(progress, source.size)
                root = _build(source, shape, levels, target, cluster, known, report)
            except BaseException:
                if target is not None and state is None:
                    target.discard()
                raise
    return plan.facts(root)


def _build(
    source: Source,
    shape: Shape,
    levels: int,
    target: _Target | None,
    cluster: Cluster,
    known: State,
    report: Report,
) -> bytes:
    import numpy as np

    step, token = 1 << levels, bytes.fromhex(known.job["token"])
    plan = shape.plan
    leaf_bytes = plan.leaf_size or plan.row_size or NODE

    def tasks() -> Iterator[Task]:
        for k, first in enumerate(range(0, shape.n_leaves, step)):
            count = min(step, shape.n_leaves - first)
            if str(k) in known.done:
                report.add(count * leaf_bytes)
            else:
                place = None if target is None else target.place_of(k)
                part = TreePart(shape, cluster.threads, first, count, levels, place, token)
                yield Task(str(k), "tree_part", (source, part), count * leaf_bytes)

    for task, node in cluster.run(tasks(), report):
        known.add(task.key, node)
    count = shape.width(levels)
    nodes = b"".join(known.done[str(k)] for k in range(count))
    info = hash_info(plan.hash)
    word = f"<u{info.element_bits // 8}" if info.is_field else "u1"
    if levels >= shape.height:
        top = [nodes]
    else:
        tree = shape.tree(np.frombuffer(nodes, word).reshape(count, -1), levels, "cpu", None)
        top = [np.ascontiguousarray(level).tobytes() for level in tree.levels()]
    root = top[-1]
    if target is not None:
        size = 0 if plan.leaf_size is plan.row_size is None else leaf_bytes
        header = shape.header(root, size, source.size if size else 0)
        target.finish(header, levels, top, root)
    return root


class _Target:
    """The destination of the tree file."""

    def __init__(self, out: Any, shape: Shape) -> None:
        """Take a path or a URL. Raises FileError if it cannot be written to."""
        self._shape = shape
        self._is_url = is_url(out)
        self._out = str(out) if self._is_url else os.path.abspath(path_text(out, "out"))
        self.name = shown(self._out) if self._is_url else self._out
        self._partial = self._out + ".parts" if self._is_url else beside(self._out, ".ray-partial")
        if self._is_url:
            require_writable(self._out)

    def require_apart(self, source: Any) -> None:
        """Raise InvalidArgument if the tree, or what is written before it is whole, is the input under any name."""
        if self._is_url or is_url(source):
            return
        for written in (self._out, self._partial):
            if overwrites(written, path_text(source, "input")):
                raise InvalidArgument(f"{written} is both input and output")

    def place_of(self, part: int) -> str:
        """Return the destination of a part."""
        return f"{self._partial}/{self._token.hex()}/{part}" if self._is_url else self._partial

    def begin(self, known: State) -> None:
        """Make the file that workers write to, or resume an existing one."""
        self._token = token = bytes.fromhex(known.job["token"])
        if self._is_url:
            return
        with self._errors(), open(self._partial, "a+b") as file:
            if os.pread(file.fileno(), len(token), 0) != token or os.fstat(file.fileno()).st_size != self._size:
                known.done.clear()  # the parts written before are lost
                file.truncate(0)
                file.truncate(self._size)
                file.flush()
                with open(self._partial, "r+b") as begun:
                    begun.write(token)
                    os.fsync(begun.fileno())

    @property
    def _size(self) -> int:
        return self._shape.file_bytes

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            if isinstance(error, FileError):
                raise
            raise file_error(self.name, f"cannot write: {error.strerror}", error.errno or 0) from None

    def finish(self, header: bytes, levels: int, top: list[bytes], root: bytes) -> None:
        """Write the levels above the parts, and give the file its name."""
        if not self._is_url:
            self._complete(self._partial, header, levels, top, root)
            with self._errors():
                os.replace(self._partial, self._out)
                folder = os.open(os.path.dirname(self._out), os.O_RDONLY)
                os.fsync(folder)
                os.close(folder)
            return
        with tempfile.TemporaryDirectory(prefix="merklize-") as folder_name:
            made = os.path.join(folder_name, "tree.mkl")
            with open(made, "wb") as file:
                file.truncate(self._size)
            self._gather(made, levels)
            self._complete(made, header, levels, top, root)
            upload(made, self._out)
        self.discard()

    def _complete(self, path: str, header: bytes, levels: int, top: list[bytes], root: bytes) -> None:
        with self._errors(), open(path, "r+b", buffering=0) as file:
            for level, nodes in enumerate(top, levels):
                if level <= self._shape.height:
                    os.pwrite(file.fileno(), nodes, self._shape.offset(level))
            os.fsync(file.fileno())
            os.pwrite(file.fileno(), header, 0)
            os.fsync(file.fileno())
        with TreeFile(path) as tree:  # header, length and root are checked
            if tree.root != root:
                raise file_error(self.name, "the tree file is not what was built; it was not given its name")

    def _gather(self, path: str, levels: int) -> None:
        """Copy what workers wrote to its place."""
        step, shape = 1 << levels, self._shape
        if levels == 0:
            return
        with Readers() as readers, open(path, "r+b", buffering=0) as file:
            for k, first in enumerate(range(0, shape.n_leaves, step)):
                count = min(step, shape.n_leaves - first)
                places = []
                for level in range(min(levels, shape.height + 1)):
                    places.append((shape.offset(level) + NODE * (first >> level), NODE * (((count - 1) >> level) + 1)))
                data = memoryview(b"".join(readers.pieces(open_object(self.place_of(k)))))
                for place, size in places:
                    os.pwrite(file.fileno(), data[:size], place)
                    data = data[size:]

    def discard(self) -> None:
        """Remove what workers wrote."""
        if not self._is_url:
            with contextlib.suppress(OSError):
                os.unlink(self._partial)
            return
        system, path = file_system(f"{self._partial}/{self._token.hex()}")
        try:
            system.invalidate_cache()
            if system.exists(path):
                system.rm(path, recursive=True)
        except Exception as error:
            failure = failure_of(error, self.name, extra_of(self._out))
            if isinstance(failure, Passing):
                failure = file_error(self.name, f"cannot remove its parts: {failure}")
            raise failure from None

"""What weights are, tensor by tensor, under one root."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from .._new_file import write_whole
from .._urls import is_url, plain, shown
from ..errors import FileError, InvalidArgument
from . import _text
from ._compare import (
    Difference,
    Filter,
    Report,
    compare,
    compare_file,
    compare_shard,
    compare_tensor,
)
from ._entries import File, Shard, Tensor, root_of, utf8
from ._files import Found, Known, Source, find, reader_of
from ._memory import Held, aliases, digests, state_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .._types import Device, Path, Progress
    from ..proof import MerkleProof, MultiProof
    from ..tree import MerkleTree

PIECE_SIZE = 1 << 20
MOST_BYTES = 1 << 32
"""Of the text of a manifest in a store."""


class Manifest:
    """The names, dtypes, shapes and digests of tensors, and the digests of files beside them, under one root.

    Made by manifest(), or read by load() and from_json(). It never changes. Equal if the text of both is the same,
    without what refresh() goes by.
    """

    __slots__ = ("_folder", "_parts", "_path", "_root", "_tree")

    _parts: _text.Parts
    _root: bytes
    _tree: MerkleTree | None
    _folder: str | None
    """Where its files were found."""
    _path: str | None
    """Where it was saved or loaded: that file is not one of the folder's."""

    def __init__(self, parts: _text.Parts, folder: str | None = None) -> None:
        """Take the parts. For this package."""
        leaves = _leaves(parts)
        if not leaves:
            raise InvalidArgument("a manifest must have at least one tensor or file, got none")
        self._parts, self._root, self._tree = parts, root_of(leaves), None
        self._folder, self._path = folder, None

    @property
    def root(self) -> bytes:
        """The root over all tensors and files, 32 bytes. The same for the same tensors on disk and in memory."""
        return self._root

    @property
    def tensors(self) -> dict[str, Tensor]:
        """The tensors by name, sorted."""
        return dict(self._parts.tensors)

    @property
    def files(self) -> dict[str, File]:
        """The other files of a folder by path, sorted."""
        return dict(self._parts.files)

    @property
    def shards(self) -> dict[str, Shard]:
        """The safetensors files by path, sorted; none for tensors in memory."""
        return dict(self._parts.shards)

    @property
    def aliases(self) -> tuple[tuple[str, ...], ...]:
        """Groups of names of tensors that shared memory."""
        return self._parts.aliases

    @property
    def kind(self) -> str:
        """What it was made of: "tensors" in memory, a "file", an "index" of shards, a "folder"."""
        return self._parts.kind

    @property
    def name(self) -> str | None:
        """The name of the file or index."""
        return self._parts.name

    @property
    def piece_size(self) -> int:
        """Bytes of the pieces by which a difference is placed; 0: none."""
        return self._parts.piece_size

    # ---- Text ----

    def to_json(self, *, seen: bool = True) -> str:
        """Return the text, with fields and entries in one order (docs/manifest-format.md).

        seen  with the times and inodes of files, which refresh() goes by; without, the text is the same on all machines
        """
        return _text.to_json(self._parts, self._root, seen)

    @classmethod
    def from_json(cls, text: str | bytes) -> Manifest:
        """Read what to_json() writes.

        Raises InvalidArgument: anything else, such as unknown fields and versions, names that leave the folder, a root
        or pieces that do not fit the digests.
        """
        parts, root = _text.from_json(text)
        made = cls(parts)
        if made.root != root:
            raise InvalidArgument(
                f"not a valid manifest: the root is {root.hex()}, that of its entries is {made.root.hex()}"
            )
        return made

    def save(self, path: Path, *, seen: bool = True) -> None:
        """Write the text to a file, which appears whole or not at all; of a link, its target. A device gets a stream.

        Raises FileError, and InvalidArgument if that is one of the files that were hashed: it could not stay as it was.
        """
        path = plain(path)
        if is_url(path):
            from ..stores._write import write_object

            self._path = str(path)
            write_object(self.to_json(seen=seen).encode(), self._path)
            return
        self._path = os.fsdecode(path)
        names = [*self._parts.shards, *self._parts.files]
        if self._folder is not None and os.path.realpath(self._path) in {
            os.path.realpath(os.path.join(self._folder, name)) for name in names
        }:
            raise InvalidArgument(f"{self._path} is one of the files that the manifest is of; exclude it from them")
        write_whole(self._path, self.to_json(seen=seen).encode())

    @classmethod
    def load(cls, path: Path) -> Manifest:
        """Read a file. Raises FileError, and InvalidArgument as from_json()."""
        name = os.fsdecode(plain(path))
        try:
            made = cls.from_json(_read_whole(name))
        except InvalidArgument as error:
            raise InvalidArgument(f"{shown(name) if is_url(name) else name}: {error}") from None
        made._path = name
        return made

    # ---- Proofs ----

    def prove(self, name: str) -> MerkleProof:
        """Return the proof that the tensor, or file, of this name is under the root.

        Whoever has the root makes the leaf of the entry that he found (`Tensor.leaf()`), and asks
        `proof.verify(root, leaf=leaf)`.
        """
        if name in self._parts.tensors:
            return self._the_tree().prove(list(self._parts.tensors).index(name))
        if name in self._parts.files:
            return self._the_tree().prove(len(self._parts.tensors) + list(self._parts.files).index(name))
        raise InvalidArgument(f"prove: the manifest has no tensor and no file {name!r}")

    def prove_shard(self, shard: str) -> MultiProof:
        """Return the proof that all tensors of a shard are under the root; their leaves in the order of their names."""
        inside = [k for k, tensor in enumerate(self._parts.tensors.values()) if tensor.shard == shard]
        if not inside:
            raise InvalidArgument(f"prove_shard: the manifest has no tensor in a shard {shard!r}")
        return self._the_tree().prove_together(inside)

    def _the_tree(self) -> MerkleTree:
        if self._tree is None:
            import numpy as np

            from ..tree import MerkleTree

            leaves = b"".join(_leaves(self._parts))
            self._tree = MerkleTree(np.frombuffer(leaves, np.uint8).reshape(-1, 32), device="cpu")
        return self._tree

    # ---- Checks ----

    def check(
        self,
        source: Any,
        *,
        only: Iterable[str] = (),
        follow_links: bool = False,
        device: Device = "auto",
        threads: int | None = None,
        progress: Progress = None,
    ) -> Report:
        """Hash again and tell what is not as the manifest says.

        source  what manifest() takes: a path, tensors, a module
        only    patterns as of a shell ("*.weight", "model-00001*"): of tensors, files or shards; the rest is not read

        A file that cannot be read, or is no safetensors file, is a difference, not an error.
        Raises InvalidArgument: a pattern that nothing in the manifest has.
        """
        wanted = Filter(only)
        tensors = {name: t for name, t in self._parts.tensors.items() if wanted(name, t.shard)}
        files = {name: f for name, f in self._parts.files.items() if wanted(name)}
        wanted.require_used()
        if not _is_path(source):
            return self._check_memory(source, tensors, bool(only), device, threads)
        path = self._path_in(os.fsdecode(plain(source)))
        options = (device, threads, progress)
        found = self._read(path, follow_links, options, wanted=wanted, keep_going=True)
        in_shards = {tensor.shard for tensor in tensors.values()}
        differences = [
            Difference("unreadable", "shard" if name in self._parts.shards else "file", name, detail=str(error))
            for name, error in found.failed.items()
            if not only or name in in_shards or wanted(name)
        ]
        size = self.piece_size
        there = {tensor.name: tensor for tensor in found.tensors}
        # Tensors that may be in a file that could not be read are not said to be missing, too.
        lost = [name for name, t in tensors.items() if found.failed and (t.shard is None or t.shard in found.failed)]
        lost = [name for name in lost if name not in there]
        differences += compare(tensors, there, compare_tensor, size, lost)
        there_files = {file.path: file for file in found.files}
        differences += compare(files, there_files, compare_file, size, found.failed)
        shards = {path: s for path, s in self._parts.shards.items() if not only or path in in_shards}
        if shards:  # there are none in a manifest of tensors in memory
            there_shards = {s.path: s for s in found.shards if not only or s.path in in_shards}
            differences += compare(shards, there_shards, compare_shard, size, found.failed)
        return Report(differences, len(found.tensors) + len(found.files), found.size)

    def _path_in(self, path: str) -> str:
        """The file or index itself, where a folder that holds it is given."""
        if is_url(path):
            return f"{path}{self.name}" if self.name is not None and path.endswith("/") else path
        return os.path.join(path, self.name) if self.name is not None and os.path.isdir(path) else path

    def _check_memory(
        self, source: Any, tensors: Mapping[str, Tensor], is_part: bool, device: Device, threads: int | None
    ) -> Report:
        state = state_of(source)
        shared = aliases(state)
        if is_part:
            state = {name: held for name, held in state.items() if name in tensors}
        second = _second_names(state, shared, tensors)
        there = {t.name: t for t in digests(state, 0, device, threads)}
        for name in second:
            del there[name]
        wrong = [name for name, t in there.items() if name in tensors and t.digest != tensors[name].digest]
        # The pieces of what differs tell where.
        again = digests({name: state[name] for name in wrong}, self.piece_size, device, threads)
        there |= {tensor.name: tensor for tensor in again}
        differences = compare(tensors, there, compare_tensor, self.piece_size)
        return Report(differences, len(there), sum(t.size for t in there.values()), shared)

    def check_tensor(
        self, name: str, tensor: Any, *, device: Device = "auto", threads: int | None = None
    ) -> Difference | None:
        """Compare one tensor, where it lies, with the manifest. None: it is the same.

        Raises InvalidArgument: no tensor of this name in the manifest.
        """
        if name not in self._parts.tensors:
            raise InvalidArgument(f"check_tensor: the manifest has no tensor {name!r}")
        differences = self.check({name: tensor}, only=[_literal(name)], device=device, threads=threads).differences
        return differences[0] if differences else None

    def diff(self, other: Manifest) -> list[Difference]:
        """Return how `other` differs from this manifest: tensors and files, by name."""
        size = self.piece_size if self.piece_size == other.piece_size else 0
        return [
            *compare(self._parts.tensors, other._parts.tensors, compare_tensor, size),
            *compare(self._parts.files, other._parts.files, compare_file, size),
        ]

    def refresh(
        self,
        path: Path,
        *,
        everything: bool = False,
        follow_links: bool = False,
        device: Device = "auto",
        threads: int | None = None,
        progress: Progress = None,
    ) -> Refreshed:
        """Return a manifest of the files as they are now, and which of them were hashed.

        path        what this manifest was made of, or for a file or an index the folder that holds it
        everything  hash all files, not only those whose size, time of the last write or inode changed

        A write that keeps all three is not found; check() finds it.
        Raises FileError, InvalidArgument: a manifest of tensors in memory.
        """
        if self.kind == "tensors":
            raise InvalidArgument("refresh: the manifest is of tensors in memory, not of files")
        parts = self._parts
        ranges = {(t.shard, t.offset, t.size): t for t in parts.tensors.values()}
        known = Known({} if everything else parts.seen, parts.files, ranges)  # type: ignore[arg-type]
        source = find(self._path_in(os.fsdecode(plain(path))), parts.ignore, follow_links, self._path)
        options = (device, threads, progress)
        found = reader_of(source)(source, self.piece_size, follow_links, *options, known).read()
        hashed = sorted(found.hashed, key=utf8)
        kept = sorted({s.path for s in found.shards} | {f.path for f in found.files}, key=utf8)
        return Refreshed(of_files(source, found, self.piece_size, parts.ignore), hashed,
                         [name for name in kept if name not in set(hashed)])  # fmt: skip

    def _read(self, path: str, follow_links: bool, options: Any, **more: Any) -> Found:
        try:
            source = find(path, self._parts.ignore, follow_links, self._path)
        except (FileError, InvalidArgument) as error:
            if self.kind not in ("file", "index"):
                raise
            failed: dict[str, Exception] = dict.fromkeys(self._parts.shards, error)
            return Found([], [], [], [], [], failed)
        if self.kind != "folder":  # it says nothing of other files
            source = source._replace(files=[])
        if self.kind == "file" and source.kind == "file" and self.name != source.name:
            more["wanted"] = _renamed(more["wanted"], self.name)
            found = reader_of(source)(source, self.piece_size, follow_links, *options, **more).read()
            return _with_name(found, self.name or "")
        return reader_of(source)(source, self.piece_size, follow_links, *options, **more).read()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Manifest):
            return NotImplemented
        return self._parts._replace(seen={}) == other._parts._replace(seen={})

    def __hash__(self) -> int:
        return hash(self._root)

    def __repr__(self) -> str:
        counts = f"{len(self._parts.tensors)} tensors, {len(self._parts.files)} files"
        return f"<Manifest: {counts}, root {self._root.hex()[:16]}...>"


class Refreshed(NamedTuple):
    """What refresh() gives."""

    manifest: Manifest
    hashed: list[str]
    """Files that were hashed."""
    kept: list[str]
    """Files whose digests are those of before."""


def _leaves(parts: _text.Parts) -> list[bytes]:
    return [*(tensor.leaf() for tensor in parts.tensors.values()), *(file.leaf() for file in parts.files.values())]


def _second_names(
    state: Mapping[str, Held], shared: Iterable[tuple[str, ...]], tensors: Mapping[str, Tensor]
) -> list[str]:
    """Return names that are not in the manifest, but whose tensor shares its bytes with a tensor that is."""
    second = []
    for group in shared:
        places = {state[name].place for name in group if name in tensors and name in state}
        second += [n for n in group if n in state and n not in tensors and state[n].place in places]
    return second


def _renamed(wanted: Any, name: str | None) -> Any:
    return lambda tensor, shard: wanted(tensor, name)


def _with_name(found: Found, name: str) -> Found:
    """What was found in the one file of a manifest, under the name that the manifest has for it."""
    tensors = [tensor._replace(shard=name) for tensor in found.tensors]
    shards = [shard._replace(path=name) for shard in found.shards]
    return found._replace(tensors=tensors, shards=shards, failed=dict(zip([name], found.failed.values())))


def _literal(name: str) -> str:
    """The pattern that this name alone has."""
    return "".join(f"[{c}]" if c in "*?[" else c for c in name)


def _is_path(source: Any) -> bool:
    return isinstance(source, (str, bytes, os.PathLike))


def of_files(source: Source, found: Found, piece_size: int, ignore: tuple[str, ...]) -> Manifest:
    tensors = {tensor.name: tensor for tensor in sorted(found.tensors, key=lambda t: utf8(t.name))}
    files = {file.path: file for file in found.files}
    shards = {shard.path: shard for shard in sorted(found.shards, key=lambda s: utf8(s.path))}
    seen = {one.path: one for one in sorted(found.seen, key=lambda s: utf8(s.path))}
    return Manifest(
        _text.Parts(source.kind, source.name, piece_size, tensors, files, shards, (), ignore, seen), source.folder
    )


def manifest(
    source: Any,
    *,
    piece_size: int = PIECE_SIZE,
    ignore: Iterable[str] = (),
    follow_links: bool = False,
    exclude: Path | None = None,
    device: Device = "auto",
    threads: int | None = None,
    progress: Progress = None,
) -> Manifest:
    """Hash weights where they lie, tensor by tensor, and return their manifest.

    source      tensors in memory: a mapping of names to tensors and arrays (NumPy, PyTorch, JAX, CuPy ...), on the host
                or on devices, or an object with state_dict(). Or a path: of a safetensors file, of an index of shards
                (*.index.json), or of a folder: its safetensors files tensor by tensor, all others as files. Or the URL
                of such a thing in a store (docs/stores.md)
    piece_size  a difference in longer tensors and files is later placed to such a piece of bytes: a power of two of at
                least 256 KiB, or 0. It costs 32 bytes a piece and no time
    ignore      of a folder: patterns of names ("*.lock", ".git") that are left out, and left out by checks
    follow_links  take symbolic links to files for the files, as in the hub's cache; otherwise they are an error
    exclude     of a folder: a file that is left out, such as the manifest
    device      "auto": tensors where they are, files on the CPU

    The digest of a tensor is hash() of its bytes in C order, little endian, wherever it lies. Names of tensors in
    sub-folders begin with the folder ("unet/conv.weight"); a name that several files of one folder have, with the file.
    Raises InvalidArgument: a header that breaks safetensors' rules, tensors without data (meta), names that no manifest
    holds. FileError: unreadable, or changed while it was read.
    """
    require_piece_size(piece_size)
    if not _is_path(source):
        state = state_of(source)
        made = {t.name: t for t in sorted(digests(state, piece_size, device, threads), key=lambda t: utf8(t.name))}
        return Manifest(_text.Parts("tensors", None, piece_size, made, {}, {}, aliases(state), (), {}))
    if isinstance(ignore, str):
        raise TypeError("ignore must be a list of patterns, got a string")
    patterns = tuple(ignore)
    found_in = find(
        os.fsdecode(plain(source)), patterns, follow_links, None if exclude is None else os.fsdecode(exclude)
    )
    reader = reader_of(found_in)(found_in, piece_size, follow_links, device, threads, progress)
    return of_files(found_in, reader.read(), piece_size, patterns)


def require_piece_size(piece_size: int) -> None:
    if piece_size and (piece_size < 1 << 18 or piece_size & (piece_size - 1)):
        raise InvalidArgument(f"manifest: piece_size must be 0 or a power of two >= {1 << 18}, got {piece_size}")


def check_model(
    module: Any,
    manifest: Manifest | Path,
    *,
    only: Iterable[str] = (),
    prefix: str = "",
    device: Device = "auto",
    threads: int | None = None,
) -> Report:
    """Tell whether a loaded model is what its manifest says, hashing its tensors where they lie.

    module    an object with state_dict(), as PyTorch's modules, or a mapping of names to tensors
    manifest  a Manifest, or the path of one
    only      patterns of tensors' names, as in Manifest.check()
    prefix    what the manifest has before the names of this model: "unet/" in a folder of several models. Only such
              tensors are compared

    The files of a manifest of a folder are not looked at. A tensor that is not in the manifest but is the memory of one
    that is, as tied weights are, is no difference. The report is false if anything differs; `report.require()` raises.
    """
    known = manifest if isinstance(manifest, Manifest) else Manifest.load(manifest)
    if prefix:
        state = module if isinstance(module, Mapping) else module.state_dict()
        module = {prefix + name: tensor for name, tensor in state.items()}
        only = [prefix + pattern for pattern in only] or [_literal(prefix) + "*"]
    return known.check(module, only=only, device=device, threads=threads)


def _read_whole(name: str) -> bytes:
    if is_url(name):
        from ..stores._write import read_whole

        return read_whole(name, MOST_BYTES)
    try:
        with open(name, "rb") as file:
            return file.read()
    except OSError as error:
        raise FileError._refused("read", name, error) from None

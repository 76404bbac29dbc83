"""The manifest of weights: their digests, tensor by tensor, under one root."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable
from typing import Any, NamedTuple, cast

from .. import _native
from .._inputs import each_of, name_of
from .._native import flag
from .._new_file import write_whole
from .._settings import settings
from .._types import Device, Path, Progress
from .._urls import is_url, label, shown, stores, system_name
from ..errors import FileError, InvalidArgument, in_call, masked
from ..proof import MerkleProof, MultiProof
from ..tree import MerkleTree
from ._entries import Difference, File, Report, Shard, Tensor
from ._memory import aliases, digests, state_of, tensors_of, to_compare
from ._tile_boxes import Exchange, boxes_of
from ._tile_check import Check, check_tiles, entries_of
from ._tile_nodes import nodes_of
from ._verity import VerityImage, check_on_disk

PIECE_SIZE = 1 << 20
INDEX_SUFFIX = ".index.json"
MOST_BYTES = 1 << 32
"""The most bytes of the text of a manifest in a store."""


class Manifest:
    """The names, dtypes, shapes and digests of tensors, and the digests of files beside them, under one root.

    Made by manifest(), or read by load() and from_json(). It never changes. Two are equal if their texts are, without
    the times and inodes that refresh() compares.
    """

    __slots__ = ("__weakref__", "_folder", "_path", "_tensors", "_tree", "_whole")

    _whole: _native.Manifest
    _tensors: dict[str, Tensor] | None
    _tree: MerkleTree | None
    _folder: str | None
    """The place where its files were found."""
    _path: str | None
    """The path where it was saved or loaded. That file does not count as a file of the folder."""

    def __init__(self) -> None:
        """Raise TypeError, because manifest(), load() and from_json() make manifests."""
        raise TypeError(in_call("merklize.manifest(), Manifest.load() and Manifest.from_json() make manifests"))

    @classmethod
    def _of(cls, native: _native.Manifest, folder: str | None = None) -> Manifest:
        made = cls.__new__(cls)
        made._whole, made._folder, made._path, made._tensors, made._tree = native, folder, None, None, None
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        path = self._path if self._path is None or masked(self._path) == self._path else None  # a URL with secrets
        return _unpickled, (self.to_json(), self._folder, path)

    @property
    def root(self) -> bytes:
        """The root over all tensors and files, 32 bytes. The same for the same tensors on disk and in memory."""
        return self._whole.root

    @property
    def tensors(self) -> dict[str, Tensor]:
        """The tensors by name, sorted."""
        return dict(self._all_tensors())

    def _all_tensors(self) -> dict[str, Tensor]:
        if self._tensors is None:
            self._tensors = {fields[0]: Tensor(*fields) for fields in self._whole.tensors()}
        return self._tensors

    @property
    def files(self) -> dict[str, File]:
        """The other files of a folder by path, sorted."""
        return {fields[0]: File(*fields) for fields in self._whole.files()}

    @property
    def shards(self) -> dict[str, Shard]:
        """The safetensors files by path, sorted; none for tensors in memory."""
        return {fields[0]: Shard(*fields) for fields in self._whole.shards()}

    @property
    def aliases(self) -> tuple[tuple[str, ...], ...]:
        """Groups of names of tensors that shared memory."""
        return self._whole.fields()[3]

    @property
    def kind(self) -> str:
        """The kind of source: "tensors" in memory, a "file", an "index" of shards, a "folder"."""
        return self._whole.fields()[0]

    @property
    def name(self) -> str | None:
        """The name of the file or index."""
        return self._whole.fields()[1]

    @property
    def digest(self) -> str:
        """What the digests of tensors are: "bytes", or "tiles-v1" (docs/tiles-format.md)."""
        return "tiles-v1" if self._whole.fields()[5] else "bytes"

    @property
    def piece_size(self) -> int:
        """Bytes of the pieces to which a difference is located; 0: there are no pieces."""
        return self._whole.fields()[2]

    @property
    def missing(self) -> tuple[str, ...]:
        """Files that an index of shards in the folder names, but that were not there when it was hashed.

        A download may have been broken off. manifest() and refresh() warn of them (UserWarning). They are not in the
        text, so a manifest that was read has none.
        """
        return self._whole.missing

    # ---- Text ----

    def to_json(self, *, seen: bool = True) -> str:
        """Return the text, with fields and entries in one order (docs/manifest-format.md).

        seen  with the times and inodes of files, which refresh() compares; without, the text is equal on all machines
        """
        return self._whole.to_json(seen)

    @classmethod
    def from_json(cls, text: str | bytes) -> Manifest:
        """Read what to_json() writes.

        Raises InvalidArgument: anything else, such as unknown fields and versions, names that leave the folder, a root
        or pieces that do not fit the digests.
        """
        data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
        return cls._of(_native.manifest_from_json(data))

    def save(self, path: Path, *, seen: bool = True) -> None:
        """Write the text to a file, which appears complete or not at all; for a link, its target. Devices get a stream.

        Raises FileError, and InvalidArgument if the path is one of the hashed files, which saving would change.
        """
        where, text, folder = name_of(path, "path"), self.to_json(seen=seen).encode(), self._folder
        if is_url(where):
            stores().write_object(text, where)
        else:
            target = os.fsencode(where)
            if folder is not None and any(
                _native.overwrites(target, os.fsencode(os.path.join(folder, name)))
                for name in [*self.shards, *self.files]
            ):
                raise InvalidArgument(f"{where} is one of the files that the manifest lists; exclude it from them")
            write_whole(where, text)
        self._path = where

    @classmethod
    def load(cls, path: Path) -> Manifest:
        """Read a file. Raises FileError, and InvalidArgument as from_json()."""
        name = name_of(path, "path")
        if not is_url(name):
            made = cls._of(_native.load_manifest(os.fsencode(name)))
        else:
            try:
                made = cls.from_json(stores().read_whole(name, MOST_BYTES, _native.JsonPrefix().take))
            except InvalidArgument as error:
                raise InvalidArgument(f"{shown(name)}: {error.rule}") from None
        made._path = name
        return made

    # ---- Proofs ----

    def prove(self, name: str) -> MerkleProof:
        """Return the proof that the tensor, or file, of this name is under the root.

        A verifier with the root makes the leaf of the entry that it has (`Tensor.leaf()`), and calls
        `proof.verify(root, leaf=leaf)`.
        """
        names = [*self._all_tensors(), *self.files]
        if _text(name, "name") not in names:
            raise InvalidArgument(f"the manifest has no tensor and no file {name!r}")
        if names.count(name) > 1:
            raise InvalidArgument(
                f"the manifest has both a tensor and a file {name!r}; prove_shard() proves the tensors of a shard"
            )
        return self._the_tree().prove(names.index(name))

    def prove_shard(self, shard: str) -> MultiProof:
        """Return the proof that all tensors of a shard are under the root; their leaves in the order of their names."""
        _text(shard, "shard")
        inside = [k for k, tensor in enumerate(self._all_tensors().values()) if tensor.shard == shard]
        if not inside:
            raise InvalidArgument(f"the manifest has no tensor in a shard {shard!r}")
        return self._the_tree().prove_together(inside)

    def _the_tree(self) -> MerkleTree:
        if self._tree is None:
            import numpy as np

            from ..tree import MerkleTree

            leaves = np.frombuffer(self._whole.leaves(), np.uint8).reshape(-1, 32)
            self._tree = MerkleTree(leaves, device="cpu")
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

        A file that cannot be read, or is no safetensors file, is a difference, not an error. Tensors are those of this
        process alone; merklize.sharded.check() takes a model that many ranks hold.
        Raises InvalidArgument: a pattern that nothing in the manifest has.
        """
        patterns = patterns_of(only, "only")
        if not _is_path(source) and self.digest == "tiles-v1":
            # As by bytes: this process alone.
            here = Exchange(device, threads, gather=lambda told: [told], progress=progress)
            return check_tiles(lambda: Check(self._whole, source, patterns), here)
        if not _is_path(source):
            return self._check_memory(source, patterns, device, threads, progress)
        path = self._path_in(name_of(source, "source"))
        run = settings(device, threads, progress)
        if is_url(path):
            open_store = stores().Store.opener(path, self._whole.fields()[4], self._own(path), device, threads)
            made = self._whole.check_stored(open_store, patterns, run)
        else:
            made = self._whole.check(os.fsencode(path), patterns, follow_links, self._own_name(path), run)
        found, checked, size, missing = made
        _warn_of_missing(path, missing)
        return Report([Difference(*one) for one in found], checked, size, missing=missing)

    def _own(self, source: str) -> str | None:
        """Return where the text lies, unless it is one of the files that the manifest lists of a source."""
        if self._path is None or is_url(self._path) != is_url(source):
            return None
        folder = os.path.dirname(source) if self.name is not None else source
        if is_url(source):
            name = self._path.removeprefix(folder.rstrip("/") + "/")
        else:
            name = os.path.relpath(os.path.realpath(self._path), os.path.realpath(folder))
        return None if name in self.files or name in self.shards else self._path

    def _own_name(self, source: str) -> bytes | None:
        own = self._own(source)
        return None if own is None else os.fsencode(own)

    def _path_in(self, path: str) -> str:
        """Return the path of the file or index itself, if the folder that holds it is given."""
        if is_url(path):
            return f"{path}{self.name}" if self.name is not None and path.endswith("/") else path
        return os.path.join(path, self.name) if self.name is not None and os.path.isdir(path) else path

    def _check_memory(
        self, source: Any, only: list[str], device: Device, threads: int | None, progress: Progress
    ) -> Report:
        state = state_of(source)
        shared = aliases(state)
        known = self._all_tensors()
        state = to_compare(state, shared, self._whole.names_of(only), only)
        there = {t.name: t for t in digests(state, 0, device, threads, progress)}
        wrong = [name for name, t in there.items() if name in known and t.digest != known[name].digest]
        # The pieces of the tensors that differ tell where they differ.
        again = digests({name: state[name] for name in wrong}, self.piece_size, device, threads, None)
        there |= {tensor.name: tensor for tensor in again}
        found, checked, size, _ = self._whole.check_tensors(only, list(there.values()))
        return Report([Difference(*one) for one in found], checked, size, shared)

    def check_tensor(
        self, name: str, tensor: Any, *, device: Device = "auto", threads: int | None = None
    ) -> Difference | None:
        """Compare one tensor, where it lies, with the manifest. None if it is the same.

        Raises InvalidArgument: no tensor of this name in the manifest.
        """
        if _text(name, "name") not in self._all_tensors():
            raise InvalidArgument(f"the manifest has no tensor {name!r}")
        report = self.check({name: tensor}, only=[_literal(name)], device=device, threads=threads)
        # The pattern may name a shard, too, whose other tensors are not there.
        return next((one for one in report.differences if (one.what, one.name) == ("tensor", name)), None)

    def diff(self, other: Manifest) -> list[Difference]:
        """Return how `other` differs from this manifest: tensors and files, by name."""
        if not isinstance(other, Manifest):
            raise TypeError(in_call(f"other must be a Manifest, got {type(other).__name__}"))
        return [Difference(*one) for one in self._whole.diff(other._whole)]

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
        where = self._path_in(name_of(path, "path"))
        run = settings(device, threads, progress)
        if is_url(where) and self.kind != "tensors":
            source, store = stores().Store.opener(where, self._whole.fields()[4], self._own(where), device, threads)()
            made, hashed, kept = self._whole.refresh_stored(source, store, everything, run)
        else:
            options = everything, follow_links, self._own_name(where), run
            made, hashed, kept = self._whole.refresh(system_name(where, "path"), *options)
        _warn_of_missing(where, made.missing)
        return Refreshed(Manifest._of(made, _folder_of(where, made)), hashed, kept)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Manifest):
            return NotImplemented
        return self.to_json(seen=False) == other.to_json(seen=False)

    def __hash__(self) -> int:
        return hash(self.root)

    def __repr__(self) -> str:
        counts = f"{len(self._all_tensors())} tensors, {len(self._whole.files())} files"
        return f"<Manifest: {counts}, root {self.root.hex()[:16]}...>"


def _unpickled(text: str, folder: str | None, path: str | None) -> Manifest:
    made = Manifest._of(_native.manifest_from_json(text.encode()), folder)
    made._path = path
    return made


class Refreshed(NamedTuple):
    """The result of refresh()."""

    manifest: Manifest
    hashed: list[str]
    """Files that were hashed."""
    kept: list[str]
    """Files that were not hashed again."""


def _literal(name: str) -> str:
    """Return the pattern that matches this name alone."""
    return "".join(f"[{c}]" if c in "*?[" else c for c in name)


def _text(name: Any, what: str) -> str:
    if not isinstance(name, str):
        raise TypeError(in_call(f"{what} must be a string, got {type(name).__name__}"))
    return name


def _is_path(source: Any) -> bool:
    return isinstance(source, (str, bytes, os.PathLike))


def patterns_of(patterns: Iterable[str], what: str) -> list[str]:
    """Return patterns as a list. Raises TypeError for a string, and at the first one that is no string."""
    got = "a string" if isinstance(patterns, str) else type(patterns).__name__
    if isinstance(patterns, str) or not isinstance(patterns, Iterable):
        raise TypeError(in_call(f"{what} must be a list of patterns, got {got}"))
    given = []
    for pattern in each_of(patterns, any_order=True):
        if not isinstance(pattern, str):
            raise TypeError(in_call(f"{what}: a pattern must be a string, got {type(pattern).__name__}"))
        given.append(pattern)
    return given


def _warn_of_missing(path: str, missing: tuple[str, ...]) -> None:
    if missing:
        more = f" and {len(missing) - 5} more" if len(missing) > 5 else ""
        names = ", ".join(missing[:5])
        warnings.warn(
            f"{label(path)}: not there, although an index of shards names it: {names}{more}",
            UserWarning,
            stacklevel=3,
        )


def _folder_of(path: str, made: _native.Manifest) -> str | None:
    """Return the folder in which the files of a manifest lie, if they lie on a disk."""
    return None if is_url(path) else os.path.dirname(path) if made.fields()[1] is not None else path


def manifest(
    source: Any,
    *,
    tiles: bool = False,
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
    tiles       digest tensors by tiles ("tiles-v1"), as merklize.sharded does: a root that does not depend on shards.
                Tensors in memory are then those of PyTorch, NumPy or CuPy
    piece_size  bytes of a piece: a power of two of at least 256 KiB, or 0. In longer tensors and files, a check tells
                which piece differs. It costs 32 bytes a piece and no time
    ignore      of a folder: patterns of names ("*.lock", ".git") that are left out, and left out by checks. A "./" or
                "**/" in front and a "/" behind change nothing
    follow_links  take symbolic links to files for the files, as in the hub's cache; otherwise they are an error
    exclude     of a folder: a file that is left out, such as the manifest
    device      "auto": tensors where they are, files on the CPU

    A folder in which an index names a shard that is not there gets a UserWarning: see Manifest.missing.
    The digest of a tensor is hash() of its bytes in C order, little endian, wherever it lies. Names of tensors in
    sub-folders begin with the folder ("unet/conv.weight"); a name that several files of one folder have, with the file.
    Raises InvalidArgument: a header that breaks safetensors' rules, tensors without data (meta), names that no manifest
    holds. FileError: unreadable, or changed while it was read.

    >>> merklize.manifest({"weight": np.zeros((3, 5), np.float32)}).tensors["weight"].shape
    (3, 5)
    """
    patterns = _native.plain_patterns(patterns_of(ignore, "ignore"))
    if not _is_path(source):
        state = state_of(source)
        require_piece_size(piece_size)
        if flag(tiles, "tiles"):
            tensors = entries_of([nodes_of(boxes_of(source, None), False, settings(device, threads, progress))])
            return Manifest._of(_native.manifest_of_tensors(tensors, 0, aliases(state), True))
        tensors = digests(state, piece_size, device, threads, progress)
        return Manifest._of(_native.manifest_of_tensors(tensors, piece_size, aliases(state), False))
    path, own = name_of(source, "source"), None if exclude is None else name_of(exclude, "exclude")
    run = settings(device, threads, progress)
    if is_url(path):
        require_piece_size(piece_size)
        found, store = stores().Store.opener(path, patterns, own, device, threads)()
        stored = _native.manifest_stored(found, store, piece_size, patterns, tiles, run)
        _warn_of_missing(path, stored.missing)
        return Manifest._of(stored)
    exclude = None if own is None else system_name(own, "exclude")
    made = _native.manifest(os.fsencode(path), piece_size, patterns, follow_links, exclude, tiles, run)
    _warn_of_missing(path, made.missing)
    return Manifest._of(made, _folder_of(path, made))


class Weights(NamedTuple):
    """The files of a manifest, before they are read."""

    folder: str
    name: str | None
    """The file or the index of shards that was named; None: it was the folder."""
    names: list[str] | None
    """All files, if it was the folder."""
    index_text: bytes | None
    """The content of the index."""
    shown: str
    """The name for error texts."""


def find_weights(path: Path, *, ignore: Iterable[str] = (), exclude: Path | None = None) -> Weights:
    """Return the files that manifest() would read of a path or a URL.

    Raises FileError: a folder or an index of shards that cannot be read.
    """
    patterns = _native.plain_patterns(patterns_of(ignore, "ignore"))
    path, own = name_of(path, "path"), None if exclude is None else name_of(exclude, "exclude")
    if is_url(path):
        return Weights(*stores().find_url(path, patterns, own))
    where, apart = os.fsencode(path), None if own is None else system_name(own, "exclude")
    folder, name, names = _native.find_weights(where, patterns, False, apart)
    index = None
    if name is not None and name.endswith(INDEX_SUFFIX):
        try:
            with open(where, "rb") as file:
                index = file.read()
        except OSError as error:
            raise FileError._refused("read", path, error) from None
    return Weights(folder, name, None if name is not None else names, index, path)


def manifest_of_store(
    weights: Weights,
    store: Any,
    *,
    piece_size: int = PIECE_SIZE,
    ignore: Iterable[str] = (),
    progress: Progress = None,
) -> Manifest:
    """Return the manifest of files that other code reads and hashes, as merklize.stores.Store does.

    weights  the files, as find_weights() or Store.opener()() gives them
    store    has sizes(names), read(name, start, end), hash(name, ranges, piece_size, progress), hash_files(names,
             piece_size) and shown(name)

    Raises what they raise, InvalidArgument.
    """
    require_piece_size(piece_size)
    patterns = _native.plain_patterns(patterns_of(ignore, "ignore"))
    if not isinstance(weights, tuple) or len(weights) != len(Weights._fields):
        raise TypeError(in_call(f"weights must be what find_weights() returns, got {type(weights).__name__}"))
    run = settings("cpu", None, progress)
    return Manifest._of(_native.manifest_stored(tuple(weights), store, piece_size, patterns, False, run))


def require_piece_size(piece_size: int) -> None:
    """Refuse bytes of a piece that no manifest takes, before anything is read. Raises InvalidArgument."""
    _native.require_piece_size(piece_size)


def check_model(
    module: Any,
    manifest: Manifest | Path | None = None,
    *,
    verity: VerityImage | None = None,
    only: Iterable[str] = (),
    prefix: str = "",
    group: Any = None,
    device: Device = "auto",
    threads: int | None = None,
) -> Report:
    """Tell whether a loaded model is what its manifest says, or what a disk has, hashing its tensors where they lie.

    module    an object with state_dict(), as PyTorch's modules, or a mapping of names to tensors
    manifest  a Manifest, or the path of one
    verity    instead of a manifest: the disk that the model was loaded from, and its trusted root hash
    only      patterns of tensors' names, as in Manifest.check()
    prefix    what the manifest has before the names of this model: "unet/" in a folder of several models. Only such
              tensors are compared
    group     of a manifest by tiles: the process group of torch.distributed whose ranks hold the model together; None:
              the default one, or if there is none this process alone. All of them must call this. Manifest.check() is
              of this process alone

    The files of a manifest of a folder are not looked at. A tensor that is not in the manifest but is the memory of one
    that is, as tied weights are, is no difference. The report is false if anything differs; `report.require()` raises.

    With verity, the headers of the safetensors files are read from the image and compared with the root hash, and
    tensors are hashed as blocks of the disk. Where a tensor is only a part of a block, the rest of that block is read
    from the image: `report.neighbours` names such tensors. SHA-512 is computed on the host.

    Raises FileError, InvalidArgument.

    >>> weights = {"weight": np.zeros((3, 5), np.float32)}
    >>> bool(merklize.check_model(weights, merklize.manifest(weights)))
    True
    """
    if (manifest is None) == (verity is None):
        raise InvalidArgument("give either manifest or verity")

    def asked() -> tuple[Any, list[str]]:
        patterns = patterns_of(only, "only")
        if not prefix:
            return module, patterns
        state = {prefix + name: tensor for name, tensor in tensors_of(module).items()}
        return state, [_literal(prefix) + pattern for pattern in patterns] or [_literal(prefix) + "*"]

    if verity is not None:
        if not isinstance(verity, VerityImage):
            raise InvalidArgument(f"verity must be a VerityImage, got {type(verity).__name__}")
        source, patterns = asked()
        return check_on_disk(source, verity, patterns, device, threads)

    def load() -> Manifest:
        return manifest if isinstance(manifest, Manifest) else Manifest.load(cast("Path", manifest))

    # Without a group it may be by bytes, for which no rank waits: one that cannot read it ends alone.
    known = load() if group is None else None

    def prepare() -> Check:
        by_tiles = known or load()
        if by_tiles.digest != "tiles-v1":
            raise InvalidArgument("group: the manifest must be by tiles (tiles=True), got one by bytes")
        return Check(by_tiles._whole, *asked())

    if known is None or known.digest == "tiles-v1":
        return check_tiles(prepare, Exchange(device, threads, group))
    source, patterns = asked()
    return known.check(source, only=patterns, device=device, threads=threads)

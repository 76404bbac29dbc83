"""Hashing for OpenSSF's model-signing package, by merklize: `pip install 'merklize[signing]'`.

    signer = model_signing.signing.Config().use_elliptic_key_signer(private_key="key")
    signer.set_hashing_config(merklize.signing.Config()).sign("my-model", "model.sig")

A signature does not depend on who hashed: stock programs verify what was signed with this, and
`verifying.Config().set_hashing_config(...)` verifies with this what anybody signed.

model-signing 1.1 keeps its classes of hash engines in private modules, and this module derives from them.
"""

from __future__ import annotations

import pathlib
from typing import Any

try:
    from model_signing import hashing as _hashing
    from model_signing._hashing import hashing as _engines
    from model_signing._hashing import io as _io
except ImportError as error:
    raise ImportError(f"merklize.signing needs model-signing: pip install 'merklize[signing]' ({error})") from error

from collections.abc import Callable

from ._types import HashName, Self
from .hashing import Hasher as _Hasher
from .hashing import hash_file as _hash_file

__all__ = ["ALGORITHMS", "Config", "FileHasher", "StreamHasher"]

ALGORITHMS = ("blake3", "sha256")
"""The hashes that merklize computes, by model-signing's names."""


class _Named:
    """An engine of the algorithm `_name`."""

    _name: HashName

    @property
    def digest_name(self) -> str:
        """The algorithm, as a signature names it."""
        return self._name

    @property
    def digest_size(self) -> int:
        """Bytes of a digest."""
        return 32


class StreamHasher(_Named, _engines.StreamingHashEngine):  # type: ignore[misc]  # a package without types
    """A digest of bytes that come in pieces."""

    def __init__(self, initial_data: bytes = b"", *, hashing_algorithm: HashName = "blake3") -> None:
        """Begin with some data. hashing_algorithm  one of ALGORITHMS."""
        self._name = hashing_algorithm
        self._hasher = _Hasher(initial_data, hash=hashing_algorithm)

    def update(self, data: bytes) -> None:
        """Append bytes."""
        self._hasher.update(data)

    def reset(self, data: bytes = b"") -> None:
        """Begin again."""
        self._hasher.reset()
        self._hasher.update(data)

    def compute(self) -> Any:
        """Return the digest so far."""
        return _engines.Digest(self._name, self._hasher.digest())


class FileHasher(_Named, _io.FileHasher):  # type: ignore[misc]
    """The digest of a file, by all threads where the algorithm allows it."""

    def __init__(
        self,
        file: pathlib.Path,
        *,
        hashing_algorithm: HashName = "blake3",
        threads: int | None = None,
        device: str = "auto",
    ) -> None:
        """Take the file's path. hashing_algorithm  one of ALGORITHMS. threads, device  as in hash_file()."""
        self._file, self._name, self._threads, self._device = file, hashing_algorithm, threads, device

    def set_file(self, file: pathlib.Path) -> None:
        """Take another file."""
        self._file = file

    def compute(self) -> Any:
        """Hash the file. Raises FileError, also if it changes while it is read."""
        digest = _hash_file(self._file, hash=self._name, threads=self._threads, device=self._device)
        return _engines.Digest(self._name, digest)


class Config(_hashing.Config):  # type: ignore[misc]
    """model_signing.hashing.Config whose files merklize hashes.

    hashing_algorithm  "sha256", which the stock command verifies: it takes no other. Or "blake3", faster by far for
                       large files, which the stock library verifies (model_signing.verifying.Config), and this one
    threads, device    as in hash_file()

    use_file_serialization() and the other methods are the stock ones. Algorithms that are not in ALGORITHMS, and
    shards of files, are hashed as the stock Config does.
    """

    def __init__(self, hashing_algorithm: Any = "sha256", *, threads: int | None = None, device: str = "auto") -> None:
        """Set up a manifest of (file, digest) pairs."""
        self._merklize = {"threads": threads, "device": device}
        super().__init__()
        self.use_file_serialization(hashing_algorithm=hashing_algorithm)

    def use_file_serialization(self, **options: Any) -> Self:
        """Hash file by file, several at once: the stock method with its options. merklize ignores chunk_size."""
        super().use_file_serialization(**options)
        # The stock serializer hashes BLAKE3 files one by one. Calls here share a pool of threads, so small files gain.
        self._serializer._is_blake3 = False
        return self

    def _build_file_hasher_factory(
        self, hashing_algorithm: Any = "sha256", chunk_size: int = 1 << 20, max_workers: int | None = None
    ) -> Callable[[pathlib.Path], Any]:
        if hashing_algorithm not in ALGORITHMS:
            stock: Callable[[pathlib.Path], Any] = super()._build_file_hasher_factory(
                hashing_algorithm, chunk_size, max_workers
            )
            return stock
        options: dict[str, Any] = {"hashing_algorithm": hashing_algorithm, **self._merklize}
        return lambda path: FileHasher(path, **options)

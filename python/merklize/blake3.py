"""A drop-in for the package blake3: `from merklize.blake3 import blake3`.

>>> from merklize.blake3 import blake3
>>> blake3(b"abc").hexdigest()[:16]
'6437b3ac38465133'
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import __version__ as __version__
from . import _native
from .hashing import Hasher

if TYPE_CHECKING:
    import os

    from typing_extensions import Buffer, Self

__all__ = ["__version__", "blake3"]


def _octets(data: Buffer) -> Buffer:
    if type(data) is bytes:
        return data
    view = memoryview(data)
    if view.itemsize != 1 or not view.contiguous:
        raise BufferError(f"blake3: data must be contiguous bytes, got items of format {view.format!r}")
    return view


class blake3(Hasher):  # whose signatures are narrower here, as the package's are
    """Streaming BLAKE3 on the CPU, with the arguments of the package blake3.

    data                the first bytes to update with
    key                 32 bytes: keyed hashing
    derive_key_context  text that names a purpose: key derivation; the data is then the key material
    max_threads         for large updates; blake3.AUTO is all that the process may use
    usedforsecurity     ignored, as in the package blake3

    Errors of values are InvalidArgument, a ValueError.
    """

    AUTO = -1  # type: ignore[assignment]
    name = "blake3"
    block_size = 64

    def __init__(
        self,
        data: Buffer = b"",
        /,
        *,
        key: Buffer | None = None,
        derive_key_context: str | None = None,
        max_threads: int = 1,
        usedforsecurity: bool = True,
    ) -> None:
        """Begin with `data`."""
        threads = None if max_threads == -1 else max_threads
        data = _octets(data)
        _native.Hasher.__init__(self, data, key=key, context=derive_key_context, device="cpu", threads=threads)

    def update(self, data: Buffer, /) -> Self:  # type: ignore[override]
        """Append bytes. Return self."""
        return super().update(_octets(data))

    def update_mmap(self, path: str | os.PathLike[str]) -> Self:
        """Append a file's bytes, which are read and never mapped. Return self."""
        return self.update_file(path)

    def reset(self) -> Self:  # type: ignore[override]
        """Go back to the empty input, in the same mode. Return self."""
        super().reset()
        return self

    def digest(self, length: int = 32, *, seek: int = 0) -> bytes:  # type: ignore[override]
        """Return output bytes `seek` to `seek + length` for all input so far; more input may follow."""
        return _native.Hasher.digest(self, length, seek)

    def hexdigest(self, length: int = 32, *, seek: int = 0) -> str:  # type: ignore[override]
        """Return digest() as lower-case hexadecimal text."""
        return _native.Hasher.hexdigest(self, length, seek)

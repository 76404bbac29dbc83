"""Opens URLs for the command line."""

from __future__ import annotations

from typing import Any

from ..extensions import shown
from ._limits import limits
from ._manifests import Store
from ._objects import open_object
from ._ranges import ObjectSource, Readers
from ._write import require_writable, upload


class Opener:
    """See src/command/caller.hpp. The objects of a command share the threads that read them."""

    def __init__(self) -> None:
        """Open nothing yet."""
        self._readers = Readers()

    def close(self) -> None:
        """End the threads that read."""
        self._readers.__exit__()

    def shown(self, url: str) -> str:
        """Return a URL for texts, without secrets."""
        return shown(url)

    def most_at_once(self) -> int:
        """Return how many objects are opened at once."""
        return limits.parallel

    def open(self, url: str, first: int) -> ObjectSource:
        """Open an object, whose first bytes will be read."""
        return ObjectSource(open_object(url, first), self._readers)

    def upload(self, file: str, url: str) -> None:
        """Write the content of a file to an object."""
        upload(file, url)

    def require_writable(self, url: str) -> None:
        """Refuse a URL that cannot be written to."""
        require_writable(url)

    def find_weights(self, url: str, ignore: list[str], exclude: str, device: str, threads: int | None) -> Any:
        """Find the objects of a manifest."""
        return Store.opener(url, ignore, exclude or None, device, threads)()

"""URLs: whether a text is one, how to show one without secrets, and who opens it."""

from __future__ import annotations

import errno
import os
from typing import Any

from . import _native
from .errors import FileError, InvalidArgument, alone, encoded

_OF_PROTOCOLS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+.-:")


def is_url(path: Any) -> bool:
    """Tell whether a path is a URL. ("./a://b" is a file.)"""
    if not isinstance(path, str):
        return False
    protocol, mark, _ = path.partition("://")
    return mark != "" and protocol[:1].isalpha() and _OF_PROTOCOLS.issuperset(protocol)


def stores() -> Any:
    """Return merklize.stores, which opens URLs.

    It is looked up by its name, because it stands on this package's public names: nothing here imports it.
    """
    import importlib

    return importlib.import_module("merklize.stores")


def local_path(url: str) -> str | None:
    """Return the path that a file:// URL names; None for any other URL."""
    protocol, _, rest = url.partition("://")
    if protocol.lower() not in ("file", "local"):
        return None
    host, slash, path = rest.partition("/")
    if host not in ("", "localhost") or not slash:
        raise FileError(f"{shown(url)}: a file:// URL must name a path of this machine: file:///data/x")
    from urllib.parse import unquote_to_bytes

    return os.fsdecode(unquote_to_bytes(system_name(slash + path, "URL")))  # a name can be any bytes


@alone
def system_name(path: Any, what: str) -> bytes:
    """Return the bytes by which the system knows a path. Raises InvalidArgument: lone surrogates."""
    try:
        return os.fsencode(path)
    except UnicodeEncodeError:
        raise InvalidArgument(
            f"{what}: a path must be text that the file system can hold, got lone surrogates"
        ) from None


def plain(path: Any) -> Any:
    """Return the path of a file:// URL, and anything else unchanged. Raises FileError, as refuse_near_url()."""
    if is_url(path):
        return local_path(path) or path
    refuse_near_url(path)
    return path


def refuse_near_url(path: Any) -> None:
    """Refuse a word that was perhaps meant as a URL (`https ://`, `http:/`, `http:host/f?key=x`), and is neither.

    Raises FileError. What follows the protocol may hold secrets, so the error does not show it.
    """
    begin = _native.begin_of_no_url(encoded(path)).decode() if isinstance(path, str) else ""
    if begin and not os.path.exists(path) and not os.path.exists(os.path.dirname(path)):
        text = f"'{begin}...' is no file, and no URL such as https://host/name"
        raise FileError._of(text, errno.ENOENT, None)


def shown(url: str) -> str:
    """Return a URL for texts: without user, password and query string, which may be a signature."""
    return printable(_native.shown_url(encoded(url)).decode("utf-8", "surrogatepass"))


def label(path: str) -> str:
    """Return a path or a URL for texts."""
    return shown(path) if is_url(path) else path


def printable(text: str) -> str:
    """Return a text with line ends, escapes and control characters escaped, which a terminal would act on."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def split_http(url: str) -> tuple[Any, str, int | None]:
    """Return the parts of an http URL, its host and its port. Raises ValueError, with the rule that the URL breaks."""
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
        host.encode("idna")
    except ValueError:
        host = ""
    if not host:
        raise ValueError("the URL must name a host, and its port by a number below 65536 or not at all")
    return parts, host, port

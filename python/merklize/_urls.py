"""URLs: whether a text is one, how to show one without secrets, and which extra opens it."""

from __future__ import annotations

import errno
import os
from typing import Any

from . import _native
from .errors import FileError, Unavailable, alone, encoded

_OF_PROTOCOLS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+.-:")

_EXTRAS = {"s3": "s3", "s3a": "s3", "gs": "gcs", "gcs": "gcs", "http": "http", "https": "http"}
CREDENTIALS = {
    "s3": "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE; FSSPEC_S3='{\"anon\": true}' reads public data",
    "gcs": 'GOOGLE_APPLICATION_CREDENTIALS; FSSPEC_GS=\'{"token": "anon"}\' reads public data',
    "http": 'the URL itself if it is signed, or FSSPEC_HTTPS=\'{"headers": {"Authorization": "..."}}\'',
}
"""Where each extra finds its credentials."""


def is_url(path: Any) -> bool:
    """Tell whether a path is a URL. ("./a://b" is a file.)"""
    if not isinstance(path, str):
        return False
    protocol, mark, _ = path.partition("://")
    return mark != "" and protocol[:1].isalpha() and _OF_PROTOCOLS.issuperset(protocol)


def local_path(url: str) -> str | None:
    """Return the path that a file:// URL names; None for any other URL."""
    protocol, _, rest = url.partition("://")
    if protocol.lower() not in ("file", "local"):
        return None
    host, slash, path = rest.partition("/")
    if host not in ("", "localhost") or not slash:
        raise FileError(f"{shown(url)}: a file:// URL must name a path of this machine: file:///data/x")
    from urllib.parse import unquote

    return unquote(slash + path)


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


def extra_of(url: str) -> str | None:
    """Return the extra of merklize that installs the package that opens a URL; None: there is no such extra."""
    protocol = url.partition("://")[0].split("::")[0].lower()
    return _EXTRAS.get(protocol)


@alone
def file_system(url: str, **options: Any) -> tuple[Any, str]:
    """Return the fsspec file system of a URL, and the path in it.

    Raises Unavailable: the extra is not installed. FileError: no such protocol.
    """
    extra = extra_of(url)
    if extra == "http":
        try:
            split_http(url)
        except ValueError as error:
            raise FileError(f"{shown(url)}: {error}") from None
    try:
        import fsspec
    except ImportError:
        wanted = extra or "http"
        raise Unavailable(f"{shown(url)}: URLs need fsspec: pip install 'merklize[{wanted}]'") from None
    try:
        system, path = fsspec.core.url_to_fs(url, **options)
        if extra == "http":
            import aiohttp  # noqa: F401  # fsspec opens http:// without it, and fails later
    except ImportError as error:
        package = {"s3": "s3fs", "gcs": "gcsfs", "http": "aiohttp"}.get(extra or "", error.name or "its package")
        how = f"pip install 'merklize[{extra}]'" if extra else "install what fsspec names for this protocol"
        raise Unavailable(f"{shown(url)}: needs {package}: {how}") from None
    except (TypeError, ValueError) as error:
        if "Protocol not known" not in str(error):
            raise FileError(f"{shown(url)}: fsspec does not take it ({type(error).__name__})") from None
        raise FileError(
            f"{shown(url)}: unknown protocol {url.partition('://')[0]!r}; s3, gs, https and all that fsspec has are "
            f"taken. A file of this name is ./{shown(url).partition('?')[0].rpartition('/')[2]}"
        ) from None
    except Exception as error:
        from .stores._failures import Passing, failure_of, file_error

        failure = failure_of(error, shown(url), extra)
        raise file_error(shown(url), f"cannot open: {failure}") if isinstance(failure, Passing) else failure from None
    return system, path

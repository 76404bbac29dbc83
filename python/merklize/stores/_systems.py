"""The file systems of fsspec."""

from __future__ import annotations

from typing import Any

from ..errors import FileError, Unavailable
from ..extensions import alone, file_error, shown, split_http
from ._failures import Passing, extra_of, failure_of


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
        raise Unavailable(f"URLs need fsspec: pip install 'merklize[{wanted}]'") from None
    try:
        system, path = fsspec.core.url_to_fs(url, **options)
        if extra == "http":
            import aiohttp  # noqa: F401  # fsspec opens http:// without it, and fails later
    except ImportError as error:
        package = {"s3": "s3fs", "gcs": "gcsfs", "http": "aiohttp"}.get(extra or "", error.name or "its package")
        how = f"pip install 'merklize[{extra}]'" if extra else "install what fsspec names for this protocol"
        raise Unavailable(f"{url.partition(':')[0]}:// needs {package}: {how}") from None
    except (TypeError, ValueError) as error:
        if "Protocol not known" not in str(error):
            raise FileError(f"{shown(url)}: fsspec does not take it ({type(error).__name__})") from None
        raise FileError(
            f"{shown(url)}: unknown protocol {url.partition('://')[0]!r}; s3, gs, https and all that fsspec has are "
            f"taken. A file of this name is ./{shown(url).partition('?')[0].rpartition('/')[2]}"
        ) from None
    except Exception as error:
        failure = failure_of(error, shown(url), extra)
        raise file_error(shown(url), f"cannot open: {failure}") if isinstance(failure, Passing) else failure from None
    return system, path

"""Failures between this process and a store. Errors of other packages become errors of merklize, without their texts.

Their texts may hold signed URLs and keys. So errors of merklize have only the name, the rule and the kind of the error.
"""

from __future__ import annotations

import errno
from typing import Any

from ..errors import Error, FileError
from ..extensions import file_error

CHANGED = "changed while being read"

_EXTRAS = {"s3": "s3", "s3a": "s3", "gs": "gcs", "gcs": "gcs", "http": "http", "https": "http"}
CREDENTIALS = {
    "s3": "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE; FSSPEC_S3='{\"anon\": true}' reads public data",
    "gcs": 'GOOGLE_APPLICATION_CREDENTIALS; FSSPEC_GS=\'{"token": "anon"}\' reads public data',
    "http": 'the URL itself if it is signed, or FSSPEC_HTTPS=\'{"headers": {"Authorization": "..."}}\'',
}
"""Where each extra finds its credentials."""

_RETRIED_STATUS = {408, 425, 429, 500, 502, 503, 504, 509}
_NO_CREDENTIALS = {
    "NoCredentialsError", "PartialCredentialsError", "TokenRetrievalError", "UnauthorizedSSOTokenError",
    "CredentialRetrievalError", "ProfileNotFound", "DefaultCredentialsError", "RefreshError", "SSOTokenLoadError",
}  # fmt: skip


class Passing(Exception):
    """A failure that the next attempt may not have: a dropped connection, a busy server, a short response."""


def extra_of(url: str) -> str | None:
    """Return the extra of merklize that installs the package that opens a URL; None: there is no such extra."""
    protocol = url.partition("://")[0].split("::")[0].lower()
    return _EXTRAS.get(protocol)


def no_credentials(name: str, extra: str | None, why: str) -> FileError:
    """Return the error that says where credentials belong."""
    if extra is None:
        return file_error(name, f"access denied ({why}): credentials of this store are set in fsspec's configuration",
                          errno.EACCES)  # fmt: skip
    where = CREDENTIALS[extra]
    return file_error(name, f"access denied ({why}): merklize[{extra}] takes credentials from {where}", errno.EACCES)


def failure_of_status(status: int, code: str, name: str, extra: str | None, is_pinned: bool) -> Exception:
    """Return the error, or the Passing, for an HTTP response.

    code       the store's own name of it, or ""
    is_pinned  the object was there before, in a version that is known
    """
    what = f"{code}, status {status}" if code else f"status {status}"
    if status in _RETRIED_STATUS or code in ("SlowDown", "RequestTimeout", "RequestTimeTooSkewed"):
        return Passing(f"the server answered with {what}")
    if status == 412 or (is_pinned and status in (404, 410, 416)):
        return file_error(name, f"{CHANGED} (the server answered with {what})")
    if status in (404, 410):
        return file_error(name, f"there is no such object ({what})", errno.ENOENT)
    if status in (401, 403):
        return no_credentials(name, extra, what)
    return file_error(name, f"cannot read: the server answered with {what}")


def failure_of(error: BaseException, name: str, extra: str | None, is_pinned: bool = False) -> BaseException:
    """Return merklize's error for an exception of a store's package; a Passing if the next attempt may succeed."""
    if isinstance(error, (Error, Passing)) or not isinstance(error, Exception):
        return error
    kind = type(error).__name__
    answer = getattr(error, "response", None)
    if isinstance(answer, dict) and "Error" in answer:  # botocore's ClientError
        code = str(answer["Error"].get("Code", ""))
        status = int(answer.get("ResponseMetadata", {}).get("HTTPStatusCode", 0) or 0)
        return failure_of_status(status, "" if code == str(status) else code, name, extra, is_pinned)
    of_answer: Any = getattr(error, "status", None) or getattr(error, "code", None)  # aiohttp's, gcsfs's
    if kind in _NO_CREDENTIALS:
        return no_credentials(name, extra, kind)
    if isinstance(of_answer, int) and 400 <= of_answer < 600:
        return failure_of_status(of_answer, "", name, extra, is_pinned)
    if isinstance(error, FileNotFoundError):
        return file_error(name, f"{CHANGED}: it is gone" if is_pinned else "there is no such object", errno.ENOENT)
    if isinstance(error, PermissionError):
        return no_credentials(name, extra, kind)
    if isinstance(error, IsADirectoryError):
        return file_error(name, "is a folder", errno.EISDIR)
    if kind in ("InvalidURL", "InvalidUrlClientError", "NonHttpUrlClientError", "ParamValidationError"):
        return file_error(name, f"not a valid URL ({kind})")
    if isinstance(error, (OSError, EOFError, TimeoutError)) or _is_of_network(error):
        return Passing(f"the connection failed ({kind})")
    return file_error(name, f"cannot read: {kind}")


def _is_of_network(error: Exception) -> bool:
    names = {cls.__name__ for cls in type(error).__mro__}
    return bool(names & {"ClientError", "HTTPClientError", "ConnectionError", "TimeoutError", "FSTimeoutError",
                         "IncompleteRead", "IncompleteReadError", "HttpProcessingError"})  # fmt: skip

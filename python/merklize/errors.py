"""The errors of merklize. Each is also a built-in exception of its kind; the text has the numbers and names.

A value of a wrong Python type (text where bytes belong) is a plain TypeError.
"""

from __future__ import annotations

import errno
import functools
import os
from collections.abc import Callable
from typing import Any, TypeVar, cast

from . import _native


def shown(value: object) -> str:
    """Return a value as errors quote it: at most 80 characters, also for integers that Python does not print."""
    if isinstance(value, (bytes, bytearray)):
        return f"{len(value)} bytes"
    if not isinstance(value, (str, int, float, type(None))):
        return type(value).__name__
    try:
        text = repr(value)
    except ValueError:  # more than sys.get_int_max_str_digits()
        text = f"an integer of {int(value or 0).bit_length()} bits"
    return text if len(text) <= 80 else text[:77] + "..."


def encoded(text: str) -> bytes:
    """Return the bytes of any text. Names of files may have surrogates."""
    return text.encode("utf-8", "surrogatepass")


def masked(text: str) -> str:
    """Return a text without what may be a secret: user, password and query string of every URL in it."""
    return _native.masked(encoded(text)).decode("utf-8", "surrogatepass") if ":" in text or "?" in text else text


class Error(Exception):
    """The base of all errors of this package. Its text shows no secret part of a URL."""

    def __init__(self, *args: object) -> None:
        """Take the text."""
        super().__init__(*(masked(arg) if isinstance(arg, str) else arg for arg in args))


class InvalidArgument(Error, ValueError):
    """A value outside what the function takes: a shape, a dtype, a length, an unknown name, a malformed proof."""


_Function = TypeVar("_Function", bound=Callable[..., Any])


def alone(function: _Function) -> _Function:
    """Make the errors of a function forget what they replace, which may show signed URLs and keys."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except Error as error:
            error.__context__ = None
            raise

    return cast("_Function", call)


def named(what: str, *inner: str) -> Callable[[_Function], _Function]:
    """Make errors that begin with a function of `inner`, which was not called, begin with `what`."""

    def decorate(function: _Function) -> _Function:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            try:
                return function(*args, **kwargs)
            except (Error, TypeError) as error:
                head, colon, rest = str(error).partition(": ")
                if colon and head in inner:
                    error.args = (f"{what}: {rest}",)
                raise

        return cast("_Function", call)

    return decorate


# Functions of C++ whose names in errors are replaced by the caller's.
_INNER = (
    "MerkleTree",
    "MerkleForest",
    "OpenZeppelinTree",
    "openzeppelin_leaves",
    "hash_message",
    "hash_message_each",
    "hash_each",
    "update",
)


def called(what: str, error: Exception) -> Exception:
    """Return an error under the name `what` of the function that was called."""
    text = str(error)
    head, _, rest = text.partition(": ")
    if head in _INNER or what.endswith(f".{head}"):
        text = f"{what}: {rest}"
    elif not text.startswith(what):
        text = f"{what}: {text}"
    error.args = (text,)
    return error


class OutOfMemory(Error, MemoryError):
    """The host or the device has not enough memory."""


class Unavailable(Error, RuntimeError):
    """A device or instruction set asked for by name is not there; the text says why."""


class FileError(Error, OSError):
    """A file could not be opened, read or written, changed while being read, or is not what it should be.

    Where the system refused, `errno`, `strerror` and `filename` are set, and the error is a FileNotFoundError, a
    PermissionError or an IsADirectoryError, too, if it is such a case.
    """

    @staticmethod
    def _refused(what: str, name: str, error: OSError) -> FileError:
        """Return the error of a file that the system refused to "open", "read" or "write"."""
        if isinstance(error.filename, str):
            error.filename = masked(error.filename)  # this error stays the __context__ of that one
        return FileError._of(f"{name}: cannot {what}: {error.strerror}", error.errno or 0, name)

    @staticmethod
    def _of(text: str, number: int, filename: str | None) -> FileError:
        """Return the error with a text of the extension. number  errno's value, or 0."""
        kinds: dict[int, type[FileError]] = {
            errno.ENOENT: FileMissing,
            errno.EACCES: FileForbidden,
            errno.EPERM: FileForbidden,
            errno.EISDIR: FileIsDirectory,
        }
        error = kinds.get(number, FileError)(text)
        if filename:
            error.filename = masked(filename)
        if number != 0:
            error.errno, error.strerror = number, os.strerror(number)
        return error

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""

    def __reduce__(self) -> tuple[object, ...]:
        return FileError._of, (str(self), self.errno or 0, self.filename)


class FileMissing(FileError, FileNotFoundError):
    """There is no such file."""


class FileForbidden(FileError, PermissionError):
    """The process may not do that with the file."""


class FileIsDirectory(FileError, IsADirectoryError):
    """There is a directory in place of a file."""


class Mismatch(Error, ValueError):
    """The checked data does not match its manifest or its root; the text names what differs."""


class Cancelled(Error, RuntimeError):
    """The caller's progress function returned False."""


class InternalError(Error, RuntimeError):
    """A driver failed, or this library has a bug."""

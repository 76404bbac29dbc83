"""The errors of merklize. Each is also a built-in exception of its kind; the text has the numbers and names.

A value of a wrong Python type (text where bytes belong) is a plain TypeError.
"""

from __future__ import annotations

import errno
import functools
import os
import sys
from collections.abc import Callable
from types import FrameType
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
    return _native.masked(encoded(text)).decode("utf-8", "surrogatepass")


class Error(Exception):
    """The base of all errors of this package. Its text shows no secret part of a URL."""

    def __init__(self, *args: object) -> None:
        """Take the text."""
        super().__init__(*(masked(arg) if isinstance(arg, str) else arg for arg in args))


# Modules that stand above the package: they call its functions as any caller does.
_ABOVE = ("merklize.cli", "merklize.bench", "merklize.__main__")


def _called() -> str:
    """Return the name of the public function that was called: the outermost one of the package on the stack.

    A method, a function or a class by its own name, a class method with its class; "": none.
    """
    found = None
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        module = str(frame.f_globals.get("__name__"))
        if module == "merklize" or module.startswith("merklize."):
            if module.startswith(_ABOVE):
                break
            name = frame.f_code.co_name
            if module != __name__ and (name == "__init__" or not name.startswith(("_", "<"))):
                found = frame
        elif module not in ("contextlib", "functools"):  # of decorators
            break
        frame = frame.f_back
    if found is None:
        return ""
    code = found.f_code
    first = code.co_varnames[0] if code.co_argcount else ""
    if first not in ("self", "cls") or (first == "self" and code.co_name != "__init__"):
        return code.co_name
    own = found.f_locals[first]
    return type(own).__name__ if first == "self" else f"{own.__name__}.{code.co_name}"


def in_call(text: str, otherwise: str = "") -> str:
    """Return the text of an error with the public function that was called in front.

    otherwise  the function, if none of Python is on the stack: a method of the extension was called
    """
    name = _called() or otherwise
    return f"{name}: {text}" if name else text


class InvalidArgument(Error, ValueError):
    """A value outside what the function takes: a shape, a dtype, a length, an unknown name, a malformed proof."""

    def __init__(self, rule: str = "", call: str = "", argument: str = "") -> None:
        """Take what is wrong, and put the function that was called and the argument in front of it.

        call      as in_call() takes it
        argument  the argument that is wrong, if the rule does not name it itself
        """
        rule, call, argument = (text if isinstance(text, str) else shown(text) for text in (rule, call, argument))
        self.rule, self.argument = masked(rule), argument
        super().__init__(in_call(f"{argument} {self.rule}" if argument else self.rule, call))

    def __reduce__(self) -> tuple[object, ...]:
        return _as_it_was, (type(self), self.args, self.rule, self.argument)


def _as_it_was(kind: type[InvalidArgument], args: tuple[object, ...], rule: str, argument: str) -> InvalidArgument:
    """Return an error that was pickled: its text has the function that was called then."""
    error = kind.__new__(kind)
    error.args, error.rule, error.argument = args, rule, argument
    return error


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
        if isinstance(error.filename, (str, bytes)):
            error.filename = masked(os.fsdecode(error.filename))  # this error stays the __context__ of that one
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

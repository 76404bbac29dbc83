"""The errors of merklize. Each is also the built-in exception that it is a case of; the text has the numbers and names.

A value of a wrong Python type (text where bytes belong) is a plain TypeError.
"""


class Error(Exception):
    """What every error of this package derives from."""


class InvalidArgument(Error, ValueError):
    """A value outside what the function takes: a shape, a dtype, a length, an unknown name, a malformed proof."""


class OutOfMemory(Error, MemoryError):
    """The host or the device has not enough memory."""


class Unavailable(Error, RuntimeError):
    """A device or instruction set asked for by name is not there; the text says why."""


class FileError(Error, OSError):
    """A file could not be opened, read or written, changed while being read, or is not what it should be."""


class Cancelled(Error, RuntimeError):
    """The caller's progress function returned False."""


class InternalError(Error, RuntimeError):
    """A driver failed, or a fault of this library."""

"""The commands of `merklize` that are Python's: they need NumPy, plots and other people's packages. src/command has all
others, and hands over to these what its table has made of the command line.

Every command lives in a module of its own that is imported only when it runs: `tune list` is run_list() of tune.py.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from importlib import import_module
from typing import TypeVar

import merklize
from merklize.extensions import Command, hash_info, is_stream

_T = TypeVar("_T")
_U = TypeVar("_U")


def run(command: Command) -> int:
    """Run a command. Returns its exit code."""
    name, *below = command.name.split()
    module = import_module(f"{__name__}.{name.replace('-', '_')}")
    try:
        code: int = getattr(module, "_".join(["run", *below]))(command)
    except (merklize.Error, OSError, MemoryError) as error:
        command.fail(reason(error))
    return code


def reason(error: BaseException) -> str:
    """An error as text for people, without Python's "[Errno 2]" and quotes; the text of ours if it says more."""
    says_more = isinstance(error, merklize.Error) and not str(error).endswith(getattr(error, "strerror", None) or "")
    if isinstance(error, OSError) and error.strerror and not says_more:
        place = f"{display(error.filename)}: " if isinstance(error.filename, (str, bytes)) else ""
        return place + error.strerror
    return str(error) or type(error).__name__


def display(path: str | bytes) -> str:
    """A path as text. Bytes that are not UTF-8 become U+FFFD, as in b3sum."""
    return os.fsencode(path).decode("utf-8", "replace")


def values(command: Command, option: str, read: Callable[[str], _T]) -> list[_T]:
    """Read all values of an option. One that `read` refuses is wrong usage."""
    try:
        return [read(text) for text in command.values(option)]
    except merklize.InvalidArgument as error:
        command.refuse(option, error.rule)


def value(command: Command, option: str, read: Callable[[str], _T], otherwise: _U) -> _T | _U:
    """Read the last value of an option."""
    found = values(command, option, read)
    return found[-1] if found else otherwise


def one_of(names: tuple[str, ...]) -> Callable[[str], str]:
    """The reader of a value that is one of these names."""

    def read(name: str) -> str:
        if name not in names:
            raise merklize.InvalidArgument(f"{name!r} is not one of {', '.join(names)}")
        return name

    return read


def read_hash(name: str) -> str:
    """Refuses a hash that is not there."""
    return hash_info(name).name


def read_device(name: str) -> str:
    """Refuses a device that is not there, and one that cannot be used here."""
    if name != "all":
        merklize.hash(b"", device=name)
    return name


def read_sizes(text: str) -> tuple[int, ...]:
    """Reads 20..25, 20,22,24 or 24."""
    sizes: list[int] = []
    for part in text.split(","):
        match = re.fullmatch(r"(\d{1,2})(?:\.\.(\d{1,2}))?", part.strip(), re.ASCII)
        last = int(match[2] or match[1]) if match else -1
        if not match or not 0 <= int(match[1]) <= last <= 40:
            raise merklize.InvalidArgument(f"{part!r} is not a size such as 24 or 20..25: log2, at most 40")
        sizes.extend(range(int(match[1]), last + 1))
    return tuple(sizes)


def devices_named(name: str) -> list[merklize.DeviceInfo]:
    """Return one device, or all there are."""
    found = merklize.devices()
    if name == "all":
        return found
    if name == "auto":
        name = os.environ.get("MERKLIZE_DEVICE") or found[0].id
    merklize.hash(b"", device=name)  # one that cannot be used says why
    return [next(d for d in found if name in (d.id, d.backend))]


def about(info: merklize.DeviceInfo) -> str:
    """The line above the facts of a device."""
    return f"{info.id}: {info.name}, {info.isa}{', ' + info.driver if info.driver else ''}\n"


def require_new(command: Command, path: str | None) -> None:
    """Refuse to write over a file without --force."""
    if path and os.path.exists(path) and not is_stream(path) and not command.has("force"):
        command.fail(f"{display(path)} exists; --force writes over it")

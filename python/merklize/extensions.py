"""What packages that stand on merklize share with it: stores, Ray, benchmarks and the downloader import these alone.

`is_url`, `plain`, `local_path`, `split_http`     URLs among paths
`shown`, `label`, `printable`                     URLs and paths in texts, without secrets and control characters
`file_error`, `refused`, `alone`                  errors about files, with errno and name
`beside`, `is_stream`, `open_stream`, `write_all`, `take_place`, `write_whole`  files that appear whole or not at all
`overwrites`                                      whether writing one path changes the file of another
`Source`                                          data that is read by code of yours
`cancels`                                         whether what a progress function returns cancels its call
`hash_info`, `is_processor`, `device_rows`        facts of a hash and a device; neighbouring rows of a DeviceArray
`Command`, `human_bytes`, `human_time`, `table_row`, `table_text`  a command written in Python, and texts of its output
`kernel_modules`, `store_kernel_module`, `kernel_module_folder`    kernels that are compiled ahead of time
`Buffer`, `Device`, `Digest`, `HashName`, `HostData`, `Path`, `Progress`  types of arguments

A `Source` gives ranges of its bytes, and stands for a path in hash_file(), MerkleTree.from_file(), merkle_root_file(),
build_tree_file(), bao.outboard_file(), bao.encode_file(), bao.verify(), parts.hash_file_ranges(), parts.piece_values():

>>> class Memory:
...     name, size, descriptor = "memory", 3, None   # of a file of this machine: its descriptor, read in its place
...
...     def pieces(self, ranges):                    # the bytes of each (start, end), one after another; None: all
...         for start, end in ranges or [(0, 3)]:
...             yield b"abc"[start:end]
...
...     def require_same(self):                      # raises FileError if the data has changed since
...         pass
>>> merklize.hash_file(Memory()) == merklize.hash(b"abc")
True
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from . import _native
from ._inputs import path_text
from ._native import Command, DeviceArray, HashInfo
from ._new_file import beside, is_stream, open_stream, take_place, write_all, write_whole
from ._types import Buffer, Device, Digest, HashName, HostData, Path, Progress, Source
from ._urls import is_url, label, local_path, plain, printable, shown, split_http, system_name
from .errors import FileError, alone

MOST_STREAMED: int = _native.MOST_STREAMED
"""Bytes of the longest document that is read from what states no size: it may have no end."""

__all__ = [
    "MOST_STREAMED",
    "Buffer",
    "Command",
    "Device",
    "Digest",
    "HashName",
    "HostData",
    "Path",
    "Progress",
    "Source",
    "alone",
    "beside",
    "cancels",
    "device_rows",
    "file_error",
    "hash_info",
    "human_bytes",
    "human_time",
    "is_processor",
    "is_stream",
    "is_url",
    "kernel_module_folder",
    "kernel_modules",
    "label",
    "local_path",
    "may_be_json",
    "open_stream",
    "overwrites",
    "path_text",
    "plain",
    "printable",
    "refused",
    "shown",
    "split_http",
    "store_kernel_module",
    "table_row",
    "table_text",
    "take_place",
    "write_all",
    "write_whole",
]


def file_error(name: str, why: str, number: int = 0) -> FileError:
    """Return the error about a file or URL. number  errno's value, or 0."""
    return FileError._of(f"{name}: {why}", number, name)


def refused(what: str, name: str, error: OSError) -> FileError:
    """Return the error of a file that the system refused to "open", "read" or "write"."""
    return FileError._refused(what, name, error)


def overwrites(written: str, read: str) -> bool:
    """Tell whether writing to a path changes the file of another, under any name."""
    return _native.overwrites(system_name(written, "written"), system_name(read, "read"))


def cancels(answer: object) -> bool:
    """Tell whether what a progress function returns cancels its call: False, of Python or of NumPy."""
    return _native.cancels(answer)


def may_be_json() -> Callable[[Buffer], bool]:
    """Return a function that takes the pieces of a text, and says False when it can be no object of JSON."""
    return _native.JsonPrefix().take


def hash_info(name: str) -> HashInfo:
    """Return the facts of a hash: its name, number, and the bits of a word, 0 for bytes. Raises InvalidArgument."""
    return _native.hash_by_name(name)


def is_processor(device: str) -> bool:
    """Tell whether a device is a processor, by whatever backend."""
    return _native.is_processor(device)


def device_rows(array: DeviceArray, first: int, count: int) -> DeviceArray:
    """Return neighbouring items of the first dimension, without a copy."""
    return _native.rows(array, first, count)


def human_bytes(count: float) -> str:
    """Return a count of bytes as a command shows it: "1.5 MiB"."""
    return _native.human_bytes(count)


def human_time(seconds: float) -> str:
    """Return a time as a command shows it: "2.5 ms"."""
    return _native.human_time(seconds)


def table_text(rows: Iterable[Iterable[str]], right: str) -> str:
    """Return a table with aligned columns. right  for each column "r" if its cells are aligned to the right"""
    return _native.table_text(rows, right)


def table_row(cells: Iterable[str], widths: Iterable[int], right: str) -> str:
    """Return a row of a table whose columns have these widths."""
    return _native.table_row(cells, widths, right)


def kernel_modules(device: str) -> list[tuple[str, str]]:
    """Return name and OpenCL C of each kernel program that is compiled for a device."""
    return _native.kernel_modules(device)


def store_kernel_module(text: str, spirv: bytes) -> None:
    """Keep what a program of kernel_modules() was compiled to. Raises FileError."""
    _native.store_kernel_module(text, spirv)


def kernel_module_folder() -> str:
    """Return where store_kernel_module() keeps modules."""
    return _native.kernel_module_folder()

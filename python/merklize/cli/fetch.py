"""`merklize fetch`: a download that is verified against a root while it comes, and that can go on."""

from __future__ import annotations

import errno
import json
import os
import stat
import sys
import urllib.parse
from contextlib import suppress
from typing import Any

from merklize import FileError, bao, stores
from merklize.extensions import (
    Command,
    beside,
    file_error,
    human_bytes,
    is_url,
    overwrites,
    plain,
    printable,
    refused,
)

from . import display, value

MOST_OUTBOARD = 1 << 30
"""The most bytes of an outboard from a URL or a pipe, of a file whose size neither --size nor its server states."""
SIZE_BYTES = 8
"""An outboard begins with the size of its message, where its format has it."""


def last_name(command: Command, url: str) -> str:
    """Return the name that a file of a URL gets: no other folder's, and none that no file can have."""
    try:
        name = urllib.parse.unquote(urllib.parse.urlsplit(url).path).rpartition("/")[2]
    except ValueError:
        name = ""
    if name in ("", ".", "..") or "\0" in name:
        command.refuse_line("the URL does not end in a name for the file: give -o FILE")
    return name


def is_standard_output(command: Command, path: str | None) -> bool:
    """Whether a path is -, or names standard output as /dev/stdout does."""
    with suppress(OSError, AttributeError, ValueError):  # there may be none
        return path is not None and (path == "-" or os.path.samestat(os.stat(path), os.fstat(sys.stdout.fileno())))
    return False


def read_format(name: str) -> str:
    """Refuses a format that is not there."""
    bao.outboard_size(0, format=name)
    return name


def most_outboard(url: str, options: dict[str, Any]) -> int:
    """Return how many bytes the outboard of a file may have."""
    size = options["size"]
    if size is None:
        size = bao.stated_size(url, options["timeout"], options["speed_limit"])
    if size is None or size >= 1 << 63:
        return MOST_OUTBOARD
    return bao.outboard_size(size, format=options["format"], group_size=options["group_size"])


def read_outboard(name: str, url: str, options: dict[str, Any]) -> bytes:
    """Return the bytes of a file, a URL or standard input. (A mapped file that gets shorter would end the process.)"""
    path = plain(name)
    if is_url(path):
        return stores.read_whole(path, most_outboard(url, options))
    try:
        with open(0 if path == "-" else path, "rb", closefd=path != "-") as file:
            if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return file.read()
            most, data = most_outboard(url, options), bytearray(file.read(SIZE_BYTES))
            if options["format"] == "bao":
                size = int.from_bytes(data, "little")
                most = min(most, bao.outboard_size(size, format="bao", group_size=options["group_size"]))
            while more := file.read(1 << 20):
                data += more
                if len(data) > most:
                    raise file_error(printable(path), f"must have at most {most} bytes, got more")
            return bytes(data)
    except FileError:
        raise
    except OSError as error:
        raise refused("open" if error.filename else "read", path, error) from None


def run(command: Command) -> int:
    """See src/command/line for its options."""
    (url,) = command.words
    root, nodes, target = command.digest("root"), command.value("outboard"), command.value("output")
    if nodes is None:
        command.refuse_line("Missing option '--outboard'.")
    options: dict[str, Any] = {
        "format": value(command, "format", read_format, "bao"),
        "group_size": command.size("group-size"),
        "size": command.count("size", 0) if command.has("size") else None,
        "retries": command.count("retries", 5),
        "timeout": command.count("timeout", 30, least=1),
        "speed_limit": command.count("min-speed", 1024),
    }
    to_output, as_json = is_standard_output(command, target), command.has("json")
    if to_output and as_json:
        command.refuse_line("--json needs -o FILE: standard output has the file")
    out = command.standard_output() if to_output else target or last_name(command, url)
    if not isinstance(out, int) and nodes != "-" and not is_url(plain(nodes)):
        for written in (out, beside(os.path.realpath(out), ".partial")):
            if overwrites(written, nodes):
                command.refuse_line(f"{printable(written)} is the outboard itself, or lies in it")
    outboard = read_outboard(nodes, url, options)
    command.begin_bar("fetching")
    try:
        fetched = bao.fetch(url, root, outboard, out, progress=command.show_progress, **options)
    except FileError as error:
        if to_output and error.errno == errno.EPIPE:
            return 141
        raise
    if to_output:
        return 0
    if as_json:
        fields = {**fetched._asdict(), "path": display(fetched.path), "root": root.hex()}
        command.line(json.dumps(fields))
        return 0
    parts = [f"{human_bytes(fetched.received)} received"]
    if fetched.kept:
        parts.append(f"{human_bytes(fetched.kept)} kept")
    if fetched.repeated:
        parts.append(f"{human_bytes(fetched.repeated)} wrong and asked for again")
    command.line(f"{printable(display(fetched.path))}: verified, {human_bytes(fetched.size)} ({', '.join(parts)})")
    return 0

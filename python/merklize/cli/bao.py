"""`merklize bao verify` where a file is a URL. The program does the rest; the flags and the output are the same."""

from __future__ import annotations

import json
import mmap
import os
from typing import Any

import click

import merklize
from merklize import bao
from merklize._settings import settings
from merklize._urls import is_url, plain, shown
from merklize.bao._calls import form_of, in_groups
from merklize.bao._stream import HasRead, decoded

from . import output
from .fetch import digest_option, format_option
from .options import Count, json_option, size_option, threads_option
from .progress import Bar


@click.group()
def command() -> None:
    """Verified streaming of URLs."""


def range_option(_: click.Context, __: click.Parameter, texts: tuple[str, ...]) -> list[tuple[int, int]]:
    ranges = []
    for text in texts:
        start, comma, length = text.partition(",")
        if not comma or not all(
            part.isascii() and part.isdigit() and len(part) <= 20 and int(part) < 2**64 for part in (start, length)
        ):
            raise click.BadParameter(f"must be START,LENGTH in bytes, such as 4096,1000, got {text!r}")
        ranges.append((int(start), int(length)))
    return ranges


@command.command()
@click.argument("file", metavar="INPUT", type=click.UNPROCESSED)
@click.option("--root", required=True, callback=digest_option, metavar="HEX", help="The digest that you trust.")
@click.option(
    "--range", "ranges", multiple=True, callback=range_option, metavar="START,LENGTH",
    help="INPUT is the slice of these bytes; with --outboard: verify only the groups they are in.",
)  # fmt: skip
@click.option("--outboard", "nodes", metavar="FILE", help="INPUT is the message, and this its outboard; or its URL.")
@format_option(", ".join(bao.FORMATS))
@click.option("--group-size", callback=size_option, metavar="SIZE", help="Bytes of a group, if not the format's.")
@click.option("--size", type=Count(), metavar="BYTES", help="Of the message, where the format does not have it.")
@threads_option
@json_option
def verify(
    file: str,
    root: bytes,
    ranges: list[tuple[int, int]],
    nodes: str | None,
    format: str,
    group_size: int | None,
    size: int | None,
    threads: int,
    as_json: bool,
) -> None:
    """Verify INPUT, or its parts, and say what is wrong, and where. INPUT, the outboard, or both are URLs."""
    if file == "-":
        raise click.UsageError("INPUT must be a file or a URL here, not standard input")
    form: dict[str, Any] = {"format": format, "group_size": group_size}
    reasons: list[str] = []
    faults: list[bao.Fault] = []
    verified: list[tuple[int, int]] = []
    whole = 0
    try:
        if nodes is None:
            whole = in_order(plain(file), bao.Decoder(root, ranges=ranges or None, size=size, **form), verified)
        else:
            faults, whole = by_outboard(plain(file), root, ranges, outboard_of(plain(nodes)), form, threads or None)
            reasons = [str(fault) for fault in faults]
            group = 1024 << form_of(**form)[0]
            verified = [in_groups(start, length, whole, group) for start, length in ranges or [(0, whole)]]
    except merklize.Mismatch as error:
        reasons = [str(error)]
        if nodes is None and not verified:
            if merklize.hash_file(plain(file), threads=threads or None) == root:
                text = "is the message itself, and its digest is the root: give --outboard to verify its parts"
                raise click.UsageError(f"{output.sentence(shown(file))} {text}") from None
            reasons[0] += "; without --outboard INPUT must be an encoding, or with --range a slice"
    verified = [] if reasons else joined(verified)
    if as_json:
        places = [{"offset": one.offset, "bytes": one.length, "in_outboard": one.in_outboard} for one in faults]
        facts = {"file": output.display(shown(file)), "valid": not reasons, "root": root.hex(), "size": whole}
        found = [{"offset": begin, "bytes": end - begin} for begin, end in verified]
        output.line(json.dumps({**facts, "verified": found, "reasons": reasons, "faults": places}))
    elif not reasons:
        is_all = verified in ([], [(0, whole)])
        parts = " and ".join(f"{begin} to {end}" for begin, end in verified)
        output.line(f"valid: all of {whole} bytes" if is_all else f"valid: bytes {parts} of {whole}")
    for reason in () if as_json else reasons:
        output.line(f"NOT valid: {reason}")
    if reasons:
        raise click.exceptions.Exit(1)


def joined(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Ranges, (begin, end) each, in order, those that touch as one."""
    found: list[tuple[int, int]] = []
    for begin, end in sorted(ranges):
        if found and begin <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        elif begin < end:
            found.append((begin, end))
    return found


def outboard_of(name: str) -> Any:
    """The bytes of an outboard: of a file mapped, of an object all of it."""
    if is_url(name):
        from merklize.stores._bao import opened_in_order

        with opened_in_order(name) as file:
            return file.read_all()
    with open(name, "rb") as file:
        length = os.fstat(file.fileno()).st_size
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if length else b""


def by_outboard(
    file: str, root: bytes, ranges: list[tuple[int, int]], outboard: Any, form: dict[str, Any], threads: int | None
) -> tuple[list[bao.Fault], int]:
    """What is wrong in a message, and its size."""
    with Bar("verifying").part() as report:
        if is_url(file):
            from merklize.stores._bao import verify_url

            wanted: list[tuple[int, int | None]] = [*ranges] or [(0, None)]
            run = settings("cpu", threads, report)
            return verify_url(file, wanted, root, outboard, form_of(**form), run)
        size = os.stat(file).st_size
        faults = []
        for start, length in ranges or [(0, size)]:
            options = {"offset": start, "length": length, "threads": threads, "progress": report, **form}
            faults += bao.verify(file, root, outboard, **options).faults
        return faults, size


def in_order(file: str, decoder: bao.Decoder, verified: list[tuple[int, int]]) -> int:
    """Verifies an encoding or a slice, and notes the bytes that are.  returns  the message's size"""

    def note(opened: HasRead) -> None:
        for data in decoded(decoder, opened):
            verified.append((decoder.offset, decoder.offset + len(data)))

    if is_url(file):
        from merklize.stores._bao import opened_in_order

        with Bar("verifying").part() as report, opened_in_order(file, report) as opened:
            note(opened)
    else:
        with open(file, "rb") as local:
            note(local)
    return decoder.size

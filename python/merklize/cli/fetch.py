"""`merklize fetch`: a download that is verified against a root while it comes, and that can go on."""

from __future__ import annotations

import errno
import json
import mmap
import os
import urllib.parse
from collections.abc import Callable
from typing import Any

import click

from merklize import FileError, bao
from merklize.bao._calls import form_of

from . import output
from .options import Count, human_bytes, json_option, known, output_name, size_option
from .progress import Bar


def digest_option(_: click.Context, __: click.Parameter, text: str) -> bytes:
    try:
        if len(text) == 64:
            return bytes.fromhex(text)
    except ValueError:
        pass
    raise click.BadParameter("must be 64 hexadecimal digits")


def last_name(url: str) -> str:
    """Return the name that a file of a URL gets: no other folder's, and none that no file can have."""
    try:
        name = urllib.parse.unquote(urllib.parse.urlsplit(url).path).rpartition("/")[2]
    except ValueError:
        name = ""
    if name in ("", ".", "..") or "\0" in name:
        raise click.UsageError("the URL does not end in a name for the file: give -o FILE")
    return name


def format_option(help: str) -> Callable[[Any], Any]:
    """The option --format of commands that read outboards."""
    return click.option(
        "--format",
        default="bao",
        show_default=True,
        callback=known(lambda name: form_of(name, None)),
        metavar="NAME",
        help=help,
    )


@click.command()
@click.argument("url")
@click.option("--root", required=True, callback=digest_option, metavar="HEX", help="The BLAKE3 digest of the file.")
@click.option(
    "--outboard", "nodes", required=True, metavar="FILE", help="Its outboard, as `merklize bao outboard` makes it."
)
@click.option(
    "-o",
    "--output",
    "target",
    callback=output_name,
    metavar="FILE",
    help="Write here; else to the last name in the URL. - is standard output.",
)
@format_option(f"Of the outboard: {', '.join(bao.FORMATS)}.")
@click.option(
    "--group-size",
    callback=size_option,
    metavar="SIZE",
    help="Bytes of the outboard's groups: 16K. Needed only if it is not the format's.",
)
@click.option("--size", type=Count(), metavar="BYTES", help="Of the file; needed where the format does not have it.")
@click.option("--retries", type=Count(), default=5, show_default=True, metavar="NUM", help="Tries that bring nothing.")
@click.option("--timeout", type=Count(1), default=30, show_default=True, metavar="SECONDS", help="Of silence.")
@click.option(
    "--speed-limit",
    type=Count(),
    default=1024,
    show_default=True,
    metavar="BYTES",
    help="A second that must come, on average of --timeout seconds.",
)
@json_option
def command(
    url: str,
    root: bytes,
    nodes: str,
    target: str | None,
    format: str,
    group_size: int | None,
    size: int | None,
    retries: int,
    timeout: int,
    speed_limit: int,
    as_json: bool,
) -> None:
    """Download URL, verify every part of it against the root, and ask again for what is wrong.

    What is verified is in FILE.partial until all is there: the same command goes on from it.
    """
    to_output = target == "-"
    if to_output and as_json:
        raise click.UsageError("--json needs -o FILE: standard output has the file")
    out = output.descriptor() if to_output else target or last_name(url)
    with open(nodes, "rb") as file:
        length = os.fstat(file.fileno()).st_size
        outboard = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if length else b""
    try:
        with Bar("fetching").part() as report:
            made = bao.fetch(
                url,
                root,
                outboard,
                out,
                format=format,
                group_size=group_size,
                size=size,
                retries=retries,
                timeout=timeout,
                speed_limit=speed_limit,
                progress=report,
            )
    except FileError as error:
        if to_output and error.errno == errno.EPIPE:
            raise output.StdoutClosed from None
        raise
    if to_output:
        return
    if as_json:
        fields = {**made._asdict(), "path": output.display(made.path), "root": root.hex()}
        output.line(json.dumps(fields))
        return
    parts = [f"{human_bytes(made.received)} received"]
    if made.kept:
        parts.append(f"{human_bytes(made.kept)} kept")
    if made.repeated:
        parts.append(f"{human_bytes(made.repeated)} wrong and asked for again")
    output.line(f"{output.sentence(made.path)}: verified, {human_bytes(made.size)} ({', '.join(parts)})")

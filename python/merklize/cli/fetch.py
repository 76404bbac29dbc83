"""`merklize fetch`: a download that is verified against a root while it comes, and that can go on."""

from __future__ import annotations

import json
import mmap
import os
import urllib.parse

import click

from merklize import bao

from . import output
from .options import Count, human_bytes, json_option, size_option
from .progress import Bar


def digest_option(_: click.Context, __: click.Parameter, text: str) -> bytes:
    try:
        if len(text) == 64:
            return bytes.fromhex(text)
    except ValueError:
        pass
    raise click.BadParameter("must be 64 hexadecimal digits")


@click.command()
@click.argument("url")
@click.option("--root", required=True, callback=digest_option, metavar="HEX", help="The BLAKE3 digest of the file.")
@click.option(
    "--outboard", "nodes", required=True, metavar="FILE", help="Its outboard, as `merklize bao outboard` makes it."
)
@click.option("-o", "--output", "target", metavar="FILE", help="Write here; else to the last name in the URL.")
@click.option(
    "--format", default="bao", show_default=True, metavar="NAME", help=f"Of the outboard: {', '.join(bao.FORMATS)}."
)
@click.option(
    "--group-size",
    callback=size_option,
    metavar="SIZE",
    help="Bytes of the outboard's groups: 16K. Needed only if it is not the format's.",
)
@click.option("--size", type=Count(), metavar="BYTES", help="Of the file; needed where the format does not have it.")
@click.option("--retries", type=Count(), default=5, show_default=True, metavar="NUM", help="Tries that bring nothing.")
@click.option("--timeout", type=Count(1), default=30, show_default=True, metavar="SECONDS", help="Of silence.")
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
    as_json: bool,
) -> None:
    """Download URL, verify every part of it against the root, and ask again for what is wrong.

    What is verified is in FILE.partial until all is there: the same command goes on from it.
    """
    name = target or os.path.basename(urllib.parse.unquote(urllib.parse.urlsplit(url).path))
    if not name:
        raise click.UsageError("the URL ends without a name: give -o FILE")
    with open(nodes, "rb") as file:
        length = os.fstat(file.fileno()).st_size
        outboard = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if length else b""
    with Bar("fetching").part() as report:
        made = bao.fetch(
            url,
            root,
            outboard,
            name,
            format=format,
            group_size=group_size,
            size=size,
            retries=retries,
            timeout=timeout,
            progress=report,
        )
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

"""`merklize hash` where a FILE is a URL. The program hashes all others; the flags and the output are the same."""

from __future__ import annotations

import json
import sys

import click

import merklize
from merklize import _native
from merklize._urls import is_url, shown

from . import output
from .options import Count, device_option, json_option, known, parse_policy, threads_option
from .progress import Bar


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.UNPROCESSED)
@click.option(
    "--hash",
    "hash_name",
    default="blake3",
    callback=known(_native.require_message_hash),
    metavar="NAME",
    help="blake3, sha256, sha256d, keccak256.",
)
@click.option("--keyed", is_flag=True, help="Keyed hashing; the key is the 32 bytes on standard input.")
@click.option("--derive-key", "context", metavar="CONTEXT", help="Key derivation; the files are key material.")
@click.option("-l", "--length", type=Count(), default=32, metavar="LEN", help="Output bytes (32).")
@click.option("--seek", type=Count(), default=0, metavar="SEEK", help="Skip that many output bytes.")
@click.option("--no-mmap", is_flag=True, hidden=True)
@click.option("--no-names", is_flag=True, help="Leave out the file names.")
@click.option("--raw", is_flag=True, help="Write bytes instead of hexadecimal; for one FILE.")
@click.option("--tag", is_flag=True, help="BSD style: BLAKE3 (FILE) = HASH.")
@click.option("--policy", multiple=True, callback=parse_policy, metavar="NAME=VALUE,...", help="Tuning of the device.")
@json_option
@device_option
@threads_option
def command(
    files: tuple[str, ...],
    hash_name: str,
    keyed: bool,
    context: str | None,
    length: int,
    seek: int,
    no_mmap: bool,
    no_names: bool,
    raw: bool,
    tag: bool,
    policy: dict[str, int | str] | None,
    as_json: bool,
    device: str,
    threads: int,
) -> None:
    """Print the digest of every FILE, of which some are URLs: s3://..., gs://..., https://..., any of fsspec."""
    if "-" in files:
        raise click.UsageError("standard input cannot be hashed together with URLs")
    with Bar("hashing").part() as report, merklize.tuning.options(policy=policy):
        results = merklize.hash_files(
            files,
            hash=hash_name,
            key=read_key() if keyed else None,
            context=context,
            length=length,
            seek=seek,
            device=device,
            threads=threads or None,
            progress=report,
        )
    names = [shown(file) if is_url(file) else file for file in files]
    failed = False
    entries = []
    for name, found in zip(names, results):
        if isinstance(found, bytes):
            fields = {"hash": found.hex(), "length": length, "seek": seek}
            if raw:
                output.write(found)
            elif not as_json:
                output.line(found.hex() if no_names else line_of(name, found.hex(), tag))
        else:
            failed = True
            fields = {"error": str(found)}
            output.complain(output.sentence(str(found)))
        entries.append({"name": name, **fields})
    if as_json:
        output.line(json.dumps({"files": entries}))
    if failed:
        raise click.exceptions.Exit(1)


def line_of(name: str, digits: str, tag: bool) -> str:
    """As b3sum writes it: names with line ends or backslashes are escaped, and the line says so."""
    safe = name.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")
    mark = "\\" if safe != name else ""
    return f"{mark}BLAKE3 ({safe}) = {digits}" if tag else f"{mark}{digits}  {safe}"


def read_key() -> bytes:
    """The 32 bytes on standard input."""
    key = sys.stdin.buffer.read(33)
    if len(key) != 32:
        raise click.UsageError(f"--keyed needs 32 bytes on standard input, got {'more' if len(key) > 32 else len(key)}")
    return key

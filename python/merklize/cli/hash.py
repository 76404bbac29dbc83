"""`merklize hash`: b3sum's flags and output, with all files at once, and --recursive, --json and --device on top."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from functools import partial

import click

from . import output
from .hashing import STDIN, Job, digests, stdin_descriptor
from .options import Count, device_option, json_option, policy_option, threads_option, timings_option, version_option
from .progress import Bar
from .walk import files_below
from .writers import Writer, json_writer, write_line, write_raw


@click.command("hash")
@click.argument("files", metavar="[FILE]...", nargs=-1, type=click.UNPROCESSED)
@click.option("--hash", "hash_name", default="blake3", metavar="NAME", help="blake3, sha256_plain, sha256d, keccak256.")
@click.option("--xet", is_flag=True, help="The Hugging Face hub's hash of the file (xet).")
@click.option("--keyed", is_flag=True, help="Keyed mode; the key is the 32 bytes on standard input.")
@click.option("--derive-key", "context", metavar="CONTEXT", help="Key derivation mode with this context string.")
@click.option("-l", "--length", type=Count(), default=32, metavar="LEN", help="Output bytes (32).")
@click.option("--seek", type=Count(), default=0, metavar="SEEK", help="Skip that many output bytes.")
@threads_option
@click.option("--no-mmap", is_flag=True, hidden=True)  # b3sum has it; files are never mapped here
@click.option("--no-names", is_flag=True, help="Leave out the file names.")
@click.option("--raw", is_flag=True, help="Write bytes instead of hexadecimal; for one FILE.")
@click.option("--tag", is_flag=True, help="BSD style: BLAKE3 (FILE) = HASH.")
@click.option("-c", "--check", is_flag=True, help="Read digests and names from the FILEs, and check them.")
@click.option("--quiet", is_flag=True, help="With --check: do not print OK for each file.")
@click.option("-r", "--recursive", is_flag=True, help="Hash the files in folders; does not follow links to folders.")
@json_option
@device_option
@policy_option
@timings_option
@version_option
def command(
    files: tuple[str, ...],
    hash_name: str,
    xet: bool,
    keyed: bool,
    context: str | None,
    length: int,
    seek: int,
    threads: int,
    no_mmap: bool,
    no_names: bool,
    raw: bool,
    tag: bool,
    check: bool,
    quiet: bool,
    recursive: bool,
    as_json: bool,
    device: str,
    policy: dict[str, int | str] | None,
    show_timings: bool,
) -> None:
    """Print the digest of every FILE (BLAKE3 without --hash), or with --check verify a list of them.

    With no FILE, or when FILE is -, read standard input. Flags and output are b3sum's; each reads the other's lists.
    """
    for wrong, text in (
        (keyed and context is not None, "--keyed and --derive-key exclude each other"),
        (
            hash_name != "blake3" and (keyed or context is not None or length != 32 or seek != 0 or policy or tag),
            f"--hash {hash_name} excludes --keyed, --derive-key, --length, --seek, --policy and --tag",
        ),
        (
            xet and (hash_name != "blake3" or keyed or context is not None or length != 32 or seek != 0 or policy),
            "--xet excludes --hash, --keyed, --derive-key, --length, --seek and --policy",
        ),
        (
            xet and (check or raw or tag or as_json or show_timings),
            "--xet excludes --check, --raw, --tag, --json, --timings",
        ),
        (keyed and not files, "--keyed needs a FILE: standard input holds the key"),
        (quiet and not check, "--quiet needs --check"),
        (check and (raw or tag or no_names or recursive), "--check excludes --raw, --tag, --no-names and --recursive"),
        (check and length < 16, "--check needs a --length of at least 16: shorter digests prove little"),
        (as_json and (raw or tag or no_names), "--json excludes --raw, --tag and --no-names"),
        (raw and (len(files) > 1 or recursive), "--raw takes only one FILE"),
        (length + seek > 2**64, "--seek and --length reach past the 2^64 bytes of output"),
        ("" in files, "the name of a FILE is empty"),
        (context is not None and output.display(context).encode() != os.fsencode(context), "CONTEXT is not UTF-8"),
    ):
        if wrong:
            raise click.UsageError(text)

    if xet:
        from .xet import write_hashes

        if write_hashes(list(expanded(files)) if recursive else files or (STDIN,), threads, not no_names):
            raise click.exceptions.Exit(1)
        return
    key = read_key() if keyed else None
    settings = {"hash": hash_name, "key": key, "context": context, "device": device, "threads": threads or None}
    job = Job(settings, length, seek, {"policy": policy}, [] if show_timings else None)
    if check:
        from .check import check_files

        failed = check_files(files or (STDIN,), job, quiet, as_json)
    else:
        inputs = list(expanded(files)) if recursive else files or (STDIN,)
        failed = 0
        with writer(job, not no_names, raw, tag, as_json) as write:
            for result in digests(inputs, job, Bar("hashing", len(inputs))):
                if result.error:
                    failed += 1
                    hint = " (--recursive takes the files in it)" if os.path.isdir(result.path) else ""
                    output.complain(f"{output.sentence(result.path)}: {result.error}{hint}")
                write(result)
    if job.times is not None and not as_json:
        from .timings import report

        report(job.times)
    if failed:
        raise click.exceptions.Exit(1)


def writer(job: Job, names: bool, raw: bool, tag: bool, as_json: bool) -> AbstractContextManager[Writer]:
    if as_json:
        return json_writer(job)
    if raw:
        return nullcontext(write_raw)
    return nullcontext(partial(write_line, names=names, tag=tag))


def expanded(files: tuple[str, ...]) -> Iterator[str | OSError]:
    """The files, with folders replaced by the files in them. No FILE means the current folder."""
    for file in files or (".",):
        if file != STDIN and os.path.isdir(file):
            yield from files_below(file)
        else:
            yield file


def read_key() -> bytes:
    """The 32 bytes on standard input. One more byte is asked for, to see that there are no more."""
    descriptor = stdin_descriptor()
    key = b""
    while len(key) <= 32 and (piece := os.read(descriptor, 33 - len(key))):
        key += piece
    if len(key) != 32:
        found = f"{len(key)}" if len(key) < 32 else "more"
        raise output.Failure(f"the key on standard input must be 32 bytes; there are {found}")
    return key

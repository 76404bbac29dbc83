"""`merklize tree` where a file is a URL. The program itself does the rest; the flags and the output are the same."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from typing import Any

import click

import merklize
from merklize import _native
from merklize.__main__ import find_command
from merklize._formats import format_by_name
from merklize._urls import is_url, shown
from merklize.tree_file import TreeFile

from . import output
from .options import Count, device_option, json_option, known, output_or_none, size_option, threads_option
from .progress import Bar

derive_key_option = click.option("--derive-key", "context", metavar="CONTEXT", help="Key derivation with this context.")
keyed_option = click.option("--keyed", is_flag=True, help="Keyed hashing; the key is the 32 bytes on standard input.")
MOST_PROOF = 1 << 28


def find_format(name: str) -> None:
    """Raise InvalidArgument: there is no such format."""
    if name != "fs_verity":
        format_by_name(name)


@click.group()
def command() -> None:
    """Merkle trees over URLs, and in them."""


@command.command()
@click.argument("file", metavar="INPUT", type=click.UNPROCESSED)
@click.option("-o", "--output", "target", metavar="TREE", help="Write the whole tree to this file or URL.")
@click.option("--leaf-size", callback=size_option, metavar="SIZE", help="Bytes of the data a leaf stands for.")
@click.option("--row-size", callback=size_option, metavar="SIZE", help="The same of rows of equal length.")
@click.option("--leaves", is_flag=True, help="INPUT holds the leaves themselves, 32 bytes each.")
@click.option("--hash", "hash_name", default="blake3", callback=known(_native.hash_by_name), metavar="NAME")
@click.option(
    "--format", "format_name", callback=known(find_format), metavar="NAME", help="Who verifies it: fixes hash and rule."
)
@click.option("--rule", callback=known(_native.rule_by_name), metavar="RULE")
@click.option("--padding", metavar="HEX", help="What --rule pad fills with: 64 digits.")
@derive_key_option
@keyed_option
@click.option("--no-resume", is_flag=True, help="Begin anew: which trees of URLs and in URLs always do.")
@device_option
@threads_option
@json_option
def build(
    file: str,
    target: str | None,
    leaf_size: int | None,
    row_size: int | None,
    leaves: bool,
    hash_name: str,
    format_name: str | None,
    rule: str | None,
    padding: str | None,
    context: str | None,
    keyed: bool,
    no_resume: bool,
    device: str,
    threads: int,
    as_json: bool,
) -> None:
    """Build the tree over INPUT, and print its root. INPUT, TREE, or both are URLs."""
    if format_name == "fs_verity":
        raise click.UsageError("--format fs_verity is of a file, not of a URL")
    if file == "-":
        raise click.UsageError("INPUT must be a file or a URL here: standard input goes to a file")
    if target == "-":
        text = "-o: a tree file cannot be written to standard output, for its parts come in no order"
        raise click.UsageError(text)
    has_piece = format_name is not None and format_by_name(format_name).piece is not None
    if leaves + (leaf_size is not None) + (row_size is not None) != 1 and (leaves or not has_piece):
        raise click.UsageError("give one of --leaf-size, --row-size and --leaves")
    if 0 in (leaf_size, row_size):
        raise click.UsageError("--leaf-size and --row-size must be at least 1")
    if padding is not None and not re.fullmatch("[0-9a-fA-F]{64}", padding):
        raise click.UsageError("--padding must be 64 hexadecimal digits")
    options: dict[str, Any] = {
        "format": format_name,
        "leaf_size": leaf_size,
        "row_size": row_size,
        "leaves": leaves,
        "rule": rule,
        "context": context,
    }
    options |= {"padding": None if padding is None else bytes.fromhex(padding), "key": read_key() if keyed else None}
    options |= {"device": device, "threads": threads or None}
    with Bar("building the tree").part() as report:
        if target is None:
            built = merklize.merkle_root_file(file, hash_name, progress=report, **options)
        else:
            options["resume"] = not no_resume
            built = merklize.build_tree_file(file, target, hash_name, progress=report, **options)
    if not as_json:
        output.line(built.root.hex())
        return
    facts = {"file": named(file), "root": built.root.hex(), "n_leaves": built.n_leaves, "hash": built.hash}
    facts["rule"] = built.rule
    if row_size is not None:
        facts["row_size"] = row_size
    else:
        facts["leaf_size"] = leaf_size
    if target is not None:
        facts["tree"] = named(target)
    output.line(json.dumps(facts))


def read_key() -> bytes:
    """The 32 bytes on standard input."""
    key = sys.stdin.buffer.read(33)
    if len(key) != 32:
        raise click.UsageError(f"--keyed needs 32 bytes on standard input, got {'more' if len(key) > 32 else len(key)}")
    return key


def named(path: str) -> str:
    """A path or URL as answers may show it."""
    return shown(path) if is_url(path) else output.display(path)


@command.command()
@click.argument("file", metavar="TREE", type=click.UNPROCESSED)
@json_option
def root(file: str, as_json: bool) -> None:
    """Print the root of a tree file."""
    with TreeFile(file) as tree:
        digits = tree.root.hex()
    output.line(json.dumps({"file": named(file), "root": digits}) if as_json else digits)


@command.command()
@click.argument("file", metavar="TREE", type=click.UNPROCESSED)
@json_option
def info(file: str, as_json: bool) -> None:
    """Show what a tree file holds."""
    with TreeFile(file) as tree:
        padding = tree.padding.hex() if tree.rule == "pad" else ""
        if as_json:
            facts = {"file": named(file), "hash": tree.hash, "rule": tree.rule, "keyed": tree.is_keyed}
            facts |= {"n_leaves": tree.n_leaves, "height": tree.height, "leaf_size": tree.leaf_size}
            facts |= {"file_size": tree.file_size, "root": tree.root.hex(), **({"padding": padding} if padding else {})}
            output.line(json.dumps(facts))
            return
        pieces = f", pieces of {tree.leaf_size} bytes" if tree.leaf_size else ""
        if tree.leaf_size and tree.file_size:
            pieces += f" of a file of {tree.file_size}"
        output.line(f"hash    {tree.hash}{', keyed' if tree.is_keyed else ''}")
        output.line(f"rule    {tree.rule}{f', padding {padding}' if padding else ''}")
        output.line(f"leaves  {tree.n_leaves}{pieces}")
        output.line(f"height  {tree.height}")
        output.line(f"root    {tree.root.hex()}")


@command.command()
@click.argument("file", metavar="TREE", type=click.UNPROCESSED)
@derive_key_option
@keyed_option
@device_option
@threads_option
@json_option
def check(file: str, context: str | None, keyed: bool, device: str, threads: int, as_json: bool) -> None:
    """Compute every parent again. Exit code 0: all are right; 1: some are not, and which (at most 1000)."""
    key = read_key() if keyed else None
    with TreeFile(file, key=key, context=context) as tree, Bar("checking").part() as report:
        if tree.is_keyed != (key is not None or context is not None):
            needs = "needs --keyed or --derive-key" if tree.is_keyed else "has no key"
            raise output.Failure(f"{named(file)}: this tree {needs}")
        wrong = tree.check(device=device, threads=threads or None, progress=report)
    if as_json:
        nodes = [{"level": level, "index": index} for level, index in wrong]
        output.line(json.dumps({"file": named(file), "ok": not wrong, "wrong": nodes}))
    elif not wrong:
        output.line("every parent is the hash of its children")
    else:
        for level, index in wrong:
            output.line(f"level {level}, node {index}: not the hash of its children")
    if wrong:
        raise click.exceptions.Exit(1)


@command.command()
@click.argument("file", metavar="TREE", type=click.UNPROCESSED)
@click.argument("indices", nargs=-1, metavar="[INDEX]...")
@click.option("--since", type=Count(1), metavar="N", help="Prove that the tree grew from N leaves.")
@click.option(
    "-o", "--output", "target", callback=output_or_none, metavar="PROOF", help="Write the proof to this file."
)
@click.option("--binary", is_flag=True, help="Compact bytes instead of JSON.")
def prove(file: str, indices: tuple[str, ...], since: int | None, target: str | None, binary: bool) -> None:
    """Prove that leaves are in the tree, reading a node a level. INDEX is a number from 0, or a range: 8-15."""
    if bool(indices) == (since is not None):
        raise click.UsageError("give either an INDEX or --since")
    ranges = [range_of(text) for text in indices]
    with TreeFile(file) as tree:
        if since is not None:
            made: merklize.MerkleProof | merklize.MultiProof | merklize.ConsistencyProof = tree.prove_consistency(since)
        elif len(indices) == 1 and "-" not in indices[0]:
            made = tree.prove(ranges[0][0])
        else:
            made = tree.prove_together([k for span in ranges for k in span])
    content = made.to_bytes() if binary else made.to_json().encode() + b"\n"
    if target is None:
        output.write(content)
    elif is_url(target):
        from merklize.stores._write import write_object

        write_object(content, target)
    else:
        from merklize._new_file import write_whole

        write_whole(target, content)


def range_of(text: str) -> range:
    """ "7" or "8-15": the indices."""
    found = re.fullmatch(r"([0-9]{1,20})(?:-([0-9]{1,20}))?", text)
    first = int(found[1]) if found else 1
    last = int(found[2] or first) if found else 0
    if not 0 <= last - first < 1 << 24:
        raise click.UsageError(f"{text!r} is no index from 0 and no range such as 8-15 of at most 2^24 leaves")
    return range(first, last + 1)


@command.command(context_settings={"ignore_unknown_options": True})
@click.argument("words", nargs=-1, type=click.UNPROCESSED)
def verify(words: tuple[str, ...]) -> None:
    """Verify a proof against a root: the program does, of what was read here."""
    from merklize.stores._write import read_whole

    with tempfile.TemporaryDirectory(prefix="merklize-") as folder:

        def here(word: str) -> str:
            option, equals, value = word.partition("=")
            if is_url(word):
                option, equals, value = "", "", word
            elif not (equals and option.startswith("--") and is_url(value)):
                return word
            path = os.path.join(folder, re.sub(r"[^\w.-]", "_", shown(value).rpartition("/")[2]) or "proof")
            with open(path, "wb") as file:
                file.write(read_whole(value, MOST_PROOF))
            return f"{option}{equals}{path}"

        done = subprocess.run([find_command(), "tree", "verify", *map(here, words)], check=False)
    raise click.exceptions.Exit(done.returncode)

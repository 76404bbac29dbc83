"""`merklize tree build`."""

from __future__ import annotations

import json
from typing import Any

import click

import merklize
from merklize._formats import format_by_name

from .. import output
from ..hashing import stdin_descriptor
from ..options import device_option, json_option, policy_option, threads_option, timings_option
from ..progress import Bar
from ..timings import report as report_times
from ..timings import seconds
from .common import (
    STDIN,
    format_option,
    hash_option,
    keyed_options,
    leaf_size_option,
    mode_of,
    refuse_input_as_output,
    require_output_name,
    row_size_option,
    rule_option,
    word_bytes,
)


@click.command("build")
@click.argument("file", metavar="INPUT")
@click.option("-o", "--output", "out", metavar="TREE", help="Write the whole tree to this file.")
@leaf_size_option
@row_size_option
@click.option("--leaves", "holds_leaves", is_flag=True, help="INPUT holds the leaves themselves, 32 bytes each.")
@hash_option
@format_option
@rule_option
@click.option("--padding", metavar="HEX", help="What --rule pad fills with: 64 digits; zeros by default.")
@keyed_options
@click.option("--no-resume", is_flag=True, help="Begin anew, whatever a killed build left in TREE.partial.")
@device_option
@threads_option
@policy_option
@timings_option
@json_option
def build(
    file: str,
    out: str | None,
    leaf_size: int | None,
    row_size: int | None,
    holds_leaves: bool,
    hash_name: str,
    format: str | None,
    rule: str | None,
    padding: str | None,
    keyed: bool,
    context: str | None,
    no_resume: bool,
    device: str,
    threads: int,
    policy: dict[str, int | str] | None,
    show_timings: bool,
    as_json: bool,
) -> None:
    """Build the tree over INPUT (- is standard input) and print its root.

    INPUT may be larger than memory. With -o, the work is in TREE.partial until it is whole, and a build that was killed
    goes on from there. Without -o, --policy and --timings build the tree in memory, of a regular file.
    """
    require_output_name(out)
    if format == "fs_verity":
        if out or leaf_size or row_size or holds_leaves or file == STDIN:
            raise click.UsageError("--format fs_verity prints the digest of a file: not with -o and sizes of leaves")
        digest = "sha256:" + merklize.formats.fs_verity(file, device=device, threads=threads or None).hex()
        output.line(json.dumps({"file": output.display(file), "digest": digest}) if as_json else digest)
        return
    if format is not None:
        fixed = format_by_name(format)
        if fixed.piece is not None and not holds_leaves and leaf_size is None and row_size is None:
            leaf_size = fixed.piece
        if fixed.leaf_hash is None and not holds_leaves:
            raise click.UsageError(f"--format {format} needs --leaves: it has leaves of 32 bytes that are not hashed")
    if holds_leaves + (leaf_size is not None) + (row_size is not None) != 1:
        raise click.UsageError("give one of --leaf-size, --row-size and --leaves")
    if 0 in (leaf_size, row_size):
        raise click.UsageError("--leaf-size and --row-size must be at least 1")
    if out and (policy or show_timings):
        raise click.UsageError("--policy and --timings are for trees in memory: not with -o")
    if out:
        refuse_input_as_output(file, out)
    width = word_bytes(hash_name)
    if (leaf_size or row_size or 0) % width:
        raise click.UsageError(f"{hash_name} takes words of {width} bytes: a leaf must have a multiple of {width}")
    form: dict[str, Any] = {"format": format, "rule": rule, **mode_of(keyed, context, file)}
    if padding is not None:
        form["padding"] = _digest(padding)
    arguments: dict[str, Any] = {"leaf_size": leaf_size, "row_size": row_size, **form}
    arguments |= {"device": device, "threads": threads or None}
    source = stdin_descriptor() if file == STDIN else file
    facts: dict[str, Any] = {"file": output.display(file)}
    times = merklize.Timings() if show_timings else None
    built: merklize.TreeFacts | merklize.MerkleTree
    with Bar("building the tree").part() as report:
        arguments["progress"] = report
        if out:
            built = merklize.build_tree_file(source, out, hash_name, resume=not no_resume, **arguments)
        elif policy or times:
            built = merklize.MerkleTree.from_file(source, hash=hash_name, policy=policy, timings=times, **arguments)
            facts |= {"device": built.device, "policy": built.policy} if times else {}
        else:
            built = merklize.merkle_root_file(source, hash_name, **arguments)
    facts |= {"root": built.root.hex(), "n_leaves": built.n_leaves, "hash": built.hash, "rule": built.rule}
    if times is not None:
        facts["timings"] = seconds([times])
    if row_size is None:
        facts["leaf_size"] = leaf_size
    else:
        facts["row_size"] = row_size
    if out:
        facts["tree"] = output.display(out)
    output.line(json.dumps(facts) if as_json else facts["root"])
    if times is not None and not as_json:
        report_times([times])


def _digest(text: str) -> bytes:
    try:
        digest = bytes.fromhex(text)
    except ValueError:
        digest = b""
    if len(digest) != 32:
        raise click.UsageError("--padding must be 64 hexadecimal digits")
    return digest

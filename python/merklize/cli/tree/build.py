"""`merklize tree build`."""

from __future__ import annotations

import json
import os
from typing import Any

import click

import merklize

from .. import output
from ..hashing import stdin_descriptor
from ..options import device_option, json_option, policy_option, threads_option, timings_option
from ..progress import Bar
from ..timings import report as report_times
from ..timings import seconds
from .common import (
    STDIN,
    hash_option,
    is_field,
    keyed_options,
    leaf_size_option,
    leaves_of,
    mode_of,
    refuse_input_as_output,
    rule_option,
)


@click.command("build")
@click.argument("file", metavar="INPUT")
@click.option("-o", "--output", "out", metavar="TREE", help="Write the whole tree to this file.")
@leaf_size_option
@click.option("--leaves", "holds_leaves", is_flag=True, help="INPUT holds the leaves themselves, 32 bytes each.")
@hash_option
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
    holds_leaves: bool,
    hash_name: str,
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

    With -o, INPUT may be larger than memory; the work is in TREE.partial until it is whole, and a build that was killed
    goes on from there.
    """
    if holds_leaves == (leaf_size is not None):
        raise click.UsageError("give either --leaf-size or --leaves")
    if leaf_size == 0:
        raise click.UsageError("--leaf-size must be at least 1")
    if out and (policy or show_timings):
        raise click.UsageError("--policy and --timings are for trees in memory: not with -o")
    if out:
        refuse_input_as_output(file, out)
    form: dict[str, Any] = {"rule": rule, **mode_of(keyed, context, file)}
    if padding is not None:
        form["padding"] = _digest(padding)
    settings: dict[str, Any] = {"device": device, "threads": threads or None}
    facts: dict[str, Any] = {"file": output.display(file)}
    times = merklize.Timings() if show_timings else None
    if file == STDIN:
        facts |= _from_stream(out, leaf_size, hash_name, form, settings, not no_resume)
    elif out:
        facts |= _to_file(file, out, leaf_size, hash_name, form, settings, not no_resume)
    else:
        tree = _in_memory(file, leaf_size, hash_name, form, settings | {"policy": policy, "timings": times})
        facts |= {"root": tree.root.hex(), "n_leaves": tree.n_leaves, "hash": tree.hash, "rule": tree.rule}
        if times is not None:
            facts |= {"device": tree.device, "policy": tree.policy, "timings": seconds([times])}
    facts |= {"leaf_size": leaf_size} | ({"tree": output.display(out)} if out else {})
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


def _in_memory(
    file: str, leaf_size: int | None, hash_name: str, form: dict[str, Any], settings: dict[str, Any]
) -> merklize.MerkleTree:
    import numpy as np

    with Bar("building the tree").part() as report:
        if leaf_size is None:
            size = os.stat(file).st_size
            if size % 32:
                raise output.Failure(f"{output.sentence(file)}: {size} bytes are no whole number of leaves of 32")
            leaves = np.fromfile(file, np.uint8).reshape(-1, 32)
            return merklize.MerkleTree(leaves, hash_name, progress=report, **form, **settings)
        if hash_name == "blake3":
            return merklize.MerkleTree.from_file(file, leaf_size, progress=report, **form, **settings)
        mode: dict[str, Any] = {name: form[name] for name in ("key", "context") if name in form}
        with open(file, "rb", buffering=0) as stream:
            run = {name: settings[name] for name in ("device", "threads")}
            batches = list(leaves_of(stream, file, leaf_size, hash_name, mode, run))
        return merklize.MerkleTree(np.concatenate(batches), hash_name, progress=report, **form, **settings)


def _to_file(
    file: str,
    out: str,
    leaf_size: int | None,
    hash_name: str,
    form: dict[str, Any],
    settings: dict[str, Any],
    resume: bool,
) -> dict[str, Any]:
    if leaf_size is not None and is_field(hash_name) and leaf_size % 8:
        raise click.UsageError(f"{hash_name} takes words of 8 bytes: --leaf-size must be a multiple of 8")
    with Bar("building the tree").part() as report:
        merklize.build_tree_file(
            file, out, hash_name, leaf_size=leaf_size, resume=resume, progress=report, **form, **settings
        )
    return _facts_of(out)


def _from_stream(
    out: str | None,
    leaf_size: int | None,
    hash_name: str,
    form: dict[str, Any],
    settings: dict[str, Any],
    resume: bool,
) -> dict[str, Any]:
    mode: dict[str, Any] = {name: form[name] for name in ("key", "context") if name in form}
    stream = open(stdin_descriptor(), "rb", closefd=False)  # noqa: SIM115  the process's own
    batches = leaves_of(stream, STDIN, leaf_size, hash_name, mode, settings)
    if out is None:
        builder = merklize.TreeBuilder(hash_name, **form, **settings)
        for leaves in batches:
            builder.append(leaves)
        return {"root": builder.root().hex(), "n_leaves": builder.n_leaves, "hash": hash_name}
    # What was read from a pipe before cannot be read again: nothing to resume.
    with merklize.TreeWriter(out, None, hash_name, resume=False, **form, **settings) as writer:
        for leaves in batches:
            writer.append(leaves)
        writer.finish()
    return _facts_of(out)


def _facts_of(out: str) -> dict[str, Any]:
    with merklize.TreeFile(out) as tree:
        return {"root": tree.root.hex(), "n_leaves": tree.n_leaves, "hash": tree.hash, "rule": tree.rule}

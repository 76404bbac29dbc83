"""`merklize tree root`, `info`, `check` and `export`."""

from __future__ import annotations

import json
from contextlib import nullcontext
from typing import Any

import click

import merklize

from .. import output
from ..options import Count, device_option, json_option, threads_option
from ..progress import Bar
from .common import PIECE, keyed_options, mode_of, open_tree, require_output_name


@click.command("root")
@click.argument("file", metavar="TREE")
@json_option
def root(file: str, as_json: bool) -> None:
    """Print the root of a tree file: 64 hexadecimal digits and nothing else."""
    with merklize.TreeFile(file) as tree:
        found = tree.root.hex()
    output.line(json.dumps({"file": output.display(file), "root": found}) if as_json else found)


@click.command("info")
@click.argument("file", metavar="TREE")
@json_option
def info(file: str, as_json: bool) -> None:
    """Show what a tree file holds."""
    with merklize.TreeFile(file) as tree:
        facts: dict[str, Any] = {
            "hash": tree.hash,
            "rule": tree.rule,
            "keyed": tree.is_keyed,
            "n_leaves": tree.n_leaves,
            "height": tree.height,
            "leaf_size": tree.leaf_size,
            "file_size": tree.file_size,
            "root": tree.root.hex(),
        }
        if tree.rule == "pad":
            facts["padding"] = tree.padding.hex()
    if as_json:
        output.line(json.dumps({"file": output.display(file), **facts}))
        return
    pieces = f", pieces of {tree_pieces(facts)}" if facts["leaf_size"] else ""
    output.line(f"hash    {facts['hash']}{', keyed' if facts['keyed'] else ''}")
    output.line(f"rule    {facts['rule']}{', padding ' + facts['padding'] if 'padding' in facts else ''}")
    output.line(f"leaves  {facts['n_leaves']}{pieces}")
    output.line(f"height  {facts['height']}")
    output.line(f"root    {facts['root']}")


def tree_pieces(facts: dict[str, Any]) -> str:
    whole = f" of a file of {facts['file_size']}" if facts["file_size"] else ""
    return f"{facts['leaf_size']} bytes{whole}"


@click.command("check")
@click.argument("file", metavar="TREE")
@keyed_options
@device_option
@threads_option
@json_option
def check(file: str, keyed: bool, context: str | None, device: str, threads: int, as_json: bool) -> None:
    """Compute every parent again. Exit code 0: all are right; 1: some are not, and which (at most 1000)."""
    with open_tree(file, mode_of(keyed, context)) as tree, Bar("checking").part() as report:
        wrong = tree.check(device=device, threads=threads or None, progress=report)
    if as_json:
        nodes = [{"level": level, "index": index} for level, index in wrong]
        output.line(json.dumps({"file": output.display(file), "ok": not wrong, "wrong": nodes}))
    elif not wrong:
        output.line("every parent is the hash of its children")
    else:
        for level, index in wrong:
            output.line(f"level {level}, node {index}: not the hash of its children")
    if wrong:
        raise click.exceptions.Exit(1)


@click.command("export")
@click.argument("file", metavar="TREE")
@click.option("--level", type=Count(), default=0, help="0, the leaves, to the height, the root.")
@click.option("-o", "--output", "out", metavar="FILE", help="Write to this file instead of standard output.")
@click.option("--raw", is_flag=True, help="32 bytes a node instead of a line of 64 hexadecimal digits.")
@json_option
def export(file: str, level: int, out: str | None, raw: bool, as_json: bool) -> None:
    """Write the nodes of a level."""
    require_output_name(out)
    if raw and as_json:
        raise click.UsageError("--raw and --json exclude each other")
    with merklize.TreeFile(file) as tree:
        if level > tree.height:
            raise click.UsageError(f"--level must be 0 to {tree.height}")
        count = ((tree.n_leaves - 1) >> level) + 1
        with nullcontext() if out is None else output.new_file(out) as target:
            write = output.write if target is None else target.write
            if as_json:
                write(f'{{"level": {level}, "nodes": ['.encode())
            for first in range(0, count, PIECE // 32):
                nodes = tree.read(level, first, min(PIECE // 32, count - first))
                write(nodes if raw else _text(nodes, as_json, first))
            if as_json:
                write(b"]}\n")


def _text(nodes: bytes, as_json: bool, first: int) -> bytes:
    digits = (nodes[i : i + 32].hex() for i in range(0, len(nodes), 32))
    if as_json:
        return (", " if first else "").encode() + ", ".join(f'"{node}"' for node in digits).encode()
    return "".join(f"{node}\n" for node in digits).encode()

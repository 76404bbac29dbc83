"""`merklize tree update` and `append`."""

from __future__ import annotations

import json
import re
from typing import Any

import click

from .. import output
from ..hashing import stdin_descriptor
from ..options import device_option, json_option, threads_option
from ..progress import Bar
from .common import STDIN, hashed, keyed_options, mode_of, open_tree


@click.command("update")
@click.argument("file", metavar="TREE")
@click.argument("changes", metavar="INDEX[=HEX]...", nargs=-1, required=True)
@click.option("--from", "data", metavar="INPUT", help="The changed data: leaf INDEX is hashed again from it.")
@keyed_options
@device_option
@threads_option
@json_option
def update(
    file: str,
    changes: tuple[str, ...],
    data: str | None,
    keyed: bool,
    context: str | None,
    device: str,
    threads: int,
    as_json: bool,
) -> None:
    """Replace leaves of a tree file, hash what is above them again, and print the new root.

    INDEX=HEX gives the leaf; INDEX alone takes piece INDEX of --from INPUT. The file is replaced when all is done;
    another process that changes it is waited for.
    """
    mode = mode_of(keyed, context)
    settings: dict[str, Any] = {"device": device, "threads": threads or None}
    with open_tree(file, mode) as tree:
        leaves: dict[int, bytes] = {}
        for text in changes:
            index, leaf = _change(text)
            if index in leaves:
                raise click.UsageError(f"leaf {index} is given twice")
            if (leaf is None) != (data is not None):
                raise click.UsageError(f"{text!r}: give INDEX=HEX, or INDEX and --from")
            leaves[index] = leaf if leaf is not None else _piece(str(data), index, tree, mode, settings)
        tree.update(leaves, **settings)
        found = tree.root.hex()
    output.line(json.dumps({"tree": output.display(file), "root": found, "updated": len(leaves)}) if as_json else found)


def _change(text: str) -> tuple[int, bytes | None]:
    match = re.fullmatch(r"(\d{1,19})(?:=([0-9a-fA-F]{64}))?", text, re.ASCII)
    if not match:
        raise click.UsageError(f"{text!r} is neither INDEX nor INDEX= and 64 hexadecimal digits")
    return int(match[1]), bytes.fromhex(match[2]) if match[2] else None


def _piece(data: str, index: int, tree: Any, mode: dict[str, Any], settings: dict[str, Any]) -> bytes:
    import numpy as np

    if not tree.leaf_size:
        raise output.Failure(f"{output.sentence(tree.path)}: it does not say which bytes its leaves stand for")
    with open(data, "rb") as file:
        file.seek(index * tree.leaf_size)
        piece = file.read(tree.leaf_size)
    if not piece and index:
        raise output.Failure(f"{output.sentence(data)}: it ends before piece {index}")
    leaf: bytes = hashed(np.frombuffer(piece, np.uint8).reshape(1, -1), tree.hash, mode, settings).tobytes()
    return leaf


@click.command("append")
@click.argument("file", metavar="TREE")
@click.argument("data", metavar="INPUT")
@click.option("--leaves", "holds_leaves", is_flag=True, help="INPUT holds the leaves themselves, 32 bytes each.")
@keyed_options
@device_option
@threads_option
@json_option
def append(
    file: str,
    data: str,
    holds_leaves: bool,
    keyed: bool,
    context: str | None,
    device: str,
    threads: int,
    as_json: bool,
) -> None:
    """Add what INPUT (- is standard input) holds to a tree file of the rule left_full, and print the new root.

    INPUT is cut into pieces of the tree's own leaf size. The file is replaced when all is done.
    """
    mode = mode_of(keyed, context, data)
    source = stdin_descriptor() if data == STDIN else data
    with open_tree(file, mode) as tree, Bar("appending").part() as report:
        if not holds_leaves and not tree.leaf_size:
            raise click.UsageError("the tree does not say what its leaves stand for: give --leaves")
        size = None if holds_leaves else tree.leaf_size
        appended = tree.append_file(source, size, device=device, threads=threads or None, progress=report)
        found, count = tree.root.hex(), tree.n_leaves
    facts = {"tree": output.display(file), "root": found, "n_leaves": count, "appended": appended}
    output.line(json.dumps(facts) if as_json else found)

"""What the sub-commands of `merklize tree` share."""

from __future__ import annotations

import os
from typing import Any

import click

import merklize
from merklize import _native
from merklize._formats import FORMATS

from .. import output
from ..options import size_option

STDIN = "-"
PIECE = 1 << 25  # bytes in memory at once

leaf_size_option = click.option(
    "--leaf-size", callback=size_option, metavar="SIZE", help="Bytes of the data a leaf stands for: 4096, 64K, 1MiB."
)
row_size_option = click.option(
    "--row-size", callback=size_option, metavar="SIZE", help="The same of rows of equal length: no shorter last one."
)
hash_option = click.option(
    "--hash", "hash_name", default="blake3", metavar="NAME", help=f"One of {', '.join(merklize.HASHES)} (blake3)."
)
format_option = click.option(
    "--format",
    metavar="NAME",
    help=f"Who verifies it, which fixes hash and rule: {', '.join(FORMATS)}.",
)
rule_option = click.option(
    "--rule",
    metavar="RULE",
    help="A level's lone last node: left_full (promote), pad, duplicate_last; perfect: a power of two of leaves.",
)


def keyed_options(command: Any) -> Any:
    command = click.option("--keyed", is_flag=True, help="Keyed hashing; the key is the 32 bytes on standard input.")(
        command
    )
    return click.option("--derive-key", "context", metavar="CONTEXT", help="Key derivation with this context.")(command)


def mode_of(keyed: bool, context: str | None, *inputs: str) -> dict[str, Any]:
    """The key or context, as functions of the library take it."""
    if keyed and context is not None:
        raise click.UsageError("--keyed and --derive-key exclude each other")
    if keyed and STDIN in inputs:
        raise click.UsageError("--keyed needs a FILE: standard input holds the key")
    if keyed:
        from ..hash import read_key

        return {"key": read_key()}
    return {"context": context} if context is not None else {}


def word_bytes(hash_name: str) -> int:
    """Bytes of which a leaf must be a multiple: those of a field element, or 1."""
    return (_native.hash_by_name(hash_name).element_bits or 8) // 8


def open_tree(path: str, mode: dict[str, Any] | None = None) -> merklize.TreeFile:
    """A tree that needs a key gets it, and one that has none is not given any."""
    tree = merklize.TreeFile(path, **(mode or {}))
    if mode is not None and tree.is_keyed != bool(mode):
        needs = "needs --keyed or --derive-key" if tree.is_keyed else "has no key"
        raise output.Failure(f"{output.sentence(path)}: this tree {needs}")
    return tree


def hashed(rows: Any, hash_name: str, mode: dict[str, Any], settings: dict[str, Any]) -> Any:
    import numpy as np

    width = word_bytes(hash_name)
    if width > 1:
        if rows.shape[1] % width:
            raise output.Failure(f"{hash_name} takes words of {width} bytes; a leaf has {rows.shape[1]} bytes")
        rows = np.ascontiguousarray(rows).view(f"<u{width}")
    return np.asarray(merklize.hash_leaves(rows, hash_name, **mode, **settings)).view(np.uint8).reshape(-1, 32)


def require_output_name(out: str | None) -> None:
    if out == "":
        raise click.UsageError("-o: the name of the file is empty")


def refuse_input_as_output(file: str, out: str) -> None:
    if file != STDIN and os.path.exists(out) and os.path.exists(file) and os.path.samefile(file, out):
        raise click.UsageError(f"{out} is the input itself")

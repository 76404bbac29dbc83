"""`merklize tree`: trees over files, in files, and proofs about them."""

from __future__ import annotations

import click

from .build import build
from .change import append, update
from .inspect import check, export, info, root
from .proofs import prove, verify


@click.group("tree")
def command() -> None:
    """Binary Merkle trees: build one over a file, prove what is in it, verify such a proof, change it.

    Leaf k is the digest of piece k of the file; a parent is the hash of its two children's 64 bytes.
    """


for subcommand in (build, root, prove, verify, update, append, check, info, export):
    command.add_command(subcommand)

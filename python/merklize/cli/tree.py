"""`merklize tree`: build, root, prove, verify, info."""

from __future__ import annotations

import json
import os
from typing import Any

import click

import merklize
from merklize import _native

from . import output
from .options import (
    device_option,
    digest_option,
    json_option,
    leaf_size_near,
    policy_option,
    size_option,
    threads_option,
    timings_option,
)
from .progress import Bar
from .timings import report as report_times
from .timings import seconds

MAX_PROOF = 1 << 16  # bytes; a proof in a tree of 2^64 leaves has about 4 KiB as JSON

leaf_size_option = click.option(
    "--leaf-size", callback=size_option, metavar="SIZE", help="Bytes of FILE a leaf stands for: 4096, 64K, 1MiB."
)


@click.group("tree")
def command() -> None:
    """Binary Merkle trees: build one over a file, prove that a piece is in it, and verify such a proof.

    Leaf k is the BLAKE3 digest of piece k of the file; a parent is the hash of its two children's 64 bytes. The count
    of leaves must be a power of two.
    """


@command.command()
@click.argument("file", metavar="FILE")
@click.option("-o", "--output", "out", metavar="OUT", help="Write the whole tree to this file.")
@leaf_size_option
@click.option("--digests", is_flag=True, help="FILE holds the leaves themselves, 32 bytes each.")
@click.option("--hash", "hash_name", default="blake3", metavar="NAME", help="What merges two nodes (blake3).")
@device_option
@threads_option
@policy_option
@timings_option
@json_option
def build(
    file: str,
    out: str | None,
    leaf_size: int | None,
    digests: bool,
    hash_name: str,
    device: str,
    threads: int,
    policy: dict[str, int | str] | None,
    show_timings: bool,
    as_json: bool,
) -> None:
    """Build the tree over FILE and print its root."""
    times = merklize.Timings() if show_timings else None
    settings = {"device": device, "threads": threads or None, "policy": policy, "timings": times}
    if digests == (leaf_size is not None):
        raise click.UsageError("give either --leaf-size or --digests")
    if out and os.path.exists(out) and os.path.exists(file) and os.path.samefile(file, out):
        raise click.UsageError("OUT is FILE itself")
    if leaf_size is None:
        tree = tree_of_digests(file, hash_name, **settings)
    elif hash_name != "blake3":
        raise click.UsageError("a tree over pieces of a file uses blake3; other hashes take --digests")
    else:
        tree = tree_of_file(file, leaf_size, **settings)
    if out:
        tree.save(out)
    if as_json:
        facts = {"root": tree.root.hex(), "n_leaves": tree.n_leaves, "leaf_size": leaf_size, "hash": tree.hash}
        facts = {"file": output.display(file)} | facts | ({"tree": output.display(out)} if out else {})
        if times is not None:
            facts |= {"device": tree.device, "policy": tree.policy, "timings": seconds([times])}
        output.line(json.dumps(facts))
        return
    output.line(tree.root.hex())
    if times is not None:
        report_times([times])


@command.command()
@click.argument("file", metavar="FILE")
@leaf_size_option
@device_option
@threads_option
@policy_option
@timings_option
def root(
    file: str,
    leaf_size: int | None,
    device: str,
    threads: int,
    policy: dict[str, int | str] | None,
    show_timings: bool,
) -> None:
    """Print the root of the tree file FILE, or with --leaf-size that of the tree over FILE."""
    times = merklize.Timings() if show_timings else None
    if leaf_size is None:
        if policy or times:
            raise click.UsageError("--policy and --timings need --leaf-size: the root of a tree file is only read")
        with merklize.TreeFile(file) as tree:
            found = tree.root
    else:
        settings = {"device": device, "threads": threads or None, "policy": policy, "timings": times}
        found = tree_of_file(file, leaf_size, **settings).root
    output.line(found.hex())
    if times is not None:
        report_times([times])


@command.command()
@click.argument("file", metavar="TREEFILE")
@click.argument("index", type=click.IntRange(min=0))
@click.option("-o", "--output", "out", metavar="OUT", help="Write the proof to this file.")
@click.option("--binary", is_flag=True, help="Compact bytes instead of JSON.")
def prove(file: str, index: int, out: str | None, binary: bool) -> None:
    """Prove that leaf INDEX (from 0) is in the tree."""
    with merklize.TreeFile(file) as tree:
        proof = tree.prove(index)
    data = proof.to_bytes() if binary else proof.to_json().encode() + b"\n"
    if out is None:
        output.write(data)
    else:
        with open(out, "wb") as target:
            target.write(data)


@command.command()
@click.argument("proof", metavar="PROOF")
@click.option("--root", "trusted", callback=digest_option, required=True, metavar="HEX", help="The root you trust.")
@click.option("--leaf-file", "--piece", "piece", metavar="FILE", help="A file with the piece that the leaf stands for.")
@click.option("--index", type=click.IntRange(min=0), help="The leaf must be this one.")
@click.option("--n-leaves", type=click.IntRange(min=0), help="The tree must have this many leaves.")
@click.option("--hash", "hash_name", metavar="NAME", help="The tree must use this hash.")
@json_option
def verify(
    proof: str,
    trusted: bytes,
    piece: str | None,
    index: int | None,
    n_leaves: int | None,
    hash_name: str | None,
    as_json: bool,
) -> None:
    """Verify a proof (JSON or binary; - is standard input) against a root. Exit code 0: valid; 1: not.

    Leaf, index, count of leaves and hash are only what the proof claims: state with the options what you know of them.
    """
    claim = read_proof(proof)
    wrong = [
        name
        for name, known, claimed in (
            ("leaf", None if piece is None else merklize.hash_file(piece), claim.leaf),
            ("index", index, claim.index),
            ("n_leaves", n_leaves, claim.n_leaves),
            ("hash", None if hash_name is None else _native.hash_by_name(hash_name)[1], claim.hash),
        )
        if known is not None and known != claimed
    ]
    if not claim.verify(trusted):
        wrong.append("root")
    facts = {"index": claim.index, "n_leaves": claim.n_leaves, "hash": claim.hash, "leaf": claim.leaf.hex()}
    if as_json:
        output.line(json.dumps({"valid": not wrong, "wrong": wrong, **facts}))
    elif wrong:
        output.line(f"NOT valid: another {', another '.join(wrong)}")
    else:
        output.line(f"valid: leaf {claim.index} of {claim.n_leaves}, {claim.hash}")
    if wrong:
        raise click.exceptions.Exit(1)


@command.command()
@click.argument("file", metavar="TREEFILE")
@click.option("--check", is_flag=True, help="Compute all parents again and compare.")
@json_option
def info(file: str, check: bool, as_json: bool) -> None:
    """Show what a tree file holds."""
    with merklize.TreeFile(file) as tree:
        if check:
            with Bar("checking").part() as report:
                tree.check(progress=report)
    facts = {
        "hash": tree.hash,
        "n_leaves": tree.n_leaves,
        "height": tree.n_leaves.bit_length() - 1,
        "leaf_size": tree.leaf_size,
        "file_size": tree.file_size,
        "root": tree.root.hex(),
    }
    if check:
        facts["checked"] = True
    if as_json:
        output.line(json.dumps({"file": output.display(file), **facts}))
        return
    pieces = f", pieces of {tree.leaf_size} bytes of a file of {tree.file_size}" if tree.leaf_size else ""
    output.line(f"hash    {tree.hash}")
    output.line(f"leaves  {tree.n_leaves}{pieces}")
    output.line(f"height  {facts['height']}")
    output.line(f"root    {tree.root.hex()}")
    if check:
        output.line("check   every parent is the hash of its children")


def tree_of_file(file: str, leaf_size: int, **settings: Any) -> merklize.MerkleTree:
    if leaf_size == 0:
        raise click.UsageError("--leaf-size must be at least 1")
    size = os.stat(file).st_size
    leaves = -(-size // leaf_size)
    if size >= 2 and (leaves < 2 or leaves & (leaves - 1)):
        better = leaf_size_near(size, leaf_size)
        raise output.Failure(
            f"{output.sentence(file)}: {size} bytes make {leaves} leaves of {leaf_size} bytes, but the count must be a "
            f"power of two, 2 or more; the nearest that works is --leaf-size {better} ({-(-size // better)} leaves)"
        )
    with Bar("building the tree").part() as report:
        return merklize.MerkleTree.from_file(file, leaf_size=leaf_size, progress=report, **settings)


def tree_of_digests(file: str, hash_name: str, **settings: Any) -> merklize.MerkleTree:
    import numpy as np

    size = os.stat(file).st_size
    if size % 32:
        raise output.Failure(f"{output.sentence(file)}: {size} bytes are no whole number of 32-byte digests")
    leaves = np.fromfile(file, np.uint8).reshape(-1, 32)
    with Bar("building the tree").part() as report:
        return merklize.MerkleTree(leaves, hash=hash_name, progress=report, **settings)


def read_proof(path: str) -> merklize.MerkleProof:
    """Malformed proofs end the command with code 1, as invalid ones do."""
    with click.open_file(path, "rb") as file:
        data = file.read(MAX_PROOF + 1)
    try:
        if len(data) > MAX_PROOF:
            raise ValueError("too long")
        if data.startswith(b"MKZP"):
            return merklize.MerkleProof.from_bytes(data)
        return merklize.MerkleProof.from_json(data.decode())
    except ValueError as error:
        raise output.Failure(f"{output.sentence(path)}: not a proof: {error}") from None

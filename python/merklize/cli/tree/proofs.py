"""`merklize tree prove` and `verify`."""

from __future__ import annotations

import json
import re
from typing import Any, Union

import click

import merklize
from merklize import _native, proof

from .. import output
from ..options import Count, digest_option, json_option
from .common import hashed, keyed_options, mode_of, require_output_name, word_bytes

MAX_PROOF = 1 << 28  # bytes; a proof of a million leaves of 2^24 has about 300 MB as JSON

Proof = Union[merklize.MerkleProof, merklize.MultiProof, merklize.ConsistencyProof]


@click.command("prove")
@click.argument("file", metavar="TREE")
@click.argument("indices", metavar="[INDEX]...", nargs=-1)
@click.option("--since", type=Count(1), metavar="N", help="Prove that the tree grew from N leaves.")
@click.option("-o", "--output", "out", metavar="PROOF", help="Write the proof to this file.")
@click.option("--binary", is_flag=True, help="Compact bytes instead of JSON.")
def prove(file: str, indices: tuple[str, ...], since: int | None, out: str | None, binary: bool) -> None:
    """Prove that leaves are in the tree. INDEX is a number from 0, or a range: 8-15.

    One INDEX makes a proof of one leaf; several, or a range, one proof of all.
    """
    require_output_name(out)
    if bool(indices) == (since is not None):
        raise click.UsageError("give either an INDEX or --since")
    with merklize.TreeFile(file) as tree:
        made: Proof
        if since is not None:
            made = tree.prove_consistency(since)
        elif len(indices) == 1 and "-" not in indices[0]:
            made = tree.prove(_range(indices[0])[0])
        else:
            made = tree.prove_together([index for text in indices for index in _range(text)])
    data = made.to_bytes() if binary else made.to_json().encode() + b"\n"
    if out is None:
        output.write(data)
    else:
        with output.new_file(out) as target:
            target.write(data)


def _range(text: str) -> range:
    match = re.fullmatch(r"(\d{1,19})(?:-(\d{1,19}))?", text, re.ASCII)
    if match:
        first = int(match[1])
        last = int(match[2]) if match[2] else first
        if first <= last < first + (1 << 24):
            return range(first, last + 1)
    raise click.UsageError(f"{text!r} is no index from 0 and no range such as 8-15 of at most 2^24 leaves")


@click.command("verify")
@click.argument("path", metavar="PROOF")
@click.option("--root", "trusted", callback=digest_option, required=True, metavar="HEX", help="The root you trust.")
@click.option("--old-root", metavar="HEX", help="Of a proof made with --since: the root before.")
@click.option("--leaf-file", "--piece", "piece", metavar="FILE", help="A file with the piece that the leaf stands for.")
@click.option("--index", type=Count(), help="The leaf must be this one.")
@click.option("--n-leaves", type=Count(), help="The tree must have this many leaves.")
@click.option("--hash", "hash_name", metavar="NAME", help="The tree must use this hash.")
@click.option("--rule", metavar="RULE", help="The tree must be of this rule.")
@keyed_options
@json_option
def verify(
    path: str,
    trusted: bytes,
    old_root: str | None,
    piece: str | None,
    index: int | None,
    n_leaves: int | None,
    hash_name: str | None,
    rule: str | None,
    keyed: bool,
    context: str | None,
    as_json: bool,
) -> None:
    """Verify a proof (JSON or binary; - is standard input) against a root. Exit code 0: valid; 1: not.

    Leaves, indices, count of leaves, hash and rule are only claims: state with the options what you know of them.
    """
    mode = mode_of(keyed, context, path)
    claim = read_proof(path)
    known: list[tuple[str, object, object]] = [
        ("n_leaves", n_leaves, getattr(claim, "n_leaves", getattr(claim, "new_leaves", None))),
        ("hash", None if hash_name is None else _native.hash_by_name(hash_name).name, claim.hash),
        ("rule", None if rule is None else _native.rule_by_name(rule), getattr(claim, "rule", "left_full")),
    ]
    if isinstance(claim, merklize.MerkleProof):
        leaf = None if piece is None else _leaf(piece, claim.hash, mode)
        known = [("leaf", leaf, claim.leaf), ("index", index, claim.index), *known]
    elif piece is not None or index is not None:
        raise click.UsageError("--leaf-file and --index are for a proof of one leaf")
    if isinstance(claim, merklize.ConsistencyProof) != (old_root is not None):
        raise click.UsageError("--old-root is for a proof made with --since, and needed there")
    wrong = [name for name, wanted, claimed in known if wanted is not None and wanted != claimed]
    if isinstance(claim, merklize.ConsistencyProof):
        before = digest_option(None, None, old_root)  # type: ignore[arg-type]
        holds = claim.verify(before, trusted, **mode)
    else:
        holds = claim.verify(trusted, **mode)
    if not holds:
        wrong.append("root")
    facts = _facts(claim)
    if as_json:
        output.line(json.dumps({"valid": not wrong, "wrong": wrong, **facts}))
    elif wrong:
        output.line(f"NOT valid: another {', another '.join(wrong)}")
    else:
        output.line(f"valid: {_said(claim)}, {claim.hash}")
    if wrong:
        raise click.exceptions.Exit(1)


def _leaf(piece: str, hash_name: str, mode: dict[str, Any]) -> bytes:
    if hash_name == "blake3":
        return merklize.hash_file(piece, **mode)
    import numpy as np

    with open(piece, "rb") as file:
        data = np.frombuffer(file.read(), np.uint8).reshape(1, -1)
    width = word_bytes(hash_name)
    if data.shape[1] % width:
        raise output.Failure(
            f"{output.sentence(piece)}: {hash_name} takes words of {width} bytes, not {data.shape[1]} bytes"
        )
    leaf: bytes = hashed(data, hash_name, mode, {}).tobytes()
    return leaf


def _facts(claim: Proof) -> dict[str, Any]:
    if isinstance(claim, merklize.MerkleProof):
        return {
            "index": claim.index,
            "n_leaves": claim.n_leaves,
            "hash": claim.hash,
            "rule": claim.rule,
            "leaf": claim.leaf.hex(),
        }
    if isinstance(claim, merklize.MultiProof):
        return {
            "indices": claim.indices.tolist(),
            "n_leaves": claim.n_leaves,
            "hash": claim.hash,
            "rule": claim.rule,
            "leaves": [leaf.tobytes().hex() for leaf in claim.leaves],
        }
    return {"old_leaves": claim.old_leaves, "n_leaves": claim.new_leaves, "hash": claim.hash}


def _said(claim: Proof) -> str:
    if isinstance(claim, merklize.MerkleProof):
        return f"leaf {claim.index} of {claim.n_leaves}"
    if isinstance(claim, merklize.MultiProof):
        return f"{len(claim.indices)} leaves of {claim.n_leaves}"
    return f"{claim.new_leaves} leaves begin with the {claim.old_leaves} of the old root"


def read_proof(path: str) -> Proof:
    """Malformed proofs end the command with code 1, as invalid ones do."""
    with click.open_file(path, "rb") as file:
        data = file.read(MAX_PROOF + 1)
    try:
        if len(data) > MAX_PROOF:
            raise ValueError("too long")
        return proof.from_bytes(data) if data.startswith(b"MKZP") else proof.from_json(data.decode())
    except ValueError as error:
        raise output.Failure(f"{output.sentence(path)}: not a proof: {error}") from None

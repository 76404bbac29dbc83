"""`merklize manifest create` and `refresh`; and `check`, `diff` and `show` of URLs. The program does these of files."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

import click

from merklize.manifests import PIECE_SIZE, Difference, Manifest, manifest

from . import output
from .options import device_option, human_bytes, json_option, output_or_none, size_option, threads_option
from .progress import Bar

ignore_option = click.option(
    "--ignore", multiple=True, metavar="PATTERN", help="Leave out files of a folder of such names, as in a shell."
)
links_option = click.option(
    "--follow-links",
    is_flag=True,
    help="In folders, take links to files for the files, as in the hub's cache.",
)


@click.group()
def command() -> None:
    """Say what weights are, tensor by tensor, under one root; and check that they are."""


@command.command()
@click.argument("path", type=click.UNPROCESSED)
@click.option(
    "-o",
    "--output",
    "target",
    callback=output_or_none,
    metavar="FILE",
    help="Write the manifest here, not to standard output.",
)
@ignore_option
@links_option
@click.option(
    "--piece-size",
    callback=size_option,
    metavar="SIZE",
    help="Place differences in longer tensors to pieces of this size, such as 1M; 0: do not.",
)
@click.option("--portable", is_flag=True, help="Leave out times and inodes of files: refresh then hashes all.")
@device_option
@threads_option
def create(
    path: str,
    target: str | None,
    ignore: tuple[str, ...],
    follow_links: bool,
    piece_size: int | None,
    portable: bool,
    device: str,
    threads: int,
) -> None:
    """Hash PATH: a safetensors file, an index of shards (*.index.json), or a folder."""
    with Bar("hashing").part() as report:
        made = manifest(
            path,
            piece_size=PIECE_SIZE if piece_size is None else piece_size,
            ignore=ignore,
            follow_links=follow_links,
            exclude=target,
            device=device,
            threads=threads or None,
            progress=report,
        )
    if target is None:
        output.write(made.to_json(seen=not portable).encode())
        return
    made.save(target, seen=not portable)
    output.line(f"{made.root.hex()}  {output.sentence(target)}")


@command.command()
@click.argument("file", metavar="MANIFEST", type=click.UNPROCESSED)
@click.argument("path", required=False, type=click.UNPROCESSED)
@click.option(
    "--only",
    multiple=True,
    metavar="PATTERN",
    help="Check only tensors, files, shards of such names, as in a shell.",
)
@links_option
@json_option
@device_option
@threads_option
def check(
    file: str,
    path: str | None,
    only: tuple[str, ...],
    follow_links: bool,
    as_json: bool,
    device: str,
    threads: int,
) -> None:
    """Hash PATH again and name what is not as MANIFEST says. Without PATH: what lies beside the manifest."""
    known = Manifest.load(file)
    with Bar("checking").part() as report:
        found = known.check(
            path if path is not None else beside(file, known),
            only=only,
            follow_links=follow_links,
            device=device,
            threads=threads or None,
            progress=report,
        )
    if as_json:
        fields = {"ok": bool(found), "checked": found.checked, "bytes": found.size, "root": known.root.hex()}
        write_json(fields, found.differences)
    else:
        write_lines(found.differences)
    if not found:
        count = len(found.differences)
        output.complain(f"WARNING: {count} difference{'s' if count > 1 else ''} from {output.sentence(file)}")
        raise click.exceptions.Exit(1)
    if not as_json:
        part = " of it" if only else ""
        output.line(f"OK: {found.checked} tensors and files{part}, {human_bytes(found.size)}, root {known.root.hex()}")


@command.command()
@click.argument("old", type=click.UNPROCESSED)
@click.argument("new", type=click.UNPROCESSED)
@json_option
def diff(old: str, new: str, as_json: bool) -> None:
    """Name the tensors and files in which two manifests differ. Exits with 1 if there are any."""
    first, second = Manifest.load(old), Manifest.load(new)
    differences = first.diff(second)
    if as_json:
        write_json({"old": first.root.hex(), "new": second.root.hex()}, differences)
    else:
        write_lines(differences)
    if differences:
        raise click.exceptions.Exit(1)


@command.command()
@click.argument("file", metavar="MANIFEST", type=click.UNPROCESSED)
@json_option
def show(file: str, as_json: bool) -> None:
    """Say what MANIFEST holds, with the begin of the digest of each tensor and file; --json has all of it."""
    known = Manifest.load(file)
    size = sum(tensor.size for tensor in known.tensors.values()) + sum(one.size for one in known.files.values())
    counts = f"{len(known.tensors)} tensors in {len(known.shards)} shards, {len(known.files)} other files"
    if as_json:
        tensors = [
            {"name": name, "dtype": one.dtype, "shape": list(one.shape), "bytes": one.size, "digest": one.digest.hex()}
            for name, one in known.tensors.items()
        ]
        files = [{"name": name, "bytes": one.size, "digest": one.digest.hex()} for name, one in known.files.items()]
        facts = {"root": known.root.hex(), "kind": known.kind, "bytes": size, "tensors": tensors, "files": files}
        output.line(json.dumps(facts, indent=1))
        return
    output.line(f"root  {known.root.hex()}")
    output.line(f"of    {known.kind}{f' {output.sentence(known.name)}' if known.name else ''}")
    output.line(f"has   {counts}, {human_bytes(size)}")
    for group in known.aliases:
        output.line(f"share memory: {', '.join(map(output.sentence, group))}")
    rows = [("digest", "dtype", "shape", "bytes", "name")]
    rows += [
        (tensor.digest.hex()[:16], tensor.dtype, _cut(str(list(tensor.shape))), str(tensor.size), output.sentence(name))
        for name, tensor in known.tensors.items()
    ]
    rows += [(one.digest.hex()[:16], "", "", str(one.size), output.sentence(path)) for path, one in known.files.items()]
    output.line(output.table(rows, "   r"))


@command.command()
@click.argument("file", metavar="MANIFEST", type=click.UNPROCESSED)
@click.argument("path", required=False, type=click.UNPROCESSED)
@click.option("--all", "everything", is_flag=True, help="Hash all files, not only those that changed.")
@links_option
@device_option
@threads_option
def refresh(file: str, path: str | None, everything: bool, follow_links: bool, device: str, threads: int) -> None:
    """Write MANIFEST again from PATH, hashing only files whose size, time of the last write or inode changed."""
    known = Manifest.load(file)
    with Bar("hashing").part() as report:
        made, hashed, kept = known.refresh(
            path if path is not None else beside(file, known),
            everything=everything,
            follow_links=follow_links,
            device=device,
            threads=threads or None,
            progress=report,
        )
    made.save(file)
    for name in hashed:
        output.line(f"hashed  {output.sentence(name)}")
    kept_text = f"{len(kept)} kept, whose size, time and inode are the same"
    output.line(f"{len(hashed)} of {len(hashed) + len(kept)} files hashed; {kept_text}")
    write_lines(known.diff(made))
    output.line(f"{made.root.hex()}  {output.sentence(file)}")


def beside(file: str, known: Manifest) -> str:
    """What a manifest is of, if it was left where that is."""
    if known.kind == "tensors":
        raise click.UsageError("the manifest is of tensors in memory: PATH must say what to check")
    folder = os.path.dirname(file) or "."
    return folder if known.name is None else os.path.join(folder, known.name)


def write_lines(differences: Sequence[Difference]) -> None:
    for one in differences:
        output.line(output.sentence(str(one)))


def write_json(fields: dict[str, Any], differences: Sequence[Difference]) -> None:
    output.line(json.dumps({**fields, "differences": [one._asdict() for one in differences]}, indent=1))


def _cut(text: str) -> str:
    return text if len(text) <= 200 else text[:197] + "..."

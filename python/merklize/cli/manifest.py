"""`merklize manifest create` and `refresh`. The program itself has the other commands of this group."""

from __future__ import annotations

import os

import click

from merklize.manifests import PIECE_SIZE, Manifest, manifest

from . import output
from .options import device_option, size_option, threads_option
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
@click.option("-o", "--output", "target", metavar="FILE", help="Write the manifest here, not to standard output.")
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
@click.option("--all", "everything", is_flag=True, help="Hash all files, not only those that changed.")
@links_option
@device_option
@threads_option
def refresh(file: str, path: str | None, everything: bool, follow_links: bool, device: str, threads: int) -> None:
    """Write MANIFEST anew from PATH, hashing only files whose size, time of the last write or inode changed."""
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
    for one in known.diff(made):
        output.line(output.sentence(str(one)))
    output.line(f"{made.root.hex()}  {output.sentence(file)}")


def beside(file: str, known: Manifest) -> str:
    """What a manifest is of, if it was left where that is."""
    if known.kind == "tensors":
        raise click.UsageError("the manifest is of tensors in memory: PATH must say what to check")
    folder = os.path.dirname(file) or "."
    return folder if known.name is None else os.path.join(folder, known.name)

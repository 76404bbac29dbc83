"""`merklize demo`: the main jobs on real input, how fast they went, and a check of every answer that is known."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeVar

import click

import merklize
from merklize import _native

from . import output
from .options import device_option, human_bytes, json_option, leaf_size_near, threads_option
from .progress import Bar
from .timings import human_time

# Roots of trees whose n leaves are the first 32 n bytes of BLAKE3's extendable output of "leaves"; for Rescue Prime
# with the top bit of every word cleared, which makes it a field element. Computed without this library: by the official
# BLAKE3, and by docs/hashes.md written out in plain Python integers.
KNOWN_ROOTS = {
    ("blake3", 1 << 20): "ede5e0f06e7f756c19cc86c73599183cef05c130613a1ae1faf1d7c564ce2696",
    ("rp64_256_v1", 1 << 16): "aad54112f2b8425d9b2c7b5b1abfce268dbfe6de7345dfb259f275f7fab7a904",
    ("rp64_256_v2", 1 << 16): "95a1e8ddeb05b61fd43941fd8d4632196355c33a986fa14654c771d14e10b8b4",
    ("rp64_256_v3", 1 << 16): "3f686ba332e4976e51bdcc35dc0d1b4a3b8181a56dab1187625a8ba7b1ef733a",
}
LEAF_SIZE = 4096  # about, in the tree over the file

T = TypeVar("T")


class Row(NamedTuple):
    """One job that ran."""

    job: str
    size: str
    seconds: float
    rate: str
    answer: str
    ok: bool


@click.command("demo")
@click.option("--file", metavar="FILE", help="Use this file; else the largest library that this Python has loaded.")
@device_option
@threads_option
@json_option
def command(file: str | None, device: str, threads: int, as_json: bool) -> None:
    """Hash a file, build Merkle trees, prove and verify a leaf; show how long each took, and check the answers."""
    settings: dict[str, Any] = {"device": device, "threads": threads or None}
    merklize.hash(b"", **settings)  # wakes the threads up; and a device that cannot be used is said now
    file = file or largest_library()
    used = merklize.DeviceInfo(*_native.device(device))
    if not as_json:
        output.line(
            f"merklize {merklize.__version__} hashes {output.sentence(file)} and builds binary Merkle trees on "
            f"{used.id}: {used.name}, {used.isa}, {threads or used.units} threads.\n"
        )
    rows = [*file_jobs(file, settings), *tree_jobs(settings)]
    wrong = [row.job for row in rows if not row.ok]
    if as_json:
        jobs = [{"device": used.id, **row._asdict()} for row in rows]
        output.line(json.dumps({"version": merklize.__version__, "file": output.display(file), "jobs": jobs}, indent=2))
    else:
        head = ("device", "job", "size", "time", "rate", "root or digest")
        body = [(used.id, r.job, r.size, human_time(r.seconds), r.rate, shortened(r.answer)) for r in rows]
        output.line(output.table([head, *body], right="  rrr"))
        right = "Every answer known beforehand came out right. Go on with: merklize hash FILE, merklize tree --help."
        output.line(f"\nWRONG: {', '.join(wrong)}" if wrong else f"\n{right}")
    if wrong:
        raise click.exceptions.Exit(1)


def file_jobs(file: str, settings: dict[str, Any]) -> Iterator[Row]:
    size = os.path.getsize(file)
    if size < 2:
        raise output.Failure(f"{output.sentence(file)}: a tree needs a file of at least 2 bytes, this one has {size}")
    with Bar("hashing").part() as report:
        digest, seconds = timed(merklize.hash_file, file, progress=report, **settings)
    yield Row("hash the file", human_bytes(size), seconds, byte_rate(size, seconds), digest.hex(), True)

    leaf_size = leaf_size_near(size, LEAF_SIZE)
    with Bar("building the tree").part() as report:
        tree, seconds = timed(merklize.MerkleTree.from_file, file, leaf_size=leaf_size, progress=report, **settings)
    leaves = f"{tree.n_leaves:,} leaves of {human_bytes(leaf_size)}"
    yield Row("tree over the file", leaves, seconds, byte_rate(size, seconds), tree.root.hex(), True)

    index = tree.n_leaves // 2
    with open(file, "rb") as pieces:
        pieces.seek(index * leaf_size)
        leaf = merklize.hash(pieces.read(leaf_size))
    proof, proving = timed(tree.prove, index)
    valid, verifying = timed(proof.verify, tree.root)
    forged = bytearray(proof.to_bytes())
    forged[-1] ^= 1
    valid = valid and proof.leaf == leaf and not merklize.MerkleProof.from_bytes(bytes(forged)).verify(tree.root)
    steps = f"{len(proof.siblings)} steps up"
    yield Row(f"prove leaf {index}, verify", steps, proving + verifying, "", "valid" if valid else "NOT valid", valid)


def tree_jobs(settings: dict[str, Any]) -> Iterator[Row]:
    import numpy as np

    n_most = max(n for _, n in KNOWN_ROOTS)
    words = np.frombuffer(merklize.hash(b"leaves", length=32 * n_most, **settings), "<u8").reshape(-1, 4)
    for (name, n), known in KNOWN_ROOTS.items():
        leaves = words[:n] if name == "blake3" else words[:n] & np.uint64(2**63 - 1)
        with Bar(f"building a tree by {name}").part() as report:
            tree, seconds = timed(merklize.MerkleTree, leaves, hash=name, progress=report, **settings)
        rate = f"{(n - 1) / seconds / 1e6:.3g} M merges/s"
        yield Row(f"tree by {name}", f"{n:,} leaves", seconds, rate, tree.root.hex(), tree.root.hex() == known)


def largest_library() -> str:
    """A file of some size that is surely there: the largest of the interpreter and the libraries that it has loaded."""
    import numpy as np  # noqa: F401  has large ones

    loaded = {getattr(module, "__file__", None) or "" for module in list(sys.modules.values())}
    return max({sys.executable, *filter(is_library, loaded)}, key=os.path.getsize)


def is_library(path: str) -> bool:
    return path.endswith((".so", ".dylib", ".pyd")) and os.path.isfile(path)


def timed(work: Callable[..., T], *arguments: Any, **settings: Any) -> tuple[T, float]:
    start = time.perf_counter()
    result = work(*arguments, **settings)
    return result, time.perf_counter() - start


def byte_rate(size: int, seconds: float) -> str:
    return f"{size / seconds / 1e9:.3g} GB/s"


def shortened(answer: str) -> str:
    return f"{answer[:16]}..." if len(answer) > 16 else answer

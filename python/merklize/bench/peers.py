"""The same work by published packages and programs: `merklize bench --peers`.

A peer says which version is here, or why it is missing, which jobs it does, and makes a call of a job that gives its
seconds and an answer to compare.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import platform
import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import merklize

from . import array_merges
from .programs import find_program
from .suites import Job

Work = Callable[[], "tuple[float, bytes | None]"]
"""Seconds, and the answer; None: the answer is not comparable with that of the library."""


class Missing(Exception):
    """A peer is not installed; the text says how to get it."""


class Peer(ABC):
    """The base of all peers. `most`: log2 of the largest job for this peer."""

    name = ""
    threaded = True
    """Whether the peer takes a number of threads."""
    warms_up = False
    """Whether the call runs once more, off the clock, before it is timed."""
    on_device = False
    """Whether the peer works on data in a GPU's memory, and is compared with the library's call there."""
    most = 40

    @property
    @abstractmethod
    def version(self) -> str:
        """Raises Missing."""

    @abstractmethod
    def does(self, job: Job) -> bool:
        """Whether the peer has this job."""

    @abstractmethod
    def work(self, job: Job, threads: int) -> Work:
        """Prepare, off the clock."""


def _module(name: str, package: str | None = None) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise Missing(f"not installed: pip install {package or name}") from None


def _timed(call: Callable[[], bytes], compare: bool = True) -> Work:
    def work() -> tuple[float, bytes | None]:
        start = time.perf_counter()
        answer = call()
        return time.perf_counter() - start, answer if compare else None

    return work


class Blake3Package(Peer):
    """The official implementation's package for Python: memory, a file that is mapped, and a stream."""

    name = "blake3 (PyPI)"

    @cached_property
    def version(self) -> str:
        return str(_module("blake3").__version__)

    def does(self, job: Job) -> bool:
        jobs = {("blake3-hash", "digest"), ("files", "one file"), ("stream", "Hasher")}
        return (job.suite, job.name) in jobs or (job.suite == "hash-each" and job.data is not None)

    def work(self, job: Job, threads: int) -> Work:
        blake3 = _module("blake3").blake3
        if job.suite == "files":
            return _timed(lambda: bytes(blake3(max_threads=threads).update_mmap(job.data[0]).digest()))
        if job.suite == "hash-each":
            return _timed(lambda: bytes(blake3(b"".join([blake3(one).digest() for one in job.data])).digest()))
        view = memoryview(job.data)
        piece = 1 << 20 if job.suite == "stream" else max(len(view), 1)

        def feed() -> bytes:
            hasher = blake3(max_threads=threads)
            for first in range(0, len(view), piece):
                hasher.update(view[first : first + piece])
            return bytes(hasher.digest())

        return _timed(feed)


class B3sum(Peer):
    """The official command, as a whole process."""

    name = "b3sum"

    @cached_property
    def version(self) -> str:
        if find_program("b3sum") is None:
            raise Missing("not on PATH: cargo install b3sum")
        return _said("b3sum", "--version").split()[-1]

    def does(self, job: Job) -> bool:
        return job.suite == "files"

    def work(self, job: Job, threads: int) -> Work:
        def answer() -> bytes:
            lines = _said("b3sum", "--num-threads", str(threads), "--no-names", *job.data).split()
            digests = b"".join(map(bytes.fromhex, lines))
            return digests if job.name == "one file" else merklize.hash(digests, device="cpu")

        return _timed(answer)


class _PythonsOwn(Peer):
    """Python's own library (OpenSSL): another hash, as a scale."""

    threaded = False

    @cached_property
    def version(self) -> str:
        return platform.python_version()


class Hashlib(_PythonsOwn):
    """SHA-256 of the same bytes."""

    name = "hashlib sha256"

    def does(self, job: Job) -> bool:
        return (job.suite, job.name) == ("blake3-hash", "digest")

    def work(self, job: Job, threads: int) -> Work:
        return _timed(lambda: hashlib.sha256(job.data).digest(), compare=False)


class Blake2b(_PythonsOwn):
    """A loop over the messages by BLAKE2b."""

    name = "hashlib blake2b"

    def does(self, job: Job) -> bool:
        return job.suite == "hash-each" and job.data is not None

    def work(self, job: Job, threads: int) -> Work:
        return _timed(lambda: b"".join([hashlib.blake2b(one).digest() for one in job.data]), compare=False)


class Pymerkle(Peer):
    """Trees by RFC 6962 in Python."""

    name = "pymerkle"
    threaded = False
    most = 16

    @cached_property
    def version(self) -> str:
        return str(_module("pymerkle").__version__)

    def does(self, job: Job) -> bool:
        return job.suite == "sha256-merklize"

    def work(self, job: Job, threads: int) -> Work:
        entries = [record.tobytes() for record in job.data]

        def root() -> bytes:
            tree = _module("pymerkle").InmemoryTree(algorithm="sha256")
            tree.append_entries(entries)
            return bytes(tree.get_root())

        return _timed(root)


class RustPeer(Peer):
    """A job of the program bench/peers, which makes the same leaves as the suites (bench/peers/README.md)."""

    package = ""
    warms_up = True

    def __init__(self, program: RustProgram) -> None:
        self._program = program

    @cached_property
    def version(self) -> str:
        return str(self._program.versions[self.package])

    @abstractmethod
    def arguments(self, job: Job) -> tuple[str, ...]:
        """Return the arguments of the program for this job."""

    def work(self, job: Job, threads: int) -> Work:
        command = (*self.arguments(job), "--repeats", "1", "--threads", str(threads))

        def work() -> tuple[float, bytes | None]:
            row = json.loads(_said(self._program.path, *command))
            return row["seconds"][0], bytes.fromhex(row["root"]) if "root" in row else None

        return work


class HashMany(RustPeer):
    """A loop over the official crate's hash_many(), which is not public: as fast as its assembly makes trees."""

    name = "blake3 hash_many"
    package = "blake3"

    def does(self, job: Job) -> bool:
        return job.suite == "blake3-merklize" and job.log2 > 0

    def arguments(self, job: Job) -> tuple[str, ...]:
        return ("hash-many-tree", "--log2-leaves", str(job.log2))


class Winterfell(RustPeer):
    """Trees of winter-crypto."""

    name = "winter-crypto"
    package = "winter-crypto"

    def does(self, job: Job) -> bool:
        return (
            job.suite in ("blake3-merklize", "rescue-merklize")
            and job.hash in ("blake3", "rp64_256_v3")
            and job.log2 > 0
        )

    def arguments(self, job: Job) -> tuple[str, ...]:
        name = job.hash.removesuffix("_v3")  # the crate has today's version
        return ("winterfell-tree", "--hash", name, "--log2-leaves", str(job.log2))


class WinterfellMerges(RustPeer):
    """Independent merges, by today's release or the one with the first Rescue Prime, on pairs of its own."""

    threaded = False
    most = 20

    def __init__(self, program: RustProgram, variant: str) -> None:
        super().__init__(program)
        self._variant = variant
        self.name = "winter-crypto"
        self.package = "winter-crypto v1" if variant == "v1" else "winter-crypto"

    def does(self, job: Job) -> bool:
        return (job.suite, job.name, job.hash) == ("rescue-hash", "merge", f"rp64_256_{self._variant}")

    def arguments(self, job: Job) -> tuple[str, ...]:
        return ("rp64-merge", "--variant", self._variant, "--merges", str(job.n))


class RustProgram:
    """The program that MERKLIZE_PEERS names; or its folder, bench/peers of a checkout, which cargo builds at first use.

    It is not looked for in the working directory, because cargo runs what the folder says.
    """

    @cached_property
    def path(self) -> str:
        named = os.environ.get("MERKLIZE_PEERS")
        if not named:
            raise Missing("MERKLIZE_PEERS must name bench/peers of a checkout, or the program built from it")
        if not os.path.isdir(named):
            return named
        if find_program("cargo") is None:
            raise Missing("no cargo on PATH to build bench/peers with: https://rustup.rs")
        named = os.path.abspath(named)
        manifest, target = os.path.join(named, "Cargo.toml"), os.path.join(named, "target")
        flags = os.environ.get("RUSTFLAGS", "-C target-cpu=native")
        command = ("cargo", "build", "--quiet", "--release", "--manifest-path", manifest, "--target-dir", target)
        # cargo also reads a .cargo/config.toml of the working directory.
        _said(*command, environment={**os.environ, "RUSTFLAGS": flags}, folder=named)
        return os.path.join(target, "release", "peers")

    @cached_property
    def versions(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(_said(self.path, "versions"))
        return found


def _said(program: str, *words: str, environment: dict[str, str] | None = None, folder: str | None = None) -> str:
    """Return the standard output of a program. Raises Missing with the end of its error output."""
    found = find_program(program)
    if found is None:
        raise Missing(f"{program}: no such program")
    command, none = (found, *words), subprocess.DEVNULL
    try:
        done = subprocess.run(command, stdin=none, capture_output=True, text=True, env=environment, cwd=folder)
    except OSError as error:
        raise Missing(f"{program}: {error.strerror}") from None
    if done.returncode != 0:
        complaint = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise Missing(f"{os.path.basename(program)} {words[0]} failed: {complaint[-1]}")
    return done.stdout


class ArrayLibrary(Peer):
    """Levels of a tree as array operations, which is what a program with PyTorch or CuPy alone can do on a GPU."""

    threaded = False
    on_device = True

    def __init__(self, module: str, **place: str) -> None:
        self.name = module
        self._place = place

    @cached_property
    def version(self) -> str:
        library = _module(self.name)
        if not library.cuda.is_available():
            raise Missing("it finds no GPU")
        return str(library.__version__)

    def does(self, job: Job) -> bool:
        return job.suite == "blake3-merklize" and job.log2 > 0

    def work(self, job: Job, threads: int) -> Work:
        import numpy as np

        library = _module(self.name)
        leaves = library.asarray(job.data.view("<i4"), **self._place)
        # Copying the root to the host waits for all commands before it.
        return _timed(lambda: np.array(array_merges.root(library, leaves).tolist(), "<i4").tobytes())


def all_peers() -> tuple[Peer, ...]:
    """Return all peers in the order of the tables. Nothing is imported or built before a version is wanted."""
    program = RustProgram()
    return (
        Blake3Package(),
        Hashlib(),
        Blake2b(),
        B3sum(),
        HashMany(program),
        Winterfell(program),
        *(WinterfellMerges(program, variant) for variant in ("v1", "v3")),
        Pymerkle(),
        ArrayLibrary("torch", device="cuda"),
        ArrayLibrary("cupy"),
    )


def for_job(peers: tuple[Peer, ...], job: Job, device: str, again: bool) -> Iterator[Peer]:
    """Yield the peers that have a job.

    again  a second pass, by more threads: only those that take a count
    """
    for peer in peers:
        fits_device = device.startswith("cuda") or not peer.on_device
        if job.choice.policy is None and fits_device and (peer.threaded or not again) and peer.does(job):
            yield peer

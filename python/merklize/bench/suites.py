"""The jobs of each suite.

A job is one thing to measure: input made once, a call that runs on the device and gives an answer, and the answer that
the CPU gives. Its sizes are log2 of leaves, rows or bytes.
"""

from __future__ import annotations

import bisect
import itertools
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Optional

import merklize
from merklize.extensions import device_rows
from merklize.tuning import Timings, options

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

P = 2**64 - 2**32 + 1  # the field of Rescue Prime
FIELD_HASHES = ("rp64_256_v1", "rp64_256_v3")

Policy = Optional[dict[str, "int | str"]]
Call = Callable[..., bytes]
"""Takes Timings or None, and for a job with policies, choice=: another policy."""


class Choice(NamedTuple):
    """A policy and its name in tables."""

    name: str
    policy: Policy


TUNED = Choice("tuned", None)
# The approaches of the originals, as docs/benchmarks.md lists them.
APPROACHES = (
    Choice("approach 1", {"levels_per_launch": 1, "constants": "global"}),
    Choice("approach 2", {"levels_per_launch": 8, "group_size": 128, "constants": "global"}),
    Choice("approach 3", {"levels_per_launch": 1, "constants": "local"}),
)
BY_LEVEL = Choice("level by level", {"levels_per_launch": 1})
LANES = tuple(Choice(f"{n} chunk{'s' * (n > 1)} an item", {"lanes": n}) for n in (1, 2, 4, 8, 16))


class Job(NamedTuple):
    """One row of a table.

    resident  on data that is in the device's memory; None where that is nothing of its own
    host      from host memory and back to it
    expected  the answer of both, by the CPU
    data      the input of `host`, for those who do the same work otherwise (peers.py): arrays, or paths
    """

    suite: str
    name: str
    hash: str
    choice: Choice
    log2: int
    n: int
    unit: str
    resident: Call | None
    host: Call | None
    expected: Callable[[], bytes]
    data: Any = None


def with_choice(job: Job, choice: Choice) -> Job:
    """Return the same work by another policy, for jobs that have policies."""
    calls = (None if call is None else partial(call, choice=choice) for call in (job.resident, job.host))
    resident, host = calls
    return job._replace(choice=choice, resident=resident, host=host)


class Wish(NamedTuple):
    """The user's choices. None: all that the suite has."""

    device: str
    sizes: tuple[int, ...] | None = None
    hashes: tuple[str, ...] | None = None
    choices: tuple[Choice, ...] | None = None
    threads: int | None = None


def _sizes(wish: Wish, usual: range) -> tuple[int, ...]:
    return wish.sizes or tuple(usual)


def _choices(wish: Wish, all_of_them: tuple[Choice, ...]) -> tuple[Choice, ...]:
    # The CPU has fixed lanes and no groups, so all choices are the same.
    if wish.choices is None and wish.device == "cpu":
        return (TUNED,)
    return wish.choices or all_of_them


def _hashes(wish: Wish, usual: tuple[str, ...]) -> tuple[Any, ...]:
    return tuple(h for h in usual if wish.hashes is None or h in wish.hashes)


def random_bytes(n: int, what: str) -> NDArray[np.uint8]:
    """Return fresh bytes that look random, the same on all machines. Raises MemoryError if there is not enough memory.

    A system that promises more memory than it has would kill the process instead.
    """
    import numpy as np

    memory = merklize.devices()[0].memory_bytes
    if n > memory:
        raise MemoryError(f"{n} bytes are more than the {memory} bytes of memory")
    return np.frombuffer(merklize.hash(what.encode(), length=n, device="cpu"), np.uint8)


def random_leaves(n: int, hash: str) -> Any:
    """Return leaves: uint8[n, 32], or field elements uint64[n, 4]."""
    import numpy as np

    data = random_bytes(32 * n, "leaves")
    return data.view("<u8").reshape(n, 4) % np.uint64(P) if hash in FIELD_HASHES else data.reshape(n, 32)


def _on(device: str, array: Any) -> Any:
    return None if device == "cpu" else merklize.DeviceArray.from_numpy(array, device)


def blake3_hash(wish: Wish) -> Iterator[Job]:
    """Digests of 64 MiB to 1 GiB: one chunk an item, 2 to 16 as lanes of a vector, and tuned."""
    for log2 in _sizes(wish, range(26, 31)):
        data = random_bytes(1 << log2, "data")
        there = _on(wish.device, data)
        expected = partial(merklize.hash, data, device="cpu")
        for choice in _choices(wish, (*LANES, TUNED)):

            def host(
                timings: Timings | None, data: Any = data, choice: Choice = choice, device: str = wish.device
            ) -> bytes:
                with options(policy=choice.policy, timings=timings):
                    return merklize.hash(data, device=device, threads=wish.threads)

            resident = None if there is None else partial(host, data=there, device="auto")
            yield Job(
                "blake3-hash", "digest", "blake3", choice, log2, 1 << log2, "bytes", resident, host, expected, data
            )


def _tree_jobs(wish: Wish, suite: str, hash: Any, usual: range, choices: tuple[Choice, ...]) -> Iterator[Job]:
    import numpy as np

    for log2 in _sizes(wish, usual):
        n = 1 << log2
        nodes = np.concatenate([np.zeros_like(random_leaves(n, hash)), random_leaves(n, hash)])
        there = _on(wish.device, nodes)
        expected = partial(merklize.merkle_root, nodes[n:].copy(), hash, device="cpu")
        for choice in _choices(wish, choices):

            def host(timings: Timings | None, nodes: Any = nodes, choice: Choice = choice) -> bytes:
                with options(policy=choice.policy, timings=timings):
                    merklize.build_tree(nodes, hash, device=wish.device, threads=wish.threads)
                root: bytes = nodes[1].tobytes()
                return root

            def resident(timings: Timings | None, nodes: Any = there, choice: Choice = choice) -> bytes:
                with options(policy=choice.policy, timings=timings):
                    merklize.build_tree(nodes, hash)
                return merklize.DeviceArray.numpy(device_rows(nodes, 1, 1)).tobytes()

            inside = None if there is None else resident
            yield Job(suite, "tree", hash, choice, log2, n - 1, "merges", inside, host, expected, nodes[n:])


def blake3_merklize(wish: Wish) -> Iterator[Job]:
    """Trees of 2^20 to 2^25 leaves."""
    for hash in _hashes(wish, ("blake3",)):
        yield from _tree_jobs(wish, "blake3-merklize", hash, range(20, 26), (BY_LEVEL, TUNED))


def rescue_merklize(wish: Wish) -> Iterator[Job]:
    """Trees of 2^20 to 2^24 leaves, by the three approaches of the originals and tuned."""
    for hash in _hashes(wish, FIELD_HASHES):
        yield from _tree_jobs(wish, "rescue-merklize", hash, range(20, 25), (*APPROACHES, TUNED))


def sha256_merklize(wish: Wish) -> Iterator[Job]:
    """Roots by RFC 6962 of 2^10 to 2^20 records of 32 bytes, which are hashed to leaves first."""
    for hash in _hashes(wish, ("sha256_rfc6962",)):
        for log2 in _sizes(wish, range(10, 21, 5)):
            n = 1 << log2
            records = random_bytes(32 * n, "leaves").reshape(n, 32)

            def root(_: object, device: str = wish.device, records: Any = records, hash: Any = hash) -> bytes:
                leaves = merklize.hash_leaves(records, hash, device=device, threads=wish.threads)
                return merklize.merkle_root(leaves, hash, device=device, threads=wish.threads)

            expected = partial(root, None, device="cpu")
            yield Job("sha256-merklize", "root", hash, TUNED, log2, n - 1, "merges", None, root, expected, records)


def rescue_hash(wish: Wish) -> Iterator[Job]:
    """Grids of 128x128 to 4096x4096 independent hash_rows() of 8 elements, and merges."""
    import numpy as np

    for hash in _hashes(wish, FIELD_HASHES):
        for log2 in _sizes(wish, range(14, 25, 2)):
            n = 1 << log2
            rows = (random_bytes(64 * n, "rows").view("<u8") % np.uint64(P)).reshape(n, 8)
            left, right = rows[:, :4].copy(), rows[:, 4:].copy()
            there = [_on(wish.device, part) for part in (rows, left, right)]
            for choice in _choices(wish, (TUNED,)):
                for name, host_data, device_data in (
                    ("hash_rows", (rows,), there[:1]),
                    ("merge", (left, right), there[1:]),
                ):

                    def call(
                        timings: Timings | None,
                        data: Any = host_data,
                        name: str = name,
                        choice: Choice = choice,
                        device: str = wish.device,
                        hash: Any = hash,
                    ) -> bytes:
                        work = getattr(merklize, name)
                        with options(policy=choice.policy, timings=timings):
                            out = work(*data, hash, device=device, threads=wish.threads)
                        return merklize.hash(out)

                    inside = None if there[0] is None else partial(call, data=device_data, device="auto")
                    expected = partial(call, None, device="cpu", choice=TUNED)
                    yield Job(
                        "rescue-hash", name, hash, choice, log2, n, "permutations", inside, call, expected, host_data
                    )


def proofs(wish: Wish) -> Iterator[Job]:
    """One proof of 100 000 random leaves together."""
    import numpy as np

    for hash in _hashes(wish, ("blake3",)):
        for log2 in _sizes(wish, range(24, 25)):
            tree = merklize.MerkleTree(random_leaves(1 << log2, hash), hash, device=wish.device, threads=wish.threads)
            count = min(100_000, 1 << (log2 - 1))
            indices = np.random.default_rng(1).choice(1 << log2, count, replace=False).astype(np.uint64)

            def prove(_: object, tree: merklize.MerkleTree = tree, indices: Any = indices) -> bytes:
                return merklize.hash(tree.prove_together(indices).siblings)

            def expected(log2: int = log2, prove: Any = prove, hash: Any = hash) -> bytes:
                return bytes(prove(None, tree=merklize.MerkleTree(random_leaves(1 << log2, hash), hash, device="cpu")))

            yield Job("proofs", "prove together", hash, TUNED, log2, count, "leaves", None, prove, expected)


def update(wish: Wish) -> Iterator[Job]:
    """10 000 random leaves of a tree replaced."""
    import numpy as np

    for hash in _hashes(wish, ("blake3", "rp64_256_v3")):
        for log2 in _sizes(wish, range(24, 25) if hash == "blake3" else range(20, 21)):
            leaves = random_leaves(1 << log2, hash)
            tree = merklize.MerkleTree(leaves, hash, device=wish.device, threads=wish.threads)
            count = min(10_000, 1 << (log2 - 1))
            indices = np.random.default_rng(1).choice(1 << log2, count, replace=False).astype(np.uint64)
            new = random_leaves(count, hash)

            def change(_: object, tree: merklize.MerkleTree = tree, indices: Any = indices, new: Any = new) -> bytes:
                tree.update(indices, new)
                return tree.root

            def expected(leaves: Any = leaves, indices: Any = indices, new: Any = new, hash: Any = hash) -> bytes:
                changed = leaves.copy()
                changed[indices] = new
                return merklize.merkle_root(changed, hash, device="cpu")

            yield Job("update", "update", hash, TUNED, log2, count, "leaves", None, change, expected)


def files(wish: Wish) -> Iterator[Job]:
    """Files in the page cache: one of 2^log2 bytes, and as many bytes in files of 16 KiB, at most 4096."""
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="merklize-bench-"))
        for log2 in _sizes(wish, range(26, 31, 4)):
            data = random_bytes(1 << log2, "data")
            path = os.path.join(folder, f"one-{log2}")
            data.tofile(path)

            def one(timings: Timings | None, path: str = path) -> bytes:
                with options(timings=timings):
                    return merklize.hash_file(path, device=wish.device, threads=wish.threads)

            digest = partial(merklize.hash, data)
            yield Job("files", "one file", "blake3", TUNED, log2, 1 << log2, "bytes", None, one, digest, [path])
            os.unlink(path)
            small = [os.path.join(folder, f"{i}") for i in range(min(4096, max(1, (1 << log2) >> 14)))]
            for i, name in enumerate(small):
                data[i << 14 : (i + 1) << 14].tofile(name)

            def many(_: object, names: list[str] = small) -> bytes:
                found = merklize.hash_files(names, device=wish.device, threads=wish.threads)
                return merklize.hash(b"".join(digest for digest in found if isinstance(digest, bytes)))

            def expected(data: Any = data, count: int = len(small)) -> bytes:
                digests = [merklize.hash(data[i << 14 : (i + 1) << 14]) for i in range(count)]
                return merklize.hash(b"".join(digests))

            size = min(1 << log2, len(small) << 14)
            yield Job(
                "files",
                f"{len(small)} files",
                "blake3",
                TUNED,
                size.bit_length() - 1,
                size,
                "bytes",
                None,
                many,
                expected,
                small,
            )


# Tensors of a language model of 8 billion parameters (Llama 3.1 8B's shapes, bf16), in bytes: about 300 of them.
_LAYER = (4096 * 4096, 1024 * 4096, 1024 * 4096, 4096 * 4096, *3 * (14336 * 4096,), 4096, 4096)
MODEL_8B = [2 * n for n in (128256 * 4096, *32 * _LAYER, 4096, 128256 * 4096)]
_KIB = 1 << 10


def _lengths(name: str) -> list[int]:
    """Return the lengths of the messages of a job of hash_each, the same on all machines."""
    import numpy as np

    random = np.random.default_rng(1)
    if name == "100 B to 4 KiB":
        return [int(n) for n in random.integers(100, 4097, 100_000)]
    if name == "100 B to 4 KiB, mostly short":
        return [int(n) for n in np.exp(random.uniform(np.log(100), np.log(4096), 100_000))]
    if name == "around 64 KiB":
        return [int(n) for n in random.integers(60 * _KIB, 68 * _KIB, 1000)]
    if name == "1,000 of 4 KiB":
        return [4 * _KIB] * 1000
    return [64 * _KIB] * 10_000 if name == "10,000 of 64 KiB" else MODEL_8B


def _repeated(data: Any, size: int) -> Any:
    import numpy as np

    return np.resize(data, size)


def hash_each(wish: Wish) -> Iterator[Job]:
    """Messages of different lengths in one call, and one digest of as many bytes."""
    on_cpu = wish.device == "cpu"
    names = ["100 B to 4 KiB", "100 B to 4 KiB, mostly short", "around 64 KiB"]
    if not on_cpu:
        names = ["1,000 of 4 KiB", "around 64 KiB", "10,000 of 64 KiB", "a model of 8B"]
    for name in names:
        lengths = _lengths(name)
        if wish.sizes:  # the first messages, up to so many bytes
            ends = [0, *itertools.accumulate(lengths)]
            lengths = lengths[: max(bisect.bisect_right(ends, 1 << wish.sizes[-1]) - 1, 0)]
        size = sum(lengths)
        if size == 0:
            continue
        data = random_bytes(min(size, 1 << 30), "data")
        if size > len(data):  # a large model repeats its first bytes
            data = _repeated(data, size)
        ends = [0, *itertools.accumulate(lengths)]
        messages: list[Any] = (
            [data[first : first + length].tobytes() for first, length in zip(ends, lengths)] if on_cpu else []
        )
        there = _on(wish.device, data)
        if there is not None:
            messages = [device_rows(there, first, length) for first, length in zip(ends, lengths)]

        def each(timings: Timings | None, messages: list[Any] = messages) -> bytes:
            with options(timings=timings):
                digests = merklize.hash_each(messages, threads=wish.threads)
            return merklize.hash(digests, device="cpu", threads=1)

        def one(timings: Timings | None, data: Any = data if there is None else there) -> bytes:
            with options(timings=timings):
                return merklize.hash(data, threads=wish.threads)

        def expected(data: Any = data, ends: list[int] = ends, lengths: list[int] = lengths) -> bytes:
            digests = [merklize.hash(data[first : first + n], device="cpu") for first, n in zip(ends, lengths)]
            return merklize.hash(b"".join(digests), device="cpu", threads=1)

        whole = partial(merklize.hash, data, device="cpu")
        log2 = size.bit_length() - 1
        job = Job("hash-each", name, "blake3", TUNED, log2, size, "bytes", None, None, expected, messages)
        yield job._replace(host=each) if on_cpu else job._replace(host=each, resident=each)
        job = Job("hash-each", f"one digest, {name}", "blake3", TUNED, log2, size, "bytes", None, None, whole)
        yield job._replace(host=one) if on_cpu else job._replace(host=one, resident=one)


def stream(wish: Wish) -> Iterator[Job]:
    """A Hasher that is fed 1 MiB at a time, and a TreeBuilder fed 65536 leaves at a time."""
    for log2 in _sizes(wish, range(28, 31, 2)):
        data = random_bytes(1 << log2, "data")

        def feed(_: object, data: Any = data) -> bytes:
            hasher = merklize.Hasher(device=wish.device, threads=wish.threads)
            for first in range(0, len(data), 1 << 20):
                hasher.update(data[first : first + (1 << 20)])
            return hasher.digest()

        expected = partial(merklize.hash, data, device="cpu")
        yield Job("stream", "Hasher", "blake3", TUNED, log2, 1 << log2, "bytes", None, feed, expected, data)
        leaves = data.reshape(-1, 32)

        def build(_: object, leaves: Any = leaves) -> bytes:
            builder = merklize.TreeBuilder(device=wish.device, threads=wish.threads)
            for first in range(0, len(leaves), 1 << 16):
                builder.append(leaves[first : first + (1 << 16)])
            return builder.root()

        root = partial(merklize.merkle_root, leaves, device="cpu")
        yield Job("stream", "TreeBuilder", "blake3", TUNED, log2, len(leaves) - 1, "merges", None, build, root)


SUITES: dict[str, Callable[[Wish], Iterator[Job]]] = {
    "blake3-hash": blake3_hash,
    "blake3-merklize": blake3_merklize,
    "rescue-hash": rescue_hash,
    "rescue-merklize": rescue_merklize,
    "sha256-merklize": sha256_merklize,
    "proofs": proofs,
    "update": update,
    "files": files,
    "hash-each": hash_each,
    "stream": stream,
}

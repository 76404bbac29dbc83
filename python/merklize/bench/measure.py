"""Measuring one job: a first call by itself, then repeats; medians with their spread; every answer is checked."""

from __future__ import annotations

import time
from statistics import median
from typing import Any

import merklize

from .peers import Peer
from .suites import Call, Job

LONG_ENOUGH = 20.0
"""Seconds after which a peer is not repeated once more."""


class WrongAnswer(Exception):
    """A job gave a different answer than the CPU."""


def spread(values: list[float]) -> dict[str, float]:
    """Return median, least and greatest."""
    return {"median": median(values), "min": min(values), "max": max(values)}


def named(job: Job) -> dict[str, Any]:
    """Return the fields with which every row of a job begins."""
    return {
        "suite": job.suite,
        "job": job.name,
        "hash": job.hash,
        "policy": job.choice.name,
        "log2": job.log2,
        "n": job.n,
        "unit": job.unit,
    }


def measure(job: Job, device: str, repeats: int, expected: bytes) -> dict[str, Any]:
    """Measure a job and return its row.

    kernel      seconds of the device's kernels by its own clock, on resident data; on the CPU those of the whole call
    to_device, to_host  of copies, by the device's clock, from host memory; absent on the CPU
    end_to_end  of the whole call from host memory, by the host's clock
    first_call  the first of all: it may compile

    Raises WrongAnswer, and what the library raises.
    """
    row = named(job) | {"repeats": repeats}
    if job.host is not None:
        times = _times(job, job.host, device, repeats, expected, row)
        row["end_to_end"] = spread(times["wall"])
        if times["kernel"]:
            row["kernel"] = spread(times["kernel"])
            row["to_device"] = spread(times["to_device"])
            row["to_host"] = spread(times["to_host"])
        elif device == "cpu":
            row["kernel"] = row["end_to_end"]
    if job.resident is not None:
        times = _times(job, job.resident, device, repeats, expected, row)
        row["kernel"] = spread(times["kernel"] or times["wall"])
    seconds = (row["kernel"] if "kernel" in row else row["end_to_end"])["median"]
    row["rate"] = job.n / seconds
    return row


def _times(
    job: Job, call: Call, device: str, repeats: int, expected: bytes, row: dict[str, Any]
) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {"wall": [], "kernel": [], "to_device": [], "to_host": []}
    for turn in range(repeats + 1):
        timings = merklize.tuning.Timings() if device != "cpu" else None
        start = time.perf_counter()
        answer = call(timings)
        wall = time.perf_counter() - start
        require(job, job.choice.name, answer, expected)
        if turn == 0:
            row.setdefault("first_call", wall)
            continue
        found["wall"].append(wall)
        if timings is not None and timings.kernel:
            for name in ("kernel", "to_device", "to_host"):
                found[name].append(getattr(timings, name))
    return found


def require(job: Job, by: str, answer: bytes, expected: bytes) -> None:
    """Raise WrongAnswer if an answer is not the expected one."""
    if answer != expected:
        raise WrongAnswer(
            f"{job.suite}, {job.name} by {job.hash}, {by}, 2^{job.log2}: got {answer.hex()}, the CPU says "
            f"{expected.hex()}"
        )


def measure_peer(peer: Peer, job: Job, threads: int, repeats: int, expected: bytes) -> dict[str, Any]:
    """Measure the same work by a peer and return its row. Both take turns, so that a slower machine slows down both.

    end_to_end  of the peer's call
    ours        of the library's, in between
    ratio       of the two times, turn by turn: above 1 the library is faster

    Raises Missing, WrongAnswer, and what the library raises.
    """
    row = named(job) | {"policy": "", "peer": peer.name, "peer_version": peer.version}
    call = job.resident if peer.on_device else job.host
    assert call is not None
    work = peer.work(job, threads)
    theirs: list[float] = []
    ours: list[float] = []
    begun = time.perf_counter()
    for turn in range(repeats + 1):
        seconds, answer = work()
        if answer is not None:
            require(job, peer.name, answer, expected)
        if peer.warms_up:
            call(None)
        start = time.perf_counter()
        call(None)
        wall = time.perf_counter() - start
        if turn > 0:  # the first one warms up
            theirs.append(seconds)
            ours.append(wall)
        if theirs and time.perf_counter() - begun > LONG_ENOUGH:
            break
    row["repeats"] = len(theirs)
    row["end_to_end"] = spread(theirs)
    row["ours"] = spread(ours)
    row["ratio"] = spread([their / our for their, our in zip(theirs, ours)])
    row["same_answer"] = answer is not None
    row["rate"] = job.n / row["end_to_end"]["median"]
    return row

"""Measuring one job: a first call apart, then repeats; medians with their spread; every answer is checked."""

from __future__ import annotations

import time
from statistics import median
from typing import Any

import merklize

from .suites import Call, Job


class WrongAnswer(Exception):
    """A job gave another answer than the CPU."""


def spread(values: list[float]) -> dict[str, float]:
    """Median, least and most, in seconds."""
    return {"median": median(values), "min": min(values), "max": max(values)}


def measure(job: Job, device: str, repeats: int, expected: bytes) -> dict[str, Any]:
    """Measure a job and return its row.

    kernel      seconds of the device's kernels by its own clock, on resident data; on the CPU those of the whole call
    to_device, to_host  of copies, by the device's clock, from host memory; absent on the CPU
    end_to_end  of the whole call from host memory, by the host's clock
    first_call  the first of all: it may compile

    Raises WrongAnswer, and what the library raises.
    """
    row: dict[str, Any] = {
        "suite": job.suite,
        "job": job.name,
        "hash": job.hash,
        "policy": job.choice.name,
        "log2": job.log2,
        "n": job.n,
        "unit": job.unit,
        "repeats": repeats,
    }
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
        timings = merklize.Timings() if device != "cpu" else None
        start = time.perf_counter()
        answer = call(timings)
        wall = time.perf_counter() - start
        if answer != expected:
            raise WrongAnswer(
                f"{job.suite}, {job.name} by {job.hash}, {job.choice.name}, 2^{job.log2}: got {answer.hex()}, the CPU "
                f"says {expected.hex()}"
            )
        if turn == 0:
            row.setdefault("first_call", wall)
            continue
        found["wall"].append(wall)
        if timings is not None and timings.kernel:
            for name in ("kernel", "to_device", "to_host"):
                found[name].append(getattr(timings, name))
    return found

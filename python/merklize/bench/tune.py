"""Finding the policy that is fastest for a job on a device: `merklize tune`.

The walk begins with the built-in table's choice and changes one field at a time, keeping what is faster, until no
change of a single field is. Every timed run is checked; a policy that is wrong once, or fails, is disqualified.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import merklize
from merklize import tuning

from .measure import WrongAnswer, require, spread
from .suites import FIELD_HASHES, SUITES, TUNED, Choice, Job, Wish, with_choice
from .tuned import Policy, text_of

FORMAT = "merklize-tune-1"
LEAST_GAIN = 1.02
"""The least gain of a winner, beyond the spread of the built-in table's times."""
HOPELESS = 1.5
"""A policy is measured only once if its first run takes the best time multiplied by this."""

Space = tuple[tuple[str, "tuple[int | str, ...]"], ...]

FIELDS = dict(tuning.policy_fields())
"""The fields of a policy and their values, from the library's table."""
TRIED: dict[str, tuple[int | str, ...]] = {
    **FIELDS,
    "levels_per_launch": (1, 2, 3, 4, 6, 8, 9, 10),
    "group_size": (32, 64, 128, 256, 512),
}
"""The values of a field that are tried: all, or those known to matter."""


class Tunable(NamedTuple):
    """A job of the suites, and the sizes that are tuned by default (log2, as the suites count them)."""

    suites: tuple[str, ...]
    unit: str
    hashes: tuple[str, ...]
    sizes: tuple[int, ...]


JOBS = {
    "digest": Tunable(("blake3-hash",), "bytes", ("blake3",), (18, 22, 26, 30)),
    "tree": Tunable(("blake3-merklize", "rescue-merklize"), "leaves", ("blake3", *FIELD_HASHES), (12, 16, 20, 24)),
    "hash_rows": Tunable(("rescue-hash",), "rows", FIELD_HASHES, (12, 16, 20)),
    "merge": Tunable(("rescue-hash",), "merges", FIELD_HASHES, (12, 16, 20)),
}


def space(job: str, hash: str, device: str) -> Space:
    """Return the fields that a caller may choose, and the values that are tried."""
    if device == "cpu":  # its lanes are fixed, and it has no groups
        return (("levels_per_launch", (4, 6, 8, 10, 12, 14, 16)),) if job == "tree" else ()
    is_used = {"levels_per_launch": job == "tree", "constants": hash in FIELD_HASHES}
    last = "group_size"  # its possible values depend on the other fields
    return tuple((name, TRIED[name]) for name in sorted(FIELDS, key=last.__eq__) if is_used.get(name, True))


def job_of(name: str, hash: str, log2: int, device: str) -> Job:
    """Return the job with its input, by the built-in table. Raises OutOfMemory, MemoryError."""
    wish = Wish(device, (log2,), (hash,), (TUNED,))
    for suite in JOBS[name].suites:
        for job in SUITES[suite](wish):
            if (job.name, job.hash) == (name, hash):
                return job
    raise ValueError(f"{name} by {hash} is not tuned")


def walk(space: Space, seconds: Callable[[Policy], float | None], most: int) -> Iterator[tuple[Policy, float]]:
    """Yield each policy that is faster than all before it, with its time. At most `most` are tried after the first.

    seconds  of a policy; None: disqualified
    """
    best: Policy = {}
    least = seconds(best)
    if least is None:
        return
    yield best, least
    tried = [best]
    settled = False
    while not settled:
        settled = True
        for name, values in space:
            for value in values:
                policy = {**best, name: value}
                if policy in tried or len(tried) > most:
                    continue
                tried.append(policy)
                took = seconds(policy)
                if took is not None and took < least:
                    best, least, settled = policy, took, False
                    yield best, least


class Tuner:
    """One job on one device. `tried`: every policy with its time, or why it was disqualified.

    report  called before each policy and after each run with the count of policies that are done
    """

    def __init__(self, job: Job, device: str, repeats: int, report: Callable[[int], None] = lambda count: None) -> None:
        self._job = job
        self._repeats = repeats
        self._on_host = device == "cpu"
        self._expected = job.expected()
        self._report = report
        self._least = float("inf")
        self.tried: list[dict[str, Any]] = []

    def seconds(self, policy: Policy) -> float | None:
        """Return the median of a policy's runs; None, with the reason in `tried`, if a run is wrong or fails."""
        self._report(len(self.tried))
        call = self._call(policy)
        try:
            call()  # compiles
            times = [call()]
            while len(times) < self._repeats and times[0] < HOPELESS * self._least:
                times.append(call())
                self._report(len(self.tried))
        except (merklize.Error, ValueError, MemoryError, WrongAnswer) as error:
            why = (str(error) or type(error).__name__).splitlines()[0][:300]
            self.tried.append({"policy": policy, "disqualified": why, "wrong": isinstance(error, WrongAnswer)})
            return None
        took = spread(times)
        self.tried.append({"policy": policy, "seconds": took})
        self._least = min(self._least, took["median"])
        return took["median"]

    def against_builtin(self, policy: Policy) -> tuple[dict[str, float], dict[str, float]]:
        """Return times of a policy and of the built-in table, measured in turns."""
        calls = self._call(policy), self._call({})
        times = [tuple(call() for call in calls) for _ in range(self._repeats)]
        mine, builtin = zip(*times)
        return spread(list(mine)), spread(list(builtin))

    def _call(self, policy: Policy) -> Callable[[], float]:
        job = with_choice(self._job, Choice(text_of(policy), policy or None))
        run = job.host if job.resident is None else job.resident
        assert run is not None

        def call() -> float:
            timings = None if self._on_host else merklize.tuning.Timings()
            start = time.perf_counter()
            answer = run(timings)
            wall = time.perf_counter() - start
            require(job, job.choice.name, answer, self._expected)
            return wall if timings is None or not timings.kernel else timings.kernel

        return call


def seconds_of(job: Job, device: str) -> float:
    """Return the time of a second call by the built-in table, in which nothing is compiled any more."""
    call = Tuner(job, device, 1)._call({})
    call()
    return call()


def tune(
    job: Job, device: str, repeats: int, most: int, report: Callable[[int], None] = lambda count: None
) -> dict[str, Any]:
    """Walk the policy space and return the row of a job. "policy": the winner, or {}: the built-in table's choice."""
    tuner = Tuner(job, device, repeats, report)
    best = [policy for policy, _ in walk(space(job.name, job.hash, device), tuner.seconds, most)]
    row: dict[str, Any] = {"job": job.name, "hash": job.hash, "log2": job.log2, "unit": JOBS[job.name].unit}
    if not best:
        return row | {"skipped": tuner.tried[0]["disqualified"], "tried": tuner.tried}
    policy = best[-1]
    try:
        mine, builtin = tuner.against_builtin(policy)
    except (merklize.Error, WrongAnswer) as error:  # a winner that fails in the last runs is no winner
        return row | {"skipped": str(error).splitlines()[0][:300], "tried": tuner.tried}
    gain = builtin["median"] / mine["median"]
    if gain < LEAST_GAIN or mine["median"] >= builtin["min"]:
        policy, mine, gain = {}, builtin, 1.0
    return row | {"policy": policy, "seconds": mine, "builtin": builtin, "gain": gain, "tried": tuner.tried}

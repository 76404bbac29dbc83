#!/usr/bin/env python3
"""Simulates merklize.ray, by discrete events, on clusters that are too large to measure.

    python bench/simulate_cluster.py [--check] [--json FILE]

What happens in it: a driver takes some time for each task and keeps a few tasks in flight for each worker. Workers take
a task after a delay, read and hash its part at the rate that the slowest of disk, link and core allows, and die at
random; the store's own limit is shared by all who read. A worker that dies loses its task, which is in the queue
again when the loss is noticed; another worker comes after a while. A worker's rate varies from task to task.

What is left out: slow spells of a store, several drivers, and work that is retried inside of a task.

--check compares it with the rows of bench/results that bench/scale.py measured: the same numbers of nodes, parts and
bytes, with the rate of one process and the time of a task from the same run.
"""

import argparse
import heapq
import math
import pathlib
import random
from typing import NamedTuple

from result_files import newest, write


class Case(NamedTuple):
    """A job and a cluster. Times in seconds, sizes in bytes, rates in bytes a second."""

    name: str
    bytes: float
    part: float
    workers: int
    rate: float
    """Rate of one worker alone: the least of its disk, link and core."""
    store: float = math.inf
    """Rate of the store, for all workers together."""
    driver: float = 0.001
    """Processor time of the driver for one task."""
    delay: float = 0.005
    """Time from the end of a task to the start of the next one on its worker, if one waits there."""
    first_byte: float = 0.0
    """Time before the first byte of a part arrives."""
    spread: float = 0.2
    """Spread of the rate: the standard deviation of its logarithm."""
    lost: float = 0.0
    """Share of the workers that die in an hour."""
    noticed: float = 10.0
    """Time from the death of a worker to when its task is in the queue again."""
    back: float = 300.0
    """Time from the death of a worker to the start of its replacement."""
    merge: float = 0.0
    """Time of the driver at the end."""


class Outcome(NamedTuple):
    seconds: float
    ideal: float
    """Time if only the rates of the workers and the store counted."""
    tasks: int
    deaths: int
    again: int
    """Number of tasks that were repeated."""
    driver: float
    """Share of the time that the driver worked."""


def simulate(case, seed=1):
    rng = random.Random(seed)
    parts = math.ceil(case.bytes / case.part)
    # Readers share the store evenly, and nearly all workers read nearly all the time.
    rate = min(case.rate, case.store / case.workers)
    waiting, done, again, deaths = parts, 0, 0, 0
    driver_free, driver_busy = 0.0, 0.0
    events, order = [], 0
    death_rate = -math.log(1 - case.lost) / 3600 if case.lost else 0.0

    def at(time, what, worker):
        nonlocal order
        order += 1
        heapq.heappush(events, (time, order, what, worker))

    dies = {}

    def begin(worker, now):
        """Give a worker its next task, after the driver's time for it."""
        nonlocal waiting, driver_free, driver_busy, again, deaths
        if waiting == 0:
            idle.append(worker)
            return
        waiting -= 1
        driver_free = max(driver_free, now) + case.driver
        driver_busy += case.driver
        start = max(now + case.delay, driver_free)
        end = start + case.first_byte + case.part / (rate * rng.lognormvariate(-(case.spread**2) / 2, case.spread))
        if dies[worker] < end:
            deaths += 1
            again += 1
            at(max(dies[worker], now) + case.noticed, "again", worker)
            at(max(dies[worker], now) + case.back, "new", worker)
        else:
            at(end, "done", worker)

    def born(worker, now):
        dies[worker] = now + rng.expovariate(death_rate) if death_rate else math.inf
        begin(worker, now)

    idle = []
    for worker in range(case.workers):
        born(worker, 0.0)
    now = 0.0
    while done < parts:
        now, _, what, worker = heapq.heappop(events)
        if what == "done":
            done += 1
            begin(worker, now)
        elif what == "again":
            waiting += 1
            while idle and waiting:
                begin(idle.pop(), now)
        else:
            born(worker, now)
    total = min(case.rate * case.workers, case.store)
    ideal = case.bytes / total
    return Outcome(now + case.merge, ideal, parts, deaths, again, driver_busy / now)


PB, TB, GB, MB = 1e15, 1e12, 1e9, 1e6


def cases(driver):
    """From a laptop's disk to a petabyte. driver  seconds a task, as measured"""
    yield Case("1 TB, one machine of 16 cores, NVMe of 6 GB/s", TB, 256 * MB, 16, 6 * GB / 16, driver=driver)
    yield Case(
        "100 TB in S3, 100 machines, links of 25 Gbit/s", 100 * TB, GB, 800, 3 * GB / 8, driver=driver, first_byte=0.05
    )
    petabyte = Case("", PB, 4 * GB, 10_000, 0.25 * GB, driver=driver, first_byte=0.05)
    for store, text in ((math.inf, "a store without a limit"), (TB, "a store of 1 TB/s")):
        for lost in (0.0, 0.01, 0.1):
            name = f"1 PB in objects of 10 GB, 10,000 workers of 0.25 GB/s, {text}, {lost:.0%} lost an hour"
            yield petabyte._replace(name=name, store=store, lost=lost)
    for part in (256 * MB, GB, 10 * GB):
        name = f"1 PB, 10,000 workers, 1% lost an hour, parts of {part / GB:g} GB"
        yield petabyte._replace(name=name, part=part, lost=0.01)


def measured():
    """Pairs of a measured row and its case, from the newest results of each machine."""
    for _, data in newest("scale", lambda data: data["machine"]):
        rows = {row["job"]: row for row in data["rows"]}
        for row in data["rows"]:
            if "parts" not in row:
                continue
            name = row["job"].rpartition(", ")[2]
            together = rows[f"a task that does nothing, 2,000 together, {name}"]["value"] / 1e3
            apart = rows[f"a task that does nothing, one after another, {name}"]["value"] / 1e3
            workers = data["cpus"]
            rate = row["bytes"] / row["peer_seconds"] / workers
            part = row["bytes"] / row["parts"]
            yield (
                row,
                Case(
                    row["job"],
                    row["bytes"],
                    part,
                    workers,
                    rate,
                    driver=together,
                    delay=max(0.0, apart - together),
                    spread=0.05,
                ),
            )


def checked():
    """Simulate the measured cases."""
    for row, case in measured():
        found = simulate(case)
        error = found.seconds / row["seconds"] - 1
        print(f"{case.name}: measured {row['seconds']:.3g} s, simulated {found.seconds:.3g} s ({error:+.0%})")
        yield {"job": case.name, "measured": row["seconds"], "simulated": found.seconds, "error": error}


def simulated(driver):
    """Simulate cases that were not measured."""
    for case in cases(driver):
        found = simulate(case)
        share, busy = found.ideal / found.seconds, found.driver
        print(f"{case.name}: {found.seconds:,.0f} s, {share:.0%} of the bound of {found.ideal:,.0f} s;")
        print(
            f"    {found.tasks:,} tasks, {found.deaths:,} workers lost, {found.again:,} tasks again, driver {busy:.0%}"
        )
        known = {name: value for name, value in case._asdict().items() if value != math.inf}
        yield {"job": case.name, **found._asdict(), "case": known}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--driver", type=float, default=0.001, help="seconds that the driver takes for a task")
    parser.add_argument("--json", help="also with --check")
    args = parser.parse_args()
    if args.check and not args.json:
        list(checked())
        return
    facts = {"program": "simulate_cluster", "driver": args.driver, "rows": list(simulated(args.driver))}
    facts["checked"] = list(checked())
    if args.json:
        write(pathlib.Path(args.json), facts)


if __name__ == "__main__":
    main()

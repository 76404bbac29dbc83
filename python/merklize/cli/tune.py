"""`merklize tune`."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, NamedTuple

import merklize
from merklize.bench import rows, tune, tuned
from merklize.bench.measure import WrongAnswer
from merklize.extensions import Command, human_time, table_text

from . import about, devices_named, one_of, read_device, read_hash, read_sizes, require_new, value, values


class Task(NamedTuple):
    job: str
    hash: str
    log2: int


def run(command: Command) -> int:
    """See src/command/line for its options."""
    jobs = tuple(values(command, "job", one_of(tuple(tune.JOBS))))
    names, sizes = {*values(command, "hash", read_hash)}, value(command, "sizes", read_sizes, None)
    repeats, most = command.count("repeat", 11, least=1), command.count("policies", 64)
    found, json_file = devices_of(command), command.value("json")
    require_new(command, json_file)
    os.environ["MERKLIZE_TUNED"] = "0"  # what was kept before is no part of the built-in table
    runs: list[dict[str, Any]] = []
    for info in found:
        run = rows.run_of(info) | {"format": tune.FORMAT}
        runs.append(run)
        command.line(about(info))
        tasks = [*tasks_of(info.id, jobs, names, sizes)]
        if tasks:
            command.line(plan_of(tasks, info.id, repeats, most) + "\n")
            command.flush()
        lines: list[str] = []
        command.begin_bar(f"tuning {info.id}", len(tasks))
        for task in tasks:
            row = row_of(task, info.id, repeats, most, command.show_progress)
            command.end_part()
            run["rows"].append(row)
            complain_of(command, row, info.id)
            command.line(summary(row))
            command.flush()
            if "policy" in row:
                if not command.has("dry-run"):
                    tuned.keep(info.id, row)
                if row["policy"]:
                    lines.append(tuned.table_line(row, info, run["date"]))
            if json_file:
                rows.write(json_file, runs)
        if not tasks:
            known = "; ".join(f"{name} by {', '.join(job.hashes)}" for name, job in tune.JOBS.items())
            command.line(f"Nothing to tune of these. There are {known}; on the CPU only trees have a choice.")
        if lines:
            command.line(f"\nRows for the front of the built-in table, {tuned.TABLE}:\n")
            command.line("\n".join(lines))
        command.line("")
    if json_file:
        rows.write(json_file, runs, is_last=True)

    return 0


def run_list(command: Command) -> int:
    """Show the kept policies."""
    kept = [(info.id, entry) for info in merklize.devices() for entry in tuned.kept(info.id)]
    if command.has("json"):
        command.line(json.dumps({"tuned": [{"device": device, **entry._asdict()} for device, entry in kept]}, indent=2))
    elif not kept:
        command.line("Nothing is kept: `merklize tune --device NAME` finds and keeps policies.")
    else:
        rows = [("device", "job", "hash", "log2", "policy", "time", "built-in")]
        rows += [
            (
                *(device, e.job, e.hash, str(e.log2), tuned.text_of(e.policy)),
                *(human_time(e.seconds), human_time(e.builtin_seconds)),
            )
            for device, e in kept
        ]
        command.line(table_text(rows, "   r rr"))
    return 0


def run_clear(command: Command) -> int:
    """Remove the kept policies of a device."""
    for info in devices_of(command):
        count = len(tuned.kept(info.id))
        merklize.tuning.store_tuned_policies(info.id, [])
        command.line(f"{info.id}: {count} {'policy' if count == 1 else 'policies'} forgotten")
    return 0


def devices_of(command: Command) -> list[merklize.DeviceInfo]:
    device = value(command, "device", read_device, None)
    if (device is None) != command.has("all"):
        command.refuse_line("give either --device NAME, as `merklize devices` lists them, or --all")
    return devices_named(device or "all")


def plan_of(tasks: list[Task], device: str, repeats: int, most: int) -> str:
    """Return the plan and the most time that it takes, from the built-in table's time for each job's least size."""
    each = {(task.job, task.hash): [t.log2 for t in tasks if t[:2] == task[:2]] for task in tasks}
    seconds = 0.0
    lines = [f"{len(tasks)} search{'es' if len(tasks) > 1 else ''}, each policy measured up to {repeats} times:"]
    for (job, hash), sizes in each.items():
        policies = min(most, sum(len(values) for _, values in tune.space(job, hash, device)))
        lines.append(f"  {job} by {hash}, 2^{', 2^'.join(map(str, sizes))} {tune.JOBS[job].unit}: {policies} policies")
        with suppress(merklize.Error, MemoryError, WrongAnswer):  # the search says why
            least = tune.seconds_of(tune.job_of(job, hash, sizes[0], device), device)
            seconds += least * sum(2.0 ** (log2 - sizes[0]) for log2 in sizes) * (policies + 3) * repeats
    compiling = "" if device == "cpu" else ", and what the compiler of kernels takes"
    lines.append(f"This takes about {human_time(seconds)} or less{compiling}. Ctrl-C keeps what is found until then.")
    return "\n".join(lines)


def tasks_of(device: str, jobs: tuple[str, ...], hashes: set[str], sizes: tuple[int, ...] | None) -> Iterator[Task]:
    """Give small sizes first, because they are quick."""
    for name, job in tune.JOBS.items():
        if jobs and name not in jobs:
            continue
        for hash in job.hashes:
            if (not hashes or hash in hashes) and tune.space(name, hash, device):
                yield from (Task(name, hash, log2) for log2 in sorted(sizes or job.sizes))


def row_of(task: Task, device: str, repeats: int, most: int, report: Callable[[float], None]) -> dict[str, Any]:
    usual = min(most, sum(len(values) for _, values in tune.space(task.job, task.hash, device))) + 1

    def show(count: int) -> None:
        report(min(count / usual, 0.99))

    try:
        return tune.tune(tune.job_of(*task, device), device, repeats, most, show)
    except (merklize.OutOfMemory, MemoryError) as error:
        return {**task._asdict(), "unit": tune.JOBS[task.job].unit, "skipped": f"does not fit: {error}", "tried": []}


def complain_of(command: Command, row: dict[str, Any], device: str) -> None:
    for tried in row["tried"]:
        if "disqualified" in tried:
            name = tuned.text_of(tried["policy"])
            command.complain(f"{device}, {name_of(row)}: {name} is disqualified: {tried['disqualified']}")


def name_of(row: dict[str, Any]) -> str:
    return f"{row['job']} by {row['hash']}, 2^{row['log2']} {row['unit']}"


def summary(row: dict[str, Any]) -> str:
    if "skipped" in row:
        return f"{name_of(row)}: skipped: {row['skipped']}"
    times = f"{human_time(row['builtin']['median'])} by the built-in table"
    if row["policy"]:
        times += f", {human_time(row['seconds']['median'])} by {tuned.text_of(row['policy'])}: {row['gain']:.3g}x"
    else:
        times += ", which nothing beats"
    return f"{name_of(row)}: {times} ({len(row['tried'])} tried)"

"""`merklize tune`."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, NamedTuple

import click

import merklize
from merklize import _native
from merklize._new_file import is_stream
from merklize.bench import rows, tune, tuned
from merklize.bench.measure import WrongAnswer

from . import output
from .bench import devices_named, parse_sizes
from .options import Count, find_device, hashes_option, json_option, known
from .progress import Bar


class Task(NamedTuple):
    job: str
    hash: str
    log2: int


named_option = click.option(
    "--device", callback=known(find_device), metavar="NAME", help="A device of `merklize devices`."
)


@click.group("tune", invoke_without_command=True, no_args_is_help=False)
@click.pass_context
@named_option
@click.option("--all", "everything", is_flag=True, help="Every device.")
@hashes_option
@click.option("--job", "jobs", multiple=True, type=click.Choice(list(tune.JOBS)), help="Only this job; likewise.")
@click.option("--sizes", callback=parse_sizes, metavar="A..B", help="log2 of the leaves, rows or bytes.")
@click.option("--repeat", "repeats", type=Count(1), default=11, show_default=True, metavar="N")
@click.option(
    "--policies",
    "most",
    type=Count(),
    default=64,
    show_default=True,
    metavar="N",
    help="Try at most so many a job: on processors some take minutes to compile.",
)
@click.option("--dry-run", is_flag=True, help="Keep nothing.")
@click.option("--json", "json_file", metavar="FILE", help="Write what was tried there, after every job.")
@click.option("--force", is_flag=True, help="Write over FILE if it exists.")
def command(
    context: click.Context,
    device: str | None,
    everything: bool,
    hashes: tuple[str, ...],
    jobs: tuple[str, ...],
    sizes: tuple[int, ...] | None,
    repeats: int,
    most: int,
    dry_run: bool,
    json_file: str | None,
    force: bool,
) -> None:
    """Find the policy that is fastest for each job and size on a device, and keep it. `list` shows what is kept.

    The library goes by what is kept wherever the caller chooses nothing, on data of about the size that was measured
    (log2 is at most 2 away), for this device, driver and version. Every timed run is compared with the CPU's
    answer: one that is wrong, or fails, disqualifies its policy. What wins must be 2 % faster than the built-in table,
    and beyond the spread of its times.
    """
    if context.invoked_subcommand is not None:
        return
    found = devices_of(device, everything)
    if json_file and os.path.exists(json_file) and not is_stream(json_file) and not force:
        raise output.Failure(f"{output.sentence(json_file)} exists; --force writes over it")
    names = {_native.hash_by_name(name).name for name in hashes}
    os.environ["MERKLIZE_TUNED"] = "0"  # what was kept before is no part of the built-in table
    runs: list[dict[str, Any]] = []
    for info in found:
        run = rows.run_of(info) | {"format": tune.FORMAT}
        runs.append(run)
        output.line(f"{info.id}: {info.name}, {info.isa}{', ' + info.driver if info.driver else ''}\n")
        tasks = [*tasks_of(info.id, jobs, names, sizes)]
        if tasks:
            output.line(plan_of(tasks, info.id, repeats, most) + "\n")
            output.flush()
        lines: list[str] = []
        bar = Bar(f"tuning {info.id}", len(tasks))
        for task in tasks:
            with bar.part() as report:
                row = row_of(task, info.id, repeats, most, report)
            run["rows"].append(row)
            complain_of(row, info.id)
            output.line(summary(row))
            output.flush()
            if "policy" in row:
                if not dry_run:
                    tuned.keep(info.id, row)
                if row["policy"]:
                    lines.append(tuned.table_line(row, info, run["date"]))
            if json_file:
                rows.write(json_file, runs)
        if not tasks:
            known = "; ".join(f"{name} by {', '.join(job.hashes)}" for name, job in tune.JOBS.items())
            output.line(f"Nothing to tune of these. There are {known}; on the CPU only trees have a choice.")
        if lines:
            output.line(f"\nRows for the front of the built-in table, {tuned.TABLE}:\n")
            output.line("\n".join(lines))
        output.line("")
    if json_file:
        rows.write(json_file, runs, is_last=True)


@command.command("list")
@json_option
def list_kept(as_json: bool) -> None:
    """Show what is kept, of every device; `merklize devices` shows it, too."""
    kept = [(info.id, entry) for info in merklize.devices() for entry in tuned.kept(info.id)]
    if as_json:
        output.line(json.dumps({"tuned": [{"device": device, **entry._asdict()} for device, entry in kept]}, indent=2))
    elif not kept:
        output.line("Nothing is kept: `merklize tune --device NAME` finds and keeps policies.")
    else:
        rows = [("device", "job", "hash", "log2", "policy", "time", "built-in")]
        rows += [
            (
                *(device, e.job, e.hash, str(e.log2), tuned.text_of(e.policy)),
                *(output.human_time(e.seconds), output.human_time(e.builtin_seconds)),
            )
            for device, e in kept
        ]
        output.line(output.table(rows, "   r rr"))


@command.command()
@named_option
@click.option("--all", "everything", is_flag=True, help="Of every device.")
def clear(device: str | None, everything: bool) -> None:
    """Forget what is kept of a device, so that the built-in table counts again."""
    for info in devices_of(device, everything):
        count = len(tuned.kept(info.id))
        _native.store_tuned_policies(info.id, [])
        output.line(f"{info.id}: {count} {'policy' if count == 1 else 'policies'} forgotten")


def devices_of(device: str | None, everything: bool) -> list[merklize.DeviceInfo]:
    if (device is None) != everything:
        raise click.UsageError("give either --device NAME, as `merklize devices` lists them, or --all")
    return devices_named("all" if device is None else device)


def plan_of(tasks: list[Task], device: str, repeats: int, most: int) -> str:
    """What will be done, and how long that takes at most: by the built-in table's time of each job's least size."""
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
    lines.append(
        f"This takes about {output.human_time(seconds)} or less{compiling}. Ctrl-C keeps what is found until then."
    )
    return "\n".join(lines)


def tasks_of(device: str, jobs: tuple[str, ...], hashes: set[str], sizes: tuple[int, ...] | None) -> Iterator[Task]:
    """Small sizes first, since they are quick."""
    for name, job in tune.JOBS.items():
        if jobs and name not in jobs:
            continue
        for hash in job.hashes:
            if (not hashes or hash in hashes) and tune.space(name, hash, device):
                yield from (Task(name, hash, log2) for log2 in sorted(sizes or job.sizes))


def row_of(task: Task, device: str, repeats: int, most: int, report: Callable[[float], None] | None) -> dict[str, Any]:
    tried = 0
    usual = min(most, sum(len(values) for _, values in tune.space(task.job, task.hash, device))) + 1

    def step() -> None:
        nonlocal tried
        if report is not None:
            report(min(tried / usual, 0.99))
        tried += 1

    try:
        return tune.tune(tune.job_of(*task, device), device, repeats, most, step)
    except (merklize.OutOfMemory, MemoryError) as error:
        return {**task._asdict(), "unit": tune.JOBS[task.job].unit, "skipped": f"does not fit: {error}", "tried": []}


def complain_of(row: dict[str, Any], device: str) -> None:
    for tried in row["tried"]:
        if "disqualified" in tried:
            name = tuned.text_of(tried["policy"])
            output.complain(f"{device}, {name_of(row)}: {name} is disqualified: {tried['disqualified']}")


def name_of(row: dict[str, Any]) -> str:
    return f"{row['job']} by {row['hash']}, 2^{row['log2']} {row['unit']}"


def summary(row: dict[str, Any]) -> str:
    if "skipped" in row:
        return f"{name_of(row)}: skipped: {row['skipped']}"
    times = f"{output.human_time(row['builtin']['median'])} by the built-in table"
    if row["policy"]:
        times += (
            f", {output.human_time(row['seconds']['median'])} by {tuned.text_of(row['policy'])}: {row['gain']:.3g}x"
        )
    else:
        times += ", which nothing beats"
    return f"{name_of(row)}: {times} ({len(row['tried'])} tried)"

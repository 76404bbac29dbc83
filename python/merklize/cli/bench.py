"""`merklize bench`."""

from __future__ import annotations

import os
import re
from typing import Any

import click

import merklize
from merklize.bench import report, rows
from merklize.bench.measure import WrongAnswer, measure
from merklize.bench.suites import APPROACHES, BY_LEVEL, LANES, SUITES, TUNED, Choice, Job, Wish

from . import output
from .options import parse_policy, threads_option


def parse_sizes(_: click.Context, __: click.Parameter, text: str | None) -> tuple[int, ...] | None:
    """Reads 20..25, 20,22,24 or 24."""
    if text is None:
        return None
    sizes: list[int] = []
    for part in text.split(","):
        match = re.fullmatch(r"(\d{1,2})(?:\.\.(\d{1,2}))?", part.strip(), re.ASCII)
        last = int(match[2] or match[1]) if match else -1
        if not match or not 0 <= int(match[1]) <= last <= 40:
            raise click.BadParameter(f"{part!r} is not a size such as 24 or 20..25: log2, at most 40")
        sizes.extend(range(int(match[1]), last + 1))
    return tuple(sizes)


def parse_choice(context: click.Context, parameter: click.Parameter, text: str | None) -> tuple[Choice, ...] | None:
    """Reads all, tuned, the name of an approach, or NAME=VALUE,..."""
    if text is None or text == "all":
        return None
    known = {choice.name: choice for choice in (TUNED, BY_LEVEL, *APPROACHES, *LANES)}
    if text in known:
        return (known[text],)
    if "=" not in text:
        raise click.BadParameter(f"{text!r} is neither all, {', '.join(known)} nor NAME=VALUE,...")
    return (Choice(text, parse_policy(context, parameter, (text,))),)


@click.command("bench")
@click.argument("suites", metavar="SUITE...", nargs=-1, required=True, type=click.Choice([*SUITES, "all"]))
@click.option("--device", default="auto", show_default=True, metavar="NAME", help="Where to measure; all: everywhere.")
@click.option("--policy", "choices", callback=parse_choice, metavar="P", help="all, tuned, or NAME=VALUE,...")
@click.option("--sizes", callback=parse_sizes, metavar="A..B", help="log2 of the leaves, rows or bytes.")
@click.option("--hash", "hashes", multiple=True, metavar="NAME", help="Only this hash; may be given several times.")
@click.option("--repeat", "repeats", type=click.IntRange(min=1), default=11, show_default=True, metavar="N")
@click.option("--json", "json_file", metavar="FILE", help="Write all rows there, after every one.")
@click.option("--plot", "plot_file", metavar="FILE", help="Draw a picture: .png or .svg. Needs merklize[plot].")
@click.option("--force", is_flag=True, help="Write over files that exist.")
@threads_option
def command(
    suites: tuple[str, ...],
    device: str,
    choices: tuple[Choice, ...] | None,
    sizes: tuple[int, ...] | None,
    hashes: tuple[str, ...],
    repeats: int,
    json_file: str | None,
    plot_file: str | None,
    force: bool,
    threads: int,
) -> None:
    """Measure this machine: digests and trees, as the tables of the projects before this one, and more.

    Kernels and copies are timed by the device's clock, whole calls by the host's: medians of --repeat calls after a
    first one. Every answer is compared with the CPU's.
    """
    for path in (json_file, plot_file):
        if path and os.path.exists(path) and not force:
            raise output.Failure(f"{output.sentence(path)} exists; --force writes over it")
    if plot_file:
        require_matplotlib(plot_file)
    names = tuple(dict.fromkeys(SUITES if "all" in suites else suites))
    for name in hashes:
        merklize._native.hash_by_name(name)
    runs: list[dict[str, Any]] = []
    failed = 0
    try:
        for info in devices_named(device):
            wish = Wish(info.id, sizes, hashes or None, choices, threads or None)
            failed += run_on(info, names, wish, repeats, runs, json_file)
    finally:
        if plot_file and any("skipped" not in row for run in runs for row in run["rows"]):
            from merklize.bench.plots import plot

            plot(plot_file, runs)
    if failed:
        raise click.exceptions.Exit(1)


def devices_named(name: str) -> list[merklize.DeviceInfo]:
    found = merklize.devices()
    if name == "all":
        return found
    if name == "auto":
        name = os.environ.get("MERKLIZE_DEVICE") or found[0].id
    merklize.hash(b"", device=name)  # one that cannot be used says why
    return [next(d for d in found if name in (d.id, d.backend))]


def require_matplotlib(path: str) -> None:
    if not path.endswith((".png", ".svg", ".pdf")):
        raise click.UsageError("--plot FILE must end with .png, .svg or .pdf")
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise output.Failure("--plot needs matplotlib: pip install 'merklize[plot]'") from None


def run_on(
    info: merklize.DeviceInfo,
    names: tuple[str, ...],
    wish: Wish,
    repeats: int,
    runs: list[dict[str, Any]],
    json_file: str | None,
) -> int:
    """All suites on one device; the count of jobs that failed."""
    run = rows.run_of(info)
    runs.append(run)
    failed = 0
    output.line(f"{info.id}: {info.name}, {info.isa}{', ' + info.driver if info.driver else ''}\n")
    for name in names:
        table = Table()
        answers: dict[tuple[object, ...], bytes] = {}
        for row in measured(name, info, wish, repeats, answers):
            failed += "error" in row
            run["rows"].append(row)
            table.add(report.line(row, info.name))
            if json_file:
                rows.write(json_file, runs)
        output.line("")
    return failed


def measured(
    name: str, info: merklize.DeviceInfo, wish: Wish, repeats: int, answers: dict[tuple[object, ...], bytes]
) -> Any:
    """The rows of a suite, size after size, so that one that does not fit leaves the others."""
    smallest = SUITES[name]
    sizes: tuple[int | None, ...] = wish.sizes or (None,)
    for size in sizes:
        jobs = smallest(wish if size is None else wish._replace(sizes=(size,)))
        while True:
            job: Job | None = None
            try:
                job = next(jobs, None)
                if job is None:
                    break
                row = measure(job, info.id, repeats, expected_of(job, answers))
            except WrongAnswer as error:
                output.complain(str(error))
                row = skipped(name, job, size, str(error)) | {"error": True}
            except (merklize.OutOfMemory, MemoryError) as error:
                row = skipped(name, job, size, f"does not fit: {error}")
            except merklize.InvalidArgument as error:  # a policy that this device cannot do
                row = skipped(name, job, size, str(error))
            yield row
            if job is None:
                break


def skipped(suite: str, job: Job | None, size: int | None, why: str) -> dict[str, Any]:
    row: dict[str, Any] = {"suite": suite, "skipped": why.splitlines()[0][:200]}
    if job is None:
        return row | {"job": suite, "hash": "", "policy": "", "log2": size, "n": 0, "unit": ""}
    named = {"job": job.name, "hash": job.hash, "policy": job.choice.name}
    return row | named | {"log2": job.log2, "n": job.n, "unit": job.unit}


def expected_of(job: Job, answers: dict[tuple[object, ...], bytes]) -> bytes:
    key = (job.name, job.hash, job.log2)
    if key not in answers:
        answers[key] = job.expected()
    return answers[key]


class Table:
    """Printed line by line, since a suite takes minutes."""

    WIDTHS = (26, 6, 18, 12, 14, 14, 12, 22, 0)

    def __init__(self) -> None:
        self.add(report.HEAD)
        output.line("  ".join("-" * max(width, 8) for width in self.WIDTHS))

    def add(self, cells: tuple[str, ...]) -> None:
        aligned = (
            cell.rjust(width) if side == "r" else cell.ljust(width)
            for cell, width, side in zip(cells, self.WIDTHS, report.SIDES)
        )
        output.line("  ".join(aligned).rstrip())
        output.flush()

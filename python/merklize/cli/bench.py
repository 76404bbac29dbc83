"""`merklize bench`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import click

import merklize
from merklize._new_file import is_stream
from merklize.bench import report, rows
from merklize.bench.measure import WrongAnswer, measure, measure_peer, named
from merklize.bench.peers import Missing, Peer, all_peers, for_job
from merklize.bench.suites import APPROACHES, BY_LEVEL, LANES, SUITES, TUNED, Choice, Job, Wish

from . import output
from .options import Count, device_option_for, hashes_option, parse_policy, threads_option


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
@device_option_for("Where to measure; all: everywhere.")
@click.option("--policy", "choices", callback=parse_choice, metavar="P", help="all, tuned, or NAME=VALUE,...")
@click.option("--sizes", callback=parse_sizes, metavar="A..B", help="log2 of the leaves, rows or bytes.")
@hashes_option
@click.option("--repeat", "repeats", type=Count(1), default=11, show_default=True, metavar="N")
@click.option("--peers", "with_peers", is_flag=True, help="The same work by published packages, in turns with ours.")
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
    with_peers: bool,
    json_file: str | None,
    plot_file: str | None,
    force: bool,
    threads: int,
) -> None:
    """Measure this machine: digests and trees, as the tables of the projects before this one, and more.

    Kernels and copies are timed by the device's clock, whole calls by the host's: medians of --repeat calls after a
    first one. Every answer is compared with the CPU's. With --peers the CPU is measured by one thread and by all; above
    1x the library is faster.
    """
    for path in (json_file, plot_file):
        if path and os.path.exists(path) and not is_stream(path) and not force:
            raise output.Failure(f"{output.sentence(path)} exists; --force writes over it")
    if plot_file:
        require_matplotlib(plot_file)
    names = tuple(dict.fromkeys(SUITES if "all" in suites else suites))
    runs: list[dict[str, Any]] = []
    failed = 0
    try:
        for info in devices_named(device):
            wish = Wish(info.id, sizes, hashes or None, choices, threads or None)
            failed += run_on(info, names, wish, repeats, all_peers() if with_peers else (), runs, json_file)
    finally:
        if json_file:
            rows.write(json_file, runs, is_last=True)
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
    peers: tuple[Peer, ...],
    runs: list[dict[str, Any]],
    json_file: str | None,
) -> int:
    """All suites on one device; the count of jobs that failed."""
    run = rows.run_of(info)
    runs.append(run)
    failed = 0
    cores = next(d.units for d in merklize.devices() if d.id == "cpu")
    # Most peers know one thread only, so with peers the CPU shows what it does with one, too.
    counts = (1, cores) if peers and info.id == "cpu" and cores > 1 and wish.threads is None else (wish.threads,)
    output.line(f"{info.id}: {info.name}, {info.isa}{', ' + info.driver if info.driver else ''}\n")
    for name in names:
        table = Table()
        answers: dict[tuple[object, ...], bytes] = {}
        for again, threads in enumerate(counts):
            found = Measured(info.id, peers, repeats, threads or cores, bool(again), answers)
            for row in found.suite(name, wish._replace(threads=threads)):
                failed += "error" in row
                run["rows"].append(row)
                table.add(*report.line(row, info.name))
                if json_file:
                    rows.write(json_file, runs)
        output.line("")
    return failed


class Measured(NamedTuple):
    """The rows of one pass over a suite."""

    device: str
    peers: tuple[Peer, ...]
    repeats: int
    threads: int
    again: bool  # whether a pass by fewer threads went before
    answers: dict[tuple[object, ...], bytes]

    def suite(self, name: str, wish: Wish) -> Iterator[dict[str, Any]]:
        """Size after size, so that one that does not fit leaves the others."""
        missing: set[str] = set()
        for size in wish.sizes or (None,):
            jobs = SUITES[name](wish if size is None else wish._replace(sizes=(size,)))
            while True:
                job: Job | None = None
                row, fits = {}, False
                try:
                    job = next(jobs, None)
                    if job is None:
                        break
                    row, fits = measure(job, self.device, self.repeats, self.expected(job)), True
                except WrongAnswer as error:
                    row = wrong(job, error)
                except (merklize.OutOfMemory, MemoryError) as error:
                    row = skipped(name, job, size, f"does not fit: {error}")
                except merklize.InvalidArgument as error:  # a policy that this device cannot do
                    row = skipped(name, job, size, str(error))
                yield row | {"threads": self.threads}
                if job is None:
                    break
                if fits:
                    yield from self.by_peers(job, missing)

    def by_peers(self, job: Job, missing: set[str]) -> Iterator[dict[str, Any]]:
        """The same job by those who are here. A missing peer is reported once a suite."""
        for peer in for_job(self.peers, job, self.device, self.again):
            if peer.name in missing:
                continue
            try:
                if job.log2 > peer.most:
                    raise Missing(f"it would take minutes: at most 2^{peer.most}")
                row = measure_peer(peer, job, self.threads, self.repeats, self.expected(job))
            except WrongAnswer as error:
                row = wrong(job, error)
            except (merklize.OutOfMemory, MemoryError) as error:
                row = skipped(job.suite, job, job.log2, f"does not fit: {error}")
            except Missing as error:
                if job.log2 <= peer.most:
                    missing.add(peer.name)
                row = skipped(job.suite, job, job.log2, str(error))
            yield row | {"policy": "", "peer": peer.name, "threads": self.threads}

    def expected(self, job: Job) -> bytes:
        key = (job.name, job.hash, job.log2)
        if key not in self.answers:
            self.answers[key] = job.expected()
        return self.answers[key]


def skipped(suite: str, job: Job | None, size: int | None, why: str) -> dict[str, Any]:
    none = {"job": suite, "hash": "", "policy": "", "log2": size, "n": 0, "unit": ""}
    return {"suite": suite} | (none if job is None else named(job)) | {"skipped": why.splitlines()[0][:200]}


def wrong(job: Job | None, error: WrongAnswer) -> dict[str, Any]:
    assert job is not None
    output.complain(str(error))
    return skipped(job.suite, job, job.log2, str(error)) | {"error": True}


class Table:
    """Printed line by line, since a suite takes minutes."""

    WIDTHS = (22, 4, 8, 8, 8, 8, 10)
    NOTE = 4
    """How far what is said below a line stands to the right."""

    def __init__(self) -> None:
        self.add(report.HEAD)
        output.line("  ".join("-" * width for width in self.WIDTHS))

    def add(self, cells: tuple[str, ...], note: str = "") -> None:
        output.line(output.table_row(cells, self.WIDTHS, report.SIDES))
        for part in output.parts(note, 80 - self.NOTE) if note else ():
            output.line(" " * self.NOTE + part)
        output.flush()

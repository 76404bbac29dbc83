"""`merklize bench`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import merklize
from merklize.bench import report, rows
from merklize.bench.measure import WrongAnswer, measure, measure_peer, named
from merklize.bench.peers import Missing, Peer, all_peers, for_job
from merklize.bench.suites import APPROACHES, BY_LEVEL, LANES, SUITES, TUNED, Choice, Job, Wish
from merklize.extensions import Command, table_row

from . import about, devices_named, one_of, read_device, read_hash, read_sizes, require_new, value, values


def read_choice(text: str) -> tuple[Choice, ...] | None:
    """Reads all, tuned, the name of an approach, or NAME=VALUE,..."""
    known = {choice.name: choice for choice in (TUNED, BY_LEVEL, *APPROACHES, *LANES)}
    if text == "all":
        return None
    if text in known:
        return (known[text],)
    if "=" not in text:
        raise merklize.InvalidArgument(f"{text!r} is neither all, {', '.join(known)} nor NAME=VALUE,...")
    return (Choice(text, merklize.tuning.policy_from_text(text) or None),)


def run(command: Command) -> int:
    """See src/command/line for its options."""
    try:
        names = dict.fromkeys(map(one_of((*SUITES, "all")), command.words))
    except merklize.InvalidArgument as error:
        command.refuse_line(f"Invalid value for 'SUITE...': {error.rule}")
    device = value(command, "device", read_device, "auto")
    choices, sizes = value(command, "policy", read_choice, None), value(command, "sizes", read_sizes, None)
    hashes = tuple(values(command, "hash", read_hash))
    repeats, threads = command.count("repeat", 11, least=1), command.count("num-threads", 0)
    json_file, plot_file = command.value("json"), command.value("plot")
    for path in (json_file, plot_file):
        require_new(command, path)
    if plot_file:
        require_matplotlib(command, plot_file)
    runs: list[dict[str, Any]] = []
    failed = 0
    try:
        for info in devices_named(device):
            wish = Wish(info.id, sizes, hashes or None, choices, threads or None)
            peers = all_peers() if command.has("peers") else ()
            suites = SUITES if "all" in names else names
            failed += run_on(command, info, tuple(suites), wish, repeats, peers, runs, json_file)
    finally:
        if json_file:
            rows.write(json_file, runs, is_last=True)
        if plot_file and any("skipped" not in row for run in runs for row in run["rows"]):
            from merklize.bench.plots import plot

            plot(plot_file, runs)
    return 1 if failed else 0


def require_matplotlib(command: Command, path: str) -> None:
    if not path.endswith((".png", ".svg", ".pdf")):
        command.refuse_line("--plot FILE must end with .png, .svg or .pdf")
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        command.fail("--plot needs matplotlib: pip install 'merklize[plot]'")


def run_on(
    command: Command,
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
    command.line(about(info))
    for name in names:
        table = Table(command)
        answers: dict[tuple[object, ...], bytes] = {}
        for again, threads in enumerate(counts):
            found = Measured(command, info.id, peers, repeats, threads or cores, bool(again), answers)
            for row in found.suite(name, wish._replace(threads=threads)):
                failed += "error" in row
                run["rows"].append(row)
                table.add(*report.line(row, info.name))
                if json_file:
                    rows.write(json_file, runs)
        command.line("")
    return failed


class Measured(NamedTuple):
    """The rows of one pass over a suite."""

    command: Command
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
                    row = self.wrong(job, error)
                except (merklize.OutOfMemory, MemoryError) as error:
                    row = skipped(name, job, size, f"does not fit: {error}")
                except merklize.InvalidArgument as error:  # a policy that this device cannot do
                    row = skipped(name, job, size, error.rule)
                yield row | {"threads": self.threads}
                if job is None:
                    break
                if fits:
                    yield from self.by_peers(job, missing)

    def by_peers(self, job: Job, missing: set[str]) -> Iterator[dict[str, Any]]:
        """The same job by all peers that are here. A missing peer is reported once a suite."""
        for peer in for_job(self.peers, job, self.device, self.again):
            if peer.name in missing:
                continue
            try:
                if job.log2 > peer.most:
                    raise Missing(f"it would take minutes: at most 2^{peer.most}")
                row = measure_peer(peer, job, self.threads, self.repeats, self.expected(job))
            except WrongAnswer as error:
                row = self.wrong(job, error)
            except (merklize.OutOfMemory, MemoryError) as error:
                row = skipped(job.suite, job, job.log2, f"does not fit: {error}")
            except Missing as error:
                if job.log2 <= peer.most:
                    missing.add(peer.name)
                row = skipped(job.suite, job, job.log2, str(error))
            yield row | {"policy": "", "peer": peer.name, "threads": self.threads}

    def wrong(self, job: Job | None, error: WrongAnswer) -> dict[str, Any]:
        assert job is not None
        self.command.complain(error)
        return skipped(job.suite, job, job.log2, str(error)) | {"error": True}

    def expected(self, job: Job) -> bytes:
        key = (job.name, job.hash, job.log2)
        if key not in self.answers:
            self.answers[key] = job.expected()
        return self.answers[key]


def skipped(suite: str, job: Job | None, size: int | None, why: str) -> dict[str, Any]:
    none = {"job": suite, "hash": "", "policy": "", "log2": size, "n": 0, "unit": ""}
    return {"suite": suite} | (none if job is None else named(job)) | {"skipped": why.splitlines()[0][:200]}


class Table:
    """Printed line by line, since a suite takes minutes."""

    WIDTHS = (22, 4, 8, 8, 8, 8, 10)
    NOTE = (2, 76)
    """Indent a remark below a line."""

    def __init__(self, command: Command) -> None:
        self.command = command
        self.add(report.HEAD)
        command.line("  ".join("-" * width for width in self.WIDTHS))

    def add(self, cells: tuple[str, ...], note: str = "") -> None:
        self.command.line(table_row(cells, self.WIDTHS, report.SIDES))
        if note:
            self.command.line(table_row(("", note), self.NOTE, ""))
        self.command.flush()

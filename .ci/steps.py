#!/usr/bin/env python3
"""Runs steps and says which of them held.

    steps.py TIMES.json < LIST    a line is a step: its name, spaces, a command of bash; # begins a comment

Steps run one after another. A line `lane` begins a lane: the lanes run at the same time, after the steps that stand
above the first of them, and the steps of a lane one after another. What a step prints in a lane begins with its name.

A run is green only if it is whole: every step of the list ran and exited with 0. A step that fails does not keep
the later ones from running. One that exits with 77 could not run here, which is as red as a failure; so is a run
that is interrupted. The times, what was compiled and how many tests ran go to TIMES.json after each step, and are
printed as a table, longest first.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

# The closing lines of pytest, ctest, cargo test and Node's test runner: passed, failed, skipped.
CLOSING_LINES = {
    "passed": (r"\b(\d+) passed[,;]? ", r"^# pass (\d+)"),
    "failed": (r"\b(\d+) failed[,;]? ", r"^# fail (\d+)"),
    "skipped": (r"\b(\d+) skipped[,;]? ", r"\b(\d+) ignored;", r"^# skipped (\d+)"),
}
# What names a test that failed.
FAILURES = re.compile(
    r"^FAILED (?P<pytest>\S.*?)(?: - |$)"
    r"|^\s*\d+ - (?P<ctest>\S+) \((?:Failed|Timeout|SEGFAULT|Subprocess|ILLEGAL|NUMERICAL|OTHER)"
    r"|^test (?P<cargo>\S+) \.\.\. FAILED|^not ok \d+ - (?P<node>.+)|^make: \*\*\* \[(?P<make>.+?)\]"
)
MOST_FAILURES = 20
LANE_ENDED = b"\0"  # no signal has this number
CTEST = re.compile(r"% tests passed(?:, (\d+) tests? failed)? out of (\d+)")


def compiled(log: Path) -> dict[str, int]:
    """How many compilations of a step ran, and how many ccache served, by the log of its results."""
    results = Counter(log.read_text().split()) if log.exists() else Counter()
    hits = results["direct_cache_hit"] + results["preprocessed_cache_hit"]
    return {"compiled": results["cache_miss"], "from_cache": hits}


def count_tests(line: str, tests: dict[str, int]) -> None:
    """Add what a test runner's closing line says."""
    if found := CTEST.search(line):
        failed, of = (int(count or 0) for count in found.groups())
        tests["passed"] += of - failed
        tests["failed"] += failed
        return
    for outcome, patterns in CLOSING_LINES.items():
        for pattern in patterns:
            if found := re.search(pattern, line):
                tests[outcome] += int(found[1])


def read_list(text: str) -> list[list[dict]]:
    """Lanes of steps. The first one has the steps that run before all others."""
    lanes: list[list[dict]] = [[]]
    for line in text.splitlines():
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if line.strip() == "lane":
            lanes.append([])
            continue
        name, _, command = line.strip().partition(" ")
        if not command or any(name == step["name"] for lane in lanes for step in lane):
            sys.exit(f"steps.py: {line!r}: a line must be a name that no other line has, spaces and a command")
        lanes[-1].append({"name": name, "command": command.strip(), "verdict": "not run", "seconds": 0})
    if not any(lanes):
        sys.exit("steps.py: the list has no step")
    return lanes


class Run:
    """Runs the steps of a list: one of each lane at a time."""

    def __init__(self, lanes: list[list[dict]], out: Path) -> None:
        self.lanes, self.out = lanes, out
        self.steps = [step for lane in lanes for step in lane]
        self.begin = time.monotonic()
        self.lock = threading.Lock()
        self.children: set[int] = set()
        self.is_over = False

    def seconds(self) -> int:
        return round(time.monotonic() - self.begin)

    def is_whole(self) -> bool:
        return all(step["verdict"] == "ok" for step in self.steps)

    def write(self) -> None:
        facts = {"seconds": self.seconds(), "cores": os.cpu_count(), "is_whole": self.is_whole(), "steps": self.steps}
        whole = self.out.with_name(f"{self.out.name}.partial")
        whole.write_text(json.dumps(facts, indent=1) + "\n")
        whole.replace(self.out)

    def say(self, line: bytes) -> None:
        with self.lock:
            sys.stdout.buffer.write(line)
            sys.stdout.flush()

    def all(self) -> None:
        """Run all steps. SIGTERM and SIGINT end those that run, and the process with 1.

        The thread that gets the signals waits by reading a pipe, into which a signal writes its number: a signal that
        comes while a thread begins to wait for a lock interrupts nothing, so it would be seen when all lanes are done.
        """
        read, write = os.pipe()
        os.set_blocking(write, False)
        signal.set_wakeup_fd(write)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: None)

        def run(lane: list[dict], prefix: str) -> None:
            try:
                self.lane(lane, prefix)
            finally:
                os.write(write, LANE_ENDED)

        for lanes, prefix in ((self.lanes[:1], ""), (self.lanes[1:], "{}| ")):
            for lane in lanes:
                threading.Thread(target=run, args=(lane, prefix)).start()
            for _ in lanes:
                if os.read(read, 1) != LANE_ENDED:
                    self.end()
                    sys.exit(1)

    def end(self) -> None:
        """End the steps that run; no other one begins."""
        with self.lock:
            self.is_over = True
            for child in self.children:
                os.killpg(child, signal.SIGKILL)

    def lane(self, steps: list[dict], prefix: str) -> None:
        for step in steps:
            self.say(f"\n######## {step['name']}: {step['command']}\n".encode())
            if not self.step(step, prefix.format(step["name"]).encode()):
                return
            self.say(f"######## {step['name']}: {step['verdict']}, {step['seconds']} s\n".encode())
            with self.lock:
                self.write()

    def step(self, step: dict, prefix: bytes) -> bool:
        """Run a step; false if the run is over."""
        begin = time.monotonic()
        tests, failures = dict.fromkeys(CLOSING_LINES, 0), []
        with tempfile.TemporaryDirectory(prefix="steps-") as folder:
            log = Path(folder) / "ccache"
            with self.lock:
                if self.is_over:
                    return False
                step["verdict"] = "FAILED"  # also if this is interrupted
                child = subprocess.Popen(
                    ["bash", "-euo", "pipefail", "-c", step["command"]],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                    env=os.environ | {"CCACHE_STATSLOG": str(log)},
                )
                self.children.add(child.pid)
            for line in child.stdout:
                self.say(prefix + line)
                text = line.decode(errors="replace")
                count_tests(text, tests)
                if (named := FAILURES.search(text)) and len(failures) < MOST_FAILURES:
                    failures.append(next(filter(None, named.groups())))
            os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)  # it keeps its number until it is no child here
            with self.lock:
                _, status, used = os.wait4(child.pid, 0)
                self.children.remove(child.pid)
                child.returncode = os.waitstatus_to_exitcode(status)
                if self.is_over:
                    return False
                step |= {
                    "verdict": {0: "ok", 77: "not run"}.get(child.returncode, "FAILED"),
                    "seconds": round(time.monotonic() - begin),
                    "processor_seconds": round(used.ru_utime + used.ru_stime),
                    "tests": tests,
                    "failures": failures,
                    **compiled(log),
                }
        return True


def table(steps: list[dict]) -> str:
    rows = [("step", "verdict", "seconds", "processor", "tests", "skipped", "compiled", "from cache")]
    for step in sorted(steps, key=lambda step: -step["seconds"]):
        tests = step.get("tests", {})
        ran = tests.get("passed", 0) + tests.get("failed", 0)
        cells = (step.get("processor_seconds"), ran, tests.get("skipped"), step.get("compiled"), step.get("from_cache"))
        rows.append((step["name"], step["verdict"], str(step["seconds"]), *(str(cell or "-") for cell in cells)))
    widths = [max(map(len, column)) for column in zip(*rows)]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows)


def main() -> int:
    if len(sys.argv) != 2:
        sys.exit("usage: steps.py TIMES.json < LIST")
    out = Path(sys.argv[1])
    run = Run(read_list(sys.stdin.read()), out)
    out.parent.mkdir(parents=True, exist_ok=True)
    try:
        run.all()
    finally:
        with run.lock:
            run.write()
        print(f"\n{table(run.steps)}\n{run.seconds()} s on {os.cpu_count()} cores", flush=True)
        bad = [step for step in run.steps if step["verdict"] != "ok"]
        for step in bad:
            if step.get("failures"):
                print(f"{step['name']}: {'; '.join(step['failures'])}", flush=True)
        red = f"RED: {', '.join(step['name'] for step in bad)}"
        print(red if bad else "green: every step ran and held", flush=True)
    return 0 if run.is_whole() else 1


if __name__ == "__main__":
    sys.exit(main())

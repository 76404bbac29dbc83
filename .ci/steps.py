#!/usr/bin/env python3
"""Runs steps one after another and says which of them held.

    steps.py TIMES.json < LIST    a line is a step: its name, spaces, a command of bash; # begins a comment

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
import time
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
CTEST = re.compile(r"tests passed, (\d+) tests? failed out of (\d+)")


def compiled() -> tuple[int, int]:
    """How many compilations ccache has let run, and how many it has served, since it began to count."""
    try:
        done = subprocess.run(["ccache", "--print-stats"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return 0, 0
    counts = dict(line.split("\t") for line in done.stdout.splitlines() if "\t" in line)
    return int(counts.get("cache_miss", 0)), sum(
        int(counts.get(f"{how}_cache_hit", 0)) for how in ("direct", "preprocessed")
    )


def count_tests(line: str, tests: dict[str, int]) -> None:
    """Add what a test runner's closing line says."""
    if found := CTEST.search(line):
        failed, of = map(int, found.groups())
        tests["passed"] += of - failed
        tests["failed"] += failed
        return
    for outcome, patterns in CLOSING_LINES.items():
        for pattern in patterns:
            if found := re.search(pattern, line):
                tests[outcome] += int(found[1])


def read_list(text: str) -> list[dict]:
    steps = []
    for line in text.splitlines():
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        name, _, command = line.strip().partition(" ")
        if not command or any(name == step["name"] for step in steps):
            sys.exit(f"steps.py: {line!r}: a line must be a name that no other line has, spaces and a command")
        steps.append({"name": name, "command": command.strip(), "verdict": "not run", "seconds": 0})
    if not steps:
        sys.exit("steps.py: the list has no step")
    return steps


def run(step: dict) -> None:
    begin, (misses, hits) = time.monotonic(), compiled()
    tests, failures = dict.fromkeys(CLOSING_LINES, 0), []
    step["verdict"] = "FAILED"  # also if this is interrupted
    with subprocess.Popen(
        ["bash", "-euo", "pipefail", "-c", step["command"]],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    ) as child:
        try:
            for line in child.stdout:
                sys.stdout.buffer.write(line)
                sys.stdout.flush()
                text = line.decode(errors="replace")
                count_tests(text, tests)
                if (named := FAILURES.search(text)) and len(failures) < MOST_FAILURES:
                    failures.append(next(filter(None, named.groups())))
            status = child.wait()
        except BaseException:
            os.killpg(child.pid, signal.SIGKILL)
            raise
        finally:
            now = compiled()
            step |= {
                "seconds": round(time.monotonic() - begin),
                "compiled": now[0] - misses,
                "from_cache": now[1] - hits,
            }
            step |= {"tests": tests, "failures": failures}
    step["verdict"] = {0: "ok", 77: "not run"}.get(status, "FAILED")


def table(steps: list[dict]) -> str:
    rows = [("step", "verdict", "seconds", "tests", "skipped", "compiled", "from cache")]
    for step in sorted(steps, key=lambda step: -step["seconds"]):
        tests = step.get("tests", {})
        ran = tests.get("passed", 0) + tests.get("failed", 0)
        cells = (ran, tests.get("skipped"), step.get("compiled"), step.get("from_cache"))
        rows.append((step["name"], step["verdict"], str(step["seconds"]), *(str(cell or "-") for cell in cells)))
    widths = [max(map(len, column)) for column in zip(*rows)]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows)


def main() -> int:
    if len(sys.argv) != 2:
        sys.exit("usage: steps.py TIMES.json < LIST")
    out = Path(sys.argv[1])
    steps = read_list(sys.stdin.read())
    out.parent.mkdir(parents=True, exist_ok=True)
    begin = time.monotonic()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))

    def is_whole() -> bool:
        return all(step["verdict"] == "ok" for step in steps)

    def write() -> None:
        seconds = round(time.monotonic() - begin)
        facts = {"seconds": seconds, "cores": os.cpu_count(), "is_whole": is_whole(), "steps": steps}
        out.write_text(json.dumps(facts, indent=1) + "\n")

    try:
        for step in steps:
            print(f"\n######## {step['name']}: {step['command']}", flush=True)
            run(step)
            print(f"######## {step['name']}: {step['verdict']}, {step['seconds']} s", flush=True)
            write()
    finally:
        write()
        print(f"\n{table(steps)}\n{round(time.monotonic() - begin)} s on {os.cpu_count()} cores", flush=True)
        bad = [step["name"] for step in steps if step["verdict"] != "ok"]
        for step in steps:
            if step["verdict"] != "ok" and step.get("failures"):
                print(f"{step['name']}: {'; '.join(step['failures'])}", flush=True)
        print(f"RED: {', '.join(bad)}" if bad else "green: every step ran and held", flush=True)
    return 0 if is_whole() else 1


if __name__ == "__main__":
    sys.exit(main())

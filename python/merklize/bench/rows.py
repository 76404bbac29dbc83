"""Results as JSON: a list of runs, each of one device. docs/benchmarks.md has the schema."""

from __future__ import annotations

import datetime
import json
import os
import platform
import subprocess
from typing import Any

import merklize

from ..extensions import is_stream, write_whole
from .programs import find_program

FORMAT = "merklize-bench-1"


def run_of(device: merklize.DeviceInfo) -> dict[str, Any]:
    """Return the fields that all rows of a run share."""
    return {
        "format": FORMAT,
        "date": str(datetime.date.today()),
        "version": merklize.__version__,
        "commit": _output("git", "-C", os.path.dirname(__file__), "rev-parse", "--short", "HEAD"),
        "device": device.id,
        "name": device.name,
        "driver": device.driver,
        "isa": device.isa,
        "units": device.units,
        "memory_bytes": device.memory_bytes,
        "clocks": _clocks(device.id),
        "processor": next(d.name for d in merklize.devices() if d.id == "cpu"),
        "cpus": os.cpu_count(),
        "system": platform.platform(),
        "rows": [],
    }


def write(path: str, runs: list[dict[str, Any]], *, is_last: bool = False) -> None:
    """Write all runs, completely or not at all. Called after every row, so that an interruption loses none.

    is_last: the call after the last row, when a device or a pipe gets them.
    """
    if is_last == is_stream(path):
        write_whole(path, (json.dumps(runs, indent=1) + "\n").encode())


def _clocks(device: str) -> str | None:
    if not device.startswith("cuda"):
        return None
    index = device.partition(":")[2]
    query = "clocks.max.sm,clocks.max.mem,clocks.sm,power.limit"
    return _output("nvidia-smi", f"--id={index}", f"--query-gpu={query}", "--format=csv,noheader")


def _output(*command: str) -> str | None:
    program = find_program(command[0])
    if program is None:
        return None
    try:
        done = subprocess.run((program, *command[1:]), capture_output=True, text=True, timeout=10)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() or None if done.returncode == 0 else None

"""`merklize devices`."""

from __future__ import annotations

import json
import os
from pathlib import Path

import click

import merklize
from merklize import _native
from merklize.bench import tuned

from . import output
from .options import human_bytes, json_option
from .progress import Bar
from .timings import human_time

BACKENDS = ("cpu", "cuda", "opencl", "sycl")


def why_not_writable(folder: str) -> str:
    """Return why programs cannot be stored below `folder`, which need not exist yet, or ""."""
    path = Path(folder)
    while not path.exists() and path != path.parent:
        path = path.parent
    return "" if os.access(path, os.W_OK | os.X_OK) else f"{path} cannot be written"


@click.command("devices")
@click.option("--calibrate", is_flag=True, help="Measure them first, and keep the figures for --device auto.")
@json_option
def command(calibrate: bool, as_json: bool) -> None:
    """List what this machine can compute on, and why the rest cannot be used.

    The first column is what --device takes. "auto" stands for the first line; once --calibrate has measured them, for
    the fastest device for a job and its size.
    """
    found = merklize.devices()
    if calibrate:
        with Bar("measuring").part() as report:
            merklize.calibrate(progress=report)
    costs = merklize.calibration()
    missing = {name: merklize.why_unavailable(name) for name in BACKENDS if name not in {d.backend for d in found}}
    folder, why_unusable = _native.kernel_cache()
    why_unusable = why_unusable or why_not_writable(folder)
    policies = [(device.id, entry) for device in found for entry in tuned.kept(device.id)]
    if as_json:
        cache = {"folder": folder or None, "why_unusable": why_unusable or None}
        listed = [device._asdict() for device in found]
        calibration = [cost._asdict() for cost in costs]
        facts = {"devices": listed, "unavailable": missing, "kernel_cache": cache, "calibration": calibration}
        facts["tuned"] = [{"device": device, **entry._asdict()} for device, entry in policies]
        output.line(json.dumps(facts, indent=2))
        return
    rows = [(d.id, d.name, d.driver, d.isa, f"{d.units}", human_bytes(d.memory_bytes)) for d in found]
    output.line(output.table([("device", "name", "driver", "instructions", "units", "memory"), *rows], right="    rr"))
    if missing:
        output.line("\nNot usable here:")
        for name, why in missing.items():
            output.line(f"  {why if why.startswith(name) else f'{name}: {why}'}")
    output.line(f"\nCompiled kernels: {f'not kept: {why_unusable}' if why_unusable else folder}")
    if costs:
        output.line("\nMeasured, for --device auto with data of the host:")
        lines = [(c.job, c.device, human_time(c.latency), f"{human_bytes(round(c.rate))}/s") for c in costs]
        output.line(output.table([("job", "device", "latency", "rate"), *sorted(lines)], right="  rr"))
    else:
        output.line("\n--device auto is the CPU; `merklize devices --calibrate` measures what is faster.")
    if policies:
        output.line("\nTuned on this machine; used when the caller gives no policy, unless MERKLIZE_TUNED=0:")
        head = ("device", "job", "hash", "log2", "policy", "time", "built-in")
        shown = [
            (
                device,
                e.job,
                e.hash,
                f"{e.log2}",
                tuned.text_of(e.policy),
                human_time(e.seconds),
                human_time(e.builtin_seconds),
            )
            for device, e in policies
        ]
        output.line(output.table([head, *shown], right="   r rr"))

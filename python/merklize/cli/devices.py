"""`merklize devices`."""

from __future__ import annotations

import json
import os
from pathlib import Path

import click

import merklize
from merklize import _native

from . import output
from .options import human_bytes, json_option

BACKENDS = ("cpu", "cuda", "opencl", "sycl")


def why_not_writable(folder: str) -> str:
    """Return why programs cannot be stored below `folder`, which need not exist yet, or ""."""
    path = Path(folder)
    while not path.exists() and path != path.parent:
        path = path.parent
    return "" if os.access(path, os.W_OK | os.X_OK) else f"{path} cannot be written"


@click.command("devices")
@json_option
def command(as_json: bool) -> None:
    """List what this machine can compute on, and why the rest cannot be used.

    The first column is what --device takes; "auto" stands for the first line.
    """
    found = merklize.devices()
    missing = {name: merklize.why_unavailable(name) for name in BACKENDS if name not in {d.backend for d in found}}
    folder, why_unusable = _native.kernel_cache()
    why_unusable = why_unusable or why_not_writable(folder)
    if as_json:
        cache = {"folder": folder or None, "why_unusable": why_unusable or None}
        listed = [device._asdict() for device in found]
        output.line(json.dumps({"devices": listed, "unavailable": missing, "kernel_cache": cache}, indent=2))
        return
    rows = [(d.id, d.name, d.driver, d.isa, f"{d.units}", human_bytes(d.memory_bytes)) for d in found]
    output.line(output.table([("device", "name", "driver", "instructions", "units", "memory"), *rows], right="    rr"))
    if missing:
        output.line("\nNot usable here:")
        for name, why in missing.items():
            output.line(f"  {why if why.startswith(name) else f'{name}: {why}'}")
    output.line(f"\nCompiled kernels: {f'not kept: {why_unusable}' if why_unusable else folder}")

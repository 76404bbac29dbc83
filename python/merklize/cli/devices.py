"""`merklize devices`."""

from __future__ import annotations

import json

import click

import merklize

from . import output
from .options import human_bytes, json_option

BACKENDS = ("cpu", "cuda", "opencl", "sycl")


@click.command("devices")
@json_option
def command(as_json: bool) -> None:
    """List what this machine can compute on, and why the rest cannot be used.

    The first column is what --device takes; "auto" stands for the first line.
    """
    found = merklize.devices()
    missing = {name: merklize.why_unavailable(name) for name in BACKENDS if name not in {d.backend for d in found}}
    if as_json:
        fields = ("id", "backend", "name", "isa", "units", "memory_bytes")
        listed = [{field: getattr(device, field) for field in fields} for device in found]
        output.line(json.dumps({"devices": listed, "unavailable": missing}, indent=2))
        return
    rows = [(d.id, d.name, d.isa, f"{d.units}", human_bytes(d.memory_bytes)) for d in found]
    output.line(output.table([("device", "name", "instructions", "units", "memory"), *rows], right="   rr"))
    if missing:
        output.line("\nNot usable here:")
        for name, why in missing.items():
            output.line(f"  {name}: {why}")

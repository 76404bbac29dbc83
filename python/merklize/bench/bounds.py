"""What bounds a job on a device: the rates that were measured of it by itself. docs/notes/gpu-instructions.md says
how.
"""

from __future__ import annotations

from typing import Any, NamedTuple

BLOCK, NODE = 64, 32  # bytes of a compression's message, and of a digest


class Rates(NamedTuple):
    """Of one device, a second."""

    compressions: float
    """Of BLAKE3, if its busiest pipe never idles."""
    memory_bytes: float
    """Of the device's memory, read and written by a copy."""
    link_bytes: float
    """Of the link to the host, each way, from pinned memory."""


RATES = {"NVIDIA H200": Rates(36.7e9, 4.26e12, 55.2e9)}


def shares(row: dict[str, Any], device: str) -> dict[str, float]:
    """Which share of each bound a row reaches, 0 to 1; nothing for devices and jobs whose bounds are not known."""
    rates = RATES.get(device)
    if rates is None or row["hash"] != "blake3" or "kernel" not in row:
        return {}
    n = row["n"]
    if row["suite"] == "blake3-hash":
        compressions, moved, up = n / BLOCK, n, n
    elif row["suite"] == "blake3-merklize":  # n merges: two nodes in, one out; the leaves come, as many nodes go back
        compressions, moved, up = n, 3 * NODE * n, NODE * n
    else:
        return {}
    kernel = row["kernel"]["median"]
    found = {
        "pipe": compressions / rates.compressions / kernel,
        "memory": moved / rates.memory_bytes / kernel,
    }
    if "end_to_end" in row:
        found["link"] = up / rates.link_bytes / row["end_to_end"]["median"]
    return found

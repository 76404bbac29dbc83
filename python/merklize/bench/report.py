"""The terminal's tables, in the form that the originals printed theirs."""

from __future__ import annotations

from typing import Any

from .originals import best_of, hardware_ratio

HEAD = ("job", "size", "kernel", "copy in", "copy out", "whole", "rate")
SIDES = " rrrrrr"


def human_time(seconds: float) -> str:
    """Return a time as text of at most eight characters: 0.0015 -> "1.500 ms"."""
    for unit, factor in (("s", 1.0), ("ms", 1e3)):
        if seconds * factor >= 1:
            return f"{seconds * factor:#.4g} {unit}"
    return f"{seconds * 1e6:#.4g} us"


def line(row: dict[str, Any], device: str) -> tuple[tuple[str, ...], str]:
    """Return one line of the table, with the lines below it: policy, threads, comparison."""
    start = (_job(row), f"2^{row['log2']}")
    if "skipped" in row:
        return start, _joined(_policy(row), f"skipped: {row['skipped']}")
    times = (
        human_time(row[name]["median"]) if name in row else ""
        for name in ("kernel", "to_device", "to_host", "end_to_end")
    )
    compared = _peer(row) if "peer" in row else _original(row, device)
    return (*start, *times, _rate(row)), _joined(_policy(row), compared)


def _joined(*texts: str) -> str:
    return "; ".join(filter(None, texts))


def _job(row: dict[str, Any]) -> str:
    if "peer" in row:
        return f"  {row['peer']} {row.get('peer_version', '')}".rstrip()
    return f"{row['job']}, {row['hash']}"


def _policy(row: dict[str, Any]) -> str:
    threads = "1 thread" if row.get("threads") == 1 else ""
    return ", ".join(filter(None, ("" if row["policy"] == "tuned" else row["policy"], threads)))


def _rate(row: dict[str, Any]) -> str:
    ends = ("GB/s", "MB/s") if row["unit"] == "bytes" else ("M/s", "k/s")
    factors = (1e9, 1e6) if row["unit"] == "bytes" else (1e6, 1e3)
    small = row["rate"] < factors[0]
    return f"{row['rate'] / factors[small]:.4g} {ends[small]}"


def _original(row: dict[str, Any], device: str) -> str:
    original = best_of(row["suite"], row["hash"], row["log2"])
    if original is None:
        return ""
    faster = original.kernel / row["kernel"]["median"]
    hardware = hardware_ratio(original, device)
    said = f"{human_time(original.kernel)} on a {original.device}: {faster:.3g}x"
    return f"{said}, {faster / hardware:.3g}x beyond the hardware" if hardware else said


def _peer(row: dict[str, Any]) -> str:
    ratio = row["ratio"]
    said = (
        f"ours {human_time(row['ours']['median'])}: {ratio['median']:.3g}x ({ratio['min']:.3g} to {ratio['max']:.3g})"
    )
    return said if row["same_answer"] else f"{said}; answers not compared"

"""The terminal's tables, in the form that the originals printed theirs."""

from __future__ import annotations

from typing import Any

from .originals import best_of, hardware_ratio

HEAD = ("job", "size", "policy", "kernel", "host to device", "device to host", "end to end", "rate", "compared")
SIDES = " r rrrrr "


def human_time(seconds: float) -> str:
    """0.0015 -> "1.500 ms"."""
    for unit, factor in (("s", 1.0), ("ms", 1e3)):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3f} {unit}"
    return f"{seconds * 1e6:.1f} us"


def line(row: dict[str, Any], device: str) -> tuple[str, ...]:
    """One line of the table."""
    start = (_job(row), f"2^{row['log2']}", _policy(row))
    if "skipped" in row:
        return (*start, f"skipped: {row['skipped']}", "", "", "", "", "")
    return (
        *start,
        *(
            human_time(row[name]["median"]) if name in row else ""
            for name in ("kernel", "to_device", "to_host", "end_to_end")
        ),
        _rate(row),
        _peer(row) if "peer" in row else _original(row, device),
    )


def _job(row: dict[str, Any]) -> str:
    if "peer" in row:
        return f"  {row['peer']} {row.get('peer_version', '')}".rstrip()
    return f"{row['job']}, {row['hash']}"


def _policy(row: dict[str, Any]) -> str:
    threads = "1 thread" if row.get("threads") == 1 else ""
    return ", ".join(filter(None, (row["policy"], threads)))


def _rate(row: dict[str, Any]) -> str:
    if row["unit"] == "bytes":
        return f"{row['rate'] / 1e9:.4g} GB/s"
    return f"{row['rate'] / 1e6:.4g} M {row['unit']}/s"


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

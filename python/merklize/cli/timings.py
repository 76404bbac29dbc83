"""--timings: how long a device took, by its own clock."""

from __future__ import annotations

from collections.abc import Iterable

import merklize

from . import output

Seconds = dict[str, float]


def seconds(times: Iterable[merklize.Timings]) -> Seconds | None:
    """The sums over all calls of a command; None if there are no times, as on the CPU."""
    sums = dict.fromkeys(("kernel", "to_device", "to_host"), 0.0)
    calls = list(times)
    for one in calls:
        for name in sums:
            value = getattr(one, name)
            if value is None:
                return None
            sums[name] += value
    return sums if calls else None


def report(times: Iterable[merklize.Timings]) -> None:
    """One line on standard error: standard output holds the answer alone."""
    found = seconds(times)
    if found is None:
        output.complain("times: none, the CPU has no clock of its own")
    else:
        output.complain("times: " + ", ".join(f"{name.replace('_', ' ')} {human_time(s)}" for name, s in found.items()))


def human_time(seconds: float) -> str:
    """0.0015 -> "1.5 ms"."""
    for unit, factor in (("s", 1), ("ms", 1e3)):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e6:.3g} us"

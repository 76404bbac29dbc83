"""How tests wait: for events. Time is a limit only for what hangs."""

from __future__ import annotations

import time
from collections.abc import Callable

HANG = 3600.0
"""Seconds after which something hangs, on the busiest machine."""


def eventually(happened: Callable[[], object]) -> None:
    """Wait for what another process or thread does and does not tell."""
    end = time.monotonic() + HANG
    while not happened():
        assert time.monotonic() < end
        time.sleep(0.01)

"""Tests wait for events. Time is only a limit for hangs."""

from __future__ import annotations

import time
from collections.abc import Callable

HANG = 1200.0
"""Seconds after which a test hangs, even on a busy machine. The gate outlasts one such test, so that it names it."""


def eventually(happened: Callable[[], object]) -> None:
    """Wait until a condition holds that another process or thread makes true without an event."""
    end = time.monotonic() + HANG
    while not happened():
        assert time.monotonic() < end
        time.sleep(0.01)

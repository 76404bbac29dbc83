"""Progress of work that Python does piece by piece."""

from __future__ import annotations

import threading
import time

from ..errors import Cancelled
from ..extensions import Progress, cancels


class Report:
    """Calls the caller's progress function at most every 50 ms. Threads may share one."""

    def __init__(self, progress: Progress, total: int | None) -> None:
        """Begin. total  bytes; None or 0: not known."""
        self._progress, self._total = progress, total
        self._done = 0
        self._next = 0.0
        self._lock = threading.Lock()

    def add_total(self, count: int) -> None:
        """Note that there is more to do."""
        with self._lock:
            self._total = (self._total or 0) + count

    def add(self, count: int) -> None:
        """Note work. Raises Cancelled."""
        if self._progress is None:
            return
        with self._lock:
            self._done += count
            now = time.monotonic()
            if now < self._next:
                return
            self._next = now + 0.05
            share = min(1.0, self._done / self._total) if self._total else 0.0
            if cancels(self._progress(share)):
                raise Cancelled("cancelled by the caller's progress function")


class Part:
    """The progress function of one of several objects."""

    def __init__(self, report: Report) -> None:
        """Begin with no bytes."""
        self._report, self._size, self._done = report, 0, 0

    def begin(self, size: int) -> None:
        """Note how many bytes there are."""
        self._size = size
        self._report.add_total(size)

    def __call__(self, share: float) -> None:
        """Note that this share is done. Raises Cancelled."""
        done = int(share * self._size)
        self._report.add(done - self._done)
        self._done = done

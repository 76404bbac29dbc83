"""A progress bar on standard error, drawn only on a terminal and only for work that takes a while."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress

DELAY = 0.4  # seconds before the first drawing: short work should not flicker, nor pay for importing rich
PERIOD = 0.1

Report = Callable[[float], None]


class Bar:
    """Progress over `parts` equal parts (say files), done one or several at a time. parts=0: the count is not known."""

    def __init__(self, what: str, parts: int = 1) -> None:
        self._what = what
        self._parts = parts
        self._finished = 0
        self._next = time.monotonic() + DELAY
        self._drawn: Progress | None = None
        self._enabled = sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"

    @contextmanager
    def part(self, count: int = 1) -> Iterator[Report | None]:
        """The work on the next `count` parts. Gives the library's progress function, or None where nobody would see."""
        try:
            yield (lambda done: self._draw(self._finished + done * count)) if self._enabled else None
        finally:
            self._finished += count
            if self._drawn is not None:
                self._drawn.stop()
                self._drawn = None

    def _draw(self, done: float) -> None:
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + PERIOD
        if self._drawn is None:
            self._drawn = self._begin()
        (task,) = self._drawn.task_ids
        if self._parts:
            self._drawn.update(task, completed=done, refresh=True)
        else:
            self._drawn.update(task, description=f"{self._what}: {int(done)} done", refresh=True)

    def _begin(self) -> Progress:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

        # The text may hold names of files: no markup in it. Drawn from the library's own calls, so no thread.
        columns = [
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TaskProgressColumn(),
            TimeRemainingColumn(),
        ]
        progress = Progress(*columns, console=Console(stderr=True), transient=True, auto_refresh=False)
        progress.add_task(self._what, total=self._parts or None)
        progress.start()
        return progress

"""The numbers by which stores are read."""

from __future__ import annotations


class Limits:
    """The limits of every read of an object. Assign to the fields of `merklize.stores.limits` to change them."""

    range_size: int = 8 << 20
    """Bytes of one request, which are retried together."""
    parallel: int = 8
    """Ranges in flight, of all objects of a call."""
    waiting: int = 8
    """Ranges that may wait in memory until those before them have arrived."""
    attempts: int = 5
    """Attempts for each range."""
    pause: float = 0.2
    """Seconds before the second attempt; each further pause is twice as long."""
    timeout: float = 60.0
    """Seconds that one attempt may take."""

    @property
    def memory(self) -> int:
        """Bytes of ranges that a call holds at most, for any number and size of objects."""
        return self.range_size * (2 * self.parallel + self.waiting)


limits = Limits()

"""How stores are read: the only place of the numbers."""

from __future__ import annotations


class Limits:
    """Of every read of an object. Change the fields of `merklize.stores.limits` for other values."""

    range_size: int = 8 << 20
    """Bytes that are asked for at once, and tried again at once."""
    parallel: int = 8
    """Ranges that are on their way at once, of all objects of a call."""
    waiting: int = 8
    """Ranges that may lie here until those before them have come."""
    attempts: int = 5
    """Times that a range is asked for."""
    pause: float = 0.2
    """Seconds before the second attempt; each further pause is twice as long."""
    timeout: float = 60.0
    """Seconds that one attempt may take."""

    @property
    def memory(self) -> int:
        """Bytes of ranges that a call holds at most, for any number and size of objects."""
        return self.range_size * (2 * self.parallel + self.waiting)


limits = Limits()

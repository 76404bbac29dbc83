"""Data in object stores: what the functions of merklize do with URLs. docs/stores.md says how they are read.

`limits`   bytes and counts of ranges, attempts, times: fields that may be set
"""

from ._limits import Limits, limits

__all__ = ["Limits", "limits"]

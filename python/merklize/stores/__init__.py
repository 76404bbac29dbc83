"""Data in object stores, for functions of merklize that get a URL. docs/stores.md says how objects are read.

`limits`   bytes and counts of ranges, attempts, times: fields that may be set
"""

from ._limits import Limits, limits

__all__ = ["Limits", "limits"]

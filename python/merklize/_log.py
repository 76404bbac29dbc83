"""The logger "merklize": what the extension did that costs time or was a choice. Imported where `logging` is."""

import logging

from . import _native
from .errors import masked

_logger = logging.getLogger("merklize")
_logger.addHandler(logging.NullHandler())  # silent until the program says otherwise


def hand_over() -> None:
    """Log what has happened since the last call."""
    for level, text in _native.new_log_entries():
        _logger.log(level, "%s", masked(text))

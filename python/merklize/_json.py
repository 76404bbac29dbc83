"""JSON as the library reads it: what readers take in different ways, such as a key that is there twice, is an error."""

from __future__ import annotations

from typing import Any

from . import _native, errors
from .errors import in_call


def shown(value: object) -> str:
    """Return a value of JSON as errors quote it, in JSON's words."""
    words = {None: "null", True: "true", False: "false"}
    return words[value] if value is None or isinstance(value, bool) else errors.shown(value)


def encoded(text: str | bytes) -> bytes:
    """Return the bytes of a text. Raises TypeError."""
    if not isinstance(text, (str, bytes, bytearray)):
        raise TypeError(in_call(f"the text must be str or bytes, got {type(text).__name__}"))
    return text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text


def read(text: str | bytes) -> Any:
    """Return the value of a text. Raises InvalidArgument, TypeError."""
    return _native.read_json(encoded(text))

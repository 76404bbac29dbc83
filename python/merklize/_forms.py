"""What a tree is, apart from its leaves. The extension gets it as one tuple."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

if TYPE_CHECKING:
    from typing_extensions import Buffer

Form = tuple[str, Optional[str], Any, Optional[str], Any]
"""(hash, rule, key, context, padding)."""


def form(hash: str, rule: str | None, key: Buffer | None, context: str | None, padding: Buffer | None = None) -> Form:
    """Return the tuple."""
    return hash, rule, key, context, padding

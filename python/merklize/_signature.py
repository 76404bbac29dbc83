"""The signature of a class of the extension, made from the extension's text for `__init__`."""

from __future__ import annotations

from typing import Any


class Signature:
    """A class's `__signature__`, made at its first use, because `inspect` takes long to import."""

    def __get__(self, instance: object, owner: Any) -> Any:
        """Return an inspect.Signature."""
        import inspect

        made: dict[str, Any] = {}
        exec(f"from __future__ import annotations\n{owner.__init__.__nb_signature__[0][0]}: ...", made)
        found = inspect.signature(made["__init__"])
        return found.replace(parameters=list(found.parameters.values())[1:], return_annotation=inspect.Signature.empty)

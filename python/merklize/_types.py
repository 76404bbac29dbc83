"""Names for annotations. Their definitions are imported only when needed, because NumPy takes long to import."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._type_definitions import *  # noqa: F403
else:
    from typing import ForwardRef, Union

    def __getattr__(name: str) -> Any:
        """Return a type that typing.get_type_hints() replaces by what the name means."""
        if name.startswith("_"):
            raise AttributeError(name)
        meaning = f"__import__('merklize._type_definitions')._type_definitions.{name}"
        # A union, which is one type in the end, because before Python 3.11 a reference alone takes no `| None`.
        found = globals()[name] = Union[ForwardRef(meaning), ForwardRef(f"({meaning})")]
        return found

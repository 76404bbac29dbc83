"""The options that many functions take, each defined once: of a run, of a keyed hash, of a tree.

A function that takes them says `**options: Unpack[RunOptions]`, which type checkers read, and has `@takes(RunOptions)`,
which shows them to inspect.signature() and help().
"""

from __future__ import annotations

import functools
from types import FunctionType
from typing import Any, Callable, NamedTuple, TypedDict, TypeVar, cast

from . import _native
from ._formats import Format, with_format
from ._native import flag
from ._settings import settings
from ._types import Buffer, Device, HashName, Progress
from .errors import InvalidArgument


class RunOptions(TypedDict, total=False):
    """Where and how a call runs."""

    device: Device
    """"auto", or an id of devices(); several share data on the host: "cuda:all". Data on a device stays there."""
    threads: int | None
    """Threads of the CPU; None: all that the process may use."""
    stream: object
    """The device's queue to run on, after the commands that it has already; None: CUDA's default stream."""
    progress: Progress
    """Called about every 50 ms with the share of the work that is done, 0 to 1; returning False raises Cancelled."""


class _Mode(TypedDict, total=False):
    key: Buffer | None
    """32 bytes: keyed hashing, of the hash "blake3"; of "blake2s" 1 to 32."""
    context: str | None
    """Text that names a purpose: key derivation, of the hash "blake3"."""


class _Form(TypedDict, total=False):
    format: str | None
    """The system that verifies the tree. It fixes hash and rule (docs/formats.md)."""
    rule: str | None
    """What becomes of the last node of a level with an odd count."""
    padding: Buffer | None
    """For the rule "pad": 32 bytes, zeros by default."""


class HashOptions(_Mode, RunOptions, total=False):
    """The options of a hash with modes."""


class TreeOptions(_Form, _Mode, RunOptions, total=False):
    """The options of a tree."""


_DEFAULTS = {"device": "auto"}  # all other defaults are None

Function = TypeVar("Function", bound=Callable[..., Any])


def _nothing() -> None: ...


_names: dict[str, tuple[str, ...]] = {}


def takes(kind: Any) -> Callable[[Function], Function]:
    """Show the options of a TypedDict as parameters of a function that takes them as **options.

    `__wrapped__` is a stub with the full list of parameters, for help() and inspect. It is built by hand, because
    importing inspect would slow `import merklize`.
    """
    options = {name: getattr(what, "__forward_arg__", what) for name, what in kind.__annotations__.items()}

    def with_signature(function: Function) -> Function:
        taken: Any = function
        own = taken.__code__
        parameters = own.co_varnames[: own.co_argcount + own.co_kwonlyargcount] + tuple(options)
        code = _nothing.__code__.replace(
            co_name=own.co_name,
            co_filename=own.co_filename,
            co_firstlineno=own.co_firstlineno,
            co_argcount=own.co_argcount,
            co_posonlyargcount=own.co_posonlyargcount,
            co_kwonlyargcount=len(parameters) - own.co_argcount,
            co_varnames=parameters,
            co_nlocals=len(parameters),
        )
        with_all = FunctionType(code, taken.__globals__, taken.__name__, taken.__defaults__)
        with_all.__doc__ = taken.__doc__
        with_all.__module__ = taken.__module__
        with_all.__kwdefaults__ = {**(taken.__kwdefaults__ or {}), **{name: _DEFAULTS.get(name) for name in options}}
        own_types = {name: what for name, what in taken.__annotations__.items() if name not in ("options", "return")}
        with_all.__annotations__ = {**own_types, **options, "return": taken.__annotations__.get("return")}
        cast("Any", function).__wrapped__ = with_all
        # For typing.get_type_hints(): references of the TypedDict, which know the module of their names.
        function.__annotations__ = {**with_all.__annotations__, **kind.__annotations__}
        _names[_name_of(function)] = parameters
        return function

    return with_signature


def signature_of(function: Any) -> str:
    """Return the signature of a function that takes() options, as Python prints it."""
    shown_as = function.__wrapped__
    names = list(shown_as.__code__.co_varnames[: shown_as.__code__.co_argcount])
    defaults = shown_as.__defaults__ or ()
    for k, value in enumerate(defaults, len(names) - len(defaults)):
        names[k] += f"={value!r}"
    return f"({', '.join([*names, '*', *(f'{k}={v!r}' for k, v in shown_as.__kwdefaults__.items())])})"


def _name_of(function: Any) -> str:
    name: str = function.__qualname__
    return name[: -len(".__init__")] if name.endswith(".__init__") else name


def run_of(what: str, options: Any, *, wait: bool = True, tuned: bool = True, timed: bool = True) -> _native.Settings:
    """Take the options of a run out of a call's **options, where nothing else may be left.

    what   the function, as takes() knows it: for the texts of errors
    wait, tuned, timed  as in settings()
    Raises TypeError: an unknown name, with the one that was perhaps meant.
    """
    device, threads = options.pop("device", "auto"), options.pop("threads", None)
    stream, progress = options.pop("stream", None), options.pop("progress", None)
    if options:
        _refuse(what, next(iter(options)))
    if progress is not None and not flag(wait, "wait"):
        raise InvalidArgument("progress must not be given with wait=False: the call ends before its work")
    return settings(device, threads, progress, stream, wait, tuned=tuned, timed=timed)


# Former options, and options of other functions, with what to use instead.
_ELSEWHERE = {
    "pairs": 'the hash "keccak256_sorted" sorts its pairs',
    "policy": "with merklize.tuning.options(policy=...) around the call",
    "timings": "with merklize.tuning.options(timings=...) around the call",
}


def _refuse(what: str, name: str) -> None:
    import difflib

    close = difflib.get_close_matches(name, _names.get(what, ()), 1)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    raise TypeError(f"{what}() takes no argument {name!r}{': ' + _ELSEWHERE[name] if name in _ELSEWHERE else hint}")


def mode_of(options: Any) -> tuple[Buffer | None, str | None]:
    """Take key and context out of a call's **options."""
    return options.pop("key", None), options.pop("context", None)


class Form(NamedTuple):
    """The options of a tree."""

    format: Format | None
    hash: HashName
    native: _native.TreeForm
    key: Buffer | None
    context: str | None

    @property
    def needs_bytes(self) -> bool:
        """Whether an empty file has no root."""
        return self.format is not None and self.format.name == "bittorrent_v2"


_FORM_OPTIONS = frozenset(("format", "rule", "padding", "key", "context"))


@functools.lru_cache(64)
def _plain_form(hash: HashName) -> Form:
    """Return the form of a tree of which nothing is said but the hash: most are."""
    return Form(None, hash, _native.TreeForm(hash, None, None, None, None), None, None)


def form_of(hash: HashName | None, options: Any, **refused: object) -> Form:
    """Take the options of a tree out of a call's **options.

    hash     as it was given; None: the format's, else "blake3"
    refused  other options that a format does not take
    """
    if _FORM_OPTIONS.isdisjoint(options) and (hash is None or type(hash) is str):
        return _plain_form("blake3" if hash is None else hash)
    key, context = mode_of(options)
    padding = options.pop("padding", None)
    given = {"key": key, "context": context, "padding": padding, **refused}
    found, hash, rule = with_format(options.pop("format", None), hash, options.pop("rule", None), **given)
    unambiguous = found is not None and found.is_ambiguous
    return Form(found, hash, _native.TreeForm(hash, rule, key, context, padding, unambiguous), key, context)

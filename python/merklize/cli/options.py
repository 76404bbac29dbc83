"""Options that several commands share, and sizes as people write them."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import click

import merklize
from merklize import _native

from . import output


class Count(click.ParamType):  # type: ignore[type-arg]  # generic from click 8.3 on
    """A whole number in plain digits, as b3sum takes it. Python takes more: " 5", "1_000", digits of other scripts."""

    name = "integer"

    def __init__(self, least: int = 0) -> None:
        """Take least to 2^64 - 1."""
        self.least = least

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Read the digits."""
        if isinstance(value, int):
            return value
        if not re.fullmatch("[+]?[0-9]{1,1000}", value):
            self.fail(f"{value!r} is not a number in plain digits", param, ctx)
        if not self.least <= (number := int(value)) < 2**64:
            self.fail(f"{value} is not {self.least} to 2^64 - 1", param, ctx)
        return number


def parse_size(text: str) -> int:
    """A count of bytes: 65536, 64K, 64KiB, 1M, 2G (powers of 1024)."""
    match = re.fullmatch(r"(\d{1,18})\s*(?:([KMGT])(?:i?B)?)?", text, re.ASCII | re.IGNORECASE)
    if not match:
        raise click.BadParameter(f"{text!r} is not a size such as 65536, 64K or 1MiB")
    return int(match[1]) << (10 * ("KMGT".index(match[2].upper()) + 1) if match[2] else 0)


def size_option(_: click.Context, __: click.Parameter, text: str | None) -> int | None:
    return None if text is None else parse_size(text)


def output_name(_: click.Context, __: click.Parameter, text: str | None) -> str | None:
    """The name of a file, or - for standard output, which /dev/stdout is as well."""
    if text == "":
        raise click.BadParameter("the name of the file is empty")
    with suppress(OSError, AttributeError, ValueError):
        if text is not None and os.path.samestat(os.stat(text), os.fstat(sys.stdout.fileno())):
            return "-"
    return text


def parse_policy(_: click.Context, __: click.Parameter, texts: tuple[str, ...]) -> dict[str, int | str] | None:
    """Reads levels_per_launch=1,constants=local. The library knows fields and values, and says what is wrong."""
    if not texts:
        return None
    try:
        if not all(texts):
            raise click.BadParameter("must be NAME=VALUE,..., got nothing")
        policy = _native.policy_from_text(",".join(texts))
    except merklize.InvalidArgument as error:
        raise click.BadParameter(str(error)) from None
    return policy or None


def human_bytes(count: int) -> str:
    """1536 -> "1.5 KiB"."""
    size = float(count)
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if size < 1024:
            return f"{size:.4g} {unit}"
        size /= 1024
    return f"{size:.4g} TiB"


def known(check: Callable[[str], object]) -> Callable[[click.Context, click.Parameter, Any], Any]:
    """The callback of an option whose value is a name, or several: what `check` refuses is wrong usage."""

    def callback(_: click.Context, __: click.Parameter, given: Any) -> Any:
        try:
            for name in given if isinstance(given, tuple) else [] if given is None else [given]:
                check(name)
        except merklize.InvalidArgument as error:
            raise click.BadParameter(str(error)) from None
        return given

    return callback


def find_device(name: str) -> None:
    """Raise InvalidArgument: there is no such device; Unavailable: it cannot be used here."""
    if name != "all":
        merklize.hash(b"", device=name)


def device_option_for(help: str) -> Callable[[Any], Any]:
    """The option --device of a command that says what it does there."""
    return click.option(
        "--device", default="auto", show_default=True, callback=known(find_device), metavar="NAME", help=help
    )


hashes_option = click.option(
    "--hash",
    "hashes",
    multiple=True,
    callback=known(_native.hash_by_name),
    metavar="NAME",
    help="Only this hash; may be given several times.",
)
threads_option = click.option(
    "--num-threads",
    "--threads",
    "threads",
    type=Count(),
    default=0,
    metavar="NUM",
    help="CPU threads to use; 0 means all.",
)
version_option = click.version_option(
    merklize.__version__, "-V", "--version", prog_name="merklize", message="%(prog)s %(version)s"
)


def note_json(_: click.Context, __: click.Parameter, as_json: bool) -> bool:
    """An error is JSON then, too."""
    output.State.wants_json = as_json
    return as_json


json_option = click.option("--json", "as_json", is_flag=True, callback=note_json, help="Machine-readable output.")

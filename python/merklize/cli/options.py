"""Options that several commands share."""

from __future__ import annotations

import re
from typing import Any

import click

import merklize
from merklize import _native


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


threads_option = click.option(
    "--num-threads",
    "threads",
    type=Count(),
    default=0,
    metavar="NUM",
    help="CPU threads to use; 0 means all.",
)
version_option = click.version_option(
    merklize.__version__, "-V", "--version", prog_name="merklize", message="%(prog)s %(version)s"
)
json_option = click.option("--json", "as_json", is_flag=True, help="Machine-readable output.")

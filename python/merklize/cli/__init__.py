"""The commands of `merklize` that are Python's: they need NumPy, plots and other people's packages. src/command has all
others, and hands over to these.

Every command lives in a module of its own that is imported only when it runs.
"""

from __future__ import annotations

from importlib import import_module

import click

import merklize

from . import output
from .options import version_option

# Name, which is that of the module too (with - for _), and what --help says, so that it need not import them.
COMMANDS = {
    "fetch": "Download a file, verified against its digest as it comes; resumable.",
    "bench": "Measure this machine: digests, trees, proofs, files.",
    "tune": "Find this machine's fastest policies, and keep them.",
    "build-kernels": "Compile OpenCL kernels to SPIR-V, ahead of time.",
}


class LazyGroup(click.Group):
    """Finds sub-commands by name, and turns what can go wrong outside this program into one line and an exit code."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        command: click.Command = import_module(f"{__name__}.{name.replace('-', '_')}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def invoke(self, ctx: click.Context) -> None:
        try:
            super().invoke(ctx)
            output.flush()
        except KeyboardInterrupt:
            raise click.exceptions.Exit(130) from None
        except output.StdoutClosed:
            raise click.exceptions.Exit(141) from None
        except (merklize.Error, OSError, MemoryError) as error:
            raise output.Failure(output.reason(error)) from None


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@version_option
def cli() -> None:
    """Commands of `merklize` that are Python's."""


def main(words: list[str]) -> int:
    """Run a command of Python's. Returns its exit code."""
    output.State.reset()
    try:
        cli(words, prog_name="merklize")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 1
    except KeyboardInterrupt:  # in the few moments outside of a command
        return 130
    return 0

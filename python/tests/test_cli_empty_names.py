"""An empty name of a file is refused by every command before it begins: no file has that name."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli_helpers import LINES, command_of, merklize, options_of, output

OPTIONS = [(line, name) for line in LINES for name, _ in options_of(line, ("FILE", "TREE", "PROOF", "INPUT"))]


def arguments_of(line: str) -> list[str]:
    """The words between the command and its first option."""
    words = line.split()[len(command_of(line)) :]
    return words[: next((i for i, word in enumerate(words) if word.startswith("-")), len(words))]


ARGUMENTS = [(line, place) for line in LINES for place in range(len(arguments_of(line)))]


@pytest.mark.parametrize(("line", "name"), OPTIONS)
def test_options(tmp_path: Path, line: str, name: str) -> None:
    done = merklize(*line.split(), f"--{name}", "", cwd=tmp_path)
    assert (done.returncode, done.stderr.count(b": the name of the file is empty")) == (2, 1), done.stderr


@pytest.mark.parametrize(("line", "place"), ARGUMENTS)
def test_arguments(tmp_path: Path, line: str, place: int) -> None:
    words = line.split()
    words[len(command_of(line)) + place] = ""
    done = merklize(*words, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.rstrip().endswith(b"' is empty."), done.stderr


def test_every_command_has_a_line() -> None:
    def commands(*group: str) -> list[str]:
        listed = output(*group, "--help").partition("\nCommands:\n")[2].splitlines()
        return [" ".join([*group, line.split()[0]]) for line in listed if line.startswith("  ") and line[2] != " "]

    groups = {"tree", "bao", "manifest", "verity", "xmss"}
    every = {*commands()} - groups | {name for group in groups for name in commands(group)}
    assert every == {" ".join(command_of(line)) for line in LINES}

"""Names of files that a command cannot take are refused before it begins: empty ones, and - where it names nothing."""

from __future__ import annotations

import re
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


@pytest.mark.parametrize(
    "line",
    [
        "tree verify - --root {root} --leaf-file -",
        "tree verify - --root {root} --keyed",
        "tree verify p --root {root} --leaf-file - --keyed",
        "tree build - --leaf-size 8 --keyed",
        "tree check t - --keyed",
        "tree update t 0 --from - --keyed",
        "tree append t - --keyed",
        "bao decode - --outboard - --root {root}",
        "bao verify - --outboard - --root {root}",
        "bao slice - --outboard - --range 0,1",
        "manifest diff - -",
    ],
)
def test_standard_input_is_read_once(tmp_path: Path, line: str) -> None:
    done = merklize(*line.format(root="00" * 32).split(), stdin=bytes(32), cwd=tmp_path)
    assert done.returncode == 2
    assert re.search(rb"standard input (can be read once|holds the key)", done.stderr), done.stderr


@pytest.mark.parametrize(
    "line",
    ["tree check -", "tree show -", "tree append - f", "verity format - h", "verity format f -", "verity dump -"],
)
def test_what_must_be_a_path(tmp_path: Path, line: str) -> None:
    (tmp_path / "f").write_bytes(bytes(4096))
    done = merklize(*line.split(), cwd=tmp_path)
    assert (done.returncode, b" must be a path: " in done.stderr) == (2, True), done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["f"]


def test_every_command_has_a_line() -> None:
    def commands(*group: str) -> list[str]:
        listed = output(*group, "--help").partition("\nCommands:\n")[2].splitlines()
        return [" ".join([*group, line.split()[0]]) for line in listed if line.startswith("  ") and line[2] != " "]

    groups = {"tree", "bao", "manifest", "verity", "xmss"}
    every = {*commands()} - groups | {name for group in groups for name in commands(group)}
    assert every == {" ".join(command_of(line)) for line in LINES}

"""Help: by `help` and --help, with an example in each group, in sentences that stand alone."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cli_helpers import merklize, output


@pytest.mark.parametrize(
    "words", ["", "tree", "tree build", "manifest create", "tune list", "hash", "verity format", "fetch"]
)
def test_help_of_a_command(words: str) -> None:
    """`merklize help tree build` is `merklize tree build --help`."""
    assert output("help", *words.split()) == output(*words.split(), "--help")


def test_help_in_a_group_and_of_no_command() -> None:
    assert output("tree", "help", "build") == output("tree", "build", "--help")
    done = merklize("help", "tree", "biuld")
    assert done.returncode == 2
    assert b"No such command 'biuld'. Did you mean 'build'?" in done.stderr


@pytest.mark.parametrize("group", ["tree", "bao", "verity", "manifest"])
def test_a_group_has_an_example_that_runs(group: str, tmp_path: Path) -> None:
    (tmp_path / "disk.img").write_bytes(bytes(1 << 17))
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "config.json").write_text("{}")
    example = re.search(r"^  Example: merklize (.+)$", output(group, "--help"), re.MULTILINE)
    assert example
    output(*example[1].split(), cwd=tmp_path)


def test_sentences_stand_alone() -> None:
    commands = ["fetch", "tune", "bench", "tree show", "tree update", "manifest create", "manifest show", "devices"]
    said = " ".join(" ".join(output(*words.split(), "--help") for words in commands).split())
    for left_out in (
        "Tries that bring nothing",
        "Of silence",
        "A second that must come",
        "before this one",
        "begin of",
        "begins of",
        "is waited for",
        "to pieces of this size",
        "goes by what is kept",
        "stands for the first line",
    ):
        assert left_out not in said
    for whole in (
        "Give up after NUM attempts in a row that receive nothing (5).",
        "Slowest acceptable speed, bytes/s, averaged over --timeout (1024; 0: no limit).",
        "TREE changes whole or not at all.",
        "for inputs within 4x of the measured size",
    ):
        assert whole in said


def test_the_old_name_of_min_speed_is_taken() -> None:
    assert "--speed-limit" not in output("fetch", "--help")
    errors = [merklize("fetch", "http://h/x", name, "1").stderr for name in ("--min-speed", "--speed-limit")]
    assert errors[0] == errors[1]
    assert b"No such option" not in errors[0]

"""Every option that takes a number: what is none is named with its rule, and 64 bits are never called too long."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from cli_helpers import LINES, files_of_each_kind, merklize, options_of, output

NUMBERS = ("NUM", "N", "LEN", "SEEK", "SIZE", "BYTES", "SECONDS", "START,LENGTH")
UNBOUNDED = {"repeat", "retries", "policies", "length"}  # much work, which was asked for


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("numbers")
    files_of_each_kind(folder)
    return folder


CASES = [(line, name, kind) for line in LINES for name, kind in options_of(line, NUMBERS)]


@cache
def root_of(path: Path) -> str:
    return output("hash", "--no-names", str(path)).strip()


def run(folder: Path, line: str, *more: str) -> tuple[int, str]:
    (folder / "new").unlink(missing_ok=True)
    done = merklize(*line.format(root=root_of(folder / "f")).split(), *more, cwd=folder)
    said = done.stderr.decode()
    assert "Traceback" not in said
    assert done.returncode in (0, 1, 2)
    return done.returncode, said


@pytest.mark.parametrize(("line", "name", "kind"), CASES)
def test_what_is_no_number(folder: Path, line: str, name: str, kind: str) -> None:
    for value in ("-1", "x", "", "1.5", " 1", "1_0", "\uff15", "0x5", "18446744073709551616", "9" * 5000):
        text = f"{value},5" if kind == "START,LENGTH" else value
        for words in ([f"--{name}", text], [f"--{name}={text}"]):
            code, said = run(folder, line, *words)
            assert code == 2, (words, said)
            assert f"--{name}" in said or f"'{name}'" in said or value == "", said
            assert text[:30] in said or value == "", said
            assert "requires an argument" not in said


@pytest.mark.parametrize(("line", "name", "kind"), CASES)
def test_large_numbers(folder: Path, line: str, name: str, kind: str) -> None:
    """They mean what they say, so they are only refused by a rule of the option."""
    if name in UNBOUNDED:
        return
    for value in ("999999999999999999", "9223372036854775807", "9223372036854775808", "18446744073709551615"):
        for text in (f"0,{value}", f"{value},{value}") if kind == "START,LENGTH" else (value,):
            _, said = run(folder, line, f"--{name}", text)
            for wrong in ("is not a size", "is not a number", "must be START,LENGTH", "below 2^64 bytes"):
                assert wrong not in said, (text, said)


def test_ranges_to_the_end(folder: Path) -> None:
    for length in ("8192", "9223372036854775807", "18446744073709551615"):
        output("bao", "slice", "f.bao", "--range", f"0,{length}", "-o", f"slice-{length}", cwd=folder)
    assert len({path.read_bytes() for path in folder.glob("slice-*")}) == 1


def test_words_that_are_numbers(tmp_path: Path) -> None:
    folder = tmp_path  # the commands above changed the tree of the other one
    files_of_each_kind(folder)
    leaf = "11" * 32
    for value in ("18446744073709551615", "9223372036854775807", "18446744073709551616", "-1", "9" * 5000):
        for line in (f"tree prove t {value}", f"tree show t {value}", f"tree update t {value} --from f",
                     f"tree prove t {value}-{value}", f"tree update t {value}={leaf}"):  # fmt: skip
            code, said = run(folder, line)
            assert code != 0
            assert value[:60] in said or "ends before piece" in said, said

"""Compares `merklize hash` with b3sum, call by call. The answers of b3sum are in tests/vectors/b3sum.json.

With B3SUM=PROGRAM the program runs again and must give the recorded answers. With
MERKLIZE_RECORD_B3SUM=1 its answers are written there.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

import judges
from cli_helpers import B3SUM, b3sum, merklize

RECORDED = Path(__file__).parents[2] / "tests" / "vectors" / "b3sum.json"
NUMBERS = ["0", "1", "5", "31", "32", "33", "64", "65", "1000", "+5", "007"]
WRONG_NUMBERS = ["-1", " 5", "5 ", "1_000", "0x5", "1e3", "5.0", "", "ten", "\uff15", str(2**64)]
LISTS = {
    "list": lambda line: line("a") + line("b c"),
    "list-missing": lambda line: line("a") + line("none", "a"),
    "list-wrong": lambda line: line("a", "b c") + line("b c"),
    "list-bad": lambda line: b"nonsense\n" + line("a"),
    "list-empty": lambda line: b"",
    "list-upper": lambda line: line("a").upper(),
    "list-crlf": lambda line: line("a").replace(b"\n", b"\r\n"),
    "list-no-end": lambda line: line("a")[:-1],
    "list-tag": lambda line: b"BLAKE3 (a) = " + line("a")[:64] + b"\n",
    "list-escaped": lambda line: b"\\" + line("n\nl").replace(b"n\nl", b"n\\nl"),
}


def all_cases() -> list[tuple[list[str], str]]:
    """Arguments and standard input."""
    files = ["a", "b c", "n\nl", "b\\s", "empty", "large"]
    cases: list[tuple[list[str], str]] = [([name], "") for name in files]
    cases += [([*flags, *files], "") for flags in ([], ["--tag"], ["--no-names"], ["--tag", "--no-names"])]
    cases += [([f"--length={n}", "a"], "") for n in (*NUMBERS, *WRONG_NUMBERS)]
    cases += [([f"--seek={n}", "-l", "5", "a"], "") for n in (*NUMBERS, *WRONG_NUMBERS, str(2**64 - 5), str(2**63))]
    cases += [([f"--num-threads={n}", "large"], "") for n in ("0", "1", "2", "+1", *WRONG_NUMBERS)]
    cases += [([f"--derive-key={text}", *files], "") for text in ("", "context", "\u00fc")]
    cases += [(["--keyed", "a"], "k" * size) for size in (0, 31, 32, 33)]
    cases += [(["--keyed"], "k" * 32), (["--keyed", "--derive-key", "x", "a"], "k" * 32), (["--keyed", "-"], "k" * 32)]
    cases += [([], "in"), (["-"], "in"), (["-", "a", "-"], "in"), (["--no-mmap", "-"], "in"), (["--", "-"], "in")]
    cases += [(["--raw", "a"], ""), (["--raw", "a", "empty"], ""), (["--raw", "--length", "3", "large"], "")]
    cases += [(["none"], ""), (["a", "none", "empty"], ""), (["folder"], ""), (["--tag", "none", "a"], "")]
    cases += [(["--check", name], "") for name in LISTS]
    cases += [(["--check", "--quiet", name], "") for name in ("list", "list-missing", "list-wrong")]
    cases += [(["-c", "list", "list-tag"], ""), (["-c", "none"], "")]
    cases += [(["--quiet", "a"], ""), (["--check", "--tag", "list"], ""), (["--check", "--no-names", "list"], "")]
    cases += [(["--check", "--raw", "list"], ""), (["--nonsense", "a"], ""), (["--length"], ""), (["-l5", "a"], "")]
    return cases


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("b3sum")
    contents = {"a": b"abc", "b c": b"x", "n\nl": b"nl", "b\\s": b"bs", "empty": b"", "large": bytes(range(251)) * 9000}
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    (folder / "folder").mkdir()
    import blake3

    def line(name: str, content: str | None = None) -> bytes:
        return f"{blake3.blake3(contents[content or name]).hexdigest()}  {name}\n".encode()

    for name, make in LISTS.items():
        (folder / name).write_bytes(make(line))
    return folder


def ours(arguments: list[str], stdin: str, folder: Path) -> tuple[int, bytes]:
    """The exit code and standard output of the command."""
    done = merklize("hash", *arguments, stdin=stdin.encode(), cwd=folder)
    return done.returncode, done.stdout


def recorded() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(RECORDED.read_text())
    return found


def plain(code: int, stdout: bytes) -> dict[str, Any]:
    # Rust adds the number of the system's error to its text.
    return {"fails": code != 0, "stdout": re.sub(r" \(os error \d+\)", "", stdout.decode("latin-1"))}


def test_the_program_does_what_is_recorded(folder: Path) -> None:
    if not B3SUM:
        pytest.skip(judges.find("b3sum")[1])
    answers = []
    for arguments, stdin in all_cases():
        done = b3sum(*arguments, stdin=stdin.encode(), cwd=folder)
        answers.append({"arguments": arguments, "stdin": stdin, **plain(done.returncode, done.stdout)})
    if os.environ.get("MERKLIZE_RECORD_B3SUM"):
        version = b3sum("--version").stdout.decode().strip()
        about = f"What {version} (cargo install b3sum) did with the calls of python/tests/test_cli_b3sum.py."
        lines = ",\n".join("  " + json.dumps(answer) for answer in answers)
        RECORDED.write_text(f'{{"about": {json.dumps(about)}, "calls": [\n{lines}\n]}}\n')
    assert answers == recorded()["calls"]


def test_the_same_as_b3sum(folder: Path) -> None:
    calls = recorded()["calls"]
    assert [(call["arguments"], call["stdin"]) for call in calls] == all_cases()
    differing = {}
    for call in calls:
        found = plain(*ours(call["arguments"], call["stdin"], folder))
        if found != {"fails": call["fails"], "stdout": call["stdout"]}:
            differing[str(call["arguments"])] = (found, call)
    # A list that checks nothing passes in b3sum.
    ((found, call),) = [differing.pop("['--check', 'list-empty']")]
    assert (found["fails"], call["fails"], found["stdout"]) == (True, False, "")
    assert differing == {}

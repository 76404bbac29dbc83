"""Programs of others that judge ours. What lies on PATH decides nothing: a program is asked for its version, and for an
answer that is known, before it may judge.

    python judges.py NAME    exit code 0 if the program is on this machine and may judge; else 1 and the reason
"""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SYSTEM_FOLDERS = "/usr/sbin:/sbin:/usr/bin:/bin:/usr/local/bin"
SECONDS = 600  # a program that has not told its version by then hangs


@dataclass(frozen=True)
class Judge:
    """A program, how it tells its version, and a question whose answer is known (`{}`: a file with "abc")."""

    least: tuple[int, ...]
    below: tuple[int, ...] = (10**6,)
    version: str = r"(\d+(?:\.\d+)+)"
    ask_version: tuple[str, ...] = ("--version",)
    question: tuple[str, ...] = ()
    answer: str = ""
    """What the output contains."""
    variable: str = ""
    """The environment variable that names the program; where it is empty the program is looked for on PATH."""


JUDGES: Mapping[str, Judge] = {
    # The version whose answers tests/vectors/b3sum.json has. Distributions have others, so it must be named.
    "b3sum": Judge(
        (1, 8, 7), (1, 9), question=("--no-names", "{}"), variable="B3SUM",
        answer="6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85",
    ),
    "fsverity": Judge(
        (1, 4), version=r"v?(\d+(?:\.\d+)+)", question=("digest", "--compact", "{}"),
        answer="700b6bd8510f0b4f9bac8b9cf0459151a1c4a99f467892bb4bd289a67df8e19c",
    ),
    "veritysetup": Judge((2, 4), question=("--help",), answer="--data-block-size=bytes"),
    "bash": Judge((4, 4), question=("--norc", "-c", "read -r x < {}; echo $x"), answer="abc"),
    "zsh": Judge((5, 8), question=("-f", "-c", "read -r x < {}; print $x"), answer="abc"),
    "fish": Judge((3, 1), question=("-c", "read x < {}; echo $x"), answer="abc"),
    "man": Judge((2, 9), question=("--help",), answer="--config-file=FILE"),
    "nm": Judge((2, 30), question=("--help",), answer="List symbols in"),
    "node": Judge((18,), question=("-p", "require('fs').readFileSync('{}', 'latin1')"), answer="abc"),
    "npm": Judge((8,), question=("help",), answer="npm install"),
    "cargo": Judge((1, 95), question=("help",), answer="Rust's package manager"),
}  # fmt: skip


def numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(".")))


def ask(program: str, *arguments: str) -> str:
    """What the program prints; empty if it fails."""
    try:
        done = subprocess.run(
            [program, *arguments], stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode(errors="replace") if done.returncode == 0 else ""


def why_not(judge: Judge, program: str) -> str:
    """Why the program is no judge; empty if it is one."""
    told = re.search(judge.version, ask(program, *judge.ask_version))
    version = numbers(told[1]) if told else ()
    if not judge.least <= version < judge.below:
        least, found = ".".join(map(str, judge.least)), ".".join(map(str, version)) or "unknown"
        return f"{program} has the version {found}, and the tests need {least}"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "abc")
        path.write_bytes(b"abc")
        words = [word.replace("{}", str(path)) for word in judge.question]
        if judge.answer not in ask(program, *words):
            return f"{program} gives a wrong answer to {' '.join(judge.question)}"
    return ""


@functools.cache
def find(name: str) -> tuple[str, str]:
    """The program's path and an empty text, or an empty path and why there is no such judge here."""
    judge = JUDGES[name]
    if judge.variable:
        programs = [os.environ.get(judge.variable)]
        why = f"{judge.variable} does not name a {name} of version {'.'.join(map(str, judge.least))}"
    else:
        programs = [shutil.which(name), shutil.which(name, path=SYSTEM_FOLDERS)]
        why = f"{name} is not on this machine"
    for program in filter(None, programs):
        why = why_not(judge, program)
        if not why:
            return program, ""
    return "", why


def needs(name: str) -> Any:
    """Skip a test where the judge is missing. Where all must be here, a missing judge of .ci/packages is an error."""
    import pytest  # the Makefile asks for judges before there is one

    program, why = find(name)
    if why and name in REQUIRED and os.environ.get("MERKLIZE_REQUIRE_RUNTIMES") == "1":
        raise AssertionError(why)
    return pytest.mark.skipif(not program, reason=why)


REQUIRED = ("fsverity", "veritysetup", "bash", "nm")
"""The judges that .ci/packages installs."""


if __name__ == "__main__":
    program, why = find(sys.argv[1])
    sys.exit(why or 0)

"""Runs the command as users do, in a process of its own."""

from __future__ import annotations

import array
import fcntl
import os
import re
import subprocess
import sys
import termios
from pathlib import Path
from typing import Any

import judges
from merklize.__main__ import find_command
from waiting import HANG, eventually

B3SUM, _ = judges.find("b3sum")
COMMAND = find_command()
# A command line that would run in the folder of files_of_each_kind(), for each command. {root} is the digest of f.
LINES = (
    "hash f",
    "tree build f --leaf-size 1024 -o new",
    "tree root t",
    "tree info t",
    "tree export t -o new",
    "tree diff t t",
    "tree update t 0={root}",
    "tree append t f",
    "tree prove t 0",
    "tree verify p --root {root}",
    "tree show t",
    "tree check t",
    "bao outboard f -o new",
    "bao encode f -o new",
    "bao decode f.bao -o new --root {root}",
    "bao slice f.bao -o new --range 0,5",
    "bao verify f --outboard f.obao --root {root}",
    "manifest create m -o new",
    "manifest check made.json m",
    "manifest diff made.json made.json",
    "manifest show made.json",
    "manifest refresh made.json m",
    "piece f",
    "xmss key --first-epoch 0 --last-epoch 3",
    "xmss verify f --public-key {root} --epoch 0 --message {root}",
    "verity format f new",
    "verity dump h",
    "verity verify f h {root}",
    "fetch http://127.0.0.1:9/f --outboard f.obao --root {root} -o new --retries 1",
    "bench blake3-hash --sizes 8",
    "tune --device cpu",
    "demo",
    "devices",
    "build-kernels",
    "completions fish",
)
# The program must call this package, even if another Python is beside it.
os.environ.setdefault("MERKLIZE_PYTHON", sys.executable)


def merklize(
    *args: str | bytes | Path, stdin: bytes = b"", cwd: Path | None = None, **more: Any
) -> subprocess.CompletedProcess[bytes]:
    more.setdefault("env", os.environ)  # drivers in this process may have changed the C environment
    return subprocess.run(
        [COMMAND, *args], input=stdin, capture_output=True, cwd=cwd, timeout=HANG, check=False, **more
    )


def b3sum(*args: str | bytes | Path, stdin: bytes = b"", cwd: Path | None = None) -> subprocess.CompletedProcess[bytes]:
    assert B3SUM
    return subprocess.run([B3SUM, *args], input=stdin, capture_output=True, cwd=cwd, timeout=HANG, check=False)


def output(*args: str | bytes | Path, stdin: bytes = b"", cwd: Path | None = None) -> str:
    """Standard output of a run that succeeds and writes no error."""
    done = merklize(*args, stdin=stdin, cwd=cwd)
    assert done.stderr == b""
    assert done.returncode == 0
    return done.stdout.decode()


def files_of_each_kind(folder: Path) -> None:
    """What commands read: f, a folder m, and of these list, the tree t, its proof p, f.bao, f.obao, made.json,
    the hashes h of dm-verity."""
    (folder / "f").write_bytes(bytes(8192))
    (folder / "m").mkdir()
    (folder / "m" / "a").write_bytes(b"a")
    (folder / "list").write_text(output("hash", str(folder / "f")))
    output("tree", "build", "f", "--leaf-size", "1024", "-o", "t", cwd=folder)
    (folder / "p").write_text(output("tree", "prove", "t", "0", cwd=folder))
    output("bao", "encode", "f", "-o", "f.bao", cwd=folder)
    output("bao", "outboard", "f", "-o", "f.obao", cwd=folder)
    output("manifest", "create", "m", "-o", "made.json", cwd=folder)
    output("verity", "format", "f", "h", cwd=folder)


def command_of(line: str) -> list[str]:
    words = line.split()
    return words[: 2 if words[0] in ("tree", "bao", "manifest", "verity", "xmss") else 1]


def options_of(line: str, kinds: tuple[str, ...]) -> list[tuple[str, str]]:
    """The options whose values --help calls so: their names and that word."""
    text = merklize(*command_of(line), "--help").stdout.decode()
    found = re.findall(r"^  (?:-\w, )?--([\w-]+) (\S+)", text, re.MULTILINE)
    return [(name, kind) for name, kind in found if kind in kinds]


def unread(pipe: Any) -> int:
    """Number of bytes in a pipe that were not read yet."""
    left = array.array("i", [0])
    fcntl.ioctl(pipe, termios.FIONREAD, left)
    return left[0]


def feed_until_read(process: subprocess.Popen[bytes], data: bytes) -> None:
    """Writes to a program's standard input and returns when it has read all of it, however long it takes to start."""
    assert process.stdin is not None
    process.stdin.write(data)
    process.stdin.flush()
    eventually(lambda: unread(process.stdin) == 0)

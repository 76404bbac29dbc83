"""Runs the command as users do, in a process of its own."""

from __future__ import annotations

import array
import fcntl
import os
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
    """What commands read: f, a folder m, and of these list, the tree t, its proof p, f.bao, f.obao, made.json."""
    (folder / "f").write_bytes(bytes(8192))
    (folder / "m").mkdir()
    (folder / "m" / "a").write_bytes(b"a")
    (folder / "list").write_text(output("hash", str(folder / "f")))
    output("tree", "build", "f", "--leaf-size", "1024", "-o", "t", cwd=folder)
    (folder / "p").write_text(output("tree", "prove", "t", "0", cwd=folder))
    output("bao", "encode", "f", "-o", "f.bao", cwd=folder)
    output("bao", "outboard", "f", "-o", "f.obao", cwd=folder)
    output("manifest", "create", "m", "-o", "made.json", cwd=folder)


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

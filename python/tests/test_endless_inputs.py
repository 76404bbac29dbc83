"""What a command reads to know something by (a proof, a tree, a list, a manifest, an outboard) may have no end.

Each reader refuses such an input early, and in little memory.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cli_helpers import COMMAND, files_of_each_kind

ROOT = "00" * 32
READERS = f"""
    tree verify @ --root {ROOT}; tree verify @ --root {ROOT} --json; tree info @; tree root @; tree show @;
    tree check @; tree check @ f; tree prove @ 0; tree diff @ t; tree diff t @; tree append @ f;
    tree update @ 0 --from f; tree show t --html o --page @;
    bao verify @ --root {ROOT}; bao decode @ --root {ROOT}; bao decode @ --root {ROOT} -o o;
    bao verify f --root {ROOT} --outboard @; bao decode f --root {ROOT} --outboard @;
    bao slice f --range 0,1 --outboard @; bao verify @ --root {ROOT} --outboard f.obao;
    bao verify @ --root {ROOT} --outboard f.obao --range 0,1024; bao decode @ --root {ROOT} --outboard f.obao;
    bao slice @ --range 0,1 --outboard f.obao; bao slice @ --range 0,1;
    tree update t 3 --from @; bao verify @ --root {ROOT} --outboard list;
    bao verify @ --root {ROOT} --outboard f.obao --format bao_tree;
    bao verify @ --root {ROOT} --outboard @; bao verify - --root {ROOT} --outboard @;
    hash --check @; hash --check --hash sha256 @; hash --check --json @;
    manifest show @; manifest check @ m; manifest diff @ made.json; manifest diff made.json @; verity dump @;
    fetch http://127.0.0.1:9/x --root {ROOT} --retries 0 --size 8192 --outboard @ -o o
"""
INPUTS = {
    "a device": (b"", b"\0"),
    "zeros": (b"", b"\0"),
    "letters": (b"", b"y"),
    "lines": (b"", b"y\n"),
    "empty lines": (b"", b"\n"),
    "blanks": (b"", b" "),
    "braces": (b"", b"{"),
    "a proof that goes on": (b"MKZP\2\1\0\0" + (3).to_bytes(8, "little"), b"\0"),
    "a tree that goes on": (b"MKLTREE\0", b"\0"),
}
# Documents that begin well. No character of them need be wrong, so they end by their length.
HEADER = (10**8).to_bytes(8, "little")  # of safetensors, which may have so many bytes
DOCUMENTS = {
    "a name": (b'{"', b"a"),
    "a string": (b'{"format": "', b"a"),
    "a number": (b'{"format": 1', b"0"),
    "a list": (b'{"tensors": [0', b", 0"),
    "objects": (b'{"tensors": [{"name": ["a"]}', b', {"name": ["a"]}'),
    "white space": (b'{"format": ', b" "),
    "white space at the end": (b"{}", b"\n"),
    "a proof of several leaves": (
        b"MKZP\2\1\0\1" + (1 << 50).to_bytes(8, "little") + b"\1\0\xff\xff\xff\xff\x7f",
        b"\0",
    ),
    "the name of a tensor": (HEADER + b'{"', b"a"),
    "tensors": (HEADER + b'{"a": {"dtype": "U8"}', b', "b": {"dtype": "U8"}'),
}
OF_DOCUMENTS = f"""
    tree verify @ --root {ROOT}; tree verify @ --root {ROOT} --json; manifest show @; manifest check @ m;
    manifest diff @ made.json; manifest diff made.json @; manifest create @; manifest create --tiles @;
    manifest create index/@; manifest check made.json @; tree show t --html o --page @
"""
LIMIT = 30  # seconds
MOST = 128 << 20  # bytes of memory; Python with the package takes 60 MB


# A small process, because the memory of the one that starts a program counts as the program's, too.
MEASURE = """
import os, signal, sys
signal.alarm(int(sys.argv[1]))
process = os.posix_spawn(sys.argv[2], sys.argv[2:], os.environ)
signal.signal(signal.SIGALRM, lambda *_: os.kill(process, signal.SIGKILL))
_, status, usage = os.wait4(process, 0)
print(os.waitstatus_to_exitcode(status), usage.ru_maxrss)
"""


def run(line: str, folder: Path, path: str, stdin: int) -> tuple[int, int]:
    """Return the exit code, negative for a signal, and the most bytes of memory."""
    words = [path if word == "@" else word.replace("@", "x.safetensors.index.json") for word in line.split()]
    with open(os.devnull, "wb") as null:
        done = subprocess.run(
            [sys.executable, "-S", "-c", MEASURE, str(LIMIT), COMMAND, *words],
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=null,
            cwd=folder,
            check=True,
        )
    code, kibibytes = done.stdout.split()[-2:]
    return int(code), int(kibibytes) << 10


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("endless")
    (made / "index").mkdir()
    (made / "index" / "x.safetensors.index.json").symlink_to("/dev/stdin")
    files_of_each_kind(made)
    return made


def lines_of(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.split(";")]


@pytest.mark.parametrize(
    ("line", "inputs"),
    [*((line, INPUTS) for line in lines_of(READERS)), *((line, DOCUMENTS) for line in lines_of(OF_DOCUMENTS))],
)
def test_it_is_refused(folder: Path, line: str, inputs: dict[str, tuple[bytes, bytes]]) -> None:
    wrong = {}
    for name, (begin, more) in inputs.items():
        # A process that writes for ever, until nobody reads.
        program = f"import sys\nout = sys.stdout.buffer\nout.write({begin!r})\nwhile True: out.write({more!r} * 32768)"
        with subprocess.Popen(
            [sys.executable, "-S", "-c", program], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        ) as writer:
            assert writer.stdout is not None
            path = "/dev/zero" if name == "a device" else "/dev/stdin"
            code, memory = run(line, folder, path, writer.stdout.fileno())
            writer.stdout.close()
            writer.kill()
        if code not in (1, 2) or memory > MOST:
            wrong[name] = (code, f"{memory >> 20} MiB")
    assert not wrong

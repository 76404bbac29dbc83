"""The command line in another program's process, whose state it must not change."""

from __future__ import annotations

import _thread
import os
import signal
import threading
from pathlib import Path

import pytest

import merklize as library
from cli_helpers import merklize as program
from merklize import _native
from merklize.__main__ import Caller, run

LINES = [
    ["hash", "data", "none"],
    ["hash", "--json", "data"],
    ["hash", "-l5", "--tag", "--", "data"],
    ["hash", "--oops"],
    ["hash", "--json", "--raw"],
    ["tree", "build", "--leaf-size", "1K", "data", "--json"],
    ["tree", "build", "--leaf-size", "1K", "data", "-o", "tree"],
    ["tree", "show", "tree"],
    ["tree", "prove", "tree", "1-3"],
    ["bao", "encode", "data"],
    ["manifest", "create", "data", "--portable"],
    ["completions", "fish"],
    ["tree"],
    ["nothing"],
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "data").write_bytes(bytes(range(250)) * 40)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_answers_are_the_program_s(folder: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    for words in LINES * 2:
        code = run(words)
        said = capfdbinary.readouterr()
        known = program(*words)
        assert (code, said.out, said.err) == (known.returncode, known.stdout, known.stderr)


def test_the_process_stays_as_it_was(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    def state() -> list[object]:
        handlers = [signal.getsignal(number) for number in signal.valid_signals()]
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, [])
        with open("/proc/self/status", encoding="ascii") as status:
            caught = [line for line in status if line.startswith("Sig")]
        return [handlers, blocked, caught, os.getcwd(), dict(os.environ), len(os.listdir("/proc/self/fd"))]

    run(["hash", "data"])  # starts threads
    before = state()
    for words in LINES:
        run(words)
    assert state() == before
    capfd.readouterr()


def test_several_at_once(folder: Path) -> None:
    """Each call has its own streams, options and state."""
    wrong: list[object] = []

    def repeat(number: int) -> None:
        length = 5 + number
        words = [b"hash", b"-l", str(length).encode(), b"--json", b"data", b"none"]
        for _ in range(50):
            with open(f"out{number}", "w+b") as out, open(os.devnull, "r+b") as null:
                code = _native.run_command(words, (null.fileno(), out.fileno(), null.fileno()), Caller())
                out.seek(0)
                text = out.read()
            digest = library.hash(Path("data").read_bytes(), length=length).hex()
            if code != 1 or f'"hash": "{digest}", "length": {length}'.encode() not in text:
                wrong.append((code, text))

    threads = [threading.Thread(target=repeat, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.parametrize(
    "words",
    [
        "hash",
        "hash --check",
        "hash --check fifo",
        "hash --keyed data",
        "manifest show fifo",
        "manifest show -",
        "manifest create fifo.index.json",
        "tree build --leaf-size 16 fifo",
        "xmss key --first-epoch 0 --last-epoch 0",
    ],
)
def test_an_interruption_is_raised(folder: Path, words: str) -> None:
    """By Python's own handler, and by a handler that raises another exception, while a command waits for its input."""
    for name in ("fifo", "fifo.index.json"):
        os.mkfifo(name)
    reading, writing = os.pipe()
    with open(os.devnull, "wb") as null:
        for raised in (KeyboardInterrupt, ZeroDivisionError):
            before = signal.getsignal(signal.SIGINT)
            if raised is ZeroDivisionError:
                signal.signal(signal.SIGINT, lambda *_: 1 // 0)
            timer = threading.Timer(0.3, _thread.interrupt_main)
            timer.start()
            try:
                with pytest.raises(raised):
                    _native.run_command(words.encode().split(), (reading, null.fileno(), null.fileno()), Caller())
            finally:
                signal.signal(signal.SIGINT, before)
    os.close(reading)
    os.close(writing)


def test_closed_streams(folder: Path) -> None:
    with open("errors", "w+b") as errors:
        assert _native.run_command([b"hash", b"-"], (-1, -1, errors.fileno()), Caller()) == 1
        errors.seek(0)
        assert errors.read() == b"merklize: -: standard input is closed\n"
        assert _native.run_command([b"hash", b"data"], (-1, -1, -1), Caller()) == 1


def test_what_is_no_line() -> None:
    with pytest.raises(library.InvalidArgument, match="zero byte"):
        _native.run_command([b"ha\0sh"], (0, 1, 2), Caller())
    with pytest.raises(TypeError):
        _native.run_command(["hash"], (0, 1, 2), Caller())  # type: ignore[list-item]

"""Nothing of the working directory runs: a folder that was downloaded may have modules and programs of any name."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cli_helpers import COMMAND, merklize

MODULES = sorted(
    {
        *getattr(sys, "stdlib_module_names", ()),
        *(path.stem for path in Path(os.__file__).parent.iterdir() if path.stem.isidentifier()),
        *("merklize", "numpy", "fsspec", "aiohttp", "matplotlib", "blake3", "sitecustomize", "usercustomize"),
    }
    - {"__future__", "__pycache__"}
)
PROGRAMS = ("python3", "clang", "clang-14", "llvm-spirv", "llvm-spirv-14", "cargo", "b3sum", "nvidia-smi", "merklize")
# Every command that Python runs, and each kind of command whose file is a URL.
LINES = (
    "fetch memory://x/y --root {root} --outboard o",
    "hash memory://x/y",
    "tree build memory://x/y",
    "tree info memory://x/y",
    "piece memory://x/y",
    "bao outboard memory://x/y -o o",
    "manifest show memory://x/y",
    "verity root memory://x/y",
    "bench blake3-hash --sizes 8 --repeat 1 --device cpu --peers",
    "tune list",
    "tune clear --device cpu",
    "tune --device cpu --job digest --hash blake3 --sizes 10..10 --policies 1 --repeat 1 --dry-run",
    "build-kernels --device cpu",
)
Run = Callable[..., list[str]]


@pytest.fixture
def ran(tmp_path: Path) -> Run:
    """A function that runs a command line in a folder where everything is planted, and returns what of it ran."""
    folder, trace = tmp_path / "model", tmp_path / "ran"
    folder.mkdir()
    (folder / "o").write_bytes(bytes(8))
    for name in MODULES:  # some are imported before there is open()
        append = f"posix.open({str(trace)!r}, {os.O_WRONLY | os.O_CREAT | os.O_APPEND}, 0o600)"
        (folder / f"{name}.py").write_text(f"import posix\nposix.write({append}, b'{name}\\n')\n")
    for name in PROGRAMS:
        (folder / name).write_text(f"#!/bin/sh\necho {name} >> {trace}\n")
        (folder / name).chmod(0o755)
    (folder / "bench" / "peers").mkdir(parents=True)
    (folder / "bench" / "peers" / "Cargo.toml").write_text("[package]\n")

    def run(line: str, program: str = COMMAND, **variables: str | None) -> list[str]:
        trace.unlink(missing_ok=True)
        given = {**os.environ, "MERKLIZE_CACHE_DIR": str(tmp_path / "cache"), **variables}
        environment = {name: value for name, value in given.items() if value is not None}
        words = line.format(root="00" * 32).split()
        merklize(*words, cwd=folder, env=environment, executable=program)
        return trace.read_text().split() if trace.exists() else []

    return run


@pytest.mark.parametrize("line", LINES)
def test_planted_modules_do_not_run(ran: Run, line: str) -> None:
    assert ran(line) == []


@pytest.mark.parametrize("path", ["", ":", ":/nowhere", "/nowhere:", "/nowhere::/nowhere"])
def test_empty_entries_of_pythonpath_are_no_folder(ran: Run, path: str) -> None:
    assert ran("tune list", PYTHONPATH=path) == []


def test_other_entries_of_pythonpath_are_kept(ran: Run, tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "sitecustomize.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'a').write('own')\n")
    assert ran("tune list", PYTHONPATH=f":{tmp_path / 'own'}") == ["own"]
    assert ran("tune list", PYTHONPATH=".") != []  # the user names the folder


def test_before_python_3_11_too(ran: Run, tmp_path: Path) -> None:
    """Python does not know PYTHONSAFEPATH there."""
    old = tmp_path / "python"
    old.write_text(f'#!/bin/sh\nunset PYTHONSAFEPATH\nexec {sys.executable} "$@"\n')
    old.chmod(0o755)
    for line in LINES:
        assert ran(line, MERKLIZE_PYTHON=str(old)) == []


@pytest.mark.parametrize("entry", ["", ".", "../model"])
def test_planted_programs_do_not_run(ran: Run, tmp_path: Path, entry: str) -> None:
    path = f"{entry}:{os.environ['PATH']}:{entry}"
    for line in LINES:
        assert ran(line, PATH=path) == []
    alone = tmp_path / "elsewhere" / "bin" / "merklize"  # without a Python beside it
    alone.parent.mkdir(parents=True)
    shutil.copy(COMMAND, alone)
    assert ran("tune list", str(alone), PATH=path, MERKLIZE_PYTHON=None) == []
    assert ran("tune list", str(alone), PATH=path, MERKLIZE_PYTHON="python3") == []

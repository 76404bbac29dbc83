"""In a working directory that was deleted, everything that needs none works, and errors are those of the files."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cli_helpers import COMMAND, files_of_each_kind
from waiting import HANG

# Command lines of absolute paths; {0} is a folder.
LINES = (
    "hash {0}/f",
    "hash --hash sha256 {0}/f",
    "hash --xet {0}/f",
    "hash --check {0}/list",
    "hash -r {0}/m",
    "hash --device cpu {0}/f",
    "tree build {0}/f --leaf-size 64",
    "tree build {0}/f --leaf-size 64 -o {0}/t3",
    "tree info {0}/t",
    "tree check {0}/t",
    "tree prove {0}/t 0",
    "tree update {0}/t 0 --from {0}/f",
    "tree append {0}/t {0}/f",
    "bao outboard {0}/f -o {0}/f.obao",
    "bao encode {0}/f -o {0}/f.bao",
    "manifest create {0}/m -o {0}/made.json",
    "manifest check {0}/made.json {0}/m",
    "manifest show {0}/made.json",
    "piece {0}/f",
    "xmss key --help",
    "verity format {0}/f {0}/h",
    "devices",
    "devices --json",
    "completions bash",
    "tune list",
    "build-kernels --help",
    "--version",
)
CODE = """
import merklize, merklize.tuning, sys
merklize.hash(b"abc")
merklize.hash_file(sys.argv[1])
merklize.MerkleTree([bytes(32)] * 4)
merklize.devices()
merklize.manifests.manifest(sys.argv[2])
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("deleted")
    files_of_each_kind(folder)
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    return shutil.copytree(made, tmp_path / "folder")


def run(folder: Path, words: list[str], **variables: str) -> subprocess.CompletedProcess[bytes]:
    """Runs a program in a folder that is deleted before it starts."""
    gone = folder / "gone"
    gone.mkdir()
    script = ["sh", "-c", 'rmdir "$0"; exec "$@"', str(gone), *words]
    environment = {**os.environ, **variables}
    return subprocess.run(script, cwd=gone, env=environment, capture_output=True, timeout=HANG, check=False)


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("cache", ["cache", "./cache", "/nowhere/cache"])
def test_commands(folder: Path, line: str, cache: str) -> None:
    done = run(folder, [COMMAND, *line.format(folder).split()], MERKLIZE_CACHE_DIR=cache)
    assert (done.returncode, done.stderr) == (0, b"")


def test_the_cache_says_why_it_is_not_used(folder: Path) -> None:
    done = run(folder, [COMMAND, "devices"], MERKLIZE_CACHE_DIR="cache")
    assert "the working directory is gone" in " ".join(done.stdout.decode().split())


def test_python(folder: Path) -> None:
    words = [sys.executable, "-P", "-c", CODE, str(folder / "f"), str(folder / "m")]
    done = run(folder, words, MERKLIZE_CACHE_DIR="cache")
    assert (done.returncode, done.stderr) == (0, b"")


def test_relative_names_are_missing_files(folder: Path) -> None:
    for line in ("hash f", "tree info t", "tree build f --leaf-size 64 -o t", "manifest create m -o x", "piece f"):
        done = run(folder, [COMMAND, *line.split()], MERKLIZE_CACHE_DIR="cache")
        assert done.returncode == 1
        assert b"No such file or directory" in done.stderr, done.stderr
        assert b"cannot " not in done.stderr.replace(b"cannot open", b"").replace(b"cannot read", b""), done.stderr

"""merklize.blake3 in place of the package blake3: that package's own tests."""

import os
import subprocess
import sys
import tarfile
from pathlib import Path

import blake3 as original
import pytest

import merklize
from waiting import HANG


def test_tests_of_the_package(tmp_path):
    """tests/test_blake3.py of the package's source distribution, with `blake3` being merklize.blake3."""
    fetch = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary=blake3", "-d", str(tmp_path)]
    fetched = subprocess.run([*fetch, f"blake3=={original.__version__}"], capture_output=True, text=True, check=False)
    archives = list(tmp_path.glob("blake3-*.tar.gz"))
    if not archives:
        pytest.skip(f"pip could not fetch the package's source distribution: {fetched.stderr[-300:]}")
    with tarfile.open(archives[0]) as archive:
        archive.extractall(tmp_path, [member for member in archive if member.isfile()])  # Debian 12 has no filters
    (tests,) = tmp_path.glob("blake3-*/tests/test_blake3.py")
    (tmp_path / "shim").mkdir()
    (tmp_path / "shim" / "blake3.py").write_text(
        "from merklize.blake3 import *\nfrom merklize.blake3 import __version__\n"
    )
    path = os.pathsep.join([str(tmp_path / "shim"), str(Path(merklize.__file__).parents[1]), *sys.path])
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--rootdir={tests.parent}", str(tests)]
    done = subprocess.run(
        command, cwd=tests.parent, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True,
        timeout=HANG, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    assert " passed" in done.stdout
    assert " failed" not in done.stdout

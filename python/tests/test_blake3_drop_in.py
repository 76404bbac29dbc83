"""merklize.blake3 in place of the package blake3: that package's own tests, and the intended differences."""

import os
import subprocess
import sys
import tarfile
from pathlib import Path

import blake3 as original
import pytest

import merklize
from merklize.blake3 import blake3
from waiting import HANG

DATA = bytes(range(251)) * 5000


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


@pytest.mark.parametrize("size", [0, 1, 64, 1024, 1025, 65_536, len(DATA)])
def test_same_as_the_package(size):
    data = DATA[:size]
    modes = [{}, {"key": bytes(range(32))}, {"derive_key_context": "merklize 2026 test"}, {"max_threads": blake3.AUTO}]
    for mode in modes:
        ours, theirs = blake3(data, **mode), original.blake3(data, **mode)
        assert ours.digest() == theirs.digest()
        assert ours.hexdigest(100, seek=7) == theirs.hexdigest(100, seek=7)
        again = ours.copy().update(memoryview(b"more"))
        assert type(again) is blake3
        assert again.digest() == theirs.copy().update(b"more").digest()
        assert ours.reset().digest() == original.blake3(**mode).digest()
    assert (ours.name, ours.digest_size, ours.block_size, ours.key_size) == ("blake3", 32, 64, 32)


def test_files(tmp_path):
    (tmp_path / "data").write_bytes(DATA)
    assert blake3(max_threads=2).update_mmap(tmp_path / "data").digest() == original.blake3(DATA).digest()
    with pytest.raises(FileNotFoundError):
        blake3().update_mmap(tmp_path / "missing")


def test_mistakes():
    for data in ("text", None, 3):
        with pytest.raises(TypeError):
            blake3().update(data)
    with pytest.raises(BufferError, match="blake3: data must be contiguous bytes, got items of format 'I'"):
        blake3(memoryview(bytes(8)).cast("I"))
    for wrong in ({"key": bytes(31)}, {"key": bytes(32), "derive_key_context": "both"}, {"max_threads": 0}):
        with pytest.raises(ValueError, match="key|threads"):
            blake3(b"", **wrong)
    with pytest.raises(ValueError, match="digest"):
        blake3().digest(-1)

"""The logger "merklize": it is silent by default, and tells about kernels and devices."""

import logging
import os
import subprocess
import sys

import pytest

import merklize

NO_OPENCL = {"OCL_ICD_VENDORS": "/nowhere/", "MERKLIZE_OPENCL_LIBRARY": "/nowhere"}
HASH_ON = "merklize.hash(bytes(50_000), device={device!r})"


def run(code, **environment):
    """Run a new process. Return its standard output, then standard error, which contains the log."""
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **environment}, capture_output=True, text=True, check=True
    )
    return done.stdout, done.stderr


def logged(code, level="DEBUG", **environment):
    """Return the lines of the log of a process that imports merklize and runs `code`."""
    set_up = (
        f"import logging, merklize; logging.basicConfig(level={level!r}, format='%(levelname)s %(name)s %(message)s')"
    )
    return run(f"{set_up}\n{code}", **environment)[1].splitlines()


def test_logging_is_not_imported():
    assert run("import sys, merklize; merklize.hash(b'x'); print('logging' in sys.modules)") == ("False\n", "")


def test_silent_without_a_handler(opencl, tmp_path):
    """This holds for warnings, too, which Python would print if they reached no handler."""
    hashing = HASH_ON.format(device=opencl)
    unusable = {"MERKLIZE_CACHE_DIR": str(tmp_path / "file")}
    (tmp_path / "file").touch()
    assert run(f"import merklize; {hashing}", **unusable) == ("", "")
    assert run(f"import logging, merklize; {hashing}", **unusable) == ("", "")
    lines = logged(hashing, "WARNING", **unusable)
    assert len(lines) == 1
    assert lines[0].startswith("WARNING merklize compiled kernels cannot be kept for later processes: ")
    assert str(tmp_path / "file") in lines[0]


def test_kernels(opencl, tmp_path):
    """The first process compiles the kernels, and the second one loads them."""
    cache, hashing = {"MERKLIZE_CACHE_DIR": str(tmp_path)}, HASH_ON.format(device=opencl)
    (name,) = (info.name for info in merklize.devices() if info.id == opencl)
    opened, compiled = logged(hashing, **cache)
    assert opened.startswith(f"DEBUG merklize opened {opencl}: {name}, driver ")
    assert compiled.startswith(f"INFO merklize {opencl}: compiled kernel mkz_hash_chunks_blake3 ")
    assert compiled.endswith(" ms")
    opened, loaded = logged(hashing, **cache)
    assert loaded.startswith(f"DEBUG merklize {opencl}: loaded kernel mkz_hash_chunks_blake3 ")
    assert f" from {tmp_path / 'kernels'} in " in loaded
    assert logged(hashing, "INFO", **cache) == []


def test_the_callers_line(opencl, tmp_path):
    """Many calls, each with its own entries. None is lost, none is logged twice."""
    code = f"for _ in range(3): merklize.hash_leaves([b'x'] * 3, device={opencl!r}); print('call', file=sys.stderr)"
    lines = logged("import sys\n" + code, "INFO", MERKLIZE_CACHE_DIR=str(tmp_path))
    assert [line for line in lines if "compiled" not in line] == ["call"] * 3
    assert lines[-2:] == ["call"] * 2
    assert len(lines) > 3
    assert len(set(lines)) == len(lines) - 2


def test_devices_that_are_not_there():
    lines = logged("merklize.devices()", "INFO", **NO_OPENCL)
    assert len([line for line in lines if line.startswith("INFO merklize not available: opencl: ")]) == 1


def test_the_choice_of_auto(tmp_path):
    code = "merklize.hash(b'x'); merklize.hash(bytes(1000))"
    own = {"MERKLIZE_CACHE_DIR": str(tmp_path), **NO_OPENCL}
    assert logged(code, MERKLIZE_DEVICE="cpu", **own) == ["INFO merklize auto is cpu, because MERKLIZE_DEVICE says so"]
    own["MERKLIZE_DEVICE"] = ""
    assert logged(code, **own) == []  # without measurements there is no choice
    run("import merklize; merklize.tuning.calibrate()", **own)
    (line,) = logged(code, **own)
    assert line.startswith("DEBUG merklize auto is cpu for job digest by blake3, 1 bytes: about ")


MISSING = [why for name in ("cuda", "opencl", "sycl") if (why := merklize.why_unavailable(name))]


class Raises(logging.Handler):
    def emit(self, record):
        raise KeyboardInterrupt


class Hashes(logging.Handler):
    """Calls the package while it logs."""

    def __init__(self):
        super().__init__()
        self.digests = []

    def emit(self, record):
        self.digests.append(merklize.hash(record.getMessage().encode() * 1000))
        if len(self.digests) == 1:
            merklize.devices()


@pytest.fixture
def logger():
    merklize.devices()  # hands over what came before
    found = logging.getLogger("merklize")
    before = found.level, found.handlers[:]
    found.setLevel(logging.INFO)
    yield found
    found.setLevel(before[0])
    found.handlers[:] = before[1]


@pytest.mark.skipif(not MISSING, reason="all devices are there")
def test_handlers(logger):
    """A call raises the exception of a handler. A handler may call the package."""
    logger.addHandler(Raises())
    with pytest.raises(KeyboardInterrupt):
        merklize.devices()
    logger.handlers[-1:] = [hashes := Hashes()]
    merklize.devices()
    assert len(hashes.digests) == len(MISSING)
    merklize.hash(bytes(5000))  # what was logged meanwhile comes with the next call
    assert hashes.digests == [merklize.hash(f"not available: {why}".encode() * 1000) for why in MISSING] * 2

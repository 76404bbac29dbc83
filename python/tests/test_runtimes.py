"""The tests that take a device, on Intel's OpenCL and on SYCL too, each in a run of its own (one library a process)."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import merklize
from waiting import HANG

# Not all policies, because these runtimes compile them for minutes. tests/core and the C++ suite `policies` have them.
FILES = ("test_hash.py", "test_rows.py", "test_tree.py", "test_tensors.py", "test_cli_hash.py")


def intel_runtime():
    """libintelocl.so of the package intel-opencl-rt, in this environment or at the variable's path."""
    named = os.environ.get("MERKLIZE_INTEL_OPENCL")
    path = Path(named) if named else Path(sys.prefix, "lib", "libintelocl.so")
    return path if path.is_file() else None


def missing(why):
    (pytest.fail if os.environ.get("MERKLIZE_REQUIRE_RUNTIMES") == "1" else pytest.skip)(why)


def run_tests(device, words, **variables):
    """Run the tests on one device. It must be there, and no test may be skipped."""
    environment = {
        **os.environ,
        **variables,
        "MERKLIZE_TEST_DEVICES": device,
        "MERKLIZE_REQUIRE_RUNTIMES": "1",
        "PYTHONPATH": os.pathsep.join([str(Path(merklize.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]),
    }
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-k", words]
    files = [str(Path(__file__).with_name(name)) for name in FILES]
    done = subprocess.run(
        [*command, *files], env=environment, capture_output=True, text=True, timeout=HANG, check=False
    )
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    assert " passed" in done.stdout
    assert " skipped" not in done.stdout


def test_intel_runtime():
    library = intel_runtime()
    if library is None:
        missing("the package intel-opencl-rt is not installed")
    if os.environ.get("MERKLIZE_OPENCL_LIBRARY") == str(library):
        pytest.skip("this is that run")
    run_tests("opencl:0", "(opencl or DeviceArrays) and not policies", MERKLIZE_OPENCL_LIBRARY=str(library))


def test_sycl():
    if why := merklize.why_unavailable("sycl:0"):
        missing(why)
    run_tests("sycl:0", "sycl and not policies")

import os
import tempfile

import pytest

from launches import Runner
from runtimes import HostCpp, Missing, OpenCL


def pytest_configure(config):
    config.devices_used = []
    # PoCL keeps compiled kernels on disk: a fresh folder makes every run compile what it tests.
    config.pocl_cache = tempfile.TemporaryDirectory(prefix="merklize-pocl-")
    os.environ["POCL_CACHE_DIR"] = config.pocl_cache.name


def pytest_terminal_summary(terminalreporter, config):
    for name in config.devices_used:
        terminalreporter.write_line(f"core ran on: {name}")


def open_or_skip(make, *args):
    """make(*args); where its runtime is missing, fails if runtimes are required and skips otherwise."""
    try:
        return make(*args)
    except Missing as missing:
        if os.environ.get("MERKLIZE_REQUIRE_RUNTIMES") == "1":
            pytest.fail(f"required runtime is missing: {missing}")
        pytest.skip(str(missing))


# Under pytest-xdist a device's tests are one worker's, which compiles each program once.
DEVICES = [pytest.param(name, marks=pytest.mark.xdist_group(name)) for name in ("pocl", "intel", "host")]


@pytest.fixture(scope="session", params=DEVICES)
def runner(request):
    device = open_or_skip(HostCpp) if request.param == "host" else open_or_skip(OpenCL, request.param)
    request.config.devices_used.append(device.name)
    return Runner(device)

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


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Under pytest-xdist one worker runs a device's tests of a hash, so that each program is compiled once."""
    for item in items:
        params = item.callspec.params if hasattr(item, "callspec") else {}
        if "runner" in params:
            item.add_marker(pytest.mark.xdist_group(f"{params['runner']}, {params.get('name', 'blake3')}"))


@pytest.fixture(scope="session", params=["pocl", "intel", "host"])
def runner(request):
    device = open_or_skip(HostCpp) if request.param == "host" else open_or_skip(OpenCL, request.param)
    request.config.devices_used.append(device.name)
    return Runner(device)

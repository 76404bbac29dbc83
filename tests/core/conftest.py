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


# One runtime and one architecture have all hashes in the gate, and all policies of two hashes. The others compile the
# same text: they have two hashes there, and the policies of one. The rest runs each night (marker `night`).
RUNTIME, ARCHITECTURE, EVERYWHERE = "intel", "sm_90", ("blake3", "rp64_256_v3")


def is_of_the_night(item):
    params = item.callspec.params
    name = params.get("name")
    if "arch" in params:
        return params["arch"] != ARCHITECTURE and name not in EVERYWHERE
    if "runner" not in params or name is None:
        return False
    is_first = params["runner"] == RUNTIME
    if item.originalname.startswith("test_policies"):  # each one is a program to compile
        return name not in (EVERYWHERE if is_first else EVERYWHERE[:1])
    return not is_first and name not in EVERYWHERE


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Under pytest-xdist one worker runs a device's tests of a hash, so that each program is compiled once."""
    for item in items:
        if not hasattr(item, "callspec"):
            continue
        params = item.callspec.params
        if "runner" in params:
            item.add_marker(pytest.mark.xdist_group(f"{params['runner']}, {params.get('name', 'blake3')}"))
        if is_of_the_night(item):
            item.add_marker(pytest.mark.night)


@pytest.fixture(scope="session", params=["pocl", "intel", "host"])
def runner(request):
    device = open_or_skip(HostCpp) if request.param == "host" else open_or_skip(OpenCL, request.param)
    request.config.devices_used.append(device.name)
    return Runner(device)

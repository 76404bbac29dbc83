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


# In the gate one runtime and one architecture have all hashes, and the policies of two. The others compile the same
# text: other architectures have these two hashes, and other runtimes BLAKE3 without policies. The rest runs each night
# (marker `night`).
RUNTIME, ARCHITECTURE, TWO_HASHES = "intel", "sm_90", ("blake3", "rp64_256_v3")


def is_of_the_night(item):
    params = item.callspec.params
    name, of_policies = params.get("name"), item.path.name == "test_policies.py" or "policy" in params
    if "arch" in params:
        return params["arch"] != ARCHITECTURE and name not in TWO_HASHES
    if params.get("runner", RUNTIME) == RUNTIME:
        return of_policies and name is not None and name not in TWO_HASHES
    return of_policies or name not in (None, "blake3")


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

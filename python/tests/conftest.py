"""Which devices and instruction set the tests run on, and which tests are slow.

Tests with a `device` run on the CPU, on opencl:0 and on every other device here, or on those that MERKLIZE_TEST_DEVICES
names ("cpu,cuda:0"). One that is missing skips them, or fails them with MERKLIZE_REQUIRE_RUNTIMES=1.
"""

import os
import signal

import hypothesis
import pytest

import merklize
from store_fixtures import gs, gs_bucket, http, memory, s3, s3_client, store  # noqa: F401
from store_servers import needs
from tree_fixtures import folder, root  # noqa: F401

# Tests must not fail because the machine is busy.
hypothesis.settings.register_profile("events", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.load_profile("events")


def pytest_addoption(parser):
    parser.addoption("--run-slow", action="store_true", help="run the tests that take gigabytes or minutes")


def pytest_report_header(config):
    shown = [f"{device.id} ({device.name}, {device.isa}, {device.units} units)" for device in merklize.devices()]
    return f"merklize {merklize.__version__}: {', '.join(shown) or 'no device'}"


# A background job of a script ignores Ctrl-C, and the programs that the tests start and interrupt would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def tested_devices():
    named = os.environ.get("MERKLIZE_TEST_DEVICES")
    if named:
        return named.split(",")
    return list(dict.fromkeys(["cpu", "opencl:0", *(device.id for device in merklize.devices())]))


def pytest_generate_tests(metafunc):
    if "device" in metafunc.fixturenames:
        metafunc.parametrize("device", tested_devices(), indirect=True)


@pytest.fixture
def device(request):
    """The id of a device to run on."""
    why = merklize.why_unavailable(request.param)
    if why and os.environ.get("MERKLIZE_REQUIRE_RUNTIMES") == "1":
        pytest.fail(why)
    elif why:
        pytest.skip(why)
    return request.param


@pytest.fixture
def small_ranges(monkeypatch):
    """Make reads of stores use many small ranges and short waits."""
    for name, value in {"range_size": 1 << 20, "parallel": 4, "waiting": 2, "pause": 0.01}.items():
        monkeypatch.setattr(merklize.stores.limits, name, value)


@pytest.fixture
def opencl():
    """The id of an OpenCL device."""
    if why := merklize.why_unavailable("opencl"):
        (pytest.fail if os.environ.get("MERKLIZE_REQUIRE_RUNTIMES") == "1" else pytest.skip)(why)
    return "opencl:0"


def pytest_sessionstart(session):
    wanted = os.environ.get("MERKLIZE_CPU_ISA")
    if wanted:
        isas = [device.isa for device in merklize.devices() if device.id == "cpu"]
        if isas != [wanted]:
            reason = merklize.why_unavailable("cpu")
            pytest.exit(f"MERKLIZE_CPU_ISA={wanted}, but the cpu device runs {isas or 'nothing'}: {reason}", 1)


# What `make test-more` runs: tests that need large packages (stores, Ray, signing, runtimes of devices) or compile
# kernels for devices. They have these fixtures or the marker `packages`, stand in these files, or are named here.
MORE_FIXTURES = {"memory", "http", "s3_client", "s3", "gs_bucket", "gs", "store", "opencl"}
MORE_FILES = {
    *("test_bao_urls.py", "test_cli_build_kernels.py", "test_cli_urls.py", "test_ray.py", "test_runtimes.py"),
    *("test_sharded_torch.py", "test_signing.py", "test_store_failures.py", "test_stores.py"),
    *("test_urls.py", "test_xet.py"),
}
MORE_TESTS = (
    *("[docs/stores.md]", "[docs/how-to/weights.md]", "[merklize.ray]", "[merklize.signing]"),
    "::test_in_a_process_of_two_runtimes",
)


def is_for_more(item):
    named = item.path.name in MORE_FILES or any(words in item.nodeid for words in MORE_TESTS)
    return named or bool(MORE_FIXTURES & set(item.fixturenames)) or item.get_closest_marker("packages") is not None


def pytest_runtest_setup(item):
    for marker in item.iter_markers("packages"):
        needs(*marker.args)


def pytest_collection_modifyitems(config, items):
    for item in items:
        if is_for_more(item):
            item.add_marker("more")
    if config.getoption("--run-slow") or os.environ.get("MERKLIZE_RUN_SLOW"):
        return
    for item in items:
        if item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.skip(reason="slow: run with --run-slow"))

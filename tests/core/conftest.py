import os
import tempfile

import pytest

from runtimes import Missing


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

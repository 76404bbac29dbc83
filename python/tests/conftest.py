"""Which device and instruction set the tests ran on, and which tests are slow."""

import os
import signal

import pytest

import merklize


def pytest_addoption(parser):
    parser.addoption("--run-slow", action="store_true", help="run the tests that take gigabytes or minutes")


def pytest_report_header(config):
    shown = [f"{device.id} ({device.name}, {device.isa}, {device.units} units)" for device in merklize.devices()]
    return f"merklize {merklize.__version__}: {', '.join(shown) or 'no device'}"


# A run in the background of a script ignores Ctrl-C, and so would the programs that the tests start and interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_sessionstart(session):
    wanted = os.environ.get("MERKLIZE_CPU_ISA")
    if wanted:
        isas = [device.isa for device in merklize.devices() if device.id == "cpu"]
        if isas != [wanted]:
            reason = merklize.why_unavailable("cpu")
            pytest.exit(f"MERKLIZE_CPU_ISA={wanted}, but the cpu device runs {isas or 'nothing'}: {reason}", 1)


def pytest_collection_modifyitems(config, items):
    if config.getoption("--run-slow") or os.environ.get("MERKLIZE_RUN_SLOW"):
        return
    for item in items:
        if item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.skip(reason="slow: run with --run-slow"))

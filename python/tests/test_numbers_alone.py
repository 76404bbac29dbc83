"""No number makes a call slow or large by itself: every parameter of every function x counts that no input has."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path

import pytest

import merklize
from merklize import bao, formats, parts, prover
from wrong_kinds import ALLOWED, calls_with, consume, made_objects, methods, public

FUNCTIONS = dict(pair for module in (merklize, prover, parts, formats, bao, merklize.tuning) for pair in public(module))
NUMBERS = (10**8, 2**31 - 1, 2**32 - 1, 2**40, 2**62, 2**64 - 1)
WANTED = {"length"}  # bytes of output, which the caller gets
SECONDS, BYTES = 20, 1 << 28


def memory(name):
    status = Path("/proc/self/status").read_text()
    return int(status.partition(f"{name}:")[2].split()[0]) << 10


def require_small(name, function):
    def values(parameter):
        return () if parameter in WANTED else [v for n in NUMBERS for v in (n, [n], [(0, n)])]

    for positional, named in calls_with(function, values):
        Path("/proc/self/clear_refs").write_text("5")  # VmHWM begins again
        before, began = memory("VmRSS"), time.monotonic()
        with suppress(*ALLOWED):
            consume(function(*positional, **named))
        assert time.monotonic() - began < SECONDS, (name, positional, named)
        assert memory("VmHWM") - before < BYTES, (name, positional, named)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").write_bytes(b"data of a file")
    return tmp_path


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(folder, name):
    require_small(name, FUNCTIONS[name])


def test_methods(folder):
    for thing in made_objects(0):
        if isinstance(thing, merklize.DeviceArray):  # one that nothing made
            continue
        for name, _, attribute in methods(thing):
            method = getattr(thing, attribute)
            if callable(method):
                require_small(name, method)

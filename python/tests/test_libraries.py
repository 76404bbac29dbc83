"""Libraries that pip installed for devices are found when a device is first asked for, and not before."""

import os
import subprocess
import sys
import types

import pytest

from merklize import _libraries
from waiting import HANG

VARIABLES = ("MERKLIZE_NVRTC_LIBRARY", "MERKLIZE_OPENCL_LIBRARY")


def run(script, **variables):
    environment = {name: value for name, value in os.environ.items() if name not in (*VARIABLES, "MERKLIZE_DEVICE")}
    command = [sys.executable, "-c", script]
    return subprocess.check_output(command, text=True, env={**environment, **variables}, timeout=HANG).strip()


@pytest.mark.parametrize("use", ["pass", "merklize.hash(b'x')", "merklize.hash(b'x', device='cpu')"])
def test_the_cpu_needs_none(use):
    assert run(f"import sys, merklize; {use}; print('merklize._libraries' in sys.modules)") == "False"


@pytest.mark.parametrize(
    "use", ["merklize.devices()", "merklize.why_unavailable('cuda')", "merklize.hash(b'x', device='opencl:999')"]
)
def test_devices_do(use):
    script = (
        f"import sys, merklize\ntry: {use}\nexcept merklize.Error: pass\nprint('merklize._libraries' in sys.modules)"
    )
    assert run(script) == "True"


def test_the_environment_may_name_the_device():
    script = """
import sys, merklize
try: merklize.hash(b'x')
except merklize.Error: pass
print('merklize._libraries' in sys.modules)
"""
    assert run(script, MERKLIZE_DEVICE="opencl") == "True"


@pytest.fixture
def bare(monkeypatch):
    """A copy of the environment, so that changes do not reach other tests."""
    monkeypatch.setattr(os, "environ", {})


@pytest.mark.usefixtures("bare")
@pytest.mark.parametrize(
    ("driver", "present", "expected"),
    [
        (13000, ("cu13/lib/libnvrtc.so.13", "cuda_nvrtc/lib/libnvrtc.so.12"), "libnvrtc.so.13"),
        (12080, ("cu13/lib/libnvrtc.so.13", "cuda_nvrtc/lib/libnvrtc.so.12"), "libnvrtc.so.12"),
        (12080, ("cu13/lib/libnvrtc.so.13",), "libnvrtc.so.13"),
        (0, (), None),
    ],
)
def test_nvrtc(tmp_path, monkeypatch, driver, present, expected):
    for name in present:
        path = tmp_path / "nvidia" / name
        path.parent.mkdir(parents=True)
        path.touch()
    spec = types.SimpleNamespace(submodule_search_locations=[str(tmp_path / "elsewhere"), str(tmp_path / "nvidia")])
    monkeypatch.setattr(_libraries.importlib.util, "find_spec", lambda name: spec)
    monkeypatch.setattr(_libraries, "_driver_version", lambda: driver)
    monkeypatch.setattr(_libraries, "_opencl", lambda: None)
    _libraries.prepare()
    assert os.environ.get("MERKLIZE_NVRTC_LIBRARY", "none").endswith(expected or "none")
    os.environ["MERKLIZE_NVRTC_LIBRARY"] = "mine"
    _libraries.prepare()
    assert os.environ["MERKLIZE_NVRTC_LIBRARY"] == "mine"


@pytest.mark.usefixtures("bare")
def test_opencl_of_the_system_goes_first(tmp_path, monkeypatch):
    monkeypatch.setattr(_libraries, "_nvrtc", lambda: None)
    monkeypatch.setattr(_libraries.sys, "prefix", str(tmp_path))
    monkeypatch.setattr(_libraries, "_loads", lambda name: False)
    _libraries.prepare()
    assert "MERKLIZE_OPENCL_LIBRARY" not in os.environ
    library = tmp_path / "lib" / "libintelocl.so"
    library.parent.mkdir()
    library.touch()
    monkeypatch.setattr(_libraries, "_loads", lambda name: True)
    _libraries.prepare()
    assert "MERKLIZE_OPENCL_LIBRARY" not in os.environ
    monkeypatch.setattr(_libraries, "_loads", lambda name: False)
    _libraries.prepare()
    assert os.environ["MERKLIZE_OPENCL_LIBRARY"] == str(library)

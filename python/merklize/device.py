"""The devices of this machine."""

from __future__ import annotations

from typing import NamedTuple

from . import _native


class DeviceInfo(NamedTuple):
    """A device, which `device=` selects by its id."""

    id: str
    """The name for `device=`: "cpu", "cuda:0", "opencl:0", ..."""
    backend: str
    """The backend that runs it: "cpu", "cuda", "opencl", "sycl"."""
    name: str
    """The vendor's name of the device."""
    vendor: str
    driver: str
    """Version of the driver or runtime; "" for the CPU."""
    isa: str
    """Instruction set or architecture in use: "scalar", "avx2", "avx512", "neon", "sm_90", "OpenCL C 1.2"."""
    units: int
    """CPU threads that this process may use, or compute units."""
    memory_bytes: int
    """Memory of the device."""


def devices() -> list[DeviceInfo]:
    """Return every usable device, best first. why_unavailable() tells why one is missing.

    >>> "cpu" in [device.id for device in merklize.devices()]
    True
    """
    return [DeviceInfo(*info) for info in _native.devices()]


def why_unavailable(name: str) -> str:
    """Return why the device or backend `name` ("cuda", "opencl:0", ...) cannot be used, or "" if it can.

    >>> merklize.why_unavailable("cpu")
    ''
    """
    return _native.why_unavailable(name)

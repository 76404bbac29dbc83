"""Which devices there are."""

from __future__ import annotations

from typing import NamedTuple

from . import _native


class DeviceInfo(NamedTuple):
    """A device that can be asked for by its id."""

    id: str
    """The name for `device=`: "cpu", "cuda:0", "opencl:0", ..."""
    backend: str
    """What runs it: "cpu", "cuda", "opencl"."""
    name: str
    """As the vendor calls it."""
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
    """Return every usable device, best first. A missing one: why_unavailable() says why."""
    return [DeviceInfo(*info) for info in _native.devices()]


def why_unavailable(name: str) -> str:
    """Return why the device or backend `name` ("cuda", "opencl:0", ...) cannot be used, or "" if it can."""
    return _native.why_unavailable(name)

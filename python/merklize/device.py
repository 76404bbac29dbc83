"""Which devices there are."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from . import _native

if TYPE_CHECKING:
    from ._types import Progress


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


class Cost(NamedTuple):
    """What a job on host memory costs on a device: about latency + bytes / rate seconds."""

    device: str
    """Id of the device."""
    job: str
    """"digest", "tree of a byte hash" or "tree of a field hash": the jobs for which device="auto" chooses by costs."""
    latency: float
    """Seconds."""
    rate: float
    """Bytes of input a second."""


def calibrate(*, progress: Progress = None) -> list[Cost]:
    """Measure each job on each usable device, and keep the figures for device="auto".

    They hold for processes that start from now on, as long as processor, devices, drivers and this package stay as they
    are. Takes some seconds a device, and more the first time, when kernels are compiled.

    progress  called between measurements with the share that is done; returning False raises Cancelled

    Raises FileError: the figures cannot be kept (the cache folder; docs/cli.md).
    """
    return [Cost(*cost) for cost in _native.calibrate(progress)]


def calibration() -> list[Cost]:
    """Return the costs that are kept, of devices that are still as they were measured."""
    return [Cost(*cost) for cost in _native.calibration()]

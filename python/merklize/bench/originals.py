"""Figures that the projects before this one published, in seconds.

They are itzmeanjan's blake3 (SYCL), merklize-blake3 (OpenCL) and ff-p-cuda. Other hardware, so a comparison says little
about the software alone: the ratio of integer throughput is given where it is known.
"""

from __future__ import annotations

from typing import NamedTuple


class Original(NamedTuple):
    """One published time."""

    suite: str
    hash: str
    log2: int
    device: str
    kernel: float
    what: str


V100 = "Tesla V100"
XEON = "Xeon Platinum 8358"
IRIS = "Iris Xe MAX"
DEVICES = (V100, XEON, IRIS)


def _times(suite: str, hash: str, device: str, what: str, ms: dict[int, float]) -> tuple[Original, ...]:
    return tuple(Original(suite, hash, log2, device, value / 1e3, what) for log2, value in ms.items())


_ONE, _TWO = "SYCL, one chunk an item", "SYCL, two chunks an item"
ORIGINALS = (
    *_times(
        "blake3-hash",
        "blake3",
        V100,
        _ONE,
        {26: 0.844598250, 27: 1.800964, 28: 3.267731, 29: 5.998047, 30: 11.915527},
    ),
    *_times("blake3-hash", "blake3", V100, _TWO, {26: 1.016358, 28: 3.539550, 30: 11.715087}),
    *_times(
        "blake3-hash", "blake3", XEON, _ONE, {26: 6.239875, 27: 8.187520, 28: 8.853032, 29: 14.807205, 30: 22.864140}
    ),
    *_times(
        "blake3-hash", "blake3", IRIS, _ONE, {26: 4.974242, 27: 9.812348, 28: 19.465823, 29: 39.271700, 30: 77.556440}
    ),
    *_times("blake3-hash", "blake3", IRIS, _TWO, {26: 3.106389, 28: 11.941254, 30: 47.515533}),
    *_times("blake3-merklize", "blake3", V100, "SYCL", {20: 0.360, 25: 7.31}),
    *_times(
        "blake3-merklize",
        "blake3",
        V100,
        "OpenCL",
        {20: 3.7582, 21: 7.2841, 22: 14.2924, 23: 28.2952, 24: 52.5327, 25: 100.6062},
    ),
    *_times(
        "blake3-merklize",
        "blake3",
        XEON,
        "OpenCL",
        {20: 59.3219, 21: 86.8682, 22: 50.9794, 23: 70.0997, 24: 98.0322, 25: 175.9160},
    ),
    *_times(
        "blake3-merklize",
        "blake3",
        IRIS,
        "OpenCL",
        {20: 9.1614, 21: 18.1686, 22: 36.1911, 23: 72.2722, 24: 144.4273, 25: 288.7912},
    ),
    *_times(
        "rescue-merklize",
        "rp64_256_v1",
        V100,
        "CUDA, approach 1",
        {20: 63.1821, 21: 116.28, 22: 221.659, 23: 431.678, 24: 851.845},
    ),
    *_times(
        "rescue-merklize",
        "rp64_256_v1",
        V100,
        "CUDA, approach 2",
        {20: 122.44, 21: 231.703, 22: 449.037, 23: 881.705, 24: 1745.14},
    ),
    *_times(
        "rescue-merklize",
        "rp64_256_v1",
        V100,
        "CUDA, approach 3",
        {20: 63.2559, 21: 116.025, 22: 221.412, 23: 417.309, 24: 778.676},
    ),
)

# Multiprocessors times clock in GHz: 64 integer operations a cycle each, on both.
INTEGER_THROUGHPUT = {V100: 80 * 1.53, "NVIDIA H200": 132 * 1.98}


def best_of(suite: str, hash: str, log2: int, device: str | None = None) -> Original | None:
    """Return the fastest published time of a job, on any device or on one."""
    found = [o for o in ORIGINALS if (o.suite, o.hash, o.log2) == (suite, hash, log2) and device in (None, o.device)]
    return min(found, key=lambda o: o.kernel, default=None)


def hardware_ratio(original: Original, device: str) -> float | None:
    """Return how many times as fast the hardware alone is; None if that is not known."""
    ours, theirs = INTEGER_THROUGHPUT.get(device), INTEGER_THROUGHPUT.get(original.device)
    return ours / theirs if ours and theirs else None

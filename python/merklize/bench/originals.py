"""Figures that the projects before this one published, in seconds.

They are itzmeanjan's blake3 (SYCL), merklize-blake3 (OpenCL) and ff-p-cuda. Other hardware, so a comparison says little
about the software alone: the ratio of integer throughput is given where we know it.
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

ORIGINALS = (
    Original("blake3-hash", "blake3", 26, V100, 0.844598e-3, "SYCL, one chunk an item"),
    Original("blake3-hash", "blake3", 27, V100, 1.800964e-3, "SYCL, one chunk an item"),
    Original("blake3-hash", "blake3", 28, V100, 3.267731e-3, "SYCL, one chunk an item"),
    Original("blake3-hash", "blake3", 29, V100, 5.998047e-3, "SYCL, one chunk an item"),
    Original("blake3-hash", "blake3", 30, V100, 11.915527e-3, "SYCL, one chunk an item"),
    Original("blake3-merklize", "blake3", 20, V100, 0.360e-3, "SYCL"),
    Original("blake3-merklize", "blake3", 25, V100, 7.31e-3, "SYCL"),
    Original("rescue-merklize", "rp64_256_v1", 20, V100, 63.1821e-3, "CUDA, approach 1"),
    Original("rescue-merklize", "rp64_256_v1", 21, V100, 116.025e-3, "CUDA, approach 3"),
    Original("rescue-merklize", "rp64_256_v1", 22, V100, 221.412e-3, "CUDA, approach 3"),
    Original("rescue-merklize", "rp64_256_v1", 23, V100, 417.309e-3, "CUDA, approach 3"),
    Original("rescue-merklize", "rp64_256_v1", 24, V100, 778.676e-3, "CUDA, approach 3"),
)

# Multiprocessors times clock in GHz: 64 integer operations a cycle each, on both.
INTEGER_THROUGHPUT = {V100: 80 * 1.53, "NVIDIA H200": 132 * 1.98}


def best_of(suite: str, hash: str, log2: int) -> Original | None:
    """The fastest published time of a job."""
    found = [o for o in ORIGINALS if (o.suite, o.hash, o.log2) == (suite, hash, log2)]
    return min(found, key=lambda o: o.kernel, default=None)


def hardware_ratio(original: Original, device: str) -> float | None:
    """How much faster the hardware alone is, or None: not known."""
    ours, theirs = INTEGER_THROUGHPUT.get(device), INTEGER_THROUGHPUT.get(original.device)
    return ours / theirs if ours and theirs else None

"""For experts: tuning values, times of calls, memory limits of devices, and measurements for device="auto"."""

from __future__ import annotations

from contextvars import Token
from types import TracebackType
from typing import Any, NamedTuple

from . import _native
from ._native import Timings
from ._settings import tuning
from ._signature import Signature
from ._types import Policy, Progress
from .errors import in_call

Timings.__signature__ = Signature()  # type: ignore[attr-defined]

__all__ = [
    "Cost",
    "Timings",
    "calibrate",
    "calibration",
    "memory_limit",
    "options",
    "policy_fields",
    "policy_from_text",
    "policy_text",
    "set_memory_limit",
    "store_tuned_policies",
    "tuned_policies",
]


class options:
    """Tuning values and times of the calls in a `with` block, of this thread or task alone.

    policy   {field: value}, such as {"levels_per_launch": 3}; the device's table decides what it lacks. It never
             changes a byte of a result. Fields of devices: group_size, lanes, and constants, which is "literal",
             "constant", "global" or "local"; of trees: levels_per_launch. None: as around the block
    timings  a Timings(), which each call that can be timed fills anew: on devices, since the CPU has no clock of its
             own. None: as around the block

    A tree that is changed keeps the policy that it was built with, and a hash of one chain of blocks has none.
    Raises InvalidArgument (an unknown field, or a value that it does not take), TypeError.

    >>> import merklize, numpy as np
    >>> with merklize.tuning.options(policy={"levels_per_launch": 3}):
    ...     tree = merklize.MerkleTree(np.zeros((8, 32), np.uint8), device="cpu")
    >>> tree.policy
    {'levels_per_launch': 3}
    """

    def __init__(self, *, policy: Policy = None, timings: Timings | None = None) -> None:
        """Check the values."""
        _native.policy_text(policy)
        if timings is not None and not isinstance(timings, Timings):
            raise TypeError(in_call(f"timings must be a Timings object or None, got {type(timings).__name__}"))
        self._policy, self._timings = policy, timings
        self._outside: list[Token[Any]] = []

    def __enter__(self) -> None:
        policy, timings = tuning.get()
        inside = (policy if self._policy is None else self._policy, timings if self._timings is None else self._timings)
        self._outside.append(tuning.set(inside))
        _native.count_tuning_block(True)

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        _native.count_tuning_block(False)
        tuning.reset(self._outside.pop())


class Cost(NamedTuple):
    """What calibrate() has measured: one size of a job by a hash on host memory on a device.

    The time of other sizes is on the lines between these points. Four hashes are measured on each device: blake3,
    sha256, poseidon2_goldilocks_8 and rp64_256_v3. Any other hash has one size of its roots and rows on the CPU, which
    says between which two of the four its costs lie.
    """

    device: str
    """Id of the device."""
    job: str
    """One of the jobs for which device="auto" chooses by costs: "digest", "tree" (MerkleTree), "nodes" (build_tree),
    "root" (merkle_root), "rows" (hash_leaves, hash_rows, MatrixCommitment).
    """
    hash: str
    """One of HASHES."""
    bytes: int
    """Of leaves, rows or data."""
    seconds: float
    """The shortest of up to five calls."""
    pinned: bool
    """Whether the data was in pinned memory, as torch.Tensor.pin_memory() gives it. The CPU alone has no such costs."""


def calibrate(*, progress: Progress = None) -> list[Cost]:
    """Measure each job on each usable device, and store the figures for device="auto".

    GPUs are measured with data in pageable and in pinned memory, whose calls then go by their own figures.
    They hold for processes that start from now on, as long as processor, devices, drivers and this package stay as they
    are. Takes some seconds a device, and more the first time, when kernels are compiled.

    progress  called between measurements with the share that is done; returning False raises Cancelled

    Raises FileError: the figures cannot be kept (the cache folder; docs/cli.md).
    """
    return [Cost(*cost) for cost in _native.calibrate(progress)]


def calibration() -> list[Cost]:
    """Return the stored costs of the devices that have not changed since they were measured."""
    return [Cost(*cost) for cost in _native.calibration()]


def set_memory_limit(device: str, n_bytes: int) -> None:
    """Bound the memory of a device that this process takes through merklize.

    What calls, trees, commitments and DeviceArrays use counts, and what is kept for later calls, which is freed first.
    Tensors of others, page-locked host memory and the driver's own memory do not count. A call that would need more
    works in pieces or on the host where it can, as on a device that is full. What is in use stays when a limit is set.

    device   a single device with memory of its own, such as "cuda:0"; of several as one, each has its own limit
    n_bytes  0: no limit

    Raises Unavailable (the CPU, several devices as one); calls under the limit may raise OutOfMemory.

    >>> import merklize
    >>> if not merklize.why_unavailable("cuda:0"):
    ...     merklize.tuning.set_memory_limit("cuda:0", 8 << 30)
    """
    _native.set_memory_limit(device, n_bytes)


def memory_limit(device: str) -> int:
    """Return the limit that set_memory_limit() has set, in bytes; 0: there is none.

    >>> import merklize
    >>> merklize.tuning.memory_limit("cpu")
    0
    """
    return _native.memory_limit(device)


def policy_fields() -> list[tuple[str, tuple[int | str, ...]]]:
    """Return the fields of a policy, and the values that each takes.

    >>> import merklize
    >>> dict(merklize.tuning.policy_fields())["lanes"]
    (1, 2, 4, 8, 16)
    """
    return _native.policy_fields()


def policy_from_text(text: str) -> dict[str, int | str]:
    """Return the policy of a text, as `--policy` takes it. Raises InvalidArgument.

    >>> import merklize
    >>> merklize.tuning.policy_from_text("lanes=2,group_size=64")
    {'group_size': 64, 'lanes': 2}
    """
    return _native.policy_from_text(text)


def policy_text(policy: Policy) -> str:
    """Return the text of a policy; "" if it leaves all to the device's table. Raises InvalidArgument."""
    return _native.policy_text(policy)


def tuned_policies(device: str) -> list[tuple[str, str, int, dict[str, int | str], float, float]]:
    """Return what `merklize tune` keeps for a device: job, hash, log2 of the size, policy, seconds with and without."""
    return _native.tuned_policies(device)


def store_tuned_policies(device: str, policies: list[tuple[str, str, int, dict[str, int | str], float, float]]) -> None:
    """Keep such policies in place of those that are kept for the device. Raises FileError."""
    _native.store_tuned_policies(device, policies)

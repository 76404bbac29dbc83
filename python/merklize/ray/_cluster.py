"""The cluster: joining it, its resources, and running tasks on it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple, Optional

import merklize

from ..errors import Error, InternalError, InvalidArgument, Unavailable
from ..stores import Report
from . import _tasks

try:
    import ray
except ImportError as error:
    raise ImportError(f"merklize.ray needs ray: pip install 'merklize[ray]' ({error})") from error

MIB = 1 << 20
CHECK_EVERY = 5.0
"""Seconds without a result after which the cluster's size is checked."""


class Options(NamedTuple):
    """How work is cut, and the resources of a task."""

    part_size: int | None = None
    """Bytes of a part, a power of two >= 1 MiB. None: by size and cluster, 4 MiB to 4 GiB."""
    workers: int = 1
    """Tasks that the cluster must be able to run at once; a smaller cluster is an error."""
    num_cpus: float = 1
    """CPUs of a task."""
    num_gpus: float | None = None
    """GPUs of a task. None: half of one if the cluster has any, so that one task reads while another hashes; else 0."""
    retries: int = 10
    """Times that a task is run again after its worker or node was lost."""
    lost_after: float = 120.0
    """Seconds that a cluster may be too small for any task, before that is an error."""
    remote: Mapping[str, Any] = {}
    """More of Ray's `.options()`: resources, a scheduling strategy, labels of nodes that are near the data."""


class Task(NamedTuple):
    """A call of a function of _tasks."""

    key: str
    """The task's name in the state file."""
    function: str
    arguments: tuple[Any, ...]
    weight: int
    """Bytes, for progress."""
    gives_errors: bool = False
    """Whether a FileError is its result, not the end of the job."""


class Cluster:
    """A cluster that this process has joined."""

    def __init__(self, options: Options) -> None:
        """Find out the cluster's resources. Raises Unavailable if they are fewer than the options ask for."""
        self.options = options
        self._have = ray.cluster_resources()
        gpus = options.num_gpus if options.num_gpus is not None else (0.5 if self._have.get("GPU", 0) > 0 else 0)
        self.wanted = {"CPU": options.num_cpus, "GPU": gpus}
        for name, value in options.remote.get("resources", {}).items():
            self.wanted[name] = value
        self.slots = self._slots()
        if self.slots < options.workers:
            raise Unavailable(f"merklize.ray: {self._lack(options.workers)}")
        how: dict[str, Any] = {"num_cpus": options.num_cpus, "num_gpus": gpus, "max_retries": options.retries}
        how |= {"scheduling_strategy": "SPREAD", "retry_exceptions": False, **options.remote}
        self._remote = ray.remote(_tasks.run).options(**how)
        self.threads = max(1, int(options.num_cpus))

    def _slots(self) -> int:
        """Tasks that can run at once. A task runs on one node."""
        count = 0
        for node in ray.nodes():
            if node["Alive"]:
                have = node["Resources"]
                count += (
                    min(int(have.get(name, 0) / n) for name, n in self.wanted.items() if n)
                    if any(self.wanted.values())
                    else 1 << 10
                )
        return count

    def _lack(self, workers: int) -> str:
        wanted = ", ".join(f"{value:g} {name}" for name, value in self.wanted.items() if value)
        nodes = sum(bool(node["Alive"]) for node in ray.nodes())
        have = ", ".join(f"{ray.cluster_resources().get(name, 0):g} {name}" for name in self.wanted)
        return (
            f"asked for {workers} workers at once of {wanted} each; the cluster can run {self._slots()}: "
            f"it has {have} on {nodes} nodes"
        )

    def part_size(self, size: int) -> int:
        """Return the bytes of a part of an object: at least 4 parts for each worker, and at most 4096 parts."""
        if self.options.part_size is not None:
            part = self.options.part_size
            if part < MIB or part & (part - 1):
                raise InvalidArgument(f"part_size must be a power of two >= {MIB}, got {part}")
            return part
        fair = max(1, size // (4 * self.slots), size >> 12)
        return min(max(1 << (fair.bit_length() - 1), 4 * MIB), 1 << 32)

    def run(self, tasks: Iterable[Task], report: Report) -> Iterator[tuple[Task, Any]]:
        """Run tasks, and yield each with its result when it is done. Raises what a task raises."""
        left = iter(tasks)
        flying: dict[Any, Task] = {}
        most = 2 * self.slots + 16
        waiting_since: float | None = None
        try:
            while True:
                while len(flying) < most and (task := next(left, None)) is not None:
                    flying[self._start(task)] = task
                if not flying:
                    return
                refs = list(flying)
                ready, _ = ray.wait(refs, num_returns=1, timeout=CHECK_EVERY)
                if not ready:
                    waiting_since = self._require_alive(waiting_since)
                    continue
                waiting_since = None
                if len(refs) > 1:  # also takes all others that are done, because the call costs the same
                    ready, _ = ray.wait(refs, num_returns=len(refs), timeout=0)
                for ref in ready:
                    task = flying.pop(ref)
                    result = _result(ref)
                    report.add(task.weight)
                    yield task, result
        finally:
            for ref in flying:
                ray.cancel(ref, force=False)

    def _start(self, task: Task) -> Any:
        return self._remote.remote(merklize.__version__, task.function, task.arguments, task.gives_errors)

    def _require_alive(self, since: float | None) -> float | None:
        """Refuse to wait for ever for a cluster that no task fits into."""
        if self._slots() > 0:
            return None
        now = time.monotonic()
        if since is not None and now - since > self.options.lost_after:
            raise Unavailable(f"merklize.ray: nodes were lost: {self._lack(1)}")
        return now if since is None else since


def _result(ref: Any) -> Any:
    try:
        return ray.get(ref)
    except ray.exceptions.RayTaskError as error:
        cause = error.cause
        if isinstance(cause, Error):
            raise cause from None
        if isinstance(cause, ModuleNotFoundError):
            raise Unavailable(f"merklize.ray: a worker lacks the package {cause.name!r}") from None
        raise InternalError(f"merklize.ray: a task failed: {type(cause).__name__}") from None
    except ray.exceptions.RayError as error:
        raise InternalError(f"merklize.ray: a task was lost too often: {type(error).__name__}") from None


@contextmanager
def joined(address: str | None, options: Options | None) -> Iterator[Cluster]:
    """Join a cluster: the one at the address, the one that this process has joined, or a new one on this machine."""
    options = options or Options()
    started = False
    if not ray.is_initialized():
        local = address is None and not os.environ.get("RAY_ADDRESS")
        try:
            more = {"include_dashboard": False} if local else {}
            ray.init(address="local" if local else address, log_to_driver=False, configure_logging=False, **more)
        except Exception as error:  # Ray's own texts have no secrets, but are pages long
            raise Unavailable(f"merklize.ray: cannot join the cluster at {address or 'RAY_ADDRESS'}: "
                              f"{type(error).__name__}") from None  # fmt: skip
        started = True
    elif address not in (None, "auto", ray.get_runtime_context().gcs_address):
        raise InvalidArgument(
            f"merklize.ray: this process has joined the cluster at {ray.get_runtime_context().gcs_address}, "
            f"not {address}"
        )
    try:
        yield Cluster(options)
    finally:
        if started:
            ray.shutdown()


Progress = Optional[Callable[[float], object]]

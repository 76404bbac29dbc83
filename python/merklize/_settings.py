"""The options that nearly every function takes: where and how to run."""

from __future__ import annotations

import time
from contextvars import ContextVar
from typing import Any

from . import _arrays, _native
from ._types import Device, Policy, Progress
from .errors import Cancelled, InvalidArgument, in_call, shown

# Policy and timings of merklize.tuning.options().
tuning: ContextVar[tuple[Policy, _native.Timings | None]] = ContextVar("merklize.tuning", default=(None, None))


def settings(
    device: Device,
    threads: int | None,
    progress: Progress = None,
    stream: object = None,
    wait: bool = True,
    *,
    tuned: bool = True,
    timed: bool = True,
) -> _native.Settings:
    """Return the run options of a call as the extension takes them.

    tuned, timed  whether the policy and the timings of merklize.tuning.options() are for this call
    """
    name = device if type(device) is str else device_name(device)
    handle = None if stream is None else stream_handle(stream)
    policy, timings = tuning.get()
    return _native.Settings(
        name, threads, progress, handle, wait, policy if tuned else None, timings if timed else None
    )


class Steps:
    """The progress of a call that is many calls of the extension, one after another."""

    def __init__(self, progress: Progress, whole: int) -> None:
        """Raise TypeError if `progress` is no function.

        whole  the size of all steps together, 0 if it is not known
        """
        self._call, self.whole = _native.Settings("cpu", None, progress).progress, whole
        self._before, self._size, self._share, self._last = 0, 0, 0.0, time.monotonic()

    @property
    def progress(self) -> Progress:
        """The progress function for the calls of a step."""
        return None if self._call is None else self._tell

    def over(self, run: _native.Settings, *, timed: bool = True) -> _native.Settings:
        """Return the options of a call for its steps. timed  as in settings()"""
        if self._call is None:
            return run
        return settings(run.device, run.threads or None, self._tell, run.stream, timed=timed)

    def step(self, size: int = 0) -> None:
        """Begin the next step. Raises Cancelled."""
        self._before, self._size = self._before + self._size, size
        if self._call is not None and time.monotonic() - self._last >= 0.05 and _native.cancels(self._tell(0)):
            raise Cancelled("cancelled by the caller's progress function")

    def _tell(self, done: float) -> object:
        self._last = time.monotonic()
        if self.whole:  # calls of one step each begin at 0
            self._share = min(1.0, max(self._share, (self._before + done * self._size) / self.whole))
        return None if self._call is None else self._call(self._share)


def device_name(device: object) -> str:
    """Return a device's id, however the device is given. Raises TypeError."""
    if isinstance(device, (list, tuple)):
        return ",".join(map(_one_device_name, device))
    return _one_device_name(device)


def _one_device_name(device: object) -> str:
    if isinstance(device, int) and not isinstance(device, bool):
        return f"cuda:{_arrays.unsigned(device, 'device')}"
    kind = type(device)
    if isinstance(device, str) or (kind.__module__, kind.__name__) == ("torch", "device"):
        return str(device)
    raise TypeError(
        in_call(
            f"device must be an id of devices(), N for 'cuda:N', a torch.device, or a list of them, got {kind.__name__}"
        )
    )


def stream_handle(stream: object) -> int:
    """Return the number by which drivers know a queue: CUDA's CUstream, OpenCL's cl_command_queue.

    stream  an integer, or a stream of PyTorch (`cuda_stream`), CuPy (`ptr`), Numba (`handle`), or of anybody with
            `__cuda_stream__`
    """
    if isinstance(stream, int):
        return _arrays.unsigned(stream, "stream")
    protocol = getattr(stream, "__cuda_stream__", None)
    if protocol is not None:
        version = protocol() if callable(protocol) else protocol
        if not isinstance(version, tuple) or len(version) != 2:
            raise TypeError(
                in_call(f"stream: __cuda_stream__ must give (version, handle), got {type(version).__name__}")
            )
        return _arrays.unsigned(version[1], "stream")
    for name in ("cuda_stream", "ptr", "handle"):
        found = getattr(stream, name, None)
        if found is not None:
            # Numba gives a ctypes pointer, whose value is None for the default stream.
            value = getattr(found, "value", found)
            return 0 if value is None else _arrays.unsigned(value, "stream")
    raise TypeError(
        in_call(
            "stream must be an integer, None or an object with __cuda_stream__, cuda_stream, ptr or handle, "
            f"got {type(stream).__name__}"
        )
    )


def is_blake3(hash: str) -> bool:
    """Tell whether a name of a hash is that of BLAKE3. Raises TypeError if it is no text."""
    if not isinstance(hash, str):
        raise TypeError(in_call(f"hash must be a string, got {type(hash).__name__}"))
    return hash == "blake3"


def hash_info(hash: str) -> _native.HashInfo:
    """Return the facts of a hash of trees. Raises TypeError, InvalidArgument (with the known names)."""
    return _native.hash_by_name(hash)


def require_plain(hash: str, key: Any, context: Any, length: int, seek: int, *, of_rows: bool = False) -> None:
    """Refuse options that a hash other than BLAKE3 does not have."""
    _native.require_message(hash, 32)
    size = _arrays.unsigned(length, "length")
    keyed, sized = hash == "blake2s", hash == "blake2s" and not of_rows
    for name, is_wrong in (
        ("key", key is not None and not keyed),
        ("context", context is not None),
        ("length", size != 32 and not sized),
        ("seek", _arrays.unsigned(seek, "seek") != 0),
    ):
        if is_wrong:
            of_both = name == "key" or (name == "length" and not of_rows)
            owners = "the hashes 'blake3' and 'blake2s'" if of_both else "the hash 'blake3'"
            raise InvalidArgument(f"{name} is of {owners}, not of {shown(hash)}")
    if size != 32:
        _native.require_message(hash, size)

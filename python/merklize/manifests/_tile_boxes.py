"""Boxes of a model where it lies, and the exchange of what its ranks tell."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import prod
from typing import Any, NamedTuple

from .. import _native
from .._settings import settings
from .._types import Device, Progress
from ..errors import Error, InvalidArgument, in_call, shown
from ._memory import held, is_torch, require_name, tensors_of
from ._tile_nodes import Box, integers, nodes_of

Maps = Mapping[str, Callable[[Any], Iterable[Box]]]
Gather = Callable[[bytes], Sequence[bytes]]

FAILED = b"merklize failed 1"


def boxes_of(model: Any, maps: Maps | None) -> list[Box]:
    """Return the boxes of a model that this process holds."""
    state = tensors_of(model)
    found: list[Box] = []
    if maps is not None and not isinstance(maps, Mapping):
        raise TypeError(in_call(f"maps must be a mapping of names to functions, got {type(maps).__name__}"))
    for name in maps or {}:
        if name not in state:
            raise InvalidArgument(f"maps: the model has no tensor {name!r}")
    for name, tensor in state.items():
        if maps and name in maps:
            found += maps[name](tensor.to_local() if _is_sharded(tensor) else tensor)
        elif _is_sharded(tensor):
            found += _of_dtensor(name, tensor)
        elif is_in_parts(tensor):
            shape, shards = tuple(tensor.size()), tensor.local_shards()
            found += [Box(name, shape, tuple(one.metadata.shard_offsets), one.tensor) for one in shards]
        else:
            shape = held(name, tensor).shape
            found.append(Box(name, tuple(shape), (0,) * len(shape), tensor))
    return found


def is_in_parts(tensor: Any) -> bool:
    """Tell whether it is a DTensor, or a ShardedTensor, as FSDP1's state dicts have."""
    return _is_sharded(tensor) or hasattr(tensor, "local_shards")


def _is_sharded(tensor: Any) -> bool:
    return all(hasattr(tensor, name) for name in ("placements", "device_mesh", "to_local"))


def _of_dtensor(name: str, tensor: Any) -> list[Box]:
    """Return the box of a DTensor, as its placements say."""
    mesh, placements = tensor.device_mesh, tensor.placements
    here = mesh.get_coordinate()
    if here is None:
        return []
    shape = [int(count) for count in tensor.shape]
    offset, extent = [0] * len(shape), list(shape)
    plain: list[int] = []
    strided: list[int] = []
    for k, placement in enumerate(placements):
        if (
            type(placement).__name__ == "_StridedShard"
        ):  # of FSDP over TP: cut after the dimensions of the mesh behind it
            strided.insert(0, k)
        elif placement.is_shard():
            plain.append(k)
        elif not placement.is_replicate():
            raise InvalidArgument(
                f"tensor {name!r}: its placement is {placement}; only Shard and Replicate are whole values: "
                "redistribute it first"
            )
    done: list[int] = []
    for k in plain + strided:
        axis = placements[k].dim % len(shape)
        behind = prod(mesh.size(j) for j in done if j > k and placements[j].dim % len(shape) == axis)
        if k in strided and placements[k].split_factor != behind:
            raise InvalidArgument(f"tensor {name!r}: unknown placement {placements[k]}; give a map")
        step = -(-extent[axis] // mesh.size(k))
        begin = min(step * here[k], extent[axis])
        offset[axis] += begin
        extent[axis] = min(step, extent[axis] - begin)
        done.append(k)
    local = tensor.to_local()
    if list(local.shape) != extent:
        raise InvalidArgument(
            f"tensor {name!r}: its local part is {list(local.shape)}, its placements say {extent}; give a map"
        )
    if is_torch(local) and extent and held(name, local).dtype == "F4":  # an item has two elements
        shape[-1], offset[-1] = 2 * shape[-1], 2 * offset[-1]
    return [Box(name, tuple(shape), tuple(offset), local)]


def flat_boxes(name: str, shape: Sequence[int], begin: int, data: Any) -> list[Box]:
    """Return the boxes of elements that follow each other in C order."""
    require_name(name)
    sizes = integers(name, "shape", shape)
    (begin,) = integers(name, "begin", [begin])
    if not hasattr(data, "shape"):
        raise TypeError(in_call(f"tensor {name!r}: data must be an array or a tensor, got {type(data).__name__}"))
    if len(data.shape) != 1:
        raise InvalidArgument(f"tensor {name!r}: data must have one dimension, got {list(data.shape)}")
    count = int(data.shape[0])
    if begin + count > prod(sizes):
        raise InvalidArgument(f"tensor {name!r}: elements {begin} to {begin + count} are not in {list(sizes)}")
    found: list[Box] = []

    def cut(prefix: tuple[int, ...], axis: int, first: int, last: int, at: int) -> None:
        """Cut elements first to last of what is below the prefix; data has them from `at` on."""
        if first >= last:
            return
        below = prod(sizes[axis + 1 :])
        if axis == len(sizes) or ((low := first // below) * below == first and last % below == 0):
            extent = () if axis == len(sizes) else (last // below - low, *sizes[axis + 1 :])
            start = prefix if axis == len(sizes) else (*prefix, low, *(0 for _ in sizes[axis + 1 :]))
            part = data[at : at + last - first].reshape((*(1 for _ in prefix), *extent))
            found.append(Box(name, sizes, start, part))
            return
        head = min(last, -(-first // below) * below) if first % below else first
        tail = max(head, last // below * below)
        cut((*prefix, low), axis + 1, first - low * below, head - low * below, at)
        cut(prefix, axis, head, tail, at + head - first)
        cut((*prefix, tail // below), axis + 1, 0, last - tail, at + tail - first)

    if count == 0:  # it says that the tensor is there; a part of a single element cannot be empty
        return [Box(name, sizes, (0,) * len(sizes), data.reshape((0,) * len(sizes)))] if sizes else []
    cut((), 0, begin, begin + count, 0)
    return found


# ---- Exchange ----


class Exchange(NamedTuple):
    """How this process hashes, and how it tells the other ranks. What the caller gave: told() looks at it."""

    device: Device
    threads: int | None
    group: Any = None
    gather: Gather | None = None
    progress: Progress = None

    def run(self) -> _native.Settings:
        """Return the options of a run. Raises TypeError, InvalidArgument."""
        return settings(self.device, self.threads, self.progress)


class Asked(NamedTuple):
    """What a rank has, and what it was asked."""

    boxes: list[Box]
    question: tuple[bytes, ...] = ()
    """One for each of AGREED. A rank that was asked another question than the others exchanges more often or less."""


AGREED = ("manifest", "only", "against (or none)")


def told(ask: Callable[[], Asked], keeps_tiles: bool, how: Exchange) -> list[bytes]:
    """Return what nodes() makes at each rank. If it fails at one, all raise its error, and none waits for ever.

    ask  looks at the arguments, too, because the other ranks wait for one whose arguments are wrong
    """
    failure: Exception | None = None
    question: tuple[bytes, ...] = ()
    try:
        boxes, question = ask()
        data = nodes_of(boxes, keeps_tiles, how.run())
    except Exception as error:  # of an argument, a map, a device, a file: the others wait
        own = isinstance(error, (Error, TypeError))
        text = str(getattr(error, "rule", error)) if own else f"{type(error).__name__}: {error}"
        failure, data = error, FAILED + text.encode(errors="replace")
    try:
        parts, questions = _gathered(data, question, how)
    except Exception as error:
        raise failure or error from None
    if failure is not None:
        raise failure
    for rank, part in enumerate(parts):
        if part.startswith(FAILED):
            text = part[len(FAILED) :][:4096].decode(errors="replace")
            raise InvalidArgument(f"rank {rank}: {''.join(c if c.isprintable() else ' ' for c in text)}")
    for rank, other in enumerate(questions):
        for what, one, two in zip(AGREED, questions[0], other):
            if one != two:
                raise InvalidArgument(f"ranks 0 and {rank}: all ranks must be given the same {what}")
    return parts


def _gathered(data: bytes, question: Sequence[bytes], how: Exchange) -> tuple[list[bytes], list[list[int]]]:
    """Return what the ranks gave, and numbers that are equal where their questions are, as far as they are known."""
    group = how.group
    if how.gather is not None:
        parts, given = [], how.gather(data)
        if not isinstance(given, Iterable):
            raise TypeError(in_call(f"gather must return the parts of all ranks, got {shown(given)}"))
        for part in given:
            if not isinstance(part, (bytes, bytearray, memoryview)):
                raise TypeError(in_call(f"gather: the parts must be bytes, got {type(part).__name__}"))
            parts.append(bytes(part))
        if data not in parts:
            raise InvalidArgument(f"gather: what this rank gave is not among the {len(parts)} parts that came back")
        return parts, []
    torch = sys.modules.get("torch")
    distributed = getattr(torch, "distributed", None)
    if distributed is None or not distributed.is_available() or not distributed.is_initialized():
        if group is not None:
            raise InvalidArgument("group: torch.distributed is not initialised in this process")
        return [data], []
    return _all_gather(data, question, group, torch)


def exchanged_on(backend: str) -> str:
    """Return the kind of device whose tensors a backend takes: of "gloo", "nccl", "cuda:nccl", "cpu:gloo,cuda:nccl"."""
    names = {part.rpartition(":")[2] for part in backend.lower().split(",")}
    kinds = {"nccl": "cuda", "xccl": "xpu"}
    return kinds[min(names)] if names <= set(kinds) else "cpu"


def _all_gather(data: bytes, question: Sequence[bytes], group: Any, torch: Any) -> tuple[list[bytes], list[list[int]]]:
    distributed = torch.distributed
    if distributed.get_rank(group) < 0:
        raise InvalidArgument("group: this process is not in it")
    device = exchanged_on(str(distributed.get_backend(group)))
    ranks = distributed.get_world_size(group)
    from ..hashing import hash

    numbers = [int.from_bytes(hash(one)[:7], "little") for one in question] or [0] * len(AGREED)
    facts = [torch.zeros(1 + len(AGREED), dtype=torch.int64, device=device) for _ in range(ranks)]
    mine = torch.tensor([len(data), *numbers], dtype=torch.int64, device=device)
    distributed.all_gather(facts, mine, group=group)
    counts, questions = [int(one[0]) for one in facts], [one[1:].tolist() for one in facts]
    mine = torch.zeros(max(counts), dtype=torch.uint8, device=device)
    mine[: len(data)] = torch.frombuffer(bytearray(data), dtype=torch.uint8).to(device)
    all_of_them = [torch.empty_like(mine) for _ in range(ranks)]
    distributed.all_gather(all_of_them, mine, group=group)
    return [found[:count].cpu().numpy().tobytes() for found, count in zip(all_of_them, counts)], questions

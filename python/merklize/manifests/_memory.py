"""Tensors in memory of the host or of a device: their names in a manifest, their bytes, their digests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from .. import _native
from .._arrays import refuse_mask
from .._settings import Steps, settings
from .._types import Device, Progress
from ..each import hash_each
from ..errors import InvalidArgument, in_call, shown
from ._entries import Tensor

# Names of NumPy, PyTorch, JAX and ml_dtypes to those of safetensors. C128 is no dtype of safetensors, but of tensors.
DTYPES = {
    "bool": "BOOL", "uint8": "U8", "int8": "I8", "int16": "I16", "uint16": "U16", "int32": "I32", "uint32": "U32",
    "int64": "I64", "uint64": "U64", "float16": "F16", "bfloat16": "BF16", "float32": "F32", "float64": "F64",
    "complex64": "C64", "complex128": "C128", "float8_e4m3fn": "F8_E4M3", "float8_e5m2": "F8_E5M2",
    "float8_e8m0fnu": "F8_E8M0", "float8_e4m3fnuz": "F8_E4M3FNUZ", "float8_e5m2fnuz": "F8_E5M2FNUZ",
    "float4_e2m1fn_x2": "F4",
}  # fmt: skip


class Place(NamedTuple):
    """The memory that a tensor's items span."""

    device: str
    begin: int
    end: int
    layout: tuple[Any, ...]
    """Strides, shape and dtype: two tensors of one layout at one place have the same bytes."""


class Held(NamedTuple):
    """A tensor of the caller."""

    dtype: str
    shape: tuple[int, ...]
    data: Any
    """An object for hash(), whose bytes in C order are the tensor's in little endian."""
    size: int
    place: Place | None
    """The tensor's place in memory; None if it is not known."""
    owner: Any = None
    """What has that memory: `data` may be a copy. While it lives, no other tensor comes to lie at the place."""


def held(name: str, tensor: Any) -> Held:
    """Describe a tensor. Raises InvalidArgument for no tensor, a tensor without data, a dtype without a name."""
    what = f"tensor {name!r}"
    if is_torch(tensor):
        return _torch(what, tensor)
    if type(tensor).__module__.partition(".")[0] == "numpy" or hasattr(tensor, "__array_struct__"):
        return _numpy(what, tensor)
    if hasattr(tensor, "__dlpack__") or hasattr(tensor, "__cuda_array_interface__"):
        if not all(hasattr(tensor, fact) for fact in ("shape", "dtype", "nbytes")):  # arrays of pyarrow
            raise InvalidArgument(
                f"{what}: must have a shape, a dtype and nbytes, got {type(tensor).__name__}; "
                "give what its to_numpy(), or numpy.from_dlpack(), makes of it"
            )
        shape, kind = tuple(map(int, tensor.shape)), str(tensor.dtype)
        return Held(_dtype(what, kind), shape, tensor, int(tensor.nbytes), None)
    raise InvalidArgument(f"{what}: must be a tensor or an array, got {type(tensor).__name__}")


def _dtype(what: str, name: str) -> str:
    try:
        return DTYPES[name]
    except KeyError:
        raise InvalidArgument(f"{what}: dtype {name} has no name in a manifest; known: {', '.join(DTYPES)}") from None


def is_torch(tensor: Any) -> bool:
    return any(base.__module__ == "torch" and base.__name__ == "Tensor" for base in type(tensor).__mro__)


def _torch(what: str, tensor: Any) -> Held:
    import torch

    try:
        plain = tensor.detach()
        plain.numel()
    except (RuntimeError, ValueError, TypeError) as error:  # lazy parameters, lists of tensors as one
        raise InvalidArgument(f"{what}: {type(tensor).__name__} has no shape or no elements: {error}") from None
    kind = type(tensor).__name__
    if tensor.is_meta or kind == "FakeTensor":
        raise InvalidArgument(f"{what} is on the meta device: it has a shape but no data; load the weights first")
    if kind == "DTensor":
        hint = "merklize.sharded hashes all parts; or give .full_tensor() or .to_local() of it"
        raise InvalidArgument(f"{what} is a DTensor, which lies in parts: {hint}")
    if tensor.layout != torch.strided or tensor.is_quantized or tensor.is_nested:
        raise InvalidArgument(
            f"{what}: must be dense, not nested and not quantized, got {tensor.layout}, {tensor.dtype}"
        )
    dtype, shape = _dtype(what, str(plain.dtype).removeprefix("torch.")), tuple(plain.shape)
    if dtype == "F4":  # an item has two elements
        if not shape:
            raise InvalidArgument(f"{what}: float4_e2m1fn_x2 must have at least one dimension")
        shape = (*shape[:-1], 2 * shape[-1])
    if plain.numel() == 0:
        return Held(dtype, shape, b"", 0, None)
    size, item = plain.numel() * plain.element_size(), plain.element_size()
    span = sum((count - 1) * stride for count, stride in zip(plain.shape, plain.stride())) * item + item
    begin = plain.data_ptr()
    if begin == 0:  # quantized weights as a class of tensors: a wrapper shows another dtype than it holds
        raise InvalidArgument(
            f"{what}: must be dense and not quantized, got {kind} without memory of its own; give the tensors it holds"
        )
    layout = (tuple(plain.stride()), plain.shape, plain.dtype, plain.is_conj(), plain.is_neg())
    place = Place(str(plain.device), begin, begin + span, layout)
    plain = plain.resolve_conj().resolve_neg()
    if plain.is_contiguous():
        data = plain.reshape(-1).view(torch.uint8)
    elif item == 16:
        data = torch.view_as_real(plain)
    else:  # with its strides, because hash() packs the items where they lie
        data = plain.view({1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[item])
    return Held(dtype, shape, data, size, place, tensor)


def _numpy(what: str, array: Any) -> Held:
    import numpy as np

    refuse_mask(array, what)
    try:
        array = np.asarray(array)
    except ValueError as error:  # of an object that only says that it is an array
        raise InvalidArgument(f"{what}: {error}") from None
    dtype = _dtype(what, array.dtype.name)
    if array.size == 0:
        return Held(dtype, array.shape, b"", 0, None)
    least = array.__array_interface__["data"][0]
    spans = [(count - 1) * stride for count, stride in zip(array.shape, array.strides)]
    begin = least + sum(span for span in spans if span < 0)
    end = least + sum(span for span in spans if span > 0) + array.itemsize
    place = Place("cpu", begin, end, (array.strides, array.shape, array.dtype.str, dtype))
    owner = array
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("<"))
    # As unsigned words, because not every library knows every dtype; with its strides, because hash() packs the items.
    data = array if array.itemsize == 16 else array.view(f"u{array.itemsize}")
    return Held(dtype, array.shape, data, array.nbytes, place, owner)


def tensors_of(source: Any) -> Mapping[str, Any]:
    """Return the tensors of a mapping, or of an object with state_dict(). Raises InvalidArgument, TypeError."""
    state = source
    if not isinstance(state, Mapping) and callable(getattr(source, "state_dict", None)):
        state = source.state_dict()
    if not isinstance(state, Mapping):
        wanted = "a path, a mapping of names to tensors, or an object with state_dict()"
        raise TypeError(in_call(f"the source must be {wanted}, got {type(source).__name__}"))
    for name in state:
        require_name(name)
    return state


def state_of(source: Any) -> dict[str, Held]:
    """Describe the tensors of a mapping, or of an object with state_dict(). Raises InvalidArgument, TypeError."""
    return {name: held(name, tensor) for name, tensor in tensors_of(source).items()}


def require_name(name: Any) -> None:
    """Refuse a name of a tensor that is no text, or that UTF-8, and so a manifest, cannot hold."""
    if not isinstance(name, str):
        raise InvalidArgument(f"names of tensors must be strings, got {shown(name)}")
    try:
        name.encode()
    except UnicodeEncodeError:
        raise InvalidArgument(f"the name of a tensor must be text that UTF-8 can hold, got {name!r}") from None


def aliases(state: Mapping[str, Held]) -> tuple[tuple[str, ...], ...]:
    """Return the groups of names whose memory overlaps, each group sorted."""
    spans = sorted((held.place.device, held.place.begin, held.place.end, name) for name, held in state.items()
                   if held.place is not None)  # fmt: skip
    groups: list[list[str]] = []
    device, reach = "", 0
    for where, begin, end, name in spans:
        if where == device and begin < reach:
            groups[-1].append(name)
        else:
            groups.append([name])
            reach = 0
        device, reach = where, max(reach, end)
    return tuple(sorted(tuple(sorted(group, key=str.encode)) for group in groups if len(group) > 1))


def to_compare(
    state: Mapping[str, Held], shared: Iterable[tuple[str, ...]], names: Iterable[str], only: list[str]
) -> dict[str, Held]:
    """Return the tensors that a check compares: those in `names` alone if there are patterns, and no second names.

    shared  aliases() of the state
    names   tensors of the manifest that match the patterns `only`
    """
    known = set(names)
    kept = {name: held for name, held in state.items() if not only or name in known}
    second = set(_second_names(kept, shared, known))
    return {name: held for name, held in kept.items() if name not in second}


def _second_names(state: Mapping[str, Held], shared: Iterable[tuple[str, ...]], tensors: set[str]) -> list[str]:
    """Return names that are not in the manifest, but whose tensor shares its bytes with a tensor that is."""
    second = []
    for group in shared:
        places = {state[name].place for name in group if name in tensors and name in state}
        second += [n for n in group if n in state and n not in tensors and state[n].place in places]
    return second


def digests(
    state: Mapping[str, Held], piece_size: int, device: Device, threads: int | None, progress: Progress
) -> list[Tensor]:
    """Hash tensors where they lie: those with pieces one by one, the others at once. Tied tensors are hashed once.

    piece_size  0: no pieces
    """
    owners: dict[Any, str] = {}
    same = {name: owners.setdefault(held.place or name, name) for name, held in state.items()}
    long = {name for name in owners.values() if piece_size and state[name].size > piece_size}
    short = [name for name in owners.values() if name not in long]
    steps = Steps(progress, sum(state[name].size for name in owners.values()))
    run, made = settings(device, threads, steps.progress), {}
    for name in long:
        steps.step(state[name].size)
        made[name] = _native.hash_pieces(state[name].data, piece_size, run)
    steps.step(sum(state[name].size for name in short))
    those = {name: state[name].data for name in short}
    together = hash_each(those, device=device, threads=threads, progress=steps.progress)
    steps.step()
    made |= {name: (digest, b"") for name, digest in together.items()}
    tensors = []
    for name, held in state.items():
        digest, pieces = made[same[name]]
        tensors.append(Tensor(name, held.dtype, held.shape, digest, held.size, pieces=pieces))
    return tensors

"""Small safetensors files, written without the package of that name."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np

NAMES = {
    "f4": "F32",
    "f2": "F16",
    "f8": "F64",
    "u1": "U8",
    "i1": "I8",
    "u2": "U16",
    "i2": "I16",
    "i4": "I32",
    "i8": "I64",
    "b1": "BOOL",
    "c8": "C64",
}


def a_state(seed: int = 1) -> dict[str, np.ndarray]:
    """Tensors of many dtypes and shapes; "big" is longer than two pieces of 1 MiB."""
    random = np.random.default_rng(seed)
    return {
        "z.bias": random.standard_normal(300).astype("f4"),
        "a.weight": random.standard_normal((40, 50)).astype("f2"),
        "big": random.integers(0, 256, (3, (1 << 20) - 7), dtype="u1"),
        "empty": np.zeros((0, 3), "f8"),
        "scalar": np.full((), 3, "f4"),
        "mask": np.array([True, False, True]),
        "complex": (np.arange(8) + 1j).astype("c8"),
        "ünïcode/名": np.arange(10, dtype="i8"),
    }


def kind(array: np.ndarray) -> str:
    return NAMES[array.dtype.str[1:]]


def header(state: dict[str, np.ndarray]) -> dict[str, dict[str, object]]:
    fields, at = {}, 0
    for name, array in state.items():
        offsets = [at, at + array.nbytes]
        fields[name] = {"dtype": kind(array), "shape": list(array.shape), "data_offsets": offsets}
        at += array.nbytes
    return fields


def write(path: Path, state: dict[str, np.ndarray], fields: object = None) -> Path:
    """Write a safetensors file. `fields` replaces the header of the state, as an object or as bytes."""
    fields = header(state) if fields is None else fields
    text = fields if isinstance(fields, bytes) else json.dumps(fields).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(array.tobytes() for array in state.values()))
    return path


def write_sharded(folder: Path, state: dict[str, np.ndarray], count: int = 2) -> Path:
    """Write shards and their index. Return the path of the index."""
    names = list(state)
    weights = {}
    for k in range(count):
        shard = f"model-{k + 1:05}-of-{count:05}.safetensors"
        write(folder / shard, {name: state[name] for name in names[k::count]})
        weights |= dict.fromkeys(names[k::count], shard)
    index = folder / "model.safetensors.index.json"
    index.write_text(json.dumps({"metadata": {"total_size": 1}, "weight_map": weights}))
    return index


def kinds(differences):
    return [(one.kind, one.what, one.name) for one in differences]

"""Load a safetensors file like safetensors' load_file(), but return no tensor that differs from the manifest."""

import sys
import tempfile
from pathlib import Path

import numpy as np

import merklize

try:
    from safetensors import safe_open
    from safetensors.numpy import save_file
except ImportError as error:
    sys.exit(print(f"skipped: {error}"))


def load_file(path, manifest, framework="np", device="cpu"):
    """Return the tensors by name. Each is checked in the memory into which it was loaded.

    manifest   a merklize.Manifest
    framework  "np", or "pt" for PyTorch, with its device

    Raises merklize.Mismatch at the first tensor that is another, is missing or is not in the manifest.
    """
    tensors = {}
    with safe_open(path, framework=framework, device=device) as file:
        if set(file.keys()) != set(manifest.tensors):
            raise merklize.Mismatch(f"{path}: the tensors are not those of the manifest")
        for name in file.keys():  # noqa: SIM118  # not a mapping
            tensor = file.get_tensor(name)
            difference = manifest.check_tensor(name, tensor)
            if difference is not None:
                raise merklize.Mismatch(f"{path}: {difference}")
            tensors[name] = tensor
    return tensors


with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "model.safetensors"
    save_file({"a": np.arange(1000, dtype=np.float32), "b": np.ones((2, 3), np.float16)}, path)
    trusted = merklize.manifest(path)
    print("loaded", sorted(load_file(path, trusted)))

    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    try:
        load_file(path, trusted)
    except merklize.Mismatch as error:
        print("refused:", str(error).removeprefix(f"{folder}/"))
    else:
        raise AssertionError("a changed file was loaded")

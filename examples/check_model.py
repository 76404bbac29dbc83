"""Check a PyTorch model, on the CPU or a GPU, against the manifest of its weights before it is used."""

import sys
import tempfile
from pathlib import Path

import merklize

try:
    import torch
    from safetensors.torch import load_file, save_file
except ImportError as error:
    sys.exit(print(f"skipped: {error}"))


def make_model():
    """A model of two layers."""
    return torch.nn.Sequential(torch.nn.Linear(256, 256), torch.nn.ReLU(), torch.nn.Linear(256, 8))


device = "cuda" if torch.cuda.is_available() else "cpu"
with tempfile.TemporaryDirectory() as name:
    path = Path(name) / "model.safetensors"
    save_file(make_model().state_dict(), path)
    trusted = merklize.manifest(path)  # on a machine with good weights

    # On another machine: the tensors are hashed in place, on the GPU if the model is there.
    model = make_model()
    model.load_state_dict(load_file(path))
    model.to(device)
    report = merklize.check_model(model, trusted)
    report.require()  # raises merklize.Mismatch if anything differs
    print(f"{report.checked} tensors, {report.size} bytes on {device} are the trusted ones")

    # A model in half precision has other bytes, so it does not match.
    report = merklize.check_model(model.half(), trusted)
    assert not report
    print(*report.differences, sep="\n")

"""Models that processes of PyTorch hold together have the root of the whole model. Needs PyTorch, on the CPU."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

import merklize
from test_docs import blocks

pytest.importorskip("torch")
pytest.importorskip("torch.distributed.tensor")

HERE = Path(__file__).parent
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}


def outputs(commands, folder):
    """The lines of processes that run at once."""
    running = [
        subprocess.Popen(c, env=e, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for c, e in commands
    ]
    try:
        found = [one.communicate(timeout=300)[0] for one in running]
    finally:
        for one in running:
            one.kill()
    for one, text in zip(running, found):
        assert one.returncode == 0, text
    return [text.splitlines() for text in found]


@pytest.mark.parametrize("ranks", [2, 4, 8])
def test_every_sharding_has_one_root_and_one_bit_is_named(ranks, tmp_path):
    script = [sys.executable, str(HERE / "sharded_ranks.py")]
    store = str(tmp_path / "store")
    found = outputs([([*script, str(k), str(ranks), store], ENVIRONMENT) for k in range(ranks)], tmp_path)
    lines = found[0]
    alone = next(line for line in lines if line.startswith("alone")).split()[1]
    roots = [line.split(" ", 2)[1:] for line in lines if line.startswith("root")]
    assert len(roots) == 11
    assert roots == [[alone, name] for _, name in roots]
    # The last rank's first row is shared with no other: 352 rows, as torch cuts them.
    first = -(-352 // ranks) * (ranks - 1)
    for mine in found:
        assert [line for line in mine if line.startswith("root")] == [line for line in lines if line.startswith("root")]
        (bit,) = [line for line in mine if line.startswith("bit")]
        assert f"rows {first // 32 * 32} to" in bit
        assert "columns 0 to 32 differ, at rank" in bit
        assert str(ranks - 1) in bit.rpartition("rank")[2]
        (error,) = [line for line in mine if line.startswith("error")]
        assert "'0.bias'" in error
        assert "meta device" in error
        said = dict(line.removeprefix("question ").split(" | ") for line in mine if line.startswith("question"))
        for what, text in [
            ("another manifest", f"ranks 0 and {ranks - 1}: all ranks must be given the same manifest"),
            ("other patterns", f"ranks 0 and {ranks - 1}: all ranks must be given the same only"),
            ("against at some", f"ranks 0 and {ranks - 1}: all ranks must be given the same against"),
            ("another call", f"ranks 0 and {ranks - 1}: all ranks must be given the same manifest"),
            ("a wrong argument", "device must be"),
            ("no manifest", "none.json"),
        ]:
            assert text in said[what], said


def test_the_program_of_the_page(tmp_path):
    (code,) = blocks("docs/how-to/sharded.md", "python", marks=("needs PyTorch",))
    (tmp_path / "ranks.py").write_text(code)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    ports = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "WORLD_SIZE": "8"}
    command = [sys.executable, "ranks.py"]
    found = outputs([(command, {**ENVIRONMENT, **ports, "RANK": str(k)}) for k in range(8)], tmp_path)
    expected = "tensor 'up.weight': rows 896 to 928, columns 0 to 32 differ, at rank 7"
    assert all(expected in lines for lines in found)
    assert f"# at 8 ranks: {expected}" in code


def test_dtypes_and_views_in_one_process():
    import torch

    from merklize import sharded
    from sharded_models import reference

    digest = reference()["tensor_digest"]
    wide = torch.arange(96 * 70 * 8, dtype=torch.int64).to(torch.uint8)

    def bytes_of(tensor):
        return tensor.contiguous().view(-1).view(torch.uint8).numpy().tobytes()

    for dtype, name in [
        (torch.bfloat16, "BF16"),
        (torch.float8_e4m3fn, "F8_E4M3"),
        (torch.float32, "F32"),
        (torch.bool, "BOOL"),
    ]:
        tensor = (wide[: 96 * 70].reshape(96, 70) % 2).to(dtype)
        for view in (tensor, tensor.T, tensor[::3], tensor[:, 5:], tensor[:1], tensor[:, :1], tensor[3, 4]):
            found = sharded.model_manifest({"t": view}).tensors["t"]
            assert found.digest == digest(name, tuple(view.shape), bytes_of(view)), (name, view.shape, view.stride())
    packed = wide[: 96 * 64].reshape(96, 64).view(torch.float4_e2m1fn_x2)
    expected = digest("F4", (96, 128), wide[: 96 * 64].numpy().tobytes())
    assert sharded.model_manifest({"t": packed}).tensors["t"].digest == expected
    for axis, step in ((0, 40), (1, 24)):
        parts = []
        for begin in range(0, packed.shape[axis], step):
            part = wide[: 96 * 64].reshape(96, 64).narrow(axis, begin, min(step, packed.shape[axis] - begin))
            offset = (begin, 0) if axis == 0 else (0, 2 * begin)
            box = sharded.Box("t", (96, 128), offset, part.contiguous().view(torch.float4_e2m1fn_x2))
            parts.append(sharded.nodes([box]))
        assert sharded.combine(parts).tensors["t"].digest == expected
    for tensor, text in [
        (torch.quantize_per_tensor(torch.ones(3, 5), 1.0, 0, torch.qint8), "not quantized"),
        (torch.empty(3, 5, device="meta"), "meta device"),
        (torch.eye(3).to_sparse(), "must be dense"),
    ]:
        for tiles in (False, True):
            with pytest.raises(merklize.InvalidArgument, match=f"tensor 't'.*{text}"):
                merklize.manifest({"t": tensor}, tiles=tiles)


def test_tensors_without_memory_of_their_own_are_refused():
    """Two quantized weights of one shape are at the same place, which is none: they had one digest."""
    import torch
    from torch.utils import _pytree

    class Quantized(torch.Tensor):
        @staticmethod
        def __new__(cls, items, scale):
            return torch.Tensor._make_wrapper_subclass(cls, items.shape, dtype=torch.bfloat16)

        def __init__(self, items, scale):
            self.items, self.scale = items, scale

        @classmethod
        def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
            if "detach" in str(function):
                return Quantized(args[0].items, args[0].scale)
            plain = _pytree.tree_map(
                lambda x: x.items * x.scale if isinstance(x, Quantized) else x, (args, kwargs or {})
            )
            return function(*plain[0], **plain[1])

    items = torch.arange(64, dtype=torch.float32).reshape(8, 8)
    state = {"one": Quantized(items, 2.0), "two": Quantized(items, 3.0)}
    nested = torch.nested.nested_tensor([torch.ones(3), torch.ones(4)])
    for given, text in [
        (state, "'one': must be dense and not quantized, got Quantized without memory of its own"),
        ({"t": torch._efficientzerotensor((3, 4))}, "'t': must be dense.*without memory"),
        ({"t": nested}, "'t': must be dense, not nested|'t': Tensor has no shape"),
        ({"t": torch.nn.UninitializedParameter()}, "'t': UninitializedParameter has no shape"),
    ]:
        for tiles in (False, True):
            with pytest.raises(merklize.InvalidArgument, match=f"tensor {text}"):
                merklize.manifest(given, tiles=tiles)

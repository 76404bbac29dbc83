"""A rank of test_sharded_torch.py: shards a model in many ways, and prints the root of each with its name.

sharded_ranks.py RANK RANKS FILE [cuda]  (FILE: of the group's store. cuda: on GPUs by NCCL, not on the CPU by gloo)
"""

import sys

import torch
import torch.distributed as dist
from torch.distributed._shard.metadata import ShardMetadata
from torch.distributed._shard.sharded_tensor import Shard as LocalShard
from torch.distributed._shard.sharded_tensor import init_from_local_shards
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor, Replicate, Shard, distribute_tensor
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

import merklize
from merklize import sharded

ROWS, COLUMNS = 200, 352
PLACE = sys.argv[4] if len(sys.argv) > 4 else "cpu"


def a_model():
    torch.manual_seed(5)
    return torch.nn.Sequential(
        torch.nn.Linear(COLUMNS, ROWS), torch.nn.ReLU(), torch.nn.Linear(ROWS, COLUMNS, bias=False)
    ).to(PLACE, torch.bfloat16)


def shardings(rank, ranks):
    """Yield the name of a sharding, the state, and its group."""
    world = init_device_mesh(PLACE, (ranks,))
    whole = a_model().state_dict()
    for placement in (Shard(0), Shard(1), Replicate()):
        kinds = {n: [placement if isinstance(placement, Replicate) or t.ndim > placement.dim else Replicate()]
                 for n, t in whole.items()}  # fmt: skip
        yield f"{placement}", {n: distribute_tensor(t, world, kinds[n]) for n, t in whole.items()}, None
    square = init_device_mesh(PLACE, (2, ranks // 2), mesh_dim_names=("dp", "tp"))
    for pair in ([Shard(0), Shard(0)], [Replicate(), Shard(1)], [Shard(1), Shard(0)]):
        kinds = {n: pair if t.ndim > 1 else [Replicate(), Replicate()] for n, t in whole.items()}
        yield f"{pair}", {n: distribute_tensor(t, square, kinds[n]) for n, t in whole.items()}, None
    model = a_model()
    fully_shard(model, mesh=world)
    yield "FSDP2", model, None
    model = parallelize_module(a_model(), square["tp"], {"0": ColwiseParallel(), "2": RowwiseParallel()})
    yield "TP, a group of each copy", model, square["tp"].get_group()
    fully_shard(model, mesh=square["dp"])
    yield "TP and FSDP2", model, None
    local = {}
    for n, t in whole.items():
        step = -(-len(t) // ranks)
        part, offsets = t[rank * step :][:step].contiguous(), [rank * step, *[0] * (t.ndim - 1)]
        facts = ShardMetadata(offsets, list(part.shape), f"rank:{rank}/{part.device}")
        local[n] = init_from_local_shards([LocalShard(part, facts)], t.shape)
    yield "ShardedTensor", local, None
    lead = rank == 0
    yield "one rank has all", whole if lead else {n: t for n, t in whole.items() if n == "0.bias"}, None


def named_bit(rank, ranks, known):
    """One flipped bit is named by every rank."""
    world = init_device_mesh(PLACE, (ranks,))
    state = {n: distribute_tensor(t, world, [Shard(0)]) for n, t in a_model().state_dict().items()}
    right = [sharded.nodes(sharded.boxes(a_model()), tiles=True)]
    assert sharded.check(state, known)
    assert merklize.check_model(state, known, group=dist.group.WORLD)
    held = state["2.weight"]
    assert isinstance(held, DTensor)
    if rank == ranks - 1:
        held.to_local().view(torch.uint8)[0, 3] ^= 1
    (found,) = sharded.check(state, known, against=right).differences
    print("bit", found)
    if rank == 1:
        state["0.bias"] = state["0.bias"].to_local().to("meta")
    try:
        sharded.check(state, known)
    except merklize.InvalidArgument as error:
        print("error", str(error).replace("\n", " "))


def other_questions(rank, ranks, known):
    """Ranks that are asked another question exchange less often: an error at all of them, where some would wait."""
    world = init_device_mesh(PLACE, (ranks,))
    state = {n: distribute_tensor(t, world, [Shard(0)]) for n, t in a_model().state_dict().items()}
    right = [sharded.nodes(sharded.boxes(a_model()), tiles=True)]
    wrong = {n: t + 1 for n, t in a_model().state_dict().items()}
    other = merklize.manifest(wrong, tiles=True)
    last = rank == ranks - 1
    for what, call in {
        "another manifest": lambda: sharded.check(state, known if last else other, against=right),
        "other patterns": lambda: sharded.check(state, other, only=["0.*"] if last else ["2.*"], against=right),
        "against at some": lambda: sharded.check(state, other, against=None if last else right),
        "another call": lambda: sharded.model_root(state) if last else sharded.check(state, other, against=right),
        "a wrong argument": lambda: sharded.check(state, other, device=2.5 if last else "auto"),
        "no manifest": lambda: merklize.check_model(state, "none.json" if last else other, group=dist.group.WORLD),
    }.items():
        try:
            call()
        except (merklize.Error, TypeError) as error:
            print("question", what, "|", str(error).replace("\n", " "))


def main():
    rank, ranks, store = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    torch.set_num_threads(1)
    if PLACE == "cuda":
        torch.cuda.set_device(rank)
    dist.init_process_group(
        "nccl" if PLACE == "cuda" else "gloo", init_method=f"file://{store}", rank=rank, world_size=ranks
    )
    known = merklize.manifest(a_model(), tiles=True)
    print("alone", known.root.hex())
    for name, state, group in shardings(rank, ranks):
        print("root", sharded.model_root(state, group).hex(), name)
    named_bit(rank, ranks, known)
    other_questions(rank, ranks, known)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

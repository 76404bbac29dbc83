"""A Merkle tree of a PyTorch tensor, captured in a CUDA graph: each replay commits to what the tensor then holds."""

import sys

import merklize

try:
    import torch
except ImportError:
    sys.exit(print("skipped: PyTorch is not installed"))
if not torch.cuda.is_available():
    sys.exit(print("skipped: PyTorch sees no GPU"))

n = 1 << 14
nodes = torch.zeros(merklize.prover.heap_slots(n), 32, dtype=torch.uint8, device="cuda")
root = torch.zeros(32, dtype=torch.uint8, device="cuda")
data = torch.randint(0, 256, (n, 256), dtype=torch.uint8, device="cuda")


def commit():
    """Hash the rows of `data` to leaves, and build the tree above them: all on PyTorch's current stream."""
    stream = torch.cuda.current_stream()
    merklize.hash_rows(data, wait=False, stream=stream, out=nodes[n:])
    merklize.build_tree(nodes, wait=False, stream=stream)
    root.copy_(nodes[1])


# Once before the capture: kernels are loaded at their first use.
side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    commit()
torch.cuda.current_stream().wait_stream(side)

graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    commit()

for seed in range(3):
    data.random_(0, 256, generator=torch.Generator("cuda").manual_seed(seed))
    graph.replay()
    leaves = merklize.hash_rows(data.cpu().numpy())
    assert bytes(root.cpu().numpy()) == merklize.merkle_root(leaves)
    print("root", bytes(root.cpu().numpy()).hex())

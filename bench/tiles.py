#!/usr/bin/env python3
"""Measures digests of tiles in a device's memory, each in turns with hash() of as many bytes, its bound.

    python bench/tiles.py [--device cuda:0] [--rounds 11] [--only SUBSTRING] [--note TEXT] [--out FILE]

Needs PyTorch with this device. A time is that of the whole call and of the wait for the device. Rows are a matrix of
8192 x 28672 elements of 2 bytes, its shards, and elements of other sizes; and the nodes above the tiles.
"""

import numpy as np
from tensors import call, measure, random_bytes

import merklize
from merklize import _native


def tile_jobs(device):
    rows, width = 8192, 2 * 28672
    data = random_bytes(rows, width, device=device)
    columns, lower = data[:, width // 8 : width // 4], data[rows // 8 : rows // 4]
    shapes = [
        ("8192 x 28672 elements of 2 bytes", data, 2, 32, 32),
        ("8192 x 3584 of them, a shard by columns", columns, 2, 32, 32),
        ("1024 x 28672 of them, a shard by rows", lower, 2, 32, 32),
        ("64 x 512 x 2048 elements of 2 bytes", random_bytes(64, 512, 2 * 2048, device=device), 2, 32, 32),
        ("8192 x 57344 elements of 1 byte", data, 1, 32, 32),
        ("8192 x 14336 elements of 4 bytes", data, 4, 32, 32),
        ("8192 x 7168 elements of 8 bytes", data, 8, 32, 32),
        ("one row of 234,881,024 elements of 2 bytes", data.reshape(1, -1), 2, 1, 1024),
        ("8192 x 28671 elements of 2 bytes, at odd places", data[:, 1:-1], 2, 32, 32),
    ]
    for name, view, element, *tile in shapes:
        form = (view.shape[-2], view.shape[-1] // element, element, *tile)
        part = view[..., :128, :]
        some = (part.shape[-2], *form[1:])
        found = _native.tile_digests(part, *some).cpu().numpy()
        assert np.array_equal(found, _native.tile_digests(part.cpu().numpy(), *some))
        whole = random_bytes(view.numel(), device=device)
        ours = call(lambda view=view, form=form: _native.tile_digests(view, *form), "merklize")
        theirs = call(lambda whole=whole: merklize.hash(whole), "hash() of as many bytes")
        yield f"digests of the tiles of {name}", view.numel(), "bytes", 1, ours, theirs
    digests = _native.tile_digests(data, rows, width // 2, 2, 32, 32)[0]
    leaves = digests.reshape(-1, 32)
    ours = call(lambda: _native.merge_ranges(digests, 0, 896), "merklize")
    theirs = call(lambda: merklize.merkle_root(leaves, rule="left_full"), "merkle_root() of as many")
    yield "merge_ranges() of 256 trees of 896 digests", leaves.numel(), "bytes", 1, ours, theirs


if __name__ == "__main__":
    measure("tiles", __doc__, tile_jobs, 11)

"""Stand-in of the engine of tiles."""

from __future__ import annotations

from typing import Any

from .. import _native
from ..each import hash_each
from ..hashing import merge


def tile_digests(
    data: Any, rows: int, columns: int, element: int, tile_rows: int, tile_columns: int, run: Any = None
) -> Any:
    import numpy as np

    data = np.asarray(data.numpy() if hasattr(data, "numpy") else data)
    data = data.reshape(-1, rows, columns * element)
    step = tile_columns * element
    tiles = [
        matrix[i : i + tile_rows, j : j + step].tobytes()
        for matrix in data
        for i in range(0, rows, tile_rows)
        for j in range(0, columns * element, step)
    ]
    found = np.frombuffer(b"".join(hash_each(dict(enumerate(tiles))).values()), np.uint8)
    return found.reshape(len(data), -(-rows // tile_rows), -(-columns // tile_columns), 32)


def merge_ranges(digests: Any, first: int, total: int, run: Any = None) -> Any:
    import numpy as np

    digests = np.asarray(digests)
    begin, end = first, first + digests.shape[1]
    given = []
    level = 0
    while begin < end:
        if total == 1:
            given.append((level, 0, digests[:, :1]))
            break
        if begin % 2:
            given.append((level, begin, digests[:, :1]))
            digests, begin = digests[:, 1:], begin + 1
        if begin < end and end % 2 and end != total:
            end -= 1
            given.append((level, end, digests[:, -1:]))
            digests = digests[:, :-1]
        if begin < end:
            pairs = (end - begin) // 2
            left, right = digests[:, 0 : 2 * pairs : 2], digests[:, 1 : 2 * pairs : 2]
            merged = np.asarray(
                merge(np.ascontiguousarray(left).reshape(-1, 32), np.ascontiguousarray(right).reshape(-1, 32))
            )
            merged = merged.reshape(len(digests), pairs, 32)
            digests = np.concatenate([merged, digests[:, 2 * pairs :]], axis=1)
        begin, end, total, level = begin // 2, -(-end // 2), -(-total // 2), level + 1
    given.sort(key=lambda one: one[:2])
    return np.concatenate([nodes for _, _, nodes in given], axis=1)


def range_nodes(first: int, count: int, total: int) -> list[tuple[int, int]]:
    begin, end = first, first + count
    found, level = [], 0
    while begin < end:
        if total == 1:
            found.append((level, 0))
            break
        if begin % 2:
            found.append((level, begin))
            begin += 1
        if begin < end and end % 2 and end != total:
            end -= 1
            found.append((level, end))
        begin, end, total, level = begin // 2, -(-end // 2), -(-total // 2), level + 1
    return sorted(found)


for one in (tile_digests, merge_ranges, range_nodes):
    if not hasattr(_native, one.__name__):
        setattr(_native, one.__name__, one)

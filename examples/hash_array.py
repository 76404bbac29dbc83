"""Digests of arrays: of a whole array, of each row, and of a stream that arrives in pieces."""

import numpy as np

import merklize

weights = np.arange(1 << 20, dtype=np.float32).reshape(1024, 1024)
print("array ", merklize.hash(weights).hex())

# Any layout works: the digest covers the values in C order, so a view and its copy agree.
assert merklize.hash(weights.T) == merklize.hash(weights.T.copy())

# A digest for each row, side by side in SIMD lanes.
rows = merklize.hash_rows(weights.view(np.uint8))
assert rows.shape == (1024, 32)
assert rows[7].tobytes() == merklize.hash(weights[7])
print("row 7 ", rows[7].tobytes().hex())

# The interface is that of hashlib's objects. Large updates use all cores.
hasher = merklize.Hasher()
for part in np.array_split(weights, 5):
    hasher.update(part)
assert hasher.digest() == merklize.hash(weights)
print("stream", hasher.hexdigest())

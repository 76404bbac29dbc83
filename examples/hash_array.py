"""Digests of arrays: one for a whole array, one for each row, and a stream that a consumer reads piece by piece."""

import numpy as np

import merklize

weights = np.arange(1 << 20, dtype=np.float32).reshape(1024, 1024)
print("array ", merklize.hash(weights).hex())

# Any layout: the digest is of the values in C order, so a view and its copy agree.
assert merklize.hash(weights.T) == merklize.hash(weights.T.copy())

# A digest for each row, side by side in SIMD lanes.
rows = merklize.hash_many(weights.view(np.uint8))
assert rows.shape == (1024, 32)
assert rows[7].tobytes() == merklize.hash(weights[7])
print("row 7 ", rows[7].tobytes().hex())

# Shaped like hashlib's objects; large updates use all cores.
hasher = merklize.Hasher()
for part in np.array_split(weights, 5):
    hasher.update(part)
assert hasher.digest() == merklize.hash(weights)
print("stream", hasher.hexdigest())

"""Publish the root of a file once; later prove any piece of it to someone who has only the root."""

import os
import tempfile

import merklize

PIECE = 1024

with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "data")
    with open(path, "wb") as file:
        file.write(merklize.hash(b"some large data set", length=64 * PIECE))

    # The owner builds the tree once and keeps it beside the data. A proof then reads only the nodes that it needs.
    merklize.MerkleTree.from_file(path, leaf_size=PIECE).save(path + ".mkl")
    with merklize.TreeFile(path + ".mkl") as tree:
        root, sent = tree.root, tree.prove(9).to_json()
    with open(path, "rb") as file:
        file.seek(9 * PIECE)
        piece = file.read(PIECE)

# The receiver knows the root and the number of pieces, and checks the piece that arrived.
print("root", root.hex())
print("piece 9 is genuine:", merklize.verify(sent, root, n_leaves=64, index=9, leaf=merklize.hash(piece)))
forged = bytes([piece[0] ^ 1]) + piece[1:]
print("a forged piece:", merklize.verify(sent, root, n_leaves=64, index=9, leaf=merklize.hash(forged)))
assert merklize.verify(sent, root, n_leaves=64, index=9, leaf=merklize.hash(piece))
assert not merklize.verify(sent, root, n_leaves=64, index=9, leaf=merklize.hash(forged))

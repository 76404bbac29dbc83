"""A program with all names at the package's top. `make lint` checks it by `mypy --strict` and pyright."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

import merklize

Leaves = np.ndarray[tuple[int, int], np.dtype[np.uint8]]


def digests(data: bytes, folder: Path) -> dict[str, bytes]:
    one: bytes = merklize.hash(data)
    with_key: bytes = merklize.hash(np.zeros(3, np.uint8), key=bytes(32), length=64, seek=1, device="cpu", threads=2)
    of_file: bytes = merklize.hash_file(folder / "file", hash="sha256", mmap=True)
    for result in merklize.hash_files([folder / "a", os.fspath(folder / "b")]):
        if isinstance(result, merklize.FileError):
            raise result
        with_key += result
    hasher = merklize.Hasher(data, hash="sha256")
    hasher.update(data)
    text: str = hasher.copy().hexdigest()
    each: dict[str, bytes] = merklize.hash_each({"a": data, "b": data})
    each.update({text: one, merklize.HASHES[0]: of_file + hasher.digest()})
    return each


def arrays(rows: Leaves) -> None:
    leaves = merklize.hash_leaves(rows, "sha256")
    sponge = merklize.hash_rows(rows, words="canonical", progress=lambda done: done < 1)
    merged = merklize.merge(rows, rows, "blake3")
    for array in (leaves, sponge):
        if isinstance(array, merklize.DeviceArray):
            continue
        array.sum()
    if not isinstance(merged, merklize.DeviceArray):
        len(merged)


def trees(leaves: Leaves, messages: list[bytes], folder: Path) -> bytes:
    tree = merklize.MerkleTree(leaves, format="rfc6962", drop_levels=0)
    tree = merklize.MerkleTree.from_messages(messages, "sha256", rule="left_full")
    root: bytes = tree.root
    proof: merklize.MerkleProof = tree.prove(0)
    several: merklize.MultiProof = tree.prove_together([0, 1])
    grown: merklize.ConsistencyProof = tree.prove_consistency(1)
    holds: bool = merklize.verify(proof, root, n_leaves=2, leaf=leaves[0], index=0) and several.verify(root)
    both: list[bool] = merklize.verify_each([proof], root)
    if not (holds and all(both) and grown.verify(root, root)):
        raise merklize.Mismatch("")
    tree.save(folder / "tree")
    merklize.build_tree(leaves)
    forest = merklize.MerkleForest(leaves.reshape(2, -1, 32))
    count: int = forest.n_trees
    builder = merklize.TreeBuilder(format="bitcoin")
    builder.append(leaves)
    only = merklize.merkle_root(leaves)
    return builder.root() + (only if isinstance(only, bytes) else bytes(count))


def digests_in_lists(folder: Path) -> bool:
    leaves: list[bytes | str] = [merklize.hash(b"a"), "0x" + merklize.hash(b"b").hex()]
    tree = merklize.MerkleTree(leaves)
    tree.append(leaves)
    tree.update({0: "00" * 32})
    root: bytes = merklize.merkle_root([merklize.hash(b"a")], tree.hash)
    forest = merklize.MerkleForest([leaves, leaves])
    builder = merklize.TreeBuilder()
    builder.append(leaves)
    with merklize.TreeWriter(folder / "writer", forest.n_leaves) as writer:
        writer.append(leaves)
    merklize.hash(b"", hash="sha265")  # type: ignore  # a misspelt hash
    return merklize.verify(tree.prove(0), root.hex(), leaf=root.hex()) and tree.prove_together([0]).verify(root.hex())


def files(folder: Path) -> bytes | None:
    facts: merklize.TreeFacts = merklize.build_tree_file(folder / "data", folder / "tree", leaf_size=4096)
    if facts.root != merklize.merkle_root_file(folder / "data", leaf_size=4096).root:
        return None
    with merklize.TreeFile(folder / "tree") as file:
        read: bytes = file.read(0, 0, 2)
        count: int = file.n_leaves
    with merklize.TreeWriter(folder / "other", count) as writer:
        writer.append(np.frombuffer(read, np.uint8).reshape(-1, 32))
        return writer.finish()


def weights(folder: Path, module: object) -> list[str]:
    known: merklize.Manifest = merklize.manifest(folder, piece_size=1 << 20)
    known.check(folder).require()
    merklize.check_model(module, known).require()
    return list(known.tensors)


def devices() -> list[str]:
    found: list[merklize.DeviceInfo] = merklize.devices()
    costs = merklize.tuning.calibration()
    return [one.id for one in found if costs] + [merklize.why_unavailable("cuda"), merklize.__version__]


def modules(data: bytes, parts: list[Leaves]) -> tuple[bytes, ...]:
    outboard = merklize.bao.outboard(data)
    merklize.bao.verify(data, outboard.root, outboard.outboard).require()
    return merklize.formats.glacier(data), merklize.formats.fs_verity(data), merklize.parts.hash_parts(parts)


def openings(matrix: np.ndarray[tuple[int, int], np.dtype[np.uint64]]) -> bool:
    commitment = merklize.prover.MatrixCommitment([merklize.prover.extend(matrix, 1)], "rp64_256_v3")
    opening: merklize.prover.MatrixOpening = commitment.open(0)
    return merklize.prover.verify_opening(opening, commitment.cap, commitment.dims, "rp64_256_v3")


def keys(seeds: list[bytes], rows: np.ndarray[tuple[int, int], np.dtype[np.uint8]]) -> list[bool]:
    made: list[merklize.xmss.Key] = [*merklize.xmss.keys(seeds, 0, 3), *merklize.xmss.keys(rows, 0, 3, threads=1)]
    signed: list[bytes] = [key.sign(3, bytes(32), device="cpu") for key in made]
    count, public_keys = len(made), [key.public_key for key in made]
    one: bool = merklize.xmss.verify(public_keys[0], 3, bytes(32), signed[0][-512:] + made[0].path(3).tobytes())
    return [one, *merklize.xmss.verify_each(public_keys, [3] * count, [bytes(32)] * count, signed)]


def failures(data: bytes) -> str:
    try:
        merklize.hash(data)
    except (merklize.InvalidArgument, merklize.Unavailable, merklize.OutOfMemory) as error:
        return str(error)
    except (merklize.Cancelled, merklize.InternalError):
        return ""
    except merklize.Error as error:
        return str(error)
    return "none"


def mistakes(tree: merklize.MerkleTree, leaves: Leaves) -> None:
    """Each of these is a type error. Both checkers report an `ignore` that is not needed."""
    merklize.hash("text")  # type: ignore[call-overload]
    merklize.hash_file(b"file", hash=1)  # type: ignore[arg-type]
    merklize.MerkleTree(leaves, pairs="sorted")  # type: ignore[call-arg]
    tree.prove("0")  # type: ignore[arg-type]
    merklize.verify(tree.prove(0))  # type: ignore[call-arg]
    merklize.devices("cpu")  # type: ignore[call-arg]

"""What packages beside the core stand on: sources in place of paths, parts of digests and trees, errors about files."""

from __future__ import annotations

import errno
import itertools
import os
import pickle

import numpy as np
import pytest

import merklize
from merklize import bao, extensions, parts
from merklize.manifests import find_weights, manifest_of_store

KIB, MIB = 1 << 10, 1 << 20
DATA = np.random.default_rng(7).bytes(2 * MIB + 777)


class Memory:
    """A Source of bytes, in pieces of any length."""

    name, descriptor = "memory", None

    def __init__(self, data=DATA, size=None, changed=False):
        self.data, self.changed, self.asked = data, changed, []
        self.size = len(data) if size is None else size

    def pieces(self, ranges):
        self.asked.append(ranges)
        for start, end in [(0, len(self.data))] if ranges is None else ranges:
            for at in range(start, end, 300_000):
                yield self.data[at : min(at + 300_000, end)]

    def require_same(self):
        if self.changed:
            raise extensions.file_error(self.name, "changed while being read")


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "data"
    path.write_bytes(DATA)
    return path


READERS = {
    "hash_file": merklize.hash_file,
    "hash_file by sha256": lambda of: merklize.hash_file(of, hash="sha256"),
    "hash_file, seek": lambda of: merklize.hash_file(of, length=99, seek=7),
    "merkle_root_file": lambda of: merklize.merkle_root_file(of, leaf_size=1000).root,
    "from_file": lambda of: merklize.MerkleTree.from_file(of, leaf_size=1024).root,
    "outboard_file": lambda of: bao.outboard_file(of, format="bao_tree"),
    "verify": lambda of: bool(bao.verify(of, merklize.hash(DATA), bao.outboard(DATA).outboard)),
    "hash_file_ranges": lambda of: parts.hash_file_ranges(of, [(5, 9), (0, MIB), (MIB, MIB)], 256 * KIB),
    "piece_values": lambda of: parts.piece_values(of, (MIB, MIB), MIB, 256 * KIB),
    "plan_tree": lambda of: parts.plan_tree("x", len(DATA), 1000).leaves(of, 3, 99).tobytes(),
}


@pytest.mark.parametrize("name", READERS)
def test_a_source_stands_for_a_path(path, name):
    assert READERS[name](Memory()) == READERS[name](path)


@pytest.mark.parametrize("name", [name for name in READERS if name not in ("plan_tree", "piece_values")])
def test_a_source_that_changed(name):
    with pytest.raises(merklize.FileError, match="memory: changed while being read"):
        READERS[name](Memory(changed=True))


SURPLUS = {
    "fewer": lambda pieces: (piece[:-1] for piece in pieces),
    "more in the last piece": lambda pieces: (piece + b"x" for piece in pieces),
    "more, one by one": lambda pieces: (bytes([byte]) for piece in [*pieces, b"more"] for byte in piece[-50_000:]),
    "more at the end": lambda pieces: (piece for piece in [*pieces, b"", b"more"]),
    "more without an end": lambda pieces: (piece for piece in itertools.chain(pieces, itertools.repeat(b"x"))),
}


@pytest.mark.parametrize("change", SURPLUS)
@pytest.mark.parametrize("name", [*READERS, "build_tree_file", "encode_file", "compare", "TreeFile"])
def test_a_source_that_gives_other_bytes_than_it_has(tmp_path, name, change):
    """More or fewer than were asked for are an error of every reader, as soon as they are seen."""

    class Wrong(Memory):
        def pieces(self, ranges):
            return SURPLUS[change](super().pieces(ranges))

    made = tmp_path / "made"
    merklize.build_tree_file(Memory(), made, leaf_size=1024)
    readers = {
        **READERS,
        "build_tree_file": lambda of: merklize.build_tree_file(of, tmp_path / "other", leaf_size=1024),
        "encode_file": lambda of: bao.encode_file(of, tmp_path / "other"),
        "compare": lambda of: merklize.TreeFile(made).compare(of, leaf_size=1024),
        "TreeFile": lambda of: merklize.tree_file._native.open_tree_source(of).prove(np.arange(5, dtype=np.uint64)),
    }
    data = made.read_bytes() if name == "TreeFile" else DATA
    readers[name](Memory(data))
    with pytest.raises(merklize.FileError, match="memory: changed while being read: it (gave more than the|ended|has)"):
        readers[name](Wrong(data))


@pytest.mark.parametrize("name", ["hash_file", "merkle_root_file", "from_file", "outboard_file"])
def test_a_source_that_says_it_is_empty(name):
    class Empty(Memory):
        def pieces(self, ranges):
            yield from self.data and [self.data]

    assert READERS[name](Empty(b""))
    with pytest.raises(merklize.FileError, match="memory: changed while being read: it gave more than the 0 bytes"):
        READERS[name](Empty(b"abc", size=0))


def test_a_source_may_fill_one_buffer_again_and_again(path):
    class Refilled(Memory):
        def pieces(self, ranges):
            room = bytearray(300_000)
            for piece in super().pieces(ranges):
                room[: len(piece)] = piece
                yield memoryview(room)[: len(piece)]
            room[:] = bytes(len(room))

    for reader in READERS.values():
        assert reader(Refilled()) == reader(path)


def test_a_source_that_fails():
    class Broken(Memory):
        def pieces(self, ranges):
            raise extensions.refused("read", self.name, OSError(errno.EIO, "cut off"))
            yield b""

    with pytest.raises(merklize.FileError, match="memory: cannot read: cut off") as caught:
        merklize.hash_file(Broken())
    assert (caught.value.errno, caught.value.filename) == (errno.EIO, "memory")


def test_sources_of_no_size_and_of_a_descriptor(path):
    source = Memory()
    source.size = None
    assert merklize.hash_file(source) == merklize.hash(DATA)
    with open(path, "rb") as file:
        source = Memory(b"not read")
        source.descriptor = file.fileno()
        assert merklize.hash_file(source) == merklize.hash(DATA)
    assert source.asked == []


@pytest.mark.parametrize("mode", [{}, {"key": b"k" * 32}, {"context": "a purpose"}], ids=str)
def test_a_digest_of_parts_that_were_hashed_anywhere(path, mode):
    cuts = [0, MIB, 2 * MIB, len(DATA)]
    values = [
        parts.value_of_pieces(parts.piece_values(path, (a, b - a), a, 256 * KIB, **mode), **mode)
        for a, b in zip(cuts, cuts[1:])
    ]
    assert parts.digest_of_pieces(b"".join(values), **mode) == merklize.hash(DATA, **mode)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: parts.hash_file_ranges(Memory(), [(0, 1)], 1000), "piece_size"),
        (lambda: parts.hash_file_ranges(Memory(), [(0, len(DATA) + 1)]), "memory"),
        (
            lambda: parts.piece_values(Memory(), (0, MIB), 1, 256 * KIB),
            "offset must be a multiple of piece_size, 262144, got 1",
        ),
        (lambda: parts.value_of_pieces(b""), "piece"),
        (lambda: parts.plan_tree("x", 3000), "give one of leaf_size, row_size and leaves=True"),
        (lambda: parts.plan_tree("x", 3000, 1000, rule="perfect"), "x: the count of leaves must be a power of two"),
        (lambda: parts.plan_tree("x", 3000, 1000, hash="none"), "none"),
    ],
)
def test_wrong_parts(call, text):
    with pytest.raises((merklize.InvalidArgument, merklize.FileError), match=text):
        call()


@pytest.mark.parametrize(
    "how",
    [
        {"leaf_size": 1000},
        {"leaf_size": 1000, "rule": "pad", "padding": b"p" * 32},
        {"leaf_size": 4096, "key": bytearray(b"k" * 32)},
        {"format": "bittorrent_v2"},
        {"row_size": 1, "hash": "sha256_rfc6962"},
    ],
    ids=str,
)
def test_a_tree_of_parts(path, how):
    if "row_size" in how:
        how = {**how, "row_size": 777}
        path.write_bytes(DATA[: 777 * 100])
    size = path.stat().st_size
    plan = pickle.loads(pickle.dumps(parts.plan_tree("data", size, **how)))
    leaves = np.concatenate([plan.leaves(path, at, min(64, plan.n_leaves - at)) for at in range(0, plan.n_leaves, 64)])
    options = {"key": plan.key, "context": plan.context, "padding": plan.padding}
    tree = merklize.MerkleTree(leaves, plan.hash, rule=plan.rule, **options)
    expected = merklize.merkle_root_file(path, **how)
    assert repr(plan.facts(tree.root)) == repr(expected)
    assert plan.facts(tree.root).file_size == expected.file_size == size


def test_a_manifest_of_files_that_other_code_reads(tmp_path):
    (tmp_path / "sub").mkdir()
    for name, data in {"a": DATA, "sub/b": b"", "skip": b"x"}.items():
        (tmp_path / name).write_bytes(data)

    class Store:
        def shown(self, name):
            return name

        def sizes(self, names):
            return [(tmp_path / name).stat().st_size for name in names]

        def read(self, name, start, end):
            return (tmp_path / name).read_bytes()[start:end]

        def hash(self, name, ranges, piece_size, progress):
            return parts.hash_file_ranges(tmp_path / name, ranges, piece_size, progress=progress)

        def hash_files(self, names, piece_size):
            return [self.hash(name, [(0, size)], piece_size, None)[0] for name, size in zip(names, self.sizes(names))]

    weights = find_weights(tmp_path, ignore=["skip"])
    assert (weights.folder, weights.name, sorted(weights.names)) == (str(tmp_path), None, ["a", "sub/b"])
    made = manifest_of_store(weights, Store(), piece_size=256 * KIB, ignore=["skip"])
    assert made == merklize.manifest(tmp_path, piece_size=256 * KIB, ignore=["skip"])
    with pytest.raises(merklize.FileError):
        find_weights(tmp_path / "none.index.json")


def test_errors_and_places(tmp_path):
    error = extensions.file_error("https://user:word@host/x?key=1", "is gone", errno.ENOENT)
    assert isinstance(error, FileNotFoundError)
    assert str(error) == "https://host/x?...: is gone"
    whole = tmp_path / "a"
    extensions.write_whole(str(whole), b"1")
    os.link(whole, tmp_path / "b")
    assert extensions.overwrites(str(tmp_path / "b"), str(whole))
    assert not extensions.overwrites(str(tmp_path / "c"), str(whole))


def test_policies_and_kept_policies():
    fields = dict(merklize.tuning.policy_fields())
    policy = merklize.tuning.policy_from_text("lanes=2")
    assert policy == {"lanes": 2}
    assert policy["lanes"] in fields["lanes"]
    assert merklize.tuning.policy_text(policy) == "lanes=2"
    assert merklize.tuning.tuned_policies("cpu") == merklize.tuning.tuned_policies("cpu")
    with pytest.raises(merklize.InvalidArgument):
        merklize.tuning.policy_from_text("no_such=1")

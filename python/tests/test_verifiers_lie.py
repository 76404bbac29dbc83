"""What is verified does not say how much of it is: verifier x lying size, count, level, range or format."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import merklize
from merklize import InvalidArgument, bao
from merklize.formats import (
    OpenZeppelinTree,
    dm_verity,
    dm_verity_dump,
    dm_verity_format,
    dm_verity_verify,
    dm_verity_verify_digests,
    openzeppelin_simple,
    piece_cid,
    piece_leaves,
)

COMMAND = os.environ.get("MERKLIZE_COMMAND") or str(Path(sys.executable).with_name("merklize"))


def run(*words):
    return subprocess.run([COMMAND, *map(str, words)], capture_output=True, text=True, check=False)


def blocks_of(data, size):
    return [data[at : at + size] for at in range(0, len(data), size)]


class Forged:
    """Another disk than the root's, and a superblock under which its first blocks have that root."""

    def __init__(self, folder, form, wanted, disk, tree, lies, short):
        """
        wanted  the fields as the source of the root has them
        disk    the blocks that pass for data
        tree    the blocks of the tree above them, as they lie in the hash file
        lies    fields of the superblock
        short   whether the disk ends after `disk`
        """
        self.root, self.form, self.wanted, self.lies = form["root"], form, wanted, lies
        self.data, self.hashes = folder / "forged", folder / "forged.hashes"
        content = disk if short else disk.ljust(form["bytes"], b"\xaa")
        self.data.write_bytes(content)
        block = lies.get("hash_block_size", wanted["hash_block_size"])
        # The superblock is made by the library, for data of zeros, and the tree is put behind it.
        (folder / "zeros").write_bytes(bytes(lies["data_blocks"] * lies.get("data_block_size", 4096)))
        dm_verity_format(folder / "zeros", self.hashes, **{**wanted, **lies})
        head = self.hashes.read_bytes()[:512].ljust(max(block, 512), b"\0")
        self.hashes.write_bytes(head + tree)


def original(folder, n, contents=os.urandom, **fields):
    wanted = {
        "algorithm": "sha256",
        "salt_after": False,
        "data_block_size": 4096,
        "hash_block_size": 4096,
        "data_blocks": n,
        "salt": b"\x5a" * 32,
    } | fields
    data, hashes = folder / "data", folder / "hashes"
    data.write_bytes(contents(n * wanted["data_block_size"]))
    root, facts = dm_verity_format(data, hashes, **wanted)
    tree = blocks_of(hashes.read_bytes(), wanted["hash_block_size"])[-facts.hash_blocks :]
    return {"root": root, "bytes": data.stat().st_size}, wanted, data.read_bytes(), tree


def top_block(folder, short):
    """The tree's top block is all of the data."""
    form, wanted, _, tree = original(folder, 300)
    return Forged(folder, form, wanted, tree[0], b"", {"data_blocks": 1}, short)


def lowest_level(folder, short):
    """The three blocks of the lowest level are the data, and the top block their tree."""
    form, wanted, _, tree = original(folder, 300)
    return Forged(folder, form, wanted, b"".join(tree[1:]), tree[0], {"data_blocks": 3}, short)


def block_sizes(folder, short):
    """The same where blocks of data and tree differ in size."""
    form, wanted, _, tree = original(folder, 300, hash_block_size=1024)
    lies = {"data_blocks": 10, "data_block_size": 1024}
    return Forged(folder, form, wanted, b"".join(tree[1:][-10:]), tree[0], lies, short)


def one_block_shifted(folder, short):
    """A disk of one block: in format 0 the old salt is in front of the block, and its end is the salt."""
    form, wanted, data, _ = original(folder, 1)
    both = wanted["salt"] + data
    return Forged(
        folder, form, wanted, both[:4096], b"", {"salt_after": True, "salt": both[4096:], "data_blocks": 1}, short
    )


LIES = {lie.__name__: lie for lie in (top_block, lowest_level, block_sizes, one_block_shifted)}
OPTIONS = {
    "algorithm": "hash",
    "salt_after": "format",
    "data_block_size": "data-block-size",
    "hash_block_size": "hash-block-size",
    "data_blocks": "data-blocks",
    "salt": "salt",
}


def option(name, value):
    """A field as the words of the command, whose --format is 1 without salt_after."""
    if name == "salt_after":
        value = int(not value)
    return f"--{OPTIONS[name]}", value.hex() or "-" if isinstance(value, bytes) else value


def verified(forged, **expected):
    """What the command and Python say: (is valid, is refused)."""
    words = ["verity", "verify", forged.data, forged.hashes, forged.root.hex()]
    for name, value in expected.items():
        words += option(name, value)
    told = run(*words)
    try:
        found = bool(dm_verity_verify(forged.data, forged.hashes, forged.root, **expected))
    except InvalidArgument as error:
        return told.returncode == 0, str(error)
    assert (told.returncode == 0) == found
    return found, told.stdout


@pytest.mark.parametrize("lie", LIES)
def test_a_disk_is_not_valid_beyond_what_was_checked(tmp_path, lie):
    """A disk of the full length, of which only the first blocks have the root."""
    forged = LIES[lie](tmp_path, short=False)
    found, said = verified(forged)
    if lie != "one_block_shifted":  # whose blocks are all of the disk
        assert not found
        assert "behind them would not be checked" in said
        blocks = forged.lies["data_blocks"]
        told = run("verity", "verify", forged.data, forged.hashes, forged.root.hex(), "--data-blocks", blocks)
        assert told.returncode == 0
        assert told.stdout.startswith(f"valid: {blocks} of ")
        assert "bytes behind them are not checked" in told.stdout


@pytest.mark.parametrize("lie", LIES)
@pytest.mark.parametrize("short", [False, True])
def test_expectations_beside_a_superblock(tmp_path, lie, short):
    """Each field that the superblock lies about is an error where the caller knows it; those that agree are none."""
    forged = LIES[lie](tmp_path, short)
    for name in forged.lies:
        if forged.lies[name] == forged.wanted[name]:
            continue
        found, said = verified(forged, **{name: forged.wanted[name]})
        assert not found
        assert "expected" in said, said
    found, said = verified(forged, **forged.wanted)
    assert (found, "expected" in said) == (False, True)
    if short:
        assert verified(forged)[0], "a root alone binds no more, as docs/formats.md says"
        assert verified(forged, **{**forged.wanted, **forged.lies})[0]


def test_right_expectations(tmp_path):
    form, wanted, _, _ = original(tmp_path, 300)
    words = ["verity", "verify", tmp_path / "data", tmp_path / "hashes", form["root"].hex()]
    for name, value in wanted.items():
        told = run(*words, *option(name, value))
        assert (told.returncode, told.stdout) == (0, "valid: 300 of 300 blocks\n"), told
        assert dm_verity_verify(tmp_path / "data", tmp_path / "hashes", form["root"], **{name: value})
    fields = json.loads(run(*words, "--json").stdout)
    assert (fields["valid"], fields["checked_blocks"], fields["unchecked_bytes"]) == (True, 300, 0)


def test_the_area_behind_the_data(tmp_path):
    """With the hash area in the data's own file, the data reaches up to it."""
    image = tmp_path / "image"
    image.write_bytes(os.urandom(128 * 4096))
    root, facts = dm_verity_format(image, image, offset=128 * 4096, salt=b"s")
    area = ["--hash-offset", 128 * 4096]
    told = run("verity", "verify", image, image, root.hex(), *area)
    assert (told.returncode, told.stdout) == (0, "valid: 128 of 130 blocks; 8,192 bytes behind them are not checked\n")
    content = bytearray(image.read_bytes())
    top = content[-4096 * facts.hash_blocks :][:4096]
    content[:4096] = top
    content[128 * 4096 + 72 : 128 * 4096 + 80] = (1).to_bytes(8, "little")
    for block in (4096, 128 * 4096):  # with larger blocks of the tree, the tree could begin later
        content[128 * 4096 + 68 : 128 * 4096 + 72] = block.to_bytes(4, "little")
        image.write_bytes(content)
        told = run("verity", "verify", image, image, root.hex(), *area)
        assert told.returncode == 1
        assert "520192 bytes behind them would not be checked" in told.stderr
        with pytest.raises(InvalidArgument, match="would not be checked"):
            dm_verity_verify(image, image, root, offset=128 * 4096)


def test_digests_of_blocks(tmp_path):
    """dm_verity_verify_digests() takes the count and the salt as expectations, too."""
    forged = top_block(tmp_path, short=True)
    digest = hashlib.sha256(forged.wanted["salt"] + forged.data.read_bytes()).digest()
    assert digest == forged.root
    with pytest.raises(InvalidArgument, match="states data_blocks 1, and 300 is expected"):
        dm_verity_verify_digests(forged.hashes, forged.root, 0, digest, data_blocks=300)
    hashes = tmp_path / "hashes"
    first = hashlib.sha256(forged.wanted["salt"] + (tmp_path / "data").read_bytes()[:4096]).digest()
    assert dm_verity_verify_digests(hashes, forged.root, 0, first, **forged.wanted)


def test_how_is_for_a_tree_without_superblock(tmp_path):
    form, wanted, _, _ = original(tmp_path, 3)
    how = dm_verity_dump(tmp_path / "hashes")
    with pytest.raises(InvalidArgument, match="data_blocks is for a superblock, and how is for a tree without"):
        dm_verity_verify(tmp_path / "data", tmp_path / "hashes", form["root"], how=how, data_blocks=3)
    assert dm_verity((tmp_path / "data").read_bytes(), **wanted) == form["root"]


# --- BLAKE3's own tree: the size in front of an encoding, a slice or an outboard --------------------------------------

MESSAGE = bytes(range(256)) * 280  # 70 chunks
SIZES = (0, 1, 1023, 65536, 71679, 71681, 72704, 131072, 2**63)
ROOT = bao.encode(MESSAGE).root


def with_size(content, size):
    return size.to_bytes(8, "little") + content[8:]


@pytest.mark.parametrize("size", SIZES)
def test_the_size_of_an_encoding(tmp_path, size):
    """The last chunk is verified, and it ends where the size says, so another size is refused."""
    (tmp_path / "lie").write_bytes(with_size(bao.encode(MESSAGE).encoding, size))
    with pytest.raises(merklize.Mismatch):
        bao.decode((tmp_path / "lie").read_bytes(), ROOT)
    assert run("bao", "verify", tmp_path / "lie", "--root", ROOT.hex()).returncode == 1
    assert run("bao", "decode", tmp_path / "lie", "--root", ROOT.hex(), "-o", tmp_path / "out").returncode == 1
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("start", [0, 5000, len(MESSAGE) - 1])
def test_the_size_of_a_slice(tmp_path, start, size):
    """Only a slice that reaches the end proves the size; of others it is said that it does not."""
    part = bao.slice(bao.encode(MESSAGE).encoding, start, 1)
    for stated in (len(MESSAGE), size):
        (tmp_path / "part").write_bytes(with_size(part, stated))
        words = ["bao", "verify", tmp_path / "part", "--root", ROOT.hex(), "--range", f"{start},1", "--json"]
        told = run(*words)
        fields = json.loads(told.stdout)
        if stated == len(MESSAGE):
            assert fields["valid"]
        if fields["valid"]:
            assert told.returncode == 0
            assert fields["size"] == stated
            assert fields["size_verified"] == (start == len(MESSAGE) - 1)
            assert bao.decode_slice((tmp_path / "part").read_bytes(), ROOT, start, 1) == MESSAGE[start : start + 1]
        else:
            assert told.returncode == 1


@pytest.mark.parametrize("size", SIZES)
def test_the_size_of_an_outboard(tmp_path, size):
    (tmp_path / "message").write_bytes(MESSAGE)
    (tmp_path / "outboard").write_bytes(with_size(bao.outboard(MESSAGE).outboard, size))
    words = ["--root", ROOT.hex(), "--outboard", tmp_path / "outboard"]
    assert run("bao", "verify", tmp_path / "message", *words).returncode == 1
    assert run("bao", "decode", tmp_path / "message", *words, "-o", tmp_path / "out").returncode == 1
    assert not (tmp_path / "out").exists()


# --- Proofs: their counts, indices, hash and rule are claims, which the caller can state -----------------------------

LEAVES = [f"{i}".encode() for i in range(18)]
TREE = merklize.MerkleTree.from_messages(LEAVES)
RULES = ("left_full", "duplicate_last", "pad", "perfect")
HASHES = ("blake2s", "sha256", "keccak256")


def claims(proof, field):
    """Proofs that differ in one field, as anybody can write them."""
    fields = json.loads(proof.to_json())
    values = {"n_leaves": range(1, 40), "index": range(40), "hash": HASHES, "rule": RULES}
    for value in values[field]:
        if value != fields.get(field):
            try:
                yield type(proof).from_json(json.dumps(fields | {field: value}))
            except InvalidArgument:
                continue


@pytest.mark.parametrize("index", [0, 5, 16, 17])
@pytest.mark.parametrize("field", ["n_leaves", "index", "hash", "rule"])
def test_claims_of_a_proof(tmp_path, field, index):
    proof = TREE.prove(index)
    known = {"n_leaves": 18, "index": index, "hash": "blake3", "rule": "left_full"}
    n = 0
    for lie in claims(proof, field):
        n += 1
        assert not lie.verify(TREE.root, **{field: known[field]})
        assert not merklize.verify(lie, TREE.root, **{field: known[field]})
        if field in ("hash", "index"):
            assert not lie.verify(TREE.root)
    assert n
    (tmp_path / "proof").write_text(lie.to_json())
    option = field.replace("_", "-")
    told = run("tree", "verify", tmp_path / "proof", "--root", TREE.root.hex(), f"--{option}", known[field])
    assert told.returncode == 1
    assert f"another {field}" in told.stdout or "not a proof" in told.stderr


@pytest.mark.parametrize("field", ["n_leaves", "hash", "rule"])
def test_claims_of_a_proof_of_several(field):
    proof = TREE.prove_together([0, 16, 17])
    known = {"n_leaves": 18, "hash": "blake3", "rule": "left_full"}
    for lie in claims(proof, field):
        assert not lie.verify(TREE.root, **{field: known[field]})


@pytest.mark.parametrize("old", [1, 5, 8, 16, 17])
def test_claims_of_a_proof_of_consistency(tmp_path, old):
    """Its counts are claims; its nodes, hash and the two roots are bound."""
    before = merklize.MerkleTree.from_messages(LEAVES[:old]).root
    proof = TREE.prove_consistency(old)
    fields = json.loads(proof.to_json())
    assert proof.verify(before, TREE.root)
    assert not proof.verify(TREE.root, before)
    for count in range(1, 18):
        if count != old:
            assert not proof.verify(merklize.MerkleTree.from_messages(LEAVES[:count]).root, TREE.root)
            assert not proof.verify(before, merklize.MerkleTree.from_messages(LEAVES[:count]).root)
    nodes = fields["nodes"]
    lies = [{"hash": name} for name in HASHES]
    lies += [{"nodes": [*nodes[:at], "11" * 32, *nodes[at + 1 :]]} for at in range(len(nodes))]
    lies += [{"nodes": nodes[1:]}, {"nodes": [*nodes, "11" * 32]}, {"nodes": []}]
    for lie in lies:
        text = json.dumps(fields | lie)
        assert not merklize.verify(text, TREE.root), "a proof of consistency shows no leaf"
        try:
            forged = merklize.ConsistencyProof.from_json(text)
        except InvalidArgument:
            continue
        assert not forged.verify(before, TREE.root), lie
    encoded = proof.to_bytes()
    for at in range(len(encoded)):
        bad = bytearray(encoded)
        bad[at] ^= 1
        try:
            forged = merklize.ConsistencyProof.from_bytes(bytes(bad))
        except InvalidArgument:
            continue
        claims = (forged.old_leaves, forged.new_leaves, forged.hash) == (old, 18, "blake3")
        assert not claims or not forged.verify(before, TREE.root), at


# --- PieceCIDs: the root of version 1 does not bind the size, that of version 2 does ---------------------------------


@pytest.mark.parametrize("size", [1, 126, 127, 128, 1000, 127 * 64, 127 * 64 + 1])
def test_zeros_behind_the_data_of_a_piece(size):
    data = os.urandom(size - 1) + b"x"
    made = piece_cid(data)
    for zeros in (1, 2, 15, 126, 127, 128, 1000, 127 * 64):
        other = piece_cid(data + bytes(zeros))
        assert other.v2 != made.v2, "which has the padding"
        assert (other.v1 == made.v1) == (other.height == made.height), "whose verifier needs the size, too"
        assert (made.size, other.size) == (size, size + zeros)
    for cut in {1, min(127, size), size}:
        assert piece_cid(data[:-cut]).v1 != made.v1


def test_ranges_of_a_piece():
    """A range that is proved under the root of a piece is where the proof says, or the proof is not valid."""
    data = os.urandom(127 * 13 + 5)
    tree = merklize.MerkleTree(piece_leaves(data), "sha256_trunc254", rule="pad")
    assert tree.root == piece_cid(data).root
    proof = tree.prove_range(8, 16)
    known = {"n_leaves": tree.n_leaves, "hash": "sha256_trunc254", "rule": "pad"}
    assert proof.verify(tree.root, **known)
    fields = json.loads(proof.to_json())
    for shift in (-8, -4, -1, 1, 4, 8, 40):
        lie = fields | {"indices": [index + shift for index in fields["indices"]]}
        try:
            forged = merklize.MultiProof.from_json(json.dumps(lie))
        except InvalidArgument:
            continue
        assert not forged.verify(tree.root, **known), shift
    for count in (16, 32, 40, 52, 57, 60, 64, 128, 2**40):
        if count == tree.n_leaves:
            continue
        try:
            forged = merklize.MultiProof.from_json(json.dumps(fields | {"n_leaves": count}))
        except InvalidArgument:
            continue
        assert not forged.verify(tree.root, **known), count


# --- Dumps of OpenZeppelin: places are places, and every node is computed again --------------------------------------


@pytest.mark.parametrize("n", [1, 2, 7])
def test_places_of_a_dump(n):
    good = openzeppelin_simple([bytes([i]) * 32 for i in range(n)]).dump()
    assert OpenZeppelinTree.load(good).dump() == good

    def refused(lie):
        for given in (lie, json.dumps(lie)):
            with pytest.raises((InvalidArgument, TypeError)):
                OpenZeppelinTree.load(given)

    for at, entry in enumerate(good["values"]):
        place = entry["treeIndex"]
        wrong = [-1, 0, n - 2, 2 * n - 1, 2**31 + place, 2**32 + place, 2**53, 2**64 + place, place + 0.5, str(place)]
        for lie in [*wrong, "", "1", "x", [place], [], None, {}, *([True] if place != 1 else []), 10**400]:
            if lie != place:
                values = [*good["values"][:at], entry | {"treeIndex": lie}, *good["values"][at + 1 :]]
                refused(good | {"values": values})
        values = [*good["values"][:at], entry | {"value": "0x" + "77" * 32}, *good["values"][at + 1 :]]
        refused(good | {"values": values})
        refused(good | {"values": good["values"][:at] + good["values"][at + 1 :]})
    for at in range(2 * n - 1):
        refused(good | {"tree": [*good["tree"][:at], "0x" + "77" * 32, *good["tree"][at + 1 :]]})
    refused(good | {"tree": good["tree"][1:]})
    refused(good | {"tree": [*good["tree"], good["tree"][0]]})
    refused(good | {"format": "standard-v1", "leafEncoding": ["bytes32"]})


# --- Tree files and manifests: what they state lies under the root, or is compared ------------------------------------


def test_each_bit_of_a_tree_file(tmp_path):
    """`tree check` finds another count, shape or root; the rest of the header has a checksum."""
    (tmp_path / "data").write_bytes(MESSAGE)
    merklize.build_tree_file(tmp_path / "data", tmp_path / "tree", leaf_size=4096)
    good = (tmp_path / "tree").read_bytes()
    for at in range(len(good)):
        if at < 128 or at % 37 == 0:
            bad = bytearray(good)
            bad[at] ^= 1
            (tmp_path / "bad").write_bytes(bad)
            try:
                with merklize.TreeFile(tmp_path / "bad") as tree:
                    is_found = bool(tree.check()) or tree.root != ROOT
            except (InvalidArgument, merklize.FileError):
                is_found = True
            assert is_found, at


def test_nodes_of_a_tree_in_place_of_its_data(tmp_path):
    """They have the root of the data, with fewer leaves. Only the count of leaves tells."""
    (tmp_path / "data").write_bytes(MESSAGE[:1024])
    merklize.build_tree_file(tmp_path / "data", tmp_path / "tree", leaf_size=64)
    with merklize.TreeFile(tmp_path / "tree") as tree:
        root, n, height = tree.root.hex(), tree.n_leaves, tree.height
        for level in range(1, height + 1):
            (tmp_path / "forged").write_bytes(tree.read(level - 1, 0, n >> level - 1))
            merklize.build_tree_file(tmp_path / "forged", tmp_path / "other", leaf_size=64)
            words = ("tree", "check", tmp_path / "other", tmp_path / "forged", "--root", root)
            assert run(*words, "--n-leaves", n >> level).returncode == 0
            done = run(*words, "--n-leaves", n)
            assert done.returncode == 1
            assert f"NOT the given count of leaves: the tree's is {n >> level}\n" in done.stdout
            found = json.loads(run(*words, "--n-leaves", n, "--json").stdout)
            assert (found["ok"], found["root_ok"], found["n_leaves_ok"]) == (False, True, False)


@pytest.mark.parametrize("size", [17 * 4096 + 1, len(MESSAGE) - 1, len(MESSAGE) + 1, 18 * 4096])
def test_the_size_that_a_tree_file_states(tmp_path, size):
    """No hash of the tree proves it; data of another size is not "as the tree says"."""
    (tmp_path / "data").write_bytes(MESSAGE)
    merklize.build_tree_file(tmp_path / "data", tmp_path / "tree", leaf_size=4096)
    lie = bytearray((tmp_path / "tree").read_bytes())
    lie[40:48] = size.to_bytes(8, "little")
    lie[120:128] = merklize.hash(bytes(lie[:120]))[:8]
    (tmp_path / "lie").write_bytes(lie)
    for name in (tmp_path / "data", "-"):
        words = (COMMAND, "tree", "check", tmp_path / "lie", name)
        with (tmp_path / "data").open("rb") as data:
            done = subprocess.run(words, stdin=data, capture_output=True, text=True, check=False)
        assert done.returncode == 1
        assert f"NOT the same: the tree states {size} bytes, and " in done.stdout
        assert done.stdout.endswith(f" has {len(MESSAGE)}\n")
    found = json.loads(run("tree", "check", tmp_path / "lie", tmp_path / "data", "--json").stdout)
    assert (found["ok"], found["same"], found["file_size"], found["input_size"]) == (False, False, size, len(MESSAGE))


def test_sizes_in_a_manifest(tmp_path):
    """Names, sizes and digests lie under the root."""
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "a").write_bytes(b"aaaa")
    (folder / "b").write_bytes(b"bb")
    made = json.loads(merklize.manifest(folder).to_json())

    def lies(value):
        if isinstance(value, dict):
            for key, held in value.items():
                for lie in lies(held):
                    yield {**value, key: lie}
        elif isinstance(value, list):
            for at, held in enumerate(value):
                for lie in lies(held):
                    yield [*value[:at], lie, *value[at + 1 :]]
            yield value[:-1]
        elif type(value) is int:
            yield from (value + 1, 0 if value else 7, 2**40)

    n = 0
    for lie in lies({"files": made["files"]}):
        n += 1
        with pytest.raises(InvalidArgument):
            merklize.Manifest.from_json(json.dumps({**made, **lie}))
    assert n > 5

"""Trees that other systems verify, compared with their programs' answers (tests/vectors/*_trees.json) and pymerkle."""

import hashlib
import json
import mmap
import os
import pickle
import random
import subprocess

import numpy as np
import pytest

import judges
import merklize
import openzeppelin_values
import oracle
from cli_helpers import merklize as run
from cli_helpers import output
from merklize import MerkleTree, formats
from openzeppelin_values import NODE_MODULES
from waiting import HANG


def cases(file, variant, op):
    rows = json.loads((oracle.VECTORS / f"{file}_trees.json").read_text())[1:]
    found = [row for row in rows if (row["variant"], row["op"]) == (variant, op)]
    assert found
    return found


def data_of(case):
    rule = case["data"]
    if rule.startswith("shake256"):
        return hashlib.shake_256(rule.split('"')[1].encode()).digest(case["n"])
    assert rule == "counter"
    return oracle.pattern(case["n"])


def leaves_of(case):
    """Leaves as uint8[n, 32]."""
    if "leaves_hex" in case:
        return np.array([list(bytes.fromhex(leaf)) for leaf in case["leaves_hex"]], np.uint8).reshape(-1, 32)
    if case["leaves"] == "btcd33":
        (found,) = cases("sha256", "bitcoin", "leaf_set")
        return leaves_of(found)[: case["n"]]
    assert case["leaves"] == "counter32"
    return np.frombuffer(oracle.pattern(32 * case["n"]), np.uint8).reshape(-1, 32)


def test_rfc6962():
    for case in cases("sha256", "rfc6962", "root"):
        records = (
            leaves_of(case) if case.get("leaves") == "counter32" else [bytes.fromhex(x) for x in case["leaves_hex"]]
        )
        if len(records):
            assert MerkleTree.from_messages(records, format="rfc6962").root.hex() == case["root"]
    for case in cases("sha256", "rfc6962", "inclusion_proof"):
        proof = MerkleTree.from_messages(leaves_of(case), format="rfc6962").prove(case["index"])
        assert [bytes(node).hex() for node in proof.siblings] == case["proof"]
    for case in cases("sha256", "rfc6962", "consistency_proof"):
        proof = MerkleTree.from_messages(leaves_of(case), format="rfc6962").prove_consistency(case["m"])
        assert [bytes(node).hex() for node in proof.nodes] == case["proof"]


def test_bitcoin():
    for case in cases("sha256", "bitcoin", "root"):
        assert MerkleTree(leaves_of(case), format="bitcoin").root.hex() == case["root"]
    (block,) = cases("sha256", "bitcoin", "block")
    txids = np.array([list(bytes.fromhex(txid)[::-1]) for txid in block["txids_display"]], np.uint8)
    assert MerkleTree(txids, format="bitcoin").root[::-1].hex() == block["merkle_root_display"]
    transactions = [b"one", b"another", b"the last"]
    ids = [hashlib.sha256(hashlib.sha256(one).digest()).digest() for one in transactions]
    tree = MerkleTree.from_messages(transactions, format="bitcoin")
    assert tree.level(0).tobytes() == b"".join(ids)
    assert tree.hash == "sha256d"
    assert tree.rule == "duplicate_last"


def file_of(leaves, folder):
    (folder / "leaves").write_bytes(leaves.tobytes())
    return folder / "leaves"


def from_pipe(call, leaves, *output, **form):
    reading, writing = os.pipe()
    with open(writing, "wb") as pipe:
        pipe.write(leaves.tobytes())
    try:
        return call(reading, *output, leaves=True, **form).root
    finally:
        os.close(reading)


def written(leaves, n, folder, **form):
    with merklize.TreeWriter(folder / "made", n, **form) as writer:
        writer.append(leaves)
        return writer.finish()


def updated(leaves, **form):
    others = leaves.copy()
    others[-1] ^= 1
    tree = MerkleTree(others, **form)
    tree.update([len(leaves) - 1], leaves[-1:])
    return tree.root


# Every call that makes a root or a tree file of leaves and looks at nodes.
BUILDS = [
    lambda leaves, folder, **form: MerkleTree(leaves, **form).root,
    lambda leaves, folder, **form: MerkleTree.from_file(file_of(leaves, folder), leaves=True, **form).root,
    lambda leaves, folder, **form: updated(leaves, **form),
    lambda leaves, folder, **form: merklize.merkle_root_file(file_of(leaves, folder), leaves=True, **form).root,
    lambda leaves, folder, **form: from_pipe(merklize.merkle_root_file, leaves, **form),
    lambda leaves, folder, **form: (
        merklize.build_tree_file(file_of(leaves, folder), folder / "made", leaves=True, **form).root
    ),
    lambda leaves, folder, **form: from_pipe(merklize.build_tree_file, leaves, folder / "made", **form),
    lambda leaves, folder, **form: written(leaves, len(leaves), folder, **form),
    lambda leaves, folder, **form: written(leaves, None, folder, **form),
]


@pytest.mark.parametrize(("count", "copied", "level"), [(4, 1, 0), (8, 2, 1), (16, 4, 2)])
def test_bitcoins_ambiguous_lists_are_refused(count, copied, level, tmp_path):
    leaves = oracle.byte_leaves(count).copy()
    leaves[-copied:] = leaves[-2 * copied : -copied]
    root = merklize.merkle_root(leaves, "sha256d", rule="duplicate_last")
    assert root == MerkleTree(leaves[:-copied], format="bitcoin").root  # two lists, one root
    for build in BUILDS:
        with pytest.raises(merklize.InvalidArgument, match=rf"nodes of level {level} are equal.*CVE-2012-2459"):
            build(leaves, tmp_path, format="bitcoin")
        assert not (tmp_path / "made").exists()
        assert build(leaves, tmp_path, hash="sha256d", rule="duplicate_last") == root
        (tmp_path / "made").unlink(missing_ok=True)
        assert build(leaves[:-1], tmp_path, format="bitcoin")
        (tmp_path / "made").unlink(missing_ok=True)
    (tmp_path / "leaves").write_bytes(leaves.tobytes())
    (tmp_path / "sound").write_bytes(leaves[:-copied].tobytes())
    for words in ([], ["-o", "made"], ["--policy", "levels_per_launch=2"]):
        build = ["tree", "build", "--format", "bitcoin", "--leaves", *words]
        assert output(*build, "sound", cwd=tmp_path) == root.hex() + "\n"
        (tmp_path / "made").unlink(missing_ok=True)
        for name in ("leaves",) if "--policy" in words else ("leaves", "-"):
            done = run(*build, name, cwd=tmp_path, stdin=leaves.tobytes())
            assert (done.returncode, done.stdout) == (1, b"")
            assert f"nodes of level {level} are equal".encode() in done.stderr
            assert not list(tmp_path.glob("made*"))


@pytest.mark.parametrize(
    "call",
    [
        lambda leaves, **form: merklize.merkle_root(leaves, **form),
        lambda leaves, **form: merklize.build_tree(np.concatenate([leaves, leaves]), **form),
        lambda leaves, **form: merklize.TreeBuilder(**form),
        lambda leaves, **form: merklize.parts.plan_tree("data", 128, leaves=True, **form),
        lambda leaves, **form: MerkleTree(leaves, drop_levels=1, **form),
    ],
)
def test_calls_that_look_at_no_nodes_refuse_bitcoin(call):
    call(oracle.byte_leaves(4), hash="sha256d", rule="duplicate_last")
    with pytest.raises(merklize.InvalidArgument, match="may have one root|fixes drop_levels"):
        call(oracle.byte_leaves(4), format="bitcoin")


def test_ssz():
    (zeros,) = cases("sha256", "ssz", "zero_hashes")
    assert [formats.zero_hash(depth).hex() for depth in range(len(zeros["depths"]))] == zeros["depths"]
    for case in cases("sha256", "ssz", "merkleize"):
        assert formats.ssz(leaves_of(case), case["limit"]).hex() == case["root"]
    for case in cases("sha256", "ssz", "list_bytes32"):
        assert formats.ssz(leaves_of(case), case["limit"], mix_in_length=case["n"]).hex() == case["root"]
    for case in cases("sha256", "ssz", "list_uint64"):
        values = np.array([k * 0x9E3779B97F4A7C15 % 2**64 for k in range(case["n"])], "<u8")
        limit = -(-8 * case["limit"] // 32)
        assert formats.ssz(values, limit, mix_in_length=case["n"]).hex() == case["root"]
    for case in cases("sha256", "ssz", "byte_list"):
        assert formats.ssz(data_of(case), -(-case["limit"] // 32), mix_in_length=case["n"]).hex() == case["root"]
    for case in cases("sha256", "ssz", "bitlist"):
        bits = np.array([k * k % 3 == 1 for k in range(case["n"])], bool)
        packed = np.packbits(bits, bitorder="little")
        assert formats.ssz(packed, -(-case["limit"] // 256), mix_in_length=case["n"]).hex() == case["root"]
    with pytest.raises(merklize.InvalidArgument, match="hashes no messages"):
        MerkleTree.from_messages([b"a"], format="ssz")


def test_bittorrent_v2(tmp_path):
    for case in cases("sha256", "bittorrent_v2", "pieces_root"):
        data = data_of(case)
        found = formats.bittorrent_v2(data, piece_length=case["piece_length"])
        assert found.root.hex() == case["pieces_root"]
        if "piece_layer" in case:
            layer = case["piece_layer"]
            assert found.layers.hex() == (layer if isinstance(layer, str) else "".join(layer))
        if "piece_layer_sha256" in case:
            assert hashlib.sha256(found.layers).hexdigest() == case["piece_layer_sha256"]
        if case["n"] <= case["piece_length"]:
            assert found.layers == b""
    (tmp_path / "data").write_bytes(data)
    assert formats.bittorrent_v2(tmp_path / "data", case["piece_length"]) == found
    assert MerkleTree.from_file(tmp_path / "data", format="bittorrent_v2").root == found.root
    assert formats.bittorrent_v2(b"").root is None


def test_fs_verity(tmp_path):
    for case in cases("sha256", "fs_verity", "digest"):
        options = {"block_size": case["block_size"], "salt": bytes.fromhex(case["salt"]), "algorithm": case["alg"]}
        assert formats.fs_verity(data_of(case), **options).hex() == case["digest"]
    data = oracle.pattern(5000)
    (tmp_path / "data").write_bytes(data)
    assert formats.fs_verity(tmp_path / "data") == formats.fs_verity(data)
    shown = "sha256:" + formats.fs_verity(data).hex()
    assert output("tree", "build", tmp_path / "data", "--format", "fs_verity") == shown + "\n"
    with pytest.raises(merklize.InvalidArgument, match="algorithm must be 'sha256' or 'sha512', got 'md5'"):
        formats.fs_verity(data, algorithm="md5")
    with pytest.raises(FileNotFoundError):
        formats.fs_verity(tmp_path / "missing")


@judges.needs("fsverity")
def test_fs_verity_by_its_own_program(tmp_path):
    for length, options in [(0, {}), (1, {}), (700_000, {}), (4097, {"block_size": 1024}), (9000, {"salt": b"salt"})]:
        (tmp_path / "data").write_bytes(oracle.pattern(length))
        arguments = [f"--block-size={options.get('block_size', 4096)}", f"--salt={options.get('salt', b'').hex()}"]
        done = subprocess.run(
            [judges.find("fsverity")[0], "digest", *arguments, tmp_path / "data"], capture_output=True, check=True
        )
        assert done.stdout.decode().split()[0] == "sha256:" + formats.fs_verity(tmp_path / "data", **options).hex()


@pytest.mark.parametrize(("format", "piece"), [("glacier", 1 << 20), ("bittorrent_v2", 1 << 14)])
def test_a_format_of_pieces_fixes_their_size(tmp_path, format, piece):
    (tmp_path / "data").write_bytes(bytes(3 << 20))
    calls = {
        "MerkleTree.from_file": lambda **how: MerkleTree.from_file(tmp_path / "data", format=format, **how).root,
        "build_tree_file": lambda **how: (
            merklize.build_tree_file(tmp_path / "data", tmp_path / "t", format=format, **how).root
        ),
        "merkle_root_file": lambda **how: merklize.merkle_root_file(tmp_path / "data", format=format, **how).root,
        "plan_tree": lambda **how: merklize.parts.plan_tree("data", 3 << 20, format=format, **how) and None,
    }
    for name, call in calls.items():
        assert call(leaf_size=piece) == call()
        for option in ("leaf_size", "row_size"):
            for size in {1000, 2 * piece, *([piece] if option == "row_size" else [])}:
                why = rf"^{name}: format '{format}' fixes leaf_size: leave {option} out, got {size}$"
                with pytest.raises(merklize.InvalidArgument, match=why):
                    call(**{option: size})
    words = ("tree", "build", tmp_path / "data", "--format", format)
    assert output(*words, "--leaf-size", str(piece)) == output(*words)
    for option, size in (("--leaf-size", "1000"), ("--row-size", "1000"), ("--row-size", str(piece))):
        done = run(*words, option, size)
        assert done.returncode == 2
        assert done.stderr.endswith(f"format '{format}' fixes the size of a leaf: leave it out\n".encode())


def test_glacier(tmp_path):
    for case in cases("sha256", "glacier", "tree_hash"):
        assert formats.glacier(data_of(case)).hex() == case["root"]
    data = oracle.pattern((5 << 20) + 3)
    (tmp_path / "data").write_bytes(data)
    assert formats.glacier(tmp_path / "data") == formats.glacier(data)
    assert output("tree", "build", tmp_path / "data", "--format", "glacier").strip() == formats.glacier(data).hex()
    assert merklize.merkle_root_file(tmp_path / "data", format="glacier").root == formats.glacier(data)
    assert merklize.merkle_root_file(tmp_path / "data", format="bittorrent_v2").root == formats.bittorrent_v2(data).root


def test_files_are_read_and_not_mapped(tmp_path, monkeypatch):
    """A mapped file that shrinks would end the process."""
    data = oracle.pattern((3 << 20) + 5)
    (tmp_path / "data").write_bytes(data)
    monkeypatch.setattr(np, "memmap", None)
    monkeypatch.setattr(mmap, "mmap", None)
    calls = {
        "glacier": (formats.glacier, {}),
        "bittorrent_v2": (formats.bittorrent_v2, {}),
        "one piece": (formats.bittorrent_v2, {"piece_length": 1 << 23}),
        "fs_verity": (formats.fs_verity, {"salt": b"salt"}),
        "sha512": (formats.fs_verity, {"algorithm": "sha512"}),
    }
    for call, options in calls.values():
        assert call(tmp_path / "data", **options) == call(data, **options)
        assert call(str(tmp_path / "data"), **options) == call(np.frombuffer(data, np.uint8)[::1], **options)
        with pytest.raises(FileNotFoundError):
            call(tmp_path / "missing", **options)
    os.mkfifo(tmp_path / "pipe")
    for name in ("glacier", "fs_verity", "sha512"):
        call, options = calls[name]
        with subprocess.Popen(["sh", "-c", 'cat "$1" > "$2"', "sh", tmp_path / "data", tmp_path / "pipe"]):
            assert call(tmp_path / "pipe", **options) == call(data, **options)
    for name in ("glacier", "bittorrent_v2", "fs_verity", "sha512"):
        call, options = calls[name]
        (tmp_path / "empty").touch()
        assert call(tmp_path / "empty", **options) == call(b"", **options)


def openzeppelin_of(case):
    if case["variant"] == "oz_simple":
        return formats.openzeppelin_simple(leaves_of(case), sort_leaves=case.get("sort_leaves", True))
    values = case.get("values")
    if "values_rule" in case:
        values = [["0x" + (0x1111 * (k + 1)).to_bytes(20, "big").hex(), 1000000007 * k] for k in range(case["n"])]
    return formats.openzeppelin(values, case["types"])


def openzeppelin_cases():
    return [
        *cases("keccak256", "oz_simple", "merkle_root"),
        *cases("keccak256", "oz_standard", "merkle_root"),
        *cases("keccak256", "oz_standard", "readme_example"),
        *cases("keccak256", "oz_standard", "dynamic_types"),
    ]


def test_openzeppelin():
    hexadecimal = lambda nodes: ["0x" + node.hex() for node in nodes]  # noqa: E731
    seen = set()
    for case in openzeppelin_cases():
        tree = openzeppelin_of(case)
        seen |= set(case)
        assert "0x" + tree.root.hex() == case["root"]
        if "leaf_hashes" in case:
            assert hexadecimal(tree.leaf(i) for i in range(tree.n_leaves)) == case["leaf_hashes"]
        if "proof0" in case:
            assert hexadecimal(tree.prove(0)) == case["proof0"]
        if "tree" in case:
            assert hexadecimal(node.tobytes() for node in tree.nodes) == case["tree"]
        if "proofs" in case:
            assert [hexadecimal(tree.prove(i)) for i in range(tree.n_leaves)] == case["proofs"]
        if "multiproof" in case:
            wanted = case["multiproof"]
            found = tree.prove_together(wanted["indices"])
            assert hexadecimal(found.leaves) == wanted["leaves"]
            assert hexadecimal(found.proof) == wanted["proof"]
            assert found.proof_flags == wanted.get("proofFlags", wanted.get("proof_flags", wanted.get("flags")))
        if "dump" in case:
            assert tree.dump() == case["dump"]
            assert formats.OpenZeppelinTree.load(json.dumps(case["dump"])).root == tree.root
        for index in {0, tree.n_leaves // 2, tree.n_leaves - 1}:
            proof = tree.prove(index)
            assert tree.verify(index, proof)
            assert not proof or not tree.verify(index, [bytes(32), *proof[1:]])
            texts = hexadecimal(proof), case["root"], "0x" + tree.leaf(index).hex()
            assert formats.verify_openzeppelin(*texts)
            assert formats.verify_openzeppelin(proof, tree.root, tree.leaf(index))
            assert not formats.verify_openzeppelin([*proof, b"short"], tree.root, tree.leaf(index))
            assert not formats.verify_openzeppelin(proof, bytes(32), tree.leaf(index))
        assert formats.OpenZeppelinTree.load(tree.dump()).root == tree.root
        again = pickle.loads(pickle.dumps(tree))
        assert again.nodes.tobytes() == tree.nodes.tobytes()
        assert (again.values, again.leaf_encoding) == (tree.values, tree.leaf_encoding)
    assert {"leaf_hashes", "proof0", "tree", "proofs", "multiproof", "dump"} <= seen


def test_openzeppelin_misuse():
    values = [["0x" + "11" * 20, 5], ["0x" + "22" * 20, 7], ["0x" + "33" * 20, 9]]
    tree = formats.openzeppelin(values, ["address", "uint256"])
    dump = tree.dump()
    dump["tree"][1] = "0x" + "00" * 32
    for call, text in (
        (lambda: formats.openzeppelin([], ["address"]), "at least one value, got 0"),
        (lambda: formats.openzeppelin([[1]], ["float"]), "unknown ABI type 'float'"),
        (lambda: formats.openzeppelin([[256]], ["uint8"]), "uint8: must be 0 to 255, got 256"),
        (
            lambda: formats.openzeppelin([["0x" + "11" * 21]], ["address"]),
            "address: must have at most 20 bytes, got 21",
        ),
        (lambda: formats.openzeppelin([[1, 2]], ["uint8"]), "a value must have 1 fields, one a type, got 2 fields"),
        (lambda: tree.prove_together([1, 1]), "each index once"),
        (lambda: formats.OpenZeppelinTree.load({"format": "other"}), "format must be 'standard-v1' or 'simple-v1'"),
        (lambda: formats.OpenZeppelinTree.load(dump), "node 1 of the dump is not the hash of what is below it"),
        (
            lambda: formats.openzeppelin_simple([bytes(33)]),
            "openzeppelin_simple: leaf 0: must have at most 32 bytes, got 33",
        ),
        (lambda: formats.verify_openzeppelin([], b"short", bytes(32)), "verify_openzeppelin: root must be 32 bytes"),
    ):
        with pytest.raises(merklize.InvalidArgument, match=text):
            call()


@pytest.mark.parametrize("call", [
    lambda values: formats.openzeppelin([values], ["uint8", "uint8"]),
    lambda values: formats.openzeppelin([[values]], ["uint8[]"]),
    lambda values: formats.openzeppelin([[[values]]], ["uint8[2][]"]),
    lambda values: formats.openzeppelin([[values]], ["(uint8,uint8)"]),
])  # fmt: skip
def test_openzeppelin_values_in_no_order(call):
    assert call([1, 2]).root == call((1, 2)).root == call(np.array([1, 2])).root
    for values in ({1, 2}, frozenset([1, 2]), {1: 0, 2: 0}.keys()):
        with pytest.raises(TypeError, match=f"^openzeppelin: a {type(values).__name__} has no order; give a list$"):
            call(values)
    for values in ({1: 0, 2: 0}, b"ab", bytearray(b"ab"), memoryview(b"ab")):
        with pytest.raises(merklize.InvalidArgument, match="must have 2 fields|must be a list"):
            call(values)
    with pytest.raises(TypeError, match="^openzeppelin: a dict has keys and values; give a list$"):
        formats.openzeppelin({(1, 2): 0, (3, 4): 0}, ["uint8", "uint8"])


def test_openzeppelin_keeps_values_of_its_own():
    kinds = ["uint8", "bytes", "uint8[]", "function", "(uint8[],bool)", "bytes"]
    function = {"address": bytearray(b"a" * 20), "selector": "0x11223344"}
    given = [np.uint8(3), memoryview(b"xx"), np.arange(3), function, ([np.int64(1), 2], True), bytearray(b"data")]
    tree = formats.openzeppelin([given], kinds)
    given[4][0].append(9)
    function["address"][:] = b""
    given[2][:] = 0
    assert formats.OpenZeppelinTree.load(json.dumps(tree.dump())).root == tree.root
    assert pickle.loads(pickle.dumps(tree)).root == tree.root


@pytest.mark.parametrize("chunks", [
    np.zeros((2, 31), np.uint8), np.zeros((2, 4), "<u8"), np.zeros((1, 2, 32), np.uint8), np.zeros(4),
    np.zeros(4, ">u8"), np.zeros((2, 32), np.int8), memoryview(bytes(62)).cast("B", (2, 31)),
], ids=lambda chunks: str(chunks.shape))  # fmt: skip
def test_ssz_of_other_arrays(chunks):
    with pytest.raises(merklize.InvalidArgument, match=r"^ssz: chunks must be bytes, uint8\[n, 32\] or unsigned"):
        formats.ssz(chunks)


def made_of(case):
    try:
        if case["types"] is None:
            return "0x" + formats.openzeppelin_simple(case["values"]).root.hex()
        return "0x" + formats.openzeppelin(case["values"], case["types"]).root.hex()
    except merklize.InvalidArgument:
        return None


def check_spellings(cases):
    """Roots are the package's, for each value that it takes and for no other one; its dumps are read."""
    for case in cases:
        assert made_of(case) == case["root"], case
        if case["dump"] is not None:
            assert "0x" + formats.OpenZeppelinTree.load(case["dump"]).root.hex() == case["root"], case


def test_openzeppelin_values_in_many_spellings():
    recorded = json.loads((oracle.VECTORS / "openzeppelin_values.json").read_text())["cases"]
    assert sum(case["dump"] is not None for case in recorded) > 200
    check_spellings(recorded)


@pytest.mark.skipif(not NODE_MODULES, reason="MERKLIZE_NODE_MODULES names no folder with @openzeppelin/merkle-tree")
@pytest.mark.parametrize("seed", [2, 3])
def test_openzeppelin_values_beside_its_own_program(seed):
    cases = openzeppelin_values.cases_of(random.Random(seed), 2000)
    check_spellings([{**case, **made} for case, made in zip(cases, openzeppelin_values.by_the_package(cases))])


@pytest.mark.skipif(not NODE_MODULES, reason="MERKLIZE_NODE_MODULES names no folder with @openzeppelin/merkle-tree")
def test_openzeppelin_by_its_own_program(tmp_path):
    """Dumps in both directions, proofs and multi-proofs."""
    rng = np.random.default_rng(3)
    values = [["0x" + rng.bytes(20).hex(), str(int(rng.integers(0, 2**62)))] for _ in range(37)]
    tree = formats.openzeppelin(values, ["address", "uint256"])
    (tmp_path / "dump.json").write_text(json.dumps(tree.dump()))
    script = """
        const { StandardMerkleTree } = require("@openzeppelin/merkle-tree");
        const dump = JSON.parse(require("fs").readFileSync(process.argv[1]));
        const tree = StandardMerkleTree.load(dump);
        tree.validate();
        const made = StandardMerkleTree.of(dump.values.map(v => v.value), dump.leafEncoding);
        const proofs = dump.values.map((_, i) => made.getProof(i));
        const multi = made.getMultiProof([0, 5, 30]);
        console.log(JSON.stringify({ root: tree.root, dump: made.dump(), proofs, multi }));
    """
    done = subprocess.run(
        [judges.find("node")[0], "-e", script, str(tmp_path / "dump.json")],
        env={**os.environ, "NODE_PATH": NODE_MODULES}, capture_output=True, check=True, timeout=HANG,
    )  # fmt: skip
    theirs = json.loads(done.stdout)
    assert theirs["root"] == "0x" + tree.root.hex()
    assert theirs["dump"] == tree.dump()
    assert theirs["proofs"] == [["0x" + node.hex() for node in tree.prove(i)] for i in range(37)]
    multi = tree.prove_together([0, 5, 30])
    assert theirs["multi"]["proof"] == ["0x" + node.hex() for node in multi.proof]
    assert theirs["multi"]["proofFlags"] == multi.proof_flags
    assert formats.OpenZeppelinTree.load(theirs["dump"]).root == tree.root


@pytest.mark.parametrize("from_stream", [False, True])
def test_an_empty_file_has_no_root_in_bittorrent(tmp_path, from_stream):
    (tmp_path / "empty").touch()
    name = "-" if from_stream else "empty"
    for words in ([], ["-o", "made"], *([] if from_stream else [["--policy", "levels_per_launch=2"]])):
        done = run("tree", "build", name, "--format", "bittorrent_v2", *words, cwd=tmp_path)
        assert (done.returncode, done.stdout) == (1, b"")
        assert b"an empty file has no root in BitTorrent v2" in done.stderr
    with open(tmp_path / "empty", "rb") as file:
        given = file.fileno() if from_stream else tmp_path / "empty"
        for call in (
            lambda: merklize.merkle_root_file(given, format="bittorrent_v2"),
            lambda: merklize.build_tree_file(given, tmp_path / "made", format="bittorrent_v2"),
            lambda: MerkleTree.from_file(given, format="bittorrent_v2"),
            lambda: merklize.parts.plan_tree("empty", 0, format="bittorrent_v2"),
        ):
            with pytest.raises(merklize.InvalidArgument, match="an empty file has no root in BitTorrent v2"):
                call()
    assert not (tmp_path / "made").exists()
    assert formats.bittorrent_v2(b"").root is None


def test_the_command_names_every_format_that_it_takes(tmp_path):
    done = run("tree", "build", "f", "--format", "nosuch", cwd=tmp_path)
    assert done.returncode == 2
    help_text = " ".join(run("tree", "build", "--help", cwd=tmp_path).stdout.decode().split())
    named = help_text.split("fixes hash and rule: ")[1].split(".")[0]
    assert f"known: {named}" in done.stderr.decode()
    assert "fs_verity" in named


def test_names():
    leaves = oracle.byte_leaves(4)
    for name, found in formats.FORMATS.items():
        if found.needs:
            with pytest.raises(merklize.InvalidArgument, match=f"format '{name}' is no tree of whole levels: use "):
                MerkleTree(leaves, format=name)
        elif found.hash in merklize.HASHES and found.hash not in oracle.FIELD_HASHES:
            tree = MerkleTree(leaves, format=name)
            assert (tree.hash, tree.rule) == (found.hash, found.rule)
    assert MerkleTree(oracle.word_leaves(4), format="winterfell").hash == "rp64_256_v3"
    for mode in ({}, {"key": bytes(32)}, {"context": "a tree"}):
        assert MerkleTree(leaves, format="merklize", **mode).root == MerkleTree(leaves, **mode).root
    for options, text in (
        ({"format": "git"}, "unknown format 'git'; known: merklize, rfc6962, bitcoin"),
        ({"format": "bitcoin", "hash": "sha256"}, "format 'bitcoin' fixes hash: leave it out, got 'sha256'"),
        ({"format": "bitcoin", "rule": "pad"}, "fixes rule"),
        ({"format": "bitcoin", "key": bytes(32)}, "fixes key"),
        ({"format": "merklize", "hash": "sha256"}, "format 'merklize' fixes hash"),
        ({"format": "merklize", "rule": "duplicate_last"}, "format 'merklize' fixes rule"),
        ({"format": "merklize", "padding": bytes(32)}, "format 'merklize' fixes padding"),
    ):
        with pytest.raises(merklize.InvalidArgument, match=text):
            MerkleTree(leaves, **options)
    first, second = leaves[0].tobytes(), leaves[1].tobytes()
    merged = merklize.merge(first, second, "keccak256_sorted")
    assert (
        merged
        == merklize.merge(second, first, "keccak256_sorted")
        == oracle.keccak256(min(first, second) + max(first, second))
    )


def test_command_line(tmp_path):
    data = oracle.pattern(100_000)
    (tmp_path / "data").write_bytes(data)
    assert run("tree", "build", "--format", "ssz", tmp_path / "data").returncode == 2
    done = run("tree", "build", "--format", "bitcoin", "--hash", "sha256", "--leaf-size", "32", tmp_path / "data")
    assert done.returncode != 0
    assert b"fixes hash" in done.stderr
    for options in (["--hash", "sha256"], ["--rule", "pad"], ["--rule", "duplicate_last"], ["--padding", "00" * 32]):
        done = run("tree", "build", "--format", "merklize", "--leaf-size", "32", *options, tmp_path / "data")
        assert (done.returncode, done.stdout) == (2, b"")
        assert b"format 'merklize' fixes" in done.stderr
    for mode in ([], ["--derive-key", "a tree"], ["--keyed"]):
        build = ["tree", "build", "--leaf-size", "1000", *mode, tmp_path / "data"]
        assert output(*build, stdin=bytes(32)) == output(*build, "--format", "merklize", stdin=bytes(32))
    root = output("tree", "build", "--format", "rfc6962", "--leaf-size", "1000", tmp_path / "data").strip()
    records = [data[at : at + 1000] for at in range(0, len(data), 1000)]
    assert root == MerkleTree.from_messages(records, format="rfc6962").root.hex()

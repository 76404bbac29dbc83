"""Typical mistakes: each error names the called function, what came, the rule, and a remedy if there is one.

tests/vectors/surface.json has those that all languages share.
"""

import io
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import merklize
from merklize import prover

LEAVES = np.zeros((8, 32), np.uint8)
TEXT = (
    "must be bytes-like, a NumPy array or a tensor, got str; encode() makes bytes of text, bytes.fromhex() of "
    "hexadecimal digits"
)
ONE_OF = (
    "give one of leaf_size, row_size and leaves=True (the input has the leaves themselves, 32 bytes each), got none"
)


KINDS = "must be bytes-like, a NumPy array or a tensor"


class Module:
    def state_dict(self):
        return {}


class DataFrame:
    def to_numpy(self):
        return LEAVES


def tree():
    return merklize.MerkleTree(LEAVES)


# The call and the whole text. A text that ends in "..." goes on with a list of names.
MISTAKES = {
    "text": (lambda: merklize.hash("hello"), f"hash: data {TEXT}"),
    "a list of messages": (
        lambda: merklize.hash([b"a", b"b"]),
        "hash: data must be bytes-like, a NumPy array or a tensor, got list; hash_each() hashes each item",
    ),
    "a path": (
        lambda: merklize.hash(pathlib.Path("file")),
        f"hash: data {KINDS}, got PosixPath; hash_file() reads the file of a path",
    ),
    "a file in memory": (
        lambda: merklize.hash(io.BytesIO(b"a")),
        f"hash: data {KINDS}, got BytesIO; hash_file() reads an open file",
    ),
    "a state dict": (
        lambda: merklize.hash({"weight": LEAVES}),
        f"hash: data {KINDS}, got dict; hash_each() hashes each value, and manifest() takes tensors by their names",
    ),
    "a module": (
        lambda: merklize.hash(Module()),
        f"hash: data {KINDS}, got Module; manifest() takes a model, and hash_each() its state_dict()",
    ),
    "a data frame": (
        lambda: merklize.Hasher().update(DataFrame()),
        f"update: data {KINDS}, got DataFrame; to_numpy() makes an array",
    ),
    "a key of text": (lambda: merklize.Hasher(key="k" * 32), f"Hasher: key {TEXT}"),
    "a device of another kind": (
        lambda: merklize.hash(b"", device=1.5),
        "hash: device must be an id of devices(), N for 'cuda:N', a torch.device, or a list of them, got float",
    ),
    "no threads": (lambda: merklize.hash(b"", threads=0), "hash: threads must be at least 1, or None for all, got 0"),
    "a misspelt option": (
        lambda: merklize.hash(b"", lenght=3),
        "hash() takes no argument 'lenght'; did you mean 'length'?",
    ),
    "a length below 0": (lambda: merklize.hash(b"", length=-1), "hash: length must be 0 to 2^64 - 1, got -1"),
    "what is no progress function": (
        lambda: merklize.hash(b"", progress=5),
        "hash: progress must be callable, got int",
    ),
    "a file open as text": (
        lambda: merklize.hash_file(open("file")),  # noqa: SIM115
        "hash_file: an open file must give bytes, got a text file (TextIOWrapper); open it with mode 'rb'",
    ),
    "one path": (
        lambda: merklize.hash_files("file"),
        "hash_files: paths must be an iterable of paths, got one path (str); hash_file() takes one",
    ),
    "text to a hasher": (lambda: merklize.Hasher().update("text"), f"update: data {TEXT}"),
    "messages as leaves": (
        lambda: merklize.MerkleTree([b"a", b"b"]),
        "MerkleTree: leaf 0 must be a digest of 32 bytes, got 1 bytes; MerkleTree.from_messages() hashes messages",
    ),
    "texts as leaves": (
        lambda: merklize.MerkleTree([bytes(32), "b"]),
        "MerkleTree: leaf 1 must be a digest of 32 bytes, got str; MerkleTree.from_messages() hashes messages",
    ),
    "bytes as leaves": (
        lambda: merklize.MerkleTree(bytes(64)),
        "MerkleTree: leaves must be an array or a list of digests, got bytes; MerkleTree.from_messages() hashes "
        "messages",
    ),
    "a wrong shape": (
        lambda: merklize.MerkleTree(LEAVES[:, :31]),
        "MerkleTree: leaves must be uint8[n, 32], uint64[n, 4] or uint32[n, 8], got uint8[8, 31]; "
        "MerkleTree.from_rows() hashes rows",
    ),
    "a wrong dtype": (
        lambda: merklize.merkle_root(LEAVES.astype(float)),
        "merkle_root: leaves must be uint8[n, 32], uint64[n, 4] or uint32[n, 8], got float64[8, 32]; "
        "MerkleTree.from_rows() hashes rows",
    ),
    "padding of another rule": (
        lambda: merklize.MerkleTree(LEAVES, padding=bytes(32)),
        'MerkleTree: padding is for the rule "pad" alone, not for "left_full"',
    ),
    "texts as messages": (
        lambda: merklize.MerkleTree.from_messages(["a"]),
        f"MerkleTree.from_messages: message 0 {TEXT}",
    ),
    "no leaf size": (lambda: merklize.build_tree_file("file", "out.mkl"), f"build_tree_file: {ONE_OF}"),
    "a short leaf": (lambda: tree().update({1: bytes(31)}), "update: leaf 1 must be 32 bytes, got 31 bytes"),
    "a root of too few digits": (
        lambda: merklize.verify(tree().prove(1), tree().root.hex()[1:]),
        "verify: root must be 32 bytes or 64 hexadecimal digits, got 63 digits",
    ),
    "a root of text": (
        lambda: merklize.verify(tree().prove(1), "root"),
        "verify: root must be bytes-like, a NumPy array, a tensor or 64 hexadecimal digits, got str",
    ),
    "a record as a leaf": (
        lambda: merklize.verify(tree().prove(1), tree().root, leaf=b"record"),
        "verify: leaf must be 32 bytes, got 6 bytes; the leaf is the digest of a record: merklize.hash(record)",
    ),
    "a short root": (
        lambda: merklize.verify(tree().prove(1), bytes(31)),
        "verify: root must be 32 bytes, got 31 bytes",
    ),
    "unlike pairs": (
        lambda: merklize.merge(LEAVES, LEAVES[:2]),
        "merge: left and right must be alike, got uint8[8, 32] and uint8[2, 32]",
    ),
    "one message as rows": (
        lambda: merklize.hash_rows(b"abc"),
        "hash_rows: rows must be an array or a list of matrices, got bytes; hash() takes one message",
    ),
    "one message as many": (
        lambda: merklize.hash_each(b"abc"),
        "hash_each: messages must be a list or a mapping of messages, got one (bytes); hash() takes one message, "
        "hash_rows() the rows of an array",
    ),
    "texts among leaves": (lambda: merklize.hash_leaves(["a"]), f"hash_leaves: message 0 {TEXT}"),
    "what is no opening": (
        lambda: prover.verify_opening(5, LEAVES[:1], [(8, 2)]),
        "verify_opening: opening must be a MatrixOpening, got int",
    ),
    "an array of a device without a device": (
        lambda: merklize.DeviceArray(LEAVES),
        "DeviceArray: calls on a device make one, and DeviceArray.from_numpy(array, device) copies one there",
    ),
    "facts of no tree": (
        lambda: merklize.TreeFacts(root=bytes(32)),
        "TreeFacts: merkle_root_file() and build_tree_file() make one",
    ),
    "a list of chunks": (
        lambda: merklize.formats.ssz([bytes(32)]),
        "ssz: chunks must be bytes-like, a NumPy array or a tensor, got list",
    ),
    "rows that are none": (
        lambda: merklize.MerkleTree.from_rows(np.zeros((3, 4), np.uint8), rule="perfect"),
        "MerkleTree.from_rows: the count of leaves must be a power of two under the rule 'perfect', got 3; the rules "
        "'left_full', 'pad' and 'duplicate_last' take any count",
    ),
    "what has no tensors": (
        lambda: merklize.manifest(3),
        "manifest: the source must be a path, a mapping of names to tensors, or an object with state_dict(), got int",
    ),
    "a field without its form": (
        lambda: prover.MatrixCommitment(np.ones((2, 2), np.uint32), field="babybear"),
        "MatrixCommitment: field is for words='montgomery', got 'babybear' with words='canonical'",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_python(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_bytes(bytes(1000))
    call, text = MISTAKES[name]
    with pytest.raises((merklize.Error, TypeError)) as caught:
        call()
    if text.endswith("..."):
        assert str(caught.value).startswith(text.removesuffix("..."))
    else:
        assert str(caught.value) == text
    assert not (tmp_path / "out.mkl").exists()


# Calls of the command, and the last line that it prints.
COMMANDS = {
    "hahs file": "Error: No such command 'hahs'. Did you mean 'hash'?",
    "hash --lenght 3 file": "Error: No such option '--lenght'. Did you mean '--length'?",
    "hash missing": "merklize: missing: No such file or directory",
    "hash .": "merklize: .: Is a directory (--recursive takes the files in it)",
    "hash --device gpu file": (
        "Error: Invalid value for '--device': unknown device 'gpu'; known: cpu, cuda, opencl, sycl, auto"
    ),
    "tree build file -o out.mkl": "Error: give one of --leaf-size, --row-size and --leaves",
    "tree build file --leaf-size x -o out.mkl": (
        "Error: Invalid value for '--leaf-size': 'x' is not a size such as 65536, 64K or 1MiB"
    ),
    "tree build file --leaves --format bitcoin --hash blake3 -o out.mkl": (
        "Error: format 'bitcoin' fixes hash: leave it out"
    ),
    "tree show file": "merklize: file: not a tree file: it does not begin with MKLTREE",
    "tree prove tree.mkl 8": "merklize: prove: leaf index must be below 8, got 8",
    "tree verify proof.json --root 00": "Error: Invalid value for '--root': '00' is not 64 hexadecimal digits",
}


@pytest.mark.parametrize("command", COMMANDS)
def test_command(command, tmp_path):
    (tmp_path / "file").write_bytes(bytes(1000))
    tree().save(tmp_path / "tree.mkl")
    (tmp_path / "proof.json").write_text(tree().prove(1).to_json())
    program = [sys.executable, "-m", "merklize", *command.split()]
    done = subprocess.run(program, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1] == COMMANDS[command]
    assert done.returncode == (2 if done.stderr.splitlines()[-1].startswith("Error") else 1)
    assert done.stdout == ""


class TestDevices:
    """Every way to name a device."""

    class FromTorch:
        """Stands for torch.device if PyTorch is not installed."""

        def __init__(self, text):
            self.text = text

        def __str__(self):
            return self.text

    FromTorch.__module__, FromTorch.__name__ = "torch", "device"

    def test_of_pytorch(self):
        cpu = self.FromTorch("cpu")
        assert merklize.hash(b"abc", device=cpu) == merklize.hash(b"abc")
        assert merklize.MerkleTree(LEAVES, device=cpu).root == tree().root
        assert merklize.Hasher(b"abc", device=cpu).digest() == merklize.hash(b"abc")
        for device in (self.FromTorch("cuda:99"), 99, [99]):
            with pytest.raises(merklize.Unavailable) as caught:
                merklize.hash(b"abc", device=device)
            with pytest.raises(merklize.Unavailable) as named:
                merklize.hash(b"abc", device="cuda:99")
            assert str(caught.value) == str(named.value)

    @pytest.mark.parametrize("value", [None, True, 1.5, b"cpu", object(), ["cpu", None]])
    def test_others(self, value):
        for call in (
            lambda: merklize.hash(b"", device=value),
            lambda: merklize.MerkleTree(LEAVES, device=value),
            lambda: merklize.Hasher(device=value),
        ):
            with pytest.raises(TypeError, match=r"device must be an id of devices\(\)"):
                call()

    def test_a_number_below_0(self):
        with pytest.raises(merklize.InvalidArgument, match=r"hash: device must be 0 to 2\^64 - 1, got -1"):
            merklize.hash(b"", device=-1)

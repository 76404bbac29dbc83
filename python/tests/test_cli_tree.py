"""`merklize tree`: every sub-command, and what it refuses."""

from __future__ import annotations

import base64
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import merklize as library
from cli_helpers import COMMAND, merklize, output
from oracle import pattern
from waiting import HANG, eventually

# Leaves are the first 32 * 1024 bytes of the extendable output of "leaves".
KNOWN_ROOT = "a10cdf376affe2cf843d72b664faa33e37ed4e3d01e3dea214850fa7679879f4"


def test_build_agrees_with_the_definition(folder: Path, root: str) -> None:
    data = (folder / "data").read_bytes()
    level = [library.hash(data[i : i + 1000]) for i in range(0, 64000, 1000)]
    while len(level) > 1:
        level = [library.hash(level[i] + level[i + 1]) for i in range(0, len(level), 2)]
    assert root == level[0].hex()


def test_root(folder: Path, root: str) -> None:
    assert output("tree", "build", "data", "--leaf-size", "1000", cwd=folder) == f"{root}\n"
    assert output("tree", "root", "tree", cwd=folder) == f"{root}\n"
    assert json.loads(output("tree", "root", "tree", "--json", cwd=folder)) == {"file": "tree", "root": root}


def test_leaf_size_with_unit(folder: Path) -> None:
    with open(folder / "data", "ab") as file:
        file.write(bytes(1536))  # 64 KiB in all
    plain = output("tree", "build", "data", "--leaf-size", "4096", cwd=folder)
    for text in ("4K", "4k", "4KiB", "4 KB"):
        assert output("tree", "build", "data", "--leaf-size", text, cwd=folder) == plain


def test_build_json(folder: Path, root: str) -> None:
    found = json.loads(output("tree", "build", "data", "--leaf-size", "1000", "-o", "out", "--json", cwd=folder))
    expected = {"file": "data", "root": root, "n_leaves": 64, "leaf_size": 1000, "hash": "blake3"}
    assert found == expected | {"rule": "left_full", "tree": "out"}


def test_info(folder: Path, root: str) -> None:
    found = json.loads(output("tree", "info", "tree", "--json", cwd=folder))
    assert (found["root"], found["n_leaves"], found["height"], found["leaf_size"]) == (root, 64, 6, 1000)
    assert root in output("tree", "info", "tree", cwd=folder)


@pytest.mark.parametrize("form", [[], ["--binary"]])
def test_prove_and_verify(folder: Path, root: str, form: list[str]) -> None:
    output("tree", "prove", "tree", "5", *form, "-o", "proof", cwd=folder)
    (folder / "piece").write_bytes((folder / "data").read_bytes()[5000:6000])
    known = ["--leaf-file", "piece", "--index", "5", "--n-leaves", "64", "--hash", "blake3"]
    assert output("tree", "verify", "proof", "--root", root, cwd=folder) == "valid: leaf 5 of 64, blake3\n"
    for text in (root.upper(), f"0x{root}", f"0X{root.upper()}"):
        assert output("tree", "verify", "proof", "--root", text, *known, cwd=folder).startswith("valid")
    found = json.loads(output("tree", "verify", "proof", "--root", root, "--json", cwd=folder))
    assert (found["valid"], found["wrong"], found["index"]) == (True, [], 5)

    proof = merklize("tree", "prove", "tree", "5", *form, cwd=folder).stdout
    assert proof == (folder / "proof").read_bytes()
    assert output("tree", "verify", "-", "--root", root, stdin=proof).startswith("valid")


@pytest.mark.parametrize(
    ("flags", "wrong"),
    [
        (["--index", "6"], ["index"]),
        (["--n-leaves", "32"], ["n_leaves"]),
        (["--hash", "rp64_256"], ["hash"]),
        (["--piece", "data"], ["leaf"]),
        (["--index", "6", "--n-leaves", "1"], ["index", "n_leaves"]),
    ],
)
def test_verify_compares_what_the_user_knows(folder: Path, root: str, flags: list[str], wrong: list[str]) -> None:
    output("tree", "prove", "tree", "5", "-o", "proof", cwd=folder)
    done = merklize("tree", "verify", "proof", "--root", root, *flags, "--json", cwd=folder)
    assert done.returncode == 1
    assert json.loads(done.stdout)["wrong"] == wrong


def test_tampered_proofs_fail(folder: Path, root: str) -> None:
    good = merklize("tree", "prove", "tree", "5", "--binary", cwd=folder).stdout
    for position in (8, 16, 24, 56, len(good) - 1):  # counts, leaf, first and last sibling
        bad = bytearray(good)
        bad[position] ^= 1
        done = merklize("tree", "verify", "-", "--root", root, stdin=bytes(bad))
        assert done.returncode == 1
        assert b"Traceback" not in done.stderr
    other = f"{int(root, 16) ^ 1:064x}"
    done = merklize("tree", "verify", "-", "--root", other, stdin=good)
    said = f"NOT valid: another root\n  the proof's: {root}\n  --root:      {other}\n"
    assert (done.returncode, done.stdout.decode()) == (1, said)
    done = merklize("tree", "verify", "-", "--root", other, "--json", stdin=good)
    assert json.loads(done.stdout)["computed_root"] == root
    several = merklize("tree", "prove", "tree", "5-7", cwd=folder).stdout
    assert merklize("tree", "verify", "-", "--root", other, stdin=several).stdout.decode() == said


def test_ctrl_c_says_what_is_kept(tmp_path: Path) -> None:
    (tmp_path / "data").touch()
    os.truncate(tmp_path / "data", 256 << 30)  # takes a minute to hash, and no space on the disk
    words = ("tree", "build", "data", "--leaf-size", "16M", "-o", "tree")
    with subprocess.Popen([COMMAND, *words], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        eventually((tmp_path / "tree.partial").exists)
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=HANG) == (
            b"",
            b"merklize: interrupted; tree.partial is kept, and the same command goes on from there\n",
        )
    assert process.returncode == 130


def test_a_build_that_fails_says_what_is_kept(tmp_path: Path) -> None:
    (tmp_path / "data").touch()
    os.truncate(tmp_path / "data", 256 << 30)
    words = ("tree", "build", "data", "--leaf-size", "16M", "-o", "tree")
    with subprocess.Popen([COMMAND, *words], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        eventually((tmp_path / "tree.partial").exists)
        os.truncate(tmp_path / "data", 1)
        _, said = process.communicate(timeout=HANG)
    assert process.returncode == 1
    assert said.startswith(b"merklize: data: shrank while being read")
    assert said.endswith(b"; tree.partial is kept, and a build of the same data goes on from there\n")
    (tmp_path / "tree.partial").write_bytes(b"somebody's own")
    said = merklize(*words, cwd=tmp_path).stderr
    assert said.endswith(b"it is not what a build of a tree left; move or remove it first\n")


def test_names_that_are_no_text_are_whole_in_json(tmp_path: Path) -> None:
    (tmp_path / "data").write_bytes(bytes(3000))
    for name in (b"i\xff", b"t\xff", b"o\xff"):
        (tmp_path / os.fsdecode(name)).write_bytes(bytes(3000))
    build = ("tree", "build", b"i\xff", "--leaf-size", "1000", "--json")
    calls: dict[tuple[str | bytes, ...], dict[str, bytes]] = {
        build: {"file": b"i\xff"},
        (*build, "-o", b"t\xff"): {"file": b"i\xff", "tree": b"t\xff"},
        ("tree", "build", b"i\xff", "--format", "fs_verity", "--json"): {"file": b"i\xff"},
        ("tree", "root", b"t\xff", "--json"): {"file": b"t\xff"},
        ("tree", "info", b"t\xff", "--json"): {"file": b"t\xff"},
        ("tree", "check", b"t\xff", b"i\xff", "--json"): {"file": b"t\xff", "input": b"i\xff"},
        ("tree", "diff", b"t\xff", b"t\xff", "--json"): {"old": b"t\xff", "new": b"t\xff"},
        ("tree", "append", b"t\xff", b"i\xff", "--json"): {"tree": b"t\xff"},
        ("bao", "outboard", b"i\xff", "-o", b"o\xff", "--json"): {"file": b"i\xff", "output": b"o\xff"},
        ("bao", "verify", b"i\xff", "--outboard", b"o\xff", "--root", library.hash(bytes(3000)).hex(), "--json"): {
            "file": b"i\xff"
        },
    }
    for words, names in calls.items():
        facts = json.loads(output(*words, cwd=tmp_path))
        for key, name in names.items():
            assert facts[key] == name.decode(errors="replace"), words
            assert bytes.fromhex(facts[f"{key}_hex"]) == name, words
    assert "file_hex" not in json.loads(output("tree", "build", "data", "--leaf-size", "1000", "--json", cwd=tmp_path))


@pytest.mark.parametrize("data", [b"", b"{}", b"[1]", b"null", b"MKZP", b"\xff" * 100, b"{" * 60000, b" " * 70000])
def test_what_is_no_proof_fails_in_one_line(data: bytes) -> None:
    done = merklize("tree", "verify", "-", "--root", KNOWN_ROOT, stdin=data)
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.startswith(b"merklize: -: not a proof: ")
    assert done.stderr.count(b"\n") == 1


def test_leaves_from_a_file(folder: Path) -> None:
    leaves = library.hash(b"leaves", length=32 * 1024)
    (folder / "leaves").write_bytes(leaves)
    assert output("tree", "build", "leaves", "--leaves", cwd=folder) == f"{KNOWN_ROOT}\n"
    (folder / "fields").write_bytes(bytes(b & 127 if i % 8 == 7 else b for i, b in enumerate(leaves)))
    # Computed with plain Python integers, like the roots of `merklize demo`.
    root = "aba56d32c3c07d0043250c259c78e39c5eb37baabce41243894b9211eb3f7982"
    build = ["tree", "build", "fields", "--leaves", "--hash", "rp64_256", "-o", "tree"]
    assert output(*build, cwd=folder) == f"{root}\n"
    proof = merklize("tree", "prove", "tree", "1023", cwd=folder).stdout
    verified = output("tree", "verify", "-", "--root", root, "--hash", "rp64_256", stdin=proof)
    assert verified == "valid: leaf 1023 of 1024, rp64_256_v3\n"

    (folder / "large").write_bytes(b"\xff" * 64)
    (folder / "odd").write_bytes(bytes(65))
    for bad in ("large", "odd"):
        done = merklize("tree", "build", bad, "--leaves", "--hash", "rp64_256", cwd=folder)
        assert (done.returncode, done.stdout) == (1, b"")
        assert done.stderr.count(b"\n") == 1


@pytest.mark.parametrize("rule", ["left_full", "promote", "pad", "duplicate_last", None])
def test_any_count_by_a_rule(folder: Path, rule: str | None) -> None:
    flags = ["--rule", rule] if rule else []
    build = ["tree", "build", "data", "--leaf-size", "999", *flags]
    root = output(*build, cwd=folder).strip()
    assert root == library.MerkleTree.from_file(folder / "data", 999, rule=rule).root.hex()
    assert output(*build, "-o", "tree", cwd=folder) == f"{root}\n"
    assert json.loads(output("tree", "info", "tree", "--json", cwd=folder))["n_leaves"] == 65
    output("tree", "prove", "tree", "64", "-o", "proof", cwd=folder)
    assert output("tree", "verify", "proof", "--root", root, *flags, cwd=folder) == "valid: leaf 64 of 65, blake3\n"
    refused = merklize(*build[:5], "--rule", "perfect", cwd=folder)
    assert (refused.returncode, refused.stdout) == (1, b"")
    assert b"power of two" in refused.stderr


def test_rows(folder: Path) -> None:
    rows = np.frombuffer((folder / "data").read_bytes(), np.uint8).reshape(64, 1000)
    expected = library.MerkleTree.from_rows(rows).root.hex()
    assert output("tree", "build", "data", "--row-size", "1000", cwd=folder) == f"{expected}\n"
    found = json.loads(output("tree", "build", "data", "--row-size", "1000", "-o", "tree", "--json", cwd=folder))
    assert (found["root"], found["row_size"], found["n_leaves"]) == (expected, 1000, 64)
    done = merklize("tree", "build", "data", "--row-size", "999", cwd=folder)
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"64000 bytes are not a whole count of rows of 999 bytes" in done.stderr


@pytest.mark.parametrize("hash_name", library.HASHES)
def test_pipes(folder: Path, hash_name: str) -> None:
    data = bytes(b & 63 for b in (folder / "data").read_bytes())
    (folder / "low").write_bytes(data)  # words below 2^62, and of 32 bits below 2^30: field elements
    build = ["--leaf-size", "800", "--hash", hash_name, "--rule", "left_full"]
    root = output("tree", "build", "low", *build, cwd=folder)
    assert output("tree", "build", "-", *build, stdin=data, cwd=folder) == root
    assert output("tree", "build", "-", *build, "-o", "tree", stdin=data, cwd=folder) == root
    assert output("tree", "build", "low", *build, "-o", "tree2", cwd=folder) == root
    leaves = merklize("tree", "export", "tree", "--raw", cwd=folder).stdout
    assert len(leaves) == 32 * 80
    again = ["tree", "build", "-", "--leaves", "--hash", hash_name, "--rule", "left_full"]
    assert output(*again, stdin=leaves, cwd=folder) == root


def test_keyed(folder: Path) -> None:
    key = bytes(range(32))
    root = output("tree", "build", "data", "--leaf-size", "1000", "--keyed", "-o", "tree", stdin=key, cwd=folder)
    assert root.strip() == library.MerkleTree.from_file(folder / "data", 1000, key=key).root.hex()
    output("tree", "prove", "tree", "5", "-o", "proof", cwd=folder)
    verify = ["tree", "verify", "proof", "--root", root.strip()]
    assert output(*verify, "--keyed", stdin=key, cwd=folder).startswith("valid")
    assert merklize(*verify, cwd=folder).returncode == 1
    # A key of blake2s alone, for a proof that claims blake3, and with the file of a leaf: not valid.
    for leaf_file in ([], ["--leaf-file", "data"]):
        done = merklize(*verify, *leaf_file, "--keyed", stdin=key[:16], cwd=folder)
        assert (done.returncode, done.stdout[:9]) == (1, b"NOT valid")
    assert b"1 to 32 bytes; there are 0" in merklize(*verify, "--keyed", stdin=b"", cwd=folder).stderr
    assert output("tree", "check", "tree", "--keyed", stdin=key, cwd=folder).startswith("every")
    done = merklize("tree", "check", "tree", cwd=folder)
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"needs --keyed" in done.stderr


@pytest.mark.parametrize("form", [[], ["--binary"]])
def test_several_leaves(folder: Path, root: str, form: list[str]) -> None:
    output("tree", "prove", "tree", "3", "60-63", "7", *form, "-o", "proof", cwd=folder)
    assert output("tree", "verify", "proof", "--root", root, cwd=folder) == "valid: 6 leaves of 64, blake3\n"
    found = json.loads(output("tree", "verify", "proof", "--root", root, "--json", cwd=folder))
    assert (found["valid"], found["indices"]) == (True, [3, 7, 60, 61, 62, 63])
    other = f"{int(root, 16) ^ 1:064x}"
    assert merklize("tree", "verify", "proof", "--root", other, cwd=folder).returncode == 1


def test_update(folder: Path, root: str) -> None:
    data = bytearray((folder / "data").read_bytes())
    data[5000] ^= 1
    data[63999] ^= 1
    (folder / "data").write_bytes(data)
    expected = library.MerkleTree.from_file(folder / "data", 1000).root.hex()
    found = output("tree", "update", "tree", "5", "63", "--from", "data", cwd=folder)
    assert found.strip() == output("tree", "root", "tree", cwd=folder).strip() == expected != root
    leaf = library.hash(b"other").hex()
    found = json.loads(output("tree", "update", "tree", f"5={leaf}", "--json", cwd=folder))
    assert found["updated"] == 1
    assert json.loads(output("tree", "export", "tree", "--json", cwd=folder))["nodes"][5] == leaf


def test_append_and_growth(folder: Path, root: str) -> None:
    more = bytes(2500)
    expected = library.merkle_root(leaves_of((folder / "data").read_bytes() + more)).hex()
    found = json.loads(output("tree", "append", "tree", "-", "--json", stdin=more, cwd=folder))
    assert (found["root"], found["n_leaves"], found["appended"]) == (expected, 67, 3)
    output("tree", "prove", "tree", "--since", "64", "-o", "proof", cwd=folder)
    verify = ["tree", "verify", "proof", "--root", expected, "--old-root"]
    said = "valid: 67 leaves begin with the 64 of the old root, blake3\n"
    assert output(*verify, root, cwd=folder) == said
    done = merklize(*verify, expected, cwd=folder)
    assert (done.returncode, done.stdout) == (1, b"NOT valid: another root\n")


@pytest.mark.usefixtures("root")
def test_append_again(folder: Path) -> None:
    leaves = leaves_of((folder / "data").read_bytes())
    for more, size in [(bytes(3000), 67000), (b"x" * 1500, 68500), (b"y" * 1000, 0), (b"z", 0)]:
        (folder / "more").write_bytes(more)
        leaves = np.concatenate([leaves, leaves_of(more)])
        root = output("tree", "append", "tree", "more", cwd=folder).strip()
        assert root == library.merkle_root(leaves).hex()
        facts = json.loads(output("tree", "info", "tree", "--json", cwd=folder))
        assert (facts["n_leaves"], facts["leaf_size"], facts["file_size"]) == (len(leaves), 1000, size)
    pieces = "leaves  71, pieces of 1000 bytes\n"  # after a shorter piece, the leaves are not the pieces of one file
    assert pieces in output("tree", "info", "tree", cwd=folder)
    assert output("tree", "check", "tree", cwd=folder) == "every parent is the hash of its children\n"


def test_errors_show_no_escapes_of_a_terminal(folder: Path) -> None:
    (folder / "\x1b[31mred\r").write_bytes(b"no tree" * 100)
    for words, code in {("info", "\x1b[31mred\r"): 1, ("build", "data", "--leaves", "--hash", "\x1b[31m"): 2}.items():
        done = merklize("tree", *words, cwd=folder)
        assert (done.returncode, b"\x1b" in done.stderr, b"\r" in done.stderr) == (code, False, False)
        assert b"\\x1b[31m" in done.stderr


def leaves_of(data: bytes) -> np.ndarray:
    pieces = [library.hash(data[i : i + 1000]) for i in range(0, len(data), 1000)]
    return np.frombuffer(b"".join(pieces), np.uint8).reshape(-1, 32)


def test_export(folder: Path, root: str) -> None:
    lines = output("tree", "export", "tree", cwd=folder).splitlines()
    assert lines == [leaf.tobytes().hex() for leaf in leaves_of((folder / "data").read_bytes())]
    assert output("tree", "export", "tree", "--level", "6", cwd=folder) == f"{root}\n"
    output("tree", "export", "tree", "--level", "6", "--raw", "-o", "root", cwd=folder)
    assert (folder / "root").read_bytes().hex() == root


@pytest.mark.parametrize(("mode", "stdin"), [(["--keyed"], bytes(range(32))), (["--derive-key", "a tree"], b"")])
def test_proofs_of_padded_trees_with_a_key(folder: Path, mode: list[str], stdin: bytes) -> None:
    """Only a node of padding above the leaves needs the key. 28 leaves: level 2 has 7 nodes, so 24 to 27 need one."""
    output("tree", "build", "data", "--leaf-size", "2304", "--rule", "pad", *mode, "-o", "k", stdin=stdin, cwd=folder)
    root = output("tree", "root", "k", cwd=folder).strip()
    for words in (["10"], ["23"], ["0-23"], ["27"], ["3", "25"]):
        output("tree", "prove", "k", *words, *mode, "-o", "proof", stdin=stdin, cwd=folder)
        output("tree", "verify", "proof", "--root", root, *mode, stdin=stdin, cwd=folder)
        made = (folder / "proof").read_bytes()
        done = merklize("tree", "prove", "k", *words, cwd=folder)
        if words in (["27"], ["3", "25"]):
            assert (done.returncode, done.stdout) == (1, b"")
            assert b"its key or context must be given first" in done.stderr
        else:
            assert (done.returncode, done.stdout) == (0, made)
    output("tree", "build", "data", "--leaf-size", "1000", "-o", "plain", cwd=folder)
    wrong = merklize("tree", "prove", "plain", "1", *mode, stdin=stdin, cwd=folder)
    assert (wrong.returncode, wrong.stderr.count(b"has no key")) == (1, 1)


@pytest.mark.parametrize(
    "arguments",
    [
        ["build", "data"],
        ["build", "data", "--leaf-size", "0"],
        ["build", "data", "--leaf-size", "-1"],
        ["build", "data", "--leaf-size", "many"],
        ["build", "data", "--leaf-size", "1000", "--leaves"],
        ["build", "data", "--leaf-size", "1000", "--row-size", "1000"],
        ["build", "data", "--row-size", "0"],
        ["build", "data", "--leaf-size", "1001", "--hash", "rp64_256", "-o", "out"],
        ["build", "data", "--leaf-size", "1000", "-o", "out", "--timings"],
        ["build", "data", "--leaf-size", "1000", "--rule", "pad", "--padding", "12"],
        ["build", "-", "--leaf-size", "1000", "--keyed"],
        ["build", "data", "--leaf-size", "1000", "-o", "data"],
        ["prove", "tree", "-1"],
        ["prove", "tree", "x"],
        ["prove", "tree", "5-3"],
        ["prove", "tree"],
        ["prove", "tree", "1", "--since", "2"],
        ["update", "tree", "1"],
        ["update", "tree", "x=1"],
        ["update", "tree"],
        ["export", "tree", "--level", "7"],
        ["build", "data", "--leaf-size", "1000", "--device", "abacus:0"],
        ["build", "data", "--leaf-size", "1000", "--rule", "bitcoin"],
        ["build", "data", "--leaf-size", "1000", "--format", "zip"],
        ["build", "data", "--leaf-size", "1000", "--format", "bitcoin", "--rule", "pad"],
        ["build", "data", "--leaf-size", "1000", "--padding", "00" * 32],
        ["build", "data", "--leaves", "--hash", "md5"],
        ["verify", "proof", "--root", "00" * 32, "--hash", "md5"],
        ["verify", "proof", "--root", "00" * 32, "--rule", "bitcoin"],
        ["check", "tree", "--device", "abacus:0"],
        ["verify", "proof"],
        ["verify", "proof", "--root", "12"],
        ["verify", "proof", "--root", "g" * 64],
        ["nothing"],
    ],
)
@pytest.mark.usefixtures("root")
def test_wrong_usage(folder: Path, arguments: list[str]) -> None:
    before = (folder / "data").read_bytes()
    done = merklize("tree", *arguments, cwd=folder)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"Usage: merklize tree" in done.stderr
    assert (folder / "data").read_bytes() == before


@pytest.mark.parametrize(
    "arguments",
    [
        ["build", "missing", "--leaf-size", "1"],
        ["build", ".", "--leaf-size", "1"],
        ["build", "data", "--leaf-size", "1000", "-o", "no/such/folder"],
        ["build", "empty", "--leaves"],
        ["root", "missing"],
        ["root", "data"],
        ["prove", "tree", "64"],
        ["prove", "tree", "1", "64"],
        ["prove", "tree", "--since", "65"],
        ["prove", "data", "0"],
        ["check", "data"],
        ["update", "tree", "64=" + "0" * 64],
        ["append", "data", "data"],
        ["info", "data"],
        ["info", "empty"],
        ["verify", "missing", "--root", KNOWN_ROOT],
    ],
)
@pytest.mark.usefixtures("root")
def test_failures_are_one_line(folder: Path, arguments: list[str]) -> None:
    (folder / "empty").touch()
    done = merklize("tree", *arguments, cwd=folder)
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.startswith(b"merklize: ")
    assert done.stderr.count(b"\n") == 1


def test_device_policy_and_times(folder: Path, root: str, device: str) -> None:
    settings = ["--leaf-size", "1000", "--device", device, "--policy", "levels_per_launch=2"]
    assert output("tree", "build", "data", *settings, cwd=folder) == f"{root}\n"
    done = merklize("tree", "build", "data", *settings, "--timings", cwd=folder)
    assert (done.returncode, done.stdout.decode()) == (0, f"{root}\n")
    assert done.stderr.startswith(b"merklize: times: " + (b"none" if device == "cpu" else b"kernel "))
    found = json.loads(output("tree", "build", "data", *settings, "--timings", "--json", cwd=folder))
    assert (found["root"], found["device"], found["policy"]["levels_per_launch"]) == (root, device, 2)
    assert (found["timings"] is None) == (device == "cpu")
    output("tree", "build", "data", "--leaf-size", "1000", "--device", device, "-o", "out", cwd=folder)
    assert (folder / "out").read_bytes() == (folder / "tree").read_bytes()


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    leaves = np.frombuffer(pattern(32 * 1000), np.uint8).reshape(-1, 32)
    library.MerkleTree(leaves).save(tmp_path / "t.mkl")
    return tmp_path


@pytest.mark.parametrize("words", [["prove", "t.mkl", "3"], ["export", "t.mkl"], ["build", "--leaves", "t.mkl"]])
def test_an_empty_name_of_the_output(saved: Path, words: list[str]) -> None:
    done = merklize("tree", *words, "-o", "", cwd=saved)
    assert done.returncode == 2
    assert b"-o: the name of the file is empty" in done.stderr


@pytest.mark.parametrize("words", [["prove", "t.mkl", "3"], ["export", "t.mkl"]])
def test_output_that_cannot_be_written(saved: Path, words: list[str]) -> None:
    done = merklize("tree", *words, "-o", "/dev/full", cwd=saved)
    assert (done.returncode, done.stderr) == (1, b"merklize: /dev/full: cannot write: No space left on device\n")
    done = merklize("tree", *words, "-o", "none/p", cwd=saved)
    assert (done.returncode, done.stderr) == (1, b"merklize: none/p: cannot write: No such file or directory\n")
    done = merklize("tree", *words, "-o", ".", cwd=saved)
    assert (done.returncode, done.stderr) == (1, b"merklize: .: cannot write: Is a directory\n")


@pytest.mark.parametrize("words", [["prove", "t.mkl", "0-400"], ["export", "t.mkl"]])
@pytest.mark.parametrize("old", [None, b"old"])
def test_a_full_disk_leaves_no_half_output(saved: Path, words: list[str], old: bytes | None) -> None:
    """The limit of a file's size stands for a small disk."""
    if old:
        (saved / "out").write_bytes(old)
    limit = "import os, resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)); "
    limit += "os.execv(sys.argv[1], sys.argv[1:])"
    words = ["tree", *words, "-o", "out"]
    done = subprocess.run(
        [sys.executable, "-c", limit, COMMAND, *words], capture_output=True, cwd=saved, timeout=HANG, check=False
    )
    assert (done.returncode, done.stderr) == (1, b"merklize: out: cannot write: File too large\n")
    assert sorted(os.listdir(saved)) == (["out", "t.mkl"] if old else ["t.mkl"])
    assert not old or (saved / "out").read_bytes() == old
    assert merklize(*words, cwd=saved).returncode == 0
    assert sorted(os.listdir(saved)) == ["out", "t.mkl"]


def test_output_to_a_pipe_and_with_permissions(saved: Path) -> None:
    (saved / "out").write_bytes(b"old")
    (saved / "out").chmod(0o640)
    (saved / "link").symlink_to("out")
    proof = output("tree", "prove", "t.mkl", "3", cwd=saved)
    assert output("tree", "prove", "t.mkl", "3", "-o", "link", cwd=saved) == ""
    assert (saved / "link").is_symlink()
    assert ((saved / "out").read_text(), (saved / "out").stat().st_mode & 0o777) == (proof, 0o640)
    assert output("tree", "prove", "t.mkl", "3", "-o", "/dev/stdout", cwd=saved) == proof


@pytest.mark.parametrize("policy", ["levels_per_launch=99", "levels_per_launch= 1_0", "group_size=+64"])
def test_a_policy_that_no_device_takes(saved: Path, policy: str) -> None:
    done = merklize("tree", "build", "t.mkl", "--leaf-size", "32", "--policy", policy, cwd=saved)
    assert done.returncode == 2
    assert b"must be" in done.stderr


def test_show(folder: Path, root: str) -> None:
    tree = library.TreeFile(folder / "tree")
    lines = output("tree", "show", "tree", "5", "--levels", "2", cwd=folder).splitlines()
    top = [
        ("", 6, 0),
        ("├─ ", 5, 0),
        ("│  ├─ ", 4, 0),
        ("│  └─ ", 4, 1),
        ("└─ ", 5, 1),
        ("   ├─ ", 4, 2),
        ("   └─ ", 4, 3),
    ]
    for shown, (branch, level, index) in zip(lines, top, strict=False):
        digest = bytes(tree.level(level)[index]).hex()
        mark = "*" if 5 >> level == index else " "
        ending = ", the root" if level == 6 else ""
        assert shown == f"{branch}{digest[:16]} {mark} level {level}, node {index}{ending}"
    path = lines[len(top) + 2 :]
    assert len(path) == 13
    assert path[-1] == f"* {root[:16]}  level 6, node 0"
    nodes = [bytes(tree.level(k)[5 >> k]).hex() for k in range(7)]
    assert [line[2:18] for line in path if line[0] == "*"] == [node[:16] for node in nodes]
    assert all(len(line) <= 80 for line in lines)

    found = json.loads(output("tree", "show", "tree", "5", "--json", cwd=folder))
    assert [len(level) for level in found["top"]] == [1, 2, 4, 8]
    assert found["path"] == nodes


@pytest.mark.parametrize(
    ("words", "says"),
    [(["64"], "below the 64 leaves, not '64'"), (["x"], "not 'x'"), (["--levels", "7"], "--levels must be 0 to 6")],
)
def test_show_refuses(folder: Path, root: str, words: list[str], says: str) -> None:
    assert root
    done = merklize("tree", "show", "tree", *words, cwd=folder)
    assert (done.returncode, done.stdout) == (2, b"")
    assert says in done.stderr.decode()


def test_show_as_the_page_of_the_package(folder: Path, root: str) -> None:
    """The package has the page if a compiler for WebAssembly was there when it was built."""
    done = merklize("tree", "show", "tree", "5", "--html", "tree.html", cwd=folder)
    if b"the page is not installed" in done.stderr and "MERKLIZE_REQUIRE_RUNTIMES" not in os.environ:
        pytest.skip(done.stderr.decode())
    assert (done.returncode, done.stderr) == (0, b"")
    text = (folder / "tree.html").read_text()
    assert text.startswith("<!doctype html>")
    assert "const hashesWasm = '" in text  # the package for browsers, too
    data = text.partition('<script id="data" type="application/json">')[2].partition("</script>")[0]
    assert base64.b64decode(json.loads(data)["tree"]) == (folder / "tree").read_bytes()
    assert root


def test_show_without_a_page(folder: Path, root: str) -> None:
    """A program without the page says how to get it."""
    (folder / "bin").mkdir()
    program = shutil.copy(COMMAND, folder / "bin/merklize")
    done = subprocess.run([program, "tree", "show", "tree", "--html", "out"], cwd=folder, capture_output=True)
    assert (done.returncode, done.stdout) == (1, b"")
    said = done.stderr.decode()
    assert f"the page is not installed ({folder}/share/merklize/verify.html)" in said
    assert "clang and lld were missing. Install both and reinstall merklize" in said
    assert "pass --page build/web/verify.html, or set MERKLIZE_PAGE" in said
    assert not (folder / "out").exists()
    assert root


@pytest.mark.parametrize("compiler", ["/nothing", shutil.which("false")])
def test_no_compiler_for_the_page(tmp_path: Path, compiler: str) -> None:
    """`pip install` goes on without the page; `make wasm` fails."""
    build = Path(__file__).parents[2] / "web/build.py"
    tools = {"WASM_CXX": compiler, "WASM_LD": compiler}
    words = [sys.executable, build, "--out", tmp_path / "web"]
    done = subprocess.run([*words, "--optional"], env=os.environ | tools, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("without the page of `merklize tree show --html`: ")
    assert compiler in done.stdout
    assert not (tmp_path / "web/verify.html").exists()
    assert subprocess.run(words, env=os.environ | tools, capture_output=True).returncode == 1


def test_show_as_a_page(folder: Path, root: str) -> None:
    place = '<script id="data" type="application/json">%s</script>'
    (folder / "page").write_text(f"<p>null</p>{place % 'null'}<p>after")
    output("tree", "show", "tree", "5", "--html", "tree.html", "--page", "page", cwd=folder)
    text = (folder / "tree.html").read_text()
    before, _, rest = text.partition(place.partition("%s")[0])
    data, _, after = rest.partition("</script>")
    assert (before, after) == ("<p>null</p>", "<p>after")
    inside = json.loads(data)
    assert (inside["name"], inside["leaf"]) == ("tree", 5)
    assert base64.b64decode(inside["tree"]) == (folder / "tree").read_bytes()

    (folder / "many").write_bytes(bytes(32 << 18))
    output("tree", "build", "many", "--leaves", "-o", "many.mkl", cwd=folder)
    output("tree", "show", "many.mkl", "7", "--html", "many.html", "--page", "page", cwd=folder)
    inside = json.loads((folder / "many.html").read_text().partition('json">')[2].partition("</script>")[0])
    assert library.verify(json.dumps(inside["proof"]), bytes.fromhex(inside["root"]), index=7)

    (folder / "other").write_text("no page")
    done = merklize("tree", "show", "tree", "--html", "no.html", "--page", "other", cwd=folder)
    assert done.returncode == 1
    assert b"not the page" in done.stderr
    assert not (folder / "no.html").exists()
    assert root

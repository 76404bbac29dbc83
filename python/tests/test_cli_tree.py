"""`merklize tree`: build, root, prove, verify, info, and what they refuse."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import merklize as library
from cli_helpers import merklize, output

# Leaves are the first 32 * 1024 bytes of the extendable output of "leaves".
KNOWN_ROOT = "a10cdf376affe2cf843d72b664faa33e37ed4e3d01e3dea214850fa7679879f4"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "data").write_bytes(bytes(range(256)) * 250)  # 64000 bytes
    return tmp_path


@pytest.fixture
def root(folder: Path) -> str:
    """That of the tree over `data` with leaves of 1000 bytes, saved as `tree`."""
    return output("tree", "build", "data", "--leaf-size", "1000", "-o", "tree", cwd=folder).strip()


def test_build_agrees_with_the_definition(folder: Path, root: str) -> None:
    data = (folder / "data").read_bytes()
    level = [library.hash(data[i : i + 1000]) for i in range(0, 64000, 1000)]
    while len(level) > 1:
        level = [library.hash(level[i] + level[i + 1]) for i in range(0, len(level), 2)]
    assert root == level[0].hex()


def test_root(folder: Path, root: str) -> None:
    assert output("tree", "root", "data", "--leaf-size", "1000", cwd=folder) == f"{root}\n"
    assert output("tree", "root", "tree", cwd=folder) == f"{root}\n"


def test_leaf_size_with_unit(folder: Path) -> None:
    with open(folder / "data", "ab") as file:
        file.write(bytes(1536))  # 64 KiB in all
    plain = output("tree", "root", "data", "--leaf-size", "4096", cwd=folder)
    for text in ("4K", "4k", "4KiB", "4 KB"):
        assert output("tree", "root", "data", "--leaf-size", text, cwd=folder) == plain


def test_build_json(folder: Path, root: str) -> None:
    found = json.loads(output("tree", "build", "data", "--leaf-size", "1000", "-o", "out", "--json", cwd=folder))
    expected = {"file": "data", "root": root, "n_leaves": 64, "leaf_size": 1000, "hash": "blake3", "tree": "out"}
    assert found == expected


def test_info(folder: Path, root: str) -> None:
    found = json.loads(output("tree", "info", "tree", "--json", cwd=folder))
    assert (found["root"], found["n_leaves"], found["height"], found["leaf_size"]) == (root, 64, 6, 1000)
    text = output("tree", "info", "--check", "tree", cwd=folder)
    assert root in text
    assert "check   every parent" in text


def test_info_check_finds_a_changed_node(folder: Path, root: str) -> None:
    content = bytearray((folder / "tree").read_bytes())
    content[-32 * 64 - 1] ^= 1
    (folder / "tree").write_bytes(content)
    assert merklize("tree", "info", "tree", cwd=folder).returncode == 0
    done = merklize("tree", "info", "--check", "tree", cwd=folder)
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"node" in done.stderr


@pytest.mark.parametrize("form", [[], ["--binary"]])
def test_prove_and_verify(folder: Path, root: str, form: list[str]) -> None:
    output("tree", "prove", "tree", "5", *form, "-o", "proof", cwd=folder)
    (folder / "piece").write_bytes((folder / "data").read_bytes()[5000:6000])
    known = ["--leaf-file", "piece", "--index", "5", "--n-leaves", "64", "--hash", "blake3"]
    assert output("tree", "verify", "proof", "--root", root, cwd=folder) == "valid: leaf 5 of 64, blake3\n"
    assert output("tree", "verify", "proof", "--root", root.upper(), *known, cwd=folder).startswith("valid")
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
    for position in (8, 16, 24, 56, len(good) - 1):  # index, n_leaves, leaf, first and last sibling
        bad = bytearray(good)
        bad[position] ^= 1
        done = merklize("tree", "verify", "-", "--root", root, stdin=bytes(bad))
        assert done.returncode == 1
        assert b"Traceback" not in done.stderr
    other = f"{int(root, 16) ^ 1:064x}"
    done = merklize("tree", "verify", "-", "--root", other, stdin=good)
    assert (done.returncode, done.stdout) == (1, b"NOT valid: another root\n")


@pytest.mark.parametrize("data", [b"", b"{}", b"[1]", b"null", b"MKZP", b"\xff" * 100, b"{" * 60000, b" " * 70000])
def test_what_is_no_proof_fails_in_one_line(data: bytes) -> None:
    done = merklize("tree", "verify", "-", "--root", KNOWN_ROOT, stdin=data)
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.startswith(b"merklize: -: not a proof: ")
    assert done.stderr.count(b"\n") == 1


def test_digests_as_leaves(folder: Path) -> None:
    leaves = library.hash(b"leaves", length=32 * 1024)
    (folder / "leaves").write_bytes(leaves)
    assert output("tree", "build", "leaves", "--digests", cwd=folder) == f"{KNOWN_ROOT}\n"
    (folder / "fields").write_bytes(bytes(b & 127 if i % 8 == 7 else b for i, b in enumerate(leaves)))
    # By plain Python integers, as the roots in merklize.cli.demo.
    root = "aba56d32c3c07d0043250c259c78e39c5eb37baabce41243894b9211eb3f7982"
    build = ["tree", "build", "fields", "--digests", "--hash", "rp64_256", "-o", "tree"]
    assert output(*build, cwd=folder) == f"{root}\n"
    proof = merklize("tree", "prove", "tree", "1023", cwd=folder).stdout
    verified = output("tree", "verify", "-", "--root", root, "--hash", "rp64_256", stdin=proof)
    assert verified == "valid: leaf 1023 of 1024, rp64_256_v3\n"

    (folder / "large").write_bytes(b"\xff" * 64)
    (folder / "odd").write_bytes(bytes(65))
    for bad in ("large", "odd"):
        done = merklize("tree", "build", bad, "--digests", "--hash", "rp64_256", cwd=folder)
        assert (done.returncode, done.stdout) == (1, b"")
        assert done.stderr.count(b"\n") == 1


def test_a_count_that_is_no_power_of_two_gets_a_hint_that_works(folder: Path) -> None:
    done = merklize("tree", "build", "data", "--leaf-size", "1024", cwd=folder)
    assert done.returncode == 1
    assert done.stderr.count(b"\n") == 1
    text = done.stderr.decode()
    assert "63 leaves" in text
    hint = text.split("--leaf-size ")[1].split()[0]
    assert json.loads(output("tree", "build", "data", "--leaf-size", hint, "--json", cwd=folder))["n_leaves"] == 64


@pytest.mark.parametrize(
    "arguments",
    [
        ["build", "data"],
        ["build", "data", "--leaf-size", "0"],
        ["build", "data", "--leaf-size", "-1"],
        ["build", "data", "--leaf-size", "many"],
        ["build", "data", "--leaf-size", "1000", "--digests"],
        ["build", "data", "--leaf-size", "1000", "--hash", "rp64_256"],
        ["build", "data", "--leaf-size", "1000", "-o", "data"],
        ["prove", "tree", "-1"],
        ["prove", "tree", "x"],
        ["verify", "proof"],
        ["verify", "proof", "--root", "12"],
        ["verify", "proof", "--root", "g" * 64],
        ["nothing"],
    ],
)
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
        ["build", "data", "--leaf-size", "1000", "--device", "abacus:0"],
        ["build", "data", "--leaf-size", "1M"],
        ["build", "empty", "--leaf-size", "1"],
        ["build", "empty", "--digests"],
        ["build", "data", "--digests", "--hash", "md5"],
        ["root", "missing"],
        ["root", "data"],
        ["prove", "tree", "64"],
        ["prove", "data", "0"],
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
    for command in ("build", "root"):
        done = merklize("tree", command, "data", *settings, "--timings", cwd=folder)
        assert (done.returncode, done.stdout.decode()) == (0, f"{root}\n")
        assert done.stderr.startswith(b"merklize: times: " + (b"none" if device == "cpu" else b"kernel "))
    found = json.loads(output("tree", "build", "data", *settings, "--timings", "--json", "-o", "out", cwd=folder))
    assert (found["root"], found["device"], found["policy"]["levels_per_launch"]) == (root, device, 2)
    assert (found["timings"] is None) == (device == "cpu")
    assert (folder / "out").read_bytes() == (folder / "tree").read_bytes()


def test_a_root_that_is_only_read_has_no_times(folder: Path, root: str) -> None:
    assert root
    for flags in (["--timings"], ["--policy", "group_size=32"]):
        done = merklize("tree", "root", "tree", *flags, cwd=folder)
        assert (done.returncode, done.stdout) == (2, b"")
        assert b"need --leaf-size" in done.stderr

"""`merklize hash --check`: its own lists, b3sum's lists, and lists that are wrong."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import judges
from cli_helpers import b3sum, merklize, output

ABC = "6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85"
OTHER = ABC.replace("6", "7", 1)
NAMES = ["a", "b c", "n\nl", "b\\s", "c\rr", "\u00fc", "BLAKE3 (x) = y"]
SHOWN = ["a", "b c", "\\n\\nl", "\\b\\\\s", "\\c\\rr", "\u00fc", "BLAKE3 (x) = y"]
needs_b3sum = judges.needs("b3sum")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in NAMES:
        (tmp_path / name).write_bytes(b"abc" if name == "a" else name.encode())
    return tmp_path


@pytest.mark.parametrize("flags", [[], ["--tag"]])
def test_round_trip(folder: Path, flags: list[str]) -> None:
    (folder / "list").write_text(output("hash", *flags, *NAMES, cwd=folder), newline="")
    assert output("hash", "--check", "list", cwd=folder) == "".join(f"{name}: OK\n" for name in SHOWN)
    assert output("hash", "--check", "--quiet", "list", cwd=folder) == ""
    listed = (folder / "list").read_bytes()
    assert output("hash", "-c", stdin=listed, cwd=folder) == "".join(f"{name}: OK\n" for name in SHOWN)


@pytest.mark.parametrize("flags", [["--derive-key", "ctx"], ["-l", "40"], ["--seek", "9"]])
def test_round_trip_of_other_digests(folder: Path, flags: list[str]) -> None:
    (folder / "list").write_text(output("hash", *flags, "a", "b c", cwd=folder))
    assert output("hash", "--check", *flags, "list", cwd=folder) == "a: OK\nb c: OK\n"
    assert merklize("hash", "--check", "list", cwd=folder).returncode == 1


def test_round_trip_with_a_key(folder: Path) -> None:
    key = b"k" * 32
    (folder / "list").write_text(output("hash", "--keyed", "a", stdin=key, cwd=folder))
    assert output("hash", "--check", "--keyed", "list", stdin=key, cwd=folder) == "a: OK\n"
    done = merklize("hash", "--check", "--keyed", "list", stdin=b"j" * 32, cwd=folder)
    assert (done.returncode, done.stdout) == (1, b"a: FAILED\n")


def test_failures(folder: Path) -> None:
    (folder / "list").write_text(f"{OTHER}  a\n{ABC}  missing\n{ABC}  a\n{OTHER}  b c\n")
    done = merklize("hash", "--check", "list", cwd=folder)
    lines = done.stdout.decode().splitlines()
    assert lines[0] == "a: FAILED"
    assert lines[1].startswith("missing: FAILED (")
    assert lines[1].endswith("No such file or directory)")
    assert lines[2:] == ["a: OK", "b c: FAILED"]
    assert done.stderr.decode().splitlines() == [
        "merklize: WARNING: 1 listed file could not be read",
        "merklize: WARNING: 2 computed checksums did NOT match",
    ]
    assert done.returncode == 1
    quiet = merklize("hash", "--check", "--quiet", "list", cwd=folder)
    assert quiet.stdout.decode().splitlines() == [lines[0], lines[1], lines[3]]


def test_one_failure_is_singular(folder: Path) -> None:
    done = merklize("hash", "--check", stdin=f"{OTHER}  a\n".encode(), cwd=folder)
    assert done.stderr == b"merklize: WARNING: 1 computed checksum did NOT match\n"


def test_improper_lines_are_failures(folder: Path) -> None:
    listed = f"\n{ABC}  a\nnonsense\n".encode() + b"\xff\xfe\n" + f"{ABC.upper()}  a\n{ABC}  a".encode()
    done = merklize("hash", "--check", stdin=listed, cwd=folder)
    assert done.returncode == 1
    assert done.stdout == b"a: OK\na: OK\n"
    errors = done.stderr.decode().splitlines()
    assert [error.split(": ")[1] for error in errors[:-1]] == ["-:3", "-:4", "-:5"]
    assert errors[-1] == "merklize: WARNING: 3 lines are improperly formatted"


def test_overlong_lines_fail_and_are_not_held(folder: Path) -> None:
    listed = f"{ABC}  {'a' * (3 << 20)}\n{ABC}  a\n".encode()
    done = merklize("hash", "--check", stdin=listed, cwd=folder)
    assert done.returncode == 1
    assert done.stdout.endswith(b"\na: OK\n")


def test_missing_lists_do_not_stop_the_others(folder: Path) -> None:
    (folder / "list").write_text(f"{ABC}  a\n")
    done = merklize("hash", "--check", "nothing", ".", "list", cwd=folder)
    assert (done.returncode, done.stdout) == (1, b"a: OK\n")
    assert done.stderr.decode().splitlines() == [
        "merklize: nothing: No such file or directory",
        "merklize: .: Is a directory",
    ]


def test_long_lists_come_in_order(folder: Path) -> None:
    listed = "".join(f"{ABC if i % 3 else OTHER}  a\n" for i in range(3000))
    done = merklize("hash", "--check", stdin=listed.encode(), cwd=folder)
    assert done.stdout.decode() == "".join(f"a: {'OK' if i % 3 else 'FAILED'}\n" for i in range(3000))
    assert done.stderr == b"merklize: WARNING: 1000 computed checksums did NOT match\n"


def test_json(folder: Path) -> None:
    done = merklize("hash", "--check", "--json", stdin=f"{ABC}  a\n{OTHER}  a\nnonsense\n".encode(), cwd=folder)
    assert done.returncode == 1
    good, differs, bad = json.loads(done.stdout)["files"]
    assert good == {"name": "a", "list": "-", "line": 1, "ok": True}
    assert differs == {"name": "a", "list": "-", "line": 2, "ok": False}
    assert (bad["line"], bad["ok"]) == (3, False)
    assert bad["error"]


@needs_b3sum
@pytest.mark.parametrize("flags", [[], ["--tag"]])
def test_each_reads_the_others_lists(folder: Path, flags: list[str]) -> None:
    ours, theirs = folder / "ours", folder / "theirs"
    ours.write_bytes(merklize("hash", *flags, *NAMES, cwd=folder).stdout)
    theirs.write_bytes(b3sum(*flags, *NAMES, cwd=folder).stdout)
    by_b3sum = b3sum("--check", "ours", cwd=folder)
    assert by_b3sum.returncode == 0
    assert merklize("hash", "--check", "theirs", cwd=folder).stdout == by_b3sum.stdout

    os.unlink(folder / "a")
    (folder / "b c").write_bytes(b"changed")
    we, they = merklize("hash", "--check", "theirs", cwd=folder), b3sum("--check", "ours", cwd=folder)
    assert we.returncode == they.returncode == 1
    assert (we.stderr.count(b"WARNING: 1 "), they.stderr.count(b"WARNING: 2 ")) == (2, 1)  # b3sum counts all together
    assert [line.split(b" (No")[0].split(b" (cannot")[0] for line in we.stdout.splitlines()] == [
        line.split(b" (No")[0] for line in they.stdout.splitlines()
    ]


@pytest.mark.parametrize("hash_name", ["blake3", "sha256"])
def test_a_list_by_another_hash_is_guessed(tmp_path, hash_name):
    """Only where no line of several matches, and none names its hash."""
    for name in "ab":
        (tmp_path / name).write_text(name)
    other = "sha256" if hash_name == "blake3" else "blake3"
    plain = merklize("hash", "--hash", other, "a", "b", cwd=tmp_path).stdout
    hint = b"list: no digest matched: is this a list by another hash"
    (tmp_path / "list").write_bytes(plain)
    assert hint in merklize("hash", "--hash", hash_name, "--check", "list", cwd=tmp_path).stderr
    assert merklize("hash", "--hash", other, "--check", "list", cwd=tmp_path).stderr == b""
    own = merklize("hash", "--hash", hash_name, "a", cwd=tmp_path).stdout
    (tmp_path / "list").write_bytes(own + plain.splitlines(keepends=True)[1])
    assert hint not in merklize("hash", "--hash", hash_name, "--check", "list", cwd=tmp_path).stderr


def test_an_unknown_hash_lists_those_of_the_help(tmp_path):
    said = merklize("hash", "--hash", "SHA256", cwd=tmp_path).stderr.decode()
    names = said.rpartition("known: ")[2].strip()
    assert "did you mean 'sha256'?" in said
    assert names in " ".join(merklize("hash", "--help").stdout.decode().split())
    assert names.count(",") == 5

"""The lines of check files: they can be written and read back, and lines of any bytes can be read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from cli_helpers import merklize

ABC = "6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85"  # BLAKE3 of "abc"


def parsed(lines: bytes, *flags: str, cwd: Path | None = None) -> list[dict[str, Any]]:
    """The verdict of --check on each line. No file of these names exists, so a good line names a missing file."""
    done = merklize("hash", "--check", "--json", *flags, stdin=lines, cwd=cwd)
    found: list[dict[str, Any]] = json.loads(done.stdout)["files"]
    return found


@pytest.mark.parametrize(
    ("line", "name"),
    [
        (f"{ABC}  a", "a"),
        (f"{ABC}  a\n", "a"),
        (f"{ABC}  a\r\r\n", "a"),
        (f"{ABC}   a ", " a "),
        (f"{ABC}  a  b", "a  b"),
        (f"{ABC}  a\rb", "a\rb"),
        (f"{ABC}  b\\s", "b\\s"),
        (f"\\{ABC}  b\\\\s", "b\\s"),
        (f"\\{ABC}  n\\nl\\r", "n\nl\r"),
        (f"\\{ABC}  a", "a"),
        (f"\\{ABC}  \\\\n", "\\n"),
        (f"{ABC}  BLAKE3 (x) = y", "BLAKE3 (x) = y"),
        (f"BLAKE3 (a) = {ABC}", "a"),
        (f"BLAKE3 (b) = (a) = {ABC}\n", "b) = (a"),
        (f"BLAKE3 (a  b) = {ABC}", "a  b"),  # b3sum writes this line, but refuses to read it
        (f"\\BLAKE3 (n\\nl) = {ABC}", "n\nl"),
        (f"{ABC}  \u00fc\u2028", "\u00fc\u2028"),
    ],
)
def test_good_lines(tmp_path: Path, line: str, name: str) -> None:
    (tmp_path / name).write_bytes(b"abc")
    (found,) = parsed(line.encode(), cwd=tmp_path)
    assert found == {"name": name, "list": "-", "line": 1, "ok": True}


@pytest.mark.parametrize(
    "line",
    [
        b"\\",
        b"\\\n",
        b" # no comment",
        f"{ABC}".encode(),
        f"{ABC}  ".encode(),
        f"{ABC} a".encode(),
        f"{ABC} *a".encode(),
        f"{ABC.upper()}  a".encode(),
        f"{ABC}00  a".encode(),
        f"{ABC[2:]}  a".encode(),
        f"{ABC[1:]}  a".encode(),
        f"\u00fc{ABC[1:]}  a".encode(),
        f"{ABC[1:]}\u0661  a".encode(),
        f"BLAKE3 () = {ABC}".encode(),
        f"BLAKE3 (a) = {ABC[2:]}".encode(),
        f"BLAKE3 (a) = {ABC} ".encode(),
        f"BLAKE2 (a) = {ABC}".encode(),
        f"\\{ABC}  a\\".encode(),
        f"\\{ABC}  a\\t".encode(),
        f"\\{ABC}  a\\\\\\".encode(),
        f"{ABC}  a\0b".encode(),
        f"{ABC}  a\ufffdb".encode(),
        f"{ABC}  a".encode() + b"\xff",
        f"{ABC}  a".encode("utf-16"),
        b"\xed\xa0\x80",
        b"\xc0\x80",
        b"\xf4\x90\x80\x80",
    ],
)
def test_bad_lines(line: bytes) -> None:
    for found in parsed(line):
        assert (found["ok"], "name" in found) == (False, False)
        assert found["error"]


@pytest.mark.parametrize("line", [b"\n", b"\r\n", b"\r\r\n", b"# comment", b"#\xff\n", f"#{ABC}  a\n".encode()])
def test_empty_lines_and_comments_are_left_out(tmp_path: Path, line: bytes) -> None:
    assert parsed(line) == []
    (tmp_path / "a").write_bytes(b"abc")
    done = merklize("hash", "--check", stdin=line.rstrip(b"\n") + b"\n" + f"{ABC}  a".encode(), cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"a: OK\n", b"")


def test_length_is_exact() -> None:
    assert "name" not in parsed(f"{ABC}  a".encode(), "--length", "64")[0]
    assert "name" in parsed(f"{ABC}{ABC}  a".encode(), "--length", "64")[0]


names = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\ufffd/"), min_size=1, max_size=60)


@given(name=names.filter(lambda name: name not in (".", "..")), tag=st.booleans())
def test_round_trip(tmp_path_factory: pytest.TempPathFactory, name: str, tag: bool) -> None:
    folder = tmp_path_factory.mktemp("round")
    (folder / name).write_bytes(b"abc")
    listed = merklize("hash", *(["--tag"] if tag else []), "--", name, cwd=folder).stdout
    if name == "-":
        return
    assert listed.count(b"\n") == 1
    (found,) = parsed(listed, cwd=folder)
    assert (found["name"], found["ok"]) == (name, True)


pieces = st.sampled_from([ABC, "\\", "  ", "BLAKE3 (", ") = ", "a", "\n", "\r", "\\n", "\0", "\ufffd", "\u00fc"])


@given(st.one_of(st.binary(), st.lists(pieces).map(lambda parts: "".join(parts).encode())))
def test_any_bytes_are_read_one_way_or_the_other(line: bytes) -> None:
    assume(not line.startswith((b"\xff\xfe", b"\xfe\xff")) and b"\0" not in line[:4])  # UTF-16
    lines = [
        text
        for text in line.removeprefix(b"\xef\xbb\xbf").split(b"\n")
        if text.strip(b"\r") and not text.startswith(b"#")
    ]
    found = parsed(line)
    assert len(found) == len(lines)
    assert [entry["line"] for entry in found] == sorted({entry["line"] for entry in found})
    for entry in found:
        assert not entry["ok"]
        assert entry["error"]

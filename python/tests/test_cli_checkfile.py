"""The lines of check files: written and read back, and read whatever their bytes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from merklize.cli.checkfile import BadLine, CheckLine, frame, parse_check_line

ABC = "6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85"  # BLAKE3 of "abc"
DIGEST = bytes.fromhex(ABC)


def test_frames_are_those_of_b3sum() -> None:
    assert frame("a") == ("", "  a\n")
    assert frame("b\\s") == ("\\", "  b\\\\s\n")
    assert frame("n\nl\r") == ("\\", "  n\\nl\\r\n")
    assert frame("a b", tag=True) == ("BLAKE3 (a b) = ", "\n")
    assert frame("n\nl", tag=True) == ("\\BLAKE3 (n\\nl) = ", "\n")


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
def test_good_lines(line: str, name: str) -> None:
    found = parse_check_line(line.encode())
    assert isinstance(found, CheckLine)
    assert (found.name, found.digest) == (name, DIGEST)
    assert "\n" not in found.shown


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"\n",
        b"\r\n",
        b"\\",
        b"\\\n",
        b"# comment",
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
    ],
)
def test_bad_lines(line: bytes) -> None:
    found = parse_check_line(line)
    assert isinstance(found, BadLine)
    assert found.reason


def test_length_is_exact() -> None:
    assert isinstance(parse_check_line(f"{ABC}  a".encode(), 64), BadLine)
    assert isinstance(parse_check_line(f"{ABC}{ABC}  a".encode(), 64), CheckLine)


names = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\ufffd"), min_size=1)


@given(name=names, digest=st.binary(min_size=32, max_size=32), tag=st.booleans())
def test_round_trip(name: str, digest: bytes, tag: bool) -> None:
    before, after = frame(name, tag)
    line = before + digest.hex() + after
    assert line.count("\n") == 1
    found = parse_check_line(line.encode())
    assert isinstance(found, CheckLine)
    assert (found.name, found.digest) == (name, digest)


pieces = st.sampled_from([ABC, "\\", "  ", "BLAKE3 (", ") = ", "a", "\n", "\r", "\\n", "\0", "\ufffd", "\u00fc"])


@given(st.one_of(st.binary(), st.lists(pieces).map(lambda parts: "".join(parts).encode())))
def test_any_bytes_are_read_one_way_or_the_other(line: bytes) -> None:
    found = parse_check_line(line)
    assert isinstance(found, (CheckLine, BadLine))
    if isinstance(found, CheckLine):
        before, after = frame(found.name)
        again = parse_check_line(f"{before}{found.digest.hex()}{after}".encode())
        assert isinstance(again, CheckLine)
        assert (again.name, again.digest) == (found.name, found.digest)
        assert len(found.digest) == 32

"""`merklize hash --hash sha256`: lists as sha256sum writes and checks them. The judge is sha256sum itself."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cli_helpers import COMMAND, merklize
from waiting import HANG

NAMES = [b"a", b"b c", b" lead", b"*star", b"x\\y", b"n\nl", b"c\rr", b"\xff\xfe", b"SHA256 (a) = x", b"#hash", b"-"]
SHA256 = ["--hash", "sha256"]
pytestmark = pytest.mark.skipif(shutil.which("sha256sum") is None, reason="no sha256sum")


def sha256sum(*words: str | bytes, cwd: Path, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, "LC_ALL": "C"}
    return subprocess.run(
        ["sha256sum", *words], input=stdin, cwd=cwd, env=environment, capture_output=True, check=False
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sums")
    for name in NAMES:
        (folder / os.fsdecode(name)).write_bytes(name)
    return folder


def verdicts(stdout: bytes) -> list[bytes]:
    """The lines of --check without reasons, which are worded differently."""
    return re.sub(rb": FAILED(?: open or read| \([^\n]*\))", b": FAILED to read", stdout).splitlines()


def both(folder: Path, listed: bytes, *flags: str, given: str | None = "list") -> None:
    """Check a list, in a file or on standard input, by both programs."""
    (folder / "list").write_bytes(listed)
    words, stdin = ([given], b"") if given else ([], listed)
    ours = merklize("hash", *SHA256, "--check", *flags, *words, cwd=folder, stdin=stdin)
    theirs = sha256sum("--check", *flags, *words, cwd=folder, stdin=stdin)
    assert (ours.returncode, verdicts(ours.stdout)) == (theirs.returncode, verdicts(theirs.stdout)), ours.stderr
    ends = [
        sorted(re.findall(rb"WARNING: (\d+ .*)|(no properly formatted|no file was)", done.stderr))
        for done in (ours, theirs)
    ]
    if b"\n\n" not in b"\n" + listed.replace(b"\r\n", b"\n"):  # of versions before 9.2, an empty line is improper
        assert ends[0] == ends[1]


@pytest.mark.parametrize("flags", [[], ["--tag"]])
def test_lists_are_written_as_sha256sum_does(folder: Path, flags: list[str]) -> None:
    ours = merklize("hash", *SHA256, *flags, "--", *NAMES[:-1], cwd=folder)
    theirs = sha256sum(*flags, "--", *NAMES[:-1], cwd=folder)
    assert (ours.stdout, ours.stderr) == (theirs.stdout, b"")
    both(folder, ours.stdout)


def test_lists_of_sha256sum(folder: Path) -> None:
    for flags in ([], ["--binary"], ["--tag"]):
        listed = sha256sum(*flags, "--", *NAMES[:-1], cwd=folder).stdout
        for lines in (listed, b"# of release 1\n" + listed, listed.replace(b"\n", b"\r\n"), listed[:-1]):
            both(folder, lines)
        done = merklize("hash", *SHA256, "--check", stdin=listed, cwd=folder)
        assert (done.returncode, done.stdout.count(b": OK\n"), done.stderr) == (0, len(NAMES) - 1, b"")
    upper = re.sub(rb"[0-9a-f]{64}", lambda found: found[0].upper(), sha256sum("a", "b c", cwd=folder).stdout)
    both(folder, upper)


def digest(name: bytes) -> bytes:
    return hashlib.sha256(name).hexdigest().encode()


names = st.sampled_from([*NAMES, b"gone", b"", b"."])
digests = st.sampled_from([*map(digest, NAMES), digest(b"a").upper(), digest(b"a")[1:], digest(b"a") + b"0", b"xx"])
escapes = st.sampled_from([b"", b"", b"\\", b" ", b"\t\\", b"\\\\"])
escaped = names.map(lambda name: name.replace(b"\\", b"\\\\").replace(b"\n", b"\\n").replace(b"\r", b"\\r"))
between = st.sampled_from([b"  ", b"  ", b" *", b" ", b"\t", b"\t ", b"   ", b""])
tag = st.sampled_from([b"SHA256 (", b"SHA256(", b"SHA256  (", b"sha256 (", b"SHA512 (", b"SHA256"])
equals = st.sampled_from([b") = ", b")= ", b")=", b") =\t", b") ", b" = "])
end = st.sampled_from([b"\n", b"\n", b"\n", b"\r\n", b"\r\r\n", b" \n", b""])
plain = st.tuples(escapes, digests, between, st.one_of(names, escaped), end)
right = names.filter(bool).map(lambda name: (digest(name), b"  ", name, b"\n"))
tagged = st.tuples(escapes, tag, st.one_of(names, escaped), equals, digests, end)
other = st.sampled_from([b"# comment\n", b"#\n", b" # no comment\n", b"nonsense\n", b"\\\n"])
lists = st.lists(st.one_of(plain, right, tagged, st.tuples(other)), max_size=6).map(
    lambda lines: b"".join(b"".join(line) for line in lines)
)
# Of --status, --quiet and --warn the last one counts in coreutils.
groups = (["--ignore-missing"], ["--strict"], ["--status", "--quiet"])
flags = st.tuples(*(st.sampled_from(["", *group]) for group in groups))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(listed=lists, flags=flags, given=st.sampled_from(["list", None]))
def test_any_list_is_checked_as_sha256sum_does(
    folder: Path, listed: bytes, flags: tuple[str, ...], given: str | None
) -> None:
    both(folder, listed, *filter(None, flags), given=given)


def test_other_hashes_and_their_tags(tmp_path: Path) -> None:
    (tmp_path / "a b").write_bytes(b"abc")
    for name, tags in {
        "sha256": ["SHA256", "SHA2-256"],
        "sha3_256": ["SHA3-256"],
        "keccak256": ["KECCAK-256"],
        "blake2s": ["BLAKE2s", "BLAKE2S-256", "BLAKE2s256"],
    }.items():
        plain = merklize("hash", "--hash", name, "a b", cwd=tmp_path).stdout
        written = merklize("hash", "--hash", name, "--tag", "a b", cwd=tmp_path).stdout
        assert written == f"{tags[0]} (a b) = ".encode() + plain[:64] + b"\n"
        for tag in tags:  # as coreutils and BSD write it, and OpenSSL
            for listed in (f"{tag} (a b) = {plain[:64].decode()}\n", f"{tag}(a b)= {plain[:64].decode()}\n"):
                done = merklize("hash", "--hash", name, "--check", stdin=listed.encode(), cwd=tmp_path)
                assert (done.returncode, done.stdout) == (0, b"a b: OK\n")
        other = merklize("hash", "--hash", name, "--check", stdin=b"MD5" + written[len(tags[0]) :], cwd=tmp_path)
        assert other.returncode == 1
    for name in (["--hash", "sha256d"], ["--xet"]):
        listed = merklize("hash", *name, "a b", cwd=tmp_path).stdout
        assert merklize("hash", *name, "--check", stdin=listed, cwd=tmp_path).stdout == b"a b: OK\n"
        assert merklize("hash", *name, "--tag", "a b", cwd=tmp_path).returncode == 2


BLAKE3, SUMS = ["hash", "--check"], ["hash", *SHA256, "--check"]


@pytest.mark.parametrize("check", [BLAKE3, SUMS])
def test_lists_that_check_nothing(tmp_path: Path, check: list[str]) -> None:
    """One line says so, whatever the list is; memory does not grow with a line."""
    image = bytes(range(256)) * 1200
    for listed in (b"", b"\n\n", b"# nothing\n", b"nonsense\n" * 1000, image, b"\0" * 1000, b"x" * (40 << 20), b"\r\n"):
        done = merklize(*check, stdin=listed, cwd=tmp_path)
        assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (1, b"", 1)
        assert b"-: no properly formatted checksum lines found" in done.stderr
        as_json = merklize(*check, "--json", stdin=listed, cwd=tmp_path)
        assert as_json.returncode == 1
        assert all("error" in entry for entry in json.loads(as_json.stdout)["files"])


@pytest.mark.parametrize("check", [BLAKE3, SUMS])
def test_a_long_line_is_one_line(tmp_path: Path, check: list[str]) -> None:
    (tmp_path / "a").write_bytes(b"")
    good = merklize(*check[:-1], "a", cwd=tmp_path).stdout
    limited = ["sh", "-c", 'ulimit -v 2000000; exec "$0" "$@"', COMMAND, *check]
    listed = good + b"x" * (600 << 20) + b"\n" + good + b"oops\n"
    done = subprocess.run(limited, input=listed, cwd=tmp_path, capture_output=True, timeout=HANG, check=False)
    assert done.stdout == b"a: OK\na: OK\n"
    assert [line.split(b": ")[1] for line in done.stderr.splitlines()] == [b"-:2", b"-:4", b"WARNING"]
    # Names that no file can have are not kept.
    many = b"".join(good[:66] + b"n" * ((1 << 20) - 100) + b"\n" for _ in range(600))
    done = subprocess.run(limited, input=many, cwd=tmp_path, capture_output=True, timeout=HANG, check=False)
    assert done.stdout.count(b": FAILED (File name too long)\n") == 600


@pytest.mark.parametrize("check", [BLAKE3, SUMS])
def test_byte_order_marks(tmp_path: Path, check: list[str]) -> None:
    (tmp_path / "a").write_bytes(b"")
    good = merklize(*check[:-1], "a", cwd=tmp_path).stdout
    done = merklize(*check, stdin=b"\xef\xbb\xbf" + good, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"a: OK\n", b"")
    for encoding in ("utf-16", "utf-16-le", "utf-16-be"):
        done = merklize(*check, stdin=good.decode().encode(encoding), cwd=tmp_path)
        assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (1, b"", 1)
        assert b"UTF-16" in done.stderr


@pytest.mark.parametrize("check", [BLAKE3, SUMS])
def test_what_is_counted_apart(tmp_path: Path, check: list[str]) -> None:
    for name in "abc":
        (tmp_path / name).write_bytes(b"x")
    good = merklize(*check[:-1], "a", cwd=tmp_path).stdout
    wrong, gone = good[1:64] + good[:1] + good[64:], good.replace(b"  a", b"  gone")
    listed = good + wrong + gone * 2 + b"oops\n" * 3
    done = merklize(*check, stdin=listed, cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.decode().splitlines()[3:] == [
        "merklize: WARNING: 3 lines are improperly formatted",
        "merklize: WARNING: 2 listed files could not be read",
        "merklize: WARNING: 1 computed checksum did NOT match",
    ]
    silent = merklize(*check, "--status", stdin=listed, cwd=tmp_path)
    assert (silent.returncode, silent.stdout, silent.stderr) == (1, b"", b"")
    assert merklize(*check, "--status", stdin=good, cwd=tmp_path).returncode == 0
    left = merklize(*check, "--ignore-missing", stdin=good + gone, cwd=tmp_path)
    assert (left.returncode, left.stdout, left.stderr) == (0, b"a: OK\n", b"")
    none = merklize(*check, "--ignore-missing", stdin=gone, cwd=tmp_path)
    assert (none.returncode, none.stdout, none.stderr) == (1, b"", b"merklize: -: no file was verified\n")
    improper = merklize(*check, stdin=good + b"oops\n" * 20, cwd=tmp_path)
    assert improper.returncode == (1 if check == BLAKE3 else 0)
    assert improper.stderr.count(b"\n") == 6
    strict = merklize(*check, "--strict", "--warn", stdin=good + b"oops\n" * 20, cwd=tmp_path)
    assert (strict.returncode, strict.stderr.count(b"\n")) == (1, 21)


def test_flags_of_check_need_it() -> None:
    for flag in ("--quiet", "--status", "--strict", "--warn", "--ignore-missing"):
        assert merklize("hash", flag).returncode == 2
    assert merklize("hash", "--check", "--status", "--json").returncode == 2


def test_a_url_in_a_list_is_the_name_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "http:").mkdir()
    (tmp_path / "http:" / "x").write_bytes(b"")
    for check in (BLAKE3, SUMS):
        good = merklize(*check[:-1], "http:/x", cwd=tmp_path).stdout
        done = merklize(*check, stdin=good.replace(b"http:/x", b"http://x"), cwd=tmp_path)
        assert (done.returncode, done.stdout) == (0, b"http://x: OK\n")


def test_names_that_no_list_can_have(tmp_path: Path) -> None:
    """They are told when the list is made; sha256sum's lists have every name."""
    for name in (b"a\xff", "b\ufffd".encode()):
        (tmp_path / os.fsdecode(name)).write_bytes(b"")
        for flags in ([], ["--tag"]):
            done = merklize("hash", *flags, name, cwd=tmp_path)
            assert (done.returncode, done.stderr.count(b"no list of BLAKE3 digests can have such a name")) == (0, 1)
            assert merklize("hash", "--check", stdin=done.stdout, cwd=tmp_path).returncode == 1
            listed = merklize("hash", "--xet", name, cwd=tmp_path)
            assert listed.stderr == b""
            assert merklize("hash", "--xet", "--check", stdin=listed.stdout, cwd=tmp_path).returncode == 0
            listed = merklize("hash", *SHA256, *flags, name, cwd=tmp_path)
            assert listed.stderr == b""
            assert merklize("hash", *SHA256, "--check", stdin=listed.stdout, cwd=tmp_path).returncode == 0
        for flags in (["--no-names"], ["--raw"], ["--json"]):
            assert merklize("hash", *flags, name, cwd=tmp_path).stderr == b""

"""`merklize hash`: what test_cli_b3sum.py, which compares it with b3sum call by call, does not have."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from cli_helpers import COMMAND, merklize, output
from waiting import HANG

ABC = "6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85"
EMPTY = "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"
# Name, content, and the line that b3sum prints.
FILES = [
    (b"a", b"abc", f"{ABC}  a"),
    (b"b c", b"x", "3ae7d805f6789a6402acb70ad4096a85a56bf6804eaf25c0493ac697548d30b5  b c"),
    (b"n\nl", b"nl", "\\53ab8b5d668a01133327ab7d0fb5a911374c2950a4544a73ccb68638035410a4  n\\nl"),
    (b"b\\s", b"bs", "\\2b196e9f1c9e547146edec402834539a4c44e6ca072d6f3c3d93a7baa406d4a1  b\\\\s"),
    (b"c\rr", b"cr", "\\871dadc0f2a28aadf41f6064a36c0b9a7a4b813aff11162a3c0a11bb37380572  c\\rr"),
    (b"i\xffv", b"inv", "bd1b8d499e5014697a48645c9d994a1f5304e71b0cefec4b6a3989d59ea3b763  i\ufffdv"),
    ("\u00fc".encode(), b"u", "135e48e7e8a6c46c54b691dc13e3ce20b8426755ed52ad5f93ebb4b66215b318  \u00fc"),
]
NAMES = [name for name, _, _ in FILES]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, content, _ in FILES:
        (tmp_path / os.fsdecode(name)).write_bytes(content)
    (tmp_path / "folder").mkdir()
    return tmp_path


def test_lines(folder: Path) -> None:
    done = merklize("hash", *NAMES, cwd=folder)
    assert done.stdout.decode() == "".join(f"{line}\n" for _, _, line in FILES)
    assert done.stderr.startswith(b"merklize: WARNING: 1 line cannot be checked: ")


def test_tag(folder: Path) -> None:
    assert output("hash", "--tag", "a", cwd=folder) == f"BLAKE3 (a) = {ABC}\n"
    assert output("hash", "--tag", "n\nl", cwd=folder).startswith("\\BLAKE3 (n\\nl) = 53ab8b5d")


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        (["-l=5"], "6437b3ac38  a\n"),
        (["-l3", "--seek", "2"], "b3ac38  a\n"),
        (["--num-threads", "1", "--no-mmap", "--device", "cpu"], f"{ABC}  a\n"),
    ],
)
def test_flags(folder: Path, flags: list[str], expected: str) -> None:
    assert output("hash", *flags, "a", cwd=folder) == expected


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--derive-key", "--check"], b"Option '--derive-key' requires an argument."),  # as b3sum says
        (["--derive-key", "--"], b"Option '--derive-key' requires an argument."),
        (["-l", "--raw"], b"Option '-l' requires an argument."),
        (["--hash", "md5"], b"Invalid value for '--hash': unknown hash 'md5'"),
        (["--hash", "rp64_256"], b"Invalid value for '--hash': "),
        (["--device", "abacus"], b"Invalid value for '--device': unknown device 'abacus'"),
        (["--policy", "abacus=1"], b"Invalid value for '--policy': "),
    ],
)
def test_wrong_values(folder: Path, flags: list[str], said: bytes) -> None:
    done = merklize("hash", *flags, "a", cwd=folder)
    assert (done.returncode, done.stdout) == (2, b"")
    assert said in done.stderr


def test_values_that_look_like_options(folder: Path) -> None:
    import merklize as library

    key = library.hash(b"abc", context="--check").hex()
    assert output("hash", "--derive-key=--check", "a", cwd=folder) == f"{key}  a\n"


def test_a_device_that_is_not_there_is_no_wrong_usage(folder: Path) -> None:
    unavailable = json.loads(output("devices", "--json"))["unavailable"]
    for name in unavailable:
        done = merklize("hash", "--device", name, "a", cwd=folder)
        assert (done.returncode, done.stdout, done.stderr[:10]) == (1, b"", b"merklize: ")


def test_output_that_ends_at_the_last_byte(folder: Path) -> None:
    last = "ecb26782fd462f4139a3779cede7f54282345591b595b66b52ef72f23a0258fa"  # b3sum 1.8.7
    assert output("hash", "--seek", str(2**64 - 32), "a", cwd=folder) == f"{last}  a\n"
    assert output("hash", "--seek", str(2**64 - 1), "-l1", "a", cwd=folder) == "fa  a\n"
    done = merklize("hash", "--seek", str(2**64 - 32), "-l", "33", "a", cwd=folder)
    assert done.returncode == 2
    assert b"reach past the 2^64 bytes" in done.stderr


def test_version() -> None:
    import merklize as library

    assert output("hash", "--version") == output("--version") == f"merklize {library.__version__}\n"


def test_standard_input(folder: Path) -> None:
    assert output("hash", stdin=b"abc") == f"{ABC}  -\n"
    assert output("hash", "--tag", "-", stdin=b"abc") == f"BLAKE3 (-) = {ABC}\n"
    assert output("hash", "-", "a", "-", stdin=b"abc", cwd=folder) == f"{ABC}  -\n{ABC}  a\n{EMPTY}  -\n"


def test_standard_input_is_read_from_where_it_stands(folder: Path) -> None:
    with open(folder / "a", "rb", buffering=0) as file:
        file.seek(3)
        done = subprocess.run([COMMAND, "hash"], stdin=file, capture_output=True, check=True)
    assert done.stdout.decode() == f"{EMPTY}  -\n"


def test_keyed(folder: Path) -> None:
    key = b"%032d" % 1
    line = "bc241e2aab15322cf8a8b8dfd5f94fac8cf9f202506dd9b678d347cd34c9fd04  a\n"
    assert output("hash", "--keyed", "a", stdin=key, cwd=folder) == line
    for wrong in (b"", key[:31], key + b"\n"):
        done = merklize("hash", "--keyed", "a", stdin=wrong, cwd=folder)
        assert (done.returncode, done.stdout) == (1, b"")
        assert b"must be 32 bytes" in done.stderr
        assert done.stderr.count(b"\n") == 1
    done = merklize("hash", "--keyed", "-", "a", stdin=key, cwd=folder)
    assert (done.returncode, done.stdout.decode()) == (1, line)


def test_long_output_comes_in_pieces(tmp_path: Path) -> None:
    blake3 = pytest.importorskip("blake3").blake3
    expected = blake3(b"abc").digest(length=(1 << 20) + 5, seek=7)
    assert merklize("hash", "--raw", "-l", str(len(expected)), "--seek", "7", stdin=b"abc").stdout == expected
    text = output("hash", "-l", str(len(expected)), "--seek", "7", stdin=b"abc")
    assert text == f"{expected.hex()}  -\n"


# Nobody reads as much to the end, so it is made while it is read.
@pytest.mark.parametrize("flags", [[], ["--raw"], ["--json"], ["--tag"], ["--no-names"]])
@pytest.mark.parametrize("length", [1 << 36, 1 << 63, (1 << 64) - 1])
def test_the_beginning_of_an_output_that_has_no_end(folder: Path, flags: list[str], length: int) -> None:
    line = [COMMAND, "hash", *flags, "-l", str(length), "a"]
    with subprocess.Popen(line, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        begin = process.stdout.read(200)
        process.stdout.close()
        assert (bytes.fromhex(ABC) if flags == ["--raw"] else ABC.encode()) in begin
        assert (process.wait(HANG), process.stderr.read()) == (141, b"")


def test_check_of_long_outputs(folder: Path) -> None:
    text = output("hash", "-l", "524288", "a", cwd=folder)
    check = ("hash", "--check", "-l", "524288")
    assert output(*check, stdin=text.encode(), cwd=folder) == "a: OK\n"
    wrong = text[:-5] + ("1" if text[-5] == "0" else "0") + "  a\n"
    assert merklize(*check, stdin=wrong.encode(), cwd=folder).stdout == b"a: FAILED\n"


# Of 2^63, twice the length was 0 digits in 64 bits, and such a line ended the process.
@pytest.mark.parametrize("length", ["524289", "9223372036854775808", "9223372036854775824", "18446744073709551615"])
def test_check_of_outputs_that_no_line_holds(folder: Path, length: str) -> None:
    for line in (b"  a\n", ABC[:32].encode() + b"  a\n"):
        done = merklize("hash", "--check", "-l", length, stdin=line, cwd=folder)
        assert done.returncode == 2
        assert f"--check needs a --length of 16 to 524288, got {length}".encode() in done.stderr


def test_failures_do_not_stop_the_others(folder: Path) -> None:
    done = merklize("hash", "missing", "a", "folder", "b c", "two\nlines", cwd=folder)
    assert done.returncode == 1
    assert done.stdout.decode() == f"{FILES[0][2]}\n{FILES[1][2]}\n"
    errors = done.stderr.decode().splitlines()
    assert len(errors) == 3
    assert errors[0].startswith("merklize: missing: ")
    assert errors[0].endswith("No such file or directory")
    assert errors[1].startswith("merklize: folder: ")
    assert "--recursive" in errors[1]
    assert errors[2].startswith("merklize: two\\nlines: ")


def test_a_missing_file_whose_name_is_not_utf8(folder: Path) -> None:
    for names in ([b"\xff"], [b"\xff", b"\xfe"]):
        done = merklize("hash", *names, cwd=folder)
        assert done.returncode == 1
        assert done.stderr.decode().count("merklize: \ufffd: ") == len(done.stderr.splitlines()) == len(names)


@pytest.mark.parametrize(
    "flags",
    [
        ["--keyed", "--derive-key", "x", "a"],
        ["--keyed"],
        ["--quiet", "a"],
        ["--check", "--raw", "a"],
        ["--check", "--tag", "a"],
        ["--check", "--no-names", "a"],
        ["--check", "--length", "15", "a"],
        ["--raw", "a", "a"],
        ["--json", "--tag", "a"],
        ["--length", "x", "a"],
        ["--length", "-1", "a"],
        ["--seek", "18446744073709551616", "a"],
        ["--seek", "18446744073709551615", "-l", "2", "a"],
        ["--num-threads", "-1", "a"],
        ["--derive-key", b"\xff", "a"],
        ["--no-such-flag", "a"],
        [""],
    ],
)
def test_wrong_usage(folder: Path, flags: list[str | bytes]) -> None:
    done = merklize("hash", *flags, cwd=folder)
    assert (done.returncode, bool(done.stdout)) == (2, "--json" in flags)  # the error as JSON
    assert b"Usage: merklize hash" in done.stderr


def test_unknown_device(folder: Path) -> None:
    done = merklize("hash", "--device", "abacus:0", "a", "b c", cwd=folder)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.count(b"Error: ") == 1


def test_recursive(folder: Path) -> None:
    deep = folder / "folder" / "deep"
    deep.mkdir()
    (deep / "z").write_bytes(b"z")
    (folder / "folder" / "b").write_bytes(b"abc")
    (folder / "folder" / "e").write_bytes(b"")
    (folder / "folder" / "cycle").symlink_to("..")
    (folder / "folder" / "link").symlink_to("b")
    os.mkfifo(folder / "folder" / "pipe")
    lines = output("hash", "-r", "a", "folder", cwd=folder).splitlines()
    assert [line[66:] for line in lines] == ["a", "folder/b", "folder/deep/z", "folder/e", "folder/link"]
    assert lines[1].startswith(ABC)
    assert merklize("hash", "-r", cwd=folder).stdout.count(b"\n") == len(FILES) + 4

    (folder / "folder" / "broken").symlink_to("nowhere")
    done = merklize("hash", "-r", "folder", cwd=folder)
    assert done.returncode == 1
    assert done.stdout.count(b"\n") == 4
    assert done.stderr.startswith(b"merklize: folder/broken: ")


def test_recursive_goes_deep(tmp_path: Path) -> None:
    here = os.getcwd()
    os.chdir(tmp_path)
    try:
        for _ in range(1500):
            os.mkdir("d")
            os.chdir("d")
        Path("f").write_bytes(b"abc")
    finally:
        os.chdir(here)
    assert output("hash", "-r", "d", cwd=tmp_path) == f"{ABC}  {'d/' * 1500}f\n"
    subprocess.run(["rm", "-rf", tmp_path / "d"], check=True)  # pytest's own clean-up cannot


def test_json(folder: Path) -> None:
    done = merklize("hash", "--json", "-l", "4", "--seek", "1", "a", b"i\xffv", "missing", cwd=folder)
    assert done.returncode == 1
    first, second, third = json.loads(done.stdout)["files"]
    assert first == {"name": "a", "hash": ABC[2:10], "length": 4, "seek": 1}
    assert (second["name"], bytes.fromhex(second["name_hex"])) == ("i\ufffdv", b"i\xffv")
    assert third["name"] == "missing"
    assert "No such file" in third["error"]
    (folder / "empty").mkdir()
    assert json.loads(output("hash", "--json", "-r", "empty", cwd=folder)) == {"files": []}


def test_many_files_come_in_order(tmp_path: Path) -> None:
    blake3 = pytest.importorskip("blake3").blake3
    contents = {f"f{i:04}": b"%d" % i * (i % 50) for i in range(2500)}
    contents["f0700"] = bytes(5 << 20)
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    expected = "".join(f"{blake3(content).hexdigest()}  {name}\n" for name, content in contents.items())
    assert output("hash", *contents, cwd=tmp_path) == expected


def test_early_end_of_the_reader_is_no_error(folder: Path) -> None:
    with subprocess.Popen(
        [COMMAND, "hash", "--raw", "-l", "20000000", "a"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.read(8).hex() == ABC[:16]
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(HANG) == 141


def test_full_disk_is_one_line(folder: Path) -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full")
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [COMMAND, "hash", "a"],
            cwd=folder,
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr == b"merklize: cannot write the output: No space left on device\n"


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams(folder: Path, closed: str) -> None:
    done = subprocess.run(["sh", "-c", f'"$0" hash {closed}', COMMAND], cwd=folder, capture_output=True, check=False)
    assert done.returncode == (0 if closed == "2>&-" else 1)


@pytest.mark.parametrize("to", [">&-", ">/dev/full"])
@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("hash --json missing", 1, "missing: No such file or directory"),
        ("tree info --json missing", 1, "missing: No such file or directory"),
        ("tree info --json", 2, "Error: Missing argument"),
        ("hash --json --no-such-flag", 2, "Error: No such option"),
        ("hash --json a", 1, "standard output is closed|cannot write the output"),
        ("devices --json", 1, "standard output is closed|cannot write the output"),
    ],
)
def test_errors_as_json_that_cannot_be_written(folder: Path, line: str, code: int, said: str, to: str) -> None:
    done = subprocess.run(["sh", "-c", f'"$0" {line} {to}', COMMAND], cwd=folder, capture_output=True, check=False)
    assert done.returncode == code
    assert re.search(said, done.stderr.decode())


def test_locale_does_not_matter(folder: Path) -> None:
    env = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    assert merklize("hash", *NAMES, cwd=folder, env=env).stdout.decode() == "".join(f"{line}\n" for _, _, line in FILES)


def test_device_policy_and_times(tmp_path: Path, device: str) -> None:
    (tmp_path / "a").write_bytes(b"abc" * 9999)
    (tmp_path / "b").write_bytes(b"xyz" * 5000)
    plain = output("hash", "a", "b", cwd=tmp_path)
    settings = ["--device", device, "--policy", "group_size=32", "--policy", "constants=local"]
    assert output("hash", *settings, "a", "b", cwd=tmp_path) == plain
    done = merklize("hash", *settings, "--timings", "a", "b", cwd=tmp_path)
    assert (done.returncode, done.stdout.decode()) == (0, plain)
    expected = b"merklize: times: none" if device == "cpu" else b"merklize: times: kernel "
    assert done.stderr.startswith(expected)
    assert done.stderr.count(b"\n") == 1
    found = json.loads(output("hash", *settings, "--timings", "--json", "a", "b", cwd=tmp_path))
    assert len(found["files"]) == 2
    if device == "cpu":
        assert found["timings"] is None
    else:
        assert set(found["timings"]) == {"kernel", "to_device", "to_host"}
        assert found["timings"]["kernel"] > 0
    assert "timings" not in json.loads(output("hash", "--json", "a", cwd=tmp_path))
    none = json.loads(merklize("hash", "--json", "--timings", "missing", cwd=tmp_path).stdout)
    assert none["timings"] is None


@pytest.mark.parametrize(
    ("policy", "text"),  # tests/vectors/surface.json has more
    [
        ("width=4", "unknown field 'width'; known: levels_per_launch, group_size, lanes, constants"),
        ("lanes=two", "lanes must be 1, 2, 4, 8 or 16, got two"),
        ("fast", "NAME=VALUE"),
    ],
)
def test_wrong_policies(tmp_path: Path, policy: str, text: str) -> None:
    (tmp_path / "a").write_bytes(b"abc")
    done = merklize("hash", "--policy", policy, "a", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, b"")
    assert text in done.stderr.decode()


@pytest.mark.parametrize("hash", ["blake3", "sha256"])
def test_a_list_on_standard_input_does_not_name_it(hash: str) -> None:
    empty = output("hash", "--hash", hash, "--no-names", "/dev/null").strip()
    done = merklize("hash", "--hash", hash, "--check", stdin=f"{empty}  -\n".encode())
    assert done.returncode == 1
    assert b"standard input holds the list, so it cannot be checked" in done.stderr

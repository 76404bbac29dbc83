"""Options that are wrong whatever the data is: those that a command would not use, and values out of their range."""

import re

import pytest

import merklize as library
from cli_helpers import files_of_each_kind, merklize

ROOT = library.hash(bytes(8192)).hex()
URL = "https://127.0.0.1:9/m"
# A line that is right, and options that it would not use.
LINES = {
    "tree build f --leaf-size 64": ["--no-resume"],
    "tree build f --leaf-size 64 -o out": ["--policy levels_per_launch=2", "--timings"],
    "tree show t --html out": ["--levels 2", "--json"],
    "tree show t": ["--page p"],
    "hash --check list --json": ["--quiet", "--warn", "--status"],
    "hash f": ["--quiet", "--warn", "--status", "--strict", "--ignore-missing"],
    "piece f --json": ["--v1"],
    "verity format f out --no-superblock": ["--uuid 00112233445566778899aabbccddeeff"],
    f"bao decode f.bao --root {ROOT}": ["--size 8192"],
    f"bao verify f.bao --root {ROOT}": ["--size 8192"],
    "bao slice f.bao --range 0,1": ["--size 8192"],
    f"bao decode f --root {ROOT} --outboard f.obao": ["--size 8192"],
    f"bao verify f --root {ROOT} --outboard f.obao": ["--size 8192"],
    "bao slice f --range 0,1 --outboard f.obao": ["--size 8192"],
}
FS_VERITY = "tree build f --format fs_verity"


def options_of_build():
    """Every option of `tree build`, with a value that it could have."""
    text = merklize("tree", "build", "--help").stdout.decode()
    for name, value in re.findall(r"^  (?:-\w, )?--([\w-]+)(?: ([A-Z]\S*))?", text, re.MULTILINE):
        if name not in ("format", "device", "num-threads", "policy", "json", "help"):
            yield f"--{name} {'64' if value else ''}"


@pytest.mark.parametrize("line", [*LINES, FS_VERITY])
def test_options_that_are_not_used_are_refused(line, tmp_path):
    files_of_each_kind(tmp_path)
    (tmp_path / "list").write_text(f"{ROOT}  f\n")
    refused = list(options_of_build()) if line == FS_VERITY else LINES[line]
    assert refused
    before = {path.name for path in tmp_path.iterdir()}
    for option in refused:
        done = merklize(*line.split(), *option.split(), cwd=tmp_path, stdin=bytes(32))
        assert done.returncode == 2, option
        assert b"Usage: merklize" in done.stderr
        assert re.search(rb"^Error: .*--" + option.split()[0][2:].encode(), done.stderr, re.MULTILINE), done.stderr
        assert b"--json" in done.stdout or not done.stdout or done.stdout.startswith(b'{"error"')
        assert {path.name for path in tmp_path.iterdir()} == before
    if "--html" not in line:  # the line is right without them; the page is not always there
        assert merklize(*line.split(), cwd=tmp_path).returncode == 0


@pytest.mark.parametrize("line", [f"manifest create {URL}", f"manifest check made.json {URL}"])
@pytest.mark.packages("fsspec", "aiohttp")
def test_links_of_a_url_are_not_followed(line, tmp_path):
    files_of_each_kind(tmp_path)
    done = merklize(*line.split(), "--follow-links", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"Error: a URL excludes --follow-links" in done.stderr


# Each value is wrong by itself, so the line is, with exit code 2. What is said has the option, the value and the rule.
WRONG = {
    "verity format f out --data-block-size 3": "'--data-block-size': must be a power of two from 512 to 524288, got 3",
    "verity format f out --data-block-size 4G": "power of two from 512 to 524288, got 4294967296",
    "verity format f out --hash-block-size 1M": "'--hash-block-size': must be a power of two .*, got 1048576",
    f"verity format f out --salt {'00' * 257}": "'--salt': must be at most 256 bytes, got 257",
    "verity format f out --hash-offset 100": "'--hash-offset': .* must be a multiple of 512, got 100",
    "verity format f out --hash-offset 9223372036854771712": "must be at most 2^62, got 9223372036854771712",
    "verity format f out --data-blocks 18446744073709551615": "'--data-blocks': must be at most 2^63 bytes of data",
    f"verity verify f h {'00' * 31}": "ROOT must be 64 hexadecimal digits, or 128 of sha512",
    f"verity verify f h {'00' * 32} --data-block-size 5": "'--data-block-size': must be a power of two",
    "manifest create m --piece-size 3": "'--piece-size': must be 0 or a power of two >= 262144, got 3",
    "bao encode f --format bao_tree_post": "--format bao_tree_post is of outboards alone",
    "tree build f --leaf-size 64 --hash sha256 --keyed": "'--keyed': must be left out: keys are of .*, not of 'sha256'",
    "tree build f --leaf-size 64 --hash sha256 --derive-key x": "'--derive-key': must be left out: .* of 'sha256'",
}


@pytest.mark.parametrize("line", WRONG)
def test_values_that_are_wrong_by_themselves(line, tmp_path):
    files_of_each_kind(tmp_path)
    before = {path.name for path in tmp_path.iterdir()}
    done = merklize(*line.split(), cwd=tmp_path, stdin=bytes(32))
    assert (done.returncode, done.stdout) == (2, b"")
    said = done.stderr.decode().splitlines()
    assert said[0].startswith("Usage: merklize")
    assert re.search(WRONG[line].replace("^62", r"\^62").replace("^63", r"\^63"), said[-1]), said[-1]
    assert {path.name for path in tmp_path.iterdir()} == before

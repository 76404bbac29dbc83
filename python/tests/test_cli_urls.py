"""The command on URLs."""

from __future__ import annotations

import pytest

import merklize
from cli_helpers import merklize as command
from store_fixtures import DATA, SECRET

pytestmark = [pytest.mark.xdist_group("stores"), pytest.mark.usefixtures("small_ranges")]


def test_command(http, tmp_path):
    (tmp_path / "x").write_bytes(DATA)
    url, digest = http.url("x"), merklize.hash(DATA).hex()

    def out(*words, code=0):
        done = command(*words, cwd=tmp_path)
        assert done.returncode == code, done.stderr
        return done.stdout.decode()

    assert out("hash", url, "x") == f"{digest}  {url}\n{digest}  x\n"
    assert out("hash", "-l=3", url, "x") == f"{digest[:6]}  {url}\n{digest[:6]}  x\n"
    assert out("hash", "--no-names", "--hash", "sha256", url) == out("hash", "--no-names", "--hash", "sha256", "x")
    out("tree", "build", "--leaf-size", "4K", "-o", "a.mkl", url)
    out("tree", "build", "--leaf-size", "4K", "-o", "b.mkl", "x")
    assert (tmp_path / "a.mkl").read_bytes() == (tmp_path / "b.mkl").read_bytes()
    http.objects["t.mkl"] = (tmp_path / "a.mkl").read_bytes()
    tree = http.url("t.mkl")
    for words in (["info"],):
        assert out("tree", *words, tree) == out("tree", *words, "a.mkl")
    for words in (["7"], ["7-20", "3"]):
        assert out("tree", "prove", tree, *words) == out("tree", "prove", "a.mkl", *words)
    out("tree", "prove", "-o", "p", "--binary", tree, "7")
    http.objects["p"] = (tmp_path / "p").read_bytes()
    root = out("tree", "root", "a.mkl").strip()
    assert out("tree", "verify", http.url("p"), "--root", root).startswith("valid: leaf 7")


def test_command_errors(http, tmp_path):
    done = command("hash", http.url("none?sig=" + SECRET), http.url("x"))
    assert done.returncode == 1
    assert done.stdout.decode().endswith(http.url("x") + "\n")
    assert "there is no such object" in done.stderr.decode()
    assert SECRET not in (done.stdout + done.stderr).decode()
    build = ("tree", "build", "--leaf-size", "4K", http.url("x"))
    for words, text in {
        ("hash", "--check", http.url("x")): "--check is for files, not for URLs",
        ("tree", "update", http.url("x"), "1"): "takes files, not URLs",
        ("hash", "--hash", "md5", http.url("x")): "unknown hash 'md5'",
        ("hash", "--device", "abacus", http.url("x")): "unknown device 'abacus'",
        (*build, "--hash", "md5"): "unknown hash 'md5'",
        (*build, "--rule", "best"): "unknown tree rule 'best'",
        (*build, "--format", "zip"): "unknown format 'zip'",
        (*build, "--device", "abacus"): "unknown device 'abacus'",
        (*build, "-o", "-"): "a tree file cannot be written to standard output",
        ("manifest", "check", "--device", "abacus", http.url("x")): "unknown device 'abacus'",
    }.items():
        done = command(*words)
        assert (done.returncode, text in done.stderr.decode()) == (2, True)


@pytest.mark.parametrize("word", ["https ://host/x?token=SECRET", "http:/host/x?token=SECRET", "s3 :/bucket/SECRET"])
@pytest.mark.parametrize("words", [["hash"], ["tree", "build", "--leaf-size", "4K"], ["bao", "outboard"]], ids=str)
def test_what_is_nearly_a_url(tmp_path, words, word):
    for more in ([], ["--json"]):
        done = command(*words, *more, word, cwd=tmp_path)
        assert done.returncode == 2
        assert b"SECRET" not in done.stdout + done.stderr
        assert b"is no file, and no URL such as https://host/name" in done.stderr or more
    (tmp_path / "http:").mkdir()
    (tmp_path / "http:" / "file").write_bytes(b"abc")
    assert command("hash", "http:/file", cwd=tmp_path).returncode == 0

"""The command on URLs."""

from __future__ import annotations

import re
from contextlib import closing
from pathlib import Path

import pytest

import merklize
from cli_helpers import merklize as command
from merklize import _native
from merklize.__main__ import Caller
from store_fixtures import DATA, SECRET
from weights import a_state, write

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


ROOT = merklize.hash(DATA).hex()
HASH = [
    "hash x", "hash x y", "hash -l5 x", "hash -l=5 --seek 7 x", "hash --no-names x", "hash --tag x", "hash --raw x",
    "hash --json x", "hash --json x none", "hash none x", "hash --num-threads 1 x y none", "hash --hash sha256 x",
    "hash --hash keccak256 --json x", "hash --hash md5 x", "hash --raw x y", "hash --json --raw x", "hash --quiet x",
    "hash --length oops x", "hash --seek 18446744073709551615 x", "hash --derive-key c x", "hash --keyed x",
    "hash -l 2000000 x", "hash --no-mmap x", "hash --oops x", "hash --policy group_size x", "hash empty",
    "hash --keyed --derive-key c x", "hash --json --num-threads x x", "hash - x",
]  # fmt: skip
MANIFEST = [
    "manifest create w.safetensors --portable", "manifest create w.safetensors --portable --piece-size 512K",
    "manifest create w.safetensors --portable --piece-size 5", "manifest create x --portable",
    "manifest create none --portable", "manifest create w.safetensors -o made --portable", "manifest show m",
    "manifest show m --json", "manifest show x --json", "manifest check m w.safetensors",
    "manifest check m w.safetensors --json", "manifest check m v.safetensors --json", "manifest check m v.safetensors",
    "manifest check m", "manifest check m --only nothing", "manifest check m none", "manifest diff m n",
    "manifest diff m n --json", "manifest diff m m", "manifest diff m none --json", "manifest create",
]  # fmt: skip
TREE = [
    "tree build --leaf-size 4K x", "tree build --leaf-size 4K x --json", "tree build --row-size 5K x", "tree build x",
    "tree build --leaf-size 4K -o made x", "tree build --leaf-size 4K -o made x --json", "tree build --leaves x",
    "tree build --leaves leaves --json", "tree build --leaf-size 1K empty", "tree build --leaf-size 0 x",
    "tree build --format rfc6962 --leaf-size 1K x --json", "tree build --format bittorrent_v2 x --json",
    "tree build --format fs_verity x -o made", "tree build --hash sha256 --leaf-size 5000 x --json",
    "tree build --hash poseidon2_goldilocks_8 --leaf-size 1001 x", "tree build --rule pad --leaf-size 4K x --padding 7",
    "tree build --rule pad --padding KEY --leaf-size 4K x", "tree build --derive-key c --leaf-size 4K x --json",
    "tree build --keyed --leaf-size 4K x", "tree build --num-threads 1 --leaf-size 4K none", "tree build -o - x",
    "tree build --policy levels_per_launch=1 --leaf-size 4K x", "tree build --format zip x", "tree build - --leaves",
    "tree root t", "tree root t --json", "tree root none --json", "tree root x", "tree root empty", "tree info t",
    "tree info t --json", "tree info k --json", "tree info p", "tree check t", "tree check t --json", "tree check bad",
    "tree check bad --json", "tree check k", "tree check k --keyed", "tree check t --keyed", "tree prove t 7",
    "tree prove t 7-20 3", "tree prove t 99999999", "tree prove t --since 100", "tree prove t",
    "tree prove t 7 --binary",
    "tree prove t 9-2", "tree prove -o made t 5", "tree prove bad 3", "tree verify proof --root ROOT",
    "tree verify proof --root ROOT --json", "tree verify proof --root ROOT --leaf-file piece --index 7 --json",
    "tree verify proof --root ROOT --leaf-file y", "tree verify x --root ROOT", "tree verify none --root ROOT --json",
    "tree verify proof", "tree verify binary --root ROOT", "tree verify proof --root ROOT --leaf-file none",
    "tree export t", "tree export t --level 3", "tree export t --level 3 --raw", "tree export t --level 3 --json",
    "tree export t --level 99", "tree export none", "tree export x", "tree export t --raw --json",
    "tree export t --level 2 -o made", "tree show t", "tree show t 7", "tree show t 7 --json", "tree show t --levels 1",
    "tree show t --levels 6 --json", "tree show t --levels 7", "tree show t 99999999", "tree show k",
    "tree show none --json", "tree show e", "tree show e --html -", "tree show t 7 --html - --page page",
    "tree show t 7 --html - --page none", "tree show t 7 --html - --page x",
]  # fmt: skip
BAO = [
    "bao verify x --root HASH --outboard nodes", "bao verify x --root HASH --outboard nodes --json",
    "bao verify x --root HASH --outboard nodes --range 5,7 --range 4000000,1 --json", "bao verify x --root HASH",
    "bao verify encoding --root HASH", "bao verify encoding --root HASH --json", "bao verify encoding --root KEY",
    "bao verify y --root HASH --outboard nodes", "bao verify x --root HASH --outboard x", "bao verify x",
    "bao verify x --root HASH --outboard none", "bao verify none --root HASH --json",
    "bao verify x --root HASH --range 5",
    "bao verify x --root HASH --outboard nodes --range 5,9999999",
    "bao verify x --root HASH --outboard nodes --num-threads x",
    "bao verify nodes --root HASH --format bao_tree", "bao verify x --root HASH --outboard nodes --group-size 3K",
    "bao verify empty --root HASH --outboard nodes", "bao verify - --root HASH --outboard nodes",
    "bao decode encoding --root HASH", "bao decode encoding --root KEY", "bao decode x --root HASH --outboard nodes",
    "bao decode x --root HASH --outboard nodes --range 5,7 --range 4000000,1", "bao decode x --root HASH",
    "bao decode y --root HASH --outboard nodes", "bao decode x --root HASH --outboard none",
    "bao decode none --root KEY", "bao decode x --root HASH --outboard nodes -o made",
    "bao decode x --root HASH --outboard x",
    "bao slice encoding --range 5,7", "bao slice x --outboard nodes --range 5,7 --range 4000000,70000",
    "bao slice x --outboard nodes --range 5,7 -o made", "bao slice encoding --range 0,9999999",
    "bao slice x --range 5,7",
    "bao slice none --range 5,7", "bao slice x --outboard none --range 5,7", "bao slice empty --range 5,7",
    "bao slice x --outboard nodes", "bao slice y --outboard nodes --range 1,1",
    "bao outboard x", "bao outboard x --format bao_tree", "bao outboard x --format bao_tree_post -o made",
    "bao outboard x -o made --json", "bao outboard x --json", "bao outboard empty", "bao outboard empty -o made",
    "bao outboard none", "bao outboard none -o made", "bao outboard x --group-size 3K", "bao outboard",
    "bao outboard x --num-threads 1", "bao outboard x --device opencl:99", "bao outboard y -o .",
    "bao encode x", "bao encode x --format bao_tree", "bao encode x -o made", "bao encode x -o made --json",
    "bao encode empty", "bao encode none", "bao encode x --format bao_tree_post", "bao encode y --group-size 2K",
]  # fmt: skip


@pytest.fixture
def both(http, tmp_path, monkeypatch):
    """The same files on the disk and in a store."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x").write_bytes(DATA)
    (tmp_path / "y").write_bytes(DATA[:5000])
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "key").write_bytes(DATA[:32])
    for seed, name in enumerate("wv"):
        write(tmp_path / f"{name}.safetensors", a_state(seed))
    for name, of in (("m", "w"), ("n", "v")):
        merklize.manifests.manifest(f"{of}.safetensors").save(name, seen=False)
    merklize.build_tree_file("x", "t", leaf_size=4096)
    merklize.build_tree_file("x", "k", leaf_size=4096, key=DATA[:32])
    bad = bytearray((tmp_path / "t").read_bytes())
    bad[-100] ^= 1
    (tmp_path / "bad").write_bytes(bad)
    (tmp_path / "page").write_text('<script id="data" type="application/json">null</script>')
    merklize.build_tree_file("empty", "e", format="rfc6962", leaf_size=4096)
    (tmp_path / "leaves").write_bytes(DATA[:6400])
    (tmp_path / "piece").write_bytes(DATA[7 * 4096 : 8 * 4096])
    with merklize.TreeFile("t") as tree:
        (tmp_path / "p").write_text(tree.root.hex())
        (tmp_path / "proof").write_text(tree.prove(7).to_json())
        (tmp_path / "binary").write_bytes(tree.prove(7).to_bytes())
    (tmp_path / "nodes").write_bytes(merklize.bao.outboard(DATA).outboard)
    (tmp_path / "encoding").write_bytes(merklize.bao.encode(DATA).encoding)
    names = [path.name for path in tmp_path.iterdir()]
    for name in names:
        http.objects[name] = (tmp_path / name).read_bytes()
    return {name: http.url(name) for name in [*names, "none"]}


def said(words, capfdbinary, names):
    """Exit code, standard output and standard error. URLs are replaced by the names of the files."""
    with open("key", "rb") as key, closing(Caller()) as caller:
        code = _native.run_command([word.encode() for word in words], (key.fileno(), 1, 2), caller)
    found = capfdbinary.readouterr()
    texts = []
    for text in (found.out, found.err):
        for name, url in names.items():
            text = text.replace(url.encode(), name.encode())
        text = re.sub(rb"there is no such object[^\n\"]*", b"No such file or directory", text)
        texts.append(text.replace(b"./", b"").replace(b"cannot read: No such", b"No such"))
    return code, *texts


@pytest.mark.parametrize(
    ("line", "made"),
    [
        ("tree show TREE --html OUT --page page", "tree show t --html made --page page"),
        ("tree export TREE --raw -o OUT", "tree export t --raw -o made"),
        ("bao outboard X -o OUT", "bao outboard x -o made"),
        ("bao encode X -o OUT --format bao_tree", "bao encode x -o made --format bao_tree"),
        ("bao decode ENCODING --root HASH -o OUT", "bao decode encoding --root HASH -o made"),
        (
            "bao slice X --outboard NODES --range 0,3000000 -o OUT",
            "bao slice x --outboard nodes --range 0,3000000 -o made",
        ),
    ],
)
def test_outputs_may_be_objects(both, memory, capfdbinary, line, made):
    """A store gets the same bytes as a file. A slice of many groups takes few requests."""
    names = {"TREE": both["t"], "ENCODING": both["encoding"], "X": both["x"], "NODES": both["nodes"]}
    names |= {"HASH": ROOT, "OUT": "memory://out"}
    found = said([names.get(word, word) for word in line.split()], capfdbinary, {})
    root = ROOT.encode() + b"\n" if line.split()[1] in ("outboard", "encode") else b""
    assert found == said([names.get(word, word) for word in made.split()], capfdbinary, {}) == (0, root, b"")
    assert memory.cat_file("/out").replace(both["t"].encode(), b"t") == Path("made").read_bytes()


def test_a_url_is_no_answer_where_a_file_is_wanted(both, capfdbinary):
    code, _, error = said(["tree", "update", "t", "1", "--from", both["x"]], capfdbinary, {})
    assert (code, b"this command takes files, not URLs" in error) == (2, True)


@pytest.mark.parametrize("line", [*HASH, *MANIFEST, *TREE, *BAO])
def test_urls_are_as_files(both, capfdbinary, line):
    """With each flag, the answer for a URL is that for a file with the same bytes."""
    for name, value in (("ROOT", Path("p").read_text()), ("HASH", ROOT), ("KEY", DATA[:32].hex())):
        line = line.replace(name, value)
    words = line.split()
    expected = said(words, capfdbinary, {})
    assert said([both.get(word, word) for word in words], capfdbinary, both) == expected

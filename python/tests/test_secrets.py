"""No text of the library shows a secret: what follows ? in a URL, its user and password, what data: carries, and keys.

Errors with all that hangs on them, what the program prints, logs, warnings and reprs, for every call that takes a name.
"""

from __future__ import annotations

import json
import logging
import pickle
import traceback
import warnings
from pathlib import Path

import numpy as np
import pytest

import local_server
import merklize
from cli_helpers import merklize as run
from merklize import bao, formats
from merklize.errors import masked
from merklize.manifests import Manifest

SECRET = "s3cr3t"
NOWHERE = "127.0.0.1:9"
TABLE = json.loads((Path(__file__).parents[2] / "tests" / "vectors" / "urls_with_secrets.json").read_text())
WORDS = TABLE["urls"]
SURROGATES = f"https://user:{SECRET}@{NOWHERE}/\ud800?sig={SECRET}"
# They name files, which a result in JSON has as they were given.
NAMES = TABLE["names"]


def said_by(error: BaseException) -> str:
    """All texts of an error and of what it comes from, also what a traceback does not print."""
    texts, seen, errors = [], set(), [error]
    while errors:
        one = errors.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        texts += [str(one), repr(one), repr(one.args), repr(vars(one)), *getattr(one, "__notes__", [])]
        texts += [repr(getattr(one, name, "")) for name in ("filename", "filename2", "strerror")]
        errors += [one.__cause__, one.__context__]
    return "\n".join([*texts, *traceback.format_exception(type(error), error, error.__traceback__)[-1:]])


LEAVES = np.zeros((2, 32), np.uint8)
CALLS = {
    "hash_file": merklize.hash_file,
    "hash_file of SHA-256": lambda name: merklize.hash_file(name, hash="sha256"),
    "hash_file, mapped": lambda name: merklize.hash_file(name, mmap=True),
    "hash_files": lambda name: [print(one) for one in merklize.hash_files([name])],
    "update_file": lambda name: merklize.Hasher().update_file(name),
    "update_mmap": lambda name: merklize.blake3.blake3().update_mmap(name),
    "MerkleTree.from_file": lambda name: merklize.MerkleTree.from_file(name, 32),
    "MerkleTree.load": merklize.MerkleTree.load,
    "TreeFile": merklize.TreeFile,
    "merkle_root_file": lambda name: merklize.merkle_root_file(name, leaf_size=32),
    "build_tree_file": lambda name: merklize.build_tree_file(name, "out.mkl", leaf_size=32),
    "manifest": merklize.manifest,
    "manifest, excluding": lambda name: merklize.manifest("no folder", exclude=name),
    "Manifest.load": Manifest.load,
    "Manifest.check": lambda name: merklize.manifest({"a": LEAVES}).check(name).require(),
    "check_model": lambda name: merklize.check_model({"a": LEAVES}, name),
    "xet": formats.xet,
    "xet_files": lambda name: [print(one) for one in formats.xet_files([name])],
    "glacier": formats.glacier,
    "fs_verity": formats.fs_verity,
    "fs_verity of SHA-512": lambda name: formats.fs_verity(name, algorithm="sha512"),
    "bittorrent_v2": formats.bittorrent_v2,
    "piece_cid": formats.piece_cid,
    "dm_verity_dump": formats.dm_verity_dump,
    "outboard_file": bao.outboard_file,
    "bao.verify": lambda name: bao.verify(name, bytes(32), b"").require(),
    "fetch": lambda name: bao.fetch(name, bytes(32), bytes(8), "out"),
    "fetch to it": lambda name: bao.fetch("http://127.0.0.1:9/x", bytes(32), bytes(8), name + "/x", retries=0),
}


@pytest.mark.packages("fsspec", "aiohttp")
@pytest.mark.parametrize("word", [*WORDS, *NAMES, *TABLE["more_urls"], *TABLE["more_names"], SURROGATES])
@pytest.mark.parametrize("call", CALLS)
def test_calls(call, word, tmp_path, monkeypatch, capsys, caplog):
    monkeypatch.chdir(tmp_path)
    caplog.set_level(logging.DEBUG, "merklize")
    said = ""
    monkeypatch.setattr(merklize.stores.limits, "pause", 0.0)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            CALLS[call](word)
        except (merklize.Error, TypeError) as error:
            said = said_by(error)
    texts = [said, *capsys.readouterr(), caplog.text, *(str(one.message) for one in warned)]
    assert SECRET not in "\n".join(texts)


def test_pickles_of_manifests():
    made = merklize.manifest({"a": LEAVES})
    for word in WORDS:
        made._path = word
        assert SECRET.encode() not in pickle.dumps(made)


class Refusing(local_server.Handler):
    """Answers with the status that the path begins with, and sends on to a URL with a secret."""

    def answer(self):
        status = int(self.path[1:4])
        self.send_response(status, f"refused {self.path}")
        if status == 302:
            self.send_header("Location", f"http://user:{SECRET}@127.0.0.1:9/x?sig={SECRET}")
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_GET = do_HEAD = answer


@pytest.fixture(scope="module")
def server():
    with local_server.serving(Refusing) as made:
        yield made.address.removeprefix("http://")


@pytest.mark.packages("fsspec", "aiohttp")
@pytest.mark.parametrize("status", [302, 400, 401, 403, 404, 416, 500])
@pytest.mark.parametrize("call", ["hash_file", "TreeFile", "Manifest.load", "manifest", "bao.verify", "fetch"])
def test_answers_of_servers(call, status, server, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(merklize.stores.limits, "pause", 0.0)
    monkeypatch.setattr(merklize.stores.limits, "attempts", 2)
    url = f"http://user:{SECRET}@{server}/{status}/m.index.json?X-Amz-Signature={SECRET}"
    made = (lambda name: bao.fetch(name, bytes(32), bytes(8), "out", retries=0)) if call == "fetch" else CALLS[call]
    with pytest.raises(merklize.Error) as caught:
        made(url)
    assert SECRET not in said_by(caught.value)


FETCH = f"fetch http://{NOWHERE}/x --retries 0 --root " + "00" * 32
COMMANDS = """
    hash {}; hash --json {}; hash --hash sha256 {}; hash --check {}; hash -r {}; hash --xet {}; hash --keyed {};
    hash --length {} f; hash --{} f; hash -{} f; hash --policy {} f; hash --device {} f; piece {}; {}; --{};
    tree build {} --leaf-size 64 -o o.mkl; tree build f --leaf-size 64 -o {}/x; tree show {}; tree info {};
    tree prove {} 1; tree verify {} --root ROOT; tree check {}; tree append {} f; tree update t.mkl 0 --from {};
    tree diff t.mkl {}; bao outboard {}; bao encode {}; bao decode {} ROOT; bao hash {}; bao verify f {} ROOT;
    bao decode f --outboard {} ROOT; bao slice f 0 1 --outboard {}; bao encode f -o {}/x; manifest create {};
    manifest check {}; manifest show {}; xmss verify {} --public-key ROOT --epoch 0 --message ROOT;
    xmss verify f --public-key {} --epoch 0 --message ROOT; manifest diff {} {}; manifest create f -o {}/x;
    verity format {} h; verity verify f {} ROOT; verity dump {}; devices {}; bench {}; bench files --json {}/x; tune {};
    build-kernels {}; fetch {} --root ROOT --outboard f -o o --retries 0; FETCH --outboard {} -o o;
    FETCH --outboard f -o {}/x;
    fetch {} {}; fetch http://127.0.0.1:9/x --root {}
""".replace("FETCH", FETCH).replace("ROOT", "00" * 32)


LINES = [" ".join(line.split()) for line in COMMANDS.split(";")]


@pytest.mark.parametrize("line", LINES)
def test_the_program(line, tmp_path):
    (tmp_path / "f").write_bytes(bytes(1000))
    merklize.MerkleTree(LEAVES).save(tmp_path / "t.mkl")
    few = slice(LINES.index(line) % 8, None, 8)  # a command takes a second for a URL, and all have the same texts
    words = [*WORDS, *TABLE["more_urls"][few]]
    for word in words if "--json" in line else [*words, *NAMES, *TABLE["more_names"][few]]:
        done = run(*(part.replace("{}", word) for part in line.split()), cwd=tmp_path)
        assert done.returncode != 0, (line, word)
        assert SECRET.encode() not in done.stdout + done.stderr, (line, word, done.stdout + done.stderr)
        assert b"Traceback" not in done.stderr, (line, word, done.stderr)


def test_keys():
    key = bytes(range(100, 132))
    digits = {key.hex(), str(key), str(list(key)), "100, 101", "ghij"}
    tree = merklize.MerkleTree(LEAVES, key=key)
    made = [
        merklize.Hasher(key=key),
        tree,
        merklize.TreeBuilder(key=key),
        tree.prove(0),
        merklize.blake3.blake3(key=key),
    ]
    texts = [text for one in made for text in (repr(one), str(one))]
    calls = [
        lambda: merklize.hash(b"", key=key[1:]),
        lambda: merklize.hash(b"", key=list(key)),
        lambda: merklize.hash(b"", key=key.hex()),
        lambda: merklize.hash(b"", hash="sha256", key=key),
        lambda: merklize.hash(b"", key=key, context="c"),
        lambda: merklize.Hasher(key=key[1:]),
        lambda: merklize.MerkleTree(LEAVES, key=key[1:]),
        lambda: merklize.MerkleTree(LEAVES, "sha256", key=key),
        lambda: merklize.MerkleTree(LEAVES, format="bitcoin", key=key),
        lambda: merklize.hash(b"", hash="blake2s", key=key * 2),
    ]
    for call in calls:
        with pytest.raises((merklize.Error, TypeError)) as caught:
            call()
        texts.append(said_by(caught.value))
    for text in texts:
        assert not any(secret in text for secret in digits), text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("https://u:p@h/a?b=c: cannot open", "https://h/a?...: cannot open"),
        ("x: 'https://h/a?b' (http:h?c), data:a,b; d", "x: 'https://h/a?...' (http:h?...), data:...; d"),
        ("a?b: no such file", "a?b: no such file"),
        ("a?b=c: no such file", "a?...: no such file"),
        ("prove: leaf index must be below 8, got 8", "prove: leaf index must be below 8, got 8"),
        ("C:/a?b", "C:/a?b"),
        ("C:/a@b: x:y", "C:/a@b: x:y"),
        ("'u:p@h/f': no such file", "'u:h/f': no such file"),
        ("'https://h/a?b='c'' is", "'https://h/a?...'' is"),
        ("['https://u:it's@h/a', 'b?c=d'] don't", "['https://h/a', 'b?...'] don't"),
        ("https:///u:p@h/a file:///x@y/z", "https:///h/a file:///x@y/z"),
        ("data: must be bytes", "data: must be bytes"),
        ("https://h/@scope/a", "https://h/@scope/a"),
        ("s3://b/k:x?versionId=1", "s3://b/k:x?..."),
        ("--outboard=https://u@h/a?b is", "--outboard=https://h/a?... is"),
        ("a::b: c", "a::b: c"),
        ("https%3A//u:p@h/a: no such file", "https://h/a: no such file"),
        ("https%253A%252F%252Fu%253Ap%2540h", "https://h"),
        ("https://h/a%20b%40c", "https://h/a%20b%40c"),
        ("https://h/a;sig=b, https://h/a;b", "https://h/a;..., https://h/a;..."),
        ("ftp://h/a#b https://h/a#b", "ftp://h/a#... https://h/a#..."),
        ("https://u:12345/p@h/a", "https://.../a"),
        ("https://u:12345/p@h", "https://..."),
        ("https://h:8080/a?to=b@c", "https://...?..."),
        ("https://h:8080/a?b=c", "https://h:8080/a?..."),
        ("https://[::1]:80/a", "https://[::1]:80/a"),
        ("(http://[::1]), ['http://u:p@[::1]'] http://u:p@[::1]:", "(http://[::1]), ['http://[::1]'] http://[::1]:"),
        ("http://[::1/x: no host", "http://...: no host"),
        ("//u:p@[::1]:80/@x", "//[::1]:80/@x"),
        ("jdbc:mysql://u:p@h/a?b", "jdbc:mysql://h/a?..."),
        ("argument (//u:12/p@h/a) or --//u:p@h/a", "argument (//.../a) or --//h/a"),
        ("/data/a;b=c/d#e=f", "/data/a;b=c/d#e=f"),
        ("file:///a;b=c#d", "file:///a;b=c#d"),
        ("a;b=c: no such file", "a;...: no such file"),
        ("\ud800https://h?x", "\ud800https://h?..."),
        ("", ""),
    ],
)
def test_masked(text, shown):
    assert masked(text) == shown
    assert masked(shown) == shown

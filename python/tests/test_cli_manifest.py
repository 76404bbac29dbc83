"""`merklize manifest`: what it prints and how it exits."""

from __future__ import annotations

import fnmatch
import json
import os
import re
import threading

import numpy as np
import pytest

import merklize as merklize_package
from cli_helpers import merklize, output
from merklize.manifests import Manifest, manifest
from weights import a_state, write, write_sharded


def lines(done):
    return done.stdout.decode().splitlines()


def test_create_check_show_and_diff(tmp_path):
    write_sharded(tmp_path, a_state())
    (tmp_path / "config.json").write_text("{}")
    said = output("manifest", "create", tmp_path, "-o", tmp_path / "manifest.json")
    made = Manifest.load(tmp_path / "manifest.json")
    assert said == f"{made.root.hex()}  {tmp_path}/manifest.json\n"
    assert Manifest.from_json(output("manifest", "create", tmp_path, "--ignore", "manifest.json")) != made
    assert "OK: 10 tensors and files" in output("manifest", "check", tmp_path / "manifest.json")
    assert "OK: 10 tensors and files" in output("manifest", "check", "manifest.json", cwd=tmp_path)
    assert "OK: 1 of its tensors and files" in output(
        "manifest", "check", "manifest.json", "--only", "big", cwd=tmp_path
    )
    shown = output("manifest", "show", "manifest.json", cwd=tmp_path)
    assert f"root  {made.root.hex()}" in shown
    assert f"\n{made.tensors['big'].digest.hex()[:16]}  " in shown
    assert all(len(line) <= 80 for line in shown.splitlines())
    found = json.loads(output("manifest", "show", "--json", "manifest.json", cwd=tmp_path))
    assert (found["root"], found["kind"]) == (made.root.hex(), made.kind)
    assert {one["name"]: (one["digest"], one["shape"], one["bytes"]) for one in found["tensors"]} == {
        name: (one.digest.hex(), list(one.shape), one.size) for name, one in made.tensors.items()
    }
    assert {one["name"]: one["digest"] for one in found["files"]} == {
        name: one.digest.hex() for name, one in made.files.items()
    }

    (tmp_path / "config.json").write_text("[]")
    done = merklize("manifest", "check", "manifest.json", cwd=tmp_path)
    assert done.returncode == 1
    assert lines(done) == ["file 'config.json': bytes 0 to 2 differ (of 2)"]
    assert done.stderr == b"merklize: WARNING: 1 difference from manifest.json\n"
    done = merklize("manifest", "check", "--json", "manifest.json", cwd=tmp_path)
    fields = json.loads(done.stdout)
    assert (done.returncode, fields["ok"], fields["differences"][0]["name"]) == (1, False, "config.json")

    (tmp_path / "old.json").write_bytes((tmp_path / "manifest.json").read_bytes())
    refreshed = output("manifest", "refresh", "manifest.json", "--all", cwd=tmp_path)
    assert "files hashed" in refreshed
    done = merklize("manifest", "diff", "old.json", "manifest.json", cwd=tmp_path)
    assert done.returncode == 1
    assert "file 'config.json': bytes 0 to 2 differ (of 2)" in lines(done)
    assert output("manifest", "diff", "old.json", "old.json", cwd=tmp_path) == ""


def read_all(path, into):
    into.append(path.read_bytes())


def test_a_manifest_by_tiles(tmp_path):
    state = a_state()
    path = write(tmp_path / "m.safetensors", state)
    one, plain = tmp_path / "tiles.json", tmp_path / "plain.json"
    made = manifest(path, tiles=True)
    assert merklize("manifest", "create", "--tiles", path, "-o", one).stdout.split()[0].decode() == made.root.hex()
    assert merklize("manifest", "create", path, "-o", plain).returncode == 0
    assert Manifest.load(one) == made
    assert merklize("manifest", "check", one).stdout.startswith(b"OK: 8 tensors")
    assert b"by    tiles-v1" in merklize("manifest", "show", one).stdout
    assert json.loads(merklize("manifest", "show", "--json", one).stdout)["digest"] == "tiles-v1"
    assert "digest" not in json.loads(merklize("manifest", "show", "--json", plain).stdout)
    other = merklize("manifest", "diff", one, plain)
    assert (other.returncode, other.stdout) == (1, b"")
    assert b"one manifest has digests of tiles, the other of bytes" in other.stderr
    changed = bytearray(path.read_bytes())
    changed[made.tensors["big"].offset + 1234567] ^= 1
    path.write_bytes(changed)
    found = merklize("manifest", "check", "--json", one)
    assert [(d["kind"], d["name"]) for d in json.loads(found.stdout)["differences"]] == [("bytes", "big")]
    assert merklize("manifest", "refresh", one).returncode == 0
    assert Manifest.load(one).digest == "tiles-v1"
    assert merklize("manifest", "check", one).returncode == 0


def test_where_a_manifest_is_written(tmp_path):
    model = tmp_path / "model"
    model.mkdir()
    write(model / "m.safetensors", {"t": np.ones(3)})
    text = output("manifest", "create", "--portable", model)
    for name in ("-", "/dev/stdout"):
        assert output("manifest", "create", "--portable", model, "-o", name, cwd=tmp_path) == text
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    os.mkfifo(tmp_path / "pipe")
    made = manifest(model)

    def command(name):
        output("manifest", "create", "--portable", model, "-o", name, cwd=tmp_path)

    for create in (command, lambda name: made.save(tmp_path / name, seen=False)):
        create("link")
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "real").read_text() == text
        output("manifest", "refresh", "real", model, cwd=tmp_path)
        assert (tmp_path / "real").read_text() == text  # still without times
        (tmp_path / "real").write_text("old")
        got = []
        reader = threading.Thread(target=read_all, args=(tmp_path / "pipe", got))
        reader.start()
        create("pipe")
        reader.join()
        assert got == [text.encode()]
        assert (tmp_path / "pipe").is_fifo()
    assert sorted(os.listdir(tmp_path)) == ["link", "model", "pipe", "real"]
    done = merklize("manifest", "create", model, "-o", "", cwd=tmp_path)
    assert (done.returncode, done.stderr.count(b"the name of the file is empty")) == (2, 1)


def test_refresh_says_what_it_hashed(tmp_path):
    write_sharded(tmp_path, a_state())
    index = "model.safetensors.index.json"
    output("manifest", "create", index, "-o", "manifest.json", cwd=tmp_path)
    before = Manifest.load(tmp_path / "manifest.json")
    text = "0 of 2 files hashed; 2 kept, whose size, time and inode are the same\n"
    assert output("manifest", "refresh", "manifest.json", cwd=tmp_path).startswith(text)
    shard = before.tensors["big"].shard
    content = (tmp_path / shard).read_bytes()
    (tmp_path / shard).write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    said = output("manifest", "refresh", "manifest.json", cwd=tmp_path).splitlines()
    assert said[0] == f"hashed  {shard}"
    assert said[1].startswith("1 of 2 files hashed; 1 kept")
    assert Manifest.load(tmp_path / "manifest.json").check(tmp_path)


def test_what_fails_is_one_line(tmp_path):
    path = write(tmp_path / "m.safetensors", {"t": np.ones(3)})
    content = path.read_bytes()
    path.write_bytes(content[:-1])
    done = merklize("manifest", "create", path, "-o", tmp_path / "manifest.json")
    assert done.returncode == 1
    assert b"beyond the end of the file" in done.stderr
    assert done.stderr.count(b"\n") == 1
    assert os.listdir(tmp_path) == ["m.safetensors"]
    (tmp_path / "manifest.json").write_text("{}")
    for command in ("check", "show", "refresh"):
        done = merklize("manifest", command, tmp_path / "manifest.json")
        assert (done.returncode, done.stderr.count(b"\n")) == (1, 1)
        assert b"manifest.json: not a valid manifest: format must be" in done.stderr


def flipped(path, at):
    content = bytearray(path.read_bytes())
    content[at] ^= 1
    path.write_bytes(content)


def rewritten_header(path, change):
    """Change the JSON of a safetensors file. If its length stays the same, the tensors stay at their offsets."""
    content = path.read_bytes()
    length = int.from_bytes(content[:8], "little")
    header = change(content[8 : 8 + length])
    path.write_bytes(len(header).to_bytes(8, "little") + header + content[8 + length :])


def shard_of(folder, tensor):
    return folder / Manifest.load(folder / "manifest.json").tensors[tensor].shard


# Changes of a folder of shards and other files.
DAMAGE = {
    "nothing": lambda folder: None,
    "a bit of a tensor": lambda folder: flipped(shard_of(folder, "big"), -1),
    "a bit of a large file": lambda folder: flipped(folder / "sub" / "large.bin", (2 << 20) + 5),
    "a bit of a small file": lambda folder: flipped(folder / "it's.txt", 0),
    "a shorter file": lambda folder: (folder / "it's.txt").write_bytes(b"x"),
    "a missing file": lambda folder: (folder / "it's.txt").unlink(),
    "a missing shard": lambda folder: shard_of(folder, "big").unlink(),
    "another file": lambda folder: (folder / "näw\nline").write_bytes(b"x"),
    "another shard": lambda folder: write(folder / "zz.safetensors", {"t": np.ones(3), "u": np.ones(1)}),
    "a shard of names that are there": lambda folder: write(folder / "zz.safetensors", {"big": np.ones(3)}),
    "a truncated shard": lambda folder: os.truncate(shard_of(folder, "big"), 100),
    "an empty shard": lambda folder: os.truncate(shard_of(folder, "big"), 0),
    "another dtype": lambda folder: rewritten_header(shard_of(folder, "big"), lambda h: h.replace(b'"F32"', b'"I32"')),
    "another shape": lambda folder: rewritten_header(
        shard_of(folder, "big"), lambda h: re.sub(rb'"shape": ?\[(\d+)\]', rb'"shape":[\1,1]', h)
    ),
    "another header": lambda folder: rewritten_header(shard_of(folder, "big"), lambda h: h + b"  "),
    "a folder in place of a file": lambda folder: ((folder / "it's.txt").unlink(), (folder / "it's.txt").mkdir()),
    "no right to read": lambda folder: (folder / "sub" / "large.bin").chmod(0),
}


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("kind", ["folder", "index", "file"])
def test_check_is_the_librarys(tmp_path, kind, damage):
    folder = tmp_path / "m"
    (folder / "sub").mkdir(parents=True)
    write_sharded(folder, a_state())
    (folder / "it's.txt").write_bytes(b"text")
    (folder / "sub" / "large.bin").write_bytes(bytes(range(256)) * (5 << 12))
    (folder / "left.lock").touch()
    index = folder / "model.safetensors.index.json"
    manifest(folder, exclude=folder / "manifest.json", ignore=["*.lock", ".*"]).save(folder / "manifest.json")
    source = {"folder": folder, "index": index, "file": shard_of(folder, "big")}[kind]
    made = manifest(source, ignore=["*.lock", ".*"], exclude=folder / "manifest.json")
    known = folder / "manifest.json" if kind == "folder" else tmp_path / "known.json"
    made.save(known)
    DAMAGE[damage](folder)
    for only in ([], ["big"], ["*.b*"], ["it's*"], [source.name]):
        words = [word for pattern in only for word in ("--only", pattern)]
        done = merklize("manifest", "check", "--json", *words, known, source)
        plain = merklize("manifest", "check", *words, known, source)
        expected, refused = None, None
        try:
            expected = Manifest.load(known).check(source, only=only)
        except merklize_package.Error as error:
            refused = f"merklize: {getattr(error, 'rule', error)}\n"  # without the function of Python
        if expected is None:
            assert (done.returncode, plain.stdout, done.stderr.decode()) == (1, b"", refused)
            assert f"merklize: {json.loads(done.stdout)['error']}\n" == refused
            continue
        fields = json.loads(done.stdout)
        assert fields["differences"] == [one._asdict() for one in expected.differences], only
        assert (fields["ok"], fields["checked"], fields["bytes"]) == (bool(expected), expected.checked, expected.size)
        assert done.returncode == plain.returncode == (not expected)
        shown = [str(one).replace("\n", "\\n") for one in expected.differences]
        assert not shown or lines(plain) == shown


def test_manifests_that_are_refused_are_refused_by_both(tmp_path):
    write_sharded(tmp_path, a_state())
    (tmp_path / "config.json").write_text("{}")
    text = manifest(tmp_path, ignore=["m.json"]).to_json()
    digest = re.search(r'"digest": "([0-9a-f]{64})"', text)[1]
    wrong = [
        text.replace('"kind"', '"Kind"'),
        text.replace('"piece_size": 1048576', '"piece_size": 1048577'),
        text.replace('"piece_size": 1048576', '"piece_size": 1e6'),
        text.replace('"piece_size"', '"piece_size": 0, "piece_size"'),
        text.replace("config.json", "../config.json"),
        text.replace("config.json", "C:config.json"),
        text.replace("config.json", "a\\\\b"),
        text.replace("config.json", "\\ud800"),
        text.replace(digest, digest[:-1]),
        text.replace(digest, digest.upper()),
        text.replace(digest, "0" * 64),
        text.replace('"folder"', '"file"'),
        text.replace('"folder"', '"heap"'),
        text.replace('"name": null', '"name": "x"'),
        text.replace('"blake3"', '"sha256"'),
        text.replace('"F32"', '"F33"'),
        text.replace('"offset": ', '"offset": 9'),
        text.replace('"ignore": [', '"ignore": [1, '),
        text.replace('"aliases": [', '"aliases": [["none"], '),
        text[:-3],
        text + "x",
        "",
        "[]",
        "{}",
        "[" * 3000,
        "\ufeff" + text,
    ]
    for content in wrong:
        (tmp_path / "m.json").write_text(content, "utf-8", "surrogatepass")
        with pytest.raises(merklize_package.InvalidArgument) as caught:
            Manifest.load(tmp_path / "m.json")
        done = merklize("manifest", "check", "m.json", cwd=tmp_path)
        assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (1, b"", 1), content[:200]
        assert done.stderr.startswith(b"merklize: m.json: "), caught.value


def test_patterns_are_those_of_python(tmp_path):
    names = ["a.b", "a[b", "a]b", "a-b", "ab", "aXb", "a/b", "ä", "[", "]", "!", "-", "a.b.c"]
    patterns = [
        "*",
        "a?b",
        "a[b",
        "a[]]b",
        "a[!]]b",
        "a[a-z]b",
        "a[!a-z]b",
        "[a-]*",
        "[-]",
        "[!-]",
        "[z-a]",
        "?",
        "[ä]",
    ]
    patterns += ["*b", "a*", "**", "a[", "[]", "[!]", "[[]", "[]-]", "a.*.c", "*.*", "ä*"]
    state = {name: np.arange(k + 1, dtype=np.uint8) for k, name in enumerate(names)}
    write(tmp_path / "m.safetensors", state)
    known = manifest(tmp_path / "m.safetensors")
    known.save(tmp_path / "k.json")
    for pattern in patterns:
        count = sum(
            fnmatch.fnmatchcase(name, pattern) or fnmatch.fnmatchcase("m.safetensors", pattern) for name in names
        )
        done = merklize("manifest", "check", "--json", "--only", pattern, tmp_path / "k.json", tmp_path)
        assert (json.loads(done.stdout)["checked"] if done.returncode == 0 else 0) == count, pattern


@pytest.mark.parametrize(
    "pattern", [".venv", ".venv/", "./.venv", "./.venv/", "**/.venv", "**/.venv/", ".ven?/", "././.venv//"]
)
def test_patterns_of_a_folder(tmp_path, pattern):
    model = tmp_path / "m"
    for folder in (".venv", "deep/.venv"):
        (model / folder).mkdir(parents=True)
        (model / folder / "link").symlink_to("/nowhere")
    (model / "a").write_bytes(b"a")
    done = merklize(
        "manifest", "create", "m", "--ignore", pattern, "--ignore", "none/", "-o", "made.json", cwd=tmp_path
    )
    assert (done.returncode, done.stderr) == (0, b"merklize: WARNING: --ignore 'none' left nothing out\n")
    made = json.loads((tmp_path / "made.json").read_text())
    assert [entry["path"] for entry in made["files"]] == ["a"]
    assert "/" not in "".join(made["ignore"])
    assert merklize("manifest", "check", "made.json", "m", cwd=tmp_path).returncode == 0
    assert list(manifest(model, ignore=[pattern]).files) == ["a"]


@pytest.mark.parametrize(
    ("name", "words"),
    [("run 12:30.log", "its first part has a colon"), ("a\\b", "it has a backslash"), ("http:x/y", "has a colon")],
)
def test_names_that_are_refused_say_why(tmp_path, name, words):
    (tmp_path / "m" / name).parent.mkdir(parents=True)
    (tmp_path / "m" / name).write_bytes(b"")
    done = merklize("manifest", "create", "m", cwd=tmp_path)
    assert done.returncode == 1
    assert words in done.stderr.decode()


def test_a_link_to_nothing(tmp_path):
    (tmp_path / "m").mkdir()
    for target, why in (("nowhere", "No such file"), ("gone", "Too many levels")):
        (tmp_path / "m" / "gone").symlink_to(target)
        done = merklize("manifest", "create", "m", "--follow-links", cwd=tmp_path)
        assert done.returncode == 1
        assert f"m/gone is a symbolic link that leads to nothing ({why}" in done.stderr.decode()
        (tmp_path / "m" / "gone").unlink()


def test_a_manifest_from_standard_input(tmp_path):
    model = tmp_path / "model"
    model.mkdir()
    (model / "a").write_bytes(b"a")
    text = output("manifest", "create", model)
    (tmp_path / "known.json").write_text(text)
    for words in (("show", "-"), ("check", "-", model), ("diff", "-", tmp_path / "known.json")):
        output("manifest", *words, stdin=text.encode())
    output("manifest", "check", "-", stdin=text.encode(), cwd=model)
    done = merklize("manifest", "refresh", "-", model, stdin=text.encode())
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"MANIFEST is written again, so it cannot be standard input" in done.stderr


@pytest.mark.parametrize("kind", ["link", "pipe"])
def test_what_a_check_cannot_take_says_what_helps(tmp_path, kind):
    """`check` has no --ignore: the manifest says what is left out."""
    model = tmp_path / "model"
    model.mkdir()
    (model / "a").write_bytes(b"a")
    output("manifest", "create", model, "-o", tmp_path / "m.json")
    if kind == "link":
        (model / "more").symlink_to("a")
    else:
        os.mkfifo(model / "more")
    for words in (("create", model), ("check", tmp_path / "m.json", model), ("refresh", tmp_path / "m.json", model)):
        done = merklize("manifest", *words)
        assert done.returncode == 1
        assert b"leave it out when the manifest is made" in done.stdout + done.stderr, words

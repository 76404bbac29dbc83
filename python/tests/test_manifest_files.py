"""Manifests of files: the rules for safetensors files, indices and folders, and the files that refresh hashes again."""

from __future__ import annotations

import itertools
import json
import os
import pickle
import struct
import warnings

import numpy as np
import pytest
from blake3 import blake3

import merklize
from cli_helpers import merklize as run
from merklize.manifests import Manifest
from weights import a_state, kinds, write, write_sharded

MIB = 1 << 20


# ---- Files ----


def test_a_file_an_index_a_folder_and_memory_have_one_digest_a_tensor(tmp_path):
    state = a_state()
    memory = merklize.manifest(state)
    one = merklize.manifest(write(tmp_path / "one.safetensors", state))
    (tmp_path / "sharded").mkdir()
    index = write_sharded(tmp_path / "sharded", state, 3)
    sharded = merklize.manifest(index)
    assert memory.root == one.root == sharded.root
    assert len(sharded.shards) == 3
    proof = sharded.prove_shard("model-00001-of-00003.safetensors")
    inside = [t.leaf() for t in sharded.tensors.values() if t.shard == "model-00001-of-00003.safetensors"]
    assert proof.verify(sharded.root)
    assert [leaf.tobytes() for leaf in proof.leaves] == inside

    folder = merklize.manifest(tmp_path / "sharded")
    assert list(folder.files) == [index.name]
    assert {n: t.digest for n, t in folder.tensors.items()} == {n: t.digest for n, t in memory.tensors.items()}
    assert folder.files[index.name].digest == blake3(index.read_bytes()).digest()
    assert folder.root != memory.root
    assert folder.prove(index.name).verify(folder.root, leaf=folder.files[index.name].leaf())


def test_names_in_a_folder(tmp_path):
    for folder in ("", "unet", "vae/deep"):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        write(tmp_path / folder / "model.safetensors", {"w": np.ones(3, "f4")})
    write(tmp_path / "unet" / "model.fp16.safetensors", {"w": np.ones(3, "f2"), "v": np.ones(3, "f2")})
    made = merklize.manifest(tmp_path)
    (tmp_path / "empty.safetensors").write_bytes(struct.pack("<Q", 2) + b"{}")
    assert kinds(made.check(tmp_path).differences) == [("unexpected", "shard", "empty.safetensors")]
    (tmp_path / "empty.safetensors").unlink()
    report = merklize.check_model({"w": np.zeros(3, "f4")}, made, prefix="vae/deep/")
    assert kinds(report.differences) == [("bytes", "tensor", "vae/deep/w")]
    assert merklize.check_model({"w": np.ones(3, "f4")}, made, prefix="vae/deep/")
    assert merklize.check_model({"w": np.ones(3, "f4")}, made, prefix="vae/deep/", only=["w"])
    assert list(made.tensors) == [
        "unet/model.fp16.safetensors:w",
        "unet/model.safetensors:w",
        "unet/v",
        "vae/deep/w",
        "w",
    ]
    assert made.check(tmp_path)


def test_the_header_and_all_other_bytes_of_a_file_are_covered(tmp_path):
    state = {"a": np.arange(50, dtype="f4"), "b": np.arange(9, dtype="u1")}
    path = write(tmp_path / "m.safetensors", state)
    made, content = merklize.manifest(path), path.read_bytes()
    for at in range(len(content)):
        path.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
        assert not made.check(path), at
    path.write_bytes(content)
    assert made.check(path)


GOOD = {"dtype": "U8", "shape": [8], "data_offsets": [0, 8]}


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"t": {**GOOD, "data_offsets": [0, 9], "shape": [9]}}, "beyond the end of the file"),
        ({"t": {**GOOD, "data_offsets": [0, 7], "shape": [7]}}, "1 bytes after tensor 't' belong to no tensor"),
        ({"t": {**GOOD, "data_offsets": [1, 8], "shape": [7]}}, "1 bytes between the header and tensor 't'"),
        (
            {"t": {**GOOD, "data_offsets": [0, 5], "shape": [5]}, "u": {**GOOD, "data_offsets": [4, 8], "shape": [4]}},
            "tensor 'u' overlaps tensor 't'",
        ),
        ({"t": {**GOOD, "data_offsets": [8, 0]}}, "data_offsets must be"),
        ({"t": {**GOOD, "data_offsets": [-8, 0]}}, "data_offsets must be"),
        ({"t": {**GOOD, "data_offsets": [0, 2**70]}}, "data_offsets must be"),
        ({"t": {**GOOD, "data_offsets": [0.0, 8]}}, "data_offsets must be"),
        ({"t": {**GOOD, "shape": [4]}}, r"U8\[4\] does not have the bytes of data_offsets \[0, 8\], 8"),
        ({"t": {**GOOD, "shape": [-8]}}, "shape must be a list of integers"),
        ({"t": {**GOOD, "shape": [True, 8]}}, "shape must be a list of integers"),
        ({"t": {**GOOD, "shape": [2**62, 2**62, 0]}}, "does not have the bytes"),
        ({"t": {**GOOD, "dtype": "F4", "shape": [15]}}, r"F4\[15\] does not have the bytes of"),
        ({"t": {**GOOD, "dtype": "Q8"}}, "unknown dtype 'Q8'"),
        ({"t": {**GOOD, "dtype": ["U8"]}}, "unknown dtype"),
        ({"t": {**GOOD, "more": 1}}, "dtype, shape and data_offsets, and nothing else"),
        ({"t": {"dtype": "U8"}}, "dtype, shape and data_offsets"),
        ({"t": 5}, "dtype, shape and data_offsets"),
        ({"t": GOOD, "__metadata__": {"a": 1}}, "__metadata__ must map strings to strings"),
        ({"t": GOOD, "__metadata__": []}, "__metadata__ must map strings to strings"),
        (b'{"t": %s, "t": %s}' % ((json.dumps(GOOD).encode(),) * 2), "'t' is there twice"),
        (b'{"t": {"dtype": "U8", "dtype": "U8", "shape": [8], "data_offsets": [0, 8]}}', "'dtype' is there twice"),
        (b'{"\xff": %s}' % json.dumps(GOOD).encode(), "must be UTF-8, byte 2 is not"),
        (b'{"\\ud800": %s}' % json.dumps(GOOD).encode(), "half of a surrogate pair"),
        (b'{"t": NaN}', "the header: not JSON"),
        (b'{"t": ' + b"[" * 100_000, "the header: "),
        (b'{"t": ' + b"1" * 10_000 + b"}", "tensor 't' must have dtype, shape and data_offsets"),
        (b" " + json.dumps({"t": GOOD}).encode(), "must begin with '{'"),
        (b"[]", "must begin with '{'"),
        (b"", "must begin with '{'"),
        (b"{", "the header: "),
    ],
)
def test_a_header_that_lies_is_refused(tmp_path, fields, text):
    path = write(tmp_path / "m.safetensors", {"t": np.zeros(8, "u1")}, fields)
    with pytest.raises(merklize.InvalidArgument, match=text) as error:
        merklize.manifest(path)
    assert str(path) in str(error.value)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"", "8 bytes of length, got 0"),
        (b"1234567", "8 bytes of length, got 7"),
        (struct.pack("<Q", 100_000_001) + b"{}", "at most 100000000 bytes, got 100000001"),
        (struct.pack("<Q", 2**64 - 1) + b"{}", "at most 100000000 bytes"),
        (struct.pack("<Q", 3) + b"{}", "passes the end of the file"),
    ],
)
def test_a_length_that_lies_is_refused(tmp_path, content, text):
    path = tmp_path / "m.safetensors"
    path.write_bytes(content)
    with pytest.raises(merklize.InvalidArgument, match=text):
        merklize.manifest(path)


def test_spaces_after_the_header_and_zero_tensors_are_good(tmp_path):
    state = {"t": np.zeros(8, "u1")}
    path = write(
        tmp_path / "m.safetensors", state, json.dumps({"t": GOOD, "__metadata__": {"a": "b"}}).encode() + b"   "
    )
    assert merklize.manifest(path).root == merklize.manifest(state).root
    write(tmp_path / "none.safetensors", {}, {})
    with pytest.raises(merklize.InvalidArgument, match="at least one tensor or file, got none"):
        merklize.manifest(tmp_path / "none.safetensors")


@pytest.mark.parametrize("name", ["../m.safetensors", "/m.safetensors", "a/../../m.safetensors", "a\\b", "", "C:/m"])
def test_an_index_that_leaves_its_folder_is_refused(tmp_path, name):
    index = tmp_path / "x.index.json"
    index.write_text(json.dumps({"weight_map": {"t": name}}))
    with pytest.raises(merklize.InvalidArgument, match="must be relative, below its folder"):
        merklize.manifest(index)


def test_an_index_that_lies_is_refused(tmp_path):
    index = write_sharded(tmp_path, a_state())
    fields = json.loads(index.read_text())
    shards = sorted(set(fields["weight_map"].values()))

    def refused(weights, text, kind=merklize.InvalidArgument):
        index.write_text(json.dumps({"weight_map": weights}))
        with pytest.raises(kind, match=text):
            merklize.manifest(index)

    made = merklize.manifest(index)
    index.write_text(json.dumps({"weight_map": {**fields["weight_map"], "more": shards[0]}}))
    assert kinds(made.check(index).differences) == [("unreadable", "file", index.name)]
    assert made.check(index, only=["big"])
    refused({**fields["weight_map"], "more": shards[0]}, "has no tensor 'more'")
    refused({n: s for n, s in fields["weight_map"].items() if n != "big"}, "'big' of the shard .* is not in the index")
    refused({**fields["weight_map"], "more": "none.safetensors"}, "cannot read", merklize.FileError)
    refused({}, "names no tensor")
    refused([], "weight_map must map")
    index.write_text('{"weight_map": {"a": "x", "a": "y"}}')
    with pytest.raises(merklize.InvalidArgument, match="'a' is there twice"):
        merklize.manifest(index)


def test_a_manifest_of_memory_says_nothing_of_other_files(tmp_path):
    made = merklize.manifest(a_state())
    write_sharded(tmp_path, a_state())
    assert made.check(tmp_path)
    assert made.check(tmp_path).checked == len(a_state())


def test_links_are_refused_unless_they_are_to_be_followed(tmp_path):
    (tmp_path / "blobs").mkdir()
    (tmp_path / "model").mkdir()
    write(tmp_path / "blobs" / "abc", a_state())
    link = tmp_path / "model" / "m.safetensors"
    link.symlink_to("../blobs/abc")
    for path in (link, tmp_path / "model"):
        with pytest.raises(merklize.InvalidArgument, match="symbolic link"):
            merklize.manifest(path)
        assert merklize.manifest(path, follow_links=True).root == merklize.manifest(a_state()).root
    made = merklize.manifest(tmp_path / "model", follow_links=True)
    assert made.check(tmp_path / "model", follow_links=True)
    (tmp_path / "model" / "folder").symlink_to(tmp_path)
    with pytest.raises(merklize.InvalidArgument, match="link to a folder, which is never followed"):
        merklize.manifest(tmp_path / "model", follow_links=True)


def test_names_that_one_system_has_once_are_refused(tmp_path):
    (tmp_path / "README").write_text("a")
    (tmp_path / "readme").write_text("b")
    with pytest.raises(merklize.InvalidArgument, match="'README' and 'readme' differ in case alone"):
        merklize.manifest(tmp_path)
    assert list(merklize.manifest(tmp_path, ignore=["README"]).files) == ["readme"]


def test_what_is_no_file_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(merklize.InvalidArgument, match="neither a file nor a folder"):
        merklize.manifest(tmp_path)
    with pytest.raises(merklize.FileError, match="cannot read"):
        merklize.manifest(tmp_path / "none.safetensors")
    os.unlink(tmp_path / "pipe")
    (tmp_path / os.fsdecode(b"\xff")).write_text("x")
    with pytest.raises(merklize.InvalidArgument, match="UTF-8"):
        merklize.manifest(tmp_path)


def test_a_file_that_changes_while_it_is_read_is_an_error(tmp_path):
    size = 512 * MIB  # long enough to be cancelled in the middle; the file is sparse
    path = tmp_path / "m.safetensors"
    header = json.dumps({"t": {"dtype": "U8", "shape": [size], "data_offsets": [0, size]}}).encode()
    path.write_bytes(len(header).to_bytes(8, "little") + header)
    os.truncate(path, 8 + len(header) + size)
    times = itertools.count(1)  # set by the test, because the kernel's times of changes have steps of milliseconds

    def change(share):
        time = next(times)
        os.utime(path, ns=(time, time))

    with pytest.raises(merklize.FileError, match="changed while being read"):
        merklize.manifest(path, threads=1, progress=change)
    made = merklize.manifest({"t": np.zeros(size, "u1")})
    assert [d.kind for d in made.check(path, threads=1, progress=change).differences] == ["unreadable"]


# ---- Refresh ----


def test_refresh_hashes_what_changed(tmp_path):
    state = a_state()
    write_sharded(tmp_path, state)
    (tmp_path / "a.txt").write_text("a")
    made = merklize.manifest(tmp_path)
    again = made.refresh(tmp_path)
    assert again.hashed == []
    assert again.manifest == made
    (tmp_path / "a.txt").write_text("b")
    shard = made.tensors["big"].shard
    content = (tmp_path / shard).read_bytes()
    (tmp_path / shard).write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    again = made.refresh(tmp_path)
    assert again.hashed == ["a.txt", shard]
    assert again.kept == sorted({*made.files, *made.shards} - {"a.txt", shard})
    assert again.manifest == merklize.manifest(tmp_path)
    assert made.refresh(tmp_path, everything=True).kept == []
    # Of the same size and time, but another inode.
    before = (tmp_path / "a.txt").stat()
    (tmp_path / "other").write_text("c")
    os.utime(tmp_path / "other", ns=(before.st_atime_ns, before.st_mtime_ns))
    (tmp_path / "other").replace(tmp_path / "a.txt")
    last = again.manifest.refresh(tmp_path)
    assert last.hashed == ["a.txt"]
    assert last.manifest == merklize.manifest(tmp_path)
    # Without the recorded times and inodes, all files are hashed.
    assert Manifest.from_json(made.to_json(seen=False)).refresh(tmp_path).kept == []
    with pytest.raises(merklize.InvalidArgument, match="of tensors in memory, not of files"):
        merklize.manifest(state).refresh(tmp_path)


def test_a_write_right_after_the_manifest_is_found_by_refresh(tmp_path):
    path = write(tmp_path / "m.safetensors", {"t": np.zeros(100, "u1")})
    for k in range(20):
        made = merklize.manifest(path)
        with open(path, "r+b") as file:  # the same size and inode, as soon as possible
            file.seek(-1, 2)
            file.write(bytes([k + 1]))
        assert made.refresh(path).manifest == merklize.manifest(path)


def test_progress_goes_up_and_can_cancel(tmp_path):
    write_sharded(tmp_path, {f"t{k}": np.zeros(8 * MIB, "u1") for k in range(4)})
    seen = []
    merklize.manifest(tmp_path, progress=lambda share: seen.append(share))
    assert seen == sorted(seen)
    assert all(0 <= share <= 1 for share in seen)
    with pytest.raises(merklize.Cancelled):
        merklize.manifest(tmp_path, progress=lambda share: False)


# ---- Models that are not whole ----


def warned(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        made = call()
    return made, [str(one.message) for one in caught]


@pytest.mark.parametrize("below", ["", "unet"])
def test_a_missing_shard_that_an_index_names_is_told(tmp_path, below):
    """Of a download that was broken off. create, check and refresh say so, in Python and in the program."""
    folder = tmp_path / "model" / below
    folder.mkdir(parents=True)
    (folder / "other.index.json").write_text("{}")  # no index of shards
    (tmp_path / "model" / "config.json").write_text("{}")
    index = write_sharded(folder, a_state(), 3)
    top, names = tmp_path / "model", sorted(path.name for path in folder.glob("*.safetensors"))
    whole, texts = warned(lambda: merklize.manifest(top))
    assert (whole.missing, texts) == ((), [])
    gone = folder / names[1]
    kept = gone.read_bytes()
    gone.unlink()
    missing = os.path.relpath(gone, top)
    told = f"not there, although an index of shards names it: {missing}"
    part, texts = warned(lambda: merklize.manifest(top))
    assert (part.missing, texts) == ((missing,), [f"{top}: {told}"])
    assert Manifest.from_json(part.to_json()) == part
    again, texts = warned(lambda: part.refresh(top))
    assert (again.manifest.missing, texts) == ((missing,), [f"{top}: {told}"])
    report, texts = warned(lambda: part.check(top))
    assert (bool(report), report.missing, texts) == (True, (missing,), [f"{top}: {told}"])
    # What the manifest has is a difference.
    report, texts = warned(lambda: whole.check(top))
    assert (report.missing, texts) == ((), [])
    assert not report
    # The program.
    created = run("manifest", "create", top, "-o", tmp_path / "m.json")
    assert (created.returncode, created.stderr.decode()) == (0, f"merklize: WARNING: {told}\n")
    checked = run("manifest", "check", tmp_path / "m.json", top)
    assert (checked.returncode, checked.stderr.decode()) == (0, f"merklize: WARNING: {told}\n")
    refreshed = run("manifest", "refresh", tmp_path / "m.json", top)
    assert (refreshed.returncode, refreshed.stderr.decode()) == (0, f"merklize: WARNING: {told}\n")
    # What is left out on purpose is not missing.
    for pattern in (names[1], "model-0000?-*", missing, *([below] if below else [])):
        assert warned(lambda pattern=pattern: merklize.manifest(top, ignore=[pattern]))[1] == []
    gone.write_bytes(kept)
    assert warned(lambda: merklize.manifest(top))[0] == whole
    # An index of PyTorch names plain files.
    index.with_name("pytorch_model.bin.index.json").write_text(json.dumps({"weight_map": {"t": "p.bin", "u": "q.bin"}}))
    (folder / "q.bin").touch()
    assert warned(lambda: merklize.manifest(top))[0].missing == (os.path.join(below, "p.bin"),)


def test_many_missing_shards_are_counted(tmp_path):
    (tmp_path / "m.index.json").write_text(json.dumps({"weight_map": {str(k): f"{k}.safetensors" for k in range(9)}}))
    (_, (text,)) = warned(lambda: merklize.manifest(tmp_path))
    names = ", ".join(f"{k}.safetensors" for k in range(5))
    assert text == f"{tmp_path}: not there, although an index of shards names it: {names} and 4 more"
    assert run("manifest", "create", tmp_path).stderr.decode().endswith(f"names it: {names} and 4 more\n")


POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"4d" * 32 + b"\nsize 12345\n"
FOREIGN = {
    "pointer": (POINTER, "a pointer of Git LFS in the place of the file: git lfs pull fetches it"),
    "zip": (b"PK\x03\x04\x14\0\0\x08" + bytes(60), "a zip archive, as PyTorch's .pt and .bin are"),
    "pickle": (pickle.dumps({"a": [1, 2, 3]}, protocol=2) + bytes(20), "a pickle of Python, as PyTorch writes"),
    "pickle 4": (pickle.dumps({"a": [1, 2, 3]}, protocol=4), "a pickle of Python, as PyTorch writes"),
    "GGUF": (b"GGUF\x03\0\0\0" + bytes(60), "a GGUF file"),
    "HDF5": (b"\x89HDF\r\n\x1a\n" + bytes(60), "an HDF5 file"),
    "NumPy": (b"\x93NUMPY\x01\0v\0" + bytes(60), "an array of NumPy"),
    "gzip": (b"\x1f\x8b\x08\x08" + b"\xff" * 60, "compressed by gzip"),
    "HTML": (b"<!DOCTYPE html><html></html>", "a page of HTML, perhaps of a failed download"),
}


@pytest.mark.parametrize("kind", FOREIGN)
def test_what_lies_in_the_place_of_weights_is_named(tmp_path, kind):
    content, text = FOREIGN[kind]
    (tmp_path / "m").mkdir()
    for name in ("m/model.safetensors", "weights.pt", "m.index.json", "manifest.json"):
        (tmp_path / name).write_bytes(content)
    calls = {
        "m/model.safetensors": "not a valid safetensors file: it is",
        "m": "not a valid safetensors file: it is",
        "weights.pt": "not a valid safetensors file: it is",
        "m.index.json": "not an index of shards: not JSON: it is",
    }
    for name, why in calls.items():
        with pytest.raises(merklize.InvalidArgument) as caught:
            merklize.manifest(tmp_path / name)
        assert f": {why} {text}" in str(caught.value)
        done = run("manifest", "create", tmp_path / name)
        assert (done.returncode, f": {why} {text}".encode() in done.stderr) == (1, True), done.stderr
    with pytest.raises(merklize.InvalidArgument, match="not a valid manifest: the text: not JSON: it is "):
        Manifest.load(tmp_path / "manifest.json")

"""Models beside the manifests and files of their checkpoints."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

import merklize
from merklize import sharded
from merklize.manifests import Manifest
from sharded_models import an_array, reference
from weights import write, write_sharded


def test_the_text_has_the_kind_and_old_texts_have_none(tmp_path):
    state = {"w": an_array(), "b": an_array((5,))}
    made = merklize.manifest(write(tmp_path / "m.safetensors", state), tiles=True)
    fields = json.loads(made.to_json())
    assert list(fields)[:4] == ["format", "hash", "digest", "root"]
    assert Manifest.from_json(made.to_json()) == made
    assert Manifest.from_json(made.to_json()).digest == "tiles-v1"
    old = merklize.manifest(state)
    assert "digest" not in json.loads(old.to_json())
    assert (old.digest, old.root == made.root) == ("bytes", False)
    for digest in ("tiles-v2", "bytes", None, 1):
        with pytest.raises(merklize.InvalidArgument, match="digest must be 'tiles-v1' or not there"):
            Manifest.from_json(json.dumps({**fields, "digest": digest}))
    fields["tensors"][0]["pieces"] = "00" * 64
    with pytest.raises(merklize.InvalidArgument, match="a tensor by tiles has no pieces"):
        Manifest.from_json(json.dumps(fields))
    assert made.prove("w").verify(made.root, leaf=made.tensors["w"].leaf())


def test_a_file_that_changed(tmp_path):
    state = {"w": an_array((300, 200)), "b": an_array((5,))}
    path = write(tmp_path / "m.safetensors", state)
    (tmp_path / "config.json").write_text("{}")
    made = merklize.manifest(tmp_path, tiles=True)
    with open(path, "r+b") as file:
        file.seek(made.tensors["w"].offset + 1000)
        byte = file.read(1)
        file.seek(made.tensors["w"].offset + 1000)
        file.write(bytes([byte[0] ^ 1]))
    (found,) = made.check(tmp_path).differences
    assert (found.kind, found.name) == ("bytes", "w")
    refreshed = made.refresh(tmp_path).manifest
    assert refreshed.digest == "tiles-v1"
    assert [d.name for d in made.diff(refreshed)] == ["w"]
    assert refreshed.check(tmp_path)


@pytest.mark.parametrize("make", [write, write_sharded])
def test_a_model_against_the_checkpoint_names_tiles(tmp_path, make):
    state = {
        "w": an_array((5, 70, 90)),
        "b": an_array((3000,), "u1"),
        "s": np.full((), 3, "f4"),
        "wide": an_array(),
    }
    path = make(tmp_path / "m.safetensors" if make is write else tmp_path, state)
    known = merklize.manifest(path, tiles=True)
    wrong = {name: array.copy() for name, array in state.items()}
    wrong["w"].view("u2")[3, 69, 64] ^= 1
    wrong["b"][2048] ^= 1
    wrong["s"].view("u4")[...] ^= 1
    expected = [("b", ((2048, 3000),)), ("s", ()), ("w", ((3, 4), (64, 70), (64, 90)))]
    for where in (path, tmp_path):
        assert [(d.name, d.box) for d in sharded.check(wrong, known, against=where).differences] == expected
    assert sharded.check(state, known, against=path)
    data = bytearray(Path(path).read_bytes()) if make is write else b""
    if data:
        data[known.tensors["b"].offset] ^= 1
        (tmp_path / "m.safetensors").write_bytes(data)
        with pytest.raises(merklize.InvalidArgument, match="tensor 'b' of .* is not the manifest's"):
            sharded.check(wrong, known, against=path)
        (tmp_path / "m.safetensors").write_bytes(data[: known.tensors["b"].offset + 5])
        with pytest.raises(merklize.InvalidArgument, match=r"against: .*m\.safetensors ends before byte"):
            sharded.check(wrong, known, against=path)
    with pytest.raises(merklize.FileError, match="cannot open"):
        sharded.check(wrong, known, against=tmp_path / "none" / "m.safetensors")
    with pytest.raises(merklize.InvalidArgument, match="the manifest is of tensors in memory"):
        sharded.check(wrong, merklize.manifest(state, tiles=True), against=path)
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "other").mkdir()
    for name in known.shards:
        (tmp_path / "other" / name).symlink_to(tmp_path / "fifo")
    with pytest.raises(merklize.FileError, match=r"safetensors: not a regular file or a block device"):
        sharded.check(wrong, known, against=tmp_path / "other")
    with pytest.raises(merklize.InvalidArgument, match="against: a path cannot hold a zero byte"):
        sharded.check(wrong, known, against=f"{path}\0")


def test_a_manifest_that_lies_of_a_tensor_without_elements(tmp_path):
    state = {"e": np.zeros((0, 3), "f4")}
    path = write(tmp_path / "m.safetensors", state)
    right = merklize.manifest(path, tiles=True)
    one = right.tensors["e"]._replace(digest=bytes(32))
    fields = json.loads(right.to_json())
    fields["tensors"][0]["digest"] = one.digest.hex()
    known = Manifest.from_json(json.dumps({**fields, "root": one.leaf().hex()}))
    assert [d.kind for d in sharded.check(state, known).differences] == ["bytes"]
    with pytest.raises(merklize.InvalidArgument, match="tensor 'e' of .* is not the manifest's"):
        sharded.check(state, known, against=path)


def test_a_file_is_read_in_parts(tmp_path, monkeypatch):
    state = {"row": an_array((2_000_001,)), "w": an_array((1500, 1000))}
    path = write(tmp_path / "m.safetensors", state)
    known = merklize.manifest(path, tiles=True)
    wrong = {name: array.copy() for name, array in state.items()}
    wrong["row"].view("u2")[2_000_000] ^= 1
    wrong["w"].view("u2")[1499, 999] ^= 1
    monkeypatch.setattr("merklize.manifests._tile_check.CHUNK", 1 << 18)
    tracemalloc.start()
    found = sharded.check(wrong, known, against=path).differences
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [d.box for d in found] == [((1_999_872, 2_000_001),), ((1472, 1500), (992, 1000))]
    assert peak < 1_500_000


@pytest.mark.parametrize("shape", [(3, 900_001), (33, 90_001), (2, 33, 70_000), (600_001,)])
def test_wide_tensors_are_read_in_parts_of_rows(shape, tmp_path, monkeypatch):
    """A row of tiles may be longer than what is read at once: the nodes are the same, also in memory and in a file."""
    array = an_array(shape, "f4")
    expected = reference()["tensor_digest"]("F32", shape, array.tobytes())
    assert merklize.manifest({"w": array}, tiles=True).tensors["w"].digest == expected
    path = write(tmp_path / "m.safetensors", {"w": array})
    known = merklize.manifest(path, tiles=True)
    assert known.tensors["w"].digest == expected
    monkeypatch.setattr("merklize.manifests._tile_nodes.CHUNK", 1 << 18)
    monkeypatch.setattr("merklize.manifests._tile_check.CHUNK", 1 << 18)
    stored = np.asfortranarray(array)
    assert sharded.model_root({"w": stored}) == known.root
    wrong = array.copy()
    wrong.view("u4").reshape(-1)[-1] ^= 1
    (found,) = sharded.check({"w": wrong}, known, against=path).differences
    assert all(end == count for (_, end), count in zip(found.box, shape))


def test_the_memory_for_a_wide_tensor_is_bounded(tmp_path):
    """Three rows of 2^26 bytes are one row of tiles."""
    shape, header = (3, 1 << 26), tmp_path / "w.safetensors"
    text = json.dumps({"w": {"dtype": "U8", "shape": shape, "data_offsets": [0, 3 << 26]}}).encode()
    header.write_bytes(struct.pack("<Q", len(text)) + text)
    os.truncate(header, 8 + len(text) + (3 << 26))
    code = """if True:
        import resource, sys, merklize
        merklize.hash(bytes(1 << 20))
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        made = merklize.manifest(sys.argv[1], tiles=True, threads=2)
        print(made.tensors["w"].digest.hex(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
    """
    digest, kibibytes = subprocess.run(
        [sys.executable, "-c", code, str(header)], stdout=subprocess.PIPE, check=True, text=True
    ).stdout.split()
    assert int(kibibytes) < 48 << 10
    known = merklize.manifest({"w": np.zeros(shape, "u1")}, tiles=True)
    assert known.tensors["w"].digest.hex() == digest


def test_a_device_for_files_is_refused(opencl, tmp_path):
    path = write(tmp_path / "m.safetensors", {"w": an_array()})
    with pytest.raises(merklize.InvalidArgument, match="which reads the tiles of files"):
        merklize.manifest(path, tiles=True, device=opencl)


def test_objects_of_stores(store, tmp_path):
    state = {"w": an_array((900, 600)), "b": an_array((5,)), "e": np.zeros((0, 3), "f4")}
    path = write(tmp_path / "m.safetensors", state)
    url = store("m.safetensors", path.read_bytes())
    made = merklize.manifest(url, tiles=True)
    assert made.root == merklize.manifest(path, tiles=True).root == sharded.model_root(state)
    assert made.check(url)
    assert made.check(path)

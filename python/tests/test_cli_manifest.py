"""`merklize manifest`: what it prints and how it exits."""

from __future__ import annotations

import json
import os

import numpy as np

from cli_helpers import merklize, output
from merklize.manifests import Manifest
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
    assert "OK: 1 tensors and files of it" in output(
        "manifest", "check", "manifest.json", "--only", "big", cwd=tmp_path
    )
    shown = output("manifest", "show", "manifest.json", cwd=tmp_path)
    assert f"root  {made.root.hex()}" in shown
    assert made.tensors["big"].digest.hex() in shown

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

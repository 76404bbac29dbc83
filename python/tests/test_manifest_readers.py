"""Python and the program read manifests and headers of weights: their verdicts agree, and the work is bounded."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import merklize as package
from cli_helpers import COMMAND, merklize
from merklize.manifests import Manifest, manifest
from weights import write

CASES = json.loads((Path(__file__).parents[2] / "tests" / "vectors" / "manifests.json").read_text("utf-8"))
GOOD = {"dtype": "U8", "shape": [8], "data_offsets": [0, 8]}


def content_of(case):
    return bytes.fromhex(case["hex"]) if "hex" in case else case["text"].encode()


def refusal(call, *arguments):
    """The text of merklize's error that a call raises, or None."""
    try:
        call(*arguments)
    except package.Error as error:
        return str(error)
    return None


# ---- One verdict ----


@pytest.mark.parametrize("case", CASES["manifests"], ids=lambda case: case["what"])
def test_a_manifest_is_taken_by_both_readers_or_by_none(tmp_path, case):
    path = tmp_path / "m.json"
    path.write_bytes(content_of(case))
    done = merklize("manifest", "show", path)
    assert (done.returncode, done.stderr.count(b"\n")) == ((0, 0) if case["taken"] else (1, 1)), done.stderr
    assert len(done.stderr) < 1500
    why = refusal(Manifest.load, path)
    assert (why is None) == case["taken"], why
    assert len(why or "") < 1500


@pytest.mark.parametrize("case", CASES["headers"], ids=lambda case: case["what"])
def test_a_header_is_taken_by_both_readers_or_by_none(tmp_path, case):
    manifest(write(tmp_path / "m.safetensors", {"t": np.zeros(8, "u1")})).save(tmp_path / "m.json")
    path = write(tmp_path / "m.safetensors", {"t": np.zeros(8, "u1")}, content_of(case))
    done = merklize("manifest", "check", "--json", tmp_path / "m.json", path)
    kinds = {one["kind"] for one in json.loads(done.stdout)["differences"]}
    assert ("unreadable" in kinds) != case["taken"], done.stdout
    why = refusal(manifest, path)
    assert (why is None) == case["taken"], why
    assert len(why or "") < 1500
    safetensors = pytest.importorskip("safetensors")
    try:
        safetensors.deserialize(path.read_bytes())
    except safetensors.SafetensorError:
        assert not case["taken"], "stock safetensors refuses it"


# ---- Bounded work ----

SECONDS = 120  # processor time; more is a hang
BYTES = 1 << 30
BOUNDED = f"""
import resource, sys
resource.setrlimit(resource.RLIMIT_CPU, ({SECONDS}, {SECONDS}))
import merklize
try:
    merklize.manifest(sys.argv[1])
except merklize.InvalidArgument as error:
    assert len(str(error)) < 1500
    print(error)
# ru_maxrss does not serve, because it begins with the value of the parent process.
kib = next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM:"))
assert kib < {BYTES >> 10}, "memory"
"""
ENTRY = '{"dtype":"U8","shape":[0],"data_offsets":[0,0]}'


def many_keys(count):
    return ",".join(f'"{k}":{ENTRY}' for k in range(count))


HOSTILE = {
    "a key twice, at the end of many": (lambda: f'{{{many_keys(100_000)},"99999":{ENTRY}}}', "'99999' is there twice"),
    "60,000 dimensions": (
        lambda: json.dumps({"t": {**GOOD, "shape": [2**62] * 60_000}}),
        "does not have the bytes of data_offsets",
    ),
    "60,000 dimensions of 1": (lambda: json.dumps({"t": {**GOOD, "shape": [8] + [1] * 60_000}}), ""),
    "300 dimensions": (lambda: json.dumps({"t": {**GOOD, "shape": [2**62] * 300}}), "does not have the bytes"),
    "a name of 10 MB": (lambda: json.dumps({"t" * 10_000_000: 5}), "must have dtype, shape and data_offsets"),
    "a dtype of 10 MB": (lambda: json.dumps({"t": {**GOOD, "dtype": "t" * 10_000_000}}), "the unknown dtype"),
    "a key of 10 MB twice": (lambda: '{"%s":1,"%s":1}' % (("t" * 10_000_000,) * 2), "is there twice"),
    "an integer of 10 MB": (lambda: '{"t":%s}' % ("9" * 10_000_000), "must have dtype, shape and data_offsets"),
    "98 MB of lists": (lambda: '{"t":[' + "[]," * 32_600_000 + "[]]}", "at most 4194304 commas and opening brackets"),
    "98 MB of tensors": (lambda: f"{{{many_keys(1_700_000)}}}", "at most 4194304 commas and opening brackets"),
    "98 MB of escapes": (lambda: '{"' + "\\n" * 49_000_000 + '":1}', "must have dtype, shape and data_offsets"),
    "20 MB of quotes": (lambda: "{" + '"' * 20_000_000, "the header: "),
    "3 MB of brackets": (lambda: '{"t":' + "[" * 3_000_000, "nested more than 100 deep"),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_headers_take_bounded_time_and_memory(tmp_path, what):
    make, expected = HOSTILE[what]
    path = write(tmp_path / "m.safetensors", {"t": np.zeros(8, "u1")})
    manifest(path).save(tmp_path / "m.json")
    write(path, {"t": np.zeros(8, "u1")}, make().encode())
    done = subprocess.run([sys.executable, "-c", BOUNDED, path], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert expected in done.stdout

    process = subprocess.Popen(
        [COMMAND, "manifest", "check", tmp_path / "m.json", path],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS)),
    )
    said, complained = process.communicate()
    assert process.returncode == 1
    assert len(said + complained) < 3000
    assert ("shard 'm.safetensors': " + str(path) in said.decode()) == bool(expected)


def test_indices_take_bounded_memory_too(tmp_path):
    path = tmp_path / "model.safetensors.index.json"
    path.write_text('{"weight_map": {"t": "x"}, "metadata": [' + "[]," * 4_200_000 + "[]]}")
    with pytest.raises(package.InvalidArgument, match="at most 4194304 commas and opening brackets"):
        manifest(path)


# ---- Links ----


def test_a_shard_below_a_linked_folder_is_refused_by_both(tmp_path):
    outside, model = tmp_path / "outside", tmp_path / "model"
    (outside / "deep").mkdir(parents=True)
    model.mkdir()
    write(outside / "deep" / "m.safetensors", {"t": np.zeros(8, "u1")})
    (model / "sub").symlink_to(outside)
    index = model / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": {"t": "sub/deep/m.safetensors"}}))
    why = f"{model}/sub/deep/m.safetensors lies below a symbolic link"
    with pytest.raises(package.InvalidArgument, match=why):
        manifest(index)
    made = manifest(index, follow_links=True)
    made.save(tmp_path / "m.json")
    expected = [("unreadable", "shard", "sub/deep/m.safetensors", why)]
    assert [(d.kind, d.what, d.name, d.detail) for d in made.check(index).differences] == expected
    assert made.check(index, follow_links=True)
    done = merklize("manifest", "check", tmp_path / "m.json", index)
    assert (done.returncode, done.stdout.decode()) == (1, f"shard 'sub/deep/m.safetensors': {why}\n")
    assert merklize("manifest", "check", "--follow-links", tmp_path / "m.json", index).returncode == 0
    # The path to the model itself may contain links.
    (tmp_path / "way").symlink_to(outside)
    path = tmp_path / "way" / "deep" / "m.safetensors"
    manifest(path).save(tmp_path / "k.json")
    assert merklize("manifest", "check", tmp_path / "k.json", path).returncode == 0


# ---- Sizes ----


def test_the_size_is_that_of_what_was_checked(tmp_path):
    path = write(tmp_path / "m.safetensors", {"a": np.zeros(1000, "u1"), "b": np.zeros(3 << 20, "u1")})
    (tmp_path / "c").write_bytes(bytes(50))
    made = manifest(tmp_path)
    made.save(path.with_name("m.json"))
    for only, size in (([], 1050 + (3 << 20)), (["a"], 1000), (["a", "c"], 1050), (["m.*"], 1000 + (3 << 20))):
        words = [word for pattern in only for word in ("--only", pattern)]
        assert made.check(tmp_path, only=only).size == size
        done = merklize("manifest", "check", "--json", *words, path.with_name("m.json"))
        assert json.loads(done.stdout)["bytes"] == size, done.stderr
    shown = merklize("manifest", "check", "--only", "a", path.with_name("m.json")).stdout
    assert shown.startswith(b"OK: 1 of its tensors and files, 1000 bytes, root ")

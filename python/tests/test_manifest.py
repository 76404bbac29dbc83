"""Manifests of weights: digests, tree and text, compared with plain second implementations; results of checks."""

from __future__ import annotations

import json
import os
import struct
import weakref
from collections.abc import Mapping

import numpy as np
import pytest
from blake3 import blake3

import merklize
import oracle
from merklize.manifests import LEAF_CONTEXT, Manifest
from weights import a_state, kind, kinds, write, write_sharded

MIB = 1 << 20


def expected_leaf(name, array, digest):
    """The definition in docs/manifest-format.md."""
    record = b"\0"
    for text in (name.encode(), kind(array).encode()):
        record += struct.pack("<I", len(text)) + text
    record += struct.pack("<I", array.ndim) + b"".join(struct.pack("<Q", extent) for extent in array.shape) + digest
    return blake3(record, derive_key_context=LEAF_CONTEXT).digest()


# ---- Digests and the root ----


def test_digests_leaves_and_root_are_those_of_a_plain_implementation():
    state = a_state()
    made = merklize.manifest(state)
    names = sorted(state, key=str.encode)
    assert list(made.tensors) == names
    digests = {name: blake3(state[name].tobytes()).digest() for name in names}
    leaves = [expected_leaf(name, state[name], digests[name]) for name in names]
    for name, leaf in zip(names, leaves):
        found = made.tensors[name]
        assert (found.digest, found.dtype, found.shape) == (digests[name], kind(state[name]), state[name].shape)
        assert found.leaf() == leaf
    assert made.root == oracle.rfc6962_root(leaves, "blake3")


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 7, 8, 9, 16, 17])
def test_the_root_of_any_count_and_proofs_of_all(count):
    state = {f"t{k}": np.full(3, k, "f4") for k in range(count)}
    made = merklize.manifest(state)
    leaves = [made.tensors[name].leaf() for name in made.tensors]
    assert made.root == oracle.rfc6962_root(leaves, "blake3")
    for name, tensor in made.tensors.items():
        assert made.prove(name).verify(made.root, leaf=tensor.leaf())
        assert not made.prove(name).verify(made.root, leaf=tensor._replace(shape=(1, 3)).leaf())


@pytest.mark.parametrize("size", [0, 1, 1024, 1025, 256 << 10, (256 << 10) + 1, MIB, MIB + 1, 2 * MIB, 5 * MIB + 3000])
def test_one_digest_on_disk_and_in_memory_at_the_edges_of_reads_and_pieces(tmp_path, size):
    data = np.random.default_rng(size).integers(0, 256, size, dtype="u1")
    state = {"before": np.ones(3, "u1"), "data": data}
    made = merklize.manifest(state)
    on_disk = merklize.manifest(write(tmp_path / "m.safetensors", state))
    assert made.root == on_disk.root
    assert made.tensors["data"].digest == on_disk.tensors["data"].digest == blake3(data.tobytes()).digest()
    assert made.tensors["data"].pieces == on_disk.tensors["data"].pieces
    assert len(made.tensors["data"].pieces) == (32 * -(-size // MIB) if size > MIB else 0)
    for threads in (1, 3):
        assert merklize.manifest(tmp_path / "m.safetensors", threads=threads) == on_disk


def test_tensors_on_a_device(device):
    state = a_state()
    assert merklize.manifest(state, device=device).root == merklize.manifest(state, device="cpu").root


def test_a_file_by_a_device(device, tmp_path):
    path = write(tmp_path / "m.safetensors", a_state())
    made = merklize.manifest(path, device=device)
    assert made == merklize.manifest(path, device="cpu")
    assert made.tensors["big"].pieces == merklize.manifest(a_state()).tensors["big"].pieces


def test_views_other_byte_orders_and_wrapped_arrays_have_the_bytes_of_their_plain_copies():
    plain = np.arange(2000, dtype="f4").reshape(40, 50)
    expected = merklize.manifest({"t": plain[::2, ::-3].copy()}).root
    assert merklize.manifest({"t": plain[::2, ::-3]}).root == expected
    assert merklize.manifest({"t": plain[::2, ::-3].astype(">f4")}).root == expected
    assert merklize.manifest({"t": np.asfortranarray(plain[::2, ::-3])}).root == expected
    long = np.arange(1 << 20, dtype="u2").reshape(1024, 1024)  # with pieces
    assert merklize.manifest({"t": long.T}).root == merklize.manifest({"t": long.T.copy()}).root
    wide = long.astype("c16")
    assert merklize.manifest({"t": wide.T}).root == merklize.manifest({"t": wide.T.copy()}).root


def test_dtypes_that_numpy_lacks():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    for name, mine in (("bfloat16", "BF16"), ("float8_e4m3fn", "F8_E4M3"), ("float8_e5m2", "F8_E5M2")):
        array = np.arange(7).astype(getattr(ml_dtypes, name))
        found = merklize.manifest({"t": array}).tensors["t"]
        assert (found.dtype, found.digest) == (mine, blake3(array.tobytes()).digest())


def test_tied_and_overlapping_tensors_are_said_to_be():
    base = np.arange(100, dtype="f4")
    state = {"a": base, "tied": base, "part": base[10:20], "other": base.copy(), "none": base[:0]}
    made = merklize.manifest(state)
    assert made.aliases == (("a", "part", "tied"),)
    assert made.tensors["a"].digest == made.tensors["tied"].digest == made.tensors["other"].digest
    assert Manifest.from_json(made.to_json()).aliases == made.aliases


@pytest.mark.parametrize(
    ("state", "text"),
    [
        ({}, "at least one tensor or file"),
        ({"t": [1, 2]}, "tensor 't': must be a tensor or an array, got list"),
        ({"t": np.array(["text"])}, "dtype str"),
        ({"t": np.array([None])}, "dtype object has no name"),
        ({1: np.ones(3)}, "names of tensors must be strings, got 1"),
        ({"\ud800": np.ones(3)}, "UTF-8"),
    ],
)
def test_what_is_no_tensor_is_refused(state, text):
    with pytest.raises(merklize.InvalidArgument, match=text):
        merklize.manifest(state)


@pytest.mark.parametrize("piece_size", [1, 1 << 17, (1 << 20) + 1])
def test_pieces_of_other_sizes_are_refused(piece_size):
    with pytest.raises(merklize.InvalidArgument, match="piece_size must be 0 or a power of two"):
        merklize.manifest(a_state(), piece_size=piece_size)


# ---- Text ----


def test_the_text_is_stable_and_read_back(tmp_path):
    index = write_sharded(tmp_path, a_state())
    for made in (merklize.manifest(index), merklize.manifest(tmp_path), merklize.manifest(a_state())):
        text = made.to_json()
        again = Manifest.from_json(text)
        assert again == made
        assert again.to_json() == text
        assert again.root == made.root
        assert list(json.loads(text))[:6] == ["format", "hash", "root", "kind", "name", "piece_size"]
        assert "seen" not in json.loads(made.to_json(seen=False))
        assert Manifest.from_json(made.to_json(seen=False)) == made


def changed(text, **fields):
    return json.dumps({**json.loads(text), **fields})


def test_another_text_is_refused(tmp_path):
    write(tmp_path / "m.safetensors", a_state())
    (tmp_path / "other").write_text("x")
    text = merklize.manifest(tmp_path).to_json()
    fields = json.loads(text)
    tensors, files = fields["tensors"], fields["files"]
    big = next(t for t in tensors if t["name"] == "big")

    def one_changed(**values):
        return [{**t, **values} if t is big else t for t in tensors]

    cases = [
        ("", "the text"),
        ("[]", "must be a JSON object"),
        (changed(text, format="merklize-manifest-2"), "format must be 'merklize-manifest-1'"),
        (changed(text, more=1), "unknown field 'more': it may be of a later version"),
        (json.dumps({k: v for k, v in fields.items() if k != "files"}), "has no field 'files'"),
        (changed(text, hash="sha256"), "hash must be 'blake3'"),
        (changed(text, root="00" * 32), "the root is 0000"),
        (changed(text, root="00"), "hexadecimal"),
        (changed(text, kind="file"), "name must be"),
        (changed(text, kind="x"), "kind must be one of"),
        (changed(text, piece_size=5), "piece_size"),
        (changed(text, piece_size=True), "piece_size"),
        (changed(text, tensors=tensors[::-1]), "out of order"),
        (changed(text, tensors=[tensors[0], *tensors]), "out of order"),
        (changed(text, tensors=one_changed(digest=big["digest"].upper())), "lower-case"),
        (changed(text, tensors=one_changed(digest="00" * 32)), "not that of its pieces"),
        (changed(text, tensors=one_changed(pieces=big["pieces"][:64])), "there must be 3 pieces, got 1"),
        (changed(text, tensors=one_changed(shape=[5])), "there must be 0 pieces"),
        (changed(text, tensors=one_changed(shape=[True])), "shape must be an integer"),
        (changed(text, tensors=one_changed(dtype="X")), "unknown dtype"),
        (changed(text, tensors=one_changed(shard="x")), "does not lie in a shard"),
        (changed(text, tensors=one_changed(offset=2**40)), "does not lie in a shard"),
        (changed(text, tensors=one_changed(more=1)), "unknown field"),
        (changed(text, files=[{**files[0], "path": "../other"}]), "must be relative, below its folder"),
        (changed(text, files=[{**files[0], "path": "/other"}]), "must be relative, below its folder"),
        (changed(text, files=[{**files[0], "path": "m.safetensors"}]), "is a shard and a file"),
        (changed(text, files=[{**files[0], "path": "M.safetensors"}]), "differ in case alone"),
        (changed(text, aliases=[["none"]]), "no tensor of the manifest"),
        (changed(text, tensors=[], files=[]), "at least one tensor or file, got none"),
        (text.replace('"kind"', '"root"'), "'root' is there twice"),
    ]
    for wrong, expected in cases:
        with pytest.raises(merklize.InvalidArgument, match=expected):
            Manifest.from_json(wrong)


def test_every_change_of_the_text_is_found_or_changes_nothing_under_the_root(tmp_path):
    made = merklize.manifest({"a": np.ones(3, "f4"), "b": np.ones((2, 2), "u1")})
    text = made.to_json()
    for at in range(len(text)):
        try:
            found = Manifest.from_json(text[:at] + chr(ord(text[at]) ^ 1) + text[at + 1 :])
        except merklize.InvalidArgument:
            continue
        assert found.root == made.root


def test_a_manifest_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "manifest.json"
    first, second = merklize.manifest(a_state(1)), merklize.manifest(a_state(2))
    first.save(path)
    path.chmod(0o640)

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(merklize.FileError, match="cannot write: No space left"):
        second.save(path)
    assert Manifest.load(path) == first
    assert os.listdir(tmp_path) == ["manifest.json"]
    monkeypatch.undo()
    second.save(path)
    assert Manifest.load(path) == second
    assert path.stat().st_mode & 0o777 == 0o640
    with pytest.raises(merklize.FileError, match="cannot write"):
        second.save(tmp_path / "none" / "manifest.json")


def test_a_manifest_in_its_own_folder(tmp_path):
    write(tmp_path / "m.safetensors", a_state())
    made = merklize.manifest(tmp_path)
    made.save(tmp_path / "manifest.json")
    assert made.check(tmp_path)
    assert Manifest.load(tmp_path / "manifest.json").check(tmp_path)
    assert Manifest.load(tmp_path / "manifest.json").refresh(tmp_path).manifest == made
    again = merklize.manifest(tmp_path)  # has the old one as a file
    with pytest.raises(merklize.InvalidArgument, match="one of the files that the manifest lists"):
        again.save(tmp_path / "manifest.json")
    assert merklize.manifest(tmp_path, exclude=tmp_path / "manifest.json") == made
    # Neither a save that failed nor a text that took a file's place hides a file that the manifest lists.
    (tmp_path / "manifest.json").write_bytes(b"changed")
    assert kinds(again.check(tmp_path).differences) == [("size", "file", "manifest.json")]
    again.save(tmp_path.parent / "elsewhere.json")
    os.replace(tmp_path.parent / "elsewhere.json", tmp_path / "manifest.json")
    for one in (again, Manifest.load(tmp_path / "manifest.json")):
        assert kinds(one.check(tmp_path).differences) == [("size", "file", "manifest.json")]
        assert "manifest.json" in one.refresh(tmp_path).manifest.files


def test_names_that_tensors_share_with_files_and_shards(tmp_path):
    write(tmp_path / "m.safetensors", {"m.safetensors": np.ones(3), "notes": np.zeros(3)})
    (tmp_path / "notes").write_bytes(b"text")
    made = merklize.manifest(tmp_path)
    assert made.check_tensor("m.safetensors", np.ones(3)) is None
    assert made.check_tensor("m.safetensors", np.zeros(3)).name == "m.safetensors"
    with pytest.raises(merklize.InvalidArgument, match=r"^prove: the manifest has both a tensor and a file 'notes'"):
        made.prove("notes")
    assert made.prove("m.safetensors").leaf == made.tensors["m.safetensors"].leaf()


# ---- Results of checks ----


def test_a_check_names_the_tensor_the_shard_and_the_piece(tmp_path):
    index = write_sharded(tmp_path, a_state())
    made = merklize.manifest(index)
    big = made.tensors["big"]
    assert made.check(index)
    assert made.check(tmp_path)
    with open(tmp_path / big.shard, "r+b") as file:
        file.seek(big.offset + 2 * MIB + 5)
        byte = file.read(1)
        file.seek(big.offset + 2 * MIB + 5)
        file.write(bytes([byte[0] ^ 1]))
    report = made.check(index)
    (found,) = report.differences
    assert found[:6] == ("bytes", "tensor", "big", big.shard, 2 * MIB, 3 * MIB - 21)
    assert "bytes 2097152 to 3145707 differ" in str(found)
    with pytest.raises(merklize.Mismatch, match="'big'"):
        report.require()
    # Of a part.
    assert made.check(index, only=["a.*"])
    assert made.check(index, only=["a.*"]).checked == 1
    assert not made.check(index, only=[big.shard])
    with pytest.raises(merklize.InvalidArgument, match="nothing in the manifest is named 'none'"):
        made.check(index, only=["a.*", "none"])


def test_a_check_of_a_folder_finds_what_is_missing_new_and_other(tmp_path):
    write(tmp_path / "m.safetensors", a_state())
    for name in ("a.txt", "b.txt", "c.txt"):
        (tmp_path / name).write_text(name)
    large = np.random.default_rng(1).bytes(3 * MIB)
    (tmp_path / "large.bin").write_bytes(large)
    made = merklize.manifest(tmp_path)
    assert made.check(tmp_path)
    (tmp_path / "a.txt").write_text("other")
    (tmp_path / "b.txt").unlink()
    (tmp_path / "c.txt").write_text("longer")
    (tmp_path / "new.txt").write_text("new")
    (tmp_path / "large.bin").write_bytes(large[: MIB + 9] + b"\0" * 20 + large[MIB + 29 :])
    found = made.check(tmp_path).differences
    assert kinds(found) == [
        ("bytes", "file", "a.txt"),
        ("missing", "file", "b.txt"),
        ("size", "file", "c.txt"),
        ("bytes", "file", "large.bin"),
        ("unexpected", "file", "new.txt"),
    ]
    assert (found[3].begin, found[3].end) == (MIB, 2 * MIB)
    (tmp_path / "m.safetensors").unlink()
    assert ("missing", "tensor", "big") in kinds(made.check(tmp_path).differences)
    (tmp_path / "m.safetensors").write_bytes(b"no")
    assert ("unreadable", "shard", "m.safetensors") in kinds(made.check(tmp_path).differences)


def test_a_file_is_checked_under_any_name(tmp_path):
    path = write(tmp_path / "m.safetensors", a_state())
    made = merklize.manifest(path)
    path.rename(tmp_path / "renamed.safetensors")
    assert made.check(tmp_path / "renamed.safetensors")
    assert made.check(tmp_path / "renamed.safetensors", only=["m.safetensors"])
    assert kinds(made.check(tmp_path).differences) == [("unreadable", "shard", "m.safetensors")]


def test_a_check_in_memory(tmp_path):
    state = a_state()
    made = merklize.manifest(write(tmp_path / "m.safetensors", state))

    class Module:
        def state_dict(self):
            return state

    assert merklize.check_model(Module(), made)
    made.save(tmp_path / "manifest.json")
    assert merklize.check_model(state, tmp_path / "manifest.json").checked == len(state)
    state["tied"] = state["big"]
    report = merklize.check_model(state, made)
    assert report
    assert report.aliases == (("big", "tied"),)
    state["big"][1, 20] ^= 4
    (found,) = merklize.check_model(state, made).differences
    assert (found.kind, found.name, found.begin, found.end) == ("bytes", "big", MIB, 2 * MIB)
    assert made.check_tensor("big", state["big"]) == found
    assert made.check_tensor("mask", state["mask"]) is None
    state["mask"] = state["mask"].view("u1")
    state["scalar"] = state["scalar"].reshape(1)
    state["more"] = np.ones(3)
    del state["empty"]
    assert kinds(merklize.check_model(state, made).differences) == [
        ("bytes", "tensor", "big"),
        ("missing", "tensor", "empty"),
        ("dtype", "tensor", "mask"),
        ("unexpected", "tensor", "more"),
        ("shape", "tensor", "scalar"),
    ]
    assert merklize.check_model(state, made, only=["a.*"])
    with pytest.raises(merklize.InvalidArgument, match="no tensor 'none'"):
        made.check_tensor("none", state["big"])


def test_a_tied_name_does_not_hide_a_tensor_that_changed():
    state = {"a": np.arange(9), "b": np.arange(9)}
    made = merklize.manifest(state)
    changed = np.arange(9) + 1
    assert kinds(made.check({"a": changed, "b": state["b"], "tied": changed}).differences) == [("bytes", "tensor", "a")]
    assert kinds(made.check({"a": state["a"], "b": state["b"], "new": changed}).differences) == [
        ("unexpected", "tensor", "new")
    ]


def test_names_with_characters_of_patterns_are_checked_as_they_are():
    state = {"a[0]*?": np.ones(3), "a0xy": np.zeros(3)}
    made = merklize.manifest(state)
    assert made.check_tensor("a[0]*?", state["a[0]*?"]) is None
    assert made.check_tensor("a[0]*?", state["a0xy"]) is not None
    for prefix in ("a[0]*?", "a0xy"):
        assert merklize.check_model({"": state[prefix]}, made, prefix=prefix, only=["*"])


def test_diff_of_two_manifests(tmp_path):
    state = a_state()
    old = merklize.manifest(state)
    assert old.diff(merklize.manifest(write(tmp_path / "m.safetensors", state))) == []
    state["big"] = state["big"].copy()
    state["big"][2, -1] ^= 1
    del state["empty"]
    state["new"] = np.ones(2)
    found = old.diff(merklize.manifest(state))
    assert kinds(found) == [("bytes", "tensor", "big"), ("missing", "tensor", "empty"), ("unexpected", "tensor", "new")]
    assert (found[0].begin, found[0].end) == (2 * MIB, 3 * MIB - 21)
    no_pieces = old.diff(merklize.manifest(state, piece_size=0))
    assert (no_pieces[0].begin, no_pieces[0].end) == (0, 3 * MIB - 21)


# ---- Others' tensors and files ----


def test_files_of_the_safetensors_package(tmp_path):
    save_file = pytest.importorskip("safetensors.numpy").save_file
    save_file(a_state(), tmp_path / "m.safetensors", {"format": "np"})
    assert merklize.manifest(tmp_path / "m.safetensors").root == merklize.manifest(a_state()).root


def test_tensors_of_pytorch(tmp_path):
    torch = pytest.importorskip("torch")
    state = {name: torch.from_numpy(array.copy()) for name, array in a_state().items()}
    made = merklize.manifest(a_state())
    assert merklize.manifest(state).root == made.root
    assert merklize.check_model(state, made)
    wide = torch.arange(200, dtype=torch.float32).reshape(10, 20)
    for dtype in (torch.bfloat16, torch.float8_e4m3fn, torch.float8_e5m2, torch.bool, torch.complex64):
        tensor = wide.to(dtype)
        expected = blake3(tensor.T.contiguous().view(torch.uint8).numpy().tobytes()).digest()
        assert merklize.manifest({"t": tensor.T}).tensors["t"].digest == expected
    for dtype in (torch.float16, torch.float32, torch.float64, torch.complex128):
        tensor = wide.to(dtype)[::3, 1:]
        assert merklize.manifest({"t": tensor}).root == merklize.manifest({"t": tensor.numpy().copy()}).root
    conjugate = wide.to(torch.complex64).mul(1j).conj()
    assert merklize.manifest({"t": conjugate}).root == merklize.manifest({"t": conjugate.resolve_conj().numpy()}).root
    module = torch.nn.Linear(4, 4)
    module.other = module.weight
    report = merklize.check_model(module, merklize.manifest(torch.nn.Linear(4, 4)))
    assert report.aliases == (("other", "weight"),)
    assert ("bytes", "tensor", "weight") in kinds(report.differences)
    for tensor, text in (
        (torch.empty(3, device="meta"), "meta device"),
        (torch.eye(3).to_sparse(), "must be dense"),
        (torch.quantize_per_tensor(wide, 1.0, 0, torch.qint8), "not quantized"),
    ):
        with pytest.raises(merklize.InvalidArgument, match=text):
            merklize.manifest({"t": tensor})


def test_tensors_of_pytorch_on_a_gpu():
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("PyTorch sees no GPU")
    wide = torch.arange(3 << 20, dtype=torch.float32).reshape(3, -1)
    state = {str(dtype): wide.to(dtype) for dtype in (torch.float32, torch.bfloat16, torch.float8_e4m3fn, torch.int64)}
    state |= {"bool": wide > 5, "complex": wide.to(torch.complex64), "scalar": torch.tensor(3.0), "empty": wide[:0]}
    state |= {f"small {k}": torch.full((k,), k) for k in range(200)}
    state["view"] = wide[:, ::3].T
    made = merklize.manifest(state)
    there = {name: tensor.cuda() for name, tensor in state.items()}
    there["view"] = there[str(torch.float32)][:, ::3].T
    found = merklize.manifest(there)
    assert found.root == made.root
    assert found.aliases == (("torch.float32", "view"),)
    assert {n: t.pieces for n, t in found.tensors.items()} == {n: t.pieces for n, t in made.tensors.items()}
    assert merklize.check_model(there, made)
    there["torch.int64"].view(torch.uint8).reshape(-1)[5 * MIB + 3] ^= 1
    (difference,) = merklize.check_model(there, made).differences
    assert (difference.name, difference.begin, difference.end) == ("torch.int64", 5 * MIB, 6 * MIB)


class Lazy(Mapping):
    """Makes its arrays when they are asked for, as np.load() does of an .npz file, in memory that is used again."""

    def __init__(self, arrays):
        self.arrays, self.free = arrays, []

    def __getitem__(self, name):
        given = self.arrays[name]
        memory = self.free.pop() if self.free else bytearray(given.nbytes)
        made = np.ndarray(given.shape, given.dtype, buffer=memory)
        made[...] = given
        weakref.finalize(made, self.free.append, memory)
        return made

    def __iter__(self):
        return iter(self.arrays)

    def __len__(self):
        return len(self.arrays)


@pytest.mark.parametrize("dtype", [">f4", "<f4", ">i2", ">c16"])
@pytest.mark.parametrize("size", [3, 2500])
@pytest.mark.parametrize("tiles", [False, True])
def test_tensors_that_are_made_when_they_are_asked_for(size, dtype, tiles):
    """Memory of one that is gone becomes that of the next: they were taken for one tensor, and had one digest."""
    arrays = {f"w{k}": np.full(size, k, dtype) for k in range(12)}
    made = merklize.manifest(Lazy(arrays), tiles=tiles)
    assert made == merklize.manifest(arrays, tiles=tiles)
    assert made.aliases == ()
    assert made.check(Lazy(arrays))

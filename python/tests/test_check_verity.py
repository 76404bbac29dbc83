"""check_model(verity=...): tensors in memory against the root hash of a disk, which veritysetup confirms."""

import hashlib
import os
import subprocess

import numpy as np
import pytest

import judges
import merklize
from merklize import InvalidArgument
from merklize.formats import DmVerity, dm_verity_dump, dm_verity_format, dm_verity_verify_digests
from merklize.manifests import VerityImage
from weights import a_state, write

VERITYSETUP, _ = judges.find("veritysetup")
SALT = bytes(range(32))


def disk_of(tmp_path, *states, gap=0, **how):
    """Write safetensors files one after the other into an image of whole blocks, and its hash area."""
    image, files, data = tmp_path / "disk.img", {}, b"\xa5" * gap
    for k, state in enumerate(states):
        files[f"{k}.safetensors"] = len(data)
        data += write(tmp_path / "one.safetensors", state).read_bytes() + b"\x5a" * gap
    block = how.get("data_block_size", 4096)
    image.write_bytes(data + bytes(-len(data) % block))
    root, _ = dm_verity_format(image, tmp_path / "disk.hashes", **{"salt": SALT, **how})
    return VerityImage(root, image, tmp_path / "disk.hashes", files=files)


def flipped(array, byte):
    changed = array.copy()
    changed.reshape(-1).view(np.uint8)[byte] ^= 1
    return changed


def kinds(report):
    return [(one.kind, one.name) for one in report.differences]


@pytest.mark.parametrize(
    "how",
    [{}, {"salt": b""}, {"salt_after": True}, {"algorithm": "sha512"},
     {"data_block_size": 512, "hash_block_size": 1024}, {"data_block_size": 65536}],
    ids=["default", "no salt", "salt after", "sha512", "small blocks", "large blocks"],
)  # fmt: skip
def test_each_flipped_bit_of_a_tensor_is_named(tmp_path, how):
    state = a_state()
    disk = disk_of(tmp_path, state, gap=1000, **how)
    report = merklize.check_model(state, verity=disk)
    assert report.differences == []
    assert report.checked == len(state)
    assert {"z.bias", "scalar", "big"} <= set(report.neighbours)
    assert "empty" not in report.neighbours
    for name, array in state.items():
        for byte in {0, array.nbytes // 2, array.nbytes - 1} if array.nbytes else ():
            report = merklize.check_model({**state, name: flipped(array, byte)}, verity=disk)
            assert kinds(report) == [("bytes", name)]
            assert "1 blocks differ from the disk's" in report.differences[0].detail


@judges.needs("veritysetup")
def test_the_root_is_that_of_veritysetup(tmp_path):
    disk = disk_of(tmp_path, a_state())
    made = subprocess.run(
        [VERITYSETUP, "format", disk.image, tmp_path / "theirs", f"--salt={SALT.hex()}"],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    theirs = bytes.fromhex(made.stdout.split("Root hash:")[1].split()[0])
    assert theirs == disk.root
    assert merklize.check_model(a_state(), verity=disk._replace(root=theirs, hashes=tmp_path / "theirs"))


def test_two_files_in_one_image_and_facts_without_a_superblock(tmp_path):
    first, second = {"a": np.arange(5000, dtype="f4")}, {"b": np.ones((70, 70), "f8"), "c": np.zeros(3, "u1")}
    disk = disk_of(tmp_path, first, second, gap=77)
    assert merklize.check_model({**first, **second}, verity=disk)
    how = dm_verity_dump(disk.hashes)
    assert merklize.check_model({**first, **second}, verity=disk._replace(how=how, offset=4096))
    assert kinds(merklize.check_model(first, verity=disk)) == [("missing", "b"), ("missing", "c")]
    assert merklize.check_model(first, verity=disk, only=["a"]).checked == 1
    assert merklize.check_model({"a": first["a"][::-1][::-1]}, verity=disk, only=["a"])
    more = {**first, **second, "d": np.zeros(1, "u1"), "c": np.zeros(3, "i1")}
    assert kinds(merklize.check_model(more, verity=disk)) == [("dtype", "c"), ("unexpected", "d")]
    tied = {**first, **second, "tied": first["a"]}
    assert merklize.check_model(tied, verity=disk).aliases == (("a", "tied"),)
    with pytest.raises(InvalidArgument, match="two of them have a tensor 'a'"):
        merklize.check_model(first, verity=disk._replace(files={"x": 77, "y": 77}))
    with pytest.raises(InvalidArgument, match="nothing"):
        merklize.check_model(first, verity=disk, only=["nothing*"])


def test_a_changed_disk_is_found(tmp_path):
    state = a_state()
    disk = disk_of(tmp_path, state)
    good = disk.image.read_bytes()

    def with_image(at, value):
        disk.image.write_bytes(good[:at] + value + good[at + len(value) :])
        return merklize.check_model(state, verity=disk)

    assert kinds(with_image(20, b"!")) == [("header", "0.safetensors")]
    assert kinds(with_image(0, bytes([255] * 8))) == [("header", "0.safetensors")]
    # A byte of another tensor in the block of "scalar": the block differs from the one on the disk all the same.
    place = good.rindex(state["scalar"].tobytes() + state["mask"].tobytes())
    assert ("bytes", "scalar") in kinds(with_image(place + 4, b"\7"))
    disk.image.write_bytes(good)
    assert merklize.check_model(state, verity=disk)
    # The root is trusted; the hash area is not.
    assert not merklize.check_model(state, verity=disk._replace(root=bytes(32)))
    area = bytearray(disk.hashes.read_bytes())
    area[-4096 + 5] ^= 1
    disk.hashes.write_bytes(area)
    report = merklize.check_model(state, verity=disk)
    assert not report
    assert any("hash area" in one.detail for one in report.differences)


def test_what_is_refused(tmp_path):
    state = {"a": np.arange(5000, dtype="f4")}
    disk = disk_of(tmp_path, state)
    with pytest.raises(InvalidArgument, match="give either manifest or verity"):
        merklize.check_model(state)
    with pytest.raises(InvalidArgument, match="give either manifest or verity"):
        merklize.check_model(state, merklize.manifest(state), verity=disk)
    with pytest.raises(InvalidArgument, match="verity must be a VerityImage, got tuple"):
        merklize.check_model(state, verity=tuple(disk))
    with pytest.raises(InvalidArgument, match="must begin at a byte >= 0, got -1"):
        merklize.check_model(state, verity=disk._replace(files={"": -1}))
    for base in (1 << 40, 1 << 70):
        with pytest.raises(InvalidArgument, match=f"begins at {base}, the disk has 20480 bytes"):
            merklize.check_model(state, verity=disk._replace(files={"": base}))
    (tmp_path / "short").write_bytes(disk.image.read_bytes()[:5000])
    with pytest.raises(InvalidArgument, match="ends before byte 20"):
        merklize.check_model({"a": np.zeros(5000, "f4")}, verity=disk._replace(image=tmp_path / "short"))
    os.mkfifo(tmp_path / "pipe")
    for wrong in ("pipe", "."):
        with pytest.raises(merklize.FileError, match="not a regular file or a block device"):
            merklize.check_model(state, verity=disk._replace(image=tmp_path / wrong))
    with pytest.raises(InvalidArgument, match="how must be a DmVerity"):
        merklize.check_model(state, verity=disk._replace(how=("sha256",)))
    with pytest.raises(InvalidArgument, match="root must be bytes or hexadecimal digits, got 'z"):
        merklize.check_model(state, verity=disk._replace(root="z" * 64))
    assert merklize.check_model(state, verity=disk._replace(root=disk.root.hex()))
    for root in (bytes(31), "00" * 31, None):
        with pytest.raises(InvalidArgument, match="root must be the 32 bytes of sha256, got"):
            merklize.check_model(state, verity=disk._replace(root=root))
    with pytest.raises(merklize.FileError):
        merklize.check_model(state, verity=disk._replace(image=tmp_path / "missing"))
    write(disk.image, state, fields=b"[1]".ljust(4096 - 8))
    disk.image.write_bytes(disk.image.read_bytes()[:4096])
    root, _ = dm_verity_format(disk.image, disk.hashes)
    with pytest.raises(InvalidArgument, match="not a valid safetensors file"):
        merklize.check_model(state, verity=disk._replace(root=root))


def test_digests_of_blocks(tmp_path):
    data = np.random.default_rng(1).integers(0, 256, 300 * 512, dtype="u1").tobytes()
    (tmp_path / "d").write_bytes(data)
    how = DmVerity("sha256", False, 512, 512, 300, SALT, None, 0)
    root, _ = dm_verity_format(tmp_path / "d", tmp_path / "h", salt=SALT, data_block_size=512, hash_block_size=512)
    digests = b"".join(hashlib.sha256(SALT + data[at : at + 512]).digest() for at in range(0, len(data), 512))
    for first, n in [(0, 300), (0, 1), (299, 1), (15, 2), (16, 16), (100, 157), (300, 0)]:
        some = digests[first * 32 : (first + n) * 32]
        assert dm_verity_verify_digests(tmp_path / "h", root, first, some)
        assert dm_verity_verify_digests(tmp_path / "h", root, first, some, how=how, offset=512)
        if n:
            wrong = bytes([some[0] ^ 1]) + some[1:]
            report = dm_verity_verify_digests(tmp_path / "h", root, first, wrong)
            assert (report.wrong_data_blocks, report.data_blocks, report.wrong_hash_blocks) == (1, [first], 0)
            assert not dm_verity_verify_digests(tmp_path / "h", bytes(32), first, some)
    area = bytearray((tmp_path / "h").read_bytes())
    area[-1] ^= 1  # in the padding of the last block of level 0
    (tmp_path / "h").write_bytes(area)
    assert not dm_verity_verify_digests(tmp_path / "h", root, 299, digests[-32:])
    assert dm_verity_verify_digests(tmp_path / "h", root, 0, digests[:32])  # of another block
    for first, some, text in [(300, digests[:32], "pass the end"), (0, digests[:33], "whole ones of 32 bytes, got 33"),
                              (2**63, digests[:32], "pass the end")]:  # fmt: skip
        with pytest.raises(InvalidArgument, match=text):
            dm_verity_verify_digests(tmp_path / "h", root, first, some)

"""dm-verity: roots, hash areas and reports, compared with the rule in plain Python and with veritysetup."""

import hashlib
import json
import os
import random
import re
import subprocess
import sys
import uuid
from pathlib import Path

import numpy as np
import pytest

import judges
from merklize import Cancelled, FileError, InvalidArgument
from merklize.formats import DmVerity, dm_verity, dm_verity_dump, dm_verity_format, dm_verity_verify

VERITYSETUP, _ = judges.find("veritysetup")
RANDOM = random.Random(20261125)


def data_of(size):
    return RANDOM.randbytes(size)


def tree_of(data, how):
    """The levels of the tree in plain Python, the lowest first, and the root."""

    def digest(block):
        return hashlib.new(how.algorithm, block + how.salt if how.salt_after else how.salt + block).digest()

    def blocks(data, size):
        return [data[at : at + size] for at in range(0, len(data), size)]

    levels, digests = [], [digest(block) for block in blocks(data, how.data_block_size)]
    while len(digests) > 1:
        level = b"".join(digests)
        level += bytes(-len(level) % how.hash_block_size)
        levels.append(level)
        digests = [digest(block) for block in blocks(level, how.hash_block_size)]
    return levels, digests[0]


def superblock_of(how):
    numbers = how.data_block_size.to_bytes(4, "little") + how.hash_block_size.to_bytes(4, "little")
    numbers += how.data_blocks.to_bytes(8, "little") + len(how.salt).to_bytes(8, "little")
    front = b"verity\0\0\1\0\0\0" + (not how.salt_after).to_bytes(4, "little") + how.uuid.bytes
    return (front + how.algorithm.encode().ljust(32, b"\0") + numbers + how.salt).ljust(512, b"\0")


def area_of(levels, how, superblock):
    head = superblock_of(how) if superblock else b""
    return head + bytes(-len(head) % how.hash_block_size) + b"".join(reversed(levels))


def random_how(blocks, block_sizes=(512, 1024, 4096, 16384)):
    salt = data_of(RANDOM.choice([0, 1, 8, 32, 64, 100, 256]))
    how = DmVerity(
        RANDOM.choice(["sha256", "sha512"]),
        RANDOM.choice([False, True]),
        RANDOM.choice(block_sizes),
        RANDOM.choice(block_sizes),
        blocks,
        salt,
        uuid.UUID(int=RANDOM.getrandbits(128)),
        0,
    )
    return how


def fields_of(how):
    names = ["algorithm", "salt_after", "data_block_size", "hash_block_size", "data_blocks", "salt"]
    return {name: getattr(how, name) for name in names}


# Numbers of blocks around a full block of digests of each size, and around a second level.
BLOCKS = [1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 1025]


@pytest.mark.parametrize("blocks", BLOCKS)
@pytest.mark.parametrize("superblock", [True, False])
def test_against_the_rule(tmp_path, blocks, superblock):
    for _ in range(3):
        how = random_how(blocks, (512, 1024, 4096))
        data = data_of(blocks * how.data_block_size)
        levels, root = tree_of(data, how)
        (tmp_path / "data").write_bytes(data)
        assert dm_verity(data, **fields_of(how)) == root
        assert dm_verity(tmp_path / "data", **fields_of(how)) == root
        options = {"superblock": superblock, "uuid": how.uuid}
        made, facts = dm_verity_format(tmp_path / "data", tmp_path / "hashes", **fields_of(how), **options)
        assert made == root
        assert (tmp_path / "hashes").read_bytes() == area_of(levels, how, superblock)
        assert facts == how._replace(hash_blocks=sum(map(len, levels)) // how.hash_block_size)
        if superblock:
            assert dm_verity_dump(tmp_path / "hashes") == facts
        report = dm_verity_verify(tmp_path / "data", tmp_path / "hashes", root, how=None if superblock else how)
        assert report
        assert report == (0, [], 0, [])


def test_known_answer():
    """Roots of 1 MiB of zeros with a salt of 32 bytes 0xab, printed by veritysetup 2.6.1."""
    root = dm_verity(bytes(1 << 20), salt=b"\xab" * 32)
    assert root.hex() == "6e753df349695558481a6446c1525439cc41cdbaa98c9a273990b229d9f8f959"


def test_many_threads_and_batches(tmp_path, device):
    """More than a batch of 64 MiB, by one thread and by all, on a device and in a file."""
    data = data_of(1 << 20) * 65
    root = dm_verity(data, salt=b"salt", threads=1)
    (tmp_path / "data").write_bytes(data)
    assert dm_verity(data, salt=b"salt", device=device) == dm_verity(tmp_path / "data", salt=b"salt") == root
    how = DmVerity("sha256", False, 4096, 4096, len(data) // 4096, b"salt", uuid.UUID(int=0), 0)
    assert tree_of(data, how)[1] == root


@pytest.mark.parametrize("superblock", [True, False])
def test_behind_the_data(tmp_path, superblock):
    """The tree in the data's own file, as `--hash-offset` has it."""
    image, data = tmp_path / "image", data_of(100 * 4096)
    image.write_bytes(data)
    root, facts = dm_verity_format(image, image, salt=b"s", offset=len(data), superblock=superblock)
    assert root == dm_verity(data, salt=b"s")
    assert image.read_bytes()[: len(data)] == data
    how = None if superblock else facts
    assert dm_verity_verify(image, image, root, offset=len(data), how=how)
    with pytest.raises(InvalidArgument, match=r"would begin inside the data, at byte 4096 of 409600"):
        dm_verity_format(image, image, offset=4096, data_blocks=100)
    assert dm_verity_verify(image, image, root, offset=len(data), how=how)


def test_wrong_blocks_are_named(tmp_path):
    data, hashes = tmp_path / "data", tmp_path / "hashes"
    data.write_bytes(data_of(1000 * 512))
    root, facts = dm_verity_format(data, hashes, data_block_size=512, hash_block_size=512)
    for block in (0, 1, 15, 16, 17, 511, 999):
        good = data.read_bytes()
        bad = bytearray(good)
        bad[block * 512 + RANDOM.randrange(512)] ^= 1 << RANDOM.randrange(8)
        data.write_bytes(bad)
        assert dm_verity_verify(data, hashes, root) == (1, [block], 0, [])
        data.write_bytes(good)
    good = hashes.read_bytes()
    first, last = 1, 1 + facts.hash_blocks
    for block in range(first, last):
        bad = bytearray(good)
        bad[block * 512 + RANDOM.randrange(512)] ^= 1 << RANDOM.randrange(8)
        hashes.write_bytes(bad)
        report = dm_verity_verify(data, hashes, root)
        assert not report
        assert block in report.hash_blocks
    hashes.write_bytes(good)
    wrong = bytes([root[0] ^ 1]) + root[1:]
    assert dm_verity_verify(data, hashes, wrong) == (0, [], 1, [first])


def test_a_forged_tree_is_not_valid(tmp_path):
    """Data and tree agree with each other, but not with the root."""
    data, hashes = tmp_path / "data", tmp_path / "hashes"
    data.write_bytes(bytes(4096 * 300))
    root, _ = dm_verity_format(data, hashes)
    data.write_bytes(b"x" * 4096 * 300)
    dm_verity_format(data, hashes)
    assert not dm_verity_verify(data, hashes, root)


def test_digests_beyond_the_count_must_be_zeros(tmp_path):
    """A tree with other padding has another root, and veritysetup refuses it as well."""
    how = DmVerity("sha256", False, 512, 512, 3, b"", uuid.UUID(int=0), 0)
    data = data_of(3 * 512)
    (level,), _ = tree_of(data, how)
    level = level[:-1] + b"\1"
    root = hashlib.sha256(level).digest()
    (tmp_path / "data").write_bytes(data)
    (tmp_path / "hashes").write_bytes(level)
    assert dm_verity_verify(tmp_path / "data", tmp_path / "hashes", root, how=how) == (0, [], 1, [0])


def test_one_block_has_no_tree(tmp_path):
    (tmp_path / "data").write_bytes(bytes(4096))
    root, facts = dm_verity_format(tmp_path / "data", tmp_path / "hashes", superblock=False)
    assert root == hashlib.sha256(bytes(4096)).digest()
    assert (facts.hash_blocks, (tmp_path / "hashes").read_bytes()) == (0, b"")
    assert dm_verity_verify(tmp_path / "data", tmp_path / "hashes", root, how=facts)


@pytest.mark.parametrize("given", [0, 1, None, "format 0"])
def test_a_number_is_no_place_of_the_salt(tmp_path, given):
    """The number of the format, as veritysetup counts, says the opposite of the flag."""
    data, hashes = tmp_path / "data", tmp_path / "hashes"
    data.write_bytes(bytes(4096))
    root, how = dm_verity_format(data, hashes)
    text = re.escape(f"salt_after must be False (format 1) or True (format 0), got {given!r}")
    for what, call in {
        "dm_verity": lambda: dm_verity(data, salt_after=given),
        "dm_verity_format": lambda: dm_verity_format(data, hashes, salt_after=given),
        "dm_verity_verify": lambda: dm_verity_verify(data, hashes, root, how=how._replace(salt_after=given)),
    }.items():
        with pytest.raises(TypeError, match=f"^{what}: {text}$"):
            call()


@pytest.mark.parametrize("given", [False, True])
def test_flags_of_numpy(given):
    assert dm_verity(bytes(8192), salt=b"x", salt_after=np.bool_(given)) == dm_verity(
        bytes(8192), salt=b"x", salt_after=given
    )


def test_mistakes():
    with pytest.raises(InvalidArgument, match="dm_verity: algorithm must be 'sha256' or 'sha512', got 'sha1'"):
        dm_verity(bytes(8192), algorithm="sha1")
    with pytest.raises(InvalidArgument, match="dm_verity: hash_block_size must be a power of two from 512"):
        dm_verity(bytes(8192), hash_block_size=2**33)  # more than C's uint32_t holds


def test_hash_files_that_are_wrong(tmp_path):
    data, hashes = tmp_path / "data", tmp_path / "hashes"
    data.write_bytes(data_of(300 * 4096))
    root, _ = dm_verity_format(data, hashes)
    good = hashes.read_bytes()

    def refused(content, message, trusted=root, **options):
        hashes.write_bytes(content)
        with pytest.raises(InvalidArgument, match=message):
            dm_verity_verify(data, hashes, trusted, **options)

    def patched(at, content):
        return good[:at] + content + good[at + len(content) :]

    refused(good[:100], r"hashes: the superblock would end at byte 0 \+ 512, and the file has 100 bytes")
    refused(good[:-1], r"hashes: the tree would end at byte 4096 \+ 16384, and the file has 20479 bytes")
    refused(bytes(len(good)), r"there is no dm-verity superblock at this offset")
    refused(good, r"hashes: there is no dm-verity superblock at this offset", offset=512)
    refused(good, r"the root must be the 32 bytes of sha256, got 31", root[1:])
    refused(patched(8, b"\2"), r"the superblock has version 2, and 1 is known")
    refused(patched(12, b"\2"), r"the superblock is impossible: format must be 0 or 1, got 2")
    refused(patched(32, b"sha1\0\0"), r"names a hash that is neither sha256 nor sha512")
    refused(patched(64, bytes(4)), r"impossible: data_block_size must be a power of two from 512 to 524288, got 0")
    refused(patched(68, b"\xff" * 4), r"impossible: hash_block_size must be a power of two")
    refused(patched(72, bytes(8)), r"impossible: data_blocks must be at least 1, got 0")
    refused(patched(72, b"\xff" * 8), r"impossible: data_blocks must be at most 2\^63 bytes of data")
    refused(patched(72, b"\0\0\0\1"), r"data has 1228800 bytes, and data_blocks states 16777216 blocks")
    refused(patched(80, b"\1\1"), r"a salt of 257 bytes, and 256 are allowed")
    hashes.write_bytes(good)
    assert dm_verity_verify(data, hashes, root)
    with pytest.raises(InvalidArgument, match=r"offset of the hash area must be a multiple of 512, got 100"):
        dm_verity_format(data, hashes, offset=100)
    with pytest.raises(InvalidArgument, match=r"a multiple of 4096, the size of its blocks, since it has no super"):
        dm_verity_format(data, hashes, offset=512, superblock=False)
    assert hashes.read_bytes() == good
    with pytest.raises(FileError, match="nothing"):
        dm_verity(tmp_path / "nothing")


def test_a_failed_format_leaves_the_old_file(tmp_path):
    data, hashes = tmp_path / "data", tmp_path / "hashes"
    data.write_bytes(data_of(10 * 4096))
    dm_verity_format(data, hashes)
    good = hashes.read_bytes()

    os.truncate(data, 1 << 30)  # a tenth of a second at least, so that the function is asked
    with pytest.raises(Cancelled):
        dm_verity_format(data, hashes, progress=lambda done: False)
    assert hashes.read_bytes() == good
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "hashes"]


def command(*words):
    program = os.environ.get("MERKLIZE_COMMAND") or Path(sys.executable).with_name("merklize")
    return subprocess.run([program, "verity", *map(str, words)], capture_output=True, text=True, check=False)


def test_command(tmp_path):
    data, hashes = tmp_path / "data", tmp_path / "hashes"
    data.write_bytes(data_of(300 * 4096))
    told = command("format", data, hashes, "--json")
    made = json.loads(told.stdout)
    facts = dm_verity_dump(hashes)
    assert len(facts.salt) == 32
    assert made == {
        "root": dm_verity(data, salt=facts.salt).hex(),
        "hash": "sha256",
        "format": 1,
        "salt": facts.salt.hex(),
        "data_blocks": 300,
        "data_block_size": 4096,
        "hash_blocks": 4,
        "hash_block_size": 4096,
        "uuid": str(facts.uuid),
    }
    assert json.loads(command("dump", hashes, "--json").stdout) == {k: v for k, v in made.items() if k != "root"}
    told = command("verify", data, hashes, made["root"])
    assert (told.returncode, told.stdout, told.stderr) == (0, "valid: 300 of 300 blocks\n", "")
    with data.open("r+b") as file:
        file.seek(7 * 4096)
        file.write(b"changed")
        file.seek(9 * 4096)
        file.write(bytes(3 * 4096))
    told = command("verify", data, hashes, made["root"].upper())
    assert (told.returncode, told.stdout) == (1, "NOT valid: 4 blocks of the data are wrong: 7, 9-11\n")
    found = json.loads(command("verify", data, hashes, made["root"], "--json").stdout)
    assert found["valid"] is False
    assert found["data_blocks"] == [7, 9, 10, 11]
    told = command("format", data, hashes, "--salt", "01", "--no-superblock", "--hash", "sha512", "--format", "0")
    root = dm_verity(data, algorithm="sha512", salt_after=True, salt=b"\1").hex()
    assert told.stdout.splitlines()[-1] == f"root hash        {root}"
    flags = ["--salt", "01", "--no-superblock", "--hash", "sha512", "--format", "0"]
    assert command("verify", data, hashes, root, *flags).returncode == 0
    assert command("verify", data, hashes, root, *flags[:-2]).returncode == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["format", "{data}", "{hashes}", "--salt", "0x1"], "--salt"),
        (["format", "{data}", "{hashes}", "--uuid", "1"], "--uuid"),
        (["format", "{data}", "{hashes}", "--uuid", "1", "--no-superblock"], "--uuid is of a superblock"),
        (["format", "{data}", "{hashes}", "--format", "2"], "Invalid value for '--format': must be 0 or 1, got 2"),
        (["format", "{data}", "{hashes}", "--hash", "md5"], "algorithm must be sha256 or sha512, got 'md5'"),
        (["verify", "{data}", "{hashes}", "zz"], "ROOT must be 64 hexadecimal digits"),
        (["verify", "{data}", "{hashes}", "00" * 32, "--salt", "0"], "--salt"),
    ],
)
def test_mistakes_of_the_command(tmp_path, words, message):
    data, hashes = tmp_path / "data", tmp_path / "hashes"
    data.write_bytes(bytes(4096))
    told = command(*(word.format(data=data, hashes=hashes) for word in words))
    assert told.returncode == 2
    assert message in told.stderr
    assert not hashes.exists()


@judges.needs("veritysetup")
@pytest.mark.parametrize("seed", range(6))
def test_against_veritysetup(tmp_path, seed):
    """The root and the bytes are the same, and each program verifies the other's files. 300 cases in all."""
    RANDOM.seed(seed)

    def setup(*words):
        return subprocess.run([VERITYSETUP, *map(str, words)], capture_output=True, text=True, check=False)

    for case in range(50):
        blocks = RANDOM.choice([*BLOCKS, RANDOM.randrange(1, 3000)])
        how = random_how(blocks)
        if blocks * how.data_block_size > 16 << 20:
            how = how._replace(data_block_size=512)
        superblock, same = RANDOM.random() < 0.6, RANDOM.random() < 0.3
        data, size = tmp_path / "data", blocks * how.data_block_size
        data.write_bytes(data_of(size))
        alignment = max(how.hash_block_size, 512)
        offset = size + -size % alignment if same else RANDOM.choice([0, 0, 3 * how.hash_block_size])
        ours, theirs = (tmp_path / f"{name}{case}" for name in ("ours", "theirs"))
        for file in (ours, theirs):
            file.write_bytes(data.read_bytes() if same else b"")
        flags = [
            f"--hash={how.algorithm}",
            f"--format={int(not how.salt_after)}",
            f"--data-block-size={how.data_block_size}",
            f"--hash-block-size={how.hash_block_size}",
            f"--salt={how.salt.hex() or '-'}",
            f"--hash-offset={offset}",
            f"--data-blocks={blocks}",
            *([] if superblock else ["--no-superblock"]),
        ]
        uuids = [f"--uuid={how.uuid}"] if superblock else []
        told = setup("format", theirs if same else data, theirs, *flags, *uuids)
        assert told.returncode == 0, told.stderr
        (root,) = (bytes.fromhex(line.split()[-1]) for line in told.stdout.splitlines() if line.startswith("Root hash"))
        options = {"offset": offset, "superblock": superblock, "uuid": how.uuid}
        made, _ = dm_verity_format(ours if same else data, ours, **fields_of(how), **options)
        assert made == root
        # Without a tree, veritysetup ends the file after the superblock. Our file is whole blocks.
        written, expected = ours.read_bytes(), theirs.read_bytes()
        assert written.ljust(len(expected), b"\0") == expected.ljust(len(written), b"\0")
        told = setup("verify", ours if same else data, ours, root.hex(), *flags)
        assert told.returncode == 0, told.stderr
        known = None if superblock else how
        assert dm_verity_verify(theirs if same else data, theirs, root, offset=offset, how=known)
        if superblock:
            assert dm_verity_dump(theirs, offset) == dm_verity_dump(ours, offset)


@pytest.mark.skipif(VERITYSETUP is None and not os.environ.get("MERKLIZE_REQUIRE_RUNTIMES"), reason="no veritysetup")
@pytest.mark.parametrize("same", [False, True])
@pytest.mark.parametrize("block", [512, 1024, 4096, 16384])
def test_in_place_as_veritysetup(tmp_path, block, same):
    """In a larger file, each byte that is not of the superblock or the tree stays: beside them, between and behind."""
    for blocks in (1, 2, 300):
        for offset in (512, 4096, 3 * 4096):
            data, size = data_of(blocks * 4096), blocks * 4096
            begin = offset + (size + -size % 4096 if same else 0)
            content = data.ljust(begin, b"\1") if same else data_of(begin)
            content += data_of(1 << 17)
            (tmp_path / "data").write_bytes(data)
            flags = ["--salt=00ff", f"--hash-block-size={block}", f"--hash-offset={begin}", f"--data-blocks={blocks}"]
            flags.append("--uuid=8f6d0f9c-1c5e-4d4a-9e0e-5a3f2b1c0d9e")
            disks = []
            for program in ([VERITYSETUP, "format"], [Path(sys.executable).with_name("merklize"), "verity", "format"]):
                disk = tmp_path / f"disk{len(disks)}"
                disk.write_bytes(content)
                words = [disk if same else tmp_path / "data", disk]
                told = subprocess.run([*program, *words, *flags], capture_output=True, text=True, check=False)
                assert told.returncode == 0, told.stderr
                disks.append(disk.read_bytes())
            assert disks[0] == disks[1]
            assert disks[0] != content

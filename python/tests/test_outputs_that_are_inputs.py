"""No command and no function writes over what it reads, under whatever name: writer x alias."""

import contextlib
import ctypes
import fcntl
import os
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import pytest

import merklize
from merklize import InvalidArgument, bao, formats

COMMAND = os.environ.get("MERKLIZE_COMMAND") or str(Path(sys.executable).with_name("merklize"))
SIZE = 300 * 4096
ROOT = "00" * 32


def run(*words, **streams):
    return subprocess.run([COMMAND, *map(str, words)], capture_output=True, check=False, **streams)


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "data"
    path.write_bytes(os.urandom(SIZE))
    return path


def itself(path):
    yield path, {}


def symbolic(path):
    link = path.with_name("symbolic")
    link.symlink_to(path.name)
    yield link, {}


def hard(path):
    link = path.with_name("hard")
    link.hardlink_to(path)
    yield link, {}


def descriptor(path):
    with path.open("rb+") as file:
        yield f"/proc/self/fd/{file.fileno()}", {"pass_fds": [file.fileno()]}


def url(path):
    yield path.as_uri(), {}


def other_way(path):
    yield path.parent / "." / ".." / path.parent.name / path.name, {}


ALIASES = {alias.__name__: alias for alias in (itself, symbolic, hard, descriptor, url, other_way)}

# Of each: what reads IN, another name of which is OUT.
WRITERS = [
    "bao outboard IN -o OUT",
    "bao encode IN -o OUT",
    "bao slice IN --range 0,10 --outboard OUTBOARD -o OUT",
    "bao decode IN --outboard OUTBOARD --root ROOT -o OUT",
    "bao slice DATA --range 0,10 --outboard IN -o OUT",
    "bao decode DATA --outboard IN --root ROOT -o OUT",
    "tree build IN --leaf-size 1024 -o OUT",
    "tree build IN --row-size 4 -o OUT",
    "tree build IN --leaves -o OUT",
    "tree append OUT IN",
    "tree update OUT 0 --from IN",
    "tree prove IN 1 -o OUT",
    "tree prove IN --since 3 -o OUT",
    "tree export IN -o OUT",
    "tree show IN --html OUT",
    "verity format IN OUT",
    "verity format IN OUT --hash-offset 4096",
    "verity format IN OUT --no-superblock --hash-offset 8192",
    "manifest create IN -o OUT",
    "fetch http://127.0.0.1:1/data --root ROOT --outboard IN -o OUT",
]
TREES = ("tree append", "tree update", "tree prove", "tree export", "tree show")


@pytest.mark.parametrize("alias", ALIASES)
@pytest.mark.parametrize("writer", WRITERS)
def test_commands(tmp_path, data, writer, alias):
    source = tmp_path / "source"
    if writer.startswith(TREES):
        merklize.build_tree_file(data, source, leaf_size=1024)
    else:
        shutil.copy(data, source)
    outboard = tmp_path / "outboard"
    bao.outboard_file(data, outboard)
    before = source.read_bytes()
    with contextlib.contextmanager(ALIASES[alias])(source) as (name, streams):
        words = {"IN": source, "OUT": name, "DATA": data, "OUTBOARD": outboard, "ROOT": ROOT}
        told = run(*(words.get(word, word) for word in writer.split()), **streams)
    assert told.returncode in (1, 2), told
    assert told.stderr
    assert source.read_bytes() == before
    if "--outboard IN" not in writer and not writer.startswith(("manifest", "verity", "fetch")):
        assert b"is the input itself" in told.stderr


@pytest.mark.parametrize(
    "writer", ["bao outboard - -o OUT", "bao encode - -o OUT", "tree build - --leaf-size 64 -o OUT"]
)
@pytest.mark.parametrize("alias", ALIASES)
def test_standard_input(data, writer, alias):
    before = data.read_bytes()
    with data.open("rb") as source, contextlib.contextmanager(ALIASES[alias])(data) as (name, streams):
        told = run(*(str(name) if word == "OUT" else word for word in writer.split()), stdin=source, **streams)
    assert (told.returncode, data.read_bytes() == before) == (2, True)


@pytest.mark.parametrize("writer", ["bao outboard IN", "bao encode IN", "bao encode -", "bao encode IN -o -"])
def test_standard_output(data, writer):
    """`>>` and `1<>`, which leave to the program what the shell's `>` has emptied."""
    before = data.read_bytes()
    words = [str(data) if word == "IN" else word for word in writer.split()]
    for mode in ("ab", "rb+"):
        with data.open(mode) as out, data.open("rb") as source:
            told = subprocess.run([COMMAND, *words], stdin=source, stdout=out, stderr=subprocess.PIPE, check=False)
        assert told.returncode == 2
        assert b"standard output is the input itself" in told.stderr
        assert data.read_bytes() == before


FUNCTIONS = {
    "outboard_file": lambda source, out: bao.outboard_file(source, out),
    "encode_file": lambda source, out: bao.encode_file(source, out),
    "build_tree_file": lambda source, out: merklize.build_tree_file(source, out, leaf_size=1024),
    "dm_verity_format": lambda source, out: formats.dm_verity_format(source, out),
}


@pytest.mark.parametrize("alias", ALIASES)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_functions(data, function, alias):
    if (function, alias) == ("dm_verity_format", "url"):
        pytest.skip("it takes paths alone")
    before = data.read_bytes()
    with contextlib.contextmanager(ALIASES[alias])(data) as (name, _), pytest.raises(InvalidArgument) as told:
        FUNCTIONS[function](data, name)
    assert data.read_bytes() == before
    assert "both input and output" in str(told.value) or "inside the data" in str(told.value)


@pytest.mark.parametrize("function", ["outboard_file", "encode_file", "build_tree_file"])
def test_descriptors(data, function):
    if function == "build_tree_file":
        with data.open("rb") as source, pytest.raises(InvalidArgument, match="both input and output"):
            FUNCTIONS[function](source.fileno(), data)
    with data.open("rb") as source, pytest.raises(InvalidArgument, match="both input and output"):
        FUNCTIONS[function](f"/proc/self/fd/{source.fileno()}", data)
    assert data.stat().st_size == SIZE


def test_a_tree_takes_no_leaves_of_itself(tmp_path, data):
    tree = tmp_path / "tree"
    merklize.build_tree_file(data, tree, leaf_size=1024)
    before = tree.read_bytes()
    with merklize.TreeFile(tree) as opened, pytest.raises(InvalidArgument, match="both input and output"):
        opened.append_file(tree, leaf_size=1024)
    assert tree.read_bytes() == before


def test_the_unfinished_file_is_not_the_input(tmp_path, data):
    """A tree is built in OUT.partial, and a download is made there."""
    source = tmp_path / "out.partial"
    shutil.copy(data, source)
    with pytest.raises(InvalidArgument, match=r"out.partial is both input and output"):
        merklize.build_tree_file(source, tmp_path / "out", leaf_size=1024)
    assert run("tree", "build", source, "--leaf-size", 1024, "-o", tmp_path / "out").returncode == 1
    words = ["--root", ROOT, "--outboard", source, "-o", tmp_path / "out"]
    assert run("fetch", "http://127.0.0.1:1/data", *words).returncode == 2
    assert source.read_bytes() == data.read_bytes()


def test_one_object():
    """An object of a store does not take its own place."""
    for words in (["bao", "outboard"], ["bao", "encode"], ["tree", "build", "--leaf-size", "64"]):
        told = run(*words, "http://127.0.0.1:1/data", "-o", "http://127.0.0.1:1/data")
        assert (told.returncode, told.stdout) == (2, b"")
        assert b"is the input itself" in told.stderr


@pytest.mark.packages("ray")
@pytest.mark.parametrize("alias", ["x", "file", "partial"])
def test_trees_of_a_cluster(tmp_path, data, alias):
    """merklize.ray writes OUT.ray-partial, and gives it its name."""
    from merklize.ray import _trees as trees

    source = tmp_path / "out.ray-partial" if alias == "partial" else tmp_path / "out"
    shutil.copy(data, source)
    out = tmp_path / "link"
    out.hardlink_to(source)
    with pytest.raises(InvalidArgument, match="is both input and output"):
        trees.build_tree(
            source.as_uri() if alias == "file" else source, 4096, out=tmp_path / "out" if alias == "partial" else out
        )
    assert source.read_bytes() == data.read_bytes()


OWN = b"not a journal, and no unfinished tree"
WRITERS = {
    "tree build": lambda data, out: ["tree", "build", data, "--leaf-size", "64", "-o", out],
    "bao outboard": lambda data, out: ["bao", "outboard", data, "-o", out],
    "bao encode": lambda data, out: ["bao", "encode", data, "-o", out],
    "manifest create": lambda data, out: ["manifest", "create", data.parent, "-o", out],
    "verity format": lambda data, out: ["verity", "format", data, out],
    "tree check": lambda _, out: ["tree", "check", out],
    "tree update": lambda data, out: ["tree", "update", out, "0", "--from", data],
}


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("has_old", [False, True])
def test_files_of_others_beside_an_output(tmp_path, data, writer, has_old):
    """OUT.journal and OUT.partial are what the library left, or files of the user, which stay; also as inputs."""
    out = tmp_path / "out"
    for source in ("data", "out.journal", "out.partial"):
        for end in ("", ".journal", ".partial"):
            (tmp_path / f"out{end}").unlink(missing_ok=True)
        if has_old:
            merklize.build_tree_file(data, out, leaf_size=64)
        for end in (".journal", ".partial"):
            (tmp_path / f"out{end}").write_bytes(OWN)
        given = tmp_path / "folder" / "data" if source == "data" else tmp_path / source
        if source == "data":
            given.parent.mkdir(exist_ok=True)
            shutil.copy(data, given)
        elif writer == "manifest create":
            continue
        told = run(*WRITERS[writer](given, out))
        assert (tmp_path / "out.journal").read_bytes() == OWN, told
        assert (tmp_path / "out.partial").read_bytes() == OWN, told
        if writer == "tree build" and source != "out.partial":
            assert b"out.partial: cannot write: it is not what a build of a tree left" in told.stderr


def test_listed_files(tmp_path):
    """A manifest does not take the place of a file that it lists."""
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "a").write_bytes(b"a")
    (folder / "b").write_bytes(b"b")
    (tmp_path / "symbolic").symlink_to(folder / "a")
    (tmp_path / "hard").hardlink_to(folder / "a")
    for name in (folder / "a", tmp_path / "symbolic", tmp_path / "hard"):
        told = run("manifest", "create", folder, "-o", name)
        assert told.returncode == 1, told
        assert b"is one of the files that the manifest lists" in told.stderr or b"no manifest" in told.stderr
        with pytest.raises(InvalidArgument, match="is one of the files that the manifest lists"):
            merklize.manifest(folder).save(name)
        assert (folder / "a").read_bytes() == b"a"
    for _ in range(2):
        assert run("manifest", "create", folder, "-o", folder / "manifest.json").returncode == 0


class Disk:
    """A file as a loop device, with partitions where the kernel makes them."""

    def __init__(self, folder, size, parts=()):
        self.folder, self.file = folder, folder / "disk"
        self.file.write_bytes(os.urandom(size))
        words = ["losetup", "--find", "--show", *(["--partscan"] if parts else []), self.file]
        told = subprocess.run(words, capture_output=True, text=True, check=False)
        if told.returncode:
            pytest.skip(f"no loop device: {told.stderr.strip()}")
        self.path = Path(told.stdout.strip())
        for number, (begin, length) in enumerate(parts, 1):
            self.add_part(number, begin, length)

    def add_part(self, number, begin, length):
        """Make a partition without a table, for which the kernel would need a parser (the ioctl BLKPG)."""
        part = ctypes.create_string_buffer(struct.pack("=qqi64s64s", begin, length, number, b"", b""))
        with self.path.open("rb") as file, contextlib.suppress(OSError):
            fcntl.ioctl(file, 0x1269, struct.pack("@iiiP", 1, 0, len(part), ctypes.addressof(part)))

    def node(self, name, number):
        path = self.folder / name
        os.mknod(path, 0o600 | 0o060000, number)
        return path

    def part(self, number):
        """The node of a partition, made here, since no udev may be there."""
        folder = Path("/sys/class/block") / f"{self.path.name}p{number}"
        if not folder.exists():
            pytest.skip("the kernel makes no partitions of loop devices")
        major, minor = map(int, (folder / "dev").read_text().split(":"))
        return self.node(f"part{number}", os.makedev(major, minor))

    def close(self):
        subprocess.run(["losetup", "--detach", self.path], check=False)


@pytest.fixture
def disk(tmp_path):
    if shutil.which("losetup") is None or os.geteuid() != 0:
        pytest.skip("loop devices need losetup, and root")
    made = []

    def make(*arguments):
        made.append(Disk(tmp_path, *arguments))
        return made[0]

    yield make
    for one in made:
        one.close()


def disk_alias(kind, one):
    if kind == "node":
        return one.node("other", one.path.stat().st_rdev)
    if kind == "link":
        link = one.folder / "link"
        link.symlink_to(one.path)
        return link
    return one.file if kind == "file" else one.path


DISK_WRITERS = {
    "verity": lambda data, out: run("verity", "format", data, out),
    "bao": lambda data, out: run("bao", "encode", data, "-o", out),
    "tree": lambda data, out: run("tree", "build", data, "--leaf-size", "4096", "-o", out),
}


@pytest.mark.parametrize("kind", ["itself", "node", "link", "file"])
@pytest.mark.parametrize("writer", DISK_WRITERS)
def test_disks(disk, writer, kind):
    one = disk(SIZE)
    before = one.file.read_bytes()
    alias = disk_alias(kind, one)
    for data, out in ((one.path, alias), (alias, one.path)):
        told = DISK_WRITERS[writer](data, out)
        assert told.returncode in (1, 2), told
        assert told.stderr
        assert one.path.read_bytes() == before
        assert one.file.read_bytes() == before


def test_partitions(disk):
    """The data of a disk is that of its partitions; another partition is another place."""
    one = disk(4 << 20, [(1 << 20, 1 << 20), (2 << 20, 2 << 20)])
    first, second = one.part(1), one.part(2)
    data = first.read_bytes()
    whole = one.path.read_bytes()
    inside = ["--hash-offset", 3 << 19]
    for words in ([one.path, first], [one.file, second], [first, one.path, *inside], [first, one.file, *inside]):
        told = run("verity", "format", *words)
        assert told.returncode == 1, told
        assert b"inside the data" in told.stderr
    assert one.path.read_bytes() == whole
    told = run("verity", "format", first, one.path, "--hash-offset", 2 << 20)
    assert told.returncode == 0, told
    assert first.read_bytes() == data
    root = told.stdout.split()[-1].decode()
    told = run("verity", "verify", first, second, root)
    assert (told.returncode, told.stdout) == (0, b"valid: 256 of 256 blocks\n")

"""Every reader of the command and the package, for every kind of input, as for a plain file with the same bytes."""

from __future__ import annotations

import glob
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import merklize
from cli_helpers import COMMAND, output
from cli_helpers import merklize as command
from merklize import bao, formats
from oracle import pattern
from waiting import HANG

LONG = pattern((9 << 20) + 12345)  # more than is read at once from an input without a size
SHORT = pattern(13893)
BEGUN = 1024  # bytes that another program has read
MESSAGE_HASHES = ("blake3", "blake2s", "sha256", "sha256d", "sha3_256", "keccak256")


class Given(NamedTuple):
    """An input: a path, or a descriptor for standard input."""

    content: bytes
    path: str | None = None
    descriptor: int | None = None

    @property
    def word(self) -> str:
        return "-" if self.path is None else self.path


@contextmanager
def plain(tmp: Path, content: bytes) -> Iterator[Given]:
    (tmp / "input").write_bytes(content)
    yield Given(content, str(tmp / "input"))


@contextmanager
def begun(tmp: Path, content: bytes) -> Iterator[Given]:
    """Standard input, of which another program has read the beginning."""
    (tmp / "input").write_bytes(content)
    with open(tmp / "input", "rb", buffering=0) as file:
        os.read(file.fileno(), BEGUN)
        yield Given(content[BEGUN:], descriptor=file.fileno())


@contextmanager
def piped(tmp: Path, content: bytes) -> Iterator[Given]:
    read, write = os.pipe()

    def feed() -> None:
        with open(write, "wb") as file:
            try:
                file.write(content)
                file.flush()
            except BrokenPipeError:  # its reader has refused it
                file.detach = None  # type: ignore[method-assign, assignment]

    thread = threading.Thread(target=feed, daemon=True)
    thread.start()
    try:
        yield Given(content, descriptor=read)
    finally:
        os.close(read)
        thread.join(HANG)


@contextmanager
def named_pipe(tmp: Path, content: bytes) -> Iterator[Given]:
    """A pipe by its name, as `<(...)` gives one."""
    with piped(tmp, content) as given:
        yield Given(content, f"/dev/fd/{given.descriptor}", given.descriptor)


@contextmanager
def without_size(tmp: Path, content: bytes) -> Iterator[Given]:
    """A file of /proc states no bytes, and has some."""
    path = "/proc/version"
    if not os.path.exists(path) or os.path.getsize(path) != 0:
        pytest.skip("there is no /proc here")
    yield Given(Path(path).read_bytes(), path)


@contextmanager
def too_short(tmp: Path, content: bytes) -> Iterator[Given]:
    """A file of /sys states a page, and has a line."""
    for path in sorted(
        glob.glob("/sys/kernel/mm/*/enabled") + glob.glob("/sys/kernel/mm/*/*") + glob.glob("/sys/kernel/*")
    ):
        try:
            found = Path(path).read_bytes() if os.path.isfile(path) else b""
        except OSError:
            continue
        if found and len(found) < os.path.getsize(path):
            yield Given(found, path)
            return
    pytest.skip("no file in /sys can be read here")


@contextmanager
def begun_too_short(tmp: Path, content: bytes) -> Iterator[Given]:
    with too_short(tmp, content) as given, open(given.path, "rb", buffering=0) as file:
        file.seek(5)
        yield Given(given.content[5:], descriptor=file.fileno())


@contextmanager
def disk(tmp: Path, content: bytes) -> Iterator[Given]:
    """A block device over a file. It has whole sectors."""
    whole = content[: len(content) // 4096 * 4096]
    (tmp / "image").write_bytes(whole)
    losetup = shutil.which("losetup", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
    if os.geteuid() != 0 or losetup is None:
        pytest.skip("only root makes block devices, by losetup")
    made = subprocess.run(
        [losetup, "--find", "--show", "--read-only", tmp / "image"], capture_output=True, text=True, check=False
    )
    if made.returncode != 0:
        pytest.skip(f"no loop device: {made.stderr.strip()}")
    device = made.stdout.strip()
    try:
        yield Given(whole, device)
    finally:
        subprocess.run([losetup, "--detach", device], check=True)


@contextmanager
def begun_disk(tmp: Path, content: bytes) -> Iterator[Given]:
    with disk(tmp, content) as given, open(given.path, "rb", buffering=0) as file:
        file.seek(BEGUN)
        yield Given(given.content[BEGUN:], descriptor=file.fileno())


KINDS: dict[str, tuple[Callable[..., Any], bytes]] = {
    "a file": (plain, SHORT),
    "an empty file": (plain, b""),
    "a begun file": (begun, LONG),
    "a file that was read to its end": (begun, bytes(BEGUN)),
    "a pipe": (piped, LONG),
    "a short pipe": (piped, SHORT),
    "an empty pipe": (piped, b""),
    "a named pipe": (named_pipe, LONG),
    "/proc": (without_size, b""),
    "/sys": (too_short, b""),
    "a begun file of /sys": (begun_too_short, b""),
    "a disk": (disk, LONG),
    "a begun disk": (begun_disk, LONG),
}

# INPUT is the input. What a command writes to OUT is compared, too. TREE is a tree of two leaves, SAME one over the
# input, and PROOF of a tree with the input as its leaf. ROOT, NODES and POST are the input's digest and outboards.
COMMANDS = (
    *(f"hash --no-names --hash {name} INPUT" for name in MESSAGE_HASHES),
    "hash --no-names --length 100000 --raw INPUT",
    "hash --no-names --xet INPUT",
    "tree build INPUT --leaf-size 16",
    "tree build INPUT --leaf-size 4K -o OUT",
    "tree build INPUT --leaf-size 4K --hash sha256 -o OUT",
    "tree build INPUT --row-size 1K",
    "tree build INPUT --leaves",
    "tree build INPUT --format glacier",
    "tree build INPUT --format fs_verity",
    "tree append TREE INPUT",
    "tree update SAME 0 --from INPUT",
    "tree verify PROOF --root ROOT --leaf-file INPUT",
    "piece INPUT",
    "piece INPUT --v1 --num-threads 1",
    "bao outboard INPUT",
    "bao outboard INPUT -o OUT",
    "bao outboard INPUT --format bao_tree_post --group-size 1K",
    "bao outboard INPUT --group-size 1M -o OUT",
    "bao encode INPUT",
    "bao encode INPUT -o OUT",
    "bao encode INPUT --format bao_tree",
    "bao decode INPUT --outboard NODES --root ROOT",
    "bao decode INPUT --outboard NODES --root ROOT --range 3,2000",
    "bao verify INPUT --outboard NODES --root ROOT",
    "bao verify INPUT --outboard POST --format bao_tree_post --root ROOT --range 0,0",
    "bao slice INPUT --outboard NODES --range 1,1025",
)


def run(line: str, given: Given, folder: Path) -> tuple[int, bytes, bytes, bytes]:
    """Exit code, standard output, the output file and the error of a command, without the name of the input."""
    folder.mkdir()
    (folder / "copy").write_bytes(given.content)
    paths = {name: str(folder / name.lower()) for name in ("TREE", "SAME", "NODES", "POST", "OUT", "PROOF")}
    if "TREE" in line:
        output("tree", "build", "-", "--leaf-size", "100", "-o", paths["TREE"], stdin=bytes(200))
    if "SAME" in line:
        output("tree", "build", folder / "copy", "--leaf-size", "4K", "-o", paths["SAME"])
    if "NODES" in line:
        output("bao", "outboard", folder / "copy", "-o", paths["NODES"])
    if "POST" in line:
        output("bao", "outboard", folder / "copy", "--format", "bao_tree_post", "-o", paths["POST"])
    root = merklize.hash(given.content).hex()
    if "PROOF" in line:  # of a tree of one leaf
        proof = merklize.MerkleTree([merklize.hash(given.content)]).prove(0)
        Path(paths["PROOF"]).write_text(proof.to_json())
    names = {**paths, "INPUT": given.word, "ROOT": root}
    words = [names.get(word, word) for word in line.split()]
    more: dict[str, Any] = {"stdin": subprocess.DEVNULL if given.descriptor is None else given.descriptor}
    if given.path is not None and given.descriptor is not None:
        more["pass_fds"] = (given.descriptor,)
    done = subprocess.run([COMMAND, *words], capture_output=True, timeout=HANG, check=False, **more)
    out = folder / "out"
    made = out.read_bytes() if out.exists() else b""
    error = done.stderr.replace(given.word.encode() if given.path else b"standard input", b"INPUT")
    return done.returncode, done.stdout, made, error


@pytest.mark.parametrize("line", COMMANDS)
@pytest.mark.parametrize("kind", KINDS)
def test_commands(tmp_path: Path, kind: str, line: str) -> None:
    give, content = KINDS[kind]
    with give(tmp_path, content) as given:
        (tmp_path / "plain").write_bytes(given.content)
        found = run(line, given, tmp_path / "found")
        expected = run(line, Given(given.content, str(tmp_path / "plain")), tmp_path / "expected")
    assert found == expected
    if not any(option in line for option in ("--leaves", "--row-size")):  # which take whole leaves and rows alone
        assert expected[0] == 0


def test_encodings_come_in_order(tmp_path: Path) -> None:
    """An encoding is read in order, from wherever it is."""
    encoding, root = bao.encode(LONG)
    for kind in ("a begun file", "a pipe", "a named pipe"):
        content = bytes(BEGUN) + encoding if kind == "a begun file" else encoding
        for line in ("bao decode INPUT --root " + root.hex(), "bao verify INPUT --root " + root.hex()):
            with KINDS[kind][0](tmp_path, content) as given:
                found = run(line, given, tmp_path / f"{kind} {line.split()[1]}")
            assert found[0] == 0
            assert "verify" in line or found[1] == LONG
        with KINDS[kind][0](tmp_path, content) as given:
            part = run("bao slice INPUT --range 5,6000", given, tmp_path / f"{kind} slice")
        assert part == (0, bao.slice(LONG, 5, 6000, outboard=bao.outboard(LONG).outboard), b"", b"")


def facts(tree: Any) -> tuple[bytes, int, int]:
    return tree.root, tree.n_leaves, tree.file_size


def package_readers(folder: Path) -> dict[str, Callable[[Any, bytes], Any]]:
    """What takes a path and gives something to compare. The second argument is the content."""
    tree = folder / "tree"

    def built(path: Any, _: bytes) -> bytes:
        merklize.build_tree_file(path, tree, leaf_size=4096)
        return tree.read_bytes()

    def appended(path: Any, _: bytes) -> bytes:
        merklize.build_tree_file("/dev/null", tree, leaf_size=100)
        with merklize.TreeFile(tree) as file:
            file.append_file(path, leaf_size=100)
        return tree.read_bytes()

    def updated(path: Any, _: bytes) -> bytes:
        return merklize.Hasher().update_file(path).digest()

    def encoded(path: Any, _: bytes) -> tuple[bytes, bytes]:
        root = bao.encode_file(path, folder / "encoding")
        return root, (folder / "encoding").read_bytes()

    def outboard(path: Any, _: bytes) -> tuple[bytes, bytes]:
        root = bao.outboard_file(path, folder / "outboard", format="bao_tree").root
        return root, (folder / "outboard").read_bytes()

    def verified(path: Any, content: bytes) -> tuple[bool, int]:
        made = bao.outboard(content)
        report = bao.verify(path, made.root, made.outboard)
        return bool(report), report.size

    return {
        **{
            f"hash_file, {name}": lambda path, _, name=name: merklize.hash_file(path, hash=name)
            for name in MESSAGE_HASHES
        },
        "hash_file, mapped": lambda path, _: merklize.hash_file(path, mmap=True),
        "hash_file, one thread": lambda path, _: merklize.hash_file(path, threads=1),
        "hash_files": lambda path, _: merklize.hash_files([path]),
        "hash_files, sha256": lambda path, _: merklize.hash_files([path], hash="sha256"),
        "merkle_root_file": lambda path, _: facts(merklize.merkle_root_file(path, leaf_size=1000)),
        "MerkleTree.from_file": lambda path, _: merklize.MerkleTree.from_file(path, 1000).root,
        "build_tree_file": built,
        "append_file": appended,
        "Hasher.update_file": updated,
        "xet": lambda path, _: formats.xet(path),
        "xet_files": lambda path, _: formats.xet_files([path]),
        "piece_cid": lambda path, _: formats.piece_cid(path),
        "fs_verity": lambda path, _: formats.fs_verity(path),
        "fs_verity, sha512": lambda path, _: formats.fs_verity(path, algorithm="sha512"),
        "bao.outboard_file": lambda path, _: bao.outboard_file(path),
        "bao.outboard_file, into a file": outboard,
        "bao.encode_file": encoded,
        "bao.verify": verified,
    }


PACKAGE = tuple(package_readers(Path()))


@pytest.mark.parametrize("reader", PACKAGE)
@pytest.mark.parametrize("kind", [kind for kind in KINDS if "begun" not in kind and "to its end" not in kind])
def test_paths_of_the_package(tmp_path: Path, kind: str, reader: str) -> None:
    give, content = KINDS[kind]
    with give(tmp_path, content) as given:
        path = given.path or f"/dev/fd/{given.descriptor}"
        read = package_readers(tmp_path)[reader]
        if reader == "MerkleTree.from_file" and "pipe" in kind:
            with pytest.raises(merklize.FileError, match="not a regular file"):
                read(path, given.content)
            return
        found = read(path, given.content)
    (tmp_path / "copy").write_bytes(given.content)
    assert found == read(str(tmp_path / "copy"), given.content)


DESCRIPTORS: dict[str, Callable[[int], Any]] = {
    **{
        f"hash_file, {name}": lambda descriptor, name=name: merklize.hash_file(descriptor, hash=name)
        for name in MESSAGE_HASHES
    },
    "hash_file, mapped": lambda descriptor: merklize.hash_file(descriptor, mmap=True),
    "merkle_root_file": lambda descriptor: facts(merklize.merkle_root_file(descriptor, leaf_size=1000)),
    "xet": lambda descriptor: formats.xet(descriptor),
}


@pytest.mark.parametrize("reader", DESCRIPTORS)
@pytest.mark.parametrize("kind", KINDS)
def test_descriptors_of_the_package(tmp_path: Path, kind: str, reader: str) -> None:
    """A descriptor is read from where it stands. Digests leave it at its end, a tree of a file where it was."""
    give, content = KINDS[kind]
    with give(tmp_path, content) as given:
        descriptor = given.descriptor
        if descriptor is None:
            descriptor = os.open(given.path or "", os.O_RDONLY)
        found = DESCRIPTORS[reader](descriptor)
        left = os.read(descriptor, 1)
        if given.descriptor is None:
            os.close(descriptor)
    (tmp_path / "copy").write_bytes(given.content)
    with open(tmp_path / "copy", "rb", buffering=0) as file:
        assert found == DESCRIPTORS[reader](file.fileno())
    if reader != "merkle_root_file":
        assert left == b""


@pytest.mark.parametrize("kind", ["an empty file", "/proc", "/sys"])
def test_manifests_state_the_bytes_that_they_hash(tmp_path: Path, kind: str) -> None:
    with KINDS[kind][0](tmp_path, b"") as given:
        for folder in ("linked", "copied"):
            (tmp_path / folder).mkdir()
        (tmp_path / "linked/x").symlink_to(given.path)
        (tmp_path / "copied/x").write_bytes(given.content)
        linked = merklize.manifest(tmp_path / "linked", follow_links=True)
        assert linked.root == merklize.manifest(tmp_path / "copied").root
        linked.save(tmp_path / "manifest")
        for folder in ("linked", "copied"):
            done = command("manifest", "check", tmp_path / "manifest", tmp_path / folder, "--follow-links")
            assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("size", [0, 5000, 13892, 13894, 18898])
def test_an_update_takes_data_of_the_same_size_alone(tmp_path: Path, size: int) -> None:
    (tmp_path / "data").write_bytes(SHORT)
    (tmp_path / "other").write_bytes(pattern(size))
    for index in ("0", "4", "13"):
        tree = tmp_path / "tree"
        output("tree", "build", tmp_path / "data", "--leaf-size", "1K", "-o", tree)
        before = tree.read_bytes()
        done = command("tree", "update", tree, index, "--from", tmp_path / "other")
        assert (done.returncode, done.stdout, tree.read_bytes()) == (1, b"", before)
        assert f"has {size} bytes, and the tree is over 13893 bytes".encode() in done.stderr


def test_an_update_of_a_tree_that_states_no_size(tmp_path: Path) -> None:
    """After an append behind a shorter block, a tree file has no size. Data of another count of blocks is refused."""
    (tmp_path / "data").write_bytes(SHORT)
    tree = tmp_path / "tree"
    output("tree", "build", tmp_path / "data", "--leaf-size", "1K", "-o", tree)
    output("tree", "append", tree, "-", stdin=SHORT[:1500])
    for size in (0, 13893, 17 * 1024):
        (tmp_path / "other").write_bytes(pattern(size))
        done = command("tree", "update", tree, "0", "--from", tmp_path / "other")
        assert (done.returncode, done.stdout) == (1, b"")
        assert f"has {size} bytes, and the tree is over 16 pieces of 1024 bytes".encode() in done.stderr


CHANGED: dict[str, tuple[int, Callable[..., Any]]] = {
    "hash_file": (1 << 30, lambda path, folder, **how: merklize.hash_file(path, **how)),
    "hash_file, sha256": (1 << 28, lambda path, folder, **how: merklize.hash_file(path, hash="sha256", **how)),
    "hash_file, keccak256": (1 << 27, lambda path, folder, **how: merklize.hash_file(path, hash="keccak256", **how)),
    "merkle_root_file": (
        1 << 30,
        lambda path, folder, **how: merklize.merkle_root_file(path, leaf_size=1 << 16, **how),
    ),
    "build_tree_file": (
        1 << 30,
        lambda path, folder, **how: merklize.build_tree_file(path, folder / "tree", leaf_size=1 << 16, **how),
    ),
    "from_file": (1 << 30, lambda path, folder, **how: merklize.MerkleTree.from_file(path, 1 << 16, **how)),
    "xet": (1 << 28, lambda path, folder, **how: formats.xet(path, **how)),
    "piece_cid": (1 << 28, lambda path, folder, **how: formats.piece_cid(path, **how)),
    "fs_verity": (1 << 28, lambda path, folder, **how: formats.fs_verity(path, **how)),
    "outboard_file": (1 << 30, lambda path, folder, **how: bao.outboard_file(path, group_size=1 << 16, **how)),
    "encode_file": (1 << 28, lambda path, folder, **how: bao.encode_file(path, folder / "encoding", **how)),
    "verify": (1 << 30, lambda path, folder, outboard, **how: bao.verify(path, *outboard, **how)),
}


@pytest.mark.parametrize("change", ["shorter", "longer", "written"])
@pytest.mark.parametrize("reader", CHANGED)
def test_a_file_that_changes_while_it_is_read(tmp_path: Path, reader: str, change: str) -> None:
    size, read = CHANGED[reader]
    path = tmp_path / "sparse"
    with open(path, "wb") as file:
        file.truncate(size)
    told = []

    def progress(done: float) -> None:
        if not told:
            if change == "written":
                with open(path, "r+b") as file:
                    file.write(b"x")
            else:
                os.truncate(path, size - 1 if change == "shorter" else size + 1)
        told.append(done)

    more: dict[str, Any] = {}
    if reader == "verify":
        made = bao.outboard_file(path)
        more["outboard"] = (made.root, made.outboard)
    with pytest.raises(merklize.FileError, match=r"sparse: (grew|shrank|changed) while being read"):
        read(path, tmp_path, threads=1, progress=progress, **more)
    assert told


@pytest.mark.parametrize("line", ["manifest show INPUT", "manifest check INPUT .", "manifest diff INPUT INPUT"])
def test_a_text_without_an_end_is_refused(tmp_path: Path, line: str) -> None:
    """It is refused where it shows that it is no manifest, in little memory."""
    for head in ("cat /dev/zero", "yes", "(printf '{'; cat /dev/zero)"):
        with subprocess.Popen(["bash", "-c", f"exec 2> /dev/null; {head}"], stdout=subprocess.PIPE) as source:
            words = " ".join(line.replace("INPUT", "/dev/stdin").split())
            done = subprocess.run(
                ["bash", "-c", f"ulimit -v 2000000; exec {COMMAND} {words}"],
                stdin=source.stdout,
                capture_output=True,
                cwd=tmp_path,
                timeout=HANG,
                check=False,
            )
            source.kill()
        assert (done.returncode, done.stdout) == (1, b"")
        assert b"not JSON" in done.stderr


# A small process of its own, because a child's memory counts from the moment it is forked.
MEASURED = """
import os, subprocess, sys
source = subprocess.Popen(["head", "-c", "400000000", "/dev/zero"], stdout=subprocess.PIPE)
if (pid := os.fork()) == 0:
    os.dup2(source.stdout.fileno(), 0)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.execv(sys.argv[1], sys.argv[1:])
source.stdout.close()
_, status, used = os.wait4(pid, 0)
print(status, used.ru_maxrss)
"""


@pytest.mark.parametrize(
    "line", ["bao outboard - -o OUT", "bao outboard -", "bao encode - -o OUT", "bao encode -", "piece -"]
)
def test_a_long_pipe_takes_little_memory(tmp_path: Path, line: str) -> None:
    words = line.replace("OUT", str(tmp_path / "out")).split()
    measured = subprocess.run(
        [sys.executable, "-S", "-c", MEASURED, COMMAND, *words],
        capture_output=True,
        text=True,
        timeout=HANG,
        check=True,
    )
    status, kilobytes = map(int, measured.stdout.split())
    assert status == 0
    assert kilobytes < 150_000

"""hash_file and hash_files: paths, descriptors, open files, pipes; files that change or cannot be read."""

import io
import os
import pathlib
import tempfile
import threading

import blake3
import pytest

import merklize
from oracle import pattern

SIZES = [0, 1, 1023, 1024, 1025, 65536, (1 << 17) - 1, 1 << 17, (1 << 18) + 1, (1 << 20) + 7, 10 << 20]


@pytest.fixture
def sparse(tmp_path):
    """A file of `size` bytes that takes no room on the disk, and long enough to be changed while it is read."""

    def make(size, name="sparse"):
        path = tmp_path / name
        with open(path, "wb") as file:
            file.truncate(size)
        return path

    return make


def piped(data):
    """Read end of a pipe that `data` runs through."""
    read, write = os.pipe()

    def feed():
        with open(write, "wb") as file:
            file.write(data)

    threading.Thread(target=feed, daemon=True).start()
    return read


@pytest.mark.parametrize("size", SIZES)
def test_paths(tmp_path, size):
    data = pattern(size)
    path = tmp_path / "data"
    path.write_bytes(data)
    expected = blake3.blake3(data).digest()
    for form in (path, str(path), os.fsencode(path)):
        assert merklize.hash_file(form) == expected
    for threads in (1, 2, 5):
        assert merklize.hash_file(path, threads=threads) == expected


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("threads", [1, 2, 5])
def test_pipes(size, threads):
    data = pattern(size)
    read = piped(data)
    assert merklize.hash_file(read, threads=threads) == blake3.blake3(data).digest()
    os.close(read)


def test_modes_and_extendable_output(tmp_path):
    data, key = pattern(500_000), bytes(range(32))
    path = tmp_path / "data"
    path.write_bytes(data)
    assert merklize.hash_file(path, key=key) == blake3.blake3(data, key=key).digest()
    output = blake3.blake3(data, derive_key_context="c").digest(length=1000, seek=77)
    assert merklize.hash_file(path, context="c", length=1000, seek=77) == output
    read = piped(data)
    assert merklize.hash_file(read, context="c", length=1000, seek=77) == output
    os.close(read)


def test_descriptor_is_read_from_where_it_stands(tmp_path):
    path = tmp_path / "data"
    path.write_bytes(pattern(300_000))
    descriptor = os.open(path, os.O_RDONLY)
    os.lseek(descriptor, 12_345, os.SEEK_SET)
    assert merklize.hash_file(descriptor) == blake3.blake3(pattern(300_000)[12_345:]).digest()
    os.fstat(descriptor)  # still open
    os.close(descriptor)


@pytest.mark.parametrize("buffering", [0, 100, -1])
def test_open_file_is_read_from_where_it_stands(tmp_path, buffering):
    path = tmp_path / "data"
    path.write_bytes(pattern(300_000))
    with open(path, "rb", buffering=buffering) as file:
        file.read(1000)
        assert merklize.hash_file(file) == blake3.blake3(pattern(300_000)[1000:]).digest()
        assert file.read() == b""
        assert merklize.hash_file(file) == blake3.blake3(b"").digest()
        file.seek(5)
        assert file.read(10) == pattern(15)[5:]


def test_other_open_files(tmp_path):
    path = tmp_path / "data"
    path.write_text("some text\n")
    with open(path) as text:
        assert merklize.hash_file(text) == merklize.hash(b"some text\n")
    with open(path, "r+b") as both:
        both.seek(0, os.SEEK_END)
        both.write(b"more")  # still in the buffer
        both.seek(0)
        assert merklize.hash_file(both) == merklize.hash(b"some text\nmore")
    with tempfile.NamedTemporaryFile() as wrapped:
        wrapped.write(b"x" * 10)
        wrapped.seek(3)
        assert merklize.hash_file(wrapped) == merklize.hash(b"x" * 7)
    with os.fdopen(piped(b"piped"), "rb") as pipe:
        assert merklize.hash_file(pipe) == merklize.hash(b"piped")


def test_fifo(tmp_path):
    path = tmp_path / "fifo"
    os.mkfifo(path)
    thread = threading.Thread(target=path.write_bytes, args=(pattern(1_000_000),))
    thread.start()
    assert merklize.hash_file(path) == blake3.blake3(pattern(1_000_000)).digest()
    thread.join()


def test_slow_writer():
    read, write = os.pipe()

    def feed():
        for _ in range(20):
            os.write(write, pattern(777))
            threading.Event().wait(0.005)
        os.close(write)

    thread = threading.Thread(target=feed)
    thread.start()
    assert merklize.hash_file(read) == blake3.blake3(pattern(777) * 20).digest()
    thread.join()
    os.close(read)


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="needs /proc")
def test_files_that_the_kernel_makes_up():
    """They say that they have no bytes, and have some."""
    assert merklize.hash_file("/proc/version") == blake3.blake3(pathlib.Path("/proc/version").read_bytes()).digest()


def test_unusual_names(tmp_path):
    for name in ("ü 目\n", b"\xff\xfe not utf-8"):
        path = os.path.join(os.fsencode(tmp_path), os.fsencode(name))
        with open(path, "wb") as file:
            file.write(b"data")
        assert merklize.hash_file(path) == merklize.hash(b"data")
        assert merklize.hash_files([path, path + b"x"])[0] == merklize.hash(b"data")
    with pytest.raises(merklize.FileError, match="not utf-8x"):
        merklize.hash_file(path + b"x")


def test_unreadable_things(tmp_path):
    with pytest.raises(merklize.FileError, match=r"missing: cannot open: No such file"):
        merklize.hash_file(tmp_path / "missing")
    with pytest.raises(merklize.FileError, match="Is a directory"):
        merklize.hash_file(tmp_path)
    with pytest.raises(merklize.FileError, match="file descriptor 12345: .*Bad file descriptor"):
        merklize.hash_file(12345)
    with pytest.raises(merklize.InvalidArgument, match="file descriptor must be 0 to"):
        merklize.hash_file(-1)
    with pytest.raises(merklize.InvalidArgument, match="zero byte"):
        merklize.hash_file("data\0.txt")
    with pytest.raises(merklize.FileError, match="this BytesIO has no file descriptor; use Hasher"):
        merklize.hash_file(io.BytesIO(b"data"))
    with pytest.raises(TypeError, match="must be a path, a file descriptor or an open file, got NoneType"):
        merklize.hash_file(None)
    with pytest.raises(TypeError, match="progress must be callable, got int"):
        merklize.hash_file(tmp_path, progress=5)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_no_permission(tmp_path):
    path = tmp_path / "secret"
    path.touch(0)
    with pytest.raises(merklize.FileError, match="Permission denied"):
        merklize.hash_file(path)


@pytest.mark.parametrize("change", [-1, 1, -(1 << 29), 1 << 29])
@pytest.mark.parametrize("threads", [1, 2])
def test_file_that_changes_its_size(sparse, change, threads):
    size = 1 << 30
    path, calls = sparse(size), []

    def progress(done):
        calls.append(done)
        os.truncate(path, size + change)

    with pytest.raises(merklize.FileError, match=f"sparse: {'grew' if change > 0 else 'shrank'} while being read"):
        merklize.hash_file(path, threads=threads, progress=progress)
    assert calls


def test_progress_and_cancelling(sparse):
    path, calls = sparse(2 << 30), []
    merklize.hash_file(path, progress=calls.append)
    assert calls == sorted(calls)
    assert calls
    assert 0 <= calls[0] <= calls[-1] <= 1
    with pytest.raises(merklize.Cancelled, match="cancelled"):
        merklize.hash_file(path, progress=lambda done: False)

    def fail(done):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        merklize.hash_file(path, progress=fail)


def test_cancelling_a_pipe():
    read, write = os.pipe()  # nobody writes
    with pytest.raises(merklize.Cancelled):
        merklize.hash_file(read, progress=lambda done: False)
    os.close(read)
    os.close(write)


def test_many_files(tmp_path):
    contents = [pattern(size) for size in (*SIZES, *range(100))]
    paths = []
    for i, data in enumerate(contents):
        paths.append(tmp_path / f"file {i}")
        paths[-1].write_bytes(data)
    expected = [blake3.blake3(data).digest() for data in contents]
    assert merklize.hash_files(paths) == expected
    assert merklize.hash_files((str(path) for path in paths), threads=3) == expected
    keyed = [blake3.blake3(data, key=bytes(32)).digest(length=50, seek=9) for data in contents]
    assert merklize.hash_files(paths, key=bytes(32), length=50, seek=9) == keyed
    assert merklize.hash_files([]) == []


def test_many_files_of_which_some_fail(tmp_path):
    good = tmp_path / "good"
    good.write_bytes(b"good")
    results = merklize.hash_files([good, tmp_path / "missing", tmp_path, good])
    assert results[0] == results[3] == merklize.hash(b"good")
    assert isinstance(results[1], merklize.FileError)
    assert "missing: cannot open: No such file" in str(results[1])
    assert isinstance(results[2], merklize.FileError)
    assert "Is a directory" in str(results[2])


def test_many_files_progress_and_cancelling(tmp_path, sparse):
    calls = []
    paths = [sparse(1 << 30, f"sparse {i}") for i in range(3)]
    results = merklize.hash_files(paths, threads=1, progress=calls.append)
    assert len(set(results)) == 1
    assert calls
    assert all(0 <= done <= 1 for done in calls)
    with pytest.raises(merklize.Cancelled):
        merklize.hash_files(paths, threads=1, progress=lambda done: False)


def test_many_files_wrong_arguments():
    with pytest.raises(TypeError):
        merklize.hash_files([5])
    with pytest.raises(merklize.InvalidArgument, match="zero byte"):
        merklize.hash_files(["a\0b"])
    with pytest.raises(merklize.InvalidArgument, match="key must be 32 bytes"):
        merklize.hash_files([], key=b"")

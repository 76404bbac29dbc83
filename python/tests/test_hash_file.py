"""hash_file and hash_files: paths, descriptors, open files, pipes; files that change or cannot be read."""

import bz2
import errno
import gzip
import io
import lzma
import os
import pathlib
import pickle
import tempfile
import threading

import blake3
import numpy as np
import pytest

import merklize
from cli_helpers import unread
from merklize import bao, extensions
from oracle import pattern
from waiting import eventually

SIZES = [0, 1, 1023, 1024, 1025, 65536, (1 << 17) - 1, 1 << 17, (1 << 18) + 1, (1 << 20) + 7, 10 << 20]


@pytest.fixture
def sparse(tmp_path):
    """A sparse file of `size` bytes, long enough to be changed while it is read."""

    def make(size, name="sparse"):
        path = tmp_path / name
        with open(path, "wb") as file:
            file.truncate(size)
        return path

    return make


def piped(data):
    """The read end of a pipe with `data`."""
    read, write = os.pipe()

    def feed():
        with open(write, "wb") as file:
            file.write(data)

    threading.Thread(target=feed, daemon=True).start()
    return read


def test_more_than_one_segment(sparse):
    """The chaining values of 4 GiB are in memory at once, then those of the next 4 GiB."""
    segment = 4 << 30
    path = sparse(segment)
    with open(path, "r+b") as file:
        for at in (0, segment // 2 - 9, segment - 5):
            file.seek(at)
            file.write(b"bytes")
    whole = blake3.blake3(max_threads=blake3.blake3.AUTO).update_mmap(path)
    assert merklize.hash_file(path) == whole.digest()
    more = pattern((1 << 18) + 5)
    with open(path, "ab") as file:
        file.write(more)
    assert merklize.hash_file(path) == whole.update(more).digest()
    path.unlink()  # from the page cache, too


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


@pytest.mark.parametrize("call", [
    merklize.hash_file,
    lambda fd: merklize.hash_file(fd, hash="sha256"),
    merklize.formats.xet,
    lambda fd: merklize.merkle_root_file(fd, leaf_size=64),
    lambda fd: merklize.MerkleTree.from_file(fd, leaf_size=64),
])  # fmt: skip
def test_descriptor_that_is_not_open_for_reading(call):
    """The write end of a pipe never has data, so a wait for data would not end."""
    read_end, write_end = os.pipe()
    try:
        with pytest.raises(merklize.FileError, match="not open for reading"):
            call(write_end)
    finally:
        os.close(read_end)
        os.close(write_end)


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


@pytest.mark.parametrize("mmap", [False, True])
@pytest.mark.parametrize("buffering", [None, 0, -1])
def test_a_position_beyond_the_end_stays(tmp_path, buffering, mmap):
    path = tmp_path / "data"
    path.write_bytes(pattern(5000))
    with open(path, "rb", buffering=buffering or 0) as file:
        given = file.fileno() if buffering is None else file
        file.read(10)
        file.seek(7000)
        assert merklize.hash_file(given, mmap=mmap) == merklize.hash(b"")
        assert file.tell() == os.lseek(file.fileno(), 0, os.SEEK_CUR) == 7000


def test_other_open_files(tmp_path):
    path = tmp_path / "data"
    path.write_text("some text\n")
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


@pytest.mark.parametrize("module", [gzip, bz2, lzma])
def test_decompressors_give_their_content(tmp_path, module):
    path, data = tmp_path / "data", pattern(3_000_000)
    with module.open(path, "wb") as file:
        file.write(data)
    with module.open(path) as file:
        assert merklize.hash_file(file) == merklize.hash(data)
    with module.open(path) as file:
        file.read(1000)
        assert merklize.hash_file(file, key=bytes(32), length=50, seek=7) == merklize.hash(
            data[1000:], key=bytes(32), length=50, seek=7
        )
        assert file.read() == b""


def test_objects_that_read(tmp_path):
    data = pattern(2_500_000)
    memory = io.BytesIO(data)
    memory.seek(17)
    assert merklize.hash_file(memory) == merklize.hash(data[17:])

    class Reader:
        """A file that has read() alone, and gives fewer bytes than asked for."""

        def __init__(self):
            self.file = io.BytesIO(data)

        def read(self, size):
            return self.file.read(min(size, 1000))

    assert merklize.hash_file(Reader()) == merklize.hash(data)
    with pytest.raises(merklize.Cancelled):
        merklize.hash_file(Endless(), progress=lambda done: False)
    with pytest.raises(ZeroDivisionError):
        merklize.hash_file(Endless(), progress=lambda done: 1 / 0)

    class Shifted(io.FileIO):
        """A subclass may read something else than the descriptor gives."""

        def readinto(self, buffer):
            count = super().readinto(buffer)
            for i in range(count):
                buffer[i] ^= 1
            return count

    path = tmp_path / "data"
    path.write_bytes(data[:1000])
    for shifted in (Shifted(path), io.BufferedReader(Shifted(path))):
        with shifted:
            assert merklize.hash_file(shifted) == merklize.hash(bytes(b ^ 1 for b in data[:1000]))
    with open(path, "rb", buffering=0) as raw:
        raw.seek(10)
        assert merklize.hash_file(raw) == merklize.hash(data[10:1000])
    with open(path, "rb") as buffered:
        buffered.read(10)
        buffered.peek(100)
        assert merklize.hash_file(buffered) == merklize.hash(data[10:1000])
        assert buffered.tell() == 1000


READERS = {
    "hash_file": merklize.hash_file,
    "decode_stream": lambda file: b"".join(bao.decode_stream(file, merklize.hash(b""))),
    "Reader": lambda file: bao.Reader(file, merklize.hash(b"abc"), b"", size=3, format="bao_tree").read(),
}
NO_ANSWERS = {
    "text": ("abc", TypeError, "an open file must give bytes, got text from File"),
    "no data now": (None, BlockingIOError, "the file has no data now"),
    "a count": (3, TypeError, r"read\(\) of File: what it gives must be bytes-like, .* got int"),
    "objects": (np.zeros(3, object), merklize.InvalidArgument, "an array of Python objects"),
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("kind", NO_ANSWERS)
def test_what_read_must_not_give(reader, kind):
    answer, error, text = NO_ANSWERS[kind]

    class File:
        def read(self, size):
            return answer

        def seek(self, offset):
            return offset

    call = "readinto" if reader == "Reader" else reader
    with pytest.raises(error, match=f"^{call}: .*{text}"):
        READERS[reader](File())


@pytest.mark.parametrize("answer", [bytearray, memoryview, lambda data: np.frombuffer(data, np.uint8)])
def test_what_read_may_give(answer):
    data = bytes(range(256)) * 40
    root = merklize.hash(data)

    class File(io.BytesIO):
        def read(self, size=-1):
            return answer(super().read(min(size, 1000)))

    class ReadAlone:
        def __init__(self):
            self.read = File(data).read

    assert merklize.hash_file(ReadAlone()) == root
    assert b"".join(bao.decode_stream(File(bao.encode(data).encoding), root)) == data
    assert bao.Reader(File(data), root, bao.outboard(data).outboard).read() == data


@pytest.mark.parametrize("count", [-1, (1 << 20) + 1, 1 << 62, 10**30, "3", 3.0])
def test_a_count_that_readinto_cannot_have_read(count):
    class File:
        def readinto(self, buffer):
            return count

    error, text = (
        (merklize.InvalidArgument, f"must return 0 to 1048576, the bytes of its buffer, got {count}")
        if isinstance(count, int)
        else (TypeError, f"must return a count of bytes, got {type(count).__name__}")
    )
    with pytest.raises(error, match=rf"^hash_file: readinto\(\) of File {text}"):
        merklize.hash_file(File())


def test_read_that_gives_more_than_it_is_asked_for():
    class File(io.BytesIO):
        def read(self, size=-1):
            return super().read(size + 1)

    data = bytes(300_000)
    for call in (
        lambda: list(bao.decode_stream(File(bao.encode(data).encoding), merklize.hash(data))),
        lambda: bao.Reader(File(data), merklize.hash(data), bao.outboard(data).outboard).read(),
    ):
        with pytest.raises(merklize.InvalidArgument, match=r"read\(\) of File must give what .*, got more"):
            call()


class Endless:
    def read(self, size):
        return b"x"


def test_what_a_buffer_has_read_ahead_of_a_pipe():
    with os.fdopen(piped(b"one two three"), "rb") as pipe:
        assert pipe.read(4) == b"one "
        assert merklize.hash_file(pipe) == merklize.hash(b"two three")


def test_text_files_are_errors(tmp_path):
    path = tmp_path / "data"
    path.write_text("some text\n")
    with open(path) as text:
        text.read(1)
        with pytest.raises(TypeError, match="must give bytes, got a text file .*; open it with mode 'rb'"):
            merklize.hash_file(text)
    with pytest.raises(TypeError, match="must give bytes, got a text file"):
        merklize.hash_file(io.StringIO("text"))

    class Text:
        def read(self, size):
            return "text"

    with pytest.raises(TypeError, match="must give bytes, got text from Text"):
        merklize.hash_file(Text())
    with open(path, "ab") as writing, pytest.raises(merklize.FileError, match="not open for reading"):
        merklize.hash_file(writing)


def test_errors_are_those_of_the_system(tmp_path):
    missing = tmp_path / "missing"
    for call in (
        merklize.hash_file,
        lambda path: merklize.MerkleTree.from_file(path, 100),
        lambda path: merklize.TreeFile(path),
    ):
        with pytest.raises(FileNotFoundError) as caught:
            call(missing)
        error = caught.value
        assert isinstance(error, merklize.FileError)
        assert (error.errno, error.filename) == (errno.ENOENT, str(missing))
        assert error.strerror == os.strerror(errno.ENOENT)
        assert str(error) == f"{missing}: cannot open: No such file or directory"
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), str(again), again.errno, again.filename) == (
            type(error),
            str(error),
            error.errno,
            error.filename,
        )
    with pytest.raises(IsADirectoryError) as caught:
        merklize.hash_file(tmp_path)
    assert caught.value.errno == errno.EISDIR
    results = merklize.hash_files([missing, tmp_path])
    assert isinstance(results[0], FileNotFoundError)
    assert isinstance(results[1], IsADirectoryError)
    assert [result.filename for result in results] == [str(missing), str(tmp_path)]
    odd = os.fsencode(tmp_path) + b"/\xff"
    with pytest.raises(FileNotFoundError) as caught:
        merklize.hash_file(odd)
    assert os.fsencode(caught.value.filename) == odd


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
            eventually(lambda: unread(read) == 0)
        os.close(write)

    thread = threading.Thread(target=feed)
    thread.start()
    assert merklize.hash_file(read) == blake3.blake3(pattern(777) * 20).digest()
    thread.join()
    os.close(read)


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="needs /proc")
def test_files_that_the_kernel_makes_up():
    """They report a size of 0, but have bytes."""
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
    for wrong in (-1, 2**31, 2**64, -(2**70)):
        with pytest.raises(merklize.InvalidArgument, match=rf"file descriptor must be 0 to 2\^31 - 1, got {wrong}"):
            merklize.hash_file(wrong)
    with pytest.raises(merklize.InvalidArgument, match="zero byte"):
        merklize.hash_file("data\0.txt")
    for wrong in (True, False):
        with pytest.raises(TypeError, match="must be a path, a file descriptor or an open file, got bool"):
            merklize.hash_file(wrong)
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


@pytest.mark.parametrize("back", [False, True])
def test_file_that_is_written_to_with_its_size_kept(sparse, back):
    path, size = sparse(1 << 30), 1 << 30
    before = os.stat(path)

    def progress(done):
        with open(path, "r+b") as file:
            file.write(b"x")
        if back:  # the time of the last write can be set back, but not the time of the last change
            os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    with pytest.raises(merklize.FileError, match="sparse: changed while being read: the times"):
        merklize.hash_file(path, progress=progress)
    with pytest.raises(merklize.FileError, match="sparse: changed while being read: the times"):
        merklize.merkle_root_file(path, leaf_size=1 << 20, progress=progress)
    assert os.stat(path).st_size == size


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("threads", [1, 2])
def test_mapped_files(tmp_path, size, threads):
    path = tmp_path / "data"
    path.write_bytes(pattern(size))
    expected = blake3.blake3(pattern(size)).digest()
    assert merklize.hash_file(path, threads=threads, mmap=True) == expected
    with open(path, "rb") as file:
        assert merklize.hash_file(file, threads=threads, mmap=True) == expected
        assert file.read() == b""
    if size > 5000:
        with open(path, "rb", buffering=0) as file:
            file.seek(5000)  # not a multiple of a page
            assert merklize.hash_file(file, mmap=True) == blake3.blake3(pattern(size)[5000:]).digest()
            assert file.tell() == size


def test_mapping_takes_all_options_and_reads_what_cannot_be_mapped(tmp_path):
    path = tmp_path / "data"
    path.write_bytes(pattern(100000))
    key = bytes(range(32))
    expected = blake3.blake3(pattern(100000), key=key).digest(length=70, seek=3)
    assert merklize.hash_file(path, key=key, length=70, seek=3, mmap=True) == expected
    assert merklize.hash_file(path, hash="keccak256", mmap=True) == merklize.hash(pattern(100000), hash="keccak256")
    assert merklize.hash_file(piped(b"abc"), mmap=True) == blake3.blake3(b"abc").digest()
    assert merklize.hash_file(io.BytesIO(b"abc"), mmap=True) == blake3.blake3(b"abc").digest()
    assert merklize.hash_file("/proc/self/cmdline", mmap=True) == merklize.hash_file("/proc/self/cmdline")
    with pytest.raises(FileNotFoundError, match="cannot open"):
        merklize.hash_file(tmp_path / "none", mmap=True)
    with pytest.raises(IsADirectoryError):
        merklize.hash_file(tmp_path, mmap=True)


def test_mapped_file_that_grows_or_is_cancelled(sparse):
    path = sparse(1 << 30)

    def grow(done):
        os.truncate(path, (1 << 30) + 1)

    with pytest.raises(merklize.FileError, match="sparse: changed while being read"):
        merklize.hash_file(path, mmap=True, progress=grow)
    with pytest.raises(merklize.Cancelled):  # one thread takes long enough to be asked on any machine
        merklize.hash_file(path, mmap=True, threads=1, progress=lambda done: False)


def test_files_of_a_wrong_size():
    """Files in /sys report a page and have a line; those in /proc report a size of 0."""
    wrong = []
    for folder in ("/sys/kernel", "/sys/devices/system/cpu", "/sys/kernel/mm"):
        for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
            path = os.path.join(folder, name)
            try:
                with open(path, "rb") as file:
                    content = file.read()
                if os.path.isfile(path) and len(content) != os.path.getsize(path):
                    wrong.append((path, content))
            except OSError:
                continue
    if not wrong:
        pytest.skip("no file in /sys to be read")
    for path, content in wrong[:5]:
        assert merklize.hash_file(path) == blake3.blake3(content).digest()
        assert merklize.hash_files([path, path]) == [blake3.blake3(content).digest()] * 2
        with open(path, "rb") as file:
            file.seek(1)
            assert merklize.hash_file(file) == blake3.blake3(content[1:]).digest()


def test_progress_and_cancelling(sparse):
    path, calls = sparse(2 << 30), []
    merklize.hash_file(path, progress=calls.append)
    assert calls == sorted(calls)
    assert calls
    assert 0 <= calls[0] <= calls[-1] <= 1
    with pytest.raises(merklize.Cancelled, match="cancelled"):
        merklize.hash_file(path, threads=1, progress=lambda done: False)

    def fail(done):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        merklize.hash_file(path, threads=1, progress=fail)


class Zeros:
    """A file without an end, which the system does not know."""

    def read(self, size):
        return bytes(size)


@pytest.mark.parametrize("endless", ["/dev/zero", Zeros()], ids=["file", "object"])
@pytest.mark.parametrize("answer", [False, np.False_])
def test_false_of_python_and_of_numpy_cancels(endless, answer):
    with pytest.raises(merklize.Cancelled):
        merklize.hash_file(endless, progress=lambda done: answer)


def test_what_does_not_cancel():
    assert [extensions.cancels(answer) for answer in (False, np.False_)] == [True, True]
    for answer in (None, True, np.True_, 0, 0.0, "", "no", [], np.array(False), np.uint8(0)):
        assert not extensions.cancels(answer)


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
    for path in ("ab", b"ab", pathlib.Path("ab")):
        with pytest.raises(TypeError, match="must be an iterable of paths, got one path"):
            merklize.hash_files(path)
    with pytest.raises(merklize.InvalidArgument, match="zero byte"):
        merklize.hash_files(["a\0b"])
    with pytest.raises(merklize.InvalidArgument, match="key must be 32 bytes"):
        merklize.hash_files([], key=b"")

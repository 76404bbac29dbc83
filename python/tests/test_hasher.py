"""Hasher: pieces of any size give the digest of the whole, and the interface is hashlib's."""

import os
import signal
import threading

import blake3
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import merklize
import merklize.blake3 as drop_in
from oracle import pattern
from test_hash import MODES


@settings(max_examples=100)
@given(
    mode=st.sampled_from(sorted(MODES)),
    sizes=st.lists(
        st.one_of(st.integers(0, 3000), st.sampled_from([1023, 1024, 1025, 2048, 65536, 300_000])), max_size=12
    ),
    length=st.integers(0, 100),
    seek=st.integers(0, 2**63),
)
def test_pieces(mode, sizes, length, seek):
    ours, theirs = MODES[mode]
    data = memoryview(pattern(sum(sizes)))
    hasher, start = merklize.Hasher(**ours), 0
    for size in sizes:
        hasher.update(data[start : start + size])
        start += size
        assert hasher.digest() == blake3.blake3(data[:start], **theirs).digest()
    assert hasher.digest(length, seek) == blake3.blake3(data, **theirs).digest(length=length, seek=seek)
    assert hasher.digest(length=length, seek=seek).hex() == hasher.hexdigest(length=length, seek=seek)


@pytest.mark.parametrize("piece", [1, 63, 64, 65, 1000, 1024, 1025, 4096, 100_003, 1 << 20])
def test_equal_pieces(piece):
    data = memoryview(pattern(min(1000 * piece, 20 << 20)))
    hasher = merklize.Hasher()
    for start in range(0, len(data), piece):
        hasher.update(data[start : start + piece])
    assert hasher.digest() == blake3.blake3(data).digest()


def test_shape_of_hashlib():
    hasher = merklize.Hasher(b"initial")
    assert (hasher.name, hasher.digest_size, hasher.block_size) == ("blake3", 32, 64)
    assert hasher.update(b" data") is hasher
    assert hasher.hexdigest() == blake3.blake3(b"initial data").hexdigest()
    assert merklize.Hasher(data=b"x").digest() == merklize.hash(b"x")


def test_copy_and_reset():
    hasher = merklize.Hasher(pattern(5000), key=bytes(32))
    other = hasher.copy()
    other.update(b"more")
    assert hasher.digest() == merklize.hash(pattern(5000), key=bytes(32))
    assert other.digest() == merklize.hash(pattern(5000) + b"more", key=bytes(32))
    other.reset()
    assert other.digest() == merklize.hash(b"", key=bytes(32))
    assert type(other) is merklize.Hasher


def test_arrays():
    array = np.arange(10_000, dtype=np.uint16).reshape(100, 100).T
    hasher = merklize.Hasher()
    hasher.update(array)
    assert hasher.digest() == merklize.hash(array)


def test_errors():
    with pytest.raises(TypeError, match="Hasher: data must be bytes-like, a NumPy array or a tensor, got str"):
        merklize.Hasher("text")
    hasher = merklize.Hasher()
    with pytest.raises(TypeError, match="got NoneType"):
        hasher.update(None)
    with pytest.raises(merklize.InvalidArgument, match="digest: length must be 0 to"):
        hasher.digest(-1)
    with pytest.raises(merklize.OutOfMemory):
        hasher.digest(2**62)
    assert hasher.digest() == merklize.hash(b"")


def test_threads_may_share_one():
    """Whole updates in any order. The pieces are equal, so the order does not matter."""
    piece, times = pattern(251 * 4096), 16
    hasher = merklize.Hasher()
    threads = [threading.Thread(target=lambda: [hasher.update(piece) for _ in range(times)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert hasher.digest() == blake3.blake3(piece * (4 * times)).digest()


class Interrupted(Exception):
    """What a signal handler raises."""


@pytest.fixture
def on_signal():
    """Set what SIGUSR1 does. The signal goes to the main thread, which runs the tests."""
    before = signal.getsignal(signal.SIGUSR1)
    yield lambda act: signal.signal(signal.SIGUSR1, lambda *_: act())
    signal.signal(signal.SIGUSR1, before)


OF_FILES = [(merklize.Hasher, "update_file"), (drop_in.blake3, "update_mmap")]


@pytest.mark.parametrize(("make", "name"), OF_FILES, ids=lambda of: of if isinstance(of, str) else of.__name__)
def test_a_file_is_appended_in_one_step(tmp_path, on_signal, make, name):
    """In the middle of a file no thread sees a part of it, and what the file's own thread asks for is an error."""
    path, hasher, parts = tmp_path / "fifo", make(), [pattern(100_000), pattern(5000)]
    os.mkfifo(path)
    main, found, handled, asks = threading.main_thread().ident, [], threading.Event(), threading.Event()

    def use_it():
        for act in (hasher.digest, lambda: hasher.update(b"x"), hasher.copy, hasher.reset):
            try:
                found.append(act())
            except merklize.InvalidArgument as error:
                found.append(str(error))
        handled.set()

    def feed():
        with open(path, "wb") as file:  # waits for the reader
            file.write(parts[0])
            file.flush()
            signal.pthread_kill(main, signal.SIGUSR1)
            handled.wait()
            file.write(parts[1])

    on_signal(use_it)
    feeder = threading.Thread(target=feed)
    feeder.start()
    getattr(hasher, name)(path)
    feeder.join()
    text = "Hasher: this thread is in the middle of another call on it"
    assert [text in str(answer) for answer in found] == [True] * 4
    assert hasher.digest() == merklize.hash(b"".join(parts))

    def interrupt():
        raise Interrupted

    def call_for():
        asks.wait()
        while not interrupted.is_set():
            signal.pthread_kill(main, signal.SIGUSR1)
            interrupted.wait(0.01)

    on_signal(interrupt)
    interrupted, reader = threading.Event(), threading.Thread(target=getattr(hasher, name), args=(path,))
    reader.start()
    with open(path, "wb") as file:  # the reader now waits for bytes
        caller = threading.Thread(target=call_for)
        caller.start()
        try:
            asks.set()
            answer = hasher.digest()
        except Interrupted:
            answer = "waited"
        interrupted.set()
        caller.join()
        file.write(b"end")
    reader.join()
    assert answer == "waited"
    assert hasher.digest() == merklize.hash(b"".join(parts) + b"end")


@pytest.mark.parametrize(("make", "name"), OF_FILES, ids=lambda of: of if isinstance(of, str) else of.__name__)
def test_after_a_file_that_cannot_be_read(tmp_path, make, name):
    hasher = make(b"a")
    with pytest.raises(FileNotFoundError, match="missing: cannot read"):
        getattr(hasher, name)(tmp_path / "missing")
    assert hasher.update(b"b").digest() == merklize.hash(b"ab")

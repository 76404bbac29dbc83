"""Typical uses of a hasher of the PyPI package blake3, by that package, by Hasher and by merklize.blake3."""

import copy
import inspect

import blake3
import pytest

import merklize
import merklize.blake3 as drop_in
from oracle import pattern

KEY = bytes(range(32))


def theirs(data=None, *, key=None, context=None, threads=1, **more):
    return blake3.blake3(data, key=key, derive_key_context=context, max_threads=threads, **more)


def ours(data=b"", **options):
    return merklize.Hasher(data, **options)


def dropped_in(data=None, *, key=None, context=None, threads=1, **more):
    return drop_in.blake3(data, key=key, derive_key_context=context, max_threads=threads, **more)


def updates_with_copies(make):
    first = make(b"a")
    second = first.copy().update(b"b")
    assert type(second) is type(first)
    third = second.copy() if make is theirs else copy.copy(second)
    third.update(b"c")
    return first.hexdigest(), second.hexdigest(), third.hexdigest()


def after_reset(make):
    hasher = make(b"abc", key=KEY)
    hasher.reset()
    return hasher.hexdigest(), hasher.update(b"x").hexdigest()


def from_file(make, path):
    hasher = make(b"before")
    result = hasher.update_file(path) if make is ours else hasher.update_mmap(path)
    return result is hasher, hasher.digest()


CALLS = {
    "chained updates": lambda make: make().update(b"a").update(b"").update(b"b").hexdigest(),
    "update returns self": lambda make: (lambda hasher: hasher.update(b"x") is hasher)(make()),
    "first data": lambda make: make(b"first").update(b"more").digest(),
    "views": lambda make: make(memoryview(b"ab")[::1]).update(bytearray(b"c")).digest(),
    "keyed": lambda make: make(b"x", key=KEY).digest(),
    "key as a bytearray": lambda make: make(b"x", key=bytearray(KEY)).digest(),
    "derive key": lambda make: make(b"x", context="a context \u00fc").digest(),
    "threads": lambda make: make(pattern(3 << 20), threads=2).digest(),
    "all threads": lambda make: make(pattern(3 << 20), threads=type(make()).AUTO).update(b"x").digest(),
    "usedforsecurity": lambda make: make(b"x", usedforsecurity=False).digest(),
    "no bytes": lambda make: make(b"x").digest(0),
    "long output": lambda make: make(b"x").digest(1000),
    "seek": lambda make: make(b"x").digest(length=7, seek=99),
    "hexadecimal": lambda make: make(b"x").hexdigest(3, seek=2**40),
    "to the last byte": lambda make: make(b"x").digest(16, seek=2**64 - 16),
    "digest twice": lambda make: (lambda hasher: (hasher.digest(), hasher.update(b"y").digest()))(make(b"x")),
    "copies": updates_with_copies,
    "reset": after_reset,
    "facts": lambda make: [getattr(make(), name) for name in ("name", "digest_size", "block_size", "key_size")],
}
REFUSED = {
    "key of 31 bytes": (lambda make: make(key=KEY[1:]), ValueError),
    "key and context": (lambda make: make(key=KEY, context="x"), ValueError),
    "context of bytes": (lambda make: make(context=b"x"), TypeError),
    "text": (lambda make: make().update("x"), TypeError),
    "a digest of -1 bytes": (lambda make: make().digest(-1), (ValueError, OverflowError)),
    "a number": (lambda make: make(5), TypeError),
    "no threads": (lambda make: make(threads=0), ValueError),
    "another argument": (lambda make: make(nonsense=1), TypeError),
    "two arguments": (lambda make: make().update(b"a", b"b"), TypeError),
    "a file that is not there": (lambda make: from_file(make, "/nonexistent/file"), FileNotFoundError),
}


@pytest.mark.parametrize("call", CALLS)
def test_same_results(call):
    assert CALLS[call](ours) == CALLS[call](dropped_in) == CALLS[call](theirs)


@pytest.mark.parametrize("size", [0, 1, 64, 1024, 1025, 65_536, 1_255_000])
def test_any_size(size):
    data = pattern(size)
    for mode in ({}, {"key": KEY}, {"context": "merklize 2026 test"}):
        assert ours(data, **mode).digest() == dropped_in(data, **mode).digest() == theirs(data, **mode).digest()


def test_none_is_no_bytes():
    for make in (drop_in.blake3, blake3.blake3):
        assert make(None).update(b"x").digest() == make(b"x").digest()
        with pytest.raises(TypeError):
            make().update(None)


@pytest.mark.parametrize("call", REFUSED)
def test_same_refusals(call):
    use, error = REFUSED[call]
    for make in (ours, dropped_in, theirs):
        with pytest.raises(error):
            use(make)


@pytest.mark.parametrize("size", [0, 1, 70_000, 9 << 20])
def test_files(tmp_path, size):
    path = tmp_path / "file"
    path.write_bytes(pattern(size))
    expected = True, merklize.hash(b"before" + pattern(size))
    assert from_file(ours, path) == from_file(dropped_in, path) == from_file(theirs, path) == expected


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(merklize.FileError, match="Is a directory") as caught:
        merklize.Hasher().update_file(tmp_path)
    assert caught.value.filename == str(tmp_path)
    assert merklize.Hasher().update_file("/proc/self/status").digest() != merklize.hash(b"")


def test_subclasses_copy_as_themselves():
    class Counting(merklize.Hasher):
        def __init__(self, label):
            super().__init__(b"start")
            self.label = label
            self.count = 0

        def update(self, data, /):
            self.count += 1
            return super().update(data)

    hasher = Counting("x").update(b"a").update(b"b")
    other = hasher.copy()
    assert type(other) is Counting
    assert (other.label, other.count) == ("x", 2)
    assert other.update(b"c").count == 3
    assert hasher.count == 2
    assert other.digest() == merklize.hash(b"startabc")
    assert copy.copy(hasher).digest() == hasher.digest() == merklize.hash(b"startab")


def test_items_of_several_bytes_are_refused_by_the_drop_in():
    with pytest.raises(BufferError, match="blake3: data must be contiguous bytes, got items of format 'I'"):
        drop_in.blake3(memoryview(bytes(8)).cast("I"))


@pytest.mark.parametrize("name", ["update", "update_file", "digest", "hexdigest", "copy", "reset"])
def test_signatures(name):
    assert inspect.signature(getattr(merklize.Hasher, name))
    assert "key" in inspect.signature(merklize.Hasher).parameters

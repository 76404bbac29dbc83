#!/usr/bin/env python3
"""Calls every public function and method of the Python package with arguments of the wrong kind.

    wrong_kinds.py [--calls N] [--seed S] [--from K]

The rule for each call: it returns, or raises a TypeError, an error of merklize, a MemoryError, a BufferError
(views exist), or the exception of an argument; and the process does not crash. --from K: makes the calls from number K
on, which are the same in each run.
"""

import argparse
import array
import collections
import contextlib
import copy
import ctypes
import decimal
import enum
import faulthandler
import fractions
import inspect
import io
import itertools
import mmap
import os
import pathlib
import pickle
import random
import resource
import sys
import tempfile
import types
import warnings
import weakref

import numpy as np

import merklize
from merklize import bao, formats, parts, prover, sharded, xmss

HANG = 300  # seconds; no call takes so long
MOST_BYTES = 16 << 30  # bytes; a call that wants more gets a MemoryError, even if the system overcommits


class Hostile(Exception):
    """The exception that arguments raise."""


ALLOWED = (merklize.Error, TypeError, MemoryError, BufferError, Hostile, ReferenceError)  # of a dead weak reference
CLOSED = (
    "mmap closed or invalid",
    "operation forbidden on released memoryview object",
)  # errors when their items are read


class Attribute:
    """An object with one attribute."""

    def __init__(self, name, value):
        setattr(self, name, value)


class Raises:
    """Raises at each access, except to its class."""

    def __getattribute__(self, name):
        if name in ("__class__", "__reduce_ex__"):
            return object.__getattribute__(self, name)
        raise Hostile(name)

    def _raise(self, *_):
        raise Hostile

    __index__ = __len__ = __iter__ = __bool__ = __str__ = __repr__ = __fspath__ = __call__ = __eq__ = _raise
    __hash__ = None


class Lies:
    """Methods that return wrong types."""

    dtype = "uint8"
    shape = (3, "x")

    def __index__(self):
        return "five"

    def __len__(self):
        return -1

    def __fspath__(self):
        return 5

    def __str__(self):
        return 5

    def __iter__(self):
        return 5

    def keys(self):
        return 5

    def read(self, size=-1):
        return "text"

    def fileno(self):
        return -5

    def __array__(self, *_, **__):
        return 5


class Integer(int):
    """A subclass of int."""


class Text(str):
    """A subclass of str whose methods lie."""

    __slots__ = ()

    def __len__(self):
        return 2**40

    def encode(self, *_):
        return 5


class Bytes(bytes):
    """A subclass of bytes whose length lies."""

    __slots__ = ()

    def __len__(self):
        return 2**40


class PathOfBytes:
    """A path that the system may take, or not."""

    def __init__(self, path):
        self.path = path

    def __fspath__(self):
        return self.path


class Color(enum.IntEnum):
    """Integers with names."""

    RED = 3


class DLTensor(ctypes.Structure):
    """DLPack's description of a tensor."""

    _fields_ = (
        ("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64), ("manager", ctypes.c_void_p), ("deleter", ctypes.c_void_p),
    )  # fmt: skip


new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype = ctypes.py_object
new_capsule.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
MEMORY = np.zeros(4096, np.uint8)
KEPT = []  # keeps alive the memory of capsules


class DLPack:
    """A tensor of 32 bytes with wrong `fields` in its description."""

    def __init__(self, device=(1, 0), **fields):
        shape = (ctypes.c_int64 * 2)(*fields.pop("extents", (1, 32)))
        self.tensor = DLTensor(MEMORY.ctypes.data, 1, 0, 2, 1, 8, 1, shape, None, 0, None, None)
        for name, value in fields.items():
            setattr(self.tensor, name, value)
        self.device = device
        KEPT.append((shape, self.tensor))

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **_):
        return new_capsule(ctypes.addressof(self.tensor), b"dltensor", None)


DLPACKS = [
    {}, {"ndim": -1}, {"ndim": -(2**31)}, {"ndim": 2**31 - 1}, {"ndim": 65}, {"shape": None}, {"data": None},
    {"device_type": 2}, {"device_type": 13}, {"device_type": 7}, {"device_type": -1}, {"device": (2, 0)},
    {"device": (2, 0), "device_type": 2, "device_id": 1}, {"device": (9, 0)}, {"device": "cpu"}, {"device": (1,)},
    {"device": (2**40, 0)}, {"bits": 0}, {"bits": 7}, {"lanes": 0}, {"code": 99}, {"extents": (2**62, 2**62)},
    {"extents": (-1, 32)}, {"extents": (0, 32)},
]  # fmt: skip
CUDA = [
    None, 5, {}, {"shape": (1, 32)}, {"shape": (1, 32), "typestr": "|u1", "data": (0, False), "version": 3},
    {"shape": (2**70,), "typestr": "|u1", "data": (1, False)}, {"shape": 5, "typestr": "|u1", "data": (1, False)},
    {"shape": (1,), "typestr": 5, "data": (1, False)}, {"shape": (1,), "typestr": "|u1", "data": 5},
    {"shape": (1,), "typestr": "|u1", "data": (-1, None)}, {"shape": (1,), "typestr": "|u1", "data": ()},
    {"shape": (1,), "typestr": "<u99999999999999", "data": (4096, False), "strides": (2**70,)},
]  # fmt: skip


def closed_map():
    made = mmap.mmap(-1, 100)
    made.close()
    return made


def released(kind):
    made = kind(bytearray(64))
    made.release()
    return made


def raising():
    yield bytes(32)
    raise Hostile


def holding_itself(kind):
    made = kind()
    if kind is dict:
        made.update(a=made, b=[made])
    else:
        made += [made, made]
    return made


def nested(depth):
    made = []
    for _ in range(depth):
        made = [made]
    return made


class FailsLater(list):
    """A list whose methods raise when they are called for the second time, each time another exception."""

    calls = 0

    def _count(self):
        self.calls += 1
        if self.calls > 1:
            raise Hostile

    def __len__(self):
        self._count()
        return 3

    def __iter__(self):
        self._count()
        return iter([bytes(32)] * 3)

    def __getitem__(self, index):
        self._count()
        return bytes(32)

    def tolist(self):
        self._count()
        return [self, self]


class BrokenFile(io.BytesIO):
    """A file whose reads fail."""

    def readinto(self, buffer):
        raise Hostile

    read = readinto


# fmt: off
INTEGERS = [-(2**70), -(2**63) - 1, -1, 0, 1, 2, 3, 7, 8, 31, 32, 33, 1000, 16384, 2**15 + 1, 2**62, 2**63 - 1, 2**63,
            2**64 - 1, 2**64, 10**5000, -(10**5000)]
PLAIN = [None, True, False, 0.5, float("nan"), 1j, "", "x", "blake3", "cpu", "cuda:0", "cuda:99999999999", "é" * 100,
         "\ud800", "\0", "9" * 5000, "[" * 5000, '{"format": 1}', b"", bytes(31), bytes(32), bytes(33), b"x" * 5000,
         (), [], {}, set(), [None], [b"a", "b"], {0: b""}, {"lanes": 10**5000}, {5: 5}, object, len, Ellipsis,
         NotImplemented, slice(0), range(5), range(2**40), range(-5, 0), pathlib.Path("missing"), Hostile()]
MAKERS = [
    closed_map, lambda: released(memoryview), lambda: released(pickle.PickleBuffer), BrokenFile, raising, Raises, Lies,
    object, bytearray, io.StringIO, itertools.count, lambda: (x for x in ()), lambda: itertools.repeat(bytes(32), 100),
    lambda: mmap.mmap(-1, 64), lambda: memoryview(bytes(64))[::2], lambda: memoryview(bytearray(64)).cast("Q"),
    lambda: pickle.PickleBuffer(np.zeros((4, 8))[::2, ::2]), lambda: Integer(3), lambda: {object(): Raises()},
    lambda: merklize.Hasher.__new__(merklize.Hasher),
    lambda: merklize.DeviceArray.__new__(merklize.DeviceArray),
    lambda: holding_itself(list), lambda: holding_itself(dict), lambda: tuple(holding_itself(list)),
    lambda: nested(50), lambda: nested(100_000), FailsLater, lambda: FailsLater([bytes(32)]),
    lambda: memoryview(np.zeros((4, 32), np.uint8)), lambda: memoryview(np.zeros((2, 2, 32), np.uint8)),
    lambda: memoryview(np.zeros((0, 32), np.uint8)),
    lambda: memoryview(np.array(5)), lambda: memoryview(bytearray(64)).cast("B", (2, 32)),
    lambda: memoryview(np.zeros((4, 4), np.uint64)), lambda: (ctypes.c_uint8 * 32 * 2)(),
    lambda: merklize.tuning.Timings.__new__(merklize.tuning.Timings), merklize.tuning.Timings,
    lambda: Text("blake3"), lambda: Bytes(32), lambda: PathOfBytes(b"data"), lambda: PathOfBytes(b"a\0b"),
    lambda: PathOfBytes("\ud800"), lambda: Color.RED, lambda: decimal.Decimal(3), lambda: fractions.Fraction(3),
    lambda: decimal.Decimal("NaN"), lambda: array.array("Q", range(8)), lambda: array.array("d", [1.0]),
    lambda: collections.deque([bytes(32)] * 8), lambda: collections.UserList([0, 1]), lambda: {0: 1}.values(),
    lambda: types.MappingProxyType({0: bytes(32)}), lambda: weakref.proxy(Attribute("a", 1)),
    lambda: contextlib.nullcontext,
    lambda: memoryview(bytes(64))[::-1], lambda: memoryview(bytes(64)).cast("B", (2, 2, 16)),
    lambda: (ctypes.c_uint64 * 0)(), lambda: ctypes.c_uint8(3), lambda: merklize.MerkleTree, lambda: merklize,
    lambda: merklize.MerkleTree(LEAVES), lambda: merklize.MerkleTree(LEAVES).prove(1), lambda: merklize.TreeBuilder(),
    lambda: np.random.default_rng, lambda: np.zeros((4, 32), np.int8), lambda: np.zeros((3, 4), np.float16),
    lambda: np.broadcast_to(np.uint8(0), (2**20,)), lambda: np.zeros((4, 4), np.uint64).T,
    lambda: np.zeros((8, 32), np.uint8)[::-1], lambda: np.array(2**64 - 1, np.uint64), lambda: np.bool_(True),
]
ARRAYS = [
    lambda: np.zeros((4, 32), np.uint8), lambda: np.zeros((4, 32), np.float32), lambda: np.zeros((4, 4), np.uint64),
    lambda: np.zeros((4, 4), ">u8"), lambda: np.zeros((0, 32), np.uint8), lambda: np.zeros((4, 0), np.uint8),
    lambda: np.array(5), lambda: np.array([object()]), lambda: np.array(["a", "b"]), lambda: np.uint64(3),
    lambda: np.zeros(3, "M8[s]"), lambda: np.datetime64("2020-01-01"), lambda: np.zeros(3, [("a", "u1"), ("b", "O")]),
    lambda: np.zeros((8, 64), np.uint8)[::2, ::2], lambda: np.ma.masked_array(np.zeros((4, 32), np.uint8)),
    lambda: np.asmatrix(np.zeros((4, 32), np.uint8)), lambda: np.zeros((2, 2, 2, 32), np.uint8),
    lambda: np.full((4, 4), 2**64 - 1, np.uint64), lambda: np.zeros(4, complex), lambda: np.zeros((4, 32), bool),
    lambda: np.broadcast_to(np.uint8(0), (1000, 32)), lambda: np.arange(-2, 3),
    lambda: np.empty((2, 0, 32), np.uint8),
]
# fmt: on
PROTOCOLS = ("__array_struct__", "__array_interface__", "__cuda_array_interface__", "__dlpack__", "__buffer__")


def wrong(rng, depth=0):
    """An argument that is most probably of the wrong kind."""
    kind = rng.randrange(9)
    if kind == 0:
        return rng.choice(INTEGERS)
    if kind == 1:
        return DLPack(**rng.choice(DLPACKS))
    if kind == 2:
        return Attribute("__cuda_array_interface__", copy.copy(rng.choice(CUDA)))
    if kind == 3:
        return Attribute(rng.choice(PROTOCOLS), wrong(rng, depth + 1) if depth < 2 else None)
    if kind == 4:
        return rng.choice(ARRAYS)()
    if kind == 5 and depth < 2:
        return rng.choice([list, tuple, iter])([wrong(rng, depth + 1) for _ in range(rng.randrange(4))])
    if kind == 6 and depth < 2:
        return {rng.choice([0, 1, -1, 2**64, "lanes", None]): wrong(rng, depth + 1) for _ in range(rng.randrange(3))}
    return rng.choice(PLAIN) if kind == 7 else rng.choice(MAKERS)()


LEAVES = np.arange(8 * 32, dtype=np.uint8).reshape(8, 32)
RIGHT = {
    "data": [b"data", bytearray(5000), LEAVES], "leaves": [LEAVES, LEAVES.view(np.uint64)], "left": [LEAVES],
    "right": [LEAVES], "messages": [LEAVES, [b"a", b"bc"]], "elements": [LEAVES.view(np.uint64)],
    "records": [LEAVES, [b"a", b"bc"]], "rows": [LEAVES], "matrices": [LEAVES, [LEAVES, LEAVES[:4]]],
    "hash": ["blake3", "sha256_rfc6962", "sha256", "rp64_256"], "key": [None, bytes(32)], "context": [None, "context"],
    "length": [32, 5], "seek": [0, 7], "device": ["auto", "cpu"], "threads": [None, 1], "policy": [None, {"lanes": 2}],
    "index": [0, 3, [1, 2]], "indices": [[0, 3]], "first": [1], "last": [3], "level": [0, 2], "height": [1],
    "n_leaves": [8], "old_leaves": [5], "root": [bytes(32)], "old_root": [bytes(32)], "new_root": [bytes(32)],
    "leaf": [bytes(32)], "siblings": [[bytes(32)] * 3], "nodes": [LEAVES.copy()], "path": ["data"], "input": ["data"],
    "leaf_size": [None, 5], "changes": [{0: bytes(32)}], "chunks": [LEAVES], "types": [["uint8"]],
    "values": [[[1], [2]]], "outboard": [b""], "start": [0], "offset": [0], "size": [4], "ranges": [[(0, 4)]],
    "opening": [(0, [LEAVES[0]], LEAVES[:3])], "cap": [LEAVES[:1]], "dims": [[(8, 32)]], "depth": [3],
    "output": ["out"],
    "out": [None, "out"], "text": ["{}"], "proof": [[bytes(32)]], "paths": [["data"]], "name": ["cpu"],
    "file": [io.BytesIO(b"data")], "format": ["bao", "rfc6962"], "rule": [None, "left_full"], "encoding": [b""],
    "item": [b""], "buffer": [bytearray(8)], "salt": [b""], "field": ["goldilocks"], "width": [8], "rate": [4],
    "seeds": [LEAVES[:2], [bytes(32)]], "first_epoch": [1000], "last_epoch": [1007], "epoch": [1003],
    "message": [bytes(32)], "public_key": [bytes(32)], "signature": [bytes(1208)], "public_keys": [[bytes(32)]],
    "epochs": [[1003]], "signatures": [[bytes(1208)]],
}  # fmt: skip


def right(name, rng):
    return rng.choice(RIGHT[name]) if name in RIGHT else None


def made_objects(number):
    """Objects whose methods are called."""
    tree = merklize.MerkleTree(LEAVES)
    tree.save(f"{number}.mkl")
    field = merklize.MerkleTree(LEAVES.view(np.uint64) % 2**32, "rp64_256")
    data = LEAVES.tobytes()
    made = bao.outboard(data)
    return [
        tree, field, merklize.TreeFile(f"{number}.mkl"), merklize.TreeWriter(f"{number}.new", 8),
        merklize.TreeBuilder(),
        merklize.MerkleForest(LEAVES.reshape(2, 4, 32)), merklize.Hasher(), merklize.Hasher(hash="sha256"),
        tree.prove(1), tree.prove_together([1, 2]), tree.prove_consistency(5), merklize.prover.MatrixCommitment(LEAVES),
        formats.openzeppelin([[1], [2]], ["uint8"]), formats.openzeppelin_simple(LEAVES), merklize.tuning.Timings(),
        bao.Decoder(made.root, format="bao"), bao.Reader(io.BytesIO(data), made.root, made.outboard),
        merklize.DeviceArray.__new__(merklize.DeviceArray), *xmss.keys(LEAVES[:1], 1000, 1007),
    ]  # fmt: skip


# These measure or download, or are no functions of this package.
LEFT_OUT = {"calibrate", "calibration", "Cost", "fetch", "manifest", "check_model", "Manifest"}


def public(module):
    return [
        (f"{module.__name__}.{name}", getattr(module, name))
        for name in module.__all__
        if callable(getattr(module, name)) and name not in LEFT_OUT
    ]


def methods(thing):
    kind = type(thing)
    ours = [base for base in kind.__mro__ if base.__module__.startswith("merklize")]
    found = {
        name for base in ours for name in vars(base) if not name.startswith("_") or name in ("__eq__", "__dlpack__")
    }
    return [(f"{kind.__name__}.{name}", thing, name) for name in sorted(found)]


def parameters(function):
    try:
        return list(inspect.signature(function).parameters.values())
    except Exception:  # no signature, or an attribute from an earlier call raises
        return []


def calls_with(function, values):
    """Calls of a function with each value for each parameter, of which `right` has the others that must be there.

    values  a function of a parameter's name
    """
    rng = random.Random(1)
    given = [one for one in parameters(function) if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)]
    for tried in given:
        for value in values(tried.name):
            positional, named = [], {}
            for one in given:
                if one is not tried and one.default is not one.empty:
                    continue
                argument = value if one is tried else right(one.name, rng)
                if one.kind is one.KEYWORD_ONLY or named or one.default is not one.empty:
                    named[one.name] = argument
                else:
                    positional.append(argument)
            yield positional, named


def arguments(function, rng):
    """Some arguments are right, some wrong; sometimes there are too many, or unknown names."""
    positional, named = [], {}
    for parameter in parameters(function):
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        is_optional = parameter.default is not parameter.empty
        if is_optional and rng.random() < 0.6:
            continue
        value = right(parameter.name, rng) if rng.random() < 0.5 else wrong(rng)
        if parameter.kind is parameter.KEYWORD_ONLY or named or is_optional:
            if parameter.kind is not parameter.POSITIONAL_ONLY:
                named[parameter.name] = value
        else:
            positional.append(value)
    if rng.random() < 0.02:
        positional.append(wrong(rng))
    return positional, named


def consume(found):
    """Take items of a generator, at most 100."""
    if inspect.isgenerator(found):
        for _ in itertools.islice(found, 100):
            pass


def one_call(functions, objects, rng):
    """Make one call. Return its name and its exception."""
    if rng.random() < 0.5:
        name, function = rng.choice(functions)
    else:
        name, thing, attribute = rng.choice(objects)
        if rng.random() < 0.02:
            with contextlib.suppress(AttributeError, TypeError):
                setattr(thing, attribute, wrong(rng))
        try:
            function = getattr(thing, attribute)
        except ALLOWED as error:
            return name, error
        except AttributeError as error:  # the device lacks a capability
            return name, None if attribute == "__cuda_array_interface__" else error
        if not callable(function):
            return name, None
    positional, named = arguments(function, rng)
    try:
        consume(function(*positional, **named))
    except Exception as error:
        return name, error
    return name, None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--calls", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--from", dest="first", type=int, default=0)
    options = parser.parse_args()
    faulthandler.enable()
    warnings.simplefilter("ignore")
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_BYTES, MOST_BYTES))
    functions = [
        *public(merklize),
        *public(prover),
        *public(sharded),
        *public(parts),
        *public(formats),
        *public(bao),
        *(pair for pair in public(xmss) if pair[0] != "merklize.xmss.keys"),  # of a long range it takes hours
        *public(merklize.tuning),
    ]
    outcomes, wrong_outcomes = {}, []
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        pathlib.Path("data").write_bytes(b"data of a file")
        for number in range(options.first, options.calls):
            if number % 100 == 0 or number == options.first:
                objects = [method for thing in made_objects(number) for method in methods(thing)]
                faulthandler.dump_traceback_later(HANG, exit=True)
            rng = random.Random(f"{options.seed} {number}")
            name, error = one_call(functions, objects, rng)
            kind = type(error).__name__
            outcomes[kind] = outcomes.get(kind, 0) + 1
            if error is not None and not isinstance(error, ALLOWED) and str(error) not in CLOSED:
                wrong_outcomes.append(f"call {number}: {name}: {kind}: {str(error)[:200]}")
        faulthandler.cancel_dump_traceback_later()
        os.chdir("/")
    assert merklize.hash(b"abc").hex().startswith("6437b3ac38465133")
    print(f"{options.calls - options.first} calls: {outcomes}")
    print(*wrong_outcomes[:40], sep="\n")
    sys.exit(bool(wrong_outcomes) or outcomes.get("NoneType", 0) < options.calls // 50)


if __name__ == "__main__":
    main()

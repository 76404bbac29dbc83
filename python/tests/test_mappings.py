"""Calls that take mappings: what is no tensor, no name, no mapping gets an error of the call, and no AttributeError."""

import numpy as np
import pytest

import merklize

LEAVES = np.zeros((4, 32), np.uint8)


class Column:
    """An array as pyarrow has them: DLPack's protocol, and neither shape nor dtype."""

    def __dlpack__(self, **_):
        return np.zeros(4, np.uint8).__dlpack__()

    def __dlpack_device__(self):
        return 1, 0

    def to_numpy(self):
        return np.zeros(4, np.uint8)


class Shapeless(Column):
    dtype = np.dtype(np.uint8)


class Module:
    def __init__(self, state):
        self.state_dict = lambda: state


MANIFEST = merklize.manifest({"a": LEAVES})
CALLS = {
    "manifest": merklize.manifest,
    "manifest of a module": lambda state: merklize.manifest(Module(state)),
    "Manifest.check": MANIFEST.check,
    "check_model": lambda state: merklize.check_model(state, MANIFEST),
    "check_model, a prefix": lambda state: merklize.check_model(state, MANIFEST, prefix="b."),
    "check_model of a module, a prefix": lambda state: merklize.check_model(Module(state), MANIFEST, prefix="b."),
    "hash_each": merklize.hash_each,
    "update": merklize.MerkleTree(LEAVES).update,
    "a policy": lambda state: merklize.hash(b"", policy=state),
}
VALUES = {
    "nothing": None, "a number": 7, "a float": 0.5, "text": "a", "an object": object(), "a list": [[1], "b"],
    "a mapping": {"b": {}}, "an array of objects": np.array([{}, None]), "a class": Column, "a lambda": lambda: 0,
}  # fmt: skip


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("call", CALLS)
def test_values_that_are_none(call, value):
    for key in ("a", 0):
        with pytest.raises((merklize.Error, TypeError)):
            CALLS[call]({key: VALUES[value]})


@pytest.mark.parametrize("key", [None, 7.5, b"a", ("a",), "\ud800", object()], ids=lambda key: type(key).__name__)
@pytest.mark.parametrize("call", [call for call in CALLS if call != "hash_each"])
def test_names_that_are_none(call, key):
    with pytest.raises((merklize.Error, TypeError)):
        CALLS[call]({key: LEAVES[0]})


@pytest.mark.parametrize(
    "state", [None, 7, [LEAVES], LEAVES, object(), {"a": LEAVES}.items()], ids=lambda state: type(state).__name__
)
@pytest.mark.parametrize("call", [call for call in CALLS if call not in ("hash_each", "update", "a policy")])
def test_what_is_no_mapping(call, state):
    with pytest.raises((merklize.Error, TypeError)):
        CALLS[call](state)


@pytest.mark.parametrize("call", [call for call in CALLS if "manifest" in call.lower() or "model" in call])
@pytest.mark.parametrize("column", [Column, Shapeless])
def test_an_array_without_a_shape_says_the_way_out(call, column):
    with pytest.raises(merklize.InvalidArgument, match=r"tensor '(b\.)?a': must have a shape.*to_numpy\(\)"):
        CALLS[call]({"a": column()})
    assert merklize.manifest({"a": column().to_numpy()}) == merklize.manifest({"a": np.zeros(4, np.uint8)})

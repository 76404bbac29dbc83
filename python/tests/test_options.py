"""The options that many functions take: each is defined once, so all functions have the same names and defaults."""

import contextvars
import inspect
import threading

import numpy as np
import pytest

import merklize
import oracle

RUN = ("device", "threads", "stream", "progress")
MODES = ("key", "context")
FORM = ("format", "rule", "padding")
LEAVES = oracle.byte_leaves(8)

# The calls that take only some of the options, with the reason.
FEWER = {
    "Hasher": "bytes come one after the other",
    "Manifest.check": "reads files",
    "Manifest.check_tensor": "uses a device for a tensor that is there",
    "Manifest.refresh": "reads files",
    "MerkleTree.append": "the tree has its device",
    "MerkleTree.update": "the tree has its device",
    "bao.encode": "a stream of the host",
    "bao.encode_file": "a stream of the host",
    "bao.fetch": "a stream of the host",
    "bao.verify": "a stream of the host",
    "check_model": "uses the devices of the tensors",
    "formats.piece_cid": "the CPU computes it",
    "formats.xet": "cuts chunks on the host",
    "formats.xet_chunks": "cuts chunks on the host",
    "formats.xet_files": "cuts chunks on the host",
    "parts.hash_parts": "uses the devices of the parts",
    "manifest": "reads files",
    "parts.merkle_root_parts": "uses the devices of the parts",
}

OTHER_FORMATS = ("bao.",)  # calls whose `format` is not a tree's: the encoding of an outboard


def functions():
    """All public functions and methods that have one of the options, with their parameters."""
    for module in (merklize, merklize.prover, merklize.parts, merklize.formats, merklize.bao):
        prefix = module.__name__.removeprefix("merklize").removeprefix(".")
        for name in module.__all__:
            thing = getattr(module, name)
            methods = [member for member in dir(thing) if member[0] != "_"] if inspect.isclass(thing) else []
            for path in (name, *(f"{name}.{method}" for method in methods)):
                function = getattr(thing, path.split(".")[1]) if "." in path else thing
                try:
                    parameters = inspect.signature(function).parameters
                except (TypeError, ValueError):
                    continue
                if any(option in parameters for option in RUN):
                    yield (f"{prefix}." if prefix else "") + path, parameters


@pytest.mark.parametrize(("name", "parameters"), [pytest.param(*each, id=each[0]) for each in functions()])
def test_signatures(name, parameters):
    """An option has the same name, place and default in all signatures."""
    assert all(parameter.kind is not parameter.VAR_KEYWORD for parameter in parameters.values())
    for option in (*FORM, *MODES, *RUN):
        if option in parameters and not (option == "format" and name.startswith(OTHER_FORMATS)):
            assert parameters[option].kind is inspect.Parameter.KEYWORD_ONLY
            assert parameters[option].default == ("auto" if option == "device" else None)
    shown = tuple(option for option in parameters if option in (*FORM, *MODES, *RUN))
    if name not in FEWER:
        assert shown[-4:] == RUN
        assert shown[:-4] in ((), MODES, (*FORM, *MODES), ("format",))
        assert tuple(parameters)[-len(shown) :] == shown or shown[:1] == ("format",)
    else:
        assert shown[-4:] != RUN


def test_all_functions_are_looked_at():
    found = dict(functions())
    assert len(found) >= 45
    assert set(FEWER) <= set(found)


def test_unknown_names():
    for call, text in (
        (lambda: merklize.hash(b"", devise="cpu"), r"hash\(\) takes no argument 'devise'; did you mean 'device'\?"),
        (
            lambda: merklize.MerkleTree(LEAVES, thread=1),
            r"MerkleTree\(\) takes no argument 'thread'; did you mean 'thre",
        ),
        (lambda: merklize.merkle_root(LEAVES, xyz=1), r"merkle_root\(\) takes no argument 'xyz'$"),
        (
            lambda: merklize.merge(LEAVES, LEAVES, pairs="sorted"),
            "takes no argument 'pairs': the hash \"keccak256_sorted",
        ),
        (
            lambda: merklize.hash(b"", policy={}),
            r"'policy': with merklize\.tuning\.options\(policy=...\) around the call",
        ),
        (
            lambda: merklize.build_tree(LEAVES.copy(), timings=None),
            r"'timings': with merklize\.tuning\.options\(timings",
        ),
        (lambda: merklize.hash_rows(LEAVES, rule="pad"), r"hash_rows\(\) takes no argument 'rule'"),
    ):
        with pytest.raises(TypeError, match=text):
            call()


class TestTuning:
    def policy(self, leaves=LEAVES):
        return merklize.MerkleTree(leaves, device="cpu").policy["levels_per_launch"]

    def test_blocks_within_blocks(self):
        outside = self.policy()
        with merklize.tuning.options(policy={"levels_per_launch": 3}):
            assert self.policy() == 3
            with merklize.tuning.options(policy={"levels_per_launch": 5}):
                assert self.policy() == 5
            with merklize.tuning.options(timings=merklize.tuning.Timings()):
                assert self.policy() == 3  # the outer options apply again
            assert self.policy() == 3
        assert self.policy() == outside

    def test_the_same_object_twice(self):
        options = merklize.tuning.options(policy={"levels_per_launch": 3})
        outside = self.policy()
        with options:
            with options:
                assert self.policy() == 3
            assert self.policy() == 3
        assert self.policy() == outside

    def test_after_an_error(self):
        outside = self.policy()
        with pytest.raises(merklize.InvalidArgument), merklize.tuning.options(policy={"levels_per_launch": 3}):
            merklize.hash(b"", device="abacus")
        assert self.policy() == outside

    def test_of_one_thread_and_one_task(self):
        """Other threads do not see the block, whether they began before it or in it."""
        found, begun, entered = [], threading.Event(), threading.Event()

        def other():
            begun.set()
            entered.wait()
            found.append(self.policy())

        outside = self.policy()
        before = threading.Thread(target=contextvars.Context().run, args=(other,))
        before.start()
        begun.wait()
        with merklize.tuning.options(policy={"levels_per_launch": 3}):
            entered.set()
            before.join()
            found.append(contextvars.Context().run(self.policy))
        assert found == [outside, outside]

    def test_timings_of_short_messages(self):
        """The fast path of short messages must clear the timings of an earlier call, too."""
        timings = merklize.tuning.Timings()
        with merklize.tuning.options(timings=timings):
            assert merklize.hash(b"abc") == merklize.Hasher(b"abc").digest()
            assert merklize.merge(bytes(32), bytes(32)) == merklize.merge(LEAVES[:1] * 0, LEAVES[:1] * 0)[0].tobytes()
        assert timings.kernel is None

    def test_parts_of_a_policy(self):
        """The device's table fills a field that the policy lacks."""
        with merklize.tuning.options(policy={}):
            assert self.policy() == merklize.MerkleTree(LEAVES, device="cpu").policy["levels_per_launch"]
        assert np.array_equal(merklize.MerkleTree(LEAVES).nodes, merklize.MerkleTree(LEAVES, threads=1).nodes)

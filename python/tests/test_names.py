"""The names of the package: few at its top, all of them shown, and those that moved say where they are."""

import importlib
import inspect
import pathlib
import re

import pytest

import merklize

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
CORE = ["hash", "hash_file", "Hasher", "MerkleTree", "TreeFile", "build_tree_file", "verify", "devices"]
MODULES = ["bao", "blake3", "formats", "manifests", "parts", "prover", "ray", "signing", "stores", "tuning"]


def is_exception(thing):
    return inspect.isclass(thing) and issubclass(thing, BaseException)


def top():
    """Functions, classes and tables at the top of the package."""
    things = {name: getattr(merklize, name) for name in dir(merklize) if name not in ("__version__", *MODULES)}
    return [name for name, thing in things.items() if not is_exception(thing)]


def test_few_names_at_the_top():
    functions_and_classes = [name for name in top() if callable(getattr(merklize, name))]
    assert len(functions_and_classes) <= 30
    assert [name for name in top() if name not in functions_and_classes] == ["HASHES"]
    assert not any(inspect.ismodule(getattr(merklize, name)) for name in top())


def test_all_of_them_are_shown():
    shown = dir(merklize)
    assert set(merklize.__all__) <= set(shown)
    assert set(MODULES) <= set(shown)
    listed = re.findall(r"`(\w+)`", merklize.__doc__)
    assert sorted(listed) == sorted({*top(), *MODULES} - {"HASHES"})


def test_the_core_comes_first():
    listed = re.findall(r"`(\w+)`", merklize.__doc__)
    assert sorted(listed[: len(CORE)]) == sorted(CORE)
    page = (DOCS / "python.md").read_text()
    begin, more = page[: page.index("\nMore:")], page[page.index("\nMore:") :]
    assert [name for name in CORE if not re.search(rf"^\|.*`{name}\(", begin, re.MULTILINE)] == []
    others = [name for name in top() if name not in CORE] + MODULES
    assert [name for name in others if f"`{name}" not in more] == []


@pytest.mark.parametrize(("old", "new"), merklize._MOVED.items())
def test_names_that_moved(old, new):
    with pytest.raises(AttributeError, match=f"no attribute '{old}': it is merklize.{re.escape(new)} now"):
        getattr(merklize, old)
    module, _, name = new.partition(".")
    assert hasattr(importlib.import_module(f"merklize.{module}"), name)


def test_other_names():
    with pytest.raises(AttributeError, match="module 'merklize' has no attribute 'hush'$"):
        merklize.hush  # noqa: B018

"""The names of the package: few at the top, all of them shown, and errors that tell where other names are."""

import importlib
import inspect
import pathlib
import re
import subprocess
import sys
import typing

import pytest

import merklize

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
CORE = ["hash", "hash_file", "Hasher", "MerkleTree", "TreeFile", "build_tree_file", "verify", "devices"]
MODULES = ["bao", "blake3", "extensions", "formats", "manifests", "parts", "prover", "ray", "signing", "stores"]
MODULES += ["sharded", "tuning", "xmss"]


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
    begin = page.partition("\n## More functions\n")[0]
    assert [name for name in CORE if not re.search(rf"^\|.*`{name}\(", begin, re.MULTILINE)] == []
    others = [name for name in top() if name not in CORE] + MODULES
    assert [name for name in others if f"`{name}" not in page] == []


@pytest.mark.parametrize("module", merklize._SEARCHED)
def test_names_of_modules(module):
    """The error about a name at the top tells in which module it is."""
    names = set(importlib.import_module(f"merklize.{module}").__all__) - set(dir(merklize))
    assert names
    for name in names:
        with pytest.raises(AttributeError) as caught:
            getattr(merklize, name)
        found = re.fullmatch(
            rf"module 'merklize' has no attribute '{name}': it is merklize\.(\w+)\.{name}", str(caught.value)
        )
        assert getattr(importlib.import_module(f"merklize.{found[1]}"), name)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("hush", "; did you mean 'hash'?"),
        ("hash_row", "; did you mean 'hash_rows' or 'hash'?"),
        ("Merkletree", "; did you mean 'MerkleTree' or 'MerkleForest' or 'MerkleProof'?"),
        ("MatrixCommitment", ": it is merklize.prover.MatrixCommitment"),
        ("calibrate", ": it is merklize.tuning.calibrate"),
        ("xyzzy", ""),
        ("__wrapped__", ""),
        ("_hash", ""),
    ],
)
def test_other_names(name, hint):
    with pytest.raises(AttributeError) as caught:
        getattr(merklize, name)
    assert str(caught.value) == f"module 'merklize' has no attribute {name!r}{hint}"


def test_the_search_needs_no_extras():
    """Beside the standard library it imports NumPy alone."""
    program = (
        "import sys; before = set(sys.modules); import merklize; hasattr(merklize, 'xyzzy');"
        "tops = {name.partition('.')[0] for name in set(sys.modules) - before};"
        "print(sorted(tops - set(sys.stdlib_module_names) - {'merklize', 'numpy', '_distutils_hack'}))"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == "[]"


MADE_BY_CALLS = ["Command", "DeviceArray", "TreeFacts"]  # classes without a constructor


def written_in_python(thing):
    """(name, function) of a public function, or of each public method and property of a class."""
    if inspect.isfunction(thing):
        yield thing.__qualname__, thing
    for name, member in vars(thing).items() if inspect.isclass(thing) else ():
        function = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
        if inspect.isfunction(function) and (name == "__init__" or not name.startswith("_")):
            yield f"{thing.__qualname__}.{name}", function


@pytest.mark.skipif(sys.version_info < (3, 10), reason="before Python 3.10 no union is written as `int | None`")
@pytest.mark.parametrize("module", ["merklize", *(f"merklize.{name}" for name in MODULES)])
def test_types_and_signatures(module):
    """Annotations can be evaluated at run time: no name in them exists for type checkers alone."""
    found = importlib.import_module(module)
    things = [getattr(found, name) for name in getattr(found, "__all__", dir(found)) if not name.startswith("_")]
    things = [thing for thing in things if callable(thing) and not inspect.ismodule(thing)]
    things = [thing for thing in things if not typing.get_origin(thing)]  # a type is none of the functions and classes
    assert things or module == "merklize.stores"
    for thing in things:
        types = typing.get_type_hints(thing)
        for name, function in written_in_python(thing):
            parameters = inspect.signature(function).parameters.values()
            own = typing.get_type_hints(function)
            types[name] = own
            annotated = [one.name for one in parameters if one.annotation is not one.empty]
            assert sorted(own.keys() - {"return"}) == sorted(annotated), name
        assert "ForwardRef" not in repr(types), thing
        if not inspect.isclass(thing) or is_exception(thing):
            continue
        if thing.__name__ in MADE_BY_CALLS:
            with pytest.raises(ValueError, match="no signature found"):
                inspect.signature(thing)
            with pytest.raises(TypeError):
                thing()
        else:
            inspect.signature(thing)


def test_signatures_of_the_extensions_classes():
    assert list(inspect.signature(merklize.blake3.blake3).parameters) == [
        "data", "key", "derive_key_context", "max_threads", "usedforsecurity",
    ]  # fmt: skip
    assert not inspect.signature(merklize.tuning.Timings).parameters


LOOKS = {
    "help": "import pydoc; assert len(pydoc.render_doc(merklize)) > 50_000",
    "pydoc": "import pydoc; pydoc.writedoc('merklize')",
    "getmembers": "import inspect; assert len(inspect.getmembers(merklize)) > 40",
    "autospec": "import unittest.mock; unittest.mock.create_autospec(merklize).hash",
    "attributes": "assert [name for name in dir(merklize) if not hasattr(merklize, name)] == ['ray', 'signing']",
    "import": "import merklize.ray",
    "from": "from merklize import signing",
    "attribute": "merklize.ray",
    "use": "merklize.signing.hasher",
}


@pytest.mark.parametrize("look", LOOKS)
def test_looking_at_the_package_needs_no_extras(look, tmp_path):
    """Who asks for a module of an extra is told what to install. Who only looks around is not stopped."""
    without = "import sys; sys.modules.update({'ray': None, 'model_signing': None}); import merklize; "
    done = subprocess.run([sys.executable, "-c", without + LOOKS[look]], cwd=tmp_path, capture_output=True, text=True)
    missing = {"import": "ray", "from": "signing", "attribute": "ray", "use": "signing"}.get(look)
    if missing is None:
        assert done.returncode == 0, done.stderr
    else:
        error = "ImportError" if look in ("import", "from") else "AttributeError"
        assert f"{error}: merklize.{missing} needs" in done.stderr
        assert f"pip install 'merklize[{missing}]'" in done.stderr

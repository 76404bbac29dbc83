"""scripts/check_imports.py finds circles, and private names that packages beside the core take."""

import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import check_imports  # noqa: E402


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package of few modules, in which a test writes one more module. Its faults, as a function of that text."""
    root = tmp_path / "merklize"
    for name, text in {
        "__init__": "from .core import hash_it\nfrom typing import TYPE_CHECKING\n__all__ = ['hash_it']\n",
        "core": "from . import _native\ndef hash_it(): ...\ndef helper(): ...\n",
        "_private": "value = 1\n",
        "extensions": "from ._private import value\n__all__ = ['value']\n",
        "stores/__init__": "from ._objects import read\n__all__ = ['read']\n",
        "stores/_objects": "from ..extensions import value\ndef read(): ...\n",
        "ray/__init__": "",
    }.items():
        path = root / f"{name}.py"
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(text)
    monkeypatch.setattr(check_imports, "PACKAGE", root)
    monkeypatch.setattr(check_imports.modules, "__defaults__", (root,))

    def faults(name, text, capsys):
        (root / f"{name}.py").write_text(text)
        code = check_imports.main()
        found = capsys.readouterr().out.splitlines()
        assert code == bool(found)
        return found

    return faults


def test_the_package_itself(capsys):
    assert check_imports.main() == 0, capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("ray/_work", "import merklize\nfrom .. import hash_it\nfrom ..stores import read\nfrom . import _other\n"),
        ("ray/_work", "from merklize.core import hash_it\nfrom ..extensions import value\nhash_it().a._replace\n"),
        ("stores/_more", "import merklize\nprint(merklize.__version__, self._own)\n"),
        ("_core", "from ._private import value\nfrom .core import helper\n"),
    ],
)
def test_what_may_be_imported(package, capsys, name, text):
    assert package(name, text, capsys) == []


@pytest.mark.parametrize(
    ("name", "text", "fault"),
    [
        ("ray/_work", "from .. import _native\n", "_native is private"),
        ("ray/_work", "from merklize import _native as n\n", "_native is private"),
        ("ray/_work", "import merklize._private\n", "_private is private"),
        ("ray/_work", "def f():\n    from .._private import value\n", "_private.value is private"),
        ("ray/_work", "if TYPE_CHECKING:\n    from .._private import value\n", "_private.value is private"),
        ("ray/_work", "from ..stores._objects import read\n", "stores._objects.read is private"),
        ("ray/_work", "from ..stores import _objects\n", "stores._objects is private"),
        ("ray/_work", "from ..stores import hidden\n", "stores.hidden is not listed as public"),
        ("ray/_work", "from ..core import helper\n", "core.helper is not listed as public"),
        ("ray/_work", "from ..extensions import other\n", "extensions.other is not listed as public"),
        ("ray/_work", "import merklize\nmerklize._native.rows()\n", "merklize._native is private"),
        ("ray/_work", "import merklize as m\nm.core.hash_it()._of(1)\n", "m.core.hash_it()._of is private"),
        ("ray/_work", "from .. import hash_it\nhash_it._of\n", "hash_it._of is private"),
        ("stores/_more", "from ..ray import work\n", "merklize.stores does not stand on merklize.ray"),
        ("_core", "from .stores import read\n", "the core imports merklize.stores"),
        ("_core", "def f():\n    from .stores._objects import read\n", "the core imports merklize.stores._objects"),
    ],
)
def test_what_may_not(package, capsys, name, text, fault):
    assert [line for line in package(name, text, capsys) if fault in line]


@pytest.mark.parametrize(
    "text",
    [
        "from .core import hash_it\n",
        "def f():\n    from .core import hash_it\n",
        "if TYPE_CHECKING:\n    from .core import hash_it\n",
        "class C:\n    def f(self):\n        try:\n            import merklize.core\n        finally: ...\n",
    ],
)
def test_circles(package, capsys, text):
    package("core", "from ._private import value\ndef hash_it(): ...\n", capsys)
    (found,) = package("_private", text, capsys)
    assert found.startswith("modules import each other in a circle: ")
    assert "merklize._private" in found

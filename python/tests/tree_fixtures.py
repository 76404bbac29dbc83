"""A folder with a file and the tree over it, for tests of `merklize tree`. conftest.py makes them known."""

from pathlib import Path

import pytest

from cli_helpers import output


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "data").write_bytes(bytes(range(256)) * 250)  # 64000 bytes
    return tmp_path


@pytest.fixture
def root(folder: Path) -> str:
    """The root of the tree over `data` with leaves of 1000 bytes, saved as `tree`."""
    return output("tree", "build", "data", "--leaf-size", "1000", "-o", "tree", cwd=folder).strip()

"""The runner of the tests itself."""

import pytest


@pytest.mark.xdist_group("one")
def test_pytest_xdist_knows_groups(request):
    """A pytest-xdist that ignores groups compiles each program on every worker, and says nothing."""
    if getattr(request.config.option, "loadgroup", False):
        assert request.node.nodeid.endswith("@one")

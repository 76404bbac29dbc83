"""Trees over objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _native
from ._leaves import LeafRule, require_size
from ._objects import open_object
from ._progress import Report
from ._ranges import Readers

if TYPE_CHECKING:
    from .._types import Progress


def tree_facts(root: bytes, n: int, size: int, form: _native.TreeForm) -> _native.TreeFacts:
    """Return what is known of a tree of n leaves."""
    return _native.make_tree_facts(root, n, max(0, n - 1).bit_length(), size, form)


def merkle_root_url(
    url: str, rule: LeafRule, form: _native.TreeForm, run: _native.Settings, progress: Progress
) -> _native.TreeFacts:
    """Return the root of the tree over an object, as merkle_root_file() gives it."""
    rule.require_valid()
    stored = open_object(url)
    size = require_size(stored)
    n, report = rule.n_leaves(size, stored.name), Report(progress, size)
    builder = _native.make_builder(form, run)
    with Readers() as readers:
        for leaves in rule.leaves(readers.pieces(stored, unit=rule.unit)):
            builder.append(_words(leaves), run)
            report.add(len(leaves) * rule.size)
    stored.require_same()
    return tree_facts(builder.root(), n, size, form)


def build_tree_url(
    url: str, output: bytes, rule: LeafRule, form: _native.TreeForm, run: _native.Settings, progress: Progress
) -> _native.TreeFacts:
    """Build the tree over an object into a file, as build_tree_file() does it; always from the first leaf on."""
    rule.require_valid()
    stored = open_object(url)
    size = require_size(stored)
    n, report = rule.n_leaves(size, stored.name), Report(progress, size)
    source = (0, 0) if rule.leaf_size is None and rule.row_size is None else (rule.size, size)
    writer = _native.make_writer(output, n, form, source, False, run)
    with Readers() as readers:
        for leaves in rule.leaves(readers.pieces(stored, unit=rule.unit)):
            writer.append(_words(leaves))
            report.add(len(leaves) * rule.size)
    stored.require_same()
    return tree_facts(writer.finish(), n, size, form)


def _words(leaves: Any) -> Any:
    """Return leaves as the extension takes them: an array in C order."""
    import numpy as np

    return np.ascontiguousarray(leaves)

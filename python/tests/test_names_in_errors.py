"""Errors begin with the function that was called, once, and with no other: wrong calls of all functions."""

from __future__ import annotations

import pytest

from merklize import bao, formats, parts, prover, xmss
from wrong_kinds import calls_with, consume, merklize, public

FUNCTIONS = dict(pair for module in (merklize, prover, parts, formats, bao, xmss) for pair in public(module))
NAMES = {name.rpartition(".")[2] for name in FUNCTIONS}
WRONG = (object(), -1, "x", b"abc", [], [5], None, 2**70, 1.5, {"a": 1})


@pytest.mark.parametrize("name", FUNCTIONS)
def test_no_other_function_is_named(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").write_bytes(b"data of a file")
    own = name.rpartition(".")[2]
    for positional, named in calls_with(FUNCTIONS[name], lambda parameter: WRONG):
        try:
            consume(FUNCTIONS[name](*positional, **named))
        except Exception as error:
            text = str(error)
        else:
            continue
        head = text.partition(": ")[0]
        assert head == own or head not in NAMES, (named, text)
        assert not head.startswith("bao"), (named, text)
        assert text.count(f"{own}: ") <= 1, (named, text)

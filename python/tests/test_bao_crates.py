"""Compares with the crates bao and bao-tree, if `make test-rust` has built their program, tests/bao_crates."""

import json
import os
import subprocess

import pytest

import merklize
from merklize import bao

PROGRAM = os.environ.get("MERKLIZE_BAO_CRATES", "")
pytestmark = pytest.mark.skipif(not PROGRAM, reason="MERKLIZE_BAO_CRATES does not name the program of tests/bao_crates")


def digest(data):
    return merklize.hash(data).hex()


@pytest.fixture(scope="module")
def answers():
    done = subprocess.run([PROGRAM, "answers", "20261122", "400"], capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_random_messages(answers):
    for one in answers:
        data = (bytes(range(251)) * (one["n"] // 251 + 1))[: one["n"]]
        made = bao.outboard(data)
        assert (made.root.hex(), digest(made.outboard)) == (one["root"], one["outboard"])
        assert digest(bao.encode(data).encoding) == one["encoding"]
        found = bao.slice(data, one["start"], one["length"], outboard=made.outboard)
        assert digest(found) == one["slice"], one
        assert bao.decode_slice(found, made.root, one["start"], one["length"]) == data[one["start"] :][: one["length"]]
        size = {"group_size": one["group_size"]}
        pre = bao.outboard(data, format="bao_tree", **size).outboard
        post = bao.outboard(data, format="bao_tree_post", **size).outboard
        assert (digest(pre), digest(post)) == (one["pre"], one["post"]), one


def test_random_ranges(answers):
    for one in answers:
        data = (bytes(range(251)) * (one["n"] // 251 + 1))[: one["n"]]
        for format in ("bao_tree", "bao_tree_post"):
            form = {"format": format, "group_size": one["group_size"]}
            nodes, root = bao.outboard(data, **form)
            found = bao.slice_ranges(data, one["ranges"], outboard=nodes, **form)
            assert digest(found) == one["selected"], one
        decoder = bao.Decoder(root, ranges=one["ranges"], size=len(data), **{**form, "format": "bao_tree"})
        at = 0
        while wanted := decoder.wants():
            part = decoder.take(found[at : at + wanted])
            assert data[decoder.offset :][: len(part)] == part
            at += wanted
        assert at == len(found)

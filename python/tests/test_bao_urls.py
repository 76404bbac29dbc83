"""Objects are verified by their outboards as local files are, and only the needed ranges are read."""

from __future__ import annotations

import json

import pytest

import merklize
from cli_helpers import merklize as command
from merklize import bao
from store_fixtures import DATA, MIB, SECRET

pytestmark = [pytest.mark.xdist_group("stores"), pytest.mark.usefixtures("small_ranges")]
GROUPS = {"group_size": 16384}
NODES, ROOT = bao.outboard(DATA, **GROUPS)


def damaged(*places):
    wrong = bytearray(DATA)
    for place in places:
        wrong[place] ^= 1
    return bytes(wrong)


def bytes_asked(server):
    """The number of bytes in the ranges of all requests so far."""
    found = [headers["Range"].removeprefix("bytes=").split("-") for _, headers in server.seen]
    server.seen.clear()
    return sum(int(last) - int(first) + 1 for first, last in found)


@pytest.mark.parametrize(
    "options", [{}, GROUPS, {"format": "bao_tree_post"}, {"group_size": 4 * MIB}, {"group_size": 16 * MIB}]
)
def test_as_of_files(http, tmp_path, options):
    data = damaged(0, 100_000, 16384 * 70, 2 * MIB - 1, 2 * MIB, len(DATA) - 1)
    nodes, root = bao.outboard(DATA, **options)
    (tmp_path / "y").write_bytes(data)
    http.objects["y"] = data
    assert bao.verify(http.url("x"), root, nodes, **options) == ([], len(DATA))
    for part in (
        *((0, None), (5, 0), (5, 1), (2 * MIB - 1, 2), (MIB, None), (len(DATA) - 1, 1), (len(DATA), 0)),
        *((0, 0), (len(DATA), None), (len(DATA) + 1, 0), (3 * MIB, 0)),
    ):
        where = {"offset": part[0], "length": part[1], **options}
        found = bao.verify(http.url("y"), root, nodes, **where)
        assert found == bao.verify(tmp_path / "y", root, nodes, **where)
        assert found.size > 0
        assert not bao.verify(http.url("x"), bytes(32), nodes, **where)
    assert bao.verify(f"file://{tmp_path}/y", root, nodes, **options) == bao.verify(
        tmp_path / "y", root, nodes, **options
    )
    assert len(bao.verify(http.url("y"), root, nodes, **options).faults) > 0


def test_an_outboard_that_is_wrong(http, tmp_path):
    nodes = bytearray(NODES)
    nodes[len(nodes) // 2] ^= 1
    (tmp_path / "x").write_bytes(DATA)
    found = bao.verify(http.url("x"), ROOT, nodes, **GROUPS)
    assert found == bao.verify(tmp_path / "x", ROOT, nodes, **GROUPS)
    assert found.faults[0].in_outboard


@pytest.mark.parametrize("size", [0, 1, 1024, 16384, 16385])
def test_small_objects(http, size):
    http.objects["small"] = DATA[:size]
    nodes, root = bao.outboard(DATA[:size], **GROUPS)
    assert bao.verify(http.url("small"), root, nodes, **GROUPS) == ([], size)
    assert not bao.verify(http.url("small"), ROOT, nodes, **GROUPS)


def test_only_the_groups_are_read(http):
    where = {"offset": 3 * MIB + 5, "length": 16384, **GROUPS}
    assert bao.verify(http.url("x"), ROOT, NODES, **where)
    assert bytes_asked(http) == 2 * 16384 + 1
    with pytest.raises(merklize.Mismatch, match=r"the outboard has \d+ bytes; that of a message of 5255225 bytes"):
        bao.verify(http.url("x"), ROOT, NODES[:-64], **GROUPS)
    assert bytes_asked(http) == MIB  # the first range, which tells the size
    with pytest.raises(merklize.InvalidArgument, match="are not all in http://.*/x, which has 5255225"):
        bao.verify(http.url("x"), ROOT, NODES, offset=5 * MIB, length=MIB, **GROUPS)
    with pytest.raises(merklize.Cancelled):
        bao.verify(http.url("x"), ROOT, NODES, progress=lambda share: False, **GROUPS)


def test_servers_without_ranges(http):
    http.has_ranges = False
    assert bao.verify(http.url("x"), ROOT, NODES, **GROUPS)
    http.objects["y"] = damaged(4 * MIB)
    assert [fault.offset for fault in bao.verify(http.url("y"), ROOT, NODES, **GROUPS).faults] == [4 * MIB]
    with pytest.raises(merklize.FileError, match="the server ignores ranges, and only parts"):
        bao.verify(http.url("x"), ROOT, NODES, offset=MIB, **GROUPS)


def test_servers_that_fail(http):
    faults = iter(["dropped", "500", "lying", None, "dropped"])
    http.fault = lambda *_: next(faults, None)
    assert bao.verify(http.url("x"), ROOT, NODES, **GROUPS)
    with pytest.raises(FileNotFoundError, match=r"there is no such object") as caught:
        bao.verify(http.url("none?sig=" + SECRET), ROOT, NODES, **GROUPS)
    assert SECRET not in str(caught.value)

    def change(server, path, start, end):
        if start >= 3 * MIB:
            server.objects["x"] = damaged(7)

    http.fault = change
    with pytest.raises(merklize.FileError, match="changed while being read"):
        bao.verify(http.url("x"), ROOT, NODES, **GROUPS)


@pytest.mark.parametrize("options", [{}, GROUPS, {"format": "bao_tree"}])
def test_outboards_and_encodings_of_objects(http, memory, tmp_path, options):
    nodes, encoding = bao.outboard(DATA, **options), bao.encode(DATA, **options)
    url = http.url("x?sig=" + SECRET)
    assert bao.outboard_file(url, **options) == nodes
    for out in (tmp_path / "out", "memory://out"):
        assert bao.outboard_file(url, out, **options) == (b"", nodes.root)
        assert written(memory, out) == nodes.outboard
        assert bao.encode_file(url, out, **options) == nodes.root
        assert written(memory, out) == encoding.encoding
    http.objects["empty"] = b""
    assert bao.outboard_file(http.url("empty"), **options) == bao.outboard(b"", **options)
    with pytest.raises(FileNotFoundError, match=r"there is no such object") as caught:
        bao.encode_file(http.url("none?sig=" + SECRET), tmp_path / "none", **options)
    assert SECRET not in str(caught.value)
    assert not (tmp_path / "none").exists()
    for call in (bao.outboard_file, bao.encode_file):
        with pytest.raises(TypeError, match=rf"^{call.__name__}: path must be a path, got int$"):
            call(3, tmp_path / "none")


def written(memory, out):
    return memory.cat_file("/out") if isinstance(out, str) else out.read_bytes()


def test_command(http, tmp_path):
    http.objects |= {"y": damaged(0, 3 * MIB), "nodes": NODES, "bao": bao.encode(DATA).encoding}
    http.objects["slice"] = bao.slice(http.objects["bao"], 70_000, 5)
    http.objects["cut"] = http.objects["bao"][:-1]
    http.objects["empty"] = bao.encode(b"").encoding
    for name, data in http.objects.items():
        (tmp_path / name).write_bytes(data)
    by_nodes = ("--root", ROOT.hex(), "--group-size", "16K", "--outboard")

    def same(*words):
        """Check that the command says the same about URLs and about files. Return that."""
        found = []
        for where in (http.address, str(tmp_path)):
            done = command("bao", "verify", *(word.replace("@", where) for word in words))
            found.append((done.returncode, done.stdout.decode().replace("bao_verify:", "bao:"), done.stderr.decode()))
        there, here = found
        if "--json" in words:
            facts = [json.loads(text) for _, text, _ in found]
            assert [one.pop("file").rpartition("/")[2] for one in facts] == ["y", "y"]
            assert facts[0] == facts[1]
        else:
            assert there == here
        return there[1]

    assert same("@/x", *by_nodes, "@/nodes") == f"valid: all of {len(DATA)} bytes\n"
    assert same("@/x", *by_nodes, "@/nodes", "--range", "5,7", "--range", "4000000,1").startswith("valid: bytes 0 to ")
    assert same("@/y", *by_nodes, "@/nodes").count("NOT valid: bytes") == 2
    same("@/y", *by_nodes, "@/nodes", "--json")
    assert same("@/x", *by_nodes, "@/x").startswith("NOT valid: bao")
    assert same("@/bao", "--root", ROOT.hex()) == f"valid: all of {len(DATA)} bytes\n"
    assert (
        same("@/slice", "--root", ROOT.hex(), "--range", "70000,5") == f"valid: bytes 69632 to 70656 of {len(DATA)}\n"
    )
    assert same("@/cut", "--root", ROOT.hex()).startswith("NOT valid: truncated: ")
    assert same("@/slice", "--root", "00" * 32, "--range", "70000,5").endswith("or with --range a slice\n")
    assert same("@/empty", "--root", bao.encode(b"").root.hex()) == "valid: all of 0 bytes\n"
    done = command("bao", "verify", str(tmp_path / "x"), *by_nodes, http.url("nodes"), "--num-threads", "1")
    assert (done.returncode, done.stderr) == (0, b"")
    done = command("bao", "verify", http.url("y?sig=" + SECRET), *by_nodes, str(tmp_path / "nodes"), "--json")
    assert (done.returncode, SECRET in (done.stdout + done.stderr).decode()) == (1, False)
    for place in (str(tmp_path / "x"), http.url("x")):  # the message itself
        done = command("bao", "verify", place, "--root", ROOT.hex())
        assert (done.returncode, done.stdout) == (2, b"")
        assert f"{place} is the message itself, and its digest is the root".encode() in done.stderr
    for words in (["outboard"], ["encode", "--format", "bao_tree"]):
        done = command("bao", *words, http.url("x?sig=" + SECRET), "-o", str(tmp_path / "made"), "--json")
        assert (done.returncode, SECRET in (done.stdout + done.stderr).decode()) == (0, False)
        whole = bao.outboard(DATA).outboard if len(words) == 1 else bao.encode(DATA, format="bao_tree").encoding
        assert (tmp_path / "made").read_bytes() == whole
    for words, text in {
        ("verify", http.url("x")): "Missing option '--root'",
        ("verify", http.url("x"), "--root", ROOT.hex(), "--range", "5"): "must be START,LENGTH",
    }.items():
        done = command("bao", *words)
        assert (done.returncode, text in done.stderr.decode()) == (2, True)

"""Verified streaming: recorded answers of bao and bao-tree through Python and the command, and wrong input."""

import io
import json
import pathlib
import random
import re

import pytest

import merklize
from cli_helpers import merklize as command
from cli_helpers import output
from merklize import bao

ROOT = pathlib.Path(__file__).resolve().parents[2]
RECORDED = json.loads((ROOT / "tests" / "vectors" / "bao.json").read_text())
ENCODINGS = [one for one in RECORDED if one.get("op") == "encode"]
SLICES = [one for one in RECORDED if one.get("op") == "slice"]


def counter(size):
    return bytes(i % 251 for i in range(size))


def digest(data):
    return merklize.hash(data).hex()


def some_bytes(size, seed=1):
    return random.Random(seed).randbytes(size)


def test_recorded_outboards_and_encodings(device, tmp_path):
    for one in ENCODINGS:
        data = counter(one["n"])
        made = bao.outboard(data, device=device)
        assert (made.root.hex(), digest(made.outboard)) == (one["root"], one["outboard_blake3"])
        groups = bao.outboard(data, format="bao_tree", device=device)
        assert (groups.root.hex(), digest(groups.outboard)) == (one["root"], one["pre_order_16k_blake3"])
        post = bao.outboard(data, format="bao_tree_post", device=device)
        assert (post.root.hex(), digest(post.outboard)) == (one["root"], one["post_order_16k_blake3"])
        assert len(made.outboard) == bao.outboard_size(one["n"]) == one["outboard_len"]
        encoding = bao.encode(data)
        assert (encoding.root.hex(), digest(encoding.encoding)) == (one["root"], one["encoded_blake3"])
        assert len(encoding.encoding) == bao.encoding_size(one["n"]) == one["encoded_len"]
        assert digest(bao.encode(data, format="bao_tree").encoding) == one["encoded_16k_noheader_blake3"]
        if one["n"] not in (1025, 100000):
            continue
        (tmp_path / "message").write_bytes(data)
        assert bao.outboard_file(tmp_path / "message", device=device) == made
        assert bao.outboard_file(tmp_path / "message", tmp_path / "out", device=device) == (b"", made.root)
        assert (tmp_path / "out").read_bytes() == made.outboard
        assert bao.encode_file(tmp_path / "message", tmp_path / "out") == made.root
        assert (tmp_path / "out").read_bytes() == encoding.encoding


def test_recorded_slices():
    for one in SLICES:
        data = counter(one["n"])
        start, length = one["start"], one["len"]
        encoding, root = bao.encode(data)
        found = bao.slice(encoding, start, length)
        assert digest(found) == one["slice_blake3"]
        assert bao.slice(data, start, length, outboard=bao.outboard(data).outboard) == found
        assert bao.decode_slice(found, root, start, length) == data[start : start + length]
        if one["bao_tree_1k_same_after_header"] == "true":
            nodes = bao.outboard(data, format="bao_tree").outboard
            groups = bao.slice(data, start, length, outboard=nodes, format="bao_tree")
            assert digest(groups) == one["bao_tree_16k_blake3"]


def test_tensors_and_arrays(device):
    numpy = pytest.importorskip("numpy")
    data = numpy.arange(100_000, dtype=numpy.uint32)
    assert bao.outboard(data, device=device) == bao.outboard(data.tobytes())


def test_data_on_a_device(device):
    if device == "cpu":
        pytest.skip("the CPU has no memory of its own")
    numpy = pytest.importorskip("numpy")

    def there(data):
        return merklize.DeviceArray.from_numpy(numpy.frombuffer(data, numpy.uint8), device)

    for size in (0, 1024, 16384, 16385, 1_000_001):
        for options in ({}, {"format": "bao_tree"}, {"format": "bao_tree_post"}):
            data = some_bytes(size)
            expected = bao.outboard(data, device="cpu", **options)
            given, out = there(data), there(bytes(len(expected.outboard)))
            assert bao.outboard(given, **options) == expected
            assert bao.outboard(given, out=out, **options) == (b"", expected.root)
            assert out.numpy().tobytes() == expected.outboard
    data = some_bytes(100_000)
    for out, text in [
        (numpy.zeros(6216, numpy.uint8), "out must be uint8, writable, in C order and on a device"),
        (there(bytes(8)), "out must have 6216 bytes, got 8"),
        (merklize.DeviceArray.from_numpy(numpy.zeros(777, numpy.uint64), device), "out must be uint8, writable"),
    ]:
        with pytest.raises(merklize.InvalidArgument, match=text):
            bao.outboard(there(data), out=out)
    with pytest.raises(merklize.InvalidArgument, match="out is for data on a device, and this is on the host"):
        bao.outboard(data, out=there(bytes(6216)))


@pytest.mark.parametrize("size", [0, 1, 1024, 16385, 400_000])
@pytest.mark.parametrize("options", [{}, {"format": "bao_tree"}, {"group_size": 4096}])
def test_round_trips(size, options):
    data = some_bytes(size)
    root = merklize.hash(data)
    encoding = bao.encode(data, **options).encoding
    known = {} if options.get("format") is None else {"size": size}
    assert bao.decode(encoding, root, **options, **known) == data
    assert b"".join(bao.decode_stream(io.BytesIO(encoding), root, **options, **known)) == data
    nodes = bao.outboard(data, **options).outboard
    assert bao.decode(data, root, outboard=nodes, **options) == data
    assert bao.verify(data, root, nodes, **options) == ([], size)
    for start, length in [(0, 1), (size // 2, 3000), (size + 5, 10), (size // 3, 0)]:
        part = bao.slice(encoding, start, length, **options, **known)
        assert bao.decode_slice(part, root, start, length, **options, **known) == data[start : start + length]


def test_slices_of_several_ranges():
    data = some_bytes(300_000)
    encoding, root = bao.encode(data, group_size=16384)
    ranges = [(200_000, 5000), (0, 10), (20_000, 40_000)]
    part = bao.slice_ranges(encoding, ranges, group_size=16384)
    decoder = bao.Decoder(root, ranges=ranges, group_size=16384)
    file, found = io.BytesIO(part), {}
    while wanted := decoder.wants():
        if piece := decoder.take(file.read(wanted)):
            found[decoder.offset] = piece
    assert file.read() == b""
    assert decoder.size == len(data)
    assert all(data[at : at + len(piece)] == piece for at, piece in found.items())
    taken = {chunk for at, piece in found.items() for chunk in range(at // 1024, (at + len(piece) + 1023) // 1024)}
    assert taken == {chunk for at, n in ranges for chunk in range(at // 1024, (at + n + 1023) // 1024)}


def test_what_is_wrong_is_found(tmp_path):
    data = some_bytes(1_000_000)
    nodes, root = bao.outboard(data, group_size=16384)
    wrong = bytearray(data)
    wrong[500_000] ^= 1
    (tmp_path / "wrong").write_bytes(wrong)
    fault = bao.Fault(491520, 16384, False)
    assert bao.verify(wrong, root, nodes, group_size=16384).faults == [fault]
    report = bao.verify(tmp_path / "wrong", root, nodes, group_size=16384, threads=2)
    assert report == ([fault], len(data))
    assert not report
    with pytest.raises(merklize.Mismatch, match="bytes 491520 to 507904 are not what the root says"):
        report.require()
    assert bao.verify(tmp_path / "wrong", root, nodes, offset=0, length=400_000, group_size=16384)
    assert bao.verify(tmp_path / "wrong", root, nodes, offset=600_000, group_size=16384)
    part = wrong[16384 * 30 : 16384 * 40]
    assert bao.verify(part, root, nodes, offset=16384 * 30, size=len(data), group_size=16384).faults == [fault]

    other = bao.outboard(some_bytes(1_000_000, 2), group_size=16384).outboard
    assert bao.verify(data, root, other, group_size=16384).faults == [bao.Fault(0, len(data), True)]
    for bad in (nodes[:-1], nodes + b"x", b"", nodes[:8], bao.outboard(data[:-1], group_size=16384).outboard):
        with pytest.raises(merklize.Mismatch):
            bao.verify(data, root, bad, group_size=16384)
    encoding = bao.encode(data).encoding
    for bad in (encoding[:-1], encoding + b"x", encoding[:5], b"", b"\xff" * 8 + encoding[8:]):
        with pytest.raises(merklize.Mismatch):
            bao.decode(bad, root)
        with pytest.raises(merklize.Mismatch):
            list(bao.decode_stream(io.BytesIO(bad), root))
    with pytest.raises(merklize.Mismatch):
        bao.decode(encoding, merklize.hash(b"another"))


def test_a_range_of_no_bytes(tmp_path):
    """A group is always verified: the one where the range begins, or the last one if that is beyond the end."""
    data = some_bytes(100_000)
    nodes, root = bao.outboard(data, group_size=16384)
    (tmp_path / "x").write_bytes(data)
    for offset, length in [(0, 0), (40_000, 0), (100_000, None), (100_001, None), (2**63, 0)]:
        where = {"offset": offset, "length": length, "group_size": 16384}
        begin, end = (offset // 16384 * 16384, 16384) if offset < 100_000 else (98304, 1696)
        assert bao.verify(tmp_path / "x", root, nodes, **where) == ([], end)
        assert bao.verify(tmp_path / "x", bytes(32), nodes, **where).faults == [bao.Fault(begin, end, True)]
    for offset, size in [(0, 100_000), (16384, 100_000), (100_000, 100_000)]:
        with pytest.raises(merklize.InvalidArgument, match="no bytes, which prove nothing of a message of 100000"):
            bao.verify(b"", root, nodes, offset=offset, size=size, group_size=16384)
    empty, root = bao.outboard(b"")
    assert bao.verify(b"", root, empty)
    assert not bao.verify(b"", bytes(32), empty)
    with pytest.raises(merklize.Mismatch):
        bao.Reader(io.BytesIO(b""), bytes(32), empty)


def test_wrong_arguments():
    with pytest.raises(merklize.InvalidArgument, match="format must be one of bao, bao_tree"):
        bao.outboard(b"", format="tar")
    for size in (1000, 512, 2**31, 0, -1024):
        with pytest.raises(merklize.InvalidArgument, match="power of two"):
            bao.outboard(b"", group_size=size)
    with pytest.raises(merklize.InvalidArgument, match="size must be given"):
        bao.decode(b"", bytes(32), format="bao_tree")
    with pytest.raises(merklize.InvalidArgument, match="post-order"):
        bao.encode(b"", format="bao_tree_post")
    with pytest.raises(merklize.InvalidArgument, match="32 bytes"):
        bao.decode(b"", b"short")
    with pytest.raises(merklize.InvalidArgument, match="groups"):
        bao.verify(b"x" * 10, bytes(32), bao.outboard(bytes(5000)).outboard, offset=3, size=5000)
    with pytest.raises(TypeError):
        bao.outboard("text")
    with pytest.raises(FileNotFoundError):
        bao.outboard_file("/nowhere/at/all")
    with pytest.raises(IsADirectoryError, match="Is a directory"):
        bao.outboard_file("/")
    assert bao.outboard_file("/dev/null") == bao.outboard(b"")


@pytest.mark.parametrize("size", [0, 4999, 5001, 2**40])
@pytest.mark.parametrize("format", ["bao", "bao_tree"])
def test_another_size(format, size):
    """A size that is given is the message's, also where the format states one."""
    data, form = bytes(range(250)) * 20, {"format": format, "group_size": 1024}
    made, nodes = bao.encode(data, **form), bao.outboard(data, **form).outboard
    part = bao.slice(made.encoding, 0, 5000, **form, size=5000)
    for call in (
        lambda size: bao.decode(made.encoding, made.root, **form, size=size),
        lambda size: bao.decode(data, made.root, outboard=nodes, **form, size=size),
        lambda size: b"".join(bao.decode_stream(io.BytesIO(made.encoding), made.root, **form, size=size)),
        lambda size: bao.decode_slice(part, made.root, 0, 5000, **form, size=size),
        lambda size: bao.decode_slice(bao.slice(made.encoding, 0, 5000, **form, size=size), made.root, 0, 5000, **form,
                                      size=5000),
        lambda size: bao.decode_slice(bao.slice(data, 0, 5000, outboard=nodes, **form, size=size), made.root, 0, 5000,
                                      **form, size=5000),
        lambda size: bao.Reader(io.BytesIO(data), made.root, nodes, **form, size=size).read(),
    ):  # fmt: skip
        assert call(5000) == data
        with pytest.raises(merklize.Mismatch):
            call(size)


class TestReader:
    data = some_bytes(3_000_000, 7)
    nodes, root = bao.outboard(data, group_size=16384)

    def reader(self, data, nodes=None):
        return bao.Reader(io.BytesIO(data), self.root, self.nodes if nodes is None else nodes, group_size=16384)

    def test_reads_what_is_right(self):
        reader = self.reader(self.data)
        assert reader.read() == self.data
        choice, buffered = random.Random(3), io.BufferedReader(self.reader(self.data))
        for _ in range(50):
            at, count = choice.randrange(len(self.data) + 10), choice.randrange(100_000)
            assert buffered.seek(at) == at
            assert buffered.read(count) == self.data[at : at + count]
        assert reader.seek(-5, io.SEEK_END) == len(self.data) - 5
        assert reader.read() == self.data[-5:]
        assert reader.tell() == len(self.data)
        assert self.reader(self.data).readable()
        assert self.reader(self.data).seekable()
        reader.close()
        for call in (reader.read, reader.readable, reader.seekable, reader.tell, lambda: reader.seek(0)):
            with pytest.raises(ValueError, match="closed file"):
                call()

    def test_gives_nothing_that_is_wrong(self):
        wrong = bytearray(self.data)
        wrong[2_000_000] ^= 1
        reader = self.reader(wrong)
        assert reader.read(1000) == self.data[:1000]
        reader.seek(2_000_000)
        with pytest.raises(merklize.Mismatch, match="not what the root says"):
            reader.read(1)
        reader.seek(2_000_000 // 16384 * 16384 - 10)
        assert reader.read(100) == self.data[reader.tell() - 10 : reader.tell()]
        with pytest.raises(merklize.Mismatch):
            self.reader(self.data[:-1])
        with pytest.raises(merklize.InvalidArgument):
            reader.seek(-1)


class TestCommand:
    @pytest.fixture
    def message(self, tmp_path):
        (tmp_path / "f").write_bytes(some_bytes(700_001, 9))
        return tmp_path

    def test_the_bytes_are_the_library_s(self, message):
        data = (message / "f").read_bytes()
        root = merklize.hash(data).hex()
        for options, named in [
            ({}, []),
            ({"format": "bao_tree"}, ["--format", "bao_tree"]),
            ({"format": "bao_tree_post"}, ["--format", "bao_tree_post"]),
            ({"group_size": 65536}, ["--group-size", "64K"]),
        ]:
            made = bao.outboard(data, **options)
            assert output("bao", "outboard", "f", "-o", "o", *named, cwd=message) == root + "\n"
            assert (message / "o").read_bytes() == made.outboard
            assert command("bao", "outboard", "-", *named, stdin=data).stdout == made.outboard
            verified = output("bao", "verify", "f", "--root", root, "--outboard", "o", *named, cwd=message)
            assert verified == "valid: all of 700001 bytes\n"
            at, size = ["--range", "5000,70000"], ["--size", "700001"] if "bao_tree" in named else []
            part = command("bao", "slice", "f", "--outboard", "o", *at, *named, cwd=message)
            assert part.stdout == bao.slice(data, 5000, 70_000, outboard=made.outboard, **options)
            if "bao_tree_post" in named:
                continue
            encoding = bao.encode(data, **options).encoding
            assert output("bao", "encode", "f", "-o", "e", *named, cwd=message) == root + "\n"
            assert (message / "e").read_bytes() == encoding
            assert command("bao", "encode", "f", *named, cwd=message).stdout == encoding
            assert command("bao", "encode", "-", *named, stdin=data).stdout == encoding
            assert command("bao", "slice", "e", *at, *size, *named, cwd=message).stdout == part.stdout
            decoded = command("bao", "decode", "-", "--root", root, *at, *size, *named, stdin=part.stdout)
            assert decoded.stdout == data[5000:75000]
            assert command("bao", "decode", "e", "--root", root, *size, *named, cwd=message).stdout == data
            decoded = command("bao", "decode", "f", "--outboard", "o", "--root", root, *at, *named, cwd=message)
            assert decoded.stdout == data[5000:75000]

    def test_what_is_wrong(self, message):
        data = (message / "f").read_bytes()
        root = merklize.hash(data).hex()
        output("bao", "outboard", "f", "-o", "o", "--group-size", "16K", cwd=message)
        output("bao", "encode", "f", "-o", "e", cwd=message)
        wrong = bytearray(data)
        wrong[100_000] ^= 1
        (message / "f").write_bytes(wrong)
        verify = ["bao", "verify", "f", "--root", root, "--outboard", "o", "--group-size", "16K"]
        done = command(*verify, cwd=message)
        assert (done.returncode, done.stdout) == (1, b"NOT valid: bytes 98304 to 114688 are not what the root says\n")
        answer = json.loads(command(*verify, "--json", cwd=message).stdout)
        assert answer["valid"] is False
        assert answer["faults"] == [{"offset": 98304, "bytes": 16384, "in_outboard": False}]
        assert answer["verified"] == []
        assert output(*verify, "--range", "300000,5", cwd=message) == "valid: bytes 294912 to 311296 of 700001\n"
        for beyond in ("699000,5000", "800000,1", f"{2**64 - 1},{2**64 - 1}"):
            assert output(*verify, "--range", beyond, cwd=message) == "valid: bytes 688128 to 700001 of 700001\n"
        done = command(
            "bao", "decode", "f", "--outboard", "o", "--group-size", "16K", "--root", root, "-o", "out", cwd=message
        )
        assert done.returncode == 1
        assert done.stderr == b"merklize: f: bytes 98304 to 114688 are not what the root says\n"
        assert not (message / "out").exists()
        encoding = (message / "e").read_bytes()
        for bad in (encoding[:-1], encoding + b"x", encoding[:3], b"\x01" + encoding[1:]):
            (message / "bad").write_bytes(bad)
            done = command("bao", "decode", "bad", "--root", root, "-o", "out", cwd=message)
            assert done.returncode == 1
            assert re.fullmatch(rb"merklize: bad: [^\n]+\n", done.stderr)
            assert command("bao", "verify", "bad", "--root", root, cwd=message).returncode == 1
            assert not (message / "out").exists()
        assert sorted(path.name for path in message.iterdir()) == ["bad", "e", "f", "o"]

    def test_what_was_verified(self, message):
        root = merklize.hash((message / "f").read_bytes()).hex()
        output("bao", "outboard", "f", "-o", "o", "--group-size", "16K", cwd=message)
        output("bao", "encode", "f", "-o", "e", cwd=message)
        verify = ["bao", "verify", "f", "--outboard", "o", "--group-size", "16K", "--root"]
        for ranges, said, places in [
            (["0,0"], "bytes 0 to 16384 of 700001", [(0, 16384)]),
            (["700001,0"], "bytes 688128 to 700001 of 700001", [(688128, 11873)]),
            (["900000,0"], "bytes 688128 to 700001 of 700001", [(688128, 11873)]),
            (
                ["600000,1", "5,16380", "100,7"],
                "bytes 0 to 32768 and 589824 to 606208 of 700001",
                [(0, 32768), (589824, 16384)],
            ),
            (["0,700001"], "all of 700001 bytes", [(0, 700001)]),
        ]:
            named = [word for one in ranges for word in ("--range", one)]
            assert output(*verify, root, *named, cwd=message) == f"valid: {said}\n"
            answer = json.loads(output(*verify, root, *named, "--json", cwd=message))
            assert answer["verified"] == [{"offset": offset, "bytes": n} for offset, n in places]
            done = command(*verify, "00" * 32, *named, cwd=message)
            assert (done.returncode, done.stdout[:10]) == (1, b"NOT valid:")
        for at, said in [("0,0", "0 to 1024"), ("5000,70000", "4096 to 75776"), ("700001,0", "699392 to 700001")]:
            (message / "s").write_bytes(command("bao", "slice", "e", "--range", at, cwd=message).stdout)
            verified = output("bao", "verify", "s", "--root", root, "--range", at, cwd=message)
            assert verified == f"valid: bytes {said} of 700001\n"
        empty = bao.encode(b"")
        (message / "s").write_bytes(empty.encoding)
        assert output("bao", "verify", "s", "--root", empty.root.hex(), cwd=message) == "valid: all of 0 bytes\n"

    def test_a_message_without_its_outboard(self, message):
        root = merklize.hash((message / "f").read_bytes()).hex()
        for words in (["f"], ["f", "--range", "5,6"]):
            done = command("bao", "verify", *words, "--root", root, cwd=message)
            assert (done.returncode, done.stdout) == (2, b"")
            assert b"f is the message itself, and its digest is the root: give --outboard" in done.stderr
        done = command("bao", "verify", "f", "--root", "00" * 32, cwd=message)
        assert (done.returncode, done.stdout[:10]) == (1, b"NOT valid:")
        assert b"; without --outboard INPUT must be an encoding, or with --range a slice\n" in done.stdout
        done = command("bao", "decode", "f", "--root", root, cwd=message)
        assert (done.returncode, b"; without --outboard INPUT must be" in done.stderr) == (1, True)

    @pytest.mark.parametrize(
        "arguments",
        [
            ["outboard"],
            ["outboard", "f", "--format", "zip"],
            ["outboard", "f", "--group-size", "1000"],
            ["outboard", "f", "-o", "f"],
            ["outboard", "f", "--json"],
            ["slice", "f"],
            ["slice", "f", "--range", "1"],
            ["slice", "f", "--range", "1,-2"],
            ["decode", "f"],
            ["decode", "f", "--root", "12"],
            ["decode", "f", "--root", "00" * 32, "--format", "bao_tree"],
            ["verify", "f"],
        ],
    )
    def test_usage(self, message, arguments):
        done = command("bao", *arguments, cwd=message)
        assert done.returncode == 2
        assert done.stderr.count(b"Error: ") == 1
        assert done.stdout.startswith(b'{"error": ') if "--json" in arguments else done.stdout == b""

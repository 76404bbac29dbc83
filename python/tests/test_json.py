"""All readers of JSON, in Python and in the program, decide alike on what other readers take in different ways.

tests/vectors/json.json has the table; web/test/json.test.mjs runs it in JavaScript.
"""

from __future__ import annotations

import contextlib
import json
import random as random_module
import struct

import numpy as np
import pytest

import merklize
import oracle
from cli_helpers import merklize as run
from merklize import _json, _native, formats
from merklize.manifests import Manifest
from weights import write, write_sharded

TABLE = json.loads((oracle.VECTORS / "json.json").read_text())
DOCUMENTS = TABLE["documents"]


def changed(case: dict, text: str) -> bytes:
    """Put a case into or around a text that begins with {"KEY": VALUE."""
    assert text[0] == "{"
    start = len(text) - len(text[1:].lstrip())
    key, end = json.JSONDecoder().raw_decode(text, start)
    value_at = end + len(text[end:]) - len(text[end:].lstrip(": \n"))
    _, value_end = json.JSONDecoder().raw_decode(text, value_at)
    written, value = text[start:end], text[value_at:value_end]
    inside = case.get("inside", "")
    if "repeat" in case:
        inside = '"more": ' + "[" * case["repeat"] + "]" * case["repeat"] + ", "
    inside = inside.replace("KEY", written).replace("VALUE", value)
    inside = inside.replace("ESCAPED", f'"\\u{ord(key[0]):04x}{written[2:]}')
    middle = inside.encode() + bytes.fromhex(case.get("hex_inside", "")) + case.get("inside_after", "").encode()
    before = bytes.fromhex(case.get("hex_before", "")) + case.get("before", "").encode()
    return before + b"{" + middle + text[1:].encode() + case.get("after", "").encode()


def is_taken(call, *arguments) -> bool:
    with contextlib.suppress(merklize.InvalidArgument):
        call(*arguments)
        return True
    return False


def readers(folder):
    """Name -> a valid text, and what tells whether bytes are taken in its place."""
    proof, several, growth = (DOCUMENTS[name] for name in ("proof", "multi-proof", "consistency"))
    state = {"t": np.zeros(8, "u1")}
    index = write_sharded(folder, state, 1)
    shard = folder / "model-00001-of-00001.safetensors"
    (folder / "single").mkdir()
    single = write(folder / "single" / "m.safetensors", state)
    header = single.read_bytes()[8:-8].decode()
    manifest = merklize.manifest(shard).to_json()

    def of_command(content, *more):
        (folder / "proof.json").write_bytes(content)
        done = run("tree", "verify", folder / "proof.json", *more)
        assert done.returncode in (0, 1)
        assert (done.returncode == 1) == (b": not a proof: " in done.stderr), done.stderr
        return done.returncode == 0

    def with_index(content):
        index.write_bytes(content)
        return is_taken(merklize.manifest, index)

    def with_header(content):
        single.write_bytes(struct.pack("<Q", len(content)) + content + bytes(8))
        return is_taken(merklize.manifest, single)

    def shown(content):
        (folder / "m.json").write_bytes(content)
        done = run("manifest", "show", folder / "m.json")
        assert done.returncode in (0, 1)
        return done.returncode == 0

    root = bytes.fromhex(proof["root"])
    return {
        "MerkleProof": (proof["text"], lambda content: is_taken(merklize.MerkleProof.from_json, content)),
        "MultiProof": (several["text"], lambda content: is_taken(merklize.MultiProof.from_json, content)),
        "ConsistencyProof": (growth["text"], lambda content: is_taken(merklize.ConsistencyProof.from_json, content)),
        "any proof": (proof["text"], lambda content: is_taken(merklize.proof.from_json, content)),
        "verify": (proof["text"], lambda content: merklize.verify(content.decode("utf-8", "surrogatepass"), root)),
        "dump": (DOCUMENTS["openzeppelin"]["text"], lambda content: is_taken(formats.OpenZeppelinTree.load, content)),
        "manifest": (manifest, lambda content: is_taken(Manifest.from_json, content)),
        "index": (index.read_text(), with_index),
        "header": (header, with_header),
        "the program: proof": (proof["text"], lambda content: of_command(content, "--root", proof["root"])),
        "the program: multi-proof": (several["text"], lambda content: of_command(content, "--root", proof["root"])),
        "the program: consistency": (
            growth["text"],
            lambda content: of_command(content, "--root", growth["root"], "--old-root", growth["old_root"]),
        ),
        "the program: manifest": (manifest, shown),
    }


@pytest.mark.parametrize("case", TABLE["texts"], ids=lambda case: case["name"])
def test_every_reader(case, tmp_path):
    for name, (text, takes) in readers(tmp_path).items():
        content = changed(case, text)
        if name == "verify" and b"\xff" in content:
            continue  # no text
        if name == "header" and case.get("valid") and not content.startswith(b"{"):
            continue  # safetensors: a header begins with {
        if name == "header" and "after" in case and not case["after"].strip(" "):
            continue
        taken = takes(content)
        assert taken == case.get("valid", False) or (taken and case.get("may_be_valid", False)), name


COUNTS = {
    "proof": merklize.MerkleProof.from_json,
    "multi-proof": merklize.MultiProof.from_json,
    "consistency": merklize.ConsistencyProof.from_json,
}


@pytest.mark.parametrize("case", TABLE["counts"], ids=lambda case: case["text"][:20])
@pytest.mark.parametrize("kind", COUNTS)
def test_counts(kind, case, tmp_path):
    document = DOCUMENTS[kind]
    text = document["text"].replace(document["count"], document["count"][:-1] + case["text"])
    assert is_taken(COUNTS[kind], text) == case.get("valid", False)
    (tmp_path / "proof.json").write_text(text)
    old = ("--old-root", document["old_root"]) if "old_root" in document else ()
    done = run("tree", "verify", tmp_path / "proof.json", "--root", document["root"], *old)
    assert done.returncode == (0 if case.get("valid") else 1), done.stderr


def test_texts_name_what_is_wrong():
    text = DOCUMENTS["proof"]["text"]
    for wrong, why in (
        (text.replace('"index": 1', '"index": 2, "index": 1'), "not JSON: the key 'index' is there twice"),
        ("\ufeff" + text, "not JSON: it is UTF-8 behind a byte order mark, which must go"),
        ("{", "not JSON: no name at byte 1"),
        ("\ud800", "not JSON: must be UTF-8, byte 0 is not"),
    ):
        with pytest.raises(merklize.InvalidArgument) as caught:
            merklize.MerkleProof.from_json(wrong)
        assert str(caught.value) == f"MerkleProof.from_json: {why}"
    for kind in (None, 5, [text], bytearray):
        with pytest.raises(TypeError, match=r"^MerkleProof.from_json: the text must be str or bytes, got "):
            merklize.MerkleProof.from_json(kind)


def mutated(text: bytes, random: random_module.Random) -> bytes:
    """Change, insert or remove a few characters, mostly to those that have a meaning."""
    made = bytearray(text)
    for _ in range(random.randint(1, 3)):
        at, new = random.randrange(len(made)), random.choice(b'{}[]:,"\\ tfn01eu-+.x')
        made[at : at + random.randint(0, 2)] = bytes([new]) * random.randint(0, 2)
    return bytes(made)


def test_what_is_read_in_pieces_is_judged_as_the_whole():
    """A begin that is refused has no end with which it would be read; a text that is read is never refused before."""
    random = random_module.Random(1)
    texts = [json.dumps(one).encode() for one in DOCUMENTS.values()]
    texts.append(b' {"a" : [1, -2.5e+7, true, [], {}, null, "\\u00e9\\n\\\\"], "b": {"": false}}\n ')
    refused = taken = 0
    for _ in range(4000):
        text = mutated(random.choice(texts), random)
        prefix = _native.JsonPrefix()
        cut = random.randint(0, len(text))
        may_be = prefix.take(text[:cut]) and prefix.take(text[cut:])
        if is_taken(_json.read, text):
            taken += 1
            assert may_be or text.lstrip(b" \t\r\n")[:1] != b"{"
        refused += not may_be
    assert refused > 1000
    assert taken > 100
    for text in texts:
        assert all(_native.JsonPrefix().take(text[:end]) for end in range(len(text) + 1))


@pytest.mark.parametrize("begin", [b"", b"{"])
def test_white_space_without_an_end_is_refused(begin):
    prefix = _native.JsonPrefix()
    assert prefix.take(begin + b"\n" * (1 << 16))
    assert not prefix.take(b" ")

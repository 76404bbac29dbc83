"""The table of all languages and the glossary's words agree with the sources, and the checks find what does not."""

import pathlib
import re
import sys

import pytest

import merklize

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import check_words  # noqa: E402
import public_names  # noqa: E402
import surfaces  # noqa: E402


def test_the_table_agrees_with_the_sources():
    assert surfaces.faults() == []
    assert surfaces.page() == surfaces.PAGE.read_text()


@pytest.mark.parametrize(
    ("cells", "fault"),
    [
        (
            ("merge(hash, left)", "", "", "", ""),
            "a thing, Python: merge(hash, left): its arguments stand in another order",
        ),
        (
            ("", "merge(hash, left)", "", "", ""),
            "a thing, C++: merge(hash, left): its arguments stand in another order",
        ),
        (("", "", "merklize_hush(data)", "", ""), "a thing, C: merklize_hush(data): no such name"),
        (("", "", "", "MerkleTree::prove(leaf)", ""), "a thing, Rust: MerkleTree::prove(leaf): no argument leaf"),
        (
            ("hash(data)", "", "", "", "hashFile(source)"),
            "a thing, JavaScript: hashFile(source): another name than hash(data)",
        ),
        (
            ("", "", "", "", "verify(root, proof)"),
            "a thing, JavaScript: verify(root, proof): its arguments stand in another",
        ),
    ],
)
def test_what_the_table_finds(monkeypatch, cells, fault):
    monkeypatch.setattr(surfaces, "SUBJECTS", {"Subject": [surfaces.Row("a thing", "", cells)]})
    monkeypatch.setattr(surfaces, "DEVIATIONS", {})
    monkeypatch.setattr(surfaces, "OTHER_NAMES", {})
    (found,) = surfaces.faults()
    assert found.startswith(fault)


def test_a_mended_deviation_is_found(monkeypatch):
    monkeypatch.setitem(surfaces.DEVIATIONS, ("one message", "Python"), "none")
    assert surfaces.faults() == ["one message, Python: listed as a deviation, and there is none"]


def test_a_mended_name_is_found(monkeypatch):
    monkeypatch.setitem(surfaces.OTHER_NAMES, ("one message", "C"), "none")
    assert surfaces.faults() == ["one message, C: listed as another name, and it is none"]


def test_a_deviation_is_shown_as_it_is_declared():
    assert (
        surfaces.as_declared("f(proof, root, leaf)", [["proof"], ["root", "leaf", "proof"]]) == "f(root, leaf, proof)"
    )


@pytest.mark.parametrize("language", public_names.FILES)
def test_words_of_public_names(language):
    names = public_names.names(language)
    assert len(names) > 100
    assert list(check_words.faults(language, names)) == []


def test_words_of_headings():
    assert [fault for path, lines in check_words.headings() for fault in check_words.faults(path, lines)] == []


@pytest.mark.parametrize(
    "name", ["hash_records", "hashRecords", "RecordHash", "MERKLIZE_RECORD", "A record and its hash"]
)
def test_a_forbidden_word_is_found(name):
    (fault,) = check_words.faults("docs/page.md", [name])
    assert fault == f"docs/page.md: 'record' in {name}: the glossary says message or row"


def test_an_exception_without_a_name_is_found(monkeypatch):
    monkeypatch.setitem(check_words.EXCEPTIONS, "Rust", {"piece": "a reason"})
    assert list(check_words.faults("Rust", ["hash"])) == [
        "Rust: piece is listed as an exception, and there is no such name"
    ]


def test_the_typed_program_uses_all_names_at_the_top():
    text = (ROOT / "python/tests/typed_surface.py").read_text()
    assert set(merklize.__all__) - set(re.findall(r"\bmerklize\.(\w+)", text)) == set()

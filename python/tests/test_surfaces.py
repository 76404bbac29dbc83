"""The table of all languages and the glossary agree with the sources, and the checks find any difference."""

import pathlib
import re
import subprocess
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


@pytest.mark.parametrize(
    ("command", "fault"),
    [
        ("hush(FILE)", ": hush(FILE): another name than hash(data)"),
        ("tree hash(FILE)", ": tree hash(FILE): no such name"),
        ("hash(FILE, --lenght)", ": hash(FILE, --lenght): no argument --lenght"),
        ("hash(TREE)", ": hash(TREE): no argument TREE"),
    ],
)
def test_what_the_table_finds_of_the_command(monkeypatch, command, fault):
    row = surfaces.Row("a thing", "", ("hash(data)", "", "", "", ""), command)
    monkeypatch.setattr(surfaces, "SUBJECTS", {"Subject": [row]})
    monkeypatch.setattr(surfaces, "DEVIATIONS", {})
    monkeypatch.setattr(surfaces, "OTHER_NAMES", {})
    assert surfaces.faults()[0].startswith("a thing, command" + fault)


def test_commands_are_those_of_the_help():
    """The reader of the command's table finds the same options as the program."""
    found = public_names.signatures("command")
    for name in ("hash", "tree build", "tree verify", "manifest create", "bao decode"):
        (arguments,) = found[name]
        shown = subprocess.run(
            [sys.executable, "-m", "merklize", *name.split(), "--help"], capture_output=True, text=True, check=True
        ).stdout
        options = set(re.findall(r"^  (?:-\w, )?(--[\w-]+)", shown, re.MULTILINE)) - {"--help", "--version"}
        assert {one for one in arguments if one.startswith("--")} == options, name


def test_a_changed_default_is_found(monkeypatch):
    changed = surfaces.Default("a thing", "5", {"C++": ("include/merklize/hash.hpp", "std::uint64_t seek = 5")})
    monkeypatch.setattr(surfaces, "DEFAULTS", [changed])
    assert surfaces.faults() == [
        "default of a thing, C++: include/merklize/hash.hpp no longer says 'std::uint64_t seek = 5'"
    ]


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
    assert len(names) > (50 if language == "command" else 100)
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

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

PAGE = surfaces.PAGE.read_text()


def page(*cells):
    """A page of one row: its languages and their calls."""
    lines = [f"| {'' if k else '**a thing**'} | {language} | `{call}` |" for k, (language, call) in enumerate(cells)]
    return "\n".join(["## Subject", "", "| what | language | name |", "|---|---|---|", *lines])


def test_the_table_agrees_with_the_sources():
    assert surfaces.faults(PAGE) == []
    assert sum(map(len, surfaces.tables(PAGE).values())) > 300


@pytest.mark.parametrize(
    ("language", "call", "fault"),
    [
        ("Python", "merge(hash, left)", "its arguments stand in another order"),
        ("C++", "merge(hash, left)", "its arguments stand in another order"),
        ("C", "merklize_hush(data)", "no such name"),
        ("Rust", "MerkleTree::prove(leaf)", "no argument leaf"),
        ("JavaScript", "verify(root, proof)", "its arguments stand in another order"),
        ("command", "tree hash FILE", "no such name"),
        ("command", "hash FILE --lenght", "no argument --lenght"),
        ("command", "hash TREE", "no argument TREE"),
    ],
)
def test_what_the_table_finds(language, call, fault):
    (found,) = [one for one in surfaces.faults(page((language, call))) if "another name" not in one]
    assert found.startswith(f"a thing, {language}: {call}: {fault}")


@pytest.mark.parametrize(("language", "call"), [("JavaScript", "hashFile(source)"), ("command", "tree show TREE")])
def test_another_name_is_found(language, call):
    assert surfaces.faults(page(("Python", "hash(data)"), (language, call))) == [
        f"a thing, {language}: {call}: another name than hash(data)"
    ]


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


def changed(old, new):
    assert PAGE.count(old) == 1
    return surfaces.faults(PAGE.replace(old, new))


def test_a_changed_default_is_found():
    assert changed("<code>std::uint64_t seek = 0</code>", "<code>std::uint64_t seek = 5</code>") == [
        "default of where the output begins, C++: include/merklize/hash.hpp no longer says 'std::uint64_t seek = 5'"
    ]


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("`merge(left, right, hash, out)` | an", "`merge(left, right, out, hash)` | an", "and it is none"),
        ("`merge(left, right, hash, out)` | an", "`merge(left, right, out)` | an", "and there is no such line"),
    ],
)
def test_a_mended_order_is_found(old, new, fault):
    assert changed(old, new) == [f"the 2-to-1 hash, C++: listed as another order, {fault}"]


@pytest.mark.parametrize(
    ("line", "fault"), [("one message | C", "and it is none"), ("no thing | C", "and there is no such line")]
)
def test_a_mended_name_is_found(line, fault):
    assert surfaces.faults(PAGE + f"| {line} | none |\n") == [
        f"{line.replace(' |', ',')}: listed as another name, {fault}"
    ]


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

"""scripts/check_english.py finds what its rules say, in sentences, comments and help, and nothing in other code."""

import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import check_english  # noqa: E402


def found(name, text):
    return list(check_english.faults(pathlib.Path(name), text))


@pytest.mark.parametrize(
    "text",
    [
        "Who has the turn reads.\n",
        "The same for who reads the file.\n",
        "A form that there is not is an error.\n",
        "It begins anew.\n",
        "Whoever verifies must know the size.\n",
        "A lone node goes up as it is.\n",
        "A killed build is taken up again.\n",
        "A file that replaces another one is synced.\n",
        "Data stays there, and then the CPU it is.\n",
        "It holds for one; two; three; four; five.\n",
    ],
)
def test_pages(text):
    (fault,) = found("docs/page.md", f"# Page\n\nA good sentence.\n\n{text}")
    assert fault.startswith("docs/page.md:5: ")
    assert not found("docs/page.md", f"```text\n{text}```\n")


def test_wide_lines_of_pages():
    wide = "word " * 25
    (fault,) = found("page.md", f"# Page\n\n- {wide}\n")
    assert fault.startswith("page.md:3: ")
    for text in (
        f"# {wide}\n",
        f"| {wide} |\n",
        f"```text\n{wide}\n```\n",
        f"<!-- a.py begins -->\n{wide}\n<!-- a.py ends -->\n",
    ):
        assert not found("page.md", text + "\nA good sentence.\n")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.cpp", "int x;  // who cares\nint y;  // of who waits\n"),
        ("a.hpp", "/// One line,\n/// then by who\n/// reads it.\nint x;\n"),
        ("a.c", "/* A form that\n * there is not */\n"),
        ("a.py", '"""Begin anew."""\n'),
        ("a.py", "x = 1  # of who waits\n"),
        ("src/command/a.cpp", '    .help = "Begin "\n        "an"\n        "ew.",\n'),
        ("a.rs", "/// # Errors A file that is not there.\n"),
    ],
)
def test_comments(name, text):
    assert len(found(name, text)) == 1


def test_what_is_no_fault():
    assert not found(
        "page.md", "| a; b; c; d; e | of who |\n\nWho is it? Code `of who` and a list:\n\n- one; two\n- three; four\n"
    )
    assert not found("a.cpp", 'const char* anew = "simply";\n')


def test_the_repository():
    assert check_english.main([]) == 0


def test_wide_comments():
    wide = "a " * 60
    assert found("src/a.cpp", f"// {wide}\n") == ["src/a.cpp:1: 123 columns: wrap it at 120"]
    assert not found("src/a.cpp", f"// {wide[:-4]}\nint a;  // {wide}\n")
    assert found("web/js/a.js", f"a({'b, ' * 60});\n") == ["web/js/a.js:1: 184 columns: wrap it at 120"]

"""The examples of the tutorial and the how-to pages, run as they stand: their output is what the pages say."""

import os
import pathlib
import re
import shlex
import subprocess
import sys

import pytest

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
PAGES = ["index.md", "tutorial.md"]
PAGES += [f"how-to/{name}.md" for name in ("matrix", "disk-image", "verify-elsewhere", "choose", "kernel")]


def blocks(page):
    """(language, text) of each example, in order."""
    text = (DOCS / page).read_text()
    return re.findall(r"^```(python|console)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def run(arguments, folder):
    done = subprocess.run(arguments, cwd=folder, env=os.environ, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


@pytest.mark.parametrize("page", PAGES)
def test_examples(page, tmp_path):
    """Consoles first, in one folder; then all Python of the page in one session there."""
    shell = f'merklize() {{ {shlex.quote(sys.executable)} -m merklize "$@"; }}\n'
    examples = blocks(page)
    consoles = "".join(text for language, text in examples if language == "console").splitlines()
    if consoles:
        commands = "\n".join(line[2:] for line in consoles if line.startswith("$ "))
        assert run(["bash", "-euc", shell + commands], tmp_path) == [x for x in consoles if not x.startswith("$ ")]
    code = "\n".join(text for language, text in examples if language == "python")
    if code:
        run_and_compare(code, tmp_path)
    assert consoles or code


def run_and_compare(code, folder):
    """All prints of the code say what stands behind them."""
    expected = re.findall(r"^ *print\(.*\)\s+# (.*)$", code, re.MULTILINE)
    assert len(expected) == code.count("print(") > 0
    assert run([sys.executable, "-c", code], folder) == expected

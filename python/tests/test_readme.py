"""The examples of README.md, run as they stand: their output is what the page says."""

import pathlib
import re
import shlex
import subprocess
import sys

README = (pathlib.Path(__file__).resolve().parents[2] / "README.md").read_text()


def block(language):
    blocks = re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    return blocks[-1]


def test_python():
    code = block("python")
    expected = re.findall(r"^print\(.*\)\s+# (.*)$", code, re.MULTILINE)
    assert len(expected) == code.count("print(") == 2
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == expected


def test_command_line(tmp_path):
    lines = block("console").splitlines()
    commands = [line[2:] for line in lines if line.startswith("$ ")]
    assert len(commands) == 5
    this = f'merklize() {{ {shlex.quote(sys.executable)} -m merklize "$@"; }}\n'
    done = subprocess.run(
        ["bash", "-euc", this + "\n".join(commands)], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == [line for line in lines if not line.startswith("$ ")]


def test_length():
    assert len(README.splitlines()) <= 90

"""What lies on PATH decides nothing: old and lying programs are not taken as judges."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import judges
from waiting import HANG

OLD = "#!/bin/sh\necho 'tool 0.1.2'\n"
SILENT = "#!/bin/sh\nexit 0\n"
FAILING = "#!/bin/sh\necho 99.0.0\nexit 3\n"
LYING = "#!/bin/sh\n[ \"$1\" = --version ] && echo 'tool {version}' || echo 0000000000000000\n"
NO_PROGRAM = "not a program\n"


def plant(folder, text):
    folder.mkdir()
    for name, judge in judges.JUDGES.items():
        path = folder / name
        path.write_text(text.replace("{version}", ".".join(map(str, judge.least))))
        path.chmod(0o755)
    return folder


@pytest.mark.parametrize("name", judges.JUDGES)
@pytest.mark.parametrize("text", [OLD, SILENT, FAILING, NO_PROGRAM, LYING])
def test_planted_programs_are_no_judges(tmp_path, monkeypatch, name, text):
    judge = judges.JUDGES[name]
    folder = plant(tmp_path / "planted", text)
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setattr(judges, "SYSTEM_FOLDERS", str(folder))
    if judge.variable:
        assert judges.find.__wrapped__(name) == ("", f"{judge.variable} does not name a b3sum of version 1.8.7")
        monkeypatch.setenv(judge.variable, str(folder / name))
    program, why = judges.find.__wrapped__(name)
    assert program == ""
    assert str(folder / name) in why


def test_the_system_s_program_judges_behind_a_planted_one(tmp_path, monkeypatch):
    nm, _ = judges.find("nm")
    if not nm:
        pytest.skip("no nm")
    monkeypatch.setenv("PATH", str(plant(tmp_path / "planted", OLD)))
    assert judges.find.__wrapped__("nm") == (str(Path("/usr/bin/nm")), "")


def test_the_suites_beside_planted_programs(tmp_path):
    """The tests that have judges pass or skip, whatever PATH has."""
    folder = plant(tmp_path / "planted", LYING)
    (folder / "bao").write_text(SILENT)
    (folder / "openssl").write_text(SILENT)
    done = subprocess.run(
        [
            sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", "-p", "no:cacheprovider",
            "-k", "b3sum or own_program or veritysetup or completions or shell or zsh or exports",
            *(Path(__file__).with_name(f"test_{name}.py") for name in
              ("cli", "cli_check", "cli_b3sum", "cli_hash", "formats", "check_verity", "exports")),
        ],
        env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"},
        capture_output=True, text=True, timeout=HANG, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-5000:]
    assert " passed" in done.stdout

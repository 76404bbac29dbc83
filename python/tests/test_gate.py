""".ci/steps.py: a run is green only if every step ran and held."""

import ctypes
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from waiting import HANG

STEPS = Path(__file__).parents[2] / ".ci" / "steps.py"


def gate(folder, *lines, **more):
    return subprocess.run(
        [sys.executable, STEPS, folder / "times.json"],
        input="\n".join(lines), capture_output=True, text=True, timeout=HANG, check=False, **more,
    )  # fmt: skip


def times(folder):
    return json.loads((folder / "times.json").read_text())


def verdicts(folder):
    return {step["name"]: step["verdict"] for step in times(folder)["steps"]}


def test_a_whole_run_is_green(tmp_path):
    done = gate(tmp_path, "# a comment", "first  echo '12 passed, 3 skipped in 1.00s'", "", "second true && true")
    assert (done.returncode, verdicts(tmp_path)) == (0, {"first": "ok", "second": "ok"})
    assert times(tmp_path)["is_whole"] is True
    assert times(tmp_path)["steps"][0]["tests"] == {"passed": 12, "failed": 0, "skipped": 3}
    assert "green: every step ran and held" in done.stdout


@pytest.mark.parametrize(
    ("command", "verdict"),
    [
        ("false", "FAILED"),
        ("false | true", "FAILED"),
        ("kill -9 $$", "FAILED"),
        ("/nowhere/program", "FAILED"),
        ("exit 77", "not run"),
    ],
)
@pytest.mark.parametrize("place", range(3))
def test_one_step_makes_it_red(tmp_path, command, verdict, place):
    lines = [f"step{i} {command if i == place else 'true'}" for i in range(3)]
    done = gate(tmp_path, *lines)
    assert done.returncode == 1
    assert verdicts(tmp_path) == {f"step{i}": verdict if i == place else "ok" for i in range(3)}
    assert times(tmp_path)["is_whole"] is False
    assert f"RED: step{place}" in done.stdout


@pytest.mark.parametrize("bad", ["first", "a", "b", "c", None])
def test_lanes_run_at_once_and_each_counts(tmp_path, bad):
    """Each of two lanes waits for the other one, by pipes; their steps begin after the first."""
    for pipe in ("from_a", "from_b"):
        os.mkfifo(tmp_path / pipe)
    commands = {
        "first": "echo 1 >began",
        "a": "cat began; echo a >from_a; cat from_b",
        "b": "cat began; cat from_a; echo b >from_b",
        "c": "true",
    }
    lines = [f"{name} {'' if name != bad else 'trap false EXIT; '}{command}" for name, command in commands.items()]
    done = gate(tmp_path, lines[0], "lane", lines[1], "lane", *lines[2:], cwd=tmp_path)
    assert verdicts(tmp_path) == {name: "FAILED" if name == bad else "ok" for name in commands}
    assert done.returncode == (bad is not None)
    assert {"a| 1", "a| b", "b| 1", "b| a"} <= set(done.stdout.splitlines())


def test_failures_are_named_at_the_end(tmp_path):
    lines = {
        "FAILED python/tests/test_a.py::test_b[x y] - assert 1 == 2": "python/tests/test_a.py::test_b[x y]",
        "\t 96 - misuse.sycl (Failed)    long": "misuse.sycl",
        "test tests::one ... FAILED": "tests::one",
        "not ok 3 - proofs of others": "proofs of others",
        "make: *** [make/tests.mk:61: test-cpp-long] Error 8": "make/tests.mk:61: test-cpp-long",
    }
    (tmp_path / "output").write_text("".join(f"{line}\n" for line in lines))
    done = gate(tmp_path, f"first cat {tmp_path}/output; false", "second true")
    assert done.stdout.endswith(f"first: {'; '.join(lines.values())}\nRED: first\n"), done.stdout
    assert times(tmp_path)["steps"][0]["failures"] == list(lines.values())


@pytest.mark.parametrize("thread", ["that waits for lanes", "of a lane"])
@pytest.mark.parametrize("lanes", [False, True])
def test_an_interrupted_run_is_red(tmp_path, lanes, thread):
    """Whichever thread gets the signal: one that comes just before a thread waits for a lock ends no such wait."""
    began, goes_on = tmp_path / "began", tmp_path / "goes_on"
    os.mkfifo(began)
    lane = "lane\n" if lanes else ""
    lines = f"first true\n{lane}second echo > {began}; sleep {HANG}; touch {goes_on}\nthird true\n{lane}"
    with subprocess.Popen(
        [sys.executable, STEPS, tmp_path / "times.json"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as run:
        try:
            run.stdin.write(lines)
            run.stdin.close()
            began.read_text()  # waits for the second step
            others = {int(number) for number in os.listdir(f"/proc/{run.pid}/task")} - {run.pid}
            for number in others if thread == "of a lane" else [run.pid]:
                ctypes.CDLL(None).tgkill(run.pid, number, signal.SIGTERM)  # threads of lanes that are done may be gone
            said = run.stdout.read()
            assert run.wait(HANG) == 1
        finally:
            run.kill()  # or else an error above would wait for it
    assert verdicts(tmp_path) == {"first": "ok", "second": "FAILED", "third": "not run"}
    assert "RED: second, third" in said
    assert not goes_on.exists()


@pytest.mark.parametrize(
    "lines", [(), ("# nothing",), ("lane",), ("name",), ("one true", "one false"), ("one true", "lane", "one false")]
)
def test_a_list_that_is_none_is_red(tmp_path, lines):
    done = gate(tmp_path, *lines)
    assert done.returncode == 1
    assert "steps.py: " in done.stderr


@pytest.mark.parametrize(
    ("line", "passed", "failed", "skipped"),
    [
        ("97% tests passed, 3 tests failed out of 98", 95, 3, 0),
        ("100% tests passed, 0 tests failed out of 12", 12, 0, 0),
        ("100% tests passed out of 12", 12, 0, 0),  # CMake 4
        ("1 failed, 5290 passed, 20 skipped in 412.51s (0:06:52)", 5290, 1, 20),
        ("test result: ok. 16 passed; 0 failed; 2 ignored; 0 measured; 0 filtered out; finished in 1.2s", 16, 0, 2),
        ("# pass 122", 122, 0, 0),
        ("# skipped 3", 0, 0, 3),
        ("nothing of the kind", 0, 0, 0),
    ],
)
def test_closing_lines(tmp_path, line, passed, failed, skipped):
    gate(tmp_path, f"step echo '{line}'")
    assert times(tmp_path)["steps"][0]["tests"] == {"passed": passed, "failed": failed, "skipped": skipped}


@pytest.mark.parametrize("script", ["run", "nightly"])
def test_the_lists_name_targets_that_exist(script):
    """Every `make` of the two lists names targets of the Makefile, and the gate calls the README's commands."""
    text = (STEPS.parent / script).read_text()
    makefiles = [STEPS.parents[1] / "Makefile", *(STEPS.parents[1] / "scripts/make").glob("*.mk")]
    targets = {line.split(":")[0] for path in makefiles for line in path.read_text().splitlines() if ": " in line}
    commands = [line.split()[1:] for line in text.splitlines() if " make " in line and not line.startswith("#")]
    assert commands
    for _, *words in commands:
        assert {word for word in words if "=" not in word} <= targets
    if script == "run":
        assert ["make", "test"] in commands
        assert ["make", "demo"] in commands


def test_no_comma_cuts_a_text_of_make():
    """A comma inside of an argument of $(call) begins the next one, so commands after it would not run."""
    for path in (STEPS.parents[1] / "scripts" / "make").glob("*.mk"):
        for call in re.findall(r"^\t@(\$\(call needs,.*)", path.read_text(), re.MULTILINE):
            assert re.match(r"\$\(call needs,\w+,(?:[^(),]|\$\(PLONKY3\))*\);", call), (path.name, call)

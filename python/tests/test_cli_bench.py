"""`merklize bench`: rows that can be read again, answers that are checked, and what it refuses."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import merklize as library
from cli_helpers import merklize, output
from merklize.bench import measure, suites

SUITES = {
    "blake3-hash": "16",
    "blake3-merklize": "10..11",
    "rescue-hash": "8",
    "rescue-merklize": "8",
    "proofs": "10",
    "update": "10",
    "files": "16",
    "stream": "20",
}
COMPARE = Path(__file__).parents[2] / "bench" / "compare.py"


@pytest.mark.parametrize("suite", SUITES)
def test_every_suite(tmp_path: Path, suite: str, device: str) -> None:
    out = tmp_path / "rows.json"
    text = output("bench", suite, "--device", device, "--sizes", SUITES[suite], "--repeat", "2", "--json", str(out))
    (run,) = json.loads(out.read_text())
    assert (run["format"], run["device"], run["version"]) == ("merklize-bench-1", device, library.__version__)
    assert run["rows"]
    for row in run["rows"]:
        assert row["suite"] == suite
        assert row["job"] in text
        if "skipped" in row:
            continue
        assert row["rate"] > 0
        assert row["repeats"] == 2
        for name in ("kernel", "end_to_end"):
            if name in row:
                assert 0 < row[name]["min"] <= row[name]["median"] <= row[name]["max"]
        assert "kernel" in row or "end_to_end" in row


def test_every_suite_is_tested() -> None:
    assert set(SUITES) == set(suites.SUITES)


def test_policies(tmp_path: Path, device: str) -> None:
    out = tmp_path / "rows.json"
    flags = ["--device", device, "--sizes", "8", "--repeat", "1", "--json", str(out), "--hash", "rp64_256_v3"]
    output("bench", "rescue-merklize", *flags)
    names = [row["policy"] for row in json.loads(out.read_text())[0]["rows"]]
    assert names == (["tuned"] if device == "cpu" else ["approach 1", "approach 2", "approach 3", "tuned"])
    output("bench", "rescue-merklize", *flags, "--force", "--policy", "levels_per_launch=2")
    (row,) = json.loads(out.read_text())[0]["rows"]
    assert row["policy"] == "levels_per_launch=2"


def test_a_wrong_answer_is_an_error() -> None:
    job = next(suites.blake3_hash(suites.Wish("cpu", sizes=(10,))))
    good = job.expected()
    assert measure.measure(job, "cpu", 1, good)["n"] == 1024
    with pytest.raises(measure.WrongAnswer, match="blake3-hash"):
        measure.measure(job, "cpu", 1, bytes(32))


def test_plot(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    for name in ("picture.svg", "picture.png"):
        output("bench", "blake3-merklize", "--sizes", "8..10", "--repeat", "1", "--plot", str(tmp_path / name))
    assert "time of kernels, ms" in (tmp_path / "picture.svg").read_text()
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")


def test_existing_files_are_kept(tmp_path: Path) -> None:
    out = tmp_path / "rows.json"
    out.write_text("mine")
    done = merklize("bench", "blake3-merklize", "--sizes", "8", "--json", str(out))
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"--force" in done.stderr
    assert out.read_text() == "mine"


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["nothing"], 2, b"nothing"),
        (["blake3-hash", "--sizes", "5..3"], 2, b"not a size"),
        (["blake3-hash", "--sizes", "99"], 2, b"not a size"),
        (["blake3-hash", "--policy", "fast"], 2, b"tuned"),
        (["blake3-hash", "--device", "abacus:0"], 1, b"abacus"),
        (["blake3-hash", "--hash", "md5"], 1, b"md5"),
        (["blake3-hash", "--plot", "picture.doc"], 2, b".png"),
    ],
)
def test_wrong_usage(arguments: list[str], code: int, said: bytes) -> None:
    done = merklize("bench", *arguments)
    assert (done.returncode, done.stdout) == (code, b"")
    assert said in done.stderr


def test_compare(tmp_path: Path) -> None:
    before = tmp_path / "before.json"
    output("bench", "blake3-merklize", "--sizes", "8", "--repeat", "3", "--json", str(before))
    runs = json.loads(before.read_text())
    after = tmp_path / "after.json"

    def compare() -> tuple[int, dict[str, object]]:
        command = [sys.executable, COMPARE, before, after, "--json"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.returncode, json.loads(done.stdout)

    after.write_text(json.dumps(runs))
    assert compare() == (0, {"compared": 1, "changes": []})
    for factor, code in ((3.0, 1), (0.2, 0)):
        changed = json.loads(json.dumps(runs))
        times = changed[0]["rows"][0]["end_to_end"]
        times.update(
            {
                name: runs[0]["rows"][0]["end_to_end"][end] * factor
                for name, end in zip(
                    ("median", "min", "max"), ("median", "max", "max") if factor > 1 else ("min", "min", "min")
                )
            }
        )
        after.write_text(json.dumps(changed))
        found_code, found = compare()
        assert found_code == code
        assert len(found["changes"]) == 1  # type: ignore[arg-type]

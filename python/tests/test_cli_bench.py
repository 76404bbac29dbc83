"""`merklize bench`: rows that can be read again, answers that are checked, and what it refuses."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import merklize as library
from cli_helpers import merklize, output
from merklize.bench import array_merges, measure, peers, report, suites
from waiting import HANG, eventually

SUITES = {
    "blake3-hash": "16",
    "blake3-merklize": "10..11",
    "rescue-hash": "8",
    "rescue-merklize": "8",
    "sha256-merklize": "8",
    "proofs": "10",
    "update": "10",
    "files": "16",
    "hash-each": "18",
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
        assert row["job"].split(",")[0] in text  # a long name goes on in the next line
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


def test_the_table_fits_a_terminal() -> None:
    words = ("--sizes", "8,40", "--repeat", "2", "--num-threads", "1")
    text = output("bench", "rescue-merklize", "blake3-merklize", "hash-each", *words)
    assert all(len(line) <= 80 for line in text.splitlines()), text
    row = {"suite": "x", "job": "tree", "hash": "blake3", "log2": 20, "policy": "lanes=4", "unit": "bytes", "rate": 2e8}
    times = {"end_to_end": {"median": 0.0123456}}
    assert report.line(row | times, "") == (
        ("tree, blake3", "2^20", "", "", "", "12.35 ms", "200 MB/s"),
        "lanes=4",
    )
    assert report.line(row | {"skipped": "does not fit", "policy": "tuned"}, "")[1] == "skipped: does not fit"


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
        (["blake3-hash", "--device", "abacus:0"], 2, b"abacus"),
        (["blake3-hash", "--hash", "md5"], 2, b"md5"),
        (["blake3-hash", "--plot", "picture.doc"], 2, b".png"),
    ],
)
def test_wrong_usage(arguments: list[str], code: int, said: bytes) -> None:
    done = merklize("bench", *arguments)
    assert (done.returncode, done.stdout) == (code, b"")
    assert said in done.stderr


def program(path: Path, text: str) -> Path:
    path.write_text(f"#!{sys.executable}\n{text}")
    path.chmod(0o755)
    return path


def peer_rows(tmp_path: Path, *arguments: str, code: int = 0, **environment: str) -> list[dict[str, Any]]:
    out = tmp_path / "rows.json"
    out.unlink(missing_ok=True)
    words = ("bench", *arguments, "--peers", "--device", "cpu", "--repeat", "2", "--json", str(out))
    done = merklize(*words, cwd=tmp_path, env={**os.environ, **environment})
    assert done.returncode == code, done.stderr
    rows: list[dict[str, Any]] = json.loads(out.read_text())[0]["rows"]
    return [row for row in rows if "peer" in row]


def test_installed_peers(tmp_path: Path) -> None:
    rows = peer_rows(tmp_path, "blake3-hash", "--sizes", "17")
    rows += peer_rows(tmp_path, "sha256-merklize", "--sizes", "7,17", "--num-threads", "1")
    measured = [row for row in rows if "skipped" not in row]
    counts = {1, len(os.sched_getaffinity(0))}
    assert {row["threads"] for row in measured if row["peer"] == "blake3 (PyPI)"} == counts
    assert {row["threads"] for row in measured if row["peer"] != "blake3 (PyPI)"} == {1}
    assert {row["peer"]: row["same_answer"] for row in measured} == {
        "blake3 (PyPI)": True,
        "hashlib sha256": False,
        "pymerkle": True,
    }
    for row in measured:
        assert row["peer_version"]
        assert row["repeats"] == 2
        for name in ("end_to_end", "ours", "ratio"):
            assert 0 < row[name]["min"] <= row[name]["median"] <= row[name]["max"]
    (large,) = [row for row in rows if row["log2"] == 17 and row["peer"] == "pymerkle"]
    assert "at most 2^16" in large["skipped"]


def test_missing_peers(tmp_path: Path) -> None:
    rows = peer_rows(tmp_path, "blake3-merklize", "files", "--sizes", "8,15", "--num-threads", "1", PATH=str(tmp_path))
    why = {(row["peer"], row["log2"]): row["skipped"] for row in rows if "skipped" in row}
    assert "bench/peers" in why.pop(("blake3 hash_many", 8))  # once a suite
    assert "bench/peers" in why.pop(("winter-crypto", 8))
    assert "b3sum" in why.pop(("b3sum", 8))
    assert not why
    source = tmp_path / "bench" / "peers"
    source.mkdir(parents=True)
    words, named = ("blake3-merklize", "--sizes", "8", "--num-threads", "1"), {"MERKLIZE_PEERS": "bench/peers"}
    rows = peer_rows(tmp_path, *words, PATH=str(tmp_path), **named)
    assert all("cargo" in row["skipped"] for row in rows)
    program(tmp_path / "cargo", "import os, sys\nsys.exit(f'error: no network in {os.getcwd()}')")
    rows = peer_rows(tmp_path, *words, PATH=str(tmp_path), **named)
    assert all(row["skipped"] == f"cargo build failed: error: no network in {source}" for row in rows)
    rows = peer_rows(tmp_path, *words, PATH=str(tmp_path))  # the working directory's is not looked for
    assert all("MERKLIZE_PEERS must name" in row["skipped"] for row in rows)


RUST_PROGRAM = """
import json, sys
import merklize
from merklize.bench import suites
words = sys.argv[1:]
if words == ["versions"]:
    print(json.dumps({"blake3": "1.8", "winter-crypto": "0.13", "winter-crypto v1": "0.3.1"}))
    sys.exit()
given = dict(zip(words[1::2], words[2::2]))
row = {"seconds": [0.5 * float(given["--repeats"])]}
if words[0] != "rp64-merge":
    hash = {"blake3": "blake3", "rp64_256": "rp64_256_v3"}[given.get("--hash", "blake3")]
    row["root"] = merklize.merkle_root(suites.random_leaves(1 << int(given["--log2-leaves"]), hash), hash).hex()
print(json.dumps(row))
"""


def test_peers_that_are_programs(tmp_path: Path) -> None:
    """Programs that stand for the peers: they get the right arguments, and a wrong answer is an error."""
    rust = program(tmp_path / "peers", RUST_PROGRAM)
    rows = peer_rows(
        tmp_path, "blake3-merklize", "rescue-merklize", "rescue-hash", "--sizes", "6", MERKLIZE_PEERS=str(rust)
    )
    threads = 2 if len(os.sched_getaffinity(0)) > 1 else 1
    assert [(row["suite"], row["peer"]) for row in rows if row["threads"] == 1] == [
        ("blake3-merklize", "blake3 hash_many"),
        ("blake3-merklize", "winter-crypto"),
        ("rescue-merklize", "winter-crypto"),
        ("rescue-hash", "winter-crypto"),
        ("rescue-hash", "winter-crypto"),
    ]
    assert len(rows) == 5 + 3 * (threads - 1)
    assert {row["end_to_end"]["median"] for row in rows} == {0.5}
    assert [row["same_answer"] for row in rows if row["suite"] == "rescue-hash"] == [False, False]
    program(tmp_path / "b3sum", "import sys\nprint('b3sum 1.2.3' if '--version' in sys.argv else '00' * 32)")
    path = f"{tmp_path}:{os.environ['PATH']}"
    rows = peer_rows(tmp_path, "files", "--sizes", "15", "--num-threads", "1", code=1, PATH=path)
    wrong = [row for row in rows if row["peer"] == "b3sum"]
    assert [row["error"] for row in wrong] == [True, True]
    assert all("got " in row["skipped"] for row in wrong)


def test_rows_survive_ctrl_c(tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    text = f"import signal, sys\nprint('b3sum 1.2.3')\nif len(sys.argv) > 2: open({str(begun)!r}, 'w'); signal.pause()"
    program(tmp_path / "b3sum", text)
    out = tmp_path / "rows.json"
    words = ("bench", "files", "--peers", "--sizes", "15", "--repeat", "1", "--num-threads", "1", "--json", str(out))
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    with subprocess.Popen([sys.executable, "-m", "merklize", *words], stdout=subprocess.PIPE, env=environment) as run:
        eventually(begun.exists)
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=HANG)
    assert run.returncode == 130
    (measured,) = json.loads(out.read_text())
    assert [row.get("peer") for row in measured["rows"]] == [None, "blake3 (PyPI)"]


def test_merges_by_array_operations() -> None:
    leaves = suites.random_leaves(1 << 6, "blake3")
    root = array_merges.root(np, leaves.view("<i4"))
    assert root.astype("<i4").tobytes() == library.merkle_root(leaves)


def test_a_gpu_is_the_place_of_array_libraries() -> None:
    job = next(suites.blake3_merklize(suites.Wish("cpu", sizes=(6,))))
    for device, expected in (("cpu", set()), ("cuda:0", {"torch", "cupy"})):
        named = {peer.name for peer in peers.for_job(peers.all_peers(), job, device, False)}
        assert named & {"torch", "cupy"} == expected


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
        only_report = [sys.executable, COMPARE, before, after, "--only-report"]
        assert subprocess.run(only_report, stdout=subprocess.DEVNULL, check=False).returncode == 0
        assert len(found["changes"]) == 1  # type: ignore[arg-type]

"""`merklize tune`: its search, the policies that it refuses, those that it keeps, and the calls that use them."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import merklize as library
from cli_helpers import merklize, output
from merklize import _native
from merklize.bench import tune, tuned
from waiting import HANG


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A new cache folder for this process and those that it starts."""
    monkeypatch.setenv("MERKLIZE_CACHE_DIR", str(tmp_path / "cache"))
    yield tmp_path / "cache"
    _native.store_tuned_policies("cpu", [])  # and this process forgets what it has read


def winner(job: str, hash: str, log2: int, **policy: int | str) -> dict[str, Any]:
    seconds, builtin = ({"median": median, "min": median, "max": median} for median in (0.5, 1.0))
    row = {"job": job, "hash": hash, "log2": log2, "unit": tune.JOBS[job].unit}
    return row | {"policy": policy, "seconds": seconds, "builtin": builtin}


def test_walk() -> None:
    space = (("a", (1, 2, 3)), ("b", (1, 2)))
    times = {(): 10.0, (2,): 8.0, (3,): 9.0, (2, 2): 7.0, (3, 2): 5.0}
    asked: list[tuned.Policy] = []

    def seconds(policy: tuned.Policy) -> float | None:
        asked.append(policy)
        return times.get(tuple(policy.values()))

    best = [{}, {"a": 2}, {"a": 2, "b": 2}, {"a": 3, "b": 2}]
    assert [policy for policy, _ in tune.walk(space, seconds, 64)] == best
    assert len(asked) == len({str(sorted(policy.items())) for policy in asked})  # none twice
    assert [policy for policy, _ in tune.walk(space, seconds, 2)] == best[:2]
    assert [policy for policy, _ in tune.walk(space, seconds, 0)] == best[:1]
    times.clear()
    assert not [*tune.walk(space, seconds, 64)]


def test_wrong_or_failing_policies_are_disqualified() -> None:
    job = tune.job_of("tree", "blake3", 6, "cpu")
    good = job.expected()
    turns = 0

    def call(timings: object, choice: Any) -> bytes:
        nonlocal turns
        turns += 1
        if choice.policy == {"levels_per_launch": 4}:
            return bytes(32)
        if choice.policy == {"levels_per_launch": 6}:
            raise library.Unavailable("the compiler gave up\nafter a while")
        if choice.policy == {"levels_per_launch": 8} and turns % 2:
            return bytes(32)  # wrong now and then
        return good

    row = tune.tune(job._replace(host=call), "cpu", 5, 64)
    why = {tuned.text_of(tried["policy"]): tried for tried in row["tried"] if "disqualified" in tried}
    assert list(why) == ["levels_per_launch=4", "levels_per_launch=6", "levels_per_launch=8"]
    assert "the CPU says" in why["levels_per_launch=4"]["disqualified"]
    assert why["levels_per_launch=6"]["disqualified"] == "the compiler gave up"
    assert [tried["wrong"] for tried in why.values()] == [True, False, True]
    assert not set(row["policy"].values()) & {4, 6, 8}
    row = tune.tune(job._replace(host=lambda *_, choice: bytes(32)), "cpu", 5, 64)
    assert "policy" not in row
    assert "the CPU says" in row["skipped"]


def test_a_winner_is_faster_beyond_the_spread(monkeypatch: pytest.MonkeyPatch) -> None:
    job = tune.job_of("tree", "blake3", 6, "cpu")
    steady = {"median": 1.0, "min": 0.9, "max": 1.1}
    for median, wins in ((0.5, True), (0.89, True), (0.95, False), (0.99, False)):
        mine = {"median": median, "min": median, "max": median}
        monkeypatch.setattr(tune.Tuner, "against_builtin", lambda *_, mine=mine: (mine, steady))
        monkeypatch.setattr(tune, "walk", lambda *_: iter([({}, 1.0), ({"levels_per_launch": 4}, 0.5)]))
        row = tune.tune(job, "cpu", 1, 64)
        assert row["policy"] == ({"levels_per_launch": 4} if wins else {})


def test_what_is_kept_is_gone_by(cache: Path) -> None:
    leaves = np.random.default_rng(1).integers(0, 256, (1 << 10, 32), np.uint8)
    before = library.MerkleTree(leaves, device="cpu")
    levels = 2 if before.policy["levels_per_launch"] != 2 else 3
    tuned.keep("cpu", winner("tree", "blake3", 10, levels_per_launch=levels))
    tuned.keep("cpu", winner("tree", "rp64_256_v3", 20, levels_per_launch=5))
    assert [entry.policy for entry in tuned.kept("cpu")] == [{"levels_per_launch": levels}, {"levels_per_launch": 5}]
    tree = library.MerkleTree(leaves, device="cpu")
    assert tree.policy == {"levels_per_launch": levels}
    assert tree.root == before.root
    with library.tuning.options(policy={"levels_per_launch": 7}):
        assert library.MerkleTree(leaves, device="cpu").policy == {"levels_per_launch": 7}
    done = json.loads(merklize("devices", "--json").stdout)["tuned"]
    assert [(entry["job"], entry["log2"], entry["seconds"], entry["builtin_seconds"]) for entry in done] == [
        ("tree", 10, 0.5, 1.0),
        ("tree", 20, 0.5, 1.0),
    ]
    assert f"levels_per_launch={levels}".encode() in merklize("devices").stdout
    # The built-in table is faster, so the kept policy of that job and size is removed.
    tuned.keep("cpu", winner("tree", "blake3", 10))
    assert [entry.log2 for entry in tuned.kept("cpu")] == [20]
    assert library.MerkleTree(leaves, device="cpu").policy == before.policy


def test_list_and_clear(cache: Path) -> None:
    assert "Nothing is kept" in output("tune", "list")
    tuned.keep("cpu", winner("tree", "blake3", 10, levels_per_launch=3))
    tuned.keep("cpu", winner("tree", "rp64_256_v3", 20, levels_per_launch=5))
    text = output("tune", "list")
    assert re.search(r"\ncpu +tree +blake3 +10  levels_per_launch=3 +500 ms +1 s\n", text)
    assert all(len(line) <= 80 for line in text.splitlines())
    found = json.loads(output("tune", "list", "--json"))["tuned"]
    assert found == json.loads(output("devices", "--json"))["tuned"]
    assert "cpu: 2 policies forgotten" in output("tune", "clear", "--device", "cpu")
    assert json.loads(output("tune", "list", "--json")) == {"tuned": []}
    assert "cpu: 0 policies forgotten" in output("tune", "clear", "--all")


def test_it_says_what_it_will_do(cache: Path) -> None:
    words = ("tune", "--device", "cpu", "--hash", "blake3", "--sizes", "6,8", "--repeat", "2", "--policies", "3")
    text = output(*words, "--dry-run")
    plan, _, rest = text.partition("This takes about ")
    assert "2 searches, each policy measured up to 2 times:" in plan
    assert "\n  tree by blake3, 2^6, 2^8 leaves: 3 policies\n" in plan
    assert re.match(r"[0-9.e+]+ (s|ms|us) or less\. Ctrl-C keeps", rest)
    assert rest.count("tried)") == 2


def test_devices_with_all_fields(opencl: str, cache: Path) -> None:
    try:
        tuned.keep(opencl, winner("hash_rows", "rp64_256_v3", 8, constants="global", group_size=16))
        tuned.keep(opencl, winner("digest", "blake3", 16, lanes=1, group_size=16))
        assert [(entry.job, entry.log2, entry.policy) for entry in tuned.kept(opencl)] == [
            ("digest", 16, {"lanes": 1, "group_size": 16}),
            ("hash_rows", 8, {"constants": "global", "group_size": 16}),
        ]
        data = np.random.default_rng(2).bytes(1 << 16)
        assert library.hash(data, device=opencl) == library.hash(data, device="cpu")
    finally:
        _native.store_tuned_policies(opencl, [])


def test_command(tmp_path: Path, cache: Path, device: str) -> None:
    out = tmp_path / "tuned.json"
    words = ("tune", "--device", device, "--job", "tree", "--hash", "blake3", "--sizes", "6,8", "--repeat", "2")
    few = ("--policies", "2", "--json", str(out))
    done = merklize(*words, *few, "--dry-run")
    assert done.returncode == 0, done.stderr
    assert not cache.joinpath("tuned").exists()
    done = merklize(*words, *few, "--force")
    assert done.returncode == 0, done.stderr
    (run,) = json.loads(out.read_text())
    assert (run["format"], run["device"]) == ("merklize-tune-1", device)
    assert [(row["job"], row["hash"], row["log2"]) for row in run["rows"]] == [("tree", "blake3", n) for n in (6, 8)]
    won = []
    for row in run["rows"]:
        assert row["tried"][0]["policy"] == {}
        assert len(row["tried"]) == 3
        assert row["seconds"]["median"] <= row["builtin"]["median"]
        if row["policy"]:
            assert row["gain"] > 1
            won.append((row["log2"], row["policy"]))
            assert f".below = power({row['log2'] + 3})".encode() in done.stdout
        assert f"2^{row['log2']} leaves".encode() in done.stdout
    kept = json.loads(merklize("devices", "--json").stdout)["tuned"]
    assert [(entry["log2"], entry["policy"]) for entry in kept] == won


def test_the_line_for_the_table() -> None:
    cpu = library.devices()[0]
    row = winner("digest", "blake3", 26, lanes=2, group_size=64)
    evidence, line = tuned.table_line(row, cpu, "2026-01-01").splitlines()
    assert evidence.startswith(f"// {cpu.name}, {cpu.isa}, merklize {library.__version__}, 2026-01-01: digest")
    assert evidence.endswith("5e+05 us instead of 1e+06")
    assert line == (
        '{.devices = +cpu, .jobs = bit(MKZ_KERNEL_HASH_CHUNKS), .hashes = only("blake3"), .below = power(19), '
        ".fill = {.group_size = 64, .lanes = 2}, .from = power(14)},"
    )
    line = tuned.table_line(winner("merge", "rp64_256_v1", 0, constants="local"), cpu, "").splitlines()[1]
    assert ".below = power(3), .fill = {.constants = MKZ_CONSTANTS_local}, .from = power(0)}" in line


def test_the_table_is_where_the_command_says() -> None:
    table = Path(__file__).parents[2].joinpath(tuned.TABLE).read_text()
    assert "constexpr Row rows[]" in table
    for field in ("devices", "jobs", "hashes", "below", "fill", "from"):
        assert re.search(rf"\b{field}(;| = 0;)", table)
    classes = ("cpu", "nvidia_gpu", "gpu", "pocl_processor", "intel_processor")
    assert all(re.search(rf"\b{name}\b", table) for name in classes)
    assert {tuned.device_class(info) for info in library.devices()} <= set(classes)


def test_every_field_is_tried() -> None:
    fields = dict(_native.policy_fields())
    assert set(tune.TRIED) == set(fields)
    assert all(set(tune.TRIED[name]) <= set(values) for name, values in fields.items())
    assert {name for name, _ in tune.space("tree", "rp64_256_v3", "opencl:0")} == set(fields)
    assert [name for name, _ in tune.space("digest", "blake3", "opencl:0")] == ["lanes", "group_size"]


def test_ctrl_c_leaves_whole_files(tmp_path: Path, cache: Path) -> None:
    out = tmp_path / "tuned.json"
    words = ("tune", "--device", "cpu", "--hash", "blake3", "--sizes", "8,25", "--json", str(out), "--repeat", "1000")
    with subprocess.Popen([sys.executable, "-m", "merklize", *words], stdout=subprocess.PIPE, env=os.environ) as run:
        assert run.stdout is not None
        while b"2^8 leaves" not in run.stdout.readline():
            assert run.poll() is None
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=HANG)
    assert run.returncode == 130
    if out.exists():  # the line comes first
        assert [row["log2"] for row in json.loads(out.read_text())[0]["rows"]] == [8]
    assert all(entry.log2 == 8 for entry in tuned.kept("cpu"))


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ([], 2, b"--device NAME"),
        (["--device", "cpu", "--all"], 2, b"--device NAME"),
        (["clear"], 2, b"--device NAME"),
        (["lisst"], 2, b"No such command 'lisst'"),
        (["--job", "nothing"], 2, b"nothing"),
        (["--sizes", "5..3"], 2, b"not a size"),
        (["--device", "abacus:0"], 2, b"abacus"),
        (["--hash", "md5"], 2, b"md5"),
    ],
)
def test_wrong_usage(arguments: list[str], code: int, said: bytes) -> None:
    done = merklize("tune", *arguments)
    assert (done.returncode, done.stdout) == (code, b"")
    assert said in done.stderr


def test_other_refusals(tmp_path: Path) -> None:
    out = tmp_path / "tuned.json"
    out.write_text("mine")
    done = merklize("tune", "--device", "cpu", "--json", str(out))
    assert (done.returncode, done.stdout, out.read_text()) == (1, b"", "mine")
    assert b"--force" in done.stderr
    done = merklize("tune", "--device", "cpu", "--hash", "sha256_rfc6962")
    assert b"Nothing to tune of these. There are digest by blake3" in done.stdout
    nowhere = {**os.environ, "MERKLIZE_CACHE_DIR": ""}
    words = ("tune", "--device", "cpu", "--hash", "blake3", "--sizes", "6", "--policies", "0", "--repeat", "1")
    done = merklize(*words, env=nowhere)
    assert done.returncode == 1
    assert b"MERKLIZE_CACHE_DIR is empty" in done.stderr
    assert merklize(*words, "--dry-run", env=nowhere).returncode == 0

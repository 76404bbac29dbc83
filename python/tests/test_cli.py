"""The command as a whole: help, version, devices, demo, progress bars, interruption."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import merklize as library
from cli_helpers import feed_until_read, output
from merklize.cli import COMMANDS, cli
from merklize.cli.devices import why_not_writable
from merklize.cli.options import human_bytes, leaf_size_near, parse_policy, parse_size
from merklize.cli.output import sentence, table


def test_help_names_every_command() -> None:
    result = CliRunner().invoke(cli, ["--help"])
    assert result.exit_code == 0
    assert all(f"  {name} " in result.output for name in COMMANDS)
    for name in COMMANDS:
        result = CliRunner().invoke(cli, [name, "--help"])
        assert result.exit_code == 0
        assert f"Usage: cli {name}" in result.output


def test_version() -> None:
    for flag in ("--version", "-V"):
        assert CliRunner().invoke(cli, [flag]).output == f"merklize {library.__version__}\n"


def test_unknown_command() -> None:
    assert CliRunner().invoke(cli, ["bake"]).exit_code == 2


def test_click_runner_can_hash(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"abc")
    result = CliRunner().invoke(cli, ["hash", "--no-names", str(tmp_path / "a")])
    assert result.output == f"{library.hash(b'abc').hex()}\n"
    assert CliRunner().invoke(cli, ["hash", str(tmp_path / "b")]).exit_code == 1


def test_hashing_imports_neither_numpy_nor_rich() -> None:
    code = "import sys; from merklize.cli import cli; cli(['hash'], standalone_mode=False); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], input=b"abc", capture_output=True, check=True)
    assert not {"numpy", "rich", "json", "merklize.cli.check"} & set(done.stdout.decode().split())


def test_devices() -> None:
    text = output("devices")
    assert text.startswith("device ")
    assert "\ncpu " in text
    found = json.loads(output("devices", "--json"))
    (cpu,) = (device for device in found["devices"] if device["id"] == "cpu")
    assert cpu["units"] >= 1
    assert set(cpu) == set(library.DeviceInfo._fields)
    assert {device["backend"] for device in found["devices"]}.isdisjoint(found["unavailable"])
    for backend, why in found["unavailable"].items():
        assert why
        assert f"\n  {backend}: " in text


def test_where_compiled_kernels_are(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MERKLIZE_CACHE_DIR", str(tmp_path))
    assert f"\nCompiled kernels: {tmp_path}" in output("devices")
    cache = json.loads(output("devices", "--json"))["kernel_cache"]
    assert cache["folder"].startswith(str(tmp_path))
    assert cache["why_unusable"] is None
    (tmp_path / "kernels").mkdir(mode=0o777)
    (tmp_path / "kernels").chmod(0o777)
    assert "\nCompiled kernels: not kept: " in output("devices")
    assert json.loads(output("devices", "--json"))["kernel_cache"]["why_unusable"]
    monkeypatch.setenv("MERKLIZE_CACHE_DIR", "")
    assert "\nCompiled kernels: not kept: " in output("devices")
    assert json.loads(output("devices", "--json"))["kernel_cache"]["folder"] is None

    file = tmp_path / "file"
    file.write_text("")
    monkeypatch.setenv("MERKLIZE_CACHE_DIR", str(file))
    assert "\nCompiled kernels: not kept: " in output("devices")

    assert why_not_writable(str(tmp_path / "missing" / "below")) == ""
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may write anywhere
    assert why_not_writable(str(tmp_path / "missing" / "below")) == f"{tmp_path} cannot be written"


def test_demo(tmp_path: Path) -> None:
    text = output("demo")
    assert "ede5e0f06e7f756c" in text
    assert "NOT valid" not in text
    assert "WRONG" not in text

    (tmp_path / "file").write_bytes(b"abc" * 99999)
    found = json.loads(output("demo", "--json", "--device", "cpu", "--file", "file", cwd=tmp_path))
    assert found["file"] == "file"
    assert all(job["ok"] and job["device"] == "cpu" and job["seconds"] > 0 for job in found["jobs"])
    assert found["jobs"][0]["answer"] == library.hash(b"abc" * 99999).hex()


def test_demo_fails_when_an_answer_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    from merklize.cli import demo

    monkeypatch.setattr(demo, "KNOWN_ROOTS", {("blake3", 4): "00" * 32})
    result = CliRunner().invoke(cli, ["demo"])
    assert result.exit_code == 1
    assert "WRONG: tree by blake3" in result.output


def test_library_errors_are_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(**_: object) -> None:
        raise library.OutOfMemory("no memory for 7 bytes")

    monkeypatch.setattr(library, "devices", fail)
    result = CliRunner().invoke(cli, ["devices"])
    assert result.exit_code == 1
    assert result.output == "merklize: no memory for 7 bytes\n"


def test_interruption_is_quiet() -> None:
    with subprocess.Popen(
        [COMMAND, "hash"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        feed_until_read(process, b"abc")  # it waits for more now
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 130
        assert process.stderr is not None
        assert process.stderr.read() == b""


def run_on_terminal(*args: str, env: dict[str, str] | None = None) -> str:
    """What comes out when standard error is a terminal. The rest of the input takes a second to come."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [COMMAND, *args],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm", **(env or {})},
    ) as process:
        os.close(theirs)
        assert process.stdin is not None
        feed_until_read(process, b"ab")
        time.sleep(1.0)
        process.stdin.write(b"c")
        process.stdin.close()
        process.wait(20)
    try:
        return os.read(ours, 1 << 16).decode()
    except OSError:  # nothing was written
        return ""
    finally:
        os.close(ours)


def test_progress_bar_is_for_terminals_and_leaves_nothing_behind() -> None:
    drawn = run_on_terminal("hash")
    assert "hashing" in drawn
    assert "\x1b[3" in drawn  # colours
    assert drawn.endswith("\x1b[2K")  # the line is erased
    assert "\x1b[?25h" in drawn  # the cursor is back
    plain = run_on_terminal("hash", env={"NO_COLOR": "1"})
    assert "hashing" in plain
    assert "\x1b[3" not in plain
    assert run_on_terminal("hash", env={"TERM": "dumb"}) == ""


@pytest.mark.parametrize(
    ("text", "size"), [("1", 1), ("64K", 65536), ("1MiB", 1 << 20), ("2 gb", 2 << 30), ("3T", 3 << 40), ("0", 0)]
)
def test_sizes(text: str, size: int) -> None:
    assert parse_size(text) == size


def test_policies() -> None:
    def parse(*texts: str) -> object:
        return parse_policy(click.Context(cli), click.Option(["--policy"]), texts)

    assert parse() is None
    assert parse("group_size=64") == {"group_size": 64}
    assert parse("group_size=64, constants=local", "levels_per_launch=1") == {
        "group_size": 64,
        "constants": "local",
        "levels_per_launch": 1,
    }
    for wrong in ("", "group_size", "=3", "group_size=", "lanes=1,,group_size=2", "lanes=1,lanes=2"):
        with pytest.raises(click.UsageError):
            parse(wrong)


@pytest.mark.parametrize("text", ["", "K", "-1", "1.5K", "1X", "1KK", "0x10", "1e3", "\u0661", "9" * 30])
def test_what_is_no_size(text: str) -> None:
    with pytest.raises(click.UsageError):
        parse_size(text)


def test_human_bytes() -> None:
    assert [human_bytes(n) for n in (0, 1023, 1536, 1 << 20, 5 << 40, 1 << 60)] == [
        "0 bytes",
        "1023 bytes",
        "1.5 KiB",
        "1 MiB",
        "5 TiB",
        "1.049e+06 TiB",
    ]


@pytest.mark.parametrize("total", [2, 3, 5, 7, 100, 1023, 1025, 64000, 999_999_937])
@pytest.mark.parametrize("wanted", [1, 2, 1000, 1 << 40])
def test_leaf_size_near_always_gives_a_power_of_two(total: int, wanted: int) -> None:
    leaves = -(-total // leaf_size_near(total, wanted))
    assert leaves >= 2
    assert leaves & (leaves - 1) == 0


def test_table() -> None:
    assert table([("a", "bb"), ("ccc", "d")], right=" r") == "a    bb\n---  --\nccc   d"


def test_names_in_sentences_stay_on_their_line() -> None:
    assert sentence("a\nmerklize: b\x1b[2J\u2028\u00fc") == "a\\nmerklize: b\\x1b[2J\\u2028\u00fc"

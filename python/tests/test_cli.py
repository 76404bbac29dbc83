"""The command as a whole: help, version, devices, demo, progress bars, interruption."""

from __future__ import annotations

import fcntl
import importlib
import inspect
import json
import os
import pty
import re
import resource
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

import blake3
import numpy as np
import pytest

import judges
import merklize as library
from cli_helpers import COMMAND, feed_until_read, merklize, output
from merklize.bench.suites import SUITES
from waiting import HANG

COMMANDS = [
    *("hash", "tree", "bao", "fetch", "manifest", "devices"),
    *("verity", "xmss", "piece"),
    *("bench", "tune", "build-kernels", "demo", "completions"),
]
NATIVE = ["hash", "devices", "demo", "completions"]
TREE = ["build", "root", "info", "check", "diff", "prove", "verify", "update", "append", "export", "show"]


def test_help_names_every_command() -> None:
    text = output("--help")
    assert all(f"\n  {name} " in text for name in COMMANDS)
    assert all(f"\n  {name} " in output("tree", "-h") for name in TREE)
    for words in [[name] for name in NATIVE] + [["tree", name] for name in TREE]:
        assert output(*words, "--help").startswith(f"Usage: merklize {' '.join(words)} [OPTIONS]")


@pytest.mark.parametrize("columns", [60, 80, 200])
def test_help_fits_the_terminal(columns: int) -> None:
    environment = {**os.environ, "COLUMNS": str(columns)}
    for words in (["--help"], ["hash", "--help"], ["tree", "verify", "--help"]):
        lines = merklize(*words, env=environment).stdout.decode().splitlines()
        long = [line for line in lines if len(line) > min(columns, 80) and " " in line.strip().split("  ")[-1]]
        assert long == []


def test_version() -> None:
    for flag in ("--version", "-V"):
        assert output(flag) == f"merklize {library.__version__}\n"


def test_unknown_command() -> None:
    for words in (["bake"], ["tree", "bake"]):
        done = merklize(*words)
        assert (done.returncode, done.stdout) == (2, b"")
        assert b"No such command 'bake'" in done.stderr
    for words in ([], ["tree"]):
        done = merklize(*words)
        assert (done.returncode, done.stdout) == (2, b"")
        assert b"\nCommands:\n" in done.stderr


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["biuld"], ""),
        (["hahs"], "hash"),
        (["tre"], "tree"),
        (["tree", "biuld"], "build"),
        (["tree", "bake"], ""),
        (["tree", "build", "--leafsize=4K"], "--leaf-size"),
        (["tree", "build", "--leaf", "4K"], "--leaf-size"),
        (["hash", "--recursiv"], "--recursive"),
        (["hash", "--num-thread", "2"], "--num-threads"),
        (["hash", "--zzz"], ""),
        (["hash", "-z"], ""),
        (["hash", "--" + "r" * 5000], ""),
        (["bench", "files", "--siezs", "3"], "--sizes"),
    ],
)
def test_misspelt_words_get_a_hint(words: list[str], hint: str) -> None:
    done = merklize(*words)
    assert (done.returncode, done.stdout) == (2, b"")
    said = done.stderr.decode()
    assert "No such" in said
    assert ("Did you mean" in said) == bool(hint)
    assert hint in said.splitlines()[-1]


def test_threads() -> None:
    """--threads is another name of b3sum's --num-threads. If both are given, the last one counts."""
    digest = f"{library.hash(b'abc').hex()}\n"
    assert output("hash", "--no-names", "--threads", "1", stdin=b"abc") == digest
    for words in (["hash"], ["tree", "check", "none"], ["demo"], ["bench", "files"]):
        done = merklize(*words, "--threads", "x")
        assert done.returncode == 2
        assert b"'--num-threads'" in done.stderr
        assert b"number in plain digits" in done.stderr


def test_errors_in_json(tmp_path: Path) -> None:
    """The JSON has the error in place of an answer, and standard error has it as always."""
    url = "file:///nothing/here"
    for words, code, said in [
        (["tree", "info", "none"], 1, "none: No such file or directory"),
        (["tree", "check", "none", "--num-threads", "x"], 2, "'x' is not a number"),
        (["manifest", "diff", "a", "b"], 1, "No such file"),
        (["tree", "info", "none", "extra"], 2, "unexpected extra argument"),
        (["tree", "info", url], 1, "nothing/here"),
        (["hash", "--json", "--raw"], 2, "--json excludes"),
        (["fetch", "http://host/x", "--root", "12", "--outboard", "o"], 2, "'12' is not 64 hexadecimal digits"),
        (["fetch", "http://host/x", "--root", "00" * 32, "--outboard", "none"], 1, "none: No such file or directory"),
        (["build-kernels", "--device", "cpu", "--clang", "cat", "--llvm-spirv", "cat"], 1, "cpu is none"),
    ]:
        done = merklize(*words, "--json", cwd=tmp_path)
        assert done.returncode == code
        assert said in json.loads(done.stdout)["error"]
        assert said in done.stderr.decode()
    assert merklize("tree", "info", "none").stdout == b""
    done = merklize("tree", "info", "--", "--json")  # the name of a file
    assert done.stdout == b""


def test_as_a_module(tmp_path: Path) -> None:
    run = [sys.executable, "-m", "merklize"]
    done = subprocess.run([*run, "hash", "--no-names"], input=b"abc", capture_output=True, check=True)
    assert done.stdout.decode() == f"{library.hash(b'abc').hex()}\n"
    without_program = {**os.environ, "MERKLIZE_COMMAND": str(tmp_path / "none"), "PATH": ""}
    for words in (
        ["--version"],
        ["hash", "none"],
        ["tree", "--help"],
        ["hash", "--oops"],
        ["tree", "info", "x", "--json"],
    ):
        found = subprocess.run([*run, *words], env=without_program, capture_output=True, check=False)
        known = merklize(*words)
        assert (found.returncode, found.stdout, found.stderr) == (known.returncode, known.stdout, known.stderr)


def test_python_has_the_other_commands(tmp_path: Path) -> None:
    environment = {**os.environ, "MERKLIZE_PYTHON": sys.executable}
    done = merklize("bench", "--help", env=environment)
    assert done.returncode == 0
    assert done.stdout.startswith(b"Usage: merklize bench")
    assert merklize("bench", "no-such-suite", env=environment).returncode == 2

    missing = merklize("bench", "files", env={**os.environ, "MERKLIZE_PYTHON": str(tmp_path / "none")})
    assert missing.returncode == 1
    assert b"bench is a command of the Python package" in missing.stderr
    assert missing.stderr.count(b"\n") == 1
    bare = tmp_path / "python"  # one without the package
    bare.write_text(f'#!/bin/sh\nexec {sys.executable} -S -I "$@"\n')
    bare.chmod(0o755)
    bare_run = merklize("tune", env={**os.environ, "MERKLIZE_PYTHON": str(bare)})
    assert bare_run.returncode == 1
    assert b"pip install merklize (" in bare_run.stderr
    assert b"Traceback" not in bare_run.stderr


@pytest.mark.parametrize("name", ["bench", "tune", "tune list", "tune clear", "build-kernels", "fetch"])
def test_python_s_commands_ask_for_the_options_of_the_table(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The scripts offer exactly the options in --help."""
    module = importlib.import_module(f"merklize.cli.{name.partition(' ')[0].replace('-', '_')}")
    asked = set(re.findall(r'(?:has|count|size|digest|values?)\((?:command, )?"([a-z-]+)"', inspect.getsource(module)))
    asked |= {"force"} if "require_new(" in inspect.getsource(module) else set()
    lines = [
        output(*line.split(), "--help") for line in ({"tune", "tune list", "tune clear"} if "tune" in name else {name})
    ]
    shown = {option for text in lines for option in re.findall(r"^  (?:-\w, )?--([\w-]+)", text, re.MULTILINE)}
    assert asked == shown - {"help"}


def test_the_package_needs_numpy_alone(tmp_path: Path) -> None:
    for package in (library, np):
        folder = Path(package.__file__).parent
        for part in folder.parent.glob(f"{folder.name}*"):
            (tmp_path / part.name).symlink_to(part)
    code = """if True:
        import importlib, pkgutil, sys, merklize
        # _types is for type checkers; libmerklize_sycl.so, a plug-in, is no module
        extras = ("signing", "ray", "__main__", "_types", "libmerklize")
        for module in pkgutil.walk_packages(merklize.__path__, "merklize.", onerror=lambda name: None):
            if not module.name.removeprefix("merklize.").startswith(extras):
                importlib.import_module(module.name)
        from merklize.__main__ import run
        sys.exit(run(["tune", "list", "--json"]) or run(["bench", "blake3-hash", "--sizes", "10", "--repeat", "1"]))
    """
    done = subprocess.run(
        [sys.executable, "-S", "-c", code],
        env={**os.environ, "PYTHONPATH": str(tmp_path), "MERKLIZE_DEVICE": "cpu"},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b'{\n  "tuned": ')
    assert b"\ncpu: " in done.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "man"])
def test_completions(shell: str) -> None:
    text = output("completions", shell)
    for word in ("leaf-size", "recursive", "calibrate", "build-kernels"):
        assert word in text.replace("\\-", "-")
    check = {"bash": ["bash", "-n"], "zsh": ["zsh", "-n"], "fish": ["fish", "--no-execute"], "man": ["man", "-l", "-"]}
    program, _ = judges.find(check[shell][0])
    if program:
        environment = {**os.environ, "LC_ALL": "C.UTF-8", "MANROFFOPT": "-ww"}
        checked = subprocess.run(
            [program, *check[shell][1:], *([] if shell == "man" else ["/dev/stdin"])],
            input=text.encode(),
            env=environment,
            capture_output=True,
            check=True,
        )
        assert checked.stderr == b""
    done = merklize("completions", "tcsh")
    assert (done.returncode, done.stdout) == (2, b"")


def complete(shell: str, *words: str) -> set[str]:
    """The completions that a shell offers for the last word."""
    if shell == "bash":
        script = (
            'source /dev/stdin; COMP_WORDS=(merklize "$@"); COMP_CWORD=$#; _merklize; printf "%s\\n" "${COMPREPLY[@]}"'
        )
        run = [judges.find("bash")[0], "-c", script, "bash", *words]
    else:
        line = " ".join(["merklize", *words])
        run = [judges.find("fish")[0], "-c", f"source -; complete -C '{line}'"]
    text = output("completions", shell).encode()
    done = subprocess.run(run, input=text, capture_output=True, check=True)
    return {line.partition("\t")[0] for line in done.stdout.decode().splitlines() if line}


@pytest.mark.parametrize("shell", ["bash", "fish"])
def test_a_shell_completes(shell: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not judges.find(shell)[0]:
        pytest.skip(judges.find(shell)[1])
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").touch()
    rules = {"left_full", "pad", "duplicate_last", "perfect"}
    formats = {"bao", "bao_tree", "bao_tree_post"}
    for words, expected in [
        ([""], set(COMMANDS)),
        (["tree", ""], set(TREE)),
        (["bao", ""], {"outboard", "encode", "decode", "slice", "verify"}),
        (["manifest", ""], {"create", "check", "diff", "show", "refresh"}),
        (["verity", ""], {"format", "verify", "dump"}),
        (["tree", "build", "--lea"], {"--leaf-size", "--leaves"}),
        (["bao", "verify", "--o"], {"--outboard"}),
        (["bao", "encode", "--outb"], set()),
        (["hash", "--ta"], {"--tag"}),
        (["hash", "da"], {"data"}),
        (["hash", "tree", ""], {"data"}),  # a file of that name
        (["completions", ""], {"bash", "zsh", "fish", "man"}),
        (["bench", ""], {*SUITES, "all"}),
        (["bench", "files", "rescue-h"], {"rescue-hash"}),
        (["bao", "verify", "--format", ""], formats),
        (["tree", "build", "--rule", ""], rules),
        (["tree", "verify", "--hash", "sha256_c"], {"sha256_compress"}),
        (["tree", "build", "--format", "fs"], {"fs_verity"}),
        (["demo", "--device", "c"], {"cpu", "cuda"}),
        (["tree", "build", "-o", ""], {"data"}),
        (["tree", "build", "--leaf-size", ""], set()),
    ]:
        assert complete(shell, *words) == expected, words
    if shell == "bash":  # Bash makes a word of "="
        assert complete(shell, "tree", "build", "--rule", "=") == rules
        assert complete(shell, "tree", "build", "--rule", "=", "p") == {"pad", "perfect"}


@judges.needs("zsh")
def test_what_zsh_is_told() -> None:
    """Each command's function gives its own options and values; groups have a function for each of their commands."""
    text = output("completions", "zsh")
    script = "_arguments() { print -rl -- $@; }; source /dev/stdin >/dev/null; $0"

    def told(function: str) -> str:
        run = [judges.find("zsh")[0], "-f", "-c", script, function]
        return subprocess.run(run, input=text.encode(), capture_output=True, check=True).stdout.decode()

    assert "--outboard=[" in told("_merklize_bao_verify")
    assert ":NAME:(bao bao_tree bao_tree_post)" in told("_merklize_bao_verify")
    assert "--outboard=[" not in told("_merklize_bao_encode")
    assert ":RULE:(left_full pad duplicate_last perfect)" in told("_merklize_tree_build")
    assert "1:word:(bash zsh fish man)" in told("_merklize_completions")
    assert f"*:word:(all {' '.join(SUITES)})" in told("_merklize_bench")
    for group, names in {
        "": COMMANDS,
        "_tree": TREE,
        "_bao": ["outboard", "encode", "decode", "slice", "verify"],
    }.items():
        for name in names:
            assert f"{name}) _merklize{group}_{name.replace('-', '_')} ;;" in text


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


@pytest.mark.parametrize("columns", [200, 80, 70])
def test_devices_fit_into_the_terminal(columns: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("MERKLIZE_CACHE_DIR", "/proc/1/none")  # why kernels are not kept is a sentence, too
    lines = output("devices").splitlines()
    assert [line for line in lines if len(line) > columns and " " in line.strip()] == []


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

    monkeypatch.setenv("MERKLIZE_CACHE_DIR", str(tmp_path / "missing" / "below"))
    assert json.loads(output("devices", "--json"))["kernel_cache"]["why_unusable"] is None
    monkeypatch.setenv("MERKLIZE_CACHE_DIR", "/proc/1/none")  # where nobody may write, not even root
    assert "cannot be written" in json.loads(output("devices", "--json"))["kernel_cache"]["why_unusable"]


def test_demo() -> None:
    text = output("demo")
    for row in (
        "blake3  ",
        "tree by blake3  ",
        "tree by keccak256  ",
        "manifest of 64 tensors  ",
        "proof of one leaf of 65,536  ",
    ):
        assert f"\n{row}" in text
    assert "one thread" in text  # the scale
    assert "NOT" not in text
    assert "WRONG" not in text
    assert all(len(line) <= 80 for line in text.splitlines())

    found = json.loads(output("demo", "--json", "--device", "cpu"))
    assert 2 << 20 <= found["bytes"] <= 256 << 20
    assert all(job["ok"] and job["device"] == "cpu" and job["seconds"] > 0 for job in found["jobs"])
    by_blake3 = next(job for job in found["jobs"] if job["job"] == "blake3")
    data = np.frombuffer(blake3.blake3(b"leaves").digest(length=2 << 20), np.uint8).copy()
    data[7::8] &= 0x7F
    assert by_blake3["answer"] == blake3.blake3(data.tobytes()).hexdigest()
    assert by_blake3["rate"] == pytest.approx(by_blake3["bytes"] / by_blake3["seconds"])


def test_demo_with_little_memory() -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (200_000_000, 200_000_000))

    done = merklize("demo", "--json", "--device", "cpu", "--num-threads", "1", preexec_fn=limit)
    assert (done.returncode, done.stderr) == (0, b"")
    assert 2 << 20 <= json.loads(done.stdout)["bytes"] < 200_000_000


def test_demo_beside_another_device(opencl: str) -> None:
    """A processor by OpenCL is measured only if the caller names it."""
    devices = {job["device"] for job in json.loads(output("demo", "--json"))["jobs"]}
    assert opencl not in devices
    assert {job["device"] for job in json.loads(output("demo", "--json", "--device", opencl))["jobs"]} == {
        "cpu",
        opencl,
    }


def test_library_errors_are_one_line() -> None:
    done = merklize("demo", env={**os.environ, "MERKLIZE_DEVICE": "abacus"})
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.startswith(b"merklize: MERKLIZE_DEVICE: ")
    assert done.stderr.count(b"\n") == 1


@pytest.mark.parametrize("command", [[COMMAND], [sys.executable, "-m", "merklize"]], ids=["program", "module"])
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_interruption_is_quiet(command: list[str], number: int, code: int) -> None:
    with subprocess.Popen(
        [*command, "hash"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        feed_until_read(process, b"abc")  # it waits for more now
        process.send_signal(number)
        assert process.wait(HANG) == code
        assert process.stderr is not None
        assert process.stderr.read() == b""


def run_on_terminal(*args: str, until: bytes, env: dict[str, str] | None = None, columns: int = 80) -> str:
    """Run the command with a terminal as standard error. Return the output on the terminal.

    until   text that must be drawn before the rest of the input comes; empty: wait a second, in which nothing is drawn
    """
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("4H", 24, columns, 0, 0))
    drawn = b""
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
        while until not in drawn:
            assert select.select([ours], [], [], HANG)[0]
            drawn += os.read(ours, 1 << 16)
        if not until:
            time.sleep(1.0)
        process.stdin.write(b"c")
        process.stdin.close()
        process.wait(HANG)
    return (drawn + rest_of(ours)).decode()


def rest_of(terminal: int) -> bytes:
    """The unread output on a terminal, whose programs have ended."""
    drawn = b""
    try:
        while part := os.read(terminal, 1 << 16):
            drawn += part
    except OSError:  # the end of a terminal that no process has open
        pass
    finally:
        os.close(terminal)
    return drawn


def test_progress_bar_is_for_terminals_and_leaves_nothing_behind() -> None:
    drawn = run_on_terminal("hash", until=b"hashing")
    assert "\x1b[3" in drawn  # colours
    assert drawn.endswith("\x1b[2K")  # the line is erased
    assert "\x1b[?25h" in drawn  # the cursor is back
    plain = run_on_terminal("hash", until=b"hashing", env={"NO_COLOR": "1"})
    assert "\x1b[3" not in plain
    assert run_on_terminal("hash", until=b"", env={"TERM": "dumb"}) == ""


def test_progress_bar_of_a_command_of_python_s() -> None:
    ours, theirs = pty.openpty()
    drawn = b""
    with subprocess.Popen(
        [COMMAND, "tune", "--device", "cpu", "--hash", "blake3", "--sizes", "22", "--repeat", "100000", "--dry-run"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm"},
    ) as process:
        os.close(theirs)
        while b"tuning cpu" not in drawn:
            assert select.select([ours], [], [], HANG)[0]
            drawn += os.read(ours, 1 << 16)
        process.send_signal(signal.SIGINT)
        assert process.wait(HANG) == 130
    drawn += rest_of(ours)
    assert drawn.startswith(b"\x1b[?25l")
    assert drawn.endswith(b"\x1b[?25h\r\x1b[2K")


def test_a_command_of_python_s_whose_reader_has_gone() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([COMMAND, "tune", "list"], stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.parametrize("columns", [25, 40, 200])
def test_progress_bar_looks_at_the_width(columns: int) -> None:
    drawn = run_on_terminal("hash", until=b"hashing", columns=columns, env={"NO_COLOR": "1", "COLUMNS": ""})
    frames = re.findall(r"hashing[^\x1b\r]*", drawn)
    assert max(map(len, frames)) == min(columns - 1, len("hashing ") + 40 + len("   0%"))


def test_the_compilation_of_kernels_is_said(opencl: str, tmp_path: Path) -> None:
    (tmp_path / "data").write_bytes(bytes(5000))

    def drawn(cache: str) -> str:
        ours, theirs = pty.openpty()
        environment = {**os.environ, "TERM": "xterm", "MERKLIZE_CACHE_DIR": cache}
        subprocess.run(
            [COMMAND, "hash", "--device", opencl, tmp_path / "data"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=theirs,
            env=environment,
            check=True,
        )
        os.close(theirs)
        return rest_of(ours).decode()

    cache = str(tmp_path / "cache")
    first = drawn(cache)
    assert f"compiling kernels for {opencl} (kept for the next time)" in first
    assert first.endswith("\x1b[2K")
    assert "compiling" not in drawn(cache)
    without = drawn("")
    assert f"compiling kernels for {opencl}" in without
    assert "kept" not in without


@pytest.mark.parametrize(
    ("text", "size"), [("1", 1), ("64K", 65536), ("1MiB", 1 << 20), ("2 gb", 2 << 30), ("3T", 3 << 40), ("001", 1)]
)
def test_sizes(text: str, size: int) -> None:
    assert json.loads(output("tree", "build", "-", "--leaf-size", text, "--json", stdin=b""))["leaf_size"] == size


@pytest.mark.parametrize(
    "text", ["", "K", "-1", "1.5K", "1X", "1KK", "0x10", "1e3", "\u0661", "9" * 30, " 1", "99999999T", "0"]
)
def test_what_is_no_size(text: str) -> None:
    done = merklize("tree", "build", "-", "--leaf-size", text)
    assert (done.returncode, done.stdout) == (2, b"")


@pytest.mark.parametrize("text", ["", "group_size", "=3", "group_size=", "lanes=1,,group_size=2", "lanes=1,lanes=2"])
def test_wrong_policies(text: str) -> None:
    assert merklize("hash", "--policy", text, stdin=b"abc").returncode == 2


def test_policies() -> None:
    words = ["--policy", "group_size=64, constants=local", "--policy", "levels_per_launch=1"]
    assert output("hash", "--no-names", *words, stdin=b"abc") == f"{library.hash(b'abc').hex()}\n"


def test_names_in_sentences_stay_on_their_line() -> None:
    done = merklize("hash", "a\nmerklize: b\x1b[2J\u2028\u00fc")
    assert done.stderr.decode() == "merklize: a\\nmerklize: b\\x1b[2J\\u2028\u00fc: No such file or directory\n"


def test_options_are_not_abbreviated() -> None:
    done = merklize("hash", "--no-name", stdin=b"abc")
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"No such option '--no-name'." in done.stderr
    done = merklize("hash", "--tag=x", stdin=b"abc")
    assert done.returncode == 2
    assert b"Option '--tag' does not take a value." in done.stderr
    assert output("hash", "--no-names", "--", "-", stdin=b"abc") == f"{library.hash(b'abc').hex()}\n"

"""`merklize build-kernels`, and whether a device really runs the modules."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from merklize.cli import build_kernels

pytestmark = pytest.mark.usefixtures("spirv_tools")


@pytest.fixture(scope="module")
def spirv_tools():
    missing = [
        name
        for name in ("clang", "llvm-spirv")
        if not any(shutil.which(name + ending) for ending in build_kernels.VERSIONS)
    ]
    if missing:
        if os.environ.get("MERKLIZE_REQUIRE_RUNTIMES") == "1":
            pytest.fail(f"not on this machine: {missing}")
        pytest.skip(f"not on this machine: {missing}")


@pytest.fixture(scope="module")
def intel():
    """Intel's CPU runtime, which takes SPIR-V."""
    library = os.path.join(sys.prefix, "lib", "libintelocl.so")
    if not os.path.exists(library):
        if os.environ.get("MERKLIZE_REQUIRE_RUNTIMES") == "1":
            pytest.fail(f"{library} is not there")
        pytest.skip(f"{library} is not there")
    return library


def python(library, folder, code, *arguments):
    """Run `code` with the runtime, modules in `folder` and no cache; give what it printed."""
    settings = {"MERKLIZE_OPENCL_LIBRARY": library, "MERKLIZE_MODULES_DIR": str(folder), "MERKLIZE_CACHE_DIR": ""}
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], env={**os.environ, **settings}, capture_output=True, text=True
    )


def test_the_tools_are_of_one_version(tmp_path, monkeypatch):
    def there(*names):
        for old in tmp_path.iterdir():
            old.unlink()
        for name in names:
            (tmp_path / name).touch(mode=0o755)
        return [os.path.basename(path) for path in build_kernels.tools(None, None)]

    monkeypatch.setenv("PATH", str(tmp_path))
    assert there("clang-16", "clang-15", "clang-14", "llvm-spirv-14") == ["clang-14", "llvm-spirv-14"]
    assert there("clang", "clang-15", "llvm-spirv-15") == ["clang-15", "llvm-spirv-15"]
    assert there("clang", "llvm-spirv", "clang-15", "llvm-spirv-15") == ["clang", "llvm-spirv"]
    assert there("clang", "llvm-spirv-14") == ["clang", "llvm-spirv-14"]
    assert os.path.basename(build_kernels.tools(str(tmp_path / "clang"), None)[1]) == "llvm-spirv-14"


@pytest.mark.parametrize("path", [None, "", ":"])
def test_headers_of_the_working_directory_are_not_compiled(tmp_path, monkeypatch, path):
    """clang takes ./opencl-c-base.h before its own, and an empty entry of CPATH as the working directory."""
    clang, translator = build_kernels.tools(None, None)
    planted, made = tmp_path / "planted", tmp_path / "made"
    planted.mkdir()
    made.mkdir()
    for name in ("opencl-c-base.h", "opencl-c.h"):
        (planted / name).write_text("#error planted\n")
    (planted / "clang").symlink_to(clang)
    monkeypatch.chdir(planted)
    if path is not None:
        monkeypatch.setenv("CPATH", path)
    compiler, _ = build_kernels.tools("./clang", None)
    text = "kernel void k(global uint* a) { a[0] = 1; }"
    for program in (clang, compiler):
        assert build_kernels.compile_module(text, "k", program, translator, made)[:4] == b"\x03\x02\x23\x07"


RUN = "import sys; from merklize.__main__ import run; sys.exit(run(['build-kernels', *sys.argv[1:]]))"
HASH = "import merklize; print(merklize.hash(bytes(5000), device='opencl:0').hex())"


def test_modules_are_built_and_used(intel, tmp_path):
    built = python(intel, tmp_path, RUN, "--json")
    assert built.returncode == 0, built.stderr
    listing = json.loads(built.stdout)
    assert listing["folder"] == str(tmp_path)
    names = [module["name"] for module in listing["modules"]]
    assert any(name.startswith("mkz_hash_chunks_blake3") for name in names)
    assert any(name.startswith("mkz_merge_subtree_rp64_256_v3") for name in names)
    assert len(names) == len(set(names)) == len(list(tmp_path.iterdir()))
    assert all(module["bytes"] > 1000 for module in listing["modules"])

    expected = python(intel, tmp_path / "none", HASH)
    found = python(intel, tmp_path, HASH)
    assert expected.returncode == 0, expected.stderr
    assert found.stdout == expected.stdout

    # If each module replaces another module, no kernel is found. This shows that the device runs the modules.
    swap = """
from merklize import _native
from merklize.cli import build_kernels
import tempfile, pathlib
modules = _native.kernel_modules("opencl:0")
clang, translator = build_kernels.tools(None, None)
other = next(text for name, text in modules if name.startswith("data"))
with tempfile.TemporaryDirectory() as folder:
    spirv = build_kernels.compile_module(other, "other", clang, translator, pathlib.Path(folder))
for name, text in modules:
    _native.store_kernel_module(text, spirv)
"""
    assert python(intel, tmp_path, swap).returncode == 0
    swapped = python(intel, tmp_path, HASH)
    assert swapped.returncode != 0
    assert "mkz_hash_chunks_blake3" in swapped.stderr


def test_a_damaged_module_is_not_used(intel, tmp_path):
    assert python(intel, tmp_path, RUN, "--json").returncode == 0
    for file in tmp_path.iterdir():
        data = bytearray(file.read_bytes())
        data[-1] ^= 1
        file.write_bytes(data)
    found = python(intel, tmp_path, HASH)
    assert found.returncode == 0, found.stderr
    assert found.stdout == python(intel, tmp_path / "none", HASH).stdout


def test_errors(intel, tmp_path):
    missing = python(intel, tmp_path, RUN, "--clang", "no-clang")
    assert missing.returncode == 1
    assert "--clang: no no-clang on the PATH" in missing.stderr
    not_opencl = python(intel, tmp_path, RUN, "--device", "cpu")
    assert not_opencl.returncode == 1
    assert "cpu is none" in not_opencl.stderr

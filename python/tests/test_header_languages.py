"""Public headers in a language that they are not for: one line says so, and no page of errors follows."""

import pathlib
import shutil
import subprocess

import pytest

INCLUDE = pathlib.Path(__file__).resolve().parents[2] / "include"
COMPILERS = [name for name in ("g++", "clang++", "clang++-14") if shutil.which(name)]
HEADERS = sorted(path.name for path in (INCLUDE / "merklize").glob("*.hpp") if path.name != "sycl.hpp")
CORE = sorted(path.relative_to(INCLUDE).as_posix() for path in (INCLUDE / "merklize/core").glob("k*.h"))


def errors(compiler, language, header):
    text = f"#include <{header}>\n"
    words = [compiler, *language.split(), f"-I{INCLUDE}", "-fsyntax-only", "-Wall", "-"]
    said = subprocess.run(words, input=text, capture_output=True, text=True).stderr
    return [line for line in said.splitlines() if "error:" in line or "warning:" in line]


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("header", HEADERS)
def test_cxx17(compiler, header):
    first, stop = errors(compiler, "-xc++ -std=c++17", f"merklize/{header}")
    assert "merklize needs C++20" in first
    assert "needs_cxx20" in stop


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("header", CORE)
def test_the_core_in_c(compiler, header):
    first, stop = errors(compiler, "-xc -std=c11", header)
    assert "the core of merklize needs C++, CUDA, OpenCL C or SYCL, not C" in first
    assert "needs_cxx" in stop


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize(
    "language", ["-xc -std=c99", "-xc -std=c11", "-xc++ -std=c++11", "-xc++ -std=c++17", "-xc++ -std=c++20"]
)
def test_the_c_api_in_every_language(compiler, language):
    assert errors(compiler, language, "merklize/merklize.h") == []


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("header", ["merklize/merklize.hpp", *CORE])
def test_cxx20(compiler, header):
    assert errors(compiler, "-xc++ -std=c++20", header) == []

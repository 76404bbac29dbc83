"""`merklize build-kernels`: the kernels of an OpenCL device as SPIR-V modules, ahead of time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from merklize import Unavailable
from merklize.bench.programs import find_program
from merklize.extensions import Command, kernel_module_folder, kernel_modules, store_kernel_module

from . import one_of, read_device, value

# How the programs of one version of LLVM end.
VERSIONS = ("", *(f"-{version}" for version in range(21, 13, -1)))


def _find(given: str | None, name: str, endings: tuple[str, ...], package: str) -> str:
    for program in (given,) if given else [name + ending for ending in endings]:
        if path := find_program(program):
            return os.path.abspath(path)
    tried = given or f"{name}, {name}-21, ..."
    raise Unavailable(f"--{name}: no {tried} on the PATH; Debian has it in {package}")


def tools(clang: str | None, translator: str | None) -> tuple[str, str]:
    """Return the compiler and the translator: of one version, because a translator reads no newer bitcode."""
    endings = VERSIONS
    if clang is None and translator is None:
        both = [end for end in VERSIONS if find_program(f"clang{end}") and find_program(f"llvm-spirv{end}")]
        endings = (*both, *VERSIONS)
    return _find(clang, "clang", endings, "clang"), _find(translator, "llvm-spirv", endings, "llvm-spirv-14")


def _run(words: list[str], name: str, folder: Path) -> None:
    # clang looks for opencl-c-base.h in the working directory first: one that lies there would be in every kernel.
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=folder)
    if done.returncode != 0:
        if sys.stderr is not None:
            sys.stderr.write(done.stderr[-4000:])
            sys.stderr.flush()
        raise Unavailable(f"{name}: {Path(words[0]).name} failed ({done.returncode}); it says why above")


def compile_module(text: str, name: str, clang: str, translator: str, folder: Path) -> bytes:
    """Return SPIR-V made of OpenCL C 1.2."""
    source, bitcode, module = folder / "kernel.cl", folder / "kernel.bc", folder / "kernel.spv"
    source.write_text(text)
    # The device's own compiler optimizes; the translator knows only plain instructions.
    front_end = ["-x", "cl", "-cl-std=CL1.2", "--target=spir64", "-Xclang", "-finclude-default-header", "-emit-llvm"]
    front_end += ["-O2", "-Xclang", "-disable-llvm-passes"]
    _run([clang, *front_end, "-c", str(source), "-o", str(bitcode)], name, folder)
    _run([translator, "--spirv-max-version=1.2", str(bitcode), "-o", str(module)], name, folder)
    return module.read_bytes()


def run(command: Command) -> int:
    """See src/command/line for its options."""
    target = value(command, "target", one_of(("spirv",)), "spirv")
    device = value(command, "device", read_device, "opencl:0")
    as_json = command.has("json")
    compiler, translator = tools(command.value("clang"), command.value("llvm-spirv"))
    modules = kernel_modules(device)
    rows = []
    with tempfile.TemporaryDirectory(prefix="merklize-") as folder:
        for name, text in modules:
            spirv = compile_module(text, name, compiler, translator, Path(folder))
            store_kernel_module(text, spirv)
            rows.append({"name": name, "bytes": len(spirv)})
            if not as_json:
                command.line(f"{len(spirv):8d} bytes  {name}")
    where = kernel_module_folder()
    if as_json:
        command.line(json.dumps({"folder": where, "target": target, "device": device, "modules": rows}, indent=2))
    else:
        command.line(f"{len(rows)} modules in {where}")
    return 0

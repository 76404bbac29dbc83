"""`merklize build-kernels`: the kernels of an OpenCL device as SPIR-V modules, ahead of time."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from pathlib import Path

import click

from merklize import _native

from . import output
from .options import find_device, json_option, known

# How the programs of one version of LLVM end.
VERSIONS = ("", *(f"-{version}" for version in range(21, 13, -1)))


def _find(given: str | None, name: str, endings: tuple[str, ...], package: str) -> str:
    for program in (given,) if given else [name + ending for ending in endings]:
        if path := shutil.which(program):
            return path
    tried = given or f"{name}, {name}-21, ..."
    raise output.Failure(f"--{name}: no {tried} on the PATH; Debian has it in {package}")


def tools(clang: str | None, translator: str | None) -> tuple[str, str]:
    """Return the compiler and the translator: of one version, because a translator reads no newer bitcode."""
    endings = VERSIONS
    if clang is None and translator is None:
        both = [end for end in VERSIONS if shutil.which(f"clang{end}") and shutil.which(f"llvm-spirv{end}")]
        endings = (*both, *VERSIONS)
    return _find(clang, "clang", endings, "clang"), _find(translator, "llvm-spirv", endings, "llvm-spirv-14")


def _run(words: list[str], name: str) -> None:
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise output.Failure(f"{name}: {Path(words[0]).name} failed ({done.returncode}):\n{done.stderr[-4000:]}")


def compile_module(text: str, name: str, clang: str, translator: str, folder: Path) -> bytes:
    """Return SPIR-V made of OpenCL C 1.2."""
    source, bitcode, module = folder / "kernel.cl", folder / "kernel.bc", folder / "kernel.spv"
    source.write_text(text)
    # The device's own compiler optimizes; the translator knows only plain instructions.
    front_end = ["-x", "cl", "-cl-std=CL1.2", "--target=spir64", "-Xclang", "-finclude-default-header", "-emit-llvm"]
    _run([clang, *front_end, "-O2", "-Xclang", "-disable-llvm-passes", "-c", str(source), "-o", str(bitcode)], name)
    _run([translator, "--spirv-max-version=1.2", str(bitcode), "-o", str(module)], name)
    return module.read_bytes()


@click.command("build-kernels")
@click.option("--target", type=click.Choice(["spirv"]), default="spirv", show_default=True, help="Form of the modules.")
@click.option(
    "--device",
    default="opencl:0",
    show_default=True,
    callback=known(find_device),
    help="The device whose tuning chooses the programs.",
)
@click.option("--clang", metavar="PROGRAM", help="The compiler [default: of the translator's version].")
@click.option("--llvm-spirv", metavar="PROGRAM", help="The translator [default: the newest].")
@json_option
def command(target: str, device: str, clang: str | None, llvm_spirv: str | None, as_json: bool) -> None:
    """Compile the kernels that an OpenCL device uses to SPIR-V, ahead of time.

    Needs clang and llvm-spirv. A device that takes SPIR-V is then given these modules instead of the text, which spares
    the vendor's front end. They lie in $MERKLIZE_MODULES_DIR, else in merklize/modules of the user's data folder.
    """
    compiler, translator = tools(clang, llvm_spirv)
    modules = _native.kernel_modules(device)
    rows = []
    with tempfile.TemporaryDirectory(prefix="merklize-") as folder:
        for name, text in modules:
            spirv = compile_module(text, name, compiler, translator, Path(folder))
            _native.store_kernel_module(text, spirv)
            rows.append({"name": name, "bytes": len(spirv)})
            if not as_json:
                output.line(f"{len(spirv):8d} bytes  {name}")
    where = _native.kernel_module_folder()
    if as_json:
        output.line(json.dumps({"folder": where, "target": target, "device": device, "modules": rows}, indent=2))
    else:
        output.line(f"{len(rows)} modules in {where}")

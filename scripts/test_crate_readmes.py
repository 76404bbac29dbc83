#!/usr/bin/env python3
"""Runs each program of the crates' READMEs as a reader would: pasted into an empty crate outside of the workspace, with
the lines for Cargo.toml that the page gives, beside a folder `merklize` with this checkout. What a program prints must
be the `text` block behind it.

    test_crate_readmes.py FOLDER

Needs cargo. CARGO_TARGET_DIR and MERKLIZE_LIB_DIR save building the prover's crates and the C++ library once more.
"""

import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
CRATES = ("merklize", "merklize-plonky3", "merklize-winterfell")
LINES = re.compile(r"^```toml\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROGRAM = re.compile(r"^```rust\n(.*?)^```\n(?:\n```text\n(.*?)^```$)?", re.MULTILINE | re.DOTALL)


def paste(crate: str, folder: pathlib.Path) -> None:
    page = (ROOT / "rust" / crate / "README.md").read_text()
    (lines,), programs = LINES.findall(page), PROGRAM.findall(page)
    assert programs, f"{crate}: no programs"
    pasted = folder / f"reader-of-{crate}"
    (pasted / "src" / "bin").mkdir(parents=True)
    (pasted / "Cargo.toml").write_text(
        f'[package]\nname = "reader-of-{crate}"\nversion = "0.1.0"\nedition = "2021"\n\n[workspace]\n\n{lines}'
    )
    lock = ROOT / "rust" / "Cargo.lock"
    if lock.exists():  # the versions that are built already
        shutil.copy(lock, pasted)
    for number, (program, printed) in enumerate(programs, 1):
        name = f"{crate}-{number}"
        (pasted / "src" / "bin" / f"{name}.rs").write_text(program)
        done = subprocess.run(
            ["cargo", "run", "-q", "--release", "--bin", name], cwd=pasted, stdout=subprocess.PIPE, text=True
        )
        if done.returncode != 0 or done.stdout != printed:
            sys.exit(
                f"{crate}/README.md, program {number}: exit code {done.returncode}, prints\n{done.stdout}for\n{printed}"
            )


def main() -> None:
    folder = pathlib.Path(sys.argv[1]).resolve()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "merklize").symlink_to(ROOT)
    for crate in CRATES:
        paste(crate, folder)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Makes the files of a release from the last commit, the same bytes each time.

scripts/release.py [--dry] [--more FOLDER] --out FOLDER KIND...

    source    merklize-VERSION-source.tar.gz: the files of the commit
    sdist     the source distribution of the Python package
    wheels    manylinux wheels of the source distribution for x86-64 and AArch64, and merklize-sycl (minutes)
    crates    merklize-*.crate, without the Cargo.lock that `cargo publish` adds
    npm       the npm package
    docs      the documentation site as an archive (needs `make docs`)
    debian    Debian packages (needs debhelper; minutes), python3-merklize only where python3-nanobind is installed

Beside each crate and the npm package lies a list of its contents (SBOM, CycloneDX). NOTES.md is cut from CHANGELOG.md.
SHA256SUMS and B3SUMS have the form of sha256sum and b3sum. --more adds the files of a folder: wheels that another
Python built. --dry allows placeholders in packaging/project.toml, notes without a
date, and uncommitted changes, which stay out. `make release` has an environment with the tools.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import os
import posixpath
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable
from pathlib import Path

import identity
import sbom

ROOT = identity.ROOT
KINDS = ("source", "sdist", "wheels", "crates", "npm", "docs", "debian")
CRATES = ("merklize-sys", "merklize", "merklize-winterfell", "merklize-plonky3")
# Pages that package indexes show. There, relative links of the repository lead nowhere.
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
READMES = (
    "README.md",
    "web/README.md",
    "python/sycl_plugin/README.md",
    *(f"rust/{crate}/README.md" for crate in CRATES),
)


def run(*command: str | Path, folder: Path = ROOT, **environment: str) -> str:
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if done.returncode:
        sys.exit(f"{done.stdout}\nscripts/release.py: {' '.join(map(str, command))} failed")
    return done.stdout


def absolute_links(text: str, folder: str, address: str, version: str) -> str:
    """The page with its relative links to files of the repository replaced by addresses of that version."""

    def absolute(match: re.Match[str]) -> str:
        is_picture, label, target = match.groups()
        if re.match(r"[a-z]+:|#|/", target):
            return match[0]
        path = posixpath.normpath(posixpath.join(folder, target))
        return f"{is_picture}[{label}]({address}/{'raw' if is_picture else 'blob'}/v{version}/{path})"

    return LINK.sub(absolute, text)


def notes(changelog: str, version: str, dry: bool) -> str:
    """The first section of the changelog. It must be about the version and have a date, except in a rehearsal."""
    heading, _, rest = changelog.partition("\n## ")[2].partition("\n")
    if not dry and not re.fullmatch(rf"\[{re.escape(version)}\] - \d{{4}}-\d\d-\d\d", heading):
        sys.exit(
            f"make release: the first part of CHANGELOG.md must be '[{version}] - DATE', got '{heading}'; or set DRY=1"
        )
    return rest.split("\n## ")[0].strip() + "\n"


def packed(folder: Path, archive: Path, epoch: int) -> None:
    """A compressed tar archive of the folder: sorted, without users, with one time for all files."""

    def plain(entry: tarfile.TarInfo) -> tarfile.TarInfo:
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = ""
        entry.mtime = epoch
        entry.mode = 0o755 if entry.isdir() or entry.mode & 0o100 else 0o644
        return entry

    with (
        archive.open("wb") as raw,
        gzip.GzipFile("", "wb", mtime=0, fileobj=raw) as compressed,
        tarfile.open(fileobj=compressed, mode="w", format=tarfile.PAX_FORMAT) as tar,
    ):
        for path in (folder, *sorted(folder.rglob("*"))):
            tar.add(path, str(path.relative_to(folder.parent)), recursive=False, filter=plain)


def add(folder: Path, out: Path) -> None:
    """Copies the files of the folder to those of the release, none of which may have their names."""
    files = sorted(folder.iterdir()) if folder.is_dir() else []
    if not files:
        sys.exit(f"scripts/release.py: --more must name a folder with files, got '{folder}'")
    for file in files:
        if (out / file.name).exists():
            sys.exit(f"scripts/release.py: {file} is already among the files of the release")
        shutil.copy(file, out)


class Release:
    def __init__(self, out: Path, work: Path) -> None:
        self.out, self.work, self.facts = out, work, identity.facts()
        self.version = self.facts["version"]
        self.epoch = int(run("git", "log", "-1", "--format=%ct"))
        self.stem = f"merklize-{self.version}"
        self.original = self.export("original")
        self.tree = self.export("packages")
        for name in READMES:
            page, folder = self.tree / name, posixpath.dirname(name)
            page.write_text(absolute_links(page.read_text(), folder, self.facts["repository"], self.version))

    def export(self, name: str) -> Path:
        """A folder with the files of the commit."""
        folder = self.work / name
        folder.mkdir()
        archive = self.work / f"{name}.tar"
        run("git", "-c", "tar.umask=0022", "archive", f"--prefix={self.stem}/", "-o", archive, "HEAD")
        run("tar", "xf", archive, "-C", folder)
        return folder / self.stem

    def make(self, kind: str) -> None:
        os.environ["SOURCE_DATE_EPOCH"] = str(self.epoch)
        makers: dict[str, Callable[[], None]] = {name: getattr(self, name) for name in KINDS}
        print(f"== {kind}", flush=True)
        makers[kind]()

    def source(self) -> None:
        packed(self.original, self.out / f"{self.stem}-source.tar.gz", self.epoch)

    def web(self) -> Path:
        """The npm package, and beside it the page of `merklize tree show --html`."""
        if not (self.tree / "build/web/merklize").exists():
            run(sys.executable, "web/build.py", folder=self.tree)
        return self.tree / "build/web"

    def sdist(self) -> None:
        self.web()
        # Object files, which may be missing and differ in each build.
        shutil.rmtree(self.tree / "build/web/objects", ignore_errors=True)
        run(sys.executable, "-m", "build", "--sdist", "--no-isolation", "--outdir", self.out, ".", folder=self.tree)

    def wheels(self) -> None:
        source = self.out / f"{self.stem}.tar.gz"
        if not source.exists():
            sys.exit("scripts/release.py: wheels are built from the source distribution; name sdist before wheels")
        for machine in os.environ.get("WHEELS", "x86_64 aarch64").split():
            run(ROOT / "scripts/build_wheel.sh", machine, source, self.out)
        if os.uname().machine == "x86_64":  # Intel's runtime, which the plug-in links, is there for x86-64 alone
            run(
                sys.executable,
                "-m",
                "pip",
                "wheel",
                "-q",
                "--no-deps",
                "-w",
                self.work,
                self.tree / "python/sycl_plugin",
                LDFLAGS="-Wl,--build-id=none",  # the identifier depends on the folder of Intel's library
            )
            (plugin,) = self.work.glob("merklize_sycl-*.whl")
            run(sys.executable, "-m", "auditwheel", "repair", "--exclude", "libsycl.so.*", "-w", self.out, plugin)

    def crates(self) -> None:
        target = self.work / "cargo"
        command = ("cargo", "package", "--no-verify", "--allow-dirty", "--exclude-lockfile", "--target-dir", target)
        run(*command, folder=self.tree / "rust")
        for crate in CRATES:
            file = f"{crate}-{self.version}.crate"
            shutil.copy(target / "package" / file, self.out)
            self.contents(
                file, f"pkg:cargo/{crate}@{self.version}", sbom.of_crate(self.tree / "rust" / crate / "Cargo.toml")
            )

    def npm(self) -> None:
        run("npm", "pack", "--silent", "--pack-destination", self.out, folder=self.web() / "merklize")
        self.contents(f"{self.stem}.tgz", f"pkg:npm/merklize@{self.version}", [])

    def contents(self, file: str, purl: str, components: list[sbom.Component]) -> None:
        text = json.dumps(sbom.document(self.facts, purl, str(self.epoch), components), indent=2) + "\n"
        (self.out / f"{file}.cdx.json").write_text(text)

    def docs(self) -> None:
        site = ROOT / "build/docs"
        if not site.exists():
            sys.exit("scripts/release.py: build/docs is missing; run make docs")
        packed(site, self.out / f"{self.stem}-docs.tar.gz", self.epoch)

    def debian(self) -> None:
        folder = self.work / "debian"
        folder.mkdir()
        shutil.copytree(self.original, folder / self.stem, symlinks=True)
        # Debian's tools want it in the root.
        shutil.copytree(self.original / "packaging/debian", folder / self.stem / "debian")
        packed(self.original, folder / f"merklize_{self.version}.orig.tar.gz", self.epoch)
        # Debian 12 has not what python3-merklize is built with.
        nanobind = subprocess.run(("dpkg-query", "-W", "python3-nanobind"), capture_output=True)
        without = ["-Pnopython"] if nanobind.returncode else []
        run("dpkg-buildpackage", "-us", "-uc", *without, folder=folder / self.stem, DEB_BUILD_OPTIONS="noautodbgsym")
        for pattern in ("*.deb", "*.dsc", "*.debian.tar.*", "*.orig.tar.gz"):
            for file in folder.glob(pattern):
                shutil.copy(file, self.out)

    def lists(self) -> None:
        files = sorted(path for path in self.out.iterdir() if not path.name.endswith("SUMS"))
        sums = "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files)
        (self.out / "SHA256SUMS").write_text(sums)
        digests = subprocess.run(
            ["merklize", "hash", *(path.name for path in files)],
            cwd=self.out,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        (self.out / "B3SUMS").write_text(digests.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="+", choices=KINDS, metavar="KIND")
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--more", type=Path, metavar="FOLDER", help="a folder with files made elsewhere")
    parser.add_argument("--dry", action="store_true", help="allow placeholders: a rehearsal")
    arguments = parser.parse_args()
    known = identity.facts()
    if not arguments.dry:
        if identity.is_placeholder(known):
            sys.exit(
                "make release: the addresses in packaging/project.toml are placeholders; write the true ones, "
                "or set DRY=1"
            )
        if run("git", "status", "--porcelain"):
            sys.exit(
                "make release: the checkout has uncommitted changes, which would not be in the release; commit them"
            )
    text = notes((ROOT / "CHANGELOG.md").read_text(), known["version"], arguments.dry)
    os.umask(0o022)  # npm keeps the modes of files
    out = arguments.out.resolve()
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as work:
        release = Release(out, Path(work))
        for kind in arguments.kinds:
            release.make(kind)
        if arguments.more:
            add(arguments.more, out)
        (out / "NOTES.md").write_text(text)
        release.lists()
    size = sum(path.stat().st_size for path in out.iterdir())
    print(f"{len(list(out.iterdir()))} files, {size / 1e6:.1f} MB, in {arguments.out}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Writes the facts of packaging/project.toml (version, authors, licence, addresses) into the files that need them.

scripts/identity.py            writes them
scripts/identity.py --check    fails if a file differs
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def facts() -> dict[str, str]:
    """The keys of packaging/project.toml. Read by hand, because Python's library reads TOML only since 3.11."""
    return dict(re.findall(r'^(\w+) = "(.*)"$', (ROOT / "packaging/project.toml").read_text(), flags=re.MULTILINE))


def is_placeholder(known: dict[str, str]) -> bool:
    return any(".invalid" in known[name] for name in ("contact", "repository", "documentation"))


def places(known: dict[str, str]) -> list[tuple[str, str, str]]:
    """(file, pattern with one group, the text that the group must be)"""
    major, minor, patch = known["version"].split(".")
    found = [
        ("include/merklize/version.h", r"MERKLIZE_VERSION_MAJOR (\d+)$", major),
        ("include/merklize/version.h", r"MERKLIZE_VERSION_MINOR (\d+)$", minor),
        ("include/merklize/version.h", r"MERKLIZE_VERSION_PATCH (\d+)$", patch),
        ("include/merklize/version.h", r'MERKLIZE_VERSION_STRING "(.*)"$', known["version"]),
        ("CMakeLists.txt", r'HOMEPAGE_URL "(.*?)"', known["repository"]),
        ("rust/Cargo.toml", r'^version = "(.*)"$', known["version"]),
        ("rust/Cargo.toml", r'^merklize-sys = \{ version = "(.*?)"', known["version"]),
        ("rust/Cargo.toml", r'^merklize = \{ version = "(.*?)"', known["version"]),
        ("rust/Cargo.toml", r'^license = "(.*)"$', known["license"]),
        ("rust/Cargo.toml", r'^authors = \["(.*)"\]$', known["authors"]),
        ("rust/Cargo.toml", r'^repository = "(.*)"$', known["repository"]),
        ("rust/Cargo.toml", r'^homepage = "(.*)"$', known["documentation"]),
        ("web/package.json", r'"license": "(.*)"', known["license"]),
        ("web/package.json", r'"author": "(.*)"', known["authors"]),
        ("web/package.json", r'"url": "git\+(.*)\.git"', known["repository"]),
        ("web/package.json", r'"homepage": "(.*)"', known["documentation"]),
        (".github/CITATION.cff", r"^version: (.*)$", known["version"]),
        (".github/CITATION.cff", r"^  - name: (.*)$", known["authors"]),
        (".github/CITATION.cff", r"^repository-code: (.*)$", known["repository"]),
        (".github/CITATION.cff", r"^url: (.*)$", known["documentation"]),
        ("LICENSE", r"^Copyright \(c\) \d+ the (.*)$", known["authors"]),
        ("packaging/conda/recipe.yaml", r'^  version: "(.*)"$', known["version"]),
        ("packaging/conda/recipe.yaml", r"^  license: (.*)$", known["license"]),
        ("packaging/conda/recipe.yaml", r"^  repository: (.*)$", known["repository"]),
        ("packaging/conda/recipe.yaml", r"^  documentation: (.*)$", known["documentation"]),
        ("packaging/debian/changelog", r"\Amerklize \((.*)-1\)", known["version"]),
        ("packaging/debian/control", r"^Maintainer: (.*)$", f"{known['authors']} <{known['contact']}>"),
        ("packaging/debian/control", r"^Homepage: (.*)$", known["repository"]),
        ("packaging/debian/copyright", r"^Source: (.*)$", known["repository"]),
        ("packaging/debian/copyright", r"^Copyright: \d+ (.*)$", known["authors"]),
        ("docs/mkdocs.yml", r"^site_url: (.*)/$", known["documentation"]),
    ]
    for folder in ("", "python/sycl_plugin/"):
        found += [
            (f"{folder}pyproject.toml", r'^license = "(.*)"$', known["license"]),
            (f"{folder}pyproject.toml", r'^authors = \[\{ name = "(.*)" \}\]$', known["authors"]),
            (f"{folder}pyproject.toml", r'^Repository = "(.*)"$', known["repository"]),
            (f"{folder}pyproject.toml", r'^Changelog = "(.*)/blob/main/CHANGELOG.md"$', known["repository"]),
            (f"{folder}pyproject.toml", r'^Documentation = "(.*)"$', known["documentation"]),
        ]
    return found


def written(text: str, name: str, pattern: str, value: str) -> str:
    """The text with the value in the group of the pattern, which must match once."""
    matches = list(re.finditer(pattern, text, flags=re.MULTILINE))
    if len(matches) != 1:
        sys.exit(f"scripts/identity.py: {name} must match {pattern} once, but does {len(matches)} times")
    return text[: matches[0].start(1)] + value + text[matches[0].end(1) :]


def main() -> None:
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    texts: dict[str, str] = {}
    for name, pattern, value in places(facts()):
        texts[name] = written(texts.get(name) or (ROOT / name).read_text(), name, pattern, value)
    differing = [name for name, text in texts.items() if text != (ROOT / name).read_text()]
    if differing and sys.argv[1:]:
        sys.exit(f"not as packaging/project.toml says: {', '.join(differing)}; run scripts/identity.py")
    for name in differing:
        (ROOT / name).write_text(texts[name])


if __name__ == "__main__":
    main()

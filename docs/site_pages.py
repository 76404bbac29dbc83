"""Hook of MkDocs: pages that are not in docs/, and links that leave it.

Pages: those of the repository that READERS names, the reference of Python, of C++ and C by Doxygen, and of the command
line by its own help. A link to another file of the repository goes to a copy in the site; one to a folder becomes its
name. The foot of each page has the version and where the sources are, and the search shows guides before references.
"""

from __future__ import annotations

import logging
import os
import re
import subprocess
import sys
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from site_headers import reference_pages

import merklize

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "scripts"))

import identity

log = logging.getLogger("mkdocs.hooks.site_pages")  # with --strict its warnings are errors
DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
READERS = {
    ".github/SECURITY.md": "security.md",
    ".github/CONTRIBUTING.md": "contributing.md",
    "web/README.md": "javascript.md",
    "include/merklize/core/README.md": "core.md",
}
REFERENCE = {"include/merklize": "reference/cpp.md", "include/merklize/merklize.h": "reference/c.md"}
# The reference of Python: public names by subject, then modules. No name is left out.
SUBJECTS = {
    "Digests": "hash hash_file hash_files Hasher hash_each hash_rows hash_leaves merge HASHES",
    "Trees": "MerkleTree merkle_root build_tree TreeBuilder MerkleForest TreeFacts",
    "Trees in files": "TreeFile build_tree_file merkle_root_file TreeWriter",
    "Proofs": "verify verify_each MerkleProof MultiProof ConsistencyProof",
    "Weights": "manifest Manifest check_model",
    "Devices": "devices DeviceInfo why_unavailable DeviceArray",
    "Errors": "Error InvalidArgument FileError Mismatch Unavailable OutOfMemory Cancelled InternalError",
}
MODULES = ["prover", "formats", "bao", "manifests", "sharded", "parts", "blake3", "signing", "stores", "ray", "tuning"]
MODULES += ["xmss", "extensions"]
VERIFY = ROOT / "build/web/verify.html"

# How pages rank in the search, by the begin of their names: what users read, else pages for developers, else lists.
SEARCH = dict.fromkeys(("reference/", "benchmark-tables", "surfaces", "notes/"), 0.2)
SEARCH |= dict.fromkeys(("openssf", "inside", "decisions", "testing", "distributors", "contributing"), 1)

LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)\s#]+)(#[^)\s]*)?\)")
sources: dict[str, str] = {to: of for of, to in READERS.items()}  # page of the site: file of the repository


def commands() -> list[str]:
    """Arguments of every command, from the program's own help."""
    found, waiting = [], [""]
    while waiting:
        command = waiting.pop(0)
        found.append(command)
        listed = help_of(command).partition("Commands:\n")[2]
        waiting += [f"{command} {name}".strip() for name in re.findall(r"^  ([a-z-]+)  ", listed, re.MULTILINE)]
    return found


def help_of(command: str) -> str:
    program = os.environ.get("MERKLIZE_COMMAND", "merklize")
    environment = {**os.environ, "COLUMNS": "80"}
    arguments = [program, *command.split(), "--help"]
    return subprocess.run(arguments, capture_output=True, text=True, check=True, env=environment).stdout


def python_reference() -> str:
    listed = [name for names in SUBJECTS.values() for name in names.split()]
    public = {name for name in merklize.__all__ if name not in MODULES and not name.startswith("_")}
    if sorted(listed) != sorted(public):
        log.warning("SUBJECTS of site_pages.py: not once each: %s", ", ".join(sorted(public ^ set(listed))))
    lines = ["# Python reference", "", "All names are those of `import merklize`.", ""]
    for subject, names in SUBJECTS.items():
        lines += [f"## {subject}", ""]
        for name in names.split():
            if name == "HASHES":
                hashes = ", ".join(f"`{hash}`" for hash in merklize.HASHES)
                lines += [
                    f"### merklize.{name} {{#merklize.{name}}}",
                    "",
                    f"{hashes}: [hashes](../hashes.md) defines them.",
                    "",
                ]
            else:
                lines += [f"::: merklize.{name}", "    options:", f"      heading: merklize.{name}", ""]
    lines += ["## Modules", ""]
    lines += [f"::: merklize.{name}\n" for name in MODULES]
    return "\n".join(lines)


def with_links(markdown: str) -> str:
    """Of docs/python.md: names that begin a piece of code in a table lead to the reference."""
    names = {name for names in SUBJECTS.values() for name in names.split()} | set(MODULES)

    def link(match: re.Match[str]) -> str:
        return f"[{match[0]}](reference/python.md#merklize.{match[1]})" if match[1] in names else match[0]

    lines = markdown.split("\n")
    return "\n".join(re.sub(r"`(\w+)\b(?!=)[^`]*`", link, line) if line.startswith("| `") else line for line in lines)


def made_pages() -> dict[str, str]:
    return {
        "reference/python.md": python_reference(),
        **reference_pages(),
        "reference/command.md": "# Help of the command\n\n"
        + "\n".join(f"## merklize {name}\n\n```text\n{help_of(name)}```\n" for name in commands()),
    }


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    facts = identity.facts()
    if identity.is_placeholder(facts):
        sources = "not published yet: the sources are the checkout from which these pages were made"
    else:
        config.repo_url, config.repo_name, sources = facts["repository"], "Sources", facts["license"]
    config.copyright = f"merklize {facts['version']}, {sources}"
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    for path, text in made_pages().items():
        files.append(File.generated(config, path, content=text))
    for of, to in READERS.items():
        files.append(File.generated(config, to, content=(ROOT / of).read_text()))
    verify = files.get_file_from_path("verify.html")
    if verify is not None:
        files.remove(verify)  # its source, without the package inside
    files.append(File.generated(config, "verify.html", content=VERIFY.read_text()))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    here = page.file.src_uri
    boost = next((boost for start, boost in SEARCH.items() if here.startswith(start)), 4)
    page.meta.setdefault("search", {"boost": boost})
    if here.startswith("reference/"):
        return markdown
    if here == "python.md":
        markdown = with_links(markdown)
    home = ROOT / sources[here] if here in sources else DOCS / here

    def moved(match: re.Match[str]) -> str:
        text, to, anchor = match[1], match[2], match[3] or ""
        if re.match(r"[a-z]+:|reference/", to):
            return match[0]
        target = (home.parent / to).resolve()
        if not target.exists():
            log.warning("%s: there is no %s", here, to)
            return text
        inside = target.relative_to(ROOT).as_posix()
        if inside in READERS:
            site = READERS[inside]
        elif inside in REFERENCE:
            site = REFERENCE[inside]
        elif target.is_relative_to(DOCS):
            site = target.relative_to(DOCS).as_posix()
        elif target.is_dir() or inside == "README.md":
            return text
        else:
            site = f"repository/{inside}.txt"
            if files.get_file_from_path(site) is None:
                files.append(File.generated(config, site, content=target.read_text()))
        return f"[{text}]({os.path.relpath(site, Path(here).parent)}{anchor})"

    parts = re.split(r"(^```.*?^```$)", markdown, flags=re.MULTILINE | re.DOTALL)
    return "".join(part if part.startswith("```") else LINK.sub(moved, part) for part in parts)


def on_post_build(config: MkDocsConfig) -> None:
    """Nothing that a page loads may come from outside."""
    outside = r"""=["']?(https?:)?//"""
    loads = re.compile(
        rf"<(script|img|iframe|source)[^>]+src{outside}|<link[^>]+rel=.?(stylesheet|preconnect)[^>]+{outside}"
    )
    for path in Path(config.site_dir).rglob("*.html"):
        found = loads.search(path.read_text())
        if found:
            raise SystemExit(f"{path}: loads from outside: {found[0]}")

"""The reference of C++ and C as pages: what Doxygen reads in the headers, with their comments as they are there.

The comments have no commands of Doxygen. It gets copies of the headers, line for line, in which each comment is marked
as text to keep word for word; here the aligned lists in them become lists, as in Python's docstrings.
"""

from __future__ import annotations

import html
import re
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from mkdocs.exceptions import PluginError
from site_docstrings import listed

ROOT = Path(__file__).resolve().parent.parent
HEADERS = ROOT / "include/merklize"
WORK = ROOT / "build/doxygen"
SETTINGS = {
    "INPUT": WORK / "include/merklize",
    "RECURSIVE": "YES",
    "OUTPUT_DIRECTORY": WORK,
    "STRIP_FROM_PATH": WORK / "include/merklize",
    "PREDEFINED": "MERKLIZE_API= MERKLIZE_C_API:= __cplusplus",
    "MACRO_EXPANSION": "YES",
    "EXTRACT_ALL": "YES",
    "EXCLUDE_SYMBOLS": "merklize::runtime*",
    "SORT_MEMBER_DOCS": "NO",
    "AUTOLINK_SUPPORT": "NO",
    "GENERATE_XML": "YES",
    "GENERATE_HTML": "NO",
    "GENERATE_LATEX": "NO",
    "XML_PROGRAMLISTING": "NO",
    "QUIET": "YES",
    "WARN_AS_ERROR": "FAIL_ON_WARNINGS",
}
WIDEST = 110  # characters of a declaration in one line
C_HEADERS = ["merklize.h", *re.findall("<merklize/(c/.*)>", (HEADERS / "merklize.h").read_text()), "version.h"]
UNLISTED = ["merklize.hpp", "export.h"]
# The reference of C++: what most programs use first.
FIRST = ["hash", "hash_file", "Hasher", "MerkleTree", "build_tree"]
CPP_SUBJECTS = {
    "Digests": "hash.hpp bytes.hpp digest.hpp hash_each.hpp",
    "Trees": "tree.hpp tree_form.hpp tree_builder.hpp tree_input.hpp",
    "Proofs": "proof.hpp",
    "Trees in files": "tree_file.hpp",
    "Errors": "error.hpp",
    "Devices": "device.hpp buffer.hpp",
    "Calls that enqueue": "async.hpp",
    "Policies": "policy.hpp",
    "Rows of matrices, and commitments": "matrix.hpp extend.hpp constraints.hpp matrix_commitment.hpp poseidon.hpp",
    "Verified streaming": "bao.hpp pieces.hpp",
    "Manifests of weights": "manifest.hpp tiles.hpp",
    "Keys that sign": "xmss.hpp",
    "Formats of others": "formats.hpp file_formats.hpp dm_verity.hpp openzeppelin.hpp piece_cid.hpp xet.hpp",
    "Hashes by number": "hashes.hpp",
    "In a SYCL program": "sycl.hpp",
    "Version": "version.hpp",
}


@dataclass
class Item:
    """A declaration, or a comment or a section's title that stands alone."""

    line: int
    kind: str  # "text", "section", or Doxygen's word for a declaration
    text: str = ""  # the comment
    name: str = ""  # as a reader writes it: merklize:: is left out
    declared: str = ""  # HTML
    members: list[Item] = field(default_factory=list)  # of a class or an enum

    @property
    def anchor(self) -> str:
        return self.name.replace("::", ".").replace(" ", "")


# ---- What Doxygen reads ----------------------------------------------------------------------------------------------


def expanded(text: str) -> str:
    """Lines that macros make of an included table, as one line of what the compiler sees."""

    def seen(match: re.Match[str]) -> str:
        command = ["c++", "-E", "-P", "-x", "c++", f"-I{ROOT / 'include'}", "-"]
        made = subprocess.run(command, input=match[0], capture_output=True, text=True, check=True).stdout
        return " ".join(made.split()) + "\n" * match[0].count("\n")

    table = r"^(?:#define MKZ_.*(?:\\\n.*)*\n)+#include <merklize/(?:policy\.def|core/hashes\.h)>\n"
    return re.sub(table, seen, text, flags=re.MULTILINE)


def marked(text: str) -> tuple[str, list[Item]]:
    """The header with its comments marked for Doxygen, each line behind a bar; and the comments of no declaration."""
    lines, alone, at = text.split("\n"), [], 0
    while at < len(lines):
        first, line = at, lines[at]
        if re.match(r"\s*//", line):
            while re.match(r"\s*//", lines[at + 1]):
                at += 1
            body = [re.sub(r"^\s*///? ?", "", x) for x in lines[first : at + 1]]
        elif re.match(r"\s*/\*", line):
            while "*/" not in lines[at]:
                at += 1
            body = [re.sub(r"^\s*(/\*| \*(?!/)) ?|\s*\*/\s*$", "", x) for x in lines[first : at + 1]]
        else:  # perhaps behind a declaration
            lines[at] = re.sub(r"(///<|(?<=[^/])/\*) (.*?)(?: \*/)?$", r"/**< \\verbatim |\2 \\endverbatim */", line)
            at += 1
            continue
        if lines[at + 1].strip() and not re.match(r"#(?!define)|namespace |/\*", lines[at + 1]):
            marks = ["|" + x for x in body]
            lines[first : at + 1] = [*marks[:-1], marks[-1] + " \\endverbatim */"]
            lines[first] = "/** \\verbatim " + lines[first]
        else:
            lines[first : at + 1] = [""] * len(body)
            title = re.match(r"-+ (.*?) -+$", body[0])
            kind, body = ("section", [title[1]]) if title else ("text", body)
            alone.append(Item(first + 1, kind, "\n".join(body)))
        at += 1
    return "\n".join(lines).replace("::inline v0", ""), alone


def read() -> tuple[dict[str, list[Item]], list[Element]]:
    """Runs Doxygen: the comments that stand alone, by header, and the root elements of its XML."""
    if shutil.which("doxygen") is None:
        raise PluginError("doxygen is not found; the reference of C++ and C needs it: apt-get install doxygen")
    shutil.rmtree(WORK, ignore_errors=True)
    copies = WORK / "include/merklize"
    (copies / "c").mkdir(parents=True)
    alone = {}
    for name in [*C_HEADERS, *sorted(path.name for path in HEADERS.glob("*.hpp")), "export.h"]:
        text, alone[name] = marked(expanded((HEADERS / name).read_text()))
        (copies / name).write_text(text)
    settings = "".join(f"{name} = {value}\n" for name, value in SETTINGS.items())
    ran = subprocess.run(["doxygen", "-"], input=settings, capture_output=True, text=True)
    if ran.returncode or ran.stderr:
        raise PluginError(f"doxygen: {ran.stderr}")
    return alone, [ElementTree.parse(path).getroot() for path in sorted((WORK / "xml").glob("*.xml"))]


# ---- What it read ----------------------------------------------------------------------------------------------------


class Names:
    """Where each declaration is: by Doxygen's id and by its name."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}  # of ids
        self.places: dict[str, tuple[str, Item]] = {}  # page, and of overloads the first with a comment

    def add(self, identifier: str, item: Item, page: str) -> None:
        self.names[identifier] = item.name
        if item.name and (item.name not in self.places or (item.text and not self.places[item.name][1].text)):
            self.places[item.name] = (page, item)

    def is_place(self, item: Item) -> bool:
        return item.name in self.places and self.places[item.name][1] is item

    def place(self, name: str, page: str) -> str | None:
        """Where a link on this page to the name goes."""
        if name not in self.places:
            return None
        found, item = self.places[name]
        return ("" if found == page else found.rpartition("/")[2]) + "#" + item.anchor


def comment(element: Element) -> str:
    lines = "".join(verbatim.text or "" for verbatim in element.iterfind("detaileddescription//verbatim")).split("\n")
    return "\n".join(line.partition("|")[2].rstrip() for line in lines)


def header_of(element: Element) -> str:
    location = element.find("location")
    return "" if location is None else location.get("file", "")


def line_of(element: Element) -> int:
    location = element.find("location")
    return 0 if location is None else int(location.get("line", 0))


def source(element: Element | None, is_c: bool) -> str:
    """Text of the program with its references as \\1 id \\2 text \\3, spaced as in the headers."""
    if element is None:
        return ""
    text = element.text or ""
    for part in element:
        inside = "".join(part.itertext())
        text += f"\1{part.get('refid')}\2{inside}\3" if part.tag == "ref" else inside
        text += part.tail or ""
    text = re.sub(r"\s*<\s*(?!=)", "<", re.sub(r"\s+>", ">", " ".join(text.split())))
    return text if is_c else re.sub(r" ([&*]+)", r"\1", text)


def beside(kind: str, name: str, is_c: bool) -> str:
    is_close = not kind or not name or (kind.endswith("*") and (is_c or "(*" in kind))
    return kind + ("" if is_close else " ") + name


def parameters(member: Element, is_c: bool) -> list[str]:
    found = []
    for param in member.iterfind("param"):
        kind, name = source(param.find("type"), is_c), param.findtext("declname") or ""
        text = beside(kind, name, is_c) + (param.findtext("array") or "")
        value = source(param.find("defval"), is_c)
        found.append(text + (f" = {value}" if value else ""))
    return found


def declaration(member: Element, is_c: bool) -> str:
    """As source(): a declaration as it may stand in a program."""
    kind, name = source(member.find("type"), is_c), member.findtext("name") or ""
    ends = (member.findtext("argsstring") or "").strip()
    if member.get("kind") == "define":
        return f"#define {name} {source(member.find('initializer'), is_c)}"
    if member.get("kind") == "typedef" and not is_c:
        return f"using {name} = {kind}"
    if member.get("kind") == "typedef":
        return f"typedef {beside(kind, name, is_c)}{ends};"
    if member.get("kind") == "variable":
        value = source(member.find("initializer"), is_c)
        text = beside(kind, name, is_c) + ends
        return text + (f" {value}" if value and len(value) < 60 and not value.endswith("{}") else "")
    before = "static " if member.get("static") == "yes" else ""
    before += "explicit " if member.get("explicit") == "yes" else ""
    head = f"{before}{beside(kind, name, is_c)}("
    tail = re.sub(r"\s*=\s*", " = ", ends[ends.rfind(")") :])
    given = parameters(member, is_c)
    text = head + ", ".join(given) + tail
    if len(re.sub("\1[^\2]*\2|\3", "", text)) > WIDEST:
        text = head + "\n    " + ",\n    ".join(given) + tail
    template = member.find("templateparamlist")
    if template is not None:
        text = f"template <{', '.join(parameters(template, is_c))}>\n{text}"
    return text


def linked(text: str, names: Names, page: str) -> str:
    """source() as HTML."""

    def link(match: re.Match[str]) -> str:
        place = names.place(names.names.get(match[1], ""), page)
        return f'<a href="{place.replace(".md", ".html")}">{match[2]}</a>' if place else match[2]

    return re.sub("\1([^\2]*)\2([^\3]*)\3", link, html.escape(text, quote=False))


def items_of(roots: list[Element], pages: dict[str, str]) -> tuple[dict[str, list[Item]], Names]:
    """Declarations by header, and where each one is."""
    found: dict[str, list[Item]] = {header: [] for header in pages}
    names, texts, seen = Names(), [], set()

    def made(element: Element, name: str, text: str, into: list[Item]) -> Item:
        header = header_of(element)
        item = Item(line_of(element), element.get("kind", ""), comment(element), name.removeprefix("merklize::"))
        into.append(item)
        names.add(element.get("id", ""), item, pages[header])
        texts.append((item, text, pages[header]))
        return item

    def add(member: Element, scope: str, into: list[Item]) -> None:
        name, is_c = member.findtext("name") or "", header_of(member) in C_HEADERS
        qualified = "" if "@" in name else f"{scope}::{name}" if scope else name
        if member.get("kind") != "enum":
            made(member, qualified, declaration(member, is_c), into)
            return
        base = member.findtext("type")
        strong = "enum class" if member.get("strong") == "yes" else "enum"
        text = strong + (f" {name}" if qualified else "") + (f" : {base}" if base else "")
        item = made(member, qualified, text, into)
        for value in member.iterfind("enumvalue"):
            text = f"{value.findtext('name')} {value.findtext('initializer') or ''}".strip()
            item.members.append(Item(0, "variable", comment(value), declared=html.escape(text)))

    def is_shown(member: Element, header: str) -> bool:
        kind, name = member.get("kind"), member.findtext("name") or ""
        if header not in pages or member.get("prot") != "public" or kind == "friend":
            return False
        if kind == "define":
            return not name.startswith("MKZ_") and member.find("initializer") is not None
        return not (kind == "typedef" and name in classes)  # a struct of C

    def is_copy_or_move(member: Element, name: str) -> bool:
        return not comment(member) and member.findtext("name") in (name, f"~{name}", "operator=")

    compounds = [compound for root in roots for compound in root.iterfind("compounddef")]
    classes = {c.findtext("compoundname"): c for c in compounds if c.get("kind") in ("class", "struct")}
    for compound in compounds:
        scope = compound.findtext("compoundname") or ""
        last, is_class = scope.rpartition("::")[2], scope in classes
        into: list[Item] | None = None
        if is_class:
            if header_of(compound) not in pages or compound.get("prot") == "private":
                continue
            bases = [f"{base.get('prot')} {source(base, False)}" for base in compound.iterfind("basecompoundref")]
            text = f"{compound.get('kind')} {last}" + (" : " if bases else "") + ", ".join(bases)
            into = made(compound, scope, text, found[header_of(compound)]).members
        for member in compound.iterfind("sectiondef/memberdef"):
            header = header_of(member)
            if member.get("id") in seen or not is_shown(member, header) or (is_class and is_copy_or_move(member, last)):
                continue
            seen.add(member.get("id"))
            add(member, scope if is_class or header not in C_HEADERS else "", found[header] if into is None else into)
    for item, text, page in texts:
        item.declared = linked(text, names, page)
    return found, names


# ---- The pages -------------------------------------------------------------------------------------------------------


def described(text: str, names: Names, page: str, scope: str = "") -> str:
    """A comment as Markdown."""

    def link(match: re.Match[str]) -> str:
        name = match[1].replace("\\", "")
        known = [f"{scope}::{name}", f"{scope.rpartition('::')[0]}::{name}", name]
        place = next((place for name in known if (place := names.place(name, page))), None)
        return f"[{match[0]}]({place})" if place else match[0]

    def escaped(line: str) -> str:
        parts = re.split(r"(`[^`]*`)", line)
        for at in range(0, len(parts), 2):
            part = re.sub(r"([*_<\[\]\\])", r"\\\1", parts[at])
            part = re.sub(r"\bdocs/([\w-]+)\.md", r"[docs/\1.md](../\1.md)", part)
            parts[at] = re.sub(r"\b([A-Za-z][\w:\\]*)\(\)", link, part)
        return "".join(parts)

    lines: list[str] = []
    for line in listed(text).split("\n"):
        item = re.match(r"- \*\*(.*?)\*\*: (.*)", line)
        is_code = line.startswith("    ") and (not lines or not lines[-1] or lines[-1].startswith("    "))
        lines.append(line if is_code else f"- **{escaped(item[1])}**: {escaped(item[2])}" if item else escaped(line))
    return "\n".join(lines).rstrip() + "\n"


def shown(items: list[Item], names: Names) -> str:
    """Declarations as a program. The first one's place is the heading above."""
    texts = [items[0].declared]
    texts += [f'<span id="{x.anchor}">{x.declared}</span>' if names.is_place(x) else x.declared for x in items[1:]]
    return "<pre><code>" + "\n".join(texts) + "</code></pre>\n"


def in_blocks(items: list[Item], lines: list[str]) -> list[list[Item]]:
    """A comment is also of what follows without an empty line and a comment of its own, if its name begins alike: of
    overloads, prove_range() after prove(). Several without a comment are one block."""
    blocks: list[list[Item]] = []
    for item in items:
        first = blocks[-1][0] if blocks else item
        is_next = blocks and item.kind == first.kind and all(lines[blocks[-1][-1].line : item.line - 1])
        alike = item.kind != "function" or not first.text or item.name.startswith(first.name)
        if is_next and not item.text and alike:
            blocks[-1].append(item)
        else:
            blocks.append([item])
    return blocks


def section(items: list[Item], lines: list[str], names: Names, page: str, level: int, scope: str) -> str:
    out, before = [], ""
    blocks = in_blocks(sorted(items, key=lambda item: item.line), lines)
    for block in sorted(blocks, key=lambda block: FIRST.index(block[0].name) if block[0].name in FIRST else len(FIRST)):
        first, text = block[0], block[0].text
        words = list(dict.fromkeys(item.name.rpartition("::")[2] for item in block if item.name))
        title = (", ".join(words[:3]) + (" ..." if len(words) > 3 else "")).replace("_", "\\_")
        if first.kind == "section":
            out.append(f"## {text}\n")
        elif first.kind == "text":
            out.append(described(text, names, page, scope))
        else:
            if title and words[0] != before:  # overloads have one heading
                anchor = first.anchor if names.is_place(first) else f"line-{first.line}-{first.anchor}"
                out.append(f"{'#' * level} {title} {{#{anchor}}}\n")
            elif names.is_place(first):
                out.append(f'<span id="{first.anchor}"></span>\n')
            out += [shown(block, names), described(text, names, page, first.name if first.members else scope)]
        before = words[0] if words else ""
        members = first.members
        fields = [member for member in members if member.kind == "variable"]
        for member in fields:
            anchor = f' id="{member.anchor}"' if member.name else ""
            told = " ".join(described(member.text, names, page, first.name).split())
            out.append(f"- <code{anchor}>{member.declared}</code>" + (f": {told}" if told else ""))
        out.append("")
        others = [member for member in members if member.kind != "variable"]
        out.append(section(others, lines, names, page, level + 1, first.name) if others else "")
    return "\n".join(out)


def reference_pages() -> dict[str, str]:
    """The pages of C++ and of C, as Markdown."""
    alone, roots = read()
    pages = {header: "reference/c.md" if header in C_HEADERS else "reference/cpp.md" for header in alone}
    for header in UNLISTED:
        del pages[header]
    found, names = items_of(roots, pages)
    declared = "".join(path.read_text() for path in (HEADERS / "c").glob("*.h"))
    unseen = set(re.findall(r"MERKLIZE_C_API [^;(]*[ *](merklize_\w+)\(", declared)) - set(names.places)
    if unseen:
        raise PluginError(f"doxygen found no declaration of {', '.join(sorted(unseen))}")
    told = "Names are in the namespace `merklize`. `#include <merklize/merklize.hpp>` has all but sycl.hpp."
    made = {"reference/cpp.md": [f"# C++ reference\n\n{told}\n"], "reference/c.md": ["# C reference\n"]}
    subjects = [*CPP_SUBJECTS.items()]
    subjects += [("All calls", "merklize.h")]
    subjects += [(Path(header).stem.replace("_", " ").capitalize(), header) for header in C_HEADERS[1:]]
    listed = " ".join(headers for _, headers in subjects).split()
    if sorted(listed) != sorted(pages):
        raise PluginError(f"CPP_SUBJECTS of site_headers.py: not once each: {set(listed) ^ set(pages)}")
    for subject, headers in subjects:
        for at, header in enumerate(headers.split()):
            lines = (HEADERS / header).read_text().split("\n")
            scope = "sycl" if header == "sycl.hpp" else ""
            title = "" if at else f"\n## {subject}\n"
            text = section(found[header] + alone[header], lines, names, pages[header], 3, scope)
            made[pages[header]].append(f"{title}\n`merklize/{header}`\n\n{text}" if text.strip() else "")
    return {page: "".join(parts) for page, parts in made.items()}

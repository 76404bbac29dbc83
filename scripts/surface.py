#!/usr/bin/env python3
"""Writes what scripts/surface.toml describes: the structs and constants of C's headers, and Rust's copies of them.

    scripts/surface.py          writes them into include/merklize/c/*.h and rust/merklize/src/types.rs
    scripts/surface.py --check  fails where a file differs from what would be written

docs/add-a-type.md says what the rows mean. A header keeps its order and its functions: a declaration is replaced where
it stands. A wrong description is refused with its row and the rule.
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import tomllib

ROOT = Path(__file__).resolve().parent.parent
DESCRIPTION = "scripts/surface.toml"
HEADERS = "include/merklize/c"
RUST = "rust/merklize/src/types.rs"
WIDTH = 120
NOTE = "Its structs and constants are written by scripts/surface.py from scripts/surface.toml. */"

# What a row of each kind may have, and what it must have.
TEXTS: dict[str, type] = {"doc": str, "rust_doc": str}
KEYS: dict[str, dict[str, type]] = {
    "kind": {"c": str, "rust": str, "use": str, "from_c": str, "to_c": str},
    "enum": {"constants": dict, "rust": dict, "prefix": str, "alias": str, "of": str, **TEXTS},
    "constant": {"value": int, "rust": str, **TEXTS},
    "struct": {"fields": dict, "rust": dict, **TEXTS},
    "field": {"type": str, "length_of": str, "not_in_rust": str, **TEXTS},
    "rust": {"by_hand": str, "name": str, "use": str, "derive": str, "default": str, "makes": list, "grows": bool},
}
NEEDED = {
    "kind": ("c",),
    "enum": ("constants", "rust"),
    "constant": ("value",),
    "struct": ("fields", "rust"),
    "field": ("type",),
}


def refuse(row: str, rule: str) -> NoReturn:
    sys.exit(f"{DESCRIPTION}: {row}: {rule}")


def checked(row: str, kind: str, table: Any) -> dict[str, Any]:
    """The row, if it has what a row of its kind must have, and nothing else."""
    if not isinstance(table, dict):
        refuse(row, f"must be a table, got {table!r}")
    for key in NEEDED.get(kind, ()):
        if key not in table:
            refuse(row, f"needs {key}")
    for key, value in table.items():
        if key not in KEYS[kind]:
            refuse(row, f"has no key {key!r}; it takes {', '.join(sorted(KEYS[kind]))}")
        if type(value) is not KEYS[kind][key]:
            refuse(row, f"{key} must be of type {KEYS[kind][key].__name__}, got {value!r}")
    return table


def rows(row: str, table: Any) -> list[tuple[str, Any]]:
    if not isinstance(table, dict) or not table:
        refuse(row, f"must be a table with rows, got {table!r}")
    for name in table:
        if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
            refuse(row, f"a name must be of small letters, digits and _, got {name!r}")
    return list(table.items())


@dataclass
class Kind:
    """What a field is in C and in Rust, and how one is made of the other. {0} is the value."""

    c: str
    rust: str = ""
    use: str = ""
    from_c: str = "{0}"
    to_c: str = "{0}"


@dataclass
class Rust:
    """The type that is made for Rust, or the reason why it is written by hand."""

    by_hand: str = ""
    name: str = ""
    use: str = ""  # its path, if it is written by hand
    derive: str = "Debug, Clone, Copy, PartialEq, Eq"
    default: str = ""
    makes: tuple[str, ...] = ()
    grows: bool = False


@dataclass
class Part:
    """A constant or a field."""

    row: str
    name: str
    doc: str
    rust_doc: str


@dataclass
class Constant(Part):
    value: int
    rust: str


@dataclass
class Field(Part):
    kind: Kind
    array: str  # "[32]", or nothing
    length_of: str  # the field that is a slice of this length in Rust
    in_rust: bool

    def rust_type(self) -> str:
        return f"[{self.kind.rust}; {self.array[1:-1]}]" if self.array and self.kind.c != "char" else self.kind.rust


@dataclass
class Type:
    row: str
    header: str
    doc: str
    rust_doc: str
    rust: Rust
    c: str  # its name in C; empty: constants without a type
    of: str  # the integer that constants are
    constants: list[Constant]
    fields: list[Field]


def sentence(text: str, is_flag: bool = False) -> str:
    """Rust's form of the text of a field or constant: "1: nodes are kept" -> "True: nodes are kept."."""
    if is_flag:
        text = re.sub(r"\b[01]: ", lambda found: "true: " if found[0] == "1: " else "false: ", text)
    text = text[:1].upper() + text[1:]
    return text + "." if text and text[-1] != "." else text


def rust_of(row: str, table: dict[str, Any]) -> Rust:
    rust = Rust(**{**checked(f"{row}.rust", "rust", table), "makes": tuple(table.get("makes", ()))})
    if not rust.by_hand and not rust.name:
        refuse(f"{row}.rust", "needs a name, or by_hand with the reason")
    for function in rust.makes:
        if function not in ("from_c", "to_c"):
            refuse(f"{row}.rust", f"makes must be of from_c and to_c, got {function!r}")
    return rust


def constants_of(row: str, prefix: str, table: dict[str, Any]) -> list[Constant]:
    found: list[Constant] = []
    for name, facts in rows(row, table):
        facts = checked(f"{row}.{name}", "constant", facts)
        if facts["value"] in [constant.value for constant in found]:
            refuse(f"{row}.{name}", f"value must be a number of its own, got {facts['value']}")
        doc = " ".join(facts.get("doc", "").split())
        rust_doc = " ".join(facts.get("rust_doc", sentence(doc)).split())
        rust = facts.get("rust", name.title().replace("_", ""))
        found.append(Constant(f"{row}.{name}", prefix + name.upper(), doc, rust_doc, facts["value"], rust))
    return found


def fields_of(row: str, kinds: dict[str, Kind], table: dict[str, Any]) -> list[Field]:
    found = []
    for name, facts in rows(row, table):
        at = f"{row}.{name}"
        facts = checked(at, "field", facts)
        kind, array = re.fullmatch(r"(.*?)((?:\[\d+\])?)", facts["type"]).groups()  # type: ignore[union-attr]
        if kind.endswith("*") or kind.startswith("merklize_"):
            kinds = {**kinds, kind: Kind(kind)}
        if kind not in kinds:
            refuse(at, f"type must be a pointer, a type of C, or one of {', '.join(kinds)}; got {kind!r}")
        if facts.get("length_of", name) not in table:
            refuse(at, f"length_of must be one of the fields, got {facts['length_of']!r}")
        doc = " ".join(facts.get("doc", "").split())
        rust_doc = " ".join(facts.get("rust_doc", sentence(doc, kinds[kind].rust == "bool")).split())
        length_of = facts.get("length_of", "")
        in_rust = not length_of and "not_in_rust" not in facts
        found.append(Field(at, name, doc, rust_doc, kinds[kind], array, length_of, in_rust))
    return found


def described(description: dict[str, Any]) -> Iterator[tuple[str, str, str, Any]]:
    """The row of each type, its header, its name and what the row has: constants first, which structs may hold."""
    for word in "enum", "struct":
        for header, types in rows(word, description[word]):
            for name, table in rows(f"{word}.{header}", types):
                yield f"{word}.{header}.{name}", header, name, table


def types_of(description: dict[str, Any]) -> list[Type]:
    for word in "kind", "enum", "struct":
        rows(word, description.get(word, {}))
    for word in description:
        if word not in ("kind", "by_hand", "enum", "struct"):
            refuse(word, "must be kind, by_hand, enum or struct")
    kinds = {name: Kind(**checked(f"kind.{name}", "kind", table)) for name, table in description["kind"].items()}
    found = []
    for row, header, name, table in described(description):
        word = row.split(".")[0]
        rust = rust_of(row, checked(row, word, table).get("rust", {}))
        if name in kinds:
            refuse(row, "must have a name that no other row has")
        c = f"merklize_{name}" if word == "struct" else table.get("alias", "")
        doc, of = table.get("doc", ""), table.get("of", "uint32_t")
        kinds[name] = Kind(c or of, rust.name, rust.use, f"{rust.name}::from_c({{0}})", "{0}.to_c()")
        found.append((Type(row, header, doc, table.get("rust_doc", doc), rust, c, of, [], []), table))
    for entry, table in found:
        if "constants" in table:
            prefix = table.get("prefix", f"MERKLIZE_{entry.row.split('.')[2].upper()}_")
            entry.constants = constants_of(f"{entry.row}.constants", prefix, table["constants"])
        else:
            entry.fields = fields_of(f"{entry.row}.fields", kinds, table["fields"])
        require(entry)
    return [entry for entry, _ in found]


def require(entry: Type) -> None:
    """Refuses what no language can show."""
    if not (ROOT / HEADERS / f"{entry.header}.h").exists():
        refuse(entry.row, f"there must be {HEADERS}/{entry.header}.h")
    parts: list[Part] = [*entry.constants, *entry.fields]
    documented: list[Part | Type] = [entry, *entry.constants, *(field for field in entry.fields if field.in_rust)]
    if "*/" in entry.doc or any("*/" in part.doc for part in parts):
        refuse(entry.row, "doc must not end the comment of C that it becomes")
    for line in entry.doc.split("\n"):
        if len(line) > WIDTH - 3:
            refuse(entry.row, f"doc must have lines of at most {WIDTH - 3} characters, got {line!r}")
    if entry.rust.by_hand:
        return
    for at in documented:
        if not at.rust_doc or re.search("merklize_", at.rust_doc, re.I):
            refuse(at.row, "needs a doc without names of C, or a rust_doc")
    for field in entry.fields:
        if field.in_rust and not field.kind.rust:
            refuse(
                field.row, f"type {field.kind.c!r} has no form in Rust: say not_in_rust, or write Rust's struct by hand"
            )
    if entry.rust.default and f"{entry.row}.constants.{entry.rust.default}" not in [part.row for part in parts]:
        refuse(f"{entry.row}.rust", f"default must be one of the constants, got {entry.rust.default!r}")


# C


def comment(text: str, indent: str) -> str:
    """A comment with these lines. An empty last line puts the end of the comment on a line of its own."""
    lines = [f"{indent} * {line}".rstrip() for line in text.removesuffix("\n").split("\n")]
    lines[0] = f"{indent}/* {lines[0][len(indent) + 3 :]}"
    return "\n".join(lines) + (f"\n{indent} */\n" if text.endswith("\n") else " */\n")


def with_comments(declarations: list[tuple[str, str]]) -> str:
    """Declarations with their comments, in one column as far as the lines allow; a longer comment stands above."""
    lines, at = "", 0
    while at < len(declarations):
        head, doc = declarations[at]
        if not doc or len(f"    {head} /* {doc} */") > WIDTH:
            above = comment("\n".join(textwrap.wrap(doc, WIDTH - 10, break_on_hyphens=False)), "    ") if doc else ""
            lines += f"{above}    {head}\n"
            at += 1
            continue
        end, column = at, 0
        while end < len(declarations) and declarations[end][1]:
            wider = max(column, len(declarations[end][0]))
            if any(wider + len(f"     /* {text} */") > WIDTH for _, text in declarations[at : end + 1]):
                break
            column, end = wider, end + 1
        lines += "".join(f"    {head:<{column}} /* {text} */\n" for head, text in declarations[at:end])
        at = end
    return lines


def in_c(entry: Type) -> str:
    text = comment(entry.doc, "") if entry.doc else ""
    if entry.fields:
        space = {field.name: "" if field.kind.c.endswith("*") else " " for field in entry.fields}
        declared = [(f"{part.kind.c}{space[part.name]}{part.name}{part.array};", part.doc) for part in entry.fields]
        return f"{text}typedef struct {entry.c} {{\n{with_comments(declared)}}} {entry.c};"
    if entry.c:
        text += f"typedef {entry.of} {entry.c};\n"
    if not any(part.doc for part in entry.constants):
        return text + "enum { " + ", ".join(f"{part.name} = {part.value}" for part in entry.constants) + " };"
    last = entry.constants[-1]
    declared = [(f"{part.name} = {part.value}{'' if part is last else ','}", part.doc) for part in entry.constants]
    return f"{text}enum {{\n{with_comments(declared)}}};"


COMMENT = r"/\*(?:(?!\*/).)*\*/"
BEFORE_FIRST = rf"enum \{{(?:\s|#[^\n]*\n|{COMMENT})*"
# A struct, or constants: the name of their type, or else of the first one.
ANY_TYPE = re.compile(rf"typedef struct (\w+) \{{|(?:typedef \w+ (\w+);\n)?{BEFORE_FIRST}(\w+)", re.S)


def place(entry: Type, header: str) -> re.Match[str]:
    """The declaration of a type in its header."""
    if entry.fields:
        pattern = rf"(?:{COMMENT}\n)?typedef struct {entry.c} \{{[^}}]*\}} {entry.c};"
        empty = f"typedef struct {entry.c} {{}} {entry.c};"
    else:
        names = [part.name for part in entry.constants]
        pattern = (
            rf"(?:{COMMENT}\n)?(?:typedef \w+ {entry.c or '-'};\n)?{BEFORE_FIRST}(?:{'|'.join(names)})\b[^}}]*\}};"
        )
        empty = f"enum {{ {names[0]} }};"
    found = list(re.finditer(pattern, header, re.S))
    if len(found) != 1:
        refuse(entry.row, f"{HEADERS}/{entry.header}.h must have one place for it; write there: {empty}")
    return found[0]


def headers(types: list[Type], by_hand: dict[str, str]) -> dict[str, str]:
    made, seen = {}, set()
    for path in sorted((ROOT / HEADERS).glob("*.h")):
        text = path.read_text()
        in_header = [entry for entry in types if entry.header == path.stem]
        for entry in in_header:
            found = place(entry, text)
            text = text[: found.start()] + in_c(entry) + text[found.end() :]
        if in_header and NOTE not in text[: text.index("#")]:
            refuse(in_header[0].row, f"the first comment of {HEADERS}/{path.name} must end with: {NOTE}")
        known = {*by_hand, *(entry.c or entry.constants[0].name for entry in in_header)}
        for names in ANY_TYPE.findall(text):
            if (name := next(filter(None, names))) not in known:
                sys.exit(f"{HEADERS}/{path.name}: {DESCRIPTION} must have a row for {name}")
            seen.add(name)
        made[f"{HEADERS}/{path.name}"] = text
    for name in by_hand:
        if name not in seen:
            refuse(f"by_hand.{name}", "no header has it")
    return made


# Rust, as rustfmt lays it out.


def rust_doc(text: str, indent: str) -> str:
    lines = [
        wrapped
        for line in text.split("\n")
        for wrapped in textwrap.wrap(line, WIDTH - 4 - len(indent), break_on_hyphens=False) or [""]
    ]
    return "".join(f"{indent}/// {line}".rstrip() + "\n" for line in lines)


def member(name: str, value: str) -> str:
    return name if name == value else f"{name}: {value}"


def of_struct(entry: Type) -> dict[str, str]:
    """The bodies of from_c() and to_c()."""
    in_rust = [field for field in entry.fields if field.in_rust]
    filled = [field for field in entry.fields if field.in_rust or field.length_of]
    to_c = [
        member(
            part.name,
            f"self.{part.length_of}.len()" if part.length_of else part.kind.to_c.replace("{0}", f"self.{part.name}"),
        )
        for part in filled
    ]
    to_c += ["..Default::default()"] if len(filled) < len(entry.fields) else []
    from_c = [member(part.name, part.kind.from_c.replace("{0}", f"c.{part.name}")) for part in in_rust]
    bodies = {}
    for function, name, members in ("from_c", "Self", from_c), ("to_c", f"sys::{entry.c}", to_c):
        body = f"        {name} {{ {', '.join(members)} }}\n"
        if len(body) > WIDTH + 1:
            last = "" if members[-1].startswith("..") else ","
            body = f"        {name} {{\n            " + ",\n            ".join(members) + f"{last}\n        }}\n"
        bodies[function] = body
    return bodies


def of_enum(entry: Type) -> dict[str, str]:
    from_c = [f"sys::{part.name} => Self::{part.rust},\n" for part in entry.constants[:-1]]
    from_c.append(f"_ => Self::{entry.constants[-1].rust},\n")
    to_c = [f"Self::{part.rust} => sys::{part.name},\n" for part in entry.constants]
    return {
        function: f"        match {value} {{\n            {'            '.join(arms)}        }}\n"
        for function, value, arms in (("from_c", "c", from_c), ("to_c", "self", to_c))
    }


def in_rust(entry: Type) -> str:
    rust, fields = entry.rust, [field for field in entry.fields if field.in_rust]
    life = "'a" if any("'a" in field.rust_type() for field in fields) else ""
    text = rust_doc(entry.rust_doc, "") + f"#[derive({rust.derive})]\n" + "#[non_exhaustive]\n" * rust.grows
    text += f"pub {'struct' if fields else 'enum'} {rust.name}{life and f'<{life}>'} {{\n"
    for constant in entry.constants:
        is_default = constant.row == f"{entry.row}.constants.{rust.default}"
        text += rust_doc(constant.rust_doc, "    ") + "    #[default]\n" * is_default + f"    {constant.rust},\n"
    for field in fields:
        text += rust_doc(field.rust_doc, "    ") + f"    pub {field.name}: {field.rust_type()},\n"
    text += "}\n"
    if not rust.makes:
        return text
    bodies = of_struct(entry) if fields else of_enum(entry)
    c = f"sys::{entry.c}" if entry.c else "u32"
    heads = {"from_c": f"from_c(c: {'&' if fields else ''}{c}) -> Self", "to_c": f"to_c(self) -> {c}"}
    functions = [f"    pub(crate) fn {heads[function]} {{\n{bodies[function]}    }}\n" for function in rust.makes]
    return f"{text}\nimpl {rust.name}{life and '<' + chr(39) + '_>'} {{\n" + "\n".join(functions) + "}\n"


def rust_file(types: list[Type]) -> str:
    written = [entry for entry in types if not entry.rust.by_hand]
    used = {field.kind.use for entry in written for field in entry.fields if field.in_rust and field.kind.use}
    modules: dict[str, list[str]] = {}
    for path in sorted(used):
        module, _, name = path.rpartition("::")
        modules.setdefault(module, []).append(name)
    uses = "".join(
        f"use {module}::{names[0] if len(names) == 1 else '{' + ', '.join(names) + '}'};\n"
        for module, names in modules.items()
    )
    head = f"// Written by scripts/surface.py from {DESCRIPTION}. Do not edit.\n\nuse merklize_sys as sys;\n\n{uses}\n"
    return head + "\n".join(in_rust(entry) for entry in written)


def made() -> dict[str, str]:
    """The files that are made, with their texts."""
    try:
        description = tomllib.loads((ROOT / DESCRIPTION).read_text())
    except tomllib.TOMLDecodeError as error:
        sys.exit(f"{DESCRIPTION}: {error}")
    types = types_of(description)
    return {**headers(types, description.get("by_hand", {})), RUST: rust_file(types)}


def main() -> None:
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(f"surface.py takes --check or nothing, got {' '.join(sys.argv[1:])}")
    texts = made()
    different = [
        name for name, text in texts.items() if not (ROOT / name).exists() or (ROOT / name).read_text() != text
    ]
    if sys.argv[1:] and different:
        sys.exit(f"{', '.join(different)}: not what {DESCRIPTION} describes: change that, and run scripts/surface.py")
    for name in different:
        (ROOT / name).write_text(texts[name])


if __name__ == "__main__":
    main()

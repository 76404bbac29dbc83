#!/usr/bin/env python3
"""Writes what surface/types.toml describes: the structs and constants of C's headers.

    scripts/surface.py          writes them into include/merklize/c/*.h
    scripts/surface.py --check  fails where a file differs from what would be written

A header keeps its order and its functions: a declaration is replaced where
it stands. What is wrong in the description ends the script with the row and the rule.
"""

from __future__ import annotations

import re
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomllib

ROOT = Path(__file__).resolve().parent.parent
DESCRIPTION = "surface/types.toml"
HEADERS = "include/merklize/c"
WIDTH = 120
NOTE = "Its structs and constants are written by scripts/surface.py from surface/types.toml. */"

# The keys of each kind of row: those that it must have, and those that it may have.
KEYS = {
    "kind": ({"c"}, set()),
    "enum": ({"header", "constants"}, {"prefix", "alias", "of", "doc"}),
    "constant": ({"value"}, {"doc"}),
    "struct": ({"header", "fields"}, {"doc"}),
    "field": ({"type"}, {"doc"}),
}


def refuse(row: str, rule: str) -> None:
    sys.exit(f"{DESCRIPTION}: {row}: {rule}")


def keys(row: str, kind: str, table: Any) -> None:
    """Refuses a row that lacks a key, or has one that its kind does not know."""
    needed, allowed = KEYS[kind]
    if not isinstance(table, dict):
        refuse(row, f"must be a table, got {table!r}")
    if missing := sorted(needed - set(table)):
        refuse(row, f"needs {', '.join(missing)}")
    if unknown := sorted(set(table) - needed - allowed):
        refuse(row, f"has no key {unknown[0]!r}; it takes {', '.join(sorted(needed | allowed))}")


@dataclass
class Constant:
    c: str
    value: int
    doc: str


@dataclass
class Field:
    c: str  # its declaration
    doc: str


@dataclass
class Type:
    row: str
    header: str
    doc: str
    constants: list[Constant]
    fields: list[Field]
    c: str | None  # the name in C; None: constants without a type
    of: str  # the integer below a type of constants


def types_of(description: dict[str, Any]) -> list[Type]:
    if unknown := sorted(set(description) - {"kind", "by_hand", "enum", "struct"}):
        refuse(unknown[0], "must be kind, by_hand, enum or struct")
    for name, table in description.get("kind", {}).items():
        keys(f"kind.{name}", "kind", table)
    kinds = {name: table["c"] for name, table in description.get("kind", {}).items()}
    found = []
    for name, table in description.get("enum", {}).items():
        row = f"enum.{name}"
        keys(row, "enum", table)
        prefix = table.get("prefix", f"MERKLIZE_{name.upper()}_")
        constants: list[Constant] = []
        for constant, facts in table["constants"].items():
            keys(f"{row}.constants.{constant}", "constant", facts)
            if type(facts["value"]) is not int or facts["value"] in [one.value for one in constants]:
                refuse(f"{row}.constants.{constant}", f"value must be a number of its own, got {facts['value']!r}")
            constants.append(Constant(prefix + constant.upper(), facts["value"], facts.get("doc", "")))
        kinds[name] = table.get("alias", "uint32_t")
        doc, alias = table.get("doc", ""), table.get("alias")
        found.append(Type(row, table["header"], doc, constants, [], alias, table.get("of", "uint32_t")))
    structs = description.get("struct", {})
    kinds |= {name: f"merklize_{name}" for name in structs}
    for name, table in structs.items():
        keys(f"struct.{name}", "struct", table)
        fields = []
        for field, facts in table["fields"].items():
            row = f"struct.{name}.fields.{field}"
            keys(row, "field", facts)
            kind, array = re.fullmatch(r"(.*?)((?:\[\d+\])?)", facts["type"]).groups()  # type: ignore[union-attr]
            is_c = kind.endswith("*") or kind.startswith("merklize_")
            if not is_c and kind not in kinds:
                refuse(row, f"type {kind!r} must be a pointer, a type of C, or one of {', '.join(kinds)}")
            c = kind if is_c else kinds[kind]
            space = "" if c.endswith("*") else " "
            fields.append(Field(f"{c}{space}{field}{array};", facts.get("doc", "")))
        found.append(Type(f"struct.{name}", table["header"], table.get("doc", ""), [], fields, f"merklize_{name}", ""))
    for one in found:
        if not (ROOT / HEADERS / f"{one.header}.h").exists():
            refuse(one.row, f"header must be one of {HEADERS}, got {one.header!r}")
        if any("*/" in part.doc for part in [one, *one.constants, *one.fields]):
            refuse(one.row, "doc must not end the comment of C that it becomes")
    return found


def comment(text: str, indent: str) -> str:
    """A comment with these lines. An empty last line puts the end of the comment on a line of its own."""
    lines = [f"{indent} * {line}".rstrip() for line in text.removesuffix("\n").split("\n")]
    lines[0] = f"{indent}/* {lines[0][len(indent) + 3 :]}"
    return "\n".join(lines) + (f"\n{indent} */\n" if text.endswith("\n") else " */\n")


def beside(rows: list[tuple[str, str]]) -> str:
    """Declarations with their comments, in one column as far as the lines allow; a long comment stands above."""
    lines, at = "", 0
    while at < len(rows):
        head, doc = rows[at]
        if not doc or len(f"    {head} /* {doc} */") > WIDTH:
            above = comment("\n".join(textwrap.wrap(doc, WIDTH - 10)), "    ") if doc else ""
            lines += f"{above}    {head}\n"
            at += 1
            continue
        end, column = at, 0
        while end < len(rows) and rows[end][1]:
            wider = max(column, len(rows[end][0]))
            if any(wider + len(f"     /* {text} */") > WIDTH for _, text in rows[at : end + 1]):
                break
            column, end = wider, end + 1
        lines += "".join(f"    {head:<{column}} /* {text} */\n" for head, text in rows[at:end])
        at = end
    return lines


def in_c(one: Type) -> str:
    text = comment(one.doc, "") if one.doc else ""
    if too_long := [line for line in text.split("\n") if len(line) > WIDTH]:
        refuse(one.row, f"doc must have lines of at most {WIDTH - 6} characters: {too_long[0][3:]!r}")
    if one.fields:
        rows = [(field.c, field.doc) for field in one.fields]
        return f"{text}typedef struct {one.c} {{\n{beside(rows)}}} {one.c};"
    if one.c:
        text += f"typedef {one.of} {one.c};\n"
    if not any(constant.doc for constant in one.constants):
        return text + "enum { " + ", ".join(f"{part.c} = {part.value}" for part in one.constants) + " };"
    last = one.constants[-1]
    rows = [(f"{part.c} = {part.value}{'' if part is last else ','}", part.doc) for part in one.constants]
    return f"{text}enum {{\n{beside(rows)}}};"


COMMENT = r"/\*(?:(?!\*/).)*\*/"
BEFORE_FIRST = rf"enum \{{(?:\s|#[^\n]*\n|{COMMENT})*"
# A struct, or constants: the name of their type, or else of the first one.
ANY_TYPE = re.compile(rf"typedef struct (\w+) \{{|(?:typedef \w+ (\w+);\n)?{BEFORE_FIRST}(\w+)", re.S)


def place(one: Type, header: str) -> re.Match[str]:
    """The declaration of a type in its header."""
    if one.fields:
        pattern = rf"(?:{COMMENT}\n)?typedef struct {one.c} \{{[^}}]*\}} {one.c};"
        empty = f"typedef struct {one.c} {{}} {one.c};"
    else:
        first = one.constants[0].c
        pattern = rf"(?:{COMMENT}\n)?(?:typedef \w+ {one.c};\n)?{BEFORE_FIRST}{first}\b[^}}]*\}};"
        empty = f"enum {{ {first} }};"
    found = list(re.finditer(pattern, header, re.S))
    if len(found) != 1:
        refuse(one.row, f"{HEADERS}/{one.header}.h must have one place for it; write there: {empty}")
    return found[0]


def headers(types: list[Type], by_hand: dict[str, str]) -> dict[str, str]:
    made = {}
    for path in sorted((ROOT / HEADERS).glob("*.h")):
        text = path.read_text()
        here = [one for one in types if one.header == path.stem]
        for one in here:
            found = place(one, text)
            text = text[: found.start()] + in_c(one) + text[found.end() :]
        if here and NOTE not in text[: text.index("#")]:
            refuse(here[0].row, f"the first comment of {HEADERS}/{path.name} must end with: {NOTE}")
        known = {*by_hand, *(one.c or one.constants[0].c for one in here)}
        for names in ANY_TYPE.findall(text):
            if (name := next(filter(None, names))) not in known:
                sys.exit(f"{HEADERS}/{path.name}: {DESCRIPTION} must have a row for {name}")
        made[f"{HEADERS}/{path.name}"] = text
    return made


def made() -> dict[str, str]:
    """The files that are made, with their texts."""
    try:
        description = tomllib.loads((ROOT / DESCRIPTION).read_text())
    except tomllib.TOMLDecodeError as error:
        sys.exit(f"{DESCRIPTION}: {error}")
    types = types_of(description)
    return headers(types, description.get("by_hand", {}))


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

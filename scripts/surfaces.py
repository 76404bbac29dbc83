#!/usr/bin/env python3
"""Compares the tables of docs/surfaces.md, the names of each function in all languages, with the sources.

Fails if a name does not exist in the sources, or if it differs from the first name of its row without a reason that is
listed. A cell has the main arguments, in the order of the sources, or of an overload. Where that order is not the
table's, the page lists the call in the order of the other languages. Fails, too, if a source no longer says the default
that stands there, so that a change of one shows those of the other languages beside it.
"""

from __future__ import annotations

import html
import itertools
import re
import sys
from collections.abc import Iterator
from typing import NamedTuple

import public_names

PAGE = public_names.ROOT / "docs/surfaces.md"
LANGUAGES = ("Python", "C++", "C", "Rust", "JavaScript", "command")
DEFAULTS, ORDERS, NAMES = "Defaults", "Where the order differs", "Where the name differs"

# Words that only some languages have in names: for making an object, for a given output, for hashes other than BLAKE3.
OWN_WORDS = {
    "create",
    "open",
    "new",
    "of",
    "list",
    "count",
    "describe",
    "into",
    "with",
    "message",
    "build",
    "proof",
    "matrix",
}
MODULES = r"(?:bao|formats|prover|parts|pieces|manifests?|xmss)_(?=\w)"


class Line(NamedTuple):
    """A line of a table."""

    concept: str
    language: str
    cells: list[str]


def tables(page: str) -> dict[str, list[Line]]:
    """The lines of each heading's table. A concept stands in front of its first language alone, in bold."""
    found: dict[str, list[Line]] = {}
    heading, concept, is_body = "", "", False
    for line in page.splitlines():
        if line.startswith("## "):
            heading = line.removeprefix("## ")
        elif is_body and line.startswith("|"):
            first, language, *cells = (cell.strip() for cell in line.strip("|").split("|"))
            if heading in (ORDERS, NAMES):
                concept = first
            elif bold := re.match(r"\*\*(.+?)\*\*", first):
                concept = bold[1]
            found.setdefault(heading, []).append(Line(concept, language, cells))
        else:
            is_body = line.startswith("|---")
    return found


def calls_of(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def parsed(call: str) -> tuple[str, list[str]]:
    """The name and the arguments of `Type::function(argument)`, or of the command's `group verb FILE --option`."""
    if "(" not in call:
        words = call.split()
        own = [word for word in words if word[0].islower()]
        return " ".join(own), words[len(own) :]
    name, _, arguments = call.rstrip(")").partition("(")
    return name.replace("::", "."), [one.strip() for one in arguments.split(",") if one.strip()]


def words_of(call: str) -> frozenset[str]:
    """The words of a name without modules, the spelling of a language and its own words."""
    name = parsed(call)[0].removeprefix("merklize_").replace("OpenZeppelin", "Openzeppelin").replace(".", "_")
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
    name = re.sub(r"_on_device$|_from_leaves$|^merkle_(?=tree|forest)", "", name)
    # A module may have the name of its type: manifests::create().
    for text in (re.sub(f"^(?:{MODULES})+", "", name), name):
        if words := frozenset(word.removesuffix("s") for word in text.split("_")) - OWN_WORDS:
            return words
    raise ValueError(f"{call}: no word of the name is left")


def is_in_order(wanted: list[str], overloads: list[list[str]]) -> bool:
    """Whether an overload has these arguments in this order. Options of the command come in any."""
    places = [one for one in wanted if not one.startswith("-")]
    return any(set(wanted) <= set(one) and sorted(places, key=one.index) == places for one in overloads)


class Check:
    """The faults of a page."""

    def __init__(self, page: str) -> None:
        self.tables = tables(page)
        self.known = {language: public_names.signatures(language) for language in LANGUAGES}
        self.rows: dict[str, dict[str, list[str]]] = {}  # concept -> language -> calls
        for heading, lines in self.tables.items():
            if heading not in (DEFAULTS, ORDERS, NAMES):
                for line in lines:
                    self.rows.setdefault(line.concept, {})[line.language] = calls_of(line.cells[0])

    def faults(self) -> list[str]:
        return [*self.of_calls(), *self.of_names(), *self.of_orders(), *self.of_defaults()]

    def of_calls(self) -> Iterator[str]:
        for concept, calls in self.rows.items():
            for language, call in ((language, call) for language, some in calls.items() for call in some):
                name, wanted = parsed(call)
                where = f"{concept}, {language}: {call}"
                overloads = self.known[language].get(name)
                if overloads is None:
                    yield f"{where}: no such name"
                    continue
                missing = [one for one in wanted if not any(one in overload for overload in overloads)]
                if missing:
                    yield f"{where}: no argument {', '.join(missing)}; it has {overloads}"
                elif not is_in_order(wanted, overloads):
                    yield f"{where}: its arguments stand in another order: {overloads}"

    def of_names(self) -> Iterator[str]:
        listed = {(line.concept, line.language) for line in self.tables.get(NAMES, [])}
        for concept, calls in self.rows.items():
            first = next(iter(calls.values()))
            words = {words_of(call) for call in first}
            verbs = re.findall("[a-z]+", str([some for language, some in calls.items() if language != "command"]))
            for language, some in calls.items():
                if language == "command":
                    is_same = parsed(some[0])[0].split()[-1] in verbs
                else:
                    is_same = any(words_of(call) in words for call in some)
                is_listed = (concept, language) in listed
                if is_same and is_listed:
                    yield f"{concept}, {language}: listed as another name, and it is none"
                elif not is_same and not is_listed:
                    yield f"{concept}, {language}: {' / '.join(some)}: another name than {' / '.join(first)}"
                listed.discard((concept, language))
        for concept, language in sorted(listed):
            yield f"{concept}, {language}: listed as another name, and there is no such line"

    def of_orders(self) -> Iterator[str]:
        listed = {(line.concept, line.language) for line in self.tables.get(ORDERS, [])}
        for concept, calls in self.rows.items():
            shown = [(language, parsed(some[0])[1]) for language, some in calls.items() if language != "command"]
            for (one, arguments), (other, others) in itertools.combinations(shown, 2):
                shared = [name for name in arguments if name in others]
                if shared != sorted(shared, key=others.index) and not {(concept, one), (concept, other)} & listed:
                    yield f"{concept}: {one} and {other} order {', '.join(shared)} in two ways, and neither is listed"
        for concept, language, cells in self.tables.get(ORDERS, []):
            name, arguments = parsed(calls_of(cells[0])[0])
            shown = [parsed(call) for call in self.rows.get(concept, {}).get(language, [])]
            if not any(name == other and sorted(arguments) == sorted(others) for other, others in shown):
                yield f"{concept}, {language}: listed as another order, and there is no such line"
            elif is_in_order(arguments, self.known[language][name]):
                yield f"{concept}, {language}: listed as another order, and it is none"

    def of_defaults(self) -> Iterator[str]:
        for concept, language, (source, words, *_) in self.tables.get(DEFAULTS, []):
            (path,) = calls_of(source)
            said = html.unescape(re.sub("</?code>", "", words))
            text = re.sub(r"\n \* ", " ", (public_names.ROOT / path).read_text())  # lines of C's comments
            if said not in " ".join(text.split()):
                yield f"default of {concept}, {language}: {path} no longer says {said!r}"


def faults(page: str) -> list[str]:
    return Check(page).faults()


def main() -> None:
    page = PAGE.read_text()
    if len(tables(page)) < 10:
        sys.exit("docs/surfaces.md: its tables are not found")
    if found := faults(page):
        sys.exit("\n".join(found))


if __name__ == "__main__":
    main()

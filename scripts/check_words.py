#!/usr/bin/env python3
"""Finds words in public names and in headings of the documentation for which the glossary has another word.

scripts/check_words.py

The words stand in the column "not" of docs/glossary.md. EXCEPTIONS has the names that keep such a word,
with the reason.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator

import public_names

DOCS = public_names.ROOT / "docs"
FORMAT = "BitTorrent's word"
FILECOIN = "Filecoin's word"
MANIFEST = "a piece of a tensor: a manifest's file has the field piece_size"
UNITS = "compute units of a device, OpenCL's word"
RECORD = "CUDA's verb: an event is recorded in a stream"
EXCEPTIONS = {
    "Python": {
        "PieceCid": FILECOIN,
        "piece_cid": FILECOIN,
        "piece_leaves": FILECOIN,
        "piece_length": FORMAT,
        "piece_size": MANIFEST,
        "digest_of_pieces": MANIFEST,
        "piece_values": MANIFEST,
        "value_of_pieces": MANIFEST,
        "require_piece_size": MANIFEST,
        "pieces": MANIFEST,
    },
    "C++": {
        "PieceCid": FILECOIN,
        "most_piece_bytes": FILECOIN,
        "piece_cid": FILECOIN,
        "piece_cid_file": FILECOIN,
        "piece_leaves": FILECOIN,
        "piece_length": FORMAT,
        "piece_size": MANIFEST,
        "default_piece_size": MANIFEST,
        "PieceDigests": MANIFEST,
        "piece_values": MANIFEST,
        "digest_of_pieces": MANIFEST,
        "value_of_pieces": MANIFEST,
        "units": UNITS,
        "record": RECORD,
        "hash_pieces": MANIFEST,
        "pieces": MANIFEST,
    },
    "C": {
        "merklize_piece_cid": FILECOIN,
        "merklize_piece_cid_file": FILECOIN,
        "merklize_piece_cid_info": FILECOIN,
        "merklize_piece_leaves": FILECOIN,
        "merklize_hash_pieces": MANIFEST,
        "merklize_digest_of_pieces": MANIFEST,
        "merklize_piece_values": MANIFEST,
        "merklize_value_of_pieces": MANIFEST,
        "pieces": MANIFEST,
        "piece": FILECOIN,
        "piece_length": FORMAT,
        "piece_size": MANIFEST,
        "units": UNITS,
        "merklize_stream_record": RECORD,
    },
    "Rust": {
        "PieceCid": FILECOIN,
        "piece_cid": FILECOIN,
        "piece_cid_file": FILECOIN,
        "piece_leaves": FILECOIN,
        "hash_pieces": MANIFEST,
        "digest_of_pieces": MANIFEST,
        "digest_of_pieces_into": MANIFEST,
        "piece_values": MANIFEST,
        "value_of_pieces": MANIFEST,
        "pieces": MANIFEST,
        "piece_length": FORMAT,
        "piece_size": MANIFEST,
        "piece": MANIFEST,
        "units": UNITS,
        "record": RECORD,
    },
    "command": {"--piece-size": MANIFEST, "piece": FILECOIN},
    "JavaScript": {
        "Record": "TypeScript's own type",
        "PieceCid": FILECOIN,
        "PieceHasher": FILECOIN,
        "pieceCid": FILECOIN,
        "pieceLeaves": FILECOIN,
    },
}


def forbidden() -> dict[str, str]:
    """Unwanted word -> the words of the glossary to use instead."""
    found: dict[str, list[str]] = {}
    for line in (DOCS / "glossary.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("|") or cells[0] == "word" or "---" in cells[0]:
            continue
        for word in re.findall(r"\w+", cells[2]):
            found.setdefault(word, []).append(re.sub(r" \(.*", "", cells[0]))
    return {word: " or ".join(instead) for word, instead in found.items()}


def words_of(name: str) -> set[str]:
    """The words of a name in any spelling, also without a plural's s."""
    words = {word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)}
    return words | {word.removesuffix("s") for word in words}


def faults(where: str, names: Iterable[str]) -> Iterator[str]:
    """Names with an unwanted word, and exceptions that no name needs."""
    not_used = forbidden()
    exceptions = EXCEPTIONS.get(where, {})
    needed = set()
    for name in sorted(names):
        for word in sorted(words_of(name) & not_used.keys()):
            needed.add(name)
            if name not in exceptions:
                yield f"{where}: '{word}' in {name}: the glossary says {not_used[word]}"
    for name in sorted(exceptions.keys() - needed):
        yield f"{where}: {name} is listed as an exception, and there is no such name"


def headings() -> Iterator[tuple[str, list[str]]]:
    for path in (public_names.ROOT / "README.md", *sorted(DOCS.rglob("*.md"))):
        text = re.sub(r"^```.*?^```$", "", path.read_text(), flags=re.MULTILINE | re.DOTALL)
        yield str(path.relative_to(public_names.ROOT)), re.findall(r"^#+ (.+)$", text, re.MULTILINE)


def main() -> None:
    found = [fault for language in public_names.FILES for fault in faults(language, public_names.names(language))]
    found += [fault for path, lines in headings() for fault in faults(path, lines)]
    if found:
        sys.exit("\n".join(found))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""One table of what merklize does and what it is called in each language: docs/surfaces.md.

scripts/surfaces.py           writes the page
scripts/surfaces.py --check   fails if the page is out of date

Both fail if a name does not exist in the sources, or if its name or the order of its arguments differs from the
others of its row without a reason that is listed. A cell has the main arguments.
"""

from __future__ import annotations

import re
import sys
from typing import NamedTuple

import public_names

PAGE = public_names.ROOT / "docs/surfaces.md"
LANGUAGES = ("Python", "C++", "C", "Rust", "JavaScript")
NONE = ""


class Row(NamedTuple):
    concept: str
    order: str  # of the main arguments
    cells: tuple[str, str, str, str, str]  # as LANGUAGES; several functions are separated by " / "


SUBJECTS = {
    "Digests": [
        Row("one message", "data, hash", (
            "hash(data, hash)", "hash(data, mode) / hash_message(data, hash)", "merklize_hash(data, hash, mode, out)",
            "hash(data) / hash_with(data, how)", "hash(data, options)")),
        Row("a file", "path, hash", (
            "hash_file(path, hash)", "hash_file(path, mode) / hash_message_file(path, hash)",
            "merklize_hash_file(path, hash, mode, out)", "hash_file(path, how)", "hashFile(source, options)")),
        Row("many files", "paths, hash", (
            "hash_files(paths, hash)", "hash_files(paths, mode) / hash_message_files(paths, hash)",
            "merklize_hash_files(paths, hash, mode)", "hash_files(paths, how)", NONE)),
        Row("a message that comes in parts", "hash", (
            "Hasher(hash)", "Hasher::of(hash)", "merklize_hasher_create(hash, mode)", "Hasher::new(how)",
            "Hasher(options)")),
        Row("its next bytes", "data", (
            "Hasher.update(data)", "Hasher::update(data)", "merklize_hasher_update(data)", "Hasher::update(data)",
            "Hasher.update(data)")),
        Row("many messages of any lengths", "messages, hash, output", (
            "hash_each(messages, hash)", "hash_each(messages, mode) / hash_message_each(messages, hash)",
            "merklize_hash_each(messages, hash, mode, out)", "hash_each(messages, how)",
            "hashEach(messages, options)")),
        Row("rows of matrices", "matrices, hash, output", (
            "hash_rows(rows, hash, out)", "hash_rows(matrices, form, out)",
            "merklize_hash_rows(matrices, hash, out)", "hash_rows_on_device(matrices, how, out)",
            "hashRows(rows, options)")),
        Row("leaves of messages of one length", "rows, hash, output", (
            "hash_leaves(messages, hash, out)", "hash_leaves(rows, row_bytes, hash, out)",
            "merklize_hash_leaves(rows, row_bytes, hash, out)", "hash_leaves_into(rows, row_length, how, digests)",
            "hashLeaves(messages, options)")),
        Row("the 2-to-1 hash", "left, right, hash, output", (
            "merge(left, right, hash, out)", "merge(left, right, hash, out)", "merklize_merge(left, right, hash, out)",
            "merge(left, right, how)", "merge(left, right, options)")),
        Row("one message on several devices", "parts, mode", (
            "parts.hash_parts(parts, key)", "hash_parts(parts, mode)", "merklize_hash_parts(parts, mode)", NONE, NONE)),
    ],
    "Trees": [
        Row("a tree of leaves", "leaves, form", (
            "MerkleTree(leaves, hash)", "MerkleTree(leaves, form)", "merklize_tree_from_leaves(leaves, form)",
            "MerkleTree::from_leaves(leaves, form)", "MerkleTree(leaves, options)")),
        Row("a tree of messages", "messages, form", (
            "MerkleTree.from_messages(messages, hash)", NONE, NONE, NONE,
            "MerkleTree.fromMessages(messages, options)")),
        Row("a tree of rows", "rows, form", (
            "MerkleTree.from_rows(rows, hash)", "MerkleTree::from_rows(rows, form)",
            "merklize_tree_from_rows(rows, form)", "MerkleTree::from_rows(rows, row_length, form)",
            "MerkleTree.fromRows(rows, options)")),
        Row("a tree of a file", "input, form", (
            "MerkleTree.from_file(input, leaf_size, hash)", "MerkleTree::from_file(input, form)",
            "merklize_tree_from_file(input, form)", NONE, NONE)),
        Row("the root alone", "leaves, form", (
            "merkle_root(leaves, hash)", "merkle_root(leaves, form)", "merklize_merkle_root(leaves, form)",
            "merkle_root(leaves, form)", "merkleRoot(leaves, options)")),
        Row("the root of a file", "input, form", (
            "merkle_root_file(input, hash)", "merkle_root_file(input, form)", "merklize_merkle_root_file(input, form)",
            NONE, NONE)),
        Row("a tree in memory of yours", "nodes, form", (
            "build_tree(nodes, hash)", "build_tree(nodes, form)", "merklize_build_tree(nodes, form)", NONE, NONE)),
        Row("many small trees", "leaves, form", (
            "MerkleForest(leaves, hash)", "MerkleForest(leaves, n_leaves, form)",
            "merklize_forest_from_leaves(leaves, n_leaves, form)", NONE, NONE)),
        Row("leaves that come one after another", "form", (
            "TreeBuilder(hash)", "TreeBuilder(form)", "merklize_tree_builder_create(form)", "TreeBuilder::new(form)",
            NONE)),
        Row("changed leaves", "indices, leaves", (
            "MerkleTree.update(changes, leaves)", "MerkleTree::update(indices, leaves)",
            "merklize_tree_update(indices, leaves)", "MerkleTree::update(indices, leaves)", NONE)),
        Row("more leaves", "leaves", (
            "MerkleTree.append(leaves)", "MerkleTree::append(leaves)", "merklize_tree_append(leaves)",
            "MerkleTree::append(leaves)", NONE)),
    ],
    "Trees in files": [
        Row("a tree of a file, in a file", "input, output, form", (
            "build_tree_file(input, output, hash)", "build_tree_file(input, output, form)",
            "merklize_build_tree_file(input, output, form)", "TreeFile::build(input, output, form)", NONE)),
        Row("an open tree file", "path", (
            "TreeFile(path)", "TreeFile(path)", "merklize_tree_file_open(path)", "TreeFile::open(path)",
            "TreeFile.open(source)")),
        Row("its nodes", "level, first, count", (
            "TreeFile.read(level, first, count)", "TreeFile::read(level, first, count)",
            "merklize_tree_file_read(level, first, count)", "TreeFile::read(level, first, count)",
            "TreeFile.read(level, first, count)")),
        Row("whether its nodes are right", NONE, (
            "TreeFile.check()", "TreeFile::check()", "merklize_tree_file_check()", "TreeFile::check()",
            "TreeFile.check()")),
        Row("written leaf by leaf", "path, number of leaves, form", (
            "TreeWriter(path, n_leaves, hash)", "TreeWriter(path, n_leaves, form)",
            "merklize_tree_writer_create(path, n_leaves, form)", NONE, NONE)),
    ],
    "Proofs": [
        Row("of a leaf", "index", (
            "MerkleTree.prove(index)", "MerkleTree::prove(index)", "merklize_tree_prove(index)",
            "MerkleTree::prove(index)", "MerkleTree.prove(index)")),
        Row("of several leaves at once", "indices", (
            "MerkleTree.prove_together(indices)", "MerkleTree::prove_together(indices)",
            "merklize_tree_prove_together(indices)", "MerkleTree::prove_together(indices)",
            "MerkleTree.proveTogether(indices)")),
        Row("of a range of leaves", "first, last", (
            "MerkleTree.prove_range(first, last)", "MerkleTree::prove_range(first, last)",
            "merklize_tree_prove_range(first, last)", "MerkleTree::prove_range(range)", NONE)),
        Row("of consistency", "older number of leaves", (
            "MerkleTree.prove_consistency(old_leaves)", "MerkleTree::prove_consistency(old_leaves)",
            "merklize_tree_prove_consistency(old_leaves)", "MerkleTree::prove_consistency(old_leaves)",
            "MerkleTree.proveConsistency(oldLeaves)")),
        Row("whether a proof holds", "proof, root, expectations", (
            "verify(proof, root, n_leaves)", "verify(proof, root, expect)", "merklize_verify(bytes, root, expect)",
            "verify(proof, root, expect)", "verify(proof, root, options)")),
        Row("many proofs", "proofs, root", (
            "verify_each(proofs, root)", "verify_each(proofs, root)", "merklize_verify_each(proofs, root)",
            "verify_each(proofs, root)", NONE)),
        Row("whether a tree only grew", "proof, old root, new root", (
            "ConsistencyProof.verify(old_root, new_root)", "verify(proof, roots)",
            "merklize_verify_consistency(bytes, old_root, new_root)", "verify_consistency(proof, roots)",
            "verifyConsistency(proof, oldRoot, newRoot)")),
        Row("OpenZeppelin's proof", "proof, root, leaf", (
            NONE, "verify_openzeppelin(proof, root, leaf)", "merklize_verify_openzeppelin(proof, root, leaf)", NONE,
            "verifyOpenZeppelin(proof, root, leaf)")),
    ],
    "Provers": [
        Row("a commitment to matrices", "matrices, form", (
            "prover.MatrixCommitment(matrices, hash, arity, cap_height)", "MatrixCommitment(matrices, form)",
            "merklize_commitment_build(matrices, form)", "MatrixCommitment::new(matrices, hash, arity, cap_height)",
            NONE)),
        Row("whether an opening holds", "opening, cap, dimensions, form", (
            "prover.verify_opening(opening, cap, dims, hash)", "verify(opening, cap, dims, form)",
            "merklize_verify_opening(rows, siblings, cap, dims, form)", "Opening::verify(cap, dimensions, hash)",
            "verifyOpening(opening, cap, dims, options)")),
    ],
    "Weights": [
        Row("a manifest", "path", (
            "manifest(source)", "manifests::create(path)", "merklize_manifest_create(path)",
            "manifest::Manifest::create(path)",
            NONE)),
        Row("what differs from it", "path", (
            "Manifest.check(source)", "manifests::check(known, path)", "merklize_manifest_check(manifest, path)",
            "manifest::Manifest::check(path)", NONE)),
        Row("what two manifests differ in", "other", (
            "Manifest.diff(other)", "manifests::diff(manifest, other)", "merklize_manifest_diff(manifest, other)",
            "manifest::Manifest::diff(other)", NONE)),
    ],
    "Verified streaming": [
        Row("an outboard", "data, form", (
            "bao.outboard(data, format)", "bao_outboard(data, form)", "merklize_bao_outboard(data, form)",
            "bao::outboard(data, form)", NONE)),
        Row("a slice's bytes, verified", "slice, root, range, form", (
            "bao.decode_slice(slice, root, start, length, format)", "bao_decode_slice(slice, root, range, form)",
            "merklize_bao_decode_slice(slice, root, first, count, form)",
            "bao::decode_slice(slice, root, range, form)", NONE)),
        Row("which groups of a part are wrong", "part, offset, root, outboard", (
            "bao.verify(data, offset, root, outboard)", "bao_verify(part, offset, trust)",
            "merklize_bao_verify(part, offset, root, outboard)", "bao::verify(part, offset, root, outboard)", NONE)),
    ],
    "Formats of others": [
        Row("fs-verity", "data", (
            "formats.fs_verity(data)", "fs_verity(data)", "merklize_fs_verity(data)", NONE, NONE)),
        Row("Glacier", "data", ("formats.glacier(data)", "glacier(data)", "merklize_glacier(data)", NONE, NONE)),
        Row("BitTorrent v2", "data, bytes of a piece", (
            "formats.bittorrent_v2(data, piece_length)", "bittorrent_v2(data, piece_length)",
            "merklize_bittorrent_v2(data, piece_length)", NONE, NONE)),
        Row("SSZ", "chunks, limit", (
            "formats.ssz(chunks, limit)", "ssz(chunks, limit)", "merklize_ssz(chunks, limit)", NONE, NONE)),
        Row("xet", "data", ("formats.xet(data)", "xet_hash(data)", "merklize_xet_hash(data)", NONE, NONE)),
    ],
    "Devices": [
        Row("what can run here", NONE, (
            "devices()", "devices()", "merklize_device_count() / merklize_device_describe(index)", "Device::list()",
            NONE)),
        Row("why a device cannot be used", "name", (
            "why_unavailable(name)", "why_unavailable(name)", "merklize_why_unavailable(name)", NONE, NONE)),
    ],
}  # fmt: skip

OUTPUT = "the output stands behind the input, before the values that have defaults"
FORM = "the form stands before the range, as in every function for slices of this language"
# (concept, language) whose arguments stand in another order. The check fails if one of them is mended and still listed.
DEVIATIONS = {
    ("rows of matrices", "C++"): OUTPUT,
    ("leaves of messages of one length", "C++"): OUTPUT,
    ("the 2-to-1 hash", "C++"): OUTPUT,
    ("OpenZeppelin's proof", "C++"): "to mend",
    ("a slice's bytes, verified", "C"): FORM,
    ("a slice's bytes, verified", "Rust"): FORM,
    ("which groups of a part are wrong", "Python"): "the place of the part is by keyword, after the outboard",
}

# (concept, language) whose function has another name than in the first language that has it. Checked in the same way.
OTHER_NAMES = {
    ("whether a tree only grew", "C++"): "an overload for each kind of proof",
    ("whether an opening holds", "C++"): "an overload for each kind of proof",
    ("xet", "C++"): "without Python's module `formats`, the name says that it is a hash",
    ("xet", "C"): "without Python's module `formats`, the name says that it is a hash",
}
# A language's own words: for making an object, for an output that is given, for other hashes beside BLAKE3.
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
MODULES = r"(?:bao|formats|prover|parts|manifests?)_(?=\w)"


def rows() -> list[Row]:
    return [row for subject in SUBJECTS.values() for row in subject]


def parsed(call: str) -> tuple[str, list[str]]:
    name, _, arguments = call.rstrip(")").partition("(")
    return name.replace("::", "."), [one.strip() for one in arguments.split(",") if one.strip()]


def words_of(call: str) -> frozenset[str]:
    """The words of a name without modules, the spelling of a language and its own words."""
    name = parsed(call)[0].removeprefix("merklize_").replace("OpenZeppelin", "Openzeppelin").replace(".", "_")
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
    name = re.sub(r"_on_device$|_from_leaves$|^merkle_(?=tree|forest)", "", name)
    # A module's name is also that of what it makes: manifests::create().
    for text in (re.sub(f"^(?:{MODULES})+", "", name), name):
        if words := frozenset(word.removesuffix("s") for word in text.split("_")) - OWN_WORDS:
            return words
    raise ValueError(f"{call}: no word of the name is left")


def is_in_order(wanted: list[str], arguments: list[str]) -> bool:
    places = [arguments.index(one) for one in wanted if one in arguments]
    return len(places) == len(wanted) and places == sorted(places)


def as_declared(call: str, overloads: list[list[str]]) -> str:
    """A call of the table with its arguments in the order of the sources."""
    _, wanted = parsed(call)
    overload = next(one for one in overloads if set(wanted) <= set(one))
    return f"{call.partition('(')[0]}({', '.join(sorted(wanted, key=overload.index))})"


def faults() -> list[str]:
    found = []
    known = {language: public_names.signatures(language) for language in LANGUAGES}
    met, renamed = set(), set()
    for row in rows():
        first = next(cell for cell in row.cells if cell)
        names = {words_of(call) for call in first.split(" / ")}
        for language, cell in zip(LANGUAGES, row.cells, strict=True):
            if cell and not names & {words_of(call) for call in cell.split(" / ")}:
                renamed.add((row.concept, language))
                if (row.concept, language) not in OTHER_NAMES:
                    found.append(f"{row.concept}, {language}: {cell}: another name than {first}")
            for call in cell.split(" / ") if cell else ():
                name, wanted = parsed(call)
                where = f"{row.concept}, {language}: {call}"
                overloads = known[language].get(name)
                if overloads is None:
                    found.append(f"{where}: no such name")
                    continue
                missing = [one for one in wanted if not any(one in overload for overload in overloads)]
                if missing:
                    found.append(f"{where}: no argument {', '.join(missing)}; it has {overloads}")
                elif wanted and not any(is_in_order(wanted, overload) for overload in overloads):
                    met.add((row.concept, language))
                    if (row.concept, language) not in DEVIATIONS:
                        found.append(f"{where}: its arguments stand in another order: {overloads}")
    found += [f"{', '.join(one)}: listed as a deviation, and there is none" for one in DEVIATIONS if one not in met]
    found += [f"{', '.join(one)}: listed as another name, and it is none" for one in OTHER_NAMES if one not in renamed]
    return found


def page() -> str:
    known = {language: public_names.signatures(language) for language in LANGUAGES}
    lines = [
        "# One table of all languages",
        "",
        "<!-- Written by scripts/surfaces.py, which compares it with the sources. -->",
        "",
        "A cell names a function and its main arguments. Their order is the same in every language: what is hashed or",
        "verified, then how (a hash, a mode or a form), then where the result goes; other arguments follow. In",
        "JavaScript `options` hold the hash and the mode. In C the object comes first. The words are those of the",
        "[glossary](glossary.md).",
    ]
    for subject, subject_rows in SUBJECTS.items():
        lines += [
            "",
            f"## {subject}",
            "",
            f"| what | order | {' | '.join(LANGUAGES)} |",
            "|---|---|---|---|---|---|---|",
        ]
        for row in subject_rows:
            cells = []
            for language, cell in zip(LANGUAGES, row.cells, strict=True):
                calls = cell.split(" / ") if cell else []
                if (row.concept, language) in DEVIATIONS:
                    calls = [as_declared(call, known[language][parsed(call)[0]]) for call in calls]
                cells.append("<br>".join(f"`{call}`" for call in calls) or "-")
            lines.append(f"| {row.concept} | {row.order or '-'} | {' | '.join(cells)} |")
    lines += ["", "## Where the order differs", "", "| what | language | why |", "|---|---|---|"]
    lines += [f"| {concept} | {language} | {reason} |" for (concept, language), reason in DEVIATIONS.items()]
    lines += ["", "## Where the name differs", "", "| what | language | why |", "|---|---|---|"]
    lines += [f"| {concept} | {language} | {reason} |" for (concept, language), reason in OTHER_NAMES.items()]
    return "\n".join(lines) + "\n"


def main() -> None:
    if found := faults():
        sys.exit("\n".join(found))
    if sys.argv[1:] == ["--check"]:
        if not PAGE.exists() or PAGE.read_text() != page():
            sys.exit("docs/surfaces.md is out of date: run scripts/surfaces.py")
    else:
        PAGE.write_text(page())


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""One table of the functions of merklize, with their names in each language: docs/surfaces.md.

scripts/surfaces.py           writes the page
scripts/surfaces.py --check   fails if the page is out of date

Both fail if a name does not exist in the sources, or if its name or the order of its arguments differs from the
others of its row without a reason that is listed. A cell has the main arguments. Both fail, too, if a source no longer
says the default that stands here, so that a change of one shows those of the other languages beside it.
"""

from __future__ import annotations

import html
import re
import sys
from typing import NamedTuple

import public_names

PAGE = public_names.ROOT / "docs/surfaces.md"
LANGUAGES = ("Python", "C++", "C", "Rust", "JavaScript", "command")
NONE = ""


class Row(NamedTuple):
    concept: str
    order: str  # of the main arguments
    cells: tuple[str, str, str, str, str]  # of the libraries; several functions are separated by " / "
    command: str = ""

    def by_language(self) -> dict[str, str]:
        return dict(zip(LANGUAGES, (*self.cells, self.command), strict=True))


SUBJECTS = {
    "Digests": [
        Row("one message", "data, hash", (
            "hash(data, hash)", "hash(data, mode) / hash_message(data, form)", "merklize_hash(data, hash, mode, out)",
            "hash(data) / hash_with(data, how)", "hash(data, options)")),
        Row("a file", "path, hash", (
            "hash_file(path, hash)", "hash_file(path, mode) / hash_message_file(path, form)",
            "merklize_hash_file(path, hash, mode, out)", "hash_file(path, how)", "hashFile(source, options)"),
            "hash(FILE, --hash)"),
        Row("many files", "paths, hash", (
            "hash_files(paths, hash)", "hash_files(paths, mode) / hash_message_files(paths, form)",
            "merklize_hash_files(paths, hash, mode)", "hash_files(paths, how)", NONE), "hash(FILE, --hash)"),
        Row("a message that comes in parts", "hash", (
            "Hasher(hash)", "Hasher::of(form)", "merklize_hasher_create(hash, mode)", "Hasher::new(how)",
            "Hasher(options)")),
        Row("its next bytes", "data", (
            "Hasher.update(data)", "Hasher::update(data)", "merklize_hasher_update(data)", "Hasher::update(data)",
            "Hasher.update(data)")),
        Row("many messages of any lengths", "messages, hash, output", (
            "hash_each(messages, hash)", "hash_each(messages, mode) / hash_message_each(messages, form)",
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
            "parts.hash_parts(parts, key)", "hash_parts(parts, mode)", "merklize_hash_parts(parts, mode)",
            "hash_parts(parts, mode)", NONE)),
    ],
    "Trees": [
        Row("a tree of leaves", "leaves, form", (
            "MerkleTree(leaves, hash)", "MerkleTree(leaves, form)", "merklize_tree_from_leaves(leaves, form)",
            "MerkleTree::from_leaves(leaves, form)", "MerkleTree(leaves, options)")),
        Row("a tree of messages", "messages, form", (
            "MerkleTree.from_messages(messages, hash)", "MerkleTree::from_messages(messages, form)",
            "merklize_tree_from_messages(messages, form)", "MerkleTree::from_messages(messages, form)",
            "MerkleTree.fromMessages(messages, options)")),
        Row("a tree of rows", "rows, form", (
            "MerkleTree.from_rows(rows, hash)", "MerkleTree::from_rows(rows, form)",
            "merklize_tree_from_rows(rows, form)", "MerkleTree::from_rows(rows, row_length, form)",
            "MerkleTree.fromRows(rows, options)")),
        Row("a tree of a file", "input, form", (
            "MerkleTree.from_file(input, leaf_size, hash)", "MerkleTree::from_file(input, form)",
            "merklize_tree_from_file(input, form)", "MerkleTree::from_file(input, leaves, form)", NONE)),
        Row("the root alone", "leaves, form", (
            "merkle_root(leaves, hash)", "merkle_root(leaves, form)", "merklize_merkle_root(leaves, form)",
            "merkle_root(leaves, form)", "merkleRoot(leaves, options)")),
        Row("the root of a file", "input, form", (
            "merkle_root_file(input, hash)", "merkle_root_file(input, form)", "merklize_merkle_root_file(input, form)",
            "merkle_root_file(input, leaves, form)", NONE), "tree build(INPUT, --hash)"),
        Row("a tree in memory of yours", "nodes, form", (
            "build_tree(nodes, hash)", "build_tree(nodes, form)", "merklize_build_tree(nodes, form)", NONE, NONE)),
        Row("many small trees", "leaves, form", (
            "MerkleForest(leaves, hash)", "MerkleForest(leaves, n_leaves, form)",
            "merklize_forest_from_leaves(leaves, n_leaves, form)",
            "MerkleForest::from_leaves(leaves, n_leaves, form)", NONE)),
        Row("leaves that come one after another", "form", (
            "TreeBuilder(hash)", "TreeBuilder(form)", "merklize_tree_builder_create(form)", "TreeBuilder::new(form)",
            NONE)),
        Row("changed leaves", "indices, leaves", (
            "MerkleTree.update(changes, leaves)", "MerkleTree::update(indices, leaves)",
            "merklize_tree_update(indices, leaves)", "MerkleTree::update(indices, leaves)", NONE),
            "tree update(TREE, INDEX)"),
        Row("more leaves", "leaves", (
            "MerkleTree.append(leaves)", "MerkleTree::append(leaves)", "merklize_tree_append(leaves)",
            "MerkleTree::append(leaves)", NONE), "tree append(TREE, INPUT)"),
    ],
    "Trees in files": [
        Row("a tree of a file, in a file", "input, output, form", (
            "build_tree_file(input, output, hash)", "build_tree_file(input, output, form)",
            "merklize_build_tree_file(input, output, form)", "TreeFile::build(input, output, form)", NONE),
            "tree build(INPUT, --output, --hash)"),
        Row("an open tree file", "path", (
            "TreeFile(path)", "TreeFile(path)", "merklize_tree_file_open(path)", "TreeFile::open(path)",
            "TreeFile.open(source)")),
        Row("its nodes", "level, first, count", (
            "TreeFile.read(level, first, count)", "TreeFile::read(level, first, count)",
            "merklize_tree_file_read(level, first, count)", "TreeFile::read(level, first, count)",
            "TreeFile.read(level, first, count)"), "tree export(TREE, --level)"),
        Row("whether its nodes are right", NONE, (
            "TreeFile.check()", "TreeFile::check()", "merklize_tree_file_check()", "TreeFile::check()",
            "TreeFile.check()"), "tree check(TREE)"),
        Row("written leaf by leaf", "path, number of leaves, form", (
            "TreeWriter(path, n_leaves, hash)", "TreeWriter(path, n_leaves, form)",
            "merklize_tree_writer_create(path, n_leaves, form)", "TreeWriter::create(path, n_leaves, form)", NONE)),
    ],
    "Proofs": [
        Row("of a leaf", "index", (
            "MerkleTree.prove(index)", "MerkleTree::prove(index)", "merklize_tree_prove(index)",
            "MerkleTree::prove(index)", "MerkleTree.prove(index)"), "tree prove(TREE, INDEX)"),
        Row("of several leaves at once", "indices", (
            "MerkleTree.prove_together(indices)", "MerkleTree::prove_together(indices)",
            "merklize_tree_prove_together(indices)", "MerkleTree::prove_together(indices)",
            "MerkleTree.proveTogether(indices)"), "tree prove(TREE, INDEX)"),
        Row("of a range of leaves", "first, last", (
            "MerkleTree.prove_range(first, last)", "MerkleTree::prove_range(first, last)",
            "merklize_tree_prove_range(first, last)", "MerkleTree::prove_range(range)",
            "MerkleTree.proveRange(first, last)")),
        Row("of consistency", "older number of leaves", (
            "MerkleTree.prove_consistency(old_leaves)", "MerkleTree::prove_consistency(old_leaves)",
            "merklize_tree_prove_consistency(old_leaves)", "MerkleTree::prove_consistency(old_leaves)",
            "MerkleTree.proveConsistency(oldLeaves)"), "tree prove(TREE, --since)"),
        Row("whether a proof holds", "proof, root, expectations", (
            "verify(proof, root, n_leaves)", "verify(proof, root, expect)", "merklize_verify(bytes, root, expect)",
            "verify(proof, root, expect)", "verify(proof, root, options)"), "tree verify(PROOF, --root, --n-leaves)"),
        Row("many proofs", "proofs, root", (
            "verify_each(proofs, root)", "verify_each(proofs, root)", "merklize_verify_each(proofs, root)",
            "verify_each(proofs, root)", "verifyEach(proofs, root, options)")),
        Row("whether a tree only grew", "proof, old root, new root", (
            "ConsistencyProof.verify(old_root, new_root)", "verify(proof, roots)",
            "merklize_verify_consistency(bytes, old_root, new_root)", "verify_consistency(proof, roots)",
            "verifyConsistency(proof, oldRoot, newRoot)"), "tree verify(PROOF, --root, --old-root)"),
        Row("OpenZeppelin's proof", "proof, root, leaf", (
            "formats.verify_openzeppelin(proof, root, leaf)", "verify_openzeppelin(proof, root, leaf)",
            "merklize_verify_openzeppelin(proof, root, leaf)", "formats::verify_openzeppelin(proof, root, leaf)",
            "verifyOpenZeppelin(proof, root, leaf)")),
        Row("of a leaf of OpenZeppelin's tree", "index", (
            "formats.OpenZeppelinTree.prove(index)", "OpenZeppelinTree::prove(index)",
            "merklize_openzeppelin_tree_prove(index)", "formats::OpenZeppelinTree::prove(index)",
            "OpenZeppelinTree.prove(index)")),
    ],
    "Provers": [
        Row("Poseidon2 by constants of one's own", NONE, (
            "prover.poseidon2(field, width, rate, rounds, constants, diagonal, quad)", "poseidon2(instance, quad)",
            "merklize_hash_poseidon2(instance, quad)", "Hash::poseidon2(rows, quad)", NONE)),
        Row("Poseidon by constants of one's own", NONE, (
            "prover.poseidon(field, width, rate, rounds, constants, matrix)", "poseidon(instance)",
            "merklize_hash_poseidon(instance)", "Hash::poseidon(rows)", NONE)),
        Row("a low-degree extension", "matrix, output", (
            "prover.extend(matrix, added_bits)", "extend(matrix, out)", "merklize_extend(matrix, out)",
            "extend(matrix, form) / extend_on_device(matrix, form, out)", NONE)),
        Row("a commitment to extensions", "matrices, form", (
            NONE, "commit_extended(matrices, form)", "merklize_commit_extended(matrices, form)",
            "commit_extended(matrices, hash, arity, cap_height) / "
            "commit_extended_on_device(matrices, hash, arity, cap_height, drop_levels, out) / "
            "commit_extended_in_buffers(matrices, hash, arity, cap_height, drop_levels, out)", NONE)),
        Row("sums of rows or columns with weights", "matrix, weights, form", (
            NONE, "weighted_sums(matrix, weights, out, form)", "merklize_weighted_sums(matrix, weights, form, out)",
            "weighted_sums(matrix, field, over, weights, degree)", NONE)),
        Row("polynomials of rows, folded", "matrices, form", (
            NONE, "evaluate_constraints(matrices, out, form)", "merklize_evaluate_constraints(matrices, form, out)",
            "evaluate_constraints(matrices, form)", NONE)),
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
            NONE), "manifest create(PATH)"),
        Row("what differs from it", "path", (
            "Manifest.check(source)", "manifests::check(known, path)", "merklize_manifest_check(manifest, path)",
            "manifest::Manifest::check(path)", NONE), "manifest check(MANIFEST, PATH)"),
        Row("what two manifests differ in", "other", (
            "Manifest.diff(other)", "manifests::diff(manifest, other)", "merklize_manifest_diff(manifest, other)",
            "manifest::Manifest::diff(other)", NONE), "manifest diff(OLD, NEW)"),
        Row("the manifest of a model in shards", "parts", ("sharded.combine(parts)", NONE, NONE, NONE, NONE)),
    ],
    "Tiles": [
        Row("digests of the tiles of matrices", "matrices, output", (
            NONE, "hash_tiles(matrices, out)", "merklize_hash_tiles(matrices, out)", NONE, NONE)),
        Row("the largest nodes in a range of leaves", "leaves, first, total, output", (
            NONE, "merge_ranges(leaves, trees, first, total, out)",
            "merklize_merge_ranges(leaves, trees, first, total, out)", NONE, NONE)),
        Row("where these nodes are", "first, count, total", (
            NONE, "range_nodes(first, count, total)", "merklize_range_nodes(first, count, total)", NONE, NONE)),
    ],
    "Verified streaming": [
        Row("an outboard", "data, form", (
            "bao.outboard(data, format)", "bao_outboard(data, form)", "merklize_bao_outboard(data, form)",
            "bao::outboard(data, form)", NONE), "bao outboard(INPUT, --format)"),
        Row("a slice's bytes, verified", "slice, root, range, form", (
            "bao.decode_slice(slice, root, start, length, format)", "bao_decode_slice(slice, root, range, form)",
            "merklize_bao_decode_slice(slice, root, first, count, form)",
            "bao::decode_slice(slice, root, range, form)", NONE), "bao decode(INPUT, --root, --range, --format)"),
        Row("which groups of a part are wrong", "part, offset, root, outboard", (
            "bao.verify(data, offset, root, outboard)", "bao_verify(part, offset, trust)",
            "merklize_bao_verify(part, offset, root, outboard)", "bao::verify(part, offset, root, outboard)", NONE),
            "bao verify(INPUT, --root, --outboard)"),
        Row("a digest, and values that tell where data differ", "data, bytes of a piece", (
            NONE, "hash_pieces(data, piece_size)", "merklize_hash_pieces(data, piece_size)",
            "pieces::hash_pieces(data, piece_size)", NONE)),
        Row("the same of ranges of a file", "file, ranges, bytes of a piece", (
            "parts.hash_file_ranges(file, ranges, piece_size)", "hash_file_ranges(fd, ranges, piece_size)",
            "merklize_hash_file_ranges(descriptor, ranges, piece_size)",
            "pieces::hash_file_ranges(file, ranges, piece_size)", NONE)),
        Row("the values of a part of a message", "part, offset, bytes of a piece, mode", (
            "parts.piece_values(part, offset, piece_size)", "piece_values(part, offset, piece_size, mode)",
            "merklize_piece_values(part, offset, piece_size, mode)",
            "pieces::piece_values(part, offset, piece_size, mode)", NONE)),
        Row("the digest of pieces", "pieces, mode", (
            "parts.digest_of_pieces(pieces, key, context)", "digest_of_pieces(pieces, mode)",
            "merklize_digest_of_pieces(pieces, mode)",
            "pieces::digest_of_pieces(pieces, mode)", NONE)),
    ],
    "Formats of others": [
        Row("fs-verity", "data", (
            "formats.fs_verity(data)", "fs_verity(data)", "merklize_fs_verity(data)", "formats::fs_verity(data)",
            NONE)),
        Row("Glacier", "data", (
            "formats.glacier(data)", "glacier(data)", "merklize_glacier(data)", "formats::glacier(data)", NONE)),
        Row("BitTorrent v2", "data, bytes of a piece", (
            "formats.bittorrent_v2(data, piece_length)", "bittorrent_v2(data, piece_length)",
            "merklize_bittorrent_v2(data, piece_length)", "formats::bittorrent_v2(data, piece_length)", NONE)),
        Row("SSZ", "chunks, limit", (
            "formats.ssz(chunks, limit)", "ssz(chunks, limit)", "merklize_ssz(chunks, limit)",
            "formats::ssz(chunks, limit)", NONE)),
        Row("dm-verity", "data", (
            "formats.dm_verity(data)", "dm_verity(data)", "merklize_dm_verity(data)", "formats::dm_verity(data)",
            NONE)),
        Row("dm-verity's hash area", "data, hashes", (
            "formats.dm_verity_format(data, hashes)", "dm_verity_format(data, hashes)",
            "merklize_dm_verity_format(data, hashes)", "formats::dm_verity_format(data, hashes)", NONE),
            "verity format(DATA, HASHES)"),
        Row("whether a disk matches its root", "data, hashes, root", (
            "formats.dm_verity_verify(data, hashes, root)", "dm_verity_verify(data, hashes, root)",
            "merklize_dm_verity_verify(data, hashes, root)", "formats::dm_verity_verify(data, hashes, root)", NONE),
            "verity verify(DATA, HASHES, ROOT)"),
        Row("whether digests of blocks match its root", "hashes, root, first, digests", (
            "formats.dm_verity_verify_digests(hashes, root, first, digests)",
            "dm_verity_verify_digests(hashes, root, first, digests)", NONE, NONE, NONE)),
        Row("dm-verity's superblock", "hashes, offset", (
            "formats.dm_verity_dump(hashes, offset)", "dm_verity_dump(hashes, offset)",
            "merklize_dm_verity_dump(hashes, offset)", "formats::dm_verity_dump(hashes, offset)", NONE),
            "verity dump(HASHES, --hash-offset)"),
        Row("Filecoin's PieceCID", "data", (
            "formats.piece_cid(data)", "piece_cid(data)", "merklize_piece_cid(data)", "formats::piece_cid(data)",
            "pieceCid(data)"), "piece(FILE)"),
        Row("the leaves of a piece", "data", (
            "formats.piece_leaves(data)", "piece_leaves(data)", "merklize_piece_leaves(data)",
            "formats::piece_leaves(data)", "pieceLeaves(data)")),
        Row("xet", "data", (
            "formats.xet(data)", "xet_hash(data)", "merklize_xet_hash(data)", "formats::xet_hash(data)", NONE),
            "hash(FILE, --xet)"),
    ],
    "Ethereum's XMSS": [
        Row("keys of seeds", "seeds, first epoch, last epoch", (
            "xmss.keys(seeds, first_epoch, last_epoch)", "xmss::keys(seeds, first_epoch, last_epoch)",
            "merklize_xmss_keys(seeds, first_epoch, last_epoch)", "xmss::keys(seeds, epochs)", NONE),
            "xmss key(--first-epoch, --last-epoch)"),
        Row("siblings of an epoch's leaf", "epoch", (
            "xmss.Key.path(epoch)", "xmss::Key::path(epoch)", "merklize_xmss_key_path(epoch)", "xmss::Key::path(epoch)",
            NONE)),
        Row("a signature", "epoch, message", (
            "xmss.Key.sign(epoch, message)", "xmss::Key::sign(epoch, message)",
            "merklize_xmss_key_sign(epoch, message)", "xmss::Key::sign(epoch, message)", NONE)),
        Row("whether a signature holds", "public key, epoch, message, signature", (
            "xmss.verify(public_key, epoch, message, signature)", "xmss::verify(public_key, epoch, message, signature)",
            "merklize_xmss_verify(public_key, epoch, message, signature)",
            "xmss::verify(public_key, epoch, message, signature)", NONE),
            "xmss verify(SIGNATURE, --public-key, --epoch, --message)"),
        Row("many signatures", "public keys, epochs, messages, signatures", (
            "xmss.verify_each(public_keys, epochs, messages, signatures)",
            "xmss::verify_each(public_keys, epochs, messages, signatures)",
            "merklize_xmss_verify_each(public_keys, epochs, messages, signatures)", "xmss::verify_each(claims)", NONE)),
    ],
    "Devices": [
        Row("what can run here", NONE, (
            "devices()", "devices()", "merklize_device_count() / merklize_device_describe(index)", "Device::list()",
            NONE), "devices()"),
        Row("why a device cannot be used", "name", (
            "why_unavailable(name)", "why_unavailable(name)", "merklize_why_unavailable(name)",
            "Device::why_unavailable(name)", NONE)),
        Row("a bound on the memory taken of a device", "bytes", (
            "tuning.set_memory_limit(device, n_bytes)", "Device::set_memory_limit(bytes)",
            "merklize_device_set_memory_limit(bytes)", "Device::set_memory_limit(bytes)", NONE)),
    ],
}  # fmt: skip

OUTPUT = "C++: an output without a default stands before the values that have defaults"
FORM = "the form stands before the range, as in every function for slices of this language"
# (concept, language) with another order of arguments -> the reason. The check fails if a listed one has no other order.
DEVIATIONS = {
    ("rows of matrices", "C++"): OUTPUT,
    ("leaves of messages of one length", "C++"): OUTPUT,
    ("the 2-to-1 hash", "C++"): OUTPUT,
    ("a slice's bytes, verified", "C"): FORM,
    ("a slice's bytes, verified", "Rust"): FORM,
    ("which groups of a part are wrong", "Python"): "the place of the part is by keyword, after the outboard",
}

# (concept, language) with another name than in the first language that has it -> the reason. Checked in the same way.
OTHER_NAMES = {
    ("whether a tree only grew", "C++"): "an overload for each kind of proof",
    ("whether an opening holds", "C++"): "an overload for each kind of proof",
    ("the root of a file", "command"): "without --output, `tree build` keeps nothing and prints the root",
    ("its nodes", "command"): "it writes them to a file",
    ("xet", "C++"): "without Python's module `formats`, the name says that it is a hash",
    ("why a device cannot be used", "Rust"): "a function of the type, as the list of devices is",
    ("a bound on the memory taken of a device", "C++"): "a function of the device, which Python has no type for",
    ("a bound on the memory taken of a device", "C"): "a function of the device, which Python has no type for",
    ("a bound on the memory taken of a device", "Rust"): "a function of the device, which Python has no type for",
    ("xet", "Rust"): "the name of C and C++",
    ("Poseidon2 by constants of one's own", "C"): "without a method of the type, the name says that it is a hash",
    ("Poseidon2 by constants of one's own", "Rust"): "a function of the type",
    ("Poseidon by constants of one's own", "C"): "without a method of the type, the name says that it is a hash",
    ("Poseidon by constants of one's own", "Rust"): "a function of the type",
    ("keys of seeds", "command"): "named after one line of its output",
    ("xet", "C"): "without Python's module `formats`, the name says that it is a hash",
}


class Default(NamedTuple):
    what: str
    value: str
    says: dict[str, tuple[str, str]]  # language -> a file, and its words


PYTHON, RUST, SEAM = "python/merklize/", "rust/merklize/src/", "include/merklize/c/"
# Defaults. A language without an entry needs the value in each call, or lacks the parameter.
DEFAULTS = [
    Default("the hash", "blake3", {
        "Python": (PYTHON + "hashing.py", 'hash: HashName = "blake3"'),
        "C++": ("include/merklize/tree_form.hpp", "TreeForm(Hash of = Hash::blake3)"),
        "C": (SEAM + "forms.h", "Null in place of a form: blake3, left_full."),
        "JavaScript": ("web/js/trees.js", "options.hash ?? 'blake3'"),
        "command": ("src/command/hash/command.cpp", "value_or(Hash::blake3)"),
    }),
    Default("the rule", "perfect for field hashes, else left_full", {
        "Python": (PYTHON + "_options.py", "rule: str | None"),
        "C++": ("include/merklize/tree_form.hpp", "TreeForm(of, default_rule(of))"),
        "C": (SEAM + "forms.h", "MERKLIZE_RULE_DEFAULT = 0,"),
        "Rust": (RUST + "tree.rs", "Self { hash, rule: Rule::Default, mode: Mode::Plain }"),
        "JavaScript": ("web/js/trees.js", "options.rule ?? (kind.isField ? 'perfect' : 'left_full')"),
    }),
    Default("bytes of output", "32", {
        "Python": (PYTHON + "hashing.py", "length: int = 32"),
        "C++": ("include/merklize/hash_each.hpp", "std::size_t length = Digest::size"),
        "JavaScript": ("web/js/hash.js", "length = 32"),
        "command": ("src/command/hash/command.cpp", 'count_value(arguments, "length").value_or(Digest::size)'),
    }),
    Default("where the output begins", "0", {
        "Python": (PYTHON + "hashing.py", "seek: int = 0"),
        "C++": ("include/merklize/hash.hpp", "std::uint64_t seek = 0"),
        "JavaScript": ("web/js/hash.js", "seek = 0"),
        "command": ("src/command/hash/command.cpp", 'count_value(arguments, "seek").value_or(0)'),
    }),
    Default("the device", "auto", {
        "Python": (PYTHON + "_options.py", '{"device": "auto"}'),
        "C++": ("include/merklize/device.hpp", "Device device{};"),
        "C": (SEAM + "options.h", 'null: that of the stream, else "auto"'),
        "Rust": (RUST + "options.rs", "device: Option<&'a Device>,"),
        "command": ("src/command/line/options.hpp", "Where to compute (auto)"),
    }),
    Default("threads of the CPU", "all that the process may use", {
        "Python": (PYTHON + "_options.py", "threads: int | None"),
        "C++": ("include/merklize/device.hpp", "unsigned threads = 0;"),
        "C": (SEAM + "options.h", "0: all that the process may use"),
        "Rust": (RUST + "options.rs", "threads: u32,"),
        "command": ("src/command/line/options.hpp", "CPU threads to use; 0 means all."),
    }),
    Default("children of a node of a commitment", "2", {
        "Python": (PYTHON + "prover.py", "arity: int = 2"),
        "C++": ("include/merklize/matrix_commitment.hpp", "unsigned arity = 2;"),
        "C": (SEAM + "matrices.h", "0 is 2"),
        "JavaScript": ("web/js/matrices.js", "options.arity ?? 2"),
    }),
    Default("layers between cap and root", "0", {
        "Python": (PYTHON + "prover.py", "cap_height: int = 0"),
        "C++": ("include/merklize/matrix_commitment.hpp", "unsigned cap_height = 0;"),
        "C": (SEAM + "matrices.h", "0: the cap is the root"),
        "JavaScript": ("web/js/matrices.js", "options.capHeight ?? 0"),
    }),
    Default("bytes to which a manifest places differences", "1 MiB", {
        "Python": (PYTHON + "manifests/_manifest.py", "PIECE_SIZE = 1 << 20"),
        "C++": ("include/merklize/manifest.hpp", "default_piece_size = std::uint64_t{1} << 20"),
        "C": (SEAM + "manifests.h", "0: 1 MiB"),
        "Rust": (RUST + "manifest.rs", "piece_size: 1 << 20"),
        "command": ("src/command/manifest/command.cpp", "value_or(options.piece_size)"),
    }),
    Default("the format of an outboard", "bao: groups of 1 KiB, the size in front", {
        "Python": (PYTHON + "bao/calls.py", 'format: str = "bao"'),
        "C++": ("include/merklize/bao.hpp", "inline constexpr BaoForm bao_form{};"),
        "C": (SEAM + "bao.h", "Null, or all fields zero, is the layout of bao 0.13."),
        "Rust": (RUST + "bao.rs", "fn default() -> Self { Self::BAO }"),
        "command": ("src/command/bao/common.hpp", "bao: groups of 1 KiB, size in front (the default)"),
    }),
    Default("where dm-verity hashes the salt", "before each block: format 1 of the command and of veritysetup", {
        "Python": (PYTHON + "formats/_dm_verity.py", "salt_after: bool = False"),
        "C++": ("include/merklize/dm_verity.hpp", "bool salt_after = false;"),
        "C": (SEAM + "dm_verity.h", "salt_after; /* 0: format 1, the salt comes before each block;"),
        "Rust": (RUST + "formats/dm_verity.rs", "pub salt_after: bool"),
        "command": ("src/command/verity/command.cpp", "1 (the default), or 0, Chrome OS's"),
    }),
    Default("bytes of a block of fs-verity", "4096", {
        "Python": (PYTHON + "formats/_files.py", "block_size: int = 4096"),
        "C++": ("include/merklize/file_formats.hpp", "std::uint32_t block_size = 4096;"),
        "C": (SEAM + "formats.h", "0: 4096"),
    }),
    Default("bytes of a piece of BitTorrent", "1 MiB", {
        "Python": (PYTHON + "formats/_files.py", "piece_length: int = 1 << 20"),
        "C++": ("include/merklize/file_formats.hpp", "std::uint64_t piece_length = 1 << 20"),
        "C": (SEAM + "formats.h", "0: 1 MiB"),
    }),
]  # fmt: skip

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
    # A module may have the name of its type: manifests::create().
    for text in (re.sub(f"^(?:{MODULES})+", "", name), name):
        if words := frozenset(word.removesuffix("s") for word in text.split("_")) - OWN_WORDS:
            return words
    raise ValueError(f"{call}: no word of the name is left")


def verb_of(call: str) -> str:
    """The name of a command in its group."""
    return parsed(call)[0].split()[-1]


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
        first = next(cell for cell in (*row.cells, row.command) if cell)
        names = {words_of(call) for call in first.split(" / ")}
        for language, cell in row.by_language().items():
            if language == "command":
                is_same = not cell or verb_of(cell) in re.findall("[a-z]+", " ".join(row.cells))
            else:
                is_same = not cell or bool(names & {words_of(call) for call in cell.split(" / ")})
            if not is_same:
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
                elif not any(is_in_order([one for one in wanted if one[0] != "-"], overload) for overload in overloads):
                    met.add((row.concept, language))
                    if (row.concept, language) not in DEVIATIONS:
                        found.append(f"{where}: its arguments stand in another order: {overloads}")
    for default in DEFAULTS:
        for language, (path, words) in default.says.items():
            text = re.sub(r"\n \* ", " ", (public_names.ROOT / path).read_text())  # lines of C's comments
            if words not in " ".join(text.split()):
                found.append(f"default of {default.what}, {language}: {path} no longer says {words!r}")
    found += [f"{', '.join(one)}: listed as a deviation, and there is none" for one in DEVIATIONS if one not in met]
    found += [f"{', '.join(one)}: listed as another name, and it is none" for one in OTHER_NAMES if one not in renamed]
    return found


def lines_of(head: str, below: str, cells: dict[str, str]) -> list[str]:
    """Lines of a table, one a language. Their first cells are `head`, `below` and then empty."""
    given = [(language, cells[language]) for language in LANGUAGES if cells.get(language)]
    firsts = [head, below] if below and len(given) > 1 else [f"{head}: {below}" if below else head]
    return [
        f"| {firsts[i] if i < len(firsts) else ''} | {language} | {cell} |" for i, (language, cell) in enumerate(given)
    ]


def page() -> str:
    known = {language: public_names.signatures(language) for language in LANGUAGES}
    lines = [
        "# One table of all languages",
        "",
        "<!-- Written by scripts/surfaces.py, which compares it with the sources. -->",
        "",
        "The names of each function in all languages, with its main arguments. Their order is the same everywhere:",
        "what is hashed or verified, then how (a hash, a mode or a form), then the place of the result. Other",
        "arguments follow. A language that has no line lacks the function. In JavaScript `options` hold the hash and",
        "the mode. In C the object comes first. The command takes options in any order. The words are those of the",
        "[glossary](glossary.md).",
    ]
    for subject, subject_rows in SUBJECTS.items():
        lines += [
            "",
            f"## {subject}",
            "",
            "| what, and in which order | language | name and main arguments |",
            "|---|---|---|",
        ]
        for row in subject_rows:
            cells = {}
            for language, cell in row.by_language().items():
                calls = cell.split(" / ") if cell else []
                if language == "command":
                    calls = [" ".join([name, *given]) for name, given in map(parsed, calls)]
                if (row.concept, language) in DEVIATIONS:
                    calls = [as_declared(call, known[language][parsed(call)[0]]) for call in calls]
                cells[language] = "<br>".join(f"`{call}`" for call in calls)
            lines += lines_of(f"**{row.concept}**", row.order, cells)
    lines += ["", "## Defaults", "", "| what, and its value | language | where its source says so |", "|---|---|---|"]
    for default in DEFAULTS:
        # A bar would end the cell; renderers differ on "\\|" in backticks.
        words = {
            language: f"<code>{html.escape(words, quote=False).replace('|', '&#124;')}</code>"
            for language, (_, words) in default.says.items()
        }
        lines += lines_of(f"**{default.what}**", default.value, words)
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

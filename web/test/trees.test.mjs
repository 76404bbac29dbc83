// Trees of leaves and their proofs: byte for byte those of the library, and those of RFC 6962.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { both, bytes, counted, hex, library, merklize, needsLibrary, vectors } from './common.mjs';

const { MerkleTree, TreeFile, explain, hash, merkleRoot, parseProof, verify, verifyConsistency } = merklize;

test('a tree as text, also in the console of Node', () => {
    const tree = new MerkleTree(counted(96)), text = `<MerkleTree: 3 leaves, blake3, root ${hex(tree.root)}>`;
    assert.deepEqual([String(tree), inspect(tree)], [text, text]);
});

test('trees and proofs of the library: nodes, bytes and JSON', needsLibrary, async () => {
    const seen = new Set(), byTree = new Map(), nameOf = ({ hash: name, root: top, key }, rule, n) => [name, top, key, rule, n].join();
    for (const entry of library.proofs) {
        const proof = parseProof(bytes(entry.proof)), name = nameOf(entry, proof.rule, proof.nLeaves);
        byTree.set(name, [...(byTree.get(name) ?? []), { entry, proof }]);
    }
    for (const given of library.trees) {
        const { file, hash: name, rule, key, n_leaves: n } = given, mode = key ? { key: bytes(key) } : {}, how = { hash: name, rule, ...mode };
        const theirs = await TreeFile.open(bytes(file)), leaves = await theirs.read(0, 0, n), tree = new MerkleTree(leaves, how);
        assert.deepEqual([tree.hash, tree.rule, tree.nLeaves, tree.height, hex(tree.root)], [name, rule, n, theirs.height, given.root]);
        for (let level = 0; level <= tree.height; level++)
            assert.equal(hex(tree.level(level)), hex(await theirs.read(level, 0, Number(theirs.levelSize(level)))), `level ${level} of ${n}, ${rule}`);
        assert.equal(hex(merkleRoot(leaves, how)), given.root);
        for (const { entry, proof } of byTree.get(nameOf(given, rule, n))) {
            const { kind, indices, oldLeaves } = proof, isRange = kind === 1 && indices.at(-1) - indices[0] === BigInt(indices.length - 1);
            const range = isRange ? [Number(indices[0]), indices.at(-1) + 1n] : null;
            const made = kind === 0 ? tree.prove(indices[0]) : kind === 1 ? tree.proveTogether([...indices].reverse()) : tree.proveConsistency(Number(oldLeaves));
            const ofFile = await (kind === 0 ? theirs.prove(indices[0], mode) : kind === 1 ? theirs.proveTogether(indices, mode) : theirs.proveConsistency(oldLeaves));
            const ranges = isRange ? [tree.proveRange(...range), await theirs.proveRange(...range, mode)] : [];
            for (const one of [made, ofFile, ...ranges, proof, parseProof(entry.json)]) {
                assert.equal(hex(one.toBytes()), entry.proof, entry.json);
                assert.equal(one.toJson(), entry.json);
            }
            if (kind !== 2) assert.equal(verify(made, tree.root, { ...mode, expect: { hash: name, rule } }), true);
            seen.add(`${name} ${rule} ${kind} ${isRange}`);
        }
    }
    assert.ok(seen.size > 300, `${seen.size} kinds of proofs`);
});

test('a proof of a tree file reads what it needs, neighbours at once', needsLibrary, async () => {
    let reads = 0;
    class Source extends Blob {
        slice(...range) {
            reads++;
            return super.slice(...range);
        }
    }
    const { file, n_leaves: n, root } = library.trees.find(({ n_leaves: leaves, rule, hash: name }) => leaves === 13 && rule === 'left_full' && name === 'blake3');
    const tree = await TreeFile.open(new Source([bytes(file)])), readsOf = async (made) => {
        reads = 0;
        const proof = await made();
        assert.equal([proof].flat().every((one) => verify(one, root)), true);
        return reads;
    };
    assert.equal(await readsOf(() => tree.proveRange(0, n)), 1, 'all leaves');
    assert.equal(await readsOf(() => tree.proveRange(2, 11)), 3, 'leaves 2 to 11, of which 11 is a sibling, and two nodes above');
    assert.equal(await readsOf(() => tree.prove(4)), 4, 'a leaf with its sibling, and three nodes above');
    assert.equal(await readsOf(() => tree.prove([4, 5n])), 9);
    for (const [made, text] of [
        [() => tree.proveRange(0, n + 1), 'TreeFile.proveRange: first and last must be integers, 0 <= first < last <= 13, got 0 and 14'],
        [() => tree.proveTogether([1, 1]), 'TreeFile.proveTogether: give each index once, got 1 twice'],
        [() => tree.proveTogether([0], { rule: 'pad' }), "TreeFile.proveTogether: unknown option 'rule'; known: key, context"],
        [() => tree.proveConsistency(14n), 'TreeFile.proveConsistency: the old tree must have 1 to 13 leaves, got 14'],
        [() => tree.prove([0, 13]), 'TreeFile.prove: the index must be an integer below the 13 leaves, got 13'],
    ]) await assert.rejects(made(), { name: 'MerklizeError', message: text });
});

test('formats of the library', needsLibrary, () => {
    for (const { name, hash: of, rule, leaves, records, root: expected, root_of_records: ofRecords } of library.formats) {
        const tree = new MerkleTree(leaves, { format: name });
        assert.deepEqual([tree.hash, tree.rule, hex(tree.root)], [of, rule, expected], name);
        assert.equal(hex(merkleRoot(leaves, { format: name })), expected, name);
        if (ofRecords) assert.equal(hex(MerkleTree.fromMessages(records.map(bytes), { format: name }).root), ofRecords, name);
        else assert.throws(() => MerkleTree.fromMessages(records.map(bytes), { format: name }), /format 'ssz' hashes no messages/);
    }
    assert.equal(library.formats.length, 9);
});

test('RFC 6962: trees of records, paths and consistency', () => {
    const { inputs, leaf_hashes: leaves, roots, paths, consistency } = vectors('rfc6962'), format = 'rfc6962';
    roots.forEach((expected, i) => assert.equal(hex(MerkleTree.fromMessages(inputs.slice(0, i + 1).map(bytes), { format }).root), expected));
    for (const { index, n_leaves: n, siblings } of paths) {
        const tree = new MerkleTree(leaves.slice(0, n), { format });
        assert.deepEqual(tree.prove(index).siblings.map(hex), siblings);
        assert.equal(verify(tree.prove(index), tree.root, { expect: { nLeaves: n, index, leaf: leaves[index], rule: 'left_full' } }), true);
    }
    for (const { old_leaves: old, new_leaves: n, nodes } of consistency)
        assert.deepEqual(new MerkleTree(leaves.slice(0, n), { format }).proveConsistency(old).nodes.map(hex), nodes);
    const empty = new MerkleTree([], { format });
    assert.equal(hex(empty.root), 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855', "SHA-256 of nothing: RFC 6962's empty tree");
    assert.equal(hex(merkleRoot([], { format })), hex(empty.root));
    assert.throws(() => empty.prove(0), /MerkleTree.prove: the index must be an integer below the 0 leaves, got 0/);
});

both('every proof of every size leads to the root', () => {
    const all = counted(32 * 40);
    for (const rule of ['left_full', 'pad', 'duplicate_last']) {
        for (let n = 1; n <= 40; n += n < 18 ? 1 : 11) {
            const tree = new MerkleTree(all.subarray(0, 32 * n), { rule, padding: rule === 'pad' ? counted(32) : undefined });
            assert.equal(tree.nodes.length, 32 * (2 ** tree.height + n));
            tree.prove(Array.from({ length: n }, (_, i) => i)).forEach((proof, index) => {
                assert.equal(verify(proof, tree.root, { expect: { nLeaves: n, index, rule, leaf: all.subarray(32 * index, 32 * index + 32) } }), true);
                assert.equal(verify(proof, tree.root, { expect: { index: index + 1 } }), false);
            });
            const some = tree.proveTogether(Array.from({ length: n }, (_, i) => i).filter((i) => i % 3 !== 1));
            assert.equal(verify(some.toBytes(), tree.root), true);
            for (let old = 1; rule === 'left_full' && old <= n; old++) {
                const older = new MerkleTree(all.subarray(0, 32 * old)).root;
                assert.equal(verifyConsistency(tree.proveConsistency(old), older, tree.root), true, `${old} of ${n}`);
                assert.equal(verifyConsistency(tree.proveConsistency(old).toJson(), hash(older), tree.root), false);
            }
        }
    }
});

test('a tree is of a copy of its leaves, and gives copies', () => {
    const leaves = Buffer.from(counted(96)), tree = new MerkleTree(leaves), before = hex(tree.root), key = Buffer.from(counted(32));
    const keyed = new MerkleTree(Buffer.from(leaves), { rule: 'pad', key }), proof = keyed.prove(2).toJson();
    leaves.fill(0);
    tree.prove(0).leaves[0].fill(1);
    tree.root.fill(1);
    keyed.prove(2).siblings.forEach((sibling) => sibling.fill(1)); // one is padding
    assert.equal(hex(tree.root), before);
    assert.equal(explain(tree.prove(0), before).valid, true);
    key.fill(0);
    assert.equal(keyed.prove(2).toJson(), proof);
    const one = Buffer.from(counted(32)), only = merkleRoot(one);
    one.fill(0);
    assert.equal(hex(only), hex(counted(32)));
});

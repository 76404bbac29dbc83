// Trees of @openzeppelin/merkle-tree against what that package made (tests/vectors/keccak256_trees.json).
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { bytes, merklize, vectors } from './common.mjs';

const { OpenZeppelinTree, openZeppelin, openZeppelinSimple, verifyOpenZeppelin } = merklize;
const counter = (n) => Array.from({ length: n }, (_, k) => Uint8Array.from({ length: 32 }, (_, i) => (32 * k + i) % 251));

function treeOf(given) {
    if (given.variant === 'oz_simple') return openZeppelinSimple(given.leaves_hex ?? counter(given.n), { sortLeaves: given.sort_leaves ?? true });
    const values = given.values_rule ? Array.from({ length: given.n }, (_, k) => [`0x${(0x1111 * (k + 1)).toString(16).padStart(40, '0')}`, BigInt(1000000007 * k)]) : given.values;
    return openZeppelin(values, given.types);
}

test('trees of the package: roots, leaves, nodes, proofs, dumps', () => {
    const seen = new Set();
    for (const given of vectors('keccak256_trees').filter(({ variant }) => /^oz_/.test(variant))) {
        const tree = treeOf(given), all = Array.from({ length: tree.nLeaves }, (_, i) => i);
        assert.equal(tree.root, given.root);
        if (given.leaf_hashes) assert.deepEqual(all.map((i) => tree.leaf(i)), given.leaf_hashes);
        if (given.tree) assert.deepEqual(tree.nodes, given.tree);
        if (given.proof0) assert.deepEqual(tree.prove(0), given.proof0);
        if (given.proofs) assert.deepEqual(all.map((i) => tree.prove(i)), given.proofs);
        if (given.multiproof) {
            const { indices, leaves, proof } = given.multiproof, flags = given.multiproof.proofFlags ?? given.multiproof.proof_flags ?? given.multiproof.flags;
            assert.deepEqual(tree.proveTogether(indices), { leaves, proof, proofFlags: flags });
        }
        if (given.dump) {
            assert.equal(JSON.stringify(tree.dump()), JSON.stringify(given.dump), 'the same text');
            assert.equal(OpenZeppelinTree.load(JSON.stringify(given.dump)).root, tree.root);
        }
        assert.deepEqual(OpenZeppelinTree.load(tree.dump()).nodes, tree.nodes);
        for (const i of new Set([0, all.length >> 1, all.length - 1])) {
            assert.equal(tree.verify(i, tree.prove(i)) && verifyOpenZeppelin(tree.prove(i), tree.root, tree.leaf(i)), true);
            assert.equal(tree.verify(i, [...tree.prove(i), '00'.repeat(32)]), false);
        }
        Object.keys(given).forEach((name) => seen.add(name));
    }
    for (const name of ['leaf_hashes', 'proof0', 'tree', 'proofs', 'multiproof', 'dump', 'sort_leaves']) assert.ok(seen.has(name), name);
});

test('values are written in any of their forms', () => {
    const types = ['address', 'uint8', 'int16', 'bytes4', 'bool', 'bytes', 'uint256[2]'];
    const text = ['0x' + '11'.repeat(20), '255', '-2', '0x01020304', true, '0x0506', ['1', '0x2']];
    const other = [bytes('11'.repeat(20)), 255, -2n, bytes('01020304'), true, Buffer.from('0506', 'hex'), [1n, 2]];
    assert.equal(openZeppelin([other], types).root, openZeppelin([text], types).root);
    assert.deepEqual(openZeppelin([other], types).dump().values[0].value, [text[0], 255, '-2', '0x01020304', true, '0x0506', ['1', 2]]);
});

test('a tree keeps a copy of its values and types, and gives copies', () => {
    const types = ['bytes', 'uint8[][]', 'function'], pair = { address: `0x${'11'.repeat(20)}`, selector: '0x01020304' };
    const values = [[Buffer.from('0506', 'hex'), [[1, 2], []], pair], [new DataView(new ArrayBuffer(1)), [[3]], pair]];
    const tree = openZeppelin(values, types), dump = JSON.stringify(tree.dump());
    assert.equal(OpenZeppelinTree.load(dump).root, tree.root);
    values[0][0].fill(0);
    values[0][1][0][0] = 9;
    values[1][1].push([7]);
    values.push([]);
    types.push('bool');
    pair.selector = '0x';
    const given = tree.dump(), loaded = OpenZeppelinTree.load(given);
    Object.assign(given, { leafEncoding: given.leafEncoding.fill('bool') }).values[0].value[1][0][0] = 9;
    for (const own of [tree, loaded]) assert.equal(JSON.stringify(own.dump()), dump);
    assert.equal(Object.getPrototypeOf(tree.values[0][0]), Uint8Array.prototype);
});

test('values in the spellings that the package takes, and no others', () => {
    const { cases } = JSON.parse(readFileSync(new URL('../../tests/vectors/openzeppelin_values.json', import.meta.url), 'utf8'));
    const isUnsafe = (value) => (Array.isArray(value) ? value.some(isUnsafe) : Number.isInteger(value) && !Number.isSafeInteger(value));
    const rootOf = ({ types, values }) => {
        try {
            return (types === null ? openZeppelinSimple(values) : openZeppelin(values, types)).root;
        } catch (error) {
            assert.equal(error.name, 'MerklizeError');
            return null;
        }
    };
    for (const given of cases) {
        assert.equal(rootOf(given), isUnsafe(given.values) ? null : given.root, JSON.stringify(given));
        if (given.dump !== null) assert.equal(OpenZeppelinTree.load(given.dump).root, given.root, given.dump);
    }
    assert.throws(() => OpenZeppelinTree.load(cases.find(({ dump }) => dump).dump.replace('{', '{"format": "standard-v1", ')), /the key 'format' is there twice/);
});

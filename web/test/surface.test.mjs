// The rows of tests/vectors/surface.json: calls with their results and errors, the same in all languages.
import assert from 'node:assert/strict';
import { counted, hex, merklize, vectors } from './common.mjs';
import { test } from 'node:test';

const { Hasher, MerkleTree, hash, hashEach, hashRows, merge, merkleRoot, openZeppelinSimple, pieceCid } = merklize;
const file = vectors('surface');

const digest = (i) => Uint8Array.from({ length: 32 }, (_, k) => (i === 255 ? 255 : k === 0 ? i : 0));
const some = (n) => Array.from({ length: n }, (_, i) => digest(i));
const treeOf = (leaves, options) => new MerkleTree(some(leaves), mode(options));
const proofOf = (proof) => hex(hash(proof.toBytes()));

/** Options with the bytes of a key. */
function mode({ key, ...options }) {
    return key === undefined ? options : { ...options, key: counted(key) };
}

const calls = {
    hash: ({ data, ...options }) => hex(hash(counted(data), mode(options))),
    hash_named: ({ name, ...rest }) => hash(counted(0), { hash: name, ...rest }),
    hash_each: ({ messages, ...options }) => hex(hashEach(messages.map(counted), options)),
    hasher: ({ data, ...options }) => hex(new Hasher(mode(options)).update(counted(data)).digest()),
    hash_leaves: ({ data, row, ...options }) => hex(hashRows(counted(data), row, mode(options))),
    merge: ({ left, right, ...options }) => hex(merge(digest(left), digest(right), mode(options))),
    from_messages: ({ messages, ...options }) => hex(MerkleTree.fromMessages(messages.map(counted), options).root),
    merkle_root: ({ leaves, ...options }) => hex(merkleRoot(some(leaves), mode(options))),
    tree: ({ leaves, ...options }) => hex(treeOf(leaves, options).root),
    level: ({ leaves, level, ...options }) => hex(treeOf(leaves, options).level(level)),
    prove: ({ leaves, index, ...options }) => proofOf(treeOf(leaves, options).prove(index)),
    prove_together: ({ leaves, indices, ...options }) => proofOf(treeOf(leaves, options).proveTogether(indices)),
    prove_range: ({ leaves, first, last, ...options }) => proofOf(treeOf(leaves, options).proveRange(first, last)),
    prove_consistency: ({ leaves, old_leaves, ...options }) => proofOf(treeOf(leaves, options).proveConsistency(old_leaves)),
    format: ({ name, ...rest }) => new MerkleTree(some(1), { format: name, ...rest }),
    piece_cid: ({ data, ...rest }) => (assert.deepEqual(rest, {}), pieceCid(counted(data)).v2),
    openzeppelin_prove: ({ leaves, index, ...rest }) => openZeppelinSimple(some(leaves), rest).prove(index).map((node) => node.slice(2)).join(''),
    openzeppelin: ({ leaves, ...rest }) => openZeppelinSimple(some(leaves), rest).root.slice(2),
};

test('rows of surface.json', () => {
    let count = 0;
    for (const { call, with: options, gives, refuses, but = {}, without = {} } of file.rows) {
        const name = file.calls[call].js;
        if (name === null || without.js !== undefined) continue;
        assert.ok(call in calls, `a row of an unknown call: ${call}`);
        count++;
        const row = JSON.stringify([call, options], (_, value) => (typeof value === 'bigint' ? String(value) : value));
        if (gives !== undefined) {
            assert.equal(calls[call](options), gives, row);
            continue;
        }
        const rule = but.js ?? refuses, text = rule.startsWith('!') ? rule.slice(1) : `${name}: ${rule}`;
        let got = 'no error';
        try {
            calls[call](options);
        } catch (error) {
            got = error.message;
            assert.deepEqual([error.constructor, error.name, error.code], [merklize.MerklizeError, 'MerklizeError', 'invalid_argument'], row);
        }
        assert.equal(text.endsWith('...') && got.startsWith(text.slice(0, -3)) ? text : got, text, row);
    }
    assert.ok(count >= 190, `${count} rows`);
});

// What is verified does not say how much of it is: verifier x lying count, index, level, size, hash, rule or position.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytes, hex, library, merklize, needsLibrary } from './common.mjs';

const { MerkleTree, OpenZeppelinTree, TreeFile, hash, openZeppelin, openZeppelinSimple, parseProof, verify, verifyConsistency, verifyEach } = merklize;
const digest = (i) => hash(Uint8Array.of(i));
const leaves = Array.from({ length: 18 }, (_, i) => digest(i));
const tree = new MerkleTree(leaves);
const counts = [1, 2, 16, 17, 19, 32, 36, 2 ** 31, 2 ** 53 - 1, 2n ** 58n];
const lies = {
    nLeaves: counts,
    index: [0, 1, 4, 6, 16, 17, 18, 2 ** 31 + 5, 2 ** 53 - 1, 2n ** 58n - 1n],
    hash: ['blake2s', 'sha256', 'keccak256', 'keccak256_sorted'],
    rule: ['perfect', 'pad', 'duplicate_last'],
};

test('claims of a proof are those that the caller expects, or it is not valid', () => {
    for (const index of [0, 5, 16, 17]) {
        const proof = parseProof(tree.prove(index)), known = { nLeaves: 18, index, hash: 'blake3', rule: 'left_full' };
        assert.equal(verify(proof, tree.root, { expect: known }), true);
        for (const [field, values] of Object.entries(lies)) {
            for (const value of values) {
                if (value === known[field]) continue;
                const lie = { ...proof, ...(field === 'index' ? { indices: [value] } : { [field]: value }) };
                assert.equal(verify(lie, tree.root, { expect: { [field]: known[field] } }), false, `${field} ${value}`);
                assert.deepEqual(verifyEach([lie], tree.root, { expect: { [field]: known[field] } }), [false]);
                if (field === 'hash' || field === 'index') assert.equal(verify(lie, tree.root), false, `${field} ${value} of ${index}`);
            }
        }
    }
});

test('claims of a proof of several leaves', () => {
    const proof = parseProof(tree.proveTogether([0, 16, 17])), known = { nLeaves: 18, hash: 'blake3', rule: 'left_full' };
    assert.equal(verify(proof, tree.root, { expect: known }), true);
    for (const field of ['nLeaves', 'hash', 'rule'])
        for (const value of lies[field]) assert.equal(verify({ ...proof, [field]: value }, tree.root, { expect: { [field]: known[field] } }), false, `${field} ${value}`);
    for (const indices of [[0, 16, 16], [0, 17, 16], [16, 17, 0], [0, 16], [0, 16, 17, 17], [0, 16, 18], [1, 16, 17], [0, 16, 2 ** 40]])
        assert.equal(verify({ ...proof, indices }, tree.root), false, String(indices));
});

test('counts of a proof of consistency', () => {
    for (const old of [1, 5, 8, 16, 17]) {
        const proof = parseProof(tree.proveConsistency(old)), before = new MerkleTree(leaves.slice(0, old)).root;
        assert.equal(verifyConsistency(proof, before, tree.root), true);
        assert.equal(verifyConsistency(proof, tree.root, before), false);
        for (const k of [1, 5, 8, 16, 17, 18]) if (k !== old) assert.equal(verifyConsistency(proof, new MerkleTree(leaves.slice(0, k)).root, tree.root), false, `${old} as ${k}`);
        for (const value of counts) {
            if (value !== 18) assert.equal(verifyConsistency({ ...proof, nLeaves: value }, before, tree.root, { expect: { nLeaves: 18 } }), false, `nLeaves ${value}`);
        }
        for (const nodes of [proof.nodes.slice(1), [...proof.nodes, digest(0)], [...proof.nodes].reverse()])
            if (String(nodes) !== String(proof.nodes)) assert.equal(verifyConsistency({ ...proof, nodes }, before, tree.root), false);
    }
});

const plain = (proof) => JSON.parse(JSON.stringify(parseProof(proof), (_, value) => (typeof value === 'bigint' ? Number(value) : value)));

/** A tree file with other bytes in its header, whose checksum fits again. */
function forged(file, at, value, size) {
    const data = file.slice(), view = new DataView(data.buffer);
    if (size === 8) view.setBigUint64(at, BigInt(value), true);
    else if (size === 4) view.setUint32(at, value, true);
    else data[at] = value;
    data.set(hash(data.subarray(0, 120)).subarray(0, 8), 120);
    return data;
}

test('headers of tree files that lie, with a checksum that fits', needsLibrary, async () => {
    for (const { file, hash: name, rule, n_leaves: n, root, key } of library.trees) {
        const data = bytes(file), how = key ? { key: bytes(key) } : {}, known = { nLeaves: n, hash: name, rule };
        const fields = [[12, 4, [0, 1, 2, 3, 127, 128, 255, 2 ** 32 - 1]], [16, 1, [0, 1, 2, 3, 4, 255]], [17, 1, [0, 1, 2, 3]],
            [24, 8, [0, 1, n - 1, n + 1, 2 * n, 2n ** 56n, 2n ** 63n, 2n ** 64n - 1n]], [32, 8, [0, 1, 2n ** 63n, 2n ** 64n - 1n]], [40, 8, [1, n, 2n ** 64n - 1n]]];
        for (const [at, size, values] of fields) {
            for (const value of values) {
                let opened;
                try {
                    opened = await TreeFile.open(forged(data, at, value, size));
                } catch (error) {
                    assert.equal(error.code, 'invalid_argument', `byte ${at}: ${value}: ${error}`);
                    continue;
                }
                if (hex(opened.root) !== root) continue;
                for (let i = 0; i < n; i++) {
                    let proof;
                    try {
                        proof = await opened.prove(i, how);
                    } catch (error) {
                        assert.equal(error.code, 'invalid_argument', String(error));
                        continue;
                    }
                    const claims = plain(proof), isTrue = Number(claims.nLeaves) === n && claims.hash === name && claims.rule === rule;
                    if (!isTrue) assert.equal(verify(proof, root, { ...how, expect: known }), false, `byte ${at}: ${value}`);
                }
            }
        }
        for (let at = 128; at < data.length; at += 32) { // another node: no proof through it leads to the root
            const wrong = data.slice();
            wrong[at] ^= 1;
            const opened = await TreeFile.open(wrong).catch((error) => assert.match(String(error), /not the last node/));
            for (let i = 0; opened && i < n; i++) {
                const [good, bad] = await Promise.all([TreeFile.open(data), opened].map(async (from) => (await from).prove(i, how)));
                assert.equal(verify(bad, root, how), JSON.stringify(plain(bad)) === JSON.stringify(plain(good)), `node ${(at - 128) / 32}, leaf ${i}`);
            }
        }
    }
});

test('dumps of OpenZeppelin that lie', () => {
    const values = Array.from({ length: 7 }, (_, i) => [`0x${String(i + 1).padStart(40, '0')}`, 10 * i]);
    const trees = [openZeppelin(values, ['address', 'uint256']), openZeppelinSimple(leaves.slice(0, 7)), openZeppelinSimple(leaves.slice(0, 2)), openZeppelinSimple(leaves.slice(0, 1))];
    for (const made of trees) {
        const good = made.dump(), n = made.nLeaves, refused = (lie, why) => {
            for (const given of [lie, JSON.stringify(lie)]) assert.throws(() => OpenZeppelinTree.load(given), { code: 'invalid_argument' }, `${why} of ${n}`);
        };
        assert.equal(OpenZeppelinTree.load(good).root, made.root);
        for (let i = 0; i < n; i++) {
            const right = good.values[i].treeIndex;
            const places = [-1, 0, n - 2, 2 * n - 1, 2 ** 31 + right, 2 ** 32 + right, 2 ** 53, right + 0.5, String(right), '', '1', 'x', [right], [], null, true, false, {}];
            for (const treeIndex of places.filter((place) => place !== right)) refused({ ...good, values: good.values.with(i, { ...good.values[i], treeIndex }) }, `place ${JSON.stringify(treeIndex)} of value ${i}`);
            const other = (i + 1) % n;
            if (n === 1) continue;
            refused({ ...good, values: good.values.with(i, { ...good.values[i], treeIndex: good.values[other].treeIndex }) }, 'a place twice');
            refused({ ...good, values: good.values.with(i, good.values[other]) }, 'a value twice');
            refused({ ...good, values: good.values.with(i, { ...good.values[other], treeIndex: right }) }, 'another value');
        }
        for (let i = 0; i < 2 * n - 1; i++) refused({ ...good, tree: good.tree.with(i, `0x${'11'.repeat(32)}`) }, `node ${i}`);
        refused({ ...good, tree: good.tree.slice(1) }, 'fewer nodes');
        refused({ ...good, tree: [...good.tree, good.tree[0]] }, 'more nodes');
        refused({ ...good, values: good.values.slice(1) }, 'fewer values');
        refused({ ...good, format: good.format === 'simple-v1' ? 'standard-v1' : 'simple-v1' }, 'the other format');
        refused({ ...good, format: 'standard-v2' }, 'a later format');
    }
    const standard = trees[0].dump();
    for (const leafEncoding of [['uint256', 'address'], ['address'], ['address', 'uint128', 'uint256'], [], null, 'address', ['bytes20', 'uint256']])
        assert.throws(() => OpenZeppelinTree.load({ ...standard, leafEncoding }), { code: 'invalid_argument' }, JSON.stringify(leafEncoding));
});

// Tree files: every rule of docs/file-format.md about headers, keys, levels.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { counted, merklize } from './common.mjs';

const { MerkleTree, TreeFile, hash, hashes, merge, rules, verify } = merklize;
const modes = ['plain', 'keyed', 'derive-key'], nodesOf = (n, level) => Math.ceil(n / 2 ** level);
const zeros = new Uint8Array(32), filled = (byte) => new Uint8Array(32).fill(byte);

/** A header whose checksum fits. */
function sealed(data) {
    data.set(hash(data.subarray(0, 120)).subarray(0, 8), 120);
    return data;
}
/** A tree file of n leaves, as docs/file-format.md says. sizes: leaf_bytes and total_bytes */
function treeFile(n, { sizes = [0, 0], ...options } = {}) {
    const tree = new MerkleTree(Array.from({ length: n }, (_, i) => filled(i + 1)), options), view = new DataView(new ArrayBuffer(128));
    const { key, context, padding = zeros } = options, mode = key ? 1 : context ? 2 : 0, head = new Uint8Array(view.buffer);
    head.set(new TextEncoder().encode('MKLTREE\0'));
    view.setUint32(8, 1, true);
    view.setUint32(12, hashes.find(({ name }) => name === tree.hash).id, true);
    head[16] = rules.indexOf(tree.rule);
    head[17] = mode;
    [n, ...sizes].forEach((count, i) => view.setBigUint64(24 + 8 * i, BigInt(count), true));
    if (mode !== 0) head.set(merge(zeros, zeros, { hash: tree.hash, key, context }).subarray(0, 8), 48);
    head.set(padding, 56);
    head.set(tree.root, 88);
    const levels = n === 0 ? [] : Array.from({ length: tree.height + 1 }, (_, level) => tree.level(level));
    return new Uint8Array(Buffer.concat([sealed(head), ...levels]));
}

/** Whether a file keeps the rules of docs/file-format.md about its header, whose checksum fits. */
function keepsRules(data) {
    const view = new DataView(data.buffer), u64 = (at) => view.getBigUint64(at, true), isZero = (from, to) => !data.subarray(from, to).some(Boolean);
    const kind = hashes.find(({ id }) => id === view.getUint32(12, true)), rule = rules[data[16]], mode = data[17];
    const [n, leafBytes, totalBytes] = [24, 32, 40].map(u64), isEmpty = n === 0n && kind?.name === 'sha256_rfc6962' && rule === 'left_full';
    if (new TextDecoder('latin1').decode(data.subarray(0, 8)) !== 'MKLTREE\0' || view.getUint32(8, true) !== 1) return false;
    if (!kind || !rule || mode > ({ blake3: 2, blake2s: 1 }[kind.name] ?? 0) || !isZero(18, 24)) return false;
    if (!isEmpty && (n < 1n || n > 2n ** 56n || (rule === 'perfect' && (n & (n - 1n)) !== 0n))) return false;
    if (totalBytes !== 0n && (leafBytes === 0n || n !== (totalBytes + leafBytes - 1n) / leafBytes)) return false;
    if ((mode === 0 && !isZero(48, 56)) || (rule !== 'pad' && !isZero(56, 88))) return false;
    for (let at = 56; kind.elementBits !== 0 && at < 88; at += kind.elementBits / 8)
        if ((kind.elementBits === 64 ? u64(at) : BigInt(view.getUint32(at, true))) >= kind.modulus) return false;
    if (n > 100n) return false; // no file here has as many
    let nodes = 0;
    for (let level = 0; !isEmpty && (level === 0 || nodesOf(Number(n), level - 1) > 1); level++) nodes += nodesOf(Number(n), level);
    const root = isEmpty ? hash(new Uint8Array(0), { hash: 'sha256' }) : data.subarray(-32);
    return data.length === 128 + 32 * nodes && Buffer.compare(root, data.subarray(88, 120)) === 0;
}

const forms = [
    [3], [0, { hash: 'sha256_rfc6962' }], [1], [4, { hash: 'rp64_256_v3' }], [5, { hash: 'rpo256', rule: 'pad' }], [3, { rule: 'pad', padding: filled(9), sizes: [4, 11] }],
    [3, { hash: 'sha256', rule: 'duplicate_last' }], [8, { hash: 'poseidon2_babybear_16', rule: 'pad', sizes: [1, 8] }],
    [5, { rule: 'pad', key: counted(32) }], [5, { context: 'a context' }], [2, { hash: 'blake2s', key: counted(5) }], [3, { sizes: [5, 0] }],
];

test('a header opens if it keeps the rules: every byte of it changed, with a checksum that fits', async () => {
    const numbers = [0n, 1n, 5n, 2n ** 32n, 2n ** 56n, 2n ** 56n + 1n, 2n ** 64n - 1n];
    let kept = 0;
    for (const [n, options] of forms) {
        const right = treeFile(n, options), changed = [[0, right]];
        for (let at = 0; at < 120; at++)
            for (const bits of [1, 2, 3, 0x80, 0xff]) changed.push([at, right.with(at, right[at] ^ bits)]);
        for (let at = 24; at < 56; at += 8) {
            for (const number of numbers) {
                changed.push([at, right.slice()]);
                new DataView(changed.at(-1)[1].buffer).setBigUint64(at, number, true);
            }
        }
        for (const padding of [zeros, filled(1), filled(255)]) {
            changed.push([56, right.slice()]);
            changed.at(-1)[1].set(padding, 56);
        }
        assert.equal(keepsRules(right), true);
        for (const [at, data] of changed) {
            const name = `${n} leaves, ${JSON.stringify(options)}, byte ${at} on: ${data.subarray(at, at + 8)}`;
            const error = await TreeFile.open(sealed(data)).then(() => null, (thrown) => thrown);
            assert.equal(error === null, keepsRules(data), `${name}: ${error}`);
            if (error !== null) assert.ok(error.code === 'invalid_argument' && /^TreeFile\.open: /.test(error.message), `${name}: ${error.stack}`);
            else kept++;
        }
        for (const at of [120, 127]) await assert.rejects(TreeFile.open(right.with(at, right[at] ^ 1)), /the header is damaged/);
    }
    assert.ok(kept > 300, `${kept} changed headers keep the rules`);
});

test('what a refused header is told', async () => {
    const right = treeFile(3), at = (place, value, of = right) => sealed(of.with(place, value));
    const cases = [
        [right.subarray(0, 7), 'this is no tree file: it does not begin with MKLTREE and a zero byte'],
        [right.subarray(0, 8), 'the file must have its header of 128 bytes, got 8'],
        [right.subarray(0, 127), 'the file must have its header of 128 bytes, got 127'],
        [right.subarray(0, 128), 'the file must have 320 bytes, got 128'],
        [at(17, 3), "'blake3' has no mode 3"],
        [at(20, 1), 'bytes 18 to 23 must be zeros: a newer version may have written the file'],
        [at(48, 1), 'the key check must be zeros, because the merges are plain'],
        [at(87, 1), "the padding must be zeros under the rule 'left_full'"],
        [sealed(Uint8Array.from(treeFile(5, { hash: 'rpo256', rule: 'pad' }), (byte, i) => (i >= 56 && i < 88 ? 255 : byte))), "the padding is no digest of 'rpo256'"],
    ];
    for (const [data, text] of cases) await assert.rejects(TreeFile.open(data), { name: 'MerklizeError', code: 'invalid_argument', message: `TreeFile.open: ${text}` });
});

test('proofs and checks of a tree with a mode take its own key or context, and nothing else', async () => {
    const given = { plain: {}, keyed: { key: counted(32) }, 'derive-key': { context: 'a context' } };
    const others = { keyed: { key: filled(1) }, 'derive-key': { context: 'another context' } };
    const optionsOf = { plain: 'neither a key nor a context', keyed: 'a key', 'derive-key': 'a context' };
    for (const rule of rules) {
        for (const n of rule === 'perfect' ? [8] : [8, 11]) {
            for (const mode of modes) {
                const tree = await TreeFile.open(treeFile(n, { rule, ...given[mode] })), { root } = tree, isPadded = rule === 'pad' && n === 11;
                assert.equal(tree.mode, mode);
                const calls = {
                    prove: (how) => tree.prove(n - 1, how), proveTogether: (how) => tree.proveTogether([0, n - 1], how),
                    proveRange: (how) => tree.proveRange(1, 3, how), check: (how) => tree.check(how),
                };
                for (const [name, call] of Object.entries(calls)) {
                    const refused = (how, text) => assert.rejects(call(how), { name: 'MerklizeError', code: 'invalid_argument', message: `TreeFile.${name}: ${text}` }, `${name}, ${mode}, ${rule}`);
                    const right = (made) => assert.equal(name === 'check' ? made === null : verify(made, root, given[mode]), true, `${name}, ${mode}, ${rule}`);
                    right(await call(given[mode]));
                    for (const other of modes) {
                        if (other === mode) continue;
                        if (other === 'plain' && name !== 'check' && !isPadded) right(await call({}));
                        else await refused(given[other], `the tree's merges are ${mode}: options must have ${optionsOf[mode]}, got ${optionsOf[other]}`);
                    }
                    if (mode !== 'plain') await refused(others[mode], `the tree was made with another ${mode === 'keyed' ? 'key' : 'context'}: give that one`);
                }
                if (mode !== 'plain') // a plain tree's file whose byte says a mode
                    await assert.rejects((await TreeFile.open(sealed(treeFile(n, { rule }).with(17, modes.indexOf(mode))))).check(), /^MerklizeError: TreeFile.check: the tree's merges are /);
            }
        }
    }
});

test('levels are integers from the leaves to the root', async () => {
    for (const n of [1, 2, 11]) {
        const tree = await TreeFile.open(treeFile(n));
        for (let level = 0; level <= tree.height; level++) {
            assert.equal(tree.levelSize(level), BigInt(nodesOf(n, level)));
            assert.equal((await tree.read(BigInt(level), 0, nodesOf(n, level))).length, 32 * nodesOf(n, level));
        }
        for (const [level, got] of [[-1, '-1'], [tree.height + 1, String(tree.height + 1)], [2 ** 60, String(2 ** 60)], [0.5, '0.5'], [NaN, 'NaN'], ['0', "'0'"], ['length', "'length'"], ['map', "'map'"], [null, 'null'], [undefined, 'undefined'], [[0], 'a list of 1']]) {
            const message = (name) => `TreeFile.${name}: level must be an integer from 0, the leaves, to ${tree.height}, the root, got ${got}`;
            assert.throws(() => tree.levelSize(level), { name: 'MerklizeError', message: message('levelSize') });
            await assert.rejects(tree.read(level, 0, 1), { name: 'MerklizeError', message: message('read') });
        }
    }
    const empty = await TreeFile.open(treeFile(0, { hash: 'sha256_rfc6962' }));
    assert.equal(empty.levelSize(0), 0n);
    assert.equal((await empty.read(0, 0, 0)).length, 0);
    assert.equal(await empty.check(), null);
    await assert.rejects(empty.read(0, 0, 1), /^MerklizeError: TreeFile.read: level 0 has 0 nodes, got 1 from 0 on$/);
});

test('a path with a journal is refused: the file may have a part of a change', async () => {
    const here = mkdtempSync(join(tmpdir(), 'merklize-'));
    try {
        for (const name of ['t', 'ä b']) {
            const path = join(here, name), beside = join(here, `${name}.journal`), link = join(here, `link to ${name[0]}`);
            writeFileSync(path, treeFile(5));
            symlinkSync(path, link);
            const ways = [path, link, pathToFileURL(path)];
            for (const text of ['MKLJRNL\0', 'MKLJRNL\0 and more']) {
                writeFileSync(beside, text);
                for (const way of ways)
                    await assert.rejects(TreeFile.open(way), /^MerklizeError: TreeFile.open: .* has a journal of a change cut short: /);
            }
            for (const text of ['', 'MKLJRNL', 'somebody\'s own']) { // no change has begun, or it is no journal
                writeFileSync(beside, text);
                for (const way of ways) assert.equal((await TreeFile.open(way)).nLeaves, 5n);
            }
            rmSync(beside);
            mkdirSync(beside);
            for (const way of ways) assert.equal((await TreeFile.open(way)).nLeaves, 5n);
        }
    } finally {
        rmSync(here, { recursive: true });
    }
});

// tree_file.js: reads .mkl files (docs/file-format.md) from a Blob, a File or bytes, without reading the whole.
import { equal, findHash, findHashById, invalid, rules } from './common.js';
import { hashBytes, modeOf } from './hash.js';
import { Proof } from './proof.js';
import { m } from './ready.js';
import { heightOf, levelSize, noTree, siblingOf } from './shape.js';
import { emptyRoot, isEmptyTree, levelAbove, padAbove } from './trees.js';

const refuse = (text) => invalid(`openTree: ${text}`);

/** A tree file: {hash, rule, mode, nLeaves, leafBytes, totalBytes, padding, root, height} and node(level, index), prove(index). */
export async function openTree(source) {
    const blob = source instanceof Blob ? source : new Blob([source]);
    const read = async (offset, length) => new Uint8Array(await blob.slice(offset, offset + length).arrayBuffer());
    const head = await read(0, 128);
    const magic = new TextDecoder('latin1').decode(head.subarray(0, 8));
    if (magic === 'MKLPART\0') refuse('this tree file is not finished: the program that builds it was stopped');
    if (magic === 'MKZTREE1') refuse('this tree file has an earlier format; build the tree again');
    if (head.length < 128 || magic !== 'MKLTREE\0') refuse('this is no tree file: it does not begin with MKLTREE and a zero byte');
    const view = new DataView(head.buffer);
    if (view.getUint32(8, true) !== 1) refuse(`the version must be 1, got ${view.getUint32(8, true)}`);
    if (!equal(hashBytes(head.subarray(0, 120)).subarray(0, 8), head.subarray(120))) refuse('the header is damaged: its checksum does not fit');
    const hash = findHashById(view.getUint32(12, true)) ?? refuse(`no hash has the id ${view.getUint32(12, true)}`);
    const rule = rules[head[16]] ?? refuse(`the rule must be 0 to 3, got ${head[16]}`);
    if (head[17] > 2 || (head[17] !== 0 && !hash.isKeyed)) refuse(`'${hash.name}' has no mode ${head[17]}`);
    const nLeaves = view.getBigUint64(24, true), leafBytes = view.getBigUint64(32, true), totalBytes = view.getBigUint64(40, true);
    const isEmpty = isEmptyTree(Number(nLeaves), hash, rule);
    const none = isEmpty ? null : noTree(nLeaves, rule);
    if (none || nLeaves > 1n << 56n) refuse(none ?? `a tree file has at most 2^56 leaves, not ${nLeaves}`);
    const whole = leafBytes === 0n ? -1n : (totalBytes + leafBytes - 1n) / leafBytes;
    if (totalBytes !== 0n && nLeaves !== whole)
        refuse(`${nLeaves} leaves of ${leafBytes} bytes do not make ${totalBytes} bytes`);
    const height = isEmpty ? 0 : heightOf(nLeaves), starts = [];
    let nodes = 0n;
    for (let level = 0; level <= height && !isEmpty; level++) {
        starts.push(nodes);
        nodes += levelSize(nLeaves, level);
    }
    const size = 128n + 32n * nodes;
    if (BigInt(blob.size) !== size) refuse(`the file must have ${size} bytes, got ${blob.size}`);
    const nodesAt = async (level, first, count) => read(128 + 32 * Number(starts[level] + BigInt(first)), 32 * count);
    const node = async (level, index) => nodesAt(level, index, 1);
    const root = head.slice(88, 120), padding = head.slice(56, 88);
    if (!equal(root, isEmpty ? emptyRoot() : await node(height, 0n))) refuse('the root in the header is not the last node of the file');
    const modes = ['plain', 'keyed', 'derive-key'];

    return {
        hash: hash.name, rule, mode: modes[head[17]], nLeaves, leafBytes, totalBytes, padding, root, height, node,
        nodes: nodesAt,
        levelSize: (level) => levelSize(nLeaves, level),
        /** The proof of one leaf, from the nodes in the file. options: key or context of a tree with a mode, for padding. */
        async prove(index, options = {}) {
            let at = BigInt(index);
            if (at < 0n || at >= nLeaves) invalid(`prove: the index must be below ${nLeaves}, got ${index}`);
            const leaf = await node(0, at), siblings = [];
            let pad = padding;
            const mode = modeOf(hash, options, 'prove');
            for (let level = 0; level < height; level++, at /= 2n) {
                const sibling = siblingOf(at, nLeaves, level, rule);
                if (sibling === 'left') siblings.push(await node(level, at - 1n));
                if (sibling === 'right') siblings.push(at + 1n < levelSize(nLeaves, level) ? await node(level, at + 1n) : pad);
                pad = padAbove(pad, hash, rule, mode);
            }
            return new Proof({ kind: 0, hash: hash.name, rule, nLeaves, indices: [BigInt(index)], leaves: [leaf], siblings });
        },
        /** The first node that is not the merge of its children: {level, index}; null if there is none. Reads the whole file. */
        async check(options = {}) {
            const mode = modeOf(hash, options, 'check'), piece = 1 << 16;
            let pad = padding, done = 0;
            for (let level = 0; level < height; level++) {
                const count = Number(levelSize(nLeaves, level));
                for (let first = 0; first < count; first += piece) {
                    options.signal?.throwIfAborted();
                    const below = await nodesAt(level, first, Math.min(piece, count - first));
                    const above = await nodesAt(level + 1, first / 2, Math.ceil(below.length / 64));
                    const made = levelAbove(below, hash, rule, mode, pad);
                    const wrong = above.findIndex((byte, i) => byte !== made[i]);
                    if (wrong >= 0) return { level: level + 1, index: first / 2 + Math.floor(wrong / 32) };
                    done += below.length;
                    options.onProgress?.(Math.min(done, blob.size), blob.size);
                }
                pad = padAbove(pad, hash, rule, mode);
            }
            return null;
        },
    };
}

// trees.js: merges, digests of rows, roots of leaves.
import { findHashById, hashNamed, hashing, invalid, isBytes, itemsOf, joined, messagesOf, requireOptions, ruleNamed,
    shown, toBytes, toDigest } from './common.js';
import { formatOf, requireUnambiguous } from './formats.js';
import { digestOfMessage, modeOf } from './hash.js';
import { m } from './ready.js';

function requireElements(kind, bytes, what) {
    const i = m.firstNotElement(kind, bytes);
    if (i < 0) return;
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    const word = kind.wordBytes === 8 ? view.getBigUint64(8 * i, true) : view.getUint32(4 * i, true);
    invalid(`${what}: word ${i} is ${word}, not a field element: it must be below p = ${kind.modulus}`);
}

/** The node above two nodes. */
export function merge(left, right, options = {}) {
    requireOptions(options, hashing, 'merge');
    const kind = hashNamed(options.hash ?? 'blake3', 'merge');
    const { key, flags } = modeOf(kind, options, 'merge');
    const pair = joined([toDigest(left, 'merge: left'), toDigest(right, 'merge: right')]);
    requireElements(kind, pair, 'merge');
    return m.merge(kind, pair, key, flags);
}

/** Leaves of rows, whose words are elements if the hash is a field's. */
export function leavesOfRows(rows, rowBytes, kind, mode, what) {
    if (rowBytes % kind.rowUnit !== 0)
        invalid(`${what} has ${rowBytes} bytes; '${kind.name}' takes words of ${kind.rowUnit} bytes`);
    requireElements(kind, rows, what);
    const count = rowBytes === 0 ? 1 : rows.length / rowBytes;
    if (mode.flags === 0 && (!kind.hasChunkTree || rowBytes <= 1024)) return m.hashRows(kind, rows, rowBytes, count);
    return joined(Array.from({ length: count },
        (_, i) => digestOfMessage(kind, rows.subarray(i * rowBytes, (i + 1) * rowBytes), mode)));
}
/** Leaves of a list of messages. */
export function leavesOfMessages(messages, kind, mode, what) {
    return joined(messagesOf(messages, what).map((message, i) => {
        const at = `${what}: message ${i}`, bytes = toBytes(message, at);
        return kind.hasChunkTree ? digestOfMessage(kind, bytes, mode)
            : leavesOfRows(bytes, bytes.length, kind, mode, at);
    }));
}
export function requireRows(rows, rowBytes, what) {
    if (Array.isArray(rows))
        invalid(`${what}: rows must be bytes, one row after another, got ${shown(rows)}; `
            + 'hashLeaves() takes a list of messages');
    const bytes = toBytes(rows, `${what}: rows`);
    if (Number.isSafeInteger(rowBytes) && rowBytes >= 1 && bytes.length % rowBytes === 0) return bytes;
    return invalid(`${what}: rowBytes must be an integer >= 1 that divides the ${bytes.length} bytes of the rows, `
        + `got ${shown(rowBytes)}`);
}

/** Rows of `rowBytes` bytes, one after another -> their digests as leaves, [n, 32] bytes. */
export function hashRows(rows, rowBytes, options = {}) {
    requireOptions(options, hashing, 'hashRows');
    const kind = hashNamed(options.hash ?? 'blake3', 'hashRows'), bytes = requireRows(rows, rowBytes, 'hashRows');
    return leavesOfRows(bytes, rowBytes, kind, modeOf(kind, options, 'hashRows'), 'hashRows: a row');
}

/** A list of messages of any lengths -> their leaves, [n, 32] bytes. */
export function hashLeaves(messages, options = {}) {
    requireOptions(options, hashing, 'hashLeaves');
    const kind = hashNamed(options.hash ?? 'blake3', 'hashLeaves');
    return leavesOfMessages(messages, kind, modeOf(kind, options, 'hashLeaves'), 'hashLeaves');
}

/** The level above some nodes. `pad` is the root of padding alone, with which an odd node is merged under the rule pad.
 */
export function levelAbove(below, kind, rule, mode, pad, level = new Uint8Array(32 * Math.ceil(below.length / 64))) {
    const n = below.length / 32, pairs = Math.floor(n / 2);
    m.merge(kind, below.subarray(0, 64 * pairs), mode.key, mode.flags, level);
    if (n % 2 !== 0) {
        const oddNode = below.subarray(32 * (n - 1));
        const parent = rule === 'left_full' ? oddNode
            : m.merge(kind, joined([oddNode, rule === 'pad' ? pad : oddNode]), mode.key, mode.flags);
        level.set(parent, 32 * pairs);
    }
    return level;
}
/** The root of padding alone, one level up. */
export const padAbove = (pad, kind, rule, mode) =>
    (rule === 'pad' ? m.merge(kind, joined([pad, pad]), mode.key, mode.flags) : pad);

/** RFC 6962's tree of no leaves, by the hash of that format alone. Its root is SHA-256 of nothing. */
export const isEmptyTree = (n, kind, rule) => n === 0 && kind.id === 4 && rule === 'left_full';
export const emptyRoot = () => m.digestOf(findHashById(32), new Uint8Array(0), null, 0);

/** The facts in a tree's options: {format, kind, rule, mode, padding}. */
export function treeOptions(options, what) {
    requireOptions(options, [...hashing, 'format', 'rule', 'padding'], what);
    const format = formatOf(options, what);
    const kind = hashNamed(format?.hash ?? options.hash ?? 'blake3', what);
    const rule = ruleNamed(format?.rule ?? options.rule ?? (kind.isField ? 'perfect' : 'left_full'), what);
    if (options.padding !== undefined && rule !== 'pad')
        invalid(`${what}: padding is for the rule 'pad' alone, not for '${rule}'`);
    const padding = options.padding === undefined ? new Uint8Array(32) : toDigest(options.padding, `${what}: padding`);
    requireElements(kind, padding, `${what}: padding`);
    return { format, kind, rule, mode: modeOf(kind, options, what), padding: new Uint8Array(padding) };
}

/** A tree's leaves, [n, 32] bytes, of such bytes or a list of digests. They may be the caller's own. */
export function leavesOf(leaves, { kind, rule }, what) {
    const items = itemsOf(leaves);
    let bytes;
    if (items) {
        bytes = new Uint8Array(32 * items.length);
        items.forEach((leaf, i) =>
            bytes.set(toDigest(leaf, `${what}: leaf ${i}`, '; MerkleTree.fromMessages() hashes messages'), 32 * i));
    } else if (isBytes(leaves)) {
        bytes = toBytes(leaves, `${what}: leaves`);
    } else {
        invalid(`${what}: leaves must be bytes, 32 a leaf, or a list of digests, got ${shown(leaves)}; `
            + 'MerkleTree.fromMessages() hashes messages');
    }
    const n = bytes.length / 32;
    if (isEmptyTree(n, kind, rule)) return bytes;
    if (!Number.isInteger(n))
        invalid(`${what}: leaves must be 32 bytes each, got ${bytes.length} bytes; MerkleTree.fromRows() hashes rows`);
    if (n === 0) invalid(`${what}: leaves must be at least 1, got 0`);
    if (rule === 'perfect' && (n & (n - 1)) !== 0)
        invalid(`${what}: the count of leaves must be a power of two under the rule 'perfect', got ${n}; `
            + "the rules 'left_full', 'pad' and 'duplicate_last' take any count");
    requireElements(kind, bytes, `${what}: leaves`);
    return bytes;
}

/** The root of leaves, [n, 32] bytes or a list of digests. */
export function merkleRoot(leaves, options = {}) {
    const { format, kind, rule, mode, padding } = treeOptions(options, 'merkleRoot');
    let level = leavesOf(leaves, { kind, rule }, 'merkleRoot');
    if (level.length === 0) return emptyRoot();
    for (let pad = padding, k = 0; level.length > 32; pad = padAbove(pad, kind, rule, mode), k++) {
        requireUnambiguous(format, k, level, 'merkleRoot');
        level = levelAbove(level, kind, rule, mode, pad);
    }
    return new Uint8Array(level);
}

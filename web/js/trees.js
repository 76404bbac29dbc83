// trees.js: merges, digests of rows, roots of leaves.
import { findHashById, hashNamed, invalid, joined, listOf, ruleNamed, toBytes, toDigest } from './common.js';
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
    const kind = hashNamed(options.hash ?? 'blake3', 'merge');
    const { key, flags } = modeOf(kind, options, 'merge');
    const pair = new Uint8Array(64);
    pair.set(toDigest(left, 'merge: left'));
    pair.set(toDigest(right, 'merge: right'), 32);
    requireElements(kind, pair, 'merge');
    return m.merge(kind, pair, key, flags);
}

/** Leaves of rows, whose words are elements if the hash is a field's. mode: BLAKE3's */
export function leavesOfRows(rows, rowBytes, kind, mode, what) {
    if (rowBytes % kind.rowUnit !== 0) invalid(`${what} has ${rowBytes} bytes; '${kind.name}' takes words of ${kind.rowUnit} bytes`);
    requireElements(kind, rows, what);
    const count = rowBytes === 0 ? 1 : rows.length / rowBytes;
    if (!kind.hasChunkTree || (mode.flags === 0 && rowBytes <= 1024)) return m.hashRows(kind, rows, rowBytes, count);
    return joined(Array.from({ length: count }, (_, i) => digestOfMessage(kind, rows.subarray(i * rowBytes, (i + 1) * rowBytes), mode)));
}
/** Leaves of a list of messages. */
export function leavesOfMessages(messages, kind, mode, what) {
    return joined(listOf(messages, what).map((message, i) => {
        const at = `${what}: message ${i}`, bytes = toBytes(message, at);
        return leavesOfRows(bytes, bytes.length, kind, mode, at);
    }));
}
export function requireRows(rows, rowBytes, what) {
    const bytes = toBytes(rows, `${what}: rows`);
    if (Number.isSafeInteger(rowBytes) && rowBytes >= 1 && bytes.length % rowBytes === 0) return bytes;
    return invalid(`${what}: rowBytes must be an integer >= 1 that divides the ${bytes.length} bytes of the rows, got ${String(rowBytes)}`);
}

/** Rows of `rowBytes` bytes, one after another -> their digests as leaves, [n, 32] bytes. */
export function hashRows(rows, rowBytes, options = {}) {
    const kind = hashNamed(options.hash ?? 'blake3', 'hashRows'), bytes = requireRows(rows, rowBytes, 'hashRows');
    return leavesOfRows(bytes, rowBytes, kind, modeOf(kind, options, 'hashRows'), 'hashRows: a row');
}

/** A list of messages of any lengths -> their leaves, [n, 32] bytes. */
export function hashLeaves(messages, options = {}) {
    const kind = hashNamed(options.hash ?? 'blake3', 'hashLeaves');
    return leavesOfMessages(messages, kind, modeOf(kind, options, 'hashLeaves'), 'hashLeaves');
}

/** The level above some nodes. `pad` is the root of padding alone that a lone last node gets under the rule pad. */
export function levelAbove(below, kind, rule, mode, pad, level = new Uint8Array(32 * Math.ceil(below.length / 64))) {
    const n = below.length / 32, pairs = Math.floor(n / 2);
    m.merge(kind, below.subarray(0, 64 * pairs), mode.key, mode.flags, level);
    if (n % 2 !== 0) {
        const lone = below.subarray(32 * (n - 1));
        const parent = rule === 'left_full' ? lone : m.merge(kind, joined([lone, rule === 'pad' ? pad : lone]), mode.key, mode.flags);
        level.set(parent, 32 * pairs);
    }
    return level;
}
/** The root of padding alone, one level up. */
export const padAbove = (pad, kind, rule, mode) => (rule === 'pad' ? m.merge(kind, joined([pad, pad]), mode.key, mode.flags) : pad);

/** RFC 6962's tree of no leaves, by the hash of that format alone. Its root is SHA-256 of nothing. */
export const isEmptyTree = (n, kind, rule) => n === 0 && kind.id === 4 && rule === 'left_full';
export const emptyRoot = () => m.digestOf(findHashById(32), new Uint8Array(0), null, 0);

/** What a tree's options say: {format, kind, rule, mode, padding}. */
export function treeOptions(options, what) {
    const format = formatOf(options, what);
    const kind = hashNamed(format?.hash ?? options.hash ?? 'blake3', what);
    const rule = ruleNamed(format?.rule ?? options.rule ?? (kind.isField ? 'perfect' : 'left_full'), what);
    const padding = options.padding === undefined ? new Uint8Array(32) : toDigest(options.padding, `${what}: padding`);
    requireElements(kind, padding, `${what}: padding`);
    return { format, kind, rule, mode: modeOf(kind, options, what), padding: new Uint8Array(padding) };
}

/** A tree's leaves, [n, 32] bytes, of such bytes or a list of digests. They may be the caller's own. */
export function leavesOf(leaves, { kind, rule }, what) {
    let bytes;
    if (Array.isArray(leaves)) {
        bytes = new Uint8Array(32 * leaves.length);
        leaves.forEach((leaf, i) => bytes.set(toDigest(leaf, `${what}: leaf ${i}`), 32 * i));
    } else {
        bytes = toBytes(leaves, what);
    }
    const n = bytes.length / 32;
    if (isEmptyTree(n, kind, rule)) return bytes;
    if (!Number.isInteger(n) || n < 1) invalid(`${what}: leaves must be 32 bytes each and at least one, got ${bytes.length} bytes`);
    if (rule === 'perfect' && (n & (n - 1)) !== 0)
        invalid(`${what}: under the rule 'perfect' the number of leaves must be a power of two, got ${n}`);
    requireElements(kind, bytes, what);
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

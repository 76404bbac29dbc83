// trees.js: merges, digests of rows, roots of leaves.
import { hashNamed, invalid, joined, ruleNamed, toBytes, toDigest } from './common.js';
import { hashBytes, modeOf } from './hash.js';
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

/** Rows of field elements, little-endian words one row after another -> [n, 32] bytes. */
export function hashElements(rows, rowElements, options = {}) {
    const kind = hashNamed(options.hash ?? 'rp64_256_v3', 'hashElements');
    if (!kind.isField) invalid(`hashElements: '${kind.name}' hashes bytes; hash and hashLeaves take them`);
    return hashLeaves(rows, rowElements * kind.rowUnit, { hash: kind.name });
}

/** Records of `recordBytes` bytes, one after another -> their leaves, [n, 32] bytes. */
export function hashLeaves(records, recordBytes, options = {}) {
    const kind = hashNamed(options.hash ?? 'blake3', 'hashLeaves');
    const bytes = toBytes(records, 'hashLeaves');
    if (!Number.isSafeInteger(recordBytes) || recordBytes < 1 || bytes.length % recordBytes !== 0)
        invalid(`hashLeaves: a record must have 1 byte or more and divide the ${bytes.length} bytes, got ${recordBytes}`);
    if (recordBytes % kind.rowUnit !== 0)
        invalid(`hashLeaves: records of '${kind.name}' are words of ${kind.rowUnit} bytes, got ${recordBytes} bytes`);
    const mode = modeOf(kind, options, 'hashLeaves');
    requireElements(kind, bytes, 'hashLeaves');
    const count = bytes.length / recordBytes;
    const isOneChunk = !kind.hasChunkTree || recordBytes <= 1024;
    if (mode.flags === 0 && isOneChunk) return m.hashRows(kind, bytes, recordBytes, count);
    const out = new Uint8Array(32 * count);
    for (let i = 0; i < count; i++)
        out.set(hashBytes(bytes.subarray(i * recordBytes, (i + 1) * recordBytes), options), 32 * i);
    return out;
}

/** The level above some nodes. `pad` is the root of padding alone that a lone last node gets under the rule pad. */
export function levelAbove(below, kind, rule, mode, pad) {
    const n = below.length / 32, pairs = Math.floor(n / 2);
    const level = new Uint8Array(32 * Math.ceil(n / 2));
    m.merge(kind, below.subarray(0, 64 * pairs), mode.key, mode.flags, level);
    if (n % 2 !== 0) {
        const lone = below.subarray(32 * (n - 1));
        const parent = rule === 'left_full' ? lone : m.merge(kind, joined([lone, rule === 'pad' ? pad : lone]), mode.key, mode.flags);
        level.set(parent, 32 * pairs);
    }
    return level;
}

/** The root of leaves, [n, 32] bytes or a list of digests. */
export function root(leaves, options = {}) {
    const kind = hashNamed(options.hash ?? 'blake3', 'root');
    const rule = ruleNamed(options.rule ?? (kind.isField ? 'perfect' : 'left_full'), 'root');
    const mode = modeOf(kind, options, 'root');
    let bytes;
    if (Array.isArray(leaves)) {
        bytes = new Uint8Array(32 * leaves.length);
        leaves.forEach((leaf, i) => bytes.set(toDigest(leaf, `root: leaf ${i}`), 32 * i));
    } else {
        bytes = toBytes(leaves, 'root');
    }
    const n = bytes.length / 32;
    if (!Number.isInteger(n) || n < 1) invalid(`root: leaves must be 32 bytes each and at least one, got ${bytes.length} bytes`);
    if (rule === 'perfect' && (n & (n - 1)) !== 0)
        invalid(`root: under the rule 'perfect' the number of leaves must be a power of two, got ${n}`);
    requireElements(kind, bytes, 'root');
    const padding = options.padding === undefined ? new Uint8Array(32) : toDigest(options.padding, 'root: padding');
    requireElements(kind, padding, 'root: padding');
    let level = bytes.slice();
    for (let pad = padding; level.length > 32; ) {
        level = levelAbove(level, kind, rule, mode, pad);
        if (rule === 'pad') pad = m.merge(kind, joined([pad, pad]), mode.key, mode.flags);
    }
    return level;
}

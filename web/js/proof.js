// proof.js: a proof in one form, and its writers to bytes and JSON (docs/layouts.md).
import { findHash, joined, rules, toHex } from './common.js';

/** The fields of JSON, in the order in which they are written. */
export const jsonKinds = {
    'merklize-proof-3': ['hash', 'index', 'n_leaves', 'leaf', 'siblings', 'rule'],
    'merklize-multi-proof-3': ['hash', 'rule', 'n_leaves', 'indices', 'leaves', 'siblings'],
    'merklize-consistency-proof-3': ['hash', 'old_leaves', 'new_leaves', 'nodes'],
};

const u64 = (value) => new Uint8Array(BigUint64Array.of(value).buffer);

/** 7 bits a byte, lowest first. */
export function leb128(value) {
    const bytes = [];
    for (; value > 127n; value >>= 7n) bytes.push(Number(value & 127n) | 128);
    return [...bytes, Number(value)];
}

/** Ascending indices as runs: the gap before each run, and its length. */
function runsOf(indices) {
    const runs = [];
    let end = 0n;
    indices.forEach((index, i) => {
        if (i === 0 || index !== end) runs.push([index - end, 0n]);
        runs.at(-1)[1]++;
        end = index + 1n;
    });
    return [BigInt(runs.length), ...runs.flat()].flatMap(leb128);
}

function jsonOf(value) {
    if (value instanceof Uint8Array) return `"${toHex(value)}"`;
    if (Array.isArray(value)) return `[${value.map(jsonOf).join(', ')}]`;
    return typeof value === 'bigint' ? String(value) : JSON.stringify(value);
}

/** {kind, hash, rule, nLeaves} with {indices, leaves, siblings}, or with {oldLeaves, nodes}. kind: 0 one leaf, 1
 * several, 2 consistency */
export class Proof {
    constructor(fields) {
        Object.assign(this, fields);
    }
    /** MKZP. */
    toBytes() {
        const { kind, nLeaves } = this;
        const head =
            [0x4d, 0x4b, 0x5a, 0x50, 2, findHash(this.hash).id, rules.indexOf(this.rule), kind, ...u64(nLeaves)];
        if (kind === 2) return joined([head, u64(this.oldLeaves), ...this.nodes]);
        const places = kind === 0 ? u64(this.indices[0]) : runsOf(this.indices);
        return joined([head, places, ...this.leaves, ...this.siblings]);
    }
    /** The JSON text. JSON.stringify() cannot write it, because it has no integers above 2^53. */
    toJson() {
        const { nLeaves, indices, leaves, oldLeaves } = this;
        const fields = {
            ...this, n_leaves: nLeaves, new_leaves: nLeaves, old_leaves: oldLeaves,
            index: indices?.[0], leaf: leaves?.[0],
        };
        const [format, names] = Object.entries(jsonKinds)[this.kind];
        return `{"format": "${format}", ${names.map((name) => `"${name}": ${jsonOf(fields[name])}`).join(', ')}}`;
    }
}

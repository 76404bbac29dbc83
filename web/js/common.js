// common.js: errors, names of hashes, digests as bytes and as text.
import { m } from './ready.js';

/** A wrong argument of the caller. The text says the rule and what was given. */
export class MerklizeError extends Error {
    constructor(text) {
        super(text);
        this.name = 'MerklizeError';
        this.code = 'invalid_argument';
    }
}
export const invalid = (text) => {
    throw new MerklizeError(text);
};

/** What came, for an error's text. */
export function shown(value) {
    if (typeof value === 'string') return `'${value.slice(0, 80)}'`;
    if (Array.isArray(value)) return `a list of ${value.length}`;
    if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `${value.byteLength} bytes`;
    if (typeof value === 'object' && value !== null) return value.constructor?.name ?? 'an object';
    return typeof value === 'function' ? 'a function' : String(value);
}

/** Whether WebAssembly's vector instructions are used. simd(false) turns them off, simd(true) on again where there are any. */
export function simd(on) {
    if (on !== undefined) m.simd = on;
    return m.simd;
}

const listed = m.hashes.filter((hash) => !hash.isPart);
/** The hashes, by id: what they are called, and whether they hash bytes or elements of a field. */
export const hashes = Object.freeze(
    listed.map(({ id, name, modulus, wordBytes }) =>
        Object.freeze({ id, name, modulus, elementBits: modulus === 0n ? 0 : 8 * wordBytes })),
);

const byName = new Map(listed.map((hash) => [hash.name, hash]));
byName.set('rp64_256', byName.get('rp64_256_v3'));
export const findHash = (name) => byName.get(name);
export const findHashById = (id) => listed.find((hash) => hash.id === id);
export function hashNamed(name, what) {
    return findHash(name) ?? invalid(`${what}: the hash must be one of ${listed.map((h) => h.name).join(', ')}, got '${name}'`);
}

export const rules = Object.freeze(['perfect', 'left_full', 'pad', 'duplicate_last']);
export const ruleName = (rule) => (rule === 'promote' ? 'left_full' : rule);
export function ruleNamed(rule, what) {
    if (rules.includes(ruleName(rule))) return ruleName(rule);
    return invalid(`${what}: the rule must be one of ${rules.join(', ')}, got '${rule}'`);
}

/** Bytes of what the caller gives: Uint8Array, other views, ArrayBuffer; text is an error, because its encoding would be a guess. */
export function toBytes(data, what) {
    if (data instanceof Uint8Array) return data;
    if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    if (data instanceof ArrayBuffer || (globalThis.SharedArrayBuffer && data instanceof SharedArrayBuffer))
        return new Uint8Array(data);
    return invalid(`${what}: data must be a Uint8Array, another view or an ArrayBuffer, got ${typeof data}`);
}

const hexOf = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
/** Bytes as hexadecimal digits. prefix: '0x', or none */
export function toHex(bytes, prefix = '') {
    let text = prefix;
    for (let i = 0; i < bytes.length; i++) text += hexOf[bytes[i]];
    return text;
}
/** Hexadecimal digits, two a byte -> bytes. */
export const bytesOfDigits = (digits) => Uint8Array.from({ length: digits.length / 2 }, (_, i) => parseInt(digits.slice(2 * i, 2 * i + 2), 16));
/** 64 hexadecimal digits, with or without 0x -> 32 bytes, or null. */
export function fromHex(text) {
    return typeof text === 'string' && /^(0x)?[0-9a-f]{64}$/i.test(text) ? bytesOfDigits(text.slice(-64)) : null;
}
/** A digest as 32 bytes or as text, or null. */
export const digestOrNull = (digest) => (typeof digest === 'string' ? fromHex(digest)
    : digest instanceof Uint8Array && digest.length === 32 ? digest : null);
export function toDigest(digest, what) {
    return digestOrNull(digest) ?? invalid(`${what} must be 32 bytes or 64 hexadecimal digits`);
}
export const equal = (a, b) => a.length === b.length && a.every((byte, i) => byte === b[i]);

export const listOf = (value, what) => (Array.isArray(value) ? value : invalid(`${what}: messages must be a list of bytes, got ${typeof value}`));

/** Digests in one array, [n, 32] bytes. */
export function joined(digests) {
    const out = new Uint8Array(32 * digests.length);
    digests.forEach((digest, i) => out.set(digest, 32 * i));
    return out;
}

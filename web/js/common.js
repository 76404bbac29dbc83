// common.js: errors, names of hashes, digests as bytes and as text.
import { m } from './ready.js';

/** An error about the caller's arguments ('invalid_argument': the text has the rule, the value and the remedy) or about
 * a file ('io'). */
export class MerklizeError extends Error {
    constructor(text, code = 'invalid_argument') {
        super(text);
        this.name = 'MerklizeError';
        this.code = code;
    }
}
export const invalid = (text) => {
    throw new MerklizeError(text);
};

const isShared = (value) => globalThis.SharedArrayBuffer !== undefined && value instanceof SharedArrayBuffer;
/** Whether it is a view of bytes, or a buffer of them. */
export const isBytes = (value) => ArrayBuffer.isView(value) || value instanceof ArrayBuffer || isShared(value);

const { values: viewValues } = Object.getPrototypeOf(Uint8Array.prototype);
/** Whether bytes are no more: the buffer was transferred, or became shorter than its view, which then looks empty. */
function isGone(data) {
    try {
        if (!ArrayBuffer.isView(data)) new Uint8Array(data);
        else if (data instanceof DataView) return data.byteLength < 0;
        else viewValues.call(data);
    } catch (error) {
        return error instanceof TypeError;
    }
    return false;
}

/** Text that others wrote, for an error's text: not long, and with escapes for what would not be seen. */
export function printable(text, most = 80) {
    const short = text.length > most ? `${text.slice(0, most)}...` : text;
    return short.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (one) => `\\u{${one.codePointAt(0).toString(16)}}`);
}
/** A wrong value, for an error's text. */
export function shown(value) {
    if (typeof value === 'string') return `'${printable(value)}'`;
    if (typeof value === 'function') return 'a function';
    if (typeof value !== 'object' || value === null) return printable(String(value));
    try {
        if (Array.isArray(value)) return `a list of ${value.length}`;
        const name = printable(Object.getPrototypeOf(value).constructor.name); // which is not data of others
        if (!isBytes(value)) return name || 'an object';
        if (isGone(value)) return 'no bytes';
        return `${value instanceof Uint8Array ? '' : `${name} of `}${value.byteLength} bytes`;
    } catch {
        return 'an object'; // without a class, or a proxy
    }
}

/** Whether it is an integer >= 0 that is exact. */
export const isCount = (value) => (typeof value === 'bigint' || Number.isSafeInteger(value)) && value >= 0;

/** Letters that must change, be added or be left out to make one word of another. */
function lettersApart(a, b) {
    let row = Array.from({ length: b.length + 1 }, (_, j) => j);
    for (let i = 1; i <= a.length; i++) {
        const next = [i];
        for (let j = 1; j <= b.length; j++)
            next.push(Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1)));
        row = next;
    }
    return row.at(-1);
}
/** Throws because a name is unknown. kind: what it should name */
export function unknown(what, kind, name, names) {
    const given = typeof name === 'string' ? name.slice(0, 80).toLowerCase() : '';
    const apart = (one) => lettersApart(given, one.toLowerCase());
    const best = [...names].sort((a, b) => apart(a) - apart(b))[0],
        isClose = apart(best) <= Math.max(1, best.length / 3);
    const hint = isClose ? ` did you mean '${best}'?` : '';
    return invalid(`${what}: unknown ${kind} ${shown(name)};${hint} known: ${names.join(', ')}`);
}

// The name in other packages.
const elsewhere = {
    sortPairs: "the hash 'keccak256_sorted' sorts its pairs", duplicateOdd: "the rule 'duplicate_last' does that",
};

/** Options must be an object, and the function must know each name. Otherwise a misspelt option would be lost. */
export function requireOptions(options, known, what, name = 'options') {
    const refuse = () =>
        invalid(`${what}: ${name} must be an object such as { ${known[0]}: ... }, got ${shown(options)}`);
    if (typeof options !== 'object' || options === null) refuse();
    for (const given in options) {
        let i = 0; // includes() would take most of the time of a short digest beside the hash
        while (i < known.length && known[i] !== given) i++;
        if (i < known.length) continue;
        if (Array.isArray(options) || ArrayBuffer.isView(options)) refuse();
        if (Object.hasOwn(elsewhere, given)) invalid(`${what}: there is no option '${given}': ${elsewhere[given]}`);
        if (known.includes('expect') && expectations.includes(given))
            invalid(`${what}: '${given}' is expected of a proof by { expect: { ${given}: ... } }`);
        unknown(name === 'options' ? what : `${what}: ${name}`, name === 'options' ? 'option' : 'name', given, known);
    }
}
export const modeNames = ['key', 'context'], hashing = ['hash', ...modeNames], output = ['length', 'seek', 'encoding'];
export const expectations = ['hash', 'rule', 'nLeaves', 'index', 'leaf'];

/** Whether WebAssembly's vector instructions are used. simd(false) turns them off, simd(true) turns them on again, if
 * there are any. */
export function simd(on) {
    if (on !== undefined) m.simd = on;
    return m.simd;
}

const listed = m.hashes.filter((hash) => !hash.isPart);
/** The hashes by id: the name, and whether the hash is of bytes or of elements of a field. */
export const hashes = Object.freeze(
    listed.map(({ id, name, modulus, wordBytes }) =>
        Object.freeze({ id, name, modulus, elementBits: modulus === 0n ? 0 : 8 * wordBytes })),
);

const byName = new Map(listed.map((hash) => [hash.name, hash]));
const secondNames = {
    rp64_256: 'rp64_256_v3', rpo256_r3: 'rpo256', rpo256_r4: 'rpo256', rpx256_r3: 'rpx256', rpx256_r4: 'rpx256',
};
for (const [other, name] of Object.entries(secondNames)) byName.set(other, byName.get(name));
export const findHash = (name) => byName.get(name);
export const findHashById = (id) => listed.find((hash) => hash.id === id);
export function hashNamed(name, what) {
    return findHash(name) ?? unknown(what, 'hash', name, listed.map((hash) => hash.name));
}

export const rules = Object.freeze(['perfect', 'left_full', 'pad', 'duplicate_last']);
export const ruleName = (rule) => (rule === 'promote' ? 'left_full' : rule);
export function ruleNamed(rule, what) {
    if (rules.includes(ruleName(rule))) return ruleName(rule);
    return unknown(what, 'rule', rule, rules);
}

/** The bytes of an argument: Uint8Array, other views, ArrayBuffer. Text is an error, because its encoding would be a
 * guess. what: the function and the argument */
export function toBytes(data, what) {
    if (ArrayBuffer.isView(data) && data instanceof Uint8Array && data.length > 0) return data; // no proxy of one
    if (isBytes(data)) {
        if (isGone(data)) invalid(`${what} has lost its bytes: their buffer was transferred, or became shorter`);
        if (data instanceof Uint8Array) return data;
        return ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
            : new Uint8Array(data);
    }
    // Text is not shown: a key may be secret.
    const got = typeof data === 'string' ? 'text; new TextEncoder().encode() makes bytes of it'
        : Array.isArray(data)
            ? `${shown(data)}; Uint8Array.from() makes bytes of numbers, hashEach() hashes each of a list`
        : globalThis.Blob && data instanceof Blob
            ? `${shown(data)}; arrayBuffer() gives its bytes, and updateFrom() takes its stream()`
        : shown(data);
    return invalid(`${what} must be bytes (a Uint8Array, another view or an ArrayBuffer), got ${got}`);
}

/** The bytes of text. Half of a surrogate pair has none: it would become U+FFFD, as all other halves. */
export function bytesOfText(text, what) {
    if (typeof text !== 'string') invalid(`${what} must be text, got ${shown(text)}`);
    if (/\p{Surrogate}/u.test(text)) invalid(`${what} must be text without lone surrogates, got ${shown(text)}`);
    return new TextEncoder().encode(text);
}

const hexOf = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
/** Bytes as hexadecimal digits. prefix: '0x', or none */
export function toHex(data, prefix = '') {
    const bytes = toBytes(data, 'toHex: data');
    let text = prefix;
    for (let i = 0; i < bytes.length; i++) text += hexOf[bytes[i]];
    return text;
}
/** Hexadecimal digits, two a byte -> bytes. */
export const bytesOfDigits = (digits) =>
    Uint8Array.from({ length: digits.length / 2 }, (_, i) => parseInt(digits.slice(2 * i, 2 * i + 2), 16));
/** 64 hexadecimal digits, with or without 0x -> 32 bytes, or null. */
export function fromHex(text) {
    return typeof text === 'string' && /^(0x)?[0-9a-f]{64}$/i.test(text) ? bytesOfDigits(text.slice(-64)) : null;
}
/** A digest as 32 bytes or as text, or null. */
export const digestOrNull = (digest) => (typeof digest === 'string' ? fromHex(digest)
    : ArrayBuffer.isView(digest) && digest instanceof Uint8Array && digest.length === 32 ? digest : null);
export function toDigest(digest, what, remedy = '') {
    return digestOrNull(digest)
        ?? invalid(`${what} must be 32 bytes or 64 hexadecimal digits, got ${shown(digest)}${remedy}`);
}
export const equal = (a, b) => a.length === b.length && a.every((byte, i) => byte === b[i]);

/** The items of a list, with undefined for each hole, which map() and forEach() would leave out; null if it is no list.
 */
export const itemsOf = (list) => (Array.isArray(list) ? Array.from(list) : null);
export const messagesOf = (list, what) =>
    itemsOf(list) ?? invalid(`${what}: messages must be a list of bytes, got ${shown(list)}; `
        + 'hash() takes one message, hashRows() rows');

/** Bytes of several arrays in one. */
export function joined(parts) {
    let size = 0, at = 0;
    for (const part of parts) size += part.length;
    const out = new Uint8Array(size);
    for (const part of parts) {
        out.set(part, at);
        at += part.length;
    }
    return out;
}

// abi.js: Solidity's abi.encode(): address, bool, uint8 to uint256, int8 to int256, bytes1 to bytes32, bytes, string, and arrays of
// these, T[] and T[n].
import { bytesOfDigits, invalid, joined, shown, toBytes } from './common.js';

/** Bytes, or 0x and digits as text. what: the function and the value, as in all of this file */
export function bytesOrDigits(value, what) {
    if (typeof value === 'string' && /^0x([0-9a-f]{2})*$/i.test(value)) return bytesOfDigits(value.slice(2));
    if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return toBytes(value, what);
    return invalid(`${what} must be bytes or 0x and hexadecimal digits, got ${shown(value)}`);
}

const abiWord = (number) => bytesOfDigits(BigInt.asUintN(256, BigInt(number)).toString(16).padStart(64, '0'));
const sized = (bytes) => joined([abiWord(bytes.length), bytes, new Uint8Array(-bytes.length & 31)]);

function abiInteger(least, most) {
    return (value, what) => {
        const isText = typeof value === 'string' && /^(-?\d+|0x[0-9a-f]+)$/i.test(value);
        if (!isText && typeof value !== 'bigint' && !Number.isSafeInteger(value)) invalid(`${what} must be an integer, as a safe number, a bigint or text, got ${shown(value)}`);
        const number = BigInt(value);
        if (number < least || number > most) invalid(`${what} must be ${least} to ${most}, got ${number}`);
        return abiWord(number);
    };
}
function abiFixed(size, isLeft) {
    return (value, what) => {
        const bytes = bytesOrDigits(value, what), word = new Uint8Array(32);
        if (bytes.length !== size) invalid(`${what} must have ${size} bytes, got ${bytes.length}`);
        word.set(bytes, isLeft ? 0 : 32 - size);
        return word;
    };
}
const abiSimple = {
    address: { size: 32, encode: abiFixed(20, false) },
    bool: { size: 32, encode: (value, what) => (typeof value === 'boolean' ? abiWord(value ? 1 : 0) : invalid(`${what} must be true or false, got ${shown(value)}`)) },
    bytes: { size: null, encode: (value, what) => sized(bytesOrDigits(value, what)) },
    string: { size: null, encode: (value, what) => {
        if (typeof value !== 'string' || /\p{Surrogate}/u.test(value)) invalid(`${what} must be text without lone surrogates, got ${shown(value)}`);
        return sized(new TextEncoder().encode(value));
    } },
};

/** The encoding of a type: {size: bytes in a head, or null if they are not fixed, encode}. */
function abiType(type, what) {
    if (typeof type !== 'string' || type.length > 64) invalid(`${what}: an ABI type must be text of at most 64 characters, got ${shown(type)}`);
    const array = type.match(/^(.*)\[(\d*)\]$/);
    if (array) return abiArray(abiType(array[1], what), array[2] === '' ? null : Number(array[2]));
    if (Object.hasOwn(abiSimple, type)) return abiSimple[type];
    const [, name, digits] = type.match(/^(uint|int|bytes)(\d*)$/) ?? [], bits = Number(digits || 256);
    if (name === 'bytes' && bits >= 1 && bits <= 32) return { size: 32, encode: abiFixed(bits, true) };
    if ((name === 'uint' || name === 'int') && bits % 8 === 0 && bits >= 8 && bits <= 256) {
        const half = 1n << BigInt(bits - 1);
        return { size: 32, encode: name === 'uint' ? abiInteger(0n, 2n * half - 1n) : abiInteger(-half, half - 1n) };
    }
    return invalid(`${what}: unknown ABI type ${shown(type)}`);
}
function abiArray(item, count) {
    const encode = (value, what) => {
        if (!Array.isArray(value)) invalid(`${what} must be a list, got ${shown(value)}`);
        if (count !== null && value.length !== count) invalid(`${what} must have ${count} items, got ${value.length}`);
        const items = abiFields(value.map(() => item), value, (i) => `${what}: item ${i}`);
        return count === null ? joined([abiWord(value.length), items]) : items;
    };
    return { size: count === null || item.size === null ? null : count * item.size, encode };
}
/** A field without a fixed size stands behind the head, which has its offset. whatOf(index): the name of a field in errors */
function abiFields(fields, values, whatOf) {
    const head = [], tail = [];
    let at = fields.reduce((sum, { size }) => sum + (size ?? 32), 0);
    fields.forEach(({ size, encode }, i) => {
        const encoded = encode(values[i], whatOf(i));
        head.push(size === null ? abiWord(at) : encoded);
        if (size !== null) return;
        tail.push(encoded);
        at += encoded.length;
    });
    return joined([...head, ...tail]);
}

/** abi.encode of each value, a list of one field a type. */
export function abiEncoded(types, values, what) {
    if (!Array.isArray(types)) invalid(`${what}: types must be a list of ABI types, got ${shown(types)}`);
    const fields = types.map((type) => abiType(type, what));
    return values.map((value, i) => {
        const isValue = Array.isArray(value) && value.length === types.length;
        if (!isValue) invalid(`${what}: value ${i} of [${types.join(', ')}] must be a list of ${types.length} fields, got ${shown(value)}`);
        return abiFields(fields, value, (k) => `${what}: field ${k} (${types[k]}) of value ${i}`);
    });
}

// abi.js: Solidity's abi.encode(): address, bool, uint8 to uint256, int8 to int256, bytes1 to bytes32, bytes, string, and arrays of
// these, T[] and T[n].
import { bytesOfDigits, invalid, shown, toBytes } from './common.js';

/** Bytes, or 0x and digits as text. */
export function bytesOrDigits(value, what) {
    if (typeof value !== 'string') return typeof value === 'object' && value !== null ? toBytes(value, what) : invalid(`${what}: must be bytes or 0x and hexadecimal digits, got ${shown(value)}`);
    if (!/^0x([0-9a-f]{2})*$/i.test(value)) invalid(`${what}: must be bytes or 0x and hexadecimal digits, got ${shown(value)}`);
    return bytesOfDigits(value.slice(2));
}

const abiWord = (number) => bytesOfDigits(BigInt.asUintN(256, BigInt(number)).toString(16).padStart(64, '0'));
function concatenated(parts) {
    const out = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const part of parts) {
        out.set(part, at);
        at += part.length;
    }
    return out;
}
const sized = (bytes) => concatenated([abiWord(bytes.length), bytes, new Uint8Array(-bytes.length & 31)]);

function abiInteger(type, least, most) {
    return (value) => {
        const isText = typeof value === 'string' && /^(-?\d+|0x[0-9a-f]+)$/i.test(value);
        if (!isText && typeof value !== 'bigint' && !Number.isSafeInteger(value)) invalid(`${type}: must be an integer, as a safe number, a bigint or text, got ${shown(value)}`);
        const number = BigInt(value);
        if (number < least || number > most) invalid(`${type}: must be ${least} to ${most}, got ${number}`);
        return abiWord(number);
    };
}
function abiFixed(type, size, isLeft) {
    return (value) => {
        const bytes = bytesOrDigits(value, type), word = new Uint8Array(32);
        if (bytes.length !== size) invalid(`${type}: must have ${size} bytes, got ${bytes.length}`);
        word.set(bytes, isLeft ? 0 : 32 - size);
        return word;
    };
}
const abiSimple = {
    address: { size: 32, encode: abiFixed('address', 20, false) },
    bool: { size: 32, encode: (value) => (typeof value === 'boolean' ? abiWord(value ? 1 : 0) : invalid(`bool: must be true or false, got ${shown(value)}`)) },
    bytes: { size: null, encode: (value) => sized(bytesOrDigits(value, 'bytes')) },
    string: { size: null, encode: (value) => {
        if (typeof value !== 'string' || /\p{Surrogate}/u.test(value)) invalid(`string: must be text without lone surrogates, got ${shown(value)}`);
        return sized(new TextEncoder().encode(value));
    } },
};

/** How a type is encoded: {size: bytes in a head, or null if they are not fixed, encode}. */
function abiType(type) {
    if (typeof type !== 'string' || type.length > 64) invalid(`an ABI type must be text of at most 64 characters, got ${shown(type)}`);
    const array = type.match(/^(.*)\[(\d*)\]$/);
    if (array) return abiArray(type, abiType(array[1]), array[2] === '' ? null : Number(array[2]));
    if (Object.hasOwn(abiSimple, type)) return abiSimple[type];
    const [, name, digits] = type.match(/^(uint|int|bytes)(\d*)$/) ?? [], bits = Number(digits || 256);
    if (name === 'bytes' && bits >= 1 && bits <= 32) return { size: 32, encode: abiFixed(type, bits, true) };
    if ((name === 'uint' || name === 'int') && bits % 8 === 0 && bits >= 8 && bits <= 256) {
        const half = 1n << BigInt(bits - 1);
        return { size: 32, encode: name === 'uint' ? abiInteger(type, 0n, 2n * half - 1n) : abiInteger(type, -half, half - 1n) };
    }
    return invalid(`unknown ABI type ${shown(type)}`);
}
function abiArray(type, item, count) {
    const encode = (value) => {
        if (!Array.isArray(value)) invalid(`${type}: must be a list, got ${shown(value)}`);
        if (count !== null && value.length !== count) invalid(`${type}: must have ${count} items, got ${value.length}`);
        const items = abiFields(value.map(() => item), value);
        return count === null ? concatenated([abiWord(value.length), items]) : items;
    };
    return { size: count === null || item.size === null ? null : count * item.size, encode };
}
/** A field of no fixed size stands behind the head, which says where it begins. */
function abiFields(fields, values) {
    const head = [], tail = [];
    let at = fields.reduce((sum, { size }) => sum + (size ?? 32), 0);
    fields.forEach(({ size, encode }, i) => {
        const encoded = encode(values[i]);
        head.push(size === null ? abiWord(at) : encoded);
        if (size !== null) return;
        tail.push(encoded);
        at += encoded.length;
    });
    return concatenated([...head, ...tail]);
}

/** abi.encode of each value, a list of one field a type. */
export function abiEncoded(types, values, what) {
    if (!Array.isArray(types)) invalid(`${what}: types must be a list of ABI types, got ${shown(types)}`);
    const fields = types.map(abiType);
    return values.map((value) => {
        if (!Array.isArray(value) || value.length !== types.length) invalid(`${what}: a value of [${types.join(', ')}] must be a list of ${types.length} fields, got ${shown(value)}`);
        return abiFields(fields, value);
    });
}

// abi.js: Solidity's abi.encode(): address, bool, uint8 to uint256, int8 to int256, bytes1 to bytes32, bytes, string,
// function, arrays of these, T[] and T[n], and tuples, (T, U). A value may be spelt in every way that
// @metamask/abi-utils takes, because roots of @openzeppelin/merkle-tree were made of it: '007' for 7, an address or
// bytes32 with fewer bytes, an odd digit, 'false'.
import { bytesOfDigits, bytesOfText, invalid, isBytes, itemsOf, joined, printable, shown, toBytes } from './common.js';

/** Bytes, or 0x and digits as text; before an odd one is a 0. what: the function and the value, as in all of this file
 */
export function bytesOrDigits(value, what, most = Infinity) {
    const isText = typeof value === 'string' && /^0x[0-9a-f]*$/i.test(value);
    if (!isText && !isBytes(value))
        invalid(`${what} must be bytes or 0x and hexadecimal digits, got ${shown(value)}`);
    const bytes = isText ? bytesOfDigits('0'.repeat(value.length % 2) + value.slice(2)) : toBytes(value, what);
    return bytes.length <= most ? bytes : invalid(`${what} must have at most ${most} bytes, got ${bytes.length}`);
}

const abiWord = (number) => bytesOfDigits(BigInt.asUintN(256, BigInt(number)).toString(16).padStart(64, '0'));
const sized = (bytes) => joined([abiWord(bytes.length), bytes, new Uint8Array(-bytes.length & 31)]);
/** At the begin of a word, or at its end. */
const abiPadded = (bytes, isLeft) => {
    const word = new Uint8Array(32);
    word.set(bytes, isLeft ? 0 : 32 - bytes.length);
    return word;
};

function abiNumber(value, what) {
    if (typeof value === 'bigint' || typeof value === 'string' || Number.isSafeInteger(value)) {
        try {
            return BigInt(value);
        } catch {
            // a text that is no integer
        }
    }
    return invalid(`${what} must be an integer, as a safe number, a bigint or text, got ${shown(value)}`);
}
function abiInteger(least, most) {
    return (value, what) => {
        const number = abiNumber(value, what);
        return number < least || number > most
            ? invalid(`${what} must be ${least} to ${most}, got ${shown(value)}`) : abiWord(number);
    };
}
function abiFunction(value, what) {
    const { address, selector, ...more } = value ?? {},
        isPair = [address, selector].every((part) => typeof part === 'string' && part.length > 2);
    const bytes = isPair && Object.keys(more).length === 0
        ? joined([address, selector].map((part) => bytesOrDigits(part, what))) : bytesOrDigits(value, what);
    return bytes.length === 24 || (isPair && bytes.length < 24) ? abiPadded(bytes, true)
        : invalid(`${what} must have 24 bytes, got ${bytes.length}`);
}
const abiSimple = {
    address: { isDynamic: false, encode: (value, what) => abiPadded(bytesOrDigits(value, what, 20), false) },
    bool: {
        isDynamic: false,
        encode: (value, what) => (['true', 'false', true, false].includes(value) ? abiWord(String(value) === 'true')
            : invalid(`${what} must be true or false, got ${shown(value)}`)),
    },
    function: { isDynamic: false, encode: abiFunction },
    bytes: { isDynamic: true, encode: (value, what) => sized(bytesOrDigits(value, what)) },
    string: { isDynamic: true, encode: (value, what) => sized(bytesOfText(value, what)) },
};

/** The encoding of a type: {isDynamic: whether a head has its offset in place of it, encode}. */
function abiType(type, what) {
    if (typeof type !== 'string' || type.length > 256)
        invalid(`${what}: an ABI type must be text of at most 256 characters, got ${shown(type)}`);
    const array = type.match(/^(.+)\[(\d*)\]$/);
    if (array) return abiArray(abiType(array[1], what), Number(array[2]), array[2] !== '');
    if (Object.hasOwn(abiSimple, type)) return abiSimple[type];
    if (/^\(.+\)$/.test(type)) return abiTuple(fieldsOf(type.slice(1, -1)).map((field) => abiType(field, what)));
    const [, name, digits] = type.match(/^(uint|int|bytes)(\d*)$/) ?? [], bits = Number(digits || 256);
    if (name === 'bytes' && bits >= 1 && bits <= 32 && digits.length <= 2)
        return { isDynamic: false, encode: (value, what) => abiPadded(bytesOrDigits(value, what, bits), true) };
    if ((name === 'uint' || name === 'int') && bits % 8 === 0 && bits >= 8 && bits <= 256) {
        const half = 1n << BigInt(bits - 1);
        return { isDynamic: false,
            encode: name === 'uint' ? abiInteger(0n, 2n * half - 1n) : abiInteger(-half, half - 1n) };
    }
    return invalid(`${what}: unknown ABI type ${shown(type)}`);
}
/** The types between the commas that are in no parentheses. */
function fieldsOf(text) {
    const found = [''];
    let depth = 0;
    for (const c of text) {
        depth += (c === '(') - (c === ')');
        if (c === ',' && depth === 0) found.push('');
        else found[found.length - 1] += c;
    }
    const fields = found.map((field) => field.trim());
    return fields.at(-1) === '' ? fields.slice(0, -1) : fields;
}
function abiTuple(fields) {
    const encode = (value, what) => {
        if (!Array.isArray(value) || value.length !== fields.length)
            invalid(`${what} must be a list of ${fields.length} fields, got ${shown(value)}`);
        return abiFields(fields, value, (i) => `${what}: field ${i}`);
    };
    return { isDynamic: fields.some((field) => field.isDynamic), encode };
}
/** count: 0 for T[], and for T[0], which Solidity has not; the package writes the number of items before both */
function abiArray(item, count, isSized) {
    const encode = (value, what) => {
        const items = itemsOf(value) ?? invalid(`${what} must be a list, got ${shown(value)}`), { length } = items;
        if (count !== 0 && length !== count) invalid(`${what} must have ${count} items, got ${length}`);
        const encoded = abiFields(items.map(() => item), items, (i) => `${what}: item ${i}`);
        return count === 0 ? joined([abiWord(length), encoded]) : encoded;
    };
    return { isDynamic: !isSized || item.isDynamic, encode };
}
/** A dynamic field stands behind the head, which has its offset. whatOf(index): the name of a field in errors */
function abiFields(fields, values, whatOf) {
    const encoded = fields.map(({ encode }, i) => encode(values[i], whatOf(i))), head = [], tail = [];
    let at = fields.reduce((sum, { isDynamic }, i) => sum + (isDynamic ? 32 : encoded[i].length), 0);
    fields.forEach(({ isDynamic }, i) => {
        head.push(isDynamic ? abiWord(at) : encoded[i]);
        if (!isDynamic) return;
        tail.push(encoded[i]);
        at += encoded[i].length;
    });
    return joined([...head, ...tail]);
}

/** abi.encode of each value, a list of one field a type. types, values: lists without holes */
export function abiEncoded(types, values, what) {
    const fields = types.map((type) => abiType(type, what));
    return values.map((value, i) => {
        const isValue = Array.isArray(value) && value.length === types.length;
        if (!isValue)
            invalid(`${what}: value ${i} of [${printable(types.join(', '))}] must be a list of ${types.length} fields, `
                + `got ${shown(value)}`);
        return abiFields(fields, value, (k) => `${what}: field ${k} (${printable(types[k])}) of value ${i}`);
    });
}

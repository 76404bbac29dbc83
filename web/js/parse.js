// parse.js: proofs as bytes, JSON or objects -> one form. Input that no writer makes is a Malformed with the reason.
import { digestOrNull, findHash, findHashById, isBytes, isCount, itemsOf, joined, printable, ruleName, rules, shown,
    toBytes, toHex } from './common.js';
import { malformed, parseJson } from './json.js';
import { Proof, jsonKinds } from './proof.js';
import { m } from './ready.js';
import { bits, climb, consistencyPlaces, eachSibling, heightOf, noTree } from './shape.js';

/** Reads little-endian numbers and digests. Too few bytes are malformed. */
class Reader {
    constructor(bytes) {
        this.bytes = bytes;
        this.at = 0;
    }
    get left() {
        return this.bytes.length - this.at;
    }
    take(n, what) {
        if (n > this.left) malformed(`the bytes end inside ${what}: ${n} needed, ${this.left} left`);
        this.at += Number(n);
        return this.bytes.subarray(this.at - Number(n), this.at);
    }
    u8(what) {
        return this.take(1, what)[0];
    }
    u64(what) {
        const bytes = this.take(8, what);
        return new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true);
    }
    /** Only the shortest form is valid. */
    leb128(what) {
        let value = 0n, shift = 0n, byte;
        do {
            byte = this.u8(what);
            if (shift === 63n && byte > 1) malformed(`${what} is more than 64 bits`);
            value |= BigInt(byte & 127) << shift;
            shift += 7n;
        } while (byte > 127);
        if (byte === 0 && shift > 7n) malformed(`${what} is not in its shortest form`);
        return value;
    }
    digests(n, what) {
        const bytes = this.take(32n * BigInt(n), what);
        return Array.from({ length: Number(n) }, (_, i) => bytes.slice(32 * i, 32 * i + 32));
    }
    end() {
        if (this.left !== 0) malformed(`${this.left} bytes follow the end of the proof`);
    }
}

function requireTree(nLeaves, rule) {
    const why = noTree(nLeaves, rule);
    if (why) malformed(why);
}
function requireIndices(indices, nLeaves) {
    if (indices.length === 0) malformed('a proof is of at least one leaf');
    indices.forEach((index, i) => {
        if (index < 0n || index >= nLeaves) malformed(`index ${index} is not below the ${nLeaves} leaves`);
        if (i > 0 && index <= indices[i - 1]) malformed(`indices must ascend, got ${indices[i - 1]}, ${index}`);
    });
}
function requireOldLeaves({ rule, oldLeaves, nLeaves }) {
    if (rule !== 'left_full') malformed(`a proof of consistency is of the rule 'left_full', not '${rule}'`);
    if (oldLeaves < 1n || oldLeaves > nLeaves)
        malformed(`the old tree must have 1 to ${nLeaves} leaves, got ${oldLeaves}`);
}
function siblingCount(nLeaves, rule, indices) {
    let count = 0;
    eachSibling(nLeaves, rule, indices, () => count++);
    return count;
}
const consistencyCount = (oldLeaves, nLeaves) => consistencyPlaces(oldLeaves, nLeaves).length;

/** Checks that counts and indices of a proof fit together, and that its words are elements. Returns it as a Proof. */
function checked(proof) {
    const { rule } = proof;
    requireTree(proof.nLeaves, rule);
    const count = (given, needed, what) => {
        if (given !== needed) malformed(`the proof must have ${needed} ${what}, got ${given}`);
    };
    if (proof.kind === 2) {
        requireOldLeaves(proof);
        count(proof.nodes.length, consistencyCount(proof.oldLeaves, proof.nLeaves), 'nodes');
    } else {
        requireIndices(proof.indices, proof.nLeaves);
        count(proof.leaves.length, proof.indices.length, 'leaves');
        count(proof.siblings.length, siblingCount(proof.nLeaves, rule, proof.indices), 'siblings');
    }
    return ofElements(proof);
}
function ofElements(proof) {
    const { hash } = proof, kind = findHash(hash);
    for (const [name, digests] of [['leaf', proof.leaves], ['sibling', proof.siblings], ['node', proof.nodes]]) {
        const i = digests ? m.firstNotElement(kind, joined(digests)) : -1;
        if (i < 0) continue;
        const words = 32 / kind.wordBytes;
        malformed(`${name} ${Math.floor(i / words)} is no digest of ${hash}: its word ${i % words} `
            + `is not below ${kind.modulus}`);
    }
    return new Proof(proof);
}

function fromBytes(bytes) {
    const input = new Reader(bytes);
    if (toHex(input.take(4, 'the magic')) !== '4d4b5a50') malformed("the bytes do not begin with 'MKZP'");
    const version = input.u8('the version');
    if (version !== 2) malformed(`the format version must be 2, got ${version}`);
    const id = input.u8('the hash'), rule = input.u8('the rule'), kind = input.u8('the kind');
    const hash = findHashById(id)?.name ?? malformed(`no hash has the id ${id}`);
    if (rule >= rules.length) malformed(`the rule must be 0 to 3, got ${rule}`);
    if (kind > 2) malformed(`the kind must be 0 to 2, got ${kind}`);
    const nLeaves = input.u64('the count of leaves');
    const head = { kind, hash, rule: rules[rule], nLeaves };
    requireTree(nLeaves, head.rule);
    let proof;
    if (kind === 2) {
        const oldLeaves = input.u64('the count of old leaves');
        requireOldLeaves({ ...head, oldLeaves });
        proof = { ...head, oldLeaves, nodes: input.digests(consistencyCount(oldLeaves, nLeaves), 'the nodes') };
    } else {
        const indices = kind === 0 ? [input.u64('the index')] : readRuns(input, nLeaves);
        requireIndices(indices, nLeaves);
        const leaves = input.digests(indices.length, 'the leaves');
        proof = { ...head, indices, leaves,
            siblings: input.digests(siblingCount(nLeaves, head.rule, indices), 'the siblings') };
    }
    input.end();
    return ofElements(proof);
}

/** Reads at most as many indices as the remaining bytes can have leaves, so that few bytes never take much memory. */
function readRuns(input, nLeaves) {
    const indices = [], runs = input.leb128('the count of runs');
    for (let run = 0n, end = 0n; run < runs; run++) {
        const gap = input.leb128('a run'), length = input.leb128('a run');
        if ((run !== 0n && gap === 0n) || length === 0n)
            malformed(`run ${run} of the indices has no gap before it or no index`);
        if (gap + length > nLeaves - end) malformed(`run ${run} of the indices ends beyond the ${nLeaves} leaves`);
        if (BigInt(indices.length) + length > BigInt(input.left >> 5)) malformed('there are more indices than leaves');
        end += gap;
        for (let i = 0n; i < length; i++) indices.push(end++);
    }
    return indices;
}

/** Only digits are a count, not 1.0, and at most those of 2^64: BigInt() of many takes long. */
const countOfDigits = (digits) => (/^\d{1,20}$/.test(digits) ? BigInt(digits)
    : malformed(`a number must be an integer from 0 to 2^64 - 1, as digits alone, got ${printable(digits)}`));
function jsonObject(source) {
    const value = parseJson(source, countOfDigits);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) malformed('a proof in JSON is one object');
    return value;
}
function toCount(value, what) {
    if (isCount(value) && value < 2n ** 64n) return BigInt(value);
    return malformed(`${what} must be an integer from 0 to 2^64 - 1, got ${shown(value)}`);
}
const toList = (value, what) => itemsOf(value) ?? malformed(`${what} must be a list`);
/** A copy. */
const toNode = (value, what) => new Uint8Array(digestOrNull(value)
    ?? malformed(`${what} must be 32 bytes or 64 hexadecimal digits`));
const toNodes = (value, what) => toList(value, what).map((digest, i) => toNode(digest, `${what}[${i}]`));

const fieldsOfJson = { n_leaves: 'nLeaves', new_leaves: 'nLeaves', old_leaves: 'oldLeaves' };
function fromJson({ format, ...value }) {
    const formats = Object.keys(jsonKinds), fields = jsonKinds[formats.find((name) => name === format)]
        ?? malformed(`the format must be one of ${formats.join(', ')}`);
    const names = Object.keys(value).sort();
    if (names.join() !== [...fields].sort().join())
        malformed(`the fields must be format, ${fields.join(', ')}; got ${printable(names.join(', '), 200)}`);
    if (fields.includes('rule') && typeof value.rule !== 'string')
        malformed(`rule must be text, got ${shown(value.rule)}`);
    for (const digest of fields.filter((name) => name !== 'hash' && name !== 'rule').flatMap((name) => value[name]))
        if (typeof digest === 'string' && digest.length !== 64)
            malformed(`a digest in JSON must have 64 hexadecimal digits, got ${shown(digest)}`);
    return fromObject(Object.fromEntries(fields.map((name) => [fieldsOfJson[name] ?? name, value[name]])));
}

const fieldsOfAll = ['kind', 'hash', 'rule', 'nLeaves'];
const fieldsOfForms = [['index', 'leaf', 'siblings'], ['indices', 'leaves', 'siblings'], ['oldLeaves', 'nodes']];
/** A proof whose fields are {hash, rule, nLeaves} and those of one form, and no more, which nothing would verify. */
function fromObject(object) {
    const all = new Set([...fieldsOfAll, ...fieldsOfForms.flat(), ...Object.keys(object)]);
    const fields = [...all].map((name) => [name, object[name]]).filter(([, field]) => field !== undefined);
    const value = Object.fromEntries(fields), names = Object.keys(value).filter((name) => !fieldsOfAll.includes(name));
    const form = fieldsOfForms.findIndex((own) => own.length === names.length && own.every((name) => name in value));
    if (form < 0)
        malformed('the fields must be hash, rule, nLeaves and '
            + `${fieldsOfForms.map((own) => own.join(', ')).join(' or ')}; `
            + `got ${printable(Object.keys(value).join(', '), 200)}`);
    const hash = findHash(value.hash)?.name ?? malformed(`there is no hash ${shown(value.hash)}`);
    const rule = ruleName(value.rule ?? 'left_full'), { kind = form } = value;
    if (!rules.includes(rule)) malformed(`there is no rule ${shown(value.rule)}`);
    if (kind !== form && !(kind === 0 && form === 1)) malformed(`the kind must be ${form}, got ${shown(kind)}`);
    const head = { kind, hash, rule, nLeaves: toCount(value.nLeaves, 'the count of leaves') };
    if (form === 2)
        return checked({ ...head, oldLeaves: toCount(value.oldLeaves, 'the count of old leaves'),
            nodes: toNodes(value.nodes, 'nodes') });
    const siblings = toNodes(value.siblings, 'siblings');
    if (form === 0)
        return checked({ ...head, indices: [toCount(value.index, 'the index')], leaves: [toNode(value.leaf, 'leaf')],
            siblings });
    const indices = toList(value.indices, 'indices').map((index) => toCount(index, 'an index'));
    if (kind === 0 && indices.length !== 1) malformed(`a proof of kind 0 has one index, got ${indices.length}`);
    return checked({ ...head, indices, leaves: toNodes(value.leaves, 'leaves'), siblings });
}

/** @throws Malformed */
export function parsed(proof) {
    if (isBytes(proof)) {
        // A copy, which slice() of Node's Buffer is not; browsers decode no shared memory.
        const bytes = new Uint8Array(toBytes(proof, 'proof')), first = bytes.find((byte) => byte > 32);
        const isJson = first === 0x7b || first === 0xef; // a brace, or a byte order mark
        return isJson ? fromJson(jsonObject(bytes)) : fromBytes(bytes);
    }
    if (typeof proof === 'string') return fromJson(jsonObject(proof));
    if (typeof proof !== 'object' || proof === null || Array.isArray(proof))
        malformed(`a proof is bytes, JSON text or an object, got ${shown(proof)}`);
    return proof.format === undefined ? fromObject(proof) : fromJson(proof);
}

/** Winterfell's BatchMerkleProof of these leaves -> a proof of several leaves of a perfect tree. */
export function parsedWinterfell(bytes, hash, indices, leaves) {
    const input = new Reader(bytes);
    const depth = input.u8('the depth');
    if (depth < 1 || depth > 58) malformed(`the depth must be 1 to 58, got ${depth}`);
    if (leaves.length !== indices.length) malformed(`${indices.length} indices and ${leaves.length} leaves`);
    const nLeaves = 1n << BigInt(depth);
    const order =
        indices.map((index, i) => ({ index: toCount(index, 'an index'), leaf: toNode(leaves[i], `leaves[${i}]`) }));
    order.sort((a, b) => (a.index < b.index ? -1 : 1));
    const ascending = order.map(({ index }) => index);
    requireIndices(ascending, nLeaves);
    const readCount = (what) => {
        const first = input.u8(what);
        if (first === 0) malformed(`${what} is 2^56 or more`);
        const more = bits(BigInt(first & -first)) - 1;
        let coded = BigInt(first);
        input.take(more, what).forEach((byte, i) => (coded |= BigInt(byte) << BigInt(8 * (i + 1))));
        const value = coded >> BigInt(more + 1);
        if (more !== 0 && value >> BigInt(7 * more) === 0n) malformed(`${what} is not in its shortest form`);
        return value;
    };
    const n = readCount('the count of lists');
    if (n > BigInt(ascending.length)) malformed(`${n} lists for ${ascending.length} indices`);
    const lists = Array.from({ length: Number(n) }, () => input.digests(readCount('the length of a list'), 'a list'));
    input.end();
    const used = lists.map(() => 0), siblings = [];
    const take = (list) => siblings.push(lists[list]?.[used[list]++] ?? malformed(`list ${list} is too short`));
    let pairs = 0;
    let positions = climb(ascending, nLeaves, 0, 'perfect', (sibling) => {
        if (sibling !== 'known') take(pairs);
        pairs++;
    });
    for (let level = 1; level < heightOf(nLeaves); level++)
        positions = climb(positions, nLeaves, level, 'perfect', (sibling, i) => sibling !== 'known' && take(i));
    if (pairs !== lists.length || lists.some((list, i) => used[i] !== list.length))
        malformed('there are nodes that no index needs');
    return checked({ kind: 1, hash, rule: 'perfect', nLeaves, indices: ascending, leaves: order.map(({ leaf }) => leaf),
        siblings });
}

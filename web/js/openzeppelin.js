// openzeppelin.js: trees of @openzeppelin/merkle-tree, which Solidity's MerkleProof verifies (docs/formats.md). Digests
// are given as text with 0x, as that package and contracts' libraries do.
import { abiEncoded, bytesOrDigits } from './abi.js';
import { digestOrNull, equal, findHash, invalid, isBytes, itemsOf, requireOptions, shown, toBytes, toDigest,
    toHex } from './common.js';
import { digestOfMessage } from './hash.js';
import { parseJson } from './json.js';
import { verifyOpenZeppelin } from './proofs.js';
import { indicesBelow } from './proving.js';
import { m } from './ready.js';
import { indexBelow } from './shape.js';

const standardDump = 'standard-v1', simpleDump = 'simple-v1', keccak = findHash('keccak256');

/** A copy of a value of which a leaf was made. ofBytes(bytes), ofBigint(bigint): its copies of them */
function copied(value, ofBytes, ofBigint) {
    if (isBytes(value)) return ofBytes(toBytes(value));
    if (typeof value === 'bigint') return ofBigint(value);
    return itemsOf(value)?.map((item) => copied(item, ofBytes, ofBigint))
        ?? (typeof value === 'object' ? { ...value } : value); // {address, selector} of a function
}

/** Numbers as JSON.parse() has them, of which the package makes leaves. abi.js takes those beyond 2^53 as bigints
 * alone. */
const numberOfDump = (digits) =>
    (Number.isInteger(+digits) && !Number.isSafeInteger(+digits) ? BigInt(+digits) : +digits);

/** A shorter leaf is filled up with zeros at its end, as by the package. Digits without 0x are a digest. */
function simpleLeaf(leaf, what) {
    const digest = digestOrNull(leaf), word = new Uint8Array(32);
    word.set(digest ?? bytesOrDigits(leaf, what, 32));
    return word;
}

/** The leaves of values: of a simple tree (types null) they are the leaves. */
const leavesOfValues = (values, types, what) => (types === null
    ? values.map((leaf, i) => simpleLeaf(leaf, `${what}: leaf ${i}`))
    : abiEncoded(types, values, what).map((encoded) => digestOfMessage(keccak, digestOfMessage(keccak, encoded))));

const compared = (a, b) => {
    const i = a.findIndex((byte, k) => byte !== b[k]);
    return i < 0 ? 0 : a[i] - b[i];
};

/** Made by openZeppelin(), openZeppelinSimple() and OpenZeppelinTree.load(). Pairs are sorted, so proofs carry no
 * directions. */
export class OpenZeppelinTree {
    #heap; // the root at 1
    #slots; // of each value
    constructor(values, types, leaves, slots) {
        this.values = copied(values, (bytes) => new Uint8Array(bytes), (value) => value);
        /** The ABI types of a value; null: a simple tree. */
        this.leafEncoding = types;
        this.#slots = slots;
        this.#heap = new Uint8Array(64 * leaves.length);
        leaves.forEach((leaf, i) => this.#heap.set(leaf, 32 * slots[i]));
        const sorted = findHash('keccak256_sorted');
        for (let end = leaves.length, first; end > 1; end = first) {
            first = 2 ** Math.floor(Math.log2(end - 1));
            m.merge(sorted, this.#heap.subarray(64 * first, 64 * end), null, 0,
                this.#heap.subarray(32 * first, 32 * end));
        }
    }
    #text(slot) {
        return toHex(this.#heap.subarray(32 * slot, 32 * slot + 32), '0x');
    }
    #slot(index, what) {
        return this.#slots[indexBelow(index, this.nLeaves, `OpenZeppelinTree.${what}`, this.#rule)];
    }
    get #rule() {
        return `index must be 0 to ${this.nLeaves - 1}`;
    }
    get nLeaves() {
        return this.#slots.length;
    }
    get root() {
        return this.#text(1);
    }
    /** All 2 n - 1 nodes in the package's order: the root first. */
    get nodes() {
        return Array.from({ length: 2 * this.nLeaves - 1 }, (_, i) => this.#text(i + 1));
    }
    /** The leaf of a value. */
    leaf(index, what = 'leaf') {
        return this.#text(this.#slot(index, what));
    }
    /** Siblings from the leaf up, as getProof() gives them. */
    prove(index) {
        const proof = [];
        for (let slot = this.#slot(index, 'prove'); slot > 1; slot >>= 1) proof.push(this.#text(slot ^ 1));
        return proof;
    }
    /** Whether the proof leads from a value to this root. */
    verify(index, proof) {
        return verifyOpenZeppelin(proof, this.root, this.leaf(index, 'verify'));
    }
    /** {leaves, proof, proofFlags} of several values, as getMultiProof() gives them, for multiProofVerify(). */
    proveTogether(indices) {
        const queue = indicesBelow(indices, this.nLeaves, 'OpenZeppelinTree.proveTogether', this.#rule)
            .map((index) => this.#slots[index]).sort((a, b) => b - a);
        const leaves = queue.map((slot) => this.#text(slot)), proof = queue.length === 0 ? [this.root] : [],
            proofFlags = [];
        for (let at = 0; at < queue.length && queue[at] > 1; ) {
            const slot = queue[at++], isKnown = queue[at] === (slot ^ 1);
            proofFlags.push(isKnown);
            if (isKnown) at++;
            else proof.push(this.#text(slot ^ 1));
            queue.push(slot >> 1);
        }
        return { leaves, proof, proofFlags };
    }
    /** The dump that the package's load() reads, ready for JSON. */
    dump() {
        const tree = this.nodes,
            plain = copied(this.values, (bytes) => toHex(bytes, '0x'), String),
            values = plain.map((value, i) => ({ value, treeIndex: this.#slots[i] - 1 }));
        return this.leafEncoding === null ? { format: simpleDump, tree, values }
            : { format: standardDump, leafEncoding: [...this.leafEncoding], tree, values };
    }
    /** The tree of a dump, as an object or JSON text. All nodes are computed again and compared. */
    static load(dump) {
        const what = 'OpenZeppelinTree.load', refuse = (text) => invalid(`${what}: ${text}`);
        let found = dump;
        if (typeof dump === 'string') {
            try {
                found = parseJson(dump, numberOfDump);
            } catch (error) {
                refuse(error.message);
            }
        }
        if (typeof found !== 'object' || found === null)
            refuse(`the dump must be an object or JSON text, got ${shown(found)}`);
        if (found.format !== standardDump && found.format !== simpleDump)
            refuse(`the format must be '${standardDump}' or '${simpleDump}', got ${shown(found.format)}`);
        if (found.hash !== undefined && found.hash !== null) refuse('the tree has a node hash of its own');
        const listOf = (name) => itemsOf(found[name]) ?? refuse(`${name} must be a list, got ${shown(found[name])}`);
        const nodes = listOf('tree'), entries = listOf('values'),
            types = found.format === standardDump ? listOf('leafEncoding') : null;
        const n = entries.length,
            slots = entries.map((entry) => (Number.isInteger(entry?.treeIndex) ? entry.treeIndex + 1 : -1));
        const isFree = Array.from({ length: 2 * n }, (_, slot) => slot >= n);
        if (n === 0 || nodes.length !== 2 * n - 1
            || !slots.every((slot) => isFree[slot] && !(isFree[slot] = false)))
            refuse(`${n} values need ${2 * n - 1} nodes and a place each, got ${nodes.length} nodes`);
        const values = entries.map(({ value }) => value);
        const tree = new OpenZeppelinTree(values, types, leavesOfValues(values, types, what), slots);
        const isWrong = (node, i) =>
            !equal(toDigest(node, `${what}: node ${i}`), tree.#heap.subarray(32 * (i + 1), 32 * (i + 2)));
        const wrong = nodes.findIndex(isWrong);
        return wrong < 0 ? tree : refuse(`node ${wrong} of the dump is not the hash of what is below it`);
    }
}

function madeOf(values, types, options, what) {
    requireOptions(options, ['sortLeaves'], what);
    const items = itemsOf(values) ?? [];
    if (items.length === 0) invalid(`${what}: a tree needs a list of at least one value, got ${shown(values)}`);
    const leaves = leavesOfValues(items, types, what), order = leaves.map((_, i) => i), slots = [];
    if (options.sortLeaves ?? true) order.sort((i, j) => compared(leaves[i], leaves[j]));
    order.forEach((i, place) => (slots[i] = 2 * leaves.length - 1 - place));
    return new OpenZeppelinTree(items, types, leaves, slots);
}

/** The StandardMerkleTree of values, each a list of one field a type. A leaf is Keccak-256 of Keccak-256 of
 * abi.encode(value). */
export function openZeppelin(values, types, options = {}) {
    const items = itemsOf(types) ?? invalid(`openZeppelin: types must be a list of ABI types, got ${shown(types)}`);
    return madeOf(values, items, options, 'openZeppelin');
}
/** The SimpleMerkleTree of leaves, 32 bytes or text each. */
export function openZeppelinSimple(leaves, options = {}) {
    return madeOf(leaves, null, options, 'openZeppelinSimple');
}

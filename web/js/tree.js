// tree.js: a tree of leaves in memory, and its proofs.
import { invalid, itemsOf, shown, toHex } from './common.js';
import { requireUnambiguous } from './formats.js';
import { consistencyPlan, onePlan, proofOf, rangePlan, togetherPlan } from './proving.js';
import { heightOf } from './shape.js';
import { emptyRoot, leavesOf, leavesOfMessages, leavesOfRows, levelAbove, padAbove, requireRows,
    treeOptions } from './trees.js';

const treeName = 'MerkleTree';

/** treeOptions() of a tree whose leaves are made here. */
function hashedOptions(options, what) {
    const found = treeOptions(options, what);
    if (!found.format || found.format.isHashed) return found;
    return invalid(`${what}: format '${found.format.name}' hashes no messages: new MerkleTree() takes its leaves, `
        + '32 bytes each');
}

/** A Merkle tree with its nodes: 64 to 96 bytes a leaf. */
export class MerkleTree {
    #pads = []; // for each level, the root of padding alone
    #empty;

    /** leaves: [n, 32] bytes or a list of digests; options: format, or hash, rule, padding, key, context; what: the
     * function in errors */
    constructor(leaves, options = {}, what = treeName) {
        const { format, kind, rule, mode, padding } = treeOptions(options, what),
            bytes = leavesOf(leaves, { kind, rule }, what);
        this.hash = kind.name;
        this.rule = rule;
        this.nLeaves = bytes.length / 32;
        this.#empty = this.nLeaves === 0;
        this.height = this.#empty ? 0 : heightOf(BigInt(this.nLeaves));
        /** The root at 1, the children of i at 2 i and 2 i + 1, leaf k at 2^height + k; zeros where there is no node.
         */
        this.nodes = new Uint8Array(32 * (2 ** this.height + this.nLeaves));
        Object.freeze(this);
        this.nodes.set(bytes, 32 * 2 ** this.height);
        for (let k = 0, pad = padding; k < this.height; pad = padAbove(pad, kind, rule, mode), k++) {
            this.#pads.push(pad);
            requireUnambiguous(format, k, this.level(k), what);
            levelAbove(this.level(k), kind, rule, mode, pad, this.level(k + 1));
        }
    }

    /** The tree whose leaf k is the digest of message k. */
    static fromMessages(messages, options = {}) {
        const what = `${treeName}.fromMessages`, { kind, mode } = hashedOptions(options, what);
        return new MerkleTree(leavesOfMessages(messages, kind, mode, what), options, what);
    }
    /** The tree whose leaf k is the digest of row k, `rowBytes` bytes. */
    static fromRows(rows, rowBytes, options = {}) {
        const what = `${treeName}.fromRows`, { kind, mode } = hashedOptions(options, what);
        return new MerkleTree(leavesOfRows(requireRows(rows, rowBytes, what), rowBytes, kind, mode, `${what}: a row`),
            options, what);
    }

    toString() {
        return `<MerkleTree: ${this.nLeaves} leaves, ${this.hash}, root ${toHex(this.root)}>`;
    }
    /** What console.log() shows in Node. */
    [Symbol.for('nodejs.util.inspect.custom')]() {
        return this.toString();
    }
    /** 32 bytes. */
    get root() {
        return this.#empty ? emptyRoot() : this.nodes.slice(32, 64);
    }
    /** The nodes of a level, a view of `nodes`. 0: the leaves; height: the root */
    level(level) {
        if (!Number.isSafeInteger(level) || level < 0 || level > this.height)
            invalid(`${treeName}.level: level must be 0 to ${this.height} for a tree of ${this.nLeaves} leaves, `
                + `got ${shown(level)}`);
        const first = 2 ** (this.height - level), count = Math.ceil(this.nLeaves / 2 ** level);
        return this.nodes.subarray(32 * first, 32 * (first + count));
    }
    #node(level, index) {
        const nodes = this.level(level), at = 32 * Number(index);
        return at < nodes.length ? nodes.slice(at, at + 32) : this.#pads[level].slice();
    }
    #proof(plan) {
        return proofOf(plan, ([level, index]) => this.#node(level, index));
    }

    /** The proof of a leaf; of a list of indices a list of proofs. */
    prove(index) {
        return itemsOf(index)?.map((one) => this.prove(one))
            ?? this.#proof(onePlan(this, index, `${treeName}.prove`));
    }
    /** One proof of several leaves, with each sibling that it needs once. */
    proveTogether(indices) {
        return this.#proof(togetherPlan(this, indices, `${treeName}.proveTogether`));
    }
    /** One proof of the leaves from `first` to `last` - 1. */
    proveRange(first, last) {
        return this.#proof(rangePlan(this, first, last, `${treeName}.proveRange`));
    }
    /** The proof that the tree of the first `oldLeaves` leaves is the beginning of this one: RFC 6962, section 2.1.2.
     */
    proveConsistency(oldLeaves) {
        return this.#proof(consistencyPlan(this, oldLeaves, `${treeName}.proveConsistency`));
    }
}

// tree_file.js: reads .mkl files (docs/file-format.md) from a Blob, a File, bytes or a path, without reading the whole.
import { MerklizeError, equal, findHash, findHashById, invalid, isCount, modeNames, requireOptions, rules,
    shown } from './common.js';
import { opened } from './files.js';
import { digestOfMessage, modeOf } from './hash.js';
import { consistencyPlan, onePlan, placesOf, proofOf, rangePlan, togetherPlan } from './proving.js';
import { heightOf, levelSize, noTree } from './shape.js';
import { emptyRoot, isEmptyTree, levelAbove, padAbove } from './trees.js';

const headBytes = 128, readsAtOnce = 64, fileModes = ['plain', 'keyed', 'derive-key'];
const refuse = (text) => invalid(`TreeFile.open: ${text}`);

/** The facts in the header. size: bytes of the file */
function headerOf(head, size) {
    const magic = new TextDecoder('latin1').decode(head.subarray(0, 8));
    if (magic === 'MKLPART\0') refuse('this tree file is not finished: the program that builds it was stopped');
    if (magic === 'MKZTREE1') refuse('this tree file has an earlier format; build the tree again');
    if (head.length < headBytes || magic !== 'MKLTREE\0')
        refuse('this is no tree file: it does not begin with MKLTREE and a zero byte');
    const view = new DataView(head.buffer);
    if (view.getUint32(8, true) !== 1) refuse(`the version must be 1, got ${view.getUint32(8, true)}`);
    if (!equal(digestOfMessage(findHash('blake3'), head.subarray(0, 120)).subarray(0, 8), head.subarray(120)))
        refuse('the header is damaged: its checksum does not fit');
    const kind = findHashById(view.getUint32(12, true)) ?? refuse(`no hash has the id ${view.getUint32(12, true)}`);
    const rule = rules[head[16]] ?? refuse(`the rule must be 0 to 3, got ${head[16]}`);
    const mode = fileModes[head[17]];
    if (mode === undefined || (head[17] !== 0 && !kind.isKeyed) || (head[17] === 2 && !kind.hasChunkTree))
        refuse(`'${kind.name}' has no mode ${head[17]}`);
    const nLeaves = view.getBigUint64(24, true), leafBytes = view.getBigUint64(32, true),
        totalBytes = view.getBigUint64(40, true);
    const isEmpty = isEmptyTree(Number(nLeaves), kind, rule), none = isEmpty ? null : noTree(nLeaves, rule);
    if (none || nLeaves > 1n << 56n) refuse(none ?? `a tree file has at most 2^56 leaves, not ${nLeaves}`);
    const whole = leafBytes === 0n ? -1n : (totalBytes + leafBytes - 1n) / leafBytes;
    if (totalBytes !== 0n && nLeaves !== whole)
        refuse(`${nLeaves} leaves of ${leafBytes} bytes do not make ${totalBytes} bytes`);
    const height = isEmpty ? 0 : heightOf(nLeaves), starts = [];
    let nodes = 0n;
    for (let level = 0; level <= height && !isEmpty; level++) {
        starts.push(nodes);
        nodes += levelSize(nLeaves, level);
    }
    const needed = BigInt(headBytes) + 32n * nodes;
    if (BigInt(size) !== needed) refuse(`the file must have ${needed} bytes, got ${size}`);
    return { kind, rule, mode, nLeaves, leafBytes, totalBytes, height, starts, padding: head.slice(56, 88),
        root: head.slice(88, 120) };
}

/** An open tree file. TreeFile.open() makes it. */
export class TreeFile {
    #file; // {size, read}
    #kind;
    #starts; // for each level, the number of nodes before it

    constructor(file, { kind, starts, ...facts }) {
        this.#file = file;
        this.#kind = kind;
        this.#starts = starts;
        Object.assign(this, { hash: kind.name, ...facts });
        Object.freeze(this);
    }
    static async open(source) {
        const file = await opened(source, 'TreeFile.open');
        const header = headerOf(await bytesOf(file, 0, Math.min(headBytes, file.size)), file.size),
            tree = new TreeFile(file, header);
        const top = tree.nLeaves === 0n ? emptyRoot() : await tree.read(tree.height, 0, 1);
        return equal(tree.root, top) ? tree : refuse('the root in the header is not the last node of the file');
    }
    levelSize(level) {
        return levelSize(this.nLeaves, level);
    }
    /** Nodes of a level from the first on, [count, 32] bytes. */
    async read(level, first, count) {
        const size = this.#starts[level] === undefined ? 0n : levelSize(this.nLeaves, level);
        if (!isCount(first) || !isCount(count) || BigInt(first) + BigInt(count) > size)
            invalid(`TreeFile.read: level ${shown(level)} has ${size} nodes, `
                + `got ${shown(count)} from ${shown(first)} on`);
        return bytesOf(this.#file, headBytes + 32 * Number(this.#starts[level] + BigInt(first)), 32 * Number(count));
    }
    /** Nodes at places [level, index]; one read takes neighbours. pads: for each level, the node beyond its last one */
    async #nodes(places, pads) {
        const runs = [], nodes = [];
        for (const [level, index] of places) {
            const run = runs.at(-1), isPad = index >= levelSize(this.nLeaves, level);
            if (!isPad && run?.level === level && index === run.first + BigInt(run.count)) run.count++;
            else runs.push(isPad ? { pad: pads[level] } : { level, first: index, count: 1 });
        }
        for (let i = 0; i < runs.length; i += readsAtOnce) {
            const some = runs.slice(i, i + readsAtOnce)
                .map(({ pad, level, first, count }) => pad ?? this.read(level, first, count));
            for (const part of await Promise.all(some))
                for (let at = 0; at < part.length; at += 32) nodes.push(part.slice(at, at + 32));
        }
        return nodes;
    }
    async #proof(plan, options, what) {
        requireOptions(options, modeNames, what);
        const mode = modeOf(this.#kind, options, what), pads = [this.padding];
        while (pads.length < this.height) pads.push(padAbove(pads.at(-1), this.#kind, this.rule, mode));
        const nodes = (await this.#nodes(placesOf(plan), pads)).values();
        return proofOf(plan, () => nodes.next().value);
    }
    /** The proof of a leaf; of a list of indices a list of proofs. options: key or context of a tree with a mode, for
     * padding */
    async prove(index, options = {}) {
        if (!Array.isArray(index))
            return this.#proof(onePlan(this, index, 'TreeFile.prove'), options, 'TreeFile.prove');
        const proofs = [];
        for (const one of index) proofs.push(await this.prove(one, options));
        return proofs;
    }
    /** One proof of several leaves, with each sibling that it needs once. */
    async proveTogether(indices, options = {}) {
        return this.#proof(togetherPlan(this, indices, 'TreeFile.proveTogether'), options, 'TreeFile.proveTogether');
    }
    /** One proof of the leaves from `first` to `last` - 1. */
    async proveRange(first, last, options = {}) {
        return this.#proof(rangePlan(this, first, last, 'TreeFile.proveRange'), options, 'TreeFile.proveRange');
    }
    /** The proof that the tree of the first `oldLeaves` leaves is the beginning of this one. */
    async proveConsistency(oldLeaves) {
        return this.#proof(consistencyPlan(this, oldLeaves, 'TreeFile.proveConsistency'), {},
            'TreeFile.proveConsistency');
    }
    /** The first node that is not the merge of its children: {level, index}; null if there is none. Reads the whole
     * file. */
    async check(options = {}) {
        requireOptions(options, [...modeNames, 'signal', 'onProgress'], 'TreeFile.check');
        const mode = modeOf(this.#kind, options, 'TreeFile.check'), batch = 1 << 16, { size } = this.#file;
        for (let level = 0, pad = this.padding, done = 0; level < this.height; level++) {
            const count = Number(levelSize(this.nLeaves, level));
            for (let first = 0; first < count; first += batch) {
                options.signal?.throwIfAborted();
                const below = await this.read(level, first, Math.min(batch, count - first));
                const above = await this.read(level + 1, first / 2, Math.ceil(below.length / 64));
                const made = levelAbove(below, this.#kind, this.rule, mode, pad);
                const wrong = above.findIndex((byte, i) => byte !== made[i]);
                if (wrong >= 0) return { level: level + 1, index: first / 2 + Math.floor(wrong / 32) };
                done += below.length;
                options.onProgress?.(Math.min(done, size), size);
            }
            pad = padAbove(pad, this.#kind, this.rule, mode);
        }
        return null;
    }
}
/** A copy. */
async function bytesOf(file, offset, length) {
    const bytes = new Uint8Array(await file.read(offset, length));
    if (bytes.length !== length)
        throw new MerklizeError(`TreeFile.read: the file changed while it was read: it ends at byte `
            + `${offset + bytes.length}`, 'io');
    return bytes;
}

// tree_file.js: reads .mkl files (docs/file-format.md) from a Blob, a File, bytes or a path, without reading the whole.
import { equal, findHash, findHashById, invalid, isCount, modeNames, requireOptions, rules, shown } from './common.js';
import { hasJournal, opened, requireRun } from './files.js';
import { digestOfMessage, modeOf } from './hash.js';
import { consistencyPlan, onePlan, placesOf, proofOf, rangePlan, togetherPlan } from './proving.js';
import { m } from './ready.js';
import { heightOf, levelSize, noTree } from './shape.js';
import { emptyRoot, isEmptyTree, levelAbove, padAbove } from './trees.js';

const headBytes = 128, readsAtOnce = 64, fileModes = ['plain', 'keyed', 'derive-key'],
    optionsOf = { plain: 'neither a key nor a context', keyed: 'a key', 'derive-key': 'a context' };
const refuse = (text) => invalid(`TreeFile.open: ${text}`);

/** The facts in the header. Refuses what no writer makes, as the library does. size: bytes of the file */
function headerOf(head, size) {
    const magic = new TextDecoder('latin1').decode(head.subarray(0, 8));
    if (magic === 'MKLPART\0') refuse('this tree file is not finished: the program that builds it was stopped');
    if (magic === 'MKZTREE1') refuse('this tree file has an earlier format; build the tree again');
    if (magic !== 'MKLTREE\0') refuse('this is no tree file: it does not begin with MKLTREE and a zero byte');
    if (head.length < headBytes) refuse(`the file must have its header of ${headBytes} bytes, got ${size}`);
    const view = new DataView(head.buffer), padding = head.slice(56, 88);
    const isZeros = (from, to) => head.subarray(from, to).every((byte) => byte === 0);
    if (view.getUint32(8, true) !== 1) refuse(`the version must be 1, got ${view.getUint32(8, true)}`);
    if (!equal(digestOfMessage(findHash('blake3'), head.subarray(0, 120)).subarray(0, 8), head.subarray(120)))
        refuse('the header is damaged: its checksum does not fit');
    const kind = findHashById(view.getUint32(12, true)) ?? refuse(`no hash has the id ${view.getUint32(12, true)}`);
    const rule = rules[head[16]] ?? refuse(`the rule must be 0 to 3, got ${head[16]}`);
    const mode = fileModes[head[17]];
    if (mode === undefined || (head[17] !== 0 && !kind.isKeyed) || (head[17] === 2 && !kind.hasChunkTree))
        refuse(`'${kind.name}' has no mode ${head[17]}`);
    if (!isZeros(18, 24)) refuse('bytes 18 to 23 must be zeros: a newer version may have written the file');
    if (mode === 'plain' && !isZeros(48, 56)) refuse('the key check must be zeros, because the merges are plain');
    if (rule !== 'pad' && !isZeros(56, 88)) refuse(`the padding must be zeros under the rule '${rule}'`);
    if (m.firstNotElement(kind, padding) >= 0) refuse(`the padding is no digest of '${kind.name}'`);
    const nLeaves = view.getBigUint64(24, true), leafBytes = view.getBigUint64(32, true),
        totalBytes = view.getBigUint64(40, true);
    const isEmpty = isEmptyTree(Number(nLeaves), kind, rule), none = isEmpty ? null : noTree(nLeaves, rule);
    if (none || nLeaves > 1n << 56n) refuse(none ?? `a tree file has at most 2^56 leaves, not ${nLeaves}`);
    const whole = leafBytes === 0n ? -1n : (totalBytes + leafBytes - 1n) / leafBytes;
    if (totalBytes !== 0n && nLeaves !== whole)
        refuse(`${nLeaves} leaves of ${leafBytes} bytes do not make ${totalBytes} bytes`);
    const height = isEmpty ? 0 : heightOf(nLeaves), starts = [];
    let nodes = 0n;
    for (let level = 0; level <= height; level++) {
        starts.push(nodes);
        nodes += levelSize(nLeaves, level);
    }
    const needed = BigInt(headBytes) + 32n * nodes;
    if (BigInt(size) !== needed) refuse(`the file must have ${needed} bytes, got ${size}`);
    return { kind, rule, mode, nLeaves, leafBytes, totalBytes, height, starts, padding, keyCheck: head.slice(48, 56),
        root: head.slice(88, 120) };
}

/** An open tree file. TreeFile.open() makes it. */
export class TreeFile {
    #file; // {size, read}
    #kind;
    #starts; // for each level, the number of nodes before it
    #keyCheck;

    constructor(file, { kind, starts, keyCheck, ...facts }) {
        this.#file = file;
        this.#kind = kind;
        this.#starts = starts;
        this.#keyCheck = keyCheck;
        Object.assign(this, { hash: kind.name, ...facts });
        Object.freeze(this);
    }
    static async open(source) {
        const what = 'TreeFile.open', file = await opened(source, what);
        const header = headerOf(await bytesOf(file, 0, Math.min(headBytes, file.size), what), file.size),
            tree = new TreeFile(file, header);
        // Behind the first read: after a change that begins from now on, the reads that follow refuse the file.
        if (file.path && await hasJournal(file.path))
            refuse(`${file.path} has a journal of a change cut short: run merklize tree info`);
        const top = tree.nLeaves === 0n ? emptyRoot() : await tree.#part(tree.height, 0, 1, what);
        return equal(tree.root, top) ? tree : refuse('the root in the header is not the last node of the file');
    }
    #levelSize(level, what) {
        if (!isCount(level) || level > this.height)
            invalid(`${what}: level must be an integer from 0, the leaves, to ${this.height}, the root, `
                + `got ${shown(level)}`);
        return levelSize(this.nLeaves, level);
    }
    levelSize(level) {
        return this.#levelSize(level, 'TreeFile.levelSize');
    }
    /** Nodes that the tree has, [count, 32] bytes. */
    #part(level, first, count, what) {
        return bytesOf(this.#file, headBytes + 32 * Number(this.#starts[level] + BigInt(first)), 32 * Number(count),
            what);
    }
    /** Nodes of a level from the first on, [count, 32] bytes. */
    async read(level, first, count) {
        const size = this.#levelSize(level, 'TreeFile.read');
        if (!isCount(first) || !isCount(count) || BigInt(first) + BigInt(count) > size)
            invalid(`TreeFile.read: level ${shown(level)} has ${size} nodes, `
                + `got ${shown(count)} from ${shown(first)} on`);
        return this.#part(level, first, count, 'TreeFile.read');
    }
    /** The mode of the options, which must be the tree's. isNeeded: whether they must have it */
    #modeOf(options, what, isNeeded) {
        const mode = modeOf(this.#kind, options, what);
        const given = options.key !== undefined ? 'keyed' : options.context !== undefined ? 'derive-key' : 'plain';
        if (given !== this.mode && (isNeeded || given !== 'plain'))
            invalid(`${what}: the tree's merges are ${this.mode}: options must have ${optionsOf[this.mode]}, `
                + `got ${optionsOf[given]}`);
        const check = () => m.merge(this.#kind, new Uint8Array(64), mode.key, mode.flags).subarray(0, 8);
        if (given !== 'plain' && !equal(check(), this.#keyCheck))
            invalid(`${what}: the tree was made with another ${given === 'keyed' ? 'key' : 'context'}: give that one`);
        return mode;
    }
    /** Nodes at places [level, index]; one read takes neighbours. pads: for each level, the node beyond its last one */
    async #nodes(places, pads, what) {
        const runs = [], nodes = [];
        for (const [level, index] of places) {
            const run = runs.at(-1), isPad = index >= levelSize(this.nLeaves, level);
            if (!isPad && run?.level === level && index === run.first + BigInt(run.count)) run.count++;
            else runs.push(isPad ? { pad: pads[level] } : { level, first: index, count: 1 });
        }
        for (let i = 0; i < runs.length; i += readsAtOnce) {
            const some = runs.slice(i, i + readsAtOnce)
                .map(({ pad, level, first, count }) => pad ?? this.#part(level, first, count, what));
            for (const part of await Promise.all(some))
                for (let at = 0; at < part.length; at += 32) nodes.push(part.slice(at, at + 32));
        }
        return nodes;
    }
    async #proof(plan, options, what) {
        requireOptions(options, modeNames, what);
        const isPadded = this.rule === 'pad' && this.nLeaves !== 1n << BigInt(this.height);
        const mode = this.#modeOf(options, what, isPadded), pads = [this.padding];
        while (pads.length < this.height) pads.push(padAbove(pads.at(-1), this.#kind, this.rule, mode));
        const nodes = (await this.#nodes(placesOf(plan), pads, what)).values();
        return proofOf(plan, () => nodes.next().value);
    }
    /** The proof of a leaf; of a list of indices a list of proofs. options: key or context of a tree with a mode, which
     * padding needs */
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
        const what = 'TreeFile.check', batch = 1 << 16, { size } = this.#file;
        requireOptions(options, [...modeNames, 'signal', 'onProgress'], what);
        const mode = this.#modeOf(options, what, true);
        requireRun(options, what);
        for (let level = 0, pad = this.padding, done = 0; level < this.height; level++) {
            const count = Number(levelSize(this.nLeaves, level));
            for (let first = 0; first < count; first += batch) {
                const below = await this.#part(level, first, Math.min(batch, count - first), what);
                const above = await this.#part(level + 1, first / 2, Math.ceil(below.length / 64), what);
                options.signal?.throwIfAborted();
                const made = levelAbove(below, this.#kind, this.rule, mode, pad);
                const wrong = above.findIndex((byte, i) => byte !== made[i]);
                if (wrong >= 0) return { level: level + 1, index: first / 2 + Math.floor(wrong / 32) };
                done += below.length;
                options.onProgress?.(Math.min(done, size), size);
            }
            pad = padAbove(pad, this.#kind, this.rule, mode);
        }
        options.signal?.throwIfAborted(); // by the last onProgress, too
        return null;
    }
}
/** A copy. */
const bytesOf = async (file, offset, length, what) => new Uint8Array(await file.read(offset, length, what));

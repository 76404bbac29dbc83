// piece.js: Filecoin's piece commitment, by which storage providers identify the data that they store
// (docs/formats.md).
import { invalid, toBytes } from './common.js';
import { Waiting, readAll } from './hash.js';
import { leb128 } from './proof.js';
import { m } from './ready.js';

const unitHeight = 13, unitBytes = 2 ** unitHeight / 4 * 127; // bytes that are hashed at once: a subtree of 2^13 leaves
const mostPieceBytes = 2 ** 36 / 128 * 127;

/** Multibase "b": RFC 4648's base 32 in lower case, without padding. */
function base32(bytes) {
    let text = 'b', bits = 0, count = 0;
    for (const byte of bytes) {
        bits = (bits << 8 | byte) & 0xfff;
        for (count += 8; count >= 5; count -= 5) text += 'abcdefghijklmnopqrstuvwxyz234567'[bits >> (count - 5) & 31];
    }
    return count === 0 ? text : text + 'abcdefghijklmnopqrstuvwxyz234567'[bits << (5 - count) & 31];
}
/** A CID, version 1. codec and multihash: codes of multicodec's table */
const cidOf = (codec, multihash, digest) =>
    base32([1, ...leb128(codec), ...leb128(multihash), digest.length, ...digest]);

function requireSize(what, count) {
    if (count > mostPieceBytes)
        invalid(`${what}: data must be at most ${mostPieceBytes} bytes, those of a piece of 64 GiB, got ${count}`);
}

/** Computes the commitment of bytes as they come. */
export class PieceHasher {
    #waiting = new Waiting(unitBytes, (unit) => this.#push(unit));
    #roots; // roots of the whole subtrees so far, the largest first
    #units; // number of units that have been hashed
    #count;

    constructor() {
        this.reset();
    }
    reset() {
        this.#waiting.reset();
        this.#roots = [];
        this.#units = this.#count = 0;
        return this;
    }
    #push(unit) {
        let root = m.pieceRoot(unit, unitHeight);
        for (let n = ++this.#units; n % 2 === 0; n /= 2) root = m.pieceMerge(this.#roots.pop(), root);
        this.#roots.push(root);
    }
    /** Appends bytes. Returns itself. */
    update(data, what = 'PieceHasher.update') {
        const bytes = toBytes(data, `${what}: data`), count = this.#count + bytes.length;
        requireSize(what, count);
        this.#count = count;
        this.#waiting.update(bytes);
        return this;
    }
    /** Appends all that a stream gives. */
    async updateFrom(stream) {
        await readAll(stream, 'PieceHasher.updateFrom', (data) => this.update(data));
        return this;
    }
    /** Bytes so far. */
    get count() {
        return this.#count;
    }
    /** The PieceCID of all bytes so far: {v2, v1, root, size, height, paddedSize}. More may follow. */
    digest() {
        const size = this.#count, leaves = 4 * Math.ceil(size / 127),
            height = Math.max(2, Math.ceil(Math.log2(leaves)));
        let root = m.pieceRoot(this.#waiting.rest, Math.min(height, unitHeight)), zeros = new Uint8Array(32);
        const roots = [...this.#roots];
        for (let level = 0, index = this.#units; level < height; level++) {
            if (level >= unitHeight) {
                root = index % 2 === 1 ? m.pieceMerge(roots.pop(), root) : m.pieceMerge(root, zeros);
                index = Math.floor(index / 2);
            }
            zeros = m.pieceMerge(zeros, zeros);
        }
        const paddedSize = 32 * 2 ** height, padding = paddedSize / 128 * 127 - size;
        const v1 = cidOf(0xf101n, 0x1012n, root),
            v2 = cidOf(0x55n, 0x1011n, [...leb128(BigInt(padding)), height, ...root]);
        return Object.freeze({ v2, v1, root, size, height, paddedSize });
    }
}

/** Filecoin's PieceCID of bytes. */
export const pieceCid = (data) => new PieceHasher().update(data, 'pieceCid').digest();

/** The leaves of a piece's tree over data from a multiple of 127 bytes on, joined. */
export function pieceLeaves(data) {
    const bytes = toBytes(data, 'pieceLeaves: data'), leaves = new Uint8Array(128 * Math.ceil(bytes.length / 127));
    requireSize('pieceLeaves', bytes.length);
    for (let at = 0; at < bytes.length; at += unitBytes)
        leaves.set(m.pieceLeaves(bytes.subarray(at, at + unitBytes)), at / 127 * 128);
    return leaves;
}

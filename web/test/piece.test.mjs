// Filecoin's PieceCID: known answers of another program, the library's, and bytes as they come.
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { both, counted, hex, library, merklize, needsLibrary, vectors } from './common.mjs';

const { MerkleTree, PieceHasher, parseProof, pieceCid, pieceLeaves, verify } = merklize;

both('a PieceCID is what @web3-storage/data-segment says', () => {
    const known = Object.entries(vectors('piece_cid').v2);
    assert.ok(known.length >= 14);
    for (const [size, v2] of known) {
        const piece = pieceCid(counted(Number(size)));
        assert.deepEqual([piece.v2, piece.size, piece.paddedSize], [v2, Number(size), 32 * 2 ** piece.height]);
    }
    assert.equal(pieceCid(counted(0)).v1, 'baga6ea4seaqdomn3tgwgrh3g532zopskstnbrd2n3sxfqbze7rxt7vqn7veigmy');
});

test('a PieceCID is the library\'s, at the edges of what is hashed at once', needsLibrary, () => {
    assert.ok(library.pieces.length > 20);
    for (const { root, ...facts } of library.pieces) {
        const piece = pieceCid(counted(facts.size));
        assert.deepEqual([{ size: piece.size, v1: piece.v1, v2: piece.v2, height: piece.height }, hex(piece.root)], [facts, root]);
    }
});

test('bytes as they come, in any steps, are those at once', async () => {
    const data = counted(1500000), whole = pieceCid(data), hasher = new PieceHasher();
    for (let at = 0, step = 1; at < data.length; at += step, step = (step * 7919) % 300007) {
        hasher.update(data.subarray(at, at + step));
        if (step % 5 === 0) assert.deepEqual(hasher.digest(), pieceCid(data.subarray(0, at + step)), 'of the bytes so far');
    }
    assert.deepEqual([hasher.digest(), hasher.count], [whole, data.length]);
    assert.deepEqual(hasher.digest(), whole, 'again');
    assert.deepEqual((await hasher.reset().updateFrom(new Blob([data]).stream())).digest(), whole);
    assert.deepEqual((await hasher.reset().updateFrom(Readable.from([data.subarray(0, 999), data.subarray(999)]))).digest(), whole, 'a stream of Node');
    assert.deepEqual(hasher.reset().update(new DataView(data.buffer, 3, 254)).digest(), pieceCid(data.subarray(3, 257)), 'another view');
    assert.deepEqual(pieceCid(data.buffer), whole);
});

test('zeros behind the data change version 2 alone', () => {
    const data = counted(200), longer = pieceCid(Uint8Array.of(...data, 0, 0)), { v1, v2 } = pieceCid(data);
    assert.equal(longer.v1, v1);
    assert.notEqual(longer.v2, v2);
});

test('a tree over the leaves of a piece has its root, and proves ranges of its data', () => {
    const unit = 2048 * 127; // bytes that are hashed at once
    for (const size of [4 * 127, 8 * 127 - 1, unit, unit + 1, 2 * unit + 128]) {
        const data = counted(size), leaves = pieceLeaves(data), piece = pieceCid(data);
        assert.equal(leaves.length, 128 * Math.ceil(size / 127));
        assert.deepEqual(pieceLeaves(data.subarray(127, 254)), leaves.slice(128, 256), 'of a part');
        const tree = new MerkleTree(leaves, { hash: 'sha256_trunc254', rule: 'pad' });
        assert.equal(hex(tree.root), hex(piece.root));
        const { nLeaves } = tree, expect = { hash: 'sha256_trunc254', rule: 'pad', nLeaves }, claim = parseProof(tree.proveRange(4, 12).toBytes());
        assert.ok(verify(claim, piece.root, { expect }));
        assert.deepEqual(Buffer.concat(claim.leaves), Buffer.from(pieceLeaves(data.subarray(127, 3 * 127))), 'two groups of 127 bytes');
        claim.leaves[5] = pieceLeaves(data.subarray(0, 127)).slice(0, 32);
        assert.ok(!verify(claim, piece.root, { expect }));
    }
    assert.equal(pieceLeaves(new Uint8Array()).length, 0);
    assert.throws(() => pieceLeaves('text'), { name: 'MerklizeError', message: /^pieceLeaves: data must/ });
});

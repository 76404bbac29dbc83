// Every hash against the library's known answers, which other programs made.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { both, bytes, counted, heaps, hex, memory, merklize, vectors } from './common.mjs';

const { Hasher, MerkleTree, hash, hashEach, hashFile, hashLeaves, hashRows, hashes, merge, merkleRoot } = merklize;
const leafOf = (message, name) => hashLeaves([message], { hash: name });

both('BLAKE3, its keyed hash and key derivation', () => {
    const { cases, key, context_string: context } = vectors('blake3');
    for (const given of cases) {
        const data = counted(given.input_len), length = given.hash.length / 2;
        assert.equal(hex(hash(data, { length })), given.hash, `${given.input_len} bytes`);
        assert.equal(hex(hash(data, { length, key: Buffer.from(key) })), given.keyed_hash, `${given.input_len} bytes, keyed`);
        assert.equal(hex(hash(data, { length, context })), given.derive_key, `${given.input_len} bytes, derived`);
        assert.equal(hex(hash(data, { length: 7, seek: 61 })), given.hash.slice(122, 136), 'output from byte 61 on');
    }
});

both('digits in place of bytes', async () => {
    const data = counted(3000), abc = '6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85';
    assert.equal(hash(new TextEncoder().encode('abc'), { encoding: 'hex' }), abc);
    for (const options of [{}, { hash: 'sha256' }, { length: 7, seek: 61 }, { length: 0 }, { hash: 'blake2s', length: 20 }, { key: counted(32) }, { encoding: undefined }]) {
        const digits = hex(hash(data, options)), asHex = { ...options, encoding: 'hex' };
        assert.equal(hash(data, asHex), digits);
        assert.equal(await hashFile(data, asHex), digits);
        const { length, seek, encoding: _, ...ofHasher } = options;
        if (length === undefined || options.hash === undefined) assert.equal(new Hasher(ofHasher).update(data).digest({ length, seek, encoding: 'hex' }), digits);
    }
});

both('one Hasher after another message, and messages one after another', () => {
    const sizes = [0, 1, 63, 64, 65, 300000, 1024, 1025, 2048, 3072, 4096, 7168, 3, 1 << 20, (1 << 20) + 1, 64];
    for (const name of ['blake3', 'keccak256']) {
        const kept = new Hasher({ hash: name });
        const digests = sizes.map((size) => hash(counted(size), { hash: name }));
        sizes.forEach((size, i) => {
            const data = counted(size), fresh = new Hasher({ hash: name });
            for (let at = 0; at < size; at += 70000) fresh.update(data.subarray(at, at + 70000));
            assert.equal(hex(digests[i]), hex(fresh.digest()), `${name} of ${size} bytes: a digest is the caller's own`);
            assert.equal(hex(kept.reset().update(data).digest()), hex(digests[i]), `${name} of ${size} bytes after reset`);
            if (name === 'blake3') assert.equal(hex(hash(data, { length: 33 })).slice(0, 64), hex(digests[i]), `${size} bytes, extended`);
        });
    }
});

both('BLAKE3 of any cut', () => {
    const data = counted(3 * 262144 + 5000);
    for (const size of [0, 1, 1023, 1024, 1025, 4096, 4097, 262143, 262144, 262145, 2 * 262144, data.length]) {
        const whole = hex(hash(data.subarray(0, size)));
        for (const step of [1000, 1024, 65536, 262144, 300000, size || 1]) {
            const hasher = new Hasher();
            for (let at = 0; at < size; at += step) hasher.update(data.subarray(at, Math.min(at + step, size)));
            assert.equal(hex(hasher.digest()), whole, `${size} bytes by ${step}`);
            assert.equal(hasher.count, size);
        }
    }
});

for (const { name } of hashes) {
    const file = /^rp64/.test(name) || name === 'blake3' ? null : vectors(name);
    if (!file) continue;
    both(`${name}: merges and leaves`, () => {
        for (const { left, right, digest } of file.merges) assert.equal(hex(merge(left, right, { hash: name })), digest);
        for (const { record, digest } of file.leaves ?? []) assert.equal(hex(leafOf(bytes(record), name)), digest, record);
        for (const { leaves, root: expected } of file.roots ?? []) assert.equal(hex(merkleRoot(leaves, { hash: name })), expected);
        for (const { message, digest, key } of file.messages ?? []) {
            const options = name === 'blake2s' ? { length: digest.length / 2, key: key === '' ? undefined : bytes(key) } : {};
            if (message !== undefined) assert.equal(hex(hash(bytes(message), { hash: name, ...options })), digest);
        }
    });
}

test('Rescue Prime: merges and rows', () => {
    const words = (list) => new Uint8Array(BigUint64Array.from(list, BigInt).buffer);
    let seen = 0;
    for (const { variant, op, input, digest } of vectors('rescue_prime')) {
        if (op === 'merge') {
            const nodes = words(input);
            assert.equal(hex(merge(nodes.slice(0, 32), nodes.slice(32), { hash: variant })), hex(words(digest)));
        } else if (op === 'hash_elements' && input.length > 0) {
            assert.equal(hex(hashRows(words(input), 8 * input.length, { hash: variant })), hex(words(digest)));
        } else {
            continue;
        }
        seen++;
    }
    assert.ok(seen > 50);
});

both('BLAKE2s under a key: rows, merges, trees, proofs and pieces', () => {
    const file = vectors('blake2s'), options = { hash: 'blake2s' };
    for (const { key, left, right, digest } of file.keyed_merges) assert.equal(hex(merge(left, right, { ...options, key: bytes(key) })), digest);
    for (const { key, record, digest } of file.keyed_leaves) {
        const data = bytes(record), keyed = { ...options, key: bytes(key) };
        assert.equal(hex(hashLeaves([data], keyed)), digest);
        if (data.length > 0) assert.equal(hex(hashRows(data, data.length, keyed)), digest);
        const hasher = new Hasher(keyed);
        for (let at = 0; at < data.length; at += 50) hasher.update(data.subarray(at, at + 50));
        assert.equal(hex(hasher.digest()), digest);
        assert.equal(hex(hasher.reset().update(data).digest()), digest);
    }
    const key = counted(9), messages = Array.from({ length: 5 }, (_, i) => counted(30 * i)), keyed = { ...options, key };
    const leaves = messages.map((message) => hash(message, keyed)), up = (l, r) => merge(l, r, keyed);
    const tree = MerkleTree.fromMessages(messages, keyed);
    assert.equal(hex(tree.root), hex(up(up(up(leaves[0], leaves[1]), up(leaves[2], leaves[3])), leaves[4])));
    const proof = tree.prove(2).toBytes();
    assert.ok(merklize.verify(proof, tree.root, { key }));
    assert.ok(!merklize.verify(proof, tree.root, { key: counted(8) }));
    assert.ok(!merklize.verify(proof, tree.root));
});

test('hashes of bytes against OpenSSL, whole and in pieces', () => {
    for (const size of [0, 1, 55, 56, 63, 64, 65, 1000, 3000000]) {
        const data = counted(size);
        const once = createHash('sha256').update(data).digest();
        assert.equal(hex(hash(data, { hash: 'sha256' })), hex(once));
        assert.equal(hex(hash(data, { hash: 'sha256d' })), hex(createHash('sha256').update(once).digest()));
        assert.equal(hex(hash(data, { hash: 'sha3_256' })), hex(createHash('sha3-256').update(data).digest()));
        assert.equal(hex(hash(data, { hash: 'blake2s' })), hex(createHash('blake2s256').update(data).digest()));
        for (const name of ['sha256', 'keccak256', 'blake2s']) {
            const hasher = new Hasher({ hash: name });
            for (let at = 0; at < size; at += 77777) hasher.update(data.subarray(at, at + 77777));
            assert.equal(hex(hasher.digest()), hex(hash(data, { hash: name })));
        }
    }
});

both('records of any length are hashed as messages', () => {
    for (const size of [1, 64, 1023, 1024, 1025, 2048, 5000]) {
        const records = counted(3 * size), leaves = hashRows(records, size);
        for (let i = 0; i < 3; i++)
            assert.equal(hex(leaves.subarray(32 * i, 32 * i + 32)), hex(hash(records.slice(i * size, (i + 1) * size))), `${size} bytes`);
    }
});

both('many messages, and trees of them and of rows, by every hash', () => {
    for (const { name, elementBits } of hashes) {
        const unit = elementBits / 8 || 1, sizes = [0, 1, 17, 1024, 5000].map((size) => size * unit), key = counted(32), how = { hash: name };
        const messages = sizes.map((size) => counted(size).map((byte, i) => (i % unit === unit - 1 ? 0 : byte))), leaves = hashLeaves(messages, how);
        messages.forEach((message, i) => {
            const own = hex(leaves.subarray(32 * i, 32 * i + 32));
            if (message.length > 0) assert.equal(hex(hashRows(message, message.length, how)), own, `${name}, ${message.length} bytes`);
            if (name === 'blake3') assert.equal(hex(hashLeaves([message], { key })), hex(hash(message, { key })));
        });
        const rows = messages[3].subarray(0, 768 * unit), cut = [0, 1, 2].map((i) => rows.subarray(256 * unit * i, 256 * unit * (i + 1)));
        const tree = { ...how, rule: 'pad' };
        assert.equal(hex(MerkleTree.fromRows(rows, 256 * unit, tree).root), hex(MerkleTree.fromMessages(cut, tree).root), name);
        assert.equal(hex(MerkleTree.fromMessages(cut, tree).root), hex(merkleRoot(hashRows(rows, 256 * unit, how), tree)), name);
        let each;
        try {
            each = hashEach(messages, how);
        } catch (error) {
            assert.match(error.message, /^hashEach: /);
            assert.throws(() => hash(messages[0], how), { message: error.message.replace('hashEach', 'hash') });
            continue;
        }
        assert.equal(hex(each), messages.map((message) => hex(hash(message, how))).join(''), name);
    }
});

test('records of sha256_rfc6962 are leaves of RFC 6962', () => {
    const { inputs, leaf_hashes: expected } = vectors('rfc6962');
    inputs.forEach((input, i) => assert.equal(hex(leafOf(bytes(input), 'sha256_rfc6962')), expected[i]));
    const records = counted(64);
    const leaves = hashRows(records, 16, { hash: 'sha256_rfc6962' });
    for (let i = 0; i < 4; i++)
        assert.equal(hex(leaves.subarray(32 * i, 32 * i + 32)), hex(leafOf(records.slice(16 * i, 16 * i + 16), 'sha256_rfc6962')));
});

test('roots of other programs by every rule', () => {
    const lines = vectors('sha256_trees');
    const leaf = (k) => hex(Uint8Array.from({ length: 32 }, (_, i) => (32 * k + i) % 251));
    const counter = (n) => Array.from({ length: n }, (_, k) => leaf(k));
    let seen = 0;
    for (const line of lines) {
        if (line.leaves !== 'counter32' || !(line.n > 0) || line.root === undefined) continue;
        const how = line.variant === 'bitcoin' && line.op === 'root' ? { hash: 'sha256d', rule: 'duplicate_last' }
            : line.variant === 'ssz' && line.op === 'merkleize' && line.limit === null ? { hash: 'sha256', rule: 'pad' } : null;
        if (!how) continue;
        assert.equal(hex(merkleRoot(counter(line.n), how)), line.root, JSON.stringify(line));
        seen++;
    }
    assert.ok(seen > 20, `${seen} roots`);
    const rfc = vectors('rfc6962');
    rfc.roots.forEach((expected, i) => assert.equal(hex(merkleRoot(rfc.leaf_hashes.slice(0, i + 1), { hash: 'sha256_rfc6962' })), expected));
});

test('bytes as text, with a prefix and without', () => {
    const all = Uint8Array.from({ length: 256 }, (_, i) => i);
    assert.equal(merklize.toHex(all), hex(all));
    assert.equal(merklize.toHex(all, '0x'), `0x${hex(all)}`);
});

test('stacks and data of the two modules are apart, and the stacks have room', () => {
    // web/build.py: the stack of the hashes is [0, 64 KiB), that of the lanes ends at 128 KiB; both grow down. After
    // all tests above.
    const [hashes, lanes] = heaps;
    assert.ok(65536 < hashes && hashes <= 131072 - 32768, `the data of the hashes end at ${hashes}`);
    assert.ok(131072 < lanes && lanes < 196608, `the data of the lanes end at ${lanes}`);
    const used = new Uint8Array(memory.buffer, 0, 131072);
    const deepest = (from) => used.findIndex((byte, at) => at >= from && byte !== 0);
    assert.ok(deepest(0) > 32768, `the hashes: ${65536 - deepest(0)} bytes`);
    assert.ok(deepest(hashes) > 131072 - 16384, `the lanes: ${131072 - deepest(hashes)} bytes`);
});

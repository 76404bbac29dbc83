// Proofs of other programs, proofs of the library (made by library.py), and values that are no proofs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytes, counted, hex, library, merklize, needsLibrary, vectors } from './common.mjs';

const { MerkleTree, TreeFile, explain, parseProof, verify, verifyConsistency, verifyEach, verifyOpenZeppelin, verifyWinterfell } = merklize;

test('RFC 6962: paths and consistency', () => {
    const { leaf_hashes: leaves, roots, paths, consistency } = vectors('rfc6962');
    for (const { index, n_leaves: nLeaves, siblings } of paths) {
        const proof = { hash: 'sha256_rfc6962', rule: 'left_full', nLeaves, index, leaf: leaves[index], siblings };
        assert.equal(verify(proof, roots[nLeaves - 1]), true);
        assert.equal(verify(proof, roots[nLeaves % 8]), false);
    }
    for (const { old_leaves: oldLeaves, new_leaves: nLeaves, nodes } of consistency) {
        const proof = { hash: 'sha256_rfc6962', oldLeaves, nLeaves, nodes };
        assert.equal(verifyConsistency(proof, roots[oldLeaves - 1], roots[nLeaves - 1]), true);
        assert.equal(verifyConsistency(proof, roots[oldLeaves % 8], roots[nLeaves - 1]), false);
    }
});

test('Winterfell: batch proofs', () => {
    const p = 0xffffffff00000001n;
    const leaf = (k) => new Uint8Array(BigUint64Array.from([1n, 2n, 3n, 4n], (j) => BigInt.asUintN(64, (4n * k + j) * 0x9e3779b97f4a7c15n) % p).buffer);
    for (const given of vectors('winterfell_proofs').proofs) {
        const { hash, indices, root } = given, data = bytes(given.bytes);
        const leaves = indices.map((k) => leaf(BigInt(k)));
        assert.equal(verifyWinterfell(data, indices, leaves, root, { hash }), true);
        assert.equal(verifyWinterfell(data.slice(0, -1), indices, leaves, root, { hash }), false);
        assert.equal(verifyWinterfell(data, indices.map((k) => k ^ 1), leaves, root, { hash }), false);
        for (let at = 0; at < data.length; at += 1 + Math.floor(data.length / 9)) {
            const wrong = data.slice();
            wrong[at] ^= 1 << at % 8;
            assert.equal(verifyWinterfell(wrong, indices, leaves, root, { hash }), false, `byte ${at}`);
        }
    }
});

/** All ways in which other programs write a digest. */
const written = (digits) => [digits, `0x${digits}`, `0x${digits.toUpperCase()}`, `0X${digits.toUpperCase()}`];

test('OpenZeppelin: proofs of its own package', () => {
    let seen = 0;
    for (const { leaf_hashes: leaves, proof0: proof, root } of vectors('keccak256_trees')) {
        if (!proof) continue;
        assert.match(root, /^0x/, 'as the package gives it');
        const leaf = leaves.find((leaf) => verifyOpenZeppelin(proof, root, leaf));
        assert.ok(leaf);
        for (const text of written(root.slice(2))) assert.equal(verifyOpenZeppelin(proof, text, leaf), true, text);
        for (const text of written(leaf.replace(/^0x/, ''))) assert.equal(verifyOpenZeppelin(proof, root, text), true, text);
        assert.equal(verifyOpenZeppelin(proof.slice(1), root, leaf), false);
        seen++;
    }
    assert.ok(seen > 0);
});

test('digests as text, wherever one is taken', () => {
    const { fromHex, merge, merkleRoot, verifyOpening } = merklize;
    const [left, right] = ['ab'.repeat(32), 'cd'.repeat(32)];
    const node = hex(merge(bytes(left), bytes(right)));
    const [others, nodes] = [written(right), written(node)];
    written(left).forEach((text, i) => {
        assert.equal(hex(fromHex(text)), left);
        assert.equal(hex(merge(text, others[i])), node);
        assert.equal(hex(merkleRoot([text, others[i]])), node);
        const proof = { hash: 'blake3', nLeaves: 2, index: 0, leaf: text, siblings: [others[i]] };
        assert.equal(verify(proof, nodes[i], { expect: { leaf: text } }), true);
        assert.equal(verifyOpening({ index: 0, rows: bytes(left), siblings: [] }, [hex(merklize.hash(bytes(left)))].map((d) => written(d)[i]), [[1, 32]]), true);
    });
    for (const wrong of [`0x0x${left}`, left.slice(1), `${left}0`, `x${left}`, ` ${left}`, `${left}\n`]) assert.equal(fromHex(wrong), null, wrong);
    const json = { format: 'merklize-proof-3', hash: 'blake3', index: 0, n_leaves: 2, leaf: left, siblings: [right], rule: 'left_full' };
    assert.equal(verify(JSON.stringify(json), `0x${node}`), true);
    for (const change of [{ leaf: `0x${left}` }, { siblings: [`0x${right}`] }])
        assert.match(explain({ ...json, ...change }, node).reason, /in JSON must have 64 hexadecimal digits, got '0x/, 'as every reader of the format');
});

test('a proof of the other kind', () => {
    const zeros = '00'.repeat(32), node = hex(merklize.merge(zeros, zeros)), pair = { oldRoot: zeros, newRoot: node };
    const leaf = { hash: 'blake3', nLeaves: 2, index: 0, leaf: zeros, siblings: [zeros] };
    const consistency = { hash: 'blake3', oldLeaves: 1, nLeaves: 2, nodes: [zeros] };
    assert.equal(verify(leaf, node) && verifyConsistency(consistency, zeros, node), true);
    // Malformed input from outside is false, with the reason.
    const leafJson = { format: 'merklize-proof-3', hash: 'blake3', index: 0, n_leaves: 2, leaf: zeros, siblings: [zeros], rule: 'left_full' };
    const consistencyJson = { format: 'merklize-consistency-proof-3', hash: 'blake3', old_leaves: 1, new_leaves: 2, nodes: [zeros] };
    for (const form of [(json) => json, JSON.stringify, (json) => Buffer.from(JSON.stringify(json))]) {
        assert.equal(verify(form(consistencyJson), node), false);
        assert.equal(verifyConsistency(form(leafJson), zeros, node), false);
        assert.match(explain(form(consistencyJson), node).reason, /needs the roots of both trees/);
        const told = explain(form(leafJson), pair);
        assert.equal(told.valid, false, 'a leaf shows no consistency');
        assert.match(told.reason, /of leaves, not of consistency/);
    }
    // The caller's own mistakes are errors.
    for (const own of [consistency, parseProof(consistency)]) assert.throws(() => verify(own, node), /^MerklizeError: verify: the proof is of consistency/);
    for (const own of [leaf, parseProof(leaf)]) assert.throws(() => verifyConsistency(own, zeros, node), /^MerklizeError: verifyConsistency: the proof is of leaves/);
});

test('proofs of the library: every hash, rule and kind, as bytes and as JSON', needsLibrary, () => {
    const seen = new Set();
    for (const given of library.proofs) {
        const { proof, json, root, old_root: oldRoot, hash, key } = given;
        const how = key ? { key: bytes(key) } : {};
        const check = (claim) => (oldRoot ? verifyConsistency(claim, oldRoot, root, how) : verify(claim, root, how));
        const data = bytes(proof);
        assert.equal(check(data), true, JSON.stringify(given));
        assert.equal(check(json), true, json);
        assert.equal(check(JSON.parse(json)), true, json);
        assert.equal(check(parseProof(data)), true);
        if (key && !oldRoot && parseProof(data).nLeaves > 1n) assert.equal(verify(data, root), false, 'without the key');
        for (let at = 0; at < data.length; at += 1 + Math.floor(data.length / 24)) {
            const wrong = data.slice();
            wrong[at] ^= 1 << at % 8;
            const theirs = given.flipped[String(at)];
            assert.equal(check(wrong), theirs, `bit ${at % 8} of byte ${at} of ${proof}`);
        }
        for (const cut of [0, 1, 15, 16, 23, data.length - 1]) assert.equal(check(data.subarray(0, cut)), false);
        assert.equal(check(Uint8Array.of(...data, 0)), false);
        seen.add(hash);
    }
    assert.deepEqual([...seen].sort(), merklize.hashes.map(({ name }) => name).sort());
});

test('many proofs at once', needsLibrary, () => {
    for (const { root, key } of library.trees) {
        const how = key ? { key: bytes(key) } : {};
        const proofs = library.proofs.filter((one) => one.root === root && one.key === key && !one.old_root).flatMap(({ proof, json }) => {
            const wrong = bytes(proof);
            wrong[wrong.length - 1] ^= 1;
            return [bytes(proof), wrong, json, parseProof(bytes(proof)), 'no proof', null];
        });
        assert.ok(proofs.length >= 18);
        assert.deepEqual(verifyEach(proofs, root, how), proofs.map((proof) => verify(proof, root, how)));
        assert.deepEqual(verifyEach(proofs, root, how).slice(0, 6), [true, false, true, true, false, false]);
        assert.deepEqual(verifyEach(proofs, root, { ...how, expect: { nLeaves: 99 } }), proofs.map(() => false));
    }
    assert.deepEqual(verifyEach([], '00'.repeat(32)), []);
});

test('tree files of the library', needsLibrary, async () => {
    for (const { file, hash, rule, n_leaves: n, root, key } of library.trees) {
        const how = key ? { key: bytes(key) } : {}, data = bytes(file);
        const tree = await TreeFile.open(data);
        assert.deepEqual([tree.hash, tree.rule, Number(tree.nLeaves), hex(tree.root)], [hash, rule, n, root]);
        for (let i = 0; i < n; i++) {
            const proof = await tree.prove(i, how);
            assert.equal(verify(proof, root, { ...how, expect: { nLeaves: n, index: i, rule, hash } }), true, `leaf ${i} of ${n}, ${rule}`);
        }
        for (const range of [[0, 0, n + 1], [0, n, 1], [0, -1, 1], [0, 0, 0.5]])
            await assert.rejects(tree.read(...range), /TreeFile.read: level \d+ has \d+ nodes, got/, String(range));
        await assert.rejects(TreeFile.open(data.subarray(0, data.length - 1)), /the file must have/);
        for (let at = 0; n === 5 && at < 128; at += hash === 'blake3' ? 1 : 13) {
            const wrong = data.slice();
            wrong[at] ^= 1;
            await assert.rejects(TreeFile.open(wrong), (error) => error.code === 'invalid_argument', `byte ${at}`);
        }
    }
});

test('what is no proof is false, and says why', () => {
    const zeros = '00'.repeat(32);
    const good = { hash: 'blake3', rule: 'left_full', nLeaves: 2, index: 0, leaf: zeros, siblings: [zeros] };
    const root = merklize.merge(zeros, zeros);
    assert.equal(verify(good, root), true);
    const cases = [
        [null, /bytes, JSON text or an object/], [7, /bytes/], ['', /no JSON/], ['[]', /one object/], ['{}', /the format must be one of/],
        [new Uint8Array(0), /the bytes end inside the magic/], [new Uint8Array(64), /do not begin with 'MKZP'/],
        ['\ufeff{}', /begins with a byte order mark/], [new TextEncoder().encode('\ufeff{}'), /begins with a byte order mark/], [[good], /or an object, got a list of 1/],
        [{ ...good, hash: 'md5' }, /no hash 'md5'/], [{ ...good, hash: '__proto__' }, /no hash/],
        [{ ...good, rule: 'other' }, /no rule/], [{ ...good, nLeaves: 0 }, /1 to 2\^58/], [{ ...good, nLeaves: 2 ** 60 }, /integer|2\^58/],
        [{ ...good, nLeaves: 1.5 }, /integer from 0 to 2\^64 - 1, got 1.5/], [{ ...good, nLeaves: 2n ** 64n }, /integer from 0 to 2\^64 - 1, got 1844/], [{ ...good, index: 2 }, /not below the 2 leaves/], [{ ...good, index: -1 }, /integer/],
        [{ ...good, siblings: [] }, /must have 1 siblings, got 0/], [{ ...good, siblings: [zeros, zeros] }, /got 2/], [{ ...good, leaf: '00' }, /leaf must be 32 bytes/],
        [{ ...good, siblings: null }, /list/], [{ ...good, hash: 'rpo256', leaf: 'ff'.repeat(32) }, /leaf 0 is no digest of rpo256/],
        [{ ...good, nLeaves: 3, rule: 'perfect' }, /power of two, not 3/],
    ];
    for (const [proof, reason] of cases) {
        assert.equal(verify(proof, root), false);
        const told = explain(proof, root);
        assert.equal(told.valid, false);
        assert.match(told.reason, reason);
    }
    assert.throws(() => verify(good, 'ff'), /root must be 32 bytes or 64/);
    for (const expect of [{ nLeaves: 3 }, { index: 1 }, { leaf: 'ff'.repeat(32) }, { hash: 'sha256_rfc6962' }, { rule: 'pad' }])
        assert.equal(verify(good, root, { expect }), false, JSON.stringify(expect));
    assert.match(explain(good, zeros).reason, /leads to [0-9a-f]{64}, not to the root/);
});

test('an object has the fields of one form, and no claim beside it', () => {
    const tree = new MerkleTree(counted(32 * 11)), other = counted(64).subarray(32), older = new MerkleTree(counted(32 * 4)).root;
    const plain = ({ ...fields }) => fields, one = plain(tree.prove(3)), several = plain(tree.proveTogether([3, 4])), grown = plain(tree.proveConsistency(4));
    const { kind, ...without } = one, { indices: [index], leaves: [leaf], ...rest } = without, json = JSON.parse(tree.prove(3).toJson());
    class OfOthers {
        get hash() { return 'blake3'; }
        get nLeaves() { return 11; }
        get index() { return 3; }
        get leaf() { return leaf; }
        get siblings() { return one.siblings; }
    }
    for (const good of [one, several, without, { ...rest, index, leaf }, { ...rest, kind: 0, index, leaf }, { ...without, index: undefined, oldLeaves: undefined }, json, new OfOthers(), parseProof(one), parseProof(several), tree.prove(3)])
        assert.equal(verify(good, tree.root), true);
    for (const good of [grown, plain({ ...grown, kind: undefined }), parseProof(grown)]) assert.equal(verifyConsistency(good, older, tree.root), true);
    const forms = [{ ...rest, index, leaf }, one, several, grown, json, new OfOthers()], isGrown = (form) => 'oldLeaves' in form;
    const claims = { index: 0, leaf: other, indices: [0n], leaves: [other], siblings: [other], oldLeaves: 4n, nodes: [other], more: 1, nleaves: 11, n_leaves: 11 };
    const hidden = (form, name, value) => Object.defineProperty(Object.create(form), name, { value }); // names are not listed
    for (const form of forms) {
        for (const [name, value] of Object.entries(claims)) {
            if (name in form) continue;
            const lies = [{ ...form, [name]: value }], isKnown = !['more', 'nleaves', 'n_leaves'].includes(name);
            if (isKnown && form !== json) lies.push(hidden(form, name, value));
            if (form instanceof OfOthers) lies.splice(0, 1, Object.defineProperty(new OfOthers(), name, { value, enumerable: true }));
            for (const lie of lies) {
                assert.equal(isGrown(form) ? verifyConsistency(lie, older, tree.root) : verify(lie, tree.root), false, name);
                assert.match(explain(lie, isGrown(form) ? { oldRoot: older, newRoot: tree.root } : tree.root).reason, /^malformed: the fields must be /, name);
            }
        }
        for (const wrong of [9, '0', 0n, null, 0.5, isGrown(form) ? 0 : 2, form === several ? 0 : isGrown(form) ? 1 : 3]) {
            if (form === json || form instanceof OfOthers) continue;
            const lie = { ...form, kind: wrong };
            assert.equal(isGrown(form) ? verifyConsistency(lie, older, tree.root) : verify(lie, tree.root), false, `kind ${wrong}`);
        }
    }
    for (const lie of [{ ...one, indices: [3n, 4n] }, { ...one, indices: [3n, 4n], leaves: [leaf, other] }, { ...one, leaves: [leaf, other] }, { ...one, indices: [] }])
        assert.equal(verify(lie, tree.root), false, 'a proof of one leaf that names two');
});

test('a key that the hash which a proof claims does not take is false, with the reason', () => {
    const leaves = counted(32 * 11), made = (options) => new MerkleTree(leaves, options), key = counted(32), short = counted(16);
    const [s2, keyed, derived] = [{ hash: 'blake2s', key: short }, { key }, { context: 'a purpose' }].map(made);
    const claims = [
        [s2, { key: short }, {}, /of 'blake3': key must be 32 bytes, got 16/], [s2, { key: short }, { hash: 'sha256' }, /of 'sha256': keys are of the hashes/],
        [derived, { context: 'a purpose' }, { hash: 'blake2s' }, /of 'blake2s': contexts are of the hash 'blake3'/], [derived, { context: 'a purpose' }, { hash: 'sha256' }, /of 'sha256': keys are of the hashes/],
        [keyed, { key }, { hash: 'rpo256' }, /of 'rpo256': keys are of the hashes/], [keyed, { key }, { hash: 'blake2s' }, /the leaf leads to/],
    ];
    for (const [tree, how, claimed, reason] of claims) {
        const other = new MerkleTree(tree.hash === 'rpo256' || claimed.hash === 'rpo256' ? new Uint8Array(32 * 11) : leaves, { ...claimed, rule: 'left_full' });
        for (const form of [(proof) => proof, (proof) => proof.toBytes(), (proof) => proof.toJson()]) {
            const hostile = form(other.prove(3)), good = form(tree.prove(3));
            assert.equal(verify(hostile, tree.root, how), false);
            assert.deepEqual(verifyEach([good, hostile, good], tree.root, how), [true, false, true]);
            assert.match(explain(hostile, tree.root, how).reason, reason);
            const grown = form(other.proveConsistency(4));
            assert.equal(verifyConsistency(grown, tree.root, tree.root, how), false);
        }
    }
});

test('a proof in one form keeps nothing of what it was read from', () => {
    const tree = new MerkleTree(counted(32 * 11));
    for (const made of [tree.prove(3), tree.proveTogether([1, 8]), tree.proveConsistency(4)]) {
        const data = made.toBytes(), asBuffer = ({ ...fields }) => Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value[0] instanceof Uint8Array ? value.map((one) => Buffer.from(one)) : value]));
        const shared = new Uint8Array(new SharedArrayBuffer(data.length));
        shared.set(data);
        for (const [given, erase] of [[data.slice(), (own) => own.fill(0)], [Buffer.from(data), (own) => own.fill(0)], [shared, (own) => own.fill(0)], [data.slice().buffer, (own) => new Uint8Array(own).fill(0)],
            [asBuffer(made), (own) => Object.values(own).flat().forEach((one) => one.fill?.(0))]]) {
            const proof = parseProof(given);
            erase(given);
            assert.equal(hex(proof.toBytes()), hex(data));
            for (const digest of [proof.leaves, proof.siblings, proof.nodes].flat().filter(Boolean)) assert.equal(Object.getPrototypeOf(digest), Uint8Array.prototype);
        }
    }
    const root = Buffer.from(tree.root), told = explain(tree.proveConsistency(11), { oldRoot: root, newRoot: root });
    root.fill(0);
    assert.deepEqual([told.valid, told.computed], [true, tree.root]);
});

test('proofs in shared memory, which browsers do not decode', () => {
    const tree = new MerkleTree(counted(32 * 11)), { decode } = TextDecoder.prototype;
    TextDecoder.prototype.decode = function (given, ...rest) {
        if ((given?.buffer ?? given) instanceof SharedArrayBuffer) throw new TypeError('The provided ArrayBufferView value must not be shared.');
        return decode.call(this, given, ...rest);
    };
    try {
        for (const data of [tree.prove(3).toBytes(), new TextEncoder().encode(tree.prove(3).toJson())]) {
            const shared = new Uint8Array(new SharedArrayBuffer(data.length));
            shared.set(data);
            assert.deepEqual([verify(shared, tree.root), verify(shared.buffer, tree.root), verify(new DataView(shared.buffer), tree.root)], [true, true, true]);
        }
    } finally {
        TextDecoder.prototype.decode = decode;
    }
});

test('a number in JSON has at most the digits of 2^64', () => {
    const tree = new MerkleTree(counted(32 * 11)), json = tree.prove(3).toJson(), { BigInt: real } = globalThis;
    let most = 0;
    globalThis.BigInt = Object.assign((value) => (most = Math.max(most, typeof value === 'string' ? value.length : 0), real(value)), real);
    try {
        for (const name of ['index', 'n_leaves']) {
            for (const digits of ['9'.repeat(20), '9'.repeat(21), '1' + '0'.repeat(1e6), `3.${'0'.repeat(1e6)}`, `3e${'0'.repeat(1e6)}`, '18446744073709551616']) {
                const { valid, reason } = explain(json.replace(new RegExp(`"${name}": \\d+`), `"${name}": ${digits}`), tree.root);
                assert.equal(valid, false);
                assert.match(reason, /must be an integer from 0 to 2\^64 - 1(, as digits alone)?, got [\d.e]{20,80}(\.\.\.)?$/);
            }
            assert.match(explain(json.replace(new RegExp(`"${name}": \\d+`), `"${name}": 18446744073709551615`), tree.root).reason, /18446744073709551615/);
        }
    } finally {
        globalThis.BigInt = real;
    }
    assert.ok(most <= 20, `${most} digits`);
});

test('counts beyond 2^53', () => {
    const zeros = '00'.repeat(32), n = 2n ** 57n + 1n;
    const proof = { hash: 'blake3', rule: 'left_full', nLeaves: n, index: n - 1n, leaf: zeros, siblings: ['11'.repeat(32)] };
    const root = merklize.merge('11'.repeat(32), zeros);
    assert.equal(verify(proof, root), true);
    const json = `{"format": "merklize-proof-3", "hash": "blake3", "index": ${n - 1n}, "n_leaves": ${n}, "leaf": "${zeros}", "siblings": ["${'11'.repeat(32)}"], "rule": "left_full"}`;
    assert.equal(verify(json, root), true);
    assert.equal(verify(json.replace(`"index": ${n - 1n}`, `"index": ${n - 2n}`), root), false);
});

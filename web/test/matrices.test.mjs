// Openings of commitments to matrices: caps and paths that p3-merkle-tree made.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { merklize, vectors } from './common.mjs';

const { hashes, verifyOpening } = merklize;
const fields = { goldilocks: [2n ** 64n - 2n ** 32n + 1n, 8], babybear: [0x78000001n, 4], koalabear: [0x7f000001n, 4], binary128: [2n ** 128n, 16] };
const names = {
    h8_c8: 'poseidon2_goldilocks_8', h12_c8: 'poseidon2_goldilocks_12', h16_c16: 'poseidon2_FIELD_16', h24_c16: 'poseidon2_FIELD_24',
    h8_c16_arity4: 'poseidon2_goldilocks_8', h24_c32_arity4: 'poseidon2_FIELD_24', blake3: 'blake3', keccak256: 'keccak256', keccakf64: 'keccakf64', sha256compress: 'sha256_compress',
};

/** "counter": the element of matrix m, row r, column c is (1 + 1000003 m + 1009 r + c) mod p; of binary128 a multiple
 * of it. */
const element = (given, p, m, r, c) => given.matrices === 'counter'
    ? (BigInt(1 + 1000003 * m + 1009 * r + c) * (p >> 64n === 2n ** 64n ? 0x9e3779b97f4a7c15f39cc0605cedc835n : 1n)) % p : BigInt(given.matrices[m][r * given.dims[m][1] + c]);

function words(list, size) {
    const bytes = new Uint8Array(size * list.length), view = new DataView(bytes.buffer);
    if (size === 16) return words(list.flatMap((word) => [word % 2n ** 64n, word >> 64n]), 8);
    list.forEach((word, i) => (size === 8 ? view.setBigUint64(8 * i, BigInt(word), true) : view.setUint32(4 * i, Number(word), true)));
    return bytes;
}
/** A digest of a vector: 32 bytes, or words of the field. */
const digest = (one) => (one.length === 32 ? Uint8Array.from(one, Number) : words(one, 32 / one.length));

for (const [field, [p, size]] of Object.entries(fields)) {
    test(`openings of Plonky3 over ${field}`, () => {
        let seen = 0;
        for (const given of vectors(`p3_mmcs_${field}`)) {
            const short = given.variant?.replace(`p3_mmcs_${field}_`, ''), hash = names[short]?.replace('FIELD', field);
            if (!hashes.some(({ name }) => name === hash)) continue;
            const isField = hash.startsWith('poseidon2'), cap = given.cap.map(digest), { dims } = given;
            const options = { hash, arity: given.arity, capHeight: given.cap_height, wordBytes: size };
            if (!isField && size === 4) options.montgomery = field;
            const tallest = Math.max(...dims.map(([rows]) => rows));
            for (const { index, proof } of given.open) {
                const row = dims.flatMap(([rows, columns], m) => {
                    const shift = Math.ceil(Math.log2(tallest)) - Math.ceil(Math.log2(rows));
                    return Array.from({ length: columns }, (_, c) => element(given, p, m, index >> shift, c));
                });
                const opening = { index, rows: words(row, size), siblings: proof.map(digest) };
                let holds;
                try {
                    holds = verifyOpening(opening, cap, dims, options);
                } catch (error) {
                    assert.match(error.message, /above the cap, so nothing shows its rows/);
                    continue;
                }
                assert.equal(holds, true, JSON.stringify({ ...given, open: index }, (_, x) => (typeof x === 'bigint' ? String(x) : x)).slice(0, 300));
                seen++;
                const wrong = (change) => verifyOpening({ ...opening, ...change }, cap, dims, options);
                assert.equal(wrong({ rows: opening.rows.map((byte, i) => (i === 0 ? byte ^ 1 : byte)) }), opening.rows.length === 0);
                assert.equal(wrong({ index: tallest }), false);
                assert.equal(wrong({ siblings: [...opening.siblings, cap[0]] }), false);
                assert.equal(wrong({ rows: opening.rows.slice(1) }), opening.rows.length === 0);
                assert.equal(wrong({ siblings: 7 }), false);
                if (proof.length > 0) assert.equal(wrong({ siblings: opening.siblings.slice(1) }), false);
            }
        }
        assert.ok(seen > 20, `${seen} openings`);
    });
}

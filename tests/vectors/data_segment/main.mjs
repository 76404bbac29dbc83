// npm install --no-package-lock && node main.mjs > ../sha256_trunc254.json: what @web3-storage/data-segment computes of
// Filecoin's pieces, which @filoz/synapse-core uses: nodes, and proofs of nodes, which its Proof.verify accepts.
//
// Byte i of a record, and of a piece's data, is i mod 251.
import { Fr32, Proof, Tree } from '@web3-storage/data-segment';

const hex = (bytes) => Buffer.from(bytes).toString('hex');
const record = (bytes) => Uint8Array.from({ length: bytes }, (_, i) => i % 251);
const filled = (byte) => new Uint8Array(32).fill(byte);

const pairs = [[filled(0), filled(0)], [filled(255), filled(255)]];
for (let k = 0; k < 10; k++) pairs.push([record(200 + k).subarray(7 * k, 7 * k + 32), record(200 + k).subarray(100 + 3 * k, 132 + 3 * k)]);
const merges = pairs.map(([left, right]) => ({ left: hex(left), right: hex(right), digest: hex(Proof.computeNode(left, right)) }));

const leaves = [0, 1, 31, 32, 55, 56, 63, 64, 65, 119, 127, 128, 129, 1000].map((bytes) => (
    { record: hex(record(bytes)), digest: hex(Proof.truncatedHash(record(bytes))) }));

const pieces = [65, 127, 128, 254, 1000, 5000, 40000].map((bytes) => {
    const tree = Tree.build(Fr32.pad(record(bytes)));
    const height = tree.height, n = 2 ** height;
    const nodeAt = (level, index) => tree.node(height - level, index) ?? filled(0); // levels from the leaves on
    const places = [[0, 0], [0, 1], [0, n / 2], [0, n - 1], [2, 0], [height - 1, 1]];
    const proofs = places.map(([level, index]) => {
        const path = [];
        for (let l = level, i = index; l < height; l++, i = Math.floor(i / 2)) path.push(nodeAt(l, i ^ 1));
        const node = nodeAt(level, index);
        const { error } = Proof.verify(Proof.create({ offset: BigInt(index), path }), { tree: tree.root, node });
        if (error) throw error;
        return { level, index, node: hex(node), path: path.map(hex) };
    });
    return { bytes, height, root: hex(tree.root), proofs };
});

console.log(JSON.stringify({
    source: '@web3-storage/data-segment 5.3.0: main.mjs in tests/vectors/data_segment, which defines records and data',
    merges, leaves, pieces,
}, null, 1));

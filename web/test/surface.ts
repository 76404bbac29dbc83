// A program that uses all of the package, for `tsc --strict`: types.test.mjs. It is not run.
import * as merklize from 'merklize';
import {
    Hasher, MerkleTree, MerklizeError, OpenZeppelinTree, PieceHasher, TreeFile, cores, explain, fromHex, hash, hashEach, hashFile, hashLeaves, hashRows, hashes,
    merge, merkleRoot, openZeppelin, openZeppelinSimple, parseProof, pieceCid, pieceLeaves, rules, simd, toHex, verify, verifyConsistency, verifyEach,
    verifyOpening, verifyOpenZeppelin, verifyWinterfell,
} from 'merklize';
import type { ConsistencyProof, DigestLike, Explanation, Format, HashFacts, LeafProof, OpenZeppelinDump, OpenZeppelinMultiProof, PieceCid, Proof, Rule, TreeOptions } from 'merklize';

const data = new Uint8Array(64), key = new Uint8Array(32), vectors: boolean = simd() && simd(true);
const facts: readonly HashFacts[] = hashes, some: readonly Rule[] = rules, modulus: bigint = facts[0].modulus, bits: number = facts[0].elementBits;
const digest: Uint8Array = hash(data, { hash: facts[0].name, key, length: 32, seek: 0 });
const text: string = toHex(digest, '0x') + toHex(digest), parsed: Uint8Array | null = fromHex(text);
const digits: string = hash(data, { encoding: 'hex' }) + new Hasher().digest({ length: 7, encoding: 'hex' });
const digitsOfFile: Promise<string> = hashFile(data, { workers: 0, encoding: 'hex' });
// @ts-expect-error: a misspelt hash
const misspelt: Uint8Array = hash(data, { hash: 'sha265' });
const hasher: Hasher = new Hasher({ context: 'a purpose' }).update(data.buffer).reset().update(new DataView(data.buffer));
const streamed: Uint8Array = (await hasher.updateFrom(new Blob([data]).stream())).digest({ length: 64 });
const count: number = hasher.count + cores();
const ofFile: Uint8Array = await hashFile(new Blob([data]), { workers: 0, signal: new AbortController().signal, onProgress: (done, size) => void (done / size), key });
const leaves: DigestLike[] = [merge(digest, text), hashLeaves([data, data.buffer], { key }).subarray(0, 32), hashRows(data, 64, { hash: 'rpo256' }), hashEach([data])];

const options: TreeOptions = { hash: 'blake3', rule: 'pad', padding: text, key }, format: Format = 'rfc6962';
const tree: MerkleTree = new MerkleTree(leaves, options), records: MerkleTree = MerkleTree.fromMessages([data, data.buffer], { format }), ofRows: MerkleTree = MerkleTree.fromRows(data, 32, { key });
const level: Uint8Array = tree.level(tree.height), nodes: Uint8Array = tree.nodes, top: Uint8Array = merkleRoot(leaves, { rule: tree.rule });
const one: LeafProof = tree.prove(0), list: LeafProof[] = tree.prove([0, 1n]), together: LeafProof = tree.proveTogether(new Set([0, 2])), range: LeafProof = tree.proveRange(0, 2n);
const grown: ConsistencyProof = records.proveConsistency(1), any: Proof = parseProof(one.toBytes()), json: string = any.toJson();
const claims: bigint = any.kind === 2 ? any.oldLeaves : any.indices[0];
const described: string = tree.toString();
const good: boolean = verify(json, tree.root, { key, expect: { hash: tree.hash, rule: tree.rule, nLeaves: tree.nLeaves, index: 0n, leaf: one.leaves[0] } })
    && verifyConsistency(grown, merkleRoot([data.subarray(0, 32)]), records.root)
    && verifyEach([json, one, one.toBytes()], tree.root, { expect: { nLeaves: 3n } }).every(Boolean)
    && verifyWinterfell(data, [0], [digest], top, { hash: 'blake3' })
    && verifyOpening({ index: 0, rows: data, siblings: [] }, [top], [[1, 64]], { hash: 'keccak256', arity: 2, capHeight: 0, wordBytes: 4, montgomery: 'koalabear' });
const told: Explanation = explain(grown, { oldRoot: top, newRoot: text }), steps: bigint[] = told.path.map(({ index }) => index);

const standard: OpenZeppelinTree = openZeppelin([[text, 5n]], ['bytes32', 'uint256'], { sortLeaves: false }), simple = openZeppelinSimple(leaves);
const dump: OpenZeppelinDump = simple.dump(), loaded: OpenZeppelinTree = OpenZeppelinTree.load(dump), multi: OpenZeppelinMultiProof = loaded.proveTogether([0, 1]);
const solidity: boolean = standard.verify(0, standard.prove(0)) && verifyOpenZeppelin(multi.proof, loaded.root, loaded.leaf(0));
const parts: [number, readonly unknown[], readonly string[] | null, string[]] = [loaded.nLeaves, loaded.values, loaded.leafEncoding, loaded.nodes];

const pieceHasher: PieceHasher = await new PieceHasher().update(data.buffer).reset().updateFrom(new Blob([data]).stream()), piece: PieceCid = pieceHasher.digest(), leavesOfPiece: Uint8Array = pieceLeaves(data);
const pieceFacts: [string, string, Uint8Array, number] = [pieceCid(data).v2, piece.v1, piece.root, piece.size + piece.height + piece.paddedSize + pieceHasher.count];

const file: TreeFile = await TreeFile.open('tree.mkl'), row: Uint8Array = await file.read(0, 0n, 1);
const wrong: { level: number; index: number } | null = await file.check({ key }), ofTreeFile: Uint8Array = (await file.prove(0, { key })).toBytes(), severally: LeafProof[] = await file.prove([0n, 1]);
const fromFile: LeafProof[] = [await file.proveTogether([0, 1], { key }), await file.proveRange(0n, 2, { context: 'a purpose' })], growth: ConsistencyProof = await file.proveConsistency(1n);
const size: bigint = file.levelSize(0) + file.nLeaves + file.leafBytes + file.totalBytes, mode: 'plain' | 'keyed' | 'derive-key' = file.mode;

try {
    // @ts-expect-error: text is no data, because its encoding would be a guess
    hash('text');
    // @ts-expect-error: there is no such rule
    new MerkleTree(leaves, { rule: 'odd' });
    // @ts-expect-error: it is made by openZeppelin() and load()
    new OpenZeppelinTree();
} catch (error) {
    if (error instanceof MerklizeError) console.log(error.code satisfies 'invalid_argument' | 'io');
}
console.log(merklize, vectors, some, modulus, bits, parsed, streamed, count, ofFile, level, nodes, list, together, range, severally, fromFile, growth, claims, good, steps, solidity, parts, pieceFacts, ofRows, row, wrong, ofTreeFile, size, mode, file.padding, file.root, file.height, file.hash, file.rule);

// merklize: digests and Merkle proofs in WebAssembly. Types and words about each function: index.d.ts.
export { MerklizeError, fromHex, hashes, rules, simd, toHex } from './common.js';
export { Hasher, hash, hashEach } from './hash.js';
export { cores, hashFile } from './files.js';
export { hashLeaves, hashRows, merge, merkleRoot } from './trees.js';
export { MerkleTree } from './tree.js';
export { OpenZeppelinTree, openZeppelin, openZeppelinSimple } from './openzeppelin.js';
export { explain, parseProof, verify, verifyConsistency, verifyEach, verifyOpenZeppelin,
    verifyWinterfell } from './proofs.js';
export { TreeFile } from './tree_file.js';
export { verifyOpening } from './matrices.js';
export { PieceHasher, pieceCid, pieceLeaves } from './piece.js';

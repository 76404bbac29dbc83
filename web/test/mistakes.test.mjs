// Typical mistakes that surface.json has not: each error names the function that was called, what came, the rule, and a
// remedy if there is one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { counted, merklize } from './common.mjs';

const {
    Hasher, MerkleTree, OpenZeppelinTree, PieceHasher, TreeFile, explain, hash, hashEach, hashFile, hashLeaves, hashRows, merge, merkleRoot, openZeppelin, openZeppelinSimple,
    parseProof, pieceCid, toHex, verify, verifyConsistency, verifyEach, verifyOpening, verifyOpenZeppelin, verifyWinterfell,
} = merklize;
const data = counted(64), leaves = counted(96), twins = [counted(32), counted(32)], address = `0x${'11'.repeat(20)}`;
const tree = new MerkleTree(leaves), proof = tree.prove(0);
const drop = openZeppelin([[address, 5], [address, 7], [address, 9]], ['address', 'uint256']), damaged = drop.dump(), [entry, ...entries] = drop.dump().values;
damaged.tree[1] = `0x${'00'.repeat(32)}`;
const opening = { index: 0, rows: new Uint8Array(4), siblings: [] }, one = [[1, 1]];
const huge = Object.defineProperty(counted(1), 'length', { value: 68182605825 }); // one byte more than a piece of 64 GiB takes

// The call and the whole text. A text that ends in "..." goes on.
const mistakes = [
    [() => verify(drop.prove(0), drop.root), 'verify: a list of nodes is no proof of merklize; verifyOpenZeppelin() takes one'],
    [() => verifyEach([drop.prove(0)], drop.root), 'verifyEach: proof 0: a list of nodes is no proof of merklize; verifyOpenZeppelin() takes one'],
    [() => hash('text'), 'hash: data must be bytes (a Uint8Array, another view or an ArrayBuffer), got text; new TextEncoder().encode() makes bytes of it'],
    [() => hash(), 'hash: data must be bytes (a Uint8Array, another view or an ArrayBuffer), got undefined'],
    [() => hash([counted(1), counted(2)]), 'hash: data must be bytes (a Uint8Array, another view or an ArrayBuffer), got a list of 2; Uint8Array.from() makes bytes of numbers, hashEach() hashes each of a list'],
    [() => hash(new Proxy(data, {})), 'hash: data must be bytes (a Uint8Array, another view or an ArrayBuffer), got Uint8Array'],
    [() => hash(Object.create(Uint8Array.prototype)), 'hash: data must be bytes (a Uint8Array, another view or an ArrayBuffer), got Uint8Array'],
    [() => hash(data, 'sha256'), "hash: options must be an object such as { hash: ... }, got 'sha256'"],
    [() => hash(data, null), 'hash: options must be an object such as { hash: ... }, got null'],
    [() => hash(data, counted(32)), 'hash: options must be an object such as { hash: ... }, got 32 bytes'],
    [() => hash(data, { lenght: 3 }), "hash: unknown option 'lenght'; did you mean 'length'? known: hash, key, context, length, seek, encoding"],
    [() => hash(data, { hash: 256 }), 'hash: unknown hash 256; known: ...'],
    [() => hash(data, { key: 'k'.repeat(32) }), 'hash: key must be bytes (a Uint8Array, another view or an ArrayBuffer), got text; new TextEncoder().encode() makes bytes of it'],
    [() => hash(data, { context: counted(3) }), 'hash: context must be text, got 3 bytes'],
    [() => hash(data, { context: 'a\ud800' }), "hash: context must be text without lone surrogates, got 'a\\u{d800}'"],
    [() => new Hasher({ context: '\udc00b' }), "Hasher: context must be text without lone surrogates, got '\\u{dc00}b'"],
    [() => hash(data, { length: 2 ** 32 + 1 }), 'hash: length must be at most 4294967296, got 4294967297; seek gives what follows'],
    [() => hash(data, { length: 2 ** 33 }), 'hash: length must be at most 4294967296, got 8589934592; seek gives what follows'],
    [() => new Hasher().digest({ length: 2 ** 28, encoding: 'hex' }), 'Hasher.digest: length must be at most 134217728, got 268435456; seek gives what follows'],
    [() => hashFile(data, { length: 2 ** 53 - 1 }), 'hashFile: length must be at most 4294967296, got 9007199254740991; seek gives what follows'],
    [() => hash(data, { hash: Object.create(null) }), 'hash: unknown hash an object; known: ...'],
    [() => hash(data, { length: -1 }), 'hash: length must be an integer >= 0, got -1'],
    [() => hash(data, { encoding: 'HEX' }), "hash: encoding must be 'hex', or not given for bytes, got 'HEX'"],
    [() => hash(data, { hash: 'sha256', encoding: true }), "hash: encoding must be 'hex', or not given for bytes, got true"],
    [() => new Hasher().digest({ encoding: 'base64' }), "Hasher.digest: encoding must be 'hex', or not given for bytes, got 'base64'"],
    [() => hashFile(data, { encoding: 16 }), "hashFile: encoding must be 'hex', or not given for bytes, got 16"],
    [() => hash(data, { seek: 0.5 }), 'hash: seek must be an integer >= 0, got 0.5'],
    [() => hash(data, { hash: 'blake2s', seek: 1 }), "hash: seek is of the hash 'blake3', not of 'blake2s'"],
    [() => new Hasher({ hash: 'blake2s' }).digest({ length: 16 }), 'Hasher.digest: these are digests of 32 bytes, got length 16; hash() takes a length'],
    [() => hash(data, { hash: 'eidos', seek: 1 }), "hash: length and seek are of the hash 'blake3'; 'eidos' has 32 bytes of output"],
    [() => new Hasher('sha256'), "Hasher: options must be an object such as { hash: ... }, got 'sha256'"],
    [() => new Hasher().update('text'), 'Hasher.update: data must be bytes (a Uint8Array, another view or an ArrayBuffer), got text; new TextEncoder().encode() makes bytes of it'],
    [() => new Hasher().updateFrom([data]), 'Hasher.updateFrom: stream must be a ReadableStream or a stream of Node, got a list of 1'],
    [() => new Hasher().digest({ length: -1 }), 'Hasher.digest: length must be an integer >= 0, got -1'],
    [() => hashEach(data), 'hashEach: messages must be a list of bytes, got 64 bytes; hash() takes one message, hashRows() rows'],
    [() => hashEach([data, 'text']), 'hashEach: message 1 must be bytes (a Uint8Array, another view or an ArrayBuffer), got text; new TextEncoder().encode() makes bytes of it'],
    [() => hashLeaves('text'), "hashLeaves: messages must be a list of bytes, got 'text'; hash() takes one message, hashRows() rows"],
    [() => hashLeaves([data, 'text']), 'hashLeaves: message 1 must be bytes (a Uint8Array, another view or an ArrayBuffer), got text; new TextEncoder().encode() makes bytes of it'],
    [() => hashLeaves([counted(9)], { hash: 'rpo256' }), "hashLeaves: message 0 has 9 bytes; 'rpo256' takes words of 8 bytes"],
    [() => hashRows([data], 32), 'hashRows: rows must be bytes, one row after another, got a list of 1; hashLeaves() takes a list of messages'],
    [() => hashRows(data), 'hashRows: rowBytes must be an integer >= 1 that divides the 64 bytes of the rows, got undefined'],
    [() => hashRows(new Uint8Array(16).fill(255), 8, { hash: 'rpo256' }), 'hashRows: a row: word 0 is 18446744073709551615, not a field element: it must be below p = 18446744069414584321'],
    [() => hashFile(7), 'hashFile: source must be a File, a Blob, bytes or, in Node, a path, got 7'],
    [() => hashFile('/'), 'hashFile: / is not a regular file; Hasher takes streams'],
    [() => hashFile(data, { workers: -1 }), 'hashFile: workers must be an integer >= 0, got -1'],
    [() => hashFile(data, { onprogress: () => {} }), "hashFile: unknown option 'onprogress'; did you mean 'onProgress'? known: hash, key, context, length, seek, encoding, workers, signal, onProgress"],
    [() => hashFile(data, { onProgress: 5 }), 'hashFile: onProgress must be a function, got 5'],
    [() => hashFile(data, { key: counted(5) }), 'hashFile: key must be 32 bytes, got 5'],
    [() => hashFile(data, { hash: 'sha256', length: 64 }), "hashFile: length and seek are of the hash 'blake3'; 'sha256' has 32 bytes of output"],
    [() => hashFile(data, { hash: 'eidos' }), "hashFile: 'eidos' begins with the length of the message, so hash() takes it as a whole"],
    [() => merge(counted(31), counted(32)), 'merge: left must be 32 bytes or 64 hexadecimal digits, got 31 bytes'],
    [() => toHex('text'), 'toHex: data must be bytes (a Uint8Array, another view or an ArrayBuffer), got text; new TextEncoder().encode() makes bytes of it'],
    [() => new MerkleTree([counted(1), counted(2)]), 'MerkleTree: leaf 0 must be 32 bytes or 64 hexadecimal digits, got 1 bytes; MerkleTree.fromMessages() hashes messages'],
    [() => new MerkleTree([counted(32), 'b']), "MerkleTree: leaf 1 must be 32 bytes or 64 hexadecimal digits, got 'b'; MerkleTree.fromMessages() hashes messages"],
    [() => new MerkleTree(counted(33)), 'MerkleTree: leaves must be 32 bytes each, got 33 bytes; MerkleTree.fromRows() hashes rows'],
    [() => new MerkleTree('text'), "MerkleTree: leaves must be bytes, 32 a leaf, or a list of digests, got 'text'; MerkleTree.fromMessages() hashes messages"],
    [() => new MerkleTree(7), 'MerkleTree: leaves must be bytes, 32 a leaf, or a list of digests, got 7; MerkleTree.fromMessages() hashes messages'],
    [() => new MerkleTree(leaves, 'sha256'), "MerkleTree: options must be an object such as { hash: ... }, got 'sha256'"],
    [() => new MerkleTree(leaves, { format: 'bitcon' }), "MerkleTree: unknown format 'bitcon'; did you mean 'bitcoin'? known: merklize, rfc6962, bitcoin, ssz, bittorrent_v2, glacier, winterfell, miden, plonky3"],
    [() => new MerkleTree(leaves, { format: 'toString' }), "MerkleTree: unknown format 'toString'; known: merklize, rfc6962, bitcoin, ssz, bittorrent_v2, glacier, winterfell, miden, plonky3"],
    [() => new MerkleTree(leaves, { format: ['ssz'] }), 'MerkleTree: unknown format a list of 1; known: ...'],
    [() => new MerkleTree(leaves, { padding: counted(32) }), "MerkleTree: padding is for the rule 'pad' alone, not for 'left_full'"],
    [() => new MerkleTree(leaves, { sortPairs: true }), "MerkleTree: there is no option 'sortPairs': the hash 'keccak256_sorted' sorts its pairs"],
    [() => new MerkleTree(leaves, { format: 'merklize', hash: 'sha256' }), "MerkleTree: format 'merklize' fixes hash: leave it out, got 'sha256'"],
    [() => merkleRoot(leaves, { format: 'merklize', rule: 'pad' }), "merkleRoot: format 'merklize' fixes rule: leave it out, got 'pad'"],
    [() => new MerkleTree(twins, { format: 'bitcoin' }), "MerkleTree: format 'bitcoin': the last two of the 2 nodes of level 0 are equal, so a list without those below the last has the same root (CVE-2012-2459)"],
    [() => merkleRoot(twins, { format: 'bitcoin' }), "merkleRoot: format 'bitcoin': the last two of the 2 nodes of level 0 are equal, so a list without those below the last has the same root (CVE-2012-2459)"],
    [() => MerkleTree.fromMessages(data), 'MerkleTree.fromMessages: messages must be a list of bytes, got 64 bytes; hash() takes one message, hashRows() rows'],
    [() => MerkleTree.fromMessages([data, 'text']), 'MerkleTree.fromMessages: message 1 must be bytes (a Uint8Array, another view or an ArrayBuffer), got text; new TextEncoder().encode() makes bytes of it'],
    [() => MerkleTree.fromMessages([data, data, data], { rule: 'perfect' }), "MerkleTree.fromMessages: the count of leaves must be a power of two under the rule 'perfect', got 3; the rules 'left_full', 'pad' and 'duplicate_last' take any count"],
    [() => MerkleTree.fromMessages([data], { format: 'ssz' }), "MerkleTree.fromMessages: format 'ssz' hashes no messages: new MerkleTree() takes its leaves, 32 bytes each"],
    [() => MerkleTree.fromRows(data, 33), 'MerkleTree.fromRows: rowBytes must be an integer >= 1 that divides the 64 bytes of the rows, got 33'],
    [() => MerkleTree.fromRows(leaves, 32, { rule: 'perfect' }), "MerkleTree.fromRows: the count of leaves must be a power of two under the rule 'perfect', got 3; the rules 'left_full', 'pad' and 'duplicate_last' take any count"],
    [() => tree.prove(-1), 'MerkleTree.prove: the index must be an integer below the 3 leaves, got -1'],
    [() => tree.prove(0.5), 'MerkleTree.prove: the index must be an integer below the 3 leaves, got 0.5'],
    [() => tree.prove('0'), "MerkleTree.prove: the index must be an integer below the 3 leaves, got '0'"],
    [() => tree.prove(), 'MerkleTree.prove: the index must be an integer below the 3 leaves, got undefined'],
    [() => tree.proveTogether(1), 'MerkleTree.proveTogether: indices must be a list of integers, got 1'],
    [() => tree.proveRange(1, 4n), 'MerkleTree.proveRange: first and last must be integers, 0 <= first < last <= 3, got 1 and 4'],
    [() => tree.proveRange([0, 2]), 'MerkleTree.proveRange: first and last must be integers, 0 <= first < last <= 3, got a list of 2 and undefined'],
    [() => TreeFile.open(data), 'TreeFile.open: this is no tree file: it does not begin with MKLTREE and a zero byte'],
    [() => TreeFile.open(7), 'TreeFile.open: source must be a File, a Blob, bytes or, in Node, a path, got 7'],
    [() => verify(proof, 'ff'), "verify: root must be 32 bytes or 64 hexadecimal digits, got 'ff'"],
    [() => verify(proof, counted(31)), 'verify: root must be 32 bytes or 64 hexadecimal digits, got 31 bytes'],
    [() => verify(proof), 'verify: root must be 32 bytes or 64 hexadecimal digits, got undefined'],
    [() => verify(tree.root, proof), 'verify: root must be 32 bytes or 64 hexadecimal digits, got Proof'],
    [() => verify(proof, tree.root, { nLeaves: 3 }), "verify: 'nLeaves' is expected of a proof by { expect: { nLeaves: ... } }"],
    [() => verify(proof, tree.root, { expect: { nleaves: 3 } }), "verify: expect: unknown name 'nleaves'; did you mean 'nLeaves'? known: hash, rule, nLeaves, index, leaf"],
    [() => verify(proof, tree.root, { expect: { index: -1 } }), 'verify: expect.index must be an integer >= 0, got -1'],
    [() => verify(proof, tree.root, { expect: { index: '0' } }), "verify: expect.index must be an integer >= 0, got '0'"],
    [() => verify(proof, tree.root, { expect: { leaf: 'ff' } }), "verify: expect.leaf must be 32 bytes or 64 hexadecimal digits, got 'ff'"],
    [() => verify(proof, tree.root, { expect: { rule: 'odd' } }), "verify: expect.rule: unknown rule 'odd'; known: perfect, left_full, pad, duplicate_last"],
    [() => verify(proof, tree.root, { expect: 3 }), 'verify: expect must be an object such as { hash: ... }, got 3'],
    [() => verify(proof, tree.root, { expect: null }), 'verify: expect must be an object such as { hash: ... }, got null'],
    [() => verify(proof, tree.root, { key: counted(0) }), "verify: key of 'blake2s' must be 1 to 32 bytes, got 0"],
    [() => verifyEach([proof], tree.root, { key: counted(33) }), "verifyEach: key of 'blake2s' must be 1 to 32 bytes, got 33"],
    [() => verify(proof, tree.root, { key: counted(32), context: 'both' }), 'verify: key and context exclude each other: one is keyed hashing, the other key derivation'],
    [() => verify(tree.proveConsistency(1), tree.root), 'verify: the proof is of consistency, which verifyConsistency takes'],
    [() => verifyEach(proof, tree.root), 'verifyEach: proofs must be a list of proofs, got Proof; verify() takes one'],
    [() => verifyEach(proof.toBytes(), tree.root), `verifyEach: proofs must be a list of proofs, got ${proof.toBytes().length} bytes; verify() takes one`],
    [() => verifyEach([proof, tree.proveConsistency(1)], tree.root), 'verifyEach: proof 1: the proof is of consistency, which verifyConsistency takes'],
    [() => verifyEach([], 'ff'), "verifyEach: root must be 32 bytes or 64 hexadecimal digits, got 'ff'"],
    [() => verifyConsistency(proof, tree.root, tree.root), 'verifyConsistency: the proof is of leaves, which verify takes'],
    [() => verifyConsistency(tree.proveConsistency(1), tree.root), 'verifyConsistency: newRoot must be 32 bytes or 64 hexadecimal digits, got undefined'],
    [() => explain(proof, 'ff'), "explain: root must be 32 bytes or 64 hexadecimal digits, got 'ff'"],
    [() => explain(proof, tree.root.buffer), 'explain: root must be 32 bytes or 64 hexadecimal digits, got ArrayBuffer of 32 bytes'],
    [() => explain(proof, [tree.root]), 'explain: root must be 32 bytes or 64 hexadecimal digits, got a list of 1'],
    [() => explain(proof, null), 'explain: root must be 32 bytes or 64 hexadecimal digits, got null'],
    [() => explain(proof, { oldRoot: tree.root }), 'explain: newRoot must be 32 bytes or 64 hexadecimal digits, got undefined'],
    [() => parseProof('{'), 'parseProof: this is no JSON: ...'],
    [() => parseProof(7), 'parseProof: a proof is bytes, JSON text or an object, got 7'],
    [() => verifyWinterfell('text', [0], twins, tree.root), 'verifyWinterfell: the proof must be bytes (a Uint8Array, another view or an ArrayBuffer), got text; new TextEncoder().encode() makes bytes of it'],
    [() => verifyWinterfell(data, [0], twins, tree.root, { hash: 'sha256' }), "verifyWinterfell: the hash must be 'blake3', 'rp64_256_v3' or 'rpjive64_256', got 'sha256'"],
    [() => verifyOpenZeppelin([], tree.root, 'ff'), "verifyOpenZeppelin: leaf must be 32 bytes or 64 hexadecimal digits, got 'ff'"],
    [() => verifyOpenZeppelin([], tree.root), 'verifyOpenZeppelin: leaf must be 32 bytes or 64 hexadecimal digits, got undefined'],
    [() => verifyOpening(opening, [], []), 'verifyOpening: there must be at least 1 matrix, got 0'],
    [() => verifyOpening(opening, [], 4), 'verifyOpening: dims must be a list of [rows, columns], got 4'],
    [() => verifyOpening(opening, [], [4]), 'verifyOpening: dims must be a list of [rows, columns], got 4 in it'],
    [() => verifyOpening(opening, [], [['1', 1]]), "verifyOpening: a matrix has 1 to 2^40 rows and at most 2^40 columns, got '1' and 1"],
    [() => verifyOpening(opening, [], one, { montgomery: 'constructor' }), "verifyOpening: montgomery is 'babybear' or 'koalabear', for a hash of bytes; got 'constructor' and 'blake3'"],
    [() => verifyOpening(opening, [], [[3, 1], [1, 1], [4, 1]]), 'verifyOpening: beside 4 rows a height is that divided by a power of two and rounded up, got 3'],
    [() => verifyOpening(opening, [], one, { arity: 3 }), 'verifyOpening: arity must be 2 or 4, got 3'],
    [() => verifyOpening(opening, [], one, { hash: 'sha256_rfc6962', arity: 4 }), "verifyOpening: 'sha256_rfc6962' has no merges of four"],
    [() => verifyOpening(opening, [], one, { capHeight: 1 }), 'verifyOpening: capHeight must be 0 to 0 for 1 rows, got 1'],
    [() => verifyOpening(opening, [], one, { hash: 'rpo256', wordBytes: 4 }), "verifyOpening: words of 'rpo256' cannot have 4 bytes"],
    [() => verifyOpening(opening, [], one, { montgomery: 'mersenne31' }), "verifyOpening: montgomery is 'babybear' or 'koalabear', for a hash of bytes; got 'mersenne31' and 'blake3'"],
    [() => pieceCid('text'), 'pieceCid: data must be bytes (a Uint8Array, another view or an ArrayBuffer), got text; new TextEncoder().encode() makes bytes of it'],
    [() => pieceCid(new File([data], 'name')), 'pieceCid: data must be bytes (a Uint8Array, another view or an ArrayBuffer), got File; arrayBuffer() gives its bytes, and updateFrom() takes its stream()'],
    [() => pieceCid(huge), 'pieceCid: data must be at most 68182605824 bytes, those of a piece of 64 GiB, got 68182605825'],
    [() => new PieceHasher().update(data).update(huge), 'PieceHasher.update: data must be at most 68182605824 bytes, those of a piece of 64 GiB, got 68182605889'],
    [() => new PieceHasher().update([data]), 'PieceHasher.update: data must be bytes (a Uint8Array, another view or an ArrayBuffer), got a list of 1; ...'],
    [() => new PieceHasher().updateFrom(data), 'PieceHasher.updateFrom: stream must be a ReadableStream or a stream of Node, got 64 bytes'],
    [() => openZeppelin([], ['address']), 'openZeppelin: a tree needs a list of at least one value, got a list of 0'],
    [() => openZeppelin([[1]], 'uint8'), "openZeppelin: types must be a list of ABI types, got 'uint8'"],
    [() => openZeppelin([[1]], ['float']), "openZeppelin: unknown ABI type 'float'"],
    [() => openZeppelin([[1]], ['uint7']), "openZeppelin: unknown ABI type 'uint7'"],
    [() => openZeppelin([[1]], ['uint8'], { sort: false }), "openZeppelin: unknown option 'sort'; known: sortLeaves"],
    [() => openZeppelin([[1], [256]], ['uint8']), 'openZeppelin: field 0 (uint8) of value 1 must be 0 to 255, got 256'],
    [() => openZeppelin([[-129]], ['int8']), 'openZeppelin: field 0 (int8) of value 0 must be -128 to 127, got -129'],
    [() => openZeppelin([[2 ** 53]], ['uint256']), 'openZeppelin: field 0 (uint256) of value 0 must be an integer, as a safe number, a bigint or text, got 9007199254740992'],
    [() => openZeppelin([['x']], ['uint256']), "openZeppelin: field 0 (uint256) of value 0 must be an integer, as a safe number, a bigint or text, got 'x'"],
    [() => openZeppelin([[`0x${'11'.repeat(21)}`]], ['address']), 'openZeppelin: field 0 (address) of value 0 must have at most 20 bytes, got 21'],
    [() => openZeppelin([['0xg']], ['bytes']), "openZeppelin: field 0 (bytes) of value 0 must be bytes or 0x and hexadecimal digits, got '0xg'"],
    [() => openZeppelin([['\ud800']], ['string']), "openZeppelin: field 0 (string) of value 0 must be text without lone surrogates, got '\\u{d800}'"],
    [() => openZeppelin([[1]], ['bool']), 'openZeppelin: field 0 (bool) of value 0 must be true or false, got 1'],
    [() => openZeppelin([[[1]]], ['uint8[2]']), 'openZeppelin: field 0 (uint8[2]) of value 0 must have 2 items, got 1'],
    [() => openZeppelin([[[1, 256]]], ['uint8[]']), 'openZeppelin: field 0 (uint8[]) of value 0: item 1 must be 0 to 255, got 256'],
    [() => openZeppelin([[1, 2]], ['uint8']), 'openZeppelin: value 0 of [uint8] must be a list of 1 fields, got a list of 2'],
    [() => openZeppelinSimple(['ff']), "openZeppelinSimple: leaf 0 must be bytes or 0x and hexadecimal digits, got 'ff'"],
    [() => drop.proveTogether([1, 1]), 'OpenZeppelinTree.proveTogether: give each index once, got 1 twice'],
    [() => drop.proveTogether(5), 'OpenZeppelinTree.proveTogether: indices must be a list of integers, got 5'],
    [() => drop.proveTogether(null), 'OpenZeppelinTree.proveTogether: indices must be a list of integers, got null'],
    [() => drop.proveTogether('01'), "OpenZeppelinTree.proveTogether: index must be 0 to 2, got '0'"],
    [() => OpenZeppelinTree.load({ ...drop.dump(), leafEncoding: null }), 'OpenZeppelinTree.load: leafEncoding must be a list, got null'],
    [() => OpenZeppelinTree.load(`\ufeff${JSON.stringify(drop.dump())}`), 'OpenZeppelinTree.load: this is no JSON: it begins with a byte order mark'],
    [() => OpenZeppelinTree.load('{'), 'OpenZeppelinTree.load: this is no JSON: ...'],
    [() => OpenZeppelinTree.load(null), 'OpenZeppelinTree.load: the dump must be an object or JSON text, got null'],
    [() => OpenZeppelinTree.load({ format: 'other' }), "OpenZeppelinTree.load: the format must be 'standard-v1' or 'simple-v1', got 'other'"],
    [() => OpenZeppelinTree.load(damaged), 'OpenZeppelinTree.load: node 1 of the dump is not the hash of what is below it'],
    [() => OpenZeppelinTree.load({ ...drop.dump(), values: [entry, entry, ...entries.slice(1)] }), 'OpenZeppelinTree.load: 3 values need 5 nodes and a place each, got 5 nodes'],
];

test('an index of a leaf is an integer, and no name or text that leads to one', () => {
    const wrong = ['0', '00', 'length', 'map', 'at', '__proto__', [1], true, null, undefined, 1.5, -1, 3, 2n ** 64n, {}, Object.create(null), Symbol('x')];
    for (const index of wrong) {
        for (const [name, call] of [['leaf', () => drop.leaf(index)], ['prove', () => drop.prove(index)], ['verify', () => drop.verify(index, [])], ['proveTogether', () => drop.proveTogether([index])]])
            assert.throws(call, { name: 'MerklizeError', message: new RegExp(`^OpenZeppelinTree.${name}: index must be 0 to 2, got `) }, `${name} ${typeof index}`);
        if (!Array.isArray(index)) assert.throws(() => tree.prove(index), { name: 'MerklizeError' });
        for (const claim of [{ index }, { indices: [index] }]) assert.equal(verifyOpening({ rows: data.subarray(0, 4), siblings: [], ...claim }, [hash(data.subarray(0, 4))], [[1, 4]]), false);
    }
    assert.equal(verifyOpening({ index: 0n, rows: data.subarray(0, 4), siblings: [] }, [hash(data.subarray(0, 4))], [[1n, 4]]), true);
    assert.deepEqual([drop.leaf(1n), drop.prove(1n), drop.proveTogether([2n, 0n])], [drop.leaf(1), drop.prove(1), drop.proveTogether([0, 2])]);
});

/** What a call gives or says. */
async function outcome(call) {
    try {
        const got = await call();
        return JSON.stringify(got, (_, value) => (typeof value === 'bigint' ? String(value) : value));
    } catch (error) {
        assert.equal(error.name, 'MerklizeError', `${call}: ${error}`);
        return error.message;
    }
}

test('a hole of a list is an undefined item', async () => {
    const digest = counted(32), claim = { hash: 'blake3', nLeaves: 4 }, dump = drop.dump(), three = (type, value) => openZeppelin([[value]], [type]).root;
    // The call with a list of three, the item, and what it gives: an error that names item 1, or false.
    const calls = [
        [hashEach, digest, /message 1/], [hashLeaves, digest, /message 1/], [MerkleTree.fromMessages, digest, /message 1/], [(list) => new MerkleTree(list), digest, /leaf 1/],
        [merkleRoot, digest, /leaf 1/], [(list) => tree.prove(list), 0, /undefined/], [(list) => tree.proveTogether(list), 0, /undefined/],
        [(list) => drop.proveTogether(list), 0, /undefined/], [(list) => verifyEach(list, tree.root), proof, /^\[true,false,true\]$/],
        [(list) => openZeppelin(list, ['uint256']).root, [1], /value 1 /], [(list) => openZeppelin([list], ['bool', 'bool', 'bool']).root, true, /field 1 /],
        [(list) => openZeppelin([[1, 2, 3]], list).root, 'uint8', /undefined/], [(list) => openZeppelinSimple(list).root, digest, /leaf 1/],
        ...['uint256[3]', 'uint256[]', '(uint8,uint8,uint8)'].map((type) => [(list) => three(type, list), 1, /(item|field) 1 /]), [(list) => three('string[]', list), 'a', /item 1 /],
        [(list) => three('uint8[3][]', [list]), 1, /item 0: item 1 /],
        [(list) => OpenZeppelinTree.load({ ...dump, tree: list.concat(dump.tree.slice(3)) }).root, dump.tree[0], /node 1 /], [(list) => OpenZeppelinTree.load({ ...dump, values: list }).root, dump.values[0], /a place each/],
        [(list) => OpenZeppelinTree.load({ ...dump, leafEncoding: list }).root, 'address', /undefined/],
        [(list) => explain({ ...claim, indices: list, leaves: [digest], siblings: [] }, digest).reason, 0, /index/], [(list) => explain({ ...claim, indices: [0, 1, 2], leaves: list, siblings: [digest] }, digest).reason, digest, /leaves\[1\]/],
        [(list) => explain({ ...claim, index: 0, leaf: digest, siblings: list }, digest).reason, digest, /siblings\[1\]/], [(list) => explain({ ...claim, oldLeaves: 1, nodes: list }, { oldRoot: digest, newRoot: digest }).reason, digest, /nodes\[1\]/],
        [(list) => verify(list, digest), 'a', /^false$/], [(list) => verifyOpenZeppelin(list, digest, digest), digest, /^false$/], [(list) => verifyOpening(opening, list, one), digest, /^false$/],
        [(list) => verifyOpening({ ...opening, siblings: list }, [digest], one), digest, /^false$/], [(list) => verifyOpening(opening, [], list), [1, 1], /undefined in it/],
        [(list) => verifyWinterfell(data, [0, 1, 2], list, digest), digest, /^false$/],
    ];
    for (const [call, item, expected] of calls) {
        const hole = await outcome(() => call([item, , item]));
        assert.match(hole, expected, String(call));
        assert.equal(hole, await outcome(() => call([item, undefined, item])), String(call));
    }
});

test('a value of others in an error is short and can be seen', () => {
    const { proxy, revoke } = Proxy.revocable([], {});
    revoke();
    for (const unreadable of [proxy, new Proxy({}, { getPrototypeOf: () => { throw 7; } })]) assert.throws(() => hash(data, { hash: unreadable }), /unknown hash an object;/);
    const named = (name) => Object.assign(Object.create(null), { constructor: { name } });
    const values = [
        ...[{}, [[]], '\x1b[31m\n', 7, null].flatMap((name) => [named(name), JSON.parse(JSON.stringify({ constructor: { name } }))]),
        Object.create({ get constructor() { throw new Error('mine'); } }), new (class {})(), '\x1b[31m\u2028\u202e\ud800', 'x'.repeat(1e6), '\0'.repeat(1e6), Symbol('\x1b[31m'.repeat(99)), 10n ** 999n, -(10n ** 999n),
    ];
    const good = { hash: 'blake3', rule: 'left_full', nLeaves: 3, index: 0, leaf: counted(32), siblings: [counted(32), counted(32)] };
    const json = JSON.parse(proof.toJson());
    for (const value of values) {
        const texts = [];
        for (const call of [() => hash(data, { hash: value }), () => tree.prove(value), () => new MerkleTree(data, { rule: value }), () => new MerkleTree(data, { format: value }), () => drop.leaf(value), () => openZeppelin([[value]], ['uint8']), () => openZeppelin([[1]], [value]),
            ...[[[7]], [[7, 7]]].map((dumped) => () => OpenZeppelinTree.load({ ...drop.dump(), leafEncoding: [`(${' \n'.repeat(100)}uint8)`], values: dumped.map((one, i) => ({ value: one, treeIndex: i })), tree: drop.nodes.slice(0, 1) })),
            () => hashRows(data, value), () => verify(proof, value), () => verifyOpening(opening, [], one, { capHeight: value }), () => verifyOpening(opening, [], one, { wordBytes: value }), () => verifyOpening(opening, [], [[value, 1]]), () => OpenZeppelinTree.load({ format: value })]) {
            assert.throws(call, (error) => error.name === 'MerklizeError' && texts.push(error.message) > 0, String(call));
        }
        for (const [from, names] of [[good, Object.keys(good)], [json, Object.keys(json)]]) {
            for (const name of names) {
                const told = explain({ ...from, [name]: value }, tree.root);
                assert.equal(told.valid, false, name);
                texts.push(told.reason);
            }
        }
        for (const text of texts) assert.ok(text.length < 1200 && !/[\p{C}\p{Zl}\p{Zp}]/u.test(text), text);
    }
    for (const text of ['\x1b[31m', `{"${'\\u001b'.repeat(999)}": 1, "${'\\u001b'.repeat(999)}": 1}`, `{"format": "merklize-proof-3", ${Array.from({ length: 9999 }, (_, i) => `"\\u001b${i}": 1`)}}`, JSON.stringify({ ...json, leaf: '\x1b'.repeat(9999) })]) {
        const { reason } = explain(text, tree.root);
        assert.ok(reason.length < 1200 && !/\p{C}/u.test(reason), reason);
    }
});

// Views and buffers whose bytes are no more: transferred to another thread, or behind the end of a buffer that shrank.
// Each looks as if it had none.
function gone() {
    const transferred = [Uint8Array, Float64Array, DataView, ArrayBuffer].map((Kind) => {
        const buffer = new ArrayBuffer(64), made = Kind === ArrayBuffer ? buffer : new Kind(buffer);
        structuredClone(buffer, { transfer: [buffer] });
        return made;
    });
    const shrunk = [Uint8Array, Float64Array, DataView].flatMap((Kind) => {
        const buffer = new ArrayBuffer(64, { maxByteLength: 64 }), made = new Kind(buffer, 32);
        const counted = new Kind(buffer, 32, 32 / (Kind.BYTES_PER_ELEMENT ?? 1));
        buffer.resize?.(16);
        return buffer.resizable ? [made, counted] : [];
    });
    return [...transferred, ...shrunk];
}

test('bytes that are gone are no empty message', async () => {
    const calls = [
        hash, (lost) => hash(lost, { hash: 'sha256' }), (lost) => hash(data, { key: lost }), (lost) => hashEach([lost]),
        (lost) => new Hasher().update(lost), (lost) => new Hasher({ hash: 'sha256' }).update(lost), hashFile,
        (lost) => hashLeaves([lost]), (lost) => hashRows(lost, 1), merkleRoot, (lost) => new MerkleTree(lost),
        (lost) => merkleRoot(lost, { hash: 'sha256_rfc6962' }), (lost) => MerkleTree.fromMessages([lost]), parseProof,
        pieceCid, (lost) => new PieceHasher().update(lost), toHex, (lost) => openZeppelinSimple([lost]),
    ];
    for (const call of calls) {
        for (const lost of gone()) {
            const error = await (async () => call(lost))().then(() => null, (error) => error);
            assert.equal(error?.name, 'MerklizeError', `${call} ${lost.constructor.name}`);
            assert.match(error.message, / has lost its bytes: their buffer was transferred, or became shorter$/);
        }
    }
    for (const lost of gone()) {
        assert.throws(() => merge(lost, twins[0]), { name: 'MerklizeError' });
        assert.equal(verify(lost, tree.root), false);
    }
});

test('bytes that go while workers hash them are an error', async () => {
    const size = 1 << 24;
    const lose = [(buffer) => structuredClone(buffer, { transfer: [buffer] }), (buffer) => buffer.resize?.(1)];
    for (const workers of [0, 2]) {
        for (const change of lose) {
            const buffer = new ArrayBuffer(size, { maxByteLength: size });
            if (change === lose[1] && !buffer.resizable) continue; // an old engine
            const digest = hashFile(new Uint8Array(buffer), { workers });
            change(buffer);
            await assert.rejects(digest, { name: 'MerklizeError', message: /lost its bytes|became shorter/ });
        }
    }
});

test('mistakes', async () => {
    for (const [call, text] of mistakes) {
        const error = await (async () => call())().then(() => null, (error) => error);
        const got = error && (text.endsWith('...') ? error.message.slice(0, text.length - 3) : error.message);
        assert.equal(got, text.replace(/\.\.\.$/, ''), String(call));
        assert.deepEqual([error.constructor, error.name, error.code], [merklize.MerklizeError, 'MerklizeError', 'invalid_argument'], String(call));
    }
    assert.ok(mistakes.length > 80);
});

// Types of the npm package merklize. Bytes are Uint8Arrays; digests are 32 bytes; counts above 2^53 are bigints.

export type Bytes = Uint8Array | ArrayBuffer | ArrayBufferView;
/** 32 bytes, or 64 hexadecimal digits of any case, with or without 0x. */
export type DigestLike = Uint8Array | string;
export type Rule = 'perfect' | 'left_full' | 'promote' | 'pad' | 'duplicate_last';

/** The names of all hashes, and second names of some. */
export type HashName =
    | 'blake3' | 'rp64_256_v1' | 'rp64_256_v2' | 'rp64_256_v3' | 'sha256_rfc6962' | 'rpo256' | 'rpx256'
    | 'poseidon2_goldilocks_8' | 'poseidon2_goldilocks_12' | 'poseidon2_miden' | 'poseidon2_babybear_16'
    | 'poseidon2_babybear_24' | 'poseidon2_koalabear_16' | 'poseidon2_koalabear_24' | 'sha256' | 'sha256d'
    | 'sha256_compress' | 'keccak256' | 'keccak256_sorted' | 'eidos' | 'eidos_v0' | 'rpo256_r1' | 'rpo256_r2'
    | 'rpx256_r2' | 'keccakf64' | 'blake2s' | 'sha3_256' | 'rpjive64_256' | 'poseidon_goldilocks_8'
    | 'poseidon_goldilocks_12' | 'poseidon_babybear_16' | 'poseidon_koalabear_16' | 'poseidon_babybear_24'
    | 'poseidon_koalabear_24' | 'blake3_parent' | 'sha256_trunc254' | 'rp64_256' | 'rpo256_r3' | 'rpo256_r4' | 'rpx256_r3'
    | 'rpx256_r4';

export interface HashFacts {
    readonly id: number;
    readonly name: HashName;
    /** The modulus: elements of nodes and rows are below it. 0n for a hash of bytes. */
    readonly modulus: bigint;
    /** Bits of a word of a field hash: 64 (a digest is 4 words) or 32 (8 words); else 0. */
    readonly elementBits: number;
}
/** All hashes, by id. */
export const hashes: readonly HashFacts[];
export const rules: readonly Rule[];

/** A wrong argument: the text names the function, the rule, what came and the remedy. 'io': a file that changed while
 * it was read, or since TreeFile.open(). */
export class MerklizeError extends Error {
    readonly code: 'invalid_argument' | 'io';
}

/** Whether vector instructions are used. simd(false) turns them off; simd(true) turns them on again, if there are any.
 */
export function simd(on?: boolean): boolean;

/** BLAKE3's modes: a key of 32 bytes, or a context for derive_key. BLAKE2s has a key of 1 to 32 bytes. */
export interface Mode {
    key?: Bytes;
    context?: string;
}
export interface Output {
    /** Bytes of output; default 32. 'blake3' has up to 2^32 in one call (2^27 as digits), 'blake2s' 1 to 32, others 32.
     */
    length?: number;
    /** Position of the first byte. */
    seek?: number;
}
export interface HashOptions extends Mode, Output {
    /** Default 'blake3'. */
    hash?: HashName;
}

/** The digest as 64 hexadecimal digits (of another length two a byte), not as bytes. */
export interface AsHex {
    encoding: 'hex';
}

/** The digest of bytes. cost: reads them once, on this thread */
export function hash(data: Bytes, options?: HashOptions): Uint8Array;
export function hash(data: Bytes, options: HashOptions & AsHex): string;

/** The digests of messages of any lengths, [n, 32] bytes. */
export function hashEach(messages: readonly Bytes[], options?: MergeOptions): Uint8Array;

/** Hashes bytes as they come. */
export class Hasher {
    constructor(options?: Mode & { hash?: HashName });
    update(data: Bytes): this;
    updateFrom(stream: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>): Promise<this>;
    /** The digest of all bytes so far; more may follow. */
    digest(options?: Output): Uint8Array;
    digest(options: Output & AsHex): string;
    reset(): this;
    readonly count: number;
}

export interface FileOptions extends HashOptions {
    /** 0: this thread alone. Default: cores(). */
    workers?: number;
    /** Cancels: an abort before the promise is settled rejects it with the signal's reason. Bytes in memory that this
     * thread hashes alone leave nobody a turn to abort but onProgress. */
    signal?: AbortSignal;
    onProgress?: (done: number, size: number) => void;
}
/** The digest of a File, a Blob, bytes or, in Node, the file at a path. It is streamed: memory does not grow with its
 * size. */
export function hashFile(source: Blob | Bytes | string | URL, options?: FileOptions): Promise<Uint8Array>;
export function hashFile(source: Blob | Bytes | string | URL, options: FileOptions & AsHex): Promise<string>;
/** The number of workers that hashFile starts; 0 if there can be none. */
export function cores(): number;

export interface MergeOptions extends Mode {
    hash?: HashName;
}
/** The node above two nodes. */
export function merge(left: DigestLike, right: DigestLike, options?: MergeOptions): Uint8Array;
/** The system that verifies a tree. It fixes hash and rule; 'merklize' takes key and context. */
export type Format = 'merklize' | 'rfc6962' | 'bitcoin' | 'ssz' | 'bittorrent_v2' | 'glacier' | 'winterfell' | 'miden' | 'plonky3';
export interface TreeOptions extends MergeOptions {
    format?: Format;
    /** Default 'perfect' for field hashes, else 'left_full'. */
    rule?: Rule;
    /** The leaf that the rule 'pad' adds; default zeros. */
    padding?: DigestLike;
}
/** [n, 32] bytes, or a list of digests. */
export type Leaves = Bytes | readonly DigestLike[];
/** The root of leaves. */
export function merkleRoot(leaves: Leaves, options?: TreeOptions): Uint8Array;

/** A Merkle tree with its nodes: 64 to 96 bytes a leaf. */
export class MerkleTree {
    /** cost: a merge a leaf, on this thread. Throws MerklizeError (no leaves, except for RFC 6962's empty tree; words
     * that are no elements) */
    constructor(leaves: Leaves, options?: TreeOptions);
    /** The tree whose leaf k is the digest of message k; key and context are for leaves and merges alike. */
    static fromMessages(messages: readonly Bytes[], options?: TreeOptions): MerkleTree;
    /** The tree whose leaf k is the digest of row k; rows as in hashRows(). */
    static fromRows(rows: Bytes, rowBytes: number, options?: TreeOptions): MerkleTree;
    readonly hash: HashName;
    readonly rule: Rule;
    readonly nLeaves: number;
    readonly height: number;
    readonly root: Uint8Array;
    /** [2^height + nLeaves, 32] bytes, not to be written to: the root at 1, the children of i at 2 i and 2 i + 1, leaf
     * k at 2^height + k. */
    readonly nodes: Uint8Array;
    /** The nodes of a level, left to right: a view of `nodes`. 0: the leaves; height: the root */
    level(level: number): Uint8Array;
    prove(index: number | bigint): LeafProof;
    prove(indices: readonly (number | bigint)[]): LeafProof[];
    /** One proof of several leaves, with each sibling that it needs once. */
    proveTogether(indices: Iterable<number | bigint>): LeafProof;
    /** One proof of the leaves from `first` to `last` - 1. */
    proveRange(first: number | bigint, last: number | bigint): LeafProof;
    /** The proof that the tree of the first leaves is the beginning of this one; rule left_full. */
    proveConsistency(oldLeaves: number | bigint): ConsistencyProof;
}
/** Messages of any lengths -> their leaves, [n, 32] bytes: the prefixes of the hash included, words below its modulus.
 */
export function hashLeaves(messages: readonly Bytes[], options?: MergeOptions): Uint8Array;
/** Rows of equal length, one after another, as leaves: [n, 32] bytes. Of a field hash their words are elements,
 * little-endian. */
export function hashRows(rows: Bytes, rowBytes: number, options?: MergeOptions): Uint8Array;

interface ProofHead {
    hash: HashName;
    rule?: Rule;
    nLeaves: number | bigint;
}
/** The fields of one form. Further ones, which nothing would verify, are refused. */
export type ProofObject = ProofHead &
    (
        | { index: number | bigint; leaf: DigestLike; siblings: DigestLike[] }
        | { indices: (number | bigint)[]; leaves: DigestLike[]; siblings: DigestLike[] }
        | { oldLeaves: number | bigint; nodes: DigestLike[] }
    );
interface ProofCommon {
    hash: HashName;
    rule: Rule;
    nLeaves: bigint;
    /** The bytes (MKZP) that all readers of merklize's proofs take. */
    toBytes(): Uint8Array;
    /** The proof as JSON text. JSON.stringify() cannot write proofs, because it has no integers above 2^53. */
    toJson(): string;
}
/** A proof of one leaf (kind 0) or of several (1). */
export interface LeafProof extends ProofCommon {
    kind: 0 | 1;
    indices: bigint[];
    leaves: Uint8Array[];
    siblings: Uint8Array[];
}
export interface ConsistencyProof extends ProofCommon {
    kind: 2;
    oldLeaves: bigint;
    nodes: Uint8Array[];
}
/** The result of parseProof() and of a tree's methods. */
export type Proof = LeafProof | ConsistencyProof;
/** Bytes (MKZP), JSON as text or parsed, or the fields. */
export type ProofLike = Bytes | string | ProofObject | Proof | Record<string, unknown>;

export interface Expect {
    hash?: HashName;
    rule?: Rule;
    nLeaves?: number | bigint;
    index?: number | bigint;
    leaf?: DigestLike;
}
export interface VerifyOptions extends Mode {
    expect?: Expect;
}
/** Whether a proof of one or several leaves leads to the root and has the expected claims. Malformed input is false,
 * and so are a proof by a hash that does not take the key or context, and bytes or JSON of a proof of consistency; such
 * a proof as an object of fields throws. */
export function verify(proof: ProofLike, root: DigestLike, options?: VerifyOptions): boolean;
/** verify() of each proof of a list, in order. */
export function verifyEach(proofs: readonly ProofLike[], root: DigestLike, options?: VerifyOptions): boolean[];
/** Whether the older tree's leaves are the first ones of the newer tree: verify() for proofs of consistency. */
export function verifyConsistency(proof: ProofLike, oldRoot: DigestLike, newRoot: DigestLike, options?: VerifyOptions): boolean;
/** Whether bytes are Winterfell's BatchMerkleProof of these leaves. hash: 'rp64_256_v3' (default), 'rpjive64_256' or
 * 'blake3' */
export function verifyWinterfell(
    bytes: Bytes,
    indices: Iterable<number | bigint>,
    leaves: Iterable<DigestLike>,
    root: DigestLike,
    options?: { hash?: HashName },
): boolean;
/** Whether Solidity's MerkleProof.verify() accepts the proof. The package @openzeppelin/merkle-tree gives all three
 * arguments. */
export function verifyOpenZeppelin(proof: Iterable<DigestLike>, root: DigestLike, leaf: DigestLike): boolean;

/** The arguments of Solidity's MerkleProof.multiProofVerify(). */
export interface OpenZeppelinMultiProof {
    leaves: string[];
    proof: string[];
    proofFlags: boolean[];
}
/** The dump that the package's load() reads. */
export interface OpenZeppelinDump {
    format: 'standard-v1' | 'simple-v1';
    leafEncoding?: string[];
    tree: string[];
    values: { value: unknown; treeIndex: number }[];
}
/** A tree of @openzeppelin/merkle-tree. Digests are text with 0x; values are named by their index as they were given.
 */
export class OpenZeppelinTree {
    private constructor();
    /** The tree of a dump, as an object or JSON text. All nodes are computed again and compared. Throws MerklizeError.
     */
    static load(dump: OpenZeppelinDump | string): OpenZeppelinTree;
    readonly values: readonly unknown[];
    /** The ABI types of a value; null: a simple tree. */
    readonly leafEncoding: readonly string[] | null;
    readonly nLeaves: number;
    readonly root: string;
    /** All 2 n - 1 nodes: the root first. */
    readonly nodes: string[];
    leaf(index: number | bigint): string;
    /** The same as getProof() of the package. */
    prove(index: number | bigint): string[];
    verify(index: number | bigint, proof: Iterable<DigestLike>): boolean;
    /** The same as getMultiProof() of the package. */
    proveTogether(indices: Iterable<number | bigint>): OpenZeppelinMultiProof;
    dump(): OpenZeppelinDump;
}
export interface OpenZeppelinOptions {
    /** Default true, as the package's. */
    sortLeaves?: boolean;
}
/** The StandardMerkleTree of values. types: address, bool, uint8 to uint256, int8 to int256, bytes1 to bytes32, bytes,
 * string, and arrays of them */
export function openZeppelin(values: readonly (readonly unknown[])[], types: readonly string[], options?: OpenZeppelinOptions): OpenZeppelinTree;
/** The SimpleMerkleTree of leaves, which must be hashes: 64 bytes that are no hash could pose as two nodes. */
export function openZeppelinSimple(leaves: readonly DigestLike[], options?: OpenZeppelinOptions): OpenZeppelinTree;

/** rows: for each index, the rows of all matrices, one after another. */
export type MatrixOpening = { rows: Bytes; siblings: DigestLike[] } & ({ index: number | bigint } | { indices: (number | bigint)[] });
/** Whether the rows of an opening are in a commitment by Plonky3's rule. dims: rows and columns of each matrix */
export function verifyOpening(
    opening: MatrixOpening,
    cap: Iterable<DigestLike>,
    dims: Iterable<readonly [number, number]>,
    options?: { hash?: HashName; arity?: 2 | 4; capHeight?: number; wordBytes?: 1 | 4 | 8 | 16; montgomery?: 'babybear' | 'koalabear' },
): boolean;

export interface Step {
    level: number;
    index: bigint;
    /** null: the node moves up unchanged. */
    left: Uint8Array | null;
    right: Uint8Array | null;
    parent: Uint8Array;
}
export interface Explanation {
    valid: boolean;
    /** The reason, as text. */
    reason: string;
    proof: Proof | null;
    /** The root that follows from the proof; null if none does. */
    computed: Uint8Array | null;
    /** The path to the root, for a proof of one leaf. */
    path: Step[];
}
/** The verdict of verify(), with the reason. root: for a proof of consistency {oldRoot, newRoot} */
export function explain(
    proof: ProofLike,
    root: DigestLike | { oldRoot: DigestLike; newRoot: DigestLike },
    options?: VerifyOptions,
): Explanation;
/** The claims of a proof, with digests of its own. Throws MerklizeError with the reason if the value is no proof. */
export function parseProof(proof: ProofLike): Proof;

/** An open .mkl file. Only the needed nodes are read. A path is opened for each read: if the file has changed or been
 * replaced since open(), calls throw MerklizeError ('io'). */
export class TreeFile {
    private constructor();
    /** source: a File, a Blob, bytes or, in Node, a path. Throws MerklizeError for anything that is no whole tree file
     * by the rules of merklize's docs/file-format.md. */
    static open(source: Blob | Bytes | string | URL): Promise<TreeFile>;
    readonly hash: HashName;
    readonly rule: Rule;
    readonly mode: 'plain' | 'keyed' | 'derive-key';
    readonly nLeaves: bigint;
    /** Bytes of the source that one leaf stands for; 0n: unknown. */
    readonly leafBytes: bigint;
    readonly totalBytes: bigint;
    readonly padding: Uint8Array;
    readonly root: Uint8Array;
    readonly height: number;
    /** level: 0, the leaves, to height, the root */
    levelSize(level: number): bigint;
    /** Nodes of a level from the first on, [count, 32] bytes. */
    read(level: number, first: number | bigint, count: number | bigint): Promise<Uint8Array>;
    /** Proofs as MerkleTree makes them, from the nodes that they need alone. options: the key or context of a tree with
     * a mode. The rule pad needs it, unless the leaves are a power of two; a wrong one throws MerklizeError */
    prove(index: number | bigint, options?: Mode): Promise<LeafProof>;
    prove(indices: readonly (number | bigint)[], options?: Mode): Promise<LeafProof[]>;
    proveTogether(indices: Iterable<number | bigint>, options?: Mode): Promise<LeafProof>;
    proveRange(first: number | bigint, last: number | bigint, options?: Mode): Promise<LeafProof>;
    proveConsistency(oldLeaves: number | bigint): Promise<ConsistencyProof>;
    /** The first node that is not the merge of its children, or null. options: must have the key or context of a tree
     * with a mode. cost: reads and hashes the whole tree */
    check(options?: Mode & Pick<FileOptions, 'signal' | 'onProgress'>): Promise<{ level: number; index: number } | null>;
}
/** Filecoin's piece commitment (CommP), by which storage providers identify the data that they store. */
export interface PieceCid {
    /** "bafkzcib...", FRC-0069: root, height and padding. */
    readonly v2: string;
    /** "baga6ea4seaq...": the root alone. A verifier needs the size, too. */
    readonly v1: string;
    readonly root: Uint8Array;
    /** Bytes of the data. */
    readonly size: number;
    /** Height of the tree, which has 2^height leaves of 32 bytes. */
    readonly height: number;
    /** Bytes of the piece that a provider stores. */
    readonly paddedSize: number;
}
/** The PieceCID of bytes, at most 127/128 of 64 GiB. cost: reads them once, on this thread */
export function pieceCid(data: Bytes): PieceCid;
/** The leaves of a piece's tree over some data, 4 for each 127 bytes begun, of 32 bytes each, joined. A MerkleTree over
 * all leaves of a piece, by "sha256_trunc254" and the rule "pad", has the root of pieceCid(), and its proofs show that
 * ranges of the data lie under that root: bytes from 127 a up to 127 b are the leaves from 4 a up to 4 b. cost:
 * memory: 128 bytes for 127 of data @param data a whole piece's, or a part that begins at a multiple of 127 bytes */
export function pieceLeaves(data: Bytes): Uint8Array;
/** Computes the PieceCID of bytes as they come. */
export class PieceHasher {
    update(data: Bytes): this;
    updateFrom(stream: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>): Promise<this>;
    /** The PieceCID of all bytes so far; more may follow. */
    digest(): PieceCid;
    reset(): this;
    readonly count: number;
}
/** Two hexadecimal digits a byte, after `prefix`, which is empty by default. */
export function toHex(bytes: Uint8Array, prefix?: '' | '0x'): string;
/** 64 hexadecimal digits, with or without 0x -> 32 bytes; null for any other text. */
export function fromHex(text: string): Uint8Array | null;

// proofs.js: verification. verify() is total for what comes from outside: anything malformed is false. The caller's own arguments
// are checked: a root that is no digest is an error.
import { equal, findHash, hashNamed, invalid, ruleNamed, toBytes, toDigest, toHex } from './common.js';
import { modeOf } from './hash.js';
import { Malformed, parsed, parsedWinterfell } from './parse.js';
import { m } from './ready.js';
import { beginsWithOldRoot, climb, heightOf, walkConsistency } from './shape.js';

const merger = (hash, { key, flags }) => (left, right) => {
    const pair = new Uint8Array(64);
    pair.set(left);
    pair.set(right, 32);
    return m.merge(hash, pair, key, flags);
};

/** The root that follows from leaves and siblings. visit(level, sibling, node, other, parent), if given, sees each step. */
function rootOf(proof, hash, mode, visit) {
    let positions = proof.indices, nodes = proof.leaves, next = 0;
    for (let level = 0; level < heightOf(proof.nLeaves); level++) {
        const pairs = [], at = [], above = [];
        const parents = climb(positions, proof.nLeaves, level, proof.rule, (sibling, i) => {
            const node = nodes[i];
            if (sibling === 'copy') return above.push(node);
            const other = sibling === 'known' ? nodes[i + 1] : sibling === 'self' ? node : proof.siblings[next++];
            pairs.push(...(sibling === 'left' ? [other, node] : [node, other]));
            at.push(above.length);
            above.push(null);
        });
        const bytes = new Uint8Array(32 * pairs.length);
        pairs.forEach((node, i) => bytes.set(node, 32 * i));
        const merged = m.merge(hash, bytes, mode.key, mode.flags);
        at.forEach((place, i) => (above[place] = merged.slice(32 * i, 32 * i + 32)));
        if (visit) visit(level, positions[0], pairs, above[0]);
        positions = parents;
        nodes = above;
    }
    return nodes[0];
}

/** {oldRoot, newRoot} that follow from a proof of consistency. Where it begins with the old root, the caller's is used. */
function rootsOf(proof, hash, mode, oldRoot) {
    if (proof.oldLeaves === proof.nLeaves) return { oldRoot, newRoot: oldRoot };
    const merge = merger(hash, mode);
    let next = beginsWithOldRoot(proof.oldLeaves) ? 0 : 1;
    let older = next === 0 ? oldRoot : proof.nodes[0], newer = older;
    walkConsistency(proof.oldLeaves, proof.nLeaves, (inOld) => {
        const node = proof.nodes[next++];
        if (inOld) older = merge(node, older);
        newer = inOld ? merge(node, newer) : merge(newer, node);
    });
    return { oldRoot: older, newRoot: newer };
}

/** A proof in one form: {kind, hash, rule, nLeaves, ...}. @throws MerklizeError with the reason if it is none */
export function parseProof(proof) {
    try {
        return parsed(proof);
    } catch (error) {
        if (error instanceof Malformed) invalid(`parseProof: ${error.message}`);
        throw error;
    }
}

const cannotMerge = (proof, options) =>
    (options.key !== undefined || options.context !== undefined) && !findHash(proof.hash).isKeyed
        ? `keys and contexts are of the hash 'blake3', not of '${proof.hash}'` : null;

/** Whether there is a proof, of consistency or of leaves. What comes as bytes or JSON is not the caller's choice; fields are. */
function isOf(isConsistency, form, proof, what) {
    if (form === null || (form.kind === 2) === isConsistency) return form !== null;
    if (typeof proof !== 'object' || proof instanceof Uint8Array || proof.format !== undefined) return false;
    return invalid(isConsistency ? `${what}: the proof is of leaves, which verify takes` : `${what}: the proof is of consistency, which verifyConsistency takes`);
}

/** What verify() finds, with the reason and, for one leaf, the path: {valid, reason, proof, computed, path}. */
export function explain(proof, root, options = {}) {
    const isPair = typeof root === 'object' && root !== null && !(root instanceof Uint8Array);
    const roots = isPair ? root : { newRoot: root };
    let form;
    try {
        form = parsed(proof);
    } catch (error) {
        if (error instanceof Malformed) return { valid: false, reason: `malformed: ${error.message}`, proof: null, computed: null, path: [] };
        throw error;
    }
    const otherKind = (form.kind === 2) === isPair ? null
        : isPair ? 'the proof is of leaves, not of consistency of two trees' : 'a proof of consistency needs the roots of both trees';
    const refused = otherKind ?? cannotMerge(form, options) ?? unexpected(form, options.expect);
    if (refused) return { valid: false, reason: refused, proof: form, computed: null, path: [] };
    const hash = findHash(form.hash), mode = modeOf(hash, options, 'verify');
    if (form.kind === 2) {
        const oldRoot = toDigest(roots.oldRoot, 'verify: oldRoot'), newRoot = toDigest(roots.newRoot, 'verify: newRoot');
        const isElement = [oldRoot, newRoot].every((digest) => m.firstNotElement(hash, digest) < 0);
        const computed = isElement ? rootsOf(form, hash, mode, oldRoot) : null;
        const valid = isElement && equal(computed.oldRoot, oldRoot) && equal(computed.newRoot, newRoot);
        const reason = valid ? `the first ${form.oldLeaves} of ${form.nLeaves} leaves are those of the older tree`
            : !isElement ? `a root is no digest of ${form.hash}`
            : !equal(computed.oldRoot, oldRoot) ? `the nodes give ${toHex(computed.oldRoot)} for the older tree, not its root`
            : `the nodes give ${toHex(computed.newRoot)} for the newer tree, not its root`;
        return { valid, reason, proof: form, computed: computed && computed.newRoot, path: [] };
    }
    const expected = toDigest(roots.newRoot, 'verify: root');
    const path = [];
    const note = form.kind === 0
        ? (level, index, pairs, parent) => path.push({ level, index, left: pairs[0] ?? null, right: pairs[1] ?? null, parent })
        : undefined;
    const computed = rootOf(form, hash, mode, note);
    const valid = equal(computed, expected);
    const reason = valid ? `the ${form.kind === 0 ? 'leaf leads' : 'leaves lead'} to the root`
        : `the ${form.kind === 0 ? 'leaf leads' : 'leaves lead'} to ${toHex(computed)}, not to the root`;
    return { valid, reason, proof: form, computed, path };
}

/** What of a proof's claims is not what the caller expects, or null. A root alone does not bind them (docs/layouts.md). */
function unexpected(form, expect = {}) {
    const other = (what, wanted, got) => `the ${what} must be ${wanted}, the proof's is ${got}`;
    const { hash, rule, nLeaves, index, leaf } = expect;
    if (hash !== undefined && hashNamed(hash, 'expect').name !== form.hash) return other('hash', hash, form.hash);
    if (rule !== undefined && ruleNamed(rule, 'expect') !== form.rule) return other('rule', rule, form.rule);
    if (nLeaves !== undefined && BigInt(nLeaves) !== form.nLeaves) return other('number of leaves', nLeaves, form.nLeaves);
    if (index === undefined && leaf === undefined) return null;
    if (form.kind !== 0) return 'an index or a leaf is expected of a proof of one leaf alone';
    if (index !== undefined && BigInt(index) !== form.indices[0]) return other('index', index, form.indices[0]);
    const wanted = leaf === undefined ? form.leaves[0] : toDigest(leaf, 'expect: leaf');
    return equal(wanted, form.leaves[0]) ? null : other('leaf', toHex(wanted), toHex(form.leaves[0]));
}

/**
 * Whether a proof of one or several leaves leads to the root, and claims what is expected of it.
 * proof: bytes, JSON or an object; root: 32 bytes or 64 digits; options: key or context, and expect: {hash, rule, nLeaves, index, leaf}.
 */
export function verify(proof, root, options = {}) {
    const expected = toDigest(root, 'verify: root');
    modeOf(findHash('blake3'), options, 'verify'); // which checks key and context
    const form = tried(() => parsed(proof));
    if (!isOf(false, form, proof, 'verify') || cannotMerge(form, options) || unexpected(form, options.expect)) return false;
    const hash = findHash(form.hash);
    return equal(rootOf(form, hash, modeOf(hash, options, 'verify')), expected);
}

/** Whether the older tree's leaves are the first ones of the newer tree: RFC 6962, section 2.1.2. */
export function verifyConsistency(proof, oldRoot, newRoot, options = {}) {
    const roots = { oldRoot: toDigest(oldRoot, 'verifyConsistency: oldRoot'), newRoot: toDigest(newRoot, 'verifyConsistency: newRoot') };
    const form = tried(() => parsed(proof));
    return isOf(true, form, proof, 'verifyConsistency') && explain(form, roots, options).valid;
}

/** Whether bytes are Winterfell's BatchMerkleProof of these leaves at these indices. options: {hash: 'blake3' or 'rp64_256_v3'} */
export function verifyWinterfell(bytes, indices, leaves, root, options = {}) {
    const expected = toDigest(root, 'verifyWinterfell: root');
    const data = toBytes(bytes, 'verifyWinterfell');
    const form = tried(() => parsedWinterfell(data, options.hash ?? 'rp64_256_v3', [...indices], [...leaves]));
    return form !== null && verify(form, expected);
}

/** Whether Solidity's MerkleProof.verify() takes the proof: Keccak-256 of sorted pairs. leaf: 32 bytes, as the contract computes it. */
export function verifyOpenZeppelin(proof, root, leaf) {
    const expected = toDigest(root, 'verifyOpenZeppelin: root');
    const nodes = tried(() => [leaf, ...proof].map((node) => toDigest(node, 'a node')));
    if (!nodes) return false;
    const merge = merger(findHash('keccak256_sorted'), { key: null, flags: 0 });
    return equal(nodes.reduce((node, sibling) => merge(node, sibling)), expected);
}

/** null if what comes from outside is malformed. */
function tried(read) {
    try {
        return read();
    } catch (error) {
        if (error instanceof Malformed || error.code === 'invalid_argument' || error instanceof TypeError) return null;
        throw error;
    }
}

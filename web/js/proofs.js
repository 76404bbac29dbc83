// proofs.js: verification. verify() returns false for any malformed proof. The caller's own arguments are checked: a
// root that is no digest is an error.
import {
    equal, expectations, findHash, hashNamed, invalid, isBytes, isCount, itemsOf, joined, modeNames, requireOptions,
    ruleNamed, shown, toBytes, toDigest, toHex,
} from './common.js';
import { keyOf, modeOf, noMode } from './hash.js';
import { Malformed } from './json.js';
import { parsed, parsedWinterfell } from './parse.js';
import { m } from './ready.js';
import { climb, consistencyPlaces, heightOf } from './shape.js';

const merger = (hash, { key, flags }) => (left, right) => m.merge(hash, joined([left, right]), key, flags);

/** The root that follows from leaves and siblings. visit(level, sibling, node, other, parent), if given, sees each
 * step. */
function rootOf(proof, hash, mode, visit) {
    const height = heightOf(proof.nLeaves);
    let positions = proof.indices, nodes = proof.leaves, next = 0;
    for (let level = 0; level < height; level++) {
        const pairs = [], at = [], above = [];
        const parents = climb(positions, proof.nLeaves, level, proof.rule, (sibling, i) => {
            const node = nodes[i];
            if (sibling === 'copy') return above.push(node);
            const other = sibling === 'known' ? nodes[i + 1] : sibling === 'self' ? node : proof.siblings[next++];
            pairs.push(...(sibling === 'left' ? [other, node] : [node, other]));
            at.push(above.length);
            above.push(null);
        });
        const merged = m.merge(hash, joined(pairs), mode.key, mode.flags);
        at.forEach((place, i) => (above[place] = merged.slice(32 * i, 32 * i + 32)));
        if (visit) visit(level, positions[0], pairs, above[0]);
        positions = parents;
        nodes = above;
    }
    return nodes[0];
}

/** {oldRoot, newRoot} that follow from a proof of consistency. If the proof begins with the old root, the caller's is
 * used. */
function rootsOf(proof, hash, mode, oldRoot) {
    const merge = merger(hash, mode);
    let older = oldRoot, newer = oldRoot;
    consistencyPlaces(proof.oldLeaves, proof.nLeaves).forEach(([, , side], i) => {
        const node = proof.nodes[i];
        if (side === 'first') return (older = newer = node);
        if (side === 'left') older = merge(node, older);
        newer = side === 'left' ? merge(node, newer) : merge(newer, node);
    });
    return { oldRoot: older, newRoot: newer };
}

/** A proof in one form: {kind, hash, rule, nLeaves, ...}. @throws MerklizeError with the reason if the value is no
 * proof */
export function parseProof(proof) {
    try {
        return parsed(proof);
    } catch (error) {
        if (error instanceof Malformed) invalid(`parseProof: ${error.message}`);
        throw error;
    }
}

const verifying = ['expect', ...modeNames], blake3 = findHash('blake3'), blake2s = findHash('blake2s');

/** The caller's arguments, checked: {options, expect, roots}. options: {key, context}; roots: {root}, or for a proof of
 * consistency {oldRoot, newRoot} */
function givenOf(roots, options, what) {
    const digests = {};
    for (const name in roots) digests[name] = new Uint8Array(toDigest(roots[name], `${what}: ${name}`));
    requireOptions(options, verifying, what);
    const { expect = {}, context } = options, key = options.key === undefined ? undefined : keyOf(options.key, what);
    // The proof claims the hash, so only a key that no hash takes is the caller's mistake.
    modeOf(key !== undefined && context === undefined ? blake2s : blake3, { key, context }, what);
    requireOptions(expect, expectations, what, 'expect');
    const { hash, rule, nLeaves, index, leaf } = expect;
    const checked = (value, check, name) => (value === undefined ? undefined : check(value, `${what}: expect.${name}`));
    return { options: { key, context }, roots: digests, expect: {
        hash: checked(hash, (name, at) => hashNamed(name, at).name, 'hash'), rule: checked(rule, ruleNamed, 'rule'),
        nLeaves: checked(nLeaves, countOf, 'nLeaves'), index: checked(index, countOf, 'index'),
        leaf: checked(leaf, toDigest, 'leaf'),
    } };
}
function countOf(value, what) {
    return isCount(value) ? BigInt(value) : invalid(`${what} must be an integer >= 0, got ${shown(value)}`);
}

/** Why a proof is refused before anything is computed, or null. A root alone does not bind its claims
 * (docs/layouts.md). */
function refusal(proof, { roots, options, expect }) {
    const other = (what, wanted, got) =>
        (wanted === undefined || wanted === got ? null : `the ${what} must be ${wanted}, the proof's is ${got}`);
    if ((proof.kind === 2) !== (roots.root === undefined))
        return proof.kind === 2 ? 'a proof of consistency needs the roots of both trees'
            : 'the proof is of leaves, not of consistency of two trees';
    const none = noMode(findHash(proof.hash), options);
    if (none) return `the proof is of '${proof.hash}': ${none}`;
    const { hash, rule, nLeaves, index, leaf } = expect;
    const differs = other('hash', hash, proof.hash) ?? other('rule', rule, proof.rule)
        ?? other('number of leaves', nLeaves, proof.nLeaves);
    if (differs || (index === undefined && leaf === undefined)) return differs;
    if (proof.kind !== 0) return 'an index or a leaf is expected of a proof of one leaf alone';
    return other('index', index, proof.indices[0]) ?? other('leaf', leaf && toHex(leaf), toHex(proof.leaves[0]));
}

/** {valid, reason, computed, path} of a proof. */
function judged(proof, given, what) {
    const { roots: { root, oldRoot, newRoot } } = given, refused = refusal(proof, given), path = [];
    if (refused) return { valid: false, reason: refused, computed: null, path };
    const hash = findHash(proof.hash), mode = modeOf(hash, given.options, what);
    if (proof.kind === 2) {
        const isElement = [oldRoot, newRoot].every((digest) => m.firstNotElement(hash, digest) < 0);
        const computed = isElement ? rootsOf(proof, hash, mode, oldRoot) : null;
        const valid = isElement && equal(computed.oldRoot, oldRoot) && equal(computed.newRoot, newRoot);
        const reason = valid ? `the first ${proof.oldLeaves} of ${proof.nLeaves} leaves are those of the older tree`
            : !isElement ? `a root is no digest of ${proof.hash}`
            : !equal(computed.oldRoot, oldRoot)
                ? `the nodes give ${toHex(computed.oldRoot)} for the older tree, not its root`
            : `the nodes give ${toHex(computed.newRoot)} for the newer tree, not its root`;
        return { valid, reason, computed: computed && computed.newRoot, path };
    }
    const note = (level, index, pairs, parent) =>
        path.push({ level, index, left: pairs[0] ?? null, right: pairs[1] ?? null, parent });
    const computed = rootOf(proof, hash, mode, proof.kind === 0 ? note : undefined), valid = equal(computed, root);
    const lead = proof.kind === 0 ? 'the leaf leads' : 'the leaves lead';
    return { valid, reason: valid ? `${lead} to the root` : `${lead} to ${toHex(computed)}, not to the root`, computed,
        path };
}

/** The verdict of verify(), with the reason and, for one leaf, the path: {valid, reason, proof, computed, path}. */
export function explain(proof, root, options = {}) {
    const { oldRoot, newRoot } = root ?? {}, isPair = 'oldRoot' in Object(root) || newRoot !== undefined;
    const given = givenOf(isPair ? { oldRoot, newRoot } : { root }, options, 'explain');
    try {
        const form = parsed(proof), { valid, reason, computed, path } = judged(form, given, 'explain');
        return { valid, reason, proof: form, computed, path };
    } catch (error) {
        if (error instanceof Malformed)
            return { valid: false, reason: `malformed: ${error.message}`, proof: null, computed: null, path: [] };
        throw error;
    }
}

/** Whether a proof is valid. A proof of the other kind is false as bytes or JSON, which the caller did not choose, and
 * an error as an object of fields. */
function holds(proof, given, what) {
    const nodes = itemsOf(proof);
    if (nodes?.length > 0 && nodes.every((node) => typeof node === 'string' || ArrayBuffer.isView(node)))
        invalid(`${what}: a list of nodes is no proof of merklize; verifyOpenZeppelin() takes one`);
    const form = tried(() => parsed(proof)), isConsistency = given.roots.root === undefined;
    const isOwn = typeof proof === 'object' && !isBytes(proof) && proof?.format === undefined;
    if (form && isOwn && (form.kind === 2) !== isConsistency)
        invalid(isConsistency ? `${what}: the proof is of leaves, which verify takes`
            : `${what}: the proof is of consistency, which verifyConsistency takes`);
    return form !== null && judged(form, given, what).valid;
}

/**
 * Whether a proof of one or several leaves leads to the root, and has the expected claims. proof: bytes, JSON or an
 * object; root: 32 bytes or 64 digits; options: key or context, and expect: {hash, rule, nLeaves, index, leaf}.
 */
export function verify(proof, root, options = {}) {
    return holds(proof, givenOf({ root }, options, 'verify'), 'verify');
}

/** verify() of each proof of a list. */
export function verifyEach(proofs, root, options = {}) {
    const items = itemsOf(proofs)
        ?? invalid(`verifyEach: proofs must be a list of proofs, got ${shown(proofs)}; verify() takes one`);
    const given = givenOf({ root }, options, 'verifyEach');
    return items.map((proof, i) => holds(proof, given, `verifyEach: proof ${i}`));
}

/** Whether the older tree's leaves are the first ones of the newer tree: RFC 6962, section 2.1.2. */
export function verifyConsistency(proof, oldRoot, newRoot, options = {}) {
    return holds(proof, givenOf({ oldRoot, newRoot }, options, 'verifyConsistency'), 'verifyConsistency');
}

/** Whether bytes are Winterfell's BatchMerkleProof of these leaves at these indices. options: {hash: 'rp64_256_v3' by
 * default} */
export function verifyWinterfell(bytes, indices, leaves, root, options = {}) {
    const what = 'verifyWinterfell', given = givenOf({ root }, {}, what), data = toBytes(bytes, `${what}: the proof`);
    requireOptions(options, ['hash'], what);
    const { name } = hashNamed(options.hash ?? 'rp64_256_v3', what);
    if (!['blake3', 'rp64_256_v3', 'rpjive64_256'].includes(name))
        invalid(`${what}: the hash must be 'blake3', 'rp64_256_v3' or 'rpjive64_256', got '${name}'`);
    const form = tried(() => parsedWinterfell(data, name, [...indices], [...leaves]));
    return form !== null && judged(form, given, what).valid;
}

/** Whether Solidity's MerkleProof.verify() accepts the proof: Keccak-256 of sorted pairs. leaf: 32 bytes, as the
 * contract computes it. */
export function verifyOpenZeppelin(proof, root, leaf) {
    const expected = toDigest(root, 'verifyOpenZeppelin: root'), first = toDigest(leaf, 'verifyOpenZeppelin: leaf');
    const siblings = tried(() => [...proof].map((node) => toDigest(node, 'a node')));
    if (!siblings) return false;
    const merge = merger(findHash('keccak256_sorted'), { key: null, flags: 0 });
    return equal(siblings.reduce((node, sibling) => merge(node, sibling), first), expected);
}

/** The digest, or null if the input is malformed. */
function tried(read) {
    try {
        return read();
    } catch (error) {
        if (error instanceof Malformed || error?.code === 'invalid_argument' || error instanceof TypeError) return null;
        throw error;
    }
}

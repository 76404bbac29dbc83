// proving.js: plans of proofs: {claims, places}. A place is [level, index] of a node, which the tree then gives.
import { invalid, isCount, shown } from './common.js';
import { Proof } from './proof.js';
import { consistencyPlaces, eachSibling, indexBelow } from './shape.js';

function leafPlan(kind, { hash, rule, nLeaves }, indices) {
    const n = BigInt(nLeaves), siblings = [];
    eachSibling(n, rule, indices, (...place) => siblings.push(place));
    return { claims: { kind, hash, rule, nLeaves: n, indices },
        places: { leaves: indices.map((index) => [0, index]), siblings } };
}
/** The plan of a proof of one leaf. tree: {hash, rule, nLeaves}; what: the function in errors */
export const onePlan = (tree, index, what) => leafPlan(0, tree, [indexBelow(index, tree.nLeaves, what)]);
/** Different indices of n leaves, ascending. rule: what an index must be, in errors */
export function indicesBelow(indices, n, what, rule) {
    if (typeof indices?.[Symbol.iterator] !== 'function')
        invalid(`${what}: indices must be a list of integers, got ${shown(indices)}`);
    const sorted = Array.from(indices, (index) => indexBelow(index, n, what, rule))
        .sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
    const twice = sorted.find((index, i) => i > 0 && index === sorted[i - 1]);
    if (twice !== undefined) invalid(`${what}: give each index once, got ${twice} twice`);
    return sorted;
}
/** The plan of a proof of several leaves, in any order. */
export function togetherPlan(tree, indices, what) {
    const sorted = indicesBelow(indices, tree.nLeaves, what);
    if (sorted.length === 0) invalid(`${what}: give at least one index, got none`);
    return leafPlan(1, tree, sorted);
}
/** The plan of a proof of the leaves from `first` to `last` - 1. */
export function rangePlan(tree, first, last, what) {
    if (!isCount(first) || !isCount(last) || first >= last || last > tree.nLeaves)
        invalid(`${what}: first and last must be integers, 0 <= first < last <= ${tree.nLeaves}, `
            + `got ${shown(first)} and ${shown(last)}`);
    return leafPlan(1, tree, Array.from({ length: Number(last) - Number(first) }, (_, i) => BigInt(first) + BigInt(i)));
}
/** The plan of a proof that the tree of the first `oldLeaves` leaves is the beginning of this one: RFC 6962, section
 * 2.1.2. */
export function consistencyPlan({ hash, rule, nLeaves }, oldLeaves, what) {
    if (rule !== 'left_full') invalid(`${what}: the rule must be 'left_full', not '${rule}'`);
    if (!isCount(oldLeaves) || oldLeaves < 1 || oldLeaves > nLeaves)
        invalid(`${what}: the old tree must have 1 to ${nLeaves} leaves, got ${shown(oldLeaves)}`);
    const n = BigInt(nLeaves), old = BigInt(oldLeaves);
    return { claims: { kind: 2, hash, rule, nLeaves: n, oldLeaves: old },
        places: { nodes: consistencyPlaces(old, n) } };
}

/** All places of a plan, in the order in which proofOf() asks for their nodes. */
export const placesOf = ({ places }) => Object.values(places).flat();
/** nodeAt(place): 32 bytes */
export function proofOf({ claims, places }, nodeAt) {
    const nodes = Object.entries(places).map(([name, some]) => [name, some.map(nodeAt)]);
    return new Proof({ ...claims, ...Object.fromEntries(nodes) });
}

// shape.js: which nodes a proof has. They follow from counts and indices (docs/layouts.md). Counts and indices are
// bigints below 2^58.
import { invalid, isCount, shown } from './common.js';

const most = 1n << 58n;

/** Why there is no tree of n leaves under the rule; null if there is one. */
export function noTree(n, rule) {
    if (n < 1n || n > most) return `a tree has 1 to 2^58 leaves, not ${n}`;
    if (rule === 'perfect' && (n & (n - 1n)) !== 0n)
        return `under the rule 'perfect' the number of leaves is a power of two, not ${n}`;
    return null;
}

/** An index of n leaves as a bigint. */
export function indexBelow(index, n, what, rule = `the index must be an integer below the ${n} leaves`) {
    if (!isCount(index) || index >= n) invalid(`${what}: ${rule}, got ${shown(index)}`);
    return BigInt(index);
}

export const bits = (n) => (n === 0n ? 0 : n.toString(2).length);
/** ceil(log2 n): the root's level. */
export const heightOf = (n) => bits(n - 1n);
/** Nodes of a level. */
export const levelSize = (n, level) => ((n - 1n) >> BigInt(level)) + 1n;

/** The origin of a node's sibling: 'left' or 'right' from the proof; 'copy': there is none; 'self': the node itself. */
export function siblingOf(index, n, level, rule) {
    if (index % 2n !== 0n) return 'left';
    if (index + 1n < levelSize(n, level) || rule === 'pad') return 'right';
    return rule === 'left_full' ? 'copy' : 'self';
}

/** One level up from ascending positions. Calls visit(sibling, i) for each parent; 'known': the right sibling is
 * positions[i + 1]. */
export function climb(positions, n, level, rule, visit) {
    const parents = [];
    for (let i = 0; i < positions.length; ) {
        let sibling = siblingOf(positions[i], n, level, rule);
        if (sibling === 'right' && i + 1 < positions.length && positions[i + 1] === positions[i] + 1n)
            sibling = 'known';
        visit(sibling, i);
        parents.push(positions[i] / 2n);
        i += sibling === 'known' ? 2 : 1;
    }
    return parents;
}

/** visit(level, index) of each sibling that a proof of these ascending indices has, in its order. */
export function eachSibling(n, rule, indices, visit) {
    const height = heightOf(n);
    for (let level = 0, positions = indices; level < height; level++) {
        const below = positions;
        positions = climb(below, n, level, rule, (sibling, i) => {
            if (sibling === 'left') visit(level, below[i] - 1n);
            if (sibling === 'right') visit(level, below[i] + 1n);
        });
    }
}

/** The nodes of a consistency proof in its order (RFC 9162, 2.1.4.2): [level, index, side] of each. side: 'first' is
 * the node that both
 *  sides begin with, unless the old tree is a node of the new one; 'left' belongs to both trees, 'right' to the new
 *  tree alone. */
export function consistencyPlaces(oldLeaves, newLeaves) {
    const places = [];
    if (oldLeaves === newLeaves) return places;
    let oldAt = oldLeaves - 1n, newAt = newLeaves - 1n, level = 0;
    const up = () => {
        oldAt >>= 1n;
        newAt >>= 1n;
        level++;
    };
    while (oldAt % 2n === 1n) up();
    if ((oldLeaves & (oldLeaves - 1n)) !== 0n) places.push([level, oldAt, 'first']);
    for (; newAt !== 0n; up()) {
        const isLeft = oldAt % 2n === 1n || oldAt === newAt;
        while (isLeft && oldAt % 2n === 0n) up();
        places.push(isLeft ? [level, oldAt - 1n, 'left'] : [level, oldAt + 1n, 'right']);
    }
    return places;
}

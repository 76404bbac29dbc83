// shape.js: which nodes a proof has. They follow from counts and indices (docs/layouts.md). Counts and indices are bigints below 2^58.
import { invalid, shown } from './common.js';

const most = 1n << 58n;

/** Why there is no tree of n leaves under the rule; null if there is one. */
export function noTree(n, rule) {
    if (n < 1n || n > most) return `a tree has 1 to 2^58 leaves, not ${n}`;
    if (rule === 'perfect' && (n & (n - 1n)) !== 0n)
        return `under the rule 'perfect' the number of leaves is a power of two, not ${n}`;
    return null;
}

/** An index of n leaves as a bigint. */
export function indexBelow(index, n, what) {
    const isInteger = typeof index === 'bigint' || Number.isSafeInteger(index);
    if (!isInteger || index < 0 || index >= n) invalid(`${what}: the index must be an integer below the ${n} leaves, got ${shown(index)}`);
    return BigInt(index);
}

export const bits = (n) => (n === 0n ? 0 : n.toString(2).length);
/** ceil(log2 n): the root's level. */
export const heightOf = (n) => bits(n - 1n);
/** Nodes of a level. */
export const levelSize = (n, level) => ((n - 1n) >> BigInt(level)) + 1n;

/** Where a node's sibling comes from: 'left' or 'right' from the proof; 'copy': there is none; 'self': the node itself. */
export function siblingOf(index, n, level, rule) {
    if (index % 2n !== 0n) return 'left';
    if (index + 1n < levelSize(n, level) || rule === 'pad') return 'right';
    return rule === 'left_full' ? 'copy' : 'self';
}

/** One level up from ascending positions. Calls visit(sibling, i) for each parent; 'known': the right sibling is positions[i + 1]. */
export function climb(positions, n, level, rule, visit) {
    const parents = [];
    for (let i = 0; i < positions.length; ) {
        let sibling = siblingOf(positions[i], n, level, rule);
        if (sibling === 'right' && i + 1 < positions.length && positions[i + 1] === positions[i] + 1n) sibling = 'known';
        visit(sibling, i);
        parents.push(positions[i] / 2n);
        i += sibling === 'known' ? 2 : 1;
    }
    return parents;
}

const isGiven = (sibling) => sibling === 'left' || sibling === 'right';

/** How many siblings a proof of these ascending indices has. */
export function siblingCount(n, rule, indices) {
    let count = 0, positions = indices;
    for (let level = 0; level < heightOf(n); level++)
        positions = climb(positions, n, level, rule, (sibling) => (count += isGiven(sibling) ? 1 : 0));
    return count;
}

/** The nodes of a consistency proof (RFC 9162, 2.1.4.2), without the first one of a proof whose old tree is no node of the new one.
 *  visit(inOld): the node goes to the left on both sides; else to the right, on the new tree's side alone. */
export function walkConsistency(oldLeaves, newLeaves, visit) {
    let oldAt = oldLeaves - 1n, newAt = newLeaves - 1n;
    const up = () => {
        oldAt >>= 1n;
        newAt >>= 1n;
    };
    while (oldAt % 2n === 1n) up();
    while (newAt !== 0n) {
        const inOld = oldAt % 2n === 1n || oldAt === newAt;
        visit(inOld);
        if (inOld) while (oldAt !== 0n && oldAt % 2n === 0n) up();
        up();
    }
}
/** Whether the old tree is a node of the new one: then verification begins with its root. */
export const beginsWithOldRoot = (oldLeaves) => (oldLeaves & (oldLeaves - 1n)) === 0n;

export function consistencyCount(oldLeaves, newLeaves) {
    if (oldLeaves === newLeaves) return 0;
    let count = beginsWithOldRoot(oldLeaves) ? 0 : 1;
    walkConsistency(oldLeaves, newLeaves, () => count++);
    return count;
}

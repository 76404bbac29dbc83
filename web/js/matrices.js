// matrices.js: openings of commitments to matrices, by Plonky3's rule (docs/provers.md): the layers, and verification.
import { MerklizeError, digestOrNull, equal, hashNamed, invalid, isCount, itemsOf, joined, requireOptions, shown,
    toBytes } from './common.js';
import { digestOfMessage } from './hash.js';
import { m } from './ready.js';

const what = 'verifyOpening';
const moduli = new Map([['babybear', 0x78000001], ['koalabear', 0x7f000001]]);
const log2Up = (n) => Math.ceil(Math.log2(n));
const powerUp = (n) => 2 ** log2Up(Math.max(n, 1));
const padded = (n, arity) => (n <= 1 ? n : Math.ceil(n / arity) * arity);

/** The layers from the leaves to the root: {length, step: nodes of a group, matrices: those whose rows are hashed into
 * it}. */
function planOf(dims, arity, capHeight) {
    if (dims.length === 0) invalid(`${what}: there must be at least 1 matrix, got 0`);
    for (const [rows, columns] of dims) {
        if (![rows, columns].every((n) => Number.isSafeInteger(n) && n >= 0 && n <= 2 ** 40) || rows === 0)
            invalid(`${what}: a matrix has 1 to 2^40 rows and at most 2^40 columns, `
                + `got ${shown(rows)} and ${shown(columns)}`);
    }
    const tallest = Math.max(...dims.map(([rows]) => rows));
    for (const [rows] of dims) {
        let height = tallest;
        while (height > rows) height = Math.ceil(height / 2);
        if (height !== rows)
            invalid(`${what}: beside ${tallest} rows a height is that divided by a power of two and rounded up, `
                + `got ${rows}`);
    }
    const used = dims.map(([rows]) => rows === tallest), layers = [];
    const those = (take) => dims.flatMap((_, i) => (take(i) ? [i] : []));
    let layer = { length: padded(tallest, arity), matrices: those((i) => used[i]) };
    for (; layer.length > 1; layer = layers.above) {
        // A group of four would step over a matrix that belongs to the layer between.
        const between = dims.some(([rows], i) => !used[i] && powerUp(rows) > powerUp(Math.floor(layer.length / arity)));
        layer.step = layer.length < arity || between ? 2 : arity;
        const nodes = Math.floor(layer.length / layer.step);
        const matrices = those((i) => !used[i] && powerUp(dims[i][0]) === powerUp(nodes));
        for (const i of matrices) used[i] = true;
        layers.push(layer);
        layers.above = { length: padded(nodes, arity), matrices };
    }
    layers.push(layer);
    const top = layers.length - 1;
    if (!Number.isSafeInteger(capHeight) || capHeight < 0 || capHeight > top)
        invalid(`${what}: capHeight must be 0 to ${top} for ${tallest} rows, got ${shown(capHeight)}`);
    const capLayer = top - capHeight;
    let capSize = 1;
    for (const { step } of layers.slice(capLayer, top)) capSize *= step;
    const hidden = layers.slice(capLayer + 1).find(({ matrices }) => matrices.length > 0);
    if (hidden)
        invalid(`${what}: matrix ${hidden.matrices[0]} is hashed into a layer above the cap, `
            + 'so nothing shows its rows');
    return { layers, capLayer, capSize, tallest };
}

/** Words of 32 bits times 2^32 mod p, as provers keep them. */
function toMontgomery(row, p) {
    const view = new DataView(row.buffer, row.byteOffset, row.length);
    for (let at = 0; at < row.length; at += 4)
        view.setUint32(at, Number((BigInt(view.getUint32(at, true)) << 32n) % BigInt(p)), true);
    return row;
}

/**
 * Whether the rows of an opening are in a commitment. A malformed opening or cap is false. opening: {index, rows,
 * siblings} or {indices, rows, siblings}, rows being the bytes of all matrices' rows, one index after another. dims:
 * [rows, columns] of each matrix; options: {hash, arity, capHeight, wordBytes, montgomery: 'babybear' or 'koalabear'}.
 */
export function verifyOpening(opening, cap, dims, options = {}) {
    requireOptions(options, ['hash', 'arity', 'capHeight', 'wordBytes', 'montgomery'], what);
    const kind = hashNamed(options.hash ?? 'blake3', what), arity = options.arity ?? 2,
        p = moduli.get(options.montgomery);
    if (arity !== 2 && arity !== 4) invalid(`${what}: arity must be 2 or 4, got ${shown(arity)}`);
    const quad = m.hashes.find(({ id }) => id === kind.quadId);
    if (arity === 4 && !quad) invalid(`${what}: '${kind.name}' has no merges of four`);
    if (options.montgomery !== undefined && (!p || kind.isField))
        invalid(`${what}: montgomery is 'babybear' or 'koalabear', for a hash of bytes; `
            + `got ${shown(options.montgomery)} and '${kind.name}'`);
    const width = options.wordBytes ?? (kind.isField ? kind.rowUnit : p ? 4 : 1);
    if (![1, 4, 8, 16].includes(width) || (kind.isField && width !== kind.rowUnit) || (p && width !== 4))
        invalid(`${what}: words of '${kind.name}' cannot have ${shown(width)} bytes`);
    if (typeof dims?.[Symbol.iterator] !== 'function')
        invalid(`${what}: dims must be a list of [rows, columns], got ${shown(dims)}`);
    const number = (n) => (isCount(n) ? Number(n) : n), pair = (shape) => itemsOf(shape)?.map(number)
        ?? invalid(`${what}: dims must be a list of [rows, columns], got ${shown(shape)} in it`);
    const shapes = Array.from(dims, pair);
    const { layers, capLayer, capSize, tallest } = planOf(shapes, arity, options.capHeight ?? 0);
    const rowBytes = shapes.reduce((sum, [, columns]) => sum + width * columns, 0);

    let indices, rows, siblings, tops;
    try {
        if (opening.indices !== undefined && opening.index !== undefined) return false; // which is claimed?
        indices = [...(opening.indices ?? [opening.index])].map(number);
        rows = toBytes(opening.rows, what);
        siblings = [...opening.siblings].map(digestOrNull);
        tops = [...cap].map(digestOrNull);
    } catch (error) {
        if (error instanceof TypeError || error instanceof MerklizeError) return false;
        throw error;
    }
    const isPlaced = (index, i) => Number.isSafeInteger(index) && index >= 0 && index < tallest
        && (i === 0 || index > indices[i - 1]);
    const areFine = indices.length > 0 && indices.every(isPlaced)
        && rows.length === rowBytes * indices.length && tops.length === capSize
        && [...tops, ...siblings].every((digest) => digest !== null)
        && [joined(tops), joined(siblings), rows].every((words) => m.firstNotElement(kind, words) < 0);
    if (!areFine) return false;
    const word = (at) => new DataView(rows.buffer, rows.byteOffset).getUint32(at, true);
    if (p) for (let at = 0; at < rows.length; at += 4) if (word(at) >= p) return false;

    /** The rows of opening i that belong to a layer, side by side. */
    const rowsAt = (i, layer) => {
        const parts = [];
        let at = i * rowBytes;
        shapes.forEach(([, columns], matrix) => {
            if (layer.matrices.includes(matrix)) parts.push(...rows.subarray(at, at + width * columns));
            at += width * columns;
        });
        return Uint8Array.from(parts);
    };
    const digestOfRow = (of, row) => (of.hasChunkTree ? digestOfMessage(of, row) : m.hashRows(of, row, row.length, 1));
    const rowsDigest = (i, layer) => {
        const row = rowsAt(i, layer);
        return digestOfRow(kind, p ? toMontgomery(row, p) : row);
    };
    const merge = (children) => {
        const nodes = new Uint8Array(32 * arity); // absent children are zeros
        nodes.set(joined(children));
        return arity === 2 ? m.merge(kind, nodes, null, 0) : digestOfRow(quad, nodes);
    };
    // Openings below one node must agree on the rows that are hashed into it and into nodes above it.
    const agree = (i, j, from) => i === j
        || layers.slice(from).every((layer) => equal(rowsAt(i, layer), rowsAt(j, layer)));

    let level = indices.map((index, i) => ({ index, owner: i, node: rowsDigest(i, layers[0]) })), next = 0;
    for (let l = 0; l < capLayer; l++) {
        const above = [], { step } = layers[l];
        for (let i = 0; i < level.length; ) {
            const index = Math.floor(level[i].index / step), { owner } = level[i], children = [];
            for (let child = index * step; child < (index + 1) * step; child++) {
                if (i < level.length && level[i].index === child) {
                    if (!agree(owner, level[i].owner, l + 1)) return false;
                    children.push(level[i++].node);
                } else if (next < siblings.length) {
                    children.push(siblings[next++]);
                } else {
                    return false;
                }
            }
            let node = merge(children);
            if (layers[l + 1].matrices.length > 0) node = merge([node, rowsDigest(owner, layers[l + 1])]);
            above.push({ index, owner, node });
        }
        level = above;
    }
    return next === siblings.length
        && level.every(({ index, node }) => index < tops.length && equal(node, tops[index]));
}

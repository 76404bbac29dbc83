// formats.js: the values that the option `format` of a tree fixes (docs/formats.md), as in the table in src/formats.
import { findHashById, invalid, shown, unknown } from './common.js';

// Hashes by id, which never changes. isHashed: a message becomes a leaf by the same hash; else leaves are given.
const formats = {
    merklize: { id: 0, rule: 'left_full', isHashed: true, isKeyed: true },
    rfc6962: { id: 4, rule: 'left_full', isHashed: true },
    bitcoin: { id: 33, rule: 'duplicate_last', isHashed: true, isAmbiguous: true },
    ssz: { id: 32, rule: 'pad', isHashed: false },
    bittorrent_v2: { id: 32, rule: 'pad', isHashed: true },
    glacier: { id: 32, rule: 'left_full', isHashed: true },
    winterfell: { id: 3, rule: 'perfect', isHashed: true },
    miden: { id: 37, rule: 'perfect', isHashed: true },
    plonky3: { id: 18, rule: 'perfect', isHashed: true },
};

/** {hash, rule, isHashed, isAmbiguous} of a format; null without one. 'merklize' takes key and context: BLAKE3's. */
export function formatOf(options, what) {
    const { format } = options;
    if (format === undefined) return null;
    if (typeof format !== 'string' || !Object.hasOwn(formats, format))
        unknown(what, 'format', format, Object.keys(formats));
    const { id, ...found } = formats[format], fixed = { ...found, name: format, hash: findHashById(id).name };
    for (const name of ['hash', 'rule', 'padding', ...fixed.isKeyed ? [] : ['key', 'context']]) {
        if (options[name] !== undefined && options[name] !== fixed[name])
            invalid(`${what}: format '${format}' fixes ${name}: leave it out, got ${shown(options[name])}`);
    }
    return fixed;
}

/** Refuses a list of leaves that shares its root with another list, which some formats allow. */
export function requireUnambiguous(format, level, nodes, what) {
    const n = nodes.length / 32;
    if (!format?.isAmbiguous || n % 2 !== 0) return;
    if (nodes.subarray(-64, -32).every((byte, i) => byte === nodes.at(i - 32)))
        invalid(`${what}: format '${format.name}': the last two of the ${n} nodes of level ${level} are equal, so `
            + `a list without those below the last has the same root (CVE-2012-2459)`);
}

// web_short.mjs: digests of messages in Node, beside hash-wasm's synchronous hasher, and PieceCIDs beside
// @web3-storage/data-segment, in turns.
//
//   make wasm
//   npm install --prefix build/node-bench --no-save hash-wasm@4.12.0 @web3-storage/data-segment@5.3.0
//   node bench/web_short.mjs [--turns 15] [--package FILE] [--note TEXT] [--json FILE]
//
// CPU time of the process per call (process.cpuUsage), because other programs may use the same cores: the lowest turn
// of each, and the median of the ratios of neighbouring turns. --package is another build's merklize.js, to compare
// with.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus, release } from 'node:os';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const root = new URL('..', import.meta.url);
const option = (name, otherwise) => {
    const at = process.argv.indexOf(`--${name}`);
    return at < 0 ? otherwise : process.argv[at + 1];
};
const built = option('package');
const m = await import(built ? pathToFileURL(resolve(built)) : new URL('build/web/merklize/merklize.js', root));
const { createBLAKE3, createSHA256 } = createRequire(new URL('build/node-bench/', root))('hash-wasm');
const { Piece } = await import(new URL('build/node-bench/node_modules/@web3-storage/data-segment/src/lib.js', root));

const sizes = [0, 32, 64, 256, 1024, 4096, 65536, 1 << 20];
const hashing = (hash, hasher, how = { hash }) => ({
    hash, sizes, cost: 1, peer: 'hash_wasm', text: m.toHex,
    callsOf: (data) => [() => m.hash(data, how), () => hasher.init().update(data).digest('binary')],
});
const jobs = [hashing('blake3', await createBLAKE3()), hashing('sha256', await createSHA256()), {
    hash: 'piece_cid', sizes: [127, 8128, 260096], cost: 64, peer: 'data_segment', text: String,
    callsOf: (data) => [() => m.pieceCid(data).v2, () => Piece.fromPayload(data).link.toString()],
}]; // cost: a job of a higher one is repeated fewer times
const turns = Number(option('turns', 15));
const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];

function cpuNanoseconds(job, calls) {
    const begin = process.cpuUsage();
    for (let i = 0; i < calls; i++) job();
    const { user, system } = process.cpuUsage(begin);
    return ((user + system) * 1000) / calls;
}

const rows = [];
for (const { hash, sizes, cost, peer, callsOf, text } of jobs) {
    for (const bytes of sizes) {
        const data = Uint8Array.from({ length: bytes }, (_, i) => (i * 2654435761) >>> 13);
        const [ours, theirs] = callsOf(data), found = [ours, theirs].map((job) => text(job()));
        if (found[0] !== found[1]) throw new Error(`${hash} of ${bytes} bytes: ${found.join(', not ')}`);
        const calls = Math.max(2, Math.min(60000, Math.ceil(2e7 / cost / (bytes + 100))));
        const times = [], others = [];
        for (let turn = -2; turn < turns; turn++) {
            const pair = [cpuNanoseconds(ours, calls), cpuNanoseconds(theirs, calls)];
            if (turn < 0) continue; // the engine compiles
            times.push(pair[0]);
            others.push(pair[1]);
        }
        const ratios = times.map((time, i) => time / others[i]);
        rows.push({
            hash, bytes, ns: Math.min(...times), [`${peer}_ns`]: Math.min(...others), ratio: median(ratios),
            lowest_ratio: Math.min(...ratios), highest_ratio: Math.max(...ratios), turns,
        });
        const { ns, [`${peer}_ns`]: peerNs, ratio } = rows.at(-1);
        console.log(`${hash.padEnd(14)} ${String(bytes).padStart(8)} bytes: ${ns.toFixed(0)} ns, ${peer} ${peerNs.toFixed(0)} ns, ${ratio.toFixed(2)} of its time`);
    }
}
const file = option('json');
const git = (...words) => execFileSync('git', words, { cwd: root, encoding: 'utf8' }).trim();
const content = {
    date: new Date().toISOString().slice(0, 10), machine: cpus()[0].model, cpus: cpus().length, system: `Linux-${release()}`,
    commit: git('rev-parse', '--short', 'HEAD'), note: option('note', ''), engine: `Node ${process.versions.node}`,
    peer: 'hash-wasm 4.12.0, @web3-storage/data-segment 5.3.0', simd: m.simd(), rows,
};
if (file) writeFileSync(file, JSON.stringify(content, null, 1) + '\n');

// web_short.mjs: digests of short messages in Node: this package and hash-wasm's synchronous hasher, in turns.
//
//   make wasm
//   npm install --prefix build/node-bench --no-save hash-wasm@4.12.0
//   node bench/web_short.mjs [--turns 15] [--package FILE] [--note TEXT] [--json FILE]
//
// CPU time of the process per call (process.cpuUsage), because other programs may use the same cores: the lowest turn of each, and the
// median of the ratios of neighbouring turns. --package is another build's merklize.js, to compare with.
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

const peers = { blake3: await createBLAKE3(), sha256: await createSHA256() };
const turns = Number(option('turns', 15));
const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];

function cpuNanoseconds(job, calls) {
    const begin = process.cpuUsage();
    for (let i = 0; i < calls; i++) job();
    const { user, system } = process.cpuUsage(begin);
    return ((user + system) * 1000) / calls;
}

const rows = [];
for (const [hash, peer] of Object.entries(peers)) {
    for (const bytes of [0, 32, 64, 256, 1024, 4096, 65536, 1 << 20]) {
        const data = Uint8Array.from({ length: bytes }, (_, i) => (i * 2654435761) >>> 13), how = { hash };
        const ours = () => m.hash(data, how), theirs = () => peer.init().update(data).digest('binary');
        if (m.toHex(ours()) !== m.toHex(theirs())) throw new Error(`${hash} of ${bytes} bytes: ${m.toHex(ours())}, not ${m.toHex(theirs())}`);
        const calls = Math.max(20, Math.min(60000, Math.ceil(2e7 / (bytes + 100))));
        const times = [], others = [];
        for (let turn = -2; turn < turns; turn++) {
            const pair = [cpuNanoseconds(ours, calls), cpuNanoseconds(theirs, calls)];
            if (turn < 0) continue; // the engine compiles
            times.push(pair[0]);
            others.push(pair[1]);
        }
        const ratios = times.map((time, i) => time / others[i]);
        rows.push({
            hash, bytes, ns: Math.min(...times), hash_wasm_ns: Math.min(...others), ratio: median(ratios),
            lowest_ratio: Math.min(...ratios), highest_ratio: Math.max(...ratios), turns,
        });
        const { ns, hash_wasm_ns: peerNs, ratio } = rows.at(-1);
        console.log(`${hash.padEnd(14)} ${String(bytes).padStart(8)} bytes: ${ns.toFixed(0)} ns, hash-wasm ${peerNs.toFixed(0)} ns, ${ratio.toFixed(2)} of its time`);
    }
}
const file = option('json');
const git = (...words) => execFileSync('git', words, { cwd: root, encoding: 'utf8' }).trim();
const content = {
    date: new Date().toISOString().slice(0, 10), machine: cpus()[0].model, cpus: cpus().length, system: `Linux-${release()}`,
    commit: git('rev-parse', '--short', 'HEAD'), note: option('note', ''), engine: `Node ${process.versions.node}`,
    peer: 'hash-wasm 4.12.0', simd: m.simd(), rows,
};
if (file) writeFileSync(file, JSON.stringify(content, null, 1) + '\n');

// web.mjs: BLAKE3 of 64 MiB in JavaScript: this package, blake3-wasm and @noble/hashes, in turns; then eight times as
// much by 1, 2, 4 ... workers, also in turns.
//
//   make wasm
//   npm install --prefix build/node-bench --no-save blake3-wasm@2.1.5 @noble/hashes@2.4.0 playwright-core@1.65.1
//   node bench/web.mjs [--browser CHROMIUM] [--mib 64] [--turns 9] [--note TEXT] [--json FILE]
//
// In a worker of its own. Rates are medians, with the lowest and the highest. With --browser everything runs in that
// browser instead. `of linear` is the rate of w workers against w times that of one. What bounds it is measured beside:
// the calling thread copies bytes for the workers, and the browser hands out a Blob's, each at a rate that more workers
// do not raise; and on a machine of as many cores as workers the calling thread and the browser take their time from
// the workers.
import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism, cpus, release } from 'node:os';
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';

const root = new URL('..', import.meta.url);
const packages = new URL('build/node-bench/node_modules/', root);
const sources = {
    merklize: 'build/web/merklize/merklize.js',
    noble: 'build/node-bench/node_modules/@noble/hashes/blake3.js',
    wasm: 'build/node-bench/node_modules/blake3-wasm/dist/wasm/web/blake3_js.js',
    module: 'build/node-bench/node_modules/blake3-wasm/dist/wasm/web/blake3_js_bg.wasm',
};

/** What a worker does, here or in a browser. at(name) is the address of a source. */
async function measure(at, bytesOf, { mib, turns, cores }, tell) {
    const m = await import(at('merklize')), { blake3 } = await import(at('noble')), other = await import(at('wasm'));
    await other.default(await bytesOf('module'));
    const data = Uint8Array.from({ length: mib << 20 }, (_, i) => (i * 2654435761) >>> 13);
    const hex = (digest) => Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
    const contenders = {
        'merklize': () => (m.simd(true), m.hash(data)),
        'merklize, without vector instructions': () => (m.simd(false), m.hash(data)),
        'blake3-wasm 2.1.5': () => { const out = new Uint8Array(32); other.hash(data, out); return out; },
        '@noble/hashes 2.4.0': () => blake3(data),
    };
    const times = {};
    let expected = null;
    for (let turn = 0; turn <= turns; turn++) {
        for (const [name, job] of Object.entries(contenders)) {
            if (name.startsWith('@noble') && turn > 2) continue; // twenty times as slow as the others
            const begin = performance.now(), digest = hex(job()), time = performance.now() - begin;
            expected ??= digest;
            if (digest !== expected) throw new Error(`${name}: ${digest}, not ${expected}`);
            if (turn > 0) (times[name] ??= []).push(time);
        }
    }
    m.simd(true);
    const large = new Uint8Array(8 * data.length), blob = new Blob([large]), piece = 1 << 22, copy = new Uint8Array(piece), rounds = Math.max(3, turns >> 1);
    const all = async (read) => {
        for (let at = 0; at < large.length; at += piece) await read(at);
    };
    const jobs = { 'copies of the bytes alone': () => all((at) => copy.set(large.subarray(at, at + piece))) };
    jobs['reading the Blob alone'] = () => all((at) => blob.slice(at, at + piece).arrayBuffer());
    for (let workers = 1; workers <= cores; workers *= 2) {
        jobs[`bytes, ${workers} workers`] = () => m.hashFile(large, { workers });
        jobs[`a Blob, ${workers} workers`] = () => m.hashFile(blob, { workers });
    }
    for (let turn = 0; turn <= rounds; turn++) {
        for (const [name, job] of Object.entries(jobs)) {
            const begin = performance.now();
            await job();
            const time = ((performance.now() - begin) * data.length) / large.length;
            if (turn > 0) (times[name] ??= []).push(time);
        }
    }
    tell({ times, bytes: data.length, simd: m.simd() });
}

const option = (name, otherwise) => {
    const at = process.argv.indexOf(`--${name}`);
    return at < 0 ? otherwise : process.argv[at + 1];
};

async function inBrowser(executablePath, options) {
    const { chromium } = createRequire(packages)('playwright-core');
    const mime = { js: 'text/javascript', wasm: 'application/wasm' };
    const script = `(${measure})((name) => '/' + name + '.js', async () => (await fetch('/module.wasm')).arrayBuffer(), ${JSON.stringify(options)}, (all) => postMessage(all));`;
    const server = createServer((request, response) => {
        const name = request.url.slice(1).replace(/\.\w+$/, ''), path = sources[name];
        if (request.url === '/' || request.url === '/worker.js') {
            response.setHeader('content-type', request.url === '/' ? 'text/html' : mime.js);
            return response.end(request.url === '/' ? '<!doctype html><title>bench</title>' : script);
        }
        try {
            // noble's modules import their neighbours.
            const file = path ? new URL(path, root) : new URL(`@noble/hashes/${request.url.slice(1)}`, packages);
            response.setHeader('content-type', mime[file.href.split('.').at(-1)] ?? mime.js);
            response.end(readFileSync(file));
        } catch {
            response.writeHead(404).end();
        }
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.on('listening', resolve));
    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
    try {
        const tab = await browser.newPage();
        await tab.goto(`http://127.0.0.1:${server.address().port}/`);
        const found = await tab.evaluate(() => new Promise((resolve, reject) => {
            const worker = new Worker('/worker.js', { type: 'module' });
            worker.onmessage = (event) => resolve(event.data);
            worker.onerror = (event) => reject(new Error(event.message));
        }));
        return { ...found, engine: `Chromium ${browser.version()}` };
    } finally {
        await browser.close();
        server.close();
    }
}

async function inNode(options) {
    const worker = new Worker(new URL(import.meta.url), { workerData: options });
    const found = await new Promise((resolve, reject) => worker.on('message', resolve).on('error', reject));
    return { ...found, engine: `Node ${process.versions.node}` };
}

if (!isMainThread) {
    await measure((name) => new URL(sources[name], root).href, async (name) => readFileSync(new URL(sources[name], root)), workerData, (all) => parentPort.postMessage(all));
} else {
    const options = { mib: Number(option('mib', 64)), turns: Number(option('turns', 9)), cores: availableParallelism() };
    const browser = option('browser');
    const { times, bytes, engine, simd } = browser ? await inBrowser(browser, options) : await inNode(options);
    const rates = Object.entries(times).map(([name, list]) => {
        const sorted = list.map((time) => bytes / 1e6 / time).sort((a, b) => a - b);
        return { name, gb_s: sorted[sorted.length >> 1], lowest: sorted[0], highest: sorted.at(-1), turns: sorted.length };
    });
    for (const row of rates) {
        const [, source, workers] = row.name.match(/^(.*), (\d+) workers$/) ?? [];
        if (workers) row.of_linear = row.gb_s / workers / rates.find(({ name }) => name === `${source}, 1 workers`).gb_s;
    }
    console.log(`${engine}, ${cpus()[0].model}, ${options.cores} cores, vector instructions: ${simd}`);
    for (const { name, gb_s: rate, lowest, highest, of_linear: share } of rates) {
        const beside = share ? `${share.toFixed(2)} of linear` : `merklize ${(rates[0].gb_s / rate).toFixed(2)}x`;
        console.log(`${name.padEnd(45)} ${rate.toFixed(3)} GB/s (${lowest.toFixed(3)} to ${highest.toFixed(3)}), ${beside}`);
    }
    const file = option('json');
    const git = (...words) => execFileSync('git', words, { cwd: root, encoding: 'utf8' }).trim();
    const row = {
        date: new Date().toISOString().slice(0, 10), machine: cpus()[0].model, cpus: options.cores, system: `Linux-${release()}`,
        commit: git('rev-parse', '--short', 'HEAD'), note: option('note', ''), engine, mib: options.mib, simd, rates,
    };
    if (file) writeFileSync(file, JSON.stringify(row, null, 1) + '\n');
}

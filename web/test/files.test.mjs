// Files and streams: workers, cancelling, no workers; and the package as it is published.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
    appendFileSync, closeSync, existsSync, mkdtempSync, openSync, readFileSync, readdirSync, readlinkSync, renameSync, rmSync, statSync, truncateSync, writeFileSync, writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { both, bytes, counted, folder, hex, library, merklize, needsLibrary } from './common.mjs';

const { Hasher, TreeFile, hash, hashFile, verify } = merklize;

both('a file by workers has the digest of its bytes', async () => {
    const here = mkdtempSync(join(tmpdir(), 'merklize-'));
    try {
        for (const size of [0, 1000, (1 << 22) + 1, 3 * (1 << 22)]) {
            const data = counted(size), path = join(here, 'file');
            writeFileSync(path, data);
            const expected = hex(hash(data, { length: 70, seek: 3 }));
            for (const workers of [0, 2]) {
                for (const source of [path, new Blob([data]), data])
                    assert.equal(hex(await hashFile(source, { workers, length: 70, seek: 3 })), expected, `${size} bytes, ${workers} workers`);
            }
            const key = counted(32);
            assert.equal(hex(await hashFile(path, { workers: 2, key })), hex(hash(data, { key })));
        }
    } finally {
        rmSync(here, { recursive: true });
    }
});

test('a file above 4 GiB, which is holes but for its last byte', async () => {
    const here = mkdtempSync(join(tmpdir(), 'merklize-'));
    try {
        const path = join(here, 'file'), size = 2 ** 32 + 5e6;
        const file = openSync(path, 'w');
        writeSync(file, 'x', size - 1);
        closeSync(file);
        let told = 0;
        const digest = await hashFile(path, { onProgress: (done) => { told = done; } });
        assert.equal(told, size);
        assert.equal(hex(digest), '66318c95c52494109deee822f49913b0737fe953371b80b623a1a816477b58ec'); // of merklize hash
    } finally {
        rmSync(here, { recursive: true });
    }
});

test('progress goes up to the size', async () => {
    const blob = new Blob([counted(4 << 22)]);
    for (const workers of [0, 2]) {
        const seen = [];
        await hashFile(blob, { workers, onProgress: (done, size) => seen.push([done, size]) });
        assert.equal(seen.length, 4);
        assert.deepEqual(seen.at(-1), [blob.size, blob.size]);
    }
});

test('a signal cancels: before the call, after it, in the first and in the last progress', async () => {
    const here = mkdtempSync(join(tmpdir(), 'merklize-')), path = join(here, 'file'), data = counted(3 << 22), reason = new Error('enough');
    try {
        writeFileSync(path, data);
        const tree = await TreeFile.open(treeOf(13)), calls = [(how) => tree.check(how)];
        for (const source of [data, new Blob([data]), path, data.subarray(0, 100), new Uint8Array(0)])
            for (const workers of [0, 2]) calls.push((how) => hashFile(source, { workers, ...how }));
        for (const call of calls) {
            await assert.rejects(call({ signal: AbortSignal.abort(reason) }), reason);
            const after = new AbortController(), made = call({ signal: after.signal });
            after.abort(reason);
            await assert.rejects(made, reason);
            let last = 0;
            await call({ signal: new AbortController().signal, onProgress: () => last++ });
            for (const which of new Set([1, last].slice(0, last))) {
                const stop = new AbortController();
                let told = 0;
                await assert.rejects(call({ signal: stop.signal, onProgress: () => ++told === which && stop.abort(reason) }), reason, `progress ${which} of ${last}`);
            }
            for (const wrong of [{}, 5, 0, '', true, new AbortController()])
                await assert.rejects(call({ signal: wrong }), { name: 'MerklizeError', code: 'invalid_argument', message: /^(hashFile|TreeFile\.check): signal must be an AbortSignal such as new AbortController\(\)\.signal, got / });
            await assert.rejects(call({ onProgress: 5 }), { name: 'MerklizeError', message: /: onProgress must be a function, got 5$/ });
        }
    } finally {
        rmSync(here, { recursive: true });
    }
});

test('errors of files are told', async () => {
    await assert.rejects(hashFile('/no/such/file'), /no such file|ENOENT|Unable to open/i);
    await assert.rejects(hashFile('/'), /\/ is not a regular file/);
    await assert.rejects(hashFile(7), { code: 'invalid_argument' });
    await assert.rejects(hashFile(new Uint8Array(1), { workers: -1 }), /workers must be an integer >= 0, got -1/);
});

test('a file that does not have the size that it states gives the bytes that it has', async () => {
    const paths = ['/proc/version', '/sys/kernel/mm/transparent_hugepage/enabled', '/sys/kernel/uevent_seqnum'].filter((path) => existsSync(path));
    const here = mkdtempSync(join(tmpdir(), 'merklize-'));
    try {
        writeFileSync(join(here, 'empty'), '');
        for (const path of [...paths, join(here, 'empty')]) {
            const data = new Uint8Array(readFileSync(path));
            for (const how of [{}, { workers: 0 }, { hash: 'sha256' }]) assert.equal(hex(await hashFile(path, how)), hex(await hashFile(data, how)), path);
            assert.equal(hex(await hashFile(pathToFileURL(path))), hex(await hashFile(data)), path);
        }
    } finally {
        rmSync(here, { recursive: true });
    }
});

/** The bytes of a tree file of this number of leaves. */
const treeOf = (n) => bytes(library.trees.find(({ n_leaves: leaves, rule, hash: name, key }) => leaves === n && rule === 'left_full' && name === 'blake3' && !key).file);

/** Ways of another process to change a file. The clock of files has ticks, so a file is written to until it tells. */
const changes = {
    grows: (path) => appendFileSync(path, 'more'),
    'becomes shorter': (path) => truncateSync(path, 100),
    'is rewritten': (path) => {
        const before = statSync(path, { bigint: true });
        do writeFileSync(path, new Uint8Array(Number(before.size)).fill(1)); while (statSync(path, { bigint: true }).mtimeNs === before.mtimeNs);
    },
    'is replaced': (path) => {
        writeFileSync(`${path}.new`, new Uint8Array(statSync(path).size).fill(1));
        renameSync(`${path}.new`, path);
    },
};

test('a file that changes after it was opened', async (t) => {
    const here = mkdtempSync(join(tmpdir(), 'merklize-')), path = join(here, 'file');
    const isOpen = () => existsSync('/proc/self/fd') && readdirSync('/proc/self/fd').some((name) => {
        try {
            return readlinkSync(`/proc/self/fd/${name}`).startsWith(path);
        } catch {
            return false; // that of readdirSync() itself
        }
    });
    const io = (what, opener) => ({ name: 'MerklizeError', code: 'io', message: `${what}: the file changed while it was read: call ${opener} again` });
    try {
        for (const [how, change] of Object.entries(changes)) {
            for (const workers of [0, 1, 2]) {
                writeFileSync(path, new Uint8Array(6 << 22));
                let told = 0;
                const onProgress = () => ++told === 1 && change(path);
                await assert.rejects(hashFile(path, { workers, onProgress }), io('hashFile', 'hashFile'), `${how}, ${workers} workers`);
                assert.equal(isOpen(), false);
            }
            if (!library) continue;
            const data = treeOf(13), calls = {
                read: (tree) => tree.read(0, 0, 5), prove: (tree) => tree.prove(3), proveTogether: (tree) => tree.proveTogether([1, 9]), proveRange: (tree) => tree.proveRange(2, 5),
                proveConsistency: (tree) => tree.proveConsistency(5), check: (tree) => tree.check(),
            };
            writeFileSync(path, data);
            const tree = await TreeFile.open(path);
            assert.equal(verify(await tree.prove(3), tree.root), true);
            for (const call of Object.values(calls)) await call(tree);
            assert.equal(isOpen(), false);
            change(path);
            for (const [name, call] of Object.entries(calls)) await assert.rejects(call(tree), io(`TreeFile.${name}`, 'TreeFile.open'), how);
        }
        if (!library) return t.diagnostic(needsLibrary.skip);
        for (const name of [path, pathToFileURL(path)]) {
            writeFileSync(path, treeOf(5));
            assert.equal(hex(await (await TreeFile.open(name)).read(0, 0, 5)), hex(treeOf(5).subarray(128, 128 + 160)));
        }
        await assert.rejects(TreeFile.open(join(here, 'none')), { code: 'ENOENT' });
    } finally {
        rmSync(here, { recursive: true });
    }
});

test('bytes of a tree file that are gone', needsLibrary, async () => {
    const data = treeOf(13), tree = await TreeFile.open(data);
    structuredClone(data.buffer, { transfer: [data.buffer] });
    for (const [name, call] of [['read', () => tree.read(0, 0, 1)], ['prove', () => tree.prove(3)], ['check', () => tree.check()]])
        await assert.rejects(call(), { name: 'MerklizeError', message: `TreeFile.${name}: source has lost its bytes: their buffer was transferred, or became shorter` });
});

test('a stream', async () => {
    const data = counted(1000000);
    const hasher = await new Hasher().updateFrom(new Blob([data]).stream());
    assert.equal(hex(hasher.digest()), hex(hash(data)));
});

test('a stream of what are no bytes is cancelled, with the reason', async () => {
    let reason = null;
    const stream = new ReadableStream({ pull: (to) => to.enqueue('text'), cancel: (why) => { reason = why; } });
    await assert.rejects(new Hasher().updateFrom(stream), (error) => /^Hasher\.updateFrom: |^Hasher\.update: /.test(error.message) && error === reason);
    assert.equal(stream.locked, false);
    const failed = new Error('the network');
    await assert.rejects(new Hasher().updateFrom(new ReadableStream({ pull: (to) => to.error(failed) })), failed);
});

test('a URL in place of a path shows no secret', async () => {
    const table = JSON.parse(readFileSync(new URL('../../tests/vectors/urls_with_secrets.json', import.meta.url), 'utf8'));
    for (const url of [...table.urls, ...table.names, ...table.more_urls, ...table.more_names, 'https ://h?s3cr3t']) {
        for (const source of [url, ...(URL.canParse(url) ? [new URL(url)] : [])])
            await assert.rejects(hashFile(source), (error) => !/s3cr3t/.test(`${error.stack} ${error.message} ${error.path}`) && !/s3cr3t/.test(String(error.cause)));
    }
    await assert.rejects(hashFile('no/such file'), { code: 'ENOENT' });
});

test('the package is below 107 kB compressed', () => {
    let total = 0;
    for (const name of readdirSync(folder, { recursive: true })) {
        const file = new URL(name, folder);
        if (statSync(file).isFile()) total += gzipSync(readFileSync(file), { level: 9 }).length;
    }
    assert.ok(total < 107000, `${total} bytes`);
});

test('without zlib of Node the modules are unpacked as browsers do it', () => {
    const code = `process.getBuiltinModule = undefined;
        const m = await import('${new URL('merklize.js', folder)}');
        console.log(m.simd(), m.toHex(m.hash(new Uint8Array(3))));`;
    const out = execFileSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' });
    assert.equal(out, `${merklize.simd()} ${hex(hash(new Uint8Array(3)))}\n`);
});

test('the types name what the module exports', () => {
    const text = readFileSync(new URL('index.d.ts', folder), 'utf8');
    const typed = [...text.matchAll(/^export (?:class|function|const) (\w+)/gm)].map(([, name]) => name);
    assert.deepEqual([...new Set(typed)].sort(), Object.keys(merklize).sort()); // a function may have several types
});

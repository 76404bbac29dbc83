// Files and streams: workers, cancelling, no workers; and the package as it is published.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, statSync, readdirSync, rmSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { both, counted, folder, hex, library, merklize, needsLibrary } from './common.mjs';

const { Hasher, TreeFile, hash, hashFile } = merklize;

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

test('progress goes up to the size, and a signal cancels', async () => {
    const blob = new Blob([counted(4 << 22)]);
    for (const workers of [0, 2]) {
        const seen = [];
        await hashFile(blob, { workers, onProgress: (done, size) => seen.push([done, size]) });
        assert.equal(seen.length, 4);
        assert.deepEqual(seen.at(-1), [blob.size, blob.size]);
        const stop = new AbortController();
        const reason = new Error('enough');
        await assert.rejects(hashFile(blob, { workers, signal: stop.signal, onProgress: () => stop.abort(reason) }), reason);
    }
    await assert.rejects(hashFile(blob, { signal: AbortSignal.abort() }), { name: 'AbortError' });
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

test('a file that becomes shorter while it is read', needsLibrary, async () => {
    const here = mkdtempSync(join(tmpdir(), 'merklize-'));
    try {
        const path = join(here, 'file'), shorter = () => truncateSync(path, 100);
        for (const workers of [0, 1]) {
            writeFileSync(path, new Uint8Array(9 << 22));
            await assert.rejects(hashFile(path, { workers, onProgress: shorter }), { name: 'MerklizeError', code: 'io', message: /^hashFile: the file changed while it was read: / });
        }
        const tree = Buffer.from(library.trees.find(({ n_leaves: n }) => n === 5).file, 'hex');
        writeFileSync(path, tree);
        for (const name of [path, pathToFileURL(path)]) {
            const file = await TreeFile.open(name);
            assert.equal(hex(await file.read(0, 0, 5)), hex(tree.subarray(128, 128 + 160)));
        }
        const file = await TreeFile.open(path);
        shorter();
        await assert.rejects(file.read(0, 0, 5), { name: 'MerklizeError', code: 'io', message: 'TreeFile.read: the file changed while it was read: it ends at byte 128' });
        await assert.rejects(TreeFile.open(join(here, 'none')), { code: 'ENOENT' });
    } finally {
        rmSync(here, { recursive: true });
    }
});

test('a stream', async () => {
    const data = counted(1000000);
    const hasher = await new Hasher().updateFrom(new Blob([data]).stream());
    assert.equal(hex(hasher.digest()), hex(hash(data)));
});

test('a URL in place of a path shows no secret', async () => {
    const table = JSON.parse(readFileSync(new URL('../../tests/vectors/urls_with_secrets.json', import.meta.url), 'utf8'));
    for (const url of [...table.urls, ...table.names, ...table.more_urls, ...table.more_names, 'https ://h?s3cr3t']) {
        for (const source of [url, ...(URL.canParse(url) ? [new URL(url)] : [])])
            await assert.rejects(hashFile(source), (error) => !/s3cr3t/.test(`${error.stack} ${error.message} ${error.path}`) && !/s3cr3t/.test(String(error.cause)));
    }
    await assert.rejects(hashFile('no/such file'), { code: 'ENOENT' });
});

test('the package is below 105 kB compressed', () => {
    let total = 0;
    for (const name of readdirSync(folder, { recursive: true })) {
        const file = new URL(name, folder);
        if (statSync(file).isFile()) total += gzipSync(readFileSync(file), { level: 9 }).length;
    }
    assert.ok(total < 105000, `${total} bytes`);
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

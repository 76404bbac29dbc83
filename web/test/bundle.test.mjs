// The package in bundles for browsers, as webpack, esbuild and Vite make them with their defaults for production, in
// Chromium.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { chromium, packageNamed } from './browser.mjs';
import { counted, folder, hex, merklize } from './common.mjs';

const path = chromium(), playwright = await packageNamed('playwright-core');
const webpack = await packageNamed('webpack'), esbuild = await packageNamed('esbuild'), vite = await packageNamed('vite');
const missing = !path ? 'no Chromium' : !playwright ? 'no playwright-core' : !webpack || !esbuild || !vite ? 'no bundlers in MERKLIZE_NODE_MODULES' : null;
if (missing && process.env.MERKLIZE_REQUIRE_RUNTIMES) throw new Error(missing);
const options = { skip: missing ?? false };

// A file that is long enough for workers, whose program is a text of functions that a bundler may have changed.
const program = `
    import { MerkleTree, hash, hashFile, toHex, verify } from 'merklize';

    const data = Uint8Array.from({ length: 9000000 }, (_, i) => i % 251);
    globalThis.answer = async () => {
        const tree = MerkleTree.fromMessages([data.subarray(0, 5), data.subarray(5, 9)]);
        const path = await hashFile('name').catch((error) => error.message);
        const file = new File([data], 'name');
        return [toHex(hash(data)), toHex(await hashFile(file)), toHex(await hashFile(file, { workers: 2 })), verify(tree.prove(1), tree.root), path];
    };
    document.body.dataset.ready = '';
`;
const bundlers = {
    webpack: (here) =>
        new Promise((resolve, reject) => {
            const output = { path: join(here, 'out'), filename: 'bundle.js' };
            webpack({ mode: 'production', context: here, entry: './main.js', output, performance: false }, (error, stats) => {
                if (error || stats.hasErrors()) reject(error ?? new Error(stats.toString()));
                else resolve(stats.compilation.warnings.map(String));
            });
        }),
    esbuild: async (here) => {
        const entryPoints = [join(here, 'main.js')], outfile = join(here, 'out/bundle.js');
        const { warnings } = await esbuild.build({ entryPoints, outfile, bundle: true, minify: true, format: 'esm', logLevel: 'silent' });
        return warnings.map(({ text }) => text);
    },
    vite: async (here) => {
        const warnings = [], logger = vite.createLogger('warn');
        logger.warn = (text) => warnings.push(text);
        const output = { entryFileNames: 'bundle.js' };
        await vite.build({ root: here, configFile: false, customLogger: logger, build: { outDir: 'out', rollupOptions: { input: join(here, 'main.js'), output } } });
        return warnings;
    },
};

let browser, here;
before(async () => {
    if (missing) return;
    browser = await playwright.chromium.launch({ executablePath: path, args: ['--no-sandbox', '--disable-gpu'], timeout: 300000 });
    here = mkdtempSync(join(tmpdir(), 'merklize-'));
    mkdirSync(join(here, 'node_modules'));
    cpSync(folder, join(here, 'node_modules/merklize'), { recursive: true });
    writeFileSync(join(here, 'main.js'), program);
    writeFileSync(join(here, 'package.json'), '{ "type": "module" }');
});
after(async () => {
    await browser?.close();
    if (here) rmSync(here, { recursive: true });
});

for (const [name, bundle] of Object.entries(bundlers)) {
    test(`${name} bundles the package without a warning, and the bundle works in a browser`, options, async () => {
        rmSync(join(here, 'out'), { recursive: true, force: true });
        assert.deepEqual(await bundle(here), []);
        const tab = await browser.newPage(), errors = [];
        tab.setDefaultTimeout(300000);
        tab.on('pageerror', (error) => errors.push(error.message));
        try {
            await tab.addScriptTag({ content: readFileSync(join(here, 'out/bundle.js'), 'utf8'), type: 'module' });
            await tab.waitForSelector('body[data-ready]', { state: 'attached' });
            const [digest, ofFile, byWorkers, verified, ofPath] = await tab.evaluate('answer()');
            const expected = hex(merklize.hash(counted(9000000)));
            assert.deepEqual([digest, ofFile, byWorkers], [expected, expected, expected]);
            assert.equal(verified, true);
            assert.match(ofPath, /a path is read in Node alone/);
            assert.deepEqual(errors, []);
        } finally {
            await tab.close();
        }
    });
}

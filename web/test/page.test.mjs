// docs/verify.html in a real browser: driven by files, by keyboard alone, and read by its accessible names.
// CHROMIUM names the browser; playwright-core is in MERKLIZE_NODE_MODULES. SCREENSHOTS=FOLDER keeps pictures.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { chromium, packageNamed } from './browser.mjs';
import { bytes, counted, hex, merklize } from './common.mjs';

const page = new URL('../../build/web/verify.html', import.meta.url);
const made = new URL('../../build/web/library.json', import.meta.url);

const path = chromium(), playwright = await packageNamed('playwright-core');
const missing = !path ? 'no Chromium' : !playwright ? 'no playwright-core' : !existsSync(made) ? 'build/web/library.json is not there' : null;
if (missing && process.env.MERKLIZE_REQUIRE_RUNTIMES) throw new Error(missing);
const options = { skip: missing ?? false };

const timeout = 300000; // limit for hangs
let browser;
before(async () => {
    if (!missing) browser = await playwright.chromium.launch({ executablePath: path, args: ['--no-sandbox', '--disable-gpu'], timeout });
});
after(() => browser?.close());

/** A page that was opened as a file, which has asked for nothing and reported no error when body is done. */
async function opened(body, context = {}, url = page.href, script = '') {
    const tab = await browser.newPage({ viewport: { width: 1100, height: 900 }, ...context });
    tab.setDefaultTimeout(timeout);
    const asked = [], errors = [];
    await tab.addInitScript(script);
    tab.on('request', (request) => /^(data|blob):/.test(request.url()) || asked.push(request.url()));
    tab.on('pageerror', (error) => errors.push(error.message));
    tab.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    try {
        await tab.goto(url);
        await tab.waitForSelector('body[data-ready]');
        await body(tab);
        assert.deepEqual(asked, [url], 'nothing is fetched');
        assert.deepEqual(errors, []);
    } finally {
        await tab.close();
    }
}
const give = (tab, ...files) =>
    tab.setInputFiles('#files', files.map(([name, data]) => ({ name, mimeType: 'application/octet-stream', buffer: Buffer.from(data) })));
const verdict = (tab, text, where = '#verdict') => tab.waitForFunction(
    ([where, text]) => { const box = document.querySelector(where); return !box.hidden && new RegExp(text).test(box.textContent); }, [where, text]);

const library = missing ? null : JSON.parse(readFileSync(made, 'utf8'));
const single = library?.proofs.find(({ json, hash, key }) => hash === 'blake3' && !key && /"merklize-proof-3"/.test(json) && /"n_leaves": ?13/.test(json));
const tree = library?.trees.find(({ hash, rule, n_leaves: n, key }) => hash === 'sha256_rfc6962' && rule === 'left_full' && n === 13 && !key);

/** The blocks of a file, of which the last one may be shorter. */
const blocksOf = (data, leafBytes) =>
    Array.from({ length: Math.ceil(data.length / leafBytes) }, (_, k) => data.subarray(leafBytes * k, leafBytes * (k + 1)));

/** The tree of a file's blocks, written as docs/file-format.md says. */
function treeFile(data, leafBytes, stated = data.length) {
    const leaves = blocksOf(data, leafBytes).map((block) => merklize.hash(block));
    const levels = [leaves];
    while (levels.at(-1).length > 1) {
        const below = levels.at(-1), level = [];
        for (let i = 0; i < below.length; i += 2) level.push(i + 1 < below.length ? merklize.merge(below[i], below[i + 1]) : below[i]);
        levels.push(level);
    }
    const head = Buffer.alloc(128);
    head.write('MKLTREE\0', 0, 'latin1');
    head.writeUInt32LE(1, 8);
    head[16] = 1;
    head.writeBigUInt64LE(BigInt(leaves.length), 24);
    head.writeBigUInt64LE(BigInt(leafBytes), 32);
    head.writeBigUInt64LE(BigInt(stated), 40);
    head.set(levels.at(-1)[0], 88);
    head.set(merklize.hash(head.subarray(0, 120)).subarray(0, 8), 120);
    return { file: Buffer.concat([head, ...levels.flat()]), root: hex(levels.at(-1)[0]) };
}

test('a proof: valid, a wrong root, a flipped bit, no proof', options, () => opened(async (tab) => {
    await give(tab, ['proof.json', single.json]);
    await verdict(tab, '^Give the root');
    await tab.fill('#root', single.root);
    await verdict(tab, '^Valid: the leaf leads to the root');
    const shown = await tab.locator('#path .digest').allTextContents();
    const proof = merklize.parseProof(single.json);
    assert.equal(shown[0], hex(proof.leaves[0]));
    assert.equal(shown.at(-1), single.root);
    for (const sibling of proof.siblings) assert.ok(shown.includes(hex(sibling)));
    await tab.fill('#count', '14');
    await verdict(tab, 'the number of leaves must be 14, the proof.s is 13');
    await tab.fill('#count', '');
    await tab.fill('#root', '00'.repeat(32));
    await verdict(tab, '^Not valid: the leaf leads to [0-9a-f]{64}, not to the root');
    for (const root of [` 0x${single.root}`, `0X${single.root.toUpperCase()}`]) {
        await tab.fill('#root', '00');
        await verdict(tab, 'must be 64 hexadecimal digits, got 2');
        await tab.fill('#root', root);
        await verdict(tab, '^Valid: the leaf leads to the root');
    }
    await tab.fill('#root', single.root);
    const wrong = bytes(single.proof);
    wrong[60] ^= 1;
    await give(tab, ['proof.mkz', wrong]);
    await verdict(tab, '^Not valid');
    await give(tab, ['proof.mkz', wrong.subarray(0, 70)]);
    await verdict(tab, 'malformed: the bytes end inside the siblings');
    await give(tab, ['proof.json', '{"format": "merklize-proof-3"']);
    await verdict(tab, 'malformed: this is no JSON');
}));

test('consistency needs both roots', options, () => opened(async (tab) => {
    const grown = library.proofs.find(({ old_root: older, root, key }) => older && older !== root && !key);
    await give(tab, ['consistency.json', grown.json]);
    await verdict(tab, '^Give both roots');
    await tab.fill('#root', grown.root);
    await tab.fill('#old-root', grown.old_root);
    await verdict(tab, '^Valid: the first');
}));

test('a tree and its file: facts, every leaf, blocks, damage', options, () => opened(async (tab) => {
    const data = counted(100000), { file, root } = treeFile(data, 4096);
    await give(tab, ['disk.mkl', file]);
    await verdict(tab, '^In order: leaf 0 leads to the root in the file');
    assert.match(await tab.textContent('#facts'), /blake3.*left_full.*25.*4,096 bytes.*100,000 bytes/s);
    await tab.fill('#root', root);
    for (const leaf of ['24', '7']) {
        await tab.fill('#leaf', leaf);
        await verdict(tab, `^Valid: leaf ${leaf}: the leaf leads to the root$`);
    }
    await tab.fill('#leaf', '25');
    await verdict(tab, 'must be 0 to 24');
    await tab.fill('#leaf', '7');
    await tab.click('#all-nodes');
    await verdict(tab, '^In order', '#outcome');
    await give(tab, ['disk.img', data]);
    await tab.click('#check-block');
    await verdict(tab, '^The same: block 7 of disk.img', '#outcome');
    await tab.click('#check-all');
    await verdict(tab, '^The same: all 25 blocks', '#outcome');
    const damaged = data.slice();
    damaged[3 * 4096 + 5] ^= 1;
    await give(tab, ['disk.img', damaged]);
    await tab.click('#check-all');
    await verdict(tab, '^Not the same: 1 of 25 blocks differ: 3', '#outcome');
    const broken = Buffer.from(file);
    broken[128 + 32 * 26] ^= 1;
    await give(tab, ['broken.mkl', broken]);
    await tab.click('#all-nodes');
    await verdict(tab, '^Damaged: node 1 of level 1', '#outcome');
    await give(tab, ['short.mkl', file.subarray(0, 500)]);
    await verdict(tab, 'Not valid.*the file must have');
}));

test('as soon as a file is there, the verdict is about the file', options, () => opened(async (tab) => {
    const data = counted(393216), { file, root } = treeFile(data, 65536);
    const damaged = data.slice();
    damaged[200000] ^= 1;
    const wrong = '^Damaged: block 3 of 6, bytes 196608 to 262144$';
    const kind = () => tab.getAttribute('#verdict', 'class');
    // Dropped together: it is compared by itself, and no click on anything else hides what was found.
    await tab.fill('#root', root);
    await give(tab, ['disk.mkl', file], ['disk.img', damaged]);
    await verdict(tab, wrong);
    assert.equal(await kind(), 'verdict bad');
    for (const leaf of ['0', '3', '5']) {
        await tab.fill('#leaf', leaf);
        await tab.click('#check-block');
        await verdict(tab, leaf === '3' ? '^Not the same' : '^The same', '#outcome');
        await verdict(tab, wrong);
    }
    await tab.click('#all-nodes');
    await verdict(tab, '^In order', '#outcome');
    await verdict(tab, wrong);
    await give(tab, ['disk.img', data]);
    await verdict(tab, '^Valid: all 6 blocks of disk.img are as the root says$');
    assert.equal(await kind(), 'verdict good');
    await tab.fill('#root', '');
    await verdict(tab, '^In order: all 6 blocks of disk.img are as the tree file says; Root is empty');
    assert.equal(await kind(), 'verdict ');
    await tab.fill('#root', '0'.repeat(64));
    await verdict(tab, '^Not valid: leaf');
    await tab.fill('#root', root);
    for (const [name, bytes] of [['short.img', data.subarray(0, 300000)], ['long.img', counted(400000)]]) {
        await give(tab, [name, bytes]);
        await verdict(tab, '^Damaged: the file has [57] blocks of 65536 bytes, the tree 6 leaves');
    }
    // A leaf that fits the damage, in a tree whose other nodes do not.
    const forged = Buffer.from(file);
    Buffer.from(merklize.hash(damaged.subarray(196608, 262144))).copy(forged, 128 + 3 * 32);
    await give(tab, ['disk.mkl', forged], ['disk.img', damaged]);
    await verdict(tab, '^(Damaged tree file: node 1 of level 1|Not valid)');
    // A proof of one leaf and the file.
    await give(tab, ['disk.mkl', file]);
    const proof = merklize.MerkleTree.fromMessages(blocksOf(data, 65536)).prove(3);
    await give(tab, ['proof.json', Buffer.from(proof.toJson())]);
    await verdict(tab, '^disk.img is not compared yet: the proof is valid, and shows no file');
    await tab.click('#check-block');
    await verdict(tab, '^Damaged: block 3, bytes 196608 to 262144, of disk.img is not');
    await give(tab, ['disk.img', data]);
    await verdict(tab, '^disk.img is not compared yet');
    await tab.click('#check-block');
    await verdict(tab, '^Valid: block 3, bytes 196608 to 262144, of disk.img is as the root says');
}));

/** After hold(), the next read of a file waits for release(). */
const heldReads = `
    const read = Blob.prototype.arrayBuffer, held = [];
    let reading = 0, holds = false;
    Blob.prototype.arrayBuffer = async function () {
        reading++;
        if (holds) await new Promise((resolve) => { holds = false; held.push(resolve); });
        try {
            return await read.call(this);
        } finally {
            reading--;
        }
    };
    globalThis.hold = () => { holds = true; };
    globalThis.isHeld = () => held.length > 0;
    globalThis.release = () => held.pop()();
    globalThis.isIdle = () => reading === 0;
`;
/** Does `earlier`, whose first read of a file is held until `later` is done; returns when nothing is read any more. */
async function late(tab, earlier, later) {
    await tab.evaluate(() => hold());
    await earlier();
    await tab.waitForFunction(() => isHeld());
    await later();
    await tab.evaluate(() => release());
    await tab.waitForFunction(() => isIdle());
}
const lateOptions = [{}, page.href, heldReads];

test('a comparison that ends late says nothing of files that were given since', options, () => opened(async (tab) => {
    const data = counted(393216), { file, root } = treeFile(data, 65536), damaged = data.slice();
    damaged[200000] ^= 1;
    const proof = merklize.MerkleTree.fromMessages(blocksOf(data, 65536)).prove(3);
    await tab.fill('#root', root);
    await give(tab, ['disk.mkl', file], ['disk.img', damaged]);
    await verdict(tab, '^Damaged: block 3');
    for (const [button, given, wanted] of [
        ['#check-all', ['proof.json', Buffer.from(proof.toJson())], /^disk.img is not compared yet: the proof is valid/],
        ['#check-block', ['other.img', data], /^other.img is not compared yet: the proof is valid/],
        ['#check-block', ['third.img', damaged], /^third.img is not compared yet: the proof is valid/],
    ]) {
        await late(tab, () => tab.click(button), async () => {
            await give(tab, given);
            await verdict(tab, wanted.source);
        });
        assert.match(await tab.textContent('#verdict'), wanted);
        assert.equal(await tab.textContent('#outcome'), 'Cancelled');
    }
}, ...lateOptions));

test('what is compared with one tree or proof says nothing of another', options, () => opened(async (tab) => {
    const trees = [counted(24576), counted(24576).reverse()].map((data) => {
        const proof = merklize.MerkleTree.fromMessages(blocksOf(data, 4096)).prove(3);
        return { data, ...treeFile(data, 4096), proof: Buffer.from(proof.toJson()) };
    });
    const [own, other] = trees;
    // The other's tree and file agree, and a proof of the owner's leads to the owner's root.
    await give(tab, ['other.mkl', other.file], ['other.img', other.data]);
    await tab.fill('#root', own.root);
    await verdict(tab, '^Not valid');
    await give(tab, ['own.json', own.proof]);
    const notCompared = /^other.img is not compared yet: the proof is valid, and shows no file/;
    await verdict(tab, notCompared.source);
    await tab.click('#check-all');
    await verdict(tab, '^The same: all 6 blocks have the leaves of the tree', '#outcome');
    assert.match(await tab.textContent('#verdict'), notCompared);
    await tab.click('#check-block');
    await verdict(tab, '^Damaged: block 3');
    // A button between the drop of a proof and the end of its reading compares with the proof before it.
    await give(tab, ['other.json', other.proof]);
    await verdict(tab, '^Not valid');
    await late(tab, () => give(tab, ['own.json', own.proof]), () => tab.click('#check-block'));
    await verdict(tab, notCompared.source);
}, ...lateOptions));

test('without a root that you trust nothing is valid', options, () => opened(async (tab) => {
    const data = counted(24576), { file } = treeFile(data, 4096);
    const tree = merklize.MerkleTree.fromMessages(blocksOf(data, 4096));
    await give(tab, ['disk.mkl', file], ['proof.json', Buffer.from(tree.prove(3).toJson())]);
    await verdict(tab, '^In order: the leaf leads to the root in the tree file; Root is empty');
    await give(tab, ['disk.img', data]);
    await verdict(tab, '^disk.img is not compared yet: the proof is in order');
    await tab.click('#check-block');
    await verdict(tab, '^In order: block 3, .*Root is empty');
    assert.equal(await tab.getAttribute('#verdict', 'class'), 'verdict ');
}));

test('a proof beside a tree is looked at in either order, and two of a kind are refused', options, () => opened(async (tab) => {
    const { file, root } = treeFile(counted(24576), 4096);
    const wrong = ['wrong.json', single.json];
    await tab.fill('#root', root);
    for (const files of [[wrong, ['disk.mkl', file]], [['disk.mkl', file], wrong]]) {
        await give(tab, ...files);
        await verdict(tab, '^Not valid: the leaf leads to');
    }
    await give(tab, ['again.json', single.json], wrong);
    await verdict(tab, '^Not valid: wrong.json: again.json is given, too: one proof at a time');
    await give(tab, ['disk.mkl', file]);
    await verdict(tab, '^Valid: leaf 0');
}));

test('a number that is no number is refused, not left out', options, () => opened(async (tab) => {
    await tab.fill('#root', single.root);
    await give(tab, ['proof.json', single.json]);
    await verdict(tab, '^Valid');
    for (const typed of ['9e', '7-', '--', '1.5', '1e1', '-13']) {
        await tab.fill('#count', '');
        await tab.focus('#count');
        await tab.keyboard.type(typed);
        await verdict(tab, '^Cannot be checked: the number of leaves must be an integer >= 1');
    }
    await tab.fill('#count', '13');
    await verdict(tab, '^Valid');
    await tab.fill('#count', '');
    const data = counted(24576);
    await give(tab, ['disk.mkl', treeFile(data, 4096).file], ['disk.img', data]);
    for (const typed of ['3e', '-1', '6']) {
        await tab.fill('#leaf', '');
        await tab.focus('#leaf');
        await tab.keyboard.type(typed);
        await verdict(tab, '^Cannot be checked: the leaf must be 0 to 5');
        await tab.click('#check-block');
        await verdict(tab, '^Failed: the leaf must be 0 to 5', '#outcome');
    }
}));

test('the verdict is about the fields as they are, whichever was answered last', options, () => opened(async (tab) => {
    const { file, root } = treeFile(counted(100000), 4096);
    await tab.fill('#root', root);
    await give(tab, ['disk.mkl', file]);
    await verdict(tab, '^Valid: leaf 0');
    await late(tab, () => tab.fill('#leaf', '3'), async () => {
        await tab.fill('#leaf', '5');
        await verdict(tab, '^Valid: leaf 5');
    });
    assert.match(await tab.textContent('#verdict'), /^Valid: leaf 5/);
}, ...lateOptions));

test('files that are given later are taken later', options, () => opened(async (tab) => {
    const { file } = treeFile(counted(100000), 4096);
    await late(tab, () => give(tab, ['first.mkl', file]), () => give(tab, ['second.mkl', file]));
    assert.equal(await tab.textContent('#given'), 'tree: second.mkl');
}, ...lateOptions));

test('the size that a tree file states is compared with that of the file', options, () => opened(async (tab) => {
    const data = counted(100000);
    for (const [stated, wanted] of [
        [99999, '^Wrong tree file: it states 99,999 bytes, and disk.img has 100,000$'], // as many blocks, and the same ones
        [102400, '^Wrong tree file: it states 102,400 bytes, and disk.img has 100,000$'],
        [0, '^Valid: all 25 blocks of disk.img are as the root says$'], // none is stated
    ]) {
        const { file, root } = treeFile(data, 4096, stated);
        await tab.fill('#root', root);
        await give(tab, ['disk.mkl', file], ['disk.img', data]);
        await verdict(tab, wanted);
        assert.equal(await tab.getAttribute('#verdict', 'class'), stated === 0 ? 'verdict good' : 'verdict bad');
    }
}));

test('a large file is compared when it is asked for', options, () => opened(async (tab) => {
    const { file } = treeFile(counted(100000), 4096);
    await give(tab, ['disk.mkl', file]);
    await tab.evaluate(() => {
        const part = new Blob([new Uint8Array(1 << 24)]);
        const list = new DataTransfer();
        list.items.add(new File([new Blob(Array.from({ length: 17 }, () => part))], 'large.img'));
        dispatchEvent(new DragEvent('drop', { dataTransfer: list, bubbles: true, cancelable: true }));
    });
    await verdict(tab, '^large.img is not compared yet: leaf 0 leads to the root in the file');
    assert.equal(await tab.getAttribute('#verdict', 'class'), 'verdict ');
    await tab.click('#check-all');
    await verdict(tab, '^Damaged: the file has 69,632 blocks');
}));

test('the page says its size units, its version and a wrong root in red', options, () => opened(async (tab) => {
    await give(tab, ['disk.mkl', treeFile(counted(100000), 4096).file]);
    await verdict(tab, '4,096 bytes \\(4.00 KiB\\)[^]*100,000 bytes \\(97.66 KiB\\)', '#facts');
    assert.match(await tab.textContent('footer'), /^merklize \d+\.\d+\.\d+$/);
    await tab.fill('#root', '1'.repeat(64));
    await verdict(tab, '^Not valid');
    assert.equal(await tab.locator('#path .node.wrong', { hasText: 'is not the root' }).count(), 1);
}));

/** Workers get a few slices of a file, and no more before the page says so. */
const held = `
    const post = Worker.prototype.postMessage;
    globalThis.slices = 3;
    Worker.prototype.postMessage = function (message, ...rest) {
        if (message.modules || globalThis.slices-- > 0) post.call(this, message, ...rest);
    };
`;

test('a large file: its digest, progress, cancel', options, () => opened(async (tab) => {
    // A simulated file in the page: 10 GB of zeros that take no memory, hashed as they are sliced.
    await tab.evaluate(() => {
        const part = new Blob([new Uint8Array(1 << 24)]);
        const file = new File([new Blob(Array.from({ length: 600 }, () => part))], 'large.img');
        const list = new DataTransfer();
        list.items.add(file);
        dispatchEvent(new DragEvent('drop', { dataTransfer: list, bubbles: true, cancelable: true }));
    });
    await tab.waitForSelector('#digest', { state: 'visible' });
    await tab.click('#digest');
    await tab.waitForFunction(() => /of 10,066,329,600 bytes/.test(document.querySelector('#done').textContent));
    await tab.click('#cancel');
    await verdict(tab, '^Cancelled', '#outcome');
    await tab.evaluate(() => { globalThis.slices = Infinity; });
    const data = counted(20000000);
    await give(tab, ['small.img', data]);
    await tab.click('#digest');
    await verdict(tab, hex(merklize.hash(data)), '#outcome');
}, {}, page.href, held));

/** A browser that refuses the module of vector instructions, which is compiled second, and has no workers. */
const poor = `
    const compile = WebAssembly.compile;
    let modules = 0;
    WebAssembly.compile = (bytes) => ++modules === 2 ? Promise.reject(new WebAssembly.CompileError('SIMD')) : compile(bytes);
    delete globalThis.Worker;
`;

test('without vector instructions and workers: it says so, and the answers are the same', options, () => opened(async (tab) => {
    assert.match(await tab.textContent('#engine'), /no vector instructions/);
    const data = counted(5000000);
    await give(tab, ['small.img', data]);
    await tab.click('#digest');
    await verdict(tab, hex(merklize.hash(data)), '#outcome');
    await give(tab, ['proof.json', single.json]);
    await tab.fill('#root', single.root);
    await verdict(tab, '^small.img is not compared yet: the proof is valid, and shows no file');
}, {}, page.href, poor));

test('a page with a tree inside, as merklize tree show --html writes it', options, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'merklize-page-')), path = join(folder, 'page.html');
    const data = { name: 'in</side>.mkl', leaf: 4, tree: Buffer.from(tree.file, 'hex').toString('base64') };
    const inside = JSON.stringify(data).replaceAll('<', '\\u003c');
    writeFileSync(path, readFileSync(page, 'utf8').replace('type="application/json">null<', () => `type="application/json">${inside}<`));
    try {
        await opened(async (tab) => {
            await verdict(tab, '^In order: leaf 4 leads');
            assert.match(await tab.textContent('#given'), /in<\/side>.mkl/);
        }, {}, pathToFileURL(path).href);
    } finally {
        rmSync(folder, { recursive: true });
    }
});

test('by keyboard alone, and names for readers of the screen', options, () => opened(async (tab) => {
    const chooser = new Promise((resolve) => tab.on('filechooser', resolve));
    for (const id of ['choose', 'root', 'count', 'modes']) {
        await tab.keyboard.press('Tab');
        assert.equal(await tab.evaluate(() => document.activeElement.id), id);
    }
    await tab.focus('#choose');
    await tab.keyboard.press('Enter');
    await (await chooser).setFiles({ name: 'tree.mkl', mimeType: '', buffer: Buffer.from(tree.file, 'hex') });
    await verdict(tab, '^In order: leaf 0');
    await tab.getByRole('spinbutton', { name: /^Leaf/ }).focus();
    await tab.keyboard.press('ArrowUp');
    await verdict(tab, '^In order: leaf 1');
    await tab.keyboard.press('Tab');
    await tab.keyboard.press('Enter');
    await verdict(tab, '^In order', '#outcome');
    for (const [role, name] of [
        ['region', /Drop files here/], ['region', /What you trust/], ['region', /Result/], ['region', /From the leaf to the root/],
        ['textbox', /^Root/], ['spinbutton', /^Number of leaves/], ['button', 'Choose files'], ['button', 'Key or context'],
        ['button', 'Recompute the whole tree'], ['heading', 'Verify a proof, a tree or a file'],
    ])
        assert.equal(await tab.getByRole(role, { name }).count(), 1, `${role} ${name}`);
    assert.equal(await tab.getAttribute('#modes', 'aria-expanded'), 'false');
    await tab.focus('#modes');
    await tab.keyboard.press('Space');
    assert.equal(await tab.getAttribute('#modes', 'aria-expanded'), 'true');
    assert.equal(await tab.getByRole('textbox', { name: /^Key/ }).count(), 1);
}));

for (const [name, colorScheme, width] of [['light-wide', 'light', 1100], ['dark-wide', 'dark', 1100], ['light-narrow', 'light', 340], ['dark-narrow', 'dark', 340]]) {
    test(`nothing is cut off, and text can be read: ${name}`, options, () => opened(async (tab) => {
        await give(tab, ['tree.mkl', Buffer.from(tree.file, 'hex')], ['disk.img', counted(5000)]);
        await verdict(tab, '^disk.img is not compared yet');
        const { wide, contrast } = await tab.evaluate(() => {
            const light = (color) => {
                const [r, g, b] = color.match(/[\d.]+/g).map((x) => { x /= 255; return x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4; });
                return 0.2126 * r + 0.7152 * g + 0.0722 * b;
            };
            const behind = (node) => { for (; node; node = node.parentElement) { const c = getComputedStyle(node).backgroundColor; if (c !== 'rgba(0, 0, 0, 0)') return c; } return 'rgb(255, 255, 255)'; };
            let least = 99;
            for (const node of document.querySelectorAll('p, label, dt, dd, strong, code, .level, .node span, button, h1, h2')) {
                if (!node.textContent.trim() || !node.offsetParent) continue;
                const [a, b] = [light(getComputedStyle(node).color), light(behind(node))].sort((x, y) => y - x);
                least = Math.min(least, (a + 0.05) / (b + 0.05));
            }
            return { wide: document.documentElement.scrollWidth - innerWidth, contrast: least };
        });
        assert.ok(wide <= 0, `${wide} pixels beyond the side`);
        assert.ok(contrast >= 4.5, `contrast ${contrast}`);
        if (process.env.SCREENSHOTS) await tab.screenshot({ path: join(process.env.SCREENSHOTS, `${name}.png`), fullPage: true });
    }, { colorScheme, viewport: { width, height: 800 } }));
}

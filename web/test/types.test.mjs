// The types: a program that uses all of the package passes `tsc --strict`, which npm has for the tests.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { folder, merklize } from './common.mjs';

const tsc = join(process.env.MERKLIZE_NODE_MODULES ?? '', 'typescript/bin/tsc'), program = new URL('surface.ts', import.meta.url);

test('a program that uses all of the package passes tsc --strict', { skip: existsSync(tsc) ? false : 'no typescript in MERKLIZE_NODE_MODULES' }, () => {
    const here = mkdtempSync(join(tmpdir(), 'merklize-'));
    try {
        mkdirSync(join(here, 'node_modules'));
        cpSync(folder, join(here, 'node_modules/merklize'), { recursive: true });
        cpSync(program, join(here, 'surface.mts'));
        const words = ['--strict', '--noEmit', '--target', 'es2022', '--module', 'nodenext', '--lib', 'es2022,dom,dom.asynciterable', 'surface.mts'];
        const { status, stdout } = spawnSync(process.execPath, [tsc, ...words], { cwd: here, encoding: 'utf8' });
        assert.equal(status, 0, stdout);
    } finally {
        rmSync(here, { recursive: true });
    }
});

test('that program uses every name of the package', () => {
    const text = readFileSync(program, 'utf8').replace(/^import [^;]*;/gm, '');
    for (const name of Object.keys(merklize)) assert.match(text, new RegExp(`\\b${name}\\b`));
    for (const name of ['MerkleTree', 'OpenZeppelinTree', 'Hasher', 'PieceHasher', 'TreeFile']) {
        const made = Object.getOwnPropertyNames(merklize[name].prototype).filter((member) => member !== 'constructor');
        for (const member of made) assert.match(text, new RegExp(`\\.${member}\\b`), `${name}.${member}`);
    }
});

// Common to all tests: the built package, the library's vectors, both kinds of instructions.
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

// The memory of the WebAssembly modules, and where the heap of each begins, for the test of their stacks.
export let memory;
export const heaps = [];
const { instantiate } = WebAssembly;
WebAssembly.instantiate = async (module, imports) => {
    const instance = await instantiate(module, imports);
    memory ??= instance.exports.memory;
    if (instance.exports?.__heap_base) heaps.push(instance.exports.__heap_base.value); // other modules have none
    return instance;
};

export const folder = new URL('../../build/web/merklize/', import.meta.url);
export const merklize = await import(new URL('merklize.js', folder));

export const bytes = (hex) => Uint8Array.from(Buffer.from(hex, 'hex'));
export const hex = (data) => Buffer.from(data).toString('hex');
export const counted = (n) => Uint8Array.from({ length: n }, (_, i) => i % 251);

/** Integers beyond 2^53 as bigints. */
export function vectors(name) {
    const text = readFileSync(new URL(`../../tests/vectors/${name}.json`, import.meta.url), 'utf8');
    const big = text.replace(/("(?:[^"\\]|\\.)*")|(\d{16,})/g, (all, quoted) => quoted ?? `"#${all}"`);
    return JSON.parse(big, (_, value) => (/^#\d+$/.test(value) ? BigInt(value.slice(1)) : value));
}

/** A test with vector instructions and without. */
export function both(name, body) {
    for (const on of [true, false]) {
        test(`${name}, ${on ? 'vectors' : 'words'}`, async () => {
            if (merklize.simd(on) !== on) throw new Error('no vector instructions here');
            try {
                await body();
            } finally {
                merklize.simd(true);
            }
        });
    }
}

const made = new URL('../../build/web/library.json', import.meta.url);
/** The library's results, from library.py. */
export const library = existsSync(made) ? JSON.parse(readFileSync(made, 'utf8')) : null;
export const needsLibrary = { skip: library ? false : 'build/web/library.json is not there: make test-web writes it' };

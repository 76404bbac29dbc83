// ready.js: compiles the modules once; everything else finds them ready.
import { machine } from './machine.js';
import { hashesWasm, lanesWasm } from './wasm.js';

function bytesOf(base64) {
    const text = atob(base64);
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i);
    return bytes;
}

/** The compiled modules. `lanes` is null where WebAssembly has no vector instructions. */
export const modules = {
    hashes: await WebAssembly.compile(bytesOf(hashesWasm)),
    lanes: await WebAssembly.compile(bytesOf(lanesWasm)).catch(() => null),
};

const main = await WebAssembly.instantiate(modules.hashes);
const env = { memory: main.exports.memory };
export const m = machine(main, modules.lanes && (await WebAssembly.instantiate(modules.lanes, { env })));

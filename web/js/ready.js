// ready.js: compiles the modules once, before anything else uses them.
import { machine } from './machine.js';
import { hashesWasm, lanesWasm } from './wasm.js';

/** A module from its text: gzip in base 64, because digits of base 64 hide what gzip would find in the module. */
async function compiled(base64) {
    const packed = Uint8Array.from(atob(base64), (digit) => digit.charCodeAt(0));
    const zlib = globalThis.process?.getBuiltinModule?.('node:zlib'); // Node takes 40 ms to load its streams
    if (zlib) return WebAssembly.compile(zlib.gunzipSync(packed));
    const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
    return WebAssembly.compile(await new Response(unpacked).arrayBuffer());
}

/** The compiled modules. `lanes` is null where WebAssembly has no vector instructions. */
export const modules = {
    hashes: await compiled(hashesWasm),
    lanes: await compiled(lanesWasm).catch(() => null),
};

const main = await WebAssembly.instantiate(modules.hashes);
const env = { memory: main.exports.memory };
export const m = machine(main, modules.lanes && (await WebAssembly.instantiate(modules.lanes, { env })));

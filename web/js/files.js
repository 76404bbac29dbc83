// files.js: digests of files and Blobs by all cores: workers hash equal slices, and the caller's thread makes the root.
import { MerklizeError, hashing, invalid, isBytes, output, requireOptions, shown, toBytes } from './common.js';
import { digestSoFar, encoded, messageBegun, outputOf, requireOutput } from './hash.js';
import { machine } from './machine.js';
import { m, modules } from './ready.js';

const slice = 1 << 22; // bytes that a worker takes at once: a power of two, at least 1024
const mostInMemory = 1 << 28; // bytes of a file that does not have the size that it states
const inNode = typeof process === 'object' && process.versions?.node !== undefined;
/** A module of Node. An import of it would stop bundlers for browsers. */
const builtin = (name) => process.getBuiltinModule(name);

/** The worker's program. It gets {modules, simd}, then {id, source, offset, length, key, flags}, and answers {id,
 * value} or {id, error}. A buffer goes back with the answer, because memory that is written for the first time costs
 * more than the copy. */
function worker(machine, port, readPath) {
    let m;
    port.listen(async (message) => {
        if (message.modules) {
            const main = new WebAssembly.Instance(message.modules.hashes);
            const env = { memory: main.exports.memory };
            m = machine(main, message.modules.lanes && new WebAssembly.Instance(message.modules.lanes, { env }));
            m.simd = message.simd;
            port.send({ id: -1 });
            return;
        }
        const { id, source, offset, length, key, flags } = message;
        try {
            const data = typeof source === 'string' ? readPath(source, offset, length)
                : source instanceof ArrayBuffer ? new Uint8Array(source, 0, length)
                : new Uint8Array(await source.slice(offset, offset + length).arrayBuffer());
            if (data.length !== length)
                throw new Error(`the file changed while it was read: ${length} bytes expected at ${offset}, `
                    + `got ${data.length}`);
            const value = m.partValue(data, offset / 1024, key, flags);
            if (source instanceof ArrayBuffer) port.send({ id, value, source }, [source]);
            else port.send({ id, value });
        } catch (error) {
            port.send({ id, error: String(error.message ?? error), code: error.code });
        }
    });
}

const browserPort = `{
    listen: (f) => { onmessage = (event) => f(event.data); },
    send: (message, transfer) => postMessage(message, transfer ?? []),
}`;
const nodePort = `{
    listen: (f) => parentPort.on('message', f),
    send: (message, transfer) => parentPort.postMessage(message, transfer),
}`;
const nodeRead = `(path, offset, length) => {
    const file = fs.openSync(path);
    try {
        const data = new Uint8Array(length);
        let done = 0, n = 1;
        while (done < length && n > 0) done += n = fs.readSync(file, data, done, length - done, offset + done);
        return data.subarray(0, done);
    } finally {
        fs.closeSync(file);
    }
}`;

/** Workers cannot be had here, or the page's policy forbids their text. */
class NoWorkers extends Error {}

/** One worker: run(task, transfer) answers with {value, source}: the buffer of the task, if it had one. @throws
 * NoWorkers */
async function startWorker() {
    const waiting = new Map();
    const answer = ({ id, value, source, error, code }) => {
        const { resolve, reject } = waiting.get(id);
        waiting.delete(id);
        if (error === undefined) resolve({ value, source });
        else reject(code ? Object.assign(new Error(error), { code }) : new MerklizeError(`hashFile: ${error}`, 'io'));
    };
    const fail = (error) => {
        for (const { reject } of waiting.values()) reject(error);
        waiting.clear();
    };
    const text = (port, read) => `(${worker})(${machine}, ${port}, ${read});`;
    let thread;
    try {
        if (inNode) {
            const { Worker } = builtin('node:worker_threads');
            const head = "const { parentPort } = require('node:worker_threads'), fs = require('node:fs');\n";
            thread = new Worker(head + text(nodePort, nodeRead), { eval: true });
            thread.on('message', answer).on('error', fail);
        } else {
            const url = URL.createObjectURL(new Blob([text(browserPort, 'null')], { type: 'text/javascript' }));
            thread = new Worker(url);
            URL.revokeObjectURL(url);
            thread.onmessage = (event) => answer(event.data);
            thread.onerror = (event) => fail(new Error(event.message || 'a worker stopped'));
        }
        await new Promise((resolve, reject) => {
            waiting.set(-1, { resolve, reject });
            thread.postMessage({ modules, simd: m.simd });
        });
    } catch (error) {
        thread?.terminate();
        throw new NoWorkers(String(error?.message ?? error));
    }
    return {
        run: (task, transfer) => new Promise((resolve, reject) => {
            waiting.set(task.id, { resolve, reject });
            thread.postMessage(task, transfer ?? []);
        }),
        stop: () => thread.terminate(),
    };
}

/** The number of workers: by default one a core. 0: there can be none here. */
export function cores() {
    if (!inNode && typeof Worker === 'undefined') return 0;
    return globalThis.navigator?.hardwareConcurrency ?? 4;
}


/** The root of `size` bytes. task(offset, length) gives a worker's input. Each worker has two tasks, so that reading
 * and hashing overlap. */
async function rootByWorkers(size, mode, workers, task, { signal, onProgress }) {
    const pool = await Promise.all(Array.from({ length: Math.min(workers, Math.ceil(size / slice)) }, startWorker));
    const values = new m.Values(mode.key, mode.flags);
    const early = new Map(); // values that came before their turn
    const spare = []; // buffers that workers are done with
    let next = 0, wanted = 0, last = null, done = 0, stopped = false;
    const offer = (index, value) => {
        early.set(index, value);
        for (; early.has(wanted); wanted++) {
            if ((wanted + 1) * slice >= size) last = early.get(wanted);
            else values.push(early.get(wanted));
            early.delete(wanted);
        }
    };
    const lane = async (thread) => {
        while (next * slice < size && !stopped) {
            const id = next++, offset = id * slice, length = Math.min(slice, size - offset);
            const { source, transfer } = await task(offset, length, spare.pop());
            const answer = await thread.run({ id, source, offset, length, key: mode.key, flags: mode.flags }, transfer);
            if (answer.source?.byteLength === slice) spare.push(answer.source);
            offer(id, answer.value);
            done += length;
            if (!stopped) onProgress?.(done, size);
        }
    };
    let onAbort;
    const aborted = new Promise((_, reject) => {
        onAbort = () => reject(signal.reason);
        signal?.addEventListener('abort', onAbort);
    });
    try {
        await Promise.race([Promise.all(pool.flatMap((thread) => [lane(thread), lane(thread)])), aborted]);
    } finally {
        stopped = true;
        signal?.removeEventListener('abort', onAbort);
        pool.forEach(({ stop }) => stop());
    }
    return values.root(last);
}

/** Hashes slice by slice on this thread, if there are no workers or the hash cannot use them. */
async function digestHere({ size, read }, message, options) {
    for (let done = 0; done < size; ) {
        options.signal?.throwIfAborted();
        const data = await read(done, Math.min(slice, size - done));
        if (data.length === 0)
            throw new MerklizeError(`hashFile: the file changed while it was read: it ends at byte ${done}`, 'io');
        message.update(data);
        done += data.length;
        options.onProgress?.(done, size);
    }
    return digestSoFar(message, options, 'hashFile');
}

/** opened() of a file that does not have the size that it states: its bytes, in memory. */
async function openedInMemory(path, facts, what) {
    const { open } = builtin('node:fs/promises');
    const file = await open(path), pieces = [];
    try {
        for (let size = 0; ; ) {
            const { buffer, bytesRead } = await file.read(new Uint8Array(1 << 16), 0, 1 << 16, null);
            if (bytesRead === 0) break;
            size += bytesRead;
            if (size > mostInMemory)
                throw new MerklizeError(`${what}: ${path} states ${facts.size} bytes and has more than `
                    + `${mostInMemory}; Hasher takes streams`, 'io');
            pieces.push(buffer.subarray(0, bytesRead));
        }
        const now = await file.stat();
        if (now.size !== facts.size || now.mtimeMs !== facts.mtimeMs)
            throw new MerklizeError(`${what}: the file changed while it was read`, 'io');
    } finally {
        await file.close();
    }
    return opened(new Uint8Array(Buffer.concat(pieces)), what);
}

/** opened() of a path in Node. It does not use openAsBlob(), because in Node 20 that takes the size modulo 4 GiB. */
async function openedPath(path, what) {
    const { open, stat } = builtin('node:fs/promises');
    // Node's error has the path, and what may be a URL may have a password or a signature.
    const mayBeUrl = /^[\w+. -]{2,}:|^\/\/|[?@;#&\\]|%[0-9a-f]{2}/i.test(path);
    const facts = await stat(path).catch((error) => {
        throw mayBeUrl
            ? new MerklizeError(`${what}: no file that can be read (${error.code}); URLs are not read`, 'io') : error;
    });
    if (!facts.isFile()) invalid(`${what}: ${path} is not a regular file; Hasher takes streams`);
    const read = async (offset, length) => {
        const file = await open(path);
        try {
            const { buffer, bytesRead } = await file.read(new Uint8Array(length), 0, length, offset);
            return buffer.subarray(0, bytesRead);
        } finally {
            await file.close();
        }
    };
    // Files in /proc and /sys, and some of FUSE, have more or fewer bytes than they state. A read at the stated end
    // tells.
    const isTrue = facts.size !== 0 && (await read(facts.size - 1, 2)).length === 1;
    if (!isTrue) return openedInMemory(path, facts, what);
    return { size: facts.size, read, task: () => ({ source: path }) };
}

/** {size, read(offset, length)} of the caller's value, and task(offset, length, spare): the part that a worker gets,
 * perhaps in a buffer that is there. */
export async function opened(source, what) {
    const path = source instanceof URL ? builtin('node:url').fileURLToPath(source) : source;
    if (typeof path === 'string' && !inNode) invalid(`${what}: a path is read in Node alone; a browser gives Files`);
    if (typeof path === 'string') return openedPath(path, what);
    if (source instanceof Blob) {
        const read = async (offset, length) =>
            new Uint8Array(await source.slice(offset, offset + length).arrayBuffer());
        const copied = async (offset, length) => {
            const { buffer } = await read(offset, length);
            return { source: buffer, transfer: [buffer] };
        };
        return { size: source.size, read, task: inNode ? copied : () => ({ source }) };
    }
    if (!isBytes(source))
        invalid(`${what}: source must be a File, a Blob, bytes or, in Node, a path, got ${shown(source)}`);
    const bytes = () => toBytes(source, `${what}: source`), size = bytes().length;
    // A buffer may be transferred, or become shorter, while others hash.
    const read = (offset, length) => {
        const part = bytes().subarray(offset, offset + length);
        if (part.length === length) return part;
        return invalid(`${what}: source became shorter while it was read: it had ${size} bytes`);
    };
    const task = (offset, length, spare) => {
        const buffer = spare ?? new ArrayBuffer(slice);
        new Uint8Array(buffer).set(read(offset, length));
        return { source: buffer, transfer: [buffer] };
    };
    return { size, read, task };
}

/**
 * The digest of a File, a Blob, bytes or, in Node, the file at a path. options: those of hash(), and workers (0: this
 * thread alone; default: one a core), signal (an AbortSignal), onProgress(done, size).
 */
export async function hashFile(source, options = {}) {
    requireOptions(options, [...hashing, ...output, 'workers', 'signal', 'onProgress'], 'hashFile');
    const message = messageBegun(options, 'hashFile');
    requireOutput(message.hash, options, 'hashFile');
    if (options.onProgress !== undefined && typeof options.onProgress !== 'function')
        invalid(`hashFile: onProgress must be a function, got ${shown(options.onProgress)}`);
    const workers = options.workers ?? cores();
    if (!Number.isSafeInteger(workers) || workers < 0)
        invalid(`hashFile: workers must be an integer >= 0, got ${shown(workers)}`);
    options.signal?.throwIfAborted();
    const file = await opened(source, 'hashFile');
    const here = async () => encoded(await digestHere(file, message, options), options);
    if (!message.hash.hasChunkTree || workers === 0 || file.size <= slice) return here();
    try {
        const root = await rootByWorkers(file.size, message.mode, workers, file.task, options);
        return encoded(outputOf(root, options), options);
    } catch (error) {
        if (!(error instanceof NoWorkers)) throw error;
        return here();
    }
}

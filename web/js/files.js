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
 * more than the copy. read: of a source that is no buffer */
function worker(machine, port, read) {
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
            const { data, stamp } = source instanceof ArrayBuffer ? { data: new Uint8Array(source, 0, length) }
                : await read(source, offset, length);
            if (data.length !== length || stamp !== source.stamp)
                throw new Error('the file changed while it was read: call hashFile again');
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
const browserRead = `async (blob, offset, length) =>
    ({ data: new Uint8Array(await blob.slice(offset, offset + length).arrayBuffer()) })`;

/** Which file of Node an open one is, and when it last changed; its size comes first. */
async function stampOf(file) {
    const { size, dev, ino, mtimeNs, ctimeNs } = await file.stat({ bigint: true });
    return [size, dev, ino, mtimeNs, ctimeNs].join();
}
/** A part of the file that is at a path of Node now, and its stamp after the reading. It refers to nothing else,
 * because workers get its text and stampOf()'s. */
async function readPart(open, stampOf, path, offset, length) {
    const data = new Uint8Array(length), file = await open(path);
    try {
        let done = 0, n = 1;
        while (done < length && n > 0)
            done += n = (await file.read(data, done, length - done, offset + done)).bytesRead;
        return { data: data.subarray(0, done), stamp: await stampOf(file) };
    } finally {
        await file.close();
    }
}
// Without promises: a worker that is stopped within a read closes such files alone.
const nodeOpen = `(path) => {
    const file = fs.openSync(path);
    return {
        read: (...to) => ({ bytesRead: fs.readSync(file, ...to) }),
        stat: (how) => fs.fstatSync(file, how),
        close: () => fs.closeSync(file),
    };
}`;
const nodeRead = `({ path }, ...part) => (${readPart})(${nodeOpen}, ${stampOf}, path, ...part)`;

/** One worker: run(task, transfer) answers with {value, source}: the buffer of the task, if it had one. Throws where
 * workers cannot be had, or the page's policy forbids their text. */
async function startWorker() {
    const waiting = new Map();
    let broken = null;
    const answer = ({ id, value, source, error, code }) => {
        const { resolve, reject } = waiting.get(id);
        waiting.delete(id);
        if (error === undefined) resolve({ value, source });
        else reject(code ? Object.assign(new Error(error), { code }) : new MerklizeError(`hashFile: ${error}`, 'io'));
    };
    const fail = (error) => {
        broken = error;
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
            const url = URL.createObjectURL(new Blob([text(browserPort, browserRead)], { type: 'text/javascript' }));
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
        throw error;
    }
    return {
        run: (task, transfer) => new Promise((resolve, reject) => {
            if (broken) throw broken; // it would never answer
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

/** The root of `size` bytes; null if no worker starts. task(offset, length) gives a worker's input. Each worker has two
 * tasks, so that reading and hashing overlap. They are stopped before the call ends, so that no file stays open. */
async function rootByWorkers(size, mode, workers, task, { signal, onProgress }) {
    const starting = Array.from({ length: Math.min(workers, Math.ceil(size / slice)) }, startWorker);
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
    const root = async () => {
        const pool = (await Promise.allSettled(starting)).flatMap(({ value }) => value ?? []);
        await Promise.all(pool.flatMap((thread) => [lane(thread), lane(thread)]));
        return pool.length === 0 ? null : values.root(last);
    };
    let onAbort;
    const aborted = new Promise((_, reject) => {
        onAbort = () => reject(signal.reason);
        signal?.addEventListener('abort', onAbort);
        if (signal?.aborted) onAbort();
    });
    try {
        return await Promise.race([root(), aborted]);
    } finally {
        stopped = true;
        signal?.removeEventListener('abort', onAbort);
        await Promise.all(starting.map((thread) => thread.then(({ stop }) => stop(), () => {})));
    }
}

/** Gives a message the bytes of a file, slice by slice on this thread. */
async function updateFromFile(message, { size, read }, { signal, onProgress }) {
    for (let done = 0; done < size; ) {
        signal?.throwIfAborted();
        const data = await read(done, Math.min(slice, size - done));
        message.update(data);
        done += data.length;
        onProgress?.(done, size);
    }
}

/** The file of opened(source, opener) is another now. what: the function that reads it */
const changed = (what, opener) =>
    new MerklizeError(`${what}: the file changed while it was read: call ${opener} again`, 'io');

/** opened() of a file that does not have the size that it states: its bytes, in memory. */
async function openedInMemory(path, stated, what) {
    const { open } = builtin('node:fs/promises');
    const file = await open(path), pieces = [];
    try {
        const stamp = await stampOf(file);
        for (let size = 0; ; ) {
            const { buffer, bytesRead } = await file.read(new Uint8Array(1 << 16), 0, 1 << 16, null);
            if (bytesRead === 0) break;
            size += bytesRead;
            if (size > mostInMemory)
                throw new MerklizeError(`${what}: ${path} states ${stated} bytes and has more than `
                    + `${mostInMemory}; Hasher takes streams`, 'io');
            pieces.push(buffer.subarray(0, bytesRead));
        }
        if (stamp !== await stampOf(file)) throw changed(what, what);
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
    const { size } = facts, part = (...range) => readPart(open, stampOf, path, ...range);
    // Files in /proc and /sys, and some of FUSE, have more or fewer bytes than they state. A read at the stated end
    // tells.
    const end = size === 0 ? null : await part(size - 1, 2);
    if (end?.data.length !== 1) return openedInMemory(path, size, what);
    const { stamp } = end;
    if (!stamp.startsWith(`${size},`)) throw changed(what, what);
    const read = async (offset, length, reader = what) => {
        const now = await part(offset, length);
        if (now.data.length !== length || now.stamp !== stamp) throw changed(reader, what);
        return now.data;
    };
    return { size, read, task: () => ({ source: { path, stamp } }), path };
}

/** Whether a tree file of Node has a journal, so it may have a part of a change. Names above 247 bytes are not looked
 * at, because their journals have other names. */
export async function hasJournal(path) {
    const journal = `${await builtin('node:fs/promises').realpath(path)}.journal`;
    const begin = await openedPath(journal).then((file) => file.read(0, 8)).catch(() => []);
    return String.fromCharCode(...begin) === 'MKLJRNL\0';
}

/** {size, read(offset, length, reader)} of the caller's value, its path if it is one, and task(offset, length, spare):
 * the part that a worker gets, perhaps in a buffer that is there. reader: the function in errors; default: `what`. A
 * part is whole and of the file that was opened, or the error is 'io'. */
export async function opened(source, what) {
    const isUrl = source instanceof URL;
    if ((isUrl || typeof source === 'string') && !inNode)
        invalid(`${what}: a path is read in Node alone; a browser gives Files`);
    if (isUrl) return openedPath(builtin('node:url').fileURLToPath(source), what);
    if (typeof source === 'string') return openedPath(source, what);
    if (source instanceof Blob) {
        const read = async (offset, length, reader = what) => {
            const data = new Uint8Array(await source.slice(offset, offset + length).arrayBuffer());
            if (data.length !== length) throw changed(reader, what);
            return data;
        };
        const copied = async (offset, length) => {
            const { buffer } = await read(offset, length);
            return { source: buffer, transfer: [buffer] };
        };
        return { size: source.size, read, task: inNode ? copied : () => ({ source }) };
    }
    if (!isBytes(source))
        invalid(`${what}: source must be a File, a Blob, bytes or, in Node, a path, got ${shown(source)}`);
    const bytes = (reader) => toBytes(source, `${reader}: source`), size = bytes(what).length;
    // A buffer may be transferred, or become shorter, while others hash.
    const read = (offset, length, reader = what) => {
        const part = bytes(reader).subarray(offset, offset + length);
        if (part.length === length) return part;
        return invalid(`${reader}: source became shorter while it was read: it had ${size} bytes`);
    };
    const task = (offset, length, spare) => {
        const buffer = spare ?? new ArrayBuffer(slice);
        new Uint8Array(buffer).set(read(offset, length));
        return { source: buffer, transfer: [buffer] };
    };
    return { size, read, task };
}

/** Throws if `signal` or `onProgress` of the options is none, and the signal's reason if it is aborted. */
export function requireRun({ signal, onProgress }, what) {
    if (onProgress !== undefined && typeof onProgress !== 'function')
        invalid(`${what}: onProgress must be a function, got ${shown(onProgress)}`);
    const isNone = (name) => typeof signal[name] !== 'function';
    if ((signal ?? null) !== null && ['throwIfAborted', 'addEventListener'].some(isNone))
        invalid(`${what}: signal must be an AbortSignal such as new AbortController().signal, got ${shown(signal)}`);
    signal?.throwIfAborted();
}

/**
 * The digest of a File, a Blob, bytes or, in Node, the file at a path. options: those of hash(), and workers (0: this
 * thread alone; default: one a core), signal (an AbortSignal), onProgress(done, size).
 */
export async function hashFile(source, options = {}) {
    requireOptions(options, [...hashing, ...output, 'workers', 'signal', 'onProgress'], 'hashFile');
    const message = messageBegun(options, 'hashFile');
    requireOutput(message.hash, options, 'hashFile');
    const workers = options.workers ?? cores();
    if (!Number.isSafeInteger(workers) || workers < 0)
        invalid(`hashFile: workers must be an integer >= 0, got ${shown(workers)}`);
    requireRun(options, 'hashFile');
    const file = await opened(source, 'hashFile');
    const root = message.hash.hasChunkTree && workers > 0 && file.size > slice
        ? await rootByWorkers(file.size, message.mode, workers, file.task, options) : null;
    if (root === null) await updateFromFile(message, file, options);
    options.signal?.throwIfAborted(); // by the last onProgress, too
    return encoded(root === null ? digestSoFar(message, options, 'hashFile') : outputOf(root, options), options);
}

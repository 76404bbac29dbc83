// hash.js: digests of bytes, in one call or as they come.
import { bytesOfText, hashNamed, hashing, invalid, joined, messagesOf, output, requireOptions, shown, toBytes,
    toHex } from './common.js';
import { m } from './ready.js';

const keyed = 16, deriveContext = 32, deriveMaterial = 64;

const plain = Object.freeze({ key: m.iv, flags: 0 });

/** Why the hash has no mode of this key (bytes) or context; null if it has one. */
export function noMode({ name, isKeyed, hasChunkTree }, { key, context }) {
    if (key === undefined && context === undefined) return null;
    if (!isKeyed) return `keys are of the hashes 'blake3' and 'blake2s', and contexts of 'blake3', not of '${name}'`;
    if (key === undefined) return hasChunkTree ? null : `contexts are of the hash 'blake3', not of '${name}'`;
    if (context !== undefined)
        return 'key and context exclude each other: one is keyed hashing, the other key derivation';
    const n = key.length;
    if (hasChunkTree) return n === 32 ? null : `key must be 32 bytes, got ${n}`;
    return n >= 1 && n <= 32 ? null : `key of '${name}' must be 1 to 32 bytes, got ${n}`;
}
/** A copy, which slice() of Node's Buffer is not. */
export const keyOf = (key, what) => new Uint8Array(toBytes(key, `${what}: key`));
/** {key, flags} of BLAKE3's plain, keyed and derive-key modes, and of BLAKE2s under a key, which has its `secret`, too.
 */
export function modeOf(hash, options, what) {
    const { context } = options, key = options.key === undefined ? undefined : keyOf(options.key, what);
    if (key === undefined && context === undefined) return plain;
    const none = noMode(hash, { key, context });
    if (none) invalid(`${what}: ${none}`);
    if (key) return hash.hasChunkTree ? { key, flags: keyed } : m.blake2sMode(key);
    const inner = new Chunks(hash, { key: m.iv, flags: deriveContext });
    inner.update(bytesOfText(context, `${what}: context`));
    return { key: inner.digest(), flags: deriveMaterial };
}

/** Cuts bytes into blocks of `size` bytes. take(block) gets a block when more bytes follow, so at least one byte of a
 * message waits. */
export class Waiting {
    #room = new Uint8Array(0); // grows up to one block
    #filled = 0;
    constructor(size, take) {
        this.size = size;
        this.take = take;
    }
    reset() {
        this.#filled = 0;
    }
    get rest() {
        return this.#room.subarray(0, this.#filled);
    }
    update(data) {
        const { size, take } = this;
        while (data.length > 0) {
            if (this.#filled === size) {
                take(this.#room);
                this.#filled = 0;
            }
            if (this.#filled === 0 && data.length > size) {
                take(data.subarray(0, size));
                data = data.subarray(size);
                continue;
            }
            const taken = Math.min(data.length, size - this.#filled), end = this.#filled + taken;
            if (end > this.#room.length) {
                const room = new Uint8Array(Math.min(size, Math.max(1024, 2 * end)));
                room.set(this.rest);
                this.#room = room;
            }
            this.#room.set(data.subarray(0, taken), this.#filled);
            this.#filled = end;
            data = data.subarray(taken);
        }
    }
}

/** BLAKE3 of bytes as they come, m.stride bytes at once. */
class Chunks {
    constructor(hash, mode) {
        this.hash = hash;
        this.mode = mode;
        this.waiting = new Waiting(m.stride, (block) => this.values.push(this.#value(block)));
        this.reset();
    }
    reset() {
        this.values = new m.Values(this.mode.key, this.mode.flags);
        this.waiting.reset();
        this.count = 0;
    }
    #value(data) {
        const { key, flags } = this.mode;
        return m.subtree(data, this.values.count * (m.stride / 1024), key, flags, 1);
    }
    update(data) {
        this.count += data.length;
        this.waiting.update(data);
    }
    /** 32 bytes. */
    digest() {
        const { key, flags } = this.mode;
        if (this.values.count > 0) return m.output(this.root(), 32, 0);
        return m.digestOf(this.hash, this.waiting.rest, key, flags);
    }
    root() {
        const { key, flags } = this.mode, { rest } = this.waiting;
        if (this.values.count > 0) return this.values.root(this.#value(rest));
        if (rest.length <= 1024) return m.chunkNode(rest, key, flags);
        const two = m.subtree(rest, 0, key, flags, 2);
        return m.parentNode(two.subarray(0, 32), two.subarray(32), key, flags);
    }
}

/** Another hash of bytes as they come, block after block. */
class Blocks {
    constructor(hash, length, mode, digestBytes = 32) {
        this.hash = hash;
        this.length = length;
        this.mode = mode;
        this.digestBytes = digestBytes;
        this.rest = new Uint8Array(hash.rate);
        this.reset();
    }
    reset() {
        this.state = m.beginMessage(this.hash, this.length, this.digestBytes, this.mode.secret);
        this.count = 0;
    }
    update(data) {
        const { rate } = this.hash;
        const waiting = this.count % rate;
        this.count += data.length;
        if (waiting !== 0) {
            const taken = Math.min(data.length, rate - waiting);
            this.rest.set(data.subarray(0, taken), waiting);
            data = data.subarray(taken);
            if (waiting + taken < rate) return;
            m.addBlocks(this.hash, this.state, this.rest);
        }
        const whole = data.length - (data.length % rate);
        m.addBlocks(this.hash, this.state, data.subarray(0, whole));
        this.rest.set(data.subarray(whole));
    }
    digest() {
        const rest = this.rest.slice(0, this.count % this.hash.rate);
        return m.finishMessage(this.hash, this.state, rest, this.count).subarray(0, this.digestBytes);
    }
}

function requireMessages(hash, what) {
    if (hash.hasChunkTree || hash.rate !== 0) return;
    if (hash.isField) invalid(`${what}: '${hash.name}' hashes field elements, not bytes; hashRows takes them`);
    if (hash.leafPrefix < 0)
        invalid(`${what}: '${hash.name}' binds no length, so it hashes rows of one length; 'keccak256' takes messages`);
    invalid(`${what}: '${hash.name}' puts a prefix before a message, for leaves of trees; `
        + "'sha256' is SHA-256 of a message");
}

/** Whether the options ask for the first 32 bytes of output. */
const is32Bytes = ({ length, seek }) => (length === undefined || length === 32) && (seek === undefined || seek === 0);

export function requireOutput(hash, options, what) {
    if (options.encoding !== undefined && options.encoding !== 'hex')
        invalid(`${what}: encoding must be 'hex', or not given for bytes, got ${shown(options.encoding)}`);
    if (is32Bytes(options)) return;
    const { length } = options, most = options.encoding ? 2 ** 27 : 2 ** 32; // of text, and of bytes
    if (!hash.hasChunkTree && !hash.isKeyed)
        invalid(`${what}: length and seek are of the hash 'blake3'; '${hash.name}' has 32 bytes of output`);
    for (const name of ['length', 'seek'])
        if (options[name] !== undefined && !(Number.isSafeInteger(options[name]) && options[name] >= 0))
            invalid(`${what}: ${name} must be an integer >= 0, got ${shown(options[name])}`);
    if (hash.hasChunkTree && length > most)
        invalid(`${what}: length must be at most ${most}, got ${length}; seek gives what follows`);
    if (hash.hasChunkTree) return;
    if (options.seek !== undefined && options.seek !== 0)
        invalid(`${what}: seek is of the hash 'blake3', not of '${hash.name}'`);
    if (length < 1 || length > 32)
        invalid(`${what}: '${hash.name}' has 1 to 32 bytes of output, got ${length}; 'blake3' has any length`);
}
export const outputOf = (root, { length = 32, seek = 0 }) => m.output(root, length, seek);
/** The digest, or its digits, as the options ask. */
export const encoded = (digest, { encoding }) => (encoding === undefined ? digest : toHex(digest));

/** Chunks or Blocks, by the options. */
export function messageBegun(options, what) {
    const kind = hashNamed(options.hash ?? 'blake3', what);
    requireMessages(kind, what);
    if (kind.needsLength)
        invalid(`${what}: '${kind.name}' begins with the length of the message, so hash() takes it as a whole`);
    const mode = modeOf(kind, options, what);
    if (kind.hasChunkTree) return new Chunks(kind, mode);
    requireOutput(kind, options, what);
    return new Blocks(kind, 0, mode, options.length);
}
export function digestSoFar(message, options, what) {
    requireOutput(message.hash, options, what);
    if (!message.hash.hasChunkTree) {
        if ((options.length ?? 32) !== message.digestBytes)
            invalid(`${what}: these are digests of ${message.digestBytes} bytes, got length ${options.length}; `
                + 'hash() takes a length');
        return message.digest();
    }
    return is32Bytes(options) ? message.digest() : outputOf(message.root(), options);
}

/** Calls take(bytes) for all bytes of a stream. Some browsers cannot iterate over a ReadableStream. */
export async function readAll(stream, what, take) {
    if (typeof stream?.getReader !== 'function') {
        if (typeof stream?.[Symbol.asyncIterator] !== 'function')
            invalid(`${what}: stream must be a ReadableStream or a stream of Node, got ${shown(stream)}`);
        for await (const data of stream) take(data);
        return;
    }
    const reader = stream.getReader();
    try {
        for (let next = await reader.read(); !next.done; next = await reader.read()) take(next.value);
    } catch (error) {
        reader.cancel(error).catch(() => {}); // of a stream that failed, with its error
        throw error;
    } finally {
        reader.releaseLock();
    }
}

/** Hashes bytes as they come. */
export class Hasher {
    #state;
    constructor(options = {}) {
        requireOptions(options, hashing, 'Hasher');
        this.#state = messageBegun(options, 'Hasher');
    }
    /** Appends bytes. Returns itself. */
    update(data) {
        this.#state.update(toBytes(data, 'Hasher.update: data'));
        return this;
    }
    /** Appends all that a stream gives. */
    async updateFrom(stream) {
        await readAll(stream, 'Hasher.updateFrom', (data) => this.update(data));
        return this;
    }
    /** The digest of all bytes so far; more may follow. BLAKE3: `length` bytes of output from byte `seek` on.
     * encoding: 'hex' gives digits. */
    digest(options = {}) {
        requireOptions(options, output, 'Hasher.digest');
        return encoded(digestSoFar(this.#state, options, 'Hasher.digest'), options);
    }
    reset() {
        this.#state.reset();
        return this;
    }
    /** Bytes so far. */
    get count() {
        return this.#state.count;
    }
}

const noOptions = Object.freeze({}), outputHashing = [...hashing, ...output];

function rootOfMessage(kind, bytes, mode) {
    if (!m.isShort(kind, bytes.length)) return m.longRoot(bytes, mode.key, mode.flags);
    const whole = new Chunks(kind, mode);
    whole.update(bytes);
    return whole.root();
}
/** 32 bytes; of BLAKE2s also fewer. */
export function digestOfMessage(kind, bytes, mode = plain, length = 32) {
    const isPlain = mode.secret === undefined && length === 32;
    if (isPlain && m.isShort(kind, bytes.length)) return m.digestOf(kind, bytes, mode.key, mode.flags);
    if (kind.hasChunkTree) return m.output(rootOfMessage(kind, bytes, mode), 32, 0);
    const whole = new Blocks(kind, bytes.length, mode, length);
    whole.update(bytes);
    return whole.digest();
}

/** The digest of bytes: 32 bytes, or of BLAKE3 any `length` from byte `seek` on. encoding: 'hex' gives digits. */
export function hash(data, options = noOptions) {
    const bytes = toBytes(data, 'hash: data');
    if (options !== noOptions) requireOptions(options, outputHashing, 'hash');
    const kind = hashNamed(options.hash ?? 'blake3', 'hash');
    requireMessages(kind, 'hash');
    const mode = modeOf(kind, options, 'hash');
    if (options === noOptions) return digestOfMessage(kind, bytes, mode);
    requireOutput(kind, options, 'hash');
    if (is32Bytes(options) || !kind.hasChunkTree)
        return encoded(digestOfMessage(kind, bytes, mode, options.length), options);
    return encoded(outputOf(rootOfMessage(kind, bytes, mode), options), options);
}

/** The digests of a list of messages of any lengths, [n, 32] bytes. */
export function hashEach(messages, options = noOptions) {
    requireOptions(options, hashing, 'hashEach');
    const kind = hashNamed(options.hash ?? 'blake3', 'hashEach');
    requireMessages(kind, 'hashEach');
    const mode = modeOf(kind, options, 'hashEach');
    const digestOf = (message, i) => digestOfMessage(kind, toBytes(message, `hashEach: message ${i}`), mode);
    return joined(messagesOf(messages, 'hashEach').map(digestOf));
}

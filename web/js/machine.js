// machine.js: the WebAssembly modules as functions on JavaScript's bytes. One function without imports, because workers
// get its text.

/**
 * @param main   instance of hashes.wasm
 * @param lanes  instance of lanes.wasm on main's memory, or null where there are no vector instructions
 */
export function machine(main, lanes) {
    const wasm = main.exports;
    // The heap is behind the data of both modules, those of lanes last. BLAKE3's IV stays at its beginning.
    const ivAt = (lanes ?? main).exports.__heap_base.value, heap = ivAt + 32;
    const iv = new Uint8Array(
        Uint32Array.of(
            0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
        ).buffer,
    );
    // digest: a view of 32 bytes in room, because a copy of a view is cheaper than slice()
    let room = new Uint8Array(0), digest = room;
    scratch(iv.length);
    new Uint8Array(wasm.memory.buffer).set(iv, ivAt);
    let wide = lanes !== null;
    const fast = () => (wide ? lanes.exports : wasm);

    /** The bytes of the module's memory from its heap on, at least `bytes` of them. Valid until the next call. */
    function scratch(bytes) {
        if (bytes > room.length) {
            const missing = heap + bytes - wasm.memory.buffer.byteLength;
            if (missing > 0) wasm.memory.grow(Math.ceil(missing / 65536));
            room = new Uint8Array(wasm.memory.buffer, heap);
            digest = room.subarray(32, 64);
        }
        return room;
    }

    // ---- The table of hashes: the words of struct Hash in hashes.cpp ----

    const hashes = [];
    {
        const words = new DataView(wasm.memory.buffer);
        const bytes = new Uint8Array(wasm.memory.buffer);
        for (let i = 0; i < wasm.hash_count(); i++) {
            const at = (field) => words.getUint32(wasm.hash_table() + i * wasm.hash_stride() + 4 * field, true);
            let end = at(1);
            while (bytes[end] !== 0) end++;
            hashes.push({
                place: i,
                id: at(0),
                name: String.fromCharCode(...bytes.subarray(at(1), end)),
                wordBytes: at(2),
                modulus: (BigInt(at(4)) << 32n) | BigInt(at(3)),
                isField: (at(3) | at(4)) !== 0,
                rowUnit: at(5),
                isKeyed: at(6) !== 0,
                hasChunkTree: at(7) !== 0,
                leafPrefix: at(8) | 0,
                isPart: at(9) !== 0,
                quadId: at(10) | 0,
                rate: at(11),
                needsLength: at(12) !== 0,
            });
        }
    }

    // ---- Merges and rows ----

    const sha256 = hashes.find(({ name }) => name === 'sha256');
    const blake2sFlag = 256; // flags of a mode of BLAKE2s: 256 + bytes of the key, which is its `secret`
    const piece = 1 << 20; // bytes that go through the module's memory at once

    /** Merges `count` pairs of nodes in the module's memory, in place, by a hash without a key. */
    function mergeAt(hash, at, count) {
        if (wide && hash === sha256) lanes.exports.sha256_merge(at, at, count);
        else wasm.merge(hash.place, at, at, count);
    }
    /** digests of the pairs in `nodes`, [n, 64] bytes -> [n, 32]. key: eight words as bytes, or null. */
    function merge(hash, nodes, key, flags, out = new Uint8Array(nodes.length / 2)) {
        for (let done = 0; done < nodes.length; done += piece) {
            const part = nodes.subarray(done, done + piece);
            const memory = scratch(part.length + 32);
            memory.set(part, 32);
            if (hash.hasChunkTree && hash.isKeyed) {
                memory.set(key ?? iv);
                fast().blake3_merge(heap + 32, heap + 32, part.length / 64, heap, flags);
            } else if (flags >= blake2sFlag) {
                memory.set(key);
                wasm.blake2s_merge(heap + 32, heap + 32, part.length / 64, heap);
            } else {
                mergeAt(hash, heap + 32, part.length / 64);
            }
            out.set(memory.subarray(32, 32 + part.length / 2), done / 2);
        }
        return out;
    }

    /** Rows of `rowBytes` bytes each -> digests. With BLAKE3, a row is at most one chunk. */
    function hashRows(hash, rows, rowBytes, count) {
        const out = new Uint8Array(32 * count);
        const most = Math.max(1, Math.floor(piece / Math.max(rowBytes, 1)));
        for (let done = 0; done < count; done += most) {
            const n = Math.min(most, count - done);
            const part = rows.subarray(done * rowBytes, (done + n) * rowBytes);
            const at = 32 * n;
            const memory = scratch(at + part.length);
            memory.set(part, at);
            wasm.hash_rows(hash.place, heap + at, rowBytes / hash.rowUnit, heap, n);
            out.set(memory.subarray(0, at), 32 * done);
        }
        return out;
    }

    /** The index of the first word that is no element of the hash's field, or -1. */
    function firstNotElement(hash, words) {
        if (!hash.isField) return -1;
        for (let done = 0; done < words.length; done += piece) {
            const part = words.subarray(done, done + piece);
            scratch(part.length).set(part);
            const count = part.length / hash.wordBytes;
            const first = wasm.first_not_element(hash.place, heap, count);
            if (first !== count) return done / hash.wordBytes + first;
        }
        return -1;
    }

    // ---- Filecoin's pieces ----

    /** Merges of the pairs of nodes at the beginning of the heap: the two highest bits of a node are zeros. */
    function mergePieces(count) {
        mergeAt(sha256, heap, count);
        for (let at = 31; at < 32 * count; at += 32) room[at] &= 0x3f;
    }
    /** Makes leaves of 254 bits of some bytes, with zero leaves behind them, `count` in all, at the beginning of the
     * heap. */
    function makeLeaves(data, count) {
        const groups = Math.ceil(data.length / 127), at = 32 * count, end = at + 127 * groups, memory = scratch(end);
        memory.set(data, at);
        memory.fill(0, at + data.length, end);
        memory.fill(0, 128 * groups, at);
        wasm.fr32(heap + at, heap, groups);
        return memory;
    }
    function pieceLeaves(data) {
        const count = 4 * Math.ceil(data.length / 127);
        return makeLeaves(data, count).slice(0, 32 * count);
    }
    /** The root of 2^height leaves of some bytes and of zeros. height: at least 2 */
    function pieceRoot(data, height) {
        const memory = makeLeaves(data, 2 ** height);
        for (let n = 2 ** height / 2; n >= 1; n /= 2) mergePieces(n);
        return memory.slice(0, 32);
    }
    function pieceMerge(left, right) {
        const memory = scratch(64);
        memory.set(left);
        memory.set(right, 32);
        mergePieces(1);
        return memory.slice(0, 32);
    }

    // ---- Messages, block after block: the state is kept outside of the module between calls ----

    /** digestBytes, secret: of BLAKE2s; else 32 and undefined */
    function beginMessage(hash, length, digestBytes, secret) {
        const bytes = wasm.state_bytes(), memory = scratch(bytes + 32);
        if (digestBytes === 32 && secret === undefined) {
            wasm.message_begin(hash.place, heap, length);
        } else {
            memory.set(secret ?? [], bytes);
            wasm.blake2s_begin(heap, digestBytes, heap + bytes, secret?.length ?? 0);
        }
        return memory.slice(0, bytes);
    }
    /** The mode of BLAKE2s under a key. */
    function blake2sMode(secret) {
        const memory = scratch(64);
        memory.set(secret, 32);
        wasm.blake2s_key(heap + 32, secret.length, heap);
        return { key: memory.slice(0, 32), flags: blake2sFlag + secret.length, secret };
    }
    /** blocks: a multiple of hash.rate bytes */
    function addBlocks(hash, state, blocks) {
        const most = piece - (piece % hash.rate);
        for (let done = 0; done < blocks.length; done += most) {
            const part = blocks.subarray(done, done + most);
            const memory = scratch(state.length + part.length);
            memory.set(state);
            memory.set(part, state.length);
            wasm.message_blocks(hash.place, heap, heap + state.length, part.length / hash.rate);
            state.set(memory.subarray(0, state.length));
        }
    }
    function finishMessage(hash, state, rest, bytes) {
        const memory = scratch(state.length + rest.length + 32);
        memory.set(state);
        memory.set(rest, state.length);
        const out = state.length + ((rest.length + 7) & ~7);
        wasm.message_finish(hash.place, heap, heap + state.length, bytes >>> 0, Math.floor(bytes / 2 ** 32),
            heap + out);
        return memory.slice(out, out + 32);
    }

    // ---- A whole message in one call: one copy in, one out ----

    const stride = 1 << 18; // bytes of BLAKE3 at once: in a core's own cache

    /** Whether digestOf takes a message of this number of bytes; of BLAKE2s without a key. */
    const isShort = (hash, bytes) => bytes <= (hash.hasChunkTree ? stride : piece);
    /** The digest of a message. key, flags: BLAKE3's mode */
    function digestOf(hash, data, key, flags) {
        const n = data.length, at = 64, end = at + n + (-n & 31);
        const memory = scratch(end + (n > 1024 && hash.hasChunkTree ? 32 * Math.ceil(n / 1024) : 0));
        memory.set(data, at);
        if (!hash.hasChunkTree) {
            wasm.message(hash.place, heap + at, n, heap + 32);
        } else {
            if (key !== iv) memory.set(key);
            const keyAt = key === iv ? ivAt : heap;
            if (n <= 1024) wasm.blake3_short(heap + at, n, keyAt, flags, heap + 32);
            else fast().blake3_long(heap + at, n, keyAt, flags, heap + end, heap + 32);
        }
        return new Uint8Array(digest);
    }

    // ---- BLAKE3: values are 32 bytes; a root node is chaining value, block, length and flags: 104 bytes ----

    const parent = 4;

    /** At most `left` values of the tree above some bytes: values of subtrees, or the two below a root. */
    function subtree(data, counter, key, flags, left) {
        const values = 32 + data.length + (-data.length & 31);
        const memory = scratch(values + Math.ceil(data.length / 1024) * 32);
        memory.set(key);
        memory.set(data, 32);
        const low = counter % 2 ** 32;
        const n = fast().blake3_subtree(
            heap + 32, data.length, low, (counter - low) / 2 ** 32, heap, flags, heap + values, left,
        );
        return memory.slice(values, values + 32 * n);
    }
    function parentValue(left, right, key, flags) {
        const memory = scratch(128);
        memory.set(left);
        memory.set(right, 32);
        memory.set(key, 64);
        wasm.blake3_parent(heap, heap + 32, heap + 64, flags, heap + 96);
        return memory.slice(96, 128);
    }
    function parentNode(left, right, key, flags) {
        const node = new Uint8Array(104);
        node.set(key);
        node.set(left, 32);
        node.set(right, 64);
        node[96] = 64;
        node[100] = flags | parent;
        return node;
    }
    /** The root node of a message of one chunk. */
    function chunkNode(chunk, key, flags) {
        const memory = scratch(1024 + 32 + 104);
        memory.set(chunk);
        memory.set(key, 1024);
        wasm.blake3_chunk(heap, chunk.length, 0, 0, heap + 1024, flags, heap + 1056);
        return memory.slice(1056, 1160);
    }
    /** `length` output bytes of a root from byte `seek` on. */
    function output(node, length, seek) {
        const out = new Uint8Array(length);
        for (let done = 0; done < length; ) {
            const at = seek + done;
            const skip = at % 64, first = (at - skip) / 64;
            const blocks = Math.min(Math.ceil((skip + length - done) / 64), piece / 64);
            const memory = scratch(104 + 64 * blocks);
            memory.set(node);
            wasm.blake3_output(heap, first % 2 ** 32, Math.floor(first / 2 ** 32), heap + 104, blocks);
            const part = memory.subarray(104 + skip, 104 + Math.min(64 * blocks, skip + length - done));
            out.set(part, done);
            done += part.length;
        }
        return out;
    }

    /** The left part of BLAKE3's tree, from values of equal pieces of 2^k chunks. Each value is merged as far as
     * possible when it comes. */
    class Values {
        constructor(key, flags) {
            this.key = key;
            this.flags = flags;
            this.stack = [];
            this.count = 0;
        }
        /** More bytes must follow. */
        push(value) {
            this.count++;
            for (let n = this.count; n % 2 === 0; n /= 2)
                value = parentValue(this.stack.pop(), value, this.key, this.flags);
            this.stack.push(value);
        }
        /** The value of the whole tree, with the last piece, which may be short. */
        value(last) {
            for (let i = this.stack.length - 1; i >= 0; i--)
                last = parentValue(this.stack[i], last, this.key, this.flags);
            return last;
        }
        /** The root of the whole tree. */
        root(last) {
            for (let i = this.stack.length - 1; i >= 1; i--)
                last = parentValue(this.stack[i], last, this.key, this.flags);
            return parentNode(this.stack[0], last, this.key, this.flags);
        }
    }

    /** The pieces of some bytes from chunk `counter` on: Values of all but the last, and the last one's value. */
    function piecesOf(data, counter, key, flags) {
        const values = new Values(key, flags);
        let done = 0;
        for (; data.length - done > stride; done += stride)
            values.push(subtree(data.subarray(done, done + stride), counter + done / 1024, key, flags, 1));
        return { values, last: subtree(data.subarray(done), counter + done / 1024, key, flags, 1) };
    }
    /** The value of a part of a longer message that begins at chunk `counter`, a multiple of the part's size in chunks
     * if it is whole. */
    function partValue(data, counter, key, flags) {
        const { values, last } = piecesOf(data, counter, key, flags);
        return values.value(last);
    }
    /** The root of a whole message of more than `stride` bytes, without a copy of its last piece. */
    function longRoot(data, key, flags) {
        const { values, last } = piecesOf(data, 0, key, flags);
        return values.root(last);
    }

    return {
        hashes, iv, stride, Values, merge, hashRows, firstNotElement, pieceLeaves, pieceRoot, pieceMerge, isShort,
        digestOf, beginMessage, blake2sMode, addBlocks, finishMessage, subtree,
        parentNode, chunkNode, partValue, longRoot, output,
        get simd() {
            return wide;
        },
        set simd(on) {
            wide = on && lanes !== null;
        },
    };
}

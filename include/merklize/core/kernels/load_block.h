/* load_block.h: reads blocks of RATE bytes as little-endian words of 32 bits. */

#if MKZ_BYTES_ANYWHERE
MKZ_RARE void MKZ_HASH_BODY(load_bytes)(mkz_u32 m[MKZ_UNIT_RATE / 4], MKZ_GLOBAL const mkz_u8 *p, mkz_u32 length) {
    MKZ_NO_UNROLL for (mkz_u32 k = 0; k < MKZ_UNIT_RATE / 4; k++) {
        mkz_u32 end = length < 4 * k + 4 ? length : 4 * k + 4;
        m[k] = 0;
        MKZ_NO_UNROLL for (mkz_u32 b = 4 * k; b < end; b++) m[k] |= (mkz_u32)p[b] << 8 * (b % 4);
    }
}
#endif

#if MKZ_HAS_QUADS && MKZ_ALIGN == 1 && MKZ_LANES == 1 && MKZ_UNIT_RATE % 16 == 0
#define MKZ_BLOCKS_ARE_SHIFTED 1
/* A whole block that begins anywhere. It is read as the aligned quads around it, because a read of each byte would take
 * a GPU longer than a compression. The quads' words are then shifted to their places. Of the last quad only the block's
 * own bytes are read, unless `more` says that 16 bytes follow the block. */
MKZ_BODY void MKZ_HASH_BODY(load_shifted)(mkz_u32 m[MKZ_UNIT_RATE / 4], MKZ_GLOBAL const mkz_u8 *p, mkz_u32 more) {
    mkz_u32 words[MKZ_UNIT_RATE / 4 + 4], shift = (mkz_u32)((mkz_u64)p % 16);
    MKZ_GLOBAL const mkz_u32 *quads = (MKZ_GLOBAL const mkz_u32 *)(p - shift);
    MKZ_UNROLL for (int k = 0; k < MKZ_UNIT_RATE / 4; k += 4) MKZ_LOAD_ALIGNED_QUAD32(words + k, quads + k);
    if (more) {
        MKZ_LOAD_ALIGNED_QUAD32(words + MKZ_UNIT_RATE / 4, quads + MKZ_UNIT_RATE / 4);
    } else {
        MKZ_GLOBAL const mkz_u8 *tail = p - shift % 4 + MKZ_UNIT_RATE; /* the block's bytes in the last word */
        mkz_u32 part = 0;
        MKZ_UNROLL for (mkz_u32 b = 0; b < 3; b++) {
            if (b < shift % 4) part |= (mkz_u32)tail[b] << 8 * b;
        }
        MKZ_UNROLL for (mkz_u32 k = 0; k < 4; k++) {
            words[MKZ_UNIT_RATE / 4 + k] = part;
            if (k < shift / 4) words[MKZ_UNIT_RATE / 4 + k] = quads[MKZ_UNIT_RATE / 4 + k];
        }
    }
    MKZ_UNROLL for (int k = 0; k < MKZ_UNIT_RATE / 4 + 2; k++) words[k] = shift & 8 ? words[k + 2] : words[k];
    MKZ_UNROLL for (int k = 0; k < MKZ_UNIT_RATE / 4 + 1; k++) words[k] = shift & 4 ? words[k + 1] : words[k];
    MKZ_UNROLL for (int k = 0; k < MKZ_UNIT_RATE / 4; k++) {
        m[k] = (mkz_u32)(((mkz_u64)words[k + 1] << 32 | words[k]) >> 8 * (shift % 4));
    }
}
#else
#define MKZ_BLOCKS_ARE_SHIFTED 0
#endif

/* Block at p -> words. Only the first `length` bytes from p on exist; the others of the block count as zero. */
MKZ_BODY void MKZ_HASH_BODY(load_block)(mkz_u32 m[MKZ_UNIT_RATE / 4], MKZ_GLOBAL const mkz_u8 *p, mkz_u32 length) {
#if !defined(MKZ_TARGET_CPP) && MKZ_ALIGN >= 4 && MKZ_UNIT_RATE % 16 == 0
    mkz_u32 whole_block = length >= MKZ_UNIT_RATE;
#if MKZ_BYTES_ANYWHERE
    if ((mkz_u64)p % 16 != 0) whole_block = 0;
#endif
    if (whole_block) {
        MKZ_GLOBAL const mkz_u32 *words = (MKZ_GLOBAL const mkz_u32 *)p;
        MKZ_UNROLL for (int k = 0; k < MKZ_UNIT_RATE / 4; k += 4) MKZ_LOAD_QUAD32(m + k, words + k);
        return;
    }
#endif
#if MKZ_BLOCKS_ARE_SHIFTED
    if (length >= MKZ_UNIT_RATE) {
        MKZ_HASH_BODY(load_shifted)(m, p, length >= MKZ_UNIT_RATE + 16);
        return;
    }
#endif
#if MKZ_BYTES_ANYWHERE
    mkz_u32 bytes[MKZ_UNIT_RATE / 4]; /* in memory, because a function fills it; m stays in registers */
    MKZ_HASH_BODY(load_bytes)(bytes, p, length);
    MKZ_UNROLL for (int k = 0; k < MKZ_UNIT_RATE / 4; k++) m[k] = bytes[k];
#else
    mkz_u32 whole = length / 4, tail = 0;
    MKZ_NO_UNROLL for (mkz_u32 b = 4 * whole; b < length; b++) tail |= (mkz_u32)p[b] << 8 * (b % 4);
    MKZ_UNROLL for (mkz_u32 k = 0; k < MKZ_UNIT_RATE / 4; k++) {
        m[k] = k == whole ? tail : 0;
        if (k < whole) m[k] = MKZ_LOAD_WORD(p + 4 * k);
    }
#endif
}
#undef MKZ_BLOCKS_ARE_SHIFTED

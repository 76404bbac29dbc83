/* load_block.h: reads blocks of RATE bytes as little-endian words of 32 bits. */

#if MKZ_BYTES_ANYWHERE
MKZ_RARE void MKZ_K(load_bytes)(mkz_u32 m[MKZ_UNIT_RATE / 4], MKZ_GLOBAL const mkz_u8 *p, mkz_u32 length) {
    MKZ_NO_UNROLL for (mkz_u32 k = 0; k < MKZ_UNIT_RATE / 4; k++) {
        mkz_u32 end = length < 4 * k + 4 ? length : 4 * k + 4;
        m[k] = 0;
        MKZ_NO_UNROLL for (mkz_u32 b = 4 * k; b < end; b++) m[k] |= (mkz_u32)p[b] << 8 * (b % 4);
    }
}
#endif

/* Block at p -> words. Only the first `length` of its bytes exist; the others count as zero. */
MKZ_BODY void MKZ_K(load_block)(mkz_u32 m[MKZ_UNIT_RATE / 4], MKZ_GLOBAL const mkz_u8 *p, mkz_u32 length) {
#if !defined(MKZ_TARGET_CPP) && MKZ_ALIGN >= 4 && MKZ_UNIT_RATE % 16 == 0
    mkz_u32 whole_block = length == MKZ_UNIT_RATE;
#if MKZ_BYTES_ANYWHERE
    if ((mkz_u64)p % 16 != 0) whole_block = 0;
#endif
    if (whole_block) {
        MKZ_GLOBAL const mkz_u32 *words = (MKZ_GLOBAL const mkz_u32 *)p;
        MKZ_UNROLL for (int k = 0; k < MKZ_UNIT_RATE / 4; k += 4) MKZ_LOAD_QUAD32(m + k, words + k);
        return;
    }
#endif
#if MKZ_BYTES_ANYWHERE
    mkz_u32 bytes[MKZ_UNIT_RATE / 4]; /* in memory, because a function fills it; m stays in registers */
    MKZ_K(load_bytes)(bytes, p, length);
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

/* chunk_blocks.h: the blocks of chunks, one chunk a lane. */

#include "load_block.h"

/* Chunks -> chaining values, wherever each of them begins.
 * cv     the IV, or the mode's key words; then the values
 * at     where the chunks begin, in bytes
 * bytes  of each chunk, 0 to MKZ_UNIT_CHUNK_BYTES
 * tip    flags of each chunk's last block besides the others
 * whole  1 only if all chunks are whole and have the same tip, and only with several lanes
 * lo, hi the chunks' counters
 * flags  the mode's flags */
MKZ_BODY void MKZ_HASH_BODY(chunk_blocks)(mkz_lane32 cv[8], MKZ_GLOBAL const mkz_u8 *in, const mkz_u64 at[MKZ_LANES],
                                          const mkz_u32 bytes[MKZ_LANES], const mkz_u32 tip[MKZ_LANES], mkz_u32 whole,
                                          mkz_lane32 lo, mkz_lane32 hi, mkz_u32 flags) {
    mkz_lane32 m[16], next[16], ended[8], here, marks;
    mkz_u32 blocks[MKZ_LANES], most = 0;
    MKZ_UNROLL for (int k = 0; k < 8; k++) ended[k] = MKZ_SPLAT32(0);
    MKZ_UNROLL for (int k = 0; k < 16; k++) m[k] = MKZ_SPLAT32(0);
    MKZ_UNROLL for (int j = 0; j < MKZ_LANES; j++) {
        blocks[j] = bytes[j] == 0 ? 1 : (bytes[j] + MKZ_UNIT_RATE - 1) / MKZ_UNIT_RATE;
        most = blocks[j] > most ? blocks[j] : most;
    }
    /* One copy of the reads and one copy of the compression. The reads are MKZ_READ_AHEAD blocks ahead. */
    MKZ_NO_UNROLL for (mkz_u32 i = 0; i < most + MKZ_READ_AHEAD; i++) {
        mkz_u32 b = i - MKZ_READ_AHEAD;
        if (!MKZ_READ_AHEAD || i < most) {
            if (whole) {
                MKZ_UNROLL for (mkz_u32 j = 0; j < MKZ_LANES; j++) {
                    mkz_u32 words[16];
                    MKZ_HASH_BODY(load_block)(words, in + at[j] + MKZ_UNIT_RATE * i, MKZ_UNIT_RATE);
                    MKZ_UNROLL for (int k = 0; k < 16; k++) MKZ_LANE(mkz_u32, next[k], j) = words[k];
                }
            } else {
                mkz_u32 block[16][MKZ_LANES];
                MKZ_CUT_LANES for (mkz_u32 j = 0; j < MKZ_LANES; j++) {
                    mkz_u32 words[16], done = MKZ_UNIT_RATE * i;
                    mkz_u32 rest = MKZ_LANES == 1 || done < bytes[j] ? bytes[j] - done : 0;
                    MKZ_HASH_BODY(load_block)(words, in + at[j] + done, rest);
                    MKZ_UNROLL for (int k = 0; k < 16; k++) block[k][j] = words[k];
                }
                MKZ_UNROLL for (int k = 0; k < 16; k++) {
                    MKZ_UNROLL for (int j = 0; j < MKZ_LANES; j++) MKZ_LANE(mkz_u32, next[k], j) = block[k][j];
                }
            }
        }
        if (!MKZ_READ_AHEAD) {
            MKZ_UNROLL for (int k = 0; k < 16; k++) m[k] = next[k];
        }
        if (MKZ_READ_AHEAD && i == 0) {
            MKZ_UNROLL for (int k = 0; k < 16; k++) m[k] = next[k];
            continue;
        }
        if (whole) {
            here = MKZ_SPLAT32(MKZ_UNIT_RATE);
            marks = MKZ_SPLAT32(MKZ_HASH_FN(block_flags)(b, most, b + 1 == most ? flags | tip[0] : flags));
        } else {
            MKZ_UNROLL for (mkz_u32 j = 0; j < MKZ_LANES; j++) {
                mkz_u32 done = MKZ_UNIT_RATE * b;
                mkz_u32 rest = MKZ_LANES == 1 || done < bytes[j] ? bytes[j] - done : 0;
                MKZ_LANE(mkz_u32, here, j) = rest < MKZ_UNIT_RATE ? rest : MKZ_UNIT_RATE;
                MKZ_LANE(mkz_u32, marks, j) =
                    MKZ_HASH_FN(block_flags)(b, blocks[j], b + 1 == blocks[j] ? flags | tip[j] : flags);
            }
        }
        MKZ_HASH_FN(compress)(cv, m, lo, hi, here, marks);
        if (MKZ_READ_AHEAD) {
            MKZ_UNROLL for (int k = 0; k < 16; k++) m[k] = next[k];
        }
        /* A lane with a short chunk ends before the others. Its value is taken then; what it computes later is ignored.
         */
        if (MKZ_LANES > 1 && !whole) {
            mkz_u32 values[8][MKZ_LANES], kept[8][MKZ_LANES];
            MKZ_UNROLL for (int k = 0; k < 8; k++) {
                MKZ_UNROLL for (int j = 0; j < MKZ_LANES; j++) {
                    values[k][j] = MKZ_LANE(mkz_u32, cv[k], j);
                    kept[k][j] = MKZ_LANE(mkz_u32, ended[k], j);
                }
            }
            MKZ_CUT_LANES for (mkz_u32 j = 0; j < MKZ_LANES; j++) {
                if (b + 1 == blocks[j]) {
                    MKZ_UNROLL for (int k = 0; k < 8; k++) kept[k][j] = values[k][j];
                }
            }
            MKZ_UNROLL for (int k = 0; k < 8; k++) {
                MKZ_UNROLL for (int j = 0; j < MKZ_LANES; j++) MKZ_LANE(mkz_u32, ended[k], j) = kept[k][j];
            }
        }
    }
    if (MKZ_LANES > 1 && !whole) {
        MKZ_UNROLL for (int k = 0; k < 8; k++) cv[k] = ended[k];
    }
}

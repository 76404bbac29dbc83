/* keccak_f1600.h: the permutation Keccak-f[1600] (FIPS 202, G. Bertoni, J. Daemen, M. Peeters, G. Van Assche) on 64-bit
 * lanes, and the functions of a unit that includes this file: a sponge over it with a rate of 136 bytes.
 *
 *   PAD_BYTE 1    Keccak-256, the original padding, as Ethereum has it
 *   PAD_BYTE 6    SHA3-256
 *   no PAD_BYTE   no padding: a block replaces the first words of the state, where the others are added to them */
#ifndef MKZ_KECCAK_F1600_H
#define MKZ_KECCAK_F1600_H

#include "../port.h"

#define MKZ_KECCAK_ROUNDS 24

MKZ_TABLE mkz_u64 mkz_keccak_round_constants[MKZ_KECCAK_ROUNDS] = {
    MKZ_U64(0x0000000000000001), MKZ_U64(0x0000000000008082), MKZ_U64(0x800000000000808a), MKZ_U64(0x8000000080008000),
    MKZ_U64(0x000000000000808b), MKZ_U64(0x0000000080000001), MKZ_U64(0x8000000080008081), MKZ_U64(0x8000000000008009),
    MKZ_U64(0x000000000000008a), MKZ_U64(0x0000000000000088), MKZ_U64(0x0000000080008009), MKZ_U64(0x000000008000000a),
    MKZ_U64(0x000000008000808b), MKZ_U64(0x800000000000008b), MKZ_U64(0x8000000000008089), MKZ_U64(0x8000000000008003),
    MKZ_U64(0x8000000000008002), MKZ_U64(0x8000000000000080), MKZ_U64(0x000000000000800a), MKZ_U64(0x800000008000000a),
    MKZ_U64(0x8000000080008081), MKZ_U64(0x8000000000008080), MKZ_U64(0x0000000080000001), MKZ_U64(0x8000000080008008),
};

/* Theta adds the two columns beside it to each word. On GPUs that is one operation of three operands for each word;
 * processors, which have fewer registers, add the columns to each other first. */
#if MKZ_NVIDIA_PTX
#define MKZ_KECCAK_ADD_COLUMNS(word, x) MKZ_XOR3(word, c[((x) + 4) % 5], d[x])
#else
#define MKZ_KECCAK_ADD_COLUMNS(word, x) ((word) ^ d[x])
#endif

/* The permutation in place. Word x + 5 y is the lane (x, y). */
MKZ_FN_CALL void mkz_keccak_f1600(mkz_lane64 s[25]) {
    MKZ_NO_UNROLL for (int round = 0; round < MKZ_KECCAK_ROUNDS; round++) {
        mkz_lane64 c[5], d[5], moved;
        MKZ_UNROLL for (int x = 0; x < 5; x++) c[x] =
            MKZ_XOR3(MKZ_XOR3(s[x], s[x + 5], s[x + 10]), s[x + 15], s[x + 20]);
        MKZ_UNROLL for (int x = 0; x < 5; x++) {
            d[x] = MKZ_ROTL64(c[(x + 1) % 5], 1);
#if !MKZ_NVIDIA_PTX
            d[x] = d[x] ^ c[(x + 4) % 5];
#endif
        }
        /* Theta, rho and pi: each word is rotated and goes where the next one was. */
        s[0] = MKZ_KECCAK_ADD_COLUMNS(s[0], 0);
        moved = MKZ_KECCAK_ADD_COLUMNS(s[1], 1);
#define MKZ_KECCAK_MOVE(to, n)                                     \
    do {                                                           \
        mkz_lane64 next = MKZ_KECCAK_ADD_COLUMNS(s[to], (to) % 5); \
        s[to] = MKZ_ROTL64(moved, n);                              \
        moved = next;                                              \
    } while (0)
        MKZ_KECCAK_MOVE(10, 1);
        MKZ_KECCAK_MOVE(7, 3);
        MKZ_KECCAK_MOVE(11, 6);
        MKZ_KECCAK_MOVE(17, 10);
        MKZ_KECCAK_MOVE(18, 15);
        MKZ_KECCAK_MOVE(3, 21);
        MKZ_KECCAK_MOVE(5, 28);
        MKZ_KECCAK_MOVE(16, 36);
        MKZ_KECCAK_MOVE(8, 45);
        MKZ_KECCAK_MOVE(21, 55);
        MKZ_KECCAK_MOVE(24, 2);
        MKZ_KECCAK_MOVE(4, 14);
        MKZ_KECCAK_MOVE(15, 27);
        MKZ_KECCAK_MOVE(23, 41);
        MKZ_KECCAK_MOVE(19, 56);
        MKZ_KECCAK_MOVE(13, 8);
        MKZ_KECCAK_MOVE(12, 25);
        MKZ_KECCAK_MOVE(2, 43);
        MKZ_KECCAK_MOVE(20, 62);
        MKZ_KECCAK_MOVE(14, 18);
        MKZ_KECCAK_MOVE(22, 39);
        MKZ_KECCAK_MOVE(9, 61);
        MKZ_KECCAK_MOVE(6, 20);
        MKZ_KECCAK_MOVE(1, 44);
#undef MKZ_KECCAK_MOVE
        /* Chi, row by row. */
        MKZ_UNROLL for (int y = 0; y < 25; y += 5) {
            mkz_lane64 first = s[y], second = s[y + 1];
            s[y] = MKZ_XOR_ANDNOT(first, second, s[y + 2]);
            s[y + 1] = MKZ_XOR_ANDNOT(second, s[y + 2], s[y + 3]);
            s[y + 2] = MKZ_XOR_ANDNOT(s[y + 2], s[y + 3], s[y + 4]);
            s[y + 3] = MKZ_XOR_ANDNOT(s[y + 3], s[y + 4], first);
            s[y + 4] = MKZ_XOR_ANDNOT(s[y + 4], first, second);
        }
        s[0] = s[0] ^ MKZ_SPLAT64(mkz_keccak_round_constants[round]);
    }
}

#endif /* MKZ_KECCAK_F1600_H */

#ifdef MKZ_UNIT_NAME
#include "../names.h"

MKZ_FN void MKZ_HASH_FN(init)(mkz_lane64 s[25], mkz_u64 bytes) {
    (void)bytes;
    for (int k = 0; k < 25; k++) s[k] = MKZ_SPLAT64(0);
}

#ifdef MKZ_UNIT_PAD_BYTE
/* If the message ends with a full block, the padding is one more block. */
MKZ_FN mkz_u64 MKZ_HASH_FN(blocks)(mkz_u64 bytes) { return bytes / 136 + 1; }

/* The top bit of the last block's last byte ends the padding. */
MKZ_FN void MKZ_HASH_FN(absorb)(mkz_lane64 s[25], const mkz_lane64 block[17], mkz_u64 b, mkz_u64 blocks,
                                mkz_u64 bytes) {
    (void)bytes;
    for (int k = 0; k < 17; k++) s[k] = s[k] ^ block[k];
    if (b + 1 == blocks) s[16] = s[16] ^ MKZ_SPLAT64((mkz_u64)1 << 63);
    mkz_keccak_f1600(s);
}
#else
MKZ_FN mkz_u64 MKZ_HASH_FN(blocks)(mkz_u64 bytes) { return (bytes + 135) / 136; }

/* The last block replaces as many words as it has; zeros fill its last word. */
MKZ_FN void MKZ_HASH_FN(absorb)(mkz_lane64 s[25], const mkz_lane64 block[17], mkz_u64 b, mkz_u64 blocks,
                                mkz_u64 bytes) {
    int words = b + 1 == blocks ? (int)((bytes - 136 * b + 7) / 8) : 17;
    MKZ_UNROLL for (int k = 0; k < 17; k++) {
        if (k < words) s[k] = block[k];
    }
    mkz_keccak_f1600(s);
}
#endif

MKZ_FN void MKZ_HASH_FN(digest)(mkz_lane64 out[4], const mkz_lane64 s[25]) {
    for (int k = 0; k < 4; k++) out[k] = s[k];
}

/* The hash of the 64 bytes left || right. */
MKZ_FN void MKZ_HASH_FN(pair)(mkz_lane64 out[4], const mkz_lane64 left[4], const mkz_lane64 right[4]) {
    mkz_lane64 s[25];
    MKZ_HASH_FN(init)(s, 64);
    for (int k = 0; k < 4; k++) {
        s[k] = left[k];
        s[k + 4] = right[k];
    }
#ifdef MKZ_UNIT_PAD_BYTE
    s[8] = MKZ_SPLAT64(MKZ_UNIT_PAD_BYTE);
    s[16] = MKZ_SPLAT64((mkz_u64)1 << 63);
#endif
    mkz_keccak_f1600(s);
    MKZ_HASH_FN(digest)(out, s);
}
#endif

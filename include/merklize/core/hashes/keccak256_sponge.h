/* keccak256_sponge.h: Keccak with a rate of 136 bytes. The unit's PAD_BYTE follows the message (1: the original padding, as
 * Ethereum has it; 6: SHA3-256), and the top bit of the last block's last byte is set. Functions of the unit that includes it. */
#include "../names.h"
#include "keccak_f1600.h"

MKZ_FN void MKZ_HASH_FN(init)(mkz_lane64 s[25], mkz_u64 bytes) {
    (void)bytes;
    for (int k = 0; k < 25; k++) s[k] = MKZ_SPLAT64(0);
}

/* If the message ends with a full block, the padding is one more block. */
MKZ_FN mkz_u64 MKZ_HASH_FN(blocks)(mkz_u64 bytes) { return bytes / 136 + 1; }

MKZ_FN void MKZ_HASH_FN(absorb)(mkz_lane64 s[25], const mkz_lane64 block[17], mkz_u64 b, mkz_u64 blocks,
                                mkz_u64 bytes) {
    (void)bytes;
    for (int k = 0; k < 17; k++) s[k] = s[k] ^ block[k];
    if (b + 1 == blocks) s[16] = s[16] ^ MKZ_SPLAT64((mkz_u64)1 << 63);
    mkz_keccak_f1600(s);
}

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
    s[8] = MKZ_SPLAT64(MKZ_UNIT_PAD_BYTE);
    s[16] = MKZ_SPLAT64((mkz_u64)1 << 63);
    mkz_keccak_f1600(s);
    MKZ_HASH_FN(digest)(out, s);
}

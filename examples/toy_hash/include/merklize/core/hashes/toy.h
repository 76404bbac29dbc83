/* toy.h: a sponge of bytes on 64-bit words, for the test of docs/add-a-hash.md. Not secure.
 *
 * The state is 5 words, at first zeros, but the last word is 1 in a merge. Each block of 24 bytes is added (xor) to
 * words 0 to 2, then the state is permuted. The byte 1 and zeros follow the message, and the top bit of the last
 * block's last byte is flipped. The digest is words 0 to 3. merge(l, r) hashes the 64 bytes l || r. */
#define MKZ_UNIT_ID 100
#define MKZ_UNIT_NAME toy
#define MKZ_UNIT_WORD_BITS 64
#define MKZ_UNIT_RATE 24
#define MKZ_UNIT_STATE_WORDS 5
#define MKZ_UNIT_PAD_BYTE 1

#ifdef MKZ_RESET
#undef MKZ_TOY_H
#elif !defined(MKZ_HASH) && !defined(MKZ_TOY_H)
#define MKZ_TOY_H

#include "../port.h"

/* Eight rounds: s[i] += ((s[i + 1] rotated left by 17) ^ s[i + 2]) + c, with indices mod 5. Step n (from 1) has c = n
 * times an odd constant. */
MKZ_FN void mkz_toy_permute(mkz_lane64 s[5]) {
    MKZ_NO_UNROLL for (int r = 0; r < 8; r++) {
        MKZ_UNROLL for (int i = 0; i < 5; i++) {
            mkz_lane64 x = s[(i + 1) % 5];
            x = ((x << 17) | (x >> 47)) ^ s[(i + 2) % 5];
            s[i] = s[i] + (x + MKZ_SPLAT64(MKZ_U64(0x9e3779b97f4a7c15) * (mkz_u64)(5 * r + i + 1)));
        }
    }
}

MKZ_FN void mkz_toy_init(mkz_lane64 s[5], mkz_u64 bytes) {
    (void)bytes;
    for (int k = 0; k < 5; k++) s[k] = MKZ_SPLAT64(0);
}

/* If the message ends with a full block, the byte 1 begins one more block. */
MKZ_FN mkz_u64 mkz_toy_blocks(mkz_u64 bytes) { return bytes / 24 + 1; }

MKZ_FN void mkz_toy_absorb(mkz_lane64 s[5], const mkz_lane64 block[3], mkz_u64 b, mkz_u64 blocks, mkz_u64 bytes) {
    (void)bytes;
    for (int k = 0; k < 3; k++) s[k] = s[k] ^ block[k];
    if (b + 1 == blocks) s[2] = s[2] ^ MKZ_SPLAT64((mkz_u64)1 << 63);
    mkz_toy_permute(s);
}

MKZ_FN void mkz_toy_digest(mkz_lane64 out[4], const mkz_lane64 s[5]) {
    for (int k = 0; k < 4; k++) out[k] = s[k];
}

MKZ_FN void mkz_toy_merge(mkz_lane64 out[4], const mkz_lane64 left[4], const mkz_lane64 right[4]) {
    mkz_lane64 s[5], words[9];
    for (int k = 0; k < 4; k++) {
        words[k] = left[k];
        words[k + 4] = right[k];
    }
    words[8] = MKZ_SPLAT64(1);
    mkz_toy_init(s, 64);
    s[4] = MKZ_SPLAT64(1);
    MKZ_NO_UNROLL for (int b = 0; b < 3; b++) mkz_toy_absorb(s, words + 3 * b, (mkz_u64)b, 3, 64);
    mkz_toy_digest(out, s);
}

#endif /* MKZ_TOY_H */
#include "../unit.h"

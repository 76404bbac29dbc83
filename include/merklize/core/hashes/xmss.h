/* xmss.h: leaves and nodes of Ethereum's XMSS keys, on BLAKE2s. Included by blake2s.h.
 *
 * Everything is T(kind, sub, index, payload): the first 16 bytes of BLAKE2s of a tweak of 16 bytes (kind, sub and
 * index), a parameter of 16 bytes that each key has, and a payload. A value is 4 words.
 *
 *   secret of chain i at epoch e   T(0, i, e, seed), then 7 steps: step k is T(1, 8 i + k, e, value)
 *   leaf of epoch e                T(2, 0, e, the ends of the 42 chains)
 *   node i of level l              T(3, l, i, left || right); a filler T(6, l, i, seed) if no epoch is below it */
#ifndef MKZ_XMSS_H
#define MKZ_XMSS_H

#define MKZ_XMSS_SECRET 0
#define MKZ_XMSS_CHAIN 1
#define MKZ_XMSS_LEAF 2
#define MKZ_XMSS_NODE 3
#define MKZ_XMSS_ENCODING 4
#define MKZ_XMSS_PARAMETER 5
#define MKZ_XMSS_FILLER 6
#define MKZ_XMSS_RANDOMIZER 7

#define MKZ_XMSS_CHAINS 42
#define MKZ_XMSS_STEPS 8

/* Words of a key in memory: the seed, the parameter, zeros. */
#define MKZ_XMSS_KEY_WORDS 16

/* The first half of a block: tweak and parameter. */
MKZ_FN void mkz_xmss_tweak(mkz_lane32 m[8], mkz_lane32 kind, mkz_lane32 sub, mkz_lane32 index, const mkz_lane32 p[4]) {
    m[0] = kind << 8;
    m[1] = sub;
    m[2] = MKZ_SPLAT32(0);
    m[3] = index;
    for (int k = 0; k < 4; k++) m[4 + k] = p[k];
}

/* T of a message of one block. */
MKZ_FN void mkz_xmss_hash(mkz_lane32 out[4], const mkz_lane32 m[16], mkz_u32 bytes) {
    mkz_lane32 h[8];
    mkz_blake2s_begin(h, 32, 0);
    mkz_blake2s_compress(h, m, bytes, 1);
    for (int k = 0; k < 4; k++) out[k] = h[k];
}

/* value: the end of a chain. */
MKZ_FN void mkz_xmss_end(mkz_lane32 value[4], const mkz_lane32 p[4], const mkz_lane32 seed[8], mkz_u32 chain,
                         mkz_lane32 epoch) {
    mkz_lane32 m[16];
    mkz_xmss_tweak(m, MKZ_SPLAT32(MKZ_XMSS_SECRET), MKZ_SPLAT32(chain), epoch, p);
    for (int k = 0; k < 8; k++) m[8 + k] = seed[k];
    mkz_xmss_hash(value, m, 64);
    MKZ_NO_UNROLL for (mkz_u32 step = 0; step + 1 < MKZ_XMSS_STEPS; step++) {
        mkz_xmss_tweak(m, MKZ_SPLAT32(MKZ_XMSS_CHAIN), MKZ_SPLAT32(MKZ_XMSS_STEPS * chain + step), epoch, p);
        for (int k = 0; k < 4; k++) {
            m[8 + k] = value[k];
            m[12 + k] = MKZ_SPLAT32(0);
        }
        mkz_xmss_hash(value, m, 48);
    }
}

/* Each end goes into the leaf's hash when it is made: it is shifted into a block, behind the tweak or other ends. */
MKZ_FN void mkz_xmss_leaf(mkz_lane32 out[4], const mkz_lane32 p[4], const mkz_lane32 seed[8], mkz_lane32 epoch) {
    mkz_lane32 h[8], block[16];
    for (int k = 0; k < 8; k++) block[k] = MKZ_SPLAT32(0);
    mkz_xmss_tweak(block + 8, MKZ_SPLAT32(MKZ_XMSS_LEAF), MKZ_SPLAT32(0), epoch, p);
    mkz_blake2s_begin(h, 32, 0);
    MKZ_NO_UNROLL for (mkz_u32 chain = 0; chain < MKZ_XMSS_CHAINS; chain++) {
        for (int k = 0; k < 12; k++) block[k] = block[k + 4];
        mkz_xmss_end(block + 12, p, seed, chain, epoch);
        if (chain % 4 == 1) mkz_blake2s_compress(h, block, 16 * (chain + 3), chain + 1 == MKZ_XMSS_CHAINS);
    }
    for (int k = 0; k < 4; k++) out[k] = h[k];
}

/* is_there: all ones in a lane whose node has an epoch of the key below it, else zero. Other lanes get a filler. */
MKZ_FN void mkz_xmss_node(mkz_lane32 out[4], const mkz_lane32 p[4], const mkz_lane32 seed[8], mkz_u32 level,
                          mkz_lane32 index, const mkz_lane32 left[4], const mkz_lane32 right[4], mkz_lane32 is_there) {
    mkz_lane32 m[16], kind = MKZ_SPLAT32(MKZ_XMSS_FILLER);
    mkz_xmss_tweak(m, kind ^ ((kind ^ MKZ_SPLAT32(MKZ_XMSS_NODE)) & is_there), MKZ_SPLAT32(level), index, p);
    for (int k = 0; k < 4; k++) {
        m[8 + k] = seed[k] ^ ((seed[k] ^ left[k]) & is_there);
        m[12 + k] = seed[4 + k] ^ ((seed[4 + k] ^ right[k]) & is_there);
    }
    mkz_xmss_hash(out, m, 64);
}

#endif /* MKZ_XMSS_H */

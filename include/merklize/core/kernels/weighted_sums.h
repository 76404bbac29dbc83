/* weighted_sums.h: sums of the words of a matrix along its rows or its columns, each word times the words of a weight:
 * the product of the matrix with a thin one.
 *
 * A sum has `degree` words, and so has a weight. Some items of a group, the slices, share the terms of a sum and add up
 * their parts in local memory. Where terms are rows, groups share them, too: each part of the terms has its own sums,
 * which the host adds. */
#ifndef MKZ_WEIGHTED_SUMS_H
#define MKZ_WEIGHTED_SUMS_H

#include "extend.h"

#define MKZ_SUMS_DEGREE 8    /* the greatest one */
#define MKZ_SUMS_LOG_ITEMS 7 /* of a group at most, so a group has up to 8 KiB of local memory */
#define MKZ_SUMS_TILE (MKZ_SUMS_DEGREE << MKZ_SUMS_LOG_ITEMS)

/* Offsets and strides are in words, mod 2^64: of any sign. */
typedef struct mkz_sums_shape {
    mkz_u64 in_offset, term_stride, sum_stride; /* strides between terms of a sum, and between the same term of sums */
    mkz_u64 first_weight;                       /* words before the weight of the first term */
    mkz_u64 terms, sums;
    mkz_u64 parts; /* groups that share the terms of a sum */
    mkz_u64 modulus;
    mkz_u32 degree;
    mkz_u32 log_slices, log_sums; /* of a group */
    mkz_u32 is_across;            /* 1: neighbouring items take neighbouring terms; 0: neighbouring sums */
    mkz_u32 is_checked; /* 1: a word that is not below the modulus is noted; 0: it stands for its value mod p */
    mkz_u32 reserved;
} mkz_sums_shape;

#define MKZ_UNIT_WORD_BITS 32
#include "weighted_sums_words.h"
#undef MKZ_UNIT_WORD_BITS
#define MKZ_UNIT_WORD_BITS 64
#include "weighted_sums_words.h"
#undef MKZ_UNIT_WORD_BITS

#endif /* MKZ_WEIGHTED_SUMS_H */

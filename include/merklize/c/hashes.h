/* merklize/c/hashes.h: the hashes, their modes, and instances of Poseidon2 and Poseidon.
 * Its structs and constants are written by scripts/surface.py from scripts/surface.toml. */
#ifndef MERKLIZE_C_HASHES_H
#define MERKLIZE_C_HASHES_H

#include <merklize/c/values.h>

/* A hash of Merkle trees: an id that is stored in proof and tree files. docs/hashes.md defines each one. The constants
 * are MERKLIZE_HASH_blake3 and so on, with the name of the hash as it is written everywhere. */
typedef uint32_t merklize_hash_id;
enum {
#define MKZ_HASH(id, name) MERKLIZE_HASH_##name = id,
#include <merklize/core/hashes.h>
    MERKLIZE_HASH_rp64_256 = MERKLIZE_HASH_rp64_256_v3 /* today's Winterfell */
};

typedef struct merklize_hash_info {
    merklize_hash_id hash;
    uint32_t is_field;      /* 1: digests and rows are field elements, little-endian words below the modulus */
    uint32_t element_bytes; /* bytes of one element of a row: 4 or 8; 1 for a hash of bytes */
    uint64_t modulus;       /* of a field hash; 0 for a hash of bytes */
    char name[32];
} merklize_hash_info;

/* Number of hashes. */
MERKLIZE_C_API size_t merklize_hash_count(void);
/* index   below merklize_hash_count(); hashes are in the order of their ids
 * info    written
 * errors  invalid_argument (index) */
MERKLIZE_C_API merklize_status merklize_hash_describe(size_t index, merklize_hash_info *info);
/* name    as in docs/hashes.md
 * errors  invalid_argument (an unknown name; the text lists the known ones) */
MERKLIZE_C_API merklize_status merklize_hash_from_name(const char *name, merklize_hash_id *hash);

/* Prime fields with roots of unity of order 2^k: `field` of merklize_poseidon2, merklize_poseidon and
 * merklize_extend_form. */
enum {
    MERKLIZE_FIELD_GOLDILOCKS = 0, /* 2^64 - 2^32 + 1, words of 8 bytes, k = 32. The S-box of Poseidon2 is x^7 */
    MERKLIZE_FIELD_BABYBEAR = 1,   /* 2^31 - 2^27 + 1, words of 4 bytes, k = 27. The S-box of Poseidon2 is x^7 */
    MERKLIZE_FIELD_KOALABEAR = 2   /* 2^31 - 2^24 + 1, words of 4 bytes, k = 24. The S-box of Poseidon2 is x^3 */
};

/* An instance of Poseidon2: a prover's own constants. docs/hashes.md has the permutation and the sponge. Words are
 * below the modulus. */
typedef struct merklize_poseidon2 {
    uint32_t field;            /* the field of all words: MERKLIZE_FIELD_... */
    uint32_t width;            /* cells: 8, 12 or 16 over Goldilocks, 16, 24 or 32 over the others */
    uint32_t rate;             /* words of a row that one permutation takes: 1 to width - 1. Of a quad: width */
    uint32_t external_rounds;  /* half of them before the internal rounds, half after: even, 2 to 64 */
    uint32_t internal_rounds;  /* 1 to 256 */
    const uint64_t *constants; /* in the order of use: initial, internal, terminal rounds */
    size_t constant_count;     /* external_rounds * width + internal_rounds */
    const uint64_t *diagonal;  /* an internal round sets cell i to sum of all cells + diagonal[i] * cell i */
    size_t diagonal_count;     /* width */
} merklize_poseidon2;

/* Registers a hash with these constants. It works wherever a hash does. The id is valid in this process only: files and
 * proofs store a digest of the constants instead.
 * instance  copied
 * quad      the permutation that merges four nodes of a commitment (arity 4), copied: over the same field, with width
 *           and rate 16 over Goldilocks and 32 over the others. Null: arity 4 is refused
 * hash      written: the same id for the same constants
 * errors    invalid_argument (shapes, a word that is not below the modulus, a diagonal whose internal round has no
 *           inverse, a quad over another field, more than 127 sets of constants) */
MERKLIZE_C_API merklize_status merklize_hash_poseidon2(const merklize_poseidon2 *instance,
                                                       const merklize_poseidon2 *quad, merklize_hash_id *hash);

/* An instance of Poseidon, version 1: a prover's own constants. docs/hashes.md has the permutation. Words are below
 * the modulus. */
typedef struct merklize_poseidon {
    uint32_t field;            /* the field of all words: MERKLIZE_FIELD_... */
    uint32_t width;            /* cells: 8 or 12 over Goldilocks, 16 or 24 over the others */
    uint32_t rate;             /* words of a row that one permutation takes: 1 to width - 1 */
    uint32_t full_rounds;      /* half of them before the partial rounds, half after: even, 2 to 64 */
    uint32_t partial_rounds;   /* 1 to 256 */
    const uint64_t *constants; /* `width` words for each round, in the order of use */
    size_t constant_count;     /* (full_rounds + partial_rounds) * width */
    const uint64_t *matrix;    /* the MDS matrix, row after row; or the first row of a circulant one */
    size_t matrix_count;       /* width * width; or width: each row is the one above it moved right by a cell */
} merklize_poseidon;

/* The same for Poseidon. Such a hash has no merge of four: arity 4 is refused.
 * instance  copied
 * hash      written: the same id for the same constants
 * errors    invalid_argument (as of merklize_hash_poseidon2(); a matrix of another size, or without an inverse; or one
 *           without an inverse when its first row and column are left out, which no MDS matrix is) */
MERKLIZE_C_API merklize_status merklize_hash_poseidon(const merklize_poseidon *instance, merklize_hash_id *hash);

/* Facts of any hash, also of those of merklize_hash_poseidon2() and merklize_hash_poseidon(), which
 * merklize_hash_describe() does not list.
 * info    written. A name of more than 31 bytes becomes "": merklize_hash_name() gives the whole name
 * errors  invalid_argument (an unknown id) */
MERKLIZE_C_API merklize_status merklize_hash_get_info(merklize_hash_id hash, merklize_hash_info *info);
/* The name of any hash, which merklize_hash_from_name() takes.
 * text    written, with a zero byte at its end; may be null if capacity is 0
 * length  written if not null: bytes of the text without the zero byte, also if capacity is too small
 * errors  too_small, invalid_argument (an unknown id) */
MERKLIZE_C_API merklize_status merklize_hash_name(merklize_hash_id hash, char *text, size_t capacity, size_t *length);

/* A mode of a hash. Null, or no key and no context: the plain hash. Only the hashes blake3 and blake2s have modes.
 * Secrets are copied for the call and wiped after it. */
typedef struct merklize_mode {
    const uint8_t *key; /* the keyed hash: exactly 32 bytes; of blake2s 1 to 32 */
    size_t key_bytes;
    const char *context; /* derive_key, of blake3: a globally unique text, the purpose; the data is key material */
    size_t context_bytes;
} merklize_mode;

#endif

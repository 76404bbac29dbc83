/* merklize/c/matrices.h: rows of matrices, extensions, and commitments.
 * Its structs and constants are written by scripts/surface.py from scripts/surface.toml. */
#ifndef MERKLIZE_C_MATRICES_H
#define MERKLIZE_C_MATRICES_H

#include <merklize/c/hashes.h>
#include <merklize/c/options.h>

/* How the words of a matrix stand for field elements. */
enum {
    MERKLIZE_ELEMENTS_CANONICAL = 0, /* each word must be below the modulus p, which is checked */
    MERKLIZE_ELEMENTS_ANY = 1,       /* any word, which stands for its value mod p */
    MERKLIZE_ELEMENTS_MONTGOMERY = 2 /* a word of b bits is 2^b x mod p and stands for x */
};

/* A matrix of words, which is only read. The word of row i and column k is `i * row_stride + k * column_stride`
 * words after the first. */
typedef struct merklize_matrix {
    const void *words;             /* host memory: the word of row 0 and column 0; or null, with a buffer */
    const merklize_buffer *buffer; /* memory of a device that holds all words; or null */
    uint64_t first;                /* bytes of the buffer before the word of row 0 and column 0 */
    uint64_t rows;
    uint64_t columns;
    int64_t row_stride;    /* in words, of any sign: row-major matrices have `columns` and 1 */
    int64_t column_stride; /* column-major ones have 1 and `rows` */
    uint32_t word_bytes;   /* 1, 4, 8 or 16; for a field hash merklize_hash_info.element_bytes */
    uint32_t elements; /* MERKLIZE_ELEMENTS_..., the same in all matrices of a call; for openings of rows canonical */
} merklize_matrix;

/* Digests of the rows of several matrices side by side: out[i] is the hash of row i of all matrices, one after another,
 * as one row.
 * matrices    [count], each with n rows; all in host memory, or all on one device. Host memory goes to a device in
 *             pieces, while it hashes
 * montgomery  0, or a modulus p of at most 31 bits: a hash of bytes then hashes 2^32 x mod p in place of each 4-byte
 *             word x < p
 * mode        of blake3; null: plain
 * out         [n] digests; undefined after an error. In a buffer: of the matrices' device, if they are on one
 * errors      invalid_argument (sizes that do not fit; a word that is not below the modulus, with its row and column)
 */
MERKLIZE_C_API merklize_status merklize_hash_rows(const merklize_matrix *matrices, size_t count, merklize_hash_id hash,
                                                  uint32_t montgomery, const merklize_mode *mode, merklize_output out,
                                                  const merklize_run_options *options);

/* The order of the rows of an extension of N rows. */
enum {
    MERKLIZE_ROW_ORDER_NATURAL = 0,     /* row i has the values at shift g^i, where g has order N */
    MERKLIZE_ROW_ORDER_BIT_REVERSED = 1 /* row i has those of row j, where j is i with its log2 N bits in reverse */
};

typedef struct merklize_extend_form {
    uint32_t field;      /* MERKLIZE_FIELD_...; its generator and its roots of unity are Plonky3's */
    uint32_t added_bits; /* the extension has 2^added_bits times the rows */
    uint64_t shift;      /* of the coset, below p; 0: the field's generator */
    uint32_t order;      /* MERKLIZE_ROW_ORDER_... */
} merklize_extend_form;

/* The low-degree extension of each column of a matrix: the values of its polynomial on a coset. A matrix of n rows has
 * the values at the powers of the root of unity of order n.
 * matrix  2^k rows, in host memory or in that of a device, which then computes. Words in Montgomery form give words in
 *         Montgomery form
 * out     rows 2^added_bits times columns words, row after row; must not overlap the matrix; undefined after an error.
 *         In a buffer: of the matrix's device, if it is on one
 * errors  invalid_argument (a number of rows that is no power of two, or that the field has no root for; sizes; an
 *         overlap; a word that is not below p, with its row and column), out_of_memory, cancelled */
MERKLIZE_C_API merklize_status merklize_extend(const merklize_matrix *matrix, const merklize_extend_form *form,
                                               merklize_output out, const merklize_run_options *options);

/* What merklize_weighted_sums() adds up. */
enum {
    MERKLIZE_SUM_OVER_ROWS = 0,   /* a sum for each column: of all rows, each times its weight */
    MERKLIZE_SUM_OVER_COLUMNS = 1 /* a sum for each row: of all columns, each times its weight */
};

typedef struct merklize_sum_form {
    uint32_t field;  /* MERKLIZE_FIELD_... */
    uint32_t over;   /* MERKLIZE_SUM_OVER_... */
    uint32_t degree; /* words of a weight, 1 to 8: an element of an extension of this degree, say */
} merklize_sum_form;

/* Sums of the words of a matrix along its rows or its columns, each word times the words of a weight: the product of
 * the matrix with `degree` vectors.
 * matrix   in host memory or in that of a device, which then computes
 * weights  [weight_bytes]: `degree` words of the field's size for each row, or each column, one weight after another,
 *          in the form of the matrix's words
 * out      [out_bytes] of the host, written: `degree` words below p for each column, or each row, in the form of the
 *          matrix's words; undefined after an error; must not overlap the matrix or the weights
 * errors   invalid_argument (sizes; a word that is not below p, with its row and column, or its weight), out_of_memory,
 *          cancelled */
MERKLIZE_C_API merklize_status merklize_weighted_sums(const merklize_matrix *matrix, const void *weights,
                                                      uint64_t weight_bytes, const merklize_sum_form *form, void *out,
                                                      uint64_t out_bytes, const merklize_run_options *options);

/* What a step of merklize_evaluate_constraints() does. */
enum {
    MERKLIZE_CONSTRAINT_OP_ADD = 0,      /* slot `to` becomes a + b */
    MERKLIZE_CONSTRAINT_OP_SUBTRACT = 1, /* slot `to` becomes a - b */
    MERKLIZE_CONSTRAINT_OP_MULTIPLY = 2, /* slot `to` becomes a b */
    MERKLIZE_CONSTRAINT_OP_SUM = 3       /* adds a times the weight of number b to the point's sum */
};

/* A step of a program. The three highest bits of an operand say what it is, the other bits its number: 0 a slot, 1 a
 * scalar, 2 + 2 m a column of matrix m in the row of the point, 3 + 2 m a column of it in the point's next row. */
typedef struct merklize_constraint_step {
    uint32_t op; /* MERKLIZE_CONSTRAINT_OP_... */
    uint32_t to; /* a slot, 0 to 63; of a sum 0 */
    uint32_t a;  /* an operand */
    uint32_t b;  /* an operand; of a sum the number of a weight */
} merklize_constraint_step;

/* The polynomials, and the points at which they are evaluated. */
typedef struct merklize_constraint_form {
    const merklize_constraint_step *steps;
    uint64_t n_steps;    /* up to 2^24 */
    const void *scalars; /* in the form of the matrices' words */
    uint64_t scalar_bytes;
    const void *weights; /* the same: `degree` words a weight */
    uint64_t weight_bytes;
    uint64_t next;   /* the next row of point i is that of point i + next; at most the number of rows */
    uint32_t field;  /* MERKLIZE_FIELD_... */
    uint32_t order;  /* MERKLIZE_ROW_ORDER_..., of the matrices' rows */
    uint32_t degree; /* words of a weight and of a sum, 1 to 8 */
} merklize_constraint_form;

/* For each row of matrices, the sum of polynomials times weights: the constraints of a proof on a coset, folded by
 * powers of a challenge. The polynomials are a program without branches, which each point runs with slots of its own.
 * matrices [count], 1 to 3, of the same 2^k rows, k <= 32, in host memory or in that of a device, which then computes.
 *          MERKLIZE_ELEMENTS_ANY over Goldilocks, MERKLIZE_ELEMENTS_MONTGOMERY over the other fields
 * out      [out_bytes] of the host, written: `degree` words below p for each point, in natural order and in the form of
 *          the matrices' words; undefined after an error; must not overlap what is read
 * errors   invalid_argument (sizes; a step with an unknown op, a slot that no earlier step wrote, or a scalar, column
 *          or weight that does not exist; a scalar or a weight that is not below p), out_of_memory, cancelled */
MERKLIZE_C_API merklize_status merklize_evaluate_constraints(const merklize_matrix *matrices, size_t count,
                                                             const merklize_constraint_form *form, void *out,
                                                             uint64_t out_bytes, const merklize_run_options *options);

/* A Merkle tree over the rows of several matrices of different heights, by the rule `plonky3` (docs/formats.md). */
typedef struct merklize_commitment_form {
    merklize_hash_id hash;
    uint32_t arity;      /* children of a node: 2, or 4 for hashes that have a merge of four (docs/hashes.md); 0 is 2 */
    uint32_t cap_height; /* layers between the cap and the root; 0: the cap is the root */
    uint32_t montgomery; /* as in merklize_hash_rows() */
    uint32_t word_bytes; /* for merklize_verify_opening() with a hash of bytes: 1, 4, 8 or 16. Else 0 */
    /* 1: keeps the matrices for openings of rows: copies of those on the host, where the nodes are; handles of those
     * on a device, whose words must not change */
    uint32_t keep;
    /* nodes of so many lowest layers are not kept. Openings make theirs again, each from the 2^drop_levels rows
     * around its own, and compare these rows with the kept nodes */
    uint32_t drop_levels;
} merklize_commitment_form;

/* Facts of a commitment. */
typedef struct merklize_commitment_info {
    merklize_hash_id hash;   /* the hash of rows and nodes */
    uint32_t arity;          /* children of a node */
    uint32_t cap_height;     /* layers between the cap and the root */
    uint32_t height;         /* layers above the leaves */
    uint64_t n_leaves;       /* rows of the tallest matrix */
    uint64_t cap_size;       /* digests of the cap */
    uint64_t path_length;    /* siblings of one opening */
    uint64_t row_bytes;      /* bytes of the rows of one opening: all columns of all matrices */
    uint32_t on_device;      /* 1: the nodes are in the memory of a device */
    uint32_t keeps_matrices; /* 1: openings of rows need no matrices */
    uint32_t drop_levels;    /* lowest layers whose nodes are not kept */
} merklize_commitment_info;

/* matrices  [count], at least one, as merklize_hash_rows() takes them, but of different heights: with h rows of the
 *           tallest one, every height must be ceil(h / 2^k) for some k
 * errors    invalid_argument (heights, sizes, a hash without merges of four, a cap below the leaves, dropped layers
 *           above the cap; a word that is not below the modulus, with its row and column), out_of_memory, cancelled */
MERKLIZE_C_API merklize_status merklize_commitment_build(const merklize_matrix *matrices, size_t count,
                                                         const merklize_commitment_form *form,
                                                         const merklize_run_options *options,
                                                         merklize_commitment **commitment);
/* A matrix of which a commitment takes the extension. */
typedef struct merklize_extended_matrix {
    merklize_matrix matrix;    /* as merklize_extend() takes it */
    merklize_extend_form form; /* openings of Plonky3 want MERKLIZE_ROW_ORDER_BIT_REVERSED */
    void *out;          /* host memory that gets the extension, too, as merklize_extend() writes it; null: not copied */
    uint64_t out_bytes; /* of that memory */
    /* memory of the call's device that gets the extension, too, and keeps it; null: not copied. All matrices have
     * one, or none */
    merklize_buffer *buffer;
} merklize_extended_matrix;

/* merklize_extend() of matrices and merklize_commitment_build() of their extensions in one call; extensions stay on the
 * device in between, which copies them to `out` while it hashes, fastest to pinned memory.
 * matrices  [count], at least one, all in host memory or all on one device. No `out` and no `buffer` may overlap
 *           anything else that the call uses. A device without room for the extensions makes them in `out`, or in
 *           memory of the call, unless the caller gave buffers; without room for the nodes, the processors hash
 * form      with `keep`, extensions are kept where they were made
 * errors    those of both functions; `out` is then undefined */
MERKLIZE_C_API merklize_status merklize_commit_extended(const merklize_extended_matrix *matrices, size_t count,
                                                        const merklize_commitment_form *form,
                                                        const merklize_run_options *options,
                                                        merklize_commitment **commitment);
MERKLIZE_C_API void merklize_commitment_free(merklize_commitment *commitment);
/* info  written */
MERKLIZE_C_API merklize_status merklize_commitment_get_info(const merklize_commitment *commitment,
                                                            merklize_commitment_info *info);
/* cap    [capacity], written; may be null if capacity is 0
 * count  written if not null: info.cap_size, also if capacity is too small
 * errors too_small */
MERKLIZE_C_API merklize_status merklize_commitment_cap(const merklize_commitment *commitment, merklize_digest *cap,
                                                       size_t capacity, size_t *count);

/* Makes one opening for each index: the rows of all matrices, and the siblings that prove them. A device answers all
 * indices in one job.
 * indices   [count], each below info.n_leaves; repeats are allowed
 * matrices  the committed matrices, in their order, to read the rows from; null and 0 if they are kept, or if rows is
 *           null and no layers are dropped
 * rows      null, or [count, info.row_bytes], written: for each index the rows of all matrices, one after another. A
 *           matrix with fewer rows gives row `index >> (log2 of the rows of the tallest matrix - log2 of its own
 *           rows)`, both logarithms rounded up
 * siblings  [count, info.path_length], written: for each index and each layer below the cap, the other children of the
 *           node's parent Rows that are written are verified against the cap unless the matrices are kept; without
 *           `rows`, only the rows around dropped nodes are compared. Rows of a matrix above the cap, which no opening
 *           proves, never are
 * errors    invalid_argument (an index out of range; matrices neither kept nor given, of another shape, or with other
 *           rows) */
MERKLIZE_C_API merklize_status merklize_commitment_open(const merklize_commitment *commitment, const uint64_t *indices,
                                                        size_t count, const merklize_matrix *matrices,
                                                        size_t matrix_count, uint8_t *rows, merklize_digest *siblings);
/* Makes one opening of several indices. `siblings` has each digest that the verifier cannot compute, once: layer by
 * layer, left to right.
 * indices   [count], at least one, in any order, no index twice; rows are in ascending order of the indices
 * siblings  [capacity], written; may be null if capacity is 0
 * needed    written if not null: number of siblings, also if capacity is too small
 * errors    as merklize_commitment_open(), too_small */
MERKLIZE_C_API merklize_status merklize_commitment_open_together(const merklize_commitment *commitment,
                                                                 const uint64_t *indices, size_t count,
                                                                 const merklize_matrix *matrices, size_t matrix_count,
                                                                 uint8_t *rows, merklize_digest *siblings,
                                                                 size_t capacity, size_t *needed);

/* Shape of a matrix, as a verifier knows it. */
typedef struct merklize_matrix_dims {
    uint64_t rows;
    uint64_t columns;
} merklize_matrix_dims;

/* Verifies an opening of one index or of several. Needs no device. A wrong or malformed opening is no error: *valid is
 * 0, also for counts that do not fit, an index out of range, and words or digests that are no field elements.
 * indices   [count], ascending and distinct
 * rows      [row_bytes], as merklize_commitment_open_together() gives them
 * siblings  [sibling_count]
 * cap       [cap_count]
 * dims      [dims_count]: the shapes of the matrices, which the verifier knows, in their order
 * valid     written: 1 or 0
 * errors    invalid_argument (null; dims or a form that no commitment has; a matrix that is hashed above the cap, where
 *           nothing proves its rows) */
MERKLIZE_C_API merklize_status merklize_verify_opening(const uint64_t *indices, size_t count, const uint8_t *rows,
                                                       size_t row_bytes, const merklize_digest *siblings,
                                                       size_t sibling_count, const merklize_digest *cap,
                                                       size_t cap_count, const merklize_matrix_dims *dims,
                                                       size_t dims_count, const merklize_commitment_form *form,
                                                       int *valid);

#endif

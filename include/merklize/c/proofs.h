/* merklize/c/proofs.h: the contents of proofs, their bytes, and verification.
 * Its structs and constants are written by scripts/surface.py from scripts/surface.toml. */
#ifndef MERKLIZE_C_PROOFS_H
#define MERKLIZE_C_PROOFS_H

#include <merklize/c/forms.h>
#include <merklize/c/options.h>

/* The statement that a proof proves. */
enum {
    MERKLIZE_PROOF_SINGLE = 0,     /* one leaf */
    MERKLIZE_PROOF_MULTI = 1,      /* several leaves */
    MERKLIZE_PROOF_CONSISTENCY = 2 /* consistency: the leaves of an older tree are the first leaves of a newer one */
};

/* The claims of a proof. A verifier gives the facts that it knows in merklize_expect. */
typedef struct merklize_proof_info {
    uint32_t kind;         /* the statement: MERKLIZE_PROOF_... */
    merklize_hash_id hash; /* the tree's hash */
    merklize_rule rule;    /* the tree's rule; never MERKLIZE_RULE_DEFAULT */
    uint64_t n_leaves;     /* leaves of the tree; of consistency: of the newer one */
    uint64_t old_leaves;   /* of consistency: leaves of the older tree; otherwise 0 */
    uint64_t leaves;       /* leaves in the proof: 1, several, or 0 for consistency */
    uint64_t siblings;     /* other nodes in the proof */
} merklize_proof_info;

MERKLIZE_C_API merklize_status merklize_proof_get_info(const merklize_proof *proof, merklize_proof_info *info);
/* Copies what a proof holds.
 * indices, leaves  [info.leaves], ascending; null: not wanted
 * siblings         [info.siblings], in the order of docs/layouts.md; null: not wanted */
MERKLIZE_C_API merklize_status merklize_proof_read(const merklize_proof *proof, uint64_t *indices,
                                                   merklize_digest *leaves, merklize_digest *siblings);
/* The bytes of a proof, as docs/layouts.md defines them.
 * bytes   [capacity], written; may be null if capacity is 0
 * length  written if not null: number of bytes, also if capacity is too small
 * errors  too_small */
MERKLIZE_C_API merklize_status merklize_proof_to_bytes(const merklize_proof *proof, uint8_t *bytes, size_t capacity,
                                                       size_t *length);
/* The reverse, for bytes from anywhere.
 * errors  invalid_argument (bytes that merklize_proof_to_bytes() does not write) */
MERKLIZE_C_API merklize_status merklize_proof_from_bytes(const uint8_t *bytes, size_t length, merklize_proof **proof);
/* The bytes of Winterfell's BatchMerkleProof, which hold neither leaves nor indices. The proof must be of several
 * leaves of a perfect tree. Output as merklize_proof_to_bytes().
 * errors  too_small, invalid_argument (a proof that the format cannot hold) */
MERKLIZE_C_API merklize_status merklize_proof_to_winterfell(const merklize_proof *proof, uint8_t *bytes,
                                                            size_t capacity, size_t *length);
/* The reverse, for the given leaves.
 * indices, leaves  [count], in any order; leaves[i] is the leaf of indices[i]
 * errors           invalid_argument (bytes that are not such a proof of these leaves) */
MERKLIZE_C_API merklize_status merklize_proof_from_winterfell(const uint8_t *bytes, size_t length,
                                                              merklize_hash_id hash, const uint64_t *indices,
                                                              const merklize_digest *leaves, size_t count,
                                                              merklize_proof **proof);
MERKLIZE_C_API void merklize_proof_free(merklize_proof *proof);

/* The facts that a verifier knows of a tree and a leaf. A proof with other claims is not valid. The root alone does not
 * bind the claims of a proof (docs/layouts.md). A null field, or a null struct, expects nothing:
 *
 *     merklize_expect expect = {.leaf = &leaf, .index = &(uint64_t){17}, .n_leaves = &(uint64_t){4096}};
 */
typedef struct merklize_expect {
    const merklize_digest *leaf; /* the leaf of a proof of one leaf. If given, no proof of several leaves is valid */
    const uint64_t *index;       /* the index of that leaf, from 0. If given, no proof of several leaves is valid */
    const uint64_t *n_leaves;
    const merklize_hash_id *hash;
    merklize_rule rule; /* MERKLIZE_RULE_DEFAULT (0) expects nothing */
} merklize_expect;

/* Verifies that a proof of one or several leaves leads to the root and has the expected claims. Needs no device and no
 * tree. A proof that does not verify is no error: *valid is 0.
 * expect  null: nothing is expected
 * mode    of a keyed tree; null: plain. The proof claims its hash: one that does not have the mode is not valid
 * valid   written: 1 or 0; 0 after an error
 * errors  invalid_argument (null; a proof of consistency, which merklize_proof_verify_consistency() takes; an expected
 *         hash or rule that is unknown; a key that is not 1 to 32 bytes) */
MERKLIZE_C_API merklize_status merklize_proof_verify(const merklize_proof *proof, const merklize_digest *root,
                                                     const merklize_expect *expect, const merklize_mode *mode,
                                                     int *valid);
/* The same for the bytes of a proof, from anywhere. For malformed bytes and for a proof of consistency *valid is 0,
 * too. */
MERKLIZE_C_API merklize_status merklize_verify(const uint8_t *bytes, size_t length, const merklize_digest *root,
                                               const merklize_expect *expect, const merklize_mode *mode, int *valid);
/* Verifies that the leaves under the old root are the first leaves under the new one. The proof claims both numbers of
 * leaves: compare those of merklize_proof_info with the numbers that the owner of the roots publishes.
 * mode, valid  as for merklize_proof_verify()
 * errors       invalid_argument (null; a proof of leaves, which merklize_proof_verify() takes; a key that is not 1 to
 *              32 bytes) */
MERKLIZE_C_API merklize_status merklize_proof_verify_consistency(const merklize_proof *proof,
                                                                 const merklize_digest *old_root,
                                                                 const merklize_digest *new_root,
                                                                 const merklize_mode *mode, int *valid);
/* The same for the bytes of a proof, from anywhere. For malformed bytes and for a proof of leaves *valid is 0, too. */
MERKLIZE_C_API merklize_status merklize_verify_consistency(const uint8_t *bytes, size_t length,
                                                           const merklize_digest *old_root,
                                                           const merklize_digest *new_root, const merklize_mode *mode,
                                                           int *valid);
/* Verifies many proofs of one leaf each, all of one hash and against one root, in one job on options->device.
 * valid   [count], written: 1 or 0
 * errors  invalid_argument (a proof of several leaves or of consistency; different hashes; a key that is not 1 to 32
 *         bytes), cancelled */
MERKLIZE_C_API merklize_status merklize_verify_each(const merklize_proof *const *proofs, size_t count,
                                                    const merklize_digest *root, const merklize_mode *mode,
                                                    uint8_t *valid, const merklize_run_options *options);

#endif

/* Results that lie over what their call reads: a call reads all before it writes its handles and verdicts. After an
 * error these are null and 0. */
#include "check.h"

enum { words = 512 };

/* What the calls read. The place of a result is in it, or elsewhere. */
static uint64_t memory[words];
static const merklize_form form = {.hash = MERKLIZE_HASH_blake3};

static merklize_digest *leaves(void) {
    merklize_digest *first = (merklize_digest *)memory;
    fill_leaves(first, 8);
    return first;
}

/* Each makes a call whose result is at `place`, and tells what it is. */
static merklize_digest tree(void *place) {
    merklize_digest root = {{0}};
    merklize_tree **made = place;
    OK(merklize_tree_from_leaves(merklize_view_digests(leaves(), 8), &form, 0, NULL, made));
    OK(merklize_tree_root(*made, &root));
    merklize_tree_free(*made);
    return root;
}

static merklize_tree *tree_apart(void) {
    merklize_digest apart[8];
    merklize_tree *made = NULL;
    fill_leaves(apart, 8);
    OK(merklize_tree_from_leaves(merklize_view_digests(apart, 8), &form, 0, NULL, &made));
    return made;
}

/* The indices of leaves 3 and 5 by the proofs that `prove` makes. */
static merklize_digest indices_by(merklize_status (*prove)(const merklize_tree *, const uint64_t *, size_t,
                                                           const merklize_digest *, uint64_t, merklize_proof **),
                                  size_t n_proofs, void *place) {
    uint64_t indices[4] = {0};
    merklize_digest found;
    merklize_tree *made = tree_apart();
    merklize_proof **proofs = place;
    memory[0] = 3, memory[1] = 5;
    OK(prove(made, memory, 2, NULL, 0, proofs));
    for (size_t i = 0; i < n_proofs; i++) {
        OK(merklize_proof_read(proofs[i], &indices[i], NULL, NULL));
        merklize_proof_free(proofs[i]);
    }
    merklize_tree_free(made);
    memcpy(&found, indices, sizeof found);
    return found;
}

static merklize_digest proof_together(void *place) { return indices_by(merklize_tree_prove_together, 1, place); }

static merklize_digest proof_each(void *place) { return indices_by(merklize_tree_prove_each, 2, place); }

static merklize_digest keys(void *place) {
    merklize_digest public_keys = {{0}};
    merklize_xmss_key **each = place;
    fill((uint8_t *)memory, 64);
    OK(merklize_xmss_keys((const uint8_t *)memory, 2, 5, 6, NULL, each));
    for (size_t i = 0; i < 2; i++) {
        merklize_digest one = {{0}};
        OK(merklize_xmss_key_info(each[i], one.bytes, NULL, NULL));
        for (size_t k = 0; k < 32; k++) public_keys.bytes[k] ^= (uint8_t)(one.bytes[k] << i);
        merklize_xmss_key_free(each[i]);
    }
    return public_keys;
}

static merklize_digest commitment(void *place) {
    merklize_digest cap = {{0}};
    merklize_commitment **made = place;
    size_t count = 0;
    fill((uint8_t *)memory, sizeof memory);
    const merklize_matrix matrix = {
        .words = memory, .rows = 8, .columns = 8, .row_stride = 8, .column_stride = 1, .word_bytes = 8};
    OK(merklize_commitment_build(&matrix, 1, &(merklize_commitment_form){.hash = MERKLIZE_HASH_blake3}, NULL, made));
    OK(merklize_commitment_cap(*made, &cap, 1, &count));
    merklize_commitment_free(*made);
    return cap;
}

static merklize_digest verdict(int valid) {
    merklize_digest found = {{0}};
    found.bytes[0] = (uint8_t)(1 + valid);
    return found;
}

static merklize_digest proof(void *place) {
    merklize_digest root;
    merklize_tree *made = tree_apart();
    merklize_proof *single = NULL;
    size_t length = 0;
    OK(merklize_tree_root(made, &root));
    OK(merklize_tree_prove(made, 5, NULL, 0, &single));
    OK(merklize_proof_to_bytes(single, (uint8_t *)memory, sizeof memory, &length));
    merklize_proof_free(single);
    merklize_tree_free(made);
    OK(merklize_verify((const uint8_t *)memory, length, &root, NULL, NULL, place));
    return verdict(*(const int *)place);
}

static merklize_digest signature(void *place) {
    uint8_t seed[32], message[32], public_key[32], *bytes = (uint8_t *)memory;
    merklize_xmss_key *key = NULL;
    fill(seed, sizeof seed), fill(message, sizeof message);
    OK(merklize_xmss_keys(seed, 1, 5, 6, NULL, &key));
    OK(merklize_xmss_key_info(key, public_key, NULL, NULL));
    OK(merklize_xmss_key_sign(key, 6, message, sizeof message, NULL, bytes));
    merklize_xmss_key_free(key);
    OK(merklize_xmss_verify(public_key, 32, 6, message, 32, bytes, MERKLIZE_XMSS_SIGNATURE_BYTES, place));
    return verdict(*(const int *)place);
}

/* Nodes of any values are a path to some root. */
static merklize_digest path_of_openzeppelin(void *place) {
    merklize_digest apart[8], root;
    fill_leaves(apart, 8);
    root = apart[7];
    for (size_t i = 0; i < 7; i++) {
        const bool is_left = memcmp(root.bytes, apart[i].bytes, 32) < 0;
        const merklize_digest *left = is_left ? &root : &apart[i], *right = is_left ? &apart[i] : &root;
        OK(merklize_merge(merklize_view_digests(left, 1), merklize_view_digests(right, 1), MERKLIZE_HASH_keccak256,
                          NULL, merklize_output_digests(&root, 1), NULL));
    }
    OK(merklize_verify_openzeppelin(leaves(), 7, &root, &apart[7], place));
    return verdict(*(const int *)place);
}

static merklize_digest slice(void *place) {
    static uint8_t message[3000], outboard[256], out[3000];
    const merklize_bao_form bao = {0};
    merklize_digest root;
    uint64_t bytes = 0;
    size_t length = 0;
    fill(message, sizeof message);
    OK(merklize_bao_outboard_bytes(sizeof message, &bao, &bytes));
    OK(merklize_bao_outboard(merklize_view_bytes(message, sizeof message), &bao, merklize_output_bytes(outboard, bytes),
                             &root, NULL));
    OK(merklize_bao_slice(message, sizeof message, outboard, bytes, &bao, 1000, 10, (uint8_t *)memory, sizeof memory,
                          &length));
    OK(merklize_bao_decode_slice((const uint8_t *)memory, length, &root, &bao, 1000, 10, 0, out, sizeof out, &length,
                                 place));
    CHECK(length == 10 && memcmp(out, message + 1000, 10) == 0);
    return verdict(*(const int *)place);
}

/* Leaves that are nodes of the tree that changes. */
static void own_nodes(void) {
    const uint64_t swapped[8] = {7, 6, 5, 4, 3, 2, 1, 0};
    for (uint32_t level = 0; level <= 3; level++) {
        const merklize_digest *nodes = NULL;
        merklize_digest expected[16], root = {{0}}, found = {{0}};
        uint64_t count = 0;
        merklize_tree *tree = tree_apart();
        fill_leaves(expected, 8);
        OK(merklize_tree_level(tree, level, &nodes, &count));
        for (uint64_t i = 0; i < count; i++) expected[swapped[i]] = nodes[i];
        OK(merklize_tree_update(tree, swapped, nodes, count, NULL));
        OK(merklize_tree_level(tree, level, &nodes, &count));
        memcpy(expected + 8, nodes, count * sizeof *nodes);
        OK(merklize_tree_append(tree, nodes, count, NULL));
        OK(merklize_merkle_root(merklize_view_digests(expected, 8 + count), &form, &root, NULL));
        OK(merklize_tree_root(tree, &found));
        CHECK(equal(&found, &root));
        merklize_tree_free(tree);
    }
}

static void after_an_error(void) {
    merklize_tree *tree = (merklize_tree *)memory;
    FAILS(MERKLIZE_INVALID_ARGUMENT, "leaves",
          merklize_tree_from_leaves(merklize_view_bytes(memory, 31), &form, 0, NULL, &tree));
    CHECK(tree == NULL);
    merklize_xmss_key *keys[3] = {(merklize_xmss_key *)memory, (merklize_xmss_key *)memory,
                                  (merklize_xmss_key *)memory};
    FAILS(MERKLIZE_INVALID_ARGUMENT, "first_epoch", merklize_xmss_keys((const uint8_t *)memory, 2, 6, 5, NULL, keys));
    CHECK(keys[0] == NULL && keys[1] == NULL && keys[2] != NULL);
    int valid = 1;
    FAILS(MERKLIZE_INVALID_ARGUMENT, "root", merklize_verify((const uint8_t *)memory, 8, NULL, NULL, NULL, &valid));
    CHECK(valid == 0);
    valid = 1;
    FAILS(MERKLIZE_INVALID_ARGUMENT, "form",
          merklize_verify_opening(NULL, 0, NULL, 0, NULL, 0, NULL, 0, NULL, 0, NULL, &valid));
    CHECK(valid == 0);
}

void test_overlaps(void) {
    static merklize_digest (*const calls[])(void *place) = {
        tree, proof_together, proof_each, keys, commitment, proof, signature, path_of_openzeppelin, slice};
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        uint64_t elsewhere[2];
        const merklize_digest expected = calls[i](elsewhere);
        for (size_t at = 0; at < 8; at++) {
            const merklize_digest found = calls[i](memory + at);
            if (!equal(&found, &expected)) {
                printf("call %zu: another result over word %zu of what it reads\n", i, at);
                failures++;
            }
        }
    }
    own_nodes();
    after_an_error();
}

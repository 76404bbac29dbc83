/* Trees and roots: RFC 6962's reference roots, every way to compute one root, changes, and the facts of a tree. */
#include <stdlib.h>

#include "check.h"

static const char root_of_8[] = "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328";

/* The leaves of Certificate Transparency's reference test. */
static void rfc6962_leaves(merklize_digest leaves[8]) {
    static const char *const inputs[8] = {"",
                                          "\x00",
                                          "\x10",
                                          "\x20\x21",
                                          "\x30\x31",
                                          "\x40\x41\x42\x43",
                                          "\x50\x51\x52\x53\x54\x55\x56\x57",
                                          "\x60\x61\x62\x63\x64\x65\x66\x67\x68\x69\x6a\x6b\x6c\x6d\x6e\x6f"};
    static const size_t lengths[8] = {0, 1, 1, 2, 2, 4, 8, 16};
    for (int i = 0; i < 8; i++)
        OK(merklize_hash_leaves(merklize_view_bytes(inputs[i], lengths[i]), lengths[i], MERKLIZE_HASH_sha256_rfc6962,
                                NULL, merklize_output_digests(&leaves[i], 1), NULL));
}

void test_trees(void) {
    merklize_digest leaves[8], root;
    rfc6962_leaves(leaves);
    const merklize_form form = {.hash = MERKLIZE_HASH_sha256_rfc6962};
    static const char *const roots[] = {"",       "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
                                        "",       "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
                                        "",       "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
                                        "",       "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
                                        root_of_8};
    for (uint64_t n = 1; n <= 8; n++) {
        OK(merklize_merkle_root(merklize_view_digests(leaves, n), &form, &root, NULL));
        CHECK(is_hex(root.bytes, roots[n]));
    }

    /* In the caller's memory. */
    uint64_t slots = 0;
    OK(merklize_heap_slots(7, &slots));
    CHECK(slots == 15);
    merklize_digest nodes[15];
    memcpy(nodes + 8, leaves, 7 * sizeof *nodes);
    OK(merklize_build_tree(merklize_output_digests(nodes, slots), &form, NULL));
    CHECK(is_hex(nodes[1].bytes, roots[7]));

    /* A tree of 5 leaves that grows to 8 and changes. */
    merklize_tree *tree = NULL;
    OK(merklize_tree_from_leaves(merklize_view_digests(leaves, 5), &form, 0, NULL, &tree));
    merklize_tree_info info = {0};
    OK(merklize_tree_get_info(tree, &info));
    CHECK(info.n_leaves == 5 && info.height == 3 && info.hash == MERKLIZE_HASH_sha256_rfc6962 && info.drop_levels == 0);
    CHECK(info.rule == MERKLIZE_RULE_LEFT_FULL && is_hex(info.root.bytes, roots[5]));
    OK(merklize_tree_append(tree, leaves + 5, 3, NULL));
    OK(merklize_tree_root(tree, &root));
    CHECK(is_hex(root.bytes, root_of_8));
    const merklize_digest *view = NULL;
    uint64_t count = 0;
    OK(merklize_tree_level(tree, 0, &view, &count));
    CHECK(count == 8 && memcmp(view, leaves, sizeof leaves) == 0);
    OK(merklize_tree_nodes(tree, &view, &slots));
    CHECK(slots == 16 && is_hex(view[1].bytes, root_of_8));
    merklize_digest cap[4];
    size_t length = 0;
    OK(merklize_tree_cap(tree, 2, cap, 4, &length));
    CHECK(length == 4 && equal(&cap[3], &view[7]));
    FAILS(MERKLIZE_TOO_SMALL, "room for 4 digests, got 3", merklize_tree_cap(tree, 2, cap, 3, &length));
    CHECK(length == 4);
    OK(merklize_tree_cap(tree, 1, NULL, 0, &length));
    CHECK(length == 2);
    const uint64_t changed[2] = {6, 1};
    const merklize_digest other[2] = {leaves[0], leaves[0]};
    OK(merklize_tree_update(tree, changed, other, 2, NULL));
    leaves[6] = leaves[1] = leaves[0];
    merklize_digest expected;
    OK(merklize_merkle_root(merklize_view_digests(leaves, 8), &form, &expected, NULL));
    OK(merklize_tree_root(tree, &root));
    CHECK(equal(&root, &expected));
    FAILS(MERKLIZE_INVALID_ARGUMENT, "host", merklize_tree_device_nodes(tree, &(merklize_buffer *){NULL}));
    merklize_tree_free(tree);

    /* Rules, modes, rows, and leaves that come in pieces. */
    static const uint8_t key[32] = {1, 2, 3};
    const merklize_mode mode = {.key = key, .key_bytes = 32};
    for (merklize_rule rule = MERKLIZE_RULE_DEFAULT; rule <= MERKLIZE_RULE_DUPLICATE_LAST; rule++) {
        if (rule == MERKLIZE_RULE_PERFECT) continue;
        const merklize_form odd = {.hash = MERKLIZE_HASH_blake3, .rule = rule, .mode = &mode, .padding = leaves[3]};
        OK(merklize_tree_from_rows(merklize_view_bytes("abcdefghijklmnopqrstuvwxyz", 26), 13, &odd, NULL, &tree));
        OK(merklize_tree_level(tree, 0, &view, &count));
        CHECK(count == 13);
        merklize_digest row;
        OK(merklize_hash_leaves(merklize_view_bytes("yz", 2), 2, MERKLIZE_HASH_blake3, &mode,
                                merklize_output_digests(&row, 1), NULL));
        CHECK(equal(&view[12], &row));
        merklize_tree *of_messages = NULL;
        merklize_view rows[13];
        for (size_t i = 0; i < 13; i++) rows[i] = merklize_view_bytes("abcdefghijklmnopqrstuvwxyz" + 2 * i, 2);
        OK(merklize_tree_from_messages(rows, 13, &odd, NULL, &of_messages));
        OK(merklize_tree_root(of_messages, &root));
        OK(merklize_tree_root(tree, &expected));
        CHECK(equal(&root, &expected));
        merklize_tree_free(of_messages);
        rows[12].bytes = 1; /* of another length */
        OK(merklize_tree_from_messages(rows, 13, &odd, NULL, &of_messages));
        OK(merklize_tree_root(of_messages, &root));
        CHECK(!equal(&root, &expected));
        merklize_tree_free(of_messages);
        FAILS(MERKLIZE_INVALID_ARGUMENT, "merklize_tree_from_messages: messages is null, but must have 2 items",
              merklize_tree_from_messages(NULL, 2, &odd, NULL, &of_messages));
        CHECK(of_messages == NULL);
        merklize_tree_builder *builder = NULL;
        OK(merklize_tree_builder_create(&odd, NULL, &builder));
        OK(merklize_tree_builder_append(builder, merklize_view_digests(view, 6)));
        OK(merklize_tree_builder_append(builder, merklize_view_digests(view + 6, 7)));
        CHECK(merklize_tree_builder_count(builder) == 13);
        OK(merklize_tree_builder_root(builder, &root));
        OK(merklize_tree_root(tree, &expected));
        CHECK(equal(&root, &expected));
        merklize_tree_builder_free(builder);
        OK(merklize_tree_get_info(tree, &info));
        CHECK(info.rule == (rule == MERKLIZE_RULE_DEFAULT ? MERKLIZE_RULE_LEFT_FULL : rule));
        merklize_tree_free(tree);
    }
    merklize_tree_free(NULL);
    merklize_tree_builder_free(NULL);
}

void test_forests(void) {
    enum { trees = 3, n = 8 };
    merklize_digest leaves[trees * n], roots[trees], root;
    fill_leaves(leaves, trees * n);
    merklize_forest *forest = NULL;
    OK(merklize_forest_from_leaves(merklize_view_digests(leaves, trees * n), n, NULL, NULL, &forest));
    merklize_forest_info info;
    OK(merklize_forest_get_info(forest, &info));
    CHECK(info.n_trees == trees && info.n_leaves == n && info.height == 3);
    size_t count = 0;
    uint64_t nodes = 0;
    const merklize_digest *level = NULL;
    FAILS(MERKLIZE_TOO_SMALL, "room for 3 digests, got 2", merklize_forest_roots(forest, roots, 2, &count));
    OK(merklize_forest_roots(forest, roots, trees, &count));
    OK(merklize_forest_level(forest, 0, &level, &nodes));
    CHECK(count == trees && nodes == trees * n && memcmp(level, leaves, sizeof leaves) == 0);
    for (uint64_t i = 0; i < trees; i++) {
        OK(merklize_merkle_root(merklize_view_digests(leaves + i * n, n), NULL, &root, NULL));
        CHECK(equal(&root, &roots[i]));
        merklize_proof *proof = NULL;
        int valid = 0;
        const uint64_t index = i + 2;
        const merklize_expect expect = {.leaf = &leaves[i * n + index], .index = &index};
        OK(merklize_forest_prove(forest, i, index, &proof));
        OK(merklize_proof_verify(proof, &root, &expect, NULL, &valid));
        CHECK(valid == 1);
        merklize_proof_free(proof);
    }
    FAILS(MERKLIZE_INVALID_ARGUMENT, "3", merklize_forest_prove(forest, trees, 0, &(merklize_proof *){NULL}));
    merklize_forest_free(forest);
    merklize_forest_free(NULL);
}

/* Verifies a proof of leaves, or with an old root a proof of consistency. */
static merklize_status verify_proof(const merklize_proof *proof, const merklize_digest *old_root,
                                    const merklize_digest *root, const merklize_mode *mode, int *valid) {
    return old_root == NULL ? merklize_proof_verify(proof, root, NULL, mode, valid)
                            : merklize_proof_verify_consistency(proof, old_root, root, mode, valid);
}

static merklize_status verify_bytes(const uint8_t *bytes, size_t length, const merklize_digest *old_root,
                                    const merklize_digest *root, const merklize_mode *mode, int *valid) {
    return old_root == NULL ? merklize_verify(bytes, length, root, NULL, mode, valid)
                            : merklize_verify_consistency(bytes, length, old_root, root, mode, valid);
}

/* A proof claims its hash. Under a mode that this hash does not have the proof is not valid, which is no error; a key
 * that no hash takes is one. */
static void check_claimed_hashes(const merklize_digest *leaves) {
    static const uint8_t key[64] = {1, 2, 3};
    static const size_t lengths[] = {0, 1, 16, 31, 32, 33, 64};
    static const merklize_hash_id hashes[] = {MERKLIZE_HASH_blake3, MERKLIZE_HASH_blake2s, MERKLIZE_HASH_sha256,
                                              MERKLIZE_HASH_rp64_256_v3};
    enum { n_lengths = sizeof lengths / sizeof lengths[0], n_hashes = sizeof hashes / sizeof hashes[0] };
    for (size_t h = 0; h < n_hashes; h++) {
        for (size_t made = 0; made <= n_lengths; made++) { /* the last one: a context */
            for (size_t with = 0; with <= n_lengths; with++) {
                const merklize_mode context = {.context = "c", .context_bytes = 1};
                const merklize_mode of_tree = {.key = key, .key_bytes = made < n_lengths ? lengths[made] : 0};
                const merklize_mode given = {.key = key, .key_bytes = with < n_lengths ? lengths[with] : 0};
                const merklize_form form = {.hash = hashes[h],
                                            .rule = MERKLIZE_RULE_LEFT_FULL,
                                            .mode = made == n_lengths ? &context : &of_tree};
                const merklize_mode *const mode = with == n_lengths ? &context : &given;
                merklize_tree *tree = NULL;
                if (merklize_tree_from_leaves(merklize_view_digests(leaves, 5), &form, 0, NULL, &tree) != MERKLIZE_OK) {
                    if (made != 0) continue; /* no such tree; a plain one in place of that with a key of no bytes */
                    OK(merklize_tree_from_leaves(merklize_view_digests(leaves, 5),
                                                 &(merklize_form){.hash = hashes[h], .rule = form.rule}, 0, NULL,
                                                 &tree));
                }
                merklize_digest root, old_root = leaves[0];
                merklize_proof *proofs[3] = {NULL};
                OK(merklize_tree_root(tree, &root));
                OK(merklize_tree_prove(tree, 3, NULL, 0, &proofs[0]));
                OK(merklize_tree_prove_range(tree, 1, 3, NULL, 0, &proofs[1]));
                OK(merklize_tree_prove_consistency(tree, 1, &proofs[2]));
                merklize_tree_free(tree);
                const bool is_error = mode == &given && (given.key_bytes == 0 || given.key_bytes > 32);
                for (size_t p = 0; p < 3; p++) {
                    const merklize_digest *const old = p == 2 ? &old_root : NULL;
                    int valid[4] = {7, 7, 7, 7};
                    uint8_t bytes[1024], one = 7;
                    size_t length = 0;
                    OK(merklize_proof_to_bytes(proofs[p], bytes, sizeof bytes, &length));
                    const merklize_status got[] = {
                        verify_proof(proofs[p], old, &root, mode, &valid[0]),
                        verify_bytes(bytes, length, old, &root, mode, &valid[1]),
                        verify_bytes(bytes, 7, old, &root, mode, &valid[2]),
                        p == 0 ? merklize_verify_each((const merklize_proof *const *)proofs, 1, &root, mode, &one, NULL)
                               : MERKLIZE_OK};
                    valid[3] = p == 0 ? one : valid[0];
                    for (size_t call = 0; call < 4; call++) {
                        const bool reads = call != 3 || p == 0;
                        if (is_error && reads)
                            CHECK(got[call] == MERKLIZE_INVALID_ARGUMENT &&
                                  strstr(merklize_last_error(), ": key must be 1 to 32 bytes, got ") != NULL);
                        else
                            CHECK(got[call] == MERKLIZE_OK && (!reads || valid[call] == (with == made && call != 2)));
                    }
                    merklize_proof_free(proofs[p]);
                }
            }
        }
    }
}

static void check_proof(const merklize_proof *proof, const merklize_digest *old_root, const merklize_digest *root) {
    int valid = 0;
    OK(verify_proof(proof, old_root, root, NULL, &valid));
    CHECK(valid == 1);
    merklize_digest wrong = *root;
    wrong.bytes[3] ^= 1;
    OK(verify_proof(proof, old_root, &wrong, NULL, &valid));
    CHECK(valid == 0);

    /* The proof's bytes, whole and damaged. */
    size_t length = 0;
    OK(merklize_proof_to_bytes(proof, NULL, 0, &length));
    uint8_t *bytes = malloc(length);
    FAILS(MERKLIZE_TOO_SMALL, "the output must have room for", merklize_proof_to_bytes(proof, bytes, length - 1, NULL));
    OK(merklize_proof_to_bytes(proof, bytes, length, &length));
    OK(verify_bytes(bytes, length, old_root, root, NULL, &valid));
    CHECK(valid == 1);
    valid = 7; /* bytes of the other kind of proof */
    OK(verify_bytes(bytes, length, old_root == NULL ? root : NULL, root, NULL, &valid));
    CHECK(valid == 0);
    merklize_proof *again = NULL;
    OK(merklize_proof_from_bytes(bytes, length, &again));
    OK(verify_proof(again, old_root, root, NULL, &valid));
    CHECK(valid == 1);
    merklize_proof_free(again);
    for (size_t i = 0; i < length; i++) {
        if (i == 6 || i == 8)
            continue; /* claims (rule, count of leaves): others may have the same path, as docs/layouts.md says */
        bytes[i] ^= 1;
        valid = 7;
        OK(verify_bytes(bytes, length, old_root, root, NULL, &valid));
        CHECK(valid == 0);
        bytes[i] ^= 1;
    }
    OK(verify_bytes(bytes, length - 1, old_root, root, NULL, &valid));
    CHECK(valid == 0);
    OK(verify_bytes(NULL, 0, old_root, root, NULL, &valid));
    CHECK(valid == 0);
    again = (merklize_proof *)&again;
    FAILS(MERKLIZE_INVALID_ARGUMENT, "bytes are not a proof", merklize_proof_from_bytes(bytes, length - 1, &again));
    CHECK(again == NULL);
    free(bytes);
}

/* Whether a proof is valid with these expectations. The verdict on its bytes must be the same. */
static int expected(const merklize_proof *proof, const merklize_digest *root, const merklize_expect *expect) {
    int valid = 7, of_bytes = 7;
    uint8_t bytes[4096];
    size_t length = 0;
    OK(merklize_proof_verify(proof, root, expect, NULL, &valid));
    OK(merklize_proof_to_bytes(proof, bytes, sizeof bytes, &length));
    OK(merklize_verify(bytes, length, root, expect, NULL, &of_bytes));
    CHECK(valid == of_bytes);
    return valid;
}

/* Each expectation alone, and all together: a fact that the proof claims is valid, any other is not. */
static void check_expectations(const merklize_proof *proof, const merklize_digest *root, const merklize_digest *leaf,
                               uint64_t index, uint64_t n_leaves) {
    merklize_digest other_leaf = *leaf;
    other_leaf.bytes[31] ^= 0x80;
    const merklize_digest zeros = {{0}};
    const uint64_t zero = 0, other_index = index + 1, other_count = n_leaves + 1;
    const merklize_hash_id hash = MERKLIZE_HASH_blake3, other_hash = MERKLIZE_HASH_keccak256;
    const merklize_rule rule = MERKLIZE_RULE_LEFT_FULL, other_rule = MERKLIZE_RULE_PERFECT;
    const merklize_expect nothing = {0};
    CHECK(expected(proof, root, &nothing) == 1);
    const merklize_expect all = {.leaf = leaf, .index = &index, .n_leaves = &n_leaves, .hash = &hash, .rule = rule};
    CHECK(expected(proof, root, &all) == 1);
    CHECK(expected(proof, leaf, &all) == 0); /* the root is still looked at */
    const merklize_expect right[] = {
        {.leaf = leaf}, {.index = &index}, {.n_leaves = &n_leaves}, {.hash = &hash}, {.rule = rule}};
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        merklize_expect expect = right[i];
        CHECK(expected(proof, root, &expect) == 1);
    }
    /* A value of 0 is expected like any other: a null pointer alone expects nothing. */
    const merklize_expect wrong[] = {{.leaf = &other_leaf}, {.leaf = &zeros},    {.index = &other_index},
                                     {.index = &zero},      {.n_leaves = &zero}, {.n_leaves = &other_count},
                                     {.hash = &other_hash}, {.rule = other_rule}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        merklize_expect expect = wrong[i];
        CHECK(expected(proof, root, &expect) == 0);
    }

    int valid = 7;
    const merklize_hash_id unknown = 99999;
    const merklize_expect of_unknown = {.hash = &unknown};
    FAILS(MERKLIZE_INVALID_ARGUMENT, "merklize_proof_verify: unknown hash id 99999",
          merklize_proof_verify(proof, root, &of_unknown, NULL, &valid));
    CHECK(valid == 0);
    const merklize_expect no_rule = {.rule = 5};
    FAILS(MERKLIZE_INVALID_ARGUMENT, "merklize_verify: expect->rule must be 0 to 4, got 5",
          merklize_verify(NULL, 0, root, &no_rule, NULL, &valid));
}

/* Files and proofs store MERKLIZE_RULE_... minus one, so that the default is a zero in C alone. */
static void check_rule_numbers(const merklize_digest *leaves) {
    for (merklize_rule rule = MERKLIZE_RULE_PERFECT; rule <= MERKLIZE_RULE_DUPLICATE_LAST; rule++) {
        const merklize_form form = {.rule = rule};
        merklize_tree *tree = NULL;
        merklize_proof *proof = NULL;
        uint8_t bytes[256], head[32];
        size_t length = 0;
        OK(merklize_tree_from_leaves(merklize_view_digests(leaves, 8), &form, 0, NULL, &tree));
        OK(merklize_tree_prove(tree, 3, NULL, 0, &proof));
        OK(merklize_proof_to_bytes(proof, bytes, sizeof bytes, &length));
        CHECK(bytes[6] == rule - 1); /* docs/layouts.md */
        const char *path = file_path("rule.mkl");
        OK(merklize_tree_save(tree, path));
        FILE *file = fopen(path, "rb");
        CHECK(file != NULL && fread(head, 1, sizeof head, file) == sizeof head);
        if (file != NULL) fclose(file);
        CHECK(head[16] == rule - 1); /* docs/file-format.md */
        remove(path);
        merklize_proof_free(proof);
        merklize_tree_free(tree);
    }
}

void test_proofs(void) {
    enum { n = 100 };
    static merklize_digest leaves[n];
    fill_leaves(leaves, n);
    merklize_tree *tree = NULL;
    merklize_digest root, old_root;
    OK(merklize_tree_from_leaves(merklize_view_digests(leaves, n), NULL, 0, NULL, &tree));
    OK(merklize_tree_root(tree, &root));

    check_rule_numbers(leaves);
    check_claimed_hashes(leaves);
    merklize_proof *proof = NULL;
    merklize_proof_info info = {0};
    OK(merklize_tree_prove(tree, 42, NULL, 0, &proof));
    OK(merklize_proof_get_info(proof, &info));
    CHECK(info.kind == MERKLIZE_PROOF_SINGLE && info.n_leaves == n && info.leaves == 1 && info.siblings == 7);
    CHECK(info.rule == MERKLIZE_RULE_LEFT_FULL && info.hash == MERKLIZE_HASH_blake3 && info.old_leaves == 0);
    uint64_t index = 0;
    merklize_digest leaf, siblings[7];
    OK(merklize_proof_read(proof, &index, &leaf, siblings));
    CHECK(index == 42 && equal(&leaf, &leaves[42]) && equal(&siblings[0], &leaves[43]));
    OK(merklize_proof_read(proof, NULL, NULL, NULL));
    check_proof(proof, NULL, &root);
    check_expectations(proof, &root, &leaves[42], 42, n);
    int valid = 7;
    FAILS(MERKLIZE_INVALID_ARGUMENT, "the proof is of leaves",
          merklize_proof_verify_consistency(proof, &root, &root, NULL, &valid));
    CHECK(valid == 0);
    FAILS(MERKLIZE_INVALID_ARGUMENT, "several leaves", merklize_proof_to_winterfell(proof, NULL, 0, &(size_t){0}));
    merklize_proof_free(proof);

    const uint64_t indices[4] = {99, 0, 41, 42};
    OK(merklize_tree_prove_together(tree, indices, 4, NULL, 0, &proof));
    OK(merklize_proof_get_info(proof, &info));
    CHECK(info.kind == MERKLIZE_PROOF_MULTI && info.leaves == 4);
    uint64_t ascending[4];
    OK(merklize_proof_read(proof, ascending, NULL, NULL));
    CHECK(ascending[0] == 0 && ascending[1] == 41 && ascending[2] == 42 && ascending[3] == 99);
    check_proof(proof, NULL, &root);
    /* A proof of several leaves: facts of the tree may be expected, but an expected leaf or index is never valid. */
    const uint64_t count = n;
    const merklize_expect tree_alone = {.n_leaves = &count, .hash = &info.hash, .rule = info.rule};
    const merklize_expect one_leaf = {.leaf = &leaves[0]};
    const merklize_expect one_index = {.index = &ascending[0]};
    CHECK(expected(proof, &root, &tree_alone) == 1);
    CHECK(expected(proof, &root, &one_leaf) == 0 && expected(proof, &root, &one_index) == 0);
    merklize_proof_free(proof);

    OK(merklize_tree_prove_range(tree, 10, 20, NULL, 0, &proof));
    check_proof(proof, NULL, &root);
    FAILS(MERKLIZE_INVALID_ARGUMENT, "each proof must be one of one leaf",
          merklize_verify_each((const merklize_proof *const *)&proof, 1, &root, NULL, &(uint8_t){0}, NULL));
    merklize_proof_free(proof);

    OK(merklize_merkle_root(merklize_view_digests(leaves, 37), NULL, &old_root, NULL));
    OK(merklize_tree_prove_consistency(tree, 37, &proof));
    OK(merklize_proof_get_info(proof, &info));
    CHECK(info.kind == MERKLIZE_PROOF_CONSISTENCY && info.old_leaves == 37 && info.n_leaves == n && info.leaves == 0);
    check_proof(proof, &old_root, &root);
    valid = 7;
    FAILS(MERKLIZE_INVALID_ARGUMENT, "merklize_proof_verify_consistency(proof, old_root, new_root",
          merklize_proof_verify(proof, &root, NULL, NULL, &valid));
    CHECK(valid == 0);
    FAILS(MERKLIZE_INVALID_ARGUMENT, "old_root is null",
          merklize_proof_verify_consistency(proof, NULL, &root, NULL, &valid));
    FAILS(MERKLIZE_INVALID_ARGUMENT, "new_root is null",
          merklize_proof_verify_consistency(proof, &old_root, NULL, NULL, &valid));
    OK(merklize_proof_verify_consistency(proof, &root, &old_root, NULL, &valid)); /* swapped */
    CHECK(valid == 0);
    merklize_proof_free(proof);

    merklize_proof *each[4];
    uint8_t ok[4] = {7, 7, 7, 7};
    OK(merklize_tree_prove_each(tree, indices, 4, NULL, 0, each));
    OK(merklize_verify_each((const merklize_proof *const *)each, 4, &root, NULL, ok, NULL));
    CHECK(ok[0] == 1 && ok[1] == 1 && ok[2] == 1 && ok[3] == 1);
    OK(merklize_verify_each((const merklize_proof *const *)each, 4, &old_root, NULL, ok, NULL));
    CHECK(ok[0] == 0 && ok[3] == 0);
    for (int i = 0; i < 4; i++) merklize_proof_free(each[i]);
    const uint64_t outside[2] = {3, n};
    each[0] = each[1] = (merklize_proof *)each;
    FAILS(MERKLIZE_INVALID_ARGUMENT, "100", merklize_tree_prove_each(tree, outside, 2, NULL, 0, each));
    CHECK(each[0] == NULL && each[1] == NULL);
    merklize_tree_free(tree);

    /* A tree without its lowest levels needs the leaves for proofs. */
    OK(merklize_tree_from_leaves(merklize_view_digests(leaves, n), NULL, 3, NULL, &tree));
    FAILS(MERKLIZE_INVALID_ARGUMENT, "leaves", merklize_tree_prove(tree, 5, NULL, 0, &proof));
    CHECK(proof == NULL);
    OK(merklize_tree_prove(tree, 5, leaves, n, &proof));
    check_proof(proof, NULL, &root);
    merklize_proof_free(proof);
    merklize_tree_free(tree);

    /* RFC 6962's empty tree; no other hash has one. */
    const merklize_form log = {.hash = MERKLIZE_HASH_sha256_rfc6962, .rule = MERKLIZE_RULE_LEFT_FULL};
    merklize_tree *none = NULL;
    OK(merklize_tree_from_leaves(merklize_view_digests(NULL, 0), &log, 0, NULL, &none));
    OK(merklize_tree_root(none, &root));
    CHECK(root.bytes[0] == 0xe3 && root.bytes[1] == 0xb0 && root.bytes[31] == 0x55);
    merklize_tree_free(none);

    /* Winterfell's batch proofs, there and back. */
    const merklize_form field = {.hash = MERKLIZE_HASH_rp64_256};
    OK(merklize_tree_from_leaves(merklize_view_digests(leaves, 64), &field, 0, NULL, &tree));
    OK(merklize_tree_root(tree, &root));
    const uint64_t asked[2] = {7, 60};
    OK(merklize_tree_prove_together(tree, asked, 2, NULL, 0, &proof));
    uint8_t bytes[2048];
    size_t length = 0;
    OK(merklize_proof_to_winterfell(proof, bytes, sizeof bytes, &length));
    merklize_proof_free(proof);
    const merklize_digest given[2] = {leaves[7], leaves[60]};
    OK(merklize_proof_from_winterfell(bytes, length, field.hash, asked, given, 2, &proof));
    check_proof(proof, NULL, &root);
    merklize_proof_free(proof);
    FAILS(MERKLIZE_INVALID_ARGUMENT, "not Winterfell's proof of these 1 leaves",
          merklize_proof_from_winterfell(bytes, length, field.hash, asked, given, 1, &proof));
    merklize_proof_free(NULL);
    merklize_tree_free(tree);
}

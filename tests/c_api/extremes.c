/* Numbers that no memory and no file has, as every size, count, index, level and bit that a function takes: each call
 * returns a status, soon, and touches nothing beside the small memory that it got. Sanitizers watch. called.cmake
 * checks that no function is left out. */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

/* Sanitizers' allocators fail as the system's does, where a number asks for more than a small machine has. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "allocator_may_return_null=1:max_allocation_size_mb=4096"; }

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { can_limit = 0 }; /* sanitizers take all addresses, and end a program whose operator new fails */
#else
enum { can_limit = 1 };
#endif

static const uint64_t numbers[] = {
    0,          1,          2,          63,         64,        65,         INT32_MAX,
    UINT32_MAX, 1ull << 32, 1ull << 56, 1ull << 62, INT64_MAX, 1ull << 63, (1ull << 63) + 1,
    UINT64_MAX};
enum { count_of_numbers = sizeof numbers / sizeof numbers[0], small = 4096, items = small / 32 };

static uint64_t n;
static unsigned calls;
static merklize_run_options asked; /* with so many threads */

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static merklize_status answered(const char *call, double begin, merklize_status status) {
    calls++;
    const bool is_answer = (status >= MERKLIZE_OK && status <= MERKLIZE_IO) || status == MERKLIZE_TOO_SMALL;
    const double took = seconds() - begin;
    if (!is_answer || took > 30) {
        printf("%s with %llu: %s after %.1f s: %s\n", call, (unsigned long long)n, merklize_status_name(status), took,
               status == MERKLIZE_OK ? "" : merklize_last_error());
        failures++;
    }
    return status;
}

/* A call with n as a number that no memory of the caller stands for. */
#define ASK(call) answered(#call, seconds(), (call))
/* A call with n as the count of items that the caller has, beside memory for two. */
#define CLAIM(call)                                                                                      \
    do {                                                                                                 \
        if (n > 2 && n < 1ull << 56) break;                                                              \
        if (answered(#call, seconds(), (call)) == MERKLIZE_OK && n > 2) {                                \
            printf("%s with %llu: no memory has so much, but it is ok\n", #call, (unsigned long long)n); \
            failures++;                                                                                  \
        }                                                                                                \
    } while (0)

/* A call that was left out makes no handle. */
#define DROP(kind, handle) (merklize_##kind##_free(handle), (handle) = NULL)

/* The same of calls that make a handle, which is freed. */
#define ASK_FOR(kind, handle, call) (ASK(call), DROP(kind, handle))
#define CLAIM_FOR(kind, handle, call) \
    do {                              \
        CLAIM(call);                  \
        DROP(kind, handle);           \
    } while (0)

static uint8_t bytes[small], out[small];
static merklize_digest leaves[items], digests[items], root;
static uint64_t places[2], words[small / 8];
static size_t found;
static uint64_t number;
static int valid;

/* Memory of the caller, with n as its size. */
static merklize_view claimed(void) { return merklize_view_bytes(bytes, n); }
static merklize_output claimed_out(void) { return merklize_output_bytes(out, n); }
static merklize_view given(void) { return merklize_view_bytes(bytes, 64); }

static void of_lists(void) {
    merklize_hash_info hash;
    merklize_format_info format;
    merklize_device_info device;
    char text[256];
    ASK(merklize_hash_describe((size_t)n, &hash));
    ASK(merklize_format_describe((size_t)n, &format));
    ASK(merklize_device_describe((size_t)n, &device));
    ASK(merklize_hash_get_info((merklize_hash_id)n, &hash));
    ASK(merklize_check_abi((uint32_t)n));
    if (n <= sizeof text || n >= 1ull << 56) {
        ASK(merklize_hash_name(MERKLIZE_HASH_blake3, text, (size_t)n, &found));
        ASK(merklize_why_unavailable("cpu", text, (size_t)n, &found));
        const merklize_policy policy = {.lanes = 8};
        ASK(merklize_policy_to_text(&policy, text, (size_t)n, &found));
    }
    ASK(merklize_hash_name((merklize_hash_id)n, text, sizeof text, &found));
    const merklize_policy fields[] = {{.levels_per_launch = (uint32_t)n},
                                      {.group_size = (uint32_t)n},
                                      {.lanes = (uint32_t)n},
                                      {.constants = (uint32_t)n}};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        ASK(merklize_policy_to_text(&fields[i], text, sizeof text, &found));
    merklize_policy made;
    snprintf(text, sizeof text, "lanes=%llu", (unsigned long long)n);
    ASK(merklize_policy_from_text(text, &made));
}

static void of_digests(void) {
    const char *const path = file_path("input"), *const paths[2] = {path, path};
    const merklize_hash_id hash = MERKLIZE_HASH_blake3;
    merklize_mode keyed = {.key = bytes, .key_bytes = (size_t)n};
    merklize_mode derived = {.context = (const char *)bytes, .context_bytes = (size_t)n};
    const merklize_view pair[2] = {given(), claimed()};
    merklize_file_digests *files = NULL;
    merklize_hasher *hasher = NULL;
    CLAIM(merklize_hash(claimed(), hash, NULL, 0, out, 32, &asked));
    CLAIM(merklize_hash(given(), hash, NULL, 0, out, (size_t)n, &asked));
    CLAIM(merklize_hash(given(), hash, &derived, 0, out, 32, &asked));
    ASK(merklize_hash(given(), hash, NULL, n, out, 32, &asked));
    ASK(merklize_hash(given(), MERKLIZE_HASH_sha256, NULL, n, out, 32, &asked));
    ASK(merklize_hash(given(), (merklize_hash_id)n, NULL, 0, out, 32, &asked));
    if (n <= small || n >= 1ull << 56) ASK(merklize_hash(given(), hash, &keyed, 0, out, 32, &asked));
    if (n <= small || n >= 1ull << 56) ASK(merklize_hash(given(), MERKLIZE_HASH_blake2s, &keyed, 0, out, 32, &asked));
    ASK(merklize_hash_file(path, hash, NULL, n, out, 32, &asked));
    CLAIM(merklize_hash_file(path, hash, NULL, 0, out, (size_t)n, &asked));
    ASK(merklize_hash_descriptor((int)n, NULL, hash, NULL, 0, out, 32, &asked));
    CLAIM_FOR(file_digests, files, merklize_hash_files(paths, (size_t)n, hash, NULL, 0, 32, &asked, &files));
    ASK_FOR(file_digests, files, merklize_hash_files(paths, 2, hash, NULL, n, 32, &asked, &files));
    if (n < INT32_MAX || (can_limit && n > UINT32_MAX)) { /* output that a caller may want */
        ASK_FOR(file_digests, files, merklize_hash_files(paths, 2, hash, NULL, 0, (size_t)n, &asked, &files));
    }
    merklize_file_digest one;
    OK(merklize_hash_files(paths, 2, hash, NULL, 0, 32, NULL, &files));
    ASK(merklize_file_digests_get(files, (size_t)n, &one));
    DROP(file_digests, files);
    CLAIM(merklize_hash_each(pair, 2, hash, NULL, 0, out, 32, &asked));
    CLAIM(merklize_hash_each(pair, (size_t)n < 2 ? (size_t)n : SIZE_MAX / 2, hash, NULL, 0, out, 32, &asked));
    CLAIM(merklize_hash_each(pair, 1, hash, NULL, 0, out, (size_t)n, &asked));
    ASK(merklize_hash_each(pair, 1, hash, NULL, n, out, 32, &asked));
    ASK(merklize_hash_each(pair, 1, MERKLIZE_HASH_sha256, NULL, n, out, 32, &asked));
    CLAIM(merklize_hash_parts(NULL, (size_t)n, NULL, 0, out, 32, &asked));
    ASK(merklize_hash_leaves(given(), n, hash, NULL, merklize_output_digests(digests, 2), &asked));
    ASK(merklize_hash_leaves(given(), n, MERKLIZE_HASH_rp64_256, NULL, merklize_output_digests(digests, 2), &asked));
    CLAIM(merklize_hash_leaves(claimed(), 1, hash, NULL, merklize_output_digests(digests, n), &asked));
    CLAIM(merklize_hash_leaves(claimed(), n, hash, NULL, merklize_output_digests(digests, 1), &asked));
    CLAIM(merklize_hash_leaves(given(), 0, hash, NULL, claimed_out(), &asked));
    CLAIM(merklize_merge(merklize_view_digests(leaves, n), merklize_view_digests(leaves, n), hash, NULL,
                         merklize_output_digests(digests, n), &asked));
    ASK(merklize_merge(merklize_view_digests(leaves, 2), merklize_view_digests(leaves, 2), (merklize_hash_id)n, NULL,
                       merklize_output_digests(digests, 2), &asked));
    OK(merklize_hasher_create(hash, NULL, &asked, &hasher));
    CLAIM(merklize_hasher_update(hasher, bytes, (size_t)n));
    ASK(merklize_hasher_output(hasher, n, out, 32));
    CLAIM(merklize_hasher_output(hasher, 0, out, (size_t)n));
    DROP(hasher, hasher);
    ASK_FOR(hasher, hasher, merklize_hasher_create((merklize_hash_id)n, NULL, &asked, &hasher));
}

static void of_constants(void) {
    merklize_hash_id hash;
    const merklize_poseidon2 sound = {.field = MERKLIZE_FIELD_BABYBEAR,
                                      .width = 16,
                                      .rate = 8,
                                      .external_rounds = 8,
                                      .internal_rounds = 13,
                                      .constants = words,
                                      .constant_count = 8 * 16 + 13,
                                      .diagonal = words,
                                      .diagonal_count = 16};
    merklize_poseidon2 changed[8];
    for (size_t i = 0; i < 8; i++) changed[i] = sound;
    changed[0].field = changed[1].width = changed[2].rate = changed[3].external_rounds = (uint32_t)n;
    changed[4].internal_rounds = (uint32_t)n;
    changed[5].external_rounds = changed[5].internal_rounds = changed[5].width = (uint32_t)n;
    for (size_t i = 0; i < 6; i++) {
        if (n == 13 || n == 16) break;
        ASK(merklize_hash_poseidon2(&changed[i], NULL, &hash));
        ASK(merklize_hash_poseidon2(&sound, &changed[i], &hash));
    }
    changed[6].constant_count = changed[7].diagonal_count = (size_t)n;
    if (n <= 2 || n >= 1ull << 56) {
        ASK(merklize_hash_poseidon2(&changed[6], NULL, &hash));
        ASK(merklize_hash_poseidon2(&changed[7], NULL, &hash));
    }
    const merklize_poseidon first = {.field = MERKLIZE_FIELD_BABYBEAR,
                                     .width = 16,
                                     .rate = 8,
                                     .full_rounds = 8,
                                     .partial_rounds = 13,
                                     .constants = words,
                                     .constant_count = 21 * 16,
                                     .matrix = words,
                                     .matrix_count = 16};
    merklize_poseidon others[7];
    for (size_t i = 0; i < 7; i++) others[i] = first;
    others[0].field = others[1].width = others[2].rate = others[3].full_rounds = others[4].partial_rounds = (uint32_t)n;
    for (size_t i = 0; i < 5; i++) ASK(merklize_hash_poseidon(&others[i], &hash));
    others[5].constant_count = others[6].matrix_count = (size_t)n;
    if (n <= 2 || n >= 1ull << 56) {
        ASK(merklize_hash_poseidon(&others[5], &hash));
        ASK(merklize_hash_poseidon(&others[6], &hash));
    }
}

static void of_pieces(void) {
    merklize_digest *const two = digests;
    const int file = open(file_path("input"), O_RDONLY);
    const merklize_file_range ranges[] = {{0, 1}, {n, 1}, {0, n}, {1, n}, {n, n}, {UINT64_MAX, n}};
    ASK(merklize_hash_pieces(given(), n, &root, two, 2, &found, &asked));
    CLAIM(merklize_hash_pieces(claimed(), 1 << 18, &root, two, 2, &found, &asked));
    CLAIM(merklize_hash_pieces(given(), 1 << 18, &root, NULL, (size_t)n, &found, &asked));
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
        ASK(merklize_hash_file_ranges(file, NULL, &ranges[i], 1, 0, two, NULL, 0, &found, &asked));
    ASK(merklize_hash_file_ranges(file, NULL, ranges, 1, n, two, two + 2, 2, &found, &asked));
    ASK(merklize_hash_file_ranges((int)n, NULL, ranges, 1, 0, two, NULL, 0, &found, &asked));
    CLAIM(merklize_hash_file_ranges(file, NULL, ranges, n == 2 ? 1 : (size_t)n, 0, two, NULL, 0, &found, &asked));
    close(file);
    ASK(merklize_piece_values(bytes, 64, n, 1 << 18, NULL, two, 2, &found, &asked));
    ASK(merklize_piece_values(bytes, 64, 0, n, NULL, two, 2, &found, &asked));
    ASK(merklize_piece_values(bytes, 64, n, n, NULL, two, 2, &found, &asked));
    CLAIM(merklize_piece_values(bytes, (size_t)n, 0, 1 << 18, NULL, two, 2, &found, &asked));
    CLAIM(merklize_value_of_pieces(leaves, (size_t)n, NULL, &root));
    CLAIM(merklize_digest_of_pieces(leaves, (size_t)n, NULL, 0, out, 32));
    CLAIM(merklize_digest_of_pieces(leaves, 2, NULL, 0, out, (size_t)n));
    ASK(merklize_digest_of_pieces(leaves, 2, NULL, n, out, 32));
}

static void of_bao(void) {
    const merklize_bao_form forms[] = {
        {0}, {.group_log = (uint32_t)n}, {.post_order = (uint32_t)n}, {.without_size = (uint32_t)n}};
    const merklize_bao_form bare = {.without_size = 1};
    merklize_bao_fault faults[2];
    const int file = open(file_path("input"), O_RDONLY);
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        const merklize_bao_form *const form = &forms[i];
        ASK(merklize_bao_outboard_bytes(n, form, &number));
        ASK(merklize_bao_outboard_bytes(64, form, &number));
        ASK(merklize_bao_outboard(given(), form, merklize_output_bytes(out, 8), &root, &asked));
        ASK(merklize_bao_slice(bytes, 64, bytes, 8, form, n, n, out, small, &found));
        ASK(merklize_bao_decode_slice(bytes, 512, leaves, form, n, n, n, out, small, &found, &valid));
        ASK(merklize_bao_verify(bytes, 64, n, n, leaves, bytes, 512, form, faults, 2, &found, &asked));
        ASK(merklize_bao_verify_descriptor(file, NULL, n, n, leaves, bytes, 512, form, faults, 2, &found, &asked));
        ASK(merklize_bao_outboard_descriptor((int)n, NULL, form, file_path("saved.mkl"), &root, &asked));
    }
    CLAIM(merklize_bao_outboard(claimed(), NULL, merklize_output_bytes(out, 8), &root, &asked));
    CLAIM(merklize_bao_outboard(given(), NULL, claimed_out(), &root, &asked));
    /* The size in front of an outboard and of a slice is n. */
    uint8_t stated[512] = {0};
    for (int i = 0; i < 8; i++) stated[i] = (uint8_t)(n >> 8 * i);
    ASK(merklize_bao_slice(bytes, 64, stated, 512, NULL, 0, 64, out, small, &found));
    CLAIM(merklize_bao_slice(bytes, (size_t)n, stated, 512, NULL, 0, 64, out, small, &found));
    CLAIM(merklize_bao_slice(bytes, 64, stated, (size_t)n, NULL, 0, 64, out, small, &found));
    ASK(merklize_bao_decode_slice(stated, 512, leaves, NULL, 0, n, 0, out, small, &found, &valid));
    ASK(merklize_bao_decode_slice(stated, 512, leaves, NULL, n, 64, 0, out, small, &found, &valid));
    ASK(merklize_bao_decode_slice(bytes, 512, leaves, &bare, 0, 64, n, out, small, &found, &valid));
    ASK(merklize_bao_decode_slice(bytes, 512, leaves, &bare, 0, n, n, out, small, &found, &valid));
    CLAIM(merklize_bao_decode_slice(stated, (size_t)n, leaves, NULL, 0, 64, 0, out, small, &found, &valid));
    ASK(merklize_bao_verify(bytes, 64, 0, n, leaves, stated, 512, NULL, faults, 2, &found, &asked));
    ASK(merklize_bao_verify(bytes, 64, n, 64, leaves, stated, 512, NULL, faults, 2, &found, &asked));
    ASK(merklize_bao_verify(bytes, 64, 0, n, leaves, bytes, 512, &bare, faults, 2, &found, &asked));
    ASK(merklize_bao_verify(bytes, 0, n, n, leaves, bytes, 512, &bare, faults, 2, &found, &asked));
    CLAIM(merklize_bao_verify(bytes, (size_t)n, 0, n, leaves, stated, 512, NULL, faults, 2, &found, &asked));
    CLAIM(merklize_bao_verify(bytes, 64, 0, 64, leaves, stated, (size_t)n, NULL, faults, 2, &found, &asked));
    CLAIM(merklize_bao_verify(bytes, 64, 0, 64, leaves, stated, 8, NULL, faults, (size_t)n, &found, &asked));
    ASK(merklize_bao_verify_descriptor(file, NULL, 0, n, leaves, stated, 512, NULL, faults, 2, &found, &asked));
    ASK(merklize_bao_verify_descriptor(file, NULL, n, 1, leaves, stated, 512, NULL, faults, 2, &found, &asked));
    ASK(merklize_bao_verify_descriptor((int)n, NULL, 0, 1, leaves, stated, 512, NULL, faults, 2, &found, &asked));
    close(file);
    unlink(file_path("saved.mkl"));
}

/* One tree of eight leaves, with levels dropped or without. */
static void of_proofs(const merklize_tree *tree, const merklize_digest *its, uint64_t count) {
    merklize_proof *proof = NULL, *each[2] = {NULL, NULL};
    places[0] = n;
    places[1] = 0;
    ASK_FOR(proof, proof, merklize_tree_prove(tree, n, its, count, &proof));
    CLAIM_FOR(proof, proof, merklize_tree_prove(tree, 0, leaves, n == 0 || n == 1 || n == 2 ? 8 : n, &proof));
    ASK(merklize_tree_prove_each(tree, places, 2, its, count, each));
    DROP(proof, each[0]);
    DROP(proof, each[1]);
    ASK_FOR(proof, proof, merklize_tree_prove_together(tree, places, 2, its, count, &proof));
    CLAIM_FOR(proof, proof, merklize_tree_prove_together(tree, (uint64_t[]){0, 1}, (size_t)n, its, count, &proof));
    if (n > 2) CLAIM(merklize_tree_prove_each(tree, (uint64_t[]){0, 1}, (size_t)n, its, count, each));
    ASK_FOR(proof, proof, merklize_tree_prove_range(tree, 0, n, its, count, &proof));
    ASK_FOR(proof, proof, merklize_tree_prove_range(tree, n, 8, its, count, &proof));
    ASK_FOR(proof, proof, merklize_tree_prove_range(tree, n, n + 1, its, count, &proof));
    ASK_FOR(proof, proof, merklize_tree_prove_consistency(tree, n, &proof));
}

static void of_trees(void) {
    merklize_form form = {.hash = (merklize_hash_id)n};
    const merklize_view eight = merklize_view_digests(leaves, 8), pair[2] = {given(), claimed()};
    merklize_tree *tree = NULL;
    merklize_tree_builder *builder = NULL;
    merklize_forest *forest = NULL;
    const merklize_digest *nodes = NULL;
    ASK(merklize_heap_slots(n, &number));
    CLAIM(merklize_build_tree(merklize_output_digests(digests, n), NULL, &asked));
    CLAIM(merklize_build_tree(claimed_out(), NULL, &asked));
    CLAIM(merklize_merkle_root(merklize_view_digests(leaves, n), NULL, &root, &asked));
    ASK(merklize_merkle_root(eight, &form, &root, &asked));
    form = (merklize_form){.rule = (merklize_rule)n};
    ASK(merklize_merkle_root(eight, &form, &root, &asked));
    CLAIM(merklize_merkle_root_parts(NULL, (size_t)n, NULL, &root, &asked));
    ASK_FOR(tree, tree, merklize_tree_from_leaves(eight, NULL, (uint32_t)n, &asked, &tree));
    CLAIM_FOR(tree, tree, merklize_tree_from_leaves(merklize_view_digests(leaves, n), NULL, 0, &asked, &tree));
    CLAIM_FOR(tree, tree, merklize_tree_from_messages(pair, 2, NULL, &asked, &tree));
    CLAIM_FOR(tree, tree, merklize_tree_from_messages(pair, n <= 2 ? 1 : (size_t)n, NULL, &asked, &tree));
    if (n < INT32_MAX || (can_limit && n > UINT32_MAX))
        ASK_FOR(tree, tree, merklize_tree_from_rows(merklize_view_bytes(bytes, 0), n, NULL, &asked, &tree));
    ASK_FOR(tree, tree, merklize_tree_from_rows(given(), n, NULL, &asked, &tree));
    CLAIM_FOR(tree, tree, merklize_tree_from_rows(claimed(), n, NULL, &asked, &tree));

    for (uint32_t dropped = 0; dropped < 3; dropped += 2) {
        OK(merklize_tree_from_leaves(eight, NULL, dropped, &asked, &tree));
        of_proofs(tree, dropped != 0 ? leaves : NULL, dropped != 0 ? 8 : 0);
        ASK(merklize_tree_level(tree, (uint32_t)n, &nodes, &number));
        ASK(merklize_tree_device_level(tree, (uint32_t)n, &(merklize_buffer *){NULL}));
        ASK(merklize_tree_cap(tree, (uint32_t)n, digests, items, &found));
        ASK(merklize_tree_cap(tree, 0, digests, (size_t)n, &found));
        ASK(merklize_tree_cap(tree, 0, NULL, (size_t)n, &found));
        places[0] = n;
        ASK(merklize_tree_update(tree, places, leaves, 1, &asked));
        CLAIM(merklize_tree_update(tree, (uint64_t[]){0, 1}, leaves, (size_t)n, &asked));
        CLAIM(merklize_tree_append(tree, leaves, n, &asked));
        DROP(tree, tree);
    }
    OK(merklize_tree_builder_create(NULL, &asked, &builder));
    CLAIM(merklize_tree_builder_append(builder, merklize_view_digests(leaves, n)));
    DROP(tree_builder, builder);
    form = (merklize_form){.rule = (merklize_rule)n};
    ASK_FOR(tree_builder, builder, merklize_tree_builder_create(&form, &asked, &builder));

    ASK_FOR(forest, forest, merklize_forest_from_leaves(eight, n, NULL, &asked, &forest));
    CLAIM_FOR(forest, forest, merklize_forest_from_leaves(merklize_view_digests(leaves, n), 2, NULL, &asked, &forest));
    OK(merklize_forest_from_leaves(eight, 4, NULL, &asked, &forest));
    merklize_proof *proof = NULL;
    ASK(merklize_forest_roots(forest, digests, (size_t)n, &found));
    ASK(merklize_forest_roots(forest, NULL, (size_t)n, &found));
    ASK(merklize_forest_level(forest, (uint32_t)n, &nodes, &number));
    ASK_FOR(proof, proof, merklize_forest_prove(forest, n, 0, &proof));
    ASK_FOR(proof, proof, merklize_forest_prove(forest, 0, n, &proof));
    ASK_FOR(proof, proof, merklize_forest_prove(forest, n, n, &proof));
    DROP(forest, forest);
}

static void of_inputs(void) {
    merklize_tree_info info;
    merklize_tree *tree = NULL;
    const merklize_input inputs[] = {{.path = file_path("input"), .leaf_bytes = n},
                                     {.path = file_path("input"), .leaf_bytes = n, .kind = MERKLIZE_INPUT_ROWS},
                                     {.path = file_path("input"), .leaf_bytes = n, .kind = MERKLIZE_INPUT_LEAVES},
                                     {.path = file_path("input"), .leaf_bytes = 64, .kind = (uint32_t)n},
                                     {.leaf_bytes = 64, .has_descriptor = 1, .descriptor = (int32_t)n}};
    char path[2][256];
    snprintf(path[0], sizeof path[0], "%s", file_path("input"));
    snprintf(path[1], sizeof path[1], "%s", file_path("tree.mkl"));
    for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; i++) {
        merklize_input input = inputs[i];
        if (input.path != NULL) input.path = path[0];
        if (input.descriptor == 1 || input.descriptor == 2) continue; /* may be a terminal, which is read to its end */
        if (input.has_descriptor != 0 && n == 0) continue;
        ASK(merklize_merkle_root_file(&input, NULL, &info, &asked));
        ASK_FOR(tree, tree, merklize_tree_from_file(&input, NULL, &asked, &tree));
        ASK(merklize_build_tree_file(&input, path[1], NULL, 0, &info, &asked));
    }
}

static void of_tree_files(void) {
    const char *const path = file_path("tree.mkl");
    merklize_tree *tree = NULL;
    merklize_tree_file *file = NULL;
    merklize_tree_writer *writer = NULL;
    merklize_proof *proof = NULL;
    merklize_wrong_node wrong[2];
    OK(merklize_tree_from_leaves(merklize_view_digests(leaves, 8), NULL, 0, NULL, &tree));
    OK(merklize_tree_save(tree, path));
    DROP(tree, tree);
    OK(merklize_tree_file_open(path, &file));
    places[0] = n;
    places[1] = 0;
    ASK(merklize_tree_file_read(file, (uint32_t)n, 0, digests, 1));
    ASK(merklize_tree_file_read(file, 0, n, digests, 1));
    ASK(merklize_tree_file_read(file, (uint32_t)n, n, digests, 1));
    CLAIM(merklize_tree_file_read(file, 0, 0, digests, (size_t)n));
    CLAIM(merklize_tree_file_read(file, 0, UINT64_MAX, digests, (size_t)n));
    ASK_FOR(proof, proof, merklize_tree_file_prove(file, n, &proof));
    ASK_FOR(proof, proof, merklize_tree_file_prove_together(file, places, 2, &proof));
    CLAIM_FOR(proof, proof, merklize_tree_file_prove_together(file, (uint64_t[]){0, 1}, (size_t)n, &proof));
    ASK_FOR(proof, proof, merklize_tree_file_prove_range(file, 0, n, &proof));
    ASK_FOR(proof, proof, merklize_tree_file_prove_range(file, n, UINT64_MAX, &proof));
    ASK_FOR(proof, proof, merklize_tree_file_prove_consistency(file, n, &proof));
    CLAIM(merklize_tree_file_check(file, wrong, (size_t)n, &found, &asked));
    ASK(merklize_tree_file_update(file, places, leaves, 1, &asked));
    CLAIM(merklize_tree_file_update(file, (uint64_t[]){0, 1}, leaves, (size_t)n, &asked));
    CLAIM(merklize_tree_file_append(file, leaves, n, &asked));
    const merklize_mode keyed = {.key = bytes, .key_bytes = (size_t)n};
    CLAIM(merklize_tree_file_set_mode(file, &keyed));
    DROP(tree_file, file);

    static const uint64_t others[] = {0, 1, 64, UINT64_MAX};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        const uint64_t given_as[][3] = {
            {n, others[i], 0}, {n, others[i], n}, {others[i], n, 0}, {others[i], n, n}, {others[i], 64, n}};
        for (size_t k = 0; k < sizeof given_as / sizeof given_as[0]; k++) {
            const uint64_t *const g = given_as[k];
            if (ASK(merklize_tree_writer_create(path, g[0], NULL, g[1], g[2], 0, &asked, &writer)) != MERKLIZE_OK)
                continue;
            OK(merklize_tree_writer_append(writer, leaves, 1));
            CLAIM(merklize_tree_writer_append(writer, leaves, n));
            ASK(merklize_tree_writer_finish(writer, n, &root));
            DROP(tree_writer, writer);
        }
    }
    char partial[256];
    snprintf(partial, sizeof partial, "%s.partial", path);
    unlink(partial);
}

static void of_proof_bytes(void) {
    merklize_tree *tree = NULL;
    merklize_proof *proof = NULL, *made = NULL;
    uint8_t encoded[small];
    const merklize_hash_id hash = (merklize_hash_id)n;
    const merklize_expect expects[] = {{.index = &n}, {.n_leaves = &n}, {.hash = &hash}, {.rule = (merklize_rule)n}};
    OK(merklize_tree_from_leaves(merklize_view_digests(leaves, 8), NULL, 0, NULL, &tree));
    OK(merklize_tree_root(tree, &root));
    OK(merklize_tree_prove(tree, 3, NULL, 0, &proof));
    for (size_t i = 0; i < sizeof expects / sizeof expects[0]; i++)
        ASK(merklize_proof_verify(proof, &root, &expects[i], NULL, &valid));
    if (n <= small || n >= 1ull << 56) {
        ASK(merklize_proof_to_bytes(proof, encoded, (size_t)n, &found));
        ASK(merklize_proof_to_winterfell(proof, encoded, (size_t)n, &found));
    }
    ASK(merklize_proof_to_bytes(proof, NULL, (size_t)n, &found));
    size_t length = 0;
    OK(merklize_proof_to_bytes(proof, encoded, small, &length));
    /* n at every place of the bytes of a proof. */
    for (size_t place = 0; place + 8 <= length; place++) {
        uint8_t lying[small];
        memcpy(lying, encoded, length);
        for (int i = 0; i < 8; i++) lying[place + (size_t)i] = (uint8_t)(n >> 8 * i);
        if (ASK(merklize_proof_from_bytes(lying, length, &made)) == MERKLIZE_OK)
            ASK(merklize_proof_verify(made, &root, NULL, NULL, &valid));
        DROP(proof, made);
        ASK(merklize_verify(lying, length, &root, NULL, NULL, &valid));
        ASK(merklize_verify_consistency(lying, length, &root, &root, NULL, &valid));
    }
    CLAIM(merklize_verify_each((const merklize_proof *const[]){proof, proof}, (size_t)n, &root, NULL, out, &asked));
    DROP(proof, proof);
    CLAIM_FOR(proof, made, merklize_proof_from_bytes(encoded, (size_t)n, &made));
    CLAIM(merklize_verify(encoded, (size_t)n, &root, NULL, NULL, &valid));
    CLAIM(merklize_verify_consistency(encoded, (size_t)n, &root, &root, NULL, &valid));

    const merklize_mode keyed = {.key = bytes, .key_bytes = (size_t)n};
    OK(merklize_tree_prove_consistency(tree, 3, &proof));
    CLAIM(merklize_proof_verify_consistency(proof, &root, &root, &keyed, &valid));
    DROP(proof, proof);
    DROP(tree, tree);
    const uint64_t lying[2] = {n, 0};
    ASK_FOR(proof, made, merklize_proof_from_winterfell(bytes, 128, MERKLIZE_HASH_blake3, lying, leaves, 2, &made));
    ASK_FOR(proof, made,
            merklize_proof_from_winterfell(bytes, 128, (merklize_hash_id)n, (uint64_t[]){0, 1}, leaves, 2, &made));
    CLAIM_FOR(proof, made,
              merklize_proof_from_winterfell(bytes, (size_t)n, MERKLIZE_HASH_blake3, lying, leaves, 2, &made));
    CLAIM_FOR(
        proof, made,
        merklize_proof_from_winterfell(bytes, 128, MERKLIZE_HASH_blake3, (uint64_t[]){0, 1}, leaves, (size_t)n, &made));
    for (size_t place = 0; place < 9; place++) {
        uint8_t stated[128] = {0};
        for (size_t i = 0; i < 8; i++) stated[place + i] = (uint8_t)(n >> 8 * i);
        ASK_FOR(
            proof, made,
            merklize_proof_from_winterfell(stated, 128, MERKLIZE_HASH_rp64_256, (uint64_t[]){0, 1}, leaves, 2, &made));
    }
}

static void of_formats(void) {
    const merklize_fs_verity_form verity[] = {{.block_size = (uint32_t)n}, {.salt = bytes, .salt_bytes = (size_t)n}};
    const char *const path = file_path("input"), *const paths[2] = {path, path};
    merklize_piece_cid_info piece;
    merklize_xet_chunk chunks[2];
    merklize_file_digests *files = NULL;
    merklize_openzeppelin_tree *tree = NULL;
    CLAIM(merklize_fs_verity(bytes, (size_t)n, NULL, &root, &asked));
    ASK(merklize_fs_verity(bytes, 64, &verity[0], &root, &asked));
    ASK(merklize_fs_verity_file(path, &verity[0], &root, &asked));
    if (n <= small || n >= 1ull << 56) {
        ASK(merklize_fs_verity(bytes, 64, &verity[1], &root, &asked));
        ASK(merklize_fs_verity_file(path, &verity[1], &root, &asked));
    }
    CLAIM(merklize_glacier(bytes, (size_t)n, &root, &asked));
    ASK(merklize_bittorrent_v2(bytes, 64, n, &root, digests, 2, &found, &asked));
    CLAIM(merklize_bittorrent_v2(bytes, (size_t)n, 0, &root, digests, 2, &found, &asked));
    CLAIM(merklize_bittorrent_v2(bytes, 64, 0, &root, NULL, (size_t)n, &found, &asked));
    ASK(merklize_ssz(leaves, 2, &n, NULL, &root, &asked));
    ASK(merklize_ssz(leaves, 0, &n, NULL, &root, &asked));
    ASK(merklize_ssz(leaves, 2, NULL, &n, &root, &asked));
    ASK(merklize_ssz(leaves, 2, &n, &n, &root, &asked));
    CLAIM(merklize_ssz(leaves, (size_t)n, NULL, NULL, &root, &asked));
    CLAIM(merklize_piece_leaves(bytes, (size_t)n, NULL, 0, &found));
    ASK(merklize_piece_leaves(bytes, 64, digests, n > items ? SIZE_MAX : (size_t)n, &found));
    CLAIM(merklize_piece_cid(bytes, (size_t)n, &piece, &asked));
    ASK(merklize_piece_cid_file(path, &piece, &asked));
    CLAIM(merklize_xet_hash(bytes, (size_t)n, &root, &asked));
    ASK(merklize_xet_hash_file(path, &root, &asked));
    CLAIM_FOR(file_digests, files, merklize_xet_hash_files(paths, (size_t)n, &asked, &files));
    CLAIM(merklize_xet_chunks(bytes, (size_t)n, chunks, 2, &found, &asked));
    ASK(merklize_xet_chunks(bytes, 64, chunks, n > 2 ? SIZE_MAX : (size_t)n, &found, &asked));

    CLAIM(merklize_openzeppelin_leaf(bytes, (size_t)n, &root));
    CLAIM_FOR(openzeppelin_tree, tree, merklize_openzeppelin_tree_create(leaves, (size_t)n, NULL, &asked, &tree));
    ASK_FOR(openzeppelin_tree, tree, merklize_openzeppelin_tree_create(leaves, 2, (uint64_t[]){n, 2}, &asked, &tree));
    OK(merklize_openzeppelin_tree_create(leaves, 8, NULL, NULL, &tree));
    places[0] = n;
    places[1] = 0;
    const merklize_digest *nodes;
    ASK(merklize_openzeppelin_tree_nodes(tree, &nodes, &number));
    ASK(merklize_openzeppelin_tree_index(tree, n, &number));
    ASK(merklize_openzeppelin_tree_prove(tree, n, digests, items, &found));
    ASK(merklize_openzeppelin_tree_prove(tree, 0, digests, (size_t)n, &found));
    ASK(merklize_openzeppelin_tree_prove_together(tree, places, 2, digests, digests + 2, 8, &found, out));
    CLAIM(merklize_openzeppelin_tree_prove_together(tree, (uint64_t[]){0, 1}, (size_t)n, digests, digests + 2, 8,
                                                    &found, out));
    ASK(merklize_openzeppelin_tree_prove_together(tree, (uint64_t[]){0, 1}, 2, digests, digests + 2,
                                                  n > 8 ? SIZE_MAX : (size_t)n, &found, out));
    DROP(openzeppelin_tree, tree);
    CLAIM(merklize_verify_openzeppelin(leaves, (size_t)n, &root, leaves, &valid));
}

static void of_verity(void) {
    char data[256], names[256];
    snprintf(data, sizeof data, "%s", file_path("input"));
    snprintf(names, sizeof names, "%s", file_path("hashes"));
    const merklize_dm_verity_form forms[] = {
        {.algorithm = (uint32_t)n},       {.salt_after = (uint32_t)n}, {.data_block_size = (uint32_t)n},
        {.hash_block_size = (uint32_t)n}, {.data_blocks = n},          {.salt = bytes, .salt_bytes = (size_t)n}};
    const merklize_dm_verity_area areas[] = {{.offset = n}, {.offset = n / 4096 * 4096, .without_superblock = 1}};
    merklize_dm_verity_root made = {.length = 0};
    merklize_dm_verity_facts facts;
    merklize_dm_verity_fault faults[2];
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        const merklize_dm_verity_form *const form = &forms[i];
        if (form->salt != NULL && n > small && n < 1ull << 56) continue;
        ASK(merklize_dm_verity(bytes, small, form, &made, &asked));
        ASK(merklize_dm_verity_file(data, form, &made, &asked));
        ASK(merklize_dm_verity_format(data, names, form, NULL, &made, &facts, &asked));
        ASK(merklize_dm_verity_verify(data, names, out, 32, form, NULL, faults, 2, &found, &number, &asked));
        ASK(merklize_dm_verity_verify(data, names, out, 32, form, &areas[1], faults, 2, &found, &number, &asked));
    }
    CLAIM(merklize_dm_verity(bytes, (size_t)n, NULL, &made, &asked));
    unlink(names);
    OK(merklize_dm_verity_format(data, names, NULL, NULL, &made, &facts, NULL));
    ASK(merklize_dm_verity_dump(names, n, &facts));
    for (size_t i = 0; i < 2; i++) {
        ASK(merklize_dm_verity_verify(data, names, made.bytes, 32, NULL, &areas[i], faults, 2, &found, &number,
                                      &asked));
        if (n != 0 && n < 1ull << 33) continue; /* a place that a disk may have */
        ASK(merklize_dm_verity_format(data, names, NULL, &areas[i], &made, &facts, &asked));
    }
    CLAIM(
        merklize_dm_verity_verify(data, names, made.bytes, (size_t)n, NULL, NULL, faults, 2, &found, &number, &asked));
    CLAIM(
        merklize_dm_verity_verify(data, names, made.bytes, 32, NULL, NULL, faults, (size_t)n, &found, &number, &asked));
    /* n at every place of the superblock's numbers. */
    for (long place = 8; place < 96; place += 4) {
        unlink(names);
        OK(merklize_dm_verity_format(data, names, NULL, NULL, &made, &facts, NULL));
        const int file = open(names, O_WRONLY);
        CHECK(pwrite(file, &n, sizeof n, place) == sizeof n);
        close(file);
        ASK(merklize_dm_verity_dump(names, 0, &facts));
        ASK(merklize_dm_verity_verify(data, names, made.bytes, 32, NULL, NULL, faults, 2, &found, &number, &asked));
    }
    unlink(names);
}

static void of_manifests(void) {
    const char *const path = file_path("input");
    const char *const patterns[2] = {"*", "?"};
    const merklize_manifest_options sizes = {.piece_size = n};
    const merklize_manifest_options counts = {.patterns = patterns, .pattern_count = (size_t)n};
    merklize_manifest *manifest = NULL, *again = NULL;
    merklize_differences *differences = NULL;
    merklize_difference one;
    char text[small];
    ASK_FOR(manifest, manifest, merklize_manifest_create("/dev/null", &sizes, &asked, &manifest));
    CLAIM_FOR(manifest, manifest, merklize_manifest_create("/dev/null", &counts, &asked, &manifest));
    CLAIM_FOR(manifest, manifest, merklize_manifest_parse((const char *)bytes, (size_t)n, &manifest));
    char folder[256];
    snprintf(folder, sizeof folder, "%s", path);
    *strrchr(folder, '/') = '\0';
    OK(merklize_manifest_create(folder, NULL, NULL, &manifest));
    if (n <= small || n >= 1ull << 56) ASK(merklize_manifest_to_json(manifest, (int)n, text, (size_t)n, &found));
    ASK(merklize_manifest_to_json(manifest, (int)n, text, sizeof text, &found));
    CLAIM_FOR(differences, differences, merklize_manifest_check(manifest, folder, &counts, &asked, &differences));
    OK(merklize_manifest_check(manifest, folder, NULL, &asked, &differences));
    const char *name = NULL;
    ASK(merklize_differences_get(differences, (size_t)n, &one));
    ASK(merklize_differences_missing_get(differences, (size_t)n, &name));
    ASK(merklize_manifest_missing_get(manifest, (size_t)n, &name));
    DROP(differences, differences);
    ASK_FOR(manifest, again, merklize_manifest_refresh(manifest, folder, &sizes, &asked, &again));
    DROP(manifest, manifest);
}

/* Eight rows of eight words, with one or two fields replaced. */
static void of_matrix(const merklize_matrix *matrix, uint32_t field) {
    merklize_commitment_form form = {.hash = field, .keep = 1};
    const merklize_extend_form extension = {.field = MERKLIZE_FIELD_GOLDILOCKS, .added_bits = 1};
    const merklize_sum_form rows = {.field = MERKLIZE_FIELD_GOLDILOCKS, .degree = 1},
                            columns = {.field = MERKLIZE_FIELD_GOLDILOCKS, .over = 1, .degree = 1};
    const merklize_extended_matrix extended = {.matrix = *matrix, .form = extension};
    merklize_commitment *commitment = NULL;
    ASK(merklize_hash_rows(matrix, 1, field, 0, NULL, merklize_output_digests(digests, 8), &asked));
    ASK(merklize_extend(matrix, &extension, merklize_output_bytes(out, 1024), &asked));
    ASK(merklize_weighted_sums(matrix, words, 64, &rows, out, 64, &asked));
    ASK(merklize_weighted_sums(matrix, words, 64, &columns, out, 64, &asked));
    const merklize_constraint_form folded = {.degree = 1};
    ASK(merklize_evaluate_constraints(matrix, 1, &folded, out, 64, &asked));
    ASK_FOR(commitment, commitment, merklize_commit_extended(&extended, 1, &form, &asked, &commitment));
    ASK_FOR(commitment, commitment, merklize_commitment_build(matrix, 1, &form, &asked, &commitment));
}

static void of_tiles(void) {
    const merklize_tiled_matrices sound = {.elements = words + 256,
                                           .matrices = 2,
                                           .rows = 4,
                                           .columns = 8,
                                           .row_pitch = 16,
                                           .matrix_pitch = 64,
                                           .element_bytes = 2};
    merklize_tiled_matrices changed[10];
    for (size_t i = 0; i < 10; i++) changed[i] = sound;
    if (n <= 2 || n >= 1ull << 56) {
        changed[0].matrices = n;
        changed[1].rows = n;
        changed[2].columns = n;
        changed[3].matrices = changed[3].rows = changed[3].columns = n;
        changed[4].row_pitch = (int64_t)n;
        changed[5].matrix_pitch = (int64_t)n;
        changed[6].row_pitch = (int64_t)n, changed[6].matrix_pitch = (int64_t)(0 - n);
    }
    changed[7].element_bytes = n == 4 || n == 8 || n == 16 ? 3 : (uint32_t)n;
    changed[8].tile_rows = (uint32_t)n;
    changed[9].tile_rows = changed[9].tile_columns = (uint32_t)n;
    for (size_t i = 0; i < 10; i++) {
        for (uint64_t room = 0; room <= 4; room++)
            ASK(merklize_hash_tiles(&changed[i], merklize_output_digests(digests, room), &asked));
    }
    CLAIM(merklize_hash_tiles(&sound, merklize_output_digests(digests, n), &asked));

    merklize_range_node nodes[128];
    ASK(merklize_range_nodes(n, 1, UINT64_MAX, nodes, 128, &found));
    ASK(merklize_range_nodes(0, n, n, nodes, 128, &found));
    ASK(merklize_range_nodes(1, n, UINT64_MAX, nodes, 128, &found));
    ASK(merklize_range_nodes(n, n, n, nodes, 128, &found));
    ASK(merklize_range_nodes(3, 4, 9, nodes, n <= 128 ? (size_t)n : 128, &found));
    const merklize_view given = merklize_view_digests(leaves, 4);
    for (uint64_t room = 0; room <= 4; room++) {
        ASK(merklize_merge_ranges(given, n, 0, 9, merklize_output_digests(digests, room), &asked));
        ASK(merklize_merge_ranges(given, 1, n, UINT64_MAX, merklize_output_digests(digests, room), &asked));
        ASK(merklize_merge_ranges(given, 1, 3, n, merklize_output_digests(digests, room), &asked));
    }
    CLAIM(
        merklize_merge_ranges(merklize_view_digests(leaves, n), 1, 0, n, merklize_output_digests(digests, 1), &asked));
    CLAIM(merklize_merge_ranges(given, 1, 3, 9, merklize_output_digests(digests, n), &asked));
}

static void of_xmss(void) {
    merklize_xmss_key *keys[2] = {NULL, NULL};
    uint64_t first, last;
    CLAIM(merklize_xmss_keys(bytes, n, 5, 6, &asked, keys));
    for (size_t i = 0; i < 2; i++) DROP(xmss_key, keys[i]);
    ASK(merklize_xmss_keys(bytes, 1, n, 0, &asked, keys));
    DROP(xmss_key, keys[0]);
    ASK(merklize_xmss_keys(bytes, 1, n, n, &asked, keys));
    if (keys[0] != NULL) {
        ASK(merklize_xmss_key_info(keys[0], out, &first, &last));
        CHECK(first == n && last == n);
        ASK(merklize_xmss_key_path(keys[0], n, &asked, out));
        ASK(merklize_xmss_key_sign(keys[0], n, bytes, 32, &asked, out));
        CLAIM(merklize_xmss_key_sign(keys[0], n, bytes, n, &asked, out));
    }
    DROP(xmss_key, keys[0]);
    ASK(merklize_xmss_keys(bytes, 1, 9, 10, &asked, keys));
    ASK(merklize_xmss_key_path(keys[0], n, &asked, out));
    ASK(merklize_xmss_key_sign(keys[0], n, bytes, 32, &asked, out));
    DROP(xmss_key, keys[0]);
    ASK(merklize_xmss_verify(bytes, 32, n, bytes, 32, bytes, 1208, &valid));
    CHECK(valid == 0);
    ASK(merklize_xmss_verify(bytes, n, 1, bytes, n, bytes, n, &valid));
    CHECK(valid == 0);
    CLAIM(merklize_xmss_verify_each(bytes, words, bytes, bytes, n, &asked, out));
}

static void of_matrices(void) {
    const merklize_hash_id hash = MERKLIZE_HASH_poseidon2_goldilocks_8;
    const merklize_matrix sound = {
        .words = words + 256, .rows = 8, .columns = 8, .row_stride = 8, .column_stride = 1, .word_bytes = 8};
    merklize_matrix changed[9];
    for (size_t i = 0; i < 9; i++) changed[i] = sound;
    if (n <= 2 || n >= 1ull << 56) {
        changed[0].rows = n;
        changed[1].columns = n;
        changed[2].rows = changed[2].columns = n;
        changed[3].rows = n, changed[3].row_stride = INT64_MAX / 8;
        changed[4].row_stride = (int64_t)n;
        changed[5].column_stride = (int64_t)n;
        changed[6].row_stride = (int64_t)n, changed[6].column_stride = (int64_t)(0 - n);
    }
    changed[7].word_bytes = (uint32_t)n;
    changed[8].elements = (uint32_t)n;
    for (size_t i = 0; i < 9; i++) {
        if (i == 7 && n == 16) continue;
        of_matrix(&changed[i], hash);
        of_matrix(&changed[i], MERKLIZE_HASH_blake3);
    }
    CLAIM(
        merklize_hash_rows(&sound, n <= 2 ? 1 : (size_t)n, hash, 0, NULL, merklize_output_digests(digests, 8), &asked));
    CLAIM(merklize_hash_rows(&sound, 1, hash, 0, NULL, merklize_output_digests(digests, n), &asked));
    ASK(merklize_hash_rows(&sound, 1, hash, (uint32_t)n, NULL, merklize_output_digests(digests, 8), &asked));
    ASK(merklize_hash_rows(&sound, 1, MERKLIZE_HASH_blake3, (uint32_t)n, NULL, merklize_output_digests(digests, 8),
                           &asked));

    const merklize_extend_form forms[] = {{.field = (uint32_t)n, .added_bits = 1},
                                          {.added_bits = (uint32_t)n},
                                          {.added_bits = 1, .shift = n},
                                          {.added_bits = 1, .order = (uint32_t)n}};
    const merklize_commitment_form by = {.hash = hash, .keep = 1};
    merklize_commitment *commitment = NULL;
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        ASK(merklize_extend(&sound, &forms[i], merklize_output_bytes(out, 1024), &asked));
        if (i == 1 && n > 2 && n <= 64) continue; /* an extension that memory may have */
        const merklize_extended_matrix one = {.matrix = sound, .form = forms[i]};
        ASK_FOR(commitment, commitment, merklize_commit_extended(&one, 1, &by, &asked, &commitment));
    }
    const merklize_extend_form twice = {.added_bits = 1};
    CLAIM(merklize_extend(&sound, &twice, claimed_out(), &asked));
    const merklize_extended_matrix to = {.matrix = sound, .form = twice, .out = out, .out_bytes = n};
    CLAIM_FOR(commitment, commitment, merklize_commit_extended(&to, 1, &by, &asked, &commitment));
    CLAIM_FOR(commitment, commitment, merklize_commit_extended(&to, n <= 2 ? 0 : (size_t)n, &by, &asked, &commitment));

    const merklize_sum_form sums[] = {
        {.field = (uint32_t)n, .degree = 1}, {.over = (uint32_t)n, .degree = 1}, {.degree = (uint32_t)n}};
    for (size_t i = 0; i < sizeof sums / sizeof sums[0]; i++) {
        if (i == 2 && n == 8) continue;
        ASK(merklize_weighted_sums(&sound, words, 64, &sums[i], out, 64, &asked));
    }
    CLAIM(merklize_weighted_sums(&sound, words, n, &(merklize_sum_form){.degree = 1}, out, 64, &asked));
    CLAIM(merklize_weighted_sums(&sound, words, 64, &(merklize_sum_form){.degree = 1}, out, n, &asked));

    merklize_matrix any = sound;
    any.elements = MERKLIZE_ELEMENTS_ANY;
    const merklize_constraint_step step = {.op = (uint32_t)n, .to = (uint32_t)n, .a = (uint32_t)n, .b = (uint32_t)n};
    const merklize_constraint_form folded[] = {{.field = (uint32_t)n, .degree = 1},
                                               {.order = (uint32_t)n, .degree = 1},
                                               {.degree = (uint32_t)n},
                                               {.next = n, .degree = 1},
                                               {.steps = &step, .n_steps = 1, .degree = 1}};
    for (size_t i = 0; i < sizeof folded / sizeof folded[0]; i++) {
        if (i == 2 && n == 8) continue;
        ASK(merklize_evaluate_constraints(&any, 1, &folded[i], out, 64, &asked));
    }
    const merklize_constraint_step two_steps[2] = {{.op = MERKLIZE_CONSTRAINT_OP_ADD}};
    const merklize_constraint_form claimed[] = {{.scalars = words, .scalar_bytes = n, .degree = 1},
                                                {.weights = words, .weight_bytes = n, .degree = 1},
                                                {.steps = two_steps, .n_steps = n, .degree = 1}};
    for (size_t i = 0; i < sizeof claimed / sizeof claimed[0]; i++)
        CLAIM(merklize_evaluate_constraints(&any, 1, &claimed[i], out, 64, &asked));
    CLAIM(merklize_evaluate_constraints(&any, 1, &(merklize_constraint_form){.degree = 1}, out, n, &asked));

    const merklize_commitment_form shapes[] = {{.hash = hash, .arity = (uint32_t)n},
                                               {.hash = hash, .cap_height = (uint32_t)n},
                                               {.hash = hash, .montgomery = (uint32_t)n},
                                               {.hash = hash, .drop_levels = (uint32_t)n},
                                               {.hash = hash, .cap_height = (uint32_t)n, .drop_levels = (uint32_t)n},
                                               {.hash = MERKLIZE_HASH_blake3, .word_bytes = (uint32_t)n},
                                               {.hash = (merklize_hash_id)n}};
    const merklize_matrix_dims dims[] = {{8, 8}, {n, 8}, {8, n}, {n, n}};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        ASK_FOR(commitment, commitment, merklize_commitment_build(&sound, 1, &shapes[i], &asked, &commitment));
        for (size_t k = 0; k < sizeof dims / sizeof dims[0]; k++) {
            ASK(merklize_verify_opening((uint64_t[]){n}, 1, bytes, 64, leaves, 3, leaves, 1, &dims[k], 1, &shapes[i],
                                        &valid));
            ASK(merklize_verify_opening((uint64_t[]){0, 1}, 2, bytes, 128, leaves, 3, leaves, 1, dims, k + 1,
                                        &shapes[i], &valid));
        }
    }
    CLAIM(
        merklize_verify_opening((uint64_t[]){0, 1}, (size_t)n, bytes, 64, leaves, 3, leaves, 1, dims, 1, &by, &valid));
    CLAIM(merklize_verify_opening((uint64_t[]){0}, 1, bytes, (size_t)n, leaves, 3, leaves, 1, dims, 1, &by, &valid));
    CLAIM(merklize_verify_opening((uint64_t[]){0}, 1, bytes, 64, leaves, (size_t)n, leaves, 1, dims, 1, &by, &valid));
    CLAIM(merklize_verify_opening((uint64_t[]){0}, 1, bytes, 64, leaves, 3, leaves, (size_t)n, dims, 1, &by, &valid));
    CLAIM(merklize_verify_opening((uint64_t[]){0}, 1, bytes, 64, leaves, 3, leaves, 1, dims, (size_t)n, &by, &valid));

    for (uint32_t keep = 0; keep < 2; keep++) {
        const merklize_commitment_form form = {.hash = hash, .keep = keep, .drop_levels = 1};
        const merklize_matrix *const its = keep != 0 ? NULL : &sound;
        const size_t count = keep != 0 ? 0 : 1;
        places[0] = n;
        places[1] = 0;
        OK(merklize_commitment_build(&sound, 1, &form, &asked, &commitment));
        ASK(merklize_commitment_cap(commitment, digests, (size_t)n, &found));
        ASK(merklize_commitment_open(commitment, places, 1, its, count, out, digests));
        ASK(merklize_commitment_open_together(commitment, places, 2, its, count, out, digests, items, &found));
        CLAIM(merklize_commitment_open(commitment, (uint64_t[]){0, 1}, (size_t)n, its, count, out, digests));
        CLAIM(merklize_commitment_open(commitment, (uint64_t[]){0, 1}, (size_t)n, its, count, NULL, digests));
        CLAIM(merklize_commitment_open_together(commitment, (uint64_t[]){0, 1}, (size_t)n, its, count, out, digests,
                                                items, &found));
        if (n > 2) {
            CLAIM(merklize_commitment_open(commitment, (uint64_t[]){0}, 1, &sound, (size_t)n, out, digests));
            CLAIM(merklize_commitment_open_together(commitment, (uint64_t[]){0}, 1, &sound, (size_t)n, out, digests,
                                                    items, &found));
        }
        ASK(merklize_commitment_open_together(commitment, (uint64_t[]){0, 1}, 2, its, count, out, digests,
                                              n > items ? SIZE_MAX : (size_t)n, &found));
        for (size_t i = 0; i < 9; i++)
            ASK(merklize_commitment_open(commitment, (uint64_t[]){0}, 1, &changed[i], 1, out, digests));
        DROP(commitment, commitment);
    }
}

/* Memory of a device, and calls that are enqueued. */
static void of_device(const merklize_device *device) {
    merklize_buffer *buffer = NULL, *whole = NULL, *target = NULL, *slots = NULL;
    merklize_stream *stream = NULL;
    void *native = NULL;
    ASK(merklize_device_set_memory_limit(device, n));
    OK(merklize_device_set_memory_limit(device, 0));
    if (n < INT32_MAX || n > 1ull << 33) ASK_FOR(buffer, buffer, merklize_buffer_create(device, n, &buffer));
    OK(merklize_buffer_create(device, small, &whole));
    OK(merklize_buffer_create(device, small, &target));
    OK(merklize_buffer_create(device, 64, &slots));
    OK(merklize_buffer_upload(whole, 0, bytes, small, NULL));
    OK(merklize_buffer_upload(slots, 0, bytes, 64, NULL));
    OK(merklize_stream_create(device, &stream));
    for (int i = 0; i < 3; i++) {
        if (ASK(merklize_buffer_slice(whole, i == 1 ? 0 : n, i == 0 ? 1 : n, &buffer)) == MERKLIZE_OK)
            CHECK(merklize_buffer_size(buffer) <= small);
        DROP(buffer, buffer);
    }
    OK(merklize_buffer_native(whole, &native, &number));
    if (n >= 1ull << 56) {
        ASK_FOR(buffer, buffer, merklize_buffer_wrap(device, native, n, &buffer));
        ASK_FOR(buffer, buffer, merklize_buffer_wrap_const(device, native, n, &buffer));
    }
    ASK(merklize_buffer_upload(target, n, bytes, 64, NULL));
    ASK(merklize_buffer_download(whole, n, out, 64, NULL));
    if (n <= small || n >= 1ull << 56) {
        ASK(merklize_buffer_upload(target, 0, bytes, (size_t)n, NULL));
        ASK(merklize_buffer_download(whole, 0, out, (size_t)n, NULL));
        ASK(merklize_buffer_upload(target, n, bytes, (size_t)n, NULL));
        ASK(merklize_buffer_download(whole, n, out, (size_t)n, NULL));
    }
    const merklize_view there = merklize_view_buffer(whole);
    const merklize_output to = merklize_output_buffer(target);
    merklize_forest *forest = NULL;
    merklize_tree *tree = NULL;
    ASK(merklize_hash(there, MERKLIZE_HASH_blake3, NULL, n, out, 32, NULL));
    ASK(merklize_hash_parts((const merklize_buffer *const[]){whole, whole}, 2, NULL, n, out, 32, NULL));
    ASK(merklize_hash_pieces(there, n, &root, NULL, 0, &found, NULL));
    ASK(merklize_hash_leaves(there, n, MERKLIZE_HASH_blake3, NULL, to, NULL));
    ASK(merklize_hash_leaves(there, n, MERKLIZE_HASH_rp64_256, NULL, to, NULL));
    ASK(merklize_enqueue_hash_leaves(stream, whole, n, MERKLIZE_HASH_blake3, NULL, target, NULL, NULL));
    const merklize_mode keyed = {.key = bytes, .key_bytes = (size_t)n};
    const merklize_form form = {.hash = (merklize_hash_id)n, .rule = (merklize_rule)n};
    CLAIM(merklize_enqueue_hash(stream, whole, &keyed, target, NULL, NULL));
    ASK(merklize_enqueue_build_tree(stream, target, &form, NULL, NULL));
    ASK(merklize_enqueue_merkle_root(stream, whole, &form, slots, NULL, NULL));
    ASK(merklize_enqueue_merge(stream, whole, whole, (merklize_hash_id)n, NULL, target, NULL, NULL));
    ASK_FOR(tree, tree, merklize_tree_from_rows(there, n, NULL, NULL, &tree));
    ASK_FOR(tree, tree, merklize_tree_from_leaves(there, NULL, (uint32_t)n, NULL, &tree));
    ASK_FOR(forest, forest, merklize_forest_from_leaves(there, n, NULL, NULL, &forest));
    OK(merklize_tree_from_leaves(there, NULL, 0, NULL, &tree));
    of_proofs(tree, NULL, 0);
    buffer = NULL;
    ASK_FOR(buffer, buffer, merklize_tree_device_level(tree, (uint32_t)n, &buffer));
    ASK(merklize_tree_cap(tree, (uint32_t)n, digests, items, &found));
    DROP(tree, tree);

    merklize_matrix sound = {
        .buffer = whole, .rows = 8, .columns = 8, .row_stride = 8, .column_stride = 1, .word_bytes = 8};
    merklize_matrix changed[6] = {sound, sound, sound, sound, sound, sound};
    changed[0].first = n;
    changed[1].rows = n;
    changed[2].columns = n;
    changed[3].row_stride = (int64_t)n;
    changed[4].column_stride = (int64_t)n;
    changed[5].columns = n, changed[5].column_stride = (int64_t)(n / 2 + (1 << 20));
    for (size_t i = 0; i < 6; i++) of_matrix(&changed[i], MERKLIZE_HASH_poseidon2_goldilocks_8);
    OK(merklize_stream_synchronize(stream));
    DROP(stream, stream);
    DROP(buffer, slots);
    DROP(buffer, target);
    DROP(buffer, whole);
}

static void prepare(void) {
    fill_leaves(leaves, items);
    FILE *const file = fopen(file_path("input"), "wb");
    CHECK(file != NULL && fwrite(bytes, 1, small, file) == small && fclose(file) == 0);
}

void test_extremes(void) {
    prepare();
    struct rlimit before;
    getrlimit(RLIMIT_AS, &before);
    /* What a number alone asks for is refused by the system. */
    if (can_limit) setrlimit(RLIMIT_AS, &(struct rlimit){.rlim_cur = 6ull << 30, .rlim_max = before.rlim_max});
    for (size_t i = 0; i < count_of_numbers; i++) {
        n = numbers[i];
        asked.threads = (uint32_t)n;
        of_lists();
        of_digests();
        of_constants();
        of_pieces();
        of_bao();
        of_trees();
        of_inputs();
        of_tree_files();
        of_proof_bytes();
        of_formats();
        of_verity();
        of_manifests();
        of_matrices();
        of_tiles();
        of_xmss();
    }
    setrlimit(RLIMIT_AS, &before);
    CHECK(calls > 5000);
}

void test_extremes_on_device(const merklize_device *device) {
    prepare();
    asked = (merklize_run_options){0};
    for (size_t i = 0; i < count_of_numbers; i++) {
        n = numbers[i];
        of_device(device);
    }
}

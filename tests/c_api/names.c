/* The texts of wrong calls begin with the called function, once, and name an argument of it: of every function.
 * called.cmake checks that none is left out. */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"

static bool is_of_word(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }

/* Whether the text has the word by itself. */
static bool has_word(const char *text, const char *word) {
    const size_t length = strlen(word);
    for (const char *at = strstr(text, word); at != NULL; at = strstr(at + 1, word))
        if ((at == text || !is_of_word(at[-1])) && !is_of_word(at[length])) return true;
    return false;
}

/* "merklize_hash: rule", where no function of the library is named again in front of the rule. */
static bool is_named(const char *text, const char *function, const char *argument) {
    const size_t length = strlen(function);
    if (strncmp(text, function, length) != 0 || strncmp(text + length, ": ", 2) != 0) return false;
    const char *const rule = merklize_last_error_rule();
    if (strcmp(merklize_last_error_call(), function) != 0) return false;
    /* The argument, or a part of it: "input->kind". */
    const char *const named = merklize_last_error_argument(), *const begin = text + length + 2;
    const size_t width = strlen(named);
    if (width != 0) {
        return has_word(named, argument) && strncmp(begin, named, width) == 0 && begin[width] == ' ' &&
               strcmp(begin + width + 1, rule) == 0;
    }
    if (strcmp(begin, rule) != 0) return false;
    const char *const again = strstr(rule, function);
    if ((again != NULL && again[length] == ':') || !has_word(rule, argument)) return false;
    /* A function of C++ in front: "open:", "MatrixCommitment:". */
    const char *end = rule;
    while (is_of_word(*end) || (*end >= 'A' && *end <= 'Z')) end++;
    if (*end != ':' || (size_t)(end - rule) == strlen(argument)) return true;
    return strncmp(rule, argument, strlen(argument)) == 0;
}

/* A wrong call of a function: its text names this argument. */
#define NAMES(argument, function, ...)                                                                              \
    do {                                                                                                            \
        const merklize_status got_ = function(__VA_ARGS__);                                                         \
        if (got_ != MERKLIZE_INVALID_ARGUMENT || !is_named(merklize_last_error(), #function, argument)) {           \
            printf("%s:%d: %s(%s): status %d, without '%s': \"%s\"\n", __FILE__, __LINE__, #function, #__VA_ARGS__, \
                   (int)got_, argument, got_ == MERKLIZE_OK ? "" : merklize_last_error());                          \
            failures++;                                                                                             \
        }                                                                                                           \
    } while (0)

enum { blake3 = MERKLIZE_HASH_blake3, field = MERKLIZE_HASH_poseidon2_goldilocks_8 };

static uint8_t bytes[4096], out[4096];
static uint64_t words[512], number;
static merklize_digest leaves[16], digests[16], root;
static size_t count;
static int valid;

static merklize_view some(void) { return merklize_view_bytes(bytes, 64); }
static merklize_view odd(void) { return merklize_view_bytes(bytes, 63); }
static merklize_view eight(void) { return merklize_view_digests(leaves, 8); }

static void of_lists(void) {
    char text[64];
    merklize_hash_id hash;
    NAMES("index", merklize_hash_describe, 1000, &(merklize_hash_info){0});
    NAMES("info", merklize_hash_describe, 0, NULL);
    NAMES("name", merklize_hash_from_name, NULL, &hash);
    NAMES("hash", merklize_hash_from_name, "sha3", &hash);
    NAMES("hash", merklize_hash_get_info, 4242, &(merklize_hash_info){0});
    NAMES("hash", merklize_hash_name, 4242, text, sizeof text, &count);
    NAMES("index", merklize_format_describe, 1000, &(merklize_format_info){0});
    NAMES("name", merklize_format_get_info, NULL, &(merklize_format_info){0});
    NAMES("format", merklize_format_get_info, "x", &(merklize_format_info){0});
    NAMES("text", merklize_policy_from_text, NULL, &(merklize_policy){0});
    NAMES("policy", merklize_policy_from_text, "lanes=3", &(merklize_policy){0});
    NAMES("policy", merklize_policy_to_text, NULL, text, sizeof text, &count);
    NAMES("policy", merklize_policy_to_text, &(merklize_policy){.lanes = 3}, text, sizeof text, &count);
    NAMES("ABI", merklize_check_abi, 12345);
    NAMES("instance", merklize_hash_poseidon2, NULL, NULL, &hash);
    NAMES("width", merklize_hash_poseidon2, &(merklize_poseidon2){.width = 9}, NULL, &hash);
    NAMES("instance", merklize_hash_poseidon, NULL, &hash);
    NAMES("width", merklize_hash_poseidon, &(merklize_poseidon){.width = 9}, &hash);
}

static void of_devices(void) {
    char text[64];
    merklize_device *device = NULL;
    merklize_buffer *buffer = NULL;
    merklize_stream *stream = NULL;
    NAMES("count", merklize_device_count, NULL);
    NAMES("index", merklize_device_describe, 1000, &(merklize_device_info){0});
    NAMES("name", merklize_why_unavailable, NULL, text, sizeof text, &count);
    NAMES("name", merklize_device_open, NULL, &device);
    NAMES("device", merklize_device_open, "gpu", &device);
    NAMES("device", merklize_device_get_info, NULL, &(merklize_device_info){0});
    NAMES("device", merklize_device_set_memory_limit, NULL, 0);
    NAMES("device", merklize_device_get_memory_limit, NULL, &number);
    NAMES("device", merklize_stream_create, NULL, &stream);
    NAMES("device", merklize_stream_wrap, NULL, bytes, &stream);
    NAMES("stream", merklize_stream_synchronize, NULL);
    NAMES("stream", merklize_stream_is_capturing, NULL, &valid);
    NAMES("stream", merklize_stream_record, NULL, &(merklize_event *){NULL});
    NAMES("stream", merklize_stream_wait, NULL, NULL);
    NAMES("event", merklize_event_wait, NULL);
    NAMES("event", merklize_event_query, NULL, &valid);
    NAMES("event", merklize_event_check, NULL);
    NAMES("event", merklize_event_native, NULL, &(void *){NULL});
    NAMES("device", merklize_buffer_create, NULL, 64, &buffer);
    NAMES("device", merklize_buffer_wrap, NULL, bytes, 64, &buffer);
    NAMES("device", merklize_buffer_wrap_const, NULL, bytes, 64, &buffer);
    NAMES("buffer", merklize_buffer_slice, NULL, 0, 1, &buffer);
    NAMES("buffer", merklize_buffer_native, NULL, &(void *){NULL}, NULL);
    NAMES("buffer", merklize_buffer_upload, NULL, 0, bytes, 1, NULL);
    NAMES("buffer", merklize_buffer_download, NULL, 0, out, 1, NULL);
    NAMES("stream", merklize_enqueue_hash, NULL, NULL, NULL, NULL, NULL, NULL);
    NAMES("stream", merklize_enqueue_hash_leaves, NULL, NULL, 1, blake3, NULL, NULL, NULL, NULL);
    NAMES("stream", merklize_enqueue_merge, NULL, NULL, NULL, blake3, NULL, NULL, NULL, NULL);
    NAMES("stream", merklize_enqueue_build_tree, NULL, NULL, NULL, NULL, NULL);
    NAMES("stream", merklize_enqueue_merkle_root, NULL, NULL, NULL, NULL, NULL, NULL);
    NAMES("stream", merklize_enqueue_gather_nodes, NULL, NULL, NULL, NULL, NULL);
    OK(merklize_device_open("cpu", &device));
    NAMES("native", merklize_stream_wrap, device, NULL, &stream);
    NAMES("native", merklize_buffer_wrap, device, NULL, 64, &buffer);
    NAMES("native", merklize_buffer_wrap_const, device, NULL, 64, &buffer);
    merklize_device_free(device);
}

static void of_digests(void) {
    const char *const path = file_path("input"), *const none[] = {NULL};
    const merklize_mode key = {.key = bytes, .key_bytes = 33};
    merklize_file_digests *files = NULL;
    merklize_hasher *hasher = NULL, *copy = NULL;
    NAMES("data", merklize_hash, merklize_view_bytes(NULL, 5), blake3, NULL, 0, out, 32, NULL);
    NAMES("key", merklize_hash, some(), blake3, &key, 0, out, 32, NULL);
    NAMES("out", merklize_hash, some(), blake3, NULL, 0, NULL, 32, NULL);
    NAMES("seek", merklize_hash, some(), blake3, NULL, UINT64_MAX, out, 32, NULL);
    NAMES("path", merklize_hash_file, NULL, blake3, NULL, 0, out, 32, NULL);
    NAMES("hash", merklize_hash_file, path, 4242, NULL, 0, out, 32, NULL);
    NAMES("seek", merklize_hash_file, path, blake3, NULL, UINT64_MAX, out, 32, NULL);
    NAMES("mode", merklize_hash_descriptor, 0, NULL, MERKLIZE_HASH_sha256,
          &(merklize_mode){.key = bytes, .key_bytes = 32}, 0, out, 32, NULL);
    NAMES("paths", merklize_hash_files, NULL, 1, blake3, NULL, 0, 32, NULL, &files);
    NAMES("paths", merklize_hash_files, none, 1, blake3, NULL, 0, 32, NULL, &files);
    NAMES("key", merklize_hash_files, &path, 1, blake3, &key, 0, 32, NULL, &files);
    NAMES("digests", merklize_file_digests_get, NULL, 0, &(merklize_file_digest){0});
    NAMES("messages", merklize_hash_each, NULL, 1, blake3, NULL, 0, out, 32, NULL);
    NAMES("seek", merklize_hash_each, &(merklize_view){.data = bytes, .bytes = 5}, 1, blake3, NULL, UINT64_MAX, out, 32,
          NULL);
    NAMES("parts", merklize_hash_parts, NULL, 1, NULL, 0, out, 32, NULL);
    NAMES("rows", merklize_hash_leaves, odd(), 32, blake3, NULL, merklize_output_digests(digests, 2), NULL);
    NAMES("out", merklize_hash_leaves, some(), 32, blake3, NULL, merklize_output_bytes(out, 63), NULL);
    NAMES("left", merklize_merge, eight(), some(), blake3, NULL, merklize_output_digests(digests, 8), NULL);
    NAMES("mode", merklize_merge, some(), some(), MERKLIZE_HASH_sha256, &(merklize_mode){.key = bytes, .key_bytes = 32},
          merklize_output_digests(digests, 2), NULL);
    NAMES("hash", merklize_hasher_create, 4242, NULL, NULL, &hasher);
    OK(merklize_hasher_create(MERKLIZE_HASH_sha256, NULL, NULL, &hasher));
    NAMES("data", merklize_hasher_update, hasher, NULL, 1);
    NAMES("output", merklize_hasher_output, hasher, 0, out, 33);
    NAMES("copy", merklize_hasher_copy, hasher, NULL);
    merklize_hasher_free(hasher);
    NAMES("hasher", merklize_hasher_update, NULL, bytes, 1);
    NAMES("hasher", merklize_hasher_output, NULL, 0, out, 32);
    NAMES("hasher", merklize_hasher_reset, NULL);
    NAMES("hasher", merklize_hasher_copy, NULL, &copy);
}

static void of_trees(void) {
    const char *const path = file_path("tree.mkl");
    const merklize_form by_field = {.hash = MERKLIZE_HASH_rp64_256}, wrong = {.rule = 77};
    const merklize_input no_kind = {.path = "/dev/null", .leaf_bytes = 1, .kind = 9}, no_size = {.path = "/dev/null"};
    const uint64_t twice[] = {1, 1};
    merklize_tree_info info;
    merklize_tree *tree = NULL;
    merklize_proof *proof = NULL;
    merklize_tree_builder *builder = NULL;
    merklize_buffer *nodes = NULL;
    const merklize_digest *view = NULL;
    NAMES("leaves", merklize_heap_slots, 0, &number);
    NAMES("slots", merklize_build_tree, merklize_output_digests(digests, 6), NULL, NULL);
    NAMES("form", merklize_build_tree, merklize_output_digests(digests, 4), &wrong, NULL);
    NAMES("leaves", merklize_merkle_root, odd(), NULL, &root, NULL);
    NAMES("leaves", merklize_merkle_root, merklize_view_digests(leaves, 3), &by_field, &root, NULL);
    NAMES("parts", merklize_merkle_root_parts, NULL, 1, NULL, &root, NULL);
    NAMES("input", merklize_merkle_root_file, NULL, NULL, &info, NULL);
    NAMES("input", merklize_merkle_root_file, &no_kind, NULL, &info, NULL);
    NAMES("leaf_bytes", merklize_merkle_root_file, &no_size, NULL, &info, NULL);
    NAMES("leaves", merklize_tree_from_leaves, odd(), NULL, 0, NULL, &tree);
    NAMES("drop_levels", merklize_tree_from_leaves, eight(), NULL, 9, NULL, &tree);
    NAMES("messages", merklize_tree_from_messages, NULL, 1, NULL, NULL, &tree);
    NAMES("messages", merklize_tree_from_messages, NULL, 0, NULL, NULL, &tree);
    NAMES("rows", merklize_tree_from_rows, odd(), 2, NULL, NULL, &tree);
    NAMES("n", merklize_tree_from_rows, some(), 0, NULL, NULL, &tree);
    NAMES("leaf_bytes", merklize_tree_from_file, &no_size, NULL, NULL, &tree);
    NAMES("tree", merklize_tree_get_info, NULL, &info);
    NAMES("tree", merklize_tree_root, NULL, &root);
    NAMES("tree", merklize_tree_nodes, NULL, &view, &number);
    OK(merklize_tree_from_leaves(eight(), NULL, 0, NULL, &tree));
    NAMES("slots", merklize_tree_nodes, tree, &view, NULL);
    NAMES("level", merklize_tree_level, tree, 4, &view, &number);
    NAMES("height", merklize_tree_cap, tree, 4, digests, 16, &count);
    NAMES("tree", merklize_tree_device_nodes, NULL, &nodes);
    NAMES("nodes", merklize_tree_device_nodes, tree, &nodes);
    NAMES("nodes", merklize_tree_device_level, tree, 0, &nodes);
    NAMES("index", merklize_tree_prove, tree, 8, NULL, 0, &proof);
    NAMES("index", merklize_tree_prove_each, tree, (uint64_t[]){8}, 1, NULL, 0, &proof);
    NAMES("index", merklize_tree_prove_together, tree, twice, 2, NULL, 0, &proof);
    NAMES("first", merklize_tree_prove_range, tree, 3, 3, NULL, 0, &proof);
    NAMES("old_leaves", merklize_tree_prove_consistency, tree, 9, &proof);
    NAMES("index", merklize_tree_update, tree, twice, leaves, 2, NULL);
    NAMES("leaves", merklize_tree_append, tree, NULL, 1, NULL);
    NAMES("path", merklize_tree_save, tree, NULL);
    NAMES("format", merklize_require_unambiguous, tree, "x");
    merklize_tree_free(tree);
    OK(merklize_tree_from_leaves(eight(), NULL, 2, NULL, &tree));
    NAMES("level", merklize_tree_level, tree, 0, &view, &number);
    NAMES("leaves", merklize_tree_prove, tree, 0, NULL, 0, &proof);
    NAMES("leaves", merklize_tree_prove_together, tree, twice, 1, leaves, 7, &proof);
    merklize_tree_free(tree);
    OK(merklize_tree_from_leaves(eight(), &by_field, 0, NULL, &tree));
    NAMES("rule", merklize_tree_append, tree, leaves, 1, NULL);
    NAMES("rule", merklize_tree_prove_consistency, tree, 3, &proof);
    merklize_tree_free(tree);
    NAMES("form", merklize_tree_builder_create, &wrong, NULL, &builder);
    OK(merklize_tree_builder_create(NULL, NULL, &builder));
    NAMES("leaves", merklize_tree_builder_append, builder, odd());
    NAMES("leaves", merklize_tree_builder_root, builder, &root);
    merklize_tree_builder_free(builder);

    merklize_forest *forest = NULL;
    NAMES("n_leaves", merklize_forest_from_leaves, eight(), 3, NULL, NULL, &forest);
    OK(merklize_forest_from_leaves(eight(), 4, NULL, NULL, &forest));
    NAMES("forest", merklize_forest_get_info, NULL, &(merklize_forest_info){0});
    NAMES("forest", merklize_forest_roots, NULL, digests, 2, &count);
    NAMES("level", merklize_forest_level, forest, 3, &view, &number);
    NAMES("tree", merklize_forest_prove, forest, 2, 0, &proof);
    NAMES("index", merklize_forest_prove, forest, 0, 4, &proof);
    merklize_forest_free(forest);

    merklize_tree_file *file = NULL;
    merklize_tree_writer *writer = NULL;
    NAMES("input", merklize_build_tree_file, &no_kind, path, NULL, 0, NULL, NULL);
    NAMES("leaf_bytes", merklize_build_tree_file, &no_size, path, NULL, 0, NULL, NULL);
    NAMES("path", merklize_tree_file_open, NULL, &file);
    OK(merklize_tree_from_leaves(eight(), NULL, 0, NULL, &tree));
    OK(merklize_tree_save(tree, path));
    merklize_tree_free(tree);
    OK(merklize_tree_file_open(path, &file));
    NAMES("mode", merklize_tree_file_set_mode, file, &(merklize_mode){.key = bytes, .key_bytes = 32});
    NAMES("file", merklize_tree_file_get_info, NULL, &info);
    NAMES("file", merklize_tree_file_root, NULL, &root);
    NAMES("level", merklize_tree_file_read, file, 9, 0, digests, 1);
    NAMES("first", merklize_tree_file_read, file, 0, 8, digests, 1);
    NAMES("index", merklize_tree_file_prove, file, 8, &proof);
    NAMES("index", merklize_tree_file_prove_together, file, twice, 2, &proof);
    NAMES("first", merklize_tree_file_prove_range, file, 3, 3, &proof);
    NAMES("old_leaves", merklize_tree_file_prove_consistency, file, 9, &proof);
    NAMES("count", merklize_tree_file_check, file, NULL, 0, NULL, NULL);
    NAMES("index", merklize_tree_file_update, file, twice, leaves, 2, NULL);
    NAMES("leaves", merklize_tree_file_append, file, NULL, 1, NULL);
    merklize_tree_file_free(file);
    NAMES("path", merklize_tree_writer_create, NULL, 8, NULL, 0, 0, 0, NULL, &writer);
    NAMES("total_bytes", merklize_tree_writer_create, path, 8, NULL, 64, 9999, 0, NULL, &writer);
    OK(merklize_tree_writer_create(path, 2, NULL, 0, 0, 0, NULL, &writer));
    NAMES("leaves", merklize_tree_writer_append, writer, leaves, 3);
    NAMES("writer", merklize_tree_writer_checkpoint, NULL);
    NAMES("leaves", merklize_tree_writer_finish, writer, 0, &root);
    merklize_tree_writer_free(writer);
    char partial[256];
    snprintf(partial, sizeof partial, "%s.partial", file_path("tree.mkl"));
    unlink(partial);
}

static void of_proofs(void) {
    merklize_tree *tree = NULL;
    merklize_proof *proof = NULL, *growth = NULL, *made = NULL;
    const merklize_expect expect = {.rule = 77};
    const merklize_mode key = {.key = bytes, .key_bytes = 33};
    OK(merklize_tree_from_leaves(eight(), NULL, 0, NULL, &tree));
    OK(merklize_tree_prove(tree, 3, NULL, 0, &proof));
    OK(merklize_tree_prove_consistency(tree, 3, &growth));
    NAMES("proof", merklize_proof_get_info, NULL, &(merklize_proof_info){0});
    NAMES("proof", merklize_proof_read, NULL, NULL, NULL, NULL);
    NAMES("proof", merklize_proof_to_bytes, NULL, NULL, 0, &count);
    NAMES("bytes", merklize_proof_from_bytes, bytes, 64, &made);
    NAMES("proof", merklize_proof_to_winterfell, proof, NULL, 0, &count);
    NAMES("bytes", merklize_proof_from_winterfell, bytes, 1, MERKLIZE_HASH_rp64_256, (uint64_t[]){0}, leaves, 1, &made);
    NAMES("root", merklize_proof_verify, proof, NULL, NULL, NULL, &valid);
    NAMES("expect", merklize_proof_verify, proof, &root, &expect, NULL, &valid);
    NAMES("proof", merklize_proof_verify, growth, &root, NULL, NULL, &valid);
    NAMES("key", merklize_proof_verify, proof, &root, NULL, &key, &valid);
    NAMES("bytes", merklize_verify, NULL, 1, &root, NULL, NULL, &valid);
    NAMES("new_root", merklize_proof_verify_consistency, growth, &root, NULL, NULL, &valid);
    NAMES("proof", merklize_proof_verify_consistency, proof, &root, &root, NULL, &valid);
    NAMES("old_root", merklize_verify_consistency, bytes, 1, NULL, &root, NULL, &valid);
    NAMES("proof", merklize_verify_each, (const merklize_proof *const[]){growth}, 1, &root, NULL, out, NULL);
    merklize_proof_free(proof);
    merklize_proof_free(growth);
    merklize_tree_free(tree);
}

static void of_pieces_and_bao(void) {
    const int file = open(file_path("input"), O_RDONLY);
    const merklize_bao_form wrong = {.group_log = 21}, no_order = {.post_order = 2};
    merklize_bao_fault faults[2];
    NAMES("piece_size", merklize_hash_pieces, some(), 1000, &root, digests, 2, &count, NULL);
    NAMES("piece_size", merklize_hash_file_ranges, file, NULL, NULL, 0, 1000, NULL, NULL, 0, &count, NULL);
    NAMES("offset", merklize_piece_values, bytes, 64, 5, 1 << 18, NULL, digests, 2, &count, NULL);
    NAMES("part", merklize_piece_values, bytes, 0, 0, 1 << 18, NULL, digests, 2, &count, NULL);
    NAMES("pieces", merklize_value_of_pieces, NULL, 0, NULL, &root);
    NAMES("pieces", merklize_digest_of_pieces, leaves, 1, NULL, 0, out, 32);
    NAMES("group_log", merklize_bao_outboard_bytes, 64, &wrong, &number);
    NAMES("form", merklize_bao_outboard_bytes, 64, &no_order, &number);
    NAMES("out", merklize_bao_outboard, some(), NULL, merklize_output_bytes(out, 9), &root, NULL);
    NAMES("group_log", merklize_bao_outboard_descriptor, file, NULL, &wrong, file_path("hashes"), &root, NULL);
    NAMES("outboard", merklize_bao_slice, bytes, 64, bytes, 9, NULL, 0, 1, out, 64, &count);
    NAMES("group_log", merklize_bao_decode_slice, bytes, 64, &root, &wrong, 0, 1, 0, out, 64, &count, &valid);
    uint8_t outboard[200];
    OK(merklize_bao_outboard(merklize_view_bytes(bytes, 4096), NULL, merklize_output_bytes(outboard, 200), &root,
                             NULL));
    NAMES("part", merklize_bao_verify, bytes, 64, 5, 4096, &root, outboard, 200, NULL, faults, 2, &count, NULL);
    NAMES("root", merklize_bao_verify, bytes, 64, 0, 64, NULL, bytes, 8, NULL, faults, 2, &count, NULL);
    NAMES("group_log", merklize_bao_verify_descriptor, file, NULL, 0, 1, &root, bytes, 8, &wrong, faults, 2, &count,
          NULL);
    close(file);
}

static void of_formats(void) {
    char text[65];
    char path[256];
    snprintf(path, sizeof path, "%s", file_path("input"));
    const merklize_fs_verity_form block = {.block_size = 1000};
    const merklize_dm_verity_form form = {.data_block_size = 1000}, no_hash = {.algorithm = 9};
    merklize_file_digests *files = NULL;
    merklize_openzeppelin_tree *tree = NULL;
    merklize_dm_verity_root made = {.length = 0};
    merklize_dm_verity_fault faults[1];
    const merklize_digest *nodes = NULL;
    merklize_timings timings;
    const merklize_run_options timed = {.timings = &timings};
    NAMES("block_size", merklize_fs_verity, bytes, 64, &block, &root, NULL);
    NAMES("block_size", merklize_fs_verity_file, path, &block, &root, NULL);
    NAMES("timings", merklize_fs_verity, bytes, 64, NULL, &root, &timed);
    NAMES("data", merklize_glacier, NULL, 1, &root, NULL);
    NAMES("timings", merklize_glacier, bytes, 64, &root, &timed);
    NAMES("piece_length", merklize_bittorrent_v2, bytes, 64, 1000, &root, digests, 2, &count, NULL);
    NAMES("limit", merklize_ssz, leaves, 2, &(uint64_t){1}, NULL, &root, NULL);
    NAMES("data", merklize_piece_leaves, NULL, 1, digests, 2, &count);
    NAMES("data", merklize_piece_cid, NULL, 1, &(merklize_piece_cid_info){.bytes = 0}, NULL);
    NAMES("path", merklize_piece_cid_file, NULL, &(merklize_piece_cid_info){.bytes = 0}, NULL);
    NAMES("data", merklize_xet_hash, NULL, 1, &root, NULL);
    NAMES("path", merklize_xet_hash_file, NULL, &root, NULL);
    NAMES("paths", merklize_xet_hash_files, NULL, 1, NULL, &files);
    NAMES("data", merklize_xet_chunks, NULL, 1, NULL, 0, &count, NULL);
    NAMES("digest", merklize_xet_hex, NULL, text);
    NAMES("abi_encoded", merklize_openzeppelin_leaf, NULL, 1, &root);
    NAMES("leaves", merklize_openzeppelin_tree_create, NULL, 0, NULL, NULL, &tree);
    NAMES("tree_indices", merklize_openzeppelin_tree_create, leaves, 2, (uint64_t[]){1, 1}, NULL, &tree);
    OK(merklize_openzeppelin_tree_create(leaves, 4, NULL, NULL, &tree));
    NAMES("tree", merklize_openzeppelin_tree_nodes, NULL, &nodes, &number);
    NAMES("index", merklize_openzeppelin_tree_index, tree, 4, &number);
    NAMES("index", merklize_openzeppelin_tree_prove, tree, 4, digests, 4, &count);
    NAMES("index", merklize_openzeppelin_tree_prove_together, tree, (uint64_t[]){1, 1}, 2, digests, digests + 2, 8,
          &count, out);
    merklize_openzeppelin_tree_free(tree);
    NAMES("leaf", merklize_verify_openzeppelin, leaves, 2, &root, NULL, &valid);
    NAMES("data_block_size", merklize_dm_verity, bytes, 4096, &form, &made, NULL);
    NAMES("algorithm", merklize_dm_verity, bytes, 4096, &no_hash, &made, NULL);
    NAMES("data_block_size", merklize_dm_verity_file, path, &form, &made, NULL);
    NAMES("data_block_size", merklize_dm_verity_format, path, file_path("hashes"), &form, NULL, &made, NULL, NULL);
    NAMES("hashes", merklize_dm_verity_dump, NULL, 0, &(merklize_dm_verity_facts){.end = 0});
    NAMES("count", merklize_dm_verity_verify, path, path, out, 32, NULL, NULL, faults, 1, NULL, NULL, NULL);
    NAMES("data_block_size", merklize_dm_verity_verify, path, path, out, 32, &form, NULL, faults, 1, NULL, &number,
          NULL);
}

static void of_manifests(void) {
    char path[256];
    snprintf(path, sizeof path, "%s", file_path("input"));
    *strrchr(path, '/') = '\0';
    merklize_manifest *manifest = NULL, *made = NULL;
    merklize_differences *found = NULL;
    merklize_difference one;
    const char *name, *const patterns[] = {"no such name"};
    const merklize_manifest_options size = {.piece_size = 1000}, only = {.patterns = patterns, .pattern_count = 1};
    NAMES("path", merklize_manifest_create, NULL, NULL, NULL, &manifest);
    NAMES("piece_size", merklize_manifest_create, path, &size, NULL, &manifest);
    NAMES("text", merklize_manifest_parse, "x", 1, &manifest);
    NAMES("path", merklize_manifest_load, NULL, &manifest);
    OK(merklize_manifest_create(path, NULL, NULL, &manifest));
    NAMES("manifest", merklize_manifest_root, NULL, &root);
    NAMES("manifest", merklize_manifest_to_json, NULL, 0, NULL, 0, &count);
    NAMES("index", merklize_manifest_missing_get, manifest, 0, &name);
    NAMES("manifest", merklize_manifest_check, NULL, path, NULL, NULL, &found);
    NAMES("manifest", merklize_manifest_check, manifest, path, &only, NULL, &found);
    NAMES("other", merklize_manifest_diff, manifest, NULL, &found);
    NAMES("patterns", merklize_manifest_refresh, manifest, path, &only, NULL, &made);
    NAMES("differences", merklize_differences_get, NULL, 0, &one);
    NAMES("differences", merklize_differences_missing_get, NULL, 0, &name);
    merklize_manifest_free(manifest);
}

static void of_tiles(void) {
    const merklize_tiled_matrices sound = {
        .elements = words, .matrices = 1, .rows = 4, .columns = 8, .row_pitch = 16, .element_bytes = 2};
    merklize_tiled_matrices odd = sound, far = sound, tall = sound;
    odd.element_bytes = 3;
    far.row_pitch = INT64_MAX;
    tall.tile_rows = 7;
    const merklize_output room = merklize_output_digests(digests, 1);
    NAMES("matrices", merklize_hash_tiles, NULL, room, NULL);
    NAMES("elements", merklize_hash_tiles, &odd, room, NULL);
    NAMES("matrices", merklize_hash_tiles, &far, room, NULL);
    NAMES("tiles", merklize_hash_tiles, &tall, room, NULL);
    NAMES("out", merklize_hash_tiles, &sound, merklize_output_digests(digests, 2), NULL);
    NAMES("range", merklize_range_nodes, 8, 2, 9, NULL, 0, &count);
    NAMES("leaves", merklize_merge_ranges, merklize_view_digests(leaves, 4), 3, 0, 9, room, NULL);
    NAMES("range", merklize_merge_ranges, merklize_view_digests(leaves, 4), 1, 6, 9, room, NULL);
    NAMES("out", merklize_merge_ranges, merklize_view_digests(leaves, 4), 1, 1, 9, room, NULL);
}

static void of_xmss(void) {
    merklize_xmss_key *key = NULL;
    NAMES("keys", merklize_xmss_keys, bytes, 1, 0, 0, NULL, NULL);
    NAMES("seeds", merklize_xmss_keys, NULL, 1, 0, 0, NULL, &key);
    NAMES("first_epoch", merklize_xmss_keys, bytes, 1, 5, 4, NULL, &key);
    NAMES("last_epoch", merklize_xmss_keys, bytes, 1, 5, 1ull << 32, NULL, &key);
    CHECK(merklize_xmss_keys(bytes, 1, 5, 9, NULL, &key) == MERKLIZE_OK);
    NAMES("key", merklize_xmss_key_info, NULL, out, &number, NULL);
    NAMES("public_key", merklize_xmss_key_info, key, NULL, &number, NULL);
    NAMES("key", merklize_xmss_key_path, NULL, 5, NULL, out);
    NAMES("epoch", merklize_xmss_key_path, key, 10, NULL, out);
    NAMES("path", merklize_xmss_key_path, key, 5, NULL, NULL);
    NAMES("key", merklize_xmss_key_sign, NULL, 5, bytes, 32, NULL, out);
    NAMES("epoch", merklize_xmss_key_sign, key, 4, bytes, 32, NULL, out);
    NAMES("message", merklize_xmss_key_sign, key, 5, NULL, 32, NULL, out);
    NAMES("message", merklize_xmss_key_sign, key, 5, bytes, 31, NULL, out);
    NAMES("signature", merklize_xmss_key_sign, key, 5, bytes, 32, NULL, NULL);
    merklize_xmss_key_free(key);
    int valid = 1;
    NAMES("public_key", merklize_xmss_verify, NULL, 32, 0, bytes, 32, bytes, 1208, &valid);
    CHECK(valid == 0);
    NAMES("message", merklize_xmss_verify, bytes, 32, 0, NULL, 32, bytes, 1208, &valid);
    NAMES("signature", merklize_xmss_verify, bytes, 32, 0, bytes, 32, NULL, 1208, &valid);
    NAMES("valid", merklize_xmss_verify, bytes, 32, 0, bytes, 32, bytes, 1208, NULL);
    NAMES("public_keys", merklize_xmss_verify_each, NULL, words, bytes, bytes, 2, NULL, out);
    NAMES("epochs", merklize_xmss_verify_each, bytes, NULL, bytes, bytes, 2, NULL, out);
    NAMES("messages", merklize_xmss_verify_each, bytes, words, NULL, bytes, 2, NULL, out);
    NAMES("signatures", merklize_xmss_verify_each, bytes, words, bytes, NULL, 2, NULL, out);
    NAMES("valid", merklize_xmss_verify_each, bytes, words, bytes, bytes, 2, NULL, NULL);
}

static void of_matrices(void) {
    const merklize_matrix sound = {
        .words = words, .rows = 8, .columns = 8, .row_stride = 8, .column_stride = 1, .word_bytes = 8};
    merklize_matrix no_rows = sound, low = sound;
    no_rows.rows = 0;
    low.rows = 5;
    const merklize_matrix both[] = {sound, low};
    const merklize_extend_form extension = {.added_bits = 1}, no_field = {.field = 9};
    const merklize_commitment_form form = {.hash = field}, arity = {.hash = field, .arity = 3},
                                   cap = {.hash = field, .cap_height = 9}, dropped = {.hash = field, .drop_levels = 9};
    const merklize_matrix_dims dims = {8, 8};
    merklize_commitment *commitment = NULL;
    NAMES("matrix", merklize_hash_rows, &no_rows, 1, field, 0, NULL, merklize_output_digests(digests, 8), NULL);
    NAMES("out", merklize_hash_rows, &sound, 1, field, 0, NULL, merklize_output_digests(digests, 7), NULL);
    NAMES("matrix", merklize_hash_rows, NULL, 0, field, 0, NULL, merklize_output_digests(digests, 7), NULL);
    NAMES("form", merklize_extend, &sound, NULL, merklize_output_bytes(out, 1024), NULL);
    NAMES("field", merklize_extend, &sound, &no_field, merklize_output_bytes(out, 1024), NULL);
    NAMES("out", merklize_extend, &sound, &extension, merklize_output_bytes(out, 1023), NULL);
    NAMES("weights", merklize_weighted_sums, &sound, words, 63, &(merklize_sum_form){.degree = 1}, out, 64, NULL);
    NAMES("degree", merklize_weighted_sums, &sound, words, 64, &(merklize_sum_form){.degree = 9}, out, 64, NULL);
    merklize_matrix any = sound;
    any.elements = MERKLIZE_ELEMENTS_ANY;
    const merklize_constraint_step unread = {.op = MERKLIZE_CONSTRAINT_OP_ADD};
    const merklize_constraint_form folded = {.degree = 1}, of_slots = {.degree = 1, .steps = &unread, .n_steps = 1},
                                   no_steps = {.degree = 1, .n_steps = 1}, far = {.degree = 1, .next = 9},
                                   odd_scalars = {.degree = 1, .scalars = words, .scalar_bytes = 7},
                                   odd_weights = {.degree = 2, .weights = words, .weight_bytes = 8};
    NAMES("form", merklize_evaluate_constraints, &any, 1, NULL, out, 64, NULL);
    NAMES("matrices", merklize_evaluate_constraints, &any, 0, &folded, out, 64, NULL);
    NAMES("elements", merklize_evaluate_constraints, &sound, 1, &folded, out, 64, NULL);
    NAMES("steps", merklize_evaluate_constraints, &any, 1, &of_slots, out, 64, NULL);
    NAMES("steps", merklize_evaluate_constraints, &any, 1, &no_steps, out, 64, NULL);
    NAMES("next", merklize_evaluate_constraints, &any, 1, &far, out, 64, NULL);
    NAMES("scalars", merklize_evaluate_constraints, &any, 1, &odd_scalars, out, 64, NULL);
    NAMES("weights", merklize_evaluate_constraints, &any, 1, &odd_weights, out, 128, NULL);
    NAMES("out", merklize_evaluate_constraints, &any, 1, &folded, out, 63, NULL);
    NAMES("form", merklize_commitment_build, &sound, 1, NULL, NULL, &commitment);
    NAMES("rows", merklize_commitment_build, both, 2, &form, NULL, &commitment);
    NAMES("arity", merklize_commitment_build, &sound, 1, &arity, NULL, &commitment);
    NAMES("cap_height", merklize_commitment_build, &sound, 1, &cap, NULL, &commitment);
    NAMES("drop_levels", merklize_commitment_build, &sound, 1, &dropped, NULL, &commitment);
    const merklize_extended_matrix small = {.matrix = sound, .form = extension, .out = out, .out_bytes = 9};
    NAMES("out", merklize_commit_extended, &small, 1, &form, NULL, &commitment);
    NAMES("matrix", merklize_commit_extended, NULL, 0, &form, NULL, &commitment);
    OK(merklize_commitment_build(&sound, 1, &form, NULL, &commitment));
    NAMES("commitment", merklize_commitment_get_info, NULL, &(merklize_commitment_info){0});
    NAMES("commitment", merklize_commitment_cap, NULL, digests, 1, &count);
    NAMES("index", merklize_commitment_open, commitment, (uint64_t[]){8}, 1, &sound, 1, out, digests);
    NAMES("matrices", merklize_commitment_open, commitment, (uint64_t[]){0}, 1, NULL, 0, out, digests);
    NAMES("index", merklize_commitment_open_together, commitment, (uint64_t[]){1, 1}, 2, &sound, 1, out, digests, 16,
          &count);
    NAMES("matrices", merklize_commitment_open_together, commitment, (uint64_t[]){1}, 1, &low, 1, out, digests, 16,
          &count);
    merklize_commitment_free(commitment);
    NAMES("form", merklize_verify_opening, (uint64_t[]){0}, 1, bytes, 64, leaves, 3, leaves, 1, &dims, 1, NULL, &valid);
    NAMES("arity", merklize_verify_opening, (uint64_t[]){0}, 1, bytes, 64, leaves, 3, leaves, 1, &dims, 1, &arity,
          &valid);
}

void test_names(void) {
    fill_leaves(leaves, 16);
    FILE *const file = fopen(file_path("input"), "wb");
    CHECK(file != NULL && fwrite(bytes, 1, sizeof bytes, file) == sizeof bytes && fclose(file) == 0);
    of_lists();
    of_devices();
    of_digests();
    of_trees();
    of_proofs();
    of_pieces_and_bao();
    of_formats();
    of_manifests();
    of_matrices();
    of_tiles();
    of_xmss();
}

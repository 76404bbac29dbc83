/* Wrong calls: each returns a status, and a text with the rule and the numbers. */
#include "check.h"

/* Names of files that look like URLs, each with a secret, in each call that takes a name. */
static const char secret[] = "s3cr3t";
static const char *const names[] = {"https://user:s3cr3t@127.0.0.1:9/o?X-Amz-Signature=s3cr3t#s3cr3t",
                                    "http:host/f?sig=s3cr3t",
                                    "http:/user:s3cr3t@host/f",
                                    "htps://user:s3cr3t@host/f?x=s3cr3t",
                                    "data:text/plain,s3cr3t",
                                    "zip://a::https://u:s3cr3t@127.0.0.1:9/b?sig=s3cr3t",
                                    "host/f?X-Amz-Signature=s3cr3t",
                                    "//host/f?sig=s3cr3t"};

static bool shows(const char *text) { return text != NULL && strstr(text, secret) != NULL; }

#define SILENT(call)                                                                                      \
    do {                                                                                                  \
        if ((call) == MERKLIZE_OK || shows(merklize_last_error()) || shows(merklize_last_error_path())) { \
            printf("%s:%d: %s: \"%s\" \"%s\"\n", __FILE__, __LINE__, #call, merklize_last_error(),        \
                   merklize_last_error_path());                                                           \
            failures++;                                                                                   \
        }                                                                                                 \
    } while (0)

static void test_secrets(void) {
    uint8_t out[32];
    merklize_digest digest = {{0}};
    merklize_tree_info info;
    merklize_piece_cid_info piece;
    merklize_dm_verity_root root = {.length = 0};
    merklize_dm_verity_facts facts;
    merklize_hash_id hash;
    merklize_format_info format;
    merklize_policy policy;
    merklize_tree *tree = NULL, *sound = NULL;
    merklize_tree_file *file = NULL;
    merklize_tree_writer *writer = NULL;
    merklize_device *device = NULL;
    merklize_manifest *manifest = NULL;
    size_t count = 0;
    uint64_t blocks = 0;
    OK(merklize_tree_from_leaves(merklize_view_digests(&digest, 1), NULL, 0, NULL, &sound));
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *const name = names[i];
        const merklize_input input = {.path = name, .leaf_bytes = 32};
        const merklize_file_range range = {0, 1};
        SILENT(merklize_hash_file(name, MERKLIZE_HASH_blake3, NULL, 0, out, 32, NULL));
        SILENT(merklize_hash_file(name, MERKLIZE_HASH_sha256, NULL, 0, out, 32, NULL));
        SILENT(merklize_hash_descriptor(-1, name, MERKLIZE_HASH_blake3, NULL, 0, out, 32, NULL));
        SILENT(merklize_hash_file_ranges(-1, name, &range, 1, 0, &digest, NULL, 0, &count, NULL));
        SILENT(merklize_xet_hash_file(name, &digest, NULL));
        SILENT(merklize_piece_cid_file(name, &piece, NULL));
        SILENT(merklize_fs_verity_file(name, NULL, &digest, NULL));
        SILENT(merklize_dm_verity_file(name, NULL, &root, NULL));
        SILENT(merklize_dm_verity_format(name, name, NULL, NULL, &root, &facts, NULL));
        SILENT(merklize_dm_verity_dump(name, 0, &facts));
        SILENT(merklize_dm_verity_verify(name, name, out, 32, NULL, NULL, NULL, 0, NULL, &blocks, NULL));
        SILENT(merklize_merkle_root_file(&input, NULL, &info, NULL));
        SILENT(merklize_tree_from_file(&input, NULL, NULL, &tree));
        SILENT(merklize_build_tree_file(&input, name, NULL, 0, NULL, NULL));
        SILENT(merklize_tree_file_open(name, &file));
        if (strncmp(name, "data", 4) != 0) { /* the name of a file that can be */
            SILENT(merklize_tree_save(sound, name));
            SILENT(merklize_tree_writer_create(name, 8, NULL, 0, 0, 0, NULL, &writer));
        }
        SILENT(merklize_bao_outboard_descriptor(-1, name, NULL, name, &digest, NULL));
        SILENT(merklize_bao_verify_descriptor(-1, name, 0, 1, &digest, out, 0, NULL, NULL, 0, &count, NULL));
        SILENT(merklize_manifest_create(name, NULL, NULL, &manifest));
        SILENT(merklize_manifest_load(name, &manifest));
        SILENT(merklize_manifest_parse(name, strlen(name), &manifest));
        SILENT(merklize_hash_from_name(name, &hash));
        SILENT(merklize_device_open(name, &device));
        SILENT(merklize_format_get_info(name, &format));
        SILENT(merklize_policy_from_text(name, &policy));
        const char *const paths[] = {name};
        merklize_file_digests *digests = NULL;
        merklize_file_digest one = {0};
        OK(merklize_hash_files(paths, 1, MERKLIZE_HASH_blake3, NULL, 0, 32, NULL, &digests));
        OK(merklize_file_digests_get(digests, 0, &one));
        CHECK(one.error != NULL && !shows(one.error));
        merklize_file_digests_free(digests);
        OK(merklize_xet_hash_files(paths, 1, NULL, &digests));
        OK(merklize_file_digests_get(digests, 0, &one));
        CHECK(one.error != NULL && !shows(one.error));
        merklize_file_digests_free(digests);
        char text[512];
        OK(merklize_why_unavailable(name, text, sizeof text, NULL));
        CHECK(!shows(text));
    }
    merklize_tree_free(sound);
}

/* Each call that takes a path, or two, refuses an empty one before it does anything. */
static void test_empty_paths(void) {
    static const char *const none[] = {"input", ""};
    const char *const some = "/dev/null";
    const merklize_input input = {.path = some, .leaf_bytes = 32}, no_input = {.path = "", .leaf_bytes = 32};
    uint8_t out[32];
    uint64_t blocks = 0;
    merklize_digest digest = {{0}};
    merklize_tree_info info;
    merklize_piece_cid_info piece;
    merklize_dm_verity_root root;
    merklize_dm_verity_facts facts;
    merklize_tree *tree = NULL, *sound = NULL;
    merklize_tree_file *file = NULL;
    merklize_tree_writer *writer = NULL;
    merklize_file_digests *digests = NULL;
    merklize_manifest *manifest = NULL, *known = NULL;
    merklize_differences *differences = NULL;
    OK(merklize_tree_from_leaves(merklize_view_digests(&digest, 1), NULL, 0, NULL, &sound));
    FILE *const file_of_folder = fopen(file_path("input"), "wb");
    CHECK(file_of_folder != NULL && fclose(file_of_folder) == 0);
    OK(merklize_manifest_create(file_path(""), NULL, NULL, &known));
#define EMPTY(argument, call) \
    FAILS(MERKLIZE_INVALID_ARGUMENT, ": " argument " must not be empty: it names no file", call)
    EMPTY("path", merklize_hash_file("", MERKLIZE_HASH_blake3, NULL, 0, out, 32, NULL));
    EMPTY("path", merklize_hash_file("", MERKLIZE_HASH_sha256, NULL, 0, out, 32, NULL));
    EMPTY("paths[1]", merklize_hash_files(none, 2, MERKLIZE_HASH_blake3, NULL, 0, 32, NULL, &digests));
    EMPTY("path", merklize_xet_hash_file("", &digest, NULL));
    EMPTY("paths[1]", merklize_xet_hash_files(none, 2, NULL, &digests));
    EMPTY("path", merklize_piece_cid_file("", &piece, NULL));
    EMPTY("path", merklize_fs_verity_file("", NULL, &digest, NULL));
    EMPTY("path", merklize_dm_verity_file("", NULL, &root, NULL));
    EMPTY("data", merklize_dm_verity_format("", some, NULL, NULL, &root, &facts, NULL));
    EMPTY("hashes", merklize_dm_verity_format(some, "", NULL, NULL, &root, &facts, NULL));
    EMPTY("hashes", merklize_dm_verity_dump("", 0, &facts));
    EMPTY("data", merklize_dm_verity_verify("", some, out, 32, NULL, NULL, NULL, 0, NULL, &blocks, NULL));
    EMPTY("hashes", merklize_dm_verity_verify(some, "", out, 32, NULL, NULL, NULL, 0, NULL, &blocks, NULL));
    EMPTY("input->path", merklize_merkle_root_file(&no_input, NULL, &info, NULL));
    EMPTY("input->path", merklize_tree_from_file(&no_input, NULL, NULL, &tree));
    EMPTY("input->path", merklize_build_tree_file(&no_input, some, NULL, 0, NULL, NULL));
    EMPTY("output", merklize_build_tree_file(&input, "", NULL, 0, NULL, NULL));
    EMPTY("path", merklize_tree_file_open("", &file));
    EMPTY("path", merklize_tree_save(sound, ""));
    EMPTY("path", merklize_tree_writer_create("", 8, NULL, 0, 0, 0, NULL, &writer));
    EMPTY("output", merklize_bao_outboard_descriptor(0, NULL, NULL, "", &digest, NULL));
    EMPTY("path", merklize_manifest_create("", NULL, NULL, &manifest));
    EMPTY("path", merklize_manifest_load("", &manifest));
    EMPTY("path", merklize_manifest_check(known, "", NULL, NULL, &differences));
    EMPTY("path", merklize_manifest_refresh(known, "", NULL, NULL, &manifest));
#undef EMPTY
    CHECK(strcmp(merklize_last_error_argument(), "path") == 0);
    FILE *const written = fopen(".partial", "rb");
    CHECK(written == NULL);
    if (written != NULL) fclose(written);
    merklize_tree_free(sound);
    merklize_manifest_free(known);
}

/* A number that says yes or no is 1 or 0, and a number that a call does not use is 0. */
static void test_numbers_alone(void) {
    static const uint8_t seven = 7;
    uint8_t out[64];
    size_t count = 0;
    uint64_t blocks = 0;
    int valid = 0;
    merklize_digest digest = {{0}};
    merklize_tree_info info;
    merklize_dm_verity_root root;
    merklize_tree_writer *writer = NULL;
    merklize_manifest *manifest = NULL;
    merklize_commitment *commitment = NULL;
    const merklize_view data = merklize_view_bytes(&seven, 1);
    const merklize_input input = {.path = file_path("input"), .leaf_bytes = 32};
    const merklize_input described = {.path = "name", .leaf_bytes = 32, .has_descriptor = 2};
    const merklize_bao_form post = {.post_order = 2}, bare = {.without_size = 2};
    const merklize_dm_verity_form after = {.salt_after = 2};
    const merklize_dm_verity_area area = {.without_superblock = 2};
    const merklize_manifest_options links = {.follow_links = 2}, all = {.everything = 2}, tiles = {.tiles = 2};
    const merklize_commitment_form keeps = {.keep = 2}, sized = {.word_bytes = 7};
    merklize_matrix matrix = {.words = &seven, .rows = 1, .columns = 1, .column_stride = 1, .word_bytes = 1};
    const merklize_extended_matrix extended = {.matrix = matrix};
#define NUMBER(argument, call) FAILS(MERKLIZE_INVALID_ARGUMENT, ": " argument " must be 0 or 1, got 2", call)
    NUMBER("form->post_order", merklize_bao_outboard(data, &post, merklize_output_bytes(out, 8), &digest, NULL));
    NUMBER("form->without_size", merklize_bao_outboard_bytes(1, &bare, &blocks));
    NUMBER("form->salt_after", merklize_dm_verity(&seven, 1, &after, &root, NULL));
    NUMBER("area->without_superblock",
           merklize_dm_verity_verify("data", "hashes", out, 32, NULL, &area, NULL, 0, NULL, &blocks, NULL));
    NUMBER("input->has_descriptor", merklize_merkle_root_file(&described, NULL, &info, NULL));
    NUMBER("options->follow_links", merklize_manifest_create("folder", &links, NULL, &manifest));
    NUMBER("options->everything", merklize_manifest_create("folder", &all, NULL, &manifest));
    NUMBER("options->tiles", merklize_manifest_create("folder", &tiles, NULL, &manifest));
    NUMBER("form->keep", merklize_commitment_build(&matrix, 1, &keeps, NULL, &commitment));
    NUMBER("form->keep", merklize_commit_extended(&extended, 1, &keeps, NULL, &commitment));
    NUMBER("resume", merklize_build_tree_file(&input, file_path("tree.mkl"), NULL, 2, &info, NULL));
    NUMBER("resume", merklize_tree_writer_create(file_path("tree.mkl"), 8, NULL, 0, 0, 2, NULL, &writer));
    OK(merklize_manifest_create(file_path(""), NULL, NULL, &manifest));
    NUMBER("with_seen", merklize_manifest_to_json(manifest, 2, NULL, 0, &count));
#undef NUMBER
#define UNUSED(argument, call) \
    FAILS(MERKLIZE_INVALID_ARGUMENT, ": options->" argument " must be 0: this call does not use it", call)
    const merklize_manifest_options every = {.everything = 1}, by_tiles = {.tiles = 1},
                                    pieces = {.piece_size = 1 << 18};
    merklize_manifest *made = NULL;
    merklize_differences *differences = NULL;
    UNUSED("everything", merklize_manifest_create("folder", &every, NULL, &made));
    UNUSED("everything", merklize_manifest_check(manifest, "folder", &every, NULL, &differences));
    UNUSED("tiles", merklize_manifest_check(manifest, "folder", &by_tiles, NULL, &differences));
    UNUSED("tiles", merklize_manifest_refresh(manifest, "folder", &by_tiles, NULL, &made));
    UNUSED("piece_size", merklize_manifest_check(manifest, "folder", &pieces, NULL, &differences));
    UNUSED("piece_size", merklize_manifest_refresh(manifest, "folder", &pieces, NULL, &made));
#undef UNUSED
    merklize_manifest_free(manifest);
    FAILS(MERKLIZE_INVALID_ARGUMENT, ": form->word_bytes must be 0: each matrix states its own, got 7",
          merklize_commitment_build(&matrix, 1, &sized, NULL, &commitment));
    FAILS(MERKLIZE_INVALID_ARGUMENT, ": form->word_bytes must be 0: each matrix states its own, got 7",
          merklize_commit_extended(&extended, 1, &sized, NULL, &commitment));
    matrix.first = 8;
    FAILS(MERKLIZE_INVALID_ARGUMENT, ": matrix 0: first must be 0 without a buffer, got 8",
          merklize_hash_rows(&matrix, 1, MERKLIZE_HASH_blake3, 0, NULL, merklize_output_digests(&digest, 1), NULL));
    FAILS(MERKLIZE_INVALID_ARGUMENT, ": message_bytes must be 0: the form has the size in front of the slice, got 77",
          merklize_bao_decode_slice(out, 64, &digest, NULL, 0, 1, 77, out, 64, &count, &valid));
}

void test_errors(void) {
    test_secrets();
    test_empty_paths();
    test_numbers_alone();
    uint8_t out[32];
    merklize_digest digest, pair[2] = {{{0}}, {{0}}};
    merklize_tree *tree = NULL;
    merklize_hasher *hasher = NULL;
    merklize_commitment *commitment = NULL;

    /* Null. names.c has each function. */
    FAILS(MERKLIZE_INVALID_ARGUMENT, "merklize_hash: data is null, but must have 5 items",
          merklize_hash(merklize_view_bytes(NULL, 5), MERKLIZE_HASH_blake3, NULL, 0, out, 32, NULL));
    FAILS(MERKLIZE_INVALID_ARGUMENT, "merklize_hash: out is null, but must have 32 items",
          merklize_hash(merklize_view_bytes("", 0), MERKLIZE_HASH_blake3, NULL, 0, NULL, 32, NULL));
    FAILS(MERKLIZE_INVALID_ARGUMENT, "merklize_tree_from_leaves: tree is null",
          merklize_tree_from_leaves(merklize_view_digests(pair, 2), NULL, 0, NULL, NULL));
    FAILS(MERKLIZE_INVALID_ARGUMENT, "merklize_device_open: device is null", merklize_device_open("cpu", NULL));
    FAILS(MERKLIZE_INVALID_ARGUMENT, "merklize_why_unavailable: the output and its count are null",
          merklize_why_unavailable("cpu", NULL, 0, NULL));
    FAILS(MERKLIZE_INVALID_ARGUMENT, "merklize_verify: valid is null",
          merklize_verify(out, 32, &digest, NULL, NULL, NULL));
    FAILS(MERKLIZE_INVALID_ARGUMENT, "merklize_verify_consistency: old_root is null",
          merklize_verify_consistency(out, 32, NULL, &digest, NULL, &(int){0}));
    FAILS(MERKLIZE_INVALID_ARGUMENT, "the output is null, but must have 10 items",
          merklize_why_unavailable("cpu", NULL, 10, &(size_t){0}));

    FAILS(MERKLIZE_INVALID_ARGUMENT, "policy is null", merklize_policy_from_text("", NULL));

    FAILS(MERKLIZE_INVALID_ARGUMENT, "merklize_merkle_root: leaves: a null buffer",
          merklize_merkle_root(merklize_view_buffer(NULL), NULL, &digest, NULL));
    FAILS(MERKLIZE_INVALID_ARGUMENT, "leaves must be whole digests of 32 bytes, got 63 bytes",
          merklize_merkle_root(merklize_view_bytes(pair, 63), NULL, &digest, NULL));

    /* A struct of zeros means all defaults, like a null pointer. */
    const merklize_mode plain = {0};
    merklize_form form = {.mode = &plain};
    merklize_run_options options = {.policy = &(merklize_policy){0}};
    OK(merklize_merkle_root(merklize_view_digests(pair, 2), NULL, &digest, NULL));
    merklize_digest same;
    OK(merklize_merkle_root(merklize_view_digests(pair, 2), &form, &same, &options));
    CHECK(equal(&digest, &same));

    /* A handle is null after a failure. */
    form = (merklize_form){.rule = 77};
    tree = (merklize_tree *)&form;
    FAILS(MERKLIZE_INVALID_ARGUMENT, "form->rule must be 0 to 4, got 77",
          merklize_tree_from_leaves(merklize_view_digests(pair, 2), &form, 0, NULL, &tree));
    CHECK(tree == NULL);
    FAILS(MERKLIZE_INVALID_ARGUMENT, "form is null", merklize_commitment_build(NULL, 0, NULL, NULL, &commitment));

    /* Options. */
    const merklize_policy bad_policy = {.group_size = 3};
    options = (merklize_run_options){.policy = &bad_policy};
    FAILS(MERKLIZE_INVALID_ARGUMENT, "merklize_hash: policy: group_size must be a power of two up to 1024, got 3",
          merklize_hash(merklize_view_bytes("", 0), MERKLIZE_HASH_blake3, NULL, 0, out, 32, &options));
    merklize_timings timings;
    options = (merklize_run_options){.timings = &timings};
    FAILS(MERKLIZE_INVALID_ARGUMENT, "options must have no progress and no timings",
          merklize_hasher_create(MERKLIZE_HASH_blake3, NULL, &options, &hasher));
    CHECK(hasher == NULL);

    /* Values out of range. */
    FAILS(MERKLIZE_INVALID_ARGUMENT,
          "merklize_merge: unknown hash id 4242; merklize_hash_describe() lists the known ones",
          merklize_merge(merklize_view_digests(pair, 2), merklize_view_digests(pair, 2), 4242, NULL,
                         merklize_output_digests(pair, 2), NULL));
    FAILS(MERKLIZE_INVALID_ARGUMENT, "unknown hash id 256",
          merklize_merge(merklize_view_digests(pair, 2), merklize_view_digests(pair, 2), 256, NULL,
                         merklize_output_digests(pair, 2), NULL));
    merklize_hash_info info = {0};
    FAILS(MERKLIZE_INVALID_ARGUMENT, "index must be below the number of hashes, ", merklize_hash_describe(1000, &info));
    FAILS(MERKLIZE_INVALID_ARGUMENT, "unknown hash id 4242", merklize_hash_get_info(4242, &info));
    FAILS(MERKLIZE_INVALID_ARGUMENT, "unknown hash id 254", merklize_hash_name(254, NULL, 0, NULL));
    form = (merklize_form){.rule = 5};
    FAILS(MERKLIZE_INVALID_ARGUMENT, "form->rule must be 0 to 4, got 5",
          merklize_merkle_root(merklize_view_digests(pair, 2), &form, &digest, NULL));
    static merklize_digest six[6];
    FAILS(MERKLIZE_INVALID_ARGUMENT,
          "merklize_build_tree: no tree has 6 slots: n leaves take 2^ceil(log2 n) + n, for a power of two 2 n",
          merklize_build_tree(merklize_output_digests(six, 6), NULL, NULL));
    FAILS(MERKLIZE_INVALID_ARGUMENT, "merklize_tree_from_rows: rows must be of equal length, got 192 bytes for 5 rows",
          merklize_tree_from_rows(merklize_view_digests(six, 6), 5, NULL, NULL, &tree));
    FAILS(MERKLIZE_INVALID_ARGUMENT,
          "merklize_merge: left, right and out must have equal counts of digests, got 2, 1 and 2",
          merklize_merge(merklize_view_digests(pair, 2), merklize_view_digests(pair, 1), MERKLIZE_HASH_blake3, NULL,
                         merklize_output_digests(six, 2), NULL));
    OK(merklize_tree_from_leaves(merklize_view_digests(pair, 2), NULL, 0, NULL, &tree));
    FAILS(MERKLIZE_INVALID_ARGUMENT,
          "merklize_tree_device_level: the tree's nodes are in memory of the host; level() has them",
          merklize_tree_device_level(tree, 0, &(merklize_buffer *){NULL}));
    merklize_tree_free(tree);
    const merklize_mode key = {.key = out, .key_bytes = 32};
    FAILS(MERKLIZE_INVALID_ARGUMENT, "",
          merklize_merge(merklize_view_digests(pair, 2), merklize_view_digests(pair, 2), MERKLIZE_HASH_sha256_rfc6962,
                         &key, merklize_output_digests(pair, 2), NULL));
    FAILS(MERKLIZE_INVALID_ARGUMENT,
          "merklize_merkle_root: leaves must fit into memory, got 576460752303423487 items of 32 bytes",
          merklize_merkle_root(merklize_view_digests(pair, UINT64_MAX), NULL, &digest, NULL));
    const merklize_input input = {.path = "/dev/null", .leaf_bytes = 1, .kind = 9};
    merklize_tree_info facts = {0};
    FAILS(MERKLIZE_INVALID_ARGUMENT, "input->kind must be 0 to 2, got 9",
          merklize_merkle_root_file(&input, NULL, &facts, NULL));
    const merklize_input closed = {.leaf_bytes = 1, .has_descriptor = 1, .descriptor = -1};
    FAILS(MERKLIZE_INVALID_ARGUMENT, "an open descriptor, got -1",
          merklize_merkle_root_file(&closed, NULL, &facts, NULL));
    const merklize_input nothing = {.leaf_bytes = 1};
    FAILS(MERKLIZE_INVALID_ARGUMENT, "input->path is null", merklize_merkle_root_file(&nothing, NULL, &facts, NULL));

    /* Devices. */
    merklize_device *device = NULL;
    merklize_buffer *buffer = (merklize_buffer *)&device;
    merklize_stream *stream = NULL;
    FAILS(MERKLIZE_INVALID_ARGUMENT, "abacus", merklize_device_open("abacus", &device));
    CHECK(device == NULL);
    OK(merklize_device_open("cpu", &device));
    FAILS(MERKLIZE_UNAVAILABLE, "", merklize_buffer_create(device, 64, &buffer));
    CHECK(buffer == NULL);
    FAILS(MERKLIZE_UNAVAILABLE, "", merklize_stream_create(device, &stream));
    uint64_t limit = 1;
    FAILS(MERKLIZE_UNAVAILABLE, "set_memory_limit: cpu has no memory of its own; set the limit of each device",
          merklize_device_set_memory_limit(device, 1));
    OK(merklize_device_get_memory_limit(device, &limit));
    CHECK(limit == 0);
    FAILS(MERKLIZE_INVALID_ARGUMENT, "bytes is null", merklize_device_get_memory_limit(device, NULL));
    FAILS(MERKLIZE_INVALID_ARGUMENT, "merklize_hash: data: a null buffer",
          merklize_hash(merklize_view_buffer(NULL), MERKLIZE_HASH_blake3, NULL, 0, out, 32, NULL));
    FAILS(MERKLIZE_INVALID_ARGUMENT, "merklize_merge: left, right and out: a null buffer",
          merklize_merge(merklize_view_buffer(NULL), merklize_view_buffer(NULL), MERKLIZE_HASH_blake3, NULL,
                         merklize_output_buffer(NULL), NULL));
    FAILS(MERKLIZE_INVALID_ARGUMENT, "info is null", merklize_device_get_info(device, NULL));
    merklize_device_info described = {0};
    OK(merklize_device_get_info(device, &described));
    CHECK(strcmp(described.id, "cpu") == 0 && described.units >= 1 && described.isa[0] != '\0');
    options = (merklize_run_options){.device = device};
    OK(merklize_hash(merklize_view_bytes("", 0), MERKLIZE_HASH_blake3, NULL, 0, out, 32, &options));
    merklize_device_free(device);
    size_t count = 0, length = 7;
    OK(merklize_device_count(&count));
    CHECK(count >= 1);
    FAILS(MERKLIZE_INVALID_ARGUMENT, "index must be below the number of devices",
          merklize_device_describe(count, &described));
    char text[256];
    OK(merklize_why_unavailable("cpu", text, sizeof text, &length));
    CHECK(length == 0 && text[0] == '\0');
    OK(merklize_why_unavailable("abacus", text, sizeof text, &length));
    CHECK(length == strlen(text) && length > 0);
    merklize_device_free(NULL);
    merklize_buffer_free(NULL);
    merklize_stream_free(NULL);
    merklize_event_free(NULL);
    CHECK(merklize_buffer_size(NULL) == 0);

    CHECK(strcmp(merklize_status_name(MERKLIZE_OK), "ok") == 0);
    CHECK(strcmp(merklize_status_name(MERKLIZE_TOO_SMALL), "output too small") == 0);
    CHECK(strcmp(merklize_status_name(-5), "unknown status") == 0);
}

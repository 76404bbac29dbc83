/* Typical mistakes that tests/vectors/surface.json has not, because they are C's own or of files: each error names the
 * called function, what came, the rule, and a remedy if there is one. */
#include "check.h"

/* A call that must fail with this status and this text. */
#define MISTAKE(status, text, call)                                                                          \
    do {                                                                                                     \
        const merklize_status got_ = (call);                                                                 \
        mistakes++;                                                                                          \
        if (got_ != (status) || strcmp(merklize_last_error(), (text)) != 0) {                                \
            printf("%s:%d: %s: got %d\n\"%s\", expected %d\n\"%s\"\n", __FILE__, __LINE__, #call, (int)got_, \
                   got_ == MERKLIZE_OK ? "" : merklize_last_error(), (int)(status), (text));                 \
            failures++;                                                                                      \
        }                                                                                                    \
    } while (0)

static int mistakes = 0;

/* A text with the path of the input between two parts. */
static const char *of_file(const char *before, const char *after) {
    static char text[512];
    snprintf(text, sizeof text, "%s%s%s", before, file_path("input"), after);
    return text;
}

static void of_digests(void) {
    uint8_t out[64] = {0};
    const merklize_view data = merklize_view_bytes("data", 4);
    const merklize_mode both = {.key = out, .key_bytes = 32, .context = "c", .context_bytes = 1};
    merklize_digest pairs[2] = {{{0}}, {{0}}}, digests[2];
    merklize_hasher *hasher = NULL;
    MISTAKE(MERKLIZE_INVALID_ARGUMENT,
            "merklize_hash: unknown hash id 4242; merklize_hash_describe() lists the known ones",
            merklize_hash(data, 4242, NULL, 0, out, 32, NULL));
    MISTAKE(MERKLIZE_INVALID_ARGUMENT,
            "merklize_hash: mode must have a key or a context, got a key of 32 bytes and a context of 1 bytes",
            merklize_hash(data, MERKLIZE_HASH_blake3, &both, 0, out, 32, NULL));
    MISTAKE(MERKLIZE_IO, "/nowhere/file: cannot open: No such file or directory",
            merklize_hash_file("/nowhere/file", MERKLIZE_HASH_blake3, NULL, 0, out, 32, NULL));
    MISTAKE(MERKLIZE_INVALID_ARGUMENT, "merklize_hash_file: path is null",
            merklize_hash_file(NULL, MERKLIZE_HASH_blake3, NULL, 0, out, 32, NULL));
    MISTAKE(MERKLIZE_INVALID_ARGUMENT,
            "merklize_hash_leaves: rows must be one for each of 2 digests of out, of 3 bytes each, got 4 bytes",
            merklize_hash_leaves(data, 3, MERKLIZE_HASH_blake3, NULL, merklize_output_digests(digests, 2), NULL));
    MISTAKE(MERKLIZE_INVALID_ARGUMENT,
            "merklize_hash_leaves: a row of 'rp64_256_v3' must be a multiple of 8 bytes, its words, got 2 bytes",
            merklize_hash_leaves(data, 2, MERKLIZE_HASH_rp64_256, NULL, merklize_output_digests(digests, 2), NULL));
    MISTAKE(MERKLIZE_INVALID_ARGUMENT,
            "merklize_merge: left, right and out must have equal counts of digests, got 2, 1 and 2",
            merklize_merge(merklize_view_digests(pairs, 2), merklize_view_digests(pairs, 1), MERKLIZE_HASH_blake3, NULL,
                           merklize_output_digests(digests, 2), NULL));
    MISTAKE(MERKLIZE_INVALID_ARGUMENT,
            "merklize_hasher_create: 'eidos' begins with the length of the message, so it takes only data whose length "
            "is known",
            merklize_hasher_create(MERKLIZE_HASH_eidos, NULL, NULL, &hasher));
    const merklize_policy policy = {.group_size = 3};
    const merklize_run_options options = {.policy = &policy};
    MISTAKE(MERKLIZE_INVALID_ARGUMENT, "merklize_hash: policy: group_size must be a power of two up to 1024, got 3",
            merklize_hash(data, MERKLIZE_HASH_blake3, NULL, 0, out, 32, &options));
}

static void of_trees(void) {
    merklize_digest leaves[8], root;
    fill_leaves(leaves, 8);
    const merklize_view eight = merklize_view_digests(leaves, 8), three = merklize_view_digests(leaves, 3);
    const merklize_form other = {.rule = 9};
    const merklize_form of_field = {.hash = MERKLIZE_HASH_rp64_256};
    merklize_tree *tree = NULL;
    MISTAKE(MERKLIZE_INVALID_ARGUMENT,
            "merklize_tree_from_leaves: leaves must be whole digests of 32 bytes, got 63 bytes",
            merklize_tree_from_leaves(merklize_view_bytes(leaves, 63), NULL, 0, NULL, &tree));
    MISTAKE(MERKLIZE_INVALID_ARGUMENT, "merklize_merkle_root: form->rule must be 0 to 4, got 9",
            merklize_merkle_root(three, &other, &root, NULL));
    MISTAKE(MERKLIZE_INVALID_ARGUMENT,
            "merklize_tree_from_rows: rows must be of equal length, got 256 bytes for 5 rows",
            merklize_tree_from_rows(eight, 5, NULL, NULL, &tree));
    const merklize_view messages[2] = {merklize_view_bytes("12345678", 8), merklize_view_bytes("1234567", 7)};
    MISTAKE(MERKLIZE_INVALID_ARGUMENT,
            "merklize_tree_from_messages: a row of 'rp64_256_v3' must be a multiple of 8 bytes, its words, got 7 bytes",
            merklize_tree_from_messages(messages, 2, &of_field, NULL, &tree));
    MISTAKE(MERKLIZE_INVALID_ARGUMENT,
            "merklize_build_tree: no tree has 6 slots: n leaves take 2^ceil(log2 n) + n, for a power of two 2 n",
            merklize_build_tree(merklize_output_digests(leaves, 6), NULL, NULL));

    OK(merklize_tree_from_leaves(eight, NULL, 0, NULL, &tree));
    const uint64_t twice[2] = {1, 1};
    const merklize_digest *nodes = NULL;
    uint64_t count = 0;
    MISTAKE(MERKLIZE_INVALID_ARGUMENT, "merklize_tree_level: level must be 0 to 3 for a tree of 8 leaves, got 4",
            merklize_tree_level(tree, 4, &nodes, &count));
    MISTAKE(MERKLIZE_INVALID_ARGUMENT, "merklize_tree_update: leaf index 1 is there twice",
            merklize_tree_update(tree, twice, leaves, 2, NULL));
    MISTAKE(MERKLIZE_INVALID_ARGUMENT,
            "merklize_tree_device_level: the tree's nodes are in memory of the host; level() has them",
            merklize_tree_device_level(tree, 0, &(merklize_buffer *){NULL}));
    merklize_tree_free(tree);
}

static void of_files(void) {
    const char *const path = file_path("input");
    FILE *const file = fopen(path, "wb");
    CHECK(file != NULL);
    for (int i = 0; file != NULL && i < 1000; i++) putc(0, file);
    CHECK(file != NULL && fclose(file) == 0);
    merklize_tree_info info;
    merklize_tree *tree = NULL;
    merklize_tree_file *opened = NULL;
    const merklize_form of_field = {.hash = MERKLIZE_HASH_rp64_256};
    merklize_input input = {.path = path};
    MISTAKE(MERKLIZE_INVALID_ARGUMENT, "merklize_tree_from_file: leaf_bytes must be at least 1, got 0",
            merklize_tree_from_file(&input, NULL, NULL, &tree));
    input.leaf_bytes = 999;
    MISTAKE(
        MERKLIZE_INVALID_ARGUMENT,
        of_file("merklize_tree_from_file: ", ": leaves of 999 bytes: not a whole count of field elements of 8 bytes"),
        merklize_tree_from_file(&input, &of_field, NULL, &tree));
    input.kind = MERKLIZE_INPUT_ROWS;
    MISTAKE(MERKLIZE_INVALID_ARGUMENT,
            of_file("merklize_merkle_root_file: ", ": 1000 bytes are not a whole count of rows of 999 bytes"),
            merklize_merkle_root_file(&input, NULL, &info, NULL));
    input.kind = MERKLIZE_INPUT_LEAVES;
    MISTAKE(MERKLIZE_INVALID_ARGUMENT,
            of_file("merklize_merkle_root_file: ", ": 1000 bytes are not a whole count of leaves of 32 bytes"),
            merklize_merkle_root_file(&input, NULL, &info, NULL));
    input.kind = 7;
    MISTAKE(MERKLIZE_INVALID_ARGUMENT, "merklize_build_tree_file: input->kind must be 0 to 2, got 7",
            merklize_build_tree_file(&input, path, NULL, 0, NULL, NULL));
    MISTAKE(MERKLIZE_IO, of_file("", ": not a tree file: it does not begin with MKLTREE"),
            merklize_tree_file_open(path, &opened));
    MISTAKE(MERKLIZE_IO, "/nowhere/tree.mkl: cannot open: No such file or directory",
            merklize_tree_file_open("/nowhere/tree.mkl", &opened));
}

void test_mistakes(void) {
    of_digests();
    of_trees();
    of_files();
    CHECK(mistakes >= 20);
}

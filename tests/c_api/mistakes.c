/* Typical mistakes: each error names the called function, what came, the rule, and a remedy if there is one. The texts
 * are whole; one that ends in "..." goes on with a list of names. */
#include "check.h"

/* A call that must fail with this status and this text. */
#define MISTAKE(status, text, call)                                                                          \
    do {                                                                                                     \
        const merklize_status got_ = (call);                                                                 \
        mistakes++;                                                                                          \
        if (got_ != (status) || !is_text(merklize_last_error(), (text))) {                                   \
            printf("%s:%d: %s: got %d\n\"%s\", expected %d\n\"%s\"\n", __FILE__, __LINE__, #call, (int)got_, \
                   got_ == MERKLIZE_OK ? "" : merklize_last_error(), (int)(status), (text));                 \
            failures++;                                                                                      \
        }                                                                                                    \
    } while (0)

static bool is_text(const char *got, const char *text) {
    const size_t length = strlen(text);
    if (length > 3 && strcmp(text + length - 3, "...") == 0) return strncmp(got, text, length - 3) == 0;
    return strcmp(got, text) == 0;
}

static int mistakes = 0;

/* A text with the path of the input between two parts. */
static const char *of_file(const char *before, const char *after) {
    static char text[512];
    snprintf(text, sizeof text, "%s%s%s", before, file_path("input"), after);
    return text;
}

static void of_names(void) {
    merklize_hash_id hash = 0;
    merklize_device *device = NULL;
    merklize_format_info format;
    merklize_policy policy;
    MISTAKE(MERKLIZE_INVALID_ARGUMENT,
            "merklize_hash_from_name: unknown hash 'blake2'; did you mean 'blake3'? known: blake3, ...",
            merklize_hash_from_name("blake2", &hash));
    MISTAKE(MERKLIZE_INVALID_ARGUMENT, "merklize_hash_from_name: unknown hash 'md5'; known: blake3, ...",
            merklize_hash_from_name("md5", &hash));
    MISTAKE(MERKLIZE_INVALID_ARGUMENT,
            "merklize_device_open: unknown device 'cdua'; did you mean 'cuda'? known: cpu, ...",
            merklize_device_open("cdua", &device));
    MISTAKE(MERKLIZE_INVALID_ARGUMENT, "merklize_device_open: unknown device 'gpu'; known: cpu, ...",
            merklize_device_open("gpu", &device));
    MISTAKE(MERKLIZE_UNAVAILABLE, "cpu: no device 'cpu:7'; it has 1", merklize_device_open("cpu:7", &device));
    MISTAKE(MERKLIZE_INVALID_ARGUMENT,
            "merklize_format_get_info: unknown format 'bitcon'; did you mean 'bitcoin'? known: merklize, ...",
            merklize_format_get_info("bitcon", &format));
    MISTAKE(MERKLIZE_INVALID_ARGUMENT,
            "merklize_policy_from_text: policy: unknown field 'lane'; did you mean 'lanes'? known: levels_per_launch, "
            "group_size, lanes, constants",
            merklize_policy_from_text("lane=2", &policy));
    MISTAKE(MERKLIZE_INVALID_ARGUMENT, "merklize_policy_from_text: policy: lanes must be 1, 2, 4, 8 or 16, got 3",
            merklize_policy_from_text("lanes=3", &policy));
}

static void of_digests(void) {
    uint8_t out[64] = {0};
    const merklize_view data = merklize_view_bytes("data", 4);
    const merklize_mode short_key = {.key = out, .key_bytes = 5}, keyed = {.key = out, .key_bytes = 32};
    const merklize_mode both = {.key = out, .key_bytes = 32, .context = "c", .context_bytes = 1};
    merklize_digest pairs[2] = {{{0}}, {{0}}}, digests[2];
    merklize_hasher *hasher = NULL;
    MISTAKE(MERKLIZE_INVALID_ARGUMENT,
            "merklize_hash: 'poseidon2_goldilocks_8' hashes field elements, not bytes; hash_rows takes them",
            merklize_hash(data, MERKLIZE_HASH_poseidon2_goldilocks_8, NULL, 0, out, 32, NULL));
    MISTAKE(MERKLIZE_INVALID_ARGUMENT,
            "merklize_hash: 'sha256_rfc6962' puts a prefix before a message, for leaves of trees; 'sha256' is SHA-256 "
            "of a message",
            merklize_hash(data, MERKLIZE_HASH_sha256_rfc6962, NULL, 0, out, 32, NULL));
    MISTAKE(MERKLIZE_INVALID_ARGUMENT,
            "merklize_hash: unknown hash id 4242; merklize_hash_describe() lists the known ones",
            merklize_hash(data, 4242, NULL, 0, out, 32, NULL));
    MISTAKE(MERKLIZE_INVALID_ARGUMENT, "merklize_hash: key must be 32 bytes, got 5",
            merklize_hash(data, MERKLIZE_HASH_blake3, &short_key, 0, out, 32, NULL));
    MISTAKE(MERKLIZE_INVALID_ARGUMENT,
            "merklize_hash: mode must have a key or a context, got a key of 32 bytes and a context of 1 bytes",
            merklize_hash(data, MERKLIZE_HASH_blake3, &both, 0, out, 32, NULL));
    MISTAKE(MERKLIZE_INVALID_ARGUMENT,
            "merklize_hash: mode must be null, or plain, of the hash 'sha256': only blake3 and blake2s have others",
            merklize_hash(data, MERKLIZE_HASH_sha256, &keyed, 0, out, 32, NULL));
    MISTAKE(MERKLIZE_INVALID_ARGUMENT,
            "merklize_hash: the hash 'sha256' has 32 bytes of output from 0 on, got 64 from 0 on; blake3 has output of "
            "any length",
            merklize_hash(data, MERKLIZE_HASH_sha256, NULL, 0, out, 64, NULL));
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
    memset(pairs, 0xff, sizeof pairs);
    MISTAKE(MERKLIZE_INVALID_ARGUMENT,
            "merklize_merge: left: word 0 is 18446744073709551615, not a field element: it must be below p = "
            "18446744069414584321",
            merklize_merge(merklize_view_digests(pairs, 1), merklize_view_digests(pairs + 1, 1), MERKLIZE_HASH_rp64_256,
                           NULL, merklize_output_digests(digests, 1), NULL));
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
    const uint8_t key[32] = {0};
    const merklize_mode keyed = {.key = key, .key_bytes = sizeof key};
    const merklize_form perfect = {.rule = MERKLIZE_RULE_PERFECT}, other = {.rule = 9};
    const merklize_form of_field = {.hash = MERKLIZE_HASH_rp64_256};
    const merklize_form of_key = {.hash = MERKLIZE_HASH_sha256, .rule = MERKLIZE_RULE_LEFT_FULL, .mode = &keyed};
    merklize_tree *tree = NULL;
    merklize_proof *proof = NULL;
    MISTAKE(MERKLIZE_INVALID_ARGUMENT, "merklize_tree_from_leaves: a tree has at least 1 leaf, got 0",
            merklize_tree_from_leaves(merklize_view_digests(leaves, 0), NULL, 0, NULL, &tree));
    MISTAKE(MERKLIZE_INVALID_ARGUMENT,
            "merklize_tree_from_leaves: leaves must be whole digests of 32 bytes, got 63 bytes",
            merklize_tree_from_leaves(merklize_view_bytes(leaves, 63), NULL, 0, NULL, &tree));
    MISTAKE(MERKLIZE_INVALID_ARGUMENT,
            "merklize_merkle_root: the count of leaves must be a power of two under the rule 'perfect', got 3; the "
            "rules 'left_full', 'pad' and 'duplicate_last' take any count",
            merklize_merkle_root(three, &perfect, &root, NULL));
    MISTAKE(MERKLIZE_INVALID_ARGUMENT, "merklize_merkle_root: form->rule must be 0 to 4, got 9",
            merklize_merkle_root(three, &other, &root, NULL));
    MISTAKE(MERKLIZE_INVALID_ARGUMENT,
            "merklize_merkle_root: keys are of the hashes 'blake3' and 'blake2s', and contexts of 'blake3', not of "
            "'sha256'",
            merklize_merkle_root(three, &of_key, &root, NULL));
    MISTAKE(MERKLIZE_INVALID_ARGUMENT,
            "merklize_tree_from_leaves: drop_levels must be at most the height, 3 for 8 leaves, got 9",
            merklize_tree_from_leaves(eight, NULL, 9, NULL, &tree));
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
    MISTAKE(MERKLIZE_INVALID_ARGUMENT, "merklize_tree_prove: leaf index must be below 8, got 8",
            merklize_tree_prove(tree, 8, NULL, 0, &proof));
    MISTAKE(MERKLIZE_INVALID_ARGUMENT, "merklize_tree_prove_together: leaf index 1 is there twice",
            merklize_tree_prove_together(tree, twice, 2, NULL, 0, &proof));
    MISTAKE(MERKLIZE_INVALID_ARGUMENT,
            "merklize_tree_prove_range: [first, last) must be a range of at least one leaf within 8 leaves, got [3, 3)",
            merklize_tree_prove_range(tree, 3, 3, NULL, 0, &proof));
    MISTAKE(MERKLIZE_INVALID_ARGUMENT, "merklize_tree_prove_consistency: old_leaves must be 1 to 8, got 9",
            merklize_tree_prove_consistency(tree, 9, &proof));
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
    MISTAKE(MERKLIZE_INVALID_ARGUMENT,
            of_file("merklize_tree_from_file: ", ": a leaf must have at least 1 byte, got 0"),
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
    of_names();
    of_digests();
    of_trees();
    of_files();
    CHECK(mistakes >= 30);
}

/* Other systems' formats, compared with recorded answers (tests/vectors/sha256_trees.json, keccak256_trees.json,
 * conformance/xet.cpp). */
#include "check.h"

static void test_formats_of_trees(void) {
    merklize_format_info info = {0}, same = {0};
    int seen = 0;
    for (size_t i = 0; i < merklize_format_count(); i++) {
        OK(merklize_format_describe(i, &info));
        OK(merklize_format_get_info(info.name, &same));
        CHECK(strcmp(same.name, info.name) == 0 && same.hash == info.hash && same.rule == info.rule);
        if (strcmp(info.name, "glacier") == 0) {
            seen++;
            CHECK(info.piece_size == 1 << 20 && info.hashes_messages == 1 && info.is_ambiguous == 0);
        }
    }
    CHECK(seen == 1);
    FAILS(MERKLIZE_INVALID_ARGUMENT, "index must be below the number of formats, ",
          merklize_format_describe(merklize_format_count(), &info));
    FAILS(MERKLIZE_INVALID_ARGUMENT, "bitcoin", merklize_format_get_info("bitcoins", &info));

    merklize_digest leaves[7];
    fill(leaves[0].bytes, sizeof leaves);
    OK(merklize_format_get_info("bitcoin", &info));
    CHECK(info.rule == MERKLIZE_RULE_DUPLICATE_LAST && info.is_ambiguous == 1 && info.hashes_messages == 1);
    merklize_form form = {.hash = info.hash, .rule = info.rule, .unambiguous = info.is_ambiguous};
    merklize_tree *tree = NULL;
    merklize_tree_info facts;
    OK(merklize_tree_from_leaves(merklize_view_digests(leaves, 7), &form, 0, NULL, &tree));
    OK(merklize_tree_get_info(tree, &facts));
    CHECK(is_hex(facts.root.bytes, "bbc867ab6936a8600b2635d116154682c6ef4e668f77d663a17d7395ef8ec6b2"));
    OK(merklize_require_unambiguous(tree, "bitcoin"));
    FAILS(MERKLIZE_INVALID_ARGUMENT, "unknown", merklize_require_unambiguous(tree, "none"));
    merklize_tree_free(tree);
    merklize_digest root;
    FAILS(MERKLIZE_INVALID_ARGUMENT, "two lists of leaves may have one root",
          merklize_merkle_root(merklize_view_digests(leaves, 7), &form, &root, NULL));
    leaves[5] = leaves[4];
    FAILS(MERKLIZE_INVALID_ARGUMENT, "level 0",
          merklize_tree_from_leaves(merklize_view_digests(leaves, 6), &form, 0, NULL, &tree));
    form.unambiguous = 2;
    FAILS(MERKLIZE_INVALID_ARGUMENT, "form->unambiguous must be 0 or 1",
          merklize_tree_from_leaves(merklize_view_digests(leaves, 6), &form, 0, NULL, &tree));
    form.unambiguous = 0;
    OK(merklize_tree_from_leaves(merklize_view_digests(leaves, 6), &form, 0, NULL, &tree));
    FAILS(MERKLIZE_INVALID_ARGUMENT, "level 0", merklize_require_unambiguous(tree, "bitcoin"));
    merklize_tree_free(tree);
}

static void test_formats_of_files(void) {
    static uint8_t data[16385];
    fill(data, sizeof data);
    merklize_digest digest, layer[2];
    size_t count = 7;
    OK(merklize_fs_verity(data, 4097, NULL, &digest, NULL));
    CHECK(is_hex(digest.bytes, "b0d074abef4d544404facfab6ba242f6a8ccbde90f1325cd286f3c8aa8d0f8aa"));
    const char *path = file_path("input");
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL && fwrite(data, 1, 4097, file) == 4097 && fclose(file) == 0);
    merklize_digest same;
    OK(merklize_fs_verity_file(path, &(merklize_fs_verity_form){.block_size = 4096}, &same, NULL));
    CHECK(equal(&digest, &same));
    const merklize_fs_verity_form salted = {.block_size = 1024, .salt = data, .salt_bytes = 32};
    OK(merklize_fs_verity(data, 4097, &salted, &digest, NULL));
    OK(merklize_fs_verity_file(path, &salted, &same, NULL));
    CHECK(equal(&digest, &same));
    FAILS(MERKLIZE_INVALID_ARGUMENT, "form->salt is null",
          merklize_fs_verity(data, 1, &(merklize_fs_verity_form){.salt_bytes = 3}, &digest, NULL));

    OK(merklize_glacier(data, 1000, &digest, NULL));
    CHECK(is_hex(digest.bytes, "4e4c294b331f7a2099a379bec34b9f9fc03dc46ab465d998f4d683da53487e6d"));

    OK(merklize_bittorrent_v2(data, 16385, 16384, &digest, NULL, 0, &count, NULL));
    CHECK(count == 2 && is_hex(digest.bytes, "9d7887c65d577a0237fb3c0998b87b3a62762d03796889a2caea01db914ccbb8"));
    FAILS(MERKLIZE_TOO_SMALL, "room for 2 digests, got 1",
          merklize_bittorrent_v2(data, 16385, 16384, &digest, layer, 1, &count, NULL));
    OK(merklize_bittorrent_v2(data, 16385, 16384, &digest, layer, 2, &count, NULL));
    CHECK(is_hex(layer[0].bytes, "4348e3b98e8a327b34ced39c1da9e67cdb4cd5e48e4d7960607a3ae403d35f0c"));
    CHECK(is_hex(layer[1].bytes, "a9f51566bd6705f7ea6ad54bb9deb449f795582d6529a0e22207b8981233ec58"));
    OK(merklize_bittorrent_v2(NULL, 0, 0, &digest, layer, 2, &count, NULL));
    CHECK(count == 0 && equal(&digest, &(merklize_digest){{0}}));

    merklize_digest chunks[3];
    memcpy(chunks, data, sizeof chunks);
    const uint64_t none = 0, long_limit = 1024;
    OK(merklize_ssz(chunks, 3, NULL, NULL, &digest, NULL));
    CHECK(is_hex(digest.bytes, "17c8d5caa3d7162e8dada90de6e741783f3d73736498c11eba34974fbf5464f3"));
    OK(merklize_ssz(NULL, 0, &long_limit, &none, &digest, NULL));
    CHECK(is_hex(digest.bytes, "ceb3266bf0938bc72f8256356ddc13bccc20dd767f25448b2658135780b7da51"));
}

/* Known answers of veritysetup 2.6.1 and of @web3-storage/data-segment 5.3.0, as in python/tests. */
static void test_dm_verity(void) {
    static uint8_t data[1 << 20], salt[32], other[256];
    memset(salt, 0xab, sizeof salt);
    memset(other, 7, sizeof other);
    const merklize_dm_verity_form salted = {.salt = salt, .salt_bytes = sizeof salt};
    merklize_dm_verity_root root, same;
    OK(merklize_dm_verity(data, sizeof data, &salted, &root, NULL));
    CHECK(root.length == 32 && is_hex(root.bytes, "6e753df349695558481a6446c1525439cc41cdbaa98c9a273990b229d9f8f959"));

    char path[256], hashes[256];
    snprintf(path, sizeof path, "%s", file_path("input"));
    snprintf(hashes, sizeof hashes, "%s", file_path("hashes"));
    fill(data, sizeof data);
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL && fwrite(data, 1, sizeof data, file) == sizeof data && fclose(file) == 0);
    const merklize_dm_verity_form form = {.algorithm = MERKLIZE_DM_VERITY_SHA512,
                                          .salt_after = 1,
                                          .data_block_size = 1024,
                                          .hash_block_size = 512,
                                          .data_blocks = 1000,
                                          .salt = other,
                                          .salt_bytes = sizeof other};
    OK(merklize_dm_verity(data, 1000 * 1024, &form, &root, NULL));
    OK(merklize_dm_verity_file(path, &form, &same, NULL));
    CHECK(root.length == 64 && same.length == 64 && memcmp(root.bytes, same.bytes, 64) == 0);
    const merklize_dm_verity_area area = {.offset = 1024, .uuid = {1, 2, 3}};
    merklize_dm_verity_facts facts, stated;
    OK(merklize_dm_verity_format(path, hashes, &form, &area, &same, &facts, NULL));
    CHECK(memcmp(root.bytes, same.bytes, 64) == 0 && facts.uuid[2] == 3 && facts.hash_blocks == 125 + 16 + 2 + 1);
    CHECK(facts.end == 1024 + 512 + 512 * facts.hash_blocks);
    OK(merklize_dm_verity_dump(hashes, 1024, &stated));
    CHECK(memcmp(&stated, &facts, sizeof stated) == 0);
    CHECK(stated.algorithm == MERKLIZE_DM_VERITY_SHA512 && stated.salt_after == 1 && stated.data_block_size == 1024);
    CHECK(stated.hash_block_size == 512 && stated.data_blocks == 1000 && stated.salt_bytes == 256);
    CHECK(memcmp(stated.salt, other, 256) == 0);

    uint64_t wrong = 7;
    size_t written = 7;
    merklize_dm_verity_fault faults[2];
    OK(merklize_dm_verity_verify(path, hashes, root.bytes, 64, &form, &area, NULL, 0, NULL, &wrong, NULL));
    CHECK(wrong == 0);
    /* The superblock is not trusted: neither with bytes behind its blocks, nor where it differs from what is expected.
     */
    merklize_dm_verity_form expected = form;
    expected.data_blocks = 0;
    for (int i = 0; i < 2; i++) {
        FAILS(MERKLIZE_INVALID_ARGUMENT, "the superblock states 1000 blocks of 1024 bytes, and 24576 bytes behind them",
              merklize_dm_verity_verify(path, hashes, root.bytes, 64, i == 0 ? NULL : &expected, &area, NULL, 0, NULL,
                                        &wrong, NULL));
    }
    expected.data_blocks = 1024;
    FAILS(MERKLIZE_INVALID_ARGUMENT, "the superblock states data_blocks 1000, and 1024 is expected",
          merklize_dm_verity_verify(path, hashes, root.bytes, 64, &expected, &area, NULL, 0, NULL, &wrong, NULL));
    expected = form;
    expected.salt_after = 0;
    FAILS(MERKLIZE_INVALID_ARGUMENT, "the superblock states format 0, and 1 is expected",
          merklize_dm_verity_verify(path, hashes, root.bytes, 64, &expected, &area, NULL, 0, NULL, &wrong, NULL));
    const merklize_dm_verity_area tree = {.offset = 1024 + 512, .without_superblock = 1};
    OK(merklize_dm_verity_verify(path, hashes, root.bytes, 64, &form, &tree, NULL, 0, NULL, &wrong, NULL));
    CHECK(wrong == 0);
    file = fopen(path, "r+b");
    CHECK(file != NULL && fseek(file, 3 * 1024 + 5, SEEK_SET) == 0 && fputc('x', file) == 'x' &&
          fseek(file, 999 * 1024, SEEK_SET) == 0 && fputc('x', file) == 'x' && fclose(file) == 0);
    OK(merklize_dm_verity_verify(path, hashes, root.bytes, 64, &form, &area, faults, 1, &written, &wrong, NULL));
    CHECK(wrong == 2 && written == 1 && faults[0].block == 3 && faults[0].in_hashes == 0);
    root.bytes[63] ^= 1;
    OK(merklize_dm_verity_verify(path, hashes, root.bytes, 64, &form, &area, faults, 2, &written, &wrong, NULL));
    CHECK(wrong == 3 && written == 2 && faults[1].block == 999);

    FAILS(MERKLIZE_INVALID_ARGUMENT, "the root must be the 64 bytes of",
          merklize_dm_verity_verify(path, hashes, root.bytes, 32, NULL, &area, NULL, 0, NULL, &wrong, NULL));
    FAILS(MERKLIZE_INVALID_ARGUMENT, "without a superblock the fields must be stated",
          merklize_dm_verity_verify(path, hashes, root.bytes, 64, NULL, &tree, NULL, 0, NULL, &wrong, NULL));
    FAILS(MERKLIZE_INVALID_ARGUMENT, "merklize_dm_verity: form->algorithm must be 0 or 1, got 2",
          merklize_dm_verity(data, 4096, &(merklize_dm_verity_form){.algorithm = 2}, &root, NULL));
    FAILS(MERKLIZE_INVALID_ARGUMENT, "there is no dm-verity superblock at this offset",
          merklize_dm_verity_dump(hashes, 0, &facts));
}

static void test_piece_cid(void) {
    static uint8_t data[100000];
    fill(data, sizeof data);
    merklize_piece_cid_info piece, same;
    OK(merklize_piece_cid(data, sizeof data, &piece, NULL));
    CHECK(strcmp(piece.v2, "bafkzcibe4dvacdb7i2koeleqv4pk5e36tmau2lamc4ekclh4luh5d3s7dn2ukg3wdq") == 0);
    CHECK(piece.bytes == 100000 && piece.height == 12 && piece.padded_bytes == 131072 && piece.padding == 30048);
    CHECK(strncmp(piece.v1, "baga6ea4seaq", 12) == 0 && strlen(piece.v1) == 64);
    static merklize_digest leaves[3152];
    size_t n_leaves = 0;
    OK(merklize_piece_leaves(data, sizeof data, leaves, 3152, &n_leaves));
    CHECK(n_leaves == 3152);
    merklize_digest root;
    const merklize_form tree = {.hash = MERKLIZE_HASH_sha256_trunc254, .rule = MERKLIZE_RULE_PAD};
    OK(merklize_merkle_root(merklize_view_bytes(leaves, sizeof leaves), &tree, &root, NULL));
    CHECK(equal(&root, &piece.root));
    FAILS(MERKLIZE_TOO_SMALL, "", merklize_piece_leaves(data, sizeof data, leaves, 3151, &n_leaves));
    OK(merklize_piece_leaves(data, (size_t)127 << 28, NULL, 0, &n_leaves)); /* the count alone, which reads nothing */
    CHECK(n_leaves == (size_t)4 << 28);
    FAILS(MERKLIZE_INVALID_ARGUMENT, "64 GiB", merklize_piece_leaves(data, (size_t)128 << 29, NULL, 0, &n_leaves));
    FILE *file = fopen(file_path("input"), "wb");
    CHECK(file != NULL && fwrite(data, 1, sizeof data, file) == sizeof data && fclose(file) == 0);
    OK(merklize_piece_cid_file(file_path("input"), &same, NULL));
    CHECK(equal(&piece.root, &same.root) && strcmp(piece.v1, same.v1) == 0 && strcmp(piece.v2, same.v2) == 0);
    OK(merklize_piece_cid(NULL, 0, &piece, NULL));
    CHECK(strcmp(piece.v2, "bafkzcibcp4bdomn3tgwgrh3g532zopskstnbrd2n3sxfqbze7rxt7vqn7veigmy") == 0);
    FAILS(MERKLIZE_IO, "cannot open", merklize_piece_cid_file("/nowhere/file", &piece, NULL));
    merklize_timings times;
    FAILS(MERKLIZE_INVALID_ARGUMENT, "merklize_piece_cid: timings must not be set",
          merklize_piece_cid(data, 1, &piece, &(merklize_run_options){.timings = &times}));
}

static void test_xet(void) {
    static uint8_t data[131073];
    fill(data, sizeof data);
    merklize_digest digest, same;
    char text[65];
    OK(merklize_xet_hash(data, sizeof data, &digest, NULL));
    OK(merklize_xet_hex(&digest, text));
    CHECK(strcmp(text, "429ffffa77fb8eb03c0ff397e414eb0d0575785296b105fda3a2ceeab532c575") == 0);
    const char *path = file_path("input");
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL && fwrite(data, 1, sizeof data, file) == sizeof data && fclose(file) == 0);
    OK(merklize_xet_hash_file(path, &same, NULL));
    CHECK(equal(&digest, &same));
    const char *const paths[] = {"/nowhere/file", path};
    merklize_file_digests *files = NULL;
    merklize_file_digest one;
    OK(merklize_xet_hash_files(paths, 2, NULL, &files));
    OK(merklize_file_digests_get(files, 0, &one));
    CHECK(one.output == NULL && one.error != NULL);
    OK(merklize_file_digests_get(files, 1, &one));
    CHECK(one.error == NULL && memcmp(one.output, digest.bytes, 32) == 0);
    merklize_file_digests_free(files);
    merklize_xet_chunk chunks[3];
    size_t count = 0;
    uint64_t bytes = 0;
    OK(merklize_xet_chunks(data, sizeof data, chunks, 3, &count, NULL));
    for (size_t i = 0; i < count; i++) bytes += chunks[i].bytes;
    CHECK(count >= 2 && bytes == sizeof data);
    FAILS(MERKLIZE_TOO_SMALL, "chunks, got 1", merklize_xet_chunks(data, sizeof data, chunks, 1, NULL, NULL));
}

static void test_openzeppelin(void) {
    merklize_digest leaves[5], proof[8], twice;
    fill(leaves[0].bytes, sizeof leaves);
    merklize_openzeppelin_tree *tree = NULL, *again = NULL;
    OK(merklize_openzeppelin_tree_create(leaves, 5, NULL, NULL, &tree));
    const merklize_digest *nodes = NULL, *others = NULL;
    uint64_t count = 0, place = 0, places[5];
    size_t length = 0;
    OK(merklize_openzeppelin_tree_nodes(tree, &nodes, &count));
    CHECK(count == 9 && is_hex(nodes[0].bytes, "70976761d5195d04192079be3773005de6f5e8b92c20dba4eb724b095a92f2bb"));
    CHECK(is_hex(nodes[2].bytes, "e7519b8a28eebd70a39cf1ff0dd7a2c3c4d2125a61a98301a4b46d88eec1ffe3"));
    for (uint64_t i = 0; i < 5; i++) {
        OK(merklize_openzeppelin_tree_index(tree, i, &place));
        CHECK(place == 8 - i && equal(&nodes[place], &leaves[i]));
        places[i] = place;
    }
    OK(merklize_openzeppelin_tree_create(leaves, 5, places, NULL, &again));
    OK(merklize_openzeppelin_tree_nodes(again, &others, &count));
    CHECK(count == 9 && memcmp(nodes, others, 9 * sizeof *nodes) == 0);
    merklize_openzeppelin_tree_free(again);
    places[0] = places[1];
    FAILS(MERKLIZE_INVALID_ARGUMENT, "each once", merklize_openzeppelin_tree_create(leaves, 5, places, NULL, &again));
    CHECK(again == NULL);

    int valid = 7;
    OK(merklize_openzeppelin_tree_prove(tree, 1, NULL, 0, &length));
    CHECK(length == 3);
    OK(merklize_openzeppelin_tree_prove(tree, 1, proof, 8, &length));
    CHECK(equal(&proof[0], &leaves[0]) && equal(&proof[1], &leaves[4]) && equal(&proof[2], &nodes[2]));
    OK(merklize_verify_openzeppelin(proof, length, &nodes[0], &leaves[1], &valid));
    CHECK(valid == 1);
    OK(merklize_verify_openzeppelin(proof, length, &leaves[1], &nodes[0], &valid)); /* swapped */
    CHECK(valid == 0);
    OK(merklize_verify_openzeppelin(proof, length - 1, &nodes[0], &leaves[1], &valid));
    CHECK(valid == 0);

    /* A proof of all five leaves needs no other node, and four merges. */
    const uint64_t all[5] = {0, 1, 2, 3, 4}, one = 2;
    merklize_digest ordered[5];
    uint8_t flags[8];
    OK(merklize_openzeppelin_tree_prove_together(tree, all, 5, NULL, NULL, 0, &length, NULL));
    CHECK(length == 0);
    OK(merklize_openzeppelin_tree_prove_together(tree, all, 5, ordered, proof, 8, &length, flags));
    CHECK(flags[0] == 1 && flags[1] == 1 && flags[2] == 1 && flags[3] == 1);
    OK(merklize_openzeppelin_tree_prove_together(tree, &one, 1, ordered, proof, 8, &length, flags));
    CHECK(length == 2 && equal(&ordered[0], &leaves[2]) && flags[0] == 0 && flags[1] == 0);
    OK(merklize_verify_openzeppelin(proof, length, &nodes[0], &leaves[2], &valid));
    CHECK(valid == 1);
    FAILS(MERKLIZE_TOO_SMALL, "room for 2 digests, got 1",
          merklize_openzeppelin_tree_prove_together(tree, &one, 1, ordered, proof, 1, &length, flags));
    merklize_openzeppelin_tree_free(tree);
    merklize_openzeppelin_tree_free(NULL);

    OK(merklize_hash(merklize_view_bytes("abi", 3), MERKLIZE_HASH_keccak256, NULL, 0, twice.bytes, 32, NULL));
    OK(merklize_hash(merklize_view_digests(&twice, 1), MERKLIZE_HASH_keccak256, NULL, 0, twice.bytes, 32, NULL));
    OK(merklize_openzeppelin_leaf("abi", 3, &leaves[0]));
    CHECK(equal(&leaves[0], &twice));
}

void test_formats(void) {
    test_formats_of_trees();
    test_formats_of_files();
    test_dm_verity();
    test_piece_cid();
    test_xet();
    test_openzeppelin();
}

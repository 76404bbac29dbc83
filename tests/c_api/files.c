/* Trees over files and in files. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"

static int stop_at_once(void *context, double done) {
    (void)done;
    ++*(int *)context;
    return 1;
}

void test_files(void) {
    enum { leaf_bytes = 100, n = 500, size = leaf_bytes * n - 30 };
    static uint8_t data[size];
    fill(data, sizeof data);
    FILE *file = fopen(file_path("input"), "wb");
    CHECK(file != NULL && fwrite(data, 1, sizeof data, file) == sizeof data && fclose(file) == 0);
    char input_path[256], tree_path[256];
    snprintf(input_path, sizeof input_path, "%s", file_path("input"));
    snprintf(tree_path, sizeof tree_path, "%s", file_path("tree.mkl"));

    /* The witness: a tree of digests of the pieces. */
    static merklize_digest leaves[n];
    OK(merklize_hash_leaves(merklize_view_bytes(data, (n - 1) * leaf_bytes), leaf_bytes, MERKLIZE_HASH_blake3, NULL,
                            merklize_output_digests(leaves, n - 1), NULL));
    OK(merklize_hash_leaves(merklize_view_bytes(data + leaf_bytes * (n - 1), leaf_bytes - 30), leaf_bytes - 30,
                            MERKLIZE_HASH_blake3, NULL, merklize_output_digests(&leaves[n - 1], 1), NULL));
    merklize_digest root, got;
    OK(merklize_merkle_root(merklize_view_digests(leaves, n), NULL, &root, NULL));

    const merklize_input input = {.path = input_path, .leaf_bytes = leaf_bytes};
    merklize_tree_info info = {0};
    OK(merklize_merkle_root_file(&input, NULL, &info, NULL));
    CHECK(equal(&info.root, &root) && info.n_leaves == n && info.total_bytes == size && info.leaf_bytes == leaf_bytes);
    const int descriptor = open(input_path, O_RDONLY);
    const merklize_input opened = {.leaf_bytes = leaf_bytes, .has_descriptor = 1, .descriptor = descriptor};
    OK(merklize_merkle_root_file(&opened, NULL, &info, NULL));
    CHECK(equal(&info.root, &root));
    close(descriptor);
    const merklize_input rows = {.path = input_path, .leaf_bytes = leaf_bytes, .kind = MERKLIZE_INPUT_ROWS};
    FAILS(MERKLIZE_INVALID_ARGUMENT, "100", merklize_merkle_root_file(&rows, NULL, &info, NULL));

    merklize_tree *tree = NULL;
    OK(merklize_tree_from_file(&input, NULL, NULL, &tree));
    OK(merklize_tree_save(tree, file_path("saved.mkl")));
    merklize_tree_free(tree);

    OK(merklize_build_tree_file(&input, tree_path, NULL, 1, &info, NULL));
    CHECK(equal(&info.root, &root) && info.height == 9 && info.is_keyed == 0);
    OK(merklize_build_tree_file(&input, tree_path, NULL, 0, NULL, NULL));
    merklize_tree_file *mkl = NULL;
    OK(merklize_tree_file_open(tree_path, &mkl));
    OK(merklize_tree_file_get_info(mkl, &info));
    CHECK(equal(&info.root, &root) && info.n_leaves == n && info.leaf_bytes == leaf_bytes && info.total_bytes == size);
    OK(merklize_tree_file_root(mkl, &got));
    CHECK(equal(&got, &root));
    static merklize_digest read[n];
    OK(merklize_tree_file_read(mkl, 0, 0, read, n));
    CHECK(memcmp(read, leaves, sizeof leaves) == 0);
    FAILS(MERKLIZE_INVALID_ARGUMENT, "first and count must be within the 500 nodes of level 0, got 1 and 500",
          merklize_tree_file_read(mkl, 0, 1, read, n));

    merklize_proof *proof = NULL;
    int valid = 0;
    const uint64_t indices[2] = {499, 3};
    merklize_digest old_root;
    OK(merklize_merkle_root(merklize_view_digests(leaves, 400), NULL, &old_root, NULL));
    OK(merklize_tree_file_prove(mkl, 499, &proof));
    OK(merklize_proof_verify(proof, &root, NULL, NULL, &valid));
    CHECK(valid == 1);
    merklize_proof_free(proof);
    OK(merklize_tree_file_prove_together(mkl, indices, 2, &proof));
    OK(merklize_proof_verify(proof, &root, NULL, NULL, &valid));
    CHECK(valid == 1);
    merklize_proof_free(proof);
    OK(merklize_tree_file_prove_range(mkl, 100, 200, &proof));
    OK(merklize_proof_verify(proof, &root, NULL, NULL, &valid));
    CHECK(valid == 1);
    merklize_proof_free(proof);
    OK(merklize_tree_file_prove_consistency(mkl, 400, &proof));
    OK(merklize_proof_verify_consistency(proof, &old_root, &root, NULL, &valid));
    CHECK(valid == 1);
    merklize_proof_free(proof);

    /* Changes. */
    size_t wrong = 7;
    OK(merklize_tree_file_update(mkl, indices, leaves, 2, NULL));
    leaves[499] = leaves[0];
    leaves[3] = leaves[1];
    OK(merklize_tree_file_append(mkl, leaves, 20, NULL));
    static merklize_digest grown[n + 20];
    memcpy(grown, leaves, sizeof leaves);
    memcpy(grown + n, leaves, 20 * sizeof *leaves);
    OK(merklize_merkle_root(merklize_view_digests(grown, n + 20), NULL, &root, NULL));
    OK(merklize_tree_file_root(mkl, &got));
    CHECK(equal(&got, &root));
    OK(merklize_tree_file_check(mkl, NULL, 0, &wrong, NULL));
    CHECK(wrong == 0);
    merklize_tree_file_free(mkl);
    merklize_tree_file_free(NULL);

    /* A damaged leaf. The file has a header of 128 bytes, then the leaves. */
    file = fopen(file_path("saved.mkl"), "r+b");
    CHECK(file != NULL && fseek(file, 128 + 32 * 77, SEEK_SET) == 0 && fputc(0xab, file) == 0xab && fclose(file) == 0);
    OK(merklize_tree_file_open(file_path("saved.mkl"), &mkl));
    merklize_wrong_node found[4];
    OK(merklize_tree_file_check(mkl, found, 4, &wrong, NULL));
    CHECK(wrong == 1 && found[0].level == 1 && found[0].index == 38);
    OK(merklize_tree_file_check(mkl, NULL, 0, &wrong, NULL));
    CHECK(wrong == 1);
    merklize_tree_file_free(mkl);

    /* Leaves that come in pieces. The build is given up once, and resumed. */
    merklize_tree_writer *writer = NULL;
    OK(merklize_merkle_root(merklize_view_digests(leaves, n), NULL, &root, NULL));
    OK(merklize_tree_writer_create(tree_path, n, NULL, leaf_bytes, size, 0, NULL, &writer));
    OK(merklize_tree_writer_append(writer, leaves, 300));
    OK(merklize_tree_writer_checkpoint(writer));
    CHECK(merklize_tree_writer_written(writer) == 300);
    merklize_tree_writer_free(writer);
    OK(merklize_tree_writer_create(tree_path, n, NULL, leaf_bytes, size, 1, NULL, &writer));
    const uint64_t kept = merklize_tree_writer_written(writer);
    CHECK(kept > 0 && kept <= 300);
    FAILS(MERKLIZE_INVALID_ARGUMENT, "500", merklize_tree_writer_finish(writer, 0, &got));
    OK(merklize_tree_writer_append(writer, leaves + kept, n - kept));
    FAILS(MERKLIZE_INVALID_ARGUMENT, ": total_bytes must be 0", merklize_tree_writer_finish(writer, size, &got));
    OK(merklize_tree_writer_finish(writer, 0, &got));
    CHECK(equal(&got, &root));
    merklize_tree_writer_free(writer);
    OK(merklize_tree_file_open(tree_path, &mkl));
    OK(merklize_tree_file_get_info(mkl, &info));
    CHECK(equal(&info.root, &root) && info.leaf_bytes == leaf_bytes && info.total_bytes == size);
    OK(merklize_tree_file_check(mkl, NULL, 0, &wrong, NULL));
    CHECK(wrong == 0);
    merklize_tree_file_free(mkl);
    CHECK(merklize_tree_writer_written(NULL) == 0);
    FAILS(MERKLIZE_INVALID_ARGUMENT, "writer is null", merklize_tree_writer_append(NULL, leaves, 1));

    /* A key that is not in the file. */
    static const uint8_t key[32] = {9};
    const merklize_mode mode = {.key = key, .key_bytes = 32};
    const merklize_form keyed = {.mode = &mode};
    OK(merklize_build_tree_file(&input, tree_path, &keyed, 0, &info, NULL));
    CHECK(info.is_keyed == 1);
    OK(merklize_tree_file_open(tree_path, &mkl));
    OK(merklize_tree_file_get_info(mkl, &info));
    CHECK(info.is_keyed == 1);
    FAILS(MERKLIZE_INVALID_ARGUMENT, "its key or context must be given first",
          merklize_tree_file_check(mkl, NULL, 0, &wrong, NULL));
    OK(merklize_tree_file_set_mode(mkl, &mode));
    OK(merklize_tree_file_check(mkl, NULL, 0, &wrong, NULL));
    CHECK(wrong == 0);
    merklize_tree_file_free(mkl);

    /* Errors of the system: the text has the file and the error's number. */
    mkl = (merklize_tree_file *)&mkl;
    FAILS(MERKLIZE_IO, "/nowhere/tree.mkl", merklize_tree_file_open("/nowhere/tree.mkl", &mkl));
    CHECK(mkl == NULL && merklize_last_system_error() == 2 /* ENOENT */);
    CHECK(strcmp(merklize_last_error_path(), "/nowhere/tree.mkl") == 0);
    CHECK(merklize_last_error_call()[0] == '\0' && strcmp(merklize_last_error_rule(), merklize_last_error()) == 0);
    FAILS(MERKLIZE_IO, input_path, merklize_tree_file_open(input_path, &mkl));
    CHECK(merklize_last_system_error() == 0);

    /* Cancelled from the progress function, which is called every 50 ms of a long digest. */
    const size_t large = (size_t)256 << 20;
    uint8_t *zeros = calloc(1, large), out[32];
    int calls = 0;
    const merklize_run_options options = {.threads = 1, .progress = stop_at_once, .progress_context = &calls};
    merklize_status status = MERKLIZE_OK;
    for (int i = 0; i < 20 && status == MERKLIZE_OK; i++)
        status = merklize_hash(merklize_view_bytes(zeros, large), MERKLIZE_HASH_blake3, NULL, 0, out, 32, &options);
    free(zeros);
    CHECK(status == MERKLIZE_CANCELLED && calls == 1);
    CHECK(strstr(merklize_last_error(), "cancelled") != NULL);
}

/* Memory and queues of every device except the CPU: the same bytes as on the CPU, and arguments that do not fit. */
#include "check.h"

enum { n = 64 };

static void test_device(const char *id) {
    printf("device %s\n", id);
    merklize_device *device = NULL;
    merklize_stream *stream = NULL;
    merklize_buffer *leaves = NULL, *half = NULL, *out = NULL, *nodes = NULL;
    OK(merklize_device_open(id, &device));
    OK(merklize_stream_create(device, &stream));
    static merklize_digest host[n], back[2 * n], expected[2 * n];
    test_bao_on_device(device);
    test_extremes_on_device(device);
    fill_leaves(host, n);
    const merklize_run_options options = {.stream = stream};

    OK(merklize_buffer_create(device, sizeof host, &leaves));
    CHECK(merklize_buffer_size(leaves) == sizeof host);
    OK(merklize_buffer_upload(leaves, 0, host, sizeof host, stream));
    OK(merklize_buffer_slice(leaves, sizeof host / 2, sizeof host / 2, &half));
    OK(merklize_buffer_download(half, 32, back, 32, NULL));
    CHECK(equal(&back[0], &host[n / 2 + 1]));
    FAILS(MERKLIZE_INVALID_ARGUMENT, "2048", merklize_buffer_download(leaves, 32, back, sizeof host, NULL));
    FAILS(MERKLIZE_INVALID_ARGUMENT, "", merklize_buffer_slice(leaves, sizeof host, 1, &out));
    CHECK(out == NULL);
    void *native = NULL;
    uint64_t offset = 7;
    OK(merklize_buffer_native(leaves, &native, &offset));
    CHECK(native != NULL && offset == 0);
    merklize_buffer *wrapped = NULL;
    OK(merklize_buffer_wrap_const(device, native, sizeof host, &wrapped));
    OK(merklize_buffer_download(wrapped, 0, back, sizeof host, NULL));
    CHECK(memcmp(back, host, sizeof host) == 0);
    FAILS(MERKLIZE_INVALID_ARGUMENT, "buffer is written, but the buffer is only to be read",
          merklize_buffer_upload(wrapped, 0, host, 32, NULL));
    merklize_buffer_free(wrapped);
    OK(merklize_buffer_wrap(device, native, sizeof host, &wrapped));
    OK(merklize_buffer_upload(wrapped, 0, host, 32, NULL));
    merklize_buffer_free(wrapped);

    /* Events: one is reached, and another queue waits for it. */
    merklize_event *event = NULL;
    merklize_stream *other = NULL;
    int reached = 0, capturing = 7;
    OK(merklize_stream_is_capturing(stream, &capturing));
    CHECK(capturing == 0);
    OK(merklize_stream_create(device, &other));
    OK(merklize_stream_record(stream, &event));
    OK(merklize_stream_wait(other, event));
    OK(merklize_stream_synchronize(other));
    OK(merklize_event_query(event, &reached));
    CHECK(reached == 1);
    OK(merklize_event_wait(event));
    OK(merklize_event_check(event));
    OK(merklize_event_native(event, &native));
    CHECK(native != NULL);
    merklize_stream_free(other);
    merklize_event_free(event);

    /* Digests, rows, merges. */
    uint8_t digest[2][40];
    OK(merklize_hash(merklize_view_bytes(host, sizeof host), MERKLIZE_HASH_blake3, NULL, 3, digest[0], 40, NULL));
    OK(merklize_hash(merklize_view_buffer(leaves), MERKLIZE_HASH_blake3, NULL, 3, digest[1], 40, &options));
    CHECK(memcmp(digest[0], digest[1], 40) == 0);
    OK(merklize_buffer_create(device, n / 2 * 32, &out));
    OK(merklize_hash_leaves(merklize_view_bytes(host, n / 2 * 64), 64, MERKLIZE_HASH_blake3, NULL,
                            merklize_output_digests(expected, n / 2), NULL));
    OK(merklize_hash_leaves(merklize_view_buffer(leaves), 64, MERKLIZE_HASH_blake3, NULL, merklize_output_buffer(out),
                            &options));
    OK(merklize_buffer_download(out, 0, back, n / 2 * 32, stream));
    CHECK(memcmp(back, expected, n / 2 * 32) == 0);
    const merklize_view both[] = {{.buffer = leaves}, {.data = host, .bytes = sizeof host}};
    uint8_t each[2][40];
    OK(merklize_hash_each(both, 2, MERKLIZE_HASH_blake3, NULL, 3, each[0], 40, NULL));
    CHECK(memcmp(each[0], digest[0], 40) == 0 && memcmp(each[1], digest[0], 40) == 0);
    const merklize_view twice = {.data = host, .bytes = 1, .buffer = leaves};
    FAILS(MERKLIZE_INVALID_ARGUMENT, "messages[0]: data and a buffer are set",
          merklize_hash_each(&twice, 1, MERKLIZE_HASH_blake3, NULL, 0, each[0], 32, NULL));
    OK(merklize_hash_leaves(merklize_view_bytes(host, n / 2 * 64), 64, MERKLIZE_HASH_rp64_256, NULL,
                            merklize_output_digests(expected, n / 2), NULL));
    OK(merklize_hash_leaves(merklize_view_buffer(leaves), 64, MERKLIZE_HASH_rp64_256, NULL, merklize_output_buffer(out),
                            NULL));
    OK(merklize_buffer_download(out, 0, back, n / 2 * 32, NULL));
    CHECK(memcmp(back, expected, n / 2 * 32) == 0);
    FAILS(MERKLIZE_INVALID_ARGUMENT, "",
          merklize_hash_leaves(merklize_view_buffer(leaves), 56, MERKLIZE_HASH_rp64_256, NULL,
                               merklize_output_buffer(out), NULL));
    FAILS(MERKLIZE_INVALID_ARGUMENT, "18446744073709551608",
          merklize_hash_leaves(merklize_view_buffer(leaves), UINT64_MAX - 7, MERKLIZE_HASH_rp64_256, NULL,
                               merklize_output_buffer(out), NULL));
    OK(merklize_merge(merklize_view_digests(host + n / 2, n / 2), merklize_view_digests(host + n / 2, n / 2),
                      MERKLIZE_HASH_blake3, NULL, merklize_output_digests(expected, n / 2), NULL));
    OK(merklize_merge(merklize_view_buffer(half), merklize_view_buffer(half), MERKLIZE_HASH_blake3, NULL,
                      merklize_output_buffer(out), &options));
    OK(merklize_buffer_download(out, 0, back, n / 2 * 32, NULL));
    CHECK(memcmp(back, expected, n / 2 * 32) == 0);

    FAILS(MERKLIZE_INVALID_ARGUMENT, "left, right and out must all be buffers, or none",
          merklize_merge(merklize_view_buffer(half), merklize_view_digests(host, n / 2), MERKLIZE_HASH_blake3, NULL,
                         merklize_output_buffer(out), NULL));
    FAILS(MERKLIZE_INVALID_ARGUMENT, "out must all be buffers",
          merklize_merge(merklize_view_buffer(half), merklize_view_buffer(half), MERKLIZE_HASH_blake3, NULL,
                         merklize_output_digests(back, n / 2), NULL));
    FAILS(MERKLIZE_INVALID_ARGUMENT, "left, right and out: a null buffer",
          merklize_merge(merklize_view_buffer(half), merklize_view_buffer(half), MERKLIZE_HASH_blake3, NULL,
                         merklize_output_buffer(NULL), NULL));

    /* An extension of host memory, then of a matrix that lies on the device: n rows of four words. */
    merklize_matrix matrix = {
        .words = host, .rows = n, .columns = 4, .row_stride = 4, .column_stride = 1, .word_bytes = 8};
    const merklize_extend_form extension = {.field = MERKLIZE_FIELD_GOLDILOCKS, .added_bits = 1};
    merklize_buffer *extended = NULL;
    OK(merklize_extend(&matrix, &extension, merklize_output_bytes(expected, sizeof expected), NULL));
    OK(merklize_buffer_create(device, sizeof expected, &extended));
    OK(merklize_extend(&matrix, &extension, merklize_output_buffer(extended), &options));
    OK(merklize_buffer_download(extended, 0, back, sizeof back, NULL));
    CHECK(memcmp(back, expected, sizeof back) == 0);
    matrix.words = NULL;
    matrix.buffer = leaves;
    memset(back, 0, sizeof back);
    OK(merklize_extend(&matrix, &extension, merklize_output_bytes(back, sizeof back), &options));
    CHECK(memcmp(back, expected, sizeof back) == 0);
    const merklize_extended_matrix committed = {
        .matrix = matrix, .form = extension, .out = back, .out_bytes = sizeof back};
    const merklize_commitment_form by_poseidon2 = {.hash = MERKLIZE_HASH_poseidon2_goldilocks_8};
    merklize_commitment *commitment = NULL;
    merklize_extended_matrix resident = committed;
    memset(back, 0, sizeof back);
    resident.out = NULL;
    resident.out_bytes = 0;
    resident.buffer = extended;
    OK(merklize_commit_extended(&resident, 1, &by_poseidon2, NULL, &commitment));
    OK(merklize_buffer_download(extended, 0, back, sizeof back, NULL));
    CHECK(memcmp(back, expected, sizeof back) == 0);
    merklize_commitment_free(commitment);
    memset(back, 0, sizeof back);
    OK(merklize_commit_extended(&committed, 1, &by_poseidon2, &options, &commitment));
    CHECK(memcmp(back, expected, sizeof back) == 0);
    merklize_commitment_free(commitment);
    FAILS(MERKLIZE_INVALID_ARGUMENT, "merklize_extend: out must have 4096 bytes, 2^1 times the matrix, got 2048",
          merklize_extend(&matrix, &extension, merklize_output_buffer(leaves), &options));
    merklize_buffer_free(extended);

    /* A limit that all memory in use exceeds. */
    uint64_t limit = 0;
    OK(merklize_device_set_memory_limit(device, 1));
    OK(merklize_device_get_memory_limit(device, &limit));
    CHECK(limit == 1);
    FAILS(MERKLIZE_OUT_OF_MEMORY, "the device's memory limit is 1 bytes",
          merklize_buffer_create(device, 64, &extended));
    OK(merklize_buffer_download(leaves, 0, back, sizeof host, NULL));
    OK(merklize_device_set_memory_limit(device, 0));

    /* One message and one tree in several buffers. */
    merklize_buffer *start = NULL;
    OK(merklize_buffer_slice(leaves, 0, sizeof host / 2, &start));
    const merklize_buffer *const parts[] = {start, half};
    OK(merklize_hash_parts(parts, 2, NULL, 3, digest[1], 40, NULL));
    CHECK(memcmp(digest[0], digest[1], 40) == 0);
    merklize_digest root, got;
    OK(merklize_merkle_root(merklize_view_digests(host, n), NULL, &root, NULL));
    OK(merklize_merkle_root_parts(parts, 2, NULL, &got, NULL));
    CHECK(equal(&root, &got));
    FAILS(MERKLIZE_INVALID_ARGUMENT, "parts: an item is null",
          merklize_hash_parts(&(const merklize_buffer *){NULL}, 1, NULL, 0, digest[1], 32, NULL));
    merklize_buffer_free(start);

    /* Trees. */
    merklize_tree *tree = NULL;
    merklize_proof *proof = NULL;
    int valid = 0;
    OK(merklize_merkle_root(merklize_view_buffer(leaves), NULL, &got, &options));
    CHECK(equal(&root, &got));
    OK(merklize_tree_from_leaves(merklize_view_buffer(leaves), NULL, 0, &options, &tree));
    OK(merklize_tree_root(tree, &got));
    CHECK(equal(&root, &got));
    merklize_tree_info info = {0};
    OK(merklize_tree_get_info(tree, &info));
    OK(merklize_tree_prove(tree, 33, NULL, 0, &proof));
    OK(merklize_proof_verify(proof, &root, NULL, NULL, &valid));
    CHECK(valid == 1);
    merklize_proof_free(proof);
    if (info.on_device == 1) { /* not where a device's memory is the host's */
        OK(merklize_tree_device_nodes(tree, &nodes));
        OK(merklize_buffer_download(nodes, 32, &got, 32, NULL));
        CHECK(equal(&root, &got));
        merklize_buffer *level = NULL;
        OK(merklize_tree_device_level(tree, info.height, &level));
        CHECK(merklize_buffer_size(level) == 32);
        OK(merklize_buffer_download(level, 0, &got, 32, NULL));
        CHECK(equal(&root, &got));
        merklize_buffer_free(level);
        FAILS(MERKLIZE_INVALID_ARGUMENT, "level", merklize_tree_device_level(tree, info.height + 1, &level));
        CHECK(level == NULL);
        FAILS(MERKLIZE_INVALID_ARGUMENT, "nodes is written, but the buffer is only to be read",
              merklize_build_tree(merklize_output_buffer(nodes), NULL, NULL));
        FAILS(MERKLIZE_INVALID_ARGUMENT, "only to be read", merklize_buffer_upload(nodes, 0, host, 32, NULL));
        merklize_tree_free(tree);
        tree = NULL;
        OK(merklize_buffer_download(nodes, 32, &got, 32, NULL)); /* the memory outlives the tree */
        CHECK(equal(&root, &got));
        merklize_buffer_free(nodes);
    }
    merklize_tree_free(tree);
    OK(merklize_buffer_create(device, 2 * sizeof host, &nodes));
    OK(merklize_buffer_upload(nodes, sizeof host, host, sizeof host, NULL));
    OK(merklize_build_tree(merklize_output_buffer(nodes), NULL, &options));
    OK(merklize_buffer_download(nodes, 0, back, 2 * sizeof host, NULL));
    memcpy(expected + n, host, sizeof host);
    OK(merklize_build_tree(merklize_output_digests(expected, 2 * n), NULL, NULL));
    CHECK(memcmp(back, expected, sizeof back) == 0);
    OK(merklize_tree_from_rows(merklize_view_buffer(leaves), n / 2, NULL, NULL, &tree));
    merklize_tree_free(tree);
    merklize_tree_builder *builder = NULL;
    OK(merklize_tree_builder_create(NULL, &options, &builder));
    OK(merklize_tree_builder_append(builder, merklize_view_buffer(leaves)));
    OK(merklize_tree_builder_root(builder, &got));
    CHECK(equal(&root, &got));
    merklize_tree_builder_free(builder);

    /* Calls that return at once, one after another on a stream. */
    merklize_buffer *word = NULL, *sums = NULL;
    OK(merklize_buffer_create(device, 8, &word));
    OK(merklize_buffer_upload(word, 0, &(uint64_t){1}, 8, NULL));
    OK(merklize_buffer_create(device, 7 * 32, &sums));
    merklize_buffer *sum[7];
    for (int i = 0; i < 7; i++) OK(merklize_buffer_slice(sums, 32 * (uint64_t)i, 32, &sum[i]));
    merklize_buffer *first = NULL, *second = NULL;
    OK(merklize_buffer_slice(leaves, 0, 32, &first));
    OK(merklize_buffer_slice(leaves, 32, 32, &second));
    OK(merklize_enqueue_hash(stream, leaves, NULL, sum[0], NULL, NULL));
    OK(merklize_enqueue_hash_leaves(stream, leaves, sizeof host, MERKLIZE_HASH_blake3, NULL, sum[1], NULL, NULL));
    OK(merklize_enqueue_hash_leaves(stream, leaves, sizeof host, MERKLIZE_HASH_rp64_256, NULL, sum[2], NULL, NULL));
    OK(merklize_enqueue_merge(stream, first, second, MERKLIZE_HASH_sha256_rfc6962, NULL, sum[3], NULL, NULL));
    OK(merklize_enqueue_merkle_root(stream, leaves, NULL, sum[4], NULL, NULL));
    OK(merklize_enqueue_build_tree(stream, nodes, NULL, NULL, NULL));
    OK(merklize_enqueue_gather_nodes(stream, nodes, word, sum[5], &event));
    OK(merklize_event_wait(event));
    merklize_event_free(event);
    OK(merklize_buffer_download(sums, 0, back, 6 * 32, NULL));
    OK(merklize_hash(merklize_view_bytes(host, sizeof host), MERKLIZE_HASH_blake3, NULL, 0, expected[0].bytes, 32,
                     NULL));
    OK(merklize_hash_leaves(merklize_view_bytes(host, sizeof host), sizeof host, MERKLIZE_HASH_rp64_256, NULL,
                            merklize_output_digests(&expected[2], 1), NULL));
    OK(merklize_merge(merklize_view_digests(&host[0], 1), merklize_view_digests(&host[1], 1),
                      MERKLIZE_HASH_sha256_rfc6962, NULL, merklize_output_digests(&expected[3], 1), NULL));
    CHECK(equal(&back[0], &expected[0]) && equal(&back[1], &expected[0]));
    CHECK(equal(&back[2], &expected[2]) && equal(&back[3], &expected[3]));
    CHECK(equal(&back[4], &root) && equal(&back[5], &root));
    event = (merklize_event *)&event;
    FAILS(MERKLIZE_INVALID_ARGUMENT, "", merklize_enqueue_hash(stream, leaves, NULL, sums, NULL, &event));
    CHECK(event == NULL);
    FAILS(MERKLIZE_INVALID_ARGUMENT, "", merklize_enqueue_hash(stream, leaves, NULL, first, NULL, NULL)); /* overlaps */
    FAILS(MERKLIZE_INVALID_ARGUMENT, "stream is null", merklize_enqueue_hash(NULL, leaves, NULL, sum[0], NULL, NULL));
    for (int i = 0; i < 7; i++) merklize_buffer_free(sum[i]);
    merklize_buffer_free(first);
    merklize_buffer_free(second);
    merklize_buffer_free(sums);
    merklize_buffer_free(word);

    /* A stream implies its device. Another device is an error. */
    OK(merklize_hash(merklize_view_bytes(host, sizeof host), MERKLIZE_HASH_blake3, NULL, 3, digest[1], 40, &options));
    CHECK(memcmp(digest[0], digest[1], 40) == 0);
    merklize_device *cpu = NULL;
    OK(merklize_device_open("cpu", &cpu));
    const merklize_run_options wrong = {.device = cpu, .stream = stream};
    CHECK(merklize_hash(merklize_view_bytes(host, sizeof host), MERKLIZE_HASH_blake3, NULL, 0, digest[1], 32, &wrong) ==
          MERKLIZE_INVALID_ARGUMENT);
    merklize_device_free(cpu);

    OK(merklize_stream_synchronize(stream));
    merklize_device_free(device); /* buffers and streams keep it */
    OK(merklize_buffer_download(leaves, 0, back, sizeof host, stream));
    CHECK(memcmp(back, host, sizeof host) == 0);
    merklize_stream_free(stream);
    merklize_buffer_free(nodes);
    merklize_buffer_free(out);
    merklize_buffer_free(half);
    merklize_buffer_free(leaves);
}

bool test_devices(void) {
    size_t count = 0;
    OK(merklize_device_count(&count));
    for (size_t i = 0; i < count; i++) {
        merklize_device_info info = {0};
        OK(merklize_device_describe(i, &info));
        if (strcmp(info.backend, "cpu") != 0) test_device(info.id);
    }
    return count > 1;
}

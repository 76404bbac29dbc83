/* Verified streaming: recorded bytes of bao and bao-tree (tests/vectors/bao.json), and wrong input. */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"

enum { message_bytes = 100000, outboard_bytes = 6216, groups_bytes = 384 };

static const char root_hex[] = "d93c23eedaf165a7e0be908ba86f1a7a520d568d2d13cde787c8580c5c72cc54";
static const char outboard_hex[] = "c7fdbd8037ed3c8770c16848005e14cc825ac2881221b816e0b0c2a5ff1952db";
static const char post_hex[] = "0699ed26ca4369bb01f050422ee50e93f9b8c36ea484ce9bdd638df86fd5241a";

static const merklize_bao_form groups = {.group_log = 4, .without_size = 1};
static const merklize_bao_form post = {.group_log = 4, .post_order = 1, .without_size = 1};

static bool has_digest(const void *data, size_t bytes, const char *hex) {
    merklize_digest digest;
    return merklize_hash(merklize_view_bytes(data, bytes), MERKLIZE_HASH_blake3, NULL, 0, digest.bytes, 32, NULL) ==
               MERKLIZE_OK &&
           is_hex(digest.bytes, hex);
}

static void test_slices(const uint8_t *data, const uint8_t *outboard, const merklize_digest *root) {
    static uint8_t slice[message_bytes + outboard_bytes], out[message_bytes];
    size_t length = 0;
    int valid = 7;
    OK(merklize_bao_slice(data, message_bytes, outboard, outboard_bytes, NULL, 1500, 3000, NULL, 0, &length));
    CHECK(length == 4744);
    FAILS(MERKLIZE_TOO_SMALL, "4744",
          merklize_bao_slice(data, message_bytes, outboard, outboard_bytes, NULL, 1500, 3000, slice, 4743, &length));
    OK(merklize_bao_slice(data, message_bytes, outboard, outboard_bytes, NULL, 1500, 3000, slice, sizeof slice,
                          &length));
    CHECK(has_digest(slice, length, "96cc84c132bc90d5661d9c869e77c0afb7b0f3af1cc64e575e389aeb92bdb8d6"));
    size_t count = 0;
    OK(merklize_bao_decode_slice(slice, length, root, NULL, 1500, 3000, 0, out, sizeof out, &count, &valid));
    CHECK(valid == 1 && count == 3000 && memcmp(out, data + 1500, 3000) == 0);
    FAILS(MERKLIZE_TOO_SMALL, "3000",
          merklize_bao_decode_slice(slice, length, root, NULL, 1500, 3000, 0, out, 2999, &count, &valid));
    CHECK(valid == 0 && count == 3000);
    slice[4000] ^= 1;
    memset(out, 0, sizeof out);
    OK(merklize_bao_decode_slice(slice, length, root, NULL, 1500, 3000, 0, out, sizeof out, &count, &valid));
    CHECK(valid == 0 && count == 0 && out[0] == 0);
    slice[4000] ^= 1;
    OK(merklize_bao_decode_slice(slice, length - 1, root, NULL, 1500, 3000, 0, out, sizeof out, &count, &valid));
    CHECK(valid == 0);
    OK(merklize_bao_decode_slice(NULL, 0, root, NULL, 1500, 3000, 0, out, sizeof out, NULL, &valid));
    CHECK(valid == 0);
    OK(merklize_bao_slice(data, message_bytes, outboard, outboard_bytes, NULL, 0, UINT64_MAX, slice, sizeof slice,
                          &length));
    CHECK(has_digest(slice, length,
                     "6b1d8ba856d4994fd553eb979a70bca8256fa0a2157b6c581a3ff313416a11e0")); /* bao's encoding */
    OK(merklize_bao_decode_slice(slice, length, root, NULL, 0, UINT64_MAX, 0, out, sizeof out, &count, &valid));
    CHECK(valid == 1 && count == message_bytes && memcmp(out, data, count) == 0);
    FAILS(MERKLIZE_INVALID_ARGUMENT, "the outboard",
          merklize_bao_slice(data, message_bytes - 1, outboard, outboard_bytes, NULL, 0, 1, slice, sizeof slice,
                             &length));
    FAILS(MERKLIZE_INVALID_ARGUMENT, "valid is null",
          merklize_bao_decode_slice(slice, length, root, NULL, 0, 1, 0, out, 1, &count, NULL));
}

static void test_forms(const uint8_t *data) {
    static uint8_t nodes[groups_bytes], slice[message_bytes], out[16];
    merklize_digest root;
    uint64_t bytes = 0;
    size_t length = 0, count = 0;
    int valid = 0;
    OK(merklize_bao_outboard_bytes(message_bytes, &groups, &bytes));
    CHECK(bytes == groups_bytes);
    OK(merklize_bao_outboard(merklize_view_bytes(data, message_bytes), &groups,
                             merklize_output_bytes(nodes, sizeof nodes), &root, NULL));
    CHECK(has_digest(nodes, sizeof nodes, "5cd8e354c507dcd17e7d4c9fac4c1d59aadf90177cd7d98d1e681bf33221bfc1"));
    OK(merklize_bao_outboard(merklize_view_bytes(data, message_bytes), &post,
                             merklize_output_bytes(nodes, sizeof nodes), &root, NULL));
    CHECK(has_digest(nodes, sizeof nodes, post_hex) && is_hex(root.bytes, root_hex));
    OK(merklize_bao_slice(data, message_bytes, nodes, sizeof nodes, &post, 40000, 10, slice, sizeof slice, &length));
    CHECK(has_digest(slice, length, "0c9b1da400b29f53a0f0056c96ba36c09970c0d82baba900c438ebafdebe4dd0"));
    OK(merklize_bao_decode_slice(slice, length, &root, &post, 40000, 10, message_bytes, out, 10, &count, &valid));
    CHECK(valid == 1 && count == 10 && memcmp(out, data + 40000, 10) == 0);
    OK(merklize_bao_decode_slice(slice, length, &root, &post, 40000, 10, 200000, out, 10, &count, &valid));
    CHECK(valid == 0);

    merklize_bao_form wrong = {.group_log = 21};
    FAILS(MERKLIZE_INVALID_ARGUMENT, "group_log must be 0 to 20", merklize_bao_outboard_bytes(1, &wrong, &bytes));
    wrong = (merklize_bao_form){.post_order = 2};
    FAILS(MERKLIZE_INVALID_ARGUMENT, "form->post_order", merklize_bao_outboard_bytes(1, &wrong, &bytes));
    FAILS(MERKLIZE_INVALID_ARGUMENT, "out must have 384 bytes, got 383",
          merklize_bao_outboard(merklize_view_bytes(data, message_bytes), &groups, merklize_output_bytes(nodes, 383),
                                &root, NULL));
    FAILS(MERKLIZE_INVALID_ARGUMENT, "root is null",
          merklize_bao_outboard(merklize_view_bytes(data, message_bytes), &groups, merklize_output_bytes(nodes, 384),
                                NULL, NULL));
}

static void test_verification(uint8_t *data, uint8_t *outboard, const merklize_digest *root) {
    merklize_bao_fault faults[2] = {{0, 0, 7}, {0, 0, 7}};
    size_t count = 7;
    OK(merklize_bao_verify(data, message_bytes, 0, message_bytes, root, outboard, outboard_bytes, NULL, faults, 2,
                           &count, NULL));
    CHECK(count == 0 && faults[0].in_outboard == 7);
    data[5000] ^= 1, data[50000] ^= 1, data[99999] ^= 1;
    OK(merklize_bao_verify(data, message_bytes, 0, message_bytes, root, outboard, outboard_bytes, NULL, faults, 2,
                           &count, NULL));
    CHECK(count == 3 && faults[0].offset == 4096 && faults[0].bytes == 1024 && faults[0].in_outboard == 0);
    CHECK(faults[1].offset == 49152 && faults[1].bytes == 1024);
    OK(merklize_bao_verify(data + 49152, 2048, 49152, message_bytes, root, outboard, outboard_bytes, NULL, NULL, 0,
                           &count, NULL));
    CHECK(count == 1);
    FAILS(MERKLIZE_INVALID_ARGUMENT, "must begin and end with groups",
          merklize_bao_verify(data, 1000, 0, message_bytes, root, outboard, outboard_bytes, NULL, faults, 2, &count,
                              NULL));
    data[5000] ^= 1, data[50000] ^= 1, data[99999] ^= 1;
    OK(merklize_bao_verify(data, 2048, 0, message_bytes, root, outboard, outboard_bytes - 64, NULL, faults, 2, &count,
                           NULL));
    CHECK(count == 1 && faults[0].offset == 0 && faults[0].bytes == 2048 && faults[0].in_outboard == 1);
    outboard[8] ^= 1;
    OK(merklize_bao_verify(data, message_bytes, 0, message_bytes, root, outboard, outboard_bytes, NULL, faults, 2,
                           &count, NULL));
    CHECK(count == 1 && faults[0].bytes == message_bytes && faults[0].in_outboard == 1);
    outboard[8] ^= 1;
    FAILS(
        MERKLIZE_INVALID_ARGUMENT, "part has no bytes",
        merklize_bao_verify(data, 0, 0, message_bytes, root, outboard, outboard_bytes, NULL, faults, 2, &count, NULL));
    FAILS(MERKLIZE_INVALID_ARGUMENT, "count is null",
          merklize_bao_verify(data, 0, 0, message_bytes, root, outboard, outboard_bytes, NULL, faults, 2, NULL, NULL));
}

static void test_bao_files(const uint8_t *data, const uint8_t *outboard) {
    char input[128], output[128];
    snprintf(input, sizeof input, "%s", file_path("input"));
    snprintf(output, sizeof output, "%s", file_path("saved.mkl"));
    const int fd = open(input, O_RDWR | O_CREAT | O_TRUNC, 0600);
    CHECK(fd >= 0 && write(fd, data, message_bytes) == message_bytes);
    merklize_digest root;
    OK(merklize_bao_outboard_descriptor(fd, "the input", NULL, output, &root, NULL));
    CHECK(is_hex(root.bytes, root_hex));
    uint8_t *made = calloc(1, outboard_bytes + 1);
    const int other = open(output, O_RDONLY);
    CHECK(other >= 0 && read(other, made, outboard_bytes + 1) == outboard_bytes);
    CHECK(memcmp(made, outboard, outboard_bytes) == 0);
    close(other);
    free(made);
    merklize_bao_fault fault;
    size_t count = 7;
    OK(merklize_bao_verify_descriptor(fd, NULL, 0, UINT64_MAX, &root, outboard, outboard_bytes, NULL, &fault, 1, &count,
                                      NULL));
    CHECK(count == 0);
    CHECK(pwrite(fd, "?", 1, 70000) == 1);
    OK(merklize_bao_verify_descriptor(fd, NULL, 60000, UINT64_MAX, &root, outboard, outboard_bytes, NULL, &fault, 1,
                                      &count, NULL));
    CHECK(count == 1 && fault.offset == 69632 && fault.bytes == 1024 && fault.in_outboard == 0);
    OK(merklize_bao_verify_descriptor(fd, NULL, 0, 69632, &root, outboard, outboard_bytes, NULL, &fault, 1, &count,
                                      NULL));
    CHECK(count == 0);
    const uint64_t starts[] = {70000, 99999, UINT64_MAX};
    for (int i = 0; i < 3; i++) {
        OK(merklize_bao_verify_descriptor(fd, NULL, starts[i], 0, &root, outboard, outboard_bytes, NULL, &fault, 1,
                                          &count, NULL));
        CHECK(count == (i == 0));
        root.bytes[0] ^= 1;
        OK(merklize_bao_verify_descriptor(fd, NULL, starts[i], 0, &root, outboard, outboard_bytes, NULL, &fault, 1,
                                          &count, NULL));
        CHECK(count == 1 && fault.in_outboard == 1);
        root.bytes[0] ^= 1;
    }
    FAILS(MERKLIZE_INVALID_ARGUMENT, "are not all in the input",
          merklize_bao_verify_descriptor(fd, "the input", 99999, 2, &root, outboard, outboard_bytes, NULL, &fault, 1,
                                         &count, NULL));
    close(fd);
    FAILS(MERKLIZE_IO, "descriptor -1",
          merklize_bao_verify_descriptor(-1, NULL, 0, UINT64_MAX, &root, outboard, outboard_bytes, NULL, &fault, 1,
                                         &count, NULL));
    FAILS(MERKLIZE_IO, "descriptor -1", merklize_bao_outboard_descriptor(-1, NULL, NULL, output, &root, NULL));
}

void test_bao(void) {
    static uint8_t data[message_bytes], outboard[outboard_bytes];
    fill(data, sizeof data);
    uint64_t bytes = 0;
    OK(merklize_bao_outboard_bytes(sizeof data, NULL, &bytes));
    CHECK(bytes == outboard_bytes);
    merklize_digest root;
    OK(merklize_bao_outboard(merklize_view_bytes(data, sizeof data), NULL,
                             merklize_output_bytes(outboard, sizeof outboard), &root, NULL));
    CHECK(is_hex(root.bytes, root_hex) && has_digest(outboard, sizeof outboard, outboard_hex));
    test_slices(data, outboard, &root);
    test_forms(data);
    test_verification(data, outboard, &root);
    test_bao_files(data, outboard);
}

void test_bao_on_device(const merklize_device *device) {
    static uint8_t data[message_bytes], nodes[outboard_bytes];
    fill(data, sizeof data);
    merklize_buffer *message = NULL, *outboard = NULL, *small = NULL;
    OK(merklize_buffer_create(device, sizeof data, &message));
    OK(merklize_buffer_create(device, sizeof nodes, &outboard));
    OK(merklize_buffer_upload(message, 0, data, sizeof data, NULL));
    merklize_digest root;
    OK(merklize_bao_outboard(merklize_view_buffer(message), NULL, merklize_output_buffer(outboard), &root, NULL));
    OK(merklize_buffer_download(outboard, 0, nodes, sizeof nodes, NULL));
    CHECK(is_hex(root.bytes, root_hex) && has_digest(nodes, sizeof nodes, outboard_hex));
    OK(merklize_buffer_slice(outboard, 32, groups_bytes, &small));
    OK(merklize_bao_outboard(merklize_view_buffer(message), &post, merklize_output_buffer(small), &root, NULL));
    OK(merklize_buffer_download(small, 0, nodes, groups_bytes, NULL));
    CHECK(has_digest(nodes, groups_bytes, post_hex));
    FAILS(MERKLIZE_INVALID_ARGUMENT, "out must have 6216 bytes, got 384",
          merklize_bao_outboard(merklize_view_buffer(message), NULL, merklize_output_buffer(small), &root, NULL));
    merklize_buffer_free(small);
    merklize_buffer_free(outboard);
    merklize_buffer_free(message);
}

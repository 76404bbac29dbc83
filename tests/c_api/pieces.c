/* Digests with the values of pieces: of memory, of ranges of a file, and of parts that are hashed apart. */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <unistd.h>

#include "check.h"

enum { message_bytes = 1000000, piece_bytes = 1 << 18, n_pieces = 4 };

static void test_messages(uint8_t *data) {
    const merklize_view view = merklize_view_bytes(data, message_bytes);
    merklize_digest digest, whole, pieces[n_pieces], others[n_pieces];
    size_t count = 7;
    OK(merklize_hash(view, MERKLIZE_HASH_blake3, NULL, 0, whole.bytes, 32, NULL));
    OK(merklize_hash_pieces(view, piece_bytes, &digest, pieces, n_pieces, &count, NULL));
    CHECK(count == n_pieces && equal(&digest, &whole));
    data[600000] ^= 1;
    OK(merklize_hash_pieces(view, piece_bytes, &digest, others, n_pieces, NULL, NULL));
    CHECK(!equal(&digest, &whole) && equal(&pieces[0], &others[0]) && equal(&pieces[1], &others[1]));
    CHECK(!equal(&pieces[2], &others[2]) && equal(&pieces[3], &others[3]));
    data[600000] ^= 1;
    OK(merklize_hash_pieces(view, 0, &digest, NULL, 0, &count, NULL));
    CHECK(count == 0);
    FAILS(MERKLIZE_TOO_SMALL, "room for 4 digests, got 3",
          merklize_hash_pieces(view, piece_bytes, &digest, pieces, 3, &count, NULL));
    FAILS(MERKLIZE_INVALID_ARGUMENT, "merklize_hash_pieces: piece_size must be",
          merklize_hash_pieces(view, 1 << 17, &digest, pieces, n_pieces, &count, NULL));
}

static void test_parts(const uint8_t *data) {
    static const uint8_t key[32] = {7};
    const merklize_mode keyed = {.key = key, .key_bytes = sizeof key}, *modes[] = {NULL, &keyed};
    for (int i = 0; i < 2; i++) {
        merklize_digest pieces[n_pieces], halves[2];
        uint8_t out[99], expected[99];
        size_t count = 0;
        for (int k = 0; k < 2; k++) {
            const size_t begin = (size_t)k * 2 * piece_bytes, end = k == 0 ? 2 * piece_bytes : message_bytes;
            OK(merklize_piece_values(data + begin, end - begin, begin, piece_bytes, modes[i], pieces + 2 * k, 2, &count,
                                     NULL));
            CHECK(count == 2);
            OK(merklize_value_of_pieces(pieces + 2 * k, 2, modes[i], &halves[k]));
        }
        OK(merklize_hash(merklize_view_bytes(data, message_bytes), MERKLIZE_HASH_blake3, modes[i], 7, expected,
                         sizeof expected, NULL));
        OK(merklize_digest_of_pieces(pieces, n_pieces, modes[i], 7, out, sizeof out));
        CHECK(memcmp(out, expected, sizeof out) == 0);
        memset(out, 0, sizeof out);
        OK(merklize_digest_of_pieces(halves, 2, modes[i], 7, out, sizeof out));
        CHECK(memcmp(out, expected, sizeof out) == 0);
    }
    merklize_digest pieces[n_pieces];
    size_t count = 0;
    OK(merklize_piece_values(data, message_bytes, 0, piece_bytes, NULL, NULL, 0, &count, NULL));
    CHECK(count == n_pieces);
    FAILS(MERKLIZE_TOO_SMALL, "room for 4 digests, got 1",
          merklize_piece_values(data, message_bytes, 0, piece_bytes, NULL, pieces, 1, &count, NULL));
    FAILS(MERKLIZE_INVALID_ARGUMENT,
          "merklize_digest_of_pieces: seek must be at most 18446744073709551584 for 32 bytes of output",
          merklize_digest_of_pieces(pieces, 2, NULL, UINT64_MAX, pieces[2].bytes, 32));
}

static void test_ranges(const uint8_t *data) {
    const int fd = open(file_path("ranges"), O_CREAT | O_RDWR, 0600);
    CHECK(fd >= 0 && write(fd, data, message_bytes) == message_bytes);
    const merklize_file_range ranges[] = {{100, 2 * piece_bytes + 7}, {5, 0}, {0, message_bytes}, {9, piece_bytes}};
    merklize_digest digests[4], pieces[3 + n_pieces];
    size_t count = 0, at = 0;
    OK(merklize_hash_file_ranges(fd, NULL, ranges, 4, piece_bytes, digests, pieces, 3 + n_pieces, &count, NULL));
    CHECK(count == 3 + n_pieces);
    for (int i = 0; i < 4; i++) {
        merklize_digest digest, values[n_pieces];
        size_t n = 0;
        OK(merklize_hash_pieces(merklize_view_bytes(data + ranges[i].offset, ranges[i].bytes), piece_bytes, &digest,
                                values, n_pieces, &n, NULL));
        CHECK(equal(&digest, &digests[i]) && n == (i == 0 ? 3 : i == 2 ? n_pieces : 0));
        CHECK(memcmp(values, pieces + at, n * sizeof *values) == 0);
        at += n;
    }
    OK(merklize_hash_file_ranges(fd, NULL, NULL, 0, 0, NULL, NULL, 0, &count, NULL));
    CHECK(count == 0);
    const merklize_file_range beyond = {message_bytes - 1, 2};
    FAILS(MERKLIZE_IO, "the input",
          merklize_hash_file_ranges(fd, "the input", &beyond, 1, 0, digests, NULL, 0, NULL, NULL));
    FAILS(MERKLIZE_TOO_SMALL, "room for 7 digests, got 6",
          merklize_hash_file_ranges(fd, NULL, ranges, 4, piece_bytes, digests, pieces, 6, &count, NULL));
    FAILS(MERKLIZE_INVALID_ARGUMENT, "merklize_hash_file_ranges: piece_size must be",
          merklize_hash_file_ranges(fd, NULL, ranges, 4, 1 << 17, digests, pieces, 7, &count, NULL));
    FAILS(MERKLIZE_INVALID_ARGUMENT, "ranges is null",
          merklize_hash_file_ranges(fd, NULL, NULL, 1, 0, digests, NULL, 0, NULL, NULL));
    close(fd);
    CHECK(unlink(file_path("ranges")) == 0);
    FAILS(MERKLIZE_IO, "descriptor -1",
          merklize_hash_file_ranges(-1, NULL, ranges, 4, 0, digests, NULL, 0, NULL, NULL));
}

void test_pieces(void) {
    static uint8_t data[message_bytes];
    fill(data, sizeof data);
    test_messages(data);
    test_parts(data);
    test_ranges(data);
}

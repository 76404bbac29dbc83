/* check.h: helpers of the tests of the C API. The tests are C11, which proves that the header is. */
#ifndef MERKLIZE_TESTS_C_API_CHECK_H
#define MERKLIZE_TESTS_C_API_CHECK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <merklize/merklize.h>

extern int failures;

#define CHECK(condition)                                           \
    do {                                                           \
        if (!(condition)) {                                        \
            printf("%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            failures++;                                            \
        }                                                          \
    } while (0)

/* A call that must succeed. */
#define OK(call)                                                                                 \
    do {                                                                                         \
        const merklize_status got_ = (call);                                                     \
        if (got_ != MERKLIZE_OK) {                                                               \
            printf("%s:%d: %s: %s: %s\n", __FILE__, __LINE__, #call, merklize_status_name(got_), \
                   merklize_last_error());                                                       \
            failures++;                                                                          \
        }                                                                                        \
    } while (0)

/* A call that must fail with this status and a text that contains these words. */
#define FAILS(status, words, call)                                                                         \
    do {                                                                                                   \
        const merklize_status got_ = (call);                                                               \
        if (got_ != (status) || strstr(merklize_last_error(), (words)) == NULL) {                          \
            printf("%s:%d: %s: got %d \"%s\", expected %d \"%s\"\n", __FILE__, __LINE__, #call, (int)got_, \
                   got_ == MERKLIZE_OK ? "" : merklize_last_error(), (int)(status), (words));              \
            failures++;                                                                                    \
        }                                                                                                  \
    } while (0)

/* Whether the bytes, as hexadecimal digits, are this text. */
bool is_hex(const void *bytes, const char *hex);
/* Bytes i mod 251, as in BLAKE3's test vectors. */
void fill(uint8_t *bytes, size_t count);
/* Digests that all differ. Their words are below the modulus of every field hash. */
void fill_leaves(merklize_digest *leaves, size_t count);
bool equal(const merklize_digest *left, const merklize_digest *right);
/* The path of a file in the folder of this run. The text is valid until the next call. */
const char *file_path(const char *name);

void test_versions(void);
void test_digests(void);
void test_hasher(void);
void test_rows(void);
void test_trees(void);
void test_manifests(void);
void test_matrices(void);
void test_extend(void);
void test_merges_of_four(void);
void test_poseidon(void);
void test_proofs(void);
void test_files(void);
void test_bao(void);
void test_bao_on_device(const merklize_device *device);
void test_pieces(void);
void test_forests(void);
void test_formats(void);
void test_errors(void);
void test_threads(void);
void test_names(void);
void test_overlaps(void);
void test_extremes(void);
void test_extremes_on_device(const merklize_device *device);
/* Whether there are any. */
bool test_devices(void);

#endif

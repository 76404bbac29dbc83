/* The tests of the C API: all but those of devices, or, with the argument "devices", these alone. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <unistd.h>

#include "check.h"

int failures = 0;

static char folder[] = "/tmp/merklize-c-api-XXXXXX";

bool is_hex(const void *bytes, const char *hex) {
    const uint8_t *byte = bytes;
    for (; *hex != '\0'; hex += 2, byte++) {
        unsigned value = 0;
        if (sscanf(hex, "%2x", &value) != 1 || *byte != value) return false;
    }
    return true;
}

void fill(uint8_t *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) bytes[i] = (uint8_t)(i % 251);
}

void fill_leaves(merklize_digest *leaves, size_t count) {
    memset(leaves, 0, count * sizeof *leaves);
    for (size_t i = 0; i < count; i++) {
        for (int word = 0; word < 8; word++) {
            const size_t value = i * 8 + (size_t)word + 1;
            memcpy(leaves[i].bytes + 4 * word, &(uint32_t){(uint32_t)value & 0x3fffffff}, 4);
        }
    }
}

bool equal(const merklize_digest *left, const merklize_digest *right) {
    return memcmp(left->bytes, right->bytes, sizeof left->bytes) == 0;
}

const char *file_path(const char *name) {
    static char path[sizeof folder + 64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

int main(int argc, char **argv) {
    if (mkdtemp(folder) == NULL) return 2;
    if (argc > 1 && strcmp(argv[1], "devices") == 0) {
        const char *required = getenv("MERKLIZE_REQUIRE_RUNTIMES");
        if (!test_devices()) {
            printf("no device but the CPU\n");
            if (failures == 0) failures = required != NULL && *required != '\0' ? 1 : -1;
        }
    } else {
        test_versions();
        test_digests();
        test_hasher();
        test_rows();
        test_trees();
        test_matrices();
        test_extend();
        test_merges_of_four();
        test_poseidon();
        test_proofs();
        test_files();
        test_manifests();
        test_bao();
        test_pieces();
        test_forests();
        test_formats();
        test_errors();
        test_names();
        test_overlaps();
        test_extremes();
        test_threads();
    }
    static const char *const names[] = {"input", "m.safetensors", "tree.mkl", "saved.mkl", "damaged.mkl", "hashes"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) unlink(file_path(names[i]));
    if (rmdir(folder) != 0) {
        printf("%s: files are left\n", folder);
        failures++;
    }
    if (failures < 0) return 77; /* skipped */
    if (failures != 0) printf("%d failures\n", failures);
    return failures == 0 ? 0 : 1;
}

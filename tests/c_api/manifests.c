/* Manifests of weights. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <unistd.h>

#include "check.h"

/* A safetensors file of one tensor of 8 bytes, the last of which is `last`. */
static void write_weights(const char *path, uint8_t last) {
    static const char header[] = "{\"t\":{\"dtype\":\"U8\",\"shape\":[8],\"data_offsets\":[0,8]}}";
    const uint8_t length[8] = {sizeof header - 1}, data[8] = {1, 2, 3, 4, 5, 6, 7, last};
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL && fwrite(length, 1, 8, file) == 8 &&
          fwrite(header, 1, sizeof header - 1, file) == sizeof header - 1 && fwrite(data, 1, 8, file) == 8 &&
          fclose(file) == 0);
}

void test_manifests(void) {
    char path[256];
    snprintf(path, sizeof path, "%s", file_path("m.safetensors"));
    write_weights(path, 8);
    merklize_manifest *made = NULL, *again = NULL;
    OK(merklize_manifest_create(path, NULL, NULL, &made));

    /* The text has the whole manifest: reading it back gives the same one. */
    size_t length = 0;
    OK(merklize_manifest_to_json(made, 1, NULL, 0, &length));
    char *text = malloc(length + 1);
    CHECK(text != NULL);
    FAILS(MERKLIZE_TOO_SMALL, "bytes", merklize_manifest_to_json(made, 1, text, length, NULL));
    OK(merklize_manifest_to_json(made, 1, text, length + 1, NULL));
    CHECK(strlen(text) == length);
    merklize_digest digest, root, other;
    OK(merklize_hash(merklize_view_bytes("\1\2\3\4\5\6\7\10", 8), MERKLIZE_HASH_blake3, NULL, 0, digest.bytes, 32,
                     NULL));
    OK(merklize_manifest_root(made, &root));
    for (unsigned i = 0; i < 2; i++) {
        char hex[65];
        for (unsigned k = 0; k < 32; k++) snprintf(hex + 2 * k, 3, "%02x", i == 0 ? digest.bytes[k] : root.bytes[k]);
        CHECK(strstr(text, hex) != NULL);
    }
    OK(merklize_manifest_parse(text, length, &again));
    OK(merklize_manifest_root(again, &other));
    CHECK(equal(&root, &other));
    merklize_manifest_free(again);
    FAILS(MERKLIZE_INVALID_ARGUMENT, "not a valid manifest", merklize_manifest_parse(text, length - 3, &again));
    CHECK(again == NULL);
    FAILS(MERKLIZE_IO, "none.json", merklize_manifest_load(file_path("none.json"), &again));

    /* What changed is named. */
    merklize_differences *found = NULL;
    OK(merklize_manifest_check(made, path, NULL, NULL, &found));
    CHECK(merklize_differences_count(found) == 0);
    merklize_differences_free(found);
    write_weights(path, 9);
    OK(merklize_manifest_check(made, path, NULL, NULL, &found));
    CHECK(merklize_differences_count(found) == 1);
    merklize_difference one = {0};
    OK(merklize_differences_get(found, 0, &one));
    CHECK(strcmp(one.kind, "bytes") == 0 && strcmp(one.what, "tensor") == 0 && strcmp(one.name, "t") == 0);
    CHECK(strcmp(one.shard, "m.safetensors") == 0 && one.begin == 0 && one.end == 8);
    CHECK(strstr(one.sentence, "tensor 't' in m.safetensors: bytes 0 to 8 differ") != NULL);
    FAILS(MERKLIZE_INVALID_ARGUMENT, "index must be below the number of differences, 1, got 1",
          merklize_differences_get(found, 1, &one));
    merklize_differences_free(found);

    OK(merklize_manifest_refresh(made, path, NULL, NULL, &again));
    OK(merklize_manifest_diff(made, again, &found));
    CHECK(merklize_differences_count(found) == 1);
    merklize_differences_free(found);
    OK(merklize_manifest_check(again, path, NULL, NULL, &found));
    CHECK(merklize_differences_count(found) == 0);
    merklize_differences_free(found);
    merklize_manifest_free(again);

    const char *const patterns[] = {"none.*"};
    const merklize_manifest_options only = {.patterns = patterns, .pattern_count = 1};
    FAILS(MERKLIZE_INVALID_ARGUMENT, "nothing in the manifest is named 'none.*'",
          merklize_manifest_check(made, path, &only, NULL, &found));
    FAILS(MERKLIZE_INVALID_ARGUMENT, "patterns must be none",
          merklize_manifest_refresh(made, path, &only, NULL, &again));
    /* By tiles, with the digest of the reference in docs/tiles-format.md. */
    const merklize_manifest_options by_tiles = {.tiles = 1};
    OK(merklize_manifest_create(path, &by_tiles, NULL, &again));
    char tiles[2048];
    OK(merklize_manifest_to_json(again, 0, tiles, sizeof tiles, NULL));
    CHECK(strstr(tiles, "\"digest\": \"tiles-v1\"") != NULL);
    CHECK(strstr(tiles, "419170bd7212149d394f9f0a042bae3ec95aa281f3330618810340889f884cd9") != NULL);
    OK(merklize_manifest_check(again, path, NULL, NULL, &found));
    CHECK(merklize_differences_count(found) == 0);
    merklize_differences_free(found);
    FAILS(MERKLIZE_INVALID_ARGUMENT, "digests", merklize_manifest_diff(made, again, &found));
    merklize_manifest_free(again);
    const merklize_manifest_options pieces = {.piece_size = 1000};
    FAILS(MERKLIZE_INVALID_ARGUMENT, "power of two", merklize_manifest_create(path, &pieces, NULL, &again));
    FAILS(MERKLIZE_INVALID_ARGUMENT, "path is null", merklize_manifest_create(NULL, NULL, NULL, &again));
    merklize_manifest_free(made);
    free(text);

    /* A shard that an index names, but that is not there: of a folder, when the manifest is made and when it is
     * checked. */
    char folder[256], index[300];
    snprintf(folder, sizeof folder, "%s", path);
    *strrchr(folder, '/') = '\0';
    snprintf(index, sizeof index, "%s/model.safetensors.index.json", folder);
    FILE *const file = fopen(index, "wb");
    CHECK(file != NULL && fputs("{\"weight_map\":{\"t\":\"m.safetensors\",\"u\":\"lost.safetensors\"}}", file) > 0 &&
          fclose(file) == 0);
    const char *name = NULL;
    OK(merklize_manifest_create(folder, NULL, NULL, &made));
    CHECK(merklize_manifest_missing_count(made) == 1 && merklize_manifest_missing_count(NULL) == 0);
    OK(merklize_manifest_missing_get(made, 0, &name));
    CHECK(strcmp(name, "lost.safetensors") == 0);
    FAILS(MERKLIZE_INVALID_ARGUMENT,
          "merklize_manifest_missing_get: index must be below the number of missing files, 1",
          merklize_manifest_missing_get(made, 1, &name));
    FAILS(MERKLIZE_INVALID_ARGUMENT, "manifest is null", merklize_manifest_missing_get(NULL, 0, &name));
    OK(merklize_manifest_check(made, folder, NULL, NULL, &found));
    CHECK(merklize_differences_count(found) == 0 && merklize_differences_missing_count(found) == 1);
    OK(merklize_differences_missing_get(found, 0, &name));
    CHECK(strcmp(name, "lost.safetensors") == 0);
    FAILS(MERKLIZE_INVALID_ARGUMENT, "index must be below", merklize_differences_missing_get(found, 1, &name));
    merklize_differences_free(found);
    CHECK(merklize_differences_missing_count(NULL) == 0);
    merklize_manifest_free(made);
    unlink(index);
}

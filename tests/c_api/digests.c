/* Digests against published vectors: BLAKE3's test_vectors.json, RFC 6962's reference implementation, winter-crypto,
 * p3-koala-bear (tests/vectors); FIPS 180-4, Ethereum. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"

static const char key_text[] = "whats the Elvish word for friend";
static const char context_text[] = "BLAKE3 2019-12-27 16:29:52 test vectors context";

static merklize_mode keyed(void) { return (merklize_mode){.key = (const uint8_t *)key_text, .key_bytes = 32}; }

static merklize_mode deriving(void) {
    return (merklize_mode){.context = context_text, .context_bytes = sizeof context_text - 1};
}

void test_versions(void) {
    CHECK(strcmp(merklize_version(), MERKLIZE_VERSION_STRING) == 0);
    char numbers[32];
    const unsigned number = MERKLIZE_VERSION_NUMBER;
    snprintf(numbers, sizeof numbers, "%u.%u.%u", number / 1000000, number / 1000 % 1000, number % 1000);
    CHECK(strcmp(numbers, MERKLIZE_VERSION_STRING) == 0);
#if MERKLIZE_VERSION_NUMBER < 1000
#error "MERKLIZE_VERSION_NUMBER is for #if, too"
#endif
    CHECK(merklize_abi_version() == MERKLIZE_ABI_VERSION);
    OK(merklize_check_abi(MERKLIZE_ABI_VERSION));
    FAILS(MERKLIZE_INVALID_ARGUMENT, "for ABI 7777, but the library (version " MERKLIZE_VERSION_STRING ") has ABI 0",
          merklize_check_abi(7777));

    int seen = 0;
    for (size_t i = 0; i < merklize_hash_count(); i++) {
        merklize_hash_info info = {0};
        merklize_hash_id hash = 0xffffffff;
        OK(merklize_hash_describe(i, &info));
        OK(merklize_hash_from_name(info.name, &hash));
        CHECK(hash == info.hash);
        merklize_hash_info same = {0};
        char name[sizeof info.name];
        OK(merklize_hash_get_info(hash, &same));
        CHECK(same.hash == info.hash && same.is_field == info.is_field && strcmp(same.name, info.name) == 0);
        CHECK(same.element_bytes == info.element_bytes && same.modulus == info.modulus);
        OK(merklize_hash_name(hash, name, sizeof name, NULL));
        CHECK(strcmp(name, info.name) == 0);
        CHECK(info.element_bytes == 1 || info.is_field == 1);
        if (hash == MERKLIZE_HASH_rp64_256) {
            seen++;
            CHECK(info.is_field == 1 && info.element_bytes == 8 && info.modulus == UINT64_C(0xffffffff00000001));
        }
        if (hash == MERKLIZE_HASH_poseidon2_koalabear_16) {
            seen++;
            CHECK(info.is_field == 1 && info.element_bytes == 4 && info.modulus == 0x7f000001);
        }
        if (hash == MERKLIZE_HASH_sha256_rfc6962) {
            seen++;
            CHECK(info.is_field == 0 && info.element_bytes == 1 && info.modulus == 0);
        }
    }
    CHECK(seen == 3);

    merklize_policy policy = {0};
    char text[64];
    size_t length = 0;
    OK(merklize_policy_from_text("lanes=4, constants=local", &policy));
    CHECK(policy.lanes == 4 && policy.constants == 4 && policy.group_size == 0);
    OK(merklize_policy_to_text(&policy, text, sizeof text, &length));
    CHECK(strcmp(text, "lanes=4,constants=local") == 0 && length == strlen(text));
    OK(merklize_policy_to_text(&policy, NULL, 0, &length));
    CHECK(length == strlen(text));
    FAILS(MERKLIZE_TOO_SMALL, "room for 24 bytes, its zero byte included, got 23",
          merklize_policy_to_text(&policy, text, 23, &length));
    CHECK(length == 23);
    OK(merklize_policy_to_text(&policy, text, 24, NULL));
    policy.lanes = 3;
    FAILS(MERKLIZE_INVALID_ARGUMENT, "lanes", merklize_policy_to_text(&policy, text, sizeof text, &length));
}

void test_digests(void) {
    static uint8_t data[31744];
    fill(data, sizeof data);
    uint8_t out[131];
    const merklize_mode key = keyed(), derive = deriving();
    OK(merklize_hash(merklize_view_bytes(NULL, 0), MERKLIZE_HASH_blake3, NULL, 0, out, 32, NULL));
    CHECK(is_hex(out, "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"));
    OK(merklize_hash(merklize_view_bytes(data, 31744), MERKLIZE_HASH_blake3, NULL, 0, out, 80, NULL));
    CHECK(is_hex(
        out,
        "62b6960e1a44bcc1eb1a611a8d6235b6b4b78f32e7abc4fb4c6cdcce94895c47860cc51f2b0c28a7b77304bd55fe73af663c02d3f52"
        "ea053ba43431ca5bab7bfea2f5e9d7121770d88f70ae9649ea713"));
    OK(merklize_hash(merklize_view_bytes(data, 31744), MERKLIZE_HASH_blake3, NULL, 50, out, 30, NULL));
    CHECK(is_hex(out, "02d3f52ea053ba43431ca5bab7bfea2f5e9d7121770d88f70ae9649ea713"));
    OK(merklize_hash(merklize_view_bytes(data, 1025), MERKLIZE_HASH_blake3, &key, 0, out, 32, NULL));
    CHECK(is_hex(out, "357dc55de0c7e382c900fd6e320acc04146be01db6a8ce7210b7189bd664ea69"));
    OK(merklize_hash(merklize_view_bytes(data, 1025), MERKLIZE_HASH_blake3, &derive, 0, out, 32, NULL));
    CHECK(is_hex(out, "effaa245f065fbf82ac186839a249707c3bddf6d3fdda22d1b95a3c970379bcb"));
    const merklize_mode plain = {0};
    OK(merklize_hash(merklize_view_bytes(data, 1025), MERKLIZE_HASH_blake3, &plain, 0, out, 32, NULL));
    CHECK(is_hex(out, "d00278ae47eb27b34faecf67b4fe263f82d5412916c1ffd97c8cb7fb814b8444"));

    /* One thread, and timings, which the CPU does not have. */
    merklize_timings timings = {.available = 7};
    const merklize_run_options options = {.threads = 1, .timings = &timings};
    OK(merklize_hash(merklize_view_bytes(data, 31744), MERKLIZE_HASH_blake3, &key, 0, out, 32, &options));
    CHECK(is_hex(out, "efa53b389ab67c593dba624d898d0f7353ab99e4ac9d42302ee64cbf9939a419"));
    CHECK(timings.available == 0 || timings.kernel > 0);

    /* Equal messages. */
    merklize_digest digests[3], expected;
    OK(merklize_hash_leaves(merklize_view_bytes(data, 3075), 1025, MERKLIZE_HASH_blake3, NULL,
                            merklize_output_digests(digests, 3), NULL));
    CHECK(is_hex(digests[0].bytes, "d00278ae47eb27b34faecf67b4fe263f82d5412916c1ffd97c8cb7fb814b8444"));
    OK(merklize_hash(merklize_view_bytes(data + 2050, 1025), MERKLIZE_HASH_blake3, NULL, 0, expected.bytes, 32, NULL));
    CHECK(equal(&digests[2], &expected));
    OK(merklize_hash_leaves(merklize_view_bytes(NULL, 0), 0, MERKLIZE_HASH_blake3, NULL,
                            merklize_output_digests(digests, 2), NULL));
    CHECK(is_hex(digests[1].bytes, "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"));
    OK(merklize_hash_leaves(merklize_view_bytes(NULL, 0), 100, MERKLIZE_HASH_blake3, NULL,
                            merklize_output_digests(NULL, 0), NULL));

    /* Messages of any lengths. */
    const merklize_view messages[] = {
        {.data = data, .bytes = 1025}, {0}, {.data = data + 2050, .bytes = 1025}, {.data = data, .bytes = 1}};
    uint8_t each[4 * 40];
    OK(merklize_hash_each(messages, 4, MERKLIZE_HASH_blake3, NULL, 0, each, 32, NULL));
    CHECK(is_hex(each, "d00278ae47eb27b34faecf67b4fe263f82d5412916c1ffd97c8cb7fb814b8444"));
    CHECK(is_hex(each + 32, "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"));
    CHECK(memcmp(each + 64, expected.bytes, 32) == 0);
    OK(merklize_hash_each(messages, 4, MERKLIZE_HASH_blake3, &derive, 3, each, 40, NULL));
    OK(merklize_hash(merklize_view_bytes(data, 1), MERKLIZE_HASH_blake3, &derive, 3, out, 40, NULL));
    CHECK(memcmp(each + 120, out, 40) == 0);
    OK(merklize_hash_each(NULL, 0, MERKLIZE_HASH_blake3, NULL, 0, NULL, 32, NULL));
    FAILS(MERKLIZE_INVALID_ARGUMENT, "messages is null",
          merklize_hash_each(NULL, 1, MERKLIZE_HASH_blake3, NULL, 0, each, 32, NULL));
    FAILS(MERKLIZE_INVALID_ARGUMENT, "fit in no memory",
          merklize_hash_each(messages, 4, MERKLIZE_HASH_blake3, NULL, 0, each, SIZE_MAX / 2, NULL));

    /* Files and descriptors. */
    FILE *file = fopen(file_path("input"), "wb");
    CHECK(file != NULL && fwrite(data, 1, sizeof data, file) == sizeof data && fclose(file) == 0);
    OK(merklize_hash_file(file_path("input"), MERKLIZE_HASH_blake3, NULL, 0, out, 32, NULL));
    CHECK(is_hex(out, "62b6960e1a44bcc1eb1a611a8d6235b6b4b78f32e7abc4fb4c6cdcce94895c47"));
    const int descriptor = open(file_path("input"), O_RDONLY);
    OK(merklize_hash_descriptor(descriptor, NULL, MERKLIZE_HASH_blake3, &derive, 0, out, 32, NULL));
    CHECK(is_hex(out, "39772aef80e0ebe60596361e45b061e8f417429d529171b6764468c22928e28e"));
    close(descriptor);

    /* Messages by other hashes: FIPS 180-4's "abc", Ethereum's digest of nothing. */
    merklize_digest message;
    OK(merklize_hash(merklize_view_bytes("abc", 3), MERKLIZE_HASH_sha256, NULL, 0, message.bytes, 32, NULL));
    CHECK(is_hex(message.bytes, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
    OK(merklize_hash(merklize_view_bytes(NULL, 0), MERKLIZE_HASH_keccak256, NULL, 0, message.bytes, 32, NULL));
    CHECK(is_hex(message.bytes, "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"));
    OK(merklize_hash_file(file_path("input"), MERKLIZE_HASH_blake3, NULL, 0, message.bytes, 32, NULL));
    CHECK(is_hex(message.bytes, "62b6960e1a44bcc1eb1a611a8d6235b6b4b78f32e7abc4fb4c6cdcce94895c47"));
    FAILS(MERKLIZE_INVALID_ARGUMENT, "got 32 from 1 on",
          merklize_hash_file(file_path("input"), MERKLIZE_HASH_sha256, NULL, 1, out, 32, NULL));
    /* BLAKE2s: RFC 7693's "abc"; a short digest, and a short key, by hashlib. */
    OK(merklize_hash(merklize_view_bytes("abc", 3), MERKLIZE_HASH_blake2s, NULL, 0, message.bytes, 32, NULL));
    CHECK(is_hex(message.bytes, "508c5e8c327c14e2e1a72ba34eeb452f37458b209ed63a294d999b4c86675982"));
    const merklize_mode secret = {.key = (const uint8_t *)"key", .key_bytes = 3};
    memset(message.bytes, 0, 32);
    OK(merklize_hash(merklize_view_bytes("abc", 3), MERKLIZE_HASH_blake2s, &secret, 0, message.bytes, 16, NULL));
    CHECK(is_hex(message.bytes, "94fdf6f35b9999920dcdcaee361ad43500000000000000000000000000000000"));
    merklize_digest pair[2] = {{{0}}, {{0}}}, above;
    OK(merklize_merge(merklize_view_digests(pair, 1), merklize_view_digests(pair + 1, 1), MERKLIZE_HASH_blake2s,
                      &secret, merklize_output_digests(&above, 1), NULL));
    CHECK(is_hex(above.bytes, "01e4342e8dd8cd1b99a3a9892c051b88110ef0c0509ca32ac3d0c8a0685d06b2"));
    OK(merklize_hash(merklize_view_bytes("abc", 3), MERKLIZE_HASH_sha3_256, NULL, 0, message.bytes, 32, NULL));
    CHECK(is_hex(message.bytes, "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532"));
    OK(merklize_hash(merklize_view_bytes("abc", 3), MERKLIZE_HASH_sha256, &plain, 0, out, 32, NULL));
    OK(merklize_hash_each(&(merklize_view){.data = "abc", .bytes = 3}, 1, MERKLIZE_HASH_sha256, NULL, 0, each, 32,
                          NULL));
    CHECK(memcmp(each, out, 32) == 0);

    /* Many files. One of them is missing. */
    char there[256];
    snprintf(there, sizeof there, "%s", file_path("input"));
    const char *const paths[] = {there, "/nowhere/file", there};
    merklize_file_digests *files = NULL;
    merklize_file_digest one;
    for (int i = 0; i < 2; i++) {
        OK(i == 0 ? merklize_hash_files(paths, 3, MERKLIZE_HASH_blake3, &derive, 0, 40, NULL, &files)
                  : merklize_hash_files(paths, 3, MERKLIZE_HASH_sha256, NULL, 0, 32, NULL, &files));
        OK(merklize_file_digests_get(files, 2, &one));
        CHECK(one.error == NULL && one.system_error == 0);
        if (i == 0) {
            CHECK(is_hex(one.output, "39772aef80e0ebe60596361e45b061e8f417429d529171b6764468c22928e28e"));
        } else {
            OK(merklize_hash_file(there, MERKLIZE_HASH_sha256, NULL, 0, out, 32, NULL));
            CHECK(memcmp(one.output, out, 32) == 0);
        }
        OK(merklize_file_digests_get(files, 1, &one));
        CHECK(one.output == NULL && one.system_error == ENOENT && strstr(one.error, "/nowhere/file") != NULL);
        FAILS(MERKLIZE_INVALID_ARGUMENT, "index must be below the number of files, 3, got 3",
              merklize_file_digests_get(files, 3, &one));
        merklize_file_digests_free(files);
    }
    FAILS(MERKLIZE_OUT_OF_MEMORY, "merklize_hash_files: outputs of 18446744073709551615 bytes for 1 files do not fit",
          merklize_hash_files(&(const char *){"/dev/null"}, 1, MERKLIZE_HASH_blake3, NULL, 0, SIZE_MAX, NULL, &files));
    FAILS(MERKLIZE_INVALID_ARGUMENT, "paths[0] is null",
          merklize_hash_files(&(const char *){NULL}, 1, MERKLIZE_HASH_blake3, NULL, 0, 32, NULL, &files));
}

void test_hasher(void) {
    static uint8_t data[31744];
    fill(data, sizeof data);
    uint8_t out[64];
    merklize_hasher *hasher = NULL, *copy = NULL;
    const merklize_mode key = keyed();
    OK(merklize_hasher_create(MERKLIZE_HASH_blake3, &key, NULL, &hasher));
    for (size_t done = 0; done < sizeof data; done += 31) {
        OK(merklize_hasher_update(hasher, data + done, done + 31 < sizeof data ? 31 : sizeof data - done));
        if (done == 31 * 40) OK(merklize_hasher_copy(hasher, &copy));
    }
    OK(merklize_hasher_output(hasher, 0, out, 32));
    CHECK(is_hex(out, "efa53b389ab67c593dba624d898d0f7353ab99e4ac9d42302ee64cbf9939a419"));
    CHECK(merklize_hasher_count(hasher) == sizeof data);
    OK(merklize_hasher_reset(hasher));
    OK(merklize_hasher_output(hasher, 0, out, 32));
    CHECK(is_hex(out, "92b2b75604ed3c761f9d6f62392c8a9227ad0ea3f09573e783f1498a4ed60d26"));
    merklize_hasher_free(hasher);
    /* The copy is independent of the original. */
    CHECK(merklize_hasher_count(copy) == 31 * 41);
    OK(merklize_hasher_update(copy, data + 31 * 41, sizeof data - 31 * 41));
    OK(merklize_hasher_output(copy, 0, out, 32));
    CHECK(is_hex(out, "efa53b389ab67c593dba624d898d0f7353ab99e4ac9d42302ee64cbf9939a419"));
    merklize_hasher_free(copy);
    OK(merklize_hasher_create(MERKLIZE_HASH_sha256, NULL, NULL, &hasher));
    OK(merklize_hasher_update(hasher, "a", 1));
    OK(merklize_hasher_update(hasher, "bc", 2));
    OK(merklize_hasher_output(hasher, 0, out, 32));
    CHECK(is_hex(out, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
    FAILS(MERKLIZE_INVALID_ARGUMENT, "32", merklize_hasher_output(hasher, 0, out, 33));
    merklize_hasher_free(hasher);
    merklize_hasher_free(NULL);
    CHECK(merklize_hasher_count(NULL) == 0);
}

void test_rows(void) {
    merklize_digest out[2];
    OK(merklize_hash_leaves(merklize_view_bytes("\x50\x51\x52\x53\x54\x55\x56\x57", 8), 8, MERKLIZE_HASH_sha256_rfc6962,
                            NULL, merklize_output_digests(out, 1), NULL));
    CHECK(is_hex(out[0].bytes, "b08693ec2e721597130641e8211e7eedccb4c26413963eee6c1e2ed16ffb1a5f"));
    OK(merklize_hash_leaves(merklize_view_bytes(NULL, 0), 0, MERKLIZE_HASH_sha256_rfc6962, NULL,
                            merklize_output_digests(out, 1), NULL));
    CHECK(is_hex(out[0].bytes, "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"));
    OK(merklize_hash_leaves(merklize_view_bytes("\x10", 1), 1, MERKLIZE_HASH_sha256_rfc6962, NULL,
                            merklize_output_digests(out, 1), NULL));
    CHECK(is_hex(out[0].bytes, "0298d122906dcfc10892cb53a73992fc5b9f493ea4c9badb27b791b4127a7fe7"));

    const uint64_t row[4] = {UINT64_C(7174624832868297667), UINT64_C(5123811919508778063),
                             UINT64_C(4665465375116211872), UINT64_C(9079843034744162867)};
    const uint64_t row_digest[4] = {UINT64_C(4169382702676507780), UINT64_C(4940189215319225178),
                                    UINT64_C(14051144452332368227), UINT64_C(9225769631485250213)};
    OK(merklize_hash_leaves(merklize_view_bytes(row, 32), 32, MERKLIZE_HASH_rp64_256_v3, NULL,
                            merklize_output_digests(out, 1), NULL));
    CHECK(memcmp(out[0].bytes, row_digest, 32) == 0);

    /* Words of 31 bits: p3-koala-bear. */
    const uint32_t words[5] = {0, 1, 2, 3, 4}, outside[3] = {0, 1, 0x7f000001};
    OK(merklize_hash_leaves(merklize_view_bytes(words, 20), 20, MERKLIZE_HASH_poseidon2_koalabear_16, NULL,
                            merklize_output_digests(out, 1), NULL));
    CHECK(is_hex(out[0].bytes, "ae6dd2582d4aea43b96ad703d3c0c049c737506f36fe4954cc765f687358cc39"));
    OK(merklize_hash_leaves(merklize_view_bytes(words, 16), 8, MERKLIZE_HASH_poseidon2_koalabear_16, NULL,
                            merklize_output_digests(out, 2), NULL));
    CHECK(is_hex(out[0].bytes, "9fee7e0d19f0a85bd194de6eae10ee50f100de1addb9e371751b3509b587fe10"));
    FAILS(MERKLIZE_INVALID_ARGUMENT, "word 2 is 2130706433",
          merklize_hash_leaves(merklize_view_bytes(outside, 12), 12, MERKLIZE_HASH_poseidon2_koalabear_16, NULL,
                               merklize_output_digests(out, 1), NULL));

    const uint64_t left[4] = {0, 1, 2, 3}, right[4] = {4, 5, 6, 7};
    merklize_digest pair[2];
    memcpy(pair[0].bytes, left, 32);
    memcpy(pair[1].bytes, right, 32);
    OK(merklize_merge(merklize_view_digests(&pair[0], 1), merklize_view_digests(&pair[1], 1), MERKLIZE_HASH_rp64_256,
                      NULL, merklize_output_digests(&pair[0], 1), NULL));
    uint64_t word = 0;
    memcpy(&word, pair[0].bytes, 8);
    CHECK(word == UINT64_C(2688511591005434316));
    const uint64_t modulus[4] = {1, UINT64_C(0xffffffff00000001), 0, 0};
    memcpy(pair[0].bytes, modulus, 32);
    FAILS(MERKLIZE_INVALID_ARGUMENT, "word 1 is 18446744069414584321",
          merklize_hash_leaves(merklize_view_bytes(modulus, 32), 32, MERKLIZE_HASH_rp64_256, NULL,
                               merklize_output_digests(out, 1), NULL));
    FAILS(MERKLIZE_INVALID_ARGUMENT, "rows must fit into memory, got 18446744073709551608 items of 1 bytes",
          merklize_hash_leaves(merklize_view_bytes(modulus, UINT64_MAX - 7), 16, MERKLIZE_HASH_rp64_256, NULL,
                               merklize_output_digests(out, 1), NULL));
    FAILS(MERKLIZE_INVALID_ARGUMENT, "out must fit into memory, got 576460752303423487 items of 32 bytes",
          merklize_hash_leaves(merklize_view_bytes(modulus, 32), 16, MERKLIZE_HASH_rp64_256, NULL,
                               merklize_output_digests(out, (size_t)1 << 62), NULL));
    FAILS(MERKLIZE_INVALID_ARGUMENT, "out must be whole digests of 32 bytes, got 33 bytes",
          merklize_hash_leaves(merklize_view_bytes(row, 32), 32, MERKLIZE_HASH_rp64_256, NULL,
                               merklize_output_bytes(out, 33), NULL));
}

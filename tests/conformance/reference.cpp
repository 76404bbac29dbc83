// Compares the references of the other tests with published vectors, without the library.

#include <algorithm>

#include "json.hpp"
#include "support.hpp"

using namespace support;

TEST("reference: BLAKE3 against the official vectors") {
    const json::Value file = json::read(MERKLIZE_VECTORS "/blake3.json");
    const std::string& key = file["key"].text;
    CHECK_EQ(file["cases"].items.size(), 35u);
    for (const json::Value& test : file["cases"].items) {
        const Bytes data = pattern(test["input_len"].number);
        CHECK_EQ(hex(reference::blake3(data, 131)), test["hash"].text);
        CHECK_EQ(hex(reference::blake3(data, 131, 0, {.key = Bytes(key.begin(), key.end())})), test["keyed_hash"].text);
        CHECK_EQ(hex(reference::blake3(data, 131, 0, {.context = file["context_string"].text})),
                 test["derive_key"].text);
        CHECK_EQ(hex(reference::blake3(data, 50, 70)), test["hash"].text.substr(140, 100));
    }
}

TEST("reference: Rescue Prime against winter-crypto") {
    int n_tests = 0;
    for (const json::Value& test : json::read(MERKLIZE_VECTORS "/rescue_prime.json").items) {
        const int variant = test["variant"].text.back() - '0';
        const std::vector<std::uint64_t> input = test["input"].numbers();
        if (test["op"].text == "permutation") {
            reference::State state;
            std::copy(input.begin(), input.end(), state.begin());
            reference::rescue_permute(variant, state);
            CHECK(std::equal(state.begin(), state.end(), test["output"].numbers().begin()));
            ++n_tests;
        } else if (test["op"].text == "merge" || test["op"].text == "hash_elements") {
            const reference::Element4 digest = reference::rescue_hash_elements(variant, input);
            CHECK(std::equal(digest.begin(), digest.end(), test["digest"].numbers().begin()));
            ++n_tests;
        }
    }
    CHECK_EQ(n_tests, 3 * (3 + 8 + 17));
}

// The toy function of examples/toy_function, by C++ and by C.
#include <algorithm>
#include <vector>

#include "merklize/merklize.h"
#include "support.hpp"

using merklize::Digest;

TEST("toy_function: exclusive or of digests, by C++ and by C") {
    support::Random random(1);
    std::vector<Digest> digests(7);
    Digest expected{};
    for (Digest& digest : digests) {
        for (std::size_t k = 0; k < Digest::size; k++) {
            digest.bytes[k] = std::byte(random() & 255);
            expected.bytes[k] ^= digest.bytes[k];
        }
    }
    CHECK_EQ(merklize::xor_of(digests), expected);
    std::ranges::reverse(digests);
    const auto* of_c = reinterpret_cast<const merklize_digest*>(digests.data());
    merklize_digest found;
    CHECK_EQ(merklize_xor_of(of_c, digests.size(), &found), MERKLIZE_OK);
    CHECK(std::ranges::equal(expected.bytes, std::as_bytes(std::span(found.bytes))));
    CHECK_EQ(merklize_xor_of(of_c, 0, &found), MERKLIZE_INVALID_ARGUMENT);
    CHECK_EQ(std::string(merklize_last_error()), "merklize_xor_of: digests must be at least 1, got 0");
}

// The harness itself: the texts of failed comparisons.
#include "check.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <merklize/merklize.hpp>

namespace {

using merklize::Digest;
using Numbers = std::vector<int>;

std::string said(const auto& a, const auto& b) { return check::difference(a, b).value_or("equal"); }

}  // namespace

TEST("check: a comparison says the first difference, its place and both values") {
    CHECK_EQ(said(Numbers{1, 2, 3}, Numbers{1, 2, 3}), "equal");
    CHECK_EQ(said(Numbers{1, 2, 3}, Numbers{1, 5, 4}), "[1]: 2 against 5");
    CHECK_EQ(said(Numbers{1, 2, 3}, Numbers{1, 5}), "[1]: 2 against 5, of 3 against 2 items");
    CHECK_EQ(said(Numbers{1, 2, 3}, Numbers{1, 2}), "3 against 2 items, the first 2 equal");
    CHECK_EQ(said(Numbers{}, Numbers{7}), "0 against 1 items, the first 0 equal");
    CHECK_EQ(said(Numbers{}, Numbers{}), "equal");
    CHECK_EQ(said(std::vector<bool>{true, false}, std::vector<bool>{true, true}), "[1]: false against true");
    CHECK_EQ(said(std::vector<Numbers>{{1}, {2, 3}}, std::vector<Numbers>{{1}, {2, 4}}), "[1][1]: 3 against 4");
    CHECK_EQ(said(std::array{std::byte{16}, std::byte{255}}, std::array{std::byte{16}, std::byte{0}}),
             "[1]: 255 against 0");
    CHECK_EQ(said(std::vector<std::uint8_t>{65}, std::vector<std::uint8_t>{66}), "[0]: 65 against 66");
}

TEST("check: digests are shown as hexadecimal numbers") {
    std::vector<Digest> some(5), others(5);
    others[3].bytes[0] = std::byte{0xab};
    CHECK_EQ(said(some, others), "[3]: " + std::string(64, '0') + " against ab" + std::string(62, '0'));
    CHECK_EQ(said(std::span<const Digest>(some), some), "equal");
    CHECK_EQ(said(some[0], others[3]), std::string(64, '0') + " against ab" + std::string(62, '0'));
}

TEST("check: texts, optional values, enumerations and proofs") {
    CHECK_EQ(said(std::string("one"), "one"), "equal");
    CHECK_EQ(said(std::string("one"), "once"), "[2]: \"...e\" against \"...ce\"");
    CHECK_EQ(said(std::string(100, 'x') + "\n", std::string(100, 'x')), "[100]: \"...\\x0a\" against \"...\"");
    CHECK_EQ(said(std::optional<int>(), std::optional<int>(3)), "none against a value");
    CHECK_EQ(said(std::optional<int>(4), 3), "4 against 3");
    CHECK_EQ(said(merklize::TreeRule::pad, merklize::TreeRule::perfect), "2 against 0");
    CHECK_EQ(said(true, false), "true against false");
    const merklize::MerkleTree tree(std::vector<Digest>(4));
    CHECK_EQ(said(tree.prove(1), tree.prove(1)), "equal");
    CHECK(said(tree.prove(1), tree.prove(2)).starts_with("to_bytes()["));
}

// The table of a policy's fields: texts, rules, and the seam's struct.

#include "merklize/policy.hpp"

#include "support.hpp"
#include "tuning/policy.hpp"

using namespace support;
using merklize::Constants;
using merklize::Policy;
using merklize::policy_from_text;

namespace {

constexpr Policy whole{.levels_per_launch = 3, .group_size = 64, .lanes = 2, .constants = Constants::local};

static_assert(merklize::is_valid(whole) && merklize::is_valid({}));
static_assert(!merklize::is_valid({.levels_per_launch = 33}) && merklize::is_valid({.levels_per_launch = 32}));
static_assert(!merklize::is_valid({.group_size = 48}) && !merklize::is_valid({.group_size = 2048}));
static_assert(!merklize::is_valid({.lanes = 32}) && !merklize::is_valid({.constants = static_cast<Constants>(5)}));

}  // namespace

TEST("policy: texts, there and back") {
    CHECK_EQ(merklize::to_text(whole), "levels_per_launch=3,group_size=64,lanes=2,constants=local");
    CHECK_EQ(merklize::to_text({}), "");
    CHECK_EQ(merklize::to_text({.lanes = 16}), "lanes=16");
    for (const Policy& policy : {whole, Policy{}, Policy{.constants = Constants::global}})
        CHECK_EQ(policy_from_text(merklize::to_text(policy)), policy);
    CHECK_EQ(policy_from_text(" constants = local , lanes=2,group_size=64, levels_per_launch=3 "), whole);
    CHECK_EQ(policy_from_text("lanes=0,constants=tuned"), Policy{});
}

TEST("policy: every call refuses what makes no sense, on the CPU too") {
    const std::vector<Digest> given = leaves(Hash::blake3, 8);
    const merklize::RunOptions options{.policy = {.levels_per_launch = 99}};
    const char* text = "policy: levels_per_launch must be 1 to 32, got 99";
    CHECK_ERROR(invalid_argument, text, merklize::hash(view(Bytes(3)), {}, options));
    CHECK_ERROR(invalid_argument, text, merklize::merkle_root(given, Hash::blake3, options));
    CHECK_ERROR(invalid_argument, text, merklize::MerkleTree(given, Hash::blake3, options));
    CHECK_ERROR(invalid_argument, text, merklize::Hasher({}, options).update(view(Bytes(3))));
}

TEST("policy: the seam has the caller's fields") {
    const mkz_policy seam = merklize::runtime::to_seam(whole);
    CHECK_EQ(seam.levels_per_launch, 3u);
    CHECK_EQ(seam.group_size, 64u);
    CHECK_EQ(seam.lanes, 2u);
    CHECK_EQ(seam.constants, static_cast<std::uint32_t>(MKZ_CONSTANTS_local));
    CHECK_EQ(seam.cells + seam.min_groups + seam.read_ahead + seam.mul_by_halves, 0u);
    CHECK_EQ(merklize::runtime::from_seam(seam), whole);
}

#include "verity/layout.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <utility>

#include "host/invalid.hpp"
#include "host/little_endian.hpp"
#include "merklize/error.hpp"

namespace merklize::inline v0 {
namespace {

constexpr std::string_view algorithm_names[] = {"sha256", "sha512"};

}  // namespace

std::string_view dm_verity_algorithm_name(DmVerityAlgorithm algorithm) noexcept {
    return algorithm_names[static_cast<std::size_t>(algorithm) % std::size(algorithm_names)];
}

DmVerityAlgorithm dm_verity_algorithm_from_name(std::string_view name) {
    const auto found = std::ranges::find(algorithm_names, name);
    if (found == std::end(algorithm_names))
        invalid("dm_verity: algorithm must be sha256 or sha512, got '" + std::string(name) + "'");
    return static_cast<DmVerityAlgorithm>(found - std::begin(algorithm_names));
}

}  // namespace merklize::inline v0

namespace merklize::runtime {
namespace {

constexpr std::uint64_t most_bytes = std::uint64_t{1} << 63;
constexpr std::size_t most_salt = 256;

// The offset of each field in struct verity_sb of the kernel and of cryptsetup.
constexpr char verity_signature[] = "verity\0";  // 8 bytes with the last zero
enum SuperblockField : std::size_t {
    at_version = 8,
    at_format = 12,
    at_uuid = 16,
    at_algorithm = 32,
    at_data_block = 64,
    at_hash_block = 68,
    at_data_blocks = 72,
    at_salt_size = 80,
    at_salt = 88,
};
constexpr std::size_t algorithm_bytes = 32;

bool is_block_size(std::uint64_t bytes) { return std::has_single_bit(bytes) && bytes >= 512 && bytes <= 512 << 10; }

// The number in a superblock.
std::uint32_t format_of(const DmVerity& how) { return how.salt_after ? 0 : 1; }

// The first field that breaks its rule, and the rule; empty if there is none.
std::pair<std::string, std::string> fault_of(const DmVerity& how) {
    const auto rule = [](std::uint64_t bytes) {
        return "must be a power of two from 512 to 524288, got " + std::to_string(bytes);
    };
    if (!is_block_size(how.data_block_size)) return {"data_block_size", rule(how.data_block_size)};
    if (!is_block_size(how.hash_block_size)) return {"hash_block_size", rule(how.hash_block_size)};
    if (how.salt.size() > most_salt)
        return {"salt", "must be at most 256 bytes, got " + std::to_string(how.salt.size())};
    if (how.data_blocks == 0u) return {"data_blocks", "must be at least 1, got 0"};
    if (how.data_blocks && *how.data_blocks > most_bytes / how.data_block_size)
        return {"data_blocks",
                "must be at most 2^63 bytes of data, got " + std::to_string(*how.data_blocks) + " blocks"};
    return {};
}

}  // namespace

void require_verity(const DmVerity& how) {
    if (const auto [field, rule] = fault_of(how); !field.empty()) invalid_call(field, rule);
}

VerityLayout::VerityLayout(const DmVerity& how, const DmVerityArea& area) : block_(how.hash_block_size) {
    const std::uint64_t unit = area.has_superblock ? superblock_bytes : block_;
    const std::string got = ", got " + std::to_string(area.offset);
    if (area.offset > most_bytes / 2) invalid_call("offset", "of the hash area must be at most 2^62" + got);
    if (area.offset % unit != 0) {
        invalid_call("offset", "of the hash area must be a multiple of " + std::to_string(unit) +
                                   (area.has_superblock ? "" : ", the size of its blocks, since it has no superblock") +
                                   got);
    }
    begin_ = (area.offset + (area.has_superblock ? superblock_bytes : 0) + block_ - 1) / block_;
    const std::uint64_t arity = block_ / verity_digest_bytes(how.algorithm);
    for (std::uint64_t n = how.data_blocks.value_or(1); n > 1;) counts_.push_back(n = (n + arity - 1) / arity);
    firsts_.resize(counts_.size());
    end_ = begin_;
    for (unsigned level = levels(); level-- > 0; end_ += counts_[level]) firsts_[level] = end_;
    if (end_ > most_bytes / block_) {
        invalid_call("the hash area would end behind 2^63 bytes: data_blocks is " +
                     std::to_string(how.data_blocks.value_or(1)));
    }
}

std::array<std::byte, superblock_bytes> verity_superblock(const DmVerity& how, const std::array<std::byte, 16>& uuid) {
    std::array<std::byte, superblock_bytes> out{};
    const std::string_view algorithm = dm_verity_algorithm_name(how.algorithm);
    std::memcpy(out.data(), verity_signature, sizeof verity_signature);
    put_number(out, at_version, std::uint32_t{1});
    put_number(out, at_format, format_of(how));
    std::ranges::copy(uuid, out.begin() + at_uuid);
    std::ranges::copy(std::as_bytes(std::span(algorithm)), out.begin() + at_algorithm);
    put_number(out, at_data_block, how.data_block_size);
    put_number(out, at_hash_block, how.hash_block_size);
    put_number(out, at_data_blocks, how.data_blocks.value_or(0));
    put_number(out, at_salt_size, static_cast<std::uint16_t>(how.salt.size()));
    std::ranges::copy(how.salt, out.begin() + at_salt);
    return out;
}

void require_expected(const std::string& name, const DmVerity& stated, const DmVerity& expected) {
    const auto require = [&](const char* field, const std::string& found, const std::string& wanted) {
        if (found == wanted) return;
        invalid_call(name + ": the superblock states " + field + " " + found + ", and " + wanted + " is expected");
    };
    const auto number = [&](const char* field, std::uint64_t found, std::uint64_t wanted) {
        require(field, std::to_string(found), std::to_string(wanted));
    };
    require("algorithm", std::string(dm_verity_algorithm_name(stated.algorithm)),
            std::string(dm_verity_algorithm_name(expected.algorithm)));
    number("format", format_of(stated), format_of(expected));
    number("data_block_size", stated.data_block_size, expected.data_block_size);
    number("hash_block_size", stated.hash_block_size, expected.hash_block_size);
    if (expected.data_blocks) number("data_blocks", stated.data_blocks.value_or(0), *expected.data_blocks);
    if (stated.salt == expected.salt) return;
    invalid_call(name + ": the superblock states a salt of " + std::to_string(stated.salt.size()) +
                 " bytes, and another one of " + std::to_string(expected.salt.size()) + " is expected");
}

DmVerityFacts parse_superblock(const std::string& name, std::span<const std::byte, superblock_bytes> bytes) {
    const auto refuse = [&](const std::string& fault) { invalid_call(name + ": " + fault); };
    if (std::memcmp(bytes.data(), verity_signature, sizeof verity_signature) != 0)
        refuse("there is no dm-verity superblock at this offset; without one, state the fields");
    if (const auto version = get_number<std::uint32_t>(bytes, at_version); version != 1)
        refuse("the superblock has version " + std::to_string(version) + ", and 1 is known");
    DmVerityFacts facts;
    const auto format = get_number<std::uint32_t>(bytes, at_format);
    if (format > 1) refuse("the superblock is impossible: format must be 0 or 1, got " + std::to_string(format));
    facts.how.salt_after = format == 0;
    std::ranges::copy(bytes.subspan(at_uuid, 16), facts.uuid.begin());
    const auto* text = reinterpret_cast<const char*>(bytes.data()) + at_algorithm;
    const std::string_view algorithm(text, std::find(text, text + algorithm_bytes, '\0'));
    const auto known = std::ranges::find(algorithm_names, algorithm);
    if (known == std::end(algorithm_names)) refuse("the superblock names a hash that is neither sha256 nor sha512");
    facts.how.algorithm = static_cast<DmVerityAlgorithm>(known - std::begin(algorithm_names));
    facts.how.data_block_size = get_number<std::uint32_t>(bytes, at_data_block);
    facts.how.hash_block_size = get_number<std::uint32_t>(bytes, at_hash_block);
    facts.how.data_blocks = get_number<std::uint64_t>(bytes, at_data_blocks);
    const auto salt = get_number<std::uint16_t>(bytes, at_salt_size);
    if (salt > most_salt)
        refuse("the superblock states a salt of " + std::to_string(salt) + " bytes, and 256 are allowed");
    const auto stated = bytes.subspan(at_salt, salt);
    facts.how.salt.assign(stated.begin(), stated.end());
    if (const auto [field, rule] = fault_of(facts.how); !field.empty())
        refuse("the superblock is impossible: " + field + " " + rule);
    return facts;
}

}  // namespace merklize::runtime

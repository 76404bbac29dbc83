#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string>

#include "backends/checksum.hpp"
#include "runtime/driver.h"

namespace merklize {

/// What a driver puts before a vendor's compiled program. Vendors' loaders check little themselves: some run a damaged binary or one
/// that another version made.
struct Envelope {
    using Magic = std::array<char, 8>;

    Magic magic;
    std::uint64_t sum;  // of all that follows
    std::uint64_t bytes;
    std::array<char, sizeof(mkz_driver_facts::compiler)> compiler;

    static std::string seal(const Magic& magic, const mkz_driver_facts& facts, const std::string& binary) {
        Envelope envelope{.magic = magic, .sum = 0, .bytes = binary.size(), .compiler = {}};
        std::ranges::copy(facts.compiler, envelope.compiler.begin());
        std::string all(sizeof envelope, '\0');
        std::memcpy(all.data(), &envelope, sizeof envelope);
        all += binary;
        envelope.sum = checksum(all.data() + summed_from, all.size() - summed_from);
        std::memcpy(all.data(), &envelope, sizeof envelope);
        return all;
    }

    /// The binary, if the envelope is whole and meant for this device; else `why` says what is wrong: "... is damaged".
    static std::string open(const Magic& magic, const mkz_driver_facts& facts, const std::string& all,
                            std::string& why) {
        Envelope envelope{};
        const std::string what = "a compiled program of " + std::to_string(all.size()) + " bytes ";
        why = what;
        if (all.size() <= sizeof envelope) {
            why += "is too short to be one";
            return {};
        }
        std::memcpy(&envelope, all.data(), sizeof envelope);
        if (envelope.magic != magic) {
            why += "is not one of this library's";
            return {};
        }
        if (envelope.bytes != all.size() - sizeof envelope ||
            envelope.sum != checksum(all.data() + summed_from, all.size() - summed_from)) {
            why += "is damaged";
            return {};
        }
        if (!std::ranges::equal(envelope.compiler, facts.compiler)) {
            why += "was made by another compiler: " + std::string(envelope.compiler.data()) + ", not " + facts.compiler;
            return {};
        }
        why.clear();
        return all.substr(sizeof envelope);
    }

private:
    static constexpr std::size_t summed_from = sizeof(Magic) + sizeof(std::uint64_t);
};
static_assert(sizeof(Envelope) == 24 + sizeof(mkz_driver_facts::compiler));

}  // namespace merklize

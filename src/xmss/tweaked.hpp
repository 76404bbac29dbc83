#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "hashes/wipe.hpp"
#include "jobs/wipe_stack.hpp"
#include "merklize/core/hashes/blake2s.h"
#include "merklize/xmss.hpp"

namespace merklize::inline v0::xmss {

inline constexpr std::size_t chains = MKZ_XMSS_CHAINS, chain_steps = MKZ_XMSS_STEPS;

/// Bytes that are wiped in the end, with what the hashes of them have left on the stack.
struct SecretBytes : runtime::WipedBytes {
    using WipedBytes::WipedBytes;
    ~SecretBytes() { runtime::wipe_stack(); }
};

/// What a message is hashed for: T(kind, sub, index, payload) under a parameter (core/hashes/xmss.h).
struct Tweak {
    std::uint32_t kind, sub, index;
};

using Parameter = std::span<const std::byte, node_bytes>;

/// Messages with payloads of one length, which the lanes of the calling thread hash together. They lie in memory of
/// the caller, and the caller wipes it.
class Tweaked {
public:
    /// Memory for n messages.
    static constexpr std::size_t bytes_of(std::size_t n, std::size_t payload) {
        return n * (prefix + payload + digest);
    }

    Tweaked(std::span<std::byte> memory, std::size_t payload)
        : length_(prefix + payload), rows_(memory.data()), most_(memory.size() / (length_ + digest)) {}

    std::size_t size() const noexcept { return n_; }
    bool is_full() const noexcept { return n_ == most_; }
    /// One more message.  returns  where its payload goes
    std::byte* add(const Tweak& tweak, Parameter parameter) noexcept {
        std::byte* row = rows_ + length_ * n_++;
        const std::uint32_t words[4] = {tweak.kind << 8, tweak.sub, 0, tweak.index};
        std::memcpy(row, words, sizeof words);
        std::memcpy(row + sizeof words, parameter.data(), parameter.size());
        return row + prefix;
    }
    /// Hashes all, which are then none again. The results stay until the next add().
    void hash();
    /// The first 32 bytes of result i.
    const std::byte* operator[](std::size_t i) const noexcept { return rows_ + length_ * most_ + digest * i; }
    Node node(std::size_t i) const noexcept {
        Node made;
        std::memcpy(made.data(), (*this)[i], made.size());
        return made;
    }

private:
    static constexpr std::size_t prefix = 32, digest = 32;

    std::size_t length_;
    std::byte* rows_;
    std::size_t most_, n_ = 0;
};

/// A chain of an epoch, from one value to a later one.
struct Chain {
    Node value;
    const std::byte* parameter;
    std::uint32_t epoch, chain, at, end;  ///< steps
};

/// Memory for the messages of n chains at once.
constexpr std::size_t walk_bytes(std::size_t n) { return Tweaked::bytes_of(n, node_bytes); }
/// Takes each chain to its end.
void walk(std::span<Chain> chains, std::span<std::byte> memory);

/// Memory for the messages of n encodings.
inline constexpr std::size_t randomizer_bytes = 24, encoded_bytes = message_bytes + randomizer_bytes + 8;
/// The steps of each chain that a signature gives, from the digest of an encoding.
/// returns  whether it is one: the top bits are zero, and the steps are 195 together
bool read_steps(const std::byte* digest, std::span<std::uint8_t, chains> steps) noexcept;
/// The message of an encoding.
void add_encoding(Tweaked& encodings, Parameter parameter, std::uint32_t epoch, ByteView message,
                  std::span<const std::byte, randomizer_bytes> randomizer) noexcept;

}  // namespace merklize::inline v0::xmss

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

/// Bytes that are wiped by the destructor. It also wipes the stack, where hashing them leaves copies.
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
        : length_(prefix + payload), rows_(memory.data()), capacity_(memory.size() / (length_ + digest)) {}

    std::size_t size() const noexcept { return n_; }
    bool is_full() const noexcept { return n_ == capacity_; }
    /// Adds a message.  returns  the place of its payload, which the caller fills
    std::byte* add(const Tweak& tweak, Parameter parameter) noexcept {
        std::byte* row = rows_ + length_ * n_++;
        const std::uint32_t words[4] = {tweak.kind << 8, tweak.sub, 0, tweak.index};
        std::memcpy(row, words, sizeof words);
        std::memcpy(row + sizeof words, parameter.data(), parameter.size());
        return row + prefix;
    }
    /// Hashes all messages, and then has none. The results stay until the next add().
    void hash();
    /// The first 32 bytes of result i.
    const std::byte* operator[](std::size_t i) const noexcept { return rows_ + length_ * capacity_ + digest * i; }
    Node node(std::size_t i) const noexcept {
        Node value;
        std::memcpy(value.data(), (*this)[i], value.size());
        return value;
    }

private:
    static constexpr std::size_t prefix = 32, digest = 32;

    std::size_t length_;
    std::byte* rows_;
    std::size_t capacity_, n_ = 0;
};

/// A chain at an epoch: its value after `at` steps, to be taken to step `end`.
struct Chain {
    Node value;
    const std::byte* parameter;
    std::uint32_t epoch, chain, at, end;
};

/// Memory for the messages of n chains at once.
constexpr std::size_t walk_bytes(std::size_t n) { return Tweaked::bytes_of(n, node_bytes); }
/// Takes each chain to its end.
void walk(std::span<Chain> chains, std::span<std::byte> memory);

/// Of an encoding's message, with the zeros that fill up its payload.
inline constexpr std::size_t randomizer_bytes = 24, encoded_bytes = message_bytes + randomizer_bytes + 8;
/// Reads the steps of each chain from the digest of an encoding's message.
/// returns  whether the digest is an encoding: the top bits of both halves are zero, and the steps add up to 195
bool read_steps(const std::byte* digest, std::span<std::uint8_t, chains> steps) noexcept;
/// Adds the message of an encoding.
void add_encoding(Tweaked& encodings, Parameter parameter, std::uint32_t epoch, ByteView message,
                  std::span<const std::byte, randomizer_bytes> randomizer) noexcept;

}  // namespace merklize::inline v0::xmss

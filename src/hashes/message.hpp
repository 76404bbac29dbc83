#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "hashes/hash_info.hpp"
#include "merklize/digest.hpp"

namespace merklize::runtime {

struct MessageFunctions;

/// Computes the digest of one message by a hash of bytes without a chunk tree, on the calling thread, block after block, by the
/// processor's own instructions if it has some. Copies are independent.
class Message {
public:
    /// hash    one that hashes messages
    /// length  bytes of the message, if they are known; Eidos needs them
    /// errors  invalid_argument "<what>: ..." (another hash; Eidos without a length)
    Message(Hash hash, const char* what, std::uint64_t length = unknown);

    void update(std::span<const std::byte> data);
    Digest digest() const;
    std::uint64_t count() const noexcept { return count_; }

    static constexpr std::uint64_t unknown = ~std::uint64_t{0};

private:
    const MessageFunctions* functions_;
    std::uint64_t count_ = 0;
    alignas(8) std::uint8_t state_[200];
    std::uint8_t rest_[144];  // the last count_ % rate bytes, which do not fill a block yet
};

/// Throws invalid_argument "<what>: ..." unless the hash is BLAKE3 or hashes messages. The text names a hash to take instead.
void require_message_hash(Hash hash, const char* what);

}  // namespace merklize::runtime

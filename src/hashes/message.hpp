#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "hashes/hash_info.hpp"
#include "hashes/wipe.hpp"
#include "merklize/digest.hpp"

namespace merklize::runtime {

struct MessageFunctions;

/// What a message begins with.
struct MessageStart {
    std::uint64_t length;      ///< bytes of the message, or Message::unknown
    std::size_t digest_bytes;  ///< 32, but of blake2s
    ByteView key;              ///< of blake2s
};

/// Computes the digest of one message by a hash of bytes without a chunk tree, on the calling thread, block after
/// block, by the processor's own instructions if it has some. Copies are independent.
class Message {
public:
    /// length  bytes of the message, if they are known; Eidos and RpJive64_256 need them
    /// errors  invalid_argument (a form that require_message() refuses; BLAKE3; one that needs the length without it)
    Message(const MessageForm& form, std::uint64_t length = unknown, std::size_t digest_bytes = Digest::size);
    Message(const Message&) = default;
    Message& operator=(const Message&) = default;
    ~Message() {
        if (is_keyed_) wipe(state_, sizeof state_);
    }

    void update(std::span<const std::byte> data);
    /// The digest is its first digest_bytes.
    Digest digest() const;
    std::uint64_t count() const noexcept { return count_; }

    static constexpr std::uint64_t unknown = ~std::uint64_t{0};

private:
    const MessageFunctions* functions_;
    bool is_keyed_;
    std::uint64_t count_ = 0;
    alignas(8) std::uint8_t state_[200];
    std::uint8_t rest_[144];  // the last count_ % rate bytes, which do not fill a block yet
};

/// Throws invalid_argument unless the hash is BLAKE3 or hashes messages, and has the mode and digests of that length.
/// The text names a hash to take instead.
void require_message(const MessageForm& form, std::size_t digest_bytes = Digest::size);

/// The hash of a name, also of a second name such as "rp64_256"; none if there is none.
/// errors  invalid_argument (the name of a hash with given constants, which nobody has given)
std::optional<Hash> find_hash(std::string_view name);

/// The hash of that name, which may also be one that hashes no messages.
/// errors  invalid_argument (an unknown name: the text lists only the hashes that files usually have)
Hash message_hash_from_name(std::string_view name);

}  // namespace merklize::runtime

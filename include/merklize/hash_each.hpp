#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include <merklize/cxx20.h>
#include <merklize/export.h>
#include <merklize/buffer.hpp>
#include <merklize/bytes.hpp>
#include <merklize/device.hpp>
#include <merklize/digest.hpp>
#include <merklize/hash.hpp>
#include <merklize/hashes.hpp>

namespace merklize::inline v0 {

/// The bytes of one message where they lie: in host memory, which the caller keeps, or in the memory of a device.
class MessageView {
public:
    MessageView() noexcept = default;  ///< the empty message
    template <std::convertible_to<ByteView> Bytes>
    MessageView(const Bytes& bytes) noexcept : bytes_(ByteView(bytes)) {}  // NOLINT: implicit, as ByteView is
    MessageView(ConstBuffer bytes) noexcept : bytes_(std::move(bytes)) {}  // NOLINT: the same
    std::uint64_t size() const noexcept {
        const ConstBuffer* there = buffer();
        return there != nullptr ? there->size() : host().size();
    }
    /// Null if the bytes are on the host.
    const ConstBuffer* buffer() const noexcept { return std::get_if<ConstBuffer>(&bytes_); }
    /// Empty if they are on a device.
    ByteView host() const noexcept {
        const auto* here = std::get_if<ByteView>(&bytes_);
        return here != nullptr ? *here : ByteView();
    }

private:
    std::variant<ByteView, ConstBuffer> bytes_{};
};

/// BLAKE3 digests of n messages of any lengths, in one job for each device: all chunks of all messages side by side,
/// then all parents. The same bytes as hash() of each.
/// messages  each is hashed where it lies; those on the host by options.device. Alignment does not matter
/// out       [n, length] bytes of host memory: output bytes `seek` to `seek + length` of each message. Must not overlap
///           a message
/// order     begins after what is enqueued on options.stream, which must be of the messages' only device; complete when
///           it returns. Messages on several devices are hashed at once, with a host thread a device
/// errors    invalid_argument (out of another size; a stream and several devices), out_of_memory, cancelled, internal
/// cost      reads each message once; on a device 32 bytes of working memory a chunk of 1024 bytes
MERKLIZE_API void hash_each(std::span<const MessageView> messages, std::span<std::byte> out,
                            std::size_t length = Digest::size, std::uint64_t seek = 0, const Mode& mode = {},
                            const RunOptions& options = {});
/// The same, 32 bytes of each.
MERKLIZE_API std::vector<Digest> hash_each(std::span<const MessageView> messages, const Mode& mode = {},
                                           const RunOptions& options = {});

/// The same of any range of messages, such as std::vector<std::string>.
template <std::ranges::input_range Messages>
    requires std::convertible_to<std::ranges::range_reference_t<Messages>, MessageView> &&
             (!std::convertible_to<Messages, std::span<const MessageView>>)
std::vector<Digest> hash_each(const Messages& messages, const Mode& mode = {}, const RunOptions& options = {}) {
    const std::vector<MessageView> views(std::ranges::begin(messages), std::ranges::end(messages));
    return hash_each(std::span(views), mode, options);
}

/// Digests of n messages by another hash of bytes, as hash_message() of each, with one CPU thread for each message.
/// errors  those of hash_message()
MERKLIZE_API std::vector<Digest> hash_message_each(std::span<const MessageView> messages, const MessageForm& form,
                                                   const RunOptions& options = {});
/// The same with digests of `length` bytes.
/// out     [n, length] bytes; must not overlap a message
/// errors  those of hash_message(); invalid_argument (out of another size)
MERKLIZE_API void hash_message_each(std::span<const MessageView> messages, std::span<std::byte> out, std::size_t length,
                                    const MessageForm& form, const RunOptions& options = {});

}  // namespace merklize::inline v0

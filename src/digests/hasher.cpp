#include <cstring>
#include <optional>
#include <string>

#include "digests/chunk_tree.hpp"
#include "digests/message_pieces.hpp"
#include "hashes/merge_one.hpp"
#include "hashes/message.hpp"
#include "host/invalid.hpp"
#include "merklize/hash.hpp"

namespace merklize::runtime {

class HasherState {
public:
    HasherState(const Mode& mode, const RunOptions& options) : options(options), tree(mode) {}

    HasherState(const MessageForm& form, const RunOptions& options, std::size_t length)
        : options(options),
          tree(Mode()),
          message(std::in_place, form, Message::unknown, length),
          empty(message),
          length(length) {}

    RunOptions options;
    GrowingMessage tree;
    std::optional<Message> message, empty;  // of a hash without a chunk tree: all bytes so far, and the empty message
    std::size_t length = Digest::size;      // of its digests

    void update(std::span<const std::byte> data) {
        constexpr std::size_t short_bytes = 4096;
        if (message && data.size() <= short_bytes) return message->update(data);
        if (message) {
            Run run(options);
            return append(*message, data, run, 1);
        }
        data = tree.fill(data);
        if (data.empty()) return;
        Run run(options);
        tree.add(data, run, 1);
    }
};

}  // namespace merklize::runtime

namespace merklize::inline v0 {

Hasher::Hasher(const Mode& mode, const RunOptions& options)
    : state_(std::make_unique<runtime::HasherState>(mode, options)) {
    const PublicCall entry("Hasher");
    runtime::require_blake3(mode);
}
Hasher Hasher::of(const MessageForm& form, const RunOptions& options, std::size_t length) {
    const PublicCall entry("Hasher");
    runtime::require_message(form, length);
    if (runtime::info(form.hash).has_chunk_tree) return Hasher(form.mode, options);
    Hasher made({}, options);
    made.state_ = std::make_unique<runtime::HasherState>(form, options, length);
    return made;
}
Hasher::Hasher(const Hasher& other) : state_(std::make_unique<runtime::HasherState>(*other.state_)) {}
Hasher& Hasher::operator=(const Hasher& other) {
    state_ = std::make_unique<runtime::HasherState>(*other.state_);
    return *this;
}
Hasher::Hasher(Hasher&&) noexcept = default;
Hasher& Hasher::operator=(Hasher&&) noexcept = default;
Hasher::~Hasher() = default;

void Hasher::update(ByteView data) {
    if (!data.empty()) state_->update(data);
}

Digest Hasher::digest() const {
    Digest digest;
    this->digest(digest.bytes);
    return digest;
}

void Hasher::digest(std::span<std::byte> out, std::uint64_t seek) const {
    const PublicCall entry("Hasher");
    if (state_->message) {
        if (out.size() != state_->length || seek != 0) {
            invalid_call("a digest has " + std::to_string(state_->length) + " bytes from 0 on, got length " +
                         std::to_string(out.size()) + " and seek " + std::to_string(seek) +
                         "; only 'blake3' has more output");
        }
        const Digest digest = state_->message->digest();
        return void(std::memcpy(out.data(), digest.bytes.data(), out.size()));
    }
    runtime::Run run(state_->options);
    state_->tree.root().expand(out, seek, run);
}

void Hasher::reset() {
    state_->tree.clear();
    state_->message = state_->empty;
}

std::uint64_t Hasher::count() const noexcept {
    if (state_->message) return state_->message->count();
    return state_->tree.bytes();
}

}  // namespace merklize::inline v0

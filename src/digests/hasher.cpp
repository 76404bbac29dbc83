#include <algorithm>
#include <cstring>
#include <optional>
#include <string>

#include "digests/chunk_tree.hpp"
#include "hashes/message.hpp"
#include "host/invalid.hpp"
#include "merklize/core/hashes/blake3.h"
#include "merklize/hash.hpp"

namespace merklize::runtime {

/// Full chunks are merged as they come. The last 1 to 1024 bytes wait, because they may be the end.
class HasherState {
public:
    HasherState(const Mode& mode, const RunOptions& options) : mode(mode), options(options), stack(mode) {}

    HasherState(Hash hash, const RunOptions& options)
        : options(options), stack(mode), message(std::in_place, hash, "Hasher"), empty(message) {}

    Mode mode;
    RunOptions options;
    ValueStack stack;
    std::optional<Message> message, empty;  // of a hash without a chunk tree: all so far, and nothing
    std::uint64_t chunks = 0;               // chunks that are hashed and in `stack`
    std::size_t pending = 0;
    std::byte chunk[MKZ_BLAKE3_CHUNK_LEN];

    void update(std::span<const std::byte> data) {
        if (message) return message->update(data);
        if (pending != 0) {
            const std::size_t count = std::min(data.size(), sizeof chunk - pending);
            std::memcpy(chunk + pending, data.data(), count);
            pending += count;
            data = data.subspan(count);
            if (data.empty()) return;
            stack.push(value_of(chunk_node({chunk, sizeof chunk}, chunks, mode)), chunks);
            chunks++;
            pending = 0;
        }
        Run run(options);
        const std::uint64_t done = push_subtrees(
            host_place(data.data()), data.size(), chunks, mode, run,
            [this](const ChainingValue& value, std::uint64_t first_chunk) { stack.push(value, first_chunk); });
        chunks += done / sizeof chunk;
        data = data.subspan(done);
        std::memcpy(chunk, data.data(), data.size());
        pending = data.size();
    }

    Node root() const {
        if (stack.empty()) return chunk_node({chunk, pending}, 0, mode);
        if (pending == 0) return stack.root();
        return stack.root(chunk_node({chunk, pending}, chunks, mode), chunks);
    }
};

}  // namespace merklize::runtime

namespace merklize::inline v0 {

Hasher::Hasher(const Mode& mode, const RunOptions& options)
    : state_(std::make_unique<runtime::HasherState>(mode, options)) {}
Hasher Hasher::of(Hash hash, const RunOptions& options) {
    runtime::require_message_hash(hash, "Hasher");
    Hasher made({}, options);
    if (!runtime::info(hash).has_chunk_tree) made.state_ = std::make_unique<runtime::HasherState>(hash, options);
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

void Hasher::update(std::span<const std::byte> data) {
    if (!data.empty()) state_->update(data);
}

Digest Hasher::digest() const {
    Digest digest;
    this->digest(digest.bytes);
    return digest;
}

void Hasher::digest(std::span<std::byte> out, std::uint64_t seek) const {
    if (state_->message) {
        if (out.size() != Digest::size || seek != 0) {
            invalid("Hasher: a digest has 32 bytes from 0 on, got length " + std::to_string(out.size()) + " and seek " +
                    std::to_string(seek) + "; only 'blake3' has more output");
        }
        const Digest digest = state_->message->digest();
        return void(std::memcpy(out.data(), digest.bytes.data(), Digest::size));
    }
    runtime::Run run(state_->options);
    state_->root().expand(out, seek, run);
}

void Hasher::reset() {
    state_->stack.clear();
    state_->chunks = 0;
    state_->pending = 0;
    state_->message = state_->empty;
}

std::uint64_t Hasher::count() const noexcept {
    if (state_->message) return state_->message->count();
    return state_->chunks * MKZ_BLAKE3_CHUNK_LEN + state_->pending;
}

}  // namespace merklize::inline v0

#include <algorithm>
#include <cstring>

#include "digests/chunk_tree.hpp"
#include "merklize/core/hashes/blake3.h"
#include "merklize/hash.hpp"

namespace merklize::runtime {

/// Full chunks are merged as they come. The last 1 to 1024 bytes wait, because they may be the end.
class HasherState {
public:
    HasherState(const Mode& mode, const RunOptions& options) : mode(mode), options(options), stack(mode) {}

    Mode mode;
    RunOptions options;
    ValueStack stack;
    std::uint64_t chunks = 0;  // chunks that are hashed and in `stack`
    std::size_t pending = 0;
    std::byte chunk[MKZ_BLAKE3_CHUNK_LEN];

    void update(std::span<const std::byte> data) {
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
    runtime::Run run(state_->options);
    state_->root().expand(out, seek, run);
}

void Hasher::reset() {
    state_->stack.clear();
    state_->chunks = 0;
    state_->pending = 0;
}

std::uint64_t Hasher::count() const noexcept { return state_->chunks * MKZ_BLAKE3_CHUNK_LEN + state_->pending; }

}  // namespace merklize::inline v0

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "calls/run.hpp"
#include "merklize/hash_each.hpp"

namespace merklize::runtime {

/// The output that a call wants of each message.
struct Output {
    std::size_t length;
    std::uint64_t seek;
    const Mode& mode;
};

/// The messages of a call by the memory that they lie in. Keeps none of it alive.
class MessageGroups {
public:
    struct Group {
        std::optional<Device> device{};  ///< whose memory it is; none: the host's
        std::vector<Extent> messages{};
        std::vector<std::size_t> indices{};  ///< of the messages among all; empty: they are all, in order

        /// Fills in the indices of all messages, in order, if there are none.
        void number();
    };

    /// n     how many messages will be added
    /// room  for those of the first group
    explicit MessageGroups(std::size_t n, std::vector<Extent> room = {}) : n_(n), room_(std::move(room)) {}

    void add(std::span<const std::byte> host);
    void add(const ConstBuffer& buffer) { add(buffer, buffer.offset(), buffer.size()); }
    /// Bytes of the memory that a buffer is a part of.
    void add(const ConstBuffer& in, std::uint64_t first, std::uint64_t bytes);

    /// Those of the host and of each device, by their first messages.
    std::vector<Group>& groups() noexcept { return groups_; }
    /// Takes the first n messages out, which all lie on one device. There are others.
    void take_out_first(std::size_t n);

private:
    // The group of the next message.  device  null: the host
    Group& next(const Device* device);

    std::size_t n_, added_ = 0;
    std::vector<Extent> room_;
    std::vector<Group> groups_{};
    std::size_t last_ = 0;  // the group of the last message
};

/// errors  invalid_argument (an `out` of `bytes` bytes for n outputs of `length`)
void require_outputs(std::size_t n, std::size_t bytes, std::size_t length);

/// hash_each() of arguments that have been checked.
void hash_each(MessageGroups& messages, std::span<std::byte> out, const Output& wanted, const RunOptions& options);
void hash_each(std::span<const MessageView> messages, std::span<std::byte> out, const Output& wanted,
               const RunOptions& options);

/// Digests of messages on one device that come batch by batch: a batch is hashed while the caller finds the next.
class DigestsAhead {
public:
    /// n  the most messages of all batches
    DigestsAhead(const RunOptions& options, std::size_t n);
    DigestsAhead(const DigestsAhead&) = delete;
    DigestsAhead& operator=(const DigestsAhead&) = delete;

    std::size_t size() const noexcept { return n_; }
    /// Enqueues a batch.
    void add(std::span<const Extent> messages);
    /// Waits, and writes the digests of all batches to the host.
    void finish(std::byte* out);

private:
    const RunOptions options_;
    Run run_;
    const Lease digests_;
    std::size_t n_ = 0;
};

/// Writes the outputs of messages at one place to `out`, one after another, as one job. This is `share` of the whole
/// call.
/// messages  as HashEach takes them
void hash_messages(std::span<const Extent> messages, const Output& wanted, std::byte* out, Run& run, double share);

}  // namespace merklize::runtime

#pragma once

#include <filesystem>
#include <functional>

#include "bao/nodes.hpp"
#include "calls/run.hpp"
#include "digests/file_reads.hpp"

namespace merklize::runtime {

/// Calls use(i, data) for all parts of the message, of read_bytes each but the last, in any thread.
using EachPart = std::function<void(const SourceReader::Use& use)>;
/// Reads the next `bytes` bytes of the message, at `offset`, into memory that the run's device takes: at most a batch.
using ReadBatch = std::function<Place(std::uint64_t offset, std::uint64_t bytes)>;

/// Hashes a message on the host by all threads, and places all nodes.  returns  the top node
Node write_tree(const Shape& shape, const EachPart& each_part, const Placer& placer);

/// Hashes a message in the memory of the run's device. The device also computes the nodes and puts them in order.
/// nodes      device memory, 64 bytes a node; may be empty
/// meanwhile  called on the host while the device computes
Node write_tree_there(const Shape& shape, const Place& data, BaoOrder order, const Place& nodes, Run& run,
                      const std::function<void()>& meanwhile);

/// Hashes a message in host memory on the run's device down to the values of groups, batch by batch; the nodes above
/// are made on the host.
/// batch_level  log2 of the chunks of a batch
Node write_tree_on_device(const Shape& shape, const ReadBatch& read, std::uint32_t batch_level, const Placer& placer,
                          Run& run);

/// The nodes of a message of unknown size: they are kept, 64 bytes a node, until all of it has come.
class TreeInOrder {
public:
    TreeInOrder(const BaoForm& form, Run& run);

    /// Bytes that add() takes at once.
    std::uint64_t batch_bytes() const noexcept;
    /// Hashes the next bytes: a whole batch, or the last bytes of a message of more than a batch.
    void add(std::span<const std::byte> data);
    std::uint64_t bytes() const noexcept { return bytes_; }
    /// Places all nodes.  returns  the top node
    Node finish(const Shape& shape, const Placer& placer);

private:
    const BaoForm form_;
    Run& run_;
    const std::uint32_t level_, block_level_;  // of the values that are hashed at once, and of a block of them
    std::uint64_t bytes_ = 0;
    std::vector<ChainingValue> blocks_{};
    std::vector<std::vector<std::byte>> nodes_{};  // of each block
};

/// bao_outboard_file() and bao_encode_file() of any source, such as an object of a store. Where only reading tells how
/// much there is, an outboard takes 64 bytes of memory for each group, and an encoding a copy of the message in a file
/// without a name, beside `out`.
/// out     the file that has the bytes; without it, they come back
/// errors  those of bao_outboard_file(), and of the source
BaoOutput bao_of(const ByteSource& source, const BaoForm& form, Placer::Kind kind, const RunOptions& options);
Digest bao_of(const ByteSource& source, const BaoForm& form, Placer::Kind kind, const std::filesystem::path& out,
              const RunOptions& options);

}  // namespace merklize::runtime

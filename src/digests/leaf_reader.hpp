#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "calls/run.hpp"
#include "digests/file_reads.hpp"
#include "hashes/hash_info.hpp"
#include "merklize/tree_input.hpp"

namespace merklize::runtime {

/// Gives the leaves of an input in order. The one way from bytes to leaves: trees in memory, trees in files and roots
/// use it.
class LeafReader {
public:
    /// errors  io; invalid_argument, as far as it is known before reading (a size that the hash does not take; a mode
    ///         that is not plain, with another hash than blake3; bytes that are not a whole count of rows or leaves)
    LeafReader(const TreeInput& input, Hash hash, const Mode& mode);

    const ByteSource& input() const noexcept { return source_; }
    /// Whether the input states how much there is, as a regular file does. Then n_leaves() is known, and leaves can be
    /// skipped. Else only reading shows how many there are.
    bool has_extent() const noexcept { return extent_.has_value(); }
    /// Only where has_extent().
    const ByteSource::Extent& extent() const noexcept {
        return *extent_;  // NOLINT(bugprone-unchecked-optional-access): the caller's duty
    }
    /// Leaves of the whole extent. If there is no extent: leaves read so far.
    std::uint64_t n_leaves() const noexcept { return has_extent() ? count(bytes_) : next_; }
    std::uint64_t bytes() const noexcept { return bytes_; }
    /// What a tree file notes about its leaves; final when bytes() is.
    LeafSource source() const noexcept {
        return input_.kind == TreeInput::Kind::leaves ? LeafSource{} : LeafSource{input_.leaf_bytes, bytes_};
    }
    /// Reads leaves [first, end) of an extent alone.
    void choose(std::uint64_t first, std::uint64_t end);
    /// Reads and hashes the next leaves, by all threads or on the run's device. This is `share` of the whole call.
    /// returns  the number of leaves; fewer than out.size() only at the end
    /// errors   io (also if somebody changes an input with an extent), cancelled, invalid_argument (as the constructor;
    ///          for field hashes a word >= p)
    std::uint64_t read(std::span<Digest> out, Run& run, double share);
    /// All remaining leaves.
    std::vector<Digest> read_all(Run& run);

private:
    SourceReader new_reader() const;
    SourceReader& reader();
    std::uint64_t count(std::uint64_t bytes) const noexcept;
    void require_sizes() const;
    void require_end(std::uint64_t bytes) const;
    void read_extent(std::uint64_t begin, std::uint64_t bytes, std::span<Digest> out, Run& run, double share);
    std::uint64_t read_stream(std::span<Digest> out, Run& run);
    std::size_t receive(std::span<std::byte> out, Run& run);
    void require_leaves(std::span<const Digest> leaves) const;

    const TreeInput input_;
    const mkz_hash_info& hash_;
    const Mode& mode_;
    const std::unique_ptr<const InputFile> opened_;  // null: the input is the caller's source
    const ByteSource& source_;
    const std::optional<ByteSource::Extent> extent_;  // none of an empty input
    std::optional<SourceReader> reader_{};            // made at the first read
    std::uint64_t bytes_ = 0;                         // of the extent; without an extent: read so far
    std::uint64_t next_ = 0;                          // leaf
    std::uint64_t end_ = 0;                           // of the leaves of an extent that are wanted
    bool ended_ = false;                              // the stream has ended
    std::vector<std::byte> buffer_{};
};

}  // namespace merklize::runtime

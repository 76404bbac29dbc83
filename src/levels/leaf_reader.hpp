#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hashes/hash_info.hpp"
#include "host/input_file.hpp"
#include "jobs/run.hpp"
#include "merklize/tree_input.hpp"

namespace merklize::runtime {

/// The leaves that an input makes, in order: the one way from a file to leaves, for trees in memory, in files, and roots.
class LeafReader {
public:
    /// errors  io; invalid_argument (a size that the hash does not take; a mode of another hash than blake3; bytes that are not a
    ///         whole count of rows or leaves), where it shows before reading
    LeafReader(const TreeInput& input, Hash hash, const Mode& mode);

    const InputFile& file() const noexcept { return file_; }
    /// Whether it is a regular file: then n_leaves() is known, and leaves can be skipped. Else reading shows how many there are.
    bool has_extent() const noexcept { return has_extent_; }
    /// Of the whole extent; of another input: of what was read.
    std::uint64_t n_leaves() const noexcept { return has_extent_ ? count(bytes_) : next_; }
    std::uint64_t bytes() const noexcept { return bytes_; }
    /// What a tree file notes; known where bytes() is.
    LeafSource source() const noexcept {
        return input_.kind == TreeInput::Kind::leaves ? LeafSource{} : LeafSource{input_.leaf_bytes, bytes_};
    }
    /// Where the first leaf begins in the file.
    std::uint64_t position() const noexcept { return position_; }

    /// Goes on with leaf `first` of an extent.
    void skip_to(std::uint64_t first) noexcept { next_ = first; }
    /// The next leaves. Read and hashed by all threads or on the run's device; `share` of the call is done by it.
    /// returns  how many; fewer than out.size() only at the end
    /// errors   io (also an extent that changes its size), cancelled, invalid_argument (as the constructor; for field hashes a word >= p)
    std::uint64_t read(std::span<Digest> out, Run& run, double share);
    /// All that are left.
    std::vector<Digest> read_all(Run& run);

private:
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
    const InputFile file_;
    bool has_extent_;
    std::uint64_t position_ = 0;  // in the file, of the first leaf
    std::uint64_t bytes_ = 0;     // of the extent, or read so far
    std::uint64_t next_ = 0;      // leaf
    bool ended_ = false;          // of a stream
    std::vector<std::byte> buffer_{};
};

}  // namespace merklize::runtime

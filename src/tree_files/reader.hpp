#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "files/file_lock.hpp"
#include "host/input_file.hpp"
#include "merklize/digest.hpp"
#include "proofs/plan.hpp"
#include "tree_files/header.hpp"

namespace merklize::runtime {

/// An open tree file with a valid header. Safe to use from several threads.
class TreeFileReader {
public:
    /// Rolls back a change that was interrupted.
    explicit TreeFileReader(const std::filesystem::path& path);
    /// Reads the file that `lock` holds, if it holds one, through the same open file.
    TreeFileReader(const std::filesystem::path& path, const FileLock& lock);
    /// A tree file that is no file of the system: an object of a store.
    explicit TreeFileReader(std::unique_ptr<const ByteSource> source);

    const TreeHeader& header() const noexcept { return header_; }
    TreeLayout layout() const noexcept { return header_.layout(); }
    const ByteSource& source() const noexcept { return *source_; }
    /// The descriptor of a file of the system; -1 for any other source.
    int fd() const noexcept { return source_->file() == nullptr ? -1 : source_->file()->fd(); }
    /// The path of a file of the system; the name of any other source.
    const std::filesystem::path& path() const noexcept { return path_; }

    void read(unsigned level, std::uint64_t first, std::span<Digest> out) const;
    Digest node(unsigned level, std::uint64_t index) const;
    /// Single nodes. Nodes that are neighbours in the list and close together in the file take one read. An object of a
    /// store fetches all of them at once.
    std::vector<Digest> nodes(std::span<const NodeAt> places) const;

private:
    void require_root() const;
    std::vector<Digest> nodes_at_once(std::span<const NodeAt> places) const;

    std::filesystem::path path_;
    std::unique_ptr<const ByteSource> source_;
    TreeHeader header_;
};

}  // namespace merklize::runtime

#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "host/file_lock.hpp"
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
    /// The file that `lock` holds, if it holds one, through the same open file.
    TreeFileReader(const std::filesystem::path& path, const FileLock& lock);

    const TreeHeader& header() const noexcept { return header_; }
    TreeLayout layout() const noexcept { return header_.layout(); }
    const InputFile& file() const noexcept { return file_; }
    const std::filesystem::path& path() const noexcept { return path_; }

    void read(unsigned level, std::uint64_t first, std::span<Digest> out) const;
    Digest node(unsigned level, std::uint64_t index) const;
    /// Single nodes. Nodes that are neighbours in the list and close together in the file take one read.
    std::vector<Digest> nodes(std::span<const NodeAt> places) const;

private:
    void require_root() const;

    std::filesystem::path path_;
    InputFile file_;
    TreeHeader header_;
};

}  // namespace merklize::runtime

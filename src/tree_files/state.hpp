#pragma once

#include <filesystem>
#include <memory>

#include "files/file_lock.hpp"
#include "jobs/progress.hpp"
#include "merklize/tree_file.hpp"
#include "tree_files/reader.hpp"

namespace merklize::inline v0 {

/// The state of a TreeFile, for tree_file.cpp, check.cpp and change.cpp.
struct MERKLIZE_LOCAL TreeFile::State {
    explicit State(const std::filesystem::path& path);
    explicit State(std::unique_ptr<const runtime::ByteSource> source);

    std::unique_ptr<const runtime::TreeFileReader> open;
    TreeForm form;  ///< a keyed tree has no mode here until the caller gives it

    const runtime::TreeFileReader& reader() const noexcept { return *open; }
    const runtime::TreeHeader& header() const noexcept { return reader().header(); }
    /// Opens the file that has replaced this one.
    void reopen();
    /// Waits until nobody else is changing the file, and reads it as it is now. While the lock is held, nobody else can
    /// change the file, so no change of others is lost. `open` then shares the lock's descriptor, for the sake of the
    /// journal's lease.
    /// errors  io (also if a tree of another form has replaced the file), cancelled
    runtime::FileLock begin_change(runtime::Progress& progress);
    /// Refuses a change of a tree file in a store.
    void require_file() const;
    /// TreeFile::append() of leaves that stand for these bytes.
    void append(std::span<const Digest> leaves, const LeafSource& source, const RunOptions& options);
    /// errors  invalid_argument (nodes that the level does not have, or a level above the root)
    void require_nodes(unsigned level, std::uint64_t first, std::uint64_t count) const;
    bool is_keyed() const noexcept { return header().merges != runtime::TreeHeader::Merges::plain; }
    /// The form for merges.  errors  invalid_argument (the caller has not given the mode)
    const TreeForm& complete_form() const;
};

}  // namespace merklize::inline v0

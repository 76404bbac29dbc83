#pragma once

#include <filesystem>
#include <memory>

#include "host/atomic_file.hpp"
#include "merklize/tree_file.hpp"
#include "tree_files/reader.hpp"

namespace merklize {

/// What a TreeFile holds; for tree_file.cpp, check.cpp and change.cpp.
struct TreeFile::State {
    explicit State(const std::filesystem::path& path);

    std::unique_ptr<const runtime::TreeFileReader> open;
    TreeForm form;  ///< without the mode of a keyed tree until that is given

    const runtime::TreeFileReader& reader() const noexcept { return *open; }
    const runtime::TreeHeader& header() const noexcept { return reader().header(); }
    /// Reads the file that has taken this one's place.
    void reopen();
    /// Waits until nobody else is changing the file, reads it as it is now, and gives the file that is to take its place. Nobody else
    /// can change it until that is destroyed: what others changed before is not lost.
    /// errors  io (also a file that a tree of another form replaced), cancelled
    runtime::AtomicFile begin_change(const char* what, const RunOptions& options);
    /// errors  invalid_argument (nodes that the level does not have, a level above the root)
    void require_nodes(unsigned level, std::uint64_t first, std::uint64_t count) const;
    bool is_keyed() const noexcept { return header().merges != runtime::TreeHeader::Merges::plain; }
    /// The form with which merges can be made.  errors  invalid_argument (the mode is not given yet)
    const TreeForm& complete_form(const char* what) const;
    /// The form with which proofs can be made: they need the mode only where padding is in them.
    const TreeForm& proof_form(const char* what) const {
        return form.rule == TreeRule::pad && reader().layout().has_edge(reader().layout().height())
                   ? complete_form(what)
                   : form;
    }
};

}  // namespace merklize

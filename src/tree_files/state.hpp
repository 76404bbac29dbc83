#pragma once

#include <filesystem>
#include <memory>

#include "merklize/tree_file.hpp"
#include "tree_files/reader.hpp"

namespace merklize {

/// What a TreeFile holds; for its sources: tree_file, tree_file_check, tree_file_change.
struct TreeFile::State {
    explicit State(const std::filesystem::path& path);

    std::unique_ptr<const runtime::TreeReader> open;
    TreeForm form;  ///< without the mode of a keyed tree until that is given

    const runtime::TreeReader& reader() const noexcept { return *open; }
    const runtime::TreeHeader& header() const noexcept { return reader().header(); }
    /// Reads the file that has taken this one's place.
    void reopen();
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

#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <future>
#include <span>

#include "files/atomic_file.hpp"
#include "jobs/progress.hpp"
#include "levels/peaks.hpp"
#include "merklize/tree_file.hpp"
#include "tree_files/header.hpp"

namespace merklize::runtime {

/// An unfinished tree file: takes leaves in order and writes the levels. While one batch is built, a thread writes the
/// other. Every few seconds a note in the file's header area says what is on the disk, so that a later process can
/// continue from there.
class TreeFileWriter {
public:
    /// As TreeWriter.  stamp  identifies the data that the leaves come from; a file that was begun with other data is
    /// not resumed
    TreeFileWriter(const std::filesystem::path& path, std::uint64_t n_leaves, const TreeForm& form,
                   const LeafSource& source, bool resume, std::uint64_t stamp = 0);
    TreeFileWriter(const TreeFileWriter&) = delete;
    TreeFileWriter& operator=(const TreeFileWriter&) = delete;
    /// Tries to note the leaves that were taken.
    ~TreeFileWriter();

    std::uint64_t taken() const noexcept { return passed_on_ + held_; }
    /// Where the caller must put the next leaves. Not empty. Valid until take().
    std::span<Digest> room() const noexcept { return filling().leaves().subspan(held_); }
    /// Takes the first n leaves of room(). Builds the batch if it is full now.
    void take(std::uint64_t n, const RunOptions& options);
    /// Waits until all taken leaves are on the disk, and notes them.
    void checkpoint();
    /// source  replaces the constructor's source if the count of leaves was not known
    Digest finish(const RunOptions& options, const LeafSource* source = nullptr);
    /// Complete after finish().
    const TreeHeader& header() const noexcept { return header_; }

private:
    Batch& filling() const noexcept { return batches_[turn_]; }
    void require_left_by_build(std::uint64_t there) const;
    bool resume(std::uint64_t leaves);
    void hand_over(bool with_leaves);
    void write_batch(const Batch& batch, std::uint64_t first, bool with_leaves);
    void write_nodes(unsigned level, std::uint64_t first, std::span<const Digest> nodes);
    void build_above(const RunOptions& options, Progress& progress);
    void require_unambiguous();
    void wait();
    void wait(Progress& progress);
    void require_usable() const;
    void note(std::uint64_t leaves);
    NodeSink sink() {
        return [this](unsigned level, std::uint64_t first, std::span<const Digest> nodes) {
            write_nodes(level, first, nodes);
        };
    }
    bool count_known() const noexcept { return header_.n_leaves != 0; }

    TreeForm form_;
    TreeHeader header_;
    TreeHeader::Bytes unfinished_{};  // header area without notes
    AtomicFile file_;
    mutable Batch batches_[2]{};
    unsigned turn_ = 0;            // which of the two batches is being filled
    std::uint64_t held_ = 0;       // leaves in that batch
    std::uint64_t passed_on_ = 0;  // leaves in the batches before it
    bool failed_ = false;          // a batch was lost, so no more leaves can be taken
    bool done_ = false;            // no more notes are made
    std::future<void> writing_{};  // writes the other batch, and owns the members below until wait()
    Peaks peaks_;                  // of the leaves that are written
    std::uint64_t written_ = 0;    // leaves in the file; the nodes of their whole batches are there as well
    std::uint64_t next_note_ = 0;
    std::chrono::steady_clock::time_point noted_at_ = std::chrono::steady_clock::now();
};

}  // namespace merklize::runtime

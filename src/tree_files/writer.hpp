#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <future>
#include <span>

#include "host/atomic_file.hpp"
#include "levels/peaks.hpp"
#include "merklize/tree_file.hpp"
#include "tree_files/header.hpp"

namespace merklize::runtime {

/// A tree file in the making: leaves in order in, levels out. While one batch is built, another one is written by a thread of its own.
/// What is on the disk is noted in the file's header area every few seconds, so that a later process can go on from there.
class TreeFileWriter {
public:
    /// As TreeWriter. stamp  of the data that the leaves come from: what was written of other data is not taken up
    TreeFileWriter(const std::filesystem::path& path, std::uint64_t n_leaves, const TreeForm& form,
                   const LeafSource& source, bool resume, std::uint64_t stamp = 0);
    TreeFileWriter(const TreeFileWriter&) = delete;
    TreeFileWriter& operator=(const TreeFileWriter&) = delete;
    /// Notes what was taken, if that can be.
    ~TreeFileWriter();

    std::uint64_t taken() const noexcept { return passed_on_ + held_; }
    /// Where the next leaves are to be put; not empty. Valid until take().
    std::span<Digest> room() const noexcept { return filling().leaves().subspan(held_); }
    /// The first n leaves of room() are there. Builds the batch if that fills it.
    void take(std::uint64_t n, const RunOptions& options);
    /// Waits until what was taken is on the disk, and notes it.
    void checkpoint();
    /// source  of a file whose count of leaves was not known: replaces that of the constructor
    Digest finish(const RunOptions& options, const LeafSource* source = nullptr);
    /// After finish().
    const TreeHeader& header() const noexcept { return header_; }

private:
    Batch& filling() const noexcept { return batches_[turn_]; }
    bool resume(std::uint64_t leaves);
    void hand_over(bool with_leaves);
    void write_batch(const Batch& batch, std::uint64_t first, bool with_leaves);
    void write_nodes(unsigned level, std::uint64_t first, std::span<const Digest> nodes);
    void build_above(const RunOptions& options);
    void wait();
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
    TreeHeader::Bytes unfinished_{};  // the header area without notes
    AtomicFile file_;
    mutable Batch batches_[2]{};
    unsigned turn_ = 0;            // of the batch that is being filled
    std::uint64_t held_ = 0;       // leaves in it
    std::uint64_t passed_on_ = 0;  // leaves in the batches before it
    bool failed_ = false;          // a batch was lost: no more can be taken
    bool done_ = false;            // nothing is to be noted any more
    std::future<void> writing_{};  // of the other batch; what follows belongs to it until wait()
    Peaks peaks_;                  // of what is written
    std::uint64_t written_ = 0;    // leaves that are in the file, and the nodes of their whole batches
    std::uint64_t next_note_ = 0;
    std::chrono::steady_clock::time_point noted_at_ = std::chrono::steady_clock::now();
};

}  // namespace merklize::runtime

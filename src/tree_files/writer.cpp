#include "tree_files/writer.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "hashes/field.hpp"
#include "host/invalid.hpp"
#include "jobs/cancelling.hpp"
#include "levels/merges.hpp"
#include "levels/right_edge.hpp"
#include "merklize/error.hpp"

namespace merklize::runtime {
namespace {

// The time between notes, which is the most work that a killed process can lose. Each note waits for the disk.
constexpr auto note_interval = std::chrono::seconds(2);

void require_form(const TreeForm& form, std::uint64_t n_leaves) {
    const Merges merges(form);
    if (n_leaves != 0) merges.require_count(n_leaves);
}

}  // namespace

TreeFileWriter::TreeFileWriter(const std::filesystem::path& path, std::uint64_t n_leaves, const TreeForm& form,
                               const LeafSource& source, bool resume_old, std::uint64_t stamp)
    : form_(form),
      header_(form, n_leaves, source),
      unfinished_(header_.encode_unfinished(stamp)),
      file_((require_form(form, n_leaves), AtomicFile::partial(path))),
      peaks_(form) {
    const std::uint64_t there = file_.size();
    require_left_by_build(there);
    if (resume_old && there >= TreeHeader::size) {
        TreeHeader::Bytes old;
        file_.read(old, 0);
        const auto progress = header_.find_notes(old, stamp);
        // All noted leaves must be there. Leaves come first in the file, whatever their count.
        if (progress && there >= TreeHeader::size + Digest::size * progress->leaves) {
            next_note_ = progress->next_turn;
            if (resume(progress->leaves)) return;
        }
    }
    try {
        if (count_known()) file_.require_space(header_.file_bytes());
        file_.resize(0);
        file_.write(unfinished_, 0);
        if (count_known()) file_.allocate(header_.file_bytes());
    } catch (...) {
        if (there == 0) file_.discard();  // this build made the file; a file of an earlier build stays
        throw;
    }
    note(0);
}

// A file of this name may be somebody's own, as of a program that downloads.
void TreeFileWriter::require_left_by_build(std::uint64_t there) const {
    std::array<std::byte, 8> begin{};
    const auto found = std::span(begin).first(std::min<std::uint64_t>(there, begin.size()));
    file_.read(found, 0);
    if (TreeHeader::may_begin(found)) return;
    throw Error(ErrorCode::io, AtomicFile::partial_of(file_.path()).string() +
                                   ": cannot write: it is not what a build of a tree left; move or remove it first");
}

// Reads the peaks and the leaves of the unfinished batch. False if one is not a digest of the hash, because then
// another program wrote to the file.
bool TreeFileWriter::resume(std::uint64_t leaves) {
    const std::uint64_t held = leaves % Batch::capacity, before = leaves - held;
    bool sound = true;
    const auto read = [&](std::span<Digest> out, std::uint64_t offset) {
        file_.read(std::as_writable_bytes(out), offset);
        sound = sound && are_canonical(info(form_.hash), out);
    };
    read(filling().leaves().first(held), header_.offset(0, before));
    if (count_known()) {
        peaks_.restore(before, [&](unsigned level, std::uint64_t index) {
            Digest node;
            read({&node, 1}, header_.offset(level, index));
            return node;
        });
    }
    if (!sound) {
        peaks_ = Peaks(form_);
        return false;
    }
    written_ = leaves;
    held_ = held;
    passed_on_ = before;
    return true;
}

TreeFileWriter::~TreeFileWriter() {
    try {
        if (writing_.valid()) wait();
        if (!done_ && !failed_) checkpoint();
    } catch (...) {
        failed_ = true;
    }
    try {
        if (!done_ && failed_) note(written_);
    } catch (...) {  // the last note stays valid
    }
}

void TreeFileWriter::require_usable() const {
    if (!failed_ && !done_) return;
    throw Error(ErrorCode::io, file_.path().string() + ": writing it has ended" +
                                   (failed_ ? " with an error; begin again to resume from its .partial file" : ""));
}

void TreeFileWriter::take(std::uint64_t n, const RunOptions& options) {
    require_usable();
    if (count_known() && n > header_.n_leaves - taken()) {
        invalid(file_.path().string() + ": must get " + std::to_string(header_.n_leaves) + " leaves, got more");
    }
    if (held_ + n < Batch::capacity) {
        held_ += n;
        return;
    }
    if (count_known()) filling().build(form_, options);
    Progress progress(options.progress);
    wait(progress);
    held_ += n;
    hand_over(true);
}

// Hands the full batch to the writing thread.
void TreeFileWriter::hand_over(bool with_leaves) {
    wait();
    const Batch& batch = filling();
    writing_ = std::async(std::launch::async,
                          [this, &batch, first = passed_on_, with_leaves] { write_batch(batch, first, with_leaves); });
    passed_on_ += held_;
    held_ = 0;
    turn_ ^= 1;
}

void TreeFileWriter::wait() try {
    if (writing_.valid()) writing_.get();
} catch (...) {
    failed_ = true;
    throw;
}

// The same, while the caller may cancel, which loses nothing.
void TreeFileWriter::wait(Progress& progress) {
    while (writing_.valid() && writing_.wait_for(std::chrono::milliseconds(10)) != std::future_status::ready) {
        require(progress, 1);
    }
    wait();
}

void TreeFileWriter::write_nodes(unsigned level, std::uint64_t first, std::span<const Digest> nodes) {
    const std::uint64_t offset = header_.offset(level, first);
    file_.write(std::as_bytes(nodes), offset);
    if (nodes.size() >= 4096) file_.start_sync(offset, nodes.size_bytes());
}

void TreeFileWriter::write_batch(const Batch& batch, std::uint64_t first, bool with_leaves) {
    if (with_leaves) write_nodes(0, first, batch.leaves());
    if (count_known()) batch.push(peaks_, sink());
    written_ = first + Batch::capacity;
    if (with_leaves && std::chrono::steady_clock::now() - noted_at_ >= note_interval) note(written_);
}

// The noted leaves are on the disk before the note, so that a power failure cannot leave a note of missing leaves.
void TreeFileWriter::note(std::uint64_t leaves) {
    if (leaves != 0) file_.sync();
    const TreeHeader::Note note = TreeHeader::note(unfinished_, next_note_++, leaves);
    file_.write(note.bytes, note.offset);
    noted_at_ = std::chrono::steady_clock::now();
}

void TreeFileWriter::checkpoint() {
    require_usable();
    wait();
    if (held_ != 0) write_nodes(0, passed_on_, filling().leaves().first(held_));
    note(taken());
    file_.sync();
}

// Builds the nodes above leaves that were written before their count was known.
void TreeFileWriter::build_above(const RunOptions& options, Progress& progress) {
    const std::uint64_t n = header_.n_leaves;
    passed_on_ = written_ = 0;
    const auto share = [n](std::uint64_t leaves) { return static_cast<double>(leaves) / static_cast<double>(n); };
    while (n - passed_on_ >= Batch::capacity) {
        file_.read(std::as_writable_bytes(filling().leaves()), header_.offset(0, passed_on_));
        RunOptions part = options;
        part.progress = progress.begin(share(Batch::capacity));
        filling().build(form_, part);
        wait(progress);
        progress.end(progress.tell(share(Batch::capacity)));
        held_ = Batch::capacity;
        hand_over(false);
    }
    held_ = n - passed_on_;
    file_.read(std::as_writable_bytes(filling().leaves().first(held_)), header_.offset(0, passed_on_));
    wait();
}

// Refuses leaves of which no build makes a tree; nobody is to go on with them.
void TreeFileWriter::require_unambiguous() try {
    runtime::require_unambiguous(header_.layout(), [&](unsigned level, std::uint64_t first, std::span<Digest> out) {
        file_.read(std::as_writable_bytes(out), header_.offset(level, first));
    });
} catch (const Error& error) {
    if (error.code() == ErrorCode::invalid_argument) {
        done_ = true;
        file_.discard();
    }
    throw;
}

Digest TreeFileWriter::finish(const RunOptions& options, const LeafSource* source) {
    require_usable();
    Progress progress(options.progress);
    const AtomicFile::Ask ask = waiting(progress);
    wait(progress);
    if (!count_known()) {
        Merges(form_).require_count(taken());
        const TreeHeader header(form_, taken(), source == nullptr ? header_.source : *source);
        file_.sync(ask);
        checkpoint();
        done_ = true;  // all leaves are noted: after a later error, a new build starts from them
        header_ = header;
        file_.reserve(header_.file_bytes());
        build_above(options, progress);
    } else if (taken() != header_.n_leaves) {
        invalid(file_.path().string() + ": must get " + std::to_string(header_.n_leaves) + " leaves, got " +
                std::to_string(taken()));
    }
    const auto rest = filling().leaves().first(held_);
    write_nodes(0, passed_on_, rest);
    Peaks peaks = peaks_;  // of which nothing is lost if this is cancelled
    RunOptions part = options;
    part.progress = progress.begin(0);
    peaks.push_leaves(rest, part, sink());
    header_.root = peaks.root(sink());
    if (is_looked_at(form_)) require_unambiguous();
    file_.resize(header_.file_bytes());
    file_.prepare(ask);  // before the header says that the file is complete
    require_last(progress, 0);
    file_.write(header_.encode(), 0);
    file_.commit();
    done_ = true;
    return header_.root;
}

}  // namespace merklize::runtime

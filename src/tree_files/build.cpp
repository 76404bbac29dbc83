// build_tree_file(): from a file of data or of leaves, or a pipe of them, to a tree file.
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "host/input_file.hpp"
#include "jobs/field.hpp"
#include "merklize/error.hpp"
#include "merklize/tree_file.hpp"
#include "tree_files/writer.hpp"

namespace merklize {
namespace {

using runtime::Batch;
using runtime::File;
using runtime::part_of;
using runtime::TreeOutput;

constexpr double hash_share = 0.7;  // of a batch: reading it and making its leaves

// Tells another file, or the same after it was written to. What was built of the one must not go on with the other.
std::uint64_t stamp_of(const File& file) {
    struct stat info;
    if (fstat(file.fd(), &info) != 0) file.fail("cannot stat", errno);
#ifdef __APPLE__
    const timespec& changed = info.st_mtimespec;
#else
    const timespec& changed = info.st_mtim;
#endif
    const std::array<std::uint64_t, 5> facts = {
        static_cast<std::uint64_t>(info.st_dev), static_cast<std::uint64_t>(info.st_ino),
        static_cast<std::uint64_t>(info.st_size), static_cast<std::uint64_t>(changed.tv_sec),
        static_cast<std::uint64_t>(changed.tv_nsec)};
    return runtime::checksum(std::as_bytes(std::span(facts)));
}

// Bytes of the input that become leaves: records to be hashed, or the leaves themselves.
class Leaves {
public:
    Leaves(std::uint64_t leaf_bytes, bool hashed, const TreeForm& form)
        : leaf_bytes_(leaf_bytes), hashed_(hashed), form_(form) {
        if (leaf_bytes == 0) {
            throw Error(ErrorCode::invalid_argument, "build_tree_file: leaf_bytes must be at least 1, got 0");
        }
    }

    std::uint64_t leaf_bytes() const { return leaf_bytes_; }
    LeafSource source(std::uint64_t total_bytes) const {
        return hashed_ ? LeafSource{leaf_bytes_, total_bytes} : LeafSource{};
    }
    std::uint64_t count(std::uint64_t total_bytes, const std::string& name) const {
        if (!hashed_ && total_bytes % Digest::size != 0) {
            throw Error(ErrorCode::invalid_argument, name + ": " + std::to_string(total_bytes) +
                                                         " bytes are not a whole count of leaves of 32 bytes");
        }
        const std::uint64_t n = total_bytes / leaf_bytes_ + (total_bytes % leaf_bytes_ != 0);
        return hashed_ && n == 0 ? 1 : n;  // nothing is one empty leaf
    }

    // Leaves first .. first+out.size()-1 of a regular file of `total_bytes`.
    void read(const File& file, std::uint64_t total_bytes, std::uint64_t first, std::span<Digest> out,
              const RunOptions& options) const {
        runtime::Run run(options);
        if (hashed_) {
            runtime::hash_pieces(file, total_bytes, leaf_bytes_, first, out, form_.hash, form_.mode, run, 1);
        } else {
            runtime::read_together(file, std::as_writable_bytes(out), Digest::size * first, run, 1);
            require_leaves(out, first);
        }
    }

    // The leaves of whole records in memory, the last one of all perhaps shorter.
    void make(std::span<const std::byte> records, std::uint64_t first, std::span<Digest> out,
              const RunOptions& options) const {
        if (!hashed_) {
            std::memcpy(out.data(), records.data(), out.size_bytes());
            return require_leaves(out, first);
        }
        const std::uint64_t whole = records.size() / leaf_bytes_;
        hash_leaves(records.first(whole * leaf_bytes_), leaf_bytes_, out.first(whole), form_.hash, form_.mode, options);
        if (out.size() == whole) return;
        const auto rest = records.subspan(whole * leaf_bytes_);
        if (traits(form_.hash).is_field && !rest.empty()) {
            throw Error(ErrorCode::invalid_argument,
                        "build_tree_file: the last leaf has " + std::to_string(rest.size()) + " bytes, not " +
                            std::to_string(leaf_bytes_) + ", which a hash of field elements needs");
        }
        hash_leaves(rest, rest.size(), out.subspan(whole), form_.hash, form_.mode, options);
    }

private:
    void require_leaves(std::span<const Digest> leaves, std::uint64_t first) const {
        runtime::require_canonical(form_.hash, leaves, "build_tree_file: leaves", first);
    }

    std::uint64_t leaf_bytes_;
    bool hashed_;
    const TreeForm& form_;
};

// A regular file: read by all threads, and taken up again where an earlier process stopped.
Digest from_extent(const File& input, std::uint64_t bytes, const std::string& name, const Leaves& leaves,
                   const std::filesystem::path& output, const TreeForm& form, bool resume, const RunOptions& options) {
    const std::uint64_t n = leaves.count(bytes, name);
    TreeOutput out(output, n, form, leaves.source(bytes), resume, stamp_of(input));
    const auto share = [n](std::uint64_t part) { return static_cast<double>(part) / static_cast<double>(n); };
    while (out.taken() < n) {
        const std::uint64_t first = out.taken();
        const auto room = out.room().first(std::min<std::uint64_t>(out.room().size(), n - first));
        input.advise(leaves.leaf_bytes() * (first + room.size()), leaves.leaf_bytes() * Batch::capacity);
        leaves.read(input, bytes, first, room, part_of(options, share(first), hash_share * share(room.size())));
        out.take(room.size(), part_of(options, share(first) + hash_share * share(room.size()),
                                      (1 - hash_share) * share(room.size())));
    }
    input.require_size(bytes);
    return out.finish(part_of(options, 1, 0));
}

// What can only be read in order, and once: how many leaves it makes shows at its end.
Digest from_stream(const File& input, const std::string& name, const Leaves& leaves,
                   const std::filesystem::path& output, const TreeForm& form, const RunOptions& options) {
    constexpr std::uint64_t most_bytes = std::uint64_t{64} << 20, read_bytes = std::uint64_t{8} << 20;
    const std::uint64_t leaf_bytes = leaves.leaf_bytes();
    if (leaf_bytes > most_bytes) {
        throw Error(ErrorCode::invalid_argument, name + ": leaf_bytes of what is no regular file must be at most " +
                                                     std::to_string(most_bytes) + ", got " +
                                                     std::to_string(leaf_bytes));
    }
    TreeOutput out(output, 0, form, leaves.source(0), false);
    std::vector<std::byte> buffer(std::clamp<std::uint64_t>(read_bytes / leaf_bytes, 1, Batch::capacity) * leaf_bytes);
    input.widen_pipe(1 << 20);
    const RunOptions part = part_of(options, 0, 0);
    runtime::Run run(part);
    std::uint64_t total = 0;
    for (bool ended = false; !ended;) {
        bool stopped = false;
        const std::size_t count = input.read_some(std::span(buffer), [&] { return !(stopped = !run.tick(0)); });
        if (stopped) run.throw_cancelled();
        ended = count < buffer.size();
        total += count;
        std::uint64_t n = (ended ? leaves.count(total, name) : total / leaf_bytes) - out.taken();
        for (std::span<const std::byte> data = std::span(buffer).first(count); n != 0;) {
            const auto room = out.room().first(std::min<std::uint64_t>(out.room().size(), n));
            const auto records = data.first(std::min<std::uint64_t>(data.size(), room.size() * leaf_bytes));
            leaves.make(records, out.taken(), room, part);
            out.take(room.size(), part);
            data = data.subspan(records.size());
            n -= room.size();
        }
    }
    const LeafSource source = leaves.source(total);
    return out.finish(part_of(options, 0, 1), &source);
}

Digest build(const std::filesystem::path& input, const Leaves& leaves, const std::filesystem::path& output,
             const TreeForm& form, bool resume, const RunOptions& options) {
    const File file(input);
    std::error_code error;
    if (std::filesystem::equivalent(input, output, error)) {
        throw Error(ErrorCode::invalid_argument, "build_tree_file: " + input.string() + " is both input and output");
    }
    std::uint64_t position = 0, bytes = 0;
    // Also what is empty, or made up by the kernel: reading shows.
    if (!file.has_extent(position, bytes)) return from_stream(file, input.string(), leaves, output, form, options);
    return from_extent(file, bytes, input.string(), leaves, output, form, resume, options);
}

}  // namespace

Digest build_tree_file(const std::filesystem::path& input, std::uint64_t leaf_bytes,
                       const std::filesystem::path& output, const TreeForm& form, bool resume,
                       const RunOptions& options) {
    return build(input, Leaves(leaf_bytes, true, form), output, form, resume, options);
}

Digest build_tree_file(const std::filesystem::path& leaves, const std::filesystem::path& output, const TreeForm& form,
                       bool resume, const RunOptions& options) {
    return build(leaves, Leaves(Digest::size, false, form), output, form, resume, options);
}

}  // namespace merklize

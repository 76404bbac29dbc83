#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "manifests/safetensors.hpp"
#include "merklize/device.hpp"
#include "merklize/manifest.hpp"
#include "merklize/pieces.hpp"

namespace merklize::inline v0::manifests {

/// The options of a call whose work is done in parts. The progress of a part counts by its bytes.
class Work {
public:
    explicit Work(const RunOptions& options) : options_(options) {}

    void set_total(std::uint64_t bytes) { total_ = bytes; }
    /// The options for the next `bytes` bytes.
    RunOptions part(std::uint64_t bytes) const;
    /// Reports that they are done.  errors  cancelled
    void advance(std::uint64_t bytes);

private:
    const RunOptions& options_;
    std::uint64_t done_ = 0, total_ = 0;
};

/// The facts about a file before it is read: its size and what refresh() compares, or why it cannot be read.
struct Looked {
    std::uint64_t size = 0;
    std::optional<Seen> seen{};
    std::exception_ptr error{};
};

struct Hashed {
    PieceDigests made{};
    std::exception_ptr error{};
};

/// Where the files of a source lie: on a disk, or in a store. Names are relative to the source's folder. An Error with
/// io or invalid_argument is about one file; all others end the call. While a file is read, it must stay the one that
/// look_at() saw.
class Storage {
public:
    Storage() = default;
    Storage(const Storage&) = delete;
    Storage& operator=(const Storage&) = delete;
    virtual ~Storage() = default;

    /// The name for error texts.
    virtual std::string shown(const std::string& name) const = 0;
    virtual std::vector<Looked> look_at(std::span<const std::string> names) = 0;
    virtual Header read_header(const std::string& shard) = 0;
    /// The whole of a file.
    virtual std::string content(const std::string& name) = 0;
    /// Digests of ranges of a file.
    virtual std::vector<PieceDigests> hash_ranges(const std::string& shard, std::span<const FileRange> ranges,
                                                  std::uint64_t piece_size, const RunOptions& options) = 0;
    /// Calls `action` with what reads a file, and the number of threads that may call it at once.
    virtual void use(const std::string& shard, const std::function<void(const ReadAt&, unsigned readers)>& action) = 0;
    /// Digests of whole files, several files at once; each advances `work` by its size.
    virtual std::vector<Hashed> hash_files(std::span<const std::string> names, std::uint64_t piece_size,
                                           Work& work) = 0;
};

}  // namespace merklize::inline v0::manifests

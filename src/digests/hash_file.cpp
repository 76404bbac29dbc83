// hash_file(), hash_descriptor() and hash_files().
#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "calls/side_by_side.hpp"
#include "digests/file_root.hpp"
#include "digests/hash_each.hpp"
#include "hashes/merge_one.hpp"
#include "host/host_block.hpp"
#include "host/invalid.hpp"
#include "merklize/error.hpp"
#include "merklize/hash.hpp"

namespace merklize::inline v0 {
namespace {

// Decides which threads may hash at once. A processor with queues (OpenCL, SYCL) hashes each batch by all cores, so
// batches take turns there: side by side they gain nothing, and when two of them end at once, an assertion in PoCL 5.0
// aborts the process.
class Turns {
public:
    explicit Turns(const runtime::DeviceState& device) : one_at_a_time_(!device.is_host() && device.is_processor()) {}
    [[nodiscard]] std::unique_lock<std::mutex> take() {
        return one_at_a_time_ ? std::unique_lock(mutex_) : std::unique_lock<std::mutex>();
    }

private:
    const bool one_at_a_time_;
    std::mutex mutex_;
};

// Small files that one thread reads into its buffer one after another, to hash them side by side.
class ReadTogether {
public:
    ReadTogether(std::vector<FileDigest>& results, const runtime::Output& wanted, Turns& turns)
        : results_(results), wanted_(wanted), turns_(turns), buffer_(runtime::thread_buffer()) {}

    // Reads a file of `bytes` bytes and one byte more.  returns  false: the file is longer or shorter, and is not kept
    bool read(std::size_t index, const runtime::InputFile& file, const runtime::InputFile::Extent& extent,
              runtime::Run& run) {
        const auto [position, bytes, identity] = extent;
        if (used_ + bytes + 1 > buffer_.size()) hash(run);
        const auto here = buffer_.subspan(used_, bytes + 1);
        const bool is_whole = file.read_up_to(here, position) == bytes;
        file.require_unchanged(identity);
        if (!is_whole) return false;
        file.leave_at(position + bytes);
        indices_.push_back(index);
        messages_.push_back({runtime::host_place(here.data()), bytes});
        used_ += (bytes + 63) / 64 * 64;
        return true;
    }

    void hash(runtime::Run& run) {
        outputs_.resize(wanted_.length * messages_.size());
        {
            const auto turn = turns_.take();
            runtime::hash_messages(messages_, wanted_, outputs_.data(), run, 0);
        }
        for (std::size_t i = 0; i < indices_.size(); i++) {
            const auto output = std::span(outputs_).subspan(wanted_.length * i, wanted_.length);
            results_[indices_[i]].output.assign(output.begin(), output.end());
        }
        indices_.clear();
        messages_.clear();
        used_ = 0;
    }

private:
    std::vector<FileDigest>& results_;
    const runtime::Output& wanted_;
    Turns& turns_;
    std::span<std::byte> buffer_;
    std::size_t used_ = 0;
    std::vector<std::size_t> indices_;
    std::vector<runtime::Extent> messages_;
    std::vector<std::byte> outputs_;
};

}  // namespace

}  // namespace merklize::inline v0

namespace merklize::runtime {

void note_failure(FileDigest& result, const Error& error) {
    if (error.code() != ErrorCode::io) throw;
    result.output.clear();
    result.error = error.what();
    result.system_error = error.system_error();
}

}  // namespace merklize::runtime

namespace merklize::inline v0 {

void hash_file(const std::filesystem::path& path, std::span<std::byte> out, std::uint64_t seek, const Mode& mode,
               const RunOptions& options) {
    const PublicCall entry("hash_file");
    refuse_empty_path(path.native());
    runtime::require_blake3(mode);
    const runtime::InputFile file(path);
    runtime::Run run(options);
    runtime::root_of(file, mode, run).expand(out, seek, run);
}

void hash_descriptor(int fd, std::string_view name, std::span<std::byte> out, std::uint64_t seek, const Mode& mode,
                     const RunOptions& options) {
    const PublicCall entry("hash_descriptor");
    runtime::require_blake3(mode);
    const runtime::InputFile file(fd, name);
    runtime::Run run(options);
    runtime::root_of(file, mode, run).expand(out, seek, run);
}

std::vector<FileDigest> hash_files(std::span<const std::filesystem::path> paths, std::size_t length, std::uint64_t seek,
                                   const Mode& mode, const RunOptions& options) {
    return runtime::hash_files(paths, length, seek, mode, options, {});
}

}  // namespace merklize::inline v0

namespace merklize::runtime {

std::vector<FileDigest> hash_files(std::span<const std::filesystem::path> paths, std::size_t length, std::uint64_t seek,
                                   const Mode& mode, const RunOptions& options, std::span<std::uint64_t> sizes) {
    const PublicCall entry("hash_files");
    refuse_empty_paths(paths);
    require_blake3(mode);
    if (length != 0 && paths.size() > host_memory() / length) {
        throw Error(ErrorCode::out_of_memory, PublicCall::name(),
                    "outputs of " + std::to_string(length) + " bytes for " + std::to_string(paths.size()) +
                        " files do not fit into the memory of " + std::to_string(host_memory()) + " bytes");
    }
    std::vector<FileDigest> results(paths.size());
    // First the small files, one thread each, which hashes the smallest ones several at once. Then large files and
    // inputs that are no regular files, one by one, each by all threads.
    constexpr std::uint64_t small_bytes = 4 << 20, together_bytes = 64 << 10;
    const Output wanted{length, seek, mode};
    std::vector<char> later(paths.size());
    std::vector<std::unique_ptr<const InputFile>> pipes(paths.size());  // a writer opens its pipe only once
    Timings times{};                                                    // of all files together
    std::mutex guards_times;
    const auto add_times = [&](const Timings& more) {
        if (options.timings == nullptr) return;
        const std::lock_guard lock(guards_times);
        times.available = times.available || more.available;
        times.kernel += more.kernel;
        times.to_device += more.to_device;
        times.to_host += more.to_host;
    };
    Turns turns(state_of(options.device));
    const auto note_size = [&](std::size_t i, std::uint64_t bytes) {
        if (!sizes.empty()) sizes[i] = bytes;
    };
    const auto hash_one = [&](std::size_t i, const InputFile& file, const std::optional<InputFile::Extent>& stated,
                              Run& run) {
        const auto turn = turns.take();
        const auto [root, bytes] = root_of_file(file, stated, mode, run);
        note_size(i, bytes);
        results[i].output.resize(length);
        root.expand(results[i].output, seek, run);
    };
    // Files [first, end) by one thread.
    const auto hash_small = [&](std::size_t first, std::size_t end, RunOptions alone) {
        Timings its{};
        if (options.timings != nullptr) alone.timings = &its;
        Run run(alone);
        ReadTogether together(results, wanted, turns);
        for (std::size_t i = first; i < end; i++) {
            try {
                auto file = std::make_unique<const InputFile>(paths[i]);
                const auto stated = file->stated();
                later[i] = !stated || stated->bytes > small_bytes;
                if (later[i]) {
                    if (file->is_pipe()) pipes[i] = std::move(file);
                    continue;
                }
                if (stated->bytes <= together_bytes && together.read(i, *file, *stated, run)) {
                    note_size(i, stated->bytes);
                    continue;
                }
                together.hash(run);  // first, because the thread has one buffer
                hash_one(i, *file, stated, run);
            } catch (const Error& error) {
                note_failure(results[i], error);
            }
        }
        together.hash(run);
        add_times(its);
    };
    const RunOptions alone = by_one_thread(options);
    Run run(options);
    // Enough files to fill the lanes, but few enough for all threads to get some. The number of large files is known
    // only after this pass, so each pass counts as half of the progress.
    const std::size_t per_thread = std::clamp<std::size_t>(paths.size() / (std::size_t{4} * run.threads()), 1, 64);
    run.parallel(
        (paths.size() + per_thread - 1) / per_thread,
        [&](std::size_t k) { hash_small(per_thread * k, std::min(paths.size(), per_thread * (k + 1)), alone); }, 0.5);
    const auto n_later = std::count(later.begin(), later.end(), 1);
    double before = 0.5;
    for (std::size_t i = 0; i < paths.size(); i++) {
        if (!later[i]) continue;
        Timings its{};
        RunOptions together = options;
        together.timings = options.timings == nullptr ? nullptr : &its;
        together.progress = part_of(options.progress, before, 0.5 / static_cast<double>(n_later));
        try {
            const auto file = pipes[i] ? std::move(pipes[i]) : std::make_unique<const InputFile>(paths[i]);
            Run one(together);
            hash_one(i, *file, file->stated(), one);
        } catch (const Error& error) {
            note_failure(results[i], error);
        }
        add_times(its);
        before += 0.5 / static_cast<double>(n_later);
    }
    if (options.timings != nullptr) *options.timings = times;
    return results;
}

}  // namespace merklize::runtime

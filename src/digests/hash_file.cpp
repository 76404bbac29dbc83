// hash_file(), hash_descriptor() and hash_files().
#include <algorithm>
#include <memory>
#include <mutex>
#include <vector>

#include "digests/file_root.hpp"
#include "merklize/error.hpp"
#include "merklize/hash.hpp"

namespace merklize::inline v0 {

void hash_file(const std::filesystem::path& path, std::span<std::byte> out, std::uint64_t seek, const Mode& mode,
               const RunOptions& options) {
    const runtime::InputFile file(path);
    runtime::Run run(options);
    runtime::root_of(file, mode, run).expand(out, seek, run);
}

void hash_descriptor(int fd, std::string_view name, std::span<std::byte> out, std::uint64_t seek, const Mode& mode,
                     const RunOptions& options) {
    const runtime::InputFile file(fd, name);
    runtime::Run run(options);
    runtime::root_of(file, mode, run).expand(out, seek, run);
}

std::vector<FileDigest> hash_files(std::span<const std::filesystem::path> paths, std::size_t length, std::uint64_t seek,
                                   const Mode& mode, const RunOptions& options) {
    std::vector<FileDigest> results(paths.size());
    // First the small files side by side, a thread each. Then large files and inputs that are no regular files, one by
    // one, each by all threads.
    constexpr std::uint64_t small_bytes = 4 << 20;
    std::vector<char> later(paths.size());
    std::vector<std::unique_ptr<const runtime::InputFile>> pipes(paths.size());  // whoever writes opens them once
    Timings times{};                                                             // of all files together
    std::mutex guards_times;
    const auto hash_one = [&](std::size_t i, RunOptions one, bool small_only) {
        Timings of_one{};
        if (options.timings != nullptr) one.timings = &of_one;
        try {
            auto file = std::move(pipes[i]);
            if (!file) file = std::make_unique<const runtime::InputFile>(paths[i]);
            const auto extent = file->extent();
            later[i] = small_only && (!extent || extent->bytes > small_bytes);
            if (later[i]) {
                if (file->is_pipe()) pipes[i] = std::move(file);
                return;
            }
            runtime::Run run(one);
            const runtime::Node root = extent ? runtime::root_of_rest(*file, *extent, mode, run)
                                              : runtime::root_of_stream(*file, mode, run);
            results[i].output.resize(length);
            root.expand(results[i].output, seek, run);
            if (options.timings == nullptr) return;
            const std::lock_guard lock(guards_times);
            times.available = times.available || of_one.available;
            times.kernel += of_one.kernel;
            times.to_device += of_one.to_device;
            times.to_host += of_one.to_host;
        } catch (const Error& error) {
            if (error.code() != ErrorCode::io) throw;
            results[i].output.clear();
            results[i].error = error.what();
            results[i].system_error = error.system_error();
        }
    };
    RunOptions alone = options;
    alone.threads = 1;
    alone.progress = {};
    runtime::Run run(options);
    // The number of large files is known only after the first pass, so each pass counts as half of the progress.
    run.parallel(paths.size(), [&](std::size_t i) { hash_one(i, alone, true); }, 0.5);
    const auto n_later = std::count(later.begin(), later.end(), 1);
    double before = 0.5;
    RunOptions together = options;
    for (std::size_t i = 0; i < paths.size(); i++) {
        if (!later[i]) continue;
        together.progress = runtime::part_of(options.progress, before, 0.5 / static_cast<double>(n_later));
        hash_one(i, together, false);
        before += 0.5 / static_cast<double>(n_later);
    }
    if (options.timings != nullptr) *options.timings = times;
    return results;
}

}  // namespace merklize::inline v0

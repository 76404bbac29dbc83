#include "command/hash/job.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "command/urls.hpp"
#include "digests/file_root.hpp"
#include "merklize/xet.hpp"

namespace merklize::command {

void note_error(const Error& error, HashResult& result) {
    result.is_folder = error.system_error() == EISDIR;
    result.is_missing = error.system_error() == ENOENT;
    if (error.system_error() != 0 && !is_url(error.path())) {
        result.error = strerror(error.system_error());
        return;
    }
    const std::string_view text = error.what(), name = result.path;
    result.error =
        text.starts_with(name) && text.substr(name.size()).starts_with(": ") ? text.substr(name.size() + 2) : text;
}

void hash_input(const runtime::InputFile& file, const std::optional<runtime::InputFile::Extent>& stated, HashJob& job,
                const RunOptions& options, HashResult& result, const runtime::InputFile::BeforeDisk& before) try {
    RunOptions timed;
    Timings times{};
    if (job.timed) {
        timed = options;
        timed.timings = &times;
    }
    const RunOptions& used = job.timed ? timed : options;
    if (job.is_xet) {
        if (before) before();
        Digest digest = xet_hash_descriptor(file.fd(), file.name(), used);
        // The hub writes the bytes of each group of 8 in reverse.
        for (auto group = digest.bytes.begin(); group != digest.bytes.end(); group += 8) std::reverse(group, group + 8);
        result.digest.assign(digest.bytes.begin(), digest.bytes.end());
    } else if (job.hash != Hash::blake3) {
        if (before) before();
        result.digest.resize(job.length);
        hash_message_descriptor(file.fd(), file.name(), result.digest, {job.hash, job.mode}, used);
    } else {
        runtime::Run run(used);
        const runtime::Node root = runtime::root_of_file(file, stated, job.mode, run, before).root;
        if (job.length > digest_piece) {
            result.root = root;
        } else {
            result.digest.resize(job.length);
            root.expand(result.digest, job.seek, run);
        }
    }
    if (!job.timed) return;
    const std::lock_guard lock(job.guards_times);
    job.times.available = job.times.available || times.available;
    job.times.kernel += times.kernel;
    job.times.to_device += times.to_device;
    job.times.to_host += times.to_host;
} catch (const Error& error) {
    if (error.code() != ErrorCode::io) throw;
    note_error(error, result);
}

void hash_object(const runtime::ByteSource& object, HashJob& job, const RunOptions& options, HashResult& result) try {
    if (job.length > digest_piece) {
        runtime::Run run(options);
        result.root = runtime::root_of(object, job.mode, run);
    } else {
        result.digest.resize(job.length);
        runtime::hash_source(object, {job.hash, job.mode}, result.digest, job.seek, options);
    }
} catch (const Error& error) {
    if (error.code() != ErrorCode::io) throw;
    note_error(error, result);
}

void each_piece(const HashResult& result, const HashJob& job,
                const std::function<void(std::span<const std::byte>)>& use) {
    if (!result.root) return use(result.digest);
    RunOptions options = job.options;
    options.progress = {};
    runtime::Run run(options);
    std::vector<std::byte> piece(digest_piece);
    for (std::uint64_t done = 0; done < job.length; done += digest_piece) {
        const auto bytes = std::span(piece).first(std::min<std::uint64_t>(digest_piece, job.length - done));
        result.root->expand(bytes, job.seek + done, run);
        use(bytes);
    }
}

}  // namespace merklize::command

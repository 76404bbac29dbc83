// Digests of single messages by any hash of bytes. Every hash but BLAKE3 is one chain of blocks, which the calling thread computes.
#include <algorithm>
#include <mutex>
#include <vector>

#include "calls/side_by_side.hpp"
#include "digests/file_root.hpp"
#include "hashes/message.hpp"
#include "merklize/error.hpp"
#include "merklize/hash.hpp"

namespace merklize::inline v0 {
namespace {

using runtime::Message;

constexpr std::size_t piece_bytes = 4 << 20;  // between two calls of the progress function

bool is_blake3(Hash hash) { return runtime::info(hash).has_chunk_tree != 0; }

Digest digest_of(const runtime::ByteSource& source, Hash hash, const char* what, runtime::Run& run) {
    const auto extent = source.extent();
    Message message(hash, what, extent ? extent->bytes : Message::unknown);
    runtime::read_in_order(source, extent, run, [&](std::span<const std::byte> piece, double share) {
        run.progress().begin(share);
        message.update(piece);
        run.progress().end(true);
    });
    return message.digest();
}

}  // namespace

Digest hash_message(ByteView data, Hash hash, const RunOptions& options) {
    runtime::require_message_hash(hash, "hash_message");
    if (is_blake3(hash)) return merklize::hash(data, {}, options);
    runtime::require_no_policy("hash_message", options);
    runtime::Run run(options);
    Message message(hash, "hash_message", data.size());
    for (std::size_t done = 0; done < data.size(); done += piece_bytes) {
        message.update(data.subspan(done, std::min(piece_bytes, data.size() - done)));
        if (!run.tick(static_cast<double>(done) / static_cast<double>(data.size()))) run.throw_cancelled();
    }
    return message.digest();
}

Digest hash_message(const ConstBuffer& data, Hash hash, const RunOptions& options) {
    runtime::require_message_hash(hash, "hash_message");
    if (is_blake3(hash)) return merklize::hash(data, {}, options);
    runtime::require_no_policy("hash_message", options);
    const RunOptions here = runtime::on_device_of(data, options);
    runtime::Run run(here);
    Message message(hash, "hash_message", data.size());
    std::vector<std::byte> piece(std::min<std::uint64_t>(data.size(), 4 * piece_bytes));
    for (std::uint64_t done = 0; done < data.size(); done += piece.size()) {
        const std::uint64_t count = std::min<std::uint64_t>(piece.size(), data.size() - done);
        run.on_device().download(piece.data(), runtime::place_of(data.slice(done, count)), count);
        message.update(std::span(piece).first(count));
    }
    return message.digest();
}

Digest hash_message_file(const std::filesystem::path& path, Hash hash, const RunOptions& options) {
    runtime::require_message_hash(hash, "hash_message_file");
    Digest digest;
    if (is_blake3(hash)) {
        hash_file(path, digest.bytes, 0, {}, options);
        return digest;
    }
    runtime::require_no_policy("hash_message_file", options);
    runtime::Run run(options);
    return digest_of(runtime::InputFile(path), hash, "hash_message_file", run);
}

Digest hash_message_descriptor(int fd, std::string_view name, Hash hash, const RunOptions& options) {
    runtime::require_message_hash(hash, "hash_message_file");
    Digest digest;
    if (is_blake3(hash)) {
        hash_descriptor(fd, name, digest.bytes, 0, {}, options);
        return digest;
    }
    runtime::require_no_policy("hash_message_file", options);
    runtime::Run run(options);
    return digest_of(runtime::InputFile(fd, name), hash, "hash_message_file", run);
}

std::vector<FileDigest> hash_message_files(std::span<const std::filesystem::path> paths, Hash hash,
                                           const RunOptions& options) {
    runtime::require_message_hash(hash, "hash_message_files");
    if (is_blake3(hash)) return hash_files(paths, Digest::size, 0, {}, options);
    runtime::require_no_policy("hash_message_files", options);
    std::vector<FileDigest> results(paths.size());
    const RunOptions alone = runtime::by_one_thread(options);
    runtime::Run run(options);
    run.parallel(paths.size(), [&](std::size_t i) {
        try {
            runtime::Run one(alone);
            const Digest digest = digest_of(runtime::InputFile(paths[i]), hash, "hash_message_files", one);
            results[i].output.assign(digest.bytes.begin(), digest.bytes.end());
        } catch (const Error& error) {
            runtime::note_failure(results[i], error);
        }
    });
    return results;
}

}  // namespace merklize::inline v0

namespace merklize::runtime {

void hash_source(const ByteSource& source, Hash hash, const Mode& mode, std::span<std::byte> out, std::uint64_t seek,
                 const RunOptions& options) {
    require_message_hash(hash, "hash_file");
    if (!is_blake3(hash)) require_no_policy("hash_file", options);
    Run run(options);
    if (is_blake3(hash)) return root_of(source, mode, run).expand(out, seek, run);
    std::ranges::copy(digest_of(source, hash, "hash_file", run).bytes, out.begin());
}

}  // namespace merklize::runtime

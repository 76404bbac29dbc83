// Digests of single messages by any hash of bytes. Every hash but BLAKE3 is one chain of blocks, which the calling
// thread computes.
#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "digests/file_root.hpp"
#include "digests/message_pieces.hpp"
#include "hashes/message.hpp"
#include "host/invalid.hpp"
#include "merklize/error.hpp"
#include "merklize/hash.hpp"

namespace merklize::inline v0 {
namespace {

using runtime::Message;

bool is_blake3(Hash hash) { return runtime::info(hash).has_chunk_tree != 0; }

void put(const Message& message, std::span<std::byte> out) {
    std::memcpy(out.data(), message.digest().bytes.data(), out.size());
}

void digest_of(const runtime::ByteSource& source, const MessageForm& form, std::span<std::byte> out,
               runtime::Run& run) {
    const auto extent = source.extent();
    Message message(form, extent ? extent->bytes : Message::unknown, out.size());
    runtime::read_in_order(source, extent, run, [&](std::span<const std::byte> piece, double share) {
        runtime::append(message, piece, run, share);
    });
    put(message, out);
}

template <class Hashes>
Digest digest_by(const Hashes& hashes) {
    Digest digest;
    hashes(std::span<std::byte>(digest.bytes));
    return digest;
}

}  // namespace

void hash_message(ByteView data, std::span<std::byte> out, const MessageForm& form, const RunOptions& options) {
    const PublicCall entry("hash_message");
    runtime::require_message(form, out.size());
    if (is_blake3(form.hash)) return merklize::hash(data, out, 0, form.mode, options);
    runtime::require_no_policy(options);
    runtime::Run run(options);
    Message message(form, data.size(), out.size());
    runtime::append(message, data, run, 1);
    put(message, out);
}

void hash_message(const ConstBuffer& data, std::span<std::byte> out, const MessageForm& form,
                  const RunOptions& options) {
    const PublicCall entry("hash_message");
    runtime::require_message(form, out.size());
    if (is_blake3(form.hash)) return merklize::hash(data, out, 0, form.mode, options);
    runtime::require_no_policy(options);
    const RunOptions here = runtime::on_device_of(data, options);
    runtime::Run run(here);
    Message message(form, data.size(), out.size());
    constexpr std::uint64_t most = 16 << 20;
    std::vector<std::byte> piece(std::min(data.size(), most));
    for (std::uint64_t done = 0; done < data.size(); done += piece.size()) {
        const std::uint64_t count = std::min<std::uint64_t>(piece.size(), data.size() - done);
        run.on_device().download(piece.data(), runtime::place_of(data.slice(done, count)), count);
        runtime::append(message, std::span(piece).first(count), run,
                        static_cast<double>(count) / static_cast<double>(data.size()));
    }
    put(message, out);
}

void hash_message_file(const std::filesystem::path& path, std::span<std::byte> out, const MessageForm& form,
                       const RunOptions& options) {
    const PublicCall entry("hash_message_file");
    refuse_empty_path(path.native());
    runtime::require_message(form, out.size());
    if (is_blake3(form.hash)) return hash_file(path, out, 0, form.mode, options);
    runtime::require_no_policy(options);
    runtime::Run run(options);
    digest_of(runtime::InputFile(path), form, out, run);
}

void hash_message_descriptor(int fd, std::string_view name, std::span<std::byte> out, const MessageForm& form,
                             const RunOptions& options) {
    const PublicCall entry("hash_message_descriptor");
    runtime::require_message(form, out.size());
    if (is_blake3(form.hash)) return hash_descriptor(fd, name, out, 0, form.mode, options);
    runtime::require_no_policy(options);
    runtime::Run run(options);
    digest_of(runtime::InputFile(fd, name), form, out, run);
}

Digest hash_message(ByteView data, const MessageForm& form, const RunOptions& options) {
    return digest_by([&](std::span<std::byte> out) { hash_message(data, out, form, options); });
}

Digest hash_message(const ConstBuffer& data, const MessageForm& form, const RunOptions& options) {
    return digest_by([&](std::span<std::byte> out) { hash_message(data, out, form, options); });
}

Digest hash_message_file(const std::filesystem::path& path, const MessageForm& form, const RunOptions& options) {
    return digest_by([&](std::span<std::byte> out) { hash_message_file(path, out, form, options); });
}

Digest hash_message_descriptor(int fd, std::string_view name, const MessageForm& form, const RunOptions& options) {
    return digest_by([&](std::span<std::byte> out) { hash_message_descriptor(fd, name, out, form, options); });
}

std::vector<FileDigest> hash_message_files(std::span<const std::filesystem::path> paths, const MessageForm& form,
                                           const RunOptions& options, std::size_t length) {
    const PublicCall entry("hash_message_files");
    refuse_empty_paths(paths);
    runtime::require_message(form, length);
    if (is_blake3(form.hash)) return hash_files(paths, length, 0, form.mode, options);
    runtime::require_no_policy(options);
    std::vector<FileDigest> results(paths.size());
    runtime::Run run(options);
    run.parallel_calls(paths.size(), [&](std::size_t i, const RunOptions& alone) {
        try {
            runtime::Run one(alone);
            std::vector<std::byte> output(length);
            digest_of(runtime::InputFile(paths[i]), form, output, one);
            results[i].output = std::move(output);
        } catch (const Error& error) {
            runtime::note_failure(results[i], error);
        }
    });
    return results;
}

}  // namespace merklize::inline v0

namespace merklize::runtime {

void hash_source(const ByteSource& source, const MessageForm& form, std::span<std::byte> out, std::uint64_t seek,
                 const RunOptions& options) {
    const PublicCall entry("hash_file");
    require_message(form, out.size());
    if (!is_blake3(form.hash)) require_no_policy(options);
    Run run(options);
    if (is_blake3(form.hash)) return root_of(source, form.mode, run).expand(out, seek, run);
    digest_of(source, form, out, run);
}

}  // namespace merklize::runtime

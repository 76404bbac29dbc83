// The xet hash: chunks of memory and files, and the tree above them.
#include "merklize/xet.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>

#include "digests/chunk_tree.hpp"
#include "digests/file_root.hpp"
#include "formats/xet_ends.hpp"
#include "merklize/error.hpp"

namespace merklize::inline v0 {
namespace {

using runtime::InputFile, runtime::Run;

// What is read and cut at once: it stays in the third cache between the two passes over it.
constexpr std::size_t window_bytes = 16 << 20;
// What one thread scans for candidates.
constexpr std::size_t scan_bytes = 256 << 10;

// Keys of xet-core: of the bytes of a chunk, of the text of a group, and of the hash of a file.
constexpr std::array<std::uint8_t, 32> chunk_key = {0x66, 0x97, 0xf5, 0x77, 0x5b, 0x95, 0x50, 0xde, 0x31, 0x35, 0xcb,
                                                    0xac, 0xa5, 0x97, 0x18, 0x1c, 0x9d, 0xe4, 0x21, 0x10, 0x9b, 0xeb,
                                                    0x2b, 0x58, 0xb4, 0xd0, 0xb0, 0x4b, 0x93, 0xad, 0xf2, 0x29};
constexpr std::array<std::uint8_t, 32> node_key = {0x01, 0x7e, 0xc5, 0xc7, 0xa5, 0x47, 0x29, 0x96, 0xfd, 0x94, 0x66,
                                                   0x66, 0xb4, 0x8a, 0x02, 0xe6, 0x5d, 0xdd, 0x53, 0x6f, 0x37, 0xc7,
                                                   0x6d, 0xd2, 0xf8, 0x63, 0x52, 0xe6, 0x4a, 0x53, 0x71, 0x3f};
constexpr std::array<std::uint8_t, 32> file_key = {};

Digest keyed(std::span<const std::byte> data, const std::array<std::uint8_t, 32>& key) {
    const RunOptions here{.device = Device("cpu"), .threads = 1};
    return hash(data, Mode::keyed(std::as_bytes(std::span(key))), here);
}

// One level of the tree: a group ends after the first member from the third on whose last 8 bytes are divisible by 4, or with its
// ninth.
std::vector<XetChunk> grouped(std::span<const XetChunk> level) {
    std::vector<XetChunk> above;
    while (!level.empty()) {
        constexpr std::size_t least = 3, most = 9;
        std::size_t count = std::min(level.size(), most);
        for (std::size_t k = least; k < count; k++)
            if (level[k - 1].hash.words()[3] % 4 == 0) count = k;
        XetChunk node{{}, 0};
        std::string text;
        for (const XetChunk& member : level.first(count)) {
            text += xet_hex(member.hash) + " : " + std::to_string(member.bytes) + "\n";
            node.bytes += member.bytes;
        }
        node.hash = keyed(std::as_bytes(std::span(text)), node_key);
        above.push_back(node);
        level = level.subspan(count);
    }
    return above;
}

Digest hash_of(std::vector<XetChunk> level) {
    if (level.empty()) return {};
    while (level.size() > 1) level = grouped(level);
    return keyed(level[0].hash.bytes, file_key);
}

// Cuts and hashes the chunks of data that begins with one, and appends them.
// share    of the whole call
// returns  the bytes that are done: all if the file ends here, otherwise up to a chunk that has no end yet
std::size_t add_chunks(std::span<const std::byte> data, bool is_last, std::vector<XetChunk>& chunks, Run& run,
                       double share) {
    std::vector<std::vector<std::size_t>> found((data.size() + scan_bytes - 1) / scan_bytes);
    run.parallel(
        found.size(),
        [&](std::size_t k) {
            runtime::find_xet_candidates(data, k * scan_bytes, std::min(data.size(), (k + 1) * scan_bytes), found[k]);
        },
        share / 2);
    std::vector<std::size_t> candidates;
    for (const auto& some : found) candidates.insert(candidates.end(), some.begin(), some.end());
    const std::vector<std::size_t> ends = runtime::xet_ends(data.size(), candidates, is_last);

    const std::size_t before = chunks.size();
    chunks.resize(before + ends.size());
    const Mode mode = Mode::keyed(std::as_bytes(std::span(chunk_key)));
    const RunOptions here{.device = Device("cpu"), .threads = 1};
    run.parallel(
        ends.size(),
        [&](std::size_t k) {
            const std::size_t begin = k == 0 ? 0 : ends[k - 1];
            const auto chunk = data.subspan(begin, ends[k] - begin);
            Run alone(here);
            XetChunk& made = chunks[before + k];
            runtime::root_of(chunk, mode, alone).expand(made.hash.bytes, 0, alone);
            made.bytes = chunk.size();
        },
        share / 2);
    return ends.empty() ? 0 : ends.back();
}

std::vector<XetChunk> chunks_of(std::span<const std::byte> data, Run& run) {
    std::vector<XetChunk> chunks;
    const auto all = static_cast<double>(data.size());
    while (!data.empty()) {
        const std::size_t count = std::min(data.size(), window_bytes);
        const std::size_t done =
            add_chunks(data.first(count), count == data.size(), chunks, run, static_cast<double>(count) / all);
        data = data.subspan(done);
    }
    return chunks;
}

// Windows of an input, one after another: the bytes of the chunk that has no end yet, then what `fill` reads.
// fill  (out) -> bytes read; fewer than out.size() at the end of the input
std::vector<XetChunk> chunks_of_windows(const std::function<std::size_t(std::span<std::byte>)>& fill,
                                        std::uint64_t bytes, Run& run) {
    const std::size_t room = std::min<std::uint64_t>(bytes, window_bytes) + runtime::xet_most;
    const auto buffer = std::make_unique_for_overwrite<std::byte[]>(room);
    std::vector<XetChunk> chunks;
    std::size_t kept = 0;
    for (bool is_last = false; !is_last;) {
        const std::span free = std::span(buffer.get(), room).subspan(kept);
        const std::size_t count = fill(free);
        is_last = count < free.size();
        const std::span<const std::byte> data(buffer.get(), kept + count);
        const double share = bytes == 0 ? 0 : static_cast<double>(count) / static_cast<double>(bytes);
        const std::size_t done = add_chunks(data, is_last, chunks, run, share);
        kept = data.size() - done;
        std::memmove(buffer.get(), buffer.get() + done, kept);
    }
    return chunks;
}

Digest xet_of(const InputFile& file, Run& run) {
    const auto extent = file.extent();
    if (!extent) {
        file.widen_pipe(runtime::read_bytes);
        bool stopped = false;
        const auto read = [&](std::span<std::byte> out) {
            const std::size_t count = file.read_some(out, [&] { return !(stopped = !run.tick(0)); });
            if (stopped) run.throw_cancelled();
            return count;
        };
        return hash_of(chunks_of_windows(read, 0, run));
    }
    std::uint64_t at = extent->position;
    const std::uint64_t end = extent->position + extent->bytes;
    const auto read = [&](std::span<std::byte> out) {
        const std::size_t count = std::min<std::uint64_t>(out.size(), end - at);
        runtime::read_together(file, out.first(count), at, run, 0);
        at += count;
        return count;
    };
    const Digest made = hash_of(chunks_of_windows(read, extent->bytes, run));
    file.require_unchanged(extent->identity);
    file.leave_at(end);
    return made;
}

}  // namespace

Digest xet_hash(std::span<const std::byte> data, const RunOptions& options) {
    return hash_of(xet_chunks(data, options));
}

std::vector<XetChunk> xet_chunks(std::span<const std::byte> data, const RunOptions& options) {
    Run run(options);
    return chunks_of(data, run);
}

Digest xet_hash_file(const std::filesystem::path& path, const RunOptions& options) {
    const InputFile file(path);
    Run run(options);
    return xet_of(file, run);
}

Digest xet_hash_descriptor(int fd, std::string_view name, const RunOptions& options) {
    const InputFile file(fd, name);
    Run run(options);
    return xet_of(file, run);
}

std::vector<FileDigest> xet_hash_files(std::span<const std::filesystem::path> paths, const RunOptions& options) {
    std::vector<FileDigest> results(paths.size());
    const auto hash_one = [&](std::size_t i, const RunOptions& one) {
        try {
            const Digest digest = xet_hash_file(paths[i], one);
            results[i].output.assign(digest.bytes.begin(), digest.bytes.end());
        } catch (const Error& error) {
            if (error.code() != ErrorCode::io) throw;
            results[i].error = error.what();
            results[i].system_error = error.system_error();
        }
    };
    // Files of one window side by side, a thread each. Then larger ones and pipes one by one, each by all threads.
    std::vector<std::size_t> small, large;
    for (std::size_t i = 0; i < paths.size(); i++) {
        std::error_code unknown;
        const bool is_small = std::filesystem::is_regular_file(paths[i], unknown) &&
                              std::filesystem::file_size(paths[i], unknown) <= window_bytes && !unknown;
        (is_small ? small : large).push_back(i);
    }
    RunOptions alone = options;
    alone.threads = 1;
    alone.progress = {};
    const double each = 1 / static_cast<double>(std::max<std::size_t>(1, paths.size()));
    double before = each * static_cast<double>(small.size());
    Run run(options);
    run.parallel(small.size(), [&](std::size_t k) { hash_one(small[k], alone); }, before);
    RunOptions together = options;
    for (const std::size_t i : large) {
        together.progress = runtime::part_of(options.progress, before, each);
        hash_one(i, together);
        before += each;
    }
    return results;
}

std::string xet_hex(const Digest& hash) {
    Digest turned;
    for (std::size_t i = 0; i < Digest::size; i++) turned.bytes[i] = hash.bytes[i ^ 7];
    return turned.hex();
}

}  // namespace merklize::inline v0

// The xet hash: chunks of memory and files, and the tree above them.
#include "merklize/xet.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>

#include "calls/side_by_side.hpp"
#include "digests/file_root.hpp"
#include "formats/xet_ends.hpp"
#include "host/invalid.hpp"
#include "merklize/error.hpp"

namespace merklize::inline v0 {
namespace {

using runtime::InputFile, runtime::Run;

// Bytes that are read and cut at once. They stay in the third-level cache between the two passes over them.
constexpr std::size_t window_bytes = 8 << 20;
// Bytes that one thread scans for candidates.
constexpr std::size_t scan_bytes = 256 << 10;

// xet-core's keys: for the bytes of a chunk, for the text of a group, and for the hash of a file.
constexpr std::array<std::uint8_t, 32> chunk_key = {0x66, 0x97, 0xf5, 0x77, 0x5b, 0x95, 0x50, 0xde, 0x31, 0x35, 0xcb,
                                                    0xac, 0xa5, 0x97, 0x18, 0x1c, 0x9d, 0xe4, 0x21, 0x10, 0x9b, 0xeb,
                                                    0x2b, 0x58, 0xb4, 0xd0, 0xb0, 0x4b, 0x93, 0xad, 0xf2, 0x29};
constexpr std::array<std::uint8_t, 32> node_key = {0x01, 0x7e, 0xc5, 0xc7, 0xa5, 0x47, 0x29, 0x96, 0xfd, 0x94, 0x66,
                                                   0x66, 0xb4, 0x8a, 0x02, 0xe6, 0x5d, 0xdd, 0x53, 0x6f, 0x37, 0xc7,
                                                   0x6d, 0xd2, 0xf8, 0x63, 0x52, 0xe6, 0x4a, 0x53, 0x71, 0x3f};
constexpr std::array<std::uint8_t, 32> file_key = {};

// Keyed digests of messages in host memory. Lanes hold different messages.
// share  the part of the whole call
std::vector<Digest> keyed_each(std::span<const runtime::Extent> messages, const std::array<std::uint8_t, 32>& key,
                               Run& run, double share) {
    std::vector<Digest> digests(messages.size());
    const Mode mode = Mode::keyed(std::as_bytes(std::span(key)));
    run.launch(runtime::HashEach{.messages = messages, .mode = mode, .out = runtime::host_place(digests.data())},
               share);
    return digests;
}

// One level of the tree: a group ends after the first member from the third on whose last 8 bytes are divisible by 4,
// or with its ninth.
std::vector<XetChunk> grouped(std::span<const XetChunk> level, Run& run) {
    std::vector<XetChunk> above;
    std::vector<std::string> texts;
    while (!level.empty()) {
        constexpr std::size_t least = 3, most = 9;
        std::size_t count = std::min(level.size(), most);
        for (std::size_t k = least; k < count; k++)
            if (level[k - 1].hash.words()[3] % 4 == 0) count = k;
        XetChunk node{{}, 0};
        std::string& text = texts.emplace_back();
        for (const XetChunk& member : level.first(count)) {
            text += xet_hex(member.hash) + " : " + std::to_string(member.bytes) + "\n";
            node.bytes += member.bytes;
        }
        above.push_back(node);
        level = level.subspan(count);
    }
    std::vector<runtime::Extent> messages;
    for (const std::string& text : texts) messages.push_back({runtime::host_place(text.data()), text.size()});
    const std::vector<Digest> hashes = keyed_each(messages, node_key, run, 0);
    for (std::size_t i = 0; i < above.size(); i++) above[i].hash = hashes[i];
    return above;
}

Digest hash_of(std::vector<XetChunk> level, Run& run) {
    if (level.empty()) return {};
    while (level.size() > 1) level = grouped(level, run);
    const runtime::Extent top{runtime::host_place(level[0].hash.bytes.data()), Digest::size};
    return keyed_each({&top, 1}, file_key, run, 0)[0];
}

// Reads `out` from byte `at` of the window on. Safe to call from several threads. Empty if the bytes are there already.
using Read = std::function<void(std::span<std::byte> out, std::size_t at)>;

// Cuts data that comes window by window. A window begins with a chunk.
class Chunks {
public:
    explicit Chunks(Run& run) : run_(run) {}

    // Cuts and hashes the chunks of a window.
    // known    bytes of the window that were in the last one; the rest is read
    // is_last  whether the file ends with the window
    // share    of the whole call
    // returns  bytes that are done: all, or those before the chunk that has no end yet
    std::size_t add(std::span<std::byte> window, std::size_t known, const Read& read, bool is_last, double share) {
        find_candidates(window, known, read, share / 2);
        const std::vector<std::size_t> ends = runtime::xet_ends(window.size(), candidates_, is_last);
        std::vector<runtime::Extent> messages;
        std::size_t done = 0;
        for (const std::size_t end : ends) {
            messages.push_back({runtime::host_place(window.data() + done), end - done});
            done = end;
        }
        const std::vector<Digest> hashes = keyed_each(messages, chunk_key, run_, share / 2);
        for (std::size_t i = 0; i < ends.size(); i++) chunks_.push_back({hashes[i], messages[i].bytes});
        // Candidates after the last end are candidates of the next window.
        std::erase_if(candidates_, [&](std::size_t i) { return i < done; });
        for (std::size_t& i : candidates_) i -= done;
        return done;
    }

    std::vector<XetChunk> take() { return std::move(chunks_); }

private:
    // A thread scans a piece while the piece is in its cache. It skips the first bytes, which depend on the piece
    // before.
    void find_candidates(std::span<std::byte> window, std::size_t known, const Read& read, double share) {
        constexpr std::size_t others = runtime::xet_memory - 1;
        const auto begin = [&](std::size_t k) { return std::min(window.size(), known + k * scan_bytes); };
        std::vector<std::vector<std::size_t>> found((window.size() - known + scan_bytes - 1) / scan_bytes);
        run_.parallel(
            found.size(),
            [&](std::size_t k) {
                if (read) read(window.subspan(begin(k), begin(k + 1) - begin(k)), begin(k));
                const std::size_t first = std::min(begin(k) + others, begin(k + 1));
                runtime::find_xet_candidates(window, first, begin(k + 1), found[k]);
            },
            share);
        for (std::size_t k = 0; k < found.size(); k++) {
            const std::size_t first = std::min(begin(k) + others, begin(k + 1));
            runtime::find_xet_candidates(window, begin(k), first, candidates_);
            candidates_.insert(candidates_.end(), found[k].begin(), found[k].end());
        }
    }

    Run& run_;
    std::vector<XetChunk> chunks_;
    std::vector<std::size_t> candidates_;  // in the window
};

std::vector<XetChunk> chunks_of(std::span<const std::byte> data, Run& run) {
    Chunks chunks(run);
    const auto all = static_cast<double>(data.size());
    std::size_t known = 0;
    while (!data.empty()) {
        const std::size_t count = std::min(data.size(), known + window_bytes);
        // Nothing is written to the window.
        const std::span window(const_cast<std::byte*>(data.data()), count);
        const double share = static_cast<double>(count - known) / all;
        const std::size_t done = chunks.add(window, known, {}, count == data.size(), share);
        known = count - done;
        data = data.subspan(done);
    }
    return chunks.take();
}

// Room for the unfinished chunk and for a window after it.
struct Buffer {
    explicit Buffer(std::uint64_t bytes)
        : room(std::min<std::uint64_t>(bytes, window_bytes) + runtime::xet_most),
          data(std::make_unique_for_overwrite<std::byte[]>(room)) {}

    std::size_t room;
    std::unique_ptr<std::byte[]> data;
};

std::vector<XetChunk> chunks_of_stream(const InputFile& file, Run& run) {
    Chunks chunks(run);
    const Buffer buffer(window_bytes);
    file.widen_pipe(runtime::read_bytes);
    std::size_t known = 0;
    for (bool is_last = false; !is_last;) {
        const std::span free = std::span(buffer.data.get(), buffer.room).subspan(known);
        bool stopped = false;
        const std::size_t count = file.read_some(free, [&] { return !(stopped = !run.tick(0)); });
        if (stopped) run.throw_cancelled();
        is_last = count < free.size();
        const std::span window(buffer.data.get(), known + count);
        const std::size_t done = chunks.add(window, known, {}, is_last, 0);
        known = window.size() - done;
        std::memmove(buffer.data.get(), buffer.data.get() + done, known);
    }
    return chunks.take();
}

std::vector<XetChunk> chunks_of_rest(const InputFile& file, const InputFile::Extent& rest, Run& run) {
    Chunks chunks(run);
    const Buffer buffer(rest.bytes);
    std::size_t known = 0;
    for (std::uint64_t at = 0; at < rest.bytes;) {
        const std::size_t count = std::min<std::uint64_t>(buffer.room - known, rest.bytes - at);
        const std::span window(buffer.data.get(), known + count);
        const Read read = [&](std::span<std::byte> out, std::size_t first) {
            file.read_at(out, rest.position + at + (first - known));
        };
        const double share = static_cast<double>(count) / static_cast<double>(rest.bytes);
        const std::size_t done = chunks.add(window, known, read, at + count == rest.bytes, share);
        at += count;
        known = window.size() - done;
        std::memmove(buffer.data.get(), buffer.data.get() + done, known);
    }
    return chunks.take();
}

Digest xet_of(const InputFile& file, Run& run) {
    const auto extent = file.extent();
    if (!extent) return hash_of(chunks_of_stream(file, run), run);
    const Digest root = hash_of(chunks_of_rest(file, *extent, run), run);
    file.require_unchanged(extent->identity);
    file.leave_at(extent->position + extent->bytes);
    return root;
}

}  // namespace

Digest xet_hash(ByteView data, const RunOptions& options) {
    const PublicCall entry("xet_hash");
    const RunOptions on_cpu = runtime::on_the_cpu(options);
    Run run(on_cpu);
    return hash_of(chunks_of(data, run), run);
}

std::vector<XetChunk> xet_chunks(ByteView data, const RunOptions& options) {
    const PublicCall entry("xet_chunks");
    const RunOptions on_cpu = runtime::on_the_cpu(options);
    Run run(on_cpu);
    return chunks_of(data, run);
}

Digest xet_hash_file(const std::filesystem::path& path, const RunOptions& options) {
    const PublicCall entry("xet_hash_file");
    refuse_empty_path(path.native());
    const InputFile file(path);
    const RunOptions on_cpu = runtime::on_the_cpu(options);
    Run run(on_cpu);
    return xet_of(file, run);
}

Digest xet_hash_descriptor(int fd, std::string_view name, const RunOptions& options) {
    const PublicCall entry("xet_hash_descriptor");
    const InputFile file(fd, name);
    const RunOptions on_cpu = runtime::on_the_cpu(options);
    Run run(on_cpu);
    return xet_of(file, run);
}

std::vector<FileDigest> xet_hash_files(std::span<const std::filesystem::path> paths, const RunOptions& options) {
    const PublicCall entry("xet_hash_files");
    refuse_empty_paths(paths);
    std::vector<FileDigest> results(paths.size());
    std::vector<char> later(paths.size());
    std::vector<std::unique_ptr<const InputFile>> pipes(paths.size());  // a writer opens its pipe only once
    const auto hash_one = [&](std::size_t i, const RunOptions& by_threads, bool leaves_large) {
        try {
            auto file = pipes[i] ? std::move(pipes[i]) : std::make_unique<const InputFile>(paths[i]);
            if (leaves_large) {
                const auto stated = file->stated();
                later[i] = !stated || stated->bytes > window_bytes;
                if (later[i]) {
                    if (file->is_pipe()) pipes[i] = std::move(file);
                    return;
                }
            }
            Run run(by_threads);
            const Digest digest = xet_of(*file, run);
            results[i].output.assign(digest.bytes.begin(), digest.bytes.end());
        } catch (const Error& error) {
            runtime::note_failure(results[i], error);
        }
    };
    // Files of at most a window are hashed side by side, one thread each. Then all threads take larger files and pipes
    // one by one.
    const RunOptions on_cpu = runtime::on_the_cpu(options);
    const RunOptions alone = runtime::by_one_thread(on_cpu);
    Run run(on_cpu);
    // The number of large files is known only after this pass, so each pass counts as half of the progress.
    double before = 0.5;
    run.parallel(paths.size(), [&](std::size_t i) { hash_one(i, alone, true); }, before);
    const auto n_later = std::count(later.begin(), later.end(), 1);
    RunOptions together = on_cpu;
    for (std::size_t i = 0; i < paths.size(); i++) {
        if (!later[i]) continue;
        together.progress = runtime::part_of(options.progress, before, 0.5 / static_cast<double>(n_later));
        hash_one(i, together, false);
        before += 0.5 / static_cast<double>(n_later);
    }
    return results;
}

std::string xet_hex(const Digest& hash) {
    Digest turned;
    for (std::size_t i = 0; i < Digest::size; i++) turned.bytes[i] = hash.bytes[i ^ 7];
    return turned.hex();
}

}  // namespace merklize::inline v0

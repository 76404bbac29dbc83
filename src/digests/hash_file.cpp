#include "host/input_file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

#include "host/wipe.hpp"
#include "jobs/field.hpp"
#include "jobs/merge_one.hpp"
#include "merklize/core/blake3.h"
#include "merklize/error.hpp"

// Files are read, never mapped: a mapped file that shrinks kills the process. Reading costs a copy into a buffer that stays in
// cache (docs/performance.md has what that is).

namespace merklize {
namespace runtime {
namespace {

// One read: 256 KiB, two aligned subtrees of 2^7 chunks. Two and not one, because the value above them may be the root.
constexpr std::uint32_t read_levels = 8, half_levels = read_levels - 1;
constexpr std::uint64_t read_bytes = std::uint64_t{MKZ_BLAKE3_CHUNK_LEN} << read_levels;
constexpr std::uint64_t read_chunks = std::uint64_t{1} << read_levels;

// A thread's own buffer, kept for its next read.
std::span<std::byte> thread_buffer() {
    thread_local std::vector<std::byte> buffer(read_bytes);
    return buffer;
}

// Chaining values of the subtrees of 2^levels chunks in one read, by this thread alone.
void hash_read(std::span<const std::byte> data, std::uint64_t first_chunk, std::uint32_t levels, const Mode& mode,
               const Run& run, ChainingValue* out) {
    run.launch_here(HashChunks{.data = host_place(data.data()),
                               .bytes = data.size(),
                               .first_chunk = first_chunk,
                               .levels = levels,
                               .mode = mode,
                               .out = host_place(out)});
}

// For a device: 64 MiB, read by all threads or as they come, then hashed there.
constexpr std::uint32_t batch_levels = 16;
constexpr std::uint64_t batch_bytes = std::uint64_t{MKZ_BLAKE3_CHUNK_LEN} << batch_levels;
constexpr std::uint64_t batch_chunks = std::uint64_t{1} << batch_levels;

// `bytes` bytes at `offset`, more than one read, on the run's device.
Node root_of_extent_on_device(const File& file, std::uint64_t offset, std::uint64_t bytes, const Mode& mode, Run& run,
                              double share) {
    std::vector<std::byte> batch(std::min(bytes, batch_bytes));
    ValueStack stack(mode);
    for (std::uint64_t first = 0; first < bytes; first += batch_bytes) {
        const auto data = std::span(batch).first(std::min(batch_bytes, bytes - first));
        read_together(file, data, offset + first, run, 0);
        if (bytes <= batch_bytes) return root_of(data, mode, run, share);
        const auto values =
            subtree_values(host_place(data.data()), data.size(), first / MKZ_BLAKE3_CHUNK_LEN, batch_levels, mode, run,
                           share * static_cast<double>(data.size()) / static_cast<double>(bytes));
        stack.push(values[0], first / MKZ_BLAKE3_CHUNK_LEN);
    }
    return stack.root();
}

// The same of data that can only be read in order.
Node root_of_stream_on_device(const File& file, const Mode& mode, Run& run) {
    std::vector<std::byte> batch(batch_bytes);
    ValueStack stack(mode);
    bool stopped = false;
    file.widen_pipe(read_bytes);
    for (std::uint64_t chunk = 0;; chunk += batch_chunks) {
        const std::size_t count = file.read_some(std::span(batch), [&] { return !(stopped = !run.tick(0)); });
        if (stopped) run.throw_cancelled();
        const auto data = std::span(batch).first(count);
        if (chunk == 0 && count < batch.size()) return root_of(data, mode, run);
        if (count != 0) {
            // Two halves, because the value above them may be the root.
            const auto values = subtree_values(host_place(data.data()), count, chunk, batch_levels - 1, mode, run, 0);
            for (std::size_t half = 0; half < values.size(); half++)
                stack.push(values[half], chunk + half * (batch_chunks / 2));
        }
        if (count < batch.size()) return stack.root();
    }
}

// `bytes` bytes at `offset`, by all threads.
Node root_of_extent(const File& file, std::uint64_t offset, std::uint64_t bytes, const Mode& mode, Run& run,
                    double share) {
    if (bytes <= read_bytes) {
        const auto buffer = thread_buffer().first(bytes);
        file.read_at(buffer, offset);
        return root_of(buffer, mode, run);
    }
    if (!run.on_host()) return root_of_extent_on_device(file, offset, bytes, mode, run, share);
    std::vector<ChainingValue> values((bytes + read_bytes - 1) / read_bytes);
    run.parallel(
        values.size(),
        [&](std::size_t i) {
            const std::uint64_t first = i * read_bytes;
            const auto buffer = thread_buffer().first(std::min(read_bytes, bytes - first));
            file.read_at(buffer, offset + first);
            hash_read(buffer, i * read_chunks, read_levels, mode, run, &values[i]);
        },
        share);
    reduce(values, 2, mode, run);
    return parent_node(values[0], values[1], mode);
}

// The last `bytes` bytes of a regular file, which must still end there when they are read.
Node root_of_rest(const File& file, std::uint64_t position, std::uint64_t bytes, const Mode& mode, Run& run) {
    if (bytes < read_bytes) {  // one system call reads it and shows its end
        const auto buffer = thread_buffer();
        const std::size_t count = file.read_up_to(buffer.first(bytes + 1), position);
        if (count != bytes) file.fail_size(position + bytes, position + count);
        return root_of(buffer.first(bytes), mode, run);
    }
    const Node node = root_of_extent(file, position, bytes, mode, run, 1);
    file.require_size(position + bytes);
    return node;
}

// Data that can only be read in order. Each thread in turn reads one buffer and then hashes it while the next one reads.
class Stream {
public:
    Stream(const File& file, const Mode& mode, Run& run) : file_(file), mode_(mode), run_(run), stack_(mode) {}

    Node root() {
        file_.widen_pipe(read_bytes);
        run_.parallel(run_.threads(), [this](std::size_t) { work(); });
        if (stop_) run_.throw_cancelled();
        return whole_ ? *whole_ : stack_.root();
    }

private:
    // Who has the turn reads. Not a std::timed_mutex: thread sanitizers do not know all of its calls.
    bool take_turn() {
        std::unique_lock lock(turn_mutex_);
        while (!turn_free_.wait_for(lock, std::chrono::milliseconds(50), [this] { return !turn_taken_; })) {
            lock.unlock();
            if (!go_on()) return false;
            lock.lock();
        }
        turn_taken_ = true;
        return true;
    }

    void pass_turn() {
        {
            const std::lock_guard lock(turn_mutex_);
            turn_taken_ = false;
        }
        turn_free_.notify_one();
    }

    void work() try {
        while (take_turn()) {
            const auto buffer = thread_buffer();
            const std::size_t count = ended_ || !go_on() ? 0 : file_.read_some(buffer, [this] { return go_on(); });
            const std::uint64_t index = next_read_++;
            ended_ = count < buffer.size();
            pass_turn();
            if (stop_) return;

            const auto data = buffer.first(count);
            if (index == 0 && count <= read_bytes / 2) {
                RunOptions options;
                options.device = run_.options().device;
                options.threads = 1;
                Run alone(options);
                whole_ = root_of(data, mode_, alone);
            } else if (count != 0) {
                ChainingValue halves[2];
                hash_read(data, index * read_chunks, half_levels, mode_, run_, halves);
                commit(index, {halves, count > read_bytes / 2 ? 2u : 1u});
            }
            if (count < buffer.size()) return;
        }
    } catch (...) {
        stop_ = true;  // the other threads must not wait for this one's value
        throw;
    }

    // Values go on the stack in order; those that came too early wait.
    void commit(std::uint64_t index, std::span<const ChainingValue> values) {
        std::lock_guard lock(committing_);
        early_.emplace(index, std::vector<ChainingValue>(values.begin(), values.end()));
        for (auto it = early_.begin(); it != early_.end() && it->first == next_commit_;
             it = early_.erase(it), next_commit_++) {
            for (std::size_t half = 0; half < it->second.size(); half++) {
                stack_.push(it->second[half], it->first * read_chunks + half * (read_chunks / 2));
            }
        }
    }

    // Only the calling thread may tick.
    bool go_on() {
        if (std::this_thread::get_id() == caller_ && !run_.tick(0)) stop_ = true;
        return !stop_;
    }

    const File& file_;
    const Mode& mode_;
    Run& run_;
    const std::thread::id caller_ = std::this_thread::get_id();
    std::atomic<bool> stop_{false};

    std::mutex turn_mutex_;
    std::condition_variable turn_free_;
    bool turn_taken_ = false;      // guarded by turn_mutex_
    bool ended_ = false;           // belongs to the turn
    std::uint64_t next_read_ = 0;  // belongs to the turn

    std::mutex committing_;
    std::uint64_t next_commit_ = 0;                              // guarded by committing_
    std::map<std::uint64_t, std::vector<ChainingValue>> early_;  // guarded by committing_
    ValueStack stack_;                                           // guarded by committing_
    std::optional<Node> whole_;                                  // written by the thread of the first read
};

Node root_of_stream(const File& file, const Mode& mode, Run& run) {
    return run.on_host() ? Stream(file, mode, run).root() : root_of_stream_on_device(file, mode, run);
}

// Leaves of the pieces of `data`, `piece_bytes` each, the last one perhaps shorter; nothing is one empty piece. offset  of the data in the file, for errors
template <class Launch>
void hash_rows(std::span<const std::byte> data, std::uint64_t piece_bytes, std::uint64_t offset, Digest* out, Hash hash,
               const Mode& mode, Launch launch) {
    const mkz_hash_info& facts = info(hash);
    const unsigned unit = facts.row_unit_bytes;
    require_canonical(facts, data.data(), data.size() / unit, "leaves", offset / unit);
    const auto rows = [&](std::uint64_t row, std::uint64_t n, std::uint64_t row_bytes) {
        launch(HashRows{.hash = hash,
                        .rows = host_place(data.data() + row * piece_bytes),
                        .n = n,
                        .length = row_bytes / unit,
                        .mode = mode,
                        .out = host_place(out + row)});
    };
    const std::uint64_t whole = data.size() / piece_bytes, rest = data.size() % piece_bytes;
    if (whole != 0) rows(0, whole, piece_bytes);
    if (rest != 0 || data.empty()) rows(whole, 1, rest);
}

}  // namespace

File::File(const std::filesystem::path& path)
    : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC)), name_(path.string()), owned_(true) {
    if (fd_ < 0) fail("cannot open", errno);
}

File::~File() {
    if (owned_) close(fd_);
}

void File::fail(const std::string& what, int error_number) const {
    throw Error(ErrorCode::io, name_ + ": " + what + ": " + std::generic_category().message(error_number));
}

std::uint64_t File::regular_size() const {
    struct stat info;
    if (fstat(fd_, &info) != 0) fail("cannot stat", errno);
    if (S_ISDIR(info.st_mode)) fail("cannot read", EISDIR);
    if (!S_ISREG(info.st_mode)) throw Error(ErrorCode::io, name_ + ": not a regular file");
    return static_cast<std::uint64_t>(info.st_size);
}

bool File::has_extent(std::uint64_t& position, std::uint64_t& bytes) const {
    struct stat info;
    if (fstat(fd_, &info) != 0) fail("cannot stat", errno);
    if (S_ISDIR(info.st_mode)) fail("cannot read", EISDIR);
    // Files made up by the kernel say size 0 and have content.
    if (!S_ISREG(info.st_mode) || info.st_size == 0) return false;
    const off_t at = owned_ ? 0 : lseek(fd_, 0, SEEK_CUR);
    if (at < 0) return false;
    position = static_cast<std::uint64_t>(at);
    bytes = static_cast<std::uint64_t>(std::max<off_t>(0, info.st_size - at));
    return true;
}

std::size_t File::read_up_to(std::span<std::byte> out, std::uint64_t offset) const {
    std::size_t done = 0;
    while (done < out.size()) {
        const ssize_t count = pread(fd_, out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
        if (count < 0) {
            if (errno == EINTR) continue;
            fail("cannot read at byte " + std::to_string(offset + done), errno);
        }
        done += static_cast<std::size_t>(count);
        // A short read of a regular file is its end; another call would only say so again.
        if (static_cast<std::size_t>(count) < out.size()) break;
    }
    return done;
}

void File::read_at(std::span<std::byte> out, std::uint64_t offset) const {
    std::size_t done = 0;
    while (done < out.size()) {
        const std::size_t count = read_up_to(out.subspan(done), offset + done);
        if (count == 0) fail_size(offset + out.size(), offset + done);
        done += count;
    }
}

void File::advise(std::uint64_t offset, std::uint64_t bytes) const noexcept {
#ifdef POSIX_FADV_WILLNEED
    posix_fadvise(fd_, static_cast<off_t>(offset), static_cast<off_t>(bytes), POSIX_FADV_WILLNEED);  // only a wish
#else
    (void)offset, (void)bytes;
#endif
}

void File::widen_pipe(std::size_t bytes) const {
#ifdef F_SETPIPE_SZ
    fcntl(fd_, F_SETPIPE_SZ, static_cast<int>(bytes));  // no pipe, or not allowed: it stays as it is
#else
    (void)bytes;
#endif
}

bool File::readable_within(int milliseconds) const {
    pollfd wanted{fd_, POLLIN, 0};
    const int ready = poll(&wanted, 1, milliseconds);
    if (ready < 0 && errno != EINTR) fail("cannot wait for data", errno);
    return ready > 0;
}

std::size_t File::read_once(std::byte* out, std::size_t bytes) const {
    for (;;) {
        const ssize_t count = read(fd_, out, bytes);
        if (count >= 0) return static_cast<std::size_t>(count);
        if (errno != EINTR && errno != EAGAIN) fail("cannot read", errno);
    }
}

void File::require_size(std::uint64_t bytes) const {
    if (const std::uint64_t now = regular_size(); now != bytes) fail_size(bytes, now);
}

void File::fail_size(std::uint64_t expected, std::uint64_t found) const {
    throw Error(ErrorCode::io,
                name_ +
                    (found < expected ? ": shrank while being read: it ends at byte " + std::to_string(found)
                                      : std::string(": grew while being read")) +
                    ", expected its end at byte " + std::to_string(expected));
}

Node root_of(const File& file, const Mode& mode, Run& run) {
    std::uint64_t position = 0, bytes = 0;
    if (!file.has_extent(position, bytes)) return root_of_stream(file, mode, run);
    return root_of_rest(file, position, bytes, mode, run);
}

void read_together(const File& file, std::span<std::byte> out, std::uint64_t offset, Run& run, double share) {
    run.parallel((out.size() + read_bytes - 1) / read_bytes,
                 [&](std::size_t i) {
                     const std::uint64_t first = i * read_bytes;
                     file.read_at(out.subspan(first, std::min<std::uint64_t>(read_bytes, out.size() - first)),
                                  offset + first);
                 },
                 share);
}

namespace {

void require_pieces(std::uint64_t bytes, std::uint64_t piece_bytes, Hash hash, const Mode& mode) {
    require_merges(hash, mode, "leaves");
    const auto invalid = [&](const std::string& text) {
        throw Error(ErrorCode::invalid_argument, "leaves of " + std::to_string(piece_bytes) + " bytes: " + text);
    };
    const mkz_hash_info& facts = info(hash);
    if (!facts.has_chunk_tree && piece_bytes > batch_bytes) {
        invalid("with another hash than blake3 at most " + std::to_string(batch_bytes));
    }
    if (!is_field(facts)) return;
    if (piece_bytes % facts.row_unit_bytes != 0)
        invalid("not a whole count of field elements of " + std::to_string(facts.row_unit_bytes) + " bytes");
    if (bytes % piece_bytes != 0) {
        invalid("the file of " + std::to_string(bytes) +
                " bytes is not a whole count of them, which a hash of field "
                "elements needs");
    }
}

}  // namespace

void hash_pieces(const File& file, std::uint64_t bytes, std::uint64_t piece_bytes, std::uint64_t first_piece,
                 std::span<Digest> out, Hash hash, const Mode& mode, Run& run, double share) {
    require_pieces(bytes, piece_bytes, hash, mode);
    const std::uint64_t begin = first_piece * piece_bytes;
    const std::uint64_t end = out.size() > (bytes - begin) / piece_bytes ? bytes : begin + out.size() * piece_bytes;
    const auto part = [&](std::uint64_t n) {
        return share * static_cast<double>(n) / static_cast<double>(std::max<std::uint64_t>(end - begin, 1));
    };
    if (bytes == 0) {
        return hash_rows({}, piece_bytes, 0, out.data(), hash, mode,
                         [&](const HashRows& job) { run.launch_here(job); });
    }
    const bool in_batches = !run.on_host() || !info(hash).has_chunk_tree;
    if (piece_bytes <= read_bytes && run.on_host()) {
        const std::uint64_t per_read = read_bytes / piece_bytes;
        run.parallel((out.size() + per_read - 1) / per_read,
                     [&](std::size_t i) {
                         const std::uint64_t first = i * per_read, offset = begin + first * piece_bytes;
                         const auto buffer = thread_buffer().first(std::min(per_read * piece_bytes, end - offset));
                         file.read_at(buffer, offset);
                         hash_rows(buffer, piece_bytes, offset, &out[first], hash, mode,
                                   [&](const HashRows& job) { run.launch_here(job); });
                     },
                     share);
    } else if (in_batches && piece_bytes <= batch_bytes) {
        const std::uint64_t per_batch = batch_bytes / piece_bytes * piece_bytes;
        std::vector<std::byte> batch(std::min(end - begin, per_batch));
        for (std::uint64_t offset = begin; offset < end; offset += per_batch) {
            const auto data = std::span(batch).first(std::min<std::uint64_t>(batch.size(), end - offset));
            read_together(file, data, offset, run, 0);
            hash_rows(data, piece_bytes, offset, &out[(offset - begin) / piece_bytes], hash, mode,
                      [&](const HashRows& job) { run.launch(job, part(data.size())); });
        }
    } else {
        for (std::size_t i = 0; i < out.size(); i++) {
            const std::uint64_t offset = begin + i * piece_bytes, size = std::min(piece_bytes, end - offset);
            root_of_extent(file, offset, size, mode, run, part(size)).expand(out[i].bytes, 0, run);
        }
    }
    file.require_size(bytes);
}

}  // namespace runtime

void hash_file(const std::filesystem::path& path, std::span<std::byte> out, std::uint64_t seek, const Mode& mode,
               const RunOptions& options) {
    const runtime::File file(path);
    runtime::Run run(options);
    runtime::root_of(file, mode, run).expand(out, seek, run);
}

void hash_descriptor(int fd, std::string_view name, std::span<std::byte> out, std::uint64_t seek, const Mode& mode,
                     const RunOptions& options) {
    const runtime::File file(fd, name);
    runtime::Run run(options);
    runtime::root_of(file, mode, run).expand(out, seek, run);
}

std::vector<FileDigest> hash_files(std::span<const std::filesystem::path> paths, std::size_t length, std::uint64_t seek,
                                   const Mode& mode, const RunOptions& options) {
    std::vector<FileDigest> results(paths.size());
    // Small files side by side, a thread each; then the large ones and what is no regular file, each by all threads.
    constexpr std::uint64_t small_bytes = 4 << 20;
    std::vector<char> later(paths.size());
    Timings times{};  // of all files together
    std::mutex guards_times;
    const auto hash_one = [&](std::size_t i, RunOptions one, bool small_only) {
        Timings of_one{};
        if (options.timings != nullptr) one.timings = &of_one;
        try {
            const runtime::File file(paths[i]);
            std::uint64_t position = 0, bytes = 0;
            const bool extent = file.has_extent(position, bytes);
            later[i] = small_only && (!extent || bytes > small_bytes);
            if (later[i]) return;
            runtime::Run run(one);
            const runtime::Node root = extent ? runtime::root_of_rest(file, position, bytes, mode, run)
                                              : runtime::root_of_stream(file, mode, run);
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
        }
    };
    RunOptions alone = options;
    alone.threads = 1;
    alone.progress = {};
    runtime::Run run(options);
    // How many are large is known only after the first pass, so each pass is half of the progress.
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

}  // namespace merklize

#include "digests/file_root.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace merklize::runtime {
namespace {

constexpr std::uint32_t half_levels = read_levels - 1;

// The part of a file whose chaining values are in memory at once: 512 KiB of values for 4 GiB.
constexpr std::uint64_t segment_bytes = std::uint64_t{MKZ_BLAKE3_CHUNK_LEN} << 22;

// Chaining values of the subtrees of 2^levels chunks in one read, computed by this thread alone.
void hash_read(std::span<const std::byte> data, std::uint64_t first_chunk, std::uint32_t levels, const Mode& mode,
               const Run& run, ChainingValue* out) {
    run.launch_here(HashChunks{.data = host_place(data.data()),
                               .bytes = data.size(),
                               .first_chunk = first_chunk,
                               .levels = levels,
                               .mode = mode,
                               .out = host_place(out)});
}

// The root of data that can only be read in order, on the run's device.
FileRoot root_of_stream_on_device(const InputFile& file, const Mode& mode, Run& run) {
    std::vector<std::byte> batch(batch_bytes);
    ValueStack stack(mode);
    bool stopped = false;
    file.widen_pipe(read_bytes);
    for (std::uint64_t chunk = 0;; chunk += batch_chunks) {
        const std::size_t count = file.read_some(std::span(batch), [&] { return !(stopped = !run.tick(0)); });
        if (stopped) run.throw_cancelled();
        const auto data = std::span(batch).first(count);
        if (chunk == 0 && count < batch.size()) return {root_of(data, mode, run), count};
        if (count != 0) {
            // Two halves, because the value above them may be the root.
            const auto values = subtree_values(host_place(data.data()), count, chunk, batch_levels - 1, mode, run, 0);
            for (std::size_t half = 0; half < values.size(); half++)
                stack.push(values[half], chunk + half * (batch_chunks / 2));
        }
        if (count < batch.size()) return {stack.root(), chunk * MKZ_BLAKE3_CHUNK_LEN + count};
    }
}

// Hashes data that can only be read in order. The threads take turns: each reads one buffer, then hashes it while the
// next thread reads.
class StreamHasher {
public:
    StreamHasher(const InputFile& file, const Mode& mode, Run& run)
        : file_(file), mode_(mode), run_(run), stack_(mode) {}

    FileRoot root() {
        file_.widen_pipe(read_bytes);
        run_.parallel(run_.threads(), [this](std::size_t) { work(); });
        if (stop_) run_.throw_cancelled();
        return {whole_ ? *whole_ : stack_.root(), bytes_};
    }

private:
    // Only the thread that has the turn reads. No std::timed_mutex, because thread sanitizers do not know all of its
    // calls.
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
            bytes_ += count;
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

    // Values go on the stack in order. Values that come too early wait.
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

    const InputFile& file_;
    const Mode& mode_;
    Run& run_;
    const std::thread::id caller_ = std::this_thread::get_id();
    std::atomic<bool> stop_{false};

    std::mutex turn_mutex_;
    std::condition_variable turn_free_;
    bool turn_taken_ = false;      // guarded by turn_mutex_
    bool ended_ = false;           // belongs to the turn
    std::uint64_t next_read_ = 0;  // belongs to the turn
    std::uint64_t bytes_ = 0;      // belongs to the turn

    std::mutex committing_;
    std::uint64_t next_commit_ = 0;                              // guarded by committing_
    std::map<std::uint64_t, std::vector<ChainingValue>> early_;  // guarded by committing_
    ValueStack stack_;                                           // guarded by committing_
    std::optional<Node> whole_;                                  // written by the thread of the first read
};

}  // namespace

std::vector<ChainingValue> values_of_next(SourceReader& reader, std::uint64_t bytes, std::uint64_t first_chunk,
                                          std::uint32_t levels, const Mode& mode, Run& run, double share) {
    std::vector<ChainingValue> values;
    if (run.on_host()) {
        const std::uint32_t item = std::min(levels, read_levels);
        const std::uint64_t chunks = std::uint64_t{1} << item, item_bytes = chunks * MKZ_BLAKE3_CHUNK_LEN;
        values.resize((bytes + item_bytes - 1) / item_bytes);
        reader.each_part(bytes, item_bytes, run, share, [&](std::size_t i, std::span<const std::byte> data) {
            hash_read(data, first_chunk + i * chunks, item, mode, run, &values[i]);
        });
        for (std::uint32_t at = item; at < levels; at++) reduce(values, (values.size() + 1) / 2, mode, run);
        return values;
    }
    std::vector<std::byte> batch(std::min(bytes, batch_bytes));
    for (std::uint64_t done = 0; done < bytes; done += batch_bytes) {
        const auto data = std::span(batch).first(std::min(batch_bytes, bytes - done));
        reader.fill(data, run, 0);
        const auto more =
            subtree_values(host_place(data.data()), data.size(), first_chunk + done / MKZ_BLAKE3_CHUNK_LEN, levels,
                           mode, run, share * static_cast<double>(data.size()) / static_cast<double>(bytes));
        values.insert(values.end(), more.begin(), more.end());
    }
    return values;
}

Node root_of_next(SourceReader& reader, std::uint64_t bytes, const Mode& mode, Run& run, double share) {
    if (bytes <= read_bytes) {
        const auto buffer = thread_buffer().first(bytes);
        reader.fill(buffer, run, 0);
        return root_of(buffer, mode, run, share);
    }
    // The values of one segment are in memory at once, so a file of any length takes the same memory.
    const bool is_one_segment = bytes <= segment_bytes;
    const std::uint64_t n_chunks = (bytes + MKZ_BLAKE3_CHUNK_LEN - 1) / MKZ_BLAKE3_CHUNK_LEN;
    // Few reads a thread are smaller, so that all threads end together.
    std::uint32_t levels = bytes < 16 * read_bytes * run.threads() ? read_levels - 1 : read_levels;
    if (!run.on_host()) levels = bytes <= batch_bytes ? subtree_levels(n_chunks, run) : batch_levels;
    ValueStack stack(mode);
    for (std::uint64_t first = 0; first < bytes; first += segment_bytes) {
        const std::uint64_t count = std::min(segment_bytes, bytes - first);
        auto values = values_of_next(reader, count, first / MKZ_BLAKE3_CHUNK_LEN, levels, mode, run,
                                     share * static_cast<double>(count) / static_cast<double>(bytes));
        reduce(values, is_one_segment ? 2 : 1, mode, run);
        if (is_one_segment) return parent_node(values[0], values[1], mode);
        stack.push(values[0], first / MKZ_BLAKE3_CHUNK_LEN);
    }
    return stack.root();
}

FileRoot root_of_rest(const InputFile& file, const InputFile::Extent& rest, const Mode& mode, Run& run,
                      const InputFile::BeforeDisk& before) {
    const auto [position, bytes, identity] = rest;
    bool is_whole = true;
    std::optional<Node> root;
    if (bytes <
        read_bytes) {  // one system call reads it and shows its end; files on disks have the size that they state
        const auto buffer = thread_buffer();
        is_whole = file.read_up_to(buffer.first(before ? bytes : bytes + 1), position, before) == bytes;
        if (is_whole) root = root_of(buffer.first(bytes), mode, run);
    } else {
        try {
            SourceReader reader(file, {position, bytes}, before);
            root = root_of_next(reader, bytes, mode, run, 1);
            std::byte beyond;
            is_whole = file.read_up_to({&beyond, 1}, position + bytes) == 0;
        } catch (const EndedEarly&) {
            is_whole = false;
        }
    }
    file.require_unchanged(identity);
    // The stated size is wrong, although the file did not change.
    if (!is_whole) return root_of_stream(file, mode, run);
    file.leave_at(position + bytes);
    return {*root, bytes};
}

FileRoot root_of_stream(const InputFile& file, const Mode& mode, Run& run) {
    return run.on_host() ? StreamHasher(file, mode, run).root() : root_of_stream_on_device(file, mode, run);
}

Node root_of(const ByteSource& source, const Mode& mode, Run& run) {
    if (const InputFile* file = source.file()) return root_of_file(*file, file->stated(), mode, run).root;
    const auto extent = source.extent();
    GrowingMessage message(mode);
    read_in_order(source, extent, run,
                  [&](std::span<const std::byte> piece, double share) { message.add(piece, run, share); });
    return message.root();
}

}  // namespace merklize::runtime

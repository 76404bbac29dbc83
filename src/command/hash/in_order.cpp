#include "command/hash/in_order.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <thread>
#include <vector>

#include "command/endings.hpp"
#include "command/output/output.hpp"
#include "command/output/streams.hpp"
#include "digests/file_root.hpp"
#include "host/rotational.hpp"

namespace merklize::command {
namespace {

constexpr std::uint64_t most_slots = 1024;
// A larger file takes all threads.
constexpr std::uint64_t small_bytes = 1 << 20;

// An input on its way. Input i is in slot i % slots.
struct Slot {
    // Only grows, so that a slot that is used again cannot be mistaken: 4 i + one of these.
    enum Phase : std::uint64_t { waiting = 0, was_read = 1, put_off = 2, hashed = 3 };
    std::atomic<std::uint64_t> phase{0};

    HashInput input{};
    HashResult result{};
    std::unique_ptr<const runtime::InputFile> pipe{};  // whoever writes to it opens it once
};

// Thrown out of a read that should wait, but must not.
class NotNow : public std::exception {};

class Pipeline {
public:
    Pipeline(HashJob& job, std::uint64_t n_known, const std::function<bool(HashInput&)>& next,
             const std::function<void(const HashResult&)>& done, Bar& bar)
        : job_(job),
          next_(next),
          done_(done),
          bar_(bar),
          slots_(std::min(std::clamp<std::uint64_t>((16 << 20) / (job.length + 1), 4, most_slots), n_known)),
          threads_(job.options.threads != 0 ? job.options.threads : runtime::default_threads()) {
        alone_.device = job.options.device;
        alone_.threads = 1;
        alone_.policy = job.options.policy;
    }

    ~Pipeline() {
        ended_ = true;
        filled_.fetch_add(most_slots * 4);  // wakes all up, and none takes what is not there
        filled_.notify_all();
        for (std::thread& worker : workers_) worker.join();
    }

    void run() {
        for (;;) {
            while (given_ < n_inputs_ && phase(given_) == Slot::hashed) give(slot(given_));
            if (given_ < n_inputs_ && phase(given_) == Slot::put_off) {
                hash_large(slot(given_));
                continue;
            }
            if (fill()) continue;
            if (given_ == n_inputs_) return;
            if (help()) continue;
            flush();  // what is known so far should be seen while this takes its time
            slot(given_).phase.wait(4 * given_ + Slot::waiting);
            if (phase(given_) == Slot::was_read) slot(given_).phase.wait(4 * given_ + Slot::was_read);
            if (failed_) std::rethrow_exception(failure_);
        }
    }

private:
    Slot& slot(std::uint64_t i) { return slots_[i % slots_.size()]; }
    std::uint64_t phase(std::uint64_t i) { return slot(i).phase.load(std::memory_order_acquire) - 4 * i; }
    void reach(std::uint64_t i, Slot::Phase to) {
        slot(i).phase.store(4 * i + to, std::memory_order_release);
        slot(i).phase.notify_all();
    }

    // Takes some more inputs, if there is room for them. At first one or two, so that a single small file starts no thread.
    bool fill() {
        const std::uint64_t before = n_inputs_;
        const std::uint64_t most = std::min<std::uint64_t>(before + 16, given_ + slots_.size());
        while (!all_taken_ && n_inputs_ < most) {
            Slot& into = slot(n_inputs_);
            into.input = {};
            into.pipe.reset();
            if (!next_(into.input)) {
                all_taken_ = true;
                break;
            }
            into.phase.store(4 * n_inputs_ + Slot::waiting, std::memory_order_relaxed);
            n_inputs_++;
        }
        if (n_inputs_ == before) return false;
        filled_.store(n_inputs_, std::memory_order_release);
        filled_.notify_all();
        // The caller is one of the threads.
        const std::uint64_t wanted = std::min<std::uint64_t>(threads_, n_inputs_ - given_) - 1;
        while (workers_.size() < wanted && can_start_) start();
        return true;
    }

    void start() try {
        workers_.emplace_back([this] {
            std::uint64_t i = 0;
            while (take(i, true)) work(i, false);
        });
    } catch (const std::system_error&) {
        can_start_ = false;  // then it only takes longer
    }

    // The next input that nobody has taken yet; waits for one if asked to. False: there will be none.
    bool take(std::uint64_t& i, bool wait) {
        for (;;) {
            if (ended_) return false;
            const std::uint64_t filled = filled_.load(std::memory_order_acquire);
            i = taken_.load(std::memory_order_relaxed);
            if (i < filled) {
                if (taken_.compare_exchange_weak(i, i + 1, std::memory_order_relaxed)) return !ended_;
                continue;
            }
            if (!wait) return false;
            filled_.wait(filled, std::memory_order_acquire);
        }
    }

    // The caller works too, while it would have to wait.
    bool help() {
        std::uint64_t i = 0;
        if (!take(i, false)) return false;
        work(i, true);
        return true;
    }

    void work(std::uint64_t i, bool is_caller) noexcept try {
        Slot& here = slot(i);
        here.result.path = std::move(here.input.path);
        here.result.error = std::move(here.input.error);
        here.result.is_folder = false;
        here.result.root.reset();
        if (here.input.is_none || !here.result.error.empty()) return reach(i, Slot::hashed);
        if (here.result.path == standard_input_name || job_.length > digest_piece) return reach(i, Slot::put_off);
        try {
            auto file = std::make_unique<const runtime::InputFile>(here.result.path);
            const auto extent = file->extent();
            if (!extent || extent->bytes > small_bytes) {
                if (file->is_pipe()) here.pipe = std::move(file);
                return reach(i, Slot::put_off);
            }
            runtime::InputFile::BeforeDisk before;
            if (runtime::is_rotational(extent->identity.device)) before = [&] { wait_for_turn(i, is_caller); };
            hash_input(*file, extent, job_, alone_, here.result, before);
        } catch (const NotNow&) {
            return reach(i, Slot::put_off);
        } catch (const Error& error) {
            if (error.code() != ErrorCode::io) throw;
            note_error(error, here.result);
        }
        reach(i, Slot::hashed);
    } catch (...) {
        if (!failed_.exchange(true)) failure_ = std::current_exception();
        reach(i, Slot::hashed);
    }

    // Until everything before input i is read. The caller must not wait for that, for it may have to hash it.
    void wait_for_turn(std::uint64_t i, bool is_caller) {
        if (is_caller && i != given_) throw NotNow();
        for (std::uint64_t before = i > slots_.size() ? i - slots_.size() : 0; before < i; before++) {
            for (;;) {
                const std::uint64_t now = slot(before).phase.load(std::memory_order_acquire);
                if (now >= 4 * (before + 1) || now == 4 * before + Slot::hashed || ended_) break;
                slot(before).phase.wait(now, std::memory_order_acquire);
            }
        }
    }

    void hash_large(const runtime::InputFile& file, const RunOptions& options, HashResult& result) {
        hash_input(file, file.extent(), job_, options, result);
    }

    void hash_large(Slot& here) {
        flush();
        RunOptions options = job_.options;
        options.progress = bar_.part();
        HashResult& result = here.result;
        try {
            if (result.path == standard_input_name) {
                if (job_.has_key) {
                    result.error = "standard input holds the key, not data";
                } else {
                    hash_large({standard_input(), "standard input"}, options, result);
                }
            } else if (here.pipe) {
                hash_large(*here.pipe, options, result);
            } else {
                hash_large(runtime::InputFile(result.path), options, result);
            }
        } catch (const Failure& failure) {  // standard input is closed
            result.error = failure.text;
        } catch (const Error& error) {
            if (error.code() != ErrorCode::io) throw;
            note_error(error, result);
        }
        reach(given_, Slot::hashed);
    }

    void give(Slot& here) {
        if (failed_) std::rethrow_exception(failure_);
        done_(here.result);
        given_++;
        bar_.advance();
    }

    HashJob& job_;
    const std::function<bool(HashInput&)>& next_;
    const std::function<void(const HashResult&)>& done_;
    Bar& bar_;
    std::vector<Slot> slots_;
    const unsigned threads_;
    RunOptions alone_{};

    // The caller's own.
    std::uint64_t given_ = 0, n_inputs_ = 0;
    bool all_taken_ = false, can_start_ = true;
    std::vector<std::thread> workers_{};

    std::atomic<std::uint64_t> filled_{0}, taken_{0};
    std::atomic<bool> ended_{false}, failed_{false};
    std::exception_ptr failure_{};
};

}  // namespace

void hash_in_order(HashJob& job, std::uint64_t n_known, const std::function<bool(HashInput&)>& next,
                   const std::function<void(const HashResult&)>& done, Bar& bar) {
    Pipeline(job, n_known == 0 ? most_slots : n_known, next, done, bar).run();
}

}  // namespace merklize::command

#include "command/hash/in_order.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <thread>
#include <vector>

#include "command/endings.hpp"
#include "command/urls.hpp"
#include "host/input_file.hpp"
#include "host/threads.hpp"

namespace merklize::command {
namespace {

constexpr std::uint64_t small_bytes = 1 << 20;  // a larger file takes all threads
// Small files go through the queue at a million a second, so threads take and give several under one lock.
constexpr std::size_t most_at_once = 16;

// An input and its result. The thread that takes an item owns it until its state is `large` or `done`; then the caller owns it.
struct Item {
    enum class State : std::uint8_t { open, large, done };

    Item(std::uint64_t number, bool is_none, HashResult result)
        : number(number), is_none(is_none), result(std::move(result)) {}

    const std::uint64_t number;  // in the order of the inputs
    const bool is_none;
    HashResult result;
    std::string url{};                                 // of an object of a store
    std::unique_ptr<const runtime::InputFile> pipe{};  // stays open, because a writer opens its pipe only once
    std::exception_ptr failure{};                      // an error that is not about the input and ends the run
    std::atomic<State> state{State::open};
};

// A bounded queue. The caller adds inputs at the end and takes results from the front; workers hash the items between.
class Pipeline {
public:
    Pipeline(Call& call, HashJob& job, const std::function<bool(HashInput&)>& next, Bar& bar)
        : call_(call),
          job_(job),
          next_(next),
          bar_(bar),
          alone_{.device = job.options.device, .threads = 1, .policy = job.options.policy},
          most_items_(std::clamp<std::uint64_t>((16 << 20) / (job.length + 1), 4, 1024)),
          most_workers_(job.options.threads == 0 ? runtime::default_threads() : job.options.threads) {
        if (most_workers_ == 1) most_workers_ = 0;  // the caller is that one thread
    }

    ~Pipeline() {
        {
            const std::lock_guard lock(mutex_);
            is_ended_ = true;
        }
        added_.notify_all();
        front_.notify_all();
        for (std::thread& worker : workers_) worker.join();
    }

    void run(const std::function<void(const HashResult&)>& done) {
        for (;;) {
            call_.require_going_on();
            const Item::State state = items_.empty() ? Item::State::open : items_.front().state.load();
            if (state == Item::State::done) {
                std::size_t n = 0;
                for (; n < std::min(items_.size(), most_at_once) && items_[n].state == Item::State::done; n++) {
                    if (items_[n].failure) std::rethrow_exception(items_[n].failure);
                    done(items_[n].result);
                    bar_.advance();
                }
                remove_front(n);
            } else if (state == Item::State::large) {
                call_.flush();
                work(items_.front(), true);
            } else if (!add()) {
                if (items_.empty()) return;
                call_.flush();  // shows the results so far while a long item is hashed
                finish_front();
            }
        }
    }

private:
    void remove_front(std::size_t n) {
        {
            const std::lock_guard lock(mutex_);
            for (std::size_t k = 0; k < n; k++) items_.pop_front();
            n_taken_ -= n;
            n_given_ += n;
        }
        front_.notify_all();
    }

    // Adds one more input, if there is one and the queue has room.
    bool add() {
        HashInput input;
        if (all_added_ || items_.size() == most_items_) return false;
        all_added_ = !next_(input);
        if (all_added_) return false;
        if (is_url(input.path)) most_workers_ = std::max(most_workers_, call_.caller().opener()->most_at_once());
        bool wakes_one = false;
        {
            const std::lock_guard lock(mutex_);
            items_.emplace_back(n_given_ + items_.size(), input.is_none,
                                HashResult{shown_name(call_, input.path), std::move(input.error)});
            if (is_url(input.path)) items_.back().url = std::move(input.path);
            wakes_one = lacks_workers();
        }
        if (wakes_one) added_.notify_one();
        try {
            while (items_.size() > 1 && workers_.size() < std::min(most_workers_, items_.size()))
                workers_.emplace_back([this] {
                    {
                        const std::lock_guard lock(mutex_);
                        n_workers_++;
                    }
                    for (std::vector<Item*> items = take(); !items.empty(); items = take()) {
                        for (Item* item : items) work(*item, false);
                    }
                });
        } catch (const std::system_error&) {
            most_workers_ = workers_.size();  // fewer workers only take longer
        }
        return true;
    }

    // Whether a worker should be woken, which takes as long as some small files: only for more items than workers that are awake, because
    // those come back for one each. With the mutex.
    bool lacks_workers() const { return n_asleep_ != 0 && items_.size() - n_taken_ + n_asleep_ > n_workers_; }

    // Waits for items that no worker has taken: a share of them, so that the others find work, too. None: there will be none.
    std::vector<Item*> take() {
        std::unique_lock lock(mutex_);
        n_asleep_++;
        added_.wait(lock, [&] { return is_ended_ || n_taken_ < items_.size(); });
        n_asleep_--;
        if (is_ended_) return {};
        const std::size_t share = (items_.size() - n_taken_) / (2 * n_workers_);
        std::vector<Item*> taken(items_[n_taken_].url.empty() ? std::clamp<std::size_t>(share, 1, most_at_once) : 1);
        for (Item*& item : taken) item = &items_[n_taken_++];
        if (lacks_workers()) added_.notify_one();
        return taken;
    }

    // Hashes the first item, or waits for the worker that does.
    void finish_front() {
        std::unique_lock lock(mutex_);
        Item& first = items_.front();
        if (n_taken_ != 0) {
            if (n_asleep_ != 0 && n_taken_ < items_.size()) added_.notify_one();
            awaited_ = first.number;
            front_.wait(lock, [&] { return first.state != Item::State::open; });
            awaited_ = nothing;
            return;
        }
        n_taken_ = 1;
        lock.unlock();
        work(items_.front(), !items_.front().url.empty());
    }

    // is_large  the item is hashed by all threads, because everything before it is done
    void work(Item& item, bool is_large) {
        auto state = Item::State::done;
        try {
            if (!hash(item, is_large)) state = Item::State::large;
        } catch (const Failure& failure) {  // standard input is closed, or holds the key
            item.result.error = failure.text;
        } catch (...) {
            item.failure = std::current_exception();
        }
        // The caller owns the item from here on. It says what it waits for before it looks at the state, so one of the two sees the other.
        const std::uint64_t number = item.number;
        item.state = state;
        if (awaited_ != number) return;
        const std::lock_guard lock(mutex_);  // the caller waits, or is about to leave
        front_.notify_all();
    }

    // False: the item is large and was not hashed.
    bool hash(Item& item, bool is_large) try {
        HashResult& result = item.result;
        if (item.is_none || !result.error.empty()) return true;
        if (!item.url.empty()) {
            const auto object = open_input(call_, item.url);
            RunOptions options = job_.options;
            options.progress = is_large ? bar_.part_of(*object) : [this](double) { return goes_on(); };
            hash_object(*object, job_, options, result);
            return true;
        }
        const bool is_standard = result.path == standard_input_name;
        if (!is_large && (is_standard || job_.length > digest_piece)) return false;
        if (is_standard && job_.has_key) throw Failure{"standard input holds the key, not data"};
        auto file = item.pipe     ? std::move(item.pipe)
                    : is_standard ? std::make_unique<const runtime::InputFile>(call_.standard_input(), "standard input")
                                  : std::make_unique<const runtime::InputFile>(result.path);
        const auto extent = file->extent();
        if (is_large) {
            RunOptions options = job_.options;
            options.progress = bar_.part(1, extent ? extent->bytes : 0);
            hash_input(*file, extent, job_, options, result);
            return true;
        }
        if (!extent || extent->bytes > small_bytes) {
            if (file->is_pipe()) item.pipe = std::move(file);
            return false;
        }
        runtime::InputFile::BeforeDisk before;
        if (runtime::is_rotational(extent->identity.device)) before = [&] { wait_for_turn(item); };
        hash_input(*file, extent, job_, alone_, result, before);
        return true;
    } catch (const Error& error) {
        if (error.code() != ErrorCode::io) throw;
        note_error(error, item.result);
        return true;
    }

    bool goes_on() {
        const std::lock_guard lock(mutex_);
        return !is_ended_;
    }

    // Waits until everything before the item is done, or the run ends.
    void wait_for_turn(const Item& item) {
        std::unique_lock lock(mutex_);
        front_.wait(lock, [&] { return is_ended_ || &item == &items_.front(); });
    }

    Call& call_;
    HashJob& job_;
    const std::function<bool(HashInput&)>& next_;
    Bar& bar_;
    const RunOptions alone_;
    const std::size_t most_items_;

    // For the caller only.
    bool all_added_ = false;
    std::size_t most_workers_;
    std::vector<std::thread> workers_{};

    std::mutex mutex_;
    std::condition_variable added_, front_;  // an item to take was added; the front has changed or is done
    std::deque<Item> items_{};   // only the caller adds and removes, with the mutex; items do not move in memory
    std::size_t n_taken_ = 0;    // number of taken items, from the front on; guarded by mutex_
    std::uint64_t n_given_ = 0;  // number of items that were removed: the caller's, written with the mutex
    std::size_t n_asleep_ = 0;   // workers that wait for items; guarded by mutex_
    std::size_t n_workers_ = 0;  // guarded by mutex_
    bool is_ended_ = false;      // guarded by mutex_
    static constexpr std::uint64_t nothing = UINT64_MAX;
    std::atomic<std::uint64_t> awaited_{nothing};  // number of the item that the caller waits for
};

}  // namespace

void hash_in_order(Call& call, HashJob& job, const std::function<bool(HashInput&)>& next,
                   const std::function<void(const HashResult&)>& done, Bar& bar) {
    Pipeline(call, job, next, bar).run(done);
}

}  // namespace merklize::command

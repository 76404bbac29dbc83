#include "command/hash/in_order.hpp"

#include <algorithm>
#include <atomic>
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
// Small files go through the queue at a million a second, so several are added and taken at once.
constexpr std::uint64_t most_at_once = 16;

// An input and its result. The thread that takes an item owns it until its state is `large` or `done`; then the caller
// owns it.
struct Item {
    enum class State : int { open, large, done };

    bool is_none = false;
    HashResult result{};
    std::string url{};                                 // of an object of a store
    std::unique_ptr<const runtime::InputFile> pipe{};  // stays open, because a writer opens its pipe only once
    std::exception_ptr failure{};                      // an error that is not about the input and ends the run
    std::atomic<State> state{State::open};
};

// A bounded queue of numbered items, number k in slot k modulo the slots. The caller adds inputs at the end and takes
// results from the front; workers hash the items between. n_given_ <= n_taken_ <= n_added_ but at the end of the run,
// when none is taken any more.
class Pipeline {
public:
    Pipeline(Call& call, HashJob& job, const std::function<bool(HashInput&)>& next, Bar& bar)
        : call_(call),
          job_(job),
          next_(next),
          bar_(bar),
          alone_{.device = job.options.device, .threads = 1, .policy = job.options.policy},
          slots_(std::clamp<std::uint64_t>((16 << 20) / std::max<std::uint64_t>(job.length, 1), 4, 1024)),
          most_workers_(job.options.threads == 0 ? runtime::default_threads() : job.options.threads) {
        if (most_workers_ == 1) most_workers_ = 0;  // the caller is that one thread
    }

    ~Pipeline() {
        n_added_ = n_given_ = at_end;
        n_wakes_++;
        n_wakes_.notify_all();
        n_given_.notify_all();
        for (std::thread& worker : workers_) worker.join();
    }

    void run(const std::function<void(const HashResult&)>& done) {
        for (;;) {
            call_.require_going_on();
            const Item::State state = is_empty() ? Item::State::open : item(n_given_).state.load();
            if (state == Item::State::done) {
                const Item& front = item(n_given_);
                if (front.failure) std::rethrow_exception(front.failure);
                done(front.result);
                bar_.advance();
                ++n_given_;
                n_given_.notify_all();
            } else if (state == Item::State::large) {
                call_.flush();
                work(n_given_, true);
            } else if (!add()) {
                if (is_empty()) return;
                call_.flush();  // shows the results so far while a long item is hashed
                finish_front();
            }
        }
    }

private:
    Item& item(std::uint64_t number) { return *slots_[number % slots_.size()]; }
    bool is_empty() const { return n_given_ == n_added_; }

    // Adds inputs, if there are more and the queue has room: first one, then twice as many each time, so that one file
    // starts no thread.
    bool add() {
        std::uint64_t added = n_added_;
        const std::uint64_t before = added, end = std::min<std::uint64_t>(before + at_once_, n_given_ + slots_.size());
        at_once_ = std::min(2 * at_once_, most_at_once);
        for (HashInput input; added < end && !all_added_; input = {}) {
            all_added_ = !next_(input);
            if (all_added_) break;
            auto& slot = slots_[added++ % slots_.size()];
            if (!slot) slot = std::make_unique<Item>();
            Item& into = *slot;
            into.is_none = input.is_none;
            const bool is_object = !input.is_file && is_url(input.path);
            into.result = {is_object ? shown_name(call_, input.path) : input.path, std::move(input.error)};
            into.url.clear();
            if (is_object) {
                most_workers_ = std::max(most_workers_, call_.caller().opener()->most_at_once());
                into.url = std::move(input.path);
            }
            into.state = Item::State::open;
        }
        if (added == before) return false;
        n_added_ = added;
        n_wakes_++;
        n_wakes_.notify_one();
        const std::uint64_t wanted = std::min<std::uint64_t>(most_workers_, added - n_given_);
        try {
            while (wanted > 1 && workers_.size() < wanted)
                workers_.emplace_back([this] {
                    for (Range taken = take(); taken.first != at_end; taken = take()) {
                        for (std::uint64_t k = taken.first; k < taken.end && n_added_ != at_end; k++) work(k, false);
                    }
                });
        } catch (const std::system_error&) {
            most_workers_ = workers_.size();  // fewer workers only take longer
        }
        return true;
    }

    struct Range {
        std::uint64_t first, end;
    };

    // Waits for items that nobody has taken, and takes a share of them, so that other workers find some, too. {at_end}:
    // there will be none.
    Range take() {
        for (std::uint64_t first = n_taken_;;) {
            const std::uint32_t wakes = n_wakes_;
            const std::uint64_t added = n_added_;
            if (added == at_end) return {at_end, at_end};
            if (first == added) {
                n_wakes_.wait(wakes);
                first = n_taken_;
                continue;
            }
            const std::uint64_t end = first + std::clamp<std::uint64_t>((added - first) / 64, 1, most_at_once);
            if (!n_taken_.compare_exchange_weak(first, end)) continue;
            // To wake a worker takes as long as a small file, so it must be worth it.
            if (added - end >= most_at_once) n_wakes_.notify_one();
            return {first, end};
        }
    }

    // Hashes the first item, or waits for the worker that does.
    void finish_front() {
        const std::uint64_t number = n_given_;
        Item& front = item(number);
        if (std::uint64_t untaken = number; n_taken_.compare_exchange_strong(untaken, number + 1))
            return work(number, !front.url.empty());
        if (n_taken_ < n_added_) n_wakes_.notify_all();
        awaited_ = number;
        front.state.wait(Item::State::open);
        awaited_ = at_end;
    }

    // is_large  the item is hashed by all threads, because everything before it is done
    void work(std::uint64_t number, bool is_large) {
        Item& item = this->item(number);
        auto state = Item::State::done;
        try {
            if (!hash(item, number, is_large)) state = Item::State::large;
        } catch (const Failure& failure) {  // standard input is closed, or holds the key
            item.result.error = failure.text;
        } catch (...) {
            item.failure = std::current_exception();
        }
        // The caller owns the item from here on. It says what it waits for before it looks at the state, so one of the
        // two sees the other.
        item.state = state;
        if (awaited_ == number) item.state.notify_all();
    }

    // False: the item is large and was not hashed.
    bool hash(Item& item, std::uint64_t number, bool is_large) try {
        HashResult& result = item.result;
        if (item.is_none || !result.error.empty()) return true;
        if (!item.url.empty()) {
            const auto object = open_input(call_, item.url);
            RunOptions options = job_.options;
            options.progress = is_large ? bar_.part_of(*object) : [this](double) { return n_added_ != at_end; };
            hash_object(*object, job_, options, result);
            return true;
        }
        const bool is_standard = result.path == standard_input_name;
        if (!is_large && (is_standard || job_.length > digest_piece)) return false;
        if (is_standard && job_.has_key) throw Failure{"standard input holds the key, not data"};
        auto file = item.pipe     ? std::move(item.pipe)
                    : is_standard ? std::make_unique<const runtime::InputFile>(call_.standard_input(), "standard input")
                                  : std::make_unique<const runtime::InputFile>(result.path);
        const auto stated = file->stated();
        if (is_large) {
            RunOptions options = job_.options;
            options.progress = bar_.part(1, stated ? stated->bytes : 0);
            hash_input(*file, stated, job_, options, result);
            return true;
        }
        if (!stated || stated->bytes > small_bytes) {
            if (file->is_pipe()) item.pipe = std::move(file);
            return false;
        }
        runtime::InputFile::BeforeDisk before;
        if (runtime::is_rotational(stated->identity.device)) before = [&] { wait_for_turn(number); };
        hash_input(*file, stated, job_, alone_, result, before);
        return true;
    } catch (const Error& error) {
        if (error.code() != ErrorCode::io) throw;
        note_error(error, item.result);
        return true;
    }

    // Waits until everything before the item is done, or the run ends.
    void wait_for_turn(std::uint64_t number) {
        for (std::uint64_t given = n_given_; given < number; given = n_given_) n_given_.wait(given);
    }

    Call& call_;
    HashJob& job_;
    const std::function<bool(HashInput&)>& next_;
    Bar& bar_;
    const RunOptions alone_;
    std::vector<std::unique_ptr<Item>> slots_;

    // For the caller only.
    bool all_added_ = false;
    std::uint64_t at_once_ = 1;
    std::size_t most_workers_;
    std::vector<std::thread> workers_{};

    static constexpr std::uint64_t at_end = UINT64_MAX;
    // The caller writes the numbers of added and given items; they are at_end when the run ends.
    std::atomic<std::uint64_t> n_added_{0}, n_given_{0}, n_taken_{0};
    std::atomic<std::uint32_t> n_wakes_{0};       // changes after n_added_; workers sleep on it
    std::atomic<std::uint64_t> awaited_{at_end};  // number of the item that the caller waits for
};

}  // namespace

void hash_in_order(Call& call, HashJob& job, const std::function<bool(HashInput&)>& next,
                   const std::function<void(const HashResult&)>& done, Bar& bar) {
    Pipeline(call, job, next, bar).run(done);
}

}  // namespace merklize::command

#include "command/hash/check.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <deque>
#include <optional>

#include "command/endings.hpp"
#include "command/hash/check_line.hpp"
#include "command/hash/in_order.hpp"
#include "command/hash/writers.hpp"
#include "command/output/output.hpp"
#include "host/descriptor.hpp"

namespace merklize::command {
namespace {

// A name has at most 4096 bytes, twice that when escaped. A longer line is read in pieces. Its first piece always fails, so no valid line
// can hide in a long one.
constexpr std::size_t most_line = 1 << 20;

// The lines of a list, one after another.
class Lines {
public:
    Lines(Call& call, const std::string& list) {
        fd_ = list == standard_input_name ? call.standard_input() : open(list.c_str(), O_RDONLY | O_CLOEXEC);
        if (fd_ < 0) throw Failure{strerror(errno)};
        if (list != standard_input_name) owned_ = runtime::Descriptor(fd_);
    }

    // False at the end.
    bool next(std::string& line) {
        for (std::size_t searched = at_;;) {
            const std::size_t end = data_.find('\n', searched);
            if (end != data_.npos || data_.size() - at_ >= most_line || ended_) {
                const std::size_t length = std::min((end == data_.npos ? data_.size() : end + 1) - at_, most_line);
                line.assign(data_, at_, length);
                at_ += length;
                return length != 0;
            }
            data_.erase(0, at_);
            at_ = 0;
            searched = data_.size();
            read_more();
        }
    }

private:
    void read_more() {
        constexpr std::size_t piece = 1 << 16;
        const std::size_t before = data_.size();
        data_.resize(before + piece);
        ssize_t count = 0;
        do {
            count = read(fd_, data_.data() + before, piece);
        } while (count < 0 && errno == EINTR);
        if (count < 0) throw Failure{strerror(errno)};
        data_.resize(before + static_cast<std::size_t>(count));
        ended_ = count == 0;
    }

    int fd_;
    runtime::Descriptor owned_{};
    std::string data_{};
    std::size_t at_ = 0;
    bool ended_ = false;
};

class Report {
public:
    Report(Call& call, HashJob& job, bool quiet, bool as_json) : call_(call), job_(job), quiet_(quiet) {
        if (as_json) json_.emplace(call);
    }

    // Reports as b3sum does, and also the place of a malformed line.
    // error  why the line or its file cannot be read; a different digest is no error
    void put(const std::string& list, std::uint64_t number, const CheckLine& line, bool ok, const std::string& error) {
        if (json_) {
            json::Object entry;
            if (!line.is_bad()) json::put_name(entry, line.name);
            entry.text("list", display(list)).number("line", number).number("ok", ok);
            if (!error.empty()) entry.text("error", error);
            json_->put(entry);
        } else if (line.is_bad()) {
            call_.complain(sentence(list) + ":" + std::to_string(number) + ": " + error);
        } else if (!ok) {
            call_.line(line.shown + ": FAILED" + (error.empty() ? "" : " (" + error + ")"));
        } else if (!quiet_) {
            call_.line(line.shown + ": OK");
        }
    }
    void finish() {
        if (json_) json_->finish(job_);
    }

private:
    Call& call_;
    HashJob& job_;
    bool quiet_;
    std::optional<JsonList> json_{};
};

// Checks one list; returns how many lines failed.  errors  Failure (the list cannot be read)
void check_list(Call& call, const std::string& list, HashJob& job, Report& report, std::uint64_t& failed) {
    if (list == standard_input_name && job.has_key) throw Failure{"standard input holds the key, not a list"};
    Lines lines(call, list);
    std::deque<CheckLine> open;  // lines whose files are being hashed
    std::string text, broken;    // broken: why the list ended early
    std::uint64_t number = 0;
    Bar bar(call, "checking", 0);
    const auto next = [&](HashInput& input) {
        try {
            if (!lines.next(text)) return false;
        } catch (const Failure& failure) {
            broken = failure.text;
            return false;
        }
        open.push_back(parse_check_line(text, job.length));
        input.is_none = open.back().is_bad();
        if (!input.is_none) input.path = open.back().name;
        return true;
    };
    const auto done = [&](const HashResult& result) {
        const CheckLine line = std::move(open.front());
        open.pop_front();
        number++;
        bool ok = !line.is_bad() && result.error.empty();
        if (ok && result.root) {
            std::size_t at = 0;
            each_piece(result, job, [&](std::span<const std::byte> piece) {
                ok = ok && std::memcmp(piece.data(), line.digest.data() + at, piece.size()) == 0;
                at += piece.size();
            });
        } else if (ok) {
            ok = result.digest == line.digest;
        }
        if (!ok) failed++;
        report.put(list, number, line, ok, line.is_bad() ? line.reason() : result.error);
    };
    hash_in_order(call, job, next, done, bar);
    if (!broken.empty()) throw Failure{broken};
}

}  // namespace

std::uint64_t check_lists(Call& call, const std::vector<std::string>& lists, HashJob& job, bool quiet, bool as_json) {
    std::uint64_t failed = 0, unread = 0;
    Report report(call, job, quiet, as_json);
    for (const std::string& list : lists) {
        try {
            check_list(call, list, job, report, failed);
        } catch (const Failure& failure) {
            unread++;
            call.complain(sentence(list) + ": " + failure.text);
        }
    }
    report.finish();
    if (failed != 0) {
        call.complain("WARNING: " + std::to_string(failed) + " computed checksum" + (failed > 1 ? "s" : "") +
                      " did NOT match");
    }
    return failed + unread;
}

}  // namespace merklize::command

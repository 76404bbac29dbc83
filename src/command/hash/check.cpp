#include "command/hash/check.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include "command/endings.hpp"
#include "command/hash/check_line.hpp"
#include "command/hash/in_order.hpp"
#include "command/hash/writers.hpp"
#include "command/output/output.hpp"
#include "command/urls.hpp"
#include "host/input_file.hpp"

namespace merklize::command {
namespace {

// A name has at most 4096 bytes, twice that when escaped. Only the beginning of a longer one is kept, and no file is
// looked for. Only the beginning of a line of more than a megabyte is kept, too. It always fails, so no valid line can
// hide in a long one.
constexpr std::size_t most_name = 4096;
constexpr std::size_t most_line = 2 * most_checked_length + 4 * most_name;
constexpr std::size_t longest_line = 1 << 30;   // a longer one may have no end
constexpr std::size_t most_before = most_line;  // bytes before the first proper line: more than one long line
constexpr std::size_t most_named = 5;           // improper lines of a list that are named, where not all are

// The lines of a list, one after another.
class Lines {
public:
    Lines(Call& call, const std::string& list) : call_(call) {
        guarded([&] { file_ = open_file(call, list); });
        while (data_.size() < 4 && !ended_) read_more();
        skip_mark();
    }

    // False at the end. Of a line that is too long, the beginning.
    // errors  Failure (a line that may have no end)
    bool next(std::string& line) {
        std::size_t skipped = 0;
        do {
            call_.require_going_on();
            if (!next_piece(line)) return false;
            if (is_rest_) skipped += line.size();
            if (skipped > longest_line) throw Failure{"not a list of checksums: a line has more than 1 GiB"};
        } while (std::exchange(is_rest_, !line.ends_with('\n')));
        return true;
    }

private:
    // A line, or a piece of one that is too long.
    bool next_piece(std::string& line) {
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

    // Editors put a byte order mark in front of UTF-8, and PowerShell's > writes UTF-16.
    void skip_mark() {
        const std::string_view begin(data_);
        const auto is_wide = [&](std::size_t zero) {
            const auto is_text = [](char c) { return c > ' ' && c < 127; };
            return begin.size() >= 4 && begin[zero] == 0 && begin[zero + 2] == 0 && is_text(begin[1 - zero]) &&
                   is_text(begin[3 - zero]);
        };
        if (begin.starts_with("\xff\xfe") || begin.starts_with("\xfe\xff") || is_wide(0) || is_wide(1))
            throw Failure{"the list is UTF-16, as PowerShell's > writes it; convert it to UTF-8"};
        if (begin.starts_with("\xef\xbb\xbf")) at_ = 3;
    }

    void read_more() {
        constexpr std::size_t piece = 1 << 16;
        const std::size_t before = data_.size();
        data_.resize(before + piece);
        const auto room = std::as_writable_bytes(std::span(data_)).subspan(before);
        std::size_t count = 0;
        guarded([&] {  // waits for one byte, and takes what there is
            count = file_->read_some(room.first(1), call_.waiting());
            if (count != 0) count += file_->read_some(room.subspan(1), [] { return false; });
        });
        data_.resize(before + count);
        ended_ = count == 0;
    }

    // The caller names the list.
    template <class Action>
    static void guarded(Action action) try {
        action();
    } catch (const Error& error) {
        if (error.system_error() == 0) throw;
        throw Failure{strerror(error.system_error())};
    }

    Call& call_;
    std::unique_ptr<runtime::InputFile> file_{};
    std::string data_{};
    std::size_t at_ = 0;
    bool ended_ = false;
    bool is_rest_ = false;  // the next piece continues a line that is too long
};

// What became of a line.
enum class Verdict : std::uint8_t { good, differs, unreadable, missing, improper };

// "1 line is", "2 lines are"
std::string counted(std::uint64_t n, std::string_view one, std::string_view more) {
    return std::to_string(n) + " " + std::string(n == 1 ? one : more);
}

// Checks lists, one after another, and reports on every line of them.
class Check {
public:
    Check(Call& call, HashJob& job, const CheckRules& rules)
        : call_(call),
          job_(job),
          rules_(rules),
          is_blake3_(job.hash == Hash::blake3 && !job.is_xet),
          sums_(job.is_xet ? std::nullopt : std::optional(job.hash), job.length) {
        if (rules.as_json) json_.emplace(call);
    }

    // errors  Failure (the list cannot be read, or none of its lines is a checksum)
    void check(const std::string& list);
    // The summary.  returns  whether nothing failed
    bool finish();

private:
    struct Line {
        std::uint64_t number;
        CheckLine content;
    };

    bool read(Lines& lines, const std::string& list, Line& line);
    Verdict judge(const CheckLine& line, const HashResult& result);
    void put(const std::string& list, const Line& line, Verdict verdict, const std::string& error);
    void name(const std::string& text);

    Call& call_;
    HashJob& job_;
    const CheckRules rules_;
    const bool is_blake3_;
    SumLines sums_;
    std::optional<JsonList> json_{};
    std::array<std::uint64_t, 5> counts_{};  // of all lists, by verdict
    bool has_unverified_ = false;            // a list of which no file exists
    // Of this list.
    std::uint64_t n_proper_ = 0, n_good_ = 0, n_improper_ = 0, n_differs_ = 0;
    std::uint64_t n_before_ = 0;          // bytes that were read
    bool has_proper_ = false;             // a proper line was read
    bool has_tags_ = false;               // its lines name the hash
    std::vector<std::string> unnamed_{};  // improper lines, to be named once a proper one shows that this is a list
};

// False at the end.
bool Check::read(Lines& lines, const std::string& list, Line& line) {
    for (std::string text; lines.next(text);) {
        line.number++;
        line.content = is_blake3_ ? parse_check_line(text, job_.length) : sums_.parse(text);
        n_before_ += text.size();
        has_proper_ = has_proper_ || (!line.content.is_empty && !line.content.is_bad());
        if (!has_proper_ && n_before_ > most_before)
            throw Failure{"not a list of checksums: its first MiB has no properly formatted line"};
        if (line.content.is_empty) continue;
        if (list == standard_input_name && line.content.name == standard_input_name)
            line.content = {.why_bad = "standard input holds the list, so it cannot be checked"};
        return true;
    }
    return false;
}

Verdict Check::judge(const CheckLine& line, const HashResult& result) {
    if (line.is_bad()) return Verdict::improper;
    if (!result.error.empty())
        return result.is_missing && rules_.ignores_missing ? Verdict::missing : Verdict::unreadable;
    return result.digest == line.digest ? Verdict::good : Verdict::differs;
}

void Check::check(const std::string& list) {
    if (list == standard_input_name && job_.has_key) throw Failure{"standard input holds the key, not a list"};
    n_proper_ = n_good_ = n_improper_ = n_differs_ = 0;
    n_before_ = 0;
    has_proper_ = has_tags_ = false;
    unnamed_.clear();
    Lines lines(call_, list);
    std::deque<Line> open;  // lines whose files are being hashed
    Line last{};
    std::string broken;  // why the list ended early
    Bar bar(call_, "checking", 0);
    const auto next = [&](HashInput& input) {
        try {
            if (!read(lines, list, last)) return false;
        } catch (const Failure& failure) {
            broken = failure.text;
            return false;
        }
        CheckLine& line = last.content;
        if (line.name.size() > most_name) {
            input.error = strerror(ENAMETOOLONG);
            line.name.resize(most_name);
            line.shown.resize(most_name);
        }
        input.is_none = line.is_bad();
        input.is_file = true;
        if (!input.is_none) input.path = line.name;
        open.push_back(std::move(last));
        last = {open.back().number, {}};
        return true;
    };
    const auto done = [&](const HashResult& result) {
        const Line line = std::move(open.front());
        open.pop_front();
        const Verdict verdict = judge(line.content, result);
        put(list, line, verdict, line.content.is_bad() ? line.content.reason() : result.error);
    };
    hash_in_order(call_, job_, next, done, bar);
    if (n_proper_ == 0) counts_[static_cast<std::size_t>(Verdict::improper)] -= n_improper_;  // it is said to be none
    if (!broken.empty()) throw Failure{broken};
    if (n_proper_ == 0) {
        throw Failure{"no properly formatted checksum lines found" +
                      (unnamed_.empty() ? std::string() : " (line " + unnamed_.front() + ")")};
    }
    // Many programs write such lists, and none says by which hash. One file alone may have changed.
    const bool is_plain = job_.length == Digest::size && job_.seek == 0 && job_.mode.flags() == 0 && !job_.is_xet;
    if (n_proper_ > 1 && n_differs_ == n_proper_ && is_plain && !has_tags_ && !rules_.is_silent) {
        call_.complain(sentence(list) + ": no digest matched: " +
                       (is_blake3_ ? "is this a list by another hash, such as --hash sha256?"
                                   : "is this a list by another hash? Without --hash it is BLAKE3's"));
    }
    if (rules_.ignores_missing && n_good_ == 0) {
        if (!rules_.is_silent) call_.complain(sentence(list) + ": no file was verified");
        has_unverified_ = true;
    }
}

// Reports as b3sum does, and also the place of an improper line.
// error  why the line or its file cannot be read; a different digest is no error
void Check::put(const std::string& list, const Line& line, Verdict verdict, const std::string& error) {
    counts_[static_cast<std::size_t>(verdict)]++;
    const bool is_good = verdict == Verdict::good;
    n_good_ += is_good;
    n_differs_ += verdict == Verdict::differs;
    has_tags_ = has_tags_ || line.content.is_tagged;
    if (verdict == Verdict::improper) {
        const std::string reason = std::to_string(line.number) + ": " + error;
        if (n_improper_++ < most_named || rules_.warns) {
            n_proper_ == 0 && !rules_.warns ? unnamed_.push_back(reason) : name(sentence(list) + ":" + reason);
        }
    } else if (n_proper_++ == 0) {
        for (const std::string& reason : unnamed_) name(sentence(list) + ":" + reason);
    }
    if (verdict == Verdict::missing) return;
    if (json_) {
        json::Object entry;
        if (!line.content.is_bad()) entry.name("name", line.content.name);
        entry.name("list", list).number("line", line.number).number("ok", is_good);
        if (!error.empty()) entry.text("error", error);
        json_->put(entry);
    } else if (verdict != Verdict::improper && !rules_.is_silent && !(is_good && rules_.is_quiet)) {
        call_.line(line.content.shown + (is_good ? ": OK" : ": FAILED" + (error.empty() ? "" : " (" + error + ")")));
    }
}

// Names an improper line.
void Check::name(const std::string& text) {
    if (!json_ && !rules_.is_silent) call_.complain(text);
}

bool Check::finish() {
    if (json_) json_->finish(job_);
    const auto count = [&](Verdict verdict) { return counts_[static_cast<std::size_t>(verdict)]; };
    const auto warn = [&](Verdict verdict, std::string_view one, std::string_view more) {
        if (count(verdict) != 0 && !rules_.is_silent) call_.complain("WARNING: " + counted(count(verdict), one, more));
    };
    warn(Verdict::improper, "line is improperly formatted", "lines are improperly formatted");
    warn(Verdict::unreadable, "listed file could not be read", "listed files could not be read");
    warn(Verdict::differs, "computed checksum did NOT match", "computed checksums did NOT match");
    return !has_unverified_ && count(Verdict::unreadable) == 0 && count(Verdict::differs) == 0 &&
           (count(Verdict::improper) == 0 || (!is_blake3_ && !rules_.is_strict));
}

}  // namespace

bool check_lists(Call& call, const std::vector<std::string>& lists, HashJob& job, const CheckRules& rules) {
    Check check(call, job, rules);
    bool all_read = true;
    for (const std::string& list : lists) {
        try {
            check.check(list);
        } catch (const Failure& failure) {
            all_read = false;
            call.complain(sentence(list) + ": " + failure.text);
        }
    }
    return check.finish() && all_read;
}

}  // namespace merklize::command

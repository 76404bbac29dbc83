#include "command/call.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "command/endings.hpp"
#include "command/line/values.hpp"
#include "command/output/text.hpp"
#include "host/descriptor.hpp"
#include "merklize/error.hpp"
#include "texts/urls.hpp"

namespace merklize::command {
namespace {

constexpr std::size_t most_kept_back = 64 << 10;
constexpr auto between_questions = std::chrono::milliseconds(50);
constexpr char hide_cursor[] = "\x1b[?25l";
constexpr char erase[] = "\x1b[?25h\r\x1b[2K";

std::size_t columns_of(int fd) noexcept {
    constexpr std::size_t usual = 80, least = 20;
    const char* set = std::getenv("COLUMNS");
    std::uint64_t width = plain_number(set == nullptr ? "" : set).value_or(0);
    if (winsize size{}; width == 0 && ioctl(fd, TIOCGWINSZ, &size) == 0) width = size.ws_col;
    return width == 0 ? usual : std::max<std::size_t>(width, least);
}

}  // namespace

int Call::standard_output() {
    if (streams_.out < 0) throw Failure{"standard output is closed"};
    flush();
    return streams_.out;
}

void Call::write(std::string_view data) {
    if (streams_.out < 0) throw Failure{"standard output is closed" + made_};
    kept_back_ += data;
    has_written_ = true;
    if (kept_back_.size() >= most_kept_back) flush();
}

void Call::write(std::span<const std::byte> data) {
    write(std::string_view{reinterpret_cast<const char*>(data.data()), data.size()});
}

void Call::line(std::string_view text) {
    write(text);
    write("\n");
}

void Call::flush() {
    if (kept_back_.empty()) return;
    erase_bar();
    std::string data = std::move(kept_back_);
    kept_back_.clear();  // also after an error, so that the text is not written a second time
    const int error = runtime::write_all(streams_.out, std::as_bytes(std::span(data)));
    if (error == EPIPE) throw Exit{141};
    if (error != 0) throw Failure{std::string("cannot write the output: ") + strerror(error) + made_};
    kept_back_ = std::move(data);  // reuses the memory
    kept_back_.clear();
}

void Call::complain(std::string_view text) {
    flush();
    erase_bar();
    write_error("merklize: " + sentence(texts::masked(text)) + "\n");
}

void Call::write_error(std::string_view text) noexcept {
    if (streams_.error >= 0) runtime::write_all(streams_.error, std::as_bytes(std::span(text)));
}

bool Call::shows_bars() const {
    if (streams_.error < 0 || isatty(streams_.error) == 0) return false;
    const char* term = std::getenv("TERM");
    return term == nullptr || std::strcmp(term, "dumb") != 0;
}

void Call::draw(const std::string& text) noexcept {
    const std::string all = (is_drawn_.exchange(true) ? "\r\x1b[2K" : hide_cursor) + text;
    static_cast<void>(!::write(streams_.error, all.data(), all.size()));
}

void Call::erase_bar() noexcept {
    if (!is_drawn_.exchange(false)) return;
    static_cast<void>(!::write(streams_.error, erase, sizeof erase - 1));
}

std::size_t Call::columns() const noexcept { return columns_of(streams_.error); }
std::size_t Call::output_columns() const noexcept { return columns_of(streams_.out); }

int Call::standard_input() const {
    if (streams_.in < 0) throw Failure{"standard input is closed"};
    return streams_.in;
}

bool Call::goes_on() {
    if (!caller_.can_cancel() || is_cancelled_) return !is_cancelled_;
    if (const auto now = Clock::now(); now - asked_ >= between_questions) {
        asked_ = now;
        is_cancelled_ = caller_.is_cancelled();
    }
    return !is_cancelled_;
}

void Call::require_going_on() {
    if (!goes_on()) throw Error(ErrorCode::cancelled, "interrupted");
}

void Call::tell_kept() noexcept {
    const KeptByInterruption* kept = kept_file_;
    if (kept != nullptr && access(kept->path_.c_str(), F_OK) == 0)
        static_cast<void>(!::write(streams_.error, kept->text_.data(), kept->text_.size()));
}

KeptByInterruption::KeptByInterruption(Call& call, const std::string& path)
    : call_(call),
      path_(path),
      text_("merklize: interrupted; " + sentence(path) + " is kept, and the same command goes on from there\n") {
    call_.kept_file_ = this;
}

std::string KeptByInterruption::hint() const {
    if (access(path_.c_str(), F_OK) != 0) return "";
    return "; " + sentence(path_) + " is kept, and a build of the same data goes on from there";
}

KeptByInterruption::~KeptByInterruption() {
    if (call_.is_cancelled_) call_.tell_kept();
    call_.kept_file_ = nullptr;
}

}  // namespace merklize::command

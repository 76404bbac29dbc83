#include "command/output/progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace merklize::command {
namespace {

constexpr auto delay = std::chrono::milliseconds(400);  // short work should not flicker
constexpr auto period = std::chrono::milliseconds(100);
constexpr std::size_t cells = 40;

constexpr char hide_cursor[] = "\x1b[?25l";
constexpr char erase[] = "\x1b[?25h\r\x1b[2K";

std::atomic<bool> is_drawn{false};

bool is_seen() {
    if (isatty(STDERR_FILENO) == 0) return false;
    const char* term = std::getenv("TERM");
    return term == nullptr || std::strcmp(term, "dumb") != 0;
}

bool has_colours() {
    const char* no = std::getenv("NO_COLOR");
    return no == nullptr || *no == 0;
}

}  // namespace

void erase_bar() noexcept {
    if (!is_drawn.exchange(false)) return;
    static_cast<void>(!::write(STDERR_FILENO, erase, sizeof erase - 1));
}

Bar::Bar(std::string what, std::uint64_t parts)
    : what_(std::move(what)), parts_(parts), next_(begin_ + delay), enabled_(is_seen()) {}

Bar::~Bar() { erase_bar(); }

std::function<bool(double)> Bar::part(std::uint64_t count) {
    if (!enabled_) return {};
    return [this, count](double done) {
        draw(static_cast<double>(finished_) + done * static_cast<double>(count));
        return true;
    };
}

void Bar::advance(std::uint64_t count) {
    finished_ += count;
    if (enabled_) draw(static_cast<double>(finished_));
}

void Bar::draw(double done) {
    const auto now = Clock::now();
    if (now < next_) return;
    next_ = now + period;
    std::string text = is_drawn.exchange(true) ? "\r\x1b[2K" : hide_cursor;
    if (parts_ == 0) {
        text += what_ + ": " + std::to_string(static_cast<std::uint64_t>(done)) + " done";
    } else {
        const double share = std::clamp(done / static_cast<double>(parts_), 0.0, 1.0);
        const auto full = static_cast<std::size_t>(share * cells);
        const bool colours = has_colours();
        text += what_ + (colours ? " \x1b[32m" : " ");
        for (std::size_t i = 0; i < cells; i++) {
            if (i == full) text += colours ? "\x1b[90m" : "";
            text += i < full || colours ? "\u2501" : " ";
        }
        char end[64];
        std::snprintf(end, sizeof end, "%s %3.0f%%", colours ? "\x1b[0m" : "", 100 * share);
        text += end;
        const double taken = std::chrono::duration<double>(now - begin_).count();
        if (share > 0) {
            const auto left = static_cast<unsigned long long>(taken / share - taken);
            std::snprintf(end, sizeof end, " %llu:%02llu:%02llu", left / 3600, left / 60 % 60, left % 60);
            text += end;
        }
    }
    static_cast<void>(!::write(STDERR_FILENO, text.data(), text.size()));
}

}  // namespace merklize::command

#include "command/output/progress.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "command/line/values.hpp"
#include "command/output/text.hpp"

namespace merklize::command {
namespace {

constexpr auto delay = std::chrono::milliseconds(400);  // short work should not flicker
constexpr auto period = std::chrono::milliseconds(100);
constexpr std::size_t most_cells = 40, least_cells = 5;

bool has_colours() {
    const char* no = std::getenv("NO_COLOR");
    return no == nullptr || *no == 0;
}

}  // namespace

Bar::Bar(Call& call, std::string what, std::uint64_t parts)
    : call_(call), what_(std::move(what)), parts_(parts), next_(begin_ + delay), enabled_(call.shows_bars()) {}

Bar::~Bar() { call_.erase_bar(); }

std::function<bool(double)> Bar::part(std::uint64_t count, std::uint64_t bytes) {
    const auto before = std::exchange(bytes_, bytes_ + static_cast<double>(bytes));
    if (!enabled_ && !call_.caller().can_cancel()) return {};
    return [this, count, before, bytes](double done) {
        if (enabled_) {
            draw(static_cast<double>(finished_) + done * static_cast<double>(count),
                 before + done * static_cast<double>(bytes));
        }
        return call_.goes_on();
    };
}

std::function<bool(double)> Bar::part_of(const std::string& file) {
    struct stat info{};
    const bool has_size = stat(file.c_str(), &info) == 0 && S_ISREG(info.st_mode);
    return part(1, has_size ? static_cast<std::uint64_t>(info.st_size) : 0);
}

std::function<bool(double)> Bar::part_of(const runtime::ByteSource& input) {
    const auto extent = input.extent();
    return part(1, extent ? extent->bytes : 0);
}

void Bar::show(double done) {
    if (enabled_) draw(static_cast<double>(finished_) + done, bytes_);
}

void Bar::advance(std::uint64_t count) {
    finished_ += count;
    show(0);
}

std::string bar_text(const BarState& state) {
    const std::size_t width = state.columns - 1;
    std::string end;
    char number[64];
    const double share = state.parts == 0 ? 0 : std::clamp(state.done / static_cast<double>(state.parts), 0.0, 1.0);
    if (state.parts == 0) {
        end = ": " + std::to_string(static_cast<std::uint64_t>(state.done)) + " done";
    } else {
        std::snprintf(number, sizeof number, " %3.0f%%", 100 * share);
        end = number;
        if (share > 0) {
            const auto left = static_cast<unsigned long long>(state.seconds / share - state.seconds);
            std::snprintf(number, sizeof number, " %llu:%02llu:%02llu", left / 3600, left / 60 % 60, left % 60);
            end += number;
        }
    }
    if (state.bytes > 0 && state.seconds > 0)
        end += ", " + human_bytes(state.bytes) + ", " + human_bytes(state.bytes / state.seconds) + "/s";
    const std::size_t used = width_of(state.what) + 1 + width_of(end);
    if (state.parts == 0 || used + least_cells > width) {
        std::string text = std::string(state.what) + end;
        while (width_of(text) > width) text.pop_back();  // the bytes of a cut character count as no character
        return text;
    }
    const std::size_t cells = std::min(most_cells, width - used),
                      full = static_cast<std::size_t>(share * static_cast<double>(cells));
    std::string text = std::string(state.what) + (state.colours ? " \x1b[32m" : " ");
    for (std::size_t i = 0; i < cells; i++) {
        if (i == full) text += state.colours ? "\x1b[90m" : "";
        text += i < full || state.colours ? "\u2501" : " ";
    }
    return text + (state.colours ? "\x1b[0m" : "") + end;
}

void Bar::draw(double done, double bytes) {
    const auto now = Clock::now();
    if (now < next_) return;
    next_ = now + period;
    call_.draw(bar_text({what_, done, parts_, bytes, std::chrono::duration<double>(now - begin_).count(),
                         call_.columns(), has_colours()}));
}

void show_compiling(Call& call, std::string_view device, bool kept) {
    if (!call.shows_bars()) return;
    const std::string text = "compiling kernels for " + std::string(device) + (kept ? " (kept for the next time)" : "");
    call.draw(text.substr(0, call.columns() - 1));
}

}  // namespace merklize::command

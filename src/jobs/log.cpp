#include "jobs/log.hpp"

#include <iterator>
#include <mutex>

namespace merklize::runtime {

Log& Log::process() {
    static Log& log = *new Log;  // never destroyed, because threads may compute at the end
    return log;
}

void Log::add(LogLevel level, std::string text) noexcept try {
    if (!is_on()) return;
    const std::lock_guard lock(mutex_);
    if (entries_.size() == most) entries_.pop_front();
    entries_.push_back({level, std::move(text)});
    is_empty_ = false;
} catch (...) {}

std::vector<LogEntry> Log::take() {
    const std::lock_guard lock(mutex_);
    std::vector<LogEntry> taken(std::make_move_iterator(entries_.begin()), std::make_move_iterator(entries_.end()));
    entries_.clear();
    is_empty_ = true;
    return taken;
}

}  // namespace merklize::runtime

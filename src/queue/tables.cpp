#include "queue/tables.hpp"

#include <algorithm>
#include <utility>

#include "queue/device.hpp"

namespace merklize::runtime {
namespace {

std::uint64_t bytes_of(const ExtensionTables& tables) { return tables.roots->size() + tables.scales->size(); }

}  // namespace

std::optional<ExtensionTables> KeptTables::find(const ExtensionPlan::Key& key) {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find(kept_, key, &Kept::key);
    if (found == kept_.end()) return {};
    std::rotate(found, found + 1, kept_.end());
    return kept_.back().tables;
}

void KeptTables::keep(const ExtensionPlan::Key& key, const ExtensionTables& tables) noexcept {
    constexpr std::uint64_t most_bytes = 128 << 20;
    std::vector<Kept> dropped{};  // destroyed outside the lock, because a driver may wait for them
    try {
        const std::lock_guard lock(mutex_);
        std::uint64_t bytes = bytes_of(tables);
        if (bytes > most_bytes || std::ranges::find(kept_, key, &Kept::key) != kept_.end()) return;
        kept_.push_back({key, tables});
        auto first = kept_.end() - 1;
        while (first != kept_.begin() && bytes + bytes_of(std::prev(first)->tables) <= most_bytes)
            bytes += bytes_of((--first)->tables);
        dropped.assign(std::move_iterator(kept_.begin()), std::move_iterator(first));
        kept_.erase(kept_.begin(), first);
    } catch (...) {}  // then they are made again
}

bool KeptTables::free_kept() noexcept {
    std::vector<Kept> freed;  // destroyed outside the lock, as in keep()
    const std::lock_guard lock(mutex_);
    freed.swap(kept_);
    return !freed.empty();
}

}  // namespace merklize::runtime

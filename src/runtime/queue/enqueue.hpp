#pragma once

#include <type_traits>

#include "runtime/queue/session.hpp"

namespace merklize::runtime {

namespace detail {

inline mkz_argument argument(mkz_memory* const& memory) { return {memory, 0}; }

template <class Value>
    requires std::is_trivially_copyable_v<Value> && (!std::is_pointer_v<Value>)
mkz_argument argument(const Value& value) {
    return {&value, sizeof value};
}

}  // namespace detail

/// Arguments: mkz_memory* for a block, words and structs by value, in the order and of the types of core/entry.h.
template <class... Arguments>
void Session::enqueue(const Kernel& kernel, std::uint64_t groups, const Arguments&... arguments) {
    if (groups == 0) return;
    const mkz_argument list[] = {detail::argument(arguments)...};
    const bool wanted = timed_ || in_pieces_;
    Event event(device_->driver());
    idle_ = false;
    check(device_->driver().launch(stream_, kernel.function, groups, kernel.group_size, sizeof...(arguments), list,
                                   wanted ? event.slot() : nullptr));
    if (!wanted) return;
    // One kernel is a stretch from its own start to its own end: an empty `first` means that.
    if (kernels_last_ && !kernels_first_) kernels_first_ = std::move(kernels_last_);
    kernels_last_ = std::move(event);
}

}  // namespace merklize::runtime

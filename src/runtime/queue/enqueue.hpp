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
    // Events between kernels would hold the next one up: only the first of a stretch has one, and end_stretch() marks the end.
    const bool wanted = in_pieces_ || (timed_ && !kernels_first_);
    Event event(device_->driver());
    idle_ = false;
    check(device_->driver().launch(stream_, kernel.function, groups, kernel.group_size, sizeof...(arguments), list,
                                   wanted ? event.slot() : nullptr));
    if (!kernels_first_) {
        kernels_first_ = std::move(event);
    } else {
        kernels_last_ = std::move(event);
        several_kernels_ = true;
    }
}

}  // namespace merklize::runtime

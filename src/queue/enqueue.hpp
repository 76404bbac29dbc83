#pragma once

#include <algorithm>
#include <type_traits>

#include "host/wipe.hpp"
#include "queue/session.hpp"

namespace merklize::runtime {

namespace detail {

inline mkz_argument argument(mkz_memory* const& memory) { return {memory, 0}; }

template <class Value>
    requires std::is_trivially_copyable_v<Value> && (!std::is_pointer_v<Value>)
mkz_argument argument(const Value& value) {
    return {&value, sizeof value};
}

}  // namespace detail

/// The kernels' argument mkz_key (core/kernels.h).
struct Key {
    std::uint32_t w[8];
};

inline Key key_of(const std::uint32_t (&words)[8]) {
    Key key;
    std::copy_n(words, 8, key.w);
    return key;
}

inline std::uint64_t divide_up(std::uint64_t a, std::uint64_t b) { return a / b + (a % b != 0); }

/// What a merge job's kernels are compiled for.
template <class Job>
Variant merge_variant(const Job& job, const mkz_policy& policy) {
    Variant variant = variant_of(job.hash, policy);
    variant.keyed = job.key.flags != 0;
    return variant;
}

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

/// A merge kernel: with a key it has two more arguments.
template <class... Arguments>
void Session::enqueue_merges(const mkz_merge_key& key, const Kernel& kernel, std::uint64_t groups,
                             const Arguments&... arguments) {
    if (key.flags == 0) return enqueue(kernel, groups, arguments...);
    Key words = key_of(key.words);
    enqueue(kernel, groups, arguments..., words, key.flags);
    wipe(&words, sizeof words);
}

}  // namespace merklize::runtime

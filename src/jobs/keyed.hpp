#pragma once

#include <algorithm>
#include <iterator>
#include <type_traits>

#include "merklize/hash.hpp"
#include "jobs/backend.h"
#include "host/wipe.hpp"

namespace merklize::runtime {

/// The arguments of a launch (backend.h) whose copy of a key is wiped with them, however the launch ends.
template <class Arguments>
struct Keyed : Arguments {
    explicit Keyed(const Arguments& arguments) : Arguments(arguments) {}
    /// With a mode's key words and flags.
    Keyed(const Mode& mode, const Arguments& others) : Arguments(others) {
        if constexpr (std::is_same_v<decltype(this->key), mkz_merge_key>) {
            this->key.flags = mode.flags();
            if (mode.flags() != 0) std::copy_n(mode.key_words(), std::size(this->key.words), this->key.words);
        } else {
            std::copy_n(mode.key_words(), std::size(this->key), this->key);
            this->flags = mode.flags();
        }
    }
    Keyed(const Keyed&) = default;
    Keyed& operator=(const Keyed&) = delete;
    ~Keyed() { wipe(&this->key, sizeof this->key); }
};

}  // namespace merklize::runtime

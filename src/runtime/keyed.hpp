#pragma once

#include <algorithm>
#include <iterator>

#include "merklize/hash.hpp"
#include "runtime/wipe.hpp"

namespace merklize::runtime {

/// The arguments of a launch (backend.h) with a mode's key words and flags. The copy of the key is wiped with it, however the launch
/// ends, and so it is not copied itself.
template <class Arguments>
struct Keyed : Arguments {
    Keyed(const Mode& mode, const Arguments& others) : Arguments(others) {
        std::copy_n(mode.key_words(), std::size(this->key), this->key);
        this->flags = mode.flags();
    }
    Keyed(const Keyed&) = delete;
    Keyed& operator=(const Keyed&) = delete;
    ~Keyed() { wipe(this->key, sizeof this->key); }
};

}  // namespace merklize::runtime

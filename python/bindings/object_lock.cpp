#include "object_lock.hpp"

#include <algorithm>
#include <chrono>
#include <string>

#include <merklize/error.hpp>

#include "gil.hpp"
#include "python_calls.hpp"

namespace merklize::binding {

bool ObjectLock::is_free(bool changes) const noexcept {
    return changer_ == std::thread::id() && (!changes || readers_.empty());
}

void ObjectLock::take(bool changes) {
    if (changes) {
        changer_ = std::this_thread::get_id();
    } else {
        readers_.push_back(std::this_thread::get_id());
    }
}

void ObjectLock::enter(bool changes, const char* what) {
    {
        const std::lock_guard lock(mutex_);
        const std::thread::id self = std::this_thread::get_id();
        if (changer_ == self || (changes && std::ranges::find(readers_, self) != readers_.end())) {
            throw Error(ErrorCode::invalid_argument,
                        std::string(what) +
                            ": this thread is in the middle of another call on it; a progress function "
                            "or a signal handler cannot use the object that it interrupts");
        }
        if (is_free(changes)) return take(changes);
    }
    for (;;) {
        bool taken = false;
        {
            const GilReleased released;
            std::unique_lock lock(mutex_);
            taken = freed_.wait_for(lock, std::chrono::milliseconds(50), [&] { return is_free(changes); });
            if (taken) take(changes);
        }
        if (taken) return;
        checked(PyErr_CheckSignals());
    }
}

void ObjectLock::leave(bool changes) noexcept {
    {
        const std::lock_guard lock(mutex_);
        if (changes) {
            changer_ = {};
        } else {
            readers_.erase(std::ranges::find(readers_, std::this_thread::get_id()));
        }
    }
    freed_.notify_all();
}

}  // namespace merklize::binding

#pragma once

#include <optional>
#include <utility>

#include "parked.hpp"

namespace merklize::binding {

/// Releases the GIL during its lifetime.
class GilReleased {
public:
    GilReleased() : outer_(std::exchange(innermost_, this)), state_(PyEval_SaveThread()) {}
    ~GilReleased() {
        restore_thread_or_sleep(state_);
        innermost_ = outer_;
    }
    GilReleased(const GilReleased&) = delete;
    GilReleased& operator=(const GilReleased&) = delete;

    /// Holds the GIL again during its lifetime, if the thread has released it. (PyGILState_Ensure() would crash once
    /// the interpreter is gone.)
    class Interrupted {
    public:
        Interrupted() : released_(std::exchange(innermost_, nullptr)) {
            if (released_ != nullptr) restore_thread_or_sleep(released_->state_);
        }
        ~Interrupted() {
            if (released_ != nullptr) released_->state_ = PyEval_SaveThread();
            innermost_ = released_;
        }
        Interrupted(const Interrupted&) = delete;
        Interrupted& operator=(const Interrupted&) = delete;

    private:
        GilReleased* released_;  // null: the thread has the GIL
    };

    /// Whether this thread has released the GIL.
    static bool is_here() noexcept { return innermost_ != nullptr; }

private:
    static inline thread_local GilReleased* innermost_ = nullptr;
    GilReleased* outer_;
    PyThreadState* state_;
};

/// Holds the GIL during its lifetime, in any thread of a living interpreter.
class GilHeld {
public:
    GilHeld() : state_(ensure_gil_or_sleep()) {}
    ~GilHeld() { PyGILState_Release(state_); }
    GilHeld(const GilHeld&) = delete;
    GilHeld& operator=(const GilHeld&) = delete;

private:
    PyGILState_STATE state_;
};

/// Holds the GIL during its lifetime, in a thread that has released it and in any other.
class GilTaken {
public:
    GilTaken() {
        if (GilReleased::is_here()) {
            back_.emplace();
        } else {
            held_.emplace();
        }
    }

private:
    std::optional<GilReleased::Interrupted> back_{};
    std::optional<GilHeld> held_{};
};

}  // namespace merklize::binding

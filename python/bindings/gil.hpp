#pragma once

#include <unistd.h>

#include <utility>

#ifdef __GLIBCXX__
#include <cxxabi.h>
#endif

#include <nanobind/nanobind.h>

namespace merklize::binding {

/// Runs `work`, in which Python may end this thread. Before 3.14 it does so when the interpreter ends and a thread asks for the
/// GIL: it unwinds the stack, and functions that do not throw would make that an abort of the whole process. The thread sleeps here
/// instead, until the process is gone.
template <class Work>
decltype(auto) never_unwound(Work&& work) {
#ifdef __GLIBCXX__
    try {
        return work();
    } catch (abi::__forced_unwind&) {
        for (;;) ::pause();
    }
#else
    return work();
#endif
}

/// Gives the GIL away for its lifetime.
class GilReleased {
public:
    GilReleased() : outer_(std::exchange(innermost_, this)), state_(PyEval_SaveThread()) {}
    ~GilReleased() {
        never_unwound([&] { PyEval_RestoreThread(state_); });
        innermost_ = outer_;
    }
    GilReleased(const GilReleased&) = delete;
    GilReleased& operator=(const GilReleased&) = delete;

    /// Takes the GIL back for its lifetime, if the thread has given it away. (PyGILState_Ensure() would crash once the interpreter
    /// is gone.)
    class Interrupted {
    public:
        Interrupted() : released_(std::exchange(innermost_, nullptr)) {
            if (released_ != nullptr) never_unwound([&] { PyEval_RestoreThread(released_->state_); });
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

private:
    static inline thread_local GilReleased* innermost_ = nullptr;
    GilReleased* outer_;
    PyThreadState* state_;
};

/// Has the GIL for its lifetime, in any thread of a living interpreter.
class GilHeld {
public:
    GilHeld() : state_(never_unwound([] { return PyGILState_Ensure(); })) {}
    ~GilHeld() { PyGILState_Release(state_); }
    GilHeld(const GilHeld&) = delete;
    GilHeld& operator=(const GilHeld&) = delete;

private:
    PyGILState_STATE state_;
};

}  // namespace merklize::binding

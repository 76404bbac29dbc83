#pragma once

#include <unistd.h>

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
    GilReleased() : state_(PyEval_SaveThread()) {}
    ~GilReleased() {
        never_unwound([&] { PyEval_RestoreThread(state_); });
    }
    GilReleased(const GilReleased&) = delete;
    GilReleased& operator=(const GilReleased&) = delete;

private:
    PyThreadState* state_;
};

/// Has the GIL for its lifetime, in any thread.
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

// Compiled without exceptions, so that pthread_cleanup_push() is C's, whose handler takes control in this frame. No
// frame with C++ handlers lies between it and pthread_exit(), so the C++ library and the unwinder of the extension do
// not matter.
#include "parked.hpp"

#include <pthread.h>
#include <unistd.h>

#ifdef __EXCEPTIONS
#error "parked.cpp must be compiled with -fno-exceptions"
#endif

namespace merklize::binding {
namespace {

void sleep_for_ever(void*) {
    for (;;) ::pause();
}

}  // namespace

void restore_thread_or_sleep(PyThreadState* state) {
    pthread_cleanup_push(sleep_for_ever, nullptr);
    PyEval_RestoreThread(state);
    pthread_cleanup_pop(0);
}

PyGILState_STATE ensure_gil_or_sleep() {
    PyGILState_STATE state = PyGILState_UNLOCKED;
    pthread_cleanup_push(sleep_for_ever, nullptr);
    state = PyGILState_Ensure();
    pthread_cleanup_pop(0);
    return state;
}

PyObject* call_or_sleep(PyObject* callable, PyObject* argument) {
    PyObject* volatile result = nullptr;
    pthread_cleanup_push(sleep_for_ever, nullptr);
    result = PyObject_CallFunctionObjArgs(callable, argument, nullptr);
    pthread_cleanup_pop(0);
    return result;
}

}  // namespace merklize::binding

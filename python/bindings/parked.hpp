#pragma once

#include <Python.h>

namespace merklize::binding {

/// Calls of Python that may end this thread. Before 3.14, if the interpreter ends while a thread wants the GIL, Python
/// calls pthread_exit(), which would unwind the stack through the extension's C++ frames and abort or crash the
/// process. With these calls the thread sleeps instead, until the process is gone.
void restore_thread_or_sleep(PyThreadState* state);
PyGILState_STATE ensure_gil_or_sleep();
/// A new reference, or null with Python's error set.
PyObject* call_or_sleep(PyObject* callable, PyObject* argument);

}  // namespace merklize::binding

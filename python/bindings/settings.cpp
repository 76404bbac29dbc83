#include "settings.hpp"

#include "arguments.hpp"
#include "module.hpp"
#include "policy.hpp"

namespace merklize::binding {

namespace {

// A progress function may refer to an object that holds these settings.
int traverse(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    if (!nb::inst_ready(self)) return 0;
    const Settings& settings = *nb::inst_ptr<Settings>(self);
    Py_VISIT(settings.progress.ptr());
    Py_VISIT(settings.timings.ptr());
    return 0;
}

int clear(PyObject* self) {
    if (!nb::inst_ready(self)) return 0;
    Settings& settings = *nb::inst_ptr<Settings>(self);
    settings.progress = nb::none();
    settings.timings = nb::none();
    return 0;
}

PyType_Slot slots[] = {
    {Py_tp_traverse, reinterpret_cast<void*>(traverse)}, {Py_tp_clear, reinterpret_cast<void*>(clear)}, {0, nullptr}};

}  // namespace

void bind_settings(nb::module_& m) {
    define(
        m, "def flag(value: object, what: str, /) -> bool",
        +[](nb::handle value, nb::handle what) { return to_flag(value, std::string(to_text(what, "what")).c_str()); });
    define(m, "def cancels(answer: object, /) -> bool", cancels);
    nb::class_<Settings>(m, "Settings", nb::type_slots(slots), "Where and how a call runs.")
        .def(
            "__init__",
            [](Settings* self, nb::handle device, nb::handle threads, nb::handle progress, nb::handle stream,
               nb::handle wait, nb::handle policy, nb::handle timings) {
                Settings made{std::string(to_text(device, "device")), to_threads(threads)};
                if (!progress.is_none() && !PyCallable_Check(progress.ptr()))
                    wrong_type("progress", "callable", progress);
                made.progress = nb::borrow(progress);
                if (!stream.is_none()) made.stream = to_u64(stream, "stream");
                made.wait = to_flag(wait, "wait");
                made.policy = to_policy(policy);
                if (!timings.is_none() && bound_in<Timings>(timings) == nullptr)
                    wrong_type("timings", "a Timings object or None", timings);
                made.timings = nb::borrow(timings);
                new (self) Settings(std::move(made));
            },
            nb::arg("device").none(), nb::arg("threads").none(), nb::arg("progress").none() = nb::none(),
            nb::arg("stream").none() = nb::none(), nb::arg("wait").none() = true, nb::arg("policy").none() = nb::none(),
            nb::arg("timings").none() = nb::none(),
            nb::sig("def __init__(self, device: str, threads: int | None, progress: typing.Callable[[float], object] | "
                    "None = None, stream: int | None = None, wait: bool = True, policy: object = None, timings: "
                    "Timings | None = None) "
                    "-> None"))
        .def_prop_ro(
            "device", [](const Settings& self) { return self.device; }, "Id of a device, or \"auto\".")
        .def_prop_ro(
            "threads", [](const Settings& self) { return self.threads; }, "Threads of the CPU; 0 is all.")
        .def_prop_ro(
            "progress", [](const Settings& self) { return self.progress; },
            nb::sig("def progress(self) -> typing.Callable[[float], object] | None"),
            "Called with the share of the work that is done, 0 to 1.")
        .def_prop_ro(
            "stream",
            [](const Settings& self) { return self.stream ? nb::object(nb::int_(*self.stream)) : nb::none(); },
            nb::sig("def stream(self) -> int | None"), "Handle of the caller's queue.")
        .def_prop_ro(
            "wait", [](const Settings& self) { return self.wait; }, "Whether the call waits for its results.")
        .def_prop_ro(
            "timings", [](const Settings& self) { return self.timings; },
            nb::sig("def timings(self) -> Timings | None"), "What the call fills.");
}

}  // namespace merklize::binding

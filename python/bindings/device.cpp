#include "arguments.hpp"
#include "files/kept_files.hpp"
#include "jobs/internals.hpp"
#include "levels/build.hpp"
#include "module.hpp"
#include "policy.hpp"
#include "queue/modules.hpp"
#include "run.hpp"
#include "tuning/tuned_policies.hpp"

namespace merklize::binding {

namespace {

nb::list describe(const std::vector<Cost>& costs) {
    nb::list result;
    for (const Cost& cost : costs)
        result.append(nb::make_tuple(cost.device, name_of(cost.job), to_str(std::string(traits(cost.hash).name)),
                                     cost.bytes, cost.seconds, cost.is_pinned));
    return result;
}

nb::tuple describe(const DeviceInfo& info) {
    return nb::make_tuple(info.id, info.backend, to_str(info.name), to_str(info.vendor), to_str(info.driver), info.isa,
                          info.units, info.memory_bytes);
}

nb::tuple describe(const runtime::TunedPolicy& policy) {
    return nb::make_tuple(to_str(std::string(runtime::tuned_job_name(policy.kernel))),
                          to_str(std::string(traits(static_cast<Hash>(policy.hash)).name)), policy.log2,
                          chosen(policy.policy), policy.seconds, policy.builtin_seconds);
}

runtime::TunedPolicy to_tuned(nb::handle described) {
    const nb::tuple fields = to_fields(described, 6, "policy");
    runtime::TunedPolicy policy;
    const std::string_view job = to_text(fields[0], "job");
    for (const mkz_kernel kernel :
         {MKZ_KERNEL_HASH_CHUNKS, MKZ_KERNEL_MERGE_SUBTREES, MKZ_KERNEL_HASH_ELEMENTS, MKZ_KERNEL_MERGE_PAIRS}) {
        if (runtime::tuned_job_name(kernel) == job) policy.kernel = kernel;
    }
    if (runtime::tuned_job_name(policy.kernel) != job)
        throw Error(ErrorCode::invalid_argument, "tuned policies: no job '" + std::string(job) + "' is tuned");
    policy.hash = static_cast<std::uint32_t>(hash_from_name(to_text(fields[1], "hash")));
    policy.log2 = nb::cast<std::uint32_t>(fields[2]);
    policy.policy = to_policy(fields[3]);
    policy.seconds = nb::cast<double>(fields[4]);
    policy.builtin_seconds = nb::cast<double>(fields[5]);
    return policy;
}

}  // namespace

void bind_device(nb::module_& m) {
    define(
        m, "def devices() -> list[tuple[str, str, str, str, str, str, int, int]]", +[] {
            prepare_libraries();
            std::vector<DeviceInfo> found;
            Run::without_gil([&] { found = merklize::devices(); });
            nb::list result;
            for (const DeviceInfo& info : found) result.append(describe(info));
            return result;
        });
    define(
        m, "def device(name: str, /) -> tuple[str, str, str, str, str, str, int, int]",
        +[](nb::handle name) { return describe(to_device(to_text(name, "device")).info()); });
    define(
        m, "def is_processor(device: str, /) -> bool",
        +[](nb::handle name) { return runtime::state_of(to_device(to_text(name, "device"))).is_processor(); });
    define(
        m, "def set_memory_limit(device: str, n_bytes: int, /) -> None", +[](nb::handle name, nb::handle n_bytes) {
            const Device device = to_device(to_text(name, "device"));
            const std::uint64_t limit = to_u64(n_bytes, "n_bytes");
            Run::without_gil([&] { device.set_memory_limit(limit); });
        });
    define(
        m, "def memory_limit(device: str, /) -> int", +[](nb::handle name) {
            const Device device = to_device(to_text(name, "device"));
            std::uint64_t n_bytes = 0;
            Run::without_gil([&] { n_bytes = device.memory_limit(); });
            return n_bytes;
        });
    define(
        m, "def calibrate(progress: object, /) -> list[tuple[str, str, str, int, float, bool]]",
        +[](nb::handle progress) {
            prepare_libraries();
            if (!progress.is_none() && !PyCallable_Check(progress.ptr())) wrong_type("progress", "callable", progress);
            Settings settings{"cpu"};
            settings.progress = nb::borrow(progress);
            const Run run(settings);
            std::vector<Cost> costs;
            run([&](const RunOptions& options) { costs = merklize::calibrate(options.progress); });
            return describe(costs);
        });
    define(
        m, "def calibration() -> list[tuple[str, str, str, int, float, bool]]", +[] {
            prepare_libraries();
            std::vector<Cost> costs;
            Run::without_gil([&] { costs = merklize::calibration(); });
            return describe(costs);
        });
    define(
        m, "def why_unavailable(name: str, /) -> str", +[](nb::handle name) {
            const std::string asked(to_text(name, "name"));
            prepare_libraries();
            std::string why;
            Run::without_gil([&] { why = merklize::why_unavailable(asked); });
            return to_str(why);
        });
    define(
        m, "def kernel_cache() -> tuple[str, str]", +[] {
            const runtime::KeptFiles& cache = runtime::KeptFiles::process();
            return nb::make_tuple(to_str(cache.folder().string()), to_str(cache.why_unusable()));
        });

    // Job, hash, log2 of the items, policy, seconds, seconds by the built-in table.
    define(
        m, "def tuned_policies(device: str, /) -> list[tuple[str, str, int, dict[str, int | str], float, float]]",
        +[](nb::handle device) {
            nb::list result;
            for (const runtime::TunedPolicy& policy :
                 runtime::load_tuned_policies(to_device(to_text(device, "device")).info()))
                result.append(describe(policy));
            return result;
        });
    define(
        m,
        "def store_tuned_policies(device: str, policies: list[tuple[str, str, int, dict[str, int | str], float, "
        "float]], /) -> None",
        +[](nb::handle device, nb::handle policies) {
            std::vector<runtime::TunedPolicy> all;
            for (nb::handle policy : nb::cast<nb::list>(policies)) all.push_back(to_tuned(policy));
            runtime::store_tuned_policies(to_device(to_text(device, "device")).info(), all);
        });

    define(
        m, "def kernel_modules(device: str, /) -> list[tuple[str, str]]", +[](nb::handle device) {
            const std::string asked(to_text(device, "device"));
            prepare_libraries();
            nb::list result;
            for (const runtime::KernelModule& module : runtime::kernel_modules(Device(asked)))
                result.append(nb::make_tuple(module.name, module.text));
            return result;
        });
    define(
        m, "def store_kernel_module(text: str, spirv: bytes, /) -> None", +[](nb::handle text, nb::handle spirv) {
            runtime::store_module(std::string(to_text(text, "text")), InputBytes(spirv, "spirv").span());
        });
    define(m, "def kernel_module_folder() -> str", +[] { return to_str(runtime::module_folder()); });

    nb::class_<Timings> timings(m, "Timings", nb::is_weak_referenceable(),
                                R"(Seconds that a call took on its device, by the device's own clock.

Pass one as timings=, and the call fills it. None: not known, as on the CPU, whose work no such clock measures.)");
    timings.def(nb::init<>());
    const auto seconds = [&](const char* name, double Timings::* slot, const char* doc) {
        const std::string signature = std::string("def ") + name + "(self) -> float | None";
        timings.def_prop_ro(
            name,
            [slot](const Timings& self) -> nb::object {
                return self.available ? nb::object(nb::float_(self.*slot)) : nb::none();
            },
            nb::sig(signature.c_str()), doc);
    };
    seconds("kernel", &Timings::kernel, "Kernels: from the first one's start to the last one's end, copies left out.");
    seconds("to_device", &Timings::to_device, "Copies from the host.");
    seconds("to_host", &Timings::to_host, "Copies to the host.");
    timings.def("__repr__", [](nb::handle self) {
        const nb::str form("<Timings: kernel {}, to_device {}, to_host {}>");
        return nb::str(form.attr("format")(self.attr("kernel"), self.attr("to_device"), self.attr("to_host")));
    });
}

}  // namespace merklize::binding

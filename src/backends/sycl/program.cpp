#include "backends/sycl/program.hpp"

#include <algorithm>
#include <cstring>
#include <sstream>
#include <string_view>
#include <vector>

#include "backends/checks.hpp"
#include "backends/sycl/spirv.hpp"
#include "backends/sycl/stream.hpp"

namespace merklize::sycl_plugin {
namespace {

namespace experimental = ::sycl::ext::oneapi::experimental;

// The headers of SYCL that core/port.h uses. All of <sycl/sycl.hpp> would take the compiler another second and a half.
constexpr const char* headers = R"(#include <sycl/builtins.hpp>
#include <sycl/ext/oneapi/free_function_queries.hpp>
#include <sycl/ext/oneapi/kernel_properties/properties.hpp>
#include <sycl/ext/oneapi/work_group_static.hpp>
#include <sycl/group_barrier.hpp>
#line 1 "program"
)";

// A launch may have more items than an int can count. Warnings are off, because they would be about rules that C++ has
// and C has not.
constexpr const char* always[] = {"-fno-sycl-id-queries-fit-in-int", "-w"};
// Clang's option against automatic vectorization; here it also keeps neighbouring items from becoming a vector.
constexpr std::string_view no_vectorize = "-fno-vectorize";

Program& of(mkz_program* program) { return backends::object_of<Program>(program, "sycl", "program"); }

struct Options {
    std::vector<std::string> words{std::begin(always), std::end(always)};
    bool vectorize = true;
};

Options options_of(const char* text) {
    Options options;
    std::istringstream in(text == nullptr ? "" : text);
    for (std::string word; in >> word;) {
        if (word == no_vectorize) {
            options.vectorize = false;
        } else {
            options.words.push_back(word);
        }
    }
    return options;
}

// Devices behind OpenCL get the compiler's SPIR-V through OpenCL. So a module can carry a hint, and a program is the
// same whether it was compiled here or comes from the cache.
std::unique_ptr<Program> compiled(Device& device, const std::string& text, const Options& options) {
    std::string log;
    try {
        auto source = experimental::create_kernel_bundle_from_source(
            device.context(), experimental::source_language::sycl, headers + text);
        const experimental::properties properties{experimental::build_options{options.words},
                                                  experimental::save_log{&log}};
        if (!Image::is_for(device))
            return std::make_unique<Program>(device, experimental::build(source, {device.device}, properties));
        const auto objects = experimental::compile(source, {device.device}, properties);
        const auto n = objects.end() - objects.begin();
        if (n != 1)
            device.refuse(MKZ_INTERNAL, "the compiler made " + std::to_string(n) + " modules of a text, not one");
        // The default template argument would allow this call for executable images only, but the SPIR-V is in an
        // object.
        const auto bytes = objects.begin()->ext_oneapi_get_backend_content<::sycl::bundle_state::executable>();
        std::vector<std::uint32_t> module(bytes.size() / sizeof(std::uint32_t));
        std::memcpy(module.data(), bytes.data(), module.size() * sizeof module[0]);
        if (!options.vectorize) module = with_vector_hint(module);
        return std::make_unique<Program>(device, Image(device, module));
    } catch (const ::sycl::exception& e) {
        const mkz_status status = e.code() == ::sycl::errc::memory_allocation ? MKZ_OUT_OF_MEMORY : MKZ_INTERNAL;
        std::string words;
        for (const std::string& word : options.words) words += " " + word;
        device.refuse(status, "compiling a text of " + std::to_string(text.size()) + " bytes with" + words + ": " +
                                  backends::shortened(e.what()) +
                                  (log.empty() ? "" : "; its log:\n" + backends::shortened(log)));
    }
}

}  // namespace

::sycl::kernel Program::kernel(const std::string& name) {
    if (const auto* image = std::get_if<Image>(&code_)) return image->kernel(device, name);
    auto& bundle = std::get<Bundle>(code_);
    if (!bundle.ext_oneapi_has_kernel(name)) backends::refuse_kernel_name(device.label, name);
    return bundle.ext_oneapi_get_kernel(name);
}

Function& Program::function(const std::string& name) {
    const std::lock_guard lock(mutex_);
    std::unique_ptr<Function>& known = functions_[name];
    if (known != nullptr) return *known;
    known = attempt(device, "looking for the kernel " + name, MKZ_INTERNAL, [&] {
        const ::sycl::kernel found = kernel(name);
        const auto items = found.get_info<::sycl::info::kernel_device_specific::work_group_size>(device.device);
        return std::make_unique<Function>(
            Function{device, found, name, found.get_info<::sycl::info::kernel::num_args>(),
                     static_cast<std::uint32_t>(std::min<std::size_t>(items, device.driver_facts.max_group_size))});
    });
    return *known;
}

std::string Program::binary() {
    return attempt(device, "reading a compiled program", MKZ_INTERNAL, [&] {
        if (const auto* image = std::get_if<Image>(&code_)) return image->binary(device);
        return std::string();
    });
}

mkz_status program_build(std::uint32_t device, const char* text, const char* options, mkz_program** program) noexcept {
    return guarded([&] {
        Device& d = device_of(device);
        if (text == nullptr) d.refuse(MKZ_INVALID_ARGUMENT, "the text of the program is null");
        auto made = compiled(d, text, options_of(options));
        *program = reinterpret_cast<mkz_program*>(made.release());
    });
}

mkz_status program_binary(mkz_program* program, void (*sink)(void*, const void*, std::uint64_t),
                          void* context) noexcept {
    return guarded([&] {
        Program& p = of(program);
        backends::give_own(p.device.label, p.binary(), p.device.driver_facts.compiler, sink, context);
    });
}

// Takes what program_binary() gave.
mkz_status program_load(std::uint32_t device, const void* binary, std::uint64_t bytes, mkz_program** program) noexcept {
    return guarded([&] {
        Device& d = device_of(device);
        const std::string image = backends::open_own(
            d.label, {static_cast<const char*>(binary), binary != nullptr ? bytes : 0}, d.driver_facts.compiler);
        auto made = attempt(d, "loading a compiled program", MKZ_INVALID_ARGUMENT,
                            [&] { return std::make_unique<Program>(d, Image(d, image)); });
        *program = reinterpret_cast<mkz_program*>(made.release());
    });
}

void program_release(mkz_program* program) noexcept { delete reinterpret_cast<Program*>(program); }

mkz_status program_function(mkz_program* program, const char* name, mkz_function** function,
                            std::uint32_t* max_group_size) noexcept {
    return guarded([&] {
        Function& found = of(program).function(name);
        *function = reinterpret_cast<mkz_function*>(&found);
        if (max_group_size != nullptr) *max_group_size = found.max_group_size;
    });
}

mkz_status launch(mkz_stream* stream, mkz_function* function, std::uint64_t groups, std::uint32_t group_size,
                  std::uint32_t n_arguments, const mkz_argument* arguments, mkz_event** event) noexcept {
    return guarded([&] {
        Stream& s = of(stream);
        const auto& f = backends::object_of<Function>(function, "sycl", "kernel");
        if (&s.device != &f.device) backends::refuse_launch(s.device.label, f.name, "it is of " + f.device.label);
        backends::require_arguments(s.device.label, f.name, n_arguments, f.n_arguments);
        backends::require_group(s.device.label, f.name, group_size, f.max_group_size);
        backends::require_groups(s.device.label, f.name, groups, SIZE_MAX / group_size);
        if (groups == 0 && event == nullptr) return;
        std::vector<Memory*> blocks;
        for (std::uint32_t i = 0; i < n_arguments; i++) {
            if (arguments[i].bytes != 0 || arguments[i].value == nullptr) continue;
            blocks.push_back(static_cast<Memory*>(const_cast<void*>(arguments[i].value)));
            blocks.back()->require(s.device, 0, 0, "launch");
        }
        const std::string doing = "running " + f.name + " with " + std::to_string(groups) + " groups of " +
                                  std::to_string(group_size) + " items";
        s.submit(doing, MKZ_INVALID_ARGUMENT, blocks, event, [&](::sycl::queue& queue) {
            if (groups == 0) return queue.ext_oneapi_submit_barrier();
            return queue.submit([&](::sycl::handler& handler) {
                auto block = blocks.begin();
                for (std::uint32_t i = 0; i < n_arguments; i++) {
                    const int at = static_cast<int>(i);
                    const mkz_argument& argument = arguments[i];
                    if (argument.bytes != 0) {
                        handler.set_arg(at, experimental::raw_kernel_arg(argument.value, argument.bytes));
                    } else {
                        void* data = argument.value == nullptr ? nullptr : (*block++)->data;
                        handler.set_arg(at, data);
                    }
                }
                handler.parallel_for(::sycl::nd_range<1>(groups * group_size, group_size), f.kernel);
            });
        });
    });
}

}  // namespace merklize::sycl_plugin

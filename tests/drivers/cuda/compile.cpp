// The parts of the CUDA backend that work without a GPU: the reason why there is none, and NVRTC.
#include <cstdlib>

#include <dlfcn.h>

#include "backends/cuda/error.hpp"
#include "backends/cuda/library.hpp"
#include "backends/cuda/nvrtc.hpp"
#include "environment.hpp"
#include "fixture.hpp"

namespace {

namespace cuda = merklize::cuda;

/// False, and prints a line, if this machine has no NVRTC. An NVRTC that the environment names must be there.
bool has_nvrtc() {
    if (cuda::nvrtc_major() != 0) return true;
    CHECK(std::getenv("MERKLIZE_NVRTC_LIBRARY") == nullptr);
    std::cout << "  skipped: no NVRTC\n";
    return false;
}

/// Status and text of the error of compile().
std::pair<mkz_status, std::string> failure(int arch, const char* text, const char* options = nullptr) {
    try {
        cuda::compile(arch, text, options, "test");
    } catch (const cuda::Failure& e) {
        return {e.status, e.text};
    }
    return {MKZ_OK, ""};
}

bool holds(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

}  // namespace

// This test is the first, because the library is searched only until it is found.
TEST("cuda-compile: a named NVRTC that is missing is the reason") {
    for (const char* path : {"/nowhere/libnvrtc.so.13", "/proc/self/exe", "libm.so.6"}) {
        const Environment environment{{"MERKLIZE_NVRTC_LIBRARY", path}};
        const auto [status, text] = failure(90, "");
        CHECK_EQ(status, MKZ_UNAVAILABLE);
        CHECK(holds(text, "merklize[cuda]") && holds(text, "nvidia-cuda-nvrtc"));
        CHECK(holds(text, "MERKLIZE_NVRTC_LIBRARY: ") && holds(text, path));
    }
}

TEST("cuda-compile: programs become machine code without a GPU") {
    if (!has_nvrtc()) return;
    for (const int arch : {75, 80, 86, 89, 90, 100}) {
        const cuda::Image image = cuda::compile(arch, table::kernels(), nullptr, "test");
        CHECK(!image.is_ptx);
        CHECK_EQ(image.bytes.substr(0, 4), "\177ELF");
        CHECK(holds(image.bytes, "late"));
    }
}

TEST("cuda-compile: newer GPUs get PTX, older ones a reason") {
    if (!has_nvrtc()) return;
    const cuda::Image image = cuda::compile(999, table::kernels(), nullptr, "test");
    CHECK(image.is_ptx);
    CHECK(holds(image.bytes, ".entry late"));
    CHECK(!image.bytes.empty() && image.bytes.back() == '\0');
    const auto [status, text] = failure(20, table::kernels());
    CHECK_EQ(status, MKZ_UNAVAILABLE);
    CHECK(holds(text, "sm_20") && holds(text, "nvidia-cuda-nvrtc-cu12"));
}

TEST("cuda-compile: errors have the log and what was asked for") {
    if (!has_nvrtc()) return;
    const auto [status, text] = failure(90, "int f() { return MISSING; }", "-DOTHER=1");
    CHECK_EQ(status, MKZ_INTERNAL);
    CHECK(text.rfind("test: ", 0) == 0);
    CHECK(holds(text, "MISSING") && holds(text, "sm_90") && holds(text, "-DOTHER=1") && holds(text, "NVRTC "));
    CHECK_EQ(failure(90, "__device__ int f() { return MISSING; }", "-DMISSING=1").first, MKZ_OK);
    CHECK(holds(failure(90, "", "--no-such-option").second, "no-such-option"));
}

TEST("cuda-compile: without a driver the table says so") {
    const char* why = table::backend().why_unavailable();
    if (why == nullptr) return;
    std::cout << "  " << why << '\n';
    void* library = dlopen("libcuda.so.1", RTLD_LAZY);
    if (library == nullptr) CHECK(std::string(why).rfind("cuda: no NVIDIA driver: libcuda.so.1", 0) == 0);
    CHECK_EQ(why, table::backend().why_unavailable());
    CHECK_EQ(table::backend().device_count(), 0u);
    const mkz_driver& table = *table::backend().driver;
    mkz_device_facts device{};
    mkz_driver_facts facts;
    mkz_memory* memory = nullptr;
    mkz_stream* stream = nullptr;
    mkz_program* program = nullptr;
    void* host = nullptr;
    CHECK_REFUSED(MKZ_UNAVAILABLE, why, table::backend().device_facts(0, &device));
    CHECK_REFUSED(MKZ_UNAVAILABLE, why, table.facts(0, &facts));
    CHECK_REFUSED(MKZ_UNAVAILABLE, why, table.allocate(0, 64, &memory));
    CHECK_REFUSED(MKZ_UNAVAILABLE, why, table.allocate_host(0, 64, &host));
    CHECK_REFUSED(MKZ_UNAVAILABLE, why, table.stream_open(0, nullptr, 0, &stream));
    CHECK_REFUSED(MKZ_UNAVAILABLE, why, table.program_build(0, "", nullptr, &program));
    CHECK_REFUSED(MKZ_UNAVAILABLE, why, table.program_load(0, "", 0, &program));
    table.release(0, nullptr);
    table.release_host(0, nullptr);
}

// merklize-block-bench: what device memory costs a call on CUDA: the blocks that the library keeps, beside the driver's
// own ways.
//
//   merklize-block-bench [--repeats R]
//
// Each turn allocates a block, enqueues one copy of 8 bytes in it, and releases the block; with "waits" it then waits
// for the stream, as a call does that returns a digest. Prints one JSON object a line: nanoseconds a turn, median,
// least and most of R.
//
//   kept blocks    the library's driver table (backends/cuda/memory.cpp)
//   pool, ordered  cuMemAllocAsync and cuMemFreeAsync on the stream of the copy: what a table whose allocations named a
//                  stream could do
//   pool, any      the same on a stream of its own, with the events that let any stream use the block, as the table
//                  promises
//   driver         cuMemAlloc, and cuMemFree after the stream has ended

#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include <merklize/merklize.hpp>

#include "backends/cuda/api.hpp"
#include "jobs/registry.hpp"

using namespace merklize::cuda;

namespace {

void check(int status, const char* what) {
    if (status == 0) return;
    std::fprintf(stderr, "%s: %d\n", what, status);
    std::exit(1);
}

// The functions that the library does not use.
struct Pools {
    CUresult (*create)(CUstream*, unsigned);
    CUresult (*allocate)(CUdeviceptr*, std::size_t, CUstream);
    CUresult (*release)(CUdeviceptr, CUstream);
    CUresult (*pool)(void**, CUdevice);
    CUresult (*set)(void*, int, void*);
    CUresult (*wait)(CUstream, CUevent, unsigned);
    CUresult (*record)(CUevent, CUstream);
    CUresult (*event)(CUevent*, unsigned);
    CUresult (*copy)(CUdeviceptr, CUdeviceptr, std::size_t, CUstream);
    CUresult (*synchronize)(CUstream);
    CUresult (*plain)(CUdeviceptr*, std::size_t);
    CUresult (*plain_release)(CUdeviceptr);
    CUresult (*retain)(CUcontext*, CUdevice);
    CUresult (*current)(CUcontext);

    Pools() {
        void* library = dlopen("libcuda.so.1", RTLD_NOW);
        const auto find = [&](auto& function, const char* name) {
            void* symbol = library == nullptr ? nullptr : dlsym(library, name);
            check(symbol == nullptr, name);
            function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(symbol);
        };
        find(create, "cuStreamCreate");
        find(allocate, "cuMemAllocAsync");
        find(release, "cuMemFreeAsync");
        find(pool, "cuDeviceGetDefaultMemPool");
        find(set, "cuMemPoolSetAttribute");
        find(wait, "cuStreamWaitEvent");
        find(record, "cuEventRecord");
        find(event, "cuEventCreate");
        find(copy, "cuMemcpyDtoDAsync_v2");
        find(synchronize, "cuStreamSynchronize");
        find(plain, "cuMemAlloc_v2");
        find(plain_release, "cuMemFree_v2");
        find(retain, "cuDevicePrimaryCtxRetain");
        find(current, "cuCtxSetCurrent");
    }
};

constexpr std::uint64_t copied = 8;
constexpr std::uint64_t target = 256;
constexpr int turns_between_waits = 16;

struct Way {
    const char* name;
    std::function<void(std::uint64_t)> turn;
    std::function<void()> wait;
};

void time(const Way& way, std::uint64_t bytes, bool waits, int repeats) {
    const int turns = bytes > (std::uint64_t{1} << 28) ? turns_between_waits : 64 * turns_between_waits;
    std::vector<double> found;
    for (int repeat = 0; repeat <= repeats; ++repeat) {
        const auto start = std::chrono::steady_clock::now();
        for (int turn = 1; turn <= turns; ++turn) {
            way.turn(bytes);
            if (waits || turn % turns_between_waits == 0) way.wait();
        }
        const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - start;
        if (repeat != 0) found.push_back(taken.count() / turns);  // the first one allocates
    }
    std::sort(found.begin(), found.end());
    std::printf(R"({"job": "allocate, use, release", "way": "%s", "bytes": %llu, "waits": %s, )"
                R"("ns": {"median": %.0f, "min": %.0f, "max": %.0f}})"
                "\n",
                way.name, static_cast<unsigned long long>(bytes), waits ? "true" : "false", found[found.size() / 2],
                found.front(), found.back());
    std::fflush(stdout);
}

}  // namespace

int main(int count, char** words) {
    const int repeats = count == 3 && std::string(words[1]) == "--repeats" ? std::atoi(words[2]) : 11;
    const Pools cuda;
    const mkz_driver* table = nullptr;
    for (const mkz_backend* backend : merklize::runtime::backends()) {
        if (std::string(backend->name) == "cuda" && backend->why_unavailable() == nullptr) table = backend->driver;
    }
    check(table == nullptr, "no CUDA device");

    mkz_stream* kept_stream = nullptr;
    check(table->stream_open(0, nullptr, 0, &kept_stream), "stream_open");
    CUcontext context = nullptr;
    check(cuda.retain(&context, 0), "cuDevicePrimaryCtxRetain");
    check(cuda.current(context), "cuCtxSetCurrent");
    CUstream stream = nullptr;
    CUstream allocations = nullptr;
    check(cuda.create(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
    check(cuda.create(&allocations, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
    CUevent event = nullptr;
    check(cuda.event(&event, CU_EVENT_DISABLE_TIMING), "cuEventCreate");
    void* pool = nullptr;
    check(cuda.pool(&pool, 0), "cuDeviceGetDefaultMemPool");
    constexpr int release_threshold = 4;
    std::uint64_t all = UINT64_MAX;
    check(cuda.set(pool, release_threshold, &all), "cuMemPoolSetAttribute");

    const auto order = [&](CUstream first, CUstream then) {
        check(cuda.record(event, first), "cuEventRecord");
        check(cuda.wait(then, event, 0), "cuStreamWaitEvent");
    };
    const auto wait = [&] { check(cuda.synchronize(stream), "cuStreamSynchronize"); };
    const Way ways[] = {
        {"kept blocks",
         [&](std::uint64_t bytes) {
             mkz_memory* memory = nullptr;
             check(table->allocate(0, bytes, &memory), "allocate");
             check(table->copy_on_device(kept_stream, memory, target, memory, 0, copied, nullptr), "copy_on_device");
             table->release(0, memory);
         },
         [&] { check(table->stream_synchronize(kept_stream), "stream_synchronize"); }},
        {"pool, ordered",
         [&](std::uint64_t bytes) {
             CUdeviceptr at = 0;
             check(cuda.allocate(&at, bytes, stream), "cuMemAllocAsync");
             check(cuda.copy(at + target, at, copied, stream), "cuMemcpyDtoDAsync");
             check(cuda.release(at, stream), "cuMemFreeAsync");
         },
         wait},
        {"pool, any",
         [&](std::uint64_t bytes) {
             CUdeviceptr at = 0;
             check(cuda.allocate(&at, bytes, allocations), "cuMemAllocAsync");
             order(allocations, stream);
             check(cuda.copy(at + target, at, copied, stream), "cuMemcpyDtoDAsync");
             order(stream, allocations);
             check(cuda.release(at, allocations), "cuMemFreeAsync");
         },
         wait},
        {"driver",
         [&](std::uint64_t bytes) {
             CUdeviceptr at = 0;
             check(cuda.plain(&at, bytes), "cuMemAlloc");
             check(cuda.copy(at + target, at, copied, stream), "cuMemcpyDtoDAsync");
             wait();
             check(cuda.plain_release(at), "cuMemFree");
         },
         wait},
    };
    for (const std::uint64_t bytes :
         {std::uint64_t{4} << 10, std::uint64_t{1} << 20, std::uint64_t{64} << 20, std::uint64_t{2} << 30}) {
        for (const bool waits : {false, true}) {
            for (const Way& way : ways) time(way, bytes, waits, repeats);
        }
    }
}

// Calls that enqueue, captured into a CUDA graph: replays give the right bytes for the contents of the buffers at that
// time.

#include <dlfcn.h>

#include <algorithm>
#include <functional>

#include "backends/cuda/device.hpp"
#include "backends/cuda/library.hpp"
#include "fixture.hpp"
#include "support.hpp"

namespace cuda = merklize::cuda;
using merklize::Buffer;
using merklize::Digest;
using merklize::Event;
using merklize::Hash;
using merklize::Stream;

namespace {

using CUgraphExec = struct CUgraphExec_st*;

// A function of the driver that only tests call.
template <class Function>
Function* symbol(const char* name) {
    static void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    auto* found = reinterpret_cast<Function*>(dlsym(library, name));
    if (found == nullptr) throw std::runtime_error(std::string("no ") + name);
    return found;
}

void need(cuda::CUresult result, const char* what) { cuda::check(result, what, "graphs"); }

/// A graph of the commands that `work` enqueues, captured in the mode that PyTorch uses.
class Graph {
public:
    Graph(cuda::CUstream stream, const std::function<void()>& work) {
        need(symbol<cuda::CUresult(cuda::CUstream, int)>("cuStreamBeginCapture_v2")(stream, 0), "cuStreamBeginCapture");
        work();
        need(symbol<cuda::CUresult(cuda::CUstream, cuda::CUgraph*)>("cuStreamEndCapture")(stream, &graph_),
             "cuStreamEndCapture");
        need(symbol<cuda::CUresult(CUgraphExec*, cuda::CUgraph, unsigned long long)>("cuGraphInstantiateWithFlags")(
                 &ready_, graph_, 0),
             "cuGraphInstantiate");
    }
    ~Graph() {
        symbol<cuda::CUresult(CUgraphExec)>("cuGraphExecDestroy")(ready_);
        symbol<cuda::CUresult(cuda::CUgraph)>("cuGraphDestroy")(graph_);
    }
    void launch(cuda::CUstream stream) const {
        need(symbol<cuda::CUresult(CUgraphExec, cuda::CUstream)>("cuGraphLaunch")(ready_, stream), "cuGraphLaunch");
    }

private:
    cuda::CUgraph graph_ = nullptr;
    CUgraphExec ready_ = nullptr;
};

}  // namespace

TEST("cuda: captured calls") {
    table::driver();  // or the run is skipped
    using namespace support;
    const merklize::Device device("cuda:" + std::to_string(table::device()));
    const merklize::RunOptions cpu{.device = merklize::Device("cpu")};
    const cuda::Current current(cuda::device_of(table::device()));
    cuda::CUstream raw = nullptr;
    need(cuda::driver().cuStreamCreate(&raw, cuda::CU_STREAM_NON_BLOCKING), "cuStreamCreate");
    const auto upload = [&](const auto& values, Buffer& to) { to.copy_from(std::as_bytes(std::span(values))); };
    {
        const Stream stream = Stream::wrap(device, raw);
        constexpr std::size_t n = 1000, large = 3 << 20;
        Buffer data(device, large), rows(device, 32 * n), field(device, 32 * n),
            nodes(device, 32 * merklize::heap_slots(n));
        const Buffer digest(device, 32), many(device, 32 * n / 2), merged(device, 32 * n), root(device, 32),
            field_root(device, 32);
        const merklize::TreeForm padded(Hash::rp64_256, merklize::TreeRule::pad);
        std::vector<Event> events;
        const auto work = [&] {
            events.push_back(merklize::hash(stream, {.data = data, .out = digest}));
            events.push_back(merklize::hash_leaves(stream, {.rows = rows, .row_bytes = 64, .out = many}));
            events.push_back(
                merklize::merge(stream, {.left = field, .right = field, .out = merged, .hash = Hash::rp64_256}));
            events.push_back(merklize::build_tree(stream, {.nodes = nodes}));
            events.push_back(merklize::merkle_root(stream, {.leaves = rows, .out = root}));
            events.push_back(merklize::merkle_root(stream, {.leaves = field, .out = field_root, .form = padded}));
        };
        upload(std::vector<Digest>(n), field);
        work();  // compiles the kernels
        stream.synchronize();
        events.clear();
        const Graph graph(raw, [&] {
            CHECK(stream.is_capturing());
            work();
            CHECK_ERROR(invalid_argument, "the stream is being captured into a graph, and this call waits",
                        merklize::hash(data, {}, {.stream = stream}));
            CHECK_ERROR(invalid_argument, "belongs to a captured call", events[0].wait());
            const Buffer between(device, 12345);  // allocation goes on beside a capture
            CHECK(events[0].is_captured());
        });
        CHECK(!stream.is_capturing());
        for (std::uint64_t seed = 1; seed <= 3; seed++) {
            const Bytes bytes = Random(seed).bytes(large);
            const std::vector<Digest> leaves = support::leaves(Hash::blake3, n, seed);
            const std::vector<Digest> words = support::leaves(Hash::rp64_256, n, seed);
            std::vector<Digest> heap(merklize::heap_slots(n));
            std::ranges::copy(leaves, heap.end() - n);
            upload(bytes, data);
            upload(leaves, rows);
            upload(words, field);
            upload(heap, nodes);
            graph.launch(raw);
            graph.launch(raw);
            stream.synchronize();
            for (const Event& event : events) event.check();
            merklize::build_tree(heap, {}, cpu);
            std::vector<Digest> pairs(n / 2), twice(n);
            merklize::hash_leaves(std::as_bytes(std::span(leaves)), 64, pairs, Hash::blake3, {}, cpu);
            merklize::merge(words, words, twice, Hash::rp64_256, {}, cpu);
            CHECK_EQ(on_host<Digest>(digest)[0], merklize::hash(view(bytes), {}, cpu));
            CHECK_EQ(on_host<Digest>(many), pairs);
            CHECK_EQ(on_host<Digest>(merged), twice);
            CHECK_EQ(on_host<Digest>(nodes), heap);
            CHECK_EQ(on_host<Digest>(root)[0], heap[1]);
            CHECK_EQ(on_host<Digest>(field_root)[0], merklize::merkle_root(words, padded, cpu));
        }
        // One replay has a word that is no element.
        std::vector<Digest> bad = support::leaves(Hash::rp64_256, n, 4);
        upload(std::vector<std::uint64_t>(4 * n, ~0ull), field);
        graph.launch(raw);
        stream.synchronize();
        CHECK_ERROR(invalid_argument, "merkle_root: leaves: a word is not below the modulus", events.back().check());
        CHECK_ERROR(invalid_argument, "merge: left", events[2].check());
        upload(bad, field);
        graph.launch(raw);
        stream.synchronize();
        events.back().check();
        // Many replays beside other calls, which must not use the graph's scratch memory.
        const std::vector<Digest> leaves = support::leaves(Hash::blake3, n, 5);
        upload(leaves, rows);
        const Stream other{device};
        const Buffer another(device, 32);
        for (int i = 0; i < 200; i++) {
            graph.launch(raw);
            merklize::merkle_root(other, {.leaves = field, .out = another, .form = padded});
        }
        stream.synchronize();
        other.synchronize();
        CHECK_EQ(on_host<Digest>(root)[0], merklize::merkle_root(leaves, {}, cpu));
        CHECK_EQ(on_host<Digest>(another)[0], on_host<Digest>(field_root)[0]);
    }
    need(cuda::driver().cuStreamDestroy(raw), "cuStreamDestroy");
}

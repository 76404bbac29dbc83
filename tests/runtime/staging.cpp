// Work on host memory that goes through pinned buffers in pieces. OpenCL's runtimes for processors reach the host's
// memory and need no staging, so the device here reports that it does not, and which host bytes are pinned.

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <memory>

#include "jobs/host_executor.hpp"
#include "jobs/registry.hpp"
#include "queue/device_call.hpp"
#include "support.hpp"

using namespace support;
using merklize::runtime::DeviceCall;
using merklize::runtime::host_place;
using merklize::runtime::QueueDevice;

namespace {

const mkz_backend* real_backend = nullptr;
std::atomic<const std::byte*> pinned_first{nullptr}, pinned_end{nullptr};

mkz_status facts(std::uint32_t device, mkz_driver_facts* facts) {
    const mkz_status status = real_backend->driver->facts(device, facts);
    facts->unified = 0;
    return status;
}

std::uint32_t is_pinned(std::uint32_t, const void* host) { return host >= pinned_first && host < pinned_end ? 1 : 0; }

// Copies between the device and pinned memory of the caller.
std::atomic<int> straight_up{0}, straight_down{0};

mkz_status copy_to_device(mkz_stream* stream, mkz_memory* to, std::uint64_t offset, const void* from,
                          std::uint64_t bytes, mkz_event** event) {
    straight_up += static_cast<int>(is_pinned(0, from));
    return real_backend->driver->copy_to_device(stream, to, offset, from, bytes, event);
}

mkz_status copy_to_host(mkz_stream* stream, void* to, mkz_memory* from, std::uint64_t offset, std::uint64_t bytes,
                        mkz_event** event) {
    straight_down += static_cast<int>(is_pinned(0, to));
    return real_backend->driver->copy_to_host(stream, to, from, offset, bytes, event);
}

/// Device 0 of OpenCL, as if its memory were not the host's; null without such a device.
std::shared_ptr<QueueDevice> staging_device() {
    if (std::getenv("MERKLIZE_DEVICE") == nullptr) return nullptr;
    const merklize::DeviceInfo info = merklize::Device().info();
    if (info.backend != "opencl") return nullptr;
    for (const mkz_backend* backend : merklize::runtime::backends()) {
        if (backend->name == info.backend) real_backend = backend;
    }
    static const mkz_driver driver = [] {
        mkz_driver changed = *real_backend->driver;
        changed.facts = facts;
        changed.is_pinned = is_pinned;
        changed.copy_to_device = copy_to_device;
        changed.copy_to_host = copy_to_host;
        return changed;
    }();
    static const mkz_backend backend = [] {
        mkz_backend changed = *real_backend;
        changed.driver = &driver;
        return changed;
    }();
    static const auto device = std::make_shared<QueueDevice>(backend, 0, info.id);
    return device;
}

struct PinnedPart {
    std::size_t first, end;  // bytes
};

}  // namespace

TEST("staging: every node of trees, whatever is pinned") {
    const auto device = staging_device();
    if (!device) return;
    // A piece has 2^19 nodes. There are two passes, and the first has six pieces, which is more than there are buffers.
    constexpr std::uint32_t levels = 20;
    constexpr std::size_t subtrees = 3, n = subtrees << levels;
    const std::vector<Digest> given = leaves(Hash::blake3, n, 5);
    const auto job_on = [&](std::vector<Digest>& nodes) {
        std::ranges::copy(given, nodes.begin() + n);
        merklize::runtime::MergeSubtrees job{.hash = Hash::blake3,
                                             .levels = levels,
                                             .n = n,
                                             .below = host_place(nodes.data()),
                                             .nodes = host_place(nodes.data())};
        for (std::uint32_t l = 0; l <= levels; l++) job.offset[l] = n >> l;
        return job;
    };
    const auto build = [&](std::vector<Digest>& nodes, const merklize::runtime::Tick& tick) {
        const merklize::RunOptions options;
        DeviceCall call(device, options, 2);
        return call.launch(job_on(nodes), tick);
    };
    std::vector<Digest> expected(2 * n), nodes(2 * n);
    CHECK(merklize::runtime::HostExecutor(2).launch(job_on(expected), {}));
    constexpr std::size_t all = 2 * n * Digest::size;
    for (const PinnedPart& pinned : {PinnedPart{0, 0}, {0, all}, {all / 2, all}, {0, all / 2}, {all / 5, all / 3}}) {
        pinned_first = reinterpret_cast<const std::byte*>(nodes.data()) + pinned.first;
        pinned_end = reinterpret_cast<const std::byte*>(nodes.data()) + pinned.end;
        std::ranges::fill(nodes, Digest{});
        straight_up = straight_down = 0;
        CHECK(build(nodes, {}));
        // The leaves are the upper half of the nodes, their parents the quarter below.
        CHECK_EQ(straight_up > 0, pinned.end > 3 * all / 4);
        CHECK_EQ(straight_down > 0, pinned.end > pinned.first && pinned.first < all / 2);
        CHECK_EQ(std::span(nodes).subspan(subtrees), std::span(expected).subspan(subtrees));
    }
    // The progress grows to 1, and false cancels.
    double before = 0;
    CHECK(build(nodes, [&](double done) {
        CHECK(done >= before && done <= 1.0000001);
        before = done;
        return true;
    }));
    CHECK(before > 0.999999);
    int asked = 0;
    CHECK(!build(nodes, [&](double) { return ++asked < 3; }));
    CHECK_EQ(asked, 3);
    CHECK(build(nodes, {}));
    CHECK_EQ(std::span(nodes).subspan(subtrees), std::span(expected).subspan(subtrees));
}

TEST("staging: batches, whatever is pinned") {
    const auto device = staging_device();
    if (!device) return;
    constexpr std::size_t n = (std::size_t{5} << 19) + 17;  // six pieces of each operand
    const std::vector<Digest> left = leaves(Hash::blake3, n, 6), right = leaves(Hash::blake3, n, 7);
    std::vector<Digest> expected(n), out(n);
    merklize::merge(left, right, expected, Hash::blake3, {}, {.device = merklize::Device("cpu")});
    const std::vector<Digest>* const operands[] = {&left, &right, &out};
    for (const std::vector<Digest>* pinned : operands) {
        for (const std::size_t part : {n, n / 2}) {
            pinned_first = reinterpret_cast<const std::byte*>(pinned->data());
            pinned_end = reinterpret_cast<const std::byte*>(pinned->data() + part);
            std::ranges::fill(out, Digest{});
            const merklize::runtime::MergePairs job{.hash = Hash::blake3,
                                                    .left = host_place(left.data()),
                                                    .right = host_place(right.data()),
                                                    .n = n,
                                                    .out = host_place(out.data())};
            const merklize::RunOptions options;
            DeviceCall call(device, options, 2);
            CHECK(call.launch(job, {}));
            CHECK_EQ(out, expected);
        }
    }
}

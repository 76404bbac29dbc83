// The toy job of examples/toy_job: nodes of the host and of a device, by the executor of the default device.
#include "calls/run.hpp"
#include "jobs/internals.hpp"
#include "support.hpp"

using merklize::Buffer;
using merklize::Digest;
using merklize::RunOptions;
using merklize::runtime::host_place;
using merklize::runtime::place_of;
using merklize::runtime::XorNodes;

TEST("toy_job: xor of nodes, wherever they lie") {
    constexpr std::size_t n = 70'001;  // more than a device's share of several
    support::Random random(1);
    std::vector<Digest> left(n), right(n), expected(n), found(n);
    for (std::size_t i = 0; i < n; i++) {
        for (std::size_t k = 0; k < Digest::size; k++) {
            left[i].bytes[k] = std::byte(random() & 255);
            right[i].bytes[k] = std::byte(random() & 255);
            expected[i].bytes[k] = left[i].bytes[k] ^ right[i].bytes[k];
        }
    }
    const RunOptions options;
    merklize::runtime::Run run(options);
    run.launch(XorNodes{host_place(left.data()), host_place(right.data()), n, host_place(found.data())}, 1);
    run.finish();
    CHECK_EQ(found, expected);
    if (run.device().is_host()) return;
    const auto there = [&](const std::vector<Digest>& nodes) {
        return Buffer::copy_of(std::as_bytes(std::span(nodes)), options.device);
    };
    const Buffer a = there(left), b = there(right), out(options.device, Digest::size * n);
    run.launch(XorNodes{place_of(a), place_of(b), n, place_of(out)}, 1);
    run.finish();
    found.assign(n, Digest{});
    out.copy_to(std::as_writable_bytes(std::span(found)));
    CHECK_EQ(found, expected);
}

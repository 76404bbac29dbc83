// The end of a process in which threads still compute.
#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

#include "child.hpp"
#include "support.hpp"

namespace {

using merklize::Digest;

std::atomic<int> working{0};

template <class Work>
void forever(Work work) {
    std::thread([work] {
        work();
        for (working++;;) work();
    }).detach();
}

}  // namespace

// Static objects are destroyed while the threads go on, as when main() returns.
TEST("exit_child: threads compute while the process ends") {
    if (!child::is_new_process()) return;
    static const auto& data = *new std::vector<std::byte>(4 << 20);
    static const auto& leaves = *new std::vector<Digest>(1 << 14);
    forever([] { (void)merklize::hash(data); });
    forever([] { (void)merklize::MerkleTree(leaves).prove(3); });
    forever([] { (void)merklize::MerkleTree(leaves, merklize::Hash::rp64_256); });
    forever([] { (void)merklize::Device("auto").info(); });
    while (working < 4) std::this_thread::yield();
    std::exit(0);
}

TEST("exit: a process ends well while its threads compute") {
    for (int turn = 0; turn < 5; turn++) CHECK_EQ(child::in_new_process("exit_child"), 0);
}

// The end of a process in which threads still compute.
#include <chrono>
#include <cstdlib>
#include <thread>
#include <vector>

#include "child.hpp"
#include "support.hpp"

namespace {

using merklize::Digest;

template <class Work>
void forever(Work work) {
    std::thread([work] {
        for (;;) work();
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
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    std::exit(0);
}

TEST("exit: a process ends well while its threads compute") {
    for (int turn = 0; turn < 5; turn++) CHECK_EQ(child::in_new_process("exit_child"), 0);
}

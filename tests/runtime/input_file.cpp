// InputFile: descriptors of the caller.
#include "host/input_file.hpp"

#include <atomic>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "child.hpp"
#include "support.hpp"

using merklize::runtime::InputFile;

// The byte that poll() promised may be gone when it is read. Whoever did not get it waits again, and can be cancelled: a child, since one
// that does not wait never ends.
TEST("input_file: a descriptor that does not wait, and another reader of it") {
    const auto body = [] {
        int ends[2];
        if (::pipe2(ends, O_NONBLOCK) != 0) return 2;
        const InputFile file(ends[0], "pipe");
        for (int round = 0; round < 200; round++) {
            std::atomic<int> ready{0}, taken{0};
            std::thread reader([&] {
                std::byte out;
                ready++;
                taken += static_cast<int>(file.read_some({&out, 1}, [&] { return taken == 0; }));
            });
            std::thread rival([&] {
                char out = 0;
                ready++;
                while (taken == 0) {
                    pollfd wanted{ends[0], POLLIN, 0};
                    if (::poll(&wanted, 1, 1) == 1 && ::read(ends[0], &out, 1) == 1) taken++;
                }
            });
            while (ready != 2) std::this_thread::yield();
            if (::write(ends[1], "x", 1) != 1) return 3;
            reader.join();
            rival.join();
            if (taken != 1) return 1;
        }
        return 0;
    };
    CHECK_EQ(child::in_fork(body), 0);
}

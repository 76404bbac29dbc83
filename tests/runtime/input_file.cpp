// InputFile: descriptors of the caller.
#include "host/input_file.hpp"

#include <atomic>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "support.hpp"

using merklize::runtime::InputFile;

// The byte that poll() reported may be gone at the read. A reader that gets no byte waits again, and can be cancelled.
TEST("input_file: a descriptor that does not wait, and another reader of it") {
    int ends[2];
    CHECK_EQ(::pipe2(ends, O_NONBLOCK | O_CLOEXEC), 0);
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
        CHECK_EQ(::write(ends[1], "x", 1), 1);
        reader.join();
        rival.join();
        CHECK_EQ(taken.load(), 1);
    }
    for (const int end : ends) ::close(end);
}

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

TEST("input_file: parts that are read to places apart") {
    const support::TemporaryFolder folder;
    const support::Bytes data = support::pattern(70000);
    const InputFile file(folder.write("data", data));
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{31}, std::size_t{512}}) {
        for (const std::size_t gap : {std::size_t{0}, std::size_t{32}}) {
            for (const std::size_t n :
                 {std::size_t{0}, std::size_t{1}, std::size_t{64}, std::size_t{65}, std::size_t{130}}) {
                const std::size_t stride = bytes + gap;
                support::Bytes found(n * stride, 0xaa), wanted = found;
                for (std::size_t i = 0; i < n; i++)
                    std::copy_n(data.begin() + static_cast<std::ptrdiff_t>(100 + i * bytes), bytes,
                                wanted.begin() + static_cast<std::ptrdiff_t>(i * stride));
                file.read_apart(support::view(found).data(), n, bytes, stride, 100);
                CHECK(found == wanted);
            }
        }
    }
    support::Bytes room(1000);
    CHECK_ERROR(io, "expected its end at byte 70300",
                file.read_apart(support::view(room).data(), 2, 400, 500, data.size() - 500));
}

// If the named instruction set is missing, that is an error, which can be corrected in the same process. This is a
// program of its own, because a process chooses its instruction set once.

#include <cstdlib>
#include <iostream>
#include <string>

#include <merklize/merklize.hpp>

int main() {
    int failures = 0;
    const auto expect = [&](bool condition, const char* what) {
        if (condition) return;
        std::cout << "FAILED: " << what << '\n';
        ++failures;
    };
    const auto refused = [](const char* device) {
        try {
            const merklize::Device opened(device);
        } catch (const merklize::Error& e) {
            const std::string text = e.what();
            return e.code() == merklize::ErrorCode::unavailable && text.find("MERKLIZE_CPU_ISA=sse9") != text.npos &&
                   text.find("scalar") != text.npos;
        }
        return false;
    };
    ::setenv("MERKLIZE_CPU_ISA", "sse9", 1);
    expect(refused("cpu"), "the error of Device(\"cpu\") names MERKLIZE_CPU_ISA=sse9 and the usable sets");
    expect(refused("auto"), "and so does that of Device(\"auto\")");
    bool listed = false;
    for (const merklize::DeviceInfo& info : merklize::devices()) listed = listed || info.backend == "cpu";
    expect(!listed, "devices() leaves the CPU out");
    expect(merklize::why_unavailable("cpu").find("sse9") != std::string::npos, "why_unavailable(\"cpu\") says why");
    ::setenv("MERKLIZE_CPU_ISA", "scalar", 1);
    expect(merklize::Device().info().isa == "scalar", "the next call with a good name works");
    ::unsetenv("MERKLIZE_CPU_ISA");
    expect(merklize::Device().info().isa == "scalar", "and the choice then stays");
    return failures == 0 ? 0 : 1;
}

#include "calls/enqueue.hpp"

#include <string>

#include "host/invalid.hpp"
#include "jobs/internals.hpp"
#include "merklize/error.hpp"

namespace merklize::runtime {
void require_on_stream(const char* what, const Stream& stream, std::initializer_list<Operand> operands) {
    for (const Operand& operand : operands) {
        if (operand.buffer.device() == stream.device()) continue;
        invalid(std::string(what) + ": " + operand.name + " must be on the stream's device, " +
                stream.device().info().id + ", got one on " + operand.buffer.device().info().id);
    }
}

void require_apart(const char* what, const Operand& out, const Operand& in, bool equal_is_fine) {
    if (out.buffer.empty() || in.buffer.empty()) return;
    const auto [first, second] = addresses_of(out.buffer, in.buffer);
    if (first.block != second.block) return;
    const std::uint64_t a = first.offset, b = second.offset;
    if (equal_is_fine && a == b && out.buffer.size() == in.buffer.size()) return;
    if (a >= b + in.buffer.size() || b >= a + out.buffer.size()) return;
    invalid(std::string(what) + ": " + out.name + " must not overlap " + in.name + ", got " +
            std::to_string(out.buffer.size()) + " bytes " +
            (a < b ? std::to_string(b - a) + " bytes before" : std::to_string(a - b) + " bytes after") +
            " the beginning of " + std::to_string(in.buffer.size()));
}

void require_bytes(const char* what, const Operand& operand, std::uint64_t bytes) {
    if (operand.buffer.size() == bytes) return;
    invalid(std::string(what) + ": " + operand.name + " must have " + std::to_string(bytes) + " bytes, got " +
            std::to_string(operand.buffer.size()));
}

}  // namespace merklize::runtime

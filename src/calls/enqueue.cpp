#include "calls/enqueue.hpp"

#include <string>
#include <vector>

#include "host/invalid.hpp"
#include "jobs/internals.hpp"
#include "merklize/error.hpp"

namespace merklize::runtime {

void require_on_stream(const Stream& stream, std::initializer_list<StreamOperand> operands) {
    std::vector<Operand> memory;
    for (const StreamOperand& operand : operands) {
        if (operand.buffer.device() != stream.device()) {
            invalid_call(std::string(operand.name) + " must be on the stream's device, " + stream.device().info().id +
                         ", got one on " + operand.buffer.device().info().id);
        }
        memory.push_back({operand.use, operand.name, operand.buffer});
    }
    require_apart(memory);
}

void require_bytes(const char* name, const ConstBuffer& buffer, std::uint64_t bytes) {
    if (buffer.size() == bytes) return;
    invalid_call(name, "must have " + std::to_string(bytes) + " bytes, got " + std::to_string(buffer.size()));
}

}  // namespace merklize::runtime

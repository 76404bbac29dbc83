#include "jobs/run.hpp"

#include <string>

#include "jobs/enqueue.hpp"
#include "jobs/internals.hpp"
#include "merklize/error.hpp"

namespace merklize::runtime {

Run::Run(const RunOptions& options, Ending ending) : options_(options), ending_(ending), progress_(options.progress) {
    require_valid(options.policy);
    if (options.timings != nullptr) *options.timings = Timings{};
    if (options.stream && device().is_host()) {
        throw Error(ErrorCode::invalid_argument, "options.stream must be of the call's device, " + device().info.id +
                                                     ", got one of " + options.stream->device().info().id);
    }
    executor_ = open_executor(options, ending);
}

Event Run::end() { return Internals::event(executor_->end()); }

DeviceMemory& Run::memory() {
    DeviceMemory* memory = executor_ ? executor_->memory() : nullptr;
    if (memory == nullptr) throw Error(ErrorCode::internal, device().info.id + " has no memory of its own");
    return *memory;
}

void Run::parallel(std::size_t n, const std::function<void(std::size_t)>& body, double share) {
    progress_.step(share, [&](const Tick& tick) { return parallel_for(n, options_.threads, body, tick); });
}

RunOptions on_device_of(const ConstBuffer& buffer, const RunOptions& options) {
    RunOptions here = options;
    here.device = buffer.device();
    return here;
}

void require_no_timings(const char* what, const RunOptions& options) {
    if (options.timings == nullptr) return;
    throw Error(ErrorCode::invalid_argument,
                std::string(what) + ": timings must not be set: its work is many calls, which are not timed");
}

void require_no_policy(const char* what, const RunOptions& options) {
    if (options.policy == Policy{}) return;
    throw Error(ErrorCode::invalid_argument,
                std::string(what) +
                    ": policy must not be set: the tree keeps the policy that it was built with, got '" +
                    to_text(options.policy) + "'");
}

void require_same_device(const char* what, const ConstBuffer& one, const ConstBuffer& other) {
    if (one.device() == other.device()) return;
    throw Error(ErrorCode::invalid_argument, std::string(what) + ": operands must be on one device, got " +
                                                 one.device().info().id + " and " + other.device().info().id);
}

// ---- Calls that enqueue: enqueue.hpp ---------------------------------------------------------------------------------

namespace {

[[noreturn]] void invalid(const std::string& text) { throw Error(ErrorCode::invalid_argument, text); }

}  // namespace

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

#pragma once

#include <initializer_list>

#include "calls/operands.hpp"
#include "calls/run.hpp"
#include "merklize/async.hpp"

namespace merklize::runtime {

/// What all calls of merklize/async.hpp have in common.

/// Memory of a device that a call uses.
struct StreamOperand {
    Operand::Use use;
    const char* name;
    const ConstBuffer& buffer;
};

/// Throws invalid_argument if an operand is not on the stream's device, or if a written operand overlaps another.
void require_on_stream(const Stream& stream, std::initializer_list<StreamOperand> operands);

/// Throws invalid_argument if the operand has another number of bytes.
void require_bytes(const char* name, const ConstBuffer& buffer, std::uint64_t bytes);

/// Runs a call that enqueues: body(run) launches its jobs.
template <class Body>
Event enqueue(const Stream& stream, const Policy& policy, Body&& body) {
    const RunOptions options{.device = stream.device(), .stream = stream, .policy = policy};
    Run run(options, Ending::enqueues);
    body(run);
    return run.end();
}

}  // namespace merklize::runtime

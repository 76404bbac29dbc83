#pragma once

#include <initializer_list>

#include "calls/run.hpp"
#include "merklize/async.hpp"

namespace merklize::runtime {

/// What all calls of merklize/async.hpp have in common.

/// An operand for the checks below.
struct Operand {
    const char* name;
    const ConstBuffer& buffer;
};

/// Throws invalid_argument "<what>: ..." if an operand is not on the stream's device.
void require_on_stream(const char* what, const Stream& stream, std::initializer_list<Operand> operands);

/// Throws invalid_argument if the two operands share memory.
/// equal_is_fine  exactly the same bytes are allowed; a partial overlap is not
void require_apart(const char* what, const Operand& out, const Operand& in, bool equal_is_fine = false);

/// Throws invalid_argument if the operand has another number of bytes.
void require_bytes(const char* what, const Operand& operand, std::uint64_t bytes);

/// Runs a call that enqueues: body(run) launches its jobs.
template <class Body>
Event enqueue(const Stream& stream, const Policy& policy, Body&& body) {
    const RunOptions options{.device = stream.device(), .stream = stream, .policy = policy};
    Run run(options, Ending::enqueues);
    body(run);
    return run.end();
}

}  // namespace merklize::runtime

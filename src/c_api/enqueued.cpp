// Calls that enqueue on a device's stream and return at once.
#include <merklize/async.hpp>

#include "c_api/calls.hpp"

using namespace merklize::c_api;
using merklize::Event;
using merklize::Stream;

namespace {

// Runs the body, which enqueues, and gives its event to the caller if wanted.
template <class Body>
merklize_status enqueue(const char* function, merklize_stream* stream, merklize_event** event, Body&& body) {
    return run(function, [&](const Call& call) {
        const std::span<merklize_event*> out = call.results(event, event == nullptr ? 0 : 1, "event");
        const Stream& on = call.need(stream, "stream").value;
        Event done = body(call, on);
        if (!out.empty()) out.front() = new merklize_event{std::move(done)};
    });
}

merklize::Policy policy_of(const Call& call, const merklize_policy* policy) {
    return policy != nullptr ? call.policy(*policy) : merklize::Policy{};
}

}  // namespace

merklize_status merklize_enqueue_hash(merklize_stream* stream, const merklize_buffer* data, const merklize_mode* mode,
                                      merklize_buffer* out, const merklize_policy* policy, merklize_event** event) {
    return enqueue("merklize_enqueue_hash", stream, event, [&](const Call& call, const Stream& on) {
        return merklize::hash(on, {.data = call.need(data, "data").value,
                                   .out = call.written(out, "out"),
                                   .mode = call.mode(mode),
                                   .policy = policy_of(call, policy)});
    });
}

merklize_status merklize_enqueue_hash_leaves(merklize_stream* stream, const merklize_buffer* rows, uint64_t row_bytes,
                                             merklize_hash_id hash, const merklize_mode* mode, merklize_buffer* out,
                                             const merklize_policy* policy, merklize_event** event) {
    return enqueue("merklize_enqueue_hash_leaves", stream, event, [&](const Call& call, const Stream& on) {
        return merklize::hash_leaves(on, {.rows = call.need(rows, "rows").value,
                                          .row_bytes = row_bytes,
                                          .out = call.written(out, "out"),
                                          .hash = call.hash(hash),
                                          .mode = call.mode(mode, call.hash(hash)),
                                          .policy = policy_of(call, policy)});
    });
}

merklize_status merklize_enqueue_merge(merklize_stream* stream, const merklize_buffer* left,
                                       const merklize_buffer* right, merklize_hash_id hash, const merklize_mode* mode,
                                       merklize_buffer* out, const merklize_policy* policy, merklize_event** event) {
    return enqueue("merklize_enqueue_merge", stream, event, [&](const Call& call, const Stream& on) {
        return merklize::merge(on, {.left = call.need(left, "left").value,
                                    .right = call.need(right, "right").value,
                                    .out = call.written(out, "out"),
                                    .hash = call.hash(hash),
                                    .mode = call.mode(mode, call.hash(hash)),
                                    .policy = policy_of(call, policy)});
    });
}

merklize_status merklize_enqueue_build_tree(merklize_stream* stream, merklize_buffer* nodes, const merklize_form* form,
                                            const merklize_policy* policy, merklize_event** event) {
    return enqueue("merklize_enqueue_build_tree", stream, event, [&](const Call& call, const Stream& on) {
        return merklize::build_tree(
            on, {.nodes = call.written(nodes, "nodes"), .form = call.form(form), .policy = policy_of(call, policy)});
    });
}

merklize_status merklize_enqueue_merkle_root(merklize_stream* stream, const merklize_buffer* leaves,
                                             const merklize_form* form, merklize_buffer* out,
                                             const merklize_policy* policy, merklize_event** event) {
    return enqueue("merklize_enqueue_merkle_root", stream, event, [&](const Call& call, const Stream& on) {
        return merklize::merkle_root(on, {.leaves = call.need(leaves, "leaves").value,
                                          .out = call.written(out, "out"),
                                          .form = call.form(form),
                                          .policy = policy_of(call, policy)});
    });
}

merklize_status merklize_enqueue_gather_nodes(merklize_stream* stream, const merklize_buffer* nodes,
                                              const merklize_buffer* slots, merklize_buffer* out,
                                              merklize_event** event) {
    return enqueue("merklize_enqueue_gather_nodes", stream, event, [&](const Call& call, const Stream& on) {
        return merklize::gather_nodes(on, {.nodes = call.need(nodes, "nodes").value,
                                           .slots = call.need(slots, "slots").value,
                                           .out = call.written(out, "out")});
    });
}

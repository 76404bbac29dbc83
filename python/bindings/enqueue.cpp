// Calls with wait=False: they enqueue on a stream and return.
#include "enqueue.hpp"

#include <string>

#include "arguments.hpp"
#include "form.hpp"
#include "host/invalid.hpp"
#include "module.hpp"

namespace merklize::binding {

DeviceArray& Enqueued::operand(nb::handle array, const char* name) {
    if (!settings_.timings.is_none())
        invalid_call("timings must not be given with wait=False: the call ends before its work");
    DeviceArray* const there = bound_in<DeviceArray>(array);
    if (there == nullptr) invalid_call(name, "must be on a device with wait=False, got memory of the host");
    DeviceArray& found = *there;
    const Device& device = found.buffer.device();
    if (!stream_) {
        require_device("device", device.info().id, settings_.device);
        handle_ = device.info().backend == "cuda" ? cuda_stream_handle(settings_.stream) : settings_.stream.value_or(0);
        stream_ = shared_stream(device, handle_);
    }
    if (device != stream_->device()) {
        invalid_call(
            name, "must be on the device of the others, " + stream_->device().info().id + ", got " + device.info().id);
    }
    // The same stream is in order already.
    if (found.pending && found.pending->handle != handle_) stream_->wait(found.pending->event);
    return found;
}

namespace {

void enqueue_hash(nb::handle data, nb::handle out, nb::handle key, nb::handle context, const Settings& settings) {
    Enqueued enqueued(settings);
    const DeviceArray& from = enqueued.operand(data, "data");
    DeviceArray& to = enqueued.operand(out, "out");
    enqueued(to, [&, mode = to_mode(key, context)](const Stream& stream) {
        return hash(stream, {.data = from.buffer, .out = to.writable(), .mode = mode, .policy = settings.policy});
    });
}

void enqueue_hash_leaves(nb::handle rows, nb::handle row_bytes, nb::handle out, nb::handle hash, nb::handle key,
                         nb::handle context, const Settings& settings) {
    Enqueued enqueued(settings);
    const DeviceArray& from = enqueued.operand(rows, "rows");
    DeviceArray& to = enqueued.operand(out, "out");
    const std::uint64_t bytes = to_u64(row_bytes, "row");
    const Hash which = hash_from_name(to_text(hash, "hash"));
    enqueued(to, [&, mode = to_mode(key, context, which)](const Stream& stream) {
        return hash_leaves(stream, {.rows = from.buffer,
                                    .row_bytes = bytes,
                                    .out = to.writable(),
                                    .hash = which,
                                    .mode = mode,
                                    .policy = settings.policy});
    });
}

void enqueue_merge(nb::handle left, nb::handle right, nb::handle out, nb::handle hash, nb::handle key,
                   nb::handle context, const Settings& settings) {
    Enqueued enqueued(settings);
    const DeviceArray& first = enqueued.operand(left, "left");
    const DeviceArray& second = enqueued.operand(right, "right");
    DeviceArray& to = enqueued.operand(out, "out");
    const Hash which = hash_from_name(to_text(hash, "hash"));
    enqueued(to, [&, mode = to_mode(key, context, which)](const Stream& stream) {
        return merge(stream, {.left = first.buffer,
                              .right = second.buffer,
                              .out = to.writable(),
                              .hash = which,
                              .mode = mode,
                              .policy = settings.policy});
    });
}

void enqueue_build_tree(nb::handle nodes, const TreeForm& form, const Settings& settings) {
    Enqueued enqueued(settings);
    DeviceArray& all = enqueued.operand(nodes, "nodes");
    enqueued(all, [&](const Stream& stream) {
        return build_tree(stream, {.nodes = all.writable(), .form = form, .policy = settings.policy});
    });
}

void enqueue_merkle_root(nb::handle leaves, nb::handle out, const TreeForm& form, const Settings& settings) {
    Enqueued enqueued(settings);
    const DeviceArray& from = enqueued.operand(leaves, "leaves");
    DeviceArray& to = enqueued.operand(out, "out");
    enqueued(to, [&](const Stream& stream) {
        return merkle_root(stream,
                           {.leaves = from.buffer, .out = to.writable(), .form = form, .policy = settings.policy});
    });
}

}  // namespace

void bind_enqueue(nb::module_& m) {
    define(
        m,
        "def enqueue_hash(data: object, out: object, key: object, context: str | None, settings: Settings, /) -> None",
        enqueue_hash);
    define(m,
           "def enqueue_hash_leaves(rows: object, row_bytes: int, out: object, hash: str, key: object, "
           "context: str | None, settings: Settings, /) -> None",
           enqueue_hash_leaves);
    define(m,
           "def enqueue_merge(left: object, right: object, out: object, hash: str, key: object, context: str | None, "
           "settings: Settings, /) -> None",
           enqueue_merge);
    define(m, "def enqueue_build_tree(nodes: object, form: TreeForm, settings: Settings, /) -> None",
           enqueue_build_tree);
    define(m,
           "def enqueue_merkle_root(leaves: object, out: object, form: TreeForm, settings: Settings, /) "
           "-> None",
           enqueue_merkle_root);
}

}  // namespace merklize::binding

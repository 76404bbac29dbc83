// Calls with wait=False: they enqueue on a stream and return.
#include "enqueue.hpp"

#include <string>

#include "arguments.hpp"
#include "form.hpp"
#include "module.hpp"

namespace merklize::binding {

DeviceArray& Enqueued::operand(nb::handle array, const char* name) {
    const auto invalid = [&](const std::string& text) {
        throw Error(ErrorCode::invalid_argument, std::string(what_) + ": " + text);
    };
    if (!settings_.timings.is_none())
        invalid("timings must not be given with wait=False: the call ends before its work");
    DeviceArray* const there = bound_in<DeviceArray>(array);
    if (there == nullptr) invalid(std::string(name) + " must be on a device with wait=False, got memory of the host");
    DeviceArray& found = *there;
    const Device& device = found.buffer.device();
    if (!stream_) {
        require_device("device", device.info().id, settings_.device);
        handle_ = device.info().backend == "cuda" ? cuda_stream_handle(settings_.stream) : settings_.stream.value_or(0);
        stream_ = shared_stream(device, handle_);
    }
    if (device != stream_->device()) {
        invalid(std::string(name) + " must be on the device of the others, " + stream_->device().info().id + ", got " +
                device.info().id);
    }
    // The same stream has the order already.
    if (found.pending && found.pending->handle != handle_) stream_->wait(found.pending->event);
    return found;
}

namespace {

void enqueue_hash(nb::handle data, nb::handle out, nb::handle key, nb::handle context, const Settings& settings) {
    Enqueued enqueued("hash", settings);
    const DeviceArray& from = enqueued.operand(data, "data");
    DeviceArray& to = enqueued.operand(out, "out");
    enqueued(to, [&, mode = to_mode(key, context, "hash")](const Stream& stream) {
        return hash(stream, {.data = from.buffer, .out = to.writable(), .mode = mode, .policy = settings.policy});
    });
}

void enqueue_hash_many(nb::handle messages, nb::handle message_bytes, nb::handle out, nb::handle key,
                       nb::handle context, const Settings& settings) {
    Enqueued enqueued("hash_many", settings);
    const DeviceArray& from = enqueued.operand(messages, "messages");
    DeviceArray& to = enqueued.operand(out, "out");
    const std::uint64_t bytes = to_u64(message_bytes, "hash_many: message length");
    enqueued(to, [&, mode = to_mode(key, context, "hash_many")](const Stream& stream) {
        return hash_many(stream, {.messages = from.buffer,
                                  .message_bytes = bytes,
                                  .out = to.writable(),
                                  .mode = mode,
                                  .policy = settings.policy});
    });
}

void enqueue_hash_elements(nb::handle rows, nb::handle n_rows, nb::handle elements, nb::handle out, nb::handle hash,
                           const Settings& settings) {
    Enqueued enqueued("hash_elements", settings);
    const DeviceArray& from = enqueued.operand(rows, "elements");
    DeviceArray& to = enqueued.operand(out, "out");
    const std::uint64_t n = to_u64(n_rows, "hash_elements: rows");
    const std::uint64_t width = to_u64(elements, "hash_elements: elements");
    const Hash which = hash_from_name(to_text(hash, "hash"));
    enqueued(to, [&](const Stream& stream) {
        return hash_elements(stream, {.rows = from.buffer,
                                      .n_rows = n,
                                      .elements = width,
                                      .out = to.writable(),
                                      .hash = which,
                                      .policy = settings.policy});
    });
}

void enqueue_hash_leaves(nb::handle records, nb::handle record_bytes, nb::handle out, nb::handle hash, nb::handle key,
                         nb::handle context, const Settings& settings) {
    Enqueued enqueued("hash_leaves", settings);
    const DeviceArray& from = enqueued.operand(records, "records");
    DeviceArray& to = enqueued.operand(out, "out");
    const std::uint64_t bytes = to_u64(record_bytes, "hash_leaves: record");
    const Hash which = hash_from_name(to_text(hash, "hash"));
    enqueued(to, [&, mode = to_mode(key, context, "hash_leaves")](const Stream& stream) {
        return hash_leaves(
            stream, {.records = from.buffer, .record_bytes = bytes, .out = to.writable(), .hash = which, .mode = mode});
    });
}

void enqueue_merge(nb::handle left, nb::handle right, nb::handle out, nb::handle hash, nb::handle key,
                   nb::handle context, const Settings& settings) {
    Enqueued enqueued("merge", settings);
    const DeviceArray& first = enqueued.operand(left, "left");
    const DeviceArray& second = enqueued.operand(right, "right");
    DeviceArray& to = enqueued.operand(out, "out");
    const Hash which = hash_from_name(to_text(hash, "hash"));
    enqueued(to, [&, mode = to_mode(key, context, "merge")](const Stream& stream) {
        return merge(stream, {.left = first.buffer,
                              .right = second.buffer,
                              .out = to.writable(),
                              .hash = which,
                              .mode = mode,
                              .policy = settings.policy});
    });
}

void enqueue_build_tree(nb::handle nodes, const TreeForm& form, const Settings& settings) {
    Enqueued enqueued("build_tree", settings);
    DeviceArray& all = enqueued.operand(nodes, "nodes");
    enqueued(all, [&](const Stream& stream) {
        return build_tree(stream, {.nodes = all.writable(), .form = form, .policy = settings.policy});
    });
}

void enqueue_merkle_root(nb::handle leaves, nb::handle out, const TreeForm& form, const Settings& settings) {
    Enqueued enqueued("merkle_root", settings);
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
        m, "enqueue_hash", enqueue_hash,
        "def enqueue_hash(data: object, out: object, key: object, context: str | None, settings: Settings, /) -> None");
    define(m, "enqueue_hash_many", enqueue_hash_many,
           "def enqueue_hash_many(messages: object, message_bytes: int, out: object, key: object, context: str | None, "
           "settings: Settings, /) -> None");
    define(m, "enqueue_hash_elements", enqueue_hash_elements,
           "def enqueue_hash_elements(rows: object, n_rows: int, elements: int, out: object, hash: str, settings: "
           "Settings, /) -> None");
    define(m, "enqueue_hash_leaves", enqueue_hash_leaves,
           "def enqueue_hash_leaves(records: object, record_bytes: int, out: object, hash: str, key: object, context: "
           "str | None, settings: Settings, /) -> None");
    define(m, "enqueue_merge", enqueue_merge,
           "def enqueue_merge(left: object, right: object, out: object, hash: str, key: object, context: str | None, "
           "settings: Settings, /) -> None");
    define(m, "enqueue_build_tree", enqueue_build_tree,
           "def enqueue_build_tree(nodes: object, form: TreeForm, settings: Settings, /) -> None");
    define(m, "enqueue_merkle_root", enqueue_merkle_root,
           "def enqueue_merkle_root(leaves: object, out: object, form: TreeForm, settings: Settings, /) "
           "-> None");
}

}  // namespace merklize::binding

// Digests of messages of any lengths, each where it lies: one job for each place.
#include "digests/hash_each.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "calls/calibration.hpp"
#include "calls/operands.hpp"
#include "calls/side_by_side.hpp"
#include "digests/chunk_tree.hpp"
#include "hashes/merge_one.hpp"
#include "hashes/message.hpp"
#include "host/invalid.hpp"
#include "merklize/core/hashes/blake3.h"
#include "merklize/hash_each.hpp"

namespace merklize::runtime {

void hash_messages(std::span<const Extent> messages, const Output& wanted, std::byte* out, Run& run, double share) {
    const bool is_digest = wanted.length == Digest::size && wanted.seek == 0;
    std::vector<ChainingValue> values(is_digest ? 0 : 2 * messages.size());
    run.launch(HashEach{.messages = messages,
                        .mode = wanted.mode,
                        .below_root = !is_digest,
                        .out = host_place(is_digest ? static_cast<void*>(out) : values.data())},
               share);
    run.finish();
    if (is_digest) return;
    for (std::size_t i = 0; i < messages.size(); i++) {
        const auto& [place, bytes] = messages[i];
        const Node root = bytes <= MKZ_BLAKE3_CHUNK_LEN ? chunk_node(place, bytes, 0, wanted.mode, run)
                                                        : parent_node(values[2 * i], values[2 * i + 1], wanted.mode);
        root.expand({out + wanted.length * i, wanted.length}, wanted.seek, run);
    }
}

}  // namespace merklize::runtime

namespace merklize::inline v0 {
namespace {

using runtime::Output;

// The messages that one device hashes.
struct Group {
    Device device;
    std::vector<std::size_t> indices;
    std::vector<runtime::Extent> messages;
};

// Hashes the messages of a group and puts their outputs where they belong.
void hash_group(Group group, const Output& wanted, std::span<std::byte> out, const RunOptions& options) {
    runtime::Run run(options);
    const auto output = [&](std::size_t index) { return out.subspan(wanted.length * index, wanted.length); };
    double all_bytes = 1, share = 1;
    for (const runtime::Extent& message : group.messages) all_bytes += static_cast<double>(message.bytes);
    // Long messages on the host go to a device one by one.
    std::size_t kept = 0;
    for (std::size_t i = 0; i < group.indices.size(); i++) {
        const auto& [place, bytes] = group.messages[i];
        if (!run.on_host() && !place.on_device && bytes > runtime::HashEach::longest_staged) {
            const double its = static_cast<double>(bytes) / all_bytes;
            runtime::root_of(place, bytes, wanted.mode, run, its).expand(output(group.indices[i]), wanted.seek, run);
            share -= its;
        } else {
            group.messages[kept] = group.messages[i];
            group.indices[kept++] = group.indices[i];
        }
    }
    const std::span messages(group.messages.data(), kept);
    if (kept * wanted.length == out.size()) return runtime::hash_messages(messages, wanted, out.data(), run, share);
    std::vector<std::byte> outputs(kept * wanted.length);
    runtime::hash_messages(messages, wanted, outputs.data(), run, share);
    for (std::size_t i = 0; i < kept; i++)
        std::ranges::copy(std::span(outputs).subspan(wanted.length * i, wanted.length),
                          output(group.indices[i]).data());
}

// One group for each device, and one for the messages on the host, even if one device hashes both.
std::vector<Group> by_device(std::span<const MessageView> messages, const Device& for_host) {
    std::vector<Group> groups;
    for (std::size_t i = 0; i < messages.size(); i++) {
        const ConstBuffer* buffer = messages[i].buffer();
        const Device& device = buffer != nullptr ? buffer->device() : for_host;
        const auto is_its = [&](const Group& group) {
            return group.device == device && group.messages[0].place.on_device == (buffer != nullptr);
        };
        auto group = std::ranges::find_if(groups, is_its);
        if (group == groups.end()) {
            group = groups.insert(groups.end(), {device, {}, {}});
            group->indices.reserve(messages.size() - i);
            group->messages.reserve(messages.size() - i);
        }
        group->indices.push_back(i);
        group->messages.push_back(buffer != nullptr ? runtime::Extent{runtime::place_of(*buffer), buffer->size()}
                                                    : runtime::Extent{runtime::host_place(messages[i].host().data()),
                                                                      messages[i].host().size()});
    }
    return groups;
}

void require_outputs(std::size_t n, std::size_t bytes, std::size_t length) {
    if (length != 0 ? bytes / length == n && bytes % length == 0 : bytes == 0) return;
    invalid_call("out", "must have " + std::to_string(length) + " bytes for each of " + std::to_string(n) +
                            " messages, got " + std::to_string(bytes) + " bytes");
}

void require_apart(std::span<const MessageView> messages, std::span<std::byte> out) {
    using enum runtime::Operand::Use;
    const runtime::WrittenMemory written(std::vector<runtime::Operand>{{writes, "out", std::as_bytes(out)}});
    runtime::BufferRanges range_of;
    for (std::size_t i = 0; i < messages.size(); i++) {
        const ConstBuffer* buffer = messages[i].buffer();
        const runtime::MemoryRange memory = buffer != nullptr ? range_of(*buffer) : messages[i].host();
        written.require_apart({reads, "message", memory, i});
    }
}

}  // namespace

}  // namespace merklize::inline v0

namespace merklize::runtime {

void hash_each(std::span<const MessageView> messages, std::span<std::byte> out, const Output& wanted,
               const RunOptions& options) {
    if (messages.empty() || wanted.length == 0) return;
    std::uint64_t host_bytes = 0;
    const void* first = nullptr;  // the first message with bytes stands for all
    for (const MessageView& message : messages) {
        if (host_bytes == 0) first = message.host().data();
        host_bytes += message.host().size();
    }
    const RunOptions for_host = chosen(options, Job::digest, Hash::blake3, host_bytes, first);
    std::vector<Group> groups = by_device(messages, for_host.device);
    // A stream belongs to one device. If messages lie there, those on the host do without the stream.
    const auto of_group = [&](const Group& group, RunOptions here) {
        here.device = group.device;
        here.stream = options.stream;
        if (groups.size() > 1 && options.stream && options.stream->device() != group.device) here.stream = {};
        return here;
    };
    if (groups.size() == 1) {
        const RunOptions here = of_group(groups[0], options);
        return hash_group(std::move(groups[0]), wanted, out, here);
    }
    std::vector<Device> devices;
    for (const Group& group : groups) {
        devices.push_back(group.device);
        if (options.stream && group.messages[0].place.on_device && options.stream->device() != group.device)
            require_no_stream(options);
    }
    if (options.timings != nullptr) *options.timings = Timings{};
    Progress progress(options.progress);
    progress.end(side_by_side(
        devices, options, options.threads == 0 ? default_threads() : options.threads,
        [&](std::size_t i, const RunOptions& here) { hash_group(groups[i], wanted, out, of_group(groups[i], here)); },
        progress.begin(1)));
}

}  // namespace merklize::runtime

namespace merklize::inline v0 {

void hash_each(std::span<const MessageView> messages, std::span<std::byte> out, std::size_t length, std::uint64_t seek,
               const Mode& mode, const RunOptions& options) {
    const PublicCall entry("hash_each");
    runtime::require_blake3(mode);
    require_outputs(messages.size(), out.size(), length);
    require_apart(messages, out);
    runtime::hash_each(messages, out, {length, seek, mode}, options);
}

std::vector<Digest> hash_each(std::span<const MessageView> messages, const Mode& mode, const RunOptions& options) {
    std::vector<Digest> digests(messages.size());
    hash_each(messages, std::as_writable_bytes(std::span(digests)), Digest::size, 0, mode, options);
    return digests;
}

void hash_message_each(std::span<const MessageView> messages, std::span<std::byte> out, std::size_t length,
                       const MessageForm& form, const RunOptions& options) {
    const PublicCall entry("hash_message_each");
    runtime::require_message(form, length);
    require_outputs(messages.size(), out.size(), length);
    require_apart(messages, out);
    const RunOptions alone = runtime::by_one_thread(options);
    runtime::Run run(options);
    run.parallel(messages.size(), [&](std::size_t i) {
        const ConstBuffer* buffer = messages[i].buffer();
        const std::span<std::byte> to = out.subspan(length * i, length);
        if (buffer != nullptr)
            hash_message(*buffer, to, form, alone);
        else
            hash_message(messages[i].host(), to, form, alone);
    });
}

std::vector<Digest> hash_message_each(std::span<const MessageView> messages, const MessageForm& form,
                                      const RunOptions& options) {
    std::vector<Digest> digests(messages.size());
    hash_message_each(messages, std::as_writable_bytes(std::span(digests)), Digest::size, form, options);
    return digests;
}

}  // namespace merklize::inline v0

// Digests of messages of any lengths, each where it lies: one job for each place.
#include "digests/hash_each.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>
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

using Group = runtime::MessageGroups::Group;

// Hashes the messages of a group on a device and puts their outputs where they belong.
void hash_group(Group& group, const Output& wanted, std::span<std::byte> out, const RunOptions& options) {
    runtime::Run run(options);
    std::vector<runtime::Extent>& messages = group.messages;
    const auto output = [&](std::size_t i) { return out.subspan(wanted.length * group.indices[i], wanted.length); };
    const auto is_long = [](const runtime::Extent& message) {
        return message.bytes > runtime::HashEach::longest_staged;
    };
    double share = 1;
    // Long messages on the host go to a device one by one.
    if (!group.device && !run.on_host() && std::ranges::any_of(messages, is_long)) {
        group.number();
        double all_bytes = 1;
        for (const runtime::Extent& message : messages) all_bytes += static_cast<double>(message.bytes);
        std::size_t kept = 0;
        for (std::size_t i = 0; i < messages.size(); i++) {
            const auto& [place, bytes] = messages[i];
            if (is_long(messages[i])) {
                const double its = static_cast<double>(bytes) / all_bytes;
                runtime::root_of(place, bytes, wanted.mode, run, its).expand(output(i), wanted.seek, run);
                share -= its;
            } else {
                messages[kept] = messages[i];
                group.indices[kept++] = group.indices[i];
            }
        }
        messages.resize(kept);
    }
    if (group.indices.empty()) return runtime::hash_messages(messages, wanted, out.data(), run, share);
    std::vector<std::byte> outputs(messages.size() * wanted.length);
    runtime::hash_messages(messages, wanted, outputs.data(), run, share);
    for (std::size_t i = 0; i < messages.size(); i++)
        std::ranges::copy(std::span(outputs).subspan(wanted.length * i, wanted.length), output(i).data());
}

// The device that hashes messages on the host, chosen by their bytes.
Device device_for_host(std::span<const runtime::Extent> messages, const RunOptions& options) {
    std::uint64_t bytes = 0;
    const void* first = nullptr;  // the first message with bytes stands for all
    for (const runtime::Extent& message : messages) {
        if (bytes == 0) first = message.place.pointer;
        bytes += message.bytes;
    }
    return runtime::chosen(options, Job::digest, Hash::blake3, bytes, first).device;
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

void require_outputs(std::size_t n, std::size_t bytes, std::size_t length) {
    if (length != 0 ? bytes / length == n && bytes % length == 0 : bytes == 0) return;
    invalid_call("out", "must have " + std::to_string(length) + " bytes for each of " + std::to_string(n) +
                            " messages, got " + std::to_string(bytes) + " bytes");
}

void MessageGroups::Group::number() {
    if (!indices.empty()) return;
    indices.resize(messages.size());
    std::iota(indices.begin(), indices.end(), std::size_t{0});
}

void MessageGroups::add(std::span<const std::byte> host) {
    next(nullptr).messages.push_back({host_place(host.data()), host.size()});
}

void MessageGroups::add(const ConstBuffer& in, std::uint64_t first, std::uint64_t bytes) {
    next(&in.device()).messages.push_back({{place_of(in).pointer, first, true}, bytes});
}

MessageGroups::Group& MessageGroups::next(const Device* device) {
    const auto is_its = [&](const Group& group) {
        return device == nullptr ? !group.device : group.device && *group.device == *device;
    };
    if (last_ == groups_.size() || !is_its(groups_[last_])) {
        last_ = static_cast<std::size_t>(std::ranges::find_if(groups_, is_its) - groups_.begin());
        if (last_ == groups_.size()) {
            if (!groups_.empty()) groups_[0].number();
            groups_.push_back({device != nullptr ? std::optional(*device) : std::nullopt, std::exchange(room_, {})});
            groups_.back().messages.reserve(n_ - added_);
        }
    }
    Group& group = groups_[last_];
    if (groups_.size() > 1) group.indices.push_back(added_);
    added_++;
    return group;
}

void MessageGroups::take_out_first(std::size_t n) {
    Group& group = groups_[0];
    group.messages.erase(group.messages.begin(), group.messages.begin() + static_cast<std::ptrdiff_t>(n));
    group.indices.erase(group.indices.begin(), group.indices.begin() + static_cast<std::ptrdiff_t>(n));
}

DigestsAhead::DigestsAhead(const RunOptions& options, std::size_t n)
    : options_(options), run_(options_), digests_(run_.on_device().scratch(Digest::size * n)) {}

void DigestsAhead::add(std::span<const Extent> messages) {
    run_.launch(HashEach{.messages = messages, .out = moved(digests_.place(), Digest::size * n_)}, 0);
    n_ += messages.size();
}

void DigestsAhead::finish(std::byte* out) { run_.on_device().download(out, digests_.place(), Digest::size * n_); }

void hash_each(std::span<const MessageView> messages, std::span<std::byte> out, const Output& wanted,
               const RunOptions& options) {
    MessageGroups groups(messages.size());
    for (const MessageView& message : messages) {
        if (const ConstBuffer* buffer = message.buffer(); buffer != nullptr)
            groups.add(*buffer);
        else
            groups.add(message.host());
    }
    hash_each(groups, out, wanted, options);
}

void hash_each(MessageGroups& messages, std::span<std::byte> out, const Output& wanted, const RunOptions& options) {
    std::vector<Group>& groups = messages.groups();
    if (groups.empty() || wanted.length == 0) return;
    std::vector<Device> devices;
    for (const Group& group : groups) {
        devices.push_back(group.device ? *group.device : device_for_host(group.messages, options));
        if (groups.size() > 1 && options.stream && group.device && options.stream->device() != *group.device)
            require_no_stream(options);
    }
    // A stream belongs to one device. If messages lie there, those on the host do without the stream.
    const auto hash_on = [&](std::size_t i, RunOptions here) {
        here.device = devices[i];
        here.stream = options.stream;
        if (groups.size() > 1 && options.stream && options.stream->device() != devices[i]) here.stream = {};
        hash_group(groups[i], wanted, out, here);
    };
    if (groups.size() == 1) return hash_on(0, options);
    if (options.timings != nullptr) *options.timings = Timings{};
    Progress progress(options.progress);
    progress.end(side_by_side(devices, options, options.threads == 0 ? default_threads() : options.threads, hash_on,
                              progress.begin(1)));
}

}  // namespace merklize::runtime

namespace merklize::inline v0 {

void hash_each(std::span<const MessageView> messages, std::span<std::byte> out, std::size_t length, std::uint64_t seek,
               const Mode& mode, const RunOptions& options) {
    const PublicCall entry("hash_each");
    runtime::require_blake3(mode);
    runtime::require_outputs(messages.size(), out.size(), length);
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
    runtime::require_outputs(messages.size(), out.size(), length);
    require_apart(messages, out);
    runtime::Run run(options);
    run.parallel_calls(messages.size(), [&](std::size_t i, const RunOptions& alone) {
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

// The root of leaves in the memories of several devices. Each device reduces its own part; the host merges their roots.
#include <bit>
#include <string>
#include <utility>
#include <vector>

#include "jobs/side_by_side.hpp"
#include "merklize/async.hpp"
#include "merklize/error.hpp"
#include "merklize/tree.hpp"

namespace merklize::inline v0 {
namespace {

[[noreturn]] void invalid(const std::string& text) { throw Error(ErrorCode::invalid_argument, text); }

// One thread gives each device all its launches, and then waits. A thread a device takes as long to wake as a small part takes.
std::vector<Digest> enqueued_roots(std::span<const ConstBuffer> leaves, const TreeForm& form, const Policy& policy) {
    struct Part {
        Stream stream;
        Buffer root;
        Event done;
    };
    std::vector<Part> parts;
    for (const ConstBuffer& part : leaves) {
        Stream stream(part.device());
        Buffer root(part.device(), Digest::size);
        Event done = merkle_root(stream, {.leaves = part, .out = root, .form = form, .policy = policy});
        parts.push_back({std::move(stream), std::move(root), std::move(done)});
    }
    std::vector<Digest> roots(leaves.size());
    for (std::size_t k = 0; k < parts.size(); k++) {
        parts[k].done.wait();
        parts[k].root.copy_to(std::as_writable_bytes(std::span(roots).subspan(k, 1)));
    }
    return roots;
}

}  // namespace

Digest merkle_root_parts(std::span<const ConstBuffer> leaves, const TreeForm& form, const RunOptions& options) {
    runtime::require_no_stream("merkle_root_parts", options);
    if (!std::has_single_bit(leaves.size()))
        invalid("merkle_root_parts: the count of parts must be a power of two, got " + std::to_string(leaves.size()));
    if (!std::has_single_bit(leaves[0].size() / Digest::size) || leaves[0].size() % Digest::size != 0) {
        invalid("merkle_root_parts: the count of 32-byte leaves in a part must be a power of two, got " +
                std::to_string(leaves[0].size()) + " bytes");
    }
    for (std::size_t k = 0; k < leaves.size(); k++) {
        if (leaves[k].size() == leaves[0].size()) continue;
        invalid("merkle_root_parts: parts must have equal counts of leaves; part 0 has " +
                std::to_string(leaves[0].size()) + " bytes, part " + std::to_string(k) + " has " +
                std::to_string(leaves[k].size()));
    }
    if (!options.progress && options.timings == nullptr)
        return merkle_root(enqueued_roots(leaves, form, options.policy), form, runtime::on_the_cpu(options));
    std::vector<Digest> roots(leaves.size());
    runtime::on_their_devices(
        leaves, options, [&](std::size_t k, const RunOptions& here) { roots[k] = merkle_root(leaves[k], form, here); });
    return merkle_root(roots, form, runtime::on_the_cpu(options));
}

}  // namespace merklize::inline v0

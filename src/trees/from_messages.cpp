// Trees over messages of any lengths.
#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "digests/hash_each.hpp"
#include "hashes/hash_info.hpp"
#include "host/invalid.hpp"
#include "jobs/progress.hpp"
#include "merklize/hash_each.hpp"
#include "trees/tree_state.hpp"

namespace merklize::inline v0 {

using runtime::part_of;

namespace {

constexpr double hashing = 0.75;           // the share of hashing messages in the whole work; only progress needs it
constexpr std::uint64_t batch = 64 << 20;  // bytes of messages that are copied at once

// Leaves by a hash of rows of one length: the messages of each length are rows of a matrix.
void hash_by_length(std::span<const MessageView> messages, const TreeForm& form, std::span<Digest> leaves,
                    const RunOptions& options) {
    std::vector<std::size_t> order(messages.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return messages[i].size(); });
    std::vector<std::byte> rows;
    std::vector<Digest> digests;
    for (std::size_t first = 0; first < order.size();) {
        const std::uint64_t length = messages[order[first]].size();
        const auto most =
            static_cast<std::size_t>(length == 0 ? UINT64_MAX : std::max<std::uint64_t>(1, batch / length));
        std::size_t count = 1;
        while (first + count < order.size() && count < most && messages[order[first + count]].size() == length) count++;
        rows.resize(count * length);
        digests.resize(count);
        for (std::size_t k = 0; k < count; k++) {
            const MessageView& message = messages[order[first + k]];
            const std::span row = std::span(rows).subspan(k * length, length);
            if (const ConstBuffer* buffer = message.buffer())
                buffer->copy_to(row);
            else
                std::ranges::copy(message.host(), row.begin());
        }
        const double n = static_cast<double>(order.size());
        Timings times;
        const RunOptions part = part_of(options, static_cast<double>(first) / n, static_cast<double>(count) / n,
                                        options.timings == nullptr ? nullptr : &times);
        merklize::hash_leaves(rows, length, digests, form.hash, form.mode, part);
        if (options.timings != nullptr) runtime::add(*options.timings, times);
        for (std::size_t k = 0; k < count; k++) leaves[order[first + k]] = digests[k];
        first += count;
    }
}

}  // namespace

MerkleTree MerkleTree::from_messages(std::span<const MessageView> messages, const TreeForm& form,
                                     const RunOptions& options) {
    const PublicCall entry("from_messages");
    runtime::Merges(form).require_count(messages.size(), "messages");
    Timings of_leaves{.available = true};
    const RunOptions first = part_of(options, 0, hashing, options.timings == nullptr ? nullptr : &of_leaves);
    std::vector<Digest> leaves(messages.size());
    if (runtime::info(form.hash).has_chunk_tree)
        runtime::hash_each(messages, std::as_writable_bytes(std::span(leaves)), {Digest::size, 0, form.mode}, first);
    else
        hash_by_length(messages, form, leaves, first);
    MerkleTree tree(leaves, form, part_of(options, hashing, 1 - hashing, options.timings));
    if (options.timings != nullptr) runtime::add(*options.timings, of_leaves);
    return tree;
}

}  // namespace merklize::inline v0

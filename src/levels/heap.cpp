#include "levels/heap.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "hashes/field.hpp"
#include "host/invalid.hpp"

namespace merklize::runtime {

void gather_nodes(const Place& nodes, std::span<const std::uint64_t> slots, Digest* out, Run& run) {
    if (nodes.on_device) return run.on_device().gather_nodes(nodes, slots, out);
    const std::byte* from = host_bytes(nodes);
    // Without a prefetch, each access to a distant node would wait for memory.
    constexpr std::size_t per_piece = 8192, ahead = 16;
    const auto piece = [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; i++) {
            if (i + ahead < last) __builtin_prefetch(from + Digest::size * slots[i + ahead]);
            std::memcpy(out + i, from + Digest::size * slots[i], Digest::size);
        }
    };
    if (slots.size() <= per_piece) return piece(0, slots.size());
    run.parallel((slots.size() + per_piece - 1) / per_piece,
                 [&](std::size_t i) { piece(i * per_piece, std::min((i + 1) * per_piece, slots.size())); }, 0);
}

void scatter_nodes(const Place& nodes, std::span<const std::uint64_t> slots, const Digest* values, Run& run) {
    if (nodes.on_device) return run.on_device().scatter_nodes(nodes, slots, values);
    std::byte* to = host_bytes(nodes);
    for (std::size_t i = 0; i < slots.size(); i++) std::memcpy(to + Digest::size * slots[i], values + i, Digest::size);
}

void copy_nodes(const Place& to, const Place& from, std::uint64_t n, Run& run) {
    constexpr std::uint64_t few = 4096;  // more are copied faster through pinned memory
    const std::uint64_t bytes = Digest::size * n;
    if (to.on_device && from.on_device) return run.on_device().copy_on_device(to, from, bytes);
    if (to.on_device) {
        const void* host = host_bytes(from);
        return n <= few ? run.on_device().copy_to_device(to, host, bytes) : run.on_device().upload(to, host, bytes);
    }
    std::byte* host = host_bytes(to);
    if (from.on_device) return run.on_device().download(host, from, bytes);
    constexpr std::uint64_t per_piece = 1 << 20;
    run.parallel((bytes + per_piece - 1) / per_piece,
                 [&](std::size_t piece) {
                     const std::uint64_t first = piece * per_piece;
                     std::memcpy(host + first, host_bytes(from) + first, std::min(per_piece, bytes - first));
                 },
                 0);
}

void clear_gaps(const Place& nodes, const TreeLayout& layout, Run& run) {
    // On a device the first gap is cleared. The other gaps, at most half as large, are copied from it.
    const auto clear = [&](std::uint64_t first, std::uint64_t count, const std::optional<Place>& source) {
        if (!nodes.on_device) {
            std::memset(host_bytes(at_node(nodes, first)), 0, Digest::size * count);
        } else if (source) {
            run.on_device().copy_on_device(at_node(nodes, first), *source, Digest::size * count);
        } else {
            run.on_device().clear_nodes(at_node(nodes, first), count);
        }
    };
    clear(0, 1, {});
    std::optional<Place> source;
    std::uint64_t source_count = 0;
    for (unsigned level = 1; level <= layout.height(); level++) {
        const std::uint64_t count = layout.gap(level);
        if (count == 0) continue;
        const std::uint64_t first = layout.level_offset(level) + layout.level_size(level);
        clear(first, count, count <= source_count ? source : std::nullopt);
        if (source_count == 0) {
            source = at_node(nodes, first);
            source_count = count;
        }
    }
}

void require_leaves(const Place& leaves, std::uint64_t n, const Merges& merges, const char* argument, Run& run) {
    const mkz_hash_info& hash = merges.info();
    if (!is_field(hash)) return;
    const unsigned words = node_words(hash);
    if (leaves.on_device) return run.on_device().require_canonical(hash, leaves, words * n, argument);
    constexpr std::uint64_t per_piece = 1 << 14;
    run.parallel((n + per_piece - 1) / per_piece,
                 [&](std::size_t piece) {
                     const std::uint64_t first = piece * per_piece;
                     require_canonical(hash, host_bytes(at_node(leaves, first)), words * std::min(per_piece, n - first),
                                       argument, words * first);
                 },
                 0);
}

std::uint64_t digests_in(const ConstBuffer& buffer, const char* argument) {
    if (buffer.size() % Digest::size != 0) {
        invalid_call(std::string(argument) + ": digests must be a multiple of 32 bytes, got " +
                     std::to_string(buffer.size()) + " bytes");
    }
    return buffer.size() / Digest::size;
}

}  // namespace merklize::runtime

// The launches of backend.h as kernels of core/entry.h: which entry point, which variant, how many groups.
#include <algorithm>
#include <bit>
#include <cstring>

#include "merklize/core/hashes/blake3.h"
#include "merklize/hash.hpp"
#include "queue/enqueue.hpp"
#include "tuning/tuned_policies.hpp"

namespace merklize::runtime {
namespace {

std::uint32_t log2_of(std::uint64_t power) { return static_cast<std::uint32_t>(std::bit_width(power) - 1); }

}  // namespace

mkz_policy Session::wanted_for(mkz_kernel kernel, std::uint32_t hash, std::uint64_t n, const mkz_policy& given) const {
    return tuned_policy(device_->backend(), device_->index(), kernel, hash, n, given);
}

mkz_policy Session::filled(mkz_kernel kernel, std::uint32_t hash, std::uint64_t n, mkz_policy wanted) const {
    device_->backend().tune(device_->index(), kernel, hash, n, threads_, &wanted);
    return wanted;
}

bool Session::launch(mkz_kernel kernel, const void* arguments, const Tick& tick) {
    switch (kernel) {
        case MKZ_KERNEL_HASH_CHUNKS: return hash_chunks(*static_cast<const mkz_hash_chunks*>(arguments), tick);
        case MKZ_KERNEL_HASH_ROWS: return hash_rows(*static_cast<const mkz_hash_rows*>(arguments), tick);
        case MKZ_KERNEL_HASH_ELEMENTS: return hash_elements(*static_cast<const mkz_hash_elements*>(arguments), tick);
        case MKZ_KERNEL_MERGE_PAIRS: return merge_pairs(*static_cast<const mkz_merge_pairs*>(arguments), tick);
        case MKZ_KERNEL_MERGE_SUBTREES: return merge_subtrees(*static_cast<const mkz_merge_subtrees*>(arguments), tick);
        case MKZ_KERNEL_MERGE_AT: return merge_at(*static_cast<const mkz_merge_at*>(arguments), tick);
        case MKZ_KERNEL_HASH_PARENTS:
        case MKZ_KERNEL_EXPAND: break;
    }
    throw Error(ErrorCode::internal,
                "launch " + std::to_string(kernel) + " is the host's, not " + device_->id() + "'s");
}

// ---- Digests -----------------------------------------------------------------------------------------------------------

void Session::values_above(Range in, std::uint64_t count, std::uint32_t levels, const std::uint32_t (&key)[8],
                           std::uint32_t flags, const Range& out) {
    const Kernel parents = kernel({.hash = MKZ_HASH_blake3, .group_size = 256}, bodies::hash_parents, true);
    const std::uint32_t most_levels = log2_of(2 * parents.group_size);
    while (levels > 0) {
        const std::uint32_t now = std::min(levels, most_levels);
        const std::uint64_t above = divide_up(count, std::uint64_t{1} << now);
        const Range to = now == levels ? out : Range{scratch(32 * above)->memory(), 0};
        enqueue(parents, divide_up(divide_up(count, 2), parents.group_size), in.memory, in.offset / 32, to.memory,
                to.offset / 32, count, std::uint64_t{1}, key_of(key), flags, now);
        in = to;
        count = above;
        levels -= now;
    }
}

bool Session::hash_chunks(const mkz_hash_chunks& a, const Tick& tick) {
    const std::uint64_t chunks = divide_up(a.bytes, MKZ_BLAKE3_CHUNK_LEN);
    const mkz_policy policy = tuned(MKZ_KERNEL_HASH_CHUNKS, MKZ_HASH_blake3, chunks, a.policy);
    // Staged and wrapped host memory begins on 16 bytes; device memory begins where the caller says.
    const bool is_even = !a.data.on_device || is_aligned({static_cast<mkz_memory*>(a.data.pointer), a.data.offset}, 16);
    Variant variant = variant_of(MKZ_HASH_blake3, policy);
    variant.align = is_even ? 16 : 1;
    const Kernel hash = kernel(variant, bodies::hash_chunks, a.policy.group_size == 0);
    // Groups merge what they hashed in local memory, which has room for 1024 values; larger ones leave that to hash_parents.
    constexpr std::uint64_t most_in_group = 1024;
    const std::uint64_t group_chunks = std::uint64_t{policy.lanes} * hash.group_size;
    const std::uint32_t in_group =
        group_chunks > most_in_group ? 0 : std::min({a.levels, log2_of(group_chunks), policy.levels_per_launch});
    const std::uint64_t subtree_bytes = std::uint64_t{MKZ_BLAKE3_CHUNK_LEN} << in_group;
    const std::uint64_t n = divide_up(a.bytes, subtree_bytes), n_out = divide_up(chunks, std::uint64_t{1} << a.levels);
    const auto values = scratch(32 * n);
    const std::vector<Operand> operands = {{a.data, subtree_bytes, a.bytes}, {values->at(0), 32, 32 * n}};
    const bool finished = in_pieces(
        n, operands, n,
        [&](std::uint64_t first, std::uint64_t count, const std::vector<Range>& at) {
            const std::uint64_t start = first * subtree_bytes;
            const std::uint64_t bytes = std::min(count * subtree_bytes, a.bytes - start);
            enqueue(hash,
                    divide_up(divide_up(bytes, MKZ_BLAKE3_CHUNK_LEN), std::uint64_t{policy.lanes} * hash.group_size),
                    at[0].memory, at[0].offset, bytes, std::uint64_t{1}, at[1].memory, at[1].offset / 32, key_of(a.key),
                    a.flags, a.counter + start / MKZ_BLAKE3_CHUNK_LEN, in_group);
        },
        tick);
    if (!finished) return false;
    std::shared_ptr<Block> top = values;
    if (in_group < a.levels) {
        top = scratch(32 * n_out);
        values_above({values->memory(), 0}, n, a.levels - in_group, a.key, a.flags, {top->memory(), 0});
    }
    if (a.out.on_device) {
        copy_on_device(a.out, top->at(0), 32 * n_out);
    } else {
        copy_to_host(static_cast<std::byte*>(a.out.pointer) + a.out.offset, top->at(0), 32 * n_out);
        finish();
    }
    return true;
}

bool Session::hash_rows(const mkz_hash_rows& a, const Tick& tick) {
    if (!mkz_find_hash(a.hash)->has_chunk_tree)
        return rows_by_items(MKZ_KERNEL_HASH_ROWS, a.hash, a.rows, a.n, a.bytes, 1, a.out, a.policy, tick);
    const std::uint64_t chunks = std::max<std::uint64_t>(1, divide_up(a.bytes, MKZ_BLAKE3_CHUNK_LEN));
    const mkz_policy policy = tuned(MKZ_KERNEL_HASH_ROWS, MKZ_HASH_blake3, a.n * chunks, a.policy);
    // The values of long rows wait in two blocks in turn, until each row has one.
    constexpr std::uint64_t most_values = (std::uint64_t{256} << 20) / 32;
    const std::uint64_t per_piece = chunks == 1 ? a.n : std::clamp<std::uint64_t>(most_values / chunks, 1, a.n);
    std::shared_ptr<Block> values, above;
    if (chunks > 1) {
        values = scratch(32 * per_piece * chunks);
        above = scratch(32 * per_piece * divide_up(chunks, 2));
    }
    const Kernel parents =
        chunks == 1 ? Kernel{} : kernel({.hash = MKZ_HASH_blake3, .group_size = 256}, bodies::hash_parents, true);
    return in_pieces(
        a.n, {{a.rows, a.bytes, a.n * a.bytes}, {a.out, 32, 32 * a.n}}, per_piece,
        [&](std::uint64_t, std::uint64_t count, const std::vector<Range>& at) {
            const bool is_even = a.bytes % 16 == 0 && is_aligned(at[0], 16);
            // An empty row has no memory; any block will do, since nothing of it is read.
            const Range data = at[0].memory != nullptr ? at[0] : Range{at[1].memory, 0};
            Variant variant = variant_of(MKZ_HASH_blake3, policy);
            variant.align = is_even && is_aligned(at[1], 16) ? 16u : 1u;
            const Kernel hash = kernel(variant, bodies::hash_chunks, a.policy.group_size == 0);
            const Range out = aligned_out(at[1], 32 * count);
            enqueue(hash, divide_up(count * chunks, std::uint64_t{policy.lanes} * hash.group_size), data.memory,
                    data.offset, a.bytes, count, chunks == 1 ? out.memory : values->memory(),
                    chunks == 1 ? out.offset / 32 : std::uint64_t{0}, key_of(a.key),
                    chunks == 1 ? a.flags | MKZ_BLAKE3_ROOT : a.flags, std::uint64_t{0}, std::uint32_t{0});
            Range from{values ? values->memory() : nullptr, 0}, to{above ? above->memory() : nullptr, 0};
            for (std::uint64_t c = chunks; c > 1; c = divide_up(c, 2)) {
                if (c == 2) to = out;
                enqueue(parents, divide_up(count * divide_up(c, 2), parents.group_size), from.memory, from.offset / 32,
                        to.memory, to.offset / 32, c, count, key_of(a.key),
                        c == 2 ? a.flags | MKZ_BLAKE3_ROOT : a.flags, std::uint32_t{1});
                std::swap(from, to);
            }
            return_out(at[1], out, 32 * count);
        },
        tick);
}

// ---- Batches of rows and merges ---------------------------------------------------------------------------------

bool Session::hash_elements(const mkz_hash_elements& a, const Tick& tick) {
    return rows_by_items(MKZ_KERNEL_HASH_ELEMENTS, a.hash, a.rows, a.n, a.elements,
                         mkz_find_hash(a.hash)->row_unit_bytes, a.out, a.policy, tick);
}

// Rows of `length` units of so many bytes, an item each.
bool Session::rows_by_items(mkz_kernel job, std::uint32_t hash, const mkz_place& rows, std::uint64_t n,
                            std::uint64_t length, std::uint64_t unit, const mkz_place& digests,
                            const mkz_policy& wanted, const Tick& tick) {
    if (length > UINT32_MAX) {
        throw Error(ErrorCode::invalid_argument, std::string(unit == 1 ? "leaves" : "hash_elements") +
                                                     ": rows of at most " + std::to_string(UINT32_MAX) +
                                                     (unit == 1 ? " bytes on " : " elements on ") + device_->id() +
                                                     ", got " + std::to_string(length));
    }
    const mkz_policy policy = tuned(job, hash, n, wanted);
    mkz_memory* constants = device_->constants(hash);
    const std::uint64_t row_bytes = unit * length;
    return in_pieces(
        n, {{rows, row_bytes, n * row_bytes}, {digests, 32, 32 * n}}, n,
        [&](std::uint64_t, std::uint64_t count, const std::vector<Range>& at) {
            Variant variant = variant_of(hash, policy);
            // Words are brought where they can be read; bytes are read where they are.
            if (unit == 1 && (row_bytes % 16 != 0 || !is_aligned(at[0], 16))) variant.align = 1;
            const Kernel kernel = this->kernel(variant, bodies::hash_rows, wanted.group_size == 0);
            const Range out = aligned_out(at[1], 32 * count);
            const Range in =
                at[0].memory == nullptr ? Range{out.memory, 0} : aligned_to(at[0], unit, count * row_bytes);
            enqueue(kernel, divide_up(count, std::uint64_t{policy.lanes} * kernel.group_size), in.memory,
                    in.offset / unit, length, std::uint64_t{1}, static_cast<std::uint32_t>(length), out.memory,
                    out.offset / 32, count, constants);
            return_out(at[1], out, 32 * count);
        },
        tick);
}

bool Session::merge_pairs(const mkz_merge_pairs& a, const Tick& tick) {
    const mkz_policy policy = tuned(MKZ_KERNEL_MERGE_PAIRS, a.hash, a.n, a.policy);
    const Kernel merge = kernel(merge_variant(a, policy), bodies::merge_pairs, a.policy.group_size == 0);
    mkz_memory* constants = device_->constants(a.hash);
    const std::uint64_t bytes = 32 * a.n;
    return in_pieces(
        a.n, {{a.left, 32, bytes}, {a.right, 32, bytes}, {a.out, 32, bytes}}, a.n,
        [&](std::uint64_t, std::uint64_t count, const std::vector<Range>& at) {
            const Range left = aligned_to(at[0], 32, 32 * count), right = aligned_to(at[1], 32, 32 * count);
            const Range out = aligned_out(at[2], 32 * count);
            enqueue_merges(a.key, merge, divide_up(count, std::uint64_t{policy.lanes} * merge.group_size), left.memory,
                           left.offset / 32, right.memory, right.offset / 32, out.memory, out.offset / 32, count,
                           constants);
            return_out(at[2], out, 32 * count);
        },
        tick);
}

}  // namespace merklize::runtime

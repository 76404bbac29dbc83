// Values of chunks, and of subtrees of chunks.
#include "queue/launches/chunks.hpp"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "merklize/core/hashes/blake3.h"
#include "queue/launches/parents.hpp"

namespace merklize::runtime {

std::uint32_t ChunksKernel::levels_in_group(std::uint32_t levels, const mkz_policy& policy) const {
    // Groups merge in local memory, which has room for 1024 values. Larger groups leave the merging to hash_parents.
    constexpr std::uint64_t most_in_group = 1024;
    if (group_chunks > most_in_group) return 0;
    const auto whole = static_cast<std::uint32_t>(std::bit_width(group_chunks) - 1);
    return std::min({levels, whole, policy.levels_per_launch});
}

ChunksKernel chunks_kernel(DeviceCall& call, Hash hash, const mkz_policy& policy, bool is_even) {
    Variant variant = variant_of(info(hash).id, policy);
    variant.align = is_even ? 16 : 1;
    const Kernel kernel = call.kernel(variant, bodies::hash_chunks);
    return {kernel, std::uint64_t{policy.lanes} * kernel.group_size};
}

void launch_chunks(DeviceCall& call, const ChunksKernel& hash, const Mode& mode, const ChunkRows& a) {
    call.enqueue(hash.kernel, divide_up(a.rows * chunks_of(a.bytes), hash.group_chunks),
                 {a.in.memory, a.in.offset, a.bytes, a.rows, a.out.memory, a.out.offset / 32, key_words(mode),
                  mode.flags() | a.root, a.first_chunk, a.levels});
}

bool DeviceCall::launch(const HashChunks& a, const Tick& tick) {
    const std::uint64_t chunks = divide_up(a.bytes, MKZ_BLAKE3_CHUNK_LEN);
    const mkz_policy policy = chosen(MKZ_KERNEL_HASH_CHUNKS, a.hash, chunks);
    // Staged and wrapped host memory is aligned to 16 bytes; device memory begins where the caller says.
    const bool is_even = !a.data.on_device || is_aligned(range_of(a.data), 16);
    const ChunksKernel hash = chunks_kernel(*this, a.hash, policy, is_even);
    const std::uint32_t in_group = hash.levels_in_group(a.levels, policy);
    const std::uint64_t subtree_bytes = std::uint64_t{MKZ_BLAKE3_CHUNK_LEN} << in_group;
    const std::uint64_t n = divide_up(a.bytes, subtree_bytes), n_out = divide_up(chunks, std::uint64_t{1} << a.levels);
    const bool is_straight = a.out.on_device && is_aligned(range_of(a.out), 32);
    const auto room = [&](bool is_last, std::uint64_t count) {
        return is_last && is_straight ? Lease(a.out) : scratch(32 * count);
    };
    Lease top = room(in_group == a.levels, n);
    const std::vector<Staging::Operand> operands = {{a.data, subtree_bytes, a.bytes}, {top.place(), 32, 32 * n}};
    const bool finished = batch(
        n, operands, n,
        [&](std::uint64_t first, std::uint64_t count, const std::vector<Range>& at) {
            const std::uint64_t start = first * subtree_bytes;
            launch_chunks(*this, hash, a.mode,
                          {.in = at[0],
                           .out = at[1],
                           .bytes = std::min(count * subtree_bytes, a.bytes - start),
                           .first_chunk = a.first_chunk + start / MKZ_BLAKE3_CHUNK_LEN,
                           .levels = in_group});
        },
        tick);
    if (!finished) return false;
    if (in_group < a.levels) {
        Lease to = room(true, n_out);
        merge_values(*this, a.hash, range_of(top), n, a.levels - in_group, a.mode, 0, range_of(to));
        top = std::move(to);
    }
    if (a.out.on_device) {
        return_out(range_of(a.out), range_of(top), 32 * n_out);
    } else {
        download(host_bytes(a.out), top.place(), 32 * n_out);
    }
    return true;
}

}  // namespace merklize::runtime

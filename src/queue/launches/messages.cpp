// Rows of a hash with a tree of chunks: one long message, or many messages of equal length.
#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "merklize/core/hashes/blake3.h"
#include "queue/launches/chunks.hpp"
#include "queue/launches/parents.hpp"
#include "queue/launches/rows.hpp"

namespace merklize::runtime {
namespace {

// One message of several chunks on the device: each group merges the chunks that it hashed; further launches merge the
// rest to the digest.
void hash_message(DeviceCall& call, const HashRows& a) {
    const std::uint64_t chunks = chunks_of(a.length);
    const auto levels = static_cast<std::uint32_t>(std::bit_width(chunks - 1));
    const mkz_policy policy = call.chosen(MKZ_KERNEL_HASH_CHUNKS, a.hash, chunks);
    const bool is_even = call.is_aligned(range_of(a.rows), 16);
    const ChunksKernel hash = chunks_kernel(call, a.hash, policy, is_even);
    const std::uint32_t in_group = hash.levels_in_group(levels, policy);
    const std::uint64_t n = divide_up(chunks, std::uint64_t{1} << in_group);
    const Lease to = call.aligned_out(range_of(a.out), Digest::size);
    const Lease chunk_values = n == 1 ? Lease(to.place()) : call.scratch(Digest::size * n);
    const Range out = range_of(to), values = range_of(chunk_values);
    launch_chunks(call, hash, a.mode,
                  {.in = range_of(a.rows),
                   .out = values,
                   .bytes = a.length,
                   .levels = in_group,
                   .root = n == 1 ? MKZ_BLAKE3_ROOT : 0u});
    if (n > 1) merge_values(call, a.hash, values, n, levels - in_group, a.mode, MKZ_BLAKE3_ROOT, out);
    call.return_out(range_of(a.out), out, Digest::size);
}

// The values of long rows ping-pong between two blocks until each row has one value.
bool hash_pieces(DeviceCall& call, const HashRows& a, const Tick& tick) {
    const std::uint64_t chunks = chunks_of(a.length);
    const mkz_policy policy = call.chosen(MKZ_KERNEL_HASH_ROWS, a.hash, a.n * chunks);
    constexpr std::uint64_t most_values = (std::uint64_t{256} << 20) / 32;
    const std::uint64_t per_piece = chunks == 1 ? a.n : std::clamp<std::uint64_t>(most_values / chunks, 1, a.n);
    Lease values, above;
    if (chunks > 1) {
        values = call.scratch(32 * per_piece * chunks);
        above = call.scratch(32 * per_piece * divide_up(chunks, 2));
    }
    const Kernel parents = chunks == 1 ? Kernel{} : parents_kernel(call, a.hash);
    return call.batch(
        a.n, {{a.rows, a.length, a.n * a.length}, {a.out, 32, 32 * a.n}}, per_piece,
        [&](std::uint64_t, std::uint64_t count, const std::vector<Range>& at) {
            const bool is_even = a.length % 16 == 0 && call.is_aligned(at[0], 16) && call.is_aligned(at[1], 16);
            const ChunksKernel hash = chunks_kernel(call, a.hash, policy, is_even);
            const Lease digests = call.aligned_out(at[1], 32 * count);
            const Range out = range_of(digests);
            Range from = chunks == 1 ? out : range_of(values);
            // An empty row has no memory. Any block will do, because the kernel reads nothing of it.
            launch_chunks(call, hash, a.mode,
                          {.in = at[0].memory != nullptr ? at[0] : Range{at[1].memory, 0},
                           .out = from,
                           .bytes = a.length,
                           .rows = count,
                           .root = chunks == 1 ? MKZ_BLAKE3_ROOT : 0u});
            Range to = chunks == 1 ? out : range_of(above);
            for (std::uint64_t c = chunks; c > 1; c = divide_up(c, 2)) {
                if (c == 2) to = out;
                launch_parents(
                    call, parents, a.mode,
                    {.in = from, .out = to, .count = c, .rows = count, .root = c == 2 ? MKZ_BLAKE3_ROOT : 0u});
                std::swap(from, to);
            }
            call.return_out(at[1], out, 32 * count);
        },
        tick);
}

}  // namespace

bool hash_message_rows(DeviceCall& call, const HashRows& a, const Tick& tick) {
    if (a.n != 1 || a.length <= MKZ_BLAKE3_CHUNK_LEN || !a.rows.on_device || !a.out.on_device)
        return hash_pieces(call, a, tick);
    hash_message(call, a);
    return !tick || tick(1);
}

}  // namespace merklize::runtime

#include "queue/launches.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "host/threads.hpp"
#include "jobs/matrix_rows.hpp"
#include "merklize/core/hashes/blake3.h"
#include "merklize/error.hpp"

namespace merklize::runtime {
namespace {

// Groups merge what they hashed in local memory, which has room for 1024 values; larger ones leave that to hash_parents.
constexpr std::uint64_t most_in_group = 1024;

std::uint32_t log2_of(std::uint64_t power) { return static_cast<std::uint32_t>(std::bit_width(power) - 1); }

}  // namespace

Kernel Launches::parents_kernel(Hash hash) const {
    return kernels_.find({.hash = info(hash).id, .group_size = 256}, bodies::hash_parents, true);
}

void Launches::values_above(Hash hash, Range in, std::uint64_t count, std::uint32_t levels, const Mode& mode,
                            std::uint32_t root, const Range& out) {
    const Kernel parents = parents_kernel(hash);
    const std::uint32_t most_levels = log2_of(2 * parents.group_size);
    while (levels > 0) {
        const std::uint32_t now = std::min(levels, most_levels);
        const std::uint64_t above = divide_up(count, std::uint64_t{1} << now);
        const Range to = now == levels ? out : Range{timeline_.scratch(32 * above)->memory(), 0};
        timeline_.launch(parents, divide_up(divide_up(count, 2), parents.group_size), in.memory, in.offset / 32,
                         to.memory, to.offset / 32, count, std::uint64_t{1}, key_words(mode),
                         mode.flags() | (now == levels ? root : 0), now, std::uint32_t{0});
        in = to;
        count = above;
        levels -= now;
    }
}

bool Launches::hash_chunks(const HashChunks& a, const Tick& tick) {
    const std::uint64_t chunks = divide_up(a.bytes, MKZ_BLAKE3_CHUNK_LEN);
    const mkz_policy policy = kernels_.chosen(MKZ_KERNEL_HASH_CHUNKS, a.hash, chunks, a.policy);
    // Staged and wrapped host memory begins on 16 bytes; device memory begins where the caller says.
    const bool is_even = !a.data.on_device || kernels_.is_aligned(range_of(a.data), 16);
    Variant variant = variant_of(info(a.hash).id, policy);
    variant.align = is_even ? 16 : 1;
    const Kernel hash = kernels_.find(variant, bodies::hash_chunks, a.policy.group_size == 0);
    const std::uint64_t group_chunks = std::uint64_t{policy.lanes} * hash.group_size;
    const std::uint32_t in_group =
        group_chunks > most_in_group ? 0 : std::min({a.levels, log2_of(group_chunks), policy.levels_per_launch});
    const std::uint64_t subtree_bytes = std::uint64_t{MKZ_BLAKE3_CHUNK_LEN} << in_group;
    const std::uint64_t n = divide_up(a.bytes, subtree_bytes), n_out = divide_up(chunks, std::uint64_t{1} << a.levels);
    // Held here, since staging may wait for the end of all, which frees what the timeline keeps.
    std::vector<std::shared_ptr<Block>> blocks;
    const bool is_straight = a.out.on_device && kernels_.is_aligned(range_of(a.out), 32);
    const auto room = [&](bool is_last, std::uint64_t count) {
        if (is_last && is_straight) return range_of(a.out);
        return Range{blocks.emplace_back(timeline_.scratch(32 * count))->memory(), 0};
    };
    Range top = room(in_group == a.levels, n);
    const std::vector<Staging::Operand> operands = {{a.data, subtree_bytes, a.bytes}, {top.place(), 32, 32 * n}};
    const bool finished = staging_.batch(
        n, operands, n,
        [&](std::uint64_t first, std::uint64_t count, const std::vector<Range>& at) {
            const std::uint64_t start = first * subtree_bytes;
            const std::uint64_t bytes = std::min(count * subtree_bytes, a.bytes - start);
            timeline_.launch(
                hash, divide_up(divide_up(bytes, MKZ_BLAKE3_CHUNK_LEN), std::uint64_t{policy.lanes} * hash.group_size),
                at[0].memory, at[0].offset, bytes, std::uint64_t{1}, at[1].memory, at[1].offset / 32, key_words(a.mode),
                a.mode.flags(), a.first_chunk + start / MKZ_BLAKE3_CHUNK_LEN, in_group);
        },
        tick);
    if (!finished) return false;
    if (in_group < a.levels) {
        const Range to = room(true, n_out);
        values_above(a.hash, top, n, a.levels - in_group, a.mode, 0, to);
        top = to;
    }
    if (a.out.on_device) {
        kernels_.return_out(range_of(a.out), top, 32 * n_out);
    } else {
        timeline_.copy_to_host(host_bytes(a.out), top.place(), 32 * n_out);
        timeline_.finish();
    }
    return true;
}

// Each level is kept: one behind the other in one block, from where the last launch puts them in order.
bool Launches::digest_nodes(const DigestNodes& a, const Tick& tick) {
    const std::uint64_t groups = divide_up(a.bytes, std::uint64_t{MKZ_BLAKE3_CHUNK_LEN} << a.levels);
    std::uint64_t all = 2;
    for (std::uint64_t n = groups; n > 2; n = divide_up(n, 2)) all += n;
    const auto values = timeline_.scratch(32 * all);
    const HashChunks chunks{
        .data = a.data, .bytes = a.bytes, .levels = a.levels, .out = values->at(0), .policy = a.policy};
    if (!hash_chunks(chunks, tick)) return false;
    const Kernel parents = parents_kernel(chunks.hash);
    std::uint64_t at = 0;
    for (std::uint64_t n = groups; n > 2;) {
        const std::uint32_t levels =
            std::min(static_cast<std::uint32_t>(std::bit_width(n - 1) - 1), log2_of(2 * parents.group_size));
        timeline_.launch(parents, divide_up(divide_up(n, 2), parents.group_size), values->memory(), at,
                         values->memory(), at + n, n, std::uint64_t{1}, key_words(chunks.mode), chunks.mode.flags(),
                         levels, std::uint32_t{1});
        for (std::uint32_t level = 0; level < levels; level++) {
            at += n;
            n = divide_up(n, 2);
        }
    }
    const std::uint64_t nodes = groups - 1;
    const Range out = kernels_.aligned_out(range_of(a.out), 64 * nodes);
    const Kernel order = kernels_.find({.group_size = 256}, bodies::order_parents, true);
    timeline_.launch(order, divide_up(nodes, order.group_size), values->memory(), std::uint64_t{0}, groups,
                     std::uint32_t{a.post_order}, out.memory, out.offset / 32);
    kernels_.return_out(range_of(a.out), out, 64 * nodes);
    return true;
}

// One message of several chunks, all of it on the device: each group merges what it hashed, and then all that is left, to the digest.
void Launches::hash_message(const HashRows& a) {
    const std::uint64_t chunks = divide_up(a.length, MKZ_BLAKE3_CHUNK_LEN);
    const auto levels = static_cast<std::uint32_t>(std::bit_width(chunks - 1));
    const mkz_policy policy = kernels_.chosen(MKZ_KERNEL_HASH_CHUNKS, a.hash, chunks, a.policy);
    Variant variant = variant_of(info(a.hash).id, policy);
    variant.align = kernels_.is_aligned(range_of(a.rows), 16) ? 16 : 1;
    const Kernel hash = kernels_.find(variant, bodies::hash_chunks, a.policy.group_size == 0);
    const std::uint64_t group_chunks = std::uint64_t{policy.lanes} * hash.group_size;
    const std::uint32_t in_group =
        group_chunks > most_in_group ? 0 : std::min({levels, log2_of(group_chunks), policy.levels_per_launch});
    const std::uint64_t n = divide_up(chunks, std::uint64_t{1} << in_group);
    const Range in = range_of(a.rows), out = kernels_.aligned_out(range_of(a.out), Digest::size);
    const Range values = n == 1 ? out : Range{timeline_.scratch(Digest::size * n)->memory(), 0};
    timeline_.launch(hash, divide_up(chunks, group_chunks), in.memory, in.offset, a.length, std::uint64_t{1},
                     values.memory, values.offset / 32, key_words(a.mode),
                     n == 1 ? a.mode.flags() | MKZ_BLAKE3_ROOT : a.mode.flags(), std::uint64_t{0}, in_group);
    if (n > 1) values_above(a.hash, values, n, levels - in_group, a.mode, MKZ_BLAKE3_ROOT, out);
    kernels_.return_out(range_of(a.out), out, Digest::size);
}

// The table of core/kernels/hash_each.h.
struct Launches::EachTable {
    // place(message): where it begins, from the kernel's `in` on, modulo 2^64.
    template <class PlaceOf>
    EachTable(std::span<const Extent> messages, PlaceOf place) : n(static_cast<std::uint32_t>(messages.size())) {
        words.reserve(3 * messages.size() + 1);
        for (const Extent& message : messages) {
            words.push_back(chunks);
            const std::uint64_t its = chunks_of(message);
            chunks += its;
            levels = std::max<std::uint32_t>(levels, std::bit_width(its - 1));
        }
        words.push_back(chunks);
        for (const Extent& message : messages) words.push_back(place(message));
        for (const Extent& message : messages) words.push_back(message.bytes);
    }

    static std::uint64_t chunks_of(const Extent& message) {
        return std::max<std::uint64_t>(1, divide_up(message.bytes, MKZ_BLAKE3_CHUNK_LEN));
    }
    static constexpr std::uint64_t bytes_of(std::uint64_t messages) { return 8 * (3 * messages + 1); }

    std::uint32_t n;
    std::vector<std::uint64_t> words{};
    std::uint64_t chunks = 0;  // of all messages
    std::uint32_t levels = 0;  // of parents, in the longest message
};

void Launches::launch_each(const HashEach& a, const EachTable& table, mkz_memory* in, const Range& words,
                           std::uint32_t align, EachValues& values, const Range& out) {
    const mkz_policy policy = kernels_.chosen(MKZ_KERNEL_HASH_CHUNKS, a.hash, table.chunks, a.policy);
    Variant variant = variant_of(info(a.hash).id, policy);
    variant.align = align;
    const bool is_free = a.policy.group_size == 0;
    const Kernel hash = kernels_.find(variant, bodies::hash_each, is_free);
    const auto slots = [&](std::uint32_t level) {
        return level == 0 ? table.chunks : (table.chunks >> level) + table.n;
    };
    const auto make_room = [&](std::shared_ptr<Block>& block, std::uint64_t count) {
        if (block == nullptr || block->size() < Digest::size * count) block = timeline_.scratch(Digest::size * count);
    };
    if (table.levels > 0) {
        make_room(values.even, std::max(slots(0), slots(2)));
        make_room(values.odd, slots(1));
    }
    const KeyWords key = key_words(a.mode);
    const auto below_root = static_cast<std::uint32_t>(a.below_root);
    timeline_.launch(hash, divide_up(slots(0), std::uint64_t{policy.lanes} * hash.group_size), in, words.memory,
                     words.offset / 8, table.n, table.levels > 0 ? values.even->memory() : out.memory, out.memory,
                     out.offset / 32, key, a.mode.flags(), below_root);
    if (table.levels == 0) return;
    const Kernel parents = kernels_.find(variant, bodies::hash_each_parents, is_free);
    for (std::uint32_t level = 1; level <= table.levels; level++) {
        const Block &from = level % 2 != 0 ? *values.even : *values.odd,
                    &to = level % 2 != 0 ? *values.odd : *values.even;
        timeline_.launch(parents, divide_up(slots(level), std::uint64_t{policy.lanes} * parents.group_size),
                         words.memory, words.offset / 8, table.n, level, from.memory(), to.memory(), out.memory,
                         out.offset / 32, key, a.mode.flags(), below_root);
    }
}

bool Launches::each_on_device(const HashEach& a, const Tick& tick) {
    const mkz_driver& driver = timeline_.driver();
    // Where kernels take addresses, one launch reaches all messages. OpenCL's reach one block: messages of a block that come one after
    // another go together.
    const bool has_addresses = timeline_.device()->facts().language != MKZ_LANGUAGE_OPENCL;
    const auto address = [&](const Extent& message) {
        const Range range = range_of(message.place);
        return has_addresses ? reinterpret_cast<std::uintptr_t>(driver.native(range.memory)) + range.offset
                             : range.offset;
    };
    const std::uint64_t out_bytes = (a.below_root ? 2 : 1) * Digest::size, n = a.messages.size();
    const Range out = a.out.on_device ? kernels_.aligned_out(range_of(a.out), out_bytes * n)
                                      : Range{timeline_.scratch(out_bytes * n)->memory(), 0};
    EachValues values;
    for (std::uint64_t first = 0; first < n;) {
        constexpr std::uint64_t most_chunks = 1 << 23;  // 384 MiB of values
        mkz_memory* in = range_of(a.messages[first].place).memory;
        std::uint64_t count = 0, chunks = 0;
        std::uint32_t align = 16;
        for (; first + count < n; count++) {
            const Extent& message = a.messages[first + count];
            const Range range = range_of(message.place);
            chunks += EachTable::chunks_of(message);
            if (count > 0 && (chunks > most_chunks || (!has_addresses && range.memory != in))) break;
            if (!kernels_.is_aligned(range, 16)) align = 1;
        }
        const std::uint64_t base =
            has_addresses ? reinterpret_cast<std::uintptr_t>(driver.native(in)) : std::uint64_t{0};
        const EachTable table(a.messages.subspan(first, count),
                              [&](const Extent& message) { return address(message) - base; });
        const auto words = timeline_.scratch(EachTable::bytes_of(count));
        staging_.send(words->at(0), table.words.data(), EachTable::bytes_of(count));
        launch_each(a, table, in, {words->memory(), 0}, align, values, {out.memory, out.offset + out_bytes * first});
        first += count;
    }
    if (a.out.on_device)
        kernels_.return_out(range_of(a.out), out, out_bytes * n);
    else
        staging_.download(host_bytes(a.out), out.place(), out_bytes * n);
    return !tick || tick(1);
}

// Host memory: a piece is its table and then its messages, each on a multiple of 16 bytes.
bool Launches::each_staged(const HashEach& a, const Tick& tick) {
    struct Piece {
        std::uint64_t first;
        EachTable table;
    };
    const auto rounded = [](std::uint64_t bytes) { return divide_up(bytes, 16) * 16; };
    const std::uint64_t out_bytes = (a.below_root ? 2 : 1) * Digest::size, n = a.messages.size();
    std::vector<Piece> pieces;
    std::uint64_t largest = 0, most = 0;
    for (std::uint64_t first = 0; first < n;) {
        std::uint64_t count = 0, bytes = 0;
        for (; first + count < n; count++) {
            const std::uint64_t more = rounded(a.messages[first + count].bytes);
            if (count > 0 && rounded(EachTable::bytes_of(count + 1)) + bytes + more > Staging::piece_bytes) break;
            bytes += more;
        }
        std::uint64_t next = rounded(EachTable::bytes_of(count));
        largest = std::max(largest, next + bytes);
        most = std::max(most, count);
        const auto place = [&](const Extent& message) { return std::exchange(next, next + rounded(message.bytes)); };
        pieces.push_back({first, EachTable(a.messages.subspan(first, count), place)});
        first += count;
    }
    EachValues values;
    Staging::Pipeline pipeline;
    pipeline.sizes = {largest, out_bytes * most};
    pipeline.parts = [&](std::uint64_t which, std::size_t buffer) {
        const auto& [first, table] = pieces[which];
        if (buffer == 1)
            return std::vector<Staging::HostPart>{{host_bytes(a.out) + out_bytes * first, 0, out_bytes * table.n}};
        const auto bytes_of = [](const void* bytes) { return static_cast<std::byte*>(const_cast<void*>(bytes)); };
        std::vector<Staging::HostPart> parts = {{bytes_of(table.words.data()), 0, EachTable::bytes_of(table.n)}};
        for (std::uint32_t i = 0; i < table.n; i++) {
            const Extent& message = a.messages[first + i];
            parts.push_back({host_bytes(message.place), table.words[table.n + 1 + i], message.bytes});
        }
        return parts;
    };
    pipeline.compute = [&](std::uint64_t which, const Staging::Slot& slot) {
        mkz_memory* in = slot.block(0)->memory();
        launch_each(a, pieces[which].table, in, {in, 0}, 16, values, {slot.block(1)->memory(), 0});
    };
    return staging_.run(pieces.size(), pipeline, tick);
}

bool Launches::hash_each(const HashEach& job, const Tick& tick) {
    if (job.messages.empty()) return true;
    return job.messages[0].place.on_device ? each_on_device(job, tick) : each_staged(job, tick);
}

bool Launches::hash_rows(const HashRows& job, const Tick& tick) {
    if (info(job.hash).has_chunk_tree && job.n == 1 && job.length > MKZ_BLAKE3_CHUNK_LEN && job.rows.on_device &&
        job.out.on_device) {
        hash_message(job);
        return !tick || tick(1);
    }
    return info(job.hash).has_chunk_tree ? hash_messages(job, tick) : rows_by_items(job, tick);
}

bool Launches::hash_messages(const HashRows& a, const Tick& tick) {
    const std::uint64_t chunks = std::max<std::uint64_t>(1, divide_up(a.length, MKZ_BLAKE3_CHUNK_LEN));
    const mkz_policy policy = kernels_.chosen(MKZ_KERNEL_HASH_ROWS, a.hash, a.n * chunks, a.policy);
    // The values of long rows wait in two blocks in turn, until each row has one.
    constexpr std::uint64_t most_values = (std::uint64_t{256} << 20) / 32;
    const std::uint64_t per_piece = chunks == 1 ? a.n : std::clamp<std::uint64_t>(most_values / chunks, 1, a.n);
    std::shared_ptr<Block> values, above;
    if (chunks > 1) {
        values = timeline_.scratch(32 * per_piece * chunks);
        above = timeline_.scratch(32 * per_piece * divide_up(chunks, 2));
    }
    const Kernel parents = chunks == 1 ? Kernel{} : parents_kernel(a.hash);
    return staging_.batch(
        a.n, {{a.rows, a.length, a.n * a.length}, {a.out, 32, 32 * a.n}}, per_piece,
        [&](std::uint64_t, std::uint64_t count, const std::vector<Range>& at) {
            const bool is_even = a.length % 16 == 0 && kernels_.is_aligned(at[0], 16);
            // An empty row has no memory; any block will do, since nothing of it is read.
            const Range data = at[0].memory != nullptr ? at[0] : Range{at[1].memory, 0};
            Variant variant = variant_of(info(a.hash).id, policy);
            variant.align = is_even && kernels_.is_aligned(at[1], 16) ? 16u : 1u;
            const Kernel hash = kernels_.find(variant, bodies::hash_chunks, a.policy.group_size == 0);
            const Range out = kernels_.aligned_out(at[1], 32 * count);
            timeline_.launch(hash, divide_up(count * chunks, std::uint64_t{policy.lanes} * hash.group_size),
                             data.memory, data.offset, a.length, count, chunks == 1 ? out.memory : values->memory(),
                             chunks == 1 ? out.offset / 32 : std::uint64_t{0}, key_words(a.mode),
                             chunks == 1 ? a.mode.flags() | MKZ_BLAKE3_ROOT : a.mode.flags(), std::uint64_t{0},
                             std::uint32_t{0});
            Range from{values ? values->memory() : nullptr, 0}, to{above ? above->memory() : nullptr, 0};
            for (std::uint64_t c = chunks; c > 1; c = divide_up(c, 2)) {
                if (c == 2) to = out;
                timeline_.launch(parents, divide_up(count * divide_up(c, 2), parents.group_size), from.memory,
                                 from.offset / 32, to.memory, to.offset / 32, c, count, key_words(a.mode),
                                 c == 2 ? a.mode.flags() | MKZ_BLAKE3_ROOT : a.mode.flags(), std::uint32_t{1},
                                 std::uint32_t{0});
                std::swap(from, to);
            }
            kernels_.return_out(at[1], out, 32 * count);
        },
        tick);
}

void Launches::require_row_length(Hash hash, std::uint64_t length) const {
    if (length <= UINT32_MAX) return;
    const bool is_bytes = row_unit(hash) == 1;
    throw Error(ErrorCode::invalid_argument, std::string(is_bytes ? "leaves" : "hash_elements") + ": rows of at most " +
                                                 std::to_string(UINT32_MAX) +
                                                 (is_bytes ? " bytes on " : " elements on ") + kernels_.device().id() +
                                                 ", got " + std::to_string(length));
}

void Launches::launch_rows(Hash hash, const mkz_policy& wanted, std::uint64_t of, const Range& in,
                           std::uint64_t row_stride, std::uint64_t unit_stride, std::uint64_t length, std::uint64_t n,
                           const Range& out) {
    const std::uint64_t unit = row_unit(hash);
    const mkz_kernel kind = is_field(info(hash)) ? MKZ_KERNEL_HASH_ELEMENTS : MKZ_KERNEL_HASH_ROWS;
    const mkz_policy policy = kernels_.chosen(kind, hash, of, wanted);
    Variant variant = variant_of(UnitOf(hash).unit, policy);
    // Words are brought where they can be read; bytes are read where they are.
    if (unit == 1 && (row_stride % 16 != 0 || !kernels_.is_aligned(in, 16))) variant.align = 1;
    const Kernel kernel = kernels_.find(variant, bodies::hash_rows, wanted.group_size == 0);
    const Range to = kernels_.aligned_out(out, 32 * n);
    const Range from = in.memory == nullptr ? Range{to.memory, 0} : in;
    timeline_.launch(kernel, divide_up(n, std::uint64_t{policy.lanes} * kernel.group_size), from.memory,
                     from.offset / unit, row_stride, unit_stride, static_cast<std::uint32_t>(length), to.memory,
                     to.offset / 32, n, kernels_.device().constants(hash));
    kernels_.return_out(out, to, 32 * n);
}

bool Launches::rows_by_items(const HashRows& a, const Tick& tick) {
    const std::uint64_t unit = row_unit(a.hash), row_bytes = unit * a.length;
    require_row_length(a.hash, a.length);
    return staging_.batch(
        a.n, {{a.rows, row_bytes, a.n * row_bytes}, {a.out, 32, 32 * a.n}}, a.n,
        [&](std::uint64_t, std::uint64_t count, const std::vector<Range>& at) {
            launch_rows(a.hash, a.policy, a.n, kernels_.aligned_to(at[0], unit, count * row_bytes), a.length, 1,
                        a.length, count, at[1]);
        },
        tick);
}

// ---- Rows of several matrices ---------------------------------------------------------------------------------------------

namespace {

// The kernels' argument of this form (core/kernels/data.h, mkz_matrix).
struct MatrixShape {
    std::uint64_t rows, columns;
    std::uint64_t row_stride, column_stride;
    std::uint64_t out_row_stride, out_column_stride;
    std::uint32_t word_bytes, down, montgomery, from_montgomery;
};

bool has_whole_rows(const MatrixAt& matrix, std::uint32_t word_bytes) {
    return matrix.column_stride == word_bytes &&
           matrix.row_stride == static_cast<std::int64_t>(word_bytes * matrix.columns);
}

bool has_whole_columns(const MatrixAt& matrix, std::uint32_t word_bytes, std::uint64_t n) {
    return matrix.row_stride == word_bytes && matrix.column_stride == static_cast<std::int64_t>(word_bytes * n);
}

// How n rows of a host matrix lie once they are on the device: columns that lie together stay so where kernels read words.
MatrixAt staged(const MatrixAt& matrix, const HashMatrices& job, std::uint64_t n, const Place& at) {
    const auto word = static_cast<std::int64_t>(job.word_bytes);
    const bool down = is_field(info(job.hash)) && matrix.row_stride == word && matrix.column_stride != word;
    const auto rows = static_cast<std::int64_t>(n), columns = static_cast<std::int64_t>(matrix.columns);
    return down ? MatrixAt{at, matrix.columns, word, rows * word} : MatrixAt{at, matrix.columns, columns * word, word};
}

// Whether the kernels of field hashes, or of byte hashes, read these rows where they are.
bool is_readable(const HashMatrices& job, const MatrixAt& matrix) {
    if (job.matrices.size() != 1 || job.montgomery || job.from_montgomery) return false;
    if (!is_field(info(job.hash))) return has_whole_rows(matrix, job.word_bytes);
    const auto fits = [&](std::int64_t stride) { return stride >= 0 && stride % job.word_bytes == 0; };
    return fits(matrix.row_stride) && fits(matrix.column_stride);
}

}  // namespace

Launches::NewForm Launches::new_form(const HashMatrices& job) {
    if (job.montgomery) return {.to_montgomery = static_cast<std::uint32_t>(job.modulus)};
    if (!job.from_montgomery) return {};
    return {.from_montgomery = job.word_bytes == 8 ? 1 : static_cast<std::uint32_t>(info(job.hash).modulus)};
}

void Launches::pack_matrix(const MatrixAt& matrix, std::uint32_t word_bytes, std::uint64_t n, const NewForm& form,
                           const Range& out, std::uint64_t out_row_stride, std::uint64_t out_column_stride) {
    const Range in = range_of(matrix.first);
    const auto even = [&](std::int64_t stride) { return stride % word_bytes == 0; };
    const bool is_even = kernels_.is_aligned(in, word_bytes) && kernels_.is_aligned(out, word_bytes) &&
                         even(matrix.row_stride) && even(matrix.column_stride);
    const Kernel pack = kernels_.find({.group_size = 256, .align = is_even ? 16u : 1u}, bodies::pack_matrix, true);
    const MatrixShape shape{.rows = n,
                            .columns = matrix.columns,
                            .row_stride = static_cast<std::uint64_t>(matrix.row_stride),
                            .column_stride = static_cast<std::uint64_t>(matrix.column_stride),
                            .out_row_stride = out_row_stride,
                            .out_column_stride = out_column_stride,
                            .word_bytes = word_bytes,
                            .down = out_row_stride == word_bytes && out_column_stride != word_bytes ? 1u : 0u,
                            .montgomery = form.to_montgomery,
                            .from_montgomery = form.from_montgomery};
    timeline_.launch(pack, divide_up(n * matrix.columns, pack.group_size), in.memory, in.offset, out.memory, out.offset,
                     shape);
}

void Launches::pack_rows(const MatrixAt& matrix, std::uint32_t word_bytes, std::uint64_t n, const Place& out) {
    const std::uint64_t row_bytes = word_bytes * matrix.columns;
    if (has_whole_rows(matrix, word_bytes)) return timeline_.copy_on_device(out, matrix.first, n * row_bytes);
    pack_matrix(matrix, word_bytes, n, {}, range_of(out), row_bytes, word_bytes);
}

void Launches::check_matrix(const MatrixAt& matrix, const HashMatrices& job, std::uint64_t n, mkz_memory* flag) {
    const Range in = range_of(matrix.first);
    const std::uint64_t words = n * matrix.columns;
    const bool is_whole = has_whole_rows(matrix, job.word_bytes) || has_whole_columns(matrix, job.word_bytes, n);
    if (is_whole && kernels_.is_aligned(in, job.word_bytes)) {
        const Kernel check = kernels_.find({.group_size = 256},
                                           job.word_bytes == 8 ? bodies::check_words64 : bodies::check_words32, true);
        return timeline_.launch(check, divide_up(words, check.group_size), in.memory, in.offset / job.word_bytes, words,
                                job.modulus, flag);
    }
    const Kernel check = kernels_.find({.group_size = 256, .align = 1}, bodies::check_matrix, true);
    const MatrixShape shape{.rows = n,
                            .columns = matrix.columns,
                            .row_stride = static_cast<std::uint64_t>(matrix.row_stride),
                            .column_stride = static_cast<std::uint64_t>(matrix.column_stride),
                            .out_row_stride = 0,
                            .out_column_stride = 0,
                            .word_bytes = job.word_bytes,
                            .down = matrix.row_stride == job.word_bytes ? 1u : 0u,
                            .montgomery = 0,
                            .from_montgomery = 0};
    timeline_.launch(check, divide_up(words, check.group_size), in.memory, in.offset, shape, job.modulus, flag);
}

void Launches::hash_matrices_here(const HashMatrices& a, const std::vector<MatrixAt>& matrices, std::uint64_t n,
                                  const Range& panel, const Range& out) {
    const std::uint64_t unit = row_unit(a.hash), row_bytes = a.row_bytes();
    const bool is_field_hash = is_field(info(a.hash));
    if (panel.memory == nullptr && is_field_hash && matrices.size() == 1) {
        const MatrixAt& only = matrices[0];
        return launch_rows(a.hash, a.policy, a.n, range_of(only.first),
                           static_cast<std::uint64_t>(only.row_stride) / unit,
                           static_cast<std::uint64_t>(only.column_stride) / unit, only.columns, n, out);
    }
    // Side by side: columns of words one after another, or rows of bytes.
    const std::uint64_t row_stride = is_field_hash ? unit : row_bytes,
                        column_stride = is_field_hash ? unit * n : a.word_bytes;
    Range to = panel;
    for (const MatrixAt& matrix : matrices) {
        if (panel.memory == nullptr) break;
        pack_matrix(matrix, a.word_bytes, n, new_form(a), to, row_stride, column_stride);
        to.offset += column_stride * matrix.columns;
    }
    const Range rows = panel.memory != nullptr || matrices.empty() ? panel : range_of(matrices[0].first);
    if (is_field_hash) return launch_rows(a.hash, a.policy, a.n, rows, 1, n, row_bytes / unit, n, out);
    hash_rows({.hash = a.hash,
               .rows = rows.place(),
               .n = n,
               .length = row_bytes,
               .mode = a.mode,
               .out = out.place(),
               .policy = a.policy},
              {});
}

void Launches::refuse_words(const HashMatrices& a) {
    // Rare, so it may be slow: the host looks where, and says it.
    for (std::size_t m = 0; m < a.matrices.size(); m++) {
        const MatrixAt& matrix = a.matrices[m];
        if (!matrix.first.on_device) {
            require_words_below(a, m, matrix, 0, a.n);
            continue;
        }
        const std::uint64_t row_bytes = a.word_bytes * matrix.columns;
        const std::uint64_t per_piece = std::clamp<std::uint64_t>((8 << 20) / row_bytes, 1, a.n);
        const std::shared_ptr<Block> rows = timeline_.scratch(per_piece * row_bytes);
        std::vector<std::byte> host(per_piece * row_bytes);
        for (std::uint64_t first = 0; first < a.n; first += per_piece) {
            const std::uint64_t count = std::min(per_piece, a.n - first);
            pack_rows(from_row(matrix, first), a.word_bytes, count, rows->at(0));
            timeline_.copy_to_host(host.data(), rows->at(0), count * row_bytes);
            timeline_.synchronize_main();
            require_words_below(a, m,
                                {host_place(host.data()), matrix.columns, static_cast<std::int64_t>(row_bytes),
                                 static_cast<std::int64_t>(a.word_bytes)},
                                first, count);
        }
    }
    throw Error(ErrorCode::internal, std::string(a.what) + ": a word that is no field element was there on " +
                                         kernels_.device().id() +
                                         " and then was not: the memory changed during the call");
}

// Whole matrices of the host as they lie, on the device. Wide rows leave a piece of the staging too few of them to fill a device: 2^17
// rows of 2633 words in pieces took 1257 ms on an H200, where sending them takes 50 and hashing them 48.
// blocks   what they are in; what is enqueued keeps it
// returns  nothing where pieces do better, or the matrices do not fit
std::optional<HashMatrices> Launches::sent(const HashMatrices& a, std::vector<std::shared_ptr<Block>>& blocks) {
    constexpr std::uint64_t enough_rows = 1 << 16;
    const std::uint64_t rows_of_a_piece = Staging::piece_bytes / std::max<std::uint64_t>(1, a.row_bytes());
    if (timeline_.device()->facts().unified != 0 || a.n <= rows_of_a_piece || rows_of_a_piece >= enough_rows) return {};
    // What is there already is the caller's: it keeps its words, and the others keep the form of one job.
    const auto is_there = [](const MatrixAt& matrix) { return matrix.first.on_device; };
    if (a.from_montgomery && std::ranges::any_of(a.matrices, is_there)) return {};
    HashMatrices sent = a;
    try {
        for (MatrixAt& matrix : sent.matrices) {
            const std::uint64_t bytes = a.n * a.word_bytes * matrix.columns;
            if (matrix.first.on_device || bytes == 0) continue;
            if (!has_whole_rows(matrix, a.word_bytes)) return {};
            blocks.push_back(Block::allocate(timeline_.device(), bytes));
            staging_.upload(blocks.back()->at(0), host_bytes(matrix.first), bytes);
            matrix.first = blocks.back()->at(0);
            if (!a.from_montgomery) continue;
            pack_matrix(matrix, a.word_bytes, a.n, new_form(a), range_of(matrix.first),
                        static_cast<std::uint64_t>(matrix.row_stride), a.word_bytes);
        }
    } catch (const Error& error) {
        if (error.code() != ErrorCode::out_of_memory) throw;
        return {};
    }
    sent.from_montgomery = false;
    return sent;
}

bool Launches::hash_matrices(const HashMatrices& given, const Tick& tick) {
    std::vector<std::shared_ptr<Block>> blocks;
    const std::optional<HashMatrices> there = sent(given, blocks);
    const HashMatrices& a = there ? *there : given;
    const std::uint64_t row_bytes = a.row_bytes();
    require_row_length(a.hash, row_bytes / row_unit(a.hash));
    std::vector<Staging::Operand> operands;
    for (const MatrixAt& matrix : a.matrices) {
        if (matrix.first.on_device) continue;
        const std::uint64_t item = a.word_bytes * matrix.columns;
        operands.push_back({matrix.first, item, a.n * item, {}});
        if (has_whole_rows(matrix, a.word_bytes)) continue;
        operands.back().pack = [&](std::uint64_t first, std::uint64_t count, std::byte* to) {
            const MatrixAt part = from_row(matrix, first), as = staged(matrix, a, count, {});
            const bool down = as.row_stride == a.word_bytes && matrix.columns > 1;
            // By all threads, in parts that lie together: some columns, or some rows.
            const std::uint64_t lines = down ? matrix.columns : count, parts = std::min<std::uint64_t>(lines, 64);
            parallel_for(parts, staging_.threads(), [&](std::size_t k) {
                const std::uint64_t begin = lines * k / parts, some = lines * (k + 1) / parts - begin;
                MatrixAt lines_at = down ? from_row(part, 0, begin) : from_row(part, begin);
                if (down) lines_at.columns = some;
                runtime::pack_rows(lines_at, a.word_bytes, down ? count : some,
                                   to + begin * static_cast<std::uint64_t>(down ? as.column_stride : as.row_stride),
                                   static_cast<std::uint64_t>(as.row_stride),
                                   static_cast<std::uint64_t>(as.column_stride));
            });
        };
    }
    operands.push_back({a.out, 32, 32 * a.n, {}});
    const auto arrived = [&](const MatrixAt& matrix, std::uint64_t count, const Place& at) {
        return matrix.first.on_device ? matrix : staged(matrix, a, count, at);
    };
    // A byte hash and a matrix of no columns need no panel, either.
    const bool is_panel_needed =
        !a.matrices.empty() &&
        (!is_readable(a, arrived(a.matrices[0], a.n, {})) ||
         !kernels_.is_aligned(a.matrices[0].first.on_device ? range_of(a.matrices[0].first) : Range{nullptr, 0},
                              row_unit(a.hash)));
    constexpr std::uint64_t panel_bytes = 64 << 20;
    const std::uint64_t per_piece = is_panel_needed ? std::clamp<std::uint64_t>(panel_bytes / row_bytes, 1, a.n) : a.n;
    const std::shared_ptr<Block> panel = is_panel_needed ? timeline_.scratch(per_piece * row_bytes) : nullptr;
    const std::shared_ptr<Block> flag = a.modulus != 0 ? timeline_.scratch(256) : nullptr;
    std::uint32_t found = 0;
    if (flag) timeline_.copy_to_device(flag->at(0), &found, sizeof found);
    const bool finished = staging_.batch(
        a.n, operands, per_piece,
        [&](std::uint64_t first, std::uint64_t count, const std::vector<Range>& at) {
            std::vector<MatrixAt> here;
            std::size_t next = 0;
            for (const MatrixAt& matrix : a.matrices) {
                here.push_back(matrix.first.on_device ? from_row(matrix, first)
                                                      : staged(matrix, a, count, at[next++].place()));
                if (flag) check_matrix(here.back(), a, count, flag->memory());
            }
            hash_matrices_here(a, here, count, panel ? Range{panel->memory(), 0} : Range{nullptr, 0}, at.back());
        },
        tick);
    if (!flag) return finished;
    timeline_.copy_to_host(&found, flag->at(0), sizeof found);
    timeline_.synchronize_main();
    if (found != 0) refuse_words(a);
    return finished;
}

bool Launches::merge_pairs(const MergePairs& a, const Tick& tick) {
    const mkz_policy policy = kernels_.chosen(MKZ_KERNEL_MERGE_PAIRS, a.hash, a.n, a.policy);
    const Kernel merge =
        kernels_.find(Kernels::merge_variant(a.hash, a.mode, policy), bodies::merge_pairs, a.policy.group_size == 0);
    mkz_memory* constants = kernels_.device().constants(a.hash);
    const std::uint64_t bytes = 32 * a.n;
    return staging_.batch(
        a.n, {{a.left, 32, bytes}, {a.right, 32, bytes}, {a.out, 32, bytes}}, a.n,
        [&](std::uint64_t, std::uint64_t count, const std::vector<Range>& at) {
            const Range left = kernels_.aligned_to(at[0], 32, 32 * count),
                        right = kernels_.aligned_to(at[1], 32, 32 * count);
            const Range out = kernels_.aligned_out(at[2], 32 * count);
            kernels_.launch_merges(a.mode, merge, divide_up(count, std::uint64_t{policy.lanes} * merge.group_size),
                                   left.memory, left.offset / 32, right.memory, right.offset / 32, out.memory,
                                   out.offset / 32, count, constants);
            kernels_.return_out(at[2], out, 32 * count);
        },
        tick);
}

}  // namespace merklize::runtime

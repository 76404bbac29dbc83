// Messages of any lengths.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "queue/launches/chunks.hpp"

namespace merklize::runtime {
namespace {

// The table of core/kernels/hash_each.h.
struct EachTable {
    EachTable() = default;
    // words         where to write it, bytes_of(messages) bytes
    // place(extent) where a message begins relative to the kernel's `in`, modulo 2^64
    template <class PlaceOf>
    EachTable(std::span<const Extent> messages, std::uint64_t* words, PlaceOf place)
        : n(static_cast<std::uint32_t>(messages.size())) {
        std::uint64_t *first_chunks = words, *places = words + n + 1, *bytes = places + n;
        for (const Extent& message : messages) {
            const std::uint64_t its = chunks_of(message.bytes);
            *first_chunks++ = chunks;
            *places++ = place(message);
            *bytes++ = message.bytes;
            chunks += its;
            levels = std::max<std::uint32_t>(levels, std::bit_width(its - 1));
        }
        *first_chunks = chunks;
    }

    static constexpr std::uint64_t bytes_of(std::uint64_t messages) { return 8 * (3 * messages + 1); }
    static constexpr std::uint64_t most_messages = Staging::piece_bytes / 24 - 1;  // whose table is a piece

    std::uint32_t n = 0;
    std::uint64_t chunks = 0;  // of all messages
    std::uint32_t levels = 0;  // of parents, in the longest message
};

// Working memory of successive launches, which ping-pong: values of even and of odd levels.
struct EachValues {
    struct Level {
        Lease values{};
        std::uint64_t room = 0;
    };
    Level even{}, odd{};
};

// in     the origin of the table's places
// words  the table
void launch_each(DeviceCall& call, const HashEach& a, const EachTable& table, mkz_memory* in, const Range& words,
                 std::uint32_t align, EachValues& values, const Range& out) {
    const mkz_policy policy = call.chosen(MKZ_KERNEL_HASH_CHUNKS, a.hash, table.chunks);
    Variant variant = variant_of(info(a.hash).id, policy);
    variant.align = align;
    const Kernel hash = call.kernel(variant, bodies::hash_each);
    const auto slots = [&](std::uint32_t level) {
        return level == 0 ? table.chunks : (table.chunks >> level) + table.n;
    };
    const auto make_room = [&](EachValues::Level& level, std::uint64_t count) {
        if (level.room < count) level = {call.scratch(Digest::size * count), count};
    };
    if (table.levels > 0) {
        make_room(values.even, std::max(slots(0), slots(2)));
        make_room(values.odd, slots(1));
    }
    const KeyWords key = key_words(a.mode);
    const auto below_root = static_cast<std::uint32_t>(a.below_root);
    call.enqueue(hash, groups_of(slots(0), policy, hash),
                 {in, words.memory, words.offset / 8, table.n,
                  table.levels > 0 ? range_of(values.even.values).memory : out.memory, out.memory, out.offset / 32, key,
                  a.mode.flags(), below_root});
    if (table.levels == 0) return;
    const Kernel parents = call.kernel(variant, bodies::hash_each_parents),
                 tower = call.kernel(variant, bodies::hash_each_tower);
    // A group for a message spares launches, unless most messages are short and there are many.
    constexpr std::uint64_t few_messages = 1024, many_chunks = 8;
    constexpr std::uint64_t most_in_group = 1024;  // values, for which local memory has room
    const bool has_towers = !a.below_root && (table.n <= few_messages || table.chunks >= many_chunks * table.n);
    for (std::uint32_t level = 1; level <= table.levels; level++) {
        Range from = range_of(values.even.values), to = range_of(values.odd.values);
        if (level % 2 == 0) std::swap(from, to);
        const std::uint32_t left = table.levels - level + 1;
        if (has_towers && left > 1 &&
            std::uint64_t{1} << left <= 2 * std::min<std::uint64_t>(tower.group_size, most_in_group)) {
            call.enqueue(tower, table.n,
                         {words.memory, words.offset / 8, level - 1, from.memory, out.memory, out.offset / 32, key,
                          a.mode.flags()});
            break;
        }
        call.enqueue(parents, groups_of(slots(level), policy, parents),
                     {words.memory, words.offset / 8, table.n, level, from.memory, to.memory, out.memory,
                      out.offset / 32, key, a.mode.flags(), below_root});
    }
}

bool each_on_device(DeviceCall& call, const HashEach& a, const Tick& tick) {
    const mkz_driver& driver = call.driver();
    // Where kernels take addresses, one launch reaches all messages. An OpenCL kernel reaches one block, so there a
    // launch hashes successive messages of one block.
    const bool has_addresses = call.facts().language != MKZ_LANGUAGE_OPENCL;
    const mkz_memory* block = nullptr;  // of the message before, and where it begins: mostly all lie in one
    std::uint64_t begin = 0;
    const auto address = [&](const Range& range) {
        if (has_addresses && range.memory != block) {
            begin = reinterpret_cast<std::uintptr_t>(driver.native(range.memory));
            block = range.memory;
        }
        return begin + range.offset;
    };
    const std::uint64_t out_bytes = (a.below_root ? 2 : 1) * Digest::size, n = a.messages.size();
    const Lease found =
        a.out.on_device ? call.aligned_out(range_of(a.out), out_bytes * n) : call.scratch(out_bytes * n);
    const Range out = range_of(found);
    EachValues values;
    for (std::uint64_t first = 0; first < n;) {
        constexpr std::uint64_t most_chunks = 1 << 23;  // 384 MiB of values
        mkz_memory* in = range_of(a.messages[first].place).memory;
        std::uint64_t count = 0, chunks = 0;
        std::uint32_t align = 16;
        for (; first + count < n; count++) {
            const Extent& message = a.messages[first + count];
            const Range range = range_of(message.place);
            chunks += chunks_of(message.bytes);
            if (count > 0 && (chunks > most_chunks || (!has_addresses && range.memory != in))) break;
            if (count == EachTable::most_messages) break;
            if (has_addresses ? address(range) % 16 != 0 : !call.is_aligned(range, 16)) align = 1;
        }
        const std::uint64_t base = has_addresses ? address({in, 0}) : 0;
        const Lease words = call.scratch(EachTable::bytes_of(count));
        EachTable table;
        call.send(words.place(), EachTable::bytes_of(count), [&](std::byte* pinned) {
            table = EachTable(a.messages.subspan(first, count), reinterpret_cast<std::uint64_t*>(pinned),
                              [&](const Extent& message) { return address(range_of(message.place)) - base; });
        });
        launch_each(call, a, table, in, range_of(words), align, values, {out.memory, out.offset + out_bytes * first});
        first += count;
    }
    if (a.out.on_device)
        call.return_out(range_of(a.out), out, out_bytes * n);
    else
        call.download(host_bytes(a.out), out.place(), out_bytes * n);
    return !tick || tick(1);
}

// Host memory is staged: a piece has the table and then the messages, each aligned to 16 bytes.
bool each_staged(DeviceCall& call, const HashEach& a, const Tick& tick) {
    struct Piece {
        std::uint64_t first;
        std::vector<std::uint64_t> words;
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
        std::vector<std::uint64_t> words(EachTable::bytes_of(count) / 8);
        const EachTable table(a.messages.subspan(first, count), words.data(), place);
        pieces.push_back({first, std::move(words), table});
        first += count;
    }
    EachValues values;
    Staging::Pipeline pipeline;
    pipeline.sizes = {largest, out_bytes * most};
    pipeline.parts = [&](std::uint64_t which, std::size_t buffer) {
        const auto& [first, words, table] = pieces[which];
        if (buffer == 1)
            return std::vector<Staging::HostPart>{{host_bytes(a.out) + out_bytes * first, 0, out_bytes * table.n}};
        const auto bytes_of = [](const void* bytes) { return static_cast<std::byte*>(const_cast<void*>(bytes)); };
        std::vector<Staging::HostPart> parts = {{bytes_of(words.data()), 0, EachTable::bytes_of(table.n)}};
        for (std::uint32_t i = 0; i < table.n; i++) {
            const Extent& message = a.messages[first + i];
            parts.push_back({host_bytes(message.place), words[table.n + 1 + i], message.bytes});
        }
        return parts;
    };
    pipeline.compute = [&](std::uint64_t which, const Staging::Slot& slot) {
        mkz_memory* in = slot.block(0)->memory();
        launch_each(call, a, pieces[which].table, in, {in, 0}, 16, values, {slot.block(1)->memory(), 0});
    };
    return call.run(pieces.size(), pipeline, tick);
}

}  // namespace

bool DeviceCall::launch(const HashEach& job, const Tick& tick) {
    if (job.messages.empty()) return true;
    return job.messages[0].place.on_device ? each_on_device(*this, job, tick) : each_staged(*this, job, tick);
}

}  // namespace merklize::runtime

#include "calls/operands.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <string>

#include "host/invalid.hpp"
#include "jobs/internals.hpp"
#include "queue/device.hpp"

namespace merklize::runtime {
namespace {

using Use = Operand::Use;

bool overlap(const MemoryRange& a, const MemoryRange& b) {
    return a.block == b.block && a.begin < b.begin + b.bytes && b.begin < a.begin + a.bytes;
}

std::string name_of(const Operand& operand) {
    return operand.number == Operand::only_one ? operand.name
                                               : std::string(operand.name) + " " + std::to_string(operand.number);
}

bool begins_before(const Operand& a, const Operand& b) {
    if (a.memory.block != b.memory.block) return std::less<>()(a.memory.block, b.memory.block);
    return a.memory.begin < b.memory.begin;
}

[[noreturn]] void refuse(const Operand& out, const Operand& other) {
    const std::uint64_t a = out.memory.begin, b = other.memory.begin;
    invalid_call(name_of(out) + " must not overlap " + name_of(other) + ", got " + std::to_string(out.memory.bytes) +
                 " bytes " +
                 (a < b ? std::to_string(b - a) + " bytes before" : std::to_string(a - b) + " bytes after") +
                 " the beginning of " + std::to_string(other.memory.bytes));
}

}  // namespace

MemoryRange::MemoryRange(std::span<const std::byte> host)
    : begin(reinterpret_cast<std::uintptr_t>(host.data())), bytes(host.size()) {}

MemoryRange::MemoryRange(const ConstBuffer& buffer) : bytes(buffer.size()) {
    if (bytes == 0) return;
    const Address address = address_of(buffer);
    block = address.block;
    begin = address.offset;
}

MemoryRange BufferRanges::operator()(const ConstBuffer& buffer) {
    if (const Block* block = Internals::of(buffer).get(); block != block_ && !buffer.empty()) {
        whole_ = buffer;
        whole_.begin -= buffer.offset();
        block_ = block;
    }
    MemoryRange range = whole_;
    range.begin += buffer.offset();
    range.bytes = buffer.size();
    return range;
}

MemoryRange::MemoryRange(const MatrixAt& matrix, std::uint64_t rows, std::uint64_t word_bytes, const ConstBuffer* on) {
    if (rows == 0 || matrix.columns == 0) return;
    const auto across = static_cast<std::int64_t>(matrix.columns - 1) * matrix.column_stride,
               down = static_cast<std::int64_t>(rows - 1) * matrix.row_stride;
    const auto least = std::min<std::int64_t>(across, 0) + std::min<std::int64_t>(down, 0),
               most = std::max<std::int64_t>(across, 0) + std::max<std::int64_t>(down, 0);
    if (on != nullptr) {
        const Address address = address_of(*on);
        block = address.block;
        begin = address.offset - on->offset() + matrix.first.offset;
    } else {
        begin = reinterpret_cast<std::uintptr_t>(host_bytes(matrix.first));
    }
    begin += static_cast<std::uint64_t>(least);
    bytes = static_cast<std::uint64_t>(most - least) + word_bytes;
}

WrittenMemory::WrittenMemory(std::span<const Operand> operands) {
    for (const Operand& operand : operands) {
        if (operand.use != Use::reads && operand.memory.bytes != 0) writes_.push_back(operand);
    }
    std::ranges::sort(writes_, begins_before);
    const auto twice = std::ranges::adjacent_find(
        writes_, [](const Operand& one, const Operand& next) { return overlap(one.memory, next.memory); });
    if (twice != writes_.end()) refuse(*std::next(twice), *twice);
}

void WrittenMemory::require_apart(const Operand& read) const {
    if (read.memory.bytes == 0) return;
    // Writes are apart, so if any overlaps the read, the last one that begins before the read's end does.
    Operand end = read;
    end.memory.begin += read.memory.bytes;
    const auto after = std::ranges::lower_bound(writes_, end, begins_before);
    if (after == writes_.begin()) return;
    const Operand& out = *std::prev(after);
    const bool is_in_place =
        out.use == Use::replaces && out.memory.begin == read.memory.begin && out.memory.bytes == read.memory.bytes;
    if (!is_in_place && overlap(out.memory, read.memory)) refuse(out, read);
}

void require_apart(std::span<const Operand> operands) {
    const WrittenMemory written(operands);
    for (const Operand& operand : operands) {
        if (operand.use == Use::reads) written.require_apart(operand);
    }
}

}  // namespace merklize::runtime

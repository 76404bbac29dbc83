#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "jobs/jobs.hpp"
#include "merklize/buffer.hpp"

namespace merklize::runtime {

class Block;

/// Bytes of the host or of a device, to compare with others.
struct MemoryRange {
    // NOLINTNEXTLINE(google-explicit-constructor)
    MemoryRange(std::span<const std::byte> host);
    // NOLINTNEXTLINE(google-explicit-constructor)
    MemoryRange(const ConstBuffer& buffer);
    /// From the first to the last word of a matrix, with what lies between its rows.
    /// on  the buffer that has the words; null: they are on the host
    MemoryRange(const MatrixAt& matrix, std::uint64_t rows, std::uint64_t word_bytes, const ConstBuffer* on);

    const void* block = nullptr;  ///< addresses of one block are comparable
    std::uint64_t begin = 0;
    std::uint64_t bytes = 0;
};

/// The ranges of many buffers. Those in a row that lie in one block cost one question to the driver together.
class BufferRanges {
public:
    MemoryRange operator()(const ConstBuffer& buffer);

private:
    const Block* block_ = nullptr;
    MemoryRange whole_{std::span<const std::byte>()};  // from where the block begins
};

/// Memory that a call uses.
struct Operand {
    enum class Use : std::uint8_t {
        reads,
        writes,
        replaces,  ///< writes, and may be exactly the bytes of an operand that is read: each output depends on the input at its place alone
    };
    static constexpr std::size_t only_one = SIZE_MAX;

    Use use;
    const char* name;
    MemoryRange memory;
    std::size_t number = only_one;  ///< among several of the same name
};

/// The memory that a call writes. A call that writes into memory of the caller checks it where it checks its arguments,
/// because it writes before it has read everything. A call that writes one digest, or one output, after everything was
/// read need not.
class WrittenMemory {
public:
    /// errors  invalid_argument "<name> must not overlap <name>, ..." (two that are written)
    explicit WrittenMemory(std::span<const Operand> operands);

    /// errors  the same (one that is written, and this one)
    void require_apart(const Operand& read) const;

private:
    std::vector<Operand> writes_{};  // by their places
};

/// Refuses a write that overlaps anything else among the operands of a call.
void require_apart(std::span<const Operand> operands);
inline void require_apart(std::initializer_list<Operand> operands) {
    require_apart(std::span(operands.begin(), operands.size()));
}

}  // namespace merklize::runtime

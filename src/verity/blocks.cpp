#include "verity/blocks.hpp"

#include <algorithm>
#include <vector>

#include "hashes/sha512.hpp"
#include "host/reused.hpp"
#include "jobs/jobs.hpp"
#include "verity/layout.hpp"

namespace merklize::runtime {
namespace {

// One thread reads a piece of blocks and hashes it. A piece fits into the cache and has enough blocks for the widest
// lanes.
constexpr std::uint64_t piece_bytes = 256 << 10, piece_blocks = 16;

// Blocks as rows: each with its salt. They are read to where they are hashed, between salts that stay.
class VerityRows {
public:
    /// most  rows that are wanted at once
    VerityRows(const DmVerity& how, const VerityBlocks& blocks, std::uint64_t block_bytes, std::uint64_t most)
        : how_(how), blocks_(blocks), block_(block_bytes), row_(block_bytes + how.salt.size()), most_(most) {}

    std::uint64_t row_bytes() const noexcept { return row_; }

    /// n rows from block `first` on: in `room`, which nothing else changes from call to call, or in the caller's bytes.
    const std::byte* rows(std::uint64_t first, std::uint64_t n, std::vector<std::byte>& room) const {
        const auto* memory = std::get_if<const std::byte*>(&blocks_);
        if (memory != nullptr && how_.salt.empty()) return *memory + first * block_;
        if (room.empty()) room = with_salts();
        std::byte* to = room.data() + (how_.salt_after ? 0 : how_.salt.size());
        if (memory != nullptr) {
            for (std::uint64_t i = 0; i < n; i++) std::copy_n(*memory + (first + i) * block_, block_, to + i * row_);
        } else {
            const auto& [file, offset] = std::get<BlocksInFile>(blocks_);
            file->read_apart(to, n, block_, row_, offset + first * block_);
        }
        return room.data();
    }

private:
    std::vector<std::byte> with_salts() const {
        std::vector<std::byte> room(most_ * row_);
        for (std::uint64_t i = 0; i < most_; i++)
            std::ranges::copy(how_.salt, room.data() + i * row_ + (how_.salt_after ? block_ : 0));
        return room;
    }

    const DmVerity& how_;
    const VerityBlocks& blocks_;
    std::uint64_t block_, row_, most_;
};

void sha512_rows(const std::byte* rows, std::uint64_t n, std::uint64_t row_bytes, std::byte* out) {
    for (std::uint64_t i = 0; i < n; i++) {
        Sha512 hasher;
        hasher.update({rows + i * row_bytes, row_bytes});
        out = std::ranges::copy(hasher.digest(), out).out;
    }
}

}  // namespace

void hash_verity_blocks(Run& run, const DmVerity& how, const VerityBlocks& blocks, std::uint64_t block_bytes,
                        std::span<std::byte> out, double share) {
    const std::size_t digest = verity_digest_bytes(how.algorithm);
    const std::uint64_t n = out.size() / digest;
    const bool at_once = how.algorithm == DmVerityAlgorithm::sha256 && !run.on_host();
    const std::uint64_t step = at_once ? n : std::min(n, std::max(piece_blocks, piece_bytes / block_bytes));
    const VerityRows rows(how, blocks, block_bytes, step);
    const auto rows_job = [&](const std::byte* from, std::uint64_t count, std::byte* to) {
        return HashRows{.hash = Hash::sha256,
                        .rows = host_place(from),
                        .n = count,
                        .length = rows.row_bytes(),
                        .out = host_place(to)};
    };
    if (at_once) {
        std::vector<std::byte> room;
        return run.launch(rows_job(rows.rows(0, n, room), n, out.data()), share);
    }
    Reused<std::vector<std::byte>> rooms;
    const auto hash_one = [&](std::size_t index) {
        const std::uint64_t first = index * step, count = std::min(step, n - first);
        std::byte* to = out.data() + first * digest;
        rooms.with([&](std::vector<std::byte>& room) {
            const std::byte* from = rows.rows(first, count, room);
            if (how.algorithm == DmVerityAlgorithm::sha512) return sha512_rows(from, count, rows.row_bytes(), to);
            run.launch_here(rows_job(from, count, to));
        });
    };
    run.parallel((n + step - 1) / step, hash_one, share);
}

}  // namespace merklize::runtime

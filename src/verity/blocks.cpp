#include "verity/blocks.hpp"

#include <algorithm>
#include <vector>

#include "hashes/sha512.hpp"
#include "host/reused.hpp"
#include "jobs/jobs.hpp"
#include "verity/layout.hpp"

namespace merklize::runtime {
namespace {

// One thread reads a piece of blocks, adds the salt and hashes. A piece fits into the cache and has enough blocks for
// the widest lanes.
constexpr std::uint64_t piece_bytes = 256 << 10, piece_blocks = 16;

struct PieceBuffers {
    std::vector<std::byte> read{}, rows{};
};

class VerityPiece {
public:
    VerityPiece(const DmVerity& how, const VerityBlocks& blocks, std::uint64_t block_bytes)
        : how_(how), blocks_(blocks), block_(block_bytes), row_(block_bytes + how.salt.size()) {}

    /// Bytes of the rows of n blocks: each block with its salt.
    std::uint64_t row_bytes() const noexcept { return row_; }

    /// Blocks from `first` on, without salt. Those of a file are read into `room`.
    const std::byte* read(std::uint64_t first, std::uint64_t n, std::vector<std::byte>& room) const {
        if (const auto* memory = std::get_if<const std::byte*>(&blocks_)) return *memory + first * block_;
        const auto& [file, offset] = std::get<BlocksInFile>(blocks_);
        room.resize(n * block_);
        file->read_at(room, offset + first * block_);
        return room.data();
    }

    /// Puts the salt before or after each block.
    void salt_rows(const std::byte* blocks, std::uint64_t n, std::byte* rows) const {
        for (std::uint64_t i = 0; i < n; i++, blocks += block_) {
            if (!how_.salt_after) rows = std::ranges::copy(how_.salt, rows).out;
            rows = std::copy_n(blocks, block_, rows);
            if (how_.salt_after) rows = std::ranges::copy(how_.salt, rows).out;
        }
    }

    void sha512(const std::byte* blocks, std::uint64_t n, std::byte* out) const {
        for (std::uint64_t i = 0; i < n; i++, blocks += block_) {
            Sha512 hasher;
            if (!how_.salt_after) hasher.update(how_.salt);
            hasher.update({blocks, block_});
            if (how_.salt_after) hasher.update(how_.salt);
            out = std::ranges::copy(hasher.digest(), out).out;
        }
    }

private:
    const DmVerity& how_;
    const VerityBlocks& blocks_;
    std::uint64_t block_, row_;
};

}  // namespace

void hash_verity_blocks(Run& run, const DmVerity& how, const VerityBlocks& blocks, std::uint64_t block_bytes,
                        std::span<std::byte> out, double share) {
    const std::size_t digest = verity_digest_bytes(how.algorithm);
    const std::uint64_t n = out.size() / digest;
    const VerityPiece piece(how, blocks, block_bytes);
    const auto rows_job = [&](const std::byte* rows, std::uint64_t count, std::byte* to) {
        return HashRows{.hash = Hash::sha256,
                        .rows = host_place(rows),
                        .n = count,
                        .length = piece.row_bytes(),
                        .out = host_place(to)};
    };
    if (how.algorithm == DmVerityAlgorithm::sha256 && !run.on_host()) {
        std::vector<std::byte> read, rows;
        const std::byte* from = piece.read(0, n, read);
        if (!how.salt.empty()) {
            rows.resize(n * piece.row_bytes());
            piece.salt_rows(from, n, rows.data());
            from = rows.data();
        }
        return run.launch(rows_job(from, n, out.data()), share);
    }
    const std::uint64_t step = std::max(piece_blocks, piece_bytes / block_bytes);
    const auto hash_piece = [&](std::size_t index, PieceBuffers& buffers) {
        const std::uint64_t first = index * step, count = std::min(step, n - first);
        std::byte* to = out.data() + first * digest;
        const std::byte* from = piece.read(first, count, buffers.read);
        if (how.algorithm == DmVerityAlgorithm::sha512) return piece.sha512(from, count, to);
        if (!how.salt.empty()) {
            buffers.rows.resize(count * piece.row_bytes());
            piece.salt_rows(from, count, buffers.rows.data());
            from = buffers.rows.data();
        }
        run.launch_here(rows_job(from, count, to));
    };
    Reused<PieceBuffers> reused;
    const auto hash_one = [&](std::size_t index) {
        reused.with([&](PieceBuffers& buffers) { hash_piece(index, buffers); });
    };
    run.parallel((n + step - 1) / step, hash_one, share);
}

}  // namespace merklize::runtime

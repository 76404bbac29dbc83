#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "files/storage.hpp"
#include "host/input_file.hpp"
#include "verity/blocks.hpp"
#include "verity/layout.hpp"

namespace merklize::runtime {

/// A copy of `how` with data_blocks set: the given number, which the data must have, or the number of blocks in `bytes`
/// bytes.
/// errors  invalid_argument (require_verity(); no whole block; bytes after the last whole block; too few blocks)
DmVerity with_data_blocks(const DmVerity& how, std::uint64_t bytes, const std::string& name);

/// A file or a block device, open for reading.
class VerityFile {
public:
    /// errors  io, invalid_argument (a pipe, or another thing without a size)
    explicit VerityFile(const std::filesystem::path& path);

    const InputFile& file() const noexcept { return file_; }
    const std::string& name() const noexcept { return file_.name(); }
    std::uint64_t bytes() const noexcept { return bytes_; }
    /// Throws io if the file has been written to since it was opened. For a block device this is unknown, and nothing
    /// is thrown.
    void require_unchanged() const {
        if (identity_) file_.require_unchanged(*identity_);
    }

private:
    InputFile file_;
    std::optional<ByteSource::Identity> identity_{};
    std::uint64_t bytes_ = 0;
};

/// The data to hash, and how.
class VerityData {
public:
    /// errors  those of VerityFile and of with_data_blocks()
    VerityData(const std::filesystem::path& path, const DmVerity& how)
        : file_(path), how_(with_data_blocks(how, file_.bytes(), file_.name())) {}

    const DmVerity& how() const noexcept { return how_; }
    const std::string& name() const noexcept { return file_.name(); }
    /// Bytes behind the last block.
    std::uint64_t bytes_behind() const noexcept {
        return file_.bytes() - how_.data_block_size * how_.data_blocks.value_or(0);
    }
    /// Whether bytes [begin, begin + bytes) are zeros.
    bool has_zeros(std::uint64_t begin, std::uint64_t bytes) const {
        std::vector<std::byte> found(bytes);
        file_.file().read_at(found, begin);
        return std::ranges::all_of(found, [](std::byte byte) { return byte == std::byte{}; });
    }
    /// Where these bytes lie, as a disk or file.
    Storage storage() const { return Storage(file_.file().fd()); }
    VerityBlocks blocks() const noexcept { return BlocksInFile{&file_.file(), 0}; }
    /// As VerityFile::require_unchanged().
    void require_unchanged() const { file_.require_unchanged(); }

private:
    VerityFile file_;
    DmVerity how_;
};

/// Hashes the data in batches of bounded size, in order.
/// use  called with the number of the first block of a batch and the digests of the batch
template <class Use>
void each_verity_batch(const DmVerity& how, const VerityBlocks& data, Run& run, const Use& use) {
    constexpr std::uint64_t batch_bytes = 64 << 20;
    const std::uint64_t n = how.data_blocks.value_or(0), block = how.data_block_size, step = batch_bytes / block;
    std::vector<std::byte> digests;
    for (std::uint64_t first = 0; first < n; first += step) {
        const std::uint64_t count = std::min(step, n - first);
        VerityBlocks here = data;
        if (auto* memory = std::get_if<const std::byte*>(&here)) {
            *memory += first * block;
        } else {
            const auto& [file, offset] = std::get<BlocksInFile>(data);
            here = BlocksInFile{file, offset + first * block};
        }
        digests.resize(count * verity_digest_bytes(how.algorithm));
        hash_verity_blocks(run, how, here, block, digests, static_cast<double>(count) / static_cast<double>(n));
        use(first, std::span<const std::byte>(digests));
    }
}

}  // namespace merklize::runtime

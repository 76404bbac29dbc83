// dm_verity(), dm_verity_file(), dm_verity_format(): root and hash area in one pass over the data.
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <string>

#include "calls/run.hpp"
#include "files/atomic_file.hpp"
#include "files/storage.hpp"
#include "host/descriptor.hpp"
#include "host/invalid.hpp"
#include "merklize/dm_verity.hpp"
#include "merklize/error.hpp"
#include "verity/blocks.hpp"
#include "verity/data.hpp"
#include "verity/layout.hpp"

namespace merklize::runtime {
namespace {

// A function that takes whole blocks of the tree and their offset in the hash file.
using WriteBlocks = std::function<void(std::span<const std::byte> blocks, std::uint64_t offset)>;

// The levels above the data, built while digests arrive. Full blocks are written, and their digests go to the next
// level. Less than a batch of each level is in memory.
class VerityTree {
public:
    VerityTree(const DmVerity& how, const VerityLayout& layout, Run& run, WriteBlocks write)
        : how_(how), layout_(layout), run_(run), write_(std::move(write)), levels_(layout.levels()) {}

    /// Takes the next digests of data blocks.
    void add(std::span<const std::byte> digests) { add_to(0, digests, false); }

    /// Writes the last blocks and returns the root. No digest may follow.
    std::vector<std::byte> finish() {
        for (unsigned level = 0; level < levels_.size(); level++) add_to(level, {}, true);
        return root_;
    }

private:
    struct Level {
        std::vector<std::byte> waiting{};
        std::uint64_t written = 0;  // bytes
    };

    void add_to(unsigned level, std::span<const std::byte> digests, bool is_last) {
        if (level == levels_.size()) return root_.assign(digests.begin(), digests.end());
        Level& pending = levels_[level];
        pending.waiting.insert(pending.waiting.end(), digests.begin(), digests.end());
        const std::size_t block = how_.hash_block_size, left = pending.waiting.size() % block;
        if (is_last && left != 0) pending.waiting.resize(pending.waiting.size() + block - left);
        const std::size_t n = pending.waiting.size() / block;
        if (n == 0) return;
        const std::span whole = std::span(pending.waiting).first(n * block);
        if (write_) write_(whole, layout_.offset(level) + pending.written);
        std::vector<std::byte> above(n * verity_digest_bytes(how_.algorithm));
        hash_verity_blocks(run_, how_, whole.data(), block, above, 0);
        pending.written += whole.size();
        pending.waiting.erase(pending.waiting.begin(),
                              pending.waiting.begin() + static_cast<std::ptrdiff_t>(whole.size()));
        add_to(level + 1, above, false);
    }

    const DmVerity& how_;
    const VerityLayout& layout_;
    Run& run_;
    WriteBlocks write_;
    std::vector<Level> levels_;
    std::vector<std::byte> root_{};
};

std::vector<std::byte> build_verity(const DmVerity& how, const VerityLayout& layout, const VerityBlocks& data, Run& run,
                                    const WriteBlocks& write) {
    VerityTree tree(how, layout, run, write);
    each_verity_batch(how, data, run, [&](std::uint64_t, std::span<const std::byte> digests) { tree.add(digests); });
    return tree.finish();
}

// The hash file: a new file that replaces the old one, or a file that is written in place.
class VerityOutput {
public:
    VerityOutput(const std::filesystem::path& path, bool in_place) : path_(path) {
        if (!in_place) {
            new_file_.emplace(AtomicFile::temporary(path));
            return;
        }
        file_ = Descriptor(disk_calls.open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666));
        if (!file_) fail("cannot open to write", errno);
    }

    /// `bytes`: where the tree ends. A new file gets this size.
    void reserve(std::uint64_t bytes) {
        if (new_file_) {
            new_file_->reserve(bytes);
            return new_file_->resize(bytes);
        }
        if (!fits_limit(bytes)) fail("cannot write", EFBIG);
    }
    void write(std::span<const std::byte> data, std::uint64_t offset) {
        if (new_file_) {
            new_file_->write(data, offset);
            return new_file_->start_sync(offset, data.size());
        }
        if (const int error = write_all(file_.get(), data, offset)) fail("cannot write", error);
    }
    /// What is written from here on reaches the disk after what is written already. A new file appears whole anyway.
    void keep_order() {
        if (!new_file_) sync();
    }
    void finish() {
        if (new_file_) return new_file_->commit();
        sync();
        if (!file_.close()) fail("cannot write", errno);
    }

private:
    void sync() const {
        if (disk_calls.fdatasync(file_.get()) != 0) fail("cannot write", errno);
    }
    [[noreturn]] void fail(const std::string& what, int error_number) const {
        throw Error(ErrorCode::io, path_.string() + ": " + what + ": " + std::generic_category().message(error_number));
    }

    std::filesystem::path path_;
    std::optional<AtomicFile> new_file_{};
    Descriptor file_{};
};

bool is_written_in_place(const std::filesystem::path& hashes, const DmVerityArea& area) {
    struct stat info;
    if (stat(hashes.c_str(), &info) != 0) return false;
    return area.offset != 0 || !S_ISREG(info.st_mode);
}

// Throws invalid_argument if the hash area would overwrite data. Both may lie on one disk, under any names.
// returns  whether they do
bool share_storage(const std::filesystem::path& data, std::uint64_t data_bytes, const std::filesystem::path& hashes,
                   const DmVerityArea& area, std::uint64_t area_end) {
    const Storage whole(data);
    if (!Storage(hashes).overwrites(whole)) return false;
    const std::uint64_t area_bytes = std::max<std::uint64_t>(area_end, area.offset + 1) - area.offset;
    const Storage written(hashes, area.offset, area_bytes);
    if (!written.overwrites(Storage(data, 0, data_bytes))) return true;
    const std::string place = std::to_string(written.place_in(whole).value_or(area.offset));
    invalid_call("the hash area would begin inside the data, at byte " + place + " of " + std::to_string(data_bytes) +
                 ", because " + hashes.string() + " is " + data.string() +
                 " or lies on the same disk: state data_blocks and an offset behind them, or another file");
}

}  // namespace
}  // namespace merklize::runtime

namespace merklize::inline v0 {

std::vector<std::byte> dm_verity(ByteView data, const DmVerity& how, const RunOptions& options) {
    const PublicCall entry("dm_verity");
    runtime::require_no_timings(options);
    const DmVerity known = runtime::with_data_blocks(how, data.size(), "data");
    const runtime::VerityLayout layout(known, {.offset = 0, .has_superblock = false});
    runtime::Run run(options);
    return runtime::build_verity(known, layout, data.data(), run, {});
}

std::vector<std::byte> dm_verity_file(const std::filesystem::path& data, const DmVerity& how,
                                      const RunOptions& options) {
    const PublicCall entry("dm_verity_file");
    refuse_empty_path(data.native(), "data");
    runtime::require_no_timings(options);
    const runtime::VerityData opened(data, how);
    const runtime::VerityLayout layout(opened.how(), {.offset = 0, .has_superblock = false});
    runtime::Run run(options);
    auto root = runtime::build_verity(opened.how(), layout, opened.blocks(), run, {});
    opened.require_unchanged();
    return root;
}

std::vector<std::byte> dm_verity_format(const std::filesystem::path& data, const std::filesystem::path& hashes,
                                        const DmVerity& how, const DmVerityArea& area, DmVerityFacts* facts,
                                        const RunOptions& options) {
    const PublicCall entry("dm_verity_format");
    refuse_empty_path(data.native(), "data");
    refuse_empty_path(hashes.native(), "hashes");
    runtime::require_no_timings(options);
    const runtime::VerityData opened(data, how);
    const DmVerity& known = opened.how();
    const runtime::VerityLayout layout(known, area);
    const std::uint64_t data_bytes = known.data_block_size * known.data_blocks.value_or(0);
    const bool is_same = runtime::share_storage(data, data_bytes, hashes, area, layout.end());
    runtime::Run run(options);
    runtime::VerityOutput out(hashes, is_same || runtime::is_written_in_place(hashes, area));
    if (layout.end() != 0) out.reserve(layout.end());  // 0 for one data block without a superblock: nothing is written
    // The superblock is written last, so that a reader never finds one before a half-written area. What lies between it
    // and the tree stays.
    if (area.has_superblock) out.write(std::array<std::byte, runtime::superblock_bytes>{}, area.offset);
    auto root = runtime::build_verity(
        known, layout, opened.blocks(), run,
        [&](std::span<const std::byte> blocks, std::uint64_t offset) { out.write(blocks, offset); });
    if (!is_same) opened.require_unchanged();
    out.keep_order();
    if (area.has_superblock) out.write(runtime::verity_superblock(known, area.uuid), area.offset);
    out.finish();
    if (facts != nullptr) *facts = {known, area.uuid, layout.hash_blocks(), layout.end()};
    return root;
}

}  // namespace merklize::inline v0

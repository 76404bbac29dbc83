// dm_verity_dump(), dm_verity_verify() and dm_verity_verify_digests().
#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "calls/run.hpp"
#include "host/invalid.hpp"
#include "merklize/dm_verity.hpp"
#include "merklize/error.hpp"
#include "verity/blocks.hpp"
#include "verity/data.hpp"
#include "verity/layout.hpp"

namespace merklize::runtime {
namespace {

// The hash file, read at the offsets of a layout.
class VerityArea {
public:
    explicit VerityArea(const std::filesystem::path& path) : file_(path) {}

    const InputFile& file() const noexcept { return file_.file(); }
    const std::string& name() const noexcept { return file_.name(); }
    void require_unchanged() const { file_.require_unchanged(); }

    DmVerityFacts facts(std::uint64_t offset) const {
        std::array<std::byte, superblock_bytes> block;
        require(offset, block.size(), "the superblock");
        file().read_at(block, offset);
        return parse_superblock(file_.name(), block);
    }
    void require(std::uint64_t offset, std::uint64_t bytes, const char* part) const {
        if (offset <= file_.bytes() && bytes <= file_.bytes() - offset) return;
        invalid_call(file_.name() + ": " + part + " would end at byte " + std::to_string(offset) + " + " +
                     std::to_string(bytes) + ", and the file has " + std::to_string(file_.bytes()) + " bytes");
    }

private:
    VerityFile file_;
};

class VerityFaults {
public:
    explicit VerityFaults(DmVerityReport& report) : report_(report) {}

    void data(std::uint64_t block) { add(report_.wrong_data_blocks, report_.data_blocks, block); }
    void hashes(std::uint64_t block) { add(report_.wrong_hash_blocks, report_.hash_blocks, block); }

private:
    static void add(std::uint64_t& count, std::vector<std::uint64_t>& blocks, std::uint64_t block) {
        if (count++ < DmVerityReport::most) blocks.push_back(block);
    }

    DmVerityReport& report_;
};

// Calls use(i) for each digest i that differs.
template <class Use>
void each_difference(std::span<const std::byte> one, std::span<const std::byte> other, std::size_t digest,
                     const Use& use) {
    if (std::ranges::equal(one, other)) return;
    for (std::size_t i = 0; i < one.size() / digest; i++) {
        if (!std::ranges::equal(one.subspan(i * digest, digest), other.subspan(i * digest, digest))) use(i);
    }
}

class VerityCheck {
public:
    VerityCheck(const DmVerity& how, const VerityLayout& layout, const InputFile& hashes, ByteView root, Run& run,
                VerityFaults faults)
        : how_(how), layout_(layout), hashes_(hashes), root_(root), run_(run), faults_(faults) {}

    /// Checks all blocks of a level against the level above.
    void level(unsigned level) { blocks(level, 0, layout_.count(level)); }
    /// Checks those from number `begin` to before `end`, a batch at a time.
    void blocks(unsigned level, std::uint64_t begin, std::uint64_t end) {
        constexpr std::uint64_t batch_bytes = 16 << 20;
        const std::size_t digest = verity_digest_bytes(how_.algorithm);
        const std::uint64_t block = how_.hash_block_size, n = layout_.count(level), step = batch_bytes / block;
        std::vector<std::byte> found;
        bool is_last_wrong = false;
        for (std::uint64_t first = begin; first < end; first += step) {
            found.resize(std::min(step, end - first) * digest);
            const BlocksInFile blocks{&hashes_, layout_.offset(level) + first * block};
            hash_verity_blocks(run_, how_, blocks, block, found, 0);
            compare(level + 1, first, found, [&](std::uint64_t i) {
                faults_.hashes(layout_.first(level) + i);
                is_last_wrong = i + 1 == n;
            });
        }
        if (end == n && !is_last_wrong && !ends_with_zeros(level)) faults_.hashes(layout_.first(level) + n - 1);
    }
    /// Checks the digests of data blocks, from block `first` on.
    void data(std::uint64_t first, std::span<const std::byte> found) {
        compare(0, first, found, [&](std::uint64_t i) { faults_.data(i); });
    }

private:
    // Compares digests with those stored in a level from number `first` on, or with the root.
    template <class Use>
    void compare(unsigned level, std::uint64_t first, std::span<const std::byte> found, const Use& use) {
        const std::size_t digest = verity_digest_bytes(how_.algorithm);
        std::vector<std::byte> held;
        if (level == layout_.levels()) {
            held.assign(root_.begin(), root_.end());
        } else {
            held.resize(found.size());
            hashes_.read_at(held, layout_.offset(level) + first * digest);
        }
        each_difference(found, held, digest, [&](std::uint64_t i) { use(first + i); });
    }
    // The last block of a level is padded with zeros. veritysetup checks them; the kernel ignores them.
    bool ends_with_zeros(unsigned level) const {
        const std::uint64_t below = level == 0 ? how_.data_blocks.value_or(0) : layout_.count(level - 1);
        const std::uint64_t used = below * verity_digest_bytes(how_.algorithm);
        std::vector<std::byte> rest(layout_.count(level) * how_.hash_block_size - used);
        hashes_.read_at(rest, layout_.offset(level) + used);
        return std::ranges::all_of(rest, [](std::byte byte) { return byte == std::byte{}; });
    }

    const DmVerity& how_;
    const VerityLayout& layout_;
    const InputFile& hashes_;
    ByteView root_;
    Run& run_;
    VerityFaults faults_;
};

}  // namespace
}  // namespace merklize::runtime

namespace merklize::inline v0 {

DmVerityFacts dm_verity_dump(const std::filesystem::path& hashes, std::uint64_t offset) {
    const PublicCall entry("dm_verity_dump");
    refuse_empty_path(hashes.native(), "hashes");
    DmVerityFacts facts = runtime::VerityArea(hashes).facts(offset);
    const runtime::VerityLayout layout(facts.how, {.offset = offset});
    facts.hash_blocks = layout.hash_blocks();
    facts.end = layout.end();
    return facts;
}

namespace {

// What both checks need: the hash area, and how it was made.
struct OpenedArea {
    OpenedArea(const std::filesystem::path& hashes, const std::optional<DmVerity>& how, const DmVerityArea& area,
               const RunOptions& options)
        : file(hashes) {
        runtime::require_no_timings(options);
        if (!how && !area.has_superblock)
            invalid_call("without a superblock the fields must be stated: salt, sizes, algorithm");
        if (how) {
            runtime::require_verity(*how);
            stated = *how;
        }
        if (!area.has_superblock) return;
        DmVerity found = file.facts(area.offset).how;
        if (how) runtime::require_expected(file.name(), found, *how);
        stated = std::move(found);
    }
    // Throws invalid_argument unless the root has the size of a digest and the file has the whole tree.
    void require(ByteView root, const DmVerity& known, const runtime::VerityLayout& layout) const {
        if (const std::size_t digest = runtime::verity_digest_bytes(known.algorithm); root.size() != digest) {
            invalid_call("the root must be the " + std::to_string(digest) + " bytes of " +
                         std::string(dm_verity_algorithm_name(known.algorithm)) + ", got " +
                         std::to_string(root.size()));
        }
        const std::uint64_t tree_bytes = layout.hash_blocks() * known.hash_block_size;
        if (tree_bytes != 0) file.require(layout.end() - tree_bytes, tree_bytes, "the tree");
    }

    runtime::VerityArea file;
    DmVerity stated{};
};

}  // namespace

namespace {

// Throws invalid_argument if bytes of the data would not be checked, because an untrusted superblock states few blocks.
// The hash area may follow the data, and anything may follow the hash area.
void require_all(const runtime::VerityData& data, const std::filesystem::path& hashes, const DmVerityArea& area) {
    const DmVerity& how = data.how();
    const std::uint64_t blocks = how.data_blocks.value_or(0), end = how.data_block_size * blocks;
    std::uint64_t unchecked = data.bytes_behind();
    if (const auto begin = runtime::Storage(hashes, area.offset).place_in(data.storage()); begin && *begin >= end) {
        // The area begins at a whole block, so zeros may lie before it. Other bytes could be data that is not checked.
        unchecked = *begin - end;
        if (unchecked < std::max(how.data_block_size, how.hash_block_size) && data.has_zeros(end, unchecked)) return;
    }
    if (unchecked == 0) return;
    invalid_call(data.name() + ": the superblock states " + std::to_string(blocks) + " blocks of " +
                 std::to_string(how.data_block_size) + " bytes, and " + std::to_string(unchecked) +
                 " bytes behind them would not be checked: state data_blocks, as the source of the root has it");
}

}  // namespace

DmVerityReport dm_verity_verify(const std::filesystem::path& data, const std::filesystem::path& hashes, ByteView root,
                                const std::optional<DmVerity>& how, const DmVerityArea& area,
                                const RunOptions& options) {
    const PublicCall entry("dm_verity_verify");
    refuse_empty_path(data.native(), "data");
    refuse_empty_path(hashes.native(), "hashes");
    const OpenedArea opened(hashes, how, area, options);
    const runtime::VerityData blocks(data, opened.stated);
    const DmVerity& known = blocks.how();
    const runtime::VerityLayout layout(known, area);
    opened.require(root, known, layout);
    if (area.has_superblock && !(how && how->data_blocks)) require_all(blocks, hashes, area);
    DmVerityReport report{.checked_blocks = known.data_blocks.value_or(0), .unchecked_bytes = blocks.bytes_behind()};
    runtime::Run run(options);
    runtime::VerityCheck check(known, layout, opened.file.file(), root, run, runtime::VerityFaults(report));
    for (unsigned level = layout.levels(); level-- > 0;) check.level(level);
    runtime::each_verity_batch(known, blocks.blocks(), run, [&](std::uint64_t first, std::span<const std::byte> found) {
        check.data(first, found);
    });
    blocks.require_unchanged();
    opened.file.require_unchanged();
    return report;
}

DmVerityReport dm_verity_verify_digests(const std::filesystem::path& hashes, ByteView root, std::uint64_t first,
                                        ByteView digests, const std::optional<DmVerity>& how, const DmVerityArea& area,
                                        const RunOptions& options) {
    const PublicCall entry("dm_verity_verify_digests");
    refuse_empty_path(hashes.native(), "hashes");
    const OpenedArea opened(hashes, how, area, options);
    const DmVerity& known = opened.stated;
    runtime::require_verity(known);
    if (!known.data_blocks) invalid_call("data_blocks", "must be stated, since no data is given");
    const runtime::VerityLayout layout(known, area);
    opened.require(root, known, layout);
    const std::size_t digest = runtime::verity_digest_bytes(known.algorithm);
    const std::uint64_t n = digests.size() / digest;
    if (digests.size() % digest != 0) {
        invalid_call("digests", "must be whole ones of " + std::to_string(digest) + " bytes, got " +
                                    std::to_string(digests.size()) + " bytes");
    }
    if (first > *known.data_blocks || n > *known.data_blocks - first) {
        invalid_call("blocks " + std::to_string(first) + " to " + std::to_string(first) + " + " + std::to_string(n) +
                     " pass the end of the data, which has " + std::to_string(*known.data_blocks));
    }
    DmVerityReport report{.checked_blocks = n};
    if (n == 0) return report;
    runtime::Run run(options);
    runtime::VerityCheck check(known, layout, opened.file.file(), root, run, runtime::VerityFaults(report));
    const std::uint64_t arity = known.hash_block_size / digest;
    std::uint64_t begin = first, end = first + n;
    for (unsigned level = 0; level < layout.levels(); level++) {
        begin /= arity;
        end = (end + arity - 1) / arity;
        check.blocks(level, begin, end);
    }
    check.data(first, {digests.data(), digests.size()});
    opened.file.require_unchanged();
    return report;
}

}  // namespace merklize::inline v0

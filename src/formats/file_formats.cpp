#include "merklize/file_formats.hpp"
#include "host/invalid.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "calls/run.hpp"
#include "digests/file_reads.hpp"
#include "formats/sources.hpp"
#include "hashes/merge_one.hpp"
#include "host/input_file.hpp"
#include "levels/build.hpp"
#include "merklize/formats.hpp"
#include "merklize/hash.hpp"
#include "merklize/tree.hpp"

namespace merklize::inline v0 {
namespace {

void require_power(std::uint64_t value, std::uint64_t least, std::uint64_t most, const char* argument) {
    if (std::has_single_bit(value) && value >= least && value <= most) return;
    invalid_call(argument, "must be a power of two from " + std::to_string(least) + " to " + std::to_string(most) +
                               ", got " + std::to_string(value));
}

// The options for the work after the leaves, without progress, which would start at 0 again.
RunOptions quiet(RunOptions options) {
    options.progress = {};
    return options;
}

// SHA-256 of each piece of the data, which is not empty. The last piece may be shorter.
std::vector<Digest> pieces_of(std::span<const std::byte> data, std::uint64_t piece, const RunOptions& options) {
    const std::uint64_t whole = data.size() / piece;
    std::vector<Digest> leaves(whole + (data.size() % piece != 0));
    merklize::hash_leaves(data.first(whole * piece), piece, std::span(leaves).first(whole), Hash::sha256, {}, options);
    if (leaves.size() != whole) leaves.back() = hash_message(data.subspan(whole * piece), Hash::sha256);
    return leaves;
}

Digest plain_merge(const Digest& left, const Digest& right) { return runtime::merge_one(Hash::sha256, left, right); }

// Levels of fs-verity's tree: digests of blocks, with the salt in front, the last block filled with zeros.
class Verity {
public:
    Verity(const FsVerity& how, const RunOptions& options) : block_(how.block_size), options_(options) {
        require_power(block_, 1024, 65536, "block_size");
        if (how.salt.size() > 32) {
            invalid_call("salt", "must be at most 32 bytes, got " + std::to_string(how.salt.size()));
        }
        runtime::require_no_timings(options);
        salt_.assign(how.salt.begin(), how.salt.end());
        before_ = salt_;
        if (!before_.empty()) before_.resize(64);  // a block of SHA-256
    }

    /// Takes the next bytes of the file: whole blocks, except in the last call.
    void add(std::span<const std::byte> data) {
        bytes_ += data.size();
        append_blocks(data, level_, options_);
    }

    Digest digest() {
        const RunOptions options = quiet(options_);
        while (level_.size() > 1) {
            std::vector<Digest> above;
            append_blocks(std::as_bytes(std::span(level_)), above, options);
            level_ = std::move(above);
        }
        // struct fsverity_descriptor: version, SHA-256, log2 of the block size, bytes of the salt; the size; the root;
        // the salt.
        std::byte descriptor[256] = {std::byte{1}, std::byte{1},
                                     static_cast<std::byte>(std::countr_zero(std::uint64_t{block_})),
                                     static_cast<std::byte>(salt_.size())};
        std::memcpy(descriptor + 8, &bytes_, sizeof bytes_);
        if (!level_.empty()) std::memcpy(descriptor + 16, level_[0].bytes.data(), Digest::size);
        std::ranges::copy(salt_, descriptor + 80);
        return hash_message(descriptor, Hash::sha256);
    }

private:
    void append_blocks(std::span<const std::byte> data, std::vector<Digest>& out, const RunOptions& options) const {
        const std::size_t row = before_.size() + block_;
        const std::size_t direct = before_.empty() ? data.size() / block_ * block_ : 0;
        hash_rows(data.first(direct), block_, out, options);
        // Other blocks are copied, some at a time: the salt goes first, and zeros fill the end.
        constexpr std::size_t part = 16 << 20;
        for (std::size_t at = direct; at < data.size();) {
            const std::size_t count = std::min<std::size_t>(part / block_, (data.size() - at + block_ - 1) / block_);
            std::vector<std::byte> rows(count * row);
            for (std::size_t i = 0; i < count; i++, at += block_) {
                std::ranges::copy(before_, rows.data() + i * row);
                std::ranges::copy(data.subspan(at, std::min<std::size_t>(block_, data.size() - at)),
                                  rows.data() + i * row + before_.size());
            }
            hash_rows(rows, row, out, options);
        }
    }

    static void hash_rows(std::span<const std::byte> rows, std::size_t row, std::vector<Digest>& out,
                          const RunOptions& options) {
        const std::size_t before = out.size();
        out.resize(before + rows.size() / row);
        merklize::hash_leaves(rows, row, std::span(out).subspan(before), Hash::sha256, {}, options);
    }

    std::uint32_t block_;
    const RunOptions& options_;
    std::vector<std::byte> salt_, before_;
    std::uint64_t bytes_ = 0;
    std::vector<Digest> level_;
};

}  // namespace

Digest fs_verity(ByteView data, const FsVerity& how, const RunOptions& options) {
    const PublicCall entry("fs_verity");
    Verity verity(how, options);
    verity.add(data);
    return verity.digest();
}

Digest fs_verity_file(const std::filesystem::path& path, const FsVerity& how, const RunOptions& options) {
    const PublicCall entry("fs_verity_file");
    refuse_empty_path(path.native());
    return runtime::fs_verity_of(runtime::InputFile(path), how, options);
}

}  // namespace merklize::inline v0

namespace merklize::runtime {

Digest fs_verity_of(const ByteSource& source, const FsVerity& how, const RunOptions& options) {
    const RunOptions silent = quiet(options);
    Verity verity(how, silent);
    Run run(options);
    const auto extent = source.file() == nullptr ? source.extent() : source.file()->stated();
    SourceReader reader(source);
    std::vector<std::byte> data(16 << 20);  // a multiple of every block size
    const double share = extent && extent->bytes > data.size()
                             ? static_cast<double>(data.size()) / static_cast<double>(extent->bytes)
                             : 0;
    for (std::size_t count = data.size(); count == data.size();) {
        run.progress().begin(share);
        count = reader.fill_some(data, run);
        verity.add(std::span(data).first(count));
        run.progress().end(true);
    }
    if (source.file() == nullptr) source.require_unchanged({});
    return verity.digest();
}

}  // namespace merklize::runtime

namespace merklize::inline v0 {

Digest glacier(ByteView data, const RunOptions& options) {
    const PublicCall entry("glacier");
    runtime::require_no_timings(options);
    if (data.empty()) return hash_message(data, Hash::sha256);
    const std::uint64_t piece = traits(Format::glacier).piece_size;
    return runtime::root_of("pieces", pieces_of(data, piece, options), form_of(Format::glacier), quiet(options));
}

BitTorrentFile bittorrent_v2(ByteView data, std::uint64_t piece_length, const RunOptions& options) {
    const PublicCall entry("bittorrent_v2");
    const std::uint64_t block = traits(Format::bittorrent_v2).piece_size;
    require_power(piece_length, block, std::uint64_t{1} << 62, "piece_length");
    runtime::require_no_timings(options);
    if (data.empty()) return {};
    const MerkleTree tree(pieces_of(data, block, options), form_of(Format::bittorrent_v2), quiet(options));
    BitTorrentFile file{tree.root(), {}};
    if (data.size() > piece_length) {
        const auto nodes = tree.level(static_cast<unsigned>(std::countr_zero(piece_length / block)));
        file.layers.assign(nodes.begin(), nodes.end());
    }
    return file;
}

Digest ssz(std::span<const Digest> chunks, std::optional<std::uint64_t> limit,
           std::optional<std::uint64_t> mix_in_length, const RunOptions& options) {
    const PublicCall entry("ssz");
    if (limit && chunks.size() > *limit) {
        invalid_call("the limit is " + std::to_string(*limit) + " chunks, got " + std::to_string(chunks.size()));
    }
    const auto height = [](std::uint64_t n) { return n <= 1 ? 0u : static_cast<unsigned>(std::bit_width(n - 1)); };
    const unsigned depth = height(limit.value_or(chunks.size()));
    Digest zeros{};  // the root of 2^level chunks of zeros
    for (unsigned level = 0; level < height(chunks.size()); level++) zeros = plain_merge(zeros, zeros);
    Digest root = chunks.empty() ? zeros : runtime::root_of("chunks", chunks, form_of(Format::ssz), options);
    for (unsigned level = height(chunks.size()); level < depth; level++) {
        root = plain_merge(root, zeros);
        zeros = plain_merge(zeros, zeros);
    }
    if (!mix_in_length) return root;
    return plain_merge(root, Digest::from_words({*mix_in_length, 0, 0, 0}));
}

}  // namespace merklize::inline v0

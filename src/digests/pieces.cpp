// hash_pieces(), hash_file_ranges(), and pieces that are hashed separately.
#include "merklize/pieces.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "calls/calibration.hpp"
#include "digests/chunk_tree.hpp"
#include "digests/file_root.hpp"
#include "hashes/merge_one.hpp"
#include "host/invalid.hpp"
#include "jobs/cpu_device.hpp"

namespace merklize::inline v0 {
namespace {

using runtime::ChainingValue, runtime::read_bytes, runtime::read_chunks, runtime::read_levels, runtime::Run;

const Mode plain;

// log2 of the chunks of a piece; 0 = no pieces.
std::uint32_t levels_of(std::uint64_t piece_size) {
    if (piece_size == 0) return 0;
    if (!std::has_single_bit(piece_size) || piece_size < read_bytes) {
        invalid_call("piece_size", "must be 0 or a power of two >= " + std::to_string(read_bytes) + ", got " +
                                       std::to_string(piece_size));
    }
    return static_cast<std::uint32_t>(std::countr_zero(piece_size / MKZ_BLAKE3_CHUNK_LEN));
}

// The same of pieces of a part, which must not be empty and begin with a piece.
std::uint32_t levels_of_part(std::uint64_t bytes, std::uint64_t offset, std::uint64_t piece_size) {
    const std::uint32_t levels = levels_of(piece_size);
    if (piece_size == 0) invalid_call("piece_size", "must not be 0 for a part of the data, got 0");
    if (bytes == 0) invalid_call("part", "must have at least 1 byte, got 0");
    if (offset % piece_size != 0) {
        invalid_call("offset", "must be a multiple of piece_size, " + std::to_string(piece_size) + ", got " +
                                   std::to_string(offset));
    }
    return levels;
}

Digest expanded(const runtime::Node& root, Run& run) {
    Digest digest;
    root.expand(digest.bytes, 0, run);
    return digest;
}

std::vector<Digest> as_digests(std::span<const ChainingValue> values) {
    std::vector<Digest> digests(values.size());
    for (std::size_t i = 0; i < values.size(); i++) std::memcpy(digests[i].bytes.data(), values[i].words, Digest::size);
    return digests;
}

std::vector<ChainingValue> as_values(std::span<const Digest> digests) {
    std::vector<ChainingValue> values(digests.size());
    for (std::size_t i = 0; i < digests.size(); i++)
        std::memcpy(values[i].words, digests[i].bytes.data(), Digest::size);
    return values;
}

// Merges the values of all subtrees of 2^levels chunks, at least two, to the digest, and keeps the values of pieces on
// the way.
PieceDigests folded(std::vector<ChainingValue> values, std::uint32_t levels, std::uint64_t bytes,
                    std::uint32_t piece_levels, Run& run) {
    PieceDigests result;
    if (piece_levels != 0 && bytes > std::uint64_t{MKZ_BLAKE3_CHUNK_LEN} << piece_levels) {
        // One round gives the values of subtrees of twice the size: it merges pairs, and the last of an odd number
        // moves up.
        for (; levels < piece_levels; levels++) runtime::reduce(values, (values.size() + 1) / 2, plain, run);
        result.pieces = as_digests(values);
    }
    runtime::reduce(values, 2, plain, run);
    result.digest = expanded(runtime::parent_node(values[0], values[1], plain), run);
    return result;
}

PieceDigests hash_at(const runtime::Place& data, std::uint64_t bytes, std::uint64_t piece_size,
                     const RunOptions& options) {
    const std::uint32_t piece_levels = levels_of(piece_size);
    Run run(options);
    if (piece_levels == 0 || bytes <= piece_size) return {expanded(runtime::root_of(data, bytes, plain, run), run), {}};
    // Threads of the host share small subtrees; a device needs none smaller than a piece.
    const std::uint32_t levels = run.on_host() ? read_levels : piece_levels;
    return folded(runtime::subtree_values(data, bytes, 0, levels, plain, run, 1), levels, bytes, piece_levels, run);
}

std::vector<runtime::ByteRange> bytes_of(std::span<const FileRange> ranges) {
    std::vector<runtime::ByteRange> out;
    for (const auto& [offset, bytes] : ranges) out.push_back({offset, bytes});
    return out;
}

// One read of a range, which may need several.
struct Read {
    std::size_t range;
    std::uint64_t first;  // byte of the range
};

std::vector<PieceDigests> ranges_on_host(const runtime::ByteSource& source, std::span<const FileRange> ranges,
                                         std::uint32_t piece_levels, Run& run) {
    std::vector<PieceDigests> results(ranges.size());
    std::vector<std::vector<ChainingValue>> values(ranges.size());
    std::vector<Read> reads;
    for (std::size_t i = 0; i < ranges.size(); i++) {
        const std::uint64_t count = std::max<std::uint64_t>(1, (ranges[i].bytes + read_bytes - 1) / read_bytes);
        if (count > 1) values[i].resize(count);
        for (std::uint64_t k = 0; k < count; k++) reads.push_back({i, k * read_bytes});
    }
    RunOptions one;
    one.device = run.options().device;
    one.threads = 1;
    const auto part = [&](std::size_t k) {
        const auto [i, first] = reads[k];
        return runtime::ByteRange{ranges[i].offset + first, std::min(read_bytes, ranges[i].bytes - first)};
    };
    runtime::SourceReader reader(source, bytes_of(ranges));
    reader.each_part(reads.size(), part, run, 1, [&](std::size_t k, std::span<const std::byte> data) {
        const auto [i, first] = reads[k];
        if (values[i].empty()) {
            Run alone(one);
            results[i].digest = expanded(runtime::root_of(data, plain, alone), alone);
        } else {
            run.launch_here(runtime::HashChunks{.data = runtime::host_place(data.data()),
                                                .bytes = data.size(),
                                                .first_chunk = first / MKZ_BLAKE3_CHUNK_LEN,
                                                .levels = read_levels,
                                                .mode = plain,
                                                .out = runtime::host_place(&values[i][first / read_bytes])});
        }
    });
    for (std::size_t i = 0; i < ranges.size(); i++) {
        if (!values[i].empty())
            results[i] = folded(std::move(values[i]), read_levels, ranges[i].bytes, piece_levels, run);
    }
    return results;
}

std::vector<PieceDigests> ranges_on_device(const runtime::ByteSource& source, std::span<const FileRange> ranges,
                                           std::uint32_t piece_levels, Run& run) {
    std::uint64_t total = 0;
    for (const FileRange& range : ranges) total += range.bytes;
    const auto share = [&](std::uint64_t bytes) { return static_cast<double>(bytes) / static_cast<double>(total); };
    std::vector<PieceDigests> results;
    runtime::SourceReader reader(source, bytes_of(ranges));
    for (const auto& [offset, bytes] : ranges) {
        if (piece_levels == 0 || bytes <= std::uint64_t{MKZ_BLAKE3_CHUNK_LEN} << piece_levels) {
            const auto root = runtime::root_of_next(reader, bytes, plain, run, share(bytes));
            results.push_back({expanded(root, run), {}});
            continue;
        }
        const std::uint32_t levels = std::min(piece_levels, runtime::batch_levels);
        auto values = runtime::values_of_next(reader, bytes, 0, levels, plain, run, share(bytes));
        results.push_back(folded(std::move(values), levels, bytes, piece_levels, run));
    }
    return results;
}

}  // namespace

PieceDigests hash_pieces(ByteView data, std::uint64_t piece_size, const RunOptions& options) {
    const PublicCall entry("hash_pieces");
    return hash_at(runtime::host_place(data.data()), data.size(), piece_size, options);
}

PieceDigests hash_pieces(const ConstBuffer& data, std::uint64_t piece_size, const RunOptions& options) {
    const PublicCall entry("hash_pieces");
    return hash_at(runtime::place_of(data), data.size(), piece_size, runtime::on_device_of(data, options));
}

std::vector<PieceDigests> hash_file_ranges(int fd, std::string_view name, std::span<const FileRange> ranges,
                                           std::uint64_t piece_size, const RunOptions& options) {
    const PublicCall entry("hash_file_ranges");
    const auto file = runtime::InputFile::whole(fd, name);
    file.require_seekable();
    return runtime::hash_ranges(file, ranges, piece_size, options);
}

std::vector<Digest> piece_values(ByteView part, std::uint64_t offset, std::uint64_t piece_size, const Mode& mode,
                                 const RunOptions& options) {
    const PublicCall entry("piece_values");
    runtime::require_blake3(mode);
    const std::uint32_t piece_levels = levels_of_part(part.size(), offset, piece_size);
    Run run(options);
    std::uint32_t levels = run.on_host() ? std::min(read_levels, piece_levels) : piece_levels;
    auto values = runtime::subtree_values(runtime::host_place(part.data()), part.size(), offset / MKZ_BLAKE3_CHUNK_LEN,
                                          levels, mode, run, 1);
    for (; levels < piece_levels; levels++) runtime::reduce(values, (values.size() + 1) / 2, mode, run);
    return as_digests(values);
}

Digest value_of_pieces(std::span<const Digest> pieces, const Mode& mode) {
    const PublicCall entry("value_of_pieces");
    runtime::require_blake3(mode);
    if (pieces.empty()) invalid_call("pieces", "must be at least 1, got 0");
    std::vector<ChainingValue> values = as_values(pieces);
    const RunOptions options = runtime::on_this_thread();
    Run run(options);
    runtime::reduce(values, 1, mode, run);
    return as_digests(values)[0];
}

void digest_of_pieces(std::span<const Digest> pieces, std::span<std::byte> out, std::uint64_t seek, const Mode& mode) {
    const PublicCall entry("digest_of_pieces");
    runtime::require_blake3(mode);
    if (pieces.size() < 2) invalid_call("pieces", "must be at least 2, got " + std::to_string(pieces.size()));
    std::vector<ChainingValue> values = as_values(pieces);
    const RunOptions options = runtime::on_this_thread();
    Run run(options);
    runtime::reduce(values, 2, mode, run);
    runtime::parent_node(values[0], values[1], mode).expand(out, seek, run);
}

Digest digest_of_pieces(std::span<const Digest> pieces) {
    Digest digest;
    digest_of_pieces(pieces, digest.bytes, 0, plain);
    return digest;
}

}  // namespace merklize::inline v0

namespace merklize::runtime {

std::vector<PieceDigests> hash_ranges(const ByteSource& source, std::span<const FileRange> ranges,
                                      std::uint64_t piece_size, const RunOptions& options) {
    const PublicCall entry("hash_file_ranges");
    const std::uint32_t piece_levels = levels_of(piece_size);
    const auto extent = source.extent();
    const std::uint64_t size = extent ? extent->position + extent->bytes : 0;
    for (const auto& [offset, bytes] : ranges) {
        if (offset <= size && bytes <= size - offset) continue;
        if (!extent) require_extent(source);
        throw Error(ErrorCode::io, source.name() + ": ends at byte " + std::to_string(size) + ", before the " +
                                       std::to_string(bytes) + " bytes from byte " + std::to_string(offset) + " on");
    }
    Run run(options);
    auto results = run.on_host() ? ranges_on_host(source, ranges, piece_levels, run)
                                 : ranges_on_device(source, ranges, piece_levels, run);
    if (extent) source.require_unchanged(extent->identity);
    return results;
}

std::vector<Digest> piece_values(const ByteSource& source, const FileRange& part, std::uint64_t offset,
                                 std::uint64_t piece_size, const Mode& mode, const RunOptions& options) {
    const PublicCall entry("piece_values");
    require_blake3(mode);
    const std::uint32_t piece_levels = levels_of_part(part.bytes, offset, piece_size);
    const auto extent = source.extent();
    Run run(options);
    SourceReader reader(source, {part.offset, part.bytes});
    const std::uint32_t levels = run.on_host() ? piece_levels : std::min(piece_levels, batch_levels);
    auto values = values_of_next(reader, part.bytes, offset / MKZ_BLAKE3_CHUNK_LEN, levels, mode, run, 1);
    for (std::uint32_t at = levels; at < piece_levels; at++) reduce(values, (values.size() + 1) / 2, mode, run);
    if (extent) source.require_unchanged(extent->identity);
    return as_digests(values);
}

}  // namespace merklize::runtime

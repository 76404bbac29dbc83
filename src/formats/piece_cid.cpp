// Filecoin's piece commitment: 254 bits of data become 256, and SHA-256 of two nodes loses its highest two bits, so
// that each node is an element of a field of 254 bits.
#include "merklize/piece_cid.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <string>
#include <vector>

#include "digests/file_reads.hpp"
#include "formats/fr32.hpp"
#include "formats/sources.hpp"
#include "hashes/merge_one.hpp"
#include "host/invalid.hpp"
#include "host/reused.hpp"
#include "jobs/jobs.hpp"

namespace merklize::inline v0 {
namespace {

using fr32::padded_group, fr32::raw_group;
constexpr unsigned least_height = 2, unit_height = 13;  // of a unit, whose buffers fit into a cache
constexpr std::uint64_t unit_bytes = (std::uint64_t{32} << unit_height) / padded_group * raw_group;

Digest merge_piece(const Digest& left, const Digest& right) {
    return runtime::merge_one(Hash::sha256_trunc254, left, right);
}

// The root of 2^height leaves of zeros.
Digest zero_piece(unsigned height) {
    Digest zeros{};
    for (unsigned level = 0; level < height; level++) zeros = merge_piece(zeros, zeros);
    return zeros;
}

constexpr std::uint64_t batch_units = 32;  // of an input that can only be read in order: 8 MiB

runtime::ByteRange bytes_of_unit(std::size_t unit, std::uint64_t bytes) {
    const std::uint64_t offset = unit * unit_bytes;
    return {offset, std::min(unit_bytes, bytes - offset)};
}

std::uint64_t leaves_of(std::uint64_t bytes) {
    return (bytes + raw_group - 1) / raw_group * (padded_group / Digest::size);
}

void require_fits(std::uint64_t bytes) {
    if (bytes <= most_piece_bytes) return;
    invalid_call("data", "must be at most " + std::to_string(most_piece_bytes) +
                             " bytes, those of a piece of 64 GiB, got " + std::to_string(bytes));
}

void require_options(const RunOptions& options) {
    runtime::require_no_timings(options);
    runtime::require_no_policy(options);
}

unsigned height_over(std::uint64_t leaves) {
    return std::max(least_height, static_cast<unsigned>(std::bit_width(std::max<std::uint64_t>(leaves, 1) - 1)));
}

// Expands the data of some leaves and returns how many there are: 4 for each group that is begun.
std::size_t expand(std::span<const std::byte> data, Digest* leaves) {
    const auto* in = reinterpret_cast<const unsigned char*>(data.data());
    auto* out = reinterpret_cast<unsigned char*>(leaves);
    const std::size_t whole = data.size() / raw_group, left = data.size() % raw_group;
    for (std::size_t group = 0; group < whole; group++)
        fr32::expand_group(in + group * raw_group, out + group * padded_group);
    if (left != 0) {
        unsigned char last[raw_group] = {};
        std::copy_n(in + whole * raw_group, left, last);
        fr32::expand_group(last, out + whole * padded_group);
    }
    return leaves_of(data.size());
}

struct UnitBuffers {
    std::vector<Digest> nodes{}, above{};
};

// The root over the bytes of a unit, padded with zeros to 2^height leaves.
Digest unit_root(const runtime::Run& run, std::span<const std::byte> data, unsigned height, UnitBuffers& buffers) {
    buffers.nodes.resize(std::size_t{1} << height);
    buffers.above.resize(buffers.nodes.size() / 2);
    std::span<Digest> nodes = buffers.nodes, above = buffers.above;
    std::ranges::fill(nodes.subspan(expand(data, nodes.data())), Digest{});
    for (std::size_t n = nodes.size() / 2; n > 0; n /= 2) {
        run.launch_here(runtime::MergeSubtrees{.hash = Hash::sha256_trunc254,
                                               .levels = 1,
                                               .n = 2 * n,
                                               .below = runtime::host_place(nodes.data()),
                                               .nodes = runtime::host_place(above.data())});
        std::swap(nodes, above);
    }
    return nodes[0];
}

// Calls use(unit, data) in any thread for each of n units.
using EachUnit = std::function<void(std::size_t n, const runtime::SourceReader::Use& use)>;

// The roots of the units of `bytes` bytes, padded to 2^height leaves each.
std::vector<Digest> unit_roots(std::uint64_t bytes, unsigned height, const EachUnit& each_unit,
                               const runtime::Run& run) {
    std::vector<Digest> roots(std::max<std::uint64_t>(1, (bytes + unit_bytes - 1) / unit_bytes));
    runtime::Reused<UnitBuffers> reused;
    each_unit(roots.size(), [&](std::size_t unit, std::span<const std::byte> data) {
        reused.with([&](UnitBuffers& buffers) { roots[unit] = unit_root(run, data, height, buffers); });
    });
    return roots;
}

EachUnit units_in_memory(std::span<const std::byte> data, runtime::Run& run) {
    return [data, &run](std::size_t n, const runtime::SourceReader::Use& use) {
        run.parallel(n, [&](std::size_t unit) {
            const runtime::ByteRange part = bytes_of_unit(unit, data.size());
            use(unit, data.subspan(part.offset, part.bytes));
        });
    };
}

// The height of the units of data of a known size.
unsigned height_of_units(std::uint64_t bytes) { return std::min(height_over(leaves_of(bytes)), unit_height); }

// nodes  the roots of the units
PieceCid piece_over(std::vector<Digest> nodes, std::uint64_t bytes) {
    PieceCid piece{.bytes = bytes};
    piece.height = height_over(leaves_of(bytes));
    for (unsigned level = height_of_units(bytes); level < piece.height; level++) {
        if (nodes.size() % 2 != 0) nodes.push_back(zero_piece(level));
        for (std::size_t i = 0; i < nodes.size() / 2; i++) nodes[i] = merge_piece(nodes[2 * i], nodes[2 * i + 1]);
        nodes.resize(nodes.size() / 2);
    }
    piece.root = nodes[0];
    return piece;
}

// Unsigned LEB128, as in multiformats.
void append_varint(std::string& out, std::uint64_t number) {
    for (; number >= 0x80; number >>= 7) out += static_cast<char>((number & 0x7f) | 0x80);
    out += static_cast<char>(number);
}

void append_bytes(std::string& out, const Digest& digest) {
    out.append(reinterpret_cast<const char*>(digest.bytes.data()), Digest::size);
}

// Multibase "b": RFC 4648's base 32 in lower case, without padding.
std::string base32(std::string_view bytes) {
    std::string text = "b";
    unsigned bits = 0, count = 0;
    for (const char c : bytes) {
        bits = bits << 8 | static_cast<unsigned char>(c);
        for (count += 8; count >= 5; count -= 5) text += "abcdefghijklmnopqrstuvwxyz234567"[bits >> (count - 5) & 31];
        bits &= (1u << count) - 1;
    }
    if (count != 0) text += "abcdefghijklmnopqrstuvwxyz234567"[bits << (5 - count) & 31];
    return text;
}

// Codes from the multicodec table.
constexpr std::uint64_t cid_version = 1, raw_codec = 0x55, commitment_codec = 0xf101;
constexpr std::uint64_t root_multihash = 0x1012, tree_multihash = 0x1011;

}  // namespace

std::string PieceCid::v1() const {
    std::string cid;
    for (const std::uint64_t code : {cid_version, commitment_codec, root_multihash, std::uint64_t{Digest::size}})
        append_varint(cid, code);
    append_bytes(cid, root);
    return base32(cid);
}

std::string PieceCid::v2() const {
    std::string value, cid;
    append_varint(value, padding());
    value += static_cast<char>(height);
    append_bytes(value, root);
    for (const std::uint64_t code : {cid_version, raw_codec, tree_multihash, std::uint64_t{value.size()}})
        append_varint(cid, code);
    return base32(cid + value);
}

PieceCid piece_cid(ByteView data, const RunOptions& options) {
    const PublicCall entry("piece_cid");
    require_options(options);
    require_fits(data.size());
    runtime::Run run(options);
    return piece_over(unit_roots(data.size(), height_of_units(data.size()), units_in_memory(data, run), run),
                      data.size());
}

std::vector<Digest> piece_leaves(ByteView data) {
    const PublicCall entry("piece_leaves");
    std::vector<Digest> leaves(runtime::piece_leaf_count(data.size()));
    expand(data, leaves.data());
    return leaves;
}

PieceCid piece_cid_file(const std::filesystem::path& path, const RunOptions& options) {
    const PublicCall entry("piece_cid_file");
    refuse_empty_path(path.native());
    return runtime::piece_cid_of(runtime::InputFile(path), options);
}

}  // namespace merklize::inline v0

namespace merklize::runtime {

std::uint64_t piece_leaf_count(std::uint64_t bytes) {
    require_fits(bytes);
    return leaves_of(bytes);
}

namespace {

// The piece of a source that can only be read in order. A piece that does not fit is refused as soon as that is known.
PieceCid piece_of_stream(const ByteSource& source, Run& run) {
    if (const InputFile* file = source.file()) file->widen_pipe(read_bytes);
    SourceReader reader(source);
    std::vector<std::byte> batch(batch_units * unit_bytes);
    std::vector<Digest> roots;
    std::uint64_t bytes = 0;
    for (bool has_ended = false; !has_ended;) {
        const std::size_t count = reader.fill_some(batch, run);
        has_ended = count < batch.size();
        bytes += count;
        require_fits(bytes);
        if (count == 0 && bytes != 0) break;
        const unsigned height = has_ended ? height_of_units(bytes) : unit_height;
        const auto data = std::span<const std::byte>(batch).first(count);
        const auto more = unit_roots(count, height, units_in_memory(data, run), run);
        roots.insert(roots.end(), more.begin(), more.end());
    }
    return piece_over(std::move(roots), bytes);
}

}  // namespace

PieceCid piece_cid_of(const ByteSource& source, const RunOptions& options) {
    require_options(options);
    Run run(options);
    const auto extent = source.extent();
    if (!extent) return piece_of_stream(source, run);
    const std::uint64_t position = extent->position, bytes = extent->bytes;
    require_fits(bytes);
    const auto each_unit = [&](std::size_t n, const SourceReader::Use& use) {
        const auto part = [&](std::size_t unit) {
            const ByteRange in_piece = bytes_of_unit(unit, bytes);
            return ByteRange{position + in_piece.offset, in_piece.bytes};
        };
        SourceReader reader(source, {position, bytes});
        reader.each_part(n, part, run, 1, use);
    };
    PieceCid piece = piece_over(unit_roots(bytes, height_of_units(bytes), each_unit, run), bytes);
    source.require_unchanged(extent->identity);
    source.leave_at(position + bytes);
    return piece;
}

}  // namespace merklize::runtime

// Digests with the values of their pieces: of memory and of ranges of a file, against the reference.

#include <fcntl.h>
#include <unistd.h>

#include "support.hpp"

using namespace support;
using merklize::Digest;
using merklize::FileRange;
using merklize::Mode;
using merklize::PieceDigests;

namespace {

constexpr std::size_t read_size = 256 << 10;

/// A descriptor, closed at the end.
}  // namespace

TEST("files: pieces of messages at the edges of chunks, reads and pieces") {
    const TemporaryFolder folder;
    const std::size_t piece = 2 * read_size;
    for (const std::size_t size :
         {std::size_t{0}, std::size_t{1}, std::size_t{1024}, read_size, read_size + 1, piece - 1, piece, piece + 1,
          2 * piece, 2 * piece + 1, 3 * piece - 1, 5 * piece + 1025}) {
        const Bytes data = Random(size).bytes(size);
        const std::string expected = hex(reference::blake3(data));
        for (const unsigned n : {1, 3}) {
            const PieceDigests made = merklize::hash_pieces(view(data), piece, threads(n));
            CHECK_EQ(made.digest.hex(), expected);
            CHECK_EQ(made.pieces.size(), size <= piece ? 0 : (size + piece - 1) / piece);
            if (!made.pieces.empty()) CHECK_EQ(merklize::digest_of_pieces(made.pieces).hex(), expected);
            CHECK(merklize::hash_pieces(view(data), 0, threads(n)).pieces.empty());
        }
        // A changed byte changes the digest of its own piece alone.
        if (size <= piece) continue;
        const PieceDigests before = merklize::hash_pieces(view(data), piece);
        for (const std::size_t at : {std::size_t{0}, piece - 1, piece, size - 1}) {
            Bytes other = data;
            other[at] ^= 1;
            const PieceDigests after = merklize::hash_pieces(view(other), piece);
            CHECK(after.digest != before.digest);
            for (std::size_t k = 0; k < before.pieces.size(); k++)
                CHECK_EQ(after.pieces[k] != before.pieces[k], k == at / piece);
        }
    }
}

TEST("files: pieces of ranges of a file") {
    const TemporaryFolder folder;
    const std::size_t piece = read_size;
    const Bytes data = Random(1).bytes(3 * read_size + 5000);
    const Descriptor file(folder.write("file", data));
    // Ranges in any order: empty, overlapping, of one byte, of all bytes.
    const std::vector<FileRange> ranges = {{100, 2 * read_size + 7}, {5, 0},           {7, 1},
                                           {0, data.size()},         {data.size(), 0}, {1000, read_size},
                                           {999, read_size + 1}};
    for (const unsigned n : {1, 4}) {
        const auto made = merklize::hash_file_ranges(file.fd, "file", ranges, piece, threads(n));
        CHECK_EQ(made.size(), ranges.size());
        for (std::size_t i = 0; i < ranges.size(); i++) {
            const Bytes part(data.begin() + static_cast<std::ptrdiff_t>(ranges[i].offset),
                             data.begin() + static_cast<std::ptrdiff_t>(ranges[i].offset + ranges[i].bytes));
            const PieceDigests expected = merklize::hash_pieces(view(part), piece);
            CHECK_EQ(made[i].digest.hex(), hex(reference::blake3(part)));
            CHECK(made[i].pieces == expected.pieces);
        }
    }
    CHECK_EQ(::lseek(file.fd, 0, SEEK_CUR), 0);
    CHECK(merklize::hash_file_ranges(file.fd, "file", {}, piece).empty());
}

TEST("files: pieces that are hashed apart") {
    const std::size_t piece = 2 * read_size;
    for (const std::size_t size : {piece + 1, 2 * piece, 5 * piece + 1025, 8 * piece, 9 * piece + 1}) {
        const Bytes data = Random(size).bytes(size);
        const Bytes key = Random(3).bytes(32);
        const Mode keyed = Mode::keyed(view(key));
        for (const Mode& mode : {Mode(), keyed}) {
            // Parts of 1, 2 and 4 pieces; each part becomes one value.
            for (const std::size_t part : {piece, 2 * piece, 4 * piece}) {
                std::vector<Digest> all, merged;
                for (std::size_t at = 0; at < size; at += part) {
                    const auto values = merklize::piece_values(view(data).subspan(at, std::min(part, size - at)), at,
                                                               piece, mode, threads(at % 3 + 1));
                    all.insert(all.end(), values.begin(), values.end());
                    merged.push_back(merklize::value_of_pieces(values, mode));
                }
                if (mode.flags() == 0) CHECK(all == merklize::hash_pieces(view(data), piece).pieces);
                Bytes expected(99), made(99);
                const auto out = std::as_writable_bytes(std::span(made));
                merklize::hash(view(data), std::as_writable_bytes(std::span(expected)), 7, mode);
                merklize::digest_of_pieces(all, out, 7, mode);
                CHECK_EQ(hex(made), hex(expected));
                if (merged.size() < 2) continue;
                merklize::digest_of_pieces(merged, out, 7, mode);
                CHECK_EQ(hex(made), hex(expected));
            }
        }
    }
}

TEST("files: pieces, wrong arguments") {
    const TemporaryFolder folder;
    const Bytes data(100);
    const Descriptor file(folder.write("file", data));
    for (const std::uint64_t piece : {1, 1 << 17, (1 << 18) + 1})
        CHECK_ERROR(invalid_argument, "piece_size must be 0 or a power of two",
                    merklize::hash_pieces(view(data), piece));
    for (const FileRange beyond : {FileRange{50, 51}, {101, 0}, {50, UINT64_MAX}, {0, UINT64_MAX}, {UINT64_MAX, 1}}) {
        for (const std::uint64_t piece : {0, 1 << 18}) {
            CHECK_ERROR(io, "file: ends at byte 100, before the",
                        merklize::hash_file_ranges(file.fd, "file", {&beyond, 1}, piece));
        }
    }
    const Descriptor directory(folder.path());
    CHECK_ERROR(io, "folder", merklize::hash_file_ranges(directory.fd, "folder", {}, 0));
}
